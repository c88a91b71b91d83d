"""Labels in NumPy arrays of any dtype."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from clustermark._kernel import encode_integers, encode_records
from clustermark.errors import InputError
from clustermark.labels.labeling import Labeling, with_missing
from clustermark.labels.python_objects import fraction_error, read_objects

if TYPE_CHECKING:
    from numpy.typing import NDArray


def read_ndarray(array: NDArray[Any], name: str) -> Labeling:
    """Read an array of any dtype; integers are not copied."""
    if array.ndim != 1:
        raise dimension_error(array.ndim, array.shape, name)
    if hasattr(array, "mask") and hasattr(array, "filled"):
        return _read_masked(array, name)
    reader = _READERS.get(array.dtype.kind)
    if reader is None:
        kind = {"c": "complex", "V": "structured"}.get(array.dtype.kind, "unknown")
        raise InputError(f"{name}: labels of {kind} dtype {array.dtype} cannot be read; pass integers or strings")
    array = np.asarray(array)
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    return reader(array, name)


def dimension_error(ndim: int, shape: object, name: str) -> InputError:
    """Build the error for an array that is not a column of labels."""
    if ndim == 0:
        return InputError(f"{name} is a single value; pass one label per point, for example a list")
    return InputError(
        f"{name} is {'two' if ndim == 2 else ndim}-dimensional (shape {shape}); "
        "pass one label per point: pick a column, or .ravel() if there is only one"
    )


def _read_integers(array: NDArray[Any], _name: str) -> Labeling:
    # a field of a packed record may lie across word boundaries, where the kernel cannot read
    return Labeling(array if array.flags.aligned else array.copy())


def _read_booleans(array: NDArray[Any], _name: str) -> Labeling:
    return Labeling(array.view(np.uint8), np.array([False, True]))


def _read_floats(array: NDArray[Any], name: str) -> Labeling:
    if array.dtype.itemsize > 8:
        return _read_long_doubles(array, name)
    floats = array.astype(np.float64, copy=False)
    with np.errstate(invalid="ignore"):
        integers = floats.astype(np.int64)
    fits = (integers == floats) & (np.abs(floats) < 2.0**63)
    if fits.all():
        return Labeling(integers)
    missing = np.isnan(floats)
    wrong = ~missing & (np.isinf(floats) | (floats != np.trunc(floats)))
    if wrong.any():
        position = int(wrong.argmax())
        raise fraction_error(array[position], position, name)
    if (fits | missing).all():
        return with_missing(Labeling(np.where(missing, 0, integers)), missing)
    floats = floats + 0.0  # makes -0.0 the same bits as 0.0
    codes, first = encode_integers(floats.view(np.int64))
    return with_missing(Labeling(codes, floats[first]), missing)


def _read_long_doubles(array: NDArray[Any], name: str) -> Labeling:
    with np.errstate(over="ignore"):
        floats = array.astype(np.float64)
    if np.array_equal(floats, array, equal_nan=True):
        return _read_floats(floats, name)
    return read_objects(array.astype(object), name)  # padding bytes forbid comparing the bits


def _read_strings(array: NDArray[Any], _name: str) -> Labeling:
    width = array.dtype.itemsize
    if width == 0:
        return Labeling(np.zeros(len(array), dtype=np.int32), np.zeros(1, dtype=array.dtype))
    # unused places are filled with zeros, so equal strings are equal bytes
    codes, first = encode_records(np.ascontiguousarray(array).view(np.uint8).reshape(-1, width))
    return Labeling(codes, array[first])


def _read_variable_strings(array: NDArray[Any], name: str) -> Labeling:
    labeling = read_objects(array.astype(object), name)
    dtype: Any = array.dtype
    if not hasattr(dtype, "na_object"):
        return labeling
    # None and NaN are known to be missing; any other object or string may have been chosen for it too
    na = dtype.na_object
    chosen = [code for code, label in enumerate(labeling.values) if label is na or (type(na) is str and label == na)]
    return with_missing(labeling, np.isin(labeling.codes, chosen))


def _read_dates(array: NDArray[Any], _name: str) -> Labeling:
    codes, first = encode_integers(np.require(array, requirements="A").view(np.int64))
    return with_missing(Labeling(codes, array[first]), np.isnat(array))


def _read_masked(array: Any, name: str) -> Labeling:
    mask = np.broadcast_to(np.asarray(array.mask), array.shape)
    data = np.asarray(array.data)
    # what lies under the mask is no label, and must not be complained about
    if data.dtype.kind in "fO" and mask.any():
        data = data.copy()
        data[mask] = None if data.dtype.kind == "O" else np.nan
    return with_missing(read_ndarray(data, name), mask)


_READERS = {
    "i": _read_integers,
    "u": _read_integers,
    "b": _read_booleans,
    "f": _read_floats,
    "U": _read_strings,
    "S": _read_strings,
    "T": _read_variable_strings,
    "M": _read_dates,
    "m": _read_dates,
    "O": read_objects,
}
