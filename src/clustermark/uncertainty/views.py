"""The statistics without one unit: the same fields, each an array over the classes of units."""

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

if TYPE_CHECKING:
    from clustermark.statistics.statistic import Statistic
    from clustermark.uncertainty.overlaps_left import OverlapsLeft
    from clustermark.uncertainty.units import Numbers, Units


class View:
    """A statistic without one unit; a field that has no closed form raises `NoClosedFormError`."""

    weighted = False

    def __init__(self, units: Units) -> None:
        self._units = units

    def __getattr__(self, name: str) -> Any:
        raise NoClosedFormError(f"needs a sum ({name}) that has no closed form without one point")

    @property
    def n(self) -> Any:
        """Points."""
        return self._units.points

    n_true = n_pred = n

    @cached_property
    def k_true(self) -> Any:
        """True clusters."""
        return self._units.k_true

    @cached_property
    def k_pred(self) -> Any:
        """Predicted clusters."""
        return self._units.k_pred


class _SquareSums(View):
    @cached_property
    def cells(self) -> Numbers:
        return self._units.sum_counts(np.square)

    @cached_property
    def _sides(self) -> tuple[Numbers, Numbers]:
        return self._units.sum_sizes(np.square)

    @property
    def true(self) -> Numbers:
        return self._sides[0]

    @property
    def pred(self) -> Numbers:
        return self._sides[1]


class _PairCounts(View):
    @cached_property
    def _squares(self) -> _SquareSums:
        return _SquareSums(self._units)

    @cached_property
    def yy(self) -> Numbers:
        return (self._squares.cells - self.n) / 2

    @cached_property
    def yn(self) -> Numbers:
        return (self._squares.true - self._squares.cells) / 2

    @cached_property
    def ny(self) -> Numbers:
        return (self._squares.pred - self._squares.cells) / 2

    @cached_property
    def nn(self) -> Numbers:
        n = np.asarray(self.n, np.float64)
        return n * (n - 1) / 2 - self.yy - self.yn - self.ny


class _ChancePairs(_PairCounts):
    @cached_property
    def disjoint(self) -> Numbers:
        products = self._units.sum_cells(lambda n, a, b: np.asarray(n, np.float64) * a * b)
        squares = self._squares
        sharing = 2 * self.n + products - squares.cells - squares.true - squares.pred
        together = np.asarray(self.yy + self.yn, np.float64) * (self.yy + self.ny)
        return together - self.yy - sharing

    @cached_property
    def _falling(self) -> tuple[tuple[Numbers, ...], ...]:
        """Of each side the ordered pairs, triples, and disjoint pairs of pairs, as in `pair_variance`."""
        cubes = self._units.sum_sizes(lambda size: np.asarray(size, np.float64) ** 3)
        falling = []
        for square, cube in zip((self._squares.true, self._squares.pred), cubes, strict=True):
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


def _share(squares: Numbers, size: Numbers) -> Numbers:
    return squares / np.maximum(size, 1)


def _share_of_square(squares: Numbers, size: Numbers) -> Numbers:
    return squares / np.maximum(size, 1) / np.maximum(size, 1)


class _Sizes(View):
    @property
    def cells(self) -> Any:
        return self._units.cells

    @cached_property
    def _best(self) -> tuple[Numbers, Numbers]:
        return self._units.sum_largest()

    @property
    def best_true(self) -> Numbers:
        return self._best[0]

    @property
    def best_pred(self) -> Numbers:
        return self._best[1]

    @property
    def largest_true(self) -> Any:
        return self._units.largest[0]

    @property
    def largest_pred(self) -> Any:
        return self._units.largest[1]

    @cached_property
    def _squares(self) -> tuple[Numbers, Numbers]:
        return self._units.sum_sizes(np.square)

    @property
    def square_true(self) -> Numbers:
        return self._squares[0]

    @property
    def square_pred(self) -> Numbers:
        return self._squares[1]

    @cached_property
    def _shares(self) -> tuple[Numbers, Numbers]:
        return self._units.sum_clusters(_share)

    @property
    def recall(self) -> Numbers:
        return self._shares[0]

    @property
    def precision(self) -> Numbers:
        return self._shares[1]

    @property
    def scattered_true(self) -> Numbers:
        return np.maximum(self.n - self.recall, 0.0)

    @property
    def scattered_pred(self) -> Numbers:
        return np.maximum(self.n - self.precision, 0.0)

    @property
    def macro_recall(self) -> Numbers:
        return self._units.sum_clusters(_share_of_square)[0]

    @property
    def macro_precision(self) -> Numbers:
        return self._units.sum_clusters(_share_of_square)[1]


