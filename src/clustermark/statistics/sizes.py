"""Sums over the clusters of one side at a time, which follow from the profile of a table."""

from __future__ import annotations

from math import fsum
from sys import float_info
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clustermark import _kernel
from clustermark._kernel import ABSENT, LONE
from clustermark.errors import InputError
from clustermark.statistics.differences import cancels, sum_of_quotients
from clustermark.statistics.statistic import Takes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from clustermark.tables.contingency import Contingency
    from clustermark.tables.sums import SizeRow

_LONE_LIMIT = 2**28


class Sizes(NamedTuple):
    """Sizes of clusters and of their largest cells. With weights, every number of points is a sum of weights."""

    n: float
    """Number of points that occur on both sides."""
    n_true: float
    """Number of points of the truth, including those that the prediction lacks."""
    n_pred: float
    k_true: int
    """Number of true clusters."""
    k_pred: int
    cells: int
    best_true: float
    """Sum over true clusters of their largest cell."""
    best_pred: float
    largest_true: float
    """Size of the largest true cluster."""
    largest_pred: float
    square_true: float
    """Sum of squared sizes of true clusters."""
    square_pred: float
    recall: float
    """Sum of n² / a: the sum over points of the share of their true cluster that is in their predicted cluster."""
    precision: float
    """Sum of n² / b."""
    scattered_true: float
    """Sum of n (1 - n / a), which is n - recall without cancellation."""
    scattered_pred: float
    """Sum of n (1 - n / b)."""
    explained_true: float
    """1 - n · scattered_pred / (n² - square_true) without cancellation, 0 where the truth is one cluster."""
    explained_pred: float
    macro_recall: float
    """Sum of n² / a²."""
    macro_precision: float
    """Sum of n² / b²."""

    @classmethod
    def takes(cls) -> Takes:
        """Accept weights, and items that occur on one side only where an index declares it."""
        return Takes(weights="a size is a sum of weights")

    @classmethod
    def of(cls, table: Contingency) -> Sizes:
        """Return the sizes of a table."""
        return table.once(cls, _sizes if table.weights is None else _weighted_sizes)


def _sizes(table: Contingency) -> Sizes:
    profile = table.profile
    n, true, pred = profile.n_points, profile.true_sizes, profile.pred_sizes
    square_true, square_pred = (sum(row.size * row.size * row.clusters for row in rows) for rows in (true, pred))
    scattered_true, scattered_pred = _scatter(true), _scatter(pred)
    return Sizes(
        n=n,
        n_true=sum(row.size * row.clusters for row in true),
        n_pred=sum(row.size * row.clusters for row in pred),
        k_true=sum(row.clusters for row in true),
        k_pred=sum(row.clusters for row in pred),
        cells=profile.n_cells,
        best_true=sum(row.largest for row in true),
        best_pred=sum(row.largest for row in pred),
        largest_true=true[-1].size if true else 0,
        largest_pred=pred[-1].size if pred else 0,
        square_true=square_true,
        square_pred=square_pred,
        recall=_quotients(true, 1, n),
        precision=_quotients(pred, 1, n),
        scattered_true=scattered_true,
        scattered_pred=scattered_pred,
        explained_true=_explain(n, square_true, pred, scattered_pred),
        explained_pred=_explain(n, square_pred, true, scattered_true),
        macro_recall=_quotients(true, 2, n),
        macro_precision=_quotients(pred, 2, n),
    )


def _quotients(rows: Sequence[SizeRow], power: int, n: int) -> float:
    """Return Σ n² / size^power: correctly rounded quotients, added exactly."""
    if n >> 53:  # the sum of rounded quotients could exceed n
        return float(sum_of_quotients((row.squares, row.size**power) for row in rows))
    return fsum(row.squares / row.size**power for row in rows)


def _scatter(rows: Sequence[SizeRow]) -> float:
    """Return Σ (size² - Σ n²) / size; items of one side only count as scattered."""
    return fsum((row.size * row.size * row.clusters - row.squares) / row.size for row in rows)


def _explain(n: int, squares: int, rows: Sequence[SizeRow], scattered: float) -> float:
    """Return 1 - n · scattered / (n² - squares) without cancellation, for the scattered points of the other side."""
    most = n * n - squares
    if most <= 0:
        return 0.0
    share = 1 - n * scattered / most
    if not cancels(share, 1):
        return share
    return float(sum_of_quotients([*((n * row.squares, row.size) for row in rows), (-squares, 1)]) / most)


