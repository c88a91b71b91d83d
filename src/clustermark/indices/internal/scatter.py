"""Indices of the scatter within clusters and between them: sums of squares and determinants."""

from __future__ import annotations

from math import exp, frexp, inf, isinf, log, sqrt

import numpy as np

from clustermark.indices.arithmetic import check_value, divide, require_clusters
from clustermark.indices.index_types import ANY_FEATURES, MOVED, SCALED, point_index
from clustermark.statistics.scatter import Scatter, is_sound


@point_index(
    Scatter,
    title="Within-cluster sum of squares",
    abbreviation="WSS",
    formula="within",
    reference="edwards1965",
    bounds=(0.0, inf),
    higher_is_better=False,
    aliases=("trace_w", "inertia"),
    invariances=MOVED,
    peers={"permetrics": "SSEI sum_squared_error_index", "clusterCrit": "Trace_W", "fpc": "within.cluster.ss"},
)
def within_sum_of_squares(s: Scatter) -> float:
    """Sum of the squared distances of points to the centers of their clusters, which k-means minimizes.

    >>> within_sum_of_squares([[0.0], [1.0], [3.0], [4.0], [10.0], [12.0]], [0, 0, 0, 1, 1, 1])
    39.333333333333336
    """
    return s.within


@point_index(
    Scatter,
    title="Within-cluster mean square",
    formula="within / n",
    reference="permetrics",
    bounds=(0.0, inf),
    higher_is_better=False,
    invariances=MOVED,
    peers={"permetrics": "MSEI mean_squared_error_index"},
)
def within_mean_square(s: Scatter) -> float:
    """Mean squared distance of points to the centers of their clusters.

    >>> within_mean_square([[0.0], [2.0], [10.0], [12.0]], [0, 0, 1, 1])
    1.0
    """
    return s.within / s.n


@point_index(
    Scatter,
    title="Share of scatter explained",
    abbreviation="R2",
    formula="between / (within + between)",
    reference="sharma1996",
    undefined_when="all points are one",
    aliases=("explained_variance",),
    invariances=SCALED,
    peers={"permetrics": "RSI r_squared_index"},
)
def r_squared(s: Scatter) -> float:
    """Share of the scatter of all points that lies between clusters, not within; it grows with their number.

    >>> r_squared([[0.0], [2.0], [10.0], [12.0]], [0, 0, 1, 1])
    0.9615384615384616
    """
    return divide(s.between, s.total)


@point_index(
    Scatter,
    title="Ball–Hall index",
    formula="mean over clusters of w / n",
    reference="ball1965",
    bounds=(0.0, inf),
    higher_is_better=False,
    invariances=MOVED,
    peers={
        "clusterCrit": "Ball_Hall",
        "permetrics": "BHI(average='total') ball_hall_index(average='total')",
        "NbClust": "ball(average='total')",
    },
)
def ball_hall(s: Scatter, *, average: str = "clusters") -> float:
    """Mean squared distance to the center, averaged over clusters.

    average: "clusters", the mean over clusters of their mean squares; "sum", the sum of these; "total", the sum of all
    squares divided by the number of clusters.

    >>> ball_hall([[0.0], [2.0], [10.0], [14.0]], [0, 0, 1, 1])
    2.5
    """
    check_value(average, "average", ("clusters", "sum", "total"))
    if average == "total":
        return s.within / s.k
    means = s.within_clusters / s.sizes
    return float(means.sum()) / (s.k if average == "clusters" else 1)


@point_index(
    Scatter,
    title="Caliński–Harabasz index",
    abbreviation="CH",
    formula="(between / (k - 1)) / (within / (n - k))",
    reference="calinski1974",
    bounds=(0.0, inf),
    undefined_when="there is one cluster, or one for each point, or all points are one",
    aliases=("variance_ratio",),
    invariances=SCALED,
    panel=True,
    peers={
        "permetrics": "CHI calinski_harabasz_index",
        "scikit-learn": "calinski_harabasz_score",
        "clusterCrit": "Calinski_Harabasz",
        "fpc": "ch",
        "NbClust": "ch",
        "genieclust": "calinski_harabasz_index",
    },
)
def calinski_harabasz(s: Scatter) -> float:
    """Scatter between clusters over scatter within, each by its degrees of freedom; inf if there is none within.

    >>> calinski_harabasz([[0.0], [1.0], [3.0], [4.0], [10.0], [12.0]], [0, 0, 0, 1, 1, 1])
    8.203389830508472
    """
    require_clusters(s.k, s.n)
    return divide(s.between * (s.n - s.k), s.within * (s.k - 1))


