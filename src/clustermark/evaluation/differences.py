"""Differences of scores between two predictions, with intervals, tests and detectable differences."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, sqrt
from typing import TYPE_CHECKING, Any, ClassVar, overload

from clustermark.results.data import Column, Table
from clustermark.results.document import Cell, Grid, Head, Name
from clustermark.results.rows import Rows
from clustermark.uncertainty.refusals import FEW_GROUPS, FEWEST_GROUPS

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Self

    from clustermark.registry import Index
    from clustermark.results.data import Columns
    from clustermark.results.document import Prose


POWER = 0.8
"""Probability with which a detectable difference is shown."""


@dataclass(frozen=True)
class Difference:
    """The score of the first method minus that of the second; unavailable values are None, explained in `notes`."""

    first: str
    second: str
    difference: float
    standard_error: float | None
    low: float | None
    high: float | None
    p_value: float | None
    """Two-sided p-value of the difference."""
    p_holm: float | None
    """P-value adjusted for the number of pairs tested (Holm)."""
    detectable: float | None
    """True difference that such data show in 80 of 100 cases if all pairs are tested (Holm).

    A method that is worse by this also varies more, which is accounted for as if the more points that it misplaces had
    the same effect as those on which the two differ here.

    None if it exceeds the largest possible difference of two scores: then such data can show no difference.
    """
    method: str
    n_units: int
    notes: tuple[str, ...] = ()
    draws: int | None = None
    """Number of random swaps or halves drawn; None if nothing was drawn."""
    seed: int | None = None
    p_margin: float | None = None
    """With a margin: p-value of the hypothesis that the second is worse than the first by the margin."""
    non_inferior: bool | None = None
    """With a margin: whether the second is shown to be worse by less than the margin, or not worse."""
    design_effect: float | None = None
    """The variance over components or groups, divided by that over points; None where one of them is not known."""


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
    "design_effect": Column("number", optional=True, doc="the variance over components or groups by that over points"),
}
_MARGIN: Columns = {
    "p_margin": Column("p", optional=True, sometimes=True, doc="with a margin only"),
    "non_inferior": Column("flag", optional=True, sometimes=True, doc="with a margin only"),
}


class Differences(Rows[Difference]):
    """The differences of each pair of methods by one index, the better method first."""

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
        """Return the row at a position, or the row of a pair of methods, the better one first."""
        if isinstance(place, tuple):
            for row in self:
                if (row.first, row.second) == place:
                    return row
            raise KeyError(f"there is no row {place!r}; the better method comes first")
        return super().__getitem__(place)

    def facts(self) -> dict[str, Any]:
        """Return the index, the level and the margin."""
        return {"index": self.by.label, "level": self.level, "margin": self.margin}

    def tables(self) -> dict[str, Table]:
        """Return the rows; the columns on a margin only with a margin."""
        return {"rows": Table(DIFFERENCE if self.margin is None else self.COLUMNS, self)}

    @property
    def headline(self) -> str:
        """Index of the differences, and the level of the intervals."""
        return f"differences of {self.by.label}, {100 * self.level:g} % intervals"

    def grid(self) -> Grid:
        """Return each pair of methods, with the interval beside the difference."""
        heads = [Head("first", "name"), Head("second", "name"), Head("difference", "error")]
        heads += [Head("p", "p", level="detail"), Head("p (Holm)", "p"), Head("detectable", "error", level="detail")]
        effects = any(row.design_effect is not None for row in self)
        heads += [Head("design effect", "score", level="detail")] if effects else []
        heads += [] if self.margin is None else [Head(f"worse by less than {self.margin:g}")]
        rows = []
        for row in self:
            cells: list[Any] = [row.first, row.second, Cell(row.difference, row.low, row.high)]
            cells += [row.p_value, row.p_holm, row.detectable, *([row.design_effect] if effects else [])]
            if self.margin is not None:
                cells.append("–" if row.non_inferior is None else "yes" if row.non_inferior else "not shown")
            rows.append(cells)
        return Grid(heads, rows, self.TITLE, "There is one method only.")

    def remarks(self) -> list[Prose]:
        """Return the notes on pairs of methods."""
        return [[Name(row.first), " and ", Name(row.second), f": {note}"] for row in self for note in row.notes]


@dataclass(frozen=True)
class DifferenceSpread:
    """The variance of a difference over the units sampled and over the seeds of runs."""

    variance: float | None
    degrees: float
    """Degrees of freedom; infinite for points with one run per method."""
    growth: float = 0.0
    """The variance grows by this for each unit by which the difference grows."""

    def quantile(self, p: float) -> float:
        """Return the quantile of the probability `p`, in standard errors."""
        from scipy.special import ndtri, stdtrit

        return float(ndtri(p) if self.degrees == inf else stdtrit(self.degrees, p))

    def variance_at(self, more: float) -> float:
        """Return the variance if the difference were larger by this, or smaller: then it is no smaller."""
        return (self.variance or 0.0) + max(more, 0.0) * self.growth

    def detectable(self, level: float, tests: int, difference: float = 0.0) -> float:
        """Return the true difference that one of this many tests shows with probability `POWER`.

        The variance is that at this true difference, which exceeds the variance at the observed one if it is larger.
        """
        z = self.quantile(1 - (1 - level) / 2 / tests) + self.quantile(POWER)
        found = z * sqrt(self.variance or 0.0)
        if found <= abs(difference):
            return found
        # D² = z² (V + (D - d) g), for the observed difference d and the growth g
        half = z * z * self.growth / 2
        return half + sqrt(max(half * half + z * z * ((self.variance or 0.0) - abs(difference) * self.growth), 0.0))

    def below(self, x: float) -> float:
        """Return the probability of less than x standard errors."""
        from scipy.special import ndtr, stdtr

        return float(ndtr(x) if self.degrees == inf else stdtr(self.degrees, x))


def combine(variance: float, seeds: Sequence[tuple[float, int]], degrees: float = inf) -> DifferenceSpread:
    """Combine the variance over units with that over seeds.

    seeds: (standard deviation over runs, number of runs) of each mean.
    degrees: degrees of freedom of the variance over units, finite if it is estimated from few units.
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
    """Make the row of a difference, not yet adjusted for other tests.

    worse: the margin by which the second may be worse and still count as no worse; negative if lower is better.
    most: the largest possible difference of two scores, which clips the interval.
    unit: the kind and the number of units sampled. p_value: given if it does not follow from the spread.
    drawn: the number of random samples, and the seed of their random numbers.
    """
    first, second = pair
    unit_name, n_units = unit
    if spread.variance is None:
        return Difference(first, second, difference, None, None, None, None, None, None, method, n_units, notes, *drawn)
    error = sqrt(spread.variance)
    if error == 0:
        reason = "no difference at any point" if difference == 0 else "no single unit changes the difference"
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
        notes = (*notes, f"only {n_units} independent groups: p may be too small")
    p = p_value
    if p is None and not few:
        p = 2 * spread.below(-abs(difference) / error)
    if p is not None and not few and (abs(difference) > reach * error) != (p < 1 - level):
        notes = (*notes, f"the interval is by the jackknife and p by {method}, which disagree here; p is the safer one")
    p_margin = None
    if worse is not None and not few:
        short = (worse - difference) * (1 if worse >= 0 else -1)  # of the margin
        p_margin = spread.below(-short / sqrt(spread.variance_at(short)))
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
