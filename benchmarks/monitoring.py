"""Simulate false alarms of `monitor` over 20 releases without a change, with 80 documents each.

    python benchmarks/monitoring.py                 # 1,500 series

Prints, in per cent, in how many series some look shows a change in either direction, and how many plain intervals do.
"""

from __future__ import annotations

import argparse

import numpy as np

import clustermark as cm

LOOKS, DOCUMENTS = 20, 80


def simulate(series: int, **how: str) -> tuple[float, float]:
    """Return the share of series with a false alarm, and with a plain interval that excludes 0."""
    rng = np.random.default_rng(1)
    alarms, plain = [], []
    for _ in range(series):
        differences = rng.beta(2, 5, (LOOKS, DOCUMENTS)) - rng.beta(2, 5, (LOOKS, DOCUMENTS))
        errors = differences.std(axis=1, ddof=1) / DOCUMENTS**0.5
        given = [(*both, DOCUMENTS - 1) for both in zip(differences.mean(1).tolist(), errors.tolist(), strict=True)]
        looks = cm.monitor(given, **how).looks  # type: ignore[arg-type]
        alarms.append(any(one.decision != "not clear" for one in looks))
        plain.append(any(one.naive_low > 0 or one.naive_high < 0 for one in looks))
    return float(np.mean(alarms)), float(np.mean(plain))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--series", type=int, default=1_500)
    given = parser.parse_args()
    print("| limits | series | false alarms | by plain intervals |\n|---|---|---|---|")
    for n, how in (
        (given.series, {}),
        (given.series, {"about": "release"}),
        (given.series // 15, {"method": "obrien_fleming"}),  # its limits take longer
        (given.series // 15, {"method": "pocock"}),
    ):
        alarms, plain = simulate(n, **how)
        said = ", ".join(how.values()) or "sequence"
        print(f"| {said} | {n:,} | {100 * alarms:.1f} | {100 * plain:.1f} |", flush=True)
