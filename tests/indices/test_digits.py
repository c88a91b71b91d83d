"""No digit is lost: every score beside its formula with a hundred digits, on tables where plain sums cancel."""

from __future__ import annotations

import time
from collections import Counter
from fractions import Fraction
from math import inf

import numpy as np
import pytest

import clustermark as cm
from clustermark import _kernel
from clustermark.statistics.differences import sum_of_logarithms, sum_of_quotients
from clustermark.statistics.encodings import Encodings
from digits import Table, entropy, score_of
from hard import TABLES, draw_ordered
from needs import need

mpmath = need("mpmath")
mp, mpf = mpmath.mp, mpmath.mpf

BY_CHANCE = ["adjusted_mutual_information", "relative_nmi", "standardized_mutual_information"]
LARGE_SUMS = [*BY_CHANCE, "reduced_mutual_information"]
DIRECT = [index for index in cm.catalogue() if index.name not in LARGE_SUMS]
FIXED_POINT = {"BestMatches", "BestSums", "JointSums", "LargestOverlaps", "MacroShares", "MatchedProducts"}
"""Means that add up shares of 1 in steps of 2**-84, as engines do."""
VARIANTS = [
    *DIRECT,
    *(cm.normalized_mutual_information.with_options(average=average) for average in ("geometric", "min", "max")),
]
FORMULAS = {"geometric": "sqrt(true * pred)", "min": "min(true, pred)", "max": "max(true, pred)"}


def formula_of(index, matrix):
    if "average" in index.options:
        t = Table(matrix)
        true, pred, joint = (entropy(sizes.values(), t.n) for sizes in (t.true, t.pred, t.cells))
        names = {"sqrt": mp.sqrt, "min": min, "max": max, "true": true, "pred": pred}
        return (true + pred - joint) / eval(FORMULAS[index.options["average"]], names)
    return score_of(index, matrix)


@pytest.mark.slow
@pytest.mark.parametrize("index", VARIANTS, ids=lambda index: index.label)
def test_scores_have_thirteen_digits(index):
    for name, matrix in TABLES.items():
        try:
            exact = formula_of(index, matrix)
        except ZeroDivisionError:
            continue
        error = abs(mpf(index.of(cm.Contingency.from_matrix(matrix))) - exact)
        tiny = 1e-100 if abs(exact) < 1e-100 else 0  # what our logarithms leave of 0
        allowed = max(1e-13 * abs(exact), tiny, 1e-15 if index.statistic.__name__ in FIXED_POINT else 0)
        assert error <= allowed, (name, matrix)


@pytest.mark.slow
@pytest.mark.parametrize("index", DIRECT, ids=lambda index: index.name)
def test_scores_stay_within_their_bounds_on_hard_tables(index):
    low, high = index.bounds
    for name, matrix in TABLES.items():
        for m in (matrix, [list(column) for column in zip(*matrix, strict=True)]):
            assert low <= index.of(cm.Contingency.from_matrix(m)) <= high, name


ORDERED = [cm.Contingency.from_matrix(draw_ordered(seed)) for seed in range(600)]


@pytest.mark.parametrize("index", DIRECT, ids=lambda index: index.name)
def test_identical_and_refined_labelings_keep_the_bounds_to_the_last_bit(index):
    low, high = index.bounds
    for table in ORDERED:
        score = index.of(table)
        assert low <= score <= high, list(table.cells)
        if index.best_on_identity and index.undefined is None and table.are_identical():
            assert score == index.best, list(table.cells)


def test_a_finer_prediction_is_homogeneous_and_a_coarser_one_complete():
    for table in ORDERED:
        if table.n_cells == table.n_pred_clusters:
            assert cm.homogeneity.of(table) == 1.0, list(table.cells)
        if table.n_cells == table.n_true_clusters:
            assert cm.completeness.of(table) == 1.0, list(table.cells)


@pytest.mark.parametrize("index", [index for index in DIRECT if index.symmetric], ids=lambda index: index.name)
def test_exchanging_truth_and_prediction_keeps_every_bit(index):
    for name, matrix in TABLES.items():
        turned = [list(column) for column in zip(*matrix, strict=True)]
        assert index.of(cm.Contingency.from_matrix(matrix)) == index.of(cm.Contingency.from_matrix(turned)), name


@pytest.mark.slow
def test_cells_in_an_engine_give_the_same_bits():
    pa = need("pyarrow")
    need("duckdb")
    for name, matrix in list(TABLES.items())[:40]:
        cells = [(i, j, n) for i, row in enumerate(matrix) for j, n in enumerate(row) if n]
        columns = dict(zip("tpn", map(list, zip(*cells, strict=True)), strict=True))
        pushed = cm.crosstab(pa.table(columns), true="t", pred="p", counts="n", push_down=True)
        memory = cm.Contingency.from_matrix(matrix)
        for index in DIRECT:
            assert index.of(pushed) == index.of(memory), (name, index.name)


