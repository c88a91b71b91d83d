"""Sums over cells that need the sizes of both clusters, and clusters with their best counterparts."""

from __future__ import annotations

from math import fsum
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, cast

import numpy as np

from clustermark import _kernel
from clustermark._kernel import ABSENT, LONE
from clustermark.errors import InputError
from clustermark.statistics.differences import cancels, torn
from clustermark.statistics.sizes import Sizes
from clustermark.statistics.statistic import SCALE, Takes, unscale
from clustermark.tables.sums import exact_sum

if TYPE_CHECKING:
    from collections.abc import Callable
    from fractions import Fraction

    from numpy.typing import NDArray

    from clustermark.tables.cells import CellTable
    from clustermark.tables.contingency import Contingency
    from clustermark.tables.sums import CellTally, Overlaps


class BestMatches:
    """The best true cluster of each scored predicted cluster, and means over these weighted by cluster size."""

    __slots__ = ("concentration", "jaccard", "mean_concentration", "mean_jaccard", "mean_score", "size")

    size: NDArray[Any]
    """Size of each labelled predicted cluster."""
    jaccard: NDArray[np.float64]
    """Largest Jaccard index with any true cluster."""
    concentration: NDArray[np.float64]
    """Concentration of its points on few true clusters."""
    mean_jaccard: float
    mean_concentration: float
    mean_score: float
    """Mean of the square root of Jaccard times concentration."""

    def __init__(self, overlaps: Overlaps) -> None:
        scored = overlaps.n_scored
        if not scored:
            raise InputError("y_pred: every point is noise with the policy 'unscored', so no cluster is left to score")
        self.size, self.jaccard, self.concentration = overlaps.sizes, overlaps.max_jaccard, overlaps.concentration
        unit = scored * SCALE if isinstance(scored, int) else scored
        self.mean_jaccard, self.mean_concentration, self.mean_score = (total / unit for total in overlaps.totals)

    @classmethod
    def takes(cls) -> Takes:
        """Accept weights and unscored noise."""
        return Takes(weights="a cluster's size and an overlap are sums of weights", unscored=True)

    @classmethod
    def of(cls, table: Contingency) -> BestMatches:
        """Return the best matches of a table."""
        return table.once(cls, lambda table: cls(table.overlaps()))

    @classmethod
    def exact(cls, table: Contingency) -> BestMatches:
        """Return the best matches with `mean_jaccard` as a fraction; concentrations are irrational and stay doubles."""
        from fractions import Fraction

        memory = table.to_memory()
        overlaps, unscored = memory.overlaps(), memory.unscored_columns
        view = cls(overlaps)
        scored = range(len(overlaps.sizes)) if unscored is None else (~unscored).nonzero()[0].tolist()
        sizes, shared, unions = (a.tolist() for a in (overlaps.sizes, overlaps.intersections, overlaps.unions))
        total = sum((Fraction(sizes[j] * shared[j], unions[j]) for j in scored), _lone_jaccard(memory))
        view.mean_jaccard = total / cast("int", overlaps.n_scored)  # type: ignore[assignment]
        return view


def _lone_jaccard(table: CellTable) -> Fraction:
    """Return the sum of Jaccard indices of predicted singletons: 1 / size of the true cluster of each."""
    from fractions import Fraction

    rows, columns, counts = table.cells
    sizes = [*_kernel.margins(table.kernel_cells)[0].tolist(), 1]  # LONE indexes the last place
    lone = columns == _kernel.LONE
    cells = zip(rows[lone].tolist(), counts[lone].tolist(), strict=True)
    return sum((Fraction(count, sizes[row]) for row, count in cells), Fraction(0))


_SUMS_OF_WEIGHTS = "a cluster's size and an overlap are sums of weights"


class JointSums(NamedTuple):
    """Sums over all cells that need the sizes a and b of both clusters of a cell."""

    n: float
    """Number of points that occur on both sides."""
    k_true: int
    k_pred: int
    exact_clusters: int
    """Number of cells that are a whole cluster on both sides."""
    exact_singletons: int
    """Number of cells of one point that are a whole cluster on both sides."""
    size_products: float
    """Sum of n * a * b."""
    shares: float
    """Sum of n² / (a * b)."""
    of_larger: float
    """Sum of n² / max(a, b)."""
    of_smaller: float
    """Sum of n² / min(a, b)."""
    torn: float
    """Sum of n (1 - n / min(a, b)), which is n - of_smaller without cancellation."""
    f: float
    """Sum of 2 n² / (a + b)."""
    jaccard: float
    """Sum of n² / (a + b - n)."""

    @classmethod
    def takes(cls) -> Takes:
        """Accept weights."""
        return Takes(weights=_SUMS_OF_WEIGHTS)

    @classmethod
    def of(cls, table: Contingency) -> JointSums:
        """Return the sums of a table."""
        return table.once(cls, _joint_sums)


