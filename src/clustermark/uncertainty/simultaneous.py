"""Intervals that all hold at once: the number of standard errors for the largest of several deviations.

With the level of a single interval, one of several often misses. The largest deviation of jointly normal scores has a
quantile that follows from their correlations. Scores that rise and fall together need hardly more than a single one;
independent ones need about as much as by Bonferroni.
"""

from __future__ import annotations

from statistics import NormalDist
from typing import TYPE_CHECKING, Any

import numpy as np

from clustermark.registry.adjustment import AdjustedIndex
from clustermark.uncertainty.spread import HALF_SAMPLES, half_sample_scores

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from clustermark.registry import Index
    from clustermark.uncertainty.samples import Sample

_DRAWS = 40_000
"""Number of normal vectors for a quantile; its error is below 0.01."""
_AT_ONCE = 1 << 22
MOST_CORRELATED = 1_000
"""With more scores they are taken as independent, which makes intervals wider (Šidák 1967)."""
_NORMAL = NormalDist()


def critical_value(correlations: NDArray[np.float64], level: float) -> float:
    """Return the quantile of the largest absolute value of normal variables with these correlations.

    >>> round(critical_value(np.ones((3, 3)), 0.95), 1), round(critical_value(np.eye(3), 0.95), 1)
    (2.0, 2.4)
    """
    several = len(correlations)
    if several < 2:
        return _NORMAL.inv_cdf((1 + level) / 2)
    if several > MOST_CORRELATED:
        return independent_value(several, level)
    values, vectors = np.linalg.eigh(correlations)
    kept = values > 1e-12 * values[-1]
    root = vectors[:, kept] * np.sqrt(values[kept])
    rng = np.random.default_rng(0)
    largest: list[Any] = []
    part = max(1, _AT_ONCE // several)
    for start in range(0, _DRAWS, part):
        normal = rng.standard_normal((min(part, _DRAWS - start), root.shape[1]))
        largest.append(np.abs(normal @ root.T).max(axis=1))
    found = float(np.quantile(np.concatenate(largest), level))
    return min(max(found, _NORMAL.inv_cdf((1 + level) / 2)), independent_value(several, level))


def independent_value(several: int, level: float) -> float:
    """Return the same for independent variables: no correlations need more.

    >>> round(independent_value(1, 0.95), 3), round(independent_value(20, 0.95), 3)
    (1.96, 3.016)
    """
    return _NORMAL.inv_cdf((1 + level ** (1 / several)) / 2)


def level_of(value: float) -> float:
    """Return the level of a single interval with this number of standard errors.

    >>> round(level_of(1.959964), 4)
    0.95
    """
    return 2 * _NORMAL.cdf(value) - 1


def correlate(columns: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the correlations of columns; one that is constant or not always defined is taken as independent."""
    known = np.isfinite(columns).all(axis=0)
    away = np.where(known, columns, 0.0)
    away = away - away.mean(axis=0)
    spread = np.sqrt((away**2).sum(axis=0))
    known &= spread > 1e-12 * np.maximum(np.abs(np.where(known, columns, 0.0)).max(axis=0, initial=0.0), 1e-300)
    scaled = np.where(known, away / np.where(known, spread, 1.0), 0.0)
    found = np.clip(scaled.T @ scaled, -1.0, 1.0)
    np.fill_diagonal(found, 1.0)
    return np.asarray(found)


def correlate_scores(sample: Sample, indices: Sequence[Index[...] | AdjustedIndex], seed: int) -> NDArray[np.float64]:
    """Return the correlations of the scores of indices over the same random halves of a sample."""
    plain = [index for index in indices if not isinstance(index, AdjustedIndex)]
    columns = np.full((HALF_SAMPLES, len(indices)), np.nan)
    places = [place for place, index in enumerate(indices) if not isinstance(index, AdjustedIndex)]
    if plain:
        columns[:, places] = half_sample_scores(sample.sort(), plain, HALF_SAMPLES, seed)
    return correlate(columns)
