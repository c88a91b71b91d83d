"""Statistics of soft clusterings: sums over items, and over pairs of items."""

from __future__ import annotations

from functools import cached_property
from math import fsum
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clustermark import _kernel
from clustermark.errors import InputError
from clustermark.statistics.statistic import Takes
from clustermark.subjects.soft_clusterings import ONE_SOFT, SOFT, SoftClustering, SoftPair

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Self

    from numpy.typing import NDArray


class SoftTable(NamedTuple):
    """Overlaps of the clusters of two soft clusterings: sums over items of products of memberships.

    The likeness of two items is the sum of the products of their memberships. Its variance and covariance are summed
    from memberships less their means, so they lose no digits where all memberships are nearly the same.
    """

    n: int
    """Number of items."""
    products: float
    """The sum of the squared overlaps of two clusters: the sum over pairs of items of the products of likeness."""
    u_likeness: float
    """The sum, over all ordered pairs of items, of their likeness in the first clustering."""
    v_likeness: float
    """The same in the second."""
    u_variance: float
    """The variance of likeness over all ordered pairs of items, over its squared mean; in the first clustering."""
    v_variance: float
    """The same in the second."""
    covariance: float
    """The covariance of likeness in both, divided by the product of the means."""
    expected_covariance: float
    """Its mean over all permutations of the items of a side."""
    true: float
    """The entropy of the sizes of the first clustering's clusters, in nats."""
    pred: float
    """That of the second."""
    variation: float
    """The variation of information, in nats."""

    @property
    def mutual(self) -> float:
        """The mutual information, in nats, within its bounds also after rounding."""
        return max(0.0, min((self.true + self.pred - self.variation) / 2, self.true, self.pred))

    @classmethod
    def takes(cls) -> Takes:
        """Accept two soft clusterings."""
        return Takes(comparison=SOFT)

    @classmethod
    def of(cls, pair: SoftPair) -> Self:
        """Return the statistic of two soft clusterings."""
        return pair.once(cls, cls._measure)

    @classmethod
    def _measure(cls, pair: SoftPair) -> Self:
        u, v = pair.u.matrix, pair.v.matrix
        _refuse_many_clusters(u, v, pair.limits.clusters)
        shared = _multiply(u, v)
        values, rows, columns = _entries(shared)
        # cluster sizes as sums of these rounded numbers, so that no logarithm is negative
        of_rows = np.bincount(rows, values, pair.u.k)
        of_columns = np.bincount(columns, values, pair.v.k)
        n = pair.n
        apart = values * (np.log(of_rows[rows] / values) + np.log(of_columns[columns] / values))
        sizes = [np.asarray(side.sum(axis=0)).ravel() for side in (u, v)]
        likeness = [_square_sum(size) for size in sizes]
        one, other = _Centred(u), _Centred(v)
        variances = [side.covary(side) for side in (one, other)]
        covariances = one.covary(other), one.covary_by_chance(other)
        entropies = [_entropy(size, n) for size in sizes]
        variation = fsum(apart.tolist()) / n
        return cls._make([n, _square_sum(values), *likeness, *variances, *covariances, *entropies, variation])


def _square_sum(values: Any) -> float:
    return float((values**2).sum())


def _refuse_many_clusters(u: Any, v: Any, most: int) -> None:
    if not (hasattr(u, "tocsr") and hasattr(v, "tocsr")) and u.shape[1] * v.shape[1] > most:
        raise InputError(
            f"U and V: {u.shape[1]:,} times {v.shape[1]:,} clusters are more than {most:,}; pass sparse matrices"
        )


def _multiply(u: Any, v: Any) -> Any:
    """Return the overlap of each pair of clusters."""
    both_sparse = hasattr(u, "tocsr") and hasattr(v, "tocsr")
    return u.T @ v if both_sparse or not hasattr(v, "tocsr") else (v.T @ u).T


_NOISE = 2.0**-50
"""Memberships that differ by less are equal: rows that were divided by their sums differ in their last bits."""


