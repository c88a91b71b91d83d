"""Parts of a table that callers request, and the search for the edits that repair most in a table in memory.

A part is requested by a value: `table.part(Worst("pred", 10))`. A table in memory returns all of its cells; an engine
has a statement for each of these types.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import numpy as np

from clustermark import _kernel
from clustermark._kernel import ABSENT
from clustermark.tables.cells import CellTable
from clustermark.tables.contingency import Account
from clustermark.tables.policies import AS_COUNTED, close_gaps

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from clustermark.labels.labeling import Names
    from clustermark.tables.contingency import Side
    from clustermark.tables.sums import CellTally


class Worst(NamedTuple):
    """All cells of the k clusters of a side that lose most pairs; of all clusters if k is None."""

    side: Side
    k: int | None


class Largest(NamedTuple):
    """The cells between the k largest clusters of each side."""

    k: int


class Near(NamedTuple):
    """All cells of the k clusters of each side that lose most pairs, and of the clusters that they intersect."""

    k: int


class Changed(NamedTuple):
    """The cells that are not a whole cluster on both sides; of the k clusters of a side that move most, if given.

    `sums.count_moves` defines how far a cluster moves.
    """

    side: Side | None = None
    k: int | None = None


Selection: TypeAlias = Worst | Largest | Near | Changed


class Census:
    """Counts of the labelled clusters of one side of a whole table, without unscored clusters."""

    __slots__ = ("_count_kinds", "clusters", "losing")

    def __init__(self, clusters: int, losing: int, count_kinds: Callable[[], dict[str, int]]) -> None:
        self.clusters = clusters
        """Number of labelled clusters."""
        self.losing = losing
        """Number of clusters that lose pairs."""
        self._count_kinds = count_kinds

    @property
    def kinds(self) -> dict[str, int]:
        """Number of exact clusters, of those inside one of the other side, of unions of whole ones, of mixed ones."""
        return self._count_kinds()


class OpenMatching(NamedTuple):
    """A matching problem: the cells that still have to be matched, and a tally of those that are matched already."""

    table: CellTable
    """The cells left to match, in memory; their clusters keep their sizes."""
    settled: CellTally
    all_cells: bool
    """Whether nothing is matched yet, so that rows and columns are those of the whole table."""


Edits: TypeAlias = Literal["splits", "gathers", "lone"]
"""Predicted clusters to split, true clusters to gather, points with a true cluster of their own to gather."""


class EditableCells(NamedTuple):
    """All cells of the clusters whose edits repair most wrong pairs."""

    table: CellTable
    """Other clusters keep their size: points of omitted cells count as items of one side only."""
    lasts: dict[Edits, Any]
    """For each kind that has more edits, the label of its last edit here; the others repair no more pairs.

    For lone points it is the predicted label."""


def census_of(table: CellTable, side: Side) -> Census:
    """Count the clusters of one side of a table in memory."""
    from clustermark.tables.clusters import KINDS, counts_of, listed_clusters

    def count_kinds() -> dict[str, int]:
        kinds = counts_of(table, side).kinds(listed_clusters(table, side))
        return dict(zip(KINDS, np.bincount(kinds, minlength=len(KINDS)).tolist(), strict=True))

    return Census(*table.once((Census, side), lambda table: _count_losing(table, side)), count_kinds)


def _count_losing(table: CellTable, side: Side) -> tuple[int, int]:
    """Return the number of listed clusters, and the number of those that lose pairs."""
    from clustermark.tables.clusters import counts_of, listed_clusters

    if can_choose(table):  # a cluster loses pairs if and only if it has several cells
        cells = table.kernel_cells
        met = np.bincount(cells.rows if side == "true" else cells.columns)
        return len(met), int(np.count_nonzero(met > 1))
    listed = listed_clusters(table, side)
    return len(listed), int(np.count_nonzero(counts_of(table, side).lost_pairs(listed) > 0))


def keep_worst(table: CellTable, side: Side, k: int | None) -> CellTable:
    """Return only the cells of the k clusters that lose most pairs, if the table is much larger than that.

    Of clusters that lose equally many pairs, the largest come first, then the first by name.
    """
    cells = table.kernel_cells
    if not k or len(cells.counts) <= table.cells_per_edit * k or not can_choose(table):
        return table
    clusters, names = (cells.rows, table.true_names) if side == "true" else (cells.columns, table.pred_names)
    sizes = _kernel.margins(cells)[side == "pred"].astype(np.float64)
    points = cells.counts.astype(np.float64)
    lost = sizes * sizes - np.bincount(clusters, points * points, len(sizes))  # twice the pairs, in the same order
    chosen = losing = np.flatnonzero(lost)
    if len(losing) > k:
        least = _nth_largest(lost[losing], k)
        more, equal = np.flatnonzero(lost > least), np.flatnonzero(lost == least)
        largest, _ = _first_of(sizes[equal], k - len(more), names.take(equal))
        chosen = np.concatenate([more, equal[largest]])
    wanted = np.zeros(len(sizes), np.bool_)
    wanted[chosen] = True
    return _take_cells(table, np.flatnonzero(wanted[clusters]))


def can_choose(table: CellTable) -> bool:
    """Return whether doubles hold all gains exactly, and labels have the same order in a part as in the whole table."""
    cells = table.kernel_cells
    if not table.plain or (cells.rows < 0).any() or (cells.columns < 0).any():
        return False
    squares = table.squares
    return max(squares.true, squares.pred) < 2**51 and _sorts(table.true_names) and _sorts(table.pred_names)


def _sorts(names: Names) -> bool:
    if names.values is None or isinstance(names.values, np.ndarray):
        return names.values is None or names.values.dtype.kind != "O"
    kinds = set(map(type, names.values))
    return len(kinds) == 1 and kinds <= {str, int, float, bytes} and bool((names.codes >= 0).all())


def choose_editable(table: CellTable, n: int | None) -> EditableCells:
    """Return the cells of the n edits of each kind that repair most wrong pairs; all cells of a small table."""
    cells = table.kernel_cells
    if n is None or len(cells.counts) <= table.cells_per_edit * n or not can_choose(table):
        return EditableCells(table, {})
    splits, gathers = _count_gains(cells)
    columns, last_split = _first_of(splits, n, table.pred_names)
    rows, last_gather = _first_of(gathers, n, table.true_names)
    lasts: dict[Edits, Any] = {}
    if last_split is not None:
        (lasts["splits"],) = table.pred_names.take(last_split).to_list()
    if last_gather is not None:
        (lasts["gathers"],) = table.true_names.take(last_gather).to_list()
    return EditableCells(_take_cells(table, np.flatnonzero(rows[cells.rows] | columns[cells.columns])), lasts)


def _count_gains(cells: _kernel.Cells) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return twice the wrong pairs that each split and each gather repairs; doubles are exact here, and fast."""
    true, pred = (sizes.astype(np.float64) for sizes in _kernel.margins(cells))
    points = cells.counts.astype(np.float64)
    squares = points * points
    splits = pred * pred - np.bincount(cells.columns, squares, cells.n_columns)
    strangers = points * pred[cells.columns] - squares
    gathers = true * true - np.bincount(cells.rows, squares - 2 * strangers, cells.n_rows)
    return splits, gathers


