"""In which cell of its table each point lies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from clustermark._kernel import ABSENT, LONE, encode_integers
from clustermark.ranking.entrants import fates_by_code
from clustermark.tables.policies import ALONE, ONE_SIDED, PLAIN

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from clustermark.labels import Labeling
    from clustermark.tables.cells import CellTable

_DENSE = 1 << 22
"""Up to so many pairs of labels, all of them are looked up in one array."""


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


def entries_of_points(table: CellTable, truth: Labeling, pred: Labeling) -> NDArray[Any]:
    """The entry of the table in which each point lies, in the narrowest integers that hold it."""
    cells = table.kernel_cells
    width = cells.n_columns + 2
    keys = (cells.rows.astype(np.int64) + 2) * width + cells.columns + 2
    of_true = (cluster_numbers(table, truth, is_truth=True) + 2) * width
    of_pred = cluster_numbers(table, pred, is_truth=False) + 2
    narrow = np.min_scalar_type(max(len(keys) - 1, 0))
    if len(of_true) * len(of_pred) <= _DENSE:
        entries = np.zeros((cells.n_rows + 2) * width, narrow)
        entries[keys] = np.arange(len(keys))
        by_codes = entries[of_true[:, None] + of_pred].ravel()
        places = np.remainder(truth.codes, len(of_true), dtype=np.int32) if (truth.codes < 0).any() else truth.codes
        places = places.astype(np.int32) * np.int32(len(of_pred))
        places += np.remainder(pred.codes, len(of_pred), dtype=np.int32) if (pred.codes < 0).any() else pred.codes
        return np.asarray(by_codes[places])
    numbers, first = encode_integers(of_true[truth.codes] + of_pred[pred.codes])
    order = np.argsort(keys)
    found = of_true[truth.codes[first]] + of_pred[pred.codes[first]]
    return np.asarray(order[np.searchsorted(keys[order], found)].astype(narrow)[numbers])
