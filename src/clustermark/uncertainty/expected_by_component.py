"""Expected mutual information without one component of a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clustermark import _kernel
from clustermark.statistics.units import NoClosedFormError

if TYPE_CHECKING:
    from numpy.typing import NDArray

_AT_ONCE = 1 << 22
"""Number of products that are held at once."""


class SizesByComponent(NamedTuple):
    """The sizes of the clusters of one side, and the component of each cluster."""

    component: NDArray[np.int64]
    size: NDArray[np.int64]
    times: NDArray[np.int64]
    """Number of such clusters in the component."""


def expected_without_components(
    sides: tuple[SizesByComponent, SizesByComponent],
    left: NDArray[np.int64],
    multiplicity: NDArray[np.int64],
    most_terms: int = 1 << 31,
) -> NDArray[np.float64]:
    """Return the expected mutual information without one component of each class.

    It is a sum over all pairs of a true and a predicted cluster of a term of their sizes and of the number of points.
    For a given number of points that are left, the sum without a component follows from the sums of whole rows and
    columns of the terms, and from the terms of the component itself.

    sides: the clusters of the classes of components. left: number of points without each class. multiplicity: number
    of components of each class. most_terms: the largest number of terms that are computed, over all numbers of points
    that are left.
    """
    from scipy.sparse import csr_array

    held, sizes = [], []
    for side in sides:
        known, place = np.unique(side.size, return_inverse=True)
        shape = len(left), len(known)
        held.append(csr_array((side.times.astype(np.float64), (side.component, place.ravel())), shape=shape))
        sizes.append(known)
    _refuse_too_many(sizes, left, most_terms)
    expected = np.full(len(left), np.nan)
    whole = [np.asarray(side.T @ multiplicity) for side in held]
    for total in np.unique(left):
        classes = np.flatnonzero(left == total)
        fits = [known <= total for known in sizes]  # larger clusters are those of the component left out
        rows, columns = (known[fit] for known, fit in zip(sizes, fits, strict=True))
        terms = _kernel.expected_excesses(rows, columns, int(total)).reshape(len(rows), len(columns))
        for part in np.array_split(classes, max(1, len(classes) * terms.shape[1] // _AT_ONCE)):
            rest = [
                _Rest(all_of_side[fit], side[part][:, np.flatnonzero(fit)])
                for all_of_side, side, fit in zip(whole, held, fits, strict=True)
            ]
            values = _sum_terms(terms, *rest) / total if total > 1 else np.zeros(len(part))
            unchanging = [(one.clusters <= 1) | (one.clusters == total) for one in rest]
            expected[part] = np.where(unchanging[0] | unchanging[1], np.nan, values)
    return expected


class _Rest(NamedTuple):
    """The clusters of one side that are left without each component, by size."""

    whole: NDArray[np.float64]
    """Number of clusters of each size, in all components."""
    without: Any
    """Number of clusters of each size in each component: a sparse matrix."""

    @property
    def clusters(self) -> NDArray[np.float64]:
        return np.asarray(self.whole.sum() - self.without.sum(axis=1))


def _sum_terms(terms: NDArray[np.float64], true: _Rest, pred: _Rest) -> NDArray[np.float64]:
    """Return (h - d)ᵀ F (k - e) for the sizes h and k of both sides, and those of each component, d and e."""
    of_rows = terms @ pred.whole
    crossed = pred.without.multiply(true.without @ terms).sum(axis=1)
    found = true.whole @ of_rows - true.without @ of_rows - pred.without @ (true.whole @ terms) + crossed
    return np.asarray(found)


def _refuse_too_many(sizes: list[NDArray[np.int64]], left: NDArray[np.int64], most_terms: int) -> None:
    """Refuse components of too many different sizes: random halves are faster."""
    few = len(sizes[0]) * len(sizes[1]) < _AT_ONCE
    terms = np.minimum(sizes[0][:, None], sizes[1][None, :]).sum() if few else np.inf
    if terms * len(np.unique(left)) > most_terms:
        raise NoClosedFormError("has too many terms without one component")
