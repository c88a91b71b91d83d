"""The compiled kernel against its plain twin."""

from __future__ import annotations

import contextlib
import gc
import math
import random
import sys
import threading
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kernel_twin as twin
from clustermark import _kernel as kernel
from clustermark._kernel import ABSENT, LONE

DTYPES = [np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64]
THREADS = st.sampled_from([0, 1, 2, 3])
quick = settings(max_examples=150, deadline=None)


# --- inputs -----------------------------------------------------------------------------------------------------------


def dressed(values: list[Any], dtype: Any, dress: str) -> np.ndarray:
    """The values as an array that lies in memory in an unusual way."""
    array = np.array(values, dtype=dtype)
    if dress == "reversed":
        return np.ascontiguousarray(array[::-1])[::-1]
    if dress == "strided":
        wide = np.zeros(3 * len(array), dtype=dtype)
        wide[::3] = array
        return wide[::3]
    if dress == "column":
        table = np.zeros((len(array), 3), dtype=dtype)
        table[:, 1] = array
        return table[:, 1]
    if dress == "row of fortran":
        table = np.asfortranarray(np.zeros((3, len(array)), dtype=dtype))
        table[1] = array
        return table[1]
    if dress == "packed":
        records = np.zeros(len(array), dtype=[("a", "u1"), ("b", dtype)])
        records["b"] = array
        return records["b"]
    if dress == "readonly":
        array.flags.writeable = False
    return array


DRESSES = st.sampled_from(["plain", "reversed", "strided", "column", "row of fortran", "packed", "readonly"])


@st.composite
def labels(draw: st.DrawFn, size: int) -> np.ndarray:
    dtype = draw(st.sampled_from(DTYPES))
    info = np.iinfo(dtype)
    small = st.integers(0, draw(st.sampled_from([1, 5, 100])))
    wide = st.integers(int(info.min), int(info.max))
    ends = st.sampled_from([int(info.min), int(info.max), 0, 1, int(info.max) - 1])
    element = draw(st.sampled_from([small, wide, ends, st.one_of(small, ends)]))
    return dressed(draw(st.lists(element, min_size=size, max_size=size)), dtype, draw(DRESSES))


weights_of = st.one_of(
    st.just(0.0),
    st.floats(1e-3, 1e3),
    st.integers(1, 5).map(float),
    st.sampled_from([1e-100, 1e100, 0.1]),
)


@st.composite
def pointsets(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray, np.ndarray | None, np.ndarray | None]:
    size = draw(st.integers(0, 60))
    counts = weights = None
    if draw(st.booleans()):
        drawn = draw(st.lists(st.one_of(st.integers(0, 4), st.just(2**50)), min_size=size, max_size=size))
        counts = dressed(drawn, np.int64, draw(DRESSES))
    if draw(st.booleans()):
        weights = dressed(draw(st.lists(weights_of, min_size=size, max_size=size)), np.float64, draw(DRESSES))
    return draw(labels(size)), draw(labels(size)), counts, weights


@st.composite
def tables(draw: st.DrawFn, weighted: bool, absent: bool) -> tuple[Any, ...]:
    """Arguments of Cells."""
    n_rows, n_columns = draw(st.integers(0, 6)), draw(st.integers(0, 6))
    lowest = ABSENT if absent else LONE
    entries = draw(
        st.lists(
            st.tuples(st.integers(lowest, n_rows - 1), st.integers(lowest, n_columns - 1), st.integers(0, 7)).filter(
                lambda e: e[:2] != (ABSENT, ABSENT)
            ),
            max_size=20,
        )
    )
    rows = dressed([e[0] for e in entries], np.int32, draw(DRESSES))
    columns = dressed([e[1] for e in entries], np.int32, draw(DRESSES))
    counts = dressed([e[2] for e in entries], np.int64, draw(DRESSES))
    if not weighted:
        return rows, columns, counts, None, None, n_rows, n_columns
    size = len(entries)
    element = draw(st.sampled_from([st.integers(0, 3).map(float), st.floats(0.01, 100)]))
    weights = np.array(draw(st.lists(element, min_size=size, max_size=size)), dtype=float)
    # lone points and single points have no pairs inside their cell
    single = (counts == 1) | (rows < 0) | (columns < 0)
    pairs = np.where(single, 0.0, weights * weights / 4)
    return rows, columns, counts, weights, pairs, n_rows, n_columns


def both(args: tuple[Any, ...]) -> tuple[kernel.Cells, twin.Table]:
    lists = [None if a is None else a.tolist() for a in args[:5]]
    return kernel.Cells(*args), twin.build(*lists, *args[5:])


def same_arrays(first: kernel.Cells, second: kernel.Cells) -> None:
    for name in ("rows", "columns", "counts", "weights", "pairs", "row_values", "column_values"):
        a, b = getattr(first, name), getattr(second, name)
        if a is None:
            assert b is None
        else:
            np.testing.assert_array_equal(a, b)
    assert first.squares() == second.squares()


def near(value: float, exact: Fraction, tolerance: float = 1e-15) -> bool:
    return abs(Fraction(float(value)) - exact) <= Fraction(tolerance) * abs(exact)


# --- crosstab ---------------------------------------------------------------------------------------------------------


