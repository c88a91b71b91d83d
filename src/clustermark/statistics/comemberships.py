"""Numbers of clusters that two items of covers share, counted by kinds of items instead of item by item.

Items in the same clusters on both sides are one cell of a `CoverTable`, with a count. All pairs of cells would take
quadratic time, so only cells that share a cluster are compared: a sparse product of the matrix of memberships with its
transpose. One product counts both true and predicted clusters, because a true cluster counts as 2^32.
"""

from __future__ import annotations

from collections import defaultdict
from math import fsum, lcm
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from clustermark._kernel import encode_integers
from clustermark.errors import UnsupportedTableError
from clustermark.statistics.pairs import PairCounts
from clustermark.statistics.sizes import Sizes
from clustermark.statistics.solvers import cut_rows
from clustermark.statistics.statistic import Takes
from clustermark.subjects.cover_tables import COVERS, CoverTable, sign

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from clustermark.subjects.cover_tables import CoverLimits

_TRUE: Final = 1 << 32
"""Value of a shared true cluster in a number that counts a shared predicted cluster as 1."""


class SharedClusters(NamedTuple):
    """Numbers of items by the numbers of clusters that they share with an item of a cell, including the item itself.

    Rows with equal `cell`, `true` and `pred` must be added up; some have negative `items`. Items that share no cluster
    are left out.
    """

    cell: NDArray[np.int64]
    true: NDArray[np.int64]
    """Number of shared true clusters."""
    pred: NDArray[np.int64]
    items: NDArray[np.int64]
    """Number of items that share them."""

    @classmethod
    def of(cls, table: CoverTable) -> SharedClusters:
        """Return the clusters that the items of a table share."""
        return table.once(cls, _count_shared)


