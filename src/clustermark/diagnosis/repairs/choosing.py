"""Which edits are carried out: the best by wrong pairs or by an index, again and again."""

from __future__ import annotations

from itertools import islice, takewhile
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clustermark.diagnosis.repairs.edits import NEVER, Edit, Ledger
from clustermark.diagnosis.repairs.lazy import choose_by_pairs
from clustermark.diagnosis.repairs.local import can_choose, choose_by_index
from clustermark.diagnosis.repairs.scores import PairScores, reads_pairs
from clustermark.diagnosis.repairs.wording import Parts, Piece
from clustermark.errors import InputError, Mention, UnsupportedTableError
from clustermark.tables.clusters import names_of
from clustermark.tables.columnar import short_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from clustermark.registry import Index
    from clustermark.tables.cells import CellTable
    from clustermark.tables.contingency import Contingency
    from clustermark.tables.selections import Edits

WRONG_PAIRS = "wrong_pairs"
_SHRINKING = ("f_measure", "jaccard", "adjusted_rand")
"""Of edits that gain equally many true pairs, the one that removes most false pairs is best by these indices."""
_MORE = 4
"""Where the edits that were fetched are too few, this many times as many are fetched."""
_MOST_PIECES = 5
"""So many whole clusters, and so many parts of clusters, are named beside a repair."""


class Done(NamedTuple):
    """Edits that were chosen and carried out."""

    table: CellTable
    ledger: Ledger
    steps: Sequence[Step]
    certificate: str = ""


def _bring(table: Contingency, index: Index[...] | None) -> CellTable:
    """The table with its cells in memory, or an error that says why they are needed."""
    try:
        return table.to_memory()
    except UnsupportedTableError as error:
        why = "scores that are not made of pairs" if index is None else Mention("by", index.label)
        few = Mention("by", WRONG_PAIRS)
        raise UnsupportedTableError("repairs, ", why, ": ", *error.args, "; ", few, " needs few cells") from None


def choose_from_all(table: Contingency, k: int | None, index: Index[...] | None = None) -> Done:
    """The best edits by an index, or by wrong pairs where there is none; all cells are needed."""
    if index is not None and not can_choose(index):
        raise InputError(
            Mention("by", index.label),
            ": repairs cannot be ordered by it, since what a repair changes in it is not local; choose 'wrong_pairs', "
            "'adjusted_rand', 'f_measure', 'jaccard', 'b_cubed_f', 'v_measure' or another index of pairs, B-cubed or "
            "information",
        )
    memory = _bring(table, index)
    ledger = Ledger(memory)
    return Done(memory, ledger, list(_carry_out(ledger, _choose(ledger, memory, index), k)))


def choose_from_excerpts(table: Contingency, k: int | None, fetched: int) -> Done:
    """The best edits by wrong pairs, of ever more cells until no edit that stayed behind could have been better.

    What edits mend only becomes less while others are carried out. So those that stayed behind never come before the
    last that came over, as it was at the beginning.
    fetched: edits that are fetched at first, for each that is wanted.
    """
    n = None if k is None else fetched * max(k, 1)
    while True:
        excerpt, lasts = table.edits(n)
        ledger = Ledger(excerpt)
        bound = min((_key_of_last(ledger, excerpt, edits, label) for edits, label in lasts.items()), default=None)
        edits = _choose(ledger, excerpt, None)
        steps = list(_carry_out(ledger, edits if bound is None else _within(ledger, edits, bound), k))
        if bound is None or k is None or len(steps) == k:
            return Done(excerpt, ledger, steps, _certify(table, ledger, bound))
        n = None if n is None else _MORE * n


def _key(ledger: Ledger, edit: Edit) -> tuple[Any, int]:
    """What edits are sorted by, the best first."""
    if edit.kind == "split":
        return -ledger.removed_by(edit), int(ledger.splits[edit.number])
    return -(ledger.gained_by(edit) + ledger.removed_by(edit)), int(ledger.gathers[edit.number])


def _key_of_last(ledger: Ledger, table: CellTable, edits: Edits, label: Any) -> tuple[Any, int]:
    number = names_of(table, "true" if edits == "gathers" else "pred").to_list().index(label)
    if edits == "splits":
        return _key(ledger, Edit("split", number))
    if edits == "gathers":
        return _key(ledger, Edit("gather", number))
    lone = ledger.bits.rows[(ledger.bits.columns == number) & (ledger.bits.rows >= ledger.n_named_rows)]
    return max(_key(ledger, Edit("gather", row)) for row in lone.tolist())


def _within(ledger: Ledger, edits: Iterator[Edit], bound: tuple[Any, int]) -> Iterator[Edit]:
    """The edits before the first that one of those that stayed behind might come before."""
    return takewhile(lambda edit: _key(ledger, edit) <= bound, edits)


def _certify(table: Contingency, ledger: Ledger, bound: tuple[Any, int] | None) -> str:
    if table.in_memory:
        return ""
    came = f"{ledger.bits.n.size:,} of {table.n_cells:,} cells came over from the engine"
    if bound is None:
        return f"{came}: all that a repair could change"
    most = short_text(-bound[0])
    return f"{came}; no repair among the others mends more than {most} wrong pairs, and none of the list mends fewer"


def _choose(ledger: Ledger, table: CellTable, index: Index[...] | None) -> Iterator[Edit]:
    if index is None:
        return choose_by_pairs(ledger, lambda gained, removed, *_: gained + removed)
    if index.name in _SHRINKING and reads_pairs(index):
        return choose_by_pairs(ledger, PairScores(table).rate(index))
    return choose_by_index(ledger, table, index)


class Step(NamedTuple):
    """An edit that was carried out."""

    edit: Edit
    gained: Any
    removed: Any
    parts: Parts | None
    """What was gathered; what was split is looked up for all edits together."""
    records: int


def _carry_out(ledger: Ledger, edits: Iterator[Edit], k: int | None) -> Iterator[Step]:
    gained = ledger.gained_by_gathers()
    for edit in islice(edits, k):
        removed = ledger.removed_by(edit)
        if edit.kind == "gather":
            yield Step(edit, gained[edit.number], removed, *_gathered(ledger, edit.number))
        else:
            yield Step(edit, 0, removed, None, 0)
        ledger.apply(edit)


def _gathered(ledger: Ledger, number: int) -> tuple[Parts, int]:
    """The pieces that a gather takes together, clusters as numbers, and how many records must move."""
    cells = ledger.row(number)
    columns, counts = ledger.bits.columns[cells], ledger.bits.counts[cells]
    cut = ledger.split_at[columns] < NEVER
    sizes = np.where(cut, counts, ledger.points_left[columns])
    parts = take_largest(columns, counts, sizes, cut, ledger.splits)
    return parts, int(counts.sum()) - (parts.whole[0].records if parts.whole else 0)


def take_largest(numbers: Any, counts: Any, sizes: Any, cut: Any, ranks: Any) -> Parts:
    """Of these pieces the largest whole clusters and the largest parts of clusters."""
    order = np.lexsort((ranks[numbers], -counts))
    whole = (sizes == counts)[order]

    def take(chosen: Any) -> tuple[Piece, ...]:
        arrays = (array[chosen[:_MOST_PIECES]].tolist() for array in (numbers, counts, sizes, cut))
        return tuple(Piece(number, n, size, cut=off) for number, n, size, off in zip(*arrays, strict=True))

    homes, others = order[whole], order[~whole]
    return Parts(take(homes), take(others), len(homes), len(others))
