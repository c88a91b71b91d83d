"""Accuracy of scores of scatter and centers: far from the origin with weights, and for features close to equal."""

from __future__ import annotations

from fractions import Fraction
from math import log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import clustermark as cm
from needs import need

LABELS = [0, 1, 2] * 10
SHIFTED = (
    "davies_bouldin", "xie_beni", "simplified_silhouette", "sd_distance", "pbm", "trace_wib", "log_det_ratio",
    "det_ratio", "calinski_harabasz", "r_squared", "within_sum_of_squares", "ball_hall", "ratkowsky_lance",
)  # fmt: skip


@pytest.mark.parametrize("offset", [1.7e9, 1e12])
def test_real_weights_keep_the_digits_of_points_far_from_the_origin(offset):
    rng = np.random.default_rng(0)
    far = rng.normal(size=(30, 2)) + offset
    near, w = far - offset, rng.random(30)  # the difference is exact
    parts = [(far[at : at + 7], LABELS[at : at + 7], w[at : at + 7]) for at in range(0, 30, 7)]
    batches = cm.Geometry.from_batches(parts)
    for name in SHIFTED:
        index = cm.find(name)
        expected = index(near, LABELS, weights=w)
        assert index(far, LABELS, weights=w) == pytest.approx(expected, rel=1e-13), name
        assert index.of(batches) == pytest.approx(expected, rel=1e-11), name


def exact_scatter(rows):
    middle = [sum(column) / len(rows) for column in zip(*rows, strict=True)]
    away = [[x - m for x, m in zip(row, middle, strict=True)] for row in rows]
    columns = list(zip(*away, strict=True))
    return [[sum(x * y for x, y in zip(one, other, strict=True)) for other in columns] for one in columns]


def exact_determinant(matrix):
    if len(matrix) == 1:
        return matrix[0][0]
    minors = ([row[:j] + row[j + 1 :] for row in matrix[1:]] for j in range(len(matrix)))
    return sum((-1) ** j * matrix[0][j] * exact_determinant(minor) for j, minor in enumerate(minors))


def exact_ratio(X, labels):
    """det T / det W in fractions; None if W is singular."""
    rows = [[Fraction(float(x)) for x in row] for row in X]
    own = [exact_scatter([row for row, label in zip(rows, labels, strict=True) if label == k]) for k in set(labels)]
    within = [[sum(one[i][j] for one in own) for j in range(len(rows[0]))] for i in range(len(rows[0]))]
    below = exact_determinant(within)
    return exact_determinant(exact_scatter(rows)) / below if below else None


def exact_scott_symons(X, labels):
    total = 0.0
    for k in set(labels):
        rows = [[Fraction(float(x)) for x in row] for row, label in zip(X, labels, strict=True) if label == k]
        determinant = exact_determinant(exact_scatter(rows)) / len(rows) ** len(rows[0])
        total += len(rows) * (log(determinant.numerator) - log(determinant.denominator))
    return total


@pytest.mark.parametrize(("apart", "accuracy"), [(1, 1e-13), (1e-2, 1e-12), (1e-5, 1e-9), (1e-7, 1e-7), (1e-9, 1e-5)])
def test_determinants_of_features_that_hardly_differ(apart, accuracy):
    X = np.random.default_rng(1).normal(size=(30, 3))
    X[:, 2] = X[:, 0] + apart * X[:, 2]
    ratio = exact_ratio(X, LABELS)
    assert cm.det_ratio(X, LABELS) == pytest.approx(float(ratio), rel=accuracy)
    assert cm.log_det_ratio(X, LABELS) == pytest.approx(30 * log(ratio), rel=10 * accuracy)
    assert cm.scott_symons(X, LABELS) == pytest.approx(exact_scott_symons(X, LABELS), rel=accuracy)
    batches = cm.Geometry.from_batches([(X[at : at + 7], LABELS[at : at + 7]) for at in range(0, 30, 7)])
    assert cm.log_det_ratio.of(batches) == pytest.approx(30 * log(ratio), rel=10 * accuracy)
    assert cm.scott_symons.of(batches) == pytest.approx(exact_scott_symons(X, LABELS), rel=accuracy)


