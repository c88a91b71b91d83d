"""Description of one clustering without a truth: the sizes of its clusters, and records that disagree in a column."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from math import exp, fsum, log
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from clustermark.diagnosis import size_histogram
from clustermark.diagnosis.groupings import read_values
from clustermark.diagnosis.record_columns import columns_of_points, read_wanted
from clustermark.diagnosis.scored_points import ScoredLabels
from clustermark.errors import InputError, Mention, spell
from clustermark.evaluation.notices import Notice, tell_many_like_noise, warn_of_noise
from clustermark.labels import Labeling, read_counts, read_labels
from clustermark.options import ONE_LABELING, without_options
from clustermark.results.data import NOTICES, POINTS, SETTINGS, Column, Table
from clustermark.results.document import SUMMARY, Cell, Document, Grid, Head, Section
from clustermark.results.result import Result
from clustermark.results.rows import Rows
from clustermark.results.values import quantity, share_text, short_label
from clustermark.sources.columns import choose, kind_of, require
from clustermark.sources.request import read_written
from clustermark.sources.tabular import is_tabular, open_columns
from clustermark.tables.clusters import counts_of, listed_clusters, names_of
from clustermark.tables.policies import (
    OF_LABELS,
    count_labels,
    count_like_noise,
    read_common_policies,
    warn_of_unmet_labels,
)
from clustermark.tables.sums import exact_sum
from clustermark.tables.tabulation import tabulate_codes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from clustermark.results.data import Columns, Kind
    from clustermark.results.document import View
    from clustermark.tables.cells import CellTable
    from clustermark.tables.contingency import Contingency, Side
    from clustermark.tables.policies import Policies

_QUANTILES = (0.0, 0.25, 0.5, 0.75, 0.9, 0.99, 1.0)
_EXAMPLES = 3


class Example(NamedTuple):
    """A cluster with its number of values, or a value with its number of clusters; and the number of records."""

    label: Any
    times: int
    records: int


class ColumnFacts(NamedTuple):
    """Agreement of one column of the records with the clusters; records without a value count in `missing` only."""

    column: str
    records: int
    """Number of records that have a value."""
    missing: int
    values: int
    """Number of different values."""
    varied_clusters: int
    """Number of clusters with several values."""
    variation: float | None
    """Share of records that are in such clusters; None if no record has a value."""
    homonyms: int
    """Number of values that occur in several clusters."""
    homonymy: float | None
    """Share of records that have such a value."""
    most_varied: tuple[Example, ...]
    """Clusters with most values."""
    most_spread: tuple[Example, ...]
    """Values that occur in most clusters."""


EXAMPLE: Columns = {"label": Column("label"), "times": Column("count"), "records": Column("count")}


class ColumnsTable(Rows[ColumnFacts]):
    """The described columns, in the requested order."""

    __slots__ = ()

    KIND = "described_columns"
    TITLE = "Columns of the records"
    COLUMNS: ClassVar[Columns] = {
        "column": Column("name"),
        "records": Column("count", doc="records that have a value"),
        "missing": Column("count"),
        "values": Column("count", doc="different values"),
        "varied_clusters": Column("count", doc="clusters with several values"),
        "variation": Column("share", optional=True, doc="the share of records in such clusters"),
        "homonyms": Column("count", doc="values that occur in several clusters"),
        "homonymy": Column("share", optional=True, doc="the share of records with such a value"),
        "most_varied": Column("rows", rows=EXAMPLE),
        "most_spread": Column("rows", rows=EXAMPLE),
    }

    def __getitem__(self, place: Any) -> Any:
        """Return a column by its position or name."""
        if isinstance(place, str):
            return next(row for row in self._rows if row.column == place)
        return super().__getitem__(place)

    @property
    def headline(self) -> str:
        """Number of columns."""
        return f"{quantity(len(self), 'column')} of the records"

    def grid(self) -> Grid:
        """Return the columns, with the shares of records that disagree."""
        kinds: list[Kind] = ["name", "count", "count", "share", "count", "share", "count", "text"]
        rows = [
            [
                row.column,
                row.values,
                row.missing,
                Cell(row.variation, bar=row.variation),
                row.varied_clusters,
                Cell(row.homonymy, bar=row.homonymy),
                row.homonyms,
                "".join(f"{short_label(one.label)} ({one.times:,} values)" for one in row.most_varied[:1]),
            ]
            for row in self
        ]
        return Grid([Head(*both) for both in zip(_HEADS, kinds, strict=True)], rows, self.TITLE)

    def remarks(self) -> Sequence[str]:
        """Return explanations of the shares."""
        return _EXPLAINED


_HEADS = ("column", "values", "missing", "variation", "varied clusters", "homonymy", "homonyms", "most varied cluster")
_EXPLAINED = (
    "variation: the share of records in varied clusters, where the column has several values",
    "homonymy: the share of records with a homonym, a value that occurs in several clusters",
)


class Description(Result):
    """A description of one clustering in numbers."""

    KIND = "description"
    FACTS: ClassVar[Columns] = {
        "points": POINTS,
        "settings": SETTINGS,
        "notices": NOTICES,
        "sizes": Column("any", doc="clusters, singletons, pairs, mean, quantiles, histogram, largest"),
        "matching_rate": Column("share", doc="records in clusters of two and more"),
        "hill": Column("number", within=("map",), doc="Hill numbers by their order"),
    }
    TABLES: ClassVar[dict[str, Columns]] = {"columns": ColumnsTable.COLUMNS}
    MAIN = "columns"

    def __init__(
        self,
        points: Mapping[str, int],
        sizes: Sequence[tuple[int, int]],
        largest: Sequence[tuple[Any, int]],
        columns: ColumnsTable,
        settings: Mapping[str, Any],
        like_noise: Sequence[Sequence[str | Mention]] = (),
    ) -> None:
        """Make a description from counts; `describe` does so."""
        self.points = dict(points)
        """Numbers of records that were given, used, noise and dropped."""
        self.sizes = list(sizes)
        """Number of clusters of each size: pairs (size, clusters), ascending."""
        self.largest = list(largest)
        """Largest clusters with a label, and their sizes."""
        self.columns = columns
        self.settings = dict(settings)
        self.like_noise = tuple(like_noise)
        """Parts of the notices on labels that look like noise; `notices` contains them as sentences."""

    @property
    def notices(self) -> tuple[Notice, ...]:
        """Notices to read before trusting the numbers."""
        return tuple(Notice("noise", spell(parts)) for parts in self.like_noise)

    @property
    def n_records(self) -> int:
        """Number of records that are described."""
        return self.points["used"]

    @property
    def n_clusters(self) -> int:
        """Number of clusters, including those of records made singletons."""
        return sum(times for _, times in self.sizes)

    @property
    def singletons(self) -> int:
        """Number of clusters of one record."""
        return sum(times for size, times in self.sizes if size == 1)

    @property
    def matching_rate(self) -> float:
        """Share of records in clusters of two and more."""
        return (self.n_records - self.singletons) / self.n_records

    @property
    def pairs(self) -> int:
        """Number of pairs of records in the same cluster."""
        return sum(size * (size - 1) // 2 * times for size, times in self.sizes)

    @property
    def quantiles(self) -> dict[float, int]:
        """Quantiles of cluster sizes: the smallest size such that at least this share of clusters is not larger."""
        sizes, times = zip(*self.sizes, strict=True)
        ends = np.cumsum(times)
        return {share: sizes[int(np.searchsorted(ends, share * ends[-1]))] for share in _QUANTILES}

    def hill(self, order: float) -> float:
        """Return the number of equally large clusters that are as diverse; order 0 counts all, 1 uses entropy, 2 pairs.

        >>> describe([0, 0, 1, 1]).hill(2), describe([0, 0, 0, 1]).hill(2)
        (2.0, 1.6)
        """
        if not isinstance(order, int | float) or order < 0:
            raise InputError(f"order={order!r} must be a number, 0 or more")
        n = self.n_records
        if order == 1:
            return exp(-fsum(times * size / n * log(size / n) for size, times in self.sizes))
        if order == 2:
            return n * n / sum(size * size * times for size, times in self.sizes)
        return float(fsum(times * (size / n) ** order for size, times in self.sizes) ** (1 / (1 - order)))

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers by name, with the variation and homonymy of each column."""
        found: dict[str, Any] = {
            "records": self.n_records,
            "clusters": self.n_clusters,
            "singletons": self.singletons,
            "matching_rate": self.matching_rate,
            "pairs": self.pairs,
            "mean_size": self.n_records / self.n_clusters,
        }
        found |= {f"size_{share:g}": size for share, size in self.quantiles.items()}
        found |= {f"hill_{order}": self.hill(order) for order in (0, 1, 2)}
        for row in self.columns:
            found |= {f"{row.column}: variation": row.variation, f"{row.column}: homonymy": row.homonymy}
        return found

    def _export_columns(self) -> dict[str, list[Any]]:
        """Return one row per number."""
        numbers = self.to_dict()
        return {"fact": list(numbers), "value": list(numbers.values())}

    def facts(self) -> dict[str, Any]:
        """Return the counts of records, and the numbers that describe the clusters."""
        return {
            "points": self.points,
            "settings": self.settings,
            "notices": [notice._asdict() for notice in self.notices],
            "sizes": {
                "clusters": self.n_clusters,
                "singletons": self.singletons,
                "pairs": self.pairs,
                "mean": self.n_records / self.n_clusters,
                "quantiles": {f"{share:g}": size for share, size in self.quantiles.items()},
                "histogram": self.sizes,
                "largest": [{"cluster": label, "size": size} for label, size in self.largest],
            },
            "matching_rate": self.matching_rate,
            "hill": {str(order): self.hill(order) for order in (0, 1, 2)},
        }

    def tables(self) -> dict[str, Table]:
        """Return the columns of the records."""
        return {"columns": self.columns.tables()["rows"]}

    @property
    def headline(self) -> str:
        """Numbers of records and clusters, in one line."""
        left = self.points["given"] - self.points["used"]
        more = f"; {left:,} left out" if left else ""
        return f"{quantity(self.n_records, 'record')} in {quantity(self.n_clusters, 'cluster')}{more}"

    def _lines(self) -> list[tuple[str, str]]:
        sizes = self.quantiles
        middle = ", ".join(f"{100 * share:g} % up to {sizes[share]:,}" for share in _QUANTILES[1:-1])
        largest = ", ".join(f"{short_label(label)} ({size:,})" for label, size in self.largest[:5])
        together = self.n_records - self.singletons
        return [
            ("matching rate", f"{share_text(self.matching_rate)}: {together:,} records are with others"),
            ("sizes of clusters", f"{sizes[0.0]:,} to {sizes[1.0]:,}; {middle}"),
            ("largest", largest or "none has a label"),
            ("pairs together", f"{self.pairs:,}"),
            ("Hill numbers", ", ".join(f"{self.hill(order):,.1f} (order {order})" for order in (0, 1, 2))),
        ]

    def document(self, view: View = SUMMARY) -> Document:
        """Return the document of text, notebook, Markdown, LaTeX and page."""
        facts = Grid([Head("fact"), Head("value")], self._lines(), "Clusters")
        sections = [Section("facts", "Clusters", lambda: [facts], level="summary")]
        if len(self.columns):
            sections += self.columns.document(view).sections
        return Document("Description of a clustering", self.headline, sections, notices=self.like_noise)


