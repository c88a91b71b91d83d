"""New samples drawn from a given one: points from its cells, components or groups with replacement."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from clustermark import _kernel
from clustermark.errors import UnsupportedTableError
from clustermark.labels.labeling import Names
from clustermark.tables.cells import CellTable
from clustermark.tables.contingency import Account
from clustermark.tables.drawn_tables import with_counts
from clustermark.uncertainty.points import IN_ENGINE
from clustermark.uncertainty.samples import ComponentSample, EntryGroups, GroupSample, PointSample

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from clustermark.uncertainty.samples import Sample

World: TypeAlias = "Callable[[np.random.Generator], Sample]"
"""Draws one sample of a population."""


def resample(sample: Sample) -> World:
    """Return the world whose population is a sample itself: it draws samples with as many units.

    Points are drawn from the cells, and some from empty cells; clusters are the same in every sample. Components, and
    groups of whole clusters, are drawn with replacement, and copies of one are separate. Groups that have clusters in
    common are drawn with replacement, too; their clusters are the same in every sample.
    """
    if not sample.table.in_memory:
        raise UnsupportedTableError(f"a simulation {IN_ENGINE}")
    if isinstance(sample, PointSample):
        return PointWorld(sample)
    return _ComponentWorld(sample) if isinstance(sample, ComponentSample) else _GroupWorld(sample)


class PointWorld:
    """Points of fixed clusters: a share of them, estimated by the cells of one point, lies in cells that are empty.

    Without that share, errors that are too rare to be in the table would not occur (Good and Turing: cells of one point
    are as frequent as points of new cells). It is spread evenly over the empty cells.
    """

    def __init__(self, sample: PointSample) -> None:
        self._sample = sample
        self._n = n = int(sample.multiplicity.sum())
        self.unseen = _unseen_share(sample)
        """The share of the points that lie in cells that are empty in the table."""
        self._shares = np.append(sample.multiplicity * ((1 - self.unseen) / n), self.unseen)
        if self.unseen:
            cells = sample.table.to_memory().kernel_cells
            self._keys = np.sort(cells.rows.astype(np.int64) * cells.n_columns + cells.columns)

    def __call__(self, rng: np.random.Generator) -> PointSample:
        """Return a sample."""
        drawn = rng.multinomial(self._n, self._shares)
        return PointSample(self._table(drawn[:-1], *np.unique(self._place(int(drawn[-1]), rng), return_counts=True)))

    def _place(self, points: int, rng: np.random.Generator) -> NDArray[np.int64]:
        """Return an empty cell for each of some points, as row times the number of columns plus column."""
        found = np.zeros(0, np.int64)
        while len(found) < points:
            cells = self._sample.table.to_memory().kernel_cells
            tried = rng.integers(0, cells.n_rows * cells.n_columns, points - len(found))
            at = np.minimum(np.searchsorted(self._keys, tried), len(self._keys) - 1)
            found = np.append(found, tried[self._keys[at] != tried])
        return found

    def _table(self, counts: NDArray[np.int64], keys: NDArray[np.int64], times: NDArray[np.int64]) -> CellTable:
        table = self._sample.table.to_memory()
        if not len(keys):
            return with_counts(table, counts)
        cells = table.kernel_cells
        rows = np.append(cells.rows, (keys // cells.n_columns).astype(np.int32))
        columns = np.append(cells.columns, (keys % cells.n_columns).astype(np.int32))
        counts = np.append(counts, times.astype(np.int64))
        listed = np.maximum(counts, 1)  # the kernel leaves out cells without points
        made = _kernel.Cells(rows, columns, listed, None, None, cells.n_rows, cells.n_columns)
        account = Account(int(listed.sum()), policies=table.policies)
        rows_named, columns_named = (Names(None, np.arange(n)) for n in (cells.n_rows, cells.n_columns))
        return with_counts(CellTable(made, rows_named, columns_named, account), counts)

    def population(self, points: int) -> CellTable:
        """Return a table of about this many points with the shares of this world."""
        counts = np.rint(self._shares[:-1] * points).astype(np.int64)
        if not self.unseen:
            return self._table(counts, counts[:0], counts[:0])
        cells = self._sample.table.to_memory().kernel_cells
        empty = np.setdiff1d(np.arange(cells.n_rows * cells.n_columns), self._keys, assume_unique=True)
        ends = np.linspace(0, self.unseen * points, len(empty) + 1).astype(np.int64)
        times = ends[1:] - ends[:-1]
        return self._table(counts, empty[times > 0], times[times > 0])


_MOST_CELLS = 4_000_000
"""With more cells that there could be, none of the empty ones is filled."""
_MOST_UNSEEN = 0.5


def _unseen_share(sample: PointSample) -> float:
    """Return the share of points in cells that are empty in the table, by Good and Turing; 0 if there are none."""
    table = sample.table
    possible = table.n_true_clusters * table.n_pred_clusters
    if not table.plain or not table.n_cells < possible <= _MOST_CELLS:
        return 0.0
    once = int((sample.multiplicity == 1).sum())
    return min(max(once, 1) / int(sample.multiplicity.sum()), _MOST_UNSEEN)


class _ComponentWorld:
    """Components, or groups of them; copies of one share no cluster."""

    def __init__(self, sample: ComponentSample) -> None:
        self._sample, self._table = sample, sample.table.to_memory()
        groups, cells = sample.groups, self._table.kernel_cells
        self._alone = groups.multiplicity[groups.of] > 1  # entries of lone points, each of which is a component
        classes, of = np.unique(groups.of[~self._alone], return_inverse=True)
        self._of = np.full(len(groups.of), -1, np.int64)
        self._of[~self._alone] = of
        self._n_classes = len(classes)
        self._lone = np.flatnonzero(self._alone)
        each = np.append(np.ones(len(classes)), cells.counts[self._lone])
        self._n = int(groups.multiplicity.sum())
        self._shares = each / each.sum()

    def __call__(self, rng: np.random.Generator) -> ComponentSample:
        """Return a sample."""
        drawn = rng.multinomial(self._n, self._shares)
        times, lone = drawn[: self._n_classes], drawn[self._n_classes :]
        copies = np.zeros(len(self._of), np.int64)
        copies[~self._alone] = times[self._of[~self._alone]]
        copies[self._lone] = lone > 0
        entry = np.repeat(np.arange(len(copies)), copies)
        copy = np.arange(len(entry)) - np.repeat(np.cumsum(copies) - copies, copies)
        first = np.append(np.cumsum(times) - times, 0)  # the last place is read for lone points only
        of = np.where(self._alone[entry], len(entry), first[self._of[entry]] + copy)
        n_lone = int(lone.sum())
        multiplicity = np.append(np.ones(int(times.sum()), np.int64), [n_lone] if n_lone else []).astype(np.int64)
        of[self._alone[entry]] = len(multiplicity) - 1
        counts = self._table.kernel_cells.counts[entry]
        if n_lone:
            place = np.full(len(copies), -1)
            place[self._lone] = np.arange(len(self._lone))
            counts = np.where(self._alone[entry], lone[place[entry]], counts)
        made = ComponentSample(self._copy(entry, copy, counts, times), EntryGroups(of, multiplicity))
        made.unit = self._sample.unit
        return made

    def _copy(
        self, entry: NDArray[np.int64], copy: NDArray[np.int64], counts: NDArray[np.int64], times: NDArray[np.int64]
    ) -> CellTable:
        """Return the table of these entries, with clusters of its own for each copy of a component."""
        cells = self._table.kernel_cells
        rows, n_rows, _ = self._renumber(cells.rows, cells.n_rows, times, entry, copy)
        columns, n_columns, old = self._renumber(cells.columns, cells.n_columns, times, entry, copy)
        grown = counts / cells.counts[entry]
        weights, pairs = (None if array is None else array[entry] * grown for array in (cells.weights, cells.pairs))
        made = _kernel.Cells(rows, columns, counts, weights, pairs, n_rows, n_columns)
        unscored = self._table.unscored_columns
        account = Account(int(counts.sum()), one_sided=self._table.one_sided, policies=self._table.policies)
        return CellTable(
            made,
            Names(None, np.arange(n_rows)),
            Names(None, np.arange(n_columns)),
            account,
            None if unscored is None else np.ascontiguousarray(unscored[old]),
        )

    def _renumber(
        self,
        lines: NDArray[np.int32],
        n: int,
        times: NDArray[np.int64],
        entry: NDArray[np.int64],
        copy: NDArray[np.int64],
    ) -> tuple[NDArray[np.int32], int, NDArray[np.int64]]:
        """Return the cluster of each copied entry, the number of clusters, and the cluster that each is a copy of."""
        inside = lines >= 0
        copies = np.zeros(n, np.int64)
        copies[lines[inside]] = times[self._of[inside]]
        first = np.append(np.cumsum(copies) - copies, [0, 0])  # markers of lone and absent points stay
        chosen = lines[entry].astype(np.int64)
        made = np.where(chosen >= 0, first[chosen] + copy, chosen)
        return made.astype(np.int32), int(copies.sum()), np.repeat(np.arange(n), copies)


class _GroupWorld:
    """Groups of points of fixed clusters."""

    def __init__(self, sample: GroupSample) -> None:
        self._sample = sample
        self._n = len(sample.multiplicity)

    def __call__(self, rng: np.random.Generator) -> GroupSample:
        """Return a sample."""
        points = self._sample.points
        drawn = rng.multinomial(self._n, np.full(self._n, 1 / self._n))
        copies = drawn[points.group]
        element = np.repeat(np.arange(len(copies)), copies)
        copy = np.arange(len(element)) - np.repeat(np.cumsum(copies) - copies, copies)
        group = (np.cumsum(drawn) - drawn)[points.group[element]] + copy
        table = self._sample.table.to_memory()
        counts = np.bincount(points.entry[element], points.times[element], len(table.cells.counts)).astype(np.int64)
        place = np.cumsum(counts > 0) - 1
        return GroupSample(with_counts(table, counts), place[points.entry[element]], group, points.times[element])
