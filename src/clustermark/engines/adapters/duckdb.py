"""DuckDB, the embedded engine: it reads files, and spills to disk the data that does not fit into memory."""

from __future__ import annotations

import os
import threading
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from weakref import WeakKeyDictionary

import numpy as np

from clustermark import cleanup
from clustermark.engines.adapters.arrow import hold_back
from clustermark.engines.adapters.duckdb_errors import refuse_wide_decimals, translate_errors
from clustermark.engines.dialect import Dialect, is_query, table_or_query
from clustermark.engines.engine import Relation, first_line, own_name, require_package
from clustermark.engines.files import is_path, read_files
from clustermark.engines.label_types import Kinds, merge_kinds, read_kinds, refuse_repeated
from clustermark.engines.spooled import no_room
from clustermark.errors import EngineError, InputError, Mention
from clustermark.interruption import attend

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from clustermark.engines.files import Reading

T = TypeVar("T")

_PATIENCE = 0.3
"""Seconds that Ctrl-C waits for a statement to stop."""
_BATCH = 1 << 20
"""Number of rows per Arrow batch."""
_OUR_OWN = 200_000_000
"""Bytes of memory that the process takes apart from the data in DuckDB."""
_CONFIGURATION = {"autoinstall_known_extensions": "false"}
"""Settings of our own databases: an extension, which is code, is not downloaded unasked."""
_UNITS = {"bytes": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "TiB": 1 << 40}


