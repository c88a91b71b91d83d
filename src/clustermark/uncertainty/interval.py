"""Intervals of scores: the request, the result, and the methods of an evaluation that return intervals."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, TypeAlias, get_args

from clustermark.errors import InputError, Mention, require_flag, require_share, require_whole
from clustermark.registry import Index, index_of, read_indices
from clustermark.registry.adjustment import AdjustedIndex
from clustermark.results.data import Column, Table
from clustermark.results.document import SUMMARY, Cell, Document, Grid, Head, Notes, Section
from clustermark.results.result import Result

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import numpy as np
    from numpy.typing import NDArray

    from clustermark.results.data import Columns
    from clustermark.results.document import Body, View
    from clustermark.tables.contingency import Contingency
    from clustermark.uncertainty.checked_intervals import CoverageCheck
    from clustermark.uncertainty.significance import ChanceTest

PointGroups: TypeAlias = Sequence[Any] | Mapping[Any, Any] | str
"""The group of each point, by position or by id; or the name of a column of them."""

Unit: TypeAlias = Literal["point", "component"]
Target: TypeAlias = Literal["sample", "population"]
Method: TypeAlias = Literal["jackknife", "half-sampling", "bootstrap"]


class GroupedPoints(NamedTuple):
    """Points, each with its cell of the table and its group."""

    rows: NDArray[np.int64]
    """The true cluster of each point, by its number in the table; LONE and ABSENT as in the table."""
    columns: NDArray[np.int64]
    groups: NDArray[np.int64]
    """The number of each point's group, from 0."""
    times: NDArray[np.int64]
    """Number of points that each element stands for."""


class CrossedPoints(NamedTuple):
    """Points with a group of each of two kinds, such as a document and an annotator."""

    first: GroupedPoints
    second: GroupedPoints
    columns: tuple[str, str] | None = None
    """The columns of the groups, if these were named."""

    @property
    def name(self) -> str:
        """Both kinds in words."""
        return " × ".join(self.columns or ("group", "group"))

    @property
    def names(self) -> tuple[str, str]:
        """The name of each kind, for messages."""
        return self.columns or ("unit[0]", "unit[1]")


def are_crossed(unit: object) -> bool:
    """Return whether a unit is two groupings: names of columns, or groups of points, and not the groups of points.

    >>> are_crossed(["document", "annotator"]), are_crossed([[0, 0, 1], [0, 1, 1]]), are_crossed([0, 0, 1])
    (True, True, False)
    """
    if not isinstance(unit, (list, tuple)) or not unit:
        return False
    several = [not isinstance(one, bytes) and hasattr(one, "__len__") and hasattr(one, "__getitem__") for one in unit]
    if len(unit) > 2 and all(several) and not any(isinstance(one, (str, tuple)) for one in unit):
        raise InputError(f"unit: there are {len(unit)} groupings; at most two are crossed")
    return len(unit) == 2 and all(several)


def unit_name(unit: Unit | GroupedPoints | CrossedPoints) -> str:
    """Return the unit in words."""
    if isinstance(unit, CrossedPoints):
        return unit.name
    return "group" if isinstance(unit, GroupedPoints) else unit


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
    "simultaneous": Column("flag", doc="whether the intervals of the result hold all at once at this level"),
    "critical_value": Column("number", optional=True, doc="the number of standard errors of simultaneous intervals"),
    "n_crossed": Column("count", optional=True, doc="of crossed units, the number of groups of the second kind"),
}


def _document(title: str, headline: str, intervals: Sequence[Interval], notes: Sequence[str]) -> Document:
    """Return the document of one or several intervals."""
    heads = [Head("index", "name"), Head("score", "score"), Head("standard error", "error", level="detail")]
    rows = [[one.index, Cell(one.score, one.low, one.high), one.standard_error] for one in intervals]

    def bodies() -> list[Body]:
        return [Grid(heads, rows, title), *([Notes([f"note: {note}" for note in notes])] if notes else [])]

    return Document(title, headline, [Section("intervals", title, bodies, level="summary")])


