"""monitor(): a series of releases, with limits that hold at every look."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from math import inf, isfinite
from numbers import Real
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from clustermark.errors import InputError, Mention, count, require_share, require_whole
from clustermark.registry import index_of
from clustermark.results.canvas import PRED, TRUE, Drawn, calm, draw_on, put_legend_below
from clustermark.results.data import VERDICT, Column, Table
from clustermark.results.document import SUMMARY, Cell, Chart, Document, Facts, Grid, Head, Name, Section
from clustermark.results.result import Result
from clustermark.uncertainty.limits import reach
from clustermark.uncertainty.sequences import mixture_widths, spend, spending_bounds, tune_mixture

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from clustermark.registry import Index
    from clustermark.results.data import Columns
    from clustermark.results.document import Prose, View

MonitorMethod: TypeAlias = Literal["sequence", "obrien_fleming", "pocock"]
About: TypeAlias = Literal["mean", "release"]
_METHODS = {
    "sequence": "a confidence sequence",
    "obrien_fleming": "limits of O'Brien and Fleming",
    "pocock": "limits of Pocock",
}


_FEWEST_DEGREES = 4.0
"""Up to this number of degrees of freedom, the variance of a mean weighted by estimated information is infinite."""


class Look(NamedTuple):
    """The estimate and the intervals after one release."""

    release: str
    difference: float
    """The difference that this release shows."""
    standard_error: float
    estimate: float
    """The mean of all differences so far, weighted by their information; or that of this release alone."""
    naive_low: float
    """The limits of an interval that would hold if this were the only look."""
    naive_high: float
    low: float
    """The limits that hold at all looks together."""
    high: float
    decision: str
    """"better", "worse" or "not clear"."""


class Monitoring(Result):
    """The looks at a series of releases, with intervals and decisions that hold at all of them together."""

    KIND = "monitoring"
    FACTS: ClassVar[Columns] = {
        "index": Column("name", optional=True),
        "verdict": VERDICT,
        "about": Column("text", choices=get_args(About), doc="the mean of all releases so far, or each by itself"),
        "method": Column("text", choices=get_args(MonitorMethod)),
        "planned": Column("count", doc="the number of looks for which the limits are made"),
        "level": Column("share"),
        "target": Column("score", optional=True, doc="the score from which differences are taken"),
        "alarm": Column("name", optional=True, doc="the first release that was shown to be worse"),
    }
    TABLES: ClassVar[dict[str, Columns]] = {
        "looks": {
            "release": Column("name"),
            "difference": Column("error"),
            "standard_error": Column("error"),
            "estimate": Column("error", doc="the mean so far, or the difference of the release"),
            "naive_low": Column("error", doc="the limits for a single look"),
            "naive_high": Column("error"),
            "low": Column("error", doc="the limits that hold at all looks together"),
            "high": Column("error"),
            "decision": Column("text", choices=("better", "worse", "not clear")),
        }
    }
    MAIN = "looks"

    def __init__(
        self, looks: Sequence[Look], index: str | None, method: str, about: str, planned: int, level: float,
        target: float | None,
    ) -> None:  # fmt: skip
        self.looks = tuple(looks)
        self.index, self.method, self.about = index, method, about
        self.planned, self.level, self.target = planned, level, target

    @property
    def alarm(self) -> str | None:
        """The first release that was shown to be worse; None if there is none."""
        return next((one.release for one in self.looks if one.decision == "worse"), None)

    def facts(self) -> dict[str, Any]:
        """Return the settings and the first alarm."""
        from clustermark.results.text import Writer

        names = ("index", "about", "method", "planned", "level", "target", "alarm")
        return {name: getattr(self, name) for name in names} | {"verdict": Writer("release").prose(self._verdict())}

    def tables(self) -> dict[str, Table]:
        """Return the looks."""
        return {"looks": Table(self.TABLES["looks"], self.looks)}

    def _verdict(self) -> Prose:
        last = self.looks[-1]
        what = "the mean of all releases" if self.about == "mean" else "this release"
        if self.alarm is not None:
            return ["Worse since ", Name(self.alarm), f" by {self._limits}, for all looks together."]
        return ["After ", Name(last.release), f" {what} is {last.decision}; no release was shown to be worse."]

    @property
    def _limits(self) -> str:
        return _METHODS[self.method] if self.about == "mean" else "limits for each release"

    def document(self, view: View = SUMMARY) -> Document:  # noqa: ARG002
        """Return the document of text, notebook, Markdown, LaTeX and page."""
        n = len(self.looks)
        settings = {"about": self.about, "method": self.method, "planned looks": self.planned, "target": self.target}
        return Document(
            title="Releases over time",
            headline=f"{count(n, 'look')}{f' at {self.index}' if self.index else ''} of {self.planned:,} planned, "
            f"level {self.level:g}, {self._limits}",
            verdict=self._verdict(),
            noun="release",
            sections=[
                Section(
                    "looks", "Looks", self._list, "Limits that hold at all looks together, and plain ones.", "summary"
                ),
                Section("made", "How this was made", lambda: [Facts("Settings", settings)]),
            ],
        )

    def _list(self) -> list[Any]:
        title = "mean so far" if self.about == "mean" else "at all looks"
        heads = [Head("release", "name"), Head("difference", "error"), Head(title, "error"), Head("decision")]
        heads.insert(3, Head("one look only", "error", level="detail"))
        rows: list[list[Any]] = [
            [
                one.release,
                Cell(one.difference, strong=False),
                Cell(one.estimate, one.low, one.high),
                Cell(one.estimate, one.naive_low, one.naive_high, strong=False),
                one.decision,
            ]
            for one in self.looks
        ]
        return [Grid(heads, rows, "Looks"), Chart("monitoring", (6.4, 3.2), self._draw, alone=True)]

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the estimate of each look, with both intervals, by matplotlib."""
        return draw_on(ax, (6.4, 3.2), self._draw)

    def _draw(self, ax: Axes) -> Drawn:
        places = np.arange(len(self.looks))
        values = {name: np.array([getattr(one, name) for one in self.looks]) for name in Look._fields[2:8]}
        ax.fill_between(
            places, values["low"], values["high"], color=TRUE, alpha=0.25, linewidth=0, label="at all looks"
        )
        for end in ("naive_low", "naive_high"):
            ax.plot(places, values[end], color=PRED, linewidth=0.8, linestyle="--",
                    label="one look only" if end == "naive_low" else None)  # fmt: skip
        ax.plot(places, values["estimate"], color=TRUE, marker="o", markersize=3, label="estimate")
        ax.axhline(0, color="0.5", linewidth=0.8)
        ax.set_xticks(places, [one.release for one in self.looks], rotation=45, ha="right")
        calm(ax)
        put_legend_below(ax, 3)
        return Drawn("Releases over time", "The band holds at all looks together, the dashed lines at one only.", {})


