"""Which view belongs to which statistic."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clustermark import statistics as made
from clustermark.uncertainty.matched_views import (
    BestMatchesView,
    BestSumsView,
    CorefScoresView,
    MatchedView,
    view_of_matching,
)
from clustermark.uncertainty.units import NoClosedFormError
from clustermark.uncertainty.views import (
    ChancePairsView,
    EntropiesView,
    JointSumsView,
    LinksView,
    MacroSharesView,
    SharesView,
    SizesView,
    SquareSumsView,
    View,
)

if TYPE_CHECKING:
    from clustermark.statistics.statistic import Statistic


_VIEWS: dict[Any, type[View]] = {
    made.PairCounts: ChancePairsView,  # the same view, so that its sums are found once
    made.SquareSums: SquareSumsView,
    made.ChancePairs: ChancePairsView,
    made.Sizes: SizesView,
    made.Entropies: EntropiesView,
    made.Shares: SharesView,
    made.JointSums: JointSumsView,
    made.MacroShares: MacroSharesView,
    made.BestSums: BestSumsView,
    made.BestMatches: BestMatchesView,
    made.Links: LinksView,
    made.CorefScores: CorefScoresView,
    made.MatchedPoints: MatchedView,
    made.MatchedEntities: view_of_matching(made.MatchedEntities),
    made.MatchedJaccard: view_of_matching(made.MatchedJaccard),
    made.MatchedRecall: view_of_matching(made.MatchedRecall),
    made.MatchedProducts: view_of_matching(made.MatchedProducts),
    made.MatchedSets: view_of_matching(made.MatchedSets),
}


def view_of(statistic: type[Statistic[Any]]) -> type[View]:
    """What makes the statistic without one unit of each class."""
    if statistic not in _VIEWS:
        raise NoClosedFormError("is made of sums that have no closed form without one point")
    return _VIEWS[statistic]
