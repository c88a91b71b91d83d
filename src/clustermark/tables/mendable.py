"""Of a large table in memory, the cells that repairs by wrong pairs need: those of the edits that mend most."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from clustermark import _kernel
from clustermark._kernel import ABSENT
from clustermark.tables.cells import CellTable
from clustermark.tables.contingency import Account
from clustermark.tables.excerpts import Mendable
from clustermark.tables.policies import AS_COUNTED, close_gaps

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from clustermark.labels.names import Names
    from clustermark.tables.excerpts import Edits


def can_choose(table: CellTable) -> bool:
    """Whether all gains are small integers, and labels have the same order in an excerpt as in the whole."""
    cells = table.kernel_cells
    if not table.plain or (cells.rows < 0).any() or (cells.columns < 0).any():
        return False
    squares = table.squares
    return max(squares.true, squares.pred) < 2**51 and _sorts(table.true_names) and _sorts(table.pred_names)


def _sorts(names: Names) -> bool:
    if names.values is None or isinstance(names.values, np.ndarray):
        return names.values is None or names.values.dtype.kind != "O"
    kinds = set(map(type, names.values))
    return len(kinds) == 1 and kinds <= {str, int, float, bytes} and bool((names.codes >= 0).all())


def choose_mendable(table: CellTable, n: int) -> Mendable:
    """The cells of the n edits of each kind that mend most wrong pairs, and the last of each kind."""
    cells = table.kernel_cells
    splits, gathers = _count_gains(cells)
    columns, last_split = first_of(splits, n, table.pred_names)
    rows, last_gather = first_of(gathers, n, table.true_names)
    lasts: dict[Edits, Any] = {}
    if last_split is not None:
        (lasts["splits"],) = table.pred_names.take(last_split).to_list()
    if last_gather is not None:
        (lasts["gathers"],) = table.true_names.take(last_gather).to_list()
    return Mendable(take_cells(table, np.flatnonzero(rows[cells.rows] | columns[cells.columns])), lasts)


def _count_gains(cells: _kernel.Cells) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The wrong pairs that each split and each gather mends. Doubles hold them exactly, and add up fast."""
    true, pred = (sizes.astype(np.float64) for sizes in _kernel.margins(cells))
    points = cells.counts.astype(np.float64)
    squares = points * points
    splits = pred * pred - np.bincount(cells.columns, squares, cells.n_columns)
    strangers = points * pred[cells.columns] - squares
    gathers = true * true - np.bincount(cells.rows, squares - 2 * strangers, cells.n_rows)
    return splits, gathers  # twice the pairs, which sorts the same


def first_of(gains: NDArray[np.float64], n: int, names: Names) -> tuple[NDArray[np.bool_], NDArray[np.int64] | None]:
    """Which are the n largest gains, of equal ones those first by name; and where the last is, if others follow."""
    if np.count_nonzero(gains) <= n:
        return gains > 0, None
    bound = nth_largest(gains[gains > 0], n)
    chosen = gains > bound
    equal = np.flatnonzero(gains == bound)
    equal = equal[names.take(equal).sorted_order()][: n - np.count_nonzero(chosen)]
    chosen[equal] = True
    return chosen, equal[-1:]


def nth_largest(values: NDArray[np.float64], n: int) -> float:
    """The n-th largest value. Most are small and equal, on which a partition is slow: those below the mean go first."""
    while len(above := values[values > values.mean()]) >= n:
        values = above
    return float(np.partition(values, len(values) - n)[len(values) - n])


def take_cells(table: CellTable, chosen: NDArray[np.int64]) -> CellTable:
    """These cells as a table; what their clusters have beside them counts as items of one side only."""
    cells = table.kernel_cells
    counts = cells.counts[chosen]
    sides = []
    for numbers, sizes, names in zip(
        (cells.rows[chosen], cells.columns[chosen]),
        _kernel.margins(cells),
        (table.true_names, table.pred_names),
        strict=True,
    ):
        own, old = close_gaps(numbers, len(names))
        beyond = sizes[old] - np.bincount(own, counts, len(old)).astype(np.int64)
        larger = np.flatnonzero(beyond)
        sides.append((own, names.take(old), larger.astype(np.int32), beyond[larger]))
    (rows, true_names, more_rows, beyond_rows), (columns, pred_names, more_columns, beyond_columns) = sides
    counts = np.concatenate([counts, beyond_rows, beyond_columns])
    n_beyond = int(beyond_rows.sum() + beyond_columns.sum())
    made = _kernel.Cells(
        np.concatenate([rows, more_rows, np.full(len(more_columns), ABSENT, np.int32)]),
        np.concatenate([columns, np.full(len(more_rows), ABSENT, np.int32), more_columns]),
        counts,
        None,
        None,
        len(true_names),
        len(pred_names),
    )
    account = Account(int(counts.sum()), n_unmatched=n_beyond, one_sided=n_beyond > 0, policies=AS_COUNTED)
    return CellTable(made, true_names, pred_names, account)
