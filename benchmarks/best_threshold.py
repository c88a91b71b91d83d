"""Measure how often the interval at the best threshold contains the score of that threshold in the population.

    python benchmarks/best_threshold.py [RUNS]              400 runs a row by default (some minutes)
    python benchmarks/best_threshold.py 200 'heavy tail'    one world

The population consists of components, each of a few entities whose records have scored pairs. Each run draws components
of it, chooses the threshold on them, and computes the interval; it is right if it contains the score of that threshold
in the population. The plain interval leaves out the components one by one, around the score on the data that the
threshold was chosen on. Prints a Markdown table.
"""

from __future__ import annotations

import sys
from math import sqrt
from typing import NamedTuple

import numpy as np

import clustermark as cm
from clustermark.evaluation.best_threshold import _jackknife, component_sums, join_components, limits_within
from clustermark.uncertainty.limits import reach

POPULATION = 3000


class World(NamedTuple):
    """The distributions of the scores of true and of false pairs."""

    name: str
    true: float
    false: float
    spread: float
    heavy: bool = False
    """Whether the sizes of entities have a heavy tail: Pareto 1.5, at most 40 records."""


WORLDS = (
    World("hard", 0.65, 0.4, 0.15),
    World("usual", 0.75, 0.35, 0.13),
    World("easy", 0.8, 0.3, 0.11),
    World("heavy tail", 0.7, 0.35, 0.15, heavy=True),
)


class Component(NamedTuple):
    labels: np.ndarray
    left: np.ndarray
    right: np.ndarray
    scores: np.ndarray


def component(rng: np.random.Generator, world: World) -> Component:
    """Draw one to three entities, usually of one to four records; all pairs within the component are scored."""
    sizes = [rng.integers(1, 5), *(rng.integers(0, 5, 2))]
    if world.heavy:
        sizes = np.minimum(rng.pareto(1.5, 3) + np.array([1, 0, 0]), 40).astype(int)
    labels = np.repeat(np.arange(3), sizes)
    left, right = np.triu_indices(len(labels), 1)
    mean = np.where(labels[left] == labels[right], world.true, world.false)
    return Component(labels, left, right, np.clip(rng.normal(mean, world.spread), 0.0, 1.0))


def gather(parts: list[Component]) -> tuple[np.ndarray, tuple[np.ndarray, np.ndarray, np.ndarray]]:
    starts = np.cumsum([0, *(len(part.labels) for part in parts)])
    labels = np.concatenate([part.labels + 3 * number for number, part in enumerate(parts)])
    left, right = (
        np.concatenate([part[side] + start for part, start in zip(parts, starts, strict=False)]) for side in (1, 2)
    )
    return labels, (left, right, np.concatenate([part.scores for part in parts]))


def main(runs: int, only: list[str]) -> None:
    print("| world | index | components | best score | optimism / se | plain covers | this covers | no interval |")
    print("|---|---|---|---|---|---|---|---|")
    for world in WORLDS:
        if only and world.name not in only:
            continue
        rng = np.random.default_rng(1)
        everything = [component(rng, world) for _ in range(POPULATION)]
        population = cm.sweep_pairs(*gather(everything))
        for name in ("dice", "b_cubed_f"):
            for n in (50, 200, 1000):
                measure(world, population, everything, name, n, runs)


def measure(world: World, population: cm.PairSweep, everything: list[Component], name: str, n: int, runs: int) -> None:
    index = cm.find(name)
    scores = population.partitions.score(index)
    plain, ours, refused, best, ratios = 0, 0, 0, [], []
    for run in range(runs):
        rng = np.random.default_rng([n, run])
        found = cm.sweep_pairs(*gather([everything[i] for i in rng.integers(0, POPULATION, n)]))
        interval = found.interval(name, lowest=0.0, seed=run)
        truth = scores[population.partitions.place(interval.threshold)]
        components = join_components(found.partitions, found.partitions.place(0.0))
        place = found.partitions.place(interval.threshold)
        variance, degrees = _jackknife(index, component_sums(found.partitions, components, place))
        low, high = limits_within(index, interval.score, sqrt(variance), reach(0.95, degrees))
        plain += low is not None and low <= truth <= high
        best.append(interval.score)
        ratios.append(interval.optimism / sqrt(variance) if variance else 0.0)
        refused += interval.low is None
        ours += interval.low is not None and interval.low <= truth <= interval.high
    given = runs - refused
    covers = share(ours, given) if given > runs / 10 else "–"
    cells = [world.name, f"`{name}`", f"{n:,}", f"{np.mean(best):.3f}", f"{np.mean(ratios):.1f}"]
    print(f"| {' | '.join([*cells, share(plain, runs), covers, share(refused, runs)])} |", flush=True)


def share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.0f} %"


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 400, sys.argv[2:])
