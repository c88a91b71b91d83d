"""Tables of random labels, compared with counts of points one by one."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

import clustermark as cm
import kernel_twin
import oracle
from clustermark import _kernel

if TYPE_CHECKING:
    import random

INTEGERS = ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"]


def integers(rng: random.Random, n: int) -> Any:
    """Return integers of any type, range and stride; ranges meet the ends of the type."""
    dtype = np.dtype(rng.choice(INTEGERS))
    limits = np.iinfo(dtype)
    span = min(rng.choice([1, 2, 10, 300, 70_000, 2**33, 2**64]), int(limits.max) - int(limits.min))
    low = rng.choice([int(limits.min), int(limits.max) - span, rng.randint(int(limits.min), int(limits.max) - span)])
    values = np.array([low + rng.randint(0, span) for _ in range(n)], dtype)
    stride = rng.choice([1, 1, 1, 2, 3, -1, 0])
    if stride == 0:
        return np.broadcast_to(values[:1], n) if n else values
    return np.repeat(values, abs(stride))[::stride]


def size_of(rng: random.Random) -> int:
    """Return a number of points: mostly few, now and then enough for each way of counting."""
    return rng.choice([1, 2, 5, 20, 100, 700, 2049, rng.randint(1, 12_000)])


def fuzz_crosstab(rng: random.Random) -> None:
    """The cells of two arrays, with counts and weights."""
    n = size_of(rng)
    one, other = integers(rng, n), integers(rng, n)
    counts = np.array([rng.choice([0, 1, 1, 2, 7]) for _ in range(n)]) if rng.random() < 0.4 else None
    weights = np.array([rng.choice([0.0, 0.5, 1.0, 3.0, 2.0**-20]) for _ in range(n)]) if rng.random() < 0.4 else None
    cells = _kernel.crosstab(one, other, counts, weights, rng.choice([0, 1, 2, 5]))
    expected = kernel_twin.crosstab(*(None if a is None else a.tolist() for a in (one, other, counts, weights)))
    rows, columns = cells.row_values.tolist(), cells.column_values.tolist()
    found = {
        (rows[row], columns[column]): i for i, (row, column) in enumerate(zip(cells.rows, cells.columns, strict=True))
    }
    assert found.keys() == expected.keys()
    assert len(found) == len(cells)
    for key, i in found.items():
        assert cells.counts[i] == expected[key].count
        if weights is not None:  # the weights are few binary digits, so that the sums are exact
            assert Fraction(float(cells.weights[i])) == expected[key].weight
            assert math.isclose(cells.pairs[i], float(expected[key].pairs), rel_tol=1e-14)


def container(rng: random.Random, labels: list[Any]) -> Any:
    """Return labels as one of the kinds of data that functions take."""
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    made = np.empty(len(labels), object)
    made[:] = labels
    kinds = [list, tuple, lambda one: made, lambda one: pd.Series(made), lambda one: pd.Categorical(made)]
    if len({type(label) for label in labels} - {type(None)}) <= 1:
        kinds += [pa.array, lambda one: pl.Series(one, strict=False), lambda one: pa.array(one).dictionary_encode()]
    try:
        return rng.choice(kinds)(labels)
    except UnicodeEncodeError:  # Arrow and Polars hold no text with a lone surrogate
        return labels


LABELS: list[list[Any]] = [
    [0, 1, 2, -1],
    ["a", "b", "A", "a ", "", "ß", "\ud800"],
    [True, False],
    [2**62, -(2**63), 7, 2**63 - 1],
    ["x" * 300, "x" * 301],
]
POLICIES = ["drop", "cluster", "singletons"]


def fuzz_labels(rng: random.Random) -> None:
    """Pair counts of labels of any kind under policies, against all pairs of points."""
    n = rng.choice([1, 2, 3, 8, 15, 40])
    sides = []
    for _ in range(2):
        values = rng.choice(LABELS)
        missing = rng.choice([0.0, 0.0, 0.2])
        sides.append([None if rng.random() < missing else rng.choice(values) for _ in range(n)])
    counts = [rng.choice([0, 1, 1, 2]) for _ in range(n)] if rng.random() < 0.3 else None
    policies: dict[str, Any] = {"missing": rng.choice(POLICIES)}
    for name, side in zip(("noise_true", "noise_pred"), sides, strict=True):
        if rng.random() < 0.3 and (there := [label for label in side if label is not None]):
            policies[name] = {rng.choice(there): rng.choice(POLICIES)}
    points = oracle.points_of(*sides, counts, None, **policies)
    given = [container(rng, side) for side in sides]
    try:
        table = cm.crosstab(*given, counts=counts, **policies)
    except cm.InputError as error:
        assert not points, error
        return
    yy, yn, ny, nn = oracle.pair_counts(points)
    found = cm.PairCounts.of(table)
    assert (found.yy, found.yn, found.ny, found.nn) == (yy, yn, ny, nn)
    assert table.n_used == len(points)


def fuzz_indices(rng: random.Random) -> None:
    """Every index: the same bits for renamed labels, points in another order, and counts in place of points."""
    n, k = rng.choice([3, 6, 20, 60]), rng.choice([1, 2, 3, 8, 40])
    one, other = ([rng.randrange(k) for _ in range(n)] for _ in range(2))
    whole = scores(cm.crosstab(one, other))
    order = rng.sample(range(n), n)
    names = rng.sample(range(10 * k), k)
    same = cm.crosstab([names[one[i]] for i in order], [f"c{other[i]}" for i in order])
    assert scores(same) == whole
    cells: dict[tuple[int, int], int] = {}
    for cell in zip(one, other, strict=True):
        cells[cell] = cells.get(cell, 0) + 1
    counted = cm.crosstab(*map(list, zip(*cells, strict=True)), counts=list(cells.values()))
    assert scores(counted) == whole


def scores(table: Any) -> dict[str, Any]:
    """Return the scores of a table as texts, as NaN is not equal to itself."""
    return {name: repr(score) for name, score in cm.evaluate_table(table, INDICES).to_dict().items()}


INDICES = ["adjusted_rand", "rand", "jaccard", "v_measure", "adjusted_mutual_information", "b_cubed_f", "f_measure",
           "variation_of_information", "fowlkes_mallows", "purity", "muc_f", "matching_accuracy"]  # fmt: skip
FUZZERS = {"crosstab": fuzz_crosstab, "labels": fuzz_labels, "indices": fuzz_indices}
