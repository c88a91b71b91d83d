"""The labels of the points after repairs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import count
from typing import TYPE_CHECKING, Any

import numpy as np

from clustermark._kernel import LONE
from clustermark.diagnosis.point_table import ids_of, place_points
from clustermark.errors import InputError
from clustermark.labels import read_pair
from clustermark.labels.names import Names

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from clustermark.diagnosis.given import GivenLabels
    from clustermark.diagnosis.repairs.edits import Ledger
    from clustermark.tables.cells import CellTable


def mend_labels(table: CellTable, ledger: Ledger, given: GivenLabels) -> list[Any] | dict[Any, Any]:
    """The predicted label of each point after all edits of a ledger; by id, if the labels are mappings.

    A cluster keeps its label for those of its points that stay together, or the most of them; others get new ones.
    Points that the table leaves out keep theirs.
    """
    placed = place_points(table, given)
    clusters, _ = ledger.clusters_after(len(ledger.edits))
    cells = _cells_of(ledger, placed.true, placed.pred, placed.times)
    pred = read_pair(given.y_true, given.y_pred)[1]
    labels = list(Names(pred.values, pred.codes).to_list())
    names = _name_clusters(ledger, clusters, _Labels(table, labels))
    for place, cell in zip(placed.kept.tolist(), cells.tolist(), strict=True):
        if cell >= 0 and (name := names.get(int(clusters[cell]))) is not None:
            labels[place] = name
    if isinstance(given.y_true, Mapping):
        return dict(zip(ids_of(given, np.arange(len(labels))), labels, strict=True))
    return labels


def _cells_of(
    ledger: Ledger, rows: NDArray[np.int64], columns: NDArray[np.int64], times: NDArray[np.int64]
) -> NDArray[np.int64]:
    """The cell of each point; -1 for a point with a cluster of its own on both sides, which no edit touches."""
    lone = (rows == LONE) | (columns == LONE)
    if (times[lone] > 1).any():
        raise InputError(
            "apply: a row stands for several points with a cluster of their own each, which cannot get several labels; "
            "give each point a row"
        )
    bits = ledger.bits
    row_keys = np.where(bits.rows < ledger.n_named_rows, bits.rows, LONE)
    column_keys = np.where(bits.columns < ledger.n_named_columns, bits.columns, LONE)
    cells = np.full(len(rows), -1)
    known = np.flatnonzero((rows != LONE) | (columns != LONE))
    wanted = rows[known] * (ledger.n_named_columns + 1) + columns[known]
    keys = row_keys * (ledger.n_named_columns + 1) + column_keys
    order = np.argsort(keys, kind="stable")
    at = np.searchsorted(keys[order], wanted)
    # points with a cluster of their own have a cell each; which of several equal ones has which does not matter
    at += np.where(lone[known], _times_before(wanted), 0)
    cells[known] = order[at]
    return cells


def _times_before(values: NDArray[np.int64]) -> NDArray[np.int64]:
    """How many equal values stand before each."""
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    before = np.empty(len(values), np.int64)
    before[order] = np.arange(len(values)) - np.searchsorted(ordered, ordered)
    return before


def _name_clusters(ledger: Ledger, clusters: NDArray[np.int64], labels: _Labels) -> dict[int, Any]:
    """The labels of the clusters that edits made; those that are what is left of a cluster keep its own."""
    bits = ledger.bits
    made = clusters >= bits.n_columns
    kept = np.zeros(bits.n_columns, np.bool_)
    kept[clusters[~made]] = True
    cells = np.flatnonzero(made)
    order = cells[np.lexsort((ledger.splits[bits.columns[cells]], -bits.counts[cells]))]
    names: dict[int, Any] = {}
    sources: dict[int, int] = {}
    for cluster, column in zip(clusters[order].tolist(), bits.columns[order].tolist(), strict=True):
        free = column < ledger.n_named_columns and not kept[column]
        if cluster not in names and free:
            names[cluster] = labels.of(column)
            kept[column] = True
        sources.setdefault(cluster, column)
    for cluster, column in sources.items():
        if cluster not in names:
            names[cluster] = labels.new(column if column < ledger.n_named_columns else None)
    return names


class _Labels:
    """Labels of a table's predicted clusters, and new ones that no point has and that do not mean noise."""

    def __init__(self, table: CellTable, given: Sequence[Any]) -> None:
        self._all = table.pred_names.to_list()
        self._noise = table.policies.noise_pred
        self._used = {*self._all, *given}
        numbers = [label for label in self._used if isinstance(label, int) and not isinstance(label, bool)]
        self._numbers = count(max(numbers, default=-1) + 1) if len(numbers) == len(self._used - {None}) else None

    def of(self, column: int) -> Any:
        return self._all[column]

    def new(self, column: int | None) -> Any:
        """A label that no cluster has: the next number, or the label it comes from with a number behind."""
        stem = "new" if column is None else str(self._all[column])
        label = next(filter(self._is_free, self._numbers or (f"{stem} ({n})" for n in count(2))))
        self._used.add(label)
        return label

    def _is_free(self, label: Any) -> bool:
        return label not in self._used and not Names.of([label]).among(self._noise)[0]
