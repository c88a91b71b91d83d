"""Algorithms that statistics need: the assignment problem, rank-maximal matchings, and work cut into blocks."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clustermark._kernel import assign, connect
from clustermark.errors import UnsupportedTableError
from clustermark.interruption import attend

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray


class AssignmentLimits(NamedTuple):
    """How a connected component of an assignment problem is solved, by its size."""

    dense: int = 1 << 18
    """A component whose matrix has at most this number of entries is solved as a dense matrix."""
    largest_dense: int = 1 << 25
    """The same number for a component of which at least a twentieth of the entries are cells."""
    work: int = 10**10
    """A component whose rows times cells exceed this is refused, because it can take minutes or hours."""
    few_worths: int = 1000
    """A component whose cells have at most this number of different worths is not refused, because it is quick."""


_LIMITS = AssignmentLimits()


def largest_assignment(
    rows: NDArray[np.int64],
    columns: NDArray[np.int64],
    worths: NDArray[np.float64],
    limits: AssignmentLimits = _LIMITS,
) -> NDArray[np.int64]:
    """Return the cells, at most one in each row and column, with the largest sum of worths.

    The worths are whole numbers of at most 2^50. They are only added, subtracted and compared, and all sums stay below
    four times the largest. So the result is exactly optimal, in any order of the cells.
    """
    solved = [
        cells[_solve(rows[cells], columns[cells], worths[cells], limits)] if len(cells) > 1 else cells
        for cells in find_components(rows, columns)
    ]
    return np.concatenate(solved)


def find_components(rows: NDArray[np.int64], columns: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    """Return the cells of each connected component of rows and columns."""
    _, rows = np.unique(rows, return_inverse=True)
    _, columns = np.unique(columns, return_inverse=True)
    n_rows = int(rows.max()) + 1
    component = connect(rows, n_rows + columns, n_rows + int(columns.max()) + 1)[rows]
    order = np.argsort(component, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(component[order])) + 1)


def _solve(
    rows: NDArray[np.int64], columns: NDArray[np.int64], worths: NDArray[np.float64], limits: AssignmentLimits
) -> NDArray[np.int64]:
    """Return the same for one component."""
    _, rows = np.unique(rows, return_inverse=True)
    _, columns = np.unique(columns, return_inverse=True)
    if rows.max() > columns.max():
        rows, columns = columns, rows
    area = (int(rows.max()) + 1) * (int(columns.max()) + 1)
    if area <= limits.dense or (area <= limits.largest_dense and 20 * len(rows) >= area):
        return _dense(rows, columns, worths, in_thread=area > limits.dense)
    if (int(rows.max()) + 1) * len(rows) > limits.work and len(np.unique(worths)) > limits.few_worths:
        raise UnsupportedTableError(
            f"matching clusters one to one: {len(rows):,} cells of {int(rows.max()) + 1:,} clusters are connected, and "
            f"take too long (cells times clusters may be {limits.work:,}); labelings that have this little in common "
            "are better compared by pairs or by information"
        )
    return _sparse(rows, columns, worths)


def _dense(
    rows: NDArray[np.int64], columns: NDArray[np.int64], worths: NDArray[np.float64], *, in_thread: bool
) -> NDArray[np.int64]:
    from scipy.optimize import linear_sum_assignment

    matrix = np.zeros((rows.max() + 1, columns.max() + 1))
    matrix[rows, columns] = worths
    solve = partial(linear_sum_assignment, matrix, maximize=True)
    # SciPy cannot be interrupted: long work runs in a thread, which Ctrl-C abandons
    return _find_matches(rows, columns, *(attend(solve, patience=0) if in_thread else solve()))


def _sparse(rows: NDArray[np.int64], columns: NDArray[np.int64], worths: NDArray[np.float64]) -> NDArray[np.int64]:
    order = np.argsort(rows, kind="stable")
    starts = np.concatenate([[0], np.cumsum(np.bincount(rows))])
    assigned = assign(starts, columns[order].astype(np.int32), worths[order], int(columns.max()) + 1)
    return np.flatnonzero(assigned[rows] == columns)


def _find_matches(
    rows: NDArray[np.int64], columns: NDArray[np.int64], matched_rows: NDArray[Any], matched_columns: NDArray[Any]
) -> NDArray[np.int64]:
    """Return the indices of the matched cells; matches of rows and columns without a cell do not count."""
    column_of = np.full(int(rows.max()) + 1, -1, np.int64)
    column_of[matched_rows] = matched_columns
    return np.flatnonzero(column_of[rows] == columns)


def rank_maximal_counts(rows: NDArray[np.int64], columns: NDArray[np.int64], ranks: NDArray[Any]) -> list[int]:
    """Return the number of cells of each rank, best first, in a rank-maximal matching (Irving et al., 2006).

    Such a matching has most cells of rank 0, among those most of rank 1, and so on. Rank by rank, only cells are kept
    that can be in such a matching; the size of a largest matching of them is the number of cells taken so far. Rows and
    columns that every largest matching covers take no cell of a later rank.
    """
    _, rows = np.unique(rows, return_inverse=True)
    _, columns = np.unique(columns, return_inverse=True)
    shape = int(rows.max()) + 1, int(columns.max()) + 1
    open_rows, open_columns = np.ones(shape[0], np.bool_), np.ones(shape[1], np.bool_)
    kept = np.zeros(0, np.int64)
    settled = 0
    sizes = [0]
    for cells in _by_rank(ranks):
        kept = np.concatenate([kept, cells[open_rows[rows[cells]] & open_columns[columns[cells]]]])
        column_of = _largest_matching(rows[kept], columns[kept], shape)
        sizes.append(settled + int(np.count_nonzero(column_of >= 0)))
        row_of = _invert(column_of, shape[1])
        even_rows, odd_columns = _alternating_reach(rows[kept], columns[kept], column_of, row_of)
        even_columns, odd_rows = _alternating_reach(columns[kept], rows[kept], row_of, column_of)
        open_rows &= even_rows
        open_columns &= even_columns
        loose = even_rows[rows[kept]] & odd_columns[columns[kept]] | odd_rows[rows[kept]] & even_columns[columns[kept]]
        # lines that are neither even nor odd are matched with each other in every largest matching
        settled += int(np.count_nonzero((column_of >= 0) & ~even_rows & ~odd_rows))
        kept = kept[loose]
    return [after - before for before, after in zip(sizes, sizes[1:], strict=False)]


def _by_rank(ranks: NDArray[Any]) -> list[NDArray[np.int64]]:
    order = np.argsort(ranks, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(ranks[order])) + 1)


def _largest_matching(rows: NDArray[np.int64], columns: NDArray[np.int64], shape: tuple[int, int]) -> NDArray[Any]:
    """Return the column matched to each row in a largest matching; -1 for none."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import maximum_bipartite_matching

    # SciPy before 1.14 takes graphs with 32-bit places only
    places = rows.astype(np.int32), columns.astype(np.int32)
    graph = csr_array((np.ones(len(rows), np.bool_), places), shape=shape)
    return np.asarray(maximum_bipartite_matching(graph, perm_type="column"))


