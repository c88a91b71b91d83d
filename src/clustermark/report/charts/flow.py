"""The flow of points from true to predicted clusters: an alluvial diagram."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from clustermark.report.captions import count_text
from clustermark.report.charts.canvas import INK, MUTED, PRED, SOLID, TRUE, Chart, draw_nothing
from clustermark.report.charts.overlaps import Lines, cell_data, clusters_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.patches import PathPatch
    from numpy.typing import NDArray

    from clustermark.diagnosis import OverlapMap

_NODE = 0.022
_TITLE = "Where the points go"


class _Flows(NamedTuple):
    """Points from each true to each predicted cluster; behind those shown, a line for each margin of the map."""

    counts: NDArray[np.float64]
    true_names: list[str]
    pred_names: list[str]
    true_sizes: list[float]
    """Of the clusters shown."""
    pred_sizes: list[float]
    matched: NDArray[np.bool_]
    """Of the cells between clusters shown."""


def _flows_of(overlaps: OverlapMap, clash: bool | None = None, width: int = 22) -> _Flows:
    shown = np.asarray(overlaps.counts, float)
    n_true, n_pred = shown.shape
    right, below = overlaps.true_margins, overlaps.pred_margins
    counts = np.zeros((n_true + len(below), n_pred + len(right)))
    counts[:n_true, :n_pred] = shown
    for place, values in enumerate(right.values()):
        counts[:n_true, n_pred + place] = values
    for place, values in enumerate(below.values()):
        counts[n_true + place, :n_pred] = values
    names = Lines.of(overlaps, clash, width)
    return _Flows(
        counts, [*names.true, *below], [*names.pred, *right], overlaps.true_sizes, overlaps.pred_sizes, overlaps.matched
    )


def draw_flow(ax: Axes, overlaps: OverlapMap, clash: bool | None = None) -> Chart:
    """Bands from the true clusters, left, to the predicted ones, right; good matches in one colour."""
    if not np.asarray(overlaps.counts).size:
        return draw_nothing(ax, _TITLE)
    flows, whole = (_flows_of(overlaps, clash, width) for width in (22, 120))
    total = float(flows.counts.sum())
    hover: dict[str, str] = {}
    data: dict[str, dict[str, str]] = {}
    left, right = _stack(flows.counts.sum(1), total), _stack(flows.counts.sum(0), total)
    left_used, right_used = left.copy(), right.copy()
    for row, column in np.argwhere(flows.counts):
        count = float(flows.counts[row, column])
        gid = f"flow-{row}-{column}"
        band = _band(float(left_used[row]), float(right_used[column]), count)
        band.set(facecolor=_colour(flows, row, column), alpha=SOLID, linewidth=0, gid=gid)
        ax.add_patch(band)
        left_used[row] += count
        right_used[column] += count
        hover[gid] = f"{whole.true_names[row]} → {whole.pred_names[column]}: {_points(count)}"
        if row < len(flows.true_sizes) and column < len(flows.pred_sizes):
            data[gid] = cell_data(overlaps, row, column)
    _draw_nodes(ax, left, flows.counts.sum(1), flows.true_names, flows.true_sizes, left_side=True)
    _draw_nodes(ax, right, flows.counts.sum(0), flows.pred_names, flows.pred_sizes, left_side=False)
    bottom = max(left[-1] + flows.counts[-1].sum(), right[-1] + flows.counts[:, -1].sum())
    ax.set(xlim=(-0.42, 1.42), ylim=(bottom * 1.01, -0.05 * bottom))
    ax.set_axis_off()
    for x, word, side in ((0, "true", "right"), (1, "predicted", "left")):
        ax.text(x, -0.025 * bottom, word, ha=side, va="bottom", color=MUTED, fontsize="small")
    return Chart(_TITLE, note_of(overlaps), hover, data)


def note_of(overlaps: OverlapMap) -> str:
    """What the flow shows, in words."""
    colours = "Blue: good matches (Jaccard above 0.5); orange: points that went elsewhere"
    margins = dict.fromkeys([*overlaps.true_margins, *overlaps.pred_margins])
    grey = f"; grey: {', '.join(margins)}" if margins else ""
    return f"{clusters_text(overlaps)}.\n{colours}{grey}."


def _points(count: float) -> str:
    return f"{count_text(int(count) if count == int(count) else count)} points"


def _stack(heights: NDArray[np.float64], total: float) -> NDArray[np.float64]:
    """The top of each node, with a gap between them."""
    gap = 0.02 * total
    return np.concatenate([[0.0], np.cumsum(heights + gap)[:-1]])


def _colour(flows: _Flows, row: int, column: int) -> str:
    if row >= len(flows.true_sizes) or column >= len(flows.pred_sizes):
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
        others = place >= len(sizes)
        ax.add_patch(Rectangle((x, top), _NODE, height, facecolor=MUTED if others else INK, linewidth=0))
        middle = top + height / 2
        if middle - free >= 0.022 * heights.sum():  # a label has room below the last one
            size = "" if others else f" · {count_text(sizes[place])}"
            said = f"{names[place]}{size}"
            ax.text(text_x, middle, said, ha=side, va="center", fontsize="small", color=INK, parse_math=False)
            free = middle
