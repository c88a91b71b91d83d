"""Indices of trees that are cut into clusters."""

from __future__ import annotations

from warnings import warn

import numpy as np

from clustermark.errors import ClustermarkWarning, InputError, Mention
from clustermark.indices.pairs.arithmetic import over_root
from clustermark.indices.trees.face import of_trees
from clustermark.statistics.trees import Cuts


@of_trees(
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
