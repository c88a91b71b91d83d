"""The records from which pairs are drawn: their ids, clusters and cluster sizes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar

import numpy as np

from clustermark._kernel import crosstab, encode_integers, margins
from clustermark.errors import InputError
from clustermark.labels.alignment import id_text, id_texts
from clustermark.releases.judgements.pair_masses import ClusterSizes, RecordGroups, record_masses
from clustermark.releases.judgements.pair_sampling import digest_numbers, numbers_of, pareto_keys
from clustermark.tables.sums import CellTally
from clustermark.tables.tabulation import how_many_threads

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from clustermark.evaluation.record import Record
    from clustermark.releases.judgements.questionnaire import Id

S = TypeVar("S")
T = TypeVar("T")
_CLOSE = 8
"""Integers whose range is at most this multiple of their number are used as codes directly."""
MOST_SLICES = 10_000
"""The largest number of slices; each needs separate answers."""


class RecordRows(NamedTuple):
    """Some records. A code means the same cluster in all rows of one population."""

    ids: list[str]
    before: NDArray[np.int64]
    after: NDArray[np.int64]
    sizes: ClusterSizes
    weights: NDArray[np.float64] | None
    slices: list[str] | None

    def masses(self, kind: str, index: str) -> NDArray[np.float64]:
        """Return for each record the mass of its pairs of a kind, times the total weight."""
        return record_masses(kind, index, self.sizes, self.weights)

    def slice_of(self, place: int) -> str | None:
        """Return the slice of one record, or None."""
        return None if self.slices is None else self.slices[place]


class Population(Protocol):
    """All records, in memory or in an engine."""

    @property
    def record(self) -> Record:
        """Numbers of records, and their origin."""
        ...

    @property
    def groups(self) -> RecordGroups:
        """The records grouped by the sizes of their clusters."""
        ...

    @property
    def counted(self) -> RecordGroups:
        """The same groups, in the same order, without weights."""
        ...

    @property
    def known_ids(self) -> Mapping[str, Id]:
        """The ids of all records that were returned, by their texts."""
        ...

    def slices(self, kinds: Iterable[str]) -> Mapping[str, RecordGroups]:
        """Return the records of each slice that have pairs of these kinds; empty without slices."""
        ...

    def holders(self, kind: str, index: str) -> RecordRows:
        """Return all records that have pairs of a kind."""
        ...

    def near(self, index: str, seed: int, per_mass: Mapping[str, float], most: float) -> RecordRows:
        """Return at least the records with a key of at most `most` for a kind."""
        ...

    def mates(self, before: Iterable[int], after: Iterable[int], kinds: Iterable[str]) -> RecordRows:
        """Return all records of these clusters before and after that have pairs of these kinds."""
        ...


class MemoryPopulation:
    """Records in memory; clusters are numbered from 0."""

    def __init__(
        self,
        record: Record,
        ids: Sequence[Any] | NDArray[np.int64],
        before: NDArray[Any],
        after: NDArray[Any],
        weights: NDArray[np.float64] | None,
        slices: list[str] | None,
    ) -> None:
        self.record = record
        self.known_ids: dict[str, Id] = {}
        self._ids, self._before, self._after, self._weights, self._by = ids, before, after, weights, slices
        counts = _SizeTable.of(before, after)
        self._sizes = counts if weights is None else counts.weigh(weights)
        if weights is None:
            self.groups = self.counted = counts.group()
        else:
            self.counted = RecordGroups(counts.at(None), np.ones(len(ids), np.int64))
            self.groups = RecordGroups(self._sizes.at(None), self.counted.records, weights)

    @property
    def clusters(self) -> tuple[int, int]:
        """The number of clusters before and after."""
        return int(np.count_nonzero(self._sizes.a)), int(np.count_nonzero(self._sizes.b))

    def slices(self, kinds: Iterable[str]) -> dict[str, RecordGroups]:  # noqa: ARG002
        """Return the records of each slice."""
        if self._by is None:
            return {}
        names = sorted(set(self._by))
        refuse_many(len(names))
        numbers = {name: number for number, name in enumerate(names)}
        codes = np.array([numbers[name] for name in self._by], np.int64)
        found = {}
        ends = np.cumsum(np.bincount(codes))[:-1]
        for name, inside in zip(names, np.split(np.argsort(codes, kind="stable"), ends), strict=True):
            sizes = self._sizes.at(inside)
            alike = RecordGroups(
                sizes, np.ones(len(inside), np.int64), None if self._weights is None else self._weights[inside]
            )
            found[name] = alike if self._weights is not None else _merge_alike(alike)
        return found

    def holders(self, kind: str, index: str) -> RecordRows:
        """Return all records that have pairs of a kind."""
        places, (masses,) = self._masses([kind], index)
        return self._take(places[masses > 0])

    def near(self, index: str, seed: int, per_mass: Mapping[str, float], most: float) -> RecordRows:
        """Return at least the records with a key of at most `most` for a kind; exactly these if ids are integers."""
        places, masses = self._masses(per_mass, index)
        holds = np.logical_or.reduce([mass > 0 for mass in masses])
        places, masses = places[holds], [mass[holds] for mass in masses]
        if isinstance(self._ids, np.ndarray) and np.isfinite(most):
            digests = digest_numbers(self._ids[places], seed)
            with np.errstate(divide="ignore"):  # without mass the key is infinite
                keys = [
                    pareto_keys(numbers_of(digests, kind), mass, rate)
                    for mass, (kind, rate) in zip(masses, per_mass.items(), strict=True)
                ]
            places = places[np.logical_or.reduce([key <= most for key in keys])]
        return self._take(places)

    def mates(self, before: Iterable[int], after: Iterable[int], kinds: Iterable[str]) -> RecordRows:  # noqa: ARG002
        """Return all records of these clusters before and after."""
        inside = np.zeros(len(self._before), np.bool_)
        for codes, wanted in ((self._before, before), (self._after, after)):
            chosen = np.zeros(int(codes.max()) + 1, np.bool_)
            chosen[list(wanted)] = True
            inside |= chosen[codes]
        return self._take(np.flatnonzero(inside))

    def _masses(self, kinds: Iterable[str], index: str) -> tuple[NDArray[np.int64], list[NDArray[np.float64]]]:
        """Return the positions of the records that may have pairs of these kinds, and for each kind their masses."""
        places = np.arange(len(self._before)) if "kept" in kinds else self._sizes.changed
        sizes = self._sizes.at(None if "kept" in kinds else places)
        weights = None if self._weights is None else self._weights[places]
        return places, [record_masses(kind, index, sizes, weights) for kind in kinds]

    def _take(self, places: NDArray[np.int64]) -> RecordRows:
        chosen = places.tolist()
        ids = [self._ids[place] for place in chosen]
        texts = id_texts(ids)
        self.known_ids |= name_ids(texts, ids)
        return RecordRows(
            texts,
            self._before[places],
            self._after[places],
            self._sizes.at(places),
            None if self._weights is None else self._weights[places],
            None if self._by is None else [self._by[place] for place in chosen],
        )


def name_ids(texts: Sequence[str], ids: Sequence[Any]) -> dict[str, Id]:
    """Return ids by their texts: whole numbers and texts, and tuples of these, as they are, and others as texts."""
    return {text: _plain_id(one, text) for text, one in zip(texts, ids, strict=True)}


def _plain_id(one: Any, text: str) -> Id:
    if isinstance(one, tuple):
        return tuple(_plain_id(part, id_text(part)) for part in one)  # type: ignore[misc]  # parts are no tuples
    is_whole = isinstance(one, int | np.integer) and not isinstance(one, bool)
    return int(one) if is_whole else text


def beside(work: Callable[[S], T], sides: Sequence[S]) -> list[T]:
    """Return the results of `work` for both sides, computed in two threads."""
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(len(sides)) as pool:
        return list(pool.map(work, sides))


def _count_side(
    codes: NDArray[Any], numbers: NDArray[np.int32], labels: NDArray[Any], counted: NDArray[Any]
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return the size of each cluster, and a mask of records whose cluster meets several of the other side."""
    sizes, several = np.zeros(int(labels.max()) + 1, np.int64), np.zeros(int(labels.max()) + 1, np.bool_)
    sizes[labels] = counted
    several[labels[np.bincount(numbers) > 1]] = True
    return sizes, several[codes]