class WeightedCells(NamedTuple):
    """The cells of a weighted table; singletons of lone points have the numbers after the other clusters."""

    rows: NDArray[Any]
    columns: NDArray[Any]
    weights: NDArray[np.float64]
    true: NDArray[np.float64]
    """Weight of each true cluster, including items of one side only."""
    pred: NDArray[np.float64]


def weighted_cells(table: Contingency) -> WeightedCells:
    """Return every cell of a weighted table, and the weights of the clusters."""
    cells = table.to_memory().kernel_cells
    if cells.weights is None:
        raise InputError("the table has no weights")
    rows: NDArray[Any]
    columns: NDArray[Any]
    rows, columns, counts = table.cells
    lone = (rows == LONE) | (columns == LONE)
    times = np.where(lone, counts, 1)
    if int(times.sum()) > _LONE_LIMIT:
        raise InputError("too many weighted points are singletons; use another noise policy")
    weights = np.repeat(cells.weights / times, times)
    rows = _number(np.repeat(rows, times), cells.n_rows)
    columns = _number(np.repeat(columns, times), cells.n_columns)
    both = (rows != ABSENT) & (columns != ABSENT)
    true, pred = _kernel.margins(cells)  # compensated sums, almost independent of the order of the cells
    return WeightedCells(
        rows[both],
        columns[both],
        weights[both],
        np.concatenate([true, weights[rows >= cells.n_rows]]),
        np.concatenate([pred, weights[columns >= cells.n_columns]]),
    )


def _number(numbers: NDArray[np.int32], n: int) -> NDArray[np.int64]:
    """Give lone points the numbers after the other clusters."""
    lone = np.flatnonzero(numbers == LONE)
    wide = numbers.astype(np.int64)
    wide[lone] = np.arange(n, n + len(lone))
    return wide


def _weighted_sizes(table: Contingency) -> Sizes:
    rows, columns, w, true, pred = weighted_cells(table)
    best_true, best_pred = np.zeros(len(true)), np.zeros(len(pred))
    np.maximum.at(best_true, rows, w)
    np.maximum.at(best_pred, columns, w)
    share_true, share_pred = w / true[rows], w / pred[columns]
    n, square_true, square_pred = fsum(w), fsum(true * true), fsum(pred * pred)
    scattered_true, scattered_pred = (
        # the cells of a cluster are all of it, unless there are items of one side only
        fsum((np.maximum(sizes[lines] - w, 0.0) if table.one_sided else _beside(w, lines, sizes)) * share)
        for lines, sizes, share in ((rows, true, share_true), (columns, pred, share_pred))
    )
    return Sizes(
        n=n,
        n_true=fsum(true) if table.one_sided else n,
        n_pred=fsum(pred) if table.one_sided else n,
        k_true=len(true),
        k_pred=len(pred),
        cells=len(w),
        best_true=fsum(best_true),
        best_pred=fsum(best_pred),
        largest_true=float(true.max(initial=0.0)),
        largest_pred=float(pred.max(initial=0.0)),
        square_true=square_true,
        square_pred=square_pred,
        recall=fsum(w * share_true),
        precision=fsum(w * share_pred),
        scattered_true=scattered_true,
        scattered_pred=scattered_pred,
        explained_true=_explained_weight(n, true, scattered_pred),
        explained_pred=_explained_weight(n, pred, scattered_true),
        macro_recall=fsum(share_true * share_true),
        macro_precision=fsum(share_pred * share_pred),
    )


def _beside(w: NDArray[np.float64], lines: NDArray[Any], sizes: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the weight of each cell's cluster without the cell.

    It is a difference, but a sum for the largest cell, where the difference would cancel.
    """
    order = np.lexsort((w, lines))
    largest = order[np.flatnonzero(np.diff(lines[order], append=-1))]
    others = w.copy()
    others[largest] = 0.0
    beside: NDArray[np.float64] = sizes[lines] - w
    beside[largest] = np.bincount(lines, others, len(sizes))[lines[largest]]
    return beside


def _explained_weight(n: float, sizes: NDArray[np.float64], scattered: float) -> float:
    """Return the same for sums of weights; a share within their rounding error is 0.

    The weight of all pairs in different clusters is summed without cancellation, because one cluster can have nearly
    all the weight.
    """
    largest = int(sizes.argmax())
    others = np.delete(sizes, largest)
    most = sizes[largest] * fsum(others) + fsum(others * (n - others))
    share = 1 - n * scattered / most if most > 0 else 0.0
    return share if share > 4 * float_info.epsilon else 0.0
