"""Which pairs are asked: by permanent random numbers, in proportion to their mass."""

from __future__ import annotations

from hashlib import md5
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clustermark._kernel import digest_integers
from clustermark.releases.judgements.pair_masses import PairKinds, allocate
from clustermark.tables.tabulation import how_many_threads

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from clustermark.releases.judgements.population import Population, RecordRows


_LISTED = 2_000_000
"""Up to so many pairs of a kind are looked at one by one, where few records hold most of their mass."""
_FEW = 10
"""Pairs are drawn by their records where so many times as many of them are there as are wanted. Among fewer, two
records often choose each other: one answer would count twice, and intervals be too narrow."""


class DrawnPair(NamedTuple):
    """A pair of records, as it was drawn."""

    first: str
    second: str
    slices: tuple[str | None, ...]
    """The slice of the record for which it was drawn; of both, if the pair was to be asked anyway."""
    share: float | None = None
    """Its share of the mass of its kind, if it was to be asked anyway."""


class DrawRate(NamedTuple):
    """How many records of a kind are wanted, and with which chance for each unit of mass."""

    n: int
    per_mass: float


class KindDraws(NamedTuple):
    """The pairs of one kind that are asked."""

    kind: str
    mass: float
    """Of all pairs of the kind: what the share of different ones is multiplied by."""
    pairs: int
    """How many there are."""
    draws: list[DrawnPair]


def weigh_kinds(population: Population, kinds: Sequence[str], index: str) -> PairKinds:
    """What the pairs of these kinds weigh, and how many they are."""
    groups, counted = population.groups, population.counted
    masses = {kind: groups.mass(kind, index) for kind in kinds}
    pairs = {kind: counted.pairs(kind, groups.sizes) if masses[kind] > 0 else 0 for kind in kinds}
    return PairKinds(index, masses, pairs)


def draw_pairs(population: Population, kinds: PairKinds, n: int, seed: int) -> list[KindDraws]:
    """About n pairs of these kinds: those that were to be asked anyway, and a sample of the others."""
    groups, index, masses, pairs = population.groups, kinds.index, kinds.masses, kinds.pairs
    draws: dict[str, list[DrawnPair]] = {kind: [] for kind in masses}
    wanted: dict[str, DrawRate] = {}
    for kind, number in allocate(kinds.importance, n).items():
        of_records = groups.masses(kind, index)
        total, heaviest = groups.total(of_records), float(of_records.max())
        if pairs[kind] > number and total >= _FEW * number * heaviest:
            wanted[kind] = DrawRate(number, number / total)
        elif pairs[kind] <= _LISTED:
            draws[kind] = _draw_listed(population.holders(kind, index), kind, index, number, seed)
        else:  # more would ask some records too often
            fewer = max(1, min(number, int(total / heaviest)))
            wanted[kind] = DrawRate(fewer, fewer / total)
    if wanted:
        draws |= _draw_near(population, index, seed, wanted)
    return [KindDraws(kind, masses[kind], pairs[kind], draws[kind]) for kind in masses]


def _find_near(
    population: Population, index: str, seed: int, wanted: dict[str, DrawRate]
) -> tuple[RecordRows, NDArray[np.uint64]]:
    """Records among which the wanted ones are, with their hashes: an engine finds most of the others are not."""
    for most in (4.0, 256.0, np.inf):
        rows = population.near(index, seed, {kind: one.per_mass for kind, one in wanted.items()}, most)
        hashes = hash_ids(rows.ids, seed)
        numbers = uniform(hashes)
        if most == np.inf or all(
            (_keys(rows, numbers, kind, index, one)[1] <= most).sum() >= one.n for kind, one in wanted.items()
        ):
            break
    return rows, hashes


