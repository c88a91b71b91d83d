"""Where a clustering goes wrong, in the format asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clustermark.cli.layout import Column, table
from clustermark.cli.records import draw_members
from clustermark.cli.scores import head_text
from clustermark.cli.terminal import suit_output
from clustermark.diagnosis import PointTable
from clustermark.diagnosis.record_tables import beside_cells
from clustermark.report.captions import lone_ids, score_text
from clustermark.report.record import errors_document
from clustermark.results.frames import csv_text
from clustermark.results.json import json_text
from clustermark.results.values import count_text, label_text, share_text

if TYPE_CHECKING:
    from clustermark.cli.records import Beside
    from clustermark.diagnosis import ClusterTable, ErrorList, ErrorRow, Side
    from clustermark.evaluation.partitions import PartitionEvaluation

WORST = 10
_WIDTH = 60
_SHARES = ("precision", "recall", "jaccard")
_LABELS = ("cluster", "best_match", "verdict", "point", "true", "pred")
_SHOWN = (
    *("cluster", "size", "best_match", "overlap", "precision", "recall", "jaccard", "pairs_lost", "verdict"),
    *("point", "true", "pred"),
)


def mistakes_as(
    shape: str,
    evaluation: PartitionEvaluation,
    what: str | None,
    side: Side | None,
    k: int | None,
    *,
    safe: bool,
    to_terminal: bool,
    beside: Beside,
) -> str:
    """The text to deliver: the worst splits and merges, or one of the whole tables; beside: the records to show."""
    if what is None:
        return _worst_as(shape, evaluation, k or WORST, beside, safe=safe, to_terminal=to_terminal)
    if what == "confusions":
        return _confusions_as(shape, evaluation, k or WORST, safe=safe, to_terminal=to_terminal)
    rows = _points(evaluation, side, k, beside) if what == "points" else _clusters(evaluation, what, k)
    if shape == "csv":
        return rows.to_csv(safe=safe)
    if shape == "json":
        return _json(evaluation, {what: rows})
    title = f"{rows.title}\n" if isinstance(rows, PointTable) else ""
    note = f"{suit_output(rows.note)}\n" if isinstance(rows, PointTable) and rows.note else ""
    return f"{head_text(evaluation.record, to_terminal=to_terminal)}\n{title}{_draw_rows(rows, to_terminal)}{note}"


def _confusions_as(shape: str, evaluation: PartitionEvaluation, k: int, *, safe: bool, to_terminal: bool) -> str:
    """The pairs of true clusters that are confused most."""
    found = evaluation.confusions(k)
    if shape == "csv":
        return found.to_csv(safe=safe)
    if shape == "json":
        return _json(evaluation, {"confusions": found})
    columns = [
        Column("true cluster", style="cyan", folds=True),
        Column("and", style="cyan", folds=True),
        Column("false pairs", "right", "bold"),
        Column("share", "right"),
        Column("together in", folds=True),
    ]
    rows = []
    for row in found:
        where = [f"{_label(one.cluster)}: {count_text(one.first)} with {count_text(one.second)}" for one in row.where]
        left = row.clusters - len(where)
        texts = ", ".join([*where, *([f"and {left:,} more"] if left else [])])
        numbers = count_text(row.false_pairs), share_text(row.share)
        rows.append((_label(row.first), _label(row.second), *numbers, texts))
    head = f"{head_text(evaluation.record, to_terminal=to_terminal)}\n{suit_output(found.title)}\n"
    return head + (table(columns, rows, to_terminal=to_terminal) if rows else "")


def _clusters(evaluation: PartitionEvaluation, what: str, k: int | None) -> ClusterTable:
    clusters = evaluation.clusters if what == "clusters" else evaluation.classes
    return clusters if k is None else clusters.sorted_by("pairs_lost", k)


def _points(evaluation: PartitionEvaluation, side: Side | None, k: int | None, beside: Beside) -> PointTable:
    """The points by their ids, else by the number of their row, counted from 1 as in all messages.

    Where nobody asked for a side and no predicted cluster merges, the points that splits put elsewhere.
    """
    points = evaluation.points(side=side or "pred", k=k, **beside)
    return points if points or side is not None else evaluation.points(side="true", k=k, **beside)


def _worst_as(
    shape: str, evaluation: PartitionEvaluation, k: int, beside: Beside, *, safe: bool, to_terminal: bool
) -> str:
    splits, merges = evaluation.splits(k, **beside), evaluation.merges(k, **beside)
    if shape == "json":
        return _json(evaluation, {"splits": splits, "merges": merges})
    if shape == "csv":
        tables = (splits.records, merges.records) if beside else (splits, merges)
        return csv_text(_both(*(table.to_dict() for table in tables)), safe=safe)
    head = head_text(evaluation.record, to_terminal=to_terminal)
    return f"{head}\n{_draw_worst(splits, merges, to_terminal)}"


def _both(splits: dict[str, list[Any]], merges: dict[str, list[Any]]) -> dict[str, list[Any]]:
    """One table of both, one row a part or a record; records may have columns that those of the others lack."""
    n_splits, n_merges = len(splits["cluster"]), len(merges["cluster"])
    names = list(dict.fromkeys([*splits, *merges]))
    both = {name: splits.get(name, [None] * n_splits) + merges.get(name, [None] * n_merges) for name in names}
    kind = "kind" if "kind" not in names else "error"
    return {kind: ["split"] * n_splits + ["merge"] * n_merges} | both


def worst_table(evaluation: PartitionEvaluation, k: int, *, to_terminal: bool) -> str:
    """The worst splits and merges, each with its largest parts."""
    return _draw_worst(evaluation.splits(k), evaluation.merges(k), to_terminal)


def _draw_worst(worst_splits: ErrorList, worst_merges: ErrorList, to_terminal: bool) -> str:
    splits, merges = (_list_errors(errors, to_terminal) for errors in (worst_splits, worst_merges))
    return "\n".join(
        [
            f"Worst splits: true clusters, and the predicted clusters that their points are in\n{splits}"
            if splits
            else "No true cluster is split.\n",
            f"Worst merges: predicted clusters, and the true clusters that their points are of\n{merges}"
            if merges
            else "No predicted cluster merges true ones.\n",
        ]
    )


def _list_errors(mistakes: ErrorList, to_terminal: bool) -> str:
    if not mistakes:
        return ""
    columns = [
        Column("cluster", style="cyan", folds=True),
        Column("size", "right"),
        Column("pairs lost", "right", "bold"),
        Column("parts", "right"),
        Column("largest parts: points", folds=True),
    ]
    rows = [
        (
            _label(row.cluster),
            count_text(row.size),
            count_text(row.pairs_lost),
            count_text(row.counterparts),
            _parts(row),
        )
        for row in mistakes
    ]
    left = mistakes.total - len(mistakes)
    drawn = table(columns, rows, to_terminal=to_terminal) + (suit_output(f"… and {left:,} more\n") if left else "")
    drawn += "".join(
        draw_members(f"\n{_label(row.cluster)}", row.members, mistakes.side, to_terminal=to_terminal)
        for row in mistakes
    )
    return drawn + (suit_output(f"{mistakes.note}\n") if mistakes.note else "")


def _parts(row: ErrorRow, limit: int = 5) -> str:
    """The largest parts by name, and how many there are beside them."""
    named = [part for part in row.parts if not part.lone][:limit]
    others = [part for part in row.parts if part not in named]
    n = row.counterparts - len(named)
    texts = [f"{_label(part.cluster)}: {count_text(part.overlap)}" for part in named]
    if n and n == sum(part.lone for part in others):
        texts.append(f"{n:,} alone{lone_ids(others)}")
    elif n and all(part.overlap == 1 for part in others):  # and so those that follow, which are no larger
        texts.append(f"and {n:,} of one point each{lone_ids(others)}")
    elif n:
        texts.append(f"and {n:,} more")
    return ", ".join(texts)


def _draw_rows(rows: ClusterTable | PointTable, to_terminal: bool) -> str:
    content = {name: column for name, column in rows.to_dict().items() if name in _SHOWN}
    columns = [
        Column(name.replace("_", " "), "left" if name in _LABELS else "right", folds=name in _LABELS)
        for name in content
    ]
    cells = [
        [_cell(name, value) for name, value in zip(content, row, strict=True)]
        for row in zip(*content.values(), strict=True)
    ]
    if isinstance(rows, PointTable) and rows.has_records:
        heads, *values = beside_cells(rows.records, _WIDTH)
        columns = [*columns, *(Column(head, folds=True) for head in heads)]
        cells = [[*cell, *more] for cell, more in zip(cells, values, strict=True)]
    return table(columns, cells, to_terminal=to_terminal)


def _cell(name: str, value: Any) -> str:
    if name in _LABELS:
        return _label(value)
    return score_text(value) if name in _SHARES else count_text(value)


def _label(label: object) -> str:
    return label_text(label, _WIDTH)


def _json(evaluation: PartitionEvaluation, tables: dict[str, Any]) -> str:
    return json_text(errors_document(evaluation.record, tables), indent=2)
