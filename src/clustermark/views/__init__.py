"""Statistics: what an index reads of a table. Each is made by `of(table)`, once a table."""

from clustermark.views.coreference import CorefScores, Links
from clustermark.views.encodings import Encodings
from clustermark.views.information import Entropies, Shares
from clustermark.views.matching import (
    GreedyMatching,
    MatchedEntities,
    MatchedJaccard,
    MatchedPoints,
    MatchedProducts,
    MatchedRecall,
    MatchedSets,
    Matching,
)
from clustermark.views.overlaps import BestMatches, BestSums, JointSums, LargestOverlaps, MacroShares, overlaps_of
from clustermark.views.pairs import ChancePairs, PairCounts, SquareSums
from clustermark.views.sizes import Sizes
from clustermark.views.view import SCALE, Takes, View, once, unscaled

__all__ = [
    "SCALE",
    "BestMatches",
    "BestSums",
    "ChancePairs",
    "CorefScores",
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
    "Matching",
    "PairCounts",
    "Shares",
    "Sizes",
    "SquareSums",
    "Takes",
    "View",
    "once",
    "overlaps_of",
    "unscaled",
]
