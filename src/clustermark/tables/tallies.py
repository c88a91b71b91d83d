"""Cells and clusters that are alike, counted, and the kernel's sums made of such tallies: the same bits.

An engine tells no more of its cells than this; a table in memory asks the kernel for the sums.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from clustermark import _kernel
from clustermark.tables.concentrations import concentrations
from clustermark.tables.sums import dot, exact_sum, scaled_sum

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from clustermark.tables.cell_tally import CellTally


class ClusterTally(NamedTuple):
    """So many clusters of one side have this size, Σn² over their cells, and these best cells."""

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
        """Both, one after the other."""
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
    """Clusters that are a cluster of the other side."""
    ones = np.ones(len(sizes))
    squares = sizes.astype(object) ** 2 if wide else sizes * sizes
    return ClusterTally(sizes, squares, ones, ones, ones, times)


class TalliedJoint(NamedTuple):
    """What `_kernel.joint` tells of the cells."""

    exact: int
    exact_singletons: int
    size_products: int
    shares: int
    of_larger: int
    of_smaller: int
    f: int
    jaccard: int


class TalliedBest(NamedTuple):
    """What `_kernel.best` tells of the clusters of one side."""

    clusters: int
    jaccard: int
    sized_jaccard: int
    f: int
    sized_f: int
    of_larger: int
    weakest_pairs: float | None


class TalliedOverlaps(NamedTuple):
    """What `_kernel.overlaps` tells of all predicted clusters together."""

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
    """Sums over all cells."""
    n, a, b, times = tally
    whole = (n == a) & (n == b)
    x, y, z = (part.astype(np.float64) for part in (n, a, b))
    points = _products(n, times)
    # two sizes together can need 64 bits, and are rounded once
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
    """Σ n a b times; n times is never more than there are points, so only the rest needs Python's integers."""
    n, a, b, times = columns
    points = n * times
    if int(a.max(initial=0)) >= _SMALL or int(b.max(initial=0)) >= _SMALL:
        return int((points.astype(object) * a.astype(object) * b.astype(object)).sum())
    areas = a * b
    return sum(dot(points, (areas >> shift) & 0xFFFFFFF) << shift for shift in (0, 28, 56))


def _products(n: NDArray[np.int64], times: NDArray[np.int64]) -> NDArray[np.int64]:
    """Points of all cells that are alike: never more than there are points, so 64 bits hold them."""
    return n * times


def add_best(tally: ClusterTally) -> TalliedBest:
    """Sums over the clusters of a side of the best of their cells."""
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
    """Smallest share, over clusters of more than one point, of their pairs that stay together."""
    several = tally.size > 1
    if not several.any():
        return None
    sizes, squares = tally.size[several], tally.squares[several]
    if int(sizes.max()) >= _SMALL or squares.dtype.kind == "O":
        sizes, squares = sizes.astype(object), squares.astype(object)
    # both products as doubles, as the kernel divides them
    kept, all_pairs = (squares - sizes).astype(np.float64), (sizes * (sizes - 1)).astype(np.float64)
    return float((kept / all_pairs).min())


def add_overlaps(tally: ClusterTally, clusters: int) -> TalliedOverlaps:
    """Sums over the scored predicted clusters, beside so many true clusters."""
    sizes = tally.size.astype(tally.squares.dtype)
    one_cell = np.asarray(sizes * sizes == tally.squares, np.bool_)
    spread = concentrations(tally.squares, sizes, np.where(one_cell, 1, 2), clusters)
    points = _products(tally.size, tally.times)
    score = np.sqrt(tally.jaccard * spread)
    totals = scaled_sum(tally.jaccard, points), scaled_sum(spread, points), scaled_sum(score, points)
    return TalliedOverlaps(tally.size, tally.jaccard, spread, exact_sum(points), totals)


MOVED_PARTS = 1 << 20
"""What a record moves by is counted in so many parts of 1: whole numbers add up to the same in any order."""


def count_moves(n: NDArray[Any], a: NDArray[Any], b: NDArray[Any], points: NDArray[np.int64]) -> NDArray[np.int64]:
    """How far the points of each cell move: (a + b - 2n) / (a + b - n) each, in whole parts of 1."""
    together = np.asarray(a + b - n, np.float64)
    return np.asarray(np.floor((a + b - 2 * n) / together * MOVED_PARTS).astype(np.int64) * points)
