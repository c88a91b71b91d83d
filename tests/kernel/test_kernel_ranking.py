"""The classes of points by their cells, and how values of classes vary together."""

from __future__ import annotations

from operator import mul
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clustermark import _kernel as kernel
from clustermark._kernel import ABSENT, LONE

MANY = 3_000
"""Tables with this number of labels on both sides are searched row by row."""


def made(labels: list[list[int]], codes: int) -> tuple[Any, ...]:
    """Points, the clusters of their codes, and cells; every fifth label is LONE, and code -1 is ABSENT."""
    rng = np.random.default_rng(len(labels))
    clusters = []
    for _ in range(2):
        numbers = np.full(codes + 2, ABSENT, np.int32)
        numbers[: codes + 1] = rng.permutation(codes + 1)
        numbers[:codes:5] = LONE
        clusters.append(numbers)
    true, pred = (np.array(side, np.int16) for side in zip(*labels, strict=True))
    pairs = sorted({(int(clusters[0][t]), int(clusters[1][p])) for t, p in zip(true, pred, strict=True)})
    rows, columns = (np.array(side, np.int32) for side in zip(*pairs, strict=True))
    counts = np.ones(len(pairs), np.int64)
    cells = kernel.Cells(rows, columns, counts, None, None, codes + 1, codes + 1)
    of = {(r, c): n for n, (r, c) in enumerate(zip(cells.rows.tolist(), cells.columns.tolist(), strict=True))}
    wanted = [of[int(clusters[0][t]), int(clusters[1][p])] for t, p in zip(true, pred, strict=True)]
    return cells, true, pred, *clusters, wanted


labelled = st.lists(st.tuples(st.integers(-1, 9), st.integers(0, 9)), min_size=1, max_size=60)


@given(labelled, st.sampled_from([10, MANY]), st.sampled_from([1, 300, 70_000]), st.integers(0, 3))
@settings(max_examples=60, deadline=None)
def test_every_point_has_the_class_of_its_cell(labels: list[list[int]], codes: int, times: int, threads: int):
    cells, true, pred, true_clusters, pred_clusters, wanted = made(labels, codes)
    classes = np.arange(len(cells), dtype=np.int32) * times
    found = kernel.classes_of_points(cells, true, pred, true_clusters, pred_clusters, classes, threads)
    assert found.tolist() == [times * place for place in wanted]
    assert found.dtype == np.min_scalar_type(int(classes.max())) or found.dtype == np.int32


def test_long_rows_are_searched():
    labels = [[0, column] for column in range(1, 40)]
    cells, true, pred, *clusters, wanted = made(labels, MANY)
    classes = np.arange(len(cells), dtype=np.int32)
    assert kernel.classes_of_points(cells, true, pred, *clusters, classes).tolist() == wanted


@given(
    st.integers(1, 5),
    st.integers(1, 2_000),
    st.sampled_from([np.uint8, np.uint16, np.int32]),
    st.booleans(),
)
@settings(max_examples=40, deadline=None)
def test_products_are_those_of_the_points_values(lists: int, points: int, kind: Any, counted: bool):
    rng = np.random.default_rng(points)
    classes = [rng.integers(0, 7, points).astype(kind) for _ in range(lists)]
    values = [rng.normal(size=7) for _ in range(lists)]
    counts = rng.integers(0, 9, points) if counted else None
    x = np.array([v[c] for v, c in zip(values, classes, strict=True)])
    weighted = x if counts is None else x * counts
    products, sums = kernel.add_products(classes, values, counts)
    assert np.allclose(products.reshape(lists, lists), weighted @ x.T, rtol=1e-12, atol=1e-11)
    assert np.allclose(sums, weighted.sum(axis=1), rtol=1e-12, atol=1e-11)


