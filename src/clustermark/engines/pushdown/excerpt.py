"""Some cells of a table as a table of their own, in memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from clustermark.engines.pushdown.statements import PRED, TRUE
from clustermark.labels import ABSENT, Labeling, read_labels
from clustermark.labels.labeling import with_values
from clustermark.labels.names import Names
from clustermark.tables.cells import CellTable
from clustermark.tables.crosstab import tabulate_codes
from clustermark.tables.policies import AS_COUNTED

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from clustermark.engines.pushdown.statements import Labels, Side


def excerpt(columns: Mapping[str, Any], labels: Mapping[Side, Labels]) -> CellTable:
    """The table of cells (t, p, n, m) with the sizes a and b of their clusters.

    What a cluster has beside the cells is added as items of one side only, so that it keeps its size.
    labels: tell what stands for the cluster of missing labels on each side.
    """
    points = np.asarray(columns["n"], np.int64) * np.asarray(columns["m"], np.int64)
    sides = []
    for name, size in (("t", "a"), ("p", "b")):
        labeling = with_values(read_labels(columns[name], name))
        sides.append((labeling, *_beyond(labeling, np.asarray(columns[size], np.int64), points)))
    (true, true_codes, true_beyond), (pred, pred_codes, pred_beyond) = sides
    codes = (
        np.concatenate([true.codes, true_codes, np.full(len(pred_codes), ABSENT)]),
        np.concatenate([pred.codes, np.full(len(true_codes), ABSENT), pred_codes]),
    )
    counts = np.concatenate([points, true_beyond, pred_beyond])
    true, pred = Labeling(codes[0], true.values), Labeling(codes[1], pred.values)
    made = tabulate_codes(true, pred, counts, None, AS_COUNTED, None, may_be_empty=True)
    true_names, pred_names = (
        _with_missing(names, labels[side].missing_as)
        for side, names in ((TRUE, made.true_names), (PRED, made.pred_names))
    )
    return CellTable(made.kernel_cells, true_names, pred_names, made.account)


def join_cells(first: Mapping[str, Any], second: Mapping[str, Any]) -> dict[str, list[Any]]:
    """The cells of both, those of the first that come again in the second left out there."""
    known = set(zip(first["t"], first["p"], strict=True))
    labels = zip(second["t"], second["p"], strict=True)
    new = [place for place, (true, pred) in enumerate(labels) if (true, pred) not in known]
    return {name: [*first[name], *(second[name][place] for place in new)] for name in first}


def _beyond(labeling: Labeling, sizes: NDArray[np.int64], points: NDArray[np.int64]) -> tuple[Any, NDArray[np.int64]]:
    """The clusters that are larger than their cells here, and by how much."""
    known = labeling.codes >= 0
    codes = labeling.codes[known].astype(np.int64)
    found, first = np.unique(codes, return_index=True)
    inside = np.zeros(int(codes.max(initial=-1)) + 1, np.int64)
    np.add.at(inside, codes, points[known])
    beyond = sizes[known][first] - inside[found]
    return found[beyond > 0], beyond[beyond > 0]


def _with_missing(names: Names, free: Any) -> Names:
    if free is None:
        return names
    return Names.of([None if label == free else label for label in names.to_list()])
