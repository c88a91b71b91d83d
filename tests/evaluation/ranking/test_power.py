"""The detectable difference and the test of a margin: variances at the alternative."""

from math import sqrt
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import clustermark as cm
from clustermark.evaluation.differences import DifferenceSpread
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
