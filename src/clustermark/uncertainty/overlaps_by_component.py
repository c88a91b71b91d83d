"""Largest overlaps of predicted clusters, and their sums without one component of a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from clustermark.statistics.units import NoClosedFormError
from clustermark.tables.sums import concentrations
from clustermark.uncertainty.entries import add_by

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from clustermark.statistics.units import Numbers
    from clustermark.uncertainty.entries import Cells

    OfOverlap = Callable[[Numbers, Numbers], Numbers]


class PredictedOverlaps:
    """The largest Jaccard index and the concentration of each predicted cluster, for any number of true clusters.

    A component contains all cells of its clusters, so without another component both stay the same, except that the
    concentration of a cluster of several cells depends on the number of all true clusters.
    """

    def __init__(self, cells: Cells) -> None:
        side = cells.pred
        n, a, b = cells.values
        self.of_entry = n / (a + b - n)
        """Jaccard index of the clusters of each entry."""
        best, squares = side.largest(self.of_entry)[:-1], cells.squares(side)[:-1]
        counts = cells.sum_by(side.of, np.ones_like(n), len(side.size) + 1)[:-1]
        self._best, self._size = best, side.size
        self._mixed = np.flatnonzero(counts > 1)
        self._of_mixed = squares[self._mixed], side.size[self._mixed], counts[self._mixed]

    def of_one_cell(self, of: OfOverlap) -> Numbers:
        """Return size × `of(jaccard, 1)` of each predicted cluster of one cell; 0 for the others."""
        values = of(self._best, np.ones(len(self._best))) * self._size
        values[self._mixed] = 0.0
        return values

    def of_several(self, of: OfOverlap, clusters: int, classes: NDArray[np.int64], n_classes: int) -> Numbers:
        """Return Σ size × `of(jaccard, concentration)` over predicted clusters of several cells, by class."""
        values = of(self._best[self._mixed], concentrations(*self._of_mixed, clusters)) * self._of_mixed[1]
        return add_by(classes[self._mixed], values, n_classes)

    def numbers_of(self, clusters: Any, most_terms: int = 1 << 30) -> list[int]:
        """Return the different numbers of true clusters of all tables; none if no concentration depends on them."""
        numbers = np.unique(np.asarray(clusters).astype(np.int64)) if len(self._mixed) else np.empty(0, np.int64)
        if len(numbers) * len(self._mixed) > most_terms:
            raise NoClosedFormError("has too many concentrations without one component")
        return list(map(int, numbers))