def _joint_sums(table: Contingency) -> JointSums:
    joint, n = table.joint(), Sizes.of(table).n
    k_true, k_pred = table.n_true_clusters, table.n_pred_clusters
    of_larger, of_smaller = unscale(joint.of_larger), unscale(joint.of_smaller)
    apart = max(0.0, n - of_smaller)
    if table.weights is None and cancels(apart, n):
        apart = torn(table.sized_cells())
    return JointSums(
        n,
        k_true,
        k_pred,
        joint.exact,
        joint.exact_singletons,
        joint.size_products,
        min(unscale(joint.shares), k_true, k_pred),  # the rounding of weights can exceed this bound
        of_larger,
        of_smaller,
        apart,
        unscale(joint.f),
        unscale(joint.jaccard),
    )


class MacroShares(NamedTuple):
    """Sums over cells of (n/a)(n/b) and (n/a)², for means over true clusters."""

    k_true: int
    shares: float
    macro_recall: float

    @classmethod
    def takes(cls) -> Takes:
        """Accept weights."""
        return Takes(weights="a share is a share of weight")

    @classmethod
    def of(cls, table: Contingency) -> MacroShares:
        """Return the sums of a table."""
        joint, sizes = JointSums.of(table), Sizes.of(table)
        return cls(joint.k_true, joint.shares, sizes.macro_recall)


class BestSums(NamedTuple):
    """Sums over the clusters of each side of the largest value of a cluster's cells."""

    n: float
    """Number of points that occur on both sides."""
    n_true: float
    """Number of points of the truth, including those that the prediction lacks."""
    n_pred: float
    k_true: int
    k_pred: int
    true_jaccard: float
    """Sum over true clusters of their largest n / (a + b - n)."""
    true_sized_jaccard: float
    """The same, with each term times the size of its cluster."""
    true_f: float
    """Sum over true clusters of their largest 2 n / (a + b)."""
    true_sized_f: float
    true_of_larger: float
    """Sum over true clusters of their largest n / max(a, b)."""
    pred_jaccard: float
    pred_sized_jaccard: float
    pred_f: float
    pred_sized_f: float
    pred_of_larger: float
    weakest_pairs: float | None
    """Smallest share of a true cluster's pairs that are together in the prediction; None if all are singletons."""
    pred_weakest_pairs: float | None

    @classmethod
    def takes(cls) -> Takes:
        """Accept weights."""
        return Takes(weights=_SUMS_OF_WEIGHTS)

    @classmethod
    def of(cls, table: Contingency) -> BestSums:
        """Return the sums of a table."""
        return table.once(cls, _best_sums)


def _best_sums(table: Contingency) -> BestSums:
    sides = table.best()
    sizes = Sizes.of(table)
    sums = [
        unscale(total)
        for side in sides
        for total in (side.jaccard, side.sized_jaccard, side.f, side.sized_f, side.of_larger)
    ]
    weakest = [side.weakest_pairs for side in sides]
    return BestSums(sizes.n, sizes.n_true, sizes.n_pred, table.n_true_clusters, table.n_pred_clusters, *sums, *weakest)


class SizedEntries(NamedTuple):
    """Entries of a table with the sizes of both clusters. An entry of lone points stands for `times` equal cells."""

    rows: NDArray[np.int32]
    columns: NDArray[np.int32]
    times: NDArray[np.int64]
    n: NDArray[Any]
    """Points (or weight) of one cell."""
    a: NDArray[Any]
    b: NDArray[Any]

    def select(self, keep: NDArray[np.bool_]) -> SizedEntries:
        """Return the entries where `keep` is true."""
        return SizedEntries(*(array[keep] for array in self))  # type: ignore[arg-type]  # arrays of every kind

    def with_tally(self, tally: CellTally) -> SizedEntries:
        """Return these entries and the cells of a tally, which have no row and column."""
        nowhere = np.full(len(tally.n), LONE, np.int32)
        more: tuple[Any, ...] = (nowhere, nowhere, tally.times, tally.n, tally.a, tally.b)
        mine: tuple[Any, ...] = self
        arrays: list[Any] = [np.concatenate(both) for both in zip(mine, more, strict=True)]
        return SizedEntries(*arrays)

    def add_up(self, quotient: Quotient) -> float:
        """Return the sum over all cells of a quotient of n, a and b."""
        n, a, b = self.n, self.a, self.b
        if int(max(a.max(initial=0), b.max(initial=0))) >= _SMALL:
            n, a, b = (sizes.astype(np.float64) for sizes in (n, a, b))
        return _sum_of_quotients(*quotient(n, a, b), self.times)


Quotient: TypeAlias = "Callable[[NDArray[Any], NDArray[Any], NDArray[Any]], tuple[NDArray[Any], NDArray[Any]]]"
"""A function of n, a and b of cells that returns the numerators and denominators of quotients."""


