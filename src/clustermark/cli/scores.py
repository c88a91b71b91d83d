"""The scores of an evaluation, in the format asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clustermark.cli.layout import Column, paragraph, table
from clustermark.report.text import left_out, score_lines

if TYPE_CHECKING:
    from clustermark.evaluation import Evaluation

BETTER = {True: "higher", False: "lower", None: "–"}
_COLUMNS = (
    Column("index", style="cyan"),
    Column("score", "right", "bold"),
    Column("range", style="dim"),
    Column("better", style="dim"),
)


def scores_as(shape: str, evaluation: Evaluation, *, to_terminal: bool) -> str:
    """The text to deliver."""
    if shape == "json":
        return evaluation.to_json(indent=2) or ""
    if shape == "csv":
        return evaluation.to_csv() or ""
    if shape == "markdown":
        return evaluation.to_markdown()
    if shape == "latex":
        return evaluation.to_latex()
    return scores_table(evaluation, to_terminal=to_terminal)


def scores_table(evaluation: Evaluation, *, to_terminal: bool) -> str:
    """What was compared, the scores with their ranges, what was left out, and the verdict."""
    rows = [
        (line.label, line.score, line.bounds, BETTER[index.facts.higher_is_better])
        for line, index in zip(score_lines(evaluation), evaluation.indices, strict=True)
    ]
    scores = table(_COLUMNS, rows, to_terminal=to_terminal)
    told = [paragraph(line, to_terminal=to_terminal) for line in (*left_out(evaluation), evaluation.verdict)]
    return "\n".join([counted(evaluation), "", scores, *told, ""])


def counted(evaluation: Evaluation) -> str:
    """How many points there are, and what became of them."""
    what = ("given", "used", "noise", "dropped", "unmatched")
    counts = ", ".join(f"{getattr(evaluation, 'n_' + fate):,} {fate}" for fate in what)
    weighted = "; weighted" if evaluation.table.weights is not None else ""
    true, pred = evaluation.table.n_true_clusters, evaluation.table.n_pred_clusters
    return f"points: {counts}{weighted}\nclusters: {true:,} true, {pred:,} predicted"
