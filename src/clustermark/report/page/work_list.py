"""What to mend first: precision against recall, which decides the cure, the repairs, and the worst errors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clustermark.errors import ClustermarkError
from clustermark.report.captions import IN_SENTENCES, count_text, lone_ids, share_text
from clustermark.report.charts.errors import draw_precision_recall, draw_repairs
from clustermark.report.page.elements import figure, plain_html
from clustermark.report.text import quantity

if TYPE_CHECKING:
    from collections.abc import Iterable

    from clustermark.diagnosis import ErrorRow, Side
    from clustermark.evaluation import Evaluation
    from clustermark.repairs import Repair, Repairs
    from clustermark.repairs.wording import Piece
    from clustermark.report.page.elements import ClusterLinks

ERRORS = 10
_REPAIRS, _OPEN = 60, 8
_NAMED = 4


def find_repairs(evaluation: Evaluation) -> Repairs | str:
    """The repairs that the page lists, or why there are none."""
    try:
        return evaluation.repairs(_REPAIRS)
    except ClustermarkError as error:
        return str(error)


def render_repairs(evaluation: Evaluation, repairs: Repairs | str, links: ClusterLinks) -> str:
    """The two charts that decide what to do, and the list of repairs."""
    charts = [figure("balance", (4.6, 4.9), lambda ax: draw_precision_recall(ax, evaluation))]
    if isinstance(repairs, str):
        return f'<div class="pair">{charts[0]}<p class="note">No repairs: {plain_html(repairs)}.</p></div>'
    charts.append(figure("pareto", (5.2, 4.9), lambda ax: draw_repairs(ax, repairs)))
    items = [_render_repair(place, one, repairs.told, links) for place, one in enumerate(repairs, 1)]
    rest = (
        f'<details open class="fold long"><summary>{quantity(len(items) - _OPEN, "more repair")}</summary>'
        f'<ol class="errors work" start="{_OPEN + 1}">{"".join(items[_OPEN:])}</ol></details>'
    )
    listed = f'<ol class="errors work">{"".join(items[:_OPEN])}</ol>' if items else '<p class="note">None.</p>'
    certificate = f'<p class="note">{plain_html(repairs.certificate)}.</p>' if repairs.certificate else ""
    return f'<div class="pair">{"".join(charts)}</div>{certificate}{listed}{rest if len(items) > _OPEN else ""}'


def _render_repair(place: int, repair: Repair, told: str, links: ClusterLinks) -> str:
    gains = [
        f"{count_text(n)} {what}"
        for n, what in ((repair.true_pairs, "true pairs gained"), (repair.false_pairs, "false pairs removed"))
        if n
    ]
    share = f"{100 * repair.mended:.2f}"
    return (
        f'<li id="repair-{place}" tabindex="-1" data-mended="{repair.mended!r}"><div class="head">'
        f'<span><strong class="rank">{place}.</strong> {_word(repair, links)}</span>'
        f'<span class="unit">{", ".join(gains)}; {quantity(repair.records, "record")}</span></div>'
        f'<div class="stack" aria-hidden="true"><i class="mended" style="width:{share}%"></i>'
        f'<i class="rest" style="flex:1"></i></div>'
        f'<div class="parts">{share_text(repair.mended)} of the wrong pairs mended so far; '
        f"{plain_html(IN_SENTENCES.get(told, told))} {repair.scores[told]:.3f} "
        f'<a class="back" href="#pareto">show on the curve</a></div></li>'
    )


def _word(repair: Repair, links: ClusterLinks) -> str:
    """A repair as HTML: what to do, each cluster a link."""

    def name(piece: Piece, side: Side) -> str:
        if piece.lone or piece.cluster is None:
            return "a lone record"
        return ("the part of " if piece.cut else "") + links.to(piece.cluster, side, width=40)

    shown = repair.pieces[:_NAMED]
    left = repair.n_pieces - len(shown)
    more = [f"{left:,} more"] if left else []
    if repair.action == "split":
        parts = [f"{count_text(piece.records)} of {name(piece, 'true')}" for piece in shown]
        whole = links.to(repair.cluster, "pred")
        return f"<strong>split</strong> {whole}: {', '.join([*parts, *more])}"
    taken = [
        ("" if piece.whole else f"{count_text(piece.records)} of {count_text(piece.size)} from ") + name(piece, "pred")
        for piece in shown
    ]
    what = {"merge": "merge", "move": "bring together", "extract": "give a cluster of its own"}[repair.action]
    owner = "" if repair.cluster is None else f" (all of {links.to(repair.cluster, 'true', width=40)})"
    return f"<strong>{what}</strong> {', '.join([*taken, *more])}{owner}"


def render_errors(evaluation: Evaluation, links: ClusterLinks) -> str:
    """The worst splits and the worst merges, side by side."""
    torn, thrown = ("apart in the prediction", "in"), ("apart in the truth", "from")
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


def _error(row: ErrorRow, apart: str, place: str, sides: tuple[Side, Side], links: ClusterLinks) -> str:
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
        f'<span class="unit">{count_text(row.size)} points, <span data-v="{row.pairs_lost!r}">'
        f"{count_text(row.pairs_lost)}</span> pairs {apart}</span></div>"
        f'<div class="stack" aria-hidden="true">{bars}</div><div class="parts">{" · ".join(parts)}</div></li>'
    )


def _percent(part: float, whole: float) -> str:
    return f"{100 * max(0, part) / whole:.2f}" if whole else "0"
