"""Count the files, functions, calls and hops of a public function: `python tools/journeys.py [NAME …] [--hops]`.

Each call runs once to import and to fill caches, and is counted the second time. A hop is a call from a function of one
file of the package to a function of another. `--hops` also prints the pairs of files with most hops.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections import Counter
from contextlib import redirect_stderr, redirect_stdout, suppress
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import clustermark as cm

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import CodeType, FrameType

PACKAGE = str(Path(cm.__file__).parent)
COMPANIES = Path(__file__).parent.parent / "examples" / "data" / "companies"
_MOST_SHOWN = 20


class Journey:
    """The calls of functions of the package during one call, counted by a profile hook."""

    def __init__(self) -> None:
        self.files: set[str] = set()
        self.functions: set[CodeType] = set()
        self.hops: Counter[tuple[str, str]] = Counter()
        self.calls = self.depth = 0
        self._stack: list[str] = []

    def __call__(self, frame: FrameType, event: str, _: Any) -> None:
        """Record a call of a function of the package, or its return."""
        file = frame.f_code.co_filename
        if not file.startswith(PACKAGE) or event not in ("call", "return"):
            return
        if event == "return":
            if self._stack:
                self._stack.pop()
            return
        self.files.add(file)
        self.functions.add(frame.f_code)
        self.calls += 1
        if self._stack and self._stack[-1] != file:
            self.hops[self._stack[-1], file] += 1
        self._stack.append(file)
        self.depth = max(self.depth, len(self._stack))

    @property
    def counts(self) -> list[int]:
        """Files, functions, calls, hops and depth."""
        return [len(self.files), len(self.functions), self.calls, self.hops.total(), self.depth]


def count(make: Callable[[], object]) -> Journey:
    """Return the counts of a call, which is made once before to fill caches."""
    make()
    journey = Journey()
    sys.setprofile(journey)
    try:
        make()
    finally:
        sys.setprofile(None)
    return journey


def _labels(n: int = 600) -> tuple[list[int], dict[str, list[int]]]:
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 12, n)
    noisy = (np.where(rng.random(n) < share, rng.integers(0, 12, n), truth) for share in (0.05, 0.1, 0.2, 0.4, 0.8))
    return truth.tolist(), {f"method {place}": labels.tolist() for place, labels in enumerate(noisy)}


def _evaluate() -> object:
    truth, predictions = _labels()
    return str(cm.evaluate(truth, predictions["method 1"]))


def _push_down() -> object:
    return str(cm.evaluate(str(FOLDER / "labels.csv"), true="truth", pred="pred", push_down=True))


def _report() -> object:
    from clustermark.cli import main

    files = [str(COMPANIES / name) for name in ("truth.csv", "by_grams.csv")]
    page = ["-o", str(FOLDER / "page.html"), "--force"]
    with redirect_stdout(StringIO()), redirect_stderr(StringIO()), suppress(SystemExit):
        main(["report", *files, "--on", "id", "--records", str(COMPANIES / "records.csv"), *page])
    return None


def _compare() -> object:
    truth, predictions = _labels()
    return str(cm.compare(truth, predictions))


def _evaluate_internal() -> object:
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 4, 300)
    points = rng.normal(size=(300, 4)) + labels[:, None]
    return str(cm.evaluate_internal(points, labels))


def _sweep_pairs() -> object:
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 200, 600)
    left, right = rng.integers(0, 600, (2, 3_000))
    scores = np.round(0.5 * rng.random(3_000) + 0.5 * (truth[left] == truth[right]), 3)
    found = cm.sweep_pairs(truth, (left, right, scores))
    return str(found), found.best("dice")


JOURNEYS: dict[str, Callable[[], object]] = {
    "jaccard": lambda: cm.jaccard([0, 0, 1, 1], [0, 0, 1, 2]),
    "evaluate": _evaluate,
    "push-down": _push_down,
    "report": _report,
    "compare": _compare,
    "silhouette": lambda: cm.silhouette([[0.0], [1.0], [5.0], [6.0]], [0, 0, 1, 1]),
    "evaluate_internal": _evaluate_internal,
    "sweep_pairs": _sweep_pairs,
}


def print_hops(journey: Journey) -> None:
    """Print the pairs of files with most hops."""
    for (caller, called), n in journey.hops.most_common(_MOST_SHOWN):
        print(f"    {n:>8,}  {os.path.relpath(caller, PACKAGE)} -> {os.path.relpath(called, PACKAGE)}")


if __name__ == "__main__":
    wanted = [name for name in sys.argv[1:] if not name.startswith("-")] or list(JOURNEYS)
    with tempfile.TemporaryDirectory() as folder:
        FOLDER = Path(folder)
        truth, predictions = _labels()
        rows = zip(truth, predictions["method 1"], strict=True)
        (FOLDER / "labels.csv").write_text("truth,pred\n" + "".join(f"{a},{b}\n" for a, b in rows))
        print("| journey | files | functions | calls | hops | depth |\n|---|---|---|---|---|---|")
        for name in wanted:
            journey = count(JOURNEYS[name])
            print(f"| {name} | {' | '.join(f'{n:,}' for n in journey.counts)} |", flush=True)
            if "--hops" in sys.argv:
                print_hops(journey)
