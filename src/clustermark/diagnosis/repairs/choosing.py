"""Choice of edits by wrong pairs or by an index: repeatedly the best one."""

from __future__ import annotations

from heapq import heapify, heappop, heapreplace
from itertools import islice, takewhile
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from clustermark.diagnosis.repairs.after_edits import PairScores, reads_pairs
from clustermark.diagnosis.repairs.choosing_by_index import can_choose, choose_by_index
from clustermark.diagnosis.repairs.edits import NEVER, Edit, EditState
from clustermark.diagnosis.repairs.repair_row import take_largest
from clustermark.errors import InputError, Mention, UnsupportedTableError
from clustermark.results.values import count_text
from clustermark.tables.clusters import names_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from clustermark.diagnosis.repairs.repair_row import Parts
    from clustermark.registry import Index
    from clustermark.tables.cells import CellTable
    from clustermark.tables.contingency import Contingency
    from clustermark.tables.parts import Edits


WRONG_PAIRS = "wrong_pairs"
_SHRINKING = ("f_measure", "jaccard", "adjusted_rand")
"""By these indices, the best of the edits that gain equally many true pairs removes most false pairs."""
_MORE = 4
"""If the fetched edits are too few, this many times as many are fetched."""
_MOST_OLD = 256
"""Edits with an old count that are counted one by one, at least, before all are counted again."""
_CELLS_FOR_ONE = 1000
"""Cells that are counted together in the time of counting one edit."""


class ChosenEdits(NamedTuple):
    """Edits that were chosen and carried out."""

    table: CellTable
    state: EditState
    steps: Sequence[Step]
    certificate: str = ""


def _load_cells(table: Contingency, index: Index[...] | None) -> CellTable:
    """Return the table with its cells in memory, or raise an error that says why they are needed."""
    try:
        return table.to_memory()
    except UnsupportedTableError as error:
        why = "scores that are not made of pairs" if index is None else Mention("by", index.label)
        few = Mention("by", WRONG_PAIRS)
        raise UnsupportedTableError("repairs, ", why, ": ", *error.args, "; ", few, " needs few cells") from None


def choose_from_all(table: Contingency, k: int | None, index: Index[...] | None = None) -> ChosenEdits:
    """Return the best edits by an index, or by wrong pairs without one; all cells are needed."""
    if index is not None and not can_choose(index):
        raise InputError(
            Mention("by", index.label),
            ": repairs cannot be ordered by it, since what a repair changes in it is not local; choose 'wrong_pairs', "
            "'adjusted_rand', 'f_measure', 'jaccard', 'b_cubed_f', 'v_measure' or another index of pairs, B-cubed or "
            "information",
        )
    memory = _load_cells(table, index)
    state = EditState(memory)
    return ChosenEdits(memory, state, list(_carry_out(state, _choose(state, memory, index), k)))


def choose_from_parts(table: Contingency, k: int | None, fetched: int) -> ChosenEdits:
    """Return the best edits by wrong pairs, fetching more cells until no edit left in the engine can be better.

    The gain of an edit only decreases while others are applied. So no edit left in the engine can precede the last
    fetched edit with its initial gain.
    fetched: number of edits fetched at first, for each one wanted.
    """
    n = None if k is None else fetched * max(k, 1)
    while True:
        excerpt, lasts = table.edits(n)
        state = EditState(excerpt)
        bound = min((_key_of_last(state, excerpt, edits, label) for edits, label in lasts.items()), default=None)
        edits = _choose(state, excerpt, None)
        steps = list(_carry_out(state, edits if bound is None else _within(state, edits, bound), k))
        if bound is None or k is None or len(steps) == k:
            return ChosenEdits(excerpt, state, steps, _certify(table, state, bound))
        n = None if n is None else _MORE * n


def _key(state: EditState, edit: Edit) -> tuple[Any, int]:
    """Return the sort key of an edit; the best has the smallest."""
    if edit.kind == "split":
        return -state.removed_by(edit), int(state.splits[edit.number])
    return -(state.gained_by(edit) + state.removed_by(edit)), int(state.gathers[edit.number])


