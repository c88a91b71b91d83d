"""Statistics of each cluster of one side of a table in memory, as integer arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clustermark import _kernel
from clustermark._kernel import ABSENT, LONE
from clustermark.errors import InputError, Mention

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from clustermark.labels.labeling import Names
    from clustermark.tables.cells import CellTable
    from clustermark.tables.contingency import Side

KINDS = ("exact", "inside", "whole", "mixed")
"""A cluster equals one of the other side, lies inside one, is a union of several, or none of these."""

_SMALL = 1 << 31
"""Below this size, the square of a size fits a computer word."""


class ClusterCounts(NamedTuple):
    """One entry per labelled cluster of a side; points with a cluster of their own have none.

    Numbers of points are sums of weights if the table has weights.
    """

    labels: Names
    others: Names
    """The names of the other side's clusters, which `best` refers to."""
    sizes: NDArray[Any]
    met: NDArray[Any]
    """Points that occur on the other side too; equal to `sizes` unless items of one side only are kept."""
    squares: NDArray[Any]
    """Σn² over its cells; Python integers if a computer word could not hold the square of a size."""
    counterparts: NDArray[np.int64]
    """Number of clusters of the other side that it intersects, which is that of its cells."""
    whole: NDArray[np.int64]
    """Number of these that lie entirely inside it."""
    best: NDArray[np.int32]
    """Position in `others` of the counterpart of largest Jaccard; -1 if that is a cluster of a single point."""
    overlap: NDArray[Any]
    """Points shared with the best counterpart."""
    best_size: NDArray[Any]
    strangers: NDArray[Any]
    """Number of pairs of a point of it and a point of another cluster that are together on the other side."""
    concentration: NDArray[np.float64] | None = None
    """Only for weights, where it cannot be computed from the numbers above with the same bits."""

    def kinds(self, chosen: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the position in KINDS of each of the chosen clusters."""
        met, whole = self.counterparts[chosen], self.whole[chosen]
        complete = self.met[chosen] == self.sizes[chosen]
        kinds = np.where((met > 1) & (whole == met), 2, np.where((met == 1) & (whole == 0) & complete, 1, 3))
        kinds[(met == 1) & (whole == 1) & complete] = 0
        return kinds

    def lost_pairs(self, chosen: NDArray[np.int64]) -> NDArray[Any]:
        """Return the number of pairs of each cluster that are apart on the other side; one-sided items have none."""
        squares, met = self.squares[chosen], self.met[chosen]
        if squares.dtype.kind == "f":
            lost: NDArray[np.float64] = np.maximum((met * met - squares) / 2, 0.0)
            lost[self.counterparts[chosen] < 2] = 0.0
            return lost
        met = met.astype(squares.dtype)
        return np.asarray((met * met - squares) // 2)


def check_side(side: object) -> None:
    """Raise an error for a value other than "true" and "pred"."""
    if side not in ("true", "pred"):
        raise InputError(Mention("side", side), ' must be "true" or "pred"')


def counts_of(table: CellTable, side: Side, *, filled: bool = False) -> ClusterCounts:
    """Return the counts of all labelled clusters of one side, unscored ones included, computed once per table.

    filled: items of one side only represent the points of clusters outside an excerpt, so they count as strangers.
    """
    filled = filled and table.one_sided
    return table.once((ClusterCounts, side, filled), lambda table: _count(table, side, filled=filled))


def listed_clusters(table: CellTable, side: Side) -> NDArray[np.int64]:
    """Return the positions of the clusters with a row, in the sorted order of labels: all except unscored ones."""
    listed = names_of(table, side).sorted_order()
    unscored = table.unscored_columns
    return listed if side == "true" or unscored is None else listed[~unscored[listed]]


def cells_facing(table: CellTable, side: Side) -> _kernel.Cells:
    """Return the cells with the clusters of this side in the columns."""
    return table.kernel_cells if side == "pred" else transpose_cells(table.kernel_cells)


def transpose_cells(cells: _kernel.Cells) -> _kernel.Cells:
    """Return the cells with rows and columns exchanged."""
    return _kernel.Cells(
        cells.columns, cells.rows, cells.counts, cells.weights, cells.pairs, cells.n_columns, cells.n_rows
    )


def names_of(table: CellTable, side: Side) -> Names:
    """Return the names of the clusters of this side."""
    return table.pred_names if side == "pred" else table.true_names


def other(side: Side) -> Side:
    """Return the opposite side."""
    return "true" if side == "pred" else "pred"


def ranks_of(names: Names) -> NDArray[np.int32]:
    """Return the rank of each name in sorted order."""
    ranks = np.empty(len(names), np.int32)
    ranks[names.sorted_order()] = np.arange(len(ranks), dtype=np.int32)
    return ranks


class Met(NamedTuple):
    """The cells of labelled clusters, which are in the columns. A lone entry represents `times` equal cells."""

    rows: NDArray[np.int32]
    columns: NDArray[np.int32]
    times: NDArray[np.int64]
    n: NDArray[Any]
    """Points (or weight) of one cell."""
    points: NDArray[np.int64]
    """Points of one cell, also if there are weights."""

    def at(self, chosen: NDArray[Any]) -> Met:
        """Return the chosen entries."""
        return Met._make(array[chosen] for array in self)


def met_cells(cells: _kernel.Cells) -> Met:
    """Return the cells of the labelled clusters in the columns."""
    chosen = (cells.columns >= 0) & (cells.rows != ABSENT)
    rows, columns, counts = cells.rows[chosen], cells.columns[chosen], cells.counts[chosen]
    lone = rows == LONE
    times = np.where(lone, counts, 1)
    points = np.where(lone, 1, counts)
    return Met(rows, columns, times, points if cells.weights is None else cells.weights[chosen] / times, points)


def _count(table: CellTable, side: Side, *, filled: bool) -> ClusterCounts:
    cells = cells_facing(table, side)
    met = met_cells(cells)
    row_sizes, sizes = _kernel.margins(cells)
    others = names_of(table, other(side))
    whole = np.where(met.points == _sizes_at(_point_margin(cells, row_sizes), met), met.times, 0)
    if table.one_sided:
        best, overlap = _best_cells(met, row_sizes, sizes, ranks_of(others))
        concentration = None
    else:
        overlaps = _kernel.overlaps(cells, ranks_of(others))
        best, overlap = overlaps.best_rows, overlaps.intersections
        concentration = None if cells.weights is None else overlaps.concentration
    return ClusterCounts(
        labels=names_of(table, side),
        others=others,
        sizes=sizes,
        met=_met_sizes(cells, met, sizes) if table.one_sided else sizes,
        squares=_squares(met, sizes),
        counterparts=_sum_by_place(met.times, met.columns, len(sizes)),
        whole=_sum_by_place(whole, met.columns, len(sizes)),
        best=best,
        overlap=overlap,
        best_size=np.where(best >= 0, np.append(row_sizes, row_sizes.dtype.type(0))[best], overlap),
        strangers=_strangers(cells, met, row_sizes, len(sizes), filled=filled),
        concentration=concentration,
    )


def _sum_by_place(values: NDArray[Any], places: NDArray[np.int32], n: int) -> NDArray[Any]:
    sums = np.zeros(n, values.dtype)
    np.add.at(sums, places, values)
    return sums


def _squares(met: Met, sizes: NDArray[Any]) -> NDArray[Any]:
    n, times = met.n, met.times
    if n.dtype.kind == "i" and sizes.max(initial=0) >= _SMALL:
        n, times = n.astype(object), times.astype(object)
    return _sum_by_place(n * n * times, met.columns, len(sizes))


def _strangers(
    cells: _kernel.Cells, met: Met, row_sizes: NDArray[Any], n_clusters: int, *, filled: bool
) -> NDArray[Any]:
    here = row_sizes.copy()
    absent = (cells.columns == ABSENT) & (cells.rows >= 0) & (not filled)  # these are in no pair
    np.subtract.at(here, cells.rows[absent], (cells.counts if cells.weights is None else cells.weights)[absent])
    times, n, others = met.times, met.n, _sizes_at(here, met, met.n) - met.n
    if n.dtype.kind == "i" and here.max(initial=0) >= _SMALL:
        times, n, others = (part.astype(object) for part in (times, n, others))
    # because of rounding, a difference of sums of weights that is zero can be slightly more or less
    others = np.where((others > 0) & (met.points < _sizes_at(_points_at(cells, ~absent), met)), others, 0)
    return _sum_by_place(n * others * times, met.columns, n_clusters)


def _points_at(cells: _kernel.Cells, chosen: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return the number of points of each row, of the chosen cells."""
    there = chosen & (cells.rows >= 0)
    return _sum_by_place(cells.counts[there], cells.rows[there], cells.n_rows)


def _point_margin(cells: _kernel.Cells, row_sizes: NDArray[Any]) -> NDArray[np.int64]:
    if cells.weights is None:
        return row_sizes
    points = _kernel.Cells(cells.rows, cells.columns, cells.counts, None, None, cells.n_rows, cells.n_columns)
    return _kernel.margins(points)[0]


def _sizes_at(row_sizes: NDArray[Any], met: Met, lone: Any = 1) -> NDArray[Any]:
    """Return the size of the other cluster of each cell; that of a lone one is the size of the cell."""
    return np.where(met.rows >= 0, np.append(row_sizes, row_sizes.dtype.type(0))[met.rows], lone)


def _met_sizes(cells: _kernel.Cells, met: Met, sizes: NDArray[Any]) -> NDArray[Any]:
    lacking = np.zeros(len(sizes), np.bool_)
    lacking[cells.columns[(cells.rows == ABSENT) & (cells.columns >= 0)]] = True
    # a sum of weights in another order could differ from the size in its last bit
    return np.where(lacking, _sum_by_place(met.n * met.times, met.columns, len(sizes)), sizes)


def _best_cells(
    met: Met, row_sizes: NDArray[Any], sizes: NDArray[Any], ranks: NDArray[np.int32]
) -> tuple[NDArray[np.int32], NDArray[Any]]:
    """Apply the kernel's rule to tables with items of one side only, which it refuses: largest Jaccard, lowest rank."""
    union = _sizes_at(row_sizes, met, met.n) - met.n + sizes[met.columns]
    jaccard = met.n / union
    largest = np.zeros(len(sizes))
    np.maximum.at(largest, met.columns, jaccard)
    close = np.flatnonzero(jaccard >= largest[met.columns] * (1 - 2.0**-50))
    worse = -jaccard[close]
    if met.n.dtype.kind == "i" and union.max(initial=0) >= _DISTINCT:
        worse = _settle(worse, met.n[close], union[close], np.bincount(met.columns[close])[met.columns[close]] > 1)
    rank = np.append(ranks, np.int32(len(ranks)))[met.rows[close]]  # a lone counterpart comes last
    order = close[np.lexsort((rank, worse, met.columns[close]))]
    columns, first = np.unique(met.columns[order], return_index=True)
    best = np.full(len(sizes), LONE, np.int32)
    overlap = np.zeros(len(sizes), met.n.dtype)
    best[columns], overlap[columns] = met.rows[order[first]], met.n[order[first]]
    return best, overlap


_DISTINCT = 1 << 26
"""Two different fractions with denominators below this are also different doubles."""


def _settle(
    worse: NDArray[np.float64], n: NDArray[Any], union: NDArray[Any], contested: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """Return the keys, with contested ones replaced by the ranks of exact fractions, largest first."""
    from fractions import Fraction

    fractions = [Fraction(*cell) for cell in zip(n[contested].tolist(), union[contested].tolist(), strict=True)]
    place = {fraction: place for place, fraction in enumerate(sorted(set(fractions), reverse=True))}
    settled = worse.copy()
    settled[contested] = [place[fraction] for fraction in fractions]
    return settled
