"""Intervals of indices corrected for chance by `index.adjust()`."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest

import clustermark as cm
from clustermark.uncertainty.adjusted_intervals import _left_out
from clustermark.uncertainty.samples import sample_of


def labels(n: int, k: int, share: float, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    true = rng.integers(0, k, n)
    return true, np.where(rng.random(n) < share, rng.integers(0, k, n), true)


def close(one: cm.Interval, two: cm.Interval) -> bool:
    return all(
        getattr(one, name) == pytest.approx(getattr(two, name), abs=1e-5)  # other bounds, so another scale below 0
        for name in ("score", "low", "high", "standard_error")
    )


@pytest.mark.parametrize("share", [0.3, 0.95])
def test_those_of_rand_and_of_information_are_those_of_their_corrected_kin(share: float) -> None:
    table = cm.crosstab(*labels(400, 3, share))
    assert close(cm.score_interval(table, cm.rand.adjust()), cm.score_interval(table, "adjusted_rand"))
    nmi = cm.normalized_mutual_information.adjust()
    assert close(cm.score_interval(table, nmi), cm.score_interval(table, "adjusted_mutual_information"))


@pytest.mark.parametrize("name", ["rand", "pair_precision", "dice", "mirkin", "v_measure", "homogeneity"])
@pytest.mark.parametrize("unit", ["point", "component"])
def test_closed_forms_equal_tables_without_one_unit(name: str, unit: str) -> None:
    rng = np.random.default_rng(5)
    true = np.repeat(np.arange(20), 3)
    pred = np.where(rng.random(60) < 0.2, true + 20, np.where(rng.random(60) < 0.1, (true // 2) * 2, true))
    sample = sample_of(cm.crosstab(true, pred), unit)
    adjusted = cm.find(name).adjust()
    found = _left_out(adjusted, sample)
    assert found is not None
    for place in range(len(sample.multiplicity)):
        chosen = sample.multiplicity.copy()
        chosen[place] -= 1
        assert found[place] == pytest.approx(float(adjusted.of(sample.take(chosen))), abs=1e-9)


def test_means_over_all_tables_are_made_again_without_each_unit() -> None:
    table = cm.Contingency.from_matrix(np.array([[5, 1], [2, 4]]))
    adjusted = cm.purity.adjust()
    found = cm.score_interval(table, adjusted)
    left = []
    for row, column, n in ((0, 0, 5), (0, 1, 1), (1, 0, 2), (1, 1, 4)):
        counts = np.array([[5, 1], [2, 4]])
        counts[row, column] -= 1
        left += [float(adjusted.of(cm.Contingency.from_matrix(counts)))] * n
    variance = 11 / 12 * sum((one - np.mean(left)) ** 2 for one in left)
    assert found.standard_error == pytest.approx(sqrt(variance), abs=1e-12)
    assert (found.method, found.draws) == ("jackknife", None)
    assert float(found.score) == pytest.approx(49 / 148, abs=1e-12)


def test_half_samples_with_their_own_means_agree_with_the_jackknife() -> None:
    table = cm.crosstab(*labels(600, 4, 0.3))
    exact = cm.score_interval(table, cm.rand.adjust())
    drawn = cm.score_interval(table, cm.rand.adjust(), method="half-sampling", draws=400)
    assert drawn.standard_error == pytest.approx(exact.standard_error, rel=0.15)
    # Jaccard's mean is not linear in pairs: random tables; it rises with pairs as dice does, by the delta method
    made = cm.score_interval(table, cm.jaccard.adjust(draws=200), draws=200, method="half-sampling")
    dice = cm.score_interval(table, cm.dice.adjust())
    assert made.draws == 200
    assert made.standard_error == pytest.approx(dice.standard_error, rel=0.35)
    assert any("random tables" in note for note in made.notes)


def test_the_standard_error_is_that_of_new_samples() -> None:
    scores, errors = [], []
    for seed in range(40):
        table = cm.crosstab(*labels(250, 4, 0.35, seed))
        found = cm.score_interval(table, cm.purity.adjust(draws=100), method="half-sampling", draws=40)
        scores.append(found.score)
        errors.append(found.standard_error)
    assert np.mean(errors) == pytest.approx(np.std(scores, ddof=1), rel=0.3)  # 11 % is the error of 40 samples


def test_what_has_no_interval_is_refused() -> None:
    table = cm.crosstab(*labels(100, 3, 0.3))
    with pytest.raises(cm.UnsupportedTableError, match="population"):
        cm.score_interval(table, cm.rand.adjust(), target="population")
    with pytest.raises(cm.UnsupportedTableError, match="copies"):
        cm.score_interval(table, cm.rand.adjust(), method="bootstrap")
    with pytest.raises(cm.UnsupportedTableError, match="depends on single cells"):
        cm.score_interval(table, cm.muc_f.adjust())
    perfect = cm.score_interval(cm.crosstab([0, 0, 1, 1] * 9, [0, 0, 1, 1] * 9), cm.rand.adjust())
    assert (perfect.low, perfect.high, perfect.score) == (None, None, 1.0)
    assert perfect.notes[0].startswith("No disagreement")


def test_evaluations_take_corrected_indices_beside_others() -> None:
    scores = cm.evaluate(*labels(300, 4, 0.3))
    assert scores.interval(cm.rand.adjust()).index == "rand.adjust()"
    found = scores.intervals(["jaccard", cm.rand.adjust(), cm.muc_f.adjust()])
    assert list(found) == ["jaccard", "rand.adjust()"]
    assert list(found.refused) == ["muc_f.adjust()"]
    assert found[cm.rand.adjust()] is found["rand.adjust()"]
    assert scores.coverage_check(cm.rand.adjust(), draws=60)[0].coverage > 0.85
