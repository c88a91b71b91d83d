"""sweep(): labelings that somebody made at several thresholds, each evaluated."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Unpack, overload
from warnings import warn

import numpy as np

from clustermark.errors import ClustermarkWarning, InputError, Mention
from clustermark.evaluation.partitions import evaluate
from clustermark.evaluation.sweeps.curves import Curves
from clustermark.evaluation.sweeps.flows import Flows
from clustermark.evaluation.sweeps.points import PointSweep, sweep_points

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clustermark.evaluation.partitions import PartitionEvaluation
    from clustermark.evaluation.record import Record
    from clustermark.labels.kinds import Labels
    from clustermark.options import TableOptions
    from clustermark.registry import Index


class Sweep(Curves):
    """The evaluations of labelings by threshold.

    >>> found = sweep([0, 0, 1, 1], {0.5: [0, 0, 0, 0], 0.8: [0, 0, 1, 1], 0.9: [0, 1, 2, 2]}, indices=["dice"])
    >>> found.best("dice")
    threshold 0.8: dice 1.000000
    >>> found.at(0.9)["dice"]
    0.6666666666666666
    """

    def __init__(self, labelings: Mapping[float, Any], evaluations: Mapping[float, PartitionEvaluation]) -> None:
        """Hold the evaluations; `sweep` makes them."""
        first = next(iter(evaluations.values()))
        scores = {
            index: np.array([one.get(index.label, np.nan) for one in evaluations.values()], np.float64)
            for index in first.indices
        }
        super().__init__(list(evaluations), scores)
        self._labelings = dict(labelings)
        self._evaluations = dict(evaluations)

    @property
    def record(self) -> Record:
        """How many points there are, and the policies."""
        return next(iter(self._evaluations.values())).record

    def at(self, threshold: float) -> PartitionEvaluation:
        """The evaluation of one of the thresholds."""
        return self._evaluations[self._known(threshold)]

    def labels(self, threshold: float) -> Any:
        """The labels of one of the thresholds, as they were given."""
        return self._labelings[self._known(threshold)]

    def flows(self) -> Flows:
        """How points flow from the clusters of each labeling to those of the next: a table, and its `plot()`."""
        return Flows({threshold: self._labelings[threshold] for threshold in self._evaluations})

    def _known(self, threshold: float) -> float:
        if threshold not in self._evaluations:
            raise InputError(
                Mention("threshold", threshold), f" is not one of this sweep's, such as {self._thresholds[0]!r}"
            )
        return threshold


@overload
def sweep(
    y_true: Labels,
    labelings: Mapping[float, Labels],
    indices: Sequence[str | Index[...]] | str | None = None,
    **options: Unpack[TableOptions],
) -> Sweep: ...
@overload
def sweep(
    *,
    labelings: Mapping[float, Labels],
    indices: Sequence[str | Index[...]] | str | None = None,
    X: Any,
    **options: Any,
) -> PointSweep: ...
def sweep(
    y_true: Labels | None = None,
    labelings: Mapping[float, Labels] | None = None,
    indices: Sequence[str | Index[...]] | str | None = None,
    *,
    X: Any = None,
    **options: Any,
) -> Sweep | PointSweep:
    """Evaluate labelings by threshold against one truth: curves, and the best threshold by any index.

    y_true: the true labels; indices and options: as in `evaluate`.
    labelings: from threshold to labels, in any order; or from the number of clusters.
    X: the points, instead of a truth; indices and options: as in `evaluate_internal`.
    Scored pairs go to `sweep_pairs`, which needs no labelings.

    >>> sweep([0, 0, 1, 1], {0.8: [0, 0, 1, 1], 0.9: [0, 1, 2, 2]}, indices=["dice", "pair_precision"])
    2 thresholds
    Cut at 0.8: there the Czekanowski–Dice index is best, 1.0000.
    best by         threshold  score  dice there
    dice                  0.8  1.000       1.000
    pair_precision        0.9  1.000       0.667
    """
    if not isinstance(labelings, Mapping) or not labelings:
        raise InputError("labelings must be a mapping from threshold to labels, such as {0.5: labels, 0.9: labels}")
    for threshold in labelings:
        if not _is_number(threshold):
            raise InputError(f"labelings: the threshold {threshold!r} is not a number")
    if (y_true is None) == (X is None):
        raise InputError("sweep needs the true labels, ", Mention("y_true"), ", or the points, X=, and not both")
    if y_true is None:
        return sweep_points(labelings, X, indices, options)
    chosen: Any = options
    made = {t: evaluate(y_true, labelings[t], indices, **chosen) for t in sorted(labelings, reverse=True)}
    _warn_of_coverage({threshold: one.n_used for threshold, one in made.items()})
    return Sweep(labelings, made)


def _warn_of_coverage(used: Mapping[float, int]) -> None:
    """Scores of different points do not tell which threshold is best."""
    fewest, most = (choose(used, key=used.__getitem__) for choose in (min, max))
    if used[fewest] < used[most]:
        said = (
            f"the thresholds are scored on different points, from {used[fewest]:,} at {fewest:g} to {used[most]:,} at "
            f"{most:g}, so that scores cannot be compared; keep the points, as "
        )
        warn(ClustermarkWarning(said, Mention("unmatched", "singletons"), " does"), stacklevel=3)


def _is_number(threshold: object) -> bool:
    if isinstance(threshold, int) and abs(threshold) >= 2**1023:  # no floating-point number
        return False
    return isinstance(threshold, int | float | np.number) and not isinstance(threshold, bool) and threshold == threshold
