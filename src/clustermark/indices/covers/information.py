"""Indices of covers that ask how much a cluster tells of the clusters of the other side."""

from __future__ import annotations

from math import inf, sqrt

from clustermark.indices.averages import check_value
from clustermark.indices.covers.face import covers
from clustermark.statistics.cover_information import CoverEntropies

_AVERAGES = ("max", "arithmetic", "geometric", "min")


@covers(
    CoverEntropies,
    title="Overlapping normalised mutual information",
    abbreviation="ONMI",
    formula="(true - true_left + pred - pred_left) / (2 * max(true, pred))",
    reference="mcdaid2011",
    facts_by_option={"average": {"geometric": {"bounds": (0.0, inf)}, "min": {"bounds": (0.0, inf)}}},
    rational=False,
    undefined_when="every cluster holds all items, or there are no clusters; with the geometric mean or min, "
    "where that is so on one side",
    peers={"CDlib": "overlapping_normalized_mutual_information_MGH"},
    panel=True,
)
def onmi(e: CoverEntropies, *, average: str = "max") -> float:
    """How much the clusters of each side tell of those of the other, as a share of the larger entropy.

    Each cluster is a yes or no for every item, and is compared with the one cluster of the other side that tells most
    of it. It is not the normalised mutual information of partitions, also where no clusters overlap.

    average: of the two entropies: "max" (McDaid, Greene & Hurley), "arithmetic", "geometric" or "min". With the last
    two, clusters that are alike within one side can lead to scores above 1; identical covers score 1.

    A cluster that tells as much by items that only one of the two has as by others counts as a match here, as McDaid,
    Greene & Hurley define it (≥); for `onmi_lfk` it does not (>). CDlib has > for both.

    >>> round(onmi([{0, 1, 2, 3}, {3, 4, 5, 6}], [{0, 1, 2}, {2, 3, 4}, {4, 5, 6}]), 12)
    0.356399138344
    """
    told = e.true - e.true_left + (e.pred - e.pred_left)
    return told / (2 * _average(e.true, e.pred, check_value(average, "average", _AVERAGES)))


def _average(true: float, pred: float, how: str) -> float:
    if how == "arithmetic":
        return (true + pred) / 2
    if how == "geometric":
        return sqrt(true * pred) if true != pred else true
    return max(true, pred) if how == "max" else min(true, pred)


@covers(
    CoverEntropies,
    title="Overlapping normalised mutual information of Lancichinetti, Fortunato and Kertész",
    abbreviation="LFK",
    formula="1 - (true_share / k_true + pred_share / k_pred) / 2",
    reference="lancichinetti2009",
    rational=False,
    undefined_when="every cluster of a side holds all items, or it has no clusters",
    aliases=("nmi_lfk",),
    peers={"CDlib": "overlapping_normalized_mutual_information_LFK"},
)
def onmi_lfk(e: CoverEntropies) -> float:
    """How much the clusters of each side tell of those of the other, each as a share of its own entropy.

    Clusters that hold all items have no entropy, and are left out. A cover that is close to another by some of its
    clusters only can score high; `onmi` mends that. A cluster that tells as much by items that only one of the two has
    as by others is no match (>).

    >>> round(onmi_lfk([{0, 1, 2, 3}, {3, 4, 5, 6}], [{0, 1, 2}, {2, 3, 4}, {4, 5, 6}]), 12)
    0.444642767283
    """
    return 1 - (e.true_share / e.k_true + e.pred_share / e.k_pred) / 2
