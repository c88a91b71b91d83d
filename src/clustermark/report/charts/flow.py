"""The flow of points from true to predicted clusters: an alluvial diagram."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from clustermark.report.captions import in_words, things, things_text
from clustermark.report.charts.overlaps import MARGINS, Lines, cell_data, clusters_text
from clustermark.report.costs import NEARLY
from clustermark.results.canvas import AGREED, INK, MUTED, PRED, SOLID, TRUE, Drawn, draw_nothing
from clustermark.results.values import count_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.patches import PathPatch
    from numpy.typing import NDArray

    from clustermark.diagnosis import OverlapMap

_NODE = 0.022
_LETTERS = 28
_LINE = 0.1
"""The least distance of two labels, in inches; a layout that is still to come makes the axes a quarter higher."""
KINDS = ("agreed", "true", "pred")
"""The colours of bands: (nearly) the same cluster, split off a true cluster, merged into a predicted one."""
_COLOURS = (AGREED, TRUE, PRED)
_TITLE = "Where the {things} go"


class _Flows(NamedTuple):
    """Points from each true to each predicted cluster; behind those shown, a line for each margin of the map."""

    counts: NDArray[np.float64]
    true_names: list[str]
    pred_names: list[str]
    true_sizes: list[float]
    """Of the clusters shown."""
    pred_sizes: list[float]
    kinds: NDArray[np.int64]
    """The places of the colours of the cells between clusters shown."""


def kinds_of(overlaps: OverlapMap, nearly: float = NEARLY) -> NDArray[np.int64]:
    """For each cell the place of its kind: 0 where both clusters are nearly the same, 1 split off, 2 merged in.

    >>> from clustermark import evaluate
    >>> shown = evaluate(["a", "a", "b", "b", "c", "d"], [1, 1, 2, 3, 4, 4]).overlap_map()
    >>> kinds_of(shown)[shown.counts > 0].tolist()
    [0, 1, 1, 2, 2]
    """
    counts, columns = np.asarray(overlaps.counts, float), np.asarray(overlaps.pred_sizes, float)
    mixes = counts < columns * (1 - 1e-9)  # sums of weights differ in their last bits
    return np.where(overlaps.matched & (overlaps.jaccard >= nearly), 0, np.where(mixes, 2, 1))


def _flows_of(overlaps: OverlapMap, clash: bool | None = None, width: int = _LETTERS, nearly: float = NEARLY) -> _Flows:
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
        counts, [*names.true, *below], [*names.pred, *right], overlaps.true_sizes, overlaps.pred_sizes,
        kinds_of(overlaps, nearly),
    )  # fmt: skip


def draw_flow(ax: Axes, overlaps: OverlapMap, clash: bool | None = None, nearly: float = NEARLY) -> Drawn:
    """Bands from the true clusters, left, to the predicted ones, right, in the colours of what happened to them."""
    if not np.asarray(overlaps.counts).size:
        return draw_nothing(ax, in_words(_TITLE))
    flows, whole = (_flows_of(overlaps, clash, width, nearly) for width in (_LETTERS, 120))
    hover: dict[str, str] = {}
    data: dict[str, dict[str, str]] = {}
    (left, left_end), (right, right_end) = (_stack(flows.counts.sum(axis)) for axis in (1, 0))
    bottom = max(left_end, right_end)
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
    line = bottom * _LINE * ax.figure.dpi / ax.get_window_extent().height
    _draw_nodes(ax, left, flows.counts.sum(1), flows.true_names, flows.true_sizes, line, left_side=True)
    _draw_nodes(ax, right, flows.counts.sum(0), flows.pred_names, flows.pred_sizes, line, left_side=False)
    ax.set(xlim=(-0.62, 1.62), ylim=(bottom * 1.01, -0.05 * bottom))
    ax.set_axis_off()
    for x, word, side in ((0, "true", "right"), (1, "predicted", "left")):
        ax.text(x, -0.025 * bottom, word, ha=side, va="bottom", color=MUTED, fontsize="small")
    return Drawn(in_words(_TITLE), note_of(overlaps, nearly), hover, data)


def note_of(overlaps: OverlapMap, nearly: float = NEARLY) -> str:
    """What the flow shows, in words."""
    colours = (
        f"Green: the same cluster on both sides, or nearly (Jaccard {nearly:g} or more); blue: a part of a true "
        f"cluster that was split; orange: {things()} in a predicted cluster that mixes true ones"
    )
    margins = dict.fromkeys(MARGINS[name] for name in [*overlaps.true_margins, *overlaps.pred_margins])
    grey = f"; grey: {', '.join(margins)}" if margins else ""
    return f"{clusters_text(overlaps)}.\n{colours}{grey}."


def _points(count: float) -> str:
    return things_text(int(count) if count == int(count) else count)


def _stack(heights: NDArray[np.float64]) -> tuple[NDArray[np.float64], float]:
    """The top of each node, and where the last ends; each has room for its label, and a gap lies between them."""
    total, there = heights.sum(), heights > 0
    rooms = np.where(there, np.maximum(heights, total * min(0.05, 2 / max(1, there.sum()))), 0.0)
    ends = np.cumsum(rooms + np.where(there, 0.01 * total, 0.0))
    return ends - np.where(there, 0.01 * total, 0.0) - (rooms + heights) / 2, float(ends[-1])


def _colour(flows: _Flows, row: int, column: int) -> str:
    if row >= len(flows.true_sizes) or column >= len(flows.pred_sizes):
        return MUTED
    return _COLOURS[flows.kinds[row, column]]


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
    line: float,
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
        if middle - free >= line:  # a label has room below the last one
            size = "" if others else f" · {count_text(sizes[place])}"
            said = f"{names[place]}{size}"
            ax.text(text_x, middle, said, ha=side, va="center", fontsize="small", color=INK, parse_math=False)
            free = middle