def f_quotient(n: NDArray[Any], a: NDArray[Any], b: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the numerators and denominators of 2 n / (a + b)."""
    return 2 * n, a + b


def sized_entries(table: CellTable, chosen: NDArray[Any] | None = None) -> SizedEntries:
    """Return the chosen entries, which must be cells; by default all cells."""
    cells = table.kernel_cells
    if chosen is None:
        chosen = np.flatnonzero((cells.rows != ABSENT) & (cells.columns != ABSENT))
    rows, columns, counts = cells.rows[chosen], cells.columns[chosen], cells.counts[chosen]
    if cells.weights is None and int(rows.min(initial=0)) >= 0 and int(columns.min(initial=0)) >= 0:
        true, pred = _kernel.margins(cells)
        return SizedEntries(rows, columns, np.ones(len(rows), np.int64), counts, true[rows], pred[columns])
    lone_row, lone_column = rows == LONE, columns == LONE
    lone = lone_row | lone_column
    times = np.where(lone, counts, 1)
    n = np.where(lone, 1, counts) if cells.weights is None else cells.weights[chosen] / times
    true, pred = (np.append(sizes, sizes.dtype.type(1)) for sizes in _kernel.margins(cells))
    a, b = np.where(lone_row, n, true[rows]), np.where(lone_column, n, pred[columns])
    return SizedEntries(rows, columns, times, n, a, b)


_SMALL = 1 << 30
"""Up to this size of clusters, sums and products of two sizes fit 64 bits."""


def _sum_of_quotients(parts: NDArray[Any], wholes: NDArray[Any], times: NDArray[np.int64]) -> float:
    """Return Σ times * parts / wholes, where no part exceeds its whole: rounded once, in any order.

    Whole numbers are divided to 90 binary places, so that equal sums of different quotients have the same bits. Weights
    and huge clusters are divided as doubles.
    """
    if parts.dtype.kind == "f":
        return fsum((times * (parts / wholes)).tolist())
    # most cells of a good clustering are whole clusters, which need no division
    divided = parts != wholes
    whole = exact_sum(times) - exact_sum(times[divided])
    parts, wholes, times = parts[divided], wholes[divided], times[divided]
    digits = min(31, 62 - int(wholes.max(initial=1)).bit_length())
    total, places, rest = whole, 0, parts
    while places < 90:
        quotients, rest = np.divmod(rest << digits, wholes)
        total = (total << digits) + _exact_dot(times, quotients)
        places += digits
    return total / (1 << places)


def _exact_dot(times: NDArray[np.int64], quotients: NDArray[np.int64]) -> int:
    """Return Σ times * quotients without overflow, for quotients below 2^31."""
    limbs = ((times >> shift) & 0x7FFFFFFF for shift in (0, 31, 62))
    return sum(exact_sum(limb * quotients) << shift for limb, shift in zip(limbs, (0, 31, 62), strict=True))


class LargestOverlaps(NamedTuple):
    """Pairs of a predicted cluster and a true cluster with which it shares most points; ties are all included."""

    k_true: int
    k_pred: int
    pairs: int
    """Number of these pairs."""
    f: float
    """Sum over these pairs of 2 n / (a + b)."""
    met: int
    """Number of true clusters that are in such a pair."""

    @classmethod
    def takes(cls) -> Takes:
        """Accept weights."""
        return Takes(weights=_SUMS_OF_WEIGHTS)

    @classmethod
    def of(cls, table: Contingency) -> LargestOverlaps:
        """Return the largest overlaps of a table."""
        return table.once(cls, _largest_overlaps)


def _largest_overlaps(table: Contingency) -> LargestOverlaps:
    unsettled = table.matching(_kernel.Worth.RANK)
    entries, met = _largest_entries(unsettled.table)
    entries = entries.with_tally(unsettled.settled)  # a whole cluster on both sides is the largest overlap of both
    met += exact_sum(unsettled.settled.times)
    pairs = exact_sum(entries.times)
    return LargestOverlaps(table.n_true_clusters, table.n_pred_clusters, pairs, entries.add_up(f_quotient), met)


def _largest_entries(table: CellTable) -> tuple[SizedEntries, int]:
    """Return the cells that are the largest of their column, and the number of their true clusters."""
    entries = sized_entries(table)
    largest = np.zeros(table.kernel_cells.n_columns + 1, entries.n.dtype)
    np.maximum.at(largest, entries.columns, entries.n)
    kept = entries.select((entries.columns == LONE) | (entries.n == largest[entries.columns]))
    seen = np.zeros(table.kernel_cells.n_rows, np.bool_)
    seen[kept.rows[kept.rows != LONE]] = True
    return kept, int(np.count_nonzero(seen)) + exact_sum(kept.times[kept.rows == LONE])
