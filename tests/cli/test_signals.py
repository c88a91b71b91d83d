"""Signals end the program, and what the library does, at once and leave nothing behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest

from needs import need
from program import command, write_csv

duckdb = need("duckdb")
SOON = 10
"""Seconds: a busy machine may take so long to end what would go on for minutes."""

SETUP = """
import sys, numpy as np, clustermark as cm
from clustermark import _kernel
def begin(): print("begun", flush=True)
"""
WORK = {
    "a crosstab": """
a = np.broadcast_to(np.int64(3), 3 * 10**10)
begin(); _kernel.crosstab(a, a)
""",
    "expected mutual information": """
sizes = [(size, 1) for size in range(1, 40_000)]
begin(); _kernel.expected_mutual_information(sizes, sizes)
""",
    "the variance of mutual information": """
sizes = [(size, 1) for size in range(1, 300)]
begin(); _kernel.mutual_information_variance(sizes, sizes, 1e18)
""",
    "random tables": """
begin(); _kernel.sample_mutual_information([(1000, 10**3)], [(10, 10**5)], 10**6, 1)
""",
    "random tables of few clusters": """
begin(); _kernel.sample_mutual_information([(10**6, 4)], [(10**6, 4)], 10**8, 1)
""",
    "an assignment": """
from clustermark.statistics.solvers import largest_assignment
n = 5000
rows, columns = np.divmod(np.arange(n * n), n)
worths = np.random.default_rng(0).integers(1, 2**40, n * n).astype(float)
begin(); largest_assignment(rows, columns, worths)
""",
    "an assignment of few cells": """
n = 30_000
starts = np.arange(0, 200 * n + 1, 200)
columns = np.random.default_rng(0).integers(0, n, 200 * n).astype(np.int32)
worths = np.random.default_rng(1).integers(1, 2**50, 200 * n).astype(float)
begin(); _kernel.assign(starts, columns, worths, n)
""",
    "a query of DuckDB": """
import duckdb
connection = duckdb.connect()
begin()
cm.crosstab((connection, "SELECT i AS t, j AS p FROM range(10000000) a(i), range(10000000) b(j)"), true="t", pred="p")
""",
    "a query of SQLite": """
import sqlite3
count = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i AS t, i AS p FROM n"
begin(); cm.crosstab((sqlite3.connect(":memory:"), count), true="t", pred="p")
""",
    "a query of Polars": """
import polars as pl
frame = pl.LazyFrame({"i": range(10**5)})
begin(); cm.crosstab(frame.join(frame.rename({"i": "j"}), how="cross"), true="i", pred="j", engine="polars")
""",
    "a query of DataFusion": """
import datafusion
frame = datafusion.SessionContext().sql("SELECT a.value AS t, b.value AS p FROM range(10000000) a, range(10000000) b")
begin(); cm.crosstab(frame, true="t", pred="p")
""",
}


def interrupt(code: str, number: int = signal.SIGINT, wait: float = 1.0) -> tuple[int, str]:
    """Return the result of a program that gets a signal a while after it has begun."""
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        try:
            assert process.stdout.readline() == "begun\n", process.stderr.read()
            time.sleep(wait)
            assert process.poll() is None, process.stderr.read()
            process.send_signal(number)
            process.wait(timeout=SOON)
        finally:
            process.kill()
        return process.returncode, process.stderr.read()


@pytest.mark.parametrize("what", WORK)
def test_control_c_ends_long_work(what):
    for package in ("polars", "datafusion"):
        if package in WORK[what]:
            need(package)
    code, said = interrupt(SETUP + WORK[what])
    assert code in (-signal.SIGINT, 130), (code, said)
    assert said.splitlines()[-1].startswith("KeyboardInterrupt"), said


def test_work_goes_on_where_a_handler_says_so():
    code = SETUP + (
        "import signal; signal.signal(signal.SIGINT, lambda *_: None)\n"
        "sizes = [(size, 1) for size in range(1, 3000)]; begin()\n"
        "_kernel.expected_mutual_information(sizes, sizes); sys.exit(7)"
    )
    assert interrupt(code, wait=0.3)[0] == 7


def test_a_handler_that_raises_something_else_is_heard():
    code = SETUP + (
        "import signal\ndef handle(*_): sys.exit(9)\nsignal.signal(signal.SIGTERM, handle)\n"
        + WORK["expected mutual information"]
    )
    assert interrupt(code, signal.SIGTERM)[0] == 9


def test_a_connection_can_be_used_after_control_c(tmp_path):
    code = """
