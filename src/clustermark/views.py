"""Statistics: what an index reads of a table. Each is made by `of(table)`, once a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar, cast

from clustermark import _kernel
from clustermark.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable
    from fractions import Fraction
    from typing import Self

    import numpy as np
    from numpy.typing import NDArray

    from clustermark.contingency import Contingency

T = TypeVar("T")

SCALE = 1 << 56
"""The kernel adds up values between 0 and 1 as integers, in units of 2**-56, so that no order of sums matters."""


class Takes(NamedTuple):
    """What a statistic can take beside ordinary points."""

    weights: str | None
    """What real weights do to it; None where they have no meaning."""
    unscored: bool
    """Whether noise with the policy "unscored" has a meaning."""


class View(Protocol):
    """What every statistic offers."""

    @classmethod
    def takes(cls) -> Takes:
        """What it can take beside ordinary points."""
        ...

    @classmethod
    def of(cls, table: Contingency) -> Self:
        """The statistic of a table."""
        ...

    @classmethod
    def exact(cls, table: Contingency) -> Self:
        """The same in `Fraction`s."""
        ...


def _once(table: Contingency, view: type[T], make: Callable[[Contingency], T]) -> T:
    """The view of this kind that the table already has, or a new one."""
    views = table._views
    if view not in views:
        views[view] = make(table)
    return cast("T", views[view])


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
        """Weights; no unscored noise."""
        return Takes("a pair weighs the product of the weights of its two points", unscored=False)

    @classmethod
    def of(cls, table: Contingency) -> PairCounts:
        """The pair counts of a table."""
        return _once(table, cls, _count_pairs)

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


class BestMatches:
    """For each scored predicted cluster its best true cluster, and the means weighted by cluster size."""

    __slots__ = ("concentration", "jaccard", "mean_concentration", "mean_jaccard", "mean_score", "size")

    size: NDArray[Any]
    """Size of each labelled predicted cluster."""
    jaccard: NDArray[np.float64]
    """Largest Jaccard index with any true cluster."""
    concentration: NDArray[np.float64]
    """How concentrated its overlaps are on few true clusters."""
    mean_jaccard: float
    mean_concentration: float
    mean_score: float
    """Mean of the square root of Jaccard times concentration."""

    def __init__(self, overlaps: _kernel.Overlaps) -> None:
        scored = overlaps.n_scored
        if not scored:
            raise InputError("y_pred: every point is noise with the policy 'unscored', so no cluster is left to score")
        self.size, self.jaccard, self.concentration = overlaps.sizes, overlaps.max_jaccard, overlaps.concentration
        unit = scored * SCALE if isinstance(scored, int) else scored
        self.mean_jaccard, self.mean_concentration, self.mean_score = (total / unit for total in overlaps.totals)

    @classmethod
    def takes(cls) -> Takes:
        """Weights and unscored noise."""
        return Takes("a cluster's size and an overlap are sums of weights", unscored=True)

    @classmethod
    def of(cls, table: Contingency) -> BestMatches:
        """The best matches of a table."""
        return _once(table, cls, lambda table: cls(overlaps_of(table)))

    @classmethod
    def exact(cls, table: Contingency) -> BestMatches:
        """The best matches with `mean_jaccard` as a fraction; concentrations are roots, and stay doubles."""
        from fractions import Fraction

        overlaps = overlaps_of(table)
        view = cls(overlaps)
        unscored = table._tabulation.unscored
        scored = range(len(overlaps.sizes)) if unscored is None else (~unscored).nonzero()[0].tolist()
        sizes, shared, unions = (a.tolist() for a in (overlaps.sizes, overlaps.intersections, overlaps.unions))
        total = sum((Fraction(sizes[j] * shared[j], unions[j]) for j in scored), _lone_jaccard(table))
        view.mean_jaccard = total / cast("int", overlaps.n_scored)  # type: ignore[assignment]
        return view


def _lone_jaccard(table: Contingency) -> Fraction:
    """The sum of Jaccard indices over points with a predicted cluster of their own: 1 / size of their true cluster."""
    from fractions import Fraction

    rows, columns, counts = table.cells
    sizes = [*_kernel.margins(table._tabulation.cells)[0].tolist(), 1]  # LONE indexes the last place
    lone = columns == _kernel.LONE
    cells = zip(rows[lone].tolist(), counts[lone].tolist(), strict=True)
    return sum((Fraction(count, sizes[row]) for row, count in cells), Fraction(0))


def overlaps_of(table: Contingency, ranks: NDArray[np.int32] | None = None) -> _kernel.Overlaps:
    """Each predicted cluster's best true cluster; `ranks` decides between equals."""
    if table.one_sided:
        raise InputError("best matches with items of one side only are not defined; use unmatched='drop'")
    return _kernel.overlaps(table._tabulation.cells, ranks, table._tabulation.unscored)
