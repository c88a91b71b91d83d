"""Soft clusterings: the degree to which each item belongs to each cluster."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from clustermark._kernel import encode_integers
from clustermark.errors import InputError, count
from clustermark.labels import read_labels
from clustermark.labels.conversion import read_sparse
from clustermark.subjects.subject import Remembering, Subject
from clustermark.tables.policies import count_like_noise

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from clustermark.statistics.statistic import Takes

TOLERANCE: Final = 1e-6
"""Largest difference from 1 of the sum of the memberships of an item."""
_COARSER: Final = {np.dtype(np.float32): 1e-4, np.dtype(np.float16): 2e-3}
"""The same for types of numbers with less precision."""


class SoftLimits(NamedTuple):
    """Limits on the work and the memory that indices of soft clusterings take."""

    items: int = 50_000
    """Indices that compare every two items are left out if there are more items, unless they are named."""
    sorted_pairs: int = 50_000_000
    """Most pairs of items that are held and sorted on both sides; 16 bytes each."""
    clusters: int = 1 << 27
    """Most pairs of clusters with a number each: 1 GiB."""
    memberships: int = 1 << 28
    """Most memberships that are made dense: 2 GiB."""
    block: int = 1 << 21
    """Pairs of items that are compared at a time."""


class SoftClustering(Remembering):
    """Memberships of items in clusters: a row for each item, a column for each cluster.

    U: an array, a data frame or a sparse matrix of numbers that are not negative. Each row adds up to 1, within 1e-6
        (float32: 1e-4, float16: 2e-3), and is divided by its sum. Or one label for each item: a hard clustering.

    >>> SoftClustering([[0.9, 0.1], [0.5, 0.5], [0.0, 1.0]])
    <SoftClustering of 3 items in 2 clusters>
    >>> SoftClustering(["a", "a", "b"])
    <SoftClustering of 3 items in 2 clusters, hard>
    """

    called = ""
    """Name in messages, such as that of its file; if empty, messages name the argument."""
    limits: SoftLimits = SoftLimits()
    """Limits on work and memory; an index that needs more is refused."""

    def __init__(self, U: Any) -> None:
        super().__init__()
        self._read(U, "U")

    @classmethod
    def read(cls, source: Any, name: str) -> SoftClustering:
        """Return a soft clustering unchanged, or make one from other data; errors call it `name`."""
        if isinstance(source, SoftClustering):
            return source
        made = cls.__new__(cls)
        Remembering.__init__(made)
        made._read(source, name)
        return made

    def _read(self, U: Any, name: str) -> None:
        self.like_noise: dict[Any, int] = {}
        """For a hard clustering, the number of items of each label that looks like noise."""
        self.codes: NDArray[np.int32] | None = None
        """The number of each item's cluster if the clustering is hard; else None."""
        if hasattr(U, "tocsr"):
            self.matrix: Any = _read_sparse(U, name)
            """The memberships: an array of two dimensions, or a sparse matrix."""
            return
        if _has_two_dimensions(U):
            self.matrix = _read_dense(U, name)
            return
        if isinstance(U, Mapping):
            raise InputError(f"{name} is a mapping; pass its values, in one order of items on both sides")
        labels = read_labels(U, name)
        if labels.n_missing:
            such = count(labels.n_missing, "such item")
            raise InputError(f"{name} has no label at position {labels.first_missing} ({such}); fill it in")
        if not len(labels):
            raise InputError(f"{name} holds no items; pass at least one")
        from scipy.sparse import csr_array

        self.like_noise = count_like_noise(labels)
        self.codes, first = encode_integers(np.ascontiguousarray(labels.codes))
        ones = np.ones(len(self.codes)), self.codes, np.arange(len(self.codes) + 1)
        self.matrix = csr_array(ones, shape=(len(self.codes), len(first)))

    @property
    def n(self) -> int:
        """Number of items."""
        return int(self.matrix.shape[0])

    @property
    def k(self) -> int:
        """Number of clusters."""
        return int(self.matrix.shape[1])

    @cached_property
    def dense(self) -> NDArray[np.float64]:
        """The memberships as an array; refused where there are too many."""
        if isinstance(self.matrix, np.ndarray):
            return np.asarray(self.matrix, np.float64)
        if self.n * self.k > self.limits.memberships:
            raise InputError(
                f"{self.n:,} items in {self.k:,} clusters have {self.n * self.k:,} memberships, and the limit is "
                f"{self.limits.memberships:,} where items or clusters are compared one by one; take a sample"
            )
        return np.asarray(self.matrix.toarray())

    def differences(self, first: int, last: int) -> NDArray[np.float64]:
        """Return half the sums of differences of memberships of items first to last - 1 and items from first on."""
        if self.codes is not None:
            return np.not_equal(self.codes[first:last, None], self.codes[first:]).astype(np.float64)
        from scipy.spatial.distance import cdist

        apart = np.asarray(cdist(self.dense[first:last], self.dense[first:], "cityblock"), np.float64)
        return np.minimum(apart / 2, 1)  # rounding can exceed 1

    def __repr__(self) -> str:
        hard = "" if self.codes is None else ", hard"
        return f"<SoftClustering of {count(self.n, 'item')} in {count(self.k, 'cluster')}{hard}>"


def _has_two_dimensions(U: Any) -> bool:
    if hasattr(U, "shape"):
        return len(U.shape) == 2
    return isinstance(U, list | tuple) and len(U) > 0 and all(isinstance(row, list | tuple | np.ndarray) for row in U)


