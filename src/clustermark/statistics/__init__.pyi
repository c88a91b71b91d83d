# The names of statistics, which `attach_stub` reads when the package is imported.
# fmt: off

from clustermark.statistics.centroids import Centroids as Centroids, NearestCenters as NearestCenters
from clustermark.statistics.comemberships import CoMemberships as CoMemberships, SharedShares as SharedShares
from clustermark.statistics.coreference import CorefScores as CorefScores, Links as Links
from clustermark.statistics.cover_clusters import (
    BestClusters as BestClusters,
    CoverEntropies as CoverEntropies,
    MatchedClusters as MatchedClusters,
)
from clustermark.statistics.distances import (
    Density as Density,
    DistanceRanks as DistanceRanks,
    PairExtremes as PairExtremes,
    PointSums as PointSums,
    ReachTree as ReachTree,
)
from clustermark.statistics.encodings import Encodings as Encodings
from clustermark.statistics.heights import HeightsAndDistances as HeightsAndDistances, PairHeights as PairHeights
from clustermark.statistics.information import Entropies as Entropies, Shares as Shares
from clustermark.statistics.matching import (
    GreedyMatching as GreedyMatching,
    MatchedEntities as MatchedEntities,
    MatchedJaccard as MatchedJaccard,
    MatchedPoints as MatchedPoints,
    MatchedProducts as MatchedProducts,
    MatchedRecall as MatchedRecall,
    MatchedSets as MatchedSets,
)
from clustermark.statistics.overlaps import (
    BestMatches as BestMatches,
    BestSums as BestSums,
    JointSums as JointSums,
    LargestOverlaps as LargestOverlaps,
    MacroShares as MacroShares,
)
from clustermark.statistics.pairs import ChancePairs as ChancePairs, PairCounts as PairCounts, SquareSums as SquareSums
from clustermark.statistics.scatter import Scatter as Scatter
from clustermark.statistics.sizes import Sizes as Sizes
from clustermark.statistics.soft_sums import (
    MatchedColumns as MatchedColumns,
    MembershipShares as MembershipShares,
    PairAgreements as PairAgreements,
    SoftTable as SoftTable,
)
from clustermark.statistics.tree_clusters import (
    Clades as Clades,
    Cuts as Cuts,
    JoinedClasses as JoinedClasses,
    LeafOrders as LeafOrders,
    SharedLevels as SharedLevels,
    Splits as Splits,
)
from clustermark.statistics.walks import Walks as Walks
from clustermark.statistics.statistic import Statistic as Statistic, Takes as Takes

__all__: list[str]