class _Centred:
    """Memberships less the mean m of their cluster, c = u - m: the likeness of i and j is m² + m c_i + m c_j + c_i c_j.

    The c of a cluster sum to 0 over the items, and so do the last three terms, so variances need no large sums. A
    sparse matrix keeps its zeros unless it is half full; the means are then subtracted from the sums made of it.
    """

    def __init__(self, matrix: Any) -> None:
        self.n = int(matrix.shape[0])
        self.sparse = hasattr(matrix, "tocsr")
        if self.sparse and 2 * matrix.nnz >= self.n * len(used := np.unique(matrix.indices)):
            matrix, self.sparse = matrix[:, used].toarray(), False
        if self.sparse:
            self.means: NDArray[np.float64] = np.asarray(matrix.sum(axis=0)).ravel() / self.n
            self.matrix: Any = matrix
            held = np.bincount(matrix.indices, minlength=matrix.shape[1])
            within = _clean(matrix.data - self.means[matrix.indices], 1)
            self.squares = _square_sum(within) + float((self.means**2 * (self.n - held)).sum())
            uneven = self._uneven_means()
            along = matrix @ uneven - self.means @ uneven
        else:
            above = matrix - matrix[0]  # exactly 0 where all items are equal
            self.means = matrix[0] + above.mean(axis=0)
            self.matrix = _clean(above - above.mean(axis=0), 1)
            self.squares = _square_sum(self.matrix)
            along = self.matrix @ self._uneven_means()
        self.along: NDArray[np.float64] = along
        """m c of each item."""
        self.mean = float(self.means @ self.means)
        """The mean likeness."""

    def _uneven_means(self) -> NDArray[np.float64]:
        """Return the means less their own mean.

        The c of an item sum to 0, so m c is the same, and no digits are lost.
        """
        return self.means - 1 / np.count_nonzero(self.means)

    def covary(self, other: _Centred) -> float:
        """Return the covariance of likeness over all ordered pairs of items, divided by both means."""
        total = 2 * self.n * float(self.along @ other.along) + self._square_products(other)
        return total / (self.n**2 * self.mean * other.mean)

    def covary_by_chance(self, other: _Centred) -> float:
        """Return the mean of the covariance over all permutations of the items of a side."""
        if self.n < 2:
            return 0.0
        return self.squares * other.squares / ((self.n - 1) * self.n**2 * self.mean * other.mean)

    def _square_products(self, other: _Centred) -> float:
        """Return the sum of squares of the overlaps of two clusters beyond chance; one side must be centred."""
        shared = _multiply(self.matrix, other.matrix)
        if not (self.sparse and other.sparse):
            return _square_sum(shared)
        values, rows, columns = _entries(shared)
        by_chance = self.n * self.means[rows] * other.means[columns]
        met = _square_sum(_clean(values - by_chance, by_chance))
        squares = other.means**2
        lacking = squares.sum() - np.bincount(rows, squares[columns], len(self.means))
        overlap_all = np.bincount(rows, minlength=len(self.means)) == np.count_nonzero(squares)
        lacking[overlap_all] = 0
        return met + self.n**2 * float(self.means**2 @ np.maximum(lacking, 0))


def _clean(values: NDArray[np.float64], scale: Any) -> NDArray[np.float64]:
    """Return differences of numbers of this scale, with 0 for those within rounding error."""
    return np.where(abs(values) > _NOISE * scale, values, 0.0)


def _entries(shared: Any) -> tuple[NDArray[np.float64], NDArray[Any], NDArray[Any]]:
    """Return the entries other than 0, and their rows and columns."""
    if hasattr(shared, "tocoo"):
        found = shared.tocoo()
        kept = found.data > 0
        return found.data[kept], found.row[kept], found.col[kept]
    rows, columns = np.nonzero(shared)
    return shared[rows, columns], rows, columns


def _entropy(sizes: NDArray[Any], n: int) -> float:
    sizes = sizes[sizes > 0]
    return max(0.0, fsum((sizes * np.log(n / sizes)).tolist()) / n)


