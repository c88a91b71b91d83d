"""Numbers given per point: how often it occurs, how much it weighs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from clustermark.errors import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

_LARGEST = 2**63 - 1


def read_counts(counts: object, n: int, name: str = "counts") -> NDArray[np.int64]:
    """Read how many times each of `n` points occurs: whole numbers >= 0, integral floats included.

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
    # a double sees any sum that is far from the limit; only near it is the exact sum worth its time
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
    if array.ndim != 1:
        raise InputError(f"{name} has {array.ndim} dimensions; pass a list or array of one number per point")
    if len(array) != n:
        raise InputError(f"{name} has {len(array)} numbers for {n} points; pass one number per point")
    if array.dtype.kind not in "biufO":
        raise InputError(f"{name} has dtype {array.dtype}; pass numbers, one per point")
    return array


def _exact(numbers: Any) -> Any:
    """Keep the numbers of a list as they are: NumPy would round large integers among floats."""
    if not isinstance(numbers, list | tuple):
        return numbers
    kinds = {type(number) for number in numbers}
    try:
        if kinds in ({int}, {float}):
            return np.array(numbers, dtype=np.int64 if kinds == {int} else np.float64)
    except OverflowError:
        pass  # an integer beyond 64 bits, to be named by its position
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
