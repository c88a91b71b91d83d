"""Exact sums over cells and clusters, from which most indices are computed, wherever the data is stored.

The profile is three small tables of exact integers. Cluster sizes add up to the number of points, so a table by size
has at most √(2N) rows. An engine also returns tallies: the numbers of cells or clusters with the same sizes. The sums
computed from them here have the same bits as those that the kernel computes from the cells of a table in memory.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from clustermark import _kernel
from clustermark.errors import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Squares(NamedTuple):
    """The sums that pair counting needs: N, Σ n² over cells, Σ a² over true and Σ b² over predicted clusters."""

    n: int
    cells: int
    true: int
    pred: int


class SizeRow(NamedTuple):
    """All clusters of one size on one side, added up."""

    size: int
    clusters: int
    squares: int
    """Σ n² over the cells of these clusters."""
    largest: int
    """Σ over these clusters of their largest cell."""
    cells: int


class Profile(NamedTuple):
    """The histogram of cell sizes, and the clusters of each side by size; all in ascending order of size."""

    cell_sizes: tuple[tuple[int, int], ...]
    """Pairs of n and the number of cells with n points."""
    true_sizes: tuple[SizeRow, ...]
    pred_sizes: tuple[SizeRow, ...]

    @property
    def n_points(self) -> int:
        """Number of points that occur on both sides."""
        return sum(n * cells for n, cells in self.cell_sizes)

    @property
    def n_cells(self) -> int:
        """Number of non-empty cells."""
        return sum(cells for _, cells in self.cell_sizes)

    @property
    def squares(self) -> Squares:
        """The sums of squares, as exact integers."""
        return Squares(
            self.n_points,
            sum(n * n * cells for n, cells in self.cell_sizes),
            sum(row.size * row.size * row.clusters for row in self.true_sizes),
            sum(row.size * row.size * row.clusters for row in self.pred_sizes),
        )

    def verify(self) -> Profile:
        """Return the profile itself if its checksums agree; points, cells and Σ n² are each counted in three ways.

        Items of one side only make a side larger than the cells, never smaller.
        """
        squares = sum(n * n * cells for n, cells in self.cell_sizes)
        for side, rows in (("true", self.true_sizes), ("predicted", self.pred_sizes)):
            points = sum(row.size * row.clusters for row in rows)
            if points < self.n_points:
                raise InputError(f"profile: the {side} clusters hold {points} points, the cells {self.n_points}")
            if sum(row.cells for row in rows) != self.n_cells:
                raise InputError(f"profile: the {side} clusters do not have {self.n_cells} cells in all")
            if sum(row.squares for row in rows) != squares:
                raise InputError(f"profile: the sum of n² over the {side} clusters is not {squares}")
        return self


def exact_sum(counts: NDArray[np.int64]) -> int:
    """Return the sum as a Python integer; NumPy's own sum wraps around."""
    return (int((counts >> 32).sum()) << 32) + int((counts & 0xFFFFFFFF).sum())


def scaled_sum(shares: NDArray[np.float64], times: NDArray[np.int64]) -> int:
    """Return Σ times * floor(share * 2**84), exactly, for shares from 0 to 1."""
    total = 0
    rest = shares
    for _ in range(3):
        rest = rest * 2.0**28
        digits = np.floor(rest)
        rest = rest - digits
        total = (total << 28) + dot(times, digits.astype(np.int64))
    return total


def exact_dot(times: NDArray[np.int64], digits: NDArray[np.int64]) -> int:
    """Return Σ times * digits, for digits up to 2**53, without wrapping around; times may be negative."""
    return (dot(times, digits >> 28) << 28) + dot(times, digits & 0xFFFFFFF)


def dot(times: NDArray[np.int64], digits: NDArray[np.int64]) -> int:
    """Return Σ times * digits, for digits below 2**28."""
    high, low = times >> 31, times & 0x7FFFFFFF
    return (exact_sum(high * digits) << 31) + exact_sum(low * digits)


class CellTally(NamedTuple):
    """The number of cells (`times`) with n points, in a true cluster of a and a predicted cluster of b points."""

    n: NDArray[np.int64]
    a: NDArray[np.int64]
    b: NDArray[np.int64]
    times: NDArray[np.int64]

    def __add__(self, other: CellTally) -> CellTally:  # type: ignore[override]
        """Return both tallies, concatenated."""
        return CellTally(*(np.concatenate(both) for both in zip(self, other, strict=True)))