def monitor(
    releases: Sequence[Any] | Mapping[str, Any] | str | PathLike[str],
    index: str | Index[...] | None = None,
    *,
    method: MonitorMethod = "sequence",
    about: About = "mean",
    looks: int = 20,
    level: float = 0.95,
    target: float | None = None,
) -> Monitoring:
    """Follow a series of releases with limits that hold at every look.

    A gate that tests at 5 % at each release raises false alarms: with 20 looks at data that grow, in 25 of 100 series
    without any change. Here the probability of a false alarm at any look is at most 1 - level.

    releases: in order of time, each with new data: results of `judge` or of `changes` with a truth, which show the
        difference of a release from the one before; intervals, estimates or evaluations with intervals, with `target`;
        pairs of a difference and its standard error, or these and its degrees of freedom; files with the JSON of such
        results. Or a mapping from the name of a release to these; or a file of CSV with the columns release,
        difference, standard_error, and possibly degrees.
    index: the index, where a result has several.
    method: "sequence": a confidence sequence, which holds however many looks there are; "obrien_fleming" or "pocock":
        the error is spent over the planned looks, little at first or evenly.
    about: "mean": the mean of the differences of all releases so far; "release": each release by itself.
    looks: the planned number of looks. A confidence sequence is narrowest there, and holds at more.
    level: the probability that all limits hold, if nothing changes.
    target: the score from which differences are taken, for results that have a score.

    >>> monitor([(0.01, 0.01), (-0.02, 0.01), (-0.04, 0.01), (-0.06, 0.01)], looks=12)
    4 looks of 12 planned, level 0.95, a confidence sequence
    Worse since 4 by a confidence sequence, for all looks together.
    release  difference                 mean so far               one look only  decision
    1             0.010   0.0100 [-0.0304, 0.0504]    0.0100 [-0.0096, 0.0296]   not clear
    2            -0.020  -0.0050 [-0.0295, 0.0195]   -0.0050 [-0.0189, 0.0089]   not clear
    3            -0.040  -0.0167 [-0.0355, 0.0022]   -0.0167 [-0.0280, -0.0054]  not clear
    4            -0.060  -0.0275 [-0.0433, -0.0117]  -0.0275 [-0.0373, -0.0177]  worse
    """
    if method not in get_args(MonitorMethod):
        raise InputError(Mention("method", method), " is unknown; choose ", Mention("method", *get_args(MonitorMethod)))
    if about not in get_args(About):
        raise InputError(Mention("about", about), " is unknown; choose ", Mention("about", *get_args(About)))
    require_share("level", level, 0.95)
    require_whole("looks", looks, 1)
    if target is not None and not _is_number(target):
        raise InputError(Mention("target", target), " must be a number: the score from which differences are taken")
    wanted = None if index is None else _label_of(index)
    read = [(str(name), *_read(one, wanted, target)) for name, one in _named(releases)]
    if not read:
        raise InputError("releases: there is none")
    label = _only_index([row[4] for row in read])
    if len(read) > looks and (method != "sequence" or about == "release"):
        raise InputError(Mention("looks", looks), f": there are {len(read)} already; plan more before the first")
    differences, given = (np.array([row[place] for row in read]) for place in (1, 2))
    about_mean = about == "mean"
    # a standard error of few degrees of freedom is made larger, so that its normal limits are those of Student's t
    tail = level if about_mean else 1 - (1 - level) / looks
    errors = given * _enlarge([row[3] for row in read], tail, is_mean=about_mean)
    information = (1 / errors**2).cumsum() if about_mean else 1 / errors**2
    estimates = (differences / errors**2).cumsum() / information if about_mean else differences
    widths = _widths(method, information, looks, 1 - level, about_mean=about_mean)
    alone = given * _enlarge([row[3] for row in read], level, is_mean=False)
    naive = reach(level) * (1 / np.sqrt(information) if about_mean else alone)
    sign = 1.0 if _rises(label) else -1.0
    rows = []
    for (name, one, error, *_), mean, plain, width in zip(
        read, estimates.tolist(), naive.tolist(), widths.tolist(), strict=True
    ):
        limits = mean - plain, mean + plain, mean - width, mean + width
        rows.append(Look(name, one, error, mean, *limits, _decide(sign * mean, width)))
    return Monitoring(rows, label, method, about, looks, level, target)


