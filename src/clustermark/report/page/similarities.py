"""The page of a matrix of similarities: which labelings are alike, and which stands in the middle."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clustermark.report.captions import score_text, settings_text
from clustermark.report.charts.plots import draw_similarities
from clustermark.report.page.elements import figure, label_html, list_facts, plain_html, rows_html
from clustermark.report.page.render import fill_page
from clustermark.report.record import current_version
from clustermark.report.similarities import matrix_document

if TYPE_CHECKING:
    from clustermark.evaluation.similarities import SimilarityMatrix

_MOST = 40
"""So many labelings are written against each other."""
_MOST_DRAWN = 60


def html(matrix: SimilarityMatrix, title: str | None) -> str:
    """The page of a matrix; the same matrix always gives the same text."""
    sections = [
        (
            "scores",
            "Each against each",
            "The truth of a score is in the row. Alike labelings stand side by side.",
            _scores(matrix),
        ),
        ("made", "How this was made", "What was compared and under which rules.", _made(matrix)),
    ]
    return fill_page(
        title or str(matrix.settings.get("source", "Labelings against each other")),
        current_version(),
        _verdict(matrix),
        _key_numbers(matrix),
        sections,
        matrix_document(matrix),
        [notice.text for notice in matrix.notices],
    )


def _verdict(matrix: SimilarityMatrix) -> str:
    if not matrix.has_middle:
        return f"{matrix.headline}."
    central = matrix.central
    return (
        f"{central} is most like all others: its {matrix.index.facts.title} with them is "
        f"{score_text(matrix.means[central])} on average."
    )


def _key_numbers(matrix: SimilarityMatrix) -> list[tuple[str, str, str]]:
    numbers = [("points", f"{matrix.n_points:,}", ""), ("labelings", f"{len(matrix):,}", "")]
    if matrix.has_middle:
        numbers.append(("most central", label_html(matrix.central, 24), f"by {plain_html(matrix.index.label)}"))
    return numbers


def _scores(matrix: SimilarityMatrix) -> str:
    order = matrix.shown_order
    side = max(2 + 0.4 * min(len(order), 40), 4.6)
    chart = ""
    if matrix.has_order and len(order) <= _MOST_DRAWN:
        chart = figure("similarities", (side, side), lambda ax: draw_similarities(ax, matrix))
    columns = order if len(order) <= _MOST else ()
    rows = [
        [
            label_html(true),
            *([score_text(matrix.means[true])] if len(matrix) > 1 else []),
            *(score_text(matrix[true, pred]) for pred in columns),
        ]
        for true in order
    ]
    heads = ["Labeling", *(["Mean with others"] if len(matrix) > 1 else []), *map(label_html, columns)]
    return f'{rows_html(heads, rows, "Scores")}<div class="alone">{chart}</div>'


def _made(matrix: SimilarityMatrix) -> str:
    settings = matrix.settings | {"index": matrix.index.label}
    return f'<div class="facts">{list_facts("Settings", {k: settings_text(v) for k, v in settings.items()}, "")}</div>'
