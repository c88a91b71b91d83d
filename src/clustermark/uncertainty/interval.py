"""The interval of a score: what score a new sample of the same kind would have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeAlias, get_args

from clustermark.errors import InputError, Mention, UnsupportedTableError, require_whole
from clustermark.registry import Index, index_of
from clustermark.results.data import Column, Table
from clustermark.results.document import SUMMARY, Cell, Document, Grid, Head, Notes, Section
from clustermark.results.result import Result
from clustermark.statistics.units import NoClosedFormError
from clustermark.tables.contingency import Contingency
from clustermark.uncertainty.limits import check_bootstrap, check_index, check_target, limits, notes_of, refusal
from clustermark.uncertainty.samples import ComponentSample, GroupedPoints, PointSample, sample_groups
from clustermark.uncertainty.spread import HALF_SAMPLES, Jackknife, bootstrap, half_sampling

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clustermark.results.data import Columns
    from clustermark.results.document import Body, View
    from clustermark.uncertainty.samples import Sample
    from clustermark.uncertainty.spread import Spread

Unit: TypeAlias = Literal["point", "component"]
Target: TypeAlias = Literal["sample", "population"]
Method: TypeAlias = Literal["jackknife", "half-sampling", "bootstrap"]


INTERVAL: Columns = {
    "index": Column("name"),
    "score": Column("score"),
    "low": Column("score", optional=True),
    "high": Column("score", optional=True),
    "standard_error": Column("error", optional=True),
    "bias": Column("number", optional=True),
    "level": Column("share"),
    "method": Column("name"),
    "unit": Column("name"),
    "n_units": Column("count"),
    "target": Column("name"),
    "notes": Column("texts"),
    "draws": Column("count", optional=True),
    "seed": Column("number", optional=True),
}


def _document(title: str, headline: str, intervals: Sequence[Interval], notes: Sequence[str]) -> Document:
    """The document of one or several intervals."""
    heads = [Head("index", "name"), Head("score", "score"), Head("standard error", "error", level="detail")]
    rows = [[one.index, Cell(one.score, one.low, one.high), one.standard_error] for one in intervals]

    def bodies() -> list[Body]:
        return [Grid(heads, rows, title), *([Notes([f"note: {note}" for note in notes])] if notes else [])]

    return Document(title, headline, [Section("intervals", title, bodies, level="summary")])


@dataclass(frozen=True, repr=False)
class Interval(Result):
    """The score of an index and the interval around it; `low` and `high` are None where there is none."""

    KIND: ClassVar[str] = "interval"
    FACTS: ClassVar[Columns] = {}
    TABLES: ClassVar[dict[str, Columns]] = {"intervals": INTERVAL}
    MAIN: ClassVar[str] = "intervals"

    index: str
    score: float
    low: float | None
    high: float | None
    standard_error: float | None
    """None where it is not defined."""
    bias: float | None
    """By how much the score is larger on average than that of all units there could be."""
    level: float
    method: str
    unit: str
    n_units: int
    target: str
    notes: tuple[str, ...] = ()
    """Why there is no interval, or what to know of it."""
    draws: int | None = None
    seed: int | None = None

    @property
    def half_width(self) -> float | None:
        """Half of what lies between the limits."""
        return None if self.low is None or self.high is None else (self.high - self.low) / 2

    @property
    def middle(self) -> float:
        """What the interval lies around: the score, or the middle of the limits where these are for all points."""
        if self.target == "sample" or self.low is None or self.high is None:
            return self.score
        return (self.low + self.high) / 2

    @property
    def about(self) -> str:
        """Whose score it is about, where that is not the one of samples of this size."""
        return f", for all {self.unit}s there could be" if self.target == "population" else ""

    @property
    def correction(self) -> str:
        """What the score is without its bias, where the interval is about that; the score itself may lie outside."""
        if self.target == "sample" or self.low is None or self.bias is None:
            return ""
        return f"the score less its bias is {self.score - self.bias:.4g}"

    @property
    def signature(self) -> str:
        """How it was made, in a word."""
        said = [f"interval:{self.method}", self.unit, self.target, f"{self.level:g}"]
        said += [f"draws={self.draws}", f"seed={self.seed}"] if self.draws is not None else []
        return ",".join(said)

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain values."""
        return asdict(self) | {"notes": list(self.notes)}

    def __str__(self) -> str:
        if self.low is None or self.high is None:
            return f"{self.score:.6g}, no interval"
        return f"{self.score:.6g} [{self.low:.6g}, {self.high:.6g}]"

    def _export_columns(self) -> dict[str, list[Any]]:
        return {name: ["; ".join(value) if name == "notes" else value] for name, value in self.to_dict().items()}

    def facts(self) -> dict[str, Any]:
        """None beside the interval."""
        return {}

    def tables(self) -> dict[str, Table]:
        """The interval as a table of one row."""
        return {"intervals": Table(INTERVAL, [self])}

    @property
    def how(self) -> str:
        """How the interval was made, in words."""
        units = f"{self.n_units:,} {self.unit}{'' if self.n_units == 1 else 's'}{self.about}"
        how = f"{100 * self.level:.6g} % interval by the {self.method} over {units}"
        return how + (f"; {self.correction}" if self.correction else "")

    def document(self, view: View = SUMMARY) -> Document:  # noqa: ARG002
        """The document of text, notebook, Markdown, LaTeX and page."""
        return _document(f"Interval of {self.index}", self.how, [self], self.notes)


