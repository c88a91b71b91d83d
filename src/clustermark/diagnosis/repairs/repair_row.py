"""A repair: a sentence about an edit, the pairs that it corrects, and the scores after it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import numpy as np

from clustermark.diagnosis.repairs.after_edits import PairScores, reads_pairs, table_after
from clustermark.diagnosis.repairs.edits import NEVER
from clustermark.results.data import Column
from clustermark.results.values import count_text, label_text
from clustermark.tables.clusters import names_of, other

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from clustermark.diagnosis.members import Members
    from clustermark.diagnosis.repairs.choosing import Step
    from clustermark.diagnosis.repairs.edits import EditState
    from clustermark.registry import Index
    from clustermark.results.data import Columns
    from clustermark.tables.cells import CellTable
    from clustermark.tables.contingency import Side


NameCluster: TypeAlias = "Callable[[Any, Side], str]"
Action = Literal["merge", "move", "extract", "split"]

_MOST_NAMED = 4


PIECE: Columns = {
    "cluster": Column("label"),
    "records": Column("count"),
    "size": Column("count", doc="records of that cluster"),
    "lone": Column("flag", doc="whether it is a point with a cluster of its own"),
    "cut": Column("flag", doc="whether an earlier edit split it off that cluster"),
}


class Piece(NamedTuple):
    """Records that an edit moves together, and their cluster before it."""

    cluster: Any
    """The predicted cluster for a gather, the true one for a split; None for a point with a cluster of its own."""
    records: int
    size: int
    """Number of records of that cluster; for a gather, at the time of the edit."""
    lone: bool = False
    """Whether it is a point with a cluster of its own, such as noise or an unmatched point."""
    cut: bool = False
    """Whether an earlier edit split it off that cluster."""

    @property
    def whole(self) -> bool:
        """Whether the cluster has no other records."""
        return self.records == self.size


class Parts(NamedTuple):
    """Some of the largest pieces of an edit, and the number of all."""

    whole: tuple[Piece, ...]
    """Whole clusters, the largest first."""
    others: tuple[Piece, ...]
    """Parts of clusters, the largest first."""
    n_whole: int
    n_others: int

    @property
    def pieces(self) -> tuple[Piece, ...]:
        """The listed pieces, the largest first."""
        return tuple(sorted((*self.whole, *self.others), key=lambda piece: -piece.records))


def name_action(kind: str, parts: Parts) -> Action:
    """Return the action of a person who carries out an edit."""
    if kind == "split":
        return "split"
    if not parts.n_others:
        return "merge"
    return "move" if parts.n_whole else "extract"


def _plain_name(cluster: Any, side: Side) -> str:  # noqa: ARG001  # a page links to the cluster of that side
    return label_text(cluster)


def describe(action: Action, cluster: Any, parts: Parts, name: NameCluster = _plain_name, thing: str = "record") -> str:
    """Describe an edit; clusters are named by `name`, and a point is called `thing`.

    >>> describe("merge", "Acme", Parts((Piece("r12", 3, 3), Piece("r77", 1, 1)), (), 2, 0))
    'merge clusters r12 and r77'
    >>> describe("merge", "Acme", Parts((Piece("r12", 3, 3), Piece("r77", 1, 1, cut=True)), (), 2, 0))
    'merge cluster r12 and the part split off cluster r77'
    >>> describe("move", "Acme", Parts((Piece("r12", 3, 3),), (Piece("r174", 1, 9),), 1, 1))
    'move 1 record from cluster r174 to cluster r12'
    >>> describe("extract", "Acme", Parts((), (Piece("r55", 4, 8), Piece("r342", 1, 4)), 0, 2))
    'make a new cluster for Acme: take 4 of the 8 records of cluster r55 and 1 of the 4 of cluster r342'
    >>> describe("split", "r5", Parts((Piece("Ajax", 1, 1),), (Piece("Acme", 4, 9),), 1, 1))
    'split cluster r5: 4 records of Acme, 1 of Ajax'
    """
    n = parts.n_whole + parts.n_others
    if action == "split":
        shares = [_share(place, piece, name, thing) for place, piece in enumerate(parts.pieces)]
        return f"split cluster {name(cluster, 'pred')}: {_list(shares, n)}"
    if action == "extract":
        taken = [_taken(place, piece, name, thing) for place, piece in enumerate(parts.others)]
        owner = f"one {thing}" if cluster is None else name(cluster, "true")
        return f"make a new cluster for {owner}: take {_join(taken, n)}"
    if action == "merge":
        return f"merge {_homes(parts, name, thing)}"
    taken_text = _join(
        [f"{_records(one.records, thing)} from {_home(one, name, thing)}" for one in parts.others], parts.n_others
    )
    homes = _homes(parts, name, thing)
    return f"move {taken_text} to {homes}" if parts.n_whole == 1 else f"merge {homes}, and move {taken_text} there"


def _homes(parts: Parts, name: NameCluster, thing: str) -> str:
    if parts.n_whole > 1 and not any(piece.lone or piece.cut for piece in parts.whole):
        return f"clusters {_join([name(piece.cluster, 'pred') for piece in parts.whole], parts.n_whole)}"
    return _join([_home(piece, name, thing) for piece in parts.whole], parts.n_whole)


def _home(piece: Piece, name: NameCluster, thing: str) -> str:
    if piece.lone:
        return f"a lone {thing}"
    return f"{'the part split off ' if piece.cut else ''}cluster {name(piece.cluster, 'pred')}"


def _share(place: int, piece: Piece, name: NameCluster, thing: str) -> str:
    if piece.lone:
        return f"a lone {thing}"
    return f"{count_text(piece.records) if place else _records(piece.records, thing)} of {name(piece.cluster, 'true')}"


def _taken(place: int, piece: Piece, name: NameCluster, thing: str) -> str:
    records = "" if place else f" {thing}s"
    return f"{count_text(piece.records)} of the {count_text(piece.size)}{records} of {_home(piece, name, thing)}"


def _records(n: int, thing: str) -> str:
    return f"{n:,} {thing}{'' if n == 1 else 's'}"


def _list(texts: Sequence[str], n: int) -> str:
    shown = texts[:_MOST_NAMED]
    return ", ".join([*shown, *([f"and {n - len(shown):,} more"] if n > len(shown) else [])])


def _join(texts: Sequence[str], n: int) -> str:
    if n > _MOST_NAMED:
        shown = texts[: _MOST_NAMED - 1]
        return f"{', '.join(shown)} and {n - len(shown):,} more"
    return " and ".join([", ".join(texts[:-1]), texts[-1]] if len(texts) > 1 else texts)


_MOST_PIECES = 5
"""Most whole clusters, and most parts of clusters, that are named beside a repair."""


def take_largest(numbers: Any, counts: Any, sizes: Any, cut: Any, ranks: Any) -> Parts:
    """Return the largest of these pieces, both whole clusters and parts of clusters."""
    order = np.lexsort((ranks[numbers], -counts))
    whole = (sizes == counts)[order]

    def take(chosen: Any) -> tuple[Piece, ...]:
        arrays = (array[chosen[:_MOST_PIECES]].tolist() for array in (numbers, counts, sizes, cut))
        return tuple(Piece(number, n, size, cut=off) for number, n, size, off in zip(*arrays, strict=True))

    homes, others = order[whole], order[~whole]
    return Parts(take(homes), take(others), len(homes), len(others))


class Repair(NamedTuple):
    """One edit, its gain after those before it, and the scores after it."""

    action: Action
    """Kind of edit: "merge" whole clusters, "move" records to a cluster, "extract" records, or "split" a cluster."""
    cluster: Any
    """The predicted cluster that is split; for other actions, the true cluster whose records are joined."""
    sentence: str
    true_pairs: float
    """Number of pairs that belong together and are joined."""
    false_pairs: float
    """Number of pairs that belong apart and are separated."""
    records: int
    """Number of records that change their cluster."""
    mended: float
    """Share of all wrong pairs that is corrected so far."""
    scores: dict[str, float]
    """The scores after the edit."""
    pieces: tuple[Piece, ...]
    """Some of the largest pieces that it joins or separates, largest first; `n_pieces` in all."""
    n_pieces: int
    n_whole: int
    """Number of whole clusters among the pieces; for a split, of true clusters that lie within it."""
    members: Members | None = None
    """Points of the cluster with their records, and pairs that it corrects, if records were requested."""

    @property
    def side(self) -> Side:
        """Whether `cluster` is a predicted or a true one."""
        return "pred" if self.action == "split" else "true"

    def describe(self, name: NameCluster, thing: str = "record") -> str:
        """Return its sentence, with clusters named by `name` from label and side, and a point called `thing`."""
        whole, others = (tuple(one for one in self.pieces if one.whole == is_whole) for is_whole in (True, False))
        return describe(
            self.action, self.cluster, Parts(whole, others, self.n_whole, self.n_pieces - self.n_whole), name, thing
        )


class RepairMaker:
    """Maker of repairs from edits: with names, a sentence, and the scores after each."""

    def __init__(self, table: CellTable, state: EditState, pairs: PairScores, indices: Sequence[Index[...]]) -> None:
        self.table, self.state, self.pairs, self.indices = table, state, pairs, indices
        self._last: tuple[int, CellTable] | None = None

    def make(self, steps: Sequence[Step]) -> Iterator[Repair]:
        """Yield the repairs, in the order of the edits."""
        gained = removed = 0
        split = self._split_parts(steps)
        for place, step in enumerate(steps):
            gained, removed = gained + _plain(step.gained), removed + _plain(step.removed)
            own: Side = "pred" if step.edit.kind == "split" else "true"
            across = other(own)
            parts, records = split[place] if step.parts is None else (step.parts, step.records)
            parts = parts._replace(whole=self._name(parts.whole, across), others=self._name(parts.others, across))
            (cluster,) = self._labels([step.edit.number], own)
            action = name_action(step.edit.kind, parts)
            yield Repair(
                action,
                cluster,
                describe(action, cluster, parts),
                _plain(step.gained),
                _plain(step.removed),
                records,
                (gained + removed) / self.pairs.wrong,
                {one.label: self._score(one, place + 1, gained, removed) for one in self.indices},
                parts.pieces,
                parts.n_whole + parts.n_others,
                parts.n_whole,
            )

    def _score(self, index: Index[...], edits: int, gained: Any, removed: Any) -> float:
        if reads_pairs(index):
            return self.pairs.score(index, gained, removed)
        return index.of(self._mended(edits))

    def _mended(self, edits: int) -> CellTable:
        """Return the table after `edits` edits, which is kept because several indices need it."""
        if self._last is None or self._last[0] != edits:
            self._last = edits, table_after(self.table, self.state, edits)
        return self._last[1]

    def _split_parts(self, steps: Sequence[Step]) -> dict[int, tuple[Parts, int]]:
        """Return, by the place of each split, its pieces and the number of records that must move."""
        state, numbered = self.state, self.state.numbered
        splits = {step.edit.number: place for place, step in enumerate(steps) if step.edit.kind == "split"}
        cells = np.flatnonzero(state.split_at[numbered.columns] < NEVER)
        cells = cells[np.argsort(numbered.columns[cells], kind="stable")]
        columns, starts = np.unique(numbered.columns[cells], return_index=True)
        ends = np.append(starts, len(cells))[1:]
        ranks = state.gathers
        found = {}
        for column, start, end in zip(columns.tolist(), starts.tolist(), ends.tolist(), strict=True):
            place, own = splits[column], cells[start:end]
            own = own[state.gathered_at[numbered.rows[own]] > place]
            rows, counts = numbered.rows[own], numbered.counts[own]
            parts = take_largest(rows, counts, state.row_points[rows], np.zeros(len(own), np.bool_), ranks)
            found[place] = parts, int(counts.sum() - counts.max())
        return found

    def _name(self, pieces: Sequence[Piece], side: Side) -> tuple[Piece, ...]:
        labels = self._labels([piece.cluster for piece in pieces], side)
        n = len(names_of(self.table, side))
        return tuple(
            piece._replace(cluster=label, lone=piece.cluster >= n) for piece, label in zip(pieces, labels, strict=True)
        )

    def _labels(self, numbers: Sequence[int], side: Side) -> list[Any]:
        """Return the labels of clusters by number; None for points with a cluster of their own."""
        names = names_of(self.table, side)
        known = [number for number in numbers if number < len(names)]
        labels = iter(names.take(np.array(known, np.int64)).to_list())
        return [next(labels) if number < len(names) else None for number in numbers]


def _plain(number: Any) -> Any:
    """Return a plain Python number."""
    return number.item() if hasattr(number, "item") else number
