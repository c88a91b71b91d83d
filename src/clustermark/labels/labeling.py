"""The labels of one side: of points as integer codes, and of clusters, stored as codes until they are requested."""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from clustermark import _kernel
from clustermark._kernel import encode_integers
from clustermark.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from numpy.typing import NDArray


MISSING: Final = -1
"""Code for a point whose label is missing (None, NaN, NaT, null)."""

ABSENT: Final = -2
"""Code for an item that does not occur on this side (inputs aligned by id)."""


class Labeling:
    """The labels of one side: an integer code per point, and the labels that the codes denote. Immutable.

    >>> side = Labeling(np.array([0, 1, -1, 0]), ["cat", "dog"])
    >>> len(side), side.n_missing, side.first_missing
    (4, 1, 2)
    """

    # private slots behind properties: as safe as a frozen class, and three times as fast to construct
    __slots__ = ("_codes", "_first_missing", "_n_missing", "_values")

    def __init__(self, codes: NDArray[Any], values: Any = None) -> None:
        """Store the codes; without `values` the codes are the labels themselves, and none of them is missing."""
        self._codes = codes
        self._values = values
        self._n_missing = 0
        self._first_missing: int | None = None
        if values is not None and codes.dtype.kind == "i":
            missing = codes == MISSING
            self._n_missing = int(np.count_nonzero(missing))
            if self._n_missing:
                self._first_missing = int(missing.argmax())

    @property
    def codes(self) -> NDArray[Any]:
        """One code per point: a native integer array of any width and stride, often the caller's own memory."""
        return self._codes

    @property
    def values(self) -> Any:
        """None if the codes are the labels, otherwise a list or array: ``values[code]`` is the label of a code >= 0.

        It may contain values that no point has.
        """
        return self._values

    @property
    def n_missing(self) -> int:
        """Number of points without a label."""
        return self._n_missing

    @property
    def first_missing(self) -> int | None:
        """Position of the first point without a label."""
        return self._first_missing

    def __len__(self) -> int:
        """Return the number of points."""
        return len(self._codes)

    def __repr__(self) -> str:
        """Show the fields."""
        return f"Labeling(codes={self._codes!r}, values={self._values!r})"


def with_values(labeling: Labeling) -> Labeling:
    """Number the labels if they are their own codes, so that negative codes can have another meaning."""
    if labeling.values is not None:
        return labeling
    codes, first = encode_integers(labeling.codes)
    return Labeling(codes, labeling.codes[first])


def with_missing(labeling: Labeling, missing: NDArray[np.bool_]) -> Labeling:
    """Mark these points as missing, whatever their codes are."""
    if not missing.any():
        return labeling
    labeling = with_values(labeling)
    wide_enough = np.int32 if len(labeling.values) < 2**31 else np.int64
    return Labeling(np.where(missing, wide_enough(MISSING), labeling.codes.astype(wide_enough)), labeling.values)


def all_missing(n: int) -> Labeling:
    """Return the labeling of `n` points without labels."""
    return Labeling(np.full(n, MISSING, dtype=np.int32), [])


def from_dictionary(indices: NDArray[Any], dictionary: Labeling, name: str) -> Labeling:
    """Return labels given as positions in a dictionary of labels, -1 for a missing one, without decoding them.

    The dictionary may hold a label twice, or a missing label; only then are the indices rewritten.
    """
    dictionary = with_values(dictionary)
    n = len(dictionary)
    if len(indices) and not (indices.min() >= -1 and indices.max() < n):
        raise InputError(f"{name} is damaged: it has codes of labels that do not exist; make it anew")
    if n == len(dictionary.values) and np.array_equal(dictionary.codes, np.arange(n)):
        return _by_appearance_unless_one_kind(indices, dictionary.values)
    code_of_index = np.append(dictionary.codes.astype(np.int64), MISSING)  # index -1 finds the last one
    return _by_appearance_unless_one_kind(code_of_index[indices], dictionary.values)


