"""Bands of scores over thresholds that hold at all of them at once."""

from __future__ import annotations

import numpy as np
import pytest

import clustermark as cm
from clustermark.uncertainty.simultaneous import independent_value


def pairs(blocks: int, rng: np.random.Generator) -> tuple[list[int], tuple[list[int], list[int], list[float]]]:
    """Draw entities of two or three records in blocks of two; pairs within a block have scores, some wrong."""
    true: list[int] = []
    left: list[int] = []
    right: list[int] = []
    scores: list[float] = []
    for block in range(blocks):
        own = np.repeat([2 * block, 2 * block + 1], rng.integers(2, 4, 2))
        first = len(true)
        true += own.tolist()
        for i in range(len(own)):
            for j in range(i):
                left.append(first + j)
                right.append(first + i)
                same = own[i] == own[j]
                scores.append(round(float(rng.beta(4, 2) if same else rng.beta(1.5, 5)), 2))
    return true, (left, right, scores)


def test_a_band_is_wider_than_an_interval_and_narrower_than_independent_ones() -> None:
    swept = cm.sweep_pairs(*pairs(150, np.random.default_rng(0)))
    band = swept.band("b_cubed_f")
    assert 2.0 < band.critical_value < independent_value(len(band), 0.95)
    assert len(band) > 20
    for row in band:
        assert row.score == pytest.approx(swept.scores(row.threshold, ["b_cubed_f"])["b_cubed_f"], abs=1e-12)
        if row.low is not None and row.high is not None:
            assert row.low < row.score < row.high
    table = swept.table(band[len(band) // 2].threshold)
    error = cm.score_interval(table, "b_cubed_f", unit="component").standard_error
    assert band[len(band) // 2].standard_error == pytest.approx(error, rel=0.15)  # components of all looser thresholds


def test_bands_hold_at_all_thresholds_at_once() -> None:
    rng = np.random.default_rng(1)
    grid = np.arange(0.3, 0.9, 0.05)
    bands, values = [], []
    for _ in range(60):
        swept = cm.sweep_pairs(*pairs(100, rng), indices=["b_cubed_f"])
        values.append([swept.scores(at, ["b_cubed_f"])["b_cubed_f"] for at in grid])
        bands.append(swept.band("b_cubed_f"))
    mean = np.mean(values, axis=0)
    held = []
    for band in bands:
        rows = [min(band, key=lambda row, at=at: abs(row.threshold - at)) for at in grid]
        inside = [
            row.low is None or row.high is None or row.low <= target + (row.score - own) <= row.high
            for row, target, own in zip(rows, mean, values[len(held)], strict=True)
        ]
        held.append(all(inside))
    assert np.mean(held) >= 0.87  # four standard errors below 95 % would be 84


def test_few_errors_make_no_band() -> None:
    truth = [place // 2 for place in range(200)]
    scored = ([2 * place for place in range(100)], [2 * place + 1 for place in range(100)], [0.9] * 95 + [0.5] * 5)
    band = cm.sweep_pairs(truth, scored).band("dice")
    loose = [row for row in band if row.threshold <= 0.9]
    assert all(row.low is None for row in loose)
    assert "no interval at" in band.notes[0]


def test_what_has_no_band_is_refused() -> None:
    swept = cm.sweep_pairs(*pairs(40, np.random.default_rng(0)))
    with pytest.raises(cm.InputError, match="function of sums over components"):
        swept.band("adjusted_mutual_information")
    with pytest.raises(cm.InputError, match="level"):
        swept.band("dice", level=95)
