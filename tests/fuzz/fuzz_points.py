"""Points in space, trees and scored pairs, compared with definitions computed point by point."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

import clustermark as cm
import internal_oracle
import trees_oracle
from clustermark import _kernel

if TYPE_CHECKING:
    import random

METRICS = ["euclidean", "sqeuclidean", "manhattan"]


def points(rng: random.Random, n: int) -> Any:
    """Return points of any scale and type, some of them equal, in any layout of memory."""
    columns, scale = rng.choice([1, 2, 3, 9]), 10.0 ** rng.choice([-30, -3, 0, 0, 5, 30])
    rows = [[rng.choice([rng.gauss(0, 1), rng.randrange(3)]) * scale for _ in range(columns)] for _ in range(n)]
    for _ in range(rng.choice([0, 0, n // 3])):
        rows[rng.randrange(n)] = list(rng.choice(rows))
    X = np.array(rows, rng.choice(["f4", "f8"]))
    return rng.choice([X, np.asfortranarray(X), np.repeat(X, 2, axis=1)[:, ::2], X[::-1]])


def fuzz_distances(rng: random.Random) -> None:
    """Sums of distances of each point to its cluster and to the nearest other one."""
    n = rng.choice([2, 5, 17, 70])
    X, metric = points(rng, n), rng.choice(METRICS)
    cuts = sorted(rng.sample(range(1, n), rng.randrange(min(n, 5))))
    starts, order = [0, *cuts, n], rng.sample(range(n), n)
    found = _kernel.sum_distances(X, metric, np.array(order), np.array(starts), rng.choice([0, 1, 3]))
    rows = X.astype(float).tolist()
    clusters = [order[begin:end] for begin, end in pairwise(starts)]
    for number, own in enumerate(clusters):
        for i in own:
            sums = [math.fsum(internal_oracle.distance(rows[i], rows[j], metric) for j in c) for c in clusters]
            others = [total / len(c) for total, c in zip(sums, clusters, strict=True) if c is not own]
            assert math.isclose(found[0][i], sums[number], rel_tol=1e-9), (i, found[0][i], sums)
            assert math.isclose(found[1][i], min(others, default=math.inf), rel_tol=1e-9), (i, found[1][i], others)


ORACLES = ["silhouette", "davies_bouldin", "calinski_harabasz", "dunn", "c_index", "xie_beni", "mcclain_rao", "dbcv"]


def fuzz_internal(rng: random.Random) -> None:
    """Internal indices by their definitions."""
    n, k = rng.choice([4, 9, 25]), rng.choice([2, 3, 5])
    X = np.array([[rng.gauss(0, 1) for _ in range(3)] for _ in range(n)])
    labels = [rng.randrange(k) for _ in range(n)]
    world = internal_oracle.World(X.tolist(), labels)
    found = cm.evaluate_internal(X, labels, ORACLES).to_dict()
    for name in ORACLES:
        try:
            expected = getattr(internal_oracle, name)(world)
        except ZeroDivisionError:
            continue
        assert math.isclose(found[name], expected, rel_tol=1e-9, abs_tol=1e-9), (name, found[name], expected)


def fuzz_density(rng: random.Random) -> None:
    """Density indices of points with many equal distances and noise, by their definitions, in any order of rows."""
    n, columns = rng.choice([3, 6, 14]), rng.choice([1, 2, 3])
    whole = rng.random() < 0.5
    X = [[float(rng.randrange(4)) if whole else rng.gauss(0, 1) for _ in range(columns)] for _ in range(n)]
    labels = [rng.choice([-1, 0, 0, 1, 1, 2]) for _ in range(n)]
    order = rng.sample(range(n), n)
    shift, scale = rng.choice([0.0, 3.0]), rng.choice([1.0, 0.25, 2.0**40])
    moved = [[(number + shift) * scale for number in X[i]] for i in order]
    again = [labels[i] for i in order]
    for metric in METRICS[: 1 + 2 * whole]:
        world = internal_oracle.World(X, labels, metric=metric)
        for name in ("dbcv", "relative_validity"):
            try:
                expected = getattr(internal_oracle, name)(world)
            except ZeroDivisionError:
                continue
            index = getattr(cm, name)
            for found in (index(X, labels, metric=metric), index(moved, again, metric=metric)):
                assert math.isclose(found, expected, rel_tol=1e-9, abs_tol=1e-9), (name, metric, X, labels, found)


def linkage(rng: random.Random, n: int) -> Any:
    """Return a random linkage of n leaves, with ties."""
    there, rows, height = dict.fromkeys(range(n), 1), [], 0.0
    for node in range(n, 2 * n - 1):
        one, other = rng.sample(sorted(there), 2)
        height += rng.choice([0.0, 1.0, rng.random()])
        size = there.pop(one) + there.pop(other)
        rows.append([one, other, height, size])
        there[node] = size
    return np.array(rows)


def fuzz_trees(rng: random.Random) -> None:
    """Comparisons of two trees."""
    n = rng.choice([4, 6, 9])
    one, other = linkage(rng, n), linkage(rng, n)
    a, b = (trees_oracle.PlainTree(cm.Tree(tree)) for tree in (one, other))
    found = cm.evaluate_trees(one, other, ["robinson_foulds", "baker_gamma", "cophenetic_correlation"]).to_dict()
    assert found["robinson_foulds"] == trees_oracle.robinson_foulds(a, b)
    for name, oracle in (("baker_gamma", trees_oracle.baker), ("cophenetic_correlation", trees_oracle.cophenetic)):
        try:
            assert math.isclose(found[name], oracle(a, b), rel_tol=1e-9, abs_tol=1e-12), name
        except ZeroDivisionError:  # the registry replaces 0/0
            continue
    at = rng.randrange(2, n)
    assert math.isclose(
        cm.fowlkes_mallows_bk(one, other, at=at), trees_oracle.fowlkes_mallows(a.cut(at), b.cut(at)), rel_tol=1e-9
    )


def fuzz_sweep(rng: random.Random) -> None:
    """The clusters of every threshold of scored pairs."""
    n, m = rng.choice([2, 5, 12]), rng.choice([0, 1, 6, 30])
    labels = np.unique([rng.choice([0, 0, 1, 2, 9]) for _ in range(n)], return_inverse=True)[1].astype("i4")
    labels[[i for i in range(n) if rng.random() < 0.1]] = -1
    pairs = [(*rng.sample(range(n), 2), rng.choice([rng.random(), 0.5, 0.25])) for _ in range(m)]
    left, right, scores = (np.array(column) for column in zip(*pairs, strict=True)) if pairs else ([], [], [])
    steps, _, _ = _kernel.sweep_pairs(
        labels, np.asarray(left, "i4"), np.asarray(right, "i4"), np.asarray(scores, "f8"), 1e6
    )
    thresholds = [math.inf, *sorted({score for _, _, score in pairs}, reverse=True)]
    clusters_before = None
    place = 0
    for threshold in thresholds:
        clusters = closure(n, [(i, j) for i, j, score in pairs if score >= threshold])
        if clusters == clusters_before:
            continue
        counted = [[i for i in cluster if labels[i] >= 0] for cluster in clusters]
        together = sum(len(c) * (len(c) - 1) // 2 for c in counted)
        both = sum(int(labels[i] == labels[j]) for c in counted for i in c for j in c if i < j)
        assert steps["clusters"][place] == sum(map(bool, counted))
        assert steps["together"][place] == together
        assert steps["together_both"][place] == both
        clusters_before, place = clusters, place + 1
    assert place == len(steps["clusters"])


def closure(n: int, pairs: list[tuple[int, int]]) -> list[list[int]]:
    """Return the clusters that pairs make, by joining them one by one."""
    clusters = [[i] for i in range(n)]
    for i, j in pairs:
        one, other = (next(c for c in clusters if k in c) for k in (i, j))
        if one is not other:
            clusters.remove(other)
            one.extend(other)
    return sorted(map(sorted, clusters))


FUZZERS = {
    "distances": fuzz_distances,
    "internal": fuzz_internal,
    "density": fuzz_density,
    "trees": fuzz_trees,
    "pair-sweep": fuzz_sweep,
}
