"""Members of clusters with their records, and the tables that show them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from itertools import combinations
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, TypeAlias

import numpy as np

from clustermark.diagnosis.record_differences import Marked, list_columns, mark_all, mark_pair
from clustermark.diagnosis.scored_points import Fates, ids_of, items_of, times_of, weights_of
from clustermark.errors import InputError, Mention, count
from clustermark.labels import read_pair
from clustermark.labels.labeling import Names
from clustermark.results.data import Column, Table
from clustermark.results.document import Grid, Head, Heading, Notes
from clustermark.results.rows import Rows
from clustermark.results.values import count_text, short_label
from clustermark.tables.clusters import other
from clustermark.tables.policies import ALONE, DROPPED, KEPT, ONE_SIDED

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence
    from typing import Self

    from numpy.typing import NDArray

    from clustermark.diagnosis.point_table import PointRecord
    from clustermark.diagnosis.scored_points import ScoredLabels
    from clustermark.results.data import Columns
    from clustermark.results.document import Body
    from clustermark.sources.tabular import Record
    from clustermark.tables.contingency import Side
    from clustermark.tables.policies import Policies


MOST_MEMBERS = 30
"""At most this many points of a cluster are listed, taken from its parts in turn."""
MOST_PAIRS = 20
PairKind: TypeAlias = Literal["false", "missing"]
_UNMATCHED = -1
"""Number in place of a part for a point that the other side lacks; it is in no pair."""


MEMBER: Columns = {
    "point": Column("label"),
    "true": Column("label"),
    "pred": Column("label"),
    "record": Column("any", optional=True),
}
MEMBERS: Columns = {
    "shown": Column("rows", rows=MEMBER),
    "parts": Column("number", within=("list",)),
    "total": Column("count"),
    "pairs": Column(
        "rows",
        rows={
            "kind": Column("name", choices=("false", "missing")),
            "left": Column("record", rows=MEMBER),
            "right": Column("record", rows=MEMBER),
        },
    ),
    "n_pairs": Column("amount", within=("map",)),
}


class Member(NamedTuple):
    """A point of a cluster, its two labels, and its record."""

    point: Any
    """Its id, or its position if points have no ids."""
    true: Any
    pred: Any
    record: Record | None = None
    """None if it has no record."""


class RecordPair(NamedTuple):
    """Two points that one side joins and the other does not."""

    kind: PairKind
    """"false" if they are together in the prediction only, "missing" if in truth only."""
    left: Member
    right: Member


class Members(NamedTuple):
    """Some points of a cluster, grouped by part, and some of its wrong pairs."""

    shown: tuple[Member, ...]
    """At most 30 points, taken from the parts in turn, the largest part first."""
    parts: tuple[int, ...]
    """The number of the part of each shown point, from 0. A point with a cluster of its own on the other side is a
    part; a point that the other side lacks has -1."""
    total: int
    pairs: tuple[RecordPair, ...]
    """At most 20 pairs, taken from each two parts in turn."""
    n_pairs: dict[PairKind, float]
    """Number of wrong pairs of each kind."""

    def entities(self, side: Side) -> list[int]:
        """Return the number of the true cluster of each listed point of a cluster of this side; -1 if it has none."""
        return list(self.parts) if side == "pred" else [0] * len(self.shown)


class Cluster(NamedTuple):
    """The points of a cluster as positions, grouped by part, the largest part first."""

    places: NDArray[np.int64]
    parts: NDArray[np.int64]
    """The number of the part of each point, from 0; -1 for a point that the other side lacks."""
    turns: NDArray[np.int64]
    """The position of each point within its part."""
    n_pairs: int
    """Number of pairs of its points that are apart on the other side."""

    def choose(self, most: int = MOST_MEMBERS) -> NDArray[np.int64]:
        """Return the positions of the listed points, taken from the parts in turn."""
        return np.sort(np.lexsort((self.parts, self.turns))[:most])

    def pair_up(self, chosen: NDArray[np.int64], most: int = MOST_PAIRS) -> list[tuple[int, int]]:
        """Return pairs of chosen points of different parts, taking two parts, and the points of each, in turn."""
        parts: list[int] = self.parts[chosen].tolist()
        turns: list[int] = self.turns[chosen].tolist()
        matched = [place for place, part in enumerate(parts) if part != _UNMATCHED]
        apart = [(i, j) for i, j in combinations(matched, 2) if parts[i] != parts[j]]
        n = Counter(parts)

        def turn_of(pair: tuple[int, int]) -> int:
            """Return the round of a pair; parts start at different points, so that no point is in all pairs."""
            i, j = pair
            return (turns[i] - parts[j]) % n[parts[i]] + (turns[j] - parts[i]) % n[parts[j]]

        return sorted(apart, key=lambda pair: (turn_of(pair), pair))[:most]


class MemberFinder:
    """Finder of the points of clusters among the labels that a table was made of."""

    def __init__(self, policies: Policies, given: ScoredLabels) -> None:
        self.given = given
        self._items = items_of(given) if isinstance(given.y_true, Mapping) else None
        true, pred = read_pair(given.y_true, given.y_pred)
        self.n = len(true.codes)
        self._labels = {"true": true, "pred": pred}
        self._fates = {"true": Fates.of(true, "true", policies), "pred": Fates.of(pred, "pred", policies)}
        self._times = times_of(given, self.n)
        self._weights = weights_of(given, self.n) * self._times
        self._occur = self._weights > 0
        for side in self._fates.values():
            self._occur &= (side.fates != DROPPED)[side.places]

    def find(self, side: Side, labels: Collection[Any]) -> dict[Any, Cluster]:
        """Return the clusters of one side with these labels; clusters without points are left out."""
        mine = self._fates[side]
        wanted = dict(mine.labels.find(labels))
        if None in labels:
            wanted |= dict.fromkeys(np.flatnonzero(mine.labels.are_missing()).tolist())
        numbers = np.full(len(mine.labels), -1)
        kept = [place for place in wanted if mine.fates[place] == KEPT]
        numbers[kept] = np.arange(len(kept))
        numbers = numbers[mine.places]
        chosen = np.flatnonzero((numbers >= 0) & self._occur)
        chosen = chosen[np.argsort(numbers[chosen], kind="stable")]
        starts = np.searchsorted(numbers[chosen], np.arange(len(kept) + 1))
        return {
            wanted[place]: self._arrange(chosen[start:stop], other(side))
            for place, start, stop in zip(kept, starts[:-1], starts[1:], strict=True)
            if stop > start
        }

    def _arrange(self, places: NDArray[np.int64], across: Side) -> Cluster:
        """Return the points of a cluster in order: largest part first, ties by label, points alone there last."""
        theirs = self._fates[across]
        if self._items is not None:  # an engine returns them in any order
            places = places[Names.of(self.ids(places)).sorted_order()]
        fates = theirs.fates[theirs.places[places]]
        keys = theirs.places[places].astype(np.int64)
        lone = np.flatnonzero(fates == ALONE)
        keys[lone] = len(theirs.labels) + np.arange(len(lone))
        keys[fates == ONE_SIDED] = _UNMATCHED
        distinct, part_of = np.unique(keys, return_inverse=True)
        sizes = np.bincount(part_of, weights=self._weights[places])
        known = np.flatnonzero((distinct >= 0) & (distinct < len(theirs.labels)))
        ranks = np.full(len(distinct), len(distinct))
        ranks[known[theirs.labels.take(distinct[known]).sorted_order()]] = np.arange(len(known))
        order = np.empty(len(distinct), np.int64)
        order[np.lexsort((distinct, ranks, -sizes, distinct == _UNMATCHED))] = np.arange(len(distinct))
        parts = order[part_of]
        by_part = np.argsort(parts, kind="stable")
        parts = parts[by_part]
        turns = np.arange(len(parts)) - np.searchsorted(parts, parts)
        matched = keys[by_part] != _UNMATCHED
        times = self._times[places[by_part]]
        n_pairs = _count_pairs(parts[matched], times[matched], fates[by_part][matched] == ALONE)
        return Cluster(places[by_part], np.where(matched, parts, _UNMATCHED), turns, n_pairs)

    def leave_out(self, cluster: Cluster, side: Side, labels: Collection[Any]) -> Cluster:
        """Return a cluster of one side without its points that have one of these labels on the other side."""
        theirs = self._fates[other(side)]
        gone = theirs.labels.among(labels)
        return self._arrange(np.sort(cluster.places[~gone[theirs.places[cluster.places]]]), other(side))

    def ids(self, places: NDArray[np.int64]) -> list[Any]:
        """Return the ids of points, or their positions if they have no ids."""
        if self._items is None:
            return ids_of(self.given, places)
        return [self._items[place] for place in places.tolist()]

    def list_members(self, places: NDArray[np.int64], records: Sequence[Record | None]) -> list[Member]:
        """Return the points at these places, with their records."""
        true, pred = (Names(side.values, side.codes[places]).to_list() for side in self._labels.values())
        return list(map(Member, self.ids(places), true, pred, records))


def _count_pairs(parts: NDArray[np.int64], times: NDArray[np.int64], alone: NDArray[np.bool_]) -> int:
    """Count pairs of points of different parts; each point of a row of lone points is a part."""
    sizes: dict[int, int] = {}
    for part, n in zip(parts[~alone].tolist(), times[~alone].tolist(), strict=True):
        sizes[part] = sizes.get(part, 0) + n
    lone = int(sum(times[alone].tolist()))
    return ((sum(sizes.values()) + lone) ** 2 - sum(n * n for n in sizes.values()) - lone) // 2


def pair_kind(side: Side) -> PairKind:
    """Return the kind of the pairs that are together on this side only."""
    return "false" if side == "pred" else "missing"


STAR = "*"
"""Sign before and after a difference, which is visible without colours."""
_WIDTH = 32
_AROUND = 12
"""This many letters of a long value are shown before and after a difference."""
_PAIRS_SHOWN = 3


class RecordTable(Rows[dict[str, Any]]):
    """Records beside the ids of their points: one row per point, or one row per pair of points."""

    __slots__ = ("_columns", "on")

    KIND = "records"
    TITLE = "Records"
    ID_COLUMNS = ("point", "left", "right", "record")
    COLUMNS: ClassVar[Columns] = {"cluster": Column("any", doc="the cluster; beside it a key for each column")}

    def __init__(self, columns: Mapping[str, list[Any]], on: object = None) -> None:
        """Make the table of its columns; `on` are the columns of the ids, as settings have them."""
        self._columns, self.on = dict(columns), on
        super().__init__(dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True))

    def tables(self) -> dict[str, Table]:
        """Return the one table, "rows", whose columns are those of the records."""
        return {"rows": Table({name: Column("label", name) for name in self._columns}, self._rows)}

    @property
    def headline(self) -> str:
        """The number of rows."""
        return count(len(self), "row")


USUAL_KEYS = {1: ["id"], 2: ["source", "id"]}
"""Names of the columns of ids that have no names, by the number of parts."""


class ClusterLabels(RecordTable):
    """The cluster of each record beside its id, in columns."""

    KIND = "cluster_labels"
    TITLE = "Clusters of records"
    COLUMNS: ClassVar[Columns] = {"cluster": Column("label", doc="the cluster; beside it a key for each part of an id")}

    @classmethod
    def of(cls, labels: Mapping[Any, Any] | Sequence[Any], keys: Sequence[str] = (), cluster: str = "cluster") -> Self:
        """Return labels by id, or in the order of rows, as columns.

        keys, cluster: the names of the columns of the ids and of the clusters, as a file has that is to be joined.

        >>> ClusterLabels.of({("web", 1): "a", ("crm", 1): "a"}, ["source", "number"]).to_dict()
        {'source': ['web', 'crm'], 'number': [1, 1], 'cluster': ['a', 'a']}
        """
        if not isinstance(labels, Mapping):
            return cls(
                {"row" if cluster != "row" else "number": list(range(1, len(labels) + 1)), cluster: list(labels)}
            )
        parts = list(zip(*(one if isinstance(one, tuple) else (one,) for one in labels), strict=True))
        names = (
            list(keys)
            if len(set(keys)) == len(parts)
            else USUAL_KEYS.get(len(parts)) or [f"id_{part}" for part in range(1, len(parts) + 1)]
        )
        cluster = next(name for name in (cluster, "cluster", "cluster_of_record") if name not in names)
        return cls(dict(zip(names, map(list, parts), strict=True)) | {cluster: list(labels.values())})

    @property
    def headline(self) -> str:
        """The numbers of records and clusters."""
        labels = self._columns[next(reversed(self._columns))]
        return f"{count(len(self), 'record')} in {count(len(set(labels)), 'cluster')}"


def list_records(clusters: Iterable[tuple[Any, Members | None]], on: object = None) -> RecordTable:
    """List the points of clusters, one row each."""
    rows = [(cluster, one) for cluster, members in _there(clusters) for one in members.shown]
    columns: dict[str, list[Any]] = {
        "cluster": [cluster for cluster, _ in rows],
        **{name: [getattr(one, name) for _, one in rows] for name in ("point", "true", "pred")},
    }
    return RecordTable(columns | spread_records({"": [one.record for _, one in rows]}, columns), on)


def list_pairs(clusters: Iterable[tuple[Any, Members | None]], on: object = None) -> RecordTable:
    """List the wrong pairs of clusters, one row each."""
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
    return RecordTable(columns | spread_records(records, columns), on)


def _there(clusters: Iterable[tuple[Any, Members | None]]) -> list[tuple[Any, Members]]:
    listed = list(clusters)
    found = [(cluster, members) for cluster, members in listed if members is not None]
    if listed and not found:
        raise InputError("this list has no records; ask for them by ", Mention("records"), " or ", Mention("show"))
    return found


def spread_records(
    records: Mapping[str, Sequence[Record | None]], taken: Collection[str]
) -> dict[str, list[str | None]]:
    """Return a column for each value of records; a name that is taken is prefixed with "record_".

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
    """Format a value as a short piece of one line, with stars around differences and a dash if it is missing.

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
    """Shorten a value to about `width` letters: the first differences and the text next to them."""
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
    """Return the points of a cluster as cells of text; the first line contains the names of the columns."""
    records = [one.record for one in members.shown]
    names, across = list_columns(records), other(side)
    lines = [["point", across, *map(short_label, names)]]
    for one, marked in zip(members.shown, mark_all(records, members.entities(side)), strict=True):
        values = [value_text(marked.get(name), width, _one_line) for name in names]
        lines.append([short_label(one.point), short_label(getattr(one, across)), *values])
    return lines


def member_bodies(head: str, members: Members | None, side: Side) -> list[Body]:
    """Return the points of a cluster with their records and some of its wrong pairs; nothing without records."""
    if members is None:
        return []
    heads, *rows = member_cells(members, side)
    grid = Grid([Head(head) for head in heads], rows, total=members.total)
    pairs = pair_lines(members)
    return [Heading(head), grid, *([Notes(pairs)] if pairs else [])]


def pair_lines(members: Members, most: int = _PAIRS_SHOWN) -> list[str]:
    """Return lines that show some wrong pairs of each kind with the differences of their records, and their number."""
    lines = []
    for kind, n in members.n_pairs.items():
        shown = [pair for pair in members.pairs if pair.kind == kind][:most]
        of = "" if len(shown) == n else f"; {len(shown):,} of them"
        lines += [f"{count_text(n)} {kind} pair{'' if n == 1 else 's'}{of}:"] if shown else []
        lines += [f"    {_pair_text(pair)}" for pair in shown]
    return lines


def _pair_text(pair: RecordPair) -> str:
    records = [member.record or {} for member in pair[1:]]
    texts = []
    for member, marked in zip(pair[1:], mark_pair(*records), strict=True):
        values = [value_text(value, _WIDTH, _one_line) for value in marked.values()]
        texts.append(f"{short_label(member.point)}: {', '.join(values)}" if values else short_label(member.point))
    return " | ".join(texts)


def beside_cells(points: Sequence[PointRecord], width: int = _WIDTH) -> list[list[str]]:
    """Return a head and the cells of each point's record, marked where it differs from the record beside it."""
    names = list_columns([one.member.record for one in points])
    lines = [["beside", *map(short_label, names)]]
    for member, beside in points:
        marked = mark_pair(member.record or {}, (beside and beside.record) or {})[0]
        values = [value_text(marked.get(name), width, _one_line) for name in names]
        lines.append([short_label(beside and beside.point), *values])
    return lines


def _one_line(text: str) -> str:
    return "".join(letter if letter.isprintable() else " " for letter in text)
