"""The table at a glance: the largest clusters of both sides against each other, and how large clusters are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clustermark import _kernel
from clustermark._kernel import LONE
from clustermark.diagnosis.cluster_table import how_many
from clustermark.errors import InputError
from clustermark.tables.clusters import cells_facing, names_of, ranks_of
from clustermark.tables.tallies import exact_sum

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from clustermark.tables.cells import CellTable
    from clustermark.tables.contingency import Contingency, Side


_LARGEST_MAP = 2000


class OverlapMap(NamedTuple):
    """The largest clusters of both sides against each other, so ordered that matches lie on the diagonal."""

    true_labels: list[Any]
    pred_labels: list[Any]
    counts: NDArray[Any]
    """Points (or weight) of true cluster i and predicted cluster j."""
    true_sizes: list[float]
    pred_sizes: list[float]
    n_true: int
    """True clusters in all."""
    n_pred: int
    covered: float
    """Points in the cells shown."""
    n: float
    """Points in all."""

    @classmethod
    def of(cls, table: Contingency, k: int = 30) -> OverlapMap:
        """The map of the k largest labelled clusters of each side of a table.

        >>> from clustermark import crosstab
        >>> shown = OverlapMap.of(crosstab(["a", "a", "a", "b", "b"], [2, 2, 1, 1, 1]), k=2)
        >>> shown.true_labels, shown.pred_labels, shown.counts.tolist()
        (['a', 'b'], [2, 1], [[2, 1], [0, 2]])
        """
        if k is None or not 1 <= (how_many(k) or 0) <= _LARGEST_MAP:
            raise InputError(f"k={k!r} must be a number of clusters from 1 to {_LARGEST_MAP}")
        part = table.largest(k)
        cells = part.kernel_cells
        true_sizes, pred_sizes = _kernel.margins(cells)
        rows, columns = _largest(part, "true", true_sizes, k), _largest(part, "pred", pred_sizes, k)
        counts = _dense(cells, rows, columns)
        row_order, column_order = _on_the_diagonal(counts)
        rows, columns, counts = rows[row_order], columns[column_order], counts[row_order][:, column_order]
        return cls(
            part.true_names.take(rows).listed(),
            part.pred_names.take(columns).listed(),
            counts,
            true_sizes[rows].tolist(),
            pred_sizes[columns].tolist(),
            table.n_true_clusters,
            table.n_pred_clusters,
            exact_sum(counts.ravel()) if table.weights is None else float(counts.sum()),
            table.n_used if table.weights is None else float(table.weights.sum()),
        )


def _largest(table: CellTable, side: Side, sizes: NDArray[Any], k: int) -> NDArray[np.int64]:
    return np.lexsort((ranks_of(names_of(table, side)), -sizes))[:k]


def _dense(cells: _kernel.Cells, rows: NDArray[np.int64], columns: NDArray[np.int64]) -> NDArray[Any]:
    values: NDArray[Any] = cells.counts if cells.weights is None else cells.weights
    row_place, column_place = _places(rows, cells.n_rows), _places(columns, cells.n_columns)
    row_of, column_of = row_place[cells.rows], column_place[cells.columns]
    shown = (row_of >= 0) & (column_of >= 0)
    dense = np.zeros((len(rows), len(columns)), values.dtype)
    dense[row_of[shown], column_of[shown]] = values[shown]
    return dense


def _places(chosen: NDArray[np.int64], n: int) -> NDArray[np.int64]:
    places = np.full(n + 2, -1)  # two more, which LONE and ABSENT index
    places[chosen] = np.arange(len(chosen))
    return places


def _on_the_diagonal(counts: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """An order of rows and one of columns: matched ones in step, by size of the row, then the rest by size."""
    from scipy.optimize import linear_sum_assignment

    rows, columns = linear_sum_assignment(counts.astype(np.float64), maximize=True)
    n_rows, n_columns = counts.shape
    return _then_the_rest(rows, n_rows), _then_the_rest(columns, n_columns)


def _then_the_rest(first: NDArray[np.int64], n: int) -> NDArray[np.int64]:
    return np.append(first, np.setdiff1d(np.arange(n), first)).astype(np.int64)


def size_histogram(table: Contingency, side: Side) -> list[tuple[float, int]]:
    """How many clusters there are of each size, ascending; points with a cluster of their own included."""
    if table.weights is None:
        profile = table.profile
        return [(row.size, row.clusters) for row in (profile.pred_sizes if side == "pred" else profile.true_sizes)]
    cells = cells_facing(table.to_memory(), side)
    lone = cells.columns == LONE
    assert cells.weights is not None
    each = cells.weights[lone] / cells.counts[lone]
    sizes = np.append(_kernel.margins(cells)[1], each)
    times = np.append(np.ones(cells.n_columns, np.int64), cells.counts[lone])
    found, place = np.unique(sizes, return_inverse=True)
    clusters = np.zeros(len(found), np.int64)
    np.add.at(clusters, place, times)
    return list(zip(found.tolist(), clusters.tolist(), strict=True))
