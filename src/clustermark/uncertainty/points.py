"""The points of a table, and its sums without one of them."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from clustermark import _kernel
from clustermark.statistics.matching import MatchedPoints
from clustermark.statistics.units import Units
from clustermark.tables.sums import CellTally
from clustermark.uncertainty.entries import Cells, add_all, add_by, by_blocks, several_by_blocks

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from clustermark.statistics.units import Numbers, OfCell, OfCluster, OfSize
    from clustermark.tables.cells import CellTable
    from clustermark.tables.contingency import Contingency
    from clustermark.uncertainty.closed_forms import OverlapsLeft
    from clustermark.uncertainty.entries import SideClusters

IN_ENGINE = (
    "needs every cell, and those stay in the engine; evaluate without push-down, or choose indices of pairs "
    "and of information"
)


class Points(Units):
    """The points of a table in memory, by cells: removing any of a cell's points leaves the same table."""

    def __init__(self, table: CellTable) -> None:
        self._table = table
        self._overlaps: OverlapsLeft | None = None
        self._cells = cells = Cells(table)
        self.multiplicity: NDArray[np.int64] = (cells.n * cells.times).astype(np.int64)
        self.points = cells.n_points - 1

    @property
    def k_true(self) -> Numbers:
        """Number of true clusters that are left."""
        return self._cells.true.clusters - (self._cells.a == 1)

    @property
    def k_pred(self) -> Numbers:
        """Number of predicted clusters that are left."""
        return self._cells.pred.clusters - (self._cells.b == 1)

    @property
    def cells(self) -> Numbers:
        """Number of cells that are left."""
        return self._cells.n_cells - (self._cells.n == 1)

    @property
    def largest(self) -> tuple[Numbers, Numbers]:
        """Size of the largest true and of the largest predicted cluster that are left."""
        c = self._cells
        true, pred = (_largest_left(side, sizes) for side, sizes in ((c.true, c.a), (c.pred, c.b)))
        return true, pred

    def sum_counts(self, of: OfSize) -> Numbers:
        """Return Σ over cells of a function of their size."""
        now = of(self._cells.n)
        return self._cells.total(now) + (of(self._cells.n - 1) - now)

    def sum_sizes(self, of: OfSize) -> tuple[Numbers, Numbers]:
        """Return Σ over true clusters, and over predicted ones, of a function of their size."""
        c = self._cells
        true, pred = (_sizes_left(side, of) for side in (c.true, c.pred))
        return true, pred

    def sum_clusters(self, of: OfCluster) -> tuple[Numbers, Numbers]:
        """Return Σ over true and over predicted clusters of a function of Σn² over their cells and of their size."""
        c = self._cells
        true, pred = (self._clusters_left(side, x, of) for side, x in ((c.true, c.a), (c.pred, c.b)))
        return true, pred

    def _clusters_left(self, side: SideClusters, sizes: Numbers, of: OfCluster) -> Numbers:
        squares = self._squares(side)
        now = of(squares, np.append(side.size, side.size.dtype.type(1)))
        total = add_all(now[:-1]) + side.lone * now[-1]
        left = by_blocks(lambda q, n, size: of(q + (1 - 2 * n), size - 1), squares[side.of], self._cells.n, sizes)
        return (total - now)[side.of] + left

    def _squares(self, side: SideClusters) -> Numbers:
        """Return Σn² over the cells of each cluster, and 1 for lone points."""
        squares = self._cells.squares(side)
        squares[-1] = 1
        return squares

    def sum_largest(self) -> tuple[Numbers, Numbers]:
        """Return Σ over true and over predicted clusters of their largest cell; it shrinks if no other is as large."""
        c = self._cells
        true, pred = (self._largest_cells_left(side) for side in (c.true, c.pred))
        return true, pred

    def _largest_cells_left(self, side: SideClusters) -> Numbers:
        n = self._cells.n
        largest = side.largest(n)
        is_largest = n == largest[side.of]
        places = np.flatnonzero(is_largest)
        times = self._cells.times[places]
        n_largest = np.bincount(side.of[places], times, len(side.size) + 1)
        only = np.zeros(len(n))
        only[places] = side.alone[places] | (n_largest[side.of[places]] == 1)
        return int(largest[:-1].sum()) + side.lone - only

    def sum_cells(self, of: OfCell) -> Numbers:
        """Return Σ over cells of a function of their size and of the sizes of their clusters.

        The cell of the point shrinks with both its clusters; for the other cells of a cluster only the cluster shrinks.
        """
        c = self._cells

        def changes(n: Numbers, a: Numbers, b: Numbers) -> tuple[Numbers, ...]:
            now, fewer_a, fewer_b = of(n, a, b), _fewer(a), _fewer(b)
            own = np.where(n > 1, of(n - 1, fewer_a, fewer_b), 0)
            return now, of(n, fewer_a, b) - now, of(n, a, fewer_b) - now, own - now

        now, in_true, in_pred, own = several_by_blocks(changes, 4, *c.values)
        return c.total(now) + c.others(c.true, in_true) + c.others(c.pred, in_pred) + own

    def sum_whole(self, of: OfCell) -> Numbers:
        """Return `sum_cells` of a function that is 0 unless the cell is a whole cluster, as few cells nearly are."""
        c = self._cells
        places = np.flatnonzero((c.n >= c.a - 1) & (c.n >= c.b - 1))
        n, a, b = (sizes[places] for sizes in c.values)
        now, times = of(n, a, b), c.times[places]
        left = np.full(len(c.n), add_all(now * times))
        left[places] += np.where(n > 1, of(n - 1, _fewer(a), _fewer(b)), 0) - now
        for side, more in ((c.true, of(n, _fewer(a), b) - now), (c.pred, of(n, a, _fewer(b)) - now)):
            others = add_by(side.of[places], more * times, len(side.size) + 1)
            others[-1] = 0.0  # a lone point has no other cells
            left += others[side.of]
            left[places] -= np.where(side.alone[places], 0, more)
        return left

    def sum_best(self, of: OfCell, *, sized: bool = False) -> tuple[Numbers, Numbers]:
        """Return Σ over true and over predicted clusters of the largest value of their cells, times size if `sized`.

        The value must not decrease if a cluster is smaller and the cell is not.
        """
        c = self._cells
        n, a, b = c.values
        fewer_a, fewer_b = _fewer(a), _fewer(b)
        now, own = of(n, a, b), np.where(n > 1, of(n - 1, fewer_a, fewer_b), 0)
        true = self._best_left((c.true, a), c.pred, (now, of(n, fewer_a, b), of(n, a, fewer_b), own), sized)
        pred = self._best_left((c.pred, b), c.true, (now, of(n, a, fewer_b), of(n, fewer_a, b), own), sized)
        return true, pred

    def _best_left(
        self, mine: tuple[SideClusters, Numbers], other: SideClusters, values: tuple[Numbers, ...], sized: bool
    ) -> Numbers:
        """Return `sum_best` for one side.

        values: four values of each cell: now, if its cluster of this side shrinks, if that of the other side does, and
            if the cell itself does.
        """
        side, sizes = mine
        now, in_smaller, beside_smaller, own = values
        best, left = self.best_of_cluster(side, now), self.best_without(side, in_smaller, own)
        gain = np.maximum(best, beside_smaller) - best
        all_best = self._total_best(side, now, sized)
        if not sized:
            return all_best + self._cells.others(other, gain) + left - best
        return all_best + self._cells.others(other, gain * sizes) + left * (sizes - 1) - best * sizes

    def _total_best(self, side: SideClusters, now: Numbers, sized: bool) -> Any:
        best = side.largest(now)[:-1]
        total = add_all(best * side.size if sized else best)
        return total + add_all((now * self._cells.times)[side.alone]) if side.some_alone else total

    @staticmethod
    def best_of_cluster(side: SideClusters, values: Numbers) -> Numbers:
        """Return the largest value among the cells of each cell's cluster on this side."""
        best = side.largest(values)[side.of]
        return np.where(side.alone, values, best) if side.some_alone else best

    def best_without(self, side: SideClusters, in_smaller: Numbers, own: Numbers) -> Numbers:
        """Return the largest value in each cell's cluster without a point of the cell; 0 if the cluster is empty then.

        in_smaller: the values of the other cells then. own: the value of the cell itself."""
        first = side.largest(in_smaller)[side.of]
        is_first = in_smaller == first
        n_first = self._cells.sum_by(side.of, is_first.astype(np.float64), len(side.size) + 1)[side.of]
        second = side.largest(np.where(is_first, 0, in_smaller))[side.of]
        left = np.maximum(np.where(is_first & (n_first == 1), second, first), own)
        return np.where(side.alone, own, left) if side.some_alone else left

    def sum_matched(self, statistic: Any) -> Numbers:
        """Return the number of points in matched clusters: one less if the cell is in every best matching."""
        if statistic is not MatchedPoints:
            return super().sum_matched(statistic)
        from clustermark.uncertainty.closed_forms import in_every_matching

        total, certain = in_every_matching(self._table, self._cells)
        return total - certain

    def expected_information(self) -> NDArray[np.float64]:
        """Return expected mutual information."""
        from clustermark.uncertainty.closed_forms import expected_without

        c = self._cells
        return expected_without(self._table, c.n_points, partial(_places, c.true), partial(_places, c.pred))

    def sum_overlaps(self, of: Callable[[Numbers, Numbers], Numbers]) -> Numbers:
        """Return Σ over predicted clusters of size times a function of largest Jaccard index and concentration."""
        if self._overlaps is None:
            from clustermark.uncertainty.closed_forms import OverlapsLeft

            self._overlaps = OverlapsLeft(self, self._cells)
        return self._overlaps.sums(of)


