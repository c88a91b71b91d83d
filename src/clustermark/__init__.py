"""How well does a clustering agree with the truth, and where does it go wrong?

>>> import clustermark as cm
>>> cm.adjusted_rand(["a", "a", "b", "b"], [1, 1, 2, 3])
0.5714285714285714
"""

from __future__ import annotations

TYPE_CHECKING = False  # as in typing, which takes longer to import than we do
if TYPE_CHECKING:
    from clustermark import statistics, testing

    # fmt: off
    # generated: imports (make generate)
    from clustermark.compat.jci import (
        concentration, jaccard_concentration_index,
    )
    from clustermark.compat.permetrics import (
        ClusteringMetric,
    )
    from clustermark.diagnosis.cluster_table import (
        ClusterRow, ClusterTable,
    )
    from clustermark.diagnosis.confusions import (
        Confusion, Confusions,
    )
    from clustermark.diagnosis.error_list import (
        ErrorList, ErrorRow, Part,
    )
    from clustermark.diagnosis.members import (
        Member, Members, RecordPair,
    )
    from clustermark.diagnosis.overlap_map import (
        OverlapMap,
    )
    from clustermark.diagnosis.point_table import (
        PointRecord, PointRow, PointTable,
    )
    from clustermark.diagnosis.quality import (
        GroupTable, Quality,
    )
    from clustermark.diagnosis.record_tables import (
        RecordTable,
    )
    from clustermark.diagnosis.repairs.repair_list import (
        Repair, Repairs,
    )
    from clustermark.diagnosis.repairs.wording import (
        Piece,
    )
    from clustermark.diagnosis.subgroups import (
        Subgroup, Subgroups,
    )
    from clustermark.errors import (
        ClustermarkError, ClustermarkWarning, EngineError, FewMatchesWarning, InputError, NoiseWarning, PluginWarning,
        UndefinedIndexError, UnsupportedTableError,
    )
    from clustermark.evaluation.covers import (
        CoverEvaluation, evaluate_covers,
    )
    from clustermark.evaluation.description import (
        Description, describe,
    )
    from clustermark.evaluation.evaluation import (
        Evaluation, read_evaluation,
    )
    from clustermark.evaluation.hierarchies import (
        BkCurve, TreeEvaluation, TreePairEvaluation, bk_curve, evaluate_trees,
    )
    from clustermark.evaluation.internal.evaluation import (
        evaluate_internal,
    )
    from clustermark.evaluation.internal.recurrence import (
        Stability, stability,
    )
    from clustermark.evaluation.internal.results import (
        InternalEvaluation,
    )
    from clustermark.evaluation.partitions import (
        PartitionEvaluation, evaluate, evaluate_table,
    )
    from clustermark.evaluation.ranking.comparison import (
        Comparison,
    )
    from clustermark.evaluation.ranking.contest import (
        compare,
    )
    from clustermark.evaluation.ranking.data_sets import (
        DataSetComparison, compare_datasets,
    )
    from clustermark.evaluation.ranking.differences import (
        Difference, Differences,
    )
    from clustermark.evaluation.ranking.leaderboard import (
        Leaderboard, Standing,
    )
    from clustermark.evaluation.similarities import (
        SimilarityMatrix, similarity_matrix,
    )
    from clustermark.evaluation.soft.evaluation import (
        SoftEvaluation, evaluate_soft,
    )
    from clustermark.evaluation.sweeps.accounts import (
        Calibration, FalseMerge, FalseMerges, Losses, RawPairs,
    )
    from clustermark.evaluation.sweeps.closing import (
        sweep_pairs,
    )
    from clustermark.evaluation.sweeps.curves import (
        Choice,
    )
    from clustermark.evaluation.sweeps.labelings import (
        Sweep, sweep,
    )
    from clustermark.evaluation.sweeps.optimism import (
        BestInterval,
    )
    from clustermark.evaluation.sweeps.pair_sweep import (
        PairSweep,
    )
    from clustermark.evaluation.sweeps.points import (
        PointSweep,
    )
    from clustermark.indices.chance.information import (
        adjusted_mutual_information, reduced_mutual_information, relative_nmi, standardized_mutual_information,
    )
    from clustermark.indices.chance.pairs import (
        adjusted_fowlkes_mallows, adjusted_gini, adjusted_rand, adjusted_wallace_precision, adjusted_wallace_recall,
        lerman, modified_adjusted_rand, morey_agresti, normalized_lerman,
    )
    from clustermark.indices.coreference import (
        blanc_f, blanc_precision, blanc_recall, ceaf_e_f, ceaf_e_precision, ceaf_e_recall, ceaf_m_f, ceaf_m_precision,
        ceaf_m_recall, conll, lea_f, lea_precision, lea_recall, muc_f, muc_precision, muc_recall,
    )
    from clustermark.indices.covers.clusters import (
        average_jaccard,
    )
    from clustermark.indices.covers.elements import (
        extended_b_cubed_f, extended_b_cubed_precision, extended_b_cubed_recall,
    )
    from clustermark.indices.covers.information import (
        onmi, onmi_lfk,
    )
    from clustermark.indices.covers.pairs import (
        cover_pair_f, cover_pair_precision, cover_pair_recall, omega,
    )
    from clustermark.indices.diarization import (
        diarization_error, jaccard_error,
    )
    from clustermark.indices.elements import (
        b_cubed_elementwise_f, b_cubed_f, b_cubed_macro_f, b_cubed_macro_precision, b_cubed_macro_recall,
        b_cubed_precision, b_cubed_recall, element_centric, k_measure, pointwise_jaccard,
    )
    from clustermark.indices.information.association import (
        chi_squared, cramers_v, frobenius, g_statistic, goodman_kruskal_lambda, goodman_kruskal_tau, tschuprow_t,
    )
    from clustermark.indices.information.distances import (
        information_distance, normalized_information_distance, normalized_variation_of_information,
        variation_of_information, vi_merge, vi_split,
    )
    from clustermark.indices.information.entropies import (
        conditional_entropy_pred, conditional_entropy_true, entropy_pred, entropy_true, joint_entropy,
        mutual_information,
    )
    from clustermark.indices.information.normalized import (
        completeness, homogeneity, normalized_mutual_information, v_measure,
    )
    from clustermark.indices.internal.centroids import (
        davies_bouldin, pbm, sd_distance, simplified_silhouette, wemmert_gancarski, xie_beni,
    )
    from clustermark.indices.internal.density import (
        dbcv, relative_validity,
    )
    from clustermark.indices.internal.distances import (
        baker_hubert_gamma, c_index, distance_tau, dunn, g_plus, generalized_dunn, mcclain_rao, pearson_gamma,
        silhouette,
    )
    from clustermark.indices.internal.scatter import (
        ball_hall, banfield_raftery, calinski_harabasz, det_ratio, ksq_detw, log_det_ratio, log_ss_ratio, r_squared,
        ratkowsky_lance, scott_symons, sd_scatter, trace_wib, within_mean_square, within_sum_of_squares,
    )
    from clustermark.indices.jci import (
        jaccard_concentration, max_jaccard, mean_concentration,
    )
    from clustermark.indices.matching.assignment import (
        classification_error, greedy_matching, matching_accuracy, maximum_matching_ratio,
        normalized_clustering_accuracy, normalized_pivoted_accuracy, pair_sets, simplified_pair_sets, transfer_distance,
    )
    from clustermark.indices.matching.best import (
        average_f1, best_f, macro_best_f, nf1, nowak, prediction_strength, segmentation_covering,
    )
    from clustermark.indices.matching.purity import (
        edit_distance, geometric_accuracy, inverse_purity, normalized_van_dongen, purity, purity_f, split_join_pred,
        split_join_true, van_dongen,
    )
    from clustermark.indices.matching.refinement import (
        cluster_f, cluster_precision, cluster_recall, global_consistency_error, local_consistency_error,
        merge_distance, talburt_wang,
    )
    from clustermark.indices.pairs.agreement import (
        dice, f_measure, fowlkes_mallows, jaccard, pair_precision, pair_recall, rand,
    )
    from clustermark.indices.pairs.coefficients import (
        balanced_pair_accuracy, baulieu1, braun_blanquet, fager_mcgowan, kulczynski1, kulczynski2, mcconnaughey,
        overlap_coefficient, pair_npv, pair_specificity, rogers_tanimoto, russell_rao, sokal_sneath_a, sokal_sneath_b,
        sokal_sneath_c, sokal_sneath_d, sokal_sneath_e, tversky,
    )
    from clustermark.indices.pairs.correlations import (
        baulieu2, hamann, informedness, katz_powell, loevinger, markedness, maxwell_pilliner, mcnemar, phi, rv, tau,
        unrooted_phi, yule_q, yule_y,
    )
    from clustermark.indices.pairs.distances import (
        correlation_distance, minkowski, mirkin, partition_difference, rand_distance,
    )
    from clustermark.indices.soft.columns import (
        membership_distance, modified_partition_coefficient, partition_coefficient, partition_entropy,
    )
    from clustermark.indices.soft.information import (
        soft_mutual_information, soft_nmi, soft_vi,
    )
    from clustermark.indices.soft.pairs import (
        adjusted_concordance, frobenius_adjusted_rand, frobenius_rand, fuzzy_rand,
    )
    from clustermark.indices.trees.cuts import (
        fowlkes_mallows_bk,
    )
    from clustermark.indices.trees.heights import (
        baker_gamma, cophenetic_correlation,
    )
    from clustermark.indices.trees.leaves import (
        dasgupta_cost, dendrogram_purity, hierarchical_f,
    )
    from clustermark.indices.trees.shapes import (
        entanglement, hierarchical_mutual_information, normalized_hierarchical_mutual_information, robinson_foulds,
    )
    from clustermark.registry import (
        Index, catalogue, find, index,
    )
    from clustermark.registry.adjustment import (
        AdjustedIndex, AdjustedScore,
    )
    from clustermark.releases.before_after import (
        Changes, changes,
    )
    from clustermark.releases.estimated_scores import (
        Estimates, Plan, plan,
    )
    from clustermark.releases.estimation import (
        estimate,
    )
    from clustermark.releases.judgements.asking import (
        questions,
    )
    from clustermark.releases.judgements.judgement_results import (
        Judgements,
    )
    from clustermark.releases.judgements.judging import (
        judge,
    )
    from clustermark.releases.judgements.questionnaire import (
        Questions,
    )
    from clustermark.releases.lasting_ids import (
        Relabeled, relabel,
    )
    from clustermark.report.record import (
        Score,
    )
    from clustermark.results.schema import (
        json_schema,
    )
    from clustermark.sources.crosstab import (
        crosstab,
    )
    from clustermark.statistics.matching import (
        MatchedPoints,
    )
    from clustermark.statistics.pairs import (
        PairCounts,
    )
    from clustermark.subjects.covers import (
        Cover, CoverTable,
    )
    from clustermark.subjects.geometry import (
        Geometry,
    )
    from clustermark.subjects.soft import (
        SoftClustering, SoftPair,
    )
    from clustermark.subjects.tree import (
        Tree,
    )
    from clustermark.subjects.trees import (
        TreeDistances, TreeLabels, TreePair, TreeSimilarities,
    )
    from clustermark.tables.contingency import (
        Contingency,
    )
    from clustermark.tables.profile import (
        Profile,
    )
    from clustermark.uncertainty.interval import (
        Interval, Intervals, score_interval,
    )
    from clustermark.uncertainty.significance import (
        ChanceTest, chance_test,
    )
    # end of generated
    # fmt: on

