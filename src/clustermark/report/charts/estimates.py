"""Estimated scores with their intervals, drawn by matplotlib."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clustermark.report.charts.intervals import Dot, draw_dots
from clustermark.results.canvas import Drawn, draw_on
from clustermark.results.values import plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from clustermark.releases.estimated_scores import Estimates


def plot_estimates(estimates: Estimates, ax: Axes | None) -> Axes:
    """The estimates on axes of their own, or on these."""
    return draw_on(ax, (6.4, estimates_height(estimates)), lambda ax: draw_estimates(ax, estimates))


def estimates_height(estimates: Estimates) -> float:
    """How high a drawing of so many scores is, in inches."""
    return 1.2 + 0.36 * max(len(estimates), 1)


def draw_estimates(ax: Axes, estimates: Estimates) -> Drawn:
    """A dot for each score, a line for its interval; grey where there is none."""
    dots = [
        Dot(plain(name), one.score, one.low, one.high, one.low is not None and one.high is not None, f"{name}: {one}")
        for name, one in estimates.items()
    ]
    hover = draw_dots(ax, dots, "estimate", about="score of all records")
    return Drawn("Estimated scores", f"{100 * estimates.level:g} % intervals; grey: no interval.", hover)
