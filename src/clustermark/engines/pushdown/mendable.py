"""The cells that repairs by wrong pairs need: those of the edits that mend most, which the engine finds."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import numpy as np

from clustermark.engines.pushdown.excerpt import excerpt, join_cells
from clustermark.engines.pushdown.gather import within_limit
from clustermark.engines.pushdown.statements import PRED, TRUE
from clustermark.tables.excerpts import Mendable

if TYPE_CHECKING:
    from clustermark.engines.pushdown.hold import Held
    from clustermark.engines.pushdown.statements import Side
    from clustermark.tables.excerpts import Edits


def bring_mendable(held: Held, gains: dict[Edits, str], n: int | None, max_cells: int) -> Mendable:
    """The cells of the n edits of each kind that mend most wrong pairs, and the last of each kind.

    gains: statements or tables that have the label, the number of cells and the gain of every edit.
    """
    workspace, statements = held.workspace, held.statements
    workspace.purpose = "the repairs that mend most wrong pairs"
    lasts: dict[Edits, Any] = {}
    with ExitStack() as lent:
        first = {}
        for edits, name in gains.items():
            side = TRUE if edits == "gathers" else PRED
            order = held.labels[side].in_order(workspace.dialect)
            first[edits] = lent.enter_context(workspace.lend(edits, statements.first_edits(side, name, n, order)))
            labels = _labels(held, first[edits], side, order)
            if n is not None and len(labels) == n:
                lasts[edits] = labels[-1]
        columns = " UNION ".join(f"SELECT p FROM {name}" for edits, name in first.items() if edits != "gathers")
        chosen = {TRUE: first["gathers"], PRED: lent.enter_context(workspace.lend("mended_p", columns))}
        trues, preds = map(held.clusters, (TRUE, PRED))
        cells = 0
        for side, clusters in ((TRUE, trues), (PRED, preds)):
            join = f"FROM {chosen[side]} z JOIN {clusters} x ON x.{side.label} = z.{side.label}"
            cells += int(workspace.row(f"SELECT CAST(COALESCE(SUM(x.kk), 0) AS BIGINT) AS n {join}", (0,))[0])
        within_limit(cells, max_cells, "the list of repairs")
        found = [workspace.fetch(statements.cells_of({side: name}, trues, preds)) for side, name in chosen.items()]
    return Mendable(excerpt(join_cells(*found), held.labels), lasts)


def _labels(held: Held, name: str, side: Side, order: str) -> list[Any]:
    """The labels of edits, the best first."""
    column = held.workspace.fetch(f"SELECT {side.label} FROM {name} ORDER BY g DESC, {order}")[side.label]
    free = held.labels[side].missing_as
    return [None if free is not None and label == free else label for label in np.asarray(column).tolist()]
