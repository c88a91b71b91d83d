"""Pair counts, corrected for what chance would give."""

from __future__ import annotations

from clustermark.registry import index
from clustermark.views import PairCounts


@index(
    PairCounts,
    title="Adjusted Rand index",
    abbreviation="ARI",
    formula="2 * (yy * nn - yn * ny) / ((yy + yn) * (yn + nn) + (yy + ny) * (ny + nn))",
    reference="hubert1985",
    bounds=(-0.5, 1.0),
    weighted_bounds=(-1.0, 1.0),
    chance_model="permutation",
    undefined_when="both labelings are one cluster, or both consist of singletons",
    aliases=("adjusted_rand_index", "kappa_of_pairs"),
    peers={
        "permetrics": "ARS adjusted_rand_score",
        "scikit-learn": "adjusted_rand_score",
        "mclustcomp": "adjrand",
        "aricode": "ARI",
        "igraph": "adjusted_rand",
        "clusim": "adjrand_index",
        "clue": "cRand",
        "mclust": "adjustedRandIndex",
        "e1071": "crand",
    },
    weights="Cohen's kappa of the weighted pairs; its mean under permutation is then no longer exactly 0",
)
def adjusted_rand(p: PairCounts) -> float:
    """The Rand index corrected for chance: 0 on average over random labelings with the same cluster sizes.

    >>> adjusted_rand([0, 0, 1, 1], [0, 0, 1, 2])
    0.5714285714285714
    """
    return 2 * (p.yy * p.nn - p.yn * p.ny) / ((p.yy + p.yn) * (p.yn + p.nn) + (p.yy + p.ny) * (p.ny + p.nn))
