"""Random halves of what was sampled, the same for all runs: how differences vary that have no closed form."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from clustermark.evaluation.ranking.cells import classes_of_points
from clustermark.labels.names import Names
from clustermark.tables.drawing import rank_labels
from clustermark.uncertainty.samples import SharedPoints
from clustermark.uncertainty.spread import HALF_SAMPLES, half_sample_scores

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from clustermark.evaluation.ranking.contrasts import Places
    from clustermark.evaluation.ranking.entrants import Entrants
    from clustermark.evaluation.ranking.runs import Run
    from clustermark.registry import Index
    from clustermark.uncertainty.samples import Sample

SEED = 0
"""Of all random numbers of a comparison."""


class Halves:
    """The scores of runs on the same random halves."""

    def __init__(self, sample_of: Callable[[int], Sample | SharedPoints]) -> None:
        """sample_of: the units of a run, in an order that all runs share."""
        self._sample_of = sample_of
        self._scores: dict[tuple[str, int], NDArray[np.float64]] = {}

    def vary(self, index: Index[...], first: Places, second: Places, n: int) -> float | None:
        """The variance of the difference of two mean scores over n units; None where a score is not defined.

        The standard deviation over halves is the standard error of the whole.
        """
        differences = sum(weight * self._score(index, place) for place, weight in weigh(first, second))
        variance = float(np.var(differences, ddof=1)) * (n // 2) / (n - n // 2)
        return variance if np.isfinite(variance) else None

    def _score(self, index: Index[...], place: int) -> NDArray[np.float64]:
        if (index.label, place) not in self._scores:
            drawn = half_sample_scores(self._sample_of(place), [index], HALF_SAMPLES, SEED)
            self._scores[index.label, place] = drawn[:, 0]
        return self._scores[index.label, place]


def weigh(first: Places, second: Places) -> list[tuple[int, float]]:
    """The runs, and what each adds to the difference of two means."""
    return [(place, 1 / len(first)) for place in first] + [(place, -1 / len(second)) for place in second]


def order_points(entrants: Entrants) -> NDArray[np.int64]:
    """The points by their labels, so that what is drawn does not depend on the order in which they came."""
    ranks = [] if entrants.counts is None else [entrants.counts]
    for labeling in (entrants.truth, *entrants.runs):
        rank = rank_labels(Names(labeling.values, np.arange(len(labeling.values))))
        ranks.append(np.append(rank, [-2, -1])[labeling.codes])  # of points without a label
    return np.lexsort(ranks)


def share_points(entrants: Entrants, run: Run, order: NDArray[np.int64], threads: int | None) -> SharedPoints:
    """The points of a run's table in an order that all runs share."""
    entries = np.arange(len(run.table.kernel_cells.counts), dtype=np.int32)
    entry = classes_of_points(run.table, entrants.truth, run.labeling, entries, threads)
    times = np.ones(len(order), np.int64) if entrants.counts is None else entrants.counts
    return SharedPoints(run.table, entry[order], times[order])
