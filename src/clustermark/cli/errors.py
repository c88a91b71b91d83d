"""The errors of a prediction in the format asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from clustermark.cli.scores import head_text
from clustermark.evaluation.record import errors_document
from clustermark.results.frames import csv_text
from clustermark.results.json import json_text

if TYPE_CHECKING:
    from clustermark.cli.run import Run
    from clustermark.diagnosis import Side
    from clustermark.evaluation.partitions import PartitionEvaluation

WORST = 10
Beside: TypeAlias = dict[str, Any]
"""The records to show, as options of `splits`; empty where none were asked for."""


def errors_as(
    run: Run,
    evaluation: PartitionEvaluation,
    what: str | None,
    side: Side | None,
    k: int | None,
    safe: bool,
    beside: Beside,
) -> str:
    """The worst splits and merges, or one of the whole tables, in the format asked for."""
    lists = _lists(evaluation, what, side, k, beside)
    if run.shape == "json":
        return json_text(errors_document(evaluation.record, lists), indent=2)
    if run.shape == "csv":
        tables = [found.records if beside and what is None else found for found in lists.values()]
        columns = tables[0].to_dict() if len(tables) == 1 else _both(*(table.to_dict() for table in tables))
        return csv_text(columns, safe=safe)
    head = head_text(evaluation.record, to_terminal=run.to_terminal)
    return "\n".join([head, "\n\n".join(run.text(found) for found in lists.values())])


def _lists(
    evaluation: PartitionEvaluation, what: str | None, side: Side | None, k: int | None, beside: Beside
) -> dict[str, Any]:
    if what is None:
        return {
            "splits": evaluation.splits(k or WORST, **beside),
            "merges": evaluation.merges(k or WORST, **beside),
        }
    if what == "confusions":
        return {what: evaluation.confusions(k or WORST)}
    if what == "points":
        points = evaluation.points(side=side or "pred", k=k, **beside)
        if not points and side is None:  # the points that splits put elsewhere
            points = evaluation.points(side="true", k=k, **beside)
        return {what: points}
    clusters = evaluation.clusters if what == "clusters" else evaluation.classes
    return {what: clusters if k is None else clusters.sorted_by("pairs_lost", k)}


def _both(splits: dict[str, list[Any]], merges: dict[str, list[Any]]) -> dict[str, list[Any]]:
    """One table of both, one row a part or a record; records may have columns that those of the others lack."""
    n_splits, n_merges = len(splits["cluster"]), len(merges["cluster"])
    names = list(dict.fromkeys([*splits, *merges]))
    both = {name: splits.get(name, [None] * n_splits) + merges.get(name, [None] * n_merges) for name in names}
    kind = "kind" if "kind" not in names else "error"
    return {kind: ["split"] * n_splits + ["merge"] * n_merges} | both
