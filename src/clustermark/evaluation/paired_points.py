"""The variance of the difference of two scores over common points, by the jackknife or by random halves."""

from __future__ import annotations

from functools import cached_property
from math import inf
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from clustermark import _kernel
from clustermark._kernel import LONE
from clustermark.evaluation.predictions import classes_of_points, cluster_numbers
from clustermark.labels.labeling import Names
from clustermark.tables.drawn_tables import rank_labels
from clustermark.tables.policies import makes_singletons
from clustermark.tables.tabulation import how_many_threads
from clustermark.uncertainty.entries import add_all
from clustermark.uncertainty.limits import degrees_of
from clustermark.uncertainty.samples import SharedPoints
from clustermark.uncertainty.spread import HALF_SAMPLES, half_sample_scores

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from clustermark.evaluation.predictions import Predictions, ScoredRun
    from clustermark.registry import Index
    from clustermark.uncertainty.samples import Sample
    from clustermark.uncertainty.spread import Spread


Runs = tuple[int, ...]
"""Positions of runs whose mean score is used."""


class Contrast(NamedTuple):
    """The variance of a difference of two scores or of two means over runs, or of one such mean."""

    variance: float | None
    """None if it is not available."""
    n_units: int
    method: str
    notes: tuple[str, ...] = ()
    """Remarks on the variance, or the reason why there is none."""
    p_value: float | None = None
    """P-value, if it does not follow from the variance."""
    draws: int | None = None
    """Number of random swaps or halves drawn with `SEED`; None if nothing was drawn."""
    degrees: float = inf
    """Degrees of freedom of the variance; infinite over points."""
    growth: float = 0.0
    """The variance grows by this for each unit by which the difference grows; 0 where it is not known."""


def growth_of_variance(left_out: NDArray[np.float64], times: NDArray[np.int64] | None = None) -> float:
    """Return by how much the variance of a difference grows with the difference.

    A larger difference needs more units that one method scores worse, and each of them adds to the variance. With the
    effect e of a unit on the difference, times the number of units, that of a unit on which the methods differ is
    c = Σ|e|³ / Σe². D more are D·n/c more such units, with a variance of c²/n² each, of units on which they agree now:
    a share of 1 - Σe² / (n c²). Where they differ on all units, a larger difference is a shift, and nothing grows.

    left_out: the difference without each unit, or without one of each class of `times` units.
    """
    weights = np.ones(len(left_out)) if times is None else times.astype(np.float64)
    n = add_all(weights)
    away = np.abs(left_out - add_all(left_out * weights) / n)
    squares = add_all(weights * away**2)
    if not squares > 0 or n < 2:
        return 0.0
    effect = add_all(weights * away**3) / squares
    agree = 1 - squares / (n * effect * effect)
    # rounded, because points that are counted and points that are repeated differ in the last bits
    return float(f"{(n - 1) / n * effect * max(agree, 0.0):.9g}")


class PairedUnits(Protocol):
    """The sampled units, over all runs."""

    name: str

    def contrast(self, index: Index[...], first: Runs, second: Runs) -> Contrast:
        """Return the variance of the difference of two mean scores."""
        ...

    def mean(self, index: Index[...], places: Runs) -> Contrast:
        """Return the variance of a mean over runs, over the units only."""
        ...