@point_index(
    Scatter,
    title="Logarithm of the ratio of sums of squares",
    formula="log(between / within)",
    reference="hartigan1975",
    bounds=(-inf, inf),
    undefined=-inf,
    undefined_when="there is one cluster, or all points are one",
    invariances=SCALED,
    peers={"permetrics": "LSRI log_ss_ratio_index", "clusterCrit": "Log_SS_Ratio"},
)
def log_ss_ratio(s: Scatter) -> float:
    """Logarithm of scatter between clusters over scatter within them.

    >>> log_ss_ratio([[0.0], [2.0], [10.0], [12.0]], [0, 0, 1, 1])
    3.2188758248682006
    """
    require_clusters(s.k)
    ratio = divide(s.between, s.within)
    return log(ratio) if ratio else -inf


@point_index(
    Scatter,
    title="Banfield–Raftery index",
    formula="sum over clusters of n * log(w / n)",
    reference="banfield1993",
    bounds=(-inf, inf),
    higher_is_better=False,
    invariances=MOVED,
    peers={"permetrics": "BRI banfeld_raftery_index", "clusterCrit": "Banfeld_Raftery"},
)
def banfield_raftery(s: Scatter) -> float:
    """Sum of the logarithms of the clusters' mean squares, weighted by size; -inf if one of these is 0.

    A cluster of one point has no scatter, so it makes the index -inf.

    >>> banfield_raftery([[0.0], [2.0], [10.0], [14.0]], [0, 0, 1, 1])
    2.772588722239781
    """
    if not s.within_clusters.all():
        return -inf
    return float((s.sizes * np.log(s.within_clusters / s.sizes)).sum())


def _difference(s: Scatter) -> float:
    """Return ln det T - ln det W; undefined if W is singular."""
    if isinf(s.log_det_within):
        raise ZeroDivisionError
    return s.log_det_total - s.log_det_within


_SINGULAR = "the scatter within clusters is singular: features depend on each other, or the points are too few"


@point_index(
    Scatter,
    title="Ratio of determinants",
    formula="det T / det W",
    reference="scott1971",
    bounds=(1.0, inf),
    undefined_when=_SINGULAR,
    invariances=ANY_FEATURES,
    peers={"permetrics": "DRI det_ratio_index", "clusterCrit": "Det_Ratio"},
)
def det_ratio(s: Scatter) -> float:
    """Determinant of the scatter of all points over that within clusters (Wilks' lambda, inverted).

    >>> round(det_ratio([[0.0], [2.0], [10.0], [12.0]], [0, 0, 1, 1]), 12)
    26.0
    """
    ratio = _difference(s)
    return exp(ratio) if ratio < 709 else inf


@point_index(
    Scatter,
    title="Logarithm of the ratio of determinants",
    formula="n * log(det T / det W)",
    reference="scott1971",
    bounds=(0.0, inf),
    undefined_when=_SINGULAR,
    invariances=ANY_FEATURES,
    peers={"permetrics": "LDRI log_det_ratio_index", "clusterCrit": "Log_Det_Ratio"},
)
def log_det_ratio(s: Scatter) -> float:
    """Logarithm of the ratio of determinants, times the number of points.

    >>> round(log_det_ratio([[0.0], [2.0], [10.0], [12.0]], [0, 0, 1, 1]), 9)
    13.032386152
    """
    return s.n * _difference(s)


@point_index(
    Scatter,
    title="Marriott's k² det W",
    formula="k**2 * det W",
    reference="marriott1971",
    bounds=(0.0, inf),
    higher_is_better=False,
    aliases=("marriott",),
    invariances=MOVED,
    peers={
        "permetrics": "KDI ksq_detw_index",
        "clusterCrit": "Ksq_DetW",
        "NbClust": "marriot",
    },
)
def ksq_detw(s: Scatter) -> float:
    """Determinant of the scatter within clusters, times the square of their number.

    >>> round(ksq_detw([[0.0], [1.0], [3.0], [4.0], [10.0], [12.0]], [0, 0, 0, 1, 1, 1]), 9)
    157.333333333
    """
    logarithm = s.log_det_within + 2 * log(s.k)
    return exp(logarithm) if logarithm < 709 else inf


