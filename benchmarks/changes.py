"""Compare the time of `changes` with that of making the table of the two clusterings, which it needs.

python benchmarks/changes.py           10^7 records in memory, and as Parquet files read by DuckDB
python benchmarks/changes.py 1000000   this many records
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from timing import best_of, entity_labels

import clustermark as cm

RUNS = 4


def ask_all(*sides: Any, **options: Any) -> cm.Changes:
    """Compute the sentences, and the first ten rows of each list."""
    found = cm.changes(*sides, **options)
    found.summary()
    found.events()
    for side in ("before", "after"):
        found.clusters(side)
    return found


def write_files(folder: Path, before: np.ndarray, after: np.ndarray) -> list[str]:
    """Write two files with a common id."""
    import pyarrow as pa
    import pyarrow.parquet

    ids, paths = np.arange(len(before)), []
    for name, labels in (("old", before), ("new", after)):
        paths.append(str(folder / f"{name}.parquet"))
        pyarrow.parquet.write_table(pa.table({"id": ids, "cluster": labels}), paths[-1])
    return paths


if __name__ == "__main__":
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 10**7
    before, after = entity_labels(n)
    ask_all(before[:1000], after[:1000])  # imports
    found = ask_all(before, after)
    print(f"{n:,} records, {found.table.n_cells:,} cells; {found.affected:,} records affected\n")
    print("| where | table, s | changes, s | ratio |\n|---|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as folder:
        files = write_files(Path(folder), before, after)
        for where, sides, options in (("in memory", (before, after), {}), ("Parquet, DuckDB", files, {"on": "id"})):
            table = all_of_it = float("inf")
            for _ in range(RUNS):  # alternately, because the load of the machine may vary
                table = min(
                    table, best_of(1, lambda sides=sides, options=options: cm.crosstab(*sides, **options).n_cells)
                )
                all_of_it = min(all_of_it, best_of(1, lambda sides=sides, options=options: ask_all(*sides, **options)))
            print(f"| {where} | {table:.2f} | {all_of_it:.2f} | {all_of_it / table:.1f} |")
    spent = time.process_time()
    cm.relabel(after, like=before)
    print(f"\n`relabel` of {n:,} records: {time.process_time() - spent:.1f} s of processor time")
