"""Score the points of a Parquet file in batches and at once: seconds, and the peak memory of each process.

python benchmarks/internal_batches.py [POINTS]
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

import duckdb
from timing import peak_gib

import clustermark as cm

FEATURES = 16
INDICES = ["calinski_harabasz", "davies_bouldin", "simplified_silhouette", "det_ratio"]


def write(file: Path, points: int) -> None:
    """Write ten clusters far from the origin, in parts that fit into memory."""
    columns = ", ".join(f"1e9 + sin(i * {j + 1}) * 3 + (i % 10) * {j % 3} AS x{j}" for j in range(FEATURES))
    sql = f"SELECT i % 10 AS cluster, {columns} FROM range({points}) t(i)"
    duckdb.sql(f"COPY ({sql}) TO '{file}' (FORMAT parquet)")


def score(file: str, how: str) -> None:
    """Run one way, in this new process."""
    begun = time.perf_counter()
    options = {"batch": 100_000, "memory": "400MB"} if how == "batches" else {}
    scores = cm.evaluate_internal(file, "cluster", INDICES, features="x*", **options)
    print(
        f"| {how} | {time.perf_counter() - begun:.1f} | {peak_gib():.2f} | "
        + " | ".join(f"{scores[name]:.13g}" for name in INDICES)
        + " |"
    )


def main(points: int) -> None:
    """Run both ways."""
    print(f"{points:,} points of {FEATURES} features: {points * FEATURES * 8 / 2**30:.2f} GiB in memory\n")
    print(f"| read | seconds | peak GiB | {' | '.join(INDICES)} |\n|---|---|---|{'---|' * len(INDICES)}")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "points.parquet"
        write(file, points)
        for how in ("at once", "batches"):
            subprocess.run([sys.executable, __file__, "--score", str(file), how], check=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--score"]:
        score(*sys.argv[2:4])
    else:
        main(int(sys.argv[1]) if len(sys.argv) > 1 else 4_000_000)
