"""The whole program on 10^7 rows of Parquet and 10^6 clusters, beside the bare GROUP BY of DuckDB: processes, in turn.

python benchmarks/program.py [FOLDER]
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

import engines

BARE = "import duckdb; duckdb.sql(\"CREATE TEMP TABLE x AS SELECT t, p, COUNT(*) AS n FROM '{}' GROUP BY t, p\")"


def seconds(arguments: list[str]) -> float:
    start = time.perf_counter()
    subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.perf_counter() - start


if __name__ == "__main__":
    path = Path(sys.argv[1] if len(sys.argv) > 1 else tempfile.gettempdir()) / "clustermark-k6-10000000.parquet"
    if not path.exists():
        engines.make(path, "k6", 10**7)
    commands = {
        "bare GROUP BY": ["-c", BARE.format(path)],
        "clustermark score": ["-m", "clustermark", "score", str(path), "--true", "t", "--pred", "p"],
    }
    runs = [[seconds(arguments) for arguments in commands.values()] for _ in range(5)]
    best = dict(zip(commands, (min(times) for times in zip(*runs, strict=True)), strict=True))
    print("| command | seconds | times bare GROUP BY |\n|---|---|---|")
    for command, taken in best.items():
        print(f"| {command} | {taken:.2f} | {taken / best['bare GROUP BY']:.2f} |")
