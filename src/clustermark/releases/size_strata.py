"""Strata of predicted clusters by size, and how many units each stratum contributes to a sample."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from clustermark.errors import InputError, Mention

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

_FEWEST = 5
"""The fewest units of a stratum that is not drawn whole: its variance is estimated from them."""


class SizeStratum(NamedTuple):
    """Predicted clusters of similar sizes, and the sample of them or of their records."""

    stratum: str
    """Their sizes, such as "4-7"."""
    least: int
    """The smallest size."""
    most: int
    """The largest size."""
    clusters: int
    records: int
    population: int
    """The number of units: clusters, or records."""
    drawn: int
    """The number of drawn units."""

    @property
    def probability(self) -> float:
        """The probability with which each unit is drawn."""
        return self.drawn / self.population


class _SizeGroup(NamedTuple):
    """Clusters of neighbouring sizes: their smallest and largest size, and sums over them."""

    least: int
    most: int
    clusters: int
    records: int
    pairs: float

    def join(self, other: _SizeGroup) -> _SizeGroup:
        sums = (mine + theirs for mine, theirs in zip(self[2:], other[2:], strict=True))
        return _SizeGroup(min(self.least, other.least), max(self.most, other.most), *sums)  # type: ignore[arg-type]


def make_strata(
    sizes: NDArray[np.int64], n: int, *, of_records: bool, least: Sequence[int] | None = None
) -> list[SizeStratum]:
    """Return the strata of clusters of these sizes, and how many of n units are drawn of each.

    Half of the units are divided by the number of records, which suits B-cubed; half by the number of pairs of records
    in one predicted cluster, which suits indices of pairs. Neither half wastes more than half of the sample for the
    other. A stratum that would get all its units is drawn whole.

    least: the smallest size of each stratum; by default sizes double from one to the next, and strata that would get
        fewer than 5 units join their neighbour.

    >>> for one in make_strata(np.array([1] * 60 + [2] * 30 + [90]), 20, of_records=False):
    ...     print(one.stratum, one.drawn, one.population)
    1 9 60
    2 10 30
    90 1 1
    """
    groups = _group(sizes, _floors(sizes) if least is None else _read_least(least))
    drawn = _divide(groups, n, of_records)
    while least is None and len(groups) > 1:
        few = [
            place
            for place, (group, number) in enumerate(zip(groups, drawn, strict=True))
            if number < min(_FEWEST, _units(group, of_records))
        ]
        if not few:
            break
        first = max(few[0] - 1, 0)
        groups[first : first + 2] = [groups[first].join(groups[first + 1])]
        drawn = _divide(groups, n, of_records)
    return [
        SizeStratum(
            str(group.least) if group.least == group.most else f"{group.least}-{group.most}",
            group.least,
            group.most,
            group.clusters,
            group.records,
            _units(group, of_records),
            number,
        )
        for group, number in zip(groups, drawn, strict=True)
    ]


def _units(group: _SizeGroup, of_records: bool) -> int:
    return group.records if of_records else group.clusters


def _floors(sizes: NDArray[np.int64]) -> list[int]:
    return [1 << power for power in range(int(sizes.max()).bit_length())]


def _read_least(least: Sequence[int]) -> list[int]:
    wanted = list(least) if isinstance(least, list | tuple) else []
    if not all(isinstance(one, int) and not isinstance(one, bool) and one > 0 for one in wanted) or not wanted:
        raise InputError(Mention("sizes", least), " must be the smallest size of each stratum, such as [1, 2, 10, 100]")
    return sorted({1, *wanted})


def _group(sizes: NDArray[np.int64], floors: Sequence[int]) -> list[_SizeGroup]:
    of = np.searchsorted(floors, sizes, "right") - 1
    groups = []
    for place in np.unique(of).tolist():
        mine = sizes[of == place]
        pairs = float((mine * (mine - 1.0) / 2).sum())
        groups.append(_SizeGroup(int(mine.min()), int(mine.max()), len(mine), int(mine.sum()), pairs))
    return groups


def _divide(groups: Sequence[_SizeGroup], n: int, of_records: bool) -> list[int]:
    """Return the number of units of each group."""
    units = np.array([_units(group, of_records) for group in groups], np.float64)
    records, pairs = (np.array([getattr(one, name) for one in groups], np.float64) for name in ("records", "pairs"))
    worth = records / records.sum() + (pairs / pairs.sum() if pairs.any() else records / records.sum())
    whole = np.zeros(len(groups), np.bool_)
    while True:
        left = max(n - units[whole].sum(), 0.0)
        share = np.where(whole, units, left * worth / max(worth[~whole].sum(), 1e-300))
        over = (share >= units) & ~whole
        if not over.any():
            break
        whole |= over
    wanted = np.floor(share)
    more = np.argsort(wanted - share, kind="stable")[: max(round(n - wanted.sum()), 0)]  # the largest remainders
    wanted[more] += 1
    return [int(number) for number in np.minimum(np.maximum(wanted, 2), units)]
