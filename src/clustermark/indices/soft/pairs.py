"""Indices of soft clusterings by pairs of items."""

from __future__ import annotations

from math import inf

from clustermark.indices.soft.face import of_memberships
from clustermark.statistics.soft import PairAgreements, SoftTable


@of_memberships(
    PairAgreements,
    title="Fuzzy Rand index",
    abbreviation="HR",
    formula="1 - mean of abs(E_U - E_V) over pairs of items, E = 1 - sum(abs(u_i - u_j)) / 2",
    reference="hullermeier2012",
    metric=None,
    undefined_when="there are fewer than two items",
    aliases=("ndc", "degree_of_concordance"),
    panel=True,
)
def fuzzy_rand(p: PairAgreements) -> float:
    """How alike two clusterings find each two items: the Rand index of soft clusterings, 1 for a clustering and itself.

    Of hard clusterings it is the Rand index. It looks at every pair of items, a block at a time.

    >>> fuzzy_rand([[0.9, 0.1], [0.8, 0.2], [0.1, 0.9]], [0, 0, 1])
    0.8
    """
    return 1 - p.difference


@of_memberships(
    PairAgreements,
    title="Adjusted concordance index",
    abbreviation="ACI",
    formula="(HR - E) / (1 - E), E the mean of HR over all permutations of the items",
    reference="dambrosio2021",
    bounds=(-inf, 1.0),
    chance_model="permutation",
    undefined_when="both clusterings find all pairs of items equally alike, or there are fewer than two items",
    panel=True,
)
def adjusted_concordance(p: PairAgreements) -> float:
    """The fuzzy Rand index corrected for chance: 0 on average if the items of a side are shuffled, 1 for identity.

    The mean over all permutations is exact. For it all pairs of items are put in order: more than 50,000,000 (10,000
    items) are refused.

    >>> adjusted_concordance([[0.9, 0.1], [0.8, 0.2], [0.1, 0.9]], [0, 0, 1])
    0.59090...
    """
    expected = p.expected
    if expected <= _LAST_BITS:
        raise ZeroDivisionError
    return 1 - p.difference / expected


@of_memberships(
    SoftTable,
    title="Frobenius Rand index",
    abbreviation="FRI",
    formula="1 - n / (n - 1) * (u_variance + v_variance - 2 * covariance) / ((1 + u_variance) * (1 + v_variance))",
    reference="andrews2022",
    bounds=(-inf, 1.0),
    undefined_when="there are fewer than two items",
    peers={"MoEClust": "FRI"},
)
def frobenius_rand(s: SoftTable) -> float:
    """The Rand index of the matrices of likeness of items, each scaled to be nearest to a hard clustering.

    Of hard clusterings it is the Rand index. It takes time with items times squared clusters, never with pairs.

    >>> frobenius_rand([[1.0, 0.0], [0.8, 0.2], [0.0, 1.0]], [0, 0, 1])
    0.95842...
    """
    scale = (1 + s.u_variance) * (1 + s.v_variance)
    return 1 - s.n / (s.n - 1) * _apart(s, s.covariance) / scale


@of_memberships(
    SoftTable,
    title="Frobenius adjusted Rand index",
    abbreviation="FARI",
    formula="(covariance - expected_covariance) / ((u_variance + v_variance) / 2 - expected_covariance)",
    reference="andrews2022",
    bounds=(-inf, 1.0),
    chance_model="permutation",
    undefined_when="no permutation of the items changes anything, or there are fewer than two items",
    peers={"MoEClust": "FARI"},
    panel=True,
)
def frobenius_adjusted_rand(s: SoftTable) -> float:
    """The Frobenius Rand index corrected for chance; of hard clusterings it is the adjusted Rand index.

    The mean over all permutations is exact. It takes time with items times squared clusters, never with pairs.

    >>> frobenius_adjusted_rand([[1.0, 0.0], [0.8, 0.2], [0.0, 1.0]], [0, 0, 1])
    0.90158...
    """
    return 1 - _apart(s, s.covariance) / _apart(s, s.expected_covariance)


_LAST_BITS = 1e-15
"""Items differ by so much if their memberships differ by rounding alone."""
_ROUNDED = 1e-12
"""Of numbers about 1 that cancel, so much may be left by rounding alone."""


def _apart(s: SoftTable, covariance: float) -> float:
    """The squared distance of the matrices of likeness, each divided by its mean, if they covary like this; / n²."""
    squares = s.u_variance + s.v_variance
    apart = squares - 2 * covariance
    return apart if apart > _ROUNDED * squares else 0.0
