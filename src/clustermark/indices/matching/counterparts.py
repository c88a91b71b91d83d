"""Each cluster with a counterpart: clusters matched one to one, and each cluster with its best one."""

from __future__ import annotations

from math import inf

from clustermark.indices.arithmetic import check_value, share
from clustermark.indices.index_types import shared_index
from clustermark.registry import index
from clustermark.statistics.matching import GreedyMatching, MatchedPoints, MatchedProducts, MatchedRecall, MatchedSets
from clustermark.statistics.overlaps import BestSums, LargestOverlaps

_ONE_CLUSTER = "both labelings are one cluster"


@index(
    MatchedPoints,
    title="Matching accuracy",
    abbreviation="MaA",
    formula="total / n",
    reference="kuhn1955",
    metric=True,
    aliases=("clustering_accuracy", "hungarian_accuracy", "ACC"),
    peers={
        "torchmetrics": "cluster_accuracy",
        "ELKI": "MaximumMatchingAccuracy",
        "clue": "diag",
        "clustering-metrics": "assignment_score",
    },
    panel=True,
)
def matching_accuracy(m: MatchedPoints) -> float:
    """Share of points that are right when true and predicted clusters are matched one to one as well as possible.

    Points of clusters without a match are wrong. `clustermark.MatchedPoints.of(table)` has the matches, and the numbers
    of clusters and points without one. Most matches are certain from the table itself, and a search finds the others.
    Labelings with little in common leave many cells to search: that can take minutes, and raises an error if more than
    20 million cells are left, or if connected cells times clusters exceed 10^10.

    >>> matching_accuracy([0, 0, 1, 1, 2, 2], [1, 1, 0, 0, 0, 0])
    0.6666666666666666
    """
    return m.total / m.n


@index(
    MatchedPoints,
    title="Classification error distance",
    abbreviation="CED",
    formula="(n - total) / n",
    reference="meila2001",
    higher_is_better=False,
    metric=True,
    aliases=("misclassification_error",),
    peers={"partitionComparison": "classificationErrorDistance"},
)
def classification_error(m: MatchedPoints) -> float:
    """Share of points that are wrong under the best matching of clusters one to one: 1 − `matching_accuracy`.

    clusim and CDlib give this name to 1 − `purity`, mclust to the larger of 1 − `purity` and 1 − `inverse_purity`.

    >>> classification_error([0, 0, 1, 1, 1], [0, 0, 0, 1, 1])
    0.2
    """
    return (m.n - m.total) / m.n


@index(
    MatchedPoints,
    title="Transfer distance",
    abbreviation="TrD",
    formula="n - total",
    reference="gusfield2002",
    bounds=(0.0, inf),
    higher_is_better=False,
    metric=True,
    aliases=("partition_distance",),
    peers={"clue": "BA/A"},
)
def transfer_distance(m: MatchedPoints) -> float:
    """Fewest points to move to another cluster, or to a new one, until the two partitions are the same.

    >>> transfer_distance([0, 0, 1, 1, 1], [0, 0, 0, 1, 1])
    1.0
    """
    return m.n - m.total


@index(
    GreedyMatching,
    title="Greedy matching accuracy",
    abbreviation="GrM",
    formula="points / n",
    reference="meila2001",
    aliases=("maximum_match_measure",),
    peers={"mclustcomp": "mmm"},
)
def greedy_matching(g: GreedyMatching) -> float:
    """Share of points in matched clusters when the largest overlap is matched first, then the largest of the rest.

    Of equal overlaps it takes those that leave larger ones for later, so the order of clusters does not matter.
    mclustcomp takes the first one, so its result depends on the order of points.

    >>> greedy_matching([0] * 5 + [1] * 4, [0] * 3 + [1] * 2 + [0] * 2 + [1] * 2)
    0.5555555555555556
    >>> greedy_matching([0] * 7 + [1] * 4, [0] * 4 + [1] * 3 + [0] * 3 + [1])
    0.45454545454545453
    """
    return g.points / g.n


@index(
    MatchedSets,
    title="Pair sets index",
    abbreviation="PSI",
    formula="max(0, (total - expected) / (max(k_true, k_pred) - expected))",
    reference="rezaei2016",
    rational=False,
    undefined_when=_ONE_CLUSTER,
    peers={"genieclust": "pair_sets_index", "ELKI": "psi"},
)
def pair_sets(m: MatchedSets) -> float:
    """Similarity n / max(a, b) of clusters matched one to one, less its expected value by chance; 0 where it is less.

    The expected value is Σ min(a, b) / N over clusters paired by size, largest first. ELKI pairs the smallest first,
    which differs where the sides have different numbers of clusters; genieclust needs labels without gaps.

    >>> pair_sets([0, 0, 1, 1, 1], [0, 0, 0, 1, 1])
    0.33333333333333326
    """
    # less than expected counts as nothing in the definition
    return max(0.0, m.unexpected / (max(m.k_true, m.k_pred) - m.expected))


