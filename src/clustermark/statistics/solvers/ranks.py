"""Greedy matching where equal cells are in each other's way: rank-maximal matchings (Irving et al., 2006)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def rank_maximal_counts(rows: NDArray[np.int64], columns: NDArray[np.int64], ranks: NDArray[Any]) -> list[int]:
    """How many cells of each rank, best first, a matching takes that takes most of rank 0, then of rank 1, and so on.

    Rank by rank, the cells are kept that can be in such a matching so far; a largest matching of them has as many
    cells as are taken in all. Lines that every largest matching covers take no cell of a later rank.
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
        even_rows, odd_columns = _alternating(rows[kept], columns[kept], column_of, row_of)
        even_columns, odd_rows = _alternating(columns[kept], rows[kept], row_of, column_of)
        open_rows &= even_rows
        open_columns &= even_columns
        loose = even_rows[rows[kept]] & odd_columns[columns[kept]] | odd_rows[rows[kept]] & even_columns[columns[kept]]
        # what is neither even nor odd is matched among itself for good
        settled += int(np.count_nonzero((column_of >= 0) & ~even_rows & ~odd_rows))
        kept = kept[loose]
    return [after - before for before, after in zip(sizes, sizes[1:], strict=False)]


def _by_rank(ranks: NDArray[Any]) -> list[NDArray[np.int64]]:
    order = np.argsort(ranks, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(ranks[order])) + 1)


def _largest_matching(rows: NDArray[np.int64], columns: NDArray[np.int64], shape: tuple[int, int]) -> NDArray[Any]:
    """The column matched to each row in a matching of most cells; -1 for none."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import maximum_bipartite_matching

    graph = csr_array((np.ones(len(rows), np.bool_), (rows, columns)), shape=shape)
    return np.asarray(maximum_bipartite_matching(graph, perm_type="column"))


def _invert(column_of: NDArray[Any], n_columns: int) -> NDArray[Any]:
    row_of = np.full(n_columns, -1, column_of.dtype)
    rows = np.flatnonzero(column_of >= 0)
    row_of[column_of[rows]] = rows
    return row_of


def _alternating(
    lines: NDArray[np.int64], others: NDArray[np.int64], partner: NDArray[Any], other_partner: NDArray[Any]
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Of one side the lines that an even number of steps leads to from a free line of that side, of the other side odd.

    A step takes a cell that is not matched, the next one a cell that is.
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import breadth_first_order

    n = len(partner)
    free = np.flatnonzero(partner < 0)
    onward = other_partner[others] >= 0
    # two steps at once, from line to line; one more line leads to all that are free
    sources = np.concatenate([lines[onward], np.full(len(free), n)])
    targets = np.concatenate([other_partner[others[onward]], free])
    graph = csr_array((np.ones(len(sources), np.bool_), (sources, targets)), shape=(n + 1, n + 1))
    even = np.zeros(n + 1, np.bool_)
    even[breadth_first_order(graph, n, return_predecessors=False)] = True
    odd = np.zeros(len(other_partner), np.bool_)
    odd[others[even[lines]]] = True
    return even[:n], odd
