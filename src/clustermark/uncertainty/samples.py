"""Sampled units: points, components of the table, or groups of points; and tables of some of them."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from clustermark._kernel import connect
from clustermark.errors import InputError, UnsupportedTableError
from clustermark.statistics.matching import QUOTIENTS
from clustermark.statistics.units import NoClosedFormError, Units
from clustermark.tables.drawn_tables import sort_by_label, with_counts
from clustermark.uncertainty.entries import Cells, add_all, add_by
from clustermark.uncertainty.interval import CrossedPoints, GroupedPoints
from clustermark.uncertainty.points import IN_ENGINE, Points, TalliedPoints, find_alike
from clustermark.uncertainty.tail_index import refuse_tail

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from clustermark.statistics.units import Numbers, OfCell, OfCluster, OfSize
    from clustermark.tables.cells import CellTable
    from clustermark.tables.contingency import Contingency
    from clustermark.uncertainty.entries import SideClusters
    from clustermark.uncertainty.expected_by_component import SizesByComponent
    from clustermark.uncertainty.interval import Unit
    from clustermark.uncertainty.overlaps_by_component import PredictedOverlaps
    from clustermark.uncertainty.points import AlikePoints


class Components(Units):
    """Groups of clusters that have no point in common with the rest: connected components of the table, or given ones.

    Every sum over cells and clusters is a sum over components, so leaving out a component subtracts its part.
    """

    reason = "is no function of sums over components"

    def __init__(self, table: CellTable, groups: EntryGroups) -> None:
        """Prepare the sums; `groups` has the group of each entry, the same for all entries of a cluster."""
        self._table = table
        self._cells = cells = Cells(table)
        self._of, self.multiplicity = groups.of, groups.multiplicity
        self._n_classes = len(self.multiplicity)
        several = self.multiplicity > 1
        if several.any():  # each lone point on both sides is a group
            cells.times = np.where(several[self._of], 1, cells.times)
        self.points = cells.n_points - self._by_class(cells.n)

    def _by_class(self, values: Numbers) -> Numbers:
        return self._cells.sum_by(self._of, values, self._n_classes)

    def _left(self, parts: Numbers, which: Any = slice(None)) -> Numbers:
        """Return the sums of the tables `which` from the parts of the classes."""
        return add_all(parts * self.multiplicity) - parts[which]

    @cached_property
    def _classes(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The class of each true and of each predicted cluster, without lone points."""
        found = []
        for side in (self._cells.true, self._cells.pred):
            classes = np.zeros(len(side.size) + 1, np.int64)
            classes[side.of] = self._of
            found.append(classes[:-1])
        return found[0], found[1]

    @property
    def k_true(self) -> Numbers:
        """Number of true clusters that are left."""
        return self.sum_sizes(np.ones_like)[0]

    @property
    def k_pred(self) -> Numbers:
        """Number of predicted clusters that are left."""
        return self.sum_sizes(np.ones_like)[1]

    @property
    def cells(self) -> Numbers:
        """Number of cells that are left."""
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
        """Return Σ over cells of a function of their size."""
        return self._left(self._by_class(of(self._cells.n)))

    def sum_sizes(self, of: OfSize) -> tuple[Numbers, Numbers]:
        """Return Σ over true clusters, and over predicted ones, of a function of their size."""
        c = self._cells
        true, pred = (
            self._left(self._over_side(side, of(side.size), of(np.ones(len(c.n), side.size.dtype)), classes))
            for side, classes in zip((c.true, c.pred), self._classes, strict=True)
        )
        return true, pred

    def _over_side(self, side: SideClusters, values: Numbers, alone: Numbers, classes: NDArray[np.int64]) -> Numbers:
        """Return Σ over clusters of their values, by class; `alone` has the values of lone points of each entry."""
        sums = add_by(classes, values, self._n_classes)
        return sums + self._by_class(np.where(side.alone, alone, 0)) if side.some_alone else sums

    def sum_clusters(self, of: OfCluster) -> tuple[Numbers, Numbers]:
        """Return Σ over true and over predicted clusters of a function of Σn² over their cells and of their size."""
        c, one = self._cells, np.ones(len(self._cells.n), self._cells.n.dtype)
        true, pred = (
            self._left(self._over_side(side, of(c.squares(side)[:-1], side.size), of(one, one), classes))
            for side, classes in zip((c.true, c.pred), self._classes, strict=True)
        )
        return true, pred

    def sum_cells(self, of: OfCell) -> Numbers:
        """Return Σ over cells of a function of their size and of the sizes of their clusters."""
        return self._left(self._by_class(of(*self._cells.values)))

    def sum_best(self, of: OfCell, *, sized: bool = False) -> tuple[Numbers, Numbers]:
        """Return Σ over true and over predicted clusters of the largest value of their cells, times size if `sized`."""
        c = self._cells
        now = of(*c.values)
        sums = []
        for side, classes in zip((c.true, c.pred), self._classes, strict=True):
            best = side.largest(now)[:-1]
            sums.append(self._left(self._over_side(side, best * side.size if sized else best, now, classes)))
        return sums[0], sums[1]

    @cached_property
    def _overlaps(self) -> PredictedOverlaps:
        from clustermark.uncertainty.overlaps_by_component import PredictedOverlaps

        return PredictedOverlaps(self._cells)

    def sum_overlaps(self, of: Callable[[Numbers, Numbers], Numbers]) -> Numbers:
        """Return Σ over predicted clusters of size times a function of largest Jaccard index and concentration."""
        overlaps, classes = self._overlaps, self._classes[1]
        alone = of(overlaps.of_entry, np.ones_like(overlaps.of_entry))
        left = self._left(self._over_side(self._cells.pred, overlaps.of_one_cell(of), alone, classes))
        clusters = np.rint(self.k_true)
        for number in overlaps.numbers_of(clusters):
            here = clusters == number
            left[here] += self._left(overlaps.of_several(of, number, classes, self._n_classes), here)
        return left

    def expected_information(self) -> Numbers:
        """Return expected mutual information."""
        from clustermark.uncertainty.expected_by_component import expected_without_components

        sides = self._sizes_of(self._cells.true, 0), self._sizes_of(self._cells.pred, 1)
        return expected_without_components(sides, np.asarray(self.points).astype(np.int64), self.multiplicity)

    def _sizes_of(self, side: SideClusters, number: int) -> SizesByComponent:
        """Return the sizes of the clusters of a side by class, with lone points as clusters of one point."""
        from clustermark.uncertainty.expected_by_component import SizesByComponent

        parts = [(self._classes[number], side.size, np.ones(len(side.size), np.int64))]
        if side.some_alone:
            parts.append((self._of[side.alone], np.ones(int(side.alone.sum())), self._cells.times[side.alone]))
        component, size, times = (np.concatenate(column) for column in zip(*parts, strict=True))
        return SizesByComponent(component, size.astype(np.int64), times)

    def sum_matched(self, statistic: Any) -> Numbers:
        """Return the worth of all matches: a best matching consists of one for each component."""
        from clustermark.uncertainty.closed_forms import matched_entries

        cells = self._cells
        chosen = matched_entries(cells, statistic.of(self._table)) | (cells.true.alone & cells.pred.alone)
        quotient = QUOTIENTS[statistic.worth]
        values = cells.n
        if quotient is not None:
            parts, wholes = quotient(*cells.values)
            values = parts / wholes
        # one of the equal cells of an entry is matched
        total = self._left(add_by(self._of, np.where(chosen, values, 0), self._n_classes))
        whole = np.rint(total)  # equal clusters add up to whole numbers, which rounding must not hide
        return np.where(np.abs(total - whole) <= 1e-12 * np.maximum(whole, 1), whole, total)


