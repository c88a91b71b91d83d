"""Entropies, shared information and coefficients of association: published values, identities, peers, extremes."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import permutations, product
from math import log, sqrt

import numpy as np
import pytest
import scipy.stats

import clustermark as cm
from clustermark.statistics.encodings import Encodings
from clustermark.statistics.information import Entropies, Shares
from oracle import all_partitions

SEVENTEEN = (
    [1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3],
    [1, 1, 1, 1, 2, 1, 2, 2, 2, 2, 3, 1, 3, 3, 3, 2, 2],
)
"""scikit-learn and ELKI, tests of their cluster evaluation."""

FIVE = {"p": [0, 0, 1, 1, 1], "q": [0, 0, 0, 1, 1], "r": [0, 0, 1, 0, 0], "s": [0, 0, 1, 2, 2]}
"""partitionComparison (R), tests; 5 items."""

AVERAGES = ("arithmetic", "geometric", "min", "max", "joint")
VARIANTS = ("joint", "relative", "truth", "log_n", "sum")
TABLES = [cm.crosstab(t, p) for n in range(1, 6) for t, p in product(all_partitions(n), repeat=2)]


def random_pairs(seed, how_many=120):
    rng = np.random.default_rng(seed)
    for _ in range(how_many):
        n = int(rng.integers(2, 60))
        yield rng.integers(0, rng.integers(1, 8), n), rng.integers(0, rng.integers(1, 8), n)


# published values


def test_seventeen_items():
    table = cm.crosstab(*SEVENTEEN)
    assert cm.mutual_information.of(table) == pytest.approx(0.41022, abs=5e-6)
    assert Entropies.of(table).expected == pytest.approx(0.15042, abs=5e-6)
    assert cm.adjusted_mutual_information.of(table) == pytest.approx(0.27821, abs=5e-6)
    assert cm.adjusted_mutual_information.of(table, average="max") == pytest.approx(0.2750150624, abs=1e-10)
    assert cm.variation_of_information.of(table) == pytest.approx(1.3480242370, abs=1e-10)
    assert cm.adjusted_mutual_information(*(labels * 110 for labels in SEVENTEEN)) == pytest.approx(0.377735, abs=1e-6)
    many = cm.crosstab(*SEVENTEEN, counts=[10_000] * 17)
    assert cm.mutual_information.of(many) == pytest.approx(0.41022, abs=5e-6)


def test_elki_second_input():
    true, pred = [0, 0, 1, 1, 2, 2], [2, 2, 1, 1, 0, 0]
    assert Entropies.of(cm.crosstab(true, pred)).expected == pytest.approx(0.544094544220, abs=1e-12)
    for average, times in product(AVERAGES, (1, 10_000)):
        table = cm.crosstab(true, pred, counts=[times] * 6)
        assert cm.normalized_mutual_information.of(table, average=average) == 1.0
        assert cm.adjusted_mutual_information.of(table, average=average) == 1.0


def test_information_retrieval_book():
    """Manning, Raghavan & Schütze, figure 16.4."""
    table = cm.crosstab(
        [1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 3, 3, 3, 3], [1, 1, 1, 1, 1, 2, 3, 3, 1, 2, 2, 2, 2, 2, 3, 3, 3]
    )
    assert cm.mutual_information.of(table) == pytest.approx(0.391937, abs=1e-6)
    assert cm.normalized_mutual_information.of(table) == pytest.approx(0.364562, abs=1e-6)


def test_rosenberg_and_hirschberg():
    """Figure 2 of the paper on V-measure, as in the tests of Clustering.jl."""
    clusters = [1] * 5 + [2] * 5 + [3] * 5
    a = [1, 1, 1, 2, 3, 3, 3, 3, 1, 2, 2, 2, 2, 1, 3]
    b = [1, 1, 1, 2, 2, 3, 3, 3, 1, 1, 2, 2, 2, 3, 3]
    more = [1, 2, 3, 1, 2, 3]
    assert cm.v_measure(a, clusters) == pytest.approx(0.135026, abs=1e-6)
    assert cm.v_measure(b, clusters) == pytest.approx(0.387398, abs=1e-6)
    assert cm.v_measure(b + more, [*clusters, 4, 4, 5, 5, 6, 6]) == pytest.approx(0.300375, abs=1e-6)
    assert cm.v_measure(b + more, [*clusters, 4, 5, 6, 7, 8, 9]) == pytest.approx(0.412816, abs=1e-6)


@pytest.mark.parametrize(
    ("pair", "shared"),
    [
        ("pq", 4 / 5 * log(5 / 3) + 1 / 5 * log(5 / 9)),
        ("pr", 2 / 5 * log(5 / 4) + 2 / 5 * log(5 / 6) + 1 / 5 * log(5 / 3)),
        ("ps", 2 / 5 * log(5 / 2) + 3 / 5 * log(5 / 3)),
        ("rs", 4 / 5 * log(5 / 4) + 1 / 5 * log(5)),
    ],
)
def test_partition_comparison(pair, shared):
    entropy = {
        "p": log(5) - (2 * log(2) + 3 * log(3)) / 5,
        "q": log(5) - (2 * log(2) + 3 * log(3)) / 5,
        "r": log(5) - 4 * log(4) / 5,
        "s": log(5) - 4 * log(2) / 5,
    }
    true, pred = (entropy[name] for name in pair)
    table = cm.crosstab(*(FIVE[name] for name in pair))
    assert cm.entropy_true.of(table) == pytest.approx(true, rel=1e-14)
    assert cm.entropy_pred.of(table) == pytest.approx(pred, rel=1e-14)
    assert cm.mutual_information.of(table) == pytest.approx(shared, rel=1e-13)
    assert cm.variation_of_information.of(table) == pytest.approx(true + pred - 2 * shared, rel=1e-13)
    for average, norm in {"min": min(true, pred), "max": max(true, pred), "arithmetic": (true + pred) / 2}.items():
        assert cm.normalized_mutual_information.of(table, average=average) == pytest.approx(shared / norm, rel=1e-13)


def test_igraph_unit_test_values():
    table = cm.crosstab([2, 0, 2, 1, 1, 0, 2, 2, 1, 2], [1, 1, 2, 1, 1, 0, 2, 2, 0, 2])
    assert cm.variation_of_information.of(table) == pytest.approx(1.1343, abs=5e-5)
    assert cm.normalized_mutual_information.of(table) == pytest.approx(0.455859, abs=5e-7)


def test_genieclust_documentation():
    table = cm.Contingency.from_matrix([[1, 10], [8, 2]])
    assert cm.mutual_information.of(table) == pytest.approx(0.285050, abs=1e-6)
    assert cm.normalized_mutual_information.of(table) == pytest.approx(0.414642, abs=1e-6)
    assert cm.adjusted_mutual_information.of(table) == pytest.approx(0.391854, abs=1e-6)


def test_scikit_image_segmentations():
    assert cm.variation_of_information([1, 2, 3, 4], [1, 1, 8, 8], base=2) == pytest.approx(1.0, abs=1e-15)
    ignored = cm.crosstab([1, 0, 2, 3], [1, 1, 1, 0], noise_true={0: "drop"})
    assert cm.vi_split.of(ignored, base=2) == 0.0
    assert cm.vi_merge.of(ignored, base=2) == pytest.approx(2 / 3, abs=1e-15)
    table = cm.crosstab([1, 2, 3, 4], [1, 1, 8, 8])
    assert cm.vi_split.of(table) == 0.0
    assert cm.vi_merge.of(table, base=2) == pytest.approx(1.0, abs=1e-15)


@pytest.mark.parametrize(
    ("true", "pred", "h", "c", "v"),
    [
        ([0, 0, 0, 1, 1, 1], [0, 0, 0, 1, 2, 2], 1.00, 0.69, 0.81),
        ([0, 0, 1, 1, 2, 2], [0, 0, 1, 1, 1, 1], 0.58, 1.00, 0.73),
        ([0, 0, 0, 1, 1, 1], [0, 1, 0, 1, 2, 2], 0.67, 0.42, 0.52),
        ([0, 0, 0, 2, 2, 2], [0, 4, 0, 4, 2, 2], 0.67, 0.42, 0.52),
    ],
)
def test_scikit_learn_small_cases(true, pred, h, c, v):
    assert cm.homogeneity(true, pred) == pytest.approx(h, abs=6e-3)
    assert cm.completeness(true, pred) == pytest.approx(c, abs=6e-3)
    assert cm.v_measure(true, pred) == pytest.approx(v, abs=6e-3)


def test_more_of_scikit_learn():
    assert cm.v_measure([0, 0, 0, 1, 1, 1], [0, 1, 0, 1, 2, 2], beta=0.2) == pytest.approx(0.6074, abs=5e-5)
    assert cm.entropy_true([0, 0, 42], [0, 0, 0]) == pytest.approx(0.6365141, abs=1e-7)
    assert cm.entropy_true([1, 1, 1, 1], [0, 0, 0, 0]) == 0.0
    assert cm.mutual_information(["x"] * 6, [0, 0, 1, 1, 2, 2]) == 0.0
    for n in (10, 100, 1000, 10_000):
        for labels in ((np.zeros(n, int), np.arange(n)), (np.arange(n), np.zeros(n, int))):
            for index in (cm.normalized_mutual_information, cm.v_measure, cm.adjusted_mutual_information):
                assert index(*labels) == 0.0


PREFIXES = {
    "mutual_information": [0, 0, 0, 0.215761, 0.395752, 0.462098],
    "normalized_mutual_information": [1, 1, 0, 0.343711, 0.458065, 0.515803],
    "adjusted_mutual_information": [1, 1, 0, 0, 0.105891, 0.298792],
    "homogeneity": [1, 1, 0, 0.311278, 0.37515, 0.42062],
    "completeness": [1, 1, 1, 0.383689, 0.588033, 0.666667],
}
"""river, documents of its running metrics: the value after each item."""


@pytest.mark.parametrize("name", PREFIXES)
def test_river_prefixes(name):
    true, pred = [1, 1, 2, 2, 3, 3], [1, 1, 1, 2, 2, 2]
    table = cm.crosstab(true[:1], pred[:1])
    for i, expected in enumerate(PREFIXES[name]):
        if i:
            table = table.update(true[i : i + 1], pred[i : i + 1])
        assert cm.find(name).of(table) == pytest.approx(expected, abs=1e-6), i


def test_bug_reports():
    """scikit-learn #13836, #22185, #30950 and cuML #7199."""
    for true, pred in (([1] + [0] * 468, [0] * 469), ([0] * 469, [1] + [0] * 468)):
        assert cm.normalized_mutual_information(true, pred) == 0.0
    for n in (139, 161, 165, 185, 203, 205, 207, 221, 231, 243, 247, 249, 277, 297, 299):
        assert {index([0] * n, [0] * n) for index in (cm.homogeneity, cm.completeness, cm.v_measure)} == {1.0}
    assert cm.adjusted_mutual_information([1, 2], [3, 4]) == 1.0
    assert cm.adjusted_mutual_information([1, 2, 3, 4], [5, 6, 7, 8]) == 1.0
    true, pred = [0, 0, 0, 1, 1, 0, 1], [1, 0, 1, 0, 1, 1, 0]
    for labels in (pred, [1 - x for x in pred]):
        for index in (cm.homogeneity, cm.completeness, cm.v_measure):
            assert index(true, labels) == pytest.approx(0.1300057055, abs=1e-10)
        assert cm.mutual_information(true, labels) == pytest.approx(0.0887819499, abs=1e-10)


