"""The statements of a dry run, to be read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clustermark._kernel import Worth
from clustermark.tables.noise import look_for_noise

if TYPE_CHECKING:
    from clustermark.engines.engine import Workspace
    from clustermark.tables.contingency import Contingency


def ask(table: Contingency) -> None:
    """Ask for all that indices ask of a table beside its profile."""
    look_for_noise(table)
    table.joint()
    table.unsettled(Worth.POINTS)


def explain(workspace: Workspace) -> str:
    """The statements that were noted, each with a line that says what it is for."""
    noted = zip(workspace.purposes, workspace.statements, strict=True)
    return "\n\n".join(f"-- {purpose}\n{statement};" for purpose, statement in noted)
