"""Published cases with known answers, each with its source; fractions where the source's value is rational."""

from __future__ import annotations

import math
from fractions import Fraction
from math import sqrt

import pytest

import clustermark as cm
from clustermark.statistics.pairs import PairCounts

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


@pytest.mark.parametrize(
    ("index", "pq", "pr", "ps", "rs"),
    [
        (cm.rv, 9 / 13, 9 * sqrt(221) / 221, 3 * sqrt(13) / 13, 3 * sqrt(17) / 17),
        (cm.mirkin, 8, 12, 4, 8),
        (cm.minkowski, 1, sqrt(6) / 2, sqrt(2) / 2, sqrt(6) / 3),
        (cm.phi, 1 / 6, -1 / 6, sqrt(6) / 4, sqrt(6) / 6),
        (cm.hamann, 0.2, -0.2, 0.6, 0.2),
        (cm.kulczynski2, 1 / 2, 5 / 12, 3 / 4, 2 / 3),
        (cm.mcconnaughey, 0, -1 / 6, 1 / 2, 1 / 3),
        (cm.informedness, 1 / 6, -1 / 6, 1 / 2, 1 / 3),
        (cm.sokal_sneath_d, 7 / 12, 5 / 12, 0.8125, 17 / 24),
        (cm.sokal_sneath_a, 0.2, 1 / 7, 1 / 3, 0.2),
        (cm.sokal_sneath_e, 1 / 3, 1 / 6, sqrt(6) / 4, sqrt(6) / 6),
        (cm.baulieu1, 0.60, 0.44, 0.84, 0.76),  # the first two as documented there, where the code has another sign
        (cm.baulieu2, 0.04, -0.04, 0.12, 0.08),
        (cm.russell_rao, 0.2, 0.2, 0.2, 0.2),
        (cm.unrooted_phi, 1 / 144, -1 / 144, 0.03125, 1 / 48),
        (cm.sokal_sneath_b, 0.75, 4 / 7, 8 / 9, 0.75),
        (cm.rogers_tanimoto, 3 / 7, 1 / 4, 2 / 3, 3 / 7),
        (cm.yule_q, 1 / 3, -1 / 3, 1, 1),
        # theirs divides by the pairs in truth, which is the larger number but in pr
        (cm.fager_mcgowan, 1 / 4, sqrt(6) / 6 - 1 / (2 * sqrt(6)), sqrt(2) / 2 - 1 / 4, sqrt(3 / 8 - sqrt(2) / 6)),
    ],
    ids=lambda value: getattr(value, "name", ""),
)  # fmt: skip
def test_partition_comparison_of_the_other_pair_indices(index, pq, pr, ps, rs):
    for pair, expected in zip(("pq", "pr", "ps", "rs"), (pq, pr, ps, rs), strict=True):
        assert index(FIVE[pair[0]], FIVE[pair[1]]) == pytest.approx(expected, rel=1e-14, abs=1e-15)


# The table of figure 16.4 has rows (5, 1, 2), (1, 4, 0), (0, 1, 3), and 20, 24, 20, 72 pairs: what has no published
# value of its own is worked out from these by hand.
YY, YN, NY, NN, PAIRS = 20, 24, 20, 72, 136
COVARIANCE = YY * NN - YN * NY
EACH = [(5, 8, 6), (1, 8, 6), (2, 8, 5), (1, 5, 6), (4, 5, 6), (1, 4, 6), (3, 4, 5)]
ROWS, COLUMNS = [(n, a) for n, a, _ in EACH], [(n, b) for n, _, b in EACH]


