"""Which true pairs each method finds, which it alone finds, and which none finds: exact counts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clustermark._kernel import encode_integers
from clustermark.errors import InputError, Mention
from clustermark.evaluation.ranking.cells import cluster_numbers
from clustermark.results.frames import Columnar
from clustermark.results.text import align
from clustermark.tables.columnar import label_text
from clustermark.tables.sums import exact_sum

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from clustermark.evaluation.ranking.comparison import Comparison

_MOST_METHODS = 12
"""All sets of so many methods are looked at, at most: there are 4,096 of them."""


class FoundRow(NamedTuple):
    """How many pairs that belong together a method puts together."""

    method: str
    found: int
    alone: int
    """Those that no other method finds."""


class FoundPairs(Columnar):
    """The true pairs that methods find: `rows`, and how many there are, all find and none finds."""

    def __init__(self, rows: Sequence[FoundRow], total: int, by_all: int, by_none: int) -> None:
        self.rows = tuple(rows)
        self.total, self.by_all, self.by_none = total, by_all, by_none

    def __iter__(self) -> Iterator[FoundRow]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def to_dict(self) -> dict[str, list[Any]]:
        """The rows as columns."""
        return {name: [row[place] for row in self.rows] for place, name in enumerate(FoundRow._fields)}

    def __repr__(self) -> str:
        head = f"{self.total:,} true pairs: all methods find {self.by_all:,}, none finds {self.by_none:,}"
        lines = [["method", "found", "found alone"]]
        lines += [[label_text(row.method), f"{row.found:,}", f"{row.alone:,}"] for row in self.rows]
        return f"{head}\n{align(lines)}"


def find_pairs(comparison: Comparison) -> FoundPairs:
    """Count the true pairs that methods find; one with several runs finds a pair where all of its runs do.

    For every set of methods, the pairs that all of them find are those within the cells of all their tables together;
    what exactly one finds, or none, follows by inclusion and exclusion.
    """
    entrants = comparison.entrants
    if entrants.weights is not None:
        raise InputError(
            "found_pairs counts pairs, and the points are weighted; use ", Mention("counts"), " for repeated points"
        )
    names = list(comparison.methods)
    if len(names) > _MOST_METHODS:
        raise InputError(f"found_pairs: {len(names)} methods have too many sets; compare {_MOST_METHODS} at most")
    first = comparison.runs[0]
    truth = cluster_numbers(first.table, entrants.truth, is_truth=True)[entrants.truth.codes]
    counts = np.ones(len(truth), np.int64) if entrants.counts is None else entrants.counts
    labels = [
        [
            cluster_numbers(run.table, run.labeling, is_truth=False)[run.labeling.codes]
            for run in (comparison.runs[place] for place in entrants.methods[name])
        ]
        for name in names
    ]
    together: dict[int, int] = {}
    _count(_Cells(truth, counts, np.arange(len(truth))).without_loners(), labels, 0, 0, together)
    total = together[0]
    everyone = (1 << len(names)) - 1
    rows = []
    for place, name in enumerate(names):
        mine = 1 << place
        alone = _exactly(mine, everyone & ~mine, together)
        rows.append(FoundRow(name, together.get(mine, 0), alone))
    return FoundPairs(rows, total, together.get(everyone, 0), _exactly(0, everyone, together))


def _exactly(found: int, not_found: int, together: dict[int, int]) -> int:
    """Pairs that all of one set find and nobody of another: inclusion and exclusion over the sets of the others."""
    total, others = 0, not_found
    while True:
        total += (-1 if others.bit_count() % 2 else 1) * together.get(found | others, 0)
        if not others:
            return total
        others = (others - 1) & not_found


class _Cells(NamedTuple):
    """Points that some labelings put together, by the number of their common cell."""

    cell: NDArray[Any]
    counts: NDArray[np.int64]
    point: NDArray[np.int64]

    def without_loners(self) -> _Cells:
        """Without points of no cluster, and without those that are alone in their cell, who make no pairs."""
        kept = self.cell >= 0
        numbers, _ = encode_integers(self.cell[kept])
        counts = self.counts[kept]
        sizes = np.bincount(numbers, counts)[numbers]
        return _Cells(numbers[sizes > 1], counts[sizes > 1], self.point[kept][sizes > 1])

    def split(self, labels: NDArray[np.int32]) -> _Cells:
        """The cells, parted by one more labeling."""
        mine = labels[self.point]
        keys = self.cell.astype(np.int64) * (int(labels.max(initial=0)) + 1) + mine
        return _Cells(np.where(mine >= 0, keys, -1), self.counts, self.point).without_loners()

    @property
    def pairs(self) -> int:
        """Pairs within cells."""
        sizes = np.zeros(int(self.cell.max(initial=-1)) + 1, np.int64)
        np.add.at(sizes, self.cell, self.counts)
        if exact_sum(sizes) < 1 << 31:
            return int((sizes * (sizes - 1) // 2).sum())
        return sum(size * (size - 1) // 2 for size in sizes.tolist())


def _count(
    cells: _Cells, labels: Sequence[Sequence[NDArray[np.int32]]], start: int, found: int, together: dict[int, int]
) -> None:
    """Note for every set of methods that begins with those found how many pairs all of them find; 0 is not noted."""
    pairs = cells.pairs
    if not pairs and found:
        return
    together[found] = pairs
    for place in range(start, len(labels)):
        parted = cells
        for run in labels[place]:
            parted = parted.split(run)
        _count(parted, labels, place + 1, found | 1 << place, together)
