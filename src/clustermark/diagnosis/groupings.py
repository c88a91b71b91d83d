"""Groups of points: by columns of their records, or given point by point for intervals over groups."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clustermark import _kernel
from clustermark.diagnosis.scored_points import ScoredLabels, place_points
from clustermark.errors import InputError, Mention, UnsupportedTableError
from clustermark.labels import read_labels
from clustermark.labels.frame_columns import list_values
from clustermark.labels.labeling import Names
from clustermark.labels.lists_and_arrays import is_missing
from clustermark.sources.contingencies import labels_of
from clustermark.uncertainty.interval import CrossedPoints, GroupedPoints, are_crossed
from clustermark.uncertainty.points import IN_ENGINE

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from numpy.typing import NDArray

    from clustermark.diagnosis.record_columns import Sources
    from clustermark.diagnosis.scored_points import ScoredData
    from clustermark.labels import Labeling
    from clustermark.tables.contingency import Contingency


_MOST = 10_000
"""Most groups that are made."""
_FEW = 12
"""A column with at most this many different numbers is not divided into bins."""
BINS = 5


class GroupColumn(NamedTuple):
    """The value of each point in one column."""

    name: str
    codes: NDArray[np.int64]
    """The place of each point's value among `values`, which are sorted if they can be; None comes last."""
    values: list[Any]
    binned: bool = False
    """Whether values are ranges of numbers, in ascending order."""

    @property
    def note(self) -> str:
        """A note on the bins of numbers."""
        return f"{self.name} in {len(self.values) - (None in self.values)} bins of about equally many points"


class Grouping(NamedTuple):
    """The group of each point."""

    by: tuple[str, ...]
    codes: NDArray[np.int64]
    groups: list[Any]
    """Values of the one column, or tuples of values."""
    ascends: bool
    """Whether the groups have a natural order."""
    notes: tuple[str, ...]


def read_column(name: str, column: Any, times: NDArray[np.int64], bins: int) -> GroupColumn:
    """Read a column of records; a column with many different numbers is divided into bins.

    times: number of points of each row.

    >>> years = read_column("year", [*range(1990, 2010), None], np.ones(21, np.int64), 2)
    >>> years.values
    ['1990 to 1999', '2000 to 2009', None]
    """
    numbers = _read_numbers(column)
    if numbers is not None and bins and len(np.unique(numbers[~np.isnan(numbers)])) > _FEW:
        return _bin(name, numbers, times, bins)
    labels = _read_values(name, column, numbers)
    codes = labels.codes.astype(np.int64)
    codes = np.where(codes < 0, -1, codes) if labels.values is not None else codes
    places, first = _kernel.encode_integers(codes)
    names = Names(labels.values, codes[first])
    order = names.sorted_order()
    ranks = np.empty(len(order), np.int64)
    ranks[order] = np.arange(len(order))
    return GroupColumn(name, ranks[places], names.take(order).to_list())


def read_values(name: str, column: Any) -> Labeling:
    """Read the values of a column as labels, without bins."""
    return _read_values(name, column, _read_numbers(column))


def _read_values(name: str, column: Any, numbers: NDArray[np.float64] | None) -> Labeling:
    return read_labels(_without_fractions(column, numbers), f"records: column {name!r}")


def check_bins(bins: object) -> int:
    """Check the number of bins."""
    if not isinstance(bins, int) or isinstance(bins, bool) or not (bins == 0 or 2 <= bins <= 1000):
        raise InputError(Mention("bins", bins), " must be a number of bins, from 2 to 1000, or 0 for none")
    return bins


def _read_numbers(column: Any) -> NDArray[np.float64] | None:
    """Return a column as numbers, NaN for missing values; None if it contains anything else.

    A text counts as a number if it is written like one: "007" is a name.
    """
    given: Any = column
    array = column if isinstance(column, np.ndarray) else None
    if array is None and str(getattr(given, "dtype", "")).lower().startswith(("int", "uint", "float")):
        library = type(given).__module__.partition(".")[0]
        array = given.to_numpy(**({"na_value": np.nan} if library == "pandas" else {}))
    if array is not None and array.dtype.kind in "iuf":
        return np.asarray(array, np.float64)
    return _parse(list_values(column))


