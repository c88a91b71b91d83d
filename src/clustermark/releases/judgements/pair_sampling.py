"""Draw pairs and records with a probability proportional to their mass, by permanent random numbers.

A record has the same random numbers on every engine and in every round with the same seed: three of them, because it
may be drawn for a pair that is split and for one that is merged. With one number for both, what was wrong with a record
before and is right after would show in both samples, which estimates take for independent.
"""

from __future__ import annotations

from hashlib import md5
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clustermark._kernel import digest_integers
from clustermark.engines.pushdown.sampling import DIGITS, PARTS
from clustermark.releases.judgements.pair_masses import PairKinds, allocate
from clustermark.tables.tabulation import how_many_threads

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from clustermark.releases.judgements.population import Population, RecordRows


class DrawnPair(NamedTuple):
    """A drawn pair of records."""

    first: str
    second: str
    slices: tuple[str | None, ...]
    """The slice of the record for which the pair was drawn; of both records if the pair is certain."""
    share: float | None = None
    """Its share of the mass of its kind, if the pair is certain; None if it was drawn at random."""


class DrawRate(NamedTuple):
    """The number of records to draw for a kind, and the probability for each unit of mass."""

    n: int
    per_mass: float


class KindDraws(NamedTuple):
    """The drawn pairs of one kind."""

    kind: str
    mass: float
    """Mass of all pairs of the kind: the factor of the share of different pairs."""
    pairs: int
    """The number of pairs of the kind."""
    draws: list[DrawnPair]
    listed: bool = False
    """Whether the pairs were drawn without replacement from the list of all."""


def weigh_kinds(population: Population, kinds: Sequence[str], index: str) -> PairKinds:
    """Return the mass and the number of the pairs of each kind."""
    groups, counted = population.groups, population.counted
    masses = {kind: groups.mass(kind, index) for kind in kinds}
    pairs = {kind: counted.pairs(kind, groups.sizes) if masses[kind] > 0 else 0 for kind in kinds}
    return PairKinds(index, masses, pairs)


def draw_pairs(
    population: Population, kinds: PairKinds, n: int, seed: int, *, even: float = 10, most_listed: int = 2_000_000
) -> list[KindDraws]:
    """Return about n pairs of these kinds: certain pairs, and a random sample of the others.

    even: pairs are drawn by their records if the mass of the kind is at least this multiple of the heaviest possible
        sample. With less, two records often choose each other: one answer would count twice, and intervals would be
        too narrow.
    most_listed: if few records hold most of the mass of a kind, up to this number of pairs are listed one by one.
    """
    groups, index, masses, pairs = population.groups, kinds.index, kinds.masses, kinds.pairs
    draws: dict[str, list[DrawnPair]] = {kind: [] for kind in masses}
    wanted: dict[str, DrawRate] = {}
    listed = set()
    for kind, number in allocate(kinds.importance, n).items():
        of_records = groups.masses(kind, index)
        total, heaviest = groups.total(of_records), float(of_records.max())
        if pairs[kind] > number and total >= even * number * heaviest:
            wanted[kind] = DrawRate(number, number / total)
        elif pairs[kind] <= most_listed:
            listed.add(kind)
            draws[kind] = _draw_listed(population.holders(kind, index), kind, index, number, seed)
        else:  # more draws would repeat some records too often
            fewer = max(1, min(number, int(total / heaviest)))
            wanted[kind] = DrawRate(fewer, fewer / total)
    if wanted:
        draws |= _draw_near(population, index, seed, wanted)
    return [KindDraws(kind, masses[kind], pairs[kind], draws[kind], kind in listed) for kind in masses]


def _find_near(
    population: Population, index: str, seed: int, wanted: dict[str, DrawRate]
) -> tuple[RecordRows, NDArray[np.uint64]]:
    """Return records that include those with the smallest keys, and their digests; an engine excludes most others."""
    for most in (4.0, 256.0, np.inf):
        rows = population.near(index, seed, {kind: one.per_mass for kind, one in wanted.items()}, most)
        digests = digest_ids(rows.ids, seed)
        if most == np.inf or all(
            (_keys(rows, digests, kind, index, one)[1] <= most).sum() >= one.n for kind, one in wanted.items()
        ):
            break
    return rows, digests


