"""How dense clusters are, and how far apart their dense parts lie."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from clustermark import _kernel
from clustermark.errors import InputError
from clustermark.statistics.statistic import Takes
from clustermark.subjects.geometry import GEOMETRY, Geometry

if TYPE_CHECKING:
    from typing import Any, Self

    from numpy.typing import NDArray

NOISE = (-1, "-1")
"""The label of points that density-based algorithms put into no cluster; as text files have it, too."""


class Density(NamedTuple):
    """For each cluster: how sparse it is, and how far the nearest other one is, by mutual reachability."""

    n: int
    """How many points there are, noise included."""
    sizes: NDArray[np.int64]
    """How many points each cluster has."""
    sparseness: NDArray[np.float64]
    """The longest edge between inner points of the tree of least reachability."""
    separation: NDArray[np.float64]
    """The least reachability between its inner points and those of another cluster."""
    names: list[Any]
    """The label of each cluster."""

    @classmethod
    def takes(cls) -> Takes:
        """Distances of any kind of which the number of features is known."""
        return Takes(comparison=GEOMETRY, needs="distances")

    @classmethod
    def of(cls, geometry: Geometry) -> Self:
        """The statistic of points and their clusters; the label -1 is noise unless a policy says otherwise."""
        return geometry.once(cls, cls._measure)

    @classmethod
    def _measure(cls, geometry: Geometry) -> Self:
        if geometry.n_features is None or geometry.metric == "callable":
            raise InputError("X: the density of clusters needs the number of features; pass features and a metric")
        n = geometry.n + geometry.n_noise_dropped
        noise = _unnamed_noise(geometry)
        names = [name for name in geometry.names if name not in noise]
        geometry = geometry.without(noise)
        if geometry.k < 2:
            raise ZeroDivisionError
        sparseness, separation = _kernel.find_density(*geometry.pairs, geometry.threads, geometry.progress)
        return cls(n, geometry.sizes, sparseness, separation, names)

    @property
    def validities(self) -> NDArray[np.float64]:
        """(separation - sparseness) / the larger of both, for each cluster; 0 where both are 0."""
        return _compare(self.separation, self.sparseness)


def _unnamed_noise(geometry: Geometry) -> list[Any]:
    """The labels that are noise because no policy says what to do with them."""
    return [label for label in NOISE if label not in geometry.noise]


def _compare(separation: NDArray[np.float64], sparseness: NDArray[np.float64]) -> NDArray[np.float64]:
    most = np.maximum(sparseness, separation)
    return np.where(most == 0, 0.0, (separation - sparseness) / np.where(most == 0, 1.0, most))


class ReachTree:
    """The tree of least mutual reachability over all points, noise among them."""

    def __init__(self, geometry: Geometry) -> None:
        self.n = geometry.n + geometry.n_noise_dropped
        """How many points there are, noise included."""
        self._geometry = geometry

    @classmethod
    def takes(cls) -> Takes:
        """Distances of any kind."""
        return Takes(comparison=GEOMETRY, needs="distances")

    @classmethod
    def of(cls, geometry: Geometry) -> Self:
        """The statistic of points and their clusters; the label -1 is noise unless a policy says otherwise."""
        return geometry.once(cls, cls)

    def edges(self, neighbour: int) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
        """The edges: from, to, length. A point's core is its distance to the neighbour of this number, if so many."""
        neighbour = min(neighbour, self._geometry.n - 1)
        return self._geometry.once((ReachTree, neighbour), lambda geometry: _span(geometry, neighbour))

    def weigh(self, neighbour: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """The sizes of clusters, and how much farther each is from others than it is sparse, from -1 to 1.

        As hdbscan defines it: a cluster is as sparse as its longest edge, and as far from others as the shortest edge
        to another cluster; twice the longest of all edges where it has none. Of a single cluster, twice the shortest
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
