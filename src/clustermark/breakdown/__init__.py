"""Where a clustering goes wrong, as data: clusters, splits and merges, overlaps, points."""

from clustermark.breakdown.clusters import ClusterRow, ClusterTable
from clustermark.breakdown.counts import ClusterCounts, Side, counts_of
from clustermark.breakdown.errors import ErrorList, ErrorRow, Part
from clustermark.breakdown.maps import OverlapMap, size_histogram
from clustermark.breakdown.points import PointRow, PointTable

__all__ = [
    "ClusterCounts",
    "ClusterRow",
    "ClusterTable",
    "ErrorList",
    "ErrorRow",
    "OverlapMap",
    "Part",
    "PointRow",
    "PointTable",
    "Side",
    "counts_of",
    "size_histogram",
]
