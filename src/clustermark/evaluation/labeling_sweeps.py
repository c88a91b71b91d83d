"""sweep(): labelings by threshold, scored against a truth or by their points; and the flows between labelings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Unpack, overload

import numpy as np

from clustermark.diagnosis.scored_points import ScoredLabels
from clustermark.errors import (
    ClustermarkWarning,
    InputError,
    Mention,
    NoiseWarning,
    UndefinedIndexError,
    count,
    warn_user,
)
from clustermark.evaluation.curves import Choice, Curves
from clustermark.evaluation.evaluation import share_of
from clustermark.evaluation.internal_scoring import evaluate_internal
from clustermark.evaluation.partitions import PartitionEvaluation
from clustermark.labels import ABSENT, label_list
from clustermark.options import names_columns, read_options, refuse_for_labels
from clustermark.results.canvas import draw_on
from clustermark.results.data import Column
from clustermark.results.document import SUMMARY, Chart, Document, Grid, Head, Section
from clustermark.results.rows import Rows
from clustermark.results.values import label_text, threshold_text
from clustermark.sources.reading import Records, Role, read, roles_of
from clustermark.tables.tabulation import Crossing, number_clusters

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from matplotlib.axes import Axes

    from clustermark.evaluation.internal_evaluation import InternalEvaluation
    from clustermark.evaluation.record import Record
    from clustermark.labels.conversion import Labels
    from clustermark.options import TableOptions
    from clustermark.registry import Index
    from clustermark.results.canvas import Drawn
    from clustermark.results.data import Columns
    from clustermark.results.document import View
    from clustermark.tables.tabulation import Numbered


_TRUTH = "y_true"
"""Role of the truth, and its name in messages."""


class Sweep(Curves):
    """The evaluations of labelings by threshold.

    >>> found = sweep([0, 0, 1, 1], {0.5: [0, 0, 0, 0], 0.8: [0, 0, 1, 1], 0.9: [0, 1, 2, 2]}, indices=["dice"])
    >>> found.best("dice")
    threshold 0.8: dice 1.000000
    >>> found.at(0.9)["dice"]
    0.6666666666666666
    """

    def __init__(self, labelings: Mapping[float, Any], evaluations: Mapping[float, PartitionEvaluation]) -> None:
        """Store the evaluations; `sweep` makes them."""
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
        """Counts of points, and the policies."""
        return next(iter(self._evaluations.values())).record

    def at(self, threshold: float) -> PartitionEvaluation:
        """Return the evaluation at one of the thresholds."""
        return self._evaluations[self._known(threshold)]

    def labels(self, threshold: float) -> Any:
        """Return the given labels of one of the thresholds."""
        return self._labelings[self._known(threshold)]

    def flows(self) -> Flows:
        """Return the flows of points from the clusters of each labeling to the next, as a table with a `plot()`."""
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
    progress: Callable[[float], None] | None = None,
    **options: Any,
) -> PointSweep: ...
def sweep(
    y_true: Labels | None = None,
    labelings: Mapping[float, Labels] | None = None,
    indices: Sequence[str | Index[...]] | str | None = None,
    *,
    X: Any = None,
    progress: Callable[[float], None] | None = None,
    **options: Any,
) -> Sweep | PointSweep:
    """Evaluate labelings by threshold against one truth: curves, and the best threshold by any index.

    y_true: the true labels; indices and options: as in `evaluate`.
    labelings: a mapping from threshold (or number of clusters) to labels, in any order.
    X: the points, instead of a truth; indices and options: as in `evaluate_internal`.
    progress: a function that is called, now and then, with the share that is done.
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
        return _sweep_points(labelings, X, indices, progress, options)
    intervals = options.pop("intervals", False)
    records = _read(y_true, labelings, read_options(options))
    made = {}
    for place, threshold in enumerate(sorted(labelings, reverse=True), 1):
        role = _role(threshold)
        table = records.table(_TRUTH, role, records.policies, options.get("threads"))
        if records.settings:
            given: Any = partial(_labels_by_id, records, role)
        else:
            given = ScoredLabels(y_true, labelings[threshold], options.get("counts"), options.get("weights"))
        made[threshold] = PartitionEvaluation.of_table(
            table, indices, given, settings=records.settings, intervals=intervals
        )
        if progress is not None:
            progress(place / len(labelings))
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


