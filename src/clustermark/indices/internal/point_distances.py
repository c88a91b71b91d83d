"""Indices of the distances between points, and of the density of clusters."""

from __future__ import annotations

from math import fsum, inf, sqrt

import numpy as np

from clustermark.errors import require_whole
from clustermark.indices.arithmetic import check_value, divide, require_clusters
from clustermark.indices.index_types import SCALED, point_index
from clustermark.statistics.distances import Density, DistanceRanks, PairExtremes, PointSums, ReachTree

_ONE = "there is one cluster"
_NO_PAIRS = "all points are in one cluster, or each in one of its own"


@point_index(
    PointSums,
    title="Silhouette",
    formula="mean of (b - a) / max(a, b), a and b the mean distances to the own cluster and to the nearest other one",
    reference="rousseeuw1987",
    bounds=(-1.0, 1.0),
    undefined_when=_ONE,
    aliases=("silhouette_width", "average_silhouette_width", "silhouette_coefficient"),
    abbreviation="ASW",
    invariances=SCALED,
    panel=True,
    peers={
        "permetrics": "SI silhouette_index",
        "scikit-learn": "silhouette_score",
        "cluster": "silhouette",
        "fpc": "avg.silwidth",
        "genieclust": "silhouette_index silhouette_w_index(average='clusters')",
        "clusterCrit": "Silhouette(average='clusters')",
    },
)
def silhouette(s: PointSums, *, average: str = "points") -> float:
    """Mean of (b - a) / max(a, b): points should be closer to their own cluster than to the nearest other one.

    A point that is alone in its cluster scores 0, and so does one at distance 0 from both clusters. Time is quadratic
    in the number of points; with metric="sqeuclidean" it is proportional to points times clusters.

    average: "points"; or "clusters", the mean of the clusters' means.

    >>> silhouette([[0.0, 0], [1, 1], [10, 0], [11, 2]], [0, 0, 1, 1])
    0.8182685860435761
    """
    check_value(average, "average", ("points", "clusters"))
    widths = s.widths
    if average == "points":
        return float(widths.mean())
    return float((np.bincount(s.codes, widths, len(s.sizes)) / s.sizes).mean())


@point_index(
    PairExtremes,
    title="Dunn index",
    formula="least distance of points of two clusters / largest distance of points of one",
    reference="dunn1974",
    bounds=(0.0, inf),
    undefined_when=f"{_ONE}, or no cluster has any extent and two of them coincide",
    invariances=SCALED,
    panel=True,
    peers={"permetrics": "DI dunn_index", "clusterCrit": "Dunn GDI11", "fpc": "dunn", "NbClust": "dunn"},
)
def dunn(e: PairExtremes) -> float:
    """Gap between the closest two clusters over the diameter of the widest; a single outlier can decide it.

    >>> dunn([[0.0], [1.0], [3.0], [4.0], [10.0], [12.0]], [0, 0, 0, 1, 1, 1])
    0.125
    """
    require_clusters(e.k)
    return divide(e.least_between, float(e.diameters.max()))


@point_index(
    PairExtremes,
    title="Generalized Dunn index",
    abbreviation="GDI",
    formula="least distance of two clusters / largest diameter of one",
    reference="bezdek1998",
    bounds=(0.0, inf),
    undefined_when=f"{_ONE}, or both distances are 0",
    invariances=SCALED,
    peers={"fpc": "dunn2(between=3,within=2)", "clusterCrit": "GDI43 GDI53(between=5)"},
)
def generalized_dunn(e: PairExtremes, *, between: int = 4, within: int = 3) -> float:
    """The Dunn index with other distances of clusters and other diameters.

    between: 1 the least distance of their points, 2 the largest, 3 the mean, 4 the distance of their centers, 5 the
        mean distance of their points to their own centers, 6 the Hausdorff distance.
    within: 1 the largest distance of two points, 2 the mean distance of two points, 3 twice the mean distance to the
        center. Centers need features and Euclidean distances.

    >>> generalized_dunn([[0.0], [1.0], [3.0], [4.0], [10.0], [12.0]], [0, 0, 0, 1, 1, 1], between=3, within=2)
    1.375
    """
    check_value(between, "between", (1, 2, 3, 4, 5, 6))
    check_value(within, "within", (1, 2, 3))
    require_clusters(e.k)
    return divide(_least_between(e, between), float(_widths(e, within).max()))


def _least_between(e: PairExtremes, kind: int) -> float:
    if kind == 4:
        return e.centroids.least_distance
    sizes = e.sizes.astype(np.float64)
    if kind == 5:
        sums = e.centroids.distances
        apart = (sums[:, None] + sums) / (sizes[:, None] + sizes)
    else:
        apart = {1: e.least, 2: e.largest, 3: e.sums / (sizes[:, None] * sizes), 6: e.hausdorff}[kind].copy()
    np.fill_diagonal(apart, inf)
    return float(apart.min())


