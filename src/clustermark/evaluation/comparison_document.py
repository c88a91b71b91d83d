"""The document of a comparison: verdict, leaderboard, differences, clusters, and the methods paragraph for a paper."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clustermark.evaluation.differences import DIFFERENCE, POWER
from clustermark.evaluation.leaderboard import STANDING, draw_differences, draw_leaderboard
from clustermark.evaluation.notices import tell_left_out
from clustermark.evaluation.paired_groups import DRAWS, SWAPPED_BELOW
from clustermark.registry.references import cite
from clustermark.results.data import NOTICES, POINTS, SETTINGS, VERDICT, Column
from clustermark.results.document import (
    Cell,
    Chart,
    Count,
    Document,
    Facts,
    Grid,
    Head,
    Heading,
    KeyNumber,
    Name,
    Notes,
    Section,
    Value,
)
from clustermark.results.json import current_version
from clustermark.results.text import Writer
from clustermark.results.values import value_text
from clustermark.uncertainty.spread import HALF_SAMPLES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from clustermark.evaluation.comparison import Comparison
    from clustermark.evaluation.differences import Difference
    from clustermark.evaluation.leaderboard import Leaderboard, Standing
    from clustermark.registry import Index
    from clustermark.results.data import Columns
    from clustermark.results.document import Body, Part, Prose


_CLUSTERS = 30
_MOST_PAIRS = 5_000_000
"""Limit on points times sets of methods, above which the true pairs found are not counted."""

_RANKING: Columns = {
    "title": Column("text"),
    "higher_is_better": Column("flag"),
    "verdict": VERDICT,
    "best": Column("name", within=("list",), doc="the methods tied for first"),
    "leaderboard": Column("rows", rows=STANDING),
    "differences": Column("rows", rows=DIFFERENCE),
}
FACTS: Columns = {
    "points": POINTS,
    "settings": SETTINGS,
    "notices": NOTICES,
    "verdict": VERDICT,
    "level": Column("share", doc="the level of the intervals"),
    "unit": Column("text", choices=("point", "component", "group"), doc="what was sampled"),
    "lacking": Column("count", within=("map",), doc="the number of points that each labeling lacks"),
    "methods": Column("count", within=("map", "list"), doc="the number of clusters of each run of each method"),
    "indices": Column("record", within=("map",), rows=_RANKING, doc="the first decides on the order of methods"),
    "refused": Column("text", within=("map",), doc="indices of the default that have no meaning here, with the reason"),
}


def document(comparison: Comparison) -> Document:
    """Return the document of a comparison."""
    board = comparison.leaderboard()
    first: list[str | Name] = [part for name in board.best[:3] for part in (", ", Name(name))][1:]
    used = "" if comparison.n_used == comparison.n_given else "that all have"
    return Document(
        title=str(comparison.predictions.settings.get("source", "Predictions compared with the truth")),
        headline=headline(comparison),
        verdict=verdict(comparison, comparison.indices[0]),
        key_numbers=[
            KeyNumber("points", comparison.n_used, note=used),
            KeyNumber("methods", len(comparison.methods)),
            KeyNumber(
                "best" if len(board.best) == 1 else "tied for first",
                [*first, " …"] if len(board.best) > 3 else first,
                "text",
                f"by {board.by.label}",
            ),
        ],
        notices=[*comparison.tell_noise(), *tell_left_out(comparison.left_out)],
        sections=[
            Section(
                "scores",
                "Leaderboard",
                lambda: list(_leaderboard(comparison)),
                "Scores with intervals. A method is bold where no other is shown to be better than it; possible ranks "
                "are those that the data do not rule out.",
                "summary",
            ),
            Section(
                "differences",
                "Differences",
                lambda: [body for index in comparison.indices for body in _differences(comparison, index)],
                "Two methods at a time on the same points; p-values are adjusted for all pairs (Holm).",
            ),
            Section(
                "clusters",
                "True clusters",
                lambda: [*_clusters(comparison), *_pairs(comparison)],
                "How well each method finds each true cluster: the Jaccard index with its best match.",
            ),
            Section(
                "made",
                "How this was made",
                lambda: _made(comparison),
                "A paragraph for a paper, and the settings of the comparison.",
            ),
        ],
    )


def _leaderboard(comparison: Comparison) -> Iterator[Body]:
    boards = [comparison.leaderboard(index) for index in comparison.indices]
    several = comparison.predictions.several_runs
    heads = [Head("method", "name"), Head("rank", "count", level="detail")]
    heads += [_head_of(index) for index in comparison.indices]
    heads += [Head("runs", "count", level="detail"), Head("sd", "error", level="detail")] if several else []
    rows = [
        [
            row.method,
            row.rank,
            *(Cell(one.score, one.low, one.high, one.best) for one in (board[row.method] for board in boards)),
            *([row.runs, row.sd] if several else []),
            row.ranks,
        ]
        for row in boards[0]
    ]
    yield Grid([*heads, Head("possible ranks", level="detail")], rows, "Leaderboard")
    yield Notes(note_lines(comparison))
    size = (6.4, 1.4 + 0.4 * len(boards[0]))
    yield Chart("leaderboard", size, lambda ax: draw_leaderboard(ax, boards[0]))


def _head_of(index: Index[...]) -> Head:
    facts = index.facts
    return Head(index.label, "score", facts.abbreviation or facts.title, facts.title)


def _differences(comparison: Comparison, index: Index[...]) -> Iterator[Body]:
    found = comparison.differences(index)
    yield Heading(index.facts.title)
    heads = [
        Head("methods"),
        Head("difference", "error", long=f"difference, {100 * found.level:g} % interval"),
        Head("p (Holm)", "p"),
        Head("could be shown", "error"),
        Head("P(better)", "share", long="probability that the first is better"),
    ]
    rows = [
        [
            [Name(row.first), " less ", Name(row.second)],
            Cell(row.difference, row.low, row.high),
            row.p_holm,
            row.detectable,
            row.p_better,
        ]
        for row in found
    ]
    yield Grid(heads, rows, f"Differences in {index.label}", empty="There is one method only.")
    if rows:
        size = (6.4, 1.4 + 0.4 * len(rows))
        name = f"differences-{comparison.indices.index(index)}"
        yield Chart(name, size, lambda ax: draw_differences(ax, found))


def _clusters(comparison: Comparison) -> Iterator[Body]:
    table = comparison.by_cluster()
    winners = table.winners
    wins = [part for name in table.scores for part in (Name(name), f" does best on {winners.count(name):,}; ")]
    yield [f"Of {len(table):,} true clusters, ", *wins, f"{winners.count(None):,} are tied. The largest:"]
    heads = [Head("true cluster", "label"), Head("points", "count")]
    heads += [*(Head(name, "score") for name in table.scores), Head("best", "name")]
    rows = [
        [table.clusters[place], table.sizes[place], *(own[place] for own in table.scores.values()), winners[place]]
        for place in range(min(len(table), _CLUSTERS))
    ]
    yield Grid(heads, rows, "True clusters", total=len(table))


def _pairs(comparison: Comparison) -> Iterator[Body]:
    if comparison.predictions.weights is not None:
        return
    if len(comparison.predictions.truth) << len(comparison.methods) > _MOST_PAIRS:
        return
    found = comparison.found_pairs()
    yield Heading("Pairs")
    yield (
        f"Of {found.total:,} pairs that belong together, all methods find {found.by_all:,} and none finds "
        f"{found.by_none:,}."
    )
    heads = [Head("method", "name"), Head("pairs found", "count"), Head("found by it alone", "count")]
    yield Grid(heads, [[row.method, row.found, row.alone] for row in found], "Pairs found")


def _made(comparison: Comparison) -> list[Body]:
    predictions = comparison.predictions
    paragraph, _, references = comparison.methods_text().partition("\n\n")
    settings = (
        predictions.settings | predictions.policies._asdict() | {"unit": comparison.unit, "level": comparison.level}
    )
    return [
        paragraph,
        Notes(references.splitlines()),
        Facts("Counts", predictions.points, "count"),
        Facts("Settings", settings),
    ]


def headline(comparison: Comparison) -> Prose:
    """Return the numbers of methods, points and runs compared, and the points left out."""
    predictions = comparison.predictions
    parts: list[Part] = [Count(len(comparison.methods), "method"), ", ", Count(comparison.n_used)]
    if predictions.several_runs:
        parts += ["; ", Count(len(comparison.runs), "run")]
    if predictions.weights is not None:
        parts.append("; weighted")
    if predictions.n_used < predictions.n_given:
        parts.append(f"; compared on the {predictions.n_used:,} of {predictions.n_given:,} that all have (")
        lacks = [part for name, n in predictions.lacking.items() for part in (", ", Name(name), f" lacks {n:,}")]
        parts += [*lacks[1:], ")"]
    return parts


def verdict(comparison: Comparison, index: Index[...]) -> list[Part]:
    """Say in one or two sentences which method is best by an index, and whether the difference is significant."""
    board = comparison.leaderboard(index)
    top, label = board[0], index.label
    name = Name(top.method)
    if len(board) == 1:
        return [name, f" is the only method: its {label} is ", Value(top.score, "score", top.low, top.high), "."]
    rows, tied = comparison.differences(index), board.best
    second = next(row for row in board[1:] if row.best or len(tied) == 1)  # a tie is reported against a tied method
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
    parts: list[Part] = [*(same if row.difference == 0 else chance), ": ", *whose, " are tied for first."]
    return [*parts, *_worse(top, second, board), *_probably(row), *_could(row)]


def _probably(row: Difference) -> list[Part]:
    """State how probable it is that the method with the better score is better."""
    if row.p_better is None or row.difference == 0:
        return []
    return [" Probably better: ", Name(row.first), ", ", Value(row.p_better, "share"), "."]


def _worse(top: Standing, tied: Standing, board: Leaderboard) -> list[Part]:
    """Name the methods that score better than a tied one although they are shown to be worse than the top."""
    between = [row.method for row in board[1 : list(board).index(tied)]]
    if not between:
        return []
    verb = "is" if len(between) == 1 else "are"
    return [" ", *_list(between), f", in between, {verb} shown to be worse than ", Name(top.method), "."]


def _could(row: Difference) -> list[Part]:
    """State the smallest difference that such data can show."""
    if row.detectable:
        return [" Data like these can show differences from ", Value(row.detectable, "error", fine=True), " on."]
    return [" Data like these can show no difference, however large."] if row.low is not None else []


def _score(score: float) -> Value:
    return Value(score, fine=True)


def _p(p: float | None, tests: int) -> str:
    """Return a p-value with the number of tests, because the interval beside it is not adjusted for them."""
    text = value_text(p, "p")
    sentence = f"p {text[0]} {text[1:]}" if text.startswith("<") else f"p = {text}"
    return f"{sentence} by Holm for {tests} pairs" if tests > 1 else sentence


def _list(names: Sequence[str]) -> list[Part]:
    """Return names as a list in a sentence."""
    if len(names) == 1:
        return [Name(names[0])]
    first = [part for name in names[:-1] for part in (", ", Name(name))][1:]
    return [*first, " and ", Name(names[-1])]


def note_lines(comparison: Comparison) -> list[Prose]:
    """Return remarks on intervals, other indices, notes with the methods that they concern, and indices left out."""
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
    effects = {
        index.label: max((row.design_effect or 0.0 for row in comparison.differences(index)), default=0.0)
        for index in comparison.indices
    }
    lines += comparison.tell_unit(effects)
    return [*lines, *(f"left out: {reason}" for reason in comparison.refused.values())]


def methods_text(comparison: Comparison) -> str:
    """Return the methods paragraph for a paper, with its references."""
    titles = _text([index.facts.title for index in comparison.indices])
    level = f"{100 * comparison.level:g} %"
    methods, n = len(comparison.methods), comparison.n_used
    used = f" of {comparison.n_given:,}, those that all have," if n < comparison.n_given else ""
    parts = [
        f"{methods} clusterings of {n:,} points{used} were compared with the true classes by the {titles}.",
    ]
    if comparison.predictions.weights is not None and comparison.unit == "point":
        parts.append("The points are weighted, so no intervals are given.")
    else:
        parts += _on_intervals(comparison, level)
    cited = [index.citation for index in comparison.indices if index.facts.reference]
    cited += [cite("severiano2011jackknife")]
    cited += [cite("holm1979")] if methods > 1 else []
    parts.append(f"Computed by clustermark {current_version()}.")
    return " ".join(parts) + "\n\n" + "\n".join(dict.fromkeys(str(reference) for reference in cited))


_LEFT_OUT = {
    "point": "one point",
    "component": "one connected component of truth and predictions",
    "group": "one group of points",
}


def _on_intervals(comparison: Comparison, level: str) -> list[str]:
    unit = comparison.unit
    left_out = _LEFT_OUT[unit]
    parts = [f"Intervals ({level}) are by the jackknife, leaving out {left_out} at a time, on a transformed scale."]
    halved = [
        index.facts.title
        for index in comparison.indices
        if any(run.intervals[index.label].method == "half-sampling" for run in comparison.runs)
    ]
    if halved:
        parts.append(f"For the {_text(halved)} and its differences {HALF_SAMPLES} random halves were scored instead.")
    if comparison.predictions.several_runs:
        parts.append(
            "For a method that was run several times the mean is given; the interval joins the variance over "
            f"{unit}s with that over seeds, s² = V + sd²/R, by Student's t with (R-1)s⁴/(sd²/R)² degrees of freedom."
        )
    if len(comparison.methods) == 1:
        return parts
    parts.append(
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
        parts.append(
            f"With {100 * POWER:g} % power, so adjusted, these data show differences in the {first.facts.title} "
            f"of {sizes}."
        )
    return [*parts, comparison.verdict_by(first)]


def _text(names: Sequence[str]) -> str:
    return Writer().prose(_list(names))
