"""The document of a similarity matrix, its chart, and the facts of its JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from clustermark.diagnosis.map_drawings import BEHIND_NUMBERS, WRITTEN, name_ticks
from clustermark.errors import Mention, count
from clustermark.results.canvas import INK, TRUE, Drawn
from clustermark.results.data import NOTICES, SETTINGS, VERDICT, Column
from clustermark.results.document import (
    Chart,
    Document,
    Facts,
    Grid,
    Head,
    KeyNumber,
    Name,
    Notes,
    Section,
    Value,
)
from clustermark.results.values import label_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from matplotlib.axes import Axes

    from clustermark.evaluation.similarities import SimilarityMatrix
    from clustermark.results.data import Columns
    from clustermark.results.document import Body, Prose, View

_MOST_DRAWN = 60

FACTS: Columns = {
    "settings": SETTINGS,
    "notices": NOTICES,
    "verdict": VERDICT,
    "index": Column("name"),
    "title": Column("text"),
    "higher_is_better": Column("flag", optional=True),
    "n_points": Column("count"),
    "labelings": Column("name", within=("list",)),
    "values": Column("score", within=("list", "list"), doc="scores, a row for each labeling as the truth"),
    "means": Column(
        "score", within=("map",), doc="the mean score of each labeling with all others; empty where there is no other"
    ),
    "central": Column("name", optional=True, doc="the labeling most like all others"),
    "order": Column(
        "name", optional=True, within=("list",), doc="alike labelings side by side; null where they have no order"
    ),
}


def document(matrix: SimilarityMatrix, view: View) -> Document:
    """Return the document of a matrix."""
    numbers = [KeyNumber("points", matrix.n_points), KeyNumber("labelings", len(matrix))]
    if matrix.has_middle:
        numbers.append(KeyNumber("most central", matrix.central, "name", f"by {matrix.index.label}"))
    return Document(
        title=str(matrix.settings.get("source", "Labelings against each other")),
        headline=headline(matrix),
        verdict=verdict(matrix),
        key_numbers=numbers,
        notices=[*matrix.like_noise, *(one.text for one in matrix.notices if one.kind != "noise")],
        sections=[
            Section(
                "scores",
                "Each against each",
                lambda: list(_scores(matrix, view)),
                "The truth of a score is in the row. Alike labelings stand side by side.",
                "summary",
            ),
            Section(
                "made",
                "How this was made",
                lambda: [Facts("Settings", matrix.settings | {"index": matrix.index.label})],
                "What was compared, with which settings.",
            ),
        ],
    )


def headline(matrix: SimilarityMatrix) -> str:
    """Return what was compared, in one line."""
    return f"{matrix.index.facts.title} of {count(len(matrix), 'labeling')} of {count(matrix.n_points, 'point')}"


def verdict(matrix: SimilarityMatrix) -> Prose:
    """Return a sentence on the most central labeling; empty if there is none."""
    if not matrix.has_middle:
        return ""
    mean = Value(matrix.means[matrix.central])
    title = matrix.index.facts.title
    return [Name(matrix.central), f" is most like all others: its {title} with them is ", mean, " on average."]


def _scores(matrix: SimilarityMatrix, view: View) -> Iterator[Body]:
    order = matrix.shown_order
    too_many = view.columns is not None and len(order) > view.columns
    columns = () if too_many else order
    heads = [Head("labeling", "name")]
    rows: list[list[Any]] = [[name] for name in order]
    if len(matrix) > 1:
        heads.append(Head("mean", "score", long="mean with others", level="summary" if too_many else "detail"))
        rows = [[*row, matrix.means[name]] for row, name in zip(rows, order, strict=True)]
    heads += [Head(label_text(name, 60), "score") for name in columns]
    rows = [[*row, *(matrix[true, pred] for pred in columns)] for row, true in zip(rows, order, strict=True)]
    yield Grid(heads, rows, "Scores")
    if too_many:
        yield Notes([[f"{len(matrix)} × {len(matrix)} scores: ", Mention("to_pandas()"), " has them all"]])
    if matrix.has_order and len(order) <= _MOST_DRAWN:
        side = max(2 + 0.4 * min(len(order), 40), 4.6)
        yield Chart("similarities", (side, side), lambda ax: draw_similarities(ax, matrix), alone=True)


def draw_similarities(ax: Axes, matrix: SimilarityMatrix) -> Drawn:
    """Draw a heat map whose cells are shaded by their scores, from the worst to the best of the matrix."""
    from matplotlib.patches import Rectangle

    order = [matrix.names.index(name) for name in matrix.order]
    scores = matrix.values[np.ix_(order, order)]
    low, high = float(scores.min()), float(scores.max())
    shades = (scores - low) / ((high - low) or 1.0)
    shades = 0.08 + 0.92 * (shades if matrix.index.facts.higher_is_better is not False else 1 - shades)
    hover: dict[str, str] = {}
    written = len(order) <= WRITTEN
    for row, column in np.ndindex(scores.shape):
        shade, gid = shades[row, column] * (BEHIND_NUMBERS if written else 1), f"cell-{row}-{column}"
        hover[gid] = (
            f"{label_text(matrix.order[row])}, {label_text(matrix.order[column])}: {scores[row, column].item()!r}"
        )
        ax.add_patch(Rectangle((column, row), 1, 1, facecolor=TRUE, alpha=shade, linewidth=0, gid=gid))
        if written:
            place, text = (column + 0.5, row + 0.5), f"{scores[row, column]:.2g}"
            ax.text(*place, text, ha="center", va="center", fontsize="small", color=INK)
    ax.set(xlim=(0, len(order)), ylim=(len(order), 0), aspect="equal")
    name_ticks(ax, matrix.order, matrix.order)
    return Drawn(matrix.index.facts.title, f"{len(order)} labelings, alike ones side by side.", hover)
