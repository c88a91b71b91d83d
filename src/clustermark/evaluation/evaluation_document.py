"""The data of an evaluation, and the document of its page."""

from __future__ import annotations

from dataclasses import replace
from math import isfinite
from typing import TYPE_CHECKING, Any

from clustermark.evaluation.score_lines import group_refusals, headline, interval_lines
from clustermark.registry.facts import interval
from clustermark.results.data import NOTICES, POINTS, SETTINGS, VERDICT, Column, Table
from clustermark.results.document import Cell, Document, Facts, Grid, Head, KeyNumber, Notes, Section

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from clustermark.evaluation.evaluation import Evaluation
    from clustermark.evaluation.record import Record, Score
    from clustermark.results.data import Columns
    from clustermark.results.document import Body

_SIDES: Columns = {"true": Column("count"), "pred": Column("count")}
_SAMPLE: Columns = {
    "score": Column("score"), "low": Column("score"), "high": Column("score"), "points": Column("count"),
}  # fmt: skip
_SCORE: Columns = {
    "title": Column("text"),
    "value": Column("score"),
    "low": Column("number", doc="the bounds of the index"),
    "high": Column("number"),
    "higher_is_better": Column("flag", optional=True),
    "family": Column("text"),
    "options": Column("any"),
    "interval": Column("any", sometimes=True, doc="how sure the score is, if that was asked for"),
}
FACTS: Columns = {
    "version": Column("text"),
    "points": POINTS,
    "notices": NOTICES,
    "settings": SETTINGS,
    "subject": Column(
        "text",
        choices=("partitions", "points", "covers", "trees", "soft"),
        doc="the kind of subject that was scored",
    ),
    "headline": Column("text", doc="what was scored, in one line"),
    "clusters": Column("any", doc="how many clusters each side has"),
    "noise": Column("any", sometimes=True),
    "features": Column("count", optional=True, sometimes=True, doc="of points; null where only distances are known"),
    "sampled": Column("record", rows=_SAMPLE, within=("map",), sometimes=True, doc="scores from a sample of points"),
    "uncovered": Column("record", rows=_SIDES, sometimes=True, doc="items in no cluster"),
    "overlapping": Column("record", rows=_SIDES, sometimes=True, doc="items in several clusters"),
    "unmatched": Column("record", rows=_SIDES, sometimes=True, doc="items that the other side does not know"),
    "branches": Column("count", within=("list",), sometimes=True, doc="the branches of each tree"),
    "hard": Column("any", sometimes=True, doc="whether each item of a side is in one cluster"),
    "verdict": VERDICT,
    "scores": Column("record", rows=_SCORE, within=("map",)),
    "refused": Column("text", within=("map",), doc="indices that have no meaning here, with the reason"),
}
COLUMNS: Columns = {
    "index": Column("name"),
    "title": Column("text"),
    "score": Column("score"),
    "low": Column("number"),
    "high": Column("number"),
    "higher_is_better": Column("flag", optional=True),
    "family": Column("text"),
}
_WITH_INTERVALS: Columns = {
    "interval_low": Column("score", optional=True),
    "interval_high": Column("score", optional=True),
    "standard_error": Column("error", optional=True),
}
_BETTER = {True: "higher", False: "lower", None: "neither"}
_WORDS = {"partitions": "point", "points": "point", "covers": "item", "trees": "leaf", "soft": "item"}
_TITLES = {
    "partitions": "How good is this clustering?",
    "points": "Clusters by their own points",
    "covers": "Two clusterings with overlapping clusters",
    "trees": "A hierarchy and what is known of its leaves",
    "soft": "Two soft clusterings",
}


def facts(evaluation: Evaluation) -> Mapping[str, Any]:
    """Return the facts of an evaluation, by the names in `FACTS`."""
    record = evaluation.record
    found: dict[str, Any] = {
        "version": record.version,
        "points": record.points,
        "notices": [notice._asdict() for notice in record.notices],
        "settings": record.settings,
        "subject": record.subject,
        "headline": evaluation.headline,
        "clusters": record.clusters,
        **({"noise": record.noise} if record.noise else {}),
        **record.facts,
        "verdict": evaluation.verdict,
        "scores": {label: _plain(score) for label, score in record.scores.items()},
        "refused": record.refused,
    }
    return found


def _plain(score: Score) -> dict[str, Any]:
    plain = {name: value for name, value in score._asdict().items() if name != "interval"}
    return plain | ({} if score.interval is None else {"interval": score.interval.to_dict()})


def tables(evaluation: Evaluation) -> Mapping[str, Table]:
    """Return the table of scores, one row per index; with intervals if they were requested."""
    columns = evaluation.record.columns()
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    return {"scores": Table({**COLUMNS, **(_WITH_INTERVALS if evaluation.record.has_intervals else {})}, rows)}


def document(evaluation: Evaluation, sections: Sequence[Section] = (), next_step: str = "") -> Document:
    """Return the document of a page: the scores, the sections of this kind of subject, what was scored and how."""
    record = evaluation.record
    scores = document_of_scores(record)
    left = record.points["dropped"]
    sides = {"true": "true clusters", "pred": "predicted clusters"}
    numbers = [KeyNumber(f"{_plural(_WORDS[record.subject])} used", evaluation.n_used)]
    numbers[0] = KeyNumber(numbers[0].name, evaluation.n_used, note=f"{left:,} left out" if left else "")
    numbers += [KeyNumber(sides[side], n) for side, n in record.clusters.items()]
    made = Section("made", "How this was made", lambda: _made(evaluation), "What was scored and under which rules.")
    return replace(
        scores,
        verdict=evaluation.verdict,
        next_step=next_step,
        key_numbers=numbers,
        sections=[*scores.sections, *sections, made],
    )


def document_of_scores(record: Record) -> Document:
    """Return the document of the scores alone, without a verdict."""
    scores = Section("scores", "Scores", lambda: _scores(record), "Every index, with its range.", "summary")
    return Document(
        title=_TITLES[record.subject],
        headline=headline(record),
        notices=[notice.text for notice in record.notices],
        sections=[scores],
        noun=_WORDS[record.subject],
    )


def _plural(noun: str) -> str:
    return "leaves" if noun == "leaf" else f"{noun}s"


def _scores(record: Record) -> list[Body]:
    heads = [
        Head("index", "name", not_in=("latex",)),
        Head("what it is", short="index", not_in=("text",)),
        Head("score", "score", fine=True),
        Head("range"),
        Head("better", level="detail"),
    ]
    rows = [
        (
            label,
            score.title + label.removeprefix(score.name),
            _cell(score),
            interval((score.low, score.high)),
            _BETTER[score.higher_is_better],
        )
        for label, score in record.scores.items()
    ]
    left = [f"left out: {', '.join(names)}: {reason}" for reason, names in group_refusals(record).items()]
    notes = [*interval_lines(record), *left]
    return [Grid(heads, rows, "Scores", "No index was scored.", whole=True), *([Notes(notes)] if notes else [])]


def _cell(score: Score) -> Cell:
    found = score.interval
    bar = score.value if score.high == 1 and isfinite(score.value) else None
    low, high = (None, None) if found is None else (found.low, found.high)
    return Cell(score.value, low, high, bar=bar)


def _made(evaluation: Evaluation) -> list[Body]:
    record = evaluation.record
    found: list[Body] = [Facts("Counts", record.points, "count")]
    return [*found, Facts("Settings", {**record.settings, "version": record.version})]
