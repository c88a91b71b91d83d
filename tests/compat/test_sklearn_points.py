"""scikit-learn's names for points in space."""

from __future__ import annotations

import inspect
import warnings

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
    with pytest.raises(ValueError, match="p=: is no option of the metric 'euclidean'; it takes none"):
        ours.silhouette_score(*data, metric="euclidean", p=3)


def test_every_metric_of_scikit_learn(theirs, data):
    """Of data for that metric: flags, places on a sphere, missing numbers."""
    valid = set(need("sklearn.metrics.pairwise")._VALID_METRICS) - {"wminkowski", "matching"}  # which SciPy has removed
    flags = (data[0] > 0.5).astype(float)
    flags[:, 0] = 1  # rows without a flag have no distance by some of the metrics
    kinds = {"haversine": data[0][:, :2] / 10, "nan_euclidean": data[0].copy()}
    kinds["nan_euclidean"][::3, 0] = kinds["nan_euclidean"][1::5, 2] = np.nan
    kinds |= dict.fromkeys(("dice", "jaccard", "rogerstanimoto", "russellrao", "sokalsneath", "yule"), flags)
    for metric in valid | {"precomputed"}:
        X = theirs.pairwise_distances(data[0]) if metric == "precomputed" else kinds.get(metric, data[0])
        expected = real_silhouettes(theirs, X, data[1], metric)
        assert ours.silhouette_samples(X, data[1], metric=metric) == pytest.approx(expected, rel=1e-9, abs=1e-12), (
            metric
        )


def real_silhouettes(theirs, X, labels, metric):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of data that becomes flags
        if metric == "nan_euclidean":  # which its silhouettes take, but not NaN
            X, metric = theirs.pairwise.nan_euclidean_distances(X), "precomputed"
        return theirs.silhouette_samples(X, labels, metric=metric)


def test_options_of_metrics(theirs, data):
    X, labels = data
    shape = np.linalg.inv(np.cov(X.T))
    cases = [("minkowski", {"p": 3}), ("seuclidean", {"V": np.ones(4)}), ("mahalanobis", {"VI": shape})]
    for metric, options in [*cases, ("canberra", {"w": np.arange(1.0, 5)})]:
        expected = theirs.silhouette_score(X, labels, metric=metric, **options)
        assert ours.silhouette_score(X, labels, metric=metric, **options) == pytest.approx(expected, rel=1e-9)
    drawn = {"metric": "chebyshev", "sample_size": 30, "random_state": 3}
    assert ours.silhouette_score(X, labels, **drawn) == pytest.approx(theirs.silhouette_score(X, labels, **drawn))


@pytest.mark.parametrize(
    ("metric", "options", "said"),
    [
        ("nonsense", {}, "metric='nonsense' is not known; choose 'braycurtis', 'canberra'"),
        ("minkowski", {"V": 1}, "V=: is no option of the metric 'minkowski'; it takes p and w"),
        ("haversine", {}, "metric='haversine' takes latitude and longitude, and X has 4 columns"),
    ],
)
def test_metrics_that_are_refused(data, metric, options, said):
    with pytest.raises(cm.InputError, match=said):
        ours.silhouette_score(*data, metric=metric, **options)


def test_metrics_have_limits(data, monkeypatch):
    lone = np.array([[1.0, np.nan], [np.nan, 1.0], [1.0, 1.0]])
    with pytest.raises(cm.InputError, match="the rows 0 and 1 have no feature that both know"):
        ours.silhouette_score(lone, [0, 0, 1], metric="nan_euclidean")
    with pytest.raises(cm.InputError, match="of at most 10,000 points are computed, and X has 10,001; draw some by"):
        ours.silhouette_score(np.zeros((10_001, 1)), np.arange(10_001) % 2, metric="chebyshev")


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
