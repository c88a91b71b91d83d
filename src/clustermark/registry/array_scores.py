"""Scores of many tables at once, from the arrays of a statistic.

An index is computed by its function if that is plain arithmetic, otherwise by its formula, which takes arrays, or table
by table if neither gives the right scores. `ways_of` decides, and `score_arrays` adds the rule for 0/0.
"""

from __future__ import annotations

from contextlib import suppress
from functools import cache, partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clustermark.errors import UnsupportedTableError
from clustermark.registry.formulas import compute, is_formula_of, names_in
from clustermark.statistics.arrays import arrays_of
from clustermark.statistics.units import NoClosedFormError
from clustermark.subjects.subject import PARTITIONS

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Set

    from numpy.typing import NDArray

    from clustermark.registry.definition import Index
    from clustermark.registry.facts import Use
    from clustermark.statistics.arrays import ArrayStatistic
    from clustermark.statistics.units import Units
    from clustermark.tables.contingency import Contingency

AT_ONCE = 1 << 14
"""Number of tables scored at a time, so that their arrays stay in the processor's cache."""


class ArrayScores:
    """The scores of indices on the tables of some units; a sum that several indices need is computed once."""

    def __init__(self, units: Units) -> None:
        self.units = units
        self._statistics: dict[type[ArrayStatistic], ArrayStatistic] = {}

    def statistic(self, index: Index[...]) -> ArrayStatistic:
        """Return the statistic of an index as arrays."""
        kind = arrays_of(use_of(index).statistic)
        if kind not in self._statistics:
            self._statistics[kind] = kind(self.units)
        return self._statistics[kind]

    def of(self, index: Index[...], identical: NDArray[np.bool_] | None = None) -> NDArray[np.float64]:
        """Return the scores of an index, one for each class of units; `identical` as in `Index.score_arrays`."""
        scores = score_arrays(index, self.statistic(index), identical)
        return _fill(scores, (len(self.units.multiplicity),))


def use_of(index: Index[...]) -> Use:
    """Return the computation of an index from partitions."""
    for use in index.uses:
        if use.comparison is PARTITIONS:
            return use
    raise UnsupportedTableError(f"{index.name} does not compare partitions; it takes {index.comparison.words}")


def options_of(index: Index[...], use: Use) -> dict[str, Any]:
    """Return the value of every option of an index."""
    return (use.function.__kwdefaults__ or {}) | index.options


class Way(NamedTuple):
    """A way to compute an index on arrays, and the fields of the statistic that it reads."""

    compute: Callable[[Any], NDArray[np.float64]]
    fields: frozenset[str]


@cache
def _examples() -> tuple[Contingency, ...]:
    from clustermark.tables.contingency import Contingency

    tables = [[3, 1, 0], [0, 4, 2]], [[5, 0, 0], [0, 1, 1], [2, 0, 7]], [[9, 2], [1, 30], [4, 1]]
    return tuple(map(Contingency.from_matrix, tables))


@cache
def ways_of(index: Index[...]) -> tuple[Way, ...]:
    """Return the ways to compute an index on arrays, the best first.

    Its function is the best, because it gives the bits of single scores. Not every function takes arrays, and no test
    compares formula and function of an index of a user. So both are tried on a few tables with known scores.
    """
    use = use_of(index)
    options = options_of(index, use)
    statistics = [use.statistic.of(table) for table in _examples()]
    scores = [index.of(table) for table in _examples()]
    ways = []
    stacked = _Stacked(statistics)
    with suppress(TypeError, ValueError, ZeroDivisionError, AttributeError), np.errstate(all="ignore"):
        found = np.asarray(use.function(stacked, **options), np.float64)
        if found.shape == (len(scores),) and np.allclose(found, scores, rtol=1e-9, atol=1e-12):
            ways.append(Way(partial(_by_blocks, partial(use.function, **options)), frozenset(stacked.read)))
    if formula_holds(index):
        fields = names_in(use.formula) - options.keys()
        ways.append(Way(partial(_by_formula, use.formula, fields, options), fields))
    if not ways:
        ways.append(Way(partial(_by_table, partial(use.function, **options)), function_fields(index)))
    return tuple(ways)


@cache
def function_fields(index: Index[...]) -> frozenset[str]:
    """Return the fields of its statistic that the function of an index reads."""
    use, read = use_of(index), set[str]()
    for table in _examples():
        recorded = _Recorded(use.statistic.of(table))
        with suppress(ZeroDivisionError):
            use.function(recorded, **options_of(index, use))
        read |= recorded.read
    return frozenset(read)


@cache
def formula_holds(index: Index[...]) -> bool:
    """Return whether the formula of an index gives its scores on a few tables, and reads all chosen options."""
    use = use_of(index)
    options = options_of(index, use)
    try:
        names = names_in(use.formula)
    except SyntaxError:
        return False
    if not index.options.keys() <= names:
        return False
    for table in _examples():
        statistic: Any = use.statistic.of(table)
        known = {name: _doubles(getattr(statistic, name)) for name in names if hasattr(statistic, name)}
        if not is_formula_of(use.formula, known | options, index.of(table)):
            return False
    return True


class _Recorded:
    """The fields of a statistic; records the fields that are read."""

    def __init__(self, statistic: Any) -> None:
        self._statistic = statistic
        self.read: set[str] = set()

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._statistic, name)
        if not isinstance(value, bool):
            self.read.add(name)
        return value


