"""Peers as live oracles where they are right, and their known errors as inputs for us."""

from __future__ import annotations

import numpy as np
import pytest

import clustermark as cm
from needs import need

jci_package = need("jaccard_concentration_index")
permetrics = need("permetrics")
sklearn = need("sklearn", "metrics")
pytestmark = pytest.mark.peer

RNG = np.random.default_rng(11)


def random_pairs(how_many=150):
    for _ in range(how_many):
        n = int(RNG.integers(2, 60))
        yield RNG.integers(0, RNG.integers(1, 8), n), RNG.integers(0, RNG.integers(1, 8), n)


def test_scikit_learn_agrees():
    for true, pred in random_pairs():
        assert cm.rand(true, pred) == pytest.approx(sklearn.metrics.rand_score(true, pred), rel=1e-13)
        assert cm.adjusted_rand(true, pred) == pytest.approx(sklearn.metrics.adjusted_rand_score(true, pred), abs=1e-13)
        table = cm.crosstab(true, pred)
        if not (table.are_identical() and table.n_true_clusters == table.n_used):  # they say 0 for identical singletons
            assert cm.fowlkes_mallows(true, pred) == pytest.approx(
                sklearn.metrics.fowlkes_mallows_score(true, pred), abs=1e-13
            )
        (nn, ny), (yn, yy) = sklearn.metrics.pair_confusion_matrix(true, pred) // 2
        assert cm.PairCounts.of(table) == (yy, yn, ny, nn)


def test_permetrics_agrees_where_it_is_defined():
    methods = ["JS", "PrS", "ReS", "CDS", "RaS", "ARS", "FMS", "TauS"]
    for true, pred in random_pairs():
        yy, yn, ny, nn = cm.PairCounts.of(cm.crosstab(true, pred))
        if not (yy + yn and yy + ny and nn + yn + ny):
            continue  # its values for undefined scores contradict its documents
        theirs, ours = permetrics.ClusteringMetric(true, pred), cm.ClusteringMetric(true, pred)
        for method in methods:
            assert getattr(ours, method)() == pytest.approx(getattr(theirs, method)(), abs=1e-9), method
        for beta in (0.5, 1.0, 2.0):
            assert ours.FmS(beta=beta) == pytest.approx(theirs.FS(beta=beta), abs=1e-9)


def test_the_jci_package_agrees_but_on_uniform_overlaps():
    for true, pred in random_pairs():
        table = cm.crosstab(true, pred)
        matches = cm.jaccard_concentration.statistic.of(table)
        if (matches.concentration == 0).any():
            continue  # rounding turns these into nan or 1e-8 there
        theirs = jci_package.jaccard_concentration_index(true, pred, return_all=True, ordered_labels=sorted(set(true)))
        ours = cm.jaccard_concentration_index(true, pred, return_all=True, ordered_labels=sorted(set(true)))
        for key in ("score", "macroavg_max_jaccard_index", "macroavg_concentration"):
            assert ours[key] == pytest.approx(theirs[key], abs=1e-12)
        for our, their in zip(ours["cluster_results"], theirs["cluster_results"], strict=True):
            assert our == pytest.approx(their, abs=1e-12)


def test_the_jci_package_agrees_on_noise():
    for true, pred in random_pairs(60):
        if len(set(pred)) < 2:
            continue
        label = int(pred[0])
        theirs = jci_package.jaccard_concentration_index(true, pred, noise_label=label)
        ours = cm.jaccard_concentration_index(true, pred, noise_label=label)
        assert ours == pytest.approx(theirs, abs=1e-7, nan_ok=True) or np.isnan(theirs)


def test_concentration_agrees_with_the_package():
    for _ in range(200):
        values = RNG.random(int(RNG.integers(2, 12)))
        for options in ({}, {"single_index": True}, {"size_invariance": False}, {"virtual_length": 20}):
            assert cm.concentration(values, **options) == pytest.approx(
                jci_package.concentration(values.copy(), **options), rel=1e-9
            )


class TestTheirErrors:
    """Inputs on which peers were seen to be wrong."""

    def test_tau_on_identity(self):
        assert cm.tau([0, 0, 1, 1], [0, 0, 1, 1]) == pytest.approx(1.2247, abs=1e-4)
        assert cm.tau([0] * 5, [0] * 5) == 1.0

    def test_no_nan_for_one_point(self):
        for index in cm.catalogue():
            assert index([3], ["x"]) == index([3], ["x"])

    def test_identical_partitions(self):
        for labels in ([0, 1, 2, 3], [0, 0, 0, 0]):
            assert cm.pair_precision(labels, labels) == 1.0
            assert cm.pair_recall(labels, labels) == 1.0
            assert cm.fowlkes_mallows(labels, labels) == 1.0

    def test_constructor_arguments_count(self):
        assert cm.ClusteringMetric([0, 1, 2], [0, 1, 2], finite_value=0.5).JS() == 0.5
        with pytest.raises(ZeroDivisionError):
            cm.ClusteringMetric([0, 1, 2], [0, 1, 2], force_finite=False).JS()

    def test_concentration_of_ones(self):
        assert [cm.concentration(np.ones(n)) for n in range(2, 3000)] == [0.0] * 2998

    def test_jci_of_many_classes_in_one_cluster(self):
        assert cm.jaccard_concentration(range(21), [0] * 21) == 0.0

    def test_a_hundred_thousand_singletons_need_no_dense_table(self):
        assert cm.adjusted_rand(np.arange(10**5), np.arange(10**5)) == 1.0
        assert cm.jaccard_concentration(np.arange(10**5), np.arange(10**5)[::-1]) == 1.0

    @pytest.mark.parametrize("n", [65_536, 100_000, 1_000_000])
    def test_two_balanced_clusters(self, n):
        true = np.arange(n) % 2
        pred = np.where(np.arange(n) % 10 == 0, 1 - true, true)
        ours = cm.adjusted_rand(true, pred)
        assert ours == pytest.approx(sklearn.metrics.adjusted_rand_score(true, pred), abs=1e-12)
        assert -0.5 <= ours <= 1

    def test_random_labels_are_near_zero(self):
        for n, k in ((100_000, 2), (1_000_000, 6), (100_000, 3)):
            assert abs(cm.adjusted_rand(RNG.integers(0, k, n), RNG.integers(0, k, n))) < 1e-3
