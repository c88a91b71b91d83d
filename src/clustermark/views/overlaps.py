"""Clusters beside their best counterparts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from clustermark import _kernel
from clustermark.errors import InputError
from clustermark.views.view import SCALE, Takes, once

if TYPE_CHECKING:
    from fractions import Fraction

    import numpy as np
    from numpy.typing import NDArray

    from clustermark.contingency import Contingency


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
        return Takes(weights="a cluster's size and an overlap are sums of weights", unscored=True)

    @classmethod
    def of(cls, table: Contingency) -> BestMatches:
        """The best matches of a table."""
        return once(table, cls, lambda table: cls(overlaps_of(table)))

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
