"""Numbers with their intervals, one below the other, drawn by matplotlib."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from clustermark.report.captions import score_text
from clustermark.results.canvas import INK, MUTED, TRUE, calm

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes


class Dot(NamedTuple):
    """A number, its interval if it has one, and what is said of it."""

    name: str
    value: float
    low: float | None
    high: float | None
    holds: bool
    """Whether it is to be seen: blue, and not grey."""
    said: str


def draw_dots(ax: Axes, dots: Sequence[Dot], kind: str, *, about: str, beside_zero: bool = False) -> dict[str, str]:
    """A dot for each number, a line for its interval; returns what is said of each, by its name in the drawing.

    kind: begins these names. about: what the numbers are. beside_zero: whether they are differences, which are seen
        beside 0; others are written at the right.
    """
    hover = {}
    for place, dot in enumerate(dots):
        colour = TRUE if dot.holds else MUTED
        if dot.low is not None and dot.high is not None:
            ax.plot([dot.low, dot.high], [place, place], color=colour, linewidth=2.2, solid_capstyle="butt")
        drawn = ax.plot([dot.value], [place], marker="o", color=colour, markersize=7, linestyle="none")[0]
        drawn.set_gid(f"{kind}-{place}")
        hover[f"{kind}-{place}"] = dot.said
        if not beside_zero:
            at_right = ax.get_yaxis_transform()
            ax.text(1.02, place, score_text(dot.value), va="center", transform=at_right, fontsize="small")
    if beside_zero:
        ax.axvline(0, color=INK, linewidth=0.8)
    ax.set_yticks(range(len(dots)), [dot.name for dot in dots], parse_math=False)
    ax.set_ylim(max(len(dots), 1) - 0.5, -0.5)
    ax.set_xlabel(about)
    calm(ax, grid="x")
    ax.tick_params(labelcolor=INK)
    return hover
