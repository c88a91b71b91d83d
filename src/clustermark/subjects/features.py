"""Points as rows of numbers: columns chosen by pattern, read without a copy if possible, checked, and prepared."""

from __future__ import annotations

from fnmatch import fnmatchcase
from math import inf
from numbers import Integral
from os import PathLike
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from clustermark.errors import InputError, Mention
from clustermark.labels.conversion import read_sparse

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray


EXACT: Final = 2.0**53
"""Maximum size up to which float64 represents every integer."""


def choose_columns(
    names: Sequence[str], wanted: str | Sequence[str] | None, others: Sequence[str], called: str
) -> list[str]:
    """Return the columns of these names, or matching patterns such as "x*"; those of `others` by exact name only."""
    patterns = ["*"] if wanted is None else [wanted] if isinstance(wanted, str) else wanted
    if (
        not isinstance(patterns, list | tuple)
        or not patterns
        or not all(isinstance(pattern, str) for pattern in patterns)
    ):
        raise InputError(
            f"{called}: {wanted!r} names no columns; pass a name, a pattern such as 'x*', or a list of them"
        )
    chosen: list[str] = []
    for pattern in patterns:
        exact = [name for name in names if name == pattern]
        found = exact or [name for name in names if fnmatchcase(name, pattern) and name not in others]
        if not found:
            raise InputError(f"{called}: no column is called {pattern!r}; there are {', '.join(names)}")
        chosen += [name for name in found if name not in chosen]
    return chosen


def to_numbers(column: Any, name: str, called: str, holds: tuple[str, str]) -> NDArray[Any]:
    """Return a column as numbers, with NaN for empty values; `holds`: the content of the columns, and their option."""
    if hasattr(column, "to_numpy"):
        column = column.to_numpy()
    array = np.asarray(column)
    if array.dtype.kind in "fiub":
        if array.dtype.kind in "iu" and array.dtype.itemsize == 8:
            refuse_inexact(array, _lose_digits(array, array.astype(np.float64)), f"{called}: column {name!r}")
        return array
    values = array.tolist()
    try:
        floats = np.array([np.nan if x is None or x == "" else float(x) for x in values], np.float64)
    except (TypeError, ValueError):
        what, option = holds
        wrong = next(value for value in values if not _is_number(value))
        raise InputError(
            f"{called}: column {name!r} contains {wrong!r}, which is no number; name the columns of {what} by ",
            Mention(option),
        ) from None
    beyond = abs(floats) >= EXACT
    beyond[beyond] = [_loses_digits(values[place]) for place in np.flatnonzero(beyond)]
    refuse_inexact(array, beyond, f"{called}: column {name!r}")
    return floats


def _is_number(value: Any) -> bool:
    """Return whether a value is a number or empty."""
    try:
        float(value or 0)
    except (TypeError, ValueError):
        return False
    return True


def _loses_digits(number: Any) -> bool:
    """Return whether a float rounds an integer; texts of fractions, or with an exponent, denote floats already."""
    if not isinstance(number, str):
        return bool(number != float(number))
    return number.strip().lstrip("+-").isdecimal() and int(number) != float(number)


def _lose_digits(numbers: NDArray[Any], floats: NDArray[Any]) -> NDArray[np.bool_]:
    """Mark the integers that a float rounds; 2^53 + 1 becomes 2^53, and 2^62 stays the same."""
    beyond = np.asarray(abs(floats) >= EXACT)
    if numbers.dtype.kind == "O":
        beyond[beyond] = [isinstance(x, Integral) and int(x) != int(float(x)) for x in numbers[beyond]]
        return beyond
    limits = np.iinfo(numbers.dtype)
    holds = (floats >= limits.min) & (floats < float(limits.max))  # the largest integer is rounded up
    return np.asarray(beyond & ~(holds & (np.where(holds, floats, 0.0).astype(numbers.dtype) == numbers)))


def refuse_inexact(numbers: NDArray[Any], beyond: NDArray[np.bool_], name: str) -> None:
    """Raise an error for integers so large that two of them could become the same float."""
    if beyond.any():
        place = tuple(np.argwhere(beyond)[0].tolist())
        raise InputError(
            f"{name}[{', '.join(map(str, place))}] is {numbers[place]}, which float64 cannot hold exactly; subtract a "
            "constant"
        )


METRICS: Final = ("euclidean", "sqeuclidean", "manhattan", "cosine", "correlation", "precomputed")
LARGEST: Final = 1e150
"""Squares of differences of numbers up to this size are finite."""
_SMALLEST: Final = 1e-140
"""Squares of differences of numbers below this size lose their digits."""
DENSE: Final = 2**28
"""Most numbers of a sparse matrix that are made dense at once: 2 GiB."""


