"""What became of clusters: how many of each kind, and those that changed most."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import numpy as np

from clustermark._kernel import connect
from clustermark.diagnosis.error_list import Part
from clustermark.errors import InputError, Mention
from clustermark.releases.impact import changed_cells, distances_of, sum_of
from clustermark.results.frames import RowList
from clustermark.results.text import align
from clustermark.tables.clusters import names_of, other, ranks_of
from clustermark.tables.columnar import label_text, short_text
from clustermark.tables.selections import Changed
from clustermark.tables.sums import count_moves

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from clustermark.labels.names import Names
    from clustermark.releases.impact import ChangedCells
    from clustermark.tables.cells import CellTable
    from clustermark.tables.contingency import Contingency, Side


Release: TypeAlias = Literal["before", "after"]
SIDES: dict[str, Side] = {"before": "true", "after": "pred"}
"""Before is where a table has the truth."""
_SHOWN = 3


class ClusterChange(NamedTuple):
    """A cluster of one side that is not the same on the other."""

    cluster: Any
    kind: str
    """split (into several whole clusters), merged (with others, whole), or regrouped; of a cluster after: how it came
    about."""
    size: float
    """Records, or their weight."""
    counterparts: int
    """Clusters of the other side that share records with it."""
    impact: float
    """Σ over its records of their distance, by weight."""
    parts: tuple[Part, ...]
    """The largest ten of them: label, records shared, size."""


class ClusterChanges(RowList[ClusterChange]):
    """The clusters of one side that changed most, the one of most impact first, of equals by sorted order of labels."""

    __slots__ = ("side", "total")

    def __init__(self, rows: Sequence[ClusterChange], side: Release, total: int) -> None:
        super().__init__(rows)
        self.side: Release = side
        self.total = total
        """How many labelled clusters changed, of which these are the first."""

    def to_dict(self) -> dict[str, list[Any]]:
        """The columns, one row a part: the cluster's own numbers repeat."""
        names = ("cluster", "kind", "size", "counterparts", "impact", "part", "overlap", "part_size")
        lines = [(*row[:5], *part[:3]) for row in self._rows for part in row.parts]
        return {name: [line[place] for line in lines] for place, name in enumerate(names)}

    def rows(self) -> list[dict[str, Any]]:
        """The rows as dicts, each with a list of its parts as dicts."""
        return [
            row._asdict() | {"parts": [{name: getattr(part, name) for name in Part._fields[:4]} for part in row.parts]}
            for row in self._rows
        ]

    def __repr__(self) -> str:
        across = "became" if self.side == "before" else "came from"
        lines = [["cluster", "kind", "size", "impact", across]]
        lines += [
            [label_text(row.cluster), row.kind, short_text(row.size), short_text(row.impact), describe_parts(row)]
            for row in self._rows
        ]
        head = f"{self.total:,} cluster{'' if self.total == 1 else 's'} {self.side} changed"
        return "\n".join([f"{head}; the first {len(self):,}:" if len(self) < self.total else head, align(lines)])


def describe_parts(row: ClusterChange) -> str:
    """The largest counterparts of a cluster, in words."""
    parts = [
        f"{'alone' if part.lone else label_text(part.cluster)} ({short_text(part.overlap)} of {short_text(part.size)})"
        for part in row.parts[:_SHOWN]
    ]
    left = row.counterparts - len(parts)
    return ", ".join([*parts, *([f"{left:,} more"] if left > 0 else [])])


def read_side(side: object) -> Side:
    """The side of the table that a caller means."""
    if side not in SIDES:
        raise InputError(Mention("side", side), ' must be "before" or "after"')
    return SIDES[str(side)]


class _Lines(NamedTuple):
    """The cells of one side's clusters, seen from there."""

    lines: NDArray[np.int32]
    """The cluster of each cell."""
    theirs: NDArray[np.int32]
    """Its cluster of the other side."""
    all_mine: NDArray[np.bool_]
    """Whether the cell is all of it."""
    all_theirs: NDArray[np.bool_]
    """Whether it is all of its cluster of the other side."""
    inside: int
    """The kind of a cluster that lies inside one of the other side."""
    whole: int
    """The kind of one that is made of whole ones."""

    @classmethod
    def of(cls, cells: ChangedCells, side: Side) -> _Lines:
        merged, split = KINDS.index("merged"), KINDS.index("split")
        if side == "true":
            return cls(cells.rows, cells.columns, cells.all_before, cells.all_after, merged, split)
        return cls(cells.columns, cells.rows, cells.all_after, cells.all_before, split, merged)

    def kinds(self, n: int) -> NDArray[np.int8]:
        """The kind of each of n labelled clusters; 0 for those without a cell here."""
        kinds = np.zeros(n + 1, np.int8)  # LONE finds the last place
        kinds[self.lines] = self.whole
        kinds[self.lines[~self.all_theirs]] = KINDS.index("regrouped")
        kinds[self.lines[self.all_mine]] = self.inside
        return kinds[:n]


