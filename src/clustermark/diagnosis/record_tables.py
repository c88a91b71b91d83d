"""Records beside the ids of their points: in columns, and in lines of text with what differs between stars."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from clustermark.diagnosis.marking import Marked, list_columns, mark_all, mark_pair
from clustermark.errors import InputError, Mention, count
from clustermark.results.data import Column, Table
from clustermark.results.document import Grid, Head, Heading, Notes
from clustermark.results.rows import Rows
from clustermark.tables.clusters import other
from clustermark.tables.columnar import label_text, short_text

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from clustermark.diagnosis.members import Members, RecordPair
    from clustermark.diagnosis.point_table import PointRecord
    from clustermark.results.data import Columns
    from clustermark.results.document import Body
    from clustermark.sources.records import Record
    from clustermark.tables.contingency import Side

STAR = "*"
"""Stands before and behind what differs: a sign that is seen without colours."""
_WIDTH = 32
_AROUND = 12
"""So many letters of a long value are shown before and behind what differs."""
_PAIRS_SHOWN = 3


class RecordTable(Rows[dict[str, Any]]):
    """Records beside the ids of their points, in columns: one row a point, or one row a pair of points."""

    __slots__ = ("_columns",)

    KIND = "records"
    TITLE = "Records"
    COLUMNS: ClassVar[Columns] = {"cluster": Column("any", doc="the cluster; beside it a key for each column")}

    def __init__(self, columns: Mapping[str, list[Any]]) -> None:
        self._columns = dict(columns)
        super().__init__(dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True))

    def tables(self) -> dict[str, Table]:
        """The one table, "rows", whose columns are those of the records."""
        return {"rows": Table({name: Column("label") for name in self._columns}, self._rows)}

    @property
    def headline(self) -> str:
        """How many rows there are."""
        return count(len(self), "row")


class ClusterLabels(RecordTable):
    """The cluster of each record beside its id, in columns."""

    KIND = "cluster_labels"
    TITLE = "Clusters of records"
    COLUMNS: ClassVar[Columns] = {"cluster": Column("label", doc="the cluster; beside it a key for each part of an id")}

    @property
    def headline(self) -> str:
        """The numbers of records and clusters."""
        labels = self._columns[next(reversed(self._columns))]
        return f"{count(len(self), 'record')} in {count(len(set(labels)), 'cluster')}"


def list_records(clusters: Iterable[tuple[Any, Members | None]]) -> RecordTable:
    """The points of clusters, one row each."""
    rows = [(cluster, one) for cluster, members in _there(clusters) for one in members.shown]
    columns: dict[str, list[Any]] = {
        "cluster": [cluster for cluster, _ in rows],
        **{name: [getattr(one, name) for _, one in rows] for name in ("point", "true", "pred")},
    }
    return RecordTable(columns | spread_records({"": [one.record for _, one in rows]}, columns))


def list_pairs(clusters: Iterable[tuple[Any, Members | None]]) -> RecordTable:
    """The wrong pairs of clusters, one row each."""
    rows = [(cluster, pair) for cluster, members in _there(clusters) for pair in members.pairs]
    columns: dict[str, list[Any]] = {
        "cluster": [cluster for cluster, _ in rows],
        "kind": [pair.kind for _, pair in rows],
    }
    sides = {"left": [pair.left for _, pair in rows], "right": [pair.right for _, pair in rows]}
    columns |= {side: [member.point for member in members] for side, members in sides.items()}
    for name in ("true", "pred"):
        columns |= {f"{side}_{name}": [getattr(one, name) for one in members] for side, members in sides.items()}
    records = {f"{side}_": [member.record for member in members] for side, members in sides.items()}
    return RecordTable(columns | spread_records(records, columns))


def _there(clusters: Iterable[tuple[Any, Members | None]]) -> list[tuple[Any, Members]]:
    listed = list(clusters)
    found = [(cluster, members) for cluster, members in listed if members is not None]
    if listed and not found:
        raise InputError("this list has no records; ask for them by ", Mention("records"), " or ", Mention("show"))
    return found


def spread_records(
    records: Mapping[str, Sequence[Record | None]], taken: Collection[str]
) -> dict[str, list[str | None]]:
    """A column for each value of records, by a prefix and its name; one that is taken gets "record_" before it.

    >>> spread_records({"": [{"city": "Lille", "true": "yes"}, None]}, ["point", "true"])
    {'city': ['Lille', None], 'record_true': ['yes', None]}
    """
    columns: dict[str, list[str | None]] = {}
    for name in list_columns([record for side in records.values() for record in side]):
        for prefix, side in records.items():
            column = f"{prefix}{name}"
            while column in taken or column in columns:
                column = f"record_{column}"
            columns[column] = [None if record is None else record.get(name) for record in side]
    return columns


def value_text(value: Marked | None, width: int = _WIDTH, clean: Callable[[str], str] = str) -> str:
    """A value as a short piece of one line, with stars around what differs; a dash where it is missing.

    >>> value_text(Marked(("Maier Eng", ".", " Porto"))), value_text(None), value_text(Marked(("",)))
    ('Maier Eng*.* Porto', '–', '(empty)')
    """
    if value is None:
        return "–"
    parts = [clean(part) for part in cut(value, width)]
    if not any(parts):
        return "(empty)"
    return "".join(f"{STAR}{part}{STAR}" if place % 2 else part for place, part in enumerate(parts))


def cut(value: Marked, width: int) -> Marked:
    """A value of so many letters, about: the first of what differs, and what stands next to it."""
    if sum(map(len, value)) <= width:
        return value
    if len(value) == 1:
        return Marked((f"{value[0][: width - 1]}…",))
    begin, parts, room = value[0], list(value[1:]), width
    shown = [begin if len(begin) <= _AROUND else f"…{begin[-_AROUND:]}"]
    for differing, after in zip(parts[::2], parts[1::2], strict=True):
        left = max(room, _AROUND)
        shown += [differing if len(differing) <= left else f"{differing[: left - 1]}…", after]
        room -= len(differing) + len(after)
        if room <= 0:
            break
    cut_off = len(shown) < len(value) or len(shown[-1]) > _AROUND
    shown[-1] = f"{shown[-1][:_AROUND]}…" if cut_off else shown[-1]
    return Marked(shown)


def member_cells(members: Members, side: Side, width: int = _WIDTH) -> list[list[str]]:
    """The points of a cluster as cells of text, the first line with the names of the columns."""
    records = [one.record for one in members.shown]
    names, across = list_columns(records), other(side)
    lines = [["point", across, *map(label_text, names)]]
    for one, marked in zip(members.shown, mark_all(records, members.entities(side)), strict=True):
        values = [value_text(marked.get(name), width, _one_line) for name in names]
        lines.append([label_text(one.point), label_text(getattr(one, across)), *values])
    return lines


def member_bodies(head: str, members: Members | None, side: Side) -> list[Body]:
    """The points of a cluster with their records, and some of its wrong pairs; nothing without records."""
    if members is None:
        return []
    heads, *rows = member_cells(members, side)
    grid = Grid([Head(head) for head in heads], rows, total=members.total)
    pairs = pair_lines(members)
    return [Heading(head), grid, *([Notes(pairs)] if pairs else [])]


def pair_lines(members: Members, most: int = _PAIRS_SHOWN) -> list[str]:
    """Some wrong pairs of each kind, each in a line that shows in what its records differ, and how many there are."""
    lines = []
    for kind, n in members.n_pairs.items():
        shown = [pair for pair in members.pairs if pair.kind == kind][:most]
        of = "" if len(shown) == n else f"; {len(shown):,} of them"
        lines += [f"{short_text(n)} {kind} pair{'' if n == 1 else 's'}{of}:"] if shown else []
        lines += [f"    {_pair_text(pair)}" for pair in shown]
    return lines


def _pair_text(pair: RecordPair) -> str:
    records = [member.record or {} for member in pair[1:]]
    texts = []
    for member, marked in zip(pair[1:], mark_pair(*records), strict=True):
        values = [value_text(value, _WIDTH, _one_line) for value in marked.values()]
        texts.append(f"{label_text(member.point)}: {', '.join(values)}" if values else label_text(member.point))
    return " | ".join(texts)


def beside_cells(points: Sequence[PointRecord], width: int = _WIDTH) -> list[list[str]]:
    """For the head and for each point the cells of its record, marked where it differs from the one beside it."""
    names = list_columns([one.member.record for one in points])
    lines = [["beside", *map(label_text, names)]]
    for member, beside in points:
        marked = mark_pair(member.record or {}, (beside and beside.record) or {})[0]
        values = [value_text(marked.get(name), width, _one_line) for name in names]
        lines.append([label_text(beside and beside.point), *values])
    return lines


def _one_line(text: str) -> str:
    return "".join(letter if letter.isprintable() else " " for letter in text)
