"""The impact of a change of clustering, for all records and by slice: exact, from the cells of the table.

Let a and b be the weights of the clusters of a record before and after, and n the weight of their intersection. The
split rate is the mean of 1 - n/a over records, the merge rate that of 1 - n/b, the distance that of 1 - n/(a + b - n).
"""

from __future__ import annotations

from math import fsum
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clustermark import _kernel
from clustermark._kernel import ABSENT, LONE
from clustermark.errors import InputError
from clustermark.evaluation.predictions import classes_of_points, cluster_numbers
from clustermark.labels.labeling import Names
from clustermark.releases.change_lists import Slice, Slices
from clustermark.statistics.differences import sum_of_quotients

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from clustermark.releases.release_records import RecordLabels
    from clustermark.tables.cells import CellTable
    from clustermark.tables.contingency import Contingency
    from clustermark.tables.sums import CellTally


_WORD = 1 << 61
"""Products below this fit a 64-bit integer, and so does the sum of two of them."""
_DIGITS = 24
_DENSE = 1 << 20
"""Sums by size are kept in an array of all sizes up to this largest size."""


class ChangedCells(NamedTuple):
    """The cells that are not a whole cluster on both sides. With weights, all columns but `records` hold weights.

    An entry whose row or column is LONE stands for `records` equal cells of one record each.
    """

    entries: NDArray[np.int64]
    """The positions of these cells in the table."""
    rows: NDArray[np.int32]
    """The cluster before."""
    columns: NDArray[np.int32]
    """The cluster after."""
    records: NDArray[np.int64]
    part: NDArray[Any]
    """The weight of the counted records: the whole cell, or those in one slice."""
    mates: NDArray[Any]
    """Σ w (n - w) over those records: the weight of the pairs that stay together."""
    n: NDArray[Any]
    a: NDArray[Any]
    b: NDArray[Any]
    all_before: NDArray[np.bool_]
    """Whether the cell is all of its cluster before."""
    all_after: NDArray[np.bool_]

    def at(self, chosen: NDArray[Any]) -> ChangedCells:
        """Return the chosen entries."""
        return ChangedCells._make(column[chosen] for column in self)


class Masses(NamedTuple):
    """The mass of each kind of pair in a change of B-cubed precision, as a share of all records."""

    split: float
    """Together before only: the split rate."""
    merge: float
    """Together after only: the merge rate."""
    shrunk: float
    """Together in both, in a cluster that is smaller after."""
    grown: float
    """Together in both, in a cluster that is larger after."""


class Impact(NamedTuple):
    """Impact of a change, as means over records."""

    masses: Masses
    distance: float
    affected: int
    """Records whose cluster is not the same set of records as before."""
    affected_share: float
    """Their share, by weight."""


def changed_cells(table: CellTable) -> ChangedCells:
    """Return the cells of a table in memory that are not a whole cluster on both sides; cached in the table."""
    return table.once(ChangedCells, _find_changed)


def _find_changed(table: CellTable) -> ChangedCells:
    cells = table.kernel_cells
    weighted = cells.weights is not None
    counted = cells if not weighted else _without_weights(cells)
    rows, columns, counts = cells.rows, cells.columns, cells.counts
    true, pred = (np.append(sizes, [0, 1]) for sizes in _kernel.margins(counted))  # LONE (-1) reads the last entry
    lone = (rows == -1) | (columns == -1)
    points = np.where(lone, 1, counts) if lone.any() else counts
    all_before, all_after = points == true[rows], points == pred[columns]
    changed = ~(all_before & all_after)
    if table.one_sided:
        changed &= (rows != ABSENT) & (columns != ABSENT)
    entries = np.flatnonzero(changed)  # NumPy selects faster by positions than by a mask
    rows, columns, counts, points = rows[entries], columns[entries], counts[entries], points[entries]
    whole = all_before[entries], all_after[entries]
    if not weighted:
        mates = counts * (points - 1)
        return ChangedCells(entries, rows, columns, counts, counts, mates, points, true[rows], pred[columns], *whole)
    total = np.asarray(cells.weights)[entries]
    n = np.where(lone[entries], total / counts, total)
    a, b = (
        np.where(numbers >= 0, np.append(sizes, 0.0)[numbers], n)
        for numbers, sizes in zip((rows, columns), _kernel.margins(cells), strict=True)
    )
    return ChangedCells(entries, rows, columns, counts, total, 2 * np.asarray(cells.pairs)[entries], n, a, b, *whole)


