"""evaluate(): the scores of a prediction against the truth, and lists of its errors."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, Unpack, overload

import numpy  # noqa: F401, ICN001  # not imported deeper: crossing a chunk of the stack costs 6 ms

from clustermark import diagnosis
from clustermark.diagnosis.group_scores import GroupScores
from clustermark.diagnosis.scored_points import ScoredData, ScoredLabels
from clustermark.errors import InputError, Mention, NoiseWarning, warn_user
from clustermark.evaluation.evaluation import Evaluation, score
from clustermark.evaluation.record import Record
from clustermark.options import names_columns, with_table_options
from clustermark.registry import Index
from clustermark.registry.lookup import REGISTRY
from clustermark.results.files import write_text
from clustermark.sources.contingencies import crosstab, hold_streams
from clustermark.subjects.subject import PARTITIONS
from clustermark.tables.contingency import Contingency
from clustermark.uncertainty.interval import IntervalMethods

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from os import PathLike

    from clustermark.diagnosis import ClusterTable, ErrorList, OverlapMap, PointTable, Side
    from clustermark.diagnosis.overlap_map import Choice
    from clustermark.diagnosis.record_columns import Sources
    from clustermark.diagnosis.repairs import Repairs
    from clustermark.evaluation.plots import Plots
    from clustermark.labels.conversion import Labels
    from clustermark.options import TableOptions
    from clustermark.sources.recognition import Source
    from clustermark.uncertainty.checked_intervals import CoverageCheck
    from clustermark.uncertainty.interval import CrossedPoints, GroupedPoints, Unit


class PartitionEvaluation(Evaluation, IntervalMethods, GroupScores):
    """The scores of a prediction against the truth, and where the prediction is wrong.

    >>> scores = evaluate([0, 0, 1, 1, 2, 2], [0, 0, 1, 1, 1, 2])
    >>> scores.n_given, scores.n_used, scores.n_noise, scores.n_dropped
    (6, 6, 0, 0)
    >>> evaluate([0, 0, 1, 1, 2, 2], [0, 0, 1, 1, 2, 2]).verdict
    'The two clusterings are identical: all 3 true clusters are found exactly.'
    """

    SUBJECT = "partitions"
    _called = "table"
    _given_labels: ScoredData | None = None

    @classmethod
    def of_table(
        cls,
        table: Contingency,
        indices: Sequence[str | Index[...]] | str | None,
        given: ScoredLabels | Callable[[], ScoredLabels] | None = None,
        mention: Callable[[Mention], str] = str,
        *,
        settings: Mapping[str, Any] = MappingProxyType({}),
        intervals: bool | Mapping[str, Any] = False,
        sources: Sources | None = None,
    ) -> PartitionEvaluation:
        """Score a table without warnings; `notices` contains them instead.

        given: the labels that the table was made of, or a function that reads them; `points` needs them.
        mention: spells the options that notices name; by default as in Python.
        settings: how the data was read, in addition to the policies, which the table stores.
        intervals: whether each score gets an interval; or options of intervals, as in `interval`.
        sources: the sources of the labels, if they have other columns too, such as groups of points.
        """
        scored = score(table, PARTITIONS, indices)
        record = Record.of(table, scored.scores, settings, dict(scored.refused), mention)
        made = cls(record, table, tuple(scored.scores))
        made._given_labels = ScoredData(table, given, sources)
        if intervals is None or intervals is False:
            return made
        if intervals is not True and not isinstance(intervals, Mapping):
            raise InputError(Mention("intervals", intervals), " must be True, or options such as {'unit': 'component'}")
        return made.with_intervals(**({} if intervals is True else {str(name): intervals[name] for name in intervals}))

    @property
    def _known_origin(self) -> ScoredData:
        _ = self.subject
        assert self._given_labels is not None
        return self._given_labels

    @property
    def table(self) -> Contingency:
        """Table that was scored, same as `subject`."""
        table: Contingency = self.subject
        return table

    @property
    def n_true_clusters(self) -> int:
        """The number of true clusters, points with a cluster of their own included."""
        return self.record.clusters["true"]

    @property
    def n_pred_clusters(self) -> int:
        """The number of predicted clusters, points with a cluster of their own included."""
        return self.record.clusters["pred"]

    @property
    def sql(self) -> str:
        """SQL statements that an engine ran; empty for labels in memory."""
        return self.table.sql

    @cached_property
    def clusters(self) -> ClusterTable:
        """Labelled predicted clusters, each with the true cluster closest to it.

        >>> evaluate([0, 0, 1, 1, 2, 2], [0, 0, 1, 1, 1, 2]).clusters[1].best_match
        1
        """
        return diagnosis.ClusterTable.of(self.table, "pred")

    @cached_property
    def classes(self) -> ClusterTable:
        """Labelled true clusters, each with the predicted cluster closest to it."""
        return diagnosis.ClusterTable.of(self.table, "true")

    def splits(self, k: int | None = 10, *, records: Any = None, show: str | Sequence[str] | None = None) -> ErrorList:
        """List the k true clusters that lose most pairs because the prediction splits them.

        records: the records of the points, to be shown beside their ids: a frame, a file or another source
            with their ids, a mapping from id to record, or, for points without ids, a list in their order.
        show: the columns to show; by default all. Without records, columns of the sources that were compared.

        >>> evaluate(["a", "a", "b", "b"], [1, 2, 3, 3]).splits()
        1 true cluster is split in the prediction
        cluster  points  pairs lost  predicted clusters  parts
        a             2           1                   2  1 (1 of 1), 2 (1 of 1)
        """
        return self._known_origin.list_errors("true", k, records, show)

    def merges(self, k: int | None = 10, *, records: Any = None, show: str | Sequence[str] | None = None) -> ErrorList:
        """List the k predicted clusters with most pairs of points that are apart in truth.

        records, show: as in `splits`.

        >>> evaluate(["a", "a", "b"], [1, 1, 1]).merges(records=["Ann", "Anne", "Bob"])
        1 predicted cluster merges points that are apart in truth
        cluster  points  pairs lost  true clusters  parts
        1             3           2              2  a (2 of 2), b (1 of 1)
        1
        point  true  record
        0      a     Ann
        1      a     Ann*e*
        2      b     Bob
        2 false pairs:
            1: *Anne* | 2: *Bob*
            0: *Ann* | 2: *Bob*
        """
        return self._known_origin.list_errors("pred", k, records, show)

    def repairs(
        self,
        k: int | None = 20,
        *,
        by: str | Index[...] = "wrong_pairs",
        indices: Sequence[str | Index[...]] | None = None,
        records: Any = None,
        show: str | Sequence[str] | None = None,
    ) -> Repairs:
        """List the k repairs that mend most errors, one after the other.

        A repair merges clusters, moves records from one to another, gives a true cluster one of its own, or splits a
        predicted cluster. No repair separates records that belong together or joins records that do not.

        by: "wrong_pairs", missing and false ones together, or the index that each repair is to raise most.
        indices: the scores to report after each repair; the precision and recall of pairs and adjusted_rand by default.
        records, show: the records to show with each repair, as in `splits`.
        """
        from clustermark.diagnosis.repairs import Repairs

        origin = self._known_origin
        finder = origin.find_records(records, show)
        found = Repairs.of(origin.table, k, by, indices, None if origin.given is None else origin.read_labels)
        return found if finder is None else found.with_members(finder)

    def points(
        self,
        y_true: Labels | None = None,
        y_pred: Labels | None = None,
        *,
        side: Side = "pred",
        k: int | None = None,
        records: Any = None,
        show: str | Sequence[str] | None = None,
    ) -> PointTable:
        """List the first k points whose label on the other side is not the best match of their cluster.

        y_true, y_pred: the labels that the table was made of; `evaluate` has them, `evaluate_table` does not.
        side: whether "their cluster" is the predicted or the true one.
        records, show: the records to show beside each point, as in `splits`; differences are marked against a point
            of the same cluster that lies in the best match.

        >>> evaluate(["a", "a", "b", "b"], [1, 1, 1, 2]).points()
        1 point lies outside the best match of its predicted cluster
        point  true  pred  best match
        2      b     1     a
        """
        return self._known_origin.list_points(y_true, y_pred, side, k, records, show)

    def with_intervals(self, **options: Any) -> PartitionEvaluation:
        """Return the same evaluation with an interval for each score, included in all output."""
        from clustermark.uncertainty.limits import make_all_intervals

        request, record = self._request(options), self.record
        found = make_all_intervals(self.table, {index: self[index.label] for index in self.indices}, request)
        scores = {label: score._replace(interval=found[label]) for label, score in record.scores.items()}
        settings = record.settings | {"intervals": request.settings}
        made = PartitionEvaluation(record._replace(scores=scores, settings=settings), self.table, self.indices)
        made._given_labels = self._given_labels
        return made

    def _units(self, unit: Any) -> Unit | GroupedPoints | CrossedPoints:
        """Return groups of points in the order of the table; "point" and "component" are returned unchanged."""
        if isinstance(unit, str) and unit in ("point", "component"):
            return "component" if unit == "component" else "point"
        from clustermark.diagnosis.groupings import read_groups

        return read_groups(self._known_origin, unit)

    def overlap_map(self, k: int = 30, choose: Choice = "worst") -> OverlapMap:
        """Return at most k clusters of each side against each other, ordered such that matches lie on the diagonal.

        choose: which clusters if there are more: the "worst", those that lose most pairs with their counterparts,
            or the "largest".
        """
        return diagnosis.OverlapMap.of(self.table, k, choose)

    @cached_property
    def sizes(self) -> dict[str, list[tuple[float, int]]]:
        """Number of clusters of each size, on both sides: pairs (size, clusters), ascending.

        >>> evaluate([0, 0, 1, 1, 2, 2], [0, 0, 1, 1, 1, 2]).sizes
        {'true': [(2, 3)], 'pred': [(1, 1), (2, 1), (3, 1)]}
        """
        histogram = diagnosis.size_histogram
        return {"true": histogram(self.table, "true"), "pred": histogram(self.table, "pred")}

    def _judge(self) -> str:
        from clustermark.evaluation.verdict import verdict

        score = self.record.scores.get("adjusted_rand")
        return verdict(self.table, interval=score and score.interval)

    def _advise(self) -> str:
        from clustermark.evaluation.verdict import advise

        return advise(self.table, self.notices)

    def report(
        self,
        title: str | None = None,
        *,
        nearly: float = 0.9,
        by: str | Sequence[str | Sequence[str]] = (),
        records: Any = None,
        show: str | Sequence[str] | None = None,
        coverage: CoverageCheck | None = None,
    ) -> str:
        """Return a self-contained HTML page with all results.

        nearly: the smallest Jaccard index with its best match at which the page calls a cluster nearly exact.
        by: columns of the records by which to show the quality, too; a list of columns forms groups together.
        records, show: the records of the worst clusters to include in the page, as in `splits`; by default none. With
            `by`, they are included only if `show` names columns. Without `by`, the page shows the groups of records
            that are confirmed to have larger errors than the rest.
        coverage: the result of `coverage_check`, to show it below the scores.
        """
        from clustermark.evaluation.page.render import html
        from clustermark.uncertainty.checked_intervals import CoverageCheck

        if not isinstance(coverage, CoverageCheck | None):
            raise InputError(Mention("coverage", coverage), " must be what coverage_check() returned")
        finder = None if by and show is None else self._known_origin.find_records(records, show)
        groups, subgroups = self._groups_by(by, records)
        if finder is not None and not by:
            subgroups = self._confirmed_subgroups(records, show)
        return html(self, title, nearly, finder, groups, subgroups, coverage)

    def write_report(
        self, path: str | PathLike[str], title: str | None = None, *, overwrite: bool = False, **how: Any
    ) -> None:
        """Write `report()`, which has the same options, to a file."""
        write_text(self.report(title, **how), path, overwrite=overwrite)

    @property
    def plot(self) -> Plots:
        """Charts with matplotlib: `plot.overlaps()`, `.flow()`, `.sizes()`, `.errors()`, …; print it for a list."""
        from clustermark.evaluation.plots import Plots

        return Plots(self)


@overload
def evaluate(
    y_true: Labels | Source,
    y_pred: Labels | Source | None = None,
    indices: Sequence[str | Index[...]] | str | None = None,
    *,
    explain: Literal[False] = False,
    intervals: bool | Mapping[str, Any] = False,
    **options: Unpack[TableOptions],
) -> PartitionEvaluation: ...
@overload
def evaluate(
    y_true: Labels | Source,
    y_pred: Labels | Source | None = None,
    indices: Sequence[str | Index[...]] | str | None = None,
    *,
    explain: Literal[True],
    intervals: bool | Mapping[str, Any] = False,
    **options: Unpack[TableOptions],
) -> str: ...
@with_table_options
def evaluate(
    y_true: Labels | Source,
    y_pred: Labels | Source | None = None,
    indices: Sequence[str | Index[...]] | str | None = None,
    *,
    explain: bool = False,
    intervals: bool | Mapping[str, Any] = False,
    **options: Unpack[TableOptions],
) -> PartitionEvaluation | str:
    """Score a prediction against the truth, and find its errors.

    indices: names such as "jaccard" or "f_measure(beta=2)", or indices themselves; by default a panel of about twenty;
        "all" for all except those that may have to draw random tables.
    y_true, y_pred, explain: as in `crosstab`, also the sources: a file with two columns of labels,
        `evaluate("records.csv", true="entity", pred="cluster")`, or two that share an id,
        `evaluate("truth.csv", "found.parquet", on="record")`.
    intervals: True for an interval around each score; or options of intervals, such as {"unit": "component"}, as
        in `Evaluation.interval`.

    {options}

    >>> evaluate([0, 0, 1, 1], [0, 0, 1, 2], ["jaccard", "f_measure(beta=2)"])
    4 points, 2 true and 3 predicted clusters
    index                 score  range   better
    jaccard            0.500000  [0, 1]  higher
    f_measure(beta=2)  0.555556  [0, 1]  higher
    """
    if isinstance(y_true, Contingency):
        raise InputError("evaluate takes labels; a table that is already there goes to evaluate_table(table, indices)")
    if names_columns(options):
        _refuse_indices(y_pred, options.get("engine"))
    if explain:
        return crosstab(y_true, y_pred, explain=True, **options)
    if not names_columns(options):
        given = ScoredLabels(y_true, y_pred, options.get("counts"), options.get("weights"))
        return tell_noise(
            PartitionEvaluation.of_table(crosstab(y_true, y_pred, **options), indices, given, intervals=intervals)
        )
    from clustermark.diagnosis.record_columns import Sources

    y_true, y_pred = hold_streams(y_true, y_pred, options)  # `points` reads them once more
    table = crosstab(y_true, y_pred, **options)
    sources = Sources(y_true, y_pred, dict(options), table.settings)
    return tell_noise(
        PartitionEvaluation.of_table(table, indices, sources.read_labels, intervals=intervals, sources=sources)
    )


def _refuse_indices(y_pred: object, engine: object) -> None:
    """Raise an error for names of indices in the place of the second source."""
    from clustermark.engines.adapters.home_made import is_home_made

    if is_home_made(engine):  # there a text is the name of a table
        return
    names = [y_pred] if isinstance(y_pred, str) else y_pred if isinstance(y_pred, list | tuple) else []
    if names and all(isinstance(name, Index) or (isinstance(name, str) and _names_an_index(name)) for name in names):
        raise InputError(Mention("y_pred", y_pred), " names indices, not a source; pass them by ", Mention("indices"))


def _names_an_index(name: str) -> bool:
    return not Path(name).exists() and name.partition("(")[0] in REGISTRY


def evaluate_table(
    table: Contingency,
    indices: Sequence[str | Index[...]] | str | None = None,
    *,
    intervals: bool | Mapping[str, Any] = False,
) -> PartitionEvaluation:
    """Score an existing table; indices and intervals are chosen as in `evaluate`."""
    if not isinstance(table, Contingency):
        raise InputError("evaluate_table takes a table from crosstab(y_true, y_pred); labels go to evaluate")
    return tell_noise(PartitionEvaluation.of_table(table, indices, intervals=intervals))


def tell_noise(evaluation: PartitionEvaluation) -> PartitionEvaluation:
    """Warn of noise that is likely a mistake; other notices follow from the chosen options."""
    for notice in evaluation.notices:
        if notice.kind == "noise":
            warn_user(NoiseWarning(notice.text))
    return evaluation