class PairAgreements:
    """Similarities of pairs of items on both sides: E = 1 - half the sum of differences of their memberships.

    E_U - E_V is computed as the difference of these halves, which loses no digits where all items are nearly equal.
    """

    def __init__(self, pair: SoftPair) -> None:
        self._pair = pair
        self.pairs = pair.n * (pair.n - 1) // 2
        """Number of pairs of items."""

    @classmethod
    def takes(cls) -> Takes:
        """Accept two soft clusterings."""
        return Takes(comparison=SOFT, needs="pairs")

    @classmethod
    def of(cls, pair: SoftPair) -> Self:
        """Return the statistic of two soft clusterings."""
        return pair.once(cls, cls)

    @cached_property
    def _together(self) -> tuple[int, int, int] | None:
        """Pairs that are together in the first, in the second and in both, if both are hard; else None."""
        if self._pair.u.codes is None or self._pair.v.codes is None:
            return None
        table = SoftTable.of(self._pair)
        a, b, both = ((round(x) - self._pair.n) // 2 for x in (table.u_likeness, table.v_likeness, table.products))
        return a, b, both

    @cached_property
    def difference(self) -> float:
        """The mean of |E_U - E_V| over the pairs of items."""
        if self._together is not None:
            a, b, both = self._together
            return (a + b - 2 * both) / self.pairs
        return fsum(float(abs(a - b).sum()) for a, b in self._blocks()) / self.pairs

    @cached_property
    def expected(self) -> float:
        """The mean of `difference` over all permutations of the items of a side: the mean over all pairs of pairs."""
        if self._together is not None:
            a, b, _ = self._together
            return (a * (self.pairs - b) + b * (self.pairs - a)) / self.pairs**2
        if self.pairs > self._pair.limits.sorted_pairs:
            raise InputError(
                f"U and V: {self._pair.n:,} items have {self.pairs:,} pairs to sort, and the limit is "
                f"{self._pair.limits.sorted_pairs:,}; take a sample of the items"
            )
        if not self.pairs:
            raise ZeroDivisionError
        sides = np.empty((2, self.pairs))
        done = 0
        for block in self._blocks():
            sides[:, done : done + len(block[0])] = block
            done += len(block[0])
        sides.sort(axis=1)
        return _kernel.mean_difference(sides[0], sides[1])

    def _blocks(self) -> Iterator[tuple[NDArray[np.float64], NDArray[np.float64]]]:
        """Yield 1 - E on both sides, for a block of pairs at a time."""
        n = self._pair.n
        height = max(1, self._pair.limits.block // n)
        for first in range(0, n, height):
            last = min(first + height, n)
            above = np.arange(n - first) > np.arange(last - first)[:, None]
            yield self._pair.u.differences(first, last)[above], self._pair.v.differences(first, last)[above]
            if self._pair.progress is not None:
                self._pair.progress(1 - ((n - last) / n) ** 2)


class MatchedColumns:
    """One-to-one matchings of the clusters of two soft clusterings."""

    def __init__(self, pair: SoftPair) -> None:
        self._pair = pair

    @classmethod
    def takes(cls) -> Takes:
        """Accept two soft clusterings."""
        return Takes(comparison=SOFT)

    @classmethod
    def of(cls, pair: SoftPair) -> Self:
        """Return the statistic of two soft clusterings."""
        return pair.once(cls, cls)

    def least(self, power: int) -> float:
        """Return the least sum of differences of memberships, or of their squares (power 2), over all matchings."""
        from scipy.optimize import linear_sum_assignment
        from scipy.spatial.distance import cdist

        u, v = self._pair.u, self._pair.v
        k = max(u.k, v.k)
        if k * k > (most := self._pair.limits.clusters):
            raise InputError(f"U and V: {k:,} clusters are too many to be matched; the limit is {most:,} pairs")
        one, other = (np.pad(side.dense, ((0, 0), (0, k - side.k))).T for side in (u, v))
        costs = cdist(one, other, "cityblock" if power == 1 else "sqeuclidean")
        return fsum(costs[linear_sum_assignment(costs)].tolist())


class MembershipShares(NamedTuple):
    """Sums of the squared memberships and of the entropies of items."""

    n: int
    """Number of items."""
    k: int
    """Number of clusters."""
    squares: float
    """The sum of squared memberships."""
    entropy: float
    """The sum, over items, of the entropy of their memberships, in nats."""

    @classmethod
    def takes(cls) -> Takes:
        """Accept one soft clustering."""
        return Takes(comparison=ONE_SOFT)

    @classmethod
    def of(cls, clustering: SoftClustering) -> Self:
        """Return the statistic of a soft clustering."""
        return clustering.once(cls, cls._measure)

    @classmethod
    def _measure(cls, clustering: SoftClustering) -> Self:
        matrix = clustering.matrix
        values = matrix.data if hasattr(matrix, "tocsr") else matrix[matrix > 0]
        values = values[values > 0]
        entropy = -float((values * np.log(values)).sum())
        return cls(clustering.n, clustering.k, float((values**2).sum()), max(0.0, entropy))
