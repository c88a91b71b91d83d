"""How dense clusters are, and how far apart their dense parts lie."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from clustermark import _kernel
from clustermark.comparisons.geometry import GEOMETRY, Geometry
from clustermark.errors import InputError
from clustermark.statistics.statistic import Takes

if TYPE_CHECKING:
    from typing import Any, Self

    from numpy.typing import NDArray

NOISE = -1
"""The label of points that density-based algorithms put into no cluster."""


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
        names = [name for name in geometry.names if name != NOISE or NOISE in geometry.noise]
        if NOISE not in geometry.noise:
            geometry = geometry.without(NOISE)
        if geometry.k < 2:
            raise ZeroDivisionError
        sparseness, separation = _kernel.find_density(*geometry.pairs, geometry.threads)
        return cls(n, geometry.sizes, sparseness, separation, names)

    @property
    def validities(self) -> NDArray[np.float64]:
        """(separation - sparseness) / the larger of both, for each cluster; 0 where both are 0."""
        most = np.maximum(self.sparseness, self.separation)
        return np.where(most == 0, 0.0, (self.separation - self.sparseness) / np.where(most == 0, 1.0, most))
