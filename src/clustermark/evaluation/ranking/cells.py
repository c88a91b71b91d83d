"""In which cell of its table each point lies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from clustermark import _kernel
from clustermark._kernel import ABSENT, LONE
from clustermark.sources.reading import fates_by_code
from clustermark.tables.policies import ALONE, ONE_SIDED, PLAIN
from clustermark.tables.tabulation import how_many_threads

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from clustermark.labels import Labeling
    from clustermark.tables.cells import CellTable


def cluster_numbers(table: CellTable, labeling: Labeling, *, is_truth: bool) -> NDArray[np.int32]:
    """The number of a label's cluster in the table, or LONE or ABSENT; by its code, which -1 and -2 index too."""
    names = table.true_names if is_truth else table.pred_names
    numbers = np.full(len(labeling.values) + 2, ABSENT, np.int32)
    numbers[names.codes] = np.arange(len(names), dtype=np.int32)
    if table.policies is not PLAIN:
        noise = table.policies.noise_true if is_truth else table.policies.noise_pred
        fates = fates_by_code(labeling, noise, table.policies)
        numbers[fates == ALONE] = LONE
        numbers[fates == ONE_SIDED] = ABSENT
    return numbers


def classes_of_points(
    table: CellTable, truth: Labeling, pred: Labeling, of: NDArray[np.int32], threads: int | None
) -> NDArray[Any]:
    """The class of each point, where `of` has the class of each entry of the table."""
    true, wanted = (cluster_numbers(table, side, is_truth=side is truth) for side in (truth, pred))
    how_many = how_many_threads(threads, len(truth))
    return _kernel.classes_of_points(table.kernel_cells, truth.codes, pred.codes, true, wanted, of, how_many)
