"""Entries of the kernel with arguments of any kind: each answers or refuses, and what it answers is right."""

from __future__ import annotations

import ctypes
import math
from typing import TYPE_CHECKING, Any

import numpy as np

from clustermark import _kernel

if TYPE_CHECKING:
    import random
    from collections.abc import Callable

FAR = [-(2**63), -(2**31), -3, -2, -1, 0, 1, 2, 5, 2**31 - 1, 2**31, 2**48, 2**61, 2**63 - 1]
DOUBLES = [0.0, -0.0, 1.0, 0.5, -2.0, 1e308, -1e308, 5e-324, math.inf, -math.inf, math.nan, 2.0**53]
REFUSED = (ValueError, TypeError, OverflowError, MemoryError, RuntimeError, IndexError)


def array(rng: random.Random, dtype: str, values: list[Any], n: int) -> Any:
    """Return an array of mostly small values, in odd strides, types, or places in memory."""
    limits = np.iinfo(dtype) if np.dtype(dtype).kind in "iu" else None
    chosen = [rng.choice(values) if rng.random() < 0.1 else rng.randrange(4) for _ in range(n)]
    if limits is not None:
        chosen = [min(max(value, int(limits.min)), int(limits.max)) for value in chosen]
    made = np.array(chosen, dtype)
    how = rng.randrange(12)
    if how == 0:
        return made[::-1]
    if how == 1:
        return np.repeat(made, 3)[::3]
    if how == 2:
        return made.astype(made.dtype.newbyteorder())
    if how == 3:
        return made.reshape(1, -1)
    if how == 4:
        return made.tolist()
    if how == 5 and n:
        return np.frombuffer(b"x" + made.tobytes(), made.dtype, offset=1)  # not aligned
    if how == 6:
        return (ctypes.c_double * n)(*map(float, chosen)) if dtype == "f8" else (ctypes.c_int32 * n)()
    if how == 7:
        return made.astype(rng.choice(["i1", "u8", "f4", "?", "O", "U3"]))
    return made


def lengths(rng: random.Random) -> int:
    return rng.choice([0, 1, 2, 3, 4, 4, 4, 8, 30])


class Maker:
    """Makes arguments, whose lengths mostly agree."""

    def __init__(self, rng: random.Random) -> None:
        self.rng, self.n = rng, lengths(rng)

    def some(self) -> int:
        return self.n if self.rng.random() < 0.9 else lengths(self.rng)

    def i4(self) -> Any:
        return array(self.rng, "i4", FAR, self.some())

    def i8(self) -> Any:
        return array(self.rng, "i8", FAR, self.some())

    def any_integers(self) -> Any:
        return array(self.rng, self.rng.choice(["i1", "u2", "i4", "u8", "i8"]), FAR, self.some())

    def f8(self) -> Any:
        return array(self.rng, "f8", DOUBLES, self.some())

    def maybe(self, make: Callable[[], Any]) -> Any:
        return make() if self.rng.random() < 0.5 else None

    def number(self) -> int:
        return self.rng.choice(FAR) if self.rng.random() < 0.2 else self.rng.randrange(8)

    def few(self) -> int:
        """A number of clusters or samples: a large one that is valid would take all memory."""
        return self.rng.choice([-1, 0, 1, 2, 3, 5, 8, 2**62, 2**64 - 1])

    def threads(self) -> int:
        return self.rng.choice([-1, 0, 1, 2, 7])

    def starts(self) -> Any:
        steps = [self.rng.choice([1, 1, 1, 2, 3, 0, -2]) for _ in range(self.rng.randrange(5))]
        return np.cumsum([0, *steps]).astype("i8") if self.rng.random() < 0.8 else self.i8()

    def order(self) -> Any:
        return np.array(self.rng.sample(range(self.n), self.n), "i8") if self.rng.random() < 0.8 else self.i8()

    def sorted_starts(self) -> Any:
        cuts = sorted(self.rng.sample(range(1, self.n), min(self.rng.randrange(3), self.n - 1))) if self.n > 1 else []
        return np.array([0, *cuts, self.n], "i8") if self.rng.random() < 0.8 else self.starts()

    def points(self) -> Any:
        columns = self.rng.choice([0, 1, 2, 3, 9])
        X = np.array([[self.rng.choice(DOUBLES) if self.rng.random() < 0.05 else self.rng.random()
                       for _ in range(columns)] for _ in range(self.some())], "f8").reshape(-1, columns)  # fmt: skip
        return self.rng.choice([X, X, X.astype("f4"), np.asfortranarray(X), X[::-1], X.astype("i8"), X[:, ::-1]])

    def square(self) -> Any:
        """Distances that are mostly right."""
        odd = [0.0, 1.0, 2.0, math.nan, math.inf, -1.0]
        return np.array([[self.rng.choice(odd if self.rng.random() < 0.1 else [1.0, 2.0]) for _ in range(self.n)]
                         for _ in range(self.n)], "f8").reshape(self.n, -1)  # fmt: skip

    def measured(self) -> tuple[Any, str]:
        measure = self.rng.choice(["euclidean", "sqeuclidean", "manhattan", "precomputed", "other"])
        return (self.square() if measure == "precomputed" else self.points()), measure

    def sizes(self) -> Any:
        pairs = [
            (self.rng.choice([0, 1, 2, 3, 40]), self.rng.choice([0, 1, 2, 3])) for _ in range(self.rng.randrange(4))
        ]
        return self.rng.choice([pairs, pairs, pairs, tuple(pairs), [(1, 2, 3)], "ab", 3, [(2**62, 1), (2**62, 1)]])

    def progress(self) -> Any:
        return self.rng.choice([None, lambda share: None, lambda share: 1 / 0, 3])

    def cells(self) -> Any:
        n = self.n
        numbers = [np.array([self.rng.choice([0, 1, 2, -1, -2] if self.rng.random() < 0.3 else [0, 1, 2])
                             for _ in range(n)], "i4") for _ in range(2)]  # fmt: skip
        counts = np.array([self.rng.choice([0, 1, 2, 2**40, 2**61]) for _ in range(n)], "i8")
        weights = (
            np.array([self.rng.choice([0.0, 0.5, 1.0, 1e200]) for _ in range(n)]) if self.rng.random() < 0.4 else None
        )
        pairs = None if weights is None else np.zeros(n)
        return _kernel.Cells(*numbers, counts, weights, pairs, 3, 3)


