"""Greedy choice of edits by pairs, which looks again only at the edits that could be the best.

The true pairs that an edit brings together never change, and the false pairs that it parts become only fewer while
other edits are applied. So among edits with equally many true pairs an old count of false pairs is a bound: one that is
the best by its bounds and still has that count is the best.
"""

from __future__ import annotations

from heapq import heapify, heappop, heapreplace
from typing import TYPE_CHECKING, Any

import numpy as np

from clustermark.diagnosis.repairs.edits import Edit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from clustermark.diagnosis.repairs.edits import Ledger

    Rate = Callable[[NDArray[Any], NDArray[Any], Any, Any], NDArray[Any]]
    """How good edits are: from the true pairs that they gain, the false ones that they remove, and both so far."""


class _Group:
    """The edits that bring equally many true pairs together, the one that parts most false pairs on top."""

    def __init__(self, places: NDArray[np.int64], removed: NDArray[Any]) -> None:
        self._places, self._removed = places, removed
        self._heap: list[tuple[Any, int]] = []
        self._waiting: tuple[Any, int] | None = None
        """The first of those that are not on the heap, if there are such."""
        self._taken = 0
        self._sorted = np.empty(0, np.int64)
        self._take(64)

    def _take(self, n: int) -> None:
        """Put n edits more on the heap."""
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
        """Minus the bound of false pairs, and the place, of the best edit; None where none is left."""
        while self._waiting is not None and (not self._heap or self._waiting < self._heap[0]):
            self._take(self._taken)
        return self._heap[0] if self._heap else None

    def lower(self, removed: Any) -> None:
        """Say how many false pairs the top edit parts now; one that mends nothing any more is to be dropped."""
        heapreplace(self._heap, (-removed, self._heap[0][1]))

    def drop(self) -> None:
        """Take the top edit away."""
        heappop(self._heap)


def first_of(values: NDArray[Any], n: int) -> NDArray[np.int64]:
    """Where the n largest values are, largest first, equal ones in the order in which they stand."""
    if n >= len(values):
        return np.argsort(-values, kind="stable")
    bound = np.partition(values, len(values) - n)[len(values) - n]
    above = np.flatnonzero(values > bound)
    equal = np.flatnonzero(values == bound)[: n - len(above)]
    return np.concatenate([above[np.argsort(-values[above], kind="stable")], equal])


def choose_by_pairs(ledger: Ledger, rate: Rate) -> Iterator[Edit]:
    """The best edit, again and again; each must be applied to the ledger before the next is asked for."""
    edit_at, gained, removed = _candidates(ledger)
    distinct, groups = _group(gained, removed)
    tops = [group.top() for group in groups]
    bounds = np.array([0 if top is None else -top[0] for top in tops], removed.dtype)
    places = np.array([-1 if top is None else top[1] for top in tops], np.int64)
    gained_so_far = removed_so_far = 0
    while (places >= 0).any():
        live = np.flatnonzero(places >= 0)
        rates = rate(distinct[live], bounds[live], gained_so_far, removed_so_far)
        best = live[rates == rates.max()]
        g = int(best[np.argmin(places[best])])
        edit = edit_at(int(places[g]))
        now, group = ledger.removed_by(edit), groups[g]
        if now == bounds[g]:
            group.drop()
            yield edit
            gained_so_far += distinct[g]
            removed_so_far += now
        elif not now and not distinct[g]:
            group.drop()
        else:
            group.lower(now)
        top = group.top()
        bounds[g], places[g] = (0, -1) if top is None else (-top[0], top[1])


def _candidates(ledger: Ledger) -> tuple[Callable[[int], Edit], NDArray[Any], NDArray[Any]]:
    """Which edit is at a place, and what all of them gain and remove, by place."""
    splits, gathers = ledger.splits, ledger.gathers
    n_splits = len(splits)
    gained_by_gathers = ledger.gained_by_gathers()
    gained = np.zeros(n_splits + len(gathers), gained_by_gathers.dtype)
    removed = np.zeros(len(gained), gained.dtype)
    gained[gathers] = gained_by_gathers
    removed[splits], removed[gathers] = ledger.removed_by_splits(), ledger.removed_by_gathers()
    split_at, row_at = np.empty(n_splits, np.int64), np.empty(len(gathers), np.int64)
    split_at[splits], row_at[gathers - n_splits] = np.arange(n_splits), np.arange(len(gathers))

    def edit_at(place: int) -> Edit:
        if place < n_splits:
            return Edit("split", int(split_at[place]))
        return Edit("gather", int(row_at[place - n_splits]))

    return edit_at, gained, removed


def _group(gained: NDArray[Any], removed: NDArray[Any]) -> tuple[NDArray[Any], list[_Group]]:
    """The numbers of true pairs that occur, and the edits of each."""
    useful = np.flatnonzero((gained > 0) | (removed > 0))
    distinct, group_of = np.unique(gained[useful], return_inverse=True)
    # small integers are sorted in linear time
    group_of = group_of.astype(np.uint16) if len(distinct) < 2**16 else group_of
    order = useful[np.argsort(group_of, kind="stable")]
    ends = np.cumsum(np.bincount(group_of, minlength=len(distinct)))
    parts = np.split(order, ends[:-1]) if len(distinct) else []
    return distinct, [_Group(places, removed[places]) for places in parts]
