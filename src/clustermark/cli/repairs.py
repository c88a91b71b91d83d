"""What to mend first, in the format asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clustermark.cli.layout import Column, table
from clustermark.cli.records import draw_members
from clustermark.cli.scores import head_text
from clustermark.cli.terminal import suit_output
from clustermark.report.record import repairs_document
from clustermark.results.json import json_text
from clustermark.results.values import count_text, share_text

if TYPE_CHECKING:
    from clustermark.diagnosis.repairs import Repairs
    from clustermark.evaluation.partitions import PartitionEvaluation


def repairs_as(shape: str, evaluation: PartitionEvaluation, repairs: Repairs, *, safe: bool, to_terminal: bool) -> str:
    """The text to deliver: the repairs, best first."""
    if shape == "csv":
        return (repairs.records if repairs.has_records else repairs).to_csv(safe=safe)
    if shape == "json":
        return json_text(repairs_document(evaluation.record, repairs), indent=2)
    head = f"{head_text(evaluation.record, to_terminal=to_terminal)}\n{suit_output(repairs.headline)}\n"
    head += f"({repairs.certificate})\n" if repairs.certificate else ""
    return head + (_draw(repairs, to_terminal=to_terminal) if len(repairs) else "")


def _draw(repairs: Repairs, *, to_terminal: bool) -> str:
    score = repairs.told
    columns = [
        Column("", "right"),
        Column("true pairs", "right"),
        Column("false pairs", "right"),
        Column("records", "right"),
        Column("mended", "right", "bold"),
        Column(score, "right"),
        Column("repair", style="cyan", folds=True),  # the last, so that long ones hide no number
    ]
    rows = [
        (
            f"{place}",
            count_text(one.true_pairs),
            count_text(one.false_pairs),
            count_text(one.records),
            share_text(one.mended),
            f"{one.scores[score]:.6f}",
            one.sentence,
        )
        for place, one in enumerate(repairs, 1)
    ]
    drawn = table(columns, rows, to_terminal=to_terminal) + "".join(
        draw_members(f"\n{place}. {one.sentence}", one.members, one.side, to_terminal=to_terminal)
        for place, one in enumerate(repairs, 1)
    )
    return drawn + (suit_output(f"{repairs.note}\n") if repairs.note else "")


def mended_labels(repairs: Repairs) -> dict[str, list[Any]]:
    """The predicted labels after the repairs, by id or by the number of the row, counted from 1 as in all messages."""
    labels: Any = repairs.apply()
    by_id = labels.items() if isinstance(labels, dict) else enumerate(labels, 1)
    ids, mended = map(list, zip(*by_id, strict=True))
    return {"id" if isinstance(labels, dict) else "row": ids, "cluster": mended}
