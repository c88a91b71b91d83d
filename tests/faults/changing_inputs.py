"""Calls of public functions on data that other threads, or the labels themselves, change meanwhile.

It runs in a separate process, which ends with 0 if nothing crashed. A call may return any result or refuse; it must not
read or write outside its memory. `python changing_inputs.py SECONDS [NAME …]` tries each case for this long.
"""

from __future__ import annotations

import faulthandler
import sys
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
from changing_arrays import Case, run

if TYPE_CHECKING:
    from collections.abc import Callable
from scipy import sparse

import clustermark as cm

N = 20_000
CLUSTERS = 50
INDICES = ["adjusted_rand", "b_cubed_f"]


def writing(*pairs: tuple[Any, Any]) -> Callable[[], None]:
    """Return a function that fills each array with bad values and then with its own, without the interpreter lock."""
    good = [array.copy() for array, _ in pairs]

    def write() -> None:
        for (array, bad), own in zip(pairs, good, strict=True):
            np.copyto(array, bad)
            np.copyto(array, own)

    return write


LABELS: dict[str, tuple[Any, Any]] = {
    "int64": (np.int64, 2**40),
    "int8": (np.int8, -100),
    "float": (np.float64, np.nan),
    "bool": (np.bool_, np.uint8(255)),
    "text": ("U3", "zzz"),
    "date": ("M8[D]", np.datetime64("NaT")),
    "object": (object, "other"),
}
CALLS: dict[str, Callable[[Any, Any], Any]] = {
    "crosstab": lambda a, b: cm.crosstab(a, b, missing="singletons"),
    "evaluate": lambda a, b: cm.evaluate(a, b, INDICES, intervals=True),
    "points": lambda a, b: cm.evaluate(a, b, ["rand"]).points(a, b).to_dict(),
    "splits": lambda a, b: cm.evaluate(a, b, ["rand"]).splits().to_dict(),
    "page": lambda a, b: cm.evaluate(a, b, ["rand"]).report(),
    "groups": lambda a, b: cm.evaluate(a, b, ["rand"]).by_size(),
    "describe": lambda a, _: cm.describe(a),
    "changes": lambda a, b: cm.changes(a, b, b).to_json(),
    "relabel": cm.relabel,
    "questions": lambda a, b: cm.questions(a, b, 20),
    "compare": lambda a, b: cm.compare(a, {"one": b, "other": a}, INDICES),
    "sweep": lambda a, b: cm.sweep(a, {0.5: b, 0.7: a}, INDICES),
    "similar": lambda a, b: cm.similarity_matrix({"one": a, "other": b}),
    "soft": lambda a, b: cm.evaluate_soft(a[:300], b[:300]),
    "mappings": lambda a, b: cm.crosstab(dict(enumerate(a)), dict(enumerate(b))),
}


def labels(kind: str, call: Callable[[Any, Any], Any]) -> Case:
    """Change labels of this type in the middle of a call."""
    dtype, bad = LABELS[kind]
    rng = np.random.default_rng(1)
    one, other = (rng.integers(0, CLUSTERS, N).astype(dtype) for _ in range(2))
    spoilt = np.full(N, bad).view(bool) if kind == "bool" else np.full(N, bad, dtype)
    return writing((one, spoilt), (other, spoilt)), lambda: call(one, other)


def numbers(call: Callable[..., Any]) -> Case:
    """Change counts and weights."""
    rng = np.random.default_rng(1)
    one, other = rng.integers(0, CLUSTERS, N), rng.integers(0, CLUSTERS, N)
    counts, weights = np.ones(N, np.int64), np.ones(N)
    spoil = writing((counts, np.full(N, 10**6)), (weights, np.full(N, np.nan)))
    return spoil, lambda: call(one, other, counts, weights)


def points() -> Case:
    rng = np.random.default_rng(1)
    X, codes = rng.random((2000, 4)), rng.integers(0, 5, 2000)
    return writing((X, np.full(X.shape, np.nan)), (codes, np.full(2000, 2**40))), lambda: cm.evaluate_internal(X, codes)


def matrix(call: Callable[[Any], Any], whole: bool = False) -> Case:
    """Change the indices of a sparse matrix, which SciPy trusts."""
    n, k = 3000, 40
    rng = np.random.default_rng(1)
    given = sparse.random_array((n, k), density=0.2, format="csr", rng=rng)
    given = sparse.csr_array(sparse.diags_array(1 / np.maximum(given.sum(axis=1), 0.1)) @ given)
    if whole:
        given = sparse.csr_array((np.ones(given.nnz, np.int64), given.indices, given.indptr), shape=given.shape)
    far = np.full_like(given.indices, 2**30), np.full_like(given.indptr, 2**28)
    return writing((given.indices, far[0]), (given.indptr, far[1])), lambda: call(given)


