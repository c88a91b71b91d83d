"""Indices of soft clusterings by information."""

from __future__ import annotations

from math import inf

from clustermark.indices.averages import Average, average_entropy, in_units
from clustermark.indices.soft.face import of_memberships
from clustermark.statistics.soft import SoftTable


@of_memberships(
    SoftTable,
    title="Mutual information of soft clusterings",
    formula="mutual",
    reference="lei2014",
    bounds=(0.0, inf),
    best_on_identity=False,
    undefined_when="",
)
def soft_mutual_information(s: SoftTable, *, base: float | None = None) -> float:
    """What a cluster drawn by an item's memberships in the one clustering tells of one drawn in the other; in nats.

    base: of the logarithm; 2 for bits.

    >>> soft_mutual_information([[1.0, 0.0], [0.5, 0.5], [0.0, 1.0]], [0, 0, 1])
    0.31825...
    """
    return in_units(s.mutual, base)


@of_memberships(
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


@of_memberships(
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