@dataclass(frozen=True, repr=False)
class Interval(Result):
    """The score of an index and the interval around it; `low` and `high` are None if there is no interval."""

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
    """Mean excess of the score over the score of all units of the population."""
    level: float
    method: str
    unit: str
    n_units: int
    target: str
    notes: tuple[str, ...] = ()
    """Why there is no interval, or remarks on the interval."""
    draws: int | None = None
    seed: int | None = None
    simultaneous: bool = False
    """Whether it holds at this level together with all others of the same result."""
    critical_value: float | None = None
    """Number of standard errors of simultaneous intervals; over few units Student's t adds to it."""
    n_crossed: int | None = None
    """Of crossed units, the number of groups of the second kind; `n_units` is that of the first."""

    @property
    def half_width(self) -> float | None:
        """Half the distance of the limits."""
        return None if self.low is None or self.high is None else (self.high - self.low) / 2

    @property
    def middle(self) -> float:
        """Center of the interval: the score, or the middle of the limits for the target "population"."""
        if self.target == "sample" or self.low is None or self.high is None:
            return self.score
        return (self.low + self.high) / 2

    @property
    def about(self) -> str:
        """The target in words; empty for samples of this size."""
        return f", for the population of all {self.unit}s" if self.target == "population" else ""

    @property
    def correction(self) -> str:
        """The score less its bias, in words, if the interval is about that; the score itself may lie outside."""
        if self.target == "sample" or self.low is None or self.bias is None:
            return ""
        return f"the score less its bias is {self.score - self.bias:.4g}"

    @property
    def signature(self) -> str:
        """The method and the options of the interval as a short text."""
        parts = [f"interval:{self.method}", self.unit, self.target, f"{self.level:g}"]
        parts += [f"draws={self.draws}", f"seed={self.seed}"] if self.draws is not None else []
        parts += ["simultaneous"] if self.simultaneous else []
        return ",".join(parts)

    def to_dict(self) -> dict[str, Any]:
        """Return all fields as plain values."""
        return asdict(self) | {"notes": list(self.notes)}

    def __str__(self) -> str:
        if self.low is None or self.high is None:
            return f"{self.score:.6g}, no interval"
        return f"{self.score:.6g} [{self.low:.6g}, {self.high:.6g}]"

    def _export_columns(self) -> dict[str, list[Any]]:
        return {name: ["; ".join(value) if name == "notes" else value] for name, value in self.to_dict().items()}

    def facts(self) -> dict[str, Any]:
        """Return no facts: the interval is a table."""
        return {}

    def tables(self) -> dict[str, Table]:
        """Return the interval as a table of one row."""
        return {"intervals": Table(INTERVAL, [self])}

    @property
    def together(self) -> str:
        """That it holds together with others, in words; empty if it does not."""
        if not self.simultaneous or self.critical_value is None:
            return ""
        return f", all at once (critical value {self.critical_value:.3g})"

    @property
    def units(self) -> str:
        """The number and the kind of the units, in words."""
        if self.n_crossed is not None:
            return f"{self.n_units:,} × {self.n_crossed:,} groups ({self.unit})"
        return f"{self.n_units:,} {self.unit}{'' if self.n_units == 1 else 's'}{self.about}"

    @property
    def how(self) -> str:
        """The method of the interval, in words."""
        several = "intervals" if self.simultaneous else "interval"
        how = f"{100 * self.level:.6g} % {several} by the {self.method} over {self.units}{self.together}"
        return how + (f"; {self.correction}" if self.correction else "")

    def document(self, view: View = SUMMARY) -> Document:  # noqa: ARG002
        """Return the document of text, notebook, Markdown, LaTeX and page."""
        return _document(f"Interval of {self.index}", self.how, [self], self.notes)


class Intervals(Result, Mapping[str, Interval]):
    """The intervals of several indices, by name; `refused` has the reason for each index without an interval."""

    KIND = "intervals"
    FACTS: ClassVar[Columns] = {"refused": Column("text", within=("map",), doc="indices without an interval, and why")}
    TABLES: ClassVar[dict[str, Columns]] = {"intervals": INTERVAL}
    MAIN = "intervals"

    def __init__(self, intervals: Mapping[str, Interval], refused: Mapping[str, str]) -> None:
        self._intervals = dict(intervals)
        self.refused = dict(refused)

    def __getitem__(self, name: str | Index[...] | AdjustedIndex) -> Interval:
        if isinstance(name, AdjustedIndex):
            name = name.label
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
        """Return the indices without an interval."""
        return {"refused": self.refused}

    def tables(self) -> dict[str, Table]:
        """Return the intervals, one row for each index."""
        return {"intervals": Table(INTERVAL, list(self._intervals.values()))}

    def document(self, view: View = SUMMARY) -> Document:  # noqa: ARG002
        """Return the document of text, notebook, Markdown, LaTeX and page."""
        intervals = list(self._intervals.values())
        head = intervals[0].how if intervals else "no interval"
        notes = [f"{one.index}: {note}" for one in intervals for note in one.notes]
        refused = [f"no interval: {name}: {reason}" for name, reason in self.refused.items()]
        return _document("Intervals", head, intervals, [*notes, *refused])


