"""Compare indices of covers with CDlib, clusim and bcubed: processor seconds, and ratios.

A peer that is not installed is left out; for omega and ONMI the plain algorithm of CDlib replaces it.
"""

from __future__ import annotations

import math
import time
import warnings
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np
from timing import peak_gib

import clustermark as cm

if TYPE_CHECKING:
    from collections.abc import Callable

Clusters = list[set[int]]


def seconds(call: Callable[[], object], runs: int = 5) -> float:
    """Return the processor seconds of the best run, on all threads."""
    times = []
    for _ in range(runs):
        start = time.process_time()
        call()
        times.append(time.process_time() - start)
    return min(times)


def make(n: int, k: int, seed: int) -> Clusters:
    """Make communities of a network: each item in one of k clusters, a fifth of them in two, some in three."""
    rng = np.random.default_rng(0)
    first = rng.integers(0, k, n)
    rng = np.random.default_rng(seed)
    first = np.where(rng.random(n) < 0.2, rng.integers(0, k, n), first)  # a fifth moves between the covers
    clusters: Clusters = [set() for _ in range(k)]
    for item, number in enumerate(first.tolist()):
        clusters[number].add(item)
    for share in (0.2, 0.05):
        for item in np.flatnonzero(rng.random(n) < share).tolist():
            clusters[int(rng.integers(0, k))].add(item)
    return [cluster for cluster in clusters if cluster]


def load(name: str) -> Any:
    """Import a peer, or return None if it is not installed."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return import_module(name)
    except ImportError:
        return None


def plain_omega(true: Clusters, pred: Clusters, n: int) -> float:
    """Count every pair of items, as CDlib does."""
    shared: list[dict[tuple[int, int], int]] = [{}, {}]
    for side, cover in zip(shared, (true, pred), strict=True):
        for cluster in cover:
            members = sorted(cluster)
            for place, item in enumerate(members):
                for other in members[place + 1 :]:
                    side[item, other] = side.get((item, other), 0) + 1
    agreeing = sum(shared[0].get((i, j), 0) == shared[1].get((i, j), 0) for i in range(n) for j in range(i + 1, n))
    pairs = n * (n - 1) // 2
    chance = 0
    counts = [list(side.values()) for side in shared]
    for number in range(max(map(max, counts)) + 1):
        a, b = (side.count(number) if number else pairs - len(side) for side in counts)
        chance += a * b
    return (agreeing * pairs - chance) / (pairs**2 - chance)


def plain_onmi(true: Clusters, pred: Clusters, n: int) -> float:
    """Compare every two clusters, as CDlib does."""

    def h(w: int) -> float:
        return -w * math.log(w / n) if w else 0.0

    def left(mine: Clusters, others: Clusters) -> float:
        total = 0.0
        for cluster in mine:
            best = own = h(len(cluster)) + h(n - len(cluster))
            for other in others:
                a = len(cluster & other)
                b, c = len(cluster) - a, len(other) - a
                d = n - a - b - c
                if h(a) + h(d) > h(b) + h(c):
                    best = min(best, h(a) + h(b) + h(c) + h(d) - h(len(other)) - h(n - len(other)))
            total += best / own
        return total / len(mine)

    return 1 - (left(true, pred) + left(pred, true)) / 2


def communities(true: Clusters, pred: Clusters, n: int) -> Any:
    """Return both covers as objects of CDlib; None if it is not installed."""
    cdlib, networkx = load("cdlib"), load("networkx")
    if cdlib is None:
        return None
    graph = networkx.empty_graph(n)
    return [cdlib.NodeClustering(list(map(list, cover)), graph, overlap=True) for cover in (true, pred)]


def tell(task: str, peer: str, theirs: float, ours: float) -> None:
    """Print one line of the table."""
    print(f"| {task} | {peer} {theirs:.3f} | {ours:.5f} | {theirs / ours:.0f} |")


def check(one: float, other: Any) -> None:
    """Check that the scores are equal; otherwise times cannot be compared."""
    assert math.isclose(one, float(getattr(other, "score", other)), rel_tol=1e-6), (one, other)


def against_cdlib(name: str, task: str, index: Any, plain: Callable[..., float], n: int, k: int) -> None:
    """Compare one of our indices with CDlib, or with the plain algorithm."""
    true, pred = make(n, k, 1), make(n, k, 2)
    both = communities(true, pred, n)
    if both is not None:
        evaluation = import_module("cdlib.evaluation")
        peer, call = "CDlib", lambda: getattr(evaluation, name)(*both)
    else:
        peer, call = "plain", lambda: plain(true, pred, n)
    found: list[Any] = []
    theirs = seconds(lambda: found.append(call()), 1)
    check(index(true, pred, items=range(n)), found[0])
    tell(task, peer, theirs, seconds(lambda: index(true, pred, items=range(n))))


def main() -> None:
    """Run all tasks."""
    print("| task | peer, s | clustermark, s | ratio |\n|---|---|---|---|")
    against_cdlib("omega", "omega, 2,000 items, 40 clusters", cm.omega, plain_omega, 2_000, 40)
    name = "overlapping_normalized_mutual_information_LFK"
    against_cdlib(name, "onmi_lfk, 10,000 items, 200 clusters", cm.onmi_lfk, plain_onmi, 10_000, 200)
    true, pred = make(2_000, 40, 1), make(2_000, 40, 2)
    if (clusim := load("clusim.sim")) is not None:
        clustering = import_module("clusim.clustering").Clustering
        made = [clustering().from_cluster_list(list(map(list, cover))) for cover in (true, pred)]
        check(cm.omega(true, pred), clusim.omega_index(*made))
        theirs = seconds(lambda: clusim.omega_index(*made), 1)
        tell("omega, 2,000 items, 40 clusters", "clusim", theirs, seconds(lambda: cm.omega(true, pred)))
    if (bcubed := load("bcubed")) is not None:
        of = [{e: {k for k, c in enumerate(cover) if e in c} for e in range(2_000)} for cover in (true, pred)]
        check(cm.extended_b_cubed_precision(true, pred), bcubed.precision(of[1], of[0]))
        theirs = seconds(lambda: bcubed.precision(of[1], of[0]), 1)
        ours = seconds(lambda: cm.extended_b_cubed_precision(true, pred))
        tell("extended B-cubed, 2,000 items", "bcubed", theirs, ours)
    many = make(1_000_000, 20_000, 1), make(1_000_000, 20_000, 2)
    read = seconds(lambda: cm.CoverTable(*many), 1)
    table = cm.CoverTable(*many)
    print(f"1,000,000 items, 20,000 clusters: read in {read:.1f} s", end="")
    for index in (cm.omega, cm.onmi, cm.extended_b_cubed_f, cm.average_f1, cm.maximum_matching_ratio):
        print(f"; {index.name} {seconds(lambda index=index: index.of(table), 1):.2f} s", end="")
    few = cm.Cover(true), cm.Cover(pred)
    print(f"\nelement_centric, 2,000 items: {seconds(lambda: cm.element_centric(*few)):.3f} s")
    print(f"peak memory {peak_gib():.2f} GiB")


if __name__ == "__main__":
    main()
