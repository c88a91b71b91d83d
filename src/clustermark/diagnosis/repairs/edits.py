"""The two edits that correct a prediction, and the changes by each of them.

*Split* divides a predicted cluster into the pieces that belong together in truth; *gather* moves all points of a true
cluster into a new predicted cluster. Neither separates points that belong together or joins points that do not, and a
set of edits has the same result in any order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from clustermark._kernel import ABSENT, LONE
from clustermark.errors import Mention, UnsupportedTableError
from clustermark.tables.clusters import ranks_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from clustermark import _kernel
    from clustermark.tables.cells import CellTable
    from clustermark.tables.contingency import Contingency

Kind = Literal["split", "gather"]

_MOST_LONE = 2**27
"""Most points with a cluster of their own that fit into memory one by one."""
_SMALL = 3_000_000_000
"""Up to this many points, every number of pairs fits a computer word."""
NEVER = np.iinfo(np.int32).max
"""In place of the number of an edit: not edited."""


class Edit(NamedTuple):
    """One edit: the split of a predicted cluster, or the gather of a true cluster."""

    kind: Kind
    number: int


class NumberedCells(NamedTuple):
    """The cells of a table; points with a cluster of their own are numbered beyond the labelled clusters."""

    rows: NDArray[np.int64]
    columns: NDArray[np.int64]
    n: NDArray[Any]
    """Number of points of each cell, or their weight."""
    counts: NDArray[np.int64]
    """Number of points of each cell."""
    pairs: NDArray[np.float64] | None
    """Weight of the pairs inside each cell, if there are weights."""
    n_rows: int
    n_columns: int

    @classmethod
    def of(cls, table: CellTable) -> NumberedCells:
        """Return the cells of a table, by row, without cells of points that are alone on both sides."""
        cells = table.kernel_cells
        labelled = (cells.rows >= 0) | (cells.columns >= 0)
        chosen = np.flatnonzero(labelled & (cells.rows != ABSENT) & (cells.columns != ABSENT))
        rows, columns = cells.rows[chosen].astype(np.int64), cells.columns[chosen].astype(np.int64)
        counts = cells.counts[chosen]
        n = counts if cells.weights is None else cells.weights[chosen]
        pairs = None if cells.pairs is None else cells.pairs[chosen]
        lone = (rows == LONE) | (columns == LONE)
        n_rows, n_columns = cells.n_rows, cells.n_columns
        if lone.any():
            times = np.where(lone, counts, 1)
            if int(times.sum()) > _MOST_LONE:
                raise UnsupportedTableError(
                    f"repairs: {int(counts[lone].sum()):,} points have a cluster of their own, more than can be "
                    "examined one by one; choose another policy than singletons"
                )
            n = np.repeat(np.where(lone, n / np.maximum(counts, 1), n) if pairs is not None else n, times)
            rows, columns, counts = (np.repeat(array, times) for array in (rows, columns, counts))
            pairs = None if pairs is None else np.repeat(np.where(lone, 0.0, pairs), times)
            lone = np.repeat(lone, times)
            counts = np.where(lone, 1, counts)
            n = n if pairs is not None else counts
            n_rows, n_columns = _number_lone(rows, n_rows), _number_lone(columns, n_columns)
        if (rows[1:] < rows[:-1]).any():
            order = np.argsort(rows, kind="stable")
            rows, columns, n, counts = rows[order], columns[order], n[order], counts[order]
            pairs = None if pairs is None else pairs[order]
        if pairs is None and table.n_used >= _SMALL:
            n = n.astype(object)
        return cls(rows, columns, n, counts, pairs, n_rows, n_columns)


def refuse_table(table: Contingency) -> None:
    """Refuse tables whose points are not all in one true and one predicted cluster."""
    if table.one_sided:
        raise UnsupportedTableError(
            "repairs are not defined with unmatched items; choose ", Mention("unmatched", "drop", "singletons")
        )
    if table.unscored:
        raise UnsupportedTableError('repairs are not defined with "unscored" noise; choose another noise policy')


def _number_lone(numbers: NDArray[np.int64], n: int) -> int:
    """Number each point with a cluster of its own, in place; return the new count of numbers."""
    lone = np.flatnonzero(numbers == LONE)
    numbers[lone] = np.arange(n, n + len(lone))
    return n + len(lone)


class EditState:
    """The state of a prediction while edits are applied, and the remaining effect of each edit.

    In an excerpt of a table, only clusters that are complete can be edited.
    """

    def __init__(self, table: CellTable) -> None:
        self.numbered = NumberedCells.of(table)
        beyond_rows, beyond_columns = _count_beyond(table.kernel_cells, self.numbered)
        self._whole_rows, self._whole_columns = beyond_rows == 0, beyond_columns == 0
        self.n_named_rows, self.n_named_columns = len(table.true_names), len(table.pred_names)
        rows, columns, n = self.numbered[:3]
        self.starts = np.append(0, np.cumsum(np.bincount(rows, minlength=self.numbered.n_rows)))
        self.row_sizes = add_up(n, rows, self.numbered.n_rows) + beyond_rows
        self.row_squares = add_up(n * n, rows, self.numbered.n_rows)
        self.sizes = add_up(n, columns, self.numbered.n_columns) + beyond_columns
        """Size of the rest of each predicted cluster."""
        self.squares = add_up(n * n, columns, self.numbered.n_columns)
        """Sum of squares of the rest's cells."""
        self.cells_left = np.bincount(columns, minlength=self.numbered.n_columns) + ~self._whole_columns
        weighted = self.numbered.pairs is not None
        self.points_left = add_up(self.numbered.counts, columns, self.numbered.n_columns) if weighted else self.sizes
        self.row_points = add_up(self.numbered.counts, rows, self.numbered.n_rows) if weighted else self.row_sizes
        self.split_at = np.full(self.numbered.n_columns, NEVER, np.int32)
        """Number of edits before the split of each predicted cluster."""
        self.gathered_at = np.full(self.numbered.n_rows, NEVER, np.int32)
        self.edits: list[Edit] = []
        self.splits = _extend(ranks_of(table.pred_names), self.numbered.n_columns)
        """The place of each split among all edits: splits first, by label."""
        self.gathers = _extend(ranks_of(table.true_names), self.numbered.n_rows) + self.numbered.n_columns
        lone = np.flatnonzero(rows >= self.n_named_rows)  # they come last, by the label of their predicted cluster
        in_order = rows[lone[np.argsort(self.splits[columns[lone]], kind="stable")]]
        self.gathers[in_order] = np.arange(self.n_named_rows, self.numbered.n_rows) + self.numbered.n_columns

    def gained_by_gathers(self) -> NDArray[Any]:
        """Count the true pairs that each gather would gain, which do not depend on earlier edits."""
        return np.where(self._whole_rows, _halve(self.row_sizes * self.row_sizes - self.row_squares), 0)

    def removed_by_splits(self) -> NDArray[Any]:
        """Count the false pairs that each split would remove."""
        pairs: NDArray[Any] = _halve(self.sizes * self.sizes - self.squares)
        pairs[(self.split_at < NEVER) | (self.cells_left < 2) | ~self._whole_columns] = 0
        return pairs

    def removed_by_gathers(self) -> NDArray[Any]:
        """Count the false pairs that each gather would remove."""
        rows, columns, n = self.numbered[:3]
        false = n * (self.sizes[columns] - n)
        false[self.split_at[columns] < NEVER] = 0
        if self.numbered.pairs is not None:
            false[self.cells_left[columns] < 2] = 0.0  # a sum of weights may differ from its only term in the last bit
        pairs = add_up(false, rows, self.numbered.n_rows)
        pairs[(self.gathered_at < NEVER) | ~self._whole_rows] = 0
        return pairs

    def row(self, number: int) -> slice:
        """Return the range of the cells of a true cluster."""
        return slice(int(self.starts[number]), int(self.starts[number + 1]))

    def gained_by(self, edit: Edit) -> Any:
        """Count the true pairs that a gather gains."""
        size = self.row_sizes[edit.number]
        return _halve(size * size - self.row_squares[edit.number])

    def removed_by(self, edit: Edit) -> Any:
        """Count the false pairs that an edit would remove now."""
        if edit.kind == "split":
            j = edit.number
            if self.split_at[j] < NEVER or self.cells_left[j] < 2:
                return 0
            return _halve(self.sizes[j] * self.sizes[j] - self.squares[j])
        cells = self.row(edit.number)
        columns, n = self.numbered.columns[cells], self.numbered.n[cells]
        joined = (self.split_at[columns] == NEVER) & (self.cells_left[columns] > 1)
        return (n[joined] * (self.sizes[columns[joined]] - n[joined])).sum()

    def apply(self, edit: Edit) -> None:
        """Apply an edit."""
        if edit.kind == "split":
            self.split_at[edit.number] = len(self.edits)
        else:
            cells = self.row(edit.number)
            columns, n = self.numbered.columns[cells], self.numbered.n[cells]
            self.sizes[columns] -= n
            self.squares[columns] -= n * n
            self.cells_left[columns] -= 1
            if self.points_left is not self.sizes:
                self.points_left[columns] -= self.numbered.counts[cells]
            self.gathered_at[edit.number] = len(self.edits)
        self.edits.append(edit)

    def clusters_after(self, edits: int) -> tuple[NDArray[np.int64], int]:
        """Return the predicted cluster of each cell after `edits` edits, and the count of cluster numbers.

        Unchanged clusters keep their numbers; gathered true clusters come next, then pieces of splits.
        """
        rows, columns = self.numbered[:2]
        clusters = columns.copy()
        gathered = self.gathered_at[rows] < edits
        pieces = ~gathered & (self.split_at[columns] < edits)
        clusters[gathered] = self.numbered.n_columns + rows[gathered]
        first = self.numbered.n_columns + self.numbered.n_rows
        n_pieces = int(np.count_nonzero(pieces))
        clusters[pieces] = np.arange(first, first + n_pieces)
        return clusters, first + n_pieces


