"""Functions shared by the benchmarks: the best of several runs, and labelings."""

from __future__ import annotations

import resource
import time
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable


def best_of(runs: int, call: Callable[[], object]) -> float:
    """Return the seconds of the fastest run."""
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return min(times)


def moved_labels(n: int, k: int, dtype: type = np.int64) -> tuple[np.ndarray, np.ndarray]:
    """Return two labelings with k clusters; 20% of the points are moved at random."""
    rng = np.random.default_rng(0)
    true = rng.integers(0, k, n, dtype)
    pred = true.copy()
    moved = rng.random(n) < 0.2
    pred[moved] = rng.integers(0, k, int(moved.sum()), dtype)
    return true, pred


def entity_labels(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Return labels as in entity resolution: 0.4 clusters per point, 8% split, 10% merged, 3% of the points moved."""
    rng = np.random.default_rng(0)
    k = int(0.4 * n)
    true = rng.integers(0, k, n)
    new_names = np.arange(k)
    merged = rng.random(k) < 0.10
    new_names[merged] = rng.permutation(new_names[merged])  # a merged cluster takes the name of another one
    pairs = np.flatnonzero(merged)
    new_names[pairs[: len(pairs) // 2]] = pairs[len(pairs) // 2 : 2 * (len(pairs) // 2)]
    pred = new_names[true]
    split = (rng.random(k) < 0.08)[true] & (rng.random(n) < 0.5)
    pred = np.where(split, pred + k, pred)
    moved = rng.random(n) < 0.03
    pred[moved] = rng.integers(0, k, int(moved.sum()))
    return true, pred


def peak_growth(call: Callable[[], object]) -> float:
    """Return the largest growth of the memory of this process during a call, in GB; Linux only."""
    Path("/proc/self/clear_refs").write_text("5")  # resets the peak
    before = _kilobytes("VmRSS")
    call()
    return (_kilobytes("VmHWM") - before) * 1024 / 1e9


def _kilobytes(name: str) -> int:
    return int(Path("/proc/self/status").read_text().split(f"{name}:")[1].split()[0])


def peak_gib() -> float:
    """Return the peak memory of this process in GiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