def test_overflow_and_scale():
    table = cm.Contingency.from_matrix([[52632, 2529], [14660, 793], [3271, 204], [814, 39], [316, 20]])
    assert cm.mutual_information.of(table) == pytest.approx(0.0001212177, abs=1e-10)


# identities


@pytest.mark.slow
def test_identities():
    for table in TABLES:
        e = Entropies.of(table)
        nmi = cm.normalized_mutual_information
        assert cm.v_measure.of(table) == pytest.approx(nmi.of(table), abs=1e-14)
        assert cm.normalized_variation_of_information.of(table) == pytest.approx(
            1 - nmi.of(table, average="joint"), abs=1e-14
        )
        assert cm.normalized_information_distance.of(table) == pytest.approx(
            1 - nmi.of(table, average="max"), abs=1e-14
        )
        assert cm.variation_of_information.of(table) == cm.vi_split.of(table) + cm.vi_merge.of(table)
        assert cm.vi_split.of(table) == cm.conditional_entropy_pred.of(table) == cm.conditional_entropy_true.of(table.T)
        assert cm.g_statistic.of(table) == 2 * e.n * e.mutual
        assert e.joint == pytest.approx(e.true + e.pred_given_true, abs=1e-14)
        if e.true:
            assert cm.homogeneity.of(table) == e.mutual / e.true
            if e.pred:
                relative = 1 - (cm.homogeneity.of(table) + cm.completeness.of(table)) / 2
                variant = cm.normalized_variation_of_information.of(table, variant="relative")
                assert variant == pytest.approx(relative, abs=1e-14)


