"""Columns of numbers, named by patterns."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

import numpy as np

from clustermark.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


def choose_columns(names: Sequence[str], patterns: Sequence[str], others: Sequence[str], said: str) -> list[str]:
    """The columns of these names, or that match patterns such as "x*"; those of others only by their very name."""
    chosen: list[str] = []
    for pattern in patterns:
        exact = [name for name in names if name == pattern]
        found = exact or [name for name in names if fnmatchcase(name, pattern) and name not in others]
        if not found:
            raise InputError(f"{said}: no column is called {pattern!r}; there are {', '.join(names)}")
        chosen += [name for name in found if name not in chosen]
    return chosen


def to_numbers(column: Any, name: str, said: str, way_out: str) -> NDArray[Any]:
    """A column as numbers; what is empty is NaN. way_out: what to do if it holds none."""
    if hasattr(column, "to_numpy"):
        column = column.to_numpy()
    array = np.asarray(column)
    if array.dtype.kind in "fiub":
        return array
    try:
        return np.array([np.nan if x is None or x == "" else float(x) for x in array.tolist()], np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{said}: column {name!r} holds no numbers; {way_out}") from None