class _SizeTable(NamedTuple):
    """Sizes of clusters, and of the cells of changed records; the cell of another record is its cluster."""

    before: NDArray[Any]
    after: NDArray[Any]
    changed: NDArray[np.int64]
    """Positions of the records whose cluster before or after meets several clusters."""
    cells: NDArray[np.int32]
    """The cell of each changed record."""
    a: NDArray[Any]
    b: NDArray[Any]
    n: NDArray[Any]

    @classmethod
    def of(cls, before: NDArray[Any], after: NDArray[Any]) -> _SizeTable:
        """Count the records."""
        met = crosstab(before, after, threads=how_many_threads(None, len(before)))
        counted = margins(met)
        sides = (
            (before, met.rows, met.row_values, counted[0]),
            (after, met.columns, met.column_values, counted[1]),
        )
        (a, several), (b, several_after) = beside(lambda side: _count_side(*side), sides)
        changed = np.flatnonzero(several | several_after)
        keys = before[changed].astype(np.int64) * len(b) + after[changed]
        cells = encode_integers(keys)[0]
        return cls(before, after, changed, cells, a, b, np.bincount(cells)[cells])

    def weigh(self, weights: NDArray[np.float64]) -> _SizeTable:
        """Return the same table with sums of weights instead of counts."""
        a, b = np.bincount(self.before, weights), np.bincount(self.after, weights)
        return self._replace(a=a, b=b, n=np.bincount(self.cells, weights[self.changed])[self.cells])

    def at(self, places: NDArray[np.int64] | None) -> ClusterSizes:
        """Return the sizes for these records, or for all."""
        chosen: Any = slice(None) if places is None else places
        a, b = self.a[self.before[chosen]], self.b[self.after[chosen]]
        if places is self.changed:
            return ClusterSizes(self.n, a, b)
        n = a.copy()
        if places is None:
            n[self.changed] = self.n
        elif len(self.changed):
            near = np.minimum(np.searchsorted(self.changed, places), len(self.changed) - 1)
            n = np.where(self.changed[near] == places, self.n[near], n)
        return ClusterSizes(n, a, b)

    def group(self) -> RecordGroups:
        """Group all records by their sizes."""
        same = self.a.copy()
        same[self.before[self.changed]] = 0  # only unchanged clusters are left
        times = np.bincount(same)
        times[0] = 0
        sizes = np.flatnonzero(times)
        changed = self.at(self.changed)
        both = ClusterSizes(*(np.concatenate([side, sizes]) for side in changed))
        return _merge_alike(
            RecordGroups(both, np.concatenate([np.ones(len(self.changed), np.int64), times[sizes] * sizes]))
        )