@without_options(**ONE_LABELING, unmatched="each record has one label, in the same order; nothing is joined by id")
def describe(
    labels: Any,
    records: Any = None,
    columns: str | Sequence[str] | None = None,
    *,
    on: str | None = None,
    counts: Any = None,
    noise: Mapping[Any, Any] | None = None,
    missing: str = "error",
    reading: Mapping[str, Any] | None = None,
    engine: str | None = None,
) -> Description:
    """Describe one clustering, without a truth: sizes, matching rate, diversity, and where columns disagree.

    labels: the cluster of each record: a list or array, or a mapping from id; or the name of a column of `records`.
    records: a data frame or a mapping from column to array in the order of the labels; if labels are by id or the name
        of a column, also a file or (connection, "table"); if they are by id, also a mapping from id to record.
    columns: the columns to describe; by default all columns of the records.
    on: the column of ids in the records, where labels are by id; "id" by default.
    counts: the number of records that each row stands for: one number per row, or the name of a column.
    noise: the policy for each noise label: {-1: "cluster"}, "singletons" or "drop".
    missing: the policy for records without a label: "error", "cluster", "singletons" or "drop".
    reading, engine: how and by which engine a file is read, as in `evaluate`.

    >>> describe([1, 1, 1, 2, 2, 3], {"city": ["Ulm", "Ulm", "Graz", "Graz", "Graz", None]})
    6 records in 3 clusters
    fact               value
    matching rate      83.3%: 5 records are with others
    sizes of clusters  1 to 3; 25 % up to 1, 50 % up to 2, 75 % up to 3, 90 % up to 3, 99 % up to 3
    largest            1 (3), 2 (2), 3 (1)
    pairs together     4
    Hill numbers       3.0 (order 0), 2.7 (order 1), 2.6 (order 2)
    column  values  missing  variation  varied clusters  homonymy  homonyms  most varied cluster
    city         2        1      60.0%                1     60.0%         1  1 (2 values)
    variation: the share of records in varied clusters, where the column has several values
    homonymy: the share of records with a homonym, a value that occurs in several clusters
    """
    wanted = read_wanted(records, columns, on, "columns")
    options = {name: value for name, value in (("reading", reading), ("engine", engine)) if value is not None}
    found: Any
    if isinstance(labels, str):
        found, read, times = _read_source(labels, wanted, counts, options)
    else:
        found, times = labels, counts
        read = {} if records is None else columns_of_points(ScoredLabels(labels, labels), None, wanted)
        if records is None and columns is not None:
            raise InputError(Mention("columns", columns), " names columns of the records; pass ", Mention("records"))
    if isinstance(found, Mapping):
        times = [times[item] for item in found] if isinstance(times, Mapping) else times
        found = list(found.values())
    labeling = read_labels(found, "labels")
    numbers = None if times is None else read_counts(times, len(labeling))
    policies = read_common_policies(noise, missing, "error")
    kind = kind_of(labeling)
    if noise:
        policies = read_written(policies, kind, kind)
        warn_of_unmet_labels({"pred": partial(count_labels, [labeling])}, policies, OF_LABELS)
    like_noise = tell_many_like_noise([count_like_noise(labeling, policies.noise_true)], "noise", "the clustering")
    warn_of_noise(like_noise)
    table = _tabulate(labeling, labeling, numbers, policies)
    rows = [_compare(name, read_values(name, column), labeling, numbers, policies) for name, column in read.items()]
    counts_given = {"given": table.n_given, "used": table.n_used, "noise": table.n_noise, "dropped": table.n_dropped}
    settings = table.settings | policies._asdict() | {"weighted": False}
    sizes = [(int(size), times) for size, times in size_histogram(table, "pred")]
    counted = counts_given | {"unmatched": 0}
    return Description(counted, sizes, _largest(table), ColumnsTable(rows), settings, like_noise)


