"""Estimates from a sample of the truth, as a table for a paper and as a table for a notebook."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clustermark.registry import parse
from clustermark.report.markup import latex_table
from clustermark.results.latex import digits_for, in_latex, plus_minus
from clustermark.tables.notebook import html_table

if TYPE_CHECKING:
    from clustermark.releases.estimated_scores import Estimates


def latex(estimates: Estimates, digits: int | None) -> str:
    """Indices with half of the width of their intervals, for booktabs."""
    if digits is None:
        digits = digits_for((one.half_width for one in estimates.values()), bounded=True)
    rows = [
        [in_latex(parse(name).facts.title), plus_minus(one.score, one.half_width, digits)]
        for name, one in estimates.items()
    ]
    notes = [f"{estimates.title}; {100 * estimates.level:g} % intervals", *estimates.remarks()]
    return latex_table(["index", "score"], rows, notes)


def html(estimates: Estimates) -> str:
    """Indices with their intervals, for notebooks."""
    heads, *rows = estimates.lines()
    return html_table(estimates.title, heads, rows, estimates.remarks())
