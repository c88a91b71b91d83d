# ruff: noqa: D102 - the fields are those of the statistics, which say what they are
"""The statistics of best and of matched clusters without one unit."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from clustermark import statistics as made
from clustermark.statistics.matching import QUOTIENTS
from clustermark.uncertainty.components import Components
from clustermark.uncertainty.matches import matched_entries
from clustermark.uncertainty.points import Points
from clustermark.uncertainty.units import NoClosedFormError
from clustermark.uncertainty.views import SizesView, View, both_sides

if TYPE_CHECKING:
    from clustermark.uncertainty.overlaps_left import OverlapsLeft
    from clustermark.uncertainty.units import Numbers


def _f(n: Numbers, a: Numbers, b: Numbers) -> Numbers:
    return 2 * n / (a + b)


class BestSumsView(View):
    """Sums of the best of each cluster's cells."""

    true_f, pred_f = both_sides(lambda units: units.sum_best(_f))
    true_sized_f, _ = both_sides(lambda units: units.sum_best(_f, sized=True))
    true_sized_jaccard, _ = both_sides(lambda units: units.sum_best(lambda n, a, b: n / (a + b - n), sized=True))
    true_of_larger, pred_of_larger = both_sides(lambda units: units.sum_best(lambda n, a, b: n / np.maximum(a, b)))


class BestMatchesView(View):
    """Means of the Jaccard-Concentration Index."""

    @cached_property
    def _overlaps(self) -> OverlapsLeft:
        units = self._units
        if not isinstance(units, Points):
            raise NoClosedFormError("weighs overlaps by the number of all true clusters")
        return units.overlaps()

    @property
    def mean_jaccard(self) -> Numbers:
        return self._overlaps.sums(lambda jaccard, _: jaccard) / self.n

    @property
    def mean_concentration(self) -> Numbers:
        return self._overlaps.sums(lambda _, spread: spread) / self.n

    @property
    def mean_score(self) -> Numbers:
        return self._overlaps.sums(lambda jaccard, spread: np.sqrt(jaccard * spread)) / self.n


class MatchedView(View):
    """A matching of a worth of its own; over components it is the matchings of all of them."""

    statistic: type[made.MatchedPoints] = made.MatchedPoints

    @cached_property
    def total(self) -> Numbers:
        units = self._units
        if isinstance(units, Components):
            return _matched_in_components(units, self.statistic)
        if isinstance(units, Points) and self.statistic is made.MatchedPoints:
            return units.matched_points()
        raise NoClosedFormError("matches clusters anew for every table")

    def beyond(self, part: Any, whole: Any = 1) -> Any:
        """The total less part / whole."""
        return self.total - part / whole


def _matched_in_components(units: Components, statistic: Any) -> Numbers:
    cells = units.entries
    chosen = matched_entries(cells, statistic.of(units.table)) | (cells.true.alone & cells.pred.alone)
    quotient = QUOTIENTS[statistic.worth]
    values = cells.n
    if quotient is not None:
        parts, wholes = quotient(*cells.values)
        values = parts / wholes
    total = units.sum_matched(chosen, values)
    whole = np.rint(total)  # clusters that are alike add up to whole numbers, which rounding must not hide
    return np.where(np.abs(total - whole) <= 1e-12 * np.maximum(whole, 1), whole, total)


def view_of_matching(kind: Any) -> type[MatchedView]:
    """The view of the matching by another worth."""
    return type(f"_{kind.__name__}", (MatchedView,), {"statistic": kind})


class CorefScoresView(View):
    """The three F-measures that the CoNLL score averages."""

    @property
    def muc(self) -> Numbers:
        links = 2 * self.n - self.k_true - self.k_pred
        return np.where(links > 0, 2 * (self.n - self._units.cells) / np.maximum(links, 1), 1.0)

    @property
    def b_cubed(self) -> Numbers:
        sizes = SizesView(self._units)
        return 2 * sizes.precision * sizes.recall / (self.n * (sizes.precision + sizes.recall))

    @property
    def ceaf_e(self) -> Numbers:
        matched = view_of_matching(made.MatchedEntities)(self._units)
        return 2 * matched.total / (self.k_true + self.k_pred)
