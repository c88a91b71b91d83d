"""Where a clustering goes wrong, in the format asked for."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING, Any

from clustermark.cli.scores import counted
from clustermark.cli.tables import Column, shown, table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clustermark.evaluation import Evaluation

_COUNTS = ("n_given", "n_used", "n_noise", "n_dropped", "n_unmatched")


def mistakes_as(shape: str, evaluation: Evaluation, what: str | None, k: int, *, to_terminal: bool) -> str:
    """The text to deliver: the worst splits and merges, or one of the whole tables."""
    if what is None:
        return _worst_as(shape, evaluation, k, to_terminal)
    rows = evaluation.points() if what == "points" else getattr(evaluation, what)
    if shape == "csv":
        return str(rows.to_csv())
    if shape == "json":
        return _json({what: rows.rows()} | _counts(evaluation))
    return _drawn(rows.rows(), to_terminal)


def _worst_as(shape: str, evaluation: Evaluation, k: int, to_terminal: bool) -> str:
    worst = {"splits": evaluation.splits(k).rows(), "merges": evaluation.merges(k).rows()}
    if shape == "json":
        return _json(worst | _counts(evaluation))
    if shape == "csv":
        return _csv(worst)
    return worst_table(evaluation, k, to_terminal=to_terminal)


def worst_table(evaluation: Evaluation, k: int, *, to_terminal: bool) -> str:
    """The worst splits and merges, each with its largest parts."""
    splits = _listed("true cluster", "pieces", evaluation.splits(k), to_terminal)
    merges = _listed("predicted cluster", "true clusters", evaluation.merges(k), to_terminal)
    return "\n".join(
        [
            counted(evaluation),
            "",
            f"Worst splits: true clusters in pieces\n{splits}" if splits else "No true cluster is split.\n",
            f"Worst merges: predicted clusters that mix\n{merges}" if merges else "No predicted cluster mixes.\n",
        ]
    )


def _listed(whose: str, of_what: str, mistakes: Sequence[Any], to_terminal: bool) -> str:
    if not mistakes:
        return ""
    columns = [
        Column(whose, style="cyan"),
        Column("size", "right"),
        Column("pairs lost", "right", "bold"),
        Column(of_what, "right"),
        Column("largest parts (cluster: points shared)", folds=True),
    ]
    rows = [
        (row.cluster, f"{row.size:,}", f"{row.pairs_lost:,}", f"{row.counterparts:,}", _parts(row)) for row in mistakes
    ]
    return table(columns, rows, to_terminal=to_terminal)


def _parts(row: Any, limit: int = 5) -> str:
    told = [f"{shown(part.cluster)}: {part.overlap:,}" for part in row.parts[:limit]]
    more = row.counterparts - len(told)
    return ", ".join(told + ([f"{more:,} more"] if more > 0 else []))


def _csv(worst: dict[str, list[dict[str, Any]]]) -> str:
    """One row a part, so that spreadsheets can sort and sum them."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["kind", "cluster", "size", "pairs_lost", "counterparts", "part", "overlap", "part_size"])
    for kind, rows in worst.items():
        for row in rows:
            whole = [kind.removesuffix("s"), row["cluster"], row["size"], row["pairs_lost"], row["counterparts"]]
            for part in row["parts"]:
                writer.writerow([*whole, *_fields(part)])
    return text.getvalue()


def _fields(part: Any) -> list[Any]:
    return list(part.values()) if isinstance(part, dict) else list(part)


def _drawn(rows: list[dict[str, Any]], to_terminal: bool) -> str:
    if not rows:
        return "none\n"
    columns = [
        Column(name, "right" if isinstance(value, int | float) else "left", folds=not isinstance(value, int | float))
        for name, value in rows[0].items()
    ]
    return table(columns, [[_written(value) for value in row.values()] for row in rows], to_terminal=to_terminal)


def _written(value: object) -> object:
    return f"{value:.6f}" if isinstance(value, float) else value


def _counts(evaluation: Evaluation) -> dict[str, int]:
    return {name: getattr(evaluation, name) for name in _COUNTS}


def _json(content: dict[str, Any]) -> str:
    return json.dumps(content, ensure_ascii=False, indent=2, default=str)
