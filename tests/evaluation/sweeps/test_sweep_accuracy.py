"""Scores of sweeps where the sums of the kernel are not enough: little information, and pairs of infinite score."""

from __future__ import annotations

import math
from decimal import Decimal, localcontext

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import clustermark as cm


def exact_information(truth, pred, counts):
    """n times the mutual information, with 60 digits."""
    cells, rows, columns = {}, {}, {}
    for item, n in counts.items():
        for sizes, key in ((cells, (truth[item], pred[item])), (rows, truth[item]), (columns, pred[item])):
            sizes[key] = sizes.get(key, 0) + n
    total = sum(counts.values())
    with localcontext() as context:
        context.prec = 60
        terms = ((n, n * total, rows[a] * columns[b]) for (a, b), n in cells.items())
        return float(sum(n * (Decimal(above) / below).ln() for n, above, below in terms))


TRUTH = {0: 0, 1: 1, 2: 0, 3: 0, 4: 1}
COUNTS = {0: 1, 1: 1, 2: 1, 3: 1, 4: 49_704}
PAIRS = ([0, 0, 4, 0], [2, 3, 1, 4], [0.8, 0.4, 0.0, 0.2])


@pytest.mark.parametrize("threshold", [0.8, 0.4, 0.2])
def test_little_information_keeps_its_digits(threshold):
    names = ["g_statistic", "v_measure", "normalized_mutual_information"]
    found = cm.sweep_pairs(TRUTH, PAIRS, counts=COUNTS, indices=names)
    wanted = 2 * exact_information(TRUTH, found.labels(threshold), COUNTS)
    assert found.scores(threshold)["g_statistic"] == pytest.approx(wanted, rel=1e-12)
    evaluation = found.at(threshold, names)
    assert found.scores(threshold) == pytest.approx(dict(evaluation), rel=1e-12)
    assert dict(found.curve("g_statistic"))[threshold] == pytest.approx(wanted, rel=1e-12)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.integers(0, 1), min_size=4, max_size=6),
    st.integers(1, 10**7),
    st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5), st.sampled_from([0.2, 0.5, 0.9])), min_size=1, max_size=6),
)
def test_information_is_that_of_60_digits(labels, large, pairs):
    truth = dict(enumerate(labels))
    counts = dict.fromkeys(truth, 1) | {0: large}
    chosen = [(a % len(labels), b % len(labels), score) for a, b, score in pairs]
    found = cm.sweep_pairs(truth, tuple(zip(*chosen, strict=True)), counts=counts, indices=["g_statistic"])
    for threshold in found.thresholds:
        if math.isfinite(threshold):
            wanted = 2 * exact_information(truth, found.labels(threshold), counts)
            total = math.log(large + 5) * (large + 5)
            assert found.scores(threshold)["g_statistic"] == pytest.approx(wanted, rel=1e-10, abs=1e-16 * total)


def test_expected_information_of_few_partitions_comes_from_their_tables():
    n = 20_000
    truth = np.zeros(n, int)
    truth[:3] = 1
    left = np.arange(10, n - 1)
    pairs = (left, left + 1, np.full(len(left), 0.5))
    found = cm.sweep_pairs(truth, pairs, indices=["adjusted_mutual_information"])
    found.partitions.sums["expected"] = np.full(len(found.partitions), np.nan)  # as if it took too many steps
    found.partitions._expects = True
    wanted = found.at(0.5)["adjusted_mutual_information"]
    assert found.scores(0.5)["adjusted_mutual_information"] == wanted
    best = found.best("adjusted_mutual_information")
    assert (best.threshold, best.score, best.note) == (0.5, wanted, "")


@pytest.mark.parametrize("distance", [False, True])
def test_pairs_of_infinite_score_count_at_every_threshold(distance):
    sign = -1 if distance else 1
    truth = {0: 1, 1: 1, 2: 2}
    pairs = ([0, 1], [1, 2], [sign * math.inf, sign * 0.5])
    found = cm.sweep_pairs(truth, pairs, indices=["rand", "b_cubed_f"], distance=distance)
    assert found.n_partitions == len(set(found.thresholds)) == 2
    best = found.best("rand")
    assert (
        (best.threshold, best.score) == (sign * math.inf, 1.0) == (best.threshold, found.scores(best.threshold)["rand"])
    )
    assert found.cheapest().threshold == best.threshold
    assert f"Cut at {'−' if distance else ''}inf" in repr(found).replace("-inf", "−inf")
    assert "no pair" not in repr(found)
    assert found.scores(sign * 0.5)["rand"] == cm.rand([1, 1, 2], [0, 0, 0])


def test_pairs_of_the_lowest_score_count_at_that_threshold():
    found = cm.sweep_pairs({0: 1, 1: 1, 2: 2}, ([0, 1], [1, 2], [-math.inf, 0.5]), indices=["rand"])
    assert [threshold for threshold, _ in found.curve("rand")] == [math.inf, 0.5, -math.inf]
    assert found.scores(-math.inf)["rand"] == cm.rand([1, 1, 2], [0, 0, 0])
    assert found.best("rand").threshold == math.inf  # nothing joined
    assert "where no pair counts" in repr(found)
