"""Small differences of large sums, computed without cancellation.

They cost more than a difference of two doubles, so callers use them only where that would lose digits (`cancels`).
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from clustermark.tables.sums import exact_dot

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from fractions import Fraction

    from numpy.typing import NDArray

    from clustermark.tables.sums import CellTally

_CANCELS = 1 / 64
"""A difference below this share of the subtracted number has lost 6 of the 53 binary digits of a double."""
_PLACES = 320
_WORD = 1 << 31
"""Below this size the product of two sizes fits a computer word."""


def cancels(difference: float, subtracted: float) -> bool:
    """Return whether a difference is so small, compared with the subtracted number, that it has lost digits."""
    return not abs(difference) > _CANCELS * subtracted


def sum_of_quotients(quotients: Iterable[tuple[int, int]]) -> Fraction:
    """Return Σ part / whole, of either sign, with more digits than a double has; 0 only if the exact sum is 0."""
    from fractions import Fraction

    terms = list(quotients)
    scaled = sum((part << _PLACES) // whole for part, whole in terms)
    if abs(scaled) >> 64 > len(terms):
        return Fraction(scaled, 1 << _PLACES)
    return sum((Fraction(part, whole) for part, whole in terms), Fraction(0))


def sum_of_logarithms(times: Mapping[int, int], n: int) -> float:
    """Return Σ times · size · ln(size) / n, where the times · size add up to 0.

    These sums are mutual information and conditional entropies. A sum that is not 0 is at least 2 / n⁴, because the
    share of some cell differs from that of independent labelings by at least 1 / n² (Pinsker's inequality). So a sum
    that is smaller than its rounding error is 0 once that error is below 1 / n³.
    """
    sizes = sorted(size for size, number in times.items() if number)
    bits = 2 * n.bit_length() + 64
    while sizes:
        total = below = rounding = 0
        for size, larger in pairwise(sizes):  # summation by parts: the logarithms of ratios of neighbours are small
            below += size * times[size]
            total -= below * _logarithm(larger, size, bits)
            rounding += abs(below) << 14  # the error of each logarithm is below 2^14 units
        if abs(total) >> 60 > rounding:
            return total / (n << bits)
        if (abs(total) + rounding) * n**3 < 1 << bits:
            break
        bits *= 2
    return 0.0


def _logarithm(whole: int, part: int, bits: int) -> int:
    """Return ln(whole / part) in units of 2**-bits, with an error of a few thousand units."""
    doublings = whole.bit_length() - part.bit_length()
    logarithm = _artanh(whole, part << doublings, bits)
    return logarithm + doublings * _artanh(2, 1, bits) if doublings else logarithm


def _artanh(one: int, other: int, bits: int) -> int:
    """Return ln(one / other) as 2 artanh((one - other) / (one + other)), for a ratio between 1/2 and 2."""
    x = (abs(one - other) << bits) // (one + other)
    square, power, odd, series = x * x >> bits, x, 1, 0
    while power:
        series += power // odd
        power, odd = power * square >> bits, odd + 2
    return 2 * series if one > other else -2 * series


def dependence(cells: CellTally, n: int) -> float:
    """Return Σ n² / (a b) - 1, as the sum of (n - ab/N)² / (ab) over all cells, including empty ones."""
    areas = _products(cells.a, cells.b)
    apart = np.abs(_products(cells.n, np.asarray(n)) - areas).astype(np.float64)
    squares = _exact_sum(apart / cells.a * (apart / cells.b), cells.times)
    empty = n * n - int((areas.astype(object) * cells.times).sum())
    return float((squares + empty) / (n * n))


def apartness(cells: CellTally) -> float:
    """Return Σ n/a + n/b - 2 n² / (a b): the number of clusters of both sides less twice `shares`.

    It is 0 for identical sides.
    """
    n, a, b, times = cells
    rest = (a - n).astype(np.float64) + (b - n)
    # the product has the same bits with truth and prediction exchanged
    return float(_exact_sum(n * rest / (a.astype(np.float64) * b), times))


def torn(cells: CellTally) -> float:
    """Return Σ n (1 - n / min(a, b))."""
    smaller = np.minimum(cells.a, cells.b)
    return float(_exact_sum((smaller - cells.n) / smaller, cells.n * cells.times))


def _products(one: NDArray[np.int64], other: NDArray[np.int64]) -> NDArray[Any]:
    """Return products of sizes as 64-bit integers, or as Python integers where these may overflow."""
    small = max(int(one.max(initial=0)), int(other.max(initial=0))) < _WORD
    products: NDArray[Any] = one * other if small else one.astype(object) * other.astype(object)
    return products


def _exact_sum(terms: NDArray[np.float64], times: NDArray[np.int64]) -> Fraction:
    """Return Σ times · term without rounding, so that neither the order nor the grouping of equal cells matters."""
    from fractions import Fraction

    mantissas, exponents = np.frexp(terms)
    digits = np.ldexp(mantissas, 53).astype(np.int64)
    total = 0
    lowest = int(exponents.min(initial=0))
    for exponent in (np.flatnonzero(np.bincount(exponents[terms > 0] - lowest)) + lowest).tolist():
        at = exponents == exponent
        total += exact_dot(times[at], digits[at]) << (exponent - 53 + _PLACES)
    return Fraction(total, 1 << _PLACES)