def test_mean_over_all_permutations_is_the_expectation():
    for true, pred in (((0, 0, 0, 1, 1, 2), (0, 0, 1, 1, 1, 1)), ((0, 0, 1, 1, 2, 2), (0, 0, 0, 1, 1, 2))):
        shared = [cm.mutual_information(true, shuffled) for shuffled in permutations(pred)]
        table = cm.crosstab(true, pred)
        assert Entropies.of(table).expected == pytest.approx(np.mean(shared), rel=1e-13)
        assert Entropies.of(table).variance == pytest.approx(np.var(shared), rel=1e-11)
        z = (cm.mutual_information.of(table) - np.mean(shared)) / np.std(shared)
        assert cm.standardized_mutual_information.of(table) == pytest.approx(z, rel=1e-11)


def test_standardized_mutual_information_of_a_table_too_large_for_the_exact_variance():
    rng = np.random.default_rng(1)
    true, pred = rng.integers(0, 6, 400), rng.integers(0, 5, 400)
    exact = cm.crosstab(true, pred)
    sampled = cm.crosstab(true, pred)
    Entropies.of(sampled).__dict__["variance"] = None  # as the kernel says where it would take too long
    standardized = cm.standardized_mutual_information
    z = standardized.of(exact)
    for seed in range(3):
        # four standard errors of the deviation
        assert standardized.of(sampled, samples=2000, seed=seed) == pytest.approx(z, rel=4 / sqrt(4000))
    assert standardized.of(sampled) == standardized.of(sampled)
    assert standardized.of(sampled, seed=1) != standardized.of(sampled)