def _keys(
    rows: RecordRows, numbers: NDArray[np.float64], kind: str, index: str, wanted: DrawRate
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The places of the records that have pairs of a kind, and their keys."""
    masses = rows.masses(kind, index)
    holders = np.flatnonzero(masses > 0)
    return holders, pareto_keys(numbers[holders], masses[holders], wanted.per_mass)


def _draw_near(
    population: Population, index: str, seed: int, wanted: dict[str, DrawRate]
) -> dict[str, list[DrawnPair]]:
    """The wanted records with the smallest keys, each with a partner."""
    rows, hashes = _find_near(population, index, seed, wanted)
    chosen = {kind: _choose(rows, uniform(hashes), kind, index, one) for kind, one in wanted.items()}
    mates = _find_mates(population, rows, chosen)
    numbers = hash_ids(mates.ids, seed)
    draws = {}
    for kind, places in chosen.items():
        partners = _Partners(mates, kind, numbers)
        draws[kind] = [
            DrawnPair(rows.ids[place], partners.choose(rows.ids[place]), (rows.slice_of(place),))
            for place in places.tolist()
        ]
    return draws


def _choose(
    rows: RecordRows, numbers: NDArray[np.float64], kind: str, index: str, wanted: DrawRate
) -> NDArray[np.int64]:
    """The places of the records with the smallest keys."""
    holders, keys = _keys(rows, numbers, kind, index, wanted)
    first = first_of(keys, lambda place: rows.ids[holders[place]], wanted.n)
    return np.asarray(holders[np.asarray(first, np.int64)])


def _find_mates(population: Population, rows: RecordRows, chosen: dict[str, NDArray[np.int64]]) -> RecordRows:
    """All records of the clusters in which the pairs of chosen ones lie."""
    sides: tuple[list[int], list[int]] = ([], [])
    for kind, places in chosen.items():
        if kind != "merge":
            sides[0].extend(rows.before[places].tolist())
        if kind in ("merge", "affected"):
            sides[1].extend(rows.after[places].tolist())
    return population.mates(*sides, chosen)


class _Partners:
    """The records with which a record makes a pair of one kind."""

    def __init__(self, mates: RecordRows, kind: str, hashes: NDArray[np.uint64]) -> None:
        self._mates, self._kind, self._hashes = mates, kind, hashes
        self._places = {name: place for place, name in enumerate(mates.ids)}
        cluster = mates.after if kind == "merge" else mates.before
        self._order = np.argsort(cluster, kind="stable")
        self._clusters = cluster
        self._sorted = cluster[self._order]

    def of(self, name: str) -> NDArray[np.int64]:
        """The places of those that make a pair with this record."""
        place = self._places[name]
        begin, end = (np.searchsorted(self._sorted, self._clusters[place], side) for side in ("left", "right"))
        near = self._order[begin:end]
        apart = self._mates.before if self._kind == "merge" else self._mates.after
        other = apart[near] != apart[place]
        return np.asarray(near[other] if self._kind in ("split", "merge") else near[~other & (near != place)])

    def choose(self, name: str) -> str:
        """One of them at random, by weight: the first in a race whose times are exponential."""
        places = self.of(name)
        numbers = pair_hashes(self._hashes[self._places[name]], self._hashes[places])
        weights = self._mates.weights
        # without weights the largest number wins, and no logarithm need be the same on all machines
        times = ~numbers if weights is None else -np.log(uniform(numbers)) / weights[places]
        best = np.flatnonzero(times == times.min())
        return str(min(self._mates.ids[place] for place in places[best].tolist()))


class _Listed(NamedTuple):
    """Pairs one by one."""

    first: NDArray[np.int64]
    second: NDArray[np.int64]
    mass: NDArray[np.float64]


def _draw_listed(rows: RecordRows, kind: str, index: str, n: int, seed: int) -> list[DrawnPair]:
    """Pairs drawn from the list of all: those too heavy for a chance below 1 are asked anyway."""
    listed = _list_pairs(rows, kind, index)
    total = float(listed.mass.sum())
    sure = _sure(listed.mass, n)
    draws = [
        DrawnPair(
            rows.ids[listed.first[pair]],
            rows.ids[listed.second[pair]],
            (rows.slice_of(listed.first[pair]), rows.slice_of(listed.second[pair])),
            float(listed.mass[pair]) / total,
        )
        for pair in np.flatnonzero(sure).tolist()
    ]
    rest, left = np.flatnonzero(~sure), n - len(draws)
    if not len(rest) or not left:
        return draws
    hashes = hash_ids(rows.ids, seed)
    numbers = pair_hashes(hashes[listed.first[rest]], hashes[listed.second[rest]])
    masses = listed.mass[rest]
    keys = pareto_keys(uniform(numbers), masses, left / float(masses.sum()))
    for place in first_of(keys, lambda place: _name_pair(rows, listed, int(rest[place])), left):
        pair = rest[place]
        # the pair was drawn for one of its two records: the lowest bit says for which of them, named by their texts
        ends = sorted((int(listed.first[pair]), int(listed.second[pair])), key=lambda end: rows.ids[end])
        mine, other = ends if int(numbers[place]) & 1 else ends[::-1]
        draws.append(DrawnPair(rows.ids[mine], rows.ids[other], (rows.slice_of(mine),)))
    return draws


def _name_pair(rows: RecordRows, listed: _Listed, pair: int) -> str:
    return "\x1e".join(sorted((rows.ids[listed.first[pair]], rows.ids[listed.second[pair]])))


def _sure(masses: NDArray[np.float64], n: int) -> NDArray[np.bool_]:
    """The pairs that n draws in proportion to mass would take for sure."""
    if len(masses) <= n:
        return np.ones(len(masses), np.bool_)
    order = np.argsort(-masses, kind="stable")
    left = np.cumsum(masses[order][::-1])[::-1]  # the mass of a pair and of all that are lighter
    chances = masses[order] * (n - np.arange(len(masses))) / left
    heavy = int(np.argmax(chances < 1)) if (chances < 1).any() else n
    sure = np.zeros(len(masses), np.bool_)
    sure[order[:heavy]] = True
    return sure


def _list_pairs(rows: RecordRows, kind: str, index: str) -> _Listed:
    """All pairs of a kind, and twice the mass of one direction of each."""
    cluster, apart = (rows.after, rows.before) if kind == "merge" else (rows.before, rows.after)
    order = np.lexsort((apart, cluster))
    new_cluster = np.flatnonzero(np.r_[True, np.diff(cluster[order]) != 0])
    cells = np.unique(np.r_[new_cluster, np.flatnonzero(np.diff(apart[order])) + 1, len(order)])
    firsts, seconds = [], []
    for begin, end in zip(cells[:-1].tolist(), cells[1:].tolist(), strict=True):
        cell = order[begin:end]
        if kind in ("split", "merge"):  # with the cells of its cluster that came before
            others = order[new_cluster[np.searchsorted(new_cluster, begin, "right") - 1] : begin]
            firsts.append(np.repeat(others, len(cell)))
            seconds.append(np.tile(cell, len(others)))
        else:
            one, other = np.triu_indices(len(cell), 1)
            firsts.append(cell[one])
            seconds.append(cell[other])
    first, second = np.concatenate(firsts), np.concatenate(seconds)
    n, a, b = (np.asarray(size, np.float64) for size in rows.sizes)
    per_pair = {"split": 1 / a, "merge": 1 / b, "kept": 1 / b}.get(kind, np.abs(1 / b - 1 / a))
    per_pair = np.ones(len(n)) if index == "pair_precision" else per_pair
    weights = np.ones(len(n)) if rows.weights is None else rows.weights
    return _Listed(first, second, 2 * weights[first] * weights[second] * per_pair[first])


class SampledRecord(NamedTuple):
    """A record, and all that either clustering puts beside it."""

    name: str
    weight: float
    slice: str | None
    mates: dict[str, tuple[str, float]]
    """The kind of the pair and the weight of the other, by its id."""


def draw_records(population: Population, n: int, seed: int) -> Iterator[SampledRecord]:
    """Affected records, by weight, each with its clusters."""
    of_records = population.groups.masses("affected", "")
    total, affected = (
        population.groups.total(of_records),
        population.counted.total(population.counted.masses("affected", "")),
    )
    if n < affected:  # more would take heavy records too rarely for their weight
        n = min(n, max(1, int(total / float(of_records.max()))))
    wanted = DrawRate(n, n / total)
    rows, hashes = _find_near(population, "", seed, {"affected": wanted})
    chosen = _choose(rows, uniform(hashes), "affected", "", wanted)
    masses = rows.masses("affected", "")
    mates = _find_mates(population, rows, {"affected": chosen})
    kinds = [_Partners(mates, kind, hash_ids(mates.ids, seed)) for kind in ("split", "merge", "kept")]
    weights = np.ones(len(mates.ids)) if mates.weights is None else mates.weights
    for place in chosen.tolist():
        name = rows.ids[place]
        beside = {
            mates.ids[mate]: (kind, float(weights[mate]))
            for kind, partners in zip(("split", "merge", "kept"), kinds, strict=True)
            for mate in partners.of(name).tolist()
        }
        yield SampledRecord(name, float(masses[place]), rows.slice_of(place), beside)


_SURE = 1 - 1e-6
_HEAD = 35
"""The longest text of a seed that the kernel takes."""


def hash_ids(texts: Sequence[str], seed: int) -> NDArray[np.uint64]:
    """64 bits for each id, of which engines that have md5 make the same."""
    head = f"{seed}:"
    digests = b"".join(
        md5((head + text).encode("utf-8", "surrogatepass"), usedforsecurity=False).digest()[:8] for text in texts
    )
    return np.frombuffer(digests, ">u8").astype(np.uint64)


def hash_numbers(ids: NDArray[np.int64], seed: int) -> NDArray[np.uint64]:
    """The same for ids that are whole numbers, without a text of each."""
    head = f"{seed}:".encode()
    if len(head) > _HEAD:
        return hash_ids(list(map(str, ids.tolist())), seed)
    return digest_integers(head, ids, how_many_threads(None, len(ids)))


def uniform(hashes: NDArray[np.uint64]) -> NDArray[np.float64]:
    """Numbers between 0 and 1, from the first 52 bits of hashes: so many a floating-point number holds exactly."""
    return ((hashes >> np.uint64(12)).astype(np.float64) + 0.5) / 2.0**52


def pair_hashes(one: NDArray[np.uint64] | np.uint64, other: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """64 bits for each unordered pair, mixed from those of its records (the finaliser of SplitMix64, twice)."""
    low, high = np.minimum(one, other), np.maximum(one, other)
    return _mix(_mix(low + np.uint64(0x9E3779B97F4A7C15)) ^ high)


def _mix(x: NDArray[np.uint64]) -> NDArray[np.uint64]:
    with np.errstate(over="ignore"):  # it is meant to wrap around
        x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return np.asarray(x ^ (x >> np.uint64(31)))


def pareto_keys(numbers: NDArray[np.float64], masses: NDArray[np.float64], per_mass: float) -> NDArray[np.float64]:
    """Keys of which the n smallest are a sample: each is in it with a chance of about mass × per_mass (Pareto)."""
    chance = np.minimum(masses * per_mass, _SURE)
    return np.asarray(numbers * (1 - chance) / ((1 - numbers) * chance))


def first_of(keys: NDArray[Any], text_of: Callable[[int], str], n: int) -> list[int]:
    """The places of the n smallest keys; equal ones by the text of their ids, which is made for few."""
    if n < len(keys):
        edge = np.partition(keys, n - 1)[n - 1] if n else -np.inf
        near = np.flatnonzero(keys <= edge)
    else:
        near = np.arange(len(keys))
    return sorted(near.tolist(), key=lambda place: (keys[place], text_of(place)))[:n]
