"""The Jaccard-Concentration Index and its two parts."""

from __future__ import annotations

from clustermark.registry import index
from clustermark.statistics.overlaps import BestMatches


@index(
    BestMatches,
    title="Jaccard-Concentration Index",
    abbreviation="JCI",
    formula="sum(size * sqrt(jaccard * concentration)) / sum(size)",
    reference="jci",
    symmetric=False,
    rational=False,
    peers={"jaccard-concentration-index": "jaccard_concentration_index"},
    panel=True,
)
def jaccard_concentration(m: BestMatches) -> float:
    """Agreement of predicted clusters with one true cluster each, and concentration of their points on few.

    The geometric mean of the largest Jaccard index of a predicted cluster with a true cluster and of the concentration
    of its points on few true clusters; averaged over predicted clusters, weighted by size.

    >>> jaccard_concentration([0, 0, 1, 1, 2, 2], [0, 0, 1, 1, 1, 2])
    0.7753450764300378
    """
    return m.mean_score


@index(
    BestMatches,
    title="Mean largest Jaccard index",
    abbreviation="MJI",
    formula="sum(size * jaccard) / sum(size)",
    reference="jci",
    symmetric=False,
    peers={"jaccard-concentration-index": "macroavg_max_jaccard_index"},
)
def max_jaccard(m: BestMatches) -> float:
    """The largest Jaccard index of each predicted cluster with a true cluster, averaged with the clusters' sizes.

    >>> max_jaccard([0, 0, 1, 1, 2, 2], [0, 0, 1, 1, 1, 2])
    0.75
    """
    return m.mean_jaccard


@index(
    BestMatches,
    title="Mean concentration",
    abbreviation="MCI",
    formula="sum(size * concentration) / sum(size)",
    reference="jci",
    symmetric=False,
    rational=False,
    peers={"jaccard-concentration-index": "macroavg_concentration"},
)
def mean_concentration(m: BestMatches) -> float:
    """Concentration of the points of predicted clusters on few true clusters, averaged with the clusters' sizes.

    >>> mean_concentration([0, 0, 1, 1, 2, 2], [0, 0, 1, 1, 1, 2])
    0.8152403088650622
    """
    return m.mean_concentration