def read_features(X: Any, name: str = "X") -> NDArray[Any]:
    """Return rows of float32 or float64, without a copy if the caller passes such an array."""
    if isinstance(X, str | PathLike):
        raise InputError(
            f"{name} is a {type(X).__name__}; pass a row of numbers for each point. Of a file, evaluate_internal reads "
            "columns if ",
            Mention("labels"),
            " names one",
        )
    array = _as_array(X, name)
    if array.ndim != 2:
        hint = f"; for one feature pass {name}.reshape(-1, 1)" if array.ndim == 1 else ""
        raise InputError(f"{name} has {array.ndim} dimension(s); pass two, a row for each point{hint}")
    if not array.shape[0]:
        raise InputError(f"{name} has no rows; pass at least one point")
    if not array.shape[1]:
        raise InputError(f"{name} has no columns; pass at least one feature")
    return _check_finite(_as_floats(array, name), name)


def _as_array(X: Any, name: str) -> NDArray[Any]:
    if is_sparse(X):
        return _make_dense(X, name)
    _refuse_masked(X, name)
    try:
        array = np.asarray(X.to_numpy() if hasattr(X, "to_numpy") else X)
    except ValueError as error:
        raise InputError(f"{name} has rows of different lengths; pass one number for each point and feature") from error
    if array.ndim != 2 or array.dtype != np.float64 or isinstance(X, np.ndarray):
        return array
    if array.size and max(-array.min(), array.max()) >= EXACT:
        # these may be integers that NumPy converted to floats because other columns are floats
        if isinstance(X, list | tuple):
            return np.array(X, dtype=object)
        kinds = X.dtypes if hasattr(X, "dtypes") else X.schema.types if hasattr(X, "schema") else ()
        for place, kind in enumerate(kinds):
            if str(kind).lower().lstrip("u").startswith("int"):
                to_numbers(_column_of(X, place), list(_names_of(X))[place], name, ("features", "features"))
    return array


def _names_of(X: Any) -> Any:
    return X.column_names if hasattr(X, "column_names") else X.columns


def _column_of(X: Any, place: int) -> Any:
    """Return a column of a frame of pandas, Polars or Arrow."""
    return X.iloc[:, place] if hasattr(X, "iloc") else X.column(place) if hasattr(X, "column") else X[:, place]


def _refuse_masked(X: object, name: str) -> None:
    """Refuse masked values, because NumPy would ignore the mask."""
    if isinstance(X, np.ma.MaskedArray) and (masked := np.argwhere(np.ma.getmaskarray(X))).size:
        place = ", ".join(map(str, masked[0]))
        raise InputError(f"{name}[{place}] is masked, so that it is missing; fill it in, or leave its point out")


def is_sparse(X: Any) -> bool:
    """Return whether X is a sparse matrix of SciPy."""
    return hasattr(X, "toarray") and hasattr(X, "nnz")


def _make_dense(X: Any, name: str) -> NDArray[Any]:
    if len(X.shape) == 2 and X.shape[0] * X.shape[1] > DENSE:
        n, p = X.shape
        raise InputError(
            f"{name} is sparse and has {n:,} × {p:,} numbers; more than {DENSE:,} are not made dense at once: reduce "
            "its features first, for example by a truncated SVD; evaluate_internal scores what needs centers alone"
        )
    return np.asarray(read_sparse(X, name).toarray())


