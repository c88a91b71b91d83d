"""Indices of density: clusters of any shape."""

from __future__ import annotations

from clustermark.errors import require_whole
from clustermark.indices.internal.face import SCALED, internal
from clustermark.statistics.density import Density, ReachTree


@internal(
    Density,
    title="Density-based clustering validation",
    abbreviation="DBCV",
    formula="sum over clusters of n * (separation - sparseness) / max(separation, sparseness) / n of all",
    reference="moulavi2014",
    bounds=(-1.0, 1.0),
    undefined_when="there are fewer than two clusters beside noise",
    invariances=SCALED,
    peers={"hdbscan": "validity_index", "permetrics": "DBCVI density_based_clustering_validation_index"},
)
def dbcv(d: Density) -> float:
    """How much farther clusters are from each other than their own points lie apart, by density; for any shape.

    Points labelled -1 or "-1" are noise: they belong to no cluster, and lower the score by their share. With
    noise={-1: "cluster"} they are a cluster. Distances are mutual reachability, so that one point far out does little.

    >>> round(dbcv([[0.0], [1.0], [3.0], [4.0], [10.0], [12.0]], [0, 0, 0, 1, 1, 1]), 9)
    0.485714286
    """
    return float((d.sizes * d.validities).sum()) / d.n


@internal(
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

    A cluster is as sparse as the longest edge of the tree between its points, and as far from others as the shortest
    edge to another cluster; twice the longest of all edges where it has none. It differs from `dbcv`, whose trees are
    those of the clusters, and is no measure of how good a clustering is by itself. Points labelled -1 are noise, as
    there. Several trees can be least: of edges with the same reachability the shorter is taken, which gives the tree of
    hdbscan's Borůvka algorithms.

    min_samples: the reach of a point is its distance to so many neighbours, as in hdbscan.

    >>> round(relative_validity([[0.0], [1.0], [3.0], [4.0], [10.0], [12.0]], [0, 0, 0, 1, 1, 1], min_samples=1), 9)
    -0.666666667
    """
    require_whole("min_samples", min_samples, 1)
    sizes, validities = t.weigh(min_samples)
    return float((sizes * validities).sum()) / t.n
