"""Sources whose columns are in memory, joined by id: each id once, with its row in each source."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from clustermark._kernel import encode_integers
from clustermark.engines.pushdown.gather import lacking_numbers_error, unlike_numbers_error
from clustermark.errors import InputError, Mention
from clustermark.labels import Labeling, label_list, read_counts, read_labels, read_weights
from clustermark.labels.alignment import SHOWN, SomeIds, check_matches, take_places, unlike_ids_error
from clustermark.labels.frame_columns import list_values
from clustermark.labels.labeling import Names, merge_names, with_missing, with_values
from clustermark.labels.lists_and_arrays import read_objects
from clustermark.sources.columns import HasColumns, kind_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from clustermark.sources.columns import IdColumns

NUMBERS = {"counts": read_counts, "weights": read_weights}
_CLOCKS = {
    "zoned": r"timestamp\[.*tz=|datetime\(.*time_zone='|datetime64\[\w+, ",
    "local": r"timestamp|datetime",
    "date": r"date",
    "time of day": r"time(32|64)?(\[|$)",
    "duration": r"duration|timedelta",
}
"""Ids of two different kinds of time are never equal, whatever their numbers; types of pandas, Polars and Arrow."""


class RowsById(HasColumns, Protocol):
    """A source whose columns are in memory, all in the same order of rows."""

    def column(self, name: str) -> Any:
        """Return the column of this name."""
        ...


class Joined(NamedTuple):
    """Sources, all their ids in order of appearance, and the row of each id in each source."""

    sides: tuple[RowsById, ...]
    ids: Names
    places: tuple[NDArray[np.int64], ...]
    """The row of each id in each source; -1 where the source lacks the id."""
    few: str = ""
    """The warning that was issued, if few ids occur on both sides."""

    @property
    def n_only(self) -> tuple[int, int]:
        """Number of ids that only the first source has, and that only the second has."""
        return self.n_apart(1)

    def n_apart(self, other: int) -> tuple[int, int]:
        """Return the numbers of ids that the first source has and another lacks, and vice versa."""
        mine, theirs = self.places[0] >= 0, self.places[other] >= 0
        return int(np.count_nonzero(mine & ~theirs)), int(np.count_nonzero(theirs & ~mine))

    def join_numbers(self, what: str, column: str) -> NDArray[Any]:
        """Return the counts or weights of all ids from the sources that have the column; these must agree."""
        lacking = np.ones(len(self.ids), np.bool_)
        joined: NDArray[Any] = np.zeros(len(self.ids), np.int64 if what == "counts" else np.float64)
        asked = Mention(what, column)
        for side, places in zip(self.sides, self.places, strict=True):
            if column in side.kinds:
                numbers, here = read_numbers(side, what, column), places >= 0
                unlike = here & ~lacking
                unlike[unlike] = joined[unlike] != numbers[places[unlike]]
                if unlike.any():
                    raise unlike_numbers_error(asked, int(unlike.sum()), self.ids.to_list()[int(unlike.argmax())])
                joined[here] = numbers[places[here]]
                lacking &= ~here
        if lacking.any():
            raise lacking_numbers_error(asked, int(lacking.sum()), self.ids.to_list()[int(lacking.argmax())])
        return joined


def join(one: RowsById, two: RowsById, on: IdColumns, *, may_differ: bool = False) -> Joined:
    """Find the ids of both sources in each; `may_differ`: whether they may share few ids, or none."""
    mine, theirs = _read_both((one, two), on)
    joined = join_names((one, two), (mine, theirs))
    few, ids = "", joined.ids
    if not may_differ:
        matched = len(mine) + len(theirs) - len(ids)
        show = lambda: (_some_ids(one, [a for a, _ in on]), _some_ids(two, [b for _, b in on]))  # noqa: E731
        few = check_matches(matched, len(mine), len(theirs), show)
    return joined._replace(few=few)


def join_names(sides: Sequence[RowsById], names: Sequence[Names]) -> Joined:
    """Join sources by the ids of their rows."""
    ids = names[0]
    found: list[NDArray[np.int64]] = [np.arange(len(ids))]
    for theirs in names[1:]:
        ids, at = merge_names(ids, theirs)
        found.append(np.asarray(at, np.int64))
    places = [np.full(len(ids), -1) for _ in sides]
    for rows, where in zip(places, found, strict=True):
        rows[where] = np.arange(len(where))
    return Joined(tuple(sides), ids, tuple(places))


def check_alike(one: RowsById, two: RowsById, on: IdColumns) -> None:
    """Raise an error for columns of ids whose types are never equal: text and number, or date and moment."""
    _read_both((one, two), on)


def refuse_strangers(joined: Joined, other: int, on: IdColumns) -> None:
    """Raise an error if another source shares no id with the first."""
    one, two = joined.sides[0], joined.sides[other]
    mine, theirs = joined.places[0] >= 0, joined.places[other] >= 0
    if not (mine & theirs).any():
        show = lambda: (_some_ids(one, [a for a, _ in on]), _some_ids(two, [b for _, b in on]))  # noqa: E731
        check_matches(0, int(mine.sum()), int(theirs.sum()), show)


def _read_both(sides: tuple[RowsById, RowsById], on: IdColumns) -> tuple[Names, Names]:
    """Return the ids of both sides; raise an error for types that are never equal."""
    parts = []
    for names in on:
        columns = [side.column(name) for side, name in zip(sides, names, strict=True)]
        read = [read_ids(column, side.called, name) for column, side, name in zip(columns, sides, names, strict=True)]
        kinds, clocks = set(map(kind_of, read)), {_clock_of(_type_of(column)) for column in columns}
        unlike = (len(kinds) > 1 and kinds & {"text", "boolean"}) or len(clocks - {None}) > 1
        if unlike and all(map(len, read)):
            raise unlike_ids_error(*(_some_ids(side, [name]) for side, name in zip(sides, names, strict=True)))
        parts.append(read)
    one, two = map(_combine, sides, zip(*on, strict=True), zip(*parts, strict=True))
    return one, two


def read_own_ids(side: RowsById, names: Sequence[str]) -> Names:
    """Return the ids of one source; tuples if they have several columns."""
    return _combine(side, names, [read_ids(side.column(name), side.called, name) for name in names])


def _combine(side: RowsById, names: Sequence[str], parts: Sequence[Labeling]) -> Names:
    ids = parts[0]
    if len(parts) > 1:
        ids = read_objects(list(zip(*(label_list(one.values, one.codes) for one in parts), strict=True)), side.called)
    _refuse_repeated(side.called, ids, " and ".join(map(repr, names)))
    return Names(ids.values, ids.codes)


def read_ids(column: Any, called: str, name: str = "") -> Labeling:
    """Return ids as codes; every row needs one. Unlike labels, they need not be integers.

    called, name: the names of the source and of its column in messages.
    """
    may_be_floats = _type_of(column).lower().startswith(("float", "double", "halffloat", "category", "sparse"))
    array = np.asarray(column) if may_be_floats else None
    if array is not None and array.dtype.kind == "f":
        floats = array.astype(np.float64) + 0.0  # makes -0.0 the same bits as 0.0
        codes, first = encode_integers(floats.view(np.int64))
        ids = with_missing(Labeling(codes, floats[first]), np.isnan(floats))
    else:
        ids = read_labels(column, f"{called}: column {name!r}" if name else called)
    if ids.n_missing:
        raise InputError(
            f"{called}: {ids.n_missing:,} row(s) have no id{f' in column {name!r}' if name else ''}, the first at "
            f"position {ids.first_missing}; every row needs one"
        )
    return ids


def _refuse_repeated(called: str, ids: Labeling, on: str) -> None:
    first = encode_integers(ids.codes)[1]
    if len(first) < len(ids):
        repeats = np.ones(len(ids), np.bool_)
        repeats[first] = False
        place = int(repeats.argmax())
        shown = label_list(ids.values, ids.codes[[place]])[0]
        raise InputError(
            f"{called}: the ids in column {on} must be unique; {len(ids) - len(first):,} row(s) repeat one, such "
            f"as {shown!r} at position {place}; remove the duplicates"
        )


def _some_ids(side: RowsById, names: Sequence[str]) -> SomeIds:
    """Return a few ids of a source, for messages."""
    columns = [side.column(name)[:SHOWN] for name in names]
    lists = [list_values(column) for column in columns]
    types = [_type_of(column).replace("object", "") or type(some[0]).__name__
             for column, some in zip(columns, lists, strict=True)]  # fmt: skip
    ids = lists[0] if len(lists) == 1 else list(zip(*lists, strict=True))
    return SomeIds.of(names, side.called, ids, ", ".join(types))


def _type_of(column: Any) -> str:
    """Return the name of the type of a column; empty for a list."""
    return str(column.dtype if hasattr(column, "dtype") else getattr(column, "type", ""))


def _clock_of(kind: str) -> str | None:
    """Return the kind of time that a type represents, if any; None if it depends on the values."""
    kind = kind.lower()
    if not kind or kind.startswith(("object", "dictionary", "categor", "enum")):
        return None
    return next((clock for clock, pattern in _CLOCKS.items() if re.match(pattern, kind)), "")


def read_column_labels(side: RowsById, column: str) -> Labeling:
    """Return the labels in a column."""
    return read_labels(side.column(column), f"{side.called}: column {column!r}")


def labels_at(side: RowsById, column: str, places: NDArray[np.int64]) -> Labeling:
    """Return the labels in these rows of a column; missing at -1."""
    return take_places(with_values(read_column_labels(side, column)), places)


def read_numbers(side: RowsById, what: str, column: str) -> NDArray[Any]:
    """Return the counts or weights in a column."""
    numbers = side.column(column)
    return NUMBERS[what](numbers, len(numbers), f"{side.called}: {what}={column!r}")