def check_crosstab(args: tuple[Any, ...], cells: kernel.Cells) -> None:
    y_true, y_pred, _counts, weights = args
    expected = twin.crosstab(*(None if a is None else a.tolist() for a in args))
    row_values, column_values = cells.row_values, cells.column_values
    assert row_values.dtype == y_true.dtype
    assert column_values.dtype == y_pred.dtype
    assert len(row_values) == cells.n_rows == len({key[0] for key in expected})
    assert len(column_values) == cells.n_columns == len({key[1] for key in expected})
    assert len(cells) == len(expected)
    assert cells.rows.dtype == cells.columns.dtype == np.int32
    assert cells.counts.dtype == np.int64
    for i in range(len(cells)):
        entry = expected[int(row_values[cells.rows[i]]), int(column_values[cells.columns[i]])]
        assert cells.counts[i] == entry.count
        if weights is not None:
            assert near(cells.weights[i], entry.weight)
            assert near(cells.pairs[i], entry.pairs)
            assert (entry.pairs == 0) == (cells.pairs[i] == 0)
    if weights is None:
        assert cells.weights is None
        assert cells.pairs is None


@settings(quick, max_examples=400)
@given(pointsets(), THREADS)
def test_crosstab_is_its_twin(points: tuple[Any, ...], threads: int) -> None:
    cells = kernel.crosstab(*points, threads=threads)
    check_crosstab(points, cells)
    entries = [(int(r), int(c), int(n)) for r, c, n in zip(cells.rows, cells.columns, cells.counts, strict=True)]
    table = twin.Table([twin.Entry(*e) for e in entries], cells.n_rows, cells.n_columns, False)
    n, cell_squares, row_squares, column_squares = cells.squares()
    assert (n, cell_squares) == (sum(e[2] for e in entries), sum(e[2] ** 2 for e in entries))
    rows, columns = twin.margins(table)
    assert (row_squares, column_squares) == (sum(a * a for a in rows), sum(b * b for b in columns))


@quick
@given(st.lists(st.tuples(st.integers(0, 100), st.integers(-5, 100)), min_size=1, max_size=80), st.data())
def test_crosstab_does_not_depend_on_dtype(pairs: list[tuple[int, int]], data: st.DataObject) -> None:
    wide = np.array(pairs, dtype=np.int64)
    first = kernel.crosstab(wide[:, 0], wide[:, 1])
    narrow = kernel.crosstab(
        wide[:, 0].astype(data.draw(st.sampled_from(DTYPES))), wide[:, 1].astype(data.draw(st.sampled_from(DTYPES[:4])))
    )
    same_arrays(first, narrow)


@quick
@given(pointsets(), THREADS)
def test_codes_are_counted_as_other_labels_are(points: tuple[Any, ...], threads: int) -> None:
    y_true, y_pred, _, _ = points
    found = kernel.crosstab_codes(y_true, y_pred, threads)
    aligned = y_true.flags.aligned and y_pred.flags.aligned
    if found is None:
        assert not aligned or not len(y_true)
    else:
        assert aligned
        same_arrays(found, kernel.crosstab(y_true, y_pred, threads=threads))


@pytest.mark.parametrize(
    "labels",
    [
        np.zeros(0, np.int64),
        np.zeros((2, 1), np.int64),
        np.array(1),
        np.zeros(3, np.int64),
        np.zeros(2),
        np.zeros(2, bool),
        np.zeros(2, ">i4"),
        np.zeros(2, "datetime64[s]"),
        np.array(["", ""]),
        np.array(["a", "b"], object),
        np.zeros(2, "S0"),
        [0, 1],
    ],
    ids=repr,
)
def test_what_is_no_code_for_each_point_is_left_to_others(labels: Any) -> None:
    codes = np.array([0, 1])
    assert kernel.crosstab_codes(codes, codes) is not None
    assert kernel.crosstab_codes(codes, labels) is None
    assert kernel.crosstab_codes(labels, codes) is None


def test_rows_are_in_order_of_value_when_the_range_is_small() -> None:
    cells = kernel.crosstab(np.array([7, 3, 7, -2]), np.array([1, 1, 0, 0]))
    assert cells.row_values.tolist() == [-2, 3, 7]
    assert cells.column_values.tolist() == [0, 1]


def test_rows_are_in_order_of_appearance_when_the_range_is_large() -> None:
    values = [2**63 - 1, -(2**63), 5, 2**63 - 1]
    cells = kernel.crosstab(np.array(values), np.zeros(4, dtype=np.uint8))
    assert cells.row_values.tolist() == [2**63 - 1, -(2**63), 5]
    top = np.array([2**64 - 1, 0, 2**64 - 1], dtype=np.uint64)
    assert kernel.crosstab(top, top).row_values.tolist() == [2**64 - 1, 0]


RNG = np.random.default_rng(7)


def moved(y: np.ndarray, k: int, share: float) -> np.ndarray:
    return np.where(RNG.random(len(y)) < share, RNG.integers(0, k, len(y)), y)


def big_cases() -> dict[str, tuple[np.ndarray, np.ndarray]]:
    n = 400_000
    few = RNG.integers(0, 10, n)
    some = RNG.integers(0, 700, n)
    many = RNG.integers(0, 50_000, n)
    skewed = np.where(RNG.random(n) < 0.7, 17, RNG.integers(0, 30_000, n))
    ids = RNG.integers(-(2**63), 2**63 - 1, 20_000)
    zipf = np.minimum(RNG.zipf(1.3, n), 10**5)
    late = few.copy()
    late[-3] = 1_000_000  # a guess from a sample does not see it
    later = many.copy()
    later[-3] = 70_000
    return {
        "few": (few, moved(few, 10, 0.3)),
        "some": (some, moved(some, 700, 0.2)),
        "many": (many, moved(many, 50_000, 0.2)),
        "many sorted": (np.sort(many), many),
        "skewed": (skewed, moved(many, 50_000, 0.5)),
        "both skewed": (skewed, np.where(RNG.random(n) < 0.9, 5, many)),
        "one true cluster": (np.zeros(n, dtype=np.int64), many),
        "few against many": (few, many),
        "many against few": (many, few),
        "all one cell": (np.full(n, 3), np.full(n, -9)),
        "all different": (np.arange(n), np.arange(n)[::-1]),
        "wide ids": (ids[RNG.integers(0, len(ids), n)], ids[RNG.integers(0, len(ids), n)]),
        "wide against few": (ids[many % len(ids)], few),
        "zipf": (zipf, moved(zipf, 10**5, 0.2)),
        "late outlier": (late, few),
        "outlier below": (few, late * -1),
        "late outlier among many": (later, many),
        "late outlier against many": (many, later),
        "every second label": (2 * RNG.permutation(n), 2 * RNG.permutation(n) - n),
        "not from 0": (many + 10**6, many - 10**6),
        "sparse range": (many * 13, some * 7 - 100),
        "unsigned": (many.astype(np.uint32), (2**64 - 1 - many.astype(np.uint64))),
    }


