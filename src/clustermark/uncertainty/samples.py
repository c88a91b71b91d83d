"""What was sampled, as the user says it: points, components of the table, or groups of points; and tables of some."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from clustermark.errors import InputError, UnsupportedTableError
from clustermark.statistics.units import NoClosedFormError
from clustermark.tables.drawing import sort_by_label, with_counts
from clustermark.uncertainty.components import Components, Groups, find_components
from clustermark.uncertainty.points import IN_ENGINE, Points, TalliedPoints, find_alike

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from clustermark.statistics.units import Units
    from clustermark.tables.cells import CellTable
    from clustermark.tables.contingency import Contingency
    from clustermark.uncertainty.points import AlikePoints


class GroupedPoints(NamedTuple):
    """Points, each with its place in the table and its group."""

    rows: NDArray[np.int64]
    """The true cluster of each point, by its number in the table; LONE and ABSENT as there."""
    columns: NDArray[np.int64]
    groups: NDArray[np.int64]
    """Numbers from 0."""
    times: NDArray[np.int64]
    """How many points each of them stands for."""


class PointSample:
    """The points of a table."""

    unit = "point"
    largest_share = 0.0

    def __init__(self, table: Contingency) -> None:
        if table.weights is not None:
            raise UnsupportedTableError("weights are not counts; name the groups that were sampled")
        if not table.in_memory and not table.plain:
            raise UnsupportedTableError(f"a table with unscored noise or unmatched items {IN_ENGINE}")
        self.table = table

    @cached_property
    def multiplicity(self) -> NDArray[np.int64]:
        """How many points each class has: each entry, or cells that are alike."""
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
        """The same sample, in an order that the points do not decide."""
        return PointSample(sort_by_label(self.table.to_memory())[0])

    @cached_property
    def alike(self) -> AlikePoints | None:
        """The same by cells that are alike, for sums that need no more of a cell; None where that does not pay."""
        return find_alike(self.table.to_memory()) if self.table.in_memory and self.table.plain else None

    def take(self, chosen: NDArray[np.int64]) -> CellTable:
        """The table of so many points of each entry."""
        return with_counts(self.table.to_memory(), chosen)


class ComponentSample:
    """Groups of entries that share no cluster: connected components, or groups of points that are made of such."""

    def __init__(self, table: Contingency, groups: Groups | None = None) -> None:
        if not table.in_memory:
            raise UnsupportedTableError(f"the unit component {IN_ENGINE}")
        self.unit = "component" if groups is None else "group"
        self.table = table
        self.groups = find_components(table.to_memory()) if groups is None else groups

    @property
    def multiplicity(self) -> NDArray[np.int64]:
        """How many components each class has."""
        return self.groups.multiplicity

    @cached_property
    def largest_share(self) -> float:
        """The share of all points that the largest component holds."""
        points = np.bincount(self.groups.of, self.table.cells.counts)
        return float((points / self.multiplicity).max() / points.sum())

    @cached_property
    def units(self) -> Units:
        """The sums without one component."""
        if not self.table.plain:
            raise NoClosedFormError("has no closed form with weights, unscored noise or unmatched items")
        return Components(self.table.to_memory(), self.groups)

    def sort(self) -> ComponentSample:
        """The same sample, in an order that the points do not decide."""
        table, order = sort_by_label(self.table.to_memory())
        classes, first, of = np.unique(self.groups.of[order], return_index=True, return_inverse=True)
        by_first = np.argsort(first)
        made = ComponentSample(table, Groups(np.argsort(by_first)[of], self.groups.multiplicity[classes[by_first]]))
        made.unit = self.unit
        return made

    def take(self, chosen: NDArray[np.int64]) -> CellTable:
        """The table of so many components of each class."""
        counts, groups = self.table.cells.counts, self.groups
        single = groups.multiplicity[groups.of] > 1
        counts = np.where(single, np.minimum(counts, chosen[groups.of]), counts * (chosen[groups.of] > 0))
        return with_counts(self.table.to_memory(), counts)


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
    def units(self) -> Units:
        """None: a cluster of several groups changes with each of them."""
        raise NoClosedFormError("has no closed form for groups that have clusters in common")

    def sort(self) -> GroupSample:
        """The same sample, in an order that the points do not decide: by what groups hold."""
        table, order = sort_by_label(self.table.to_memory())
        entry = np.argsort(order)[self._entry]
        held = np.zeros(len(self.multiplicity), np.uint64)
        np.add.at(held, self._group, (entry.astype(np.uint64) + 1) ** 3 * self._times.astype(np.uint64))
        return GroupSample(table, entry, np.argsort(np.argsort(held, kind="stable"))[self._group], self._times)

    def take(self, chosen: NDArray[np.int64]) -> CellTable:
        """The table of the points of the chosen groups."""
        table = self.table.to_memory()
        counts = np.zeros(len(table.cells.counts), np.int64)
        np.add.at(counts, self._entry, self._times * chosen[self._group])
        return with_counts(table, counts)


class SharedPoints(NamedTuple):
    """Points in an order that several tables share, so that the same of them can be drawn of each."""

    table: CellTable
    entry: NDArray[np.int64]
    """The place of each point among the entries of the table."""
    multiplicity: NDArray[np.int64]
    """How many points each of them stands for."""

    def take(self, chosen: NDArray[np.int64]) -> CellTable:
        """The table of so many of each."""
        counts = np.bincount(self.entry, chosen, len(self.table.cells.counts))
        return with_counts(self.table, counts.astype(np.int64))


Sample: TypeAlias = PointSample | ComponentSample | GroupSample
"""Units of a table, by classes of units that are alike: `multiplicity` tells how many units each class has, `take`
makes the table of some of them, `units` has the sums without one, where those have closed forms, and `sort` puts the
classes into an order that the points do not decide."""


def sample_groups(table: Contingency, points: GroupedPoints) -> Sample:
    """The sample of groups; one that is made of whole clusters has closed forms."""
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
        return ComponentSample(table, Groups(of, np.ones(n_groups, np.int64)))
    return GroupSample(table, entry, groups, points.times)


def _keep_clusters(table: Contingency, of: NDArray[np.int64]) -> bool:
    """Whether every cluster lies in one group."""
    cells = table.to_memory().kernel_cells
    for lines, n in ((cells.rows, cells.n_rows), (cells.columns, cells.n_columns)):
        group = np.full(n + 2, -1, np.int64)
        group[lines] = of
        if ((group[lines] != of) & (lines >= 0)).any():
            return False
    return True
