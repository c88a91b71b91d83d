"""Sums of largest cells: purity and its relatives, and the distances made of them."""

from __future__ import annotations

from math import inf, sqrt

from clustermark.errors import InputError
from clustermark.indices.averages import check_value
from clustermark.indices.both import index_of_both
from clustermark.registry import index
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
    """Share of points that are in the true cluster which their predicted cluster holds most of.

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
    """Share of points that are in the predicted cluster which their true cluster has most points in.

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


@index_of_both(
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
    """Operations that make the truth of the prediction: a copy of each predicted cluster, a move of each wrong point.

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
