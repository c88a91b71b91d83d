"""Degrees of freedom of a variance over units, and limits by Student's t."""

from __future__ import annotations

from fractions import Fraction
from math import inf, nan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clustermark.uncertainty.limits import degrees_of, reach


def obvious(values: list[int]) -> float:
    """Return the definition, in fractions."""
    units = len(values)
    mean = Fraction(sum(values), units)
    second, fourth = (sum((value - mean) ** power for value in values) for power in (2, 4))
    if not second:
        return inf
    known = fourth / second**2 - Fraction(1, units)
    return float(min(2 / known, units - 1)) if known else units - 1.0


@given(
    st.lists(st.tuples(st.integers(-50, 50), st.integers(1, 6)), min_size=2, max_size=12),
    st.sampled_from([1.0, 1e-9, 1e-200]),
)
def test_degrees_follow_their_definition_at_any_scale(classes: list[tuple[int, int]], scale: float):
    values = [value for value, times in classes for _ in range(times)]
    by_class = degrees_of(np.array([v for v, _ in classes]) * scale, np.array([t for _, t in classes]))
    assert by_class == pytest.approx(obvious(values), rel=1e-9)
    assert degrees_of(np.array(values) * scale) == pytest.approx(obvious(values), rel=1e-9)


def test_one_unit_that_makes_the_variance_has_two_degrees():
    assert degrees_of([0.0] * 10_000 + [1.0]) == pytest.approx(2, abs=1e-3)
    rng = np.random.default_rng(0)
    assert degrees_of(rng.normal(size=100_000)) == pytest.approx(100_000, rel=0.02)


def test_units_without_effect_and_too_few_units():
    assert degrees_of([0.5] * 20) == inf
    assert degrees_of([1.0, 1.0 + 2e-16]) == inf
    assert degrees_of([0.5]) == 0
    assert degrees_of([0.3, 0.4, 0.9], np.array([0, 0, 1])) == 0
    assert degrees_of([nan, 1.0, 0.0]) == inf  # a score that some unit defines has no interval anyway


def test_limits_are_those_of_student():
    from scipy.stats import norm, t

    for level in (0.8, 0.95, 0.99):
        assert reach(level) == pytest.approx(norm.ppf((1 + level) / 2), rel=1e-12)
        assert reach(level, 2.5) == pytest.approx(t.ppf((1 + level) / 2, 2.5), rel=1e-9)
    assert reach(0.95, 1e6) == pytest.approx(reach(0.95), rel=1e-5)
