# ruff: noqa: D101, D102 - classes and fields mean the same as in the statistics of one table
"""Statistics of many tables at once: the same fields as arrays of doubles, computed from the sums of `Units`.

The statistics of one table are exact integers and avoid cancellation; these are for many similar tables. `arrays_of`
returns the class that belongs to a statistic.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from clustermark import statistics as of_table
from clustermark.statistics.information import NO_INFORMATION
from clustermark.statistics.units import NoClosedFormError, is_exact, share, share_of_square, size_log_size

if TYPE_CHECKING:
    from collections.abc import Callable

    from clustermark.statistics.statistic import Statistic
    from clustermark.statistics.units import Numbers, OfCell, Units


class ArrayStatistic:
    """A statistic of many tables; a field that has no closed form raises `NoClosedFormError`."""

    weighted = False

    def __init__(self, units: Units) -> None:
        self.units = units
        self._found: dict[Any, tuple[Numbers, Numbers]] = {}

    def find(self, make: Callable[[Units], tuple[Numbers, Numbers]]) -> tuple[Numbers, Numbers]:
        """Return the sums of both sides, which are computed once."""
        if make not in self._found:
            self._found[make] = make(self.units)
        return self._found[make]

    def __getattr__(self, name: str) -> Any:
        raise NoClosedFormError(f"needs a sum ({name}) that has no closed form without one unit")

    @property
    def n(self) -> Any:
        return self.units.points

    n_true = n

    @property
    def n_pred(self) -> Any:
        return self.units.points_pred

    @cached_property
    def k_true(self) -> Any:
        return self.units.k_true

    @cached_property
    def k_pred(self) -> Any:
        return self.units.k_pred


def both_sides(make: Callable[[Units], tuple[Numbers, Numbers]]) -> tuple[Any, Any]:
    """Return two fields: one of true clusters and one of predicted clusters."""
    return property(lambda one: one.find(make)[0]), property(lambda one: one.find(make)[1])


def sum_of_cells(of: OfCell) -> Any:
    """Return a field: the sum over cells of a function of their size and of the sizes of their clusters."""
    return cached_property(lambda one: one.units.sum_cells(of))


def sum_of_whole(of: OfCell) -> Any:
    """Return a field: the same sum for a function that is 0 except for cells that are whole clusters."""
    return cached_property(lambda one: one.units.sum_whole(of))


def _sum_squares(units: Units) -> tuple[Numbers, Numbers]:
    return units.sum_sizes(np.square)


def _sum_logs(units: Units) -> tuple[Numbers, Numbers]:
    return units.sum_sizes(size_log_size)


class SquareSumsArrays(ArrayStatistic):
    true, pred = both_sides(_sum_squares)

    @cached_property
    def cells(self) -> Numbers:
        return self.units.sum_counts(np.square)


class PairCountsArrays(ArrayStatistic):
    @cached_property
    def _pairs(self) -> tuple[Numbers, Numbers, Numbers, Numbers]:
        return self.units.count_pairs()

    @cached_property
    def yy(self) -> Numbers:
        return self._pairs[0]

    @cached_property
    def yn(self) -> Numbers:
        return self._pairs[1]

    @cached_property
    def ny(self) -> Numbers:
        return self._pairs[2]

    @cached_property
    def nn(self) -> Numbers:
        return self._pairs[3]


class ChancePairsArrays(PairCountsArrays):
    @cached_property
    def _squares(self) -> tuple[Numbers, Numbers, Numbers]:
        """Σn² over cells, true and predicted clusters."""
        cells, true, pred = (2 * pairs + self.n for pairs in (self.yy, self.yy + self.yn, self.yy + self.ny))
        return cells, true, pred

    @cached_property
    def disjoint(self) -> Numbers:
        products = self.units.sum_cells(lambda n, a, b: np.asarray(n, np.float64) * a * b)
        sharing = 2 * self.n + products - sum(self._squares)
        together = np.asarray(self.yy + self.yn, np.float64) * (self.yy + self.ny)
        return together - self.yy - sharing

    @cached_property
    def _falling(self) -> tuple[tuple[Numbers, ...], ...]:
        """Ordered pairs, triples, and disjoint pairs of pairs of each side, as in `pair_variance`."""
        cubes = self.units.sum_sizes(lambda size: np.asarray(size, np.float64) ** 3)
        falling = []
        for square, cube in zip(self._squares[1:], cubes, strict=True):
            pairs = np.asarray(square - self.n, np.float64)
            triples = cube - 3.0 * square + 2.0 * self.n
            falling.append((pairs, triples, pairs * pairs - 4 * triples - 2 * pairs))
        return tuple(falling)

    def _variance(self, one: int, other: int) -> Numbers:
        n = np.asarray(self.n, np.float64)
        (pairs, triples, apart), (pairs_, triples_, apart_) = self._falling[one], self._falling[other]
        mean = pairs * pairs_ / (2 * n * (n - 1))
        more = triples * triples_ / np.where(n > 2, n * (n - 1) * (n - 2), np.inf)
        most = apart * apart_ / np.where(n > 3, 4 * n * (n - 1) * (n - 2) * (n - 3), np.inf)
        variance = mean - mean * mean + more + most
        return np.where(variance > 1e-12 * (mean + mean * mean), variance, 0.0)

    @cached_property
    def variance(self) -> Numbers:
        return self._variance(0, 1)

    @cached_property
    def own_variances(self) -> tuple[Numbers, Numbers]:
        return self._variance(0, 0), self._variance(1, 1)


class SizesArrays(ArrayStatistic):
    best_true, best_pred = both_sides(lambda units: units.sum_largest())
    largest_true, largest_pred = both_sides(lambda units: units.largest)
    square_true, square_pred = both_sides(_sum_squares)
    recall, precision = both_sides(lambda units: units.sum_clusters(share))
    macro_recall, macro_precision = both_sides(lambda units: units.sum_clusters(share_of_square))

    @cached_property
    def cells(self) -> Any:
        return self.units.cells

    @cached_property
    def scattered_true(self) -> Numbers:
        return np.maximum(self.n - self.recall, 0.0)

    @cached_property
    def scattered_pred(self) -> Numbers:
        return np.maximum(self.n - self.precision, 0.0)


class EntropiesArrays(ArrayStatistic):
    """Entropies; values within the rounding error of sums of the size n ln n are set to 0."""

    @cached_property
    def _log_n(self) -> Numbers:
        return np.log(np.asarray(self.n, np.float64))

    @cached_property
    def _sides(self) -> tuple[Numbers, Numbers]:
        true, pred = self.find(_sum_logs)
        return self._entropy(true, self.k_true), self._entropy(pred, self.k_pred)

    def _entropy(self, terms: Numbers, clusters: Numbers) -> Numbers:
        entropy = self._log_n - terms / np.asarray(self.n, np.float64)
        nothing = (entropy <= 2 * NO_INFORMATION * self._log_n) | (np.asarray(clusters) == 1)
        return np.where(nothing, 0.0, entropy)

    @cached_property
    def true(self) -> Numbers:
        return self._sides[0]

    @cached_property
    def pred(self) -> Numbers:
        return self._sides[1]

    @cached_property
    def _conditional(self) -> tuple[Numbers, Numbers]:
        n = np.asarray(self.n, np.float64)
        true, pred = (left / n for left in self.units.left_to_learn(self.find(_sum_logs)))
        return true, pred

    @cached_property
    def mutual(self) -> Numbers:
        shared = np.minimum(np.minimum(self.true - self._conditional[0], self.true), self.pred)
        return np.where(shared <= 4 * NO_INFORMATION * self._log_n, 0.0, shared)

    @cached_property
    def joint(self) -> Numbers:
        return self.true + self.pred - self.mutual

    @cached_property
    def true_given_pred(self) -> Numbers:
        return np.where(self.mutual == 0.0, self.true, np.clip(self._conditional[0], 0.0, self.true))

    @cached_property
    def pred_given_true(self) -> Numbers:
        return np.where(self.mutual == 0.0, self.pred, np.clip(self._conditional[1], 0.0, self.pred))

    @cached_property
    def variation(self) -> Numbers:
        return self.true_given_pred + self.pred_given_true

    @cached_property
    def expected(self) -> Numbers:
        n, sides = np.asarray(self.n), (np.asarray(self.k_true), np.asarray(self.k_pred))
        fixed = (sides[0] == 1) | (sides[1] == 1) | (sides[0] == n) | (sides[1] == n)
        return np.where(fixed, self.mutual, self.units.expected_information())  # no permutation changes it there

    @cached_property
    def variance(self) -> Numbers:
        raise NoClosedFormError("has a variance over permutations, which must be found anew for every table")


def _share_of_both(n: Numbers, a: Numbers, b: Numbers) -> Numbers:
    return (n / a) * (n / b)


class SharesArrays(ArrayStatistic):
    @cached_property
    def shares(self) -> Numbers:
        shares = self.units.sum_cells(_share_of_both)
        most = np.minimum(self.k_true, self.k_pred)
        return np.where(np.abs(shares - 1) <= NO_INFORMATION * most, 1.0, np.clip(shares, 1.0, most))


class JointSumsArrays(ArrayStatistic):
    exact_clusters = sum_of_whole(is_exact)
    exact_singletons = sum_of_whole(lambda n, a, b: ((n == 1) & (a == 1) & (b == 1)).astype(np.float64))
    shares = sum_of_cells(_share_of_both)
    of_larger = sum_of_cells(lambda n, a, b: n / np.maximum(a, b) * n)
    of_smaller = sum_of_cells(lambda n, a, b: n / np.minimum(a, b) * n)
    f = sum_of_cells(lambda n, a, b: 2 * n / (a + b) * n)
    jaccard = sum_of_cells(lambda n, a, b: n / (a + b - n) * n)

    @cached_property
    def torn(self) -> Numbers:
        return np.maximum(self.n - self.of_smaller, 0.0)


class MacroSharesArrays(ArrayStatistic):
    shares = sum_of_cells(_share_of_both)
    macro_recall, _ = both_sides(lambda units: units.sum_clusters(share_of_square))


class LinksArrays(ChancePairsArrays):
    _resolved_true, _resolved_pred = both_sides(
        lambda units: units.sum_clusters(lambda squares, size: (squares - size) / np.maximum(size - 1, 1))
    )

    @cached_property
    def together(self) -> Numbers:
        return self.yy

    @cached_property
    def together_true(self) -> Numbers:
        return self.yy + self.yn

    @cached_property
    def together_pred(self) -> Numbers:
        return self.yy + self.ny

    @cached_property
    def apart(self) -> Numbers:
        return np.where(np.asarray(self.n) > 1, self.nn, np.nan)  # undefined for a single point

    @cached_property
    def apart_true(self) -> Numbers:
        return self.nn + self.ny

    @cached_property
    def apart_pred(self) -> Numbers:
        return self.nn + self.yn

    @cached_property
    def _singletons(self) -> Numbers:
        return JointSumsArrays(self.units).exact_singletons

    @cached_property
    def resolved_true(self) -> Numbers:
        return self._resolved_true + self._singletons

    @cached_property
    def resolved_pred(self) -> Numbers:
        return self._resolved_pred + self._singletons


def _f(n: Numbers, a: Numbers, b: Numbers) -> Numbers:
    return 2 * n / (a + b)


class BestSumsArrays(ArrayStatistic):
    true_f, pred_f = both_sides(lambda units: units.sum_best(_f))
    true_sized_f, _ = both_sides(lambda units: units.sum_best(_f, sized=True))
    true_sized_jaccard, _ = both_sides(lambda units: units.sum_best(lambda n, a, b: n / (a + b - n), sized=True))
    true_of_larger, pred_of_larger = both_sides(lambda units: units.sum_best(lambda n, a, b: n / np.maximum(a, b)))


class BestMatchesArrays(ArrayStatistic):
    @cached_property
    def mean_jaccard(self) -> Numbers:
        return self.units.sum_overlaps(lambda jaccard, _: jaccard) / self.n

    @cached_property
    def mean_concentration(self) -> Numbers:
        return self.units.sum_overlaps(lambda _, spread: spread) / self.n

    @cached_property
    def mean_score(self) -> Numbers:
        return self.units.sum_overlaps(lambda jaccard, spread: np.sqrt(jaccard * spread)) / self.n


class MatchingArrays(ArrayStatistic):
    """One-to-one matching of clusters by the worth that a statistic defines."""

    statistic: Any = of_table.MatchedPoints

    @cached_property
    def total(self) -> Numbers:
        return self.units.sum_matched(self.statistic)

    def beyond(self, part: Any, whole: Any = 1) -> Any:
        """Return the total less part / whole."""
        return self.total - part / whole


def _matching_by(statistic: Any) -> type[MatchingArrays]:
    return type(f"{statistic.__name__}Arrays", (MatchingArrays,), {"statistic": statistic})


class CorefScoresArrays(ArrayStatistic):
    """The three F-measures that the CoNLL score averages."""

    @cached_property
    def muc(self) -> Numbers:
        links = 2 * self.n - self.k_true - self.k_pred
        return np.where(links > 0, 2 * (self.n - self.units.cells) / np.maximum(links, 1), 1.0)

    @cached_property
    def b_cubed(self) -> Numbers:
        sizes = SizesArrays(self.units)
        return 2 * sizes.precision * sizes.recall / (self.n * (sizes.precision + sizes.recall))

    @cached_property
    def ceaf_e(self) -> Numbers:
        return 2 * self.units.sum_matched(of_table.MatchedEntities) / (self.k_true + self.k_pred)


_ARRAYS: dict[Any, type[ArrayStatistic]] = {
    of_table.PairCounts: ChancePairsArrays,  # the same class, so that its sums are found once
    of_table.SquareSums: SquareSumsArrays,
    of_table.ChancePairs: ChancePairsArrays,
    of_table.Sizes: SizesArrays,
    of_table.Entropies: EntropiesArrays,
    of_table.Shares: SharesArrays,
    of_table.JointSums: JointSumsArrays,
    of_table.MacroShares: MacroSharesArrays,
    of_table.BestSums: BestSumsArrays,
    of_table.BestMatches: BestMatchesArrays,
    of_table.Links: LinksArrays,
    of_table.CorefScores: CorefScoresArrays,
    of_table.MatchedPoints: MatchingArrays,
    of_table.MatchedEntities: _matching_by(of_table.MatchedEntities),
    of_table.MatchedJaccard: _matching_by(of_table.MatchedJaccard),
    of_table.MatchedRecall: _matching_by(of_table.MatchedRecall),
    of_table.MatchedProducts: _matching_by(of_table.MatchedProducts),
    of_table.MatchedSets: _matching_by(of_table.MatchedSets),
}


def arrays_of(statistic: type[Statistic[Any]]) -> type[ArrayStatistic]:
    """Return the class that computes a statistic of many tables; raise `NoClosedFormError` if there is none."""
    if statistic not in _ARRAYS:
        raise NoClosedFormError("is made of sums that have no closed form without one unit")
    return _ARRAYS[statistic]
