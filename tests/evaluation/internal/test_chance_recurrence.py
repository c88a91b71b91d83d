"""The stability of clusters by chance: with the labels of samples permuted."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import clustermark as cm
from clustermark.evaluation import chance_recurrence
from clustermark.evaluation.chance_recurrence import expect_jaccards


def brute(reference: tuple[int, ...], sample: tuple[int, ...]) -> dict[int, float]:
    """Return the best Jaccard of each cluster, as the mean over all permutations of the labels of the sample."""
    found = {}
    for label in set(reference):
        mine = {i for i, own in enumerate(reference) if own == label}
        total = []
        for order in permutations(sample):
            others = [{i for i, own in enumerate(order) if own == other} for other in set(sample)]
            total.append(max(len(mine & one) / len(mine | one) for one in others))
        found[len(mine)] = sum(total) / len(total)
    return found


def sizes(labels: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(sorted(np.unique(labels, return_counts=True)[1].tolist()))


@settings(max_examples=25, deadline=None)
@given(st.lists(st.integers(0, 2), min_size=2, max_size=6), st.data())
def test_few_clusters_are_exact(reference: list[int], data: st.DataObject):
    sample = data.draw(st.lists(st.integers(0, 1), min_size=len(reference), max_size=len(reference)))
    [found] = expect_jaccards([(sizes(tuple(reference)), sizes(tuple(sample)))])
    assert found == pytest.approx(brute(tuple(reference), tuple(sample)))


def test_more_clusters_are_means_of_permutations(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(chance_recurrence, "PERMUTATIONS", 20_000)
    reference, sample = (0, 0, 0, 0, 1, 1, 2), (0, 0, 0, 1, 1, 2, 2)
    [found] = expect_jaccards([(sizes(reference), sizes(sample))])
    wanted = brute(reference, sample)
    assert found == pytest.approx(wanted, abs=0.006)  # four standard errors
    assert found[1] == pytest.approx(wanted[1], abs=1e-12)


def test_very_many_items_are_permuted_for_some_labelings_only(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(chance_recurrence, "_WORK", 2_000)
    found = expect_jaccards([((400, 600), (300, 300, 400))] * 5)
    assert [bool(one) for one in found] == [True, False, False, True, False]
    stable = cm.stability([0] * 400 + [1] * 600, [[0, 1, 2, 0, 0] * 200] * 5)
    assert all(0.25 < row.by_chance < 0.5 for row in stable.clusters)


def test_a_cluster_of_nearly_all_items_is_no_evidence():
    reference = np.repeat([0, 1], [380, 20])
    rng = np.random.default_rng(0)
    random = cm.stability(reference, [rng.permutation(reference) for _ in range(30)])
    large = next(row for row in random.clusters if row.size == 380)
    assert large.jaccard == pytest.approx(large.by_chance, abs=0.01)
    assert large.by_chance == pytest.approx(0.905, abs=0.001)
    assert large.verdict == "no evidence"
    assert "0 of 2 clusters are stable" in random.verdict
    assert "Cluster 0: 0.90" in random.verdict
    assert "by chance 0.90" in random.verdict
    found_again = cm.stability(reference, [reference] * 3)
    assert [row.verdict for row in found_again.clusters] == ["highly stable"] * 2
    whole = cm.stability([0] * 5, [[0] * 5])
    assert whole.clusters[0].by_chance == 1.0
    assert whole.clusters[0].verdict == "no evidence"


@pytest.mark.parametrize("shares", [(0.9, 0.05, 0.05), (0.25, 0.25, 0.25, 0.25), (0.7, 0.2, 0.1)])
def test_random_labels_are_never_called_stable(shares: tuple[float, ...]):
    rng = np.random.default_rng(1)
    reference = rng.choice(len(shares), 200, p=shares)
    samples = [np.where(rng.random(200) < 0.5, None, rng.choice(len(shares), 200, p=shares)) for _ in range(60)]
    found = cm.stability(reference, [list(sample) for sample in samples])
    for row in found.clusters:
        assert row.verdict in ("no evidence", "not stable")
        assert row.jaccard == pytest.approx(row.by_chance, abs=0.05)


def test_it_depends_neither_on_the_order_of_items_nor_on_names():
    rng = np.random.default_rng(2)
    reference = rng.integers(0, 4, 300)
    samples = [np.where(rng.random(300) < 0.2, rng.integers(0, 4, 300), reference) for _ in range(3)]
    order = rng.permutation(300)
    names = np.array(["d", "a", "c", "b"])
    one = cm.stability(reference, samples)
    other = cm.stability(names[reference[order]], [sample[order] for sample in samples])
    assert [row.by_chance for row in one.clusters] == [row.by_chance for row in other.clusters]


def test_a_cluster_that_no_sample_has_is_not_known():
    found = cm.stability([0, 0, 1], [[0, 0, None]])
    assert found.clusters[-1].verdict == "not known"
    assert np.isnan(found.clusters[-1].by_chance)
