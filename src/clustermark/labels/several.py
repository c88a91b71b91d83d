"""Many labelings of the same points: each is read once, and all share one order of points."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clustermark.errors import InputError, Mention
from clustermark.labels.aligned import SHOWN, SomeIds, check_matches, take_places
from clustermark.labels.labeling import ABSENT, Labeling, with_values
from clustermark.labels.python_objects import read_objects
from clustermark.labels.reading import check_same_index, read_labels

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray


class Labelings(NamedTuple):
    """Labelings of the same points, by their names."""

    read: dict[str, Labeling]
    ids: dict[Any, int] | None
    """The place of each id, where they are mappings from id to label."""

    @property
    def n(self) -> int:
        """How many points there are."""
        return len(next(iter(self.read.values())))

    def by_place(self, numbers: Any, name: str) -> Any:
        """Counts or weights, one a point, in the order of the points."""
        if numbers is None or self.ids is None:
            return numbers
        if not isinstance(numbers, Mapping):
            raise InputError(
                f"{name}: the labels are mappings from id to label, so pass {name} as a mapping from id too"
            )
        lacking = [item for item in self.ids if item not in numbers]
        if lacking:
            raise InputError(f"{name}: there is no number for {len(lacking)} id(s), the first is {lacking[0]!r}")
        return np.array([numbers[item] for item in self.ids])


def check_ids(labelings: Labelings, true: str, pred: str) -> None:
    """Refuse two labelings by id that share none, and warn of two that share few."""
    if labelings.ids is None:
        return
    has = {name: labelings.read[name].codes != ABSENT for name in (true, pred)}

    def show() -> tuple[SomeIds, SomeIds]:
        ids = list(labelings.ids or ())
        places = {name: np.flatnonzero(has[name])[:SHOWN].tolist() for name in (true, pred)}
        one, other = (SomeIds(name, [ids[place] for place in places[name]]) for name in (true, pred))
        return one, other

    shared, in_true, in_pred = (int(side.sum()) for side in (has[true] & has[pred], has[true], has[pred]))
    check_matches(shared, in_true, in_pred, show, f" ({true} and {pred})")


def read_several(labelings: object, name: str, unmatched: str, call: Callable[[str], str] | None = None) -> Labelings:
    """Read labelings by their names: a mapping, a frame's columns, or one after the other, from a generator too.

    name: what errors call them. unmatched: the policy for ids that one of them lacks; "error" refuses such ids.
    call: what errors call one of them, by its name; by default as an item of all.

    >>> several = read_several({"one": ["a", "a", "b"], "two": [7, 8, 8]}, "labelings", "error")
    >>> {name: labeling.codes.tolist() for name, labeling in several.read.items()}
    {'one': [0, 0, 1], 'two': [0, 1, 1]}
    """
    call = call or (lambda label: f"{name}[{label!r}]")
    read, ids = dict[str, Labeling](), dict[str, Mapping[Any, Any]]()
    first: Any = None
    for label, labels in name_labelings(labelings, name):
        called = call(label)
        if label in read:
            raise InputError(f"{name}: two labelings have the name {label!r}; give each a name of its own")
        if isinstance(labels, Mapping):
            ids[label] = labels
            read[label] = read_objects(list(labels.values()), f"{called}.values()")
            continue
        if first is None:
            first = label, labels
        else:
            check_same_index(first[1], labels, call(first[0]), called)
        read[label] = _shrink(read_labels(labels, called))
    if not read:
        raise InputError(f"{name}: there is no labeling in it; pass at least one")
    if ids:
        return _align(read, ids, call, unmatched)
    _refuse_unequal(read, call)
    return Labelings(read, None)


def name_labelings(labelings: Any, name: str) -> Iterable[tuple[str, Any]]:
    """Each labeling with its name: of a mapping, of a frame's columns, or of labelings one after the other."""
    if isinstance(labelings, Mapping):
        return ((str(label), labels) for label, labels in labelings.items())
    if isinstance(labelings, str | bytes):
        raise InputError(
            f"{name} is a single {type(labelings).__name__}; pass labelings by their names, such as a dict, or name "
            "the columns of a file by ",
            Mention("pred"),
        )
    if getattr(labelings, "ndim", None) == 2 and not hasattr(labelings, "columns"):
        raise InputError(
            f"{name} is a table of {labelings.shape[0]} × {labelings.shape[1]} labels; pass list({name}) if each row "
            f"is a labeling, or list({name}.T) if each column is"
        )
    library = type(labelings).__module__.partition(".")[0]
    if library in ("pandas", "polars", "pyarrow") and library in sys.modules and hasattr(labelings, "columns"):
        names = labelings.column_names if library == "pyarrow" else list(labelings.columns)
        return ((str(label), labelings[label]) for label in _distinct(names, name))
    if not isinstance(labelings, Iterable):
        raise InputError(f"{name}: pass labelings by their names, such as a dict; got {type(labelings).__name__}")
    return (_name_one(place, one) for place, one in enumerate(labelings))


