"""A comparison in words: which is best and whether that is sure; the paragraph of methods for a paper."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clustermark.evaluation.ranking.components import DRAWS, SWAPPED_BELOW
from clustermark.evaluation.ranking.differences import POWER, p_text
from clustermark.evaluation.ranking.leaderboard import interval_text
from clustermark.registry.references import cite
from clustermark.report.text import quantity
from clustermark.tables.columnar import align, label_text
from clustermark.uncertainty.spread import HALF_SAMPLES

if TYPE_CHECKING:
    from clustermark.evaluation.ranking.comparison import Comparison
    from clustermark.evaluation.ranking.differences import Difference
    from clustermark.registry import Index


def headline(comparison: Comparison) -> str:
    """How much was compared, and what became of the rest."""
    entrants = comparison.entrants
    said = [f"{quantity(len(comparison.methods), 'method')}, {quantity(comparison.n_used, 'point')}"]
    if entrants.several_runs:
        said.append(f"{len(comparison.runs)} runs")
    if entrants.weights is not None:
        said.append("weighted")
    if entrants.n_used < entrants.n_given:
        lacks = ", ".join(f"{label_text(name)} lacks {n:,}" for name, n in entrants.lacking.items())
        said.append(f"compared on the {entrants.n_used:,} of {entrants.n_given:,} that all have ({lacks})")
    return "; ".join(said)


def verdict(comparison: Comparison, index: Index[...]) -> str:
    """Which method is best by an index, and whether that is sure, in a sentence or two."""
    board = comparison.leaderboard(index)
    top = board[0]
    label, name = index.label, label_text(top.method)
    if len(board) == 1:
        return f"{name} is the only method: its {label} is {_score(top.score)}{_sure(top.low, top.high)}."
    rows = comparison.differences(index)
    row, tests = rows[top.method, board[1].method], sum(one.p_value is not None for one in rows)
    runner = label_text(row.second)
    scores = f"{_score(top.score)} against {_score(board[1].score)} of {runner}"
    if row.p_value is None and row.difference == 0:
        same = f"{name} and {runner} have the same {label}, {_score(top.score)}"
        return f"{same}: {_list(board.best)} are tied for first."
    if row.p_value is None:
        why = f": {row.notes[0]}" if row.notes else ""
        return f"{name} leads by {label}, {scores}; whether that is more than chance cannot be said{why}."
    if len(board.best) == 1:
        return f"{name} is best by {label}: {scores}, {_difference(row)} that holds up ({_p(row.p_holm, tests)})."
    if row.difference == 0:
        lead = f"{name} and {runner} have the same {label}, {_score(top.score)}"
    else:
        lead = f"{name} leads by {label}, {scores}, but {_difference(row)} may be chance ({_p(row.p_holm, tests)})"
    tied = f"{_list(board.best)} are tied for first" if len(board.best) > 2 else "the two are tied for first"
    if board[1].method not in board.best:
        tied = f"{_list(board.best)} are tied for first"
    return f"{lead}: {tied}.{_could(row)}"


def _could(row: Difference) -> str:
    """What these data could show."""
    if row.detectable:
        return f" Data like these show a difference of {_score(row.detectable)}."
    return " Data like these can show no difference, however large." if row.low is not None else ""


def _difference(row: Difference) -> str:
    return f"a difference of {_score(row.difference)}{_sure(row.low, row.high)}"


def _sure(low: float | None, high: float | None) -> str:
    return "" if low is None or high is None else f" [{_score(low)}, {_score(high)}]"


def _score(x: float | None) -> str:
    return "–" if x is None else f"{x:.4g}"


def _p(p: float | None, tests: int) -> str:
    """A p-value; the interval beside it is of one pair alone, so it says for how many it was adjusted."""
    text = p_text(p)
    said = f"p {text[0]} {text[1:]}" if text.startswith("<") else f"p = {text}"
    return f"{said} by Holm for {tests} pairs" if tests > 1 else said


def _list(names: list[str]) -> str:
    said = [label_text(name) for name in names]
    return f"{', '.join(said[:-1])} and {said[-1]}" if len(said) > 1 else said[0]


def plain_text(comparison: Comparison) -> str:
    """The comparison as lines of text: how much, which is best, the leaderboard."""
    first, *others = comparison.indices
    board = comparison.leaderboard(first)
    head = ["rank", "method", first.label, f"{100 * comparison.level:g} % interval", "ranks"]
    several = comparison.entrants.several_runs
    lines = [["method", "rank", *head[2:], *(["runs", "sd"] if several else []), *(index.label for index in others)]]
    for row in board:
        line = [label_text(row.method), str(row.rank), f"{row.score:.4f}", interval_text(row), row.ranks]
        line += [str(row.runs), "–" if row.sd is None else f"{row.sd:.4f}"] if several else []
        lines.append([*line, *(f"{comparison.score(row.method, index):.4f}" for index in others)])
    return "\n".join([headline(comparison), verdict(comparison, first), align(lines), *note_lines(comparison)])


def note_lines(comparison: Comparison) -> list[str]:
    """A line for each note on intervals, with the methods that it is about; and for each index that is left out."""
    board = comparison.leaderboard()
    by_note: dict[str, list[str]] = {}
    for row in board:
        for note in row.notes:
            by_note.setdefault(note, []).append(row.method)
    said = [f"{'all' if len(names) == len(board) else _list(names)}: {note}" for note, names in by_note.items()]
    return said + [f"left out: {reason}" for reason in comparison.refused.values()]


def describe(comparison: Comparison) -> str:
    """The paragraph of methods for a paper, with what it cites."""
    titles = _list([index.facts.title for index in comparison.indices])
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
    said.append(f"Computed by clustermark {_version()}.")
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
        said.append(f"For the {_list(halved)} and its differences {HALF_SAMPLES} random halves were scored instead.")
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
    return [*said, verdict(comparison, first)]


def _version() -> str:
    from clustermark import __version__

    return __version__
