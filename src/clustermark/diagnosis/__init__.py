"""The errors of a clustering as data: clusters, splits and merges, overlaps, points."""

from clustermark.diagnosis.cluster_table import ClusterRow, ClusterTable
from clustermark.diagnosis.error_list import ErrorList, ErrorRow, Part
from clustermark.diagnosis.overlap_map import OverlapMap, size_histogram
from clustermark.diagnosis.point_table import PointRow, PointTable
from clustermark.tables.clusters import ClusterCounts, counts_of
from clustermark.tables.contingency import Side

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
