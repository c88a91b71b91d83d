"""changes(): what changed from one clustering to another, and with a truth whether it was right."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from clustermark.errors import InputError, Mention, UnsupportedTableError
from clustermark.labels.names import Names
from clustermark.options import read_options
from clustermark.registry import Index, read_indices
from clustermark.releases import change_texts
from clustermark.releases.against_truth import PANEL, AgainstTruth
from clustermark.releases.changed_clusters import (
    KINDS,
    Count,
    EventArrays,
    Release,
    count_kinds,
    list_changes,
    read_side,
)
from clustermark.releases.impact import changed_cells, measure, measure_tally, slice_impact, total_weight
from clustermark.releases.reading import NAMED, Asked, read_sides, truth_policies
from clustermark.report.notices import tell_like_noise, warn_of_noise
from clustermark.results.files import write_text
from clustermark.results.json import json_text
from clustermark.tables.columnar import label_text
from clustermark.tables.policies import spread_noise
from clustermark.tables.selections import Changed
from clustermark.uncertainty.interval import Request

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from os import PathLike

    from clustermark.labels.kinds import Labels
    from clustermark.releases.changed_clusters import ClusterChanges, EventList
    from clustermark.releases.impact import ChangedCells, Impact, Masses, Slices
    from clustermark.releases.reading import Sides
    from clustermark.sources.kinds import Source
    from clustermark.tables.cells import CellTable
    from clustermark.tables.contingency import Contingency
    from clustermark.tables.noise import Whose
    from clustermark.uncertainty.interval import Unit


_WHOSE: Whose = {"true": ("before", "noise_pred"), "pred": ("after", "noise_pred")}


class _Found(NamedTuple):
    """The cells that changed, with the table that has their names."""

    table: CellTable
    cells: ChangedCells


class Changes:
    """What changed from one clustering to another; made by `changes`.

    >>> from clustermark import changes
    >>> found = changes(["a", "a", "a", "b", "b"], [1, 1, 2, 2, 2])
    >>> found.split_rate, found.merge_rate, found.affected
    (0.26666666666666666, 0.26666666666666666, 5)
    >>> found.kinds["before"]["merged"]
    Count(number=1, records=2)
    """

    def __init__(self, sides: Sides, against_truth: AgainstTruth | None = None) -> None:
        self._sides = sides
        self.table: Contingency = sides.table
        """The table of before × after; before stands where a table has the truth."""
        self.truth = against_truth
        """What the truth says; None without one."""

    @cached_property
    def _found(self) -> _Found | str:
        """The changed cells in memory; or the reason why an engine keeps them."""
        try:
            table = self.table.part(Changed())
        except UnsupportedTableError as error:
            return str(error)
        return _Found(table, changed_cells(table))

    @cached_property
    def impact(self) -> Impact:
        """How much changes, as means over records."""
        if isinstance(self._found, str):
            return measure_tally(self.table.sized_cells(), self.table.n_used)
        return measure(self._found.cells, total_weight(self.table))

    @property
    def split_rate(self) -> float:
        """The mean share of a record's cluster before that it is no longer with: 1 - B-cubed recall of before."""
        return self.impact.masses.split

    @property
    def merge_rate(self) -> float:
        """The mean share of a record's cluster after that it was not with before: 1 - B-cubed precision of before."""
        return self.impact.masses.merge

    @property
    def masses(self) -> Masses:
        """What pairs of each kind weigh in a change of B-cubed precision."""
        return self.impact.masses

    @property
    def distance(self) -> float:
        """The mean Jaccard distance of a record's cluster before and after, 1 - `pointwise_jaccard`: a metric."""
        return self.impact.distance

    @property
    def affected(self) -> int:
        """Records whose cluster is not the same set of records as before."""
        return self.impact.affected

    @property
    def affected_share(self) -> float:
        """Their share of all records, by weight."""
        return self.impact.affected_share

    @property
    def records(self) -> dict[str, int]:
        """How many records there are: in both, before only, after only; compared, and given in all."""
        account = self.table.account
        return {
            "both": account.n_given - account.only_true - account.only_pred,
            "before_only": account.only_true,
            "after_only": account.only_pred,
            "compared": self.table.n_used,
            "given": account.n_given,
        }

    @cached_property
    def _unmatched(self) -> tuple[list[Any], list[Any]]:
        account = self.table.account
        if not account.only_true and not account.only_pred:
            return [], []
        before, after = (
            [ids[place] for place in Names.of(ids).sorted_order()[:NAMED].tolist()] if ids else []
            for ids in self._sides.name_unmatched()
        )
        return before, after

    @property
    def before_only(self) -> list[Any]:
        """The first ten records that only before has, by their ids in sorted order."""
        return self._unmatched[0]

    @property
    def after_only(self) -> list[Any]:
        """The first ten records that only after has."""
        return self._unmatched[1]

    @cached_property
    def kinds(self) -> dict[str, dict[str, Count]]:
        """How many clusters before and after are unchanged, merged, split or regrouped, and their records.

        A cluster before is merged if it lies whole within a larger one after, split if it became several whole ones; a
        cluster after is split if it is a piece of one before, merged if it is made of several whole ones.
        """
        if isinstance(self._found, str):
            return self._count_in_engine()
        return count_kinds(self._found.cells, self.table, self._found.table)

    def _count_in_engine(self) -> dict[str, dict[str, Count]]:
        """The kinds of clusters that have labels, and those of records that are alone; an engine counts no records."""
        tally = self.table.sized_cells()
        inside = {
            "before": int(tally.times[(tally.n == tally.a) & (tally.n < tally.b)].sum()),
            "after": int(tally.times[(tally.n == tally.b) & (tally.n < tally.a)].sum()),
        }
        same = (tally.n == tally.a) & (tally.n == tally.b)
        kept = Count(int(tally.times[same].sum()), int((tally.n * tally.times)[same].sum()))
        found = {}
        for side, is_inside, is_whole in (("before", "merged", "split"), ("after", "split", "merged")):
            counted = self.table.census(read_side(side)).kinds
            numbers = {is_inside: inside[side], is_whole: counted["whole"], "regrouped": counted["mixed"]}
            found[side] = {"unchanged": kept} | {kind: Count(numbers[kind], None) for kind in KINDS[1:]}
        return found

    @cached_property
    def _events(self) -> EventArrays:
        if isinstance(self._found, str):
            raise UnsupportedTableError(self._found)
        return EventArrays(self._found.cells, self._found.table)

    @cached_property
    def event_counts(self) -> dict[str, Count] | None:
        """How many events there are of each kind, and their records; every record is in exactly one.

        None where so many cells changed that they stay in the engine: what hangs together is found in memory only.
        """
        if isinstance(self._found, str):
            return None
        return {"unchanged": self.kinds["before"]["unchanged"]} | self._events.count()

    @property
    def no_events(self) -> str:
        """Why there are no events; empty where there are."""
        return self._found if isinstance(self._found, str) else ""

    def events(self, k: int | None = 10) -> EventList:
        """The k events of most impact: clusters before and after that hang together by shared records."""
        return self._events.first(_how_many(k))

    def clusters(self, side: Release = "before", k: int | None = 10) -> ClusterChanges:
        """The k clusters of a side that changed most, with what they became or came from."""
        changed = (
            (count for kind, count in self.kinds[str(side)].items() if kind != "unchanged")
            if side in self.kinds
            else ()
        )
        read_side(side)
        return list_changes(self.table, side, _how_many(k), sum(count.number for count in changed))

    @cached_property
    def slices(self) -> Slices | None:
        """The impact on the records of each slice; None without `by`."""
        labelled = self._sides.labelled
        if labelled is None or labelled.by is None:
            return None
        return slice_impact(self.table.to_memory(), labelled)

    @property
    def weighted(self) -> bool:
        """Whether records have weights."""
        return self.table.weights is not None

    def tell_noise(self) -> list[list[Any]]:
        """What is to be said of labels that look like noise, in parts of messages."""
        return tell_like_noise(self.table, _WHOSE)

    def summary(self) -> list[str]:
        """The whole in a few sentences: how much changed, what happened to clusters, and what the truth says."""
        return change_texts.summary(self)

    def describe_unmatched(self, show: Callable[[Any], str] = label_text) -> str:
        """Records of one side only, counted and named, in a sentence; show: how an id is written."""
        return change_texts.unmatched(self, show)

    def __repr__(self) -> str:
        return change_texts.plain_text(self)

    def _repr_html_(self) -> str:
        from clustermark.report.releases import html

        return html(self)

    def to_json(self, indent: int | None = None, k: int = 10) -> str:
        """One JSON object, as `json_schema()` describes it; with the first k of each list."""
        from clustermark.report.releases import changes_document

        return json_text(changes_document(self, _how_many(k)), indent)

    def write_json(self, path: str | PathLike[str], *, overwrite: bool = False, indent: int | None = 2) -> None:
        """Write `to_json()` to a file."""
        write_text(self.to_json(indent) + "\n", path, overwrite=overwrite)

    def to_markdown(self, k: int = 5) -> str:
        """A summary for a comment under a pull request; with the first k of each list."""
        from clustermark.report.releases import markdown

        return markdown(self, _how_many(k))

    def write_markdown(self, path: str | PathLike[str], *, overwrite: bool = False) -> None:
        """Write `to_markdown()` to a file."""
        write_text(self.to_markdown(), path, overwrite=overwrite)

    def report(self, title: str | None = None) -> str:
        """A page of HTML that shows it all, and loads nothing else."""
        from clustermark.report.page import releases

        return releases.html(self, title)

    def write_report(self, path: str | PathLike[str], title: str | None = None, *, overwrite: bool = False) -> None:
        """Write `report()` to a file: one page that can be sent, kept and printed."""
        write_text(self.report(title), path, overwrite=overwrite)


