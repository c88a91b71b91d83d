"""A prediction after edits: its table, labels and scores, equal to an evaluation of the edited labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import count
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from clustermark import _kernel
from clustermark._kernel import LONE
from clustermark.diagnosis.scored_points import ids_of, place_points
from clustermark.errors import InputError
from clustermark.labels import read_pair
from clustermark.labels.labeling import Names
from clustermark.registry.array_scores import function_fields
from clustermark.statistics.pairs import ChancePairs, PairCounts
from clustermark.tables.cells import CellTable

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from clustermark.diagnosis.repairs.edits import EditState
    from clustermark.diagnosis.scored_points import ScoredLabels
    from clustermark.registry import Index
    from clustermark.tables.contingency import Contingency


_PAIRS = frozenset(PairCounts._fields)


def reads_pairs(index: Index[...]) -> bool:
    """Return whether an index needs only the four counts of pairs."""
    return index.statistic in (PairCounts, ChancePairs) and function_fields(index) <= _PAIRS


class PairScores:
    """The scores of indices of pairs, from the pairs of a table and the numbers that edits correct."""

    def __init__(self, table: Contingency) -> None:
        self.pairs = PairCounts.of(table)
        self.weighted = table.weights is not None

    @property
    def wrong(self) -> Any:
        """Number of pairs that belong together and are apart, or are together and belong apart."""
        return self.pairs.yn + self.pairs.ny

    def after(self, gained: Any, removed: Any) -> SimpleNamespace:
        """Return the pairs after edits that gain `gained` true pairs and remove `removed` false pairs."""
        yy, yn, ny, nn = self.pairs
        return SimpleNamespace(yy=yy + gained, yn=yn - gained, ny=ny - removed, nn=nn + removed, weighted=self.weighted)

    def score(self, index: Index[...], gained: Any, removed: Any) -> float:
        """Return the score of an index after such edits."""
        pairs = self.after(gained, removed)
        try:
            return float(index.uses[0].function(pairs, **index.options))
        except ZeroDivisionError:
            return index.undefined_score(identical=lambda: pairs.yn == 0 and pairs.ny == 0)

    def rate(self, index: Index[...]) -> Callable[[NDArray[Any], NDArray[Any], Any, Any], NDArray[np.float64]]:
        """Return a function that rates many edits at once by an index."""

        def rate(gained: NDArray[Any], removed: NDArray[Any], gained_so_far: Any, removed_so_far: Any) -> Any:
            # an old count may exceed the false pairs left, beyond which an index need not grow
            parted = np.minimum(removed_so_far + removed.astype(np.float64), float(self.pairs.ny))
            pairs = self.after(gained_so_far + gained.astype(np.float64), parted)
            scores = index.score_arrays(pairs)
            return np.where(np.isnan(scores), np.inf, scores)  # 0 / 0: no pair is wrong any more

        return rate


def table_after(table: CellTable, state: EditState, edits: int, names: Names | None = None) -> CellTable:
    """Return the table of truth and prediction after the first `edits` edits; without names, clusters are numbers."""
    numbered = state.numbered
    clusters, _ = state.clusters_after(edits)
    _, columns = np.unique(clusters, return_inverse=True)
    n_columns = int(columns.max(initial=-1)) + 1
    cells = table.kernel_cells
    both = np.flatnonzero((cells.rows == LONE) & (cells.columns == LONE))
    rows = np.where(numbered.rows < cells.n_rows, numbered.rows, LONE).astype(np.int32)
    rows = np.append(rows, np.full(len(both), LONE, np.int32))
    places = np.append(columns, np.full(len(both), LONE)).astype(np.int32)
    weights = pairs = None
    if numbered.pairs is not None and cells.weights is not None:
        weights, pairs = np.append(numbered.n, cells.weights[both]), np.append(numbered.pairs, np.zeros(len(both)))
    counts = np.append(numbered.counts, cells.counts[both])
    made = _kernel.Cells(rows, places, counts, weights, pairs, cells.n_rows, n_columns)
    names = Names(None, np.arange(n_columns)) if names is None else names
    return CellTable(made, table.true_names, names, table.account)


def labels_after(table: CellTable, state: EditState, given: ScoredLabels) -> list[Any] | dict[Any, Any]:
    """Return the predicted label of each point after all edits of a state; by id, if the labels are mappings.

    A cluster keeps its label for the points that stay together, or for most of them; others get new labels. Points that
    the table leaves out keep their labels.
    """
    placed = place_points(table, given)
    clusters, _ = state.clusters_after(len(state.edits))
    cells = _cells_of(state, placed.true, placed.pred, placed.times)
    pred = read_pair(given.y_true, given.y_pred)[1]
    labels = list(Names(pred.values, pred.codes).to_list())
    names = _name_clusters(state, clusters, _Labels(table, labels))
    for place, cell in zip(placed.kept.tolist(), cells.tolist(), strict=True):
        if cell >= 0 and (name := names.get(int(clusters[cell]))) is not None:
            labels[place] = name
    if isinstance(given.y_true, Mapping):
        return dict(zip(ids_of(given, np.arange(len(labels))), labels, strict=True))
    return labels


def _cells_of(
    state: EditState, rows: NDArray[np.int64], columns: NDArray[np.int64], times: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return the cell of each point; -1 for a point alone in its clusters of both sides, which no edit changes."""
    lone = (rows == LONE) | (columns == LONE)
    if (times[lone] > 1).any():
        raise InputError(
            "apply: a row stands for several points that are each alone in a cluster, and one row cannot get several "
            "labels; give each point a row"
        )
    numbered = state.numbered
    row_keys = np.where(numbered.rows < state.n_named_rows, numbered.rows, LONE)
    column_keys = np.where(numbered.columns < state.n_named_columns, numbered.columns, LONE)
    cells = np.full(len(rows), -1)
    known = np.flatnonzero((rows != LONE) | (columns != LONE))
    wanted = rows[known] * (state.n_named_columns + 1) + columns[known]
    keys = row_keys * (state.n_named_columns + 1) + column_keys
    order = np.argsort(keys, kind="stable")
    at = np.searchsorted(keys[order], wanted)
    # each point with a cluster of its own has a cell; among equal points the assignment does not matter
    at += np.where(lone[known], _times_before(wanted), 0)
    cells[known] = order[at]
    return cells


