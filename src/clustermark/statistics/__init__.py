"""The statistics that an index can be a function of: each a small view of a table, made once a table.

- `PairCounts`: the pairs of points, together or apart on both sides.
- `SquareSums`: the sums of squares that the pair counts come from.
- `ChancePairs`: the pair counts, and what random models need.
- `Sizes`: the sizes of clusters and of their largest cells.
- `Entropies`, `Shares`: information, in nats, and its squares.
- `Encodings`: the lengths of descriptions.
- `JointSums`, `MacroShares`: sums over cells that need the sizes of both their clusters.
- `BestMatches`, `BestSums`, `LargestOverlaps`: each cluster beside the one that is closest to it.
- `MatchedPoints`, `MatchedEntities`, `MatchedJaccard`, `MatchedRecall`, `MatchedProducts`, `MatchedSets`: a best
  matching of the clusters, one to one, by so many kinds of worth; `GreedyMatching`: one that takes the largest first.
- `Links`, `CorefScores`: what coreference counts.
- `Scatter`, `Centroids`, `NearestCenters`: points in space about the centers of their clusters.
- `PointSums`, `PairExtremes`, `DistanceRanks`: distances between points: by point, by clusters, in order.
- `Density`, `ReachTree`: how dense clusters are and how far apart, by the trees of each and by that of all points.
- `CoMemberships`, `SharedShares`: clusters that overlap: how many of them two items share.
- `BestClusters`, `MatchedClusters`, `CoverEntropies`: the same clusters beside their counterparts.
- `Walks`: random walks from item to cluster to item.
- `PairHeights`, `HeightsAndDistances`: where trees join each two leaves, beside another tree or distances.
- `Cuts`, `Clades`, `SharedLevels`, `LeafOrders`: two trees, cut into clusters, by their clusters, levels and drawing.
- `JoinedClasses`, `Splits`: a tree beside the classes of its leaves, or their similarities.
- `SoftTable`, `PairAgreements`, `MatchedColumns`, `MembershipShares`: soft clusterings by their clusters, by pairs of
  items, by a matching of clusters, and one by itself.

>>> from clustermark import crosstab
>>> from clustermark.statistics import PairCounts
>>> PairCounts.of(crosstab([0, 0, 1, 1], [0, 0, 0, 1]))
PairCounts(yy=1, yn=1, ny=2, nn=2)
"""

from importlib import import_module
from typing import TYPE_CHECKING

from clustermark.statistics.statistic import Statistic, Takes

if TYPE_CHECKING:
    from clustermark.statistics.centroids import Centroids, NearestCenters
    from clustermark.statistics.comemberships import CoMemberships, SharedShares
    from clustermark.statistics.coreference import CorefScores, Links
    from clustermark.statistics.cover_clusters import BestClusters, MatchedClusters
    from clustermark.statistics.cover_information import CoverEntropies
    from clustermark.statistics.density import Density, ReachTree
    from clustermark.statistics.distances import DistanceRanks, PairExtremes, PointSums
    from clustermark.statistics.encodings import Encodings
    from clustermark.statistics.heights import HeightsAndDistances, PairHeights
    from clustermark.statistics.information import Entropies, Shares
    from clustermark.statistics.levels import SharedLevels
    from clustermark.statistics.matching import (
        GreedyMatching,
        MatchedEntities,
        MatchedJaccard,
        MatchedPoints,
        MatchedProducts,
        MatchedRecall,
        MatchedSets,
    )
    from clustermark.statistics.overlaps import BestMatches, BestSums, JointSums, LargestOverlaps, MacroShares
    from clustermark.statistics.pairs import ChancePairs, PairCounts, SquareSums
    from clustermark.statistics.scatter import Scatter
    from clustermark.statistics.sizes import Sizes
    from clustermark.statistics.soft import MatchedColumns, MembershipShares, PairAgreements, SoftTable
    from clustermark.statistics.trees import Clades, Cuts, JoinedClasses, LeafOrders, Splits
    from clustermark.statistics.walks import Walks
else:
    _HOMES = (
        "pairs", "sizes", "information", "encodings", "overlaps", "matching", "coreference", "scatter", "centroids",
        "distances", "density", "comemberships", "cover_clusters", "cover_information", "walks", "heights", "trees",
        "levels", "soft",
    )  # fmt: skip

    def __getattr__(name: str) -> object:
        """A statistic, looked for in one file after the other when it is first asked for."""
        for home in _HOMES if name in __all__ else ():
            if hasattr(module := import_module(f"clustermark.statistics.{home}"), name):
                globals()[name] = getattr(module, name)
                return globals()[name]
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)


__all__ = [
    "BestClusters",
    "BestMatches",
    "BestSums",
    "Centroids",
    "ChancePairs",
    "Clades",
    "CoMemberships",
    "CorefScores",
    "CoverEntropies",
    "Cuts",
    "Density",
    "DistanceRanks",
    "Encodings",
    "Entropies",
    "GreedyMatching",
    "HeightsAndDistances",
    "JoinedClasses",
    "JointSums",
    "LargestOverlaps",
    "LeafOrders",
    "Links",
    "MacroShares",
    "MatchedClusters",
    "MatchedColumns",
    "MatchedEntities",
    "MatchedJaccard",
    "MatchedPoints",
    "MatchedProducts",
    "MatchedRecall",
    "MatchedSets",
    "MembershipShares",
    "NearestCenters",
    "PairAgreements",
    "PairCounts",
    "PairExtremes",
    "PairHeights",
    "PointSums",
    "ReachTree",
    "Scatter",
    "SharedLevels",
    "SharedShares",
    "Shares",
    "Sizes",
    "SoftTable",
    "Splits",
    "SquareSums",
    "Statistic",
    "Takes",
    "Walks",
]