def _warn_of_coverage(used: Mapping[float, int]) -> None:
    """Warn if labelings are scored on different points, so that their scores are not comparable."""
    fewest, most = (choose(used, key=used.__getitem__) for choose in (min, max))
    if used[fewest] < used[most]:
        span = (f"{used[level]:,} at {threshold_text(level)}" for level in (fewest, most))
        said = (
            f"the thresholds are scored on different points, from {' to '.join(span)}, so that scores cannot be "
            "compared; keep the points, as "
        )
        warn_user(ClustermarkWarning(said, Mention("unmatched", "singletons"), " does"))


def _is_number(threshold: object) -> bool:
    if isinstance(threshold, int) and abs(threshold) >= 2**1023:  # too large for a floating-point number
        return False
    return isinstance(threshold, int | float | np.number) and not isinstance(threshold, bool) and threshold == threshold


class PointSweep(Curves):
    """The internal evaluations of labelings by a number, such as the number of clusters, in ascending order."""

    def __init__(self, labelings: Mapping[float, Any], evaluations: Mapping[float, InternalEvaluation]) -> None:
        self._labelings = dict(labelings)
        self._evaluations = dict(evaluations)
        first, *others = self._evaluations.values()
        common = [index for index in first.indices if all(index.label in one for one in others)]
        scores = {index: np.array([one[index.label] for one in evaluations.values()], np.float64) for index in common}
        super().__init__(list(evaluations), scores)

    def at(self, threshold: float) -> InternalEvaluation:
        """Return the evaluation of one of the labelings."""
        self._refuse_unknown(threshold)
        return self._evaluations[threshold]

    def labels(self, threshold: float) -> Any:
        """Return the given labels of one of the labelings."""
        self._refuse_unknown(threshold)
        return self._labelings[threshold]

    def _refuse_unknown(self, threshold: float) -> None:
        if threshold not in self._evaluations:
            raise InputError(
                Mention("threshold", threshold), f" is not one of this sweep's, such as {self.thresholds[0]!r}"
            )

    def best(self, index: str | Index[...]) -> Choice:
        """Return the labeling with the best defined score of an index, the first of equals."""
        wanted = self._find(index)
        ranked = sorted(self.curve(wanted), key=lambda point: -point[1] if wanted.higher_is_better else point[1])
        threshold, score = next((point for point in ranked if self._has_score(wanted, point[0])), ranked[0])
        return Choice(threshold, wanted.label, score, self._evaluations[threshold].to_dict())

    def _has_score(self, index: Index[...], threshold: float) -> bool:
        """Return whether the score is defined, instead of a value that stands for an undefined score."""
        try:
            index.strict.of(self._evaluations[threshold].subject)
        except UndefinedIndexError:
            return False
        return True

    def flows(self) -> Flows:
        """Return the flows of points from the clusters of each labeling to the next, as a table with a `plot()`."""
        return Flows({k: self._labelings[k] for k in self._evaluations})

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
    progress: Callable[[float], None] | None,
    options: Mapping[str, Any],
) -> PointSweep:
    """Score each labeling by the points; options as in `evaluate_internal`."""
    made = {}
    for place, k in enumerate(sorted(labelings)):
        tell = None if progress is None else share_of(progress, place, len(labelings))
        made[k] = evaluate_internal(X, labelings[k], indices, progress=tell, **options)
        if progress is not None:
            progress((place + 1) / len(labelings))
    return PointSweep(labelings, made)


_SHOWN = 30
"""Maximal number of flows in documents; JSON, CSV and frames have all."""


class Flow(NamedTuple):
    """The points that a cluster of a labeling shares with a cluster of the next labeling."""

    threshold: float
    """Threshold of the labeling that the points come from."""
    cluster: Any
    next_threshold: float
    next_cluster: Any
    points: int
    share: float
    """Share of the points of the cluster that they come from."""
    next_share: float
    """Share of the points of the cluster that they go to; 1 if all its points come from one cluster."""


class Node(NamedTuple):
    """A cluster of a labeling."""

    threshold: float
    cluster: Any
    points: int


