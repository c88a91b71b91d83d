"""Published cases with known answers, each with its source; fractions where the source's value is rational."""

from __future__ import annotations

from fractions import Fraction
from math import sqrt

import pytest

import clustermark as cm
from clustermark.views.pairs import PairCounts

SEVENTEEN = (
    [1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3],
    [1, 1, 1, 1, 2, 1, 2, 2, 2, 2, 3, 1, 3, 3, 3, 2, 2],
)
"""scikit-learn and ELKI, tests of their cluster evaluation."""

BOOK = (
    [1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 3, 3, 3, 3],
    [1, 1, 1, 1, 1, 2, 3, 3, 1, 2, 2, 2, 2, 2, 3, 3, 3],
)
"""Manning, Raghavan & Schütze, Introduction to Information Retrieval, figure 16.4."""

FIVE = {"p": [0, 0, 1, 1, 1], "q": [0, 0, 0, 1, 1], "r": [0, 0, 1, 0, 0], "s": [0, 0, 1, 2, 2]}
"""partitionComparison (R), tests; 5 items."""


def test_seventeen_items():
    table = cm.crosstab(*SEVENTEEN)
    assert PairCounts.of(table) == (20, 20, 22, 74)
    assert cm.pair_precision.of(table) == pytest.approx(0.476190476190476, abs=1e-15)
    assert cm.pair_recall.of(table) == 0.5
    assert cm.f_measure.of(table) == pytest.approx(0.487804878048781, abs=1e-15)
    assert cm.f_measure.of(table, beta=5) == pytest.approx(0.499040307101727, abs=1e-15)
    assert cm.rand.of(table) == pytest.approx(0.691176470588235, abs=1e-15)
    assert cm.adjusted_rand.of(table) == pytest.approx(0.26694045174538, abs=1e-14)
    assert cm.fowlkes_mallows.of(table) == pytest.approx(0.487950036474267, abs=1e-15)
    assert cm.jaccard.of(table) == pytest.approx(0.32258064516129, abs=1e-14)


def test_information_retrieval_book():
    table = cm.crosstab(*BOOK)
    assert PairCounts.of(table) == (20, 24, 20, 72)
    assert cm.rand.exact(table) == Fraction(92, 136)
    assert cm.pair_precision.exact(table) == Fraction(1, 2)
    assert cm.pair_recall.exact(table) == Fraction(20, 44)
    assert cm.f_measure.of(table, beta=5) == pytest.approx(0.456140, abs=1e-6)
    assert cm.adjusted_rand.of(table) == pytest.approx(0.242915, abs=1e-6)


@pytest.mark.parametrize(
    ("index", "pq", "pr", "ps", "rs"),
    [
        (cm.rand, Fraction(3, 5), Fraction(2, 5), Fraction(4, 5), Fraction(3, 5)),
        (cm.adjusted_rand, Fraction(1, 6), Fraction(-2, 13), Fraction(6, 11), Fraction(2, 7)),
        (cm.jaccard, Fraction(1, 3), Fraction(1, 4), Fraction(1, 2), Fraction(1, 3)),
        (cm.pair_recall, Fraction(1, 2), Fraction(1, 2), Fraction(1, 2), Fraction(1, 3)),
        (cm.pair_precision, Fraction(1, 2), Fraction(1, 3), Fraction(1), Fraction(1)),
        (cm.dice, Fraction(1, 2), Fraction(2, 5), Fraction(2, 3), Fraction(1, 2)),
        (cm.fowlkes_mallows, 1 / 2, sqrt(6) / 6, sqrt(2) / 2, sqrt(3) / 3),
    ],
    ids=lambda value: getattr(value, "name", ""),
)
def test_partition_comparison(index, pq, pr, ps, rs):
    for pair, expected in zip(("pq", "pr", "ps", "rs"), (pq, pr, ps, rs), strict=True):
        table = cm.crosstab(FIVE[pair[0]], FIVE[pair[1]])
        if isinstance(expected, Fraction):
            assert index.exact(table) == expected
        assert index.of(table) == pytest.approx(float(expected), rel=1e-15)


