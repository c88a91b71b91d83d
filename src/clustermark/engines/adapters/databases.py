"""Databases behind a connection of the user: PostgreSQL (psycopg) and SQLite (sqlite3 of the standard library).

Only temporary tables are created, and dropped at the end. A transaction that the user began is neither committed nor
rolled back.
"""

from __future__ import annotations

import re
import sqlite3
from abc import ABC, abstractmethod
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from clustermark.engines.dialect import Dialect, table_or_query
from clustermark.engines.engine import OURS, Relation, first_line, own_name, require_package
from clustermark.engines.label_types import Kinds, read_kinds
from clustermark.errors import EngineError, InputError
from clustermark.interruption import stop_on_signals

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from clustermark.engines.files import Reading

_FULL_JOIN = (3, 39)


class Database(ABC):
    """The common part of the databases; each runs its statements in its own way."""

    name: str
    dialect: Dialect
    title: str

    def __init__(self, connection: Any) -> None:
        self._connection = connection
        self._copied: list[str] = []

    def relation(self, source: Any, reading: Reading) -> Relation:  # noqa: ARG002
        """Return a table or a query of this connection."""
        sql, called = table_or_query(source[1:], self.dialect)
        return Relation(sql, self.kinds_of(sql), called)

    @abstractmethod
    def kinds_of(self, relation: str) -> Kinds:
        """Return the kinds of the columns of a relation, given as an expression for a FROM clause."""

    @abstractmethod
    def _run(self, sql: str) -> tuple[list[str], list[tuple[Any, ...]]]:
        """Run a statement; return the names and the rows of its result."""

    def materialise(self, name: str, sql: str) -> None:
        """Run CREATE TEMPORARY TABLE."""
        self._run(f"CREATE TEMPORARY TABLE {self.dialect.name(name)} AS {sql}")

    def fetch(self, sql: str) -> dict[str, Any]:
        """Return the columns as lists."""
        names, rows = self._run(sql)
        columns = list(zip(*rows, strict=True)) or [()] * len(names)
        return {name: list(column) for name, column in zip(names, columns, strict=True)}

    def register(self, data: Any) -> str:
        """Copy a dict of integer arrays into a temporary table; return the quoted name."""
        self._copied.append(own_name("data"))
        name = self.dialect.name(self._copied[-1])
        columns = ", ".join(f"{column} BIGINT" for column in data)
        self._run(f"CREATE TEMPORARY TABLE {name} ({columns})")
        self._fill(name, zip(*(column.tolist() for column in data.values()), strict=True), len(data))
        return name

    @abstractmethod
    def _fill(self, name: str, rows: Iterable[tuple[Any, ...]], width: int) -> None:
        """Insert rows with `width` columns into a table."""

    def release(self, names: Iterable[str]) -> None:
        """Run DROP TABLE."""
        for name in names:
            try:
                self._run(f"DROP TABLE IF EXISTS {self.dialect.name(name)}")
            except EngineError:  # the connection or its transaction is broken, so its temporary tables are dropped
                return

    def close(self) -> None:
        """Drop the copies; the connection stays open, as it belongs to the user."""
        self.release(self._copied)
        self._copied.clear()


class Postgres(Database):
    """A connection of psycopg: each statement runs in a savepoint if the user has begun a transaction."""

    name = "postgres"
    title = "PostgreSQL"
    dialect = Dialect(
        double="DOUBLE PRECISION",
        text="TEXT",
        nan="{} = 'NaN'",
        exactly='{} COLLATE "C"',
        parsed="",
        temporary="TEMPORARY",
        hashed="CAST(CAST('x' || {} AS BIT(40)) AS BIGINT)",
        # 1.50 and 1.5 are the same number
        shown={"bytes": "encode({}, 'hex')", "decimal": "NULLIF(CAST(trim_scale({}) AS TEXT), 'NaN')"},
    )

    def kinds_of(self, relation: str) -> Kinds:
        """Return the kinds of the columns of a relation, given as an expression for a FROM clause."""
        with self._cursor(f"SELECT * FROM {relation} LIMIT 0") as cursor:
            columns = [(column.name, column.type_code) for column in cursor.description or ()]
        numbers = ", ".join(str(int(number)) for _, number in columns) or "0"
        known = "SELECT oid, CASE typtype WHEN 'e' THEN 'enum' ELSE typname END FROM pg_catalog.pg_type"
        types = dict(self._run(f"{known} WHERE oid IN ({numbers})")[1])
        return read_kinds(self.name, [(name, str(types.get(number, "unknown"))) for name, number in columns])

    def _run(self, sql: str) -> tuple[list[str], list[tuple[Any, ...]]]:
        with self._cursor(sql) as cursor:
            if cursor.description is None:
                return [], []
            return [column.name for column in cursor.description], cursor.fetchall()

    def _fill(self, name: str, rows: Iterable[tuple[Any, ...]], width: int) -> None:  # noqa: ARG002
        with (
            self._translate_errors(),
            self._connection.transaction(),
            self._new_cursor() as cursor,
            cursor.copy(f"COPY {name} FROM STDIN") as copy,
        ):
            for row in rows:
                copy.write_row(row)

    def _new_cursor(self) -> Any:
        psycopg = require_package("psycopg", "psycopg, for PostgreSQL,", "postgres")
        # the connection may have other cursor and row factories
        return psycopg.Cursor(self._connection, row_factory=psycopg.rows.tuple_row)

    @contextmanager
    def _cursor(self, sql: str) -> Iterator[Any]:
        with self._translate_errors(), self._connection.transaction(), self._new_cursor() as cursor:
            cursor.execute(sql, prepare=False)
            yield cursor

    @contextmanager
    def _translate_errors(self) -> Iterator[None]:
        psycopg = require_package("psycopg", "psycopg, for PostgreSQL,", "postgres")
        if self._connection.info.transaction_status == psycopg.pq.TransactionStatus.INERROR:
            raise EngineError("PostgreSQL: an earlier statement of this transaction failed; roll it back first")
        try:
            yield
        except psycopg.Error as error:
            if isinstance(error, psycopg.errors.UndefinedTable) and OURS not in str(error):
                raise InputError(f"PostgreSQL: {first_line(error)}") from error
            raise EngineError(f"PostgreSQL failed: {first_line(error)}") from error


