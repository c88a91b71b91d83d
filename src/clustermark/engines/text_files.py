"""Text files as columns of texts, for engines whose own readers are not strict.

These readers accept CSV rows that lack a field, do not end or have text after a closing quote, and convert large
integers in JSON to floating-point numbers.
"""

from __future__ import annotations

import codecs
import json
import re
import zlib
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, BinaryIO

from clustermark.engines.engine import first_line, require_package
from clustermark.engines.label_types import SEVERAL_TYPES, Kinds
from clustermark.engines.text_checks import check_lines, common_header, damaged, encoding_error, open_bytes
from clustermark.errors import InputError, Mention

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clustermark.engines.files import Files

_BLOCK = 2**24


def read_csv(files: Files, engine: str) -> Any:
    """Return an Arrow table of CSV files, with the columns that their folders define; empty fields are null."""
    csv, arrow = (require_package(name, "PyArrow", "all") for name in ("pyarrow.csv", "pyarrow"))
    delimiter, names = common_header(files)
    if (files.reading.encoding or "utf-8").lower() not in ("utf-8", "utf8"):
        raise InputError(f"{files.called}: {engine} reads UTF-8 only; choose ", Mention("engine", "duckdb"))
    # not skip_rows, which ends the header at a line break within a quoted name
    read = csv.ReadOptions(column_names=names, skip_rows_after_names=int(files.reading.header), block_size=_BLOCK)
    parse = csv.ParseOptions(delimiter=delimiter, newlines_in_values=True)
    texts = dict.fromkeys(names, arrow.string())
    convert = csv.ConvertOptions(column_types=texts, strings_can_be_null=True, null_values=[""])
    tables = []
    for path in files.paths:
        with _unpack(path) as file:
            check_lines(file, path)
        try:
            with _unpack(path) as file:
                table = csv.read_csv(file, read, parse, convert)
        except InputError:
            raise
        except ValueError as error:
            reason = first_line(error)
            if "UTF8" in reason:
                raise encoding_error(f"{path}: ", "") from error
            raise InputError(f"{path}: cannot read it as a regular CSV file: {reason}") from error
        _check_quotes(path, delimiter)
        for key, value in files.keys[path].items():
            if key not in names:
                table = table.append_column(key, arrow.repeat(arrow.scalar(value, arrow.string()), len(table)))
        tables.append(table)
    return arrow.concat_tables(tables)


@contextmanager
def _unpack(path: str) -> Iterator[BinaryIO]:
    """Open a local file, decompressed if necessary; report damage as an input error."""
    try:
        file = open_bytes(path)
        if file is None:
            raise InputError(f"{path}: only DuckDB reads such a file; choose ", Mention("engine", "duckdb"))
        with file:
            yield file
    except (OSError, EOFError, zlib.error) as error:
        raise damaged(path, error) from error


def _check_quotes(path: str, delimiter: str) -> None:
    """Refuse quoted fields that do not end, or that have text beside their quotes: readers treat these differently."""
    ends = rb"%b\r\n" % re.escape(delimiter.encode())
    quoted = rb'"(?:[^"]++|"")*+"'
    fields = re.compile(rb'(?:(?:%b(?=[%b])|(?! *")[^%b]++)?+[%b]++)*+' % (quoted, ends, ends, ends))
    beside = re.compile(rb'%b[^%b]| ++"' % (quoted, ends))
    line = 1
    with _unpack(path) as file:
        rest = file.read(len(codecs.BOM_UTF8)).removeprefix(codecs.BOM_UTF8)
        while not beside.match(rest) and (block := file.read(_BLOCK)):
            text = rest + block
            done = fields.match(text).end()  # type: ignore[union-attr]  # the pattern also matches nothing
            line, rest = line + text.count(b"\n", 0, done), text[done:]
    if not fields.fullmatch(rest + b"\n"):
        why = "something stands beside the quotes of a field" if beside.match(rest) else "a quoted field does not end"
        raise InputError(f"{path}: cannot read it as a regular CSV file (line {line:,}): {why}")


class _Number(str):
    """A number as it is written."""

    __slots__ = ()


def _whole(written: str) -> _Number:
    """Return an integer; -0 becomes 0, as DuckDB writes it."""
    return _Number("0" if written == "-0" else written)


def read_json_lines(files: Files) -> tuple[dict[str, list[str | None]], Kinds]:
    """Return the columns of the files and their folders as texts, and the kinds, with those that are refused."""
    columns: dict[str, list[str | None]] = {}
    types: dict[str, set[type]] = {}
    n = 0
    for part, keys in files.parts():
        begun, own = n, set[str]()
        for record in _records(part):
            for name, value in record.items():
                column = columns.setdefault(name, [])
                column.extend([None] * (n - len(column)))
                column.append(value if value is None or isinstance(value, str) else json.dumps(value))
                if value is not None:
                    types.setdefault(name, set()).add(type(value))
            own.update(record)
            n += 1
        for key in keys.keys() - own:
            columns.setdefault(key, []).extend([None] * (begun - len(columns[key])) + [keys[key]] * (n - begun))
    kinds = Kinds()
    for name, column in columns.items():
        column.extend([None] * (n - len(column)))
        kinds[name] = "text"
        if len(types.get(name, ())) > 1 or types.get(name, set()) & {list, tuple}:
            kinds.refuse(name, SEVERAL_TYPES)
    return columns, kinds


def _records(files: Files) -> Iterator[dict[str, Any]]:
    for path in files.paths:
        with _unpack(path) as file:
            for number, line in enumerate(file, 1):
                if not line.strip():
                    continue
                try:
                    pairs = json.loads(
                        line,
                        parse_int=_whole,
                        parse_float=_Number,
                        parse_constant=_Number,
                        object_pairs_hook=tuple,  # a dict would keep the last of two equal keys
                    )
                except UnicodeError as error:
                    raise encoding_error(f"{path}: ", f" (line {number})") from error
                except ValueError as error:
                    raise InputError(f"{path}: cannot read line {number} as JSON: {error}") from error
                if not isinstance(pairs, tuple):
                    raise InputError(f"{path}: line {number} is not a JSON object; each line must be one")
                record = dict(pairs)
                if len(record) < len(pairs):
                    raise InputError(f"{path}: line {number} has a key twice; rename one")
                yield record
