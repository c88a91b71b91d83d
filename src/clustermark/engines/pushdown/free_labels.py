"""What stands in an engine for the cluster of missing labels: a label that nobody has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clustermark.engines.pushdown.statements import TRUE, Labels, Side
from clustermark.errors import InputError, Mention

if TYPE_CHECKING:
    from clustermark.engines.engine import Kind, Workspace
    from clustermark.engines.pushdown.gather import Gathered

_WORD = 2**63


def labels_of(
    workspace: Workspace, gathered: Gathered, side: Side, kind: Kind, noise: dict[Any, str], missing: str
) -> Labels:
    """The labels of a side, with one for missing ones if they are to be a cluster."""
    lacking = gathered.missing_true if side is TRUE else gathered.missing_pred
    if missing != "cluster" or not lacking:
        return Labels(side, kind, noise, None)
    return Labels(side, kind, noise, _free_label(workspace, gathered, side, kind, noise))


def _free_label(workspace: Workspace, gathered: Gathered, side: Side, kind: Kind, noise: dict[Any, str]) -> Any:
    """A label that no point has, to stand for the cluster of missing labels."""
    if kind == "text":
        return f"missing {workspace.name('label')[1:-1]}"
    if kind == "boolean":
        raise InputError(
            Mention("missing", "cluster"),
            ": a column of truth values has no room for a third cluster in an engine; choose ",
            Mention("push_down", False),
            ", or make it a column of text",
        )
    low, high = workspace.row(
        f"SELECT MIN({side.label}) AS low, MAX({side.label}) AS high FROM {gathered.name}", (0, 0)
    )
    # a noise label that no point has is not free either
    low, high = (1, 0) if low is None else (int(low), int(high))
    if kind == "float":
        least, most = -(2**53), 2**53
    else:  # the column may be signed or not, and must have room for the label as it is
        least, most = -_WORD if low < 0 else 0, _WORD - 1 if high < _WORD else 2 * _WORD - 1
    below = range(min(low, most + 1) - 1, max(least, low - 2 - len(noise)) - 1, -1)
    above = range(max(high, least - 1) + 1, min(most, high + 2 + len(noise)) + 1)
    for label in (*below, *above):
        if label not in noise:
            return label
    raise InputError(
        Mention("missing", "cluster"), ": no label of this column is free; choose ", Mention("push_down", False)
    )
