"""evaluate(): the scores of one table, looked up by name, readable when printed; and where it goes wrong."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, Unpack, overload

import numpy  # noqa: F401, ICN001  # here and not deeper: where its frames cross a chunk of the stack it takes 6 ms longer

from clustermark import diagnosis
from clustermark.diagnosis.group_scores import GroupScores
from clustermark.diagnosis.scored_points import ScoredData, ScoredLabels
from clustermark.errors import InputError, Mention, NoiseWarning, warn_user
from clustermark.evaluation.evaluation import Evaluation
from clustermark.evaluation.record import Record
from clustermark.evaluation.scoring import score
from clustermark.options import names_columns, with_table_options
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
    from clustermark.registry import Index
    from clustermark.sources.kinds import Source
    from clustermark.uncertainty.interval import GroupedPoints, Unit


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
        """Score a table without a warning: what would be warned of is in `notices`.

        given: the labels that the table was made of, or what reads them: `points` needs them.
        mention: spells the options that notices name; by default as in Python.
        settings: how the data was read, beside the policies, which the table knows.
        intervals: whether each score gets an interval; or options of these, as `interval` takes them.
        sources: where the labels lie, if there are other columns too, such as groups of points.
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
        """The table that was scored, as `subject`."""
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
        """The statements that an engine ran; empty for labels in memory."""
        return self.table.sql

    @cached_property
    def clusters(self) -> ClusterTable:
        """The labelled predicted clusters, each beside the true cluster it is closest to.

        >>> evaluate([0, 0, 1, 1, 2, 2], [0, 0, 1, 1, 1, 2]).clusters[1].best_match
        1
        """
        return diagnosis.ClusterTable.of(self.table, "pred")

    @cached_property
    def classes(self) -> ClusterTable:
        """The labelled true clusters, each beside the predicted cluster it is closest to."""
        return diagnosis.ClusterTable.of(self.table, "true")

    def splits(self, k: int | None = 10, *, records: Any = None, show: str | Sequence[str] | None = None) -> ErrorList:
        """The true clusters that lose most pairs because the prediction breaks them up; the k worst.

        records: where the records of the points lie, to be shown beside their ids: a frame, a file or another source
            with their ids, a mapping from id to record, or, for points without ids, a list in their order.
        show: which columns of them; by default all. Without records, columns of the sources that were compared.

        >>> evaluate(["a", "a", "b", "b"], [1, 2, 3, 3]).splits()
        1 true cluster is split in the prediction
        cluster  points  pairs lost  predicted clusters  parts
        a             2           1                   2  1 (1 of 1), 2 (1 of 1)
        """
        return self._known_origin.list_errors("true", k, records, show)

    def merges(self, k: int | None = 10, *, records: Any = None, show: str | Sequence[str] | None = None) -> ErrorList:
        """The predicted clusters with most pairs of points that are apart in truth; the k worst.

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
        """What to mend first: the k repairs that mend most, one after the other.

        A repair merges clusters, moves records from one to another, gives a true cluster one of its own, or splits a
        predicted cluster. None of them parts records that belong together or joins such that do not.

        by: "wrong_pairs", missing and false ones together, or the index that each repair is to raise most.
        indices: the scores to tell after each repair; the precision and recall of pairs and adjusted_rand by default.
        records, show: the records to show of what each repair is about, as in `splits`.
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
        """The points whose label on the other side is not the best match of their cluster; the first k of them.

        y_true, y_pred: the labels that the table was made of; `evaluate` has them, `evaluate_table` does not.
        side: whether "their cluster" is the predicted or the true one.
        records, show: the records to show beside each point, as in `splits`; what differs is marked against a point of
            the same cluster that lies in the best match.

        >>> evaluate(["a", "a", "b", "b"], [1, 1, 1, 2]).points()
        1 point lies outside the best match of its predicted cluster
        point  true  pred  best match
        2      b     1     a
        """
        return self._known_origin.list_points(y_true, y_pred, side, k, records, show)

    def with_intervals(self, **options: Any) -> PartitionEvaluation:
        """The same evaluation with an interval for each score, in all that is printed and written of it."""
        from clustermark.uncertainty.limits import make_all_intervals

        request, record = self._request(options), self.record
        found = make_all_intervals(self.table, {index: self[index.label] for index in self.indices}, request)
        scores = {label: score._replace(interval=found[label]) for label, score in record.scores.items()}
        settings = record.settings | {"intervals": request.settings}
        made = PartitionEvaluation(record._replace(scores=scores, settings=settings), self.table, self.indices)
        made._given_labels = self._given_labels
        return made

    def _units(self, unit: Any) -> Unit | GroupedPoints:
        """Groups of points as the table has them; what is no group is passed on."""
        if isinstance(unit, str) and unit in ("point", "component"):
            return "component" if unit == "component" else "point"
        from clustermark.diagnosis.groupings import read_groups

        return read_groups(self._known_origin, unit)

    def overlap_map(self, k: int = 30, choose: Choice = "worst") -> OverlapMap:
        """At most k clusters of each side against each other, so ordered that matches lie on the diagonal.

        choose: where there are more, the "worst": those that lose most pairs and those that they fall into, or the
            "largest".
        """
        return diagnosis.OverlapMap.of(self.table, k, choose)

    @cached_property
    def sizes(self) -> dict[str, list[tuple[float, int]]]:
        """How many clusters there are of each size, on both sides: pairs (size, clusters), ascending.

        >>> evaluate([0, 0, 1, 1, 2, 2], [0, 0, 1, 1, 1, 2]).sizes
        {'true': [(2, 3)], 'pred': [(1, 1), (2, 1), (3, 1)]}
        """
        histogram = diagnosis.size_histogram
        return {"true": histogram(self.table, "true"), "pred": histogram(self.table, "pred")}

    def _judge(self) -> str:
        from clustermark.evaluation.verdict import verdict

        score = self.record.scores.get("adjusted_rand")
        return verdict(self.table, interval=score and score.interval)

    @cached_property
    def advice(self) -> str:
        """What to do next, in one sentence that follows from the numbers.

        >>> evaluate([0, 0, 1, 1, 2, 2], [0, 0, 0, 0, 0, 0]).advice
        'Let the method make more clusters: it made one.'
        """
        from clustermark.evaluation.advice import advise

        return advise(self.table, self.notices)

    def report(
        self,
        title: str | None = None,
        *,
        nearly: float = 0.9,
        by: str | Sequence[str | Sequence[str]] = (),
        records: Any = None,
        show: str | Sequence[str] | None = None,
    ) -> str:
        """A page of HTML that shows it all, and loads nothing else.

        nearly: the page calls a cluster nearly exact from this Jaccard index with its best match on.
        by: columns of the records to show the quality by, too; a list of columns among them makes groups together.
        records, show: the records that the page is to hold, of the worst clusters, as in `splits`; by default none.
            With `by`, only if `show` names what of them. Without `by`, groups of them are shown that truly suffer more
            than the rest.
        """
        from clustermark.evaluation.page.render import html

        finder = None if by and show is None else self._known_origin.find_records(records, show)
        groups, subgroups = self._groups_by(by, records)
        if finder is not None and not by:
            subgroups = self._confirmed_subgroups(records, show)
        return html(self, title, nearly, finder, groups, subgroups)

    def write_report(
        self, path: str | PathLike[str], title: str | None = None, *, overwrite: bool = False, **how: Any
    ) -> None:
        """Write `report()`, whose options these are, to a file: one page that can be sent, kept and printed."""
        write_text(self.report(title, **how), path, overwrite=overwrite)

    @property
    def plot(self) -> Plots:
        """Charts by matplotlib: `plot.overlaps()`, `.flow()`, `.sizes()`, `.errors()`, …; print it to see which."""
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
    """The scores of a prediction against the truth, from one table, and where it goes wrong.

    indices: names such as "jaccard" or "f_measure(beta=2)", or indices themselves; by default a panel of about twenty;
        "all" for all of them but those that may have to draw random tables.
    y_true, y_pred, explain: as in `crosstab`, also the sources: a file with two columns of labels,
        `evaluate("records.csv", true="entity", pred="cluster")`, or two that share an id,
        `evaluate("truth.csv", "found.parquet", on="record")`.
    intervals: True for an interval around each score; or options of these, such as {{"unit": "component"}}, as
        `Evaluation.interval` takes them.

    {options}

    >>> evaluate([0, 0, 1, 1], [0, 0, 1, 2], ["jaccard", "f_measure(beta=2)"])
    4 points, 2 true and 3 predicted clusters
    index                 score  range   better
    jaccard            0.500000  [0, 1]  higher
    f_measure(beta=2)  0.555556  [0, 1]  higher
    """
    if isinstance(y_true, Contingency):
        raise InputError("evaluate takes labels; a table that is already there goes to evaluate_table(table, indices)")
    if explain:
        return crosstab(y_true, y_pred, explain=True, **options)
    if not names_columns(options):
        given = ScoredLabels(y_true, y_pred, options.get("counts"), options.get("weights"))
        return _warn(
            PartitionEvaluation.of_table(crosstab(y_true, y_pred, **options), indices, given, intervals=intervals)
        )
    from clustermark.diagnosis.record_columns import Sources

    y_true, y_pred = hold_streams(y_true, y_pred, options)  # `points` reads them once more
    table = crosstab(y_true, y_pred, **options)
    sources = Sources(y_true, y_pred, dict(options), table.settings)
    return _warn(
        PartitionEvaluation.of_table(table, indices, sources.read_labels, intervals=intervals, sources=sources)
    )


def evaluate_table(
    table: Contingency,
    indices: Sequence[str | Index[...]] | str | None = None,
    *,
    intervals: bool | Mapping[str, Any] = False,
) -> PartitionEvaluation:
    """The scores of a table that is already there; indices and intervals are chosen as in `evaluate`."""
    if not isinstance(table, Contingency):
        raise InputError("evaluate_table takes a table from crosstab(y_true, y_pred); labels go to evaluate")
    return _warn(PartitionEvaluation.of_table(table, indices, intervals=intervals))


def _warn(evaluation: PartitionEvaluation) -> PartitionEvaluation:
    """Warn the user of noise that is likely a mistake; the rest follows from what was asked for."""
    for notice in evaluation.notices:
        if notice.kind == "noise":
            warn_user(NoiseWarning(notice.text))
    return evaluation
