"""Expectations, variances and tails under random models, as functions of numbers."""

from __future__ import annotations

from math import ceil, exp, log, pi, prod, sqrt
from operator import mul
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from fractions import Fraction

    from numpy.typing import NDArray

_EXACT_UP_TO = 64
"""Up to this number of points, Stirling and Bell numbers are computed exactly."""


def pair_variance(n: int, true: tuple[int, int], pred: tuple[int, int]) -> Fraction:
    """Return the variance of the number of pairs together in both labelings, over all permutations of one of them.

    `true` and `pred` are the sums of squares and of cubes of the cluster sizes (Fowlkes & Mallows 1983; Hubert 1987).
    """
    from fractions import Fraction

    return Fraction(*_variance_ratio(n, true, pred))


def do_pairs_vary(n: int, true: tuple[int, int], pred: tuple[int, int]) -> bool:
    """Return whether the variance of `pair_variance` is not 0."""
    return _variance_ratio(n, true, pred)[0] != 0


def _variance_ratio(n: int, true: tuple[int, int], pred: tuple[int, int]) -> tuple[int, int]:
    """Return mean - mean² + triples / n(n-1)(n-2) + fours / 4n(n-1)(n-2)(n-3), with mean = pairs / 2n(n-1)."""
    if n < 2:
        return 0, 1
    pairs, triples, fours = map(mul, _falling_moments(n, *true), _falling_moments(n, *pred))
    ways, third, fourth = n * (n - 1), max(n - 2, 1), max(n - 3, 1)  # fewer points have no triples, no fours
    variance = pairs * (2 * ways - pairs) * third * fourth + ways * (4 * triples * fourth + fours)
    return variance, 4 * ways * ways * third * fourth


def _falling_moments(n: int, squares: int, cubes: int) -> tuple[int, int, int]:
    """Return the numbers of ordered pairs, triples, and disjoint pairs of pairs.

    They are Σ a(a-1), Σ a(a-1)(a-2), and (Σ a(a-1))² - 2 Σ a(a-1)(2a-3).
    """
    pairs = squares - n
    triples = cubes - 3 * squares + 2 * n
    return pairs, triples, pairs * pairs - 4 * triples - 2 * pairs


class PairMoments(NamedTuple):
    """Mean, variance and third central moment of a number of pairs."""

    mean: Fraction
    variance: Fraction
    third: Fraction


def pair_moments(true: Iterable[tuple[int, int]], pred: Iterable[tuple[int, int]]) -> PairMoments:
    """Return exact moments of the number of pairs together in both labelings, over all permutations of one of them.

    `true` and `pred` are histograms: (size, number of clusters). A power of the number of pairs counts tuples of pairs.
    The pairs of a tuple can have points in common, so a tuple is a pattern of two to six distinct points. The
    probability of a pattern is a product of its counts on both sides over the number of ordered choices of points.
    """
    from fractions import Fraction

    mine, theirs = _patterns(true), _patterns(pred)
    n = mine.points

    def share(pattern: int, other: int, points: int) -> Fraction:
        ways = prod(range(n - points + 1, n + 1))
        return Fraction(pattern * other, ways) if ways else Fraction(0)

    both = [share(x, y, points) for x, y, points in zip(mine[1:], theirs[1:], (2, 3, 4, 4, 5, 6), strict=True)]
    pairs, triples, fours, two_pairs, pair_and_triple, three_pairs = both
    mean = pairs / 2
    square = mean + triples + two_pairs / 4
    cube = mean + 4 * triples + 4 * fours + two_pairs * 3 / 4 + pair_and_triple * 3 / 2 + three_pairs / 8
    return PairMoments(mean, square - mean**2, cube - 3 * mean * square + 2 * mean**3)


class _Patterns(NamedTuple):
    """Numbers of ordered choices of distinct points of one side, with the given points in one cluster."""

    points: int
    pairs: int
    triples: int
    fours: int
    two_pairs: int
    """Two pairs without a common point, each within a cluster."""
    pair_and_triple: int
    three_pairs: int


def _patterns(sizes: Iterable[tuple[int, int]]) -> _Patterns:
    sums = dict.fromkeys(("n", "f2", "f3", "f4", "f5", "f6", "f22", "f222", "f32", "f42"), 0)
    for size, times in sizes:
        f2 = size * (size - 1)
        f3 = f2 * (size - 2)
        f4 = f3 * (size - 3)
        f5 = f4 * (size - 4)
        f6 = f5 * (size - 5)  # 0 from the first factor that is 0
        terms = (size, f2, f3, f4, f5, f6, f2 * f2, f2**3, f3 * f2, f4 * f2)
        for name, term in zip(sums, terms, strict=True):
            sums[name] += times * term
    n, f2, f3, f4, f5, f6, f22, f222, f32, f42 = sums.values()
    return _Patterns(
        n,
        f2,
        f3,
        f4,
        f2 * f2 - f22 + f4,
        f3 * f2 - f32 + f5,
        f2**3 - 3 * f2 * f22 + 2 * f222 + 3 * (f4 * f2 - f42) + f6,
    )


