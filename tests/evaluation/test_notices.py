"""Notices that limit the trust in scores: as a warning, in the text, as JSON."""

import json
import warnings

import numpy as np
import pytest

import clustermark as cm
from clustermark import sklearn
from clustermark.evaluation.notices import Notice
from needs import need

TRUE, PRED = [0, 0, 1, 1, 2, 2], [0, 0, 1, -1, -1, -1]
LIKE_NOISE = (
    "3 points of the prediction have the label -1, which looks like noise; it counts as one cluster. Choose "
    "noise_pred={-1: 'singletons'} or {-1: 'drop'}, or noise_pred={-1: 'cluster'} if it is one."
)


def quietly(*arguments, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", cm.NoiseWarning)
        return cm.evaluate(*arguments, **options)


def test_noise_without_a_policy_is_a_warning_where_it_was_asked_for():
    with pytest.warns(cm.NoiseWarning) as caught:
        scores = cm.evaluate(TRUE, PRED)
    assert [str(one.message) for one in caught] == [LIKE_NOISE]
    assert caught[0].filename == __file__
    assert issubclass(cm.NoiseWarning, cm.ClustermarkWarning)
    assert scores.notices == (Notice("noise", LIKE_NOISE),)
    with pytest.warns(cm.NoiseWarning) as caught:
        cm.evaluate_table(cm.crosstab(TRUE, PRED), ["rand"])
    assert caught[0].filename == __file__


def test_an_index_and_the_faces_of_other_tools_say_nothing():
    cm.jaccard(TRUE, PRED)
    cm.crosstab(TRUE, PRED)
    cm.jaccard.of(cm.crosstab(TRUE, PRED))
    sklearn.adjusted_rand_score(TRUE, PRED)
    cm.ClusteringMetric(y_true=np.array(TRUE), y_pred=np.array(PRED)).jaccard_score()
    cm.jaccard_concentration_index(TRUE, PRED, noise_label=7)


@pytest.mark.parametrize("policy", ["cluster", "singletons", "drop"])
def test_who_says_what_noise_is_hears_nothing_of_it(policy):
    scores = cm.evaluate(TRUE, PRED, noise_pred={-1: policy})
    assert [notice.kind for notice in scores.notices] == ["coverage"] * (policy == "drop")


def test_a_label_of_another_type_is_a_warning():
    with pytest.warns(cm.NoiseWarning) as caught:
        scores = cm.evaluate(TRUE, PRED, noise_pred={"-1": "drop"})
    text = (
        "No point of the prediction has the label '-1' (noise_pred={'-1': 'drop'}); 3 have the number -1: did you mean "
        "that?"
    )
    assert [str(one.message) for one in caught] == [text]
    assert scores.notices == (Notice("noise_type", text),)
    assert scores.n_used == 6


def test_a_label_that_nobody_has_is_a_notice():
    """A policy that is shared by many runs may find nothing in one."""
    scores = cm.evaluate(TRUE, TRUE, noise_true={-1: "drop"}, noise_pred={-1: "drop", 8: "drop"})
    assert scores.notices == (
        Notice("noise_absent", "No point has the label -1 (noise={-1: 'drop'})."),
        Notice("noise_absent", "No point of the prediction has the label 8 (noise_pred={8: 'drop'})."),
    )


def test_frames_say_the_same_as_lists():
    pd, pl = need("pandas"), need("polars")
    lists = quietly(TRUE, PRED, ["rand"], noise_true={"0": "drop"})
    columns = {"t": TRUE, "p": PRED}
    for frame in (pd.DataFrame(columns), pl.DataFrame(columns)):
        again = quietly(frame, None, ["rand"], true="t", pred="p", noise_true={"0": "drop"})
        assert again.notices == lists.notices
        assert again.n_used == 6
    assert [notice.kind for notice in lists.notices] == ["noise", "noise_type"]


@pytest.mark.parametrize(
    ("policy", "head"),
    [
        ("cluster", "6 points, 3 true and 3 predicted clusters; 3 noise"),
        ("singletons", "6 points, 3 true and 2 predicted clusters + 3 noise"),
        ("unscored", "6 points, 3 true and 2 predicted clusters + 3 noise"),
        ("drop", "3 points, 2 true and 2 predicted clusters + 3 noise; 3 dropped"),
    ],
)
def test_noise_stands_beside_the_clusters(policy, head):
    scores = cm.evaluate(TRUE, PRED, noise_pred={-1: policy})
    assert repr(scores).splitlines()[0] == head
    for text in (scores.to_html(), scores.to_latex()):
        assert head in text
    assert scores.n_pred_clusters == {"cluster": 3, "singletons": 5, "unscored": 3, "drop": 2}[policy]


def test_noise_of_the_truth_stands_beside_its_clusters():
    scores = cm.evaluate(PRED, TRUE, noise_true={-1: "singletons"}, noise_pred={1: "drop"})
    # of three points of noise the other side drops one
    assert (
        repr(scores).splitlines()[0] == "4 points, 1 true cluster + 3 noise, 2 predicted clusters + 2 noise; 2 dropped"
    )
    assert json.loads(scores.to_json())["noise"] == {
        "true": {"points": 3, "clusters": 2},
        "pred": {"points": 2, "clusters": 0},
    }


def test_every_form_has_the_notices():
    scores = quietly(TRUE, PRED, ["jaccard"])
    assert repr(scores).splitlines()[1] == f"note: {LIKE_NOISE}"
    assert "> 3 points of the prediction have the label -1, which looks like noise" in scores.to_markdown()
    assert f"% {LIKE_NOISE}" in scores.to_latex().splitlines()
    assert "3 points of the prediction have the label -1, which looks like noise" in scores.to_html()
    assert json.loads(scores.to_json())["notices"] == [{"kind": "noise", "text": LIKE_NOISE}]
    again = cm.Evaluation.from_json(scores.to_json())
    assert again.notices == scores.notices
    assert again.record.noise == scores.record.noise


def test_documents_that_were_written_before_there_were_notices():
    document = json.loads(cm.evaluate(TRUE, TRUE, ["jaccard"]).to_json())
    del document["notices"], document["noise"]
    again = cm.Evaluation.from_json(json.dumps(document))
    assert again.notices == ()
    assert repr(again).startswith("6 points, 3 true and 3 predicted clusters\n")


def test_points_that_the_truth_lacks_are_told_from_those_that_the_prediction_lacks():
    truth, how = {"a": 1, "b": 1, "c": 2, "d": 2}, {"unmatched": "singletons"}
    with_stranger = cm.evaluate(truth, {"a": 1, "b": 1, "z": 2}, ["dice"], **how)
    (notice,) = with_stranger.notices
    assert notice.kind == "strangers"
    assert notice.text.startswith(
        "The truth lacks 1 point of the prediction: each counts as a true cluster of its own."
    )
    assert "2 of the truth are not in the prediction" in notice.text
    assert notice.text in repr(with_stranger)
    assert cm.evaluate(truth, {"a": 1, "b": 1}, ["dice"], **how).notices == ()
    others = {
        policy: cm.evaluate(truth, {"a": 1, "z": 2}, ["ceaf_m_f"], unmatched=policy) for policy in ("keep", "drop")
    }
    assert [[one.kind for one in found.notices] for found in others.values()] == [[], ["coverage"]]


TRUTH, FOUND = {i: i // 3 for i in range(11)}, {i: i // 3 for i in range(100)}
PARTIAL = "Scored on 11.0% of the points (11 of 100)"


@pytest.mark.parametrize(
    ("arguments", "options", "reason"),
    [
        ((TRUTH, FOUND), {"unmatched": "drop"}, "the truth has no label for 89, so precision"),
        ((FOUND, TRUTH), {"unmatched": "drop"}, "the prediction has no label for 89, so recall"),
        (
            ([*TRUTH.values(), *[None] * 89], [*FOUND.values()]),
            {"missing": "drop"},
            "the truth has no label for 89, so precision",
        ),
        (
            ([*FOUND.values()], [*TRUTH.values(), *[-1] * 89]),
            {"noise_pred": {-1: "drop"}},
            "89 were dropped as noise.",
        ),
    ],
)
def test_the_verdict_says_of_which_share_it_speaks(arguments, options, reason):
    scores = cm.evaluate(*arguments, **options)
    assert scores.verdict.startswith(f"{PARTIAL}. On these: The two clusterings are identical")
    (notice,) = scores.notices
    assert notice.kind == "coverage"
    assert notice.text.startswith(f"{PARTIAL}: {reason}")
    assert f"note: {PARTIAL}" in repr(scores)
    assert json.loads(scores.to_json())["verdict"] == scores.verdict
    assert PARTIAL in scores.to_html()


def test_points_that_are_kept_or_weigh_nothing_are_no_reason_for_doubt():
    for scores in (
        cm.evaluate(TRUTH, FOUND, unmatched="singletons"),
        cm.evaluate(TRUTH, FOUND, unmatched="keep"),
        cm.evaluate([0, 0, None], [0, 0, 1], missing="cluster"),
        cm.evaluate([0, 0, 1], [0, 0, 1], missing="drop"),
        cm.evaluate([0, 0, 1], [0, 0, 1], weights=[1, 1, 0]),
    ):
        assert not any(notice.kind == "coverage" for notice in scores.notices)
        assert "Scored on" not in scores.verdict


def test_nearly_all_is_not_all():
    scores = cm.evaluate([0] * 5000 + [None], [0] * 5001, ["rand"], missing="drop")
    assert scores.verdict.startswith("Scored on >99.9% of the points (5,000 of 5,001). ")
