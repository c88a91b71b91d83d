"""What became of clusters: how many of each kind, and those that changed most."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import numpy as np

from clustermark.diagnosis.error_list import Part
from clustermark.errors import InputError, Mention
from clustermark.releases.events import KINDS, NAMED, Count, first_places, sum_distances, sum_moves, sum_of
from clustermark.releases.impact import changed_cells
from clustermark.tables.clusters import names_of, other, ranks_of
from clustermark.tables.columnar import RowList, align, label_text, short_text

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
    part = table.changed() if k is None else table.most_changed(where, k)
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
