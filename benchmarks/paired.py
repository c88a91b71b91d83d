"""Measure how often `compare` and `changes` call predictions different, or not worse, that are not.

python benchmarks/paired.py             1,000 draws of each world; some minutes
python benchmarks/paired.py 200         a quick run
python benchmarks/paired.py 1000 group  the worlds of one unit only: point, component, group; or with these words:
python benchmarks/paired.py 1000 'blocks of entities, a quarter of them merged, sizes of a heavy tail'
python benchmarks/paired.py 1000 margin differences as large as `detectable`, and methods that are worse by a margin

Two equally good predictions are called different in at most 5 % of draws, and a method that is worse by the margin is
called not worse in 2.5 %. Entities get the unit that is the default for them, components. Below 2,000 components the
test swaps them between the predictions, here in 999 random ways.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, NamedTuple

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


def entities(
    blocks: int, *, heavy: bool = False, merged: tuple[float, float] = (0.25, 0.25)
) -> Callable[[np.random.Generator], Draw]:
    """Return a world of blocks of one to three entities, some merged or with records removed.

    Entities have one to five records, or sizes of a heavy tail (Pareto 1.3, at most 400 records).
    """

    def draw(rng: np.random.Generator) -> Draw:
        sides: tuple[list[np.ndarray], ...] = ([], [], [])
        for block in range(blocks):
            k = rng.integers(1, 4)
            sizes = np.minimum((rng.pareto(1.3, k) + 1).astype(int), 400) if heavy else rng.integers(1, 6, k)
            entity = np.repeat(np.arange(k), sizes) + 1000 * block
            sides[0].append(entity)
            for side, share in zip(sides[1:], merged, strict=True):
                found = np.full(len(entity), entity[0]) if rng.random() < share else entity.copy()
                out = rng.random(len(found)) < 0.1
                found[out] = 1000 * block + 500 + np.arange(int(out.sum()))
                side.append(found)
        return tuple(map(np.concatenate, sides))

    kind = ", sizes of a heavy tail" if heavy else ""
    draw.__doc__ = f"{blocks} blocks of entities, a quarter of them merged{kind}."
    return draw


def documents(groups: int, *, heavy: bool = False) -> Callable[[np.random.Generator], Draw]:
    """Return a world of documents with points of 5 clusters, each with its own share of misplaced points.

    Documents have 5 to 25 points, or sizes of a heavy tail (Pareto 1.2, at most 500 points).
    """

    def draw(rng: np.random.Generator) -> Draw:
        tailed = np.minimum((3 * (rng.pareto(1.2, groups) + 1)).astype(int), 500)
        of = np.repeat(np.arange(groups), tailed if heavy else rng.integers(5, 26, groups))
        truth = rng.integers(0, 5, len(of))
        wrong = [rng.beta(1, 3, groups)[of] for _ in range(2)]
        return truth, *(np.where(rng.random(len(of)) < x, rng.integers(0, 5, len(of)), truth) for x in wrong), of

    kind = ", sizes of a heavy tail" if heavy else ""
    draw.__doc__ = f"{groups} documents, in each of which predictions err as often as it comes{kind}."
    return draw


class Sizes(NamedTuple):
    """Shares of draws, of one index."""

    shown: float
    """A difference is called shown."""
    covered: float
    """Of the draws with an interval: it contains 0, the mean difference."""
    refused: float
    """There is no interval."""


def measure(draw: Callable[[np.random.Generator], Draw], draws: int, unit: str) -> dict[str, Sizes]:
    """Return for each index how often equally good predictions are called different."""
    rng = np.random.default_rng(0)
    # a difference of AMI over components is scored table by table, which takes too long here
    indices = [index for index in INDICES if unit != "component" or index != "adjusted_mutual_information"]
    shown, held, given = np.zeros((3, len(indices)))
    for _ in range(draws):
        truth, one, other, *groups = draw(rng)
        options = {"unit": groups[0]} if groups else {}
        comparison = cm.compare(truth, {"one": one, "other": other}, indices, **options)
        rows = [comparison.differences(index)[0] for index in indices]
        shown += [row.p_value is not None and row.p_value < 0.05 for row in rows]
        given += [row.low is not None for row in rows]
        held += [row.low is not None and row.low <= 0 <= row.high for row in rows]
    held /= np.maximum(given, 1)
    return {index: Sizes(*one) for index, *one in zip(indices, shown / draws, held, 1 - given / draws, strict=True)}


def size_table(draws: int, only: list[str]) -> None:
    """Print how often two equally good predictions are called different, and the coverage of their difference."""
    worlds = [(independent, "point"), (copied, "point"), (nearly_copied, "point"), (poor, "point")]
    worlds += [(entities(n), "component") for n in (300, 30)]
    worlds += [(entities(n, heavy=True), "component") for n in (150, 600)]
    worlds += [(documents(n), "group") for n in (12, 30, 100)]
    worlds += [(documents(n, heavy=True), "group") for n in (30, 100)]
    print(f"Equally good predictions, {draws:,} draws: % called different at 5 %; % of intervals that hold\n")
    print("| world | unit | least | most | intervals | no interval |\n|---|---|---:|---:|---:|---:|")
    for world, unit in worlds:
        words = world.__doc__.rstrip(".")
        if only and unit not in only and not any(some in words for some in only):
            continue
        found = measure(world, draws, unit)
        shown = [f"{100 * one.shown:.1f}" for one in sorted(found.values())]
        held = [f"{share:.1f}" for share in sorted(100 * one.covered for one in found.values() if one.refused < 1)]
        refused = f"{100 * max(one.refused for one in found.values()):.0f}"
        print(f"| {words} | {unit} | {shown[0]} | {shown[-1]} | {held[0]}–{held[-1]} | {refused} |", flush=True)


class Loss(NamedTuple):
    """Two predictions of points in 5 clusters, of which the second misplaces more."""

    words: str
    points: int
    misplaced: float
    copied: float = 0.0
    """The share of points on which the second copies the first."""

    def draw(self, rng: np.random.Generator, second: float, points: int | None = None) -> Draw:
        """Draw the truth and two predictions, of which the second misplaces this share."""
        truth = rng.integers(0, 5, points or self.points)
        one, other = place(rng, truth, self.misplaced, 5), place(rng, truth, second, 5)
        return truth, one, np.where(rng.random(len(truth)) < self.copied, one, other)

    def difference(self, second: float) -> float:
        """Return the difference of the adjusted Rand indices in the population."""
        truth, one, other = self.draw(np.random.default_rng(8), second, 400_000)
        return cm.adjusted_rand(truth, one) - cm.adjusted_rand(truth, other)

    def misplaced_for(self, difference: float) -> float:
        """Return the share that the second must misplace for such a difference."""
        low, high = self.misplaced, 1.0
        for _ in range(14):
            middle = (low + high) / 2
            low, high = (middle, high) if self.difference(middle) < difference else (low, middle)
        return (low + high) / 2


LOSSES = (
    Loss("500 points, a quarter of them misplaced", 500, 0.25),
    Loss("the same, the second copies the first on 80 % of the points", 500, 0.25, 0.8),
    Loss("2,000 points, a twentieth of them misplaced", 2_000, 0.05),
    Loss("500 points, a fiftieth of them misplaced", 500, 0.02),
)


def compare_points(draw: Draw) -> cm.Comparison:
    truth, one, other = draw
    return cm.compare(truth, {"one": one, "other": other}, ["adjusted_rand"])


def margin_table(draws: int) -> None:
    """Print how often a difference as large as `detectable` is shown, and a loss of the margin is overlooked."""
    print(f"The second is worse by the median of `detectable`, {draws:,} draws, adjusted Rand index\n")
    print("| world | difference | shown (80 %) | worse by the margin, called not worse (2.5 %) |\n|---|---:|---:|---:|")
    for loss in LOSSES:
        rng = np.random.default_rng(3)
        known = [compare_points(loss.draw(rng, loss.misplaced)).differences()[0].detectable for _ in range(100)]
        second = loss.misplaced_for(float(np.median([one or 1.0 for one in known])))
        difference = loss.difference(second)
        shown = missed = 0
        for _ in range(draws):
            row = compare_points(loss.draw(rng, second)).differences(margin=difference)[0]
            shown += row.p_value is not None and row.p_value < 0.05
            missed += row.second == "one" or bool(row.non_inferior)
        shares = " | ".join(f"{100 * count / draws:.1f}" for count in (shown, missed))
        print(f"| {loss.words} | {difference:.3f} | {shares} |", flush=True)
    rng = np.random.default_rng(4)
    worse = (0.2, 0.3)
    truth, before, after = entities(20_000, merged=worse)(rng)
    margin = cm.b_cubed_f(truth, before) - cm.b_cubed_f(truth, after)
    missed = 0
    for _ in range(draws):
        truth, before, after = entities(300, merged=worse)(rng)
        missed += cm.changes(before, after, truth).truth.not_worse("b_cubed_f", margin=margin).shown
    print(f"| `changes` of 300 blocks, 20 % merged before, 30 % after; B-cubed F | {margin:.3f} | – | "
          f"{100 * missed / draws:.1f} |")  # fmt: skip


if __name__ == "__main__":
    draws = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000
    paired_groups.DRAWS = 999
    if sys.argv[2:] != ["margin"]:
        size_table(draws, sys.argv[2:])
    if not sys.argv[2:] or "margin" in sys.argv[2:]:
        margin_table(draws)