@pytest.mark.parametrize(
    ("index", "expected"),
    [
        (cm.pair_specificity, Fraction(72, 92)),
        (cm.pair_npv, Fraction(72, 96)),
        (cm.balanced_pair_accuracy, (Fraction(20, 44) + Fraction(72, 92)) / 2),
        (cm.kulczynski1, Fraction(20, 44)),
        (cm.sokal_sneath_c, Fraction(92, 44)),
        (cm.rand_distance, Fraction(44, 136)),
        (cm.overlap_coefficient, Fraction(20, 40)),
        (cm.braun_blanquet, Fraction(20, 44)),
        (cm.tversky.with_options(alpha=0.5, beta=2), Fraction(20, 20 + 12 + 40)),
        (cm.partition_difference, 72),
        (cm.mcnemar, 4 / sqrt(44)),
        (cm.yule_y, (sqrt(1440) - sqrt(480)) / (sqrt(1440) + sqrt(480))),
        (cm.markedness, Fraction(960, 40 * 96)),
        (cm.loevinger, Fraction(960, 40 * 92)),
        (cm.maxwell_pilliner, Fraction(2 * 960, 44 * 92 + 40 * 96)),
        (cm.correlation_distance, math.acos(960 / sqrt(44 * 40 * 92 * 96)) / math.pi),
        (cm.katz_powell, (289 * 57 - 105 * 97) / sqrt(105 * 184 * 97 * 192)),
        (cm.morey_agresti, Fraction(2 * (289 * 57 - 105 * 97), 289 * (105 + 97) - 2 * 105 * 97)),
        (cm.adjusted_wallace_precision, (Fraction(1, 2) - Fraction(44, 136)) / (1 - Fraction(44, 136))),
        (cm.adjusted_wallace_recall, (Fraction(20, 44) - Fraction(40, 136)) / (1 - Fraction(40, 136))),
        (cm.purity, Fraction(12, 17)),
        (cm.frobenius, 6 - 2 * sum(n * n / (a * b) for n, a, b in EACH)),
        (cm.element_centric, sum(n * n / max(a, b) for n, a, b in EACH) / 17),
        (cm.b_cubed_elementwise_f, sum(2 * n * n / (a + b) for n, a, b in EACH) / 17),
        (cm.pointwise_jaccard, sum(Fraction(n * n, a + b - n) for n, a, b in EACH) / 17),
        (cm.k_measure, sqrt(sum(n * n / a for n, a, _ in EACH) * sum(n * n / b for n, _, b in EACH)) / 17),
        (cm.greedy_matching, Fraction(5 + 4 + 3, 17)),
        (cm.geometric_accuracy, sqrt(Fraction(12, 17) * Fraction(12, 17))),
        (cm.segmentation_covering, (8 * 5 / 9 + 5 * 4 / 7 + 4 * 3 / 6) / 17),
        (cm.average_f1, (10 / 14 + 8 / 11 + 6 / 9) / 3),
        (cm.nf1, (10 / 14 + 8 / 11 + 6 / 9) / 3),
        (cm.nowak, (5 / 8 + 4 / 6 + 3 / 5) / 3),
        (cm.maximum_matching_ratio, (25 / 48 + 16 / 30 + 9 / 20) / 3),
        (cm.talburt_wang, Fraction(3, 7)),
        (cm.prediction_strength, Fraction(5 * 4 + 2 * 1, 8 * 7)),
        (cm.merge_distance, 2 * 7 - 6),
        (cm.global_consistency_error, 1 - max(sum(n * n / size for n, size in side) / 17 for side in (ROWS, COLUMNS))),
        (cm.local_consistency_error, sum(n * (1 - n / min(a, b)) for n, a, b in EACH) / 17),
        (cm.goodman_kruskal_tau, (17 * sum(n * n / b for n, _, b in EACH) - 105) / (289 - 105)),
        (cm.goodman_kruskal_lambda, Fraction(12 - 8, 17 - 8)),
    ],
    ids=lambda value: getattr(value, "name", ""),
)  # fmt: skip
def test_worked_by_hand_on_the_book(index, expected):
    assert (YY + YN + NY + NN, COVARIANCE) == (PAIRS, 960)
    assert index(*BOOK) == pytest.approx(float(expected), rel=1e-13)


def test_scipy_documents_of_association():
    # scipy.stats.contingency.association and chi2_contingency
    table = cm.Contingency.from_matrix([[100, 150], [203, 322], [420, 700], [320, 210]])
    assert cm.cramers_v.of(table) == pytest.approx(0.18617813077483678, rel=1e-13)
    assert cm.tschuprow_t.of(table) == pytest.approx(0.14146478765062995, rel=1e-13)
    table = cm.Contingency.from_matrix([[10, 10, 20], [20, 20, 20]])
    assert cm.chi_squared.of(table) == pytest.approx(2.7777777777777777, rel=1e-13)
    assert cm.g_statistic.of(table) == pytest.approx(2.7688587616781319, rel=1e-13)


def test_goodman_kruskal_lambda_of_rapportools():
    table = cm.Contingency.from_matrix([[5, 9, 7, 1], [4, 8, 11, 15], [3, 7, 22, 8]])
    scores = {round(cm.goodman_kruskal_lambda.of(side), 5) for side in (table, table.T)}
    assert scores == {0.1, 0.18333}


def test_steinley_brusco_hubert():
    # CrossClustering's tests; the variances there are not ours
    assert cm.adjusted_rand.exact(cm.Contingency.from_matrix([[2, 1, 0], [0, 2, 1]])) == Fraction(2, 17)
    assert cm.adjusted_rand.exact(cm.Contingency.from_matrix([[4, 5, 3], [3, 8, 4]])) == Fraction(-64, 2263)


