"""Measure how often intervals from judged pairs contain the true change, compared with common practice; and the cost.

python benchmarks/judgements.py             # coverage in all worlds, 20,000 samples each
python benchmarks/judgements.py --whole     # also by drawing and judging, with 200 seeds
python benchmarks/judgements.py --whole --world linkage --seeds 400
python benchmarks/judgements.py --posterior # how often the posterior puts the true change into its ends
python benchmarks/judgements.py --rows 1e7  # the time of drawing from a file in DuckDB
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import clustermark as cm
from clustermark.releases.judgements.beliefs import believe
from clustermark.releases.judgements.pair_masses import B_CUBED, SIGNS, allocate
from clustermark.releases.judgements.proportions import AnswerTally, Term, jeffreys, mover

SAMPLES = 20_000
NUMBERS = (100, 300, 1000)
DRAWN = ("drawn, 300", "good share", "pairs", "recall ratio")
"""Coverage with pairs that are really drawn: of the fields of `Drawn`."""


class World(NamedTuple):
    """Two clusterings and the truth."""

    truth: np.ndarray
    before: np.ndarray
    after: np.ndarray


def link(scores: np.ndarray, threshold: float) -> np.ndarray:
    """Return the clusters of one block: records connected by scores of at least a threshold."""
    cluster = np.arange(len(scores))
    for i, j in zip(*np.nonzero(np.triu(scores >= threshold, 1)), strict=True):
        if cluster[i] != cluster[j]:
            cluster[cluster == cluster[j]] = cluster[i]
    return cluster


def make_world(seed: int, *, records: int = 18_000, largest: int = 8, block: int = 12, changed: float = 1.0,
               before: tuple[float, float] = (1.6, 1.0), after: tuple[float, float] = (2.2, 1.0)) -> World:  # fmt: skip
    """Make blocks of similar records, linked by a threshold of a noisy score before and after."""
    rng = np.random.default_rng(seed)
    truth, sides, n, entity = [], ([], []), 0, 0
    while n < records:
        mine: list[int] = []
        while len(mine) < block:
            mine += [entity] * int(rng.integers(1, largest + 1))
            entity += 1
        size = len(mine)
        same = np.equal.outer(mine, mine)
        base = np.where(same, 3.0, 0.0)
        noise = rng.normal(0, 1, (2, size, size))
        moved = rng.random() < changed
        for side, (threshold, fresh) in enumerate((before, after if moved else before)):
            mixed = noise[0] if side == 0 or not moved else fresh * noise[0] + (1 - fresh**2) ** 0.5 * noise[1]
            sides[side].append(link(base + np.triu(mixed, 1) + np.triu(mixed, 1).T, threshold) + n)
        truth.append(np.array(mine))
        n += size
    return World(np.concatenate(truth), *(np.concatenate(side) for side in sides))


def wrong_merges(seed: int) -> World:
    """Make 2,000 pairs that are joined rightly, and 12 wrong merges of 30 and 30 records."""
    del seed
    pairs = np.repeat(np.arange(2000), 2)
    lumps = np.repeat(np.arange(24), 30)
    truth = np.concatenate([pairs, 10_000 + lumps])
    before = np.concatenate([np.arange(4000) + 20_000, 10_000 + lumps])
    return World(truth, before, np.concatenate([pairs, 10_000 + lumps // 2]))


def hairballs(seed: int) -> World:
    """Make 1,500 right pairs that are split, and 3 clusters of 40 entities that are split rightly."""
    del seed
    pairs = np.repeat(np.arange(1500), 2)
    balls = np.repeat(np.arange(120), 3)
    truth = np.concatenate([pairs, 10_000 + balls])
    before = np.concatenate([pairs, 10_000 + balls // 40])
    return World(truth, before, np.concatenate([np.arange(3000) + 20_000, 10_000 + balls]))


def relabelled(seed: int, *, records: int = 9_000, shares: tuple[float, float] = (0.1, 0.05)) -> World:
    """Make entities of 1 to 5 records, some of which are in another cluster before and after, independently."""
    rng = np.random.default_rng(seed)
    truth = np.repeat(np.arange(records // 3), rng.integers(1, 6, records // 3))
    before, after = (np.where(rng.random(len(truth)) < share, rng.permutation(truth), truth) for share in shares)
    return World(truth, before, after)


def few_changes(seed: int) -> World:
    """Make the same, of which a hundredth changes."""
    rng = np.random.default_rng(seed)
    truth, before, _ = relabelled(seed)
    return World(truth, before, np.where(rng.random(len(truth)) < 0.01, rng.permutation(truth), before))


def linkage(seed: int) -> World:
    """Link two files of 3,000 records one to one; half of the links are wrong before, the other half after."""
    del seed
    n = 3000
    sides = []
    for wrong in (np.arange(n // 2), np.arange(n // 2, n)):
        link = np.arange(n)
        link[wrong] = np.roll(wrong, 1)
        sides.append(np.concatenate([np.arange(n), link]))
    return World(np.tile(np.arange(n), 2), *sides)


WORLDS = {
    "stricter": lambda seed: make_world(seed, before=(1.8, 1.0), after=(2.4, 1.0)),
    "looser": lambda seed: make_world(seed, before=(2.4, 1.0), after=(1.9, 1.0)),
    "new model": lambda seed: make_world(seed, before=(2.2, 1.0), after=(2.3, 0.7)),
    "sidestep": lambda seed: make_world(seed, before=(2.3, 1.0), after=(2.3, 0.9)),
    "tiny": lambda seed: make_world(seed, before=(2.3, 1.0), after=(2.6, 1.0), changed=0.02),
    "large blocks": lambda seed: make_world(seed, block=60, before=(2.6, 1.0), after=(2.8, 0.9)),
    "wrong merges": wrong_merges,
    "hairballs": hairballs,
    "relabelled": relabelled,
    "few changes": few_changes,
    "linkage": linkage,
}


class Facts(NamedTuple):
    """The true values of a world."""

    masses: dict[str, float]
    different: dict[str, float]
    change: float
    uniform: float
    """Share of changed pairs, each counted once, that were changed rightly."""
    clusters: tuple[float, float]
    """Shares of split or merged clusters most of whose changed pairs were changed rightly, and wrongly."""


def weigh(world: World) -> Facts:
    """Return the mass of each kind and its share of different pairs, over all pairs that either clustering joins."""
    truth, before, after = world
    a, b = (np.bincount(side)[side].astype(float) for side in (before, after))
    masses, wrong = dict.fromkeys(B_CUBED, 0.0), dict.fromkeys(B_CUBED, 0.0)
    good = pairs = better = worse = 0
    for side, labels, sizes in (("before", before, a), ("after", after, b)):
        for places in np.split(np.argsort(labels, kind="stable"), np.cumsum(np.bincount(labels))[:-1]):
            if not len(places):
                continue
            different = np.not_equal.outer(truth[places], truth[places])
            other = (after if side == "before" else before)[places]
            apart = np.not_equal.outer(other, other)
            kind = "split" if side == "before" else "merge"
            masses[kind] += apart.sum() / sizes[places[0]]
            wrong[kind] += (apart & different).sum() / sizes[places[0]]
            right = int((apart & (different if side == "before" else ~different)).sum()) // 2
            changed = int(apart.sum()) // 2
            pairs, good = pairs + changed, good + right
            better, worse = better + (2 * right > changed), worse + (2 * right < changed)
            if side == "after":
                kept = ~apart & ~np.eye(len(places), dtype=bool)
                per = np.abs(1 / b[places] - 1 / a[places])[:, None]
                for name, holds in (("shrunk", b < a), ("grown", b > a)):
                    inside = kept & holds[places][:, None]
                    masses[name] += (inside * per).sum()
                    wrong[name] += (inside * different * per).sum()
    n = len(truth)
    shares = {kind: wrong[kind] / masses[kind] if masses[kind] else 0.0 for kind in B_CUBED}
    masses = {kind: mass / n for kind, mass in masses.items()}
    change = sum(SIGNS[kind] * masses[kind] * shares[kind] for kind in B_CUBED)
    both = max(1, better + worse)
    return Facts(masses, shares, change, good / max(1, pairs), (better / both, worse / both))


def cover(facts: Facts, n: int, rng: np.random.Generator) -> tuple[float, float, float]:
    """Return the coverage of the interval of n judgements, its mean half width, and the coverage of Wald's interval."""
    numbers = allocate(facts.masses, n)
    kinds = list(numbers)
    draws = np.array([numbers[kind] for kind in kinds])
    weights = np.array([SIGNS[kind] * facts.masses[kind] for kind in kinds])
    x = rng.binomial(draws, [facts.different[kind] for kind in kinds], (SAMPLES, len(kinds)))
    shares = x / draws
    low, high = mover(weights, shares, *jeffreys(x, draws, 0.95))
    error = 1.959964 * np.sqrt((weights**2 * shares * (1 - shares) / np.maximum(draws - 1, 1)).sum(-1))
    centre = (weights * shares).sum(-1)
    held = (low <= facts.change + 1e-12) & (facts.change - 1e-12 <= high)
    return float(held.mean()), float((high - low).mean() / 2), float((np.abs(centre - facts.change) <= error).mean())


