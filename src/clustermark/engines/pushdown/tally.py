"""Cells and clusters that are alike, counted in the engine."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np

from clustermark.engines.pushdown.statements import PRED, TRUE, Side
from clustermark.tables.cell_tally import CellTally
from clustermark.tables.tallies import ClusterTally, Tallies, whole_clusters

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from clustermark.engines.pushdown.hold import Held


def count_alike(held: Held, rest: str) -> Tallies:
    """The tallies of a table; `rest` are its cells that are not a whole cluster on both sides."""
    held.workspace.purpose = (
        "cells and clusters that are alike, counted: the Jaccard-Concentration Index, best matches, matchings"
    )
    cells = tally_cells(held, held.statements.alike(rest))
    # the cells that are a cluster on both sides: those that are not in the rest
    whole = _whole(held, Counter(dict(held.profile.cell_sizes)), cells.n, cells.times)
    true, pred = (_side(held, rest, side) + whole for side in (TRUE, PRED))
    every = cells + CellTally(whole.size, whole.size, whole.size, whole.times)
    return Tallies(every, true, pred, pred + _unscored_clusters(held, rest) if held.unscored else pred)


def tally_cells(held: Held, sql: str) -> CellTally:
    """The cells that a statement counts, by n, a and b."""
    columns = held.workspace.fetch(sql)
    return CellTally(*(_whole_numbers(columns[name]) for name in CellTally._fields))


def _whole(held: Held, sizes: Counter[int], known: NDArray[np.int64], times: NDArray[np.int64]) -> ClusterTally:
    """Clusters of these sizes, without the known ones, each of which is a cluster of the other side."""
    for size, count in zip(known.tolist(), times.tolist(), strict=True):
        sizes[size] -= count
    left = {size: count for size, count in sizes.items() if count}
    keys, counts = (np.array(list(numbers), np.int64) for numbers in (left.keys(), left.values()))
    return whole_clusters(keys, counts, wide=held.statements.wide)


def _side(held: Held, rest: str, side: Side) -> ClusterTally:
    labelled = _clusters(held, held.statements.clusters_alike(rest, side))
    if held.statements.simple:
        return labelled
    alone = held.workspace.fetch(held.statements.alone_alike(rest, side))
    other = _whole_numbers(alone["other"])
    ones = np.ones(len(other), np.int64)
    squares = ones.astype(object) if held.statements.wide else ones
    jaccard, f = 1.0 / other.astype(np.float64), 2.0 / (1 + other).astype(np.float64)
    return labelled + ClusterTally(ones, squares, jaccard, f, jaccard, _whole_numbers(alone["times"]))


def _unscored_clusters(held: Held, rest: str) -> ClusterTally:
    """The unscored clusters, each counted -1 times."""
    in_rest = _clusters(held, held.statements.clusters_alike(rest, PRED, f" AND {held.apart}"))
    both = in_rest + _whole(held, Counter(held.unscored.values()), in_rest.size, in_rest.times)
    return both._replace(times=-both.times)


def _clusters(held: Held, sql: str) -> ClusterTally:
    columns = held.workspace.fetch(sql)
    squares = columns["squares"]
    jaccard, f, larger = (np.asarray(columns[name], np.float64) for name in ("jaccard", "f", "larger"))
    return ClusterTally(
        _whole_numbers(columns["size"]),
        np.array(_ints(squares), object) if held.statements.wide else _whole_numbers(squares),
        jaccard,
        f,
        larger,
        _whole_numbers(columns["times"]),
    )


def _whole_numbers(column: NDArray[Any] | list[Any]) -> NDArray[np.int64]:
    if isinstance(column, np.ndarray) and column.dtype.kind in "iu":
        return column.astype(np.int64, copy=False)
    return np.asarray(_ints(column), np.int64)


def _ints(column: NDArray[Any] | list[Any]) -> list[int]:
    return [int(number) for number in column]