ENTRIES: dict[str, Callable[[Maker], Any]] = {
    "Cells": lambda m: _kernel.Cells(m.i4(), m.i4(), m.i8(), m.maybe(m.f8), m.maybe(m.f8), m.number(), m.number()),
    "crosstab": lambda m: _kernel.crosstab(
        m.any_integers(), m.any_integers(), m.maybe(m.i8), m.maybe(m.f8), m.threads()
    ),
    "crosstab_codes": lambda m: _kernel.crosstab_codes(m.any_integers(), m.any_integers(), m.threads()),
    "profile": lambda m: _kernel.profile(m.cells()),
    "margins": lambda m: _kernel.margins(m.cells()),
    "squares": lambda m: m.cells().squares(),
    "pair_weights": lambda m: _kernel.pair_weights(m.cells()),
    "overlaps": lambda m: _kernel.overlaps(m.cells(), m.maybe(m.i4), m.maybe(lambda: np.zeros(m.some(), bool))),
    "joint": lambda m: _kernel.joint(m.cells()),
    "best": lambda m: _kernel.best(m.cells()),
    "shrink": lambda m: _kernel.shrink(m.cells(), m.rng.choice(list(_kernel.Worth))),
    "group_alike": lambda m: _kernel.group_alike(m.cells()),
    "assign": lambda m: _kernel.assign(m.starts(), m.i4(), m.f8(), m.few()),
    "connect": lambda m: _kernel.connect(m.i8(), m.i8(), m.few()),
    "expected": lambda m: _kernel.expected_mutual_information(m.sizes(), m.sizes(), m.threads()),
    "variance": lambda m: _kernel.mutual_information_variance(
        m.sizes(), m.sizes(), m.rng.choice([1e4, math.nan, -1.0])
    ),
    "sample": lambda m: _kernel.sample_mutual_information(m.sizes(), m.sizes(), m.few(), 1, m.number()),
    "excesses": lambda m: _kernel.expected_excesses(m.i8(), m.i8(), m.number(), m.threads()),
    "add_by": lambda m: _kernel.add_by(m.i8(), m.f8(), m.few()),
    "departures": lambda m: _kernel.departures(m.f8(), m.i8(), m.rng.choice(DOUBLES)),
    "classes": lambda m: _kernel.classes_of_points(m.cells(), m.i4(), m.i4(), m.i4(), m.i4(), m.i4(), m.threads()),
    "add_products": lambda m: _kernel.add_products([m.i4()], [m.f8()], m.maybe(m.i8), m.threads()),
    "draw_table": lambda m: _kernel.draw_table(m.i8(), m.i8(), 1, m.number()),
    "sample_pairs": lambda m: _kernel.sample_pairs(m.i8(), m.i8(), m.few(), 1),
    "draw_half": lambda m: _kernel.draw_half(m.i8(), 1, m.number()),
    "digest": lambda m: _kernel.digest_integers(b"x" * m.rng.choice([0, 3, 35, 36]), m.i8(), m.threads()),
    "records": lambda m: _kernel.encode_records(np.zeros((m.some(), m.rng.randrange(3)), m.rng.choice(["u1", "i4"]))),
    "sweep": lambda m: _kernel.sweep_pairs(m.i4(), m.i4(), m.i4(), m.f8(), 1e4, m.progress(), m.maybe(m.i8)),
    "sum_points": lambda m: _kernel.sum_points(m.points(), m.i4(), m.maybe(m.f8), m.few(), m.threads()),
    "spread": lambda m: _kernel.spread_about(m.points(), m.i4(), m.maybe(m.f8), m.f8(), m.f8(), m.few(), m.threads()),
    "nearest": lambda m: _kernel.nearest_centers(m.points(), m.i4(), m.f8(), m.f8(), m.f8(), m.few(), 1, m.progress()),
    "distances": lambda m: _kernel.sum_distances(
        *m.measured(), m.order(), m.sorted_starts(), m.threads(), m.progress(), m.maybe(m.i8)
    ),
    "distances_from": lambda m: _kernel.sum_distances_from(m.points(), *m.measured(), m.order(), m.sorted_starts()),
    "pair_tables": lambda m: _kernel.tabulate_pairs(
        *m.measured(), m.order(), m.sorted_starts(), m.threads(), m.progress()
    ),
    "ranks": lambda m: _kernel.rank_distances(*m.measured(), m.order(), m.sorted_starts(), m.progress()),
    "density": lambda m: _kernel.find_density(
        *m.measured(), m.order(), m.sorted_starts(), m.rng.choice(["exact", "matlab", "hdbscan", "x"]), m.threads()
    ),
    "reach": lambda m: _kernel.span_reachability(*m.measured(), m.order(), m.sorted_starts(), m.number(), m.threads()),
    "arrange": lambda m: _kernel.arrange_tree(m.starts(), m.i8()),
    "joined": lambda m: _kernel.sum_joined(m.starts(), m.i8(), m.starts(), m.i8(), m.i8()),
    "cuts": lambda m: _kernel.count_cuts(m.starts(), m.i8(), m.starts(), m.i8()),
    "variances": lambda m: _kernel.find_variances(m.number(), m.i8(), m.i8(), m.i8(), m.i8()),
    "merges": lambda m: _kernel.read_merges(np.array([m.rng.choice(DOUBLES) for _ in range(4 * m.n)]).reshape(-1, 4)),
    "tree_classes": lambda m: _kernel.tabulate_classes(m.starts(), m.i8(), m.i4(), m.few()),
    "mean_difference": lambda m: _kernel.mean_difference(m.f8(), m.f8()),
    "collector": lambda m: collect(m),
}  # fmt: skip