__version__ = "0.1.0"

# fmt: off
# generated: names (make generate)
__all__ = [
    "AdjustedIndex", "AdjustedScore", "BestInterval", "BkCurve", "Calibration", "ChanceTest", "Changes", "Choice",
    "ClusterRow", "ClusterTable", "ClusteringMetric", "ClustermarkError", "ClustermarkWarning", "Comparison",
    "Confusion", "Confusions", "Contingency", "Cover", "CoverEvaluation", "CoverTable", "DataSetComparison",
    "Description", "Difference", "Differences", "EngineError", "ErrorList", "ErrorRow", "Estimates", "Evaluation",
    "FalseMerge", "FalseMerges", "FewMatchesWarning", "Geometry", "GroupTable", "Index", "InputError",
    "InternalEvaluation", "Interval", "Intervals", "Judgements", "Leaderboard", "Losses", "MatchedPoints", "Member",
    "Members", "NoiseWarning", "OverlapMap", "PairCounts", "PairSweep", "Part", "PartitionEvaluation", "Piece", "Plan",
    "PluginWarning", "PointRecord", "PointRow", "PointSweep", "PointTable", "Profile", "Quality", "Questions",
    "RawPairs", "RecordPair", "RecordTable", "Relabeled", "Repair", "Repairs", "Score", "SimilarityMatrix",
    "SoftClustering", "SoftEvaluation", "SoftPair", "Stability", "Standing", "Subgroup", "Subgroups", "Sweep", "Tree",
    "TreeDistances", "TreeEvaluation", "TreeLabels", "TreePair", "TreePairEvaluation", "TreeSimilarities",
    "UndefinedIndexError", "UnsupportedTableError", "adjusted_concordance", "adjusted_fowlkes_mallows",
    "adjusted_gini", "adjusted_mutual_information", "adjusted_rand", "adjusted_wallace_precision",
    "adjusted_wallace_recall", "average_f1", "average_jaccard", "b_cubed_elementwise_f", "b_cubed_f",
    "b_cubed_macro_f", "b_cubed_macro_precision", "b_cubed_macro_recall", "b_cubed_precision", "b_cubed_recall",
    "baker_gamma", "baker_hubert_gamma", "balanced_pair_accuracy", "ball_hall", "banfield_raftery", "baulieu1",
    "baulieu2", "best_f", "bk_curve", "blanc_f", "blanc_precision", "blanc_recall", "braun_blanquet", "c_index",
    "calinski_harabasz", "catalogue", "ceaf_e_f", "ceaf_e_precision", "ceaf_e_recall", "ceaf_m_f", "ceaf_m_precision",
    "ceaf_m_recall", "chance_test", "changes", "chi_squared", "classification_error", "cluster_f", "cluster_precision",
    "cluster_recall", "compare", "compare_datasets", "completeness", "concentration", "conditional_entropy_pred",
    "conditional_entropy_true", "conll", "cophenetic_correlation", "correlation_distance", "cover_pair_f",
    "cover_pair_precision", "cover_pair_recall", "cramers_v", "crosstab", "dasgupta_cost", "davies_bouldin", "dbcv",
    "dendrogram_purity", "describe", "det_ratio", "diarization_error", "dice", "distance_tau", "dunn", "edit_distance",
    "element_centric", "entanglement", "entropy_pred", "entropy_true", "estimate", "evaluate", "evaluate_covers",
    "evaluate_internal", "evaluate_soft", "evaluate_table", "evaluate_trees", "extended_b_cubed_f",
    "extended_b_cubed_precision", "extended_b_cubed_recall", "f_measure", "fager_mcgowan", "find", "fowlkes_mallows",
    "fowlkes_mallows_bk", "frobenius", "frobenius_adjusted_rand", "frobenius_rand", "fuzzy_rand", "g_plus",
    "g_statistic", "generalized_dunn", "geometric_accuracy", "global_consistency_error", "goodman_kruskal_lambda",
    "goodman_kruskal_tau", "greedy_matching", "hamann", "hierarchical_f", "hierarchical_mutual_information",
    "homogeneity", "index", "information_distance", "informedness", "inverse_purity", "jaccard",
    "jaccard_concentration", "jaccard_concentration_index", "jaccard_error", "joint_entropy", "json_schema", "judge",
    "k_measure", "katz_powell", "ksq_detw", "kulczynski1", "kulczynski2", "lea_f", "lea_precision", "lea_recall",
    "lerman", "local_consistency_error", "loevinger", "log_det_ratio", "log_ss_ratio", "macro_best_f", "markedness",
    "matching_accuracy", "max_jaccard", "maximum_matching_ratio", "maxwell_pilliner", "mcclain_rao", "mcconnaughey",
    "mcnemar", "mean_concentration", "membership_distance", "merge_distance", "minkowski", "mirkin",
    "modified_adjusted_rand", "modified_partition_coefficient", "morey_agresti", "muc_f", "muc_precision",
    "muc_recall", "mutual_information", "nf1", "normalized_clustering_accuracy",
    "normalized_hierarchical_mutual_information", "normalized_information_distance", "normalized_lerman",
    "normalized_mutual_information", "normalized_pivoted_accuracy", "normalized_van_dongen",
    "normalized_variation_of_information", "nowak", "omega", "onmi", "onmi_lfk", "overlap_coefficient", "pair_npv",
    "pair_precision", "pair_recall", "pair_sets", "pair_specificity", "partition_coefficient", "partition_difference",
    "partition_entropy", "pbm", "pearson_gamma", "phi", "plan", "pointwise_jaccard", "prediction_strength", "purity",
    "purity_f", "questions", "r_squared", "rand", "rand_distance", "ratkowsky_lance", "read_evaluation",
    "reduced_mutual_information", "relabel", "relative_nmi", "relative_validity", "robinson_foulds", "rogers_tanimoto",
    "russell_rao", "rv", "score_interval", "scott_symons", "sd_distance", "sd_scatter", "segmentation_covering",
    "silhouette", "similarity_matrix", "simplified_pair_sets", "simplified_silhouette", "soft_mutual_information",
    "soft_nmi", "soft_vi", "sokal_sneath_a", "sokal_sneath_b", "sokal_sneath_c", "sokal_sneath_d", "sokal_sneath_e",
    "split_join_pred", "split_join_true", "stability", "standardized_mutual_information", "sweep", "sweep_pairs",
    "talburt_wang", "tau", "trace_wib", "transfer_distance", "tschuprow_t", "tversky", "unrooted_phi", "v_measure",
    "van_dongen", "variation_of_information", "vi_merge", "vi_split", "wemmert_gancarski", "within_mean_square",
    "within_sum_of_squares", "xie_beni", "yule_q", "yule_y",
]
# end of generated
# fmt: on

