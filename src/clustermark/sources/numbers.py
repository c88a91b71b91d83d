"""Columns of numbers, selected by patterns."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from clustermark.errors import InputError, Mention

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


EXACT: Final = 2.0**53
"""Maximum size up to which float64 represents every integer."""


def choose_columns(
    names: Sequence[str], wanted: str | Sequence[str] | None, others: Sequence[str], said: str
) -> list[str]:
    """Return the columns of these names, or matching patterns such as "x*"; those of `others` by exact name only."""
    patterns = ["*"] if wanted is None else [wanted] if isinstance(wanted, str) else wanted
    if (
        not isinstance(patterns, list | tuple)
        or not patterns
        or not all(isinstance(pattern, str) for pattern in patterns)
    ):
        raise InputError(f"{said}: {wanted!r} names no columns; pass a name, a pattern such as 'x*', or a list of them")
    chosen: list[str] = []
    for pattern in patterns:
        exact = [name for name in names if name == pattern]
        found = exact or [name for name in names if fnmatchcase(name, pattern) and name not in others]
        if not found:
            raise InputError(f"{said}: no column is called {pattern!r}; there are {', '.join(names)}")
        chosen += [name for name in found if name not in chosen]
    return chosen


def to_numbers(column: Any, name: str, said: str, holds: tuple[str, str]) -> NDArray[Any]:
    """Return a column as numbers, with NaN for empty values; `holds`: the content of the columns, and their option."""
    if hasattr(column, "to_numpy"):
        column = column.to_numpy()
    array = np.asarray(column)
    if array.dtype.kind in "fiub":
        if array.dtype.kind in "iu" and array.dtype.itemsize == 8:
            refuse_inexact(array, abs(array.astype(np.float64)) > EXACT, f"{said}: column {name!r}")
        return array
    values = array.tolist()
    try:
        floats = np.array([np.nan if x is None or x == "" else float(x) for x in values], np.float64)
    except (TypeError, ValueError):
        what, option = holds
        raise InputError(
            f"{said}: column {name!r} holds no numbers; name the columns of {what} by ", Mention(option)
        ) from None
    beyond = abs(floats) > EXACT
    beyond[beyond] = [_loses_digits(values[place]) for place in np.flatnonzero(beyond)]
    refuse_inexact(array, beyond, f"{said}: column {name!r}")
    return floats


def _loses_digits(number: Any) -> bool:
    """Return whether a float rounds an integer; texts of fractions, or with an exponent, denote floats already."""
    if not isinstance(number, str):
        return bool(number != float(number))
    return number.strip().lstrip("+-").isdecimal() and int(number) != float(number)


def refuse_inexact(numbers: NDArray[Any], beyond: NDArray[np.bool_], name: str) -> None:
    """Raise an error for integers so large that two of them could become the same float."""
    if beyond.any():
        place = tuple(np.argwhere(beyond)[0].tolist())
        raise InputError(
            f"{name}[{', '.join(map(str, place))}] is {numbers[place]}, which float64 cannot hold exactly; subtract a "
            "constant"
        )
