"""Results that are one table of rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar, overload

from clustermark.results.data import Table, value_of
from clustermark.results.document import SUMMARY, Document, Grid, Head, Notes, Section
from clustermark.results.result import Result

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Self

    from clustermark.results.data import Columns
    from clustermark.results.document import Body, Prose, View

Row = TypeVar("Row")


class Rows(Result, Sequence[Row]):
    """A result that is one table: a class defines its columns, a headline and remarks below the rows.

    A slice of it is again such a result.
    """

    __slots__ = ("_rows",)

    COLUMNS: ClassVar[Columns]
    """The columns, which are attributes or keys of the rows."""
    TITLE: ClassVar[str] = ""
    """The heading of the page."""
    FACTS: ClassVar[Columns] = {}
    MAIN = "rows"

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "COLUMNS" in vars(cls):
            cls.TABLES = {"rows": cls.COLUMNS}

    def __init__(self, rows: Iterable[Row]) -> None:
        self._rows = tuple(rows)

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, place: int) -> Row: ...
    @overload
    def __getitem__(self, place: slice) -> Self: ...
    def __getitem__(self, place: Any) -> Any:
        if not isinstance(place, slice):
            return self._rows[place]
        from copy import copy

        some = copy(self)
        some._rows = self._rows[place]
        return some

    def __iter__(self) -> Iterator[Row]:
        return iter(self._rows)

    def rows(self) -> list[dict[str, Any]]:
        """Return the rows as dicts."""
        return self.tables()["rows"].records()

    def facts(self) -> Mapping[str, Any]:
        """Return the facts of the JSON beside the rows; none by default."""
        return {}

    def tables(self) -> dict[str, Table]:
        """Return the one table, "rows"."""
        return {"rows": Table(self.COLUMNS, self._rows)}

    @property
    def headline(self) -> str:
        """The kind and the number of the rows, in one line."""
        return f"{len(self):,} rows"

    def grid(self) -> Grid:
        """Return the rows as a table for readers."""
        return grid_of(self.tables()["rows"], self.TITLE)

    def remarks(self) -> Sequence[Prose]:
        """Return lines below the rows."""
        return ()

    def document(self, view: View = SUMMARY) -> Document:  # noqa: ARG002
        """Return the document of text, notebook, Markdown, LaTeX and page."""
        title = self.TITLE or type(self).__name__
        return Document(title, self.headline, [Section("rows", title, self._bodies, level="summary")])

    def _bodies(self) -> list[Body]:
        remarks = self.remarks()
        return [self.grid(), *([Notes(remarks)] if remarks else [])]


def grid_of(table: Table, caption: str = "", empty: str = "") -> Grid:
    """Return a table for readers: with titles, a column for each index of scores, and no nested rows."""
    heads: list[Head] = []
    values: list[list[Any]] = []
    exported = table.to_dict()
    for name, column in table.columns.items():
        if column.kind == "scores":
            labels = dict.fromkeys(label for row in table for label in value_of(row, name) or ())
            heads += [Head(label, "score") for label in labels]
            values += [exported[label] for label in labels]
        elif name in exported:
            heads.append(Head(column.title or name.replace("_", " "), column.kind))
            values.append([value_of(row, name) for row in table])
    return Grid(heads, list(zip(*values, strict=True)), caption, empty, table.total)
