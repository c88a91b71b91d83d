"""permetrics' class, with the values its documents promise."""

from __future__ import annotations

from math import isinf
from typing import TYPE_CHECKING, Any

from clustermark.contingency import Contingency, Labels, crosstab
from clustermark.errors import InputError
from clustermark.facts import interval
from clustermark.registry import catalogue, find, with_chosen_options

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

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

    @staticmethod
    def get_support(name: str | None = None, verbose: bool = True) -> dict[str, Any]:
        """Direction, range and best value of one score by its abbreviation, or of all ("all").

        >>> ClusteringMetric.get_support("JS", verbose=False)
        {'type': 'max', 'range': '[0, 1]', 'best': '1'}
        """
        support = {_abbreviation(index): _support(index) for index in catalogue() if "permetrics" in index.facts.peers}
        if name not in (None, "all"):
            if name not in support:
                raise InputError(f"get_support: no score is called {name!r}; there are {', '.join(support)}")
            support = {name: support[name]}
        if verbose:
            for abbreviation, facts in support.items():
                print(f"Metric {abbreviation}: {facts}")  # noqa: T201 (that is what verbose means there)
        return support if name in (None, "all") else support[name]

    def get_metric_by_name(self, metric_name: str, paras: dict[str, Any] | None = None) -> dict[str, float]:
        """The score of this name, with these options."""
        return self.get_metrics_by_dict({metric_name: paras})

    def get_metrics_by_list_names(
        self, list_metric_names: Sequence[str], list_paras: Sequence[dict[str, Any] | None] | None = None
    ) -> dict[str, float]:
        """The scores of these names, each with its options."""
        paras = [None] * len(list_metric_names) if list_paras is None else list_paras
        if len(paras) != len(list_metric_names):
            raise InputError(f"list_paras: has {len(paras)} entries for {len(list_metric_names)} names")
        return self.get_metrics_by_dict(dict(zip(list_metric_names, paras, strict=True)))

    def get_metrics_by_dict(self, metrics_dict: Mapping[str, dict[str, Any] | None]) -> dict[str, float]:
        """The scores of these names, each with its options.

        >>> ClusteringMetric([0, 0, 1, 1], [0, 0, 0, 1]).get_metrics_by_dict({"JS": None, "FmS": {"beta": 2}})
        {'JS': 0.25, 'FmS': 0.45454545454545453}
        """
        return {name: self._method(name)(**(paras or {})) for name, paras in metrics_dict.items()}

    def _method(self, name: str) -> Callable[..., float]:
        if name.startswith(("_", "get_")) or not callable(getattr(self, name, None)):
            raise InputError(f"no score is called {name!r}; get_support('all') lists them")
        method: Callable[..., float] = getattr(self, name)
        return method

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
        model: str = "permutation",
        force_finite: bool | None = None,
        finite_value: float | None = None,
        *,
        X: object = None,
    ) -> float:
        """The Rand index corrected for chance: 0 on average over random labelings, 1 at best."""
        return self._score("adjusted_rand", (y_true, y_pred), X, force_finite, finite_value, model=model)

    adjusted_rand_score = ARS

    def EnS(
        self,
        y_true: Labels = None,
        y_pred: Labels = None,
        force_finite: bool | None = None,
        finite_value: float | None = None,
        *,
        X: object = None,
    ) -> float:
        """What is left to learn of a point's true cluster once its predicted cluster is known: H(T|P)."""
        return self._score("conditional_entropy_true", (y_true, y_pred), X, force_finite, finite_value, base=2)

    entropy_score = EnS

    def MIS(
        self,
        y_true: Labels = None,
        y_pred: Labels = None,
        force_finite: bool | None = None,
        finite_value: float | None = None,
        *,
        X: object = None,
    ) -> float:
        """What knowing one of a point's clusters tells of the other; at most the smaller entropy."""
        return self._score("mutual_information", (y_true, y_pred), X, force_finite, finite_value)

    mutual_info_score = MIS

    def NMIS(
        self,
        y_true: Labels = None,
        y_pred: Labels = None,
        force_finite: bool | None = None,
        finite_value: float | None = None,
        *,
        X: object = None,
    ) -> float:
        """Mutual information as a share of an average of the two entropies."""
        return self._score(
            "normalized_mutual_information",
            (y_true, y_pred),
            X,
            force_finite,
            finite_value,
            average="arithmetic",
        )

    normalized_mutual_info_score = NMIS

    def HS(
        self,
        y_true: Labels = None,
        y_pred: Labels = None,
        force_finite: bool | None = None,
        finite_value: float | None = None,
        *,
        X: object = None,
    ) -> float:
        """How much of the true entropy the prediction explains; 1 if no predicted cluster mixes true clusters."""
        return self._score("homogeneity", (y_true, y_pred), X, force_finite, finite_value)

    homogeneity_score = HS

    def CS(
        self,
        y_true: Labels = None,
        y_pred: Labels = None,
        force_finite: bool | None = None,
        finite_value: float | None = None,
        *,
        X: object = None,
    ) -> float:
        """How much of the predicted entropy the truth explains; 1 if no true cluster is split."""
        return self._score("completeness", (y_true, y_pred), X, force_finite, finite_value)

    completeness_score = CS

    def VMS(
        self,
        y_true: Labels = None,
        y_pred: Labels = None,
        beta: float = 1.0,
        force_finite: bool | None = None,
        finite_value: float | None = None,
        *,
        X: object = None,
    ) -> float:
        """Weighted harmonic mean of homogeneity and completeness; completeness counts `beta` times as much."""
        return self._score("v_measure", (y_true, y_pred), X, force_finite, finite_value, beta=beta)

    v_measure_score = VMS

    def PuS(
        self,
        y_true: Labels = None,
        y_pred: Labels = None,
        force_finite: bool | None = None,
        finite_value: float | None = None,
        *,
        X: object = None,
    ) -> float:
        """Share of points that are in the true cluster which their predicted cluster holds most of."""
        return self._score("purity", (y_true, y_pred), X, force_finite, finite_value)

    purity_score = PuS
    # end of generated


def _abbreviation(index: Index[...]) -> str:
    return with_chosen_options(index.facts.peers["permetrics"][0])[0]


def _support(index: Index[...]) -> dict[str, str]:
    kind = {True: "max", False: "min", None: "unknown"}[index.facts.higher_is_better]
    best = (
        "unknown" if index.best is None or isinf(index.best) or not index.facts.best_on_identity else f"{index.best:g}"
    )
    return {"type": kind, "range": interval(index.facts.bounds), "best": best}


def _refuse_features(X: object) -> None:
    if X is not None:
        raise InputError(
            "X: internal indices, which judge a clustering by its features, are not offered yet; pass y_true and y_pred"
        )