def _as_floats(array: NDArray[Any], name: str) -> NDArray[Any]:
    if array.dtype in (np.float32, np.float64) and array.dtype.isnative:
        return array
    if array.dtype.kind not in "biufO":
        raise InputError(f"{name} has dtype {array.dtype}; pass numbers, one for each point and feature")
    if array.dtype.kind == "O":
        _refuse_texts(array, name)
    try:
        floats = array.astype(np.float32 if array.dtype == np.float16 else np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise InputError(f"{name} holds something that is no number: {error}") from error
    if array.dtype.kind in "iuO" and array.dtype.itemsize == 8:
        refuse_inexact(array, _lose_digits(array, floats), name)
    return floats


def _refuse_texts(array: NDArray[Any], name: str) -> None:
    """Refuse texts, because those that look like numbers may be names: "1e5", "0x10", " 7"."""
    for place, number in np.ndenumerate(array):
        if isinstance(number, str | bytes):
            raise InputError(f"{name}{[*place]} is {number!r}, a text; pass numbers, one for each point and feature")


def _check_finite(array: NDArray[Any], name: str) -> NDArray[Any]:
    low, high = float(array.min()), float(array.max())
    if 0 < max(-low, high) < _SMALLEST:
        raise InputError(
            f"{name}: all numbers are smaller than {_SMALLEST:g}, too small to be squared; multiply {name} by "
            "a constant"
        )
    if np.isfinite(low) and np.isfinite(high) and low >= -LARGEST and high <= LARGEST:
        return array
    wrong = ~np.isfinite(array)
    if array.dtype == np.float64:
        wrong |= abs(array) > LARGEST
    row, column = np.argwhere(wrong)[0]
    what = "which is missing" if np.isnan(array[row, column]) else f"which is beyond ±{LARGEST:g}"
    raise InputError(
        f"{name}[{row}, {column}] is {array[row, column]}, {what} ({int(wrong.sum()):,} such number(s)); "
        "fill it in, or leave its point out"
    )


def read_metric(metric: object) -> str:
    """Return the name of a metric; "callable" for a function."""
    if callable(metric):
        return "callable"
    known = {"cityblock": "manhattan", "l1": "manhattan", "l2": "euclidean"}
    name = known.get(metric, metric) if isinstance(metric, str) else metric
    if not isinstance(name, str) or name not in METRICS:
        choices = ", ".join(map(repr, METRICS))
        raise InputError(Mention("metric", metric), f" is not known; choose {choices}, or pass a function of two rows")
    return name


def to_directions(X: NDArray[Any], metric: str, name: str = "X") -> NDArray[np.float64]:
    """Return rows of length √½ whose squared Euclidean distance is the cosine (or correlation) distance."""
    rows = X.astype(np.float64, order="C")  # NumPy adds up in the order of memory
    if metric == "correlation":
        rows = rows - rows[:, :1]  # first, so that numbers far from 0 do not lose digits
        rows = rows - rows.mean(axis=1, keepdims=True)
    largest = abs(rows).max(axis=1, keepdims=True)
    if not largest.all():
        row = int((largest[:, 0] == 0).argmax())
        what = "constant" if metric == "correlation" else "zero"
        raise InputError(f"{name}[{row}] is {what}, so that it has no {metric} distance; leave its point out")
    rows /= largest
    rows *= np.sqrt(0.5) / np.sqrt((rows * rows).sum(axis=1, keepdims=True))
    return rows


def ask_distances(X: NDArray[Any], metric: Callable[[Any, Any], float], most: int) -> NDArray[np.float64]:
    """Return the distances that a function computes, called once for each pair; X has at most `most` points."""
    n = len(X)
    if n > most:
        raise InputError(f"metric: a function is called for at most {most:,} points, and X has {n:,}; take a sample")
    distances = np.zeros((n, n))
    for i in range(n):
        for j in range(i):
            distances[i, j] = distances[j, i] = _ask_distance(metric, X[i], X[j], f"the points {i} and {j}")
    return read_distances(distances, "metric")


def _ask_distance(metric: Callable[[Any, Any], float], one: Any, other: Any, called: str) -> float:
    try:
        distance = metric(one, other)
    except ZeroDivisionError as error:  # otherwise the index would count as undefined
        raise InputError(f"metric: the function divides by 0 for {called}; return their distance") from error
    try:
        return float(distance)
    except OverflowError:  # an integer that no double holds
        return inf
    except (TypeError, ValueError) as error:
        raise InputError(f"metric: the function returns {distance!r} for {called}, which is no number") from error


def read_distances(D: Any, name: str = "D") -> NDArray[Any]:
    """Return a square matrix of distances, checked to be finite, not negative, symmetric, and 0 on its diagonal."""
    array = read_features(D, name)
    n, columns = array.shape
    if n != columns:
        raise InputError(f"{name} has {n:,} rows and {columns:,} columns; pass the distance of each point to each")
    if array.min() < 0:
        row, column = np.unravel_index(int(array.argmin()), array.shape)
        raise InputError(f"{name}[{row}, {column}] is {array[row, column]}, and a distance is not negative")
    tolerance = 1e-6 if array.dtype == np.float32 else 1e-9
    tolerance *= float(array.max())
    if (diagonal := array.diagonal()).max() > tolerance:
        place = int(diagonal.argmax())
        raise InputError(f"{name}[{place}, {place}] is {diagonal[place]}; the distance of a point to itself must be 0")
    for start in range(0, n, 1024):
        apart = abs(array[start : start + 1024] - array[:, start : start + 1024].T) > tolerance
        if apart.any():
            row, column = np.argwhere(apart)[0]
            row += start
            raise InputError(
                f"{name}[{row}, {column}] is {array[row, column]} and {name}[{column}, {row}] is "
                f"{array[column, row]}; distances must be the same in both directions"
            )
    return array
