"""Labelings of the same points with several numbers of clusters, each scored by the points alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from clustermark.errors import InputError, Mention, UndefinedIndexError, count
from clustermark.evaluation.internal.evaluation import evaluate_internal
from clustermark.evaluation.sweeps.curves import Choice, Curves
from clustermark.evaluation.sweeps.flows import Flows

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from clustermark.evaluation.internal.results import InternalEvaluation
    from clustermark.registry import Index


class PointSweep(Curves):
    """The internal evaluations of labelings by a number, such as that of their clusters, from low to high."""

    def __init__(self, labelings: Mapping[float, Any], evaluations: Mapping[float, InternalEvaluation]) -> None:
        self._labelings = dict(labelings)
        self._evaluations = dict(evaluations)
        first, *others = self._evaluations.values()
        common = [index for index in first.indices if all(index.label in one for one in others)]
        scores = {index: np.array([one[index.label] for one in evaluations.values()], np.float64) for index in common}
        super().__init__(list(evaluations), scores)

    def at(self, threshold: float) -> InternalEvaluation:
        """The evaluation of one of the labelings."""
        self._refuse_unknown(threshold)
        return self._evaluations[threshold]

    def labels(self, threshold: float) -> Any:
        """The labels of one of them, as they were given."""
        self._refuse_unknown(threshold)
        return self._labelings[threshold]

    def _refuse_unknown(self, threshold: float) -> None:
        if threshold not in self._evaluations:
            raise InputError(
                Mention("threshold", threshold), f" is not one of this sweep's, such as {self.thresholds[0]!r}"
            )

    def best(self, index: str | Index[...]) -> Choice:
        """The labeling with the best score by an index; the first of equals, and none where the index is undefined."""
        wanted = self._find(index)
        ranked = sorted(self.curve(wanted), key=lambda point: -point[1] if wanted.higher_is_better else point[1])
        threshold, score = next((point for point in ranked if self._has_score(wanted, point[0])), ranked[0])
        return Choice(threshold, wanted.label, score, self._evaluations[threshold].to_dict())

    def _has_score(self, index: Index[...], threshold: float) -> bool:
        """Whether the score is one, and not what stands for an undefined one."""
        try:
            index.strict.of(self._evaluations[threshold].subject)
        except UndefinedIndexError:
            return False
        return True

    def flows(self) -> Flows:
        """How points flow from the clusters of each labeling to those of the next: a table, and its `plot()`."""
        return Flows({k: self._labelings[k] for k in self._evaluations})

    @property
    def axis(self) -> str:  # type: ignore[override]
        """What charts call the numbers of the labelings."""
        counted = all(k == one.subject.k for k, one in self._evaluations.items())
        return "number of clusters" if counted else "labeling"

    @property
    def headline(self) -> str:
        """What was swept, in one line."""
        return count(len(self._evaluations), "labeling")


def sweep_points(
    labelings: Mapping[float, Any], X: Any, indices: Sequence[str | Index[...]] | str | None, options: Mapping[str, Any]
) -> PointSweep:
    """Score each labeling by the points; options as in `evaluate_internal`."""
    made = {k: evaluate_internal(X, labelings[k], indices, **options) for k in sorted(labelings)}
    return PointSweep(labelings, made)