class PointUnits:
    """Points; the score without a point depends only on its cell, and points with equal such scores form a class."""

    name = "point"
    most_listed = 1_000_000
    """With more rows of points, the effects of single points do not matter to the power of a test."""
    most_halved = 1_000_000
    """Maximal number of rows of points of which random halves are drawn."""

    def __init__(
        self,
        predictions: Predictions,
        runs: Sequence[ScoredRun],
        indices: Sequence[Index[...]],
        threads: int | None = None,
        progress: Callable[[float], None] | None = None,
    ) -> None:
        self._predictions, self._runs, self._indices, self._threads = predictions, runs, indices, threads
        self._progress = progress
        self._n = predictions.n_used
        self._apart: dict[str, NDArray[np.float64]] | None = None
        self._classes: list[NDArray[Any]] = []
        self._left_out: list[dict[str, NDArray[np.float64]]] = []
        self._halves = RandomHalves(self._share_points)

    def contrast(self, index: Index[...], first: Runs, second: Runs) -> Contrast:
        """Return the variance of the difference of two mean scores."""
        n = self._n
        if reason := self._reason(index, first + second):
            return Contrast(None, n, "jackknife", (reason,))
        if self._is_drawn(index, first + second):
            return self._halve(index, first, second)
        weights = np.array([1 / len(first)] * len(first) + [-1 / len(second)] * len(second))
        between = self._variances(index)[np.ix_(first + second, first + second)]
        # Var Σ w x = -½ ΣΣ w w' Var(x - x') where the weights add up to 0
        variance = max(float(-(weights @ between @ weights) / 2), 0.0)
        return Contrast(variance, n, "jackknife", growth=self._growth(index, first, second))

    def _growth(self, index: Index[...], first: Runs, second: Runs) -> float:
        """Return the growth of the variance of the difference of two runs; 0 for means, and for very many points."""
        if len(first) > 1 or len(second) > 1 or len(self._predictions.truth) > self.most_listed:
            return 0.0
        one, other = (self._left_out[place][index.label][self._classes[place]] for place in (*first, *second))
        return growth_of_variance(one - other, self._predictions.counts)

    def degrees(self, index: Index[...], first: Runs, second: Runs = ()) -> float:
        """Return the degrees of freedom of a variance, which tests over points do not use; infinite for means."""
        if len(first) > 1 or len(second) > 1 or self._is_drawn(index, first + second):
            return inf
        self._variances(index)  # makes the scores without one point
        left = [self._left_out[place][index.label][self._classes[place]] for place in (*first, *second)]
        return degrees_of(left[0] - left[1] if second else left[0], self._predictions.counts)

    def vary(self, index: Index[...], first: Runs, second: Runs) -> Contrast:
        """Return the same, if it needs no random halves."""
        if not self._reason(index, first + second) and self._is_drawn(index, first + second):
            return Contrast(None, self._n, "jackknife", (f"{index.name} has no closed form without one point",))
        return self.contrast(index, first, second)

    def mean(self, index: Index[...], places: Runs) -> Contrast:
        """Return the variance of a mean over runs, over points only."""
        n = self._n
        if reason := self._reason(index, places):
            return Contrast(None, n, "jackknife", (reason,))
        if self._is_drawn(index, places):
            return self._halve(index, places, ())
        own = [self._runs[place].spreads[index.label].standard_error ** 2 for place in places]
        between = self._variances(index)[np.ix_(places, places)] if len(places) > 1 else np.zeros((1, 1))
        return Contrast(max(float(np.mean(own) - between.mean() / 2), 0.0), n, "jackknife")

    def _reason(self, index: Index[...], places: Runs) -> str:
        if self._n == 1:
            return "only one point"
        for place in places:
            run = self._runs[place]
            if index.label in run.refused:
                return run.refused[index.label]
            if self._is_drawn(index, (place,)) and len(self._predictions.truth) > self.most_halved:
                return (
                    f"{index.name} has no closed form without one point, and there are too many cells to try each and "
                    "points to draw halves"
                )
            if run.spreads[index.label].standard_error == np.inf:
                return "not defined when one point is removed"
        return ""

    def _is_drawn(self, index: Index[...], places: Runs) -> bool:
        """Return whether there is no closed form and too many cells to leave out a point of each."""
        return any(self._runs[place].spreads[index.label].left_out is None for place in places)

    def _halve(self, index: Index[...], first: Runs, second: Runs) -> Contrast:
        """Return the variance by random halves, which are the same points for all runs."""
        n = self._n
        variance = self._halves.vary(index, first, second, n)
        notes = () if variance is not None else ("not defined for some halves of the points",)
        return Contrast(variance, n, "half-sampling", notes, draws=HALF_SAMPLES)

    @cached_property
    def _order(self) -> NDArray[np.int64]:
        return order_points(self._predictions)

    def _share_points(self, place: int) -> SharedPoints:
        return share_points(self._predictions, self._runs[place], self._order, self._threads)

    def _variances(self, index: Index[...]) -> NDArray[np.float64]:
        """Return the variance of the difference of each pair of runs; computed for all indices at once."""
        if self._apart is None:
            self._apart = self._cross()
        return self._apart[index.label]

    def _cross(self) -> dict[str, NDArray[np.float64]]:
        runs = self._runs
        classes, values = [], []
        for place, run in enumerate(runs):
            known = [
                index.label
                for index in self._indices
                if not (self._reason(index, (place,)) or self._is_drawn(index, (place,)))
            ]
            of_entry, left = _classes([run.spreads[label] for label in known], len(run.table.kernel_cells.counts))
            threads, truth = self._threads, self._predictions.truth
            classes.append(classes_of_points(run.table, truth, run.labeling, of_entry, threads))
            values.append(dict(zip(known, left, strict=True)))
        self._classes, self._left_out = classes, values
        n, counts = self._n, self._predictions.counts
        apart = {}
        for done, index in enumerate(self._indices, 1):
            places = [place for place, left in enumerate(values) if index.label in left]
            scores = [values[place][index.label] - runs[place].scores[index.label] for place in places]
            between = np.zeros((len(runs), len(runs)))
            if places:
                found = vary_together([classes[place] for place in places], scores, counts, self._threads)
                between[np.ix_(places, places)] = found * ((n - 1) / n)
            apart[index.label] = between
            if self._progress is not None:
                self._progress(done / len(self._indices))
        return apart