BIG = big_cases()


def check_big(y_true: np.ndarray, y_pred: np.ndarray, cells: kernel.Cells, amounts: np.ndarray) -> None:
    _, t = np.unique(y_true, return_inverse=True)
    _, p = np.unique(y_pred, return_inverse=True)
    keys, inverse = np.unique(t * (p.max() + 1) + p, return_inverse=True)
    expected = np.zeros(len(keys), dtype=np.int64)
    np.add.at(expected, inverse, amounts)
    rows = np.searchsorted(np.unique(y_true), cells.row_values)[cells.rows]
    columns = np.searchsorted(np.unique(y_pred), cells.column_values)[cells.columns]
    found = rows.astype(np.int64) * (p.max() + 1) + columns
    order = np.argsort(found)
    np.testing.assert_array_equal(found[order], keys[expected > 0])
    np.testing.assert_array_equal(cells.counts[order], expected[expected > 0])


@pytest.mark.slow
@pytest.mark.parametrize("name", BIG)
def test_big_tables(name: str) -> None:
    y_true, y_pred = BIG[name]
    cells = kernel.crosstab(y_true, y_pred, threads=1)
    check_big(y_true, y_pred, cells, np.ones(len(y_true), dtype=np.int64))
    squares = cells.squares()
    rows, columns = kernel.margins(cells)
    assert squares[0] == len(y_true)
    assert squares[1] == sum(n * n for n in cells.counts.tolist())
    assert squares[2] == sum(a * a for a in rows.tolist())
    assert squares[3] == sum(b * b for b in columns.tolist())
    for threads in (0, 2, 3, 7):
        same_arrays(cells, kernel.crosstab(y_true, y_pred, threads=threads))


@pytest.mark.slow
@pytest.mark.parametrize("name", BIG)
def test_big_tables_with_counts_and_weights(name: str) -> None:
    y_true, y_pred = BIG[name]
    counts = RNG.integers(0, 3, len(y_true))
    cells = kernel.crosstab(y_true, y_pred, counts=counts, threads=1)
    check_big(y_true, y_pred, cells, counts)
    assert cells.squares()[0] == counts.sum()
    same_arrays(cells, kernel.crosstab(y_true, y_pred, counts=counts, threads=3))
    whole = counts.astype(np.float64)
    weighted = kernel.crosstab(y_true, y_pred, weights=whole, threads=2)
    np.testing.assert_array_equal(weighted.weights, cells.counts)
    same_arrays(weighted, kernel.crosstab(y_true, y_pred, weights=whole, threads=1))
    repeated = kernel.crosstab(y_true, y_pred, counts=counts, weights=np.full(len(counts), 0.5), threads=1)
    np.testing.assert_array_equal(repeated.weights, cells.counts * 0.5)
    np.testing.assert_array_equal(repeated.pairs, cells.counts * (cells.counts - 1) / 8)


def test_counts_that_overflow() -> None:
    ones = np.array([1, 1])
    assert kernel.crosstab(ones, ones, counts=np.array([2**62, 2**62 - 1])).counts.tolist() == [2**63 - 1]
    with pytest.raises(OverflowError, match="2\\^63"):
        kernel.crosstab(ones, ones, counts=np.array([2**62, 2**62]))
    assert kernel.crosstab(ones, ones, counts=np.array([2**62, 2**62 - 1])).squares()[1] == (2**63 - 1) ** 2


def test_weights_that_overflow() -> None:
    ones = np.array([1, 1])
    with pytest.raises(OverflowError, match="weights add up"):
        kernel.crosstab(ones, ones, weights=np.array([1.7e308, 1.7e308]))
    with pytest.raises(OverflowError, match="products"):
        kernel.crosstab(ones, ones, weights=np.array([1e200, 1e200]))
    with pytest.raises(OverflowError, match="weights add up"):
        kernel.crosstab(ones, ones, counts=np.array([10, 1]), weights=np.array([1.7e308, 1.0]))


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        ({"y_true": [1, 2]}, TypeError, "y_true must be a one-dimensional array of integers, not list"),
        ({"y_pred": np.array([1.0, 2.0])}, TypeError, "y_pred must be an array of integers"),
        ({"y_pred": np.array([True, False])}, TypeError, "integers"),
        ({"y_pred": np.array(["a", "b"])}, TypeError, "integers"),
        ({"y_pred": np.array([1, 2], dtype="datetime64[s]")}, TypeError, "y_pred"),
        ({"y_pred": np.array([1, 2], dtype=">i8")}, TypeError, "native byte order"),
        ({"y_pred": np.array([1, None])}, TypeError, "integers"),
        ({"y_pred": np.array([1, 2, 3])}, ValueError, "same length, not 2 and 3"),
        ({"y_pred": np.array([[1, 2]])}, ValueError, "dimension"),
        ({"y_pred": np.array(5)}, ValueError, "dimension"),
        ({"counts": np.array([1, -2])}, ValueError, "negative count at position 1"),
        ({"counts": np.array([1])}, ValueError, "counts must have the same length"),
        ({"counts": np.array([1, 2], dtype=np.int32)}, TypeError, "int64"),
        ({"weights": np.array([1.0])}, ValueError, "weights must have the same length"),
        ({"weights": np.array([1.0, math.nan])}, ValueError, "position 1"),
        ({"weights": np.array([math.inf, 1.0])}, ValueError, "position 0"),
        ({"weights": np.array([1.0, -1.0])}, ValueError, "position 1"),
        ({"weights": np.array([1, 1])}, TypeError, "float64"),
        ({"threads": -1}, ValueError, "threads"),
    ],
)
def test_crosstab_refuses(arguments: dict[str, Any], error: type[Exception], text: str) -> None:
    good = {"y_true": np.array([1, 2]), "y_pred": np.array([1, 2])}
    with pytest.raises(error, match=text):
        kernel.crosstab(**{**good, **arguments})