def _read_source(label: str, wanted: Any, counts: Any, options: Mapping[str, Any]) -> tuple[Any, dict[str, Any], Any]:
    """Return the labels, the columns and the counts of a source, in the same order."""
    records = wanted.records
    if isinstance(records, Mapping):
        if label not in records:
            raise InputError(
                Mention("labels", label), f" is none of the columns of the records: {', '.join(map(repr, records))}"
            )
        others = {name: column for name, column in records.items() if name != label}
        given = ScoredLabels(records[label], records[label])
        read = columns_of_points(given, None, wanted._replace(records=others)) if others else {}
        return records[label], read, counts
    if not is_tabular(records):
        raise InputError(
            Mention("labels", label),
            " names a column, and there is none; pass a file, a data frame or a table by ",
            Mention("records"),
        )
    with open_columns(records, "records", options) as table:
        require(table, "labels", label)
        named = [counts] if isinstance(counts, str) else []
        for name in named:
            require(table, "counts", name)
        names = choose(table, wanted.word, wanted.names, {label, *named})
        found, *rest = table.read([label, *named, *names])
    times = rest.pop(0) if named else counts
    return found, dict(zip(names, rest, strict=True)), times


def _tabulate(rows: Labeling, labels: Labeling, counts: NDArray[np.int64] | None, policies: Policies) -> CellTable:
    if rows is labels and labels.n_missing and policies.missing == "error":
        raise InputError(
            f"labels: {labels.n_missing:,} record(s) have no label, the first at position {labels.first_missing}; fill "
            "them in, or choose ",
            Mention("missing", "drop", "cluster", "singletons"),
        )
    return tabulate_codes(rows, labels, counts, None, policies, None, may_be_empty=rows is not labels)


