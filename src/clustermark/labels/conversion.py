"""Convert labels of any kind to integer codes; counts and weights, one for each point; sparse matrices."""

from __future__ import annotations

import sys
from collections.abc import Hashable, Iterator, Mapping, ValuesView
from os import PathLike
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import numpy as np

from clustermark.errors import InputError, Mention
from clustermark.labels.labeling import Labeling
from clustermark.labels.lists_and_arrays import one_column, read_ndarray, read_objects

if TYPE_CHECKING:
    from numpy.typing import NDArray


class LabelSequence(Protocol):
    """A list, a tuple, a range: one label per point. A string does not match: its `__contains__` takes strings only."""

    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[Hashable]: ...
    def __getitem__(self, place: int, /) -> Hashable: ...
    def __contains__(self, label: object, /) -> bool: ...


class NumpyLike(Protocol):
    """An array of NumPy, a Series of pandas or Polars, a tensor: any object that converts to a NumPy array."""

    def __array__(self) -> Any: ...


class ArrowArray(Protocol):
    """An array with the C interface of Arrow."""

    def __arrow_c_array__(self, requested_schema: Any = None, /) -> Any: ...


class ArrowStream(Protocol):
    """A stream of arrays with the C interface of Arrow."""

    def __arrow_c_stream__(self, requested_schema: Any = None, /) -> Any: ...


class DLPack(Protocol):
    """A tensor in the memory of the CPU."""

    def __dlpack__(self) -> Any: ...
    def __dlpack_device__(self) -> Any: ...


Labels: TypeAlias = (
    LabelSequence | Mapping[Any, Hashable] | ValuesView[Hashable] | NumpyLike | ArrowArray | ArrowStream | DLPack
)
"""A labeling: a list, an array, a Series, a mapping from id to label, and so on; never a set or a single value."""


_LIBRARIES = ("pandas", "polars", "pyarrow")
_CPU = 1  # the DLPack number of the CPU


def read_pair(y_true: object, y_pred: object) -> tuple[Labeling, Labeling]:
    """Read both sides: by position, or by id if both are mappings.

    >>> true, pred = read_pair(["a", "a", "b"], np.array([7, 7, 8]))
    >>> true.codes.tolist(), pred.codes.tolist()
    ([0, 0, 1], [7, 7, 8])
    """
    if type(y_true) is np.ndarray and type(y_pred) is np.ndarray:  # first, because it must be quick
        true, pred = read_labels(y_true, "y_true"), read_labels(y_pred, "y_pred")
    elif isinstance(y_true, Mapping) or isinstance(y_pred, Mapping):
        true, pred = _read_aligned(y_true, y_pred)
    else:
        check_same_index(y_true, y_pred)
        true, pred = read_labels(y_true, "y_true"), read_labels(y_pred, "y_pred")
    if len(true) != len(pred):
        raise InputError(
            f"y_true has {len(true)} labels and y_pred has {len(pred)}; both need one label for each of the same "
            "points, in the same order (to compare by id, pass two dicts id -> label)"
        )
    if not len(true):
        raise InputError("y_true and y_pred hold no points; pass at least one label on each side")
    return true, pred


def check_same_index(one: Any, other: Any, one_name: str = "y_true", other_name: str = "y_pred") -> None:
    """Raise an error for two pandas objects whose indexes differ: alignment by position and by id would differ."""
    pandas = sys.modules.get("pandas")
    if pandas is None or not all(isinstance(side, pandas.Series | pandas.DataFrame) for side in (one, other)):
        return
    if len(one) == len(other) and not one.index.equals(other.index):
        both = is_pandas_series(one) and is_pandas_series(other)
        what, more = (
            ("Series", f" (for labels also {one_name}.to_dict() and {other_name}.to_dict())") if both else ("data", "")
        )
        raise InputError(
            f"{one_name} and {other_name} are pandas {what} with different indexes. To take them by position, pass "
            f"{one_name}.to_numpy() and {other_name}.to_numpy() (or .reset_index(drop=True) of both); to take them by "
            f"id, pass {one_name} and {other_name}.loc[{one_name}.index]{more}"
        )


