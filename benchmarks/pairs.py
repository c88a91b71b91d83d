"""Measure speed as a ratio to a peer in the same run: table plus all pair indices, and the Jaccard-Concentration Index.

    python benchmarks/pairs.py            the comparisons (about three minutes)
    python benchmarks/pairs.py --linear   cost per point from 10^5 to 10^8 points
    python benchmarks/pairs.py --memory   peak memory beyond the inputs

Every figure is the best of several runs in one process; prints Markdown tables.
"""

from __future__ import annotations

import resource
import subprocess
import sys
from pathlib import Path

import numpy as np
from timing import best_of, moved_labels

import clustermark as cm

FIRST = "rand adjusted_rand jaccard pair_precision pair_recall f_measure dice tau fowlkes_mallows"
PAIR_INDICES = [cm.find(name) for name in FIRST.split()]


def table_and_pairs(true: object, pred: object) -> list[float]:
    table = cm.crosstab(true, pred)
    return [index.of(table) for index in PAIR_INDICES]


def compare() -> None:
    from jaccard_concentration_index import jaccard_concentration_index as their_jci
    from sklearn.metrics import adjusted_rand_score

    print(f"{len(PAIR_INDICES)} pair indices and their table, against one adjusted_rand_score of scikit-learn\n")
    print("| points | clusters | labels | clustermark | scikit-learn | times faster |")
    print("|---|---|---|---|---|---|")
    for n, k, kind in [
        (100, 5, "int64"),
        (10**7, 10, "int64"),
        (10**7, 1000, "int64"),
        (10**7, 10**6, "int64"),
        (10**6, 1000, "strings"),
    ]:
        true, pred = moved_labels(n, k)
        if kind == "strings":
            true, pred = (np.array([f"c{x}" for x in side], object) for side in (true, pred))
        theirs = best_of(300 if n == 100 else 2, lambda t=true, p=pred: adjusted_rand_score(t, p))
        copying = best_of(5, lambda t=true, p=pred: (t.copy(), p.copy()))
        calls = {kind: table_and_pairs} | ({f"{kind}, adjusted_rand alone": cm.adjusted_rand} if n == 100 else {})
        for labels, call in calls.items():
            ours = best_of(2000 if n == 100 else 7, lambda t=true, p=pred, call=call: call(t, p))
            note = f" ({ours / copying:.1f} × copying both arrays)" if k == 10 else ""
            print(
                f"| {n:,} | {k:,} | {labels} | {ours * 1e3:.3f} ms{note} | {theirs * 1e3:.1f} ms | "
                f"{theirs / ours:.0f} |",
                flush=True,
            )
    true, pred = moved_labels(10**5, 1000)
    ours = best_of(7, lambda: cm.jaccard_concentration_index(true, pred))
    theirs = best_of(1, lambda: their_jci(true, pred))
    print("\nThe Jaccard-Concentration Index, against its package\n")
    print("| points | clusters | clustermark | package | times faster |\n|---|---|---|---|---|")
    print(f"| 100,000 | 1,000 | {ours * 1e3:.1f} ms | {theirs * 1e3:.0f} ms | {theirs / ours:.0f} |")


def linear() -> None:
    print("Nanoseconds a point, int32 labels\n\n| points | K = 10 | K = 1,000 |\n|---|---|---|")
    for n in (10**5, 10**6, 10**7, 10**8):
        costs = []
        for k in (10, 1000):
            true, pred = moved_labels(n, k, np.int32)
            costs.append(best_of(5, lambda t=true, p=pred: table_and_pairs(t, p)) / n * 1e9)
        print(f"| {n:,} | {costs[0]:.2f} | {costs[1]:.2f} |", flush=True)


def memory() -> None:
    print("Peak memory beyond the inputs, int64 labels\n")
    print("| points | clusters | bytes a point |\n|---|---|---|")
    for n, k in [(10**7, 10), (10**7, 1000), (10**7, 10**6)]:
        printed = subprocess.run(
            [sys.executable, __file__, "--peak", str(n), str(k)], check=True, capture_output=True, text=True
        )
        print(f"| {n:,} | {k:,} | {float(printed.stdout):.2f} |", flush=True)


def peak(n: int, k: int) -> None:
    """Print the growth of the peak memory of this new process while the table and all pair indices are computed."""
    true, pred = moved_labels(n, k)
    table_and_pairs(true[:1000], pred[:1000])
    # raise the current use to the peak of making the labels, so that any growth is due to the table
    ballast = np.ones(max(0, peak_kib() - current_kib()) * 128)
    before = peak_kib()
    table_and_pairs(true, pred)
    print((peak_kib() - before) * 1024 / n)
    del ballast  # kept until here


def peak_kib() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def current_kib() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize() // 1024


if __name__ == "__main__":
    if "--peak" in sys.argv:
        peak(*map(int, sys.argv[-2:]))
    elif "--linear" in sys.argv:
        linear()
    elif "--memory" in sys.argv:
        memory()
    else:
        compare()
