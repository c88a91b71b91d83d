"""Columns of plain values as frames of other libraries and as CSV."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from clustermark.results.files import write_text

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from os import PathLike

_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠", "'")
"""The first characters of texts that a spreadsheet would run as a formula; and the apostrophe that prevents it."""
_NUMBER = r"[-+]?\d+([.,]\d+)*"


class Columnar:
    """Mixin of everything with columns: frames, an Arrow table and CSV are made from `to_dict`."""

    __slots__ = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the columns as lists of plain Python values."""
        raise NotImplementedError

    def _export_columns(self) -> dict[str, list[Any]]:
        """Return the columns of the frame, if they differ from those of `to_dict`."""
        return self.to_dict()

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
    return make([None if label is None else str(label) for label in labels])


def csv_text(columns: Mapping[str, list[Any]], *, safe: bool = False) -> str:
    """Format columns as CSV; None is an empty field."""
    import csv

    lines = _Lines()
    writer = csv.writer(lines, lineterminator="\r\n")  # so that a field with either of the two is quoted
    rows = zip(*columns.values(), strict=True)
    for row in (columns, *rows):
        writer.writerow([_guard(cell) for cell in row] if safe else row)
    return "".join(lines)


def find_formulas(columns: Mapping[str, list[Any]]) -> list[str]:
    """Return the texts in columns that a spreadsheet would run as formulas.

    >>> find_formulas({"id": ["=cmd()", "-1", "'=a", 2], "@cluster": ["+x", None, "b", "c"]})
    ['@cluster', '=cmd()', '+x']
    """
    cells = (*columns, *(cell for column in columns.values() for cell in column))
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
