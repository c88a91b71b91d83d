"""The silhouette of a sample: strata and control by the simplified silhouette."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import clustermark as cm
from clustermark.evaluation.silhouette_strata import draw_strata, simplified_by_cluster

VALUES = st.sampled_from([-1.0, 0.0, 0.5, 0.9])


def outliers(n: int = 3000) -> tuple[np.ndarray, np.ndarray]:
    """Return three narrow blobs, and one in a hundred points in the blob of another cluster."""
    rng = np.random.default_rng(3)
    labels = rng.integers(0, 3, n)
    X = rng.normal(size=(n, 2)) * 0.3 + 6 * labels[:, None]
    far = rng.random(n) < 0.01
    X[far] += 18 * np.where(labels[far] < 2, 1, -1)[:, None]
    return X, labels


def test_intervals_hold_beside_a_few_outliers():
    """Without strata and control, 57 % of such intervals held at 100 points."""
    X, labels = outliers()
    exact = cm.silhouette(X, labels)
    geometry = cm.Geometry(X, labels)
    found = [cm.evaluate_internal(X, labels, ["silhouette"], sample=100, seed=seed).sampled for seed in range(80)]
    rows = [one["silhouette"] for one in found]
    assert np.mean([row.low <= exact <= row.high for row in rows]) >= 0.88
    assert np.mean([row.score for row in rows]) == pytest.approx(exact, abs=0.001)
    assert np.mean([row.high - row.low for row in rows]) < 0.012
    controls = simplified_by_cluster(geometry)
    for one in draw_strata(geometry.sizes, controls, 100, 0):
        below = controls[one.cluster][one.places] < 0
        assert below.all() or not below.any()
        assert len(one.drawn) >= 2


def test_the_control_is_the_simplified_silhouette():
    X, labels = outliers(300)
    geometry = cm.Geometry(X, labels)
    controls = simplified_by_cluster(geometry)
    assert np.concatenate(controls).mean() == pytest.approx(cm.simplified_silhouette(X, labels), abs=1e-6)
    centers = np.array([X[labels == own].mean(axis=0) for own in range(3)])
    for control, own in zip(controls, geometry.names, strict=True):
        distances = np.linalg.norm(X[labels == own][:, None] - centers, axis=2)
        mine, other = distances[:, own], np.delete(distances, own, axis=1).min(axis=1)
        assert control == pytest.approx((other - mine) / np.maximum(mine, other), abs=1e-6)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.lists(st.sampled_from([-1.0, 0.0, 0.5, 0.9]), min_size=1, max_size=30), min_size=2, max_size=4),
    st.data(),
)
def test_strata_divide_the_points_and_enough_are_drawn(values: list[list[float]], data: st.DataObject):
    controls = [np.array(one) for one in values]
    sizes = np.array([len(one) for one in values])
    size = data.draw(st.integers(2, int(sizes.sum()) + 3))
    strata = draw_strata(sizes, controls, size, 0)
    for cluster, points in enumerate(sizes):
        mine = [one for one in strata if one.cluster == cluster]
        assert sorted(np.concatenate([one.places for one in mine]).tolist()) == list(range(points))
        drawn = np.concatenate([one.drawn for one in mine])
        wanted = min(max(round(min(size, sizes.sum()) * points / sizes.sum()), 2), points)
        assert len(drawn) == len(set(drawn.tolist())) == wanted
        for one in mine:
            assert set(one.drawn.tolist()) <= set(one.places.tolist())
            assert len(one.drawn) >= min(2, points)
        cuts = sorted((controls[cluster][one.places].min(), controls[cluster][one.places].max()) for one in mine)
        assert all(below[1] < above[0] for below, above in zip(cuts, cuts[1:], strict=False))


def test_distances_alone_have_no_control():
    rng = np.random.default_rng(0)
    labels = np.arange(120) % 3
    X = rng.normal(size=(120, 2)) + 4 * labels[:, None]
    distances = np.linalg.norm(X[:, None] - X, axis=2)
    geometry = cm.Geometry(distances, labels, metric="precomputed")
    assert simplified_by_cluster(geometry) is None
    exact, held = cm.silhouette(X, labels), 0
    for seed in range(20):
        found = cm.evaluate_internal(distances, labels, ["silhouette"], metric="precomputed", sample=60, seed=seed)
        row = found.sampled["silhouette"]
        held += row.low <= exact <= row.high
    assert held >= 17
