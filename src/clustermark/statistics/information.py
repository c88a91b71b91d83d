"""Entropies of two labelings, their mutual information, and the shares of cells."""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from math import fsum, log, log1p
from sys import float_info
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from clustermark import _kernel
from clustermark.errors import InputError, Mention
from clustermark.statistics.chance import do_pairs_vary
from clustermark.statistics.differences import apartness, cancels, dependence, sum_of_logarithms
from clustermark.statistics.sizes import weighted_cells
from clustermark.statistics.statistic import Takes, unscale

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from clustermark.tables.contingency import Contingency
    from clustermark.tables.sums import SizeRow

Histogram: TypeAlias = "Sequence[tuple[int, int]]"
"""(size, number of clusters or cells of this size), sorted by size."""

_SHARES = "probabilities are shares of the total weight"
_EPSILON = float_info.epsilon
NO_INFORMATION = 8 * _EPSILON
"""An entropy or information is 0 below this share of the numbers whose difference it is: it is rounding error."""
_EXACT_TERMS = 1e8
"""Most terms of an exact variance, which take seconds; with more, random tables are faster."""


class Entropies:
    """Entropies of truth, prediction and both together, in nats.

    Each term of an entropy is rounded, and the terms are added exactly. So the order does not matter, equal sizes give
    equal bits, and the mutual information of a partition with itself is exactly its entropy.
    """

    n: float
    """Number of points, or their total weight."""
    k_true: int
    """Number of true clusters."""
    k_pred: int
    true: float
    """Entropy of the truth."""
    pred: float
    """Entropy of the prediction."""
    joint: float
    """Entropy of the cells."""
    mutual: float
    """true + pred - joint: the mutual information."""
    true_given_pred: float
    """joint - pred: the conditional entropy of the truth given the prediction."""
    pred_given_true: float

    def __init__(self, n: float, clusters: tuple[int, int], entropies: tuple[float, float, float]) -> None:
        self.n = n
        self.k_true, self.k_pred = clusters
        self.true, self.pred, self.joint = entropies
        self.mutual = _mutual_information(*entropies)
        self._sizes: tuple[Histogram, Histogram] | None = None

    def _set_conditional(self, given_pred: float, given_true: float) -> None:
        """Set the conditional entropies, which lie between 0 and the entropy, also after rounding."""
        independent = self.mutual == 0.0
        self.true_given_pred = self.true if independent else min(max(given_pred, 0.0), self.true)
        self.pred_given_true = self.pred if independent else min(max(given_true, 0.0), self.pred)

    @classmethod
    def takes(cls) -> Takes:
        """Accept weights."""
        return Takes(weights=_SHARES)

    @classmethod
    def of(cls, table: Contingency) -> Entropies:
        """Return the entropies of a table."""
        return table.once(cls, _entropies if table.weights is None else _weighted_entropies)

    @property
    def weighted(self) -> bool:
        """Whether the points carry real weights."""
        return self._sizes is None

    @property
    def variation(self) -> float:
        """Variation of information: the sum of both conditional entropies."""
        return self.true_given_pred + self.pred_given_true

    @property
    def fixed(self) -> bool:
        """Whether no permutation changes the mutual information: for example, a side is one cluster or singletons.

        A sum over cells of a strictly convex function is the same for all permutations only if exchanging two points
        always gives the same cell sizes. So Σ n ln n is constant if and only if Σ n² is, which integers decide exactly.
        """
        if self._sizes is None:
            return bool({self.k_true, self.k_pred} & {1, self.n})
        true, pred = (
            (sum(size**2 * times for size, times in sizes), sum(size**3 * times for size, times in sizes))
            for sizes in self._sizes
        )
        return not do_pairs_vary(int(self.n), true, pred)

    @cached_property
    def expected(self) -> float:
        """Mean of the mutual information over all permutations of the points."""
        return self.mutual if self.fixed else _kernel.expected_mutual_information(*self._margins())

    @cached_property
    def variance(self) -> float | None:
        """Variance of the mutual information over all permutations; None if it would take too long."""
        return 0.0 if self.fixed else _kernel.mutual_information_variance(*self._margins(), _EXACT_TERMS)

    @cached_property
    def most_variance(self) -> float:
        """An upper limit of the variance over all permutations, which needs no terms of single cells.

        N · I is Σ n ln n and a constant of the cluster sizes, of which each sum of n (αᵢ + βⱼ) is one too. So a cell
        adds about the variance of n ln n, or of n ln(n / λ), of a Poisson variable with mean λ = ab / N.
        """
        sizes = [np.array(side, np.float64).T for side in self._margins()]
        (a, times_a), (b, times_b) = sizes
        expected, times = np.outer(a, b) / self.n, np.outer(times_a, times_b)
        line = expected * (np.log(expected) + 1) ** 2
        few = np.where(expected < 1, expected * expected, line)
        many = np.where(expected < 1, expected * expected + line, 1.0)
        return float(min((few * times).sum(), (many * times).sum())) / self.n**2

    def sample(self, samples: int, seed: int, first: int = 0) -> NDArray[np.float64]:
        """Return the mutual information of `samples` random permutations, beginning with number `first`."""
        return _kernel.sample_mutual_information(*self._margins(), samples, seed, first)

    def _margins(self) -> tuple[Histogram, Histogram]:
        """Return the sizes of both sides in sorted order, so that exchanging truth and prediction changes no bit."""
        if self._sizes is None:
            raise InputError("mutual information with real weights has no distribution under permutation")
        first, second = sorted(self._sizes, key=tuple)
        return first, second


