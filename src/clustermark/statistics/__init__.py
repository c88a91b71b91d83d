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

>>> from clustermark import crosstab
>>> PairCounts.of(crosstab([0, 0, 1, 1], [0, 0, 0, 1]))
PairCounts(yy=1, yn=1, ny=2, nn=2)
"""

from clustermark.statistics.centroids import Centroids, NearestCenters
from clustermark.statistics.coreference import CorefScores, Links
from clustermark.statistics.density import Density, ReachTree
from clustermark.statistics.distances import DistanceRanks, PairExtremes, PointSums
from clustermark.statistics.encodings import Encodings
from clustermark.statistics.information import Entropies, Shares
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
from clustermark.statistics.statistic import Statistic, Takes

__all__ = [
    "BestMatches",
    "BestSums",
    "Centroids",
    "ChancePairs",
    "CorefScores",
    "Density",
    "DistanceRanks",
    "Encodings",
    "Entropies",
    "GreedyMatching",
    "JointSums",
    "LargestOverlaps",
    "Links",
    "MacroShares",
    "MatchedEntities",
    "MatchedJaccard",
    "MatchedPoints",
    "MatchedProducts",
    "MatchedRecall",
    "MatchedSets",
    "NearestCenters",
    "PairCounts",
    "PairExtremes",
    "PointSums",
    "ReachTree",
    "Scatter",
    "Shares",
    "Sizes",
    "SquareSums",
    "Statistic",
    "Takes",
]
