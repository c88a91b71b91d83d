"""The statements that would run, to be read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clustermark.engines.pushdown import gather as gathering
from clustermark.engines.pushdown.statements import PRED, TRUE, Labels, Statements, rewritten

if TYPE_CHECKING:
    from collections.abc import Callable

    from clustermark.engines.engine import Workspace
    from clustermark.engines.pushdown.points import Points
    from clustermark.tables.policies import Policies


def explain(workspace: Workspace, points: Points, policies: Policies, push_down: bool | None) -> str:
    """All statements from points to tallies, each with a line that says what it is for.

    Whether policies move any point is known only once the cells are there; then one more table is put between them
    and the rest, which is shown if there are such policies.
    """
    lines = [f"-- ids must be there and be unique\n{statement};" for statement in workspace.statements]
    workspace.statements.clear()

    def said(what: str) -> None:
        lines.extend(f"-- {what}\n{statement};" for statement in workspace.statements)
        workspace.statements.clear()

    cells = workspace.materialise("counted", gathering.counted(points))
    said("group the points into cells")
    if points.counted or points.weighted:
        workspace.fetch(gathering.numbers_checked(cells))
        said("counts and weights must be numbers")
    workspace.fetch(gathering.summary(points, cells))
    said("count what was given, what is missing, what occurs on one side only")
    stay = push_down is not False and not points.weighted
    if push_down is not True:
        workspace.fetch(gathering.all_cells(points, cells, ordered=False))
        few = f"up to {gathering.fetched_at_once(points):,} cells" if stay else "the cells"
        said(f"{few} come over, and the rest happens in memory{'; of more:' if stay else ''}")
    if stay:
        simple = (
            policies.missing == policies.unmatched == "error" and not policies.noise_true and not policies.noise_pred
        )
        if not simple:
            true = Labels(TRUE, points.true_kind, policies.noise_true, None)
            pred = Labels(PRED, points.pred_kind, policies.noise_pred, None)
            sql = rewritten(workspace.dialect, cells, true, pred, policies, joined=points.joined)
            cells = workspace.materialise("cells", sql)
            said("let the policies move points")
        _push(workspace, Statements(workspace.dialect, cells, simple=simple, wide=False), said)
    return "\n\n".join(lines)


def _push(workspace: Workspace, statements: Statements, said: Callable[[str], None]) -> None:
    trues, preds = (workspace.materialise(side.table, statements.clusters(side)) for side in (TRUE, PRED))
    said("the clusters of each side: size, sum of squares, largest cell, number of cells")
    if not statements.simple:
        workspace.fetch(statements.alone())
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
