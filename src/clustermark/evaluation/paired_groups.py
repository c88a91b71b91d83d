"""The variance of the difference of two scores over components or groups of points, and tests that swap them."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, Any, ClassVar, TypeGuard

import numpy as np

from clustermark import _kernel
from clustermark._kernel import LONE, connect
from clustermark.errors import UnsupportedTableError
from clustermark.evaluation.paired_points import SEED, Contrast, RandomHalves, growth_of_variance, weigh
from clustermark.evaluation.predictions import cluster_numbers
from clustermark.labels import Labeling
from clustermark.labels.labeling import Names
from clustermark.registry.array_scores import ArrayScores
from clustermark.statistics.units import NoClosedFormError
from clustermark.tables.cells import CellTable
from clustermark.tables.contingency import Account
from clustermark.tables.policies import PLAIN
from clustermark.tables.tabulation import tabulate_codes
from clustermark.uncertainty.entries import Cells, number_groups
from clustermark.uncertainty.interval import GroupedPoints
from clustermark.uncertainty.limits import degrees_of
from clustermark.uncertainty.samples import ComponentSample, EntryGroups, ResampledComponents
from clustermark.uncertainty.spread import HALF_SAMPLES, Jackknife, moments

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from clustermark.evaluation.paired_points import Runs
    from clustermark.evaluation.predictions import Predictions, ScoredRun
    from clustermark.registry import Index
    from clustermark.uncertainty.samples import Sample


SWAPPED_BELOW = 2_000
"""With fewer components, whole components are swapped: a few of them may make most of the variance."""
_SWAPPED_SLOWLY_BELOW = 100
"""The same for an index that is no function of sums over components, whose tables are made one by one."""
_ALL_SWAPS = 13
"""Up to this number of components, all ways to swap them are tried."""
DRAWS, _FEWEST_DRAWS = 9_999, 999
_WORK = 1_000_000
"""Number of components that are swapped, over all draws, beyond the fewest draws."""
_MOST_SINGLES = 1 << 24


class ComponentUnits:
    """Connected components of the truth and the compared predictions."""

    name = "component"
    swapped_below: ClassVar[int] = SWAPPED_BELOW

    def __init__(self, predictions: Predictions, runs: Sequence[ScoredRun], threads: int | None) -> None:
        self._predictions, self._runs, self._threads = predictions, runs, threads
        self._tables: dict[int, CellTable] = {}
        self._samples: dict[Runs, list[ComponentSample]] = {}

    def contrast(self, index: Index[...], first: Runs, second: Runs) -> Contrast:
        """Return the variance of the difference of two mean scores; few components are swapped for a p-value."""
        found = self.vary(index, first, second)
        if found.variance is None or found.n_units >= self.swapped_below or len(first) + len(second) > 2:
            return found
        one, other = self._sample(first + second)
        return swap(one, other, index, found)

    def mean(self, index: Index[...], places: Runs) -> Contrast:
        """Return the variance of a mean over runs, over components only."""
        return self.vary(index, places, ())

    def vary(self, index: Index[...], first: Runs, second: Runs) -> Contrast:
        """Return the variance of the difference by the jackknife, without a test."""
        try:
            samples = self._sample(first + second)
        except UnsupportedTableError as error:
            return Contrast(None, 0, "jackknife", (str(error),))
        n = len(samples[0].multiplicity)
        if any(sample.largest_share > 0.5 for sample in samples):
            return Contrast(None, n, "jackknife", ("one component joins most of the data; choose the unit point",))
        try:
            variance, degrees, growth = self._variance(index, first, second)
        except NoClosedFormError as reason:
            return Contrast(None, n, "jackknife", (f"{index.name} {reason}",))
        notes = () if variance is not None else ("not defined when one component is removed",)
        return Contrast(variance, n, "jackknife", notes, degrees=degrees, growth=growth)

    def _variance(self, index: Index[...], first: Runs, second: Runs) -> tuple[float | None, float, float]:
        """Return the variance, its degrees of freedom, and its growth with the difference."""
        differences: Any = 0.0
        score = 0.0
        for place, sample in zip(first + second, self._sample(first + second), strict=True):
            weight = 1 / len(first) if place in first else -1 / len(second)
            value = self._runs[place].scores[index.label]
            left = Jackknife(sample).of(index, value).left_out
            if left is None:
                return None, inf, 0.0
            differences = differences + weight * np.asarray(left, np.float64)
            score += weight * value
        n = len(differences)
        if not np.isfinite(differences).all():
            return None, inf, 0.0
        variance = max(float(moments(differences, np.ones(n, np.int64), score)[0]), 0.0)
        return variance, degrees_of(differences), growth_of_variance(differences)

    def _sample(self, places: Runs) -> list[ComponentSample]:
        """Return the tables of these runs, divided into their joint components."""
        if places not in self._samples:
            if len(self._samples) > 64:  # samples are as large as tables
                self._samples.clear()
            tables = [self._table(place) for place in places]
            self._samples[places] = [
                ComponentSample(table, EntryGroups(of, np.ones(n, np.int64))) for table, of, n in _join(tables)
            ]
        return self._samples[places]

    def _table(self, place: int) -> CellTable:
        """Return the table of a run, in which each singleton has its own row or column."""
        if place not in self._tables:
            self._tables[place] = _with_own_clusters(self._predictions, self._runs[place], self._threads)
        return self._tables[place]


def _with_own_clusters(predictions: Predictions, run: ScoredRun, threads: int | None) -> CellTable:
    table, counts = run.table, predictions.counts
    if table.one_sided or table.unscored_columns is not None:
        raise UnsupportedTableError("components cannot be made with unscored noise or unmatched items")
    cells = table.kernel_cells
    if (cells.rows >= 0).all() and (cells.columns >= 0).all():
        return table
    sides = []
    for labeling, is_truth in ((predictions.truth, True), (run.labeling, False)):
        codes = labeling.codes.astype(np.int64)
        alone = cluster_numbers(table, labeling, is_truth=is_truth)[labeling.codes] == LONE
        sides.append(np.where(alone, len(labeling.values), codes))
    weights = predictions.weights
    if counts is not None:  # a row with a count may stand for several singletons
        counts = counts.copy()  # NumPy trusts that counts stay as they are, and these may be the memory of the caller
        if int(counts.sum()) > _MOST_SINGLES:
            raise UnsupportedTableError(f"clusters of their own are listed for at most {_MOST_SINGLES:,} points")
        sides = [np.repeat(side, counts) for side in sides]
        weights = None if weights is None else np.repeat(weights, counts)
    for side, labeling in zip(sides, (predictions.truth, run.labeling), strict=True):
        alone = side == len(labeling.values)
        side[alone] += np.arange(int(alone.sum()))
    return tabulate_codes(Labeling(sides[0]), Labeling(sides[1]), None, weights, PLAIN, threads)


def _join(tables: Sequence[CellTable]) -> list[tuple[CellTable, NDArray[np.int64], int]]:
    """Return the tables, the component of each of their entries, and the number of components of all tables."""
    place = {}
    ends: list[Any] = [[], []]
    nodes = tables[0].kernel_cells.n_rows
    for table in tables:
        cells = table.kernel_cells
        rows = _rows_of_first(tables[0], table)[cells.rows]
        place[id(table)] = rows
        ends[0].append(rows)
        ends[1].append(cells.columns.astype(np.int64) + nodes)
        nodes += cells.n_columns
    of = connect(np.concatenate(ends[0]), np.concatenate(ends[1]), nodes)
    count = int(of.max(initial=-1)) + 1
    return [(table, of[place[id(table)]], count) for table in tables]


def _rows_of_first(first: CellTable, other: CellTable) -> NDArray[np.int64]:
    """Return, for each row of another table, the row of the first table with the same true cluster."""
    mine, theirs = first.true_names.codes, other.true_names.codes
    order = np.argsort(mine)
    return np.asarray(order[np.searchsorted(mine[order], theirs)])


def swap(one: ComponentSample, other: ComponentSample, index: Index[...], found: Contrast) -> Contrast:
    """Add the p-value of the hypothesis that each component may come from either prediction with equal probability.

    Both tables are placed side by side in one table, from which one component of each pair is chosen.
    """
    n = len(one.multiplicity)
    both = _beside(one.table.to_memory(), other.table.to_memory())
    place = _order(one, other)
    of = np.concatenate([place[one.groups.of], place[other.groups.of] + n])
    sample = ComponentSample(both, EntryGroups(of, np.ones(2 * n, np.int64)))
    every = n <= _ALL_SWAPS
    has_sums = _has_sums(sample, index)
    if not has_sums and n >= _SWAPPED_SLOWLY_BELOW:
        return found
    draws = 1 << n if every else min(max(_WORK // n, _FEWEST_DRAWS), DRAWS if has_sums else _FEWEST_DRAWS)
    if every:
        swapped = (np.arange(draws)[:, None] >> np.arange(n)) & 1
    else:
        swapped = np.random.default_rng(SEED).integers(0, 2, (draws + 1, n))
        swapped[0] = 0
    chosen = np.concatenate([1 - swapped, swapped], axis=1).astype(np.int64)
    score = _score_sums if has_sums else _score_tables
    differences = np.abs(score(sample, index, chosen) - score(sample, index, 1 - chosen))
    differences[np.isnan(differences)] = np.inf  # undefined differences are no evidence of a difference
    far = int((differences >= differences[0] * (1 - 1e-12) - 1e-15).sum())
    return found._replace(method="swapping", p_value=far / len(differences), draws=None if every else draws)


def _order(one: ComponentSample, other: ComponentSample) -> NDArray[np.int64]:
    """Return the rank of each component by its cells, so that draws depend neither on the order of points nor on names.

    Components whose cells have the same sizes in both tables are interchangeable.
    """
    held = []
    for sample in (one, other):
        cells = Cells(sample.table.to_memory())
        held.append(number_groups(sample.groups.of, len(sample.multiplicity), *cells.values, cells.times))
    return np.argsort(np.lexsort(held))


def _has_sums(sample: ComponentSample, index: Index[...]) -> bool:
    if not sample.table.plain:
        return False
    drawn = np.ones((1, len(sample.multiplicity)), np.int64)
    try:
        ArrayScores(ResampledComponents(sample.table.to_memory(), sample.groups, drawn)).of(index)
    except NoClosedFormError:
        return False
    return True


def _score_sums(sample: ComponentSample, index: Index[...], chosen: NDArray[np.int64]) -> NDArray[np.float64]:
    units = ResampledComponents(sample.table.to_memory(), sample.groups, chosen)
    return np.array(ArrayScores(units).of(index))


def _score_tables(sample: ComponentSample, index: Index[...], chosen: NDArray[np.int64]) -> NDArray[np.float64]:
    return np.array([index.of(sample.take(row)) for row in chosen])


def _beside(one: CellTable, other: CellTable) -> CellTable:
    """Return one table of both, in which they share no cluster."""
    mine, theirs = one.kernel_cells, other.kernel_cells
    numbers: tuple[Any, Any] = (None, None)
    if mine.weights is not None and theirs.weights is not None and mine.pairs is not None and theirs.pairs is not None:
        numbers = np.concatenate([mine.weights, theirs.weights]), np.concatenate([mine.pairs, theirs.pairs])
    n_rows, n_columns = mine.n_rows + theirs.n_rows, mine.n_columns + theirs.n_columns
    cells = _kernel.Cells(
        np.concatenate([mine.rows, _shift(theirs.rows, mine.n_rows)]),
        np.concatenate([mine.columns, _shift(theirs.columns, mine.n_columns)]),
        np.concatenate([mine.counts, theirs.counts]),
        *numbers,
        n_rows,
        n_columns,
    )
    true, pred = (Names(None, np.arange(n)) for n in (n_rows, n_columns))
    return CellTable(cells, true, pred, Account(one.n_used + other.n_used))


def _shift(lines: NDArray[np.int32], by: int) -> NDArray[np.int32]:
    """Return lines renumbered after `by` others; singletons have no line."""
    return np.where(lines == LONE, lines, lines + np.int32(by)).astype(np.int32)


def group_points(predictions: Predictions, run: ScoredRun) -> GroupedPoints:
    """Return the points of a run's table with their groups."""
    rows, columns = (
        cluster_numbers(run.table, labeling, is_truth=is_truth)[labeling.codes].astype(np.int64)
        for labeling, is_truth in ((predictions.truth, True), (run.labeling, False))
    )
    assert predictions.groups is not None  # callers have groups of points
    times = np.ones(len(rows), np.int64) if predictions.counts is None else predictions.counts
    return GroupedPoints(rows, columns, predictions.groups, times)


