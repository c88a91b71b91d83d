"""Methods over many data sets."""

from __future__ import annotations

import numpy as np
import pytest

import clustermark as cm
from needs import need


def made(n, gaps, seed=0):
    """Scores of methods that are better by these gaps on each of n data sets, and a little noise."""
    rng = np.random.default_rng(seed)
    base = rng.uniform(0.3, 0.6, n)
    return {
        f"set {i}": {name: float(base[i] + gap + rng.normal(0, 0.02)) for name, gap in gaps.items()} for i in range(n)
    }


def test_wilcoxon_and_holm_as_by_hand():
    scores = made(10, {"a": 0.2, "b": 0.19, "c": 0.0})
    found = cm.compare_datasets(scores)
    rows = {(row.first, row.second): row for row in found.differences()}
    sure = 2 / 2**10  # the exact test where all ten differences have one sign
    top, other = found.methods[:2]
    assert {top, other} == {"a", "b"}
    assert rows[top, "c"].p_value == rows[other, "c"].p_value == sure
    assert rows[top, "c"].p_holm == 3 * sure
    assert (rows[top, "c"].wins, rows[top, "c"].losses, rows[top, "c"].ties) == (10, 0, 0)
    assert rows[top, other].p_holm > 0.05
    assert found.groups() == [(top, other)]
    assert found.mean_ranks["c"] == 3.0


def test_comparisons_are_data_sets():
    rng = np.random.default_rng(0)
    sets = {}
    for number in range(7):
        truth = rng.integers(0, 3, 100)
        noisy = [np.where(rng.random(100) < share, rng.integers(0, 3, 100), truth) for share in (0.1, 0.5)]
        sets[f"set {number}"] = cm.compare(truth, dict(zip("ab", noisy, strict=True)), ["variation_of_information"])
    found = cm.compare_datasets(sets)
    assert found.index.name == "variation_of_information"
    assert found.methods == ("a", "b")
    assert found.to_dict()["a"][0] == sets["set 0"].score("a")
    assert found.differences()[0].wins == 7
    assert found.differences()[0].median < 0


def test_too_few_data_sets_are_refused():
    found = cm.compare_datasets(made(6, {"a": 0.1, "b": 0.0, "c": 0.0}))
    with pytest.raises(cm.InputError, match=r"6 data sets cannot show a difference between 3 methods at 5 %.*; 7 can"):
        found.differences()
    assert "too few data sets" in repr(found)
    assert cm.compare_datasets(made(6, {"a": 0.5, "b": 0.0})).differences()[0].p_value < 0.05


@pytest.mark.parametrize(
    ("sets", "words"),
    [
        ({}, "pass a mapping"),
        ({"x": {"a": 1.0}}, "one method only"),
        ({"x": {"a": 1.0, "b": 2.0}, "y": {"a": 1.0, "c": 2.0}}, "all need the same"),
        ({"x": {"a": "good", "b": 2.0}}, "must be a comparison, or a mapping"),
        ({"x": {"a": float("nan"), "b": 2.0}}, "needs a finite score"),
    ],
)
def test_mistakes(sets, words):
    with pytest.raises(cm.InputError, match=words):
        cm.compare_datasets(sets)
    with pytest.raises(cm.InputError, match="neither better nor worse"):
        cm.compare_datasets({"x": {"a": 1.0, "b": 2.0}}, "mcnemar")


def test_the_diagram():
    need("matplotlib")
    found = cm.compare_datasets(made(10, {"a": 0.2, "b": 0.2, "c": 0.0, "d": 0.0}))
    assert found.groups() == [found.methods[:2], found.methods[2:]]
    axes = found.plot()
    assert axes.get_xlabel() == "mean rank, 1 is best"


def test_names_that_become_one_text_are_refused():
    scores = {"a": 0.9, "b": 0.1}
    for data_sets in ({1: scores, "1": scores}, {"s": {1: 0.9, "1": 0.1}}):
        with pytest.raises(cm.InputError, match="'1' is the name of two"):
            cm.compare_datasets(data_sets)


def test_a_frame_of_scores_has_a_row_for_each_data_set():
    pandas = need("pandas")
    scores = {f"set {i}": {"a": 0.5 + i / 20, "b": 0.4 + i / 30} for i in range(8)}
    frame = pandas.DataFrame.from_dict(scores, orient="index")
    assert repr(cm.compare_datasets(frame)) == repr(cm.compare_datasets(scores))
    frame.index = ["same"] * 8
    with pytest.raises(cm.InputError, match="data_sets: two rows have the same name"):
        cm.compare_datasets(frame)
    with pytest.raises(cm.InputError, match=r"or to its scores by method, such as \{'iris'"):
        cm.compare_datasets([0.5, 0.6])


def test_effects_have_the_sign_of_the_scores_and_probabilities_that_of_better():
    scores = made(10, {"a": 0.2, "b": 0.19, "c": 0.0})
    row = next(one for one in cm.compare_datasets(scores).differences() if one.second == "c")
    assert row.low < row.estimate < row.high
    assert row.low <= row.median <= row.high
    assert row.p_better > 0.99
    assert row.p_gain is None
    lower = cm.compare_datasets(scores, "variation_of_information").differences()
    worse = next(one for one in lower if one.first == "c")
    assert worse.estimate < 0 < worse.p_better


def test_a_region_of_equivalence():
    scores = made(12, {"a": 0.2, "b": 0.2})
    found = cm.compare_datasets(scores, rope=0.05)
    row = found.differences()[0]
    assert row.p_gain + row.p_rope + row.p_loss == pytest.approx(1)
    assert row.p_rope > 0.9
    assert "within 0.05" in repr(found)
    assert "p_rope" not in cm.compare_datasets(scores).to_json()
    for rope in (0, -0.1, float("nan"), True, "0.1"):
        with pytest.raises(cm.InputError, match="rope"):
            cm.compare_datasets(scores, rope=rope)


def test_very_many_data_sets_have_no_estimate():
    rng = np.random.default_rng(0)
    scores = {f"set {i}": dict(zip("ab", rng.normal(size=2).tolist(), strict=True)) for i in range(2_001)}
    row = cm.compare_datasets(scores).differences()[0]
    assert row.estimate is None
    assert 0 < row.p_better < 1


def test_the_verdict_names_the_methods_that_are_not_shown_to_be_worse():
    sets = range(9)
    scores = {f"set {i}": {"a": 0.5 + i / 20, "b": 0.4 + i / 30, "c": 0.5 + i / 20 - (-1) ** i / 50} for i in sets}
    found = cm.compare_datasets(scores)
    assert found.best == ("a", "c")
    assert found.verdict == "a has the best mean rank, but is not shown to be better than c."
    two = {name: {method: row[method] for method in "ab"} for name, row in scores.items()}
    assert cm.compare_datasets(two).verdict.startswith("a is best: ")
    few = cm.compare_datasets(dict(list(two.items())[:4]))
    assert few.best == ("a", "b")
    assert "6 data sets are needed to show a difference" in few.verdict
    assert "is best: " in cm.compare_datasets(two).to_json()
