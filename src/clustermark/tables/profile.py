"""The profile: three small tables of exact integers that carry most indices, wherever the data lives.

Cluster sizes add up to the number of points, so a table by size has at most √(2N) rows. A score made from a
profile is bit-identical whether the cells were counted in memory, in merged chunks or by a database.
"""

from __future__ import annotations

from typing import NamedTuple

from clustermark.errors import InputError
from clustermark.tables.contingency import Squares


class SizeRow(NamedTuple):
    """All clusters of one size on one side, added up."""

    size: int
    clusters: int
    squares: int
    """Σ n² over the cells of these clusters."""
    largest: int
    """Σ over these clusters of their largest cell."""
    cells: int


class Profile(NamedTuple):
    """The histogram of cell sizes, and the clusters of each side by size; all in ascending order of size."""

    cell_sizes: tuple[tuple[int, int], ...]
    """(n, how many cells have n points)."""
    true_sizes: tuple[SizeRow, ...]
    pred_sizes: tuple[SizeRow, ...]

    @property
    def n_points(self) -> int:
        """Points that occur on both sides."""
        return sum(n * cells for n, cells in self.cell_sizes)

    @property
    def n_cells(self) -> int:
        """Non-empty cells."""
        return sum(cells for _, cells in self.cell_sizes)

    @property
    def squares(self) -> Squares:
        """The sums of squares, as exact integers."""
        return Squares(
            self.n_points,
            sum(n * n * cells for n, cells in self.cell_sizes),
            sum(row.size * row.size * row.clusters for row in self.true_sizes),
            sum(row.size * row.size * row.clusters for row in self.pred_sizes),
        )

    def verify(self) -> Profile:
        """Return the profile itself if its checksums agree; points, cells and Σ n² are each counted three ways.

        Items of one side only make a side larger than the cells, never smaller.
        """
        squares = sum(n * n * cells for n, cells in self.cell_sizes)
        for side, rows in (("true", self.true_sizes), ("predicted", self.pred_sizes)):
            points = sum(row.size * row.clusters for row in rows)
            if points < self.n_points:
                raise InputError(f"profile: the {side} clusters hold {points} points, the cells {self.n_points}")
            if sum(row.cells for row in rows) != self.n_cells:
                raise InputError(f"profile: the {side} clusters do not have {self.n_cells} cells in all")
            if sum(row.squares for row in rows) != squares:
                raise InputError(f"profile: the sum of n² over the {side} clusters is not {squares}")
        return self
