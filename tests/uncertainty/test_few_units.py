"""Variances that a few units make: Student's t with Satterthwaite's degrees of freedom, and few components in error."""

import numpy as np
import pytest
from scipy.stats import t as student

import clustermark as cm
from clustermark.uncertainty.samples import ComponentSample


def documents(rng: np.random.Generator, n: int = 40) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return documents with sizes of a heavy tail, each with its own share of misplaced points."""
    of = np.repeat(np.arange(n), np.minimum((3 * (rng.pareto(1.2, n) + 1)).astype(int), 300))
    true = rng.integers(0, 5, len(of))
    return true, np.where(rng.random(len(of)) < rng.beta(1, 3, n)[of], rng.integers(0, 5, len(of)), true), of


def entities(rng: np.random.Generator, merged: float, blocks: int = 200) -> tuple[np.ndarray, np.ndarray]:
    """Return entities in blocks of which a share is merged."""
    true, pred = [], []
    for block in range(blocks):
        sizes = rng.integers(1, 6, rng.integers(2, 4))
        one = np.repeat(np.arange(len(sizes)), sizes) + 1000 * block
        true.append(one)
        pred.append(np.full(len(one), one[0]) if rng.random() < merged else one)
    return np.concatenate(true), np.concatenate(pred)


def test_limits_over_groups_are_by_the_degrees_of_freedom_of_uneven_groups():
    true, pred, of = documents(np.random.default_rng(1))
    found = cm.evaluate(true, pred).interval("pair_precision", unit=of)
    left = np.array([cm.pair_precision(true[of != group], pred[of != group]) for group in np.unique(of)])
    away = left - left.mean()
    degrees = 2 / ((away**4).sum() / (away**2).sum() ** 2 - 1 / len(left))
    assert degrees < 20
    logits = np.log(np.array([found.low, found.high]) / (1 - np.array([found.low, found.high])))
    error = found.standard_error / (found.score * (1 - found.score))
    assert np.diff(logits)[0] / 2 == pytest.approx(student.ppf(0.975, degrees) * error, rel=1e-6)


def test_intervals_over_uneven_documents_hold():
    """With the normal distribution 90 to 92 % of the intervals contained the mean score."""
    rng = np.random.default_rng(3)
    found = []
    for _ in range(100):
        true, pred, of = documents(rng)
        found.append(cm.evaluate(true, pred).interval("adjusted_rand", unit=of))
    found = [one for one in found if one.low is not None]
    target = np.mean([one.score for one in found])
    assert np.mean([one.low <= target <= one.high for one in found]) >= 0.92


def test_few_components_in_error_have_no_interval():
    true, pred = entities(np.random.default_rng(0), 0.05)
    sample = ComponentSample(cm.crosstab(true, pred))
    merged = sum(len(set(true[pred == label])) > 1 for label in set(pred.tolist()))
    assert sample.n_in_error == merged < 30
    found = cm.evaluate(true, pred).interval("pair_precision", unit="component")
    assert found.low is None
    assert found.standard_error > 0
    assert found.notes[0] == f"only {merged} of {found.n_units} components are in error: no interval"
    often = cm.evaluate(*entities(np.random.default_rng(0), 0.3)).interval("pair_precision", unit="component")
    assert often.low is not None


@pytest.mark.parametrize("noise", ["noise_true", "noise_pred"])
def test_lone_points_are_in_error_unless_they_are_alone_on_both_sides(noise: str):
    true, pred = [0, 0, 1, 1, -1, -1, 3], [0, 0, 1, 1, 2, 2, -1]
    table = cm.crosstab(true, pred, noise_true={-1: "singletons"}, noise_pred={-1: "singletons"})
    sample = ComponentSample(table)
    assert sample.n_in_error == 1  # two lone points in one predicted cluster
    alone = cm.crosstab([0, 0, -1, -1], [0, 0, -1, -1], noise_true={-1: "singletons"}, noise_pred={-1: "singletons"})
    assert ComponentSample(alone).n_in_error == 0
    assert cm.crosstab(true, pred, **{noise: {-1: "singletons"}}).n_used == 7


@pytest.mark.slow
def test_equally_good_predictions_of_uneven_blocks_are_rarely_called_different():
    """150 blocks with sizes of a heavy tail: the jackknife with the normal distribution called 14 % different."""
    rng = np.random.default_rng(3)
    called = 0
    for _ in range(30):
        sides: list[list[np.ndarray]] = [[], [], []]
        for block in range(150):
            sizes = np.minimum((rng.pareto(1.3, rng.integers(1, 4)) + 1).astype(int), 400)
            true = np.repeat(np.arange(len(sizes)), sizes) + 1000 * block
            sides[0].append(true)
            for side in sides[1:]:
                found = np.full(len(true), true[0]) if len(sizes) > 1 and rng.random() < 0.25 else true.copy()
                lone = rng.random(len(true)) < 0.1
                found[lone] = 1000 * block + 500 + np.arange(lone.sum())
                side.append(found)
        truth, one, other = map(np.concatenate, sides)
        [row] = cm.compare(truth, {"one": one, "other": other}, ["adjusted_rand"], unit="component").differences()
        assert row.p_value is None or row.method == "swapping"
        called += row.p_value is not None and row.p_value < 0.05
    assert called <= 5
