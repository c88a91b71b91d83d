"""Pair counts under random models: brute force over permutations, partitions and quadruples of points."""

from __future__ import annotations

from decimal import Decimal, getcontext
from fractions import Fraction
from itertools import combinations, permutations, product
from math import comb, inf, sqrt

import numpy as np
import pytest

import clustermark as cm
from clustermark.statistics.chance import bell_ratio, pair_variance, stirling_ratio
from clustermark.statistics.pairs import ChancePairs, PairCounts
from oracle import all_partitions

FIVE = {"p": [0, 0, 1, 1, 1], "q": [0, 0, 0, 1, 1], "r": [0, 0, 1, 0, 0], "s": [0, 0, 1, 2, 2]}


def stirling_numbers(n: int) -> list[int]:
    row = [1]
    for size in range(1, n + 1):
        row = [0] + [k * row[k] + row[k - 1] if k < size else 1 for k in range(1, size + 1)]
    return row


class TestRatios:
    @pytest.mark.parametrize("n", [2, 3, 10, 64, 65, 66, 100, 300])
    def test_against_exact_integers(self, n):
        before, now = stirling_numbers(n - 1), stirling_numbers(n)
        for k in range(1, n):
            assert stirling_ratio(n, k) == pytest.approx(before[k] / now[k], rel=1e-12)
        assert stirling_ratio(n, n) == 0.0
        assert bell_ratio(n) == pytest.approx(sum(before) / sum(now), rel=1e-11)

    def test_one_point(self):
        assert stirling_ratio(1, 1) == bell_ratio(1) == 1.0

    def test_bell_at_ten_million_points(self):
        # Dobiński: B(n) is a sum over k of k^n / k!, so B(n-1)/B(n) is a mean of 1/k under those weights
        n = 10**7
        mode = 1
        while n * np.log1p(1 / mode) > np.log(mode + 1):
            mode = int(mode * 1.01) + 1
        k = np.arange(mode // 2, mode * 2, dtype=float)
        steps = n * np.log1p(1 / k[:-1]) - np.log(k[1:])
        logs = np.concatenate([[0.0], np.cumsum(steps)])
        weights = np.exp(logs - logs.max())
        assert bell_ratio(n) == pytest.approx(float((weights / k).sum() / weights.sum()), rel=1e-9)

    @pytest.mark.slow
    @pytest.mark.parametrize(("n", "k"), [(10**7, 10**6), (10**7, 1000), (10**5, 10**4), (2000, 300)])
    def test_stirling_by_inclusion_and_exclusion(self, n, k):
        getcontext().prec = 400
        digits = Decimal(10) ** -330

        def surjections(m: int) -> Decimal:
            total, j = Decimal(0), 0
            while j < k:
                term = comb(k, j) * ((1 - Decimal(j) / k).ln() * m).exp()
                total += -term if j % 2 else term
                if term < digits:
                    break
                j += 1
            return total

        expected = float(surjections(n - 1) / surjections(n) / k)
        assert stirling_ratio(n, k) == pytest.approx(expected, rel=1e-9)

    def test_nearly_singletons(self):
        n = 10**7
        assert stirling_ratio(n, n - 1) == pytest.approx(2 / (n * (n - 1)), rel=1e-9)


class TestAdjustedRandModels:
    @pytest.mark.slow
    def test_mean_zero_over_all_partitions(self):
        partitions = all_partitions(5)
        scores = [cm.adjusted_rand(t, p, model="all") for t, p in product(partitions, repeat=2)]
        assert abs(np.mean(scores)) < 1e-12
        for truth in partitions:
            assert abs(np.mean([cm.adjusted_rand(truth, p, model="all1") for p in partitions])) < 1e-12

    @pytest.mark.slow
    def test_mean_zero_over_partitions_with_given_numbers_of_clusters(self):
        by_number = {k: [p for p in all_partitions(5) if len(set(p)) == k] for k in range(1, 6)}
        for k, m in product((2, 3, 4), repeat=2):
            pairs = list(product(by_number[k], by_number[m]))
            assert abs(np.mean([cm.adjusted_rand(t, p, model="num") for t, p in pairs])) < 1e-12
            truth = by_number[k][0]
            assert abs(np.mean([cm.adjusted_rand(truth, p, model="num1") for p in by_number[m]])) < 1e-12

    def test_identity_scores_one(self):
        for partition in all_partitions(4):
            for model in ("permutation", "num", "all", "num1", "all1"):
                assert cm.adjusted_rand(partition, partition, model=model) == pytest.approx(1.0, rel=1e-14)

    def test_guards(self):
        with pytest.raises(ValueError, match="model='some'"):
            cm.adjusted_rand([0, 1], [0, 1], model="some")
        with pytest.raises(ValueError, match="weights"):
            cm.adjusted_rand.of(cm.crosstab([0, 0, 1], [0, 1, 1], weights=[1, 2, 3]), model="all")

    def test_ten_million_points(self):
        table = cm.Contingency.from_matrix([[4 * 10**6, 10**6], [10**6, 4 * 10**6]])
        scores = [cm.adjusted_rand.of(table, model=model) for model in ("permutation", "num", "num1")]
        # two balanced clusters: fixing their sizes or their number makes no difference worth speaking of
        assert scores[1:] == pytest.approx(scores[:1] * 2, abs=1e-6)


def quadruple_counts(true, pred):
    """Ordered choices of two disjoint pairs, the first together in truth, the second in prediction."""
    points = range(len(true))
    return sum(
        true[i] == true[j] and pred[k] == pred[m]
        for i, j in combinations(points, 2)
        for k, m in combinations([x for x in points if x not in (i, j)], 2)
    )


def test_modified_adjusted_rand_against_quadruples():
    for true in all_partitions(5)[::3]:
        for pred in all_partitions(5)[::2]:
            table = cm.crosstab(true, pred)
            assert ChancePairs.of(table).disjoint == quadruple_counts(true, pred)
            yy, yn, ny, _ = PairCounts.of(table)
            expected = Fraction(quadruple_counts(true, pred), 10 * 3)
            assert cm.modified_adjusted_rand.exact(table, raw=True) == Fraction(yy, 10) - expected
            if (yy + yn + yy + ny) / 2 != expected * 10:
                exact = (yy - expected * 10) / (Fraction(2 * yy + yn + ny, 2) - expected * 10)
                assert cm.modified_adjusted_rand.exact(table) == exact


def test_lerman_against_all_permutations():
    for true, pred in (([0, 0, 0, 1, 1], [0, 0, 1, 1, 1]), ([0, 0, 1, 1, 2, 2], [0, 1, 1, 1, 2, 3])):
        together = [PairCounts.of(cm.crosstab(true, shuffled)).yy for shuffled in permutations(pred)]
        score = (PairCounts.of(cm.crosstab(true, pred)).yy - np.mean(together)) / np.std(together)
        assert cm.lerman(true, pred) == pytest.approx(score, rel=1e-12)
        assert float(ChancePairs.of(cm.crosstab(true, pred)).variance) == pytest.approx(np.var(together), rel=1e-12)
    assert cm.find("standardized_rand") is cm.lerman
    assert cm.lerman([0, 0, 0, 1, 1], [0, 0, 1, 1, 1]) == pytest.approx(0.4364, abs=1e-4)  # a peer says 0.5


def test_variance_of_too_few_points():
    assert pair_variance(1, (1, 1), (1, 1)) == 0


@pytest.mark.parametrize(
    ("pair", "lerman", "normalized"),
    [
        ("pq", 2 * sqrt(21) / 21, 1 / 6),
        ("pr", -sqrt(6) / 3, -(21**0.25) / 6),
        ("ps", 3 * sqrt(14) / 7, sqrt(6) / 4),
        ("rs", 2.0, 21**0.25 * sqrt(6) / 6),
    ],
)
def test_partition_comparison(pair, lerman, normalized):
    true, pred = FIVE[pair[0]], FIVE[pair[1]]
    assert cm.lerman(true, pred) == pytest.approx(lerman, rel=1e-12)
    assert cm.normalized_lerman(true, pred) == pytest.approx(normalized, rel=1e-12)


def test_identities():
    rng = np.random.default_rng(2)
    for _ in range(100):
        true, pred = rng.integers(0, 4, 30), rng.integers(0, 4, 30)
        table = cm.crosstab(true, pred)
        first, second = cm.adjusted_wallace_recall.of(table), cm.adjusted_wallace_precision.of(table)
        assert cm.adjusted_rand.of(table) == pytest.approx(2 * first * second / (first + second), rel=1e-10)
        fm = cm.fowlkes_mallows.of(table)
        yy, yn, ny, nn = PairCounts.of(table)
        chance = sqrt((yy + yn) * (yy + ny)) / (yy + yn + ny + nn)
        assert cm.adjusted_fowlkes_mallows.of(table) == pytest.approx((fm - chance) / (1 - chance), abs=1e-12)
        n, cells, a, b = table.squares
        chance_pairs = n * (n - 1) / 2 - (a + b) / 2 + a * b / n**2
        expected = (yy + nn - chance_pairs) / (n * (n - 1) / 2 - chance_pairs)
        assert cm.morey_agresti.of(table) == pytest.approx(expected, abs=1e-12)
        assert cm.rv.of(table) == pytest.approx(cells / sqrt(a * b), rel=1e-14)


def test_genieclust_adjusted_fowlkes_mallows():
    assert cm.adjusted_fowlkes_mallows.of(cm.Contingency.from_matrix([[1, 10], [8, 2]])) == pytest.approx(
        0.49, abs=5e-3
    )


def moments(partition):
    sizes = np.bincount(partition).tolist()
    return sum(s**2 for s in sizes), sum(s**3 for s in sizes)


@pytest.mark.slow
def test_mutual_information_is_fixed_exactly_where_pairs_are():
    for n in (3, 4, 5):
        shapes = {tuple(sorted(np.bincount(p))): p for p in all_partitions(n)}
        for true in shapes.values():
            for pred in shapes.values():
                scores = {round(cm.mutual_information(true, shuffled), 12) for shuffled in permutations(pred)}
                assert (len(scores) == 1) == (pair_variance(n, moments(true), moments(pred)) == 0)


@pytest.mark.parametrize(("n", "k"), [(6, 2), (1000, 2), (10_000, 100)])
def test_one_outlier_against_equal_clusters_has_no_z_score(n, k):
    true, pred = [0] * (n - 1) + [1], [i % k for i in range(n)]
    for index in (cm.standardized_mutual_information, cm.lerman):
        assert index(true, pred) == 0.0
        with pytest.raises(cm.UndefinedIndexError, match="no permutation changes it"):
            index.strict(true, pred)


@pytest.mark.parametrize("model", ["num", "all", "num1", "all1"])
def test_models_reach_below_the_bounds_of_permutations(model):
    """A pair is rarely together in a random partition, so the Rand index falls far below what is expected."""
    one = cm.adjusted_rand.with_options(model=model)
    true, pred = [0] * 20 + list(range(1, 21)), list(range(1, 21)) + [0] * 20
    assert one.bounds == one.bounds_on(cm.crosstab(true, pred)) == (-inf, 1.0)
    assert one(true, pred) < cm.adjusted_rand.bounds[0]
    assert cm.adjusted_rand.bounds == (-0.5, 1.0)
