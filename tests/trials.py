"""Random trials for a number of seconds, each with a seed that repeats it, in processes that may crash.

`fuzz.py` and `faults.py` are programs that run such trials:

    python tests/fuzz/fuzz.py SECONDS [NAME …]
    python tests/fuzz/fuzz.py --seed SEED NAME
"""

from __future__ import annotations

import argparse
import faulthandler
import os
import random
import subprocess
import sys
import tempfile
import time
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

Trial: TypeAlias = "Callable[[random.Random], None]"
"""Makes one random case and checks it; an error is a failure."""
GRACE = 300
"""Seconds after which a trial hangs."""


class Run(NamedTuple):
    """The trials of one name, in a process of their own."""

    name: str
    trials: int
    seed: int
    """That of the last trial that began."""
    code: int
    said: str

    def tell(self, program: str) -> str:
        """Return what happened in a line, or how to repeat a failure."""
        if not self.code:
            return f"{self.name}: {self.trials:,} trials"
        how = f"ended with code {self.code}" if self.code > 0 else f"was ended by signal {-self.code}"
        return f"{self.name} {how}; repeat it by: python {program} --seed {self.seed} {self.name}\n{self.said}"


def main(trials: Mapping[str, Trial], arguments: list[str] | None = None) -> int:
    """Run a program of trials; return its exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", nargs="*", help="seconds in all, and names of trials; without names all of them")
    parser.add_argument("--seed", type=int, help="repeat one trial")
    parser.add_argument("--in-process", type=float, help=argparse.SUPPRESS)
    chosen = parser.parse_args(arguments)
    if chosen.in_process is not None:
        return _run_here(trials[chosen.what[0]], chosen.seed, chosen.in_process)
    if chosen.seed is not None:
        for name in chosen.what:
            _try(trials[name], chosen.seed)
        return 0
    seconds = float(chosen.what[0]) if chosen.what else 30.0
    return _run_all(chosen.what[1:] or list(trials), seconds)


def _run_all(names: list[str], seconds: float) -> int:
    """Share the seconds among the trials, on two processors; tell each result."""
    program = sys.argv[0]
    first = random.SystemRandom().randrange(2**40)
    with ThreadPoolExecutor(2) as pool:
        done = list(pool.map(lambda name: _start(program, name, first, 2 * seconds / len(names)), names))
    for one in done:
        print(one.tell(program), flush=True)  # noqa: T201
    return int(any(one.code for one in done))


def _start(program: str, name: str, first: int, seconds: float) -> Run:
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, Path(program).absolute(), "--in-process", str(seconds), "--seed", str(first), name]
        with (Path(folder) / "said").open("w+") as said:
            try:
                code = subprocess.run(
                    command, cwd=folder, stdout=said, stderr=subprocess.STDOUT, timeout=seconds + GRACE, check=False
                ).returncode
            except subprocess.TimeoutExpired:
                code = 124
            said.seek(0)
            last = Path(folder, "seed")
            seed = int(last.read_text()) if last.exists() else first
            return Run(name, seed - first + 1, seed, code, said.read())


def _run_here(trial: Trial, first: int, seconds: float) -> int:
    """Run trials in this process, and note the seed of each before it begins: it may end the process."""
    note = os.open("seed", os.O_WRONLY | os.O_CREAT)
    until = time.monotonic() + seconds
    seed = first
    while True:
        os.pwrite(note, f"{seed:<20}".encode(), 0)
        _try(trial, seed)
        if time.monotonic() > until:
            return 0
        seed += 1


def _try(trial: Trial, seed: int) -> None:
    faulthandler.enable()
    faulthandler.dump_traceback_later(GRACE, exit=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        trial(random.Random(seed))
    faulthandler.cancel_dump_traceback_later()
