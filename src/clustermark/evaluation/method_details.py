"""The methods of a comparison in detail: the best method for each true cluster, and the true pairs that each finds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from clustermark._kernel import encode_integers
from clustermark.diagnosis import ClusterTable
from clustermark.errors import InputError, Mention, count
from clustermark.evaluation.predictions import cluster_numbers
from clustermark.results.data import Column, Table
from clustermark.results.document import SUMMARY, Document, Name, Section
from clustermark.results.result import Result
from clustermark.results.rows import Rows, grid_of
from clustermark.tables.sums import exact_sum

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from clustermark.evaluation.comparison import Comparison
    from clustermark.results.data import Columns
    from clustermark.results.document import View

    _Labels = Sequence[Sequence[NDArray[np.int32]]]
    """The labels of each run of each method."""


MEASURES = ("jaccard", "precision", "recall")


class Tally(NamedTuple):
    """The numbers of true clusters on which the first of two methods is better, worse or equal."""

    wins: int
    losses: int
    ties: int


class ByCluster(Result):
    """The true clusters, the largest first, with the score of each method's best match for them."""

    KIND = "by_cluster"
    FACTS: ClassVar[Columns] = {"measure": Column("name", choices=MEASURES)}
    TABLES: ClassVar[dict[str, Columns]] = {
        "true_clusters": {
            "cluster": Column("label"),
            "size": Column("amount"),
            "scores": Column("scores", doc="the score of each method's best match"),
            "winner": Column("name", optional=True, doc="the method that does best; null where several do"),
        }
    }
    MAIN = "true_clusters"

    def __init__(
        self, clusters: Sequence[Any], sizes: Sequence[float], scores: dict[str, NDArray[np.float64]], measure: str
    ) -> None:
        self.clusters, self.sizes = tuple(clusters), tuple(sizes)
        self.scores, self.measure = scores, measure

    def __len__(self) -> int:
        return len(self.clusters)

    @property
    def winners(self) -> list[str | None]:
        """Best method for each cluster; None if several are best."""
        names = list(self.scores)
        table = np.array(list(self.scores.values()))
        best = table.max(axis=0)
        alone = (table == best).sum(axis=0) == 1
        return [
            names[place] if single else None
            for place, single in zip(table.argmax(axis=0).tolist(), alone.tolist(), strict=True)
        ]

    def tally(self, first: str, second: str) -> Tally:
        """Count wins and losses of the first method against the second."""
        for name in (first, second):
            if name not in self.scores:
                raise InputError(f"method: there is no {name!r}; there are {', '.join(self.scores)}")
        one, other = self.scores[first], self.scores[second]
        return Tally(int((one > other).sum()), int((one < other).sum()), int((one == other).sum()))

    def facts(self) -> dict[str, Any]:
        """Return the measure."""
        return {"measure": self.measure}

    def tables(self) -> dict[str, Table]:
        """Return the clusters with the score of each method, and the winner."""
        names, columns = list(self.scores), (values.tolist() for values in self.scores.values())
        rows = [
            {"cluster": label, "size": size, "scores": dict(zip(names, own, strict=True)), "winner": winner}
            for label, size, winner, *own in zip(self.clusters, self.sizes, self.winners, *columns, strict=True)
        ]
        return {"true_clusters": Table(self.TABLES["true_clusters"], rows)}

    def document(self, view: View = SUMMARY) -> Document:  # noqa: ARG002
        """Return the document of text, notebook, Markdown, LaTeX and page."""
        winners = self.winners
        won = [part for name in self.scores for part in (Name(name), f" wins {winners.count(name):,}, ")]
        head = f"{count(len(self), 'true cluster')} by {self.measure}: "
        return Document(
            "True clusters",
            [head, *won, f"{winners.count(None):,} tied"],
            [Section("clusters", "True clusters", lambda: [grid_of(self.tables()["true_clusters"])], level="summary")],
        )