def expected_information(true, pred):
    """Mean mutual information over permutations with many digits: by the moments of a cell's count where it is wide."""
    n = sum(true)
    total = sum(
        times * _expected_excess(n, a, b) for (a, b), times in Counter((a, b) for a in true for b in pred).items()
    )
    return total / n


def _expected_excess(n, a, b):
    mean = mpf(a) * b / n
    if mean > 10**4:
        return _by_moments(n, a, b, mean)
    weights = total = mpf(0)
    mode = (a + 1) * (b + 1) // (n + 2)
    for step in (1, -1):
        count, weight = mode, mpf(1)
        while weight > 1e-40:
            if count != mode or step == 1:
                weights += weight
                total += weight * ((count * mp.log(count / mean) if count else 0) - count + mean)
            if step == 1:
                weight *= mpf((a - count) * (b - count)) / ((count + 1) * (n - a - b + count + 1))
            else:
                weight *= mpf(count * (n - a - b + count)) / ((a - count + 1) * (b - count + 1))
            count += step
    return total / weights


def _by_moments(n, a, b, mean, orders=24):
    """By factorial moments a(a-1)... b(b-1)... / n(n-1)..., central moments and the series of (1 + d) ln(1 + d)."""
    mean = Fraction(a * b, n)
    factorial = [Fraction(1)]
    for k in range(orders):
        factorial.append(factorial[-1] * (a - k) * (b - k) / (n - k))
    # (x)_k as a polynomial in x, turned round: powers from factorial moments by Stirling numbers
    stirling = [[1]]
    for k in range(1, orders + 1):
        last = [*stirling[-1], 0]
        stirling.append([(last[j - 1] if j else 0) + j * last[j] for j in range(k + 1)])
    powers = [sum(s * f for s, f in zip(row, factorial, strict=False)) for row in stirling]
    total = Fraction(0)
    for k in range(2, orders + 1):
        choose, central = 1, Fraction(0)
        for j in range(k + 1):
            central += choose * powers[j] * (-mean) ** (k - j)
            choose = choose * (k - j) // (j + 1)
        total += (-1) ** k * central / mean ** (k - 1) / (k * (k - 1))
    return mpf(total.numerator) / total.denominator


MARGINS = [
    ([2**17, 2**17], [2**17 + 5, 2**17 - 5]),
    ([2**20, 2**20 + 7, 300], [2**20 + 3, 2**20 + 304]),
    ([10**6, 10**5, 20_000], [1_099_999, 20_001]),
    ([5 * 10**14, 5 * 10**14], [5 * 10**14 + 12345, 5 * 10**14 - 12345]),
    ([2**60, 2**59, 2**58 + 1], [2**60 - 1, 2**59 + 2**58 + 2]),
    ([2**60, 3], [2**59, 2**59 + 3]),
    ([10**15, 10**9, 7], [10**15 - 10**8, 10**9 + 10**8 + 7]),
]


@pytest.mark.parametrize(("true", "pred"), MARGINS)
def test_the_mean_of_wide_clusters(true, pred):
    sizes = [sorted(Counter(side).items()) for side in (true, pred)]
    exact = expected_information(true, pred)
    for order in (sizes, sizes[::-1]):
        assert abs(_kernel.expected_mutual_information(*order) - exact) < 2e-15 * exact


@pytest.mark.parametrize("name", [name for name in TABLES if not name.startswith("drawn")])
def test_differences_of_irrational_numbers(name):
    table = cm.Contingency.from_matrix(TABLES[name])
    t = Table(TABLES[name])
    if {len(t.true), len(t.pred)} & {1, t.n}:
        return
    true, pred, joint = (entropy(sizes.values(), t.n) for sizes in (t.true, t.pred, t.cells))
    mutual, expected = true + pred - joint, expected_information(list(t.true.values()), list(t.pred.values()))
    for index, whole in (
        (cm.adjusted_mutual_information, (true + pred) / 2 - expected),
        (cm.relative_nmi, (true + pred) / 2),
    ):
        error = abs(index.of(table) - (mutual - expected) / whole)
        assert error <= 1e-13 * (mutual + expected) / whole, index.name


SLOW_ONCE = [
    TABLES["near 2^60, hardly dependent"],
    TABLES["10^15, hardly dependent"],
    [[10**12, 10**6, 0], [5, 10**12, 3]],
]


