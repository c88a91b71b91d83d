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
from clustermark.indices.chance.pairs import (
    adjusted_rand,
)
from clustermark.indices.jci import (
    jaccard_concentration,
    max_jaccard,
    mean_concentration,
)
from clustermark.indices.pairs.agreement import (
    dice,
    f_measure,
    fowlkes_mallows,
    jaccard,
    pair_precision,
    pair_recall,
    rand,
)
from clustermark.indices.pairs.coefficients import (
    balanced_pair_accuracy,
    baulieu1,
    braun_blanquet,
    fager_mcgowan,
    kulczynski1,
    kulczynski2,
    mcconnaughey,
    overlap_coefficient,
    pair_npv,
    pair_specificity,
    rogers_tanimoto,
    russell_rao,
    sokal_sneath_a,
    sokal_sneath_b,
    sokal_sneath_c,
    sokal_sneath_d,
    sokal_sneath_e,
    tversky,
)
from clustermark.indices.pairs.correlations import (
    baulieu2,
    hamann,
    informedness,
    loevinger,
    markedness,
    maxwell_pilliner,
    mcnemar,
    phi,
    tau,
    unrooted_phi,
    yule_q,
    yule_y,
)
from clustermark.indices.pairs.distances import (
    correlation_distance,
    minkowski,
    mirkin,
    partition_difference,
    rand_distance,
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
    "balanced_pair_accuracy",
    "baulieu1",
    "baulieu2",
    "braun_blanquet",
    "catalogue",
    "concentration",
    "correlation_distance",
    "crosstab",
    "dice",
    "evaluate",
    "evaluate_table",
    "f_measure",
    "fager_mcgowan",
    "find",
    "fowlkes_mallows",
    "hamann",
    "informedness",
    "jaccard",
    "jaccard_concentration",
    "jaccard_concentration_index",
    "kulczynski1",
    "kulczynski2",
    "loevinger",
    "markedness",
    "max_jaccard",
    "maxwell_pilliner",
    "mcconnaughey",
    "mcnemar",
    "mean_concentration",
    "minkowski",
    "mirkin",
    "overlap_coefficient",
    "pair_npv",
    "pair_precision",
    "pair_recall",
    "pair_specificity",
    "partition_difference",
    "phi",
    "rand",
    "rand_distance",
    "rogers_tanimoto",
    "russell_rao",
    "sokal_sneath_a",
    "sokal_sneath_b",
    "sokal_sneath_c",
    "sokal_sneath_d",
    "sokal_sneath_e",
    "tau",
    "tversky",
    "unrooted_phi",
    "yule_q",
    "yule_y",
]
# end of generated
