"""Drawings of an overlap map: the heat map of shared points, and the flow of points from true to predicted clusters."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clustermark.diagnosis.captions import cluster_name, clusters_clash, in_words, things, things_text
from clustermark.diagnosis.costs import NEARLY
from clustermark.results.canvas import AGREED, INK, LINE, MUTED, PRED, SOLID, TRUE, Drawn, draw_nothing
from clustermark.results.values import count_text, label_text, share_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes
    from matplotlib.patches import PathPatch
    from numpy.typing import NDArray

    from clustermark.diagnosis import OverlapMap, Side

WRITTEN = 12
"""The number is written in each cell of a map of at most this many lines."""
_GAP = 0.35
FAINT, BEHIND_NUMBERS = 0.06, 0.55
"""The shade of an empty cell and the darkest shade behind a number; both give the number a contrast above 4.5:1."""
MARGINS = {"others": "other clusters", "alone": "alone, such as noise", "unmatched": "on this side only"}
LETTERS = 30
"""Most letters of a name that are shown at a line."""
MEASURES = {"jaccard": "Jaccard", "row": "% of the true", "column": "% of the predicted", "count": "count"}
"""The measures by which the map can be shaded."""
STRONG = "strong where the two clusters are nearly the same"
_NODE = 0.022
_FLOW_LETTERS = 28
_LINE = 0.1
"""Least distance of two labels, in inches; the final layout makes the axes a quarter higher."""
KINDS = ("agreed", "true", "pred")
"""Kinds of bands: (nearly) the same cluster, split off a true cluster, merged into a predicted one."""
_COLOURS = (AGREED, TRUE, PRED)
_TITLE = "Where the {things} go"


class Lines(NamedTuple):
    """The names of the lines of a map."""

    true: list[str]
    pred: list[str]

    @classmethod
    def of(cls, overlaps: OverlapMap, clash: bool | None = None, width: int = 120) -> Lines:
        """Return the names; with the side before each if names clash."""
        both = clusters_clash(overlaps.true_labels, overlaps.pred_labels) if clash is None else clash
        sides: tuple[tuple[Side, Sequence[Any]], ...] = (("true", overlaps.true_labels), ("pred", overlaps.pred_labels))
        return cls(*([cluster_name(label, side, both, width) for label in labels] for side, labels in sides))


def draw_overlaps(
    ax: Axes,
    overlaps: OverlapMap,
    clash: bool | None = None,
    drawers: Mapping[tuple[Side, Any], str] = MappingProxyType({}),
) -> Drawn:
    """Draw the heat map: each cell shaded by the Jaccard index of its clusters, with margins that complete the lines.

    drawers: the ids of the elements with the records of clusters on the page, to which the names of lines link.
    """
    title = f"{things().capitalize()} shared by true and predicted clusters"
    counts = np.asarray(overlaps.counts)
    if not counts.size:
        return draw_nothing(ax, title)
    n_rows, n_columns = counts.shape
    hover: dict[str, str] = {}
    written = max(n_rows, n_columns) <= WRITTEN
    names, jaccard = Lines.of(overlaps, clash), overlaps.jaccard
    data = {}
    for row, column in np.argwhere(counts):
        gid, count = f"cell-{row}-{column}", counts[row, column].item()
        shares = {
            "jaccard": float(jaccard[row, column]),
            "row": min(1.0, count / overlaps.true_sizes[row]),
            "column": min(1.0, count / overlaps.pred_sizes[column]),
        }
        hover[gid] = (
            f"{names.true[row]} in {names.pred[column]}: {things_text(count)}, "
            f"{share_text(shares['row'])} of the true cluster, {share_text(shares['column'])} of the predicted, "
            f"Jaccard {jaccard[row, column]:.3f}"
        )
        data[gid] = {f"data-{name}": repr(share) for name, share in shares.items()} | cell_data(overlaps, row, column)
        _draw_cell(ax, (column, row), shares["jaccard"], gid, count_text(count) if written else "")
    _draw_margin(ax, overlaps.true_margins, overlaps.true_sizes, names.true, n_columns, hover, below=False)
    _draw_margin(ax, overlaps.pred_margins, overlaps.pred_sizes, names.pred, n_rows, hover, below=True)
    right, below = (
        n + (_GAP + len(margins) if margins else 0)
        for n, margins in ((n_columns, overlaps.true_margins), (n_rows, overlaps.pred_margins))
    )
    ax.set(xlim=(0, right), ylim=(below, 0))
    _name_lines(ax, overlaps, Lines.of(overlaps, clash, LETTERS))
    links = _link_lines(ax, overlaps, names, drawers, hover)
    return Drawn(title, f"{clusters_text(overlaps)}; shaded by Jaccard.", hover, data, links)


def cell_data(overlaps: OverlapMap, row: int, column: int) -> dict[str, str]:
    """Return the data of a mark for the script of the page: its clusters, points and place."""
    true, pred = label_text(overlaps.true_labels[row]), label_text(overlaps.pred_labels[column])
    count = repr(overlaps.counts[row, column].item())
    return {"data-count": count, "data-true": true, "data-pred": pred, "data-at": f"{row} {column}"}


def _draw_cell(ax: Axes, place: tuple[float, float], share: float, gid: str, number: str, colour: str = TRUE) -> None:
    from matplotlib.patches import Rectangle

    shade = FAINT + ((BEHIND_NUMBERS if number else 1.0) - FAINT) * share
    edge = Rectangle(place, 1, 1, fill=False, edgecolor=colour, linewidth=0.5)
    ax.add_patch(Rectangle(place, 1, 1, facecolor=colour, alpha=shade, linewidth=0, gid=gid))
    ax.add_patch(edge)
    if number:
        x, y = place
        ax.text(
            x + 0.5, y + 0.5, number, ha="center", va="center", fontsize="small", color=INK, gid=f"number-{gid}"
        )  # fmt: skip


def _draw_margin(
    ax: Axes,
    margins: Mapping[str, list[float]],
    sizes: Sequence[float],
    names: Sequence[str],
    start: int,
    hover: dict[str, str],
    *,
    below: bool,
) -> None:
    """Draw the points outside the map of the clusters of the lines, in grey, to the right of it or below."""
    written = max(len(sizes), start) <= WRITTEN
    for place, (name, counts) in enumerate(margins.items()):
        for line, count in enumerate(counts):
            if not count:
                continue
            gid, across = f"{'below' if below else 'right'}-{place}-{line}", start + _GAP + place
            share = min(1.0, count / sizes[line])
            hover[gid] = (
                f"{names[line]}, {MARGINS[name]}: {things_text(count)}, {share_text(share)} of the "
                f"{'predicted' if below else 'true'} cluster"
            )
            spot = (line, across) if below else (across, line)
            _draw_cell(ax, spot, share, gid, count_text(count) if written else "", MUTED)


def _name_lines(ax: Axes, overlaps: OverlapMap, names: Lines) -> None:
    name_ticks(ax, names.true, names.pred, list(overlaps.pred_margins), list(overlaps.true_margins), LETTERS)
    ax.set_xlabel("predicted cluster")
    ax.set_ylabel("true cluster")


def _link_lines(
    ax: Axes, overlaps: OverlapMap, names: Lines, drawers: Mapping[tuple[Side, Any], str], hover: dict[str, str]
) -> dict[str, str]:
    """Link the names of lines to the records of their clusters; return the links."""
    links = {}
    sides: tuple[tuple[Side, Sequence[Any], Sequence[str], Any], ...] = (
        ("true", overlaps.true_labels, names.true, ax.get_yticklabels()),
        ("pred", overlaps.pred_labels, names.pred, ax.get_xticklabels()),
    )
    for side, labels, texts, ticks in sides:
        for place, (label, text, tick) in enumerate(zip(labels, texts, ticks, strict=False)):
            if (side, label) in drawers:
                gid = f"line-{side}-{place}"
                tick.set_gid(gid)
                links[gid] = f"#{drawers[side, label]}"
                hover[gid] = f"Records of {text}"
    return links


def name_ticks(
    ax: Axes,
    rows: Sequence[Any],
    columns: Sequence[Any],
    more_rows: Sequence[str] = (),
    more_columns: Sequence[str] = (),
    letters: int = 18,
) -> None:
    """Write the names of the lines of a heat map, whose cells are squares of side 1; `more` lie behind a gap."""
    size: Any = "small" if max(map(len, (rows, columns))) <= 20 else "x-small"
    rotation = 0 if all(len(label_text(label, 9)) <= 3 for label in (*columns, *more_columns)) else 90
    anchor: dict[str, Any] = {"ha": "center", "va": "top"} if rotation == 0 else {"ha": "right", "va": "center"}
    fonts: dict[str, Any] = {"fontsize": size, "parse_math": False}
    row_names, column_names = ([label_text(label, letters) for label in labels] for labels in (rows, columns))
    ax.set_xticks(
        _places(len(columns), len(more_columns)), [*column_names, *more_columns], rotation=rotation,
        rotation_mode="anchor", **fonts, **anchor,
    )  # fmt: skip
    ax.set_yticks(_places(len(rows), len(more_rows)), [*row_names, *more_rows], **fonts)
    ax.tick_params(length=0, labelcolor=INK)
    ax.grid(False)
    for spine in ax.spines.values():
        spine.set_color(LINE)


def _places(n: int, more: int) -> NDArray[np.float64]:
    return np.asarray([*(np.arange(n) + 0.5), *(np.arange(more) + n + _GAP + 0.5)], np.float64)


def clusters_text(overlaps: OverlapMap) -> str:
    """Return the number of clusters that a map shows, as text.

    >>> from clustermark import evaluate
    >>> clusters_text(evaluate([0, 0, 1], [5, 5, 5]).overlap_map())
    '2 true and 1 predicted cluster'
    """
    sides = (("true", overlaps.true_labels, overlaps.n_true), ("predicted", overlaps.pred_labels, overlaps.n_pred))
    if overlaps.chosen == "all":
        texts = [f"{len(labels):,} {side}" for side, labels, _ in sides]
        return f"{' and '.join(texts)} cluster{'' if len(overlaps.pred_labels) == 1 else 's'}"
    shown = " and ".join(f"{len(labels):,} of {total:,} {side}" for side, labels, total in sides)
    if overlaps.chosen == "largest":
        return f"The largest clusters: {shown}"
    return f"The worst merges and splits in turn, each with its parts, as many as fit: {shown}"


def add_scale(ax: Axes) -> None:
    """Add a scale of the shades beside a map in a figure."""
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import LinearSegmentedColormap, Normalize

    patches = [patch for patch in ax.patches if str(patch.get_gid()).startswith("cell-")]
    if not patches:
        return
    opaque = patches[0].get_facecolor()[:3]
    written = any(str(text.get_gid()).startswith("number-") for text in ax.texts)
    ends = [(*opaque, FAINT), (*opaque, BEHIND_NUMBERS if written else 1.0)]
    shades = ScalarMappable(Normalize(0, 1), LinearSegmentedColormap.from_list("shades", ends))
    ax.figure.colorbar(shades, ax=ax, label="Jaccard", shrink=0.5, aspect=16)


class _Flows(NamedTuple):
    """Points from each true to each predicted cluster, followed by a line for each margin of the map."""

    counts: NDArray[np.float64]
    true_names: list[str]
    pred_names: list[str]
    true_sizes: list[float]
    """Sizes of the clusters shown."""
    pred_sizes: list[float]
    kinds: NDArray[np.int64]
    """Index in `KINDS` of each cell between clusters shown."""


def kinds_of(overlaps: OverlapMap, nearly: float = NEARLY) -> NDArray[np.int64]:
    """Return the kind of each cell: 0 if both clusters are nearly the same, 1 split off, 2 merged in.

    >>> from clustermark import evaluate
    >>> shown = evaluate(["a", "a", "b", "b", "c", "d"], [1, 1, 2, 3, 4, 4]).overlap_map()
    >>> kinds_of(shown)[shown.counts > 0].tolist()
    [0, 1, 1, 2, 2]
    """
    counts, columns = np.asarray(overlaps.counts, float), np.asarray(overlaps.pred_sizes, float)
    mixes = counts < columns * (1 - 1e-9)  # sums of weights differ in their last bits
    return np.where(overlaps.matched & (overlaps.jaccard >= nearly), 0, np.where(mixes, 2, 1))


def _flows_of(
    overlaps: OverlapMap, clash: bool | None = None, width: int = _FLOW_LETTERS, nearly: float = NEARLY
) -> _Flows:
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
    """Draw bands from the true clusters, left, to the predicted clusters, right, coloured by kind."""
    if not np.asarray(overlaps.counts).size:
        return draw_nothing(ax, in_words(_TITLE))
    flows, whole = (_flows_of(overlaps, clash, width, nearly) for width in (_FLOW_LETTERS, 120))
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
    """Return a text on the meaning of the flow."""
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
    """Return the top of each node and the end of the last; nodes have space for their labels and gaps between them."""
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
        if middle - free >= line:  # a label fits below the last one
            size = "" if others else f" · {count_text(sizes[place])}"
            text = f"{names[place]}{size}"
            ax.text(text_x, middle, text, ha=side, va="center", fontsize="small", color=INK, parse_math=False)
            free = middle
