"""Evaluations as plain text, and the wording that all reports share."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from clustermark.registry.facts import interval
from clustermark.results.values import quantity

if TYPE_CHECKING:
    from clustermark.evaluation.record import Record, Score
    from clustermark.uncertainty.interval import Interval


def headline(record: Record) -> str:
    """Return in one line what was scored: the numbers of points and clusters, and of points left out."""
    if record.about:
        return record.about
    points, settings = record.points, record.settings
    (true, noise_true), (pred, noise_pred) = (cluster_counts(record, side) for side in ("true", "pred"))
    between = f" true cluster{'' if true == 1 else 's'}{noise_true}, " if noise_true else " true and "
    predicted = quantity(pred, "predicted cluster")
    said = [f"{quantity(points['used'], 'point')}, {true:,}{between}{predicted}{noise_pred}"]
    said += ["weighted"] if settings["weighted"] else []
    # noise given beside the clusters is not repeated; the noise of a named label that never occurs is given as 0
    named = (settings["noise_true"] or settings["noise_pred"]) and not noise_true and not noise_pred
    said += [f"{points['noise']:,} noise"] if named else []
    said += [f"{points[fate]:,} {fate}" for fate in ("dropped", "unmatched") if points[fate]]
    return "; ".join(said)


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
            units = f"{found.n_units:,} {found.unit}s{found.about}"
            by_kind[f"{100 * found.level:g} % intervals by the {found.method} over {units}"] = None
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
