"""Points and labels that are columns of a file, a table or a data frame."""

from __future__ import annotations

from fnmatch import fnmatchcase
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

import numpy as np

from clustermark.errors import InputError, Mention
from clustermark.sources.tabular import is_tabular, open_columns

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray


HELD: Final = 1 << 27
"""Numbers of a file that are read at once, 1 GiB; more come in batches."""
_BATCH: Final = 1 << 23
"""Numbers of a batch."""


class Points(NamedTuple):
    """What a geometry is made of, in memory."""

    X: Any
    labels: Any
    weights: Any = None


Open: TypeAlias = "Callable[[], Iterator[tuple[Any, ...]]]"
"""Begins anew to read batches, as `Geometry.from_batches` takes them."""


def read_points(
    given: Points, features: str | Sequence[str] | None, batch: int | None, reading: Mapping[str, Any]
) -> Points | Open:
    """What was given; or, where labels= names a column, the columns of a source: all at once, or in batches."""
    X, labels, weights = given
    if batch is not None and (not isinstance(batch, int) or isinstance(batch, bool) or batch < 1):
        raise InputError(f"batch={batch!r} must be a whole number of points, 1 or more")
    if not isinstance(labels, str):
        for name, value in (("features", features), ("batch", batch), *reading.items()):
            if value is not None:
                raise InputError(Mention(name), " is for columns of a source, so ", Mention("labels"), " must name one")
        return given
    if not is_tabular(X):
        raise InputError(
            Mention("labels", labels), " names a column, and X has none; pass a file or a data frame, or the labels"
        )
    with open_columns(X, "points", reading) as table:
        names = list(table.kinds)
        extra = [weights] if isinstance(weights, str) else []
        for name, what in ((labels, "labels"), *((name, "weights") for name in extra)):
            if name not in names:
                raise InputError(f"{table.said}: there is no column {name!r} with {what}; there are {', '.join(names)}")
        wanted = _choose(names, [labels, *extra], features, table.said)
        make = partial(_make_points, wanted, weights, table.said)
        asked = [*wanted, labels, *extra]
        if table.store is None and batch is not None:
            raise InputError(f"batch={batch} is for files, which DuckDB reads; {table.said} is read at once")
        fits = batch is None and (table.count_rows is None or table.count_rows() * len(wanted) <= HELD)
        if table.store is None or fits:
            return make(table.read(asked))
        if weights is not None and not extra:
            raise InputError("weights: points that come in batches have their weights in a column; name it")
        stored, parts = table.store(asked), 2 + len(extra)
        rows = batch or max(_BATCH // len(wanted), 1)
        return lambda: (make(columns)[:parts] for columns in stored.read(rows))


def _make_points(wanted: Sequence[str], weights: Any, said: str, columns: Sequence[Any]) -> Points:
    numbers = [_numbers(column, name, said) for column, name in zip(columns, wanted, strict=False)]
    rest = list(columns[len(wanted) :])
    if len(rest) == 2:
        return Points(np.column_stack(numbers), rest[0], _numbers(rest[1], weights, said))
    return Points(np.column_stack(numbers), rest[0], weights)


def _choose(names: Sequence[str], others: Sequence[str], features: str | Sequence[str] | None, said: str) -> list[str]:
    patterns = ["*"] if features is None else [features] if isinstance(features, str) else list(features)
    chosen: list[str] = []
    for pattern in patterns:
        exact = [name for name in names if name == pattern]
        found = exact or [name for name in names if fnmatchcase(name, pattern) and name not in others]
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
