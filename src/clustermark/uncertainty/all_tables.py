"""All tables with the cluster sizes of a table, with their probabilities under permutation, for exact tests."""

from __future__ import annotations

from math import ceil, floor, log, sqrt
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clustermark.statistics.units import size_log_size

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from clustermark.tables.contingency import Contingency

MOST_TABLES = 100_000
"""Up to this number of tables, all are enumerated; it takes about a tenth of a second."""
MOST_OF_TWO = 200_000
"""The same for tables of two clusters on both sides, each of which is one number."""
_MOST_CLUSTERS = 40


class AllTables(NamedTuple):
    """The tables with the same cluster sizes."""

    cells: NDArray[np.int64]
    """The cells of each table, one row for each table."""
    shares: NDArray[np.float64]
    """The share of the permutations that give each table."""
    shape: tuple[int, int]

    @property
    def pairs(self) -> NDArray[np.int64]:
        """Number of pairs together in both labelings, for each table."""
        return np.asarray((self.cells * (self.cells - 1) // 2).sum(axis=1))

    def information(self, entropies: Any) -> NDArray[np.float64]:
        """Return the mutual information of each table; entropies: those of one of the tables."""
        n = entropies.n
        return np.asarray(entropies.true + entropies.pred - log(n) + size_log_size(self.cells).sum(axis=1) / n)


def is_two_by_two(table: Contingency) -> bool:
    """Return whether there are two clusters on both sides."""
    return table.n_true_clusters == table.n_pred_clusters == 2


def find_all_tables(table: Contingency, most: int = MOST_TABLES) -> AllTables | None:
    """Return all tables with the cluster sizes of this one; None if there are more than `most`.

    Rows are filled one by one and, within a row, cell by cell, in all unfinished tables at once. Every unfinished
    table can be completed, so there are never more of them than tables.
    """
    if table.n_true_clusters > _MOST_CLUSTERS or table.n_pred_clusters > _MOST_CLUSTERS:
        return None
    rows, columns = (
        [row.size for row in side for _ in range(row.clusters)]
        for side in (table.profile.true_sizes, table.profile.pred_sizes)
    )
    room = np.array([columns], np.int64)  # of each column, in each unfinished table
    filled = np.zeros((1, 0), np.int64)
    for size in rows:
        left = np.full(len(room), size, np.int64)
        for column in range(len(columns)):
            least = np.maximum(left - room[:, column + 1 :].sum(axis=1), 0)
            choices = np.minimum(left, room[:, column]) - least + 1
            if int(choices.sum()) > most:
                return None
            start = np.cumsum(choices) - choices
            n = np.repeat(least - start, choices) + np.arange(int(choices.sum()))
            room, filled, left = (np.repeat(part, choices, axis=0) for part in (room, filled, left))
            room[:, column] -= n
            left -= n
            filled = np.column_stack([filled, n])
    return AllTables(filled, _shares(filled), (len(rows), len(columns)))


def _shares(cells: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the shares of tables: they are inverse to the product of the factorials of the cells."""
    from scipy.special import gammaln

    weights = -gammaln(cells + 1.0).sum(axis=1)
    shares = np.exp(weights - weights.max())
    return np.asarray(shares / shares.sum())


def tail_of_two(table: Contingency) -> float:
    """Return the probability that two clusters on both sides have as many pairs together in both, for many points.

    The pairs are a square of the first cell, which is hypergeometric and, for many points, normal.
    """
    from scipy.special import ndtr

    (a, *_), (b, *_) = (
        [row.size for row in side for _ in range(row.clusters)]
        for side in (table.profile.true_sizes, table.profile.pred_sizes)
    )
    n, squares = table.n_used, int(table.squares.cells)
    middle = (2 * a + 2 * b - n) / 4  # n x n - 4 x middle + … is symmetric about this place
    # Σn² = x² + (a-x)² + (b-x)² + (n-a-b+x)² = 4 (x - middle)² + what is left at the middle
    rest = middle**2 + (a - middle) ** 2 + (b - middle) ** 2 + (n - a - b + middle) ** 2
    away = sqrt(max(squares - rest, 0.0)) / 2
    mean, deviation = a * b / n, sqrt(a * b * (n - a) * (n - b) / (n * n * (n - 1.0)))
    high, low = ceil(middle + away - 1e-6), floor(middle - away + 1e-6)
    if high <= low:
        return 1.0
    return float(ndtr((mean - high + 0.5) / deviation) + ndtr((low + 0.5 - mean) / deviation))
