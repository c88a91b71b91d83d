"""Tests against chance, exact moments, and indices corrected for chance."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import permutations
from math import comb, factorial, isclose, isnan
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

import clustermark as cm
from clustermark.registry import index_of
from clustermark.registry.adjustment import count_tables
from clustermark.registry.lookup import REGISTRY
from clustermark.statistics.chance import pair_moments, pair_variance, pearson_tail
from clustermark.statistics.pairs import PairCounts
from clustermark.tables.drawn_tables import RandomTables
from clustermark.uncertainty.all_tables import find_all_tables, tail_of_two

TWO_BY_TWO = cm.Contingency.from_matrix([[5, 1], [2, 4]])
RNG = np.random.default_rng(0)
TRUE = RNG.integers(0, 8, 500)
PRED = np.where(RNG.random(500) < 0.3, RNG.integers(0, 8, 500), TRUE)
TABLE = cm.crosstab(TRUE, PRED)


def moments(true: tuple[int, ...], pred: tuple[int, ...]) -> tuple[Fraction, ...]:
    return pair_moments(Counter(true).items(), Counter(pred).items())


@pytest.mark.parametrize(
    ("true", "pred", "wanted"),
    [
        ((3, 2), (2, 3), (Fraction(8, 5), Fraction(21, 25), Fraction(159, 125))),
        ((4, 3), (3, 3, 1), (Fraction(18, 7), Fraction(312, 245), Fraction(912, 343))),
        ((3, 2, 2), (2, 4, 1), (Fraction(5, 3), Fraction(244, 315), Fraction(668, 945))),
        ((6, 6), (7, 5), (Fraction(155, 11), Fraction(560, 121), Fraction(32320, 1331))),
    ],
)
def test_golden_moments(true: tuple[int, ...], pred: tuple[int, ...], wanted: tuple[Fraction, ...]):
    assert moments(true, pred) == wanted


def labels(sizes: tuple[int, ...]) -> list[int]:
    return [cluster for cluster, size in enumerate(sizes) for _ in range(size)]


@settings(max_examples=25, deadline=None)
@given(st.lists(st.integers(0, 3), min_size=2, max_size=6), st.data())
def test_moments_are_those_of_all_permutations(true: list[int], data: st.DataObject):
    pred = data.draw(st.lists(st.integers(0, 3), min_size=len(true), max_size=len(true)))
    scores = [int(PairCounts.of(cm.crosstab(true, shuffled)).yy) for shuffled in permutations(pred)]
    n = factorial(len(pred))
    mean = Fraction(sum(scores), n)
    wanted = (mean, *(sum((score - mean) ** power for score in scores) / n for power in (2, 3)))
    sizes = [tuple(Counter(side).values()) for side in (true, pred)]
    assert moments(*sizes) == wanted
    squares = [(sum(x**2 for x in side), sum(x**3 for x in side)) for side in sizes]
    assert moments(*sizes).variance == pair_variance(len(true), *squares)


def test_golden_tails():
    mean, variance, third = moments((6, 6), (7, 5))
    deviation = float(variance) ** 0.5
    z = float(17 - mean) / deviation
    assert isclose(pearson_tail(z, 0.0), 0.088148, abs_tol=5e-7)
    assert isclose(pearson_tail(z, float(third) / deviation**3), 0.091588, abs_tol=5e-7)
    assert isclose(pearson_tail(0.3, -0.5), 1 - pearson_tail(-0.3, 0.5), rel_tol=1e-12)
    assert pearson_tail(-9.0, 1.0) == 1.0
    assert pearson_tail(9.0, -1.0) == 0.0


EXACT = (([[5, 1], [2, 4]], 8 / 33), ([[2, 1, 0], [0, 2, 1]], 2 / 5))
"""The share of all permutations of a table that put as many pairs together."""


@pytest.mark.parametrize(("matrix", "wanted"), EXACT)
def test_small_tables_are_enumerated(matrix: list[list[int]], wanted: float):
    test = cm.chance_test(cm.Contingency.from_matrix(matrix), "adjusted_rand")
    assert test.p_value == pytest.approx(wanted, rel=1e-12)
    assert test.method.startswith("enumeration of all")
    assert (test.draws, test.p_low, test.p_high) == (0, None, None)


@pytest.mark.parametrize(("matrix", "wanted"), EXACT)
def test_random_tables_that_are_asked_for_are_all_drawn(matrix: list[list[int]], wanted: float):
    table = cm.Contingency.from_matrix(matrix)
    tests = [cm.chance_test(table, "adjusted_rand", draws=2000, seed=seed) for seed in range(40)]
    assert {test.draws for test in tests} == {2000}
    assert all(test.p_value == (test.exceedances + 1) / 2001 for test in tests)
    assert np.mean([test.p_value for test in tests]) == pytest.approx(wanted, rel=0.03)
    assert np.mean([test.p_low <= wanted <= test.p_high for test in tests]) >= 0.9


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=3, max_size=7),
    st.sampled_from(["adjusted_rand", "v_measure", "purity", "modified_adjusted_rand"]),
)
def test_the_exact_p_value_is_the_share_of_all_permutations(points: list[tuple[int, int]], name: str):
    true, pred = map(list, zip(*points, strict=True))
    index = index_of(name)
    score = index(true, pred)
    scores = np.array([index(true, list(shuffled)) for shuffled in permutations(pred)])
    try:
        test = cm.chance_test(cm.crosstab(true, pred), name)
    except cm.UnsupportedTableError:
        assert np.ptp(scores) < 1e-9
        return
    wanted = np.mean(scores >= score - 1e-11)
    assert test.p_value == pytest.approx(wanted, rel=1e-9)
    assert test.null_mean == pytest.approx(np.mean(scores), abs=1e-9)
    assert test.null_sd == pytest.approx(np.std(scores), abs=1e-7)


def test_there_are_as_many_tables_as_by_definition():
    rng = np.random.default_rng(0)
    for k in (2, 3, 4):
        table = cm.crosstab(rng.integers(0, k, 12), rng.integers(0, 3, 12))
        tables = find_all_tables(table)
        assert len(tables.cells) == count_tables(table, 10**5)
        assert len(np.unique(tables.cells, axis=0)) == len(tables.cells)
        assert tables.shares.sum() == pytest.approx(1)
        assert find_all_tables(table, len(tables.cells)) is not None
        assert find_all_tables(table, len(tables.cells) - 1) is None


@pytest.mark.parametrize(("first", "rest"), [(500, (450, 480, 570)), (300, (20, 30, 900)), (40, (2, 1, 3000))])
def test_two_clusters_of_very_many_points_are_nearly_normal(first: int, rest: tuple[int, int, int]):
    table = cm.Contingency.from_matrix([[first, rest[0]], [rest[1], rest[2]]])
    exact = cm.chance_test(table, "adjusted_rand").p_value
    if exact > 1e-3:
        assert tail_of_two(table) == pytest.approx(exact, rel=0.02)
    large = cm.Contingency.from_matrix([[10**8 + 9000, 10**8], [10**8, 10**8 + 9000]])
    found = cm.chance_test(large, "adjusted_rand")
    assert found.method == "the normal limit of the hypergeometric distribution"
    assert found.p_value == pytest.approx(2 * NormalDist().cdf(-0.9), rel=1e-3)


def test_the_size_for_given_cluster_sizes_is_right_with_the_default_seed():
    """With ten exceedances at seed 0 it was up to 9.5 %: the critical value was that of the same 199 tables."""
    rng = np.random.default_rng(11)
    for _ in range(6):
        k, m, n = rng.integers(2, 12), rng.integers(2, 12), rng.integers(100, 500)
        sides = [np.r_[np.arange(c), rng.choice(c, n - c, p=rng.dirichlet(np.ones(c) * 3))] for c in (k, m)]
        table = cm.crosstab(*sides)
        null = RandomTables(table, 777).pairs(0, 4000)
        drawn = np.sort(RandomTables(table, 0).pairs(0, 9999))
        p = (len(drawn) - np.searchsorted(drawn, null, "left") + 1) / (len(drawn) + 1)
        found = cm.chance_test(table, "adjusted_rand")
        if found.draws:
            assert found.draws == 9999
            pairs = (table.squares.cells - table.n_used) // 2
            assert found.p_value == (np.sum(drawn >= pairs) + 1) / 10_000
        assert np.mean(p <= 0.05) < 0.065


def test_null_variances_are_known():
    for matrix, wanted in (([[2, 1, 0], [0, 2, 1]], 21 / 289), ([[4, 5, 3], [3, 8, 4]], 193984 / 76817535)):
        test = cm.chance_test(cm.Contingency.from_matrix(matrix), "adjusted_rand")
        assert test.null_sd**2 == pytest.approx(wanted, rel=1e-12)
        assert test.null_mean == 0


def test_a_test_at_the_floor():
    test = cm.evaluate(TRUE, PRED).test("adjusted_rand", draws=999, seed=4)
    assert (test.p_value, test.draws, test.exceedances, test.seed) == (1 / 1000, 999, 0, 4)
    assert test.approximate_p < 1e-20
    assert test.notes == (
        "no random table scored as well: the p-value is the smallest that this number of tables can give",
        "Pearson III: p below 1e-300",
        "Monte Carlo error: by all tables p lies between 0 and 0.0037 (95 %)",
    )
    assert repr(test).startswith("Test of adjusted_rand against chance by random tables")
    assert "adjusted_rand  0.489  0.0010 " in repr(test)
    assert test.to_dict()["draws"] == 999


def test_a_family_has_one_chance():
    noise = np.random.default_rng(2).integers(0, 5, (2, 300))
    evaluation = cm.evaluate(*noise)
    for names in (("adjusted_rand", "jaccard", "rand_distance", "rv"), ("nmi", "ami", "variation_of_information")):
        tests = [evaluation.test(name) for name in names]
        assert len({(test.p_value, test.draws) for test in tests}) == 1
        assert tests[0].draws == 9999
        assert tests[0].p_value == (tests[0].exceedances + 1) / 10_000
        assert tests[0].p_low < tests[0].p_value < tests[0].p_high


@pytest.mark.parametrize("name", ["adjusted_rand", "nmi"])
def test_large_tables_stop_early(name: str):
    found = [cm.evaluate(*np.random.default_rng(seed).integers(0, 20, (2, 12_000))).test(name) for seed in (2, 4)]
    for test in found:
        assert test.exceedances == 100
        assert test.p_value == 100 / test.draws
        # with the lower limit at most this number of draws has probability 2.5 %, and with the upper one at least
        assert binom.sf(99, test.draws, test.p_low) == pytest.approx(0.025)
        assert test.p_high == 1 or binom.sf(99, test.draws - 1, test.p_high) == pytest.approx(0.975)
        assert test.p_low < test.p_value <= test.p_high <= 1


@pytest.mark.parametrize("name", ["jaccard", "normalized_information_distance", "normalized_variation_of_information"])
def test_means_of_what_is_not_even_come_from_the_draws(name: str):
    test = cm.chance_test(TABLE, name, draws=400)
    mean = np.mean([cm.find(name)(TRUE, np.random.default_rng(seed).permutation(PRED)) for seed in range(300)])
    assert test.null_mean == pytest.approx(mean, abs=5 * test.null_sd / 300**0.5)


def test_options_without_a_formula_still_have_a_chance():
    test = cm.chance_test(TABLE, "normalized_mutual_information(average='max')", draws=100)
    assert test.p_value == 1 / 101
    assert isnan(test.null_mean)


SMALL_TRUE, SMALL_PRED = [0, 0, 0, 1, 1, 2], [0, 0, 1, 1, 2, 0]


@pytest.mark.parametrize(
    "name", ["modified_adjusted_rand", "lerman", "normalized_lerman", "v_measure", "v_measure(beta=2)"]
)
def test_what_chance_gives_is_known_of_every_pair_index(name: str):
    index = index_of(name)
    scores = np.array([index(SMALL_TRUE, shuffled) for shuffled in set(permutations(SMALL_PRED))])
    test = cm.chance_test(cm.crosstab(SMALL_TRUE, SMALL_PRED), name, draws=400)
    near = 0.1 if name == "modified_adjusted_rand" else 1e-9  # the others have exact moments
    assert test.null_mean == pytest.approx(scores.mean(), abs=near)
    assert test.null_sd == pytest.approx(scores.std(), abs=near)


def test_an_index_that_does_not_rise_with_pairs_is_tested_by_its_scores():
    true, pred = [0, 0, 0, 1, 1, 1, 2, 2], [0, 0, 1, 1, 1, 2, 2, 0]
    table = cm.crosstab(true, pred)
    assert cm.chance_test(table, "modified_adjusted_rand").p_value == pytest.approx(
        41 / 140
    )  # 43/70 have as many pairs

    @cm.index(PairCounts, title="Not too many pairs", formula="yy * yn / (yy + yn) ** 2")
    def not_too_many(pairs):
        return pairs.yy * pairs.yn / (pairs.yy + pairs.yn) ** 2

    try:
        scores = [not_too_many(true, shuffled) for shuffled in set(permutations(pred))]
        wanted = np.mean(np.array(scores) >= not_too_many(true, pred) - 1e-12)
        assert cm.chance_test(table, not_too_many).p_value == pytest.approx(wanted)
    finally:
        REGISTRY.remove(not_too_many)


def test_a_score_that_chance_never_reaches_is_better_than_chance():
    table = cm.Contingency.from_counts([0, 0, 1, 1, 2, 2], [0, 1, 0, 1, 1, 2], [3000, 1000, 1000, 2000, 1000, 4000])
    test = cm.chance_test(table, "purity", draws=99)
    assert test.p_value == 1 / 100
    assert (test.null_mean, test.null_sd) == pytest.approx((5 / 12, 0))
    thirds = [i // 3 for i in range(600)]
    assert cm.evaluate(thirds, thirds).test("cluster_recall", draws=99).p_value == 1 / 100


@pytest.mark.slow
def test_the_size_of_the_test_is_right():
    rejected = 0
    for seed in range(400):
        rng = np.random.default_rng(seed)
        noise = rng.integers(0, 3, (2, 60))
        rejected += cm.chance_test(cm.crosstab(*noise), "adjusted_rand", draws=199, seed=seed).p_value <= 0.05
    assert rejected / 400 < 0.065 + 2 * (0.05 * 0.95 / 400) ** 0.5


@pytest.mark.parametrize(
    ("table", "index", "message"),
    [
        (TABLE, "mcnemar", "has no better and worse"),
        (cm.crosstab([0, 0, 0], [0, 0, 1]), "jaccard", "no permutation changes it"),
        (cm.crosstab([0, 0, 0], [0, 0, 1]), "nmi", "no permutation changes it"),
        (cm.crosstab([0, 0, 0], [0, 0, 1]), "purity", "no permutation changes it"),
        (cm.crosstab([0, 0, 1], [0, 0, 1], weights=[1.0, 2.0, 3.0]), "jaccard", "cannot be permuted"),
        (cm.Contingency.from_matrix([[2**32, 1], [1, 5]]), "purity", "too many points"),
    ],
)
def test_what_cannot_be_tested_is_refused(table: cm.Contingency, index: str, message: str):
    with pytest.raises(cm.UnsupportedTableError, match=message):
        cm.chance_test(table, index)


def test_mistakes_are_named():
    with pytest.raises(cm.InputError, match="made of a table"):
        cm.chance_test([0, 1], "rand")
    with pytest.raises(cm.InputError, match="draws=3 must be a whole number, 10 or more"):
        cm.chance_test(TABLE, "rand", draws=3)
    with pytest.raises(cm.InputError, match="seed=-1 must be"):
        cm.chance_test(TABLE, "rand", seed=-1)


def test_very_many_points_are_left_to_moments():
    test = cm.chance_test(cm.Contingency.from_matrix([[2**32, 2**31, 0], [2**31, 2**32, 0], [0, 1, 1]]), "rand")
    assert (test.method, test.draws) == ("Pearson III alone", 0)
    assert test.p_value == test.approximate_p
    assert test.null_mean == pytest.approx(0.5, rel=1e-6)
    assert test.p_value == 1e-300
    assert test.notes[1] == "p is below 1e-300"


def test_golden_adjusted_purity():
    adjusted = cm.purity.adjust().of(TWO_BY_TWO)
    assert adjusted.exact == Fraction(49, 148)
    assert adjusted == float(Fraction(49, 148))
    assert adjusted.expected == float(Fraction(62, 99))
    assert (adjusted.method, adjusted.standard_error, adjusted.draws, adjusted.seed) == ("exact", 0.0, None, None)


@pytest.mark.parametrize(
    ("index", "wanted"),
    [
        ("rand", "adjusted_rand"),
        ("dice", "adjusted_rand"),
        ("hamann", "adjusted_rand"),
        ("rand_distance", "adjusted_rand"),
        ("adjusted_rand", "adjusted_rand"),
        ("fowlkes_mallows", "adjusted_fowlkes_mallows"),
        ("pair_precision", "adjusted_wallace_precision"),
        ("nmi", "adjusted_mutual_information"),
        ("variation_of_information", "adjusted_mutual_information"),
    ],
)
def test_corrected_indices_that_have_names(index: str, wanted: str):
    adjusted = cm.find(index).adjust()(TRUE, PRED)
    assert adjusted.method == "exact"
    assert adjusted == pytest.approx(cm.find(wanted)(TRUE, PRED), rel=1e-9)
    assert adjusted.score == cm.find(index)(TRUE, PRED)


@pytest.mark.slow
def test_random_tables_correct_the_rest():
    adjusted = [cm.jaccard.adjust(draws=200, seed=seed).of(TABLE) for seed in range(30)]
    assert adjusted[0].method == "random tables"
    assert (adjusted[0].draws, adjusted[3].seed) == (200, 3)
    assert np.std(adjusted) == pytest.approx(np.mean([one.standard_error for one in adjusted]), rel=0.5)
    assert cm.jaccard.adjust(seed=3).of(TABLE) == cm.jaccard.adjust(seed=3).of(TABLE)


@pytest.mark.slow
@settings(max_examples=15, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=4, max_size=6))
def test_exact_means_are_those_of_all_permutations(points: list[tuple[int, int]]):
    true, pred = zip(*points, strict=True)
    for index in (cm.purity, cm.jaccard, cm.normalized_mutual_information, cm.matching_accuracy):
        scores = [index(true, shuffled) for shuffled in permutations(pred)]
        try:
            expected = index.adjust()(true, pred).expected
        except cm.UndefinedIndexError:
            assert np.mean(scores) == pytest.approx(index.best, abs=1e-12)
            continue
        assert expected == pytest.approx(np.mean(scores), abs=1e-9)


def test_means_over_few_tables_of_many_points():
    """The hypergeometric distribution of a cell, which is all that moves in two by two clusters."""
    for matrix in ([[510, 10], [0, 520]], [[10**5, 10**5], [30, 20]]):
        table = cm.Contingency.from_matrix(matrix)
        (a, b), (c, d) = matrix
        cells = range(max(0, a - d), a + min(b, c) + 1)
        ways = [comb(a + c, x) * comb(b + d, a + b - x) for x in cells]
        tables = [cm.Contingency.from_matrix([[x, a + b - x], [a + c - x, d - a + x]]) for x in cells]
        scores = [cm.jaccard.exact(one) for one in tables]
        mean = sum(way * score for way, score in zip(ways, scores, strict=True)) / sum(ways)
        adjusted = cm.jaccard.adjust().of(table)
        assert adjusted.method == "exact"
        assert adjusted.exact == (cm.jaccard.exact(table) - mean) / (1 - mean)


def test_what_is_nearly_a_line_is_none():
    c = 10**5
    table = cm.Contingency.from_counts([0, 0, 1, 1], [0, 1] * 2, [2 * c + 5, c + 11, c, c + 4])
    assert cm.jaccard.adjust(draws=20).of(table).method == "random tables"
    assert cm.fowlkes_mallows.adjust().of(table).method == "exact"  # whose roots are rounded
    table = cm.Contingency.from_matrix([[10**5 - 1, 1], [2, 0]])  # at most one pair of the prediction
    assert cm.jaccard.adjust().of(table).exact is not None


def test_tables_are_counted_up_to_a_limit():
    assert count_tables(TWO_BY_TWO, 1000) == 6
    assert count_tables(TABLE, 1000) is None
    assert count_tables(cm.Contingency.from_matrix([[10**9, 1], [1, 10**9]]), 1000) is None


def test_what_cannot_be_corrected_is_refused():
    with pytest.raises(cm.InputError, match="has no best value"):
        cm.entropy_true.adjust()
    with pytest.raises(cm.InputError, match="model='num' is not known"):
        cm.purity.adjust(model="num")
    with pytest.raises(cm.InputError, match="draws=1 must be"):
        cm.purity.adjust(draws=1)
    with pytest.raises(cm.UnsupportedTableError, match="cannot be permuted"):
        cm.purity.adjust().of(cm.crosstab([0, 0, 1], [0, 0, 1], weights=[1.0, 2.0, 3.0]))
    with pytest.raises(cm.UndefinedIndexError, match="every permutation scores best"):
        cm.purity.adjust()([0, 0, 0], [0, 0, 1])
    with pytest.raises(cm.UndefinedIndexError, match="its mean over permutations is inf"):
        cm.minkowski.adjust()([0, 1, 2], [0, 0, 0])
    assert repr(cm.purity.adjust()) == "<index purity.adjust()>"