class ResampledComponents(Components):
    """The sums of tables of components drawn with replacement, a class for each table."""

    def __init__(self, table: CellTable, groups: EntryGroups, drawn: NDArray[np.int64]) -> None:
        """Prepare the sums; `drawn` has a row for each table, with the number of draws of each component."""
        super().__init__(table, groups)
        self._drawn = drawn
        self.points = drawn @ self._by_class(self._cells.n)
        self.multiplicity = np.ones(len(drawn), np.int64)

    def _left(self, parts: Numbers, which: Any = slice(None)) -> Numbers:
        return self._drawn[which] @ parts

    def expected_information(self) -> Numbers:
        """Not available: every table has other sizes of clusters."""
        return self._refuse()

    def _largest_left(self, sizes: Numbers) -> Numbers:
        best = np.zeros(self._n_classes, sizes.dtype)
        np.maximum.at(best, self._of, sizes)
        return np.where(self._drawn > 0, best, 0).max(axis=1)


class EntryGroups(NamedTuple):
    """Groups of entries of a table."""

    of: NDArray[np.int64]
    """The group of each entry."""
    multiplicity: NDArray[np.int64]
    """Number of units that each group stands for: 1, except for lone points on both sides, each of which is a unit."""


def find_components(table: CellTable) -> EntryGroups:
    """Return the connected components of a table."""
    cells = table.kernel_cells
    rows, columns = cells.rows.astype(np.int64), cells.columns.astype(np.int64)
    n_lines = cells.n_rows + cells.n_columns
    joined = (rows >= 0) & (columns >= 0)
    of_line = connect(rows[joined], cells.n_rows + columns[joined], n_lines)
    count = int(of_line.max(initial=-1)) + 1
    line = np.where(rows >= 0, rows, np.where(columns >= 0, cells.n_rows + columns, n_lines))
    of = np.append(of_line, count)[line]
    singles = int(cells.counts[of == count].sum())
    return EntryGroups(of, np.append(np.ones(count, np.int64), [singles] if singles else []).astype(np.int64))


