"""What judged pairs tell, with intervals, drawn by matplotlib."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clustermark.results.canvas import INK, MUTED, TRUE, Drawn, calm
from clustermark.results.values import plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from clustermark.releases.judgements.judgement_results import Judgements
    from clustermark.releases.judgements.pair_estimates import Estimate

_SLICES = 30


def judged_height(found: Judgements) -> float:
    """How high the drawing is, in inches."""
    return 1.2 + 0.36 * len(_rows(found))


def draw_judged(ax: Axes, found: Judgements) -> Drawn:
    """A dot for what the questions were drawn for, of all records and of each slice, and a line for its interval."""
    rows = _rows(found)
    is_change = found.change.scale == "change"
    factor = 100.0 if is_change else 1.0
    for place, (_, one) in enumerate(rows):
        colour = TRUE if one.known else MUTED
        ends = [factor * one.low, factor * one.high]
        ax.plot(ends, [place, place], color=colour, linewidth=2.2, solid_capstyle="butt")
        if one.known:
            ax.plot([factor * one.value], [place], marker="o", color=colour, markersize=6, linestyle="none")
    if is_change:
        ax.axvline(0.0, color=MUTED, linewidth=1)
    ax.set_yticks(range(len(rows)), [plain(name) for name, _ in rows], parse_math=False)
    ax.set_ylim(len(rows) - 0.5, -0.5)
    ax.set_xlabel(f"{'change of ' if is_change else ''}{found.change.title}{', points' if is_change else ''}")
    calm(ax, grid="x")
    ax.tick_params(labelcolor=INK)
    right = "Right of 0 is better; grey" if is_change else "Grey"
    return Drawn(found.change.title, f"{100 * found.level:g} % intervals. {right}: nobody judged a pair.", {})


def _rows(found: Judgements) -> list[tuple[str, Estimate]]:
    name = found.questions.design.index
    slices = [(label, each[name]) for label, each in found.slices.items() if name in each]
    return [("all records", found.change), *slices[:_SLICES]]
