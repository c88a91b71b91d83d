"""Estimates from a sample of the truth, in the format asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clustermark.cli import spell
from clustermark.cli.formats import render
from clustermark.cli.layout import Column, paragraph, table

if TYPE_CHECKING:
    from clustermark.releases.estimated_scores import Estimates


def estimates_as(shape: str, estimates: Estimates, half_width: float | None, *, to_terminal: bool) -> str:
    """The text to deliver; with a sentence on how many must be labelled for so narrow an interval."""
    if shape != "table":
        return render(shape, estimates, safe=False)
    head, *rows = estimates.lines()
    columns = [Column(head[0], style="cyan"), Column(head[1], "right", "bold")]
    columns += [Column(name, "right") for name in head[2:]]
    said = estimates.remarks(spell)
    if half_width is not None:
        from clustermark.releases.estimated_scores import plan

        said.append(" ".join(repr(plan(estimates, half_width)).split()))
    notes = [paragraph(line, to_terminal=to_terminal) for line in said]
    return "\n".join(
        [estimates.title, "", table(columns, [tuple(row) for row in rows], to_terminal=to_terminal), *notes, ""]
    )