def is_pandas_series(labels: object) -> bool:
    """Return whether labels are a pandas Series, without importing pandas."""
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(labels, pandas.Series)


def are_codes(labels: object) -> bool:
    """Return whether labels are integers that the kernel can read without conversion."""
    if type(labels) is not np.ndarray or labels.ndim != 1:
        return False
    dtype = labels.dtype
    return dtype.kind in "iu" and dtype.isnative and labels.flags.aligned


def read_labels(labels: object, name: str) -> Labeling:
    """Read the labels of one side, of any kind; `name` is their name in errors."""
    if type(labels) is np.ndarray:
        return Labeling(labels) if are_codes(labels) else read_ndarray(labels, name)
    if isinstance(labels, list | tuple):
        return read_objects(labels, name)
    for ancestor in type(labels).__mro__:
        library = ancestor.__module__.partition(".")[0]
        if library in _LIBRARIES and library in sys.modules:
            return _read_column(library, labels, name)
    _refuse(labels, name)
    if isinstance(labels, np.ndarray):
        return read_ndarray(labels, name)
    if isinstance(labels, range):
        return _read_range(labels, name)
    if isinstance(labels, memoryview) or _is_array_of_numbers(labels):
        return read_ndarray(np.asarray(labels), name)
    return _read_by_protocol(labels, name)


def _read_column(library: str, labels: object, name: str) -> Labeling:
    from clustermark.labels.frame_columns import read_arrow, read_pandas, read_polars

    return {"pandas": read_pandas, "polars": read_polars, "pyarrow": read_arrow}[library](labels, name)


def _is_array_of_numbers(labels: Any) -> bool:
    module = sys.modules.get("array")  # no such array exists before the module is loaded
    return module is not None and isinstance(labels, module.array) and labels.typecode not in "uw"


def _read_aligned(y_true: object, y_pred: object) -> tuple[Labeling, Labeling]:
    if isinstance(y_true, Mapping) and isinstance(y_pred, Mapping):
        from clustermark.labels.alignment import read_mappings

        return read_mappings(y_true, y_pred)
    name, other = ("y_true", "y_pred") if isinstance(y_true, Mapping) else ("y_pred", "y_true")
    if isinstance(y_pred if name == "y_true" else y_true, str | PathLike):
        raise InputError(
            f"{name} is a mapping id -> label, and {other} a single text; a file is joined with another source, by ",
            Mention("on"),
            f": make a table of {name}, or a mapping of the file",
        )
    raise InputError(
        f"{name} is a mapping id -> label, but {other} is not; pass two mappings to compare by id, "
        f"or {name}.values() to compare by position"
    )


def _refuse(labels: object, name: str) -> None:
    """Raise an error for objects that look like a collection of labels but are none."""
    if isinstance(labels, str | bytes | bytearray):
        raise InputError(f"{name} is a single {type(labels).__name__}; pass one label per point, for example a list")
    if isinstance(labels, set | frozenset):
        raise InputError(f"{name} is a {type(labels).__name__}, which has no order; pass a list of one label per point")
    if isinstance(labels, Mapping):
        raise InputError(f"{name} is a mapping id -> label; pass {name}.values(), or mappings on both sides")
    if hasattr(labels, "obs") and hasattr(labels, "obs_names"):
        raise InputError(
            f"{name} is a table of points ({type(labels).__name__}); pass a column of it, such as "
            f"{name}.obs['cell_type'], or name two of its columns in evaluate by ",
            Mention("true"),
            " and ",
            Mention("pred"),
        )
    if labels is None or isinstance(labels, np.generic):
        raise _single_value(labels, name)


