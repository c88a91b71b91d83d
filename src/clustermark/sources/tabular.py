"""The columns of sources as they are: of ids with labels or scores, and of records; and ids that one source lacks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from clustermark.engines.engine import Sharing
from clustermark.engines.files import is_path
from clustermark.engines.pushdown.point_rows import PRED_ONLY, TRUE_ONLY
from clustermark.engines.spooled import name_streams
from clustermark.errors import InputError, Mention
from clustermark.labels import ABSENT, is_missing
from clustermark.labels.alignment import id_text
from clustermark.labels.frame_columns import list_values
from clustermark.options import read_options
from clustermark.sources import columns
from clustermark.sources.frames import open_frame, read_points, stay_in_memory
from clustermark.sources.recognition import becomes_arrow, open_workspace, relation_of
from clustermark.sources.request import read_request, select_points
from clustermark.sources.wrapped import class_in, is_wrapper

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

    from clustermark.engines.engine import Relation, Workspace


_MOST_IN_STATEMENT = 20_000
"""Maximum number of ids that are named in a statement; for more, all rows are read."""
_PANDAS = {("pandas", "DataFrame"): "frame", ("pandas", "Series"): "series"}


class Tabular(NamedTuple):
    """Named columns."""

    called: str
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
    has_columns = hasattr(source, "columns") or hasattr(source, "schema")
    return has_columns or is_wrapper(source) or becomes_arrow(source)


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
            yield Tabular(relation.called, relation.kinds, *how)
        return
    take = lambda wanted, *_: [frame.column(name) for name in wanted]  # noqa: E731
    yield Tabular(frame.called, dict.fromkeys(frame.names), take, take)


Record: TypeAlias = dict[str, str | None]
"""The values of a record by column name, as texts; None for missing values."""


def read_show(show: str | Sequence[str] | None) -> list[str] | None:
    """Return the columns to be shown; None for all."""
    wanted = [show] if isinstance(show, str) else None if show is None else list(show)
    if wanted is not None and (not wanted or not all(isinstance(name, str) for name in wanted)):
        raise InputError(Mention("show", show), " must be the name of a column, or a list of such names")
    return None if wanted is None else list(dict.fromkeys(wanted))


def find_source(sources: Sequence[Any], show: Sequence[str], options: Mapping[str, Any]) -> Any:
    """Return the first of the sources that has these columns."""
    for source in sources:
        if is_tabular(source):
            with open_columns(source, "records", reading_options(options)) as table:
                if set(show) <= set(table.kinds):
                    return source
    raise InputError(
        Mention("show", list(show)),
        ": neither clustering has these columns; say where they lie by ",
        Mention("records"),
    )


def read_by_id(
    names: Collection[str],
    records: Any,
    show: Sequence[str] | None,
    options: Mapping[str, Any],
    hidden: Collection[Any] = (),
) -> dict[str, Record]:
    """Return the records of these ids, of a mapping or a source; ids without a record are omitted.

    names: the texts of the ids. show: the columns, by default all but those of the id and the hidden ones.
    options: those of the clusterings, which contain the name of the id and the options for reading files.
    """
    if isinstance(records, Mapping):
        chosen = [(text, record) for name, record in records.items() if (text := id_text(name)) in names]
        values = _read_values([record for _, record in chosen], show)
        return _index(zip((text for text, _ in chosen), values, strict=True))
    _require_tabular(records)
    with open_columns(records, "records", reading_options(options)) as table:
        ids = columns.find_id(table, columns.id_names(columns.read_id(options.get("on"))) or [["id"]])
        shown = columns.choose(table, "show", show, {*ids, *hidden})
        wanted = [*ids, *shown]
        read = table.read(wanted) if len(ids) > 1 else table.find(wanted, ids[0], names)
        lists = [list_values(column) for column in read]
    keys = lists[0] if len(ids) == 1 else list(zip(*lists[: len(ids)], strict=True))
    texts = map(id_text, keys)
    rows = zip(*lists[len(ids) :], strict=True) if shown else [()] * len(keys)
    return _index((text, _name_values(shown, row)) for text, row in zip(texts, rows, strict=True) if text in names)


def read_in_order(
    places: Sequence[int],
    n: int,
    records: Any,
    show: Sequence[str] | None,
    options: Mapping[str, Any],
    hidden: Collection[Any] = (),
) -> list[Record]:
    """Return the records at these places of n points without ids: of a list, or a source with one row per point."""
    if isinstance(records, Sequence) and not isinstance(records, str) and not is_tabular(records):
        _check_length(len(records), n)
        return _read_values([records[place] for place in places], show)
    _require_tabular(records)
    with open_columns(records, "records", reading_options(options)) as table:
        chosen = columns.choose(table, "show", show, hidden)
        read = table.read(chosen)
    for column in read[:1]:
        _check_length(len(column), n)
    return take_rows(dict(zip(chosen, read, strict=True)), places)


def take_rows(read: Mapping[str, Any], places: Sequence[int]) -> list[Record]:
    """Return the records at these places of columns in memory."""
    lists = [list_values(_take(column, places)) for column in read.values()]
    return [_name_values(read, row) for row in (zip(*lists, strict=True) if lists else [()] * len(places))]


def read_by_index(ids: Collection[str], records: Any, show: Sequence[str] | None) -> dict[str, Record]:
    """Return the records of these ids, of a pandas frame with the ids as its index."""
    texts = [id_text(name) for name in records.index.tolist()]
    places = [place for place, text in enumerate(texts) if text in ids]
    with open_columns(records, "records", {}) as table:
        chosen = columns.choose(table, "show", show)
        found = take_rows(dict(zip(chosen, table.read(chosen), strict=True)), places)
    return _index((texts[place], record) for place, record in zip(places, found, strict=True))


def _require_tabular(records: Any) -> None:
    if not is_tabular(records):
        raise InputError("records: pass a file, a frame, (connection, 'table'), or a mapping from id to values")


def _check_length(found: int, n: int) -> None:
    if found != n:
        raise InputError(
            f"records: there are {found:,} for {n:,} points, which have no ids; pass one record for each point, in the "
            "same order"
        )


def _index(found: Any) -> dict[str, Record]:
    """Return the records by id; raise an error if an id occurs twice."""
    known: dict[str, Record] = {}
    for text, record in found:
        if text in known:
            raise InputError(f"records: there are two for the id {text!r}; remove one, ids must be unique")
        known[text] = record
    return known


def reading_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options for reading a source of records: the options for columns apply to the clusterings."""
    given = read_options(options)
    return {name: given[name] for name in ("reading", "engine", "engine_options") if name in given}


