"""Sweeps over labelings with noise: scored on common points, with the coverage of each labeling beside its scores."""

from __future__ import annotations

import json
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import clustermark as cm
from needs import need

DROP = {-1: "drop"}
X = np.array([(0, 0), (0, 1), (1, 0), (5, 5), (5, 6), (6, 5), (10, 0), (10, 1), (3, 3), (8, 8)], float)
FEW = [0, 0, -1, 1, 1, -1, -1, -1, -1, -1]
MOST = [0, 0, 0, 1, 1, 1, 2, 2, 1, -1]
TRUTH = [0, 0, 0, 1, 1, 1, 2, 2, 2, 1]
NONE = [-1] * 10


def by_hand(labelings, index, kept, **how):
    scores = {k: cm.find(index)(X[kept], np.array(labels)[kept], **how) for k, labels in sorted(labelings.items())}
    return pytest.approx(scores, rel=1e-12)


@pytest.mark.parametrize("metric", ["euclidean", "precomputed"])
def test_labelings_of_points_are_compared_on_common_points(metric):
    D = np.linalg.norm(X[:, None] - X, axis=2)
    data, kept = (D if metric == "precomputed" else X), np.array(FEW) >= 0
    found = cm.sweep(labelings={1: FEW, 2: MOST}, X=data, indices=["silhouette", "dunn"], noise=DROP, metric=metric)
    for index in ("silhouette", "dunn"):
        assert dict(found.curve(index)) == by_hand({1: FEW, 2: MOST}, index, kept)
    assert found.to_dict()["coverage"] == [0.4, 0.9] == found.shares
    assert (found.coverage(1), found.points["used"], found.points["given"]) == (0.4, 4, 10)
    assert [one.kind for one in found.notices] == ["coverage"]
    assert "the 4 points of 10 (40.0%) that all labelings keep; the labeling 1 alone leaves out 60.0%" in repr(found)
    assert found.best().threshold == 2  # both are the same on the common points, and this one keeps more
    assert found.best().note == "it leaves out 10.0% of the points"
    document = json.loads(found.to_json())
    need("jsonschema").validate(document, cm.json_schema())
    assert document["curves"]["coverage"] == [0.4, 0.9]


def test_labelings_against_a_truth_are_compared_on_common_points():
    found = cm.sweep(TRUTH, {1: FEW, 2: MOST}, ["rand", "dice"], noise_pred=DROP)
    kept = np.array(FEW) >= 0
    for threshold, labels in ((1, FEW), (2, MOST)):
        assert found.at(threshold)["rand"] == cm.rand(np.array(TRUTH)[kept], np.array(labels)[kept])
    assert found.to_dict()["coverage"] == [0.9, 0.4]
    assert found.best("rand").threshold == 2
    assert "It leaves out 10.0% of the points as noise." in repr(found)
    merged = [0, 0, -1, 0, 0, 0, 0, 0, 0, 0]
    wrong = cm.sweep(TRUTH, {1: FEW, 3: merged}, ["rand"], noise_pred=DROP).at(3).points()
    assert set(wrong.to_dict()["point"]) < set(np.flatnonzero(kept).tolist())  # points keep their numbers


def test_own_points_are_scored_on_request_with_a_warning():
    with pytest.warns(cm.ClustermarkWarning, match=r"from 4 at 1 to 9 at 2: the scores cannot be compared\.$"):
        found = cm.sweep(labelings={1: FEW, 2: MOST}, X=X, indices=["dunn"], noise=DROP, points="own")
    assert found.curve("dunn") == [(1, cm.dunn(X, FEW, noise=DROP)), (2, cm.dunn(X, MOST, noise=DROP))]
    with pytest.warns(cm.ClustermarkWarning, match="cannot be compared"):
        theirs = cm.sweep(TRUTH, {1: FEW, 2: MOST}, ["rand"], noise_pred=DROP, points="own")
    assert theirs.at(2)["rand"] == cm.rand(TRUTH, MOST, noise_pred=DROP)
    with pytest.raises(cm.InputError, match="points='all' is not one of its values; choose 'common'"):
        cm.sweep(TRUTH, {1: FEW}, points="all")


@pytest.mark.parametrize("points", ["common", "own"])
@pytest.mark.parametrize("truth", [True, False])
def test_a_labeling_without_points_is_left_out_by_its_name(truth, points):
    given = {1: NONE, 2: MOST}
    how = {"y_true": TRUTH, "noise_pred": DROP} if truth else {"X": X, "noise": DROP}
    with pytest.warns(cm.ClustermarkWarning, match=r"^the labeling 1 is left out: every point is noise"):
        found = cm.sweep(labelings=given, indices=["rand" if truth else "dunn"], points=points, **how)
    assert found.thresholds == [2]
    assert "left_out" in [one.kind for one in found.notices]
    with pytest.raises(cm.InputError, match=r"no point in common .*labelings\[1\] lacks 10"):
        cm.sweep(labelings={1: NONE}, X=X, noise=DROP, points=points)


