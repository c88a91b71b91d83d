"""How much changes from one clustering to another: exact, from the cells of their table.

Of a record i, a, b and n are the weights of its cluster before, of its cluster after, and of what these share. All is
a mean over records: of 1 - n/a (splits), of 1 - n/b (merges), of 1 - n/(a + b - n) (the distance).
"""

from __future__ import annotations

from math import fsum
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clustermark import _kernel
from clustermark._kernel import ABSENT
from clustermark.statistics.differences import sum_of_quotients

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from clustermark.tables.cell_tally import CellTally
    from clustermark.tables.cells import CellTable
    from clustermark.tables.contingency import Contingency

_WORD = 1 << 61
"""Products below this fit a computer word, and so do their sums of two."""
_DIGITS = 24
_DENSE = 1 << 20
"""Sums by size are kept in an array of all sizes where the largest is not beyond so many."""


class ChangedCells(NamedTuple):
    """The cells that are not a whole cluster on both sides. All entries but `records` are weights, if there are some.

    Where a row or column is LONE, the entry stands for that many cells that are alike, one a record.
    """

    entries: NDArray[np.int64]
    """Which entries of the table they are."""
    rows: NDArray[np.int32]
    """The cluster before."""
    columns: NDArray[np.int32]
    """The cluster after."""
    records: NDArray[np.int64]
    part: NDArray[Any]
    """What is meant of the cell: all of it, or the records of a slice."""
    mates: NDArray[Any]
    """Σ w (n - w) over those records: with how much they stay together."""
    n: NDArray[Any]
    a: NDArray[Any]
    b: NDArray[Any]
    all_before: NDArray[np.bool_]
    """Whether the cell is all of its cluster before."""
    all_after: NDArray[np.bool_]

    def at(self, chosen: NDArray[Any]) -> ChangedCells:
        """The chosen entries."""
        return ChangedCells._make(column[chosen] for column in self)


class Masses(NamedTuple):
    """What pairs of records weigh in a change of B-cubed precision, by kind of pair; each a share of all records."""

    split: float
    """Together before only: the split rate."""
    merge: float
    """Together after only: the merge rate."""
    shrunk: float
    """Together in both, in a cluster that is smaller after."""
    grown: float
    """Together in both, in a cluster that is larger after."""


class Impact(NamedTuple):
    """How much changes, as means over records."""

    masses: Masses
    distance: float
    affected: int
    """Records whose cluster is not the same set of records as before."""
    affected_share: float
    """Their share, by weight."""


def changed_cells(table: CellTable) -> ChangedCells:
    """The cells of a table in memory that are not a whole cluster on both sides; found once a table."""
    return table.once(ChangedCells, _find_changed)


def _find_changed(table: CellTable) -> ChangedCells:
    cells = table.kernel_cells
    weighted = cells.weights is not None
    counted = cells if not weighted else _without_weights(cells)
    rows, columns, counts = cells.rows, cells.columns, cells.counts
    true, pred = (np.append(sizes, [0, 1]) for sizes in _kernel.margins(counted))  # LONE finds the last place
    lone = (rows == -1) | (columns == -1)
    points = np.where(lone, 1, counts) if lone.any() else counts
    all_before, all_after = points == true[rows], points == pred[columns]
    changed = ~(all_before & all_after)
    if table.one_sided:
        changed &= (rows != ABSENT) & (columns != ABSENT)
    entries = np.flatnonzero(changed)  # by which NumPy chooses faster than by truth values
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
    """The impact on records that weigh so much in all; whole numbers are added exactly."""
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
    """Σ (part / whole - part / less) / total."""
    if parts.dtype.kind == "f":
        quotients = parts / wholes - (0.0 if less is None else parts / less)
        return min(fsum(quotients.tolist()) / total, 1.0)
    exact = [*_by_whole(parts, wholes)]
    if less is not None:
        exact += [(-part, whole) for part, whole in _by_whole(parts, less)]
    return float(sum_of_quotients(exact) / int(total))


def _by_whole(parts: NDArray[Any], wholes: NDArray[Any]) -> Iterator[tuple[int, int]]:
    """The sum of the parts of each whole, exactly: with as many quotients as there are different wholes."""
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
    # a double adds up so many numbers of so few digits without rounding
    low, middle, high = (
        np.bincount(places, (parts >> shift) & ((1 << _DIGITS) - 1)).astype(np.int64)
        for shift in (0, _DIGITS, 2 * _DIGITS)
    )
    for place in np.flatnonzero(low | middle | high).tolist():
        yield int(low[place]) + (int(middle[place]) << _DIGITS) + (int(high[place]) << 2 * _DIGITS), of[place]


def total_weight(table: Contingency) -> float:
    """What all records of a table weigh; their number where there are no weights."""
    if table.weights is None:
        return table.n_used
    return fsum(table.weights.tolist())


def measure_tally(tally: CellTally, total: int) -> Impact:
    """The impact from cells that are alike, counted, where the cells themselves stay in an engine."""
    n, a, b, times = tally
    records, nowhere = n * times, np.zeros(len(n), np.int32)
    cells = ChangedCells(
        nowhere.astype(np.int64), nowhere, nowhere, records, records, records * (n - 1), n, a, b, n == a, n == b
    )
    return measure(cells.at(~(cells.all_before & cells.all_after)), total)