def _key_of_last(state: EditState, table: CellTable, edits: Edits, label: Any) -> tuple[Any, int]:
    number = names_of(table, "true" if edits == "gathers" else "pred").to_list().index(label)
    if edits == "splits":
        return _key(state, Edit("split", number))
    if edits == "gathers":
        return _key(state, Edit("gather", number))
    lone = state.numbered.rows[(state.numbered.columns == number) & (state.numbered.rows >= state.n_named_rows)]
    return max(_key(state, Edit("gather", row)) for row in lone.tolist())


def _within(state: EditState, edits: Iterator[Edit], bound: tuple[Any, int]) -> Iterator[Edit]:
    """Yield the edits that come before any edit left in the engine."""
    return takewhile(lambda edit: _key(state, edit) <= bound, edits)


def _certify(table: Contingency, state: EditState, bound: tuple[Any, int] | None) -> str:
    if table.in_memory:
        return ""
    came = f"{state.numbered.n.size:,} of {table.n_cells:,} cells were fetched from the engine"
    if bound is None:
        return f"{came}: all cells that a repair could change"
    most = count_text(-bound[0])
    return f"{came}; no repair among the others mends more than {most} wrong pairs, and none of the list mends fewer"


def _choose(state: EditState, table: CellTable, index: Index[...] | None) -> Iterator[Edit]:
    if index is None:
        return choose_by_pairs(state, lambda gained, removed, *_: gained + removed)
    if index.name in _SHRINKING and reads_pairs(index):
        return choose_by_pairs(state, PairScores(table).rate(index))
    return choose_by_index(state, table, index)


class Step(NamedTuple):
    """An edit that was applied."""

    edit: Edit
    gained: Any
    removed: Any
    parts: Parts | None
    """The pieces of a gather; those of splits are looked up for all edits together."""
    records: int


def _carry_out(state: EditState, edits: Iterator[Edit], k: int | None) -> Iterator[Step]:
    gained = state.gained_by_gathers()
    for edit in islice(edits, k):
        removed = state.removed_by(edit)
        if edit.kind == "gather":
            yield Step(edit, gained[edit.number], removed, *_gathered(state, edit.number))
        else:
            yield Step(edit, 0, removed, None, 0)
        state.apply(edit)


def _gathered(state: EditState, number: int) -> tuple[Parts, int]:
    """Return the pieces that a gather joins, with numbers for clusters, and the number of records that must move."""
    cells = state.row(number)
    columns, counts = state.numbered.columns[cells], state.numbered.counts[cells]
    cut = state.split_at[columns] < NEVER
    sizes = np.where(cut, counts, state.points_left[columns])
    parts = take_largest(columns, counts, sizes, cut, state.splits)
    return parts, int(counts.sum()) - (parts.whole[0].records if parts.whole else 0)


Rate: TypeAlias = "Callable[[NDArray[Any], NDArray[Any], Any, Any], NDArray[Any]]"
"""Rating of edits from the true pairs they gain, the false pairs they remove, and the totals of both so far."""


class _Group:
    """The edits that gain the same number of true pairs, with the one that removes most false pairs on top."""

    def __init__(self, places: NDArray[np.int64], removed: NDArray[Any]) -> None:
        self._places, self._removed = places, removed
        self._heap: list[tuple[Any, int]] = []
        self._waiting: tuple[Any, int] | None = None
        """The first edit that is not on the heap, if there is one."""
        self._taken = 0
        self._sorted = np.empty(0, np.int64)
        self._take(64)

    def _take(self, n: int) -> None:
        """Put n more edits on the heap."""
        wanted = self._taken + n
        if wanted > len(self._sorted):
            self._sorted = first_of(self._removed, 4 * wanted + 1)
        new = self._sorted[self._taken : wanted]
        self._heap += zip((-self._removed[new]).tolist(), self._places[new].tolist(), strict=True)
        heapify(self._heap)
        self._taken += len(new)
        rest = self._sorted[self._taken : self._taken + 1]
        self._waiting = (-self._removed[rest[0]], int(self._places[rest[0]])) if len(rest) else None

    def top(self) -> tuple[Any, int] | None:
        """Return minus the bound of false pairs and the place of the best edit; None if none is left."""
        while self._waiting is not None and (not self._heap or self._waiting < self._heap[0]):
            self._take(self._taken)
        return self._heap[0] if self._heap else None

    def lower(self, removed: Any) -> None:
        """Set the number of false pairs that the top edit removes now; drop an edit that corrects nothing instead."""
        heapreplace(self._heap, (-removed, self._heap[0][1]))

    def drop(self) -> None:
        """Remove the top edit."""
        heappop(self._heap)