@pytest.mark.parametrize("matrix", SLOW_ONCE)
def test_wide_clusters_take_no_time(matrix):
    table = cm.Contingency.from_matrix(matrix)
    started = time.perf_counter()
    scores = [cm.find(name).of(table) for name in BY_CHANCE]
    assert time.perf_counter() - started < 2
    assert np.isfinite(scores).all()


def test_samples_of_wide_clusters_have_the_distribution_of_tables():
    # two by two tables: the mutual information of independent labelings, times 2 N, is chi-squared with one degree
    for half in (5 * 10**8, 2**59):
        drawn = 4 * half * _kernel.sample_mutual_information([(half, 2)], [(half, 2)], 20_000, 1)
        assert abs(drawn.mean() - 1) < 4 * (2 / 20_000) ** 0.5
        assert abs(drawn.var() - 2) < 4 * (56 / 20_000) ** 0.5
    # a skewed cell: the exact variance of narrow walks beside that of many draws
    margins = [(10**5, 1), (9 * 10**5, 1)]
    exact = _kernel.mutual_information_variance(margins, margins, inf)
    assert _kernel.sample_mutual_information(margins, margins, 20_000, 2).var() == pytest.approx(exact, rel=0.1)


def test_what_is_written_down_of_large_tables():
    for matrix in TABLES.values():
        t = Table(matrix)
        terms = [mp.loggamma(n + 1) for n in (*t.cells.values(), t.n)]
        minus = [mp.loggamma(n + 1) for n in (*t.true.values(), *t.pred.values())]
        gain = Encodings.of(cm.Contingency.from_matrix(matrix)).gain
        assert abs(gain - (sum(terms) - sum(minus))) <= 1e-13 * (sum(terms) + sum(minus))


def test_sums_that_are_nothing_are_nothing():
    assert sum_of_quotients([(1, 3), (1, 6), (-1, 2)]) == 0
    huge = 3**400  # far below the places that are tried first
    assert sum_of_quotients([(1, huge), (-1, huge + 1)]) == Fraction(1, huge * (huge + 1))
    assert sum_of_logarithms({2: 0}, 2) == 0.0
    assert sum_of_logarithms({2: -3, 4: 1, 1: 2}, 4) == pytest.approx((-6 * np.log(2) + 4 * np.log(4)) / 4)
    assert sum_of_logarithms({4: 1, 2: -4, 1: 4}, 4) == 0.0  # one point in each of four cells: independent


@pytest.mark.parametrize("model", ["num", "num1"])
@pytest.mark.parametrize("size", [2**52, 2**53, 2**54, 2**60])
def test_few_clusters_of_many_points_under_random_partitions(model, size):
    table = cm.Contingency.from_matrix([[size, 5], [7, size]])
    # nearly all partitions into two clusters halve the points: two points are together in half of them
    assert cm.adjusted_rand.of(table, model=model) == pytest.approx(1.0, rel=1e-13)


def test_many_points_over_all_partitions():
    table = cm.Contingency.from_matrix([[2**58 + 3 * 10**9, 2**58], [2**58, 2**58]])
    # B(n-1) / B(n) is about r / n with r e^r = n, and half of all pairs differ
    r = float(mp.lambertw(table.n_used))
    assert cm.adjusted_rand.of(table, model="all") == pytest.approx(-table.n_used / (4 * r), rel=1e-9)


def test_weights_have_no_number_of_points():
    table = cm.crosstab([0, 0, 1], [0, 1, 1], weights=[0.1, 0.2, 0.3])
    with pytest.raises(ValueError, match="variant='log_n' divides by the logarithm of a number of points"):
        cm.normalized_variation_of_information.of(table, variant="log_n")


BETAS = [cm.b_cubed_f.with_options(beta=2), cm.b_cubed_f.with_options(beta=0.3), cm.v_measure.with_options(beta=3)]


WEIGHED = [index for index in [*cm.catalogue(), *BETAS] if index.weights is not None]


@pytest.mark.slow
@pytest.mark.parametrize("index", WEIGHED, ids=lambda index: index.label)
def test_no_weights_leave_the_bounds(index):
    low, high = index.weighted_bounds
    rng = np.random.default_rng(7)
    for _ in range(400):
        n = int(rng.integers(2, 9))
        true = rng.integers(0, 4, n)
        pred = true if rng.random() < 0.5 else rng.integers(0, 4, n)
        table = cm.crosstab(true, pred, weights=rng.random(n) * 10.0 ** rng.integers(-3, 4))
        assert low <= index.of(table) <= high, (true, pred)


@pytest.mark.parametrize("index", BETAS, ids=lambda index: index.label)
def test_no_beta_leaves_the_bounds(index):
    rng = np.random.default_rng(8)
    for _ in range(400):
        true = rng.integers(0, 9, 40)
        assert index(true, rng.permutation(9)[true]) == 1.0
