"""The columns of sources of ids with labels or scores: data frames, files, tables of an engine."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from clustermark.engines.engine import Sharing
from clustermark.engines.files import is_path
from clustermark.sources.frames import open_frame
from clustermark.sources.recognition import class_in, is_arrow_table, open_workspace, relation_of
from clustermark.sources.request import read_request

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from clustermark.engines.engine import Relation, Workspace

_MOST_IN_STATEMENT = 20_000
"""Maximum number of ids that are named in a statement; for more, all rows are read."""
_PANDAS = {("pandas", "DataFrame"): "frame", ("pandas", "Series"): "series"}


class Tabular(NamedTuple):
    """Named columns."""

    said: str
    """Name in messages."""
    kinds: Mapping[str, Any]
    """The columns by name."""
    read: Callable[[Sequence[str]], list[Any]]
    """Return these columns, all in the same order of rows."""
    find: Callable[[Sequence[str], str, Collection[str]], list[Any]]
    """Return the same for rows whose value in a column has one of these texts, and possibly for other rows."""
    store: Callable[[Sequence[str]], Stored] | None = None
    """Store these columns in the engine, to be read in parts any number of times; None if there is no engine."""
    untyped: bool = False
    """Whether it is a text file, whose numbers are texts as they are written."""
    count_rows: Callable[[], int] | None = None
    """Count the rows; None if the source can be read only once."""


class Stored(NamedTuple):
    """Columns stored in an engine until the last reference is gone."""

    rows: int
    read: Callable[[int], Iterator[list[Any]]]
    """Yield the columns in parts of this number of rows."""


def is_tabular(source: object) -> bool:
    """Return whether a source has columns, as a file, a frame or (connection, "table"); a list of labels has none."""
    if isinstance(source, str) or (is_path(source) and not isinstance(source, list | tuple)):
        return True
    if isinstance(source, tuple):
        return len(source) in (2, 3) and hasattr(source[0], "cursor") and isinstance(source[1], str)
    return hasattr(source, "columns") or hasattr(source, "schema") or is_arrow_table(source)


def pandas_kind(data: object) -> str | None:
    """Return whether data is a "frame" or a "series" of pandas; None if it is neither."""
    return class_in(data, _PANDAS)


class _EngineColumns:
    """The columns of a relation in an engine."""

    def __init__(self, workspace: Workspace, relation: Relation) -> None:
        self._workspace = workspace
        self._relation = relation

    def _select(self, names: Sequence[str]) -> str:
        wanted = (f"{self._workspace.dialect.name(name)} AS c{place}" for place, name in enumerate(names))
        return f"SELECT {', '.join(wanted)} FROM {self._relation.sql}"

    def fetch(self, names: Sequence[str], condition: str = "") -> list[Any]:
        """Return these columns."""
        found = self._workspace.fetch(self._select(names) + condition)
        return [found[f"c{place}"] for place in range(len(names))]

    def find(self, names: Sequence[str], column: str, texts: Collection[str]) -> list[Any]:
        """Return the same for rows whose value in a column has one of these texts."""
        kind, dialect = self._relation.kinds[column], self._workspace.dialect
        if kind not in ("text", "integer") or len(texts) > _MOST_IN_STATEMENT:  # text forms of others differ
            return self.fetch(names)
        shown = dialect.show(dialect.name(column), kind)
        wanted = [dialect.literal(text) for text in sorted(texts) if "\0" not in text]
        return self.fetch(names, f" WHERE {shown} IN ({', '.join(wanted)})" if wanted else " WHERE 1 = 0")

    def count(self) -> int:
        """Return the number of rows."""
        return self._count(self._relation.sql)

    def _count(self, rows: str) -> int:
        return int(self._workspace.row(f"SELECT COUNT(*) AS n FROM {rows}", (0,))[0])

    def store(self, names: Sequence[str]) -> Stored:
        """Store these columns in the engine, until the last reference to the returned reader is gone."""
        workspace, columns = self._workspace.keep(), [f"c{place}" for place in range(len(names))]
        held = workspace.materialise("columns", self._select(names))
        rows = self._count(held)

        def read(at_once: int) -> Iterator[list[Any]]:
            for part in workspace.fetch_parts(held, ", ".join(columns), rows, at_once):
                yield [part[column] for column in columns]

        return Stored(rows, read)


@contextmanager
def open_columns(source: Any, whose: str, options: Mapping[str, Any]) -> Iterator[Tabular]:
    """Open the columns of a source, which are read on request."""
    frame = open_frame(source, f" of the {whose}")
    if frame is None:
        request = read_request(options)
        with open_workspace(source, None, request) as workspace:
            relation = relation_of(workspace, source, request)
            columns = _EngineColumns(workspace, relation)
            store = columns.store if isinstance(workspace.engine, Sharing) else None
            count = columns.count if not relation.once else None
            how = (columns.fetch, columns.find, store, relation.untyped, count)
            yield Tabular(relation.said, relation.kinds, *how)
        return
    take = lambda wanted, *_: [frame.column(name) for name in wanted]  # noqa: E731
    yield Tabular(frame.said, dict.fromkeys(frame.names), take, take)
