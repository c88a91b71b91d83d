"""Random walks from item to cluster to item in two covers, which element-centric similarity compares.

The probabilities of the end of a walk follow from a linear system over the clusters that are connected by shared items.
Walks never leave these, so each set of connected clusters is solved separately, and walks in different sets have
nothing in common.
"""

from __future__ import annotations

from functools import partial
from math import fsum
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from clustermark.errors import UnsupportedTableError
from clustermark.interruption import attend
from clustermark.statistics.overlaps import JointSums
from clustermark.statistics.statistic import Takes
from clustermark.subjects.cover_tables import COVERS, CoverTable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from clustermark.subjects.cover_tables import CoverSide

_NARROW: Final = 16
"""A matrix is solved as a band if, on each side, the band has at most its rows divided by this number."""


class Walks:
    """The walks of two covers.

    A step leads from an item to one of its clusters, and from there to one of its items; each step is the last with
    probability 1 - alpha. The end of a walk depends only on the clusters of its first item, so it has the same
    distribution for all items of a cell.
    """

    def __init__(self, table: CoverTable) -> None:
        self._table = table

    @classmethod
    def takes(cls) -> Takes:
        """Accept covers."""
        return Takes(comparison=COVERS)

    @classmethod
    def of(cls, table: CoverTable) -> Walks:
        """Return the walks of a table."""
        return cls(table)

    def compare(self, alpha: float) -> float:
        """Return the mean over items of the common part of the distributions of the ends of walks on both sides.

        Walks without a step are left out.
        """
        table = self._table
        if table.is_hard:  # the first step decides where walks end
            sums = JointSums.of(table.partitions)
            return sums.of_larger / sums.n
        return 1.0 if table.are_identical() else table.once((Walks, alpha), lambda table: _compare(table, alpha))


