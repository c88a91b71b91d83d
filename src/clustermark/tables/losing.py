"""Of a large table in memory, the cells of the clusters that lose most pairs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from clustermark import _kernel
from clustermark.tables.mendable import first_of, nth_largest, take_cells

if TYPE_CHECKING:
    from clustermark.tables.cells import CellTable
    from clustermark.tables.contingency import Side


def choose_losing(table: CellTable, side: Side, k: int) -> tuple[CellTable, int]:
    """The cells of the k clusters of a side that lose most pairs, of equals the largest; and how many lose any.

    Of the table `can_choose` holds: doubles hold all sums exactly.
    """
    cells = table.kernel_cells
    clusters, names = (cells.rows, table.true_names) if side == "true" else (cells.columns, table.pred_names)
    sizes = _kernel.margins(cells)[side == "pred"].astype(np.float64)
    points = cells.counts.astype(np.float64)
    lost = sizes * sizes - np.bincount(clusters, points * points, len(sizes))  # twice the pairs, which sorts the same
    chosen = losing = np.flatnonzero(lost)
    if len(losing) > k:
        least = nth_largest(lost[losing], k)
        more, equal = np.flatnonzero(lost > least), np.flatnonzero(lost == least)
        largest, _ = first_of(sizes[equal], k - len(more), names.take(equal))
        chosen = np.concatenate([more, equal[largest]])
    wanted = np.zeros(len(sizes), np.bool_)
    wanted[chosen] = True
    return take_cells(table, np.flatnonzero(wanted[clusters])), len(losing)