def _fewer(sizes: Numbers) -> Numbers:
    """Return sizes of clusters without the point; an empty cluster has size 1, so that nothing is divided by 0."""
    return np.maximum(sizes - 1, 1)


def _largest_left(side: SideClusters, sizes: Numbers) -> Numbers:
    largest = max(side.size.max(initial=0), min(side.lone, 1))
    alike = int((side.size == largest).sum()) + (side.lone if largest == 1 else 0)
    return np.where((sizes == largest) & (alike == 1), largest - 1, largest)


def _places(side: SideClusters, sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return, for each entry, the position of the size of its cluster in `sizes`."""
    found: NDArray[np.int64] = np.searchsorted(sizes, np.append(side.size, 1.0))[side.of]
    return found


def _sizes_left(side: SideClusters, of: OfSize) -> Numbers:
    """Return Σ over the clusters of a side of a function of their size, without one point of each entry."""
    sizes = np.append(side.size, side.size.dtype.type(1))
    now = of(sizes)
    return (add_all(now[:-1]) + side.lone * now[-1] + (of(sizes - 1) - now))[side.of]


class TalliedPoints(Units):
    """The points of a table whose cells lie in an engine, by tallies of equal cells.

    A tally contains the sizes of a cell and of its two clusters, and not the other cells of those clusters.
    """

    reason = IN_ENGINE

    def __init__(self, table: Contingency, tally: CellTally | None = None) -> None:
        self._table, self._tally = table, table.sized_cells() if tally is None else tally
        self.points = int(table.n_used) - 1
        self._n, self._a, self._b = (sizes.astype(np.float64) for sizes in self._tally[:3])
        self.multiplicity: NDArray[np.int64] = self._tally.n * self._tally.times

    @property
    def k_true(self) -> Numbers:
        """Number of true clusters that are left."""
        return self._table.n_true_clusters - (self._a == 1)

    @property
    def k_pred(self) -> Numbers:
        """Number of predicted clusters that are left."""
        return self._table.n_pred_clusters - (self._b == 1)

    @property
    def cells(self) -> Numbers:
        """Number of cells that are left."""
        return self._table.n_cells - (self._n == 1)

    def sum_counts(self, of: OfSize) -> Numbers:
        """Return Σ over cells of a function of their size."""
        now = of(self._n)
        return add_all(now * self._tally.times) + (of(self._n - 1) - now)

    def sum_sizes(self, of: OfSize) -> tuple[Numbers, Numbers]:
        """Return Σ over true clusters, and over predicted ones, of a function of their size."""
        profile = self._table.profile
        sums = []
        for rows, sizes in ((profile.true_sizes, self._a), (profile.pred_sizes, self._b)):
            each = np.array([(row.size, row.clusters) for row in rows]).astype(sizes.dtype).T
            sums.append(add_all(of(each[0]) * each[1]) + (of(sizes - 1) - of(sizes)))
        return sums[0], sums[1]

    def expected_information(self) -> NDArray[np.float64]:
        """Return expected mutual information."""
        from clustermark.uncertainty.closed_forms import expected_without

        true, pred = self._tally.a, self._tally.b
        return expected_without(
            self._table,
            self.points + 1,
            lambda sizes: np.searchsorted(sizes, true),
            lambda sizes: np.searchsorted(sizes, pred),
        )


class AlikePoints(TalliedPoints):
    """The points of a table in memory, by classes of cells with equal sizes and equal Σn² of their clusters.

    There are often few classes. Sums that need other facts about a cell are left to `Points`.
    """

    def __init__(self, table: CellTable, grouped: Sequence[Any]) -> None:
        """Take the classes from `grouped`, the result of the kernel's `group_alike`."""
        self.classes: NDArray[np.int32] = grouped[0]
        n, a, b, true, pred, times = grouped[1:]
        super().__init__(table, CellTally(n, a, b, times))
        self._squares = true.astype(np.float64), pred.astype(np.float64)

    def sum_clusters(self, of: OfCluster) -> tuple[Numbers, Numbers]:
        """Return Σ over true and over predicted clusters of a function of Σn² over their cells and of their size."""
        true, pred = (
            self._clusters_left(sizes, squares, of)
            for sizes, squares in zip((self._a, self._b), self._squares, strict=True)
        )
        return true, pred

    def _clusters_left(self, sizes: Numbers, squares: Numbers, of: OfCluster) -> Numbers:
        now = of(squares, sizes)
        kinds, place = np.unique(np.column_stack([squares, sizes]), axis=0, return_inverse=True)
        points = np.bincount(place.ravel(), self.multiplicity)
        total = add_all(of(kinds[:, 0], kinds[:, 1]) * (points / kinds[:, 1]))  # points / size: number of clusters
        return (total - now) + of(squares + (1 - 2 * self._n), sizes - 1)


def find_alike(table: CellTable, fewest: int) -> AlikePoints | None:
    """Return the points of a table by equal cells; None if that saves no time, as with fewer than `fewest` cells."""
    if len(table.kernel_cells) < fewest:
        return None
    grouped = _kernel.group_alike(table.kernel_cells)
    return None if grouped is None else AlikePoints(table, grouped)
