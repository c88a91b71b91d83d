"""The scores by the question that they answer: six visible, the others folded."""

from __future__ import annotations

import re
from functools import cache
from math import inf, isfinite
from typing import TYPE_CHECKING

from clustermark.diagnosis.captions import in_words, score_text, thing
from clustermark.errors import ClustermarkError
from clustermark.evaluation.evaluation_document import group_refusals, interval_lines
from clustermark.evaluation.page.elements import fold, joined, note, scrolling
from clustermark.registry.facts import interval
from clustermark.results.html import Html, each, fragment, h
from clustermark.results.page import Page
from clustermark.results.values import quantity
from clustermark.tables.tabulation import crosstab

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from clustermark.evaluation.partitions import PartitionEvaluation
    from clustermark.registry import Index
    from clustermark.tables.contingency import Contingency
    from clustermark.uncertainty.checked_intervals import CoverageCheck

_FIRST = (
    "adjusted_rand",
    "pair_precision",
    "pair_recall",
    "adjusted_mutual_information",
    "b_cubed_f",
    "jaccard_concentration",
)
"""Visible indices; those that were not evaluated are replaced by others."""
_AGREE, _MERGED, _SPLIT, _FOUND = QUESTIONS = (
    "How well do the two agree?",
    "Do {things} that were put together belong together? Low where clusters are merged.",
    "Were {things} that belong together put together? Low where clusters are split.",
    "How well is each cluster found?",
)
_DIRECTIONS = {True: "higher is better", False: "lower is better", None: "no direction"}


def question_of(index: Index[...]) -> str:
    """Return the question that an index answers, derived from its scores of a pure split and a pure merge."""
    if index.facts.higher_is_better is not None:
        split, merge = _pure_errors()
        if _is_best(index, split):
            return _MERGED
        if _is_best(index, merge):
            return _SPLIT
    return _FOUND if index.facts.family in ("matching", "jci") else _AGREE


@cache
def _pure_errors() -> tuple[Contingency, Contingency]:
    """Return a table in which one cluster is split in two, and the same with truth and prediction exchanged."""
    whole, torn = [0, 0, 0, 0, 1, 1, 1, 2, 2], [0, 0, 3, 3, 1, 1, 1, 2, 2]
    return crosstab(whole, torn), crosstab(torn, whole)


def _is_best(index: Index[...], table: Contingency) -> bool:
    best = index.bounds_on(table)[bool(index.facts.higher_is_better)]
    try:
        return index.of(table) == best
    except ClustermarkError:
        return False


def scores_html(evaluation: PartitionEvaluation) -> Html:
    """Return a table for each question, with its remaining scores folded."""
    indices = evaluation.indices
    first = [index for name in _FIRST for index in indices if index.label == name]
    first += [index for index in indices if index not in first][: len(_FIRST) - len(first)]
    by_question = {question: [one for one in indices if question_of(one) == question] for question in QUESTIONS}
    parts = [_question(evaluation, question, some, first) for question, some in by_question.items() if some]
    return fragment(parts, _interval_notes(evaluation), _refusals(evaluation))


def coverage_html(check: CoverageCheck) -> Html:
    """Return how often the intervals hold, by samples drawn from the table."""
    document = check.document()
    bodies = [body for section in document.sections for body in section.make()]
    return h(
        "div",
        h("h3", "How often do these intervals hold?"),
        h("p", check.verdict, class_="answer"),
        h("p", check.headline, class_="note"),
        Page(document).bodies(bodies, "coverage"),
        class_="question",
        id="coverage",
    )


def _question(
    evaluation: PartitionEvaluation, question: str, indices: Sequence[Index[...]], first: Sequence[Index[...]]
) -> Html:
    asked = in_words(question)
    shown, folded = ([one for one in indices if (one in first) is wanted] for wanted in (True, False))
    content = [_table(evaluation, shown, asked)] if shown else []
    if folded:
        summary = quantity(len(folded), "more score" if shown else "score")
        content.append(fold(summary, _table(evaluation, folded, f"{asked} The rest")))
    return h("div", h("h3", asked), content, class_="question")