def test_expectation_by_rational_weights():
    """Each size of a cell with its exact probability; only logarithms and their sum are rounded."""
    true, pred = [1, 1, 1, 2, 5, 7], [4, 4, 9]
    n = sum(true)
    terms = []
    for a, b in product(true, pred):
        for m in range(max(1, a + b - n), min(a, b) + 1):
            chance = Fraction(math.comb(a, m) * math.comb(n - a, b - m), math.comb(n, b))
            terms.append(float(chance * Fraction(m, n)) * log(n * m / (a * b)))
    t, p = np.repeat(range(6), true), np.repeat(range(3), pred)
    expected = math.fsum(terms)
    entropies = Entropies.of(cm.crosstab(t, p))
    assert entropies.expected == pytest.approx(expected, rel=4e-15)
    norm = (entropies.true + entropies.pred) / 2
    ami = (entropies.mutual - expected) / (norm - expected)
    assert cm.adjusted_mutual_information(t, p) == pytest.approx(ami, rel=1e-14)


# peers


def test_scikit_learn_agrees(peer):
    theirs = peer("sklearn.metrics")
    for true, pred in random_pairs(21):
        assert cm.mutual_information(true, pred) == pytest.approx(theirs.mutual_info_score(true, pred), abs=1e-13)
        h, c, v = theirs.homogeneity_completeness_v_measure(true, pred, beta=0.5)
        assert cm.homogeneity(true, pred) == pytest.approx(h, abs=1e-12)
        assert cm.completeness(true, pred) == pytest.approx(c, abs=1e-12)
        assert cm.v_measure(true, pred, beta=0.5) == pytest.approx(v, abs=1e-12)
        for average in AVERAGES[:4]:
            nmi = theirs.normalized_mutual_info_score(true, pred, average_method=average)
            assert cm.normalized_mutual_information(true, pred, average=average) == pytest.approx(nmi, abs=1e-12)
            ami = theirs.adjusted_mutual_info_score(true, pred, average_method=average)
            if not _is_zero_over_zero(true, pred, average):
                assert cm.adjusted_mutual_information(true, pred, average=average) == pytest.approx(ami, abs=1e-9)