def _kinds(table: CellTable, side: Side) -> NDArray[np.int8]:
    """The kind of each labelled cluster of a side, found once a table; 0 for those that did not change."""
    cells = table.kernel_cells
    n = cells.n_rows if side == "true" else cells.n_columns
    return table.once(("kinds of changes", side), lambda table: _Lines.of(changed_cells(table), side).kinds(n))


def count_kinds(cells: ChangedCells, table: Contingency, changed: CellTable) -> dict[str, dict[str, Count]]:
    """How many clusters of each side are of which kind, records that are alone included; and their records.

    cells: all that changed in the table, of which `changed` has the names.
    """
    alone = (cells.rows < 0) | (cells.columns < 0)
    apart = int(np.count_nonzero(~alone)) + int(cells.records[alone].sum())
    kept = Count(table.n_cells - apart, table.n_used - int(cells.records.sum()))
    found = {}
    for side, where in SIDES.items():
        seen, of_cluster = _Lines.of(cells, where), _kinds(changed, where)
        of_cell = np.append(of_cluster, np.int8(seen.inside))[seen.lines]  # LONE finds the last place: it lies inside
        numbers = np.bincount(of_cluster, minlength=len(KINDS))
        numbers[seen.inside] += int(cells.records[seen.lines < 0].sum())
        records = sum_of(cells.records, of_cell, len(KINDS))
        found[side] = {"unchanged": kept} | {
            kind: Count(int(numbers[place]), int(records[place])) for place, kind in enumerate(KINDS) if place
        }
    return found


def list_changes(table: Contingency, side: Release, k: int | None, total: int) -> ClusterChanges:
    """The k clusters of a side that changed most, of so many."""
    where = read_side(side)
    part = table.part(Changed() if k is None else Changed(where, k))
    cells, names = changed_cells(part), names_of(part, where)
    seen = _Lines.of(cells, where)
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
    cells: ChangedCells, seen: _Lines, chosen: NDArray[np.int64], others: Names
) -> dict[int, tuple[float, int, list[Part]]]:
    """Of each chosen cluster its size, how many clusters it meets, and the largest of these, equal ones in order."""
    mine = np.flatnonzero(np.isin(seen.lines, chosen))
    lines, theirs, some = seen.lines[mine], seen.theirs[mine], cells.at(mine)
    own, size = (some.a, some.b) if seen.lines is cells.rows else (some.b, some.a)
    met = np.unique(theirs[theirs >= 0]).astype(np.int64)
    names = others.take(met)
    ranks = np.append(ranks_of(names), np.int32(len(met)))  # what is alone comes last
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


KINDS = ("unchanged", "merged", "split", "regrouped")
"""What can become of clusters, and what an event can be."""
_COUNTED = 1 << 42
"""Below so many records, what they move by adds up within a computer word."""
NAMED = 10
"""So many clusters of an event, at most, are named on each side."""


class Event(NamedTuple):
    """Clusters before that became clusters after."""

    kind: str
    """split (one became several), merged (several became one), or regrouped."""
    n_before: int
    """Clusters before, records that were alone included."""
    n_after: int
    records: int
    impact: float
    """Σ over its records of their distance, by weight: 0 for none, 1 for each record that changed company wholly."""
    before: tuple[Any, ...]
    """The first ten of its clusters before, by sorted order; records that were alone have no label."""
    after: tuple[Any, ...]


class Count(NamedTuple):
    """How many clusters or events are of a kind, and how many records they have."""

    number: int
    records: int | None
    """None where an engine keeps the cells, and counts clusters only."""


class EventList(RowList[Event]):
    """Events, those of most impact first; of equals the one with most records, then by its clusters before."""

    __slots__ = ("total",)

    def __init__(self, rows: Sequence[Event], total: int) -> None:
        super().__init__(rows)
        self.total = total
        """How many events changed anything, of which these are the first."""

    def to_dict(self) -> dict[str, list[Any]]:
        """The columns as lists of plain Python values; clusters as texts with bars between them."""
        columns: dict[str, list[Any]] = {
            name: [getattr(row, name) for row in self._rows] for name in Event._fields[:-2]
        }
        return columns | {
            side: [" | ".join(map(str, getattr(row, side))) for row in self._rows] for side in ("before", "after")
        }

    def __repr__(self) -> str:
        lines = [["event", "clusters", "records", "impact", "before", "after"]]
        lines += [
            [row.kind, f"{row.n_before:,} → {row.n_after:,}", f"{row.records:,}", short_text(row.impact),
             name_clusters(row.before, row.n_before), name_clusters(row.after, row.n_after)]
            for row in self._rows
        ]  # fmt: skip
        head = f"{self.total:,} event{'' if self.total == 1 else 's'}"
        return "\n".join([f"{head}; the first {len(self):,}:" if len(self) < self.total else head, align(lines)])


def name_clusters(labels: Sequence[Any], number: int, most: int = 3) -> str:
    """Some labels of so many clusters, in words."""
    shown = ", ".join(label_text(label) for label in labels[:most])
    left = number - min(len(labels), most)
    if not shown:
        return "alone" if number == 1 else f"{number:,} alone"
    return f"{shown} and {left:,} more" if left else shown