def _by_appearance_unless_one_kind(codes: NDArray[Any], values: Any) -> Labeling:
    """Return the labels; those of several types cannot be sorted, and are numbered by first appearance."""
    if isinstance(values, np.ndarray) or len({type(value) for value in values}) < 2:
        return Labeling(codes, values)
    present = codes >= 0
    numbers, first = encode_integers(codes[present])
    renumbered = np.full(len(codes), MISSING, np.int32)
    renumbered[present] = numbers
    return Labeling(renumbered, [values[code] for code in codes[present][first]])


def label_list(values: Any, codes: NDArray[Any]) -> list[Any]:
    """Return the labels of these codes as plain Python objects; None for MISSING and ABSENT.

    >>> label_list(["cat", "dog"], np.array([1, 0, -1]))
    ['dog', 'cat', None]
    >>> label_list(None, np.array([7, -1]))
    [7, -1]
    """
    if values is None:
        return list(codes.tolist())
    if isinstance(values, np.ndarray) and values.dtype.kind in "biufUS" and not (codes < 0).any():
        return list(values[codes].tolist())
    return [plain(values[code]) if code >= 0 else None for code in codes.tolist()]


_DAY = 86_400 * 10**9


def times_of(nanoseconds: NDArray[np.int64]) -> list[Any]:
    """Return times of day; times with nanoseconds, which `datetime.time` does not support, as texts.

    >>> times_of(np.array([10**9, 1]))
    [datetime.time(0, 0, 1), '00:00:00.000000001']
    """
    if len(nanoseconds) and not 0 <= nanoseconds.min() <= nanoseconds.max() < _DAY:
        raise InputError("a time of day must be less than 24 hours; make longer times durations, or texts")
    times = []
    for whole, rest in zip(*(part.tolist() for part in np.divmod(nanoseconds, 1000)), strict=True):
        at = (datetime.min + timedelta(microseconds=whole)).time()
        times.append(f"{at.isoformat('microseconds')}{rest:03}" if rest else at)
    return times


def plain(label: Any) -> Any:
    """Return the Python object equal to a NumPy scalar; dates and durations keep their unit and stay unchanged."""
    if not isinstance(label, np.generic) or isinstance(label, np.datetime64 | np.timedelta64):
        return label
    if label.dtype.char == "g":  # its item() returns itself
        return int(label)
    return label.item()


