"""evaluate(): the scores of one table, looked up by name, readable when printed; and where it goes wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Unpack, overload
from warnings import warn

from clustermark import diagnosis
from clustermark.diagnosis.given import GivenLabels
from clustermark.diagnosis.suffering import Suffering
from clustermark.errors import ClustermarkError, InputError, Mention, NoiseWarning, UnsupportedTableError
from clustermark.options import names_columns, with_table_options
from clustermark.registry import Index, catalogue, list_panel
from clustermark.report.record import Record, read_record
from clustermark.report.score_sheet import ScoreSheet, index_of
from clustermark.sources.crosstab import crosstab, hold_streams, labels_of
from clustermark.tables.columnar import write_text
from clustermark.tables.contingency import Contingency
from clustermark.uncertainty.questions import Questions

if TYPE_CHECKING:
    from os import PathLike

    from clustermark.diagnosis import ClusterTable, ErrorList, OverlapMap, PointTable, Side
    from clustermark.diagnosis.overlap_map import Choice
    from clustermark.diagnosis.record_columns import Sources, Wanted
    from clustermark.diagnosis.record_finder import RecordFinder
    from clustermark.labels.kinds import Labels
    from clustermark.options import TableOptions
    from clustermark.repairs import Repairs
    from clustermark.report.charts.plots import Plots
    from clustermark.sources.kinds import Source
    from clustermark.uncertainty.interval import Unit
    from clustermark.uncertainty.samples import GroupedPoints


_READ_AGAIN = 5_000_000
"""Up to so many points, a list of errors looks up the ids of points that have a cluster of their own."""


class Origin(NamedTuple):
    """What an evaluation was made of."""

    table: Contingency
    indices: tuple[Index[...], ...]
    given: GivenLabels | Callable[[], GivenLabels] | None
    """The labels that the table was made of, or what reads them: `points` needs them."""
    sources: Sources | None = None
    """Where the labels lie, if that has other columns too."""


class Evaluation(ScoreSheet, Questions, Suffering):
    """The scores of one table. A mapping from the name of an index to its score; any of its names will do.

    >>> scores = evaluate([0, 0, 1, 1, 2, 2], [0, 0, 1, 1, 1, 2])
    >>> scores["jaccard"], scores["Tanimoto"], scores["ARS"]
    (0.4, 0.4, 0.4444444444444444)
    >>> scores.n_given, scores.n_used, scores.n_noise, scores.n_dropped
    (6, 6, 0, 0)
    """

    def __init__(self, record: Record, origin: Origin | None = None, verdict: str | None = None) -> None:
        """Make one of its record, and of what it was made of or its verdict; `evaluate` and `from_json` do so."""
        super().__init__(record)
        self._origin = origin
        self._verdict = verdict

    @classmethod
    def of(
        cls,
        table: Contingency,
        indices: Sequence[Index[...]],
        refused: Mapping[str, str] = MappingProxyType({}),
        settings: Mapping[str, Any] = MappingProxyType({}),
        given: GivenLabels | Callable[[], GivenLabels] | None = None,
        *,
        leave_out: bool = False,
        mention: Callable[[Mention], str] = str,
        intervals: bool | Mapping[str, Any] = False,
        sources: Sources | None = None,
    ) -> Evaluation:
        """Score a table; `evaluate` and `evaluate_table` do so, and warn of what is noticed.

        refused: indices that have no meaning on this table, with the reason.
        settings: how the data came to be compared, beside the policies, which the table knows.
        given: the labels that the table was made of, or what reads them: `points` needs them.
        leave_out: whether an index that is too much for this table is left out, and not an error.
        mention: what spells the options that notices speak of; by default as in Python.
        intervals: whether each score gets an interval; or options of these, as `interval` takes them.
        sources: where the labels lie, if that has other columns too, such as groups of points.
        """
        scores, reasons = dict[Index[...], float](), dict(refused)
        for index in {index.label: index for index in indices}.values():
            try:
                scores[index] = index.of(table)
            except UnsupportedTableError as error:
                if not leave_out:
                    raise
                reasons[index.label] = str(error)
        origin = Origin(table, tuple(scores), given, sources)
        made = cls(Record.of(table, scores, settings, reasons, mention), origin)
        return made.with_intervals(**({} if intervals is True else intervals)) if intervals else made

    @classmethod
    def from_json(cls, text: str) -> Evaluation:
        """Read back what `to_json` returned: scores, counts, settings and verdict. It has no table.

        >>> again = Evaluation.from_json(evaluate([0, 0, 1, 1], [0, 0, 1, 2], ["jaccard"]).to_json())
        >>> again["jaccard"], again.n_used
        (0.5, 4)
        """
        record, verdict = read_record(text)
        return cls(record, verdict=verdict)

    @property
    def _known_origin(self) -> Origin:
        if self._origin is None:
            raise InputError(
                "this evaluation was read from JSON, which holds scores and no table; evaluate the labels again to ask "
                "for clusters, errors, charts of them or a report"
            )
        return self._origin

    @property
    def table(self) -> Contingency:
        """The table that was scored."""
        return self._known_origin.table

    @property
    def indices(self) -> tuple[Index[...], ...]:
        """The indices that were evaluated."""
        return self._known_origin.indices

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
        a: 2 points, 1 pair lost, 2 predicted clusters: 1 (1 of 1), 2 (1 of 1)
        """
        return self._errors("true", k, self._find_records(records, show))

    def merges(self, k: int | None = 10, *, records: Any = None, show: str | Sequence[str] | None = None) -> ErrorList:
        """The predicted clusters with most pairs of points that are apart in truth; the k worst.

        records, show: as in `splits`.

        >>> evaluate(["a", "a", "b"], [1, 1, 1]).merges(records=["Ann", "Anne", "Bob"])
        1 predicted cluster merges points that are apart in truth
        1: 3 points, 2 pairs lost, 2 true clusters: a (2 of 2), b (1 of 1)
            point  true  record
            0      a     Ann
            1      a     Ann*e*
            2      b     Bob
            2 false pairs:
                1: *Anne* | 2: *Bob*
                0: *Ann* | 2: *Bob*
        """
        return self._errors("pred", k, self._find_records(records, show))

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
        from clustermark.repairs import Repairs

        finder = self._find_records(records, show)
        known = self._known_origin.given is not None
        found = Repairs.of(self.table, k, by, indices, self._given_labels if known else None)
        return found if finder is None else found.with_members(finder)

    def _find_records(
        self, records: Any, show: str | Sequence[str] | None, given: GivenLabels | None = None
    ) -> RecordFinder | None:
        """What finds records, if any were asked for; given: the labels, if they are not those of the evaluation."""
        if records is None and show is None:
            return None
        from clustermark.diagnosis.record_finder import RecordFinder

        sources = self._known_origin.sources if given is None else None
        return RecordFinder(self.table, self._given_labels if given is None else lambda: given, sources, records, show)

    def _errors(self, side: Side, k: int | None, finder: RecordFinder | None) -> ErrorList:
        errors = self._name_parts(diagnosis.ErrorList.of(self.table, side, k))
        if finder is None:
            return errors
        members = finder.list_clusters({side: [row.cluster for row in errors]})
        return errors.with_members(members, finder.note)

    def _name_parts(self, errors: ErrorList) -> ErrorList:
        from clustermark.diagnosis.lone_points import has_lone_parts, name_lone_parts

        given = self._known_origin.given
        known = isinstance(given, GivenLabels) or (given is not None and "on" in self.settings)
        if not known or self.n_given > _READ_AGAIN or not has_lone_parts(errors):
            return errors
        try:
            return name_lone_parts(errors, self.table.policies, self._given_labels())
        except ClustermarkError:  # a source that cannot be read twice: the list is right without the ids
            return errors

    def _given_labels(self) -> GivenLabels:
        given = self._known_origin.given
        if given is None:
            raise InputError(
                "points: this evaluation was made from a table, which has no points; pass the labels it was made of, "
                "points(y_true, y_pred), or use evaluate(y_true, y_pred)"
            )
        if not isinstance(given, GivenLabels):
            given = _refuse_others(self.table, given())
            self._origin = self._known_origin._replace(given=given)
        return given

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
        2         b     1           a
        """
        if (y_true is None) != (y_pred is None):
            raise InputError("points: pass both y_true and y_pred, or neither")
        other = None if y_true is None else GivenLabels(y_true, y_pred)
        finder = self._find_records(records, show, other)
        if finder is None:
            return diagnosis.PointTable.of(self.table, self._given_labels() if other is None else other, side, k)
        found = diagnosis.PointTable.of(self.table, finder.members.given, side, k, finder.list_points)
        found.note = finder.note
        return found

    def with_intervals(self, **options: Any) -> Evaluation:
        """The same evaluation with an interval for each score, in all that is printed and written of it."""
        from clustermark.uncertainty.interval import make_all_intervals

        request, record = self._request(options), self.record
        found = make_all_intervals(self.table, {index: self[index.label] for index in self.indices}, request)
        scores = {label: score._replace(interval=found[label]) for label, score in record.scores.items()}
        settings = record.settings | {"intervals": request.settings}
        return Evaluation(record._replace(scores=scores, settings=settings), self._origin)

    def _units(self, unit: Any) -> Unit | GroupedPoints:
        """Groups of points as the table has them; what is no group is passed on."""
        if isinstance(unit, str) and unit in ("point", "component"):
            return "component" if unit == "component" else "point"
        from clustermark.diagnosis.point_groups import group_points
        from clustermark.uncertainty.points import IN_ENGINE

        origin = self._known_origin
        if not origin.table.in_memory:
            raise UnsupportedTableError(f"groups of points: an interval over them {IN_ENGINE}")
        if not isinstance(unit, str):
            if origin.given is None:
                raise InputError("unit: groups of points need the points; use evaluate(y_true, y_pred)")
            return group_points(self.table, self._given_labels(), unit)
        if origin.sources is None:
            raise InputError(
                Mention("unit", unit), " is unknown; choose 'point' or 'component', or pass the group of each point"
            )
        given, groups = _read_groups(origin.sources, unit)
        return group_points(self.table, _refuse_others(self.table, given), groups)

    def _record_columns(self, wanted: Wanted) -> tuple[GivenLabels, dict[str, Any]]:
        """The labels of the points, and columns of their records in the same order."""
        from clustermark.diagnosis.record_columns import columns_beside, columns_of_points

        sources = self._known_origin.sources
        if wanted.records is not None or sources is None or sources.other is not None:
            given = self._given_labels()
            return given, columns_of_points(given, sources, wanted)
        given, found = columns_beside(sources, wanted)
        return _refuse_others(self.table, given), found

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

    @cached_property
    def verdict(self) -> str:
        """How good the agreement is and what goes wrong, in one sentence.

        >>> evaluate([0, 0, 1, 1, 2, 2], [0, 0, 1, 1, 2, 2]).verdict
        'The two clusterings are identical: all 3 true clusters are found exactly.'
        """
        from clustermark.report.verdict import verdict

        if self._verdict is not None:
            return self._verdict
        score = self.record.scores.get("adjusted_rand")
        return verdict(self.table, interval=score and score.interval)

    @cached_property
    def advice(self) -> str:
        """What to do next, in one sentence that follows from the numbers.

        >>> evaluate([0, 0, 1, 1, 2, 2], [0, 0, 0, 0, 0, 0]).advice
        'Let the method make more clusters: it made one.'
        """
        from clustermark.report.advice import advise

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
        from clustermark.report.page.render import html

        finder = None if by and show is None else self._find_records(records, show)
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
        from clustermark.report.charts.plots import Plots

        return Plots(self)


def read_evaluation(path: str | PathLike[str]) -> Evaluation:
    """Read an evaluation that `write_json`, or `clustermark score -o scores.json`, wrote. It has no table."""
    from pathlib import Path

    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"path: {path} cannot be read as text ({error})") from error
    return Evaluation.from_json(text)


@overload
def evaluate(
    y_true: Labels | Source,
    y_pred: Labels | Source | None = None,
    indices: Sequence[str | Index[...]] | str | None = None,
    *,
    explain: Literal[False] = False,
    intervals: bool | Mapping[str, Any] = False,
    **options: Unpack[TableOptions],
) -> Evaluation: ...
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
) -> Evaluation | str:
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
    jaccard              0.500000  [0, 1]
    f_measure(beta=2)    0.555556  [0, 1]
    """
    if isinstance(y_true, Contingency):
        raise InputError("evaluate takes labels; a table that is already there goes to evaluate_table(table, indices)")
    if explain:
        return crosstab(y_true, y_pred, explain=True, **options)
    if names_columns(options):
        y_true, y_pred = hold_streams(y_true, y_pred, options)  # `points` reads them once more
    table = crosstab(y_true, y_pred, **options)
    given: GivenLabels | Callable[[], GivenLabels] = partial(_read, y_true, y_pred, **options)
    if not names_columns(options):
        given = GivenLabels(y_true, y_pred, options.get("counts"), options.get("weights"))
    sources = None
    if names_columns(options):
        from clustermark.diagnosis.record_columns import Sources

        sources = Sources(y_true, y_pred, dict(options), table.settings)
    return _warn(score_table(table, indices, given, intervals=intervals, sources=sources))


