"""changes(): the differences between two clusterings, and with a truth whether they are right."""

from __future__ import annotations

from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from clustermark.errors import InputError, Mention, UnsupportedTableError, spell
from clustermark.evaluation.notices import Notice, tell_like_noise, warn_of_noise
from clustermark.labels.labeling import Names
from clustermark.options import read_options
from clustermark.registry import Index, read_indices
from clustermark.releases import change_document
from clustermark.releases.against_truth import PANEL, AgainstTruth
from clustermark.releases.change_lists import AT_A_MARGIN, KINDS, KindCount
from clustermark.releases.changed_clusters import EventArrays, count_kinds, list_changes, read_side
from clustermark.releases.impact import changed_cells, measure, measure_tally, slice_impact, total_weight
from clustermark.releases.release_records import NAMED, WORDS, ChangeRequest, read_before_after, truth_policies
from clustermark.results.document import SUMMARY, View
from clustermark.results.json import document_of, json_text
from clustermark.results.markdown import document_markdown
from clustermark.results.result import Result
from clustermark.results.text import Writer
from clustermark.tables.parts import Changed
from clustermark.tables.policies import WHOSE, count_labels, spread_noise, warn_of_unmet_labels
from clustermark.uncertainty.interval import IntervalRequest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clustermark.labels.conversion import Labels
    from clustermark.releases.change_lists import (
        ChangeList,
        ClusterChanges,
        EventList,
        Release,
        ScoreChange,
        Slices,
    )
    from clustermark.releases.impact import ChangedCells, Impact, Masses
    from clustermark.releases.release_records import BeforeAfter
    from clustermark.results.data import Columns, Table
    from clustermark.results.document import Document
    from clustermark.sources.recognition import Source
    from clustermark.tables.cells import CellTable
    from clustermark.tables.contingency import Contingency
    from clustermark.uncertainty.interval import Unit


_WORDS = {"truth": "before", "prediction": "after", "true": "old", "pred": "new"}
"""The names of settings of a table, for a change."""


_FROM_ENGINE = 1000


class _Found(NamedTuple):
    """The changed cells, and the table with their names."""

    table: CellTable
    cells: ChangedCells