def _widths(e: PairExtremes, kind: int) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    if kind == 1:
        return e.diameters
    if kind == 3:
        return 2 * e.centroids.mean_distances
    pairs = e.sizes * (e.sizes - 1.0)
    return np.where(pairs == 0, 0.0, e.sums.diagonal() / np.where(pairs == 0, 1.0, pairs))


@point_index(
    PairExtremes,
    title="McClain–Rao index",
    formula="(within_sum / n_within) / (between_sum / n_between)",
    reference="mcclain1975",
    bounds=(0.0, inf),
    higher_is_better=False,
    undefined_when=f"{_NO_PAIRS}, or all points are one",
    invariances=SCALED,
    peers={"clusterCrit": "McClain_Rao"},
)
def mcclain_rao(e: PairExtremes) -> float:
    """Mean distance of points of one cluster over mean distance of points of two.

    >>> mcclain_rao([[0.0], [1.0], [3.0], [4.0], [10.0], [12.0]], [0, 0, 0, 1, 1, 1])
    0.5
    """
    _require_pairs(e)
    return divide(e.within_sum * e.n_between, e.between_sum * e.n_within)


@point_index(
    PairExtremes,
    title="Pearson's Γ of distances",
    formula="correlation of the distance of two points with whether they are in two clusters",
    reference="milligan1981",
    bounds=(-1.0, 1.0),
    undefined_when=f"{_NO_PAIRS}, or all distances are equal",
    aliases=("point_biserial",),
    invariances=SCALED,
    panel=True,
    peers={"fpc": "pearsongamma"},
)
def pearson_gamma(e: PairExtremes) -> float:
    """Correlation between the distance of two points and whether they are in different clusters.

    >>> round(pearson_gamma([[0.0], [1.0], [3.0], [4.0], [10.0], [12.0]], [0, 0, 0, 1, 1, 1]), 9)
    0.487406858
    """
    _require_pairs(e)
    return float(np.clip(e.correlation, -1.0, 1.0))


def _require_pairs(pairs: PairExtremes | DistanceRanks) -> None:
    if not pairs.n_within or not pairs.n_between:
        raise ZeroDivisionError


@point_index(
    DistanceRanks,
    title="C index",
    formula="(within_sum - least_sum) / (largest_sum - least_sum)",
    reference="hubert1976",
    higher_is_better=False,
    undefined_when=f"{_NO_PAIRS}, or all distances are equal",
    aliases=("hubert_levin",),
    invariances=SCALED,
    peers={"clusterCrit": "C_index", "fpc": "g3"},
)
def c_index(r: DistanceRanks) -> float:
    """Place of the sum of distances within clusters between the least and the largest sum of that many distances.

    >>> c_index([[0.0], [1.0], [3.0], [4.0], [10.0], [12.0]], [0, 0, 0, 1, 1, 1])
    0.2127659574468085
    """
    _require_pairs(r)
    share = divide(r.within_sum - r.least_sum, r.largest_sum - r.least_sum)
    return float(np.clip(share, 0.0, 1.0))


@point_index(
    DistanceRanks,
    title="Baker–Hubert Γ",
    formula="(concordant - discordant) / (concordant + discordant)",
    reference="baker1975",
    bounds=(-1.0, 1.0),
    undefined_when=f"{_NO_PAIRS}, or all distances are equal",
    invariances=SCALED,
    peers={"fpc": "g2", "NbClust": "gamma"},
)
def baker_hubert_gamma(r: DistanceRanks) -> float:
    """Share of concordant less discordant pairs of a distance within a cluster and one between clusters.

    >>> baker_hubert_gamma([[0.0], [1.0], [3.0], [4.0], [10.0], [12.0]], [0, 0, 0, 1, 1, 1])
    0.6153846153846154
    """
    _require_pairs(r)
    return (r.concordant - r.discordant) / (r.concordant + r.discordant)


@point_index(
    DistanceRanks,
    title="G⁺",
    formula="2 * discordant / ((n_within + n_between) * (n_within + n_between - 1))",
    reference="rohlf1974",
    higher_is_better=False,
    undefined_when=_NO_PAIRS,
    invariances=SCALED,
)
def g_plus(r: DistanceRanks) -> float:
    """Share of all pairs of distances in which one within a cluster is greater than one between clusters.

    >>> g_plus([[0.0], [1.0], [3.0], [4.0], [10.0], [12.0]], [0, 0, 0, 1, 1, 1])
    0.09523809523809523
    """
    _require_pairs(r)
    n = r.n_within + r.n_between
    return 2 * r.discordant / (n * (n - 1))


