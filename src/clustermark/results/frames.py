"""Columns of plain values as frames of other libraries and as CSV."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, ClassVar

from clustermark.results.files import write_text

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping
    from os import PathLike

_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠", "'")
"""The first characters of texts that a spreadsheet would run as a formula; and the apostrophe that prevents it."""
MAIN_IDS = frozenset({"point", "record", "id"})
"""Columns of ids whose parts need no prefix, as the other columns of the table are about these."""
_NUMBER = r"[-+]?\d+([.,]\d+)*"


class Columnar:
    """Mixin of everything with columns: frames, an Arrow table and CSV are made from `to_dict`."""

    __slots__ = ()

    ID_COLUMNS: ClassVar[Collection[str]] = ()
    """The columns of ids; frames and CSV have a column for each part of an id of several parts."""

    def to_dict(self) -> dict[str, Any]:
        """Return the columns as lists of plain Python values."""
        raise NotImplementedError

    def _export_columns(self) -> dict[str, list[Any]]:
        """Return the columns of the frame: those of `to_dict`, with ids in columns that are named after the key."""
        return spread_ids(self.to_dict(), self.ID_COLUMNS, getattr(self, "on", None))

    def to_pandas(self) -> Any:
        """Return the rows as a pandas DataFrame."""
        return optional("pandas", "to_pandas").DataFrame(self._export_columns())

    def to_polars(self) -> Any:
        """Return the rows as a polars DataFrame; labels of unsupported types are written as text."""
        pl = optional("polars", "to_polars")
        return pl.DataFrame({name: column_of(values, pl.Series) for name, values in self._export_columns().items()})

    def to_arrow(self) -> Any:
        """Return the rows as a pyarrow Table; labels of unsupported types are written as text."""
        pa = optional("pyarrow", "to_arrow")
        return pa.table({name: column_of(values, pa.array) for name, values in self._export_columns().items()})

    def to_csv(self, *, safe: bool = False) -> str:
        """Return the rows as CSV, with a header.

        safe: whether texts that a spreadsheet would run as a formula, or that begin with an apostrophe, are preceded
            by an apostrophe.
        """
        return csv_text(self._export_columns(), safe=safe)

    def write_csv(self, path: str | PathLike[str], *, overwrite: bool = False, safe: bool = False) -> None:
        """Write `to_csv()` to a file."""
        write_text(self.to_csv(safe=safe), path, overwrite=overwrite)


def optional(module: str, user: str) -> Any:
    """Import an optional package, or raise an error that names the package to install."""
    from importlib import import_module

    try:
        return import_module(module)
    except ImportError as error:
        raise ImportError(f"{user} needs {module}; install it with: pip install {module}") from error


def column_of(labels: list[Any], make: Callable[[list[Any]], Any]) -> Any:
    """Return a column of another library; labels of unsupported or mixed types are written as text."""
    kinds = {type(label) for label in labels if label is not None}
    if len(kinds) < 2:
        try:
            return make(labels)
        except Exception:  # each library has different errors for unsupported values
            kinds.clear()
    return make([None if label is None else str(cell_of_csv(label)) for label in labels])


def cell_of_csv(value: Any) -> Any:
    """Return a value for one field: a tuple, such as a cluster named after an id of several parts, is written as JSON.

    >>> cell_of_csv(("web", 1)), cell_of_csv(("web", None, b"a")), cell_of_csv(7)
    ('["web", 1]', '["web", null, "b\\'a\\'"]', 7)
    """
    import json

    return json.dumps(value, default=str, ensure_ascii=False) if isinstance(value, tuple) else value


def key_names(on: object) -> list[str]:
    """Return the names of the columns of an id, from their description in the settings of a result.

    >>> key_names("source, id=record"), key_names(["source", "id"]), key_names(None)
    (['source', 'id'], ['source', 'id'], [])
    """
    named = on.split(", ") if isinstance(on, str) else list(on) if isinstance(on, Iterable) else []
    return [name.partition("=")[0] for name in named]


def spread_ids(columns: Mapping[str, list[Any]], ids: Collection[str], on: object) -> dict[str, list[Any]]:
    """Return the columns, with a column for each part of ids of several parts, so that files can be joined by them.

    ids: the columns of ids. A part has the name of its column of the key, and those of all ids but the first are
        prefixed with the name of the id; parts without known names are numbered.
    on: the columns of the key, as `key_names` takes them.

    >>> spread_ids({"point": [("web", 1)], "beside": [None], "true": ["a"]}, ["point", "beside"], "source, id")
    {'source': ['web'], 'id': [1], 'beside': [None], 'true': ['a']}
    """
    made: dict[str, list[Any]] = {}
    for name, values in columns.items():
        lengths = {len(value) if isinstance(value, tuple) else 0 for value in values if value is not None}
        n = lengths.pop() if name in ids and len(lengths) == 1 else 0
        if n < 2:
            made[name] = values
            continue
        keys = key_names(on)
        keys = keys if len(set(keys)) == n else [f"{name}_{part}" for part in range(1, n + 1)]
        if name not in MAIN_IDS or any(key in columns for key in keys):
            keys = [key if key.startswith(f"{name}_") else f"{name}_{key}" for key in keys]
        parts = zip(*(value or (None,) * n for value in values), strict=True)
        made |= {key: list(part) for key, part in zip(keys, parts, strict=True)}
    return made


def storable_frame(columns: Mapping[str, list[Any]]) -> Any:
    """Return a pandas DataFrame of numbers, flags and texts only, which a file of AnnData can contain."""
    pandas = optional("pandas", "to_uns")
    rows = [str(row) for row in range(len(next(iter(columns.values()), ())))]
    return pandas.DataFrame({name: _storable(values, pandas) for name, values in columns.items()}, index=rows)


def _storable(values: list[Any], pandas: Any) -> Any:
    kinds = {type(value) for value in values if value is not None}
    complete = None not in values
    if kinds == {bool}:
        return pandas.array(values, dtype="bool" if complete else "boolean")
    if kinds and kinds <= {int, float}:
        whole = kinds == {int} and complete and all(abs(value) < 2**63 for value in values)
        floats = [math.nan if value is None else float(value) for value in values]
        return pandas.array(values if whole else floats, dtype="int64" if whole else "float64")
    return pandas.Categorical([None if value is None else str(value) for value in values])


def csv_text(columns: Mapping[str, list[Any]], *, safe: bool = False) -> str:
    """Format columns as CSV; None is an empty field."""
    import csv

    lines = _Lines()
    writer = csv.writer(lines, lineterminator="\r\n")  # so that a field with either of the two is quoted
    rows = zip(*columns.values(), strict=True)
    for row in (columns, *rows):
        cells = [cell_of_csv(cell) for cell in row]
        writer.writerow([_guard(cell) for cell in cells] if safe else cells)
    return "".join(lines)


def find_formulas(columns: Mapping[str, list[Any]]) -> list[str]:
    """Return the texts in columns that a spreadsheet would run as formulas.

    >>> find_formulas({"id": ["=cmd()", "-1", "'=a", 2], "@cluster": ["+x", None, "b", "c"]})
    ['@cluster', '=cmd()', '+x']
    """
    cells = (*columns, *(cell_of_csv(cell) for column in columns.values() for cell in column))
    return [str(cell) for cell in cells if _guard(cell) != cell and not str(cell).startswith("'")]


class _Lines(list[str]):
    """The lines that a writer of CSV writes, each ended by a line feed only."""

    def write(self, line: str) -> None:
        self.append(line.removesuffix("\r\n") + "\n")


def _guard(cell: Any) -> Any:
    """Return a cell that no spreadsheet runs as a formula; different cells stay different.

    >>> [_guard(cell) for cell in ("=cmd()", "-1", -1, "-x", "'=a", None)]
    ["'=cmd()", '-1', -1, "'-x", "''=a", None]
    """
    if cell is None or isinstance(cell, int | float):
        return cell
    text = str(cell)
    return f"'{text}" if text.startswith(_FORMULA) and not re.fullmatch(_NUMBER, text) else text
