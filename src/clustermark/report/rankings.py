"""A comparison of predictions as JSON, as a table for a paper, and as a table for a notebook."""

from __future__ import annotations

from html import escape
from math import isfinite
from typing import TYPE_CHECKING, Any

from clustermark.errors import spell
from clustermark.report.markup import digits_for, in_latex, latex_table, plus_minus
from clustermark.report.record import SCHEMA, current_version, for_json
from clustermark.tables.columnar import label_text

if TYPE_CHECKING:
    from clustermark.evaluation.ranking.comparison import Comparison
    from clustermark.evaluation.ranking.leaderboard import Standing
    from clustermark.registry import Index


def comparison_document(comparison: Comparison) -> dict[str, Any]:
    """A comparison as JSON has it."""
    entrants, policies = comparison.entrants, comparison.entrants.policies
    document = {
        "kind": "comparison",
        "schema": SCHEMA,
        "version": current_version(),
        "points": entrants.points,
        "settings": entrants.settings | policies._asdict() | {"weighted": entrants.weights is not None},
        "verdict": comparison.verdict(),
        "notices": [{"kind": "noise", "text": text} for text in dict.fromkeys(map(spell, comparison.tell_noise()))],
        "level": comparison.level,
        "unit": comparison.unit,
        "lacking": entrants.lacking,
        "methods": {
            name: [comparison.runs[place].table.n_pred_clusters for place in places]
            for name, places in entrants.methods.items()
        },
        "indices": {index.label: _ranking(comparison, index) for index in comparison.indices},
        "refused": comparison.refused,
    }
    return dict(for_json(document))


def _ranking(comparison: Comparison, index: Index[...]) -> dict[str, Any]:
    board = comparison.leaderboard(index)
    return {
        "title": index.facts.title,
        "higher_is_better": index.facts.higher_is_better,
        "verdict": comparison.verdict(index),
        "best": board.best,
        "leaderboard": board.rows(),
        "differences": comparison.differences(index).rows(),
    }


def latex(comparison: Comparison, digits: int | None = None) -> str:
    """Methods by indices, for booktabs; the best is bold where no other is tied with it."""
    boards = [comparison.leaderboard(index) for index in comparison.indices]
    heads = [in_latex(index.facts.abbreviation or index.facts.title) for index in comparison.indices]
    shown = [
        digits_for((row.half_width for row in board), bounded=all(map(isfinite, board.by.bounds)))
        if digits is None
        else digits
        for board in boards
    ]
    rows = [
        [
            in_latex(row.method),
            *(
                _cell(board[row.method], bold=len(board) > 1 and board.best == [row.method], digits=own)
                for board, own in zip(boards, shown, strict=True)
            ),
        ]
        for row in boards[0]
    ]
    level = f"{100 * comparison.level:g}"
    notes = [
        f"{level} % intervals over {comparison.unit}s, {comparison.n_used:,} points; bold: better than every other "
        "method, Holm-adjusted",
        *(comparison.verdict(index) for index in comparison.indices),
    ]
    return latex_table(["method", *heads], rows, notes)


def _cell(row: Standing, *, bold: bool, digits: int | None) -> str:
    text = plus_minus(row.score, row.half_width, digits)
    return rf"{{\boldmath{text}}}" if bold else text


def html(comparison: Comparison, notes: list[str]) -> str:
    """A table for notebooks: methods by indices, those tied for first in bold."""
    heads = "".join(f"<th title='{escape(i.facts.title)}'>{escape(i.label)}</th>" for i in comparison.indices)
    boards = [comparison.leaderboard(index) for index in comparison.indices]
    rows = []
    for row in boards[0]:
        cells = "".join(_html_cell(board[row.method]) for board in boards)
        name = escape(label_text(row.method))
        rows.append(f"<tr><td>{row.rank}</td><td>{name}</td>{cells}<td>{row.ranks}</td></tr>")
    head, verdict, *rest = notes
    said = "".join(f"<p>{escape(note)}</p>" for note in (verdict, *rest))
    return (
        f"<table><caption>{escape(head)}</caption><tr><th>rank</th><th>method</th>{heads}<th>possible ranks</th></tr>"
        f"{''.join(rows)}</table>{said}"
    )


def _html_cell(row: Standing) -> str:
    interval = "" if row.low is None or row.high is None else f" [{row.low:.4f}, {row.high:.4f}]"
    score = f"<b>{row.score:.4f}</b>" if row.best else f"{row.score:.4f}"
    return f"<td style='text-align:right'>{score}{interval}</td>"