def _distinct(names: list[Any], name: str) -> list[Any]:
    if len(set(names)) < len(names):
        twice = next(label for label in names if names.count(label) > 1)
        raise InputError(f"{name}: two columns are called {twice!r}; give each a name of its own")
    return names


def _name_one(place: int, one: Any) -> tuple[str, Any]:
    """A pair (name, labels) as it is; labels without a name by their place."""
    if isinstance(one, tuple) and len(one) == 2 and isinstance(one[0], str) and not isinstance(one[1], str):
        return one
    return str(place), one


def _shrink(labeling: Labeling) -> Labeling:
    """The labels numbered, in the narrowest integers that hold the numbers: many labelings are kept at once."""
    labeling = _number_near(labeling) if labeling.values is None else labeling
    narrow = np.min_scalar_type(-max(len(labeling.values), 2))
    return Labeling(labeling.codes.astype(narrow, copy=False), labeling.values)


def _number_near(labeling: Labeling) -> Labeling:
    """Integer labels numbered; those that lie near each other by their distance from the least, which is fastest."""
    labels = labeling.codes
    low, high = (int(labels.min()), int(labels.max())) if len(labels) else (0, -1)
    if high - low >= max(2 * len(labels), 1) or high >= 2**62 or low <= -(2**62):
        return with_values(labeling)
    narrow = np.min_scalar_type(-max(high - low + 1, 2))
    codes = labels.astype(narrow) if low == 0 else (labels.astype(np.int64) - low).astype(narrow)
    return Labeling(codes, np.arange(low, high + 1).astype(labels.dtype))


def _align(
    read: dict[str, Labeling], ids: dict[str, Mapping[Any, Any]], call: Callable[[str], str], unmatched: str
) -> Labelings:
    """All labelings over the union of their ids, in order of appearance."""
    if len(ids) < len(read):
        other = next(label for label in read if label not in ids)
        raise InputError(
            f"{call(next(iter(ids)))} is a mapping id -> label, but {call(other)} is not; pass mappings only to "
            "compare by id"
        )
    union: dict[Any, int] = {}
    for labels in ids.values():
        for item in labels:
            union.setdefault(item, len(union))
    for label, labels in ids.items():
        if unmatched == "error" and len(labels) < len(union):
            lacking = next(item for item in union if item not in labels)
            raise InputError(
                f"{call(label)} lacks {len(union) - len(labels)} of {len(union)} ids, {lacking!r} for one; "
                "make them agree, or choose ",
                Mention("unmatched", "drop", "singletons"),
            )
    taken = {label: take_places(read[label], _places(labels, union)) for label, labels in ids.items()}
    return Labelings({label: _shrink(labeling) for label, labeling in taken.items()}, union)


def _places(labels: Mapping[Any, Any], union: dict[Any, int]) -> NDArray[np.intp]:
    places = np.full(len(union), -1, np.intp)
    places[[union[item] for item in labels]] = np.arange(len(labels))
    return places


def _refuse_unequal(read: dict[str, Labeling], call: Callable[[str], str]) -> None:
    (first, labeling), *others = read.items()
    for label, other in others:
        if len(other) != len(labeling):
            raise InputError(
                f"{call(first)} has {len(labeling)} labels and {call(label)} has {len(other)}; all need one label "
                "for each of the same points, in the same order (to compare by id, pass dicts id -> label)"
            )
    if not len(labeling):
        raise InputError(f"{call(first)} holds no points; pass at least one label")
