"""Measure the tests of a margin in `compare` and `changes`, and the probability that one of two predictions is better.

python benchmarks/margins.py                   2,000 draws of each world; some minutes
python benchmarks/margins.py 200               a quick run
python benchmarks/margins.py 2000 component    the worlds of one unit only

Three tests at a true difference of exactly the margin, each of which should succeed in at most 2.5 %; and how often, of
two equally good predictions, either has a probability of being better above 97.5, 95, 90 and 75 %.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

import clustermark as cm
from clustermark.evaluation import paired_groups

Draw = tuple[np.ndarray, ...]
"""The truth, two predictions of which the second is worse, and optionally the group of each point."""
World = Callable[[np.random.Generator, float], Draw]
"""A function of random numbers, and of how much worse the second prediction is: 0 for equally good ones."""
INDICES = ["adjusted_rand", "pair_precision", "v_measure", "b_cubed_f"]


def misplace(rng: np.random.Generator, truth: np.ndarray, share: Any, sizes: np.ndarray) -> np.ndarray:
    """Return the truth with this share of the points placed at random, in proportion to the sizes of clusters."""
    return np.where(rng.random(len(truth)) < share, rng.choice(len(sizes), len(truth), p=sizes), truth)


def uneven(rng: np.random.Generator, worse: float) -> Draw:
    """Draw 400 points, clusters of 50, 30, 15 and 5 %; 15 % misplaced, 25 % by the worse one."""
    sizes = np.array([0.5, 0.3, 0.15, 0.05])
    truth = rng.choice(4, 400, p=sizes)
    return truth, *(misplace(rng, truth, share, sizes) for share in (0.15, 0.15 + 0.1 * worse))


def near_perfect(rng: np.random.Generator, worse: float) -> Draw:
    """Draw 800 points, 8 clusters; 1.5 % misplaced, 3 % by the worse one."""
    sizes = np.full(8, 1 / 8)
    truth = rng.choice(8, 800, p=sizes)
    return truth, *(misplace(rng, truth, share, sizes) for share in (0.015, 0.015 + 0.015 * worse))


def copied(rng: np.random.Generator, worse: float) -> Draw:
    """Draw 500 points, 5 clusters, a fifth misplaced; the second copies 70 % of the first, and misplaces 4 % more."""
    sizes = np.array([0.3, 0.3, 0.2, 0.1, 0.1])
    truth = rng.choice(5, 500, p=sizes)
    one, other = (misplace(rng, truth, 0.2, sizes) for _ in range(2))
    other = np.where(rng.random(500) < 0.7, one, other)
    return truth, one, misplace(rng, other, 0.04 * worse, sizes)


def giant(rng: np.random.Generator, worse: float) -> Draw:
    """Draw 600 points, one cluster of 85 % and 10 small ones; 10 % misplaced, 16 % by the worse one."""
    sizes = np.append(0.85, np.full(10, 0.015))
    truth = rng.choice(11, 600, p=sizes)
    return truth, *(misplace(rng, truth, share, sizes) for share in (0.1, 0.1 + 0.06 * worse))


def entities(blocks: int, tail: float) -> World:
    """Return a world of blocks of 1 to 4 entities, of Pareto sizes up to 30."""

    def draw(rng: np.random.Generator, worse: float) -> Draw:
        columns: list[list[np.ndarray]] = [[], [], []]
        for block in range(blocks):
            sizes = np.minimum(np.ceil(rng.pareto(tail, rng.integers(1, 5)) + 0.2), 30).astype(int)
            entity = np.repeat(np.arange(len(sizes)), sizes) + 1000 * block
            columns[0].append(entity)
            for column, merged in zip(columns[1:], (0.15, 0.15 + 0.12 * worse), strict=True):
                found = np.full(len(entity), entity[0]) if rng.random() < merged else entity.copy()
                alone = rng.random(len(found)) < 0.08
                found[alone] = 1000 * block + 500 + np.arange(int(alone.sum()))
                column.append(found)
        return tuple(map(np.concatenate, columns))

    draw.__doc__ = f"{blocks} blocks of entities of Pareto ({tail:g}) sizes; 15 % merged, 27 % by the worse one."
    return draw


def documents(groups: int, uneven_sizes: bool) -> World:
    """Return a world of documents with their own shares of misplaced points."""

    def draw(rng: np.random.Generator, worse: float) -> Draw:
        sizes = np.ceil(8 * (rng.pareto(1.5, groups) + 1)).astype(int) if uneven_sizes else rng.integers(10, 40, groups)
        of = np.repeat(np.arange(groups), np.minimum(sizes, 300))
        shares = np.array([0.4, 0.3, 0.2, 0.1])
        truth = rng.choice(4, len(of), p=shares)
        hard = rng.beta(1.5, 6, groups)[of]
        extra = rng.beta(1, 6, groups)[of] * worse
        return truth, misplace(rng, truth, hard, shares), misplace(rng, truth, hard + (1 - hard) * extra, shares), of

    draw.__doc__ = (
        f"{groups} documents of {'Pareto (1.5) sizes' if uneven_sizes else '10 to 39 points'}, some harder than others."
    )
    return draw


def oriented(comparison: cm.Comparison, index: str, margin: float | None) -> Any:
    """Return the row of the first prediction less the second."""
    row = comparison.differences(index, margin)[0]
    return row if row.first == "one" else row.reverse(comparison.level)


def compared(drawn: Draw, unit: str) -> cm.Comparison:
    truth, one, other, *groups = drawn
    return cm.compare(truth, {"one": one, "other": other}, INDICES, unit=groups[0] if groups else unit)


def measure_margins(world: World, draws: int, unit: str) -> dict[str, dict[str, float]]:
    """Return for each test and index how often it succeeds at a true difference of the margin."""
    rng = np.random.default_rng(1)
    functions = {index: cm.find(index) for index in INDICES}
    apart = {index: [] for index in INDICES}
    for _ in range(2 * draws):
        truth, one, other, *_ = world(rng, 1.0)
        for index, function in functions.items():
            apart[index].append(function(truth, one) - function(truth, other))
    margins = {index: float(np.mean(values)) for index, values in apart.items()}
    tests = ("non_inferior", "equivalent", "superior")
    shown = {test: dict.fromkeys(INDICES, 0.0) for test in tests}
    for _ in range(draws):
        comparison = compared(world(rng, 1.0), unit)
        for index in INDICES:
            row = oriented(comparison, index, margins[index])
            for test in tests:
                shown[test][index] += bool(getattr(row, test)) / draws
    return shown


def measure_better(world: World, draws: int, unit: str) -> list[tuple[float, float]]:
    """Return the least and most over indices of how often either is better with more than these probabilities."""
    rng = np.random.default_rng(2)
    better = np.full((draws, len(INDICES)), 0.5)
    for place in range(draws):
        comparison = compared(world(rng, 0.0), unit)
        for column, index in enumerate(INDICES):
            p = oriented(comparison, index, None).p_better
            better[place, column] = 0.5 if p is None else p
    found = []
    for level in (0.975, 0.95, 0.9, 0.75):
        shares = ((better > level) | (better < 1 - level)).mean(axis=0) / 2
        found.append((float(shares.min()), float(shares.max())))
    return found


def span(low: float, high: float) -> str:
    return f"{100 * low:.1f}–{100 * high:.1f}"


WORLDS: list[tuple[World, str]] = [
    *((world, "point") for world in (uneven, near_perfect, copied, giant)),
    (entities(200, 2.5), "component"),
    (entities(60, 2.0), "component"),
    (documents(60, False), "group"),
    (documents(30, True), "group"),
]

if __name__ == "__main__":
    draws = int(sys.argv[1]) if len(sys.argv) > 1 else 2_000
    paired_groups.DRAWS = paired_groups._FEWEST_DRAWS = 19  # p-values by swapping are not measured here
    print("| world | not worse | equivalent | better by more | P > 97.5 % | > 95 % | > 90 % | > 75 % |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|")
    for world, unit in WORLDS:
        if unit not in (sys.argv[2:] or [unit]):
            continue
        shown = measure_margins(world, draws, unit)
        cells = [span(min(shares.values()), max(shares.values())) for shares in shown.values()]
        cells += [span(*ends) for ends in measure_better(world, draws, unit)]
        print(f"| {world.__doc__.removeprefix('Draw ').rstrip('.')} | {' | '.join(cells)} |", flush=True)