def place_in_posterior(facts: Facts, n: int, rng: np.random.Generator, samples: int = 2_000) -> list[float]:
    """Return how often the posterior puts the true change into its lowest or highest 2.5, 5, 10 and 25 %, by end."""
    numbers = allocate(facts.masses, n)
    weights = {kind: SIGNS[kind] * facts.masses[kind] for kind in numbers}
    above = np.zeros(samples)
    for place in range(samples):
        parts = []
        for kind, draws in numbers.items():
            x = int(rng.binomial(draws, facts.different[kind]))
            parts.append(Term(weights[kind], AnswerTally(x, draws - x)))
        above[place] = believe(parts, -facts.change).better
    return [float(((above > 1 - end) | (above < end)).mean() / 2) for end in (0.025, 0.05, 0.1, 0.25)]


def show_posterior(worlds: list[str]) -> None:
    """Print the ends of the posterior for each world."""
    rng = np.random.default_rng(2)
    print(f"{'world':<14}{'answers':>8}{'2.5 %':>8}{'5 %':>8}{'10 %':>8}{'25 %':>8}")
    for name in worlds:
        facts = weigh(WORLDS[name](8))
        for n in NUMBERS[:2]:
            ends = place_in_posterior(facts, n, rng)
            print(f"{name:<14}{n:>8}" + "".join(f"{100 * end:>8.1f}" for end in ends), flush=True)


