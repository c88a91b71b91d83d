"""Compare ten predictions of ten million records pairwise, and measure the time against making their ten tables.

python benchmarks/compare.py            few clusters (50 of 200,000 points each), and many (entities of about 3 records)

Times are processor seconds, which depend less on the load of the machine than wall-clock time: the best of five
alternating runs, or of three for many clusters.
"""

from __future__ import annotations

import sys
from functools import partial
from time import process_time
from typing import TYPE_CHECKING

import numpy as np

import clustermark as cm

if TYPE_CHECKING:
    from collections.abc import Callable

POINTS, PREDICTIONS = 10**7, 10
CHOICES = (["adjusted_rand"], ["adjusted_rand", "adjusted_mutual_information", "b_cubed_f"])


def make_few(rng: np.random.Generator) -> tuple[np.ndarray, list[np.ndarray]]:
    """Make 50 true clusters; a tenth to a third of the points is misplaced in each prediction."""
    truth = rng.integers(0, 50, POINTS, dtype=np.int32)
    shares = np.linspace(0.1, 0.3, PREDICTIONS)
    elsewhere = (rng.integers(0, 50, POINTS, dtype=np.int32) for _ in shares)
    return truth, [
        np.where(rng.random(POINTS) < share, other, truth) for share, other in zip(shares, elsewhere, strict=True)
    ]


def make_many(rng: np.random.Generator) -> tuple[np.ndarray, list[np.ndarray]]:
    """Make entities of about three records; each prediction removes some records, and merges some entities."""
    truth = rng.integers(0, POINTS // 3, POINTS, dtype=np.int32)
    predictions = []
    for share in np.linspace(0.05, 0.2, PREDICTIONS):
        merged = np.arange(POINTS // 3, dtype=np.int32)
        some = rng.random(len(merged)) < share
        merged[some] = rng.integers(0, len(merged), int(some.sum()), dtype=np.int32)
        alone = rng.random(POINTS) < share
        predictions.append(np.where(alone, len(merged) + np.arange(POINTS, dtype=np.int32), merged[truth]))
    return truth, predictions


def seconds(work: Callable[[], None]) -> float:
    start = process_time()
    work()
    return process_time() - start


def make_tables(truth: np.ndarray, predictions: list[np.ndarray]) -> None:
    for labels in predictions:
        cm.crosstab(truth, labels)


def compare(truth: np.ndarray, predictions: list[np.ndarray], indices: list[str]) -> None:
    """Compute the leaderboard, and all differences."""
    comparison = cm.compare(truth, predictions, indices)
    for index in indices:
        comparison.differences(index)


def measure(name: str, truth: np.ndarray, predictions: list[np.ndarray], rounds: int) -> None:
    """Measure ten tables, and a comparison by each choice of indices, alternately."""
    works = [partial(make_tables, truth, predictions), *(partial(compare, truth, predictions, one) for one in CHOICES)]
    tables, *wholes = np.min([[seconds(work) for work in works] for _ in range(rounds)], axis=0)
    for indices, whole in zip(CHOICES, wholes, strict=True):
        print(f"| {name} | {', '.join(indices)} | {tables:.2f} | {whole:.2f} | {whole / tables:.1f} |", flush=True)


if __name__ == "__main__":
    POINTS = int(float(sys.argv[1])) if len(sys.argv) > 1 else POINTS
    print(f"{PREDICTIONS} predictions of {POINTS:,} records, all 45 pairs\n")
    print("| clusters | indices | ten tables, s | compared pairwise, s | times |\n|---|---|---:|---:|---:|")
    measure("50", *make_few(np.random.default_rng(0)), rounds=5)
    measure(f"{POINTS // 3:,}", *make_many(np.random.default_rng(0)), rounds=3)
