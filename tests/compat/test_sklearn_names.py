"""scikit-learn's names: same arguments, same values."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

import clustermark.sklearn as ours
from needs import need

sklearn = need("sklearn", "cluster", "datasets", "metrics", "model_selection")
theirs = sklearn.metrics.cluster
pytestmark = pytest.mark.peer

RNG = np.random.default_rng(8)
SCORES = [
    "adjusted_mutual_info_score",
    "adjusted_rand_score",
    "completeness_score",
    "fowlkes_mallows_score",
    "homogeneity_completeness_v_measure",
    "homogeneity_score",
    "mutual_info_score",
    "normalized_mutual_info_score",
    "rand_score",
    "v_measure_score",
]


@pytest.mark.parametrize("name", SCORES)
def test_same_values(name):
    for _ in range(60):
        n = int(RNG.integers(2, 80))
        true, pred = RNG.integers(0, RNG.integers(1, 9), n), RNG.integers(0, RNG.integers(1, 9), n)
        if name == "fowlkes_mallows_score" and len(set(true)) == len(set(pred)) == n:
            continue  # identical singletons are 0 there and 1 here
        assert getattr(ours, name)(true, pred) == pytest.approx(getattr(theirs, name)(true, pred), abs=1e-9)


@pytest.mark.parametrize("name", [name for name in ours.__all__ if name.islower() and name != "scorer"])
def test_same_arguments(name):
    mine = inspect.signature(getattr(ours, name)).parameters
    for parameter in inspect.signature(getattr(theirs, name)).parameters.values():
        assert mine[parameter.name].kind == parameter.kind
        if parameter.default is not parameter.empty and parameter.name != "sparse":
            assert mine[parameter.name].default == parameter.default


def test_every_supervised_function_is_covered():
    supervised = {name for name in theirs.__all__ if "_supervised" in getattr(theirs, name).__module__}
    assert supervised <= {*ours.__all__}


@pytest.mark.parametrize("method", ["arithmetic", "geometric", "min", "max"])
def test_averages(method):
    true, pred = RNG.integers(0, 5, 100), RNG.integers(0, 7, 100)
    for name in ("normalized_mutual_info_score", "adjusted_mutual_info_score"):
        mine, their = (getattr(module, name)(true, pred, average_method=method) for module in (ours, theirs))
        assert mine == pytest.approx(their, abs=1e-10)


def test_beta():
    true, pred = RNG.integers(0, 5, 100), RNG.integers(0, 7, 100)
    assert ours.v_measure_score(true, pred, beta=0.2) == pytest.approx(theirs.v_measure_score(true, pred, beta=0.2))
    assert ours.homogeneity_completeness_v_measure(true, pred, beta=3) == pytest.approx(
        theirs.homogeneity_completeness_v_measure(true, pred, beta=3)
    )


@pytest.mark.parametrize("name", [name for name in SCORES if name != "mutual_info_score"])
def test_no_points_score_as_there(name):
    assert getattr(ours, name)([], []) == getattr(theirs, name)([], [])


def test_no_points_elsewhere():
    assert ours.entropy([]) == 1.0
    with pytest.raises(ValueError, match="no points"):
        ours.mutual_info_score([], [])
    with pytest.raises(ValueError, match="y_true has 0 labels"):
        ours.rand_score([], [1])


def test_tables():
    true, pred = RNG.integers(-3, 3, 50), RNG.permutation(list("abcde") * 10)
    assert (ours.contingency_matrix(true, pred) == theirs.contingency_matrix(true, pred)).all()
    assert (ours.contingency_matrix(true, pred, eps=0.5) == theirs.contingency_matrix(true, pred, eps=0.5)).all()
    assert (
        ours.contingency_matrix(true, pred, sparse=True) != theirs.contingency_matrix(true, pred, sparse=True)
    ).nnz == 0
    with pytest.raises(ValueError, match="eps"):
        ours.contingency_matrix(true, pred, eps=0.5, sparse=True)
    assert (ours.pair_confusion_matrix(true, pred) == theirs.pair_confusion_matrix(true, pred)).all()
    matrix = ours.contingency_matrix(true, pred)
    assert ours.mutual_info_score(contingency=matrix) == pytest.approx(ours.mutual_info_score(true, pred), abs=1e-15)
    assert ours.expected_mutual_information(matrix, 50) == pytest.approx(
        theirs.expected_mutual_information(matrix, 50), rel=1e-10
    )
    with pytest.raises(ValueError, match="n_samples"):
        ours.expected_mutual_information(matrix, 51)
    assert ours.entropy([0, 0, 42]) == pytest.approx(0.6365141, abs=1e-7)


def test_documented_difference():
    assert ours.fowlkes_mallows_score([0, 1, 2], [0, 1, 2]) == 1.0


def test_usable_as_scorer():
    points, truth = sklearn.datasets.make_blobs(60, centers=3, random_state=0)
    scorer = sklearn.metrics.make_scorer(ours.adjusted_rand_score)
    assert sklearn.model_selection.cross_val_score(
        sklearn.cluster.KMeans(3, n_init=3, random_state=0), points, truth, scoring=scorer, cv=2
    ).shape == (2,)


def test_scikit_learn_answers_on_nothing():
    assert ours.contingency_matrix([], []).shape == (0, 0)
    assert ours.pair_confusion_matrix([], []).tolist() == [[0, 0], [0, 0]]
    assert ours.v_measure_score([0, 0, 1, 1], [0, 1, 1, 1], beta=0) == pytest.approx(0.3113, abs=1e-4)
    for wrong in ({"average_method": "joint"}, {"average_method": "foo"}):
        with pytest.raises(ValueError, match="average_method"):
            ours.normalized_mutual_info_score([], [], **wrong)
    with pytest.raises(ValueError, match="beta"):
        ours.v_measure_score([], [], beta=-1)
