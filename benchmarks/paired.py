"""Measure how often `compare` shows a difference between two equally good predictions: it should be at most 5 %.

python benchmarks/paired.py             1,000 draws of each world; some minutes
python benchmarks/paired.py 200         a quick run
python benchmarks/paired.py 1000 group  the worlds of one unit only

Below 100 components the test swaps them between the predictions, here in 999 random ways instead of 9,999.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import numpy as np

import clustermark as cm
from clustermark.evaluation import paired_groups

if TYPE_CHECKING:
    from collections.abc import Callable

Draw = tuple[np.ndarray, ...]
"""The truth, two predictions, and optionally the group of each point."""
INDICES = ["adjusted_rand", "jaccard", "pair_precision", "adjusted_mutual_information", "v_measure", "b_cubed_f",
           "purity", "matching_accuracy"]  # fmt: skip


def place(rng: np.random.Generator, truth: np.ndarray, share: float, clusters: int) -> np.ndarray:
    """Return the truth with this share of the points placed at random."""
    return np.where(rng.random(len(truth)) < share, rng.integers(0, clusters, len(truth)), truth)


def independent(rng: np.random.Generator) -> Draw:
    """Draw two predictions of 500 points, 5 clusters, a quarter of the points misplaced in each."""
    truth = rng.integers(0, 5, 500)
    return truth, place(rng, truth, 0.25, 5), place(rng, truth, 0.25, 5)


def copied(rng: np.random.Generator) -> Draw:
    """Draw two predictions; the second copies the first on 80 % of the points."""
    truth, one, other = independent(rng)
    return truth, one, np.where(rng.random(500) < 0.8, one, other)


def nearly_copied(rng: np.random.Generator) -> Draw:
    """Draw two predictions; the second copies the first on 98 % of the points."""
    truth, one, other = independent(rng)
    return truth, one, np.where(rng.random(500) < 0.98, one, other)


def poor(rng: np.random.Generator) -> Draw:
    """Draw two predictions of 500 points, 6 clusters, four fifths of the points misplaced."""
    truth = rng.integers(0, 6, 500)
    return truth, place(rng, truth, 0.8, 6), place(rng, truth, 0.8, 6)


def entities(blocks: int) -> Callable[[np.random.Generator], Draw]:
    """Return a world of blocks of one to three entities of one to five records, some merged or with records removed."""

    def draw(rng: np.random.Generator) -> Draw:
        truth, ones, others = [], [], []
        for block in range(blocks):
            sizes = rng.integers(1, 6, rng.integers(1, 4))
            entity = np.repeat(np.arange(len(sizes)), sizes) + 100 * block
            truth.append(entity)
            for predictions in (ones, others):
                merged = entity.copy()
                if rng.random() < 0.25:
                    merged[:] = entity[0]
                out = rng.random(len(merged)) < 0.1
                merged[out] = 100 * block + 50 + np.arange(int(out.sum()))
                predictions.append(merged)
        return np.concatenate(truth), np.concatenate(ones), np.concatenate(others)

    draw.__doc__ = f"{blocks} blocks of entities, a quarter of them merged."
    return draw


def documents(groups: int) -> Callable[[np.random.Generator], Draw]:
    """Return a world of documents of 5 to 25 points of 5 clusters, each with its own share of misplaced points."""

    def draw(rng: np.random.Generator) -> Draw:
        of = np.repeat(np.arange(groups), rng.integers(5, 26, groups))
        truth = rng.integers(0, 5, len(of))
        wrong = [rng.beta(1, 3, groups)[of] for _ in range(2)]
        return truth, *(np.where(rng.random(len(of)) < x, rng.integers(0, 5, len(of)), truth) for x in wrong), of

    draw.__doc__ = f"{groups} documents, in each of which predictions err as often as it comes."
    return draw


def measure(draw: Callable[[np.random.Generator], Draw], draws: int, unit: str) -> dict[str, float]:
    """Return for each index the share of draws in which a difference is called shown."""
    rng = np.random.default_rng(0)
    # a difference of AMI over components is scored table by table, which takes too long here
    indices = [index for index in INDICES if unit != "component" or index != "adjusted_mutual_information"]
    shown = np.zeros(len(indices))
    for _ in range(draws):
        truth, one, other, *groups = draw(rng)
        comparison = cm.compare(truth, {"one": one, "other": other}, indices, unit=groups[0] if groups else unit)
        p_values = [comparison.differences(index)[0].p_value for index in indices]
        shown += [p is not None and p < 0.05 for p in p_values]
    return dict(zip(indices, (shown / draws).tolist(), strict=True))


if __name__ == "__main__":
    draws = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000
    paired_groups.DRAWS = 999
    worlds = [(independent, "point"), (copied, "point"), (nearly_copied, "point"), (poor, "point")]
    worlds += [(entities(300), "component"), (entities(30), "component")]
    worlds += [(documents(n), "group") for n in (12, 30, 100)]
    worlds = [(world, unit) for world, unit in worlds if unit in (sys.argv[2:] or [unit])]
    print(f"Equally good predictions, {draws:,} draws: % called different at 5 %, lowest and highest index\n")
    print("| world | unit | least | most |\n|---|---|---:|---:|")
    for world, unit in worlds:
        shares = measure(world, draws, unit)
        low, high = min(shares, key=shares.get), max(shares, key=shares.get)
        words = world.__doc__.rstrip(".")
        print(f"| {words} | {unit} | {100 * shares[low]:.1f} ({low}) | {100 * shares[high]:.1f} ({high}) |", flush=True)
