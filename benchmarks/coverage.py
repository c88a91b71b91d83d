"""Simulate how often intervals contain the true score, and how often tests reject a true hypothesis.

    python benchmarks/coverage.py                # all worlds, 1,000 draws each
    python benchmarks/coverage.py --draws 200 --only few

A world is a joint distribution of true and predicted clusters. A draw is a table of N points of it. The target of an
interval is the mean score of such tables, estimated from separate draws. Prints Markdown tables in per cent; the
standard error of a coverage is 0.7 points at 1,000 draws.
"""

from __future__ import annotations

import argparse
from statistics import NormalDist
from time import perf_counter
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from crossed import crossed_table

import clustermark as cm
from clustermark.uncertainty.checked_intervals import judge_coverage
from clustermark.uncertainty.interval import IntervalRequest
from clustermark.uncertainty.limits import limits, make_intervals
from clustermark.uncertainty.samples import sample_of
from clustermark.uncertainty.simulated_coverage import (
    interval_ends,
    known_mean,
    monte_carlo_limits,
    simulate,
)
from clustermark.uncertainty.simulated_samples import PointWorld, resample
from clustermark.uncertainty.simultaneous import level_of
from clustermark.uncertainty.spread import Jackknife

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

FAMILIES = {
    "pairs": ("adjusted_rand", "rand", "jaccard", "pair_precision", "pair_recall", "dice", "fowlkes_mallows", "phi"),
    "information": ("mutual_information", "nmi", "variation_of_information", "homogeneity", "completeness"),
    "AMI": ("ami",),
    "maxima": ("purity", "inverse_purity", "matching_accuracy", "max_jaccard", "jaccard_concentration"),
    "B-cubed": ("b_cubed_precision", "b_cubed_recall", "b_cubed_f"),
    "ECS": ("element_centric",),
}
INDICES = [cm.find(name) for names in FAMILIES.values() for name in names]


class World(NamedTuple):
    """A joint distribution of true and predicted clusters, and the number of points to draw."""

    name: str
    shares: np.ndarray
    points: int


def moved(k: int, share: float, sizes: Sequence[float] | None = None) -> np.ndarray:
    """Return clusters of these sizes; a share of their points moves to clusters drawn in proportion to size."""
    weights = np.ones(k) / k if sizes is None else np.asarray(sizes, float) / sum(sizes)
    table = (1 - share) * np.diag(weights) + share * np.outer(weights, weights)
    return table / table.sum()


def power_law(rows: int, columns: int, share: float) -> np.ndarray:
    """Return clusters with sizes proportional to 1 / rank, matched in order, with a share of points at random."""
    a, b = (1 / np.arange(1, k + 1) for k in (rows, columns))
    a, b = a / a.sum(), b / b.sum()
    table = share * np.outer(a, b)
    for i in range(columns):
        table[i % rows, i] += (1 - share) * min(a[i % rows], b[i])
    return table / table.sum()


def scattered(sizes: Sequence[float], share: float) -> np.ndarray:
    """Return clusters of these sizes; a share of their points moves to any of the clusters, large or small."""
    weights = np.asarray(sizes, float) / sum(sizes)
    return (1 - share) * np.diag(weights) + share * np.outer(weights, np.full(len(weights), 1 / len(weights)))


def two_clusters(share: float, wrong: float) -> np.ndarray:
    """Return two clusters, the second with this share of the points, of which some are in the wrong one."""
    return np.array([[(1 - share) * (1 - wrong), (1 - share) * wrong], [share * wrong, share * (1 - wrong)]])


def uneven(rows: int, columns: int, share: float, seed: int) -> np.ndarray:
    """Return random true clusters, each spread over some predicted ones."""
    rng = np.random.default_rng(seed)
    table = rng.dirichlet(np.full(columns, 0.5), rows) * rng.dirichlet(np.full(rows, 3.0))[:, None]
    rest = np.outer(table.sum(1), table.sum(0))
    return (1 - share) * table + share * rest


