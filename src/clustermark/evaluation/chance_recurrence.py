"""The Jaccard index that a cluster reaches with labelings of samples by chance: if their labels are permuted."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from clustermark.tables.tabulation import Crossing

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

PERMUTATIONS = 200
"""Number of permutations over all labelings, at least one of each."""
_WORK = 1 << 24
"""Number of items that are permuted over all labelings; beyond it, permutations are spread over some labelings only."""
_SEED = 0

Sizes = tuple[tuple[int, ...], tuple[int, ...]]
"""Sizes of the clusters of the reference and of a labeling among their common items, each in ascending order."""


def expect_jaccards(sides: Sequence[Sizes]) -> list[dict[int, float]]:
    """Return for each labeling the expected best Jaccard index of a cluster of each size, if its labels are permuted.

    It depends on the sizes of clusters only. It is exact for labelings of one or two clusters and for clusters of one
    item, and else the mean over random permutations (seed 0), which do not depend on the order of items. Labelings
    that are left out because there are very many items have no sizes.

    >>> round(expect_jaccards([((20, 380), (20, 380))])[0][380], 3)
    0.905
    """
    work = sum(sum(a) for a, _ in sides)
    step = max(1, -(-work // _WORK))  # take every step-th labeling, if all would take too long
    times = max(1, min(PERMUTATIONS * step // max(len(sides), 1), _WORK * step // max(work, 1)))
    rng = np.random.default_rng(_SEED)
    known: dict[Sizes, dict[int, float]] = {}
    found: list[dict[int, float]] = []
    for place, sizes in enumerate(sides):
        if place % step:
            found.append({})
            continue
        if len(sizes[1]) <= 2:
            if sizes not in known:
                known[sizes] = _expect_exactly(*sizes)
            found.append(known[sizes])
        else:
            found.append(_permute(*sizes, times, rng))
    return found


def _expect_exactly(a: tuple[int, ...], b: tuple[int, ...]) -> dict[int, float]:
    """Return the expectations for one or two clusters: the common items with the first are hypergeometric."""
    from scipy.stats import hypergeom

    if not b:
        return {}
    n, first = sum(a), b[0]
    found = {}
    for size in sorted(set(a)):
        in_first = np.arange(max(0, size - (n - first)), min(size, first) + 1)
        best = in_first / (size + first - in_first)
        if len(b) == 2:
            in_other = size - in_first
            best = np.maximum(best, in_other / (size + b[1] - in_other))
        found[size] = float(best @ hypergeom.pmf(in_first, n, first, size))
    return found


def _permute(a: tuple[int, ...], b: tuple[int, ...], times: int, rng: np.random.Generator) -> dict[int, float]:
    """Return the means over random permutations, and over clusters of the same size."""
    sizes = np.array(a)
    mine, theirs = (np.repeat(np.arange(len(side)), side) for side in (a, b))
    best = np.zeros(len(a))
    for _ in range(times):
        best += best_jaccards(Crossing.of(mine, rng.permutation(theirs)), len(a))
    values, of = np.unique(sizes, return_inverse=True)
    means = np.bincount(of, best / times) / np.bincount(of)
    found = dict(zip(values.tolist(), means.tolist(), strict=True))
    if 1 in found:
        found[1] = len(b) / len(mine)  # 1 / b with probability b / n, summed over clusters
    return found


def best_jaccards(crossing: Crossing, n: int) -> NDArray[np.float64]:
    """Return for each of n clusters its Jaccard index with the most similar one; NaN without common items."""
    best = np.full(n, np.nan)
    np.fmax.at(best, crossing.rows, crossing.n / (crossing.a + crossing.b - crossing.n))
    return best


def sizes_of(crossing: Crossing) -> Sizes:
    """Return the sizes of the clusters of both sides among the common items."""
    sides = ((crossing.rows, crossing.a), (crossing.columns, crossing.b))
    one, other = (tuple(sorted(sizes[np.unique(of, return_index=True)[1]].tolist())) for of, sizes in sides)
    return one, other
