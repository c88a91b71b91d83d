"""The data of an evaluation, its document and its plain text, and the wording that all reports share."""

from __future__ import annotations

from dataclasses import replace
from math import isfinite
from typing import TYPE_CHECKING, Any, NamedTuple

from clustermark.registry.facts import interval
from clustermark.results.data import NOTICES, POINTS, SETTINGS, VERDICT, Column, Table
from clustermark.results.document import Cell, Document, Facts, Grid, Head, KeyNumber, Notes, Section
from clustermark.results.values import quantity

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from clustermark.evaluation.evaluation import Evaluation
    from clustermark.evaluation.record import Record, Score
    from clustermark.results.data import Columns
    from clustermark.results.document import Body
    from clustermark.uncertainty.interval import Interval


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
    "next_step": Column("text", sometimes=True, doc="what to do, in one sentence"),
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
        **({"next_step": evaluation.advice} if evaluation.advice else {}),
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
    sampled = record.facts.get("sampled", {})
    rows = [
        (
            label,
            score.title + label.removeprefix(score.name),
            _cell(score, sampled.get(label)),
            interval((score.low, score.high)),
            _BETTER[score.higher_is_better],
        )
        for label, score in record.scores.items()
    ]
    left = [f"left out: {', '.join(names)}: {reason}" for reason, names in group_refusals(record).items()]
    notes = [*interval_lines(record), *left]
    return [Grid(heads, rows, "Scores", "No index was scored.", whole=True), *([Notes(notes)] if notes else [])]


def _cell(score: Score, sample: Mapping[str, Any] | None) -> Cell:
    """Return a score with its limits: of its interval, or of its estimate from a sample of the points."""
    bar = score.value if score.high == 1 and isfinite(score.value) else None
    if score.interval is not None:
        return Cell(score.value, score.interval.low, score.interval.high, bar=bar)
    low, high = (None, None) if sample is None else (sample["low"], sample["high"])
    return Cell(score.value, low, high, bar=bar)


def _made(evaluation: Evaluation) -> list[Body]:
    record = evaluation.record
    found: list[Body] = [Facts("Counts", record.points, "count")]
    return [*found, Facts("Settings", {**record.settings, "version": record.version})]


def headline(record: Record) -> str:
    """Return in one line what was scored: the numbers of points and clusters, and of points left out."""
    if record.about:
        return record.about
    points, settings = record.points, record.settings
    (true, noise_true), (pred, noise_pred) = (cluster_counts(record, side) for side in ("true", "pred"))
    between = f" true cluster{'' if true == 1 else 's'}{noise_true}, " if noise_true else " true and "
    predicted = quantity(pred, "predicted cluster")
    parts = [f"{quantity(points['used'], 'point')}, {true:,}{between}{predicted}{noise_pred}"]
    parts += ["weighted"] if settings["weighted"] else []
    # noise given beside the clusters is not repeated; the noise of a named label that never occurs is given as 0
    named = (settings["noise_true"] or settings["noise_pred"]) and not noise_true and not noise_pred
    parts += [f"{points['noise']:,} noise"] if named else []
    parts += [f"{points[fate]:,} {fate}" for fate in ("dropped", "unmatched") if points[fate]]
    return "; ".join(parts)


def cluster_counts(record: Record, side: str) -> tuple[int, str]:
    """Return the number of clusters of a side, and its noise as text, such as " + 363 noise", or an empty text."""
    noise = record.noise[side]
    return record.clusters[side] - noise["clusters"], f" + {noise['points']:,} noise" if noise["points"] else ""


class ScoreLine(NamedTuple):
    """The texts on one index."""

    label: str
    title: str
    """Title of the index, followed by the chosen options."""
    score: str
    bounds: str
    interval: str = ""
    """Interval in brackets; a dash if there is none, and empty if none was requested."""
    better: str = ""
    """Better end of the range, such as ", higher is better"; empty for partitions."""


def score_lines(record: Record, digits: int = 6) -> list[ScoreLine]:
    """Return a line for each index."""
    return [
        ScoreLine(
            label,
            score.title + label.removeprefix(score.name),
            f"{score.value:.{digits}f}" if abs(score.value) < 1e6 else f"{score.value:.{digits}g}",
            interval((score.low, score.high)),
            interval_text(score.interval, digits),
            _better(score) if record.subject != "partitions" else "",
        )
        for label, score in record.scores.items()
    ]


def _better(score: Score) -> str:
    if score.higher_is_better is None:
        return ""
    return ", higher is better" if score.higher_is_better else ", lower is better"


def interval_text(found: Interval | None, digits: int) -> str:
    """Return an interval as text."""
    if found is None:
        return ""
    if found.low is None or found.high is None:
        return "–"
    return f"[{found.low:.{digits}f}, {found.high:.{digits}f}]"


def interval_lines(record: Record) -> list[str]:
    """Return lines on how the intervals were made, and a line for each note on some of them."""
    intervals = {label: score.interval for label, score in record.scores.items() if score.interval is not None}
    by_kind: dict[str, None] = {}
    by_note: dict[str, list[str]] = {}
    for label, found in intervals.items():
        if found.low is not None:
            how = f"{100 * found.level:g} % intervals by the {found.method} over {found.units}{found.together}"
            by_kind[how] = None
        for note in (*([found.correction] if found.correction else []), *found.notes):
            by_note.setdefault(note, []).append(label)
    return [*by_kind, *(f"{_few(labels, len(intervals))}: {note}" for note, labels in by_note.items())]


def _few(labels: list[str], of: int) -> str:
    return "all" if len(labels) == of > 1 else ", ".join(labels)


def group_refusals(record: Record) -> dict[str, list[str]]:
    """Return the indices that were left out, by the reason."""
    by_reason: dict[str, list[str]] = {}
    for name, reason in record.refused.items():
        by_reason.setdefault(reason.removeprefix(f"{name} "), []).append(name)
    return by_reason


def refusal_lines(record: Record) -> list[str]:
    """Return a line for each reason to leave indices out, with the indices that it concerns."""
    return [f"left out: {', '.join(names)}: {reason}" for reason, names in group_refusals(record).items()]


def notice_lines(record: Record) -> list[str]:
    """Return a line for each notice."""
    return [f"note: {notice.text}" for notice in record.notices]


def plain_text(record: Record) -> str:
    """Return the evaluation as plain text."""
    partitions = record.subject == "partitions"
    lines = [] if partitions else [ScoreLine("index", "", "score", "range")]
    lines += score_lines(record)
    names, scores_, intervals = ([getattr(line, part) for line in lines] for part in ("label", "score", "interval"))
    width, wide = (max(map(len, texts), default=0) for texts in (names, intervals))
    right = 10 if partitions else max(map(len, scores_))
    scores = [
        f"{line.label.ljust(width)}  {line.score.rjust(right)}  "
        f"{f'{line.interval.ljust(wide)}  ' if wide else ''}{line.bounds}{line.better}".rstrip()
        for line in lines
    ]
    return "\n".join(
        [headline(record), *notice_lines(record), *scores, *interval_lines(record), *refusal_lines(record)]
    )
