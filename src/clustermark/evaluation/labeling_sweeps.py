"""sweep(): labelings by threshold, scored against a truth or by their points."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar, Unpack, overload

import numpy as np

from clustermark.diagnosis.scored_points import ScoredLabels
from clustermark.errors import (
    InputError,
    Mention,
    NoiseWarning,
    UndefinedIndexError,
    count,
    require_progress,
    spell,
    warn_user,
)
from clustermark.evaluation.curves import Choice, Curves
from clustermark.evaluation.evaluation import Evaluation, share_of
from clustermark.evaluation.internal_evaluation import InternalEvaluation
from clustermark.evaluation.internal_scoring import bind_options, score_points
from clustermark.evaluation.labeling_flows import Flows
from clustermark.evaluation.notices import Notice, tell_many_like_noise, warn_of_noise
from clustermark.evaluation.pair_partitions import find_best
from clustermark.evaluation.partitions import PartitionEvaluation
from clustermark.evaluation.swept_points import COMMON, check_points, choose_points, count_points, read_swept
from clustermark.labels import ABSENT, label_list
from clustermark.options import names_columns, read_options, refuse_for_labels
from clustermark.results.values import share_text
from clustermark.sources.reading import Records, Role, read

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from clustermark.evaluation.record import Record
    from clustermark.evaluation.swept_points import SweptPoints
    from clustermark.labels.conversion import Labels
    from clustermark.options import TableOptions
    from clustermark.registry import Index


_Evaluated = TypeVar("_Evaluated", bound=Evaluation)

_OF_ONE = ("coverage", "left_out")
"""Kinds of notices on one labeling, which say nothing of the others."""

_TRUTH = "y_true"
"""Role of the truth, and its name in messages."""


class _LabelingCurves(Curves, Generic[_Evaluated]):
    """The evaluations of labelings by threshold."""

    def __init__(
        self, labelings: Mapping[float, Any], evaluations: Mapping[float, _Evaluated], points: SweptPoints
    ) -> None:
        every = dict.fromkeys(index for one in evaluations.values() for index in one.indices)
        scores = {
            index: np.array([one.get(index.label, np.nan) for one in evaluations.values()], np.float64)
            for index in every
        }
        super().__init__(list(evaluations), scores)
        self._labelings = dict(labelings)
        self._evaluations: dict[float, _Evaluated] = dict(evaluations)
        self._points = points

    @property
    def record(self) -> Record:
        """Counts of points, the policies, and the notices on all labelings."""
        record: Record = next(iter(self._evaluations.values())).record
        counts = record.points if self._points.counts is None else self._points.counts
        return record._replace(points=counts, notices=(*self._tell_noise(), *self._points.notices()))

    def _tell_noise(self) -> list[Notice]:
        own = _OF_ONE if self._points.kept is None else (*_OF_ONE, "noise_absent")
        every = (one.notices for one in self._evaluations.values())
        return list(dict.fromkeys(one for notices in every for one in notices if one.kind not in own))

    def at(self, threshold: float) -> _Evaluated:
        """Return the evaluation at one of the thresholds."""
        found: _Evaluated = self._evaluations[self._known(threshold)]
        return found

    def labels(self, threshold: float) -> Any:
        """Return the given labels of one of the thresholds."""
        return self._labelings[self._known(threshold)]

    def flows(self) -> Flows:
        """Return the flows of points from the clusters of each labeling to the next, as a table with a `plot()`."""
        return Flows({threshold: self._labelings[threshold] for threshold in self._evaluations})

    def coverage(self, threshold: float) -> float:
        """Return the share of the points that one of the labelings keeps: those that are not dropped as noise."""
        return self._points.coverage(self._known(threshold))

    @property
    def shares(self) -> list[float]:
        """Share of the points that each labeling keeps."""
        return [self._points.coverage(threshold) for threshold in self._thresholds]

    def _known(self, threshold: float) -> float:
        if threshold not in self._evaluations:
            raise InputError(
                Mention("threshold", threshold), f" is not one of this sweep's, such as {self._thresholds[0]!r}"
            )
        return threshold

    def best(self, index: str | Index[...] | None = None) -> Choice:
        """Return the labeling with the best score of an index, by default the main one; of equals the first.

        Of labelings with equal scores the one that keeps most points is chosen.
        """
        found = self.main_index if index is None else self._find(index)
        scores = self._comparable(found)
        place = find_best(found, scores)
        equal = np.flatnonzero(scores == scores[place]).tolist()
        place = max(equal, key=lambda one: (self.coverage(self._thresholds[one]), -one), default=place)
        return self._choose(found, place, self._remark(self._thresholds[place]))

    def _comparable(self, index: Index[...]) -> NDArray[np.float64]:
        """Return the scores of an index; NaN where it cannot be the best."""
        return self._scores[index]

    def _remark(self, threshold: float) -> str:
        """Return what to know of a labeling that is best: that it leaves out points, or is the last one."""
        share = self.coverage(threshold)
        parts = [f"it leaves out {share_text(1 - share)} of the points"] if share < 1 else []
        if self.is_last(threshold):
            end = "smallest" if threshold == min(self._thresholds) else "largest"
            parts.append(f"it is the {end} that was tried")
        return " and ".join(parts)

    def is_last(self, threshold: float) -> bool:
        """Return whether this is the smallest or largest of three or more."""
        return len(self._thresholds) > 2 and threshold in (min(self._thresholds), max(self._thresholds))


class Sweep(_LabelingCurves[PartitionEvaluation]):
    """The evaluations of labelings by threshold.

    >>> found = sweep([0, 0, 1, 1], {0.5: [0, 0, 0, 0], 0.8: [0, 0, 1, 1], 0.9: [0, 1, 2, 2]}, indices=["dice"])
    >>> found.best("dice")
    threshold 0.8: dice 1.000000
    >>> found.at(0.9)["dice"]
    0.6666666666666666
    """


@overload
def sweep(
    y_true: Labels,
    labelings: Mapping[float, Labels],
    indices: Sequence[str | Index[...]] | str | None = None,
    *,
    points: Literal["common", "own"] = "common",
    **options: Unpack[TableOptions],
) -> Sweep: ...
@overload
def sweep(
    *,
    labelings: Mapping[float, Labels],
    indices: Sequence[str | Index[...]] | str | None = None,
    X: Any,
    points: Literal["common", "own"] = "common",
    progress: Callable[[float], None] | None = None,
    **options: Any,
) -> PointSweep: ...
def sweep(
    y_true: Labels | None = None,
    labelings: Mapping[float, Labels] | None = None,
    indices: Sequence[str | Index[...]] | str | None = None,
    *,
    X: Any = None,
    points: str = COMMON,
    progress: Callable[[float], None] | None = None,
    **options: Any,
) -> Sweep | PointSweep:
    """Evaluate labelings by threshold against one truth: curves, and the best threshold by any index.

    y_true: the true labels; indices and options: as in `evaluate`.
    labelings: a mapping from threshold (or number of clusters) to labels, in any order.
    X: the points, instead of a truth; indices and options: as in `evaluate_internal`.
    points: "common" scores all labelings on the points that all of them keep, so that the scores can be compared if
        they leave out different points as noise; "own" scores each on its own points.
    progress: a function that is called repeatedly with the share that is done.
    Scored pairs go to `sweep_pairs`, which needs no labelings.

    >>> sweep([0, 0, 1, 1], {0.8: [0, 0, 1, 1], 0.9: [0, 1, 2, 2]}, indices=["dice", "pair_precision"])
    2 thresholds
    Choose 0.8: there the Czekanowski–Dice index is best, 1.0000.
    best by  labeling  score
    dice          0.8  1.000
    """
    if not isinstance(labelings, Mapping) or not labelings:
        raise InputError("labelings must be a mapping from threshold to labels, such as {0.5: labels, 0.9: labels}")
    for threshold in labelings:
        if not _is_number(threshold):
            raise InputError(
                f"labelings: {threshold!r} is not a number; compare(y_true, labelings) and "
                "similarity_matrix(labelings) take names, and evaluate_internal(X, labels) scores one labeling"
            )
    if (y_true is None) == (X is None):
        raise InputError("sweep needs the true labels, ", Mention("y_true"), ", or the points, X=, and not both")
    check_points(points)
    require_progress(progress)
    if y_true is None:
        return _sweep_points(labelings, X, indices, points, progress, options)
    intervals = options.pop("intervals", False)
    records = _read(y_true, labelings, read_options(options))
    roles = {threshold: _role(threshold) for threshold in sorted(labelings, reverse=True)}
    chosen, records = choose_points(records, roles, _TRUTH, records.policies, points)
    made = {}
    for place, threshold in enumerate(chosen.own, 1):
        role = roles[threshold]
        table = records.table(_TRUTH, role, records.policies, options.get("threads"))
        if records.settings or chosen.kept is not None:
            given: Any = partial(_labels_by_id, records, role)
        else:
            given = ScoredLabels(y_true, labelings[threshold], options.get("counts"), options.get("weights"))
        made[threshold] = PartitionEvaluation.of_table(
            table, indices, given, settings=records.settings, intervals=intervals
        )
        if progress is not None:
            progress(place / len(chosen.own))
    for text in dict.fromkeys(
        one.text for made_one in made.values() for one in made_one.notices if one.kind == "noise"
    ):
        warn_user(NoiseWarning(text))
    return Sweep(labelings, made, chosen)


def _role(threshold: float) -> str:
    return f"labelings[{threshold!r}]"


def _read(y_true: Any, labelings: Mapping[float, Any], options: dict[str, Any]) -> Records:
    """Read the truth and all labelings, each once."""
    true, pred = options.pop("true", None), options.pop("pred", None)
    if true is None and pred is None and not names_columns(options):
        refuse_for_labels(options)
    roles = {_TRUTH: Role(_TRUTH, y_true, true, "true")}
    return read(roles | {_role(one): Role(_role(one), labels, pred) for one, labels in labelings.items()}, options)


def _labels_by_id(records: Records, role: str) -> ScoredLabels:
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
    return ScoredLabels(by_id(_TRUTH), by_id(role), counts, weights)


def _is_number(threshold: object) -> bool:
    if isinstance(threshold, int) and abs(threshold) >= 2**1023:  # too large for a floating-point number
        return False
    return isinstance(threshold, int | float | np.number) and not isinstance(threshold, bool) and threshold == threshold


class PointSweep(_LabelingCurves[InternalEvaluation]):
    """The internal evaluations of labelings by a number, such as the number of clusters, in ascending order."""

    def _choose(self, index: Index[...], place: int, note: str = "") -> Choice:
        threshold = self._thresholds[place]
        scores = self._evaluations[threshold].to_dict()
        return Choice(threshold, index.label, float(self._scores[index][place]), scores, note)

    def _comparable(self, index: Index[...]) -> NDArray[np.float64]:
        """Return the defined scores, and NaN in place of values that stand for undefined ones, unless all are."""
        defined = [self._has_score(index, threshold) for threshold in self._thresholds]
        scores = self._scores[index]
        return np.where(defined, scores, np.nan) if any(defined) else scores

    def _has_score(self, index: Index[...], threshold: float) -> bool:
        """Return whether the score is defined, instead of a value that stands for an undefined score."""
        if index.label not in self._evaluations[threshold]:
            return False
        try:
            index.strict.of(self._evaluations[threshold].subject)
        except UndefinedIndexError:
            return False
        return True

    def _tell_noise(self) -> list[Notice]:
        counts = [one.like_noise for one in self._evaluations.values()]
        notices = (Notice("noise", spell(parts)) for parts in tell_many_like_noise(counts, "noise"))
        return [*notices, *(one for one in super()._tell_noise() if one.kind != "noise")]

    @property
    def axis(self) -> str:  # type: ignore[override]
        """Name of the horizontal axis of charts."""
        counted = all(k == one.subject.k for k, one in self._evaluations.items())
        return "number of clusters" if counted else "labeling"

    @property
    def headline(self) -> str:
        """Description of what was swept, in one line."""
        return count(len(self._evaluations), "labeling")


def _sweep_points(
    labelings: Mapping[float, Any],
    X: Any,
    indices: Sequence[str | Index[...]] | str | None,
    points: str,
    progress: Callable[[float], None] | None,
    options: Mapping[str, Any],
) -> PointSweep:
    """Score each labeling by the points; options as in `evaluate_internal`."""
    how = bind_options(options)
    chosen, data, own, how = read_swept(X, labelings, points, how)
    made = {}
    for place, k in enumerate(chosen.own):
        tell = None if progress is None else share_of(progress, place, len(chosen.own))
        made[k] = score_points(data, own[k], indices, how, tell)
        if progress is not None:
            progress((place + 1) / len(chosen.own))
    warn_of_noise(tell_many_like_noise([one.like_noise for one in made.values()], "noise"))
    return PointSweep(labelings, made, count_points(chosen, made))