def _single_value(labels: object, name: str) -> InputError:
    if scored_by := getattr(labels, "scored_by", ""):
        return InputError(f"{name} is a {type(labels).__name__} and no labeling; use {scored_by}")
    if callable(getattr(labels, "fit", None)):
        todo = "pass its labels_" if hasattr(labels, "labels_") else "it is not fitted: call fit, then pass its labels_"
        return InputError(f"{name} is an estimator, {type(labels).__name__}, and no labels; {todo}")
    what = "None" if labels is None else f"a single value of type {type(labels).__name__}"
    return InputError(f"{name} is {what}; pass one label per point, for example a list or an array")


def _read_range(labels: range, name: str) -> Labeling:
    bounds = (labels.start, labels.stop, labels.step)
    if all(-(2**63) <= bound < 2**63 for bound in bounds):
        return Labeling(np.arange(*bounds, dtype=np.int64))
    return read_objects(list(labels), name)


def _read_by_protocol(labels: Any, name: str) -> Labeling:
    """Read an object by the protocols that it supports."""
    if hasattr(labels, "to_native"):  # of narwhals
        return read_labels(labels.to_native(), name)
    if hasattr(labels, "to_pyarrow"):  # of Ibis
        return read_labels(labels.to_pyarrow(), name)
    if hasattr(labels, "__dlpack__") and hasattr(labels, "__dlpack_device__"):
        return _read_dlpack(labels, name)
    from clustermark.labels.frame_columns import read_arrow_interface

    from_arrow = read_arrow_interface(labels, name)
    if from_arrow is not None:
        return from_arrow
    if hasattr(labels, "__array__"):
        return read_ndarray(np.asarray(labels), name)
    if hasattr(labels, "__len__") and (hasattr(labels, "__iter__") or hasattr(labels, "__getitem__")):
        return read_objects(list(labels), name)
    if hasattr(labels, "__next__"):
        raise InputError(f"{name} is a {type(labels).__name__}, which can be read only once; pass list({name})")
    if hasattr(labels, "__iter__"):
        raise InputError(f"{name} is a {type(labels).__name__} of unknown length; pass list({name})")
    raise _single_value(labels, name)


def _read_dlpack(labels: Any, name: str) -> Labeling:
    kind = type(labels).__name__
    if int(labels.__dlpack_device__()[0]) != _CPU:
        raise InputError(f"{name} (a {kind}) is not in the memory of the CPU; move it there, e.g. {name}.cpu()")
    try:
        tensor = np.from_dlpack(labels)
    except (BufferError, RuntimeError, TypeError) as error:
        raise InputError(f"{name} (a {kind}) cannot be read by NumPy: {error}; pass integers, one per point") from error
    return read_ndarray(tensor, name)


_LARGEST = 2**63 - 1


def read_counts(counts: object, n: int, name: str = "counts") -> NDArray[np.int64]:
    """Read the count of each of `n` points: whole numbers >= 0, integral floats included.

    >>> read_counts([1, 2.0, 0], 3)
    array([1, 2, 0])
    """
    array = _one_number_per_point(counts, n, name)
    whole: Any = array
    if array.dtype.kind == "O":
        whole = _convert(array, _whole, name, "a whole number >= 0")
        wrong = np.array([not 0 <= number <= _LARGEST for number in whole], dtype=bool)
    elif array.dtype.kind == "f":
        wide = array.astype(np.promote_types(array.dtype, np.float64))
        wrong = ~((wide >= 0) & (wide < 2.0**63) & (wide == np.trunc(wide)))
    else:
        wrong = (array < 0) | (array > _LARGEST)
    if wrong.any():
        raise _wrong_number(array, int(wrong.argmax()), name, "a whole number from 0 to 2**63 - 1")
    result = np.ascontiguousarray(whole, dtype=np.int64)
    # a double detects sums far above the limit; only near it is the slower exact sum needed
    if float(result.sum(dtype=np.float64)) > 2.0**62 and sum(result.tolist()) > _LARGEST:
        raise InputError(f"{name}: the counts add up to more than 2**63 - 1; divide them by a common factor")
    return result