# --- Cells ------------------------------------------------------------------------------------------------------------


@quick
@given(st.booleans().flatmap(lambda weighted: tables(weighted, absent=True)))
def test_cells_are_merged_and_summed(args: tuple[Any, ...]) -> None:
    cells, table = both(args)
    assert cells.rows.tolist() == [e.row for e in table.entries]
    assert cells.columns.tolist() == [e.column for e in table.entries]
    assert cells.counts.tolist() == [e.count for e in table.entries]
    assert (cells.n_rows, cells.n_columns) == args[5:]
    assert cells.row_values.tolist() == list(range(cells.n_rows))
    assert cells.column_values.tolist() == list(range(cells.n_columns))
    assert cells.squares() == twin.squares(table)
    if table.weighted:
        assert all(near(w, e.weight) for w, e in zip(cells.weights, table.entries, strict=True))
        assert all(near(p, e.pairs) for p, e in zip(cells.pairs, table.entries, strict=True))


def test_cells_give_read_only_views_that_outlive_them() -> None:
    cells = kernel.crosstab(np.array([0, 0, 1]), np.array([0, 1, 1]), weights=np.ones(3))
    views = [cells.rows, cells.columns, cells.counts, cells.weights, cells.pairs, cells.row_values]
    del cells
    gc.collect()
    assert [view.tolist() for view in views[:3]] == [[0, 0, 1], [0, 1, 1], [1, 1, 1]]
    for view in views:
        assert not view.flags.writeable
        with pytest.raises(ValueError, match="WRITEABLE"):
            view.flags.writeable = True


def test_cells_are_immutable() -> None:
    cells = kernel.crosstab(np.array([0]), np.array([0]))
    for name in ("rows", "n_rows", "other"):
        with pytest.raises(AttributeError):
            setattr(cells, name, 1)


ints = np.array([0, 1], dtype=np.int32)
GOOD_CELLS: dict[str, Any] = {
    "rows": ints,
    "columns": ints,
    "counts": np.array([1, 1]),
    "weights": None,
    "pairs": None,
    "n_rows": 2,
    "n_columns": 2,
}


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        ({"rows": ints[:1]}, ValueError, "same length"),
        ({"counts": np.array([1])}, ValueError, "same length"),
        ({"rows": np.array([0, 1])}, TypeError, "rows must be an array of int32"),
        ({"counts": ints}, TypeError, "counts must be an array of int64"),
        ({"rows": np.array([0, -3], dtype=np.int32)}, ValueError, "row below ABSENT at position 1"),
        ({"columns": np.array([2, 0], dtype=np.int32)}, ValueError, "column not below n_columns at position 0"),
        ({"counts": np.array([1, -1])}, ValueError, "negative count at position 1"),
        ({"counts": np.array([2**62, 2**62])}, OverflowError, "2\\^63"),
        ({"weights": np.ones(2)}, ValueError, "together"),
        ({"pairs": np.ones(2)}, ValueError, "together"),
        ({"weights": np.ones(1), "pairs": np.ones(2)}, ValueError, "same length"),
        ({"weights": np.array([1, math.nan]), "pairs": np.zeros(2)}, ValueError, "weight .* position 1"),
        ({"weights": np.array([1.0, -1.0]), "pairs": np.zeros(2)}, ValueError, "weight .* position 1"),
        ({"weights": np.ones(2), "pairs": np.array([0, -1.0])}, ValueError, "pairs .* position 1"),
        ({"weights": np.full(2, 1.7e308), "pairs": np.zeros(2)}, OverflowError, "weights add up"),
        ({"n_rows": -1}, ValueError, "n_rows"),
        ({"n_columns": 2**31}, ValueError, "n_columns"),
        ({"n_rows": None}, TypeError, "incompatible function arguments"),
        ({"rows": np.full(2, ABSENT, np.int32), "columns": np.full(2, ABSENT, np.int32)}, ValueError, "both sides"),
    ],
)
def test_cells_refuse(arguments: dict[str, Any], error: type[Exception], text: str) -> None:
    kernel.Cells(**GOOD_CELLS)
    with pytest.raises(error, match=text):
        kernel.Cells(**{**GOOD_CELLS, **arguments})


def test_products_of_merged_cells_may_overflow() -> None:
    zeros = np.zeros(2, dtype=np.int32)
    with pytest.raises(OverflowError, match="products"):
        kernel.Cells(zeros, zeros, np.array([1, 1]), np.full(2, 1e200), np.zeros(2), 1, 1)


