"""The impact on the records of each slice, all their partners counted: those of other slices too."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clustermark import _kernel
from clustermark._kernel import ABSENT, LONE
from clustermark.errors import InputError
from clustermark.evaluation.ranking.cells import classes_of_points, cluster_numbers
from clustermark.labels.names import Names
from clustermark.releases.events import sum_of
from clustermark.releases.impact import ChangedCells, changed_cells, measure
from clustermark.tables.columnar import RowList, align, label_text

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from clustermark.releases.labelled import Labelled
    from clustermark.tables.cells import CellTable

_MOST = 10_000
"""So many slices are made at most."""


class Slice(NamedTuple):
    """The impact on the records of one slice."""

    slice: Any
    """None for records without one."""
    records: int
    weight: float
    """Of these records; their number where there are no weights."""
    affected: int
    affected_share: float
    split_rate: float
    merge_rate: float
    distance: float
    shrunk: float
    """See `Masses`."""
    grown: float


class Slices(RowList[Slice]):
    """The slices, the one with most impact in all (weight times distance) first; of equals by sorted order."""

    __slots__ = ()

    def to_dict(self) -> dict[str, list[Any]]:
        """The columns as lists of plain Python values."""
        return {name: [row[place] for row in self._rows] for place, name in enumerate(Slice._fields)}

    def __repr__(self) -> str:
        lines = [["slice", "records", "affected", "split rate", "merge rate", "distance"]]
        for row in self._rows[:20]:
            rates = (f"{rate:.4f}" for rate in (row.split_rate, row.merge_rate, row.distance))
            lines.append([label_text(row.slice), f"{row.records:,}", f"{100 * row.affected_share:.1f} %", *rates])
        left = len(self) - 20
        return "\n".join([align(lines), *([f"… and {left:,} more"] if left > 0 else [])])


def slice_impact(table: CellTable, labelled: Labelled) -> Slices:
    """The impact on the records of each slice of a table of these records."""
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
        raise InputError(f"by: there are {len(names):,} slices, at most {_MOST:,} are made; choose something coarser")
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


def _number_slices(some: Labelled) -> tuple[list[Any], NDArray[np.int64]]:
    """The slices that occur, None for records without one; and the place of each record's."""
    assert some.by is not None
    codes = np.where(some.by.codes < 0, -1, some.by.codes).astype(np.int64)
    places, first = _kernel.encode_integers(codes)
    return list(Names(some.by.values, codes[first]).to_list()), places.astype(np.int64)


def _changed_records(
    table: CellTable,
    some: Labelled,
    times: NDArray[np.int64],
    rows: NDArray[np.int32],
    columns: NDArray[np.int32],
) -> tuple[NDArray[np.int64], ChangedCells]:
    """Which records are affected, and the cells that they are in, one for each."""
    cells = changed_cells(table)
    of_entry = np.zeros(len(table.kernel_cells.counts), np.int32)
    of_entry[cells.entries] = np.arange(1, len(cells.entries) + 1, dtype=np.int32)  # 0 where nothing changed
    of_record = classes_of_points(table, some.before, some.after, of_entry, None).astype(np.int64)
    changed = np.flatnonzero(of_record)
    cells, times, rows, columns = cells.at(of_record[changed] - 1), times[changed], rows[changed], columns[changed]
    if some.weights is None:
        return changed, cells._replace(records=times, part=times, mates=times * (cells.n - 1))
    # records that are alone in a cluster are as large as that, and the table has entries that differ by weight only
    weight = some.weights[changed]
    n = np.where((rows == LONE) | (columns == LONE), weight, cells.n)
    a, b = np.where(rows == LONE, weight, cells.a), np.where(columns == LONE, weight, cells.b)
    mates = weight * times * np.maximum(n - weight, 0.0)
    return changed, cells._replace(records=times, part=weight * times, mates=mates, n=n, a=a, b=b)
