"""Scatter of points about the centers of their clusters, in time linear in the points.

Centers are kept with twice the precision of a double (`Precise`), so that points far from the origin lose no digits.
"""

from __future__ import annotations

from functools import cached_property, reduce
from math import inf
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clustermark import _kernel
from clustermark.errors import InputError
from clustermark.statistics.statistic import Takes
from clustermark.subjects.geometry import GEOMETRY, Geometry

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Self

    from numpy.typing import NDArray


class Precise(NamedTuple):
    """Numbers as unevaluated sums of two doubles: twice the precision of one."""

    high: NDArray[np.float64]
    low: NDArray[np.float64]

    def plus(self, other: Precise) -> Precise:
        """Return the sum; the low part keeps the rounding error of the high one."""
        total = self.high + other.high
        back = total - self.high
        lost = (self.high - (total - back)) + (other.high - back)
        return _normalise(total, lost + (self.low + other.low))

    def minus(self, other: Precise) -> NDArray[np.float64]:
        """Return the difference as a double."""
        return np.asarray((self.high - other.high) + (self.low - other.low))

    def over(self, divisor: NDArray[np.float64] | float) -> Precise:
        """Return the quotient; its remainder is computed with exact products."""
        high = (self.high + self.low) / divisor
        product, lost = _multiply(high, divisor)
        return Precise(high, (((self.high - product) - lost) + self.low) / divisor)

    def times(self, factor: NDArray[np.float64] | float) -> Precise:
        """Return the product with a double."""
        high, lost = _multiply(self.high, factor)
        return _normalise(high, lost + self.low * factor)

    def total(self) -> Precise:
        """Return the sum over rows, by halves."""
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
    """Return a product and its rounding error (Dekker 1971)."""

    def split(x: Any) -> tuple[Any, Any]:
        far = x * 134217729.0
        high = far - (far - x)
        return high, x - high

    product = a * b
    (ah, al), (bh, bl) = split(a), split(b)
    return product, ((ah * bh - product) + ah * bl + al * bh) + al * bl


WEIGHTED = "a point counts as often as it weighs"


class Scatter:
    """Sums of squares about the centers of clusters and about the center of all points."""

    def __init__(
        self,
        names: list[Any],
        weights: NDArray[np.float64],
        sums: Precise,
        squares: NDArray[np.float64],
        counts: NDArray[np.int64],
        geometry: Geometry | None = None,
    ) -> None:
        self.names = names
        """The label of each cluster; a unique object for a point that a policy made a singleton."""
        self.sizes = weights
        """Number of points of each cluster, or their weight."""
        self.sums = sums
        """The sum of the points, by cluster and feature."""
        self.squares = squares
        """The sum of squares about the center, by cluster and feature."""
        self.counts = counts
        """Number of points of each cluster with a weight above 0."""
        self.geometry = geometry
        """The points; None for merged sums of parts."""
        self._products: list[NDArray[np.float64]] | None = None

    @classmethod
    def takes(cls) -> Takes:
        """Accept features of points, with weights or without."""
        return Takes(weights=WEIGHTED, comparison=GEOMETRY, needs="features")

    @classmethod
    def of(cls, geometry: Geometry) -> Self:
        """Return the statistic of points and their clusters."""
        return geometry.once(cls, cls._measure)

    @classmethod
    def _measure(cls, geometry: Geometry) -> Self:
        whole = reduce(Scatter.merge, (cls._measure_part(part) for part in geometry.parts()))
        return cls(whole.names, whole.sizes, whole.sums, whole.squares, whole.counts, geometry)

    @classmethod
    def _measure_part(cls, part: Geometry) -> Scatter:
        return cls(*_sum_up(part), own_spread(part).squares, _count_points(part))

    def merge(self, other: Scatter) -> Scatter:
        """Return the statistic of the points of both; clusters are matched by their labels."""
        names = list(dict.fromkeys([*self.names, *other.names]))
        p = self.squares.shape[1]
        sizes, squares, counts = np.zeros(len(names)), np.zeros((len(names), p)), np.zeros(len(names), np.int64)
        sums = Precise(np.zeros((len(names), p)), np.zeros((len(names), p)))
        for one in (self, other):
            at = find_places(names, one.names)
            n, m = sizes[at, None], one.sizes[:, None]
            mine = Precise(sums.high[at], sums.low[at])
            apart = mine.over(np.where(n == 0, 1.0, n)).minus(one.centers)
            squares[at] += one.squares + n * m / (n + m) * apart * apart
            both = mine.plus(one.sums)
            sums.high[at], sums.low[at], sizes[at] = both.high, both.low, sizes[at] + one.sizes
            counts[at] += one.counts
        return Scatter(names, sizes, sums, squares, counts)

    @property
    def n(self) -> float:
        """Number of points, or their total weight."""
        return float(self.sizes.sum())

    @property
    def k(self) -> int:
        """Number of clusters."""
        return len(self.sizes)

    @property
    def are_single(self) -> NDArray[np.bool_]:
        """Whether each cluster is one point; a point with a weight above 1 counts as several points."""
        return np.asarray((self.counts == 1) & (self.sizes <= 1))

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
        """The sum of squares of the centers about the middle, weighted by cluster size, by feature."""
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
        for _, products in [*enumerate(self._products)] if self._products else self._multiply_deviations():
            total += products
        return total

    def cluster_matrices(self) -> Iterable[NDArray[np.float64]]:
        """Return W of each cluster, in order; kept if they are few."""
        if self._products is None:
            numbers = self.k * self.squares.shape[1] ** 2
            limits = Geometry.limits if self.geometry is None else self.geometry.limits
            in_memory = self.geometry is None or self.geometry.in_memory
            if numbers > limits.block and in_memory:
                return (products for _, products in self._multiply_deviations())
            if numbers > limits.products:
                raise InputError(
                    f"X: the products of the features of {self.k:,} clusters are {numbers:,} numbers, and the limit is "
                    f"{limits.products:,} where points come in batches; pass them in memory"
                )
            self._products = [np.zeros((self.squares.shape[1],) * 2) for _ in range(self.k)]
            for cluster, products in self._multiply_deviations():
                self._products[cluster] += products
        return self._products

    def _multiply_deviations(self) -> Iterator[tuple[int, NDArray[np.float64]]]:
        """Yield the number and the products of deviations from the center, for each cluster of each part."""
        if self.geometry is None:
            raise InputError("a merged Scatter has sums of squares and no products of features")
        for part in self.geometry.parts():
            order, starts = part.by_cluster
            for own, cluster in enumerate(self.find_clusters(part).tolist()):
                points = order[starts[own] : starts[own + 1]]
                away = part.X[points].astype(np.float64, copy=False)
                away -= self.centers.high[cluster]
                away -= self.centers.low[cluster]
                weights = part.weights
                yield cluster, (away if weights is None else away * weights[points, None]).T @ away

    def find_clusters(self, part: Geometry) -> NDArray[np.int32]:
        """Return the number of each cluster of a part of the points among the clusters of all points."""
        if part is self.geometry:
            return np.arange(self.k, dtype=np.int32)
        return find_places(self.names, part.names)

    @cached_property
    def between_matrix(self) -> NDArray[np.float64]:
        """B: the products of deviations of the centers from the middle."""
        apart = self.centers.minus(self.middle)
        return np.asarray((apart * self.sizes[:, None]).T @ apart)

    @cached_property
    def log_det_within(self) -> float:
        """ln det W; -inf where W is singular."""
        return log_det(self.within_matrix, int(self.counts.sum()) - self.k)

    @cached_property
    def log_det_total(self) -> float:
        """ln det T; -inf where T is singular."""
        return log_det(self.within_matrix + self.between_matrix, int(self.counts.sum()) - 1)


