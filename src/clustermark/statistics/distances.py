"""Distances between points: sums for each point, extremes for each pair of clusters, ranks, and densities."""

from __future__ import annotations

from functools import cached_property
from math import inf, sqrt
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clustermark import _kernel
from clustermark.errors import InputError, Mention
from clustermark.statistics.centroids import Centroids, codes_in, nearest_centers
from clustermark.statistics.scatter import Scatter
from clustermark.statistics.statistic import Takes
from clustermark.subjects.geometry import GEOMETRY, Geometry

if TYPE_CHECKING:
    from typing import Any, Self

    from numpy.typing import NDArray


_ALIKE = 1e-8
"""A variance of distances below this share of their squared mean is not computed as a difference of squares."""


class PointSums(NamedTuple):
    """Mean distances of each point to its own cluster and to the nearest other one."""

    own: NDArray[np.float64]
    """a: the mean distance to the other points of its cluster; 0 for a point that is alone."""
    other: NDArray[np.float64]
    """b: the least mean distance to the points of another cluster; inf where there is none."""
    neighbours: NDArray[np.int32]
    """The number of that cluster, the first of equally near ones; -1 where there is none."""
    codes: NDArray[np.int32]
    """The number of each point's cluster."""
    sizes: NDArray[np.int64]
    """Number of points of each cluster."""

    @classmethod
    def takes(cls) -> Takes:
        """Accept distances of any kind; weights of points have no meaning here."""
        return Takes(comparison=GEOMETRY, needs="mean distances")

    @classmethod
    def of(cls, geometry: Geometry) -> Self:
        """Return the statistic of points and their clusters."""
        return geometry.once(cls, cls._measure)

    @classmethod
    def _measure(cls, geometry: Geometry) -> Self:
        if geometry.is_linear:
            own, other, neighbours, codes = _sum_by_centers(geometry.squared())
        else:
            own, other, neighbours = _kernel.sum_distances(*geometry.pairs, geometry.threads, geometry.progress)
            codes = geometry.codes
        own /= np.maximum(geometry.sizes - 1, 1)[codes]
        return cls(own, other, neighbours, codes, geometry.sizes)

    @property
    def widths(self) -> NDArray[np.float64]:
        """s = (b - a) / max(a, b) of each point; 0 for a point that is alone and where both are 0."""
        if len(self.sizes) < 2:
            raise ZeroDivisionError
        most, widths = np.maximum(self.own, self.other), self.other - self.own
        if not most.all():
            most[most == 0] = 1.0  # both distances are 0
        widths /= most
        if (self.sizes == 1).any():
            widths[(self.sizes == 1)[self.codes]] = 0.0
        return widths


def _sum_by_centers(
    geometry: Geometry,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int32], NDArray[np.int32]]:
    """Return the sums of squared distances to the own and the nearest other cluster, computed from centers.

    Squared distances to the points of a cluster add up to n · (squared distance to its center) + w.
    """
    scatter = Scatter.of(geometry)
    within, sizes = scatter.within_clusters, scatter.sizes
    found = []
    for part in geometry.parts():
        codes = codes_in(scatter, part)
        own, other, neighbours = nearest_centers(scatter, part, within / sizes)
        own *= sizes[codes]
        own += within[codes]
        found.append((own, other, neighbours, codes))
    return found[0] if len(found) == 1 else tuple(map(np.concatenate, zip(*found, strict=True)))  # type: ignore[return-value]


class _PairTables(NamedTuple):
    sums: NDArray[np.float64]
    least: NDArray[np.float64]
    largest: NDArray[np.float64]
    farthest: NDArray[np.float64]
    square_sum: float