WORLDS = [
    World(name, shares, n)
    for name, shares, sizes in (
        ("few: K=5, ARI .65", moved(5, 0.2, [5, 4, 3, 2, 1]), (500, 5_000)),
        ("K=8, ARI .42", moved(8, 0.35), (500, 5_000)),
        ("6×10, ARI .14", uneven(6, 10, 0.1, 1), (500, 5_000)),
        ("K=6, ARI .9", moved(6, 0.05), (500, 5_000)),
        ("K=6, ARI .04", moved(6, 0.8), (500, 5_000)),
        ("60×70, power law", power_law(60, 70, 0.3), (1_000, 5_000)),
        ("giant of 90 %, 50 small", scattered([45, *[0.1] * 50], 0.15), (500, 5_000)),
        ("rare class of 5 %", two_clusters(0.05, 0.03), (500,)),
        ("rare class of 2 %", two_clusters(0.02, 0.03), (500,)),
        ("K=2 at chance", two_clusters(0.5, 0.5), (500,)),
        ("K=2, ARI .01", two_clusters(0.5, 0.45), (500, 5_000)),
    )
    for n in sizes
]


def draw(world: World, rng: np.random.Generator) -> cm.Contingency:
    """Draw a table from a world."""
    counts = rng.multinomial(world.points, world.shares.ravel()).reshape(world.shares.shape)
    counts = counts[counts.any(axis=1)][:, counts.any(axis=0)]
    return cm.Contingency.from_matrix(counts)


def blocks(n: int, rng: np.random.Generator) -> cm.Contingency:
    """Return the table of `block_labels`."""
    return cm.crosstab(*block_labels(n, rng))


