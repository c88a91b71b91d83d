"""Mutual information of the clusters of two covers, in nats: each cluster is a binary variable over items."""

from __future__ import annotations

from math import e, fsum
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from clustermark._kernel import encode_integers
from clustermark.statistics.cover_clusters import ClusterOverlaps
from clustermark.statistics.statistic import Takes
from clustermark.subjects.covers import COVERS, CoverTable

if TYPE_CHECKING:
    from numpy.typing import NDArray

_ROUNDING: Final = 1e-14
"""Sums of logarithms that differ by no more than this share are equal but for rounding."""


class CoverEntropies(NamedTuple):
    """Entropies of the clusters of two covers, and what is left of each once the closest cluster is known."""

    true: float
    """Sum over true clusters of their entropy."""
    pred: float
    true_left: float
    """Sum over true clusters of their entropy given the predicted cluster that tells most of it; ties are matches."""
    pred_left: float
    true_share: float
    """Sum over true clusters of the share of their entropy that is left, where ties are no matches."""
    pred_share: float
    k_true: int
    """True clusters that have an entropy: those of not all items."""
    k_pred: int

    @classmethod
    def takes(cls) -> Takes:
        """Covers."""
        return Takes(comparison=COVERS)

    @classmethod
    def of(cls, table: CoverTable) -> CoverEntropies:
        """The entropies of a table."""
        return table.once(cls, _find_entropies)


def _find_entropies(table: CoverTable) -> CoverEntropies:
    rows, columns, n, a, b = ClusterOverlaps.of(table)
    true, true_left, true_apart = _find_left(rows, columns, n, (a, b), table.true.sizes, table.pred.sizes, table.n)
    pred, pred_left, pred_apart = _find_left(columns, rows, n, (b, a), table.pred.sizes, table.true.sizes, table.n)
    some, others = true > 0, pred > 0
    return CoverEntropies(
        fsum(true),
        fsum(pred),
        fsum(true_left),
        fsum(pred_left),
        fsum(true_apart[some] / true[some]),
        fsum(pred_apart[others] / pred[others]),
        int(some.sum()),
        int(others.sum()),
    )


def _find_left(
    mine: NDArray[np.int64],
    theirs: NDArray[np.int64],
    n: NDArray[np.int64],
    overlapping: tuple[NDArray[np.int64], NDArray[np.int64]],
    sizes: NDArray[np.int64],
    others: NDArray[np.int64],
    items: int,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """The entropy of each of my clusters, and what the best of theirs leaves of it: where ties match, and where not."""
    own = _entropy(sizes, items)
    left = own.copy(), own.copy()
    kinds, first = _find_alike(n, *overlapping)
    a, b = (side[first] for side in overlapping)
    rows, apart = _find_disjoint(mine, theirs, sizes, others, items)
    of_overlapping = _find_rest(n[first], a, b, own[mine[first]], items)
    of_disjoint = _find_rest(np.zeros_like(apart), sizes[rows], apart, own[rows], items)
    for least, overlapped, disjoint in zip(left, of_overlapping, of_disjoint, strict=True):
        np.minimum.at(least, mine, overlapped[kinds])
        np.minimum.at(least, rows, disjoint)
    return own, *left


def _find_alike(
    n: NDArray[np.int64], a: NDArray[np.int64], b: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Overlaps that are alike, numbered, and the first of each: many are, and logarithms take long."""
    sizes, _ = encode_integers(a * (int(b.max(initial=0)) + 1) + b)
    kinds, first = encode_integers(sizes * np.int64(int(n.max(initial=0)) + 1) + n)
    return kinds.astype(np.int64), first.astype(np.int64)


def _find_disjoint(
    mine: NDArray[np.int64], theirs: NDArray[np.int64], sizes: NDArray[np.int64], others: NDArray[np.int64], items: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """My clusters and sizes of theirs that do not overlap with them, where that can tell more than it seems.

    What a cluster without a common item tells depends on its size alone. By -d log d <= 1 - d, it is passed over by
    the rule below unless it or mine has more than 1/e of all items; so few are to be looked at.
    """
    different, kind = np.unique(others, return_inverse=True)
    large, mine_large = different > items / e, sizes > items / e
    chosen = np.flatnonzero(mine_large)
    rows = np.concatenate([np.repeat(np.arange(len(sizes)), int(large.sum())), np.repeat(chosen, len(different))])
    kinds = np.concatenate(
        [np.tile(np.flatnonzero(large), len(sizes)), np.tile(np.arange(len(different)), len(chosen))]
    )
    wanted = rows * len(different) + kinds
    looked_at = np.flatnonzero(mine_large[mine] | large[kind[theirs]])
    keys, met = np.unique(mine[looked_at] * len(different) + kind[theirs[looked_at]], return_counts=True)
    places = np.minimum(np.searchsorted(keys, wanted), max(len(keys) - 1, 0))
    overlapping = np.where(keys[places] == wanted, met[places], 0) if len(keys) else np.zeros(len(wanted), np.int64)
    apart = np.bincount(kind, minlength=len(different))[kinds] > overlapping
    return rows[apart], different[kinds[apart]]


def _entropy(sizes: NDArray[np.int64], items: int) -> NDArray[np.float64]:
    return _term(sizes, items) + _term(items - sizes, items)


def _term(n: NDArray[np.int64], items: NDArray[np.int64] | int) -> NDArray[np.float64]:
    """n log(items / n), 0 where n is; by the smaller part, so that nothing cancels."""
    rest = items - n
    with np.errstate(divide="ignore", invalid="ignore"):
        exact = np.where(2 * n > items, n * np.log1p(rest / n), n * np.log(items / n))
    return np.where(n == 0, 0.0, exact)


def _find_rest(
    n: NDArray[np.int64], a: NDArray[np.int64], b: NDArray[np.int64], own: NDArray[np.float64], items: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """What is left of the entropy of a cluster of a items once one of b is known; all, where they tell opposites.

    A cluster that is close to the complement of another tells much of it, too, and is no match. It is one where items
    that both have, or neither, tell at least as much as items that one has (McDaid 2011: the first result); or more
    than these (Lancichinetti 2009: the second).
    """
    only_mine, only_theirs, neither = a - n, b - n, items - a - b + n
    together = _term(n, items) + _term(neither, items)
    apart = _term(only_mine, items) + _term(only_theirs, items)
    left = _term(n, b) + _term(only_theirs, b) + _term(only_mine, items - b) + _term(neither, items - b)
    matches = together >= apart * (1 - _ROUNDING), together > apart * (1 + _ROUNDING)
    return np.where(matches[0], left, own), np.where(matches[1], left, own)