class Intervals(Result, Mapping[str, Interval]):
    """The intervals of several indices by the names of these; `refused` says for which there is none, and why."""

    KIND = "intervals"
    FACTS: ClassVar[Columns] = {"refused": Column("text", within=("map",), doc="indices without an interval, and why")}
    TABLES: ClassVar[dict[str, Columns]] = {"intervals": INTERVAL}
    MAIN = "intervals"

    def __init__(self, intervals: Mapping[str, Interval], refused: Mapping[str, str]) -> None:
        self._intervals = dict(intervals)
        self.refused = dict(refused)

    def __getitem__(self, name: str | Index[...]) -> Interval:
        if isinstance(name, str) and name in self._intervals:
            return self._intervals[name]
        try:
            label = index_of(name).label
        except InputError as error:
            raise KeyError(str(error)) from None
        if label in self._intervals:
            return self._intervals[label]
        raise KeyError(self.refused.get(label, f"{label} was not evaluated"))

    def __iter__(self) -> Iterator[str]:
        return iter(self._intervals)

    def __len__(self) -> int:
        return len(self._intervals)

    def facts(self) -> dict[str, Any]:
        """The indices without an interval."""
        return {"refused": self.refused}

    def tables(self) -> dict[str, Table]:
        """The intervals, one row an index."""
        return {"intervals": Table(INTERVAL, list(self._intervals.values()))}

    def document(self, view: View = SUMMARY) -> Document:  # noqa: ARG002
        """The document of text, notebook, Markdown, LaTeX and page."""
        intervals = list(self._intervals.values())
        head = intervals[0].how if intervals else "no interval"
        notes = [f"{one.index}: {note}" for one in intervals for note in one.notes]
        refused = [f"no interval: {name}: {reason}" for name, reason in self.refused.items()]
        return _document("Intervals", head, intervals, [*notes, *refused])


def no_interval(index: Index[...], score: float, reason: str, request: Request) -> Interval:
    """What is said of an index that has no interval."""
    unit = "group" if isinstance(request.unit, GroupedPoints) else request.unit
    return Interval(
        index.label, score, None, None, None, None, request.level, request.method, unit, 0, request.target, (reason,)
    )


class Request:
    """What kind of interval is wanted; checked when it is made."""

    def __init__(
        self,
        level: float = 0.95,
        unit: Unit | GroupedPoints = "point",
        target: Target = "sample",
        method: Method = "jackknife",
        draws: int | None = None,
        seed: int | None = None,
    ) -> None:
        if not isinstance(level, float) or not 0 < level < 1:
            raise InputError(Mention("level", level), " must be between 0 and 1, such as 0.95")
        _check("target", target, get_args(Target))
        _check("method", method, get_args(Method))
        if not isinstance(unit, GroupedPoints):
            _check("unit", unit, get_args(Unit))
        self.level, self.unit, self.target, self.method = level, unit, target, method
        for name, value, least in (("draws", draws, 20), ("seed", seed, 0)):
            if value is not None:
                require_whole(name, value, least)
        self.draws, self.seed = draws, seed
        if method == "jackknife" and (draws is not None or seed is not None):
            raise InputError(
                "draws and seed are for ",
                Mention("method", "half-sampling", "bootstrap"),
                "; the jackknife draws nothing",
            )

    @property
    def z(self) -> float:
        """So many standard errors to each side."""
        from statistics import NormalDist

        return NormalDist().inv_cdf((1 + self.level) / 2)

    @property
    def settings(self) -> dict[str, Any]:
        """What was asked for, to be written down."""
        unit = "group" if isinstance(self.unit, GroupedPoints) else self.unit
        asked = {"level": self.level, "unit": unit, "target": self.target, "method": self.method}
        return asked if self.method == "jackknife" else asked | {"draws": self.draws, "seed": self.seed or 0}

    def sample(self, table: Contingency) -> Sample:
        """The units of a table."""
        if isinstance(self.unit, GroupedPoints):
            return sample_groups(table, self.unit)
        return ComponentSample(table) if self.unit == "component" else PointSample(table)


def _check(name: str, value: object, choices: tuple[str, ...]) -> None:
    if not isinstance(value, str) or value not in choices:
        raise InputError(Mention(name, value), f" is unknown; choose {' or '.join(map(repr, choices))}")


