"""Differences of scores between two predictions, with intervals, tests and detectable differences."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf, sqrt
from typing import TYPE_CHECKING, Any, ClassVar, Literal, overload

from clustermark.errors import InputError, Mention, require_positive
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
_MOST_SURE = 1 - 2.0**-53
"""The largest probability below 1."""


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
    design_effect: float | None = None
    """The variance over components or groups, divided by that over points; None where one of them is not known."""
    p_better: float | None = None
    """Probability that the first is better, if nothing was known of the difference before (a flat prior)."""
    p_loss: float | None = None
    """With a margin: probability that the first is worse than the second by more than the margin."""
    p_margin: float | None = None
    """With a margin: p-value of the hypothesis that the second is worse than the first by the margin."""
    non_inferior: bool | None = None
    """With a margin: whether the second is shown to be worse by less than the margin, or not worse."""
    p_equivalent: float | None = None
    """With a margin: the larger p-value of the two hypotheses that one of the two is worse by the margin."""
    equivalent: bool | None = None
    """With a margin: whether the two are shown to differ by less than the margin, whichever is better."""
    p_superior: float | None = None
    """With a margin: p-value of the hypothesis that the first is better by no more than the margin."""
    superior: bool | None = None
    """With a margin: whether the first is shown to be better by more than the margin."""

    @property
    def at_margin(self) -> str:
        """With a margin: the strongest of these statements that is shown, in words."""
        if self.superior:
            return "first better by more"
        return "equivalent" if self.equivalent else "second not worse" if self.non_inferior else "not shown"

    def reverse(self, level: float) -> Difference:
        """Return the same of the second less the first, with tests at this level of intervals."""
        p_superior = None if self.p_loss is None else 1 - self.p_loss
        return replace(
            self,
            first=self.second,
            second=self.first,
            difference=0.0 - self.difference,
            low=None if self.high is None else 0.0 - self.high,
            high=None if self.low is None else 0.0 - self.low,
            p_better=None if self.p_better is None else 1 - self.p_better,
            p_loss=self.p_margin,
            p_margin=self.p_loss,
            non_inferior=_rejects(self.p_loss, level),
            p_superior=p_superior,
            superior=_rejects(p_superior, level),
        )


def _rejects(p: float | None, level: float) -> bool | None:
    """Return whether a one-sided test rejects at half of what an interval of this level leaves out."""
    return None if p is None else p < (1 - level) / 2


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
    "p_better": Column("share", optional=True, doc="the probability that the first is better"),
}


def on_margin(kind: Literal["share", "p", "flag"], doc: str) -> Column:
    """Return a column that exists with a margin only."""
    return Column(kind, optional=True, sometimes=True, doc=f"{doc}; with a margin only")


MARGIN: Columns = {
    "p_loss": on_margin("share", "the probability that the first is worse by more than the margin"),
    "p_margin": on_margin("p", "p-value that the second is worse by the margin"),
    "non_inferior": on_margin("flag", "whether the second is shown to be worse by less than the margin"),
    "p_equivalent": on_margin("p", "the larger p-value that one of the two is worse by the margin"),
    "equivalent": on_margin("flag", "whether the two are shown to differ by less than the margin"),
    "p_superior": on_margin("p", "p-value that the first is better by no more than the margin"),
    "superior": on_margin("flag", "whether the first is shown to be better by more than the margin"),
}


def check_margin(margin: float, bounds: tuple[float, float] = (-inf, inf)) -> None:
    """Refuse a margin that is not above 0, or is 1 or more for an index of at most 1: then it is meant in points.

    >>> check_margin(0.01, (0.0, 1.0))
    """
    require_positive("margin", margin, 0.01)
    if margin >= 1 and bounds[1] == 1:
        meant = f"; did you mean {margin / 100:g}?" if margin < 100 else ", such as 0.01"
        raise InputError(Mention("margin", margin), f" must be less than 1, which is 100 points{meant}")


class Differences(Rows[Difference]):
    """The differences of each pair of methods by one index, the better method first."""

    KIND = "differences"
    COLUMNS: ClassVar[Columns] = {**DIFFERENCE, **MARGIN}
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
        heads.append(Head("P(better)", "share", long="probability that the first is better", level="detail"))
        if self.margin is not None:
            loss = f"probability that the first is worse by more than {self.margin:g}"
            heads += [Head(f"P(loss > {self.margin:g})", "share", long=loss), Head(f"margin {self.margin:g}")]
        rows = []
        for row in self:
            cells: list[Any] = [row.first, row.second, Cell(row.difference, row.low, row.high)]
            cells += [row.p_value, row.p_holm, row.detectable, *([row.design_effect] if effects else []), row.p_better]
            if self.margin is not None:
                cells += [row.p_loss, "–" if row.non_inferior is None else row.at_margin]
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

    def under(self, edge: float, difference: float) -> float:
        """Return the probability that the true difference is below an edge, if this one was observed.

        It is the p-value of a true difference of at least the edge, with the variance there; and, if nothing was known
        of the difference before (a flat prior), the posterior probability.
        """
        away = (edge - difference) / sqrt(self.variance_at(abs(edge) - abs(difference)))
        return min(self.below(away), _MOST_SURE)

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
    sign: int,
    margin: float | None,
    most: float,
    unit: tuple[str, int],
    p_value: float | None = None,
    notes: tuple[str, ...] = (),
    method: str = "jackknife",
    drawn: tuple[int | None, int | None] = (None, None),
) -> Difference:
    """Make the row of a difference, not yet adjusted for other tests.

    sign: 1 if higher is better, else -1. margin: a difference that has no practical importance, or None.
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
    row = Difference(
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
    )
    return row if few else replace(row, **_chances(spread, sign * difference, margin, level))


def _chances(spread: DifferenceSpread, gain: float, margin: float | None, level: float) -> dict[str, Any]:
    """Return the probability that the first is better, and the tests of a margin.

    gain: by how much the first scored better.
    """
    better = {"p_better": spread.under(0.0, -gain)}
    if margin is None:
        return better
    p_margin, p_loss = spread.under(-margin, -gain), spread.under(-margin, gain)
    tested = {"margin": p_margin, "equivalent": max(p_margin, p_loss), "superior": spread.under(margin, gain)}
    rejected = {name: _rejects(p, level) for name, p in tested.items()}
    return {
        **better,
        "p_loss": p_loss,
        **{f"p_{name}": p for name, p in tested.items()},
        "non_inferior": rejected["margin"],
        "equivalent": rejected["equivalent"],
        "superior": rejected["superior"],
    }
