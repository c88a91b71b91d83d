"""The repairs of a prediction that correct most wrong pairs, with the points that they change."""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING, Any, ClassVar

from clustermark.diagnosis.cluster_table import how_many
from clustermark.diagnosis.members import (
    MEMBERS,
    MOST_PAIRS,
    Cluster,
    Members,
    PairKind,
    RecordPair,
    RecordTable,
    list_pairs,
    list_records,
    member_bodies,
)
from clustermark.diagnosis.repairs.after_edits import PairScores, reads_pairs
from clustermark.diagnosis.repairs.choosing import WRONG_PAIRS, choose_from_all, choose_from_parts
from clustermark.diagnosis.repairs.edits import refuse_table
from clustermark.diagnosis.repairs.repair_row import PIECE, Repair, RepairMaker
from clustermark.diagnosis.scored_points import ScoredLabels
from clustermark.errors import InputError
from clustermark.registry import index_of, read_indices
from clustermark.results.data import Column, Table
from clustermark.results.document import Cell, Grid, Head, Value
from clustermark.results.rows import Rows
from clustermark.results.text import Writer
from clustermark.results.values import count_text, share_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from clustermark.diagnosis.record_columns import RecordFinder
    from clustermark.diagnosis.repairs.edits import EditState
    from clustermark.labels.conversion import Labels
    from clustermark.registry import Index
    from clustermark.results.data import Columns
    from clustermark.results.document import Body, Prose
    from clustermark.tables.cells import CellTable
    from clustermark.tables.contingency import Contingency, Side


_SHOWN = ("pair_precision", "pair_recall", "adjusted_rand")
"""The scores shown after each repair."""