def block_labels(n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Draw records of entities in blocks of one to three: some entities are split, or merged within their block."""
    entities = rng.integers(1, 4, n)
    block = np.repeat(np.arange(n), entities)
    size = rng.choice([1, 2, 3, 4, 5], len(block), p=[0.3, 0.3, 0.2, 0.1, 0.1])
    true = np.repeat(np.arange(len(block)), size)
    merged = rng.random(len(block)) < 0.15
    found = np.where(merged, np.concatenate([[0], np.cumsum(entities)[:-1]])[block], np.arange(len(block)))
    pred = found[true]
    return true, np.where(rng.random(len(true)) < 0.06, len(block) + np.arange(len(true)), pred)


def coverage(
    make: Callable[[np.random.Generator], cm.Contingency], request: IntervalRequest, draws: int, indices: list
):
    """Return for each index the share of intervals that contain the mean score, and the share of samples with one."""
    rng = np.random.default_rng(1)
    target = np.mean(
        [[index.of(table) for index in indices] for table in (make(rng) for _ in range(4 * draws))], axis=0
    )
    found = simulate(lambda rng: sample_of(make(rng), request.unit), interval_ends(indices, request), draws, rng)
    return found.coverage(target), found.made.mean(axis=0)


def span(values: Sequence[float]) -> str:
    """Return the range of some shares, in per cent."""
    low, high = (f"{100 * value:.1f}" for value in (min(values), max(values)))
    return low if low == high else f"{low}–{high}"


def said(shares: Sequence[float], made: Sequence[float]) -> str:
    """Return the range of coverages, and the largest share of samples that were refused an interval."""
    known = [share for share, some in zip(shares, made, strict=True) if some]
    refused = 1 - min(made)
    return (span(known) if known else "–") + (f" ({100 * refused:.0f} refused)" if refused > 0.005 else "")


def point_table(draws: int, only: str | None) -> None:
    """Print the coverage of the default intervals over points."""
    print(f"| world | N | {' | '.join(FAMILIES)} |\n|---|---|{'---|' * len(FAMILIES)}")
    for world in WORLDS:
        if only and only not in world.name:
            continue
        began = perf_counter()
        shares, made = coverage(lambda rng, world=world: draw(world, rng), IntervalRequest(), draws, INDICES)
        cells, start = [], 0
        for names in FAMILIES.values():
            cells.append(said(shares[start : start + len(names)], made[start : start + len(names)]))
            start += len(names)
        print(f"| {world.name} | {world.points:,} | {' | '.join(cells)} |", flush=True)
        print(f"<!-- {perf_counter() - began:.0f} s -->", flush=True)


def component_table(draws: int) -> None:
    """Print the coverage of intervals over components."""
    names = (
        "pair_precision",
        "pair_recall",
        "dice",
        "adjusted_rand",
        "b_cubed_precision",
        "b_cubed_recall",
        "b_cubed_f",
    )
    indices = [cm.find(name) for name in (*names, "cluster_recall", "nmi", "muc_f", "ceaf_e_f", "element_centric")]
    print("\n| blocks | components | coverage | wrong, at most | all |\n|---|---|---|---|---|")
    worlds = {
        "130": lambda rng: blocks(130, rng),
        "1,300": lambda rng: blocks(1_300, rng),
        "300, 2 % merged": lambda rng: merged_blocks(300, rng, 0.02, 0.01),
        "300, 10 % merged": lambda rng: merged_blocks(300, rng, 0.1, 0.03),
        "200, sizes Pareto 1.3": lambda rng: merged_blocks(200, rng, 0.25, 0.1, heavy=True),
    }
    for name, make in worlds.items():
        shares, made = coverage(make, IntervalRequest(unit="component"), draws, indices)
        count = int(cm.score_interval(make(np.random.default_rng(0)), "rand", unit="component").n_units)
        each = ", ".join(f"{index.name} {100 * share:.1f}" for index, share in zip(indices, shares, strict=True))
        wrong = np.nanmax((1 - shares) * made)  # of all samples, also those without an interval
        print(f"| {name} | about {count:,} | {said(shares, made)} | {100 * wrong:.1f} | {each} |", flush=True)


def merged_blocks(
    n: int, rng: np.random.Generator, merged: float, alone: float, *, heavy: bool = False
) -> cm.Contingency:
    """Draw blocks of one to three entities of 1 to 5 records, or of sizes with a heavy tail; some blocks are merged."""
    true, pred = [], []
    for block in range(n):
        k = rng.integers(1, 4)
        sizes = np.minimum((rng.pareto(1.3, k) + 1).astype(int), 400) if heavy else rng.integers(1, 6, k)
        one = np.repeat(np.arange(k), sizes) + 1_000 * block
        found = np.full(len(one), one[0]) if k > 1 and rng.random() < merged else one.copy()
        lone = rng.random(len(one)) < alone
        found[lone] = 1_000 * block + 500 + np.arange(lone.sum())
        true.append(one)
        pred.append(found)
    return cm.crosstab(np.concatenate(true), np.concatenate(pred))


ESTIMATED = (
    *("pair_precision", "pair_recall", "dice", "jaccard", "adjusted_rand", "nmi", "homogeneity", "completeness"),
    *("variation_of_information", "b_cubed_precision", "b_cubed_recall", "b_cubed_f", "element_centric"),
    *("inverse_purity", "cluster_precision", "cluster_recall", "cluster_f"),
)
SAMPLES = (
    *(("clusters", 50, None), ("clusters", 200, None), ("clusters", 600, None)),
    *(("clusters_by_record", 200, None), ("clusters_by_record", 600, None), ("clusters_by_record", 600, "known")),
    *(("records", n, None) for n in (200, 400, 1_000)),
)
"""Designs, the number of clusters or records drawn, and whether `population=` is given."""


def sample_truth(design: str, n: int, true: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return which records are labelled."""
    if design == "clusters":
        return np.isin(true, rng.choice(true.max() + 1, n, replace=False))
    records = rng.choice(len(true), n, replace=False)
    return np.isin(true, true[records]) if design == "clusters_by_record" else np.isin(np.arange(len(true)), records)


def sample_table(draws: int) -> None:
    """Print the coverage of estimates from a sample of the truth: 1,000 blocks of one to three entities, drawn once."""
    _sample_world(*block_labels(1_000, np.random.default_rng(1)), SAMPLES, draws)
    rng = np.random.default_rng(8)
    true = np.repeat(np.arange(3_000), np.minimum((rng.pareto(1.5, 3_000) + 1).astype(int), 200))
    pred = np.where(rng.random(len(true)) < 0.1, rng.permutation(true), true)
    print("\nsizes of a heavy tail (Pareto 1.5); of the samples that were not refused:")
    heavy = (("clusters", 200, None), ("clusters", 800, None), ("clusters_by_record", 200, "known"))
    _sample_world(true, pred, heavy, draws)
    print("\nrecords, or predicted clusters, drawn by the sizes of predicted clusters:")
    for power, k, most in ((1.5, 3_000, 200), (1.1, 2_000, 500)):
        rng = np.random.default_rng(8)
        true = np.repeat(np.arange(k), np.minimum((rng.pareto(power, k) + 1).astype(int), most))
        pred = np.where(rng.random(len(true)) < 0.1, rng.permutation(true), true)
        print(f"\nPareto {power}")
        drawn = [(f"drawn_{unit}s", n, None) for unit in ("record", "cluster") for n in (200, 400)]
        _sample_world(true, pred, drawn, draws)


def _estimate_drawn(design: str, n: int, true: np.ndarray, pred: np.ndarray, seed: int) -> cm.Estimates:
    """Return the estimates from a sample of `draw_sample`."""
    unit = "cluster" if design == "drawn_clusters" else "record"
    prediction = dict(enumerate(pred.tolist()))
    drawn = cm.draw_sample(prediction, n, seed, unit=unit)
    labelled = np.flatnonzero(np.isin(true, true[[row.id for row in drawn.rows]]))
    truth = dict(zip(labelled.tolist(), true[labelled].tolist(), strict=True))
    return cm.estimate(truth, prediction, ESTIMATED, drawn=drawn)


def _sample_world(true: np.ndarray, pred: np.ndarray, samples: Sequence[tuple], draws: int) -> None:
    rng = np.random.default_rng(2)
    indices = {name: cm.find(name) for name in ESTIMATED}
    whole = {name: index.of(cm.crosstab(true, pred)) for name, index in indices.items()}
    print(f"\nof {true.max() + 1:,} clusters, {len(true):,} records\n")
    print("| design | drawn | coverage | wrong, at most | all |\n|---|---|---|---|---|")
    for design, n, known in samples:
        pairs = ("pair_precision", "pair_recall", "dice", "jaccard", "adjusted_rand", "b_cubed_precision")
        wanted = pairs if design == "records" else ESTIMATED
        held: dict[str, list[bool]] = {}
        for seed in range(draws):
            if design.startswith("drawn"):
                found = _estimate_drawn(design, n, true, pred, seed)
            else:
                labelled = sample_truth(design, n, true, rng)
                labels = [label if one else None for label, one in zip(true.tolist(), labelled.tolist(), strict=True)]
                found = cm.estimate(labels, pred, wanted, design=design, population=len(true) if known else None)
            for name, index in indices.items():
                if index.label in found and (one := found[index.label]).low is not None:
                    held.setdefault(name, []).append(one.low <= whole[name] <= one.high)
        shares = {name: float(np.mean(values)) for name, values in held.items()}
        each = ", ".join(f"{name} {100 * share:.1f}" for name, share in shares.items())
        said = f"{design}, of known records" if known else design
        wrong = max(values.count(False) for values in held.values()) / draws  # of all samples
        print(f"| {said} | {n:,} | {span(list(shares.values()))} | {100 * wrong:.1f} | {each} |", flush=True)


def test_table(draws: int) -> None:
    """Print how often a test at 5 per cent rejects independent labelings."""
    print("\n| clusters | N | rejected at 5 % | at 1 % |\n|---|---|---|---|")
    rng = np.random.default_rng(3)
    for k, n in ((5, 500), (3, 60), (2, 1_000), (20, 200)):
        p = [
            cm.chance_test(cm.crosstab(*rng.integers(0, k, (2, n))), "ari", draws=199, seed=s).p_value
            for s in range(draws)
        ]
        print(
            f"| {k}×{k} | {n:,} | {100 * np.mean(np.array(p) <= 0.05):.1f} | {100 * np.mean(np.array(p) <= 0.01):.1f} |"
        )


def size_table(draws: int) -> None:
    """Print the size of the test at 5 % for given cluster sizes and the default seed, which is that of each user."""
    rng, sizes = np.random.default_rng(11), []
    for _ in range(20):
        k, m, n = rng.integers(2, 12), rng.integers(2, 12), rng.integers(100, 800)
        sides = [np.r_[np.arange(c), rng.choice(c, n - c, p=rng.dirichlet(np.ones(c) * 3))] for c in (k, m)]
        p = [cm.chance_test(cm.crosstab(sides[0], rng.permutation(sides[1])), "ari").p_value for _ in range(draws)]
        sizes.append(np.mean(np.array(p) <= 0.05))
    mean = f"{100 * np.mean(sizes):.1f} on average"
    print(f"\n20 pairs of cluster sizes, seed 0: rejected at 5 % in {span(sizes)} %, {mean}")


def plain_ends(index: cm.Index, *, population: bool = False):
    """Return the function that makes intervals by the jackknife alone, without refusals and without other methods."""

    def make(sample):
        score = index.of(sample.table)
        spread = Jackknife(sample).of(index, score)
        if not 0 < spread.standard_error < np.inf:
            return [(score, None, None)]
        if population:
            middle, away = score - spread.bias, 1.96 * spread.standard_error
            return [(score, middle - away, middle + away)]
        return [(score, *limits(score, spread.standard_error, 1.96, index.bounds_on(sample.table)))]

    return make


ADJUSTED = ("rand", "v_measure", "jaccard", "purity", "b_cubed_f")
ADJUSTED_WORLDS = {
    "4 clusters of 50, 30, 15, 5 %, N=400": lambda rng: sized_labels([50, 30, 15, 5], 400, 0.25, rng),
    "12 clusters, N=300": lambda rng: sized_labels([1] * 12, 300, 0.4, rng),
    "3 clusters near chance, N=300": lambda rng: sized_labels([1] * 3, 300, 0.9, rng),
    "200 blocks, by components": lambda rng: blocks(200, rng),
}


def sized_labels(sizes: Sequence[int], n: int, wrong: float, rng: np.random.Generator) -> cm.Contingency:
    """Draw points of clusters of these sizes; some get another label, one of two next to their own."""
    true = rng.choice(len(sizes), n, p=np.array(sizes) / sum(sizes))
    moved = (true + rng.integers(1, 3, n)) % len(sizes)
    if wrong > 0.8:  # near chance the labels are any
        moved = rng.integers(0, len(sizes), n)
    return cm.crosstab(true, np.where(rng.random(n) < wrong, moved, true))


def adjusted_table(draws: int) -> None:
    """Print the coverage of intervals of corrected scores; half-samples where the mean by chance has no closed form."""
    indices = [cm.find(name).adjust(draws=60) for name in ADJUSTED]  # the first two have closed forms
    print(f"\n| world | {' | '.join(ADJUSTED)} |\n|---|{'---|' * len(ADJUSTED)}")
    for name, make in ADJUSTED_WORLDS.items():
        unit = "component" if name.endswith("components") else "point"
        world = lambda rng, make=make, unit=unit: sample_of(make(rng), unit)  # noqa: E731
        cells = []
        for some, times, request in (
            (indices[:2], 5, IntervalRequest(unit=unit)),
            (indices[2:], 1, IntervalRequest(unit=unit, method="half-sampling", draws=60)),
        ):
            found = simulate(world, interval_ends(some, request), times * draws, np.random.default_rng(7))
            shares, made = found.coverage(known_mean(found.scores)), found.made.mean(axis=0)
            cells += [said([share], [part]) for share, part in zip(shares, made, strict=True)]
        print(f"| {name} | {' | '.join(cells)} |", flush=True)


PANEL = (
    "adjusted_rand",
    "pair_precision",
    "pair_recall",
    "v_measure",
    "b_cubed_f",
    "purity",
    "inverse_purity",
    "element_centric",
)
SHARED = 20
"""Number of tables that share a critical value, whose half-samples take most of the time."""
TOGETHER = {
    "4 clusters of 50, 30, 15, 5 %, N=400": (lambda rng: sized_labels([50, 30, 15, 5], 400, 0.25, rng), "point"),
    "12 clusters, N=1,000": (lambda rng: sized_labels([1] * 12, 1_000, 0.4, rng), "point"),
    "40 clusters, N=2,000": (lambda rng: sized_labels(list(range(1, 41)), 2_000, 0.15, rng), "point"),
    "300 blocks, by components": (lambda rng: blocks(300, rng), "component"),
}


def together_table(draws: int) -> None:
    """Print how often all intervals of the panel hold at once, and those of ten groups; widths beside Bonferroni."""
    print("\n| world | intervals | all hold | critical value | one by one: all hold | Bonferroni |")
    print("|---|---|---|---|---|---|")
    for name, (make, unit) in TOGETHER.items():
        rng = np.random.default_rng(9)
        tables = [make(rng) for _ in range(draws)]
        panel = [cm.find(index) for index in PANEL]
        more = [make(rng) for _ in range(2 * draws)]
        scores = np.array([[index.of(table) for index in panel] for table in [*tables, *more]])
        target = dict(zip((index.label for index in panel), scores.mean(axis=0), strict=True))
        values, held = [], []
        for place, table in enumerate(tables):
            if place % SHARED == 0:
                values.append(_value_of(table, panel, unit))
            levels = level_of(values[-1]), 0.95
            found = [make_intervals(table, panel, IntervalRequest(level, unit)) for level in levels]
            held.append([_all_hold(one, target) for one in found])
        _say_together(name, len(panel), [100 * share for share in np.mean(held, axis=0)], float(np.mean(values)))
    _groups_together(draws)


def _value_of(table: cm.Contingency, panel: list[cm.Index], unit: str) -> float:
    """Return the critical value of a table; that of another of the same world is the same within 1 %."""
    found = make_intervals(table, panel, IntervalRequest(unit=unit, simultaneous=True))
    return float(next(iter(found.values())).critical_value)


def _all_hold(found: cm.Intervals, targets: dict[str, float]) -> bool:
    return all(one.low is None or one.low <= targets[name] <= one.high for name, one in found.items())


def _say_together(name: str, several: int, held: Sequence[float], value: float) -> None:
    many = NormalDist().inv_cdf(1 - 0.025 / several)
    print(f"| {name} | {several} | {held[0]:.1f} | {value:.2f} | {held[1]:.1f} | {many:.2f} |", flush=True)


def _groups_together(draws: int) -> None:
    """Print the same for B-cubed F of ten groups of entities, of which the last have most errors."""
    rng, made, values = np.random.default_rng(10), [], []
    for _ in range(draws):
        true = np.repeat(np.arange(600), rng.integers(1, 6, 600))
        city = rng.integers(0, 10, 600)[true]
        pred = np.where(rng.random(len(true)) < 0.05 + 0.02 * city, (true + 1) % 600, true)
        scores, records = cm.evaluate(true, pred, []), {"city": city.astype(str)}
        found = [scores.by("city", records=records, simultaneous=flag) for flag in (True, False)]
        values.append(found[0].critical_value)
        made.append([{row.group: row for row in table} for table in found])
    target = {name: np.mean([one[0][name].b_cubed_f for one in made]) for name in made[0][0]}
    held = [
        100 * np.mean([all(row.low <= target[name] <= row.high for name, row in one[place].items()) for one in made])
        for place in (0, 1)
    ]
    _say_together("B³ F of groups, 600 entities", 10, held, float(np.mean(values)))


CHECKED = (
    ("few: K=5, ARI .65", 500, "adjusted_rand", "plain"),
    ("few: K=5, ARI .65", 500, "b_cubed_f", "plain"),
    ("60×70, power law", 1_000, "b_cubed_f", "plain"),
    ("K=2, ARI .01", 500, "adjusted_rand", "plain"),
    ("K=2, ARI .01", 500, "adjusted_rand", "default"),
    ("giant of 90 %, 50 small", 500, "pair_precision", "plain"),
    ("giant of 90 %, 50 small", 500, "pair_precision", "default"),
    ("60×70, power law", 1_000, "homogeneity", "plain, population"),
    ("giant of 90 %, 50 small", 500, "homogeneity", "plain, population"),
)
"""World, number of points, index, and method: the jackknife alone, for samples or the population; or the default."""


def check_table(draws: int) -> None:
    """Print what coverage checks of tables of a world say, beside the coverage in that world."""
    print("\n| world | N | index | method | covers | by the check | do not rely on it | holds |")
    print("|---|---|---|---|---|---|---|---|")
    for name, n, label, method in CHECKED:
        world = next(one for one in WORLDS if one.name == name and one.points == n)
        index, population = cm.find(label), method.endswith("population")
        make = (
            interval_ends([index], IntervalRequest())
            if method == "default"
            else plain_ends(index, population=population)
        )
        rng = np.random.default_rng(5)
        own = simulate(lambda rng, world=world: sample_of(draw(world, rng), "point"), make, 4 * draws, rng)
        target = known_mean(own.scores)
        if population:
            whole = np.rint(world.shares * 10**9).astype(np.int64)
            target = np.array([index.of(cm.Contingency.from_matrix(whole[whole.any(axis=1)][:, whole.any(axis=0)]))])
        shares, verdicts = [], []
        for _ in range(max(draws // 20, 1)):
            share, holds = check(sample_of(draw(world, rng), "point"), index, make, draws // 2, rng, population)
            shares.append(share)
            verdicts.append(holds)
        flagged, fine = (100 * np.mean([one is wanted for one in verdicts]) for wanted in (False, True))
        known = [share for share in shares if share is not None]
        said = f"{100 * np.mean(known):.1f}" if known else "–"
        real = f"{100 * own.coverage(target)[0]:.1f}"
        print(f"| {name} | {n:,} | {label} | {method} | {real} | {said} | {flagged:.0f} % | {fine:.0f} % |", flush=True)


def check(sample, index: cm.Index, make, draws: int, rng: np.random.Generator, population: bool):
    """Return the coverage that a check of a table finds, and whether it says that the interval holds."""
    found = simulate(resample(sample), make, draws, rng)
    target = known_mean(found.scores)
    if population:
        target = np.array([index.of(PointWorld(sample).population(10**9))])
    made = int(found.made[:, 0].sum())
    share = float(found.coverage(target)[0]) if made else None
    ends = (None, None) if share is None else monte_carlo_limits(round(share * made), made)
    return share, judge_coverage(0.95, share, ends, made, draws)[0]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--draws", type=int, default=1_000)
    tables = ("components", "crossed", "samples", "tests", "checks", "adjusted", "together")
    parser.add_argument("--only", help=f"worlds with this in their name; {'; '.join(tables)}")
    chosen = parser.parse_args()
    if chosen.only not in tables:
        point_table(chosen.draws, chosen.only)
    if chosen.only in (None, "components"):
        component_table(chosen.draws)
    if chosen.only in (None, "crossed"):
        crossed_table(chosen.draws)
    if chosen.only in (None, "samples"):
        sample_table(chosen.draws)
    if chosen.only in (None, "adjusted"):
        adjusted_table(chosen.draws // 5)
    if chosen.only in (None, "together"):
        together_table(chosen.draws // 2)
    if chosen.only in (None, "checks"):
        check_table(chosen.draws)
    if chosen.only in (None, "tests"):
        test_table(2 * chosen.draws)
        size_table(chosen.draws)
