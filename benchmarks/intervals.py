"""Compare the time of intervals with that of scores, and the time of half-samples with that of resampled points.

    python benchmarks/intervals.py              10^7 points
    python benchmarks/intervals.py 1000000      fewer

Times are processor seconds of this process, the least of several runs; prints Markdown tables.
"""

from __future__ import annotations

import sys
from functools import partial
from time import process_time
from typing import TYPE_CHECKING

import numpy as np
from timing import moved_labels

import clustermark as cm
from clustermark.uncertainty.interval import IntervalRequest
from clustermark.uncertainty.limits import make_intervals
from clustermark.uncertainty.samples import PointSample
from clustermark.uncertainty.spread import half_sample_scores

if TYPE_CHECKING:
    from collections.abc import Callable

PANEL = [index for index in cm.catalogue() if index.panel]
SLOW = ("adjusted_mutual_information", "matching_accuracy")


def least(run: Callable[[], object], times: int = 3) -> float:
    """Return the processor seconds of the fastest run."""
    seconds = []
    for _ in range(times):
        began = process_time()
        run()
        seconds.append(process_time() - began)
    return min(seconds)


def against_scores(n: int) -> None:
    """Compare intervals of the panel with its scores, both from labels; and of single indices from a table."""
    true, pred = moved_labels(n, 1_000)

    def score(indices: list) -> None:
        table = cm.crosstab(true, pred)
        for index in indices:
            index.of(table)

    def intervals() -> None:
        table = cm.crosstab(true, pred)
        make_intervals(table, PANEL, IntervalRequest())

    table = cm.crosstab(true, pred)
    make_intervals(table, PANEL, IntervalRequest())  # imports
    print(f"{n:,} points, K = 1,000, {table.n_cells:,} cells\n")
    print("| | scores | intervals beside them | ratio |\n|---|---|---|---|")
    scores, both = least(lambda: score(PANEL)), least(intervals)
    print(f"| panel of {len(PANEL)} | {scores:.3f} s | {both - scores:.3f} s | {(both - scores) / scores:.1f} |")
    for name in SLOW:
        index = cm.find(name)
        tables = [cm.crosstab(true, pred) for _ in range(3)]  # each table caches its results
        alone = min(least(partial(index.of, table), 1) for table in tables)
        more = min(least(partial(make_intervals, table, [index], IntervalRequest()), 1) for table in tables)
        print(f"| {name} | {alone:.3f} s | {more:.3f} s | {more / alone:.1f} |")


def against_points(n: int) -> None:
    """Compare half-samples of the panel without AMI with resampled points and one adjusted Rand index."""
    from sklearn.metrics import adjusted_rand_score

    true, pred = moved_labels(n, 100)
    table = cm.crosstab(true, pred)
    indices = [index for index in PANEL if index.name != SLOW[0]]
    ours = least(lambda: half_sample_scores(PointSample(table), indices, 100, 0), 2) / 100
    rng = np.random.default_rng(0)

    def resample() -> None:
        places = rng.integers(0, n, n)
        adjusted_rand_score(true[places], pred[places])

    theirs = least(resample, 2)
    print(
        f"\n{n:,} points, K = 100: a half-sample with {len(indices)} scores {1e3 * ours:.2f} ms, resampled points with "
    )
    print(f"scikit-learn's adjusted Rand index {1e3 * theirs:.0f} ms: {theirs / ours:.0f} times as much")


if __name__ == "__main__":
    size = int(sys.argv[1]) if len(sys.argv) > 1 else 10**7
    against_scores(size)
    against_points(size)
