"""Indices of density: clusters of any shape."""

from __future__ import annotations

from clustermark.indices.internal.face import SCALED, internal
from clustermark.statistics.density import Density


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

    Points labelled -1 are noise: they belong to no cluster, and lower the score by their share. With
    noise={-1: "cluster"} they are a cluster. Distances are mutual reachability, so that one point far out does little.

    >>> round(dbcv([[0.0], [1.0], [3.0], [4.0], [10.0], [12.0]], [0, 0, 0, 1, 1, 1]), 9)
    0.485714286
    """
    return float((d.sizes * d.validities).sum()) / d.n