# fmt: off
# generated: homes (make generate)
_HOMES = {
    "AdjustedIndex": "registry.adjustment", "AdjustedScore": "registry.adjustment", "BestInterval":
    "evaluation.sweeps.optimism", "BkCurve": "evaluation.hierarchies", "Calibration": "evaluation.sweeps.accounts",
    "ChanceTest": "uncertainty.significance", "Changes": "releases.before_after", "Choice": "evaluation.sweeps.curves",
    "ClusterRow": "diagnosis.cluster_table", "ClusterTable": "diagnosis.cluster_table", "ClusteringMetric":
    "compat.permetrics", "ClustermarkError": "errors", "ClustermarkWarning": "errors", "Comparison":
    "evaluation.ranking.comparison", "Confusion": "diagnosis.confusions", "Confusions": "diagnosis.confusions",
    "Contingency": "tables.contingency", "Cover": "subjects.covers", "CoverEvaluation": "evaluation.covers",
    "CoverTable": "subjects.covers", "DataSetComparison": "evaluation.ranking.data_sets", "Description":
    "evaluation.description", "Difference": "evaluation.ranking.differences", "Differences":
    "evaluation.ranking.differences", "EngineError": "errors", "ErrorList": "diagnosis.error_list", "ErrorRow":
    "diagnosis.error_list", "Estimates": "releases.estimated_scores", "Evaluation": "evaluation.evaluation",
    "FalseMerge": "evaluation.sweeps.accounts", "FalseMerges": "evaluation.sweeps.accounts", "FewMatchesWarning":
    "errors", "Geometry": "subjects.geometry", "GroupTable": "diagnosis.quality", "Index": "registry", "InputError":
    "errors", "InternalEvaluation": "evaluation.internal.results", "Interval": "uncertainty.interval", "Intervals":
    "uncertainty.interval", "Judgements": "releases.judgements.judgement_results", "Leaderboard":
    "evaluation.ranking.leaderboard", "Losses": "evaluation.sweeps.accounts", "MatchedPoints": "statistics.matching",
    "Member": "diagnosis.members", "Members": "diagnosis.members", "NoiseWarning": "errors", "OverlapMap":
    "diagnosis.overlap_map", "PairCounts": "statistics.pairs", "PairSweep": "evaluation.sweeps.pair_sweep", "Part":
    "diagnosis.error_list", "PartitionEvaluation": "evaluation.partitions", "Piece": "diagnosis.repairs.wording",
    "Plan": "releases.estimated_scores", "PluginWarning": "errors", "PointRecord": "diagnosis.point_table", "PointRow":
    "diagnosis.point_table", "PointSweep": "evaluation.sweeps.points", "PointTable": "diagnosis.point_table",
    "Profile": "tables.profile", "Quality": "diagnosis.quality", "Questions": "releases.judgements.questionnaire",
    "RawPairs": "evaluation.sweeps.accounts", "RecordPair": "diagnosis.members", "RecordTable":
    "diagnosis.record_tables", "Relabeled": "releases.lasting_ids", "Repair": "diagnosis.repairs.repair_list",
    "Repairs": "diagnosis.repairs.repair_list", "Score": "report.record", "SimilarityMatrix":
    "evaluation.similarities", "SoftClustering": "subjects.soft", "SoftEvaluation": "evaluation.soft.evaluation",
    "SoftPair": "subjects.soft", "Stability": "evaluation.internal.recurrence", "Standing":
    "evaluation.ranking.leaderboard", "Subgroup": "diagnosis.subgroups", "Subgroups": "diagnosis.subgroups", "Sweep":
    "evaluation.sweeps.labelings", "Tree": "subjects.tree", "TreeDistances": "subjects.trees", "TreeEvaluation":
    "evaluation.hierarchies", "TreeLabels": "subjects.trees", "TreePair": "subjects.trees", "TreePairEvaluation":
    "evaluation.hierarchies", "TreeSimilarities": "subjects.trees", "UndefinedIndexError": "errors",
    "UnsupportedTableError": "errors", "bk_curve": "evaluation.hierarchies", "catalogue": "registry", "chance_test":
    "uncertainty.significance", "changes": "releases.before_after", "compare": "evaluation.ranking.contest",
    "compare_datasets": "evaluation.ranking.data_sets", "concentration": "compat.jci", "crosstab": "sources.crosstab",
    "describe": "evaluation.description", "estimate": "releases.estimation", "evaluate": "evaluation.partitions",
    "evaluate_covers": "evaluation.covers", "evaluate_internal": "evaluation.internal.evaluation", "evaluate_soft":
    "evaluation.soft.evaluation", "evaluate_table": "evaluation.partitions", "evaluate_trees":
    "evaluation.hierarchies", "find": "registry", "index": "registry", "jaccard_concentration_index": "compat.jci",
    "json_schema": "results.schema", "judge": "releases.judgements.judging", "plan": "releases.estimated_scores",
    "questions": "releases.judgements.asking", "read_evaluation": "evaluation.evaluation", "relabel":
    "releases.lasting_ids", "score_interval": "uncertainty.interval", "similarity_matrix": "evaluation.similarities",
    "stability": "evaluation.internal.recurrence", "sweep": "evaluation.sweeps.labelings", "sweep_pairs":
    "evaluation.sweeps.closing",
}
# end of generated
# fmt: on


