"""Labels that look like noise, labels named as noise that nobody has, and what becomes of noise."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import clustermark as cm
from clustermark.errors import InputError
from clustermark.labels import read_labels
from clustermark.labels.labeling import Names
from clustermark.tables.policies import LikeNoise, UnmetNoise, look_for_noise

LABELS = st.lists(st.sampled_from([-1, 0, 1, 5, 2**40]), min_size=1, max_size=30)
OTHER_LABELS = st.lists(st.sampled_from([-1, 0, "-1", "noise", "", "a", (1,), True, 2**70]), min_size=1, max_size=30)
WANTED = st.lists(
    st.sampled_from([-1, -1.0, 0, 0.5, 1e300, 2**70, -(2**70), "-1", "noise", "", "a", (1,), float("nan")])
)


def names_of(labels):
    labeling = read_labels(labels, "y_true")
    codes = np.unique(labeling.codes)
    return Names(labeling.values, codes)


@settings(max_examples=200, deadline=None)
@given(
    st.one_of(
        LABELS,
        LABELS.map(lambda labels: np.array(labels, np.int64)),
        LABELS.map(lambda labels: np.array(labels).astype(np.uint16)),
        LABELS.map(lambda labels: np.array(labels, np.float64)),
        OTHER_LABELS,
        OTHER_LABELS.map(lambda labels: np.array([str(label) for label in labels])),
    ),
    WANTED,
)
@pytest.mark.parametrize("few", [0, 100])
def test_names_are_found_as_one_by_one(few, labels, wanted):
    names = names_of(labels)
    expected = [(place, label) for place, label in enumerate(names.to_list()) if label in wanted]
    assert names.find(wanted, few) == expected
    assert names.among(wanted).tolist() == [label in wanted for label in names.to_list()]


@settings(deadline=None)
@given(st.lists(st.tuples(*[st.sampled_from([-1, 0, 1, 2, None])] * 2, st.integers(1, 3)), min_size=1, max_size=20))
def test_labels_are_counted_on_both_sides(rows):
    true, pred, counts = (list(column) for column in zip(*rows, strict=True))
    table = cm.crosstab(true, pred, counts=counts, missing="cluster")
    for side, labels in (("true", true), ("pred", pred)):
        expected = Counter()
        for label, n in zip(labels, counts, strict=True):
            expected[label] += n if label in (-1, 1) else 0
        assert table.count_labels(side, [-1, 1, "x"]) == dict(+expected)


NOISE = st.dictionaries(st.integers(-1, 1), st.sampled_from(["cluster", "singletons", "drop"]), max_size=2)
POINTS = st.lists(st.tuples(*[st.none() | st.integers(-1, 3)] * 2), min_size=1, max_size=20)


@settings(max_examples=200, deadline=None)
@given(POINTS, NOISE, NOISE, st.sampled_from(["cluster", "singletons", "drop"]))
def test_what_became_of_noise_point_by_point(points, noise_true, noise_pred, missing):
    """The account of a table against a walk over its points."""

    def policy(label, noise):
        return missing if label is None else noise.get(label, "cluster")

    true, pred = zip(*points, strict=True)
    try:
        table = cm.crosstab(true, pred, noise_true=noise_true, noise_pred=noise_pred, missing=missing)
    except InputError:
        return
    kept = [p for p in points if "drop" not in (policy(p[0], noise_true), policy(p[1], noise_pred))]
    account = table.account
    for side, noise, found, without in (
        (0, noise_true, account.noise_true, account.n_without_true),
        (1, noise_pred, account.noise_pred, account.n_without_pred),
    ):
        assert found.points == {label: sum(p[side] == label for p in points) for label in noise}
        assert found.alone == sum(noise.get(p[side]) == "singletons" for p in kept)
        assert without == sum(p[side] is None for p in points) * (missing == "drop")
    swapped = table.T.account
    assert (swapped.noise_true, swapped.noise_pred) == (account.noise_pred, account.noise_true)
    assert (swapped.n_without_true, swapped.n_without_pred) == (account.n_without_pred, account.n_without_true)
    twice = (table + table).account
    assert twice.noise_pred.points == {label: 2 * n for label, n in account.noise_pred.points.items()}
    assert (twice.noise_true.alone, twice.n_without_true) == (2 * account.noise_true.alone, 2 * account.n_without_true)


@pytest.mark.parametrize(
    ("labels", "label"),
    [
        ([-1, 0, 0, 1], -1),
        (np.array([-1, 0, 0, 1], np.int8), -1),
        (np.array([-1.0, 0, 0, 1]), -1),
        ([-1, -1, -1, -1], -1),
        (["-1", "0", "0", "1"], "-1"),
        (["-1.0", "0.0", "0.0", "1.0"], "-1.0"),
        (["noise", "a", "a", "b"], "noise"),
        (["a", "a", "Outlier", "b"], "Outlier"),
        (["NOISE", "1", "1", "1"], "NOISE"),
        (["", "a", "a", "b"], ""),
        ([-1, 1, 2, 2], -1),
    ],
)
def test_what_looks_like_noise(labels, label):
    n = sum(one == label for one in labels)
    table = cm.crosstab([3, 3, 4, 4], labels)
    assert look_for_noise(table).like == (LikeNoise("pred", label, n),)
    assert look_for_noise(table.T).like == (LikeNoise("true", label, n),)
    assert look_for_noise(cm.crosstab([3, 3, 4, 4], labels, noise_pred={label: "cluster"})) == ((), ())
    named_elsewhere = cm.crosstab([3, 3, 4, 4], labels, noise_true={4: "cluster"})
    assert look_for_noise(named_elsewhere).like == (LikeNoise("pred", label, n),)


@pytest.mark.parametrize(
    "labels",
    [
        [-1, 1, 1, -1],  # two classes, as support vector machines call them
        ["-1", "1", "1", "1"],
        [0, 1, 2, -2],
        ["noisy", "-1 ", "no ise", "- 1"],
        [False, True, True, False],
        [(-1,), (0,), (0,), (1,)],
        np.array([0, 255, 255, 1], np.uint8),
    ],
)
def test_what_does_not(labels):
    assert look_for_noise(cm.crosstab([3, 3, 4, 4], labels)) == ((), ())


@pytest.mark.filterwarnings("ignore::clustermark.NoiseWarning")
@pytest.mark.parametrize(
    ("pred", "noise", "expected"),
    [
        ([-1, 0, 0], {"-1": "drop"}, [UnmetNoise(("pred",), "-1", -1, 1)]),
        (["-1", "0", "0"], {-1: "drop"}, [UnmetNoise(("pred",), -1, "-1", 1)]),
        (["-1", "0", "0"], {-1: "drop", "-1": "singletons"}, [UnmetNoise(("pred",), -1)]),
        ([5, 0, 0], {-1: "drop"}, [UnmetNoise(("pred",), -1)]),
        ([5, 0, 0], {"x": "drop", 0: "drop"}, [UnmetNoise(("pred",), "x")]),
        ([5, 0, 0], {5: "drop"}, []),
        ([5, 0, 0], {5.0: "cluster"}, []),
        ([5, 0, 0], {"5_0": "drop", "٥": "drop"}, [UnmetNoise(("pred",), "5_0"), UnmetNoise(("pred",), "٥")]),
    ],
)
def test_labels_named_as_noise_that_no_point_has(pred, noise, expected):
    assert look_for_noise(cm.crosstab([1, 2, 3], pred, noise_pred=noise)) == ((), tuple(expected))


def test_a_label_named_for_both_sides_need_occur_on_one_only():
    both = {"noise_true": {-1: "singletons"}, "noise_pred": {-1: "singletons"}}
    assert look_for_noise(cm.crosstab([1, 2, 3], [-1, 0, 0], **both)).unmet == ()
    assert look_for_noise(cm.crosstab([1, 2, 3], [5, 0, 0], **both)).unmet == (UnmetNoise(("true", "pred"), -1),)
