"""The section "Who suffers": sizes and quality, groups of records, confirmed subgroups, confused true clusters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clustermark.diagnosis.captions import in_words, score_text, things
from clustermark.diagnosis.error_drawings import GROUPS, draw_quality, name_group
from clustermark.errors import ClustermarkError
from clustermark.evaluation.page.elements import figure, plain_html, rows_html
from clustermark.evaluation.plots import draw_classes, draw_clusters, draw_sizes, draw_suffering
from clustermark.results.values import count_text, decimals_apart, share_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clustermark.diagnosis.confusions import Confusion
    from clustermark.diagnosis.quality import GroupTable, Quality
    from clustermark.diagnosis.subgroups import Subgroup, Subgroups
    from clustermark.evaluation.page.elements import ClusterLinks
    from clustermark.evaluation.partitions import PartitionEvaluation

_CLASSES = 40
_ROWS = 20
_CONFUSIONS = 10
_HEADS = (
    "group", "{things}", "% of {things}", "% of errors", "pair precision", "pair recall", "B-cubed F", "interval",
)  # fmt: skip
_SAID = (
    "A {thing} counts with all its partners, those of other groups too: pair precision is the share of predicted "
    "partners that are true, pair recall the share of true partners that are predicted; errors are the wrong ones. "
    "B-cubed F is one number for both, each {thing} counting alike. The interval is its uncertainty, because "
    "these clusters are only a sample."
)
_NO_PARTNER = (
    "A dash below pair precision and pair recall: these {things} are alone in the truth, so there is no partner to "
    "find, none can be right, and precision would be 0 whatever the prediction does."
)
_HALVES = (
    "Among many groups, some look bad by chance. Therefore the clusters were divided into two halves at random: groups "
    "that stand out in one half were tested in the other, and the numbers are those of the other. The error of a "
    "{thing} is the mean of two shares: the share of its predicted cluster that is not in its true cluster, and the "
    "share of its true cluster that is not in its predicted one. The interval of the difference is in brackets. p is "
    "the probability of such a difference by chance, adjusted for all groups that were tried; a group is confirmed if "
    "p is at most {limit:.2g}."
)


def render_suffering(evaluation: PartitionEvaluation, groups: Sequence[GroupTable], subgroups: Subgroups | None) -> str:
    """Render the confirmed subgroups, the sizes and quality of clusters, and the quality of groups of points."""
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
    return f'{_render_subgroups(subgroups)}<div class="pair">{"".join(figures)}</div>{more}'


def _render_groups(place: int, groups: GroupTable | str) -> str:
    """Render the chart and the table of groups, or the reason why there are none."""
    if isinstance(groups, str):
        return f'<p class="note">No quality by size: {plain_html(groups)}.</p>'
    height = 1.3 + 0.24 * max(4, min(len(groups), GROUPS))
    drawn = figure(f"quality-{place}", (4.3, height), lambda ax: draw_quality(ax, groups))
    rows = rows_html(map(in_words, _HEADS), map(_cells, groups[:_ROWS]), f"Quality by {' and '.join(groups.by)}")
    left = len(groups) - _ROWS
    notes = [in_words(_SAID)] if place == 0 else []
    notes += [in_words(_NO_PARTNER)] if any(map(_lacks_partners, groups[:_ROWS])) else []
    notes += [f"The table has the first {_ROWS} groups; {left:,} more are left out."] if left > 0 else []
    notes += [f"{note[:1].upper()}{note[1:]}." for note in groups.notes]
    said = "".join(f'<p class="note">{plain_html(note)}</p>' for note in notes)
    return f'<div class="groups"><div class="pair">{drawn}<div>{said}</div></div>{rows}</div>'


def _cells(row: Quality) -> list[str]:
    span = "" if row.low is None or row.high is None else f"{row.low:.3f} to {row.high:.3f}"
    precision = None if _lacks_partners(row) else row.pair_precision
    scores = ("–" if one is None else score_text(one) for one in (precision, row.pair_recall, row.b_cubed_f))
    shares = (share_text(row.share_of_points), share_text(row.share_of_errors))
    return [f"<bdi>{plain_html(name_group(row.group, 60))}</bdi>", count_text(row.points), *shares, *scores, span]


def _lacks_partners(row: Quality) -> bool:
    """Return whether no point of a group has a partner in the truth, so that its pair precision must be 0."""
    return row.pair_recall is None and row.pair_precision is not None


def _render_subgroups(found: Subgroups | None) -> str:
    """Render the conclusion, and the groups found on one half of the clusters with their test on the other half."""
    if found is None:
        return ""
    answer = f'<p class="answer">{plain_html(_answer(found))}</p>'
    heads = ("group", things(), "error", "of the rest", "difference", "p", "")
    rows = [
        [
            f"<bdi>{plain_html(row.text)}</bdi>", count_text(row.points), f"{row.error:.3f}", f"{row.rest:.3f}",
            _difference(row), f"{row.p_adjusted:.3g}",
            "confirmed" if row.confirmed else "not confirmed",
        ]
        for row in found
    ]  # fmt: skip
    table = rows_html(heads, rows, "Groups that suffer more than the rest") if rows else ""
    notes = [in_words(_HALVES, limit=1 - found.level)] if rows else []
    said = "".join(f'<p class="note">{plain_html(note)}</p>' for note in [*notes, found.note])
    return (
        f'{answer}<div class="groups" id="subgroups"><h3>Groups that suffer more than the rest</h3>{table}{said}</div>'
    )


def _difference(row: Subgroup) -> str:
    """Return a difference and its limits, with so many decimals that the sign of each limit is right."""
    digits = decimals_apart([row.low, row.high], fewest=3)
    value, low, high = (f"{number:+.{digits}f}" for number in (row.difference, row.low, row.high))
    return f"{value} ({low} to {high})"


def _answer(found: Subgroups) -> str:
    """Return the conclusion on subgroups as a sentence."""
    if not found.looked_at:
        return "These data do not show whether a group of records suffers more than the rest."
    if not found.confirmed:
        return "No group of records suffers more than the rest beyond what chance explains."
    groups = "; ".join(
        f"with {row.text} the error is {row.error:.3f}, of all others {row.rest:.3f}"
        + (f" ({row.error / row.rest:.1f} times as much)" if row.rest else "")
        for row in found.confirmed
    )
    which = "A group of records suffers" if len(found.confirmed) == 1 else "Some groups of records suffer"
    return f"{which} more than the rest: {groups}. One half of the clusters showed it, the other confirmed it."


def render_confusions(evaluation: PartitionEvaluation, links: ClusterLinks) -> str:
    """Render the pairs of true clusters that are put together most often, with the predicted clusters involved."""
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
