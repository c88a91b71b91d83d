"""Points and labels that are columns of a file, a table or a data frame."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

import numpy as np

from clustermark.errors import InputError, Mention, require_whole
from clustermark.sources.numbers import EXACT, choose_columns, refuse_inexact, to_numbers
from clustermark.sources.tabular import is_tabular, open_columns
from clustermark.subjects.geometry import Geometry

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence


_HOLDS: Final = ("features", "features")


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
    if batch is not None:
        require_whole("batch", batch, 1)
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
        wanted = choose_columns(names, features, [labels, *extra], table.said)
        decimals = {name for name in wanted if table.kinds[name] == "decimal"}
        make = partial(_make_points, wanted, weights, table.said, decimals)
        asked = [*wanted, labels, *extra]
        if table.store is None and batch is not None:
            raise InputError(
                Mention("batch", batch), f" is for files, which DuckDB reads; {table.said} is read at once"
            )
        count = table.count_rows
        if table.store is None or (batch is None and (count is None or count() * len(wanted) <= Geometry.limits.held)):
            return make(table.read(asked))
        if weights is not None and not extra:
            raise InputError("weights: points that come in batches have their weights in a column; name it")
        stored, parts = table.store(asked), 2 + len(extra)
        at_once = batch or max(Geometry.limits.batch // len(wanted), 1)
        return lambda: (make(columns, place * at_once)[:parts] for place, columns in enumerate(stored.read(at_once)))


def _make_points(
    wanted: Sequence[str], weights: Any, said: str, decimals: set[str], columns: Sequence[Any], first_row: int = 0
) -> Points:
    numbers = [to_numbers(column, name, said, _HOLDS) for column, name in zip(columns, wanted, strict=False)]
    rest = list(columns[len(wanted) :])
    if not len(numbers[0]):
        raise InputError(f"{said}: there are no rows; at least one point is needed")
    for name, column in zip(wanted, numbers, strict=True):
        if name in decimals:  # of which the engine made floats
            refuse_inexact(column, abs(column) > EXACT, f"{said}: column {name!r}")
        if column.dtype.kind == "f" and (missing := np.isnan(column)).any():
            raise InputError(
                f"{said}: column {name!r} has no number in row {first_row + int(missing.argmax())}; fill it in, or "
                "leave the row out"
            )
    if len(rest) == 2:
        return Points(np.column_stack(numbers), rest[0], to_numbers(rest[1], weights, said, _HOLDS))
    return Points(np.column_stack(numbers), rest[0], weights)
