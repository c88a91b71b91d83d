"""Published and worked values of internal indices, and the mistakes of other tools that we do not make."""

from __future__ import annotations

import math

import numpy as np
import pytest

import clustermark as cm
from needs import need

S1 = ([(0, 0), (0, 1), (1, 0), (5, 5), (5, 6), (6, 5), (10, 0), (10, 1)], [0, 0, 0, 1, 1, 1, 2, 2])
S3 = ([(0,), (1,), (3,), (4,), (10,), (12,)], [0, 0, 0, 1, 1, 1])
S7 = ([(0, 0), (1, 0), (0, 2), (7, 7), (8, 9), (20, 1)], [0, 0, 0, 1, 1, 2])
INF = math.inf
GOLDEN = """
within_sum_of_squares        3.16666666667   39.3333333333  5.83333333333    89.2974
ball_hall                    0.37962962963   6.55555555556  0.787037037037   0.595316
calinski_harabasz            126.480263158   8.20338983051  94.3714285714    487.330876375
log_ss_ratio                 3.92379554165   0.718253101691 4.14177325579    1.89165790377
banfield_raftery             -7.63817001954  8.66699722225  -inf             -91.150815562
det_ratio                    2683            3.05084745763  4044.625         42.6646084788
ksq_detw                     18              157.333333333  48               198871.895339
trace_wib                    143.71875       2.05084745763  271.744791667    32.4773202409
ratkowsky_lance              0.57007263521   0.579750904364 0.56770359188    0.490725927154
davies_bouldin               0.180583105741  0.575757575758 0.165076607204   0.751370709476
xie_beni                     0.00876923076923 0.121900826446 0.00924702774108 0.22670206673
xie_beni(separation='points') 0.0123697916667 6.55555555556 0.0131381381381  11.90632
pbm                          529.638868171   48.2659279778  2845.63992133    21.1906132618
wemmert_gancarski            0.909342726076  0.548701964063 0.912858054617   0.607207797439
silhouette                   0.838108720202  0.430511007357 0.674537404856   0.503477440693
dunn                         4               0.125          3.84707681233    0.0584805321472
generalized_dunn(between=1,within=1) 4       0.125          3.84707681233    0.0584805321472
generalized_dunn(between=3,within=2) 5.91871118863 1.375    4.60591686875    1.56563769962
generalized_dunn             5.13619968826   1.17857142857  4.5856054974     0.988899594015
generalized_dunn(between=5)  0.452896119631  0.339285714286 0.333333333333   0.362662722372
c_index                      0               0.212765957447 0                0.0467615102095
mcclain_rao                  0.144406811857  0.5            0.137345202028   0.288023912951
pearson_gamma                0.92524890747   0.487406857796 0.825908763946   0.680049595853
sd_scatter                   0.0187073256833 0.327777777778 0.0126737639754  0.109000886225
sd_distance                  0.278138527543  0.272727272727 0.198574498397   1.43630554196
"""
ROWS = [line.split() for line in GOLDEN.strip().splitlines()]


def parse(text):
    from clustermark.registry import parse as read

    return read(text)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_worked_values(row):
    index = parse(row[0])
    for (X, labels), value in zip((S1, S3, S7), row[1:], strict=False):
        assert index(X, labels) == pytest.approx(float(value), rel=1e-10, abs=1e-12)


def test_iris():
    iris = need("sklearn.datasets").load_iris()
    geometry = cm.Geometry(iris.data, iris.target)
    for row in ROWS:
        assert parse(row[0]).of(geometry) == pytest.approx(float(row[4]), rel=1e-9), row[0]
    assert cm.dbcv.of(geometry, variant="hdbscan") == pytest.approx(-0.00936282461, abs=1e-10)
    assert cm.baker_hubert_gamma.of(geometry) == pytest.approx(0.8795, abs=1e-3)
    tenths = np.round(10 * iris.data)
    assert cm.baker_hubert_gamma(tenths, iris.target) == pytest.approx(0.879988114580, abs=1e-12)


