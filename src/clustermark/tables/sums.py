"""Sums of whole numbers that do not wrap around."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def exact_sum(counts: NDArray[np.int64]) -> int:
    """The sum as a Python integer; NumPy's own sum wraps around."""
    return (int((counts >> 32).sum()) << 32) + int((counts & 0xFFFFFFFF).sum())


def scaled_sum(shares: NDArray[np.float64], times: NDArray[np.int64]) -> int:
    """Σ times * floor(share * 2**84), exactly, for shares from 0 to 1."""
    total = 0
    rest = shares
    for _ in range(3):
        rest = rest * 2.0**28
        digits = np.floor(rest)
        rest = rest - digits
        total = (total << 28) + dot(times, digits.astype(np.int64))
    return total


def exact_dot(times: NDArray[np.int64], digits: NDArray[np.int64]) -> int:
    """Σ times * digits, for digits up to 2**53, without wrapping around; times may be negative."""
    return (dot(times, digits >> 28) << 28) + dot(times, digits & 0xFFFFFFF)


def dot(times: NDArray[np.int64], digits: NDArray[np.int64]) -> int:
    """Σ times * digits, for digits below 2**28."""
    high, low = times >> 31, times & 0x7FFFFFFF
    return (exact_sum(high * digits) << 31) + exact_sum(low * digits)
