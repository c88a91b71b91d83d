"""Permanent random numbers: a record has the same number on every engine, in every round, as long as the seed stays."""

from __future__ import annotations

from hashlib import md5
from typing import TYPE_CHECKING, Any

import numpy as np

from clustermark._kernel import digest_integers
from clustermark.tables.crosstab import how_many_threads

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

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