def _entropy_term(size: Numbers) -> Numbers:
    x = np.asarray(size, np.float64)
    return x * np.log(np.maximum(x, 1.0))


class _Entropies(View):
    @cached_property
    def _sides(self) -> tuple[Numbers, Numbers]:
        true, pred = self._units.sum_sizes(_entropy_term)
        return self._entropy(true), self._entropy(pred)

    def _entropy(self, terms: Numbers) -> Numbers:
        n = np.asarray(self.n, np.float64)
        entropy = np.log(n) - terms / n
        return np.where(entropy > 1e-13, entropy, 0.0)  # one point apart from the others is more than that

    @property
    def true(self) -> Numbers:
        return self._sides[0]

    @property
    def pred(self) -> Numbers:
        return self._sides[1]

    @cached_property
    def joint(self) -> Numbers:
        return np.maximum(self._entropy(self._units.sum_counts(_entropy_term)), np.maximum(self.true, self.pred))

    @cached_property
    def mutual(self) -> Numbers:
        return np.clip(self.true + self.pred - self.joint, 0.0, np.minimum(self.true, self.pred))

    @property
    def true_given_pred(self) -> Numbers:
        return self.joint - self.pred

    @property
    def pred_given_true(self) -> Numbers:
        return self.joint - self.true

    @property
    def variation(self) -> Numbers:
        return self.true_given_pred + self.pred_given_true

    @cached_property
    def expected(self) -> Numbers:
        expected = self._units.expected_information()
        return np.where(np.isnan(expected), self.mutual, expected)  # no permutation changes it there

    @property
    def variance(self) -> Numbers:
        raise NoClosedFormError("has a variance over permutations, which must be found anew for every table")


class _Shares(View):
    @cached_property
    def shares(self) -> Numbers:
        shares = self._units.sum_cells(lambda n, a, b: (n / a) * (n / b))
        most = np.minimum(self.k_true, self.k_pred)
        return np.where(np.abs(shares - 1) <= 1e-15 * most, 1.0, np.clip(shares, 1.0, most))


class _JointSums(View):
    @cached_property
    def exact_clusters(self) -> Numbers:
        return self._units.sum_cells(lambda n, a, b: ((n == a) & (n == b)).astype(np.float64))

    @cached_property
    def exact_singletons(self) -> Numbers:
        return self._units.sum_cells(lambda n, a, b: ((n == 1) & (a == 1) & (b == 1)).astype(np.float64))

    @cached_property
    def shares(self) -> Numbers:
        return self._units.sum_cells(lambda n, a, b: (n / a) * (n / b))

    @cached_property
    def of_larger(self) -> Numbers:
        return self._units.sum_cells(lambda n, a, b: n / np.maximum(a, b) * n)

    @cached_property
    def of_smaller(self) -> Numbers:
        return self._units.sum_cells(lambda n, a, b: n / np.minimum(a, b) * n)

    @property
    def torn(self) -> Numbers:
        return np.maximum(self.n - self.of_smaller, 0.0)

    @cached_property
    def f(self) -> Numbers:
        return self._units.sum_cells(lambda n, a, b: 2 * n / (a + b) * n)

    @cached_property
    def jaccard(self) -> Numbers:
        return self._units.sum_cells(lambda n, a, b: n / (a + b - n) * n)


class _MacroShares(View):
    @property
    def shares(self) -> Numbers:
        return self._units.sum_cells(lambda n, a, b: (n / a) * (n / b))

    @property
    def macro_recall(self) -> Numbers:
        return self._units.sum_clusters(_share_of_square)[0]


