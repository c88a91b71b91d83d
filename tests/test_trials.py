"""The runner of fuzzers and faults: failures, crashes and hangs are told with their seeds."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = f"""
import os, signal, sys, time
sys.path.insert(0, {str(Path(__file__).parent)!r})
import trials
trials.GRACE = 2
def wrong(rng): assert rng.random() < 0.5, "this is wrong"
def crash(rng): rng.random() < 0.5 or os.kill(os.getpid(), signal.SIGKILL)
def right(rng): pass
def hang(rng): time.sleep(60)
if __name__ == "__main__":
    sys.exit(trials.main({{"wrong": wrong, "crash": crash, "right": right, "hang": hang}}))
"""


def run(folder, *arguments):
    program = folder / "program.py"
    program.write_text(PROGRAM)
    return subprocess.run(
        [sys.executable, program, *arguments], capture_output=True, text=True, check=False, timeout=60
    )


@pytest.mark.slow
def test_failures_are_told_with_what_repeats_them(tmp_path):
    done = run(tmp_path, "1")
    assert done.returncode == 1
    assert "wrong ended with code 1" in done.stdout
    assert "AssertionError: this is wrong" in done.stdout
    assert "crash was ended by signal 9" in done.stdout
    assert "hang ended with code" in done.stdout
    assert "right: " in done.stdout
    repeat = next(line for line in done.stdout.splitlines() if line.startswith("wrong")).partition("--seed ")[2]
    again = run(tmp_path, "--seed", *repeat.split())
    assert again.returncode == 1
    assert "this is wrong" in again.stderr


@pytest.mark.slow
def test_trials_without_a_failure_end_well(tmp_path):
    done = run(tmp_path, "0.2", "right")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("right: ")