def _is_zero_over_zero(true, pred, average):
    """AMI with min or the geometric mean, with one side of singletons or of one cluster; rounding decides there."""
    sizes = len(set(true)), len(set(pred))
    return average in ("min", "geometric") and bool(set(sizes) & {1, len(true)})


def test_igraph_agrees(peer):
    igraph = peer("igraph")
    for true, pred in random_pairs(22):
        for method, index in (("vi", cm.variation_of_information), ("nmi", cm.normalized_mutual_information)):
            theirs = igraph.compare_communities(true.tolist(), pred.tolist(), method=method)
            assert index(true, pred) == pytest.approx(theirs, abs=1e-12)


def test_scipy_agrees():
    for true, pred in random_pairs(23):
        matrix = cm.crosstab(true, pred).to_scipy().toarray()
        if min(matrix.shape) == 1:
            continue
        chi2 = scipy.stats.chi2_contingency(matrix, correction=False).statistic
        g = scipy.stats.chi2_contingency(matrix, correction=False, lambda_="log-likelihood").statistic
        assert cm.chi_squared(true, pred) == pytest.approx(chi2, rel=1e-10, abs=1e-10)
        assert cm.g_statistic(true, pred) == pytest.approx(g, rel=1e-10, abs=1e-10)
        for method, index in (("cramer", cm.cramers_v), ("tschuprow", cm.tschuprow_t)):
            theirs = scipy.stats.contingency.association(matrix, method=method)
            assert index(true, pred) == pytest.approx(theirs, abs=1e-7)


def test_clusim_agrees_on_reduced_mutual_information(peer):
    clusim = peer("clusim", "clustering", "sim")
    rng = np.random.default_rng(24)
    for _ in range(20):
        true = rng.integers(0, 4, 60)
        pred = np.where(rng.random(60) < 0.6, true, rng.integers(0, 5, 60))
        labelings = [clusim.clustering.Clustering().from_membership_list(labels.tolist()) for labels in (true, pred)]
        for normalized, norm_type in ((False, "none"), (True, "normalized")):
            ours = cm.reduced_mutual_information(true, pred, base=2, normalized=normalized, estimate="diaconis_efron")
            assert ours == pytest.approx(clusim.sim.rmi(*labelings, norm_type=norm_type), abs=1e-10)


# what the estimate of the number of tables is worth


def count_tables(rows, columns):
    """How many tables have these margins, one by one."""
    if not rows:
        return int(not any(columns))
    return sum(count_tables(rows[1:], rest) for rest in _without(rows[0], columns))


def _without(size, columns):
    if not columns:
        return [()] if size == 0 else []
    first, *others = columns
    return [(first - taken, *rest) for taken in range(min(first, size) + 1) for rest in _without(size - taken, others)]