def test_squares_beyond_64_bits() -> None:
    zero = np.zeros(1, dtype=np.int32)
    huge = 2**63 - 1
    cells = kernel.Cells(zero, zero, np.array([huge]), None, None, 1, 1)
    assert cells.squares() == (huge, huge**2, huge**2, huge**2)
    assert kernel.profile(cells) == ([(huge, 1)], *[[(huge, 1, huge**2, huge, 1)]] * 2)
    everyone = kernel.overlaps(cells)
    assert everyone.totals == (huge << 84,) * 3
    lonely = kernel.Cells(zero - 1, zero - 1, np.array([huge]), None, None, 0, 0)
    assert lonely.squares() == (huge,) * 4


# --- profile, margins, pairs, overlaps --------------------------------------------------------------------------------


@quick
@given(tables(weighted=False, absent=True))
def test_profile_is_its_twin(args: tuple[Any, ...]) -> None:
    cells, table = both(args)
    assert kernel.profile(cells) == twin.profile(table)


def test_profile_of_large_sizes() -> None:
    counts = np.array([70_000, 3, 65_536, 65_535, 70_000, 10**12, 1])
    rows = np.array([0, 0, 1, 2, 3, 4, 5], dtype=np.int32)
    columns = np.array([0, 1, 1, 2, 2, 3, LONE], dtype=np.int32)
    cells, table = both((rows, columns, counts, None, None, 6, 4))
    assert kernel.profile(cells) == twin.profile(table)
    with pytest.raises(ValueError, match="weighted"):
        kernel.profile(kernel.crosstab(counts, counts, weights=counts.astype(float)))


def test_profile_in_two_threads() -> None:
    y_true, y_pred = BIG["all different"]
    ones = [(1, len(y_true), len(y_true), len(y_true), len(y_true))]
    assert kernel.profile(kernel.crosstab(y_true, y_pred)) == ([(1, len(y_true))], ones, ones)


@quick
@given(st.booleans().flatmap(lambda weighted: tables(weighted, absent=True)))
def test_margins_are_their_twin(args: tuple[Any, ...]) -> None:
    cells, table = both(args)
    for found, expected in zip(kernel.margins(cells), twin.margins(table), strict=True):
        assert found.dtype == (np.float64 if table.weighted else np.int64)
        assert len(found) == len(expected)
        assert all(near(a, Fraction(b)) for a, b in zip(found.tolist(), expected, strict=True))


@quick
@given(tables(weighted=True, absent=False))
def test_pair_weights_are_their_twin(args: tuple[Any, ...]) -> None:
    cells, table = both(args)
    for found, expected in zip(kernel.pair_weights(cells), twin.pair_weights(table), strict=True):
        assert found >= 0
        assert near(found, expected, 1e-14)


def test_pair_weights_do_not_cancel() -> None:
    y_true = np.array([0, 0, 1, 1, 2])
    y_pred = np.array([0, 0, 0, 0, 1])
    weights = np.array([1e8, 1e8, 1e8, 1e-8, 1e-9])
    cells = kernel.crosstab(y_true, y_pred, weights=weights)
    expected = twin.crosstab(y_true.tolist(), y_pred.tolist(), None, weights.tolist())
    table = twin.Table([e._replace(row=r, column=c) for (r, c), e in expected.items()], 3, 2, True)
    for found, exact in zip(kernel.pair_weights(cells), twin.pair_weights(table), strict=True):
        assert near(found, exact, 1e-14)
    everything_together = kernel.crosstab(np.arange(5), np.zeros(5, dtype=int), weights=weights)
    assert kernel.pair_weights(everything_together)[3] == 0.0


def test_pair_weights_refuse() -> None:
    one = np.zeros(1, dtype=np.int32)
    plain = kernel.crosstab(one, one)
    with pytest.raises(ValueError, match="weighted"):
        kernel.pair_weights(plain)
    absent = kernel.Cells(one, one + ABSENT, np.array([1]), np.ones(1), np.zeros(1), 1, 0)
    with pytest.raises(ValueError, match="both sides"):
        kernel.pair_weights(absent)
    with pytest.raises(ValueError, match="both sides"):
        kernel.overlaps(absent)
    two = np.array([0, 1])
    with pytest.raises(OverflowError, match="products"):
        kernel.pair_weights(kernel.crosstab(two, one.repeat(2), weights=np.full(2, 1e200)))


@settings(quick, max_examples=300)
@given(st.booleans().flatmap(lambda weighted: tables(weighted, absent=False)), st.data())
def test_overlaps_are_their_twin(args: tuple[Any, ...], data: st.DataObject) -> None:
    cells, table = both(args)
    ranks = flags = None
    if data.draw(st.booleans()):
        drawn = data.draw(st.permutations(range(cells.n_rows)))
        ranks = dressed(list(drawn), np.int32, data.draw(DRESSES))
    if data.draw(st.booleans()):
        flags = dressed(
            data.draw(st.lists(st.booleans(), min_size=cells.n_columns, max_size=cells.n_columns)),
            np.bool_,
            data.draw(DRESSES),
        )
    found = kernel.overlaps(cells, ranks, flags)
    expected = twin.overlaps(
        table, None if ranks is None else ranks.tolist(), None if flags is None else flags.tolist()
    )
    assert found.cells.tolist() == expected.cells
    assert found.best_rows.tolist() == expected.best_rows
    np.testing.assert_allclose(found.max_jaccard, expected.max_jaccard, rtol=1e-15)
    np.testing.assert_allclose(found.concentration, expected.concentration, rtol=1e-13, atol=2e-8)
    np.testing.assert_allclose(found.score, expected.score, rtol=1e-13, atol=2e-4 if table.weighted else 1e-13)
    if not table.weighted:
        assert found.sizes.tolist() == expected.sizes
        assert found.intersections.tolist() == expected.intersections
        assert found.unions.tolist() == expected.unions
        assert found.n_scored == expected.n_scored
        np.testing.assert_allclose(found.concentration, expected.concentration, rtol=1e-14)
        check_whole_totals(found, expected)
    else:
        np.testing.assert_allclose(found.sizes, np.array(expected.sizes, dtype=float), rtol=1e-15)
        np.testing.assert_allclose(found.intersections, np.array(expected.intersections, dtype=float), rtol=1e-15)
        np.testing.assert_allclose(found.unions, np.array(expected.unions, dtype=float), rtol=1e-15)
        assert found.n_scored == pytest.approx(float(expected.n_scored), rel=1e-15)
        assert found.totals[0] == pytest.approx(float(expected.totals[0]), rel=1e-14)
        assert found.totals[1] == pytest.approx(float(expected.totals[1]), rel=1e-7, abs=1e-5)


