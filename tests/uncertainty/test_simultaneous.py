"""Intervals that hold all at once."""

from __future__ import annotations

from math import log
from statistics import NormalDist

import numpy as np
import pytest

import clustermark as cm
from clustermark.uncertainty.simultaneous import (
    MOST_CORRELATED,
    correlate,
    critical_value,
    independent_value,
    level_of,
)


def labels(n: int, k: int, share: float, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    true = rng.integers(0, k, n)
    return true, np.where(rng.random(n) < share, rng.integers(0, k, n), true)


@pytest.mark.parametrize("correlation", [-0.6, 0.0, 0.5, 0.9])
def test_the_critical_value_is_the_quantile_of_the_largest_deviation(correlation: float) -> None:
    from scipy.stats import multivariate_normal

    value = critical_value(np.array([[1, correlation], [correlation, 1]]), 0.95)
    joint = multivariate_normal([0, 0], [[1, correlation], [correlation, 1]])
    inside = joint.cdf([value, value], lower_limit=[-value, -value])
    assert inside == pytest.approx(0.95, abs=0.003)


def test_it_lies_between_that_of_one_and_that_of_independent_scores() -> None:
    one = NormalDist().inv_cdf(0.975)
    assert critical_value(np.ones((1, 1)), 0.95) == one
    assert critical_value(np.ones((30, 30)), 0.95) == pytest.approx(one, abs=0.02)
    assert critical_value(np.eye(30), 0.95) == pytest.approx(independent_value(30, 0.95), abs=0.03)
    many = MOST_CORRELATED + 1
    assert critical_value(np.eye(many), 0.9) == independent_value(many, 0.9)
    assert level_of(one) == pytest.approx(0.95)


def test_correlations_of_columns_without_a_spread_are_0() -> None:
    first = np.array([1.0, 2, 3, 4])
    found = correlate(np.column_stack([first, -2 * first, np.full(4, 0.1), [1, np.nan, 2, 3], [1, 0, 0, 1]]))
    assert found == pytest.approx(
        np.array([[1, -1, 0, 0, 0], [-1, 1, 0, 0, 0], [0, 0, 1, 0, 0], [0, 0, 0, 1, 0], [0, 0, 0, 0, 1]]), abs=1e-12
    )


def test_intervals_reach_as_far_as_the_critical_value() -> None:
    scores = cm.evaluate(*labels(400, 5, 0.3))
    names = ["jaccard", "b_cubed_f", "purity", "v_measure"]
    alone, together = scores.intervals(names), scores.intervals(names, simultaneous=True)
    value = together["purity"].critical_value
    assert value is not None
    assert 1.96 < value < independent_value(4, 0.95)
    for name in names:
        one, all_ = alone[name], together[name]
        logit = [[log(x / (1 - x)) for x in (found.low, found.high)] for found in (one, all_)]
        ratio = (logit[1][1] - logit[1][0]) / (logit[0][1] - logit[0][0])
        assert ratio == pytest.approx(value / 1.959964, rel=1e-6)
        assert (all_.simultaneous, all_.level, all_.critical_value) == (True, 0.95, value)
        assert (one.simultaneous, one.critical_value) == (False, None)
    assert f"all at once (critical value {value:.3g})" in str(together.document().headline)


def test_indices_that_rise_and_fall_together_need_no_more_than_one() -> None:
    scores = cm.evaluate(*labels(400, 5, 0.3))
    found = scores.intervals(["jaccard", "dice"], simultaneous=True)
    assert found["dice"].critical_value == pytest.approx(1.96, abs=0.03)


def test_evaluations_carry_and_tell_them() -> None:
    scores = cm.evaluate(*labels(200, 3, 0.3), ["jaccard", "purity"], intervals={"simultaneous": True})
    assert scores.settings["intervals"]["simultaneous"] is True
    assert "all at once (critical value" in repr(scores)
    assert "all at once (critical value" in scores.to_latex()
    assert "all at once (critical value" in scores.report()
    assert scores.signature("jaccard").partition("|clustermark")[0].endswith(",simultaneous")
    again = cm.Evaluation.from_json(scores.to_json())
    assert again.record.scores["jaccard"].interval == scores.record.scores["jaccard"].interval
    with pytest.raises(cm.InputError, match="simultaneous"):
        scores.intervals(simultaneous="yes")
    with pytest.raises(cm.InputError, match="indices=3 must be a list of names"):
        scores.intervals(3)
    with pytest.raises(cm.InputError, match="simultaneous=1 must be True or False"):
        scores.by_size(simultaneous=1)
    with pytest.raises(cm.InputError, match="simultaneous=None must be True or False"):
        scores.by("x", records={"x": [0] * scores.n_used}, simultaneous=None)


def test_intervals_over_components_hold_at_once_by_students_t() -> None:
    rng = np.random.default_rng(1)
    true = np.repeat(np.arange(120), 3)
    pred = np.where(rng.random(360) < 0.15, (true + 1) % 120 + (true // 3) * 1000, true)
    scores = cm.evaluate(true, pred)
    names = ["pair_recall", "b_cubed_f"]
    alone, together = (scores.intervals(names, unit="component", simultaneous=flag) for flag in (False, True))
    for name in names:
        assert together[name].low < alone[name].low < alone[name].high < together[name].high


def companies(seed: int = 0) -> tuple[cm.PartitionEvaluation, dict[str, list[str]]]:
    rng = np.random.default_rng(seed)
    true = np.repeat(np.arange(300), 2)
    pred = np.where(rng.random(600) < 0.2, true + 1_000, true)
    return cm.evaluate(true, pred), {
        "city": [f"c{one % 6}" for one in true],
        "first": [f"s{place % 2}" for place in range(600)],
    }


def test_groups_of_separate_components_are_independent() -> None:
    scores, records = companies()
    alone, together = (scores.by("city", records=records, simultaneous=flag) for flag in (False, True))
    assert together.critical_value == pytest.approx(independent_value(6, 0.95), abs=0.03)
    assert alone.critical_value is None
    for one, all_ in zip(alone, together, strict=True):
        assert all_.low < one.low < one.high < all_.high
    assert together.facts()["simultaneous"] is True
    assert together.level == 0.95
    assert any("all at once" in note for note in together.notes)


def test_groups_that_share_components_vary_together() -> None:
    scores, records = companies()
    value = scores.by("first", records=records, simultaneous=True).critical_value
    assert value is not None
    assert 1.96 <= value < independent_value(2, 0.95) - 0.02


def test_groups_by_size_take_it_too() -> None:
    rng = np.random.default_rng(2)
    true = np.repeat(np.arange(150), rng.integers(1, 5, 150))
    pred = np.where(rng.random(len(true)) < 0.2, true + 1_000, true)
    alone, together = (cm.evaluate(true, pred).by_size(simultaneous=flag) for flag in (False, True))
    pairs = [(one, all_) for one, all_ in zip(alone, together, strict=True) if one.low is not None]
    assert len(pairs) > 1
    assert all(all_.low < one.low for one, all_ in pairs)