NO_CELLS = CellTally(*(np.zeros(0, np.int64) for _ in CellTally._fields))


class ClusterTally(NamedTuple):
    """The number of clusters of one side (`times`) with this size, Σn² over their cells, and best cells."""

    size: NDArray[np.int64]
    squares: NDArray[Any]
    """int64, or Python integers where they may not fit."""
    jaccard: NDArray[np.float64]
    """Largest n / (a + b - n) of the cluster's cells."""
    f: NDArray[np.float64]
    """Largest 2 n / (a + b)."""
    larger: NDArray[np.float64]
    """Largest n / max(a, b)."""
    times: NDArray[np.int64]

    def __add__(self, other: ClusterTally) -> ClusterTally:  # type: ignore[override]
        """Return both tallies, concatenated."""
        columns: list[Any] = [np.concatenate(both) for both in zip(self, other, strict=True)]
        return ClusterTally(*columns)


class Tallies(NamedTuple):
    """The tallies of a table."""

    cells: CellTally
    true: ClusterTally
    pred: ClusterTally
    scored: ClusterTally
    """The predicted clusters without those of unscored noise."""


def whole_clusters(sizes: NDArray[np.int64], times: NDArray[np.int64], *, wide: bool) -> ClusterTally:
    """Return the tally of clusters that are also a cluster of the other side."""
    ones = np.ones(len(sizes))
    squares = sizes.astype(object) ** 2 if wide else sizes * sizes
    return ClusterTally(sizes, squares, ones, ones, ones, times)


class TalliedJoint(NamedTuple):
    """The sums of `_kernel.joint`, computed from tallies."""

    exact: int
    exact_singletons: int
    size_products: int
    shares: int
    of_larger: int
    of_smaller: int
    f: int
    jaccard: int


class TalliedBest(NamedTuple):
    """The sums of `_kernel.best` for one side, computed from tallies."""

    clusters: int
    jaccard: int
    sized_jaccard: int
    f: int
    sized_f: int
    of_larger: int
    weakest_pairs: float | None


class TalliedOverlaps(NamedTuple):
    """The sums of `_kernel.overlaps` over all predicted clusters, computed from tallies."""

    sizes: NDArray[np.int64]
    max_jaccard: NDArray[np.float64]
    concentration: NDArray[np.float64]
    n_scored: int
    totals: tuple[int, int, int]


Joint: TypeAlias = _kernel.Joint | TalliedJoint
Best: TypeAlias = _kernel.Best | TalliedBest
Overlaps: TypeAlias = _kernel.Overlaps | TalliedOverlaps

_SMALL = 1 << 31
"""Below this size, the square of a size fits a computer word."""


def add_cells(tally: CellTally) -> TalliedJoint:
    """Return sums over all cells."""
    n, a, b, times = tally
    whole = (n == a) & (n == b)
    x, y, z = (part.astype(np.float64) for part in (n, a, b))
    points = _products(n, times)
    # the sum of two sizes can need 64 bits, and is rounded once
    u, together = n.astype(np.uint64), a.astype(np.uint64) + b.astype(np.uint64)
    f = (2 * u).astype(np.float64) / together.astype(np.float64)
    jaccard = x / (together - u).astype(np.float64)
    return TalliedJoint(
        exact_sum(times[whole]),
        exact_sum(times[whole & (n == 1)]),
        _sum_of_products(n, a, b, times),
        scaled_sum((x / y) * (x / z), times),
        scaled_sum(x / np.maximum(y, z), points),
        scaled_sum(x / np.minimum(y, z), points),
        scaled_sum(f, points),
        scaled_sum(jaccard, points),
    )


def _sum_of_products(*columns: NDArray[np.int64]) -> int:
    """Return Σ n a b times; n times never exceeds the number of points, so only the rest may need Python integers."""
    n, a, b, times = columns
    points = n * times
    if int(a.max(initial=0)) >= _SMALL or int(b.max(initial=0)) >= _SMALL:
        return int((points.astype(object) * a.astype(object) * b.astype(object)).sum())
    areas = a * b
    return sum(dot(points, (areas >> shift) & 0xFFFFFFF) << shift for shift in (0, 28, 56))


