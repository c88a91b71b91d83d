"""How points scatter about the centers of their clusters; everything here is linear in the points.

Centers are kept with twice the precision of a double, so that points far from the origin lose nothing.
"""

from __future__ import annotations

from functools import cached_property
from math import inf
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clustermark import _kernel
from clustermark.comparisons.geometry import GEOMETRY, Geometry
from clustermark.errors import InputError
from clustermark.statistics.statistic import Takes

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Self

    from numpy.typing import NDArray

_WEIGHTED = "a point counts as often as it weighs"
_BLOCK = 1 << 22
"""So many numbers are worked on at once where clusters are compared with clusters."""


class Precise(NamedTuple):
    """Numbers as unevaluated sums of two doubles."""

    high: NDArray[np.float64]
    low: NDArray[np.float64]

    def plus(self, other: Precise) -> Precise:
        """The sum, with the rounding of the high parts kept."""
        total = self.high + other.high
        back = total - self.high
        lost = (self.high - (total - back)) + (other.high - back)
        return _normalise(total, lost + (self.low + other.low))

    def minus(self, other: Precise) -> NDArray[np.float64]:
        """The difference as a double."""
        return np.asarray((self.high - other.high) + (self.low - other.low))

    def over(self, divisor: NDArray[np.float64] | float) -> Precise:
        """The quotient; its remainder is found with exact products."""
        high = (self.high + self.low) / divisor
        product, lost = _multiply(high, divisor)
        return Precise(high, (((self.high - product) - lost) + self.low) / divisor)

    def times(self, factor: NDArray[np.float64] | float) -> Precise:
        """The product with a double."""
        high, lost = _multiply(self.high, factor)
        return _normalise(high, lost + self.low * factor)

    def total(self) -> Precise:
        """The sum over rows, by halves."""
        rows = self
        while len(rows.high) > 1:
            half = (len(rows.high) + 1) // 2
            first, second = Precise(rows.high[:half], rows.low[:half]), Precise(rows.high[half:], rows.low[half:])
            joint = Precise(first.high[: len(second.high)], first.low[: len(second.high)]).plus(second)
            rest = slice(len(second.high), half)
            rows = Precise(np.concatenate([joint.high, first.high[rest]]), np.concatenate([joint.low, first.low[rest]]))
        return Precise(rows.high[0], rows.low[0])


def _normalise(high: NDArray[np.float64], low: NDArray[np.float64]) -> Precise:
    total = high + low
    return Precise(total, low - (total - high))


def _multiply(a: Any, b: Any) -> tuple[Any, Any]:
    """A product and what it lost to rounding (Dekker)."""

    def split(x: Any) -> tuple[Any, Any]:
        far = x * 134217729.0
        high = far - (far - x)
        return high, x - high

    product = a * b
    (ah, al), (bh, bl) = split(a), split(b)
    return product, ((ah * bh - product) + ah * bl + al * bh) + al * bl