def score_clusters(comparison: Comparison, measure: str) -> ByCluster:
    """Score each labelled true cluster by its best match in each prediction; the mean over runs."""
    if measure not in MEASURES:
        raise InputError(f"measure={measure!r} is unknown; choose {' or '.join(map(repr, MEASURES))}")
    places: dict[Any, int] = {}
    sizes: list[float] = []
    scores: dict[str, NDArray[np.float64]] = {}
    for name, runs in comparison.predictions.methods.items():
        values = []
        for run in runs:
            table = ClusterTable.of(comparison.runs[run].table, "true")
            clusters, size = table.to_dict()["cluster"], table.column("size")
            if not places:
                order = np.argsort(-size, kind="stable").tolist()
                places = {clusters[place]: number for number, place in enumerate(order)}
                sizes = size[order].tolist()
            row = np.zeros(len(places))
            row[[places[cluster] for cluster in clusters]] = table.column(measure)
            values.append(row)
        scores[name] = np.mean(values, axis=0) if len(values) > 1 else values[0]
    return ByCluster(list(places), sizes, scores, measure)


_MOST_METHODS = 12
"""Maximal number of methods, all 4,096 subsets of which are counted."""


class FoundRow(NamedTuple):
    """The number of true pairs that a method finds."""

    method: str
    found: int
    alone: int
    """Number of pairs that no other method finds."""


class FoundPairs(Rows[FoundRow]):
    """The numbers of true pairs that each method finds, that all methods find, and that none finds."""

    KIND = "found_pairs"
    COLUMNS: ClassVar[Columns] = {
        "method": Column("name"),
        "found": Column("count"),
        "alone": Column("count", title="found alone", doc="pairs that no other method finds"),
    }
    TITLE = "True pairs found"
    FACTS: ClassVar[Columns] = {
        "total": Column("count", doc="the number of true pairs"),
        "by_all": Column("count", doc="those that all methods find"),
        "by_none": Column("count", doc="those that no method finds"),
    }

    def __init__(self, rows: Sequence[FoundRow], total: int, by_all: int, by_none: int) -> None:
        super().__init__(rows)
        self.total, self.by_all, self.by_none = total, by_all, by_none

    def facts(self) -> dict[str, int]:
        """Return the numbers of true pairs: in total, found by all methods, and found by none."""
        return {"total": self.total, "by_all": self.by_all, "by_none": self.by_none}

    @property
    def headline(self) -> str:
        """Numbers of true pairs that all methods find, and that none finds."""
        return f"{self.total:,} true pairs: all methods find {self.by_all:,}, none finds {self.by_none:,}"


def find_pairs(comparison: Comparison) -> FoundPairs:
    """Count the true pairs that methods find; a method with several runs finds a pair if all of its runs do.

    Pairs are looked at one by one if they are few. Otherwise, the pairs that all methods of a set find are those within
    the cells of the joint table of their labelings; the numbers of pairs that exactly one method or none finds follow
    by inclusion and exclusion, which takes a table for each set of methods.
    """
    predictions = comparison.predictions
    if predictions.weights is not None:
        raise InputError(
            "found_pairs counts pairs, and the points are weighted; use ", Mention("counts"), " for repeated points"
        )
    names = list(comparison.methods)
    if len(names) > _MOST_METHODS:
        raise InputError(f"found_pairs: {len(names)} methods have too many sets; compare {_MOST_METHODS} at most")
    first = comparison.runs[0]
    truth = cluster_numbers(first.table, predictions.truth, is_truth=True)[predictions.truth.codes]
    counts = np.ones(len(truth), np.int64) if predictions.counts is None else predictions.counts
    labels = [
        [
            cluster_numbers(run.table, run.labeling, is_truth=False)[run.labeling.codes]
            for run in (comparison.runs[place] for place in predictions.methods[name])
        ]
        for name in names
    ]
    true = JointCells(truth, counts, np.arange(len(truth))).without_loners()
    if predictions.counts is None and true.pairs * len(names) <= len(true.cell) << len(names):
        found_by = count_one_by_one(true, labels)
    else:
        found_by = count_by_sets(true, labels)
    rows = [FoundRow(name, found_by.found[place], found_by.alone[place]) for place, name in enumerate(names)]
    return FoundPairs(rows, found_by.total, found_by.by_all, found_by.by_none)


class FoundBy(NamedTuple):
    """Numbers of true pairs by the methods that find them."""

    total: int
    found: list[int]
    alone: list[int]
    by_all: int
    by_none: int


