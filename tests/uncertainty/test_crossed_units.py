"""Intervals over crossed units: documents and annotators, whose variances add up."""

import json
from typing import Any

import numpy as np
import pytest
from scipy.stats import t as student

import clustermark as cm
from clustermark.uncertainty.interval import CrossedPoints, GroupedPoints, IntervalRequest, are_crossed
from clustermark.uncertainty.limits import degrees_of
from clustermark.uncertainty.spread import Jackknife
from needs import need

ASKED = ["document", "annotator"]


def annotations(
    rng: np.random.Generator, documents: int = 30, annotators: int = 6, effects: tuple[float, float] = (0.6, 0.6)
) -> tuple[np.ndarray, ...]:
    """Return true and predicted labels, documents and annotators; both change the rate of errors."""
    document, annotator = (np.repeat(of.ravel(), 5) for of in np.indices((documents, annotators)))
    logit = -1.5 + effects[0] * rng.standard_normal(documents)[document]
    logit += effects[1] * rng.standard_normal(annotators)[annotator]
    true = rng.integers(0, 3, len(document))
    wrong = rng.random(len(document)) < 1 / (1 + np.exp(-logit))
    return true, np.where(wrong, rng.integers(0, 3, len(document)), true), document, annotator


def table_of(made: tuple[np.ndarray, ...]) -> Any:
    return need("pandas").DataFrame(dict(zip(("true", "pred", "document", "annotator"), made, strict=True)))


def left_out(true: np.ndarray, pred: np.ndarray, groups: np.ndarray) -> np.ndarray:
    kept = (groups != group for group in np.unique(groups))
    return np.array([cm.b_cubed_f(true[points], pred[points]) for points in kept])


def variance(values: np.ndarray) -> float:
    return float(((values - values.mean()) ** 2).sum()) * (len(values) - 1) / len(values)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_variances_of_both_kinds_add_up_less_that_of_their_cells(seed):
    true, pred, document, annotator = annotations(np.random.default_rng(seed))
    found = cm.evaluate(true, pred).interval("b_cubed_f", unit=[document, annotator])
    sides = [left_out(true, pred, groups) for groups in (document, annotator)]
    cells = left_out(true, pred, 100 * document + annotator)
    expected = variance(sides[0]) + variance(sides[1]) - variance(cells)
    assert expected > max(map(variance, sides))
    assert found.standard_error == pytest.approx(expected**0.5, rel=1e-9)
    degrees = min(map(degrees_of, sides))
    assert degrees < 6
    logits = np.log([end / (1 - end) for end in (found.low, found.high)])
    reach = student.ppf(0.975, degrees) * found.standard_error / (found.score * (1 - found.score))
    assert np.diff(logits)[0] / 2 == pytest.approx(reach, rel=1e-6)
    assert (found.n_units, found.n_crossed, found.notes) == (30, 6, ())


def test_the_larger_variance_is_the_least_where_the_other_kind_has_no_effect():
    for seed in range(20):
        true, pred, document, annotator = annotations(np.random.default_rng(seed), effects=(0.0, 0.9))
        sides = [variance(left_out(true, pred, groups)) for groups in (document, annotator)]
        if sum(sides) - variance(left_out(true, pred, 100 * document + annotator)) < max(sides):
            break
    else:
        pytest.fail("no world trips the guard")
    found = cm.evaluate(true, pred).interval("b_cubed_f", unit=[document, annotator])
    assert found.standard_error == pytest.approx(max(sides) ** 0.5, rel=1e-9)
    assert "no variation by unit[0] beyond that of single cells: the standard error is that by unit[1]" in found.notes


def test_crossed_intervals_hold_where_those_over_one_kind_do_not():
    rng = np.random.default_rng(4)
    target = np.mean([cm.adjusted_rand(*annotations(rng, 30, 10)[:2]) for _ in range(1_000)])
    held = []
    for _ in range(120):
        true, pred, document, annotator = annotations(rng, 30, 10)
        scored = cm.evaluate(true, pred, ["adjusted_rand"])
        made = [scored.interval("adjusted_rand", unit=unit) for unit in ([document, annotator], document, "point")]
        held.append([one.low <= target <= one.high for one in made])
    crossed, documents, points = np.mean(held, axis=0)
    assert crossed >= 0.91
    assert documents <= 0.8
    assert points <= 0.7


def test_fewer_than_five_groups_of_a_kind_have_no_interval():
    true, pred, document, annotator = annotations(np.random.default_rng(0), annotators=4)
    found = cm.evaluate(true, pred).interval("rand", unit=[document, annotator])
    assert (found.low, found.n_crossed) == (None, 4)
    assert found.notes == ("by unit[1]: only 4 independent groups: no interval",)
    same = cm.evaluate(true, true).interval("rand", unit=[document, annotator % 2 + 2 * (document % 3)])
    assert (same.low, same.notes) == (None, ("by unit[0]: No disagreement among 30 groups: no interval.",))