@pytest.mark.parametrize(
    ("rows", "columns", "error"),
    [
        ((5, 5), (4, 6), 0.01),
        ((6, 6, 5), (6, 6, 5), 0.04),
        ((3, 3, 2, 2), (5, 5), 0.01),
        ((2, 2, 2, 2), (2, 2, 2, 2), 0.02),
        ((2, 2, 1, 1, 1), (2, 2, 1, 1, 1), 0.02),
        ((2, 1, 1, 1, 1, 1), (3, 2, 1, 1), 0.02),
        ((7,), (3, 2, 2), 0.0),
        ((1, 1, 1, 1), (2, 1, 1), 0.0),
    ],
)
def test_number_of_tables(rows, columns, error):
    table = cm.crosstab(np.repeat(range(len(rows)), rows), np.repeat(range(len(columns)), columns))
    assert Encodings.of(table).tables == pytest.approx(log(count_tables(rows, columns)), abs=error + 1e-12)


def test_reduced_mutual_information_with_many_small_clusters():
    n = 10**6
    pairs = np.arange(n) // 2
    shared = cm.reduced_mutual_information(pairs, pairs)
    assert 0 < shared < cm.mutual_information(pairs, pairs)
    # each pair of singletons merged in both labelings saves ln 2, as far as tables with other pairs are rare
    assert shared == pytest.approx(log(2) / 2, rel=1e-3)
    nearly = np.arange(n)
    nearly[1] = 0
    assert cm.reduced_mutual_information(nearly, nearly) * n == pytest.approx(log(2), rel=1e-8)


@pytest.mark.slow
def test_reduced_mutual_information_normalized():
    for table in TABLES:
        score = cm.reduced_mutual_information.of(table, normalized=True)
        assert score == 1.0 if table.are_identical() else score < 1.0
        assert score == cm.reduced_mutual_information.of(table.T, normalized=True)
    assert cm.reduced_mutual_information([0, 0, 0], [0, 1, 2], normalized=True) == 0.0


# bounds, exactness and extremes


@pytest.mark.parametrize("average", AVERAGES)
def test_averages(average):
    for table in TABLES:
        nmi = cm.normalized_mutual_information.of(table, average=average)
        ami = cm.adjusted_mutual_information.of(table, average=average)
        assert 0.0 <= nmi <= 1.0
        assert ami <= 1.0
        if table.are_identical():
            assert nmi == ami == 1.0
        if average != "joint":
            assert -1.0 <= cm.relative_nmi.of(table, average=average) <= 1.0


@pytest.mark.slow
@pytest.mark.parametrize("variant", VARIANTS)
def test_variants(variant):
    nvi = cm.normalized_variation_of_information
    for table in TABLES:
        score = nvi.of(table, variant=variant)
        assert score >= 0.0
        assert score <= 1.0 or variant == "truth"
        assert (score == 0.0) is table.are_identical()
        assert variant == "truth" or score == pytest.approx(nvi.of(table.T, variant=variant), abs=1e-15)
    assert nvi([0, 0, 0, 1], [0, 1, 2, 3], variant="truth") > 1.0
    assert nvi([0, 0, 0, 0], [0, 0, 1, 1], variant="truth") == 1.0


@pytest.mark.parametrize("beta", [0.2, 1 / 3, 0.7, 1.0, 3.0, 1e6])
def test_v_measure_keeps_its_bounds(beta):
    for true, pred in random_pairs(25, 40):
        assert 0.0 <= cm.v_measure(true, pred, beta=beta) <= 1.0
        assert cm.v_measure(true, true, beta=beta) == 1.0


@pytest.mark.parametrize(("rows", "columns"), [(1, 5), (2, 3), (7, 11), (30, 41), (100, 100), (97, 1009)])
def test_independent_labelings_share_exactly_nothing(rows, columns):
    true, pred = np.divmod(np.arange(rows * columns * 3) % (rows * columns), columns)
    table = cm.crosstab(true, pred)
    for index in (cm.mutual_information, cm.g_statistic, cm.chi_squared, cm.normalized_mutual_information):
        assert index.of(table) == 0.0
    if rows > 1:
        for index in (cm.homogeneity, cm.cramers_v, cm.tschuprow_t, cm.goodman_kruskal_tau, cm.goodman_kruskal_lambda):
            assert index.of(table) == 0.0
    assert cm.normalized_variation_of_information.of(table) == 1.0
    assert cm.conditional_entropy_true.of(table) == cm.entropy_true.of(table)


