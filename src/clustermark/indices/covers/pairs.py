"""Indices of covers that look at pairs of items, and the clusters that they share."""

from __future__ import annotations

from clustermark.indices.covers.face import covers
from clustermark.indices.pairs.arithmetic import exact_square
from clustermark.statistics.comemberships import CoMemberships


@covers(
    CoMemberships,
    title="Omega index",
    formula="(agreeing * pairs - chance) / (pairs**2 - chance)",
    reference="collins1988",
    bounds=(-1.0, 1.0),
    chance_model="permutation",
    undefined_when="all pairs share the same number of clusters on both sides, or there are fewer than two items",
    aliases=("omega_index",),
    peers={"CDlib": "omega", "clusim": "omega_index"},
    panel=True,
)
def omega(m: CoMemberships) -> float:
    """The share of pairs of items that share as many clusters on both sides, corrected for chance.

    On partitions it is `adjusted_rand`.

    >>> omega([{0, 1, 2, 3}, {3, 4, 5, 6}], [{0, 1, 2}, {2, 3, 4}, {4, 5, 6}])
    0.5333333333333333
    """
    return (m.agreeing * m.pairs - m.chance) / (m.pairs * m.pairs - m.chance)


@covers(
    CoMemberships,
    title="Pair precision of covers",
    formula="yy / (yy + ny)",
    reference="wallace1983",
    symmetric=False,
    undefined=1.0,
    undefined_when="no two items share a predicted cluster",
)
def cover_pair_precision(m: CoMemberships) -> float:
    """Of the pairs of items that share a predicted cluster, the share that shares a true cluster.

    On partitions it is `pair_precision`. How many clusters a pair shares does not count; for `omega` it does.

    >>> cover_pair_precision([{0, 1, 2, 3}, {3, 4, 5, 6}], [{0, 1, 2}, {2, 3, 4}, {4, 5, 6}])
    0.8888888888888888
    """
    return m.yy / (m.yy + m.ny)


@covers(
    CoMemberships,
    title="Pair recall of covers",
    formula="yy / (yy + yn)",
    reference="wallace1983",
    symmetric=False,
    undefined=1.0,
    undefined_when="no two items share a true cluster",
)
def cover_pair_recall(m: CoMemberships) -> float:
    """Of the pairs of items that share a true cluster, the share that shares a predicted cluster.

    On partitions it is `pair_recall`.

    >>> cover_pair_recall([{0, 1, 2, 3}, {3, 4, 5, 6}], [{0, 1, 2}, {2, 3, 4}, {4, 5, 6}])
    0.6666666666666666
    """
    return m.yy / (m.yy + m.yn)


@covers(
    CoMemberships,
    title="F-measure of pairs of covers",
    formula="(1 + beta**2) * yy / ((1 + beta**2) * yy + beta**2 * yn + ny)",
    reference="rijsbergen1979",
    symmetric=False,
    undefined=0.0,
    undefined_when="no two items share a cluster on either side",
)
def cover_pair_f(m: CoMemberships, *, beta: float = 1.0) -> float:
    """Weighted harmonic mean of the pair precision and the pair recall of covers; recall counts `beta` times as much.

    On partitions it is `f_measure`. With beta=1 it is symmetric.

    >>> cover_pair_f([{0, 1, 2, 3}, {3, 4, 5, 6}], [{0, 1, 2}, {2, 3, 4}, {4, 5, 6}])
    0.7619047619047619
    """
    square = exact_square(beta)
    return (1 + square) * m.yy / ((1 + square) * m.yy + square * m.yn + m.ny)