def test_groups_that_are_not_crossed_are_refused():
    true, pred, document, annotator = annotations(np.random.default_rng(0))
    scored = cm.evaluate(true, pred)
    with pytest.raises(cm.InputError, match=r"unit\[0\] and unit\[1\] have the same groups|have the same groups"):
        scored.interval("rand", unit=[document, -document])
    with pytest.raises(cm.InputError, match=r"each group of unit\[0\] lies in one group of unit\[1\].*unit\[1\] alone"):
        scored.interval("rand", unit=[document, document // 5])
    with pytest.raises(cm.InputError, match=r"choose unit\[0\] alone"):
        scored.interval("rand", unit=[document // 5, document])
    frame = cm.evaluate(table_of((true, pred, document, document // 5)), true="true", pred="pred")
    with pytest.raises(cm.InputError, match="each group of document lies in one group of annotator"):
        frame.interval("rand", unit=ASKED)
    with pytest.raises(cm.InputError, match="3 groupings; at most two"):
        scored.interval("rand", unit=[document, annotator, document])
    with pytest.raises(cm.InputError, match="give both groupings as names of columns, or both as the group"):
        scored.interval("rand", unit=["document", annotator])


def test_what_crossed_units_do_not_have_is_refused_with_a_way_out():
    true, pred, document, annotator = annotations(np.random.default_rng(0))
    scored, crossed = cm.evaluate(true, pred, ["rand"]), [document, annotator]
    for options in ({"method": "half-sampling"}, {"method": "bootstrap"}, {"simultaneous": True}):
        with pytest.raises(cm.InputError, match="crossed units have single intervals by the jackknife"):
            scored.intervals(unit=crossed, **options)
    with pytest.raises(cm.UnsupportedTableError, match="choose the target sample"):
        scored.interval("rand", unit=crossed, target="population")
    with pytest.raises(cm.UnsupportedTableError, match="no interval over crossed units; choose one grouping"):
        scored.interval(cm.rand.adjust(), unit=crossed)
    for ask in (
        lambda: scored.coverage_check("rand", unit=crossed),
        lambda: cm.plan(scored, half_width=0.02, unit=crossed),
        lambda: cm.compare(true, {"a": pred, "b": true}, unit=crossed),
    ):
        with pytest.raises(cm.InputError, match="choose one of the two, the one with fewer groups"):
            ask()


def test_columns_ids_and_lists_give_the_same_interval(tmp_path):
    true, pred, document, annotator = made = annotations(np.random.default_rng(5), 12, 7)
    expected = cm.evaluate(true, pred).interval("rand", unit=[document, annotator])
    frame = table_of(made)
    frame.to_csv(tmp_path / "rows.csv", index=False)
    file = cm.evaluate(tmp_path / "rows.csv", true="true", pred="pred")  # the engine counts equal rows
    frame["id"] = np.arange(len(frame))
    parts = [frame[["id", "true", *ASKED]], frame[["id", "pred"]].sample(frac=1, random_state=1)]
    joined = cm.evaluate(*parts, on="id", true="true", pred="pred")
    by_id = [dict(enumerate(groups.tolist())) for groups in (document, annotator)]
    mapped = cm.evaluate(dict(enumerate(true.tolist())), dict(enumerate(pred.tolist())))
    shuffled = np.random.default_rng(0).permutation(len(true))
    other = cm.evaluate(true[shuffled], pred[shuffled])
    for found in (
        cm.evaluate(frame, true="true", pred="pred").interval("rand", unit=ASKED),
        file.interval("rand", unit=ASKED),
        joined.interval("rand", unit=ASKED),
        mapped.interval("rand", unit=by_id),
        other.interval("rand", unit=(document[shuffled].tolist(), annotator[shuffled].tolist())),
    ):
        assert (found.low, found.high) == (expected.low, expected.high)
    assert expected.unit == "group × group"
    assert file.interval("rand", unit=ASKED).how.endswith("over 12 × 7 groups (document × annotator)")
    swapped = file.interval("rand", unit=ASKED[::-1])
    assert (swapped.n_units, swapped.n_crossed) == (7, 12)
    assert (swapped.low, swapped.high) == pytest.approx((expected.low, expected.high), rel=1e-12)


def test_evaluations_with_intervals_record_both_kinds():
    made = annotations(np.random.default_rng(5), 12, 7)
    scores = cm.evaluate(
        table_of(made), indices=["rand", "purity"], true="true", pred="pred", intervals={"unit": ASKED}
    )
    assert "95 % intervals by the jackknife over 12 × 7 groups (document × annotator)" in str(scores)
    assert json.loads(scores.to_json())["settings"]["intervals"]["unit"] == "document × annotator"
    rows = json.loads(scores.intervals(unit=ASKED).to_json())["intervals"]
    assert [(row["unit"], row["n_units"], row["n_crossed"]) for row in rows] == [("document × annotator", 12, 7)] * 2


def test_very_many_groups_of_a_kind_are_halved(monkeypatch):
    monkeypatch.setattr(Jackknife, "most_tables", 50)
    true, pred, document, annotator = annotations(np.random.default_rng(5), 20, 6)
    table = cm.crosstab(true, pred)
    ones = np.ones(len(true), np.int64)
    kinds = [GroupedPoints(*np.array([true, pred]), groups, ones) for groups in (document, annotator)]
    found = cm.score_interval(table, "rand", unit=CrossedPoints(*kinds))
    assert "in part by half-sampling, because there are too many groups for the jackknife" in found.notes
    assert IntervalRequest(unit=CrossedPoints(*kinds)).settings["unit"] == "group × group"
    monkeypatch.undo()
    assert found.standard_error == pytest.approx(
        cm.score_interval(table, "rand", unit=CrossedPoints(*kinds)).standard_error, rel=0.1
    )


def test_a_list_of_groups_is_not_crossed():
    assert not are_crossed(["a", "b", "a"])
    assert not are_crossed([("a", 1), ("b", 1), ("a", 2)])
    assert not are_crossed(np.zeros((2, 3)))
    assert not are_crossed([])
