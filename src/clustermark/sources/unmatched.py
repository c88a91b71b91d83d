"""Ids that one of two sources lacks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clustermark.engines.pushdown.points import PRED_ONLY, TRUE_ONLY
from clustermark.engines.spooled import name_streams
from clustermark.labels import ABSENT
from clustermark.sources.frames import read_points, stay_in_memory
from clustermark.sources.recognition import open_workspace
from clustermark.sources.request import read_request, select_points

if TYPE_CHECKING:
    from collections.abc import Mapping


def find_unmatched(source: Any, other: Any, options: Mapping[str, Any], k: int) -> tuple[list[Any], list[Any]]:
    """Return ids that only the first or only the second of two sources has; the first k of each, in order."""
    request = read_request(options)
    if stay_in_memory(source, other, request):
        points = read_points(source, other, request._replace(policies=request.policies._replace(unmatched="keep")))
        ids = points.ids or []
        return (
            [ids[place] for place in (points.pred.codes == ABSENT).nonzero()[0].tolist()],
            [ids[place] for place in (points.true.codes == ABSENT).nonzero()[0].tolist()],
        )
    with name_streams(source, other), open_workspace(source, other, request) as workspace:
        selected, *_ = select_points(workspace, source, other, request)
        names = ", ".join(one.name for one in selected.ids)
        sides = []
        for side in (TRUE_ONLY, PRED_ONLY):
            sql = f"SELECT {names} FROM ({selected.sql}) x WHERE s = {side} ORDER BY {names} LIMIT {int(k)}"
            columns = [list(column) for column in workspace.fetch(sql).values()]
            sides.append(columns[0] if len(columns) == 1 else list(zip(*columns, strict=True)))
        return sides[0], sides[1]