class Changes(Result):
    """The differences between two clusterings, as returned by `changes`.

    >>> from clustermark import changes
    >>> found = changes(["a", "a", "a", "b", "b"], [1, 1, 2, 2, 2])
    >>> found.split_rate, found.merge_rate, found.affected
    (0.26666666666666666, 0.26666666666666666, 5)
    >>> found.kinds["before"]["merged"]
    KindCount(number=1, records=2)
    """

    KIND = "changes"
    FACTS = change_document.FACTS
    TABLES: ClassVar[dict[str, Columns]] = {}
    MAIN = "events"

    def __init__(self, sides: BeforeAfter, against_truth: AgainstTruth | None = None) -> None:
        self._sides = sides
        self.table: Contingency = sides.table
        """The table of before × after; the clustering before is on its true side."""
        self.truth = against_truth
        """The comparison with the truth; None without one."""

    @cached_property
    def _found(self) -> _Found | str:
        """The changed cells in memory, or the reason why they stay in an engine."""
        try:
            table = self.table.part(Changed())
        except UnsupportedTableError as error:
            return str(error)
        return _Found(table, changed_cells(table))

    @cached_property
    def impact(self) -> Impact:
        """Impact of the change, as means over records."""
        if isinstance(self._found, str):
            return measure_tally(self.table.sized_cells(), self.table.n_used)
        return measure(self._found.cells, total_weight(self.table))

    @property
    def split_rate(self) -> float:
        """The mean share of the cluster before that is not in the cluster after: 1 - B-cubed recall of before."""
        return self.impact.masses.split

    @property
    def merge_rate(self) -> float:
        """The mean share of the cluster after that is not in the cluster before: 1 - B-cubed precision of before."""
        return self.impact.masses.merge

    @property
    def masses(self) -> Masses:
        """The mass of each kind of pair in a change of B-cubed precision."""
        return self.impact.masses

    @property
    def distance(self) -> float:
        """The mean Jaccard distance of a record's cluster before and after, 1 - `pointwise_jaccard`: a metric."""
        return self.impact.distance

    @property
    def affected(self) -> int:
        """The number of records whose cluster is not the same set as before."""
        return self.impact.affected

    @property
    def affected_share(self) -> float:
        """The share of affected records, by weight."""
        return self.impact.affected_share

    @property
    def records(self) -> dict[str, int]:
        """The number of records in both, before only and after only; compared; and given in all."""
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
        """The first ten ids that only `before` has, in sorted order."""
        return self._unmatched[0]

    @property
    def after_only(self) -> list[Any]:
        """The first ten ids that only `after` has, in sorted order."""
        return self._unmatched[1]

    @cached_property
    def kinds(self) -> dict[str, dict[str, KindCount]]:
        """The number of unchanged, merged, split and regrouped clusters before and after, and of their records.

        A cluster before is merged if it lies inside a larger one after, and split if it became several whole ones. A
        cluster after is split if it is a piece of one before, and merged if it is a union of several whole ones.
        """
        if isinstance(self._found, str):
            return self._count_in_engine()
        return count_kinds(self._found.cells, self.table, self._found.table)

    def _count_in_engine(self) -> dict[str, dict[str, KindCount]]:
        """Count the kinds of clusters where the cells stay in an engine, which counts no records."""
        tally = self.table.sized_cells()
        inside = {
            "before": int(tally.times[(tally.n == tally.a) & (tally.n < tally.b)].sum()),
            "after": int(tally.times[(tally.n == tally.b) & (tally.n < tally.a)].sum()),
        }
        same = (tally.n == tally.a) & (tally.n == tally.b)
        kept = KindCount(int(tally.times[same].sum()), int((tally.n * tally.times)[same].sum()))
        found = {}
        for side, is_inside, is_whole in (("before", "merged", "split"), ("after", "split", "merged")):
            counted = self.table.census(read_side(side)).kinds
            numbers = {is_inside: inside[side], is_whole: counted["whole"], "regrouped": counted["mixed"]}
            found[side] = {"unchanged": kept} | {kind: KindCount(numbers[kind], None) for kind in KINDS[1:]}
        return found

    @cached_property
    def _events(self) -> EventArrays:
        if isinstance(self._found, str):
            raise UnsupportedTableError(self._found)
        return EventArrays(self._found.cells, self._found.table)

    @cached_property
    def event_counts(self) -> dict[str, KindCount] | None:
        """The number of events of each kind, and of their records; every record is in exactly one event.

        None if too many cells changed, so that they stay in the engine: connected clusters are found in memory only.
        """
        if isinstance(self._found, str):
            return None
        return {"unchanged": self.kinds["before"]["unchanged"]} | self._events.count()

    @property
    def no_events(self) -> str:
        """The reason why there are no events; empty if there are."""
        return self._found if isinstance(self._found, str) else ""

    def events(self, k: int | None = 10) -> EventList:
        """Return the k events with the largest impact: connected clusters before and after that share records."""
        return self._events.first(_how_many(k))

    def clusters(self, side: Release = "before", k: int | None = 10) -> ClusterChanges:
        """Return the k clusters of a side that changed most, with their counterparts."""
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
        labelled = self._sides.labels
        if labelled is None or labelled.by is None:
            return None
        return slice_impact(self.table.to_memory(), labelled)

    @property
    def weighted(self) -> bool:
        """Whether records have weights."""
        return self.table.weights is not None

    def tell_noise(self) -> list[list[Any]]:
        """Return messages on labels that look like noise, in parts."""
        return tell_like_noise(self.table, WORDS.whose)

    @property
    def notices(self) -> tuple[Notice, ...]:
        """Labels that look like noise, and records of one side only."""
        lone = Writer("record").prose(change_document.describe_unmatched(self))
        noise = (Notice("noise", spell(parts)) for parts in self.tell_noise())
        return (*noise, *([Notice("coverage", lone)] if lone else []))

    @property
    def settings(self) -> dict[str, Any]:
        """The policies; and the origin of the data, if known."""
        policies = self.table.policies._asdict()
        own = {_WORDS.get(name, name): value for name, value in self.table.settings.items() if name not in policies}
        return own | policies | {"weighted": self.weighted}

    @property
    def verdict(self) -> str:
        """Whether the change is right, in a sentence."""
        return Writer("record").prose(change_document.verdict(self))

    def summary(self) -> list[str]:
        """Return the main sentences: how much changed, what happened to clusters, and the comparison with a truth."""
        return list(map(Writer("record").prose, change_document.summary(self)))

    def facts(self, k: int | None = 10) -> dict[str, Any]:
        """Return the facts of the JSON, with the first k rows of each list."""
        impact, counts, slices = self.impact, self.event_counts, self.slices
        fates = ("given", "used", "noise", "dropped", "unmatched")
        return {
            "points": {fate: getattr(self.table, f"n_{fate}") for fate in fates},
            "settings": self.settings,
            "notices": [notice._asdict() for notice in self.notices],
            "verdict": self.verdict,
            "summary": self.summary(),
            "records": self.records | {"affected": impact.affected},
            "unmatched": {"before": self.before_only, "after": self.after_only},
            "clusters_before": self.table.n_true_clusters,
            "clusters_after": self.table.n_pred_clusters,
            "impact": {
                "affected_share": impact.affected_share,
                "split_rate": impact.masses.split,
                "merge_rate": impact.masses.merge,
                "distance": impact.distance,
                "masses": impact.masses,
            },
            "kinds": self.kinds,
            "events": None if counts is None else {"counts": counts} | _listed(self.events(k)),
            "changed_clusters": {
                "before": _listed(self.clusters("before", k)),
                "after": _listed(self.clusters("after", k)),
            },
            "slices": slices,
            "truth": None if self.truth is None else _truth_facts(self.truth, k),
        }

    def tables(self) -> dict[str, Table]:
        """Return the lists: "events", "before" and "after" (changed clusters), "slices" and "truth" (true clusters).

        If the cells stay in an engine, there are no events, and 1,000 changed clusters of each side.
        """
        found: dict[str, ChangeList[Any]] = {} if self.event_counts is None else {"events": self.events(None)}
        k = None if found else _FROM_ENGINE
        found |= {"before": self.clusters("before", k), "after": self.clusters("after", k)}
        found |= {} if self.slices is None else {"slices": self.slices}
        found |= {} if self.truth is None else {"truth": self.truth.clusters(None)}
        return {name: listed.tables()[listed.MAIN] for name, listed in found.items()}

    def to_dict(self) -> dict[str, list[Any]]:
        """Return the columns of all events, as in `events(None)`."""
        return self.events(None).to_dict()

    def document(self, view: View = SUMMARY) -> Document:
        """Return the document of text, notebook, Markdown, LaTeX and page."""
        return change_document.document(self, view)

    def to_json(self, indent: int | None = None, k: int | None = 10) -> str:
        """Return one JSON object, as `json_schema()` describes it, with the first k rows of each list."""
        return json_text(document_of(self, self.facts(_how_many(k))), indent)

    def to_markdown(self, digits: int | None = None, *, k: int | None = 5) -> str:
        """Return Markdown for a comment under a pull request, with the first k rows of each list; names are code."""
        return document_markdown(self.document(View(None, {"k": _how_many(k)})), digits)