def _first_of(gains: NDArray[np.float64], n: int, names: Names) -> tuple[NDArray[np.bool_], NDArray[np.int64] | None]:
    """Return a mask of the n largest gains, equal ones by name; and the place of the last one, if more follow."""
    if np.count_nonzero(gains) <= n:
        return gains > 0, None
    bound = _nth_largest(gains[gains > 0], n)
    chosen = gains > bound
    equal = np.flatnonzero(gains == bound)
    equal = equal[names.take(equal).sorted_order()][: n - np.count_nonzero(chosen)]
    chosen[equal] = True
    return chosen, equal[-1:]


def _nth_largest(values: NDArray[np.float64], n: int) -> float:
    """Return the n-th largest value. Values below the mean are removed first: many equal ones slow down a partition."""
    while len(above := values[values > values.mean()]) >= n:
        values = above
    return float(np.partition(values, len(values) - n)[len(values) - n])


def _take_cells(table: CellTable, chosen: NDArray[np.int64]) -> CellTable:
    """Return these cells as a table; the other points of their clusters become items of one side only."""
    cells = table.kernel_cells
    counts = cells.counts[chosen]
    sides = []
    for numbers, sizes, names in zip(
        (cells.rows[chosen], cells.columns[chosen]),
        _kernel.margins(cells),
        (table.true_names, table.pred_names),
        strict=True,
    ):
        own, old = close_gaps(numbers, len(names))
        beyond = sizes[old] - np.bincount(own, counts, len(old)).astype(np.int64)
        larger = np.flatnonzero(beyond)
        sides.append((own, names.take(old), larger.astype(np.int32), beyond[larger]))
    (rows, true_names, more_rows, beyond_rows), (columns, pred_names, more_columns, beyond_columns) = sides
    counts = np.concatenate([counts, beyond_rows, beyond_columns])
    n_beyond = int(beyond_rows.sum() + beyond_columns.sum())
    made = _kernel.Cells(
        np.concatenate([rows, more_rows, np.full(len(more_columns), ABSENT, np.int32)]),
        np.concatenate([columns, np.full(len(more_rows), ABSENT, np.int32), more_columns]),
        counts,
        None,
        None,
        len(true_names),
        len(pred_names),
    )
    account = Account(int(counts.sum()), n_unmatched=n_beyond, one_sided=n_beyond > 0, policies=AS_COUNTED)
    return CellTable(made, true_names, pred_names, account)
