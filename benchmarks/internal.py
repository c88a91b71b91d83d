"""Compare internal indices with scikit-learn, hdbscan and the plain algorithm: processor seconds, and ratios."""

from __future__ import annotations

import time
import warnings
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
from timing import peak_gib

import clustermark as cm

if TYPE_CHECKING:
    from collections.abc import Callable


def seconds(call: Callable[[], object], runs: int = 3) -> float:
    """Return the processor seconds of the best run, on all threads."""
    times = []
    for _ in range(runs):
        start = time.process_time()
        call()
        times.append(time.process_time() - start)
    return min(times)


def points(n: int, p: int = 10, k: int = 10) -> tuple[np.ndarray, np.ndarray]:
    """Draw clusters that overlap somewhat."""
    rng = np.random.default_rng(0)
    labels = rng.integers(0, k, n)
    return rng.normal(size=(n, p)) + rng.normal(size=(k, p))[labels], labels


def tell(task: str, peer: str, theirs: float, ours: float) -> None:
    """Print one line of the table."""
    print(f"| {task} | {peer} {theirs:.3f} | {ours:.4f} | {theirs / ours:.1f} |")


def plain_gamma(X: np.ndarray, labels: np.ndarray) -> int:
    """Compare every distance within clusters with every one between them, as the published algorithm of fpc."""
    within, between = [], []
    for i, j in combinations(range(len(X)), 2):
        away = float(np.sqrt(((X[i] - X[j]) ** 2).sum()))
        (within if labels[i] == labels[j] else between).append(away)
    others = np.array(between)
    return sum(int((others > one).sum()) - int((others < one).sum()) for one in within)


def main() -> None:
    """Run all tasks."""
    from sklearn import metrics

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from hdbscan.validity import validity_index

    print("| task | peer, s | clustermark, s | ratio |\n|---|---|---|---|")
    data = points(20_000)
    theirs, ours = seconds(lambda: metrics.silhouette_score(*data), 1), seconds(lambda: cm.silhouette(*data))
    tell("silhouette, 20,000 points", "scikit-learn", theirs, ours)
    few = data[0][:5000], data[1][:5000]
    theirs = seconds(lambda: metrics.silhouette_score(*few, metric="sqeuclidean"))
    ours = seconds(lambda: cm.silhouette(*few, metric="sqeuclidean"), 50)  # less than a thousandth of a second
    tell("squared, 5,000 points", "scikit-learn", theirs, ours)
    some = data[0][:10_000], data[1][:10_000]
    tell("dbcv, 10,000 points", "hdbscan", seconds(lambda: validity_index(*some), 1), seconds(lambda: cm.dbcv(*some)))
    small = data[0][:600], data[1][:600]
    gamma = seconds(lambda: cm.baker_hubert_gamma(*small))
    tell("gamma, 600 points", "plain", seconds(lambda: plain_gamma(*small), 1), gamma)
    many = points(1_000_000)
    linear = [index for index in cm.catalogue("points") if index.statistic.takes().needs == "features"]

    def all_linear() -> None:
        geometry = cm.Geometry(*many)
        for index in linear:
            index.of(geometry)

    theirs = seconds(lambda: metrics.davies_bouldin_score(*many))
    tell(f"{len(linear)} indices against one, 1,000,000 points", "davies_bouldin", theirs, seconds(all_linear))
    theirs = seconds(lambda: metrics.calinski_harabasz_score(*many))
    tell(f"{len(linear)} indices against one, 1,000,000 points", "calinski_harabasz", theirs, seconds(all_linear))
    print(f"squared silhouette, 1,000,000 points: {seconds(lambda: cm.silhouette(*many, metric='sqeuclidean')):.2f} s")
    print(f"peak memory {peak_gib():.2f} GiB")


if __name__ == "__main__":
    main()