def _products(n: NDArray[np.int64], times: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the points of each entry: never more than those of the table, so they fit 64 bits."""
    return n * times


def add_best(tally: ClusterTally) -> TalliedBest:
    """Return sums over the clusters of a side of the best of their cells."""
    points = _products(tally.size, tally.times)
    return TalliedBest(
        exact_sum(tally.times),
        scaled_sum(tally.jaccard, tally.times),
        scaled_sum(tally.jaccard, points),
        scaled_sum(tally.f, tally.times),
        scaled_sum(tally.f, points),
        scaled_sum(tally.larger, tally.times),
        _weakest(tally),
    )


def _weakest(tally: ClusterTally) -> float | None:
    """Return the smallest share of its pairs that a cluster of several points keeps together."""
    several = tally.size > 1
    if not several.any():
        return None
    sizes, squares = tally.size[several], tally.squares[several]
    if int(sizes.max()) >= _SMALL or squares.dtype.kind == "O":
        sizes, squares = sizes.astype(object), squares.astype(object)
    # both products as doubles, as in the division of the kernel
    kept, all_pairs = (squares - sizes).astype(np.float64), (sizes * (sizes - 1)).astype(np.float64)
    return float((kept / all_pairs).min())


def add_overlaps(tally: ClusterTally, clusters: int) -> TalliedOverlaps:
    """Return sums over the scored predicted clusters; `clusters` is the number of true clusters."""
    sizes = tally.size.astype(tally.squares.dtype)
    one_cell = np.asarray(sizes * sizes == tally.squares, np.bool_)
    spread = concentrations(tally.squares, sizes, np.where(one_cell, 1, 2), clusters)
    points = _products(tally.size, tally.times)
    score = np.sqrt(tally.jaccard * spread)
    totals = scaled_sum(tally.jaccard, points), scaled_sum(spread, points), scaled_sum(score, points)
    return TalliedOverlaps(tally.size, tally.jaccard, spread, exact_sum(points), totals)


MOVED_PARTS = 1 << 20
"""The moves of records are counted in parts of 1/MOVED_PARTS: integers have the same sum in any order."""


def count_moves(n: NDArray[Any], a: NDArray[Any], b: NDArray[Any], points: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return how far the points of each cell move, (a + b - 2n) / (a + b - n) each, in parts of 1/MOVED_PARTS."""
    together = np.asarray(a + b - n, np.float64)
    return np.asarray(np.floor((a + b - 2 * n) / together * MOVED_PARTS).astype(np.int64) * points)


def concentrations(
    squares: NDArray[Any], sizes: NDArray[Any], counterparts: NDArray[np.int64], n_others: int
) -> NDArray[np.float64]:
    """Return the concentration of the overlaps of each cluster, with the bits of the kernel.

    With the exact integer D = R·Σn² - b², (r - u) / (1 - u) for r = √(Σn²) / b and u = √(1 / R) is
    D / (R·b²) / (r + u) / (1 - u), where nothing cancels.
    """
    scores = np.where(counterparts > 0, 1.0, 0.0)
    several = np.flatnonzero((counterparts > 1) & (n_others > 1))
    if not len(several):
        return scores
    squares, sizes = squares[several], sizes[several]
    excess = _excess(squares, sizes, n_others)
    b, R = sizes.astype(np.float64), float(n_others)
    u = np.sqrt(1.0 / R)
    r = np.sqrt(squares.astype(np.float64)) / b
    x = excess / b / b / R / (r + u) / (1.0 - u)
    scores[several] = np.minimum(1.0, np.sqrt(np.maximum(0.0, x)))
    return scores


def _excess(squares: NDArray[Any], sizes: NDArray[Any], n_others: int) -> NDArray[np.float64]:
    """Return R·Σn² - b², in Python integers where 64 bits could not hold it."""
    if squares.dtype.kind == "f":
        return np.asarray(n_others * squares - sizes * sizes)
    excess = np.empty(len(squares))
    large = squares >= (1 << 62) // n_others
    for which, kind in ((~large, np.int64), (large, object)):
        q, b = squares[which].astype(kind), sizes[which].astype(kind)
        excess[which] = n_others * q - b * b
    return excess