def _times_before(values: NDArray[np.int64]) -> NDArray[np.int64]:
    """Count the equal values before each value."""
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    before = np.empty(len(values), np.int64)
    before[order] = np.arange(len(values)) - np.searchsorted(ordered, ordered)
    return before


def _name_clusters(state: EditState, clusters: NDArray[np.int64], labels: _Labels) -> dict[int, Any]:
    """Return the labels of the clusters made by edits; the rest of a cluster keeps the cluster's label."""
    numbered = state.numbered
    made = clusters >= numbered.n_columns
    kept = np.zeros(numbered.n_columns, np.bool_)
    kept[clusters[~made]] = True
    cells = np.flatnonzero(made)
    order = cells[np.lexsort((state.splits[numbered.columns[cells]], -numbered.counts[cells]))]
    names: dict[int, Any] = {}
    sources: dict[int, int] = {}
    for cluster, column in zip(clusters[order].tolist(), numbered.columns[order].tolist(), strict=True):
        free = column < state.n_named_columns and not kept[column]
        if cluster not in names and free:
            names[cluster] = labels.of(column)
            kept[column] = True
        sources.setdefault(cluster, column)
    for cluster, column in sources.items():
        if cluster not in names:
            names[cluster] = labels.new(column if column < state.n_named_columns else None)
    return names


class _Labels:
    """Labels of the predicted clusters of a table, and new labels that no point has and that do not mean noise."""

    def __init__(self, table: CellTable, given: Sequence[Any]) -> None:
        self._all = table.pred_names.to_list()
        self._noise = table.policies.noise_pred
        self._used = {*self._all, *given}
        numbers = [label for label in self._used if isinstance(label, int) and not isinstance(label, bool)]
        self._numbers = count(max(numbers, default=-1) + 1) if len(numbers) == len(self._used - {None}) else None

    def of(self, column: int) -> Any:
        return self._all[column]

    def new(self, column: int | None) -> Any:
        """Return a label that no cluster has: the next number, or the old label followed by a number."""
        stem = "new" if column is None else str(self._all[column])
        label = next(filter(self._is_free, self._numbers or (f"{stem} ({n})" for n in count(2))))
        self._used.add(label)
        return label

    def _is_free(self, label: Any) -> bool:
        return label not in self._used and not Names.of([label]).among(self._noise)[0]
