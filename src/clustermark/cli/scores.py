"""The scores of an evaluation, in the format asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clustermark.cli.layout import Column, paragraph, table
from clustermark.evaluation.score_lines import cluster_counts, interval_lines, notice_lines, refusal_lines, score_lines

if TYPE_CHECKING:
    from clustermark.evaluation.partitions import PartitionEvaluation
    from clustermark.evaluation.record import Record

LOWER = "↓"
LOWER_IS_BETTER = f"{LOWER} lower is better"
_COLUMNS = (
    Column("index", style="cyan"),
    Column("score", "right", "bold"),
    Column("interval"),
    Column("range", style="dim"),
    Column("", style="dim"),
)


def scores_table(evaluation: PartitionEvaluation, *, to_terminal: bool) -> str:
    """The verdict and the next step, what was compared, the scores with their ranges, and what was left out."""
    record = evaluation.record
    rows = [
        (line.label, line.score, line.interval, line.bounds, mark(record.scores[line.label].higher_is_better))
        for line in score_lines(record)
    ]
    shown = [place for place in range(len(_COLUMNS)) if place not in (2, 4) or any(row[place] for row in rows)]
    seen = [tuple(row[place] for place in shown) for row in rows]
    lower = [LOWER_IS_BETTER] if any(row[-1] for row in rows) else []
    scores = table([_COLUMNS[place] for place in shown], seen, to_terminal=to_terminal)
    first, last = (
        [paragraph(line, to_terminal=to_terminal) for line in lines]
        for lines in (
            (evaluation.verdict, f"next: {evaluation.advice}", ""),
            (*lower, *interval_lines(record), *refusal_lines(record)),
        )
    )
    return "\n".join([*first, head_text(record, to_terminal=to_terminal), scores, *last, *([""] if last else [])])


def mark(higher_is_better: bool | None) -> str:
    """What stands beside an index of which lower is better."""
    return LOWER if higher_is_better is False else ""


def head_text(record: Record, *, to_terminal: bool) -> str:
    """How many points there are and what became of them, and what to know before the rest is believed."""
    notices = (paragraph(line, to_terminal=to_terminal) for line in notice_lines(record))
    return "".join(f"{line}\n" for line in (_counts_text(record), *notices))


def _counts_text(record: Record) -> str:
    counts = ", ".join(f"{count:,} {fate}" for fate, count in record.points.items())
    weighted = "; weighted" if record.settings["weighted"] else ""
    (true, noise_true), (pred, noise_pred) = (cluster_counts(record, side) for side in ("true", "pred"))
    return f"points: {counts}{weighted}\nclusters: {true:,} true{noise_true}, {pred:,} predicted{noise_pred}"