class Repairs(Rows[Repair]):
    """The repairs that correct most wrong pairs, best first; the numbers of each assume the repairs before it.

    >>> from clustermark import evaluate
    >>> truth = ["a", "a", "a", "b", "b", "c", "c"]
    >>> evaluate(truth, [1, 1, 2, 3, 3, 3, 3]).repairs()
    2 repairs mend 100% of 6 wrong pairs; adjusted_rand 0.31 → 1.00
    repair                                      true pairs  false pairs  records  mended  adjusted_rand
    1. split cluster 3: 2 records of b, 2 of c           0            4        2   66.7%          0.696
    2. merge clusters 1 and 2                            2            0        1    100%          1.000
    """

    FETCHED: ClassVar[int] = 4
    """Edits fetched at first for each repair that is wanted, if there are many cells or they stay in an engine."""
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
        carried_out: Callable[[], tuple[CellTable, EditState]] | None = None,
        read: Callable[[], ScoredLabels] | None = None,
        certificate: str = "",
    ) -> None:
        """Make the list from repairs, the number of wrong pairs, and the scores before any repair.

        carried_out: returns the table and the edits of these repairs, for `apply`.
        read: returns the labels, for `apply`.
        certificate: the reason why these are the best repairs, if not all were examined.
        """
        super().__init__(repairs)
        self._carried_out, self._read = carried_out, read
        self.certificate = certificate
        """The reason why no other repairs are better, if cells stayed in an engine; else empty."""
        self.note = ""
        self.on: object = None
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
        read: Callable[[], ScoredLabels] | None = None,
    ) -> Repairs:
        """Return the k best repairs of a table, or all of them; see `Evaluation.repairs`.

        read: function that reads the labels that the table was made of.
        """
        refuse_table(table)
        index = None if by == WRONG_PAIRS else index_of(by)
        shown = read_indices(_SHOWN if indices is None else indices)
        told = {one.label: one for one in [*shown, *([] if index is None else [index])]}
        leaves = index is None and all(map(reads_pairs, told.values()))
        most = how_many(k)
        done = choose_from_parts(table, most, cls.FETCHED) if leaves else choose_from_all(table, most, index)
        pairs = PairScores(table)
        repairs = RepairMaker(done.table, done.state, pairs, list(told.values())).make(done.steps)
        before = {label: pairs.score(one, 0, 0) if reads_pairs(one) else one.of(table) for label, one in told.items()}

        def carry_out() -> tuple[CellTable, EditState]:
            everything = done if done.table is table else choose_from_all(table, len(done.steps))
            return everything.table, everything.state

        by = WRONG_PAIRS if index is None else index.label
        return cls(repairs, by, pairs.wrong, before, carry_out, read, done.certificate)

    @property
    def headline(self) -> str:
        """The share of wrong pairs that these repairs correct, in one line."""
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
        """The index whose score is shown beside each repair: the one that chose them, else the last requested."""
        return self.by if self.by in self.before else next(reversed(self.before))

    def curve(self) -> list[tuple[int, float]]:
        """Return the share of wrong pairs that is corrected after each number of repairs, from 0 on."""
        return [(0, 0.0), *((place, one.mended) for place, one in enumerate(self, 1))]

    def apply(self, y_true: Labels | None = None, y_pred: Labels | None = None) -> list[Any] | dict[Any, Any]:
        """Return the predicted labels after all these repairs; by id if the labels are mappings or were joined by id.

        A cluster keeps its label for the points that stay together, or for most of them. New clusters get the next
        numbers, or, if labels are not numbers, the most common old label of their points followed by a number.

        y_true, y_pred: the labels that the table was made of; only needed after `evaluate_table`.

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
        from clustermark.diagnosis.repairs.after_edits import labels_after

        given = ScoredLabels(y_true, y_pred) if self._read is None or y_true is not None else self._read()
        return labels_after(*self._carried_out(), given)

    def to_dict(self) -> dict[str, list[Any]]:
        """Return the columns, with the scores after each repair under the names of the indices."""
        columns: dict[str, list[Any]] = {
            "repair": [one.sentence for one in self],
            **{name: [getattr(one, name) for one in self] for name in Repair._fields[:2]},
            **{name: [getattr(one, name) for one in self] for name in Repair._fields[3:7]},
        }
        return columns | {label: [one.scores[label] for one in self] for label in self.before}

    def facts(self) -> dict[str, Any]:
        """Return the way in which the repairs were chosen, and the scores before them."""
        facts = {name: getattr(self, name) for name in self.FACTS if name != "n_wrong_pairs"}
        return facts | {"n_wrong_pairs": self.wrong_pairs}

    def tables(self) -> dict[str, Table]:
        """Return the one table, "rows"."""
        rows = [row._asdict() for row in self]
        for row in rows:
            if row["members"] is None:
                del row["members"]
        return {"rows": Table(self.COLUMNS, rows)}

    def with_members(self, finder: RecordFinder) -> Repairs:
        """Return the same repairs, each with its points and their records."""
        made = copy(self)
        made._rows = list_members(self._rows, finder)
        made.note, made.on = finder.note, finder.on
        return made

    @property
    def has_records(self) -> bool:
        """Whether records were requested and any was found."""
        return any(one.members is not None for one in self)

    @property
    def records(self) -> RecordTable:
        """The points that each repair changes, with their records, one row each; if records were requested."""
        return list_records([(one.sentence, one.members) for one in self], self.on)

    @property
    def pairs(self) -> RecordTable:
        """Pairs that each repair corrects, with their records, one row each; if records were requested."""
        return list_pairs([(one.sentence, one.members) for one in self], self.on)

    def grid(self) -> Grid:
        """Return the repairs and the score after each."""
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
        """Return the reason why no other repairs are better, and the note on missing records."""
        return [note for note in (self.certificate, self.note) if note]

    def _bodies(self) -> list[Body]:
        grid, *notes = super()._bodies()
        members = (member_bodies(one.sentence, one.members, one.side) for one in self)
        return [grid, *(body for bodies in members for body in bodies), *notes]


def list_members(repairs: Sequence[Repair], finder: RecordFinder) -> tuple[Repair, ...]:
    """Return the repairs with the members of their clusters; the repair of a lone record has none."""
    found: dict[Any, tuple[Side, Cluster]] = {}
    clusters: Mapping[Side, Mapping[Any, Cluster]] = {
        side: finder.members.find(side, [one.cluster for one in repairs if one.side == side])
        for side in ("true", "pred")
    }
    gathered: list[Any] = []
    for place, one in enumerate(repairs):
        if one.cluster in clusters[one.side]:
            cluster = clusters[one.side][one.cluster]
            if one.side == "pred":
                cluster = finder.members.leave_out(cluster, "pred", gathered)
            found[place] = one.side, cluster
        gathered += [one.cluster] if one.side == "true" else []
    listed = finder.list_members(found)
    listed |= _list_neighbours(repairs, listed, finder)
    return tuple(_with_members(repairs, place, listed) for place in range(len(repairs)))


def _list_neighbours(
    repairs: Sequence[Repair], listed: Mapping[Any, Members], finder: RecordFinder
) -> dict[Any, Members]:
    """Return the predicted clusters, by label, from which gathers take records that were wrongly beside others."""
    labels = {
        member.pred
        for place, one in enumerate(repairs)
        if one.side == "true" and one.false_pairs and place in listed
        for member in listed[place].shown
    }
    return {("pred", label): members for (_, label), members in finder.list_clusters({"pred": labels}).items()}


def _with_members(repairs: Sequence[Repair], place: int, listed: Mapping[Any, Members]) -> Repair:
    one = repairs[place]
    if place not in listed:
        return one
    members = listed[place]
    missing, false = list(members.pairs), list(_false_pairs(repairs, place, listed))
    if one.side == "pred":
        missing, false = [], missing
    room = MOST_PAIRS - min(len(false), MOST_PAIRS // 2)
    pairs = [*missing[:room], *false][:MOST_PAIRS]
    counts: dict[PairKind, float] = {"missing": one.true_pairs, "false": one.false_pairs}
    return one._replace(members=members._replace(pairs=tuple(pairs), n_pairs=counts))


def _false_pairs(repairs: Sequence[Repair], place: int, listed: Mapping[Any, Members]) -> Iterator[RecordPair]:
    """Yield pairs of a record that a gather takes out and one that stays, unless an earlier repair separated them."""
    one, before = repairs[place], repairs[:place]
    if one.side == "pred" or not one.false_pairs:
        return
    split = {earlier.cluster for earlier in before if earlier.side == "pred"}
    gathered = {earlier.cluster for earlier in before if earlier.side == "true"} | {one.cluster}
    for member in listed[place].shown:
        if member.pred not in split:
            beside = listed.get(("pred", member.pred))
            for other in () if beside is None else beside.shown:
                if other.true not in gathered:
                    yield RecordPair("false", member, other)
