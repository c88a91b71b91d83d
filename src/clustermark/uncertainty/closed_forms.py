"""Sums without one point that need an algorithm: matchings, overlaps, expected mutual information."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clustermark import _kernel
from clustermark._kernel import LONE
from clustermark.statistics.matching import MatchedPoints
from clustermark.tables.sums import concentrations
from clustermark.uncertainty.entries import add_all, by_blocks

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from clustermark.statistics.units import Numbers
    from clustermark.tables.cells import CellTable
    from clustermark.uncertainty.entries import Cells
    from clustermark.uncertainty.points import Points

    OfOverlap = Callable[[Numbers, Numbers], Numbers]
    from collections.abc import Callable, Sequence

    from clustermark.tables.contingency import Contingency
    from clustermark.tables.sums import SizeRow

    FindPlaces = Callable[[NDArray[np.int64]], NDArray[np.int64]]


class Problem(NamedTuple):
    """Cells to match; each lone point has a separate row or column."""

    rows: NDArray[np.int64]
    columns: NDArray[np.int64]
    points: NDArray[np.int64]
    matched: NDArray[np.bool_]
    n_rows: int
    n_columns: int


class Prices(NamedTuple):
    """Prices of rows and columns: for each cell they add up to at least its worth, for matched cells to its worth."""

    rows: NDArray[np.int64]
    columns: NDArray[np.int64]


def in_every_matching(table: CellTable, cells: Cells) -> tuple[int, NDArray[np.bool_]]:
    """Return the number of points in matched clusters, and whether every best matching contains each entry.

    Removing a point of such a cell reduces the number of matched points by 1; removing any other point does not.
    """
    matching = MatchedPoints.of(table)
    matched = matched_entries(cells, matching)
    certain = cells.true.alone & cells.pred.alone  # each is a match by itself
    open_to_doubt = ~certain
    own = np.zeros(len(cells.true.size) + 1, np.int64)
    own[cells.true.of[matched]] = cells.n[matched]
    own[-1] = 0
    lack = own[cells.true.of] - cells.n.astype(np.int64)
    dearest = 0
    while True:
        # a cell matters only if its worth is at least that of its row's match less the price of the matched column
        rivals = np.flatnonzero((lack <= dearest) & ~matched & open_to_doubt)
        places = np.concatenate([np.flatnonzero(matched), rivals, rivals[cells.times[rivals] > 1]])
        places = np.concatenate([places, np.flatnonzero(matched & (cells.times > 1))])
        problem = _state(cells, places, int(matched.sum()))
        prices = find_prices(problem)
        if (most := int(prices.columns.max(initial=0))) <= dearest:
            break
        dearest = most
    certain[places[find_certain(problem, prices)]] = True
    return int(matching.points), certain


def _state(cells: Cells, places: NDArray[np.int64], n_matched: int) -> Problem:
    """Return the problem of these entries; two of the equal cells of an entry with a lone side are enough."""
    rows, n_rows = _number(cells.true.of[places], len(cells.true.size))
    columns, n_columns = _number(cells.pred.of[places], len(cells.pred.size))
    points = cells.n[places].astype(np.int64)
    return Problem(rows, columns, points, np.arange(len(places)) < n_matched, n_rows, n_columns)


def _number(lines: NDArray[np.int64], n: int) -> tuple[NDArray[np.int64], int]:
    lone = np.flatnonzero(lines == n)
    lines[lone] = n + np.arange(len(lone))
    return lines, n + len(lone)


def matched_entries(cells: Cells, matching: Any) -> NDArray[np.bool_]:
    """Return whether this matching contains each entry, apart from lone points on both sides."""
    n_rows, n_columns = len(cells.true.size), len(cells.pred.size)
    lone_row, lone_column = matching.rows == LONE, matching.columns == LONE
    column_of = np.full(n_rows + 1, -1, np.int64)  # -1 for rows without a match and for lone points
    column_of[matching.rows[~lone_row]] = np.where(lone_column, n_columns, matching.columns)[~lone_row]
    matched: NDArray[np.bool_] = column_of[cells.true.of] == cells.pred.of
    if lone_row.any():
        row_alone = np.zeros(n_columns + 1, np.bool_)
        row_alone[matching.columns[lone_row & ~lone_column]] = True
        matched |= cells.true.alone & row_alone[cells.pred.of]
    return matched


def find_prices(problem: Problem) -> Prices:
    """Return the least prices of columns, and the prices of rows that follow from them.

    The price of a row is the worth of its match less the price of the matched column. So the price of a column must be
    at least what any row would gain by a match with it. Raising prices ends, because the matching is best. Rows and
    columns without a match have the price 0.
    """
    rows, columns, points, matched, n_rows, n_columns = problem
    partner = np.full(n_rows, n_columns, np.int64)  # an extra column with the price 0, for rows without a match
    partner[rows[matched]] = columns[matched]
    own = np.zeros(n_rows, np.int64)
    own[rows[matched]] = points[matched]
    prices = np.zeros(n_columns + 1, np.int64)
    rival_columns, beside = columns[~matched], partner[rows[~matched]]
    gain = (points - own[rows])[~matched]
    while True:
        wanted = gain + prices[beside]
        higher = wanted > prices[rival_columns]
        if not higher.any():
            return Prices(own - prices[partner], prices[:-1])
        np.maximum.at(prices, rival_columns[higher], wanted[higher])


def find_certain(problem: Problem, prices: Prices) -> NDArray[np.int64]:
    """Return the places of the matched cells that are in every best matching.

    Best matchings consist of cells whose prices add up to their worth, and match every row and column with a price
    above 0. Another best matching differs from this one by cycles and paths that alternate between cells of both. All
    of these are cycles of a graph with one more node, at which paths begin and end.
    """
    rows, columns, points, matched, n_rows, n_columns = problem
    tight = ~matched & (prices.rows[rows] + prices.columns[columns] == points)
    row_matched, column_matched = np.zeros(n_rows, np.bool_), np.zeros(n_columns, np.bool_)
    row_matched[rows[matched]] = column_matched[columns[matched]] = True
    end, all_columns = n_rows + n_columns, n_rows + np.arange(n_columns)
    starts = np.concatenate([np.flatnonzero(~row_matched), all_columns[column_matched & (prices.columns == 0)]])
    ends = np.concatenate([np.flatnonzero(row_matched & (prices.rows == 0)), all_columns[~column_matched]])
    tails = np.concatenate([n_rows + columns[matched], rows[tight], np.full(len(starts), end), ends])
    heads = np.concatenate([rows[matched], n_rows + columns[tight], starts, np.full(len(ends), end)])
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    graph = coo_array((np.ones(len(tails), np.bool_), (tails, heads)), shape=(end + 1, end + 1))
    _, strong = connected_components(graph, directed=True, connection="strong")
    places = np.flatnonzero(matched)
    certain: NDArray[np.int64] = places[strong[rows[places]] != strong[n_rows + columns[places]]]
    return certain


class OverlapsLeft:
    """Σ over predicted clusters of their size times a function of their largest Jaccard index and concentration.

    Without a point, its predicted cluster has a cell less or a smaller cell. Other predicted clusters that overlap its
    true cluster have a larger Jaccard index with it, because it is smaller. If the true cluster disappears, every
    concentration is computed with one true cluster less.
    """

    def __init__(self, points: Points, cells: Cells) -> None:
        self._points, self._cells = points, cells
        self._fewer = np.maximum(cells.a - 1, 1), np.maximum(cells.b - 1, 1)

    @cached_property
    def _best(self) -> Numbers:
        """Largest Jaccard index of each cell's predicted cluster."""
        return self._points.best_of_cluster(self._cells.pred, by_blocks(_jaccard, *self._cells.values))

    @cached_property
    def _closer(self) -> Numbers:
        """The same if the cell's true cluster is smaller by a point."""
        n, _, b = self._cells.values
        return by_blocks(lambda x, *cell: np.maximum(x, _jaccard(*cell)), self._best, n, self._fewer[0], b)

    @cached_property
    def _left(self) -> Numbers:
        """The same if the cell has a point less."""
        (n, a, _), (fewer_a, fewer_b) = self._cells.values, self._fewer
        own = by_blocks(lambda n, a, b: np.where(n > 1, _jaccard(n - 1, a, b), 0.0), n, fewer_a, fewer_b)
        return self._points.best_without(self._cells.pred, by_blocks(_jaccard, n, a, fewer_b), own)

    @cached_property
    def _columns(self) -> tuple[Numbers, Numbers, Numbers]:
        """Σn², size and number of cells of each predicted cluster; the last place is for lone points."""
        c, side = self._cells, self._cells.pred
        squares = c.squares(side)
        counts = c.sum_by(side.of, np.ones_like(c.n), len(side.size) + 1)
        squares[-1] = counts[-1] = 1
        return squares, np.append(side.size, side.size.dtype.type(1)), counts

    def _spreads(self, fewer: bool) -> tuple[Numbers, Numbers]:
        """Return the concentration of each predicted cluster, and of each cell's predicted cluster without a point.

        fewer: whether there is one true cluster less.
        """
        c, of = self._cells, self._cells.pred.of
        clusters = max(c.true.clusters - fewer, 1)
        squares, sizes, counts = self._columns
        left = by_blocks(
            lambda q, n, b, cells: concentrations(q - 2 * n + 1, b, cells - (n == 1), clusters),
            squares[of],
            c.n,
            self._fewer[1],
            counts[of],
        )
        return concentrations(squares, sizes, counts, clusters), left

    @cached_property
    def _usual(self) -> tuple[Numbers, Numbers]:
        return self._spreads(fewer=False)

    def sums(self, part: OfOverlap) -> Numbers:
        """Return Σ size × `part(jaccard, concentration)` over predicted clusters, without a point of each cell."""
        left = self._sums(part, *self._usual)
        gone = self._cells.a == 1
        return np.where(gone, self._sums(part, *self._spreads(fewer=True)), left) if gone.any() else left

    def _sums(self, part: OfOverlap, spread: Numbers, spread_left: Numbers) -> Numbers:
        c, side = self._cells, self._cells.pred
        here = spread[side.of]
        now = by_blocks(part, self._best, here)
        total = add_all((now * c.b)[self._one_cell_each])
        if side.some_alone:
            total += add_all((now * c.times)[side.alone])
        gain = by_blocks(lambda closer, x, y, b: (part(closer, x) - y) * b, self._closer, here, now, c.b)
        own = by_blocks(lambda j, x, y, b: part(j, x) * (b - 1) - y * b, self._left, spread_left, now, c.b)
        return total + c.others(c.true, gain) + own

    @cached_property
    def _one_cell_each(self) -> NDArray[np.int64]:
        """One cell of each predicted cluster, without lone points."""
        of = self._cells.pred.of
        place = np.zeros(len(self._cells.pred.size) + 1, np.int64)
        place[of] = np.arange(len(of))
        return place[:-1]