class Names:
    """Label number i is `values[codes[i]]`, or `codes[i]` itself if `values` is None; a missing label is None."""

    __slots__ = ("_codes", "_listed", "values")

    def __init__(self, values: Any, codes: NDArray[Any] | Callable[[], NDArray[Any]]) -> None:
        """Store the codes, or a function that computes them when needed: few tables need names."""
        self.values = values
        self._codes = codes
        self._listed: list[Any] | None = None

    @classmethod
    def of(cls, labels: list[Any]) -> Names:
        """Return the names of a list of distinct labels."""
        codes = np.arange(len(labels))
        if None in labels:
            codes[labels.index(None)] = MISSING
        return cls(labels, codes)

    @property
    def codes(self) -> NDArray[Any]:
        """The code of each name."""
        if callable(self._codes):
            self._codes = self._codes()
        return self._codes

    def __len__(self) -> int:
        return len(self.codes)

    def to_list(self) -> list[Any]:
        """Return the labels as plain Python objects."""
        if self._listed is None:
            if self.values is None:
                self._listed = label_list(None, self.codes)
            else:
                known = self.codes >= 0
                labels = iter(label_list(self.values, self.codes[known]))
                self._listed = [next(labels) if is_known else None for is_known in known.tolist()]
        return self._listed

    def take(self, positions: NDArray[np.int64]) -> Names:
        """Return the names at these positions."""
        return Names(self.values, self.codes[positions])

    def are_missing(self) -> NDArray[np.bool_]:
        """Return a mask of the name that denotes the missing labels."""
        return self._equal(MISSING)

    def are_absent(self) -> NDArray[np.bool_]:
        """Return a mask of the name that denotes the items that this side lacks."""
        return self._equal(ABSENT)

    def _equal(self, code: int) -> NDArray[np.bool_]:
        if self.values is None:
            return np.zeros(len(self.codes), np.bool_)
        return np.asarray(self.codes == code)

    def among(self, labels: Collection[Any]) -> NDArray[np.bool_]:
        """Return a mask of the names that are among `labels`."""
        named = np.zeros(len(self.codes), np.bool_)
        named[[place for place, _ in self.find(labels)]] = True
        return named

    def find(self, labels: Collection[Any], few: int = 100) -> list[tuple[int, Any]]:
        """Return the names that are among `labels`, each with its position.

        few: up to this number of names, one by one is faster than all at once.
        """
        if not labels:
            return []
        if len(self) <= few:
            found = list(enumerate(self.to_list()))
        else:
            places = self._candidates(labels)
            found = list(zip(places.tolist(), self.take(places).to_list(), strict=True))
        return [(place, label) for place, label in found if label is not None and label in labels]

    def _candidates(self, labels: Collection[Any]) -> NDArray[np.int64]:
        """Return the positions of names that may be among `labels`, without slow conversion of all names to objects."""
        if self.values is None:
            return np.flatnonzero(_may_be_among(self.codes, labels))
        if isinstance(self.values, np.ndarray):
            among = np.flatnonzero(_may_be_among(self.values, labels))
        else:
            wanted = set(labels)
            among = np.array([place for place, value in enumerate(self.values) if value in wanted], np.int64)
        return np.flatnonzero(np.isin(self.codes, among)) if len(among) else among

    def numbers_of(self, codes: NDArray[Any]) -> NDArray[np.int32]:
        """Return, for each of these codes, the number of its name."""
        order = np.argsort(self.codes)
        return order[np.searchsorted(self.codes[order], codes)].astype(np.int32)

    def sorted_order(self) -> NDArray[np.int64]:
        """Return the positions of the names in sorted order if labels sort, otherwise in order of first appearance.

        The name of the missing labels comes last.
        """
        if self.values is None:  # integers need no conversion to objects
            return np.argsort(self.codes, kind="stable")
        if isinstance(self.values, np.ndarray) and self.values.dtype.kind in "iu" and (self.codes >= 0).all():
            return np.argsort(self.values[self.codes], kind="stable")
        labels = self.to_list()
        known = [place for place, label in enumerate(labels) if label is not None]
        if not any(map(_has_no_order, labels)):
            with suppress(TypeError):
                known = sorted(known, key=labels.__getitem__)
        missing = [place for place, label in enumerate(labels) if label is None]
        return np.array(known + missing, np.int64)


def _may_be_among(values: NDArray[Any], labels: Collection[Any]) -> NDArray[np.bool_]:
    """Return a mask of the values that may be among the labels, which may have another type."""
    if values.dtype.kind in "iu":
        limits = np.iinfo(values.dtype)
        wanted = [label for label in labels if isinstance(label, int | float) and limits.min <= label <= limits.max]
        return np.isin(values, np.array([int(label) for label in wanted], values.dtype))
    among = np.full(len(values), values.dtype.kind not in "UT")
    for label in labels:
        if isinstance(label, str) and not among.all():
            among |= values == label
    return among


def _has_no_order(label: Any) -> bool:
    """Return whether a label contains a frozenset: these compare by inclusion, which does not order most of them."""
    return isinstance(label, frozenset) or (isinstance(label, tuple) and any(map(_has_no_order, label)))


def merge_names(mine: Names, theirs: Names) -> tuple[Names, NDArray[np.int32]]:
    """Return the names of both sides, mine first, and the place of each of theirs among them."""
    if mine.values is None and theirs.values is None and mine.codes.dtype == theirs.codes.dtype:
        together = np.concatenate([mine.codes, theirs.codes])
        places, first = _kernel.encode_integers(together)
        return Names(None, together[first]), places[len(mine.codes) :]
    labels = list(mine.to_list())
    place = {label: number for number, label in enumerate(labels)}
    for label in theirs.to_list():
        if place.setdefault(label, len(labels)) == len(labels):
            labels.append(label)
    return Names.of(labels), np.fromiter((place[label] for label in theirs.to_list()), np.int32, len(theirs))
