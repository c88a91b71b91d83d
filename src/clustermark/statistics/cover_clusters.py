"""Clusters of two covers and their counterparts: overlaps, best overlaps, a best matching, and information."""

from __future__ import annotations

from math import e, fsum
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from clustermark._kernel import encode_integers
from clustermark.errors import UnsupportedTableError
from clustermark.statistics.matching import FINE, MatchedProducts
from clustermark.statistics.overlaps import SizedEntries
from clustermark.statistics.solvers import cut_rows, largest_assignment
from clustermark.statistics.statistic import Takes, unscale
from clustermark.subjects.cover_tables import COVERS, CoverTable
from clustermark.tables.sums import exact_sum, scaled_sum

if TYPE_CHECKING:
    from numpy.typing import NDArray


_NONE: Final = np.zeros(0, np.int64)


class ClusterOverlaps(NamedTuple):
    """Pairs of a true and a predicted cluster with common items: the number of these, and the sizes of both."""

    rows: NDArray[np.int64]
    columns: NDArray[np.int64]
    n: NDArray[np.int64]
    """Number of items in common."""
    a: NDArray[np.int64]
    """Size of the true cluster."""
    b: NDArray[np.int64]

    @classmethod
    def of(cls, table: CoverTable) -> ClusterOverlaps:
        """Return the overlaps of a table."""
        return table.once(cls, _overlap)


def _overlap(table: CoverTable) -> ClusterOverlaps:
    from scipy.sparse import csr_array

    counts, first = table.signatures
    (rows, true), (others, pred) = table.true.take(first), table.pred.take(first)
    left: Any = csr_array((counts[rows], (true, rows)), shape=(table.true.k, len(first)))
    right: Any = csr_array((np.ones(len(pred), np.int64), (others, pred)), shape=(len(first), table.pred.k))
    parts: list[Any] = []
    work = (left > 0).astype(np.int64) @ table.pred.degrees[first]
    done = np.cumsum(work)
    for start, end in cut_rows(work, table.limits.block):
        parts.append((left[start:end] @ right).tocoo())
        if (held := sum(part.nnz for part in parts)) > table.limits.overlaps:
            raise UnsupportedTableError(
                f"at least {held:,} pairs of clusters overlap, because of items in many clusters, and more than "
                f"{table.limits.overlaps:,} are not held; leave such items out, or score the covers by pairs of items: "
                "omega"
            )
        parts[-1].row += start
        table.report_progress(int(done[end - 1]) / max(int(done[-1]), 1))
    met = [np.concatenate([getattr(part, name) for part in parts] or [_NONE]) for name in ("row", "col", "data")]
    rows, columns, n = (column.astype(np.int64) for column in met)
    return ClusterOverlaps(rows, columns, n, table.true.sizes[rows], table.pred.sizes[columns])


class BestClusters(NamedTuple):
    """Sums over the clusters of each cover of the best of their overlaps."""

    k_true: int
    k_pred: int
    true_f: float
    """Sum over true clusters of their largest 2 n / (a + b)."""
    pred_f: float
    true_jaccard: float
    """Sum over true clusters of their largest n / (a + b - n)."""
    pred_jaccard: float
    best_true: int
    """Sum over true clusters of their largest overlap."""
    best_pred: int
    size_true: int
    """Sum of the sizes of true clusters."""
    overlap: int
    """Sum of all overlaps."""

    @classmethod
    def takes(cls) -> Takes:
        """Accept covers."""
        return Takes(comparison=COVERS)

    @classmethod
    def of(cls, table: CoverTable) -> BestClusters:
        """Return the sums of a table."""
        return table.once(cls, _find_best)


def _find_best(table: CoverTable) -> BestClusters:
    rows, columns, n, a, b = ClusterOverlaps.of(table)
    k_true, k_pred = table.true.k, table.pred.k
    f, jaccard = 2 * n / (a + b), n / (a + b - n)
    return BestClusters(
        k_true=k_true,
        k_pred=k_pred,
        true_f=_add_best(f, rows, k_true),
        pred_f=_add_best(f, columns, k_pred),
        true_jaccard=_add_best(jaccard, rows, k_true),
        pred_jaccard=_add_best(jaccard, columns, k_pred),
        best_true=exact_sum(_largest(n, rows, k_true)),
        best_pred=exact_sum(_largest(n, columns, k_pred)),
        size_true=exact_sum(table.true.sizes),
        overlap=exact_sum(n),
    )


def _largest(values: NDArray[Any], lines: NDArray[np.int64], k: int) -> NDArray[Any]:
    """Return the largest value of each of k lines, 0 where a line has none."""
    best = np.zeros(k, values.dtype)
    np.maximum.at(best, lines, values)
    return best


def _add_best(quotients: NDArray[np.float64], lines: NDArray[np.int64], k: int) -> float:
    """Return the sum of the best quotients, in the units of the kernel, so that the order does not matter."""
    return unscale(scaled_sum(_largest(quotients, lines, k), np.ones(k, np.int64)))


class MatchedClusters(NamedTuple):
    """The one-to-one matching of true and predicted clusters with the largest sum of n² / (a b)."""

    total: float
    k_true: int

    @classmethod
    def takes(cls) -> Takes:
        """Accept covers."""
        return Takes(comparison=COVERS)

    @classmethod
    def of(cls, table: CoverTable) -> MatchedClusters:
        """Return the matching of a table."""
        return table.once(cls, _match)