def _jaccard(n: Numbers, a: Numbers, b: Numbers) -> Numbers:
    return n / (a + b - n)


_AT_ONCE = 1 << 22
"""Number of terms that are held at once."""


def expected_without(
    table: Contingency, n_points: int, true_at: FindPlaces, pred_at: FindPlaces
) -> NDArray[np.float64]:
    """Return the expected mutual information without one point, for each class of points.

    `true_at` and `pred_at` return the positions of the sizes of each class's clusters among all sizes of a side.

    It is a sum over all true and predicted clusters of a term of their sizes and of the number of points. Without one
    point, the number of points changes in every term; sizes change in one row and in one column of the terms only.
    It is NaN if one cluster or only singletons are left on a side, because no permutation changes anything then.
    """
    profile, total = table.profile, n_points - 1
    (rows, row_times), (columns, column_times) = (_histogram(side) for side in (profile.true_sizes, profile.pred_sizes))
    i, j = true_at(rows), pred_at(columns)
    if total < 2 or rows[-1] > total or columns[-1] > total:  # a side is one cluster
        return np.full(len(i), np.nan)
    all_columns = np.union1d(columns, columns - 1)
    columns_at, fewer_columns_at = (np.searchsorted(all_columns, columns - v) for v in (0, 1))
    of_column = np.zeros(len(columns))  # the sum of a column with its size less that with one point less
    of_cell = np.zeros(len(i))
    everything = 0.0
    step = max(1, _AT_ONCE // len(all_columns))
    for start in range(0, len(rows), step):
        block = slice(start, start + step)
        # sizes that differ by 1 often occur together, so each term is computed once for both
        needed = np.union1d(rows[block], rows[block] - 1)
        terms = _kernel.expected_excesses(needed, all_columns, total).reshape(-1, len(all_columns))
        whole, fewer_a, fewer_b, fewer = (
            terms[np.ix_(np.searchsorted(needed, rows[block] - u), at)]
            for u, at in ((0, columns_at), (1, columns_at), (0, fewer_columns_at), (1, fewer_columns_at))
        )
        of_row = (whole - fewer_a) @ column_times
        of_column += row_times[block] @ (whole - fewer_b)
        everything += float(row_times[block] @ (whole @ column_times))
        here = slice(None) if len(rows) <= step else np.flatnonzero((i >= start) & (i < start + step))
        of_cell[here] = (whole - fewer_a - fewer_b + fewer - of_row[:, None]).take(
            (i[here] - start) * len(columns) + j[here]
        )
    expected = (everything - of_column[j] + of_cell) / total
    for sizes, at, times in ((rows, i, row_times), (columns, j, column_times)):
        left = times.sum() - (sizes == 1)
        if (unchanging := (left == 1) | (left == total)).any():
            expected[unchanging[at]] = np.nan
    return expected


def _histogram(rows: Sequence[SizeRow]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    sizes = np.array([row.size for row in rows], np.int64)
    return sizes, np.array([row.clusters for row in rows], np.float64)
