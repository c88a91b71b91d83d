"""DuckDB, the embedded engine: it reads files, and spills to disk what does not fit into memory."""

from __future__ import annotations

import os
import shutil
import tempfile
import threading
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from weakref import WeakKeyDictionary

import numpy as np

from clustermark.engines.adapters.duckdb_errors import translate_errors
from clustermark.engines.adapters.handover import hold_back
from clustermark.engines.adapters.requirements import first_line, require_package
from clustermark.engines.adapters.table_names import is_query, table_or_query
from clustermark.engines.adapters.wide_decimals import refuse_wide_decimals
from clustermark.engines.dialect import Dialect
from clustermark.engines.engine import Relation, own_name
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
"""Seconds for a statement to stop, before Ctrl-C goes on without it."""
_BATCH = 1 << 20
"""Rows that come over at a time, where there are many."""
_OUR_OWN = 200_000_000
"""Bytes that a process takes before DuckDB holds anything."""
_UNITS = {"bytes": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "TiB": 1 << 40}


class _SharedConnection:
    """What all our work in one connection shares: it runs one statement after the other, from whatever thread."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.left: list[str] = []
        """Tables that could not be dropped yet, as the user was reading a result."""


_SHARED: WeakKeyDictionary[Any, _SharedConnection] = WeakKeyDictionary()


class DuckDB:
    """A connection to DuckDB: the user's, or one of our own that is closed at the end.

    In a transaction of the user's an error of the engine itself ends the transaction, as DuckDB has no savepoints;
    what is wrong with the data is found without one.
    """

    name = "duckdb"
    rows_at_once = 1 << 22
    """Rows of a table that `fetch_parts` fetches at a time."""
    dialect = Dialect(unsigned="UBIGINT", temporary="TEMPORARY", hashed="CAST('0x' || SUBSTR({}, 1, 13) AS BIGINT)")

    def __init__(self, connection: Any = None, relation: Any = None) -> None:
        """Work in a connection, or in that of a relation, which does not tell it."""
        self.dialect = self.dialect._replace(exactly="{} COLLATE C")
        self._connection = connection
        self._relation = relation
        self._alias = own_name("relation")
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
        """A database of our own, in memory, that spills into a temporary folder.

        memory: at most so much, such as "4GB". folder: where the temporary folder is to lie.
        progress: is called now and then with the share of a long statement that is done.
        """
        duckdb = require_package("duckdb", "DuckDB, which reads files,", "cli")
        try:
            if folder is not None:
                Path(folder).mkdir(parents=True, exist_ok=True)
            spill = tempfile.mkdtemp(prefix="clustermark-", dir=folder)
        except OSError as error:
            raise no_room(folder, error) from error
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
                engine._allowed = engine.memory
                engine.leave_memory(0)
            if threads is not None:
                # more than there are cores only wait for each other, and DuckDB would start any number of them
                engine._set("threads", min(threads, os.cpu_count() or 1) if isinstance(threads, int) else threads)
        except BaseException:
            engine.close()
            raise
        return engine

    _spill: str | None = None
    _allowed: int | None = None
    """Bytes that the whole process may use, if somebody said so."""
    _progress: Callable[[float], None] | None = None
    _abandoned = False
    """Whether a statement of ours that nobody waits for is still running."""

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
        if self._abandoned:  # whoever waits for its statement closes it
            shutil.rmtree(str(self._spill), ignore_errors=True)
            return
        self.release(self._copied)
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
        return self._of_relation(source) if is_relation(source) else self.relation_of(source)

    def _read_named(self, source: tuple[Any, ...]) -> Relation:
        connection, *parts = source
        sql, said = table_or_query(parts, self.dialect)
        if self.own:
            with translate_errors():
                query = parts[0] if is_query(parts) else f"SELECT * FROM {sql}"
                return self._of_stream(connection.sql(query), said)
        kinds = self.kinds_of(sql)
        with self._shared.lock, translate_errors():
            found = connection.sql(parts[0] if is_query(parts) else f"SELECT * FROM {sql}")
            self.refuse_repeated(kinds, found.columns)
            refuse_wide_decimals(kinds, found, self.dialect)
        return Relation(sql, kinds, said)

    def _of_relation(self, relation: Any) -> Relation:
        said = "the relation"
        if self.own:
            return self._of_stream(relation, said)
        if relation is self._relation:
            sql = self.dialect.name(self._alias)
        else:  # only its own methods know a relation, so that it meets others in a copy
            self._copied.append(own_name("copy"))
            sql = self.dialect.name(self._copied[-1])
            with translate_errors():
                relation.query(self._alias, f"CREATE TEMPORARY TABLE {sql} AS SELECT * FROM {self._alias}")
        kinds = self.kinds_of(sql)
        self.refuse_repeated(kinds, relation.columns)
        with self._shared.lock, translate_errors():
            refuse_wide_decimals(kinds, relation, self.dialect)
        return Relation(sql, kinds, said)

    def _of_stream(self, relation: Any, said: str) -> Relation:
        """The rows of a relation of another connection; types that Arrow does not have would change on the way."""
        types = _read_types(zip(relation.columns, map(str, relation.types), strict=True))
        with translate_errors():
            refuse_wide_decimals(types, relation, self.dialect)
        found = self.relation_of(stream_of(relation), said)
        kinds = merge_kinds(found.kinds, Kinds())
        for column, why in types.refused.items():
            kinds.refuse(column, why)
        return found._replace(kinds=kinds)

    def relation_of(self, data: Any, said: str | None = None) -> Relation:
        """Data in memory."""
        said = said or f"the {type(data).__name__}"
        if hasattr(data, "collect"):  # a lazy frame of Polars
            data = data.collect()
        data, held = hold_back(data, self.name)
        once = hasattr(data, "read_next_batch")
        sql = self.register(data)
        ordered = None if once else "row_number() OVER ()"
        return Relation(sql, merge_kinds(self.kinds_of(sql), held), said, ordered, once)

    def refuse_repeated(self, kinds: Kinds, names: list[str]) -> None:
        """Refuse columns that share a name in the source, where DuckDB calls all but the first by another."""
        refuse_repeated(kinds, names, self.name)

    def register(self, data: Any) -> str:
        """Make Arrow data, a data frame or a dict of arrays known; returns the quoted name."""
        name = own_name("data")
        with translate_errors():
            self._connection.register(name, data)
        self._registered.append(name)
        return self.dialect.name(name)

    def kinds_of(self, relation: str) -> Kinds:
        """The kinds of the columns of a relation, given as an expression for a FROM clause."""
        # DESCRIBE of a subquery: a table function cannot be described by itself
        with self._shared.lock, translate_errors():
            rows = self._attend(lambda: self._run(f"DESCRIBE SELECT * FROM {relation}").fetchall())
        return _read_types((str(row[0]), str(row[1])) for row in rows)

    def _run(self, sql: str) -> Any:
        with translate_errors():
            if self._connection is None:
                return self._relation.query(self._alias, sql)
            return self._connection.execute(sql)

    def _attend(self, work: Callable[[], T]) -> T:
        """Have a statement run beside this thread, which tells how far it is and answers Ctrl-C.

        A database of our own is left to end by itself where it takes long to stop.
        """
        if self._connection is None:  # a relation cannot be stopped from beside
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
        shutil.rmtree(str(self._spill), ignore_errors=True)

    def materialise(self, name: str, sql: str) -> None:
        """CREATE TEMPORARY TABLE."""
        with self._shared.lock:
            self._attend(lambda: self._run(f"CREATE TEMPORARY TABLE {self.dialect.name(name)} AS {sql}"))
            while self._shared.left:
                self._run(f"DROP TABLE IF EXISTS {self.dialect.name(self._shared.left.pop())}")

    def fetch(self, sql: str) -> dict[str, Any]:
        """The columns as NumPy arrays; those with NULL in them as lists."""
        with self._shared.lock, translate_errors():
            columns = self._attend(lambda: self._run(sql).fetchnumpy())
        return {name: _plain(column) for name, column in columns.items()}

    def fetch_integers(self, sql: str, rows: int) -> dict[str, Any]:
        """So many rows of integers, none of them NULL: as Arrow batches, if PyArrow is there, in half the time."""
        if self._connection is None or find_spec("pyarrow") is None:
            return self.fetch(sql)
        with self._shared.lock, translate_errors():
            return self._attend(lambda: _join_batches(stream_of(self._connection.sql(sql), _BATCH), rows))

    def fetch_parts(self, name: str, columns: str, rows: int, at_once: int | None = None) -> Iterator[dict[str, Any]]:
        """The rows of a table of ours, part after part, so that they need not be in memory twice."""
        step = at_once or self.rows_at_once
        for begin in range(0, rows, step):
            yield self.fetch(f"SELECT {columns} FROM {name} WHERE rowid >= {begin} AND rowid < {begin + step}")
            if self._progress is not None:
                self._progress(min(1.0, (begin + step) / rows))

    @property
    def memory(self) -> int | None:
        """How many bytes this engine may use; None in a database of the user's, where that is not ours to decide."""
        if not self.own or self._allowed is not None:
            return self._allowed
        with self._shared.lock:
            said = self._run("SELECT current_setting('memory_limit')").fetchone()[0]
        number, unit = str(said).split()
        return int(float(number) * _UNITS[unit])

    def leave_memory(self, amount: int) -> None:
        """Use so many bytes less; what they held goes to disk.

        DuckDB itself takes up to an eighth more than its limit, so that it gets less than may be used.
        """
        if (memory := self.memory) is not None:
            left = memory - amount
            share = left if self._allowed is None else max(left * 7 // 8 - _OUR_OWN, left * 3 // 4)
            with self._shared.lock:
                self._run(f"SET memory_limit = '{share}B'")

    def release(self, names: Iterable[str]) -> None:
        """DROP TABLE, at any time, also while the user reads a result: that would end if we executed a statement."""
        if self._abandoned:
            return
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


def stream_of(relation: Any, *batch: int) -> Any:
    """The rows of a relation as a stream of Arrow data, in batches of a size."""
    require_package("pyarrow", "PyArrow, through which a relation meets data of other kinds,", "all")
    with translate_errors():
        # the name that DuckDB 2 has given it
        stream = relation.to_arrow_reader if hasattr(relation, "to_arrow_reader") else relation.fetch_record_batch
        return stream(*batch)


def _join_batches(stream: Any, rows: int) -> dict[str, Any]:
    """The columns of a stream that has so many rows of integers."""
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


_ARGUMENTS = {"temp_directory": "temporary", "memory_limit": "memory", "threads": "threads"}


def _read_types(columns: Iterable[tuple[str, str]]) -> Kinds:
    """What columns hold, given their names and types; a list is not of the type that its name begins with."""
    return read_kinds("duckdb", [(name, f"LIST OF {kind}" if kind.endswith("]") else kind) for name, kind in columns])


def _plain(column: Any) -> Any:
    if isinstance(column, np.ma.MaskedArray):
        if not np.ma.getmaskarray(column).any():
            return column.data
        return column.tolist()
    return column if isinstance(column, np.ndarray) else np.asarray(column)