class Drawn(NamedTuple):
    """Shares of seeds whose intervals, from pairs that are really drawn, contain the true value."""

    change: float
    """Change of B-cubed precision."""
    good: float
    """Share of the weight of changed pairs that was changed rightly."""
    pair_change: float
    """Change of pair precision."""
    ratio: float
    """Recall after over recall before, of pairs."""


def draw_and_judge(world: World, n: int, seeds: int) -> Drawn:
    """Return the coverage with pairs that are really drawn, over several seeds."""
    held = np.zeros(4)
    facts = weigh(world)
    truth, before, after = world
    split, merge = (facts.masses[kind] for kind in ("split", "merge"))
    good = (split * facts.different["split"] + merge * (1 - facts.different["merge"])) / (split + merge)
    pair_change = cm.pair_precision(truth, after) - cm.pair_precision(truth, before)
    ratio = cm.pair_recall(truth, after) / cm.pair_recall(truth, before)
    for seed in range(seeds):
        one, other = (judge_all(world, n, seed, index) for index in ("b_cubed_precision", "pair_precision"))
        known = one["b_cubed_precision"], one["good_share"], other["pair_precision"], other["recall_ratio"]
        for place, (interval, value) in enumerate(zip(known, (facts.change, good, pair_change, ratio), strict=True)):
            held[place] += interval.low is not None and interval.low - 1e-12 <= value <= interval.high + 1e-12
    return Drawn(*(held / seeds).tolist())


def judge_all(world: World, n: int, seed: int, index: str) -> cm.Judgements:
    """Draw pairs and judge them by the truth."""
    asked = cm.questions(world.before, world.after, n=n, seed=seed, index=index)
    answers = {(one.left, one.right): world.truth[int(one.left)] == world.truth[int(one.right)] for one in asked.table}
    return cm.judge(asked, answers)


