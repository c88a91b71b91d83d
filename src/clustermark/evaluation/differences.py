"""Differences of scores between two predictions, with intervals, tests, and the differences that such data can show."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, sqrt
from typing import TYPE_CHECKING, Any, ClassVar, overload

from clustermark.results.data import Column, Table
from clustermark.results.document import Cell, Grid, Head, Name
from clustermark.results.rows import Rows
from clustermark.uncertainty.limits import FEW_GROUPS, FEWEST_GROUPS

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Self

    from clustermark.registry import Index
    from clustermark.results.data import Columns
    from clustermark.results.document import Prose


POWER = 0.8
"""What can be shown is shown with this probability."""


@dataclass(frozen=True)
class Difference:
    """The score of the first method less that of the second; what cannot be had is None, and `notes` says why."""

    first: str
    second: str
    difference: float
    standard_error: float | None
    low: float | None
    high: float | None
    p_value: float | None
    """How often chance alone gives a difference as large, by two-sided test."""
    p_holm: float | None
    """The same, adjusted for the number of pairs that were tested (Holm)."""
    detectable: float | None
    """A true difference of this size is shown by data like these in 80 of 100 cases, all pairs being tested (Holm).

    None where no two scores can differ so much: these data can show nothing.
    """
    method: str
    n_units: int
    notes: tuple[str, ...] = ()
    draws: int | None = None
    """How many random ways to swap groups, or halves of them, were drawn; None where nothing was."""
    seed: int | None = None
    p_margin: float | None = None
    """With a margin: how often chance alone gives this, if the second were worse than the first by the margin."""
    non_inferior: bool | None = None
    """With a margin: whether the second is shown to be worse by less than the margin, if at all."""


DIFFERENCE: Columns = {
    "first": Column("name"),
    "second": Column("name"),
    "difference": Column("error", doc="the score of the first less that of the second"),
    "standard_error": Column("error", optional=True),
    "low": Column("error", optional=True),
    "high": Column("error", optional=True),
    "p_value": Column("p", optional=True),
    "p_holm": Column("p", optional=True, doc="adjusted for the number of pairs of methods"),
    "detectable": Column("error", optional=True, doc="the difference that such data show with 80 % power"),
    "method": Column("name", choices=("jackknife", "half-sampling", "swapping")),
    "n_units": Column("count"),
    "notes": Column("texts"),
    "draws": Column("count", optional=True, doc="random samples, where any were drawn"),
    "seed": Column("count", optional=True),
}
_MARGIN: Columns = {
    "p_margin": Column("p", optional=True, sometimes=True, doc="with a margin only"),
    "non_inferior": Column("flag", optional=True, sometimes=True, doc="with a margin only"),
}


class Differences(Rows[Difference]):
    """The differences of each two methods by one index, the better one first."""

    KIND = "differences"
    COLUMNS: ClassVar[Columns] = {**DIFFERENCE, **_MARGIN}
    TITLE = "Differences"
    FACTS: ClassVar[Columns] = {
        "index": Column("name"),
        "level": Column("share", doc="the level of the intervals"),
        "margin": Column("number", optional=True, doc="what is worse by less is no worse in practice"),
    }

    def __init__(self, index: Index[...], rows: Sequence[Difference], level: float, margin: float | None) -> None:
        super().__init__(rows)
        self.by, self.level, self.margin = index, level, margin

    @overload
    def __getitem__(self, place: int | tuple[str, str]) -> Difference: ...
    @overload
    def __getitem__(self, place: slice) -> Self: ...
    def __getitem__(self, place: Any) -> Any:
        """The row at this place, or that of two methods in the order in which it has them."""
        if isinstance(place, tuple):
            for row in self:
                if (row.first, row.second) == place:
                    return row
            raise KeyError(f"there is no row {place!r}; the better method comes first")
        return super().__getitem__(place)

    def facts(self) -> dict[str, Any]:
        """The index, the level and the margin."""
        return {"index": self.by.label, "level": self.level, "margin": self.margin}

    def tables(self) -> dict[str, Table]:
        """The rows; the columns of a margin only with a margin."""
        return {"rows": Table(DIFFERENCE if self.margin is None else self.COLUMNS, self)}

    @property
    def headline(self) -> str:
        """What the methods differ in."""
        return f"differences of {self.by.label}, {100 * self.level:g} % intervals"

    def grid(self) -> Grid:
        """Each two methods, with the interval beside the difference."""
        heads = [Head("first", "name"), Head("second", "name"), Head("difference", "error")]
        heads += [Head("p", "p", level="detail"), Head("p (Holm)", "p"), Head("detectable", "error", level="detail")]
        heads += [] if self.margin is None else [Head(f"worse by less than {self.margin:g}")]
        rows = []
        for row in self:
            cells: list[Any] = [row.first, row.second, Cell(row.difference, row.low, row.high)]
            cells += [row.p_value, row.p_holm, row.detectable]
            if self.margin is not None:
                cells.append("–" if row.non_inferior is None else "yes" if row.non_inferior else "not shown")
            rows.append(cells)
        return Grid(heads, rows, self.TITLE, "There is one method only.")

    def remarks(self) -> list[Prose]:
        """The notes on pairs of methods."""
        return [[Name(row.first), " and ", Name(row.second), f": {note}"] for row in self for note in row.notes]


@dataclass(frozen=True)
class DifferenceSpread:
    """How a difference varies: by the units that were sampled, and by the seeds of runs."""

    variance: float | None
    degrees: float
    """Degrees of freedom; infinite for points and swapped groups where no seeds come in."""

    def quantile(self, p: float) -> float:
        """So many standard errors have this probability below them."""
        from scipy.special import ndtri, stdtrit

        return float(ndtri(p) if self.degrees == inf else stdtrit(self.degrees, p))

    def detectable(self, level: float, tests: int) -> float:
        """The true difference that is shown with `POWER`, as one of so many tests."""
        return (self.quantile(1 - (1 - level) / 2 / tests) + self.quantile(POWER)) * sqrt(self.variance or 0.0)

    def below(self, x: float) -> float:
        """The probability of less than x standard errors."""
        from scipy.special import ndtr, stdtr

        return float(ndtr(x) if self.degrees == inf else stdtr(self.degrees, x))


def combine(variance: float, seeds: Sequence[tuple[float, int]], degrees: float = inf) -> DifferenceSpread:
    """The spread of scores that vary with units and with seeds: (standard deviation over runs, runs) of each mean.

    degrees: those of the variance over units, finite where units are so few that it is itself unsure.
    """
    parts = [(sd * sd / runs, runs - 1.0) for sd, runs in seeds if runs > 1] + [(variance, degrees)]
    total = sum(part for part, _ in parts)
    below = sum(part * part / own for part, own in parts)
    return DifferenceSpread(total, total * total / below if below > 0 else inf)


def judge(
    pair: tuple[str, str],
    difference: float,
    spread: DifferenceSpread,
    *,
    level: float,
    worse: float | None,
    most: float,
    unit: tuple[str, int],
    p_value: float | None = None,
    notes: tuple[str, ...] = (),
    method: str = "jackknife",
    drawn: tuple[int | None, int | None] = (None, None),
) -> Difference:
    """The row of a difference before other tests are looked at.

    worse: by how much the first may be better with the second still called no worse; negative where lower is better.
    most: how much two scores can differ at all, which no limit of the interval passes.
    unit: what was sampled and how many of them. p_value: where it does not follow from the spread.
    drawn: how many random samples, and the seed of their random numbers.
    """
    first, second = pair
    unit_name, n_units = unit
    if spread.variance is None:
        return Difference(first, second, difference, None, None, None, None, None, None, method, n_units, notes, *drawn)
    error = sqrt(spread.variance)
    if error == 0:
        reason = "no difference at any point" if difference == 0 else "the difference is the same without any unit"
        p = 1.0 if difference == 0 else None
        return Difference(
            first, second, difference, error, None, None, p, None, None, method, n_units, (*notes, reason), *drawn
        )
    reach = spread.quantile((1 + level) / 2)
    few = unit_name != "point" and n_units < FEWEST_GROUPS
    if few:
        notes = (
            *notes,
            f"only {n_units} independent groups: no interval{'' if p_value is not None else ' and no test'}",
        )
    elif unit_name != "point" and p_value is None and n_units < FEW_GROUPS:
        notes = (*notes, f"only {n_units} independent groups: the test may be too bold")
    p = p_value
    if p is None and not few:
        p = 2 * spread.below(-abs(difference) / error)
    if p is not None and not few and (abs(difference) > reach * error) != (p < 1 - level):
        notes = (*notes, f"the interval is by the jackknife and p by {method}, which disagree here; p is the safer one")
    p_margin = None
    if worse is not None and not few:
        p_margin = spread.below((difference - worse) / error * (1 if worse >= 0 else -1))
    return Difference(
        first,
        second,
        difference,
        error,
        None if few else max(difference - reach * error, -most),
        None if few else min(difference + reach * error, most),
        p,
        None,
        None,
        method,
        n_units,
        notes,
        *drawn,
        p_margin,
        None if p_margin is None else p_margin < (1 - level) / 2,
    )