def test_refinements_leave_exactly_nothing():
    rng = np.random.default_rng(26)
    fine = rng.integers(0, 500, 5000)
    coarse = fine % 37
    table = cm.crosstab(coarse, fine)
    for index in (cm.homogeneity, cm.cramers_v, cm.goodman_kruskal_tau, cm.goodman_kruskal_lambda):
        assert index.of(table) == 1.0
    assert cm.normalized_mutual_information.of(table, average="min") == 1.0
    assert cm.vi_merge.of(table) == 0.0
    assert cm.tschuprow_t.of(table) < 1.0
    assert Shares.of(table).shares == 37.0


def test_exchanging_truth_and_prediction_changes_no_bit():
    for true, pred in random_pairs(27, 60):
        for index in cm.catalogue():
            if index.statistic is Encodings or (index.symmetric and index.statistic in (Entropies, Shares)):
                assert index(true, pred) == index(pred, true), index.name


def test_one_point_among_a_thousand_million():
    n = 10**9
    table = cm.Contingency.from_matrix([[n - 1, 0], [1, n]])
    split = (log(n + 1) + n * math.log1p(1 / n)) / (2 * n)
    merge = (log(n) + (n - 1) * math.log1p(1 / (n - 1))) / (2 * n)
    assert cm.vi_split.of(table) == pytest.approx(split, rel=1e-14)
    assert cm.vi_merge.of(table) == pytest.approx(merge, rel=1e-14)


def test_sides_that_no_permutation_changes():
    singletons, one, other = list(range(6)), [0] * 6, [0, 0, 0, 1, 1, 2]
    for true, pred in ((singletons, other), (other, singletons), (one, other), (other, one), (one, singletons)):
        for average in AVERAGES:
            assert cm.adjusted_mutual_information(true, pred, average=average) == 0.0
        with pytest.raises(cm.UndefinedIndexError):
            cm.standardized_mutual_information.strict(true, pred)
        assert cm.standardized_mutual_information(true, pred) == 0.0
        assert cm.reduced_mutual_information(true, pred) == pytest.approx(0.0, abs=1e-15)


# units, weights and refusals


@pytest.mark.parametrize(
    "index",
    [cm.entropy_true, cm.entropy_pred, cm.joint_entropy, cm.conditional_entropy_true, cm.conditional_entropy_pred,
     cm.mutual_information, cm.variation_of_information, cm.vi_split, cm.vi_merge, cm.information_distance,
     cm.reduced_mutual_information],
    ids=lambda index: index.name,
)  # fmt: skip
def test_units(index):
    table = cm.crosstab(*SEVENTEEN)
    for base in (2, 10, 1.5):
        assert index.of(table, base=base) == index.of(table) / log(base)
    for bad in (1, 0, -2, math.inf, math.nan, "2", True):
        with pytest.raises(cm.InputError, match=r"base=.* must be a number above 1"):
            index.of(table, base=bad)


@pytest.mark.parametrize(
    ("index", "option", "bad"),
    [
        (cm.normalized_mutual_information, "average", "sum"),
        (cm.adjusted_mutual_information, "average", None),
        (cm.relative_nmi, "average", "joint"),
        (cm.normalized_variation_of_information, "variant", "vinh"),
        (cm.v_measure, "beta", -1),
        (cm.standardized_mutual_information, "samples", 1),
        (cm.standardized_mutual_information, "samples", 2.5),
        (cm.standardized_mutual_information, "seed", -1),
        (cm.reduced_mutual_information, "normalized", "yes"),
        (cm.reduced_mutual_information, "estimate", "exact"),
        (cm.reduced_mutual_information, "encoding", "dirichlet"),
        (cm.reduced_mutual_information, "normalization", "geometric"),
        (cm.reduced_mutual_information, "normalization", "truth"),  # without normalized=True
    ],
)
def test_bad_options(index, option, bad):
    with pytest.raises(cm.InputError, match=f"{option}={bad!r}"):
        index([0, 0, 1, 1], [0, 1, 1, 1], **{option: bad})


