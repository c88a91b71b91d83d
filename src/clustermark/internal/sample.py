"""The silhouette from a sample of the points, each measured against all points."""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from clustermark import _kernel
from clustermark.errors import InputError, Mention
from clustermark.statistics.distances import PointSums

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from clustermark.comparisons.geometry import Geometry

_NORMAL = 1.959963984540054


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
    """
    if not isinstance(size, int) or isinstance(size, bool) or size < 2:
        raise InputError(Mention("sample", size), " must be a whole number of points, 2 or more")
    if geometry.k < 2:
        raise ZeroDivisionError
    drawn, strata = _draw(geometry, size, seed)
    own, other, neighbours = _kernel.sum_distances(*geometry.pairs, geometry.threads, geometry.progress, drawn)
    codes = np.repeat(np.arange(geometry.k, dtype=np.int32), strata)
    others = np.maximum(geometry.sizes[codes] - 1, 1)
    widths = PointSums(own / others, other, neighbours, codes, geometry.sizes).widths
    means = np.bincount(codes, widths, geometry.k) / strata
    squares = np.bincount(codes, (widths - means[codes]) ** 2, geometry.k) / np.maximum(strata - 1, 1)
    shares = geometry.sizes / geometry.n if average == "points" else np.full(geometry.k, 1 / geometry.k)
    variance = float((shares**2 * squares / strata * (1 - strata / geometry.sizes)).sum())
    score, half = float((shares * means).sum()), _NORMAL * sqrt(variance)
    return SampledScore(score, max(score - half, -1.0), min(score + half, 1.0), len(drawn))


def _draw(geometry: Geometry, size: int, seed: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Places of the drawn points in the order by cluster, and how many each cluster has."""
    rng = np.random.default_rng(seed)
    _, starts = geometry.by_cluster
    strata = np.minimum(np.maximum(np.round(size * geometry.sizes / geometry.n).astype(np.int64), 2), geometry.sizes)
    places = [
        starts[k] + rng.choice(int(n), int(m), replace=False)
        for k, (n, m) in enumerate(zip(geometry.sizes, strata, strict=True))
    ]
    return np.concatenate(places).astype(np.int64), strata