def show_coverage(worlds: list[str], seeds: int) -> None:
    rng = np.random.default_rng(1)
    heads = "".join(f"{f'n = {n}':>14}" for n in NUMBERS)
    print(f"{'world':<14}{'ΔP':>8}{heads}{'Wald, 100':>11}{'good':>8}{'uniform pairs':>15}{'clusters':>10}"
          + ("".join(f"{head:>12}" for head in DRAWN) if seeds else ""))  # fmt: skip
    for name in worlds:
        world = WORLDS[name](7)
        facts = weigh(world)
        found = [cover(facts, n, rng) for n in NUMBERS]
        split, merge = (facts.masses[kind] for kind in ("split", "merge"))
        good = split * facts.different["split"] + merge * (1 - facts.different["merge"])
        line = f"{name:<14}{100 * facts.change:>+8.1f}"
        line += "".join(f"{f'{100 * held:.1f} ±{100 * half:.2f}':>14}" for held, half, _ in found)
        line += f"{100 * found[0][2]:>11.1f}{good / (split + merge):>8.0%}{facts.uniform:>15.0%}"
        line += f"{f'{facts.clusters[0]:.0%}/{facts.clusters[1]:.0%}':>10}"
        drawn = draw_and_judge(world, 300, seeds) if seeds else ()
        print(line + "".join(f"{100 * share:>12.1f}" for share in drawn), flush=True)


def spent() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def time_of(work: Any) -> tuple[float, float]:
    wall, cpu = time.perf_counter(), spent()
    work()
    return time.perf_counter() - wall, spent() - cpu


def show_cost(rows: int, folder: str | None, memory: str) -> None:
    """Compare drawing from one file of ids and two labels with the bare GROUP BY of the two columns."""
    import duckdb

    with tempfile.TemporaryDirectory(dir=folder) as place:
        path = Path(place) / "rows.parquet"
        connection = duckdb.connect()
        connection.execute(f"SET threads = 2; SET memory_limit = '{memory}'; SET temp_directory = '{place}'")
        # clusters of 1 to 8 records; one in sixteen is merged with the next, and one in sixteen loses a record
        connection.execute(
            f"COPY (SELECT i AS id, c AS old, CASE WHEN hash(c // 2) % 16 = 0 THEN c // 2 * 2 "
            f"WHEN hash(c) % 16 = 1 AND hash(i) % 4 = 0 THEN {rows} + i ELSE c END AS new "
            "FROM (SELECT i, (2 * i + CAST(hash(i // 9) % 8 AS BIGINT)) // 9 AS c "
            f"FROM range({rows}) t(i))) TO '{path}'"
        )
        grouped = (
            f"CREATE OR REPLACE TEMP TABLE cells AS SELECT old, new, COUNT(*) AS n FROM '{path}' GROUP BY old, new"
        )
        bare = min(time_of(lambda: connection.execute(grouped)) for _ in range(3))
        connection.close()
        asked: list[cm.Questions] = []
        options = {"true": "old", "pred": "new", "on": "id", "threads": 2, "memory": memory, "temporary": place}
        drawn = min(
            time_of(lambda: asked.append(cm.questions(str(path), seed=7, **options)))  # type: ignore[arg-type]
            for _ in range(3 if rows <= 10**7 else 1)
        )
    print(asked[-1].design.impact)
    costs = {"GROUP BY": bare, "questions": drawn}
    said = [f"{name} {wall:.1f} s ({cpu:.1f} s of processor time)" for name, (wall, cpu) in costs.items()]
    ratio = [costs["questions"][place] / costs["GROUP BY"][place] for place in (0, 1)]
    print(f"{rows:,} rows: {', '.join(said)}: {ratio[0]:.1f} times, {ratio[1]:.1f} of processor time")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--whole", action="store_true")
    parser.add_argument("--world", choices=WORLDS, action="append", help="only this one; may be repeated")
    parser.add_argument("--seeds", type=int, default=200, help="the number of draws with --whole")
    parser.add_argument("--posterior", action="store_true")
    parser.add_argument("--rows", type=float)
    parser.add_argument("--folder", help="where the file of rows is made")
    parser.add_argument("--memory", default="4GB")
    chosen = parser.parse_args()
    if chosen.rows:
        show_cost(int(chosen.rows), chosen.folder, chosen.memory)
    elif chosen.posterior:
        show_posterior(chosen.world or list(WORLDS))
    else:
        show_coverage(chosen.world or list(WORLDS), chosen.seeds if chosen.whole else 0)