def _invert(column_of: NDArray[Any], n_columns: int) -> NDArray[Any]:
    row_of = np.full(n_columns, -1, column_of.dtype)
    rows = np.flatnonzero(column_of >= 0)
    row_of[column_of[rows]] = rows
    return row_of


def _alternating_reach(
    lines: NDArray[np.int64], others: NDArray[np.int64], partner: NDArray[Any], other_partner: NDArray[Any]
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return the lines that alternating paths from free lines of a side reach: its own in even steps, the other in odd.

    A step takes a cell that is not matched, the next one a cell that is.
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import breadth_first_order

    n = len(partner)
    free = np.flatnonzero(partner < 0)
    onward = other_partner[others] >= 0
    # an edge is two steps, from line to line; an extra line leads to all free ones
    sources = np.concatenate([lines[onward], np.full(len(free), n)])
    targets = np.concatenate([other_partner[others[onward]], free])
    graph = csr_array((np.ones(len(sources), np.bool_), (sources, targets)), shape=(n + 1, n + 1))
    even = np.zeros(n + 1, np.bool_)
    even[breadth_first_order(graph, n, return_predecessors=False)] = True
    odd = np.zeros(len(other_partner), np.bool_)
    odd[others[even[lines]]] = True
    return even[:n], odd


def cut_rows(work: NDArray[Any], limit: int) -> Iterator[tuple[int, int]]:
    """Cut rows into blocks whose work does not exceed a limit; a row with more work is a block by itself.

    work: the work of each row.

    >>> list(cut_rows(np.array([3, 3, 9, 1, 1]), 6))
    [(0, 2), (2, 3), (3, 5)]
    """
    done = np.cumsum(work)
    start = 0
    while start < len(done):
        before = int(done[start - 1]) if start else 0
        end = max(start + 1, int(np.searchsorted(done, before + limit, "right")))
        yield start, end
        start = end
