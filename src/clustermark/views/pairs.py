"""Counts of pairs, and the sums of squares they come from."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from clustermark import _kernel
from clustermark.errors import InputError
from clustermark.views.view import Takes, once

if TYPE_CHECKING:
    from clustermark.contingency import Contingency


class PairCounts(NamedTuple):
    """The pairs of distinct points: exact integers, or sums of weights where the table has weights.

    >>> from clustermark import crosstab
    >>> PairCounts.of(crosstab([0, 0, 1, 1, 2, 2], [0, 0, 1, 1, 1, 2]))
    PairCounts(yy=2, yn=1, ny=2, nn=10)
    """

    yy: float
    """Together in both."""
    yn: float
    """Together in truth only."""
    ny: float
    """Together in prediction only."""
    nn: float
    """Apart in both."""

    @classmethod
    def takes(cls) -> Takes:
        """Weights."""
        return Takes(weights="a pair weighs the product of the weights of its two points")

    @classmethod
    def of(cls, table: Contingency) -> PairCounts:
        """The pair counts of a table."""
        return once(table, cls, _count_pairs)

    @classmethod
    def exact(cls, table: Contingency) -> PairCounts:
        """The pair counts as fractions, for exact arithmetic."""
        from fractions import Fraction

        return cls(*(Fraction(count) for count in cls.of(table)))  # type: ignore[arg-type]


def _count_pairs(table: Contingency) -> PairCounts:
    if table.one_sided:
        raise InputError("pairs with items of one side only are not counted; use unmatched='drop' or 'singletons'")
    if table.weights is not None:
        return PairCounts(*_kernel.pair_weights(table._tabulation.cells))
    n, cells, true, pred = table._tabulation.cells.squares()
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
        """Ordinary points only."""
        return Takes()

    @classmethod
    def of(cls, table: Contingency) -> SquareSums:
        """The sums of a table."""
        return cls(*table.squares)

    @classmethod
    def exact(cls, table: Contingency) -> SquareSums:
        """The sums as fractions."""
        from fractions import Fraction

        return cls(*(Fraction(total) for total in table.squares))  # type: ignore[arg-type]
