"""The data of a result: facts and tables of typed columns, from which JSON, its schema, CSV and frames are made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from clustermark.results.frames import Columnar

if TYPE_CHECKING:
    from collections.abc import Iterator

Kind: TypeAlias = Literal[
    "label", "name", "text", "texts", "flag", "count", "amount", "number", "threshold", "score", "error", "share", "p",
    "scores", "record", "rows", "any",
]  # fmt: skip
"""The kind of a value, which decides its format: see `results.values.value_text` and `results.schema`.

label: the name of a cluster or point, of any type. name: the name of a method, an index, a column. score: the value of
an index. error: the size of a difference or a standard error. amount: a number of points or pairs, or their weight.
threshold: a number that a reader may pass as an option, so it is written with all its digits.
number: any other number. share: from 0 to 1. p: a p-value. scores: a score for each index, by its label. record: an
object with `Column.rows`; rows: a list of such objects. any: everything that JSON can contain.
"""


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table, or a fact."""

    kind: Kind
    title: str = ""
    """The head for readers; by default the name with blanks for underscores."""
    optional: bool = False
    """Whether the value may be None."""
    doc: str = ""
    """The description in the schema."""
    rows: Columns | None = None
    """The columns of a "record" or of "rows"."""
    within: tuple[Literal["list", "map"], ...] = ()
    """The containers of the values, outermost first: ("map", "list") is an object of lists of this kind."""
    choices: tuple[str, ...] = ()
    """The possible texts, if they are few."""
    sometimes: bool = False
    """Whether the key is left out if it has no meaning."""


Columns: TypeAlias = Mapping[str, Column]
"""Columns by name; the names are the keys of JSON, the header of CSV, and the columns of frames."""

POINTS = Column("any", doc="how many points were given, used, left out and unmatched")
SETTINGS = Column("any", doc="the policies; and where the data came from, if that is known")
NOTICES = Column("any", doc="facts that limit how far the scores can be trusted")
VERDICT = Column("text", doc="the result in a sentence or two")
"""Facts of many results; the schema defines the first three once, for all kinds."""


class Table(Columnar, Sequence[Any]):
    """Rows of a result with declared columns; it has frames and CSV like every result.

    rows: objects with the columns as attributes, or mappings.
    total: the number of all rows, if `rows` contains only the first of them.

    >>> table = Table({"method": Column("name"), "score": Column("score")}, [{"method": "a", "score": 0.5}])
    >>> table.to_dict()
    {'method': ['a'], 'score': [0.5]}
    """

    __slots__ = ("columns", "rows", "total")

    def __init__(self, columns: Columns, rows: Sequence[Any], total: int | None = None) -> None:
        self.columns, self.rows, self.total = columns, rows, total

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, place: Any) -> Any:
        return self.rows[place]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.rows)

    def __repr__(self) -> str:
        return f"Table of {len(self):,} rows: {', '.join(self.columns)}"

    def records(self) -> list[dict[str, Any]]:
        """Return the rows as dicts, including nested rows and records."""
        return [record_of(row, self.columns) for row in self.rows]

    def to_dict(self) -> dict[str, list[Any]]:
        """Return columns of plain Python values: scores have a column each, texts are joined, nested rows left out."""
        made: dict[str, list[Any]] = {}
        for name, column in self.columns.items():
            if column.kind in ("record", "rows") or column.within:
                continue
            values = [value_of(row, name) if not column.sometimes or _has(row, name) else None for row in self.rows]
            if column.kind == "scores":
                labels = dict.fromkeys(label for scores in values for label in scores or ())
                made |= {label: [(scores or {}).get(label) for scores in values] for label in labels}
            elif column.kind == "texts":
                made[name] = ["; ".join(texts or ()) for texts in values]
            else:
                made[name] = values
        return made


def value_of(row: Any, name: str) -> Any:
    """Return the value of a row, which is a mapping or an object with attributes."""
    return row[name] if isinstance(row, Mapping) else getattr(row, name)


def record_of(row: Any, columns: Columns) -> dict[str, Any]:
    """Return a row, a record or the facts of a result as a dict of values for JSON, apart from infinite numbers."""
    return {
        name: _plain(value_of(row, name), column, column.within)
        for name, column in columns.items()
        if not column.sometimes or _has(row, name)
    }


def _has(row: Any, name: str) -> bool:
    return name in row if isinstance(row, Mapping) else hasattr(row, name)


def _plain(value: Any, column: Column, within: tuple[str, ...]) -> Any:
    if value is None:
        return None
    if within:
        outer, *inner = within
        rest = tuple(inner)
        if outer == "map":
            return {key: _plain(item, column, rest) for key, item in value.items()}
        return [_plain(item, column, rest) for item in value]
    if column.kind == "texts":
        return list(value)
    if column.kind == "record" and column.rows is not None:
        return record_of(value, column.rows)
    if column.kind == "rows" and column.rows is not None:
        return [record_of(row, column.rows) for row in value]
    return value
