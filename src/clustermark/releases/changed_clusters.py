"""Clusters that changed, and events: connected groups of clusters before and after that share records."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clustermark._kernel import connect
from clustermark.diagnosis.error_list import Part
from clustermark.errors import InputError, Mention
from clustermark.releases.change_lists import KINDS, NAMED, ClusterChange, ClusterChanges, Event, EventList, KindCount
from clustermark.releases.impact import changed_cells, distances_of, sum_of
from clustermark.tables.clusters import names_of, other, ranks_of
from clustermark.tables.parts import Changed
from clustermark.tables.sums import count_moves

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from clustermark.labels.labeling import Names
    from clustermark.releases.change_lists import Release
    from clustermark.releases.impact import ChangedCells
    from clustermark.tables.cells import CellTable
    from clustermark.tables.contingency import Contingency, Side


SIDES: dict[str, Side] = {"before": "true", "after": "pred"}
"""A table holds the clustering before on its true side."""


def read_side(side: object) -> Side:
    """Return the side of the table for "before" or "after"."""
    if side not in SIDES:
        raise InputError(Mention("side", side), ' must be "before" or "after"')
    return SIDES[str(side)]


class _SideCells(NamedTuple):
    """The changed cells from the viewpoint of one side."""

    lines: NDArray[np.int32]
    """The cluster of each cell on this side."""
    theirs: NDArray[np.int32]
    """The cluster of each cell on the other side."""
    all_mine: NDArray[np.bool_]
    """Whether the cell is the whole cluster of this side."""
    all_theirs: NDArray[np.bool_]
    """Whether the cell is the whole cluster of the other side."""
    inside: int
    """Kind of a cluster that lies inside one of the other side."""
    whole: int
    """Kind of a cluster that is a union of whole clusters of the other side."""

    @classmethod
    def of(cls, cells: ChangedCells, side: Side) -> _SideCells:
        merged, split = KINDS.index("merged"), KINDS.index("split")
        if side == "true":
            return cls(cells.rows, cells.columns, cells.all_before, cells.all_after, merged, split)
        return cls(cells.columns, cells.rows, cells.all_after, cells.all_before, split, merged)

    def kinds(self, n: int) -> NDArray[np.int8]:
        """Return the kind of each of n labelled clusters; 0 for clusters without a changed cell."""
        kinds = np.zeros(n + 1, np.int8)  # LONE (-1) writes the last entry
        kinds[self.lines] = self.whole
        kinds[self.lines[~self.all_theirs]] = KINDS.index("regrouped")
        kinds[self.lines[self.all_mine]] = self.inside
        return kinds[:n]


def _kinds(table: CellTable, side: Side) -> NDArray[np.int8]:
    """Return the kind of each labelled cluster of a side, 0 if unchanged; cached in the table."""
    cells = table.kernel_cells
    n = cells.n_rows if side == "true" else cells.n_columns
    return table.once(("kinds of changes", side), lambda table: _SideCells.of(changed_cells(table), side).kinds(n))


def count_kinds(cells: ChangedCells, table: Contingency, changed: CellTable) -> dict[str, dict[str, KindCount]]:
    """Count the clusters of each side and kind, with their records; a record without a label is a cluster.

    cells: the changed cells of `changed`, which holds the names.
    """
    alone = (cells.rows < 0) | (cells.columns < 0)
    apart = int(np.count_nonzero(~alone)) + int(cells.records[alone].sum())
    kept = KindCount(table.n_cells - apart, table.n_used - int(cells.records.sum()))
    found = {}
    for side, where in SIDES.items():
        seen, of_cluster = _SideCells.of(cells, where), _kinds(changed, where)
        # LONE reads the last entry: a single record lies inside a cluster
        of_cell = np.append(of_cluster, np.int8(seen.inside))[seen.lines]
        numbers = np.bincount(of_cluster, minlength=len(KINDS))
        numbers[seen.inside] += int(cells.records[seen.lines < 0].sum())
        records = sum_of(cells.records, of_cell, len(KINDS))
        found[side] = {"unchanged": kept} | {
            kind: KindCount(int(numbers[place]), int(records[place])) for place, kind in enumerate(KINDS) if place
        }
    return found


def list_changes(table: Contingency, side: Release, k: int | None, total: int) -> ClusterChanges:
    """Return the k clusters of a side that changed most; total: how many changed in all."""
    where = read_side(side)
    part = table.part(Changed() if k is None else Changed(where, k))
    cells, names = changed_cells(part), names_of(part, where)
    seen = _SideCells.of(cells, where)
    labelled, n = np.flatnonzero(seen.lines >= 0), len(names)
    moves = sum_moves(cells.at(labelled), seen.lines[labelled], n)
    kinds = _kinds(part, where)
    candidates = np.flatnonzero(kinds > 0)
    candidates = candidates[first_places(moves[candidates], k)]
    candidates = candidates[names.take(candidates).sorted_order()]
    chosen = candidates[np.argsort(-moves[candidates], kind="stable")][:k]
    impact = sum_distances(cells, seen.lines, chosen)
    parts = _list_parts(cells, seen, chosen, names_of(part, other(where)))
    columns = (
        names.take(chosen).to_list(),
        [KINDS[kind] for kind in kinds[chosen].tolist()],
        *zip(*(parts[cluster][:2] for cluster in chosen.tolist()), strict=True),
        [impact[cluster] for cluster in chosen.tolist()],
        [tuple(parts[cluster][2]) for cluster in chosen.tolist()],
    )
    rows = [ClusterChange._make(row) for row in zip(*columns, strict=True)] if len(chosen) else []
    return ClusterChanges(rows, side, total)


def _list_parts(
    cells: ChangedCells, seen: _SideCells, chosen: NDArray[np.int64], others: Names
) -> dict[int, tuple[float, int, list[Part]]]:
    """Return for each chosen cluster its size, its number of counterparts, and the largest of these in order."""
    mine = np.flatnonzero(np.isin(seen.lines, chosen))
    lines, theirs, some = seen.lines[mine], seen.theirs[mine], cells.at(mine)
    own, size = (some.a, some.b) if seen.lines is cells.rows else (some.b, some.a)
    met = np.unique(theirs[theirs >= 0]).astype(np.int64)
    names = others.take(met)
    ranks = np.append(ranks_of(names), np.int32(len(met)))  # single records come last
    place = np.where(theirs >= 0, np.searchsorted(met, theirs), -1)
    order = np.lexsort((ranks[place], -some.n, lines))
    labels = [*names.to_list(), None]
    found: dict[int, tuple[float, int, list[Part]]] = {}
    columns = (lines, place, some.n, size, own, some.records)
    for line, at, n, across, whole, records in zip(*(column[order].tolist() for column in columns), strict=True):
        times = records if at < 0 else 1
        _, number, parts = found.get(line, (whole, 0, []))
        found[line] = whole, number + times, parts
        parts += [Part(labels[at], n, across, lone=at < 0)] * min(times, NAMED - len(parts))
    return found


_COUNTED = 1 << 42
"""For fewer records, the sum of `count_moves` fits a 64-bit integer."""


class EventArrays:
    """All events of a table, as arrays."""

    def __init__(self, cells: ChangedCells, table: CellTable) -> None:
        self._cells, self._table = cells, table
        (rows, n_rows), (columns, n_columns) = _number(cells.rows), _number(cells.columns)
        columns = columns + np.int32(n_rows)
        whole = np.flatnonzero((cells.rows >= 0) & (cells.columns >= 0))
        befores, afters = (side[whole].astype(np.int64) for side in (rows, columns))
        component = connect(befores, afters, n_rows + n_columns).astype(np.int32)
        self.total = int(component.max(initial=-1)) + 1
        """The number of events."""
        # an entry that is LONE on one side belongs to the event of its other side
        self.of = component[np.where(cells.rows >= 0, rows, columns)]
        self.records = sum_of(cells.records, self.of, self.total)
        self.moves = sum_moves(cells, self.of, self.total)
        self.n_before = self._count_clusters(cells.rows, component[:n_rows])
        self.n_after = self._count_clusters(cells.columns, component[n_rows:])
        merged, split, regrouped = map(KINDS.index, ("merged", "split", "regrouped"))
        self.kinds = np.where(self.n_after == 1, merged, np.where(self.n_before == 1, split, regrouped))
        """The kind of each event, as a position in `KINDS`."""

    def _count_clusters(self, lines: NDArray[np.int32], component: NDArray[np.int32]) -> NDArray[np.int64]:
        alone = np.flatnonzero(lines < 0)
        labelled = np.bincount(component, minlength=self.total)
        return np.asarray(labelled + sum_of(self._cells.records[alone], self.of[alone], self.total))

    def count(self) -> dict[str, KindCount]:
        """Count the events of each kind other than "unchanged", and their records."""
        return {
            kind: KindCount(int(np.count_nonzero(self.kinds == place)), int(self.records[self.kinds == place].sum()))
            for place, kind in enumerate(KINDS)
            if place
        }

    def first(self, k: int | None) -> EventList:
        """Return the k events with the largest impact."""
        chosen = first_places(self.moves, k)
        before, after = (self._members(side, chosen) for side in ("before", "after"))
        impact = sum_distances(self._cells, self.of, chosen)
        rows = [
            Event(
                KINDS[self.kinds[event]],
                int(self.n_before[event]),
                int(self.n_after[event]),
                int(self.records[event]),
                impact[event],
                tuple(before[event]),
                tuple(after[event]),
            )
            for event in chosen.tolist()
        ]
        places = {event: place for place, event in enumerate(sort_labels(before, after, chosen.tolist()))}
        order = sorted(
            range(len(rows)),
            key=lambda place: (-self.moves[chosen[place]], -rows[place].records, places[int(chosen[place])]),
        )
        return EventList([rows[place] for place in order[:k]], self.total)

    def _members(self, side: str, chosen: NDArray[np.int64]) -> dict[int, list[Any]]:
        """Return the labels of the first clusters of each chosen event, in sorted order."""
        lines, names = (
            (self._cells.rows, self._table.true_names)
            if side == "before"
            else (self._cells.columns, self._table.pred_names)
        )
        wanted = np.zeros(self.total, np.bool_)
        wanted[chosen] = True
        mine = np.flatnonzero(wanted[self.of] & (lines >= 0))
        clusters, first = np.unique(lines[mine], return_index=True)
        events = self.of[mine][first]
        some = names.take(clusters.astype(np.int64))
        labels, order = some.to_list(), some.sorted_order()
        members: dict[int, list[Any]] = {int(event): [] for event in chosen}
        for place in order.tolist():
            if len(members[int(events[place])]) < NAMED:
                members[int(events[place])].append(labels[place])
        return members


def _number(lines: NDArray[np.int32]) -> tuple[NDArray[np.int32], int]:
    """Renumber the clusters that occur from 0, leave -1, and return also how many occur."""
    occurs = np.zeros(int(lines.max(initial=-1)) + 1, np.bool_)
    occurs[lines[np.flatnonzero(lines >= 0)]] = True
    numbers = np.append(np.cumsum(occurs, dtype=np.int32) - np.int32(1), np.int32(-1))
    return numbers[lines], int(np.count_nonzero(occurs))


def sort_labels(before: dict[int, list[Any]], after: dict[int, list[Any]], events: list[int]) -> list[int]:
    """Sort events by their first label before, then by their first label after."""
    from clustermark.labels.labeling import Names

    keys = []
    for side in (before, after):
        firsts = list(dict.fromkeys(side[event][0] for event in events if side[event]))
        order = Names.of(firsts).sorted_order() if firsts else np.zeros(0, np.int64)
        ranks = {firsts[place]: rank for rank, place in enumerate(order.tolist())}
        keys.append({event: ranks[side[event][0]] if side[event] else len(ranks) for event in events})
    return sorted(events, key=lambda event: (keys[0][event], keys[1][event]))


def first_places(keys: NDArray[np.int64], k: int | None) -> NDArray[np.int64]:
    """Return the positions of the k largest keys, with all ties of the last one."""
    if k is None or k >= len(keys):
        return np.arange(len(keys))
    if k == 0:
        return np.zeros(0, np.int64)
    least = np.partition(keys, len(keys) - k)[len(keys) - k]
    return np.flatnonzero(keys >= least)


def sum_moves(cells: ChangedCells, groups: NDArray[Any], n: int) -> NDArray[np.int64]:
    """Return integer keys by which changes are sorted: the summed distance of each group, the same in every engine."""
    if cells.n.dtype.kind == "i" and int(cells.records.max(initial=0)) * len(groups) < _COUNTED:
        return sum_of(count_moves(cells.n, cells.a, cells.b, cells.records), groups, n)
    far = sum_of(distances_of(cells), groups, n)
    # rounded, so that equal sums are equal in any order of addition
    return np.rint(far / max(float(far.max(initial=0.0)), 1e-300) * 2.0**40).astype(np.int64)


def sum_distances(cells: ChangedCells, of: NDArray[Any], chosen: NDArray[np.int64]) -> dict[int, float]:
    """Return the summed distance of each chosen group; the bits do not depend on the order of the cells."""
    mine = np.flatnonzero(np.isin(of, chosen))
    group, some = np.searchsorted(chosen, of[mine], sorter=(by := np.argsort(chosen))), cells.at(mine)
    order = np.lexsort((some.b, some.a, some.n, some.part, group))
    sums = np.bincount(group[order], distances_of(some)[order], minlength=len(chosen))
    return dict(zip(chosen[by].tolist(), sums.tolist(), strict=True))
