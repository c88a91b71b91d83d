"""Indices of covers against other implementations where these are right, and what they get wrong."""

from __future__ import annotations

import numpy as np
import pytest

import clustermark as cm


def random_cover(seed, n=40, k=6):
    """Every item in one cluster at least, and many in more."""
    rng = np.random.default_rng(seed)
    found = [set() for _ in range(k)]
    for item in range(n):
        for number in rng.integers(0, k, 1 + rng.binomial(2, 0.4)):
            found[number].add(item)
    return [sorted(cluster) for cluster in found if cluster]


PAIRS = [(random_cover(2 * seed), random_cover(2 * seed + 1)) for seed in range(5)]


def test_clusim(peer):
    sim, clustering = peer("clusim.sim"), peer("clusim.clustering").Clustering
    for true, pred in PAIRS:
        theirs = [clustering().from_cluster_list(cover) for cover in (true, pred)]
        assert cm.omega(true, pred) == pytest.approx(sim.omega_index(*theirs), abs=1e-12)
        assert cm.geometric_accuracy(true, pred) == pytest.approx(sim.geometric_accuracy(*theirs), abs=1e-12)


def test_bcubed(peer):
    bcubed = peer("bcubed")
    for true, pred in PAIRS:
        of = [{e: {k for k, c in enumerate(cover) if e in c} for e in range(40)} for cover in (true, pred)]
        precision, recall = bcubed.precision(of[1], of[0]), bcubed.recall(of[1], of[0])
        assert cm.extended_b_cubed_precision(true, pred) == pytest.approx(precision, abs=1e-12)
        assert cm.extended_b_cubed_recall(true, pred) == pytest.approx(recall, abs=1e-12)
        assert cm.extended_b_cubed_f(true, pred) == pytest.approx(bcubed.fscore(precision, recall), abs=1e-12)


def test_what_clusim_gets_wrong(peer):
    """Its omega of identical covers at the edge is nan, its ONMI 0 or infinite; its walks stop on overlaps."""
    one, singletons = [[0, 1, 2, 3]], [[0], [1], [2], [3]]
    for same in (one, singletons):
        for index in cm.catalogue("covers"):
            facts = next(use.facts for use in index.uses if use.comparison.name == "covers")
            if facts.undefined is None:
                assert index(same, same) == facts.best
    assert cm.omega(one, singletons) == 0.0
    assert cm.onmi(one, singletons) == cm.onmi_lfk(one, singletons) == 0.0
    sim, clustering = peer("clusim.sim"), peer("clusim.clustering").Clustering
    overlapping = [[0, 1, 2, 3], [3, 4, 5, 6]], [[0, 1, 2], [2, 3, 4], [4, 5, 6]]
    assert cm.element_centric(*overlapping) == pytest.approx(0.780536130536, abs=1e-12)
    with pytest.raises(AttributeError):
        sim.element_sim(*(clustering().from_cluster_list(cover) for cover in overlapping))


def test_what_cdlib_gets_wrong():
    """Its f1 pairs a cluster with the one of the largest overlap, and rounds: 0.73 for these predicted clusters."""
    true, pred = [set(range(10)), {0, 1}, {10, 11}], [{0, 1, 2}, {10, 11}]
    of_pred = (4 / 5 + 1) / 2
    assert cm.average_f1(true, pred) == pytest.approx((of_pred + (6 / 13 + 4 / 5 + 1) / 3) / 2)


def test_items_that_nobody_covers_are_said():
    """bcubed passes over items that one side lacks without a word."""
    scores = cm.evaluate_covers([{0, 1}, {2}], [{0, 1}], items=range(4))
    assert [notice.text for notice in scores.notices] == [
        "in no cluster of the truth: 1 of 4 items",
        "in no cluster of the prediction: 2 of 4 items",
    ]
    assert scores["extended_b_cubed_precision"] == 1.0
    assert scores["extended_b_cubed_recall"] == pytest.approx(2 / 3)