def test_nothing_is_said_where_all_labelings_keep_the_same_points():
    other = [1, 0, 0, 1, 1, 1, 2, 2, 1, -1]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = cm.sweep(labelings={1: MOST, 2: other}, X=X, indices=["dunn"], noise=DROP)
    assert found.at(1).record.points["dropped"] == 1
    assert found.notices == ()
    assert found.shares == [0.9, 0.9]


def test_a_label_that_looks_like_noise_is_told_once_for_all_labelings():
    with pytest.warns(cm.NoiseWarning, match="1 to 6 points of 2 of the 2 labelings have the label -1") as told:
        found = cm.sweep(labelings={1: FEW, 2: MOST}, X=X, indices=["dunn"])
    assert len(told) == 1
    assert [one.kind for one in found.notices] == ["noise"]


def test_weights_and_columns_are_cut_to_the_common_points():
    pandas = need("pandas")
    kept, w = np.array(FEW) >= 0, np.arange(1.0, 11)
    how = {"indices": ["davies_bouldin"], "noise": DROP}
    found = cm.sweep(labelings={1: FEW, 2: MOST}, X=X, weights=w, **how)
    assert dict(found.curve("davies_bouldin")) == by_hand({1: FEW, 2: MOST}, "davies_bouldin", kept, weights=w[kept])
    frame = pandas.DataFrame({"x": X[:, 0], "y": X[:, 1], "few": FEW, "most": MOST, "w": w})
    columns = cm.sweep(labelings={1: "few", 2: "most"}, X=frame, weights="w", **how)
    assert columns.curve("davies_bouldin") == found.curve("davies_bouldin")  # columns of labels are no features
    assert cm.sweep(labelings={1: FEW, 2: MOST}, X=frame[["x", "y"]], weights=w, **how).to_dict() == found.to_dict()
    with pytest.raises(cm.InputError, match="has no column 'other'"):
        cm.sweep(labelings={1: "few", 2: "other"}, X=frame)
    with pytest.raises(cm.InputError, match="labelings: pass labels for each threshold, or a source as X"):
        cm.sweep(labelings={1: "few", 2: MOST}, X=frame)


def test_columns_of_a_file_in_batches_are_scored_on_their_own_points(tmp_path):
    need("duckdb")
    path = tmp_path / "points.csv"
    rows = (f"{x},{y},{few},{most}" for (x, y), few, most in zip(X.tolist(), FEW, MOST, strict=True))
    path.write_text("\n".join(["x,y,few,most", *rows]))
    given, how = {1: "few", 2: "most"}, {"indices": ["davies_bouldin"], "noise": {"-1": "drop"}}
    whole = cm.sweep(labelings=given, X=str(path), **how)
    assert dict(whole.curve("davies_bouldin")) == by_hand({1: FEW, 2: MOST}, "davies_bouldin", np.array(FEW) >= 0)
    with pytest.warns(cm.ClustermarkWarning, match="from 4 at 1 to 9 at 2: the scores cannot be compared"):
        parts = cm.sweep(labelings=given, X=str(path), batch=3, **how)
    assert parts.shares == whole.shares == [0.4, 0.9]


def test_the_end_of_the_range_is_told():
    found = cm.sweep(TRUTH, {k: [n % k for n in range(10)] for k in (2, 3, 4)}, ["rand"])
    assert found.best().note == "it is the largest that was tried"
    assert "Best by rand at 4, the last that was tried: a better one may lie beyond." in repr(found)
    perfect = cm.sweep(TRUTH, {1: TRUTH, 2: FEW, 3: FEW}, ["rand"], noise_pred={-1: "cluster"})
    assert "may lie beyond" not in repr(perfect)  # nothing is better than 1
    assert cm.sweep(TRUTH, {1: NONE, 2: TRUTH}, ["rand"], noise_pred={-1: "cluster"}).best().note == ""


labels = st.lists(st.integers(-1, 2), min_size=8, max_size=8)


@settings(max_examples=60, deadline=None)
@given(labels, st.lists(labels, min_size=1, max_size=3), st.sampled_from(["noise_pred", "noise"]))
def test_against_filtering_by_hand(truth, given, option):
    labelings = dict(enumerate(given))
    true = np.array(truth)
    some = {
        k: one for k, one in labelings.items() if ((np.array(one) >= 0) & ((true >= 0) | (option != "noise"))).any()
    }
    kept = np.all([np.array(one) >= 0 for one in some.values()], axis=0) if some else np.zeros(8, bool)
    kept = kept & (true >= 0) if option == "noise" else kept
    how = {option: DROP} | ({} if option == "noise" else {"noise_true": {-1: "cluster"}})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", cm.ClustermarkWarning)
        if not np.any(kept):
            with pytest.raises(cm.InputError, match="no point in common"):
                cm.sweep(truth, labelings, ["rand", "adjusted_rand"], **how)
            return
        found = cm.sweep(truth, labelings, ["rand", "adjusted_rand"], **how)
    assert set(found.thresholds) == set(some)
    for k, one in some.items():
        for index in ("rand", "adjusted_rand"):
            assert found.at(k)[index] == cm.find(index)(true[kept].tolist(), np.array(one)[kept].tolist())