def score_interval(
    table: Contingency,
    index: str | Index[...],
    *,
    level: float = 0.95,
    unit: Unit | GroupedPoints = "point",
    target: Target = "sample",
    method: Method = "jackknife",
    draws: int | None = None,
    seed: int | None = None,
) -> Interval:
    """The score of an index on a table, and an interval around it; `Evaluation.interval` says what the options mean.

    >>> from clustermark import crosstab
    >>> score_interval(crosstab([0] * 6 + [1] * 6, [0] * 5 + [1] + [0] * 2 + [1] * 4), "rand")
    95 % interval by the jackknife over 12 points
    index                    score  standard error
    rand   0.5909 [0.2885, 0.8373]           0.157
    note: close to chance: read the test
    """
    request = Request(level, unit, target, method, draws, seed)
    wanted = index_of(index)
    found = make_intervals(table, [wanted], request, leave_out=False)
    return found[wanted.label]


def make_intervals(
    table: Contingency, indices: Sequence[Index[...]], request: Request, *, leave_out: bool = True
) -> Intervals:
    """The intervals of indices; one that has none is left out with the reason, or is an error."""
    if not isinstance(table, Contingency):
        raise InputError("an interval is made of a table from crosstab(y_true, y_pred); labels go to evaluate")
    found, refused = dict[str, Interval](), dict[str, str]()
    maker = IntervalMaker(table, request)
    for index in indices:
        try:
            found[index.label] = maker.make(index)
        except UnsupportedTableError as error:
            if not leave_out:
                raise
            refused[index.label] = str(error)
    return Intervals(found, refused)


def make_all_intervals(table: Contingency, scores: Mapping[Index[...], float], request: Request) -> dict[str, Interval]:
    """The intervals of all indices that were scored; of one that has none, the reason in its place."""
    found = make_intervals(table, list(scores), request)
    return {
        index.label: found[index.label]
        if index.label in found
        else no_interval(index, score, found.refused[index.label].removeprefix(f"{index.name} "), request)
        for index, score in scores.items()
    }


class IntervalMaker:
    """Makes intervals of one table and one kind."""

    def __init__(self, table: Contingency, request: Request) -> None:
        self._table, self._request = table, request
        self.sample = request.sample(table)
        """The units of the table."""
        self._jackknife = Jackknife(self.sample, by_entry=request.method == "bootstrap")
        self.spreads: dict[str, Spread] = {}
        """What was found of each index on the way."""

    def make(self, index: Index[...]) -> Interval:
        """The interval of one index."""
        request, sample = self._request, self.sample
        check_index(index, sample.unit)
        if request.target == "population":
            check_target(index, sample.unit)
        if request.method == "bootstrap":
            check_bootstrap(index, sample.unit)
        score = index.of(self._table)
        notes: list[str] = []
        spread = self.spreads[index.label] = self._spread(index, score, notes)
        if reason := refusal(index, score, sample, spread):
            return self._interval(index, score, spread, None, [reason, *notes])
        return self._interval(index, score, spread, self._limits(index, score, spread, notes), notes)

    def _spread(self, index: Index[...], score: float, notes: list[str]) -> Spread:
        request = self._request
        if request.method != "half-sampling":
            try:
                return self._jackknife.of(index, score)
            except NoClosedFormError as reason:
                if request.method == "bootstrap":
                    raise UnsupportedTableError(f"{index.name} {reason}; use half-sampling") from None
                notes.append(f"by half-sampling, because {index.name} {reason}")
        draws, seed = request.draws or HALF_SAMPLES, request.seed or 0
        return half_sampling(self.sample, [index], [score], draws, seed)[0]

    def _limits(self, index: Index[...], score: float, spread: Spread, notes: list[str]) -> tuple[float, float]:
        request, bounds = self._request, index.bounds_on(self._table)
        notes += notes_of(self.sample, spread, request.target)
        if request.method == "bootstrap":
            return bootstrap(self.sample, index, score, spread, request.level, request.draws, request.seed or 0)
        if request.target == "sample":
            return limits(score, spread.standard_error, request.z, bounds)
        middle, reach = min(max(score - spread.bias, bounds[0]), bounds[1]), request.z * spread.standard_error
        return max(middle - reach, bounds[0]), min(middle + reach, bounds[1])

    def _interval(
        self,
        index: Index[...],
        score: float,
        spread: Spread,
        ends: tuple[float, float] | None,
        notes: Sequence[str],
    ) -> Interval:
        request = self._request
        low, high = ends or (None, None)
        defined = spread.standard_error != float("inf")
        drawn = request.method == "bootstrap" or spread.draws is not None
        return Interval(
            index.label,
            score,
            low,
            high,
            spread.standard_error if defined else None,
            spread.bias if defined else None,
            request.level,
            "bootstrap" if request.method == "bootstrap" else spread.method,
            self.sample.unit,
            spread.n_units,
            request.target,
            tuple(notes),
            (request.draws or spread.draws) if drawn else None,
            (request.seed or 0) if drawn else None,
        )
