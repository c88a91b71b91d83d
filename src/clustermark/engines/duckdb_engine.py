"""DuckDB, the embedded engine: it reads files, and spills to disk what does not fit into memory."""

from __future__ import annotations

import shutil
import tempfile
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from clustermark.engines.dialects import Dialect
from clustermark.errors import EngineError, InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from clustermark.engines.engine import Kind

_INTEGERS = {"TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT"}
_FLOATS = {"FLOAT", "DOUBLE"}


class DuckDB:
    """A connection to DuckDB: the user's, or one of our own that is closed at the end."""

    name = "duckdb"
    dialect = Dialect(temporary="TEMPORARY")

    def __init__(self, connection: Any) -> None:
        self._connection = connection
        self._registered: list[str] = []

    @classmethod
    def embedded(cls, memory: str | None = None, threads: int | None = None, folder: str | None = None) -> DuckDB:
        """A database of our own, in memory, that spills into a temporary folder.

        memory: at most so much, such as "4GB". folder: where the temporary folder is to lie.
        """
        try:
            import duckdb
        except ImportError as error:
            raise ImportError("reading files needs DuckDB; install it with: pip install 'clustermark[cli]'") from error
        try:
            spill = tempfile.mkdtemp(prefix="clustermark-", dir=folder)
        except OSError as error:
            raise InputError(f"temporary={folder!r}: no temporary folder can be made there: {error}") from error
        engine = cls(duckdb.connect())
        engine._spill = spill
        try:
            engine._set("temp_directory", spill)
            if memory is not None:
                engine._set("memory_limit", str(memory))
            if threads is not None:
                engine._set("threads", threads)
        except BaseException:
            engine.close()
            raise
        return engine

    _spill: str | None = None

    def _set(self, option: str, value: str | int) -> None:
        import duckdb

        try:
            self._connection.execute(f"SET {option} = {self.dialect.literal(value)}")
        except duckdb.Error as error:
            raise InputError(f"{_ARGUMENTS[option]}={value!r} is refused by DuckDB: {_first_line(error)}") from error

    def close(self) -> None:
        """Close a database of our own, and remove its temporary folder."""
        for name in self._registered:
            self._connection.unregister(name)
        self._registered.clear()
        if self._spill is not None:
            self._connection.close()
            shutil.rmtree(self._spill, ignore_errors=True)

    def register(self, data: Any) -> str:
        """Make Arrow data, a data frame or a dict of arrays known; returns the quoted name."""
        import secrets

        name = f"clustermark_data_{secrets.token_hex(6)}"
        with _translated():
            self._connection.register(name, data)
        self._registered.append(name)
        return self.dialect.name(name)

    def kinds_of(self, relation: str) -> dict[str, Kind]:
        """The kinds of the columns of what stands behind FROM."""
        with _translated():
            # DESCRIBE of a subquery: a table function cannot be described by itself
            rows = self._connection.execute(f"DESCRIBE SELECT * FROM {relation}").fetchall()
        return {str(row[0]): kind_of(str(row[1])) for row in rows}

    def materialise(self, name: str, sql: str) -> None:
        """CREATE TEMPORARY TABLE."""
        with _translated():
            self._connection.execute(f"CREATE TEMPORARY TABLE {self.dialect.name(name)} AS {sql}")

    def fetch(self, sql: str) -> dict[str, Any]:
        """The columns as NumPy arrays; those with NULL in them as lists."""
        with _translated():
            columns = self._connection.execute(sql).fetchnumpy()
        return {name: _plain(column) for name, column in columns.items()}

    def release(self, names: Iterable[str]) -> None:
        """DROP TABLE; with a database of our own everything goes at once."""
        import duckdb

        for name in names if self._spill is None else ():
            try:
                self._connection.execute(f"DROP TABLE IF EXISTS {self.dialect.name(name)}")
            except duckdb.Error:  # the connection is closed: temporary tables went with it
                return


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
def _translated() -> Iterator[None]:
    import duckdb

    try:
        yield
    except duckdb.Error as error:
        raise translated(error) from error


def translated(error: Exception) -> Exception:
    """An error of DuckDB as one of ours: what the user can mend is an InputError."""
    import duckdb

    text = str(error)
    if "not utf-8" in text or "Invalid unicode" in text or "not valid UTF" in text:
        return InputError(f"{_file_in(text)}the text is not UTF-8{_line_in(text)}; say its encoding, such as latin-1")
    if "CSV Error" in text:
        lines = [line for line in text.splitlines() if line.startswith(("Expected", "Value", "Invalid", "Missing"))]
        return InputError(f"{_file_in(text)}not a regular CSV file{_line_in(text)}: {' '.join(lines) or text[:200]}")
    if isinstance(error, duckdb.OutOfMemoryException):
        return EngineError(
            f"DuckDB ran out of memory or disk: {_first_line(error)}; allow more by memory=, or name a roomier "
            "folder by temporary="
        )
    if isinstance(error, duckdb.IOException | duckdb.InvalidInputException):
        return InputError(f"DuckDB cannot read the data: {_first_line(error)}")
    return EngineError(f"DuckDB failed: {_first_line(error)}")


def _first_line(error: Exception) -> str:
    return str(error).strip().split("\n", 1)[0]


def _file_in(text: str) -> str:
    found = [line.partition("=")[2].strip() for line in text.splitlines() if line.strip().startswith("file =")]
    return f"{found[0]}: " if found else ""


def _line_in(text: str) -> str:
    found = text.partition("Error on Line:")[2].strip().split()
    return f" (line {found[0]})" if found else ""
