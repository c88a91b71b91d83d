"""Two labelings crossed item by item, where items may have no cluster on one side."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clustermark._kernel import encode_integers
from clustermark.labels import label_list

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from clustermark.labels.labeling import Labeling


class Numbered(NamedTuple):
    """The clusters of a labeling, numbered in order of first appearance."""

    codes: NDArray[np.int64]
    """The number of each item's cluster, -1 where it has none."""
    labels: list[Any]
    """The label of each cluster; None for an item that is one of its own."""


def number_clusters(labeling: Labeling, noise: Mapping[Any, str]) -> Numbered:
    """Items without a label, or with one that `noise` says to drop, have no cluster; "singletons" have their own."""
    codes, first = encode_integers(np.ascontiguousarray(labeling.codes))
    labels = label_list(labeling.values, np.asarray(labeling.codes)[first])
    fates = ["drop" if label is None else noise.get(label, "cluster") for label in labels]
    kept = np.array([fate == "cluster" for fate in fates], np.bool_)
    numbers = np.where(kept, np.cumsum(kept) - 1, -1)[codes].astype(np.int64)
    alone = np.flatnonzero(np.array([fate == "singletons" for fate in fates], np.bool_)[codes])
    numbers[alone] = int(kept.sum()) + np.arange(len(alone))
    named = [label for label, stays in zip(labels, kept, strict=True) if stays]
    return Numbered(numbers, [*named, *[None] * len(alone)])


class Crossing(NamedTuple):
    """The cells of two labelings, over the items that have a cluster in both."""

    items: NDArray[np.int64]
    """Which items these are."""
    cells: NDArray[np.int32]
    """The cell of each of them."""
    rows: NDArray[np.int64]
    """The cluster of each cell in the first labeling."""
    columns: NDArray[np.int64]
    """The same in the second."""
    n: NDArray[np.int64]
    """How many items each cell has."""
    a: NDArray[np.int64]
    """The size of the cluster of each cell in the first labeling, among these items."""
    b: NDArray[np.int64]
    """The same in the second."""

    @classmethod
    def of(cls, one: NDArray[np.int64], two: NDArray[np.int64]) -> Crossing:
        """Cross two labelings, given the number of each item's cluster, negative where it has none.

        >>> crossing = Crossing.of(np.array([0, 0, 1, -1]), np.array([0, 1, 1, 0]))
        >>> crossing.n.tolist(), crossing.a.tolist(), crossing.b.tolist()
        ([1, 1, 1], [2, 2, 1], [1, 2, 2])
        """
        items = np.flatnonzero((one >= 0) & (two >= 0))
        mine, theirs = one[items], two[items]
        cells, first = encode_integers(mine * (int(theirs.max(initial=0)) + 1) + theirs)
        rows, columns = mine[first], theirs[first]
        counts = np.bincount(cells, minlength=len(first))
        return cls(items, cells, rows, columns, counts, np.bincount(mine)[rows], np.bincount(theirs)[columns])
