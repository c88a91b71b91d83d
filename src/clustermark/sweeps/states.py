"""The partitions of a sweep."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from clustermark.tracking import Sums


_PART = 1 << 16
"""So many partitions are looked at together."""


class States(NamedTuple):
    """Every partition of a sweep, from no pair at all down to the lowest score."""

    thresholds: NDArray[np.float64]
    merges: NDArray[np.int64]
    """How many merges led to each."""
    sums: Sums

    @classmethod
    def of(cls, columns: Mapping[str, NDArray[Any]], totals: Mapping[str, Any]) -> States:
        """What the kernel returned."""
        n = len(columns["thresholds"])
        sums = {name: column for name, column in columns.items() if name not in ("thresholds", "merges")}
        sums |= {name: np.broadcast_to(np.asarray(total), n) for name, total in totals.items()}
        return cls(columns["thresholds"], columns["merges"], sums)

    def __len__(self) -> int:
        return len(self.thresholds)

    def place(self, threshold: float) -> int:
        """The number of the partition of a threshold: the last one that needs no lower score."""
        return int(np.searchsorted(-self.thresholds, -threshold, side="right")) - 1


def thin(scores: Sequence[NDArray[np.float64]], step: float) -> NDArray[np.int64]:
    """Places to keep: all where a score enters another interval of this width, and the places before.

    Between two places that are kept no score leaves its interval, so what is left out differs by less than `step`.
    """
    n = len(scores[0]) if scores else 0
    moved = np.zeros(n, np.bool_)
    moved[:1] = True
    ranges = [(float(score.min()), float(score.max())) for score in scores] if n else []
    for begin in range(0, n, _PART):  # so that what is made on the way stays in the processor's cache
        part = slice(max(begin - 1, 0), begin + _PART)
        for score, (low, high) in zip(scores, ranges, strict=True):
            interval = _intervals(score[part], low, high, step)
            moved[part][1:] |= interval[1:] != interval[:-1]
    moved[:-1] |= moved[1:]
    moved[-1:] = True
    return np.flatnonzero(moved)


def _intervals(scores: NDArray[np.float64], low: float, high: float, step: float) -> NDArray[Any]:
    """The number of the interval of this width in which each score lies; whole numbers where they fit, for speed."""
    if 0.0 <= low <= high <= 1e6:  # not where one is NaN
        return (scores * (1 / step)).astype(np.int32)
    return np.floor(np.nan_to_num(scores, posinf=np.inf, neginf=-np.inf) / step)
