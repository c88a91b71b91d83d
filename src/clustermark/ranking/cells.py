"""In which cell of its table each point lies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from clustermark._kernel import ABSENT, LONE
from clustermark.ranking.entrants import fates_by_code
from clustermark.tables.policies import ALONE, ONE_SIDED, PLAIN

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from clustermark.labels import Labeling
    from clustermark.tables.cells import CellTable

_DENSE = 1 << 22
"""Up to so many pairs of labels, all of them are looked up in one array."""
_STEPS = 8
"""So many more cells of a row are looked at one by one."""


def cluster_numbers(table: CellTable, labeling: Labeling, *, is_truth: bool) -> NDArray[np.int64]:
    """The number of a label's cluster in the table, or LONE or ABSENT; by its code, which -1 and -2 index too."""
    names = table.true_names if is_truth else table.pred_names
    numbers = np.full(len(labeling.values) + 2, ABSENT, np.int64)
    numbers[names.codes] = np.arange(len(names))
    if table.policies is not PLAIN:
        fates = fates_by_code(labeling, table.policies, is_truth=is_truth)
        numbers[fates == ALONE] = LONE
        numbers[fates == ONE_SIDED] = ABSENT
    return numbers


def classes_of_points(table: CellTable, truth: Labeling, pred: Labeling, of: NDArray[Any]) -> NDArray[Any]:
    """The class of each point, where `of` has the class of each entry of the table."""
    true, wanted = (cluster_numbers(table, side, is_truth=side is truth) + 2 for side in (truth, pred))
    if len(true) * len(wanted) <= _DENSE:
        return _look_up(table, of, (true, truth), (wanted, pred))
    return np.asarray(of[_walk(table, (true, truth.codes), (wanted, pred.codes))])


def _look_up(
    table: CellTable,
    of: NDArray[Any],
    true: tuple[NDArray[np.int64], Labeling],
    pred: tuple[NDArray[np.int64], Labeling],
) -> NDArray[Any]:
    """By an array of all pairs of labels."""
    cells = table.kernel_cells
    classes = np.zeros((cells.n_rows + 2, cells.n_columns + 2), of.dtype)
    classes[cells.rows + 2, cells.columns + 2] = of
    by_codes = classes[true[0][:, None], pred[0]].ravel()
    places, columns = (
        np.remainder(side.codes, len(numbers), dtype=np.int32)
        if side.n_missing or (side.codes < 0).any()
        else side.codes
        for numbers, side in (true, pred)
    )
    places = np.multiply(places, np.int32(len(pred[0])), dtype=np.int32)
    places += columns
    return np.asarray(by_codes.take(places))


def _walk(
    table: CellTable, true: tuple[NDArray[np.int64], NDArray[Any]], pred: tuple[NDArray[np.int64], NDArray[Any]]
) -> NDArray[np.int32]:
    """By walking along the cells of each point's row, which are few where clusters are many; else by their keys.

    true, pred: the numbers of clusters by code, and the codes of points.
    """
    from scipy.sparse import coo_array

    cells = table.kernel_cells
    shape = cells.n_rows + 2, cells.n_columns + 2
    numbers = np.arange(len(cells.counts), dtype=np.int32)
    by_row: Any = coo_array((numbers, (cells.rows + 2, cells.columns + 2)), shape=shape).tocsr()
    place = by_row.indptr[true[0]].astype(np.int32)[true[1]]
    columns = pred[0].astype(np.int32)[pred[1]]
    left = np.flatnonzero(by_row.indices[place] != columns)
    for _ in range(_STEPS):
        place[left] += 1
        left = left[by_row.indices[np.minimum(place[left], len(cells.counts) - 1)] != columns[left]]
    if len(left):
        keys = np.repeat(np.arange(shape[0]), np.diff(by_row.indptr)) * shape[1] + by_row.indices
        place[left] = np.searchsorted(keys, true[0][true[1][left]] * shape[1] + columns[left])
    return np.asarray(by_row.data[place])