def collect(m: Maker) -> Any:
    collector = _kernel.CellCollector(m.few(), m.number(), m.number(), m.number(), m.number())
    collector.add(m.any_integers(), m.any_integers(), m.any_integers())
    return _kernel.profile(collector.finish())


def fuzz_entries(rng: random.Random) -> None:
    """Calls with arguments that mostly do not fit."""
    name = rng.choice(list(ENTRIES))
    for _ in range(20):
        try:
            ENTRIES[name](Maker(rng))
        except (*REFUSED, ZeroDivisionError) as error:
            assert str(error), (name, type(error))


def fuzz_sums(rng: random.Random) -> None:
    """Sums of doubles have the same bits in any order, and are exactly rounded within 2^1000."""
    n, exponent = rng.randrange(50), rng.randint(-300, 290)
    values = [rng.uniform(-1, 1) * 10.0 ** (exponent + rng.randint(-8, 8)) for _ in range(n)]
    found = _kernel.add(np.array(values))
    assert found == _kernel.add(np.array(rng.sample(values, n)))
    assert math.isclose(found, math.fsum(values), rel_tol=1e-12, abs_tol=1e-22 * max(map(abs, values), default=0.0))


def fuzz_codes(rng: random.Random) -> None:
    """Codes of integers, of records of bytes and of objects denote what was given, by first appearance."""
    n = rng.choice([0, 1, 5, 300, 5000])
    values = [rng.choice([rng.getrandbits(64) - 2**63, rng.randrange(5)]) for _ in range(n)]
    integers = np.array(values, "i8")
    codes, first = _kernel.encode_integers(integers)
    assert integers[first][codes].tolist() == values
    assert codes[first].tolist() == list(range(len(first)))
    codes, first = _kernel.encode_records(integers.view("u1").reshape(-1, 8))
    assert integers[first][codes].tolist() == values
    objects = [rng.choice([value, float(value % 9), str(value), None, (value,)]) for value in values]
    codes, labels = _kernel.encode_objects(objects, lambda label, place: False)
    assert [None if code < 0 else labels[code] for code in codes.tolist()] == objects


FUZZERS = {"entries": fuzz_entries, "sums": fuzz_sums, "codes": fuzz_codes}
