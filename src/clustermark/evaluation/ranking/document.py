"""The document of a comparison of predictions, and the columns of its data."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clustermark.evaluation.ranking import words
from clustermark.evaluation.ranking.differences import DIFFERENCE
from clustermark.evaluation.ranking.drawings import draw_differences, draw_leaderboard
from clustermark.evaluation.ranking.leaderboard import STANDING
from clustermark.results.data import NOTICES, POINTS, SETTINGS, VERDICT, Column
from clustermark.results.document import (
    Cell,
    Chart,
    Document,
    Facts,
    Grid,
    Head,
    Heading,
    KeyNumber,
    Name,
    Notes,
    Section,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clustermark.evaluation.ranking.comparison import Comparison
    from clustermark.registry import Index
    from clustermark.results.data import Columns
    from clustermark.results.document import Body

_CLUSTERS = 30
_MOST_PAIRS = 5_000_000
"""True pairs found are counted only if the points times the sets of methods are at most this many."""

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
    """What readers see of a comparison."""
    board = comparison.leaderboard()
    first: list[str | Name] = [part for name in board.best[:3] for part in (", ", Name(name))][1:]
    used = "" if comparison.n_used == comparison.n_given else "that all have"
    return Document(
        title=str(comparison.entrants.settings.get("source", "Predictions compared with the truth")),
        headline=words.headline(comparison),
        verdict=words.verdict(comparison, comparison.indices[0]),
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
        notices=comparison.tell_noise(),
        sections=[
            Section(
                "scores",
                "Leaderboard",
                lambda: list(_leaderboard(comparison)),
                "Scores with intervals. A method is bold where no other is shown to be better than it; possible ranks "
                "are those that the data leave open.",
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
    several = comparison.entrants.several_runs
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
    yield Notes(words.note_lines(comparison))
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
    ]
    rows = [
        [
            [Name(row.first), " less ", Name(row.second)],
            Cell(row.difference, row.low, row.high),
            row.p_holm,
            row.detectable,
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
    if comparison.entrants.weights is not None:
        return
    if len(comparison.entrants.truth) << len(comparison.methods) > _MOST_PAIRS:
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
    entrants = comparison.entrants
    paragraph, _, references = comparison.methods_text().partition("\n\n")
    settings = entrants.settings | entrants.policies._asdict() | {"unit": comparison.unit, "level": comparison.level}
    return [
        paragraph,
        Notes(references.splitlines()),
        Facts("Counts", entrants.points, "count"),
        Facts("Settings", settings),
    ]
