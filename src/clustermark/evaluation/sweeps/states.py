"""The partitions of a sweep."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from clustermark.registry.tracking import Sums


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