class _BestSums(View):
    def _sums(self, quotient: Any, *, sized: bool = False) -> tuple[Numbers, Numbers]:
        return self._units.sum_best(quotient, sized=sized)

    @cached_property
    def _f(self) -> tuple[Numbers, Numbers]:
        return self._sums(_f)

    @property
    def true_f(self) -> Numbers:
        return self._f[0]

    @property
    def pred_f(self) -> Numbers:
        return self._f[1]

    @property
    def true_sized_f(self) -> Numbers:
        return self._sums(_f, sized=True)[0]

    @property
    def true_sized_jaccard(self) -> Numbers:
        return self._sums(lambda n, a, b: n / (a + b - n), sized=True)[0]

    @cached_property
    def _of_larger(self) -> tuple[Numbers, Numbers]:
        return self._sums(lambda n, a, b: n / np.maximum(a, b))

    @property
    def true_of_larger(self) -> Numbers:
        return self._of_larger[0]

    @property
    def pred_of_larger(self) -> Numbers:
        return self._of_larger[1]


def _f(n: Numbers, a: Numbers, b: Numbers) -> Numbers:
    return 2 * n / (a + b)


class _BestMatches(View):
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


class _Matched(View):
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


def _matched(kind: Any) -> type[_Matched]:
    return type(f"_{kind.__name__}", (_Matched,), {"statistic": kind})


class _Links(_PairCounts):
    @property
    def together(self) -> Numbers:
        return self.yy

    @property
    def together_true(self) -> Numbers:
        return self.yy + self.yn

    @property
    def together_pred(self) -> Numbers:
        return self.yy + self.ny

    @property
    def apart(self) -> Numbers:
        return np.where(np.asarray(self.n) > 1, self.nn, np.nan)  # nothing is defined of one point

    @property
    def apart_true(self) -> Numbers:
        return self.nn + self.ny

    @property
    def apart_pred(self) -> Numbers:
        return self.nn + self.yn

    @cached_property
    def _singletons(self) -> Numbers:
        return _JointSums(self._units).exact_singletons

    @cached_property
    def _resolved(self) -> tuple[Numbers, Numbers]:
        return self._units.sum_clusters(lambda squares, size: (squares - size) / np.maximum(size - 1, 1))

    @property
    def resolved_true(self) -> Numbers:
        return self._resolved[0] + self._singletons

    @property
    def resolved_pred(self) -> Numbers:
        return self._resolved[1] + self._singletons


class _CorefScores(View):
    @property
    def muc(self) -> Numbers:
        links = 2 * self.n - self.k_true - self.k_pred
        return np.where(links > 0, 2 * (self.n - self._units.cells) / np.maximum(links, 1), 1.0)

    @property
    def b_cubed(self) -> Numbers:
        sizes = _Sizes(self._units)
        return 2 * sizes.precision * sizes.recall / (self.n * (sizes.precision + sizes.recall))

    @property
    def ceaf_e(self) -> Numbers:
        matched = _matched(made.MatchedEntities)(self._units)
        return 2 * matched.total / (self.k_true + self.k_pred)


_VIEWS: dict[Any, type[View]] = {
    made.PairCounts: _ChancePairs,  # the same view, so that its sums are found once
    made.SquareSums: _SquareSums,
    made.ChancePairs: _ChancePairs,
    made.Sizes: _Sizes,
    made.Entropies: _Entropies,
    made.Shares: _Shares,
    made.JointSums: _JointSums,
    made.MacroShares: _MacroShares,
    made.BestSums: _BestSums,
    made.BestMatches: _BestMatches,
    made.Links: _Links,
    made.CorefScores: _CorefScores,
    made.MatchedPoints: _Matched,
    made.MatchedEntities: _matched(made.MatchedEntities),
    made.MatchedJaccard: _matched(made.MatchedJaccard),
    made.MatchedRecall: _matched(made.MatchedRecall),
    made.MatchedProducts: _matched(made.MatchedProducts),
    made.MatchedSets: _matched(made.MatchedSets),
}


def view_of(statistic: type[Statistic[Any]]) -> type[View]:
    """What makes the statistic without one unit of each class."""
    if statistic not in _VIEWS:
        raise NoClosedFormError("is made of sums that have no closed form without one point")
    return _VIEWS[statistic]
