"""A matrix of similarities as JSON, as a table for a paper, and as a table for a notebook."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clustermark.report.markup import in_latex, latex_table
from clustermark.report.record import SCHEMA, current_version, for_json
from clustermark.tables.columnar import label_text
from clustermark.tables.notebook import html_table

if TYPE_CHECKING:
    from clustermark.evaluation.similarities import SimilarityMatrix


def matrix_document(matrix: SimilarityMatrix) -> dict[str, Any]:
    """A matrix as JSON has it."""
    index = matrix.index
    document = {
        "kind": "matrix",
        "schema": SCHEMA,
        "version": current_version(),
        "notices": [notice._asdict() for notice in matrix.notices],
        "settings": matrix.settings,
        "index": index.label,
        "title": index.facts.title,
        "higher_is_better": index.facts.higher_is_better,
        "n_points": matrix.n_points,
        "labelings": matrix.names,
        "values": matrix.values.tolist(),
        "means": matrix.means if len(matrix) > 1 else {},
        "central": matrix.central if matrix.has_middle else None,
        "order": matrix.order if matrix.has_order else None,
    }
    return dict(for_json(document))


def latex(matrix: SimilarityMatrix, digits: int) -> str:
    """The scores for booktabs, alike labelings side by side."""
    order = matrix.shown_order
    rows = [
        [in_latex(true), *(in_latex(f"{matrix[true, pred]:.{digits}f}".replace("-", "−")) for pred in order)]
        for true in order
    ]
    return latex_table(["", *map(in_latex, order)], rows, [matrix.headline])


def html(matrix: SimilarityMatrix, most: int) -> str:
    """The scores for notebooks, alike labelings side by side; of many labelings the means only."""
    order = matrix.shown_order
    if len(order) > most:
        rows = [[label_text(name), f"{matrix.means[name]:.4g}"] for name in order]
        return html_table(matrix.headline, ["labeling", "mean with all others"], rows, [])
    rows = [[label_text(true), *(f"{matrix[true, pred]:.4g}" for pred in order)] for true in order]
    return html_table(matrix.headline, ["", *map(label_text, order)], rows, [])
