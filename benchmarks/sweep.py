"""Compare one sweep over the thresholds of scored pairs with the evaluation of 100 thresholds one by one.

    python benchmarks/sweep.py            10^7 pairs of 10^6 records (some minutes)
    python benchmarks/sweep.py --small    10^6 pairs of 10^5 records

Times are processor times on one thread, which depend least on the load of the machine. Of the hundred thresholds from 0
to 1 a few are evaluated, and their mean time is multiplied. Prints a Markdown table.
"""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

import numpy as np
from timing import peak_growth

import clustermark as cm

if TYPE_CHECKING:
    from collections.abc import Callable

THRESHOLDS = 100
MEASURED = 5
INDICES = [
    *("pair_precision", "pair_recall", "dice", "jaccard", "adjusted_rand", "purity", "inverse_purity"),
    *("b_cubed_precision", "b_cubed_recall", "b_cubed_f", "homogeneity", "completeness", "v_measure", "cluster_f"),
]


def seconds(call: Callable[[], object], runs: int = 1) -> tuple[float, object]:
    """Return the processor time of the fastest run, and its result."""
    best, made = float("inf"), None
    for _ in range(runs):
        start = time.process_time()
        made = call()
        best = min(best, time.process_time() - start)
    return best, made


def world(n: int, n_pairs: int) -> tuple[np.ndarray, tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Draw entities of one to five records; nearly all true pairs, and random pairs, with overlapping scores."""
    rng = np.random.default_rng(0)
    truth = np.repeat(np.arange(n, dtype=np.int32), rng.integers(1, 6, n))[:n]
    rng.shuffle(truth)
    order = np.argsort(truth, kind="stable").astype(np.int32)
    sides = []
    for step in (1, 2, 3):
        one, two = order[:-step], order[step:]
        same = truth[one] == truth[two]
        sides.append((one[same], two[same]))
    rest = n_pairs - sum(len(one) for one, _ in sides)
    sides.append(tuple(rng.integers(0, n, (2, rest), np.int32)))
    left, right = (np.concatenate([side[place] for side in sides]) for place in (0, 1))
    right = np.where(left == right, (right + 1) % n, right).astype(np.int32)
    same = truth[left] == truth[right]
    scores = np.where(same, rng.beta(6, 2, n_pairs), rng.beta(2, 6, n_pairs))
    mixed = rng.permutation(n_pairs)
    return truth, (left[mixed], right[mixed], scores[mixed])


def main(n: int, n_pairs: int) -> None:
    truth, pairs = world(n, n_pairs)
    cm.sweep_pairs(truth[:10], tuple(side[:0] for side in pairs))  # imports what it needs
    grown = peak_growth(lambda: cm.sweep_pairs(truth, pairs))
    ours, found = seconds(lambda: cm.sweep_pairs(truth, pairs, indices=INDICES), 5)
    default, _ = seconds(lambda: cm.sweep_pairs(truth, pairs), 5)
    thresholds = (np.arange(MEASURED) + 0.5) / MEASURED
    labels = [found.labels(t) for t in thresholds]
    ready = [seconds(lambda y=y: cm.evaluate(truth, y, INDICES, threads=1), 5)[0] for y in labels]
    panel = [seconds(lambda y=y: cm.evaluate(truth, y, threads=1), 3)[0] for y in labels]
    print(f"{n_pairs:,} scored pairs of {n:,} records, ids numbered, {found.n_partitions:,} partitions\n")
    print("| | seconds | ns a pair | the sweep is faster by |\n|---|---|---|---|")

    def show(what: str, spent: float, sweep: float) -> None:
        print(f"| {what} | {spent:.2f} | {spent / n_pairs * 1e9:.0f} | {spent / sweep:.0f} × |", flush=True)

    show(f"`sweep_pairs`, {len(INDICES)} indices at every partition", ours, ours)
    show("`sweep_pairs`, the panel at every partition", default, default)
    show(
        f"`evaluate` of {len(INDICES)} indices, ready labels, {THRESHOLDS} thresholds",
        THRESHOLDS * np.mean(ready),
        ours,
    )
    show(f"`evaluate` of the panel, ready labels, {THRESHOLDS} thresholds", THRESHOLDS * np.mean(panel), default)
    listed = seconds(lambda: evaluate_list(truth, pairs, float(np.median(pairs[2]))))[0]
    show(f"`evaluate(pairs=, threshold=)` of 2 indices, {THRESHOLDS} thresholds", THRESHOLDS * listed, ours)
    print(f"\nThe sweep of the panel grows the peak of memory by {grown:.2f} GB.")


def evaluate_list(truth: np.ndarray, pairs: tuple[np.ndarray, ...], threshold: float) -> object:
    import pyarrow as pa

    one = pa.table({"id": np.arange(len(truth)), "label": truth})
    two = pa.table(dict(zip(("left", "right", "score"), pairs, strict=True)))
    options = {"pairs": "pred", "threshold": threshold, "unmatched": "singletons", "threads": 1}
    return cm.evaluate(one, two, ["dice", "b_cubed_f"], on="id", true="label", **options)


if __name__ == "__main__":
    main(*((10**5, 10**6) if "--small" in sys.argv else (10**6, 10**7)))
