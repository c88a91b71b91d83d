"""Compare the program on 10^7 rows of Parquet and 10^6 clusters with the bare GROUP BY of DuckDB, as whole processes.

python benchmarks/program.py [FOLDER]

Processor seconds, of all threads together, are the fairer measure on a busy machine.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import engines

BARE = "import duckdb; duckdb.sql(\"CREATE TEMP TABLE x AS SELECT t, p, COUNT(*) AS n FROM '{}' GROUP BY t, p\")"


def seconds(arguments: list[str]) -> tuple[float, float]:
    """Return wall-clock and processor seconds."""
    start, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.perf_counter() - start, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


if __name__ == "__main__":
    path = Path(sys.argv[1] if len(sys.argv) > 1 else tempfile.gettempdir()) / "clustermark-k6-10000000.parquet"
    if not path.exists():
        engines.make(path, "k6", 10**7)
    commands = {
        "bare GROUP BY": ["-c", BARE.format(path)],
        "clustermark score": ["-m", "clustermark", "score", str(path), "--true", "t", "--pred", "p"],
    }
    runs = [[seconds(arguments) for arguments in commands.values()] for _ in range(5)]
    best = [[min(times) for times in zip(*taken, strict=True)] for taken in zip(*runs, strict=True)]
    print(
        "| command | seconds | times bare GROUP BY | processor seconds | times bare GROUP BY |\n|---|---|---|---|---|"
    )
    for command, (clock, work) in zip(commands, best, strict=True):
        print(f"| {command} | {clock:.2f} | {clock / best[0][0]:.2f} | {work:.2f} | {work / best[0][1]:.2f} |")
