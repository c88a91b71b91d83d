"""Simulate how often a sample of the planned size is as precise, or shows the difference, as `plan` says.

    python benchmarks/planning.py                 # 300 pilots for each row
    python benchmarks/planning.py --pilots 100 --only estimate

For each pilot a plan is made for a probability of 80 and of 95 %, and one new sample of the planned size is drawn. The
table has the share of these that reach the goal, in per cent; its standard error is 2.3 points at 300 pilots and 80 %.
"""

from __future__ import annotations

import argparse
import warnings
from typing import TYPE_CHECKING

import numpy as np
from coverage import block_labels

import clustermark as cm

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ASSURANCES = (0.8, 0.95)
Labels = tuple[np.ndarray, np.ndarray]


def usual(rng: np.random.Generator) -> Labels:
    """Return entities of one to five records; a tenth of the records are in the cluster of another."""
    true = np.repeat(np.arange(2_000), rng.integers(1, 6, 2_000))
    return true, np.where(rng.random(len(true)) < 0.1, rng.permutation(true), true)


def hairballs(rng: np.random.Generator) -> Labels:
    """Return the same, with 40 predicted clusters that each join 20 entities."""
    true = np.repeat(np.arange(2_000), rng.integers(1, 6, 2_000))
    return true, np.where(true < 800, true // 20, true)


def rare_merges(rng: np.random.Generator) -> Labels:
    """Return the same, with 3 % of the entities merged with the next."""
    true = np.repeat(np.arange(2_000), rng.integers(1, 6, 2_000))
    return true, np.where((rng.random(2_000) < 0.03)[true], true + 1, true)


def tail(rng: np.random.Generator) -> Labels:
    """Return entities of sizes with a heavy tail; a tenth of the records are in the cluster of another."""
    true = np.repeat(np.arange(3_000), np.minimum((rng.pareto(1.5, 3_000) + 1).astype(int), 200))
    return true, np.where(rng.random(len(true)) < 0.1, rng.permutation(true), true)


def draw_clusters(world: Labels, n: int, rng: np.random.Generator, index: str) -> cm.Estimates:
    """Return the estimates from true clusters drawn with equal probabilities."""
    true, pred = world
    chosen = np.isin(true, rng.choice(true.max() + 1, n, replace=False))
    labels = [label if one else None for label, one in zip(true.tolist(), chosen.tolist(), strict=True)]
    return cm.estimate(labels, pred, [index], design="clusters", population=int(true.max()) + 1)


def draw_by_size(world: Labels, n: int, rng: np.random.Generator, index: str) -> cm.Estimates:
    """Return the estimates from records of `draw_sample`."""
    true, pred = world
    prediction = dict(enumerate(pred.tolist()))
    drawn = cm.draw_sample(prediction, n, int(rng.integers(1 << 40)))
    labelled = np.flatnonzero(np.isin(true, true[[row.id for row in drawn.rows]]))
    truth = dict(zip(labelled.tolist(), true[labelled].tolist(), strict=True))
    return cm.estimate(truth, prediction, [index], drawn=drawn)


def widths(name: str, make: Callable, draw: Callable, pilot: int, half_width: float, index: str, pilots: int) -> None:
    """Print how often an estimate from the planned sample is as precise as wanted."""
    rng = np.random.default_rng(1)
    world = make(np.random.default_rng(8))
    reached: dict[float, list[bool]] = {share: [] for share in ASSURANCES}
    sizes = []
    for _ in range(pilots):
        first = draw(world, pilot, rng, index)
        if first[index].low is None:
            continue
        for share in ASSURANCES:
            needed = min(cm.plan(first, half_width, index, assurance=share).needed, 1_900)
            found = draw(world, needed, rng, index)[index].half_width
            reached[share].append(found is not None and found <= half_width)
            sizes.append(needed)
    tell(f"{index} ± {half_width}, {name}", pilot, reached, sizes)


def tell(name: str, pilot: int, reached: dict[float, list[bool]], sizes: list[int]) -> None:
    """Print a row."""
    shares = " | ".join(f"{100 * np.mean(values):.0f}" for values in reached.values())
    print(f"| {name} | {pilot:,} | {np.median(sizes):,.0f} | {shares} |", flush=True)


def two_methods(rng: np.random.Generator, n: int) -> tuple[np.ndarray, ...]:
    """Return true labels and two predictions; the second misplaces more."""
    true = rng.integers(0, 5, n)
    one, other = (np.where(rng.random(n) < share, rng.integers(0, 5, n), true) for share in (0.15, 0.22))
    return true, one, other


def two_matchers(rng: np.random.Generator, n: int) -> tuple[np.ndarray, ...]:
    """Return the labels of n blocks and two predictions; the second splits off more records."""
    true, pred = block_labels(n, rng)
    return true, pred, np.where(rng.random(len(true)) < 0.1, 10 * len(true) + np.arange(len(true)), pred)


def powers(name: str, make: Callable, unit: str, pilot: int, index: str, pilots: int) -> None:
    """Print how often the planned sample shows a difference as large as the true one."""
    rng = np.random.default_rng(2)

    def compared(n: int) -> cm.Comparison:
        true, one, other = make(rng, n)
        return cm.compare(true, {"one": one, "other": other}, [index], unit=unit)  # type: ignore[arg-type]

    true, one, other = make(rng, 200_000)
    wanted = cm.find(index)
    difference = wanted(true, one) - wanted(true, other)
    reached: dict[float, list[bool]] = {share: [] for share in ASSURANCES}
    sizes = []
    for _ in range(pilots):
        first = compared(pilot)
        for share in ASSURANCES:
            made = cm.plan(first, difference=abs(float(difference)), methods=["one", "other"], assurance=share)
            per_draw = 1 if unit == "point" else compared(50).differences()[0].n_units / 50
            row = compared(max(round(made.needed / per_draw), 12)).differences()[0]
            shown = row.low is not None and row.low > 0 and (row.first == "one") == (difference > 0)
            reached[share].append(shown)
            sizes.append(made.needed)
    tell(f"difference of {index} of {abs(difference):.3f}, {name}", pilot, reached, sizes)


def rows(pilots: int) -> Iterator[tuple[str, Callable[[], None]]]:
    """Yield the rows by the kind of the pilot."""
    for name, make, draw, pilot, half_width, index in (
        ("clusters, usual", usual, draw_clusters, 100, 0.02, "b_cubed_f"),
        ("clusters, usual", usual, draw_clusters, 200, 0.04, "pair_precision"),
        ("clusters, hairballs", hairballs, draw_clusters, 200, 0.04, "b_cubed_precision"),
        ("clusters, rare merges", rare_merges, draw_clusters, 200, 0.01, "b_cubed_precision"),
        ("records by size, heavy tail", tail, draw_by_size, 200, 0.02, "pair_precision"),
        ("records by size, heavy tail", tail, draw_by_size, 200, 0.02, "b_cubed_f"),
    ):
        yield "estimate", lambda args=(name, make, draw, pilot, half_width, index): widths(*args, pilots)
    for name, make, unit, pilot, index in (
        ("points", two_methods, "point", 150, "adjusted_rand"),
        ("points", two_methods, "point", 60, "b_cubed_f"),
        ("components", two_matchers, "component", 60, "b_cubed_f"),
        ("components", two_matchers, "component", 30, "pair_recall"),
    ):
        yield "compare", lambda args=(name, make, unit, pilot, index): powers(*args, pilots)


if __name__ == "__main__":
    warnings.filterwarnings("ignore", category=cm.ClustermarkWarning)
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--pilots", type=int, default=300)
    parser.add_argument("--only", choices=("estimate", "compare"))
    parser.add_argument("--row", type=int, help="only this row, from 0")
    given = parser.parse_args()
    print("| goal | pilot | planned, median | reached of 80 % | of 95 % |\n|---|---|---|---|---|")
    for place, (kind, row) in enumerate(rows(given.pilots)):
        if given.only in (None, kind) and given.row in (None, place):
            row()
