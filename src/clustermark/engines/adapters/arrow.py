"""Arrow tables, which several engines read and return."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clustermark.engines.label_types import LABEL_TYPES, read_kinds
from clustermark.errors import InputError
from clustermark.results.frames import optional

if TYPE_CHECKING:
    from clustermark.engines.label_types import Kinds


def kinds_of_schema(schema: Any, engine: str) -> Kinds:
    """Return the kinds of the columns of an Arrow schema; messages name the engine that is to read them."""
    return read_kinds(engine, [(field.name, type_name(field.type)) for field in schema])


def type_name(kind: Any) -> str:
    """Return the name of an Arrow type; of a dictionary with values other than texts, the name of their type."""
    types = optional("pyarrow", "Arrow data").types
    if types.is_dictionary(kind):
        value = type_name(kind.value_type)
        return str(kind) if value in LABEL_TYPES["text"].names("arrow") else value
    return "uuid" if getattr(kind, "extension_name", "") == "arrow.uuid" else str(kind)


def plain_columns(table: Any) -> dict[str, Any]:
    """Return the columns of an Arrow table: numbers as NumPy arrays, and lists where there are texts or nulls."""
    types = optional("pyarrow", "Arrow data").types
    columns: dict[str, Any] = {}
    for name, column in zip(table.column_names, table.columns, strict=True):
        numeric = types.is_integer(column.type) or types.is_floating(column.type)
        columns[name] = column.to_pylist() if column.null_count or not numeric else column.to_numpy()
    return columns


def as_arrow(data: Any) -> Any:
    """Return Arrow data from a table, a stream, a data frame or a dict of arrays."""
    pyarrow = optional("pyarrow", "Arrow data")
    if isinstance(data, dict):
        return pyarrow.table(data)
    if hasattr(data, "collect"):  # a lazy frame of Polars
        data = data.collect()
    if isinstance(data, pyarrow.RecordBatch):
        return pyarrow.Table.from_batches([data])
    # of PyArrow alone: other libraries give methods and types of their own the same names
    if is_of(data, "pyarrow"):
        return data
    if hasattr(data, "iloc"):  # pandas, whose stream would contain the index as a column
        return pyarrow.Table.from_pandas(data, preserve_index=False)
    try:
        if hasattr(data, "__arrow_c_stream__"):
            return pyarrow.RecordBatchReader.from_stream(data)
        return pyarrow.Table.from_batches([pyarrow.record_batch(data)])
    except (pyarrow.ArrowInvalid, pyarrow.ArrowTypeError, TypeError) as error:
        raise InputError(
            f"the {type(data).__name__}: its Arrow data is no table ({error}); pass a table with columns"
        ) from error


def is_of(data: Any, library: str) -> bool:
    """Return whether a library defines the class of the data, or a base class, without importing it."""
    return any(cls.__module__.partition(".")[0] == library for cls in type(data).__mro__)


def as_table(data: Any) -> Any:
    """Return Arrow data as a table, which can be read repeatedly."""
    data = as_arrow(data)
    if hasattr(data, "read_all"):
        return data.read_all()
    return data.to_table() if hasattr(data, "to_table") else data
