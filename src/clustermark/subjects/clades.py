"""The clades of two trees, the sets of leaves below their branches: which ones both have (Day 1985)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from numpy.typing import NDArray

    from clustermark.subjects.tree import Tree


class CladeMatch(NamedTuple):
    """How many clades two trees have, each leaf alone and all leaves together left out."""

    a: int
    b: int
    shared: int
    identical: bool
    """Whether both have the same clades at the same heights."""


def match_clades(a: Tree, b: Tree) -> CladeMatch:
    """A clade of the first tree is a run of its leaves as they are drawn; one of the second is it or is not."""
    n = a.n
    drawn = a.places[:n][b.order]  # where the leaves of the second are in the first
    first, sizes = b.places[n:], b.sizes[n:]
    low = reduce_ranges(np.minimum, drawn, first, first + sizes)
    high = reduce_ranges(np.maximum, drawn, first, first + sizes)
    one = a.places[n:] * (n + 1) + a.sizes[n:]
    other = np.where(high - low + 1 == sizes, low * (n + 1) + sizes, -1)
    true_a, true_b = (a.widths > 1) & (a.sizes[n:] < n), (b.widths > 1) & (b.sizes[n:] < n)
    shared = int(np.isin(one[true_a], other[true_b]).sum())
    whole_a, whole_b = _with_heights(one, a), _with_heights(other, b)
    return CladeMatch(int(true_a.sum()), int(true_b.sum()), shared, whole_a == whole_b)


def _with_heights(clades: NDArray[np.int64], tree: Tree) -> dict[int, float]:
    joins = tree.widths > 1
    return dict(zip(clades[joins].tolist(), tree.heights[joins].tolist(), strict=True))


def reduce_ranges(
    pick: Callable[..., NDArray[Any]], values: NDArray[Any], first: NDArray[np.int64], last: NDArray[np.int64]
) -> NDArray[Any]:
    """The least (np.minimum) or largest (np.maximum) of values[first : last], for each of many ranges.

    A range is covered by two runs whose length is a power of two; one such length is held at a time.
    """
    found = np.empty(len(first), values.dtype)
    powers = np.frexp(last - first)[1] - 1
    runs, width = values, 1
    for power in range(int(powers.max(initial=0)) + 1):
        mine = powers == power
        found[mine] = pick(runs[first[mine]], runs[last[mine] - width])
        runs = pick(runs[:-width], runs[width:])
        width *= 2
    return found
