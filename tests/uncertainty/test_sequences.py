"""Limits that hold at every look: published bounds, and simulated looks."""

import numpy as np
import pytest

from clustermark.uncertainty.sequences import mixture_widths, spend, spending_bounds, tune_mixture

LOOKS = 20


def paths(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return sums of normal differences with standard errors that differ from look to look, and the information."""
    rng = np.random.default_rng(seed)
    errors = rng.uniform(0.5, 2, LOOKS)
    return (rng.normal(0, errors, (n, LOOKS)) / errors**2).cumsum(1), (1 / errors**2).cumsum()


# Jennison & Turnbull (2000), Group Sequential Methods, and the program of Reboussin et al. (2000), α = 0.05, two-sided
PUBLISHED = {
    "obrien_fleming": (4.877, 3.357, 2.680, 2.290, 2.031),
    "pocock": (2.438, 2.427, 2.410, 2.397, 2.386),
}


@pytest.mark.parametrize("kind", PUBLISHED)
def test_the_bounds_of_five_equal_looks_are_those_published(kind):
    found = spending_bounds(range(1, 6), [spend(kind, look / 5, 0.05) for look in range(1, 6)])
    assert found == pytest.approx(PUBLISHED[kind], abs=2e-3)


@pytest.mark.parametrize("kind", PUBLISHED)
def test_spending_ends_at_the_level(kind):
    assert spend(kind, 1.0, 0.05) == pytest.approx(0.05)


@pytest.mark.parametrize("kind", PUBLISHED)
def test_unequal_looks_exceed_the_bounds_as_often_as_planned(kind):
    sums, information = paths(20_000, 1)
    spent = [spend(kind, look / LOOKS, 0.05) for look in range(1, LOOKS + 1)]
    bounds = np.array(spending_bounds(information, spent))
    exceeded = np.abs(sums) > bounds * np.sqrt(information)
    assert exceeded.any(1).mean() == pytest.approx(0.05, abs=0.006)
    assert exceeded[:, :10].any(1).mean() == pytest.approx(spent[9], abs=0.005)


def test_the_sequence_exceeds_rarely_where_plain_intervals_do_often():
    sums, information = paths(20_000, 2)
    plain = (np.abs(sums) > 1.96 * np.sqrt(information)).any(1).mean()
    assert 0.2 < plain < 0.3
    for look in (0, 9, 19):
        rho = tune_mixture(information[look], 0.05)
        widths = mixture_widths(information, rho, 0.05)
        assert (np.abs(sums) > widths * information).any(1).mean() <= 0.05 + 0.005


def test_the_tuned_sequence_is_narrow_where_it_is_tuned():
    for information in (1.0, 40.0):
        tuned = tune_mixture(information, 0.05)
        widths = [mixture_widths(np.array([information]), rho, 0.05)[0] for rho in (tuned / 3, tuned, tuned * 3)]
        assert widths[1] < min(widths[0], widths[2])
