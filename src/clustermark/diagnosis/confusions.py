"""The pairs of true clusters that the prediction confuses most: it joins their points although they are apart."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from clustermark import _kernel
from clustermark.diagnosis.cluster_table import how_many
from clustermark.errors import UnsupportedTableError
from clustermark.results.data import Column
from clustermark.results.document import Cell, Grid, Head, Name
from clustermark.results.rows import Rows
from clustermark.results.values import count_text, short_label
from clustermark.tables.clusters import counts_of, ranks_of
from clustermark.tables.parts import Changed
from clustermark.tables.sums import exact_sum

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from clustermark.results.data import Columns
    from clustermark.tables.cells import CellTable
    from clustermark.tables.contingency import Contingency

_MOST_MEETINGS = 5
_SMALL = 1 << 31
"""Below this size, the product of two sizes fits a computer word."""


class Meeting(NamedTuple):
    """A predicted cluster that contains points of both true clusters."""

    cluster: Any
    first: float
    """Its points of the first true cluster."""
    second: float
    pairs: float
    """Their product: the false pairs of the two clusters in this one."""


class Confusion(NamedTuple):
    """Two true clusters with points together in predicted clusters. Points count by weight if there are weights."""

    first: Any
    second: Any
    first_size: float
    second_size: float
    false_pairs: float
    """Pairs of a point of the first and one of the second that are together in the prediction."""
    share: float
    """Share of all pairs that are together in the prediction and apart in truth."""
    clusters: int
    """Number of predicted clusters that contain points of both."""
    where: tuple[Meeting, ...]
    """The largest of these meetings, at most five."""


MEETING: Columns = {
    "cluster": Column("label"),
    "first": Column("amount"),
    "second": Column("amount"),
    "pairs": Column("amount"),
}


class Confusions(Rows[Confusion]):
    """The pairs of labelled true clusters with most false pairs, most first, ties in sorted order.

    Points with a true cluster of their own are in none of these pairs, but count in `false_pairs`, the total.

    >>> from clustermark import crosstab
    >>> Confusions.of(crosstab(["a", "a", "b", "b", "c", "c"], [0, 0, 0, 1, 1, 1]))
    2 pairs of true clusters are confused most, of 4 false pairs in all
    true cluster  and  false pairs  share  together in
    a             b              2  50.0%  0 (2 with 1)
    b             c              2  50.0%  1 (1 with 2)
    """

    __slots__ = ("false_pairs",)

    AT_ONCE: ClassVar[int] = 4_000_000
    """Products of cells that are in memory at a time."""
    MOST_PRODUCTS: ClassVar[int] = 4_000_000_000
    """Most products of cells that are added up; a table that needs more is refused."""

    KIND = "confusions"
    TITLE = "Confused true clusters"
    FACTS: ClassVar[Columns] = {"n_false_pairs": Column("amount", doc="false pairs in all")}
    COLUMNS: ClassVar[Columns] = {
        "first": Column("label"),
        "second": Column("label"),
        "first_size": Column("amount"),
        "second_size": Column("amount"),
        "false_pairs": Column("amount"),
        "share": Column("share"),
        "clusters": Column("count"),
        "where": Column("rows", rows=MEETING, doc="the largest meetings"),
    }

    def __init__(self, rows: Sequence[Confusion], false_pairs: float) -> None:
        """Make the list from its rows and the number of all false pairs."""
        super().__init__(rows)
        self.false_pairs = false_pairs

    @classmethod
    def of(cls, table: Contingency, k: int | None = 10) -> Confusions:
        """Return the k most confused pairs of true clusters of a table, without predicted clusters that are "unscored".

        They are exact. Of the true clusters that meet others in a single predicted cluster, the k + 1 largest in it are
        examined; of the rest, those that can have as many false pairs as the k pairs found so far.
        """
        wanted = how_many(k)
        part = table.part(Changed())
        cells = _SharedCells.of(part, set(table.unscored))
        listed = np.flatnonzero(~part.pred_names.among(set(table.unscored)))
        lost = counts_of(part, "pred").lost_pairs(listed)
        in_all = float(lost.sum()) if lost.dtype.kind == "f" else exact_sum(lost)
        return cls(_describe(part, cells, _find(cells, wanted), in_all), in_all)

    def facts(self) -> dict[str, Any]:
        """Return the number of false pairs."""
        return {"n_false_pairs": self.false_pairs}

    def to_dict(self) -> dict[str, list[Any]]:
        """Return the columns, with one row per meeting: the numbers of the pair repeat."""
        names = (*Confusion._fields[:-1], "cluster", "first_points", "second_points", "pairs")
        lines = [(*row[:-1], *meeting) for row in self for meeting in row.where]
        return {name: [line[place] for line in lines] for place, name in enumerate(names)}

    @property
    def headline(self) -> str:
        """The number of listed pairs, as text."""
        one = len(self) == 1
        what = f"{len(self):,} pair{'' if one else 's'} of true clusters {'is' if one else 'are'} confused most"
        count = f"{count_text(self.false_pairs)} false pair{'' if self.false_pairs == 1 else 's'}"
        return f"{what}, of {count} in all" if len(self) else "No two true clusters are confused"

    def grid(self) -> Grid:
        """Return the pairs, and the predicted clusters in which they are together."""
        heads = [
            Head("true cluster", "label"),
            Head("and", "label"),
            Head("false pairs", "amount"),
            Head("share", "share"),
            Head("together in"),
        ]
        rows = [
            [
                Name(row.first, "true"),
                Name(row.second, "true"),
                row.false_pairs,
                Cell(row.share, bar=row.share),
                _where(row),
            ]
            for row in self
        ]
        return Grid(heads, rows, self.TITLE)


def _where(row: Confusion) -> str:
    where = [f"{short_label(one.cluster)} ({count_text(one.first)} with {count_text(one.second)})" for one in row.where]
    left = row.clusters - len(row.where)
    return ", ".join(where) + (f" and {left:,} more" if left else "")


class _SharedCells(NamedTuple):
    """The cells of predicted clusters that share points with several labelled true clusters, by column, then by row."""

    rows: NDArray[np.int64]
    """The rank of each cell's true cluster in sorted order; `columns` are those of the predicted clusters."""
    columns: NDArray[np.int64]
    n: NDArray[Any]

    @classmethod
    def of(cls, table: CellTable, unscored: set[Any]) -> _SharedCells:
        cells = table.kernel_cells
        left_out = table.pred_names.among(unscored)
        kept = np.flatnonzero((cells.rows >= 0) & (cells.columns >= 0))
        kept = kept[~left_out[cells.columns[kept]]] if unscored else kept
        n = cells.counts[kept] if cells.weights is None else cells.weights[kept]
        if cells.weights is None and _kernel.margins(cells)[0].max(initial=0) >= _SMALL:
            n = n.astype(object)
        rows = ranks_of(table.true_names)[cells.rows[kept]].astype(np.int64)
        columns = ranks_of(table.pred_names)[cells.columns[kept]].astype(np.int64)
        order = np.lexsort((rows, columns))
        found = cls(rows[order], columns[order], n[order])
        return found.at(np.bincount(found.columns)[found.columns] > 1) if len(order) else found

    def at(self, kept: NDArray[Any]) -> _SharedCells:
        return _SharedCells(self.rows[kept], self.columns[kept], self.n[kept])

    def partners(self) -> NDArray[np.int64]:
        """Count the cells that follow each cell in its column."""
        return np.searchsorted(self.columns, self.columns, side="right") - np.arange(len(self.columns)) - 1

    def places(self) -> NDArray[np.int64]:
        """Return the place of each cell in its column, the largest first, ties by row."""
        order = np.argsort(-self.n, kind="stable")
        order = order[np.argsort(self.columns[order], kind="stable")]
        places = np.empty(len(order), np.int64)
        places[order] = np.arange(len(order)) - np.searchsorted(self.columns, self.columns[order])
        return places


