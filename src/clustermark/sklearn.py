"""scikit-learn's names: change the import, keep the rest.

    from clustermark.sklearn import adjusted_rand_score, normalized_mutual_info_score

Arguments and values are those of `sklearn.metrics.cluster`, with these differences. Identical labelings made of
singletons score 1 in `fowlkes_mallows_score` (scikit-learn: 0). `adjusted_mutual_info_score` with the average "min" is
0/0 where one side consists of singletons: 1 here if the labelings are identical, else 0 (scikit-learn: always 1).
Labels that are fractions, and tables of fractions, are refused. Empty labelings score as in scikit-learn; the rest of
this library refuses them. These functions can be given to `make_scorer`, too.

Every index of two partitions or of points in space is a scorer: `cross_validate(…, scoring=scorer("adjusted_rand"))`.
`ContingencyDisplay` and `SilhouetteDisplay` draw as the displays of scikit-learn do.

For points in space, `silhouette_score`, `silhouette_samples`, `calinski_harabasz_score` and `davies_bouldin_score`
differ where scikit-learn is wrong: points far from the origin keep their digits, two clusters without scatter have the
Caliński–Harabasz score inf (scikit-learn: 1), clusters with the same center the Davies–Bouldin score inf
(scikit-learn: 0). A point without a direction has no distance by "cosine" or "correlation" (scikit-learn: 1 or NaN).
Silhouettes take every metric of scikit-learn; all distances by metrics other than euclidean, sqeuclidean, manhattan,
cosine, correlation and precomputed are computed first, which is refused for more than 10,000 points.
`consensus_score`, which compares biclusters, is left out.
"""

from __future__ import annotations

from clustermark.compat.sklearn_displays import ContingencyDisplay, SilhouetteDisplay
from clustermark.compat.sklearn_points import (
    calinski_harabasz_score,
    davies_bouldin_score,
    silhouette_samples,
    silhouette_score,
)
from clustermark.compat.sklearn_scorers import scorer
from clustermark.compat.sklearn_scores import (
    adjusted_mutual_info_score,
    adjusted_rand_score,
    completeness_score,
    contingency_matrix,
    entropy,
    expected_mutual_information,
    fowlkes_mallows_score,
    homogeneity_completeness_v_measure,
    homogeneity_score,
    mutual_info_score,
    normalized_mutual_info_score,
    pair_confusion_matrix,
    rand_score,
    v_measure_score,
)

__all__ = [
    "ContingencyDisplay",
    "SilhouetteDisplay",
    "adjusted_mutual_info_score",
    "adjusted_rand_score",
    "calinski_harabasz_score",
    "completeness_score",
    "contingency_matrix",
    "davies_bouldin_score",
    "entropy",
    "expected_mutual_information",
    "fowlkes_mallows_score",
    "homogeneity_completeness_v_measure",
    "homogeneity_score",
    "mutual_info_score",
    "normalized_mutual_info_score",
    "pair_confusion_matrix",
    "rand_score",
    "scorer",
    "silhouette_samples",
    "silhouette_score",
    "v_measure_score",
]


def __dir__() -> list[str]:
    return sorted(__all__)