def find_places(names: list[Any], wanted: list[Any]) -> NDArray[np.int32]:
    """Return the positions of labels among the names."""
    places = {name: place for place, name in enumerate(names)}
    try:
        return np.array([places[name] for name in wanted], np.int32)
    except KeyError as error:
        raise InputError(f"there is no cluster {error.args[0]!r} among those of all points") from None


def _cluster_weights(geometry: Geometry) -> NDArray[np.float64]:
    if geometry.weights is None:
        return geometry.sizes.astype(np.float64)
    return np.asarray(np.bincount(geometry.codes, geometry.weights, geometry.k), np.float64)


def _count_points(geometry: Geometry) -> NDArray[np.int64]:
    if geometry.weights is None:
        return geometry.sizes
    return np.bincount(geometry.codes[geometry.weights > 0], minlength=geometry.k)


class _Sums(NamedTuple):
    names: list[Any]
    weights: NDArray[np.float64]
    sums: Precise


def _sum_up(geometry: Geometry) -> _Sums:
    return geometry.once(_Sums, _make_sums)


def _make_sums(geometry: Geometry) -> _Sums:
    shape = (geometry.k, geometry.X.shape[1])
    high, low = _kernel.sum_points(geometry.X, geometry.codes, geometry.weights, geometry.k, geometry.threads)
    names = [object() if alone else name for name, alone in zip(geometry.names, geometry.alone, strict=True)]
    return _Sums(names, _cluster_weights(geometry), Precise(high.reshape(shape), low.reshape(shape)))


class ClusterSpread(NamedTuple):
    """Sums of distances, and of their squares, of points to the centers of their clusters."""

    squares: NDArray[np.float64]
    """The sum of squares, by cluster and feature."""
    distances: NDArray[np.float64]
    """For each cluster, the sum of distances."""
    total_distance: float
    """The sum of the distances of all points to the middle."""


def own_spread(geometry: Geometry) -> ClusterSpread:
    """Return the spread of points about their own centers."""
    return geometry.once(ClusterSpread, _make_spread)


def _make_spread(geometry: Geometry) -> ClusterSpread:
    _, weights, sums = _sum_up(geometry)
    centers, middle = sums.over(weights[:, None]), sums.total().over(float(weights.sum()))
    return spread_about(geometry, geometry.codes, centers, middle)


def spread_about(part: Geometry, codes: NDArray[np.int32], centers: Precise, middle: Precise) -> ClusterSpread:
    """Return the spread of points about any centers; `codes` has the number of each point's center."""
    k = len(centers.high)
    high, low = (np.concatenate([a.ravel(), b]) for a, b in zip(centers, middle, strict=True))
    squares, distances, total = _kernel.spread_about(part.X, codes, part.weights, high, low, k, part.threads)
    return ClusterSpread(squares.reshape(k, -1), distances, total)


def log_det(matrix: NDArray[np.float64], most_rank: float) -> float:
    """Return the logarithm of the determinant of products of deviations; -inf where features depend on each other.

    most_rank: the largest rank for this number of points. Features are scaled first, so only their correlations decide.
    """
    lengths = np.sqrt(np.diag(matrix))
    if not lengths.all() or most_rank < len(matrix):
        return -inf
    scaled = matrix / lengths[:, None] / lengths
    if np.linalg.eigvalsh(scaled)[0] <= 8 * len(matrix) * np.finfo(float).eps:
        return -inf
    return float(np.linalg.slogdet(scaled)[1] + 2 * np.log(lengths).sum())
