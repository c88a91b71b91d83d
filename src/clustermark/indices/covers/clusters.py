"""Indices of covers that set clusters beside their counterparts."""

from __future__ import annotations

from math import sqrt

from clustermark.indices.covers.face import covers
from clustermark.indices.matching.assignment import maximum_matching_ratio
from clustermark.indices.matching.best import average_f1
from clustermark.indices.matching.majorities import geometric_accuracy
from clustermark.indices.matching.shares import share
from clustermark.statistics.cover_clusters import BestClusters, MatchedClusters

_NO_CLUSTERS = "a cover has no clusters"


@average_f1.also(BestClusters, undefined_when=_NO_CLUSTERS, panel=True)
def _average_f1_of_covers(b: BestClusters) -> float:
    return (share(b.true_f, b.k_true) + share(b.pred_f, b.k_pred)) / 2


@covers(
    BestClusters,
    title="Average Jaccard index",
    formula="(true_jaccard / k_true + pred_jaccard / k_pred) / 2",
    reference="yang2013a",
    rational=False,
    undefined_when=_NO_CLUSTERS,
    panel=True,
)
def average_jaccard(b: BestClusters) -> float:
    """Of each cluster the largest Jaccard index with a cluster of the other side: the mean of both sides' means.

    >>> average_jaccard([{0, 1, 2, 3}, {3, 4, 5, 6}], [{0, 1, 2}, {2, 3, 4}, {4, 5, 6}])
    0.6916666666666667
    """
    return (share(b.true_jaccard, b.k_true) + share(b.pred_jaccard, b.k_pred)) / 2


@maximum_matching_ratio.also(MatchedClusters, undefined_when="the truth has no clusters")
def _maximum_matching_ratio_of_covers(m: MatchedClusters) -> float:
    return share(m.total, m.k_true)


@geometric_accuracy.also(
    BestClusters,
    formula="(best_true / size_true * best_pred / overlap) ** 0.5",
    symmetric=False,
    best_on_identity=False,
    undefined_when="the truth has no clusters",
)
def _geometric_accuracy_of_covers(b: BestClusters) -> float:
    if b.size_true and not b.overlap:
        return 0.0
    return sqrt(b.best_true * b.best_pred / (b.size_true * b.overlap))