class PointSample:
    """The points of a table."""

    unit = "point"
    largest_share = 0.0
    fewest_grouped = 1 << 15
    """Equal cells are grouped if there are at least this many cells."""

    def __init__(self, table: Contingency) -> None:
        if table.weights is not None:
            raise UnsupportedTableError("weights are not counts; name the groups that were sampled")
        if not table.in_memory and not table.plain:
            raise UnsupportedTableError(f"a table with unscored noise or unmatched items {IN_ENGINE}")
        self.table = table

    @cached_property
    def multiplicity(self) -> NDArray[np.int64]:
        """Number of points of each class, which is an entry or a set of equal cells."""
        return self.table.cells.counts if self.table.in_memory else self.units.multiplicity

    @cached_property
    def units(self) -> Units:
        """The sums without one point."""
        if not self.table.in_memory:
            return TalliedPoints(self.table)
        if not self.table.plain:
            raise NoClosedFormError("has no closed form with unscored noise or unmatched items")
        return Points(self.table.to_memory())

    def sort(self) -> PointSample:
        """Return the same sample in an order that does not depend on that of the points."""
        return PointSample(sort_by_label(self.table.to_memory())[0])

    @cached_property
    def alike(self) -> AlikePoints | None:
        """The same sums by equal cells, for statistics that need no other facts; None if that saves no time."""
        if not self.table.in_memory or not self.table.plain:
            return None
        return find_alike(self.table.to_memory(), self.fewest_grouped)

    def take(self, chosen: NDArray[np.int64]) -> CellTable:
        """Return the table with `chosen` points of each entry."""
        return with_counts(self.table.to_memory(), chosen)


