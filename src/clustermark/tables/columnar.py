"""Columns of plain values, handed to other libraries, written as CSV, or aligned as text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, overload

from clustermark.errors import InputError
from clustermark.tables.conversions import column_of, optional

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from os import PathLike
    from typing import Self

_LABEL_LIMIT = 32
_RUN = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠", "'")
"""With what a text begins that a spreadsheet would run; and the apostrophe that keeps it from that."""
_NUMBER = r"[-+]?\d+([.,]\d+)*"


class _NamedTuple(Protocol):
    def _asdict(self) -> dict[str, Any]: ...


Row = TypeVar("Row", bound=_NamedTuple)


class Columnar:
    """What has columns: every class that says `to_dict` can be had as a frame, a table or CSV too."""

    __slots__ = ()

    def to_dict(self) -> dict[str, Any]:
        """The columns as lists of plain Python values."""
        raise NotImplementedError

    def _export_columns(self) -> dict[str, list[Any]]:
        """The columns of the frame, where they are not those of `to_dict`."""
        return self.to_dict()

    def to_pandas(self) -> Any:
        """The rows as a pandas DataFrame."""
        return optional("pandas", "to_pandas").DataFrame(self._export_columns())

    def to_polars(self) -> Any:
        """The rows as a polars DataFrame; labels that it cannot hold are written as text."""
        pl = optional("polars", "to_polars")
        return pl.DataFrame({name: column_of(values, pl.Series) for name, values in self._export_columns().items()})

    def to_arrow(self) -> Any:
        """The rows as a pyarrow Table; labels that it cannot hold are written as text."""
        pa = optional("pyarrow", "to_arrow")
        return pa.table({name: column_of(values, pa.array) for name, values in self._export_columns().items()})

    def to_csv(self, *, safe: bool = False) -> str:
        """The rows as CSV, first the names of the columns.

        safe: for a spreadsheet: a text that it would run as a formula gets an apostrophe before it, and so does a text
            that begins with one anyway.
        """
        return csv_text(self._export_columns(), safe=safe)

    def write_csv(self, path: str | PathLike[str], *, overwrite: bool = False, safe: bool = False) -> None:
        """Write the rows to a file as CSV; safe as in `to_csv`."""
        write_text(self.to_csv(safe=safe), path, overwrite=overwrite)


class RowList(Columnar, Sequence[Row]):
    """Rows that are named tuples of one kind; some of them in a row are such a list again."""

    __slots__ = ("_rows",)

    def __init__(self, rows: Iterable[Row]) -> None:
        self._rows = tuple(rows)

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, place: int) -> Row: ...
    @overload
    def __getitem__(self, place: slice) -> Self: ...
    def __getitem__(self, place: int | slice) -> Row | Self:
        if not isinstance(place, slice):
            return self._rows[place]
        from copy import copy

        some = copy(self)
        some._rows = self._rows[place]
        return some

    def __iter__(self) -> Iterator[Row]:
        return iter(self._rows)

    def rows(self) -> list[dict[str, Any]]:
        """The rows as dicts."""
        return [row._asdict() for row in self._rows]


def csv_text(columns: Mapping[str, list[Any]], *, safe: bool = False) -> str:
    """Columns as CSV; None is an empty field."""
    import csv

    lines = _Lines()
    writer = csv.writer(lines, lineterminator="\r\n")  # it puts fields into quotes that hold what ends its lines
    rows = zip(*columns.values(), strict=True)
    for row in (columns, *rows):
        writer.writerow([_guard(cell) for cell in row] if safe else row)
    return "".join(lines)


def find_formulas(columns: Mapping[str, list[Any]]) -> list[str]:
    """The texts of columns that a spreadsheet would run.

    >>> find_formulas({"id": ["=cmd()", "-1", "'=a", 2], "@cluster": ["+x", None, "b", "c"]})
    ['@cluster', '=cmd()', '+x']
    """
    cells = (*columns, *(cell for column in columns.values() for cell in column))
    return [str(cell) for cell in cells if _guard(cell) != cell and not str(cell).startswith("'")]


class _Lines(list[str]):
    """What a writer of CSV writes, a line at a time, each ended by a line feed alone."""

    def write(self, line: str) -> None:
        self.append(line.removesuffix("\r\n") + "\n")


def _guard(cell: Any) -> Any:
    """A cell that no spreadsheet runs; different cells stay different.

    >>> [_guard(cell) for cell in ("=cmd()", "-1", -1, "-x", "'=a", None)]
    ["'=cmd()", '-1', -1, "'-x", "''=a", None]
    """
    if cell is None or isinstance(cell, int | float):
        return cell
    text = str(cell)
    return f"'{text}" if text.startswith(_RUN) and not re.fullmatch(_NUMBER, text) else text


def write_text(text: str, path: str | PathLike[str], *, overwrite: bool) -> None:
    """Write a text to a file; one that is there is not lost by mistake."""
    from pathlib import Path

    file = Path(path)
    if file.is_dir():
        raise InputError(f"path: {path} is a folder; name a file in it")
    if not file.absolute().parent.is_dir():
        raise InputError(f"path: there is no folder {file.parent}; create it first, or choose another")
    try:
        # labels and names of files may hold halves of characters, which UTF-8 cannot; as JSON they stay what they were
        with file.open("w" if overwrite else "x", encoding="utf-8", errors="backslashreplace", newline="") as opened:
            opened.write(text)
    except FileExistsError:
        raise InputError(f"path: {path} exists already; choose another, or pass overwrite=True") from None


def short_text(value: Any) -> str:
    """A value as a short piece of one line."""
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    return label_text(value)


def label_text(label: Any) -> str:
    """A label as a short piece of one line; integers as they are, without separators."""
    text = "".join(c if c.isprintable() else " " for c in ("–" if label is None else str(label)))
    return text if len(text) <= _LABEL_LIMIT else text[: _LABEL_LIMIT - 1] + "…"


def align(lines: Sequence[Sequence[str]]) -> str:
    """Lines of equally many texts: the first to the left, the others to the right."""
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(
        "  ".join(
            text.rjust(width) if place else text.ljust(width)
            for place, (text, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )
