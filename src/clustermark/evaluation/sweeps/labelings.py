"""sweep(): labelings that somebody made at several thresholds, each evaluated."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, Unpack, overload

import numpy as np

from clustermark.diagnosis.given import GivenLabels
from clustermark.errors import ClustermarkWarning, InputError, Mention, NoiseWarning, warn_user
from clustermark.evaluation.partitions import PartitionEvaluation
from clustermark.evaluation.sweeps.curves import Curves
from clustermark.evaluation.sweeps.flows import Flows
from clustermark.evaluation.sweeps.points import PointSweep, sweep_points
from clustermark.labels import ABSENT, label_list
from clustermark.options import names_columns, read_options, refuse_for_labels
from clustermark.sources.reading import Records, Role, read

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clustermark.labels.kinds import Labels
    from clustermark.options import TableOptions
    from clustermark.registry import Index
    from clustermark.report.record import Record


_TRUTH = "y_true"
"""The role of the truth, and what messages call it."""


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
    intervals = options.pop("intervals", False)
    records = _read(y_true, labelings, read_options(options))
    made = {}
    for threshold in sorted(labelings, reverse=True):
        role = _role(threshold)
        table = records.table(_TRUTH, role, records.policies, options.get("threads"))
        if records.settings:
            given: Any = partial(_labels_by_id, records, role)
        else:
            given = GivenLabels(y_true, labelings[threshold], options.get("counts"), options.get("weights"))
        made[threshold] = PartitionEvaluation.of_table(
            table, indices, given, settings=records.settings, intervals=intervals
        )
    for text in dict.fromkeys(
        one.text for made_one in made.values() for one in made_one.notices if one.kind == "noise"
    ):
        warn_user(NoiseWarning(text))
    _warn_of_coverage({threshold: one.n_used for threshold, one in made.items()})
    return Sweep(labelings, made)


def _role(threshold: float) -> str:
    return f"labelings[{threshold!r}]"


def _read(y_true: Any, labelings: Mapping[float, Any], options: dict[str, Any]) -> Records:
    """Read the truth and all labelings, each once."""
    true, pred = options.pop("true", None), options.pop("pred", None)
    if true is None and pred is None and not names_columns(options):
        refuse_for_labels(options)
    roles = {_TRUTH: Role(_TRUTH, y_true, true, "true")}
    return read(roles | {_role(one): Role(_role(one), labels, pred) for one, labels in labelings.items()}, options)


def _labels_by_id(records: Records, role: str) -> GivenLabels:
    """Return the labels of sources that were joined by id, as mappings."""
    ids = list(records.ids or ())

    def by_id(name: str) -> dict[Any, Any]:
        side = records.labels[name]
        labels = zip(ids, label_list(side.values, side.codes), side.codes.tolist(), strict=True)
        return {item: label for item, label, code in labels if code != ABSENT}

    counts, weights = (
        None if one is None else dict(zip(ids, np.asarray(one).tolist(), strict=True))
        for one in (records.counts, records.weights)
    )
    return GivenLabels(by_id(_TRUTH), by_id(role), counts, weights)


def _warn_of_coverage(used: Mapping[float, int]) -> None:
    """Scores of different points do not tell which threshold is best."""
    fewest, most = (choose(used, key=used.__getitem__) for choose in (min, max))
    if used[fewest] < used[most]:
        said = (
            f"the thresholds are scored on different points, from {used[fewest]:,} at {fewest:g} to {used[most]:,} at "
            f"{most:g}, so that scores cannot be compared; keep the points, as "
        )
        warn_user(ClustermarkWarning(said, Mention("unmatched", "singletons"), " does"))


def _is_number(threshold: object) -> bool:
    if isinstance(threshold, int) and abs(threshold) >= 2**1023:  # no floating-point number
        return False
    return isinstance(threshold, int | float | np.number) and not isinstance(threshold, bool) and threshold == threshold
