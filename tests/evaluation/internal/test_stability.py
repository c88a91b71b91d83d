"""stability(): clusters and items beside labelings of samples, from their definitions."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import clustermark as cm
from needs import need


def brute(reference, samples):
    """Jaccard of each cluster and sample, and the similarity of each item with the reference and among samples."""
    clusters = {
        label: {i for i, own in reference.items() if own == label} for label in dict.fromkeys(reference.values())
    }

    def similarity(i, one, two):
        both = one.keys() & two.keys() & reference.keys()
        mine, theirs = ({j for j in both if side[j] == side[i]} for side in (one, two))
        weights = lambda own: {j: 1 / len(own) for j in own}  # noqa: E731
        a, b = weights(mine), weights(theirs)
        return 1 - sum(abs(a.get(j, 0) - b.get(j, 0)) for j in mine | theirs) / 2

    jaccards = {}
    for label, cluster in clusters.items():
        for place, sample in enumerate(samples):
            here = cluster & sample.keys()
            others = [
                {j for j, own in sample.items() if own == other and j in reference} for other in set(sample.values())
            ]
            jaccards[label, place] = (
                max((len(here & one) / len(here | one) for one in others), default=0) if here else math.nan
            )
    mean = lambda values: sum(values) / len(values) if values else math.nan  # noqa: E731
    agreement = [mean([similarity(i, reference, s) for s in samples if i in s]) for i in reference]
    pairs = list(combinations(samples, 2))
    consistency = [mean([similarity(i, a, b) for a, b in pairs if i in a and i in b]) for i in reference]
    return jaccards, agreement, consistency


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_it_is_its_definition(data):
    n = data.draw(st.integers(1, 8))
    label = st.integers(0, 3)
    reference = {f"i{i}": data.draw(label) for i in range(n)}
    drawn = st.dictionaries(st.sampled_from([f"i{i}" for i in range(n + 2)]), label, max_size=n + 2)
    samples = data.draw(st.lists(drawn, min_size=1, max_size=4))
    if not any(reference.keys() & sample.keys() for sample in samples):
        with pytest.raises(cm.InputError, match="no sample has an item of the reference"):
            cm.stability(reference, samples)
        return
    jaccards, agreement, consistency = brute(reference, samples)
    found = cm.stability(reference, samples)
    labels = list(dict.fromkeys(reference.values()))
    for row, name in enumerate(labels):
        expected = [jaccards[name, place] for place in range(len(samples))]
        assert found.jaccards[row] == pytest.approx(expected, nan_ok=True)
    assert found.agreement == pytest.approx(agreement, nan_ok=True)
    assert found.consistency == pytest.approx(consistency, nan_ok=True)
    assert found.ids == list(reference)
    assert found.n_unmatched == len({i for sample in samples for i in sample} - reference.keys())
    arrays = [[sample.get(i) for i in reference] for sample in samples]
    by_place = cm.stability(list(reference.values()), arrays)
    assert by_place.jaccards == pytest.approx(found.jaccards, nan_ok=True)
    assert by_place.consistency == pytest.approx(found.consistency, nan_ok=True)
    for one in found.clusters:
        known = [jaccards[one.label, place] for place in range(len(samples)) if jaccards[one.label, place] >= 0]
        assert one.samples == len(known)
        assert one.dissolved == sum(score <= 0.5 for score in known)
        assert one.recovered == sum(score >= 0.75 for score in known)


def test_the_mean_over_items_is_the_index():
    rng = np.random.default_rng(0)
    one, two = rng.integers(0, 4, 60), rng.integers(0, 5, 60)
    found = cm.stability(one, [two])
    assert found.agreement.mean() == pytest.approx(cm.element_centric(one, two))
    assert cm.stability(one, [two, one]).consistency.mean() == pytest.approx(cm.element_centric(one, two))


def test_the_same_clusters_under_other_names_are_stable():
    reference = ["a", "a", "b", "b", "b"]
    found = cm.stability(reference, {"first": [7, 7, 8, 8, None], "second": [1, None, 0, 0, 0]})
    assert (found.jaccards == 1).all()
    assert (found.agreement == 1).all()
    assert found.drawn.tolist() == [2, 1, 2, 2, 1]
    assert found.to_dict()["recovered"] == [2, 2]
    assert found.to_csv().startswith("cluster,size,samples,jaccard,by_chance,recovered,dissolved,verdict\n")
    assert "<caption>2 labelings of samples of 5 items in 2 clusters" in found._repr_html_()


def test_noise():
    reference, sample = [0, 0, -1, -1, 1, 1], [0, 0, 0, -1, -1, 1]
    dropped = cm.stability(reference, [sample], noise={-1: "drop"})
    assert len(dropped) == 2
    assert dropped.drawn.tolist() == [1, 1, 0, 0, 0, 1]
    assert len(cm.stability(reference, [sample], noise={-1: "cluster"})) == 3
    assert len(cm.stability(reference, [sample], noise={-1: "singletons"})) == 4


def test_series_by_their_index():
    pandas = need("pandas")
    reference = pandas.Series([0, 0, 1, 1], index=list("abcd"))
    found = cm.stability(reference, [pandas.Series([5, 6], index=["d", "a"]), pandas.Series([1], index=["z"])])
    assert found.ids == list("abcd")
    assert found.drawn.tolist() == [1, 0, 0, 1]
    assert "1 item that the reference lacks is left out" in repr(found)
    with pytest.raises(cm.InputError, match="has the labels 5 and 6"):
        cm.stability(reference, [pandas.Series([5, 6], index=["d", "d"])])


def test_what_is_refused():
    for reference, labelings, said in (
        ([0, 1], [], "there is none"),
        ([0, 1], [[0, 1, 1]], r"^reference has 2 labels and labelings\['0'\] has 3"),
        ([], {"x": []}, "^reference holds no points"),
        ([None, None], [[0, 1]], "no item has a cluster"),
        ([0, 1], [[None, None]], "no sample has an item"),
        ({"a": 1}, {"x": [1]}, r"^reference is a mapping id -> label, but labelings\['x'\] is not; pass mappings only"),
    ):
        with pytest.raises(cm.InputError, match=said):
            cm.stability(reference, labelings)
    told = []
    cm.stability([0, 1], [[0, 1], [1, 1]], progress=told.append)
    assert told == [0.5, 1.0]


@pytest.mark.parametrize("by_id", [False, True])
def test_bootstraps_are_given_by_the_drawn_items(by_id):
    rng = np.random.default_rng(4)
    reference = rng.integers(0, 3, 60)
    names = [f"p{place}" for place in range(60)] if by_id else list(range(60))
    drawn = [rng.integers(0, 60, 60) for _ in range(3)]
    found = [
        np.where(rng.random(60) < 0.9, reference, 5) for _ in drawn
    ]  # one label for each item, also if drawn twice
    samples = [([names[place] for place in one], labels[one]) for one, labels in zip(drawn, found, strict=True)]
    known = dict(zip(names, reference.tolist(), strict=True)) if by_id else reference
    rows = []
    for one, labels in zip(drawn, found, strict=True):
        entries = [int(label) if place in one else None for place, label in enumerate(labels)]
        rows.append({names[i]: x for i, x in enumerate(entries) if x is not None} if by_id else entries)
    assert cm.stability(known, samples).to_dict() == cm.stability(known, rows).to_dict()


def test_drawn_items_that_cannot_be_read():
    reference = [0, 0, 1, 1]
    for drawn, labels, said in [
        ([0, 1, 1], [0, 0, 1], "item 1 has the labels 0 and 1"),
        ([0, 9], [0, 0], "9 is no position of the 4 items"),
        ([0, 1], [0], "2 items and 1 labels"),
    ]:
        with pytest.raises(cm.InputError, match=said):
            cm.stability(reference, [(drawn, labels)])
