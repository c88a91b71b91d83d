"""The methods by rank, with the intervals of their scores and of their ranks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, overload

from clustermark.results.frames import Columnar
from clustermark.results.text import align
from clustermark.tables.columnar import label_text

if TYPE_CHECKING:
    from clustermark.registry import Index


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


class Leaderboard(Columnar, Sequence[Standing]):
    """The standings of all methods by one index, the best first."""

    def __init__(self, index: Index[...], standings: Sequence[Standing], level: float) -> None:
        self.by, self.level = index, level
        self._rows = tuple(standings)

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, place: int | str) -> Standing: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Standing]: ...
    def __getitem__(self, place: int | str | slice) -> Standing | Sequence[Standing]:
        if isinstance(place, str):
            for row in self._rows:
                if row.method == place:
                    return row
            raise KeyError(f"there is no method {place!r}; there are {', '.join(row.method for row in self._rows)}")
        return self._rows[place]

    def __iter__(self) -> Iterator[Standing]:
        return iter(self._rows)

    @property
    def best(self) -> list[str]:
        """The methods that are tied for first: not shown to be worse than the top."""
        return [row.method for row in self._rows if row.best]

    def to_dict(self) -> dict[str, list[Any]]:
        """The columns as lists of plain Python values."""
        columns = {field.name: [getattr(row, field.name) for row in self._rows] for field in fields(Standing)}
        return columns | {"notes": ["; ".join(row.notes) for row in self._rows]}

    def rows(self) -> list[dict[str, Any]]:
        """The rows as dicts."""
        columns = self.to_dict() | {"notes": [list(row.notes) for row in self._rows]}
        return [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]

    def __repr__(self) -> str:
        lines = [["rank", "method", self.by.label, f"{100 * self.level:g} % interval", "ranks"]]
        lines += [
            [str(row.rank), label_text(row.method), f"{row.score:.4f}", interval_text(row), row.ranks]
            for row in self._rows
        ]
        return align(lines)


def interval_text(row: Standing) -> str:
    """The interval of a score; a dash where there is none."""
    return "–" if row.low is None or row.high is None else f"[{row.low:.4f}, {row.high:.4f}]"