class ComponentSample:
    """Groups of entries that share no cluster: connected components, or groups of points that consist of these."""

    def __init__(self, table: Contingency, groups: EntryGroups | None = None) -> None:
        if not table.in_memory:
            raise UnsupportedTableError(f"the unit component {IN_ENGINE}")
        self.unit = "component" if groups is None else "group"
        self.table = table
        self.groups = find_components(table.to_memory()) if groups is None else groups

    @property
    def multiplicity(self) -> NDArray[np.int64]:
        """Number of components of each class."""
        return self.groups.multiplicity

    @cached_property
    def largest_share(self) -> float:
        """The share of all points that are in the largest component."""
        return float(self._sizes.max() / (self._sizes @ self.multiplicity))

    @cached_property
    def _sizes(self) -> NDArray[np.float64]:
        """Number of points of a component of each class."""
        return np.bincount(self.groups.of, self.table.cells.counts) / self.multiplicity

    @cached_property
    def heavy_tail(self) -> str:
        """Why the sizes of components forbid intervals of sums that grow with them; empty if they do not."""
        return refuse_tail(self._sizes, self.multiplicity, self.unit)

    @cached_property
    def n_in_error(self) -> int:
        """Number of components that are not one true cluster with the same points as one predicted cluster."""
        entries = np.bincount(self.groups.of, minlength=len(self.multiplicity))
        cells = self.table.to_memory().kernel_cells
        sizes = [np.bincount(lines[lines >= 0], cells.counts[lines >= 0]) for lines in (cells.rows, cells.columns)]
        whole = np.ones(len(cells.counts), np.bool_)  # cells that are a whole cluster on both sides
        for lines, size in zip((cells.rows, cells.columns), sizes, strict=True):
            alone = lines < 0
            whole &= np.where(alone, cells.counts == 1, np.append(size, 0)[lines] == cells.counts)
        whole |= (cells.rows < 0) & (cells.columns < 0)
        right = np.bincount(self.groups.of, whole, minlength=len(self.multiplicity)) == entries
        return int(self.multiplicity[~right].sum())

    @cached_property
    def units(self) -> Units:
        """The sums without one component."""
        if not self.table.plain:
            raise NoClosedFormError("has no closed form with weights, unscored noise or unmatched items")
        return Components(self.table.to_memory(), self.groups)

    def sort(self) -> ComponentSample:
        """Return the same sample in an order that does not depend on that of the points."""
        table, order = sort_by_label(self.table.to_memory())
        classes, first, of = np.unique(self.groups.of[order], return_index=True, return_inverse=True)
        by_first = np.argsort(first)
        made = ComponentSample(
            table, EntryGroups(np.argsort(by_first)[of], self.groups.multiplicity[classes[by_first]])
        )
        made.unit = self.unit
        return made

    def take(self, chosen: NDArray[np.int64]) -> CellTable:
        """Return the table with `chosen` components of each class."""
        counts, groups = self.table.cells.counts, self.groups
        single = groups.multiplicity[groups.of] > 1
        counts = np.where(single, np.minimum(counts, chosen[groups.of]), counts * (chosen[groups.of] > 0))
        return with_counts(self.table.to_memory(), counts)


class PointsOfGroups(NamedTuple):
    """Points of a table, by their entries and groups."""

    entry: NDArray[np.int64]
    group: NDArray[np.int64]
    times: NDArray[np.int64]
    """Number of points that each element stands for."""


