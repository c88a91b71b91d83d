"""Calls of the kernel on arrays that a thread, or the progress function, writes to meanwhile.

It runs in a separate process, which ends with 0 if nothing crashed. A call may return any result or refuse; it must not
read or write outside its memory. `python changing_arrays.py SECONDS [NAME …]` tries each case for this long.
"""

from __future__ import annotations

import faulthandler
import sys
import time
from collections.abc import Callable
from threading import Event, Thread
from typing import Any

import numpy as np

from clustermark import _kernel

N = 100_000
FAR = 2**30
Case = tuple[Callable[[], None], Callable[[], Any]]
"""The function that writes to the arrays, and the call that reads them."""


def writing(array: Any, *values: Any, at: int | None = None) -> Callable[[], None]:
    """Return a function that writes values to one element repeatedly; the last value is valid."""
    place = len(array) // 2 if at is None else at

    def write() -> None:
        for value in values:
            array[place] = value

    return write


def labels(n: int, clusters: int, far: int) -> Case:
    """Change labels of which the first is negative, so that no range can be guessed."""
    rng = np.random.default_rng(1)
    one, other = rng.integers(0, clusters, n), rng.integers(0, clusters, n)
    one[0] = -3
    return writing(one, far, 1), lambda: _kernel.crosstab(one, other, None, None, 2)


def pieces() -> Case:
    """Change labels within their range, to another piece of the table."""
    one = np.arange(N)
    return writing(one, N - 1, 0, N // 2), lambda: _kernel.crosstab(one, one, None, None, 2)


def numbers() -> Case:
    counts, weights, codes = np.ones(N, np.int64), np.ones(N), np.arange(N) % 1000

    def write() -> None:
        counts[N // 2], weights[N // 3] = -5, np.nan
        counts[N // 2], weights[N // 3] = 0, 0.0
        counts[N // 2], weights[N // 3] = 1, 1.0

    return write, lambda: _kernel.profile(_kernel.crosstab(codes, codes, counts, weights, 2))


def entries() -> Case:
    rows, counts = np.zeros(N, np.int32), np.ones(N, np.int64)
    return writing(rows, FAR, 0), lambda: _kernel.profile(_kernel.Cells(rows, rows, counts, None, None, 1, 1))


def centers() -> Case:
    X, codes = np.random.default_rng(1).random((N, 4)), np.zeros(N, np.int32)
    return writing(codes, FAR, 0), lambda: _kernel.sum_points(X, codes, None, 5)


def groups() -> Case:
    codes, values = np.zeros(N, np.int64), np.ones(N)
    return writing(codes, 2**40, 0), lambda: _kernel.add_by(codes, values, 1)


def matching() -> Case:
    starts, columns = np.arange(0, N + 1, 5), np.arange(N, dtype=np.int32) % 1000
    return writing(columns, FAR, 0), lambda: _kernel.assign(starts, columns, np.ones(N), 1000)


def tree() -> Case:
    children = np.ravel([[leaf, N + leaf - 2] if leaf > 1 else [0, 1] for leaf in range(1, N)])
    starts = np.arange(0, 2 * N - 1, 2)
    return writing(children, 2**40, int(children[len(children) // 2])), lambda: _kernel.arrange_tree(starts, children)


def collected() -> Case:
    rows, counts = np.arange(N), np.ones(N, np.int64)

    def collect() -> None:
        collector = _kernel.CellCollector(N, 0, N - 1, 0, N - 1)
        adding = [Thread(target=quietly, args=(collector.add, rows, rows, counts)) for _ in range(4)]
        for thread in adding:
            thread.start()
        for thread in adding:
            thread.join()
        ending = [Thread(target=quietly, args=(collector.finish,)) for _ in range(4)]
        for thread in ending:
            thread.start()
        for thread in ending:
            thread.join()

    return writing(rows, 2**31, N // 2), collect


def distances(function: Callable[..., Any], *more: Any) -> Case:
    """Write from the progress function, as a thread would rarely write at the right moment."""
    n = 8000
    X, order, starts = np.random.default_rng(1).random((n, 4)), np.arange(n), np.array([0, n // 2, n])

    def spoil(_: float) -> None:
        order[:], starts[1], X[:] = 2**40, 2**40, np.nan

    def call() -> Any:
        X[:], order[:], starts[1] = 0.5, np.arange(n), n // 2
        X[:, 0] = np.arange(n)
        return function(X, "euclidean", order, starts, *more, progress=spoil)

    return lambda: time.sleep(0.01), call


CASES: dict[str, Callable[[], Case]] = {
    "dense": lambda: labels(N, 10, 10**6),
    "small": lambda: labels(900, 10, 10**8),
    "sparse": lambda: labels(N, N // 2, 4 * 10**9),
    "pieces": pieces,
    "numbers": numbers,
    "entries": entries,
    "centers": centers,
    "groups": groups,
    "matching": matching,
    "tree": tree,
    "collected": collected,
    "sums": lambda: distances(_kernel.sum_distances),
    "tables": lambda: distances(_kernel.tabulate_pairs),
    "density": lambda: distances(_kernel.find_density),
    "reach": lambda: distances(_kernel.span_reachability, 3),
}


def quietly(call: Callable[..., Any], *arguments: Any) -> str:
    """Return the class of the error, if the call refuses."""
    try:
        call(*arguments)
    except (ValueError, RuntimeError, OverflowError, IndexError) as error:
        return type(error).__name__
    return ""


def run(case: Case, seconds: float) -> dict[str, int]:
    """Return the number of calls by how they ended."""
    write, call = case
    end, ended = Event(), dict[str, int]()

    def keep_writing() -> None:
        while not end.is_set():
            write()

    thread = Thread(target=keep_writing, daemon=True)
    thread.start()
    until = time.monotonic() + seconds
    while True:
        how = quietly(call) or "answered"
        ended[how] = ended.get(how, 0) + 1
        if time.monotonic() > until:
            break
    end.set()
    thread.join()
    return ended


if __name__ == "__main__":
    faulthandler.enable()
    for name in sys.argv[2:] or CASES:
        print(name, run(CASES[name](), float(sys.argv[1])), flush=True)  # noqa: T201
