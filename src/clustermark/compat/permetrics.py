"""permetrics' class, with the values its documents promise."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clustermark.contingency import Contingency, Labels, crosstab
from clustermark.errors import InputError
from clustermark.registry import find

if TYPE_CHECKING:
    from clustermark.registry import Index


class ClusteringMetric:
    """Scores of a prediction against the truth, by permetrics' names.

    force_finite: True returns a value where a score is undefined, False raises `UndefinedIndexError`.
    finite_value: that value; by default the one that belongs to the index.
    Both can be given here and to each method; the method's wins.

    >>> cm = ClusteringMetric(y_true=[0, 0, 1, 1, 2, 2], y_pred=[0, 0, 1, 1, 1, 2])
    >>> cm.JS(), cm.PrS(), cm.FmS(beta=1.0) == cm.CDS()
    (0.4, 0.5, True)
    """

    def __init__(
        self,
        y_true: Labels = None,
        y_pred: Labels = None,
        X: object = None,
        force_finite: bool = True,
        finite_value: float | None = None,
    ) -> None:
        _refuse_features(X)
        self._labels = (y_true, y_pred)
        # the table is made here, so that labels changed afterwards cannot make it stale
        self._table = None if y_true is None or y_pred is None else crosstab(y_true, y_pred)
        self.force_finite = force_finite
        self.finite_value = finite_value

    def _score(
        self,
        name: str,
        labels: tuple[Labels, Labels],
        X: object,
        force_finite: bool | None,
        finite_value: float | None,
        **options: Any,
    ) -> float:
        _refuse_features(X)
        index: Index[...] = find(name)
        fallback = self.finite_value if finite_value is None else finite_value
        if not (self.force_finite if force_finite is None else force_finite):
            index = index.strict
        elif fallback is not None:
            index = index.when_undefined(fallback)
        return index.of(self._table_of(*labels), **options)

    def _table_of(self, y_true: Labels, y_pred: Labels) -> Contingency:
        """The table of the labels given to a method, completed by those given to the constructor."""
        if self._table is not None and y_true is None and y_pred is None:
            return self._table
        pair = [given if given is not None else own for given, own in zip((y_true, y_pred), self._labels, strict=True)]
        for name, labels in zip(("y_true", "y_pred"), pair, strict=True):
            if labels is None:
                raise InputError(f"{name} is not given; pass it to ClusteringMetric(...) or to the method")
        return crosstab(*pair)

    @property
    def y_true(self) -> Labels:
        """The truth given to the constructor."""
        return self._labels[0]

    @property
    def y_pred(self) -> Labels:
        """The prediction given to the constructor."""
        return self._labels[1]

    # generated: methods (make generate)
    def RaS(
        self,
        y_true: Labels = None,
        y_pred: Labels = None,
        force_finite: bool | None = None,
        finite_value: float | None = None,
        *,
        X: object = None,
    ) -> float:
        """Share of all pairs on which the two labelings agree."""
        return self._score("rand", (y_true, y_pred), X, force_finite, finite_value)

    rand_score = RaS

    def JS(
        self,
        y_true: Labels = None,
        y_pred: Labels = None,
        force_finite: bool | None = None,
        finite_value: float | None = None,
        *,
        X: object = None,
    ) -> float:
        """Of the pairs together in either labeling, the share together in both."""
        return self._score("jaccard", (y_true, y_pred), X, force_finite, finite_value)

    jaccard_score = JS

    def PrS(
        self,
        y_true: Labels = None,
        y_pred: Labels = None,
        force_finite: bool | None = None,
        finite_value: float | None = None,
        *,
        X: object = None,
    ) -> float:
        """Of the pairs that the prediction puts together, the share that belongs together."""
        return self._score("pair_precision", (y_true, y_pred), X, force_finite, finite_value)

    precision_score = PrS

    def ReS(
        self,
        y_true: Labels = None,
        y_pred: Labels = None,
        force_finite: bool | None = None,
        finite_value: float | None = None,
        *,
        X: object = None,
    ) -> float:
        """Of the pairs that belong together, the share that the prediction puts together."""
        return self._score("pair_recall", (y_true, y_pred), X, force_finite, finite_value)

    recall_score = ReS

    def FmS(
        self,
        y_true: Labels = None,
        y_pred: Labels = None,
        beta: float = 1.0,
        force_finite: bool | None = None,
        finite_value: float | None = None,
        *,
        X: object = None,
    ) -> float:
        """Weighted harmonic mean of pair precision and pair recall; recall counts `beta` times as much."""
        return self._score("f_measure", (y_true, y_pred), X, force_finite, finite_value, beta=beta)

    FS = FmS
    f_measure_score = FmS

    def CDS(
        self,
        y_true: Labels = None,
        y_pred: Labels = None,
        force_finite: bool | None = None,
        finite_value: float | None = None,
        *,
        X: object = None,
    ) -> float:
        """Harmonic mean of pair precision and pair recall: the pair F1."""
        return self._score("dice", (y_true, y_pred), X, force_finite, finite_value)

    czekanowski_dice_score = CDS

    def FMS(
        self,
        y_true: Labels = None,
        y_pred: Labels = None,
        force_finite: bool | None = None,
        finite_value: float | None = None,
        *,
        X: object = None,
    ) -> float:
        """Geometric mean of pair precision and pair recall."""
        return self._score("fowlkes_mallows", (y_true, y_pred), X, force_finite, finite_value)

    fowlkes_mallows_score = FMS

    def KS(
        self,
        y_true: Labels = None,
        y_pred: Labels = None,
        force_finite: bool | None = None,
        finite_value: float | None = None,
        *,
        X: object = None,
    ) -> float:
        """Arithmetic mean of pair precision and pair recall."""
        return self._score("kulczynski2", (y_true, y_pred), X, force_finite, finite_value)

    kulczynski_score = KS

    def RRS(
        self,
        y_true: Labels = None,
        y_pred: Labels = None,
        force_finite: bool | None = None,
        finite_value: float | None = None,
        *,
        X: object = None,
    ) -> float:
        """Share of all pairs that are together in both; on identical partitions it depends on their cluster sizes."""
        return self._score("russell_rao", (y_true, y_pred), X, force_finite, finite_value)

    russel_rao_score = RRS

    def RTS(
        self,
        y_true: Labels = None,
        y_pred: Labels = None,
        force_finite: bool | None = None,
        finite_value: float | None = None,
        *,
        X: object = None,
    ) -> float:
        """The Rand index with disagreements counted twice."""
        return self._score("rogers_tanimoto", (y_true, y_pred), X, force_finite, finite_value)

    rogers_tanimoto_score = RTS

    def SS1S(
        self,
        y_true: Labels = None,
        y_pred: Labels = None,
        force_finite: bool | None = None,
        finite_value: float | None = None,
        *,
        X: object = None,
    ) -> float:
        """The Jaccard index of pairs with disagreements counted twice."""
        return self._score("sokal_sneath_a", (y_true, y_pred), X, force_finite, finite_value)

    sokal_sneath1_score = SS1S

    def SS2S(
        self,
        y_true: Labels = None,
        y_pred: Labels = None,
        force_finite: bool | None = None,
        finite_value: float | None = None,
        *,
        X: object = None,
    ) -> float:
        """The Rand index with agreements counted twice."""
        return self._score("sokal_sneath_b", (y_true, y_pred), X, force_finite, finite_value)

    sokal_sneath2_score = SS2S

    def GAS(
        self,
        y_true: Labels = None,
        y_pred: Labels = None,
        force_finite: bool | None = None,
        finite_value: float | None = None,
        *,
        X: object = None,
    ) -> float:
        """Agreements less disagreements, as a share of all pairs: 2 × Rand − 1."""
        return self._score("hamann", (y_true, y_pred), X, force_finite, finite_value)

    gamma_score = GAS

    def HGS(
        self,
        y_true: Labels = None,
        y_pred: Labels = None,
        force_finite: bool | None = None,
        finite_value: float | None = None,
        *,
        X: object = None,
    ) -> float:
        """Correlation, over all pairs, of being together in truth and being together in prediction."""
        return self._score("phi", (y_true, y_pred), X, force_finite, finite_value)

    hubert_gamma_score = HGS
    PhS = HGS
    phi_score = HGS

    def MNS(
        self,
        y_true: Labels = None,
        y_pred: Labels = None,
        force_finite: bool | None = None,
        finite_value: float | None = None,
        *,
        X: object = None,
    ) -> float:
        """Whether the prediction puts too few pairs together (positive) or too many (negative)."""
        return self._score("mcnemar", (y_true, y_pred), X, force_finite, finite_value)

    mc_nemar_score = MNS

    def TauS(
        self,
        y_true: Labels = None,
        y_pred: Labels = None,
        force_finite: bool | None = None,
        finite_value: float | None = None,
        *,
        X: object = None,
    ) -> float:
        """Pairs on which the labelings agree minus those on which they differ, over a geometric mean of pair counts."""
        return self._score("tau", (y_true, y_pred), X, force_finite, finite_value)

    tau_score = TauS

    def GPS(
        self,
        y_true: Labels = None,
        y_pred: Labels = None,
        force_finite: bool | None = None,
        finite_value: float | None = None,
        *,
        X: object = None,
    ) -> float:
        """Share of all pairs on which the labelings differ: 1 − Rand."""
        return self._score("rand_distance", (y_true, y_pred), X, force_finite, finite_value)

    gplus_score = GPS

    def ARS(
        self,
        y_true: Labels = None,
        y_pred: Labels = None,
        force_finite: bool | None = None,
        finite_value: float | None = None,
        *,
        X: object = None,
    ) -> float:
        """The Rand index corrected for chance: 0 on average over random labelings with the same cluster sizes."""
        return self._score("adjusted_rand", (y_true, y_pred), X, force_finite, finite_value)

    adjusted_rand_score = ARS
    # end of generated


def _refuse_features(X: object) -> None:
    if X is not None:
        raise InputError(
            "X: internal indices, which judge a clustering by its features, are not offered yet; pass y_true and y_pred"
        )