class Scatter:
    """Sums of squares about the centers of clusters and about that of all points."""

    def __init__(
        self,
        names: list[Any],
        weights: NDArray[np.float64],
        sums: Precise,
        squares: NDArray[np.float64],
        geometry: Geometry | None = None,
    ) -> None:
        self.names = names
        """The label of each cluster."""
        self.sizes = weights
        """How many points each cluster has, or what they weigh."""
        self.sums = sums
        """For each cluster and feature, the sum of the points."""
        self.squares = squares
        """For each cluster and feature, the sum of squares about the center."""
        self._geometry = geometry
        self._products: list[NDArray[np.float64]] | None = None

    @classmethod
    def takes(cls) -> Takes:
        """Features of points, with weights or without."""
        return Takes(weights=_WEIGHTED, comparison=GEOMETRY, needs="features")

    @classmethod
    def of(cls, geometry: Geometry) -> Self:
        """The statistic of points and their clusters."""
        return geometry.once(cls, cls._measure)

    @classmethod
    def _measure(cls, geometry: Geometry) -> Self:
        return cls(*_sum_up(geometry), _spread(geometry).squares, geometry)

    def merge(self, other: Scatter) -> Scatter:
        """The statistic of the points of both, without the points themselves; clusters are matched by their labels."""
        names = list(dict.fromkeys([*self.names, *other.names]))
        p = self.squares.shape[1]
        sizes, squares = np.zeros(len(names)), np.zeros((len(names), p))
        sums = Precise(np.zeros((len(names), p)), np.zeros((len(names), p)))
        for one in (self, other):
            at = np.array([names.index(name) for name in one.names])
            n, m = sizes[at, None], one.sizes[:, None]
            mine = Precise(sums.high[at], sums.low[at])
            apart = mine.over(np.maximum(n, 1)).minus(one.centers)
            squares[at] += one.squares + n * m / (n + m) * apart * apart
            both = mine.plus(one.sums)
            sums.high[at], sums.low[at], sizes[at] = both.high, both.low, sizes[at] + one.sizes
        return Scatter(names, sizes, sums, squares)

    @property
    def n(self) -> float:
        """How many points there are, or what they weigh."""
        return float(self.sizes.sum())

    @property
    def k(self) -> int:
        """How many clusters there are."""
        return len(self.sizes)

    @cached_property
    def centers(self) -> Precise:
        """The mean of each cluster."""
        return self.sums.over(self.sizes[:, None])

    @cached_property
    def middle(self) -> Precise:
        """The mean of all points."""
        return self.sums.total().over(self.n)

    @cached_property
    def within_clusters(self) -> NDArray[np.float64]:
        """w: the sum of squares about the center of each cluster."""
        return np.asarray(self.squares.sum(axis=1))

    @cached_property
    def within_features(self) -> NDArray[np.float64]:
        """The same for each feature."""
        return np.asarray(self.squares.sum(axis=0))

    @cached_property
    def between_features(self) -> NDArray[np.float64]:
        """For each feature, the sum of squares of centers about the middle, each as often as it has points."""
        apart = self.centers.minus(self.middle)
        return np.asarray((self.sizes[:, None] * apart * apart).sum(axis=0))

    @cached_property
    def within(self) -> float:
        """tr W: the sum of squares about the centers."""
        return float(self.within_clusters.sum())

    @cached_property
    def between(self) -> float:
        """tr B: the sum of squares of the centers about the middle."""
        return float(self.between_features.sum())

    @property
    def total(self) -> float:
        """tr T: the sum of squares about the middle."""
        return self.within + self.between

    @cached_property
    def within_matrix(self) -> NDArray[np.float64]:
        """W: the products of deviations from the centers, feature by feature."""
        p = self.squares.shape[1]
        total = np.zeros((p, p))
        for products in self.cluster_matrices():
            total += products
        return total

    def cluster_matrices(self) -> Iterable[NDArray[np.float64]]:
        """W of each cluster, one after the other; kept where they are few."""
        if self._products is not None:
            return self._products
        made = self._multiply_deviations()
        if self.k * self.squares.shape[1] ** 2 > _BLOCK:
            return made
        self._products = list(made)
        return self._products

    def _multiply_deviations(self) -> Iterator[NDArray[np.float64]]:
        if self._geometry is None:
            raise InputError("a merged Scatter has sums of squares and no products of features")
        order, starts = self._geometry.by_cluster
        for k in range(self.k):
            points = order[starts[k] : starts[k + 1]]
            away = self._geometry.X[points].astype(np.float64, copy=False)
            away -= self.centers.high[k]
            away -= self.centers.low[k]
            weights = self._geometry.weights
            yield (away if weights is None else away * weights[points, None]).T @ away

    @cached_property
    def between_matrix(self) -> NDArray[np.float64]:
        """B: the products of deviations of the centers from the middle."""
        apart = self.centers.minus(self.middle)
        return np.asarray((apart * self.sizes[:, None]).T @ apart)

    @cached_property
    def log_det_within(self) -> float:
        """ln det W; -inf where W is singular."""
        return log_det(self.within_matrix, max(self.n - self.k, 0))

    @cached_property
    def log_det_total(self) -> float:
        """ln det T; -inf where T is singular."""
        return log_det(self.within_matrix + self.between_matrix, max(self.n - 1, 0))


def _cluster_weights(geometry: Geometry) -> NDArray[np.float64]:
    if geometry.weights is None:
        return geometry.sizes.astype(np.float64)
    return np.asarray(np.bincount(geometry.codes, geometry.weights, geometry.k), np.float64)


class _Sums(NamedTuple):
    names: list[Any]
    weights: NDArray[np.float64]
    sums: Precise


def _sum_up(geometry: Geometry) -> _Sums:
    return geometry.once(_Sums, _make_sums)


def _make_sums(geometry: Geometry) -> _Sums:
    shape = (geometry.k, geometry.X.shape[1])
    high, low = _kernel.sum_points(geometry.X, geometry.codes, geometry.weights, geometry.k, geometry.threads)
    return _Sums(geometry.names, _cluster_weights(geometry), Precise(high.reshape(shape), low.reshape(shape)))


class _Spread(NamedTuple):
    squares: NDArray[np.float64]
    distances: NDArray[np.float64]
    total_distance: float


