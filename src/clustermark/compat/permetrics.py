"""The class of permetrics, with the values that its documentation specifies.

A method has the meaning of its name in permetrics: `HI` is its Hartigan index. `clustermark.find` looks up our names
first, where "HI" is the index of Hamann.
"""

from __future__ import annotations

from functools import partial
from math import inf, isinf
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from clustermark.compat.permetrics_internal import FINITE, PermetricsInternal
from clustermark.compat.permetrics_methods import PermetricsMethods
from clustermark.errors import InputError, UndefinedIndexError
from clustermark.registry import catalogue, find, with_chosen_options
from clustermark.registry.facts import interval
from clustermark.subjects.geometry import Geometry
from clustermark.tables.tabulation import crosstab

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from clustermark.labels.conversion import Labels
    from clustermark.registry import Index
    from clustermark.tables.contingency import Contingency


class _Support:
    """The facts of all scores, which are made when they are read."""

    def __get__(self, instance: object, owner: type[ClusteringMetric]) -> dict[str, Any]:
        return owner.get_support("all", verbose=False)


class ClusteringMetric(PermetricsMethods, PermetricsInternal):
    """Scores of a prediction against the truth, or by the points X themselves, under the names of permetrics.

    force_finite: True returns a value where a score is undefined, False raises `UndefinedIndexError`.
    finite_value: that value; by default the one that belongs to the index.
    Both can be given here and to each method; the method has precedence.

    >>> cm = ClusteringMetric(y_true=[0, 0, 1, 1, 2, 2], y_pred=[0, 0, 1, 1, 1, 2])
    >>> cm.JS(), cm.PrS(), cm.FmS(beta=1.0) == cm.CDS()
    (0.4, 0.5, True)
    >>> ClusteringMetric(X=[[0, 0], [0, 1], [5, 5], [5, 6]], y_pred=[0, 0, 1, 1]).CHI()
    100.0
    """

    SUPPORT = _Support()
    """Direction, range and best value of all scores, by their abbreviations."""

    def __init__(
        self,
        y_true: Labels | None = None,
        y_pred: Labels | None = None,
        X: object = None,
        force_finite: bool = True,
        finite_value: float | None = None,
        **_: Any,
    ) -> None:
        self._labels = (y_true, y_pred)
        self._points = X
        self.force_finite = force_finite
        self.finite_value = finite_value
        self._compare()

    def _compare(self) -> None:
        """Make the table now, so that later changes of the labels have no effect; points are read when needed."""
        y_true, y_pred = self._labels
        self._table = None
        if y_true is not None and y_pred is not None and not _are_empty(y_true, y_pred):
            self._table = crosstab(y_true, y_pred)
        self._geometry: Geometry | None = None

    def _score(
        self,
        name: str,
        labels: tuple[Labels | None, Labels | None],
        force_finite: bool | None,
        finite_value: float | None,
        **options: Any,
    ) -> float:
        index: Index[...] = find(name)
        fallback = self.finite_value if finite_value is None else finite_value
        if not (self.force_finite if force_finite is None else force_finite):
            index = index.strict
        elif fallback is not None:
            index = index.when_undefined(fallback)
        table = self._table_of(*labels)
        if table is not None:
            return index.of(table, **options)
        if not (self.force_finite if force_finite is None else force_finite):
            raise UndefinedIndexError(f"{name} is undefined: there are no points")
        return index.undefined_score(identical=lambda: True)

    def _table_of(self, y_true: Labels | None, y_pred: Labels | None) -> Contingency | None:
        """Return the table of the labels given to a method, completed by those of the constructor; None if empty."""
        if self._table is not None and y_true is None and y_pred is None:
            return self._table
        true, pred = _require("y_true", y_true, self._labels[0]), _require("y_pred", y_pred, self._labels[1])
        return None if _are_empty(true, pred) else crosstab(true, pred)

    def _score_points(
        self,
        name: str,
        X: Any,
        y_pred: Labels | None,
        force_finite: bool | None,
        finite_value: float | None,
        score: str,
        **options: Any,
    ) -> float:
        compute = partial(find(name).strict.of, **options)
        return float(self._judge(score, compute, X, y_pred, force_finite, finite_value))

    def _judge(
        self,
        name: str,
        compute: Callable[[Geometry], Any],
        X: Any,
        y_pred: Labels | None,
        force_finite: bool | None,
        finite_value: float | None,
    ) -> Any:
        forced = self.force_finite if force_finite is None else force_finite
        fallback = self.finite_value if finite_value is None else finite_value
        fallback = FINITE.get(name, 0.0) if fallback is None else fallback
        try:
            geometry = self._geometry_of(X, y_pred)
            if geometry is None:
                raise UndefinedIndexError(f"{name} is undefined: there are no points")
            value = compute(geometry)
        except ZeroDivisionError as error:
            if forced:
                return float(fallback)
            if isinstance(error, UndefinedIndexError):
                raise
            raise UndefinedIndexError(f"{name} is undefined: it is 0/0 for these clusters") from error
        return float(fallback) if forced and not isinstance(value, dict) and not np.all(np.isfinite(value)) else value

    def _geometry_of(self, X: Any, y_pred: Labels | None) -> Geometry | None:
        """Return the points and labels given to a method, completed by those of the constructor; None if empty."""
        if X is None and y_pred is None and self._geometry is not None:
            return self._geometry
        points, labels = _require("X", X, self._points), _require("y_pred", y_pred, self._labels[1])
        if _are_empty(labels):
            return None
        geometry = Geometry(points, labels)
        if X is None and y_pred is None:
            self._geometry = geometry
        return geometry

    @staticmethod
    def get_support(name: str | None = None, verbose: bool = True) -> dict[str, Any]:
        """Return direction, range and best value of one score by its abbreviation, or of all scores ("all").

        >>> ClusteringMetric.get_support("JS", verbose=False)
        {'type': 'max', 'range': '[0, 1]', 'best': '1'}
        """
        support = {
            name: _support(index, name)
            for one in ("points", "partitions")
            for index in catalogue(one)
            for name in _abbreviations(index)
        } | _OTHERS
        if name not in (None, "all"):
            if name not in support:
                raise InputError(f"get_support: no score is called {name!r}; there are {', '.join(support)}")
            support = {name: support[name]}
        if verbose:
            for abbreviation, facts in support.items():
                print(f"Metric {abbreviation}: {facts}")  # noqa: T201 (the meaning of verbose in permetrics)
        return support if name in (None, "all") else support[name]

    def get_metric_by_name(self, metric_name: str, paras: dict[str, Any] | None = None) -> dict[str, float]:
        """Return the score of this name, with these options."""
        return self.get_metrics_by_dict({metric_name: paras})

    def get_metrics_by_list_names(
        self, list_metric_names: Sequence[str], list_paras: Sequence[dict[str, Any] | None] | None = None
    ) -> dict[str, float]:
        """Return the scores of these names, each with its options."""
        paras = [None] * len(list_metric_names) if list_paras is None else list_paras
        if len(paras) != len(list_metric_names):
            raise InputError(f"list_paras: has {len(paras)} entries for {len(list_metric_names)} names")
        return self.get_metrics_by_dict(dict(zip(list_metric_names, paras, strict=True)))

    def get_metrics_by_dict(self, metrics_dict: Mapping[str, dict[str, Any] | None]) -> dict[str, float]:
        """Return the scores of these names, each with its options.

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
        """The truth given to the constructor; a new one may be set."""
        return self._labels[0]

    @y_true.setter
    def y_true(self, labels: Labels | None) -> None:
        self._labels = (labels, self._labels[1])
        self._compare()

    @property
    def y_pred(self) -> Labels | None:
        """The prediction given to the constructor; a new one may be set."""
        return self._labels[1]

    @y_pred.setter
    def y_pred(self, labels: Labels | None) -> None:
        self._labels = (self._labels[0], labels)
        self._compare()

    @property
    def X(self) -> Any:
        """The points given to the constructor; new ones may be set."""
        return self._points

    @X.setter
    def X(self, points: Any) -> None:
        self._points = points
        self._geometry = None


_OTHERS: Final[dict[str, dict[str, str]]] = {
    name: {"type": "min", "range": "[0, +inf)", "best": "0"} for name in ("DHI", "BI", "HI")
}
"""The scores that are not among our indices."""
_DECLARED: Final[dict[str, dict[str, str]]] = {
    "ARS": {"range": "[-1, 1]"},
    "KDI": {"type": "max", "range": "(-inf, +inf)", "best": "unknown"},
    "LDRI": {"range": "(-inf, +inf)"},
    "MNS": {"type": "max"},
    "TauS": {"range": "[-1, 1]", "best": "1"},
}
"""Facts of a score that permetrics declares otherwise than our index of the same name."""


def _are_empty(*sides: Any) -> bool:
    """Return whether all sides are empty; a side without a length is checked when its labels are read."""
    return all(hasattr(side, "__len__") and not isinstance(side, str | bytes) and len(side) == 0 for side in sides)


def _require(name: str, to_method: Any, to_constructor: Any) -> Any:
    labels = to_constructor if to_method is None else to_method
    if labels is None:
        raise InputError(f"{name} is not given; pass it to ClusteringMetric(...) or to the method")
    return labels


def _abbreviations(index: Index[...]) -> list[str]:
    names = (with_chosen_options(text)[0] for text in index.facts.peers.get("permetrics", ()))
    return [name for name in names if "_" not in name]


def _support(index: Index[...], name: str) -> dict[str, str]:
    """Return the facts of an index as permetrics declares them."""
    low, high = index.facts.bounds
    kind = {True: "max", False: "min", None: "unknown"}[index.facts.higher_is_better]
    best = {"max": high, "min": low}.get(kind, inf)
    written = interval(index.facts.bounds).replace("−∞", "-inf").replace("∞", "+inf")
    return {"type": kind, "range": written, "best": "unknown" if isinf(best) else f"{best:g}"} | _DECLARED.get(name, {})