def _merge_alike(groups: RecordGroups) -> RecordGroups:
    """Merge groups of equal sizes."""
    (n, a, b), records = groups.sizes, groups.records
    tops = [int(side.max(initial=0)) + 1 for side in (n, a, b)]
    if tops[0] * tops[1] * tops[2] < 1 << 62:  # three numbers fit one integer
        codes, first = encode_integers((n * tops[1] + a) * tops[2] + b)
        n, a, b, records = n[first], a[first], b[first], np.bincount(codes, records).astype(np.int64)
    alike = RecordGroups.of(CellTally(n, a, b, records))
    return alike._replace(records=alike.records // alike.sizes.n)  # `of` counted each as a cell of n records


def number_labels(labels: NDArray[Any]) -> NDArray[np.int32]:
    """Return integer labels as codes from 0; some codes may be unused."""
    low, high = int(labels.min()), int(labels.max())
    if high - low <= _CLOSE * len(labels) and high - low < 1 << 31:
        wide = labels if labels.dtype.itemsize == 8 else labels.astype(np.int64)
        return (wide - wide.dtype.type(low)).astype(np.int32)
    return encode_integers(labels)[0]


def refuse_repeated_numbers(ids: NDArray[Any]) -> None:
    """Refuse repeated ids."""
    if (ids[1:] > ids[:-1]).all():
        return
    numbers = number_labels(ids)
    counts = np.bincount(numbers)
    if counts.max() > 1:
        twice = int(ids[numbers == int(np.argmax(counts > 1))][0])
        raise InputError(f"ids: they must be unique, and {twice} occurs twice; remove the duplicates")


def refuse_many(slices: int) -> None:
    """Refuse too many slices."""
    if slices > MOST_SLICES:
        raise InputError(
            f"by: there are {slices:,} slices, and at most {MOST_SLICES:,} are supported; name a coarser column"
        )
