"""Indices of speaker diarization. Points are weighted by time, and either side may lack some of it."""

from __future__ import annotations

from math import inf

from clustermark.registry import index
from clustermark.statistics.matching import MatchedJaccard, MatchedPoints


@index(
    MatchedPoints,
    title="Diarization error rate",
    abbreviation="DER",
    formula="(n_true + n_pred - n - total) / n_true",
    reference="nist2009",
    bounds=(0.0, inf),
    higher_is_better=False,
    metric=True,
    undefined_when="the truth has no items",
    one_sided=True,
    weights="time or weight instead of points",
    peers={"pyannote": "DiarizationErrorRate", "dscore": "der"},
)
def diarization_error(m: MatchedPoints) -> float:
    """Time (or points) that the prediction misses, invents or gives to the wrong cluster, over that of the truth.

    Clusters are matched one to one with most points in common. Without items of one side only it is the share of points
    outside the matched clusters, symmetric and a metric; with such items it can exceed 1.

    >>> diarization_error([0, 0, 1, 1, 1], [0, 0, 0, 1, 1])
    0.2
    """
    return (m.n_true + m.n_pred - m.n - m.total) / m.n_true


@index(
    MatchedJaccard,
    title="Jaccard error rate",
    abbreviation="JER",
    formula="1 - total / k_true",
    reference="ryant2019",
    higher_is_better=False,
    symmetric=False,
    rational=False,
    undefined_when="the truth has no items",
    one_sided=True,
    weights="overlaps are sums of weights",
    peers={"dscore": "jer"},
)
def jaccard_error(m: MatchedJaccard) -> float:
    """One minus the Jaccard index of each true cluster and the predicted cluster matched to it, averaged.

    Clusters are matched one to one with the largest sum of Jaccard indices; an unmatched true cluster counts
    as 1. pyannote matches by common time instead, as for the diarization error.

    >>> jaccard_error([0, 0, 1, 1, 1], [0, 0, 0, 1, 1])
    0.33333333333333337
    """
    return (0 - m.beyond(m.k_true)) / m.k_true