def _listed(found: ChangeList[Any]) -> dict[str, Any]:
    return {"total": found.total, "rows": found}


def _truth_facts(truth: AgainstTruth, k: int | None) -> dict[str, Any]:
    return {
        "records": truth.records,
        "level": truth.comparison.level,
        "unit": truth.comparison.unit,
        "margin": truth.margin,
        "scores": {row.label: _without_margin(row) if truth.margin is None else row for row in truth.scores},
        "fates": truth.fates,
        "pairs": truth.pairs,
        "clusters": _listed(truth.clusters(k)),
    }


def _without_margin(row: ScoreChange) -> dict[str, Any]:
    """Return the fields of a row that do not need a margin."""
    return {name: value for name, value in row._asdict().items() if name not in AT_A_MARGIN}


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
    unit: Unit | None = None,
    margin: float | None = None,
    **options: Any,
) -> Changes:
    """Compare two clusterings of records: what changed, and with a truth whether it was right.

    before, after: two labelings as `crosstab` takes them: lists, arrays, Series, or mappings from id to label. Or two
        sources with a common id, named by `on`; or one source with both columns, named by `old` and `new`.
    truth: true labels of all records or of some, in the same form; records without one are left out of its comparison.
        With sources, a source with the same id; or `true` names a column.
    by: slices: a label for each record, a mapping from id, or the name of a column. The means of a slice are over its
        records; partners in other slices count.
    records: a source with the same id that has the column of `by`.
    old, new, true: the columns with the clusters before and after, and with the true labels.
    indices: the indices that are scored before and after against the truth; B-cubed and the adjusted Rand index by
        default.
    level: the level of the intervals of differences.
    unit: what was sampled: "point", the records, or "component", clusters with all that they share records with. By
        default components if most clusters hold five records or fewer, because there entities were sampled; else
        records.
    margin: with a truth, the largest difference without practical importance, such as 0.01: for each index the
        probability of a larger loss, and whether after is shown to be better or worse by more, or equivalent.
    options: counts, weights, noise, noise_true (of the truth), noise_pred (of both clusterings), missing, unmatched,
        on, threads, and how sources are read, as in `crosstab`. Unlike there, records that one side lacks are no error
        by default: they are counted and named, and left out of the rates ("drop"), or each is a cluster of its own
        ("singletons").

    >>> changes({1: "a", 2: "a", 3: "a", 4: "b"}, {1: "x", 2: "x", 3: "y", 5: "y"})
    3 records in both; 100% affected; distance 0.4444
    Better or worse is not known: pass a truth, or have pairs of records judged.
    note: 1 record before only: 4; 1 after only: 5; left out of the rates
    1 cluster before, 2 after; split rate 0.4444, merge rate 0.0000
    events: 1 split (3 records)
    clusters   before  after  events  records
    unchanged       0      0       0        0
    split           1      2       1        3
    merged          0      0       0        0
    regrouped       0      0       0        0
    """
    found = read_changes(
        *(before, after),
        ChangeRequest(truth, by, records, old, new, true, {"unmatched": "drop"} | read_options(options)),
        indices,
        IntervalRequest(level, unit),
        margin=margin,
    )
    found.impact  # noqa: B018  # raises for unreadable data
    warn_of_noise(found.tell_noise())
    return found


