"""The charts of a sweep by matplotlib: curves, tradeoff, calibration, and the tree of resolutions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from clustermark.errors import InputError
from clustermark.registry import index_of
from clustermark.results.canvas import AGREED, INK, MUTED, PRED, TRUE, Drawn, calm, draw_nothing, draw_on
from clustermark.results.values import count_text, label_text, share_text, threshold_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

    from clustermark.evaluation.curves import Curves
    from clustermark.evaluation.labeling_flows import Flows
    from clustermark.evaluation.labeling_sweeps import PointSweep
    from clustermark.evaluation.pair_accounts import Calibration
    from clustermark.registry import Index


_STYLES = ((TRUE, "-"), (PRED, "-"), (AGREED, "-"), (INK, "--"), (MUTED, "-."), (TRUE, ":"), (PRED, ":"), (AGREED, ":"))
_SHOWN = ("pair_precision", "pair_recall", "dice", "b_cubed_f", "adjusted_rand")


class CurvePlots:
    """The charts of a sweep. Each draws on `ax`, or on a new figure, and returns the Axes."""

    def __init__(self, curves: Curves | PointSweep) -> None:
        self._curves = curves

    def curves(self, *indices: str | Index[...], ax: Axes | None = None) -> Axes:
        """Draw scores over thresholds, with a mark at the best score of each index; by default for a few indices."""
        chosen = [index_of(index) for index in indices] or usual_indices(self._curves)
        return draw_on(ax, (6.4, 4), lambda ax: draw_curves(ax, self._curves, chosen))

    def tradeoff(
        self,
        recall: str | Index[...] = "pair_recall",
        precision: str | Index[...] = "pair_precision",
        ax: Axes | None = None,
    ) -> Axes:
        """Draw precision over recall, one point per threshold."""
        sides = index_of(recall), index_of(precision)
        return draw_on(ax, (4.6, 4.4), lambda ax: draw_tradeoff(ax, self._curves, *sides))

    def calibration(self, bins: int = 10, ax: Axes | None = None) -> Axes:
        """Draw the share of true pairs over their predicted probability; for sweeps of scored pairs."""
        calibrate = getattr(self._curves, "calibration", None)
        if calibrate is None:
            raise InputError("only a sweep of scored pairs has probabilities to calibrate")
        found = calibrate(bins)
        return draw_on(ax, (4.6, 4.4), lambda ax: draw_calibration(ax, found))

    def tree(self, ax: Axes | None = None) -> Axes:
        """Draw the tree of resolutions: how clusters flow from each labeling to the next; for sweeps of labelings."""
        flows = getattr(self._curves, "flows", None)
        if flows is None:
            raise InputError("only a sweep of labelings has a tree of resolutions")
        drawn: Axes = flows().plot(ax)
        return drawn

    def __repr__(self) -> str:
        names = ", ".join(name for name in dir(self) if not name.startswith("_"))
        return f"Plots of a sweep: {names}"


def usual_indices(curves: Curves | PointSweep) -> list[Index[...]]:
    """Return the indices to draw: all if they are few, else the most informative ones, or some that are bounded."""
    own = {index.label: index for index in curves.indices}
    if len(own) <= len(_SHOWN):
        return list(own.values())
    bounded = [index for index in own.values() if np.isfinite(index.bounds).all()]
    return [own[name] for name in _SHOWN if name in own] or (bounded or list(own.values()))[:5]


def draw_curves(ax: Axes, curves: Curves | PointSweep, indices: Sequence[Index[...]], at: float | None = None) -> Drawn:
    """Draw scores over thresholds, with a mark at the best of each index and a line at the threshold `at`."""
    hover: dict[str, str] = {}
    for place, index in enumerate(indices):
        thresholds, scores = np.array(curves.curve(index), np.float64).reshape(-1, 2).T
        colour, dashes = _STYLES[place % len(_STYLES)]
        finite = np.isfinite(thresholds)
        style: dict[str, Any] = {"drawstyle": "steps-post"} if curves.has_steps else {"marker": ".", "markersize": 4}
        ax.plot(thresholds[finite], scores[finite], color=colour, linestyle=dashes, label=index.label, **style)
        best = curves.best(index)
        if np.isfinite(best.threshold):
            dot = ax.plot([best.threshold], [best.score], "o", color=colour, markersize=5)[0]
            _name_mark(dot, f"best-{place}", f"{index.label}: {best.score!r} at {best.threshold!r}", hover)
    if at is not None and np.isfinite(at):
        ax.axvline(at, color=MUTED, linewidth=0.8, linestyle="--")
    ax.set_xlabel(curves.axis)
    ax.set_ylabel("score")
    calm(ax)
    ax.legend(loc="best", frameon=False, fontsize="small")
    line = "" if at is None else f"; the dashed line is at {threshold_text(at)}"
    return Drawn(f"Scores by {curves.axis}", f"A dot marks the best {curves.axis} by each index{line}.", hover)


def draw_tradeoff(
    ax: Axes, curves: Curves | PointSweep, recall: Index[...], precision: Index[...], at: float | None = None
) -> Drawn:
    """Draw precision over recall, one point per threshold, with a mark at the threshold `at`."""
    across, up = (dict(curves.curve(index)) for index in (recall, precision))
    both = [threshold for threshold in across if threshold in up]
    ax.plot([across[t] for t in both], [up[t] for t in both], color=TRUE)
    hover: dict[str, str] = {}
    note = "One point a threshold"
    if at is not None and at in across and at in up:
        dot = ax.plot([across[at]], [up[at]], "o", color=PRED, markersize=7)[0]
        text = f"threshold {threshold_text(at)}: {recall.label} {across[at]!r}, {precision.label} {up[at]!r}"
        _name_mark(dot, "chosen", text, hover)
        note += f"; the dot is at {threshold_text(at)}"
    ax.set(xlabel=recall.label, ylabel=precision.label, xlim=(0, 1.03), ylim=(0, 1.03))
    calm(ax)
    return Drawn("Tradeoff between precision and recall", f"{note}.", hover)


def draw_calibration(ax: Axes, found: Calibration) -> Drawn:
    """Draw the share of true pairs over their predicted probability, with the diagonal of perfect calibration."""
    columns = found.to_dict()
    ax.plot([0, 1], [0, 1], color=MUTED, linewidth=0.8, linestyle="--")
    ax.plot(columns["mean_probability"], columns["share_true"], color=TRUE)
    hover: dict[str, str] = {}
    for place, (low, high, pairs, mean, share) in enumerate(zip(*columns.values(), strict=True)):
        dot = ax.plot([mean], [share], "o", color=TRUE, markersize=6)[0]
        text = f"{low:.2f} to {high:.2f}: {pairs:,} pairs, mean probability {mean:.3f}, share true {share:.3f}"
        _name_mark(dot, f"bin-{place}", text, hover)
    ax.set(xlabel="probability", ylabel="share of true pairs", xlim=(-0.02, 1.02), ylim=(-0.02, 1.02))
    calm(ax)
    note = (
        f"Brier score {found.brier:.4f}, calibration error {found.error:.4f}; calibrated probabilities lie on the line."
    )
    return Drawn("Calibration of the scores", note, hover)


def _name_mark(mark: Line2D, name: str, text: str, hover: dict[str, str]) -> None:
    mark.set_gid(name)
    hover[name] = text


_TITLE = "How clusters flow into each other"
_MOST = 2_000
"""Maximal number of flows drawn, the largest ones."""
_LETTERS = 40
"""Maximal number of clusters of a labeling whose names are drawn."""


def draw_resolutions(ax: Axes, flows: Flows) -> Drawn:
    """Draw a row per labeling, a circle per cluster with its share of the points as area, and a line per flow."""
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
            f"{threshold_text(flow.threshold)}: {label_text(flow.cluster, 40)} → "
            f"{threshold_text(flow.next_threshold)}: {label_text(flow.next_cluster, 40)}: "
            f"{count_text(flow.points)} points, {share_text(flow.share)} of the first and "
            f"{share_text(flow.next_share)} of the second"
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
    ax.set_yticks(range(len(flows.levels)), [threshold_text(level) for level in flows.levels])
    ax.set(ylim=(len(flows.levels) - 0.5, -0.5), xlim=(-0.08, 1.08))
    ax.set_xticks([])
    ax.tick_params(length=0, labelcolor=MUTED)
    for spine in ax.spines.values():
        spine.set_visible(False)
    left = f" The {_MOST:,} largest of {len(flows):,} flows." if len(flows) > _MOST else ""
    return Drawn(
        _TITLE,
        "Each row is a labeling, each circle a cluster; the width of a line is the share of its cluster that goes "
        f"there. Blue: most points of the cluster below come from there; orange: they do not.{left}",
        hover,
    )


def place_clusters(flows: Flows) -> dict[tuple[float, Any], tuple[float, float]]:
    """Return the position of each cluster: below the clusters that its points come from, evenly spread in its row."""
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