class Events:
    """All events of a table that change anything, in arrays."""

    def __init__(self, cells: ChangedCells, table: CellTable) -> None:
        self._cells, self._table = cells, table
        (rows, n_rows), (columns, n_columns) = _number(cells.rows), _number(cells.columns)
        columns = columns + np.int32(n_rows)
        whole = np.flatnonzero((cells.rows >= 0) & (cells.columns >= 0))
        befores, afters = (side[whole].astype(np.int64) for side in (rows, columns))
        component = connect(befores, afters, n_rows + n_columns).astype(np.int32)
        self.total = int(component.max(initial=-1)) + 1
        """How many there are."""
        # an entry with a lone side hangs on its other side
        self.of = component[np.where(cells.rows >= 0, rows, columns)]
        self.records = sum_of(cells.records, self.of, self.total)
        self.moves = sum_moves(cells, self.of, self.total)
        self.n_before = self._count_clusters(cells.rows, component[:n_rows])
        self.n_after = self._count_clusters(cells.columns, component[n_rows:])
        merged, split, regrouped = map(KINDS.index, ("merged", "split", "regrouped"))
        self.kinds = np.where(self.n_after == 1, merged, np.where(self.n_before == 1, split, regrouped))
        """The place of each event's kind among the kinds."""

    def _count_clusters(self, lines: NDArray[np.int32], component: NDArray[np.int32]) -> NDArray[np.int64]:
        alone = np.flatnonzero(lines < 0)
        labelled = np.bincount(component, minlength=self.total)
        return np.asarray(labelled + sum_of(self._cells.records[alone], self.of[alone], self.total))

    def count(self) -> dict[str, Count]:
        """How many events there are of each kind that changes anything, and their records."""
        return {
            kind: Count(int(np.count_nonzero(self.kinds == place)), int(self.records[self.kinds == place].sum()))
            for place, kind in enumerate(KINDS)
            if place
        }

    def first(self, k: int | None) -> EventList:
        """The k events of most impact."""
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
        """The labels of the first clusters of each of these events, in sorted order."""
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
    """The clusters that occur, numbered from 0 on, and how many they are; -1 stays."""
    occurs = np.zeros(int(lines.max(initial=-1)) + 1, np.bool_)
    occurs[lines[np.flatnonzero(lines >= 0)]] = True
    numbers = np.append(np.cumsum(occurs, dtype=np.int32) - np.int32(1), np.int32(-1))
    return numbers[lines], int(np.count_nonzero(occurs))


def sort_labels(before: dict[int, list[Any]], after: dict[int, list[Any]], events: list[int]) -> list[int]:
    """Events by their first clusters: labels before in sorted order, then those after."""
    from clustermark.labels.names import Names

    keys = []
    for side in (before, after):
        firsts = list(dict.fromkeys(side[event][0] for event in events if side[event]))
        order = Names.of(firsts).sorted_order() if firsts else np.zeros(0, np.int64)
        ranks = {firsts[place]: rank for rank, place in enumerate(order.tolist())}
        keys.append({event: ranks[side[event][0]] if side[event] else len(ranks) for event in events})
    return sorted(events, key=lambda event: (keys[0][event], keys[1][event]))


def first_places(keys: NDArray[np.int64], k: int | None) -> NDArray[np.int64]:
    """The places of the k largest keys, with all that are as large as the last of them."""
    if k is None or k >= len(keys):
        return np.arange(len(keys))
    if k == 0:
        return np.zeros(0, np.int64)
    least = np.partition(keys, len(keys) - k)[len(keys) - k]
    return np.flatnonzero(keys >= least)


def sum_moves(cells: ChangedCells, groups: NDArray[Any], n: int) -> NDArray[np.int64]:
    """What orders changes: how far the records of each of n groups move, in whole parts that engines count alike."""
    if cells.n.dtype.kind == "i" and int(cells.records.max(initial=0)) * len(groups) < _COUNTED:
        return sum_of(count_moves(cells.n, cells.a, cells.b, cells.records), groups, n)
    far = sum_of(distances_of(cells), groups, n)
    # rounded, so that equal sums stay equal whatever order they were added in
    return np.rint(far / max(float(far.max(initial=0.0)), 1e-300) * 2.0**40).astype(np.int64)


def sum_distances(cells: ChangedCells, of: NDArray[Any], chosen: NDArray[np.int64]) -> dict[int, float]:
    """Σ over the records of each chosen group of their distance, the same bits for any order of the cells."""
    mine = np.flatnonzero(np.isin(of, chosen))
    group, some = np.searchsorted(chosen, of[mine], sorter=(by := np.argsort(chosen))), cells.at(mine)
    order = np.lexsort((some.b, some.a, some.n, some.part, group))
    sums = np.bincount(group[order], distances_of(some)[order], minlength=len(chosen))
    return dict(zip(chosen[by].tolist(), sums.tolist(), strict=True))
