"""Statistics of the clusters of trees: cuts, clades, levels, orders of leaves, classes and similarities of leaves."""

from __future__ import annotations

from functools import cached_property
from itertools import combinations_with_replacement
from math import fsum
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from clustermark import _kernel
from clustermark.errors import InputError
from clustermark.statistics.heights import join_halves
from clustermark.statistics.statistic import Takes
from clustermark.subjects.tree import reduce_ranges
from clustermark.subjects.tree_comparisons import (
    LABELED_TREE,
    TREE_SIMILARITIES,
    TREES,
    TreeLabels,
    TreePair,
    TreeSimilarities,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Self

    from numpy.typing import NDArray

    from clustermark.subjects.tree import Tree

_AT_ONCE = 1 << 20
"""Pairs of leaves with similarities that are looked up at a time."""


class Cuts:
    """Pairs of leaves that are together in both trees cut into k clusters, for every k.

    Step by step each tree merges two clusters; after n - k steps there are k.
    """

    def __init__(self, pair: TreePair) -> None:
        self.n = pair.n
        """Number of leaves."""
        counts = _kernel.count_cuts(pair.a.starts, pair.a.children, pair.b.starts, pair.b.children)
        self.together: NDArray[np.int64] = counts[0]
        """Pairs that are together in both trees, after each step."""
        self.pairs_a: NDArray[np.int64] = counts[1]
        """Pairs that are together in the first tree."""
        self.pairs_b: NDArray[np.int64] = counts[2]
        """Pairs that are together in the second tree."""
        self._triples = counts[3:]
        self._pair = pair

    @classmethod
    def takes(cls) -> Takes:
        """Accept two trees."""
        return Takes(comparison=TREES)

    @classmethod
    def of(cls, pair: TreePair) -> Self:
        """Return the statistic of two trees."""
        return pair.once(cls, cls)

    def is_tied(self, k: int) -> bool:
        """Return whether only the order of merges of the same height decides the cut of a tree into k clusters."""
        return self._pair.a.is_tied(k) or self._pair.b.is_tied(k)

    @cached_property
    def tied(self) -> NDArray[np.bool_]:
        """Whether cuts are tied, for all k from 2 to n - 1."""
        a, b = (np.diff(tree.heights[tree.steps[2]]) == 0 for tree in (self._pair.a, self._pair.b))
        either: NDArray[np.bool_] = np.logical_or(a, b)
        return either[::-1]

    def together_at(self, k: int) -> tuple[int, int, int]:
        """Return the numbers of pairs together in both trees, in the first and in the second, cut into k clusters."""
        step = self.n - k - 1
        return int(self.together[step]), int(self.pairs_a[step]), int(self.pairs_b[step])

    @cached_property
    def variance(self) -> NDArray[np.float64]:
        """The variance of the Fowlkes–Mallows index over all permutations of the leaves of a tree, after each step."""
        if 2 < self.n <= self._pair.limits.in_kernel:
            low_a, low_b = (low.view(np.int64) for _, low in self._triples)
            return _kernel.find_variances(self.n, self.pairs_a, low_a, self.pairs_b, low_b)
        columns = self.pairs_a.tolist(), self.pairs_b.tolist(), *map(join_halves, self._triples)
        sums = list(zip(*columns, strict=True))[: self.n - 2]  # the last step leaves one cluster, which never varies
        return np.array([bk_variance(self.n, *one) for one in sums], np.float64)


def bk_variance(n: int, a: int, b: int, a_triples: int, b_triples: int) -> float:
    """Return the variance of Fowlkes and Mallows (1983) over one denominator: exact until the last division."""
    p, q = 2 * a, 2 * b
    pairs, rest = n * (n - 1), (n - 2) * max(n - 3, 1)
    apart = (p * p - 2 * p - 4 * a_triples) * (q * q - 2 * q - 4 * b_triples)
    over = 2 * p * q * pairs * rest + 4 * a_triples * b_triples * pairs * max(n - 3, 1)
    return (over + apart * pairs - p * p * q * q * rest) / (p * q * pairs**2 * rest)


class Clades(NamedTuple):
    """Numbers of sets of leaves below the branches of two trees, without single leaves and the set of all leaves."""

    a: int
    """Number of sets of the first tree."""
    b: int
    """Number of sets of the second tree."""
    shared: int
    """Number of sets of both trees."""

    @classmethod
    def takes(cls) -> Takes:
        """Accept two trees."""
        return Takes(comparison=TREES)

    @classmethod
    def of(cls, pair: TreePair) -> Self:
        """Return the statistic of two trees."""
        return cls(*pair.clades[:3])


class LeafOrders(NamedTuple):
    """The leaves of two trees as they are drawn."""

    a: NDArray[np.int64]
    """The place of each leaf in the first tree."""
    b: NDArray[np.int64]
    """Its place in the second."""

    @classmethod
    def takes(cls) -> Takes:
        """Accept two trees."""
        return Takes(comparison=TREES)

    @classmethod
    def of(cls, pair: TreePair) -> Self:
        """Return the statistic of two trees."""
        return cls(pair.a.places[: pair.n], pair.b.places[: pair.n])


class JoinedClasses(NamedTuple):
    """Classes of leaves, compared with the clusters of a tree."""

    purities: float
    """The sum, over the pairs of leaves of a class, of the share of the class in the smallest cluster with both."""
    pairs: int
    """Number of pairs of leaves of the same class."""
    sizes: NDArray[np.int64]
    """Number of leaves of each class."""
    best: NDArray[np.float64]
    """Largest F-measure of each class with a cluster of the tree."""

    @classmethod
    def takes(cls) -> Takes:
        """Accept a tree and labels."""
        return Takes(comparison=LABELED_TREE)

    @classmethod
    def of(cls, comparison: TreeLabels) -> Self:
        """Return the statistic of a tree and labels."""
        return comparison.once(cls, cls._measure)

    @classmethod
    def _measure(cls, comparison: TreeLabels) -> Self:
        tree = comparison.tree
        joined, best = _kernel.tabulate_classes(tree.starts, tree.children, comparison.codes, comparison.k)
        leaves = tree.sizes[tree.n :].tolist()
        sizes = np.bincount(comparison.codes)
        pairs = sum(size * (size - 1) // 2 for size in sizes.tolist())
        return cls(fsum(x / n for x, n in zip(join_halves(joined), leaves, strict=True)), pairs, sizes, best)


class Splits(NamedTuple):
    """Similarities of the leaves that each branch joins."""

    cost: float
    """The sum of similarity times the leaves of the branch that joins the two."""
    total: float
    """The sum of similarities."""
    n: int
    """Number of leaves."""

    @classmethod
    def takes(cls) -> Takes:
        """Accept a tree and similarities."""
        return Takes(comparison=TREE_SIMILARITIES)

    @classmethod
    def of(cls, comparison: TreeSimilarities) -> Self:
        """Return the statistic of a tree and similarities."""
        return comparison.once(cls, cls._measure)

    @classmethod
    def _measure(cls, comparison: TreeSimilarities) -> Self:
        tree, values = comparison.tree, comparison.values

        def cost_in_parts() -> Iterator[float]:
            for begin in range(0, len(values), _AT_ONCE):
                part = slice(begin, begin + _AT_ONCE)
                left, right = tree.places[comparison.left[part]], tree.places[comparison.right[part]]
                joining = reduce_ranges(np.maximum, tree.gaps, np.minimum(left, right), np.maximum(left, right))
                yield from (values[part] * tree.sizes[tree.n + joining]).tolist()

        return cls(fsum(cost_in_parts()), fsum(values.data), tree.n)


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
        """Accept two trees."""
        return Takes(comparison=TREES)

    @classmethod
    def of(cls, pair: TreePair) -> Self:
        """Return the statistic of two trees."""
        return pair.once(cls, cls._measure)

    @classmethod
    def _measure(cls, pair: TreePair) -> Self:
        a, b = _Levels(pair.a), _Levels(pair.b)
        looks = [int(np.minimum(*depths).sum()) for depths in combinations_with_replacement((a.depths, b.depths), 2)]
        if sum(looks) > (most := pair.limits.looks):
            raise InputError(
                f"a and b: their {pair.n:,} leaves lie so deep that they would be visited {sum(looks):,} times, once "
                f"on each level, and the limit is {most:,}; take a sample of the leaves, or trees of fewer levels"
            )
        tell = _VisitProgress(pair.progress, sum(looks))
        true, mutual, pred = (_share_levels(*two, tell) for two in combinations_with_replacement((a, b), 2))
        return cls(true, pred, mutual)


class _VisitProgress:
    """Reports the share of the visits to leaves that is done."""

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
        """Number of levels below the root on which each leaf or a node above it lies."""
        self.order = np.argsort(depths, kind="stable")
        self.ends = np.cumsum(np.bincount(depths))
        self.opens = np.zeros(len(depths), bool)
        """Whether a node has a branch below it; other nodes are not divided further."""
        branches = np.arange(n, len(depths) - 1)
        self.opens[tree.parents[branches]] = True

    def nodes_of(self, leaves: NDArray[np.int64], depth: int) -> NDArray[np.int64]:
        """Return the node of this depth above each leaf."""
        nodes = self.order[self.ends[depth - 1] : self.ends[depth]]
        nodes = nodes[np.argsort(self.tree.places[nodes])]
        return nodes[np.searchsorted(self.tree.places[nodes], self.tree.places[leaves], side="right") - 1]


def _share_levels(a: _Levels, b: _Levels, tell: _VisitProgress) -> float:
    """Return the mutual information of the children of two nodes with common leaves, weighted by their number.

    A level of both trees is processed at a time. The leaves still considered are those whose nodes are divided further
    on both sides, so a leaf is visited once on each level.
    """
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
    """Return the number of occurrences of each key."""
    _, places, counts = np.unique(keys, return_inverse=True, return_counts=True)
    return counts[places]
