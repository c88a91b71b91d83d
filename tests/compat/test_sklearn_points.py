"""scikit-learn's names for points in space."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

import clustermark as cm
import clustermark.sklearn as ours
from needs import need

NAMES = ("silhouette_score", "silhouette_samples", "calinski_harabasz_score", "davies_bouldin_score")


@pytest.fixture(scope="module")
def theirs():
    return need("sklearn.metrics")


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(4)
    labels = rng.integers(0, 3, 70)
    return rng.normal(size=(70, 4)) + labels[:, None], labels


@pytest.mark.parametrize("name", NAMES)
def test_same_values_and_arguments(theirs, data, name):
    mine, real = getattr(ours, name), getattr(theirs, name)
    assert mine(*data) == pytest.approx(real(*data), rel=1e-9)
    assert list(inspect.signature(mine).parameters) == list(inspect.signature(real).parameters)
    for labels in (np.zeros(70, int), np.arange(70)):
        with pytest.raises(ValueError, match="Number of labels is"):
            real(data[0], labels)
        with pytest.raises(ValueError, match="Number of labels is"):
            mine(data[0], labels)


def test_metrics_and_samples(theirs, data):
    for metric in ("manhattan", "cosine", "precomputed"):
        X = theirs.pairwise_distances(data[0]) if metric == "precomputed" else data[0]
        for name in NAMES[:2]:
            mine, real = getattr(ours, name), getattr(theirs, name)
            assert mine(X, data[1], metric=metric) == pytest.approx(real(X, data[1], metric=metric), rel=1e-9)
        options = {"metric": metric, "sample_size": 30, "random_state": 3}
        expected = theirs.silhouette_score(X, data[1], **options)
        assert ours.silhouette_score(X, data[1], **options) == pytest.approx(expected, rel=1e-9)

    def power(x, y, p):
        return float((abs(x - y) ** p).sum() ** (1 / p))

    assert ours.silhouette_score(*data, metric=power, p=1) == pytest.approx(cm.silhouette(*data, metric="manhattan"))
    with pytest.raises(ValueError, match="p=: options of a metric are passed to functions only"):
        ours.silhouette_score(*data, metric="euclidean", p=3)


def test_samples_keep_labels_apart(data):
    """The number 1 and the text "1" would be one label in an array of NumPy."""
    labels = [1 if own else "1" for own in data[1] > 0]
    assert ours.silhouette_score(data[0], labels, sample_size=70) == pytest.approx(cm.silhouette(data[0], labels))
    for options, said in (
        ({"sample_size": 0}, "sample_size=0 must be a whole number, 1 or more"),
        ({"sample_size": 2.5}, "sample_size=2.5 must be a whole number"),
        ({"sample_size": 9, "random_state": "a"}, "random_state='a' is no seed"),
    ):
        with pytest.raises(cm.InputError, match=said):
            ours.silhouette_score(*data, **options)
    with pytest.raises(cm.InputError, match="X has 70 points and labels has 69"):
        ours.silhouette_score(data[0], labels[:-1], sample_size=9)
