"""A labeling without points, such as one whose points are all noise, is named and left out; the others are compared."""

from __future__ import annotations

import json

import pytest

import clustermark as cm
from needs import need

TRUTH = [0, 0, 1, 1, 2, 2] * 5
NOISE = [-1] * 30
SOME = [0, 0, 1, 1, -1, -1] * 5
DROP = {-1: "drop"}
SAID = r"^{} is left out: every point is noise or has no label, so there is nothing to score\.$"


def check_notice(result, *others):
    document = json.loads(result.to_json())
    need("jsonschema").validate(document, cm.json_schema())
    assert [one["kind"] for one in document["notices"]] == ["left_out", *others]
    assert "none is left out: every point is noise" in repr(result)


def test_compare_leaves_it_out():
    others = {"some": SOME, "all": TRUTH}
    with pytest.warns(cm.ClustermarkWarning, match=SAID.format("none")):
        found = cm.compare(TRUTH, {"none": NOISE, **others}, ["rand"], noise_pred=DROP)
    check_notice(found)
    assert found.left_out == ("none",)
    assert found.methods == ("some", "all")
    wanted = cm.compare(TRUTH, others, ["rand"], noise_pred=DROP)
    assert found.leaderboard().rows() == wanted.leaderboard().rows()
    assert wanted.left_out == wanted.notices == ()


def test_a_method_is_left_out_if_one_of_its_runs_has_no_points():
    with pytest.warns(cm.ClustermarkWarning, match=SAID.format("none")):
        found = cm.compare(TRUTH, {"none": [SOME, NOISE], "all": [TRUTH, TRUTH]}, ["rand"], noise_pred=DROP)
    assert found.methods == ("all",)
    assert found.n_used == 30  # the other run of the method left out drops no point


def test_points_that_the_truth_drops_are_no_points():
    truth = [0, 0, 0, -1, -1, -1]
    predictions = {"beside": [-1, -1, -1, 1, 1, 1], "whole": [0, 0, 1, 1, 1, 1]}
    with pytest.warns(cm.ClustermarkWarning, match=SAID.format("beside")):
        assert cm.compare(truth, predictions, ["rand"], noise=DROP).methods == ("whole",)
    counts = [1, 1, 1, 0, 0, 0]
    with pytest.warns(cm.ClustermarkWarning, match=SAID.format("beside")):
        assert cm.compare([0] * 6, predictions, ["rand"], noise_pred=DROP, counts=counts).methods == ("whole",)


def test_similarity_matrix_leaves_it_out():
    with pytest.warns(cm.ClustermarkWarning, match=SAID.format("none")):
        found = cm.similarity_matrix({"none": NOISE, "some": SOME, "all": TRUTH}, noise=DROP)
    check_notice(found, "coverage")
    assert found.names == ("some", "all")
    assert found.values.tolist() == cm.similarity_matrix({"some": SOME, "all": TRUTH}, noise=DROP).values.tolist()


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (
            lambda: cm.compare(TRUTH, {"a": NOISE, "b": NOISE}, ["rand"], noise_pred=DROP),
            r"no point in common \(predictions\['a'\] lacks 30, predictions\['b'\] lacks 30\)",
        ),
        (
            lambda: cm.compare(TRUTH, {"a": SOME, "b": [-1, -1, -1, -1, 1, 1] * 5}, ["rand"], noise_pred=DROP),
            r"no point in common \(predictions\['a'\] lacks 10, predictions\['b'\] lacks 20\)",
        ),
        (
            lambda: cm.similarity_matrix({"a": SOME, "b": [-1, -1, -1, -1, 1, 1] * 5}, noise=DROP),
            r"^labelings\['a'\] and labelings\['b'\] have no point in common: all 30 points were dropped",
        ),
        (lambda: cm.similarity_matrix({"a": NOISE}, noise=DROP), r"^labelings\['a'\] and labelings\['a'\] have no"),
    ],
)
def test_where_nothing_is_left_the_labelings_are_named(call, said):
    with pytest.raises(cm.InputError, match=said):
        call()
