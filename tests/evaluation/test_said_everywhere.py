"""What evaluate() says of noise and of ids, every function says that scores many labelings, a sample or thresholds."""

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
