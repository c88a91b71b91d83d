"""Data in memory that is passed to an engine, mostly as Arrow tables, without the columns that it would misread."""

from __future__ import annotations

import sys
from datetime import datetime
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from clustermark.engines.label_types import LABEL_TYPES, Kinds, kind_of, read_kinds, refuse_repeated, unsupported
from clustermark.errors import InputError
from clustermark.results.frames import optional

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


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
    if is_of(data, "dask"):
        return _stream_partitions(data)
    if hasattr(data, "to_pyarrow_batches"):  # Ibis, whose stream would hold all rows
        return data.to_pyarrow_batches()
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


def _stream_partitions(frame: Any) -> Any:
    """Return the rows of a data frame of Dask; each partition is computed when the stream comes to it."""
    pyarrow = optional("pyarrow", "a data frame of Dask")
    parts = (pyarrow.Table.from_pandas(part.compute(), preserve_index=False) for part in frame.to_delayed())
    first = next(parts)
    schema = pyarrow.schema([(field.name, _type_of(field, pyarrow) or pyarrow.string()) for field in first.schema])
    return pyarrow.RecordBatchReader.from_batches(schema, _cast_each(chain([first], parts), schema, pyarrow))


def _type_of(field: Any, pyarrow: Any) -> Any:
    """Return the type of the values, without the dictionary that each partition has of its own; None if all are null.

    A column whose values are null in the first partition is taken for texts.
    """
    kind = field.type.value_type if pyarrow.types.is_dictionary(field.type) else field.type
    return None if pyarrow.types.is_null(kind) else kind


def _cast_each(parts: Iterator[Any], schema: Any, pyarrow: Any) -> Iterator[Any]:
    for number, part in enumerate(parts):
        for field, expected in zip(part.schema, schema, strict=True):
            if _type_of(field, pyarrow) not in (None, expected.type):  # a cast would make the text '5' of the number 5
                raise InputError(
                    f"the DataFrame: column {field.name!r} is {field.type} in partition {number} and {expected.type} "
                    "before; give it one type by astype"
                )
        yield from part.cast(schema).to_batches()


def is_of(data: Any, library: str) -> bool:
    """Return whether a library defines the class of the data, or a base class, without importing it."""
    return any(cls.__module__.partition(".")[0] == library for cls in type(data).__mro__)


def as_table(data: Any) -> Any:
    """Return Arrow data as a table, which can be read repeatedly."""
    data = as_arrow(data)
    if hasattr(data, "read_all"):
        return data.read_all()
    return data.to_table() if hasattr(data, "to_table") else data


_NOT_IN_ARROW = ("Int128", "UInt128", "Float16", "Object")
_ALIKE = ("string", "bytes", "integer", "floating", "boolean", "date", "empty")
"""Names that pandas gives to the kinds of Python objects that a column may consist of."""


def hold_back(data: Any, engine: str) -> tuple[Any, Kinds]:
    """Return the data without the columns that an engine cannot read, and the reasons for those.

    Frames of pandas and Polars are kept; all other data becomes Arrow data.
    """
    library = next((name for name in ("pandas", "polars") if is_of(data, name)), "")
    if not library:
        data = as_arrow(data)
    types = list(_types_of(data, library, engine))
    held = Kinds()
    refuse_repeated(held, [name for name, _ in types], engine if engine == "duckdb" else "")
    for name, refused in types:
        if refused:
            held.refuse(name, unsupported(refused, engine))
    kept = [place for place, (name, _) in enumerate(types) if name not in held]
    return data if len(kept) == len(types) else _take(data, library, kept), held


def _types_of(data: Any, library: str, engine: str) -> Iterator[tuple[str, str]]:
    """Yield the name of each column, and its type if it is held back."""
    if library == "pandas":
        for place, name in enumerate(data.columns):
            yield str(name), _refused_in_pandas(data.iloc[:, place], engine)
    elif library == "polars":
        for name, dtype in data.collect_schema().items():
            base = str(dtype).partition("(")[0]
            yield name, str(dtype) if base in _NOT_IN_ARROW or dtype.is_nested() else ""
    else:
        for field in data.schema:
            yield field.name, _refused_in_arrow(field.type)


def _refused_in_arrow(kind: Any) -> str:
    name = type_name(kind)
    return "" if kind_of("arrow", name) else name


def _refused_in_pandas(column: Any, engine: str) -> str:
    """Return the type of a column that is held back; empty for any other."""
    dtype = column.dtype
    match type(dtype).__name__:
        case "CategoricalDtype":
            return _refused_in_pandas(column.cat.categories.to_series(), engine)
        case "ArrowDtype":
            return _refused_in_arrow(dtype.pyarrow_dtype)
        case "DatetimeTZDtype":
            return str(dtype) if engine == "duckdb" else ""  # which truncates nanoseconds, or fails
        case "StringDtype":
            return ""
    if not isinstance(dtype, np.dtype):
        return "" if hasattr(dtype, "numpy_dtype") else str(dtype)
    if dtype.kind == "O":
        return _refused_objects(column)
    if dtype.kind == "m" and engine == "duckdb":
        return str(dtype)
    return "" if dtype.kind in "iubMm" or (dtype.kind == "f" and dtype.itemsize <= 8) else str(dtype)


def _refused_objects(column: Any) -> str:
    """Return the type name of objects of several types, which an engine would convert to one; empty for others."""
    inferred = sys.modules["pandas"].api.types.infer_dtype(column, skipna=True)
    if inferred == "integer":
        try:
            column.dropna().astype("int64")
        except OverflowError:
            return "object (integers beyond 64 bits)"
    if inferred == "date" and any(isinstance(value, datetime) for value in column):
        inferred = "mixed"
    return "" if inferred in _ALIKE else f"object ({inferred})"


def _take(data: Any, library: str, places: list[int]) -> Any:
    if library == "pandas":
        return data.iloc[:, places]
    if library == "polars":
        names, by_name = data.collect_schema().names(), sys.modules["polars"].selectors.by_name
        return data.select(*(by_name(names[place]) for place in places))  # a name such as "^a$" would be a pattern
    if hasattr(data, "to_table"):  # a dataset
        data = data.to_table()
    if hasattr(data, "select"):
        return data.select(places)
    pyarrow = sys.modules["pyarrow"]
    schema = pyarrow.schema([data.schema.field(place) for place in places])
    return pyarrow.RecordBatchReader.from_batches(schema, _select_each(data, places))


def _select_each(batches: Iterable[Any], places: list[int]) -> Iterator[Any]:
    for batch in batches:
        yield batch.select(places)
