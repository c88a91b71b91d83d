"""The scores of a prediction after edits: the same numbers that evaluating the mended labels gives."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from clustermark import _kernel
from clustermark._kernel import LONE
from clustermark.labels.names import Names
from clustermark.registry.array_scores import function_fields
from clustermark.statistics.pairs import ChancePairs, PairCounts
from clustermark.tables.cells import CellTable

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from clustermark.diagnosis.repairs.edits import Ledger
    from clustermark.registry import Index
    from clustermark.tables.contingency import Contingency

_PAIRS = frozenset(PairCounts._fields)


def reads_pairs(index: Index[...]) -> bool:
    """Whether four counts of pairs are all that an index needs."""
    return index.statistic in (PairCounts, ChancePairs) and function_fields(index) <= _PAIRS


class PairScores:
    """The scores of indices of pairs, from the pairs of a table and how many of them edits mend."""

    def __init__(self, table: Contingency) -> None:
        self.pairs = PairCounts.of(table)
        self.weighted = table.weights is not None

    @property
    def wrong(self) -> Any:
        """Pairs that belong together and are apart, and those that are together and belong apart."""
        return self.pairs.yn + self.pairs.ny

    def after(self, gained: Any, removed: Any) -> SimpleNamespace:
        """The pairs after edits that bring so many true pairs together and part so many false ones."""
        yy, yn, ny, nn = self.pairs
        return SimpleNamespace(yy=yy + gained, yn=yn - gained, ny=ny - removed, nn=nn + removed, weighted=self.weighted)

    def score(self, index: Index[...], gained: Any, removed: Any) -> float:
        """The score of an index after such edits."""
        pairs = self.after(gained, removed)
        try:
            return float(index.uses[0].function(pairs, **index.options))
        except ZeroDivisionError:
            return index.undefined_score(identical=lambda: pairs.yn == 0 and pairs.ny == 0)

    def rate(self, index: Index[...]) -> Callable[[NDArray[Any], NDArray[Any], Any, Any], NDArray[np.float64]]:
        """How good edits are by an index, for many at once."""

        def rate(gained: NDArray[Any], removed: NDArray[Any], gained_so_far: Any, removed_so_far: Any) -> Any:
            # an old count may be larger than all false pairs that are left, beyond which an index need not grow
            parted = np.minimum(removed_so_far + removed.astype(np.float64), float(self.pairs.ny))
            pairs = self.after(gained_so_far + gained.astype(np.float64), parted)
            scores = index.score_arrays(pairs)
            return np.where(np.isnan(scores), np.inf, scores)  # 0 / 0: nothing is wrong any more

        return rate


def mend_table(table: CellTable, ledger: Ledger, edits: int, names: Names | None = None) -> CellTable:
    """The table of the truth and the prediction after so many edits; clusters are numbers unless names are given."""
    bits = ledger.bits
    clusters, _ = ledger.clusters_after(edits)
    _, columns = np.unique(clusters, return_inverse=True)
    n_columns = int(columns.max(initial=-1)) + 1
    cells = table.kernel_cells
    both = np.flatnonzero((cells.rows == LONE) & (cells.columns == LONE))
    rows = np.where(bits.rows < cells.n_rows, bits.rows, LONE).astype(np.int32)
    rows = np.append(rows, np.full(len(both), LONE, np.int32))
    places = np.append(columns, np.full(len(both), LONE)).astype(np.int32)
    weights = pairs = None
    if bits.pairs is not None and cells.weights is not None:
        weights, pairs = np.append(bits.n, cells.weights[both]), np.append(bits.pairs, np.zeros(len(both)))
    counts = np.append(bits.counts, cells.counts[both])
    made = _kernel.Cells(rows, places, counts, weights, pairs, cells.n_rows, n_columns)
    names = Names(None, np.arange(n_columns)) if names is None else names
    return CellTable(made, table.true_names, names, table.account)
