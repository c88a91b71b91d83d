# The public names: `attach_stub` reads this file when the package is imported, type checkers and editors read it too.
# Indices are added by `make generate`, all else by hand.
# fmt: off

from clustermark import rows as rows, sklearn as sklearn, statistics as statistics, testing as testing

# evaluations, and their results
from clustermark.evaluation.evaluation import Evaluation as Evaluation, read_evaluation as read_evaluation
from clustermark.evaluation.partitions import (
    evaluate as evaluate,
    evaluate_table as evaluate_table,
    PartitionEvaluation as PartitionEvaluation,
)
from clustermark.evaluation.covers import evaluate_covers as evaluate_covers, CoverEvaluation as CoverEvaluation
from clustermark.evaluation.hierarchies import (
    evaluate_trees as evaluate_trees,
    TreeEvaluation as TreeEvaluation,
    TreePairEvaluation as TreePairEvaluation,
    bk_curve as bk_curve,
    BkCurve as BkCurve,
)
from clustermark.evaluation.soft_evaluation import evaluate_soft as evaluate_soft, SoftEvaluation as SoftEvaluation
from clustermark.evaluation.internal_scoring import evaluate_internal as evaluate_internal
from clustermark.evaluation.internal_evaluation import InternalEvaluation as InternalEvaluation
from clustermark.evaluation.recurrence import stability as stability, Stability as Stability
from clustermark.results.schema import json_schema as json_schema
from clustermark.diagnosis.cluster_table import ClusterTable as ClusterTable
from clustermark.diagnosis.error_list import ErrorList as ErrorList
from clustermark.diagnosis.point_table import PointTable as PointTable
from clustermark.diagnosis.overlap_map import OverlapMap as OverlapMap
from clustermark.diagnosis.repairs.repair_list import Repairs as Repairs

# intervals and tests
from clustermark.uncertainty.interval import Interval as Interval, Intervals as Intervals
from clustermark.uncertainty.checked_intervals import CoverageCheck as CoverageCheck
from clustermark.uncertainty.limits import score_interval as score_interval
from clustermark.uncertainty.significance import chance_test as chance_test, ChanceTest as ChanceTest

# several clusterings
from clustermark.evaluation.comparison import compare as compare
from clustermark.evaluation.comparison import Comparison as Comparison
from clustermark.evaluation.leaderboard import Leaderboard as Leaderboard
from clustermark.evaluation.differences import Differences as Differences
from clustermark.evaluation.data_sets import (
    compare_datasets as compare_datasets,
    DataSetComparison as DataSetComparison,
)
from clustermark.evaluation.similarities import (
    similarity_matrix as similarity_matrix,
    SimilarityMatrix as SimilarityMatrix,
)
from clustermark.evaluation.labeling_sweeps import sweep as sweep, Sweep as Sweep
from clustermark.evaluation.pair_closing import sweep_pairs as sweep_pairs
from clustermark.evaluation.pair_sweep import PairSweep as PairSweep
from clustermark.evaluation.threshold_band import ThresholdBand as ThresholdBand
from clustermark.evaluation.labeling_sweeps import PointSweep as PointSweep
from clustermark.evaluation.description import describe as describe, Description as Description

# releases
from clustermark.releases.before_after import changes as changes, Changes as Changes
from clustermark.releases.lasting_ids import relabel as relabel, Relabeled as Relabeled
from clustermark.releases.judgements.asking import questions as questions
from clustermark.releases.judgements.questionnaire import Questions as Questions
from clustermark.releases.judgements.judging import judge as judge
from clustermark.releases.judgements.judging import Judgements as Judgements
from clustermark.releases.sample_drawing import draw_sample as draw_sample, DrawnSample as DrawnSample
from clustermark.releases.estimation import estimate as estimate
from clustermark.releases.estimated_scores import Estimates as Estimates
from clustermark.releases.pilots import Guess as Guess
from clustermark.releases.monitoring import monitor as monitor, Monitoring as Monitoring
from clustermark.releases.planning import plan as plan, Plan as Plan, power as power

# data
from clustermark.sources.contingencies import crosstab as crosstab
from clustermark.tables.contingency import Contingency as Contingency
from clustermark.subjects.cover_tables import Cover as Cover, CoverTable as CoverTable
from clustermark.subjects.geometry import Geometry as Geometry
from clustermark.subjects.tree import Tree as Tree
from clustermark.subjects.tree_comparisons import (
    TreePair as TreePair,
    TreeLabels as TreeLabels,
    TreeDistances as TreeDistances,
    TreeSimilarities as TreeSimilarities,
)
from clustermark.subjects.soft_clusterings import SoftClustering as SoftClustering, SoftPair as SoftPair

# indices
from clustermark.registry import catalogue as catalogue, find as find, index as index, Index as Index
from clustermark.registry.adjustment import AdjustedIndex as AdjustedIndex, AdjustedScore as AdjustedScore
from clustermark.statistics.pairs import PairCounts as PairCounts
from clustermark.statistics.matching import MatchedPoints as MatchedPoints
from clustermark.tables.sums import Profile as Profile

