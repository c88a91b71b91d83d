"""Exact integers at any size."""

from __future__ import annotations

from fractions import Fraction
from math import inf, isqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import clustermark as cm
from clustermark.statistics.pairs import PairCounts


def pairs(n: int) -> int:
    return n * (n - 1) // 2


def exact_pair_counts(matrix: list[list[int]]) -> tuple[int, int, int, int]:
    yy = sum(pairs(n) for row in matrix for n in row)
    true = sum(pairs(sum(row)) for row in matrix)
    pred = sum(pairs(sum(column)) for column in zip(*matrix, strict=True))
    return yy, true - yy, pred - yy, pairs(sum(map(sum, matrix))) - true - pred + yy


def root(value: Fraction) -> float:
    """The square root, correct to far more digits than a double has."""
    scale = 10**60
    return float(Fraction(isqrt(value.numerator * scale * scale // value.denominator), scale))


@pytest.mark.parametrize(
    "matrix",
    [
        [[5 * 10**11, 10**9], [3, 5 * 10**11 - 10**9 - 3]],
        [[10**12]],
        [[2**62, 1], [1, 2**40]],
        [[10**11] * 5, [1, 2, 3, 4, 5], [10**11] * 5],
        [[32768, 0], [0, 32768]],
        [[30000, 2768], [2768, 30000]],
        [[2**31, 2**32], [2**32, 2**31]],
    ],
)
def test_large_tables_are_exact(matrix):
    table = cm.Contingency.from_matrix(matrix)
    yy, yn, ny, nn = exact_pair_counts(matrix)
    assert PairCounts.of(table) == (yy, yn, ny, nn)
    assert all(type(count) is int for count in PairCounts.of(table))
    assert table.profile.verify().squares == table.squares
    assert cm.rand.of(table) == float(Fraction(yy + nn, yy + yn + ny + nn))
    assert cm.jaccard.of(table) == float(Fraction(yy, yy + yn + ny))
    if yn or ny or nn:
        denominator = (yy + yn) * (yn + nn) + (yy + ny) * (ny + nn)
        assert cm.adjusted_rand.of(table) == float(Fraction(2 * (yy * nn - yn * ny), denominator))
    assert cm.fowlkes_mallows.of(table) == pytest.approx(root(Fraction(yy * yy, (yy + yn) * (yy + ny))), rel=2.3e-16)
    if yn + ny + nn:
        total = yy + yn + ny + nn
        tau = root(Fraction((yy + nn - yn - ny) ** 2, total * (total - yy)))
        assert abs(cm.tau.of(table)) == pytest.approx(tau, rel=2.3e-16)


@given(
    st.lists(st.lists(st.integers(0, 2**58), min_size=3, max_size=3), min_size=1, max_size=4).filter(
        lambda matrix: any(map(any, matrix))
    )
)
@settings(max_examples=200, deadline=None)
def test_pair_indices_are_correctly_rounded(matrix):
    table = cm.Contingency.from_matrix(matrix)
    assert PairCounts.of(table) == exact_pair_counts(matrix)
    for index in cm.catalogue():
        if index.statistic is PairCounts and index.facts.rational:
            assert index.of(table) == inf or index.of(table) == float(index.exact(table))


@given(st.floats(2**-20, 2**20), st.integers(0, 10**15), st.integers(0, 10**15), st.integers(0, 10**15))
@settings(max_examples=200, deadline=None)
def test_f_measure_is_correctly_rounded_for_any_beta(beta, yy, yn, ny):
    # the function itself, on pair counts no table needs to have
    p = PairCounts(yy, yn, ny, 0)
    square = Fraction(beta) ** 2
    if yy + yn + ny:
        expected = (1 + square) * yy / ((1 + square) * yy + square * yn + ny)
        assert float(cm.f_measure.__wrapped__(p, beta=beta)) == float(expected)


def test_sums_never_wrap():
    table = cm.Contingency.from_counts([0, 0, 1], [0, 1, 1], [2**61, 2**61, 2**61])
    assert table.n_used == 3 * 2**61
    assert table.squares.true == 2**124 + 2**122
    assert cm.max_jaccard.exact(table) == Fraction(1, 3) * Fraction(1, 2) + Fraction(2, 3) * Fraction(1, 2)
    assert cm.max_jaccard.of(table) == pytest.approx(0.5, rel=1e-15)


@pytest.mark.parametrize("n", [65_536, 92_684, 131_072, 200_000])
def test_two_balanced_clusters(n):
    true = np.repeat([0, 1], n // 2)
    pred = np.tile([0, 1], n // 2)
    quarter = n // 4
    assert PairCounts.of(cm.crosstab(true, pred)) == exact_pair_counts([[quarter, quarter], [quarter, quarter]])


def test_goodman_kruskal_and_gini_do_not_cancel():
    identical = cm.Contingency.from_matrix([[10**12, 0], [0, 1]])
    assert cm.goodman_kruskal_tau.of(identical) == cm.adjusted_gini.of(identical) == 1.0
    assert cm.goodman_kruskal_tau.of(cm.Contingency.from_matrix([[10**14, 1], [1, 1]])) == pytest.approx(
        0.25, rel=1e-12
    )
    nearly = cm.Contingency.from_matrix([[10**8, 1], [1, 1]])
    assert cm.goodman_kruskal_tau.of(nearly) == pytest.approx(0.24999999, rel=1e-12)
