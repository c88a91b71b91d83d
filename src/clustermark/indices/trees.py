"""Indices of hierarchies: a tree against a tree, against labels, distances or similarities."""

from __future__ import annotations

from math import inf
from typing import Literal, TypeAlias, get_args
from warnings import warn

import numpy as np

from clustermark.errors import ClustermarkWarning, InputError, Mention
from clustermark.indices.arithmetic import Average, average_entropy, check_value, in_units, over_root
from clustermark.indices.index_types import tree_index
from clustermark.statistics.heights import HeightsAndDistances, PairHeights
from clustermark.statistics.tree_clusters import Clades, Cuts, JoinedClasses, LeafOrders, SharedLevels, Splits

Correlation: TypeAlias = Literal["pearson", "spearman"]


@tree_index(
    PairHeights,
    title="Cophenetic correlation",
    formula="correlation, over pairs of leaves, of the heights at which the two are joined",
    reference="sokal1962",
    bounds=(-1.0, 1.0),
    undefined_when="one side joins all pairs at the same height, or there are fewer than three leaves",
    panel=True,
    peers={"dendextend": "cor_cophenetic", "scipy": "cophenet", "tanglegram": "cor_cophenetic"},
)
def cophenetic_correlation(h: PairHeights, *, method: Correlation = "pearson") -> float:
    """Correlation of the heights at which two leaves are joined in two trees, or of heights and distances of leaves.

    With distances (a square matrix, or the result of `pdist`) it measures how well a tree preserves them. For two trees
    of n leaves, time is at most proportional to n (log n)³ and memory to n, not to the number of pairs.

    method: "pearson", or "spearman" for the ranks of heights.

    >>> cophenetic_correlation([[0, 1], [2, 3]], [[0, 1], 2, 3])
    0.6324555320336759
    """
    check_value(method, "method", get_args(Correlation))
    return h.pearson if method == "pearson" else h.spearman


@cophenetic_correlation.also(
    HeightsAndDistances,
    formula="correlation, over pairs of leaves, of the height at which the two are joined and their distance",
    symmetric=None,
    undefined_when="all pairs are joined at the same height, all distances are the same, or there are fewer than three "
    "leaves",
)
def _cophenetic_correlation_with_distances(h: HeightsAndDistances, *, method: Correlation = "pearson") -> float:
    check_value(method, "method", get_args(Correlation))
    return h.pearson if method == "pearson" else h.spearman


@tree_index(
    PairHeights,
    title="Baker's gamma",
    formula="rank correlation, over pairs of leaves, of the largest k for which a cut into k has them together",
    reference="baker1974",
    bounds=(-1.0, 1.0),
    undefined_when="one side joins all pairs at once, or there are fewer than three leaves",
    panel=True,
    peers={"dendextend": "cor_bakers_gamma"},
)
def baker_gamma(h: PairHeights) -> float:
    """Rank correlation of the stages at which two trees join pairs of leaves; only the order of merges matters.

    Merges of the same height count as one step, so that their order does not matter either.

    >>> baker_gamma([[0, 1], [2, 3]], [[0, 1], 2, 3])
    0.6324555320336759
    """
    return h.stages


@tree_index(
    Cuts,
    title="Fowlkes–Mallows index of trees",
    abbreviation="Bk",
    formula="pairs together in both cuts / sqrt(pairs together in the one * pairs together in the other)",
    reference="fowlkes1983",
    undefined_when="every leaf is alone in its cluster",
    peers={"dendextend": "Bk"},
    panel=True,
)
def fowlkes_mallows_bk(c: Cuts, *, at: int = 2) -> float:
    """The Fowlkes–Mallows index of both trees cut into `at` clusters; `bk_curve` has it for every number of clusters.

    A tree is cut by the order of its merges. Where merges of the same height lie on both sides of the cut, only their
    order decides it, and a warning says so.

    at: the number of clusters, from 1 to the number of leaves.

    >>> fowlkes_mallows_bk([[0, 1], [2, [3, 4]]], [[0, 1, 2], [3, 4]])
    0.5
    """
    if not isinstance(at, int | np.integer) or isinstance(at, bool) or not 1 <= at <= max(c.n, 2):
        raise InputError(
            Mention("at", at), f" must be a whole number of clusters from 1 to {c.n}, the number of leaves"
        )
    if at >= c.n:
        raise ZeroDivisionError
    if c.is_tied(at):
        warn(
            ClustermarkWarning(
                "fowlkes_mallows_bk(",
                Mention("at", at),
                "): merges of the same height lie on both sides of this cut; it is made by their order",
            ),
            stacklevel=2,
        )
    together, a, b = c.together_at(at)
    return over_root(together, a * b)


