"""Compare indices of hierarchies and soft clusterings with one SciPy linkage, dense tables and plain algorithms.

Processor seconds of the best of three runs; the ratio is the peer's time over ours.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import numpy as np
from scipy.cluster.hierarchy import cophenet, fcluster, linkage
from scipy.stats import spearmanr
from timing import peak_gib

import clustermark as cm

if TYPE_CHECKING:
    from collections.abc import Callable


def seconds(call: Callable[[], object], runs: int = 3) -> float:
    """Return the processor seconds of the best run."""
    times = []
    for _ in range(runs):
        start = time.process_time()
        call()
        times.append(time.process_time() - start)
    return min(times)


def tell(task: str, peer: str, theirs: float, ours: float) -> None:
    print(f"| {task} | {peer} {theirs:.5f} | {ours:.5f} | {theirs / ours:.1f} |", flush=True)


def whole_curve(one: np.ndarray, other: np.ndarray) -> None:
    curve = cm.bk_curve(one, other)
    _ = curve.score, curve.expectation, curve.variance


def cut_by_cut(one: np.ndarray, other: np.ndarray) -> list[float]:
    """Compute a cut and a table for each k, as dendextend does."""
    n = len(one) + 1
    return [cm.fowlkes_mallows(fcluster(one, k, "maxclust"), fcluster(other, k, "maxclust")) for k in range(2, n)]


def main() -> None:
    rng = np.random.default_rng(0)
    print("| task | peer, s | clustermark, s | ratio |\n|---|---|---|---|")
    for n in (100, 1_000, 5_000):
        X = rng.normal(size=(n, 5))
        one, other = linkage(X, "average"), linkage(X, "ward")
        ours = seconds(lambda: whole_curve(one, other))  # noqa: B023
        tell(f"Bk, all {n - 2:,} cuts with mean and variance, N = {n:,}", "one SciPy linkage",
             seconds(lambda: linkage(X, "average")), ours)  # noqa: B023  # fmt: skip
        if n == 1_000:
            tell("the same", "fcluster and a table for each cut", seconds(lambda: cut_by_cut(one, other), 1), ours)  # noqa: B023
    tell("cophenetic correlation of two trees, N = 5,000", "cophenet and corrcoef",
         seconds(lambda: np.corrcoef(cophenet(one), cophenet(other))),
         seconds(lambda: cm.cophenetic_correlation(one, other)))  # fmt: skip
    tell("Baker's gamma, N = 5,000", "cophenet and spearmanr",
         seconds(lambda: spearmanr(cophenet(one), cophenet(other)), 1),
         seconds(lambda: cm.baker_gamma(one, other)))  # fmt: skip
    n = 200_000
    pairs = [random_merges(n, seed) for seed in (1, 2)]
    labels = rng.integers(0, 50, n)
    for name, call in (
        ("cophenetic correlation", lambda: cm.cophenetic_correlation(*pairs)),
        ("Bk, all cuts", lambda: whole_curve(*pairs)),
        ("Robinson–Foulds", lambda: cm.robinson_foulds(*pairs)),
        ("dendrogram purity, 50 classes", lambda: cm.dendrogram_purity(pairs[0], labels)),
    ):
        print(f"| {name}, N = {n:,} | – | {seconds(call, 1):.4f} | – |", flush=True)
    U, V = (rng.dirichlet(np.ones(k), 2_000) for k in (5, 8))
    tell("frobenius_adjusted_rand, 2,000 items", "n × n matrices", seconds(lambda: dense_frobenius(U, V)),
         seconds(lambda: cm.frobenius_adjusted_rand(U, V)))  # fmt: skip
    print(f"| adjusted_concordance, 2,000 items | – | {seconds(lambda: cm.adjusted_concordance(U, V), 1):.4f} | – |")
    print(f"\nlargest memory of this process: {peak_gib():.2f} GiB")


def random_merges(n: int, seed: int) -> np.ndarray:
    """Return `children_` of random merges."""
    rng = np.random.default_rng(seed)
    nodes, rows = list(range(n)), []
    for row in range(n - 1):
        pair = []
        for _ in range(2):
            place = int(rng.integers(len(nodes)))
            nodes[place], nodes[-1] = nodes[-1], nodes[place]
            pair.append(nodes.pop())
        nodes.append(n + row)
        rows.append(pair)
    return np.array(rows)


def dense_frobenius(U: np.ndarray, V: np.ndarray) -> float:
    """Compute the similarity of every two items, as MoEClust does."""
    X, Y = U @ U.T, V @ V.T
    a, b = X.sum() / (X * X).sum(), Y.sum() / (Y * Y).sum()
    return float(2 * a * b * (X * Y).sum() - a * X.sum() - b * Y.sum())


if __name__ == "__main__":
    main()
