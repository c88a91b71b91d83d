"""Scatter of points about the centers of their clusters, in time linear in the points.

Centers are kept with twice the precision of a double (`Precise`), so that points far from the origin lose no digits.
"""

from __future__ import annotations

from functools import cached_property, reduce
from math import inf, nan
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from clustermark import _kernel
from clustermark.errors import InputError
from clustermark.statistics.statistic import Takes
from clustermark.subjects.geometry import GEOMETRY, Geometry

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
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

    def over(self, divisor: Precise) -> Precise:
        """Return the quotient; its remainder is computed with exact products."""
        high = (self.high + self.low) / divisor.high
        product, lost = _multiply(high, divisor.high)
        rest = ((self.high - product) - lost) + (self.low - high * divisor.low)
        return Precise(high, rest / divisor.high)

    def columns(self) -> Precise:
        """Return a list of numbers as a table of one column."""
        return Precise(self.high[:, None], self.low[:, None])

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


_EPS: Final = float(np.finfo(np.float64).eps)
_SOUND: Final = 1e-3
"""Determinants are computed from products of deviations if the least eigenvalue of correlations is this large."""
_SMALLEST: Final = 1e-140
"""Squares of smaller differences lose their digits."""

WEIGHTED = "a point counts as often as it weighs"


class Scatter:
    """Sums of squares about the centers of clusters and about the center of all points."""

    def __init__(
        self,
        names: list[Any],
        weights: Precise,
        sums: Precise,
        squares: NDArray[np.float64],
        counts: NDArray[np.int64],
        geometry: Geometry | None = None,
    ) -> None:
        self.names = names
        """The label of each cluster; a unique object for a point that a policy made a singleton."""
        self.weights = weights
        """The weight of each cluster with all its digits: an error in it moves a center that is far from the origin."""
        self.sizes = weights.high
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
        return cls(whole.names, whole.weights, whole.sums, whole.squares, whole.counts, geometry)

    @classmethod
    def _measure_part(cls, part: Geometry) -> Scatter:
        return cls(*_sum_up(part), own_spread(part).squares, _count_points(part))

    def merge(self, other: Scatter) -> Scatter:
        """Return the statistic of the points of both; clusters are matched by their labels."""
        names = list(dict.fromkeys([*self.names, *other.names]))
        p = self.squares.shape[1]
        squares, counts = np.zeros((len(names), p)), np.zeros(len(names), np.int64)
        weights = Precise(np.zeros(len(names)), np.zeros(len(names)))
        sums = Precise(np.zeros((len(names), p)), np.zeros((len(names), p)))
        for one in (self, other):
            at = find_places(names, one.names)
            own, mine = Precise(weights.high[at], weights.low[at]), Precise(sums.high[at], sums.low[at])
            n, m = own.high[:, None], one.sizes[:, None]
            divisor = Precise(np.where(own.high == 0, 1.0, own.high), own.low)
            apart = mine.over(divisor.columns()).minus(one.centers)
            squares[at] += one.squares + n * m / (n + m) * apart * apart
            both, heavy = mine.plus(one.sums), own.plus(one.weights)
            sums.high[at], sums.low[at] = both.high, both.low
            weights.high[at], weights.low[at] = heavy.high, heavy.low
            counts[at] += one.counts
        return Scatter(names, weights, sums, squares, counts)

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
        return self.sums.over(self.weights.columns())

    @cached_property
    def middle(self) -> Precise:
        """The mean of all points."""
        return self.sums.total().over(self.weights.total())

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
        for cluster, away, weights in self._deviate():
            yield cluster, (away if weights is None else away * weights[:, None]).T @ away

    def _deviate(self) -> Iterator[tuple[int, NDArray[np.float64], NDArray[np.float64] | None]]:
        """Yield the number, the deviations from the center and the weights, for each cluster of each part."""
        if self.geometry is None:
            raise InputError("a merged Scatter has sums of squares and no products of features")
        for part in self.geometry.parts():
            order, starts = part.by_cluster
            for own, cluster in enumerate(self.find_clusters(part).tolist()):
                points = order[starts[own] : starts[own + 1]]
                away = part.X[points].astype(np.float64, copy=False)
                away -= self.centers.high[cluster]
                away -= self.centers.low[cluster]
                yield cluster, away, None if part.weights is None else part.weights[points]

    def factors(self, groups: NDArray[np.int64]) -> list[NDArray[np.float64]]:
        """Return a triangular factor R of the products RᵀR of deviations in each group of clusters.

        A factor keeps digits of features that hardly differ, which the products lose by squaring the deviations.
        groups: the number of each cluster's group; -1 for a cluster that is left out.
        """
        p = self.squares.shape[1]
        found = [np.zeros((0, p)) for _ in range(int(groups.max()) + 1)]
        waiting: list[list[NDArray[np.float64]]] = [[] for _ in found]
        for cluster, away, weights in self._deviate():
            if (group := int(groups[cluster])) < 0:
                continue
            waiting[group].append(away if weights is None else away * np.sqrt(weights)[:, None])
            if sum(map(len, waiting[group])) >= 4 * p + 1024:
                found[group], waiting[group] = factor(found[group], *waiting[group]), []
        return [factor(one, *rest) for one, rest in zip(found, waiting, strict=True)]

    @cached_property
    def within_factor(self) -> NDArray[np.float64]:
        """R with RᵀR = W."""
        return self.factors(np.zeros(self.k, np.int64))[0]

    @cached_property
    def root_between(self) -> NDArray[np.float64]:
        """M with MᵀM = B: the deviations of the centers from the middle, times the roots of their weights."""
        return np.asarray(self.centers.minus(self.middle) * np.sqrt(self.sizes)[:, None])

    @cached_property
    def rounding(self) -> NDArray[np.float64]:
        """The part of a feature's deviations that may be rounding, for each feature: more if it is far from 0."""
        spread = np.sqrt((self.within_features + self.between_features) / self.n)
        far = np.abs(self.centers.high).max(axis=0) / np.where(spread > 0, spread, 1.0)
        p = len(far)
        return np.asarray(np.minimum(64 * p * _EPS * (1 + far), np.sqrt(8 * p * _EPS)))

    def refuse_tiny(self) -> None:
        """Refuse a feature whose numbers differ, but by so little that their squares lose digits or vanish."""
        tiny = np.flatnonzero(self.within_features + self.between_features < self.n * _SMALLEST**2)
        if not len(tiny) or self.geometry is None:
            return
        ends = [(part.X[:, tiny].min(axis=0), part.X[:, tiny].max(axis=0)) for part in self.geometry.parts()]
        low, high = np.min([end[0] for end in ends], axis=0), np.max([end[1] for end in ends], axis=0)
        if (low < high).any():
            feature = int(tiny[(low < high).argmax()])
            raise InputError(
                f"X: the numbers of feature {feature} differ by less than {_SMALLEST:g}, too little to be squared; "
                f"multiply this feature by {1 / _SMALLEST:g}"
            )

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
        self.refuse_tiny()
        rank = int(self.counts.sum()) - self.k
        return log_det(self.within_matrix, rank, lambda: self.within_factor, self.rounding)

    @cached_property
    def log_det_total(self) -> float:
        """ln det T; -inf where T is singular."""
        self.refuse_tiny()

        def make_factor() -> NDArray[np.float64]:
            return factor(self.within_factor, self.root_between)

        total = self.within_matrix + self.between_matrix
        return log_det(total, int(self.counts.sum()) - 1, make_factor, self.rounding)

    @cached_property
    def log_det_clusters(self) -> NDArray[np.float64]:
        """ln det W of each cluster; -inf where it is singular."""
        self.refuse_tiny()
        weak: list[int] = []
        found = np.empty(self.k)
        for cluster, (points, products) in enumerate(zip(self.counts.tolist(), self.cluster_matrices(), strict=True)):
            found[cluster] = log_det(products, points - 1)
            if np.isnan(found[cluster]):
                weak.append(cluster)
        if weak:
            groups = np.full(self.k, -1)
            groups[weak] = np.arange(len(weak))
            found[weak] = [log_det_of_factor(one, self.rounding) for one in self.factors(groups)]
        return found


