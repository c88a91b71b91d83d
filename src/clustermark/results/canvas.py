"""The colours of all charts, their titles and texts, and axes for light and dark styles."""

from __future__ import annotations

from textwrap import fill
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from clustermark.results.frames import optional
from clustermark.results.values import score_text

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from matplotlib.axes import Axes

# after Okabe and Ito, distinguishable with any colour vision, darkened to 3:1 on white
TRUE, PRED, AGREED = "#0072b2", "#b36200", "#00805d"
INK, MUTED, LINE, PAPER = "#1d2530", "#5b6572", "#d9dee4", "#ffffff"
_IN_THE_DARK = {
    TRUE: "#56b4e9",
    PRED: "#f0b43c",
    AGREED: "#3ccb9c",
    INK: "#e7ebf0",
    MUTED: "#a3aebb",
    LINE: "#3a434f",
}
SOLID = 0.8
"""Opacity of overlapping bands: enough for a contrast of 3:1 to the page."""


class Drawn(NamedTuple):
    """The texts of a drawing and of its marks."""

    title: str
    note: str
    hover: dict[str, str]
    """Text of each mark that has one, by the mark's gid."""
    data: Mapping[str, Mapping[str, str]] = MappingProxyType({})
    """Attributes of marks, for the script of the page."""
    links: Mapping[str, str] = MappingProxyType({})
    """Address to which a click on a mark leads."""


def draw_on(ax: Axes | None, size: tuple[float, float], draw: Callable[[Axes], Drawn]) -> Axes:
    """Draw on these axes, or on those of a new figure, with title and note of the chart above."""
    axes: Axes = _new_axes(size) if ax is None else ax
    chart = draw(axes)
    if _is_dark(axes):
        _suit_the_dark(axes)
    title = axes.set_title("", loc="left", fontsize="medium", parse_math=False)
    letter = 0.55 * float(title.get_fontsize()) * axes.figure.dpi / 72
    letters = max(24, int(axes.get_window_extent().width / letter))
    title.set_text("\n".join(fill(line, letters) for line in (chart.title, *chart.note.split("\n"))))
    return axes


def _new_axes(size: tuple[float, float]) -> Any:
    return optional("matplotlib.pyplot", "plot").subplots(figsize=size, layout="constrained")[1]


def _is_dark(ax: Axes) -> bool:
    from matplotlib.colors import to_rgba

    seen = to_rgba(ax.get_facecolor())
    red, green, blue, opacity = seen if seen[3] > 0.5 else to_rgba(ax.figure.get_facecolor())
    return opacity > 0.5 and 0.3 * red + 0.6 * green + 0.1 * blue < 0.4


def _suit_the_dark(ax: Axes) -> None:
    """Lighten the colours of everything drawn; texts without a colour follow the style already."""
    from matplotlib.colors import to_hex

    def suit(colour: Any) -> str:
        return _IN_THE_DARK.get(to_hex(colour), to_hex(colour))

    for artist in ax.findobj():
        for name in ("color", "facecolor", "edgecolor"):
            get, put = getattr(artist, f"get_{name}", None), getattr(artist, f"set_{name}", None)
            colour = get() if get and put else None
            one = isinstance(colour, str) or (isinstance(colour, tuple) and len(colour) in (3, 4))
            if put and one and suit(colour) != to_hex(colour):  # type: ignore[arg-type]
                put(suit(colour))
    for axis in (ax.xaxis, ax.yaxis):
        known = axis.get_tick_params()
        names = ("labelcolor", "grid_color")
        lit: dict[str, Any] = {name: suit(known[name]) for name in names if isinstance(known.get(name), str)}
        axis.set_tick_params(**lit)


def calm(ax: Axes, grid: Literal["x", "y", "both"] = "y") -> None:
    """Style axes with thin lines and no frame."""
    ax.grid(axis=grid, color=LINE, linewidth=0.8)
    ax.set_axisbelow(True)
    ax.tick_params(length=0, labelcolor=MUTED)
    for side, spine in ax.spines.items():
        spine.set_visible(side == "bottom" and grid == "y")
        spine.set_color(LINE)


def draw_nothing(ax: Axes, title: str, why: str = "All points have a cluster of their own.") -> Drawn:
    """Write that there is nothing to draw."""
    ax.set_axis_off()
    ax.text(0.5, 0.5, "nothing to show", ha="center", va="center", color=MUTED, transform=ax.transAxes)
    return Drawn(title, why, {})


def put_legend_below(ax: Axes, columns: int) -> None:
    """Add a legend below the axes, where it covers no curve."""
    ax.legend(
        loc="upper left", bbox_to_anchor=(0, -0.16), ncols=columns, frameon=False, fontsize="small", borderaxespad=0,
        columnspacing=1.2, handletextpad=0.5,
    )  # fmt: skip


class Dot(NamedTuple):
    """A number, its interval if it has one, and the text about it."""

    name: str
    value: float
    low: float | None
    high: float | None
    holds: bool
    """Whether it is emphasized: blue instead of grey."""
    text: str


def draw_dots(ax: Axes, dots: Sequence[Dot], kind: str, *, about: str, beside_zero: bool = False) -> dict[str, str]:
    """Draw a dot for each number and a line for its interval; return the text of each by its name in the drawing.

    kind: prefix of these names.
    about: the label of the axis.
    beside_zero: whether the numbers are differences, which are drawn beside 0; others are written at the right.
    """
    hover = {}
    for place, dot in enumerate(dots):
        colour = TRUE if dot.holds else MUTED
        if dot.low is not None and dot.high is not None:
            ax.plot([dot.low, dot.high], [place, place], color=colour, linewidth=2.2, solid_capstyle="butt")
        drawn = ax.plot([dot.value], [place], marker="o", color=colour, markersize=7, linestyle="none")[0]
        drawn.set_gid(f"{kind}-{place}")
        hover[f"{kind}-{place}"] = dot.text
        if not beside_zero:
            at_right = ax.get_yaxis_transform()
            ax.text(
                1.02, place, score_text(dot.value).replace("-", "−"), va="center", transform=at_right, fontsize="small"
            )
    if beside_zero:
        ax.axvline(0, color=INK, linewidth=0.8)
    ax.set_yticks(range(len(dots)), [dot.name for dot in dots], parse_math=False)
    ax.set_ylim(max(len(dots), 1) - 0.5, -0.5)
    ax.set_xlabel(about)
    calm(ax, grid="x")
    ax.tick_params(labelcolor=INK)
    return hover
