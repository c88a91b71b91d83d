"""The assignment problem on few cells of a large table: components first, each solved by SciPy or by the kernel."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from clustermark._kernel import assign, connect
from clustermark.errors import UnsupportedTableError
from clustermark.interruption import attend

if TYPE_CHECKING:
    from numpy.typing import NDArray

_DENSE = 1 << 18
"""A component with a rectangle of at most this number of fields is solved as a dense matrix."""
_LARGEST_DENSE = 1 << 25
"""The same number for a component of which at least a twentieth is filled."""


LARGEST_WORK = 10**10
"""A component whose rows times cells are more is refused, unless its cells have few different worths:"""
_FEW = 1000
"""that is quick then, and can take minutes or hours otherwise."""


def largest_assignment(
    rows: NDArray[np.int64], columns: NDArray[np.int64], worths: NDArray[np.float64]
) -> NDArray[np.int64]:
    """The cells, at most one a row and one a column, whose worths add up to most.

    The worths are whole numbers of at most 2^50. They are only added, subtracted and compared, and what is added up
    stays below four times the largest, so the sum is the largest to the last digit, whatever the order of the cells.
    """
    solved = [
        cells[_solve(rows[cells], columns[cells], worths[cells])] if len(cells) > 1 else cells
        for cells in find_components(rows, columns)
    ]
    return np.concatenate(solved)


def find_components(rows: NDArray[np.int64], columns: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    """The cells by connected components of rows and columns."""
    _, rows = np.unique(rows, return_inverse=True)
    _, columns = np.unique(columns, return_inverse=True)
    n_rows = int(rows.max()) + 1
    component = connect(rows, n_rows + columns, n_rows + int(columns.max()) + 1)[rows]
    order = np.argsort(component, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(component[order])) + 1)


def _solve(rows: NDArray[np.int64], columns: NDArray[np.int64], worths: NDArray[np.float64]) -> NDArray[np.int64]:
    """The same for one component."""
    _, rows = np.unique(rows, return_inverse=True)
    _, columns = np.unique(columns, return_inverse=True)
    if rows.max() > columns.max():
        rows, columns = columns, rows
    area = (int(rows.max()) + 1) * (int(columns.max()) + 1)
    if area <= _DENSE or (area <= _LARGEST_DENSE and 20 * len(rows) >= area):
        return _dense(rows, columns, worths)
    if (int(rows.max()) + 1) * len(rows) > LARGEST_WORK and len(np.unique(worths)) > _FEW:
        raise UnsupportedTableError(
            f"matching clusters one to one: {len(rows):,} cells of {int(rows.max()) + 1:,} clusters are connected, and "
            f"take too long (cells times clusters may be {LARGEST_WORK:,}); labelings that have this little in common "
            "are better compared by pairs or by information"
        )
    return _sparse(rows, columns, worths)


def _dense(rows: NDArray[np.int64], columns: NDArray[np.int64], worths: NDArray[np.float64]) -> NDArray[np.int64]:
    from scipy.optimize import linear_sum_assignment

    matrix = np.zeros((rows.max() + 1, columns.max() + 1))
    matrix[rows, columns] = worths
    solve = partial(linear_sum_assignment, matrix, maximize=True)
    # SciPy cannot be stopped: what takes long is done beside this thread, and Ctrl-C leaves it to itself
    return _find_matches(rows, columns, *(attend(solve, patience=0) if matrix.size > _DENSE else solve()))


def _sparse(rows: NDArray[np.int64], columns: NDArray[np.int64], worths: NDArray[np.float64]) -> NDArray[np.int64]:
    order = np.argsort(rows, kind="stable")
    starts = np.concatenate([[0], np.cumsum(np.bincount(rows))])
    assigned = assign(starts, columns[order].astype(np.int32), worths[order], int(columns.max()) + 1)
    return np.flatnonzero(assigned[rows] == columns)


def _find_matches(
    rows: NDArray[np.int64], columns: NDArray[np.int64], matched_rows: NDArray[Any], matched_columns: NDArray[Any]
) -> NDArray[np.int64]:
    """The numbers of the cells that are matched; matches outside the cells do not count."""
    column_of = np.full(int(rows.max()) + 1, -1, np.int64)
    column_of[matched_rows] = matched_columns
    return np.flatnonzero(column_of[rows] == columns)