class SQLite(Database):
    """A connection of the module sqlite3."""

    name = "sqlite"
    title = "SQLite"
    dialect = Dialect(
        wide="",
        quote="`",  # it takes an unknown name in double quotes for a text
        unaliased=("true", "false"),
        nan="FALSE",
        exactly="{} COLLATE BINARY",
        parsed="",
        temporary="TEMPORARY",
        shown={"bytes": "CASE WHEN {0} IS NOT NULL THEN hex({0}) END"},  # hex(NULL) is a text there
    )

    def __init__(self, connection: Any) -> None:
        if sqlite3.sqlite_version_info < _FULL_JOIN:
            raise InputError(f"SQLite {sqlite3.sqlite_version} has no FULL JOIN; use 3.39 or newer")
        super().__init__(connection)

    def kinds_of(self, relation: str) -> Kinds:
        """Return the kinds of the columns of a relation, by their values: SQLite does not enforce types."""
        names, _ = self._run(f"SELECT * FROM {relation} LIMIT 0")
        if not names:
            return Kinds()
        kinds_in = [f"CASE WHEN {self.dialect.name(name)} IS NOT NULL THEN typeof({self.dialect.name(name)}) END"
                    for name in names]  # fmt: skip
        _, [row] = self._run(f"SELECT {', '.join(f'MIN({kind}), MAX({kind})' for kind in kinds_in)} FROM {relation}")
        columns = [(name, _stored_as(*row[2 * i : 2 * i + 2])) for i, name in enumerate(names)]
        kinds = read_kinds(self.name, columns)
        for name in names:  # of two columns with one name, SQLite calls the second name:1
            first = re.sub(r":\d+$", "", name)
            if first != name and first in names:
                kinds.refuse(first, "occurs more than once; rename all but one")
        return kinds

    def _fill(self, name: str, rows: Iterable[tuple[Any, ...]], width: int) -> None:
        with self._translate_errors():
            marks = ", ".join("?" * width)
            cursor = self._connection.cursor()
            cursor.executemany(f"INSERT INTO {name} VALUES ({marks})", rows)

    def _run(self, sql: str) -> tuple[list[str], list[tuple[Any, ...]]]:
        with self._translate_errors(), self._plain_texts(), stop_on_signals(self._connection.interrupt):
            cursor = self._connection.cursor()
            cursor.row_factory = None
            cursor.execute(sql)
            names = [column[0] for column in cursor.description or ()]
            return names, cursor.fetchall()

    @contextmanager
    def _plain_texts(self) -> Iterator[None]:
        theirs, self._connection.text_factory = self._connection.text_factory, str
        try:
            yield
        finally:
            self._connection.text_factory = theirs

    @contextmanager
    def _translate_errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            text = first_line(error)
            if text.startswith("no such table"):
                raise InputError(f"SQLite: {text}") from error
            raise EngineError(f"SQLite failed: {text}") from error


DATABASES: dict[str, type[Database]] = {one.name: one for one in (Postgres, SQLite)}
"""The databases by the names of their engines."""


def _stored_as(low: str | None, high: str | None) -> str:
    """Return the type of a column, given the alphabetically first and last of the types of its values."""
    if low is None or high is None:
        return "integer"  # NULL only
    if (low, high) == ("integer", "real"):  # SQLite compares these exactly
        return "real"
    return low if low == high else f"{low} and {high}"
