"""How well does a clustering agree with the truth, and where does it go wrong?

>>> import clustermark as cm
>>> cm.adjusted_rand(["a", "a", "b", "b"], [1, 1, 2, 3])
0.5714285714285714
"""

from clustermark.compat.jci import concentration, jaccard_concentration_index
from clustermark.compat.permetrics import ClusteringMetric
from clustermark.contingency import Contingency, crosstab
from clustermark.errors import InputError, UndefinedIndexError, UnsupportedTableError
from clustermark.evaluation import Evaluation, evaluate, evaluate_table

# generated: imports (make generate)
from clustermark.indices.jci import (
    jaccard_concentration,
    max_jaccard,
    mean_concentration,
)
from clustermark.indices.pairs import (
    adjusted_rand,
    dice,
    f_measure,
    fowlkes_mallows,
    jaccard,
    pair_precision,
    pair_recall,
    rand,
    tau,
)

# end of generated
from clustermark.profiles import Profile
from clustermark.registry import Index, catalogue, find
from clustermark.views import PairCounts

__version__ = "0.1.0"

# generated: names (make generate)
__all__ = [
    "ClusteringMetric",
    "Contingency",
    "Evaluation",
    "Index",
    "InputError",
    "PairCounts",
    "Profile",
    "UndefinedIndexError",
    "UnsupportedTableError",
    "adjusted_rand",
    "catalogue",
    "concentration",
    "crosstab",
    "dice",
    "evaluate",
    "evaluate_table",
    "f_measure",
    "find",
    "fowlkes_mallows",
    "jaccard",
    "jaccard_concentration",
    "jaccard_concentration_index",
    "max_jaccard",
    "mean_concentration",
    "pair_precision",
    "pair_recall",
    "rand",
    "tau",
]
# end of generated
