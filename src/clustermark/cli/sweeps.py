"""A sweep of scored pairs, in the format asked for."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from clustermark.cli.layout import Column, paragraph, table
from clustermark.report.thresholds import best_row, sweep_document
from clustermark.results.json import json_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clustermark.evaluation.sweeps.pair_sweep import PairSweep
    from clustermark.registry import Index

_COLUMNS = (Column("index", style="cyan"), Column("threshold", "right"), Column("score", "right", "bold"))


class Wanted(NamedTuple):
    """What was asked for beside the best thresholds."""

    by: str | Index[...]
    """The index whose best threshold is looked at more closely."""
    at: float | None
    precision: float | None
    cost: tuple[float, float] | None
    interval: bool
    seed: int


class At(NamedTuple):
    """The scores at a threshold that was asked for."""

    threshold: float
    scores: dict[str, float]

    def __repr__(self) -> str:
        said = ", ".join(f"{name} {score:.6f}" for name, score in self.scores.items())
        return f"threshold {self.threshold:.6g}: {said}"


def sweep_as(shape: str, sweep: PairSweep, wanted: Wanted, *, to_terminal: bool) -> str:
    """The text to deliver: the best thresholds, or with CSV the curves."""
    if shape == "csv":
        return sweep.to_csv()
    if shape == "latex":
        return sweep.to_latex()
    if shape == "html":
        return sweep.report(by=wanted.by)
    answers = dict(_answers(sweep, wanted))
    if shape == "json":
        return json_text(sweep_document(sweep, {what: answer._asdict() for what, answer in answers.items()}), 2)
    rows = [best_row(one) for one in sweep.bests()]
    scores = table(_COLUMNS, rows, to_terminal=to_terminal)
    notes = [f"{_TITLES[what]}{answer!r}" for what, answer in answers.items()]
    lines = [paragraph(line, to_terminal=to_terminal) for note in notes for line in note.splitlines()]
    return "\n".join([sweep.headline, "", scores, *lines, ""])


_TITLES = {"at": "", "reach": "wanted precision: ", "cheapest": "cheapest: ", "interval": "", "losses": ""}


def _answers(sweep: PairSweep, wanted: Wanted) -> Iterator[tuple[str, Any]]:
    if wanted.at is not None:
        yield "at", At(wanted.at, sweep.scores(wanted.at))
    if wanted.precision is not None:
        yield "reach", sweep.reach(wanted.precision)
    if wanted.cost is not None:
        yield "cheapest", sweep.cheapest(false_merge=wanted.cost[0], false_split=wanted.cost[1])
    if wanted.interval:
        yield "interval", sweep.interval(wanted.by, seed=wanted.seed)
    if sweep.partitions.origin.counts_single_pairs:
        yield "losses", sweep.losses(sweep.best(wanted.by).threshold)


def cut_clusters(sweep: PairSweep, cut: str) -> tuple[dict[Any, Any], str]:
    """Each record and the first record of its cluster, at a threshold or at the best one by an index; and a word on it.

    The threshold is told with all its digits, so that it can be given again.
    """
    try:
        threshold, by = float(cut), ""
    except ValueError:
        best = sweep.best(cut)
        threshold, by = best.threshold, f" by {best.by}"
    labels = sweep.labels(threshold)
    return labels, f"cut at {threshold!r}{by}: {len(set(labels.values())):,} clusters of {len(labels):,} records"


def clusters_as(shape: str, labels: dict[Any, Any], on: str, *, to_terminal: bool) -> str:
    """Each record and the first record of its cluster, as a table or as JSON."""
    if shape == "json":
        return json.dumps([{"id": one, "cluster": cluster} for one, cluster in labels.items()], indent=2)
    columns = cluster_columns(labels, on)
    rows = zip(*(map(str, column) for column in columns.values()), strict=True)
    heads = [Column(name, style="" if name == "cluster" else "cyan") for name in columns]
    return table(heads, rows, to_terminal=to_terminal)


def cluster_columns(labels: dict[Any, Any], on: str) -> dict[str, list[Any]]:
    """The same as columns; an id of two parts has two, called as in the truth, so that it can be joined by them again.

    on: what the columns of the ids are called. A cluster is called like its first id, in one field: of two parts, as
    JSON, so that no two of them become one.
    """
    if not isinstance(next(iter(labels)), tuple):
        return {"id": list(labels), "cluster": list(labels.values())}
    parts = on.split(", ")
    names = parts if len(set(parts)) == 2 and "cluster" not in parts else ["source", "id"]
    columns = {name: [one[place] for one in labels] for place, name in enumerate(names)}
    return columns | {"cluster": [json.dumps(one) for one in labels.values()]}