class Spoiler:
    """A label whose hash and comparison change the list that contains it."""

    def __init__(self, number: int, change: Callable[[], None]) -> None:
        self.number, self.change = number, change

    def __hash__(self) -> int:
        self.change()
        return self.number % 7

    def __eq__(self, other: object) -> bool:
        self.change()
        return isinstance(other, Spoiler) and self.number == other.number


class Number(int):
    """A number whose reading changes the list that contains it."""

    change: Callable[[], None] = staticmethod(lambda: None)

    def __index__(self) -> int:
        self.change()
        return int.__index__(self)

    def __int__(self) -> int:
        self.change()
        return int.__int__(self)

    def __float__(self) -> float:
        self.change()
        return 1.0


CHANGES: dict[str, Callable[[list[Any], list[Any]], None]] = {
    "clear": lambda held, _: held.clear(),
    "grow": lambda held, _: held.extend(range(1000)) if len(held) < 10_000 else None,
    "replace": lambda held, _: held.__setitem__(slice(None), [object() for _ in held]),
    "shrink": lambda held, _: held.pop() if held else None,
    "restore": lambda held, kept: held.__setitem__(slice(None), kept),
}


def spoiling(how: str, call: Callable[[Any, Any], Any]) -> Case:
    """Labels in lists change these lists when they are hashed or compared, now and then."""
    held: list[Any] = []
    calls = 0

    def change() -> None:
        nonlocal calls
        calls += 1
        if calls % 97 == 0:
            CHANGES[how](held, kept)

    kept = [Spoiler(number % 30, change) for number in range(200)]

    def tried() -> Any:
        held[:] = kept
        return call(held, held)

    return lambda: None, tried


def spoiling_numbers(how: str, call: Callable[[Any], Any]) -> Case:
    """Counts or sizes in a list change the list when they are read."""
    held: list[Any] = []
    kept = [Number(1) for _ in range(200)]
    Number.change = staticmethod(lambda: CHANGES[how](held, kept))

    def tried() -> Any:
        held[:] = kept
        return call(held)

    return lambda: None, tried


LABEL = list(range(200))
CASES: dict[str, Callable[[], Case]] = {
    **{f"{kind}-{name}": lambda kind=kind, call=call: labels(kind, call)
       for kind in LABELS for name, call in CALLS.items()},
    "counts": lambda: numbers(lambda a, b, n, _: cm.crosstab(a, b, counts=n, noise={1: "singletons"})),
    "weights": lambda: numbers(lambda a, b, _, w: cm.evaluate(a, b, INDICES, weights=w)),
    "counts-compare": lambda: numbers(
        lambda a, b, n, _: cm.compare(a, {"one": b, "other": a}, INDICES, counts=n, noise={1: "singletons"})
    ),
    "counts-changes": lambda: numbers(lambda a, b, n, w: cm.changes(a, b, counts=n, weights=w).to_json()),
    "counts-describe": lambda: numbers(lambda a, _, n, __: cm.describe(a, counts=n)),
    "points": points,
    "matrix-soft": lambda: matrix(lambda M: cm.evaluate_soft(M, M)),
    "matrix-points": lambda: matrix(lambda M: cm.evaluate_internal(M, np.arange(3000) % 3, ["davies_bouldin"])),
    "matrix-cover": lambda: matrix(cm.Cover.from_matrix, whole=True),
    "matrix-table": lambda: matrix(cm.Contingency.from_matrix, whole=True),
    **{f"list-{how}-{name}": lambda how=how, call=CALLS[name]: spoiling(how, call)
       for how in CHANGES for name in ("crosstab", "describe", "compare", "soft")},
    **{f"numbers-{how}": lambda how=how: spoiling_numbers(how, lambda held: cm.crosstab(LABEL, LABEL, counts=held))
       for how in CHANGES},
    **{f"weights-{how}": lambda how=how: spoiling_numbers(how, lambda held: cm.crosstab(LABEL, LABEL, weights=held))
       for how in CHANGES},
}  # fmt: skip


if __name__ == "__main__":
    faulthandler.enable()
    warnings.simplefilter("ignore")
    for name in sys.argv[2:] or CASES:
        print(name, run(CASES[name](), float(sys.argv[1])), flush=True)  # noqa: T201