def check_whole_totals(found: kernel.Overlaps, expected: twin.Overlaps) -> None:
    assert found.totals[0] == expected.totals[0]
    for mine, exact in zip(found.totals[1:], expected.totals[1:], strict=True):
        assert isinstance(mine, int)
        assert abs(mine - exact) <= 1e-14 * exact


def test_even_columns_have_no_concentration_and_pure_ones_all() -> None:
    rows = np.array([0, 1, 2, 2], dtype=np.int32)
    columns = np.array([0, 0, 0, 1], dtype=np.int32)
    found = kernel.overlaps(kernel.Cells(rows, columns, np.array([5, 5, 5, 9]), None, None, 3, 2))
    assert found.concentration.tolist() == [0.0, 1.0]
    assert found.best_rows.tolist() == [0, 2]


@pytest.mark.parametrize("scale", [2.0**-600, 2.0**600])
def test_overlaps_do_not_depend_on_the_unit_of_weight(scale: float) -> None:
    y_true, y_pred = np.array([0, 1, 2, 3, 2]), np.array([0, 0, 0, 1, 1])
    weights = np.array([1.0, 2.0, 4.0, 1.5, 1.25])
    one = kernel.overlaps(kernel.crosstab(y_true, y_pred, weights=weights))
    other = kernel.overlaps(kernel.crosstab(y_true, y_pred, weights=weights * scale))
    for name in ("best_rows", "max_jaccard", "concentration", "score"):
        assert getattr(one, name).tolist() == getattr(other, name).tolist()
    assert [total * scale for total in one.totals] == list(other.totals)


def test_overlaps_of_huge_counts() -> None:
    big = 2**61
    rows = np.array([0, 1, LONE], dtype=np.int32)
    columns = np.array([0, 0, 1], dtype=np.int32)
    cells, table = both((rows, columns, np.array([big, big + 1, 50]), None, None, 2, 2))
    found, expected = kernel.overlaps(cells), twin.overlaps(table, None, None)
    assert found.best_rows.tolist() == [1, LONE]
    np.testing.assert_allclose(found.concentration, expected.concentration, rtol=1e-13)
    assert found.totals[0] == expected.totals[0]


def test_overlaps_refuse() -> None:
    cells = kernel.crosstab(np.arange(3), np.arange(3))
    for ranks in (np.zeros(2, dtype=np.int32), np.zeros((3, 1), dtype=np.int32)):
        with pytest.raises(ValueError):
            kernel.overlaps(cells, ranks)
    with pytest.raises(ValueError):
        kernel.overlaps(cells, None, np.zeros(4, dtype=bool))
    with pytest.raises(TypeError):
        kernel.overlaps(cells, np.zeros(3))
    with pytest.raises(TypeError):
        kernel.overlaps(cells, None, np.zeros(3))


# --- encoders ---------------------------------------------------------------------------------------------------------


def first_appearance(values: list[Any]) -> tuple[list[int], list[int]]:
    codes: dict[Any, int] = {}
    firsts: list[int] = []
    for i, value in enumerate(values):
        if value not in codes:
            codes[value] = len(codes)
            firsts.append(i)
    return [codes[value] for value in values], firsts


@quick
@given(st.integers(0, 60).flatmap(labels))
def test_encode_integers(array: np.ndarray) -> None:
    codes, firsts = kernel.encode_integers(array)
    assert (codes.dtype, firsts.dtype) == (np.int32, np.int64)
    assert (codes.tolist(), firsts.tolist()) == first_appearance(array.tolist())


def test_encode_many_integers() -> None:
    array = RNG.integers(-(2**63), 2**63 - 1, 60_000)[RNG.integers(0, 60_000, 200_000)]
    codes, firsts = kernel.encode_integers(array)
    np.testing.assert_array_equal(array[firsts][codes], array)
    assert len(firsts) == len(np.unique(array))
    assert (np.diff(firsts) > 0).all()


@quick
@given(st.integers(0, 20), st.data())
def test_encode_records(width: int, data: st.DataObject) -> None:
    records = data.draw(st.lists(st.binary(min_size=width, max_size=width), max_size=40))
    array = np.frombuffer(b"".join(records), dtype=np.uint8).reshape(len(records), width)
    codes, firsts = kernel.encode_records(array)
    assert (codes.tolist(), firsts.tolist()) == first_appearance(records)


def test_encode_records_refuses() -> None:
    with pytest.raises(ValueError, match="contiguous"):
        kernel.encode_records(np.zeros((4, 4), dtype=np.uint8)[:, ::2])
    with pytest.raises(TypeError):
        kernel.encode_records(np.zeros((4, 4), dtype=np.int8))
    with pytest.raises(ValueError, match="dimension"):
        kernel.encode_records(np.zeros(4, dtype=np.uint8))