def _spread(geometry: Geometry) -> _Spread:
    return geometry.once(_Spread, _make_spread)


def _make_spread(geometry: Geometry) -> _Spread:
    _, weights, sums = _sum_up(geometry)
    centers, middle = sums.over(weights[:, None]), sums.total().over(float(weights.sum()))
    high = np.concatenate([centers.high.ravel(), middle.high])
    low = np.concatenate([centers.low.ravel(), middle.low])
    squares, distances, total = _kernel.spread_about(
        geometry.X, geometry.codes, geometry.weights, high, low, geometry.k, geometry.threads
    )
    return _Spread(squares.reshape(geometry.k, -1), distances, total)


def log_det(matrix: NDArray[np.float64], most_rank: float) -> float:
    """The logarithm of the determinant of products of deviations; -inf where features depend on each other.

    most_rank: the rank that so many points can give it. Features are brought to one scale first, so that only their
    correlations decide.
    """
    lengths = np.sqrt(np.diag(matrix))
    if not lengths.all() or most_rank < len(matrix):
        return -inf
    scaled = matrix / lengths[:, None] / lengths
    if np.linalg.eigvalsh(scaled)[0] <= 8 * len(matrix) * np.finfo(float).eps:
        return -inf
    return float(np.linalg.slogdet(scaled)[1] + 2 * np.log(lengths).sum())


class Centroids:
    """Distances of points to the centers of clusters, and of the centers to each other."""

    def __init__(self, geometry: Geometry) -> None:
        self.geometry = self._geometry = geometry
        """The points and their clusters."""
        self.scatter = Scatter.of(geometry)
        """The sums of squares of the same points."""

    @classmethod
    def takes(cls) -> Takes:
        """Features of points, with weights or without."""
        return Takes(weights=_WEIGHTED, comparison=GEOMETRY, needs="features")

    @classmethod
    def of(cls, geometry: Geometry) -> Self:
        """The statistic of points and their clusters."""
        return geometry.once(cls, cls)

    @property
    def n(self) -> float:
        """How many points there are, or what they weigh."""
        return self.scatter.n

    @property
    def k(self) -> int:
        """How many clusters there are."""
        return self.scatter.k

    @property
    def distances(self) -> NDArray[np.float64]:
        """For each cluster, the sum of the distances of its points to its center."""
        return _spread(self._geometry).distances

    @property
    def total_distance(self) -> float:
        """The sum of the distances of all points to their middle."""
        return _spread(self._geometry).total_distance

    @property
    def mean_distances(self) -> NDArray[np.float64]:
        """δ: for each cluster, the mean distance of its points to its center."""
        return self.distances / self.scatter.sizes

    def rows(self) -> Iterator[tuple[slice, NDArray[np.float64]]]:
        """Δ: the distances between centers, some rows at a time."""
        centers = self.scatter.centers
        step = max(_BLOCK // max(centers.high.size, 1), 1)
        for start in range(0, self.k, step):
            rows = slice(start, start + step)
            apart = (centers.high[rows, None] - centers.high) + (centers.low[rows, None] - centers.low)
            yield rows, np.sqrt((apart * apart).sum(axis=2))

    @cached_property
    def least_distance(self) -> float:
        """min Δ: between the two centers that are closest; inf where there is one center."""
        least = inf
        for rows, away in self.rows():
            np.fill_diagonal(away[:, rows], inf)
            least = min(least, float(away.min()))
        return least

    @cached_property
    def largest_distance(self) -> float:
        """max Δ: between the two centers that are farthest apart."""
        return max(float(away.max()) for _, away in self.rows())

    @cached_property
    def nearest(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """For each point, its distance to its own center, and to the nearest of the others; inf if there is none."""
        own, other, _ = nearest_centers(self._geometry, np.zeros(self.k))
        return np.sqrt(own), np.sqrt(other)

    def mean(self, values: NDArray[np.float64]) -> float:
        """The mean of a number for each point."""
        weights = self._geometry.weights
        return float(values.mean() if weights is None else np.average(values, weights=weights))

    def cluster_sums(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """For each cluster, the sum of a number for each point."""
        weights = self._geometry.weights
        weighted = values if weights is None else values * weights
        return np.asarray(np.bincount(self._geometry.codes, weighted, self.k), np.float64)


def nearest_centers(
    geometry: Geometry, offsets: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int32]]:
    """For each point: the squared distance to its own center, the least of others plus their offsets, and whose."""
    centers = Scatter.of(geometry).centers
    return _kernel.nearest_centers(
        geometry.X, geometry.codes, centers.high.ravel(), centers.low.ravel(), offsets, geometry.k, geometry.threads
    )