def read_changes(
    before: Any,
    after: Any,
    asked: ChangeRequest,
    indices: Sequence[str | Index[...]] | str | Index[...] | None,
    request: IntervalRequest,
    *,
    margin: float | None = None,
    sources: bool = False,
) -> Changes:
    """Return the changes; `sources` is true if the data has columns even if none is named."""
    if asked.truth is None and asked.true is None and "noise_true" in asked.options:
        raise InputError(
            Mention("noise_true", asked.options["noise_true"]), ": there is no truth; choose ", Mention("noise")
        )
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
    sides = read_before_after(before, after, asked, sources=sources)
    labelled = sides.labels
    if labelled is None or labelled.truth is None:
        if indices is not None:
            raise InputError("indices are scored against a truth; pass one, or leave them out")
        if margin is not None:
            raise InputError(Mention("margin", margin), " is for scores against a truth; pass one, or leave it out")
        return Changes(sides)
    policies = truth_policies(asked, labelled.truth, sides.table.policies)
    count: Any = {
        "true": partial(count_labels, [labelled.truth]),
        "pred": partial(count_labels, [labelled.before, labelled.after]),
    }
    warn_of_unmet_labels(count, policies, {"true": WHOSE["true"], "pred": ("before and after", "noise_pred")})
    chosen = read_indices(PANEL if indices is None else indices)
    if not chosen:
        raise InputError("indices: there is none; name at least one, such as 'b_cubed_f'")
    truth = AgainstTruth(
        *(labelled, policies, chosen, request, asked.options.get("threads")),
        leave_out=indices is None,
        margin=margin,
    )
    return Changes(sides, truth)
