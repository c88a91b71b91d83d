"""The scores by the question that they answer: six visible, the others folded."""

from __future__ import annotations

import re
from functools import cache
from html import escape
from math import inf, isfinite
from typing import TYPE_CHECKING

from clustermark.diagnosis.captions import in_words, score_text, thing
from clustermark.errors import ClustermarkError
from clustermark.evaluation.evaluation_document import group_refusals, interval_lines
from clustermark.evaluation.page.elements import plain_html
from clustermark.registry.facts import interval
from clustermark.results.values import quantity
from clustermark.tables.tabulation import crosstab

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from clustermark.evaluation.partitions import PartitionEvaluation
    from clustermark.registry import Index
    from clustermark.tables.contingency import Contingency

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


def render_scores(evaluation: PartitionEvaluation) -> str:
    """Render a table for each question, with its remaining scores folded."""
    indices = evaluation.indices
    first = [index for name in _FIRST for index in indices if index.label == name]
    first += [index for index in indices if index not in first][: len(_FIRST) - len(first)]
    by_question = {question: [one for one in indices if question_of(one) == question] for question in QUESTIONS}
    parts = [_render_question(evaluation, question, some, first) for question, some in by_question.items() if some]
    return f"{''.join(parts)}\n{_interval_notes(evaluation)}{_refusals(evaluation)}"


def _render_question(
    evaluation: PartitionEvaluation, question: str, indices: Sequence[Index[...]], first: Sequence[Index[...]]
) -> str:
    shown, folded = ([one for one in indices if (one in first) is wanted] for wanted in (True, False))
    table = _table(evaluation, shown, in_words(question)) if shown else ""
    summary = quantity(len(folded), "more score" if shown else "score")
    more = _table(evaluation, folded, f"{in_words(question)} The rest")
    rest = f'<details open class="fold"><summary>{summary}</summary>{more}</details>'
    return f'<div class="question"><h3>{in_words(question)}</h3>{table}{rest if folded else ""}</div>'


def _table(evaluation: PartitionEvaluation, indices: Iterable[Index[...]], label: str) -> str:
    rows = "\n".join(_row(evaluation, index) for index in indices)
    head = "<th scope=col>Index</th><th scope=col class=number>Score</th><th scope=col>Within its range</th>"
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{escape(label)}"><table class="scores">'
        f"<thead><tr>{head}<th scope=col>What it says</th></tr></thead>\n<tbody>\n{rows}\n</tbody></table></div>"
    )


def _interval_notes(evaluation: PartitionEvaluation) -> str:
    items = "".join(f"<li>{plain_html(line)}</li>" for line in interval_lines(evaluation.record))
    return f'<ul class="note">{items}</ul>' if items else ""


def _row(evaluation: PartitionEvaluation, index: Index[...]) -> str:
    score = evaluation[index.label]
    facts, citation, label = index.facts, index.citation, plain_html(index.label)
    link = f' <a href="{escape(citation.url)}" rel="noreferrer">reference</a>' if citation.url else ""
    copy = f'<button type="button" class="copy" data-copy="{score!r}" aria-label="Copy {label}" hidden>copy</button>'
    return (
        f'<tr><th scope="row">{plain_html(facts.title)}<small><code>{label}</code> {copy}</small></th>'
        f'<td class="number" data-index="{label}" data-v="{score!r}" title="{score!r}">{score_text(score)}'
        f"{_interval_html(evaluation, index)}</td>"
        f'<td class="range">{_bar(score, index.bounds_on(evaluation.table), facts.higher_is_better)}</td>'
        f'<td class="says">{_first_sentence(index)}{link}</td></tr>'
    )


def _interval_html(evaluation: PartitionEvaluation, index: Index[...]) -> str:
    found = evaluation.record.scores[index.label].interval
    if found is None:
        return ""
    if found.low is None or found.high is None:
        return "<small>no interval</small>"
    return f"<small>{score_text(found.low)} to {score_text(found.high)}</small>"


def _bar(score: float, bounds: tuple[float, float], higher_is_better: bool | None) -> str:
    """Render a bar from 0 to the score within its range; a range without a lower bound starts at 0."""
    low, high = max(bounds[0], 0.0) if bounds[0] == -inf else bounds[0], bounds[1]
    direction = _DIRECTIONS[higher_is_better]
    if not (isfinite(high) and isfinite(score)):
        return f'<span class="unit">{escape(interval(bounds))}, {direction}</span>'
    zero, end = (100 * (max(value, low) - low) / (high - low) for value in (0.0, score))
    left, width = min(zero, end), abs(end - zero)
    mark = f'<b style="left:{zero:.2f}%"></b>' if low < 0 else ""
    kind = "bar" if higher_is_better else "bar lower"
    first = "≤ 0" if bounds[0] == -inf else _bound(low)
    ends = f'<div class="ends"><span>{first}</span><span>{direction}</span><span>{_bound(high)}</span></div>'
    return f'<div class="{kind}"><i style="left:{left:.2f}%;width:{width:.2f}%"></i>{mark}</div>{ends}'


def _bound(value: float) -> str:
    return f"{value:.4g}".replace("-", "−")


def _first_sentence(index: Index[...]) -> str:
    sentence = plain_html(index.summary.partition(". ")[0].rstrip(".") + ".")
    return re.sub("`+([^`]+)`+", r"<code>\1</code>", re.sub(r"\bpoint(?=s?\b)", thing(), sentence))


def _refusals(evaluation: PartitionEvaluation) -> str:
    items = "".join(
        f"<li>{', '.join(f'<code>{plain_html(name)}</code>' for name in names)}: {plain_html(reason)}</li>"
        for reason, names in group_refusals(evaluation.record).items()
    )
    return f'<p class="note" style="margin:1rem 0 0">Left out:</p><ul class="note">{items}</ul>' if items else ""
