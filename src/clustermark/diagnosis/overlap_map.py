"""A map of a table: the overlaps of the worst or largest clusters of both sides; and the histogram of cluster sizes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeAlias

import numpy as np

from clustermark import _kernel
from clustermark._kernel import ABSENT, LONE
from clustermark.diagnosis.cluster_table import how_many
from clustermark.diagnosis.error_list import largest_parts, rank_by_loss
from clustermark.errors import InputError, Mention
from clustermark.results.data import Column, Table
from clustermark.results.document import PAGE, SUMMARY, Cell, Document, Grid, Head, KeyNumber, Name, Notes, Section
from clustermark.results.notebook import document_html
from clustermark.results.result import Result
from clustermark.results.values import label_text
from clustermark.tables.clusters import cells_facing, names_of, other, ranks_of
from clustermark.tables.parts import Largest, Near
from clustermark.tables.sums import exact_sum

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from clustermark.results.data import Columns
    from clustermark.results.document import Body, View
    from clustermark.tables.cells import CellTable
    from clustermark.tables.contingency import Contingency, Side


_LARGEST_MAP = 2000
_SIDES: tuple[Side, ...] = ("pred", "true")

Choice = Literal["largest", "worst"]
Shown = Literal["all", "largest", "worst"]
_Lines: TypeAlias = "tuple[NDArray[np.int64], NDArray[np.int64]]"


_MARGINS = {"others": "in clusters not shown", "alone": "alone", "unmatched": "unmatched"}
"""Kinds of points outside the map, and their heads."""
_CLUSTER: Columns = {
    "cluster": Column("label"),
    "size": Column("amount"),
    "others": Column("amount", doc="points in clusters that are not shown"),
    "alone": Column("amount", doc="points with a cluster of their own on the other side"),
    "unmatched": Column("amount", doc="points that the other side lacks"),
}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class OverlapMap(Result):
    """Overlaps of some clusters of both sides, ordered so that matches lie on the diagonal.

    With the values of `true_margins`, a row adds up to the size of its true cluster; likewise columns and
    `pred_margins`.
    """

    true_labels: list[Any]
    pred_labels: list[Any]
    counts: NDArray[Any]
    """Points (or weight) shared by true cluster i and predicted cluster j."""
    true_sizes: list[float]
    pred_sizes: list[float]
    n_true: int
    """Number of all true clusters."""
    n_pred: int
    covered: float
    """Number of points in the cells shown."""
    n: float
    """Number of all points."""
    chosen: Shown = "all"
    """The choice of clusters: all that have a label, the largest, or those that lose most pairs."""
    true_margins: Mapping[str, list[float]] = field(default_factory=dict)
    """Points of each true cluster outside the clusters shown: "others", "alone", "unmatched"; only kinds that occur."""
    pred_margins: Mapping[str, list[float]] = field(default_factory=dict)

    KIND: ClassVar[str] = "overlap_map"
    FACTS: ClassVar[Columns] = {
        "chosen": Column("text", choices=("all", "largest", "worst"), doc="which of the clusters are shown"),
        "n_true": Column("count", doc="true clusters in all"),
        "n_pred": Column("count", doc="predicted clusters in all"),
        "covered": Column("amount", doc="points in the cells"),
        "n": Column("amount", doc="points in all"),
    }
    TABLES: ClassVar[dict[str, Columns]] = {
        "cells": {
            "true": Column("label"),
            "pred": Column("label"),
            "overlap": Column("amount"),
            "jaccard": Column("score"),
            "matched": Column("flag", doc="whether the two clusters are a good match: Jaccard above one half"),
        },
        "true_clusters": _CLUSTER,
        "pred_clusters": _CLUSTER,
    }
    MAIN: ClassVar[str] = "cells"

    @classmethod
    def of(cls, table: Contingency, k: int = 30, choose: Choice = "largest") -> OverlapMap:
        """Return the map of at most k labelled clusters of each side of a table.

        choose: "largest", or "worst": the clusters that lose most pairs and the clusters of their points.

        >>> from clustermark import crosstab
        >>> shown = OverlapMap.of(crosstab(["a", "a", "a", "b", "b"], [2, 2, 1, 1, 1]), k=2)
        >>> shown.true_labels, shown.pred_labels, shown.counts.tolist()
        (['a', 'b'], [2, 1], [[2, 1], [0, 2]])
        """
        return cls.several(table, [k], choose)[0]

    @classmethod
    def several(cls, table: Contingency, ks: Sequence[int], choose: Choice = "largest") -> list[OverlapMap]:
        """Return a map for each of several numbers of clusters, from cells that are fetched once."""
        for k in ks:
            if k is None or not 1 <= (how_many(k) or 0) <= _LARGEST_MAP:
                raise InputError(Mention("k", k), f" must be a number of clusters from 1 to {_LARGEST_MAP}")
        if choose not in ("largest", "worst"):
            raise InputError(f'choose={choose!r} must be "largest" or "worst"')
        most = max(ks)
        large = _Part(table.part(Largest(most + 1)), table.one_sided)  # one more, to find out whether these are all
        total = max(len(large.table.true_names), len(large.table.pred_names))
        order = large.order_by_size(most)
        near = large
        queues: dict[Side, list[tuple[int, list[int]]]] = {}
        if choose == "worst" and total > min(ks):
            cells = table.part(Near(most))
            near = large if cells is large.table else _Part(cells, table.one_sided)
            queues = {side: _worst_with_parts(cells, side, most, set(table.unscored)) for side in _SIDES}
        maps = []
        for k in ks:
            lines = _worst_lines(queues, k) if queues and total > k else None
            if lines is not None and len(lines[0]):
                maps.append(cls._draw(table, near, lines, "worst"))
            else:
                largest = order[0][:k], order[1][:k]
                maps.append(cls._draw(table, large, largest, "all" if total <= k else "largest"))
        return maps

    @classmethod
    def _draw(cls, table: Contingency, part: _Part, lines: _Lines, kind: Shown) -> OverlapMap:
        """Return the map of these lines of a part of a table."""
        rows, columns = lines
        counts = _dense(part.table.kernel_cells, rows, columns)
        row_order, column_order = _on_the_diagonal(counts)
        rows, columns, counts = rows[row_order], columns[column_order], counts[row_order][:, column_order]
        return cls(
            part.table.true_names.take(rows).to_list(),
            part.table.pred_names.take(columns).to_list(),
            counts,
            part.sizes["true"][rows].tolist(),
            part.sizes["pred"][columns].tolist(),
            table.n_true_clusters,
            table.n_pred_clusters,
            exact_sum(counts.ravel()) if table.weights is None else float(counts.sum()),
            table.n_used if table.weights is None else float(table.weights.sum()),
            kind,
            part.margins("true", rows, counts.sum(1), kind),
            part.margins("pred", columns, counts.sum(0), kind),
        )

    def facts(self) -> dict[str, Any]:
        """Return the numbers of clusters and points shown."""
        return {name: getattr(self, name) for name in self.FACTS}

    def tables(self) -> dict[str, Table]:
        """Return the cells with points, and the clusters of both sides in the order of the map."""
        counts, jaccard, matched = (np.asarray(values).tolist() for values in (self.counts, self.jaccard, self.matched))
        names = tuple(self.TABLES["cells"])
        cells = [
            dict(zip(names, (true, pred, count, jaccard[row][column], matched[row][column]), strict=True))
            for row, true in enumerate(self.true_labels)
            for column, pred in enumerate(self.pred_labels)
            if (count := counts[row][column])
        ]
        tables = {"cells": Table(self.TABLES["cells"], cells)}
        for side, total in (("true", self.n_true), ("pred", self.n_pred)):
            labels, sizes, margins = self._side(side)
            none = [0] * len(labels)
            columns = zip(labels, sizes, *(margins.get(name, none) for name in _MARGINS), strict=True)
            rows = [dict(zip(_CLUSTER, row, strict=True)) for row in columns]
            tables[f"{side}_clusters"] = Table(_CLUSTER, rows, total)
        return tables

    def _side(self, side: str) -> tuple[list[Any], list[float], Mapping[str, list[float]]]:
        if side == "true":
            return self.true_labels, self.true_sizes, self.true_margins
        return self.pred_labels, self.pred_sizes, self.pred_margins

    def document(self, view: View = SUMMARY) -> Document:
        """Return the document of text, notebook, Markdown, LaTeX and page."""
        chosen = "" if self.chosen == "all" else f", the {self.chosen} of {self.n_true:,} and {self.n_pred:,}"
        return Document(
            "Overlaps of clusters",
            f"{len(self.true_labels):,} true and {len(self.pred_labels):,} predicted clusters{chosen}",
            [
                Section(
                    "overlaps",
                    "Map",
                    lambda: self._bodies(view),
                    "The points that true clusters (rows) and predicted clusters (columns) share, shaded by Jaccard.",
                    "summary",
                )
            ],
            key_numbers=[KeyNumber("points shown", self.covered, "amount"), KeyNumber("points", self.n, "amount")],
        )

    def _bodies(self, view: View) -> list[Body]:
        n = len(self.pred_labels)
        shown = n if view.columns is None else min(n, view.columns)
        heads = [
            Head("true \\ predicted", "label"),
            *(Head(label_text(label, 40), "amount") for label in self.pred_labels[:shown]),
            *(Head(_MARGINS[name], "amount") for name in self.true_margins),
        ]
        cells = [
            [Cell(count or "", shade=share) for count, share in zip(*both, strict=True)]
            for both in zip(np.asarray(self.counts).tolist(), self.jaccard.tolist(), strict=True)
        ]
        rows: list[list[Any]] = [
            [Name(label, "true"), *cells[row][:shown], *(values[row] for values in self.true_margins.values())]
            for row, label in enumerate(self.true_labels)
        ]
        blanks = [""] * len(self.true_margins)
        rows += [[_MARGINS[name], *values[:shown], *blanks] for name, values in self.pred_margins.items()]
        caption = "Overlaps of true and predicted clusters, shaded by Jaccard"
        grid = Grid(heads, rows, caption, "No cluster has a label.")
        return [grid, Notes([f"The first {shown:,} of {n:,} predicted clusters."])] if shown < n else [grid]

    def to_html(self) -> str:
        """Return the HTML for a notebook, with as many columns as a page."""
        return str(document_html(self.document(PAGE)))

    @property
    def jaccard(self) -> NDArray[np.float64]:
        """Jaccard index of each true with each predicted cluster that is shown."""
        counts = np.asarray(self.counts, float)
        union = np.asarray(self.true_sizes, float)[:, None] + np.asarray(self.pred_sizes, float) - counts
        return counts / np.where(union > 0, union, 1.0)

    @property
    def matched(self) -> NDArray[np.bool_]:
        """Whether each cell is a good match: Jaccard above one half, so that neither cluster has another as good.

        A single cluster of all points only matches a single cluster of all points.
        """
        if (self.n_true == 1) != (self.n_pred == 1):
            return np.zeros(np.shape(self.counts), np.bool_)
        return np.asarray(self.jaccard > 0.5)


class _Part:
    """Cells in memory from which several maps are drawn; sums over all of them are computed once."""

    def __init__(self, table: CellTable, one_sided: bool) -> None:
        self.table = table
        self._one_sided = one_sided
        true, pred = _kernel.margins(table.kernel_cells)
        self.sizes: dict[Side, NDArray[Any]] = {"true": true, "pred": pred}
        self._met: dict[tuple[Side, int], NDArray[Any]] = {}

    def order_by_size(self, k: int) -> _Lines:
        """Return positions of the k largest clusters of each side, ties by name."""

        def largest(side: Side) -> NDArray[np.int64]:
            sizes = self.sizes[side]
            if len(sizes) > k:  # only names of candidates are compared
                least = np.partition(sizes, len(sizes) - k)[len(sizes) - k]
                candidates = np.flatnonzero(sizes >= least)
            else:
                candidates = np.arange(len(sizes))
            ranks = ranks_of(names_of(self.table, side))[candidates]
            return candidates[np.lexsort((ranks, -sizes[candidates]))[:k]]

        return largest("true"), largest("pred")

    def margins(self, side: Side, lines: NDArray[np.int64], shown: NDArray[Any], kind: Shown) -> dict[str, list[float]]:
        """Return the points of the clusters of these lines outside the clusters shown, by kind."""
        sizes = self.sizes[side][lines]
        unmatched = self._met_by(side, ABSENT)[lines] if self._one_sided else np.zeros_like(sizes)
        rest = _without_rounding(sizes - shown - unmatched, sizes)
        alone = {"all": rest, "largest": np.zeros_like(rest)}.get(kind)
        alone = self._met_by(side, LONE)[lines] if alone is None else alone
        found = {"others": _without_rounding(rest - alone, sizes), "alone": alone, "unmatched": unmatched}
        return {name: values.tolist() for name, values in found.items() if values.any()}

    def _met_by(self, side: Side, marker: int) -> NDArray[Any]:
        """Count the points of each cluster of a side with this marker on the other side."""
        if (side, marker) not in self._met:
            cells = self.table.kernel_cells
            mine, across = (cells.rows, cells.columns) if side == "true" else (cells.columns, cells.rows)
            values: NDArray[Any] = cells.counts if cells.weights is None else cells.weights
            chosen = (across == marker) & (mine >= 0)
            sums = np.zeros(len(self.sizes[side]), values.dtype)
            np.add.at(sums, mine[chosen], values[chosen])
            self._met[side, marker] = sums
        return self._met[side, marker]


def _worst_lines(queues: dict[Side, list[tuple[int, list[int]]]], k: int) -> _Lines:
    """Return the worst merge and its parts, the worst split and its parts, and so on, at most k of each side."""
    chosen: dict[Side, dict[int, None]] = {"true": {}, "pred": {}}
    for place in range(k):
        for side in _SIDES:
            if place >= len(queues[side]):
                continue
            cluster, parts = queues[side][place]
            grown: dict[Side, dict[int, None]] = {
                side: chosen[side] | {cluster: None},
                other(side): chosen[other(side)] | dict.fromkeys(parts[:k]),
            }
            if max(map(len, grown.values())) <= k:
                chosen = grown
            else:
                return _as_lines(chosen)
    return _as_lines(chosen)


def _as_lines(chosen: dict[Side, dict[int, None]]) -> _Lines:
    return np.fromiter(chosen["true"], np.int64), np.fromiter(chosen["pred"], np.int64)


def _worst_with_parts(part: CellTable, side: Side, k: int, unscored: set[Any]) -> list[tuple[int, list[int]]]:
    worst = rank_by_loss(part, side)
    if unscored and side == "pred":
        labels = part.pred_names.take(worst).to_list()
        worst = worst[np.array([label not in unscored for label in labels], np.bool_)]
    worst = worst[:k]
    parts: dict[int, list[int]] = {int(cluster): [] for cluster in worst}
    met = largest_parts(part, side, worst)
    for row, column in zip(met.rows.tolist(), met.columns.tolist(), strict=True):
        if row >= 0:
            parts[column].append(row)
    return [(cluster, parts[cluster]) for cluster in parts]


def _without_rounding(rest: NDArray[Any], sizes: NDArray[Any]) -> NDArray[Any]:
    """Return the rest, with 0 in place of rounding errors of weights."""
    return np.where(rest > 1e-9 * sizes, rest, rest.dtype.type(0))


def _dense(cells: _kernel.Cells, rows: NDArray[np.int64], columns: NDArray[np.int64]) -> NDArray[Any]:
    values: NDArray[Any] = cells.counts if cells.weights is None else cells.weights
    row_place, column_place = _places(rows, cells.n_rows), _places(columns, cells.n_columns)
    row_of, column_of = row_place[cells.rows], column_place[cells.columns]
    shown = (row_of >= 0) & (column_of >= 0)
    dense = np.zeros((len(rows), len(columns)), values.dtype)
    dense[row_of[shown], column_of[shown]] = values[shown]
    return dense


def _places(chosen: NDArray[np.int64], n: int) -> NDArray[np.int64]:
    places = np.full(n + 2, -1)  # two more, for the indices LONE and ABSENT
    places[chosen] = np.arange(len(chosen))
    return places


def _on_the_diagonal(counts: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return an order of rows and one of columns: matched ones at the same places, then the rest."""
    from scipy.optimize import linear_sum_assignment

    rows, columns = linear_sum_assignment(counts.astype(np.float64), maximize=True)
    n_rows, n_columns = counts.shape
    return _then_the_rest(rows, n_rows), _then_the_rest(columns, n_columns)


def _then_the_rest(first: NDArray[np.int64], n: int) -> NDArray[np.int64]:
    return np.append(first, np.setdiff1d(np.arange(n), first)).astype(np.int64)


def size_histogram(table: Contingency, side: Side) -> list[tuple[float, int]]:
    """Count the clusters of each size, ascending; points with a cluster of their own included."""
    if table.weights is None:
        profile = table.profile
        return [(row.size, row.clusters) for row in (profile.pred_sizes if side == "pred" else profile.true_sizes)]
    cells = cells_facing(table.to_memory(), side)
    lone = cells.columns == LONE
    assert cells.weights is not None
    each = cells.weights[lone] / cells.counts[lone]
    sizes = np.append(_kernel.margins(cells)[1], each)
    times = np.append(np.ones(cells.n_columns, np.int64), cells.counts[lone])
    found, place = np.unique(sizes, return_inverse=True)
    clusters = np.zeros(len(found), np.int64)
    np.add.at(clusters, place, times)
    return list(zip(found.tolist(), clusters.tolist(), strict=True))
