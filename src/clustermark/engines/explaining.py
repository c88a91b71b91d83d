"""The statements that would run, to be read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clustermark.engines import gathering
from clustermark.engines.statements import PRED, TRUE, Statements

if TYPE_CHECKING:
    from collections.abc import Callable

    from clustermark.engines.engine import Workspace
    from clustermark.engines.points import Points


def explained(workspace: Workspace, points: Points, push_down: bool | None) -> str:
    """All statements from points to tallies, each with a line that says what it is for.

    Policies that move points (noise, missing labels) put one more table between the cells and the rest.
    """
    lines = [f"-- ids must be there and be unique\n{statement};" for statement in workspace.statements]
    workspace.statements.clear()

    def said(what: str) -> None:
        lines.extend(f"-- {what}\n{statement};" for statement in workspace.statements)
        workspace.statements.clear()

    cells = workspace.materialise("counted", gathering.counted(points))
    said("group the points into cells")
    workspace.fetch(gathering.summary(points, cells))
    said("count what was given, what is missing, what occurs on one side only")
    if push_down is not True:
        workspace.fetch(f"SELECT t, p, n FROM {cells}")
        said(f"up to {gathering.fetched_at_once(points):,} cells come over, and the rest happens in memory; of more:")
    if push_down is not False and not points.weighted:
        _push(workspace, Statements(workspace.dialect, cells, simple=True, wide=False), said)
    return "\n\n".join(lines)


def _push(workspace: Workspace, statements: Statements, said: Callable[[str], None]) -> None:
    trues, preds = (workspace.materialise(side.table, statements.clusters(side)) for side in (TRUE, PRED))
    said("the clusters of each side: size, sum of squares, largest cell, number of cells")
    workspace.fetch(statements.cell_sizes())
    workspace.fetch(statements.cluster_sizes(TRUE, trues))
    workspace.fetch(statements.cluster_sizes(PRED, preds))
    said("the profile: pairs, information, purity, B-cubed and most other indices are made of it")
    rest = workspace.materialise("rest", statements.rest(trues, preds))
    said("the cells that are not a whole cluster on both sides, if an index asks for best matches")
    workspace.fetch(statements.alike(rest))
    workspace.fetch(statements.clusters_alike(rest, TRUE))
    workspace.fetch(statements.clusters_alike(rest, PRED))
    said("cells and clusters that are alike, counted: the Jaccard-Concentration Index, best matches, matchings")
