"""The sums of the Jaccard-Concentration Index without one point."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from clustermark.tables.sums import concentrations
from clustermark.uncertainty.entries import add_all, by_blocks

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from clustermark.statistics.units import Numbers
    from clustermark.uncertainty.entries import Cells
    from clustermark.uncertainty.points import Points

    Part = Callable[[Numbers, Numbers], Numbers]


class OverlapsLeft:
    """Σ over predicted clusters of their size times a function of their largest Jaccard index and concentration.

    The point's own predicted cluster has a cell less or a smaller one; the others that its true cluster meets are
    closer to that, because it is smaller. Where the true cluster is gone, every concentration is beside one fewer.
    """

    def __init__(self, points: Points, cells: Cells) -> None:
        self._points, self._cells = points, cells
        self._fewer = np.maximum(cells.a - 1, 1), np.maximum(cells.b - 1, 1)

    @cached_property
    def _best(self) -> Numbers:
        """The largest Jaccard index of each cell's predicted cluster,"""
        return self._points.best_of_cluster(self._cells.pred, by_blocks(_jaccard, *self._cells.values))

    @cached_property
    def _closer(self) -> Numbers:
        """the same where the cell's true cluster is smaller,"""
        n, _, b = self._cells.values
        return by_blocks(lambda x, *cell: np.maximum(x, _jaccard(*cell)), self._best, n, self._fewer[0], b)

    @cached_property
    def _left(self) -> Numbers:
        """and where the cell has a point less."""
        (n, a, _), (fewer_a, fewer_b) = self._cells.values, self._fewer
        own = by_blocks(lambda n, a, b: np.where(n > 1, _jaccard(n - 1, a, b), 0.0), n, fewer_a, fewer_b)
        return self._points.best_without(self._cells.pred, by_blocks(_jaccard, n, a, fewer_b), own)

    @cached_property
    def _columns(self) -> tuple[Numbers, Numbers, Numbers]:
        """Σn², size and number of cells of each predicted cluster, and of one of its own in the last place."""
        c, side = self._cells, self._cells.pred
        squares = c.squares(side)
        counts = c.sum_by(side.of, np.ones_like(c.n), len(side.size) + 1)
        squares[-1] = counts[-1] = 1
        return squares, np.append(side.size, side.size.dtype.type(1)), counts

    def _spreads(self, fewer: bool) -> tuple[Numbers, Numbers]:
        """The concentration of each predicted cluster, and of each cell's without a point; beside one fewer or not."""
        c, of = self._cells, self._cells.pred.of
        clusters = max(c.true.clusters - fewer, 1)
        squares, sizes, counts = self._columns
        left = by_blocks(
            lambda q, n, b, cells: concentrations(q - 2 * n + 1, b, cells - (n == 1), clusters),
            squares[of],
            c.n,
            self._fewer[1],
            counts[of],
        )
        return concentrations(squares, sizes, counts, clusters), left

    @cached_property
    def _usual(self) -> tuple[Numbers, Numbers]:
        return self._spreads(fewer=False)

    def sums(self, part: Part) -> Numbers:
        """The sum of size times `part(jaccard, concentration)` over predicted clusters, without each cell's point."""
        left = self._sums(part, *self._usual)
        gone = self._cells.a == 1
        return np.where(gone, self._sums(part, *self._spreads(fewer=True)), left) if gone.any() else left

    def _sums(self, part: Part, spread: Numbers, spread_left: Numbers) -> Numbers:
        c, side = self._cells, self._cells.pred
        here = spread[side.of]
        now = by_blocks(part, self._best, here)
        total = add_all((now * c.b)[self._one_cell_each])
        if side.some_alone:
            total += add_all((now * c.times)[side.alone])
        gain = by_blocks(lambda closer, x, y, b: (part(closer, x) - y) * b, self._closer, here, now, c.b)
        own = by_blocks(lambda j, x, y, b: part(j, x) * (b - 1) - y * b, self._left, spread_left, now, c.b)
        return total + c.others(c.true, gain) + own

    @cached_property
    def _one_cell_each(self) -> NDArray[np.int64]:
        """A cell of every predicted cluster but those of their own."""
        of = self._cells.pred.of
        place = np.zeros(len(self._cells.pred.size) + 1, np.int64)
        place[of] = np.arange(len(of))
        return place[:-1]


def _jaccard(n: Numbers, a: Numbers, b: Numbers) -> Numbers:
    return n / (a + b - n)
