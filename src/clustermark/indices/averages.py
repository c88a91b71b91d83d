"""Units of information, and the means of two entropies."""

from __future__ import annotations

from math import inf, log, sqrt
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias, TypeVar, get_args

import numpy as np

from clustermark.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")
Average: TypeAlias = Literal["arithmetic", "geometric", "min", "max", "joint"]


def in_units(nats: float, base: float | None) -> float:
    """Information in units of this base of the logarithm: 2 for bits, 10 for digits, None for nats."""
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
    """Entropies of two sides, and the information that they share and do not share."""

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


# each is at least the smaller entropy after rounding too, and exactly the entropy where both are equal
_AVERAGES: dict[str, Callable[[TwoEntropies], float]] = {
    "arithmetic": lambda e: (e.true + e.pred) / 2,
    "geometric": lambda e: sqrt(e.true * e.pred),
    "min": lambda e: min(e.true, e.pred),
    "max": lambda e: max(e.true, e.pred),
    "joint": lambda e: e.variation + e.mutual,
}


def average_entropy(entropies: TwoEntropies, average: str) -> float:
    """The average of the two entropies, or their joint entropy."""
    check_value(average, "average", get_args(Average))
    return _AVERAGES[average](entropies)


def check_value(value: T, name: str, choices: tuple[T, ...]) -> T:
    """The value of an option, if it is one of the choices; True is not 1."""
    if value not in choices or isinstance(value, bool | np.bool_) != isinstance(choices[0], bool):
        raise InputError(f"{name}={value!r} is unknown; choose one of {', '.join(map(repr, choices))}")
    return value