def no(label: object, position: int) -> bool:
    return False


OBJECTS = st.one_of(
    st.text(max_size=3),
    st.integers(-3, 3),
    st.booleans(),
    st.floats(-2, 2).map(lambda x: round(x * 2) / 2),
    st.binary(max_size=2),
    st.tuples(st.integers(0, 2), st.text(max_size=1)),
    st.integers(2**70, 2**70 + 2),
)


@quick
@given(st.lists(OBJECTS, max_size=60), st.sampled_from([list, tuple, "array"]))
def test_encode_objects(values: list[Any], container: Any) -> None:
    given_labels = container(values) if container != "array" else np.empty(len(values), dtype=object)
    if container == "array":
        given_labels[:] = values
    codes, distinct = kernel.encode_objects(given_labels, no)
    expected, firsts = first_appearance(values)
    assert codes.tolist() == expected
    assert [(type(a), a) for a in distinct] == [(type(values[i]), values[i]) for i in firsts]


def test_encode_objects_asks_once_about_unusual_labels() -> None:
    asked: list[tuple[Any, int]] = []

    def inspect(label: object, position: int) -> bool:
        asked.append((label, position))
        return label == b"gone"

    values = [None, "a", 1, True, 2.0, 1.5, b"gone", b"x", b"go" + b"ne", 1.5, float("nan"), np.float64("nan"), "a"]
    codes, distinct = kernel.encode_objects(values, inspect)
    assert codes.tolist() == [-1, 0, 1, 1, 2, 3, -1, 4, -1, 3, -1, -1, 0]
    assert distinct == ["a", 1, 2.0, 1.5, b"x"]
    assert asked == [(1.5, 5), (b"gone", 6), (b"x", 7)]


def test_encode_many_objects() -> None:
    numbers = RNG.integers(0, 30_000, 100_000).tolist()
    codes, distinct = kernel.encode_objects([f"label {n}" for n in numbers], no)
    assert [distinct[c] for c in codes[:5000]] == [f"label {n}" for n in numbers[:5000]]
    assert codes.tolist() == first_appearance(numbers)[0]


def test_encode_objects_lets_errors_through() -> None:
    with pytest.raises(TypeError, match="unhashable"):
        kernel.encode_objects(["a", []], no)

    def refuse(label: object, position: int) -> bool:
        raise KeyError(position)

    with pytest.raises(KeyError, match="1"):
        kernel.encode_objects(["a", b"b"], refuse)

    class Unequal:
        def __hash__(self) -> int:
            return 1

        def __eq__(self, other: object) -> bool:
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        kernel.encode_objects([Unequal(), Unequal()], no)
    with pytest.raises(TypeError):
        kernel.encode_objects("abc", no)
    with pytest.raises(TypeError):
        kernel.encode_objects(np.arange(3), no)
    with pytest.raises(ValueError):
        kernel.encode_objects(np.empty((2, 2), dtype=object), no)


@pytest.mark.slow
def test_encode_objects_survives_labels_that_change_the_list() -> None:
    values: list[Any] = []

    class Meddler:
        def __init__(self, deed: Any) -> None:
            self.deed = deed

        def __hash__(self) -> int:
            self.deed()
            return 7

        def __eq__(self, other: object) -> bool:
            self.deed()
            return False

    values[:] = ["a", Meddler(lambda: values.append(1)), "b"]
    with pytest.raises(RuntimeError, match="changed size"):
        kernel.encode_objects(values, no)
    values[:] = [Meddler(values.clear), "b"]
    with pytest.raises(RuntimeError, match="changed size"):
        kernel.encode_objects(values, no)

    def replace() -> None:  # frees every label but leaves the length
        values[:] = [str(random.random()) for _ in values]
        gc.collect()

    for _ in range(20):
        values[:] = [str(i) * 2 for i in range(50)] + [Meddler(replace) for _ in range(3)] + [str(i) for i in range(50)]
        codes, distinct = kernel.encode_objects(values, no)
        assert len(codes) == 103
        assert max(codes) == len(distinct) - 1

    def shrink(label: object, position: int) -> bool:
        values.clear()
        return False

    values[:] = [b"x", b"y"]
    with pytest.raises(RuntimeError, match="changed size"):
        kernel.encode_objects(values, shrink)


def test_encode_objects_does_not_leak() -> None:
    label = ("a", 1)
    before = sys.getrefcount(label)
    for _ in range(10):
        kernel.encode_objects([label] * 100, no)
    assert sys.getrefcount(label) == before


# --- everything -------------------------------------------------------------------------------------------------------


