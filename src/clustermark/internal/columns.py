"""Points and labels that are columns of a file, a table or a data frame."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

import numpy as np

from clustermark.errors import InputError, Mention
from clustermark.sources.tabular import is_tabular, open_columns

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray


def read_points(
    X: Any, labels: Any, features: str | Sequence[str] | None, reading: Mapping[str, Any]
) -> tuple[Any, Any]:
    """X and labels as they are; or, where the labels are named by their column, the columns of a source."""
    if not isinstance(labels, str):
        if features is not None:
            raise InputError(
                Mention("features"), " names columns of a source, so ", Mention("labels"), " must name one too"
            )
        return X, labels
    if not is_tabular(X):
        raise InputError(
            Mention("labels", labels), " names a column, and X has none; pass a file or a data frame, or the labels"
        )
    with open_columns(X, "points", reading) as table:
        names = list(table.kinds)
        if labels not in names:
            raise InputError(f"{table.said}: there is no column {labels!r} with labels; there are {', '.join(names)}")
        wanted = _choose(names, labels, features, table.said)
        *columns, found = table.read([*wanted, labels])
        return np.column_stack([_numbers(c, n, table.said) for c, n in zip(columns, wanted, strict=True)]), found


def _choose(names: Sequence[str], labels: str, features: str | Sequence[str] | None, said: str) -> list[str]:
    patterns = ["*"] if features is None else [features] if isinstance(features, str) else list(features)
    chosen: list[str] = []
    for pattern in patterns:
        exact = [name for name in names if name == pattern]
        found = exact or [name for name in names if fnmatchcase(name, pattern) and name != labels]
        if not found:
            raise InputError(f"{said}: no column is called {pattern!r}; there are {', '.join(names)}")
        chosen += [name for name in found if name not in chosen]
    return chosen


def _numbers(column: Any, name: str, said: str) -> NDArray[Any]:
    if hasattr(column, "to_numpy"):
        column = column.to_numpy()
    array = np.asarray(column)
    if array.dtype.kind in "fiub":
        return array
    try:
        return np.array([np.nan if x is None or x == "" else float(x) for x in array.tolist()], np.float64)
    except (TypeError, ValueError):
        raise InputError(
            f"{said}: column {name!r} holds no numbers; name the columns of features by ", Mention("features")
        ) from None
