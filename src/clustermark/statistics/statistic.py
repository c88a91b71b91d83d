"""The protocol of statistics."""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar

from clustermark.subjects.subject import PARTITIONS

if TYPE_CHECKING:
    from typing import Self

    from clustermark.subjects.subject import Subject

C = TypeVar("C", contravariant=True)

SCALE = 1 << 84
"""The kernel adds values between 0 and 1 as integers, in units of 2**-84, so the order of a sum does not matter."""


def unscale(total: float) -> float:
    """Convert a sum of fractions from the kernel, an integer in units of 1/SCALE or a double, to a double."""
    return total / SCALE if isinstance(total, int) else total


class Takes(NamedTuple):
    """The kind of comparison that a statistic reads, and the data that it takes beside ordinary points."""

    weights: str | None = None
    """Effect of real weights, in words; None where they have no meaning."""
    unscored: bool = False
    """Whether noise with the policy "unscored" has a meaning."""
    one_sided: bool = False
    """Whether items that occur on one side only have a meaning."""
    comparison: Subject[Any] = PARTITIONS
    """The kind of comparison that the statistic reads."""
    needs: str = ""
    """Part of a comparison that the statistic needs, if that decides its cost: the "features" of points, "distances" of
    every two points, "mean distances" of points to clusters, or "pairs" of items of soft clusterings.
    """


class Statistic(Protocol[C]):
    """Protocol of statistics; C is the class of comparison, by default `Contingency`.

    `Index.exact` makes fractions of its integers; a statistic that needs another way defines `exact(comparison)`.
    """

    @classmethod
    def takes(cls) -> Takes:
        """Return the kind of comparison that the statistic reads, and the data that it takes beside ordinary points."""
        ...

    @classmethod
    def of(cls, comparison: C, /) -> Self:
        """Return the statistic of a comparison."""
        ...


def exact_statistic(statistic: type[Statistic[Any]], comparison: Any) -> Any:
    """Return the statistic of a comparison with its integers as `Fraction`s; sums of doubles stay doubles."""
    from fractions import Fraction

    if (exact := getattr(statistic, "exact", None)) is not None:
        return exact(comparison)
    made: Any = statistic.of(comparison)
    if isinstance(made, tuple):
        return statistic(*(Fraction(x) if isinstance(x, int) else x for x in made))
    made = copy(made)
    for name in (name for kind in statistic.__mro__ for name in getattr(kind, "__slots__", ())):
        if isinstance(value := getattr(made, name), int):
            setattr(made, name, Fraction(value))
    return made