def pearson_tail(z: float, skewness: float) -> float:
    """Return the probability that a Pearson III variable of mean 0, variance 1 and this skewness is at least z."""
    from scipy.special import gammainc, gammaincc, ndtr

    if abs(skewness) < 1e-6:
        return float(ndtr(-z))
    shape, place = 4 / skewness**2, (z + 2 / skewness) * 2 / skewness
    if skewness > 0:
        return float(gammaincc(shape, place)) if place > 0 else 1.0
    return float(gammainc(shape, place)) if place > 0 else 0.0


def stirling_ratio(n: int, k: int) -> float:
    """Return S(n-1, k) / S(n, k): the probability that two points share a cluster of a random partition into k.

    S is the Stirling number of the second kind, n! / k! times the coefficient of z^n in (e^z - 1)^k.
    """
    if k == 1 or n <= 1:
        return 1.0
    if k == n:
        return 0.0
    if n <= _EXACT_UP_TO:
        before, now = _stirling_row(n - 1), _stirling_row(n)
        return before[k] / now[k]
    radius = _stirling_saddle(n / k)
    shrink = -np.expm1(-radius)  # 1 - e^-r
    # the coefficients times r^n are a distribution over n, with our n as mean and this variance
    variance = k * radius / shrink * (1 - radius * exp(-radius) / shrink)
    return _coefficient_ratio(n, radius, variance, lambda step: k * np.log1p(np.expm1(step) / shrink))


def bell_ratio(n: int) -> float:
    """Return B(n-1) / B(n): the probability that two given points share a cluster of a random partition.

    B is the Bell number, n! times the coefficient of z^n in exp(e^z - 1).
    """
    if n <= 1:
        return 1.0
    if n <= _EXACT_UP_TO:
        return sum(_stirling_row(n - 1)) / sum(_stirling_row(n))
    radius = _bell_saddle(n)
    height = exp(radius)
    return _coefficient_ratio(n, radius, radius * (1 + radius) * height, lambda step: height * np.expm1(step))


def _coefficient_ratio(
    n: int, radius: float, variance: float, log_ratio: Callable[[NDArray[np.complex128]], NDArray[Any]]
) -> float:
    """Return [z^(n-1)] F / [z^n] F / n, by Cauchy's integral over the circle of this radius through the saddle point.

    `log_ratio(s)` is ln F(radius + s) - ln F(radius). The trapezoidal rule is exact except for coefficients farther
    from n than its number of points, and beyond 14 standard deviations the integrand is below the smallest double.
    """
    deviation = sqrt(max(variance, 1.0))
    points = 2 * ceil(24 * deviation) + 64
    reach = min(points // 2, ceil(14 / deviation * points / (2 * pi)))
    angle = np.arange(-reach, reach + (reach < points // 2)) * (2 * pi / points)
    turn = np.exp(1j * angle)
    # r (e^(iθ) - 1) without cancellation near θ = 0
    step = radius * (-2 * np.sin(angle / 2) ** 2 + 1j * np.sin(angle))
    weight = np.exp(log_ratio(step) - 1j * n * angle)
    return float(radius * (weight * turn).sum().real / weight.sum().real / n)


def _stirling_saddle(mean: float) -> float:
    """Return the r with r / (1 - e^-r) = mean, mean > 1."""
    radius = 2 * (mean - 1) if mean < 2 else mean
    for _ in range(100):
        decay = exp(-radius)
        value = radius / -np.expm1(-radius) - mean
        slope = (1 - decay - radius * decay) / np.expm1(-radius) ** 2
        step = value / slope
        radius = max(radius - step, radius / 2)
        if abs(step) <= 1e-15 * radius:
            break
    return float(radius)


def _bell_saddle(n: int) -> float:
    """Return the r with r e^r = n."""
    radius = log(n) - log(max(log(n), 1.0))
    for _ in range(100):
        step = (radius - n * exp(-radius)) / (1 + radius)
        radius -= step
        if abs(step) <= 1e-15 * radius:
            break
    return radius


def _stirling_row(n: int) -> list[int]:
    """Return S(n, 0), ..., S(n, n)."""
    row = [1]
    for size in range(1, n + 1):
        row = [0, *(k * row[k] + row[k - 1] if k < size else 1 for k in range(1, size + 1))]
    return row