def test_many_threads_at_once() -> None:
    y_true, y_pred = BIG["many"]
    expected = kernel.crosstab(y_true, y_pred)
    results: list[kernel.Cells] = []
    threads = [
        threading.Thread(target=lambda: results.append(kernel.crosstab(y_true, y_pred, threads=2))) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 4
    for cells in results:
        same_arrays(cells, expected)


GARBAGE = st.one_of(
    st.none(),
    st.just("text"),
    st.just(b"bytes"),
    st.integers(-5, 5),
    st.floats(),
    st.lists(st.integers(), max_size=3),
    st.sampled_from(
        [
            np.array(3),
            np.zeros((2, 2), dtype=np.int64),
            np.zeros(0, dtype=np.int64),
            np.zeros(3, dtype=complex),
            np.array(["a", "b"]),
            np.array([None, "b"], dtype=object),
            np.array([1, 2], dtype=">i4"),
            np.array([(1, 2.0)], dtype=[("a", int), ("b", float)]),
            np.ma.masked_array([1, 2], mask=[True, False]),
            np.zeros(2, dtype="datetime64[s]"),
            np.zeros(2, dtype=np.float16),
            np.array([np.nan, 1.0]),
            np.array([True, False]),
            np.array([2**63 - 1, 2**63 - 1]),
            np.array([-1, -2], dtype=np.int32),
            np.array([-1, 2**31 - 1], dtype=np.int32),
            np.broadcast_to(np.int64(4), (5,)),
            memoryview(b"abc"),
            kernel.crosstab(np.arange(3), np.arange(3)),
            object(),
            no,
        ]
    ),
)

DOORS = ["crosstab", "profile", "margins", "pair_weights", "overlaps", "Cells"]
DOORS += ["encode_integers", "encode_records", "encode_objects"]


@settings(quick, max_examples=500)
@given(
    st.sampled_from(
        [
            "crosstab",
            "crosstab_codes",
            "profile",
            "margins",
            "pair_weights",
            "overlaps",
            "encode_integers",
            "encode_records",
            "encode_objects",
            "Cells",
        ]
    ),
    st.lists(GARBAGE, max_size=8),
)
def test_garbage_only_raises(door: str, arguments: list[Any]) -> None:
    with contextlib.suppress(TypeError, ValueError, OverflowError):
        getattr(kernel, door)(*arguments)


# --- cells that come in parts -----------------------------------------------------------------------------------------


@quick
@given(pointsets(), st.integers(1, 7))
def test_collected_cells_are_those_of_the_points(points: tuple[Any, ...], size: int) -> None:
    y_true, y_pred = (labels.astype(np.int64) % 1000 - 500 for labels in points[:2])
    cells = kernel.crosstab(y_true, y_pred)
    if not len(cells):
        return
    parts = cells.row_values[cells.rows], cells.column_values[cells.columns], cells.counts.astype(np.int32)
    collector = kernel.CellCollector(len(cells), -500, 499, -500, 499)
    for begin in range(0, len(cells), size):
        collector.add(*(part[begin : begin + size] for part in parts))
    collected = collector.finish()
    assert collected.squares() == cells.squares()
    assert collected.row_values.tolist() == sorted(set(y_true.tolist()))
    assert collected.column_values.tolist() == sorted(set(y_pred.tolist()))
    found = collected.row_values[collected.rows], collected.column_values[collected.columns], collected.counts
    assert sorted(zip(*found, strict=True)) == sorted(zip(*parts, strict=True))


def test_collected_labels_may_be_anywhere() -> None:
    top = 2**64 - 1
    collector = kernel.CellCollector(2, top - 5, top, -(2**63), -(2**63) + 9)
    collector.add(np.array([top, top - 5], np.uint64), np.array([-(2**63), -(2**63) + 9]), np.array([1, 2]))
    cells = collector.finish()
    assert cells.row_values.tolist() == [top - 5, top]
    assert sorted(zip(cells.rows, cells.columns, cells.counts, strict=True)) == [(0, 1, 2), (1, 0, 1)]
    assert cells.column_values.tolist() == [-(2**63), -(2**63) + 9]


def test_many_cells_are_collected_in_several_threads() -> None:
    n = 300_000
    rows, columns = np.random.default_rng(0).permutation(n) * 2, np.arange(n)
    collector = kernel.CellCollector(n, 0, 2 * n, 0, n)
    collector.add(rows, columns, np.ones(n, np.int8))
    cells = collector.finish()
    assert sorted(cells.columns.tolist()) == columns.tolist()
    assert (rows[cells.columns] == 2 * cells.rows).all()
    assert cells.squares() == (n, n, n, n)


@pytest.mark.parametrize(
    ("parts", "error", "text"),
    [
        ([([0, 1], [0], [1, 1])], ValueError, "same length"),
        ([([0, 1], [0, 1], [1, 1]), ([2], [2], [1])], ValueError, "more cells"),
        ([([0], [0], [1])], ValueError, "fewer cells"),
        ([([-1, 0], [0, 1], [1, 1])], ValueError, "outside the range"),
        ([([0, 1], [0, 10], [1, 1])], ValueError, "outside the range"),
        ([([0, 1], [0, 2**40], [1, 1])], ValueError, "outside the range"),
        ([([0, 1], [0, 1], [1, 0])], ValueError, "not positive"),
        ([([0, 1], [0, 1], [2**62, 2**62])], OverflowError, "2\\^63"),
        ([([0], [0], [2**62]), ([1], [1], [2**62])], OverflowError, "2\\^63"),
    ],
)
def test_a_collector_refuses(parts: list[Any], error: type[Exception], text: str) -> None:
    collector = kernel.CellCollector(2, 0, 9, 0, 9)
    with pytest.raises(error, match=text):
        for part in parts:
            collector.add(*(np.array(column, np.int64) for column in part))
        collector.finish()


def test_a_collector_refuses_ranges_types_and_a_second_end() -> None:
    with pytest.raises(ValueError, match="range of 2\\^32"):
        kernel.CellCollector(1, 0, 2**32, 0, 1)
    collector = kernel.CellCollector(2, 0, 9, 0, 9)
    collector.add(np.array([1]), np.array([1]), np.array([1]))
    with pytest.raises(ValueError, match="one type"):
        collector.add(np.array([1], np.int32), np.array([2]), np.array([1]))
    collector.add(np.array([1]), np.array([2]), np.array([1]))
    assert len(collector.finish()) == 2
    for again in (collector.finish, lambda: collector.add(np.array([1]), np.array([1]), np.array([1]))):
        with pytest.raises(RuntimeError, match="finished"):
            again()
