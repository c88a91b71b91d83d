"""A comparison in words: which is best and whether that is sure; the paragraph of methods for a paper."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clustermark.evaluation.ranking.components import DRAWS, SWAPPED_BELOW
from clustermark.evaluation.ranking.differences import POWER
from clustermark.registry.references import cite
from clustermark.results.document import Count, Name, Value
from clustermark.results.json import current_version
from clustermark.results.text import Writer
from clustermark.results.values import value_text
from clustermark.uncertainty.spread import HALF_SAMPLES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clustermark.evaluation.ranking.comparison import Comparison
    from clustermark.evaluation.ranking.differences import Difference
    from clustermark.evaluation.ranking.leaderboard import Leaderboard, Standing
    from clustermark.registry import Index
    from clustermark.results.document import Part, Prose


def headline(comparison: Comparison) -> Prose:
    """How much was compared, and what became of the rest."""
    entrants = comparison.entrants
    parts: list[Part] = [Count(len(comparison.methods), "method"), ", ", Count(comparison.n_used)]
    if entrants.several_runs:
        parts += ["; ", Count(len(comparison.runs), "run")]
    if entrants.weights is not None:
        parts.append("; weighted")
    if entrants.n_used < entrants.n_given:
        parts.append(f"; compared on the {entrants.n_used:,} of {entrants.n_given:,} that all have (")
        lacks = [part for name, n in entrants.lacking.items() for part in (", ", Name(name), f" lacks {n:,}")]
        parts += [*lacks[1:], ")"]
    return parts


def verdict(comparison: Comparison, index: Index[...]) -> list[Part]:
    """Which method is best by an index, and whether that is sure, in a sentence or two."""
    board = comparison.leaderboard(index)
    top, label = board[0], index.label
    name = Name(top.method)
    if len(board) == 1:
        return [name, f" is the only method: its {label} is ", Value(top.score, "score", top.low, top.high), "."]
    rows, tied = comparison.differences(index), board.best
    second = next(row for row in board[1:] if row.best or len(tied) == 1)  # a tie is with one that is tied
    row, tests = rows[top.method, second.method], sum(one.p_value is not None for one in rows)
    runner = Name(row.second)
    same: list[Part] = [name, " and ", runner, f" have the same {label}, ", _score(top.score)]
    scores: list[Part] = [_score(top.score), " against ", _score(second.score), " of ", runner]
    if row.p_value is None and row.difference == 0:
        return [*same, ": ", *_list(tied), " are tied for first."]
    if row.p_value is None:
        why = f": {row.notes[0]}" if row.notes else ""
        return [name, f" leads by {label}, ", *scores, f"; whether that is more than chance cannot be said{why}."]
    difference: list[Part] = ["a difference of ", Value(row.difference, "error", row.low, row.high, fine=True)]
    p = _p(row.p_holm, tests)
    if len(tied) == 1:
        return [name, f" is best by {label}: ", *scores, ", ", *difference, f" that holds up ({p})."]
    alone = "; the interval is not adjusted" if tests > 1 and row.low and row.high and row.low * row.high > 0 else ""
    chance: list[Part] = [name, f" leads by {label}, ", *scores, ", but ", *difference, f" may be chance ({p}{alone})"]
    whose: list[Part] = ["the two"] if len(tied) == 2 else _list(tied)
    said: list[Part] = [*(same if row.difference == 0 else chance), ": ", *whose, " are tied for first."]
    return [*said, *_worse(top, second, board), *_could(row)]


def _worse(top: Standing, tied: Standing, board: Leaderboard) -> list[Part]:
    """The methods that score better than one that is tied for first, and that are shown to be worse than the top."""
    between = [row.method for row in board[1 : list(board).index(tied)]]
    if not between:
        return []
    verb = "is" if len(between) == 1 else "are"
    return [" ", *_list(between), f", in between, {verb} shown to be worse than ", Name(top.method), "."]


def _could(row: Difference) -> list[Part]:
    """The smallest difference that such data show."""
    if row.detectable:
        return [" Data like these show a difference of ", Value(row.detectable, "error", fine=True), "."]
    return [" Data like these can show no difference, however large."] if row.low is not None else []


def _score(score: float) -> Value:
    return Value(score, fine=True)


def _p(p: float | None, tests: int) -> str:
    """A p-value; the interval beside it is of one pair alone, so the number of tests is given with it."""
    text = value_text(p, "p")
    said = f"p {text[0]} {text[1:]}" if text.startswith("<") else f"p = {text}"
    return f"{said} by Holm for {tests} pairs" if tests > 1 else said


def _list(names: Sequence[str]) -> list[Part]:
    """Names as a list in a sentence."""
    if len(names) == 1:
        return [Name(names[0])]
    first = [part for name in names[:-1] for part in (", ", Name(name))][1:]
    return [*first, " and ", Name(names[-1])]


def note_lines(comparison: Comparison) -> list[Prose]:
    """Remarks: the intervals, the other indices, notes with the methods that they concern, and what was left out."""
    board = comparison.leaderboard()
    level = f"{100 * comparison.level:g} % intervals over {comparison.unit}s"
    lines: list[Prose] = [level] if any(row.low is not None for row in board) else []
    lines += [verdict(comparison, index) for index in comparison.indices[1:]]
    by_note: dict[str, list[str]] = {}
    for row in board:
        for note in row.notes:
            by_note.setdefault(note, []).append(row.method)
    lines += [
        [*(["all"] if len(names) == len(board) else _list(names)), f": {note}"] for note, names in by_note.items()
    ]
    return [*lines, *(f"left out: {reason}" for reason in comparison.refused.values())]


def methods_text(comparison: Comparison) -> str:
    """The paragraph of methods for a paper, with what it cites."""
    titles = _text([index.facts.title for index in comparison.indices])
    level = f"{100 * comparison.level:g} %"
    methods, n = len(comparison.methods), comparison.n_used
    used = f" of {comparison.n_given:,}, those that all have," if n < comparison.n_given else ""
    said = [
        f"{methods} clusterings of {n:,} points{used} were compared with the true classes by the {titles}.",
    ]
    if comparison.entrants.weights is not None and comparison.unit == "point":
        said.append("The points are weighted, so no intervals are given.")
    else:
        said += _on_intervals(comparison, level)
    cited = [index.citation for index in comparison.indices if index.facts.reference]
    cited += [cite("severiano2011jackknife")]
    cited += [cite("holm1979")] if methods > 1 else []
    said.append(f"Computed by clustermark {current_version()}.")
    return " ".join(said) + "\n\n" + "\n".join(dict.fromkeys(str(reference) for reference in cited))


_LEFT_OUT = {
    "point": "one point",
    "component": "one connected component of truth and predictions",
    "group": "one group of points",
}


def _on_intervals(comparison: Comparison, level: str) -> list[str]:
    unit = comparison.unit
    left_out = _LEFT_OUT[unit]
    said = [f"Intervals ({level}) are by the jackknife, leaving out {left_out} at a time, on a transformed scale."]
    halved = [
        index.facts.title
        for index in comparison.indices
        if any(run.intervals[index.label].method == "half-sampling" for run in comparison.runs)
    ]
    if halved:
        said.append(f"For the {_text(halved)} and its differences {HALF_SAMPLES} random halves were scored instead.")
    if comparison.entrants.several_runs:
        said.append(
            "For a method that was run several times the mean is given; the interval joins the variance over "
            f"{unit}s with that over seeds, s² = V + sd²/R, by Student's t with (R-1)s⁴/(sd²/R)² degrees of freedom."
        )
    if len(comparison.methods) == 1:
        return said
    said.append(
        f"Differences of two methods were tested on the same {unit}s, by the jackknife of the difference"
        + (
            f" with Student's t or, below {SWAPPED_BELOW} {unit}s of whole clusters, by swapping whole {unit}s "
            f"between the two predictions (all ways, or {DRAWS:,} random ones); "
            if unit != "point"
            else "; "
        )
        + "p-values are two-sided and adjusted by Holm's procedure for all pairs."
    )
    first = comparison.indices[0]
    detectable = [row.detectable for row in comparison.differences(first) if row.detectable is not None]
    if detectable:
        least, most = (f"{choose(detectable):.2g}" for choose in (min, max))
        sizes = least if least == most else f"{least} to {most}, depending on the pair"
        said.append(
            f"With {100 * POWER:g} % power, so adjusted, these data show differences in the {first.facts.title} "
            f"of {sizes}."
        )
    return [*said, comparison.verdict_by(first)]


def _text(names: Sequence[str]) -> str:
    return Writer().prose(_list(names))
