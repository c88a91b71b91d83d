"""The methods by rank, with intervals of scores and of ranks; and the charts of a comparison."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, overload

from clustermark.errors import count
from clustermark.results.canvas import INK, LINE, TRUE, Dot, Drawn, calm, draw_dots, draw_on
from clustermark.results.data import Column
from clustermark.results.document import Cell, Grid, Head, Name
from clustermark.results.rows import Rows
from clustermark.results.values import label_text

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Self

    from matplotlib.axes import Axes

    from clustermark.evaluation.comparison import Comparison
    from clustermark.evaluation.data_sets import DataSetComparison
    from clustermark.evaluation.differences import Differences
    from clustermark.registry import Index
    from clustermark.results.data import Columns
    from clustermark.results.document import Prose


@dataclass(frozen=True)
class Standing:
    """Rank and score of a method by one index."""

    rank: int
    method: str
    score: float
    """Score of the method; the mean over runs if there are several."""
    low: float | None
    high: float | None
    standard_error: float | None
    rank_low: int
    """Best rank compatible with the data; `rank_high` is the worst."""
    rank_high: int
    best: bool
    """Whether the method is tied for first: it is the first itself, or no other is shown to be better."""
    runs: int = 1
    sd: float | None = None
    """Standard deviation over runs."""
    notes: tuple[str, ...] = ()

    @property
    def half_width(self) -> float | None:
        """Half the width of the interval; None if there is none."""
        return None if self.low is None or self.high is None else (self.high - self.low) / 2

    @property
    def ranks(self) -> str:
        """Possible ranks as text, such as "1–3"."""
        return str(self.rank_low) if self.rank_low == self.rank_high else f"{self.rank_low}–{self.rank_high}"


STANDING: Columns = {
    "rank": Column("count"),
    "method": Column("name"),
    "score": Column("score", doc="of a method that was run several times, the mean"),
    "low": Column("score", optional=True),
    "high": Column("score", optional=True),
    "standard_error": Column("error", optional=True),
    "rank_low": Column("count", doc="the best rank that the data leave possible"),
    "rank_high": Column("count", doc="the worst one"),
    "best": Column("flag", doc="whether the method is tied for first"),
    "runs": Column("count"),
    "sd": Column("error", optional=True, doc="the standard deviation over runs"),
    "notes": Column("texts"),
}


class Leaderboard(Rows[Standing]):
    """The standings of all methods by one index, the best first."""

    KIND = "leaderboard"
    COLUMNS = STANDING
    TITLE = "Leaderboard"
    FACTS: ClassVar[Columns] = {
        "index": Column("name"),
        "level": Column("share", doc="the level of the intervals"),
        "best": Column("name", within=("list",), doc="the methods tied for first"),
    }

    def __init__(self, index: Index[...], standings: Sequence[Standing], level: float) -> None:
        super().__init__(standings)
        self.by, self.level = index, level

    @overload
    def __getitem__(self, place: int | str) -> Standing: ...
    @overload
    def __getitem__(self, place: slice) -> Self: ...
    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, str):
            for row in self:
                if row.method == place:
                    return row
            raise KeyError(f"there is no method {place!r}; there are {', '.join(row.method for row in self)}")
        return super().__getitem__(place)

    @property
    def best(self) -> list[str]:
        """Methods that are tied for first: not shown to be worse than the top."""
        return [row.method for row in self if row.best]

    def facts(self) -> dict[str, Any]:
        """Return the index, the level and the best methods."""
        return {"index": self.by.label, "level": self.level, "best": self.best}

    @property
    def headline(self) -> str:
        """Number of methods, with the index that ranks them and the level of the intervals."""
        return f"{count(len(self), 'method')} by {self.by.label}, {100 * self.level:g} % intervals"

    def grid(self) -> Grid:
        """Return the standings, with intervals beside the scores."""
        facts = self.by.facts
        score = Head(self.by.label, "score", facts.abbreviation or facts.title, facts.title)
        heads = [Head("method", "name"), Head("rank", "count", level="detail"), score, Head("ranks", level="detail")]
        rows = [[row.method, row.rank, Cell(row.score, row.low, row.high, row.best), row.ranks] for row in self]
        return Grid(heads, rows, self.TITLE)

    def remarks(self) -> list[Prose]:
        """Return the notes on the methods."""
        return [[Name(row.method), f": {note}"] for row in self for note in row.notes]


class RankingPlots:
    """The charts of one comparison. Each draws on `ax`, or on a new figure, and returns the Axes."""

    def __init__(self, comparison: Comparison) -> None:
        self._comparison = comparison

    def leaderboard(self, ax: Axes | None = None, index: str | Index[...] | None = None) -> Axes:
        """Draw the scores of the methods with their intervals, the best on top."""
        board = self._comparison.leaderboard(index)
        return draw_on(ax, (6.4, 1.4 + 0.4 * len(board)), lambda ax: draw_leaderboard(ax, board))

    def differences(self, ax: Axes | None = None, index: str | Index[...] | None = None) -> Axes:
        """Draw the differences of each pair of methods with their intervals, and a line at 0."""
        found = self._comparison.differences(index)
        return draw_on(ax, (6.4, 1.4 + 0.4 * max(len(found), 1)), lambda ax: draw_differences(ax, found))

    def __repr__(self) -> str:
        return "Plots of a comparison: leaderboard, differences"


def draw_leaderboard(ax: Axes, board: Leaderboard) -> Drawn:
    """Draw a dot for each score and a line for its interval; methods tied for first are dark."""
    dots = [
        Dot(label_text(row.method, 24), row.score, row.low, row.high, row.best,
            f"{label_text(row.method)}: {row.score!r}, possible ranks {row.ranks}")
        for row in board
    ]  # fmt: skip
    hover = draw_dots(ax, dots, "method", about=board.by.facts.title)
    tied = "blue: best" if len(board.best) == 1 else "blue: tied for first"
    return Drawn(f"Methods by {board.by.label}", f"{100 * board.level:g} % intervals; {tied}.", hover)


def draw_differences(ax: Axes, found: Differences) -> Drawn:
    """Draw a dot for each difference and a line for its interval; significant ones are dark."""
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
    """Return the size of a critical-difference diagram."""
    return 6.4, 1.2 + 0.32 * len(comparison.methods) + 0.2 * len(comparison.groups())


def draw_ranks(ax: Axes, comparison: DataSetComparison) -> Drawn:
    """Draw mean ranks on an axis, the best to the left; bars join methods that are not shown to differ."""
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