def vary_together(
    classes: Sequence[NDArray[Any]],
    values: Sequence[NDArray[np.float64]],
    counts: NDArray[np.int64] | None,
    threads: int | None = None,
) -> NDArray[np.float64]:
    """Return, for each pair of runs, the sum over points of squared deviations of their difference from its mean.

    classes: the class of each point, by run. values: the value of each class, by run; values near 0 avoid cancellation.
    """
    n, several = len(classes[0]), len(classes)
    flat, sums = _kernel.add_products(classes, values, counts, how_many_threads(threads, n))
    total = n if counts is None else int(counts.sum())
    products = flat.reshape(several, several) - np.outer(sums, sums) / total
    own = np.diag(products)
    apart = own[:, None] + own - 2 * products
    # rounding errors of two equal runs
    apart[apart <= 1e-13 * (own[:, None] + own)] = 0.0
    return apart


def _classes(spreads: Sequence[Spread], n: int) -> tuple[NDArray[np.int32], list[NDArray[np.float64]]]:
    """Return the class of each of n entries, where a class has equal scores; and the scores of each class."""
    left = [np.ascontiguousarray(spread.left_out, np.float64) for spread in spreads]
    kinds = {id(spread.classes): spread.classes for spread in spreads}
    if len(kinds) == 1 and (alike := spreads[0].classes) is not None:
        return alike, left
    left = [one if spread.classes is None else one[spread.classes] for one, spread in zip(left, spreads, strict=True)]
    if n <= 1 << 8 or not left:
        return np.arange(n, dtype=np.int32), left
    of, first = _kernel.encode_integers(left[0].view(np.int64))
    for more in left[1:]:
        other, n_other = _kernel.encode_integers(more.view(np.int64))
        of, first = _kernel.encode_integers(of.astype(np.int64) * len(n_other) + other)
    return of, [one[first] for one in left]


ENOUGH_APART = 10
"""Smallest number of differently placed points at which the test of a difference is reliable."""