def _without_weights(cells: _kernel.Cells) -> _kernel.Cells:
    return _kernel.Cells(cells.rows, cells.columns, cells.counts, None, None, cells.n_rows, cells.n_columns)


def measure(cells: ChangedCells, total: float) -> Impact:
    """Return the impact on records of this total weight; integers are summed exactly."""
    part, mates, n, a, b = cells[4:9]
    if n.dtype.kind == "i" and int(part.max(initial=0)) * int(max(a.max(initial=0), b.max(initial=0))) >= _WORD:
        part, mates, n, a, b = (column.astype(object) for column in (part, mates, n, a, b))
    shrunk, grown = np.flatnonzero(b < a), np.flatnonzero(b > a)
    masses = Masses(
        _add(part * (a - n), a, total=total),
        _add(part * (b - n), b, total=total),
        _add(mates[shrunk], b[shrunk], a[shrunk], total=total),
        _add(mates[grown], a[grown], b[grown], total=total),
    )
    distance = _add(part * (a + b - 2 * n), a + b - n, total=total)
    affected = _add(part, np.ones_like(part), total=total)
    return Impact(masses, distance, int(cells.records.sum()), affected)


def _add(parts: NDArray[Any], wholes: NDArray[Any], less: NDArray[Any] | None = None, *, total: float) -> float:
    """Return Σ (part / whole - part / less) / total."""
    if parts.dtype.kind == "f":
        quotients = parts / wholes - (0.0 if less is None else parts / less)
        return min(fsum(quotients.tolist()) / total, 1.0)
    exact = [*_by_whole(parts, wholes)]
    if less is not None:
        exact += [(-part, whole) for part, whole in _by_whole(parts, less)]
    return float(sum_of_quotients(exact) / int(total))


def _by_whole(parts: NDArray[Any], wholes: NDArray[Any]) -> Iterator[tuple[int, int]]:
    """Yield (sum of its parts, whole) for each distinct whole, exactly."""
    if not len(parts):
        return
    if parts.dtype.kind == "O" or int(wholes.max()) > 4 * len(wholes) + _DENSE:
        wholes, places = np.unique(wholes, return_inverse=True)
        of = wholes.tolist()
    else:
        places, of = wholes, range(int(wholes.max()) + 1)
    if parts.dtype.kind == "O":
        sums = [0] * len(of)
        for place, part in zip(places.tolist(), parts.tolist(), strict=True):
            sums[place] += part
        yield from zip(sums, of, strict=True)
        return
    # a sum of fewer than 2^29 numbers of 24 bits is exact in a double
    low, middle, high = (
        np.bincount(places, (parts >> shift) & ((1 << _DIGITS) - 1)).astype(np.int64)
        for shift in (0, _DIGITS, 2 * _DIGITS)
    )
    for place in np.flatnonzero(low | middle | high).tolist():
        yield int(low[place]) + (int(middle[place]) << _DIGITS) + (int(high[place]) << 2 * _DIGITS), of[place]


def total_weight(table: Contingency) -> float:
    """Return the total weight of the records of a table; without weights, their number."""
    if table.weights is None:
        return table.n_used
    return fsum(table.weights.tolist())


def measure_tally(tally: CellTally, total: int) -> Impact:
    """Return the impact from counts of equal cells, for cells that stay in an engine."""
    n, a, b, times = tally
    records, nowhere = n * times, np.zeros(len(n), np.int32)
    cells = ChangedCells(
        nowhere.astype(np.int64), nowhere, nowhere, records, records, records * (n - 1), n, a, b, n == a, n == b
    )
    return measure(cells.at(~(cells.all_before & cells.all_after)), total)


_MOST = 10_000
"""The largest number of slices."""


