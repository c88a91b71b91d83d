"""Indices of a tree and what is known of its leaves: their classes, or how similar they are."""

from __future__ import annotations

from math import inf

from clustermark.indices.averages import check_value
from clustermark.indices.trees.face import of_trees
from clustermark.statistics.trees import JoinedClasses, Splits


@of_trees(
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
    """How pure the smallest clusters are that have two leaves of a class: 1 where each class is a cluster of the tree.

    labels: one for each leaf, in the order of leaves; or a mapping from the name of a leaf to its label.

    >>> dendrogram_purity([[[0, 1], [2, 3]], [4, 5]], [0, 0, 0, 1, 1, 1])
    0.75
    """
    return j.purities / j.pairs


@of_trees(
    JoinedClasses,
    title="Hierarchical F",
    formula="sum over classes of size / n * best F of a cluster of the tree",
    reference="larsen1999",
    undefined_when="",
    panel=True,
    aliases=("larsen_aone_f",),
)
def hierarchical_f(j: JoinedClasses) -> float:
    """How well each class is found by its best cluster anywhere in the tree, weighted by the size of the class.

    >>> hierarchical_f([[[0, 1], [2, 3]], [4, 5]], [0, 0, 0, 1, 1, 1])
    0.82857...
    """
    return float((j.sizes * j.best).sum() / j.sizes.sum())


@of_trees(
    Splits,
    title="Dasgupta's cost",
    formula="cost / (n * total if normalized else 1)",
    reference="dasgupta2016",
    bounds=(0.0, inf),
    higher_is_better=False,
    undefined=0.0,
    undefined_when="it is normalized, and no two leaves are alike",
    peers={"scikit-network": "dasgupta_cost"},
)
def dasgupta_cost(s: Splits, *, normalized: bool = False) -> float:
    """What it costs to join similar leaves high up: each similarity times the leaves of the branch that joins the two.

    similarities: a symmetric matrix, dense or sparse, in the order of leaves.
    normalized: divide by the number of leaves and the sum of similarities, so that it lies between 0 and 1.

    >>> dasgupta_cost([[0, 1], 2], [[0, 3, 1], [3, 0, 0], [1, 0, 0]])
    9.0
    """
    check_value(normalized, "normalized", (True, False))
    return s.cost / (s.n * s.total if normalized else 1)
