"""The page of a comparison: which prediction is best, whether that is sure, and where each does well."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clustermark.report.captions import score_text, settings_text
from clustermark.report.charts.rankings import draw_differences, draw_leaderboard
from clustermark.report.page.elements import figure, label_html, list_facts, plain_html, rows_html
from clustermark.report.page.render import fill_page
from clustermark.report.rankings import comparison_document
from clustermark.report.record import current_version

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clustermark.evaluation.ranking.comparison import Comparison
    from clustermark.registry import Index

_CLUSTERS = 30
_MOST_PAIRS = 5_000_000
"""True pairs found are counted for so many points, at most, times the sets of methods."""


def html(comparison: Comparison, title: str | None, notes: Sequence[str]) -> str:
    """The page of a comparison; the same comparison always gives the same text."""
    sections = [
        (
            "scores",
            "Leaderboard",
            "Scores with intervals. A method is bold where no other is shown to be better than it; possible ranks are "
            "those that the data leave open.",
            _leaderboard(comparison, notes),
        ),
        (
            "differences",
            "Differences",
            "Two methods at a time on the same points; p-values are adjusted for all pairs (Holm).",
            "".join(_differences(comparison, index) for index in comparison.indices),
        ),
        (
            "clusters",
            "True clusters",
            "How well each method finds each true cluster: the Jaccard index with its best match.",
            _clusters(comparison),
        ),
        (
            "made",
            "How this was made",
            "A paragraph for a paper, and under which rules it was compared.",
            _made(comparison),
        ),
    ]
    return fill_page(
        title or str(comparison.entrants.settings.get("source", "Predictions compared with the truth")),
        current_version(),
        comparison.verdict(),
        _key_numbers(comparison),
        sections,
        comparison_document(comparison),
    )


def _key_numbers(comparison: Comparison) -> list[tuple[str, str, str]]:
    board = comparison.leaderboard()
    best = ", ".join(label_html(name) for name in board.best[:3]) + (" …" if len(board.best) > 3 else "")
    return [
        ("points", f"{comparison.n_used:,}", "" if comparison.n_used == comparison.n_given else "that all have"),
        ("methods", f"{len(comparison.methods):,}", ""),
        ("best" if len(board.best) == 1 else "tied for first", best, f"by {plain_html(board.by.label)}"),
    ]


def _leaderboard(comparison: Comparison, notes: Sequence[str]) -> str:
    boards = [comparison.leaderboard(index) for index in comparison.indices]
    rows = []
    for first in boards[0]:
        cells = [label_html(first.method)]
        for board in boards:
            row = board[first.method]
            score = f"<strong>{score_text(row.score)}</strong>" if row.best else score_text(row.score)
            known = row.low is not None and row.high is not None
            cells.append(f"{score}<small>{f'{row.low:.4f} to {row.high:.4f}' if known else 'no interval'}</small>")
        rows.append([*cells, first.ranks])
    heads = ["Method", *(plain_html(index.facts.title) for index in comparison.indices), "Possible ranks"]
    size = (6.4, 1.4 + 0.4 * len(boards[0]))
    chart = figure("leaderboard", size, lambda ax: draw_leaderboard(ax, boards[0]))
    items = "".join(f"<li>{plain_html(note)}</li>" for note in notes)
    said = f'<ul class="note">{items}</ul>' if items else ""
    return f"{rows_html(heads, rows, 'Leaderboard')}\n{said}{chart}"


def _differences(comparison: Comparison, index: Index[...]) -> str:
    found = comparison.differences(index)
    if not len(found):
        return '<p class="note">There is one method only.</p>'
    rows = []
    for row in found:
        known = row.low is not None and row.high is not None
        rows.append(
            [
                f"{label_html(row.first)} less {label_html(row.second)}",
                f"{row.difference:.4f}",
                f"{row.low:.4f} to {row.high:.4f}" if known else "–",
                "–" if row.p_holm is None else "&lt;0.0001" if row.p_holm < 1e-4 else f"{row.p_holm:.4f}",
                "–" if row.detectable is None else f"{row.detectable:.4f}",
            ]
        )
    heads = ["Methods", "Difference", f"{100 * found.level:g} % interval", "p (Holm)", "Could be shown"]
    chart = figure(
        f"differences-{comparison.indices.index(index)}",
        (6.4, 1.4 + 0.4 * len(found)),
        lambda ax: draw_differences(ax, found),
    )
    verdict = f"<p>{plain_html(comparison.verdict(index))}</p>"
    return f"<h3>{plain_html(index.facts.title)}</h3>{verdict}{rows_html(heads, rows, index.label)}{chart}"


def _clusters(comparison: Comparison) -> str:
    table = comparison.by_cluster()
    winners = table.winners
    rows = [
        [
            label_html(table.clusters[place]),
            f"{table.sizes[place]:,}",
            *(f"{scores[place]:.4f}" for scores in table.scores.values()),
            "–" if (winner := winners[place]) is None else label_html(winner),
        ]
        for place in range(min(len(table), _CLUSTERS))
    ]
    heads = ["True cluster", "Points", *map(label_html, table.scores), "Best"]
    wins = "; ".join(f"{plain_html(name)} does best on {winners.count(name):,}" for name in table.scores)
    said = f"<p>Of {len(table):,} true clusters, {wins}; {winners.count(None):,} are tied. The largest:</p>"
    return f"{said}{rows_html(heads, rows, 'True clusters')}{_pairs(comparison)}"


def _pairs(comparison: Comparison) -> str:
    if comparison.entrants.weights is not None:
        return ""
    if len(comparison.entrants.truth) << len(comparison.methods) > _MOST_PAIRS:
        return ""
    found = comparison.found_pairs()
    rows = [[label_html(row.method), f"{row.found:,}", f"{row.alone:,}"] for row in found]
    head = f"Of {found.total:,} pairs that belong together, all methods find {found.by_all:,} and none finds "
    table = rows_html(["Method", "Pairs found", "Found by it alone"], rows, "Pairs found")
    return f"<h3>Pairs</h3><p>{head}{found.by_none:,}.</p>{table}"


def _made(comparison: Comparison) -> str:
    entrants = comparison.entrants
    paragraph, _, references = comparison.describe().partition("\n\n")
    cited = "".join(f"<li>{plain_html(line)}</li>" for line in references.splitlines())
    counts = list_facts("Counts", {name: f"{count:,}" for name, count in entrants.points.items()}, "number")
    settings = entrants.settings | entrants.policies._asdict() | {"unit": comparison.unit, "level": comparison.level}
    facts = counts + list_facts("Settings", {name: settings_text(value) for name, value in settings.items()}, "")
    return f'<p>{plain_html(paragraph)}</p><ul class="note">{cited}</ul><div class="facts">{facts}</div>'
