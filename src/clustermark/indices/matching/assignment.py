"""Clusters matched one to one."""

from __future__ import annotations

from math import inf

from clustermark.indices.both import index_of_both
from clustermark.indices.matching.shares import share
from clustermark.registry import index
from clustermark.statistics.matching import GreedyMatching, MatchedPoints, MatchedProducts, MatchedRecall, MatchedSets

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

    Points of clusters without a match are wrong. `clustermark.MatchedPoints.of(table)` tells the matches, and how many
    clusters and points are left without one. Most matches are certain from the table itself, and the rest is searched
    for. Labelings with next to nothing in common leave a lot: that can take minutes, and is refused where more than
    20 million cells are left, or cells times clusters that hang together exceed 10^10.

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

    Among equal overlaps those are taken that leave the larger ones for later, so no order of clusters matters.
    mclustcomp takes the first it meets, and its result depends on the order of points.

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
    """Similarity n / max(a, b) of clusters matched one to one, less what to expect by chance; 0 where it is less.

    What to expect is Σ min(a, b) / N over clusters paired by size, largest first. ELKI pairs the smallest first, which
    is another number where the sides have different numbers of clusters; genieclust wants labels without gaps.

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
    """The pair sets index with 1 as what to expect by chance. (genieclust: pair_sets_index with simplified_form.)

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
    # the best of k matchings that share out all points has a k-th of them; with weights it may seem less by rounding
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


@index_of_both(
    MatchedProducts,
    title="Maximum matching ratio",
    abbreviation="MMR",
    formula="total / k_true",
    reference="nepusz2012",
    symmetric=False,
    rational=False,
)
def maximum_matching_ratio(m: MatchedProducts) -> float:
    """Of each true cluster n² / (a b) with the predicted cluster matched to it one to one, averaged over true clusters.

    >>> maximum_matching_ratio([0, 0, 1, 1, 1], [0, 0, 0, 1, 1])
    0.6666666666666666
    """
    return share(m.total, m.k_true)
