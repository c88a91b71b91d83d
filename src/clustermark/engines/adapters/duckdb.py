"""DuckDB, the embedded engine: it reads files, and spills to disk what does not fit into memory."""

from __future__ import annotations

import shutil
import tempfile
import threading
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np

from clustermark.engines.adapters.arrow import as_arrow
from clustermark.engines.adapters.requirements import first_line, require_package
from clustermark.engines.adapters.table_names import table_or_query
from clustermark.engines.dialect import Dialect
from clustermark.engines.engine import OURS, Relation, own_name
from clustermark.engines.files import encoding_error, is_path, read_files
from clustermark.errors import EngineError, InputError, Mention

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from clustermark.engines.engine import Kind
    from clustermark.engines.files import Reading

_INTEGERS = {"TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT"}
_FLOATS = {"FLOAT", "DOUBLE"}
_PART = 1 << 22
"""Rows that come over at a time, where there are many."""
_UNITS = {"bytes": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "TiB": 1 << 40}
_GLANCE = 0.25
"""Seconds between two looks at the progress of a statement."""


class _Shared:
    """What all our work in one connection shares: it runs one statement after the other, from whatever thread."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.left: list[str] = []
        """Tables that could not be dropped yet, as the user was reading a result."""


_SHARED: WeakKeyDictionary[Any, _Shared] = WeakKeyDictionary()


class DuckDB:
    """A connection to DuckDB: the user's, or one of our own that is closed at the end.

    In a transaction of the user's an error of the engine itself ends the transaction, as DuckDB has no savepoints;
    what is wrong with the data is found without one.
    """

    name = "duckdb"
    dialect = Dialect(temporary="TEMPORARY")

    def __init__(self, connection: Any = None, relation: Any = None) -> None:
        """Work in a connection, or in that of a relation, which does not tell it."""
        self.dialect = Dialect(temporary="TEMPORARY", exactly="{} COLLATE C")
        self._connection = connection
        self._relation = relation
        self._alias = own_name("relation")
        self._registered: list[str] = []
        self._copied: list[str] = []
        self._shared = _Shared() if connection is None else _SHARED.setdefault(connection, _Shared())

    @classmethod
    def open_embedded(
        cls,
        memory: str | None = None,
        threads: int | None = None,
        folder: str | None = None,
        progress: Callable[[float], None] | None = None,
    ) -> DuckDB:
        """A database of our own, in memory, that spills into a temporary folder.

        memory: at most so much, such as "4GB". folder: where the temporary folder is to lie.
        progress: is called now and then with the share of a long statement that is done.
        """
        duckdb = require_package("duckdb", "DuckDB, which reads files,", "cli")
        try:
            spill = tempfile.mkdtemp(prefix="clustermark-", dir=folder)
        except OSError as error:
            raise InputError(
                Mention("temporary", folder), f": no temporary folder can be made there: {error}"
            ) from error
        engine = cls(duckdb.connect())
        engine.dialect = cls.dialect
        engine._spill = spill
        try:
            engine._set("temp_directory", spill)
            engine._connection.execute("SET enable_progress_bar_print = false")  # it would print into results
            if progress is not None:
                engine._connection.execute("SET enable_progress_bar = true")
                engine._progress = progress
            if memory is not None:
                engine._set("memory_limit", str(memory))
            if threads is not None:
                engine._set("threads", threads)
        except BaseException:
            engine.close()
            raise
        return engine

    _spill: str | None = None
    _progress: Callable[[float], None] | None = None

    @property
    def own(self) -> bool:
        """Whether the database is ours."""
        return self._spill is not None

    def _set(self, option: str, value: str | int) -> None:
        import duckdb

        try:
            self._connection.execute(f"SET {option} = {self.dialect.literal(value)}")
        except duckdb.Error as error:
            asked = Mention(_ARGUMENTS[option], value)
            raise InputError(asked, f" is refused by DuckDB: {first_line(error)}") from error

    def close(self) -> None:
        """Forget what was registered; close a database of our own, and remove its temporary folder."""
        self._drop(self._copied)
        self._copied.clear()
        for name in self._registered:
            with suppress(Exception):  # the connection is closed: what was registered went with it
                self._connection.unregister(name)
        self._registered.clear()
        if self._spill is not None:
            self._connection.close()
            shutil.rmtree(self._spill, ignore_errors=True)

    def relation(self, source: Any, reading: Reading) -> Relation:
        """Files, a table or a query, a relation of this connection, or data in memory."""
        if is_path(source):
            return read_files(self, source, reading)
        if isinstance(source, tuple):
            return self._read_named(source)
        return self._of_relation(source) if is_relation(source) else self._of_data(source)

    def _read_named(self, source: tuple[Any, ...]) -> Relation:
        connection, *parts = source
        sql, said = table_or_query(parts, self.dialect)
        if self.own:
            with translate_errors():
                return self._of_data(stream_of(connection.sql(f"SELECT * FROM {sql}")), said)
        return Relation(sql, self.kinds_of(sql), said)

    def _of_relation(self, relation: Any) -> Relation:
        said = "the relation"
        if self.own:
            return self._of_data(stream_of(relation), said)
        if relation is self._relation:
            sql = self.dialect.name(self._alias)
        else:  # only its own methods know a relation, so that it meets others in a copy
            self._copied.append(own_name("copy"))
            sql = self.dialect.name(self._copied[-1])
            with translate_errors():
                relation.query(self._alias, f"CREATE TEMPORARY TABLE {sql} AS SELECT * FROM {self._alias}")
        return Relation(sql, self.kinds_of(sql), said)

    def _of_data(self, data: Any, said: str | None = None) -> Relation:
        said = said or f"the {type(data).__name__}"
        if hasattr(data, "collect"):  # a lazy frame of Polars
            data = data.collect()
        if hasattr(data, "__arrow_c_stream__") and not _rereadable(data):
            data = as_arrow(data)
        once = hasattr(data, "read_next_batch")
        sql = self.register(data)
        ordered = None if once else "row_number() OVER ()"
        return Relation(sql, self.kinds_of(sql), said, ordered, once)

    def register(self, data: Any) -> str:
        """Make Arrow data, a data frame or a dict of arrays known; returns the quoted name."""
        name = own_name("data")
        with translate_errors():
            self._connection.register(name, data)
        self._registered.append(name)
        return self.dialect.name(name)

    def kinds_of(self, relation: str) -> dict[str, Kind]:
        """The kinds of the columns of a relation, given as an expression for a FROM clause."""
        # DESCRIBE of a subquery: a table function cannot be described by itself
        with self._shared.lock, translate_errors():
            rows = self._run(f"DESCRIBE SELECT * FROM {relation}").fetchall()
        return {str(row[0]): kind_of(str(row[1])) for row in rows}

    def _run(self, sql: str) -> Any:
        with translate_errors():
            if self._connection is None:
                return self._relation.query(self._alias, sql)
            return self._connection.execute(sql)

    @contextmanager
    def _watch_progress(self) -> Iterator[None]:
        """Tell how far a statement is, from a thread beside it."""
        if self._progress is None:
            yield
            return
        over = threading.Event()
        watcher = threading.Thread(target=self._watch, args=(self._progress, over), daemon=True)
        watcher.start()
        try:
            yield
        finally:
            over.set()
            watcher.join()

    def _watch(self, tell: Callable[[float], None], over: threading.Event) -> None:
        while not over.wait(_GLANCE):
            percent = self._connection.query_progress()
            if percent >= 0:
                tell(percent / 100)

    def materialise(self, name: str, sql: str) -> None:
        """CREATE TEMPORARY TABLE."""
        with self._shared.lock:
            with self._watch_progress():
                self._run(f"CREATE TEMPORARY TABLE {self.dialect.name(name)} AS {sql}")
            while self._shared.left:
                self._run(f"DROP TABLE IF EXISTS {self.dialect.name(self._shared.left.pop())}")

    def fetch(self, sql: str) -> dict[str, Any]:
        """The columns as NumPy arrays; those with NULL in them as lists."""
        with self._shared.lock, translate_errors(), self._watch_progress():
            columns = self._run(sql).fetchnumpy()
        return {name: _plain(column) for name, column in columns.items()}

    def fetch_parts(self, name: str, columns: str, rows: int) -> Iterator[dict[str, Any]]:
        """The rows of a table of ours, part after part, so that they need not be in memory twice."""
        for begin in range(0, rows, _PART):
            where = f"rowid >= {begin} AND rowid < {begin + _PART}"
            with self._shared.lock, translate_errors():
                part = self._run(f"SELECT {columns} FROM {name} WHERE {where}").fetchnumpy()
            if self._progress is not None:
                self._progress(min(1.0, (begin + _PART) / rows))
            yield {column: _plain(values) for column, values in part.items()}

    @property
    def memory(self) -> int | None:
        """How many bytes this engine may use; None in a database of the user's, where that is not ours to decide."""
        if not self.own:
            return None
        with self._shared.lock:
            said = self._run("SELECT current_setting('memory_limit')").fetchone()[0]
        number, unit = str(said).split()
        return int(float(number) * _UNITS[unit])

    def leave_memory(self, amount: int) -> None:
        """Use so many bytes less; what they held goes to disk."""
        if (memory := self.memory) is not None:
            with self._shared.lock:
                self._run(f"SET memory_limit = '{memory - amount}B'")

    def release(self, names: Iterable[str]) -> None:
        """DROP TABLE."""
        self._drop(names)

    def _drop(self, names: Iterable[str]) -> None:
        """Drop tables at any time, also while the user reads a result: that would end if we executed a statement."""
        run = self._run if self._connection is None else self._connection.sql
        with self._shared.lock:
            for name in names:
                try:
                    with translate_errors():
                        run(f"DROP TABLE IF EXISTS {self.dialect.name(name)}")
                except (EngineError, InputError):  # closed, and temporary tables went with it; or in use
                    self._shared.left.append(name)


