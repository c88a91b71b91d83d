"""Labels in columns of pandas, polars and Arrow. None is imported here, as the owner of a column has done so."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import numpy as np

from clustermark._kernel import encode_integers
from clustermark.errors import InputError
from clustermark.labels.labeling import (
    MISSING,
    Labeling,
    all_missing,
    from_dictionary,
    times_of,
    with_missing,
    with_values,
)
from clustermark.labels.lists_and_arrays import read_ndarray, read_objects

if TYPE_CHECKING:
    from numpy.typing import NDArray


def read_arrow(labels: Any, name: str) -> Labeling:
    """Read a pyarrow Array or ChunkedArray; integers without nulls in one chunk are not copied."""
    pa = sys.modules["pyarrow"]
    if isinstance(labels, pa.Table | pa.RecordBatch):
        if labels.num_columns == 1:
            return read_arrow(labels.column(0), name)
        raise table_error(f"pyarrow {type(labels).__name__}", name)
    if not isinstance(labels, pa.Array | pa.ChunkedArray):
        raise InputError(f"{name} is a single pyarrow {type(labels).__name__}; pass one label per point")
    kind, types = labels.type, pa.types
    if types.is_null(kind):
        return all_missing(len(labels))
    if types.is_nested(kind):
        raise table_error(f"pyarrow array of {kind}", name)
    if types.is_dictionary(kind):
        indices, dictionary, _ = _join(labels)
        return from_dictionary(indices, read_arrow(dictionary, f"{name}'s dictionary"), name)
    if any(is_kind(kind) for is_kind in _text_kinds(types)):
        return _read_text(labels, name)
    if types.is_integer(kind) or types.is_boolean(kind):
        return _read_integers(_one_array(labels), name)
    if types.is_floating(kind) or types.is_date(kind) or types.is_timestamp(kind) or types.is_duration(kind):
        return read_ndarray(_one_array(labels).to_numpy(zero_copy_only=False), name)  # nulls become NaN or NaT
    if types.is_time(kind):
        numbers = with_values(_read_integers(_one_array(labels).cast(pa.time64("ns")).cast(pa.int64()), name))
        return Labeling(numbers.codes, times_of(numbers.values))
    return read_objects(labels.to_pylist(), name)


def read_arrow_interface(labels: Any, name: str) -> Labeling | None:
    """Read an object with ``__arrow_c_array__`` or ``__arrow_c_stream__``; None if it has neither."""
    streams = hasattr(labels, "__arrow_c_stream__")
    if not streams and not hasattr(labels, "__arrow_c_array__"):
        return None
    try:
        import pyarrow as pa
    except ImportError:
        return _read_arrow_interface_with_polars(labels, name)
    array = _one_array(pa.chunked_array(labels) if streams else pa.array(labels))
    if pa.types.is_struct(array.type) and array.type.num_fields == 1 and not array.null_count:  # a table of one column
        array = array.field(0)
    return read_arrow(array, name)


def table_error(kind: str, name: str) -> InputError:
    """Return the error for a table in place of a column."""
    return InputError(f"{name} is a {kind}; pick the column that holds the labels, one label per point")


def _read_arrow_interface_with_polars(labels: Any, name: str) -> Labeling:
    try:
        import polars as pl
    except ImportError:
        raise InputError(
            f"{name} (a {type(labels).__name__}) is an Arrow array; reading it needs pyarrow or polars: "
            "install one of them (pip install pyarrow), or pass a NumPy array or a list"
        ) from None
    series = pl.Series(labels)
    if isinstance(series.dtype, pl.Struct) and len(series.dtype.fields) == 1:
        series = series.struct.unnest().to_series()
    return read_polars(series, name)


def _text_kinds(types: Any) -> list[Any]:
    names = ("string", "large_string", "string_view", "binary", "large_binary", "binary_view", "fixed_size_binary")
    # older pyarrow has no views
    return [getattr(types, f"is_{name}") for name in names if hasattr(types, f"is_{name}")]


def _one_array(labels: Any) -> Any:
    if not hasattr(labels, "num_chunks"):
        return labels
    return labels.chunk(0) if labels.num_chunks == 1 else labels.combine_chunks()


def _read_integers(array: Any, name: str) -> Labeling:
    if not array.null_count:
        return read_ndarray(array.to_numpy(zero_copy_only=False), name)
    filled = array.fill_null(False if str(array.type) == "bool" else 0)
    labeling = read_ndarray(filled.to_numpy(zero_copy_only=False), name)
    return with_missing(labeling, array.is_null().to_numpy(zero_copy_only=False))


def _read_text(labels: Any, name: str) -> Labeling:
    try:
        labels.validate(full=True)  # pyarrow trusts the places of texts, and would read outside its memory
    except sys.modules["pyarrow"].ArrowInvalid as error:
        raise InputError(f"{name} is damaged: {error}; make it anew") from error
    indices, dictionary, one_for_all = _join(labels.dictionary_encode())
    if one_for_all:  # from the hash table: labels are distinct, and none is missing
        return Labeling(indices, dictionary.to_pylist())
    return from_dictionary(indices, read_arrow(dictionary, name), name)


def _join(labels: Any) -> tuple[NDArray[Any], Any, bool]:
    """Return indices (-1 for null) and dictionary of all chunks, and whether all chunks share one dictionary.

    Different dictionaries are concatenated, so that a label may occur more than once.
    """
    pa = sys.modules["pyarrow"]
    chunks = labels.chunks if hasattr(labels, "num_chunks") else [labels]
    dictionaries: list[Any] = []
    indices = []
    offset = following = 0
    for chunk in chunks:
        if not dictionaries or not chunk.dictionary.equals(dictionaries[-1]):
            dictionaries.append(chunk.dictionary)
            offset, following = following, following + len(chunk.dictionary)
        positions = chunk.indices
        if positions.null_count:
            positions = positions.cast(pa.int64()).fill_null(-1)
        positions = positions.to_numpy(zero_copy_only=False)
        if len(chunks) > 1:
            positions = positions.astype(np.int64)
            positions[positions >= 0] += offset
        indices.append(positions)
    if not chunks:
        return np.zeros(0, dtype=np.int32), pa.array([], type=labels.type.value_type), True
    one_for_all = len(dictionaries) == 1
    dictionary = dictionaries[0] if one_for_all else pa.concat_arrays(dictionaries)
    return indices[0] if len(indices) == 1 else np.concatenate(indices), dictionary, one_for_all


def read_pandas(labels: Any, name: str) -> Labeling:
    """Read a Series, an Index or an extension array."""
    if getattr(labels, "ndim", 0) == 2:
        if labels.shape[1] == 1:
            return read_pandas(labels.iloc[:, 0], name)
        raise table_error(f"pandas {type(labels).__name__}", name)
    if not hasattr(labels, "dtype") or not hasattr(labels, "__len__"):
        raise InputError(f"{name} is a pandas {type(labels).__name__}; pass one label per point, for example a Series")
    dtype = labels.dtype
    if isinstance(dtype, np.dtype):
        return read_ndarray(labels.to_numpy(), name)
    column = getattr(labels, "array", labels)
    kind = type(dtype).__name__
    if kind == "CategoricalDtype":
        return from_dictionary(column.codes, read_pandas(column.categories, f"{name}'s categories"), name)
    if kind == "ArrowDtype" or (kind == "StringDtype" and dtype.storage.startswith("pyarrow")):
        return read_arrow(column.__arrow_array__(), name)
    if hasattr(dtype, "numpy_dtype"):  # the nullable integers, floats and booleans
        filled = column.to_numpy(dtype=dtype.numpy_dtype, na_value=dtype.numpy_dtype.type(0))
        return with_missing(read_ndarray(filled, name), column.isna())
    if kind == "DatetimeTZDtype":
        moments = column.tz_convert(None).to_numpy()
        codes, first = encode_integers(moments.view(np.int64))
        return with_missing(Labeling(codes, list(column[first])), np.isnat(moments))
    if kind == "SparseDtype":
        return read_ndarray(np.asarray(column), name)
    return read_objects(np.asarray(column, dtype=object), name)


def read_polars(labels: Any, name: str) -> Labeling:
    """Read a polars Series, without pyarrow."""
    pl = sys.modules["polars"]
    if isinstance(labels, pl.DataFrame) and labels.width == 1:
        return read_polars(labels.to_series(), name)
    if isinstance(labels, pl.DataFrame | pl.LazyFrame):
        raise table_error(f"polars {type(labels).__name__}", name)
    if not isinstance(labels, pl.Series):
        raise InputError(f"{name} is a polars {type(labels).__name__}; pass the Series that holds the labels")
    labels = labels.rename("labels")  # polars takes names such as "^a$" for patterns, also of a Series
    dtype = labels.dtype
    if dtype == pl.Null:
        return all_missing(len(labels))
    if dtype.is_nested():
        raise table_error(f"polars Series of {dtype}", name)
    if dtype.is_float():
        return read_ndarray(labels.to_numpy(), name)  # null becomes NaN
    if dtype == pl.Boolean or (dtype.is_integer() and "128" not in str(dtype)):
        if not labels.null_count():
            return read_ndarray(labels.to_numpy(), name)
        filled = labels.fill_null(False if dtype == pl.Boolean else 0)
        return with_missing(read_ndarray(filled.to_numpy(), name), labels.is_null().to_numpy())
    if dtype == pl.String:
        return _read_polars_physical(labels, labels.cast(pl.Categorical))  # hashed by polars
    if dtype in (pl.Categorical, pl.Enum) or dtype.is_temporal():
        return _read_polars_physical(labels, labels)
    return read_objects(labels.to_list(), name)


def _read_polars_physical(labels: Any, coded: Any) -> Labeling:
    """Read the physical integers of a column; they number its values, possibly with gaps."""
    codes, first = encode_integers(coded.drop_nulls().to_physical().to_numpy())
    found = labels.drop_nulls().gather(first)
    if str(labels.dtype) == "Time":
        values = times_of(found.to_physical().to_numpy())
    elif getattr(labels.dtype, "time_unit", None) == "ns":  # to_list() would truncate nanoseconds
        values = found.to_numpy()
    elif getattr(labels.dtype, "time_zone", None):  # Python identifies the two hours when a clock is turned back
        values = found.dt.convert_time_zone("UTC").to_list()
    else:
        values = found.to_list()
    if not labels.null_count():
        return Labeling(codes, values)
    everywhere = np.full(len(labels), MISSING, dtype=codes.dtype)
    everywhere[labels.is_not_null().to_numpy()] = codes
    return Labeling(everywhere, values)


def list_values(column: Any) -> list[Any]:
    """Return the values of a column of any library as plain Python objects."""
    for name in ("to_pylist", "to_list", "tolist"):
        if hasattr(column, name):
            return list(getattr(column, name)())
    return list(column)