def _parse(values: list[Any]) -> NDArray[np.float64] | None:
    known: dict[Any, float | None] = {}
    numbers = np.full(len(values), np.nan)
    for place, value in enumerate(values):
        if is_missing(value):
            continue
        try:
            number = known[type(value), value] if (type(value), value) in known else _number(value)
            known[type(value), value] = number
        except TypeError:  # a value without a hash is no number either
            return None
        if number is None:
            return None
        numbers[place] = number
    return numbers


def _number(value: Any) -> float | None:
    """Return a number, or the number that a text contains; None for anything else.

    >>> [_number(value) for value in (3, "2.5", "-1e3", "007", "0.5", "1_000", " 1", "inf", True)]
    [3.0, 2.5, -1000.0, None, 0.5, None, None, None, None]
    """
    from decimal import Decimal

    if isinstance(value, bool | np.bool_):
        return None
    if isinstance(value, str):
        digits = value.removeprefix("-")
        if not digits[:1].isdigit() or not digits.isascii() or "_" in digits or digits != digits.strip():
            return None
        if digits[0] == "0" and digits[1:2].isdigit():
            return None
    elif not isinstance(value, int | float | np.integer | np.floating | Decimal):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if isfinite(number) else None


def _without_fractions(column: Any, numbers: NDArray[np.float64] | None) -> Any:
    """Convert numbers that cannot be labels, because they are not whole, to texts; return other columns unchanged."""
    if numbers is None or (numbers[~np.isnan(numbers)] % 1 == 0).all():
        return column
    return [None if number != number else _number_text(number) for number in numbers.tolist()]


def _number_text(number: float) -> str:
    return str(int(number)) if number.is_integer() and abs(number) < 1e15 else repr(number)


def _bin(name: str, numbers: NDArray[np.float64], times: NDArray[np.int64], bins: int) -> GroupColumn:
    """Return bins of about equally many points, each named by its smallest and its largest number."""
    known = ~np.isnan(numbers)
    values, places = np.unique(numbers[known] + 0.0, return_inverse=True)
    counts = np.bincount(places, times[known].astype(np.float64), len(values))
    middles = (np.cumsum(counts) - counts / 2) / max(counts.sum(), 1.0)
    of_value = np.unique(np.minimum((middles * bins).astype(np.int64), bins - 1), return_inverse=True)[1]
    ends = np.append(np.flatnonzero(np.diff(of_value)), len(values) - 1)
    starts = np.append(0, ends[:-1] + 1)
    names: list[Any] = [
        _number_text(low) if low == high else f"{_number_text(low)} to {_number_text(high)}"
        for low, high in zip(values[starts].tolist(), values[ends].tolist(), strict=True)
    ]
    codes = np.full(len(numbers), len(names))
    codes[known] = of_value[places]
    return GroupColumn(name, codes, names if known.all() else [*names, None], binned=True)


def group_by(columns: Sequence[GroupColumn]) -> Grouping:
    """Return the groups of points by one or several columns; only those that occur, ordered by their values."""
    codes = columns[0].codes
    for column in columns[1:]:
        codes = np.unique(codes, return_inverse=True)[1] * len(column.values) + column.codes
    found, first, places = np.unique(codes, return_index=True, return_inverse=True)
    if len(found) > _MOST:
        raise InputError(
            f"by: there are {len(found):,} groups, at most {_MOST:,} are measured; choose something coarser, or "
            "fewer columns"
        )
    values = [[column.values[code] for code in column.codes[first].tolist()] for column in columns]
    groups = values[0] if len(columns) == 1 else list(zip(*values, strict=True))
    by = tuple(column.name for column in columns)
    notes = tuple(column.note for column in columns if column.binned)
    return Grouping(by, places.astype(np.int64), groups, len(columns) == 1 and columns[0].binned, notes)


