"""The records from which pairs are drawn: who they are, in which clusters, and of which sizes these are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from clustermark._kernel import encode_integers
from clustermark.errors import InputError
from clustermark.judgements.masses import Groups, Sizes, record_masses
from clustermark.judgements.permanent import id_texts
from clustermark.tables.tallies import CellTally

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from clustermark.report.record import Record

MOST_SLICES = 10_000
"""A slice takes its own estimates, and needs answers of its own."""


class Rows(NamedTuple):
    """Some records. Codes of clusters mean the same in all rows of one population."""

    ids: list[str]
    before: NDArray[np.int64]
    after: NDArray[np.int64]
    sizes: Sizes
    weights: NDArray[np.float64] | None
    slices: list[str] | None

    def masses(self, kind: str, index: str) -> NDArray[np.float64]:
        """The mass of the pairs of one kind that each record is the first of, times the weight of all."""
        return record_masses(kind, index, self.sizes, self.weights)

    def slice_of(self, place: int) -> str | None:
        """The slice of one record."""
        return None if self.slices is None else self.slices[place]


class Population(Protocol):
    """All records, wherever they lie."""

    @property
    def record(self) -> Record:
        """How many there are, and where they come from."""
        ...

    @property
    def groups(self) -> Groups:
        """The records by the sizes of their clusters."""
        ...

    @property
    def counted(self) -> Groups:
        """The same, in the same order, without weights."""
        ...

    def slices(self, kinds: Iterable[str]) -> Mapping[str, Groups]:
        """The records of each slice, as far as pairs of these kinds go; empty where nobody asked for slices."""
        ...

    def holders(self, kind: str, index: str) -> Rows:
        """All records that have pairs of a kind."""
        ...

    def near(self, index: str, seed: int, per_mass: Mapping[str, float], most: float) -> Rows:
        """At least the records whose key for a kind is at most so large."""
        ...

    def mates(self, before: Iterable[int], after: Iterable[int], kinds: Iterable[str]) -> Rows:
        """All records of some before clusters and of some after clusters, in which pairs of some kinds lie."""
        ...


class InMemory:
    """Records in memory."""

    def __init__(
        self,
        record: Record,
        ids: Sequence[Any],
        before: NDArray[np.int64],
        after: NDArray[np.int64],
        weights: NDArray[np.float64] | None,
        slices: list[str] | None,
    ) -> None:
        self.record = record
        self._ids, self._before, self._after, self._weights, self._by = ids, before, after, weights, slices
        cells = encode_integers(before * (int(after.max()) + 1) + after)[0].astype(np.int64)
        places = (cells, before, after)
        self._sizes = Sizes(*(np.bincount(codes, weights)[codes] for codes in places))
        counts = self._sizes if weights is None else Sizes(*(np.bincount(codes)[codes] for codes in places))
        self.counted = _group(counts, None) if weights is None else Groups(counts, np.ones(len(ids), np.int64))
        self.groups = self.counted if weights is None else _group(self._sizes, weights)

    def slices(self, kinds: Iterable[str]) -> dict[str, Groups]:  # noqa: ARG002
        """The records of each slice."""
        if self._by is None:
            return {}
        names = sorted(set(self._by))
        refuse_many(len(names))
        numbers = {name: number for number, name in enumerate(names)}
        codes = np.array([numbers[name] for name in self._by], np.int64)
        found = {}
        ends = np.cumsum(np.bincount(codes))[:-1]
        for name, inside in zip(names, np.split(np.argsort(codes, kind="stable"), ends), strict=True):
            found[name] = _group(self._sizes.take(inside), None if self._weights is None else self._weights[inside])
        return found

    def holders(self, kind: str, index: str) -> Rows:
        """All records that have pairs of a kind."""
        masses = record_masses(kind, index, self._sizes, self._weights)
        return self._take(np.flatnonzero(masses > 0))

    def near(self, index: str, seed: int, per_mass: Mapping[str, float], most: float) -> Rows:  # noqa: ARG002
        """All records that have pairs of any of the kinds."""
        masses = [record_masses(kind, index, self._sizes, self._weights) for kind in per_mass]
        return self._take(np.flatnonzero(np.sum(masses, axis=0) > 0))

    def mates(self, before: Iterable[int], after: Iterable[int], kinds: Iterable[str]) -> Rows:  # noqa: ARG002
        """All records of some before clusters and of some after clusters."""
        inside = np.isin(self._before, list(set(before))) | np.isin(self._after, list(set(after)))
        return self._take(np.flatnonzero(inside))

    def _take(self, places: NDArray[np.int64]) -> Rows:
        chosen = places.tolist()
        return Rows(
            id_texts([self._ids[place] for place in chosen]),
            self._before[places],
            self._after[places],
            self._sizes.take(places),
            None if self._weights is None else self._weights[places],
            None if self._by is None else [self._by[place] for place in chosen],
        )


def refuse_many(slices: int) -> None:
    """Refuse more slices than answers could ever tell apart."""
    if slices > MOST_SLICES:
        raise InputError(
            f"by: there are {slices:,} slices, and at most {MOST_SLICES:,} are told apart; name a coarser column"
        )


def _group(sizes: Sizes, weights: NDArray[np.float64] | None) -> Groups:
    """Records as groups of those that are alike; those with weights one by one."""
    ones = np.ones(len(sizes.n), np.int64)
    if weights is not None:
        return Groups(sizes, ones, weights)
    alike = Groups.of(CellTally(*sizes, ones))
    return alike._replace(records=alike.records // alike.sizes.n)  # each was taken for a cell of n records
