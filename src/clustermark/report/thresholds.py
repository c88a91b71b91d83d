"""A sweep of thresholds as JSON, as a table for a paper, and as a table for a notebook."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clustermark.report.markup import latex_table
from clustermark.report.record import head_document
from clustermark.results.json import for_json
from clustermark.results.latex import in_latex
from clustermark.tables.notebook import html_table

if TYPE_CHECKING:
    from collections.abc import Mapping

    from clustermark.evaluation.sweeps.curves import Choice, Curves


def sweep_document(sweep: Curves, answers: Mapping[str, Any] | None = None, most: int | None = None) -> dict[str, Any]:
    """A sweep as JSON has it; answers: what else was asked, by its name; most: thresholds of the curves, of many."""
    curves = sweep.to_dict()
    step = 1 if most is None else -(-len(curves["threshold"]) // most)
    best = {one.by: {"threshold": one.threshold, "score": one.score} for one in sweep.bests()}
    said = sweep.describe_data() | {"best": best, "curves": {name: column[::step] for name, column in curves.items()}}
    return dict(for_json(head_document("sweep", sweep.record) | said | dict(answers or {})))


def latex(sweep: Curves, digits: int) -> str:
    """The best threshold by each index, for booktabs."""
    titles = {index.label: index.facts.title for index in sweep.indices}
    rows = [
        [in_latex(titles[one.by]), f"{one.threshold:.6g}", in_latex(f"{one.score:.{digits}f}")] for one in sweep.bests()
    ]
    return latex_table(["index", "threshold", "score"], rows, [sweep.headline])


def html(sweep: Curves) -> str:
    """The best threshold by each index, for notebooks."""
    return html_table(sweep.headline, ["best by", "threshold", "score"], map(best_row, sweep.bests()), [])


def best_row(choice: Choice) -> tuple[str, str, str]:
    """A choice as people read it: the index, the threshold and the score."""
    return choice.by, f"{choice.threshold:.6g}", f"{choice.score:.6f}"