@pytest.mark.parametrize(
    ("index", "true", "pred", "expected", "source"),
    [
        (cm.rand, [2, 0, 2, 1, 1, 0, 2, 2, 1, 2], [1, 1, 2, 1, 1, 0, 2, 2, 0, 2], 0.711111, "igraph"),
        (cm.adjusted_rand, [2, 0, 2, 1, 1, 0, 2, 2, 1, 2], [1, 1, 2, 1, 1, 0, 2, 2, 0, 2], 0.312573, "igraph"),
        (cm.fowlkes_mallows, [0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2], 4 / sqrt(72), "scikit-learn"),
        (cm.fowlkes_mallows, [0, 0, 0, 1, 1, 2], [1, 1, 2, 2, 0, 0], 1 / sqrt(12), "scikit-learn"),
        (cm.fowlkes_mallows, [0, 0, 0, 0], [0, 1, 2, 3], 0.0, "scikit-learn"),
        (cm.adjusted_rand, [0, 0, 1, 2], [0, 0, 1, 1], 4 / 7, "scikit-learn"),
        (cm.adjusted_rand, [0, 0, 1, 1], [0, 1, 0, 1], -0.5, "scikit-learn, the lower bound"),
        (cm.adjusted_rand, [0, 0, 0, 1, 1, 1], [0, 1, 0, 1, 2, 2], 8 / 33, "scikit-learn"),
        (cm.adjusted_rand, [1] * 21 + [0], [1] * 22, 0.0, "scikit-learn issue 12940"),
        (cm.adjusted_rand, [1] * 10, [2] * 10, 1.0, "clusteval issue 26"),
        (cm.fowlkes_mallows, [0, 1, 2], [0, 1, 2], 1.0, "scikit-learn pull request 34625"),
        (cm.pair_precision, [0, 0, 1, 1, 2, 3, 4, 5, 5, 5, 5], [0, 0, 1, 1, 2, 2, 3, 4, 5, 5, 6], 3 / 4, "cdp issue 8"),
        (cm.pair_recall, [0, 0, 1, 1, 2, 3, 4, 5, 5, 5, 5], [0, 0, 1, 1, 2, 2, 3, 4, 5, 5, 6], 3 / 8, "cdp issue 8"),
        (cm.pair_precision, list("aaabbccd"), [1, 1, 2, 3, 2, 4, 4, 4], 0.4, "er-evaluation"),
        (cm.pair_recall, list("aaabbccd"), [1, 1, 2, 3, 2, 4, 4, 4], 0.4, "er-evaluation"),
        (cm.pair_precision, [2, 1, 1, 2], [1, 2, 3, 1], 1.0, "scikit-image test, with issue 6485 mended"),
        (cm.pair_recall, [2, 1, 1, 2], [1, 2, 3, 1], 0.5, "scikit-image test, with issue 6485 mended"),
        (cm.dice, [2, 1, 1, 2], [1, 2, 3, 1], 2 / 3, "scikit-image: 1 - adapted Rand error"),
        (cm.pair_precision, [1, 2, 3, 2], [1, 1, 1, 1], 1 / 6, "scikit-image issue 6485"),
        (cm.rand, [0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2], 2 / 3, "river"),
    ],
)  # fmt: skip
def test_small_cases(index, true, pred, expected, source):
    assert index(true, pred) == pytest.approx(expected, abs=1e-6), source


def test_genieclust():
    table = cm.Contingency.from_matrix([[1, 10], [8, 2]])
    assert cm.adjusted_rand.of(table) == pytest.approx(0.485014, abs=1e-6)
    assert cm.rand.of(table) == pytest.approx(0.742857, abs=1e-6)
    assert cm.fowlkes_mallows.of(table) == pytest.approx(0.73, abs=5e-3)


def test_a_table_that_overflows_32_bits():
    # scikit-learn's regression test for overflow in Fowlkes–Mallows
    table = cm.Contingency.from_matrix([[52632, 2529], [14660, 793], [3271, 204], [814, 39], [316, 20]])
    assert PairCounts.of(table) == (1501748933, 145437058, 1074582665, 111582347)
    assert cm.fowlkes_mallows.of(table) == pytest.approx(0.7289959776, abs=1e-10)
    assert cm.adjusted_rand.of(table) == pytest.approx(0.0064866418, abs=1e-10)


def test_perfect_matches():
    # scikit-learn's list of labelings that must score 1
    for true, pred in [
        ([0], [1]),
        ([0, 0, 0], [0, 0, 0]),
        ([0, 1, 0], [42, 7, 42]),
        ([0.0, 1.0, 0.0], [42.0, 7.0, 42.0]),
        ([0.0, 1.0, 2.0], [42.0, 7.0, 2.0]),
        ([0, 1, 2], [42, 7, 2]),
    ]:
        for index in (cm.rand, cm.adjusted_rand, cm.fowlkes_mallows):
            assert index(true, pred) == 1.0