def evaluate_table(
    table: Contingency,
    indices: Sequence[str | Index[...]] | str | None = None,
    *,
    intervals: bool | Mapping[str, Any] = False,
) -> Evaluation:
    """The scores of a table that is already there; indices and intervals are chosen as in `evaluate`."""
    if not isinstance(table, Contingency):
        raise InputError("evaluate_table takes a table from crosstab(y_true, y_pred); labels go to evaluate")
    return _warn(score_table(table, indices, intervals=intervals))


def score_table(
    table: Contingency,
    indices: Sequence[str | Index[...]] | str | None,
    given: GivenLabels | Callable[[], GivenLabels] | None = None,
    mention: Callable[[Mention], str] = str,
    **how: Any,
) -> Evaluation:
    """The scores of a table, without a warning: what is noticed is in `notices`; `how` as in `Evaluation.of`."""
    chosen, refused = _choose(table, indices)
    return Evaluation.of(table, chosen, refused, given=given, leave_out=_is_ours(indices), mention=mention, **how)


def _warn(evaluation: Evaluation) -> Evaluation:
    """Warn the caller of our caller of noise that is likely a mistake; the rest follows from what was asked for."""
    for notice in evaluation.notices:
        if notice.kind in ("noise", "noise_type"):
            warn(notice.text, NoiseWarning, stacklevel=3)
    return evaluation