def test_the_trace_keeps_the_digits_too():
    X = np.array([[0, 0], [1, 1], [2, 2], [1_000_000, 1_000_001], [5, 5], [7, 8]], float)
    labels = [0, 0, 0, 1, 1, 1]
    assert cm.det_ratio(X, labels) == pytest.approx(float(exact_ratio(X, labels)), rel=1e-9)
    assert cm.trace_wib(X, labels) == pytest.approx(float(exact_ratio(X, labels)) - 1, rel=1e-9)  # two clusters


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(*[st.integers(0, 3)] * 2), min_size=4, max_size=9), st.integers(-3, 3), st.integers(-3, 3))
def test_features_that_depend_on_each_other_are_singular(rows, a, b):
    X = np.array([(x, y, a * x + b * y) for x, y in rows], float)
    labels = [place % 2 for place in range(len(rows))]
    assert cm.log_det_ratio(X, labels) == 0
    with pytest.raises(cm.UndefinedIndexError):
        cm.det_ratio.strict(X * [0.1, 0.3, 0.7], labels)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(*[st.integers(0, 4)] * 2), min_size=5, max_size=9), st.sampled_from([1, 0.01, 1e-6]))
def test_determinants_are_those_of_fractions(rows, apart):
    X = np.array([(x, x + apart * y) for x, y in rows])
    labels = [place % 2 for place in range(len(rows))]
    whole = np.array(rows, float)
    if exact_ratio(whole, labels) is None:
        assert cm.det_ratio(X, labels) == 1
    else:
        assert cm.det_ratio(X, labels) == pytest.approx(float(exact_ratio(X, labels)), rel=1e-15 / apart**1.5 + 1e-12)


@pytest.mark.parametrize("name", ["det_ratio", "trace_wib", "log_det_ratio", "ratkowsky_lance", "scott_symons"])
def test_a_feature_whose_squares_vanish_is_refused(name):
    X = np.random.default_rng(2).normal(size=(30, 3))
    index = cm.find(name)
    tiny = X * [1, 1e-160, 1]
    with pytest.raises(
        cm.InputError, match=r"feature 1 differ by less than 1e-140, .* multiply this feature by 1e\+140"
    ):
        index(tiny, LABELS)
    with pytest.raises(cm.InputError, match="feature 1 differ"):
        index.of(cm.Geometry.from_batches([(tiny[:20], LABELS[:20]), (tiny[20:], LABELS[20:])]))
    small = index(X * [1, 1e-130, 1], LABELS)
    assert small == pytest.approx(
        index(X, LABELS) - (30 * 2 * 130 * log(10) if name == "scott_symons" else 0), rel=1e-12
    )
    constant = np.column_stack([X[:, 0], np.full(30, 1e-160)])
    assert cm.log_det_ratio(constant, LABELS) == 0  # singular, and not refused
    assert cm.silhouette(tiny, LABELS) == pytest.approx(cm.silhouette(X[:, [0, 2]], LABELS))


NEAR_LIMITS = [sign * (2**k + d) for sign in (1, -1) for k in (53, 62, 63) for d in (-1, 0, 1, 2)]
INTEGERS = st.integers(-(2**64), 2**64) | st.sampled_from(NEAR_LIMITS)


def columns_of(number):
    kinds = [np.int64, np.uint64, object]
    for kind in kinds:
        try:
            yield np.array([[number], [0]], kind)
        except OverflowError:
            continue
    yield [[number], [0]]
    yield [[number, 0.5], [0, 0.5]]
    if -(2**63) <= number < 2**63:
        pandas, polars, pyarrow = need("pandas"), need("polars"), need("pyarrow")
        columns = {"a": [number, 0], "b": [0.5, 0.5]}
        yield from (pandas.DataFrame(columns), polars.DataFrame(columns), pyarrow.table(columns))


@settings(max_examples=150, deadline=None)
@given(INTEGERS)
def test_an_integer_is_refused_exactly_if_a_double_rounds_it(number):
    for X in columns_of(number):
        if int(float(number)) == number:
            assert cm.within_sum_of_squares(X, [0, 1]) == 0
        else:
            with pytest.raises(cm.InputError, match="which float64 cannot hold exactly; subtract a constant"):
                cm.within_sum_of_squares(X, [0, 1])


@pytest.mark.parametrize(("scale", "largest"), [(1e300, 1), (1e34, 1), (1e10, 1e149)])
def test_weights_whose_sums_overflow_are_refused(scale, largest):
    X = np.random.default_rng(3).normal(size=(30, 2)) * largest
    with pytest.raises(cm.InputError, match=r"weights: they add up to .* sums of squares overflow; rescale them all"):
        cm.davies_bouldin(X, LABELS, weights=np.full(30, scale))
    with pytest.raises(cm.InputError, match="weights: they add up to"):
        cm.davies_bouldin.of(cm.Geometry.from_batches([(X, LABELS, np.full(30, scale))]))
    small = cm.davies_bouldin(X, LABELS, weights=np.full(30, 1e-300))
    assert small == pytest.approx(cm.davies_bouldin(X, LABELS), rel=1e-12)
