"""The tree of resolutions: flows between labelings that follow each other, as table and as picture."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import clustermark as cm
from clustermark.evaluation.labeling_sweeps import Flows
from clustermark.evaluation.sweep_charts import place_clusters
from needs import need

X = [[0.0], [1.0], [3.0], [9.0], [10.0], [12.0]]
LABELINGS = {2: list("aaabbb"), 3: list("aacbbb"), 4: list("aacbbd")}


@settings(max_examples=50, deadline=None)
@given(st.data())
def test_flows_are_counts_of_points(data):
    n = data.draw(st.integers(1, 8))
    label = st.one_of(st.none(), st.integers(0, 3))
    labelings = {k: data.draw(st.lists(label, min_size=n, max_size=n)) for k in range(data.draw(st.integers(1, 3)))}
    found = Flows(labelings)
    expected = {}
    for k in range(len(labelings) - 1):
        both = [(a, b) for a, b in zip(labelings[k], labelings[k + 1], strict=True) if None not in (a, b)]
        for a, b in both:
            ones, twos = sum(x == a for x, _ in both), sum(y == b for _, y in both)
            expected[k, a, k + 1, b] = (both.count((a, b)), both.count((a, b)) / ones, both.count((a, b)) / twos)
    assert {tuple(flow[:4]): tuple(flow[4:]) for flow in found} == expected
    sizes = {(k, a): sum(x == a for x in one) for k, one in labelings.items() for a in set(one) - {None}}
    assert {(node.threshold, node.cluster): node.points for node in found.nodes} == sizes
    assert len(found) == len(found.to_dict()["points"]) == len(expected)
    assert found.headline in repr(found)


def test_of_sweeps():
    by_points = cm.sweep(labelings=LABELINGS, X=X, indices=["silhouette", "davies_bouldin"]).flows()
    assert by_points.levels == [2, 3, 4]
    assert [flow[4:] for flow in by_points if flow.threshold == 2] == [(2, 2 / 3, 1), (1, 1 / 3, 1), (3, 1, 1)]
    by_truth = cm.sweep(list("aaabbb"), {k: one for k, one in LABELINGS.items() if k > 2}, ["dice"]).flows()
    assert by_truth.levels == [4, 3]
    assert {flow.next_share for flow in by_truth} == {1.0, 2 / 3, 1 / 3}
    assert "<caption>7 flows between 3 labelings" in by_points._repr_html_()
    many = Flows({0: range(40), 1: range(40)})
    assert "10 more" in repr(many)


def test_clusters_stand_below_those_they_come_from():
    places = place_clusters(Flows({2: list("aaabbb"), 4: list("dcccba")}))
    assert places[2, "a"] < places[2, "b"]
    assert max(places[4, one][0] for one in "dc") < min(places[4, one][0] for one in "ba")
    assert {y for _, y in places.values()} == {0.0, 1.0}


def test_pictures():
    need("matplotlib").use("Agg")
    sweep = cm.sweep(labelings=LABELINGS, X=X)
    ax = sweep.plot.tree()
    assert len(ax.lines) == len(sweep.flows())
    assert [text.get_text() for text in ax.get_yticklabels()] == ["2", "3", "4"]
    assert "How clusters flow" in ax.get_title(loc="left")
    curves = sweep.plot.curves()
    assert {line.get_label() for line in curves.lines} >= {"silhouette", "pearson_gamma"}
    assert curves.get_xlabel() == "number of clusters"
    assert cm.sweep(labelings={0.5: LABELINGS[2]}, X=X).axis == "labeling"
    assert "nothing to show" in [text.get_text() for text in Flows({1: [0, 1]}).plot().texts]
    pairs = cm.sweep_pairs({"a": 0, "b": 0}, (["a"], ["b"], [0.5]))
    with pytest.raises(cm.InputError, match="only a sweep of labelings has a tree"):
        pairs.plot.tree()


def test_many_clusters_are_drawn_without_names():
    need("matplotlib").use("Agg")
    ax = Flows({0: np.arange(60) // 2, 1: np.arange(60)}).plot()
    assert len(ax.texts) == 30