@point_index(
    DistanceRanks,
    title="τ of distances",
    formula="(concordant - discordant) / sqrt(n_within * n_between * n * (n - 1) / 2), n all pairs",
    reference="rohlf1974",
    bounds=(-1.0, 1.0),
    undefined_when=_NO_PAIRS,
    invariances=SCALED,
)
def distance_tau(r: DistanceRanks) -> float:
    """Kendall's τ between the distance of two points and whether they are in different clusters.

    It is corrected for ties of the clusters and not of the distances. It stays below 1 even where every distance within
    clusters is less than every one between.

    >>> round(distance_tau([[0.0], [1.0], [3.0], [4.0], [10.0], [12.0]], [0, 0, 0, 1, 1, 1]), 9)
    0.424970172
    """
    _require_pairs(r)
    n = r.n_within + r.n_between
    return (r.concordant - r.discordant) / sqrt(r.n_within * r.n_between * (n * (n - 1) // 2))


@point_index(
    Density,
    title="Density-based clustering validation",
    abbreviation="DBCV",
    formula="sum over clusters of n * (separation - sparseness) / max(separation, sparseness) / n of all",
    reference="moulavi2014",
    bounds=(-1.0, 1.0),
    undefined_when="there are fewer than two clusters beside noise",
    invariances=SCALED,
    peers={
        "hdbscan": "validity_index(variant='hdbscan')",
        "permetrics": "DBCVI density_based_clustering_validation_index",
    },
)
def dbcv(d: Density, *, variant: str = "exact") -> float:
    """Separation of clusters compared with their sparseness, by density; for clusters of any shape.

    Distances are mutual reachability, so single outliers have little effect. Points labelled -1 or "-1" are noise: they
    belong to no cluster, and lower the score by their share. With noise={-1: "cluster"} they are a cluster, with
    noise={-1: "drop"} they are left out before anything is computed, so that they lower nothing.

    variant: each cluster is measured along its minimum spanning tree. Often there are several, because many
        reachabilities are equal, and tools take different ones. "exact" orders edges of equal reachability by
        distance, and takes the edges of all trees that are then still least; no order of the rows changes it. "matlab"
        is the tree of the authors' MATLAB code, which begins at the first row; with metric="sqeuclidean", because that
        code squares distances, it computes what that code does: a cluster of one point counts as noise. "hdbscan" is
        what hdbscan.validity_index computes: of a cluster of two points it measures from the first alone. Both depend
        on the order of rows, by up to 0.5, and leave out distances of 0 where "exact" takes the limit.

    >>> round(dbcv([[0.0], [1.0], [3.0], [4.0], [10.0], [12.0]], [0, 0, 0, 1, 1, 1]), 9)
    0.485714286
    """
    check_value(variant, "variant", ("exact", "matlab", "hdbscan"))
    found = d.validities(variant)
    return fsum((found.sizes * found.scores).tolist()) / d.n


@point_index(
    ReachTree,
    title="Relative validity",
    formula="sum over clusters of n * (separation - sparseness) / max(separation, sparseness) / n of all, by one tree",
    reference="hdbscan",
    bounds=(-1.0, 1.0),
    undefined_when="there is no cluster beside noise",
    invariances=SCALED,
    peers={"hdbscan": "relative_validity_"},
)
def relative_validity(t: ReachTree, *, min_samples: int = 5) -> float:
    """An approximation of DBCV by one tree over all points; for comparing labelings of the same points.

    The sparseness of a cluster is the longest edge of the tree between its points, its separation the shortest edge to
    another cluster, or twice the longest of all edges if there is none. It differs from `dbcv`, which uses a tree of
    each cluster, and does not measure the quality of a single clustering. Points labelled -1 are noise, as in `dbcv`;
    noise={-1: "drop"} leaves them out before the tree is made.
    If several trees are minimal, edges with the same reachability are ordered by distance, which gives the tree of
    hdbscan's Borůvka algorithms with approx_min_span_tree=False; by default that tool's tree is approximate. If several
    trees are still minimal, the edges of all of them count, so that no order of the rows changes the score.

    min_samples: the core distance of a point is that to its neighbour of this number, as in hdbscan.

    >>> round(relative_validity([[0.0], [1.0], [3.0], [4.0], [10.0], [12.0]], [0, 0, 0, 1, 1, 1], min_samples=1), 9)
    -0.666666667
    """
    require_whole("min_samples", min_samples, 1)
    sizes, validities = t.weigh(min_samples)
    return fsum((sizes * validities).tolist()) / t.n