# other tools
from clustermark.compat.jci import (
    concentration as concentration,
    jaccard_concentration_index as jaccard_concentration_index,
)
from clustermark.compat.permetrics import ClusteringMetric as ClusteringMetric

# exceptions and warnings
from clustermark.errors import (
    ClustermarkError as ClustermarkError,
    ClustermarkWarning as ClustermarkWarning,
    EngineError as EngineError,
    FewMatchesWarning as FewMatchesWarning,
    InputError as InputError,
    NoiseWarning as NoiseWarning,
    PluginWarning as PluginWarning,
    UndefinedIndexError as UndefinedIndexError,
    UnsupportedTableError as UnsupportedTableError,
)

# generated: indices (make generate)
from clustermark.indices.pairs.agreement import (
    rand as rand, jaccard as jaccard, pair_precision as pair_precision, pair_recall as pair_recall,
    f_measure as f_measure, dice as dice, fowlkes_mallows as fowlkes_mallows,
)
from clustermark.indices.pairs.coefficients import (
    pair_specificity as pair_specificity, pair_npv as pair_npv, balanced_pair_accuracy as balanced_pair_accuracy,
    kulczynski1 as kulczynski1, kulczynski2 as kulczynski2, mcconnaughey as mcconnaughey, russell_rao as russell_rao,
    rogers_tanimoto as rogers_tanimoto, sokal_sneath_a as sokal_sneath_a, sokal_sneath_b as sokal_sneath_b,
    sokal_sneath_c as sokal_sneath_c, sokal_sneath_d as sokal_sneath_d, sokal_sneath_e as sokal_sneath_e,
    overlap_coefficient as overlap_coefficient, braun_blanquet as braun_blanquet, tversky as tversky,
    fager_mcgowan as fager_mcgowan, baulieu1 as baulieu1,
)
from clustermark.indices.pairs.correlations import (
    hamann as hamann, phi as phi, unrooted_phi as unrooted_phi, yule_q as yule_q, yule_y as yule_y,
    informedness as informedness, markedness as markedness, baulieu2 as baulieu2, loevinger as loevinger,
    maxwell_pilliner as maxwell_pilliner, mcnemar as mcnemar, tau as tau, rv as rv, katz_powell as katz_powell,
)
from clustermark.indices.pairs.pair_distances import (
    rand_distance as rand_distance, mirkin as mirkin, minkowski as minkowski,
    partition_difference as partition_difference, correlation_distance as correlation_distance,
)
from clustermark.indices.chance.corrected_pairs import (
    adjusted_rand as adjusted_rand, morey_agresti as morey_agresti, modified_adjusted_rand as modified_adjusted_rand,
    adjusted_fowlkes_mallows as adjusted_fowlkes_mallows, adjusted_wallace_precision as adjusted_wallace_precision,
    adjusted_wallace_recall as adjusted_wallace_recall, lerman as lerman, normalized_lerman as normalized_lerman,
    adjusted_gini as adjusted_gini,
)
from clustermark.indices.chance.corrected_information import (
    adjusted_mutual_information as adjusted_mutual_information,
    standardized_mutual_information as standardized_mutual_information,
    reduced_mutual_information as reduced_mutual_information, relative_nmi as relative_nmi,
)
from clustermark.indices.information.entropies import (
    entropy_true as entropy_true, entropy_pred as entropy_pred, joint_entropy as joint_entropy,
    conditional_entropy_true as conditional_entropy_true, conditional_entropy_pred as conditional_entropy_pred,
    mutual_information as mutual_information, normalized_mutual_information as normalized_mutual_information,
    homogeneity as homogeneity, completeness as completeness, v_measure as v_measure,
)
from clustermark.indices.information.dependence import (
    variation_of_information as variation_of_information, vi_split as vi_split, vi_merge as vi_merge,
    normalized_variation_of_information as normalized_variation_of_information,
    information_distance as information_distance, normalized_information_distance as normalized_information_distance,
    chi_squared as chi_squared, g_statistic as g_statistic, cramers_v as cramers_v, tschuprow_t as tschuprow_t,
    goodman_kruskal_tau as goodman_kruskal_tau, goodman_kruskal_lambda as goodman_kruskal_lambda,
    frobenius as frobenius,
)
from clustermark.indices.matching.counterparts import (
    matching_accuracy as matching_accuracy, classification_error as classification_error,
    transfer_distance as transfer_distance, greedy_matching as greedy_matching, pair_sets as pair_sets,
    simplified_pair_sets as simplified_pair_sets, normalized_pivoted_accuracy as normalized_pivoted_accuracy,
    normalized_clustering_accuracy as normalized_clustering_accuracy, maximum_matching_ratio as maximum_matching_ratio,
    best_f as best_f, macro_best_f as macro_best_f, average_f1 as average_f1, nf1 as nf1, nowak as nowak,
    segmentation_covering as segmentation_covering, prediction_strength as prediction_strength,
)
from clustermark.indices.matching.majorities import (
    purity as purity, inverse_purity as inverse_purity, purity_f as purity_f, geometric_accuracy as geometric_accuracy,
    van_dongen as van_dongen, normalized_van_dongen as normalized_van_dongen, split_join_true as split_join_true,
    split_join_pred as split_join_pred, edit_distance as edit_distance, cluster_precision as cluster_precision,
    cluster_recall as cluster_recall, cluster_f as cluster_f, merge_distance as merge_distance,
    talburt_wang as talburt_wang, global_consistency_error as global_consistency_error,
    local_consistency_error as local_consistency_error,
)
from clustermark.indices.jci import (
    jaccard_concentration as jaccard_concentration, max_jaccard as max_jaccard,
    mean_concentration as mean_concentration,
)
from clustermark.indices.elements import (
    b_cubed_precision as b_cubed_precision, b_cubed_recall as b_cubed_recall, b_cubed_f as b_cubed_f,
    b_cubed_macro_precision as b_cubed_macro_precision, b_cubed_macro_recall as b_cubed_macro_recall,
    b_cubed_macro_f as b_cubed_macro_f, b_cubed_elementwise_f as b_cubed_elementwise_f,
    pointwise_jaccard as pointwise_jaccard, k_measure as k_measure, element_centric as element_centric,
)
from clustermark.indices.coreference import (
    muc_precision as muc_precision, muc_recall as muc_recall, muc_f as muc_f, ceaf_m_precision as ceaf_m_precision,
    ceaf_m_recall as ceaf_m_recall, ceaf_m_f as ceaf_m_f, ceaf_e_precision as ceaf_e_precision,
    ceaf_e_recall as ceaf_e_recall, ceaf_e_f as ceaf_e_f, blanc_precision as blanc_precision,
    blanc_recall as blanc_recall, blanc_f as blanc_f, lea_precision as lea_precision, lea_recall as lea_recall,
    lea_f as lea_f, conll as conll,
)
from clustermark.indices.diarization import (
    diarization_error as diarization_error, jaccard_error as jaccard_error,
)
from clustermark.indices.internal.scatter import (
    within_sum_of_squares as within_sum_of_squares, within_mean_square as within_mean_square, r_squared as r_squared,
    ball_hall as ball_hall, calinski_harabasz as calinski_harabasz, log_ss_ratio as log_ss_ratio,
    banfield_raftery as banfield_raftery, det_ratio as det_ratio, log_det_ratio as log_det_ratio, ksq_detw as ksq_detw,
    trace_wib as trace_wib, scott_symons as scott_symons, ratkowsky_lance as ratkowsky_lance, sd_scatter as sd_scatter,
)
from clustermark.indices.internal.centroids import (
    davies_bouldin as davies_bouldin, xie_beni as xie_beni, pbm as pbm, wemmert_gancarski as wemmert_gancarski,
    simplified_silhouette as simplified_silhouette, sd_distance as sd_distance,
)
from clustermark.indices.internal.point_distances import (
    silhouette as silhouette, dunn as dunn, generalized_dunn as generalized_dunn, mcclain_rao as mcclain_rao,
    pearson_gamma as pearson_gamma, c_index as c_index, baker_hubert_gamma as baker_hubert_gamma, g_plus as g_plus,
    distance_tau as distance_tau, dbcv as dbcv, relative_validity as relative_validity,
)
from clustermark.indices.covers import (
    omega as omega, cover_pair_precision as cover_pair_precision, cover_pair_recall as cover_pair_recall,
    cover_pair_f as cover_pair_f, extended_b_cubed_precision as extended_b_cubed_precision,
    extended_b_cubed_recall as extended_b_cubed_recall, extended_b_cubed_f as extended_b_cubed_f, onmi as onmi,
    onmi_lfk as onmi_lfk, average_jaccard as average_jaccard,
)
from clustermark.indices.trees import (
    cophenetic_correlation as cophenetic_correlation, baker_gamma as baker_gamma,
    fowlkes_mallows_bk as fowlkes_mallows_bk, robinson_foulds as robinson_foulds,
    hierarchical_mutual_information as hierarchical_mutual_information,
    normalized_hierarchical_mutual_information as normalized_hierarchical_mutual_information,
    entanglement as entanglement, dendrogram_purity as dendrogram_purity, hierarchical_f as hierarchical_f,
    dasgupta_cost as dasgupta_cost,
)
from clustermark.indices.soft import (
    fuzzy_rand as fuzzy_rand, adjusted_concordance as adjusted_concordance, frobenius_rand as frobenius_rand,
    frobenius_adjusted_rand as frobenius_adjusted_rand, soft_mutual_information as soft_mutual_information,
    soft_nmi as soft_nmi, soft_vi as soft_vi, membership_distance as membership_distance,
    partition_coefficient as partition_coefficient, modified_partition_coefficient as modified_partition_coefficient,
    partition_entropy as partition_entropy,
)
# end of generated

__version__: str
__all__: list[str]
