"""Each cluster with its best counterpart; several may share one."""

from __future__ import annotations

from clustermark.indices.averages import check_value
from clustermark.indices.both import index_of_both
from clustermark.indices.matching.shares import share
from clustermark.registry import index
from clustermark.statistics.overlaps import BestSums, LargestOverlaps

_SIDES = ("true", "pred")


@index(
    BestSums,
    title="Best F-measure, weighted by cluster size",
    abbreviation="BeF",
    formula="true_sized_f / n",
    reference="larsen1999",
    symmetric=False,
    rational=False,
    aliases=("class_weighted_f", "clustering_f_measure"),
    peers={"ELKI": "fMeasureFirst fMeasureSecond(side='pred')"},
)
def best_f(b: BestSums, *, side: str = "true") -> float:
    """Of each true cluster the largest 2n / (a + b) with a predicted cluster, averaged with the clusters' sizes.

    With side="pred" over the predicted clusters. This is the F-measure of document clustering. ELKI's First and Second
    are the clusters of its first and second argument. mclustcomp's f leaves the overlaps out, and is another number.

    >>> best_f([0, 0, 1, 1, 2, 2], [0, 0, 1, 1, 1, 2])
    0.8222222222222223
    >>> best_f([0, 0, 1, 1, 2, 2], [0, 0, 1, 1, 1, 2], side="pred")
    0.8444444444444444
    """
    return share(b.true_sized_f if check_value(side, "side", _SIDES) == "true" else b.pred_sized_f, b.n)


@index(
    BestSums,
    title="Best F-measure, all clusters alike",
    abbreviation="MBF",
    formula="true_f / k_true",
    reference="larsen1999",
    symmetric=False,
    rational=False,
    peers={"partitionComparison": "larsenAone", "NetworKit": "CoverF1Similarity(side='pred')"},
)
def macro_best_f(b: BestSums, *, side: str = "true") -> float:
    """Of each true cluster the largest 2n / (a + b) with a predicted cluster, averaged over clusters, large and small.

    With side="pred" over the predicted clusters. CDlib's f1 is over predicted clusters too, but takes the true cluster
    of the largest overlap (as `nf1` does), and rounds to two decimals.

    >>> macro_best_f([0, 0, 1, 1, 1], [0, 0, 1, 0, 0])
    0.6190476190476191
    """
    if check_value(side, "side", _SIDES) == "true":
        return share(b.true_f, b.k_true)
    return share(b.pred_f, b.k_pred)


@index_of_both(
    BestSums,
    title="Average F1 score",
    abbreviation="AF1",
    formula="(true_f / k_true + pred_f / k_pred) / 2",
    reference="yang2013",
    rational=False,
    peers={"xmeasures": "F1a"},
)
def average_f1(b: BestSums) -> float:
    """Mean of `macro_best_f` over the true clusters and over the predicted clusters.

    >>> average_f1([0, 0, 1, 1, 1], [0, 0, 0, 1, 1])
    0.8
    """
    return (share(b.true_f, b.k_true) + share(b.pred_f, b.k_pred)) / 2


@index(
    LargestOverlaps,
    title="Normalised F1 score of communities",
    abbreviation="NF1",
    formula="f / pairs * met / k_true * min(1, met / k_pred)",
    reference="rossetti2016",
    symmetric=False,
    rational=False,
    peers={"CDlib": "nf1"},
)
def nf1(o: LargestOverlaps) -> float:
    """F1 of predicted clusters with the true cluster they overlap most, times coverage, over redundancy.

    A predicted cluster that overlaps several true clusters equally is paired with each of them. Coverage is the share
    of true clusters in such a pair; redundancy the number of predicted clusters for each of those, at least 1. CDlib
    rounds the F1 to two decimals, and divides by a redundancy below 1 too where one predicted cluster meets several.

    >>> nf1([0, 0, 0, 1, 1, 1, 1], [0, 0, 1, 1, 1, 1, 1])
    0.8444444444444444
    >>> nf1([0, 0, 1, 1], [0, 1, 2, 2])
    0.5185185185185185
    """
    return share(o.f, o.pairs) * (o.met * min(o.met, o.k_pred) / (o.k_true * o.k_pred))


@index(
    BestSums,
    title="Nowak's index",
    abbreviation="Now",
    formula="(true_of_larger + pred_of_larger) / (k_true + k_pred)",
    reference="nowak1985",
    rational=False,
    peers={"clusterSim": "nowak"},
)
def nowak(b: BestSums) -> float:
    """Of each cluster of either side the largest n / max(a, b) with a cluster of the other, averaged over all clusters.

    >>> nowak([0, 0, 1, 1, 1], [0, 0, 0, 1, 1])
    0.6666666666666666
    """
    return share(b.true_of_larger + b.pred_of_larger, b.k_true + b.k_pred)


@index(
    BestSums,
    title="Segmentation covering",
    abbreviation="SeC",
    formula="true_sized_jaccard / n",
    reference="arbelaez2011",
    symmetric=False,
    rational=False,
)
def segmentation_covering(b: BestSums) -> float:
    """Of each true cluster the largest Jaccard index with a predicted cluster, averaged with the clusters' sizes.

    The same over predicted clusters is `max_jaccard`.

    >>> segmentation_covering([0, 0, 1, 1, 2, 2], [0, 0, 1, 1, 1, 2])
    0.7222222222222222
    """
    return share(b.true_sized_jaccard, b.n)


@index(
    BestSums,
    title="Prediction strength",
    abbreviation="PrSt",
    formula="weakest_pairs",
    reference="tibshirani2005",
    symmetric=False,
    rational=False,
    undefined=1.0,
    undefined_when="the truth consists of singletons, so no pair belongs together",
    peers={"clue": "PS"},
    weights=None,
)
def prediction_strength(b: BestSums) -> float:
    """Of the true clusters the one that is torn apart most: the share of its pairs that the prediction keeps together.

    Clusters of one point have no pairs, and are left out.

    >>> prediction_strength([0, 0, 1, 1, 1], [0, 0, 0, 1, 1])
    0.3333333333333333
    """
    if b.weakest_pairs is None:
        raise ZeroDivisionError
    return b.weakest_pairs
