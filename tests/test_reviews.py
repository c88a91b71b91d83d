"""What reviewers found wrong, kept as regression tests."""

from __future__ import annotations

import numpy as np
import pytest

import clustermark as cm
import clustermark.sklearn
from clustermark.statistics.chance import pair_variance
from oracle import all_partitions

RNG = np.random.default_rng(4)


def moments(partition):
    sizes = np.bincount(partition).tolist()
    return sum(s**2 for s in sizes), sum(s**3 for s in sizes)


def test_mutual_information_is_fixed_exactly_where_pairs_are():
    from itertools import permutations

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
        with pytest.raises(cm.UndefinedIndexError, match="permuting a labeling changes nothing"):
            index.strict(true, pred)


def test_goodman_kruskal_and_gini_do_not_cancel():
    identical = cm.Contingency.from_matrix([[10**12, 0], [0, 1]])
    assert cm.goodman_kruskal_tau.of(identical) == cm.adjusted_gini.of(identical) == 1.0
    assert cm.goodman_kruskal_tau.of(cm.Contingency.from_matrix([[10**14, 1], [1, 1]])) == pytest.approx(
        0.25, rel=1e-12
    )
    nearly = cm.Contingency.from_matrix([[10**8, 1], [1, 1]])
    assert cm.goodman_kruskal_tau.of(nearly) == pytest.approx(0.24999999, rel=1e-12)


@pytest.mark.parametrize("weights", [[0.1, 0.2, 0.3], [0.3, 0.2, 0.1]])
def test_one_true_cluster_explains_nothing_whatever_the_weights(weights):
    table = cm.crosstab([0, 0, 0], [0, 1, 2], weights=weights)
    for index in (cm.goodman_kruskal_lambda, cm.goodman_kruskal_tau, cm.adjusted_gini):
        assert index.of(table) == 0.0
        with pytest.raises(cm.UndefinedIndexError):
            index.strict.of(table)


@pytest.mark.parametrize("index", [index for index in cm.catalogue() if index.facts.weights], ids=lambda i: i.name)
def test_weighted_identity_scores_best(index):
    if not index.facts.best_on_identity or index.facts.may_sample:
        return
    for _ in range(60):
        n = int(RNG.integers(2, 9))
        labels = RNG.integers(0, 4, n)
        table = cm.crosstab(labels, labels, weights=RNG.random(n) + 0.01)
        try:
            assert index.strict.of(table) == pytest.approx(index.best, abs=1e-12)
        except cm.UndefinedIndexError:
            continue
        low, high = index.facts.weighted_bounds
        assert low <= index.of(table) <= high


@pytest.mark.parametrize("scale", [1e-36, 1e35])
def test_weights_whose_products_would_overflow_are_refused(scale):
    with pytest.raises(ValueError, match="weights"):
        cm.crosstab([0, 0, 1], [0, 1, 1], weights=[scale, 2 * scale, 3 * scale])


def test_counts_make_weights_heavy():
    with pytest.raises(ValueError, match="weights"):
        cm.crosstab([0, 0, 1], [0, 1, 1], weights=[1e30, 2e30, 3e30], counts=[10**9, 1, 1])


@pytest.mark.parametrize("scale", [1e-34, 1.0, 1e33])
def test_scores_do_not_depend_on_the_unit_of_weights(scale):
    true, pred = [0, 0, 0, 1, 1, 1, 2, 2], [0, 0, 1, 1, 1, 2, 2, 0]
    weights = np.array([1.5, 0.5, 2, 1, 0.25, 3, 1, 0.75])
    for index in (cm.phi, cm.sokal_sneath_d, cm.sokal_sneath_e, cm.correlation_distance, cm.adjusted_fowlkes_mallows):
        plain, scaled = (index.of(cm.crosstab(true, pred, weights=w)) for w in (weights, weights * scale))
        assert scaled == pytest.approx(plain, rel=1e-12)


def test_nf1_of_more_singletons_than_fit_32_bits():
    noise = {-1: "singletons"}
    for count in (5 * 10**9, 10**15):
        table = cm.crosstab([-1], [-1], counts=[count], noise_true=noise, noise_pred=noise)
        assert cm.nf1.of(table) == 1.0


def test_prediction_strength_refuses_weights():
    with pytest.raises(cm.UnsupportedTableError, match="real weights"):
        cm.prediction_strength.of(cm.crosstab([0] * 4, [0, 0, 1, 1], weights=[2, 2, 2, 2]))


def test_options_that_are_yes_or_no():
    for call in (
        lambda: cm.edit_distance([0, 1], [0, 1], per_point="no"),
        lambda: cm.modified_adjusted_rand([0, 1], [0, 1], raw="no"),
    ):
        with pytest.raises(ValueError, match="must be True or False"):
            call()
    with pytest.raises(ValueError, match="0 or a positive number"):
        cm.tversky([0, 1], [0, 1], alpha=-1)


def test_names_elsewhere_mean_what_they_compute_there():
    assert cm.find("ELKI:fMeasureSecond") == cm.best_f.with_options(side="pred")
    assert cm.find("Clustering.jl:randindex[1]") is cm.adjusted_rand
    for name in ("mclust:classError", "pyannote:JaccardErrorRate", "fpc:prediction.strength", "mclustcomp:tversky"):
        with pytest.raises(ValueError, match="no index is called"):
            cm.find(name)


def test_the_matching_behind_the_accuracy_is_public():
    matching = cm.MatchedPoints.of(cm.crosstab([0, 0, 1, 2], [5, 5, 6, 6]))
    assert (matching.unmatched_true, matching.unmatched_pred, matching.unmatched_points) == (1, 0, 1)


def test_scikit_learn_answers_on_nothing():
    assert clustermark.sklearn.contingency_matrix([], []).shape == (0, 0)
    assert clustermark.sklearn.pair_confusion_matrix([], []).tolist() == [[0, 0], [0, 0]]
    assert clustermark.sklearn.v_measure_score([0, 0, 1, 1], [0, 1, 1, 1], beta=0) == pytest.approx(0.3113, abs=1e-4)
    for wrong in ({"average_method": "joint"}, {"average_method": "foo"}):
        with pytest.raises(ValueError, match="average_method"):
            clustermark.sklearn.normalized_mutual_info_score([], [], **wrong)
    with pytest.raises(ValueError, match="beta"):
        clustermark.sklearn.v_measure_score([], [], beta=-1)


def test_many_components_of_ties_are_matched_greedily_in_good_time():
    rows = np.repeat(np.arange(6000), 2)
    columns = np.stack([np.arange(6000) // 2 * 2, np.arange(6000) // 2 * 2 + 1], axis=1).ravel()
    table = cm.Contingency.from_counts(rows, columns, rows // 2 + 1)
    assert cm.greedy_matching.of(table) == 0.5


def test_weights_cut_in_equal_parts_are_uniform():
    weights = [144837.03593613193, 0, 0]
    table = cm.crosstab([0, 1, 2], [0, 0, 0], counts=[3, 0, 0], weights=weights, noise_true={0: "singletons"})
    assert cm.mean_concentration.of(table) == 0.0
    assert cm.jaccard_concentration.of(table) == 0.0
