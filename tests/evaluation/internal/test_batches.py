"""Points that come in batches: the scores of all points at once, and what is refused."""

from __future__ import annotations

import pickle
from functools import reduce

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_matrix

import clustermark as cm
from clustermark.evaluation.internal_scoring import sample_silhouette
from clustermark.statistics import Centroids, NearestCenters, PointSums, Scatter
from clustermark.subjects.geometry import GeometryLimits
from needs import need

LINEAR = [index for index in cm.catalogue("points") if index.statistic.takes().needs == "features"]


def cut(X, labels, places, weights=None):
    ends = [*sorted(places), len(X)]
    columns = [X, labels] if weights is None else [X, labels, weights]
    return [tuple(one[a:b] for one in columns) for a, b in zip([0, *ends], ends, strict=False)]


def score(index, geometry):
    try:
        return index.strict.of(geometry)
    except cm.UndefinedIndexError:
        return None


def same(expected):
    return expected if expected is None else pytest.approx(expected, rel=1e-12, abs=1e-12)


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_batches_score_as_all_points_at_once(data):
    n, p = data.draw(st.integers(1, 12)), data.draw(st.integers(1, 3))
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    X = rng.integers(0, 4, (n, p)).astype(float) if data.draw(st.booleans()) else rng.normal(size=(n, p))
    X += data.draw(st.sampled_from([0.0, 1e9]))
    labels = rng.integers(-1, 3, n)
    weights = rng.integers(1, 4, n) / 2 if data.draw(st.booleans()) else None
    places = data.draw(st.lists(st.integers(0, n), max_size=4))
    options = {"noise": {-1: "drop"}} if (labels >= 0).any() and data.draw(st.booleans()) else {}
    whole = cm.Geometry(X, labels, weights=weights, **options)
    parts = cm.Geometry.from_batches(cut(X, labels, places, weights), **options)
    for index in LINEAR:
        assert score(index, parts) == same(score(index, whole)), index.name
    told = ("n", "k", "n_given", "n_noise", "n_features", "names")
    assert [getattr(parts, one) for one in told] == [getattr(whole, one) for one in told]
    assert parts.sizes.tolist() == whole.sizes.tolist()
    assert repr(parts) == repr(whole)


@pytest.mark.parametrize("metric", ["sqeuclidean", "cosine", "correlation"])
def test_silhouettes_of_batches(metric):
    rng = np.random.default_rng(1)
    X, labels = rng.normal(size=(200, 3)) + 5, rng.integers(0, 4, 200)
    noisy = np.where(labels == 3, -1, labels)
    for names, options in ((labels, {}), (noisy, {"noise": {-1: "drop"}})):
        whole = PointSums.of(cm.Geometry(X, names, metric=metric, **options))
        parts = cm.Geometry.from_batches(cut(X, names, [0, 7, 150]), metric=metric, **options)
        assert PointSums.of(parts).widths == pytest.approx(whole.widths, abs=1e-12)
        assert (PointSums.of(parts).neighbours == whole.neighbours).all()
        assert cm.silhouette.of(parts) == pytest.approx(float(whole.widths.mean()), abs=1e-12)


def test_parts_measured_elsewhere_are_merged():
    rng = np.random.default_rng(2)
    X, labels = rng.normal(size=(90, 2)) + 1e9, rng.choice(["a", "b", "c"], 90)
    geometries = [cm.Geometry(*batch) for batch in cut(X, labels, [10, 40])]
    scatter = pickle.loads(pickle.dumps(reduce(Scatter.merge, map(Scatter.of, geometries))))
    whole = cm.Geometry(X, labels)
    near = reduce(Centroids.merge, [Centroids.about(scatter, one) for one in geometries])
    at = [near.scatter.names.index(name) for name in whole.names]
    assert near.distances[at] == pytest.approx(Centroids.of(whole).distances, rel=1e-12)
    assert near.total_distance == pytest.approx(Centroids.of(whole).total_distance, rel=1e-12)
    nearest = reduce(NearestCenters.merge, [NearestCenters.about(scatter, one) for one in geometries])
    assert nearest.width / nearest.n == pytest.approx(cm.simplified_silhouette.of(whole), rel=1e-12)
    with pytest.raises(cm.InputError, match="merged Centroids have sums of distances and no points"):
        near.geometry  # noqa: B018
    copied = pickle.loads(pickle.dumps(scatter))
    assert near.merge(Centroids.about(copied, geometries[0])).total_distance > near.total_distance
    with pytest.raises(cm.InputError, match="distances to other centers"):
        near.merge(Centroids.of(geometries[0]))
    with pytest.raises(cm.InputError, match="no cluster 'd' among those of all points"):
        Centroids.about(scatter, cm.Geometry([[1.0, 2.0]], ["d"]))


