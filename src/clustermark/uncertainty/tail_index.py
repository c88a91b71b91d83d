"""Sizes with a heavy tail: the largest ones of a new sample are probably not in this one, and nothing else shows it."""

from __future__ import annotations

from math import inf, sqrt
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


class _Tail(NamedTuple):
    """A tail of sizes, and the index below which it is heavy."""

    share: float
    """The largest share of all sizes that it may hold."""
    fewest: int
    """The smallest number of sizes that it may hold."""
    limit: float


_TAILS = (_Tail(0.15, 10, 1.8), _Tail(0.05, 5, 2.5))
"""Both must be heavy: the first has enough sizes; the second is beyond sizes that only a few units exceed.

The variance of sizes is infinite below an index of 2. By simulation these limits tell lognormal sizes with a deviation
of 1, where intervals hold, from Pareto sizes with 1.5 and less and from lognormal sizes with 1.5 and more.
"""
_REACH = 5
"""The largest size of a heavy tail is at least this many times its smallest; few sizes above many ones are not."""


class TailIndex(NamedTuple):
    """The exponent of a Pareto tail, by maximum likelihood, and the number of sizes that it was estimated from."""

    value: float
    n: int
    first: float
    """The smallest size of the tail."""

    def is_below(self, limit: float) -> bool:
        """Return whether the index is half a standard error below a limit."""
        return self.n > 0 and self.value * (1 + 0.5 / sqrt(self.n)) < limit


def tail_index(
    sizes: NDArray[np.float64], multiplicity: NDArray[np.int64], share: float = 0.15, fewest: int = 10
) -> TailIndex:
    """Return the tail index of whole sizes, each of which occurs so many times; infinite if there are too few.

    The tail consists of all sizes from the smallest on that at most this share reach, and at least so many. A whole
    size stands for all within a half of it, so that the tail begins a half below its smallest size.

    >>> tail_index(np.array([1.0, 2.0, 4.0, 8.0]), np.array([160, 80, 20, 10]))
    TailIndex(value=2.74..., n=30, first=4.0)
    """
    values, of = np.unique(sizes, return_inverse=True)
    times = np.bincount(of, multiplicity)
    beyond = np.cumsum(times[::-1])[::-1]  # number of sizes from each on
    chosen = np.flatnonzero((beyond <= share * beyond[:1]) & (beyond >= fewest))
    if not len(chosen):
        return TailIndex(inf, 0, inf)
    first = int(chosen[0])
    logs = np.log(values[first:] / (values[first] - 0.5))
    return TailIndex(float(beyond[first] / (times[first:] * logs).sum()), int(beyond[first]), float(values[first]))


def refuse_tail(sizes: NDArray[np.float64], multiplicity: NDArray[np.int64], unit: str) -> str:
    """Return why the sizes of units forbid an interval of sums that grow with them; empty if they do not."""
    found = [tail_index(sizes, multiplicity, tail.share, tail.fewest) for tail in _TAILS]
    heavy = all(one.is_below(tail.limit) for one, tail in zip(found, _TAILS, strict=True))
    if not heavy or sizes.max() < _REACH * found[0].first:
        return ""
    return (
        f"sizes of {unit}s have a heavy tail (index about {found[0].value:.1f}): the largest {unit}s that a new sample "
        "would have are not in this one: no interval; read B-cubed, or draw records by size (draw_sample)"
    )
