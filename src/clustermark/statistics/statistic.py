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
"""The kernel adds up values between 0 and 1 as integers, in units of 2**-84, so that no order of sums matters."""


def unscale(total: float) -> float:
    """A sum of fractions as the kernel gives it: an integer in units of 1/SCALE, or already a double."""
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
    """The kind of comparison that it reads."""
    needs: str = ""
    """Part of a comparison that it needs: the "features" of points, the "distances" of every two points, the "mean
    distances" of points to clusters, or the "pairs" of items of soft clusterings; empty where that makes no difference.
    """


class Statistic(Protocol[C]):
    """Protocol of statistics; C is the class of comparison, by default `Contingency`.

    For exact fractions its integers are made fractions; one with more to say has `exact(comparison)` beside `of`.
    """

    @classmethod
    def takes(cls) -> Takes:
        """The kind of comparison that it reads, and what it can take beside ordinary points."""
        ...

    @classmethod
    def of(cls, comparison: C, /) -> Self:
        """The statistic of a comparison."""
        ...


def exact_statistic(statistic: type[Statistic[Any]], comparison: Any) -> Any:
    """The statistic of a comparison with its integers as `Fraction`s; sums of doubles stay doubles."""
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