def is_relation(source: object) -> bool:
    """Whether a source is a relation of DuckDB."""
    return type(source).__name__ == "DuckDBPyRelation"


def stream_of(relation: Any) -> Any:
    """The rows of a relation as a stream of Arrow data."""
    require_package("pyarrow", "PyArrow, through which a relation meets data of other kinds,", "all")
    with translate_errors():
        # the name that DuckDB 2 has given it
        return relation.to_arrow_reader() if hasattr(relation, "to_arrow_reader") else relation.fetch_record_batch()


def share_a_connection(one: Any, other: Any) -> bool:
    """Whether two sources of DuckDB lie in the same connection: each a relation, or a tuple with a connection."""
    if isinstance(one, tuple) and isinstance(other, tuple):
        return one[0] is other[0]
    probe = own_name("probe")

    def run(source: Any, sql: str) -> Any:
        return source[0].execute(sql) if isinstance(source, tuple) else source.query(own_name("relation"), sql)

    with translate_errors():
        run(other, f"CREATE TEMPORARY TABLE {probe} (x INTEGER)")
        try:
            seen = run(one, f"SELECT COUNT(*) FROM duckdb_tables() WHERE table_name = '{probe}'").fetchall()
        finally:
            run(other, f"DROP TABLE {probe}")
    return bool(seen[0][0])