def _count_beyond(cells: _kernel.Cells, numbered: NumberedCells) -> tuple[NDArray[Any], NDArray[Any]]:
    """Count the points of each true and of each predicted cluster that an excerpt lacks."""

    def count(outside: NDArray[np.bool_], places: NDArray[np.int32], n: int) -> NDArray[Any]:
        beyond = add_up(cells.counts[outside], places[outside].astype(np.int64), n)
        return beyond.astype(object) if numbered.n.dtype == object else beyond

    return (
        count(cells.columns == ABSENT, cells.rows, numbered.n_rows),
        count(cells.rows == ABSENT, cells.columns, numbered.n_columns),
    )


def add_up(values: NDArray[Any], places: NDArray[np.int64], n: int) -> NDArray[Any]:
    """Sum the values at each place."""
    if values.dtype.kind == "f":
        return np.bincount(places, values, n)
    sums = np.zeros(n, values.dtype)
    # doubles hold such sums exactly, and are summed ten times as fast
    if values.dtype.kind == "i" and float(values.sum(dtype=np.float64)) < 2**53:
        sums += np.bincount(places, values, n).astype(np.int64)
    else:
        np.add.at(sums, places, values)
    return sums


def _halve(pairs: Any) -> Any:
    return pairs / 2 if isinstance(pairs, float) or getattr(pairs, "dtype", None) == np.float64 else pairs // 2


def _extend(ranks: NDArray[np.int32], n: int) -> NDArray[np.int64]:
    """Return the ranks, followed by those of points with a cluster of their own."""
    return np.concatenate([ranks.astype(np.int64), np.arange(len(ranks), n)])
