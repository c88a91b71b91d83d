"""What is sampled: points, or groups of clusters that hang together; and every sum of a table without one of them.

A statistic is made of sums over cells and over clusters. Here each sum is an array: for every class of units that are
alike, what is left of it when one unit of the class is taken away.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray

Numbers: TypeAlias = Any
"""An array of numbers, one for each cell, cluster or class; a number, where all are alike."""
OfSize: TypeAlias = "Callable[[Numbers], Numbers]"
"""A function of the size of a cell or of a cluster."""
OfCluster: TypeAlias = "Callable[[Numbers, Numbers], Numbers]"
"""A function of Σn² over the cells of a cluster and of its size; 0 where the size is 0."""
OfCell: TypeAlias = "Callable[[Numbers, Numbers, Numbers], Numbers]"
"""A function of the size of a cell and the sizes of its true and its predicted cluster; 0 where the cell is empty."""


class NoClosedFormError(Exception):
    """The sum without one unit has no closed form; the message says why."""


class Units(Protocol):
    """The units of a table by classes of units that are alike, and its sums without one unit of each class."""

    multiplicity: NDArray[np.int64]
    """How many units each class has."""
    points: Any
    """Points that are left."""

    @property
    def k_true(self) -> Any:
        """True clusters that are left."""
        ...

    @property
    def k_pred(self) -> Any:
        """Predicted clusters that are left."""
        ...

    @property
    def cells(self) -> Any:
        """Cells that are left."""
        ...

    @property
    def largest(self) -> tuple[Any, Any]:
        """Size of the largest true and of the largest predicted cluster that are left."""
        ...

    def sum_counts(self, of: OfSize) -> Numbers:
        """Σ over cells of a function of their size."""
        ...

    def sum_sizes(self, of: OfSize) -> tuple[Numbers, Numbers]:
        """Σ over true clusters, and over predicted ones, of a function of their size."""
        ...

    def sum_clusters(self, of: OfCluster) -> tuple[Numbers, Numbers]:
        """Σ over true clusters, and over predicted ones, of a function of their size and Σn² over their cells."""
        ...

    def sum_cells(self, of: OfCell) -> Numbers:
        """Σ over cells of a function of their size and of the sizes of their clusters."""
        ...

    def sum_largest(self) -> tuple[Numbers, Numbers]:
        """Σ over true clusters, and over predicted ones, of their largest cell."""
        ...

    def sum_best(self, of: OfCell, *, sized: bool = False) -> tuple[Numbers, Numbers]:
        """Σ over true clusters, and over predicted ones, of the largest value of their cells; times their size."""
        ...

    def expected_information(self) -> Numbers:
        """Expected mutual information; NaN where no permutation changes it."""
        ...