def _entropies(table: Contingency) -> Entropies:
    refuse_one_sided(table)
    profile = table.profile
    n = profile.n_points
    cells, true, pred = profile.cell_sizes, histogram(profile.true_sizes), histogram(profile.pred_sizes)
    view = Entropies(
        n, (clusters_of(true), clusters_of(pred)), (_entropy(true, n), _entropy(pred, n), _entropy(cells, n))
    )
    if cancels(view.mutual, view.true + view.pred + view.joint):
        shared = sum_of_logarithms(_balance([*cells, (n, 1)], [*true, *pred]), n)
        view.mutual = min(shared, view.true, view.pred)
    view._set_conditional(_left_to_learn(pred, cells, n), _left_to_learn(true, cells, n))
    # with a conditional entropy of exactly 0, the mutual information must equal the entropy to the last bit
    if not view.true_given_pred:
        view.mutual = view.true
    elif not view.pred_given_true:
        view.mutual = view.pred
    view._sizes = true, pred
    return view


def histogram(rows: Sequence[SizeRow]) -> Histogram:
    """Return the number of clusters of each size."""
    return [(row.size, row.clusters) for row in rows]


def clusters_of(sizes: Histogram) -> int:
    """Return the number of clusters in a histogram."""
    return sum(clusters for _, clusters in sizes)


def _entropy(sizes: Histogram, n: int) -> float:
    """Return Σ (size / n) ln(n / size); no term is negative, so nothing cancels."""
    return fsum(size * clusters * _log_ratio(n, size) for size, clusters in sizes) / n


def _log_ratio(whole: int, part: int) -> float:
    # near 1 the rounding error of the ratio would be that of its logarithm
    return log1p((whole - part) / part) if 2 * part > whole else log(whole / part)


def _left_to_learn(clusters: Histogram, cells: Histogram, n: int) -> float:
    """Return the entropy of the cells minus that of the clusters; clusters that are one cell cancel exactly."""
    more = _balance(cells, clusters)
    largest = max(more)  # the points of `more` add up to 0, so any size can be the unit; this keeps logarithms small
    terms = [size * times * _log_ratio(largest, size) for size, times in more.items()]
    left = fsum(terms)
    return 0.0 - sum_of_logarithms(more, n) if cancels(left, fsum(map(abs, terms))) else left / n


def _balance(added: Histogram, subtracted: Histogram) -> Counter[int]:
    """Return the number of entries of each size in `added` less that in `subtracted`; sizes may occur twice."""
    balance: Counter[int] = Counter()
    for sizes, sign in ((added, 1), (subtracted, -1)):
        for size, times in sizes:
            balance[size] += sign * times
    return balance


def _mutual_information(true: float, pred: float, joint: float) -> float:
    shared = fsum((true, pred, -joint))
    # a few units in the last place of the entropies are rounding: independent labelings share exactly 0
    if shared <= NO_INFORMATION * (true + pred + joint):
        return 0.0
    return min(shared, true, pred)  # rounding can exceed this bound by as much


def _weighted_entropies(table: Contingency) -> Entropies:
    refuse_one_sided(table)
    _, _, w, true, pred = weighted_cells(table)
    total = fsum(w)
    terms = _terms(true, total), _terms(pred, total), _terms(w, total)
    of_true, of_pred, of_cells = (max(fsum(side), 0.0) if len(side) > 1 else 0.0 for side in terms)
    view = Entropies(total, (len(true), len(pred)), (of_true, of_pred, of_cells))
    view._set_conditional(
        fsum(np.concatenate([terms[2], -terms[1]])),
        fsum(np.concatenate([terms[2], -terms[0]])),
    )
    return view


def _terms(weights: NDArray[np.float64], total: float) -> NDArray[np.float64]:
    """Return -p ln p of the shares p of the total; shares that underflow are left out."""
    p = weights / total
    p = p[p > 0]
    near_one: NDArray[np.float64] = np.minimum(1.0 - p, 0.5)  # exact where p is more than a half
    terms: NDArray[np.float64] = p * np.where(p > 0.5, -np.log1p(-near_one), -np.log(p))
    return terms


def refuse_one_sided(table: Contingency) -> None:
    """Raise if the table has items of one side only, which are in no cell."""
    if table.one_sided:
        raise InputError("unmatched items have no information; choose ", Mention("unmatched", "drop", "singletons"))


class Shares(NamedTuple):
    """The sum over cells of n / a times n / b, the shares of a cell in its two clusters."""

    n: float
    k_true: int
    k_pred: int
    shares: float
    """Sum of n² / (a b): 1 for independent labelings, the number of clusters for identical ones."""
    dependence: float
    """shares - 1 without cancellation."""
    apartness: float
    """k_true + k_pred - 2 shares without cancellation."""

    @classmethod
    def takes(cls) -> Takes:
        """Accept weights."""
        return Takes(weights="sizes are sums of weights")

    @classmethod
    def of(cls, table: Contingency) -> Shares:
        """Return the shares of a table."""
        return table.once(cls, _shares)


def _shares(table: Contingency) -> Shares:
    refuse_one_sided(table)
    shares = unscale(table.joint().shares)
    k_true, k_pred = table.n_true_clusters, table.n_pred_clusters
    # a sum within rounding error of a bound (1, or the number of clusters) is set to the bound
    for bound in (1, k_true, k_pred):
        if abs(shares - bound) <= 4 * _EPSILON * shares:
            shares = float(bound)
    more, less = shares - 1, k_true + k_pred - 2 * shares
    if table.weights is not None:
        return Shares(fsum(table.weights), k_true, k_pred, shares, more, less)
    if cancels(more, 1):
        more = dependence(table.sized_cells(), table.n_used)
    if cancels(less, k_true + k_pred):
        less = apartness(table.sized_cells())
    return Shares(float(table.n_used), k_true, k_pred, shares, more, less)
