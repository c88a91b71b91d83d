"""Groups of points by columns of their records: values as they are, numbers in bins, several columns together."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clustermark import _kernel
from clustermark.errors import InputError, Mention
from clustermark.labels import read_labels
from clustermark.labels.dataframes import list_values
from clustermark.labels.names import Names
from clustermark.labels.python_objects import is_missing

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from clustermark.labels import Labeling

_MOST = 10_000
"""So many groups are made at most."""
_FEW = 12
"""Numbers of a column with at most so many different ones are groups as they are."""
BINS = 5


class GroupColumn(NamedTuple):
    """The value of each point in one column."""

    name: str
    codes: NDArray[np.int64]
    """The place of each point's value among `values`, in sorted order where they sort; None comes last."""
    values: list[Any]
    binned: bool = False
    """Whether values are ranges of numbers, which ascend."""

    @property
    def note(self) -> str:
        """How numbers were binned."""
        return f"{self.name} in {len(self.values) - (None in self.values)} bins of about as many points each"


class Grouping(NamedTuple):
    """The group of each point."""

    by: tuple[str, ...]
    codes: NDArray[np.int64]
    groups: list[Any]
    """Values of the one column, or tuples of values."""
    ascends: bool
    """Whether the groups have an order of their own."""
    notes: tuple[str, ...]


def read_column(name: str, column: Any, times: NDArray[np.int64], bins: int) -> GroupColumn:
    """A column of records; numbers with more than a few different values come in bins.

    times: how many points each row stands for.

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
    """The values of a column as labels, each as it is."""
    return _read_values(name, column, _read_numbers(column))


def _read_values(name: str, column: Any, numbers: NDArray[np.float64] | None) -> Labeling:
    return read_labels(_without_fractions(column, numbers), f"records: column {name!r}")


def check_bins(bins: object) -> int:
    """How many bins numbers come in."""
    if not isinstance(bins, int) or isinstance(bins, bool) or not (bins == 0 or 2 <= bins <= 1000):
        raise InputError(Mention("bins", bins), " must be a number of bins, from 2 to 1000, or 0 for none")
    return bins


def _read_numbers(column: Any) -> NDArray[np.float64] | None:
    """A column as numbers, NaN where it has no value; None if it holds anything else.

    A text is a number where it is written as one: not "007", which is a name.
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
        except TypeError:  # what has no hash is no number either
            return None
        if number is None:
            return None
        numbers[place] = number
    return numbers


def _number(value: Any) -> float | None:
    """A number, or the number that a text writes; None for anything else.

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
    """Numbers that are no labels, because they are not whole, as texts; any other column as it is."""
    if numbers is None or (numbers[~np.isnan(numbers)] % 1 == 0).all():
        return column
    return [None if number != number else _number_text(number) for number in numbers.tolist()]


def _number_text(number: float) -> str:
    return str(int(number)) if number.is_integer() and abs(number) < 1e15 else repr(number)


def _bin(name: str, numbers: NDArray[np.float64], times: NDArray[np.int64], bins: int) -> GroupColumn:
    """Bins of about as many points, each named by its smallest and its largest number."""
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
    """The groups of points by one column, or by several together; those that occur, in order of their values."""
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
