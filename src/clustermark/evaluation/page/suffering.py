"""The section "Who suffers": sizes and quality, groups of records, confirmed subgroups, confused true clusters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clustermark.diagnosis.captions import in_words, score_text, things
from clustermark.diagnosis.error_drawings import GROUPS, draw_quality, name_group
from clustermark.errors import ClustermarkError
from clustermark.evaluation.page.elements import joined, note, rows_html, stack
from clustermark.evaluation.plots import draw_classes, draw_clusters, draw_sizes, draw_suffering
from clustermark.results.document import Chart
from clustermark.results.html import Html, each, fragment, h
from clustermark.results.page import figure_html
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
_SIZE = (4.3, 3.8)
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


def suffering_html(evaluation: PartitionEvaluation, groups: Sequence[GroupTable], subgroups: Subgroups | None) -> Html:
    """Return the confirmed subgroups, the sizes and quality of clusters, and the quality of groups of points."""
    charts = [
        Chart("suffering", _SIZE, lambda ax: draw_suffering(ax, evaluation)),
        Chart("sizes", _SIZE, lambda ax: draw_sizes(ax, evaluation.sizes)),
        Chart("predicted-scores", _SIZE, lambda ax: draw_clusters(ax, evaluation, "pred")),
        Chart("true-scores", _SIZE, lambda ax: draw_clusters(ax, evaluation, "true")),
    ]
    total = evaluation.classes.total
    if 1 < total <= _CLASSES:
        height = 1.0 + 0.24 * max(6, total)
        charts.append(Chart("classes", (4.3, height), lambda ax: draw_classes(ax, evaluation, _CLASSES)))
    try:
        tables: list[GroupTable | str] = [evaluation.by_size(), *groups]
    except ClustermarkError as error:
        tables = [str(error)]
    more = (_groups(place, one) for place, one in enumerate(tables))
    return fragment(subgroups_html(subgroups), h("div", map(figure_html, charts), class_="pair"), more)


def _groups(place: int, groups: GroupTable | str) -> Html:
    """Return the chart and the table of groups, or the reason why there are none."""
    if isinstance(groups, str):
        return note(f"No quality by size: {groups}.")
    height = 1.3 + 0.24 * max(4, min(len(groups), GROUPS))
    drawn = figure_html(Chart(f"quality-{place}", (4.3, height), lambda ax: draw_quality(ax, groups)))
    heads = [in_words(head) for head in _HEADS]
    rows = rows_html(heads, [_cells(row) for row in groups[:_ROWS]], f"Quality by {' and '.join(groups.by)}")
    left = len(groups) - _ROWS
    notes = [in_words(_SAID)] if place == 0 else []
    notes += [in_words(_NO_PARTNER)] if any(map(_lacks_partners, groups[:_ROWS])) else []
    notes += [f"The table has the first {_ROWS} groups; {left:,} more are left out."] if left > 0 else []
    notes += [f"{note_text[:1].upper()}{note_text[1:]}." for note_text in groups.notes]
    beside = h("div", drawn, h("div", each("p", notes, class_="note")), class_="pair")
    return h("div", beside, rows, class_="groups")


def _cells(row: Quality) -> list[Any]:
    span = "" if row.low is None or row.high is None else f"{row.low:.3f} to {row.high:.3f}"
    precision = None if _lacks_partners(row) else row.pair_precision
    scores = ("–" if one is None else score_text(one) for one in (precision, row.pair_recall, row.b_cubed_f))
    shares = (share_text(row.share_of_points), share_text(row.share_of_errors))
    return [h("bdi", name_group(row.group, 60)), count_text(row.points), *shares, *scores, span]


def _lacks_partners(row: Quality) -> bool:
    """Return whether no point of a group has a partner in the truth, so that its pair precision must be 0."""
    return row.pair_recall is None and row.pair_precision is not None


def subgroups_html(found: Subgroups | None) -> Html:
    """Return the conclusion, and the groups found on one half of the clusters with their test on the other half."""
    if found is None:
        return Html()
    heads = ("group", things(), "error", "of the rest", "difference", "p", "")
    rows = [
        [
            h("bdi", row.text), count_text(row.points), f"{row.error:.3f}", f"{row.rest:.3f}",
            _difference(row), f"{row.p_adjusted:.3g}",
            "confirmed" if row.confirmed else "not confirmed",
        ]
        for row in found
    ]  # fmt: skip
    title = "Groups that suffer more than the rest"
    table = rows_html(heads, rows, title) if rows else None
    notes = [*([in_words(_HALVES, limit=1 - found.level)] if rows else []), found.note]
    listed = h("div", h("h3", title), table, each("p", notes, class_="note"), class_="groups", id="subgroups")
    return fragment(h("p", _answer(found), class_="answer"), listed)


def _difference(row: Subgroup) -> str:
    """Return a difference and its limits, with enough decimals to show the sign of each limit."""
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


def confusions_html(evaluation: PartitionEvaluation, links: ClusterLinks) -> Html:
    """Return the pairs of true clusters that are put together most often, with the predicted clusters involved."""
    try:
        items = [_confusion(row, links) for row in evaluation.confusions(_CONFUSIONS)]
    except ClustermarkError as error:
        listed = note(error)
    else:
        listed = h("ol", items, class_="errors") if items else note("No two true clusters are confused.")
    return h("div", h("h3", "Most confused pairs of true clusters"), listed, class_="merges", id="confusions")


def _confusion(row: Confusion, links: ClusterLinks) -> Html:
    first, second = (h("strong", links.to(label, "true", width=60)) for label in (row.first, row.second))
    where: list[Any] = [
        (f"{count_text(one.first)} with {count_text(one.second)} in ", links.to(one.cluster, "pred", width=40))
        for one in row.where
    ]
    left = row.clusters - len(where)
    where += [f"{left:,} more clusters"] if left else []
    lost = h("span", count_text(row.false_pairs), data_v=repr(row.false_pairs))
    of = h("span", lost, f" false pairs, {share_text(row.share)} of all false pairs", class_="unit")
    return h(
        "li",
        h("div", h("span", first, " and ", second), of, class_="head"),
        stack(h("i", style=f"width:{100 * row.share:.2f}%"), h("i", class_="rest", style="flex:1")),
        h("div", joined(" · ", where), class_="parts"),
    )
