"""What every statistic offers."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from typing import Self

    from clustermark.tables.contingency import Contingency

SCALE = 1 << 84
"""The kernel adds up values between 0 and 1 as integers, in units of 2**-84, so that no order of sums matters."""


def unscale(total: float) -> float:
    """A sum of fractions as the kernel gives it: an integer in units of 1/SCALE, or already a double."""
    return total / SCALE if isinstance(total, int) else total


class Takes(NamedTuple):
    """What a statistic can take beside ordinary points."""

    weights: str | None = None
    """What real weights do to it; None where they have no meaning."""
    unscored: bool = False
    """Whether noise with the policy "unscored" has a meaning."""
    one_sided: bool = False
    """Whether items that occur on one side only have a meaning."""


class View(Protocol):
    """What every statistic offers."""

    @classmethod
    def takes(cls) -> Takes:
        """What it can take beside ordinary points."""
        ...

    @classmethod
    def of(cls, table: Contingency) -> Self:
        """The statistic of a table."""
        ...

    @classmethod
    def exact(cls, table: Contingency) -> Self:
        """The same in `Fraction`s, as far as its numbers are rational."""
        ...
