"""Match new clusters to old ones: the best matching, independent of the order of records and clusters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clustermark import _kernel
from clustermark.errors import InputError
from clustermark.labels import label_list
from clustermark.statistics.solvers import largest_assignment

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from clustermark.labels import Labeling

_DIGITS = 50
"""The solver adds integers of at most this number of bits."""


class LabelClusters(NamedTuple):
    """The clusters of one labeling; noise and missing labels are none."""

    labels: NDArray[Any]
    sizes: NDArray[np.int64]
    """Number of records of each cluster."""
    ranks: NDArray[np.int64]
    """Position of each cluster in sorted order."""
    of_record: NDArray[np.int32]
    """The cluster of each record, or -1."""

    @classmethod
    def of(cls, labeling: Labeling, noise: set[Any]) -> LabelClusters:
        """Return the clusters of a labeling, without those of these labels of noise."""
        codes = labeling.codes
        present = np.bincount(codes if codes.min(initial=0) >= 0 else codes[codes >= 0], minlength=1)
        used = np.flatnonzero(present)
        named = label_list(labeling.values, used)
        chosen = [label is not None and label not in noise for label in named]
        if not all(chosen):
            named, used = [label for label, yes in zip(named, chosen, strict=True) if yes], used[chosen]
        labels, sizes = as_array(named), present[used]
        place = np.full(len(present) + 2, -1, np.int32)  # also for MISSING and ABSENT
        place[used] = np.arange(len(used))
        of_record = place[codes]
        ranks = np.empty(len(labels), np.int64)
        ranks[order_of(labels)] = np.arange(len(labels))
        return cls(labels, sizes, ranks, of_record)


def keep_ids(new: LabelClusters, old: LabelClusters) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return for each new cluster the matching old one, or -1, and the number of records that they share."""
    match = np.full(len(new.sizes), -1, np.int64)
    shared = np.zeros(len(new.sizes), np.int64)
    both = (new.of_record >= 0) & (old.of_record >= 0)
    if both.any():
        cells = _kernel.crosstab(new.of_record[both], old.of_record[both], None, None, 0)
        mine, theirs = cells.row_values[cells.rows], cells.column_values[cells.columns]
        counts = cells.counts
        # neither cluster has another candidate
        alone = (np.bincount(mine)[mine] == 1) & (np.bincount(theirs)[theirs] == 1)
        match[mine[alone]], shared[mine[alone]] = theirs[alone], counts[alone]
        if not alone.all():
            _match_rest(new, old, (mine[~alone], theirs[~alone], counts[~alone]), match, shared)
    return match, shared


def _match_rest(
    new: LabelClusters,
    old: LabelClusters,
    cells: tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]],
    match: NDArray[np.int64],
    shared: NDArray[np.int64],
) -> None:
    """Match the clusters that have several candidates; writes into `match` and `shared`."""
    mine, theirs, counts = cells
    order = np.lexsort((old.ranks[theirs], new.ranks[mine]))  # independent of the order of records and clusters
    mine, theirs, counts = mine[order], theirs[order], counts[order]
    closeness = counts / (new.sizes[mine] + old.sizes[theirs] - counts)
    chosen = match_cells(_number(new.ranks[mine]), _number(old.ranks[theirs]), counts, closeness)
    match[mine[chosen]], shared[mine[chosen]] = theirs[chosen], counts[chosen]


def _number(places: NDArray[np.int64]) -> NDArray[np.int64]:
    """Renumber the positions without gaps, in the same order."""
    occurs = np.zeros(int(places.max()) + 1, np.bool_)
    occurs[places] = True
    return np.asarray((np.cumsum(occurs) - 1)[places])