@point_index(
    Scatter,
    title="Trace of W⁻¹B",
    formula="trace of W**-1 B",
    reference="friedman1967",
    bounds=(0.0, inf),
    undefined_when=_SINGULAR,
    invariances=ANY_FEATURES,
    peers={"clusterCrit": "Trace_WiB"},
)
def trace_wib(s: Scatter) -> float:
    """Scatter between clusters in units of the scatter within them, added up over directions.

    >>> round(trace_wib([[0.0], [2.0], [10.0], [12.0]], [0, 0, 1, 1]), 9)
    25.0
    """
    if isinf(s.log_det_within):
        raise ZeroDivisionError
    lengths = np.sqrt(np.diag(s.within_matrix))
    scales = lengths[:, None] * lengths
    if is_sound(s.within_matrix / scales):
        return float(np.trace(np.linalg.solve(s.within_matrix / scales, s.between_matrix / scales)))
    solved = np.linalg.solve((s.within_factor / lengths).T, (s.root_between / lengths).T)
    return float((solved * solved).sum())


@point_index(
    Scatter,
    title="Scott–Symons index",
    formula="sum over clusters of n * log(det(W of the cluster / n))",
    reference="scott1971",
    bounds=(-inf, inf),
    higher_is_better=False,
    undefined=inf,
    undefined_when="the scatter of a cluster is singular: it has no more points than features, or they depend on each "
    "other",
    invariances=MOVED,
    peers={"clusterCrit": "Scott_Symons"},
)
def scott_symons(s: Scatter) -> float:
    """Sum of the logarithms of the determinants of the clusters' covariances, weighted by size.

    >>> round(scott_symons([[0.0], [2.0], [10.0], [14.0]], [0, 0, 1, 1]), 9)
    2.772588722
    """
    total = 0.0
    features = s.squares.shape[1]
    for size, determinant in zip(s.sizes.tolist(), s.log_det_clusters.tolist(), strict=True):
        if isinf(determinant):
            raise ZeroDivisionError
        total += size * (determinant - features * log(size))
    return total


@point_index(
    Scatter,
    title="Ratkowsky–Lance index",
    formula="sqrt(mean over features of B / T, divided by k)",
    reference="ratkowsky1978",
    undefined_when="a feature is constant",
    invariances=("shift", "scale", "scale of features"),
    peers={"clusterCrit": "Ratkowsky_Lance"},
)
def ratkowsky_lance(s: Scatter) -> float:
    """Root of the mean share of scatter that lies between clusters, feature by feature, over the number of clusters.

    >>> ratkowsky_lance([[0.0], [2.0], [10.0], [12.0]], [0, 0, 1, 1])
    0.6933752452815364
    """
    s.refuse_tiny()
    total = s.within_features + s.between_features
    if not total.all():
        raise ZeroDivisionError
    return sqrt(float((s.between_features / total).mean()) / s.k)


@point_index(
    Scatter,
    title="Scatter of the SD index",
    formula="mean over clusters of the length of their variances / length of the variances of all",
    reference="halkidi2000",
    bounds=(0.0, inf),
    higher_is_better=False,
    undefined_when="all points are one",
    invariances=("shift", "scale"),
    peers={"clusterCrit": "SD_Scat"},
)
def sd_scatter(s: Scatter) -> float:
    """Mean length of the clusters' vectors of variances, relative to that of all points.

    >>> sd_scatter([[0.0], [2.0], [10.0], [12.0]], [0, 0, 1, 1])
    0.038461538461538464
    """
    own = s.squares / s.sizes[:, None]
    total = (s.within_features + s.between_features) / s.n
    unit = 2.0 ** frexp(float(max(own.max(), total.max())))[1]  # no square overflows, and no bit is lost
    lengths = np.sqrt(((own / unit) ** 2).sum(axis=1))
    return divide(float(lengths.mean()), float(np.sqrt(((total / unit) ** 2).sum())))
