"""Which points to draw for the silhouette of a sample: strata by the simplified silhouette, which all points have.

The simplified silhouette measures a point against centers. It costs one pass over the points, and is close to the
silhouette. It divides each cluster into two strata, so that a few misplaced points are always drawn, and is the control
of the estimate.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from clustermark.evaluation.evaluation import share_of
from clustermark.statistics.centroids import widths_by_centers
from clustermark.statistics.scatter import Scatter, find_places

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from clustermark.subjects.geometry import Geometry

_DIGITS = 6
"""Digits of the simplified silhouette, so that rounding errors of batches change no draw."""
_FEWEST = 2
"""Number of points drawn of a stratum, of which a variance is estimated."""


class DrawnStratum(NamedTuple):
    """Points of one cluster with similar simplified silhouettes."""

    cluster: int
    places: NDArray[np.int64]
    """Positions of all its points among those of the cluster, in input order."""
    drawn: NDArray[np.int64]
    """Positions of the drawn ones."""


def simplified_by_cluster(geometry: Geometry) -> list[NDArray[np.float64]] | None:
    """Return the simplified silhouettes of the points of each cluster, in input order; None without coordinates."""
    if geometry.n_features is None:
        return None
    tell = geometry.progress
    found: list[list[NDArray[np.float64]]] = [[] for _ in range(geometry.k)]
    try:
        geometry.progress = tell and share_of(tell, 0, 2)
        scatter = Scatter.of(geometry)
        geometry.progress = tell and share_of(tell, 1, 2)
        for part in geometry.parts():
            widths = widths_by_centers(scatter, part)
            order, begins = part.by_cluster
            for own, cluster in enumerate(find_places(geometry.names, part.names).tolist()):
                found[cluster].append(np.round(widths[order[begins[own] : begins[own + 1]]], _DIGITS))
    finally:
        geometry.progress = tell
    return [np.concatenate(one) for one in found]


def draw_strata(
    sizes: NDArray[np.int64], controls: list[NDArray[np.float64]] | None, size: int, seed: int
) -> list[DrawnStratum]:
    """Draw points from each stratum, from each cluster in proportion to its size and at least two."""
    rng = np.random.default_rng(seed)
    n = int(sizes.sum())
    wanted = np.minimum(np.maximum(np.round(min(size, n) * sizes / n).astype(np.int64), _FEWEST), sizes)
    strata = []
    for cluster, (points, m) in enumerate(zip(sizes.tolist(), wanted.tolist(), strict=True)):
        parts = [np.arange(points)]
        if controls is not None and _FEWEST * 2 <= m < points:
            parts = _divide(controls[cluster])
        for places, take in zip(parts, _allot(parts, None if controls is None else controls[cluster], m), strict=True):
            drawn = places[rng.choice(len(places), take, replace=False)]
            strata.append(DrawnStratum(cluster, places, drawn))
    return strata


def _divide(control: NDArray[np.float64]) -> list[NDArray[np.int64]]:
    """Divide the points of a cluster where that explains most of the variance of the control."""
    order = np.argsort(control, kind="stable")
    ranked = control[order]
    n = len(ranked)
    below = np.arange(1, n)
    sums = np.cumsum(ranked)[:-1]
    explained = (sums - below * ranked.mean()) ** 2 / (below * (n - below))
    explained[ranked[1:] == ranked[:-1]] = -1.0  # equal points stay together
    explained[: _FEWEST - 1] = explained[n - _FEWEST :] = -1.0
    if n < 2 * _FEWEST or explained.max() < 0:
        return [np.arange(n)]
    cut = int(np.argmax(explained)) + 1
    return [np.sort(order[:cut]), np.sort(order[cut:])]


def _allot(parts: list[NDArray[np.int64]], control: NDArray[np.float64] | None, m: int) -> list[int]:
    """Return how many points to draw of each stratum: in proportion to its size and to the spread of the control."""
    if len(parts) == 1 or control is None:
        return [m]
    spread = [len(part) * (float(control[part].std()) + 1e-3) for part in parts]
    first = min(max(round(m * spread[0] / sum(spread)), _FEWEST), m - _FEWEST, len(parts[0]))
    first = max(first, m - len(parts[1]))
    return [first, m - first]
