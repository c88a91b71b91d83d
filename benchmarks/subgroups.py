"""Measure how often subgroups are confirmed if no group has more errors than the rest: it should be at most 5 %.

    python benchmarks/subgroups.py [worlds]

Each world has entities of 1 to 8 records; at random, some are split in two and some share a predicted cluster with
their neighbour. Columns of the records are drawn independently: one constant in an entity, one that differs within it,
one of numbers. There are worlds of few and of many entities, and of rare and of frequent errors.
"""

import sys
from itertools import product

import numpy as np

import clustermark as cm


def world(
    rng: np.random.Generator, entities: int, broken: float
) -> tuple[np.ndarray, np.ndarray, dict[str, np.ndarray]]:
    sizes = rng.integers(1, 9, entities)
    true = np.repeat(np.arange(entities), sizes)
    pred = true.copy()
    split = np.repeat(rng.random(entities) < broken, sizes)
    pred[split & (rng.random(len(true)) < 0.4)] += entities
    merged = np.flatnonzero(rng.random(entities - 1) < broken / 2)
    for one in merged:
        pred[pred == one + 1] = one
    city = np.repeat(rng.integers(0, 6, entities), sizes)
    source = rng.integers(0, 4, len(true))
    year = np.repeat(rng.integers(1900, 2000, entities), sizes) + rng.integers(0, 3, len(true))
    return true, pred, {"city": city, "source": source, "year": year}


def main() -> None:
    worlds = int(sys.argv[1]) if len(sys.argv) > 1 else 400
    rng = np.random.default_rng(0)
    print("entities  errors  worlds  something found  something confirmed")
    for entities, broken in product((60, 200, 1000), (0.02, 0.1, 0.5)):
        found = confirmed = 0
        for seed in range(worlds):
            true, pred, records = world(rng, entities, broken)
            groups = cm.evaluate(true, pred, []).subgroups(records=records, seed=seed)
            found += bool(len(groups))
            confirmed += bool(groups.confirmed)
        print(f"{entities:8}  {broken:6}  {worlds:6}  {found / worlds:15.1%}  {confirmed / worlds:19.1%}", flush=True)


if __name__ == "__main__":
    main()