def _group_points(table: Contingency, given: ScoredLabels, groups: Any) -> GroupedPoints:
    """Return the points of a table with their groups, given as a list in the order of points or a mapping from id."""
    ids = None
    if isinstance(given.y_true, Mapping):
        ids = [*given.y_true, *(item for item in given.y_pred if item not in given.y_true)]
    placed = place_points(table, given)
    n_given = len(read_labels(given.y_true, "y_true")) if ids is None else len(ids)
    codes = read_unit(groups, ids, n_given).codes[placed.kept]
    return GroupedPoints(placed.true, placed.pred, codes.astype("int64"), placed.times)


def read_unit(groups: Any, ids: Collection[Any] | None, n: int) -> Labeling:
    """Return the group of each of n points, from a mapping from id if they have ids."""
    if ids is not None:
        if not isinstance(groups, Mapping):
            raise InputError("unit: the labels are mappings from id to label, so pass the groups as a mapping from id")
        lacking = [item for item in ids if item not in groups]
        if lacking:
            raise InputError(f"unit: there is no group for {len(lacking)} id(s), the first is {lacking[0]!r}")
        groups = [groups[item] for item in ids]
    labels = read_labels(groups, "unit")
    if len(labels) != n:
        raise InputError(f"unit: there are {len(labels)} groups for {n} points; pass the group of each point")
    if labels.n_missing:
        raise InputError(f"unit: {labels.n_missing} point(s) have no group; give each point one")
    return labels


def read_groups(origin: ScoredData, unit: Any) -> GroupedPoints | CrossedPoints:
    """Return the points with their groups, or with two groups each.

    Groups are given by point, as a mapping from id, or as the name of a column.
    """
    if not are_crossed(unit):
        return _read_groupings(origin, [unit])[0]
    first, second = _read_groupings(origin, list(unit))
    return CrossedPoints(first, second, (unit[0], unit[1]) if isinstance(unit[0], str) else None)


def _read_groupings(origin: ScoredData, units: Sequence[Any]) -> list[GroupedPoints]:
    """Return the same points with their groups of each kind."""
    if not origin.table.in_memory:
        raise UnsupportedTableError(f"groups of points: an interval over them {IN_ENGINE}")
    columns = [one for one in units if isinstance(one, str)]
    if 0 < len(columns) < len(units):
        raise InputError("unit: give both groupings as names of columns, or both as the group of each point")
    if not columns:
        if origin.given is None:
            raise InputError("unit: groups of points need the points; use evaluate(y_true, y_pred)")
        given = origin.read_labels()
        return [_group_points(origin.table, given, one) for one in units]
    if origin.sources is None:
        raise InputError(
            Mention("unit", columns[0]), " is unknown; choose 'point' or 'component', or pass the group of each point"
        )
    try:
        given, groups = _labels_beside(origin.sources, columns)
    except InputError as error:  # its message calls the column one of labels
        parts = (Mention("unit", *one.values) if isinstance(one, Mention) and one.name == "true" else one
                for one in error.args)  # fmt: skip
        raise InputError(*parts) from error
    given = origin.refuse_others(given)
    return [_group_points(origin.table, given, one) for one in groups]


def _labels_beside(sources: Sources, columns: Sequence[str]) -> tuple[ScoredLabels, list[Any]]:
    """Return the labels of sources and other columns: groups by point, or by id for two sources."""
    source, other = sources.source, sources.other
    named: Any = sources.named
    if other is not None:
        groups = [labels_of(source, other, **(named | {"true": column}))["true"] for column in columns]
        return ScoredLabels.of(labels_of(source, other, **named)), groups
    from clustermark.sources.several import read_several_columns

    chosen = [named.pop("true"), named.pop("pred")]
    named.pop("on", None)
    read = read_several_columns(source, None, chosen, named, columns)
    true, pred = (read.labels[name] for name in chosen)
    return ScoredLabels(true, pred, read.counts, read.weights), [read.labels[column] for column in columns]
