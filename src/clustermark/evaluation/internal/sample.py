"""The silhouette from a sample of the points, each measured against all points."""

from __future__ import annotations

from math import inf, sqrt
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

import numpy as np

from clustermark import _kernel
from clustermark.errors import InputError, Mention, require_whole
from clustermark.evaluation.scoring import NAME_IT, Scorer, share_of
from clustermark.statistics.distances import PointSums
from clustermark.statistics.scatter import find_places
from clustermark.subjects.geometry import measures_pairs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from clustermark.registry import Index
    from clustermark.subjects.geometry import Geometry

Measured: TypeAlias = "tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int32]]"
_NORMAL: Final = 1.959963984540054


class SampledScore(NamedTuple):
    """An estimate from some of the points, and a 95 % interval for the score of all points."""

    score: float
    low: float
    high: float
    points: int
    """The number of points that were drawn."""


class PointScorer(Scorer):
    """Scores points; if there is a sample, the silhouette is estimated from it and no pairs of points are measured.

    sample: the number of points to draw; None for exact scores.
    """

    def __init__(self, sample: int | None, seed: int) -> None:
        if sample is not None:
            require_whole("sample", sample, 2)
            require_whole("seed", seed, 0)
        self._sample, self._seed = sample, seed
        self.sampled: dict[str, SampledScore] = {}
        """The scores that were estimated, by the name of the index."""

    def _draws(self, index: Index[...], geometry: Geometry) -> bool:
        return self._sample is not None and index.name == "silhouette" and not geometry.is_linear

    def cost(self, index: Index[...], subject: Geometry) -> str:
        """Why an index takes long, and what to do."""
        if self._draws(index, subject):
            return ""
        if self._sample is not None and (pairs := measures_pairs(subject, index.statistic.takes())):
            return f"{pairs}; {NAME_IT}"
        reason = super().cost(index, subject)
        return f"{reason}, or pass sample=" if reason and index.statistic is PointSums else reason

    def score(self, index: Index[...], subject: Geometry) -> float:
        """The score, or an estimate of it."""
        if not self._draws(index, subject):
            return super().score(index, subject)
        size, average = self._sample or 0, index.options.get("average", "points")

        def estimate() -> float:
            self.sampled[index.label] = drawn = sample_silhouette(subject, size, self._seed, average)
            return drawn.score

        return index.of_estimate(subject, estimate)

    def insists(self, index: Index[...], subject: Geometry) -> bool:
        """Whether an index is asked for: the silhouette, by a sample."""
        return self._draws(index, subject)


def sample_silhouette(geometry: Geometry, size: int, seed: int, average: str = "points") -> SampledScore:
    """The mean silhouette of a stratified sample: from each cluster in proportion, at least two points.

    The silhouette of a point that is drawn is exact, for it is measured against all points; only the mean is estimated.
    Of the same points the same are drawn, whether they are in memory or come in batches.
    """
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
    if n * k > (most := geometry.limits.sums):
        raise InputError(
            Mention("sample"),
            f": {n:,} points, two or more from each of {k:,} clusters, would need {n * k:,} sums, and the limit is "
            f"{most:,} where points come in batches; pass them at once, or ",
            Mention("metric", "sqeuclidean"),
        )
    tell = geometry.progress
    try:
        geometry.progress = tell and share_of(tell, 0, 2)
        points = _take(geometry, drawn)
        geometry.progress = tell and share_of(tell, 1, 2)
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