def _match(table: CoverTable) -> MatchedClusters:
    if table.is_hard and not table.true.n_uncovered and not table.pred.n_uncovered:
        matched = MatchedProducts.of(table.partitions)
        return MatchedClusters(matched.total, matched.k_true)
    overlaps = ClusterOverlaps.of(table)
    worths = np.rint(overlaps.n / overlaps.a * (overlaps.n / overlaps.b) * FINE)
    chosen = _choose(overlaps.rows, overlaps.columns, worths)
    rows, columns, n, a, b = (column[chosen] for column in overlaps)
    cells = SizedEntries(rows.astype(np.int32), columns.astype(np.int32), np.ones(len(chosen), np.int64), n, a, b)
    return MatchedClusters(cells.add_up(lambda n, a, b: (n * n, a * b)), table.true.k)


def _choose(rows: NDArray[np.int64], columns: NDArray[np.int64], worths: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the cells of a best matching.

    A cell worth at least the sum of the next best cells of its row and of its column is in a best matching, because the
    cells that it displaces are worth no more. In similar covers this rule finds most cells, and little is left to
    solve.
    """
    rest, chosen = np.arange(len(rows)), [np.zeros(0, np.int64)]
    while len(rest):
        others = sum(_best_other(lines[rest], worths[rest]) for lines in (rows, columns))
        sure = rest[worths[rest] >= others]
        # of conflicting cells take the first
        sure = sure[np.unique(rows[sure], return_index=True)[1]]
        sure = sure[np.unique(columns[sure], return_index=True)[1]]
        if not len(sure):
            chosen.append(rest[largest_assignment(rows[rest], columns[rest], worths[rest])])
            break
        chosen.append(sure)
        rest = rest[~np.isin(rows[rest], rows[sure]) & ~np.isin(columns[rest], columns[sure])]
    return np.concatenate(chosen)


def _best_other(lines: NDArray[np.int64], worths: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the largest worth of the other cells in the line of each cell; 0 where there are none."""
    order = np.lexsort((-worths, lines))
    first = np.diff(lines[order], prepend=-1) != 0
    best, second = order[first], np.zeros(len(lines))
    starts = np.flatnonzero(first)
    several = np.append(np.diff(starts), len(order) - starts[-1]) > 1
    line_of = np.cumsum(first) - 1
    runner_up = np.zeros(len(starts))
    runner_up[several] = worths[order[starts[several] + 1]]
    second[order] = worths[best][line_of]
    second[best] = runner_up
    return second


_ROUNDING: Final = 1e-14
"""Sums of logarithms that differ by at most this share count as equal: the difference is rounding error."""


class CoverEntropies(NamedTuple):
    """Entropies of the clusters of two covers, and their entropies given the most informative cluster.

    A cluster is a binary variable over the items; entropies are in nats, times the number of items.
    """

    true: float
    """Sum over true clusters of their entropy."""
    pred: float
    true_left: float
    """Sum over true clusters of their least entropy given a predicted cluster; ties are matches."""
    pred_left: float
    true_share: float
    """Sum over true clusters of that entropy as a share of their own entropy; ties are no matches."""
    pred_share: float
    k_true: int
    """Number of true clusters with an entropy above 0: those that do not contain all items."""
    k_pred: int

    @classmethod
    def takes(cls) -> Takes:
        """Accept covers."""
        return Takes(comparison=COVERS)

    @classmethod
    def of(cls, table: CoverTable) -> CoverEntropies:
        """Return the entropies of a table."""
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
    """Return the entropy of each of `mine`, and its least entropy given one of `theirs`, with and without ties."""
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
    """Return the kind of each overlap by n, a and b, and the first of each kind, to compute logarithms only once."""
    sizes, _ = encode_integers(a * (int(b.max(initial=0)) + 1) + b)
    kinds, first = encode_integers(sizes * np.int64(int(n.max(initial=0)) + 1) + n)
    return kinds.astype(np.int64), first.astype(np.int64)


def _find_disjoint(
    mine: NDArray[np.int64], theirs: NDArray[np.int64], sizes: NDArray[np.int64], others: NDArray[np.int64], items: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return clusters of `mine`, and sizes of disjoint clusters of `theirs` that can be informative about them.

    The information in a disjoint cluster depends on its size alone. By -d log d <= 1 - d, the rule of `_find_rest`
    discards it unless one of the two has more than 1/e of all items, so few pairs have to be computed.
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
    """Return n log(items / n), and 0 where n is 0; computed from the smaller part, so that nothing cancels."""
    rest = items - n
    with np.errstate(divide="ignore", invalid="ignore"):
        exact = np.where(2 * n > items, n * np.log1p(rest / n), n * np.log(items / n))
    return np.where(n == 0, 0.0, exact)


def _find_rest(
    n: NDArray[np.int64], a: NDArray[np.int64], b: NDArray[np.int64], own: NDArray[np.float64], items: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the entropy of a cluster of `a` items given one of `b` items; its own entropy if they do not match.

    A cluster close to the complement of another is informative about it, but does not match it. Two clusters match
    where the terms of items in both or in neither are at least those of items in one only (McDaid 2011: the first
    result), or larger (Lancichinetti 2009: the second).
    """
    only_mine, only_theirs, neither = a - n, b - n, items - a - b + n
    together = _term(n, items) + _term(neither, items)
    apart = _term(only_mine, items) + _term(only_theirs, items)
    left = _term(n, b) + _term(only_theirs, b) + _term(only_mine, items - b) + _term(neither, items - b)
    matches = together >= apart * (1 - _ROUNDING), together > apart * (1 + _ROUNDING)
    return np.where(matches[0], left, own), np.where(matches[1], left, own)
