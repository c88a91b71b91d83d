"""The effect of one more point in an empty cell: errors too rare to be seen, which leaving out points does not show."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from clustermark.registry.array_scores import ArrayScores
from clustermark.statistics.units import NoClosedFormError, Units
from clustermark.uncertainty.entries import Cells, add_all

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from clustermark.registry import Index
    from clustermark.statistics.units import Numbers, OfSize
    from clustermark.tables.cells import CellTable

_LARGEST = 3
"""Number of clusters of each side whose empty cells are tried: a point moves pairs by the sizes of its clusters."""


class EmptyCells(NamedTuple):
    """Cells without points in the largest clusters of a side: those with the largest and the smallest other cluster."""

    rows: NDArray[np.int64]
    columns: NDArray[np.int64]


def find_empty(table: CellTable) -> EmptyCells:
    """Return the empty cells whose points would change the number of pairs most, or least in one of the clusters."""
    cells = table.kernel_cells
    sides = Cells(table)
    rows, columns = cells.rows.astype(np.int64), cells.columns.astype(np.int64)
    true, pred = _largest_first(sides.true.size), _largest_first(sides.pred.size)
    found = [
        *_beside(rows, columns, true, pred),
        *((row, column) for column, row in _beside(columns, rows, pred, true)),
    ]
    known = np.array(sorted(set(found)), np.int64).reshape(-1, 2)
    return EmptyCells(known[:, 0], known[:, 1])


def _beside(
    lines: NDArray[np.int64], crossing: NDArray[np.int64], order: NDArray[np.int64], others: NDArray[np.int64]
) -> Iterator[tuple[int, int]]:
    """Yield the empty cells of the largest lines with the largest and with the smallest crossing line."""
    for line in order[:_LARGEST].tolist():
        taken = np.zeros(len(others) + 1, np.bool_)
        taken[np.maximum(crossing[lines == line], -1)] = True  # lone points are in no line
        empty = others[~taken[others]]
        if len(empty):
            yield line, int(empty[0])
            yield line, int(empty[-1])


def _largest_first(sizes: Numbers) -> NDArray[np.int64]:
    """Return the clusters in descending order of their size; NumPy sorts short integers much faster."""
    smaller = sizes.max(initial=0) - sizes
    return np.argsort(smaller.astype(np.uint16) if smaller.max(initial=0) < 2**16 else smaller, kind="stable")


class PointsAdded(Units):
    """The sums of tables with one point more, which lies in an empty cell: one table for each such cell."""

    def __init__(self, table: CellTable, empty: EmptyCells) -> None:
        self._cells = cells = Cells(table)
        self._sizes = cells.true.size[empty.rows], cells.pred.size[empty.columns]
        self.multiplicity = np.ones(len(empty.rows), np.int64)
        self.points = np.full(len(empty.rows), cells.n_points + 1.0)

    @property
    def k_true(self) -> Numbers:
        """Number of true clusters."""
        return np.full(len(self.points), float(self._cells.true.clusters))

    @property
    def k_pred(self) -> Numbers:
        """Number of predicted clusters."""
        return np.full(len(self.points), float(self._cells.pred.clusters))

    def sum_counts(self, of: OfSize) -> Numbers:
        """Return Σ over cells of a function of their size."""
        return np.full(len(self.points), self._cells.total(of(self._cells.n)) + of(np.ones(1))[0])

    def sum_sizes(self, of: OfSize) -> tuple[Numbers, Numbers]:
        """Return Σ over true clusters, and over predicted ones, of a function of their size."""
        true, pred = (
            add_all(of(side.size)) + side.lone * of(np.ones(1))[0] + of(sizes + 1) - of(sizes)
            for side, sizes in zip((self._cells.true, self._cells.pred), self._sizes, strict=True)
        )
        return true, pred


class UnseenCells:
    """Changes of scores by one point more in a cell that is empty."""

    def __init__(self, table: CellTable) -> None:
        units = PointsAdded(table, find_empty(table))
        self._n = int(units.points[0]) - 1 if len(units.points) else 0
        self._scores = ArrayScores(units)

    def shift(self, index: Index[...], score: float, growth: float) -> float:
        """Return the largest change of a score by such a point; 0 if it is not known.

        growth: the power of the number of points with which the score grows.
        """
        if not self._n:
            return 0.0
        try:
            scores = self._scores.of(index) * (self._n / (self._n + 1)) ** growth
        except NoClosedFormError:
            return 0.0
        return float(np.abs(scores - score).max())
