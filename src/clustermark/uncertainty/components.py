"""Groups of clusters that hang together, and the sums of a table without one of them."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clustermark._kernel import connect
from clustermark.statistics.matching import QUOTIENTS
from clustermark.statistics.units import Units
from clustermark.uncertainty.entries import Cells, add_all, add_by

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from clustermark.statistics.units import Numbers, OfCell, OfCluster, OfSize
    from clustermark.tables.cells import CellTable
    from clustermark.uncertainty.entries import Side


class Components(Units):
    """Groups of clusters that have no point in common with the rest: connected components of the table, or given ones.

    Every sum over cells and clusters is the sum over components, so that without one of them its part is missing.
    """

    reason = "is no function of sums over components"

    def __init__(self, table: CellTable, groups: Groups) -> None:
        """`groups` has the group of each entry; entries of one cluster must have the same."""
        self._table = table
        self._cells = cells = Cells(table)
        self._of, self.multiplicity = groups.of, groups.multiplicity
        self._n_classes = len(self.multiplicity)
        several = self.multiplicity > 1
        if several.any():  # an entry of points alone on both sides stands for as many groups
            cells.times = np.where(several[self._of], 1, cells.times)
        self.points = cells.n_points - self._by_class(cells.n)

    def _by_class(self, values: Numbers) -> Numbers:
        return self._cells.sum_by(self._of, values, self._n_classes)

    def _left(self, parts: Numbers) -> Numbers:
        return add_all(parts * self.multiplicity) - parts

    @cached_property
    def _classes(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The class of each true and of each predicted cluster, those of their own apart."""
        found = []
        for side in (self._cells.true, self._cells.pred):
            classes = np.zeros(len(side.size) + 1, np.int64)
            classes[side.of] = self._of
            found.append(classes[:-1])
        return found[0], found[1]

    @property
    def k_true(self) -> Numbers:
        """True clusters that are left."""
        return self.sum_sizes(np.ones_like)[0]

    @property
    def k_pred(self) -> Numbers:
        """Predicted clusters that are left."""
        return self.sum_sizes(np.ones_like)[1]

    @property
    def cells(self) -> Numbers:
        """Cells that are left."""
        return self.sum_counts(np.ones_like)

    @property
    def largest(self) -> tuple[Numbers, Numbers]:
        """Size of the largest true and of the largest predicted cluster that are left."""
        true, pred = (self._largest_left(sizes) for sizes in (self._cells.a, self._cells.b))
        return true, pred

    def _largest_left(self, sizes: Numbers) -> Numbers:
        best = np.zeros(self._n_classes, sizes.dtype)
        np.maximum.at(best, self._of, sizes)
        order = np.sort(np.repeat(best, np.minimum(self.multiplicity, 2)))
        second = order[-2] if len(order) > 1 else 0
        return np.where((best == order[-1]) & (self.multiplicity == 1), second, order[-1])

    def sum_counts(self, of: OfSize) -> Numbers:
        """Σ over cells of a function of their size."""
        return self._left(self._by_class(of(self._cells.n)))

    def sum_sizes(self, of: OfSize) -> tuple[Numbers, Numbers]:
        """Σ over true clusters, and over predicted ones, of a function of their size."""
        c = self._cells
        true, pred = (
            self._left(self._over_side(side, of(side.size), of(np.ones(len(c.n), side.size.dtype)), classes))
            for side, classes in zip((c.true, c.pred), self._classes, strict=True)
        )
        return true, pred

    def _over_side(self, side: Side, values: Numbers, alone: Numbers, classes: NDArray[np.int64]) -> Numbers:
        """By classes, Σ over clusters of their values; `alone` has those of each entry's clusters of their own."""
        sums = add_by(classes, values, self._n_classes)
        return sums + self._by_class(np.where(side.alone, alone, 0)) if side.some_alone else sums

    def sum_clusters(self, of: OfCluster) -> tuple[Numbers, Numbers]:
        """Σ over true clusters, and over predicted ones, of a function of their size and Σn² over their cells."""
        c, one = self._cells, np.ones(len(self._cells.n), self._cells.n.dtype)
        true, pred = (
            self._left(self._over_side(side, of(c.squares(side)[:-1], side.size), of(one, one), classes))
            for side, classes in zip((c.true, c.pred), self._classes, strict=True)
        )
        return true, pred

    def sum_cells(self, of: OfCell) -> Numbers:
        """Σ over cells of a function of their size and of the sizes of their clusters."""
        return self._left(self._by_class(of(*self._cells.values)))

    def sum_best(self, of: OfCell, *, sized: bool = False) -> tuple[Numbers, Numbers]:
        """Σ over true clusters, and over predicted ones, of the largest value of their cells; times their size."""
        c = self._cells
        now = of(*c.values)
        sums = []
        for side, classes in zip((c.true, c.pred), self._classes, strict=True):
            best = side.largest(now)[:-1]
            sums.append(self._left(self._over_side(side, best * side.size if sized else best, now, classes)))
        return sums[0], sums[1]

    def sum_matched(self, statistic: Any) -> Numbers:
        """The worth of all matches: a best matching is one of every component."""
        from clustermark.uncertainty.matches import matched_entries

        cells = self._cells
        chosen = matched_entries(cells, statistic.of(self._table)) | (cells.true.alone & cells.pred.alone)
        quotient = QUOTIENTS[statistic.worth]
        values = cells.n
        if quotient is not None:
            parts, wholes = quotient(*cells.values)
            values = parts / wholes
        # of an entry that stands for several cells one is matched
        total = self._left(add_by(self._of, np.where(chosen, values, 0), self._n_classes))
        whole = np.rint(total)  # clusters that are alike add up to whole numbers, which rounding must not hide
        return np.where(np.abs(total - whole) <= 1e-12 * np.maximum(whole, 1), whole, total)


class ResampledComponents(Components):
    """The sums of tables of components drawn with replacement, a class for each table."""

    def __init__(self, table: CellTable, groups: Groups, drawn: NDArray[np.int64]) -> None:
        """`drawn` has a row for each table: how often each component was drawn."""
        super().__init__(table, groups)
        self._drawn = drawn
        self.points = drawn @ self._by_class(self._cells.n)
        self.multiplicity = np.ones(len(drawn), np.int64)

    def _left(self, parts: Numbers) -> Numbers:
        return self._drawn @ parts

    def _largest_left(self, sizes: Numbers) -> Numbers:
        best = np.zeros(self._n_classes, sizes.dtype)
        np.maximum.at(best, self._of, sizes)
        return np.where(self._drawn > 0, best, 0).max(axis=1)


class Groups(NamedTuple):
    """Groups of entries of a table."""

    of: NDArray[np.int64]
    """The group of each entry."""
    multiplicity: NDArray[np.int64]
    """How many units each group stands for: 1, but for points alone on both sides, which are a unit each."""


def find_components(table: CellTable) -> Groups:
    """The connected components of a table."""
    cells = table.kernel_cells
    rows, columns = cells.rows.astype(np.int64), cells.columns.astype(np.int64)
    n_lines = cells.n_rows + cells.n_columns
    joined = (rows >= 0) & (columns >= 0)
    of_line = connect(rows[joined], cells.n_rows + columns[joined], n_lines)
    count = int(of_line.max(initial=-1)) + 1
    line = np.where(rows >= 0, rows, np.where(columns >= 0, cells.n_rows + columns, n_lines))
    of = np.append(of_line, count)[line]
    singles = int(cells.counts[of == count].sum())
    return Groups(of, np.append(np.ones(count, np.int64), [singles] if singles else []).astype(np.int64))