def test_density_with_noise():
    X = [(0, 0), (0, 1), (1, 0), (1, 1), (0.5, 0.4), (8, 8), (8, 9), (9, 8), (9, 9.2), (8.4, 8.5), (4, 20)]
    labels = [0] * 5 + [1] * 5 + [-1]
    assert cm.dbcv(X, labels, variant="hdbscan") == pytest.approx(0.828578535503, abs=1e-12)
    for index in (cm.dbcv, cm.relative_validity):  # points that are dropped leave before anything is computed
        assert index(X, labels, noise={-1: "drop"}) == index(X[:10], labels[:10]) != index(X, labels)
    texts = [*map(str, labels)]  # as a text file has them
    assert cm.dbcv(X, texts) == cm.dbcv(X, labels) != cm.dbcv(X, texts, noise={"-1": "cluster"})
    assert cm.relative_validity(X, texts) == cm.relative_validity(X, labels)
    assert cm.dbcv([*X, (5, 19)], [*labels, "-1"]) == cm.dbcv([*X, (5, 19)], [*labels, -1])
    assert cm.relative_validity([*X, (5, 19)], [*labels, "-1"]) == cm.relative_validity([*X, (5, 19)], [*labels, -1])
    assert cm.dbcv(X, labels, noise={-1: "cluster"}) != cm.dbcv(X, labels)
    assert cm.dbcv(*S3) == pytest.approx(0.485714285714, abs=1e-12)
    assert cm.dbcv(*S1) == pytest.approx(0.83209, abs=1e-5)  # two-point clusters: all their points are inner ones
    assert cm.dbcv([[0.0], [1.0], [5.0]], [0, 0, -1]) == 0.0  # one cluster: undefined
    with pytest.raises(cm.UndefinedIndexError, match="fewer than two clusters beside noise"):
        cm.dbcv.strict([[0.0], [1.0], [5.0]], [0, 0, -1])


OFFSETS = (0.0, 1e8, 1.7e9, -1e12)


@pytest.mark.parametrize("offset", OFFSETS)
def test_points_far_from_the_origin(offset):
    """scikit-learn's silhouette of these is 0.8994 at 1e8 and -0.5 at a Unix time."""
    X = np.add([[0, 0], [1, 1], [10, 0], [11, 2]], [offset, 0])
    assert cm.silhouette(X, [0, 0, 1, 1]) == pytest.approx(0.818268586044, abs=1e-12)
    assert cm.davies_bouldin(X, [0, 0, 1, 1]) == pytest.approx(0.182286, abs=1e-6)


def test_coincident_centers_are_the_worst():
    """scikit-learn's Davies–Bouldin calls them infinitely far apart: 0, the best."""
    X = [[0, 0], [2, 0], [1, 1], [1, -1]]
    assert cm.davies_bouldin(X, [0, 0, 1, 1]) == INF
    assert cm.davies_bouldin([*X, [9, 9]], [0, 0, 1, 1, 2]) == INF


def test_perfect_clusters_are_the_best():
    """Two clusters of duplicates: scikit-learn's Caliński–Harabasz is 1, permetrics' silhouette 0."""
    X, labels = [[0, 0], [0, 0], [3, 4], [3, 4]], [0, 0, 1, 1]
    assert cm.calinski_harabasz(X, labels) == INF
    assert cm.davies_bouldin(X, labels) == 0.0
    assert cm.silhouette(X, labels) == 1.0
    assert cm.dunn(X, labels) == INF
    assert cm.banfield_raftery(X, labels) == -INF


def test_degenerate_points():
    constant = [[1, 2]] * 4
    assert cm.calinski_harabasz(constant, [0, 0, 1, 1]) == 0.0
    assert cm.davies_bouldin(constant, [0, 0, 1, 1]) == INF
    assert cm.silhouette(constant, [0, 0, 1, 1]) == 0.0
    X = [[0], [1], [5], [7]]
    assert cm.silhouette(X, [0, 1, 2, 3]) == cm.simplified_silhouette(X, [0, 1, 2, 3]) == 0.0
    assert cm.simplified_silhouette(X, [0, 1, 2, 2], weights=[1, 2, 1, 1]) == cm.simplified_silhouette(
        [[0], [1], [1], [5], [7]], [0, 1, 1, 2, 2]
    )
    for index in (cm.calinski_harabasz, cm.c_index, cm.baker_hubert_gamma):
        with pytest.raises(cm.UndefinedIndexError, match=index.name):
            index.strict(X, [0, 1, 2, 3])
    for index in (cm.silhouette, cm.davies_bouldin, cm.dunn, cm.xie_beni, cm.dbcv, cm.simplified_silhouette):
        with pytest.raises(cm.UndefinedIndexError, match=index.name):
            index.strict(X, [0, 0, 0, 0])


def test_rank_statistics_do_not_overflow_and_count_ties_in_neither():
    """clusterCrit counts in eight bits, and ties as concordant: 0.6296 for the first."""
    assert cm.baker_hubert_gamma(*S3) == pytest.approx(8 / 13, abs=1e-15)
    assert cm.distance_tau(*S1) == pytest.approx(0.6236, abs=1e-4)


def test_own_center_not_the_nearest():
    """permetrics' Xie–Beni takes each point's nearest center: 0.07645 here."""
    assert cm.xie_beni(*S3) == pytest.approx(0.12190, abs=1e-5)


def test_dunn_does_not_depend_on_names():
    for labels in (S1[1], [2, 2, 2, 0, 0, 0, 1, 1], [1, 1, 1, 2, 2, 2, 0, 0]):
        assert cm.dunn(S1[0], labels) == 4.0
