"""Indices of the heights at which trees join their leaves."""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

from clustermark.indices.averages import check_value
from clustermark.indices.trees.face import of_trees
from clustermark.statistics.heights import HeightsAndDistances, PairHeights

Correlation: TypeAlias = Literal["pearson", "spearman"]


@of_trees(
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
    """How the heights at which two leaves are joined go together in two trees, or with the distances of the leaves.

    With distances (a square matrix, or what `pdist` returns, as an array) it says how well a tree keeps them. Two trees
    of n leaves take time with n (log n)³ at worst and memory with n, never a look at every pair.

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


@of_trees(
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
    """How alike the orders are in which two trees join their leaves; heights do not matter, only what comes first.

    Merges of the same height count as one step, so that their order does not matter either.

    >>> baker_gamma([[0, 1], [2, 3]], [[0, 1], 2, 3])
    0.6324555320336759
    """
    return h.stages
