"""The score of an index without one unit, for every class of units that are alike."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from clustermark.errors import UnsupportedTableError
from clustermark.registry.formulas import compute, is_formula_of, names_in
from clustermark.subjects.partitions import PARTITIONS
from clustermark.uncertainty.catalogue_of_views import view_of
from clustermark.uncertainty.entries import AT_ONCE

if TYPE_CHECKING:
    from collections.abc import Callable

    from clustermark.registry import Index
    from clustermark.registry.definition import Use
    from clustermark.tables.contingency import Contingency
    from clustermark.uncertainty.units import Numbers, Units
    from clustermark.uncertainty.views import View


class Scores:
    """The scores of indices without one unit; what two indices need is found once."""

    def __init__(self, units: Units) -> None:
        self.units = units
        self._views: dict[type[View], View] = {}
        self._fields: dict[tuple[type[View], str, bool], Any] = {}

    def of(self, index: Index[...], *, exact: bool = False, by_formula: bool = True) -> Numbers:
        """The score of an index without one unit of each class; NaN where it is undefined.

        exact: as fractions, for an index whose formula has only whole numbers.
        by_formula: whether its formula may be computed, which is quicker than its code.
        """
        use = use_of(index)
        kind_of_view = view_of(use.statistic)
        if kind_of_view not in self._views:
            self._views[kind_of_view] = kind_of_view(self.units)
        view = self._views[kind_of_view]
        options = (use.function.__kwdefaults__ or {}) | index.options
        classes = len(self.units.multiplicity)
        with np.errstate(all="ignore"):
            known = index.options.keys() <= names_in(use.formula) and _has_fields(view, use.formula, options)
            if known and by_formula:
                values = _compute(use.formula, self._values(use.formula, view, options, exact), classes)
            else:
                values = _by_function(use.function, view, options, classes)
        kind = object if exact else np.float64
        return np.broadcast_to(np.asarray(values, kind), (classes,))

    def _values(self, formula: str, view: View, options: dict[str, Any], exact: bool) -> dict[str, Any]:
        """The values of the names in a formula; those of fields are kept for other formulas."""
        values = {}
        for name in names_in(formula):
            key = type(view), name, exact
            if name in options:
                values[name] = options[name]
            elif key in self._fields:
                values[name] = self._fields[key]
            else:
                values[name] = self._fields[key] = (_fractions if exact else _doubles)(getattr(view, name))
        return values


def _compute(formula: str, values: dict[str, Any], classes: int) -> Any:
    if classes <= 2 * AT_ONCE:
        return compute(formula, values)
    scores = np.empty(classes)
    for start in range(0, classes, AT_ONCE):
        part = slice(start, start + AT_ONCE)
        scores[part] = compute(formula, {name: _cut(value, part) for name, value in values.items()})
    return scores


def _cut(value: Any, part: slice) -> Any:
    if isinstance(value, tuple):
        return tuple(_cut(one, part) for one in value)
    return value[part] if np.ndim(value) else value


def use_of(index: Index[...]) -> Use:
    """How an index is computed from partitions."""
    for use in index.uses:
        if use.comparison is PARTITIONS:
            return use
    raise UnsupportedTableError(f"{index.name} does not compare partitions; it takes {index.comparison.words}")


def formula_holds(index: Index[...], table: Contingency, score: float) -> bool:
    """Whether the formula of an index gives the score that its code gave; of an index of your own nobody checks it."""
    use = use_of(index)
    statistic: Any = use.statistic.of(table)
    options = (use.function.__kwdefaults__ or {}) | index.options
    names = names_in(use.formula) - options.keys()
    values = options | {name: getattr(statistic, name) for name in names if hasattr(statistic, name)}
    return is_formula_of(use.formula, values, score)


def _has_fields(view: View, formula: str, options: dict[str, Any]) -> bool:
    return all(name in options or hasattr(type(view), name) for name in names_in(formula))


def _doubles(field: Any) -> Any:
    if isinstance(field, tuple):
        return tuple(map(_doubles, field))
    return np.asarray(field, np.float64) if np.ndim(field) else np.float64(field)


def _fractions(field: Any) -> Any:
    from fractions import Fraction

    if np.ndim(field) == 0:
        return Fraction(int(field))
    whole = np.empty(len(field), object)
    whole[:] = [Fraction(int(x)) for x in field.tolist()]
    return whole


def _by_function(function: Callable[..., Any], view: View, options: dict[str, Any], classes: int) -> Any:
    """By the code of the index: on arrays where it is plain arithmetic, else class by class."""
    if classes > 1:
        try:
            return function(_Fields(view), **options)
        except (TypeError, ValueError):  # it asks whether, or takes a root of one number: see what follows
            pass
    fields = _Fields(view)
    return [_one(function, fields.at(place), options) for place in range(classes)]


class _Fields:
    """The fields of a view as arrays of doubles."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._lists: dict[str, Any] = {}

    def __getattr__(self, name: str) -> Any:
        return _doubles(getattr(self._view, name))

    def at(self, place: int) -> _Place:
        """The fields of one class."""
        return _Place(self._view, self._lists, place)


class _Place:
    """The fields of a view for one class, as plain numbers."""

    def __init__(self, view: View, lists: dict[str, Any], place: int) -> None:
        self._view, self._lists, self._place = view, lists, place

    def __getattr__(self, name: str) -> Any:
        if name not in self._lists:
            self._lists[name] = _as_list(getattr(self._view, name))
        values = self._lists[name]
        if isinstance(values, tuple):
            return tuple(_pick(part, self._place) for part in values)
        return _pick(values, self._place)


def _as_list(field: Any) -> Any:
    if isinstance(field, tuple):
        return tuple(map(_as_list, field))
    return field if callable(field) else np.asarray(field).tolist()


def _pick(values: Any, place: int) -> Any:
    return values[place] if isinstance(values, list) else values


def _one(function: Callable[..., Any], fields: Any, options: dict[str, Any]) -> float:
    try:
        return float(function(fields, **options))
    except ZeroDivisionError:
        return np.nan
