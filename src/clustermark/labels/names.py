"""The labels of the clusters of one side, stored as codes until they are requested."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np

from clustermark import _kernel
from clustermark.labels import ABSENT, MISSING, label_list

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from numpy.typing import NDArray


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
        """Return the number of the name that each of these codes belongs to."""
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
