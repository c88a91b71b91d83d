"""What every statistic offers, and how it is made once a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar, cast

from clustermark import _kernel
from clustermark.comparisons.partitions import PARTITIONS
from clustermark.tables import tallied
from clustermark.tables.tallied import TalliedJoint

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Self

    from clustermark.comparisons.comparison import Comparison
    from clustermark.tables.contingency import Contingency

T = TypeVar("T")
C = TypeVar("C", contravariant=True)

SCALE = 1 << 84
"""The kernel adds up values between 0 and 1 as integers, in units of 2**-84, so that no order of sums matters."""


def unscaled(total: float) -> float:
    """A sum of fractions as the kernel gives it: an integer in units of 1/SCALE, or already a double."""
    return total / SCALE if isinstance(total, int) else total


class Takes(NamedTuple):
    """What a statistic reads, and what it can take beside ordinary points."""

    weights: str | None = None
    """What real weights do to it; None where they have no meaning."""
    unscored: bool = False
    """Whether noise with the policy "unscored" has a meaning."""
    one_sided: bool = False
    """Whether items that occur on one side only have a meaning."""
    comparison: Comparison[Any] = PARTITIONS
    """The kind of comparison that it reads."""


class Statistic(Protocol[C]):
    """What every statistic offers; C is what it is made of, a `Contingency` unless it says otherwise."""

    @classmethod
    def takes(cls) -> Takes:
        """The kind of comparison that it reads, and what it can take beside ordinary points."""
        ...

    @classmethod
    def of(cls, comparison: C, /) -> Self:
        """The statistic of a comparison."""
        ...

    @classmethod
    def exact(cls, comparison: C, /) -> Self:
        """The same in `Fraction`s, as far as its numbers are rational."""
        ...


def joint_of(table: Contingency) -> _kernel.Joint | TalliedJoint:
    """The sums over cells that need the sizes of both their clusters, made once a table."""
    return once(table, TalliedJoint, _joint)


def _joint(table: Contingency) -> _kernel.Joint | TalliedJoint:
    tallies = table.tallies
    return _kernel.joint(table._tabulation.cells) if tallies is None else tallied.joint(tallies.cells)


def once(table: Contingency, view: type[Any], make: Callable[[Contingency], T]) -> T:
    """The view of this kind that the table already has, or a new one."""
    views = table._views
    if view not in views:
        views[view] = make(table)
    return cast("T", views[view])
