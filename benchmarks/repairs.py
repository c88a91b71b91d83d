"""Compare the time of the first repairs of many records with that of making their table.

    python benchmarks/repairs.py [records]

Records are as in entity resolution: true clusters of about 2.5, some of them split and merged. Seconds are the best of
three; the factor is the ratio to making the table from integer labels in the same run.
"""

from __future__ import annotations

import sys
from time import perf_counter
from typing import TYPE_CHECKING

import numpy as np

from clustermark import crosstab
from clustermark.diagnosis.repairs import Repairs

if TYPE_CHECKING:
    from collections.abc import Callable


def make_labels(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Return true labels of n records, and predicted labels that split and merge some of the clusters."""
    random = np.random.default_rng(0)
    true = random.integers(0, int(n / 2.5), n)
    pred = np.where(random.random(n) < 0.1, true + n, true)  # split off
    merged = random.random(2 * n) < 0.05
    pred = np.where(merged[pred], pred // 2, pred)
    return true, pred


def best_of(times: int, run: Callable[[], object]) -> float:
    """Return the least seconds of several runs."""
    taken = []
    for _ in range(times):
        start = perf_counter()
        run()
        taken.append(perf_counter() - start)
    return min(taken)


def main() -> None:
    """Print the factors."""
    n = int(float(sys.argv[1])) if len(sys.argv) > 1 else 10_000_000
    true, pred = make_labels(n)
    table = crosstab(true, pred)
    print(f"{n:,} records, {table.n_true_clusters:,} true and {table.n_pred_clusters:,} predicted clusters")
    made = best_of(3, lambda: crosstab(true, pred))
    print(f"table                          {made:7.2f} s")
    for by in ("wrong_pairs", "adjusted_rand"):
        taken = best_of(3, lambda by=by: Repairs.of(crosstab(true, pred), 1_000, by))  # the table is made anew
        print(f"1,000 repairs by {by:<13} {taken - made:7.2f} s  {(taken - made) / made:5.1f} times")


if __name__ == "__main__":
    main()
