"""Columns of numbers, named by patterns."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

import numpy as np

from clustermark.errors import InputError, Mention

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


def choose_columns(
    names: Sequence[str], wanted: str | Sequence[str] | None, others: Sequence[str], said: str
) -> list[str]:
    """The columns of these names, or that match patterns such as "x*"; those of others only by their very name."""
    patterns = ["*"] if wanted is None else [wanted] if isinstance(wanted, str) else list(wanted)
    chosen: list[str] = []
    for pattern in patterns:
        exact = [name for name in names if name == pattern]
        found = exact or [name for name in names if fnmatchcase(name, pattern) and name not in others]
        if not found:
            raise InputError(f"{said}: no column is called {pattern!r}; there are {', '.join(names)}")
        chosen += [name for name in found if name not in chosen]
    return chosen


def to_numbers(column: Any, name: str, said: str, holds: tuple[str, str]) -> NDArray[Any]:
    """A column as numbers; what is empty is NaN. holds: what these columns hold, and the option that names them."""
    if hasattr(column, "to_numpy"):
        column = column.to_numpy()
    array = np.asarray(column)
    if array.dtype.kind in "fiub":
        return array
    try:
        return np.array([np.nan if x is None or x == "" else float(x) for x in array.tolist()], np.float64)
    except (TypeError, ValueError):
        what, option = holds
        raise InputError(
            f"{said}: column {name!r} holds no numbers; name the columns of {what} by ", Mention(option)
        ) from None
