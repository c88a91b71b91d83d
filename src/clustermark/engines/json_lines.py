"""JSON Lines as columns of texts, for engines whose own readers would make floating-point numbers of large integers."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clustermark.engines.label_types import Kinds
from clustermark.errors import InputError, Mention

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clustermark.engines.files import Files

SEVERAL_TYPES = "holds values of several types, such as numbers and texts, or nested ones; make all of them texts"


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
