"""A comparison of predictions drawn by matplotlib."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clustermark.results.canvas import INK, LINE, TRUE, Dot, Drawn, calm, draw_dots, draw_on
from clustermark.results.values import label_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from clustermark.evaluation.ranking.comparison import Comparison
    from clustermark.evaluation.ranking.data_sets import DataSetComparison
    from clustermark.evaluation.ranking.differences import Differences
    from clustermark.evaluation.ranking.leaderboard import Leaderboard
    from clustermark.registry import Index


class RankingPlots:
    """The charts of one comparison. Each draws on `ax`, or on a new figure, and returns the Axes."""

    def __init__(self, comparison: Comparison) -> None:
        self._comparison = comparison

    def leaderboard(self, ax: Axes | None = None, index: str | Index[...] | None = None) -> Axes:
        """The scores of the methods with their intervals, the best on top."""
        board = self._comparison.leaderboard(index)
        return draw_on(ax, (6.4, 1.4 + 0.4 * len(board)), lambda ax: draw_leaderboard(ax, board))

    def differences(self, ax: Axes | None = None, index: str | Index[...] | None = None) -> Axes:
        """The differences of each two methods with their intervals, beside 0."""
        found = self._comparison.differences(index)
        return draw_on(ax, (6.4, 1.4 + 0.4 * max(len(found), 1)), lambda ax: draw_differences(ax, found))

    def __repr__(self) -> str:
        return "Plots of a comparison: leaderboard, differences"


def draw_leaderboard(ax: Axes, board: Leaderboard) -> Drawn:
    """A dot for each score, a line for its interval; those tied for first are dark."""
    dots = [
        Dot(label_text(row.method, 24), row.score, row.low, row.high, row.best,
            f"{label_text(row.method)}: {row.score!r}, possible ranks {row.ranks}")
        for row in board
    ]  # fmt: skip
    hover = draw_dots(ax, dots, "method", about=board.by.facts.title)
    tied = "blue: best" if len(board.best) == 1 else "blue: tied for first"
    return Drawn(f"Methods by {board.by.label}", f"{100 * board.level:g} % intervals; {tied}.", hover)


def draw_differences(ax: Axes, found: Differences) -> Drawn:
    """A dot for each difference, a line for its interval; those that hold up are dark."""
    dots = [
        Dot(f"{label_text(row.first, 16)} − {label_text(row.second, 16)}", row.difference, row.low, row.high,
            row.p_holm is not None and row.p_holm < 1 - found.level,
            f"{label_text(row.first)} less {label_text(row.second)}: {row.difference!r}")
        for row in found
    ]  # fmt: skip
    hover = draw_dots(ax, dots, "pair", about=f"difference in {found.by.facts.title}", beside_zero=True)
    return Drawn(
        f"Differences of {found.by.label}", f"{100 * found.level:g} % intervals; blue: holds up (Holm).", hover
    )


def diagram_size(comparison: DataSetComparison) -> tuple[float, float]:
    """The size of a critical-difference diagram."""
    return 6.4, 1.2 + 0.32 * len(comparison.methods) + 0.2 * len(comparison.groups())


def draw_ranks(ax: Axes, comparison: DataSetComparison) -> Drawn:
    """Mean ranks on an axis, the best to the left; bars join methods that are not shown to differ."""
    ranks = comparison.mean_ranks
    names, groups = list(ranks), comparison.groups()
    for place, name in enumerate(names):
        level = place + 1
        ax.plot([ranks[name], ranks[name]], [0, level], color=LINE, linewidth=1)
        ax.plot([ranks[name]], [level], marker="o", color=TRUE, markersize=6, linestyle="none")
        text = f"  {label_text(name, 24)} ({ranks[name]:.2f})"
        ax.text(ranks[name], level, text, va="center", fontsize="small", parse_math=False)
    for place, group in enumerate(groups):
        ends = [ranks[group[0]], ranks[group[-1]]]
        ax.plot(ends, [-0.35 * (place + 1)] * 2, color=INK, linewidth=4, solid_capstyle="butt")
    ax.set(xlim=(0.9, len(names) + 0.6), ylim=(len(names) + 0.6, -0.35 * (len(groups) + 1)))
    ax.set_yticks([])
    ax.set_xlabel("mean rank, 1 is best")
    calm(ax, grid="x")
    note = f"{len(comparison.sets)} data sets; bars: not shown to differ (Wilcoxon, Holm)."
    return Drawn(f"Methods by {comparison.index.label}", note, {})
