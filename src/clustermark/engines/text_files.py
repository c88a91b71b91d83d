"""Text files as columns of texts, for engines whose own readers are not strict.

They take rows of CSV that lack a field, or do not end, and make floating-point numbers of large integers in JSON.
"""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clustermark.engines.adapters.requirements import first_line, require_package
from clustermark.engines.files import common_header
from clustermark.engines.label_types import SEVERAL_TYPES, Kinds
from clustermark.errors import InputError, Mention

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clustermark.engines.files import Files

_BLOCK = 2**24


def read_csv(files: Files, engine: str) -> Any:
    """A table of Arrow with the fields of CSV files; empty fields are null."""
    csv, arrow = (require_package(name, "PyArrow", "all") for name in ("pyarrow.csv", "pyarrow"))
    if (files.reading.encoding or "utf-8").lower() not in ("utf-8", "utf8"):
        raise InputError(f"{files.said}: {engine} reads UTF-8 only; choose ", Mention("engine", "duckdb"))
    delimiter, names = common_header(files)
    read = csv.ReadOptions(column_names=names, skip_rows=int(files.reading.header), block_size=_BLOCK)
    parse = csv.ParseOptions(delimiter=delimiter, newlines_in_values=True)
    texts = dict.fromkeys(names, arrow.string())
    convert = csv.ConvertOptions(column_types=texts, strings_can_be_null=True, null_values=[""])
    tables = []
    for path in files.paths:
        try:
            tables.append(csv.read_csv(path, read, parse, convert))
        except (OSError, ValueError) as error:
            raise InputError(f"{path}: cannot read it as a regular CSV file: {first_line(error)}") from error
        last = tables[-1].column(-1)[-1].as_py() if len(tables[-1]) else None
        if last and "\n" in last and _count_quotes(path) % 2:  # it holds the rest of the file
            raise InputError(f"{path}: cannot read it as a regular CSV file: a quoted field does not end")
    return arrow.concat_tables(tables)


def _count_quotes(path: str) -> int:
    with gzip.open(path) if path.endswith(".gz") else Path(path).open("rb") as file:
        return sum(block.count(b'"') for block in iter(lambda: file.read(_BLOCK), b""))


class _Number(str):
    """A number as it is written."""

    __slots__ = ()


def read_json_lines(files: Files) -> tuple[dict[str, list[str | None]], Kinds]:
    """The columns of the files as texts, and those that are refused."""
    columns: dict[str, list[str | None]] = {}
    types: dict[str, set[type]] = {}
    n = 0
    for record in _records(files):
        for name, value in record.items():
            column = columns.setdefault(name, [])
            column.extend([None] * (n - len(column)))
            column.append(value if value is None or isinstance(value, str) else json.dumps(value))
            if value is not None:
                types.setdefault(name, set()).add(type(value))
        n += 1
    kinds = Kinds()
    for name, column in columns.items():
        column.extend([None] * (n - len(column)))
        kinds[name] = "text"
        if len(types.get(name, ())) > 1 or types.get(name, set()) & {list, dict}:
            kinds.refuse(name, SEVERAL_TYPES)
    return columns, kinds


def _records(files: Files) -> Iterator[dict[str, Any]]:
    for path in files.paths:
        if "://" in path or path.endswith((".zst", ".zstd")):
            raise InputError(f"{path}: only DuckDB reads JSON of such a file; choose ", Mention("engine", "duckdb"))
        with gzip.open(path) if path.endswith(".gz") else Path(path).open("rb") as file:
            for number, line in enumerate(file, 1):
                if not line.strip():
                    continue
                try:
                    record = json.loads(line, parse_int=_Number, parse_float=_Number, parse_constant=_Number)
                except ValueError as error:
                    raise InputError(f"{path}: cannot read line {number} as JSON: {error}") from error
                if not isinstance(record, dict):
                    raise InputError(f"{path}: line {number} is not a JSON object; each line must be one")
                yield record