def find_places(names: list[Any], wanted: list[Any]) -> NDArray[np.int32]:
    """Return the positions of labels among the names."""
    places = {name: place for place, name in enumerate(names)}
    try:
        return np.array([places[name] for name in wanted], np.int32)
    except KeyError as error:
        raise InputError(f"there is no cluster {error.args[0]!r} among those of all points") from None


def _cluster_weights(geometry: Geometry) -> Precise:
    if geometry.weights is None:
        return Precise(geometry.sizes.astype(np.float64), np.zeros(geometry.k))
    ones = np.ones((len(geometry.codes), 1))
    return Precise(*_kernel.sum_points(ones, geometry.codes, geometry.weights, geometry.k, geometry.threads))


def _count_points(geometry: Geometry) -> NDArray[np.int64]:
    if geometry.weights is None:
        return geometry.sizes
    return np.bincount(geometry.codes[geometry.weights > 0], minlength=geometry.k)


class _Sums(NamedTuple):
    names: list[Any]
    weights: Precise
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
    centers, middle = sums.over(weights.columns()), sums.total().over(weights.total())
    return spread_about(geometry, geometry.codes, centers, middle)


def spread_about(part: Geometry, codes: NDArray[np.int32], centers: Precise, middle: Precise) -> ClusterSpread:
    """Return the spread of points about any centers; `codes` has the number of each point's center."""
    k = len(centers.high)
    high, low = (np.concatenate([a.ravel(), b]) for a, b in zip(centers, middle, strict=True))
    squares, distances, total = _kernel.spread_about(part.X, codes, part.weights, high, low, k, part.threads)
    return ClusterSpread(squares.reshape(k, -1), distances, total)


