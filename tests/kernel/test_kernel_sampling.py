"""Random tables: their sizes, their distribution, and that neither threads nor batches make a difference."""

from __future__ import annotations

import math
from collections import Counter
from math import comb, prod
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clustermark import _kernel as kernel

sizes = st.lists(st.integers(1, 12), min_size=1, max_size=6)


def array(values: Any) -> np.ndarray:
    return np.array(values, np.int64)


def cut(total: int, parts: list[int]) -> list[int]:
    """As many points as `total`, cut at these places."""
    ends = sorted({part % total for part in parts} - {0})
    return np.diff([0, *ends, total]).tolist()


@settings(max_examples=80, deadline=None)
@given(sizes, st.lists(st.integers(0, 1000), max_size=5), st.integers(1, 300), st.integers(0, 2**64 - 1))
def test_a_drawn_table_has_its_cluster_sizes(true: list[int], places: list[int], scale: int, seed: int):
    true = [size * scale for size in true]
    pred = cut(sum(true), places)
    rows, columns, counts = kernel.draw_table(array(true), array(pred), seed, 3)
    assert np.bincount(rows, counts, len(true)).tolist() == true
    assert np.bincount(columns, counts, len(pred)).tolist() == pred
    assert (counts > 0).all()
    assert len(set(zip(rows.tolist(), columns.tolist(), strict=True))) == len(rows)
    pairs = kernel.sample_pairs(array(true), array(pred), 2, seed, 2)
    assert pairs[1] == (counts * (counts - 1) // 2).sum()


def test_batches_and_numbers_of_tables_agree():
    true, pred = array([50, 30, 20]), array([40, 60])
    whole = kernel.sample_pairs(true, pred, 100, 7)
    parts = [kernel.sample_pairs(true, pred, 40, 7), kernel.sample_pairs(true, pred, 60, 7, 40)]
    assert whole.tolist() == np.concatenate(parts).tolist()
    assert whole.tolist() != kernel.sample_pairs(true, pred, 100, 8).tolist()


@pytest.mark.slow
@pytest.mark.parametrize("scale", [1, 40], ids=["shuffled", "count by count"])
def test_tables_come_as_often_as_permutations_give_them(scale: int):
    """n = 2x2 with margins (a, N - a) and (b, N - b): the first cell is hypergeometric."""
    a, b, total = 3 * scale, 4 * scale, 8 * scale
    draws = 40_000
    seen: Counter[int] = Counter()
    for number in range(draws):
        rows, columns, counts = kernel.draw_table(array([a, total - a]), array([b, total - b]), 11, number)
        seen[int(counts[(rows == 0) & (columns == 0)].sum())] += 1
    mean = a * b / total
    weights = {n: comb(b, n) * comb(total - b, a - n) / comb(total, a) for n in range(max(0, a + b - total), a + 1)}
    expected = {n: draws * weight for n, weight in weights.items() if draws * weight > 5}
    chi = sum((seen[n] - want) ** 2 / want for n, want in expected.items())
    assert chi < len(expected) + 5 * (2 * len(expected)) ** 0.5
    assert np.isclose(sum(n * times for n, times in seen.items()) / draws, mean, atol=0.02 * scale**0.5)


def test_wide_counts_have_the_right_mean_and_spread():
    a, b, total = 400_000, 300_000, 1_000_000
    draws = [kernel.sample_pairs(array([a, total - a]), array([b, total - b]), 4000, 5)]
    f2 = [sum(size * (size - 1) for size in side) for side in ((a, total - a), (b, total - b))]
    mean = f2[0] * f2[1] / (2 * total * (total - 1))
    assert abs(draws[0].mean() - mean) < 4 * draws[0].std() / 4000**0.5


@settings(max_examples=80, deadline=None)
@given(st.lists(st.integers(0, 500), min_size=1, max_size=20), st.integers(0, 2**64 - 1), st.integers(0, 100))
def test_a_half_is_a_half(counts: list[int], seed: int, number: int):
    half = kernel.draw_half(array(counts), seed, number)
    assert half.sum() == sum(counts) // 2
    assert (half >= 0).all()
    assert (half <= counts).all()
    assert half.tolist() == kernel.draw_half(array(counts), seed, number).tolist()


def test_every_half_is_alike_likely():
    counts, draws = [2, 1, 3], 20_000
    seen = Counter(tuple(kernel.draw_half(array(counts), 1, number).tolist()) for number in range(draws))
    for half, times in seen.items():
        want = draws * prod(comb(n, k) for n, k in zip(counts, half, strict=True)) / comb(6, 3)
        assert abs(times - want) < 5 * want**0.5
    assert len(seen) == 6


def test_large_halves_spread_as_hypergeometric_counts_do():
    counts = array([10**6, 10**6])
    first = np.array([kernel.draw_half(counts, 2, number)[0] for number in range(2000)])
    assert abs(first.mean() - 5e5) < 4 * first.std() / 2000**0.5
    assert np.isclose(first.var(), 1e6**2 * 1e6 * 1e6 / (2e6**2 * (2e6 - 1)), rtol=0.15)


@settings(max_examples=60, deadline=None)
@given(sizes, st.lists(st.integers(0, 1000), max_size=5))
def test_terms_add_up_to_expected_information(true: list[int], places: list[int]):
    pred = cut(sum(true), places)
    terms = kernel.expected_excesses(array(true), array(pred), sum(true))
    groups = [list(Counter(side).items()) for side in (true, pred)]
    assert np.isclose(terms.sum() / sum(true), kernel.expected_mutual_information(*groups), rtol=1e-12, atol=1e-15)
    assert kernel.expected_excesses(array([0, *true]), array(pred), sum(true))[: len(pred)].tolist() == [0.0] * len(
        pred
    )


@pytest.mark.parametrize("points", [9 * 10**3, 10**5, 2 * 10**6, 7 * 10**8])
def test_terms_of_large_clusters_add_up_as_well(points: int):
    """By walks, and by the series that takes over where a cell has to be expected to have a thousand points."""
    true, pred = [points // 3, points // 5, points - points // 3 - points // 5], [points // 7, points - points // 7]
    terms = kernel.expected_excesses(array(true), array(pred), points)
    wanted = kernel.expected_mutual_information([(size, 1) for size in true], [(size, 1) for size in pred])
    assert np.isclose(terms.sum() / points, wanted, rtol=2e-14, atol=0)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: kernel.draw_table(array([2, 0]), array([2]), 0, 0), "below 1"),
        (lambda: kernel.draw_table(array([2]), array([3]), 0, 0), "different numbers of points"),
        (lambda: kernel.draw_table(array([2**40]), array([2**40]), 0, 0), "too many points"),
        (lambda: kernel.draw_half(array([-1]), 0, 0), "below 0"),
        (lambda: kernel.draw_half(array([2**43]), 0, 0), "too many points"),
        (lambda: kernel.sample_pairs(array([2]), array([2]), -1, 0), "negative"),
        (lambda: kernel.expected_excesses(array([5]), array([1]), 4), "between 0 and the points"),
        (lambda: kernel.expected_excesses(array([1]), array([1]), 4, -1), "threads"),
    ],
)
def test_nonsense_is_refused(call: Any, message: str):
    with pytest.raises(ValueError, match=message):
        call()