class GroupSample:
    """Groups of points that have clusters in common."""

    unit = "group"

    def __init__(
        self, table: Contingency, entry: NDArray[np.int64], group: NDArray[np.int64], times: NDArray[np.int64]
    ):
        if table.weights is not None:
            raise UnsupportedTableError(
                "weights cannot be split among groups that have clusters in common; choose larger groups"
            )
        self.table = table
        self._entry, self._group, self._times = entry, group, times
        self.multiplicity = np.ones(int(group.max()) + 1, np.int64)
        points = np.bincount(group, times)
        self.largest_share = float(points.max() / points.sum())

    @property
    def points(self) -> PointsOfGroups:
        """The points, each with its entry and its group."""
        return PointsOfGroups(self._entry, self._group, self._times)

    @property
    def units(self) -> Units:
        """Not available: a cluster of several groups changes with each of them."""
        raise NoClosedFormError("has no closed form for groups that have clusters in common")

    def sort(self) -> GroupSample:
        """Return the same sample in an order that does not depend on that of the points: by the contents of groups."""
        table, order = sort_by_label(self.table.to_memory())
        entry = np.argsort(order)[self._entry]
        held = np.zeros(len(self.multiplicity), np.uint64)
        np.add.at(held, self._group, (entry.astype(np.uint64) + 1) ** 3 * self._times.astype(np.uint64))
        return GroupSample(table, entry, np.argsort(np.argsort(held, kind="stable"))[self._group], self._times)

    def take(self, chosen: NDArray[np.int64]) -> CellTable:
        """Return the table of the points of the chosen groups."""
        table = self.table.to_memory()
        counts = np.zeros(len(table.cells.counts), np.int64)
        np.add.at(counts, self._entry, self._times * chosen[self._group])
        return with_counts(table, counts)


class SharedPoints(NamedTuple):
    """Points in an order that several tables share, so that the same points can be drawn from each table."""

    table: CellTable
    entry: NDArray[np.int64]
    """The entry of the table that contains each point."""
    multiplicity: NDArray[np.int64]
    """Number of points that each element stands for."""

    def take(self, chosen: NDArray[np.int64]) -> CellTable:
        """Return the table with `chosen` points of each element."""
        counts = np.bincount(self.entry, chosen, len(self.table.cells.counts))
        return with_counts(self.table, counts.astype(np.int64))


Sample: TypeAlias = PointSample | ComponentSample | GroupSample
"""Units of a table, by classes of equal units: `multiplicity` is the number of units of each class, `take` makes the
table of some of them, `units` has the sums without one unit if these have closed forms, and `sort` brings the classes
into an order that does not depend on that of the points."""


def sample_groups(table: Contingency, points: GroupedPoints) -> Sample:
    """Return the sample of groups; sums have closed forms if groups consist of whole clusters."""
    cells = table.to_memory().kernel_cells
    width = np.int64(cells.n_columns + 2)
    keys = (cells.rows.astype(np.int64) + 2) * width + cells.columns + 2
    order = np.argsort(keys)
    wanted = (points.rows + 2) * width + points.columns + 2
    entry = order[np.minimum(np.searchsorted(keys[order], wanted), len(keys) - 1)]
    if (keys[entry] != wanted).any():
        raise InputError("unit: the points are not those of the table; pass the labels that it was made of")
    _, groups = np.unique(points.groups, return_inverse=True)
    n_groups = int(groups.max()) + 1
    of = np.full(len(keys), -1, np.int64)
    of[entry] = groups
    lone = (cells.rows < 0) & (cells.columns < 0)
    apart = bool((of[entry] == groups).all()) and not lone.any() and _keep_clusters(table, of)
    if apart:
        return ComponentSample(table, EntryGroups(of, np.ones(n_groups, np.int64)))
    return GroupSample(table, entry, groups, points.times)


def _keep_clusters(table: Contingency, of: NDArray[np.int64]) -> bool:
    """Return whether every cluster lies in one group."""
    cells = table.to_memory().kernel_cells
    for lines, n in ((cells.rows, cells.n_rows), (cells.columns, cells.n_columns)):
        group = np.full(n + 2, -1, np.int64)
        group[lines] = of
        if ((group[lines] != of) & (lines >= 0)).any():
            return False
    return True


ONE_GROUPING = "choose one of the two, the one with fewer groups where both vary"


def sample_of(table: Contingency, unit: Unit | GroupedPoints | CrossedPoints) -> Sample:
    """Return the sampled units of a table."""
    if isinstance(unit, CrossedPoints):
        raise InputError(f"unit: {unit.name}: crossed groups have intervals only; {ONE_GROUPING}")
    if isinstance(unit, GroupedPoints):
        return sample_groups(table, unit)
    return ComponentSample(table) if unit == "component" else PointSample(table)
