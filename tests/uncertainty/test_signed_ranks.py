"""Effects by signed ranks: estimate, interval and probability."""

from __future__ import annotations

from itertools import compress, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clustermark.uncertainty.signed_ranks import critical_rank, shift_below, signed_rank_effect


@pytest.mark.parametrize("n", [1, 4, 6, 9, 11])
@pytest.mark.parametrize("level", [0.8, 0.95, 0.99])
def test_the_critical_rank_is_that_of_all_signs(n: int, level: float):
    sums = np.array([sum(compress(range(1, n + 1), signs)) for signs in product((0, 1), repeat=n)])
    wanted = max(k for k in range(n * (n + 1) // 2 + 1) if (sums < k).mean() <= (1 - level) / 2)
    assert critical_rank(n, level) == wanted


def test_the_normal_limit_continues_the_exact_ranks():
    assert abs(critical_rank(101, 0.95) - critical_rank(100, 0.95) - 39) <= 4
    assert [critical_rank(n, 0.95) - 1 for n in (8, 10, 15, 20)] == [3, 8, 25, 52]  # tables of critical values


@settings(max_examples=30, deadline=None)
@given(st.lists(st.floats(-5, 5), min_size=6, max_size=9))
def test_the_interval_holds_the_shifts_that_the_test_does_not_reject(values: list[float]):
    """Every shift inside is not rejected and every shift outside is, by all signs of the shifted differences."""
    d = np.array(values)
    found = signed_rank_effect(d)
    assert found.low <= found.value <= found.high
    for shift, inside in ((found.value, True), (found.low - 1e-3, False), (found.high + 1e-3, False)):
        moved = d - shift
        if len(set(np.abs(moved).round(9))) < len(d) or (np.abs(moved) < 1e-9).any():
            continue  # the test has ties there
        ranks = np.argsort(np.argsort(np.abs(moved))) + 1
        least = min(ranks[moved > 0].sum(), ranks[moved < 0].sum())
        rejected = least < critical_rank(len(d), 0.95)
        assert rejected != inside


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(-4, 4), min_size=2, max_size=8), st.integers(-4, 4))
def test_the_probability_is_the_mid_p_of_the_test(values: list[int], half: int):
    d, edge = np.array(values, np.float64), half / 2
    means = [(one + other) / 2 for i, one in enumerate(values) for other in values[i:]]
    below = sum(mean < edge for mean in means) + sum(mean == edge for mean in means) / 2
    ranks = range(1, len(d) + 1)
    sums = np.array([sum(compress(ranks, signs)) for signs in product((0, 1), repeat=len(d))])
    wanted = (sums < below).mean() + (sums == below).mean() / 2
    assert shift_below(d, edge) == pytest.approx(wanted)
    assert shift_below(-d, -edge) == pytest.approx(1 - wanted)


def test_the_probability_agrees_with_the_limits():
    d = np.random.default_rng(0).normal(0.3, 1, 14)
    found = signed_rank_effect(d)
    assert shift_below(d, found.low - 1e-9) < 0.025 < shift_below(d, found.low + 1e-9)
    assert shift_below(d, found.high - 1e-9) < 0.975 < shift_below(d, found.high + 1e-9)
    many = np.random.default_rng(1).normal(0.1, 1, 400)
    found = signed_rank_effect(many)
    assert shift_below(many, found.low) == pytest.approx(0.025, abs=0.001)
    assert shift_below(many, found.value) == pytest.approx(0.5, abs=0.001)


def test_no_difference_is_neither_better_nor_worse():
    assert shift_below(np.zeros(8), 0.0) == 0.5
    assert shift_below(np.zeros(8), 0.01) > 0.99
    assert signed_rank_effect(np.zeros(8)) == (0.0, 0.0, 0.0)


@pytest.mark.parametrize("kind", ["normal", "ties", "zeros"])
def test_equally_good_methods(kind: str):
    """The interval covers 0 in 95 % or more, and P(better) is spread evenly."""
    rng = np.random.default_rng(7)
    draw = {
        "normal": lambda: rng.normal(0, 1, 12),
        "ties": lambda: np.round(rng.normal(0, 1.5, 12)) / 10,
        "zeros": lambda: rng.normal(0, 1, 12) * (rng.random(12) < 0.6),
    }[kind]
    effects = [signed_rank_effect(draw()) for _ in range(400)]
    assert np.mean([found.low <= 0 <= found.high for found in effects]) >= 0.925
    better = np.array([1 - shift_below(draw(), 0.0) for _ in range(1_000)])
    assert 0.45 <= np.mean(better > 0.5) <= 0.55
    assert 0.03 <= np.mean((better > 0.95) | (better < 0.05)) <= 0.13