def count_one_by_one(true: JointCells, labels: _Labels, at_once: int = 1 << 16) -> FoundBy:
    """Count the pairs by looking at each, `at_once` at a time."""
    order = np.argsort(true.cell, kind="stable")
    points = true.point[order]
    ends = np.searchsorted(true.cell[order], true.cell[order], side="right")
    partners = ends - np.arange(len(order)) - 1  # of each point, those behind it in its true cluster
    before = np.append(0, np.cumsum(partners))
    found, alone = np.zeros(len(labels), np.int64), np.zeros(len(labels), np.int64)
    by_all = by_none = 0
    for begin in range(0, int(before[-1]), at_once):
        pairs = np.arange(begin, min(begin + at_once, int(before[-1])))
        first = np.searchsorted(before, pairs, side="right") - 1
        left, right = points[first], points[first + 1 + pairs - before[first]]
        finders = np.zeros(len(pairs), np.int64)
        finds = [_find_pairs(runs, left, right) for runs in labels]
        for one in finds:
            finders += one
        found += [int(one.sum()) for one in finds]
        alone += [int(one[finders == 1].sum()) for one in finds]
        by_all += int((finders == len(labels)).sum())
        by_none += int((finders == 0).sum())
    return FoundBy(int(before[-1]), found.tolist(), alone.tolist(), by_all, by_none)


def _find_pairs(
    runs: Sequence[NDArray[np.int32]], left: NDArray[np.int64], right: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Return which pairs are together in all runs of a method."""
    together = np.ones(len(left), np.bool_)
    for labels in runs:
        mine = labels[left]
        together &= (mine == labels[right]) & (mine >= 0)
    return together


def count_by_sets(true: JointCells, labels: _Labels) -> FoundBy:
    """Count the pairs that all methods of each set find, and by inclusion and exclusion those of one alone."""
    together: dict[int, int] = {}
    _count(true, labels, 0, 0, together)
    everyone = (1 << len(labels)) - 1
    single = [1 << place for place in range(len(labels))]
    return FoundBy(
        together[0],
        [together.get(mine, 0) for mine in single],
        [_exactly(mine, everyone & ~mine, together) for mine in single],
        together.get(everyone, 0),
        _exactly(0, everyone, together),
    )


def _exactly(found: int, not_found: int, together: dict[int, int]) -> int:
    """Count pairs that all methods of one set and none of another find, by inclusion and exclusion."""
    total, others = 0, not_found
    while True:
        total += (-1 if others.bit_count() % 2 else 1) * together.get(found | others, 0)
        if not others:
            return total
        others = (others - 1) & not_found


class JointCells(NamedTuple):
    """Points in the same cell of several labelings, by the number of the cell."""

    cell: NDArray[Any]
    counts: NDArray[np.int64]
    point: NDArray[np.int64]

    def without_loners(self) -> JointCells:
        """Return the cells without unclustered points and without points alone in their cell, which form no pairs."""
        kept = self.cell >= 0
        numbers, _ = encode_integers(self.cell[kept])
        counts = self.counts[kept]
        sizes = np.bincount(numbers, counts)[numbers]
        return JointCells(numbers[sizes > 1], counts[sizes > 1], self.point[kept][sizes > 1])

    def split(self, labels: NDArray[np.int32]) -> JointCells:
        """Split the cells by one more labeling."""
        mine = labels[self.point]
        keys = self.cell.astype(np.int64) * (int(labels.max(initial=0)) + 1) + mine
        return JointCells(np.where(mine >= 0, keys, -1), self.counts, self.point).without_loners()

    @property
    def pairs(self) -> int:
        """Number of pairs within cells."""
        sizes = np.zeros(int(self.cell.max(initial=-1)) + 1, np.int64)
        np.add.at(sizes, self.cell, self.counts)
        if exact_sum(sizes) < 1 << 31:
            return int((sizes * (sizes - 1) // 2).sum())
        return sum(size * (size - 1) // 2 for size in sizes.tolist())


def _count(cells: JointCells, labels: _Labels, start: int, found: int, together: dict[int, int]) -> None:
    """Count the pairs that all methods of each superset of `found` find; supersets without pairs are left out."""
    pairs = cells.pairs
    if not pairs and found:
        return
    together[found] = pairs
    for place in range(start, len(labels)):
        parted = cells
        for run in labels[place]:
            parted = parted.split(run)
        _count(parted, labels, place + 1, found | 1 << place, together)