if not TYPE_CHECKING:  # which would take any name for a public one

    def __getattr__(name: str) -> object:
        """A public name or a room, loaded when it is first asked for: so importing us costs next to nothing."""
        from importlib import import_module

        if name in _HOMES:
            value = getattr(import_module(f"clustermark.{_HOMES[name]}"), name)
        elif name in __all__:
            value = import_module("clustermark.registry").find(name)
        else:
            value = _find_room(name)
        globals()[name] = value
        return value


def _find_room(name: str) -> object:
    from importlib import import_module

    room = f"clustermark.{name}"
    try:
        if name.isidentifier() and not name.startswith("__"):
            return import_module(room)
    except ModuleNotFoundError as error:
        if error.name != room:
            raise
    raise AttributeError(f"module 'clustermark' has no attribute {name!r}{_hint(name)}")


def _hint(name: str) -> str:
    """Where an index is that was asked for by another of its names."""
    from clustermark.errors import InputError
    from clustermark.registry import find

    try:
        found = find(name)
    except InputError:
        return ""
    return f"; this index is {f'clustermark.{found.label}' if found.name in __all__ else f'find({found.name!r})'}"


def __dir__() -> list[str]:
    """What is meant for users; rooms that are not are still found under their names."""
    rooms = ("sklearn", "statistics", "testing")
    return sorted([*__all__, *rooms, "__all__", "__doc__", "__file__", "__name__", "__path__", "__version__"])
