"""Indices of covers: clusterings whose clusters may overlap, and may leave items out."""

from __future__ import annotations

from math import inf, sqrt

from clustermark.indices.arithmetic import check_value, exact_square, share
from clustermark.indices.elements import check_alpha, element_centric
from clustermark.indices.index_types import cover_index
from clustermark.indices.matching.counterparts import average_f1, maximum_matching_ratio
from clustermark.indices.matching.majorities import geometric_accuracy
from clustermark.statistics.comemberships import CoMemberships, SharedShares
from clustermark.statistics.cover_clusters import BestClusters, CoverEntropies, MatchedClusters
from clustermark.statistics.walks import Walks


@cover_index(
    CoMemberships,
    title="Omega index",
    formula="(agreeing * pairs - chance) / (pairs**2 - chance)",
    reference="collins1988",
    bounds=(-1.0, 1.0),
    chance_model="permutation",
    undefined_when="all pairs share the same number of clusters on both sides, or there are fewer than two items",
    aliases=("omega_index",),
    peers={"CDlib": "omega", "clusim": "omega_index"},
    panel=True,
)
def omega(m: CoMemberships) -> float:
    """The share of pairs of items that share as many clusters on both sides, corrected for chance.

    On partitions it is `adjusted_rand`.

    >>> omega([{0, 1, 2, 3}, {3, 4, 5, 6}], [{0, 1, 2}, {2, 3, 4}, {4, 5, 6}])
    0.5333333333333333
    """
    return (m.agreeing * m.pairs - m.chance) / (m.pairs * m.pairs - m.chance)


@cover_index(
    CoMemberships,
    title="Pair precision of covers",
    formula="yy / (yy + ny)",
    reference="wallace1983",
    symmetric=False,
    undefined=1.0,
    undefined_when="no two items share a predicted cluster",
)
def cover_pair_precision(m: CoMemberships) -> float:
    """Of the pairs of items that share a predicted cluster, the share that shares a true cluster.

    On partitions it is `pair_precision`. How many clusters a pair shares does not count; for `omega` it does.

    >>> cover_pair_precision([{0, 1, 2, 3}, {3, 4, 5, 6}], [{0, 1, 2}, {2, 3, 4}, {4, 5, 6}])
    0.8888888888888888
    """
    return m.yy / (m.yy + m.ny)


@cover_index(
    CoMemberships,
    title="Pair recall of covers",
    formula="yy / (yy + yn)",
    reference="wallace1983",
    symmetric=False,
    undefined=1.0,
    undefined_when="no two items share a true cluster",
)
def cover_pair_recall(m: CoMemberships) -> float:
    """Of the pairs of items that share a true cluster, the share that shares a predicted cluster.

    On partitions it is `pair_recall`.

    >>> cover_pair_recall([{0, 1, 2, 3}, {3, 4, 5, 6}], [{0, 1, 2}, {2, 3, 4}, {4, 5, 6}])
    0.6666666666666666
    """
    return m.yy / (m.yy + m.yn)


@cover_index(
    CoMemberships,
    title="F-measure of pairs of covers",
    formula="(1 + beta**2) * yy / ((1 + beta**2) * yy + beta**2 * yn + ny)",
    reference="rijsbergen1979",
    symmetric=False,
    undefined=0.0,
    undefined_when="no two items share a cluster on either side",
)
def cover_pair_f(m: CoMemberships, *, beta: float = 1.0) -> float:
    """Weighted harmonic mean of the pair precision and the pair recall of covers; recall counts `beta` times as much.

    On partitions it is `f_measure`. With beta=1 it is symmetric.

    >>> cover_pair_f([{0, 1, 2, 3}, {3, 4, 5, 6}], [{0, 1, 2}, {2, 3, 4}, {4, 5, 6}])
    0.7619047619047619
    """
    square = exact_square(beta)
    return (1 + square) * m.yy / ((1 + square) * m.yy + square * m.yn + m.ny)


@cover_index(
    SharedShares,
    title="Extended B-cubed precision",
    abbreviation="EB3P",
    formula="precision / n_pred",
    reference="amigo2009",
    symmetric=False,
    rational=False,
    undefined_when="the prediction covers no item",
    panel=True,
)
def extended_b_cubed_precision(s: SharedShares) -> float:
    """Of the predicted clusters that an item shares with others, the share that is matched by true clusters.

    A mean over items e of a mean over the items f that share a predicted cluster with e, e itself included, of
    min(t, p) / p, where they share t true and p predicted clusters. Items that the prediction does not cover are left
    out of the mean. On partitions it is `b_cubed_precision`.

    >>> extended_b_cubed_precision([{0, 1, 2, 3}, {2, 3, 4, 5}, {6, 7}], [{0, 1, 2}, {3, 4, 5}, {5, 6, 7}])
    0.8541666666666666
    """
    return s.precision / s.n_pred


@cover_index(
    SharedShares,
    title="Extended B-cubed recall",
    abbreviation="EB3R",
    formula="recall / n_true",
    reference="amigo2009",
    symmetric=False,
    rational=False,
    undefined_when="the truth covers no item",
    panel=True,
)
def extended_b_cubed_recall(s: SharedShares) -> float:
    """Of the true clusters that an item shares with others, the share that is matched by predicted clusters.

    `extended_b_cubed_precision` with the sides exchanged; items that the truth does not cover are left out of the mean.
    On partitions it is `b_cubed_recall`.

    >>> extended_b_cubed_recall([{0, 1, 2, 3}, {2, 3, 4, 5}, {6, 7}], [{0, 1, 2}, {3, 4, 5}, {5, 6, 7}])
    0.7291666666666666
    """
    return s.recall / s.n_true