class _Pairs(NamedTuple):
    """Pairs of rows, in order, and the sums of products of the cells that they share."""

    first: NDArray[np.int64]
    second: NDArray[np.int64]
    products: NDArray[Any]

    def at(self, kept: NDArray[Any]) -> _Pairs:
        return _Pairs(self.first[kept], self.second[kept], self.products[kept])

    def largest(self, k: int | None) -> _Pairs:
        """Return the k pairs with the largest sums, ties by order, still in order of the rows."""
        if k is None or len(self.first) <= k:
            return self
        return self.at(np.sort(np.argsort(-self.products, kind="stable")[:k]))


def _find(cells: _SharedCells, k: int | None) -> _Pairs:
    """Return the k pairs of rows with the largest sums, the largest first."""
    if k is not None and len(cells.rows):
        cells = _leave_out_hopeless(cells, k)
    if (work := exact_sum(cells.partners())) > Confusions.MOST_PRODUCTS:
        raise UnsupportedTableError(
            f"confusions: {work:,} products of cells would have to be added up, and the limit is "
            f"{Confusions.MOST_PRODUCTS:,}; no pairs stand out in so large a mixture. splits() and merges() list errors"
        )
    found = _join(cells, k)
    return found.at(np.argsort(-found.products, kind="stable"))


def _leave_out_hopeless(cells: _SharedCells, k: int) -> _SharedCells:
    """Leave out rows that are in none of the k largest pairs.

    Consider a row with one cell, and k + 1 cells of its column that are larger, or equal and of earlier rows. For any
    pair with that row, k of those rows form a pair with the same partner that is as large and comes before. And no pair
    of a row exceeds the sum over its cells of their products with the largest other cell of the column.
    """
    places = cells.places()
    several = np.bincount(cells.rows)[cells.rows] > 1
    cells = cells.at(several | (places <= k))
    known = np.sort(_join(cells.at(cells.places() <= 2), None).products)
    if len(known) < k or not k:
        return cells
    reached = float(known[-k]) * (1 - 1e-9)  # sums of doubles may be a little smaller than the exact sums
    n, places = cells.n.astype(np.float64), cells.places()
    largest = np.zeros((2, int(cells.columns.max()) + 1))
    for place in (0, 1):
        largest[place, cells.columns[places == place]] = n[places == place]
    across = np.where(places == 0, largest[1, cells.columns], largest[0, cells.columns])
    bounds = np.bincount(cells.rows, n * across)
    return cells.at(bounds[cells.rows] >= reached)


