"""Who finds which pairs, and who does best on which cluster: counted by hand."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import clustermark as cm
from clustermark.evaluation.method_details import JointCells, count_by_sets, count_one_by_one

LONE = {0: "singletons"}
labels = st.lists(st.integers(0, 3), min_size=9, max_size=9)


def together(labels, lone, i, j):
    return labels[i] == labels[j] and not (lone and labels[i] == 0)


@given(labels, st.lists(labels, min_size=1, max_size=4), st.booleans(), st.booleans())
@settings(max_examples=80, deadline=None)
def test_pairs_are_counted_one_by_one(truth, predictions, lone_true, lone_pred):
    policies = ({"noise_true": LONE} if lone_true else {}) | ({"noise_pred": LONE} if lone_pred else {})
    found = cm.compare(truth, predictions, "rand", **policies).found_pairs()
    sets = [
        {place for place, made in enumerate(predictions) if together(made, lone_pred, i, j)}
        for i, j in combinations(range(9), 2)
        if together(truth, lone_true, i, j)
    ]
    assert found.total == len(sets)
    assert found.by_none == sets.count(set())
    assert found.by_all == sets.count(set(range(len(predictions))))
    for place, row in enumerate(found):
        assert row.found == sum(place in one for one in sets)
        assert row.alone == sets.count({place})


@given(labels, st.lists(st.lists(labels, min_size=1, max_size=2), min_size=1, max_size=4), st.integers(1, 5))
def test_pairs_one_by_one_are_those_by_sets(truth, methods, at_once):
    numbers = [[np.array(run, np.int32) - 1 for run in runs] for runs in methods]  # -1: in no cluster
    cells = JointCells(np.array(truth), np.ones(9, np.int64), np.arange(9)).without_loners()
    assert count_one_by_one(cells, numbers, at_once) == count_by_sets(cells, numbers)


def test_counts_and_runs_in_pairs():
    truth, one, other = [0, 0, 1], [0, 1, 1], [0, 0, 1]
    found = cm.compare(truth, {"a": one, "b": other}, "rand", counts=[2, 3, 10**9]).found_pairs()
    huge = 10**9 * (10**9 - 1) // 2
    assert (found.total, found.by_all, found.by_none) == (10 + huge, 1 + 3 + huge, 0)
    assert [tuple(row) for row in found] == [("a", 4 + huge, 0), ("b", 10 + huge, 6)]
    runs = cm.compare([0] * 4, {"a": [[0, 0, 1, 1], [0, 1, 1, 1]]}, "rand").found_pairs()
    assert (runs[0].found, runs.by_none) == (1, 5)
    assert found.to_dict()["alone"] == [0, 6]
    assert "none finds 0" in repr(found)


def test_pairs_that_are_refused():
    weighted = cm.compare([0, 0, 1], {"a": [0, 0, 1]}, "rand", weights=[1.0, 2.0, 0.5])
    with pytest.raises(cm.InputError, match="the points are weighted"):
        weighted.found_pairs()
    many = cm.compare([0, 0, 1], [[0, 0, 1]] * 13, "rand")
    with pytest.raises(cm.InputError, match="compare 12 at most"):
        many.found_pairs()


def test_wins_and_losses_by_cluster():
    truth = ["x"] * 4 + ["y"] * 3 + ["z"] * 2
    one = [1, 1, 1, 1, 2, 2, 3, 3, 3]
    other = [1, 1, 1, 2, 2, 2, 2, 3, 3]
    comparison = cm.compare(truth, {"a": one, "b": other}, "rand")
    table = comparison.by_cluster()
    assert table.clusters == ("x", "y", "z")
    assert table.sizes == (4, 3, 2)
    assert table.scores["a"].tolist() == [1.0, 2 / 3, 2 / 3]
    assert table.scores["b"].tolist() == [0.75, 0.75, 1.0]
    assert table.winners == ["a", "b", "b"]
    assert table.tally("a", "b") == (1, 2, 0)
    assert comparison.by_cluster("recall").tally("a", "b") == (1, 1, 1)
    assert "a wins 1, b wins 2, 0 tied" in repr(table)
    runs = cm.compare(truth, {"both": [one, other]}, "rand").by_cluster()
    assert runs.scores["both"].tolist() == pytest.approx([0.875, (2 / 3 + 0.75) / 2, 5 / 6])
    with pytest.raises(cm.InputError, match="there is no 'c'"):
        table.tally("a", "c")
    with pytest.raises(cm.InputError, match="measure='f' is unknown"):
        comparison.by_cluster("f")
