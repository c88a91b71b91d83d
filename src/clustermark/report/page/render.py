"""The report: one HTML file with everything in it, to read, to send and to print."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from hashlib import sha256
from html import escape
from importlib.resources import files
from math import inf, isfinite
from string import Template
from typing import TYPE_CHECKING, Any, NamedTuple

from clustermark.registry.facts import interval
from clustermark.report.captions import count_text, lone_ids, score_text, settings_text, share_text
from clustermark.report.charts.flow import draw_flow
from clustermark.report.charts.plots import Chart, draw_clusters, draw_overlaps, draw_sizes
from clustermark.report.charts.svg import draw_svg
from clustermark.report.page.cluster_tables import cluster_section, label_html, plain_html
from clustermark.report.record import evaluation_document
from clustermark.report.text import cluster_counts, group_refusals, interval_lines, quantity

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    from matplotlib.axes import Axes

    from clustermark.diagnosis import ErrorRow
    from clustermark.evaluation import Evaluation
    from clustermark.registry import Index

_MAP_CLUSTERS = 24
_FLOW_CLUSTERS = 12
_ERRORS = 8
_DIRECTIONS = {True: "higher is better", False: "lower is better", None: "no direction"}


def html(evaluation: Evaluation, title: str | None = None) -> str:
    """The page of an evaluation; the same evaluation always gives the same text."""
    return fill_page(
        title or _title_of(evaluation),
        evaluation.version,
        evaluation.verdict,
        _key_numbers(evaluation),
        [(section.name, section.title, section.lead, section.render(evaluation)) for section in SECTIONS],
        evaluation_document(evaluation.record, evaluation.verdict),
        [notice.text for notice in evaluation.notices],
    )


def fill_page(
    title: str,
    version: str,
    verdict: str,
    numbers: Sequence[tuple[str, str, str]],
    sections: Sequence[tuple[str, str, str, str]],
    document: dict[str, Any],
    notices: Sequence[str] = (),
) -> str:
    """A page of sections (id, heading, what they show in a sentence, content); numbers: name, number, note, as HTML."""
    script = _part("page.js")
    key_numbers = "\n".join(
        f"<div><dt>{plain_html(name)}</dt><dd>{number}</dd>{f'<small>{note}</small>' if note else ''}</div>"
        for name, number, note in numbers
    )
    return Template(_part("page.html")).substitute(
        title=plain_html(title),
        version=escape(version),
        script=script,
        script_hash=b64encode(sha256(script.encode()).digest()).decode(),
        style=_part("page.css"),
        verdict=plain_html(verdict),
        notices=_notices(notices),
        key_numbers=key_numbers,
        navigation="\n".join(f'<a href="#{name}">{heading}</a>' for name, heading, *_ in sections),
        sections="\n".join(_section(*section) for section in sections),
        data=json.dumps(document).replace("<", "\\u003c"),
    )


def _part(name: str) -> str:
    return files("clustermark.report.page").joinpath(name).read_text(encoding="utf-8")


def _title_of(evaluation: Evaluation) -> str:
    settings = evaluation.settings
    if "prediction" in settings:
        return f"{settings['prediction']} against {settings['truth']}"
    return str(settings.get("source", "Predicted clusters against the truth"))


def _notices(texts: Iterable[str]) -> str:
    notices = "".join(f"<p>{plain_html(text)}</p>" for text in texts)
    return f'<div class="notices" role="note">{notices}</div>' if notices else ""


def _key_numbers(evaluation: Evaluation) -> list[tuple[str, str, str]]:
    table, exact = evaluation.table, evaluation.table.joint().exact
    (true, noise_true), (pred, noise_pred) = (cluster_counts(evaluation.record, side) for side in ("true", "pred"))
    used = "weighted" if table.weights is not None else ""
    if evaluation.n_dropped:
        used = f"{share_text(evaluation.n_used / evaluation.n_given)} of {evaluation.n_given:,}" + (
            used and f", {used}"
        )
    numbers = [
        ("points", f"{evaluation.n_used:,}", used),
        ("true clusters", f"{true:,}", noise_true.strip()),
        ("predicted clusters", f"{pred:,}", noise_pred.strip()),
        ("found exactly", f"{exact:,}", f"{share_text(exact / table.n_true_clusters)} of the true clusters"),
    ]
    main = _main_index(evaluation)
    if main is not None:
        title = "adjusted Rand index" if main.name == "adjusted_rand" else main.facts.title
        numbers.append((title, score_text(evaluation[main.label]), _DIRECTIONS[main.facts.higher_is_better]))
    return numbers


def _main_index(evaluation: Evaluation) -> Index[...] | None:
    """The adjusted Rand index where it was evaluated, else the first."""
    indices = evaluation.indices
    return next((index for index in indices if index.name == "adjusted_rand"), next(iter(indices), None))


def _section(name: str, title: str, lead: str, content: str) -> str:
    head = f'<section id="{name}">\n<h2>{title}</h2>\n<p class="lead">{lead}</p>'
    return f"{head}\n{content}\n</section>"


def _scores(evaluation: Evaluation) -> str:
    rows = "\n".join(_score_row(evaluation, index) for index in evaluation.indices)
    head = "<th scope=col>Index</th><th scope=col class=number>Score</th><th scope=col>Within its range</th>"
    table = (
        f'<div class="scroll" tabindex="0" role="region" aria-label="Scores"><table class="scores"><thead><tr>{head}'
        f"<th scope=col>What it says</th></tr></thead>\n<tbody>\n{rows}\n</tbody></table></div>"
    )
    return f"{table}\n{_interval_notes(evaluation)}{_refusals(evaluation)}"


def _interval_notes(evaluation: Evaluation) -> str:
    items = "".join(f"<li>{plain_html(line)}</li>" for line in interval_lines(evaluation.record))
    return f'<ul class="note">{items}</ul>' if items else ""


def _score_row(evaluation: Evaluation, index: Index[...]) -> str:
    score = evaluation[index.label]
    facts, citation = index.facts, index.citation
    link = f' <a href="{escape(citation.url)}" rel="noreferrer">reference</a>' if citation.url else ""
    return (
        f'<tr><th scope="row">{plain_html(facts.title)}<small><code>{plain_html(index.label)}</code></small></th>'
        f'<td class="number" data-index="{plain_html(index.label)}" data-v="{score!r}">{score_text(score)}'
        f"{_interval_html(evaluation, index)}</td>"
        f'<td class="range">{_bar(score, index.bounds_on(evaluation.table), facts.higher_is_better)}</td>'
        f'<td class="says">{_first_sentence(index)}{link}</td></tr>'
    )


def _interval_html(evaluation: Evaluation, index: Index[...]) -> str:
    found = evaluation.record.scores[index.label].interval
    if found is None:
        return ""
    if found.low is None or found.high is None:
        return "<small>no interval</small>"
    return f"<small>{score_text(found.low)} to {score_text(found.high)}</small>"


def _bar(score: float, bounds: tuple[float, float], higher_is_better: bool | None) -> str:
    """The score from 0 to where it lies in its range; a range without a lower end is drawn from 0."""
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
    return re.sub("`+([^`]+)`+", r"<code>\1</code>", sentence)


def _refusals(evaluation: Evaluation) -> str:
    items = "".join(
        f"<li>{', '.join(f'<code>{plain_html(name)}</code>' for name in names)}: {plain_html(reason)}</li>"
        for reason, names in group_refusals(evaluation.record).items()
    )
    return f'<p class="note" style="margin:1rem 0 0">Left out:</p><ul class="note">{items}</ul>' if items else ""


def figure(name: str, size: tuple[float, float], draw: Callable[[Axes], Chart]) -> str:
    """A chart with its caption."""
    svg, chart = draw_svg(name, size, draw)
    caption = f"<strong>{escape(chart.title)}</strong>{escape(chart.note)}"
    return f'<figure id="{name}"><figcaption>{caption}</figcaption><div>{svg}</div></figure>'


def _overlaps(evaluation: Evaluation) -> str:
    shared, flow = evaluation.overlap_map(_MAP_CLUSTERS), evaluation.overlap_map(_FLOW_CLUSTERS)
    figures = (
        figure("overlap-map", (5.6, 5.4), lambda ax: draw_overlaps(ax, shared)),
        figure("flow", (5.6, 5.4), lambda ax: draw_flow(ax, flow)),
    )
    return f'<div class="pair">{"".join(figures)}</div>'


def _shape(evaluation: Evaluation) -> str:
    figures = (
        figure("sizes", (4.3, 3.5), lambda ax: draw_sizes(ax, evaluation.sizes)),
        figure("predicted-scores", (4.3, 3.5), lambda ax: draw_clusters(ax, evaluation, "pred")),
        figure("true-scores", (4.3, 3.5), lambda ax: draw_clusters(ax, evaluation, "true")),
    )
    return f'<div class="triple">{"".join(figures)}</div>'


def _errors(evaluation: Evaluation) -> str:
    torn, thrown = ("apart in the prediction", "in"), ("apart in the truth", "from")
    content = (
        _error_list("splits", "Splits", evaluation.splits(_ERRORS), "No true cluster is split.", torn),
        _error_list("merges", "Merges", evaluation.merges(_ERRORS), "No predicted cluster merges true ones.", thrown),
    )
    return f'<div class="pair">{"".join(content)}</div>'


def _error_list(name: str, heading: str, rows: Iterable[ErrorRow], none: str, words: tuple[str, str]) -> str:
    items = "\n".join(_error(row, *words) for row in rows)
    content = f'<ol class="errors">\n{items}\n</ol>' if items else f'<p class="note">{none}</p>'
    return f'<div class="{name}" id="{name}"><h3>{heading}</h3>{content}</div>'


def _error(row: ErrorRow, apart: str, place: str) -> str:
    bars = "".join(f'<i style="width:{_percent(part.overlap, row.size)}%"></i>' for part in row.parts)
    rest = row.counterparts - len(row.parts)
    left = row.size - sum(part.overlap for part in row.parts)
    bars += f'<i class="rest" style="width:{_percent(left, row.size)}%"></i>' if rest else ""
    parts = [f"{count_text(p.overlap)} {place} {label_html(p.cluster, 40)}" for p in row.parts if p.cluster is not None]
    unlabelled = [part for part in row.parts if part.cluster is None]
    how = "alone" if all(part.lone for part in unlabelled) else "without a label"
    which = plain_html(lone_ids(unlabelled))
    parts += [f"{count_text(sum(part.overlap for part in unlabelled))} {how}{which}"] if unlabelled else []
    parts += [f"{quantity(rest, 'more cluster')}"] if rest else []
    return (
        f'<li><div class="head"><strong>{label_html(row.cluster)}</strong>'
        f'<span class="unit">{count_text(row.size)} points, <span data-v="{row.pairs_lost!r}">'
        f"{count_text(row.pairs_lost)}</span> pairs {apart}</span></div>"
        f'<div class="stack" aria-hidden="true">{bars}</div><div class="parts">{" · ".join(parts)}</div></li>'
    )


def _percent(part: float, whole: float) -> str:
    return f"{100 * max(0, part) / whole:.2f}" if whole else "0"


def _clusters(evaluation: Evaluation) -> str:
    predicted = cluster_section(evaluation.clusters, "Predicted clusters", "predicted-clusters", "true")
    return f"{predicted}\n{cluster_section(evaluation.classes, 'True clusters', 'true-clusters', 'predicted')}"


def _origin(evaluation: Evaluation) -> str:
    counts = {"points given" if fate == "given" else fate: n for fate, n in evaluation.record.points.items()}
    facts = list_facts("Counts", {name: f"{count:,}" for name, count in counts.items()}, "number")
    settings = {name: settings_text(value) for name, value in evaluation.settings.items()}
    facts += list_facts("Settings", settings, "")
    main = _main_index(evaluation)
    signature = plain_html(evaluation.signature(main.label)) if main else ""
    cited = f'<p class="note">The signature to cite with a score:</p><pre><code>{signature}</code></pre>'
    where = "" if evaluation.settings.get("threshold") is None else _WHERE_TO_CUT
    return f'<div class="facts">{facts}</div>\n{where}{cited if main else ""}'


_WHERE_TO_CUT = (
    '<p class="note">The list of pairs was cut at a given threshold; <code>sweep_pairs</code>, or <code>clustermark '
    "sweep</code>, says where to cut it.</p>"
)


def list_facts(heading: str, facts: dict[str, str], kind: str) -> str:
    """A small table of names and values."""
    rows = "".join(
        f'<tr><th scope="row">{plain_html(name)}</th><td class="{kind}">{plain_html(value)}</td></tr>'
        for name, value in facts.items()
    )
    return f'<div><h3>{heading}</h3><div class="scroll"><table><tbody>{rows}</tbody></table></div></div>'


def rows_html(heads: Iterable[str], rows: Iterable[Iterable[str]], label: str, texts: Collection[int] = (0,)) -> str:
    """A table whose first column names the row; the cells are HTML, and numbers but for the columns of texts."""
    head = "".join(
        f"<th scope=col{'' if place in texts else ' class=number'}>{text}</th>" for place, text in enumerate(heads)
    )
    body = "".join(
        "<tr>"
        + "".join(
            f'<td class="{"says" if place in texts else "number"}">{cell}</td>'
            if place
            else f'<th scope="row">{cell}</th>'
            for place, cell in enumerate(row)
        )
        + "</tr>"
        for row in rows
    )
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{plain_html(label)}"><table class="rows">'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


class Section(NamedTuple):
    """A part of the page: its id, its heading, what it shows in a sentence, and what renders it."""

    name: str
    title: str
    lead: str
    render: Callable[[Evaluation], str]


SECTIONS = (
    Section(
        "scores",
        "Scores",
        "Each index looks at the agreement from its own side; the bar shows the score within the index’s range.",
        _scores,
    ),
    Section(
        "overlaps",
        "Overlaps",
        "Matching clusters lie on the diagonal of the map; what lies beside it was split off or merged in.",
        _overlaps,
    ),
    Section(
        "shape",
        "Sizes and quality",
        "Too many small predicted clusters mean splits, too many large ones merges. A curve that stays high is good.",
        _shape,
    ),
    Section(
        "errors",
        "Worst errors",
        "The true clusters that were torn apart and the predicted ones that were thrown together, "
        "by the pairs of points this costs.",
        _errors,
    ),
    Section(
        "clusters",
        "Clusters",
        "A cluster is exact where both sides agree on it, split where it is torn apart, merged where it is thrown "
        "together with others, mixed where both happened. A click on a heading sorts.",
        _clusters,
    ),
    Section(
        "made",
        "How this was made",
        "What was compared and under which rules, so that anybody can compute these numbers again.",
        _origin,
    ),
)
"""The page, in this order; its navigation is made of the same list."""
