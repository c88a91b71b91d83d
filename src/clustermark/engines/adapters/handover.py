"""Data in memory that is passed to an engine: columns that the engine would misread or reject are held back."""

from __future__ import annotations

import sys
from datetime import datetime
from typing import TYPE_CHECKING, Any

import numpy as np

from clustermark.engines.adapters.arrow import as_arrow, is_of, type_name
from clustermark.engines.label_types import Kinds, kind_of, refuse_repeated, unsupported

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

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
        names = data.collect_schema().names()
        return data.select([names[place] for place in places])
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
