"""Mutual information of two trees, level by level."""

from __future__ import annotations

from itertools import combinations_with_replacement
from math import fsum
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from clustermark.errors import InputError
from clustermark.statistics.statistic import Takes
from clustermark.subjects.trees import TREES, TreePair

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Self

    from numpy.typing import NDArray

    from clustermark.subjects.tree import Tree


class SharedLevels(NamedTuple):
    """Hierarchical mutual information of two trees, level by level from the root, in nats (Perotti et al.)."""

    true: float
    """Hierarchical entropy of the first tree."""
    pred: float
    """Hierarchical entropy of the second tree."""
    mutual: float
    """Hierarchical mutual information of both."""

    @property
    def variation(self) -> float:
        """Joint entropy of both minus their mutual information."""
        return self.true + self.pred - 2 * self.mutual

    @classmethod
    def takes(cls) -> Takes:
        """Two trees."""
        return Takes(comparison=TREES)

    @classmethod
    def of(cls, pair: TreePair) -> Self:
        """The statistic of two trees."""
        return pair.once(cls, cls._measure)

    @classmethod
    def _measure(cls, pair: TreePair) -> Self:
        a, b = _Levels(pair.a), _Levels(pair.b)
        looks = [int(np.minimum(*depths).sum()) for depths in combinations_with_replacement((a.depths, b.depths), 2)]
        if sum(looks) > (most := pair.limits.looks):
            raise InputError(
                f"a and b: their {pair.n:,} leaves lie so deep that they would be looked at {sum(looks):,} times, once "
                f"on each level, and the limit is {most:,}; take a sample of the leaves, or trees of fewer levels"
            )
        tell = _Telling(pair.progress, sum(looks))
        true, mutual, pred = (_share_levels(*two, tell) for two in combinations_with_replacement((a, b), 2))
        return cls(true, pred, mutual)


class _Telling:
    """Tells how many of all looks are done."""

    def __init__(self, progress: Callable[[float], None] | None, total: int) -> None:
        self._progress, self._total, self._done = progress, max(total, 1), 0

    def add(self, looks: int) -> None:
        self._done += looks
        if self._progress is not None:
            self._progress(self._done / self._total)


class _Levels:
    """The nodes of a tree by their distance from the root."""

    def __init__(self, tree: Tree) -> None:
        self.tree, n = tree, tree.n
        depths = [0] * len(tree.parents)
        for node, parent in zip(range(len(depths) - 2, -1, -1), tree.parents[-2::-1].tolist(), strict=True):
            depths[node] = depths[parent] + 1
        self.depths: NDArray[np.int64] = np.array(depths[:n])
        """Of the leaves: on so many levels below the root each has a node above it, or itself."""
        self.order = np.argsort(depths, kind="stable")
        self.ends = np.cumsum(np.bincount(depths))
        self.opens = np.zeros(len(depths), bool)
        """Whether a node has a branch below it; the others are clusters that nothing divides."""
        branches = np.arange(n, len(depths) - 1)
        self.opens[tree.parents[branches]] = True

    def nodes_of(self, leaves: NDArray[np.int64], depth: int) -> NDArray[np.int64]:
        """The node of this depth above each leaf."""
        nodes = self.order[self.ends[depth - 1] : self.ends[depth]]
        nodes = nodes[np.argsort(self.tree.places[nodes])]
        return nodes[np.searchsorted(self.tree.places[nodes], self.tree.places[leaves], side="right") - 1]


def _share_levels(a: _Levels, b: _Levels, tell: _Telling) -> float:
    """The mutual information of the children of each two nodes that are met, weighted by their common leaves."""
    leaves = np.arange(a.tree.n)
    groups = np.zeros(len(leaves), np.int64)
    terms: list[float] = []
    depth = 0
    if not (a.opens[-1] and b.opens[-1]):
        return 0.0
    while len(leaves):
        tell.add(len(leaves))
        depth += 1
        i, j = a.nodes_of(leaves, depth), b.nodes_of(leaves, depth)
        met, cells, counts = np.unique(i * len(b.opens) + j, return_inverse=True, return_counts=True)
        first = np.empty(len(met), np.int64)
        first[cells] = np.arange(len(leaves))  # a leaf of each cell
        of_group, of_i, of_j = (_count_alike(key)[first] for key in (groups, *_within(groups, i, j)))
        terms.append(float((counts * np.log(counts * of_group / (of_i * of_j))).sum()))
        going = a.opens[i] & b.opens[j]
        leaves, groups = leaves[going], cells[going]
    return fsum(terms) / a.tree.n


def _within(
    groups: NDArray[np.int64], i: NDArray[np.int64], j: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    most = int(groups.max()) + 1
    return i * most + groups, j * most + groups


def _count_alike(keys: NDArray[np.int64]) -> NDArray[np.int64]:
    """For each key, how often it occurs."""
    _, places, counts = np.unique(keys, return_inverse=True, return_counts=True)
    return counts[places]
