"""The result of every reader: the labels of one side as integer codes."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from clustermark._kernel import encode_integers
from clustermark.errors import InputError

if TYPE_CHECKING:
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


def from_dictionary(indices: NDArray[Any], dictionary: Labeling) -> Labeling:
    """Return labels given as positions in a dictionary of labels, -1 for a missing one, without decoding them.

    The dictionary may hold a label twice, or a missing label; only then are the indices rewritten.
    """
    dictionary = with_values(dictionary)
    n = len(dictionary)
    if n == len(dictionary.values) and np.array_equal(dictionary.codes, np.arange(n)):
        return _by_appearance_unless_one_kind(indices, dictionary.values)
    code_of_index = np.append(dictionary.codes.astype(np.int64), MISSING)  # index -1 finds the last one
    return _by_appearance_unless_one_kind(code_of_index[indices], dictionary.values)


def _by_appearance_unless_one_kind(codes: NDArray[Any], values: Any) -> Labeling:
    """Return labels of mixed kinds, which do not sort, in order of appearance, not in that of the dictionary."""
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
