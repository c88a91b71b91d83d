"""The cells of a table of plain points, ready for sums by true and by predicted clusters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clustermark import _kernel
from clustermark._kernel import LONE
from clustermark.statistics.overlaps import sized_entries

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from clustermark.statistics.units import Numbers
    from clustermark.tables.cells import CellTable


class SideClusters(NamedTuple):
    """The clusters of one side, and the cluster of each entry of a table."""

    of: NDArray[np.int64]
    """The number of each entry's cluster; one more than the last for an entry of lone points, which are singletons."""
    alone: NDArray[np.bool_]
    """Whether each entry consists of lone points."""
    some_alone: bool
    size: Numbers
    """The size of each cluster, without lone points."""
    lone: int
    """Number of lone points."""

    @property
    def clusters(self) -> int:
        """Number of clusters, including lone points."""
        return len(self.size) + self.lone

    def spread(self, values: Numbers) -> Numbers:
        """Return the value of each entry's cluster; 0 for lone points."""
        return np.append(values, values.dtype.type(0))[self.of]

    def largest(self, values: Numbers) -> Numbers:
        """Return the largest value of each cluster's entries, with a last place for lone points."""
        best = np.zeros(len(self.size) + 1, values.dtype)
        np.maximum.at(best, self.of, values)
        return best


class Cells:
    """The cells of a table of plain points, in memory, ready for sums."""

    def __init__(self, table: CellTable) -> None:
        cells = table.kernel_cells
        rows, columns = cells.rows, cells.columns
        # sums of squares of doubles are exact up to about 10^8 points, and need no conversion
        true, pred = (sizes.astype(np.float64) for sizes in _kernel.margins(cells))
        if int(rows.min(initial=0)) >= 0 and int(columns.min(initial=0)) >= 0:  # the usual case, and much faster
            self.n, self.a, self.b = cells.counts.astype(np.float64), true[rows], pred[columns]
            self.times = np.ones(len(rows), np.int64)
        else:
            entries = sized_entries(table)
            rows, columns, self.times = entries.rows, entries.columns, entries.times
            self.n, self.a, self.b = (sizes.astype(np.float64) for sizes in (entries.n, entries.a, entries.b))
        self.n_points = int(table.n_used)
        self.true, self.pred = _side(rows, true, self.times), _side(columns, pred, self.times)
        self.several = self.true.some_alone or self.pred.some_alone

    @property
    def values(self) -> tuple[Numbers, Numbers, Numbers]:
        """Sizes of each cell and of its clusters."""
        return self.n, self.a, self.b

    @property
    def n_cells(self) -> int:
        """Number of cells."""
        return int(self.times.sum())

    def total(self, values: Numbers) -> Any:
        """Return Σ over all cells."""
        return add_all(values * self.times if self.several else values)

    def sum_by(self, groups: NDArray[np.int64], values: Numbers, n_groups: int) -> Numbers:
        """Return Σ over the cells of each group."""
        return add_by(groups, values * self.times if self.several else values, n_groups)

    def squares(self, side: SideClusters) -> Numbers:
        """Return Σn² over the cells of each cluster of this side, with a last place for lone points."""
        return self.sum_by(side.of, self.n * self.n, len(side.size) + 1)

    def others(self, side: SideClusters, values: Numbers) -> Numbers:
        """Return Σ over the other cells of each cell's cluster on this side."""
        sums = self.sum_by(side.of, values, len(side.size) + 1)[side.of] - values
        return np.where(side.alone, 0, sums) if side.some_alone else sums


AT_ONCE = 1 << 14
"""Number of cells computed at a time, so that arrays stay in the processor's cache between steps of a formula."""


def by_blocks(of: Callable[..., Numbers], *arrays: Numbers) -> Numbers:
    """Compute an elementwise function of arrays, block by block."""
    return several_by_blocks(lambda *parts: (of(*parts),), 1, *arrays)[0]


def several_by_blocks(of: Callable[..., Sequence[Numbers]], several: int, *arrays: Numbers) -> Sequence[Numbers]:
    """Compute `several` elementwise functions of arrays together, block by block."""
    if len(arrays[0]) <= 2 * AT_ONCE:
        return of(*arrays)
    values = [np.empty(len(arrays[0])) for _ in range(several)]
    for start in range(0, len(arrays[0]), AT_ONCE):
        part = slice(start, start + AT_ONCE)
        for one, found in zip(values, of(*(array[part] for array in arrays)), strict=True):
            one[part] = found
    return values


def add_all(values: Numbers) -> float:
    """Return Σ of values, with the same bits in any order: the order of cells and clusters depends on the points."""
    return _kernel.add(np.asarray(values, np.float64))


def add_by(groups: NDArray[np.int64], values: Numbers, n_groups: int) -> Numbers:
    """Return Σ of the values of each group, with the same bits in any order."""
    return _kernel.add_by(np.asarray(groups, np.int64), np.asarray(values, np.float64), n_groups)


_ODD, _HALF = np.uint64(0x9E3779B97F4A7C15), np.uint64(29)


def number_groups(groups: NDArray[np.int64], n_groups: int, *columns: NDArray[Any]) -> NDArray[np.uint64]:
    """Return a number for each group that depends on the values of its entries in these columns, in any order.

    The order of groups sorted by it depends neither on the order of points nor on names. Groups with the same number
    have the same values.
    """
    mixed = np.zeros(len(groups), np.uint64)
    for column in columns:
        mixed = (mixed + (np.asarray(column, np.float64) + 0.0).view(np.uint64)) * _ODD  # -0.0 becomes 0.0
        mixed = (mixed ^ (mixed >> _HALF)) * _ODD
    numbers = np.zeros(n_groups, np.uint64)
    np.add.at(numbers, groups, mixed)
    return numbers


def _side(numbers: NDArray[np.int32], sizes: Numbers, times: NDArray[np.int64]) -> SideClusters:
    of = numbers.astype(np.int64)
    if int(numbers.min(initial=0)) >= 0:
        return SideClusters(of, np.zeros(len(of), np.bool_), False, sizes, 0)
    alone = numbers == LONE
    of[alone] = len(sizes)
    return SideClusters(of, alone, True, sizes, int(times[alone].sum()))