class GroupUnits:
    """Groups of points; the scores without each group are known from the intervals of the runs."""

    name = "group"
    swapped_below: ClassVar[int] = SWAPPED_BELOW

    def __init__(self, runs: Sequence[ScoredRun]) -> None:
        self._runs = runs
        self._halves = RandomHalves(self._sample_of)

    def contrast(self, index: Index[...], first: Runs, second: Runs) -> Contrast:
        """Return the variance of the difference of two mean scores; few groups of whole clusters are swapped."""
        found = self._vary(index, first, second)
        if found.variance is None or found.n_units >= self.swapped_below or len(first) + len(second) > 2:
            return found
        whole = [sample for place in first + second if _is_whole(sample := self._runs[place].sample)]
        if len(whole) < 2:
            return found
        return swap(whole[0], whole[1], index, found)

    def mean(self, index: Index[...], places: Runs) -> Contrast:
        """Return the variance of a mean over runs, over groups only."""
        return self._vary(index, places, ())

    def _vary(self, index: Index[...], first: Runs, second: Runs) -> Contrast:
        """Return the variance by the jackknife, or by halves if there are too many groups for it."""
        n, reason = self._known(index, first + second)
        if reason:
            return Contrast(None, n, "jackknife", (reason,))
        if self._is_drawn(index, first + second):
            variance = self._halves.vary(index, first, second, n)
            notes = () if variance is not None else ("not defined for some halves of the groups",)
            return Contrast(variance, n, "half-sampling", notes, draws=HALF_SAMPLES, degrees=n - 1.0)
        variance, degrees, growth = self._variance(index, first, second)
        return Contrast(variance, n, "jackknife", degrees=degrees, growth=growth)

    def _is_drawn(self, index: Index[...], places: Runs) -> bool:
        """Return whether there are too many groups to leave out each of them."""
        return any(self._runs[place].spreads[index.label].left_out is None for place in places)

    def _known(self, index: Index[...], places: Runs) -> tuple[int, str]:
        """Return the number of groups, and the reason why these runs have no variance, if any."""
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

    def _variance(self, index: Index[...], first: Runs, second: Runs) -> tuple[float, float, float]:
        """Return the variance by the jackknife, its degrees of freedom, and its growth with the difference."""
        differences: Any = 0.0
        score = 0.0
        for place, weight in weigh(first, second):
            run = self._runs[place]
            left: NDArray[np.float64] = np.asarray(run.spreads[index.label].left_out, np.float64)
            differences = differences + weight * left
            score += weight * run.scores[index.label]
        variance = max(float(moments(differences, np.ones(len(differences), np.int64), score)[0]), 0.0)
        return variance, degrees_of(differences), growth_of_variance(differences)

    def _sample_of(self, place: int) -> Sample:
        sample = self._runs[place].sample
        assert sample is not None  # checked by `_known`
        return sample


def _is_whole(sample: Sample | None) -> TypeGuard[ComponentSample]:
    """Return whether groups consist of whole clusters, all of whose points are scored on both sides."""
    if not isinstance(sample, ComponentSample):
        return False
    table = sample.table.to_memory()
    return not table.one_sided and table.unscored_columns is None
