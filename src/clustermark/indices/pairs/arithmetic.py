"""Roots and squares of exact integers."""

from __future__ import annotations

from math import copysign, sqrt
from typing import TYPE_CHECKING

from clustermark.errors import InputError

if TYPE_CHECKING:
    from clustermark.statistics.pairs import ChancePairs, PairCounts


def over_root(numerator: float, square: float) -> float:
    """numerator / √square. One root of one ratio rounds less than a ratio of roots, at any size of integers."""
    return copysign(sqrt(numerator * numerator / square), numerator)


def pair_margins(p: PairCounts | ChancePairs) -> float:
    """Pairs together and apart in truth and in prediction, multiplied: the variance of both, before the root.

    In this order the product of real weights is exactly (yy · nn)² where the labelings agree on all pairs.
    """
    return ((p.yy + p.yn) * (p.yn + p.nn)) * ((p.yy + p.ny) * (p.ny + p.nn))


def check_positive(value: float, name: str) -> float:
    """The value itself, if it is a positive number."""
    try:
        valid = 1e-50 <= value <= 1e50
    except TypeError:
        valid = False
    if not valid:
        raise InputError(f"{name}={value!r} must be a positive number, between 1e-50 and 1e50")
    return value


def check_non_negative(value: float, name: str) -> float:
    """The value itself, if it is a number that is not negative."""
    if isinstance(value, int | float) and value == 0:
        return value
    try:
        return check_positive(value, name)
    except InputError:
        raise InputError(f"{name}={value!r} must be 0 or a positive number, between 1e-50 and 1e50") from None


def exact(value: float) -> int:
    """The value without rounding. (A `Fraction` where it is not whole; integers and fractions compute alike.)"""
    if value == int(value):
        return int(value)
    from fractions import Fraction

    return Fraction(value)  # type: ignore[return-value]


def exact_square(beta: float) -> int:
    """beta² without rounding, for an F-measure."""
    if type(beta) is float and beta == 1.0:  # the default, at once
        return 1
    return exact(check_positive(beta, "beta")) ** 2