def _read_values(records: Sequence[Any], show: Sequence[str] | None) -> list[Record]:
    """Return the values of records, each a mapping from column to value, or one value."""
    listed = [record if isinstance(record, Mapping) else {"record": record} for record in records]
    for name in show or ():
        if listed and not any(name in values for values in listed):
            known = columns.list_names(dict.fromkeys(str(key) for values in listed for key in values))
            raise InputError(Mention("show", name), f": no record has this value (they have {known})")
    return [
        {str(key): _read_value(values[key]) for key in (values if show is None else show) if key in values}
        for values in listed
    ]


def _name_values(names: Collection[str], values: Sequence[Any]) -> Record:
    return {name: _read_value(value) for name, value in zip(names, values, strict=True)}


def _read_value(value: Any) -> str | None:
    return None if is_missing(value) else id_text(value)


def _take(column: Any, places: Sequence[int]) -> Any:
    if hasattr(column, "iloc"):
        return column.iloc[list(places)]
    if hasattr(column, "gather"):  # polars
        return column.gather(list(places))
    if hasattr(column, "take"):
        return column.take(list(places))
    return [column[place] for place in places]


def find_unmatched(source: Any, other: Any, options: Mapping[str, Any], k: int) -> tuple[list[Any], list[Any]]:
    """Return ids that only the first or only the second of two sources has; the first k of each, in order."""
    request = read_request(options)
    if stay_in_memory(source, other, request):
        points = read_points(source, other, request._replace(policies=request.policies._replace(unmatched="keep")))
        ids = points.ids or []
        return (
            [ids[place] for place in (points.pred.codes == ABSENT).nonzero()[0].tolist()],
            [ids[place] for place in (points.true.codes == ABSENT).nonzero()[0].tolist()],
        )
    with name_streams(source, other), open_workspace(source, other, request) as workspace:
        selected, *_ = select_points(workspace, source, other, request)
        names = ", ".join(one.name for one in selected.ids)
        sides = []
        for side in (TRUE_ONLY, PRED_ONLY):
            sql = f"SELECT {names} FROM ({selected.sql}) x WHERE s = {side} ORDER BY {names} LIMIT {int(k)}"
            columns = [list_values(column) for column in workspace.fetch(sql).values()]
            sides.append(columns[0] if len(columns) == 1 else list(zip(*columns, strict=True)))
        return sides[0], sides[1]
