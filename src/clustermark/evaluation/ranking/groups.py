"""Differences over groups of points, such as documents or patients: each is left out of both predictions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeGuard

import numpy as np

from clustermark.evaluation.ranking.cells import cluster_numbers
from clustermark.evaluation.ranking.components import SWAPPED_BELOW, swap
from clustermark.evaluation.ranking.contrasts import Contrast
from clustermark.evaluation.ranking.halves import Halves, weigh
from clustermark.uncertainty.samples import ComponentSample, GroupedPoints
from clustermark.uncertainty.spread import HALF_SAMPLES, moments

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from clustermark.evaluation.ranking.contrasts import Places
    from clustermark.evaluation.ranking.entrants import Entrants
    from clustermark.evaluation.ranking.runs import Run
    from clustermark.registry import Index
    from clustermark.uncertainty.samples import Sample


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
        self._halves = Halves(self._sample_of)

    def contrast(self, index: Index[...], first: Places, second: Places) -> Contrast:
        """How the difference of two mean scores varies; few groups of whole clusters are swapped for a p-value."""
        found = self._vary(index, first, second)
        if found.variance is None or found.n_units >= SWAPPED_BELOW or len(first) + len(second) > 2:
            return found
        whole = [sample for place in first + second if _is_whole(sample := self._runs[place].sample)]
        if len(whole) < 2:
            return found
        return swap(whole[0], whole[1], index, found)

    def mean(self, index: Index[...], places: Places) -> Contrast:
        """How a mean over runs varies, by groups alone."""
        return self._vary(index, places, ())

    def _vary(self, index: Index[...], first: Places, second: Places) -> Contrast:
        """By the jackknife, or by halves where groups are too many for it."""
        n, reason = self._known(index, first + second)
        if reason:
            return Contrast(None, n, "jackknife", (reason,))
        if self._is_drawn(index, first + second):
            variance = self._halves.vary(index, first, second, n)
            notes = () if variance is not None else ("not defined for some halves of the groups",)
            return Contrast(variance, n, "half-sampling", notes, draws=HALF_SAMPLES)
        return Contrast(self._variance(index, first, second), n, "jackknife")

    def _is_drawn(self, index: Index[...], places: Places) -> bool:
        """Whether groups are too many to leave out each of them."""
        return any(self._runs[place].spreads[index.label].left_out is None for place in places)

    def _known(self, index: Index[...], places: Places) -> tuple[int, str]:
        """How many groups there are, and why nothing can be said of these runs, if so."""
        n = 0
        for run in (self._runs[place] for place in places):
            if index.label in run.refused:
                return n, run.refused[index.label]
            spread = run.spreads[index.label]
            n = spread.n_units
            if run.sample is not None and run.sample.largest_share > 0.5:
                return n, "one group joins most of the data; choose other groups"
            if spread.standard_error == np.inf:
                return n, "not defined when one group is removed"
        return n, ""

    def _variance(self, index: Index[...], first: Places, second: Places) -> float:
        """By the jackknife."""
        differences: Any = 0.0
        score = 0.0
        for place, weight in weigh(first, second):
            run = self._runs[place]
            left: NDArray[np.float64] = np.asarray(run.spreads[index.label].left_out, np.float64)
            differences = differences + weight * left
            score += weight * run.scores[index.label]
        return max(float(moments(differences, np.ones(len(differences), np.int64), score)[0]), 0.0)

    def _sample_of(self, place: int) -> Sample:
        sample = self._runs[place].sample
        assert sample is not None  # `_known` saw to it
        return sample


def _is_whole(sample: Sample | None) -> TypeGuard[ComponentSample]:
    """Whether groups are of whole clusters, all of whose points are scored on both sides."""
    if not isinstance(sample, ComponentSample):
        return False
    table = sample.table.to_memory()
    return not table.one_sided and table.unscored_columns is None
