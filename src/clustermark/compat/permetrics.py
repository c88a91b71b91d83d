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
        self.y_true = y_true
        self.y_pred = y_pred
        self.force_finite = force_finite
        self.finite_value = finite_value
        self._table: Contingency | None = None

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
        if y_true is None and y_pred is None:
            if self._table is None:
                self._table = self._crosstab(self.y_true, self.y_pred)
            return self._table
        return self._crosstab(self.y_true if y_true is None else y_true, self.y_pred if y_pred is None else y_pred)

    @staticmethod
    def _crosstab(y_true: Labels, y_pred: Labels) -> Contingency:
        for name, labels in (("y_true", y_true), ("y_pred", y_pred)):
            if labels is None:
                raise InputError(f"{name} is not given; pass it to ClusteringMetric(...) or to the method")
        return crosstab(y_true, y_pred)

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
    # end of generated


def _refuse_features(X: object) -> None:
    if X is not None:
        raise InputError(
            "X: internal indices, which judge a clustering by its features, are not offered yet; pass y_true and y_pred"
        )