def _keys(
    rows: RecordRows, digests: NDArray[np.uint64], kind: str, index: str, wanted: DrawRate
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the positions of the records that have pairs of a kind, and their keys."""
    masses = rows.masses(kind, index)
    holders = np.flatnonzero(masses > 0)
    return holders, pareto_keys(numbers_of(digests[holders], kind), masses[holders], wanted.per_mass)


def _draw_near(
    population: Population, index: str, seed: int, wanted: dict[str, DrawRate]
) -> dict[str, list[DrawnPair]]:
    """Return the records with the smallest keys, each with a partner."""
    rows, digests = _find_near(population, index, seed, wanted)
    chosen = {kind: _choose(rows, digests, kind, index, one) for kind, one in wanted.items()}
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
    rows: RecordRows, digests: NDArray[np.uint64], kind: str, index: str, wanted: DrawRate
) -> NDArray[np.int64]:
    """Return the positions of the records with the smallest keys."""
    holders, keys = _keys(rows, digests, kind, index, wanted)
    first = first_of(keys, lambda place: rows.ids[holders[place]], wanted.n)
    return np.asarray(holders[np.asarray(first, np.int64)])


def _find_mates(population: Population, rows: RecordRows, chosen: dict[str, NDArray[np.int64]]) -> RecordRows:
    """Return all records of the clusters that contain pairs of the chosen records."""
    sides: tuple[list[int], list[int]] = ([], [])
    for kind, places in chosen.items():
        if kind != "merge":
            sides[0].extend(rows.before[places].tolist())
        if kind in ("merge", "affected"):
            sides[1].extend(rows.after[places].tolist())
    return population.mates(*sides, chosen)


class _Partners:
    """Finder of the records that form a pair of one kind with a record."""

    def __init__(self, mates: RecordRows, kind: str, hashes: NDArray[np.uint64]) -> None:
        self._mates, self._kind, self._hashes = mates, kind, hashes
        self._places = {name: place for place, name in enumerate(mates.ids)}
        cluster = mates.after if kind == "merge" else mates.before
        self._order = np.argsort(cluster, kind="stable")
        self._clusters = cluster
        self._sorted = cluster[self._order]

    def of(self, name: str) -> NDArray[np.int64]:
        """Return the positions of the partners of a record."""
        place = self._places[name]
        begin, end = (np.searchsorted(self._sorted, self._clusters[place], side) for side in ("left", "right"))
        near = self._order[begin:end]
        apart = self._mates.before if self._kind == "merge" else self._mates.after
        other = apart[near] != apart[place]
        return np.asarray(near[other] if self._kind in ("split", "merge") else near[~other & (near != place)])

    def choose(self, name: str) -> str:
        """Return one partner at random, by weight: the one with the smallest exponential variate."""
        places = self.of(name)
        numbers = pair_hashes(self._hashes[self._places[name]], self._hashes[places])
        weights = self._mates.weights
        # without weights the largest number wins, and no logarithm has to be equal on all machines
        times = ~numbers if weights is None else -np.log(uniform(numbers)) / weights[places]
        best = np.flatnonzero(times == times.min())
        return str(min(self._mates.ids[place] for place in places[best].tolist()))


class _Listed(NamedTuple):
    """A list of pairs with their masses."""

    first: NDArray[np.int64]
    second: NDArray[np.int64]
    mass: NDArray[np.float64]


def _draw_listed(rows: RecordRows, kind: str, index: str, n: int, seed: int) -> list[DrawnPair]:
    """Draw pairs from the list of all; a pair too heavy for a probability below 1 is certain."""
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
        # the lowest bit decides for which of its two records, in order of their texts, the pair was drawn
        ends = sorted((int(listed.first[pair]), int(listed.second[pair])), key=lambda end: rows.ids[end])
        mine, other = ends if int(numbers[place]) & 1 else ends[::-1]
        draws.append(DrawnPair(rows.ids[mine], rows.ids[other], (rows.slice_of(mine),)))
    return draws


def _name_pair(rows: RecordRows, listed: _Listed, pair: int) -> str:
    return "\x1e".join(sorted((rows.ids[listed.first[pair]], rows.ids[listed.second[pair]])))


def _sure(masses: NDArray[np.float64], n: int) -> NDArray[np.bool_]:
    """Return a mask of the pairs whose inclusion probability would reach 1 with n draws in proportion to mass."""
    if len(masses) <= n:
        return np.ones(len(masses), np.bool_)
    order = np.argsort(-masses, kind="stable")
    left = np.cumsum(masses[order][::-1])[::-1]  # the mass of a pair and of all lighter ones
    chances = masses[order] * (n - np.arange(len(masses))) / left
    heavy = int(np.argmax(chances < 1)) if (chances < 1).any() else n
    sure = np.zeros(len(masses), np.bool_)
    sure[order[:heavy]] = True
    return sure


def _list_pairs(rows: RecordRows, kind: str, index: str) -> _Listed:
    """List all pairs of a kind; the mass of a pair is that of both directions."""
    cluster, apart = (rows.after, rows.before) if kind == "merge" else (rows.before, rows.after)
    order = np.lexsort((apart, cluster))
    new_cluster = np.flatnonzero(np.r_[True, np.diff(cluster[order]) != 0])
    cells = np.unique(np.r_[new_cluster, np.flatnonzero(np.diff(apart[order])) + 1, len(order)])
    firsts, seconds = [], []
    for begin, end in zip(cells[:-1].tolist(), cells[1:].tolist(), strict=True):
        cell = order[begin:end]
        if kind in ("split", "merge"):  # with the earlier cells of the cluster
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
    """A drawn record, and all records that share a cluster with it in either clustering."""

    name: str
    weight: float
    slice: str | None
    mates: dict[str, tuple[str, float]]
    """By the id of the other record: the kind of the pair, and the weight of that record."""


def draw_records(population: Population, n: int, seed: int) -> Iterator[SampledRecord]:
    """Draw affected records by weight, each with the records of its clusters."""
    of_records = population.groups.masses("affected", "")
    total, affected = (
        population.groups.total(of_records),
        population.counted.total(population.counted.masses("affected", "")),
    )
    if n < affected:  # with more draws, heavy records would be drawn too rarely
        n = min(n, max(1, int(total / float(of_records.max()))))
    wanted = DrawRate(n, n / total)
    rows, digests = _find_near(population, "", seed, {"affected": wanted})
    chosen = _choose(rows, digests, "affected", "", wanted)
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
"""The kernel supports a seed of up to this number of characters."""


def digest_ids(texts: Sequence[str], seed: int) -> NDArray[np.uint64]:
    """Return the md5 of each id as two numbers of 64 bits; engines compute the same."""
    head = f"{seed}:"
    digests = b"".join(
        md5((head + text).encode("utf-8", "surrogatepass"), usedforsecurity=False).digest() for text in texts
    )
    return np.frombuffer(digests, ">u8").astype(np.uint64).reshape(-1, 2)


def digest_numbers(ids: NDArray[np.int64], seed: int) -> NDArray[np.uint64]:
    """Return the same for integer ids, without making texts."""
    head = f"{seed}:".encode()
    if len(head) > _HEAD:
        return digest_ids(list(map(str, ids.tolist())), seed)
    return digest_integers(head, ids, how_many_threads(None, len(ids))).reshape(-1, 2)


def hash_ids(texts: Sequence[str], seed: int) -> NDArray[np.uint64]:
    """Return the first 64 bits of the digest of each id."""
    return digest_ids(texts, seed)[:, 0]


def numbers_of(digests: NDArray[np.uint64], kind: str) -> NDArray[np.float64]:
    """Return numbers between 0 and 1 for drawing pairs of a kind, from `DIGITS` hexadecimal digits of the digests."""
    head, tail = digests[:, 0], digests[:, 1]
    bits = (
        head >> np.uint64(24),
        (head & np.uint64(0xFFFFFF)) << np.uint64(16) | tail >> np.uint64(48),
        tail >> np.uint64(8) & np.uint64(0xFFFFFFFFFF),
    )[PARTS[kind]]
    return np.asarray((bits.astype(np.float64) + 0.5) / 16.0**DIGITS)


def uniform(hashes: NDArray[np.uint64]) -> NDArray[np.float64]:
    """Return numbers between 0 and 1 from the first 52 bits of hashes, which a double holds exactly."""
    return ((hashes >> np.uint64(12)).astype(np.float64) + 0.5) / 2.0**52


def pair_hashes(one: NDArray[np.uint64] | np.uint64, other: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return 64 bits for each unordered pair, mixed from those of its records (the finaliser of SplitMix64, twice)."""
    low, high = np.minimum(one, other), np.maximum(one, other)
    return _mix(_mix(low + np.uint64(0x9E3779B97F4A7C15)) ^ high)


def _mix(x: NDArray[np.uint64]) -> NDArray[np.uint64]:
    with np.errstate(over="ignore"):  # wraps around by design
        x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return np.asarray(x ^ (x >> np.uint64(31)))


def pareto_keys(numbers: NDArray[np.float64], masses: NDArray[np.float64], per_mass: float) -> NDArray[np.float64]:
    """Return keys of Pareto sampling: a record is among the n smallest with probability of about mass × per_mass."""
    chance = np.minimum(masses * per_mass, _SURE)
    return np.asarray(numbers * (1 - chance) / ((1 - numbers) * chance))


def first_of(keys: NDArray[Any], text_of: Callable[[int], str], n: int) -> list[int]:
    """Return the positions of the n smallest keys; ties by the text of their ids, made for few records only."""
    if n < len(keys):
        edge = np.partition(keys, n - 1)[n - 1] if n else -np.inf
        near = np.flatnonzero(keys <= edge)
    else:
        near = np.arange(len(keys))
    return sorted(near.tolist(), key=lambda place: (keys[place], text_of(place)))[:n]
