"""permetrics' class, with the values its documents promise."""

from __future__ import annotations

from math import isinf
from typing import TYPE_CHECKING, Any

from clustermark.compat.permetrics_methods import PermetricsMethods
from clustermark.errors import InputError
from clustermark.registry import catalogue, find, with_chosen_options
from clustermark.registry.facts import interval
from clustermark.tables.crosstab import crosstab

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from clustermark.labels.kinds import Labels
    from clustermark.registry import Index
    from clustermark.tables.contingency import Contingency


class ClusteringMetric(PermetricsMethods):
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
        y_true: Labels | None = None,
        y_pred: Labels | None = None,
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
        labels: tuple[Labels | None, Labels | None],
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

    def _table_of(self, y_true: Labels | None, y_pred: Labels | None) -> Contingency:
        """The table of the labels given to a method, completed by those given to the constructor."""
        if self._table is not None and y_true is None and y_pred is None:
            return self._table
        true, pred = self._labels
        return crosstab(_given("y_true", y_true, true), _given("y_pred", y_pred, pred))

    @staticmethod
    def get_support(name: str | None = None, verbose: bool = True) -> dict[str, Any]:
        """Direction, range and best value of one score by its abbreviation, or of all ("all").

        >>> ClusteringMetric.get_support("JS", verbose=False)
        {'type': 'max', 'range': '[0, 1]', 'best': '1'}
        """
        support = {name: _support(index) for index in catalogue() for name in _abbreviations(index)}
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
    def y_true(self) -> Labels | None:
        """The truth given to the constructor."""
        return self._labels[0]

    @property
    def y_pred(self) -> Labels | None:
        """The prediction given to the constructor."""
        return self._labels[1]


def _given(name: str, to_method: Labels | None, to_constructor: Labels | None) -> Labels:
    labels = to_constructor if to_method is None else to_method
    if labels is None:
        raise InputError(f"{name} is not given; pass it to ClusteringMetric(...) or to the method")
    return labels


def _abbreviations(index: Index[...]) -> list[str]:
    names = (with_chosen_options(text)[0] for text in index.facts.peers.get("permetrics", ()))
    return [name for name in names if "_" not in name]


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
