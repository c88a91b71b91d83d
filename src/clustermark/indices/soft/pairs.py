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
    if expected <= _ROUNDED:
        raise ZeroDivisionError
    return 1 - p.difference / expected


@of_memberships(
    SoftTable,
    title="Frobenius Rand index",
    abbreviation="FRI",
    formula="(2 * a * b * products - a * u_likeness - b * v_likeness + n ** 2 - n) / (n ** 2 - n), "
    "a = u_likeness / u_products, b = v_likeness / v_products",
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
    if s.n < 2:
        raise ZeroDivisionError
    return 1 - _apart(s, s.products) / (s.n * (s.n - 1))


@of_memberships(
    SoftTable,
    title="Frobenius adjusted Rand index",
    abbreviation="FARI",
    formula="(FRI - E) / (1 - E), E the mean of FRI over all permutations of the items",
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
    if s.n < 2:
        raise ZeroDivisionError
    own = s.u_own * s.v_own / s.n
    others = (s.u_likeness - s.u_own) * (s.v_likeness - s.v_own) / (s.n * (s.n - 1))
    most = _apart(s, own + others)
    if not most:
        raise ZeroDivisionError
    return 1 - _apart(s, s.products) / most


_ROUNDED = 1e-12
"""Of numbers about 1 that cancel, so much may be left by rounding alone."""


def _apart(s: SoftTable, products: float) -> float:
    """The squared distance of the two scaled matrices of likeness, if their product adds up to this."""
    a, b = s.u_likeness / s.u_products, s.v_likeness / s.v_products
    squares = a * s.u_likeness + b * s.v_likeness
    apart = squares - 2 * a * b * products
    return apart if apart > _ROUNDED * squares else 0.0
