"""The records of points in the terminal: those of a cluster, and pairs of them that are wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from clustermark.cli.layout import Column, table
from clustermark.cli.terminal import suit_output
from clustermark.diagnosis.record_tables import member_cells, pair_lines

if TYPE_CHECKING:
    from clustermark.diagnosis import Side
    from clustermark.diagnosis.members import Members

Beside: TypeAlias = dict[str, Any]
"""Which records to show, as `splits` takes them; empty where none were asked for."""
_WIDTH = 60


def draw_members(head: str, members: Members | None, side: Side, *, to_terminal: bool) -> str:
    """The points of a cluster under its name, and some of its wrong pairs; nothing where no records were asked for."""
    if members is None:
        return ""
    heads, *rows = member_cells(members, side, _WIDTH)
    columns = [Column(heads[0], style="cyan", folds=True), *(Column(title, folds=True) for title in heads[1:])]
    left = members.total - len(members.shown)
    more = [f"… and {left:,} more"] if left else []
    lines = "".join(suit_output(f"{line}\n") for line in [*more, *pair_lines(members)])
    return f"{suit_output(head)}\n{table(columns, rows, to_terminal=to_terminal)}{lines}"
