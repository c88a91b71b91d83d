"""Intervals over crossed units: points that have a group of each of two kinds, such as a document and an annotator.

Points of one document vary together, and so do those of one annotator. The variances of the score over documents and
over annotators are added, and that over their cells, which both contain, is subtracted (Cameron, Gelbach and Miller
2011; Owen 2007). Each of the three is that of the jackknife over these groups.
"""

from __future__ import annotations

from math import inf, sqrt
from typing import TYPE_CHECKING

import numpy as np

from clustermark.errors import InputError, Mention, UnsupportedTableError
from clustermark.registry.adjustment import AdjustedIndex
from clustermark.uncertainty.interval import Interval, IntervalRequest
from clustermark.uncertainty.limits import IntervalMaker, degrees_of, limits, reach
from clustermark.uncertainty.refusals import check_target, notes_of, refusal
from clustermark.uncertainty.spread import Spread

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clustermark.registry import Index
    from clustermark.tables.contingency import Contingency
    from clustermark.uncertainty.interval import CrossedPoints, GroupedPoints

FEWEST_CROSSED = 5
"""Minimum number of groups of each kind; the degrees of freedom are those of the kind with fewer."""
_JACKKNIFE_ALONE = "have single intervals by the jackknife; leave it out, or choose one grouping"


class CrossedMaker:
    """Makes intervals of one table over units of two kinds."""

    def __init__(self, table: Contingency, request: IntervalRequest, points: CrossedPoints) -> None:
        """Prepare the sums over the groups of each kind, and over their cells."""
        if request.method != "jackknife":
            raise InputError(Mention("method", request.method), f": crossed units {_JACKKNIFE_ALONE}")
        if request.simultaneous:
            raise InputError(Mention("simultaneous", True), f": crossed units {_JACKKNIFE_ALONE}")
        self._table, self._request, self._points = table, request, points
        cells = _join(points)
        _refuse_nested(points, len(np.unique(cells.groups)))
        self._sides = [self._maker(one) for one in (points.first, points.second)]
        self._cells = self._maker(cells)

    def _maker(self, points: GroupedPoints) -> IntervalMaker:
        return IntervalMaker(self._table, IntervalRequest(self._request.level, points))

    def make(self, index: Index[...] | AdjustedIndex, score: float | None = None) -> Interval:
        """Return the interval of one index, whose score on the table may be known."""
        if isinstance(index, AdjustedIndex):
            raise UnsupportedTableError(f"{index.label} has no interval over crossed units; choose one grouping")
        if self._request.target == "population":
            check_target(index, "unit")
        score = index.of(self._table) if score is None else score
        sides, notes = [_spread(maker, index, score) for maker in self._sides], list[str]()
        both = _spread(self._cells, index, score)
        if reason := self._refusal(index, score, sides):
            return self._interval(index, score, sides, (None, None, None, None), [reason])
        error, bias = self._error(sides, both, notes)
        degrees = [degrees_of(one.left_out) for one in sides if one.left_out is not None]
        ends = limits(score, error, reach(self._request.level, min(degrees, default=inf)), index.bounds_on(self._table))
        if methods := {one.method for one in (*sides, both)} - {"jackknife"}:
            notes.append(f"in part by {methods.pop()}, because there are too many groups for the jackknife")
        notes += notes_of(self._cells.sample, Spread(error, bias, "jackknife", both.n_units), "sample")
        return self._interval(index, score, sides, (*ends, error, bias), notes)

    def _error(self, sides: Sequence[Spread], both: Spread, notes: list[str]) -> tuple[float, float]:
        """Return the standard error and the bias.

        The difference can fall below the variance over one kind by chance, where the other kind has no effect. The
        true one is never below it, so the larger of them is the least.
        """
        first, second = (one.standard_error**2 for one in sides)
        variance, least = first + second - both.standard_error**2, max(first, second)
        if variance < least:
            without, kept = self._points.names if first < second else reversed(self._points.names)
            notes.append(f"no variation by {without} beyond that of single cells: the standard error is that by {kept}")
        return sqrt(max(variance, least)), sides[0].bias + sides[1].bias - both.bias

    def _refusal(self, index: Index[...], score: float, sides: Sequence[Spread]) -> str:
        """Return why a score has no interval; empty if it has one."""
        varies = any(one.standard_error > 0 for one in sides)
        for name, maker, one in zip(self._points.names, self._sides, sides, strict=True):
            reason = refusal(index, score, maker.sample, one, "sample", fewest=FEWEST_CROSSED)
            if reason and (one.standard_error > 0 or not varies or one.n_units < FEWEST_CROSSED):
                return f"by {name}: {reason}"
        return ""

    def _interval(
        self,
        index: Index[...],
        score: float,
        sides: Sequence[Spread],
        found: tuple[float | None, float | None, float | None, float | None],
        notes: Sequence[str],
    ) -> Interval:
        low, high, error, bias = found
        return Interval(
            index.label,
            score,
            low,
            high,
            error,
            bias,
            self._request.level,
            "jackknife",
            self._points.name,
            sides[0].n_units,
            self._request.target,
            tuple(notes),
            n_crossed=sides[1].n_units,
        )


def _spread(maker: IntervalMaker, index: Index[...], score: float) -> Spread:
    maker.make(index, score)
    return maker.spreads[index.label]


def _join(points: CrossedPoints) -> GroupedPoints:
    """Return the points by the cells of both groupings."""
    first, second = points.first.groups, points.second.groups
    return points.first._replace(groups=first * (int(second.max(initial=0)) + 1) + second)


def _refuse_nested(points: CrossedPoints, n_cells: int) -> None:
    """Refuse groupings of which one divides the groups of the other: the coarser one alone has all their variance."""
    counts = [len(np.unique(one.groups)) for one in (points.first, points.second)]
    if n_cells > max(counts):
        return
    fine, coarse = points.names if counts[0] >= counts[1] else reversed(points.names)
    if counts[0] == counts[1]:
        raise InputError(f"unit: {fine} and {coarse} have the same groups of points; choose one of them")
    raise InputError(
        f"unit: each group of {fine} lies in one group of {coarse}, so they are not crossed; choose {coarse} alone"
    )
