"""The sections on errors: precision against recall, the repairs, and the worst splits and merges."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clustermark.diagnosis.captions import IN_SENTENCES, thing, things, things_text
from clustermark.diagnosis.costs import Costs
from clustermark.diagnosis.error_drawings import draw_repairs
from clustermark.diagnosis.error_list import lone_ids
from clustermark.errors import ClustermarkError
from clustermark.evaluation.page.elements import figure, plain_html
from clustermark.evaluation.page.handover import offer_repairs
from clustermark.evaluation.plots import draw_precision_recall
from clustermark.registry import find
from clustermark.results.values import count_text, quantity, share_text

if TYPE_CHECKING:
    from collections.abc import Iterable

    from clustermark.diagnosis import ErrorRow, Side
    from clustermark.diagnosis.record_columns import RecordFinder
    from clustermark.diagnosis.repairs import Repair, Repairs
    from clustermark.evaluation.page.elements import ClusterLinks
    from clustermark.evaluation.partitions import PartitionEvaluation

ERRORS = 10
_REPAIRS, _OPEN = 60, 8
_COUNTED = 20_000
"""Largest number of cells for which all repairs are counted; with more, finding them takes too long."""


def find_repairs(evaluation: PartitionEvaluation) -> Repairs | str:
    """Return the repairs that the page lists, or the reason why there are none."""
    try:
        return evaluation.repairs(_REPAIRS)
    except ClustermarkError as error:
        return str(error)


def render_repairs(
    evaluation: PartitionEvaluation, repairs: Repairs | str, links: ClusterLinks, finder: RecordFinder | None = None
) -> str:
    """Render two charts and the list of repairs; with a finder, also a download of the records that they move."""
    charts = [figure("balance", (4.6, 4.9), lambda ax: draw_precision_recall(ax, evaluation))]
    if isinstance(repairs, str):
        return f'<div class="pair">{charts[0]}<p class="note">No repairs: {plain_html(repairs)}.</p></div>'
    charts.append(figure("pareto", (5.2, 4.9), lambda ax: draw_repairs(ax, repairs)))
    mended = [share for _, share in repairs.curve()]
    items = [
        _render_repair(place, one, mended[place] - mended[place - 1], repairs.told, links)
        for place, one in enumerate(repairs, 1)
    ]
    rest = (
        f'<details open class="fold"><summary>{quantity(len(items) - _OPEN, "more repair")}</summary>'
        f'<ol class="errors work" start="{_OPEN + 1}">{"".join(items[_OPEN:])}</ol></details>'
    )
    listed = f'<ol class="errors work">{"".join(items[:_OPEN])}</ol>' if items else '<p class="note">None.</p>'
    certificate = f'<p class="note">{plain_html(repairs.certificate)}.</p>' if repairs.certificate else ""
    listed += rest if len(items) > _OPEN else ""
    listed += _say_rest(evaluation, repairs)
    return f'<div class="pair">{"".join(charts)}</div>{certificate}{offer_repairs(repairs, finder)}{listed}'


def _say_rest(evaluation: PartitionEvaluation, repairs: Repairs) -> str:
    """Say how many errors remain after the listed repairs, and how to list all repairs; empty if none remain."""
    if not len(repairs) or repairs[-1].mended == 1:
        return ""
    of = f" of {len(evaluation.repairs(None)):,}" if evaluation.table.n_cells <= _COUNTED else ""
    left = 1 - repairs[-1].mended
    return (
        f'<p class="note" id="more-repairs">The list has the first {len(repairs):,}{of} repairs; {share_text(left)} of '
        f"the wrong pairs ({count_text(round(left * repairs.wrong_pairs))}) are left after them. All of them: "
        "<code>clustermark repairs … --all</code>, or <code>evaluation.repairs(None)</code> in Python.</p>"
    )


def _render_repair(place: int, repair: Repair, mends: float, told: str, links: ClusterLinks) -> str:
    gains = [word_pairs(n, kind) for n, kind in ((repair.false_pairs, "false"), (repair.true_pairs, "missing")) if n]
    done = f"{100 * (repair.mended - mends):.2f}"
    after = "After this repair" if place == 1 else f"After repairs 1 to {place}"
    together = (
        f"All {things()} of {links.to(repair.cluster, 'true', width=40)} are together then. "
        if repair.side == "true" and repair.cluster is not None
        else ""
    )
    return (
        f'<li id="repair-{place}" tabindex="-1" data-mended="{repair.mended!r}"><div class="head">'
        f'<span><strong class="rank">{place}.</strong> {word_repair(repair, links)}</span>'
        f'<span class="unit">mends {" and ".join(gains)}; {things_text(repair.records)} to move</span></div>'
        f'<div class="stack" aria-hidden="true"><i class="done" style="width:{done}%"></i>'
        f'<i class="mended" style="width:{100 * mends:.2f}%"></i><i class="rest" style="flex:1"></i></div>'
        f'<div class="parts">{together}{after}: {share_text(repair.mended)} of the wrong pairs mended, '
        f"{plain_html(IN_SENTENCES.get(told, told))} {repair.scores[told]:.3f} "
        f'<a class="back" href="#pareto-step-{place}">show on the curve</a></div></li>'
    )


def word_pairs(n: float, kind: str) -> str:
    """Return a number of pairs as text, such as "3 false pairs"."""
    return f"{count_text(n)} {kind} pair{'' if n == 1 else 's'}"


def word_wrong_pairs(evaluation: PartitionEvaluation) -> str:
    """Return the numbers of false and missing pairs as HTML; empty if pairs are not counted or none is wrong."""
    if find("adjusted_rand").refusal(evaluation.table):
        return ""
    costs = Costs.of(evaluation.table)
    if not costs.wrong:
        return ""
    kinds = f"{word_pairs(costs.false_pairs, 'false')} and {word_pairs(costs.missing_pairs, 'missing')}"
    return f'<p class="answer">{word_pairs(costs.wrong, "wrong")}: {kinds}.</p>'


def word_repair(repair: Repair, links: ClusterLinks) -> str:
    """Return the sentence of a repair as HTML, with the action in bold and the names of clusters as links."""
    act, _, rest = repair.describe(lambda label, side: links.to(label, side, width=40), thing()).partition(" ")
    return f"<strong>{act}</strong> {rest}"


def render_errors(evaluation: PartitionEvaluation, links: ClusterLinks) -> str:
    """Render the worst splits and the worst merges side by side."""
    torn, thrown = ("missing", "in"), ("false", "from")
    splits, merges = evaluation.splits(ERRORS), evaluation.merges(ERRORS)
    content = (
        _error_list("merges", "Merges", merges, "No predicted cluster merges true ones.", thrown, links),
        _error_list("splits", "Splits", splits, "No true cluster is split.", torn, links),
    )
    return f'<div class="pair">{"".join(content)}</div>'


def _error_list(
    name: str, heading: str, rows: Iterable[ErrorRow], none: str, words: tuple[str, str], links: ClusterLinks
) -> str:
    own: tuple[Side, Side] = ("true", "pred") if name == "splits" else ("pred", "true")
    items = "\n".join(_error(row, *words, own, links) for row in rows)
    content = f'<ol class="errors">\n{items}\n</ol>' if items else f'<p class="note">{none}</p>'
    return f'<div class="{name}" id="{name}"><h3>{heading}</h3>{content}</div>'


def _error(row: ErrorRow, kind: str, place: str, sides: tuple[Side, Side], links: ClusterLinks) -> str:
    bars = "".join(f'<i style="width:{_percent(part.overlap, row.size)}%"></i>' for part in row.parts)
    rest = row.counterparts - len(row.parts)
    left = row.size - sum(part.overlap for part in row.parts)
    bars += f'<i class="rest" style="width:{_percent(left, row.size)}%"></i>' if rest else ""
    parts = [
        f"{count_text(part.overlap)} {place} {links.to(part.cluster, sides[1], width=40)}"
        for part in row.parts
        if part.cluster is not None
    ]
    unlabelled = [part for part in row.parts if part.cluster is None]
    how = "alone" if all(part.lone for part in unlabelled) else "without a label"
    which = plain_html(lone_ids(unlabelled))
    parts += [f"{count_text(sum(part.overlap for part in unlabelled))} {how}{which}"] if unlabelled else []
    parts += [f"{quantity(rest, 'more cluster')}"] if rest else []
    return (
        f'<li><div class="head"><strong>{links.to(row.cluster, sides[0])}</strong>'
        f'<span class="unit">{things_text(row.size)}, <span data-v="{row.pairs_lost!r}">'
        f"{word_pairs(row.pairs_lost, kind)}</span></span></div>"
        f'<div class="stack" aria-hidden="true">{bars}</div><div class="parts">{" · ".join(parts)}</div></li>'
    )


def _percent(part: float, whole: float) -> str:
    return f"{100 * max(0, part) / whole:.2f}" if whole else "0"