def _join(cells: _SharedCells, k: int | None) -> _Pairs:
    """Return the k pairs of rows with the largest sums of products, in order of the rows; a row is done at once."""
    partners = cells.partners()
    by_row = np.argsort(cells.rows, kind="stable")
    by_row = by_row[partners[by_row] > 0]
    rows, work = cells.rows[by_row], partners[by_row]
    begins = np.flatnonzero(np.diff(rows, prepend=-1))
    turns = (np.cumsum(work) - work)[begins] // Confusions.AT_ONCE
    found = _Pairs(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0, cells.n.dtype))
    for chosen in np.split(by_row, begins[np.flatnonzero(np.diff(turns)) + 1]) if len(by_row) else ():
        more = _multiply(cells, chosen, partners).largest(k)
        found = _Pairs(*map(np.concatenate, zip(found, more, strict=True))).largest(k)
    return found


def _multiply(cells: _SharedCells, chosen: NDArray[np.int64], partners: NDArray[np.int64]) -> _Pairs:
    """Multiply the chosen cells, which are all cells of their rows, with those that follow them in their columns."""
    if cells.n.dtype != object:
        return _multiply_sparse(cells, chosen)
    times = partners[chosen]
    mine = np.repeat(chosen, times)
    theirs = mine + 1 + np.arange(len(mine)) - np.repeat(np.cumsum(times) - times, times)
    products = cells.n[mine] * cells.n[theirs]
    order = np.lexsort((cells.rows[theirs], cells.rows[mine]))
    first, second = cells.rows[mine][order], cells.rows[theirs][order]
    begins = np.flatnonzero(np.append(True, (first[1:] != first[:-1]) | (second[1:] != second[:-1])))
    return _Pairs(first[begins], second[begins], np.add.reduceat(products[order], begins))


def _multiply_sparse(cells: _SharedCells, chosen: NDArray[np.int64]) -> _Pairs:
    """Do the same with SciPy, which has no integers beyond a computer word."""
    from scipy.sparse import coo_array

    rows, columns, n = cells.at(chosen)
    low, shape = int(rows[0]), (int(cells.columns.max()) + 1, int(cells.rows.max()) + 1)
    # rows come in order, and all rows after the first may be partners
    later = cells.at(cells.rows > low)
    mine = coo_array((n, (rows - low, columns)), (int(rows[-1]) - low + 1, shape[0])).tocsr()
    theirs = coo_array((later.n, (later.columns, later.rows)), shape).tocsr()
    found: Any = mine @ theirs
    found.sort_indices()
    pairs = found.tocoo()
    first, second = (numbers.astype(np.int64) for numbers in pairs.coords)
    kept = second > first + low
    return _Pairs(first[kept] + low, second[kept], pairs.data[kept])


def _describe(table: CellTable, cells: _SharedCells, pairs: _Pairs, in_all: float) -> list[Confusion]:
    order, order_pred = table.true_names.sorted_order(), table.pred_names.sorted_order()
    sizes = _kernel.margins(table.kernel_cells)[0]
    wanted = np.isin(cells.rows, np.concatenate([pairs.first, pairs.second]))
    some = cells.at(wanted)
    by_row = np.argsort(some.rows, kind="stable")
    rows = some.rows[by_row]

    def cells_of(row: int) -> _SharedCells:
        return some.at(by_row[np.searchsorted(rows, row) : np.searchsorted(rows, row, side="right")])

    found = []
    for first, second, products in zip(*(array.tolist() for array in pairs), strict=True):
        mine, theirs = cells_of(first), cells_of(second)
        columns, here, there = np.intersect1d(mine.columns, theirs.columns, return_indices=True)
        n, m = mine.n[here], theirs.n[there]
        chosen = np.argsort(-(n * m), kind="stable")[:_MOST_MEETINGS]
        labels = table.pred_names.take(order_pred[columns[chosen]]).to_list()
        counts = zip(n[chosen].tolist(), m[chosen].tolist(), strict=True)
        where = [Meeting(label, one, two, one * two) for label, (one, two) in zip(labels, counts, strict=True)]
        places = order[[first, second]]
        (one, other), (size, other_size) = table.true_names.take(places).to_list(), sizes[places].tolist()
        share = products / in_all if in_all else 0.0
        found.append(Confusion(one, other, size, other_size, products, share, len(columns), tuple(where)))
    return found