def no_interval(index: Index[...], score: float, reason: str, request: IntervalRequest) -> Interval:
    """Return the result for an index that has no interval."""
    made = request.level, request.method, unit_name(request.unit), 0, request.target
    return Interval(index.label, score, None, None, None, None, *made, (reason,))


class IntervalRequest:
    """The options of an interval, which are checked on creation."""

    def __init__(
        self,
        level: float = 0.95,
        unit: Unit | GroupedPoints | CrossedPoints | None = "point",
        target: Target = "sample",
        method: Method = "jackknife",
        draws: int | None = None,
        seed: int | None = None,
        simultaneous: bool = False,
    ) -> None:
        """Check the options; without a unit (None), the clusters decide, which is for comparisons."""
        self.simultaneous = require_flag("simultaneous", simultaneous)
        """Whether all intervals hold at once at the level."""
        require_share("level", level, 0.95)
        _check("target", target, get_args(Target))
        _check("method", method, get_args(Method))
        if unit is not None and not isinstance(unit, (GroupedPoints, CrossedPoints)):
            _check("unit", unit, get_args(Unit))
        self.unit: Unit | GroupedPoints | CrossedPoints = "point" if unit is None else unit
        self.unit_by_data = unit is None
        """Whether no unit was given."""
        self.level = level
        self.target: Target = target
        self.method: Method = method
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

    @cached_property
    def z(self) -> float:
        """The number of standard errors from the score to each limit."""
        from statistics import NormalDist

        return NormalDist().inv_cdf((1 + self.level) / 2)

    @property
    def settings(self) -> dict[str, Any]:
        """The requested options, as results record them."""
        asked: dict[str, Any] = {"level": self.level, "unit": unit_name(self.unit), "target": self.target}
        asked |= {"method": self.method} | ({"simultaneous": True} if self.simultaneous else {})
        return asked if self.method == "jackknife" else asked | {"draws": self.draws, "seed": self.seed or 0}


def _check(name: str, value: object, choices: tuple[str, ...]) -> None:
    if not isinstance(value, str) or value not in choices:
        raise InputError(Mention(name, value), f" is unknown; choose {' or '.join(map(repr, choices))}")


def _read_scored(indices: Any) -> list[Index[...] | AdjustedIndex]:
    """Return the indices of names, indices, and indices corrected for chance."""
    if isinstance(indices, AdjustedIndex):
        return [indices]
    several = isinstance(indices, Iterable) and not isinstance(indices, str)
    if not several or not any(isinstance(one, AdjustedIndex) for one in indices):
        return list(read_indices(indices))
    return [one if isinstance(one, AdjustedIndex) else index_of(one) for one in indices]


