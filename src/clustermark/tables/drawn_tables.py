"""Tables derived from another: with other counts of points, of half of its points, or with the same cluster sizes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from clustermark import _kernel
from clustermark.labels.labeling import Names
from clustermark.tables.cells import CellTable
from clustermark.tables.contingency import Account

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from clustermark.tables.contingency import Contingency
    from clustermark.tables.sums import SizeRow


def with_counts(table: CellTable, counts: NDArray[np.int64]) -> CellTable:
    """Return the table with these counts of the entries; those of count 0, and empty clusters, are left out.

    Rows and columns are numbered anew, and have no names. The weight of an entry stays the same.
    """
    cells = table.kernel_cells
    kept = np.flatnonzero(counts)
    rows, n_rows, _ = _renumber(cells.rows[kept], cells.n_rows)
    columns, n_columns, old = _renumber(cells.columns[kept], cells.n_columns)
    weights, pairs = (None if array is None else array[kept] for array in (cells.weights, cells.pairs))
    made = _kernel.Cells(rows, columns, counts[kept], weights, pairs, n_rows, n_columns)
    unscored = table.unscored_columns
    account = Account(int(counts.sum()), one_sided=table.one_sided, policies=table.policies)
    return CellTable(
        made,
        _names(n_rows),
        _names(n_columns),
        account,
        None if unscored is None else np.ascontiguousarray(unscored[old]),
    )


def _renumber(lines: NDArray[np.int32], n: int) -> tuple[NDArray[np.int32], int, NDArray[np.int64]]:
    """Return the lines that occur, numbered from 0 in the same order; negative markers stay."""
    occurs = np.zeros(n + 2, np.bool_)  # the two markers index the last two places
    occurs[lines] = True
    old = np.flatnonzero(occurs[:n])
    if len(old) == n:
        return lines, n, old
    new = np.empty(n + 2, np.int32)
    new[-2:] = -2, -1
    new[old] = np.arange(len(old), dtype=np.int32)
    return new[lines], len(old), old


def _names(n: int) -> Names:
    return Names(None, np.arange(n))


def sort_by_label(table: CellTable) -> tuple[CellTable, NDArray[np.int64]]:
    """Return the table with clusters and entries in the order of their labels, and the old place of each entry.

    Random draws by a seed are then the same, whatever the order of the points or the threads of an engine.
    """
    cells = table.kernel_cells
    true, pred = rank_labels(table.true_names), rank_labels(table.pred_names)
    rows, columns = (
        np.append(rank, [-2, -1]).astype(np.int32)[lines] for rank, lines in ((true, cells.rows), (pred, cells.columns))
    )
    beside = () if cells.weights is None else (cells.weights,)
    order = np.lexsort((*beside, cells.counts, columns, rows))
    weights, pairs = (None if array is None else array[order] for array in (cells.weights, cells.pairs))
    made = _kernel.Cells(
        rows[order], columns[order], cells.counts[order], weights, pairs, cells.n_rows, cells.n_columns
    )
    unscored = table.unscored_columns
    if unscored is not None:
        unscored = np.ascontiguousarray(unscored[np.argsort(pred)])
    account = Account(table.n_used, one_sided=table.one_sided, policies=table.policies)
    return CellTable(made, _names(cells.n_rows), _names(cells.n_columns), account, unscored), order


def rank_labels(names: Names) -> NDArray[np.int64]:
    """Return the rank of each name in sorted order."""
    if names.values is None:
        order = np.argsort(names.codes, kind="stable")
    else:
        labels = names.to_list()
        try:
            order = np.array(sorted(range(len(labels)), key=labels.__getitem__), np.int64)
        except TypeError:  # they are of several types, or one is missing
            order = np.array(sorted(range(len(labels)), key=lambda at: (type(labels[at]).__name__, str(labels[at]))))
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    return rank


class RandomTables:
    """Tables with the cluster sizes of another one, drawn by random permutations of one of the labelings."""

    def __init__(self, table: Contingency, seed: int) -> None:
        profile = table.profile
        self._true, self._pred = _list_sizes(profile.true_sizes), _list_sizes(profile.pred_sizes)
        self._account = Account(profile.n_points)
        self._seed = seed

    def draw(self, number: int) -> CellTable:
        """Return the table of this number; the same for the same seed."""
        rows, columns, counts = _kernel.draw_table(self._true, self._pred, self._seed, number)
        n_rows, n_columns = len(self._true), len(self._pred)
        cells = _kernel.Cells(rows, columns, counts, None, None, n_rows, n_columns)
        return CellTable(cells, _names(n_rows), _names(n_columns), self._account)

    def pairs(self, first: int, samples: int) -> NDArray[np.int64]:
        """Return the number of pairs together in both labelings, for the tables of these numbers."""
        return _kernel.sample_pairs(self._true, self._pred, samples, self._seed, first)


def _list_sizes(rows: Sequence[SizeRow]) -> NDArray[Any]:
    sizes, times = ([getattr(row, name) for row in rows] for name in ("size", "clusters"))
    return np.repeat(np.array(sizes, np.int64), times)