def test_size_against_quantity():
    # Amigó et al. 2009, as S2AND tests it: one error in a large cluster is better than many in small ones
    truth = [0] * 5 + [1, 1, 2, 2, 3, 3, 4, 4]
    many_small = cm.crosstab(truth, [0] * 5 + [1, 2, 3, 4, 5, 6, 7, 8])
    one_large = cm.crosstab(truth, [0, 0, 0, 0, 9, 1, 1, 2, 2, 3, 3, 4, 4])
    scores = (cm.b_cubed_precision, cm.b_cubed_recall, cm.b_cubed_f)
    assert [score.of(many_small) for score in scores] == pytest.approx([1, 0.692, 0.818], abs=5e-4)
    assert [score.of(one_large) for score in scores] == pytest.approx([1, 0.877, 0.934], abs=5e-4)


def test_other_bug_reports():
    # cuML issue 7202 aborted the process; scikit-learn pull request 25713 and 4788 are about size
    assert cm.adjusted_rand([0], [1]) == 1.0
    many = list(range(100_000))
    assert cm.adjusted_rand(many, many[::-1]) == 1.0
    one_item = cm.crosstab({"a": 0}, {"a": 0, **{str(i): i for i in range(10)}}, unmatched="keep")
    assert cm.b_cubed_precision.of(one_item) < 0.1


def test_clustering_mi():
    # clustering-mi's tests, computed there with Mathematica, in bits and for all eight points together
    true, pred = [1, 1, 2, 2, 2, 3, 3, 3], [1, 1, 1, 2, 2, 2, 2, 2]
    assert 8 * cm.mutual_information(true, pred, base=2) == pytest.approx(4.88058, rel=1e-5)
    assert cm.normalized_mutual_information(true, pred) == pytest.approx(0.48501, rel=1e-5)
    # before the reduction 4.22239; nine tables have these margins, so exactly counted 4.22239 - log2(9) is left
    exact = 4.22239 - math.log2(9)
    assert 8 * cm.reduced_mutual_information(true, pred, base=2) == pytest.approx(exact, abs=0.02)
    older = cm.reduced_mutual_information(true, pred, base=2, estimate="diaconis_efron")
    assert 8 * older == pytest.approx(exact, abs=0.07)
    # with the concentrations from 0.0001 to 10000 that they look at, 0.160127 and 0.0202079
    urn = cm.reduced_mutual_information.with_options(encoding="dirichlet_multinomial")
    assert 8 * urn(true, pred, base=2) == pytest.approx(0.160127, abs=5e-4)
    assert urn(true, pred, normalized=True, normalization="truth") == pytest.approx(0.0202079, abs=1e-4)
    # their adjusted mutual information is the difference to the mean, not normalised
    assert cm.relative_nmi(true, pred) == pytest.approx(2.74404 / (4.88058 / 0.48501), rel=1e-5)


def test_three_clusters_cut_in_three():
    # figure 3 of Jerdee, Kirkley & Newman 2025, as clustering-mi prints it: 0.750, 0.444, 0.239
    true, pred = [i // 9 for i in range(27)], [i // 3 for i in range(27)]
    urn = cm.reduced_mutual_information.with_options(encoding="dirichlet_multinomial", normalized=True)
    assert urn(true, pred, normalization="truth") == pytest.approx(Fraction(18, 24), rel=1e-15)
    assert urn(true, pred, normalization="mean") == pytest.approx(0.444, abs=5e-4)
    assert urn(true, pred, normalization="prediction") == pytest.approx(0.239, abs=5e-4)


def test_worked_by_hand():
    # of the three ways to pair four points, one gives ln 2 and two give 0: mean ln 2 / 3, deviation √2 ln 2 / 3
    assert cm.standardized_mutual_information([0, 0, 1, 1], [0, 0, 1, 1]) == pytest.approx(sqrt(2), rel=1e-14)
    # on the book's table, pairs of pairs without a common point: 44 · 40 - 20 - (34 + 602 - 57 - 105 - 97) = 1363
    expected = Fraction(1363, 14280) * 136
    assert cm.modified_adjusted_rand.exact(cm.crosstab(*BOOK)) == (20 - expected) / (42 - expected)
    table = cm.crosstab(*BOOK)
    both_ways = (cm.goodman_kruskal_tau.of(table) + cm.goodman_kruskal_tau.of(table.T)) / 2
    assert cm.adjusted_gini.of(table) == pytest.approx(both_ways, rel=1e-14)