@cover_index(
    SharedShares,
    title="Extended B-cubed F-measure",
    abbreviation="EB3F",
    formula="(1 + beta**2) * precision * recall / (beta**2 * precision * n_true + recall * n_pred)",
    reference="amigo2009",
    symmetric=False,
    rational=False,
    undefined_when="no item is covered on both sides",
    panel=True,
)
def extended_b_cubed_f(s: SharedShares, *, beta: float = 1.0) -> float:
    """Harmonic mean of extended B-cubed precision and recall; recall counts `beta` times as much.

    On partitions it is `b_cubed_f`. With beta=1 it is symmetric.

    >>> extended_b_cubed_f([{0, 1, 2, 3}, {3, 4, 5, 6}], [{0, 1, 2}, {2, 3, 4}, {4, 5, 6}])
    0.8331886825203958
    """
    square = float(exact_square(beta))
    # neither quotient is below 1, so the mean cannot exceed 1 by rounding
    return (1 + square) / (square * (s.n_true / s.recall) + s.n_pred / s.precision)


@element_centric.also(
    Walks,
    formula="1 - sum over items of |walks - walks of the other side| / (2 * alpha * n)",
    metric=None,
    panel=True,
)
def _of_covers(w: Walks, *, alpha: float = 0.9) -> float:
    return w.compare(check_alpha(alpha))


_AVERAGES = ("max", "arithmetic", "geometric", "min")


@cover_index(
    CoverEntropies,
    title="Overlapping normalised mutual information",
    abbreviation="ONMI",
    formula="(true - true_left + pred - pred_left) / (2 * max(true, pred))",
    reference="mcdaid2011",
    facts_by_option={"average": {"geometric": {"bounds": (0.0, inf)}, "min": {"bounds": (0.0, inf)}}},
    rational=False,
    undefined_when="every cluster holds all items, or there are no clusters; with the geometric mean or min, "
    "where that is so on one side",
    peers={"CDlib": "overlapping_normalized_mutual_information_MGH"},
    panel=True,
)
def onmi(e: CoverEntropies, *, average: str = "max") -> float:
    """Mutual information of the clusters of both sides, as a share of the larger entropy.

    Each cluster is a binary variable over the items, and is compared with the most informative cluster of the other
    side. Also for partitions it differs from the normalised mutual information.

    average: of the two entropies: "max" (McDaid, Greene & Hurley), "arithmetic", "geometric" or "min". With the last
    two, similar clusters within one side can lead to scores above 1; identical covers score 1.

    Two clusters match where items in both or in neither are at least as informative as items in one only, as McDaid,
    Greene & Hurley define it (≥); for `onmi_lfk` they must be more informative (>). CDlib has > for both.

    >>> round(onmi([{0, 1, 2, 3}, {3, 4, 5, 6}], [{0, 1, 2}, {2, 3, 4}, {4, 5, 6}]), 12)
    0.356399138344
    """
    mutual = e.true - e.true_left + (e.pred - e.pred_left)
    return mutual / (2 * _average(e.true, e.pred, check_value(average, "average", _AVERAGES)))


def _average(true: float, pred: float, how: str) -> float:
    if how == "arithmetic":
        return (true + pred) / 2
    if how == "geometric":
        return sqrt(true * pred) if true != pred else true
    return max(true, pred) if how == "max" else min(true, pred)


@cover_index(
    CoverEntropies,
    title="Overlapping normalised mutual information of Lancichinetti, Fortunato and Kertész",
    abbreviation="LFK",
    formula="1 - (true_share / k_true + pred_share / k_pred) / 2",
    reference="lancichinetti2009",
    rational=False,
    undefined_when="every cluster of a side holds all items, or it has no clusters",
    aliases=("nmi_lfk",),
    peers={"CDlib": "overlapping_normalized_mutual_information_LFK"},
)
def onmi_lfk(e: CoverEntropies) -> float:
    """Mutual information of each cluster with the clusters of the other side, as a share of its own entropy.

    Clusters that have all items have no entropy, and are left out. A cover can score high although only some of its
    clusters are close to those of the other; `onmi` avoids that. For a match, items in both clusters or in neither must
    be more informative than items in one only (>).

    >>> round(onmi_lfk([{0, 1, 2, 3}, {3, 4, 5, 6}], [{0, 1, 2}, {2, 3, 4}, {4, 5, 6}]), 12)
    0.444642767283
    """
    return 1 - (e.true_share / e.k_true + e.pred_share / e.k_pred) / 2


_NO_CLUSTERS = "a cover has no clusters"


@average_f1.also(BestClusters, undefined_when=_NO_CLUSTERS, panel=True)
def _average_f1_of_covers(b: BestClusters) -> float:
    return (share(b.true_f, b.k_true) + share(b.pred_f, b.k_pred)) / 2


@cover_index(
    BestClusters,
    title="Average Jaccard index",
    formula="(true_jaccard / k_true + pred_jaccard / k_pred) / 2",
    reference="yang2013a",
    rational=False,
    undefined_when=_NO_CLUSTERS,
    panel=True,
)
def average_jaccard(b: BestClusters) -> float:
    """The largest Jaccard index of each cluster with a cluster of the other side: the mean of the means of both sides.

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
