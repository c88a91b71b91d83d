"""Indices of the shapes of two trees: which clusters they have, and how they are drawn."""

from __future__ import annotations

from math import inf

import numpy as np

from clustermark.errors import InputError, Mention
from clustermark.indices.averages import Average, average_entropy, check_value, in_units
from clustermark.indices.trees.face import of_trees
from clustermark.statistics.levels import SharedLevels
from clustermark.statistics.trees import Clades, LeafOrders


@of_trees(
    Clades,
    title="Robinson–Foulds distance",
    abbreviation="RF",
    formula="(a + b - 2 * shared) / (a + b if normalized else 1)",
    reference="robinson1981",
    bounds=(0.0, inf),
    higher_is_better=False,
    metric=True,
    facts_by_option={"normalized": {True: {"bounds": (0.0, 1.0), "metric": False}}},
    rational=True,
    undefined=0.0,
    undefined_when="it is normalized, and neither tree has a cluster but each leaf and all leaves",
    panel=True,
    peers={"phangorn": "RF.dist", "clue": "cl_dissimilarity_symdiff"},
)
def robinson_foulds(c: Clades, *, normalized: bool = False) -> float:
    """How many clusters only one of two trees has; trees have a root, and heights do not matter.

    Each leaf alone and all leaves together, which every tree has, are left out.

    normalized: divide by the number of clusters of both trees, so that it lies between 0 and 1. It is no metric then:
        over a third tree the way can be shorter.

    >>> robinson_foulds([[0, 1], [2, [3, 4]]], [[0, 1, 2], [3, 4]])
    3.0
    """
    check_value(normalized, "normalized", (True, False))
    return (c.a + c.b - 2 * c.shared) / (c.a + c.b if normalized else 1)


@of_trees(
    SharedLevels,
    title="Hierarchical mutual information",
    abbreviation="HMI",
    formula="mutual information of the children of both roots, plus that of each two children by their share of leaves",
    reference="perotti2015",
    bounds=(0.0, inf),
    undefined_when="",
    best_on_identity=False,
)
def hierarchical_mutual_information(s: SharedLevels, *, base: float | None = None) -> float:
    """What the clusters of two trees tell of each other, level by level from the root, in nats.

    A branch that has leaves only is one cluster, which nothing divides further. So a binary tree, as a linkage makes
    it, is compared down to its last merges. Levels are compared with levels: an extra level shifts what is below.

    base: of the logarithm; 2 for bits.

    >>> hierarchical_mutual_information([[[0, 1], [2]], [[3, 4], [5, 6]]], [[[0], [1, 2]], [3, 4], [5, 6]])
    0.757657839...
    """
    return in_units(s.mutual, base)


@of_trees(
    SharedLevels,
    title="Normalized hierarchical mutual information",
    abbreviation="NHMI",
    formula="mutual / average(true, pred)",
    reference="perotti2015",
    undefined_when='both trees have one level only, or one has and average is "min" or "geometric"',
)
def normalized_hierarchical_mutual_information(s: SharedLevels, *, average: Average = "arithmetic") -> float:
    """The hierarchical mutual information as a share of what the trees tell of themselves.

    average: of the two: "arithmetic", "geometric", "min", "max"; or "joint".

    >>> one, other = [[[0, 1], [2]], [[3, 4], [5, 6]]], [[[0], [1, 2]], [3, 4], [5, 6]]
    >>> normalized_hierarchical_mutual_information(one, other)
    0.560487357...
    """
    return s.mutual / average_entropy(s, average)


@of_trees(
    LeafOrders,
    title="Entanglement",
    formula="sum(abs(a - b) ** L) / the same of the reversed order",
    reference="galili2015",
    higher_is_better=False,
    undefined_when="there are fewer than two leaves",
    peers={"dendextend": "entanglement"},
)
def entanglement(o: LeafOrders, *, L: float = 1.5) -> float:
    """How far apart the same leaves are where two trees are drawn side by side; it depends on how they are drawn.

    Leaves are drawn in the order of children: nested lists as they stand, a linkage with its first node first.

    L: the power of the distance of two places, 1 or more: with less the reversed order would not be the worst.

    >>> entanglement([[0, 1], [2, 3]], [[1, 0], [2, 3]])
    0.16139...
    """
    if not isinstance(L, int | float | np.integer | np.floating) or isinstance(L, bool) or not 1 <= L < inf:
        raise InputError(Mention("L", L), " must be a finite number, 1 or more")
    if len(o.a) < 2:
        raise ZeroDivisionError
    places = np.linspace(0, 1, len(o.a))  # so that no power is too large for a float
    worst = float((abs(places - places[::-1]) ** float(L)).sum())
    return min(1.0, float((abs(places[o.a] - places[o.b]) ** float(L)).sum()) / worst)  # rounding alone could go above