@index(
    MatchedSets,
    title="Simplified pair sets index",
    abbreviation="SPSI",
    formula="max(0, (total - 1) / (max(k_true, k_pred) - 1))",
    reference="rezaei2016",
    metric=None,
    rational=False,
    undefined_when=_ONE_CLUSTER,
    peers={"ELKI": "simplifiedPSI"},
)
def simplified_pair_sets(m: MatchedSets) -> float:
    """The pair sets index with 1 as the value expected by chance. (genieclust: pair_sets_index with simplified_form.)

    >>> simplified_pair_sets([0, 0, 1, 1, 1], [0, 0, 0, 1, 1])
    0.33333333333333326
    """
    return max(0.0, m.beyond(1) / (max(m.k_true, m.k_pred) - 1))


@index(
    MatchedPoints,
    title="Normalised pivoted accuracy",
    abbreviation="NPA",
    formula="(max(k_true, k_pred) * total - n) / (n * (max(k_true, k_pred) - 1))",
    reference="gagolewski2025",
    undefined_when=_ONE_CLUSTER,
    peers={"genieclust": "normalized_pivoted_accuracy"},
)
def normalized_pivoted_accuracy(m: MatchedPoints) -> float:
    """Matching accuracy, moved and stretched from [1/k, 1] to [0, 1], where k is the larger number of clusters.

    genieclust offers it for as many predicted as true clusters only.

    >>> normalized_pivoted_accuracy([0, 0, 1, 1, 1], [0, 0, 0, 1, 1])
    0.6
    """
    k = max(m.k_true, m.k_pred)
    # the best of k disjoint matchings of all points has at least a k-th of them; rounded weights may give less
    most = m.n * (k - 1)
    return max(0, most - k * (m.n - m.total)) / most


@index(
    MatchedRecall,
    title="Normalised clustering accuracy",
    abbreviation="NCA",
    formula="(total - 1) / (k_true - 1)",
    reference="gagolewski2025",
    bounds=(-1.0, 1.0),
    symmetric=False,
    rational=False,
    undefined_when="the truth is one cluster",
    peers={"genieclust": "normalized_clustering_accuracy"},
)
def normalized_clustering_accuracy(m: MatchedRecall) -> float:
    """Mean share of a true cluster in the predicted cluster matched to it, one to one, stretched so that 1/K becomes 0.

    Negative only where there are more predicted than true clusters; genieclust refuses unequal numbers.

    >>> normalized_clustering_accuracy([0, 0, 1, 1, 1], [0, 0, 0, 1, 1])
    0.6666666666666667
    """
    return m.beyond(1) / (m.k_true - 1)


@shared_index(
    MatchedProducts,
    title="Maximum matching ratio",
    abbreviation="MMR",
    formula="total / k_true",
    reference="nepusz2012",
    symmetric=False,
    rational=False,
)
def maximum_matching_ratio(m: MatchedProducts) -> float:
    """n² / (a b) of each true cluster and the predicted cluster matched to it one to one, averaged over true clusters.

    >>> maximum_matching_ratio([0, 0, 1, 1, 1], [0, 0, 0, 1, 1])
    0.6666666666666666
    """
    return share(m.total, m.k_true)


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
    """Largest 2n / (a + b) of each true cluster with a predicted cluster, averaged with the clusters' sizes.

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
    """Largest 2n / (a + b) of each true cluster with a predicted cluster, averaged over clusters, large and small.

    With side="pred" over the predicted clusters. CDlib's f1 is over predicted clusters too, but takes the true cluster
    of the largest overlap (as `nf1` does), and rounds to two decimals.

    >>> macro_best_f([0, 0, 1, 1, 1], [0, 0, 1, 0, 0])
    0.6190476190476191
    """
    if check_value(side, "side", _SIDES) == "true":
        return share(b.true_f, b.k_true)
    return share(b.pred_f, b.k_pred)


@shared_index(
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
    """Largest n / max(a, b) of each cluster of either side with a cluster of the other, averaged over all clusters.

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
    """Largest Jaccard index of each true cluster with a predicted cluster, averaged with the clusters' sizes.

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
    """The smallest share, over true clusters, of the pairs of a cluster that are together in the prediction.

    Clusters of one point have no pairs, and are left out.

    >>> prediction_strength([0, 0, 1, 1, 1], [0, 0, 0, 1, 1])
    0.3333333333333333
    """
    if b.weakest_pairs is None:
        raise ZeroDivisionError
    return b.weakest_pairs
