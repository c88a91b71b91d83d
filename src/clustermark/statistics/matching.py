"""One-to-one matchings of clusters: each cluster has at most one counterpart on the other side."""

from __future__ import annotations

from math import fsum
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from clustermark import _kernel
from clustermark._kernel import LONE, Worth
from clustermark.errors import UnsupportedTableError
from clustermark.statistics.differences import cancels, sum_of_quotients
from clustermark.statistics.overlaps import Quotient, f_quotient, sized_entries
from clustermark.statistics.sizes import Sizes
from clustermark.statistics.solvers import find_components, largest_assignment, rank_maximal_counts
from clustermark.statistics.statistic import Takes
from clustermark.tables.sums import CellTally, exact_sum

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Self

    from numpy.typing import NDArray

    from clustermark.statistics.overlaps import SizedEntries
    from clustermark.tables.cells import CellTable
    from clustermark.tables.contingency import Contingency
    from clustermark.tables.sums import SizeRow

_NOBODY = np.zeros(0, np.int32)

FINE = 1 << 50
"""Quotients are matched as whole numbers, in units of 1 / FINE."""

QUOTIENTS: dict[Worth, Quotient | None] = {
    Worth.POINTS: None,
    Worth.F: f_quotient,
    Worth.OF_LARGER: lambda n, a, b: (n, np.maximum(a, b)),
    Worth.JACCARD: lambda n, a, b: (n, a + b - n),
    Worth.OF_TRUE: lambda n, a, _: (n, a),
    Worth.PRODUCT: lambda n, a, b: (n * n, a * b),
    Worth.RANK: None,
}
"""Worth of a match as a quotient; None if it is the number of points. The kernel and engines compute the same."""


class Matching:
    """The one-to-one matching of true and predicted clusters with the largest sum of worths.

    A subclass defines the worth of a match. If several matchings are best, it is one of them; `total` is the same.
    """

    __slots__ = ("_cells", "columns", "k_pred", "k_true", "matches", "n", "n_pred", "n_true", "points", "rows", "total")

    worth: ClassVar[Worth]
    most_cells: ClassVar[int] = 20_000_000
    """Largest number of cells that may remain after all certain matches are made."""

    n: float
    """Number of points that occur on both sides."""
    n_true: float
    """Number of points of the truth, including those that the prediction lacks."""
    n_pred: float
    k_true: int
    k_pred: int
    rows: NDArray[np.int32]
    """The true cluster of each match, LONE for a point that is a singleton on that side only.

    Empty if an engine has made some of the matches."""
    columns: NDArray[np.int32]
    matches: int
    """Number of matched pairs of clusters, including points that are singletons on both sides."""
    points: float
    """Number of points in matched pairs of clusters."""
    total: float
    """Sum of the worth of the matches."""
    _cells: SizedEntries | None
    """The matches; None where they are sums of weights."""

    def __init__(self, table: Contingency) -> None:
        sizes = Sizes.of(table)
        self.n, self.n_true, self.n_pred = sizes.n, sizes.n_true, sizes.n_pred
        self.k_true, self.k_pred = table.n_true_clusters, table.n_pred_clusters
        unsettled = table.matching(self.worth)
        cells = self._match(unsettled.table)
        # rows and columns of a part of a table have no meaning outside it
        self.rows, self.columns = (cells.rows, cells.columns) if unsettled.all_cells else (_NOBODY, _NOBODY)
        alone = _alone_on_both_sides(unsettled.table)
        quotient = QUOTIENTS[self.worth]
        if isinstance(alone, CellTally):
            cells = self._cells = cells.with_tally(alone + unsettled.settled)
            self.matches, self.points = exact_sum(cells.times), exact_sum(cells.n * cells.times)
            self.total = self.points if quotient is None else cells.add_up(quotient)
        else:
            self._cells = None
            self.matches = len(cells.rows) + alone.cells
            self.points = fsum((*cells.n.tolist(), alone.weight))
            # a point that is a singleton on both sides is worth 1 by every quotient
            self.total = self.points if quotient is None else cells.add_up(quotient) + alone.cells

    def _match(self, table: CellTable) -> SizedEntries:
        cells = sized_entries(table, _matched_entries(table, self.worth))
        # of several equal lone clusters only one can be matched to the same cluster
        return cells._replace(times=np.ones_like(cells.times))

    def beyond(self, part: float, whole: float = 1) -> float:
        """Return the total less part / whole, without cancellation; for a worth that is a quotient."""
        other = part / whole
        difference = self.total - other
        cells, quotient = self._cells, QUOTIENTS[self.worth]
        if cells is None or quotient is None or not cancels(difference, other):
            return difference
        parts, wholes = quotient(*(sizes.astype(object) for sizes in (cells.n, cells.a, cells.b)))
        quotients = zip((parts * cells.times).tolist(), wholes.tolist(), strict=True)
        return float(sum_of_quotients([*quotients, (-int(part), int(whole))]))

    @property
    def unmatched_true(self) -> int:
        """Number of true clusters without a match."""
        return self.k_true - self.matches

    @property
    def unmatched_pred(self) -> int:
        """Number of predicted clusters without a match."""
        return self.k_pred - self.matches

    @property
    def unmatched_points(self) -> float:
        """Number of points of both sides that are not in a matched pair of clusters."""
        return self.n - self.points

    @classmethod
    def takes(cls) -> Takes:
        """Accept weights."""
        return Takes(weights="a cluster's size and an overlap are sums of weights")

    @classmethod
    def of(cls, table: Contingency) -> Self:
        """Return the matching of a table."""
        return table.once(cls, cls)


