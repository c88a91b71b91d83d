"""Counts of pairs, and the sums of squares from which they follow."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from clustermark import _kernel
from clustermark.errors import InputError, Mention
from clustermark.statistics.chance import pair_variance
from clustermark.statistics.statistic import Takes

if TYPE_CHECKING:
    from fractions import Fraction

    from clustermark.tables.contingency import Contingency


class PairCounts(NamedTuple):
    """The pairs of distinct points: exact integers, or sums of weights where the table has weights.

    >>> from clustermark import crosstab
    >>> PairCounts.of(crosstab([0, 0, 1, 1, 2, 2], [0, 0, 1, 1, 1, 2]))
    PairCounts(yy=2, yn=1, ny=2, nn=10)
    """

    yy: float
    """Number of pairs together in both."""
    yn: float
    """Number of pairs together in truth only."""
    ny: float
    """Number of pairs together in prediction only."""
    nn: float
    """Number of pairs apart in both."""

    @classmethod
    def takes(cls) -> Takes:
        """Accept weights."""
        return Takes(weights="a pair weighs the product of the weights of its two points")

    @classmethod
    def of(cls, table: Contingency) -> PairCounts:
        """Return the pair counts of a table."""
        return table.once(cls, _count_pairs)


def _count_pairs(table: Contingency) -> PairCounts:
    if not table.plain:  # one test instead of two: this is the path of most index calls
        if table.one_sided:
            raise InputError(
                "pairs are not counted with unmatched items; choose ", Mention("unmatched", "drop", "singletons")
            )
        if table.weights is not None:
            return PairCounts(*_kernel.pair_weights(table.to_memory().kernel_cells))
    n, cells, true, pred = table.squares
    yy = (cells - n) // 2
    yn = (true - cells) // 2
    ny = (pred - cells) // 2
    return PairCounts(yy, yn, ny, n * (n - 1) // 2 - yy - yn - ny)


class SquareSums(NamedTuple):
    """The number of points, and the sums of squared sizes of cells, true clusters and predicted clusters."""

    n: float
    cells: float
    true: float
    pred: float

    @classmethod
    def takes(cls) -> Takes:
        """Accept ordinary points only."""
        return Takes()

    @classmethod
    def of(cls, table: Contingency) -> SquareSums:
        """Return the sums of a table."""
        return cls(*table.squares)


class ChancePairs:
    """The pair counts, and the numbers that random models need, each of which is computed when it is read."""

    __slots__ = ("_table", "nn", "ny", "yn", "yy")

    def __init__(self, pairs: PairCounts, table: Contingency) -> None:
        self.yy, self.yn, self.ny, self.nn = pairs
        self._table = table

    @classmethod
    def takes(cls) -> Takes:
        """Accept weights, where an index declares them."""
        return PairCounts.takes()

    @classmethod
    def of(cls, table: Contingency) -> ChancePairs:
        """Return the pair counts of a table."""
        return cls(PairCounts.of(table), table)

    @property
    def weighted(self) -> bool:
        """Whether the pairs carry real weights."""
        return self._table.weights is not None

    @property
    def n(self) -> int:
        """Number of points."""
        return self._table.n_used

    @property
    def k_true(self) -> int:
        """Number of true clusters."""
        return self._table.n_true_clusters

    @property
    def k_pred(self) -> int:
        """Number of predicted clusters."""
        return self._table.n_pred_clusters

    @property
    def disjoint(self) -> int:
        """Number of choices of two pairs without a common point, one together in truth, the other in prediction."""
        n, cells, true, pred = self._table.squares
        sharing_a_point = 2 * n + int(self._table.joint().size_products) - cells - true - pred
        return (true - n) // 2 * ((pred - n) // 2) - (cells - n) // 2 - sharing_a_point

    @property
    def variance(self) -> Fraction:
        """Variance of yy over all permutations of one of the labelings."""
        return pair_variance(self.n, *self._moments())

    @property
    def own_variances(self) -> tuple[Fraction, Fraction]:
        """The same variance for the truth with itself, and for the prediction with itself."""
        true, pred = self._moments()
        return pair_variance(self.n, true, true), pair_variance(self.n, pred, pred)

    def _moments(self) -> tuple[tuple[int, int], tuple[int, int]]:
        profile = self._table.profile
        true, pred = (
            (
                sum(row.size**2 * row.clusters for row in rows),
                sum(row.size**3 * row.clusters for row in rows),
            )
            for rows in (profile.true_sizes, profile.pred_sizes)
        )
        return true, pred
