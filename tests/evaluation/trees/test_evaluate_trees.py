"""evaluate_trees and the Bk curve: what they hold, show, draw and write."""

from __future__ import annotations

import json
from html.parser import HTMLParser

import numpy as np
import pytest

import clustermark as cm
from clustermark.subjects.tree_comparisons import TreeLimits
from needs import need

Z = np.array([[0, 1, 1.0, 2], [2, 3, 2.0, 2], [4, 5, 4.0, 4]])
OTHER = np.array([[0, 2, 1.0, 2], [1, 4, 2.0, 3], [3, 5, 4.0, 4]])
SIMILAR = np.ones((4, 4))


def test_the_panel_of_each_comparison():
    scores = cm.evaluate_trees(Z, OTHER)
    assert list(scores) == ["cophenetic_correlation", "baker_gamma", "fowlkes_mallows_bk", "robinson_foulds"]
    assert scores["RF"] == scores[cm.robinson_foulds] == cm.robinson_foulds(Z, OTHER)
    assert list(cm.evaluate_trees(Z, labels=[0, 0, 1, 1])) == ["dendrogram_purity", "hierarchical_f"]
    assert list(cm.evaluate_trees(Z, distances=np.arange(6.0))) == ["cophenetic_correlation"]
    assert list(cm.evaluate_trees(Z, None, ["dasgupta_cost"], similarities=SIMILAR)) == ["dasgupta_cost"]
    every = cm.evaluate_trees(Z, OTHER, "all")
    assert "entanglement" in every
    assert "dendrogram_purity" not in every
    assert len(every) == 7
    assert cm.evaluate_trees(Z, OTHER, "robinson_foulds(normalized=True)").to_dict() == {
        "robinson_foulds(normalized=True)": 1.0
    }
    assert scores.curve.k.tolist() == [2, 3]
    assert isinstance(scores.subject, cm.TreePair)


def test_mistakes():
    with pytest.raises(cm.InputError, match=r"give one thing to compare it with, other, labels, .*; got nothing"):
        cm.evaluate_trees(Z)
    with pytest.raises(cm.InputError, match="got other, labels"):
        cm.evaluate_trees(Z, OTHER, labels=[0, 0, 1, 1])
    with pytest.raises(cm.InputError, match=r"dendrogram_purity is not computed from a TreePair\(a, b\)"):
        cm.evaluate_trees(Z, OTHER, ["dendrogram_purity"])
    with pytest.raises(cm.InputError, match="jaccard is not computed from"):
        cm.evaluate_trees(Z, OTHER, ["jaccard"])
    assert not hasattr(cm.evaluate_trees(Z, labels=[0, 0, 1, 1]), "curve")  # it needs two trees
    scores = cm.evaluate_trees(Z, OTHER, ["RF"])
    assert "baker_gamma" not in scores
    with pytest.raises(KeyError, match="baker_gamma was not evaluated"):
        scores["baker_gamma"]
    with pytest.raises(cm.InputError, match=r"at=9 must be"):
        cm.evaluate_trees(Z, OTHER, ["fowlkes_mallows_bk(at=9)"])


def test_ties_are_noted_and_refused_indices_are_named(monkeypatch):
    star = cm.evaluate_trees([0, 1, 2, 3], [[0, 1], [2, 3]])
    assert "merges of the same height" in star.notices[0].text
    assert "\nnote: fowlkes_mallows_bk(at=2): merges" in repr(star)
    monkeypatch.setattr(cm.TreeDistances, "limits", TreeLimits(ranked=1))
    ranked = cm.cophenetic_correlation.with_options(method="spearman")
    with pytest.raises(cm.InputError, match="the limit is 1"):
        cm.evaluate_trees(Z, None, [ranked], distances=np.arange(6.0))


class Balanced(HTMLParser):
    """Tags that are opened are closed."""

    def __init__(self):
        super().__init__()
        self.open = []

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_what_is_shown_and_written():
    scores = cm.evaluate_trees(Z, OTHER)
    page = Balanced()
    page.feed(scores._repr_html_())
    assert not page.open
    assert "robinson_foulds" in scores.to_html()
    document = json.loads(scores.to_json())
    need("jsonschema").validate(document, cm.json_schema())
    assert (document["kind"], document["subject"]) == ("evaluation", "trees")
    assert document["points"]["used"] == 4
    assert document["scores"]["robinson_foulds"]["value"] == 4
    assert document["scores"]["robinson_foulds"]["high"] == "inf"
    rows = scores.to_csv().splitlines()
    assert rows[0] == "index,title,score,low,high,higher_is_better,family"
    assert len(rows) == 5
    assert scores.to_pandas()["index"].tolist() == list(scores)
    wrong = dict(document)
    del wrong["scores"]
    with pytest.raises(need("jsonschema").ValidationError):
        need("jsonschema").validate(wrong, cm.json_schema())


def test_the_curve_shown_written_and_drawn():
    curve = cm.bk_curve(Z, OTHER)
    assert len(curve) == 2
    assert curve.to_csv().splitlines()[0] == "k,score,expectation,variance,tied"
    assert curve.to_dict()["k"] == [2, 3]
    document = json.loads(curve.to_json())
    need("jsonschema").validate(document, cm.json_schema())
    assert [cut["score"] for cut in document["cuts"]] == curve.score.tolist()
    low, high = curve.band()
    assert (low >= 0).all()
    assert (high <= 1).all()
    assert (curve.band(0)[0] == curve.expectation).all()
    assert repr(curve).startswith("Bk of two trees of 4 leaves at 2 cuts\nk ")
    assert repr(curve).splitlines()[1].split() == list(curve.to_dict())[:4]  # one word a thing
    rng = np.random.default_rng(0)
    from scipy.cluster.hierarchy import linkage

    long = cm.bk_curve(*(linkage(rng.normal(size=(300, 2)), how) for how in ("ward", "single")))
    assert repr(long).endswith("… and 288 more")
    need("matplotlib").use("agg")
    plot = need("matplotlib.pyplot")
    for one in (curve, long, cm.bk_curve([0, 1, 2, 3], [[0, 1], [2, 3]]), cm.bk_curve([0, 1], [1, 0])):
        axes = one.plot()
        assert "Agreement of two trees" in axes.get_title(loc="left")
        labels = axes.get_legend_handles_labels()[1]
        assert ("cut among equal heights" in labels) == bool(len(one) and one.tied.any())
        if len(one):
            line = next(line for line in axes.get_lines() if line.get_label() == "Bk")
            assert line.get_ydata().tolist() == one.score.tolist()
        plot.close(axes.figure)
