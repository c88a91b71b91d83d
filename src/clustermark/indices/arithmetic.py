"""Arithmetic that several families share, and checks of the values of options."""

from __future__ import annotations

from math import copysign, inf, log, sqrt
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias, TypeVar, get_args

import numpy as np

from clustermark.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable

    from clustermark.statistics.pairs import ChancePairs, PairCounts


T = TypeVar("T")
Average: TypeAlias = Literal["arithmetic", "geometric", "min", "max", "joint"]


def in_units(nats: float, base: float | None) -> float:
    """Convert information in nats to units of this base of the logarithm: 2 for bits, 10 for digits, None for nats."""
    if base is None:
        return nats
    try:
        valid = 1 < base < inf
    except TypeError:
        valid = False
    if not valid:
        raise InputError(f"base={base!r} must be a number above 1 (2 for bits, 10 for digits), or None for nats")
    return nats / log(base)


class TwoEntropies(Protocol):
    """Entropies of two sides, their mutual information and their variation of information."""

    @property
    def true(self) -> float:
        """Entropy of the first side."""
        ...

    @property
    def pred(self) -> float:
        """Entropy of the second side."""
        ...

    @property
    def mutual(self) -> float:
        """Mutual information."""
        ...

    @property
    def variation(self) -> float:
        """Variation of information."""
        ...


# also after rounding, each is at least the smaller entropy, and exactly the entropy if both are equal
_AVERAGES: dict[str, Callable[[TwoEntropies], float]] = {
    "arithmetic": lambda e: (e.true + e.pred) / 2,
    "geometric": lambda e: sqrt(e.true * e.pred),
    "min": lambda e: min(e.true, e.pred),
    "max": lambda e: max(e.true, e.pred),
    "joint": lambda e: e.variation + e.mutual,
}


def average_entropy(entropies: TwoEntropies, average: str) -> float:
    """Return the average of the two entropies, or their joint entropy."""
    check_value(average, "average", get_args(Average))
    return _AVERAGES[average](entropies)


def check_value(value: T, name: str, choices: tuple[T, ...]) -> T:
    """Return the value of an option; raise if it is not one of the choices; True and 1 are different values."""
    if value not in choices or isinstance(value, bool | np.bool_) != isinstance(choices[0], bool):
        raise InputError(f"{name}={value!r} is unknown; choose one of {', '.join(map(repr, choices))}")
    return value


def over_root(numerator: float, square: float) -> float:
    """Return numerator / √square as the root of one ratio, which rounds less than a ratio of roots."""
    return copysign(sqrt(numerator * numerator / square), numerator)


def pair_margins(p: PairCounts | ChancePairs) -> float:
    """Return the product of the pairs together and apart in truth and in prediction: the product of both variances.

    In this order the product of real weights is exactly (yy · nn)² where the labelings agree on all pairs.
    """
    return ((p.yy + p.yn) * (p.yn + p.nn)) * ((p.yy + p.ny) * (p.ny + p.nn))


def check_positive(value: float, name: str) -> float:
    """Return a positive number; raise for any other value."""
    try:
        valid = 1e-50 <= value <= 1e50
    except TypeError:
        valid = False
    if not valid:
        raise InputError(f"{name}={value!r} must be a positive number, between 1e-50 and 1e50")
    return value


def check_non_negative(value: float, name: str) -> float:
    """Return a non-negative number; raise for any other value."""
    if isinstance(value, int | float) and value == 0:
        return value
    try:
        return check_positive(value, name)
    except InputError:
        raise InputError(f"{name}={value!r} must be 0 or a positive number, between 1e-50 and 1e50") from None


def exact(value: float) -> int:
    """Return the value without rounding: an integer, or a `Fraction`, which computes in the same way."""
    if value == int(value):
        return int(value)
    from fractions import Fraction

    return Fraction(value)  # type: ignore[return-value]


def exact_square(beta: float) -> int:
    """Return beta² without rounding, for an F-measure."""
    if type(beta) is float and beta == 1.0:  # the default, at once
        return 1
    return exact(check_positive(beta, "beta")) ** 2


def share(part: float, whole: float) -> float:
    """Return part / whole, at most 1: the rounding of weights or quotients can make the part larger than the whole."""
    return min(part, whole) / whole


def divide(a: float, b: float) -> float:
    """Return a / b; 0/0 raises `ZeroDivisionError`, and any other number over 0 is infinite."""
    if b != 0:
        return float(a / b)
    if a == 0:
        raise ZeroDivisionError
    return inf if a > 0 else -inf


def require_clusters(k: int, n: float = inf) -> None:
    """Raise `ZeroDivisionError` for one cluster, and for as many clusters as points if n is given: 0/0."""
    if k < 2 or k >= n:
        raise ZeroDivisionError