def test_whole_weights_are_counts():
    true, pred, times = [0, 0, 1, 1, 2, 0], [0, 1, 1, 1, 0, 0], [3, 1, 4, 1, 5, 9]
    counted = cm.crosstab(true, pred, counts=times)
    weighted = cm.crosstab(true, pred, weights=[0.25 * w for w in times])
    for index in cm.catalogue():
        if index.statistic in (Entropies, Shares) and index.weights:
            assert index.of(weighted) == pytest.approx(index.of(counted), rel=1e-12), index.name


def test_weighted_points_with_a_cluster_of_their_own():
    true, pred = [0, 0, 1, 1, 1], [0, 0, -1, 1, -1]
    weights = [1.0, 2.0, 0.5, 3.0, 0.5]
    apart = cm.crosstab(true, [0, 0, 2, 1, 3], weights=weights)
    noise = cm.crosstab(true, pred, weights=weights, noise_pred={-1: "singletons"})
    for index in (cm.variation_of_information, cm.homogeneity, cm.completeness, cm.frobenius):
        assert index.of(noise) == pytest.approx(index.of(apart), rel=1e-13)


def test_weighted_extremes():
    rng = np.random.default_rng(28)
    for _ in range(50):
        n = int(rng.integers(2, 30))
        true, pred = rng.integers(0, 5, n), rng.integers(0, 4, n)
        weights = 10.0 ** rng.uniform(-12, 12, n)
        table = cm.crosstab(true, pred, weights=weights)
        for index in cm.catalogue():
            if index.statistic in (Entropies, Shares) and index.weights:
                low, high = index.bounds
                assert low <= index.of(table) <= high, index.name
        identical = cm.crosstab(true, true, weights=weights)
        assert cm.normalized_mutual_information.of(identical) == 1.0
        assert cm.variation_of_information.of(identical) == 0.0
        assert cm.frobenius.of(identical) == 0.0
        constant = cm.crosstab(true, [0] * n, weights=weights)
        assert cm.mutual_information.of(constant) == 0.0


def test_items_of_one_side_only_are_refused():
    table = cm.crosstab({"a": 0, "b": 0, "c": 1}, {"a": 0, "b": 1}, unmatched="keep")
    for index in (cm.mutual_information, cm.cramers_v, cm.reduced_mutual_information, cm.goodman_kruskal_lambda):
        with pytest.raises(cm.UnsupportedTableError, match="needs both labels"):
            index.of(table)
    for view in (Entropies, Shares, Encodings):
        with pytest.raises(cm.InputError, match="unmatched items have no"):
            view.of(table)
    weighted = cm.crosstab([0, 0, 1], [0, 1, 1], weights=[1, 2, 0.5])
    with pytest.raises(cm.InputError, match="no distribution under permutation"):
        Entropies.of(weighted).expected  # noqa: B018


def test_names_at_other_tools_carry_their_options():
    assert cm.find("aricode:NMI").options == {"average": "max"}
    assert cm.find("clue:NMI")(*SEVENTEEN) == cm.normalized_mutual_information(*SEVENTEEN, average="geometric")
    assert cm.find("CDlib:variation_of_information").options == {"base": 2}
    assert cm.find("adjusted_mutual_info_score") is cm.adjusted_mutual_information
    assert cm.find("NMI") is cm.normalized_mutual_information
    metric = cm.ClusteringMetric([0, 0, 0, 0, 1, 1, 1, 1], [0, 0, 0, 1, 1, 1, 2, 2])
    assert metric.EnS() == pytest.approx(0.3444, abs=5e-5)  # permetrics says 0.9183
    assert cm.ClusteringMetric([0, 0, 1, 1, 0, 1], [0, 0, 1, 1, 2, 2]).HS() == pytest.approx(2 / 3, abs=1e-15)