def _compare(
    name: str, values: Labeling, labels: Labeling, counts: NDArray[np.int64] | None, policies: Policies
) -> ColumnFacts:
    """Compare a column with the clusters by their contingency."""
    known = np.ones(len(values), np.bool_) if values.values is None else values.codes >= 0
    some = [Labeling(side.codes[known], side.values) for side in (values, labels)]
    given = len(values) if counts is None else exact_sum(counts)
    times = None if counts is None else counts[known]
    n_known = int(known.sum()) if times is None else exact_sum(times)
    if not n_known:
        return ColumnFacts(name, 0, given, 0, 0, None, 0, None, (), ())
    table = _tabulate(some[0], some[1], times, policies._replace(noise_true={}))
    varied, spread = _several(table, "pred"), _several(table, "true")
    n = table.n_used
    if not n:  # all records with a value are left out
        return ColumnFacts(name, 0, given - n_known, 0, 0, None, 0, None, (), ())
    return ColumnFacts(
        name, n, given - n_known, table.n_true_clusters,
        varied.times, varied.records / n, spread.times, spread.records / n,
        _examples(table, "pred"), _examples(table, "true"),
    )  # fmt: skip


def _several(table: CellTable, side: Side) -> Example:
    """Count the clusters of a side that meet several of the other, and the records in them."""
    counts = counts_of(table, side)
    several = counts.counterparts > 1
    return Example(None, int(several.sum()), exact_sum(counts.sizes[several]))


def _examples(table: CellTable, side: Side) -> tuple[Example, ...]:
    counts = counts_of(table, side)
    order = listed_clusters(table, side)
    order = order[np.lexsort((-counts.sizes[order], -counts.counterparts[order]))][:_EXAMPLES]
    order = order[counts.counterparts[order] > 1]
    labels = names_of(table, side).take(order).to_list()
    numbers = zip(counts.counterparts[order].tolist(), counts.sizes[order].tolist(), strict=True)
    return tuple(Example(label, *both) for label, both in zip(labels, numbers, strict=True))


def _largest(table: Contingency, k: int = 10) -> list[tuple[Any, int]]:
    memory = table.to_memory()
    sizes, order = counts_of(memory, "pred").sizes, listed_clusters(memory, "pred")
    order = order[np.argsort(-sizes[order], kind="stable")][:k]
    return list(zip(memory.pred_names.take(order).to_list(), sizes[order].tolist(), strict=True))
