"""Scored pairs, closed from the highest score down, against every partition made by itself."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clustermark import _kernel

NO_POINT, PREDICTED_ONLY = -1, -2
EXACT = ["clusters", "cells", "exact", "together", "together_both", "best_pred", "best_true"]
CLOSE = ["precision", "recall", "spread_pred", "left_true", "left_pred"]


def partition_of(n, pairs, threshold):
    """The clusters of all pairs of at least this score, as sets of records."""
    groups = {record: {record} for record in range(n)}
    for left, right, score in pairs:
        if score >= threshold and groups[left] is not groups[right]:
            groups[left] |= groups[right]
            for record in groups[right]:
                groups[record] = groups[left]
    return {frozenset(group) for group in groups.values()}


def spread(sizes):
    return math.fsum(n * math.log(n) for n in sizes)


def pairs_of(sizes):
    return sum(n * (n - 1) // 2 for n in sizes)


def sums_of(labels, clusters):
    """Return the sums of the kernel, computed from the clusters."""
    truth = Counter(label for label in labels if label >= 0)
    members = [[labels[record] for record in cluster if labels[record] != NO_POINT] for cluster in clusters]
    members = [cluster for cluster in members if cluster]
    cells = [Counter(label for label in cluster if label >= 0) for cluster in members]
    counts = [n for cell in cells for n in cell.values()]
    sizes = [len(cluster) for cluster in members]
    by_label = {label: [cell[label] for cell in cells if label in cell] for label in truth}
    return {
        "clusters": len(members),
        "cells": len(counts),
        "exact": sum(
            len(cell) == 1 and len(cluster) == n == truth[label]
            for cell, cluster in zip(cells, members, strict=True)
            for label, n in cell.items()
        ),
        "together": pairs_of(sizes),
        "together_both": pairs_of(counts),
        "best_pred": sum(max(cell.values(), default=0) for cell in cells),
        "best_true": sum(max(ns) for ns in by_label.values()),
        "precision": float(
            sum(Fraction(n * n, size) for cell, size in zip(cells, sizes, strict=True) for n in cell.values())
        ),
        "recall": float(sum(Fraction(n * n, truth[label]) for label, ns in by_label.items() for n in ns)),
        "spread_pred": spread(sizes),
        "left_true": spread(sizes) - spread(counts),
        "left_pred": spread(truth.values()) - spread(counts),
    }


@st.composite
def worlds(draw):
    """Few scores, so that there are ties; records without truth, repeats and pairs of a record with itself.

    Lists of more than six pairs a record are closed in two parts.
    """
    is_long = draw(st.booleans())
    n = draw(st.integers(1, 12 if is_long else 40))
    k = draw(st.integers(1, n))
    labels = draw(st.lists(st.integers(-2, k - 1), min_size=n, max_size=n))
    record = st.integers(0, n - 1)
    scores = st.sampled_from([-math.inf, -1.0, 0.0, 0.25, 0.5, 0.5000001, 1.0, 7.0, math.inf])
    return labels, draw(st.lists(st.tuples(record, record, scores), min_size=6 * n + 1 if is_long else 0, max_size=80))


def run(labels, pairs, *more):
    left, right, scores = ([pair[place] for pair in pairs] for place in range(3))
    arrays = (np.array(labels, np.int32), np.array(left, np.int32), np.array(right, np.int32), np.array(scores, float))
    return _kernel.sweep_pairs(*arrays, *more)


@settings(max_examples=300, deadline=None)
@given(worlds())
def test_every_partition(world):
    labels, pairs = world
    states, merges, totals = run(labels, pairs)
    expected = [(math.inf, partition_of(len(labels), [], 0))]
    for threshold in sorted({score for _, _, score in pairs}, reverse=True):
        clusters = partition_of(len(labels), pairs, threshold)
        if clusters != expected[-1][1]:
            expected.append((threshold, clusters))
    assert states["thresholds"].tolist() == [threshold for threshold, _ in expected]
    for place, (_, clusters) in enumerate(expected):
        wanted = sums_of(labels, clusters)
        assert {name: int(states[name][place]) for name in EXACT} == {name: wanted[name] for name in EXACT}
        for name in CLOSE:
            assert states[name][place] == pytest.approx(wanted[name], abs=1e-12), name
        assert len(labels) - len(clusters) == states["merges"][place]
    truth = Counter(label for label in labels if label >= 0)
    assert (totals["points"], totals["true_clusters"]) == (truth.total(), len(truth))
    assert totals["predicted_points"] == sum(label != NO_POINT for label in labels)
    assert totals["together_true"] == pairs_of(truth.values())
    assert totals["spread_true"] == pytest.approx(spread(truth.values()))
    assert merges["true_pairs"].sum() == states["together_both"][-1]
    assert merges["false_pairs"].sum() == states["together"][-1] - states["together_both"][-1]
    assert merges["scores"].tolist() == sorted(merges["scores"].tolist(), reverse=True)


@settings(max_examples=100, deadline=None)
@given(worlds())
def test_expected_information_of_every_partition(world):
    labels, pairs = world
    labels = [max(label, 0) for label in labels]
    states, _, _ = run(labels, pairs)
    truth = sorted(Counter(Counter(labels).values()).items())
    for place, threshold in enumerate(states["thresholds"].tolist()):
        sizes = Counter(map(len, partition_of(len(labels), pairs if place else [], threshold)))
        wanted = _kernel.expected_mutual_information(truth, sorted(sizes.items()))
        assert states["expected"][place] / len(labels) == pytest.approx(wanted, abs=1e-13)


def test_pairs_that_join_nothing_change_nothing():
    """A long list is closed in two parts; what it joined, by itself, is a short one."""
    rng = np.random.default_rng(2)
    n, n_pairs = 700, 30_000
    labels = rng.integers(0, 200, n).astype(np.int32)
    left, right = rng.integers(0, n, (2, n_pairs)).astype(np.int32)
    scores = rng.beta(2, 6, n_pairs).round(4)
    long_states, long_merges, _ = _kernel.sweep_pairs(labels, left, right, scores)
    joined = [long_merges[name] for name in ("left", "right", "scores")]
    short_states, short_merges, _ = _kernel.sweep_pairs(labels, *joined)
    assert len(joined[0]) == n - 1 > 3 * len(set(joined[2].tolist())) / 4
    for long, short in ((long_states, short_states), (long_merges, short_merges)):
        for name in long:
            np.testing.assert_array_equal(long[name], short[name])


def test_many_labels_in_one_cluster():
    # a cluster of 5,000 labels goes through all kinds of counts: the only one, a list, a table that grows
    n = 20_000
    rng = np.random.default_rng(1)
    labels = rng.integers(0, 5000, n)
    order = rng.permutation(n)
    pairs = [(int(a), int(b), 1.0 - i / n) for i, (a, b) in enumerate(zip(order, order[1:], strict=False))]
    states, _, _ = run(labels.tolist(), pairs)
    for place in (10, 100, 3000, n - 1):
        cluster = order[: place + 1]
        counts = np.bincount(labels[cluster])
        assert states["together_both"][place] == pairs_of(counts.tolist())
        assert states["cells"][place] == np.count_nonzero(counts) + n - place - 1
        assert states["best_pred"][place] == counts.max() + n - place - 1
    assert states["left_pred"][-1] == pytest.approx(0.0, abs=1e-9)


def test_a_pure_prediction_leaves_exactly_nothing_to_learn():
    labels = np.repeat(np.arange(300), 3)
    pairs = [(i, i + 1, 0.5) for i in range(899) if labels[i] == labels[i + 1]]
    states, _, _ = run(labels.tolist(), pairs)
    assert states["left_true"].tolist() == [0.0, 0.0]
    assert states["left_pred"][-1] == 0.0


def test_expected_information_ends_at_its_limit():
    pairs = [(i, i + 1, -i) for i in range(50)]
    states, _, _ = run(list(range(10)) * 5 + [0], pairs, 100.0)
    assert not np.isnan(states["expected"][0])
    assert np.isnan(states["expected"][-1])


def many_pairs(n):
    """Labels and pairs that take much longer than the tenth of a second between two reports."""
    rng = np.random.default_rng(3)
    left, right = rng.integers(0, n, (2, n)).astype(np.int32)
    return np.zeros(n, np.int32), left, right, rng.random(n), 0.0


def test_progress_is_told():
    shares = []
    _kernel.sweep_pairs(*many_pairs(2**20), shares.append)
    assert shares
    assert shares == sorted(shares)
    assert all(0 <= share <= 1 for share in shares)


def test_an_error_of_progress_ends_the_work():
    told = []

    def stop(share):
        told.append(share)
        raise KeyError("enough")

    with pytest.raises(KeyError, match="enough"):
        _kernel.sweep_pairs(*many_pairs(2**20), stop)
    assert len(told) == 1


@pytest.mark.parametrize(
    ("labels", "left", "right", "scores", "message"),
    [
        ([0, 0], [0], [2], [1.0], "numbers of records"),
        ([0, 0], [-1], [1], [1.0], "numbers of records"),
        ([0, 0], [0], [1], [math.nan], "NaN"),
        ([0, 0], [0] * 20, [1] * 20, [1.0] * 19 + [math.nan], "NaN"),
        ([0, 0], [0] * 20, [1] * 20, [math.nan] * 20, "NaN"),
        ([0, 0], [0] * 20, [1] * 19 + [2], [1.0] * 20, "numbers of records"),
        ([0, 0], [0] * 19 + [-1], [1] * 20, list(range(20, 0, -1)), "numbers of records"),
        ([0, 2], [0], [1], [1.0], "numbered from 0"),
        ([0, -3], [0], [1], [1.0], "numbered from 0"),
        ([0, 0], [0], [1], [1.0, 0.5], "same length"),
        ([0, 0], [0, 1], [1], [1.0], "same length"),
    ],
)
def test_refusals(labels, left, right, scores, message):
    with pytest.raises(ValueError, match=message):
        _kernel.sweep_pairs(
            np.array(labels, np.int32), np.array(left, np.int32), np.array(right, np.int32), np.array(scores, float)
        )


def test_only_the_order_of_scores_matters():
    """Many pairs of nearly the same score, ties among them, are sorted by slots, and as usual where they are spread."""
    rng = np.random.default_rng(5)
    labels = rng.integers(0, 60, 400).astype(np.int32)
    left, right = rng.integers(0, 400, (2, 900)).astype(np.int32)
    ranks = rng.integers(0, 300, 900).astype(np.float64)
    ranks[0] = 300.0
    near = 1 + ranks * 1e-9
    near[0] = 1e9  # so that all others share a bucket
    (spread, merges, _), (close, close_merges, _) = (
        _kernel.sweep_pairs(labels, left, right, scores) for scores in (ranks, near)
    )
    assert len(merges["left"]) > 300
    assert all((merges[name] == close_merges[name]).all() for name in merges if name != "scores")
    for name in set(spread) - {"thresholds"}:
        np.testing.assert_array_equal(spread[name], close[name])