class _SideWalks:
    """The walks of one side, from one item of each cell."""

    def __init__(self, side: CoverSide, table: CoverTable, alpha: float) -> None:
        from scipy.sparse import csr_array
        from scipy.sparse.csgraph import connected_components

        counts, cells = table.signatures
        self._limits = table.limits
        rows, clusters = side.take(cells)
        shape = len(cells), side.k
        self._ends: Any = csr_array((1 / side.sizes[clusters], (rows, clusters)), shape=shape)
        """Probability of each item of a cell at the end of a walk whose last cluster is given."""
        self._steps: Any = csr_array((1 / side.degrees[cells][rows], (rows, clusters)), shape=shape)
        """The first step from an item of a cell."""
        items: Any = csr_array((counts[rows] / side.sizes[clusters], (clusters, rows)), shape=shape[::-1])
        self._returns: Any = items @ self._steps
        """The step from one cluster to the next."""
        component = connected_components(self._returns, directed=False)[1]
        self._order = np.argsort(component, kind="stable")
        sizes = np.bincount(component, minlength=1)
        self._starts = np.concatenate([[0], np.cumsum(sizes)])
        self._place = np.empty(side.k, np.int64)
        self._place[self._order] = np.arange(side.k) - np.repeat(self._starts[:-1], sizes)
        if (largest := int(sizes.max())) > table.limits.connected:
            raise UnsupportedTableError(
                f"element_centric: {largest:,} clusters are connected by items that they share, and more than "
                f"{table.limits.connected:,} are not solved together; score the covers by other indices"
            )
        self.covered = side.degrees[cells] > 0
        self.component = np.full(len(cells), -1, np.int64)
        """Number of the set of connected clusters of each cell; -1 for a cell in no cluster."""
        self.component[rows] = component[clusters]
        self.items = np.bincount(self.component[self.covered], counts[self.covered], len(sizes))
        """Number of items of each set of connected clusters."""
        self.single = self.covered & (sizes[self.component] == 1)
        """Cells whose cluster shares no item with another."""
        self._alpha = alpha
        self._solved: dict[int, NDArray[np.float64]] = {}

    def _within(self, matrix: Any, rows: NDArray[np.int64]) -> Any:
        """Return rows of a matrix over all clusters, with columns for the connected clusters of these cells only."""
        from scipy.sparse import csr_array

        part = matrix[rows]
        component = self.component[rows[0]]
        k = int(self._starts[component + 1] - self._starts[component])
        return csr_array((part.data, self._place[part.indices], part.indptr), shape=(len(rows), k))

    def _from_cluster_to_last(self, component: int) -> NDArray[np.float64]:
        """Return the probability that a walk in one of these clusters takes its last step from another of them."""
        if component not in self._solved:
            clusters = self._order[self._starts[component] : self._starts[component + 1]]
            again = self._returns[clusters][:, clusters]
            if sum(kept.size for kept in self._solved.values()) > self._limits.solved:
                self._solved.clear()
            long = len(clusters) > self._limits.interrupted
            solve = partial(_invert, again, self._alpha, in_band=long)
            # NumPy cannot be interrupted: long work runs in a thread, which Ctrl-C abandons
            inverse = attend(solve, patience=0) if long else solve()
            self._solved[component] = np.asarray((1 - self._alpha) * inverse, np.float64)
        return self._solved[component]

    def leave(self, cells: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the probabilities of the last cluster of walks from these connected cells: a row for each cell."""
        left: NDArray[np.float64] = self._within(self._steps, cells) @ self._from_cluster_to_last(
            int(self.component[cells[0]])
        )
        return left

    def end(self, starts: NDArray[np.int64], cells: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the probabilities that walks from connected cells end in an item of `cells`: a row for each start."""
        ends: NDArray[np.float64] = (self._within(self._ends, cells) @ self.leave(starts).T).T
        return ends

    def come_back(self, cells: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the probabilities that walks from these connected cells end in the item in which they began."""
        back: NDArray[np.float64] = self._within(self._ends, cells).multiply(self.leave(cells)).sum(axis=1)
        return back


def _invert(again: Any, alpha: float, *, in_band: bool) -> NDArray[np.float64]:
    """Return the inverse of 1 - alpha * again.

    in_band: solve a narrow band if an order of the clusters gives one, for example where clusters overlap in a chain.
    """
    k = again.shape[0]
    if in_band:
        from scipy.linalg import solve_banded
        from scipy.sparse.csgraph import reverse_cuthill_mckee

        order = reverse_cuthill_mckee(again, symmetric_mode=False)
        entries = again[order][:, order].tocoo()
        width = int(np.abs(entries.row - entries.col).max())
        if _NARROW * width < k:
            band = np.zeros((2 * width + 1, k))
            band[width] = 1
            band[width + entries.row - entries.col, entries.col] -= alpha * entries.data
            inverse = np.empty((k, k))
            inverse[np.ix_(order, order)] = solve_banded((width, width), band, np.eye(k), overwrite_b=True)
            return inverse
    # rows of steps add up to 1, so the condition is at most (1 + alpha) / (1 - alpha)
    return np.asarray(np.linalg.inv(np.eye(k) - alpha * again.toarray()), np.float64)


def _compare(table: CoverTable, alpha: float) -> float:
    counts, cells = table.signatures
    true, pred = (_SideWalks(side, table, alpha) for side in (table.true, table.pred))
    shares = np.ones(len(cells))
    for mine, theirs in ((true, pred), (pred, true)):
        for _, alone in _split(mine.component, np.flatnonzero(mine.covered & ~theirs.covered)):
            shares[alone] = mine.come_back(alone)  # in no cluster of the other side, all walks end where they began
    simple = true.single & pred.single
    larger = np.maximum(*(side.items[side.component[simple]] for side in (true, pred)))
    shares[simple] = counts[simple] / larger
    others = np.flatnonzero(true.covered & pred.covered & ~simple)
    groups = list(_split(true.component * len(pred.items) + pred.component, others))
    pairs = sum(len(group) ** 2 for _, group in groups)
    if pairs > table.limits.pairs:
        raise UnsupportedTableError(
            f"element_centric: {pairs:,} pairs of kinds of items have connected clusters on both sides, and more than "
            f"{table.limits.pairs:,} take too long; score the covers by other indices"
        )
    done = 0
    for _, group in groups:
        for rows, share in _compare_group(true, pred, group, table):
            shares[group[rows]] = share
            done += len(share) * len(group)
            table.report_progress(done / pairs)
    return min(1.0, fsum((counts * shares).tolist()) / table.n)


def _split(keys: NDArray[np.int64], cells: NDArray[np.int64]) -> Iterator[tuple[int, NDArray[np.int64]]]:
    """Yield each key with its cells."""
    order = cells[np.argsort(keys[cells], kind="stable")]
    for part in np.split(order, np.flatnonzero(np.diff(keys[order])) + 1) if len(order) else ():
        yield int(keys[part[0]]), part


def _compare_group(
    true: _SideWalks, pred: _SideWalks, group: NDArray[np.int64], table: CoverTable
) -> Iterator[tuple[slice, NDArray[np.float64]]]:
    """Yield the common part of walks from cells whose clusters are connected on both sides, in blocks.

    Walks from these cells have nothing in common with walks from other cells.
    """
    weights = table.signatures.counts[group].astype(np.float64)
    sides = true, pred
    whole = [weights.sum() == side.items[side.component[group[0]]] for side in sides]
    step = max(1, table.limits.block // len(group))
    for start in range(0, len(group), step):
        rows = slice(start, start + step)
        ends = [side.end(group[rows], group) for side in sides]
        # a sum of differences, unlike one of minima, is exactly 0 where both sides are the same
        apart = np.abs(ends[0] - ends[1]) @ weights
        for all_of, end in zip(whole, ends, strict=True):
            apart += 0.0 if all_of else np.maximum(0.0, 1 - end @ weights)
        yield rows, np.maximum(0.0, 1 - apart / 2)
