"""Measure what ids cost in a sweep: records by position, with integer ids, and with text ids.

    python benchmarks/text_ids.py

A million records and a million scored pairs, each case in a process of its own. Prints a Markdown table of processor
time and of the growth of the peak of memory.
"""

from __future__ import annotations

import resource
import subprocess
import sys

import numpy as np

import clustermark as cm

N = 10**6


def measure(kind: str) -> str:
    """Return the row of one kind of ids."""
    import pyarrow as pa

    rng = np.random.default_rng(0)
    label = np.sort(rng.integers(0, N // 3, N))
    left = rng.integers(0, N - 1, N)
    right = np.where(rng.random(N) < 0.7, left + 1, rng.integers(0, N, N))
    score = rng.random(N).round(3)
    names = np.array([f"crm-{number:07}" for number in range(N)], object) if kind == "texts" else np.arange(N)
    truth, pairs, options = label, (left, right, score), {}
    if kind != "positions":
        truth = pa.table({"id": pa.array(names), "entity": label})
        pairs = pa.table({"l": pa.array(names[left]), "r": pa.array(names[right]), "s": score})
        options = {"on": "id"}
    cm.sweep_pairs([0, 0, 1], ([0], [1], [0.5]))  # loads what is loaded on first use
    before = resource.getrusage(resource.RUSAGE_SELF)
    cm.sweep_pairs(truth, pairs, **options)
    after = resource.getrusage(resource.RUSAGE_SELF)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return f"| {kind} | {seconds:.1f} s | {(after.ru_maxrss - before.ru_maxrss) / 1024:.0f} MB |"


def main() -> None:
    """Print the table."""
    print("| ids | processor time | memory |\n|---|---|---|")
    for kind in ("positions", "integers", "texts"):
        print(
            subprocess.run([sys.executable, __file__, kind], capture_output=True, text=True, check=True).stdout.strip()
        )


if __name__ == "__main__":
    if len(sys.argv) > 1:
        print(measure(sys.argv[1]))
    else:
        main()
