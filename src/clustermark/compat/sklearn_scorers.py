"""Indices as scorers of scikit-learn, for `cross_validate`, `GridSearchCV` and whatever else takes `scoring`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clustermark.errors import InputError
from clustermark.registry import Index, parse
from clustermark.sources.contingencies import crosstab

if TYPE_CHECKING:
    from collections.abc import Mapping

_PARTITIONS, _POINTS = "partitions", "points"


class IndexScorer:
    """An index that scores the clusters an estimator predicts; see `scorer`."""

    def __init__(self, index: Index[...], options: Mapping[str, Any]) -> None:
        self.index = index
        self.options = dict(options)
        """How data is compared: policies, and the metric of points."""
        self.sign = 1 if index.higher_is_better else -1
        """-1 if lower scores are better, because scikit-learn prefers high scores."""

    def __call__(self, estimator: Any, X: Any, y: Any = None) -> float:
        """Return the score of the clusters that the estimator predicts for X; higher is better."""
        labels = predict_labels(estimator, X)
        if self.index.comparison.name == _POINTS:
            return self.sign * float(self.index(X, labels, **self.options))
        if y is None:
            raise InputError(f"{self.index.label} compares clusters with a truth; pass y, or choose an internal index")
        return self.sign * float(self.index.of(crosstab(y, labels, **self.options)))

    def __repr__(self) -> str:
        options = "".join(f", {name}={value!r}" for name, value in self.options.items())
        return f"scorer({self.index.label!r}{options})"


def scorer(index: str | Index[...], *, noise: Mapping[Any, Any] | None = None, **options: Any) -> IndexScorer:
    """Return an index as a scorer, for arguments called `scoring`.

    index: its name, such as "adjusted_rand" or "f_measure(beta=2)", or the index itself. Internal indices, such as
        "silhouette", need X only; all others compare the predicted clusters with y.
    noise: the policy for labels of noise among the predictions, such as {-1: "drop"}.
    options: those of the index, such as beta=2, and those of the comparison, such as metric="cosine".

    Clusters come from `predict`, or, for estimators without it, from `labels_` if X are the points they were fitted
    with. The scores of an index for which lower is better are negated.

    >>> class Signs:
    ...     def predict(self, X):
    ...         return [x > 0 for (x,) in X]
    >>> scorer("adjusted_rand")(Signs(), [[-2], [-1], [1]], ["a", "a", "b"])
    1.0
    >>> scorer("variation_of_information")(Signs(), [[-2], [-1], [1]], ["a", "b", "b"])
    -0.9241962407465937
    """
    found = parse(index) if isinstance(index, str) else index
    if not isinstance(found, Index):
        raise InputError(f"index: {index!r} is no index; pass its name, such as 'adjusted_rand'")
    if found.comparison.name not in (_PARTITIONS, _POINTS):
        raise InputError(f"{found.label} takes {found.comparison.words}, and an estimator predicts one cluster a point")
    if found.higher_is_better is None:
        raise InputError(f"{found.label}: neither high nor low scores are better, so it cannot choose an estimator")
    allowed = ("metric", "missing") if found.comparison.name == _POINTS else ("noise_true", "missing")
    compared = {name: options.pop(name) for name in allowed if name in options}
    if noise is not None:
        compared["noise" if found.comparison.name == _POINTS else "noise_pred"] = noise
    return IndexScorer(found.with_options(**options) if options else found, compared)


def predict_labels(estimator: Any, X: Any) -> Any:
    """Return the clusters that an estimator predicts for points, or found when it was fitted with them."""
    if hasattr(estimator, "predict"):
        return estimator.predict(X)
    if not hasattr(estimator, "labels_"):
        raise InputError(
            f"estimator: {type(estimator).__name__} has neither `predict` nor `labels_`; fit it first, on these points"
        )
    labels = estimator.labels_
    n = X.shape[0] if hasattr(X, "shape") else len(X)
    if len(labels) != n:
        raise InputError(
            f"estimator: {type(estimator).__name__} does not predict, and its labels_ are of {len(labels):,} other "
            f"points, not of these {n:,}; score it on the points of its fit, as by cv=[(slice(None), slice(None))]"
        )
    return labels
