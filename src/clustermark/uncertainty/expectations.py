"""Expected mutual information without one point, for all cells by four passes over the sizes of clusters."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from clustermark import _kernel

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from clustermark.tables.contingency import Contingency
    from clustermark.tables.profile import SizeRow

    Places = Callable[[NDArray[np.int64]], NDArray[np.int64]]

_AT_ONCE = 1 << 22
"""So many terms of a pass are held at once."""


def expected_without(table: Contingency, n_points: int, true_at: Places, pred_at: Places) -> NDArray[np.float64]:
    """Expected mutual information without a point of a true and a predicted cluster of some sizes.

    `true_at` and `pred_at` find the sizes of each class's clusters among all sizes that a side has.

    It is a sum over all true and predicted clusters of a term of their sizes and of the number of points. Without one
    point that number changes in every term; sizes change in one row and in one column of the terms only.
    NaN where one cluster is left on a side, or singletons: no permutation changes anything there.
    """
    profile, total = table.profile, n_points - 1
    (rows, row_times), (columns, column_times) = (_histogram(side) for side in (profile.true_sizes, profile.pred_sizes))
    i, j = true_at(rows), pred_at(columns)
    if total < 2 or rows[-1] > total or columns[-1] > total:  # a side is one cluster
        return np.full(len(i), np.nan)
    all_columns = np.union1d(columns, columns - 1)
    columns_at, fewer_columns_at = (np.searchsorted(all_columns, columns - v) for v in (0, 1))
    of_column = np.zeros(len(columns))  # what a column has with its own size less what it has with one point less
    of_cell = np.zeros(len(i))
    everything = 0.0
    step = max(1, _AT_ONCE // len(all_columns))
    for start in range(0, len(rows), step):
        block = slice(start, start + step)
        # neighbouring sizes are often both there, so each term is found once for both
        needed = np.union1d(rows[block], rows[block] - 1)
        terms = _kernel.expected_excesses(needed, all_columns, total).reshape(-1, len(all_columns))
        whole, fewer_a, fewer_b, fewer = (
            terms[np.ix_(np.searchsorted(needed, rows[block] - u), at)]
            for u, at in ((0, columns_at), (1, columns_at), (0, fewer_columns_at), (1, fewer_columns_at))
        )
        of_row = (whole - fewer_a) @ column_times
        of_column += row_times[block] @ (whole - fewer_b)
        everything += float(row_times[block] @ (whole @ column_times))
        here = slice(None) if len(rows) <= step else np.flatnonzero((i >= start) & (i < start + step))
        of_cell[here] = (whole - fewer_a - fewer_b + fewer - of_row[:, None]).take(
            (i[here] - start) * len(columns) + j[here]
        )
    expected = (everything - of_column[j] + of_cell) / total
    for sizes, at, times in ((rows, i, row_times), (columns, j, column_times)):
        left = times.sum() - (sizes == 1)
        if (unchanging := (left == 1) | (left == total)).any():
            expected[unchanging[at]] = np.nan
    return expected


def _histogram(rows: Sequence[SizeRow]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    sizes = np.array([row.size for row in rows], np.int64)
    return sizes, np.array([row.clusters for row in rows], np.float64)
