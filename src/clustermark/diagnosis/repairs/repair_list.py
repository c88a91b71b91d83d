"""What to mend first: the edits that mend most, one after the other, in words and with what each is worth."""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from clustermark.diagnosis.cluster_table import how_many
from clustermark.diagnosis.given import GivenLabels
from clustermark.diagnosis.members import MEMBERS
from clustermark.diagnosis.record_tables import (
    RecordTable,
    list_pairs,
    list_records,
    member_bodies,
)
from clustermark.diagnosis.repairs.choosing import WRONG_PAIRS, choose_from_all, choose_from_excerpts, take_largest
from clustermark.diagnosis.repairs.edits import NEVER, refuse_table
from clustermark.diagnosis.repairs.scores import PairScores, mend_table, reads_pairs
from clustermark.diagnosis.repairs.wording import PIECE, Parts, describe, name_action
from clustermark.errors import InputError
from clustermark.registry import index_of, read_indices
from clustermark.results.data import Column, Table
from clustermark.results.document import Cell, Grid, Head, Value
from clustermark.results.rows import Rows
from clustermark.results.text import Writer
from clustermark.results.values import count_text, share_text
from clustermark.tables.clusters import names_of, other

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from clustermark.diagnosis.members import Members
    from clustermark.diagnosis.record_finder import RecordFinder
    from clustermark.diagnosis.repairs.choosing import Step
    from clustermark.diagnosis.repairs.edits import Ledger
    from clustermark.diagnosis.repairs.wording import Action, Name, Piece
    from clustermark.labels.kinds import Labels
    from clustermark.registry import Index
    from clustermark.results.data import Columns
    from clustermark.results.document import Body, Prose
    from clustermark.tables.cells import CellTable
    from clustermark.tables.contingency import Contingency, Side

_SHOWN = ("pair_precision", "pair_recall", "adjusted_rand")
"""The scores that are told after each repair."""


class Repair(NamedTuple):
    """One edit, what it is worth after those before it, and what the scores are then."""

    action: Action
    """What to do: "merge" whole clusters, "move" records to a cluster, "extract" records, or "split" a cluster."""
    cluster: Any
    """The predicted cluster that is split; for the others the true cluster whose records come together."""
    sentence: str
    true_pairs: float
    """Pairs that belong together and come together."""
    false_pairs: float
    """Pairs that belong apart and come apart."""
    records: int
    """Records that get another cluster."""
    mended: float
    """The share of all wrong pairs that is mended by now."""
    scores: dict[str, float]
    """The scores after it."""
    pieces: tuple[Piece, ...]
    """What it takes together or apart, largest first: some of the largest, of `n_pieces`."""
    n_pieces: int
    n_whole: int
    """How many of these are whole clusters, of a gather; of a split, true clusters that lie in it wholly."""
    members: Members | None = None
    """Points of the cluster with their records, and pairs that it mends, if records were asked for."""

    @property
    def side(self) -> Side:
        """Whether `cluster` is a predicted or a true one."""
        return "pred" if self.action == "split" else "true"

    def describe(self, name: Name, thing: str = "record") -> str:
        """Its sentence, with clusters called what `name` says of a label and its side, and a point a `thing`."""
        whole, others = (tuple(one for one in self.pieces if one.whole == is_whole) for is_whole in (True, False))
        return describe(
            self.action, self.cluster, Parts(whole, others, self.n_whole, self.n_pieces - self.n_whole), name, thing
        )