def test_neither_threads_nor_the_order_of_points_change_a_bit():
    rng = np.random.default_rng(0)
    classes = np.array([rng.integers(0, 50, 200_000) for _ in range(3)], np.uint8)
    values = [rng.normal(size=50) * 10.0**power for power in (-9, 0, 6)]
    counts = rng.integers(0, 4, 200_000)
    order = rng.permutation(200_000)
    one, *others = (
        [array.tobytes() for array in kernel.add_products(list(these), values, times, threads)]
        for these, times, threads in (
            (classes, counts, 1),
            (classes, counts, 2),
            (classes[:, order], counts[order], 5),
            (np.repeat(classes, counts, axis=1), None, 2),
        )
    )
    assert others == [one] * 3


@pytest.mark.parametrize("count", [1, 3, 2**30, 2**55])
def test_whole_numbers_are_multiplied_exactly(count: int):
    rng = np.random.default_rng(1)
    values = [rng.integers(-(2**14), 2**14, 9) for _ in range(3)]
    classes = [rng.integers(0, 9, 40).astype(np.uint8) for _ in range(3)]
    found, sums = kernel.add_products(classes, [v / 2**40 for v in values], np.full(40, count))
    x = [[int(v[c]) for c in own] for v, own in zip(values, classes, strict=True)]
    assert found.tolist() == [count * sum(map(mul, a, b)) / 2**80 for a in x for b in x]
    assert sums.tolist() == [count * sum(a) / 2**40 for a in x]
    assert kernel.add_products(classes[:1], [np.zeros(9)])[0].tolist() == [0.0]


def place(**change: Any) -> Any:
    cells, true, pred, true_clusters, pred_clusters, _ = made([(1, 2), (3, 4)], 10)
    given = {"y_true": true, "y_pred": pred, "true_clusters": true_clusters, "pred_clusters": pred_clusters}
    return kernel.classes_of_points(cells, **{**given, "classes": np.arange(2, dtype=np.int32), **change})


def multiply(*, classes: Any = ((0, 1), (1, 1)), values: Any = ((0.5, 1.0), (2.0, 3.0)), **more: Any) -> Any:
    lists = [np.array(one, more.pop("kind", np.uint8)) for one in classes]
    return kernel.add_products(lists, [np.array(one) for one in values], **more)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: place(y_true=np.array([1], np.int16)), "same length"),
        (lambda: place(y_true=np.array([1, 99], np.int16)), "every code must have a cluster"),
        (lambda: place(y_true=np.array([1, 3], np.int64)), "at most 32 bits"),
        (lambda: place(y_true=np.array([3, 1], np.int16)), "must be those of the cells"),
        (lambda: place(true_clusters=np.full(12, 99, np.int32)), "clusters must be those of the cells"),
        (lambda: place(true_clusters=np.full(12, -3, np.int32)), "clusters must be those of the cells"),
        (lambda: place(classes=np.arange(3, dtype=np.int32)), "one for each entry"),
        (lambda: place(classes=np.array([0, -1], np.int32)), "not be negative"),
        (lambda: place(threads=-1), "threads"),
        (lambda: multiply(classes=((0, 2), (0, 0))), "values must have a value for each class"),
        (lambda: multiply(classes=((0, 1), (0,))), "same length"),
        (lambda: multiply(classes=((0, 1),)), "classes and values must have the same length"),
        (lambda: multiply(classes=(), values=()), "classes must not be empty"),
        (lambda: multiply(kind=np.int64), "at most 32 bits"),
        (lambda: multiply(counts=np.array([1])), "one for each point"),
        (lambda: multiply(counts=np.array([1, -1])), "counts must not be negative"),
        (lambda: multiply(values=((0.5, np.inf), (2.0, 3.0))), "values must be finite"),
        (lambda: multiply(values=((0.5, 1.0), (np.nan, 3.0))), "values must be finite"),
        (lambda: multiply(threads=-1), "threads"),
    ],
)
def test_nonsense_is_refused(call: Any, message: str):
    with pytest.raises(ValueError, match=message):
        call()
