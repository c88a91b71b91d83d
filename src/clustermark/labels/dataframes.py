"""Labels in columns of pandas and polars. Neither is imported here: a column's owner has done that."""

import sys
from typing import Any

import numpy as np

from clustermark._kernel import encode_integers
from clustermark.errors import InputError
from clustermark.labels.arrow_arrays import read_arrow, table_error
from clustermark.labels.labeling import MISSING, Labeling, all_missing, from_dictionary, times_of, with_missing
from clustermark.labels.numpy_arrays import read_ndarray
from clustermark.labels.python_objects import read_objects


def read_pandas(labels: Any, name: str) -> Labeling:
    """Read a Series, an Index or an extension array."""
    if getattr(labels, "ndim", 0) == 2:
        raise table_error(f"pandas {type(labels).__name__}", name)
    if not hasattr(labels, "dtype") or not hasattr(labels, "__len__"):
        raise InputError(f"{name} is a pandas {type(labels).__name__}; pass one label per point, for example a Series")
    dtype = labels.dtype
    if isinstance(dtype, np.dtype):
        return read_ndarray(labels.to_numpy(), name)
    column = getattr(labels, "array", labels)
    kind = type(dtype).__name__
    if kind == "CategoricalDtype":
        return from_dictionary(column.codes, read_pandas(column.categories, f"{name}'s categories"))
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
    if isinstance(labels, pl.DataFrame | pl.LazyFrame):
        raise table_error(f"polars {type(labels).__name__}", name)
    if not isinstance(labels, pl.Series):
        raise InputError(f"{name} is a polars {type(labels).__name__}; pass the Series that holds the labels")
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
        return _read_polars_physical(labels, labels.cast(pl.Categorical))  # polars' own hash
    if dtype in (pl.Categorical, pl.Enum) or dtype.is_temporal():
        return _read_polars_physical(labels, labels)
    return read_objects(labels.to_list(), name)


def _read_polars_physical(labels: Any, coded: Any) -> Labeling:
    """Read the integers behind a column; they number its values, but not without gaps."""
    codes, first = encode_integers(coded.drop_nulls().to_physical().to_numpy())
    found = labels.drop_nulls().gather(first)
    if str(labels.dtype) == "Time":
        values = times_of(found.to_physical().to_numpy())
    elif getattr(labels.dtype, "time_unit", None) == "ns":  # which to_list() would cut off
        values = found.to_numpy()
    elif getattr(labels.dtype, "time_zone", None):  # Python takes two hours for one where a clock is turned back
        values = found.dt.convert_time_zone("UTC").to_list()
    else:
        values = found.to_list()
    if not labels.null_count():
        return Labeling(codes, values)
    everywhere = np.full(len(labels), MISSING, dtype=codes.dtype)
    everywhere[labels.is_not_null().to_numpy()] = codes
    return Labeling(everywhere, values)


def list_values(column: Any) -> list[Any]:
    """The values of a column as plain Python objects, whatever library it is of."""
    for name in ("to_pylist", "to_list", "tolist"):
        if hasattr(column, name):
            return list(getattr(column, name)())
    return list(column)
