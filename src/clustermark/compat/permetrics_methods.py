"""permetrics' names of scores, as methods; generated from the registry."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from clustermark.labels.kinds import Labels


class PermetricsMethods(ABC):
    """One method for each abbreviation and long name; what a score is, `_score` and `_score_points` know."""

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
    def RaS(
        self,
        y_true: Labels | None = None,
        y_pred: Labels | None = None,
        force_finite: bool | None = None,
        finite_value: float | None = None,
        **_: Any,
    ) -> float:
        """Share of all pairs on which the two labelings agree."""
        return self._score("rand", (y_true, y_pred), force_finite, finite_value)

    rand_score = RaS

    def JS(
        self,
        y_true: Labels | None = None,
        y_pred: Labels | None = None,
        force_finite: bool | None = None,
        finite_value: float | None = None,
        **_: Any,
    ) -> float:
        """Of the pairs together in either labeling, the share together in both."""
        return self._score("jaccard", (y_true, y_pred), force_finite, finite_value)

    jaccard_score = JS

    def PrS(
        self,
        y_true: Labels | None = None,
        y_pred: Labels | None = None,
        force_finite: bool | None = None,
        finite_value: float | None = None,
        **_: Any,
    ) -> float:
        """Of the pairs that the prediction puts together, the share that belongs together."""
        return self._score("pair_precision", (y_true, y_pred), force_finite, finite_value)

    precision_score = PrS

    def ReS(
        self,
        y_true: Labels | None = None,
        y_pred: Labels | None = None,
        force_finite: bool | None = None,
        finite_value: float | None = None,
        **_: Any,
    ) -> float:
        """Of the pairs that belong together, the share that the prediction puts together."""
        return self._score("pair_recall", (y_true, y_pred), force_finite, finite_value)

    recall_score = ReS

    def FmS(
        self,
        y_true: Labels | None = None,
        y_pred: Labels | None = None,
        beta: float = 1.0,
        force_finite: bool | None = None,
        finite_value: float | None = None,
        **_: Any,
    ) -> float:
        """Weighted harmonic mean of pair precision and pair recall; recall counts `beta` times as much."""
        return self._score("f_measure", (y_true, y_pred), force_finite, finite_value, beta=beta)

    FS = FmS
    f_measure_score = FmS

    def CDS(
        self,
        y_true: Labels | None = None,
        y_pred: Labels | None = None,
        force_finite: bool | None = None,
        finite_value: float | None = None,
        **_: Any,
    ) -> float:
        """Harmonic mean of pair precision and pair recall: the pair F1."""
        return self._score("dice", (y_true, y_pred), force_finite, finite_value)

    czekanowski_dice_score = CDS

    def FMS(
        self,
        y_true: Labels | None = None,
        y_pred: Labels | None = None,
        force_finite: bool | None = None,
        finite_value: float | None = None,
        **_: Any,
    ) -> float:
        """Geometric mean of pair precision and pair recall."""
        return self._score("fowlkes_mallows", (y_true, y_pred), force_finite, finite_value)

    fowlkes_mallows_score = FMS

    def KS(
        self,
        y_true: Labels | None = None,
        y_pred: Labels | None = None,
        force_finite: bool | None = None,
        finite_value: float | None = None,
        **_: Any,
    ) -> float:
        """Arithmetic mean of pair precision and pair recall."""
        return self._score("kulczynski2", (y_true, y_pred), force_finite, finite_value)

    kulczynski_score = KS

    def RRS(
        self,
        y_true: Labels | None = None,
        y_pred: Labels | None = None,
        force_finite: bool | None = None,
        finite_value: float | None = None,
        **_: Any,
    ) -> float:
        """Share of all pairs that are together in both; on identical partitions it depends on their cluster sizes."""
        return self._score("russell_rao", (y_true, y_pred), force_finite, finite_value)

    russel_rao_score = RRS

    def RTS(
        self,
        y_true: Labels | None = None,
        y_pred: Labels | None = None,
        force_finite: bool | None = None,
        finite_value: float | None = None,
        **_: Any,
    ) -> float:
        """The Rand index with disagreements counted twice."""
        return self._score("rogers_tanimoto", (y_true, y_pred), force_finite, finite_value)

    rogers_tanimoto_score = RTS

    def SS1S(
        self,
        y_true: Labels | None = None,
        y_pred: Labels | None = None,
        force_finite: bool | None = None,
        finite_value: float | None = None,
        **_: Any,
    ) -> float:
        """The Jaccard index of pairs with disagreements counted twice."""
        return self._score("sokal_sneath_a", (y_true, y_pred), force_finite, finite_value)

    sokal_sneath1_score = SS1S

    def SS2S(
        self,
        y_true: Labels | None = None,
        y_pred: Labels | None = None,
        force_finite: bool | None = None,
        finite_value: float | None = None,
        **_: Any,
    ) -> float:
        """The Rand index with agreements counted twice."""
        return self._score("sokal_sneath_b", (y_true, y_pred), force_finite, finite_value)

    sokal_sneath2_score = SS2S

    def GAS(
        self,
        y_true: Labels | None = None,
        y_pred: Labels | None = None,
        force_finite: bool | None = None,
        finite_value: float | None = None,
        **_: Any,
    ) -> float:
        """Agreements less disagreements, as a share of all pairs: 2 × Rand − 1."""
        return self._score("hamann", (y_true, y_pred), force_finite, finite_value)

    gamma_score = GAS

    def HGS(
        self,
        y_true: Labels | None = None,
        y_pred: Labels | None = None,
        force_finite: bool | None = None,
        finite_value: float | None = None,
        **_: Any,
    ) -> float:
        """Correlation, over all pairs, of being together in truth and being together in prediction."""
        return self._score("phi", (y_true, y_pred), force_finite, finite_value)

    hubert_gamma_score = HGS
    PhS = HGS
    phi_score = HGS

    def MNS(
        self,
        y_true: Labels | None = None,
        y_pred: Labels | None = None,
        force_finite: bool | None = None,
        finite_value: float | None = None,
        **_: Any,
    ) -> float:
        """Whether the prediction puts too few pairs together (positive) or too many (negative)."""
        return self._score("mcnemar", (y_true, y_pred), force_finite, finite_value)

    mc_nemar_score = MNS

    def TauS(
        self,
        y_true: Labels | None = None,
        y_pred: Labels | None = None,
        force_finite: bool | None = None,
        finite_value: float | None = None,
        **_: Any,
    ) -> float:
        """Pairs on which the labelings agree minus those on which they differ, over a geometric mean of pair counts."""
        return self._score("tau", (y_true, y_pred), force_finite, finite_value)

    tau_score = TauS

    def GPS(
        self,
        y_true: Labels | None = None,
        y_pred: Labels | None = None,
        force_finite: bool | None = None,
        finite_value: float | None = None,
        **_: Any,
    ) -> float:
        """Share of all pairs on which the labelings differ: 1 − Rand."""
        return self._score("rand_distance", (y_true, y_pred), force_finite, finite_value)

    gplus_score = GPS

    def ARS(
        self,
        y_true: Labels | None = None,
        y_pred: Labels | None = None,
        model: str = "permutation",
        force_finite: bool | None = None,
        finite_value: float | None = None,
        **_: Any,
    ) -> float:
        """The Rand index corrected for chance: 0 on average over random labelings, 1 at best."""
        return self._score("adjusted_rand", (y_true, y_pred), force_finite, finite_value, model=model)

    adjusted_rand_score = ARS

    def EnS(
        self,
        y_true: Labels | None = None,
        y_pred: Labels | None = None,
        force_finite: bool | None = None,
        finite_value: float | None = None,
        **_: Any,
    ) -> float:
        """What is left to learn of a point's true cluster once its predicted cluster is known: H(T|P)."""
        return self._score("conditional_entropy_true", (y_true, y_pred), force_finite, finite_value, base=2)

    entropy_score = EnS

    def MIS(
        self,
        y_true: Labels | None = None,
        y_pred: Labels | None = None,
        force_finite: bool | None = None,
        finite_value: float | None = None,
        **_: Any,
    ) -> float:
        """What knowing one of a point's clusters tells of the other; at most the smaller entropy."""
        return self._score("mutual_information", (y_true, y_pred), force_finite, finite_value)

    mutual_info_score = MIS

    def NMIS(
        self,
        y_true: Labels | None = None,
        y_pred: Labels | None = None,
        force_finite: bool | None = None,
        finite_value: float | None = None,
        **_: Any,
    ) -> float:
        """Mutual information as a share of an average of the two entropies."""
        return self._score(
            "normalized_mutual_information",
            (y_true, y_pred),
            force_finite,
            finite_value,
            average="arithmetic",
        )

    normalized_mutual_info_score = NMIS

    def HS(
        self,
        y_true: Labels | None = None,
        y_pred: Labels | None = None,
        force_finite: bool | None = None,
        finite_value: float | None = None,
        **_: Any,
    ) -> float:
        """How much of the true entropy the prediction explains; 1 if no predicted cluster mixes true clusters."""
        return self._score("homogeneity", (y_true, y_pred), force_finite, finite_value)

    homogeneity_score = HS

    def CS(
        self,
        y_true: Labels | None = None,
        y_pred: Labels | None = None,
        force_finite: bool | None = None,
        finite_value: float | None = None,
        **_: Any,
    ) -> float:
        """How much of the predicted entropy the truth explains; 1 if no true cluster is split."""
        return self._score("completeness", (y_true, y_pred), force_finite, finite_value)

    completeness_score = CS

    def VMS(
        self,
        y_true: Labels | None = None,
        y_pred: Labels | None = None,
        beta: float = 1.0,
        force_finite: bool | None = None,
        finite_value: float | None = None,
        **_: Any,
    ) -> float:
        """Weighted harmonic mean of homogeneity and completeness; completeness counts `beta` times as much."""
        return self._score("v_measure", (y_true, y_pred), force_finite, finite_value, beta=beta)

    v_measure_score = VMS

    def PuS(
        self,
        y_true: Labels | None = None,
        y_pred: Labels | None = None,
        force_finite: bool | None = None,
        finite_value: float | None = None,
        **_: Any,
    ) -> float:
        """Share of points that are in the true cluster which their predicted cluster holds most of."""
        return self._score("purity", (y_true, y_pred), force_finite, finite_value)

    purity_score = PuS

    def SSEI(
        self,
        X: Any = None,
        y_pred: Labels | None = None,
        force_finite: bool | None = None,
        finite_value: float | None = None,
        **_: Any,
    ) -> float:
        """Sum of the squared distances of points to the centers of their clusters, which k-means makes small."""
        return self._score_points("within_sum_of_squares", X, y_pred, force_finite, finite_value, "SSEI")

    sum_squared_error_index = SSEI

    def MSEI(
        self,
        X: Any = None,
        y_pred: Labels | None = None,
        force_finite: bool | None = None,
        finite_value: float | None = None,
        **_: Any,
    ) -> float:
        """Mean squared distance of points to the centers of their clusters."""
        return self._score_points("within_mean_square", X, y_pred, force_finite, finite_value, "MSEI")

    mean_squared_error_index = MSEI

    def RSI(
        self,
        X: Any = None,
        y_pred: Labels | None = None,
        force_finite: bool | None = None,
        finite_value: float | None = None,
        **_: Any,
    ) -> float:
        """Share of the scatter of all points that lies between clusters, not within; it grows with their number."""
        return self._score_points("r_squared", X, y_pred, force_finite, finite_value, "RSI")

    r_squared_index = RSI

    def BHI(
        self,
        X: Any = None,
        y_pred: Labels | None = None,
        force_finite: bool | None = None,
        finite_value: float | None = None,
        **_: Any,
    ) -> float:
        """Mean squared distance to the center, averaged over clusters."""
        return self._score_points("ball_hall", X, y_pred, force_finite, finite_value, "BHI", average="total")

    ball_hall_index = BHI

    def CHI(
        self,
        X: Any = None,
        y_pred: Labels | None = None,
        force_finite: bool | None = None,
        finite_value: float | None = None,
        **_: Any,
    ) -> float:
        """Scatter between clusters over scatter within, each by its degrees of freedom; inf if nothing is within."""
        return self._score_points("calinski_harabasz", X, y_pred, force_finite, finite_value, "CHI")

    calinski_harabasz_index = CHI

    def LSRI(
        self,
        X: Any = None,
        y_pred: Labels | None = None,
        force_finite: bool | None = None,
        finite_value: float | None = None,
        **_: Any,
    ) -> float:
        """Logarithm of scatter between clusters over scatter within them."""
        return self._score_points("log_ss_ratio", X, y_pred, force_finite, finite_value, "LSRI")

    log_ss_ratio_index = LSRI

    def BRI(
        self,
        X: Any = None,
        y_pred: Labels | None = None,
        force_finite: bool | None = None,
        finite_value: float | None = None,
        **_: Any,
    ) -> float:
        """Sum of the logarithms of the clusters' mean squares, by their sizes; -inf if those of a cluster are 0."""
        return self._score_points("banfield_raftery", X, y_pred, force_finite, finite_value, "BRI")

    banfeld_raftery_index = BRI

    def DRI(
        self,
        X: Any = None,
        y_pred: Labels | None = None,
        force_finite: bool | None = None,
        finite_value: float | None = None,
        **_: Any,
    ) -> float:
        """Determinant of the scatter of all points over that within clusters (Wilks' lambda, inverted)."""
        return self._score_points("det_ratio", X, y_pred, force_finite, finite_value, "DRI")

    det_ratio_index = DRI

    def LDRI(
        self,
        X: Any = None,
        y_pred: Labels | None = None,
        force_finite: bool | None = None,
        finite_value: float | None = None,
        **_: Any,
    ) -> float:
        """Logarithm of the ratio of determinants, times the number of points."""
        return self._score_points("log_det_ratio", X, y_pred, force_finite, finite_value, "LDRI")

    log_det_ratio_index = LDRI

    def DBI(
        self,
        X: Any = None,
        y_pred: Labels | None = None,
        force_finite: bool | None = None,
        finite_value: float | None = None,
        **_: Any,
    ) -> float:
        """How wide clusters are beside the distance to the most similar other one; inf if centers coincide."""
        return self._score_points("davies_bouldin", X, y_pred, force_finite, finite_value, "DBI")

    davies_bouldin_index = DBI

    def XBI(
        self,
        X: Any = None,
        y_pred: Labels | None = None,
        force_finite: bool | None = None,
        finite_value: float | None = None,
        **_: Any,
    ) -> float:
        """Mean squared distance to the own center, over the least squared distance of two clusters."""
        return self._score_points("xie_beni", X, y_pred, force_finite, finite_value, "XBI")

    xie_beni_index = XBI
    # end of generated