@tree_index(
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
    """Number of clusters that only one of two trees has; trees are rooted, and heights do not matter.

    Single leaves and the set of all leaves, which every tree has, are left out.

    normalized: divide by the number of clusters of both trees, so that it lies between 0 and 1. It is no metric then,
        because it breaks the triangle inequality.

    >>> robinson_foulds([[0, 1], [2, [3, 4]]], [[0, 1, 2], [3, 4]])
    3.0
    """
    check_value(normalized, "normalized", (True, False))
    return (c.a + c.b - 2 * c.shared) / (c.a + c.b if normalized else 1)


@tree_index(
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
    """Mutual information of the clusters of two trees, level by level from the root, in nats.

    A branch that has leaves only is one cluster, which is not divided further. So a binary tree of a linkage is
    compared down to its first merges. Levels are compared with levels: an extra level shifts all levels below it.

    base: of the logarithm; 2 for bits.

    >>> hierarchical_mutual_information([[[0, 1], [2]], [[3, 4], [5, 6]]], [[[0], [1, 2]], [3, 4], [5, 6]])
    0.757657839...
    """
    return in_units(s.mutual, base)


@tree_index(
    SharedLevels,
    title="Normalized hierarchical mutual information",
    abbreviation="NHMI",
    formula="mutual / average(true, pred)",
    reference="perotti2015",
    undefined_when='both trees have one level only, or one has and average is "min" or "geometric"',
)
def normalized_hierarchical_mutual_information(s: SharedLevels, *, average: Average = "arithmetic") -> float:
    """The hierarchical mutual information as a share of an average of the entropies of the trees.

    average: of the two: "arithmetic", "geometric", "min", "max"; or "joint".

    >>> one, other = [[[0, 1], [2]], [[3, 4], [5, 6]]], [[[0], [1, 2]], [3, 4], [5, 6]]
    >>> normalized_hierarchical_mutual_information(one, other)
    0.560487357...
    """
    return s.mutual / average_entropy(s, average)


@tree_index(
    LeafOrders,
    title="Entanglement",
    formula="sum(abs(a - b) ** L) / the same of the reversed order",
    reference="galili2015",
    higher_is_better=False,
    undefined_when="there are fewer than two leaves",
    peers={"dendextend": "entanglement"},
)
def entanglement(o: LeafOrders, *, L: float = 1.5) -> float:
    """Distance of the places of the same leaves in two trees that are drawn side by side; it depends on the drawing.

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
    return min(1.0, float((abs(places[o.a] - places[o.b]) ** float(L)).sum()) / worst)  # rounding can exceed 1


@tree_index(
    JoinedClasses,
    title="Dendrogram purity",
    formula="mean, over pairs of leaves of a class, of the share of the class in the smallest cluster with both",
    reference="heller2005",
    undefined=1.0,
    undefined_when="no class has two leaves",
    panel=True,
    peers={"ClustPy": "dendrogram_purity"},
)
def dendrogram_purity(j: JoinedClasses) -> float:
    """Mean purity of the smallest clusters that have two leaves of a class: 1 if each class is a cluster of the tree.

    labels: one for each leaf, in the order of leaves; or a mapping from the name of a leaf to its label.

    >>> dendrogram_purity([[[0, 1], [2, 3]], [4, 5]], [0, 0, 0, 1, 1, 1])
    0.75
    """
    return j.purities / j.pairs


@tree_index(
    JoinedClasses,
    title="Hierarchical F",
    formula="sum over classes of size / n * best F of a cluster of the tree",
    reference="larsen1999",
    undefined_when="",
    panel=True,
    aliases=("larsen_aone_f",),
)
def hierarchical_f(j: JoinedClasses) -> float:
    """Largest F-measure of each class with any cluster of the tree, averaged with the sizes of the classes.

    >>> hierarchical_f([[[0, 1], [2, 3]], [4, 5]], [0, 0, 0, 1, 1, 1])
    0.82857...
    """
    return float((j.sizes * j.best).sum() / j.sizes.sum())


@tree_index(
    Splits,
    title="Dasgupta's cost",
    formula="cost / (n * total if normalized else 1)",
    reference="dasgupta2016",
    bounds=(0.0, inf),
    higher_is_better=False,
    undefined=0.0,
    undefined_when="it is normalized, and no two leaves are similar",
    peers={"scikit-network": "dasgupta_cost"},
)
def dasgupta_cost(s: Splits, *, normalized: bool = False) -> float:
    """Cost of joining similar leaves high up: the sum of similarity times leaves of the branch that joins the two.

    similarities: a symmetric matrix, dense or sparse, in the order of leaves.
    normalized: divide by the number of leaves and the sum of similarities, so that it lies between 0 and 1.

    >>> dasgupta_cost([[0, 1], 2], [[0, 3, 1], [3, 0, 0], [1, 0, 0]])
    9.0
    """
    check_value(normalized, "normalized", (True, False))
    return s.cost / (s.n * s.total if normalized else 1)