class Flows(Rows[Flow]):
    """The flows between consecutive labelings, the largest of each cluster first.

    A cluster that splits as the number of clusters grows has flows of next_share 1. A cluster whose points come from
    several clusters does not refine the previous labeling, a sign of too many clusters.

    >>> from clustermark import sweep
    >>> sweep(labelings={2: [0, 0, 0, 1, 1], 3: [0, 0, 2, 1, 1]}, X=[[0], [1], [3], [9], [10]]).flows()
    3 flows between 2 labelings
    from  to    points  share  of the next
    2: 0  3: 0       2  66.7%         100%
    2: 0  3: 2       1  33.3%         100%
    2: 1  3: 1       2   100%         100%
    """

    KIND = "flows"
    COLUMNS: ClassVar[Columns] = {
        "threshold": Column("threshold", doc="the labeling that the points come from"),
        "cluster": Column("label"),
        "next_threshold": Column("threshold"),
        "next_cluster": Column("label"),
        "points": Column("count"),
        "share": Column("share", doc="of the points of the cluster that they come from"),
        "next_share": Column("share", doc="of the points of the cluster that they go to"),
    }
    FACTS: ClassVar[Columns] = {"labelings": Column("count", doc="the number of labelings")}
    TITLE = "Flows"

    def __init__(self, labelings: Mapping[float, Any]) -> None:
        """Cross each labeling with the next, in the given order."""
        named = {f"{place}": labels for place, labels in enumerate(labelings.values())}
        records = read(roles_of(named, "labelings"), {"unmatched": "drop"})
        levels = [number_clusters(one, {}) for one in records.labels.values()]
        self.levels: list[float] = list(labelings)
        """Thresholds of the labelings, in the given order."""
        self.nodes = [
            Node(threshold, label, int(size))
            for threshold, (codes, labels) in zip(self.levels, levels, strict=True)
            for label, size in zip(labels, np.bincount(codes[codes >= 0], minlength=len(labels)), strict=True)
        ]
        """Clusters of all labelings."""
        pairs = pairwise(zip(self.levels, levels, strict=True))
        super().__init__(flow for (a, one), (b, two) in pairs for flow in _cross(a, one, b, two))

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the tree with matplotlib: a row for each labeling, a circle for each cluster, a line for each flow."""
        return draw_on(ax, self._size, self._draw)

    @property
    def _size(self) -> tuple[float, float]:
        return 7.2, 1.4 + 0.9 * len(self.levels)

    def _draw(self, ax: Axes) -> Drawn:
        from clustermark.evaluation.sweep_charts import draw_resolutions

        return draw_resolutions(ax, self)

    def facts(self) -> dict[str, Any]:
        """Return the number of labelings."""
        return {"labelings": len(self.levels)}

    @property
    def headline(self) -> str:
        """Numbers of flows and labelings."""
        return f"{len(self):,} flows between {len(self.levels):,} labelings"

    def grid(self) -> Grid:
        """Return the first flows, with the shares of both clusters."""
        heads = [
            Head("from"),
            Head("to"),
            Head("points", "count"),
            Head("share", "share"),
            Head("of the next", "share"),
        ]
        rows = [
            [
                f"{threshold_text(flow.threshold)}: {label_text(flow.cluster, 24)}",
                f"{threshold_text(flow.next_threshold)}: {label_text(flow.next_cluster, 24)}",
                *flow[4:],
            ]
            for flow in self[:_SHOWN]
        ]
        return Grid(heads, rows, self.TITLE, "No labelings share a point.", total=len(self))

    def document(self, view: View = SUMMARY) -> Document:
        """Return the document of text, notebook, Markdown, LaTeX and page."""
        document = super().document(view)
        tree = Section("tree", "Tree of resolutions", lambda: [Chart("resolutions", self._size, self._draw)])
        return replace(document, sections=[*document.sections, tree])


def _cross(threshold: float, one: Numbered, next_threshold: float, two: Numbered) -> Iterator[Flow]:
    crossing = Crossing.of(one.codes, two.codes)
    for at in np.lexsort((-crossing.n, crossing.rows)).tolist():
        n, a, b = (int(sizes[at]) for sizes in (crossing.n, crossing.a, crossing.b))
        cluster, next_cluster = one.labels[crossing.rows[at]], two.labels[crossing.columns[at]]
        yield Flow(threshold, cluster, next_threshold, next_cluster, n, n / a, n / b)