def first_of(values: NDArray[Any], n: int) -> NDArray[np.int64]:
    """Return the positions of the n largest values, largest first, ties in their original order."""
    if n >= len(values):
        return np.argsort(-values, kind="stable")
    bound = np.partition(values, len(values) - n)[len(values) - n]
    above = np.flatnonzero(values > bound)
    equal = np.flatnonzero(values == bound)[: n - len(above)]
    return np.concatenate([above[np.argsort(-values[above], kind="stable")], equal])


def choose_by_pairs(state: EditState, rate: Rate, most_old: int = _MOST_OLD) -> Iterator[Edit]:
    """Yield the best edit, again and again; apply each to the state before requesting the next.

    The true pairs that an edit brings together never change, and the false pairs that it separates become only fewer
    while other edits are applied. So among edits with equally many true pairs, an old count of false pairs is an upper
    bound: the edit that is best by these bounds, and whose count has not changed, is the best of all. Where an edit
    changed the counts of many others, all are counted again together: if it changed more than `most_old`, or if
    counting them one by one takes longer.
    """
    gained_so_far = removed_so_far = 0
    most = most_old + len(state.numbered.n) // _CELLS_FOR_ONE
    while True:
        edit_at, gained, removed = _candidates(state)
        distinct, groups = _group(gained, removed)
        tops = [group.top() for group in groups]
        bounds = np.array([0 if top is None else -top[0] for top in tops], removed.dtype)
        places = np.array([-1 if top is None else top[1] for top in tops], np.int64)
        old, applied = 0, False
        while (places >= 0).any() and not (applied and old > most):
            live = np.flatnonzero(places >= 0)
            rates = rate(distinct[live], bounds[live], gained_so_far, removed_so_far)
            best = live[rates == rates.max()]
            g = int(best[np.argmin(places[best])])
            edit = edit_at(int(places[g]))
            now, group = state.removed_by(edit), groups[g]
            if now == bounds[g]:
                group.drop()
                yield edit
                gained_so_far += distinct[g]
                removed_so_far += now
                old, applied = 0, True
            elif not now and not distinct[g]:
                group.drop()
                old += 1
            else:
                group.lower(now)
                old += 1
            top = group.top()
            bounds[g], places[g] = (0, -1) if top is None else (-top[0], top[1])
        if not (places >= 0).any():
            return


def _candidates(state: EditState) -> tuple[Callable[[int], Edit], NDArray[Any], NDArray[Any]]:
    """Return a function from place to edit, and the pairs that each edit gains and removes, by place."""
    splits, gathers = state.splits, state.gathers
    n_splits = len(splits)
    gained_by_gathers = np.where(state.gathered_at == NEVER, state.gained_by_gathers(), 0)
    gained = np.zeros(n_splits + len(gathers), gained_by_gathers.dtype)
    removed = np.zeros(len(gained), gained.dtype)
    gained[gathers] = gained_by_gathers
    removed[splits], removed[gathers] = state.removed_by_splits(), state.removed_by_gathers()
    split_at, row_at = np.empty(n_splits, np.int64), np.empty(len(gathers), np.int64)
    split_at[splits], row_at[gathers - n_splits] = np.arange(n_splits), np.arange(len(gathers))

    def edit_at(place: int) -> Edit:
        if place < n_splits:
            return Edit("split", int(split_at[place]))
        return Edit("gather", int(row_at[place - n_splits]))

    return edit_at, gained, removed


def _group(gained: NDArray[Any], removed: NDArray[Any]) -> tuple[NDArray[Any], list[_Group]]:
    """Return the distinct numbers of true pairs gained, and the edits with each of them."""
    useful = np.flatnonzero((gained > 0) | (removed > 0))
    distinct, group_of = np.unique(gained[useful], return_inverse=True)
    # small integers are sorted in linear time
    group_of = group_of.astype(np.uint16) if len(distinct) < 2**16 else group_of
    order = useful[np.argsort(group_of, kind="stable")]
    ends = np.cumsum(np.bincount(group_of, minlength=len(distinct)))
    parts = np.split(order, ends[:-1]) if len(distinct) else []
    return distinct, [_Group(places, removed[places]) for places in parts]
