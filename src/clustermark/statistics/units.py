"""Sums over the cells and clusters of many tables at once, from which the statistics on arrays are computed.

Each sum is an array with one entry for each table: a table without one unit (a point or a group of clusters), a
partition of a sweep, or a table of resampled groups. A subclass of `Units` computes the sums that have a closed form
for its tables; the others raise `NoClosedFormError`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

Numbers: TypeAlias = Any
"""An array of numbers, one for each cell, cluster or table; a single number if all are equal."""
OfSize: TypeAlias = "Callable[[Numbers], Numbers]"
"""A function of the size of a cell or of a cluster."""
OfCluster: TypeAlias = "Callable[[Numbers, Numbers], Numbers]"
"""A function of Σn² over the cells of a cluster and of its size; 0 where the size is 0."""
OfCell: TypeAlias = "Callable[[Numbers, Numbers, Numbers], Numbers]"
"""A function of the size of a cell and the sizes of its true and its predicted cluster; 0 where the cell is empty."""


def size_log_size(size: Numbers) -> Numbers:
    """Return x ln x, the term of an entropy."""
    x = np.asarray(size, np.float64)
    return x * np.log(np.maximum(x, 1.0))


def share(squares: Numbers, size: Numbers) -> Numbers:
    """Return Σn² / size: the sum over the points of a cluster of the share of the cluster in the cell of the point."""
    return squares / np.maximum(size, 1)


def share_of_square(squares: Numbers, size: Numbers) -> Numbers:
    """Return Σn² / size²."""
    return squares / np.maximum(size, 1) / np.maximum(size, 1)


def is_exact(n: Numbers, a: Numbers, b: Numbers) -> Numbers:
    """Return 1 for a cell that is a whole cluster on both sides, else 0."""
    return ((n == a) & (n == b)).astype(np.float64)


class NoClosedFormError(Exception):
    """The sum has no closed form for these units; the message says why."""


class Units:
    """Sums of many tables, one for each class of equal units. A subclass defines the sums that have a closed form."""

    reason = "needs a sum that has no closed form without one unit"
    """The message for the other sums."""
    multiplicity: NDArray[np.int64]
    """Number of units in each class."""
    points: Any
    """Number of points."""

    def _refuse(self, *_: Any, **__: Any) -> Any:
        raise NoClosedFormError(self.reason)

    @property
    def points_pred(self) -> Any:
        """Number of points of the prediction."""
        return self.points

    @property
    def k_true(self) -> Any:
        """Number of true clusters."""
        return self._refuse()

    @property
    def k_pred(self) -> Any:
        """Number of predicted clusters."""
        return self._refuse()

    @property
    def cells(self) -> Any:
        """Number of non-empty cells."""
        return self._refuse()

    @property
    def largest(self) -> tuple[Any, Any]:
        """Size of the largest true and of the largest predicted cluster."""
        found: tuple[Any, Any] = self._refuse()
        return found

    def sum_counts(self, of: OfSize) -> Numbers:
        """Return Σ over cells of a function of their size."""
        return self._refuse(of)

    def sum_sizes(self, of: OfSize) -> tuple[Numbers, Numbers]:
        """Return Σ over true clusters, and over predicted ones, of a function of their size."""
        found: tuple[Numbers, Numbers] = self._refuse(of)
        return found

    def sum_clusters(self, of: OfCluster) -> tuple[Numbers, Numbers]:
        """Return Σ over true and over predicted clusters of a function of Σn² over their cells and of their size."""
        found: tuple[Numbers, Numbers] = self._refuse(of)
        return found

    def sum_cells(self, of: OfCell) -> Numbers:
        """Return Σ over cells of a function of their size and of the sizes of their clusters."""
        return self._refuse(of)

    def sum_whole(self, of: OfCell) -> Numbers:
        """Return the same for a function that is 0 except for cells that are whole clusters, which can be faster."""
        return self.sum_cells(of)

    def sum_largest(self) -> tuple[Numbers, Numbers]:
        """Return Σ over true clusters, and over predicted ones, of their largest cell."""
        return self.sum_best(lambda n, _a, _b: n)

    def sum_best(self, of: OfCell, *, sized: bool = False) -> tuple[Numbers, Numbers]:
        """Return Σ over true and over predicted clusters of the largest value of their cells, times size if `sized`."""
        found: tuple[Numbers, Numbers] = self._refuse(of, sized)
        return found

    def sum_overlaps(self, of: Callable[[Numbers, Numbers], Numbers]) -> Numbers:  # noqa: ARG002
        """Return Σ over predicted clusters of size times a function of largest Jaccard index and concentration."""
        raise NoClosedFormError("weighs overlaps by the number of all true clusters")

    def sum_matched(self, statistic: Any) -> Numbers:  # noqa: ARG002
        """Return the total worth of a one-to-one matching of clusters."""
        raise NoClosedFormError("matches clusters anew for every table")

    def expected_information(self) -> Numbers:
        """Return the mean of the mutual information over all permutations; any value if no permutation changes it."""
        return self._refuse()

    # sums that the kernel updates exactly along a sweep or an edit; other units compute them from the sums above

    def count_pairs(self) -> tuple[Numbers, Numbers, Numbers, Numbers]:
        """Count the pairs together in both, in the truth only, in the prediction only, and in neither."""
        cells, (true, pred) = self.sum_counts(np.square), self.sum_sizes(np.square)
        n = np.asarray(self.points, np.float64)
        yy, yn, ny = (cells - self.points) / 2, (true - cells) / 2, (pred - cells) / 2
        return yy, yn, ny, n * (n - 1) / 2 - yy - yn - ny

    def left_to_learn(self, sizes: tuple[Numbers, Numbers]) -> tuple[Numbers, Numbers]:
        """Return points times the entropy of the truth given the prediction, and of the prediction given the truth.

        sizes: Σ x ln x over true and over predicted clusters.
        """
        cells = self.sum_counts(size_log_size)
        return sizes[1] - cells, sizes[0] - cells
