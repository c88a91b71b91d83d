"""The types of sources of columns, for type checkers; `recognition` checks the same at run time."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import Any, Protocol, TypeAlias

from clustermark.labels.conversion import ArrowStream


class Frame(Protocol):
    """A data frame of pandas, Polars or Spark, a relation of DuckDB: any object with columns."""

    @property
    def columns(self) -> Any:
        """Columns, or their names."""
        ...


class Dataset(Protocol):
    """A dataset or record batch of Arrow, a data frame of DataFusion: any object with a schema."""

    @property
    def schema(self) -> Any:
        """Columns and their types."""
        ...


class Connection(Protocol):
    """A connection of DuckDB, psycopg or sqlite3."""

    def cursor(self) -> Any:
        """Return an object that runs a statement."""
        ...


Path: TypeAlias = str | PathLike[str]
Source: TypeAlias = (
    Path | Sequence[Path] | Frame | Dataset | ArrowStream | tuple[Connection, str] | tuple[Connection, str, str]
)
"""Files, a data frame, or a table or query of a connection."""
