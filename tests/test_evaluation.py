"""evaluate(): one table, all scores, looked up and shown."""

from __future__ import annotations

import numpy as np
import pytest

import clustermark as cm
from clustermark.breakdown import ClusterRow

TRUE, PRED = [0, 0, 1, 1, 2, 2], [0, 0, 1, 1, 1, 2]


def test_the_panel_by_default():
    scores = cm.evaluate(TRUE, PRED)
    assert list(scores) == [index.name for index in cm.catalogue() if index.panel]
    assert scores.refused == {}
    assert dict(cm.evaluate_table(cm.crosstab(TRUE, PRED))) == dict(scores)
    weighted = cm.evaluate(TRUE, PRED, weights=[1, 2, 3, 4, 5, 6])
    assert weighted.refused
    assert all(cm.find(name).panel for name in weighted.refused)


def test_all_indices():
    scores = cm.evaluate(TRUE, PRED, "all")
    assert list(scores) == [index.name for index in cm.catalogue() if not index.may_sample]
    assert set(scores.refused) == {"standardized_mutual_information"}
    assert cm.evaluate(TRUE, PRED, ["SMI"])["SMI"] == cm.standardized_mutual_information(TRUE, PRED)
    for index in scores.indices:
        assert scores[index.name] == index(TRUE, PRED)
        assert type(scores[index.name]) is float


def test_lookup_by_any_name():
    scores = cm.evaluate(TRUE, PRED, ["jaccard", "f_measure(beta=2)", cm.rand])
    assert scores["JS"] == scores["tanimoto"] == 0.4
    assert scores["f_measure(beta=2)"] == cm.f_measure(TRUE, PRED, beta=2)
    assert scores["rand()"] == scores["rand"]
    for other in ("f_measure", "f_measure(beta=3)", "f_measure(beta=1)"):
        assert other not in scores
    assert "rand" in scores
    assert "adjusted_rand" not in scores
    assert "no such index" not in scores
    with pytest.raises(KeyError, match="adjusted_rand was not evaluated"):
        scores["ARI"]
    assert len(scores) == 3


def test_lookup_of_variants():
    scores = cm.evaluate([0, 1, 2], [0, 1, 2], [cm.jaccard, cm.jaccard.when_undefined(0.5), "JS", "jaccard"])
    assert dict(scores) == {"jaccard": 0.0, "jaccard.when_undefined(0.5)": 0.5}
    assert scores[cm.jaccard.when_undefined(0.5)] == 0.5
    assert scores["jaccard"] == 0.0
    both = cm.evaluate(TRUE, PRED, ["f_measure(beta=2)", "f_measure(beta=3)"])
    assert both["f_measure( beta = 2 )"] == both["permetrics:FS(beta=2)"] == both["f_measure(beta=2)"]
    with pytest.raises(KeyError, match="f_measure was not evaluated"):
        both["f_measure"]
    plain = cm.evaluate(TRUE, PRED, "all")
    assert plain["f_measure(beta=1)"] == plain["f_measure"]
    for other in ("f_measure(beta=2)", "aricode:NMI", "tversky(alpha=0.3)"):
        assert other not in plain
    assert both.get("nope") is None
    assert both.get("rand", 7) == 7
    with pytest.raises(KeyError, match="no index is called"):
        both["nope"]


@pytest.mark.parametrize("indices", [42, [None], [42], [len], ["f_measure(beta={[]:1})"], [["jaccard"]]])
def test_what_is_no_index(indices):
    with pytest.raises(ValueError, match=r"ind(ex|ices)"):
        cm.evaluate(TRUE, PRED, indices)


def test_labels_and_tables_have_a_function_each():
    table = cm.crosstab(TRUE, PRED)
    with pytest.raises(ValueError, match="evaluate_table"):
        cm.evaluate(table, ["jaccard"])
    with pytest.raises(ValueError, match="evaluate_table takes a table"):
        cm.evaluate_table(TRUE, ["jaccard"])
    assert dict(cm.evaluate_table(table, ["jaccard"])) == {"jaccard": 0.4}


def test_names_in_an_array():
    assert set(cm.evaluate(TRUE, PRED, np.array(["jaccard", "dice"]))) == {"jaccard", "dice"}


def test_clusters():
    rows = cm.evaluate(["a", "a", "b", "b", "c", "c"], [0, 0, 1, 1, 1, 2], ["jaccard"]).clusters
    assert [row.cluster for row in rows] == [0, 1, 2]
    assert rows[1]._replace(concentration=0, jci=0) == ClusterRow(
        cluster=1,
        size=3,
        share=0.5,
        best_match="b",
        overlap=2,
        best_match_size=2,
        precision=2 / 3,
        recall=1.0,
        jaccard=2 / 3,
        concentration=0,
        jci=0,
        counterparts=2,
        pairs_lost=2,
        bcubed=5 / 9,
        verdict="mixed",
    )
    full = cm.jaccard_concentration_index([0, 0, 1, 1, 2, 2], [0, 0, 1, 1, 1, 2], return_all=True)["cluster_results"]
    assert [row.jci for row in rows] == [result["score"] for result in full]


def test_one_index():
    assert dict(cm.evaluate(TRUE, PRED, "JS")) == {"jaccard": 0.4}
    assert dict(cm.evaluate(TRUE, PRED, cm.jaccard)) == {"jaccard": 0.4}


def test_to_dict_carries_the_counts():
    result = cm.evaluate(TRUE, PRED, ["jaccard"], noise_pred={2: "drop"}).to_dict()
    assert result == {"jaccard": 0.5, "n_given": 6, "n_used": 5, "n_noise": 1, "n_dropped": 1, "n_unmatched": 0}


def test_text():
    text = str(cm.evaluate(TRUE, PRED, ["jaccard", "tau"], noise_pred={2: "drop"}))
    assert text.splitlines() == [
        "5 points, 3 true and 2 predicted clusters; 1 noise; 1 dropped",
        "jaccard    0.500000  [0, 1]",
        "tau        0.670820  [-1, ∞)",
    ]


def test_html_escapes():
    html = cm.evaluate(TRUE, PRED, ["jaccard"])._repr_html_()
    assert html.startswith("<table><caption>6 points")
    assert ">jaccard</td><td style='text-align:right'>0.400000</td>" in html
    weird = cm.evaluate(TRUE, PRED)
    weird.refused["<script>"] = "<b>"
    assert "<script>" not in weird._repr_html_()


def test_a_named_index_that_refuses_is_an_error():
    with pytest.raises(cm.UnsupportedTableError, match="rand cannot leave noise"):
        cm.evaluate(TRUE, PRED, ["rand"], noise_pred={2: "unscored"})


def test_weights():
    weighted = cm.evaluate(TRUE, PRED, "all", weights=[1, 2, 3, 4, 5, 6])
    assert weighted["pair_recall"] == pytest.approx((1 * 2 + 3 * 4) / (1 * 2 + 3 * 4 + 5 * 6))
    assert "mcnemar has no meaning with real weights" in weighted.refused["mcnemar"]
