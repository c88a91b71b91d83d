"""Labels in lists and in NumPy arrays; Python objects are compared by Python's equality."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import numpy as np

from clustermark._kernel import encode_integers, encode_objects, encode_records
from clustermark.errors import InputError
from clustermark.labels.labeling import Labeling, with_missing

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


def read_objects(labels: Sequence[object] | NDArray[np.object_], name: str) -> Labeling:
    """Read a list, a tuple or an object array: ``1 == 1.0 == True`` is one label, ``"1"`` another."""

    def inspect(label: object, position: int) -> bool:
        if is_missing(label):
            return True
        _refuse_number(label, position, name)
        return False

    try:
        codes, values = encode_objects(labels, inspect)
    except TypeError as error:
        if isinstance(error, InputError):
            raise
        masked = getattr(sys.modules.get("numpy.ma"), "masked", None)
        if masked is not None and any(label is masked for label in labels):
            return read_objects([None if label is masked else label for label in labels], name)
        _explain_unhashable(labels, name)
        raise  # an error raised by a label
    return Labeling(codes, values)


def is_missing(label: Any) -> bool:
    """Return whether a label is one of the objects that denote "no label"."""
    if label is None:
        return True
    if isinstance(label, float | np.floating):
        return bool(label != label)  # only NaN differs from itself
    if isinstance(label, np.datetime64 | np.timedelta64):
        return bool(np.isnat(label))
    # neither decimal nor pandas is imported for this; code that creates such a label has imported them
    decimal = sys.modules.get("decimal")
    if decimal is not None and isinstance(label, decimal.Decimal):
        return bool(label.is_nan())
    # by name, because NA has no truth value and so cannot be compared
    kind = type(label)
    return kind.__name__ in ("NAType", "NaTType") and kind.__module__.startswith("pandas.")


def _refuse_number(label: object, position: int, name: str) -> None:
    if isinstance(label, float | np.floating):
        if not label.is_integer():
            raise fraction_error(label, position, name)
    elif isinstance(label, complex | np.complexfloating):
        raise InputError(f"{name}: complex number {label} at position {position} cannot be a label; pass integers")


def fraction_error(label: Any, position: int, name: str) -> InputError:
    """Return the error for a fractional or infinite float label."""
    return InputError(
        f"{name}: label {label} at position {position} is not a whole number; "
        "labels are names of clusters: pass integers or strings, and NaN or None for a missing label"
    )


def _explain_unhashable(labels: Sequence[object] | NDArray[np.object_], name: str) -> None:
    for position, label in enumerate(labels):
        try:
            hash(label)
        except TypeError as error:
            kind = type(label)
            if isinstance(label, list | np.ndarray):
                raise InputError(
                    f"{name} is two-dimensional: position {position} holds a {kind.__name__}, not a label; "
                    "pass one label per point (rows that are labels themselves as tuples)"
                ) from None
            if kind.__hash__ is None or "unhashable" in str(error):
                raise InputError(
                    f"{name}: the label at position {position} (a {kind.__name__}) is unhashable: {error}; "
                    "use a tuple, a frozenset or a string instead"
                ) from None
            return


def read_ndarray(array: NDArray[Any], name: str) -> Labeling:
    """Read an array of any dtype; integers are not copied."""
    array = one_column(array)
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


def one_column(array: NDArray[Any]) -> NDArray[Any]:
    """Return an array of shape (n, 1), a column of a table, with shape (n,); any other array unchanged."""
    return array[:, 0] if array.ndim == 2 and array.shape[1] == 1 else array


def dimension_error(ndim: int, shape: object, name: str) -> InputError:
    """Return the error for an array that is not a column of labels."""
    if ndim == 0:
        return InputError(f"{name} is a single value; pass one label per point, for example a list")
    return InputError(
        f"{name} is {'two' if ndim == 2 else ndim}-dimensional (shape {shape}); "
        "pass one label per point: pick a column, or .ravel() if there is only one"
    )


def _read_integers(array: NDArray[Any], _name: str) -> Labeling:
    # a field of a packed record may be unaligned, which the kernel cannot read
    return Labeling(array if array.flags.aligned else array.copy())


def _read_booleans(array: NDArray[Any], _name: str) -> Labeling:
    # a byte other than 0 and 1 is true, too; and the codes must not be the memory of the caller, since they are places
    return Labeling(np.not_equal(array.view(np.uint8), 0).view(np.uint8), np.array([False, True]))


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
    return read_objects(array.astype(object), name)  # padding bytes prevent a comparison of the bits


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
    # None and NaN are always missing; any other object or string may have been chosen as missing too
    na = dtype.na_object
    chosen = [code for code, label in enumerate(labeling.values) if label is na or (type(na) is str and label == na)]
    return with_missing(labeling, np.isin(labeling.codes, chosen))


def _read_dates(array: NDArray[Any], _name: str) -> Labeling:
    codes, first = encode_integers(np.require(array, requirements="A").view(np.int64))
    return with_missing(Labeling(codes, array[first]), np.isnat(array))


def _read_masked(array: Any, name: str) -> Labeling:
    mask = np.broadcast_to(np.asarray(array.mask), array.shape)
    data = np.asarray(array.data)
    # masked values are not labels, and must not raise errors
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
