"""Indices of the distances of points to centers, and of centers to each other."""

from __future__ import annotations

from math import inf

import numpy as np

from clustermark.indices.arithmetic import check_value, divide, require_clusters
from clustermark.indices.index_types import SCALED, point_index
from clustermark.statistics.centroids import Centroids, NearestCenters
from clustermark.statistics.distances import PairExtremes

_ONE = "there is one cluster"


@point_index(
    Centroids,
    title="Davies–Bouldin index",
    abbreviation="DB",
    formula="mean over clusters of the largest (σ + σ of another) / distance of their centers",
    reference="davies1979",
    bounds=(0.0, inf),
    higher_is_better=False,
    undefined_when=f"{_ONE}, or two clusters are one and the same point",
    invariances=SCALED,
    panel=True,
    peers={
        "permetrics": "DBI davies_bouldin_index",
        "scikit-learn": "davies_bouldin_score",
        "clusterCrit": "Davies_Bouldin",
        "NbClust": "db(q=2)",
    },
)
def davies_bouldin(c: Centroids, *, q: int = 1) -> float:
    """Width of two clusters over the distance of their centers, for the worst partner; inf if centers coincide.

    q: 1, the width of a cluster is the mean distance to its center; 2, the root of the mean squared distance.

    >>> davies_bouldin([[0.0], [1.0], [3.0], [4.0], [10.0], [12.0]], [0, 0, 0, 1, 1, 1])
    0.5757575757575757
    """
    check_value(q, "q", (1, 2))
    require_clusters(c.k)
    widths = c.mean_distances if q == 1 else np.sqrt(c.scatter.within_clusters / c.scatter.sizes)
    worst = np.empty(c.k)
    for rows, away in c.rows():
        both = widths[rows, None] + widths
        own = np.arange(len(both)), np.arange(len(both)) + rows.start
        away[own] = 1.0
        if (both[away == 0] == 0).any():
            raise ZeroDivisionError
        with np.errstate(divide="ignore"):
            ratios = both / away
        ratios[own] = -1.0
        worst[rows] = ratios.max(axis=1)
    return float(worst.sum()) / c.k


@point_index(
    Centroids,
    title="Xie–Beni index",
    abbreviation="XB",
    formula="(within / n) / least squared distance of two centers",
    reference="xie1991",
    bounds=(0.0, inf),
    higher_is_better=False,
    undefined_when=f"{_ONE}, or no cluster has scatter and two of them coincide",
    aliases=("ray_turi",),
    invariances=SCALED,
    panel=True,
    peers={"permetrics": "XBI xie_beni_index", "clusterCrit": "Ray_Turi Xie_Beni(separation='points')"},
)
def xie_beni(c: Centroids, *, separation: str = "centroids") -> float:
    """Mean squared distance to the own center, over the least squared distance of two clusters.

    separation: the distance of two clusters: "centroids", that of their centers; "points", that of their nearest
    points, which takes time quadratic in the number of points.

    >>> xie_beni([[0.0], [1.0], [3.0], [4.0], [10.0], [12.0]], [0, 0, 0, 1, 1, 1])
    0.12190082644628099
    """
    check_value(separation, "separation", ("centroids", "points"))
    require_clusters(c.k)
    if separation == "centroids":
        return divide(c.scatter.within / c.n, c.least_distance**2)
    least = PairExtremes.of(c.geometry).least_between  # a square already where distances are squares
    return divide(c.scatter.within / c.n, least if c.geometry.metric == "sqeuclidean" else least**2)


@point_index(
    Centroids,
    title="PBM index",
    abbreviation="PBM",
    formula="(sum of distances to the middle / sum of distances to own centers * largest distance of centers / k)**2",
    reference="pakhira2004",
    bounds=(0.0, inf),
    undefined_when=f"{_ONE}, or all points are one",
    invariances=("shift", "rotation"),
    peers={"clusterCrit": "PBM"},
)
def pbm(c: Centroids) -> float:
    """Largest distance of centers, times the gain in closeness of points to their centers over the middle, squared.

    >>> pbm([[0.0], [2.0], [10.0], [12.0]], [0, 0, 1, 1])
    625.0
    """
    require_clusters(c.k)
    return divide(c.total_distance * c.largest_distance, float(c.distances.sum()) * c.k) ** 2


@point_index(
    NearestCenters,
    title="Wemmert–Gançarski index",
    formula="sum over clusters of max(0, n - sum of distance to own center / distance to the nearest other) / n of all",
    reference="wemmert2000",
    undefined_when=_ONE,
    invariances=SCALED,
    peers={"clusterCrit": "Wemmert_Gancarski"},
)
def wemmert_gancarski(c: NearestCenters) -> float:
    """Closeness of points to their own center compared with the nearest other one, cluster by cluster.

    A point that lies on both centers counts as equally far from both.

    >>> wemmert_gancarski([[0.0], [2.0], [10.0], [12.0]], [0, 0, 1, 1])
    0.898989898989899
    """
    require_clusters(c.k)
    return float(np.maximum(0.0, c.scatter.sizes - c.ratios).sum()) / c.n


@point_index(
    NearestCenters,
    title="Simplified silhouette",
    formula="mean of (b - a) / max(a, b), a and b the distances to the own center and to the nearest other one",
    reference="hruschka2004",
    bounds=(-1.0, 1.0),
    undefined_when=_ONE,
    aliases=("centroid_silhouette",),
    invariances=SCALED,
    panel=True,
    peers={"ELKI": "SimplifiedSilhouette"},
)
def simplified_silhouette(c: NearestCenters) -> float:
    """The silhouette with distances to centers, in time proportional to points times clusters.

    A point that is alone in its cluster scores 0, as in the silhouette; otherwise a cluster for each point would be
    best.

    >>> simplified_silhouette([[0.0], [2.0], [10.0], [12.0]], [0, 0, 1, 1])
    0.898989898989899
    """
    require_clusters(c.k)
    return c.width / c.n


@point_index(
    Centroids,
    title="Separation of the SD index",
    formula="largest / least distance of centers * sum over clusters of 1 / sum of distances to the other centers",
    reference="halkidi2000",
    bounds=(0.0, inf),
    higher_is_better=False,
    undefined_when=f"{_ONE}, or all centers are one",
    invariances=("shift", "rotation"),
    peers={"clusterCrit": "SD_Dis"},
)
def sd_distance(c: Centroids) -> float:
    """Unevenness of the distances of centers over their size; inf if two centers coincide.

    >>> sd_distance([[0.0], [2.0], [10.0], [12.0]], [0, 0, 1, 1])
    0.2
    """
    require_clusters(c.k)
    sums = c.sums_of_distances
    if not sums.all():
        raise ZeroDivisionError
    return divide(c.largest_distance * float((1 / sums).sum()), c.least_distance)