def _table(evaluation: PartitionEvaluation, indices: Iterable[Index[...]], label: str) -> Html:
    heads = ("Index", "Score", "Within its range", "What it says")
    head = (h("th", name, scope="col", class_="number" if name == "Score" else None) for name in heads)
    rows = (_row(evaluation, index) for index in indices)
    return scrolling(h("table", h("thead", h("tr", head)), h("tbody", rows), class_="scores"), label)


def _interval_notes(evaluation: PartitionEvaluation) -> Html:
    lines = interval_lines(evaluation.record)
    return h("ul", each("li", lines), class_="note") if lines else Html()


def _row(evaluation: PartitionEvaluation, index: Index[...]) -> Html:
    score, facts, label = evaluation[index.label], index.facts, index.label
    text = repr(score)
    button = h("button", "copy", type="button", class_="copy", data_copy=text, aria_label=f"Copy {label}", hidden=True)
    value = (score_text(score), _interval_html(evaluation, index))
    url = index.citation.url
    link = (" ", h("a", "reference", href=url, rel="noreferrer")) if url else None
    return h(
        "tr",
        h("th", facts.title, h("small", h("code", label), " ", button), scope="row"),
        h("td", value, class_="number", data_index=label, data_v=text, title=text),
        h("td", _bar(score, index.bounds_on(evaluation.table), facts.higher_is_better), class_="range"),
        h("td", _first_sentence(index), link, class_="says"),
    )


def _interval_html(evaluation: PartitionEvaluation, index: Index[...]) -> Html | None:
    found = evaluation.record.scores[index.label].interval
    if found is None:
        return None
    if found.low is None or found.high is None:
        return h("small", "no interval")
    return h("small", f"{score_text(found.low)} to {score_text(found.high)}")


def _bar(score: float, bounds: tuple[float, float], higher_is_better: bool | None) -> Html:
    """Return a bar from 0 to the score within its range; a range without a lower bound starts at 0."""
    low, high = max(bounds[0], 0.0) if bounds[0] == -inf else bounds[0], bounds[1]
    direction = _DIRECTIONS[higher_is_better]
    if not (isfinite(high) and isfinite(score)):
        return h("span", f"{interval(bounds)}, {direction}", class_="unit")
    zero, end = (100 * (max(value, low) - low) / (high - low) for value in (0.0, score))
    left, width = min(zero, end), abs(end - zero)
    mark = h("b", style=f"left:{zero:.2f}%") if low < 0 else None
    bar = h("i", style=f"left:{left:.2f}%;width:{width:.2f}%")
    ends = each("span", ("≤ 0" if bounds[0] == -inf else _bound(low), direction, _bound(high)))
    kind = "bar" if higher_is_better else "bar lower"
    return fragment(h("div", bar, mark, class_=kind), h("div", ends, class_="ends"))


def _bound(value: float) -> str:
    return f"{value:.4g}".replace("-", "−")


def _first_sentence(index: Index[...]) -> Html:
    """Return the first sentence of the summary of an index; text in backticks is code."""
    sentence = re.sub(r"\bpoint(?=s?\b)", thing(), index.summary.partition(". ")[0].rstrip(".") + ".")
    pieces: list[str] = re.split("`+([^`]+)`+", sentence)
    pieces[1::2] = [h("code", code) for code in pieces[1::2]]
    return fragment(pieces)


def _refusals(evaluation: PartitionEvaluation) -> Html:
    items = [
        h("li", joined(", ", [h("code", name) for name in names]), f": {reason}")
        for reason, names in group_refusals(evaluation.record).items()
    ]
    if not items:
        return Html()
    return fragment(note("Left out:", style="margin:1rem 0 0"), h("ul", items, class_="note"))
