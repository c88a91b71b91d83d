"""Notices of evaluate() about noise and ids also come from functions of many labelings, samples and thresholds."""

from __future__ import annotations

import json

import pytest

import clustermark as cm
from needs import need

TRUTH = [0, 0, 1, 1] * 10
NOISY = [-1] * 6 + TRUTH[6:]
LIKE_NOISE = r"6 points of the {} have the label -1, which looks like noise; it counts as one cluster\. Choose {}="


def test_noise_is_said():
    with pytest.warns(cm.NoiseWarning, match=LIKE_NOISE.format("prediction a", "noise_pred")) as caught:
        compared = cm.compare(TRUTH, {"a": NOISY, "b": TRUTH}, ["rand"])
    assert len(caught) == 1
    assert [one["kind"] for one in json.loads(compared.to_json())["notices"]] == ["noise"]
    with pytest.warns(cm.NoiseWarning, match=LIKE_NOISE.format("truth", "noise_true")) as caught:
        cm.compare(NOISY, {"a": TRUTH, "b": TRUTH}, ["rand"])
    assert len(caught) == 1
    cm.compare(TRUTH, {"a": NOISY, "b": TRUTH}, ["rand"], noise_pred={-1: "cluster"})
    with pytest.warns(cm.NoiseWarning, match=LIKE_NOISE.format("labeling a", "noise")) as caught:
        cm.similarity_matrix({"a": NOISY, "b": TRUTH})
    assert len(caught) == 1
    pairs = [0, 1], [1, 2], [0.9, 0.8]
    with pytest.warns(cm.NoiseWarning, match=LIKE_NOISE.format("truth", "noise_true")):
        cm.sweep_pairs(NOISY, pairs)
    cm.sweep_pairs({-1: "a", 0: "a", 1: "b"}, ([-1], [0], [0.5]))  # an id is no label
    found = {i: (-1 if i % 2 else i // 4) for i in range(100)}
    with pytest.warns(cm.NoiseWarning, match=r"50 points of the prediction have the label -1"):
        cm.estimate({i: i // 3 for i in range(60)}, found, ["pair_precision"], design="clusters")


ITEMS = {"a": list(range(9)), -1: [9, 10], "c": [11]}
POINTS = [[float(place % 7), float(place)] for place in range(40)]
ONE_CLUSTERING = {
    "evaluate_internal": (lambda labels, **how: cm.evaluate_internal(POINTS, labels, **how), "the clustering"),
    "describe": (cm.describe, "the clustering"),
    "stability": (lambda labels, **how: cm.stability(labels, [TRUTH], **how), "the reference"),
    "stability of a sample": (lambda labels, **how: cm.stability(TRUTH, [labels], **how), "the sample"),
}


@pytest.mark.parametrize("name", ONE_CLUSTERING)
def test_noise_of_one_clustering_is_said(name):
    call, whose = ONE_CLUSTERING[name]
    said = rf"^6 points of {whose} have the label -1, which looks like noise; .* Choose noise=\{{-1: 'singletons'\}}"
    with pytest.warns(cm.NoiseWarning, match=said) as caught:
        found = call(NOISY)
    assert len(caught) == 1
    assert [one["kind"] for one in json.loads(found.to_json())["notices"]] == ["noise"]
    assert "looks like noise" in repr(found)
    for policy in ("cluster", "drop"):
        assert "looks like noise" not in repr(call(NOISY, noise={-1: policy}))


def test_noise_of_many_samples_is_said_once():
    samples = [NOISY, TRUTH, [-1] * 3 + TRUTH[3:], [-1, *TRUTH[1:]]]
    said = r"^1 to 6 points of 3 of the 4 samples have the label -1, which looks like noise"
    with pytest.warns(cm.NoiseWarning, match=said) as caught:
        cm.stability(TRUTH, samples)
    assert len(caught) == 1
    with pytest.warns(cm.NoiseWarning, match=r"^1 point of 1 of the 2 samples has the label -1"):
        cm.stability(TRUTH, [TRUTH, [-1, *TRUTH[1:]]])


@pytest.mark.parametrize(
    "call",
    [
        lambda: cm.evaluate_covers(ITEMS, {"x": range(12)}),
        lambda: cm.evaluate_covers([0] * 9 + [-1] * 2 + [1], [0] * 12),
        lambda: cm.evaluate_soft([0] * 9 + [-1] * 2 + [1], [0] * 12),
    ],
)
def test_noise_is_said_where_no_option_names_it(call):
    said = r"^2 items of the truth have the label -1, which looks like noise; .* Leave them out if it is none\.$"
    with pytest.warns(cm.NoiseWarning, match=said) as caught:
        found = call()
    assert len(caught) == 1
    assert [notice.kind for notice in found.notices if notice.kind != "uncovered"] == ["noise"]


@pytest.mark.parametrize(("left_out", "far"), [(1, False), (60, True)])
def test_only_many_points_left_out_may_change_the_score_much(left_out, far):
    truth = [0, 1] * 300
    for sides in ((truth[:-left_out] + [None] * left_out, truth), (truth, truth[:-left_out] + [None] * left_out)):
        (notice,) = cm.evaluate(*sides, ["rand"], missing="drop").notices
        assert "on all points is unknown" in notice.text
        assert ("may be far lower" in notice.text) == far


@pytest.mark.parametrize("unmatched", ["drop", "singletons"])
def test_ids_that_never_meet_are_an_error(unmatched):
    truth, strangers = {i: i % 3 for i in range(40)}, {str(i): i % 3 for i in range(40)}
    said = r"no id occurs on both sides: .* such as 0, 1, 2; .* such as '0', '1', '2'; make the ids alike"
    with pytest.raises(cm.InputError, match=said):
        cm.compare(truth, {"a": truth, "b": strangers}, ["rand"], unmatched=unmatched)
    with pytest.raises(cm.InputError, match=said):
        cm.similarity_matrix({"a": truth, "b": strangers}, unmatched=unmatched)
    with pytest.raises(cm.InputError, match=said):
        cm.estimate(truth, strangers, ["rand"], design="clusters", unmatched=unmatched)


@pytest.mark.parametrize("unmatched", ["drop", "singletons"])
def test_few_ids_in_common_are_said(unmatched):
    truth, others = {i: i % 3 for i in range(40)}, {i + 38: i % 3 for i in range(400)}
    said = "Only 2 of the 40 ids of the smaller side occur on both sides"
    with pytest.warns(cm.FewMatchesWarning, match=rf"{said} \(y_true and predictions\['b'\]\); is the id"):
        cm.compare(truth, {"a": truth, "b": others}, ["rand"], unmatched=unmatched)
    with pytest.warns(cm.FewMatchesWarning, match=rf"{said} \(labelings\['a'\] and labelings\['b'\]\)"):
        cm.similarity_matrix({"a": truth, "b": others}, unmatched=unmatched)
    with pytest.warns(cm.FewMatchesWarning, match=said):
        cm.estimate(truth, others, ["rand"], design="records", unmatched=unmatched)


def test_a_source_that_has_changed_is_noticed(tmp_path):
    need("duckdb")
    path = tmp_path / "x.csv"
    rows = [(i % 5, i % 7 % 5, f"d{i % 40}") for i in range(200)]

    def write(rows):
        path.write_text("t,p,doc\n" + "".join(f"{t},{p},{doc}\n" for t, p, doc in rows))

    write(rows)
    scored, other = (cm.evaluate(path, indices=["jaccard"], true="t", pred="p") for _ in range(2))
    assert scored.interval("jaccard", unit="doc").n_units == 40
    with pytest.raises(cm.InputError, match="unit='nosuch' is not one of its columns"):
        scored.interval("jaccard", unit="nosuch")
    write([*rows[1:], rows[1]])
    for work in (lambda: scored.interval("b_cubed_f", unit="doc"), lambda: other.points(k=2)):
        with pytest.raises(cm.InputError, match="the source has changed since; evaluate it again"):
            work()
    write(rows[::-1])  # the same points
    assert other.points(k=2).total == cm.evaluate(path, indices=["jaccard"], true="t", pred="p").points().total
