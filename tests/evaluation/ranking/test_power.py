"""The detectable difference and the test of a margin: variances at the alternative."""

from math import inf, sqrt
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import clustermark as cm
from clustermark.evaluation.differences import DifferenceSpread, judge
from clustermark.evaluation.paired_points import growth_of_variance


@given(st.integers(1, 60), st.integers(0, 60), st.integers(1200, 4000))
def test_the_growth_is_that_of_more_points_on_which_the_methods_differ(worse: int, better: int, n: int):
    """Of accuracies, V = (share that differs - D²) / n, so each unit of D adds 1 / n where few points differ."""
    effects = np.repeat([1.0, -1.0, 0.0], [worse, better, n - worse - better])
    left_out = (effects.sum() - effects) / (n - 1)
    assert growth_of_variance(left_out) == pytest.approx(1 / n, rel=0.15)
    classes = (effects.sum() - np.array([1.0, -1.0, 0.0])) / (n - 1)
    times = np.array([worse, better, n - worse - better])
    assert growth_of_variance(classes, times) == pytest.approx(growth_of_variance(left_out), rel=1e-9)


@given(st.floats(1e-6, 1e-2), st.floats(0, 0.5), st.floats(0, 0.01), st.integers(1, 10))
def test_the_detectable_difference_is_as_many_errors_at_it(
    variance: float, difference: float, growth: float, tests: int
):
    spread = DifferenceSpread(variance, float("inf"), growth)
    normal = NormalDist()
    z = normal.inv_cdf(1 - 0.025 / tests) + normal.inv_cdf(0.8)
    found = spread.detectable(0.95, tests, difference)
    assert found == pytest.approx(z * sqrt(variance + max(found - difference, 0.0) * growth), rel=1e-9)
    assert found >= z * sqrt(variance) * (1 - 1e-12)


def test_without_effects_nothing_grows():
    assert growth_of_variance(np.full(5, 0.3)) == 0.0
    assert growth_of_variance(np.array([0.3])) == 0.0


def placed(rng: np.random.Generator, extra: float) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Return 500 points of which two methods misplace 2 %, and the second some more."""
    true = rng.integers(0, 5, 500)
    found = [np.where(rng.random(500) < 0.02, rng.integers(0, 5, 500), true) for _ in range(2)]
    found[1] = np.where(rng.random(500) < extra, rng.integers(0, 5, 500), found[1])
    return true, {"a": found[0], "b": found[1]}


def test_a_detectable_difference_is_shown_as_often_as_said():
    """With the variance at the observed difference 59 % were shown."""
    rng = np.random.default_rng(1)
    rows = [cm.compare(*placed(rng, 0.0), ["adjusted_rand"]).differences()[0] for _ in range(40)]
    wanted = np.mean([row.detectable for row in rows if row.detectable])
    shown, not_worse = [], []
    for _ in range(120):
        true, found = placed(rng, wanted / 2 / 0.8)  # a misplaced point counts about twice, and one in five is right
        ranked = cm.compare(true, found, ["adjusted_rand"])
        row = ranked.differences()[0]
        shown.append(row.first == "a" and row.p_value < 0.05)
        margin = ranked.differences(margin=float(np.mean(wanted)))[0]
        not_worse.append(margin.first == "b" or bool(margin.non_inferior))
    assert 0.68 <= np.mean(shown) <= 0.92
    assert np.mean(not_worse) <= 0.06


@given(
    st.floats(1e-4, 0.1), st.floats(-0.2, 0.2), st.floats(0.01, 0.2), st.floats(0, 0.01), st.sampled_from([4.0, inf])
)
def test_probabilities_and_tests_of_a_margin_are_one_distribution(
    error: float, gain: float, margin: float, growth: float, degrees: float
):
    spread = DifferenceSpread(error**2, degrees, growth)
    for sign in (1, -1):
        how = {"level": 0.95, "sign": sign, "margin": margin, "most": 1.0, "unit": ("point", 500)}
        row = judge(("a", "b"), sign * gain, spread, **how)
        assert row.p_better + spread.under(0.0, gain) == pytest.approx(1)
        assert row.p_equivalent == max(row.p_margin, row.p_loss)
        assert row.p_margin + row.p_superior == pytest.approx(1, abs=1e-9)
        at_margin = sqrt(error**2 + max(margin - abs(gain), 0) * growth)
        assert row.p_loss == pytest.approx(float(spread.below(-(gain + margin) / at_margin)))
        assert (row.non_inferior, row.superior) == (row.p_margin < 0.025, row.p_superior < 0.025)
        back = judge(("b", "a"), -sign * gain, spread, **how)
        wanted = row.reverse(0.95)
        assert back.p_better == pytest.approx(wanted.p_better)
        assert (back.p_loss, back.p_margin) == pytest.approx((wanted.p_loss, wanted.p_margin))
        assert back.p_superior == pytest.approx(wanted.p_superior, abs=1e-9)
        assert (back.low, back.high, back.at_margin) == (wanted.low, wanted.high, wanted.at_margin)


def test_few_groups_and_no_difference_have_no_probability():
    spread = DifferenceSpread(0.01, 5.0)
    how = {"level": 0.95, "sign": 1, "margin": 0.1, "most": 1.0}
    few = judge(("a", "b"), 0.1, spread, unit=("group", 6), **how)
    assert (few.p_better, few.p_loss, few.equivalent) == (None, None, None)
    same = judge(("a", "b"), 0.0, DifferenceSpread(0.0, inf), unit=("point", 60), **how)
    assert (same.p_better, same.superior, same.at_margin) == (None, None, "not shown")
    assert same.reverse(0.95).p_better is None


def placed_at(rng: np.random.Generator, shares: tuple[float, float]) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Return 300 points of four uneven clusters, of which two methods misplace these shares."""
    sizes = [0.5, 0.3, 0.15, 0.05]
    true = rng.choice(4, 300, p=sizes)
    found = [np.where(rng.random(300) < share, rng.choice(4, 300, p=sizes), true) for share in shares]
    return true, dict(zip("ab", found, strict=True))


def test_margins_that_are_the_true_difference_are_rarely_passed():
    rng = np.random.default_rng(5)
    shares = (0.15, 0.25)
    apart = [cm.b_cubed_f(true, a) - cm.b_cubed_f(true, b) for true, (a, b) in
             ((true, found.values()) for true, found in (placed_at(rng, shares) for _ in range(600)))]  # fmt: skip
    margin, shown = float(np.mean(apart)), np.zeros(3)
    for _ in range(250):
        row = cm.compare(*placed_at(rng, shares), ["b_cubed_f"]).differences(margin=margin)[0]
        row = row if row.first == "a" else row.reverse(0.95)
        shown += [bool(row.non_inferior), bool(row.equivalent), bool(row.superior)]
    assert (shown / 250 <= 0.056).all()  # three standard errors above 2.5 %


def test_the_probability_of_better_is_as_often_right_as_it_says():
    """Of methods whose shares of misplaced points were drawn at random, the better one is known."""
    rng = np.random.default_rng(6)
    sure, right = [], []
    for _ in range(300):
        shares = tuple(rng.uniform(0.1, 0.3, 2))
        row = cm.compare(*placed_at(rng, shares), ["adjusted_rand"]).differences()[0]
        sure.append(row.p_better)
        right.append((row.first == "a") == (shares[0] < shares[1]))
    sure, right = np.array(sure), np.array(right)
    assert np.mean(right) == pytest.approx(np.mean(sure), abs=0.05)
    unsure = sure < 0.95
    assert np.mean(right[unsure]) == pytest.approx(np.mean(sure[unsure]), abs=0.11)