def _only_index(found: Sequence[str | None]) -> str | None:
    """Return the index of all releases, which says whether higher is better; None if they are plain numbers."""
    named = list(dict.fromkeys(name for name in found if name is not None))
    if len(named) > 1:
        raise InputError(f"releases: they have different indices, {' and '.join(named[:2])}; compare the same one")
    return named[0] if named else None


def _enlarge(degrees: Sequence[float], level: float, *, is_mean: bool) -> NDArray[np.float64]:
    """Return by how much standard errors of few degrees of freedom are made larger, so that normal limits hold.

    Their limits become those of Student's t. A mean is weighted by information that is estimated, too: of k alike
    releases it has the variance of a mean of k (ν - 4) / (ν - 2), as the weights are one over χ² variables.
    """
    few = np.array(degrees)
    larger = np.array([reach(level, one) for one in degrees]) / reach(level)
    if not is_mean:
        return larger
    if few.min() <= _FEWEST_DEGREES:
        raise InputError(
            f"releases: a standard error with {few.min():g} degrees of freedom is too few to weigh a mean; choose ",
            Mention("about", "release"),
        )
    known = np.isfinite(few)
    return np.asarray(larger * np.sqrt(np.divide(few - 2, few - 4, out=np.ones(len(few)), where=known)))


def _named(releases: Any) -> list[tuple[Any, Any]]:
    """Return each release with its name: that of a mapping, of its file, or its number."""
    if isinstance(releases, str | PathLike):
        return _read_series(Path(releases))
    if isinstance(releases, Mapping):
        return list(releases.items())
    if not isinstance(releases, Iterable):
        raise InputError("releases: pass a list of results, a mapping from names to them, or a file of CSV")
    return [(_name(one, n), one) for n, one in enumerate(releases, 1)]


def _read_series(path: Path) -> list[tuple[Any, Any]]:
    """Return the releases of a file of CSV by name, each with its difference and standard error."""
    import csv

    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            rows = list(csv.DictReader(file))
    except (OSError, ValueError, csv.Error) as error:
        raise InputError(f"releases: {path} cannot be read as CSV ({error})") from None
    try:
        names = [name for name in ("difference", "standard_error", "degrees") if name != "degrees" or name in rows[0]]
        return [(row["release"], tuple(float(row[name]) for name in names)) for row in rows]
    except (IndexError, KeyError, TypeError, ValueError) as error:
        wanted = "the columns release, difference and standard_error"
        raise InputError(f"{path}: needs {wanted}, with numbers ({error})") from None


def _decide(estimate: float, width: float) -> str:
    return "better" if estimate > width else "worse" if estimate < -width else "not clear"


def _is_number(value: Any) -> bool:
    return not isinstance(value, bool) and isinstance(value, Real) and isfinite(value)


def _label_of(index: str | Index[...]) -> str:
    """Return the name of an index; estimates of judged pairs have names that are no index."""
    try:
        return index_of(index).label
    except InputError:
        if isinstance(index, str):
            return index
        raise