def _read_dense(U: Any, name: str) -> NDArray[np.float64]:
    try:
        given = U.to_numpy() if hasattr(U, "to_numpy") else np.asarray(U)
        _require_real(given.dtype)
        rows = given.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"{name}: rows must have one number for each cluster: {error}") from error
    if not rows.size:
        raise InputError(f"{name} has shape {rows.shape}; pass a row for each item and a column for each cluster")
    wrong = ~(np.isfinite(rows) & (rows >= 0))
    if wrong.any():
        row, column = np.argwhere(wrong)[0]
        raise InputError(f"{name}[{row}, {column}] is {rows[row, column]}; a membership is a number from 0 to 1")
    sums = rows.sum(axis=1)
    _check_sums(sums, given.dtype, name)
    return np.ascontiguousarray(rows / sums[:, None])


def _require_real(dtype: np.dtype[Any]) -> None:
    """Raise for texts, dates and complex numbers; objects may be numbers."""
    if dtype.kind not in "biufO":
        raise TypeError(f"the dtype is {dtype}")


def _check_sums(sums: NDArray[np.float64], kind: Any, name: str) -> None:
    tolerance = _COARSER.get(kind, TOLERANCE)
    wrong = abs(sums - 1) > tolerance
    if wrong.any():
        row = int(wrong.argmax())
        raise InputError(
            f"{name}: the memberships of row {row} add up to {sums[row]:.9g} ({count(int(wrong.sum()), 'such row')}); "
            f"each row must add up to 1, within {tolerance:g}: divide it by its sum"
        )


def _read_sparse(U: Any, name: str) -> Any:
    from scipy.sparse import csr_array, diags_array

    given = read_sparse(U, name)
    given.sum_duplicates()
    if not all(given.shape):
        raise InputError(f"{name} has shape {given.shape}; pass a row for each item and a column for each cluster")
    try:
        _require_real(given.dtype)
        rows = given.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"{name} holds something that is no number: {error}") from error
    wrong = ~(np.isfinite(rows.data) & (rows.data >= 0))
    if wrong.any():
        place = int(wrong.argmax())
        row = int(np.searchsorted(rows.indptr, place, side="right")) - 1
        raise InputError(
            f"{name}[{row}, {rows.indices[place]}] is {rows.data[place]}; a membership is a number from 0 to 1"
        )
    sums = np.asarray(rows.sum(axis=1)).ravel()
    _check_sums(sums, given.dtype, name)
    return csr_array(diags_array(1 / sums) @ rows)


class SoftPair(Remembering):
    """Two soft clusterings of the same items, in the same order; either may be hard.

    progress: a function that is called with the share that is done, from 0 to 1, while every two items are compared.

    >>> SoftPair([[0.9, 0.1], [0.5, 0.5], [0.0, 1.0]], [0, 0, 1])
    <SoftPair of 3 items, 2 and 2 clusters>
    """

    limits: SoftLimits = SoftLimits()
    """Limits on work and memory; an index that needs more is refused, or left out unless it is named."""

    def __init__(self, U: Any, V: Any, *, progress: Callable[[float], None] | None = None) -> None:
        super().__init__()
        self.progress = progress
        """Function that is called with the share of the work that is done, or None."""
        self.u = SoftClustering.read(U, "U")
        """The first clustering."""
        self.v = SoftClustering.read(V, "V")
        """The second clustering."""
        if self.u.n != self.v.n:
            one, other = self.u.called or "U", self.v.called or "V"
            raise InputError(
                f"{one} has {count(self.u.n, 'item')} and {other} has {self.v.n:,}; both need the same items in one "
                "order"
            )
        _check_same_index(U, V)

    @property
    def n(self) -> int:
        """Number of items."""
        return self.u.n

    @cached_property
    def are_identical(self) -> bool:
        """Whether both have the same clusters; names do not matter."""
        one, other = self.u.codes, self.v.codes
        if one is not None and other is not None:
            return bool((encode_integers(one)[0] == encode_integers(other)[0]).all())
        # rows that were divided by sums in another order differ in their last bits
        a, b = (side.dense[:, side.dense.any(axis=0)].round(12) for side in (self.u, self.v))
        return bool(np.array_equal(a[:, np.lexsort(a)], b[:, np.lexsort(b)]))

    def __repr__(self) -> str:
        return f"<SoftPair of {count(self.n, 'item')}, {self.u.k:,} and {count(self.v.k, 'cluster')}>"


def _check_same_index(U: Any, V: Any) -> None:
    """Refuse data of pandas whose indexes differ: matching by position and matching by id give different scores."""
    pandas = sys.modules.get("pandas")
    if pandas is None or not all(isinstance(side, pandas.DataFrame | pandas.Series) for side in (U, V)):
        return
    if not U.index.equals(V.index):
        raise InputError(
            "U and V have different indexes; pass U.to_numpy() and V.to_numpy() to take rows by position, or "
            "V.loc[U.index] to take them by id"
        )


def _are_identical(pair: SoftPair) -> bool:
    return pair.are_identical


def _cost(pair: SoftPair, takes: Takes) -> str:
    both_hard = pair.u.codes is not None and pair.v.codes is not None  # pairs of these are counted, not compared
    if takes.needs != "pairs" or both_hard or pair.n <= pair.limits.items:
        return ""
    return f"it compares every two of {pair.n:,} items"


SOFT = Subject(
    SoftPair,
    ("U", "V"),
    SoftPair,
    lambda *_: True,
    "a SoftPair(U, V)",
    _are_identical,
    "clusterings",
    cost=_cost,
    name="soft",
    verb="evaluate_soft",
)
ONE_SOFT = Subject(SoftClustering, ("U",), SoftClustering, lambda *_: True, "a SoftClustering(U)", name="soft")