def _how_many(k: Any) -> Any:
    from clustermark.diagnosis.cluster_table import how_many

    return how_many(k)


def changes(
    before: Labels | Source,
    after: Labels | Source | None = None,
    truth: Labels | Source | None = None,
    *,
    by: Any = None,
    records: Source | None = None,
    old: str | None = None,
    new: str | None = None,
    true: str | None = None,
    indices: Sequence[str | Index[...]] | str | Index[...] | None = None,
    level: float = 0.95,
    unit: Unit = "point",
    **options: Any,
) -> Changes:
    """What changed from one clustering of records to another, and with a truth whether it was right.

    before, after: two labelings as `crosstab` takes them: lists, arrays, Series, or mappings from id to label. Or two
        sources with a common id, named by `on`; or one source with both columns, named by `old` and `new`.
    truth: true labels in the same form, of all records or of some; records without one are left out where it is asked.
        Of sources, it is a source with the same id, or `true` names a column.
    by: slices: a label for each record, a mapping from id, or the name of a column; each gets the means over its
        records, with all their partners counted.
    records: a source with the same id that has the column of `by`.
    old, new, true: the columns with the clusters before and after, and with the true labels.
    indices: what is scored before and after, where there is a truth; B-cubed and the adjusted Rand index by default.
    level, unit: of the intervals of differences, as in `compare`.
    options: counts, weights, noise, noise_true (of the truth), noise_pred (of both clusterings), missing, unmatched,
        on, threads, and how sources are read, as in `crosstab`. Unlike there, records that one side lacks are no error:
        they are counted and named, and the rates are those of the records in both ("drop", the default); or each is a
        cluster of its own ("singletons").

    >>> changes({1: "a", 2: "a", 3: "a", 4: "b"}, {1: "x", 2: "x", 3: "y", 5: "y"})
    3 records in both; 100% affected; distance 0.4444
    1 cluster before, 2 after; split rate 0.4444, merge rate 0.0000
    events: 1 split (3 records)
    1 record before only: 4; 1 after only: 5; left out of the rates
    Better or worse: pass a truth, or have pairs of records judged.
    """
    found = read_changes(
        *(before, after),
        Asked(truth, by, records, old, new, true, {"unmatched": "drop"} | read_options(options)),
        indices,
        Request(level, unit),
    )
    found.impact  # noqa: B018  # what cannot be read is complained of here
    warn_of_noise(found.tell_noise())
    return found


def read_changes(
    before: Any,
    after: Any,
    asked: Asked,
    indices: Sequence[str | Index[...]] | str | Index[...] | None,
    request: Request,
    *,
    sources: bool = False,
) -> Changes:
    """The changes that a caller asks for; sources: whether these have columns, also where none is named."""
    asked = asked._replace(options=spread_noise(asked.options))
    for name in ("true", "pred"):
        if name in asked.options:
            raise InputError(
                Mention(name),
                " is not for changes; the columns are named by ",
                Mention("old"),
                ", ",
                Mention("new"),
                " and ",
                Mention("true"),
            )
    sides = read_sides(before, after, asked, sources=sources)
    labelled = sides.labelled
    if labelled is None or labelled.truth is None:
        if indices is not None:
            raise InputError("indices are scored against a truth; pass one, or leave them out")
        return Changes(sides)
    policies = truth_policies(asked, labelled.truth, sides.table.policies)
    chosen = read_indices(PANEL if indices is None else indices)
    if not chosen:
        raise InputError("indices: there is none; name at least one, such as 'b_cubed_f'")
    truth = AgainstTruth(
        *(labelled, policies, chosen, request, asked.options.get("threads")),
        leave_out=indices is None,
    )
    return Changes(sides, truth)