def _rises(label: str | None) -> bool:
    """Return whether a higher value is better; estimates of judged pairs have names that are no index."""
    try:
        rises = label is None or index_of(label).facts.higher_is_better
    except InputError:
        return True
    if rises is None:
        raise InputError(f"index: {label} is neither better nor worse when it is high; choose another")
    return rises


def _widths(
    method: MonitorMethod, information: NDArray[np.float64], looks: int, alpha: float, *, about_mean: bool
) -> NDArray[np.float64]:
    """Return half the width of the interval at each look."""
    if not about_mean:  # every release has its own data: the error is divided evenly
        return reach(1 - alpha / looks) / np.sqrt(information)
    if method == "sequence":
        # tuned by the first look alone, since later ones must not choose the limits of earlier ones
        return mixture_widths(information, tune_mixture(float(information[0]) * looks, alpha), alpha)
    spent = [spend(method, look / looks, alpha) for look in range(1, len(information) + 1)]
    return np.array(spending_bounds(information.tolist(), spent)) / np.sqrt(information)


def _name(one: Any, n: int) -> str:
    return Path(one).name.partition(".")[0] if isinstance(one, str | PathLike) else str(n)


def _read(one: Any, index: str | None, target: float | None) -> tuple[float, float, float, str | None]:
    """Return the difference of a release, its standard error, the degrees of freedom of that, and the index."""
    degrees: Any = inf
    if isinstance(one, Result):
        one = json.loads(one.to_json())
    elif isinstance(one, str | PathLike):
        try:
            one = json.loads(Path(one).read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise InputError(f"releases: {one} cannot be read as JSON ({error})") from None
    if isinstance(one, Mapping):
        try:
            value, spread, is_score, index = _of_document(one, index)
        except InputError:
            raise
        except (AttributeError, KeyError, TypeError) as error:
            raise InputError(f"releases: this JSON is not that of a whole result ({error!r})") from None
    elif isinstance(one, Sequence) and len(one) in (2, 3):
        if index is not None:
            index_of(index)  # a misspelt name would not say whether a higher value is better
        value, spread, *few = one
        degrees = few[0] if few else inf
        is_score = target is not None
    else:
        raise InputError("releases: pass results, files of their JSON, or pairs of a difference and its standard error")
    if not (isinstance(degrees, Real) and float(degrees) > 0):
        raise InputError(f"releases: degrees of freedom of {degrees!r} must be a number above 0")
    if not (_is_number(value) and _is_number(spread) and spread > 0):
        raise InputError(
            f"releases: a difference of {value} with a standard error of {spread}: both must be numbers, the second "
            "above 0"
        )
    if is_score != (target is not None):
        wanted = "a score: name the score to compare it with by " if is_score else "a difference: leave out "
        raise InputError(f"releases: this is {wanted}", Mention("target"))
    return float(value) - (target or 0.0), float(spread), float(degrees), index


def _of_document(found: Mapping[str, Any], index: str | None) -> tuple[Any, Any, bool, str]:
    """Return the value, its standard error, whether it is a score, and the index, from the JSON of a result."""
    kind = found.get("kind")
    if kind == "changes" and found.get("truth"):
        name, row = _choose(found["truth"]["scores"], index)
        return row["difference"], _error_of(row, found["truth"]["level"]), False, name
    if kind == "judgements":
        name, row = _choose(found["estimates"], index or found["design"]["index"])
        return row["value"], _error_of(row, found["level"]), row["scale"] != "change", name
    if kind == "estimates":
        name, row = _choose(found["estimates"], index)
        return row["score"], _error_of(row, row["level"]), True, name
    if kind == "interval":
        name, row = _choose({one["index"]: one for one in found["intervals"]}, index)
        return row["score"], _error_of(row, row["level"]), True, name
    if kind == "evaluation":
        name, row = _choose(found["scores"], index)
        row = row.get("interval") or {}
        return row.get("score"), _error_of(row, row.get("level")), True, name
    raise InputError(
        f"releases: {kind or 'an object'} has no difference; pass results of judge(), of changes() with a truth, of "
        "estimate(), or evaluations with intervals"
    )


def _choose(rows: Mapping[str, Any], index: str | None) -> tuple[str, Mapping[str, Any]]:
    if index is None and len(rows) == 1:
        return next((name, dict(row)) for name, row in rows.items())
    if index is None or index not in rows:
        raise InputError(Mention("index", index), f": choose one of {', '.join(rows)}")
    return index, dict(rows[index])


def _error_of(row: Mapping[str, Any], level: Any) -> float | None:
    """Return the standard error that an interval has if it is normal, so that few degrees of freedom make it larger."""
    low, high = row.get("low"), row.get("high")
    if low is None or high is None or level is None:
        return None
    return float((high - low) / 2 / reach(float(level)))
