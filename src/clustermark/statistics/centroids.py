"""Distances of points to the centers of clusters, and of the centers to each other, in time linear in the points.

They need the centers of all points first, so batches are read twice. Statistics of parts of the points are merged.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property, reduce
from math import inf
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from clustermark import _kernel
from clustermark.errors import InputError
from clustermark.statistics.scatter import WEIGHTED, Precise, Scatter, own_spread, spread_about
from clustermark.statistics.statistic import Takes
from clustermark.subjects.geometry import GEOMETRY, Geometry

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Self

    from numpy.typing import NDArray


class _AboutCenters(ABC):
    """Sums over points, for each cluster and in total, that need the centers of all points."""

    def __init__(self, scatter: Scatter, by_cluster: NDArray[np.float64], total: float) -> None:
        self.scatter = scatter
        """The scatter of all points, which has the centers."""
        self._by_cluster = by_cluster
        self._total = total

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
        scatter = Scatter.of(geometry)
        return reduce(cls.merge, (cls.about(scatter, part) for part in geometry.parts()))

    @classmethod
    @abstractmethod
    def about(cls, scatter: Scatter, part: Geometry) -> Self:
        """Return the sums over a part of the points, with the centers of all points; callers merge all parts."""

    def merge(self, other: Self) -> Self:
        """Return the statistic of the points of both; their distances must be to the same centers."""
        one, two = self.scatter, other.scatter
        if one is not two and not (one.names == two.names and np.array_equal(one.sums, two.sums)):
            raise InputError("these are distances to other centers; make all parts with the Scatter of all points")
        return type(self)(one, self._by_cluster + other._by_cluster, self._total + other._total)

    @property
    def n(self) -> float:
        """Number of points, or their total weight."""
        return self.scatter.n

    @property
    def k(self) -> int:
        """Number of clusters."""
        return self.scatter.k


class Centroids(_AboutCenters):
    """Distances of points to the centers of their clusters, and of the centers to each other."""

    @property
    def distances(self) -> NDArray[np.float64]:
        """For each cluster, the sum of the distances of its points to its center."""
        return self._by_cluster

    @property
    def total_distance(self) -> float:
        """The sum of the distances of all points to their middle."""
        return self._total

    @classmethod
    def about(cls, scatter: Scatter, part: Geometry) -> Self:
        """Return the distances of a part of the points to the centers of all points."""
        if scatter.geometry is part:
            spread = own_spread(part)
        else:
            spread = spread_about(part, codes_in(scatter, part), scatter.centers, scatter.middle)
        return cls(scatter, spread.distances, spread.total_distance)

    @property
    def geometry(self) -> Geometry:
        """The points and their clusters."""
        if self.scatter.geometry is None:
            raise InputError("merged Centroids have sums of distances and no points")
        return self.scatter.geometry

    @property
    def mean_distances(self) -> NDArray[np.float64]:
        """δ: for each cluster, the mean distance of its points to its center."""
        return self.distances / self.scatter.sizes

    def rows(self) -> Iterator[tuple[slice, NDArray[np.float64]]]:
        """Yield Δ, the distances between centers, in blocks of rows."""
        centers, geometry = self.scatter.centers, self.scatter.geometry
        features = Precise(np.ascontiguousarray(centers.high.T), np.ascontiguousarray(centers.low.T))
        limits = Geometry.limits if geometry is None else geometry.limits
        step = max(min(limits.centers, limits.block) // self.k, 1)
        for start in range(0, self.k, step):
            rows = slice(start, start + step)
            yield rows, np.sqrt(_square_distances(features, rows))
            if step < self.k and geometry is not None and geometry.progress is not None:
                geometry.progress(min(start + step, self.k) / self.k)

    @property
    def least_distance(self) -> float:
        """min Δ: the distance of the two closest centers; inf if there is one center."""
        return self._extent.least

    @property
    def largest_distance(self) -> float:
        """max Δ: the distance of the two centers farthest apart."""
        return self._extent.largest

    @property
    def sums_of_distances(self) -> NDArray[np.float64]:
        """The sum of Δ over the other centers, for each center."""
        return self._extent.sums

    @cached_property
    def _extent(self) -> _Extent:
        sums, least, largest = np.empty(self.k), inf, 0.0
        for rows, away in self.rows():
            sums[rows] = away.sum(axis=1)
            largest = max(largest, float(away.max()))
            np.fill_diagonal(away[:, rows], inf)
            least = min(least, float(away.min()))
        return _Extent(sums, least, largest)


class _Extent(NamedTuple):
    """Sums and extremes of the distances between centers, from one pass over all pairs."""

    sums: NDArray[np.float64]
    least: float
    largest: float


def _square_distances(features: Precise, rows: slice) -> NDArray[np.float64]:
    """Return the squared distances of some centers to all, feature by feature.

    Squares are added in the order in which NumPy adds up a row, so that the scores are those of a plain sum.
    """

    def square(j: int) -> NDArray[np.float64]:
        high, low = features.high[j], features.low[j]
        apart = high[rows, None] - high
        apart += low[rows, None] - low
        apart *= apart
        return np.asarray(apart)

    def add(places: Iterable[int], total: NDArray[np.float64]) -> NDArray[np.float64]:
        for j in places:
            total += square(j)
        return total

    p = len(features.high)
    if p > _IN_ORDER:
        apart = (features.high.T[rows, None] - features.high.T) + (features.low.T[rows, None] - features.low.T)
        return np.asarray(np.ascontiguousarray(apart * apart).sum(axis=2))
    if p < 8:
        return add(range(1, p), square(0))
    whole = p - p % 8
    a, b, c, d, e, f, g, h = (add(range(j + 8, whole, 8), square(j)) for j in range(8))
    return add(range(whole, p), ((a + b) + (c + d)) + ((e + f) + (g + h)))


_IN_ORDER: Final = 128
"""NumPy adds up rows of up to this length in eight sums; longer ones it halves first."""


class NearestCenters(_AboutCenters):
    """Sums that compare the distances of points to their own center and to the nearest other one."""

    @property
    def ratios(self) -> NDArray[np.float64]:
        """For each cluster, the sum of distance to its center / distance to the nearest other one; 0/0 counts as 1."""
        return self._by_cluster

    @property
    def width(self) -> float:
        """The sum of (b - a) / max(a, b) over all points, where a and b are these distances.

        0/0 counts as 0, and so does a point that is alone in its cluster, as in the silhouette.
        """
        return self._total

    @classmethod
    def about(cls, scatter: Scatter, part: Geometry) -> Self:
        """Return the sums over a part of the points, with the centers of all points."""
        codes = codes_in(scatter, part)
        own, other = _distances(scatter, part)
        with np.errstate(divide="ignore", invalid="ignore"):
            ratios = np.where(np.maximum(own, other) == 0, 1.0, own / other)
        widths = _widths(scatter, codes, own, other)
        if part.weights is not None:
            ratios, widths = ratios * part.weights, widths * part.weights
        return cls(scatter, np.asarray(np.bincount(codes, ratios, scatter.k), np.float64), float(widths.sum()))


def widths_by_centers(scatter: Scatter, part: Geometry) -> NDArray[np.float64]:
    """Return the simplified silhouette of each point of a part, with the centers of all points."""
    return _widths(scatter, codes_in(scatter, part), *_distances(scatter, part))


def _distances(scatter: Scatter, part: Geometry) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    squares = nearest_centers(scatter, part, np.zeros(scatter.k))
    return np.sqrt(squares[0]), np.sqrt(squares[1])


def _widths(
    scatter: Scatter, codes: NDArray[np.int32], own: NDArray[np.float64], other: NDArray[np.float64]
) -> NDArray[np.float64]:
    most = np.maximum(own, other)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where((most == 0) | scatter.are_single[codes], 0.0, (other - own) / most)


def codes_in(scatter: Scatter, part: Geometry) -> NDArray[np.int32]:
    """Return the number of each point's cluster among the clusters of all points."""
    return part.codes if part is scatter.geometry else scatter.find_clusters(part)[part.codes]


def nearest_centers(
    scatter: Scatter, part: Geometry, offsets: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int32]]:
    """Return each point's squared distance to its center, the least to another plus its offset, and that cluster."""
    high, low = (table.ravel() for table in scatter.centers)
    how = scatter.k, part.threads, part.progress
    return _kernel.nearest_centers(part.X, codes_in(scatter, part), high, low, offsets, *how)
