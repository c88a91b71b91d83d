"""Which new cluster continues which old one: a best matching, the same for any order of records and clusters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from clustermark import _kernel
from clustermark.statistics.solvers.assignment import largest_assignment

if TYPE_CHECKING:
    from numpy.typing import NDArray

_DIGITS = 50
"""The solver adds whole numbers of at most so many binary digits."""


class Clusters(Protocol):
    """The clusters of one labeling."""

    @property
    def sizes(self) -> NDArray[np.int64]:
        """Records of each."""
        ...

    @property
    def ranks(self) -> NDArray[np.int64]:
        """The place of each in sorted order."""
        ...

    @property
    def of_record(self) -> NDArray[np.int32]:
        """The cluster of each record, or -1."""
        ...


def keep_ids(new: Clusters, old: Clusters) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """For each new cluster the old one that it continues, or -1; and how many records they share."""
    match = np.full(len(new.sizes), -1, np.int64)
    shared = np.zeros(len(new.sizes), np.int64)
    both = (new.of_record >= 0) & (old.of_record >= 0)
    if both.any():
        cells = _kernel.crosstab(new.of_record[both], old.of_record[both], None, None, 0)
        mine, theirs = cells.row_values[cells.rows], cells.column_values[cells.columns]
        counts = cells.counts
        alone = (np.bincount(mine)[mine] == 1) & (np.bincount(theirs)[theirs] == 1)  # nobody else wants these two
        match[mine[alone]], shared[mine[alone]] = theirs[alone], counts[alone]
        if not alone.all():
            _match_rest(new, old, (mine[~alone], theirs[~alone], counts[~alone]), match, shared)
    return match, shared


def _match_rest(
    new: Clusters,
    old: Clusters,
    cells: tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]],
    match: NDArray[np.int64],
    shared: NDArray[np.int64],
) -> None:
    """Match the clusters of cells that are not alone."""
    mine, theirs, counts = cells
    order = np.lexsort((old.ranks[theirs], new.ranks[mine]))  # nothing depends on the order of records or clusters
    mine, theirs, counts = mine[order], theirs[order], counts[order]
    closeness = counts / (new.sizes[mine] + old.sizes[theirs] - counts)
    chosen = match_cells(_number(new.ranks[mine]), _number(old.ranks[theirs]), counts, closeness)
    match[mine[chosen]], shared[mine[chosen]] = theirs[chosen], counts[chosen]


def _number(places: NDArray[np.int64]) -> NDArray[np.int64]:
    """The same order, without gaps."""
    occurs = np.zeros(int(places.max()) + 1, np.bool_)
    occurs[places] = True
    return np.asarray((np.cumsum(occurs) - 1)[places])


def match_cells(
    rows: NDArray[np.int64], columns: NDArray[np.int64], counts: NDArray[np.int64], closeness: NDArray[np.float64]
) -> NDArray[np.int64]:
    """The cells, one a row and one a column at most, with most records; of equals the closest, then the first ones.

    rows, columns: places of clusters in sorted order, without gaps; the cells are sorted by them.
    """
    worth = _worths(rows, columns, counts, closeness)
    left = np.arange(len(rows))
    chosen = []
    while len(left):
        found = left[_beyond_doubt(rows[left], columns[left], worth[left])]
        if not len(found):
            break
        chosen.append(found)
        left = left[~np.isin(rows[left], rows[found]) & ~np.isin(columns[left], columns[found])]
    if len(left):
        chosen.append(left[largest_assignment(rows[left], columns[left], worth[left].astype(np.float64))])
    return np.sort(np.concatenate(chosen))


def _worths(
    rows: NDArray[np.int64], columns: NDArray[np.int64], counts: NDArray[np.int64], closeness: NDArray[np.float64]
) -> NDArray[np.int64]:
    """What a match is worth, as one whole number: records first, then closeness.

    Within clusters that hang together, which are all that is ever compared, the closeness of all matches adds up to
    less than one record.
    """
    n_rows = int(rows.max()) + 1
    component = _kernel.connect(rows, n_rows + columns, n_rows + int(columns.max()) + 1)
    matches = np.bincount(component[:n_rows])[component[rows]]
    unit = 1 << (_DIGITS - 1 - int(counts.max()).bit_length())
    return np.asarray(counts * unit + np.floor(closeness * (unit // (matches + 1))).astype(np.int64))


def _beyond_doubt(rows: NDArray[np.int64], columns: NDArray[np.int64], worth: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Cells that every best matching has, and the best cells of clusters that meet one cluster only."""
    in_row, in_column = _best_other(rows, worth), _best_other(columns, worth)
    certain = worth > in_row + in_column
    for lines, others in ((rows, columns), (columns, rows)):
        # a cluster all of whose counterparts meet nobody else takes the best of them, of equals the first
        alone = np.bincount(others)[others] == 1
        star = np.bincount(lines, ~alone)[lines] == 0
        order = np.lexsort((np.arange(len(lines)), -worth, lines))
        first = np.zeros(len(lines), np.bool_)
        first[order[np.unique(lines[order], return_index=True)[1]]] = True
        certain |= star & first
    return np.asarray(certain)


def _best_other(lines: NDArray[np.int64], worth: NDArray[np.int64]) -> NDArray[np.int64]:
    """For each cell the largest worth of another cell of its line; 0 where there is none."""
    order = np.lexsort((worth, lines))
    sorted_lines = lines[order]
    last = np.append(sorted_lines[1:] != sorted_lines[:-1], True)
    best, second = np.zeros(int(lines.max()) + 1, np.int64), np.zeros(int(lines.max()) + 1, np.int64)
    best[sorted_lines[last]] = worth[order[last]]
    before_last = np.flatnonzero(last) - 1
    has_two = (before_last >= 0) & (sorted_lines[np.maximum(before_last, 0)] == sorted_lines[last])
    second[sorted_lines[last][has_two]] = worth[order[before_last[has_two]]]
    is_best = np.zeros(len(lines), np.bool_)
    is_best[order[last]] = True
    return np.where(is_best, second[lines], best[lines])


def order_of(labels: NDArray[Any]) -> NDArray[np.int64]:
    """The places of labels in an order that depends on them alone: sorted, or by type and text where they do not sort.

    >>> order_of(np.array([3, 1, 2])).tolist(), order_of(np.array(["b", 1, "a"], object)).tolist()
    ([1, 2, 0], [1, 2, 0])
    """
    if labels.dtype.kind == "i":
        return np.argsort(labels, kind="stable")
    listed = labels.tolist()
    places = range(len(listed))
    if not any(isinstance(label, frozenset) for label in listed):  # which compare by inclusion
        try:
            return np.array(sorted(places, key=listed.__getitem__), np.int64)
        except TypeError:
            pass
    return np.array(sorted(places, key=lambda place: (type(listed[place]).__name__, repr(listed[place]))), np.int64)