class IntervalMethods(ABC):
    """Mixin with intervals and tests, for a class that has a table and indices."""

    @property
    @abstractmethod
    def table(self) -> Contingency:
        """The table that was scored."""

    @property
    @abstractmethod
    def indices(self) -> tuple[Index[...], ...]:
        """The indices that were evaluated."""

    @abstractmethod
    def _units(self, unit: Any) -> Unit | GroupedPoints | CrossedPoints:
        """Return groups of points as numbers of the table; any other unit is returned unchanged."""

    def interval(
        self,
        index: str | Index[...] | AdjustedIndex,
        *,
        level: float = 0.95,
        unit: Unit | PointGroups | Sequence[PointGroups] = "point",
        target: Target = "sample",
        method: Method = "jackknife",
        draws: int | None = None,
        seed: int | None = None,
    ) -> Interval:
        """Return the score of an index, which need not be among those evaluated, with an interval around it.

        index: an index or its name; or one that is corrected for chance, such as `purity.adjust()`.
        level: the share of intervals made this way that contain the target.
        unit: the sampled unit. "point": points, where a new sample has the same clusters; "component": clusters, such
            as entities or documents, with all clusters that share points with them; or the group of each point, as a
            list or the name of a column: documents, patients, blocks; or two of these where both were sampled, such as
            ["document", "annotator"].
        target: "sample": the mean score of new samples of this size; "population": the score of all points of the
            population, for indices whose bias can be corrected.
        method: "jackknife": by leaving out one unit at a time, without random numbers; "half-sampling": by scoring
            random halves; "bootstrap": by drawing units with replacement, for pairs of points and for components.
        draws, seed: the number of random samples, and the seed of their random numbers, 0 by default.

        `low` and `high` are None if there is no interval; `notes` has the reason. Combinations that are never
        possible raise an error.

        >>> from clustermark import evaluate
        >>> evaluate([0] * 40 + [1] * 40, [0] * 34 + [1] * 43 + [0] * 3).interval("adjusted_rand")
        95 % interval by the jackknife over 80 points
        index                            score  standard error
        adjusted_rand  0.5955 [0.3301, 0.7737]           0.113
        """
        from clustermark.uncertainty.limits import score_interval

        options = {"level": level, "target": target, "method": method, "draws": draws, "seed": seed}
        return score_interval(self.table, index, unit=self._units(unit), **options)  # type: ignore[arg-type]

    def intervals(
        self,
        indices: Sequence[str | Index[...] | AdjustedIndex] | str | Index[...] | AdjustedIndex | None = None,
        **options: Any,
    ) -> Intervals:
        """Return the intervals of all indices that were evaluated, or of `indices`; options as in `interval`.

        simultaneous: True for intervals that hold all at once at the level: the quantile of the largest deviation of
            several scores takes the place of that of a single one. It follows from their correlations over random
            halves, so that indices that rise and fall together need little more than one of them.

        Indices that have no interval are in `refused`, with the reason.
        """
        from clustermark.uncertainty.limits import make_intervals

        chosen = self.indices if indices is None else _read_scored(indices)
        return make_intervals(self.table, chosen, self._request(options))

    def coverage_check(
        self,
        indices: Sequence[str | Index[...] | AdjustedIndex] | str | Index[...] | AdjustedIndex | None = None,
        *,
        level: float = 0.95,
        unit: Unit | PointGroups = "point",
        target: Target = "sample",
        method: Method = "jackknife",
        draws: int | None = None,
        seed: int = 0,
        progress: Callable[[float], None] | None = None,
    ) -> CoverageCheck:
        """Check on this table how often such intervals hold, before anybody relies on one.

        Samples are drawn from the table itself: points from its cells, and as many from its empty cells as its cells of
        one point suggest (Good and Turing); components, or groups, with replacement. Each gets the same interval. The
        result has the share of intervals that contain the target, which is known here: the mean score of these samples,
        or for the target "population" the score of the population that they are drawn from. Components and groups of a
        kind that the table lacks, such as a giant, do not occur in the samples.

        indices: the indices to check; by default those that were evaluated.
        level, unit, target, method: of the intervals, as in `interval`.
        draws: the number of samples, by default 200 to 1,000, such that the check takes seconds.
        seed: the seed of their random numbers.
        progress: a function that is called repeatedly with the share that is done.

        >>> from clustermark import evaluate
        >>> scores = evaluate([0] * 80 + [1] * 80, [0] * 68 + [1] * 86 + [0] * 6)
        >>> scores.coverage_check("b_cubed_f", draws=200)["b_cubed_f"].verdict
        'holds'
        """
        from clustermark.uncertainty.checked_intervals import check_coverage

        chosen = self.indices if indices is None else _read_scored(indices)
        request = IntervalRequest(level, self._units(unit), target, method)
        return check_coverage(self.table, chosen, request, draws, seed, progress)

    def _request(self, options: dict[str, Any]) -> IntervalRequest:
        known = ("level", "unit", "target", "method", "draws", "seed", "simultaneous")
        if any(name not in known for name in options):
            raise InputError(f"intervals: the options are {', '.join(known)}; got {', '.join(options)}")
        chosen: dict[str, Any] = options | {"unit": self._units(options.get("unit", "point"))}
        return IntervalRequest(**chosen)

    def test(self, index: str | Index[...], *, draws: int | None = None, seed: int = 0) -> ChanceTest:
        """Test whether the score of an index is better than chance, by labelings with the same cluster sizes.

        The hypothesis is that one labeling is a random permutation of itself. For given cluster sizes and seed, the
        test at 5 % rejects a true hypothesis in 3.5 to 6.5 % of cases, and an exact one in at most 5 %.

        draws: the number of random tables. By default all tables with these cluster sizes are enumerated if there are
            at most 100,000 (or two clusters on both sides); else 9,999 are drawn, and of large tables until 100 score
            at least as well. All indices of pairs have the same p-value, and so have those of information.
        seed: the seed of their random numbers.

        >>> from clustermark import evaluate
        >>> test = evaluate([0] * 6 + [1] * 6, [0] * 5 + [1] + [0] * 2 + [1] * 4).test("adjusted_rand")
        >>> round(test.p_value, 6), test.null_mean, test.method
        (0.242424, 0.0, 'enumeration of all 6 tables with the same cluster sizes')
        """
        from clustermark.uncertainty.significance import chance_test

        return chance_test(self.table, index, draws=draws, seed=seed)
