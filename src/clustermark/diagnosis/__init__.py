"""Where a clustering goes wrong, as data: clusters, splits and merges, overlaps, points.

Each is loaded when it is first asked for: many evaluations are made for their scores alone.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from clustermark.tables.contingency import Side

if TYPE_CHECKING:
    from clustermark.diagnosis.cluster_table import ClusterRow, ClusterTable
    from clustermark.diagnosis.error_list import ErrorList, ErrorRow, Part
    from clustermark.diagnosis.overlap_map import OverlapMap, size_histogram
    from clustermark.diagnosis.point_table import PointRow, PointTable
    from clustermark.tables.clusters import ClusterCounts, counts_of
else:

    def __getattr__(name: str) -> object:
        for home in ("cluster_table", "error_list", "overlap_map", "point_table") if name in __all__ else ():
            if hasattr(module := import_module(f"clustermark.diagnosis.{home}"), name):
                return getattr(module, name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


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
