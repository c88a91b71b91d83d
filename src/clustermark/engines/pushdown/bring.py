"""Cells that stay in an engine of our own process come over as well, if there is room, so that the kernel adds up."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clustermark import _kernel
from clustermark.engines.engine import Sharing
from clustermark.errors import EngineError
from clustermark.labels.names import Names
from clustermark.tables.cells import CellTable
from clustermark.tables.contingency import Account, Origin
from clustermark.tables.policies import PLAIN

if TYPE_CHECKING:
    from collections.abc import Mapping

    from clustermark.engines.engine import Workspace
    from clustermark.engines.pushdown.gather import Gathered
    from clustermark.tables.policies import Policies

_CELL, _CLUSTER = 16, 160
"""Bytes that a cell takes in the kernel, and that what is found out of a cluster takes at most."""


def bring_cells(
    workspace: Workspace, gathered: Gathered, policies: Policies, settings: Mapping[str, Any]
) -> CellTable | None:
    """The cells in memory, if they take no more than half of what the engine may use; it makes do with the rest.

    Only for integers that lie close together, where no policy moves a point: a cell is two numbers and a count then,
    and nothing is looked up.
    """
    points, engine = gathered.points, workspace.engine
    if policies is not PLAIN or points.weighted or (points.true_kind, points.pred_kind) != ("integer", "integer"):
        return None
    if not isinstance(engine, Sharing) or (memory := engine.memory) is None:
        return None
    workspace.purpose = "the cells come over too, if they take no more than half of the memory, and the kernel adds up"
    bounds = [
        int(bound)
        for bound in workspace.row(
            f"SELECT MIN(t) AS a, MAX(t) AS b, MIN(p) AS c, MAX(p) AS d FROM {gathered.name}", (0, 0, 0, 0)
        )
    ]
    clusters = [high - low + 1 for low, high in (bounds[:2], bounds[2:])]
    needed = _CELL * gathered.cells + _CLUSTER * sum(clusters)
    if max(clusters) > 1 << 32 or 2 * needed > memory:
        return None
    parts = workspace.fetch_parts(gathered.name, "t, p, n", gathered.cells)
    if workspace.dry:
        return None
    engine.leave_memory(needed)
    collector = _kernel.CellCollector(gathered.cells, *bounds)
    for part in parts:
        collector.add(part["t"], part["p"], part["n"])
    cells = collector.finish()
    table = CellTable(
        cells,
        Names(None, lambda: cells.row_values),
        Names(None, lambda: cells.column_values),
        Account(gathered.given),
        None,
        Origin(settings, tuple(workspace.statements)),
    )
    if table.profile.n_points != gathered.given:
        raise EngineError(f"{engine.name}: the number of points changed while the cells came over; run it again")
    return table