class _Stacked:
    """The fields of a few statistics as arrays; records the fields that are read."""

    def __init__(self, statistics: list[Any]) -> None:
        self._statistics = statistics
        self.read: set[str] = set()

    def __getattr__(self, name: str) -> Any:
        values = [getattr(statistic, name) for statistic in self._statistics]
        if isinstance(values[0], bool):
            return values[0]
        self.read.add(name)
        if isinstance(values[0], tuple):
            return tuple(np.array(column, np.float64) for column in zip(*values, strict=True))
        return values[0] if callable(values[0]) else np.array(values, np.float64)


def is_known(index: Index[...], fields: Set[str]) -> bool:
    """Return whether an index can be computed from these fields of its statistic."""
    return any(way.fields <= fields for way in ways_of(index))


def score_arrays(index: Index[...], fields: Any, identical: NDArray[np.bool_] | None = None) -> NDArray[np.float64]:
    """Return the scores of an index from the fields of its statistic as arrays; `Index.score_arrays` explains it."""
    scores = _compute(index, fields)
    return scores if identical is None else _define(index, scores, identical)


def _define(index: Index[...], scores: NDArray[np.float64], identical: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Apply the rule for undefined scores to an array."""
    scores = _fill(scores, identical.shape)
    undefined = ~np.isfinite(scores)
    if not undefined.any():
        return scores
    same, others = (index.undefined_score(identical=lambda same=same: same) for same in (True, False))  # type: ignore[misc]
    return np.where(undefined, np.where(identical, same, others), scores)


def _fill(scores: NDArray[np.float64], shape: tuple[int, ...]) -> NDArray[np.float64]:
    """Return one score for each table, also where the score does not depend on the table."""
    return scores if scores.shape == shape else np.broadcast_to(scores, shape)


def _compute(index: Index[...], fields: Any) -> NDArray[np.float64]:
    """Return the scores, which are not finite where the index is undefined."""
    *others, last = ways_of(index)
    with np.errstate(all="ignore"):
        for way in others:
            with suppress(NoClosedFormError):
                return way.compute(fields)
        return last.compute(fields)


def _doubles(field: Any) -> Any:
    if isinstance(field, tuple):
        return tuple(map(_doubles, field))
    return np.asarray(field, np.float64) if np.ndim(field) else np.float64(field)


def _by_formula(formula: str, names: Collection[str], options: dict[str, Any], fields: Any) -> NDArray[np.float64]:
    def compute_part(part: Any) -> Any:
        return compute(formula, {name: getattr(part, name) for name in names} | options)

    return _by_blocks(compute_part, fields)


def _by_blocks(of: Callable[[Any], Any], fields: Any) -> NDArray[np.float64]:
    """Compute a function of arrays for a block of tables at a time."""
    every = _Arrays(fields)
    first = np.asarray(of(_Block(every, slice(0, AT_ONCE))), np.float64)
    if every.length <= AT_ONCE:
        return first
    scores = np.empty(every.length)
    scores[:AT_ONCE] = first
    for start in range(AT_ONCE, every.length, AT_ONCE):
        part = slice(start, start + AT_ONCE)
        scores[part] = of(_Block(every, part))
    return scores


class _Arrays:
    """The fields that a function reads, as doubles; `length` is set when the first is read."""

    def __init__(self, fields: Any) -> None:
        self._fields = fields
        self._read: dict[str, Any] = {}
        self.length = 1

    def read(self, name: str) -> Any:
        if name not in self._read:
            field = getattr(self._fields, name)
            self._read[name] = field if isinstance(field, bool) or callable(field) else _doubles(field)
            self.length = max(self.length, _length(self._read[name]))
        return self._read[name]


class _Block:
    """The fields of a block of tables."""

    def __init__(self, every: _Arrays, part: slice) -> None:
        self._every, self._part = every, part

    def __getattr__(self, name: str) -> Any:
        value = self.__dict__[name] = _cut(self._every.read(name), self._part)  # formulas read a field several times
        return value


def _length(value: Any) -> int:
    if isinstance(value, tuple):
        return max(map(_length, value))
    return len(value) if np.ndim(value) else 1


def _cut(value: Any, part: slice) -> Any:
    if isinstance(value, tuple):
        return tuple(_cut(one, part) for one in value)
    return value[part] if np.ndim(value) and len(value) > 1 else value


def _by_table(function: Callable[[Any], Any], fields: Any) -> NDArray[np.float64]:
    """Compute the function of an index table by table."""
    every, table = _Lists(fields), 0
    scores = []
    while table < every.length:  # set when the first table is scored
        try:
            scores.append(float(function(_OneTable(every, table))))
        except ZeroDivisionError:
            scores.append(np.nan)
        table += 1
    return np.array(scores)


class _Lists:
    """The fields that a function reads, as lists of plain numbers; `length` is set when the first is read."""

    def __init__(self, fields: Any) -> None:
        self._fields = fields
        self._lists: dict[str, Any] = {}
        self.length = 1

    def read(self, name: str, table: int) -> Any:
        """Return the field of one table."""
        if name not in self._lists:
            self._lists[name] = self._list(getattr(self._fields, name))
        return _pick(self._lists[name], table)

    def _list(self, field: Any) -> Any:
        if isinstance(field, tuple):
            return tuple(map(self._list, field))
        if callable(field):
            return field
        values = np.asarray(field).tolist()
        self.length = max(self.length, len(values)) if isinstance(values, list) else self.length
        return values[0] if isinstance(values, list) and len(values) == 1 else values


class _OneTable:
    """The fields of one table, as plain numbers."""

    def __init__(self, lists: _Lists, table: int) -> None:
        self._read, self._table = lists.read, table

    def __getattr__(self, name: str) -> Any:
        return self._read(name, self._table)


def _pick(values: Any, table: int) -> Any:
    if isinstance(values, tuple):
        return tuple(_pick(part, table) for part in values)
    return values[table] if isinstance(values, list) else values