def test_no_points_make_no_half():
    assert kernel.draw_half(array([]), 0, 0).tolist() == []
    assert kernel.draw_half(array([0, 1]), 0, 0).tolist() == [0, 0]


def test_departures_are_added_up():
    rng = np.random.default_rng(0)
    values, times = rng.random(5_000), rng.integers(1, 9, 5_000)
    total, squares, least, most = kernel.departures(values, times, 0.25)
    gap = values - 0.25
    assert np.isclose(total, (times * gap).sum(), rtol=1e-13)
    assert np.isclose(squares, (times * gap**2).sum(), rtol=1e-13)
    assert (least, most) == (gap.min(), gap.max())
    for wrong in (np.nan, np.inf):
        assert np.isnan(kernel.departures(np.array([0.5, wrong]), array([1, 1]), 0.25)[2:]).all()
    with pytest.raises(ValueError, match="same length"):
        kernel.departures(np.array([0.5]), array([1, 1]), 0.25)


TERMS = st.lists(
    st.floats(-1e290, 1e290) | st.floats(-1, 1) | st.integers(-(2**53), 2**53).map(float), min_size=1, max_size=50
)


@given(TERMS, st.randoms(use_true_random=False))
def test_sums_are_the_same_bits_in_any_order(terms, random):
    values = np.array(terms)
    total, largest = kernel.add(values), max(map(abs, terms))
    assert total == pytest.approx(math.fsum(terms), rel=1e-15, abs=len(terms) * largest * 2**-90)
    groups = np.array([random.randrange(3) for _ in terms])
    sums = kernel.add_by(groups, values, 4)
    score = 0.25
    departures = kernel.departures(values, groups + 1, score)
    order = np.array(random.sample(range(len(terms)), len(terms)))
    assert kernel.add(values[order]) == total
    assert kernel.add_by(groups[order], values[order], 4).tolist() == sums.tolist()
    np.testing.assert_array_equal(kernel.departures(values[order], groups[order] + 1, score), departures)
    for group in range(4):
        alone = [x for x, where in zip(terms, groups, strict=True) if where == group]
        assert sums[group] == pytest.approx(math.fsum(alone), rel=1e-15, abs=len(terms) * largest * 2**-90)


def test_sums_of_whole_numbers_are_exact():
    values = np.array([2.0**52, 1.0, -(2.0**52), 3.0])
    assert kernel.add(values) == 4
    assert kernel.add(np.array([])) == 0
    assert kernel.add_by(array([1, 1, 0]), np.array([1.0, 2.0, np.inf]), 3).tolist() == [np.inf, 3, 0]
    assert np.isnan(kernel.add(np.array([1.0, np.nan])))


@pytest.mark.parametrize(
    ("groups", "values", "n", "message"),
    [
        ([0], [0.5, 0.5], 1, "same length"),
        ([1], [0.5], 1, "from 0 to n_groups - 1"),
        ([-1], [0.5], 1, "from 0 to n_groups - 1"),
        ([], [], -1, "must not be negative"),
    ],
)
def test_groups_that_are_none(groups, values, n, message):
    with pytest.raises(ValueError, match=message):
        kernel.add_by(array(groups), np.array(values), n)
