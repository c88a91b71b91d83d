"""The Fowlkes–Mallows index of two trees at every cut, drawn beside what chance would give."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from clustermark.results.canvas import MUTED, TRUE, Drawn, calm, draw_nothing, draw_on

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from clustermark.evaluation.hierarchies import BkCurve


def plot_bk(curve: BkCurve, ax: Axes | None) -> Axes:
    """Draw the curve on these axes, or on those of a new figure."""
    return draw_on(ax, (6.4, 4), lambda ax: draw_bk(ax, curve))


def draw_bk(ax: Axes, curve: BkCurve) -> Drawn:
    """The index by the number of clusters; a line and a band where chance would put it."""
    title = "Agreement of two trees, cut into k clusters"
    if not len(curve):
        return draw_nothing(ax, title, "Fewer than three leaves: there is nothing to cut.")
    low, high = curve.band()
    dots = "o" if len(curve) <= 40 else ""
    ax.fill_between(curve.k, low, high, color=MUTED, alpha=0.2, linewidth=0, label="1.96 standard deviations about it")
    ax.plot(curve.k, curve.expectation, color=MUTED, linestyle="--", label="expected by chance")
    ax.plot(curve.k, curve.score, color=TRUE, marker=dots, markersize=4, label="Bk")
    if curve.tied.any():
        ax.plot(curve.k[curve.tied], curve.score[curve.tied], "x", color=TRUE, label="cut among equal heights")
    ax.set(ylim=(0, 1.02), xlabel="clusters, k", ylabel="Fowlkes–Mallows index")
    if len(curve) > 200:
        ax.set_xscale("log")
    ax.legend(frameon=False, loc="best")
    calm(ax)
    above = int(np.count_nonzero(curve.score > high))
    return Drawn(
        title, f"{above:,} of {len(curve):,} cuts agree more than chance, by over 1.96 standard deviations.", {}
    )
