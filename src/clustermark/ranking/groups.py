"""Differences over groups of points, such as documents or patients: each is left out of both predictions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from clustermark.ranking.cells import cluster_numbers
from clustermark.ranking.components import SWAPPED_BELOW, swap
from clustermark.ranking.contrasts import Contrast
from clustermark.uncertainty.refusals import FEW_GROUPS, FEWEST_GROUPS
from clustermark.uncertainty.samples import ComponentSample, GroupedPoints
from clustermark.uncertainty.spread import moments

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from clustermark.ranking.contrasts import Places
    from clustermark.ranking.entrants import Entrants
    from clustermark.ranking.runs import Run
    from clustermark.registry import Index


def group_points(entrants: Entrants, run: Run) -> GroupedPoints:
    """The points of a run's table with their groups."""
    rows, columns = (
        cluster_numbers(run.table, labeling, is_truth=is_truth)[labeling.codes].astype(np.int64)
        for labeling, is_truth in ((entrants.truth, True), (run.labeling, False))
    )
    assert entrants.groups is not None  # whoever asks for groups of points has them
    times = np.ones(len(rows), np.int64) if entrants.counts is None else entrants.counts
    return GroupedPoints(rows, columns, entrants.groups, times)


class GroupUnits:
    """Groups of points; the scores without one of them were found with the intervals of the runs."""

    name = "group"

    def __init__(self, runs: Sequence[Run]) -> None:
        self._runs = runs

    def contrast(self, index: Index[...], first: Places, second: Places) -> Contrast:
        """How the difference of two mean scores varies; few groups of whole clusters are swapped for a p-value."""
        n, reason = self._known(index, first + second)
        if reason:
            return Contrast(None, n, "jackknife", (reason,))
        variance = self._variance(index, first, second)
        whole = [sample for place in first + second if isinstance(sample := self._runs[place].sample, ComponentSample)]
        if n < SWAPPED_BELOW and len(first) == len(second) == 1 and len(whole) == 2:
            one, other = whole
            return Contrast(variance, n, "swapping", (), swap(one, other, index))
        notes = (f"only {n} independent groups: the test may be too bold",) if FEWEST_GROUPS <= n < FEW_GROUPS else ()
        return Contrast(variance, n, "jackknife", notes)

    def mean_variance(self, index: Index[...], places: Places) -> float | None:
        """The variance of a mean over runs, by groups alone."""
        return None if self._known(index, places)[1] else self._variance(index, places, ())

    def _known(self, index: Index[...], places: Places) -> tuple[int, str]:
        """How many groups there are, and why nothing can be said of these runs, if so."""
        n = 0
        for run in (self._runs[place] for place in places):
            if index.label in run.refused:
                return n, run.refused[index.label]
            spread = run.spreads[index.label]
            n = spread.n_units
            if run.sample is not None and run.sample.largest_share > 0.5:
                return n, "one group joins most of the data; give unit= other groups"
            if spread.left_out is None:
                return n, f"{index.name} has no closed form without one group, and the groups are too many for another"
            if spread.standard_error == np.inf:
                return n, "not defined when one group is removed"
        return n, ""

    def _variance(self, index: Index[...], first: Places, second: Places) -> float:
        differences: Any = 0.0
        score = 0.0
        for place in first + second:
            weight = 1 / len(first) if place in first else -1 / len(second)
            run = self._runs[place]
            left: NDArray[np.float64] = np.asarray(run.spreads[index.label].left_out, np.float64)
            differences = differences + weight * left
            score += weight * run.scores[index.label]
        return max(float(moments(differences, np.ones(len(differences), np.int64), score)[0]), 0.0)
