"""Points and labels that are read, and those that are refused; noise and missing labels."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import coo_array

import clustermark as cm
from needs import need

X = [[0.0, 0.0], [1.0, 0.0], [0.0, 2.0], [7.0, 7.0], [8.0, 9.0], [20.0, 1.0]]
LABELS = [0, 0, 0, 1, 1, 2]


def test_what_it_says():
    geometry = cm.Geometry(X, ["a", "a", "a", "b", "b", "c"])
    assert repr(geometry) == "<Geometry of 6 points, 2 features, 3 clusters>"
    assert (geometry.n, geometry.k, geometry.n_features, geometry.names) == (6, 3, 2, ["a", "b", "c"])
    assert geometry.sizes.tolist() == [3, 2, 1]
    array = np.array(X)
    assert cm.Geometry(array, LABELS).X is array


REFUSED = [
    ([1.0, 2.0], [0, 1], r"X has 1 dimension\(s\); pass two.*reshape"),
    ([[1.0], [2.0, 3.0]], [0, 1], "rows of different lengths"),
    (np.empty((0, 2)), [], "X has no rows"),
    (np.empty((2, 0)), [0, 1], "X has no columns"),
    ([["a"], ["b"]], [0, 1], "X has dtype <U1"),
    ([[1.0], [None]], [0, 1], r"X\[1, 0\] is nan, which is missing|no number"),
    ([[1.0, 2.0], [1.0, np.nan]], [0, 1], r"X\[1, 1\] is nan, which is missing \(1 such"),
    ([[1.0, np.inf], [1.0, 2.0]], [0, 1], r"X\[0, 1\] is inf, which is beyond"),
    ([[1e200], [1.0]], [0, 1], "beyond ±1e[+]150"),
    ([[2**60 + 1], [1]], [0, 1], "which float64 cannot hold exactly"),
    ([[1.0], [2.0]], [0, 1, 1], "X has 2 points and labels has 3"),
    ([[1.0], [2.0]], [0, None], "labels has 1 missing label"),
    ([[1.0], [2.0]], "ab", "labels is a single str"),
    ([[1j], [2.0]], [0, 1], "X has dtype complex128"),
    ([[2**60 + 1, 0.5], [1, 0.5]], [0, 1], r"X\[0, 0\] is 1152921504606846977, which float64 cannot hold"),
    ([[2**70 + 1], [1]], [0, 1], "is 1180591620717411303425, which float64 cannot hold exactly"),
    (np.array([[1.5], ["2"]], object), [0, 1], r"X\[1, 0\] is '2', a text; pass numbers"),
    (np.ma.array([[1.0], [2.0]], mask=[[0], [1]]), [0, 1], r"X\[1, 0\] is masked, so that it is missing"),
    (np.array([[np.nan], [1.0]], np.float32), [0, 1], r"X\[0, 0\] is nan, which is missing"),
    ([[1e-170], [3e-170]], [0, 1], "all numbers are smaller than 1e-140, too small to be squared"),
    ("points.csv", [0, 1], "X is a str; .* evaluate_internal reads columns if labels= names one"),
    (Path("points.csv"), [0, 1], r"X is a \w+Path; pass a row of numbers"),
    (coo_array(np.ones(2)), [0, 1], r"X has 1 dimension\(s\)"),
]


def test_large_numbers_of_frames():
    """A frame with other columns of floats would be rounded as a whole."""
    for make in (need("pandas").DataFrame, need("polars").DataFrame, need("pyarrow").table):
        with pytest.raises(cm.InputError, match=r"column 'time'\[0\] is 17\d+1, which float64 cannot hold exactly"):
            cm.Geometry(make({"time": [1_700_000_000_000_000_001, 2], "x": [0.5, 0.25]}), [0, 1])
        assert cm.Geometry(make({"time": [1e20, 2.0], "x": [0.5, 0.25]}), [0, 1]).n == 2
    assert cm.Geometry([[1e20], [Fraction(1, 2)]], [0, 1]).X.tolist() == [[1e20], [0.5]]


def test_rows_and_labels_of_pandas_have_one_index():
    """By position and by id are two different answers."""
    pandas = need("pandas")
    frame = pandas.DataFrame(X)
    labels = pandas.Series(LABELS)
    assert cm.silhouette(frame, labels) == cm.silhouette(X, LABELS)
    for options in ({"labels": labels[::-1]}, {"labels": labels, "weights": labels[::-1] + 1}):
        with pytest.raises(cm.InputError, match=r"X and (labels|weights) are pandas data with different indexes"):
            cm.Geometry(frame, **options)


def test_threads():
    for threads in (0, -1, "2", 2.5, float("nan")):
        for make in (cm.Geometry, lambda X, labels, **options: cm.Geometry.from_batches([(X, labels)], **options)):
            with pytest.raises(cm.InputError, match=r"threads=.* must be a positive integer, or None"):
                make(X, LABELS, threads=threads)
    assert cm.silhouette(X, LABELS, threads=10**12) == cm.silhouette(X, LABELS)


def test_the_environment_says_how_many_threads(monkeypatch):
    points = np.zeros((46, 1))  # 46 × 45 pairs are the first that are worth a look
    monkeypatch.setenv("CLUSTERMARK_THREADS", "3")
    assert cm.Geometry(points, np.zeros(46)).threads == 3
    assert cm.Geometry.from_batches([(points, np.zeros(46))]).threads == 3
    assert cm.Geometry(X, LABELS).threads == 0


def test_a_function_that_gives_no_distance():
    """A division by 0 must not pass for an index that is undefined."""
    for metric, said in (
        (lambda x, y: 1 / 0, "metric: the function divides by 0 for the points 1 and 0"),
        (lambda x, y: None, "metric: the function returns None for the points 1 and 0, which is no number"),
        (lambda x, y: "far", "metric: the function returns 'far'"),
        (lambda x, y: x - y, "metric: the function returns array"),
        (lambda x, y: float("nan"), r"metric\[0, 1\] is nan"),
        (lambda x, y: 10**400, r"metric\[0, 1\] is inf"),
    ):
        with pytest.raises(cm.InputError, match=said):
            cm.silhouette(X, LABELS, metric=metric)


def test_distances_of_minus_zero_are_zero():
    """Distances are sorted by their bits, and those of -0 are the largest."""
    D = abs(np.array([0.0, 0, 1, 3, 3, 4])[:, None] - [0.0, 0, 1, 3, 3, 4])
    for index in (cm.c_index, cm.baker_hubert_gamma, cm.g_plus, cm.distance_tau, cm.dunn, cm.silhouette):
        expected = index(D, LABELS, metric="precomputed")
        found = index(np.where(D == 0, -0.0, D), LABELS, metric="precomputed")
        assert (found, str(found)) == (expected, str(expected)), index.name


@pytest.mark.parametrize(("points", "labels", "said"), REFUSED, ids=[row[2] for row in REFUSED])
def test_what_is_refused(points, labels, said):
    with pytest.raises(cm.InputError, match=said):
        cm.Geometry(points, labels)


DISTANCES = [
    ([[0, 1], [2, 0]], r"D?X?\[0, 1\] is 1.0 and X\[1, 0\] is 2.0; distances must be the same"),
    ([[0, -1], [-1, 0]], "a distance is not negative"),
    ([[1, 1], [1, 0]], r"X\[0, 0\] is 1.0; the distance of a point to itself must be 0"),
    ([[0, 1, 1], [1, 0, 1]], "2 rows and 3 columns"),
]


@pytest.mark.parametrize(("distances", "said"), DISTANCES, ids=[row[1] for row in DISTANCES])
def test_distances_that_are_refused(distances, said):
    with pytest.raises(cm.InputError, match=said):
        cm.Geometry.from_distances(distances, [0] * len(distances))


def test_directions_that_do_not_exist():
    with pytest.raises(cm.InputError, match=r"X\[1\] is zero, so that it has no cosine distance"):
        cm.silhouette([[1, 0], [0, 0]], [0, 1], metric="cosine")
    with pytest.raises(cm.InputError, match=r"X\[0\] is constant, so that it has no correlation distance"):
        cm.silhouette([[1, 1], [0, 1]], [0, 1], metric="correlation")
    with pytest.raises(cm.InputError, match="the points of cluster 1 have no weight"):
        cm.Geometry([[1.0], [2.0]], [0, 1], weights=[1, 0])


def test_noise_and_missing_labels():
    noisy = [0, 0, -1, 1, 1, -1]
    kept = [0, 1, 3, 4]
    expected = cm.silhouette([X[i] for i in kept], [0, 0, 1, 1])
    assert cm.silhouette(X, noisy, noise={-1: "drop"}) == expected
    assert cm.silhouette(X, noisy) == cm.silhouette(X, noisy, noise={-1: "cluster"}) != expected
    assert cm.silhouette(X, noisy, noise={-1: "singletons"}) == cm.silhouette(X, [0, 0, 5, 1, 1, 6])
    assert cm.silhouette(X, [0, 0, None, 1, 1, None], missing="drop") == expected
    assert cm.silhouette(X, [0, 0, None, 1, 1, None], missing="cluster") == cm.silhouette(X, noisy)
    geometry = cm.Geometry(X, noisy, noise={-1: "drop"})
    assert (geometry.n_given, geometry.n, geometry.n_noise) == (6, 4, 2)
    D = np.sqrt(((np.array(X)[:, None] - X) ** 2).sum(axis=2))
    assert cm.silhouette(D, noisy, metric="precomputed", noise={-1: "drop"}) == pytest.approx(expected)
    with pytest.raises(cm.InputError, match="nothing to score"):
        cm.Geometry(X, [-1] * 6, noise={-1: "drop"})
    with pytest.raises(cm.InputError, match="does not say what to do"):
        cm.Geometry(X, noisy, noise=-1)


def test_an_index_of_partitions_does_not_take_points():
    with pytest.raises(cm.InputError, match="jaccard"):
        cm.jaccard.of(cm.Geometry(X, LABELS))
    with pytest.raises(cm.InputError, match=r"silhouette.of takes a Geometry\(X, labels\)"):
        cm.silhouette.of(cm.crosstab([0], [0]))
    with pytest.raises(cm.InputError, match=r"silhouette takes \(X, labels\); got"):
        cm.silhouette(X)
