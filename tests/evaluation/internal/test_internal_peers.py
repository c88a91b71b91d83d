"""Other tools, where they are right."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import clustermark as cm


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(11)
    labels = rng.integers(0, 4, 300)
    return rng.normal(size=(300, 3)) + 2 * rng.normal(size=(4, 3))[labels], labels


def test_scikit_learn(peer, data):
    metrics = peer("sklearn.metrics")
    assert cm.silhouette(*data) == pytest.approx(metrics.silhouette_score(*data), rel=1e-12)
    assert cm.calinski_harabasz(*data) == pytest.approx(metrics.calinski_harabasz_score(*data), rel=1e-12)
    assert cm.davies_bouldin(*data) == pytest.approx(metrics.davies_bouldin_score(*data), rel=1e-12)
    for metric in ("sqeuclidean", "manhattan", "cosine", "correlation"):
        theirs = metrics.silhouette_score(*data, metric=metric)
        assert cm.silhouette(*data, metric=metric) == pytest.approx(theirs, rel=1e-9), metric


def test_permetrics(peer, data):
    theirs = peer("permetrics").ClusteringMetric(X=data[0], y_pred=data[1])
    for index in cm.catalogue("points"):
        name = index.peers.get("permetrics", ("",))[0].partition("(")[0]
        if not name or name in ("XBI", "DBCVI"):  # wrong there
            continue
        options = {"KDI": {"use_normalized": False}, "DI": {"use_modified": False}}.get(name, {})
        ours = index(*data, **({"average": "total"} if name == "BHI" else {}))
        assert ours == pytest.approx(getattr(theirs, name)(**options), rel=1e-9), name


def test_genieclust(peer, data):
    validity = peer("genieclust").cluster_validity
    assert cm.silhouette(*data) == pytest.approx(validity.silhouette_index(*data))
    assert cm.silhouette(*data, average="clusters") == pytest.approx(validity.silhouette_w_index(*data))
    assert cm.calinski_harabasz(*data) == pytest.approx(validity.calinski_harabasz_index(*data))
    assert -cm.davies_bouldin(*data) == pytest.approx(validity.negated_davies_bouldin_index(*data))
    assert -cm.ball_hall(*data, average="sum") == pytest.approx(validity.negated_ball_hall_index(*data))
    for between in (1, 2, 3, 4, 5, 6):
        theirs = validity.generalised_dunn_index(*data, between, 1)
        assert cm.generalized_dunn(*data, between=between, within=1) == pytest.approx(theirs), between


def test_hdbscan(peer, data):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        validity_index = peer("hdbscan").validity.validity_index
        for order in (np.arange(300), np.arange(300)[::-1], np.random.default_rng(0).permutation(300)):
            X, labels = data[0][order], data[1][order]
            noisy = np.where(np.arange(300) % 7 == 0, -1, labels)
            assert cm.dbcv(X, labels, variant="hdbscan") == pytest.approx(validity_index(X, labels), abs=1e-9)
            assert cm.dbcv(X, noisy, variant="hdbscan") == pytest.approx(validity_index(X, noisy), abs=1e-9)
        for seed in range(100):  # duplicates, ties, pairs
            rng = np.random.default_rng(seed)
            labels = rng.permutation(np.repeat([0, 1, 2, -1], [2, 6, 12, 3]))
            X = rng.integers(0, 5, (23, 2)).astype(float)
            theirs = validity_index(X, labels)
            if not np.isnan(theirs):  # 0/0
                assert cm.dbcv(X, labels, variant="hdbscan") == pytest.approx(theirs, abs=1e-9), seed


def test_relative_validity_of_hdbscan(peer, data):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for min_samples in (3, 8):
            fitted = (
                peer("hdbscan")
                .HDBSCAN(
                    min_cluster_size=8, min_samples=min_samples, gen_min_span_tree=True, approx_min_span_tree=False
                )
                .fit(data[0])
            )
            ours = cm.relative_validity(data[0], fitted.labels_, min_samples=min_samples)
            assert len(set(fitted.labels_)) > 1
            assert ours == pytest.approx(fitted.relative_validity_, abs=1e-12)