class Repairs(Rows[Repair]):
    """The repairs that mend most, best first; each is worth what is said of it after those before it.

    >>> from clustermark import evaluate
    >>> truth = ["a", "a", "a", "b", "b", "c", "c"]
    >>> evaluate(truth, [1, 1, 2, 3, 3, 3, 3]).repairs()
    2 repairs mend 100% of 6 wrong pairs; adjusted_rand 0.31 → 1.00
    repair                                      true pairs  false pairs  records  mended  adjusted_rand
    1. split cluster 3: 2 records of b, 2 of c           0            4        2   66.7%          0.696
    2. merge clusters 1 and 2                            2            0        1    100%          1.000
    """

    FETCHED: ClassVar[int] = 4
    """Edits that are fetched at first for each repair that is wanted, where the cells are many or stay in an engine."""
    KIND = "repair_list"
    TITLE = "Repairs"
    FACTS: ClassVar[Columns] = {
        "by": Column("name", doc="the index that chose the repairs, or wrong_pairs"),
        "n_wrong_pairs": Column("amount"),
        "before": Column("scores", doc="the scores before any repair"),
        "certificate": Column("text", doc="why these are the best repairs, where not all were examined"),
        "note": Column("text"),
    }
    COLUMNS: ClassVar[Columns] = {
        "action": Column("name", choices=("merge", "move", "extract", "split")),
        "cluster": Column("label"),
        "sentence": Column("text"),
        "true_pairs": Column("amount"),
        "false_pairs": Column("amount"),
        "records": Column("count"),
        "mended": Column("share", doc="the share of all wrong pairs that is mended so far"),
        "scores": Column("scores", doc="the scores after it"),
        "pieces": Column("rows", rows=PIECE, doc="some of the largest pieces"),
        "n_pieces": Column("count"),
        "n_whole": Column("count"),
        "members": Column("record", rows=MEMBERS, sometimes=True, doc="points with records, if records were asked for"),
    }

    def __init__(
        self,
        repairs: Iterable[Repair],
        by: str,
        wrong_pairs: float,
        before: dict[str, float],
        carried_out: Callable[[], tuple[CellTable, Ledger]] | None = None,
        read: Callable[[], GivenLabels] | None = None,
        certificate: str = "",
    ) -> None:
        """Make the list of repairs, of all wrong pairs, and of the scores before any repair.

        carried_out: gives the table, and the edits of these repairs; `apply` needs them, and `read`, which has the
        labels.
        certificate: how it is known that these are the best repairs, where not all of them were looked at.
        """
        super().__init__(repairs)
        self._carried_out, self._read = carried_out, read
        self.certificate = certificate
        """How it is known that no others are better, where cells stayed in an engine; else empty."""
        self.note = ""
        self.by = by
        self.wrong_pairs = wrong_pairs
        self.before = before

    @classmethod
    def of(
        cls,
        table: Contingency,
        k: int | None = 20,
        by: str | Index[...] = WRONG_PAIRS,
        indices: Sequence[str | Index[...]] | None = None,
        read: Callable[[], GivenLabels] | None = None,
    ) -> Repairs:
        """The k best repairs of a table, or all that there are; see `Evaluation.repairs`.

        read: what reads the labels that the table was made of.
        """
        refuse_table(table)
        index = None if by == WRONG_PAIRS else index_of(by)
        shown = read_indices(_SHOWN if indices is None else indices)
        told = {one.label: one for one in [*shown, *([] if index is None else [index])]}
        leaves = index is None and all(map(reads_pairs, told.values()))
        most = how_many(k)
        done = choose_from_excerpts(table, most, cls.FETCHED) if leaves else choose_from_all(table, most, index)
        pairs = PairScores(table)
        repairs = _Teller(done.table, done.ledger, pairs, list(told.values())).tell(done.steps)
        before = {label: pairs.score(one, 0, 0) if reads_pairs(one) else one.of(table) for label, one in told.items()}

        def carry_out() -> tuple[CellTable, Ledger]:
            everything = done if done.table is table else choose_from_all(table, len(done.steps))
            return everything.table, everything.ledger

        by = WRONG_PAIRS if index is None else index.label
        return cls(repairs, by, pairs.wrong, before, carry_out, read, done.certificate)

    @property
    def headline(self) -> str:
        """How much these repairs mend, in one line."""
        return Writer().prose(self._headline())

    def _headline(self) -> list[Any]:
        if not self.wrong_pairs:
            return ["no pair is wrong: there is nothing to mend"]
        mended = self[-1].mended if len(self) else 0.0
        one = len(self) == 1
        head = f"{len(self):,} repair{'' if one else 's'} mend{'s' if one else ''} {share_text(mended)} of "
        head += f"{count_text(self.wrong_pairs)} wrong pairs"
        if not len(self):
            return [head]
        return [f"{head}; {self.told} ", Value(self.before[self.told]), " → ", Value(self[-1].scores[self.told])]

    @property
    def told(self) -> str:
        """The index whose score is told beside each repair: the one that chose them, else the last asked for."""
        return self.by if self.by in self.before else next(reversed(self.before))

    def curve(self) -> list[tuple[int, float]]:
        """How much is mended after how many repairs, from none on: the share of all wrong pairs."""
        return [(0, 0.0), *((place, one.mended) for place, one in enumerate(self, 1))]

    def apply(self, y_true: Labels | None = None, y_pred: Labels | None = None) -> list[Any] | dict[Any, Any]:
        """The predicted labels after all these repairs; by id, if the labels are mappings or were joined by id.

        A cluster keeps its label for the points of it that stay together, or for most of them. New clusters get the
        next numbers, or, if labels are not numbers, the label that most of their points had and a number behind it.

        y_true, y_pred: the labels that the table was made of; `evaluate` has them, `evaluate_table` does not.

        >>> from clustermark import evaluate
        >>> evaluate(["a", "a", "a", "b", "b", "c"], [1, 1, 2, 3, 3, 3]).repairs().apply()
        [1, 1, 1, 3, 3, 4]
        """
        if (y_true is None) != (y_pred is None):
            raise InputError("apply: pass both y_true and y_pred, or neither")
        if self._carried_out is None:
            raise InputError("apply: these repairs have no table; make them by evaluate(y_true, y_pred).repairs()")
        if y_true is None and self._read is None:
            raise InputError("apply: the table has no points; pass the labels it was made of, apply(y_true, y_pred)")
        from clustermark.diagnosis.repairs.mended import mend_labels

        given = GivenLabels(y_true, y_pred) if self._read is None or y_true is not None else self._read()
        return mend_labels(*self._carried_out(), given)

    def to_dict(self) -> dict[str, list[Any]]:
        """The columns; the scores after each repair under the names of the indices."""
        columns: dict[str, list[Any]] = {
            "repair": [one.sentence for one in self],
            **{name: [getattr(one, name) for one in self] for name in Repair._fields[:2]},
            **{name: [getattr(one, name) for one in self] for name in Repair._fields[3:7]},
        }
        return columns | {label: [one.scores[label] for one in self] for label in self.before}

    def facts(self) -> dict[str, Any]:
        """How the repairs were chosen, and the scores before them."""
        facts = {name: getattr(self, name) for name in self.FACTS if name != "n_wrong_pairs"}
        return facts | {"n_wrong_pairs": self.wrong_pairs}

    def tables(self) -> dict[str, Table]:
        """The one table, "rows"."""
        rows = [row._asdict() for row in self]
        for row in rows:
            if row["members"] is None:
                del row["members"]
        return {"rows": Table(self.COLUMNS, rows)}

    def with_members(self, finder: RecordFinder) -> Repairs:
        """The same repairs, each with the points that it is about and their records."""
        from clustermark.diagnosis.repairs.mended_pairs import list_members

        made = copy(self)
        made._rows = list_members(self._rows, finder)
        made.note = finder.note
        return made

    @property
    def has_records(self) -> bool:
        """Whether records were asked for, and any was found."""
        return any(one.members is not None for one in self)

    @property
    def records(self) -> RecordTable:
        """The points that each repair is about, with their records, one row each; if records were asked for."""
        return list_records([(one.sentence, one.members) for one in self])

    @property
    def pairs(self) -> RecordTable:
        """Pairs that each repair mends, with their records, one row each; if records were asked for."""
        return list_pairs([(one.sentence, one.members) for one in self])

    def grid(self) -> Grid:
        """The repairs, and the score after each."""
        heads = [
            Head("repair"),
            Head("true pairs", "amount"),
            Head("false pairs", "amount"),
            Head("records", "count"),
            Head("mended", "share"),
            Head(self.told, "score"),
        ]
        rows = [
            [
                f"{place}. {one.sentence}",
                one.true_pairs,
                one.false_pairs,
                one.records,
                Cell(one.mended, bar=one.mended),
                one.scores[self.told],
            ]
            for place, one in enumerate(self, 1)
        ]
        return Grid(heads, rows, self.TITLE)

    def remarks(self) -> list[Prose]:
        """The reason why no other repairs are better, and the note on records that are not there."""
        return [note for note in (self.certificate, self.note) if note]

    def _bodies(self) -> list[Body]:
        grid, *notes = super()._bodies()
        members = (member_bodies(one.sentence, one.members, one.side) for one in self)
        return [grid, *(body for bodies in members for body in bodies), *notes]


