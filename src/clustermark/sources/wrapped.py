"""Tables of other libraries that wrap a known source, such as AnnData and Splink; none of them is imported here."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from clustermark.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

CONNECTIONS = {
    ("duckdb", "DuckDBPyConnection"): "duckdb",
    ("_duckdb", "DuckDBPyConnection"): "duckdb",
    ("psycopg", "Connection"): "postgres",
    ("sqlite3", "Connection"): "sqlite",
}
"""The engines of connections, by package and class."""


def class_in(thing: object, table: Mapping[tuple[str, str], str]) -> str | None:
    """Return the entry of a table for the class of an object or a base class, without importing packages."""
    for cls in type(thing).__mro__:
        found = table.get((cls.__module__.partition(".")[0], cls.__name__))
        if found is not None:
            return found
    return None


def unwrap(source: Any) -> Any:
    """Return the source that a table of another library wraps; any other object unchanged."""
    found = class_in(source, _WRAPPERS)
    if found is None:
        return source
    inner = _INNER[found](source)
    return inner if inner is source else unwrap(inner)


def is_wrapper(source: object) -> bool:
    """Return whether an object is a table of another library that wraps a source."""
    return class_in(source, _WRAPPERS) is not None


def _of_splink(frame: Any) -> Any:
    """Return the table of Splink in its database, so that it is read there; or its rows, for other databases."""
    if hasattr(frame.db_api, "spark"):
        return frame.as_spark_dataframe()
    for name in ("duckdb_con", "con", "_con"):
        connection = getattr(frame.db_api, name, None)
        if class_in(connection, CONNECTIONS):
            return connection, frame.physical_name
    return frame.as_pandas_dataframe()


def _of_ibis(table: Any) -> Any:
    """Return the query of an Ibis table with its connection, so that it is run there; or data in memory.

    Functions in Python are registered by Ibis when it runs a query, so it runs these itself, and streams the rows.
    """
    ibis = sys.modules["ibis"]
    operations, expression = ibis.expr.operations, table.op()
    if expression.find(operations.InMemoryTable):
        return table.to_pyarrow()
    if expression.find((operations.ScalarUDF, operations.AggUDF)):
        return table
    try:
        connection = getattr(table.get_backend(), "con", None)
    except ibis.common.exceptions.IbisError as error:
        raise InputError(f"a Table of Ibis cannot be run: {error}") from error
    return (connection, str(table.compile())) if class_in(connection, CONNECTIONS) else table


_WRAPPERS = {
    ("anndata", "AnnData"): "annotations",
    ("ibis", "Table"): "ibis",
    ("mudata", "MuData"): "annotations",
    ("narwhals", "DataFrame"): "narwhals",
    ("narwhals", "LazyFrame"): "narwhals",
    ("splink", "SplinkDataFrame"): "splink",
}
_INNER: dict[str, Callable[[Any], Any]] = {
    "annotations": lambda data: data.obs,
    "ibis": _of_ibis,
    "narwhals": lambda frame: frame.to_native(),
    "splink": _of_splink,
}
