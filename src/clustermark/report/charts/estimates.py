"""Estimated scores with their intervals, drawn by matplotlib."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clustermark.report.captions import plain, score_text
from clustermark.report.charts.canvas import INK, MUTED, TRUE, Chart, calm, draw_on

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from clustermark.estimates.results import Estimates


def plot_estimates(estimates: Estimates, ax: Axes | None) -> Axes:
    """The estimates on axes of their own, or on these."""
    return draw_on(ax, (6.4, estimates_height(estimates)), lambda ax: draw_estimates(ax, estimates))


def estimates_height(estimates: Estimates) -> float:
    """How high a drawing of so many scores is, in inches."""
    return 1.2 + 0.36 * max(len(estimates), 1)


def draw_estimates(ax: Axes, estimates: Estimates) -> Chart:
    """A dot for each score, a line for its interval; grey where there is none."""
    hover = {}
    for place, (name, one) in enumerate(estimates.items()):
        colour = MUTED
        if one.low is not None and one.high is not None:
            colour = TRUE
            ax.plot([one.low, one.high], [place, place], color=colour, linewidth=2.2, solid_capstyle="butt")
        dot = ax.plot([one.score], [place], marker="o", color=colour, markersize=6, linestyle="none")[0]
        dot.set_gid(f"estimate-{place}")
        hover[f"estimate-{place}"] = f"{name}: {one}"
        number = score_text(one.score)
        ax.text(1.02, place, number, va="center", transform=ax.get_yaxis_transform(), fontsize="small")
    ax.set_yticks(range(len(estimates)), [plain(name) for name in estimates], parse_math=False)
    ax.set_ylim(max(len(estimates), 1) - 0.5, -0.5)
    ax.set_xlabel("score of all records")
    calm(ax, grid="x")
    ax.tick_params(labelcolor=INK)
    return Chart("Estimated scores", f"{100 * estimates.level:g} % intervals; grey: no interval.", hover)
