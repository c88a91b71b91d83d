"""The flow of points from true to predicted clusters: an alluvial diagram of the largest."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from clustermark.report.captions import count_text, label_text, share_text
from clustermark.report.charts.plots import INK, MUTED, PRED, TRUE, Chart, clusters_text, draw_nothing

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.patches import PathPatch
    from numpy.typing import NDArray

    from clustermark.diagnosis import OverlapMap

_NODE = 0.022
_TITLE = "Where the points go"


class _Flows(NamedTuple):
    """Points from each true to each predicted cluster; the last row and column gather all other clusters."""

    counts: NDArray[np.float64]
    true_names: list[str]
    pred_names: list[str]
    true_sizes: list[float]
    pred_sizes: list[float]
    matched: NDArray[np.bool_]


def _flows_of(overlaps: OverlapMap) -> _Flows:
    shown = np.asarray(overlaps.counts, float)
    true_sizes, pred_sizes = np.asarray(overlaps.true_sizes, float), np.asarray(overlaps.pred_sizes, float)
    counts = np.zeros((shown.shape[0] + 1, shown.shape[1] + 1))
    counts[:-1, :-1] = shown
    counts[:-1, -1] = _rest(true_sizes, shown.sum(1))
    counts[-1, :-1] = _rest(pred_sizes, shown.sum(0))
    jaccard = shown / np.maximum(true_sizes[:, None] + pred_sizes - shown, np.finfo(float).tiny)
    best = (jaccard == jaccard.max(1, keepdims=True)) & (jaccard == jaccard.max(0, keepdims=True)) & (shown > 0)
    matched = np.zeros(counts.shape, np.bool_)
    matched[:-1, :-1] = best
    return _Flows(
        counts,
        [*(label_text(label, 16) for label in overlaps.true_labels), "others"],
        [*(label_text(label, 16) for label in overlaps.pred_labels), "others"],
        [*overlaps.true_sizes, 0],
        [*overlaps.pred_sizes, 0],
        matched,
    )


def _rest(sizes: NDArray[np.float64], shown: NDArray[np.float64]) -> NDArray[np.float64]:
    """Points outside the clusters shown, without what rounding leaves of weights."""
    rest = sizes - shown
    return np.where(rest > 1e-9 * sizes, rest, 0.0)


def draw_flow(ax: Axes, overlaps: OverlapMap) -> Chart:
    """Bands from the true clusters, left, to the predicted ones, right; mutual best matches in one colour."""
    if not np.asarray(overlaps.counts).size:
        return draw_nothing(ax, _TITLE)
    flows = _flows_of(overlaps)
    total = float(flows.counts.sum())
    hover: dict[str, str] = {}
    left, right = _stack(flows.counts.sum(1), total), _stack(flows.counts.sum(0), total)
    left_used, right_used = left.copy(), right.copy()
    for row, column in np.argwhere(flows.counts):
        count = float(flows.counts[row, column])
        gid = f"flow-{row}-{column}"
        band = _band(float(left_used[row]), float(right_used[column]), count)
        band.set(facecolor=_colour(flows, row, column), alpha=0.5, linewidth=0, gid=gid)
        ax.add_patch(band)
        left_used[row] += count
        right_used[column] += count
        hover[gid] = f"{flows.true_names[row]} → {flows.pred_names[column]}: {_points(count)}"
    _draw_nodes(ax, left, flows.counts.sum(1), flows.true_names, flows.true_sizes, left_side=True)
    _draw_nodes(ax, right, flows.counts.sum(0), flows.pred_names, flows.pred_sizes, left_side=False)
    bottom = max(left[-1] + flows.counts[-1].sum(), right[-1] + flows.counts[:, -1].sum())
    ax.set(xlim=(-0.34, 1.34), ylim=(bottom * 1.01, -0.05 * bottom))
    ax.set_axis_off()
    for x, word, side in ((0, "true", "right"), (1, "predicted", "left")):
        ax.text(x, -0.025 * bottom, word, ha=side, va="bottom", color=MUTED, fontsize="small")
    return Chart(_TITLE, _note(overlaps, total), hover)


def _note(overlaps: OverlapMap, total: float) -> str:
    colours = "Blue: mutual best matches; orange: points that went elsewhere; grey: to and from smaller clusters."
    if (len(overlaps.true_labels), len(overlaps.pred_labels)) == (overlaps.n_true, overlaps.n_pred):
        return f"{clusters_text(overlaps)}.\n{colours.split('; grey')[0]}."
    share = share_text(min(1.0, total / overlaps.n)) if overlaps.n else "0%"
    return f"{clusters_text(overlaps)}; {share} of the points are in one of them.\n{colours}"


def _points(count: float) -> str:
    return f"{count_text(int(count) if count == int(count) else count)} points"


def _stack(heights: NDArray[np.float64], total: float) -> NDArray[np.float64]:
    """The top of each node, with a gap between them."""
    gap = 0.02 * total
    return np.concatenate([[0.0], np.cumsum(heights + gap)[:-1]])


def _colour(flows: _Flows, row: int, column: int) -> str:
    if row == flows.counts.shape[0] - 1 or column == flows.counts.shape[1] - 1:
        return MUTED
    return TRUE if flows.matched[row, column] else PRED


def _band(start: float, end: float, height: float) -> PathPatch:
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    x0, x1, middle = _NODE, 1 - _NODE, 0.5
    there = [(x0, start), (middle, start), (middle, end), (x1, end)]
    back = [(x1, end + height), (middle, end + height), (middle, start + height), (x0, start + height)]
    curve = [Path.CURVE4] * 3
    return PathPatch(Path([*there, *back, (x0, start)], [Path.MOVETO, *curve, Path.LINETO, *curve, Path.CLOSEPOLY]))


def _draw_nodes(
    ax: Axes,
    tops: NDArray[np.float64],
    heights: NDArray[np.float64],
    names: list[str],
    sizes: list[float],
    *,
    left_side: bool,
) -> None:
    from matplotlib.patches import Rectangle

    x, text_x, side = (0.0, -0.015, "right") if left_side else (1 - _NODE, 1.015, "left")
    free = -np.inf
    for place, (top, height) in enumerate(zip(tops, heights, strict=True)):
        if not height:
            continue
        others = place == len(names) - 1
        ax.add_patch(Rectangle((x, top), _NODE, height, facecolor=MUTED if others else INK, linewidth=0))
        middle = top + height / 2
        if middle - free >= 0.022 * heights.sum():  # a label has room below the last one
            size = "" if others else f" · {count_text(sizes[place])}"
            said = f"{names[place]}{size}"
            ax.text(text_x, middle, said, ha=side, va="center", fontsize="small", color=INK, parse_math=False)
            free = middle
