"""The methods by rank, with the intervals of their scores and of their ranks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, overload

from clustermark.errors import count
from clustermark.results.data import Column
from clustermark.results.document import Cell, Grid, Head, Name
from clustermark.results.rows import Rows

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Self

    from clustermark.registry import Index
    from clustermark.results.data import Columns
    from clustermark.results.document import Prose


@dataclass(frozen=True)
class Standing:
    """Where a method stands by one index."""

    rank: int
    method: str
    score: float
    """Of a method that was run several times, the mean."""
    low: float | None
    high: float | None
    standard_error: float | None
    rank_low: int
    """The best and the worst rank that these data leave possible."""
    rank_high: int
    best: bool
    """Whether it is tied for first: no other is shown to be better than it, or it is the first itself."""
    runs: int = 1
    sd: float | None = None
    """The standard deviation over runs."""
    notes: tuple[str, ...] = ()

    @property
    def half_width(self) -> float | None:
        """Half of what lies between the limits."""
        return None if self.low is None or self.high is None else (self.high - self.low) / 2

    @property
    def ranks(self) -> str:
        """The ranks that are possible, as people write them."""
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
        """The methods that are tied for first: not shown to be worse than the top."""
        return [row.method for row in self if row.best]

    def facts(self) -> dict[str, Any]:
        """The index, the level and the best methods."""
        return {"index": self.by.label, "level": self.level, "best": self.best}

    @property
    def headline(self) -> str:
        """What the methods are ranked by."""
        return f"{count(len(self), 'method')} by {self.by.label}, {100 * self.level:g} % intervals"

    def grid(self) -> Grid:
        """The standings, with intervals beside the scores."""
        facts = self.by.facts
        score = Head(self.by.label, "score", facts.abbreviation or facts.title, facts.title)
        heads = [Head("method", "name"), Head("rank", "count", level="detail"), score, Head("ranks", level="detail")]
        rows = [[row.method, row.rank, Cell(row.score, row.low, row.high, row.best), row.ranks] for row in self]
        return Grid(heads, rows, self.TITLE)

    def remarks(self) -> list[Prose]:
        """The notes on the methods."""
        return [[Name(row.method), f": {note}"] for row in self for note in row.notes]