class MatchedPoints(Matching):
    """The matching with the most points in matched pairs of clusters."""

    __slots__ = ()
    worth = Worth.POINTS


class MatchedEntities(Matching):
    """The matching with the largest sum of 2 n / (a + b)."""

    __slots__ = ()
    worth = Worth.F


class MatchedJaccard(Matching):
    """The matching with the largest sum of n / (a + b - n)."""

    __slots__ = ()
    worth = Worth.JACCARD


class MatchedRecall(Matching):
    """The matching with the largest sum of n / a."""

    __slots__ = ()
    worth = Worth.OF_TRUE


class MatchedProducts(Matching):
    """The matching with the largest sum of n² / (a b)."""

    __slots__ = ()
    worth = Worth.PRODUCT


class MatchedSets(Matching):
    """The matching with the largest sum of n / max(a, b), and an expected value of that sum."""

    __slots__ = ("expected", "unexpected")
    worth = Worth.OF_LARGER

    expected: float
    """Sum of min(a, b) / N over clusters paired by rank of size."""
    unexpected: float
    """total - expected without cancellation."""

    def __init__(self, table: Contingency) -> None:
        super().__init__(table)
        paired = _pair_by_size(table)
        self.expected = paired / self.n
        self.unexpected = self.beyond(paired, self.n)


class GreedyMatching(NamedTuple):
    """A matching that takes the largest cell, then the largest outside its row and column, and so on.

    Among equal cells that exclude each other, it takes those that leave larger cells for later: its sequence of sizes
    is the lexicographically largest of all such sequences.
    """

    n: float
    points: float
    """Number of points in matched pairs of clusters."""

    @classmethod
    def takes(cls) -> Takes:
        """Accept weights."""
        return Takes(weights="an overlap is a sum of weights")

    @classmethod
    def of(cls, table: Contingency) -> GreedyMatching:
        """Return the matching of a table."""
        return table.once(cls, _greedy)


class _Alone(NamedTuple):
    """Weighted cells of points that are singletons on both sides; each is a match."""

    cells: int
    weight: float


def _alone_on_both_sides(table: CellTable) -> _Alone | CellTally:
    cells = table.kernel_cells
    alone = (cells.rows == LONE) & (cells.columns == LONE)
    count = exact_sum(cells.counts[alone])
    if cells.weights is not None:
        return _Alone(count, fsum(cells.weights[alone]))
    one = np.ones(1, np.int64)
    return CellTally(one, one, one, np.array([count]))


def _matched_entries(table: CellTable, worth: Worth) -> NDArray[np.int64]:
    """Return the entries of a best matching, except those of singletons on both sides."""
    cells = table.kernel_cells
    shrunk = _kernel.shrink(cells, worth)
    rest = _within_limit(shrunk.rest)
    if not len(rest):
        return shrunk.fixed
    chosen = largest_assignment(*_lines(cells, rest), _whole_numbers(shrunk.rest_weights, worth))
    return np.concatenate([shrunk.fixed, rest[chosen]])


