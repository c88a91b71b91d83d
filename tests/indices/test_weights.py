"""Points of real weight: best on identity, the same in any unit, refused where they have no meaning."""

from __future__ import annotations

import random
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

import clustermark as cm

RNG = np.random.default_rng(4)


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


@pytest.mark.parametrize("scale", [1e-34, 1.0, 1e33])
def test_scores_do_not_depend_on_the_unit_of_weights(scale):
    true, pred = [0, 0, 0, 1, 1, 1, 2, 2], [0, 0, 1, 1, 1, 2, 2, 0]
    weights = np.array([1.5, 0.5, 2, 1, 0.25, 3, 1, 0.75])
    for index in (cm.phi, cm.sokal_sneath_d, cm.sokal_sneath_e, cm.correlation_distance, cm.adjusted_fowlkes_mallows):
        plain, scaled = (index.of(cm.crosstab(true, pred, weights=w)) for w in (weights, weights * scale))
        assert scaled == pytest.approx(plain, rel=1e-12)


def test_prediction_strength_refuses_weights():
    with pytest.raises(cm.UnsupportedTableError, match="real weights"):
        cm.prediction_strength.of(cm.crosstab([0] * 4, [0, 0, 1, 1], weights=[2, 2, 2, 2]))


def test_weights_cut_in_equal_parts_are_uniform():
    weights = [144837.03593613193, 0, 0]
    table = cm.crosstab([0, 1, 2], [0, 0, 0], counts=[3, 0, 0], weights=weights, noise_true={0: "singletons"})
    assert cm.mean_concentration.of(table) == 0.0
    assert cm.jaccard_concentration.of(table) == 0.0


def test_weights_of_very_different_size():
    """Goodman and Kruskal's tau, whose differences cancel where one cluster weighs nearly all."""
    for weights in ([1e-11, 4.22198194e18], [17714.7, 1e-20]):
        same = cm.crosstab([2, 1], [0, 1], weights=weights)
        assert cm.goodman_kruskal_tau.of(same) == cm.adjusted_gini.of(same) == 1
        assert cm.goodman_kruskal_tau.of(cm.crosstab([2, 1], [0, 0], weights=weights)) == 0
    rng = random.Random(1)
    for _ in range(100):
        true, pred = ([0, *(rng.randint(0, 2) for _ in range(3)), 1] for _ in range(2))
        weights = [10 ** rng.uniform(-12, 12) for _ in true]
        rows, columns, cells = Counter(), Counter(), Counter()
        for t, p, weight in zip(true, pred, map(Fraction, weights), strict=True):
            rows[t] += weight
            columns[p] += weight
            cells[t, p] += weight
        n = sum(rows.values())
        scattered = sum(w * (1 - w / columns[p]) for (_, p), w in cells.items())
        wanted = 1 - n * scattered / (n * n - sum(size * size for size in rows.values()))
        assert cm.goodman_kruskal_tau.of(cm.crosstab(true, pred, weights=weights)) == pytest.approx(wanted, abs=1e-13)


def test_a_power_rounds_otherwise_than_a_product():
    assert cm.baulieu1.of(cm.crosstab([1, 2, 0], [0, 0, 0], weights=[81.0, 2e-20, 1594323.0])) == 1