import duckdb, sqlite3, clustermark as cm
def begin(): print("begun", flush=True)
duck = duckdb.connect()
begin()
try:
    cm.crosstab((duck, "SELECT i AS t, j AS p FROM range(10000000) a(i), range(10000000) b(j)"), true="t", pred="p")
except KeyboardInterrupt:
    assert duck.execute("SELECT 7").fetchall() == [(7,)]
    assert duck.execute("SELECT count(*) FROM duckdb_tables() WHERE temporary").fetchall() == [(0,)]
    raise
"""
    _, said = interrupt(code)
    assert "AssertionError" not in said
    assert said.splitlines()[-1].startswith("KeyboardInterrupt"), said


def long_query(tmp_path, *arguments: str) -> subprocess.Popen[bytes]:
    """The program in the middle of a query that takes minutes, with a folder of its own for what is temporary."""
    spill = tmp_path / "temporary"
    spill.mkdir(exist_ok=True)
    code = (
        "import signal; signal.signal(signal.SIGHUP, signal.SIG_DFL)\n"  # these tests may run under nohup
        "from clustermark.cli import main; from clustermark.engines.adapters.duckdb import DuckDB\n"
        "fetch = DuckDB.fetch\n"
        "def slow(engine, sql):\n"
        "    print('begun', flush=True)\n"
        "    return fetch(engine, 'SELECT COUNT(*) AS n FROM range(9999999) a(i), range(9999999) b(j) WHERE i < j')\n"
        f"DuckDB.fetch = slow; main(['score', {str(write_csv(tmp_path / 'x.csv', 't,p', [(1, 2)]))!r}, *{arguments!r}])"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "TMPDIR": str(spill)},
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"begun\n"
    time.sleep(0.5)
    return process


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)], ids=lambda x: str(int(x))
)
def test_a_signal_in_the_middle_of_a_query_leaves_nothing(tmp_path, number, code):
    with long_query(tmp_path) as process:
        assert list((tmp_path / "temporary").glob("clustermark-*"))
        process.send_signal(number)
        assert process.wait(timeout=SOON) == code
        assert process.stderr is not None
        assert process.stderr.read() == b""
    assert list((tmp_path / "temporary").iterdir()) == []


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_while_standard_input_is_read_leaves_nothing(tmp_path, number):
    with subprocess.Popen(
        [*command(), "score", "-"],
        stdin=subprocess.PIPE,
        env={**os.environ, "TMPDIR": str(tmp_path)},
        preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL),  # these tests may run under nohup
    ) as process:
        while not list(tmp_path.glob("clustermark-*/raw")):
            time.sleep(0.02)
        process.send_signal(number)
        assert process.wait(timeout=SOON) == 128 + number
    assert list(tmp_path.iterdir()) == []


def test_nohup_is_respected(tmp_path):
    """A signal that was ignored when the program began stays so."""
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    with subprocess.Popen(
        [*command(), "score", "-"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=environment,
        preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN),
    ) as process:
        while not list(tmp_path.glob("clustermark-*/raw")):
            time.sleep(0.02)
        process.send_signal(signal.SIGHUP)
        shown, _ = process.communicate(b"t,p\n1,1\n", timeout=60)
    assert process.returncode == 0
    assert b"adjusted_rand" in shown


def test_the_library_leaves_nothing_at_its_end(tmp_path):
    file = write_csv(tmp_path / "x.csv", "t,p", [(1, 2), (1, 2), (2, 2)])
    spill = tmp_path / "temporary"
    spill.mkdir()
    code = f"""
import clustermark as cm, os, sys
table = cm.crosstab({str(file)!r}, true="t", pred="p", push_down=True)
held = cm.evaluate("/dev/stdin", true="t", pred="p")
assert len(os.listdir({str(spill)!r})) == 2
sys.exit(3)
"""
    done = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, "TMPDIR": str(spill)}, input=file.read_bytes(), timeout=60
    )
    assert done.returncode == 3
    assert list(spill.iterdir()) == []
