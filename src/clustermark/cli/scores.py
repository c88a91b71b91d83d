"""The scores of an evaluation, in the format asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clustermark.cli.tables import Column, table
from clustermark.facts import interval

if TYPE_CHECKING:
    from clustermark.evaluation import Evaluation

_BETTER = {True: "higher", False: "lower", None: "–"}
_COLUMNS = (Column("index", style="cyan"), Column("score", "right", "bold"), Column("range", style="dim"))


def scores_as(shape: str, evaluation: Evaluation, *, to_terminal: bool) -> str:
    """The text to deliver."""
    if shape == "json":
        return evaluation.to_json(indent=2)
    if shape == "csv":
        return evaluation.to_csv()
    if shape == "markdown":
        return evaluation.to_markdown()
    if shape == "latex":
        return evaluation.to_latex()
    return scores_table(evaluation, to_terminal=to_terminal)


def scores_table(evaluation: Evaluation, *, to_terminal: bool) -> str:
    """What was compared, the scores with their ranges, what was left out, and the verdict."""
    rows = [
        (
            index.label,
            f"{evaluation[index.label]:.6f}",
            interval(index.bounds_on(evaluation.table)),
            _BETTER[index.facts.higher_is_better],
        )
        for index in evaluation.indices
    ]
    scores = table([*_COLUMNS, Column("better", style="dim")], rows, to_terminal=to_terminal)
    notes = [*_left_out(evaluation), evaluation.verdict]
    return "\n".join([counted(evaluation), "", scores, *notes, ""])


def counted(evaluation: Evaluation) -> str:
    """How many points there are, and what became of them."""
    clusters = evaluation.table.n_true_clusters, evaluation.table.n_pred_clusters
    counts = ", ".join(
        f"{getattr(evaluation, 'n_' + what):,} {what}" for what in ("given", "used", "noise", "dropped", "unmatched")
    )
    weighted = "; weighted" if evaluation.table.weights is not None else ""
    return f"points: {counts}{weighted}\nclusters: {clusters[0]:,} true, {clusters[1]:,} predicted"


def _left_out(evaluation: Evaluation) -> list[str]:
    """A line for each reason, with the indices it concerns."""
    by_reason: dict[str, list[str]] = {}
    for name, reason in evaluation.refused.items():
        by_reason.setdefault(reason.removeprefix(f"{name} "), []).append(name)
    return [f"left out: {', '.join(names)}: {reason}" for reason, names in by_reason.items()]
