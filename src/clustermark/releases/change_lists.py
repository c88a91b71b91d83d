"""The lists of a change: events, clusters, slices and true clusters, each with its columns and its table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, TypeAlias, TypeVar

from clustermark.evaluation.differences import on_margin
from clustermark.results.data import Column, Table
from clustermark.results.document import Grid, Head, Name
from clustermark.results.rows import Rows
from clustermark.results.values import count_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clustermark.diagnosis.error_list import Part
    from clustermark.results.data import Columns
    from clustermark.results.document import Part as ProsePart

Release: TypeAlias = Literal["before", "after"]
KINDS = ("unchanged", "merged", "split", "regrouped")
"""Kinds of clusters and of events."""
FATES = ("mended", "better", "worse", "broken", "same")
"""Possible outcomes for a true cluster."""
NAMED = 10
"""The largest number of clusters that an event names on each side."""
_SHOWN = 3

Row = TypeVar("Row", bound=Any)


class KindCount(NamedTuple):
    """The number of clusters or events of one kind, and of their records."""

    number: int
    records: int | None
    """None if the cells stay in an engine, which counts clusters only."""


class ChangeList(Rows[Row]):
    """The largest changes of one kind, in descending order; `total` counts all of them."""

    FACTS: ClassVar[Columns] = {"total": Column("count", doc="the number of all such changes")}
    COUNTED: ClassVar[tuple[str, str]]
    """The noun and what follows it in the headline."""

    __slots__ = ("total",)

    def __init__(self, rows: Sequence[Row], total: int | None = None) -> None:
        super().__init__(rows)
        self.total = len(self) if total is None else total
        """The number of all such changes, of which these are the first."""

    def facts(self) -> dict[str, Any]:
        """Return the number of all changes of this kind."""
        return {"total": self.total}

    def tables(self) -> dict[str, Table]:
        """Return the rows."""
        return {"rows": Table(self.COLUMNS, self._rows, self.total)}

    @property
    def headline(self) -> str:
        """The number of all changes of this kind."""
        noun, more = self.COUNTED
        return f"{self.total:,} {noun}{'' if self.total == 1 else 's'}{more}"


class Event(NamedTuple):
    """Connected clusters before and after that share records."""

    kind: str
    """"split" (one became several), "merged" (several became one) or "regrouped"."""
    n_before: int
    """Number of clusters before, single records included."""
    n_after: int
    records: int
    impact: float
    """Weighted sum of the distances of its records; the distance is 1 if no other record of the cluster is the same."""
    before: tuple[Any, ...]
    """Labels of the first ten clusters before, in sorted order; single records have no label."""
    after: tuple[Any, ...]


EVENT: Columns = {
    "kind": Column("text", choices=KINDS[1:]),
    "n_before": Column("count"),
    "n_after": Column("count"),
    "records": Column("count"),
    "impact": Column("amount"),
    "before": Column("label", within=("list",)),
    "after": Column("label", within=("list",)),
}


class EventList(ChangeList[Event]):
    """Events in descending order of impact; ties by number of records, then by the labels before."""

    KIND = "events"
    COLUMNS = EVENT
    TITLE = "Events"
    COUNTED = ("event", "")

    __slots__ = ()

    def to_dict(self) -> dict[str, list[Any]]:
        """Return the columns as lists of plain Python values; the clusters of a row are one text, separated by bars."""
        return super().to_dict() | {
            side: [" | ".join(map(str, getattr(row, side))) for row in self._rows] for side in ("before", "after")
        }

    def grid(self) -> Grid:
        """Return the events as a table for readers."""
        heads = [Head("event"), Head("clusters"), Head("records", "count"), Head("impact", "amount")]
        rows = [
            [
                row.kind,
                f"{row.n_before:,} → {row.n_after:,}",
                row.records,
                row.impact,
                _names(row.before, row.n_before),
                _names(row.after, row.n_after),
            ]
            for row in self._rows
        ]
        return Grid([*heads, Head("before"), Head("after")], rows, "Events", "No event.", self.total)


def _names(labels: Sequence[Any], number: int) -> list[ProsePart]:
    """Return a sentence with some labels of `number` clusters."""
    shown = labels[:_SHOWN]
    left = number - len(shown)
    if not shown:
        return ["alone" if number == 1 else f"{number:,} alone"]
    return [*joined([[Name(label)] for label in shown]), *([f" and {left:,} more"] if left else [])]


def joined(pieces: Sequence[Sequence[ProsePart]]) -> list[ProsePart]:
    """Return pieces of a sentence as one, with commas between them."""
    return [part for piece in pieces for part in (", ", *piece)][1:]


class ClusterChange(NamedTuple):
    """A cluster of one side that does not equal a cluster of the other."""

    cluster: Any
    kind: str
    """"split" (into several whole clusters), "merged" (whole, with others) or "regrouped"; of a cluster after: how it
    arose."""
    size: float
    """Number of records, or their weight."""
    counterparts: int
    """Clusters of the other side that share records with it."""
    impact: float
    """Weighted sum of the distances of its records."""
    parts: tuple[Part, ...]
    """The ten largest counterparts: label, shared records, size."""


PART: Columns = {
    "cluster": Column("label"),
    "overlap": Column("amount"),
    "size": Column("amount"),
    "lone": Column("flag", doc="whether it is a record with a cluster of its own"),
}
CLUSTER_CHANGE: Columns = {
    "cluster": Column("label"),
    "kind": Column("text", choices=KINDS[1:]),
    "size": Column("amount"),
    "counterparts": Column("count"),
    "impact": Column("amount"),
    "parts": Column("rows", rows=PART),
}
_CLUSTER_PART: Columns = {name: column for name, column in CLUSTER_CHANGE.items() if name != "parts"} | {
    "part": PART["cluster"],
    "overlap": PART["overlap"],
    "part_size": PART["size"],
}


class ClusterChanges(ChangeList[ClusterChange]):
    """The clusters of one side with the largest impact, in descending order; ties by sorted order of labels."""

    KIND = "changed_clusters"
    FACTS: ClassVar[Columns] = {"side": Column("text", choices=("before", "after")), **ChangeList.FACTS}
    COLUMNS = CLUSTER_CHANGE
    MAIN = "parts"
    TITLE = "Changed clusters"

    __slots__ = ("side",)

    def __init__(self, rows: Sequence[ClusterChange], side: Release, total: int) -> None:
        super().__init__(rows, total)
        self.side: Release = side

    def facts(self) -> dict[str, Any]:
        """Return the side, and the number of its clusters that changed."""
        return {"side": self.side, "total": self.total}

    def tables(self) -> dict[str, Table]:
        """Return the rows; and "parts" with one row for each part, in which the numbers of the cluster repeat."""
        names = tuple(_CLUSTER_PART)
        parts = [dict(zip(names, (*row[:5], *part[:3]), strict=True)) for row in self._rows for part in row.parts]
        return super().tables() | {"parts": Table(_CLUSTER_PART, parts)}

    @property
    def headline(self) -> str:
        """The number of all clusters of this side that changed."""
        return f"{self.total:,} cluster{'' if self.total == 1 else 's'} {self.side} changed"

    def grid(self) -> Grid:
        """Return the clusters as a table for readers."""
        heads = [Head("cluster", "label"), Head("kind"), Head("size", "amount"), Head("impact", "amount")]
        across = "became" if self.side == "before" else "came from"
        rows = [[row.cluster, row.kind, row.size, row.impact, _parts(row)] for row in self._rows]
        return Grid([*heads, Head(across)], rows, f"Clusters {self.side}", "No cluster changed.", self.total)


def _parts(row: ClusterChange) -> list[ProsePart]:
    """Return a sentence with the largest counterparts of a cluster."""
    pieces: list[list[ProsePart]] = [
        [
            "alone" if part.lone else Name(part.cluster),
            f" ({count_text(part.overlap)} of {count_text(part.size)})",
        ]
        for part in row.parts[:_SHOWN]
    ]
    left = row.counterparts - len(pieces)
    return joined([*pieces, *([[f"{left:,} more"]] if left > 0 else [])])


class Slice(NamedTuple):
    """The impact on the records of one slice."""

    slice: Any
    """None for records without one."""
    records: int
    weight: float
    """Weight of these records; without weights, their number."""
    affected: int
    affected_share: float
    split_rate: float
    merge_rate: float
    distance: float
    shrunk: float
    """See `Masses`."""
    grown: float


SLICE: Columns = {
    "slice": Column("label"),
    "records": Column("count"),
    "weight": Column("amount"),
    "affected": Column("count"),
    "affected_share": Column("share"),
    "split_rate": Column("share"),
    "merge_rate": Column("share"),
    "distance": Column("share"),
    "shrunk": Column("share"),
    "grown": Column("share"),
}


class Slices(ChangeList[Slice]):
    """Slices in descending order of their total impact (weight times distance); ties by sorted order."""

    KIND = "slices"
    COLUMNS = SLICE
    TITLE = "Slices"
    COUNTED = ("slice", "")

    __slots__ = ()

    def grid(self) -> Grid:
        """Return the slices as a table for readers."""
        heads = [Head("slice", "label"), Head("records", "count"), Head("affected", "share")]
        heads += [Head(name, "score") for name in ("split rate", "merge rate", "distance")]
        rows = [
            [row.slice, row.records, row.affected_share, row.split_rate, row.merge_rate, row.distance]
            for row in self._rows
        ]
        return Grid(heads, rows, "Slices", total=self.total)


class TrueCluster(NamedTuple):
    """A true cluster whose records are clustered differently after the change."""

    cluster: Any
    fate: str
    """"mended" (exact only after), "broken" (exact only before), "better" or "worse" (nearer or farther)."""
    size: float
    distance_before: float
    """Mean Jaccard distance of its records from the truth: 0 if the cluster is exact."""
    distance_after: float
    pairs_gained: float
    """Pairs of its records that are together only after."""
    pairs_lost: float
    false_before: float
    """Pairs of one of its records with a record of another true cluster that are together before."""
    false_after: float


TRUE_CLUSTER: Columns = {
    "cluster": Column("label"),
    "fate": Column("text", choices=FATES[:-1]),
    "size": Column("amount"),
    "distance_before": Column("share"),
    "distance_after": Column("share"),
    "pairs_gained": Column("amount"),
    "pairs_lost": Column("amount"),
    "false_before": Column("amount", doc="pairs of its records with those of other true clusters, before"),
    "false_after": Column("amount"),
}


class TrueClusters(ChangeList[TrueCluster]):
    """Changed true clusters, in descending order of how far their records moved, nearer or farther."""

    KIND = "true_clusters"
    COLUMNS = TRUE_CLUSTER
    TITLE = "True clusters"
    COUNTED = ("true cluster", " better or worse")

    __slots__ = ()

    def grid(self) -> Grid:
        """Return the true clusters as a table for readers."""
        heads = [Head("true cluster", "label"), Head("fate"), Head("size", "amount")]
        heads += [Head("distance before", "score"), Head("after", "score")]
        heads += [Head("pairs gained", "amount"), Head("lost", "amount")]
        heads += [Head("false pairs before", "amount"), Head("after", "amount")]
        return Grid(heads, [list(row) for row in self._rows], "True clusters", "No true cluster changed.", self.total)


_SHOWN_AT_MARGIN = ("better by more", "worse by more", "equivalent", "not worse", "not shown")
"""Results of a test of a margin, for the clustering after."""


class ScoreChange(NamedTuple):
    """An index before and after, on the same records."""

    label: str
    """Label of the index."""
    before: float
    after: float
    difference: float
    """After less before."""
    low: float | None
    """Lower end of the paired interval of the difference; None if there is none, with the reason in `notes`."""
    high: float | None
    p_value: float | None
    verdict: str
    """"better" or "worse" if the interval excludes 0, "same" if the scores are equal, else "not shown"."""
    notes: tuple[str, ...] = ()
    design_effect: float | None = None
    """The variance of the difference over components, divided by that over points; None where one is not known."""
    p_better: float | None = None
    """Probability that after is better, if nothing was known before (a flat prior)."""
    p_loss: float | None = None
    """With a margin: probability that after is worse by more, which is also the p-value of its being worse by it."""
    p_equivalent: float | None = None
    """With a margin: the larger p-value of the two hypotheses that one of the two is worse by the margin."""
    p_superior: float | None = None
    """With a margin: p-value of the hypothesis that after is better by no more than the margin."""
    at_margin: str | None = None
    """With a margin: "better by more", "worse by more", "equivalent", "not worse" or "not shown"."""


AT_A_MARGIN: Columns = {
    "p_loss": on_margin("share", "the probability that after is worse by more than the margin"),
    "p_equivalent": on_margin("p", "the larger p-value that one of the two is worse by the margin"),
    "p_superior": on_margin("p", "p-value that after is better by no more than the margin"),
    "at_margin": Column(
        "text", optional=True, sometimes=True, choices=_SHOWN_AT_MARGIN, doc="what is shown; with a margin only"
    ),
}
"""The columns of a change of a score that need a margin."""
SCORE_CHANGE: Columns = {
    "before": Column("score"),
    "after": Column("score"),
    "difference": Column("error", doc="after less before"),
    "low": Column("error", optional=True),
    "high": Column("error", optional=True),
    "p_value": Column("p", optional=True),
    "verdict": Column("text", choices=("better", "worse", "same", "not shown")),
    "notes": Column("texts"),
    "design_effect": Column("number", optional=True, doc="the variance over components by that over points"),
    "p_better": Column("share", optional=True, doc="the probability that after is better"),
    **AT_A_MARGIN,
}


class PairChanges(NamedTuple):
    """Pairs of records that a change joins or parts; with weights, sums of their weights."""

    true_gained: float
    """Together in truth and after, apart before: right."""
    true_lost: float
    """Together in truth and before, apart after: wrong."""
    false_lost: float
    """Apart in truth and after, together before: right."""
    false_gained: float
    """Apart in truth and before, together after: wrong."""