def factor(*rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return a triangular R with the same RᵀR as the rows together."""
    return np.asarray(np.linalg.qr(np.vstack(rows), mode="r"))


def log_det(
    matrix: NDArray[np.float64],
    most_rank: float,
    make_factor: Callable[[], NDArray[np.float64]] | None = None,
    rounding: NDArray[np.float64] | None = None,
) -> float:
    """Return the logarithm of the determinant of products of deviations; -inf where features depend on each other.

    Features are scaled first, so only their correlations decide. Where these are so close to 1 that the products have
    lost digits, the factor of the deviations decides; NaN if there is none.
    most_rank: the largest rank for this number of points. make_factor, rounding: see `Scatter`.
    """
    lengths = np.sqrt(np.diag(matrix))
    if not lengths.all() or most_rank < len(matrix):
        return -inf
    scaled = matrix / lengths[:, None] / lengths
    if is_sound(scaled):
        return float(np.linalg.slogdet(scaled)[1] + 2 * np.log(lengths).sum())
    if make_factor is None or rounding is None:
        return nan
    return log_det_of_factor(make_factor(), rounding)


def is_sound(correlations: NDArray[np.float64]) -> bool:
    """Return whether correlations have digits enough to be inverted: a factor 1000 less than a double has."""
    return bool(np.linalg.eigvalsh(correlations)[0] >= _SOUND)


def log_det_of_factor(triangular: NDArray[np.float64], rounding: NDArray[np.float64]) -> float:
    """Return ln det RᵀR; -inf where R is singular up to rounding."""
    lengths = np.sqrt((triangular * triangular).sum(axis=0))
    if not lengths.all() or len(triangular) < len(lengths):
        return -inf
    scaled = triangular / lengths
    if np.linalg.svd(scaled, compute_uv=False)[-1] <= rounding.max():
        return -inf
    return 2 * float(np.log(np.abs(np.diag(scaled))).sum() + np.log(lengths).sum())