def points_apart(predictions: Predictions, first: ScoredRun, second: ScoredRun) -> int | None:
    """Count the points to move to turn one prediction into the other; None if there are enough for a test.

    A difference among the first points is one among all points, so a few thousand points usually suffice.
    """
    size = 1 << 12
    while True:
        # a few points of a row with a large count suffice: if they lie apart, that is enough for a test
        times = None if predictions.counts is None else np.minimum(predictions.counts[:size], ENOUGH_APART)
        one, other = (_own_clusters(run, size, times) for run in (first, second))
        cells = _kernel.crosstab(one, other, None, None, 1)
        if _least_apart(cells) >= ENOUGH_APART:
            return None
        if size >= len(predictions.truth):
            return _apart(cells)
        size *= 8


def _own_clusters(run: ScoredRun, size: int, times: NDArray[np.int64] | None) -> NDArray[np.int64]:
    """Return the codes of the first points, repeated `times` times; each singleton gets its own code."""
    codes = run.labeling.codes[:size].astype(np.int64)
    codes = codes if times is None else np.repeat(codes, times)
    if not makes_singletons(run.table.policies):
        return codes
    alone = np.flatnonzero(cluster_numbers(run.table, run.labeling, is_truth=False)[codes] == LONE)
    codes[alone] = len(run.labeling.values) + alone
    return codes


def _least_apart(cells: _kernel.Cells) -> int:
    """Return a lower bound on the points apart: those outside the largest cell of each cluster of a side."""
    total, beside = int(cells.counts.sum()), []
    for lines, n in ((cells.rows, cells.n_rows), (cells.columns, cells.n_columns)):
        largest = np.zeros(n, np.int64)
        np.maximum.at(largest, lines, cells.counts)
        beside.append(total - int(largest.sum()))
    return max(beside)


def _apart(cells: _kernel.Cells) -> int | None:
    """Count the points outside the best matching of the clusters of two labelings; None if there are enough."""
    from clustermark.labels.labeling import Names
    from clustermark.statistics.matching import MatchedPoints
    from clustermark.tables.cells import CellTable
    from clustermark.tables.contingency import Account

    total = int(cells.counts.sum())
    true, pred = (Names(None, np.arange(n)) for n in (cells.n_rows, cells.n_columns))
    apart = total - int(MatchedPoints.of(CellTable(cells, true, pred, Account(total))).total)
    return apart if apart < ENOUGH_APART else None


SEED = 0
"""Seed of all random numbers of a comparison."""


class RandomHalves:
    """The scores of runs on the same random halves."""

    def __init__(self, sample_of: Callable[[int], Sample | SharedPoints]) -> None:
        """Store `sample_of`, which returns the units of a run in an order that all runs share."""
        self._sample_of = sample_of
        self._scores: dict[tuple[str, int], NDArray[np.float64]] = {}

    def vary(self, index: Index[...], first: Runs, second: Runs, n: int) -> float | None:
        """Return the variance of the difference of two mean scores over n units; None if a score is not defined.

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


def weigh(first: Runs, second: Runs) -> list[tuple[int, float]]:
    """Return the runs with their weights in the difference of two means."""
    return [(place, 1 / len(first)) for place in first] + [(place, -1 / len(second)) for place in second]


def order_points(predictions: Predictions) -> NDArray[np.int64]:
    """Order the points by their labels, so that draws do not depend on the input order."""
    ranks = [] if predictions.counts is None else [predictions.counts]
    for labeling in (predictions.truth, *predictions.runs):
        rank = rank_labels(Names(labeling.values, np.arange(len(labeling.values))))
        ranks.append(np.append(rank, [-2, -1])[labeling.codes])  # ranks of points without a label
    return np.lexsort(ranks)


def share_points(
    predictions: Predictions, run: ScoredRun, order: NDArray[np.int64], threads: int | None
) -> SharedPoints:
    """Return the points of a run's table in an order that all runs share."""
    entries = np.arange(len(run.table.kernel_cells.counts), dtype=np.int32)
    entry = classes_of_points(run.table, predictions.truth, run.labeling, entries, threads)
    times = np.ones(len(order), np.int64) if predictions.counts is None else predictions.counts
    return SharedPoints(run.table, entry[order], times[order])