def _within_limit(rest: NDArray[np.int64]) -> NDArray[np.int64]:
    most = Matching.most_cells
    if len(rest) > most:
        raise UnsupportedTableError(
            f"matching clusters one to one: {len(rest):,} cells are left to choose from, and more than {most:,} take "
            "too long; labelings that have this little in common are better compared by pairs or by information"
        )
    return rest


def _lines(cells: _kernel.Cells, entries: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the row and column of each entry; each lone point gets a separate row or column."""
    rows, columns = (side[entries].astype(np.int64) for side in (cells.rows, cells.columns))
    for side, n in ((rows, cells.n_rows), (columns, cells.n_columns)):
        lone = np.flatnonzero(side == LONE)
        side[lone] = n + np.arange(len(lone))
    return rows, columns


def _whole_numbers(worths: NDArray[np.float64], worth: Worth) -> NDArray[np.float64]:
    """Return worths as whole numbers up to 2^50, whose sums and differences are exact in doubles."""
    if QUOTIENTS[worth] is not None:
        return np.rint(worths * FINE)
    if (worths == np.floor(worths)).all() and worths.max() <= FINE:
        return worths
    # weights, or more than 2^50 points in a cell: the largest sets the scale
    return np.floor(np.ldexp(worths, 50 - int(np.frexp(worths.max())[1])))


def _pair_by_size(table: Contingency) -> float:
    """Return Σ min(a, b) over clusters of both sides paired in descending order of size."""
    if table.weights is None:
        return _pair_runs(table.profile.true_sizes, table.profile.pred_sizes)
    cells = table.to_memory().kernel_cells
    sides = []
    for sizes, lone in zip(_kernel.margins(cells), (cells.rows == LONE, cells.columns == LONE), strict=True):
        times = cells.counts[lone]
        alone = np.repeat(cells.weights[lone] / times, times) if cells.weights is not None else times
        sides.append(np.sort(np.append(sizes, alone))[::-1])
    paired = min(map(len, sides))
    return fsum(np.minimum(sides[0][:paired], sides[1][:paired]))


def _pair_runs(true: Sequence[SizeRow], pred: Sequence[SizeRow]) -> int:
    """Return the same from histograms of sizes, a run of equal sizes at a time."""
    mine, theirs = ([(row.size, row.clusters) for row in reversed(rows)] for rows in (true, pred))
    total = i = j = mine_used = theirs_used = 0
    while i < len(mine) and j < len(theirs):
        times = min(mine[i][1] - mine_used, theirs[j][1] - theirs_used)
        total += times * min(mine[i][0], theirs[j][0])
        mine_used, theirs_used = mine_used + times, theirs_used + times
        if mine_used == mine[i][1]:
            i, mine_used = i + 1, 0
        if theirs_used == theirs[j][1]:
            j, theirs_used = j + 1, 0
    return total


def _greedy_counts(rows: NDArray[np.int64], columns: NDArray[np.int64], n: NDArray[Any]) -> list[tuple[float, int]]:
    """Return sizes of cells and the number of cells of each size that a greedy matching takes, largest first."""
    values, ranks = np.unique(n, return_inverse=True)
    counts = rank_maximal_counts(rows, columns, len(values) - 1 - ranks)
    return list(zip(values[::-1].tolist(), counts, strict=True))


def _greedy(table: Contingency) -> GreedyMatching:
    unsettled = table.matching(Worth.RANK)
    settled = unsettled.settled
    return GreedyMatching(Sizes.of(table).n, _greedy_points(unsettled.table) + exact_sum(settled.n * settled.times))


def _greedy_points(table: CellTable) -> float:
    cells = table.kernel_cells
    shrunk = _kernel.shrink(cells, Worth.RANK)
    rest = _within_limit(shrunk.rest)
    fixed = sized_entries(table, shrunk.fixed).n
    alone = _alone_on_both_sides(table)
    if isinstance(alone, CellTally):
        sure: float = exact_sum(fixed) + exact_sum(alone.times)
    else:
        sure = fsum((*fixed.tolist(), alone.weight))
    if not len(rest):
        return sure
    rows, columns = _lines(cells, rest)
    n = sized_entries(table, rest).n
    matched = [
        value * times
        for component in find_components(rows, columns)
        for value, times in _greedy_counts(rows[component], columns[component], n[component])
    ]
    return sure + sum(matched) if cells.weights is None else fsum((*matched, sure))
