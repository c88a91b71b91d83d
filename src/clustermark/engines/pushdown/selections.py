"""Selected cells of a table in an engine: the statements that find them, for each type of selection."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import numpy as np

from clustermark.engines.pushdown.gather import within_limit
from clustermark.engines.pushdown.statements import PRED, TRUE
from clustermark.labels import ABSENT, Labeling, read_labels
from clustermark.labels.labeling import Names, with_values
from clustermark.tables.cells import CellTable
from clustermark.tables.parts import Changed, EditableCells, Largest, Near, Selection, Worst
from clustermark.tables.policies import AS_COUNTED
from clustermark.tables.tabulation import tabulate_codes

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from clustermark.engines.pushdown.hold import Held
    from clustermark.engines.pushdown.statements import LabelFacts, SideColumns
    from clustermark.engines.pushdown.table import TalliedCells
    from clustermark.tables.parts import Edits

BOTH_SIDES = ((TRUE, PRED), (PRED, TRUE))


def fetch_selection(cells: TalliedCells, which: Selection) -> CellTable:
    """Return the cells of a selection, in memory."""
    return _FETCH[type(which)](cells, which)


def _fetch_worst(cells: TalliedCells, which: Worst) -> CellTable:
    held, side = cells.held, TRUE if which.side == "true" else PRED
    workspace = held.workspace
    workspace.purpose = "the clusters that lose most pairs"
    with workspace.lend("worst", _worst_of(held, side, which.k)) as chosen:
        return _fetch_clusters(cells, side, chosen)


def _fetch_changed(cells: TalliedCells, which: Changed) -> CellTable:
    held, workspace = cells.held, cells.held.workspace
    if which.k is None:
        workspace.purpose = "fetch the cells that are not a whole cluster on both sides"
        return cells.rest_in_memory("finding out which changes are connected")
    side = TRUE if which.side == "true" else PRED
    workspace.purpose = "the clusters that change most"
    order = held.labels[side].in_order(workspace.dialect)
    with workspace.lend("moved", held.statements.most_changed(cells.rest(), side, which.k, order)) as chosen:
        return _fetch_clusters(cells, side, chosen)


def _fetch_clusters(cells: TalliedCells, side: SideColumns, chosen: str) -> CellTable:
    """Return all cells of the clusters in a table with the columns label and kk."""
    held = cells.held
    sql = f"SELECT CAST(COALESCE(SUM(kk), 0) AS BIGINT) AS n FROM {chosen}"
    within_limit(int(held.workspace.row(sql, (0,))[0]), cells.max_cells, "the list of clusters")
    trues, preds = map(held.clusters, (TRUE, PRED))
    return table_of_cells(held.workspace.fetch(held.statements.cells_of({side: chosen}, trues, preds)), held.labels)


def _fetch_largest(cells: TalliedCells, which: Largest) -> CellTable:
    held, workspace = cells.held, cells.held.workspace
    workspace.purpose = "the cells between the largest clusters"
    true, pred = (
        held.statements.largest(side, held.clusters(side), which.k, labels.in_order(workspace.dialect))
        for side, labels in held.labels.items()
    )
    with workspace.lend("largest_t", true) as trues, workspace.lend("largest_p", pred) as preds:
        chosen = {TRUE: trues, PRED: preds}
        clusters = {side: workspace.fetch(f"SELECT * FROM {name}") for side, name in chosen.items()}
        columns = workspace.fetch(held.statements.cells_of(chosen, *map(held.clusters, (TRUE, PRED))))
    for side, listed in clusters.items():  # a cluster is in the table even if none of its cells is
        n = len(listed[side.label])
        empty = {"t": None, "p": None, "n": 0, "m": 0, "a": 1, "b": 1}
        without = {name: [value] * n for name, value in empty.items()} | dict(listed)
        columns = {name: [*column, *without[name]] for name, column in columns.items()}
    return table_of_cells(columns, held.labels)


def _fetch_near(cells: TalliedCells, which: Near) -> CellTable:
    held, workspace, statements = cells.held, cells.held.workspace, cells.held.statements
    workspace.purpose = "the clusters that lose most pairs, and those that they meet"
    with ExitStack() as lent:

        def keep(name: str, sql: str) -> str:
            return lent.enter_context(workspace.lend(name, sql))

        worst = {side: keep(f"worst_{side.label}", _worst_of(held, side, which.k)) for side, _ in BOTH_SIDES}
        near = {
            side: keep(f"near_{side.label}", statements.with_met(side, worst[side], across, worst[across]))
            for side, across in BOTH_SIDES
        }
        for side, name in near.items():
            within_limit(_count_cells(held, side, name), cells.max_cells, "the map of the worst clusters")
        return _fetch_either(held, near)


def fetch_edits(cells: TalliedCells, gains: Mapping[Edits, str], n: int | None) -> EditableCells:
    """Return the cells of the n edits of each kind that repair most wrong pairs, and the last edit of each kind.

    gains: statements or tables with the label and the gain of every edit.
    """
    held, workspace, statements = cells.held, cells.held.workspace, cells.held.statements
    workspace.purpose = "the repairs that correct most wrong pairs"
    lasts: dict[Edits, Any] = {}
    with ExitStack() as lent:
        first = {}
        for edits, name in gains.items():
            side = TRUE if edits == "gathers" else PRED
            order = held.labels[side].in_order(workspace.dialect)
            first[edits] = lent.enter_context(workspace.lend(edits, statements.first_edits(side, name, n, order)))
            labels = _labels_by_gain(held, first[edits], side, order)
            if n is not None and len(labels) == n:
                lasts[edits] = labels[-1]
        columns = " UNION ".join(f"SELECT p FROM {name}" for edits, name in first.items() if edits != "gathers")
        chosen = {TRUE: first["gathers"], PRED: lent.enter_context(workspace.lend("mended_p", columns))}
        found = sum(_count_cells(held, side, name) for side, name in chosen.items())
        within_limit(found, cells.max_cells, "the list of repairs")
        return EditableCells(_fetch_either(held, chosen), lasts)


def _labels_by_gain(held: Held, name: str, side: SideColumns, order: str) -> list[Any]:
    """Return the labels of edits, the best first."""
    column = held.workspace.fetch(f"SELECT {side.label} FROM {name} ORDER BY g DESC, {order}")[side.label]
    free = held.labels[side].missing_as
    return [None if free is not None and label == free else label for label in np.asarray(column).tolist()]


_FETCH: dict[type[Selection], Callable[[TalliedCells, Any], CellTable]] = {
    Worst: _fetch_worst,
    Largest: _fetch_largest,
    Near: _fetch_near,
    Changed: _fetch_changed,
}
"""The function for each type of selection: a new type needs a line here and a statement."""


def _worst_of(held: Held, side: SideColumns, k: int | None) -> str:
    order = held.labels[side].in_order(held.workspace.dialect)
    return held.statements.worst(side, held.clusters(side), k, held.apart(side), order)


def _count_cells(held: Held, side: SideColumns, chosen: str) -> int:
    """Return the number of cells of the chosen clusters of a side."""
    join = f"FROM {chosen} z JOIN {held.clusters(side)} x ON x.{side.label} = z.{side.label}"
    return int(held.workspace.row(f"SELECT CAST(COALESCE(SUM(x.kk), 0) AS BIGINT) AS n {join}", (0,))[0])


def _fetch_either(held: Held, chosen: Mapping[SideColumns, str]) -> CellTable:
    """Return the cells of the chosen clusters of both sides, each cell once."""
    trues, preds = map(held.clusters, (TRUE, PRED))
    first, second = (
        held.workspace.fetch(held.statements.cells_of({side: name}, trues, preds)) for side, name in chosen.items()
    )
    known = set(zip(first["t"], first["p"], strict=True))
    labels = zip(second["t"], second["p"], strict=True)
    new = [place for place, pair in enumerate(labels) if pair not in known]
    columns = {name: [*first[name], *(second[name][place] for place in new)] for name in first}
    return table_of_cells(columns, held.labels)


def table_of_cells(columns: Mapping[str, Any], labels: Mapping[SideColumns, LabelFacts]) -> CellTable:
    """Return the table of cells (t, p, n, m) with the sizes a and b of their clusters.

    The other points of a cluster are added as items of one side only, so that it keeps its size.
    labels: contain the label that denotes the cluster of missing labels on each side.
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


def _beyond(labeling: Labeling, sizes: NDArray[np.int64], points: NDArray[np.int64]) -> tuple[Any, NDArray[np.int64]]:
    """Return the clusters that are larger than their cells in this table, and the differences."""
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