class _SharedConnection:
    """State that all statements in one connection share: they run one after the other, in any thread."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.left: list[str] = []
        """Tables that could not be dropped yet, because the user was reading a result."""


_SHARED: WeakKeyDictionary[Any, _SharedConnection] = WeakKeyDictionary()


class DuckDB:
    """A connection to DuckDB: the user's, or one of clustermark that is closed at the end.

    In a transaction of the user, an error of the engine itself aborts the transaction, as DuckDB has no savepoints;
    errors in the data are found without such an error.
    """

    name = "duckdb"
    rows_at_once = 1 << 22
    """Number of rows of a table that `fetch_parts` fetches at a time."""
    dialect = Dialect(unsigned="UBIGINT", temporary="TEMPORARY", hashed="CAST('0x' || {} AS BIGINT)")

    def __init__(self, connection: Any = None, relation: Any = None) -> None:
        """Work in a connection, or in that of a relation, which does not reveal it."""
        self.dialect = self.dialect._replace(exactly="{} COLLATE C")
        self._connection = connection
        self._relation = relation
        self._alias = own_name("relation")
        self._asked: list[Any] = [] if relation is None else [relation]
        """Relations whose own method ran statements."""
        self._registered: list[str] = []
        self._copied: list[str] = []
        self._shared = (
            _SharedConnection() if connection is None else _SHARED.setdefault(connection, _SharedConnection())
        )

    @classmethod
    def open_embedded(
        cls,
        memory: str | None = None,
        threads: int | None = None,
        folder: str | None = None,
        progress: Callable[[float], None] | None = None,
    ) -> DuckDB:
        """Return a new database in memory, which spills into a temporary folder.

        memory: the memory limit, such as "4GB". folder: the parent of the temporary folder.
        progress: called now and then with the finished share of a long statement.
        """
        duckdb = require_package("duckdb", "DuckDB, which reads files,", "cli")
        try:
            if folder is not None:
                Path(folder).mkdir(parents=True, exist_ok=True)
            spill = cleanup.make_folder(folder)
        except OSError as error:
            raise no_room(folder, error) from error
        engine = cls(duckdb.connect(config=_CONFIGURATION))
        engine.dialect = cls.dialect
        engine._spill = spill
        try:
            engine._set("temp_directory", spill)
            engine._connection.execute("SET enable_progress_bar_print = false")  # it would print into results
            if progress is not None:
                engine._connection.execute("SET enable_progress_bar = true")
                engine._progress = progress
            if memory is not None:
                if str(memory).lstrip().startswith("-"):  # DuckDB would take it for almost infinite
                    raise InputError(Mention("memory", memory), " is below zero; give a size such as 4GB")
                engine._set("memory_limit", str(memory))
                engine._allowed = engine.memory
                engine.leave_memory(0)
            if threads is not None:
                # additional threads would only wait, and DuckDB starts any number of them
                engine._set("threads", min(threads, os.cpu_count() or 1) if isinstance(threads, int) else threads)
        except BaseException:
            engine.close()
            raise
        return engine

    _spill: str | None = None
    _allowed: int | None = None
    """Maximum number of bytes for the whole process, if a limit was set."""
    _progress: Callable[[float], None] | None = None
    _abandoned = False
    """Whether a statement is still running that no thread waits for."""

    @property
    def own(self) -> bool:
        """Whether the database was opened by clustermark."""
        return self._spill is not None

    def _set(self, option: str, value: str | int) -> None:
        import duckdb

        try:
            self._connection.execute(f"SET {option} = {self.dialect.literal(value)}")
        except duckdb.Error as error:
            asked = Mention(_ARGUMENTS[option], value)
            raise InputError(asked, f" is refused by DuckDB: {first_line(error)}") from error

    def close(self) -> None:
        """Remove what was registered; close a database opened by clustermark, and remove its temporary folder."""
        if self._abandoned:  # the thread that waits for the statement closes the connection
            cleanup.undo(str(self._spill))
            return
        self.release(self._copied)
        self._copied.clear()
        for relation in self._asked:
            _drop_view(relation, self._alias)
        self._asked.clear()
        for name in self._registered:
            with suppress(Exception):  # the connection is closed, so nothing is registered
                self._connection.unregister(name)
        self._registered.clear()
        if self._spill is not None:
            try:
                self._connection.close()
            except Exception:  # a statement is running, because a signal interrupted the thread that waits for it
                self._connection.interrupt()
            finally:
                cleanup.undo(self._spill)

    def relation(self, source: Any, reading: Reading) -> Relation:
        """Return the rows of files, of a table or query, of a relation of this connection, or of data in memory."""
        if is_path(source):
            return read_files(self, source, reading)
        if isinstance(source, tuple):
            return self._read_named(source)
        return self._of_relation(source) if is_relation(source) else self.relation_of(source)

    def _read_named(self, source: tuple[Any, ...]) -> Relation:
        connection, *parts = source
        sql, called = table_or_query(parts, self.dialect)
        if self.own:
            with translate_errors():
                query = parts[0] if is_query(parts) else f"SELECT * FROM {sql}"
                return self._of_stream(connection.sql(query), called)
        kinds = self.kinds_of(sql)
        with self._shared.lock, translate_errors():
            found = connection.sql(parts[0] if is_query(parts) else f"SELECT * FROM {sql}")
            self.refuse_repeated(kinds, found.columns)
            refuse_wide_decimals(kinds, found, self.dialect)
        return Relation(sql, kinds, called)

    def _of_relation(self, relation: Any) -> Relation:
        called = "the relation"
        if self.own:
            return self._of_stream(relation, called)
        if relation is self._relation:
            sql = self.dialect.name(self._alias)
        else:  # a relation can be read by its own methods only, so other data is combined with a copy
            self._copied.append(own_name("copy"))
            self._asked.append(relation)
            sql = self.dialect.name(self._copied[-1])
            with translate_errors():
                relation.query(self._alias, f"CREATE TEMPORARY TABLE {sql} AS SELECT * FROM {self._alias}")
        kinds = self.kinds_of(sql)
        self.refuse_repeated(kinds, relation.columns)
        with self._shared.lock, translate_errors():
            refuse_wide_decimals(kinds, relation, self.dialect)
        return Relation(sql, kinds, called)

    def _of_stream(self, relation: Any, called: str) -> Relation:
        """Return the rows of a relation of another connection; refuse types that Arrow would change."""
        types = _read_types(zip(relation.columns, map(str, relation.types), strict=True))
        with translate_errors():
            refuse_wide_decimals(types, relation, self.dialect)
        found = self.relation_of(stream_of(relation), called)
        kinds = merge_kinds(found.kinds, Kinds())
        for column, why in types.refused.items():
            kinds.refuse(column, why)
        return found._replace(kinds=kinds)

    def relation_of(self, data: Any, called: str | None = None) -> Relation:
        """Return the rows of data in memory."""
        called = called or f"the {type(data).__name__}"
        if hasattr(data, "collect"):  # a lazy frame of Polars
            data = data.collect()
        data, held = hold_back(data, self.name)
        once = hasattr(data, "read_next_batch")
        sql = self.register(data)
        ordered = None if once else "row_number() OVER ()"
        return Relation(sql, merge_kinds(self.kinds_of(sql), held), called, ordered, once)

    def refuse_repeated(self, kinds: Kinds, names: list[str]) -> None:
        """Refuse columns with the same name in the source, where DuckDB renames all but the first."""
        refuse_repeated(kinds, names, self.name)

    def register(self, data: Any) -> str:
        """Register Arrow data, a data frame or a dict of arrays as a table; return the quoted name."""
        name = own_name("data")
        with translate_errors():
            self._connection.register(name, data)
        self._registered.append(name)
        return self.dialect.name(name)

    def kinds_of(self, relation: str) -> Kinds:
        """Return the kinds of the columns of a relation, given as an expression for a FROM clause."""
        # a table function can be described in a subquery only
        with self._shared.lock, translate_errors():
            rows = self._attend(lambda: self._run(f"DESCRIBE SELECT * FROM {relation}").fetchall())
        return _read_types((str(row[0]), str(row[1])) for row in rows)

    def _run(self, sql: str) -> Any:
        with translate_errors():
            if self._connection is None:
                return self._relation.query(self._alias, sql)
            return self._connection.execute(sql)

    def _attend(self, work: Callable[[], T]) -> T:
        """Run a statement beside this thread, which reports progress and answers Ctrl-C.

        A statement in a database opened by clustermark is abandoned if it takes long to stop.
        """
        if self._connection is None:  # a relation cannot be interrupted by another thread
            return work()
        glance = None if self._progress is None else self._tell_progress
        patience = _PATIENCE if self.own else None
        stop = self._connection.interrupt
        return attend(work, stop=stop, glance=glance, patience=patience, abandon=self._abandon)

    def _tell_progress(self) -> None:
        percent = self._connection.query_progress()
        if percent >= 0 and self._progress is not None:
            self._progress(percent / 100)

    def _abandon(self, over: threading.Event) -> None:
        self._abandoned = True
        threading.Thread(target=self._close_after, args=(over,), daemon=True).start()

    def _close_after(self, over: threading.Event) -> None:
        over.wait()
        self._connection.close()
        cleanup.undo(str(self._spill))

    def materialise(self, name: str, sql: str) -> None:
        """Run CREATE TEMPORARY TABLE."""
        with self._shared.lock:
            self._attend(lambda: self._run(f"CREATE TEMPORARY TABLE {self.dialect.name(name)} AS {sql}"))
            while self._shared.left:
                self._run(f"DROP TABLE IF EXISTS {self.dialect.name(self._shared.left.pop())}")

    def fetch(self, sql: str) -> dict[str, Any]:
        """Return the columns as NumPy arrays; those with NULL as lists."""
        with self._shared.lock, translate_errors():
            columns = self._attend(lambda: self._run(sql).fetchnumpy())
        return {name: _plain(column) for name, column in columns.items()}

    def fetch_integers(self, sql: str, rows: int) -> dict[str, Any]:
        """Return `rows` rows of integers without NULL; through Arrow, if PyArrow is installed, in half the time."""
        if self._connection is None or find_spec("pyarrow") is None:
            return self.fetch(sql)
        with self._shared.lock, translate_errors():
            return self._attend(lambda: _join_batches(stream_of(self._connection.sql(sql), _BATCH), rows))

    def fetch_parts(self, name: str, columns: str, rows: int, at_once: int | None = None) -> Iterator[dict[str, Any]]:
        """Yield the rows of a table of clustermark in parts, so that they need not be in memory twice."""
        step = at_once or self.rows_at_once
        for begin in range(0, rows, step):
            yield self.fetch(f"SELECT {columns} FROM {name} WHERE rowid >= {begin} AND rowid < {begin + step}")
            if self._progress is not None:
                self._progress(min(1.0, (begin + step) / rows))

    @property
    def memory(self) -> int | None:
        """Number of bytes that this engine may use; None in a database of the user, whose limit is not changed."""
        if not self.own or self._allowed is not None:
            return self._allowed
        with self._shared.lock:
            text = self._run("SELECT current_setting('memory_limit')").fetchone()[0]
        number, unit = str(text).split()
        return int(float(number) * _UNITS[unit])

    def leave_memory(self, amount: int) -> None:
        """Reduce the memory limit by this number of bytes; DuckDB spills the excess to disk.

        DuckDB takes up to an eighth more than its limit, which is therefore set lower.
        """
        if (memory := self.memory) is not None:
            left = memory - amount
            share = left if self._allowed is None else max(left * 7 // 8 - _OUR_OWN, left * 3 // 4)
            with self._shared.lock:
                self._run(f"SET memory_limit = '{share}B'")

    def release(self, names: Iterable[str]) -> None:
        """Run DROP TABLE, also while the user reads a result, which executing a statement would end."""
        if self._abandoned:
            return
        run = self._run if self._connection is None else self._connection.sql
        with self._shared.lock:
            for name in names:
                try:
                    with translate_errors():
                        run(f"DROP TABLE IF EXISTS {self.dialect.name(name)}")
                except (EngineError, InputError):  # closed, and temporary tables with it; or in use
                    self._shared.left.append(name)


def is_relation(source: object) -> bool:
    """Return whether a source is a relation of DuckDB."""
    return type(source).__name__ == "DuckDBPyRelation"


def stream_of(relation: Any, *batch: int) -> Any:
    """Return the rows of a relation as a stream of Arrow data, in batches of a size."""
    require_package("pyarrow", "PyArrow, through which a relation meets data of other kinds,", "all")
    with translate_errors():
        # the name since DuckDB 2
        stream = relation.to_arrow_reader if hasattr(relation, "to_arrow_reader") else relation.fetch_record_batch
        return stream(*batch)


def _join_batches(stream: Any, rows: int) -> dict[str, Any]:
    """Return the columns of a stream with this number of rows of integers."""
    columns = {field.name: np.empty(rows, field.type.to_pandas_dtype()) for field in stream.schema}
    done = 0
    for batch in stream:
        if done + len(batch) <= rows:
            for name, column in zip(columns, batch.columns, strict=True):
                columns[name][done : done + len(batch)] = column.to_numpy()
        done += len(batch)
    if done != rows:
        raise EngineError("the number of rows changed while they were read; run it again")
    return columns


def share_a_connection(one: Any, other: Any) -> bool:
    """Return whether two sources of DuckDB, relations or tuples with a connection, share a connection."""
    if isinstance(one, tuple) and isinstance(other, tuple):
        return one[0] is other[0]
    probe, view = own_name("probe"), own_name("relation")

    def run(source: Any, sql: str) -> Any:
        return source[0].execute(sql) if isinstance(source, tuple) else source.query(view, sql)

    with translate_errors():
        run(other, f"CREATE TEMPORARY TABLE {probe} (x INTEGER)")
        try:
            seen = run(one, f"SELECT COUNT(*) FROM duckdb_tables() WHERE table_name = '{probe}'").fetchall()
        finally:
            run(other, f"DROP TABLE {probe}")
            for source in (one, other):
                if not isinstance(source, tuple):
                    _drop_view(source, view)
    return bool(seen[0][0])


def _drop_view(relation: Any, name: str) -> None:
    """Drop the view that DuckDB before 2.0 leaves in the connection of a relation whose `query` was called."""
    with suppress(Exception):  # the connection is closed
        relation.query(name, f'DROP VIEW IF EXISTS "{name}"')


_ARGUMENTS = {"temp_directory": "temporary", "memory_limit": "memory", "threads": "threads"}


def _read_types(columns: Iterable[tuple[str, str]]) -> Kinds:
    """Return the kinds of columns, given names and types; the type of a list begins like that of its values."""
    return read_kinds("duckdb", [(name, f"LIST OF {kind}" if kind.endswith("]") else kind) for name, kind in columns])


def _plain(column: Any) -> Any:
    if isinstance(column, np.ma.MaskedArray):
        if not np.ma.getmaskarray(column).any():
            return column.data
        return column.tolist()
    return column if isinstance(column, np.ndarray) else np.asarray(column)
