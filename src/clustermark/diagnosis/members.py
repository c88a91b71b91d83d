"""The points of a cluster with their records, and the pairs of them that are wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import numpy as np

from clustermark.diagnosis.point_table import Fates, ids_of, items_of, times_of, weights_of
from clustermark.labels import read_pair
from clustermark.labels.names import Names
from clustermark.results.data import Column
from clustermark.tables.clusters import other
from clustermark.tables.policies import ALONE, DROPPED, KEPT, ONE_SIDED

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from numpy.typing import NDArray

    from clustermark.diagnosis.given import GivenLabels
    from clustermark.results.data import Columns
    from clustermark.sources.records import Record
    from clustermark.tables.contingency import Side
    from clustermark.tables.policies import Policies

MOST_MEMBERS = 30
"""So many points of a cluster are listed, of each part of it in turn."""
MOST_PAIRS = 20
PairKind: TypeAlias = Literal["false", "missing"]
_UNMATCHED = -1
"""In place of a part: the other side lacks the point, so it is in no pair."""


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
    """Its id, or its position where points have none."""
    true: Any
    pred: Any
    record: Record | None = None
    """None where there is none."""


class RecordPair(NamedTuple):
    """Two points that one side joins and the other does not."""

    kind: PairKind
    """Whether they are together in the prediction only, or in the truth only."""
    left: Member
    right: Member


class Members(NamedTuple):
    """Some points of a cluster, those of one part after those of another, and some of its wrong pairs."""

    shown: tuple[Member, ...]
    """At most 30, of each part in turn, the largest part first."""
    parts: tuple[int, ...]
    """For each of them the number of its part, from 0; points with a cluster of their own on the other side are parts
    of their own, and a point that the other side lacks has -1."""
    total: int
    pairs: tuple[RecordPair, ...]
    """At most 20, of each two parts in turn."""
    n_pairs: dict[PairKind, float]
    """How many there are of each kind."""

    def entities(self, side: Side) -> list[int]:
        """For each listed point of a cluster of this side the number of its true cluster; -1 is a point without one."""
        return list(self.parts) if side == "pred" else [0] * len(self.shown)


class Cluster(NamedTuple):
    """The points of a cluster by their places, those of one part after those of another, the largest part first."""

    places: NDArray[np.int64]
    parts: NDArray[np.int64]
    """For each point the number of its part, from 0; -1 for a point that the other side lacks."""
    turns: NDArray[np.int64]
    """For each point its place within its part."""
    n_pairs: int
    """Its pairs of points that are apart on the other side."""

    def choose(self, most: int = MOST_MEMBERS) -> NDArray[np.int64]:
        """Which of the points are listed: of each part in turn."""
        return np.sort(np.lexsort((self.parts, self.turns))[:most])

    def pair_up(self, chosen: NDArray[np.int64], most: int = MOST_PAIRS) -> list[tuple[int, int]]:
        """Pairs of the chosen points that lie in two parts, of each two parts in turn, and of each part in turn."""
        parts: list[int] = self.parts[chosen].tolist()
        turns: list[int] = self.turns[chosen].tolist()
        matched = [place for place, part in enumerate(parts) if part != _UNMATCHED]
        apart = [(i, j) for i, j in combinations(matched, 2) if parts[i] != parts[j]]
        n = Counter(parts)

        def turn_of(pair: tuple[int, int]) -> int:
            """When its two parts come to it; they begin at different points, so that no point is in all pairs."""
            i, j = pair
            return (turns[i] - parts[j]) % n[parts[i]] + (turns[j] - parts[i]) % n[parts[j]]

        return sorted(apart, key=lambda pair: (turn_of(pair), pair))[:most]


class MemberFinder:
    """Finds the points of clusters among the labels that a table was made of."""

    def __init__(self, policies: Policies, given: GivenLabels) -> None:
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
        """The clusters of one side that have these labels; one that has no point is left out."""
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
        """The points of a cluster in order: the largest part first, of equals the first by label, alone ones last."""
        theirs = self._fates[across]
        if self._items is not None:  # an engine gives them in any order
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
        """A cluster of one side without its points that have one of these labels on the other side."""
        theirs = self._fates[other(side)]
        gone = theirs.labels.among(labels)
        return self._arrange(np.sort(cluster.places[~gone[theirs.places[cluster.places]]]), other(side))

    def ids(self, places: NDArray[np.int64]) -> list[Any]:
        """The ids of points; their positions where they have none."""
        if self._items is None:
            return ids_of(self.given, places)
        return [self._items[place] for place in places.tolist()]

    def list_members(self, places: NDArray[np.int64], records: Sequence[Record | None]) -> list[Member]:
        """The points at these places, with their records."""
        true, pred = (Names(side.values, side.codes[places]).to_list() for side in self._labels.values())
        return list(map(Member, self.ids(places), true, pred, records))


def _count_pairs(parts: NDArray[np.int64], times: NDArray[np.int64], alone: NDArray[np.bool_]) -> int:
    """The pairs of points of different parts; a row that stands for several points, each alone, is as many parts."""
    sizes: dict[int, int] = {}
    for part, n in zip(parts[~alone].tolist(), times[~alone].tolist(), strict=True):
        sizes[part] = sizes.get(part, 0) + n
    lone = int(sum(times[alone].tolist()))
    return ((sum(sizes.values()) + lone) ** 2 - sum(n * n for n in sizes.values()) - lone) // 2


def pair_kind(side: Side) -> PairKind:
    """What pairs are that are together on this side only."""
    return "false" if side == "pred" else "missing"