def _rereadable(data: Any) -> bool:
    known = type(data).__module__.partition(".")[0] in ("pyarrow", "polars", "pandas")
    return known and not hasattr(data, "read_next_batch")


_ARGUMENTS = {"temp_directory": "temporary", "memory_limit": "memory", "threads": "threads"}


def kind_of(type_name: str) -> Kind:
    """What a column of a DuckDB type holds."""
    if type_name in _INTEGERS:
        return "integer"
    if type_name in _FLOATS:
        return "float"
    if type_name == "VARCHAR" or type_name.startswith("ENUM"):
        return "text"
    return "boolean" if type_name == "BOOLEAN" else "other"


def _plain(column: Any) -> Any:
    if isinstance(column, np.ma.MaskedArray):
        if not np.ma.getmaskarray(column).any():
            return column.data
        return column.tolist()
    return column if isinstance(column, np.ndarray) else np.asarray(column)


@contextmanager
def translate_errors() -> Iterator[None]:
    """Errors of DuckDB become ours."""
    import duckdb

    try:
        yield
    except duckdb.Error as error:
        raise translate(error) from error


def translate(error: Exception) -> Exception:
    """An error of DuckDB as one of ours: what the user can mend is an InputError."""
    import duckdb

    text = str(error)
    if "not utf-8" in text or "Invalid unicode" in text or "not valid UTF" in text:
        return encoding_error(_file_in(text), _line_in(text))
    if "CSV Error" in text:
        lines = [line for line in text.splitlines() if line.startswith(("Expected", "Value", "Invalid", "Missing"))]
        return InputError(f"{_file_in(text)}not a regular CSV file{_line_in(text)}: {' '.join(lines) or text[:200]}")
    if isinstance(error, duckdb.OutOfMemoryException) or "No space left" in text:
        return EngineError(
            f"DuckDB ran out of memory or disk: {first_line(error)}; allow more by ",
            Mention("memory"),
            ", or name a folder with more room by ",
            Mention("temporary"),
        )
    if isinstance(error, duckdb.CatalogException) and "does not exist" in text:
        if OURS in first_line(error):
            return EngineError("DuckDB: the table is gone: it was closed, or made in a transaction that was rolled "
                               "back; make it again")  # fmt: skip
        return InputError(f"DuckDB: {first_line(error)}")
    if isinstance(error, duckdb.IOException | duckdb.InvalidInputException):
        return InputError(f"DuckDB cannot read the data: {first_line(error)}")
    return EngineError(f"DuckDB failed: {first_line(error)}")


def _file_in(text: str) -> str:
    found = [line.partition("=")[2].strip() for line in text.splitlines() if line.strip().startswith("file =")]
    return f"{found[0]}: " if found else ""


def _line_in(text: str) -> str:
    found = text.partition("Error on Line:")[2].strip().split()
    return f" (line {found[0]})" if found else ""
