"""Cells that are alike, counted; and those of a table that a matching is in doubt of."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from clustermark.tables.cells import CellTable


class CellTally(NamedTuple):
    """So many cells have n points, in a true cluster of a and a predicted cluster of b points."""

    n: NDArray[np.int64]
    a: NDArray[np.int64]
    b: NDArray[np.int64]
    times: NDArray[np.int64]

    def __add__(self, other: CellTally) -> CellTally:  # type: ignore[override]
        """Both, one after the other."""
        return CellTally(*(np.concatenate(both) for both in zip(self, other, strict=True)))


class Unsettled(NamedTuple):
    """A matching problem as a table leaves it: some cells are matched, of the others it is in doubt."""

    table: CellTable
    """The others, in memory; their clusters keep their sizes."""
    settled: CellTally
    all_cells: bool
    """Whether nothing is settled, and these are the rows and columns of the whole table."""


NO_CELLS = CellTally(*(np.zeros(0, np.int64) for _ in CellTally._fields))
