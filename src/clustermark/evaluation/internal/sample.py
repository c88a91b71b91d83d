"""The silhouette from a sample of the points, each measured against all points."""

from __future__ import annotations

from math import inf, sqrt
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

import numpy as np

from clustermark import _kernel
from clustermark.errors import InputError, Mention, require_whole
from clustermark.report.score_list import tell_in_parts
from clustermark.statistics.distances import PointSums
from clustermark.statistics.scatter import find_places

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from clustermark.subjects.geometry import Geometry

Measured: TypeAlias = "tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int32]]"
MOST_SUMS: Final = 1 << 27
"""So many sums of distances, one for each point drawn and cluster, are held while batches are read."""
_NORMAL: Final = 1.959963984540054


class SampledScore(NamedTuple):
    """An estimate from some of the points, and where the score of all points lies with 95 % confidence."""

    score: float
    low: float
    high: float
    points: int
    """How many were drawn."""


def sample_silhouette(geometry: Geometry, size: int, seed: int, average: str = "points") -> SampledScore:
    """The mean silhouette of a stratified sample: from each cluster in proportion, at least two points.

    The silhouette of a point that is drawn is exact, for it is measured against all points; only the mean is estimated.
    Of the same points the same are drawn, whether they are in memory or come in batches.
    """
    require_whole("sample", size, 2)
    require_whole("seed", seed, 0)
    sizes, k = geometry.sizes, geometry.k
    if k < 2:
        raise ZeroDivisionError
    drawn = _draw(sizes, int(size), int(seed))
    strata = np.array([len(places) for places in drawn])
    codes = np.repeat(np.arange(k, dtype=np.int32), strata)
    own, other, neighbours = _measure(geometry, drawn) if geometry.in_memory else _measure_parts(geometry, drawn)
    widths = PointSums(own / np.maximum(sizes[codes] - 1, 1), other, neighbours, codes, sizes).widths
    means = np.bincount(codes, widths, k) / strata
    squares = np.bincount(codes, (widths - means[codes]) ** 2, k) / np.maximum(strata - 1, 1)
    shares = sizes / geometry.n if average == "points" else np.full(k, 1 / k)
    variance = float((shares**2 * squares / strata * (1 - strata / sizes)).sum())
    score, half = float((shares * means).sum()), _NORMAL * sqrt(variance)
    return SampledScore(score, max(score - half, -1.0), min(score + half, 1.0), len(codes))


def _draw(sizes: NDArray[np.int64], size: int, seed: int) -> list[NDArray[np.int64]]:
    """For each cluster, which of its points are drawn: the first that came is 0."""
    rng = np.random.default_rng(seed)
    n = int(sizes.sum())
    strata = np.minimum(np.maximum(np.round(min(size, n) * sizes / n).astype(np.int64), 2), sizes)
    return [rng.choice(n, m, replace=False) for n, m in zip(sizes.tolist(), strata.tolist(), strict=True)]


def _measure(geometry: Geometry, drawn: Sequence[NDArray[np.int64]]) -> Measured:
    """The sums of distances to the own cluster, the least means to another, and to which."""
    _, starts = geometry.by_cluster
    places = np.concatenate([start + own for start, own in zip(starts.tolist(), drawn, strict=False)])
    return _kernel.sum_distances(*geometry.pairs, geometry.threads, geometry.progress, places.astype(np.int64))


def _measure_parts(geometry: Geometry, drawn: Sequence[NDArray[np.int64]]) -> Measured:
    """The same of points that come in batches: they are read once to draw some, and again to measure these."""
    n, k = sum(map(len, drawn)), geometry.k
    if n * k > MOST_SUMS:
        raise InputError(
            Mention("sample"),
            f": {n:,} points, two or more from each of {k:,} clusters, would need {n * k:,} sums, and the limit is "
            f"{MOST_SUMS:,} where points come in batches; pass them at once, or ",
            Mention("metric", "sqeuclidean"),
        )
    tell = geometry.progress
    try:
        geometry.progress = tell and tell_in_parts(tell, 0, 2)
        points = _take(geometry, drawn)
        geometry.progress = tell and tell_in_parts(tell, 1, 2)
        sums = np.zeros((n, k))
        for part in geometry.parts():
            found = _kernel.sum_distances_from(points, part.X, geometry.metric, *part.by_cluster, geometry.threads)
            sums[:, find_places(geometry.names, part.names)] += found.reshape(n, -1)
    finally:
        geometry.progress = tell
    rows, codes = np.arange(n), np.repeat(np.arange(k), [len(places) for places in drawn])
    own = sums[rows, codes]
    sums /= geometry.sizes
    sums[rows, codes] = inf
    neighbours = sums.argmin(axis=1)
    return own, sums[rows, neighbours], neighbours.astype(np.int32)


def _take(geometry: Geometry, drawn: Sequence[NDArray[np.int64]]) -> NDArray[np.float64]:
    """The points that are drawn, a cluster after the other."""
    starts = np.cumsum([0, *map(len, drawn)])
    points = np.empty((int(starts[-1]), geometry.n_features or 0))
    seen = np.zeros(geometry.k, np.int64)
    for part in geometry.parts():
        order, begins = part.by_cluster
        for own, cluster in enumerate(find_places(geometry.names, part.names).tolist()):
            rows = order[begins[own] : begins[own + 1]]
            at = drawn[cluster] - seen[cluster]
            here = np.flatnonzero((at >= 0) & (at < len(rows)))
            points[starts[cluster] + here] = part.X[rows[at[here]]]
            seen[cluster] += len(rows)
    return points
