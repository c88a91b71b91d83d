"""Indices of soft clusterings by their memberships themselves."""

from __future__ import annotations

from math import inf, sqrt

from clustermark.indices.averages import check_value, in_units
from clustermark.indices.soft.face import of_memberships
from clustermark.statistics.soft import MatchedColumns, MembershipShares


@of_memberships(
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
    """How far apart memberships are once clusters are matched one to one; a cluster that finds no partner meets zeros.

    norm: 2 for the root of squared differences, 1 for their sum.

    >>> membership_distance([[1.0, 0.0], [0.5, 0.5], [0.0, 1.0]], [1, 1, 0])
    0.70710...
    """
    check_value(norm, "norm", (1, 2))
    return sqrt(m.least(2)) if norm == 2 else m.least(1)


@of_memberships(
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
    """How hard one soft clustering is: 1 where each item is in one cluster, 1 / K where each is in all alike.

    >>> partition_coefficient([[1.0, 0.0], [0.5, 0.5]])
    0.75
    """
    return m.squares / m.n


@of_memberships(
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
    """The partition coefficient, with 0 where each item is in all clusters alike, whatever their number.

    >>> modified_partition_coefficient([[1.0, 0.0], [0.5, 0.5]])
    0.5
    """
    return max(0.0, 1 - m.k / (m.k - 1) * (1 - m.squares / m.n))  # rounding alone could go below


@of_memberships(
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
    """How soft one clustering is: the mean entropy of the memberships of an item, in nats; 0 where it is hard.

    base: of the logarithm; 2 for bits.

    >>> partition_entropy([[1.0, 0.0], [0.5, 0.5]])
    0.34657...
    """
    return in_units(m.entropy / m.n, base)