def _refuse_others(table: Contingency, given: GivenLabels) -> GivenLabels:
    """The labels of a source that was scored, read again; it may be another by now."""
    from clustermark.diagnosis.point_table import are_of

    if not are_of(table, given):
        raise InputError("the points are not those that were scored: the source has changed since; evaluate it again")
    return given


def _read_groups(sources: Sources, column: str) -> tuple[GivenLabels, Any]:
    from clustermark.diagnosis.point_groups import labels_beside

    try:
        return labels_beside(sources, column)
    except InputError as error:  # which speaks of the column as of one of labels
        said = (Mention("unit", *one.values) if isinstance(one, Mention) and one.name == "true" else one
                for one in error.args)  # fmt: skip
        raise InputError(*said) from error


def _read(source: Any, other: Any, **options: Any) -> GivenLabels:
    return GivenLabels.of(labels_of(source, other, **options))


def _is_ours(indices: object) -> bool:
    """Whether the choice of indices is ours: the panel, or all."""
    return indices is None or (isinstance(indices, str) and indices == "all")


def _choose(table: Contingency, indices: object) -> tuple[list[Index[...]], dict[str, str]]:
    """The indices that were asked for, and those of a choice of ours that have no meaning on this table."""
    if _is_ours(indices):
        ours = list_panel() if indices is None else list(catalogue())
        refused = {index.name: reason for index in ours if (reason := _reason_against(index, table))}
        return [index for index in ours if index.name not in refused], refused
    if isinstance(indices, str | Index):
        indices = [indices]
    if not isinstance(indices, Iterable):
        raise InputError(
            Mention("indices", indices), " must be a list of names of indices, such as ['jaccard', 'rand']"
        )
    return [index_of(wanted) for wanted in indices], {}


def _reason_against(index: Index[...], table: Contingency) -> str:
    if index.facts.may_sample:
        return "it may have to draw random tables, which takes long; name it to have it"
    return index.refusal(table)