def test_points_of_their_own_are_not_merged():
    one = Scatter.of(cm.Geometry([[0.0], [1.0], [5.0]], [0, 0, -1], noise={-1: "singletons"}))
    two = Scatter.of(cm.Geometry([[0.5], [9.0]], [0, -1], noise={-1: "singletons"}))
    merged = one.merge(two)
    assert (merged.k, merged.within) == (3, 0.5)


def test_a_function_begins_anew_and_empty_batches_count_nothing():
    X, labels = np.arange(12.0).reshape(6, 2), [0, 0, 1, 1, -1, -1]
    read = []

    def batches():
        read.append(1)
        yield [], []
        yield X[:4], labels[:4]
        yield X[4:], labels[4:]

    geometry = cm.Geometry.from_batches(batches, noise={-1: "drop"})
    assert cm.calinski_harabasz.of(geometry) == pytest.approx(cm.calinski_harabasz(X[:4], labels[:4]))
    assert (geometry.n, geometry.n_given, geometry.n_noise) == (4, 6, 2)
    assert len(read) == 2  # a look at the first batch, and one reading
    told = []
    geometry.progress = told.append
    assert cm.davies_bouldin.of(geometry) == pytest.approx(cm.davies_bouldin(X[:4], labels[:4]))
    assert len(read) == 3
    assert told == [4 / 6, 1.0]


X, LABELS = [[0.0], [1.0], [5.0]], [0, 0, 1]
REFUSED = [
    (lambda: iter([(X, LABELS)]), {}, "can be iterated over only once"),
    (lambda: 3, {}, "batches is a int; pass a list"),
    (lambda: [np.zeros((3, 1))], {}, "batch 0 must be a pair"),
    (list, {}, "batches: they hold no points"),
    (lambda: [(X, LABELS)], {"metric": "precomputed"}, "metric='precomputed' needs all points at once"),
    (lambda: [(X, LABELS)], {"metric": lambda x, y: 0.0}, "needs all points at once"),
    (lambda: [(X, LABELS)], {"noise": {0: "singletons"}}, 'a policy "singletons" would make a cluster'),
    (lambda: [(X, LABELS), ([[np.nan]], [0])], {}, r"batch 1: X\[0, 0\] is nan"),
    (lambda: [(X, LABELS), ([[1.0, 2.0]], [0])], {}, "batch 1 has 2 features, and the first one 1"),
    (lambda: [(X, LABELS), ([[1.0]], [0], [2.0])], {}, "batch 1 has weights and another has none"),
    (lambda: [(X, LABELS, [1, 0, 1])], {}, "batch 0: weights: one is 0; leave its point out"),
    (lambda: [(X, LABELS)], {"noise": {0: "drop", 1: "drop"}}, "nothing to score"),
    (lambda: lambda: 3, {}, "batches: the function returns a int; return or yield batches"),
    (lambda: broken, {}, r"batches: reading them divides by 0 \(mine\)"),
]


def broken():
    """Its errors must not pass for an index that is undefined."""
    yield X, LABELS
    raise ZeroDivisionError("mine")


def test_sparse_batches():
    rng = np.random.default_rng(0)
    points, labels = rng.integers(0, 3, (12, 4)).astype(float), rng.integers(0, 3, 12)
    parts = [(csr_matrix(one), own) for one, own in cut(points, labels, [0, 5])]
    for index in LINEAR:
        assert score(index, cm.Geometry.from_batches(parts)) == same(score(index, cm.Geometry(points, labels)))