def match_cells(
    rows: NDArray[np.int64], columns: NDArray[np.int64], counts: NDArray[np.int64], closeness: NDArray[np.float64]
) -> NDArray[np.int64]:
    """Return the cells of a matching with most records; ties go to the closest clusters, then to the first ones.

    rows, columns: positions of clusters in sorted order, without gaps; the cells are sorted by them.
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
    """Return the value of each match as one integer: records first, then closeness.

    Only matchings of one connected component are compared, and within it the closeness of all matches adds up to less
    than one record.
    """
    n_rows = int(rows.max()) + 1
    component = _kernel.connect(rows, n_rows + columns, n_rows + int(columns.max()) + 1)
    matches = np.bincount(component[:n_rows])[component[rows]]
    unit = 1 << (_DIGITS - 1 - int(counts.max()).bit_length())
    return np.asarray(counts * unit + np.floor(closeness * (unit // (matches + 1))).astype(np.int64))


def _beyond_doubt(rows: NDArray[np.int64], columns: NDArray[np.int64], worth: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return a mask of the cells that are in every best matching, and of the best cells of stars.

    In a star, one cluster meets several clusters that meet no other.
    """
    in_row, in_column = _best_other(rows, worth), _best_other(columns, worth)
    certain = worth > in_row + in_column
    for lines, others in ((rows, columns), (columns, rows)):
        # the centre of a star is matched with its best counterpart; ties with the first
        alone = np.bincount(others)[others] == 1
        star = np.bincount(lines, ~alone)[lines] == 0
        order = np.lexsort((np.arange(len(lines)), -worth, lines))
        first = np.zeros(len(lines), np.bool_)
        first[order[np.unique(lines[order], return_index=True)[1]]] = True
        certain |= star & first
    return np.asarray(certain)


def _best_other(lines: NDArray[np.int64], worth: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return for each cell the largest worth of another cell of its line, or 0."""
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
    """Return the positions of labels in sorted order, or ordered by type and text if they are not comparable.

    >>> order_of(np.array([3, 1, 2])).tolist(), order_of(np.array(["b", 1, "a"], object)).tolist()
    ([1, 2, 0], [1, 2, 0])
    """
    if labels.dtype.kind == "i":
        return np.argsort(labels, kind="stable")
    listed = labels.tolist()
    places = range(len(listed))
    if not any(isinstance(label, frozenset) for label in listed):  # frozensets compare by inclusion
        try:
            return np.array(sorted(places, key=listed.__getitem__), np.int64)
        except TypeError:
            pass
    return np.array(sorted(places, key=lambda place: (type(listed[place]).__name__, repr(listed[place]))), np.int64)


def as_array(labels: list[Any]) -> NDArray[Any]:
    """Return labels as an array: of 64-bit integers if all are integers that fit, else of objects.

    >>> as_array([2, 7]).dtype.kind, as_array([2, "7"]).dtype.kind, as_array([2**63]).dtype.kind
    ('i', 'O', 'O')
    """
    if set(map(type, labels)) <= {int} and all(
        -(2**63) <= label < 2**63 for label in (labels and (min(labels), max(labels)))
    ):
        return np.array(labels, np.int64)
    array = np.empty(len(labels), object)
    array[:] = labels
    return array


def name_fresh_ids(born: NDArray[Any], old: NDArray[Any], new: NDArray[Any], noise: set[Any]) -> list[Any]:
    """Return fresh ids for clusters without a match; none is an old id or a label of noise."""
    if not len(born):
        return []
    like = old if len(old) else new
    kinds = {int} if like.dtype.kind == "i" else set(map(type, like.tolist()))
    if kinds == {int}:
        return _fresh_numbers(old, [label for label in noise if type(label) is int], len(born))
    if not kinds <= {int, str}:
        odd = next(label for label in like.tolist() if type(label) not in (int, str))
        raise InputError(
            f"like: the id {odd!r} is a {type(odd).__name__}, and fresh ids can only be integers or texts; "
            "convert the ids to one of these"
        )
    taken = {str(label) for label in (*old.tolist(), *noise)}
    fresh = []
    for label in born.tolist():
        name, number = str(label), 2
        text = name
        while text in taken:
            text, number = f"{name}-{number}", number + 1
        taken.add(text)
        fresh.append(text)
    return fresh


def _fresh_numbers(old: NDArray[Any], noise: list[int], n: int) -> list[int]:
    """Return the next integers, or free ones from 0 if the next ones exceed 64 bits."""
    highest = int(old.max()) if len(old) else -1
    start = max(highest, *noise, -1) + 1
    if start + n <= 2**63 - 1:
        return list(range(start, start + n))
    taken, free, number = {*old.tolist(), *noise}, list[int](), 0
    while len(free) < n:
        free += [] if number in taken else [number]
        number += 1
    return free
