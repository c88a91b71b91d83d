"""An evaluation in plain text, and the words that every kind of report shares."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from clustermark.registry.facts import interval

if TYPE_CHECKING:
    from clustermark.evaluation import Evaluation


def counted(n: int, thing: str) -> str:
    """A number of things, "1 point" or "2 points"."""
    return f"{n:,} {thing}{'' if n == 1 else 's'}"


def headline(evaluation: Evaluation) -> str:
    """How much was compared, and what became of the rest."""
    table = evaluation.table
    clusters = counted(table.n_pred_clusters, "predicted cluster")
    said = [f"{counted(table.n_used, 'point')}, {table.n_true_clusters:,} true and {clusters}"]
    said += ["weighted"] if table.weights is not None else []
    counts = {"noise": table.n_noise, "dropped": table.n_dropped, "unmatched": table.n_unmatched}
    named = ("noise",) if table.names_noise else ()  # a noise label that never occurs should not go unnoticed
    said += [f"{count:,} {what}" for what, count in counts.items() if count or what in named]
    return "; ".join(said)


class ScoreLine(NamedTuple):
    """One index as people read it."""

    label: str
    title: str
    """Followed by the options that were chosen."""
    score: str
    bounds: str


def score_lines(evaluation: Evaluation, digits: int = 6) -> list[ScoreLine]:
    """A line for each index."""
    return [
        ScoreLine(
            index.label,
            index.facts.title + index.label.removeprefix(index.name),
            f"{evaluation[index.label]:.{digits}f}",
            interval(index.bounds_on(evaluation.table)),
        )
        for index in evaluation.indices
    ]


def left_out(evaluation: Evaluation) -> list[str]:
    """A line for each reason to leave indices out, with the indices it concerns."""
    by_reason: dict[str, list[str]] = {}
    for name, reason in evaluation.refused.items():
        by_reason.setdefault(reason.removeprefix(f"{name} "), []).append(name)
    return [f"left out: {', '.join(names)}: {reason}" for reason, names in by_reason.items()]


def text(evaluation: Evaluation) -> str:
    """The evaluation as lines of text."""
    lines = score_lines(evaluation)
    width = max((len(line.label) for line in lines), default=0)
    shown = [f"{line.label.ljust(width)}  {line.score:>10}  {line.bounds}" for line in lines]
    return "\n".join([headline(evaluation), *shown, *left_out(evaluation)])