@settings(max_examples=25, deadline=None)
@given(st.data())
def test_a_sample_of_batches_is_that_of_all_points_at_once(data):
    n, metric = data.draw(st.integers(4, 60)), data.draw(st.sampled_from(["euclidean", "manhattan"]))
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    points = (rng.normal(size=(n, 2)) + 1e6).astype(data.draw(st.sampled_from([np.float32, np.float64])))
    labels = np.append(rng.integers(-1, 3, n - 2), [0, 1])
    whole = cm.Geometry(points, labels, metric=metric, noise={-1: "drop"})
    parts = cut(points, labels, data.draw(st.lists(st.integers(0, n), max_size=4)))
    batches = cm.Geometry.from_batches(parts, metric=metric, noise={-1: "drop"})
    told = []
    batches.progress = told.append
    for average in ("points", "clusters"):
        expected = sample_silhouette(whole, 7, 3, average)
        assert sample_silhouette(batches, 7, 3, average) == pytest.approx(expected, rel=1e-9, abs=1e-12)
    assert told[-1] == 1.0
    assert told[: len(told) // 2] == sorted(told[: len(told) // 2])


def test_a_sample_of_too_many_clusters(monkeypatch):
    monkeypatch.setattr(cm.Geometry, "limits", GeometryLimits(sums=5))
    with pytest.raises(
        cm.InputError, match="sample=: 3 points, two or more from each of 2 clusters, would need 6 sums"
    ):
        sample_silhouette(cm.Geometry.from_batches([(X, LABELS)]), 2, 0)


@pytest.mark.parametrize(("make", "options", "said"), REFUSED, ids=[row[2] for row in REFUSED])
def test_what_is_refused(make, options, said):
    with pytest.raises(cm.InputError, match=said):
        cm.r_squared.of(cm.Geometry.from_batches(make(), **options))


def test_what_measures_every_two_points_is_refused():
    geometry = cm.Geometry.from_batches([(X, [0, 0, -1])])
    for index in set(cm.catalogue("points")) - {*LINEAR, cm.generalized_dunn}:
        with pytest.raises(cm.InputError, match="this measures every two points, and the points are in batches"):
            index.of(geometry)
    for index, options in ((cm.xie_beni, {"separation": "points"}), (cm.generalized_dunn, {"between": 1})):
        with pytest.raises(cm.InputError, match="this measures every two points"):
            index.of(geometry, **options)
    assert cm.generalized_dunn.of(geometry) == cm.generalized_dunn(X, [0, 0, -1])


def test_points_that_change_between_readings():
    def growing():
        for start in range(0, len(held), 2):
            yield [[float(i)] for i in range(start, start + 2)], held[start : start + 2]

    for more, said in (([1, 1], "gave other points"), ([2, 2], "gave other points")):
        held = [0, 0, 1, 1]
        geometry = cm.Geometry.from_batches(growing)
        cm.r_squared.of(geometry)
        held += more
        with pytest.raises(cm.InputError, match=said):
            cm.davies_bouldin.of(geometry)


def test_too_many_products_of_batches():
    rng = np.random.default_rng(0)
    X, labels = rng.normal(size=(60, 3)), rng.integers(0, 4, 60)
    geometry = cm.Geometry.from_batches(cut(X, labels, [20]))
    geometry.limits = GeometryLimits(products=35)
    with pytest.raises(cm.InputError, match="4 clusters are 36 numbers, and the limit is 35"):
        cm.scott_symons.of(geometry)
    assert cm.det_ratio.of(geometry) == pytest.approx(cm.det_ratio(X, labels), rel=1e-12)


def test_sparse_points_too_large_to_be_made_dense(monkeypatch):
    sparse = need("scipy.sparse")
    rng = np.random.default_rng(4)
    X = rng.normal(size=(60, 5)) * (rng.random((60, 5)) < 0.6) + 0.1 * np.eye(60, 5)
    X[:, 0] += 1  # no row is zero
    labels, weights = rng.choice(["a", "b", "c"], 60), rng.integers(1, 3, 60)
    expected = cm.evaluate_internal(X, labels, "all")
    monkeypatch.setattr(cm.Geometry, "limits", GeometryLimits(dense=299, batch=37))
    for form in (sparse.csr_array(X), sparse.coo_matrix(X)):
        found = cm.evaluate_internal(form, labels, "all")
        assert [part.n for part in found.subject.parts()] == [7] * 8 + [4]
        assert len(found) >= 21
        for name, score in found.items():
            assert score == pytest.approx(expected[name], rel=1e-12, abs=1e-12), name
        assert "large sparse matrix" in found.refused["dunn"]
        numbers = np.unique(labels, return_inverse=True)[1]
        assert cm.r_squared(form, numbers, weights=weights) == pytest.approx(cm.r_squared(X, labels, weights=weights))
        assert cm.silhouette(form, labels, metric="cosine") == pytest.approx(cm.silhouette(X, labels, metric="cosine"))
    with pytest.raises(cm.InputError, match="X has 60 points and labels has 59"):
        cm.r_squared(sparse.csr_array(X), labels[:59])
