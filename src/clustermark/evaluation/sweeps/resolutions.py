"""The tree of resolutions: clusters of labelings that follow each other, and the points that flow between them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from clustermark.results.canvas import INK, MUTED, PRED, TRUE, Drawn, draw_nothing
from clustermark.results.values import count_text, label_text, share_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from clustermark.evaluation.sweeps.flows import Flows

_TITLE = "How clusters flow into each other"
_MOST = 2_000
"""So many flows are drawn, the largest."""
_LETTERS = 40
"""So many clusters of a labeling have their names written."""


def draw_resolutions(ax: Axes, flows: Flows) -> Drawn:
    """A row a labeling, a circle a cluster as large as its share of the points, a line a flow."""
    if len(flows.levels) < 2 or not len(flows):
        return draw_nothing(ax, _TITLE, "There is one labeling, or labelings share no point.")
    hover: dict[str, str] = {}
    places = place_clusters(flows)
    shown = sorted(flows, key=lambda flow: -flow.points)[:_MOST]
    for number, flow in enumerate(shown):
        start, end = places[flow.threshold, flow.cluster], places[flow.next_threshold, flow.next_cluster]
        whole = flow.next_share > 0.5
        (line,) = ax.plot(
            *zip(start, end, strict=True), color=TRUE if whole else PRED, linewidth=0.4 + 4.6 * flow.share,
            alpha=0.25 + 0.6 * flow.next_share, zorder=1, gid=f"resolution-{number}", solid_capstyle="round",
        )  # fmt: skip
        hover[str(line.get_gid())] = (
            f"{flow.threshold:g}: {label_text(flow.cluster, 40)} → {flow.next_threshold:g}: "
            f"{label_text(flow.next_cluster, 40)}: {count_text(flow.points)} points, {share_text(flow.share)} of the "
            f"first and {share_text(flow.next_share)} of the second"
        )
    total = max(sum(node.points for node in flows.nodes if node.threshold == level) for level in flows.levels)
    few = {level: sum(node.threshold == level for node in flows.nodes) <= _LETTERS for level in flows.levels}
    for node in flows.nodes:
        x, y = places[node.threshold, node.cluster]
        area = 30 + 700 * node.points / total
        ax.scatter([x], [y], s=area, color=INK, zorder=2, linewidths=0)
        if few[node.threshold]:
            ax.annotate(
                label_text(node.cluster, 12), (x, y), xytext=(0, area**0.5 / 2 + 2), textcoords="offset points",
                ha="center", fontsize="x-small", color=MUTED, parse_math=False,
            )  # fmt: skip
    ax.set_yticks(range(len(flows.levels)), [f"{level:g}" for level in flows.levels])
    ax.set(ylim=(len(flows.levels) - 0.5, -0.5), xlim=(-0.08, 1.08))
    ax.set_xticks([])
    ax.tick_params(length=0, labelcolor=MUTED)
    for spine in ax.spines.values():
        spine.set_visible(False)
    left = f" The {_MOST:,} largest of {len(flows):,} flows." if len(flows) > _MOST else ""
    return Drawn(
        _TITLE,
        "A row a labeling, a circle a cluster, a line as wide as the share of its cluster that goes there. Blue: most "
        f"points of the cluster below come from there; orange: they do not.{left}",
        hover,
    )


def place_clusters(flows: Flows) -> dict[tuple[float, Any], tuple[float, float]]:
    """Where each cluster stands: below the clusters that its points come from, evenly spread over its row."""
    across: dict[tuple[float, Any], float] = {}
    for level in flows.levels:
        own = [node.cluster for node in flows.nodes if node.threshold == level]
        pulls, weights = dict.fromkeys(own, 0.0), dict.fromkeys(own, 0)
        for flow in flows:
            if flow.next_threshold == level:
                pulls[flow.next_cluster] += across[flow.threshold, flow.cluster] * flow.points
                weights[flow.next_cluster] += flow.points
        wanted = [
            pulls[cluster] / weights[cluster] if weights[cluster] else place / len(own)
            for place, cluster in enumerate(own)
        ]
        for place, at in enumerate(np.argsort(wanted, kind="stable").tolist()):
            across[level, own[at]] = (place + 0.5) / len(own)
    rows = {level: row for row, level in enumerate(flows.levels)}
    return {key: (x, float(rows[key[0]])) for key, x in across.items()}
