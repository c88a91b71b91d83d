"""Compare evaluations of files larger than memory with the bare GROUP BY of DuckDB, and with other tools.

python benchmarks/engines.py [FOLDER] [--rows 100000000]      10^8 rows of Parquet under a limit of 4 GB
python benchmarks/engines.py [FOLDER] --instead               10^7 rows: scikit-learn, er-evaluation
python benchmarks/engines.py [FOLDER] --spark                 10^7 rows: Spark on this machine
python benchmarks/engines.py [FOLDER] --billion               10^9 rows, and 3·10^8 of entity resolution, under 8 GB:
                                                              the panel; 14 GB of files, ten minutes and more

Every run is a new process, so that its peak memory is measured separately; times are the best of several runs in turn.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import resource
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

MEMORY, THREADS = os.environ.get("CLUSTERMARK_BENCHMARK_MEMORY", "4GB"), 2
PROFILE = "pair_precision pair_recall dice jaccard adjusted_rand normalized_mutual_information v_measure purity"
PROFILE += " adjusted_mutual_information variation_of_information b_cubed_precision b_cubed_recall inverse_purity muc_f"
FAMILIES = PROFILE + " jaccard_concentration max_jaccard best_f average_f1 cluster_precision element_centric"

MOVED = (
    "SELECT CAST(hash(i) % 1000000 AS BIGINT) AS t, CASE WHEN hash(i * 7 + 1) % 100 < {percent} "
    "THEN CAST(hash(i * 13) % 1000000 AS BIGINT) ELSE CAST(hash(i) % 1000000 AS BIGINT) END AS p FROM range({n}) r(i)"
)
SHAPES = {
    "k6": MOVED.replace("{percent}", "10"),
    "m20": MOVED.replace("{percent}", "20"),
    # 0.4 clusters a row; 8% of the clusters split, 10% merged, 3% of the points moved
    "er": "SELECT t, CASE WHEN hash(i * 3 + 1) % 100 < 3 THEN CAST(hash(i * 5) % {k} AS BIGINT) "
    "WHEN hash(t * 11) % 100 < 8 AND i % 2 = 0 THEN t + {k} WHEN hash(t * 17) % 100 < 10 THEN (t // 2) * 2 "
    "ELSE t END AS p FROM (SELECT i, CAST(hash(i) % {k} AS BIGINT) AS t FROM range({n}) r(i))",
}


def make(path: Path, shape: str, n: int) -> None:
    import duckdb

    sql = SHAPES[shape].format(n=n, k=int(0.4 * n))
    duckdb.sql(f"COPY ({sql}) TO '{path}'")


def made(folder: str, shape: str, rows: int) -> Path:
    """Return the file of a shape, and write it if it does not exist yet."""
    path = Path(folder) / f"clustermark-{shape}-{rows}.parquet"
    if not path.exists():
        make(path, shape, rows)
    return path


SPILL = Path(tempfile.gettempdir()) / f"clustermark-spill-{os.getpid()}"


def spilled(over: threading.Event, most: list[int]) -> None:
    """Measure from time to time the size of the folder for spilled data."""
    while not over.wait(0.1):
        with contextlib.suppress(OSError):  # a file may be deleted meanwhile
            most[0] = max(most[0], sum(file.stat().st_size for file in SPILL.rglob("*") if file.is_file()))


def bare(path: str) -> None:
    import duckdb

    with tempfile.TemporaryDirectory(dir=SPILL) as folder, duckdb.connect() as connection:
        for setting in (f"memory_limit = '{MEMORY}'", f"threads = {THREADS}", f"temp_directory = '{folder}'"):
            connection.execute(f"SET {setting}")
        connection.execute(f"CREATE TEMPORARY TABLE x AS SELECT t, p, COUNT(*) AS n FROM '{path}' GROUP BY t, p")


def scored(path: str, indices: str | None, **options: object) -> dict[str, float]:
    import clustermark as cm

    if "engine" not in options:
        options = {"memory": MEMORY, "threads": THREADS, "temporary": str(SPILL), **options}
    return cm.evaluate(path, indices=indices and indices.split(), true="t", pred="p", **options).to_dict()


def by_spark(path: str, **conf: str) -> None:
    options = {"master": "local[2]", "conf": conf}
    scored(path, FAMILIES, engine="spark", engine_options=options, push_down=True)


def by_sklearn(path: str) -> None:
    import pyarrow.parquet as pq
    from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

    table = pq.read_table(path)
    t, p = table["t"].to_numpy(), table["p"].to_numpy()
    adjusted_rand_score(t, p)
    normalized_mutual_info_score(t, p)


def by_er_evaluation(path: str) -> None:
    import er_evaluation as ee
    import pandas as pd

    table = pd.read_parquet(path)
    t, p = table["t"], table["p"]
    ee.pairwise_precision(p, t)
    ee.b_cubed_precision(p, t)
    ee.b_cubed_recall(p, t)


RUNS = {
    "bare GROUP BY": bare,
    "profile's indices": lambda path: scored(path, PROFILE),
    "with JCI and set matching": lambda path: scored(path, FAMILIES),
    "profile's indices, cells in the engine": lambda path: scored(path, PROFILE, push_down=True),
    "with JCI and set matching, cells in the engine": lambda path: scored(path, FAMILIES, push_down=True),
    "the panel": lambda path: scored(path, None),
    "Spark local[2], its start included": by_spark,
    "the same, 200 shuffle partitions": lambda path: by_spark(path, **{"spark.sql.shuffle.partitions": "200"}),
    "scikit-learn: ARI, NMI": by_sklearn,
    "er-evaluation: pairwise precision, B-cubed": by_er_evaluation,
}


def measured(name: str, path: Path) -> tuple[float, float, float]:
    """Return the seconds of the work without imports, and the peak memory and the spilled data in GiB."""
    done = subprocess.run([sys.executable, __file__, "--one", name, str(path)], check=True, capture_output=True)
    seconds, peak, disk = json.loads(done.stdout.splitlines()[-1])
    return seconds, peak, disk


def one(name: str, path: str) -> None:
    import duckdb  # noqa: F401

    import clustermark  # noqa: F401

    if "scikit" in name:
        import sklearn.metrics  # noqa: F401
    if "er-" in name:
        import er_evaluation  # noqa: F401
    SPILL.mkdir()
    over, most = threading.Event(), [0]
    watcher = threading.Thread(target=spilled, args=(over, most))
    watcher.start()
    try:
        start = time.perf_counter()
        RUNS[name](path)
        seconds = time.perf_counter() - start
    finally:
        over.set()
        watcher.join()
        SPILL.rmdir()  # fails if files are left in it
    print(json.dumps([seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20, most[0] / 2**30]))


def compare(path: Path, names: list[str], base: str, runs: int) -> None:
    best: dict[str, tuple[float, float, float]] = {}
    for _ in range(runs):
        for name in names:
            seconds, peak, disk = measured(name, path)
            before = best.get(name, (float("inf"), 0.0, 0.0))
            best[name] = min(before[0], seconds), max(before[1], peak), max(before[2], disk)
    print(f"\n{path.name}\n\n| run | seconds | times {base} | peak GiB | spilled GiB |\n|---|---|---|---|---|")
    for name, (seconds, peak, disk) in best.items():
        print(f"| {name} | {seconds:.2f} | {seconds / best[base][0]:.2f} | {peak:.2f} | {disk:.2f} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", nargs="?", default=tempfile.gettempdir())
    parser.add_argument("--rows", type=int, default=10**8)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--instead", action="store_true")
    parser.add_argument("--spark", action="store_true")
    parser.add_argument("--billion", action="store_true")
    parser.add_argument("--one", nargs=2)
    options = parser.parse_args()
    if options.one:
        one(*options.one)
        return
    if options.billion:
        os.environ["CLUSTERMARK_BENCHMARK_MEMORY"] = "8GB"
        for shape, rows in (("m20", 10**9), ("er", 3 * 10**8)):
            path = made(options.folder, shape, rows)
            compare(path, ["bare GROUP BY", "the panel"], "bare GROUP BY", options.runs)
        return
    rows = 10**7 if options.instead or options.spark else options.rows
    ours = ["profile's indices", "with JCI and set matching"]
    for shape in ("k6", "er"):
        path = made(options.folder, shape, rows)
        if options.spark:
            spark = ["Spark local[2], its start included", "the same, 200 shuffle partitions"]
            compare(path, [ours[1], *spark], ours[1], options.runs)
        elif options.instead:
            others = ["scikit-learn: ARI, NMI", "er-evaluation: pairwise precision, B-cubed"]
            compare(path, [ours[1], *others], ours[1], options.runs)
        else:
            pushed = [f"{name}, cells in the engine" for name in ours]
            compare(path, ["bare GROUP BY", *ours, *pushed], "bare GROUP BY", options.runs)


if __name__ == "__main__":
    main()
