# Types of the methods that permetrics_methods.py makes from the registry.
from abc import ABC, abstractmethod
from collections.abc import Iterator
from inspect import Parameter
from typing import Any, Protocol

from clustermark.labels.conversion import Labels
from clustermark.registry import Index

BY_HAND: tuple[str, ...]

class OfLabels(Protocol):
    def __call__(
        self,
        y_true: Labels | None = None,
        y_pred: Labels | None = None,
        force_finite: bool | None = None,
        finite_value: float | None = None,
        **_: Any,
    ) -> float: ...

class OfLabelsWithBeta(Protocol):
    def __call__(
        self,
        y_true: Labels | None = None,
        y_pred: Labels | None = None,
        beta: float = 1.0,
        force_finite: bool | None = None,
        finite_value: float | None = None,
        **_: Any,
    ) -> float: ...

class OfLabelsWithModel(Protocol):
    def __call__(
        self,
        y_true: Labels | None = None,
        y_pred: Labels | None = None,
        model: str = "permutation",
        force_finite: bool | None = None,
        finite_value: float | None = None,
        **_: Any,
    ) -> float: ...

class OfPoints(Protocol):
    def __call__(
        self,
        X: Any = None,
        y_pred: Labels | None = None,
        force_finite: bool | None = None,
        finite_value: float | None = None,
        **_: Any,
    ) -> float: ...

class PermetricsMethods(ABC):
    @abstractmethod
    def _score(
        self,
        name: str,
        labels: tuple[Labels | None, Labels | None],
        force_finite: bool | None,
        finite_value: float | None,
        **options: Any,
    ) -> float: ...
    @abstractmethod
    def _score_points(
        self,
        name: str,
        X: Any,
        y_pred: Labels | None,
        force_finite: bool | None,
        finite_value: float | None,
        score: str,
        **options: Any,
    ) -> float: ...

    # generated: methods (make generate)
    RaS: OfLabels
    """Share of all pairs on which the two labelings agree."""
    rand_score: OfLabels
    JS: OfLabels
    """Of the pairs together in either labeling, the share together in both."""
    jaccard_score: OfLabels
    PrS: OfLabels
    """Of the pairs that the prediction puts together, the share that belongs together."""
    precision_score: OfLabels
    ReS: OfLabels
    """Of the pairs that belong together, the share that the prediction puts together."""
    recall_score: OfLabels
    FmS: OfLabelsWithBeta
    """Weighted harmonic mean of pair precision and pair recall; recall counts `beta` times as much."""
    FS: OfLabelsWithBeta
    f_measure_score: OfLabelsWithBeta
    CDS: OfLabels
    """Harmonic mean of pair precision and pair recall: the pair F1."""
    czekanowski_dice_score: OfLabels
    FMS: OfLabels
    """Geometric mean of pair precision and pair recall."""
    fowlkes_mallows_score: OfLabels
    KS: OfLabels
    """Arithmetic mean of pair precision and pair recall."""
    kulczynski_score: OfLabels
    RRS: OfLabels
    """Share of all pairs that are together in both; on identical partitions it depends on their cluster sizes."""
    russel_rao_score: OfLabels
    RTS: OfLabels
    """The Rand index with disagreements counted twice."""
    rogers_tanimoto_score: OfLabels
    SS1S: OfLabels
    """The Jaccard index of pairs with disagreements counted twice."""
    sokal_sneath1_score: OfLabels
    SS2S: OfLabels
    """The Rand index with agreements counted twice."""
    sokal_sneath2_score: OfLabels
    GAS: OfLabels
    """Agreements less disagreements, as a share of all pairs: 2 × Rand − 1."""
    gamma_score: OfLabels
    HGS: OfLabels
    """Correlation, over all pairs, of being together in truth and being together in prediction."""
    hubert_gamma_score: OfLabels
    PhS: OfLabels
    phi_score: OfLabels
    MNS: OfLabels
    """Bias of the prediction: positive if it puts too few pairs together, negative if too many."""
    mc_nemar_score: OfLabels
    TauS: OfLabels
    """Pairs on which the labelings agree minus those on which they differ, over a geometric mean of pair counts."""
    tau_score: OfLabels
    GPS: OfLabels
    """Share of all pairs on which the labelings differ: 1 − Rand."""
    gplus_score: OfLabels
    ARS: OfLabelsWithModel
    """The Rand index corrected for chance: 0 on average over random labelings, 1 at best."""
    adjusted_rand_score: OfLabelsWithModel
    EnS: OfLabels
    """Uncertainty of a point's true cluster if its predicted cluster is known: H(T|P)."""
    entropy_score: OfLabels
    MIS: OfLabels
    """Information that one cluster of a point gives about the other; at most the smaller entropy."""
    mutual_info_score: OfLabels
    NMIS: OfLabels
    """Mutual information as a share of an average of the two entropies."""
    normalized_mutual_info_score: OfLabels
    HS: OfLabels
    """Share of the true entropy that the prediction explains; 1 if no predicted cluster mixes true clusters."""
    homogeneity_score: OfLabels
    CS: OfLabels
    """Share of the predicted entropy that the truth explains; 1 if no true cluster is split."""
    completeness_score: OfLabels
    VMS: OfLabelsWithBeta
    """Weighted harmonic mean of homogeneity and completeness; completeness counts `beta` times as much."""
    v_measure_score: OfLabelsWithBeta
    PuS: OfLabels
    """Share of points in the true cluster that is most frequent in their predicted cluster."""
    purity_score: OfLabels
    SSEI: OfPoints
    """Sum of the squared distances of points to the centers of their clusters, which k-means minimizes."""
    sum_squared_error_index: OfPoints
    MSEI: OfPoints
    """Mean squared distance of points to the centers of their clusters."""
    mean_squared_error_index: OfPoints
    RSI: OfPoints
    """Share of the scatter of all points that lies between clusters, not within; it grows with their number."""
    r_squared_index: OfPoints
    BHI: OfPoints
    """Mean squared distance to the center, averaged over clusters."""
    ball_hall_index: OfPoints
    CHI: OfPoints
    """Scatter between clusters over scatter within, each by its degrees of freedom; inf if there is none within."""
    calinski_harabasz_index: OfPoints
    LSRI: OfPoints
    """Logarithm of scatter between clusters over scatter within them."""
    log_ss_ratio_index: OfPoints
    BRI: OfPoints
    """Sum of the logarithms of the clusters' mean squares, weighted by size; -inf if one of these is 0."""
    banfeld_raftery_index: OfPoints
    DRI: OfPoints
    """Determinant of the scatter of all points over that within clusters (Wilks' lambda, inverted)."""
    det_ratio_index: OfPoints
    LDRI: OfPoints
    """Logarithm of the ratio of determinants, times the number of points."""
    log_det_ratio_index: OfPoints
    DBI: OfPoints
    """Width of two clusters over the distance of their centers, for the worst partner; inf if centers coincide."""
    davies_bouldin_index: OfPoints
    XBI: OfPoints
    """Mean squared distance to the own center, over the least squared distance of two clusters."""
    xie_beni_index: OfPoints
    # end of generated

def list_methods() -> Iterator[tuple[list[str], Index[...], dict[str, Any], Parameter | None]]: ...
