"""Scores of the partitions of a sweep, from sums that the kernel updates from one partition to the next."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from clustermark.registry import Index, catalogue
from clustermark.registry.array_scores import ArrayScores, is_known, use_of
from clustermark.statistics.information import Entropies
from clustermark.statistics.overlaps import JointSums
from clustermark.statistics.pairs import ChancePairs, PairCounts
from clustermark.statistics.sizes import Sizes
from clustermark.statistics.units import Units, is_exact, share, size_log_size
from clustermark.subjects.subject import PARTITIONS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

    from clustermark.statistics.units import Numbers, OfCell, OfCluster, OfSize

Sums = dict[str, "NDArray[Any]"]
"""Sums that the kernel updates, one entry for each partition, and totals of the truth; all arrays have one length."""

_PAIRS = frozenset({"yy", "yn", "ny", "nn"})
FIELDS: dict[type, frozenset[str]] = {
    PairCounts: _PAIRS,
    ChancePairs: _PAIRS,
    Sizes: frozenset({"n", "n_true", "n_pred", "k_true", "k_pred", "cells", "best_true", "best_pred"})
    | {"recall", "precision"},
    JointSums: frozenset({"n", "k_true", "k_pred", "exact_clusters"}),
    Entropies: frozenset({"n", "k_true", "k_pred", "true", "pred", "mutual", "joint", "true_given_pred"})
    | {"pred_given_true", "variation", "expected"},
}
"""The fields of each statistic that follow from these sums."""


class SweptPartitions(Units):
    """The partitions of a sweep, compared with the truth."""

    reason = "is not made of the sums that a sweep follows"

    at_once = 1 << 15
    """Partitions that are scored at a time, so that their arrays stay in the processor's cache."""

    def __init__(self, sums: Sums) -> None:
        # a total, which is the same for all partitions, is kept once
        self._sums = s = {
            name: (column if column.strides[0] else column[:1]).astype(np.float64) for name, column in sums.items()
        }
        self.multiplicity = np.ones(len(sums["cells"]), np.int64)
        self.points = s["points"]
        yy = s["together_both"]
        yn, ny = s["together_true"] - yy, s["together"] - yy
        # fewer than all if only pairs across sources count
        all_pairs = s["pairs"] if "pairs" in s else self.points * (self.points - 1) / 2
        self._pairs = yy, yn, ny, all_pairs - yy - yn - ny
        self.identical = (sums["cells"] == sums["clusters"]) & (sums["cells"] == sums["true_clusters"])
        self.identical &= sums["points"] == sums["predicted_points"]

    @property
    def points_pred(self) -> Numbers:
        """Number of points of the prediction."""
        return self._sums["predicted_points"]

    @property
    def k_true(self) -> Numbers:
        """Number of true clusters."""
        return self._sums["true_clusters"]

    @property
    def k_pred(self) -> Numbers:
        """Number of predicted clusters."""
        return self._sums["clusters"]

    @property
    def cells(self) -> Numbers:
        """Number of non-empty cells."""
        return self._sums["cells"]

    def count_pairs(self) -> tuple[Numbers, Numbers, Numbers, Numbers]:
        """Return the pairs together in both, in the truth only, in the prediction only, and in neither."""
        return self._pairs

    def sum_sizes(self, of: OfSize) -> tuple[Numbers, Numbers]:
        """Return Σ x ln x over true and over predicted clusters."""
        if of is not size_log_size:
            return super().sum_sizes(of)
        return self._sums["spread_true"], self._sums["spread_pred"]

    def left_to_learn(self, sizes: tuple[Numbers, Numbers]) -> tuple[Numbers, Numbers]:  # noqa: ARG002
        """Return points times the entropy of each side given the other; the kernel updates it without cancellation."""
        return self._sums["left_true"], self._sums["left_pred"]

    def sum_clusters(self, of: OfCluster) -> tuple[Numbers, Numbers]:
        """Return Σn² / size over cells of true and of predicted clusters."""
        return (self._sums["recall"], self._sums["precision"]) if of is share else super().sum_clusters(of)

    def sum_cells(self, of: OfCell) -> Numbers:
        """Return the number of cells that are a whole cluster on both sides."""
        return self._sums["exact"] if of is is_exact else super().sum_cells(of)

    def sum_largest(self) -> tuple[Numbers, Numbers]:
        """Return Σ over true and over predicted clusters of their largest cell."""
        return self._sums["best_true"], self._sums["best_pred"]

    def expected_information(self) -> Numbers:
        """Return expected mutual information; NaN if it was not computed."""
        return self._sums["expected"] / self.points

    def score(self, scores: ArrayScores, index: Index[...]) -> NDArray[np.float64]:
        """Return the score of every partition; NaN if it needs expected mutual information that was not computed."""
        found = scores.of(index, self.identical)
        if not needs_expected(index):
            return found
        statistic: Any = scores.statistic(index)
        return np.where(np.isnan(statistic.expected), np.nan, found)


def score_all(indices: Iterable[Index[...]], sums: Sums) -> dict[Index[...], NDArray[np.float64]]:
    """Return the scores of all partitions, by index; an index that needs more than these sums is left out."""
    found: dict[Index[...], NDArray[np.float64]] = {}
    for begin, scores in score_parts(indices, sums):
        found = found or {index: np.empty(len(sums["cells"])) for index in scores}
        for index, part in scores.items():
            found[index][begin : begin + len(part)] = part
    return found


def score_parts(
    indices: Iterable[Index[...]], sums: Sums, overlap: int = 0
) -> Iterator[tuple[int, dict[Index[...], NDArray[np.float64]]]]:
    """Yield the scores of a part of the partitions at a time, whose arrays fit the processor's cache.

    Each item is the position where the part begins, and its scores by index; an index that needs more than these sums
    is left out. overlap: number of partitions of the previous part that a part begins with.
    """
    chosen, n = [index for index in indices if is_tracked(index)], len(sums["cells"])
    at_once = SweptPartitions.at_once
    for end in range(at_once, max(n, 1) + at_once, at_once):
        begin = max(end - at_once - overlap, 0)
        partitions = SweptPartitions({name: column[begin:end] for name, column in sums.items()})
        scores = ArrayScores(partitions)
        yield begin, {index: partitions.score(scores, index) for index in chosen}


def score_states(index: Index[...], sums: Sums) -> NDArray[np.float64] | None:
    """Return the scores of all partitions, or None if the index needs more than these sums."""
    return score_all([index], sums).get(index)


def needs_expected(index: Index[...]) -> bool:
    """Return whether an index needs expected mutual information, which takes extra time."""
    return "expected" in index.formula


@cache
def tracked_indices() -> tuple[Index[...], ...]:
    """Return the indices that have a score at every partition of a sweep."""
    return tuple(index for index in catalogue() if is_tracked(index))


def is_tracked(index: Index[...], fields: dict[type, frozenset[str]] = FIELDS) -> bool:
    """Return whether the sums of a sweep are enough for an index: `fields` are those that follow from the sums."""
    if not any(use.comparison is PARTITIONS for use in index.uses):
        return False
    given = fields.get(use_of(index).statistic)
    return given is not None and is_known(index, given)
