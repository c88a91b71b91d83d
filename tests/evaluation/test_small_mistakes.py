"""Small mistakes get messages that say what is meant, and scores that are none are told."""

from __future__ import annotations

import json
import warnings

import numpy as np
import pytest

import clustermark as cm
from needs import need

X = np.array([(0, 0), (0, 1), (5, 5), (5, 6)], float)


def test_a_misspelt_index_is_suggested():
    with pytest.raises(AttributeError, match=r"no attribute 'ajusted_rand'; did you mean adjusted_rand\?$"):
        cm.ajusted_rand  # noqa: B018
    with pytest.raises(AttributeError, match=r"no attribute 'xyzzy'$"):
        cm.xyzzy  # noqa: B018
    assert cm.find("ASW") is cm.silhouette


@pytest.mark.parametrize("indices", ["rand", ["jaccard", "f_measure(beta=2)"], [cm.rand]])
def test_indices_in_place_of_the_second_source(tmp_path, indices):
    need("duckdb")
    (tmp_path / "data.csv").write_text("a,b\n0,0\n1,0\n")
    with pytest.raises(cm.InputError, match=r"names indices, not a source; pass them by indices=$"):
        cm.evaluate(tmp_path / "data.csv", indices, true="a", pred="b")
    with pytest.raises(cm.InputError, match=r"rand\.csv: there is no such file$"):
        cm.evaluate(tmp_path / "data.csv", "rand.csv", true="a", pred="b")


@pytest.mark.parametrize("labels", [[0, 0, 1], np.array([0, 0, 1]), (0.0, 1.0, 1.0)])
@pytest.mark.parametrize("call", [lambda one: cm.compare([0, 0, 1], one), cm.similarity_matrix])
def test_one_labeling_is_not_many(call, labels):
    with pytest.raises(cm.InputError, match=r"is one labeling; pass labelings by their names, such as \{'kmeans'"):
        call(labels)


def test_an_estimator_that_is_not_fitted():
    model = need("sklearn.cluster").AgglomerativeClustering(2)
    with pytest.raises(cm.InputError, match=r"y_pred is an estimator, .*: call fit, then pass its labels_$"):
        cm.rand([0, 0, 1, 1], model)
    with pytest.raises(cm.InputError, match=r"an estimator, AgglomerativeClustering, and no labels; pass its labels_$"):
        cm.rand([0, 0, 1, 1], model.fit(X))


def test_scores_of_one_cluster_are_said_to_be_undefined():
    found = cm.evaluate_internal(X, [0, 0, 0, 0], ["silhouette", "davies_bouldin", "within_sum_of_squares"])
    said = "silhouette, davies_bouldin are undefined (there is one cluster): their values are no scores"
    assert [(one.kind, one.text) for one in found.notices] == [("undefined", said)]
    assert f"note: {said}" in repr(found)
    need("jsonschema").validate(json.loads(found.to_json()), cm.json_schema())
    assert cm.evaluate_internal(X, [0, 0, 1, 1]).notices == ()
    alone = cm.evaluate_internal(X, [0, 1, 2, 3], ["calinski_harabasz"])
    assert "calinski_harabasz is undefined (there is one cluster, or one for each point" in alone.notices[0].text


def test_a_matrix_tells_that_its_scores_are_of_different_points():
    labelings = {"a": [0, 0, 1, 1, None], "b": [0, 0, 1, None, 1], "c": [0, 1, 1, 1, 0]}
    found = cm.similarity_matrix(labelings, missing="drop")
    assert [one.kind for one in found.notices] == ["coverage"]
    assert "scored on the points that both keep" in repr(found)
    assert found.lacking == {"a": 1, "b": 1}
    need("jsonschema").validate(json.loads(found.to_json()), cm.json_schema())
    assert cm.similarity_matrix({name: labels[:3] for name, labels in labelings.items()}).notices == ()


def test_clusters_are_found_by_label():
    clusters = cm.evaluate([0, 0, 1, 1], [5, 5, 5, -1], noise_pred={-1: "cluster"}).clusters
    assert (clusters.find(-1).size, clusters[-1].size) == (1, 3)  # in brackets: the last row
    for label in ("-1", 7):
        with pytest.raises(cm.InputError, match=rf"label={label!r} is no pred cluster$"):
            clusters.find(label)


def test_help_of_evaluate_has_single_braces():
    assert '{"unit": "component"}' in (cm.evaluate.__doc__ or "").replace("{{", "#")


def test_names_complete_in_the_plain_interpreter():
    from rlcompleter import Completer

    completer = Completer({"cm": cm})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = [completer.complete("cm.I", place) for place in range(5)]
    assert "cm.Index(" in found


def test_a_score_that_was_not_evaluated_names_the_way_to_it():
    found = cm.evaluate([0, 0, 1], [0, 1, 1])
    with pytest.raises(KeyError, match="rogers_tanimoto was not evaluated; name it by indices="):
        found["rogers_tanimoto"]
    with pytest.raises(KeyError, match="dunn was not evaluated; evaluate_internal scores it"):
        found["dunn"]


def test_an_index_as_a_scorer_names_the_function_that_makes_one():
    from types import SimpleNamespace

    estimator = SimpleNamespace(fit=None)
    with pytest.raises(cm.InputError, match=r"made by clustermark.sklearn.scorer\('adjusted_rand'\)"):
        cm.adjusted_rand(estimator, [[0.0], [1.0]], [0, 1])
    with pytest.raises(cm.InputError, match=r"adjusted_rand: give options by name; it has model$"):
        cm.adjusted_rand([0, 1], [0, 1], "num")


def test_a_sweep_over_names_says_what_takes_names():
    with pytest.raises(cm.InputError, match="'leaf' is not a number; compare"):
        cm.sweep([0, 1], {"leaf": [0, 1]})


def test_the_silhouette_decides_a_sweep_of_points():
    points = [[0.0], [0.1], [5.0], [5.1], [9.0], [9.2]]
    found = cm.sweep(labelings={2: [0, 0, 1, 1, 1, 1], 3: [0, 0, 1, 1, 2, 2]}, X=points)
    assert found.main_index.name == "silhouette"
    assert "Choose 3: there the Silhouette is best" in repr(found)
