"""Heights at which trees join two leaves, and their correlation with those of another tree or with distances."""

from __future__ import annotations

from functools import cached_property
from math import fsum, sqrt
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clustermark import _kernel
from clustermark.errors import InputError, Mention
from clustermark.statistics.statistic import Takes
from clustermark.subjects.tree_comparisons import TREE_DISTANCES, TREES, TreeDistances, TreePair

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Self

    from numpy.typing import NDArray

    from clustermark.subjects.tree import Tree

_BITS = 61


def _to_integers(values: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return numbers as integers up to 2**61 with proportional differences, which have the same correlation."""
    above = values - values.min()
    scaled: NDArray[np.float64] = np.rint(np.ldexp(above, _BITS - int(np.frexp(above.max())[1])))
    return scaled.astype(np.int64)


def _rank(values: NDArray[Any], counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return twice the mean rank of each value; `counts` is the number of occurrences of each."""
    _, places = np.unique(values, return_inverse=True)
    times = np.zeros(int(places.max()) + 1, np.int64)
    np.add.at(times, places, counts)
    return (2 * np.cumsum(times) - times + 1)[places]


def _stages(tree: Tree) -> NDArray[np.int64]:
    """Return the stage of merging of each branch; consecutive merges of the same height are one stage."""
    return np.cumsum(np.concatenate([[False], np.diff(tree.heights) != 0]))


def join_halves(halves: tuple[NDArray[np.int64], NDArray[np.uint64]]) -> list[int]:
    """Return integers of 128 bits from the halves that the kernel returns."""
    high, low = halves
    return [(a << 64) + b for a, b in zip(high.tolist(), low.tolist(), strict=True)]


class Moments(NamedTuple):
    """Sums for a correlation over pairs of leaves: exact integers for two trees."""

    n: int
    """Number of pairs."""
    products: Any
    a: Any
    b: Any
    a_squares: Any
    b_squares: Any

    @property
    def correlation(self) -> float:
        """Pearson's correlation; 0/0 where all values of a side are the same."""
        joint = self.n * self.products - self.a * self.b
        spread = (self.n * self.a_squares - self.a**2) * (self.n * self.b_squares - self.b**2)
        # the square is at most 1 as a fraction, so that rounding cannot take the root above it
        return sqrt(joint**2 / spread) * (1 if joint >= 0 else -1)


class PairHeights:
    """Heights and stages at which two trees join each pair of leaves."""

    def __init__(self, pair: TreePair) -> None:
        self._pair = pair

    @classmethod
    def takes(cls) -> Takes:
        """Accept two trees."""
        return Takes(comparison=TREES)

    @classmethod
    def of(cls, pair: TreePair) -> Self:
        """Return the statistic of two trees."""
        return pair.once(cls, cls)

    @cached_property
    def pearson(self) -> float:
        """The correlation of heights."""
        return self._correlate(*(_to_integers(tree.heights) for tree in self._trees))

    @cached_property
    def spearman(self) -> float:
        """The correlation of the ranks of heights."""
        return self._correlate(*(_rank(tree.heights, tree.joined_pairs) for tree in self._trees))

    @cached_property
    def stages(self) -> float:
        """The correlation of the ranks of stages."""
        return self._correlate(*(_rank(_stages(tree), tree.joined_pairs) for tree in self._trees))

    @property
    def _trees(self) -> tuple[Tree, Tree]:
        return self._pair.a, self._pair.b

    def _correlate(self, a: NDArray[np.int64], b: NDArray[np.int64]) -> float:
        one, other = self._trees
        joined = _kernel.sum_joined(one.starts, one.children, other.starts, other.children, b)
        values = (a.tolist(), one.joined_pairs.tolist()), (b.tolist(), other.joined_pairs.tolist())
        sums = [sum(x * n for x, n in zip(*side, strict=True)) for side in values]
        squares = [sum(x * x * n for x, n in zip(*side, strict=True)) for side in values]
        products = sum(x * y for x, y in zip(values[0][0], join_halves(joined), strict=True))
        return Moments(one.n * (one.n - 1) // 2, products, *sums, *squares).correlation


class HeightsAndDistances:
    """Heights at which a tree joins each pair of leaves, and the distances of the two."""

    def __init__(self, comparison: TreeDistances) -> None:
        self._comparison = comparison

    @classmethod
    def takes(cls) -> Takes:
        """Accept a tree and distances."""
        return Takes(comparison=TREE_DISTANCES)

    @classmethod
    def of(cls, comparison: TreeDistances) -> Self:
        """Return the statistic of a tree and distances."""
        return comparison.once(cls, cls)

    @cached_property
    def pearson(self) -> float:
        """The correlation of heights and distances."""
        return _correlate_parts(self._rows)

    @cached_property
    def spearman(self) -> float:
        """The correlation of their ranks; raise if the pairs exceed `limits.ranked`."""
        n, most = self._comparison.tree.n, self._comparison.limits.ranked
        if n * (n - 1) // 2 > most:
            raise InputError(
                f"distances: {n:,} leaves have {n * (n - 1) // 2:,} distances to sort, and the limit is "
                f"{most:,}; take a sample of the leaves, or ",
                Mention("method", "pearson"),
            )
        if n < 2:
            raise ZeroDivisionError
        sides = [np.concatenate(side) for side in zip(*self._rows(), strict=True)]
        ranks = [_rank(side, np.ones(len(side), np.int64)).astype(np.float64) for side in sides]
        return _correlate_parts(lambda: [(ranks[0], ranks[1])])

    def _rows(self) -> Iterator[tuple[NDArray[np.float64], NDArray[np.float64]]]:
        """Yield, for each leaf, the heights and the distances to all leaves with larger numbers."""
        tree, comparison = self._comparison.tree, self._comparison
        largest = max((float(comparison.row(leaf).max()) for leaf in range(tree.n - 1)), default=0.0)
        heights = _to_unit(tree.heights, float(tree.heights.max()))
        for leaf in range(tree.n - 1):
            yield heights[_joining(tree, leaf)], _to_unit(comparison.row(leaf).astype(np.float64), largest)


def _to_unit(values: NDArray[np.float64], largest: float) -> NDArray[np.float64]:
    """Return non-negative numbers divided by the power of two above `largest`, so that no sum of squares overflows."""
    scaled: NDArray[np.float64] = np.ldexp(values, -int(np.frexp(largest)[1]))
    return scaled


def _joining(tree: Tree, leaf: int) -> NDArray[np.int64]:
    """Return the branches that join a leaf with each leaf of a larger number."""
    place, found = tree.places[leaf], np.empty(tree.n, np.int64)
    found[place + 1 :] = np.maximum.accumulate(tree.gaps[place:])
    found[:place] = np.maximum.accumulate(tree.gaps[:place][::-1])[::-1]
    return found[tree.places[leaf + 1 : tree.n]]


def _correlate_parts(parts: Callable[[], Iterable[tuple[NDArray[np.float64], NDArray[np.float64]]]]) -> float:
    """Return Pearson's correlation of numbers in parts, which are read twice: first for the means."""
    seen = [(len(a), a.sum(), b.sum(), a.min(), a.max(), b.min(), b.max()) for a, b in parts() if len(a)]
    if not seen:
        raise ZeroDivisionError
    sizes, a_sums, b_sums, a_low, a_high, b_low, b_high = zip(*seen, strict=True)
    if min(a_low) == max(a_high) or min(b_low) == max(b_high):
        raise ZeroDivisionError
    a_mean, b_mean = fsum(a_sums) / sum(sizes), fsum(b_sums) / sum(sizes)
    products = [(a @ b, a @ a, b @ b) for a, b in ((a - a_mean, b - b_mean) for a, b in parts())]
    joint, a_squares, b_squares = (fsum(sums) for sums in zip(*products, strict=True))
    found = joint / (sqrt(a_squares) * sqrt(b_squares))
    return max(-1.0, min(found, 1.0))  # rounding can exceed the bounds