class _Teller:
    """Turns edits into repairs: with names, in words, with the scores after each."""

    def __init__(self, table: CellTable, ledger: Ledger, pairs: PairScores, indices: Sequence[Index[...]]) -> None:
        self.table, self.ledger, self.pairs, self.indices = table, ledger, pairs, indices
        self._last: tuple[int, CellTable] | None = None

    def tell(self, steps: Sequence[Step]) -> Iterator[Repair]:
        """The repairs, in the order of the edits."""
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
        """The table after so many edits; several indices ask for the same."""
        if self._last is None or self._last[0] != edits:
            self._last = edits, mend_table(self.table, self.ledger, edits)
        return self._last[1]

    def _split_parts(self, steps: Sequence[Step]) -> dict[int, tuple[Parts, int]]:
        """For the place of each split, the pieces that it takes apart, and how many records must move."""
        ledger, bits = self.ledger, self.ledger.bits
        splits = {step.edit.number: place for place, step in enumerate(steps) if step.edit.kind == "split"}
        cells = np.flatnonzero(ledger.split_at[bits.columns] < NEVER)
        cells = cells[np.argsort(bits.columns[cells], kind="stable")]
        columns, starts = np.unique(bits.columns[cells], return_index=True)
        ends = np.append(starts, len(cells))[1:]
        ranks = ledger.gathers
        found = {}
        for column, start, end in zip(columns.tolist(), starts.tolist(), ends.tolist(), strict=True):
            place, own = splits[column], cells[start:end]
            own = own[ledger.gathered_at[bits.rows[own]] > place]
            rows, counts = bits.rows[own], bits.counts[own]
            parts = take_largest(rows, counts, ledger.row_points[rows], np.zeros(len(own), np.bool_), ranks)
            found[place] = parts, int(counts.sum() - counts.max())
        return found

    def _name(self, pieces: Sequence[Piece], side: Side) -> tuple[Piece, ...]:
        labels = self._labels([piece.cluster for piece in pieces], side)
        n = len(names_of(self.table, side))
        return tuple(
            piece._replace(cluster=label, lone=piece.cluster >= n) for piece, label in zip(pieces, labels, strict=True)
        )

    def _labels(self, numbers: Sequence[int], side: Side) -> list[Any]:
        """The labels of clusters by number; None for points with a cluster of their own."""
        names = names_of(self.table, side)
        known = [number for number in numbers if number < len(names)]
        labels = iter(names.take(np.array(known, np.int64)).to_list())
        return [next(labels) if number < len(names) else None for number in numbers]


def _plain(number: Any) -> Any:
    """A plain number of Python."""
    return number.item() if hasattr(number, "item") else number