def _count_shared(table: CoverTable) -> SharedClusters:
    """Count shared clusters by a sparse product, by groups of cells, or by dense products, with the fewest steps.

    A cluster of m cells takes m² steps of the sparse product, so a few large clusters can take most of the time. But
    these few clusters divide the cells into few groups with the same large clusters, and the number of large clusters
    that two cells share depends on their groups alone. So large clusters are counted by pairs of groups (`_expand`),
    and the sparse product counts the others. Where two cells share clusters of both sorts, the sparse part adds the sum
    and subtracts what the groups have counted (`_count_block`).
    """
    from scipy.sparse import csr_array

    limits, (counts, first) = table.limits, table.signatures
    (rows, true), (others, pred) = table.true.take(first), table.pred.take(first)
    places = np.concatenate([rows, others]), np.concatenate([true, pred + table.true.k])
    shape = len(first), table.true.k + table.pred.k
    members: Any = csr_array((np.repeat([_TRUE, 1], [len(true), len(pred)]), places), shape=shape)
    large = _find_large(members, limits)
    groups, shared = _share_large(members[:, large])
    few = members[:, ~large]
    ones: Any = csr_array((np.ones(few.nnz, np.int64), few.indices, few.indptr), shape=few.shape)
    work = ones @ np.bincount(ones.indices, minlength=ones.shape[1]).astype(np.int64)
    most = int(table.true.degrees.max()) + 1, int(table.pred.degrees.max()) + 1
    dense = len(first) * max(len(first), most[0] * most[1]) * (1 + shape[1] // limits.dense_columns)
    if (steps := min(int(work.sum()), dense)) > limits.steps:
        raise UnsupportedTableError(
            f"{len(first):,} kinds of items share clusters, because items are in many clusters or clusters are large; "
            f"to count these takes {steps:,} steps, and more than {limits.steps:,} take too long; score the covers by "
            "their clusters: average_f1, onmi"
        )
    if dense < work.sum():
        parts = _count_dense(members, counts, most, table)
    else:
        turned, done = ones.T.tocsr(), np.cumsum(work)
        parts = [_expand(shared, groups, counts)]
        for start, end in cut_rows(work, limits.block):
            parts.append(_count_block(start, few[start:end], turned, counts, groups, shared))
            table.report_progress(int(done[end - 1]) / max(int(done[-1]), 1))
    columns = [np.concatenate(column) for column in zip(*parts, strict=True)]
    kept = columns[1] > 0
    true, pred = np.divmod(columns[1][kept], _TRUE)
    return SharedClusters(columns[0][kept], true, pred, columns[2][kept])


def _count_dense(
    members: Any, counts: NDArray[np.int64], most: tuple[int, int], table: CoverTable
) -> list[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]]:
    """Count the same by dense products of blocks of cells with all cells, if most cells share clusters.

    most: the largest numbers of true and of predicted clusters of an item, plus 1 each.
    """
    worth = members.toarray()
    worth = np.where(worth == _TRUE, most[1], worth).astype(np.float64)
    others = (worth > 0).astype(np.float64).T
    weights = counts.astype(np.float64)  # their sums are exact
    kinds = most[0] * most[1]
    parts = []
    step = max(1, table.limits.block // max(len(counts), kinds))
    for start in range(0, len(counts), step):
        met = (worth[start : start + step] @ others).astype(np.int64)
        rows = len(met)
        met += (np.arange(rows) * kinds)[:, None]
        found = np.bincount(met.ravel(), np.tile(weights, rows), rows * kinds)
        places = np.flatnonzero(found)
        cells, kind = np.divmod(places, kinds)
        true, pred = np.divmod(kind, most[1])
        parts.append((cells + start, true * _TRUE + pred, found[places].astype(np.int64)))
        table.report_progress((start + rows) / len(counts))
    return parts


def _find_large(members: Any, limits: CoverLimits) -> NDArray[np.bool_]:
    """Return which clusters to count by groups: the largest ones, in the number that leaves the fewest steps.

    With the largest 1, 2, 4, … clusters, the steps are the square of the number of groups and the squares of the sizes
    of the remaining clusters. None are chosen if all clusters together take few steps.
    """
    cells = np.bincount(members.indices, minlength=members.shape[1]).astype(np.int64)
    order = np.argsort(-cells, kind="stable")
    work = np.cumsum((cells * cells)[order][::-1])[::-1]  # steps for a cluster and all smaller ones
    best, least, large = 0, float(work[0]) if len(work) else 0.0, np.zeros(len(cells), np.bool_)
    for number in (1 << power for power in range(len(order).bit_length())):
        left = float(work[number]) if number < len(work) else 0.0
        if least <= limits.block:
            break
        if left > 0.75 * float(work[0]):
            continue  # saves too little
        large[order[:number]] = True
        part = members[:, large]
        groups = int(sign(part.indptr, part.indices, part.shape[1]).max()) + 1
        if groups > limits.groups:
            break
        if groups * groups + left < least:
            best, least = number, groups * groups + left
    large[:] = False
    large[order[:best]] = True
    return large


def _share_large(members: Any) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the group of each cell by its large clusters, and the number of these that cells of two groups share."""
    groups = sign(members.indptr, members.indices, members.shape[1])
    some = np.zeros(int(groups.max()) + 1, np.int64)
    some[groups] = np.arange(len(groups))
    worth = members[some]
    return groups, (worth @ (worth > 0).astype(np.int64).T).toarray()


def _expand(
    shared: NDArray[np.int64], groups: NDArray[np.int64], counts: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return numbers of large clusters that items of each cell share with all items: cell, kind (number) and items."""
    sizes = np.bincount(groups, counts, len(shared))
    starts = [0]
    kinds, items = [], []
    for line in shared:
        different, place = np.unique(line, return_inverse=True)
        kinds.append(different)
        items.append(np.bincount(place, sizes).astype(np.int64))
        starts.append(starts[-1] + len(different))
    begins, lengths = np.array(starts)[groups], np.diff(starts)[groups]
    cells = np.repeat(np.arange(len(groups)), lengths)
    places = np.arange(len(cells)) - np.repeat(np.cumsum(lengths) - lengths, lengths) + begins[cells]
    return cells, np.concatenate(kinds)[places], np.concatenate(items)[places]


def _count_block(
    start: int,
    worth: Any,
    turned: Any,
    counts: NDArray[np.int64],
    groups: NDArray[np.int64],
    shared: NDArray[np.int64],
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Count the same for a block of cells that share other clusters.

    The groups have counted these pairs of cells by their large clusters alone, so those counts are subtracted.
    """
    met = worth @ turned
    rows = np.repeat(np.arange(start, start + met.shape[0]), np.diff(met.indptr))
    if not shared.any():
        return _add_up(rows, met.data, counts[met.indices])
    before = shared[groups[rows], groups[met.indices]]
    added = _add_up(rows, before + met.data, counts[met.indices])
    taken = _add_up(rows, before, counts[met.indices])
    return (
        np.concatenate([added[0], taken[0]]),
        np.concatenate([added[1], taken[1]]),
        np.concatenate([added[2], -taken[2]]),
    )


def _add_up(
    rows: NDArray[np.int64], kinds: NDArray[np.int64], counts: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return the sum of the counts of each row and kind."""
    codes, first = encode_integers(kinds)
    both, some = encode_integers(rows * len(first) + codes)
    # whole numbers below 2^53 are exact as doubles, too
    return rows[some], kinds[some], np.bincount(both, counts, len(some)).astype(np.int64)


class CoMemberships(NamedTuple):
    """The pairs of distinct items by the number of clusters that they share on both sides: exact integers."""

    pairs: int
    agreeing: int
    """Pairs that share the same number of true and of predicted clusters."""
    chance: int
    """Sum over k of the pairs that share k clusters in the truth times those that share k in the prediction."""
    yy: int
    """Pairs that share a cluster on both sides."""
    yn: int
    """Pairs that share a true cluster, and no predicted one."""
    ny: int
    nn: int

    @classmethod
    def takes(cls) -> Takes:
        """Accept covers."""
        return Takes(comparison=COVERS)

    @classmethod
    def of(cls, table: CoverTable) -> CoMemberships:
        """Return the pairs of a table."""
        return table.once(cls, _count_hard_pairs if table.is_hard else _count_pairs)


def _count_hard_pairs(table: CoverTable) -> CoMemberships:
    yy, yn, ny, nn = map(int, PairCounts.of(table.partitions))
    together, apart = (yy + yn) * (yy + ny), (ny + nn) * (yn + nn)
    return CoMemberships(yy + yn + ny + nn, yy + nn, together + apart, yy, yn, ny, nn)


def _count_pairs(table: CoverTable) -> CoMemberships:
    kinds = _histogram(table)
    true, pred = defaultdict[int, int](int), defaultdict[int, int](int)
    for (t, p), pairs in kinds.items():
        true[t] += pairs
        pred[p] += pairs
    yy = sum(pairs for (t, p), pairs in kinds.items() if t and p)
    return CoMemberships(
        table.n * (table.n - 1) // 2,
        sum(pairs for (t, p), pairs in kinds.items() if t == p),
        sum(pairs * pred[shared] for shared, pairs in true.items()),
        yy,
        sum(pairs for t, pairs in true.items() if t) - yy,
        sum(pairs for p, pairs in pred.items() if p) - yy,
        kinds[0, 0],
    )


def _histogram(table: CoverTable) -> dict[tuple[int, int], int]:
    """Count pairs of items by their numbers of shared true and predicted clusters."""
    shared, (counts, first) = SharedClusters.of(table), table.signatures
    kinds, some = encode_integers(shared.true * _TRUE + shared.pred)
    ordered = np.zeros(len(some), np.int64)  # sums of whole numbers that doubles could round
    np.add.at(ordered, kinds, counts[shared.cell] * shared.items)
    keys = zip(shared.true[some].tolist(), shared.pred[some].tolist(), strict=True)
    found = defaultdict[tuple[int, int], int](int, zip(keys, ordered.tolist(), strict=True))
    found[0, 0] = table.n * table.n - sum(found.values())
    own = zip(*(side.degrees[first].tolist() for side in (table.true, table.pred)), strict=True)
    for kind, items in zip(own, counts.tolist(), strict=True):
        found[kind] -= items  # an item makes no pair with itself
    return {kind: pairs // 2 for kind, pairs in found.items()}


class SharedShares(NamedTuple):
    """Sums over items of the share of the clusters shared on one side that are also shared on the other."""

    precision: float
    """Sum over items e that the prediction covers of the mean of min(t, p) / p over the items that share a predicted
    cluster with e; t and p are the numbers of true and predicted clusters that the two items share."""
    recall: float
    """The same from the side of the truth."""
    n_pred: int
    """Number of items that the prediction covers."""
    n_true: int

    @classmethod
    def takes(cls) -> Takes:
        """Accept covers."""
        return Takes(comparison=COVERS)

    @classmethod
    def of(cls, table: CoverTable) -> SharedShares:
        """Return the shares of a table."""
        return table.once(cls, _hard_shares if table.is_hard else _share)


def _hard_shares(table: CoverTable) -> SharedShares:
    sizes = Sizes.of(table.mentions)
    return SharedShares(sizes.precision, sizes.recall, int(sizes.n_pred), int(sizes.n_true))


def _share(table: CoverTable) -> SharedShares:
    shared, counts = SharedClusters.of(table), table.signatures.counts
    pred = _mean_shares(shared.cell, shared.pred, shared.true, shared.items, counts)
    true = _mean_shares(shared.cell, shared.true, shared.pred, shared.items, counts)
    return SharedShares(pred, true, table.n - table.pred.n_uncovered, table.n - table.true.n_uncovered)


def _mean_shares(
    cell: NDArray[np.int64],
    mine: NDArray[np.int64],
    theirs: NDArray[np.int64],
    items: NDArray[np.int64],
    counts: NDArray[np.int64],
) -> float:
    """Return Σ over items e of the mean of min(mine, theirs) / mine over items f that share a cluster of mine with e.

    Sums over items with the same number of such f are integers that are divided once. So the order changes no bit,
    equal covers give the number of items, and partitions give the quotients of `Sizes`.
    """
    some = np.flatnonzero(mine)
    cell, mine, theirs, items = cell[some], mine[some], theirs[some], items[some]
    met = np.bincount(cell, items, len(counts)).astype(np.int64)  # the number of f
    kinds, first = encode_integers(met[cell] * (int(mine.max(initial=0)) + 1) + mine)
    parts = np.zeros(len(first), object)
    np.add.at(parts, kinds, (counts[cell] * items).astype(object) * np.minimum(mine, theirs))
    by_number = defaultdict[int, list[tuple[int, int]]](list)
    for place, part in zip(first.tolist(), parts.tolist(), strict=True):
        by_number[int(met[cell[place]])].append((part, int(mine[place])))
    return fsum(_divide(parts, number) for number, parts in by_number.items())


def _divide(parts: list[tuple[int, int]], number: int) -> float:
    """Return Σ part / shared / number, rounded once."""
    whole = lcm(*(shared for _, shared in parts))
    return sum(part * (whole // shared) for part, shared in parts) / (whole * number)
