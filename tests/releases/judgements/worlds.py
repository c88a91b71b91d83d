"""Small data sets: two clusterings and a truth, and judges who answer by the truth."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import numpy as np

F = Fraction


def golden(before, after, truth, weights=None, slices=None):
    return {
        "before": list(before),
        "after": list(after),
        "truth": list(truth),
        "weights": weights,
        "slices": None if slices is None else list(slices),
    }


GOLDEN = {
    1: golden("0001", "0012", "0012"),
    2: golden("00112", "00001", "00012"),
    3: golden("000111", "001112", "001122"),
    4: golden("00011", "00111", "00111", weights=[3, 1, 2, 1, 1]),
    5: golden("000011", "001111", "000111", slices="xyxyxy"),
}


def answer(asked, truth):
    """Return the answers by the truth, a list by position or a mapping by id."""
    named = truth if isinstance(truth, dict) else dict(enumerate(truth))
    return {(one.left, one.right): named[one.left] == named[one.right] for one in asked.table}


def precision(clusters, truth, weights=None):
    """Return B-cubed precision of each record, by brute force."""
    n = len(clusters)
    weights = weights or [1] * n
    found = []
    for i in range(n):
        mine = [j for j in range(n) if clusters[j] == clusters[i]]
        size = sum(weights[j] for j in mine)
        found.append(F(sum(weights[j] for j in mine if truth[j] == truth[i]), size))
    return found


def change(world, inside=None):
    """Return the change of B-cubed precision, by brute force; optionally of the records in a slice."""
    weights = world["weights"] or [1] * len(world["truth"])
    before, after = (precision(world[side], world["truth"], weights) for side in ("before", "after"))
    chosen = [i for i in range(len(weights)) if inside is None or world["slices"][i] == inside]
    return sum((after[i] - before[i]) * weights[i] for i in chosen) / sum(weights[i] for i in chosen)


def masses(world):
    """Return for each kind its ordered pairs and their masses, by brute force."""
    before, after = world["before"], world["after"]
    n = len(before)
    w = world["weights"] or [1] * n
    found = {"split": {}, "merge": {}, "shrunk": {}, "grown": {}}
    for i in range(n):
        a = sum(w[j] for j in range(n) if before[j] == before[i])
        b = sum(w[j] for j in range(n) if after[j] == after[i])
        for j in range(n):
            if i == j:
                continue
            was, is_ = before[i] == before[j], after[i] == after[j]
            if was and not is_:
                found["split"][i, j] = F(w[i] * w[j], a * sum(w))
            elif is_ and not was:
                found["merge"][i, j] = F(w[i] * w[j], b * sum(w))
            elif was and is_ and a != b:
                found["shrunk" if b < a else "grown"][i, j] = F(w[i] * w[j] * abs(a - b), a * b * sum(w))
    return found


def blocks(seed, n_blocks=150, noise=0.15):
    """Return blocks of similar records: entities of 1 to 5 records, clustered twice with different mistakes."""
    rng = np.random.default_rng(seed)
    truth, before, after = [], [], []
    for block in range(n_blocks):
        entity = 0
        records = 0
        while records < 8:
            size = int(rng.integers(1, 6))
            truth += [f"{block}.{entity}"] * size
            records += size
            entity += 1
        mine = truth[-records:]
        for side, how in ((before, noise * 2), (after, noise)):
            merged = {name: (name if rng.random() > how else f"{block}.0") for name in dict.fromkeys(mine)}
            side += [merged[name] if rng.random() > how / 2 else f"{block}.new" for name in mine]
    return {"before": before, "after": after, "truth": truth, "weights": None, "slices": None}


def all_pairs(world, side):
    labels = world[side]
    return {(i, j) for i, j in combinations(range(len(labels)), 2) if labels[i] == labels[j]}
