"""Errors of DuckDB, translated to those of clustermark; and an error for decimals that DuckDB would round silently."""

from __future__ import annotations

import glob
import re
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clustermark.engines.engine import OURS, first_line, own_name
from clustermark.engines.label_types import unsupported
from clustermark.engines.text_checks import CONVERT, damaged, encoding_error, too_long
from clustermark.errors import EngineError, InputError, Mention

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clustermark.engines.dialect import Dialect
    from clustermark.engines.label_types import Kinds


@contextmanager
def translate_errors() -> Iterator[None]:
    """Translate errors of DuckDB."""
    import duckdb

    try:
        yield
    except duckdb.Error as error:
        raise _translate(error) from error


def _translate(error: Exception) -> Exception:
    """Return the translated error: an InputError if the user can correct the cause."""
    import duckdb

    text = str(error)
    if (about_file := _error_of_file(text)) is not None:
        return about_file
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
        return InputError(f"DuckDB: {first_line(error)}{_hint_at_schema(text)}")
    if isinstance(error, duckdb.IOException | duckdb.InvalidInputException):
        return InputError(f"DuckDB cannot read the data: {first_line(error)}")
    return EngineError(f"DuckDB failed: {first_line(error)}")


def _hint_at_schema(text: str) -> str:
    """Return how to name a table of a schema, if the name that was not found has a dot."""
    found = re.search(r"Table with name (\w+)\.(\w+) does not exist", text)
    if found is None:
        return ""
    schema, table = found.groups()
    return f"; a dot is part of a name, so pass (connection, {schema!r}, {table!r}) for a table of a schema"


def _error_of_file(text: str) -> InputError | None:
    """Return the translated error, if the text of a message is about a file that cannot be read."""
    if "not utf-8" in text or "Invalid unicode" in text or "not valid UTF" in text:
        return encoding_error(_file_in(text), _line_in(text))
    if found := re.search(r"does not support the encoding: \W*([\w-]+)", text):
        return InputError(f"{_file_in(text)}DuckDB does not read the encoding {found[1]}; {CONVERT.format(found[1])}")
    if found := re.search(r'Install it first using "INSTALL (\w+)"', text):
        return InputError(
            f"DuckDB needs its extension {found[1]} to read this, and nothing is downloaded unasked; install it by: "
            f"python -c \"import duckdb; duckdb.sql('INSTALL {found[1]}')\""
        )
    if found := re.search(r"is not ([\w-]+) encoded", text):
        return InputError(
            f"{_file_in(text)}the text is not {found[1]}; if it is of Windows, {CONVERT.format('CP1252')}"
        )
    if "state machine reached an invalid state" in text:
        return InputError(f"{_file_in(text)}not a regular CSV file; do its lines end in different ways? Make all of "
                          "them end alike, such as by: dos2unix")  # fmt: skip
    if "Maximum line size" in text:
        return too_long(_file_in(text).removesuffix(": ") or "CSV", _line_in(text))
    if "GZIP" in text or "ZSTD" in text or "Unknown frame" in text:
        reason, _, path = text.partition("\n")[0].rpartition(": ")
        return damaged(path, reason) if Path(path).is_file() else damaged("DuckDB", text.partition("\n")[0])
    if "CSV Error" in text:
        lines = [line for line in text.split("\n") if line.startswith(("Expected", "Value", "Invalid", "Missing"))]
        return InputError(f"{_file_in(text)}not a regular CSV file{_line_in(text)}: {' '.join(lines) or text[:200]}")
    return None


def _file_in(text: str) -> str:
    found = [line.partition("=")[2].strip() for line in text.split("\n") if line.strip().startswith("file =")]
    return f"{found[0]}: " if found else ""


def _line_in(text: str) -> str:
    found = text.partition("Error on Line:")[2].strip().split()
    return f" (line {found[0]})" if found else ""


_QUOTED = re.compile(r"""'((?:[^']|'')+)'|"((?:[^"]|"")+)\"""")


def refuse_wide_decimals(kinds: Kinds, relation: Any, dialect: Dialect) -> None:
    """Refuse columns that may hold such decimals: those with their names, and those that no file contains."""
    doubles = [name for name in kinds if kinds.types.get(name) == "DOUBLE"]
    if not doubles or "PARQUET" not in relation.explain().upper():
        return
    alias = own_name("relation")
    views = relation.query(alias, "SELECT sql FROM duckdb_views() WHERE NOT internal").fetchall()
    texts = [relation.sql_query(), *(str(text) for (text,) in views)]
    if not (files := [file for text in texts for file in _files_in(text)]):
        return
    listed = ", ".join(map(dialect.literal, dict.fromkeys(files)))
    stored = relation.query(alias, f"SELECT name, precision FROM parquet_schema([{listed}])").fetchall()
    wide = {name for name, precision in stored if (precision or 0) > 38}
    as_they_are = {name for name, _ in stored} - wide
    for name in doubles if wide else ():
        if name not in as_they_are:
            kinds.refuse(name, unsupported("decimal of more than 38 digits", "duckdb"))


def _files_in(sql: str) -> list[str]:
    """Return the local Parquet files that a statement names."""
    quoted = (one.replace("''", "'") or other.replace('""', '"') for one, other in _QUOTED.findall(sql))
    # Path.glob rejects absolute patterns
    found = (file for pattern in quoted for file in glob.glob(pattern, recursive=True))  # noqa: PTH207
    return [file for file in found if file.lower().endswith((".parquet", ".pq"))]