class PairExtremes:
    """Sums, minima and maxima of the distances between the points of each pair of clusters.

    The distances are computed when one of the fields is first read, because some indices need only the centers.
    """

    def __init__(self, geometry: Geometry) -> None:
        self.sizes = geometry.sizes
        """Number of points of each cluster."""
        self._geometry = geometry

    @cached_property
    def _tables(self) -> _PairTables:
        geometry, n, k = self._geometry, self._geometry.n, self.k
        pairs = geometry.pairs
        if n * k > geometry.limits.extremes:
            raise InputError(
                f"X: {n:,} points in {k:,} clusters would need {n * k:,} numbers three times, and the limit is "
                f"{geometry.limits.extremes:,}; take a sample of the points"
            )
        *tables, squares = _kernel.tabulate_pairs(*pairs, geometry.threads, geometry.progress)
        sums, least, largest, farthest = (table.reshape(k, k) for table in tables)
        return _PairTables(sums, least, largest, farthest, float(squares.sum()) / 2)

    @property
    def sums(self) -> NDArray[np.float64]:
        """Sums of distances; within a cluster each pair counts twice."""
        return self._tables.sums

    @property
    def least(self) -> NDArray[np.float64]:
        """Least distances; within a cluster inf."""
        return self._tables.least

    @property
    def largest(self) -> NDArray[np.float64]:
        """Largest distances; within a cluster its diameter."""
        return self._tables.largest

    @property
    def hausdorff(self) -> NDArray[np.float64]:
        """Hausdorff distances."""
        farthest = self._tables.farthest
        return np.maximum(farthest, farthest.T)

    @property
    def square_sum(self) -> float:
        """The sum of the squares of all distances."""
        return self._tables.square_sum

    @classmethod
    def takes(cls) -> Takes:
        """Accept distances of any kind."""
        return Takes(comparison=GEOMETRY, needs="distances")

    @classmethod
    def of(cls, geometry: Geometry) -> Self:
        """Return the statistic of points and their clusters."""
        return geometry.once(cls, cls)

    @property
    def k(self) -> int:
        """Number of clusters."""
        return len(self.sizes)

    @property
    def n_within(self) -> int:
        """N_w: the number of pairs of points within a cluster."""
        return sum(n * (n - 1) // 2 for n in self.sizes.tolist())

    @property
    def n_between(self) -> int:
        """N_b: the number of pairs of points in two clusters."""
        n = int(self.sizes.sum())
        return n * (n - 1) // 2 - self.n_within

    @property
    def within_sum(self) -> float:
        """S_w: the sum of distances within clusters."""
        return float(np.trace(self.sums)) / 2

    @cached_property
    def between_sum(self) -> float:
        """S_b: the sum of distances between clusters."""
        return float(np.triu(self.sums, 1).sum())

    @cached_property
    def correlation(self) -> float:
        """Correlation of the distance of two points with being in two clusters; 0/0 if all distances are equal."""
        if self.is_constant:
            raise ZeroDivisionError
        n = self.n_within + self.n_between
        mean = (self.within_sum + self.between_sum) / n
        variance = self.square_sum / n - mean * mean
        difference = self.between_sum / self.n_between - self.within_sum / self.n_within
        if variance < _ALIKE * mean * mean:
            difference, variance = self._compare_alike(mean)
        return difference * sqrt(self.n_within / n * (self.n_between / n)) / sqrt(variance)

    def _compare_alike(self, mean: float) -> tuple[float, float]:
        """Return the difference of mean distances between and within clusters, and the variance, without cancellation.

        Differences of squares of nearly equal distances would cancel, so deviations from the mean are summed row by
        row. There are few rows, because only few points can be nearly equidistant.
        """
        X, measure = self._geometry.measured
        sums, squares, codes = [0.0, 0.0], 0.0, self._geometry.codes
        for i in range(1, len(X)):
            away = _row_of_distances(X, measure, i) - mean
            apart = codes[:i] != codes[i]
            sums[0] += float(away[~apart].sum())
            sums[1] += float(away[apart].sum())
            squares += float((away * away).sum())
        n = self.n_within + self.n_between
        variance = squares / n - (sum(sums) / n) ** 2
        return sums[1] / self.n_between - sums[0] / self.n_within, variance

    @property
    def is_constant(self) -> bool:
        """Whether all distances are equal."""
        least = self.least_between
        if float(self.largest.max()) > least:
            return False
        return self.within_sum + self.between_sum >= least * (self.n_within + self.n_between)

    @property
    def least_between(self) -> float:
        """The least distance between points of two clusters."""
        return float(self.least.min())

    @property
    def diameters(self) -> NDArray[np.float64]:
        """The largest distance within each cluster."""
        return self.largest.diagonal()

    @cached_property
    def centroids(self) -> Centroids:
        """The centers of the same clusters."""
        if self._geometry.metric != "euclidean":
            raise InputError(
                "generalized_dunn: this needs the centers of clusters, so features and ", Mention("metric", "euclidean")
            )
        return Centroids.of(self._geometry)


def _row_of_distances(X: NDArray[Any], measure: str, i: int) -> NDArray[np.float64]:
    """Return the distances of point i to all points before it."""
    if measure == "precomputed":
        return np.asarray(X[i, :i], np.float64)
    away = X[:i].astype(np.float64) - X[i]
    if measure == "manhattan":
        return np.asarray(abs(away).sum(axis=1))
    squares = (away * away).sum(axis=1)
    return np.asarray(np.sqrt(squares) if measure == "euclidean" else squares)


class DistanceRanks(NamedTuple):
    """All distances in order: those within clusters against those between them."""

    n_within: int
    """N_w: the number of pairs of points within a cluster."""
    n_between: int
    """N_b: the number of pairs of points in two clusters."""
    concordant: int
    """s⁺: pairs of a smaller distance within a cluster and a larger one between clusters."""
    discordant: int
    """s⁻: pairs of a larger distance within a cluster and a smaller one between clusters."""
    within_sum: float
    """S_w: the sum of distances within clusters."""
    least_sum: float
    """S_min: the sum of the N_w smallest distances."""
    largest_sum: float
    """S_max: the sum of the N_w largest distances."""

    @classmethod
    def takes(cls) -> Takes:
        """Accept distances of any kind."""
        return Takes(comparison=GEOMETRY, needs="distances")

    @classmethod
    def of(cls, geometry: Geometry) -> Self:
        """Return the statistic of points and their clusters; raise if the distances exceed `limits.sorted_pairs`."""
        return geometry.once(cls, cls._measure)

    @classmethod
    def _measure(cls, geometry: Geometry) -> Self:
        pairs = geometry.n * (geometry.n - 1) // 2
        if pairs > (most := geometry.limits.sorted_pairs):
            raise InputError(
                f"X: {geometry.n:,} points have {pairs:,} distances to sort, and the limit is {most:,}; "
                "take a sample of the points"
            )
        return cls(*_kernel.rank_distances(*geometry.pairs, geometry.progress))


NOISE = (-1, "-1")
"""Labels of points that density-based algorithms assign to no cluster: a number, or its text in a file."""


class Validities(NamedTuple):
    """Sparseness of each cluster, and its separation from the nearest other one, by mutual reachability."""

    sizes: NDArray[np.int64]
    """Number of points of each cluster."""
    sparseness: NDArray[np.float64]
    """The longest edge between inner points of the minimum spanning tree of mutual reachability."""
    separation: NDArray[np.float64]
    """The least reachability between its inner points and those of another cluster."""
    names: list[Any]
    """The label of each cluster."""

    @property
    def scores(self) -> NDArray[np.float64]:
        """(separation - sparseness) / the larger of both, for each cluster; 0 where both are 0."""
        return _compare(self.separation, self.sparseness)


class Density:
    """Density of the clusters, by a tree of mutual reachability of each."""

    def __init__(self, geometry: Geometry) -> None:
        self.n = geometry.n
        """Number of points, noise included."""
        self._geometry = geometry

    @classmethod
    def takes(cls) -> Takes:
        """Accept distances of any kind if the number of features is known."""
        return Takes(comparison=GEOMETRY, needs="distances")

    @classmethod
    def of(cls, geometry: Geometry) -> Self:
        """Return the statistic of points and their clusters; the label -1 is noise unless a policy says otherwise."""
        return geometry.once(cls, cls)

    def validities(self, variant: str = "exact") -> Validities:
        """Return the validities of the clusters; raise ZeroDivisionError if there are fewer than two.

        variant: which of several least trees is taken, and what counts as noise, as in `dbcv`.
        """
        return self._geometry.once((Density, variant), lambda geometry: _measure_density(geometry, variant))


def _measure_density(geometry: Geometry, variant: str) -> Validities:
    if geometry.n_features is None or geometry.metric == "callable":
        raise InputError("X: the density of clusters needs the number of features; pass features and a metric")
    noise = set(_unnamed_noise(geometry))
    left_out = np.array([name in noise for name in geometry.names])
    if variant == "matlab":
        left_out |= geometry.sizes == 1
    names = [name for name, left in zip(geometry.names, left_out, strict=True) if not left]
    geometry = geometry.without(left_out)
    if geometry.k < 2:
        raise ZeroDivisionError
    found = _kernel.find_density(*geometry.pairs, variant, geometry.threads, geometry.progress)
    return Validities(geometry.sizes, *found, names)


def _unnamed_noise(geometry: Geometry) -> list[Any]:
    """Return the labels -1 and "-1", unless a policy names them."""
    return [label for label in NOISE if label not in geometry.noise]


def _compare(separation: NDArray[np.float64], sparseness: NDArray[np.float64]) -> NDArray[np.float64]:
    most = np.maximum(sparseness, separation)
    return np.where(most == 0, 0.0, (separation - sparseness) / np.where(most == 0, 1.0, most))


class ReachTree:
    """The minimum spanning tree of mutual reachability over all points, including noise."""

    def __init__(self, geometry: Geometry) -> None:
        self.n = geometry.n
        """Number of points, noise included."""
        self._geometry = geometry

    @classmethod
    def takes(cls) -> Takes:
        """Accept distances of any kind."""
        return Takes(comparison=GEOMETRY, needs="distances")

    @classmethod
    def of(cls, geometry: Geometry) -> Self:
        """Return the statistic of points and their clusters; the label -1 is noise unless a policy says otherwise."""
        return geometry.once(cls, cls)

    def edges(self, neighbour: int) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
        """Return the edges: their starts, ends and lengths.

        If several trees are least, these are the shortest and the longest edge of any of them between every two
        clusters, and within every cluster.

        neighbour: the core distance of a point is its distance to its neighbour of this number, or to its last one.
        """
        neighbour = min(neighbour, self._geometry.n - 1)
        return self._geometry.once((ReachTree, neighbour), lambda geometry: _span(geometry, neighbour))

    def weigh(self, neighbour: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return the sizes and validities of clusters: (separation - sparseness) / the larger of both, from -1 to 1.

        As hdbscan defines them: the sparseness of a cluster is its longest edge, its separation the shortest edge to
        another cluster, or twice the longest of all edges if there is none; for a single cluster twice the shortest
        edge to noise.
        """
        geometry = self._geometry
        unnamed = _unnamed_noise(geometry)
        is_noise = np.array([name in unnamed for name in geometry.names])
        kept = np.flatnonzero(~is_noise)
        if not len(kept):
            raise ZeroDivisionError
        start, end, lengths = self.edges(neighbour)
        one, two = geometry.codes[start], geometry.codes[end]
        sparseness, separation = np.zeros(geometry.k), np.full(geometry.k, inf)
        noisy = is_noise[one] | is_noise[two]
        same = (one == two) | (is_noise[one] & is_noise[two])
        np.maximum.at(sparseness, one[same], lengths[same])
        for side in (one, two):
            np.minimum.at(separation, side[~same & ~noisy], lengths[~same & ~noisy])
        longest = float(lengths.max(initial=0.0))
        if len(kept) == 1 and (~same).any():
            longest = float(lengths[~same].min())
        separation[separation == inf] = 2 * longest
        return geometry.sizes[kept], _compare(separation, sparseness)[kept]


def _span(geometry: Geometry, neighbour: int) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    if geometry.n == 1:
        return np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0)
    return _kernel.span_reachability(*geometry.pairs, neighbour, geometry.threads, geometry.progress)
