"""Indices of soft clusterings."""

from __future__ import annotations

from math import inf, sqrt

from clustermark.indices.arithmetic import Average, average_entropy, check_value, in_units
from clustermark.indices.index_types import soft_index
from clustermark.statistics.soft_sums import MatchedColumns, MembershipShares, PairAgreements, SoftTable


@soft_index(
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
    """The Rand index of soft clusterings: the mean agreement on the similarity of two items; 1 for identical ones.

    For hard clusterings it is the Rand index. It compares every pair of items, in blocks.

    >>> fuzzy_rand([[0.9, 0.1], [0.8, 0.2], [0.1, 0.9]], [0, 0, 1])
    0.8
    """
    return 1 - p.difference


@soft_index(
    PairAgreements,
    title="Adjusted concordance index",
    abbreviation="ACI",
    formula="(HR - E) / (1 - E), E the mean of HR over all permutations of the items",
    reference="dambrosio2021",
    bounds=(-inf, 1.0),
    chance_model="permutation",
    undefined_when="in both clusterings all pairs of items are equally similar, or there are fewer than two items",
    panel=True,
)
def adjusted_concordance(p: PairAgreements) -> float:
    """The fuzzy Rand index corrected for chance: 0 on average if the items of a side are shuffled, 1 for identity.

    The mean over all permutations is exact. It takes a sort of all pairs of items, of which at most 50,000,000 (10,000
    items) are accepted.

    >>> adjusted_concordance([[0.9, 0.1], [0.8, 0.2], [0.1, 0.9]], [0, 0, 1])
    0.59090...
    """
    expected = p.expected
    if expected <= _LAST_BITS:
        raise ZeroDivisionError
    return 1 - p.difference / expected


@soft_index(
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

    For hard clusterings it is the Rand index. Time is proportional to items times squared clusters.

    >>> frobenius_rand([[1.0, 0.0], [0.8, 0.2], [0.0, 1.0]], [0, 0, 1])
    0.95842...
    """
    scale = (1 + s.u_variance) * (1 + s.v_variance)
    return 1 - s.n / (s.n - 1) * _apart(s, s.covariance) / scale


@soft_index(
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
    """The Frobenius Rand index corrected for chance; for hard clusterings it is the adjusted Rand index.

    The mean over all permutations is exact. Time is proportional to items times squared clusters.

    >>> frobenius_adjusted_rand([[1.0, 0.0], [0.8, 0.2], [0.0, 1.0]], [0, 0, 1])
    0.90158...
    """
    return 1 - _apart(s, s.covariance) / _apart(s, s.expected_covariance)


_LAST_BITS = 1e-15
"""Largest difference of items whose memberships differ by rounding only."""
_ROUNDED = 1e-12
"""Largest difference, as a share, that rounding leaves of numbers that cancel."""


def _apart(s: SoftTable, covariance: float) -> float:
    """Return the squared distance of the matrices of likeness, each divided by its mean, over n²."""
    squares = s.u_variance + s.v_variance
    apart = squares - 2 * covariance
    return apart if apart > _ROUNDED * squares else 0.0


@soft_index(
    SoftTable,
    title="Mutual information of soft clusterings",
    formula="mutual",
    reference="lei2014",
    bounds=(0.0, inf),
    best_on_identity=False,
    undefined_when="",
)
def soft_mutual_information(s: SoftTable, *, base: float | None = None) -> float:
    """Information that a cluster drawn by memberships of an item in one clustering gives about the other, in nats.

    base: of the logarithm; 2 for bits.

    >>> soft_mutual_information([[1.0, 0.0], [0.5, 0.5], [0.0, 1.0]], [0, 0, 1])
    0.31825...
    """
    return in_units(s.mutual, base)


@soft_index(
    SoftTable,
    title="Normalized mutual information of soft clusterings",
    formula="mutual / average(true, pred)",
    reference="lei2014",
    best_on_identity=False,
    undefined_when="one clustering has one cluster, and its entropy is what is divided by",
    panel=True,
)
def soft_nmi(s: SoftTable, *, average: Average = "arithmetic") -> float:
    """Mutual information of soft clusterings as a share of an average of the two entropies.

    A soft clustering with itself scores less than 1: the two clusters of an item are drawn independently. Compare it
    with the score of each side and itself, or use `fuzzy_rand` or `frobenius_adjusted_rand`, where identity scores 1.
    Two clusterings of one cluster each are the same, and score 1.

    average: "arithmetic", "geometric", "min" or "max"; or "joint".

    >>> soft_nmi([[1.0, 0.0], [0.5, 0.5], [0.0, 1.0]], [0, 0, 1])
    0.47870...
    """
    share = average_entropy(s, average)
    return 1.0 if s.true == s.pred == 0 else s.mutual / share


@soft_index(
    SoftTable,
    title="Variation of information of soft clusterings",
    formula="variation",
    reference="lei2014",
    bounds=(0.0, inf),
    higher_is_better=False,
    best_on_identity=False,
    undefined_when="",
    peers={"clue": "cl_dissimilarity_VI"},
)
def soft_vi(s: SoftTable, *, base: float | None = None) -> float:
    """The information that two soft clusterings do not share, in nats; above 0 for a soft clustering and itself.

    base: of the logarithm; 2 for bits.

    >>> soft_vi([[1.0, 0.0], [0.5, 0.5], [0.0, 1.0]], [0, 0, 1])
    0.69314...
    """
    return in_units(s.variation, base)


@soft_index(
    MatchedColumns,
    title="Distance of memberships",
    formula="least, over matchings of clusters, of the distance of the matrices of memberships",
    reference="dimitriadou2002",
    bounds=(0.0, inf),
    higher_is_better=False,
    metric=True,
    undefined_when="",
    peers={"clue": "cl_dissimilarity_euclidean cl_dissimilarity_manhattan(norm=1)"},
)
def membership_distance(m: MatchedColumns, *, norm: int = 2) -> float:
    """Distance of memberships with clusters matched one to one; a cluster without a match is compared with zeros.

    norm: 2 for the root of squared differences, 1 for their sum.

    >>> membership_distance([[1.0, 0.0], [0.5, 0.5], [0.0, 1.0]], [1, 1, 0])
    0.70710...
    """
    check_value(norm, "norm", (1, 2))
    return sqrt(m.least(2)) if norm == 2 else m.least(1)


@soft_index(
    MembershipShares,
    title="Partition coefficient",
    abbreviation="PC",
    formula="squares / n",
    reference="bezdek1974",
    undefined_when="",
    best_on_identity=False,
    peers={"fclust": "PC", "e1071": "partition.coefficient", "scikit-fuzzy": "fpc"},
)
def partition_coefficient(m: MembershipShares) -> float:
    """Hardness of one soft clustering: 1 where each item is in one cluster, 1 / K where each is in all K equally.

    >>> partition_coefficient([[1.0, 0.0], [0.5, 0.5]])
    0.75
    """
    return m.squares / m.n


@soft_index(
    MembershipShares,
    title="Modified partition coefficient",
    abbreviation="MPC",
    formula="1 - k / (k - 1) * (1 - squares / n)",
    reference="dave1996",
    undefined_when="there is one cluster",
    best_on_identity=False,
    peers={"fclust": "MPC"},
)
def modified_partition_coefficient(m: MembershipShares) -> float:
    """The partition coefficient scaled to 0 where each item is in all clusters equally, whatever their number.

    >>> modified_partition_coefficient([[1.0, 0.0], [0.5, 0.5]])
    0.5
    """
    return max(0.0, 1 - m.k / (m.k - 1) * (1 - m.squares / m.n))  # rounding can go below 0


@soft_index(
    MembershipShares,
    title="Partition entropy",
    abbreviation="PE",
    formula="entropy / n",
    reference="bezdek1974",
    bounds=(0.0, inf),
    higher_is_better=False,
    undefined_when="",
    best_on_identity=False,
    peers={"fclust": "PE", "e1071": "partition.entropy"},
)
def partition_entropy(m: MembershipShares, *, base: float | None = None) -> float:
    """Softness of one clustering: the mean entropy of the memberships of an item, in nats; 0 if it is hard.

    base: of the logarithm; 2 for bits.

    >>> partition_entropy([[1.0, 0.0], [0.5, 0.5]])
    0.34657...
    """
    return in_units(m.entropy / m.n, base)
