"""An evaluation in plain text, and the words that every kind of report shares."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from clustermark.registry.facts import interval
from clustermark.results.values import quantity

if TYPE_CHECKING:
    from clustermark.evaluation.record import Record, Score
    from clustermark.uncertainty.interval import Interval


def headline(record: Record) -> str:
    """What was scored, in one line: how much was compared, and what became of the rest."""
    if record.about:
        return record.about
    points, settings = record.points, record.settings
    (true, noise_true), (pred, noise_pred) = (cluster_counts(record, side) for side in ("true", "pred"))
    between = f" true cluster{'' if true == 1 else 's'}{noise_true}, " if noise_true else " true and "
    predicted = quantity(pred, "predicted cluster")
    said = [f"{quantity(points['used'], 'point')}, {true:,}{between}{predicted}{noise_pred}"]
    said += ["weighted"] if settings["weighted"] else []
    # noise that is said beside the clusters need not be said again; a label that never occurs should not go unnoticed
    named = (settings["noise_true"] or settings["noise_pred"]) and not noise_true and not noise_pred
    said += [f"{points['noise']:,} noise"] if named else []
    said += [f"{points[fate]:,} {fate}" for fate in ("dropped", "unmatched") if points[fate]]
    return "; ".join(said)


def cluster_counts(record: Record, side: str) -> tuple[int, str]:
    """How many clusters a side has, and its noise beside them, such as " + 363 noise", or nothing."""
    noise = record.noise[side]
    return record.clusters[side] - noise["clusters"], f" + {noise['points']:,} noise" if noise["points"] else ""


class ScoreLine(NamedTuple):
    """One index as people read it."""

    label: str
    title: str
    """Followed by the options that were chosen."""
    score: str
    bounds: str
    interval: str = ""
    """Between brackets; a dash where there is none, and nothing where none was asked for."""
    better: str = ""
    """Which end of the range is better, as ", higher is better"; empty for partitions."""


def score_lines(record: Record, digits: int = 6) -> list[ScoreLine]:
    """A line for each index."""
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
    """An interval as people write it."""
    if found is None:
        return ""
    if found.low is None or found.high is None:
        return "–"
    return f"[{found.low:.{digits}f}, {found.high:.{digits}f}]"


def interval_lines(record: Record) -> list[str]:
    """How the intervals were made, and a line for each note on some of them."""
    intervals = {label: score.interval for label, score in record.scores.items() if score.interval is not None}
    by_kind: dict[str, None] = {}
    by_note: dict[str, list[str]] = {}
    for label, found in intervals.items():
        if found.low is not None:
            units = f"{found.n_units:,} {found.unit}s{found.about}"
            by_kind[f"{100 * found.level:g} % intervals by the {found.method} over {units}"] = None
        for note in (*([found.correction] if found.correction else []), *found.notes):
            by_note.setdefault(note, []).append(label)
    return [*by_kind, *(f"{_few(labels, len(intervals))}: {note}" for note, labels in by_note.items())]


def _few(labels: list[str], of: int) -> str:
    return "all" if len(labels) == of > 1 else ", ".join(labels)


def group_refusals(record: Record) -> dict[str, list[str]]:
    """The indices that were left out, by the reason."""
    by_reason: dict[str, list[str]] = {}
    for name, reason in record.refused.items():
        by_reason.setdefault(reason.removeprefix(f"{name} "), []).append(name)
    return by_reason


def refusal_lines(record: Record) -> list[str]:
    """A line for each reason to leave indices out, with the indices it concerns."""
    return [f"left out: {', '.join(names)}: {reason}" for reason, names in group_refusals(record).items()]


def notice_lines(record: Record) -> list[str]:
    """A line for each thing to know before the scores are believed."""
    return [f"note: {notice.text}" for notice in record.notices]


def plain_text(record: Record) -> str:
    """The evaluation as lines of text."""
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
