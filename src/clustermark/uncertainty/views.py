# ruff: noqa: D101, D102 - the fields are those of the statistics, which say what they are
"""The statistics without one unit: the same fields, each an array over the classes of units."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from clustermark.uncertainty.units import NoClosedFormError

if TYPE_CHECKING:
    from collections.abc import Callable

    from clustermark.uncertainty.units import Numbers, OfCell, Units


class View:
    """A statistic without one unit; a field that has no closed form raises `NoClosedFormError`."""

    weighted = False

    def __init__(self, units: Units) -> None:
        self._units = units
        self._found: dict[Any, tuple[Numbers, Numbers]] = {}

    def find(self, make: Callable[[Units], tuple[Numbers, Numbers]]) -> tuple[Numbers, Numbers]:
        """The sums of both sides, found once."""
        if make not in self._found:
            self._found[make] = make(self._units)
        return self._found[make]

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


def both_sides(make: Callable[[Units], tuple[Numbers, Numbers]]) -> tuple[Any, Any]:
    """Two fields: of true and of predicted clusters."""
    return property(lambda view: view.find(make)[0]), property(lambda view: view.find(make)[1])


def sum_of_cells(of: OfCell) -> Any:
    """A field: the sum over cells of a function of their size and of the sizes of their clusters."""
    return cached_property(lambda view: view._units.sum_cells(of))


def sum_of_whole(of: OfCell) -> Any:
    """The same of a function that is 0 for all but whole clusters, for which some units have a quicker way."""
    return cached_property(lambda view: getattr(view._units, "sum_whole", view._units.sum_cells)(of))


def _sum_squares(units: Units) -> tuple[Numbers, Numbers]:
    return units.sum_sizes(np.square)


class SquareSumsView(View):
    true, pred = both_sides(_sum_squares)

    @cached_property
    def cells(self) -> Numbers:
        return self._units.sum_counts(np.square)


class PairCountsView(View):
    @cached_property
    def _squares(self) -> SquareSumsView:
        return SquareSumsView(self._units)

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


class ChancePairsView(PairCountsView):
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


class SizesView(View):
    best_true, best_pred = both_sides(lambda units: units.sum_largest())
    largest_true, largest_pred = both_sides(lambda units: units.largest)
    square_true, square_pred = both_sides(_sum_squares)
    recall, precision = both_sides(lambda units: units.sum_clusters(_share))
    macro_recall, macro_precision = both_sides(lambda units: units.sum_clusters(_share_of_square))

    @property
    def cells(self) -> Any:
        return self._units.cells

    @property
    def scattered_true(self) -> Numbers:
        return np.maximum(self.n - self.recall, 0.0)

    @property
    def scattered_pred(self) -> Numbers:
        return np.maximum(self.n - self.precision, 0.0)


def _entropy_term(size: Numbers) -> Numbers:
    x = np.asarray(size, np.float64)
    return x * np.log(np.maximum(x, 1.0))


class EntropiesView(View):
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


def _share_of_both(n: Numbers, a: Numbers, b: Numbers) -> Numbers:
    return (n / a) * (n / b)


class SharesView(View):
    @cached_property
    def shares(self) -> Numbers:
        shares = self._units.sum_cells(_share_of_both)
        most = np.minimum(self.k_true, self.k_pred)
        return np.where(np.abs(shares - 1) <= 1e-15 * most, 1.0, np.clip(shares, 1.0, most))


class JointSumsView(View):
    exact_clusters = sum_of_whole(lambda n, a, b: ((n == a) & (n == b)).astype(np.float64))
    exact_singletons = sum_of_whole(lambda n, a, b: ((n == 1) & (a == 1) & (b == 1)).astype(np.float64))
    shares = sum_of_cells(_share_of_both)
    of_larger = sum_of_cells(lambda n, a, b: n / np.maximum(a, b) * n)
    of_smaller = sum_of_cells(lambda n, a, b: n / np.minimum(a, b) * n)
    f = sum_of_cells(lambda n, a, b: 2 * n / (a + b) * n)
    jaccard = sum_of_cells(lambda n, a, b: n / (a + b - n) * n)

    @property
    def torn(self) -> Numbers:
        return np.maximum(self.n - self.of_smaller, 0.0)


class MacroSharesView(View):
    shares = sum_of_cells(_share_of_both)
    macro_recall, _ = both_sides(lambda units: units.sum_clusters(_share_of_square))


class LinksView(PairCountsView):
    _resolved_true, _resolved_pred = both_sides(
        lambda units: units.sum_clusters(lambda squares, size: (squares - size) / np.maximum(size - 1, 1))
    )

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
        return JointSumsView(self._units).exact_singletons

    @property
    def resolved_true(self) -> Numbers:
        return self._resolved_true + self._singletons

    @property
    def resolved_pred(self) -> Numbers:
        return self._resolved_pred + self._singletons
