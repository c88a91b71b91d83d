"""Who suffers: sizes and quality, groups of records, subgroups that were confirmed, and confused true clusters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clustermark.errors import ClustermarkError
from clustermark.report.captions import count_text, score_text, share_text
from clustermark.report.charts.errors import draw_classes, draw_suffering
from clustermark.report.charts.plots import draw_clusters, draw_sizes
from clustermark.report.charts.suffering import GROUPS, draw_quality, name_group
from clustermark.report.page.elements import figure, plain_html, rows_html

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clustermark.diagnosis.confusions import Confusion
    from clustermark.diagnosis.quality import GroupTable, Quality
    from clustermark.diagnosis.subgroups import Subgroups
    from clustermark.evaluation import Evaluation
    from clustermark.report.page.elements import ClusterLinks

_CLASSES = 40
_ROWS = 20
_CONFUSIONS = 10
_HEADS = (
    "group", "points", "% of points", "% of errors", "pair precision", "pair recall", "B-cubed F", "interval",
)  # fmt: skip
_SAID = (
    "A point counts with all its partners, those of other groups too: pair precision is the share of predicted "
    "partners that are true, pair recall the share of true partners that are predicted; errors are the wrong ones."
)


def render_suffering(evaluation: Evaluation, groups: Sequence[GroupTable], subgroups: Subgroups | None) -> str:
    """Sizes and quality of clusters, then the quality of groups of points."""
    figures = [
        figure("suffering", (4.3, 3.8), lambda ax: draw_suffering(ax, evaluation)),
        figure("sizes", (4.3, 3.8), lambda ax: draw_sizes(ax, evaluation.sizes)),
        figure("predicted-scores", (4.3, 3.8), lambda ax: draw_clusters(ax, evaluation, "pred")),
        figure("true-scores", (4.3, 3.8), lambda ax: draw_clusters(ax, evaluation, "true")),
    ]
    total = evaluation.classes.total
    if 1 < total <= _CLASSES:
        height = 1.0 + 0.24 * max(6, total)
        figures.append(figure("classes", (4.3, height), lambda ax: draw_classes(ax, evaluation, _CLASSES)))
    try:
        tables: list[GroupTable | str] = [evaluation.by_size(), *groups]
    except ClustermarkError as error:
        tables = [str(error)]
    more = "".join(_render_groups(place, one) for place, one in enumerate(tables))
    return f'<div class="pair">{"".join(figures)}</div>{more}{_render_subgroups(subgroups)}'


def _render_groups(place: int, groups: GroupTable | str) -> str:
    """A chart and a table; or why there are none."""
    if isinstance(groups, str):
        return f'<p class="note">No quality by size: {plain_html(groups)}.</p>'
    height = 1.3 + 0.24 * max(4, min(len(groups), GROUPS))
    drawn = figure(f"quality-{place}", (4.3, height), lambda ax: draw_quality(ax, groups))
    rows = rows_html(_HEADS, map(_cells, groups[:_ROWS]), f"Quality by {' and '.join(groups.by)}")
    left = len(groups) - _ROWS
    notes = [_SAID] if place == 0 else []
    notes += [f"The table has the first {_ROWS} groups; {left:,} more are left out."] if left > 0 else []
    notes += [f"{note}." for note in groups.notes]
    said = "".join(f'<p class="note">{plain_html(note)}</p>' for note in notes)
    return f'<div class="groups"><div class="pair">{drawn}<div>{said}</div></div>{rows}</div>'


def _cells(row: Quality) -> list[str]:
    span = "" if row.low is None or row.high is None else f"{row.low:.3f} to {row.high:.3f}"
    scores = ("–" if one is None else score_text(one) for one in (row.pair_precision, row.pair_recall, row.b_cubed_f))
    shares = (share_text(row.share_of_points), share_text(row.share_of_errors))
    return [f"<bdi>{plain_html(name_group(row.group, 60))}</bdi>", count_text(row.points), *shares, *scores, span]


def _render_subgroups(found: Subgroups | None) -> str:
    """The groups that were found on one half of the clusters, and what the other half says of them."""
    if found is None:
        return ""
    heads = ("group", "points", "error", "of the rest", "difference", "p, adjusted", "")
    rows = [
        [
            f"<bdi>{plain_html(row.text)}</bdi>", count_text(row.points), f"{row.error:.3f}", f"{row.rest:.3f}",
            f"{row.difference:+.3f} ({row.low:+.3f} to {row.high:+.3f})", f"{row.p_adjusted:.3g}",
            "confirmed" if row.confirmed else "not confirmed",
        ]
        for row in found
    ]  # fmt: skip
    table = rows_html(heads, rows, "Groups that suffer more than the rest") if rows else ""
    said = f'<p class="note">{plain_html(found.note)}</p>'
    return f'<div class="groups" id="subgroups"><h3>Groups that suffer more than the rest</h3>{table}{said}</div>'


def render_confusions(evaluation: Evaluation, links: ClusterLinks) -> str:
    """The pairs of true clusters that are put together most often, each with where they meet."""
    try:
        found = evaluation.confusions(_CONFUSIONS)
    except ClustermarkError as error:
        listed = f'<p class="note">{plain_html(error)}</p>'
    else:
        items = "".join(_confusion(row, links) for row in found)
        listed = (
            f'<ol class="errors">{items}</ol>' if items else '<p class="note">No two true clusters are confused.</p>'
        )
    return f'<div class="merges" id="confusions"><h3>Most confused pairs of true clusters</h3>{listed}</div>'


def _confusion(row: Confusion, links: ClusterLinks) -> str:
    first, second = (links.to(label, "true", width=60) for label in (row.first, row.second))
    where = [
        f"{count_text(one.first)} with {count_text(one.second)} in {links.to(one.cluster, 'pred', width=40)}"
        for one in row.where
    ]
    left = row.clusters - len(where)
    where += [f"{left:,} more clusters"] if left else []
    share = f"{100 * row.share:.2f}"
    return (
        f'<li><div class="head"><span><strong>{first}</strong> and <strong>{second}</strong></span>'
        f'<span class="unit"><span data-v="{row.false_pairs!r}">{count_text(row.false_pairs)}</span> false pairs, '
        f"{share_text(row.share)} of all false pairs</span></div>"
        f'<div class="stack" aria-hidden="true"><i style="width:{share}%"></i><i class="rest" style="flex:1"></i></div>'
        f'<div class="parts">{" · ".join(where)}</div></li>'
    )
