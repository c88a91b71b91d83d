"""Indices point by point, against sets of points."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import clustermark as cm

LABELINGS = st.integers(1, 12).flatmap(
    lambda n: st.tuples(*(st.lists(st.integers(0, 4), min_size=n, max_size=n) for _ in range(2)))
)


def sets_of(labels):
    """The cluster of each point, as the set of points in it."""
    return [frozenset(j for j, other in enumerate(labels) if other == label) for label in labels]


def pointwise_jaccard(true, pred, weights=None):
    """Point by point, as it is defined."""
    weights = [Fraction(w) for w in weights or [1] * len(true)]

    def size(points):
        return sum(weights[i] for i in points)

    total = sum(
        weight * size(a & b) / size(a | b) for weight, a, b in zip(weights, sets_of(true), sets_of(pred), strict=True)
    )
    return total / sum(weights)


@settings(max_examples=300, deadline=None)
@given(LABELINGS)
@example(([0, 1, 2, 3, 4], [0, 0, 0, 0, 0]))
def test_pointwise_jaccard_is_the_mean_over_points(labels):
    true, pred = labels
    score = cm.pointwise_jaccard(true, pred)
    expected = pointwise_jaccard(true, pred)
    assert score == pytest.approx(float(expected), rel=1e-15)
    assert 0 < score <= 1
    assert (score == 1) == (expected == 1) == cm.crosstab(true, pred).are_identical()
    assert cm.pointwise_jaccard(pred, true) == score


@settings(max_examples=200, deadline=None)
@given(LABELINGS, st.data())
def test_pointwise_jaccard_with_weights(labels, data):
    true, pred = labels
    weights = data.draw(st.lists(st.floats(1e-3, 1e3), min_size=len(true), max_size=len(true)))
    score = cm.pointwise_jaccard.of(cm.crosstab(true, pred, weights=weights))
    assert score == pytest.approx(float(pointwise_jaccard(true, pred, weights)), rel=1e-12)
    assert score <= 1
    assert cm.pointwise_jaccard.of(cm.crosstab(true, true, weights=weights)) == 1.0


def test_pointwise_jaccard_is_a_metric_with_weights_too():
    rng = np.random.default_rng(1)
    for _ in range(300):
        n = int(rng.integers(2, 9))
        weights = 10.0 ** rng.uniform(-3, 3, n)
        x, y, z = rng.integers(0, 4, (3, n))
        xy, yz, xz = (
            1 - cm.pointwise_jaccard.of(cm.crosstab(*pair, weights=weights)) for pair in ((x, y), (y, z), (x, z))
        )
        assert xz <= xy + yz + 1e-12


def test_pointwise_jaccard_with_noise_as_singletons():
    true, pred = [0, 0, 0, 1, -1, -1], [0, 0, -1, 1, 1, -1]
    table = cm.crosstab(true, pred, noise_true={-1: "singletons"}, noise_pred={-1: "singletons"})
    assert cm.pointwise_jaccard.of(table) == pytest.approx(
        float(pointwise_jaccard([0, 0, 0, 1, 2, 3], [0, 0, 2, 1, 1, 3])), rel=1e-15
    )


def test_pointwise_jaccard_of_huge_counts():
    huge = 2**61
    table = cm.crosstab([0, 0, 1], [0, 1, 1], counts=[huge, huge, huge])
    # two thirds of the points lie in clusters that share a half, one third in clusters that share a third
    assert cm.pointwise_jaccard.of(table) == pytest.approx(float(Fraction(2, 3) / 2 + Fraction(1, 3) / 3), rel=1e-15)
    assert cm.pointwise_jaccard.of(cm.crosstab([0], [0], counts=[2**63 - 1])) == 1.0


def test_pointwise_jaccard_needs_both_labels():
    table = cm.crosstab({"a": 0, "b": 0}, {"a": 0, "c": 1}, unmatched="keep")
    with pytest.raises(cm.UnsupportedTableError, match="pointwise_jaccard needs both labels of every item"):
        cm.pointwise_jaccard.of(table)


def test_pointwise_jaccard_below_its_neighbours():
    # of a cell n of clusters a and b: n / (a + b - n) is at most n / max(a, b), which is at most 2 n / (a + b)
    rng = np.random.default_rng(2)
    for _ in range(100):
        table = cm.crosstab(*rng.integers(0, 4, (2, 20)))
        scores = [i.of(table) for i in (cm.pointwise_jaccard, cm.element_centric, cm.b_cubed_elementwise_f)]
        assert scores == sorted(scores)