def slice_impact(table: CellTable, labelled: RecordLabels) -> Slices:
    """Return the impact on the records of each slice; partners in other slices count."""
    clusters = [
        cluster_numbers(table, side, is_truth=is_before)[side.codes]
        for side, is_before in ((labelled.before, True), (labelled.after, False))
    ]
    kept = (clusters[0] != ABSENT) & (clusters[1] != ABSENT)
    for numbers in (labelled.counts, labelled.weights):
        kept &= True if numbers is None else numbers > 0
    some = labelled.take(kept)
    names, of = _number_slices(some)
    if len(names) > _MOST:
        raise InputError(
            f"by: there are {len(names):,} slices, and at most {_MOST:,} are supported; choose a coarser column"
        )
    times = np.ones(len(of), np.int64) if some.counts is None else some.counts
    weights = times if some.weights is None else some.weights * times
    records, totals = sum_of(times, of, len(names)).tolist(), sum_of(weights, of, len(names)).tolist()
    changed, cells = _changed_records(table, some, times, *(numbers[kept] for numbers in clusters))
    of = of[changed]
    order = np.argsort(of, kind="stable")
    ends = np.searchsorted(of[order], np.arange(len(names) + 1))
    found = []
    for place in Names.of(names).sorted_order().tolist():
        impact = measure(cells.at(order[ends[place] : ends[place + 1]]), totals[place])
        masses = impact.masses
        rates = (impact.affected_share, masses.split, masses.merge, impact.distance, masses.shrunk, masses.grown)
        found.append(Slice(names[place], records[place], totals[place], impact.affected, *rates))
    return Slices(sorted(found, key=lambda row: -row.weight * row.distance))


def _number_slices(some: RecordLabels) -> tuple[list[Any], NDArray[np.int64]]:
    """Return the slices that occur (None for records without one), and the position of each record's slice."""
    assert some.by is not None
    codes = np.where(some.by.codes < 0, -1, some.by.codes).astype(np.int64)
    places, first = _kernel.encode_integers(codes)
    return list(Names(some.by.values, codes[first]).to_list()), places.astype(np.int64)


def _changed_records(
    table: CellTable,
    some: RecordLabels,
    times: NDArray[np.int64],
    rows: NDArray[np.int32],
    columns: NDArray[np.int32],
) -> tuple[NDArray[np.int64], ChangedCells]:
    """Return the positions of the affected records, and the cell of each."""
    cells = changed_cells(table)
    of_entry = np.zeros(len(table.kernel_cells.counts), np.int32)
    of_entry[cells.entries] = np.arange(1, len(cells.entries) + 1, dtype=np.int32)  # 0: unchanged
    of_record = classes_of_points(table, some.before, some.after, of_entry, None).astype(np.int64)
    changed = np.flatnonzero(of_record)
    cells, times, rows, columns = cells.at(of_record[changed] - 1), times[changed], rows[changed], columns[changed]
    if some.weights is None:
        return changed, cells._replace(records=times, part=times, mates=times * (cells.n - 1))
    # a LONE entry pools records of different weights; each of these records is a cluster of its own weight
    weight = some.weights[changed]
    n = np.where((rows == LONE) | (columns == LONE), weight, cells.n)
    a, b = np.where(rows == LONE, weight, cells.a), np.where(columns == LONE, weight, cells.b)
    mates = weight * times * np.maximum(n - weight, 0.0)
    return changed, cells._replace(records=times, part=weight * times, mates=mates, n=n, a=a, b=b)


def sum_of(values: NDArray[Any], groups: NDArray[Any], n: int) -> NDArray[Any]:
    """Return the sum of the values of each of n groups; integers are summed exactly."""
    sums = np.zeros(n, values.dtype)
    np.add.at(sums, groups, values)
    return sums


def distances_of(cells: ChangedCells) -> NDArray[np.float64]:
    """Return for each cell the weighted sum of the distances of its records."""
    apart = (cells.a + cells.b - 2 * cells.n) / (cells.a + cells.b - cells.n)
    return np.asarray(cells.part * apart, np.float64)
