"""Paired differences by signed ranks: the estimate of Hodges and Lehmann, its interval, and probabilities."""

from __future__ import annotations

from math import sqrt
from statistics import NormalDist
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from clustermark.results.values import EQUAL

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST_PAIRED = 2_000
"""Largest number of differences whose means of two are listed for an estimate and its interval."""
_EXACT = 100
"""Up to this number of differences, the distribution of the signed-rank statistic is exact."""


class Effect(NamedTuple):
    """An estimate of a difference with its interval."""

    value: float
    low: float
    high: float


def signed_rank_effect(differences: NDArray[np.float64], level: float = 0.95) -> Effect:
    """Return Hodges and Lehmann's estimate and the interval by the signed-rank test.

    The estimate is the median of the means of each two differences, each with itself too. The limits are the outermost
    shifts of the differences that the test does not reject. Ties and zeros keep their place among the means, which
    makes the interval wider than its level demands, never narrower.

    >>> signed_rank_effect(np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0]))
    Effect(value=3.5, low=1.0, high=6.0)
    """
    n = len(differences)
    one, other = np.triu_indices(n)
    means = np.sort((differences[one] + differences[other]) / 2)
    rank = max(critical_rank(n, level), 1)
    return Effect(float(np.median(means)), float(means[rank - 1]), float(means[-rank]))


def critical_rank(n: int, level: float) -> int:
    """Return the largest k with P(T < k) <= (1 - level) / 2 for the signed-rank statistic T of n differences.

    It is 0 if even the outermost limits do not have the level.

    >>> [critical_rank(n, 0.95) for n in (5, 6, 10, 20, 200)]
    [0, 1, 9, 53, 8444]
    """
    tail = (1 - level) / 2
    if n > _EXACT:
        return max(int(_normal(n).inv_cdf(tail) - 0.5) + 1, 0)
    return int(np.searchsorted(np.cumsum(_ranks(n)), tail * (1 + 1e-12), side="right"))


def _normal(n: int) -> NormalDist:
    """Return the normal limit of the signed-rank statistic of n differences."""
    return NormalDist(n * (n + 1) / 4, sqrt(n * (n + 1) * (2 * n + 1) / 24))


def _ranks(n: int) -> NDArray[np.float64]:
    """Return the probability of each value of the signed-rank statistic of n differences."""
    shares = np.ones(1)
    for rank in range(1, n + 1):
        more = np.zeros(len(shares) + rank)
        more[: len(shares)] += shares / 2
        more[rank:] += shares / 2
        shares = more
    return shares


def shift_below(differences: NDArray[np.float64], edge: float) -> float:
    """Return the probability that the middle of the distribution of differences lies below an edge.

    It is the confidence distribution whose quantiles are the limits of `signed_rank_effect`, with half the probability
    of the observed statistic (mid-p): the one-sided p-values of the signed-rank test at every edge.

    >>> round(1 - shift_below(np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0]), 0.0), 4)
    0.9922
    """
    n = len(differences)
    x = np.sort(differences)
    near = EQUAL * max(1.0, float(np.abs(x).max()))
    # means of two below the edge, each two once, and half of those at the edge
    ends = [np.searchsorted(x, 2 * edge - x + away) for away in (-near, near)]
    alone = [int((x < edge + away).sum()) for away in (-near, near)]
    below, up_to = ((int(end.sum()) + own) / 2 for end, own in zip(ends, alone, strict=True))
    statistic = (below + up_to) / 2
    if n > _EXACT:
        return _normal(n).cdf(statistic)
    shares = _ranks(n)
    whole = int(statistic)
    less = float(shares[:whole].sum())
    return less + float(shares[whole]) * (0.5 if statistic == whole else 1.0)
