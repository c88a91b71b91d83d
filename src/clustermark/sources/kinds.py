"""What may be passed as a source of columns, for type checkers; `recognition` says the same as it runs."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import Any, Protocol, TypeAlias

from clustermark.labels.conversion import ArrowStream


class Frame(Protocol):
    """A data frame of pandas, Polars or Spark, a relation of DuckDB: whatever knows its columns."""

    @property
    def columns(self) -> Any:
        """Its columns, or their names."""
        ...


class Dataset(Protocol):
    """A dataset or record batch of Arrow, a data frame of DataFusion: whatever knows its schema."""

    @property
    def schema(self) -> Any:
        """Its columns and their types."""
        ...


class Connection(Protocol):
    """A connection of DuckDB, psycopg or sqlite3."""

    def cursor(self) -> Any:
        """Something that runs a statement."""
        ...


Path: TypeAlias = str | PathLike[str]
Source: TypeAlias = (
    Path | Sequence[Path] | Frame | Dataset | ArrowStream | tuple[Connection, str] | tuple[Connection, str, str]
)
"""Files, a data frame, or a table or query of a connection."""
