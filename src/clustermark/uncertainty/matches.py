"""Which matched cells are in every matching of clusters, one to one, that has most points."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clustermark._kernel import LONE
from clustermark.statistics.matching import MatchedPoints

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from clustermark.tables.cells import CellTable
    from clustermark.uncertainty.entries import Cells


class Problem(NamedTuple):
    """Cells to match; every line of a lone point is a line of its own."""

    rows: NDArray[np.int64]
    columns: NDArray[np.int64]
    points: NDArray[np.int64]
    matched: NDArray[np.bool_]
    n_rows: int
    n_columns: int


class Prices(NamedTuple):
    """Prices of rows and columns, together at least what a cell of both is worth, and just that for matched cells."""

    rows: NDArray[np.int64]
    columns: NDArray[np.int64]


def in_every_matching(table: CellTable, cells: Cells) -> tuple[int, NDArray[np.bool_]]:
    """The points in matched clusters, and for each entry that is a cell whether every best matching has it.

    Removing a point of such a cell leaves one matched point less; removing any other leaves a best matching as it was.
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
        # a cell counts only if it is worth as much as its row's match, but for the price of the matched column
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
    """The problem of these entries; one with a lone side stands for cells that are alike, of which two tell all."""
    rows, n_rows = _number(cells.true.of[places], len(cells.true.size))
    columns, n_columns = _number(cells.pred.of[places], len(cells.pred.size))
    points = cells.n[places].astype(np.int64)
    return Problem(rows, columns, points, np.arange(len(places)) < n_matched, n_rows, n_columns)


def _number(lines: NDArray[np.int64], n: int) -> tuple[NDArray[np.int64], int]:
    lone = np.flatnonzero(lines == n)
    lines[lone] = n + np.arange(len(lone))
    return lines, n + len(lone)


def matched_entries(cells: Cells, matching: Any) -> NDArray[np.bool_]:
    """Which entries are matched by this matching, those apart that are alone on both sides."""
    n_rows, n_columns = len(cells.true.size), len(cells.pred.size)
    lone_row, lone_column = matching.rows == LONE, matching.columns == LONE
    column_of = np.full(n_rows + 1, -1, np.int64)  # no cell of a row without a match, nor of rows of their own
    column_of[matching.rows[~lone_row]] = np.where(lone_column, n_columns, matching.columns)[~lone_row]
    matched: NDArray[np.bool_] = column_of[cells.true.of] == cells.pred.of
    if lone_row.any():
        row_alone = np.zeros(n_columns + 1, np.bool_)
        row_alone[matching.columns[lone_row & ~lone_column]] = True
        matched |= cells.true.alone & row_alone[cells.pred.of]
    return matched


def find_prices(problem: Problem) -> Prices:
    """The least prices of columns. A row's price is what its match is worth less the price of the matched column.

    So a column must cost at least what a row would gain by it; raising prices ends, because the matching is best.
    Whatever has no match costs nothing.
    """
    rows, columns, points, matched, n_rows, n_columns = problem
    partner = np.full(n_rows, n_columns, np.int64)  # a column of no price, for rows without a match
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
    """The places of the matched cells that are in every best matching.

    Best matchings consist of cells that are worth just the prices, and match every line of a price above 0. Another one
    differs from ours by cycles and paths that go to and fro between cells of both: all of them cycles of a graph with
    one node more, where paths begin and end.
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
