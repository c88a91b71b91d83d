"""Cells and clusters of a table that are alike, counted: all that an engine tells of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from clustermark.tables.contingency import Contingency


class CellTally(NamedTuple):
    """So many cells have n points, in a true cluster of a and a predicted cluster of b points."""

    n: NDArray[np.int64]
    a: NDArray[np.int64]
    b: NDArray[np.int64]
    times: NDArray[np.int64]

    def __add__(self, other: CellTally) -> CellTally:  # type: ignore[override]
        """Both, one after the other."""
        return CellTally(*(np.concatenate(both) for both in zip(self, other, strict=True)))


class ClusterTally(NamedTuple):
    """So many clusters of one side have this size, Σn² over their cells, and these best cells."""

    size: NDArray[np.int64]
    squares: NDArray[Any]
    """int64, or Python integers where they may not fit."""
    jaccard: NDArray[np.float64]
    """Largest n / (a + b - n) of the cluster's cells."""
    f: NDArray[np.float64]
    """Largest 2 n / (a + b)."""
    larger: NDArray[np.float64]
    """Largest n / max(a, b)."""
    times: NDArray[np.int64]

    def __add__(self, other: ClusterTally) -> ClusterTally:  # type: ignore[override]
        """Both, one after the other."""
        columns: list[Any] = [np.concatenate(both) for both in zip(self, other, strict=True)]
        return ClusterTally(*columns)


class Unsettled(NamedTuple):
    """A matching problem as an engine leaves it: some cells are matched, of the others it is in doubt."""

    table: Contingency
    """The others, in memory; their clusters keep their sizes."""
    settled: CellTally


class Tallies(NamedTuple):
    """The tallies of a table."""

    cells: CellTally
    true: ClusterTally
    pred: ClusterTally
    scored: ClusterTally
    """The predicted clusters without those of unscored noise."""


def whole_clusters(sizes: NDArray[np.int64], times: NDArray[np.int64], *, wide: bool) -> ClusterTally:
    """Clusters that are a cluster of the other side."""
    ones = np.ones(len(sizes))
    squares = sizes.astype(object) ** 2 if wide else sizes * sizes
    return ClusterTally(sizes, squares, ones, ones, ones, times)