def read_weights(weights: object, n: int, name: str = "weights") -> NDArray[np.float64]:
    """Read the weight of each of `n` points: finite numbers >= 0.

    >>> read_weights([1, 0.5], 2)
    array([1. , 0.5])
    """
    array = _one_number_per_point(weights, n, name)
    numbers = _convert(array, _real, name, "a finite number >= 0") if array.dtype.kind == "O" else array
    with np.errstate(over="ignore"):
        result = np.ascontiguousarray(numbers, dtype=np.float64)
    wrong = ~((result >= 0) & np.isfinite(result))
    if wrong.any():
        raise _wrong_number(array, int(wrong.argmax()), name, "a finite number >= 0")
    return result


def _one_number_per_point(numbers: Any, n: int, name: str) -> NDArray[Any]:
    if hasattr(numbers, "mask") and hasattr(numbers, "filled"):
        masked, numbers = numbers, np.asarray(numbers.data, dtype=object).copy()
        numbers[masked.mask] = None
    if hasattr(numbers, "to_pylist"):
        array = np.asarray(numbers if not numbers.null_count else numbers.to_pylist())
    else:
        array = np.asarray(numbers.to_numpy() if hasattr(numbers, "to_numpy") else _exact(numbers))
    array = one_column(array)
    if array.ndim != 1:
        raise InputError(f"{name} has {array.ndim} dimensions; pass a list or array of one number per point")
    if len(array) != n:
        raise InputError(f"{name} has {len(array)} numbers for {n} points; pass one number per point")
    if array.dtype.kind not in "biufO":
        raise InputError(f"{name} has dtype {array.dtype}; pass numbers, one per point")
    return array


def _exact(numbers: Any) -> Any:
    """Return the numbers of a list unchanged: NumPy would round large integers among floats."""
    if not isinstance(numbers, list | tuple):
        return numbers
    kinds = {type(number) for number in numbers}
    try:
        if kinds in ({int}, {float}):
            return np.array(numbers, dtype=np.int64 if kinds == {int} else np.float64)
    except OverflowError:
        pass  # an integer beyond 64 bits, whose position a later error reports
    return np.fromiter(numbers, dtype=object, count=len(numbers))


def _whole(number: Any) -> int:
    whole = int(number)
    if isinstance(number, str | bytes) or whole != number:
        raise ValueError
    return whole


def _real(number: Any) -> float:
    if isinstance(number, str | bytes):
        raise TypeError
    return float(number)


def _convert(array: NDArray[Any], convert: Any, name: str, wanted: str) -> list[Any]:
    result = []
    for position, number in enumerate(array):
        try:
            result.append(convert(number))
        except (TypeError, ValueError, OverflowError):
            raise _wrong_number(array, position, name, wanted) from None
    return result


def _wrong_number(array: NDArray[Any], position: int, name: str, wanted: str) -> InputError:
    return InputError(f"{name}: {array[position]!s} at position {position} is not {wanted}; one is needed per point")


def read_sparse(matrix: Any, name: str, *, copy: bool = True) -> Any:
    """Return a sparse matrix of any format by rows; raise an error for one with indices outside of it.

    SciPy trusts the indices, and would read and write outside its memory. A copy cannot change during the call.
    """
    from scipy.sparse import coo_array, csr_array

    try:
        own = matrix.copy() if copy else matrix
        if own.format == "coo":  # a new one is checked
            own = coo_array((own.data, own.coords), shape=own.shape)
        elif hasattr(own, "check_format"):
            own.check_format(full_check=True)
    except ValueError as error:
        raise InputError(f"{name} is a damaged sparse matrix: {error}; make it anew from its numbers") from error
    return csr_array(own)
