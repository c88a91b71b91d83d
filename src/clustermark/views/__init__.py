"""Statistics: what an index reads of a table. Each is made by `of(table)`, once a table."""

from clustermark.views.overlaps import BestMatches, overlaps_of
from clustermark.views.pairs import PairCounts, SquareSums
from clustermark.views.sizes import Sizes
from clustermark.views.view import SCALE, Takes, View, once, unscaled

__all__ = [
    "SCALE",
    "BestMatches",
    "PairCounts",
    "Sizes",
    "SquareSums",
    "Takes",
    "View",
    "once",
    "overlaps_of",
    "unscaled",
]
