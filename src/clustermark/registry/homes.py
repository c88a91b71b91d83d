"""Where our indices are declared, so that one is found without loading all, and which of them are in the panel."""

# fmt: off
# generated: indices (make generate)
NAMES = {
    "pairs.agreement": (
        "rand", "RaS", "rand_index", "RI", "simple_matching", "jaccard", "JS", "jaccard_index", "tanimoto",
        "pair_precision", "PrS", "pairwise_precision", "wallace2", "pair_recall", "ReS", "pairwise_recall", "wallace1",
        "f_measure", "FmS", "pairwise_f", "dice", "CDS", "czekanowski_dice", "sorensen_dice", "pair_f1",
        "fowlkes_mallows", "FMS", "fowlkes_mallows_index", "FM", "ochiai",
    ),
    "pairs.coefficients": (
        "pair_specificity", "PSp", "pair_npv", "PNPV", "balanced_pair_accuracy", "BPA", "kulczynski1", "Ku1",
        "southwood", "kulczynski2", "KS", "mcconnaughey", "McC", "russell_rao", "RRS", "rogers_tanimoto", "RTS",
        "sokal_sneath_a", "SSA", "sokal_sneath_b", "SSB", "gower_legendre", "sokal_sneath_c", "SSC", "sokal_sneath_d",
        "SSD", "sokal_sneath_e", "SSE", "overlap_coefficient", "SzS", "szymkiewicz_simpson", "braun_blanquet", "BrB",
        "tversky", "Tve", "fager_mcgowan", "FMG", "baulieu1", "Ba1",
    ),
    "pairs.correlations": (
        "hamann", "HaS", "phi", "PhS", "hubert_gamma", "matthews_correlation", "unrooted_phi", "UPh", "yule_q", "YuQ",
        "goodman_kruskal_gamma", "yule_y", "YuY", "informedness", "Inf", "peirce", "youden_j", "markedness", "Mrk",
        "baulieu2", "Ba2", "pair_covariance", "loevinger", "LoH", "maxwell_pilliner", "MaP", "mcnemar", "McN", "tau",
        "TauS", "rv", "RV", "katz_powell", "KaP",
    ),
    "pairs.distances": (
        "rand_distance", "RaD", "mirkin", "Mir", "minkowski", "Mkw", "partition_difference", "PD",
        "correlation_distance", "CoD",
    ),
    "chance.pairs": (
        "adjusted_rand", "ARI", "adjusted_rand_index", "kappa_of_pairs", "morey_agresti", "MoA",
        "modified_adjusted_rand", "MARI", "adjusted_fowlkes_mallows", "AFM", "adjusted_wallace_precision", "AWP",
        "adjusted_wallace_recall", "AWR", "lerman", "Ler", "standardized_rand", "lerman_index", "normalized_lerman",
        "NLe", "adjusted_gini", "AGi",
    ),
    "chance.information": (
        "adjusted_mutual_information", "AMI", "adjusted_mutual_info", "standardized_mutual_information", "SMI",
        "reduced_mutual_information", "RMI", "relative_nmi", "RNMI",
    ),
    "information.entropies": (
        "entropy_true", "EnT", "entropy_pred", "EnP", "joint_entropy", "EnJ", "conditional_entropy_true", "CET",
        "conditional_entropy_pred", "CEP", "mutual_information", "MI", "mutual_info",
    ),
    "information.normalized": (
        "normalized_mutual_information", "NMI", "normalized_mutual_info", "homogeneity", "Hom", "theil_u_true",
        "completeness", "Com", "theil_u_pred", "v_measure", "VM",
    ),
    "information.distances": (
        "variation_of_information", "VI", "vi_split", "VIS", "oversegmentation", "vi_merge", "VIM",
        "undersegmentation", "normalized_variation_of_information", "NVI", "information_distance", "InD",
        "normalized_information_distance", "NID",
    ),
    "information.association": (
        "chi_squared", "Chi2", "chi2", "g_statistic", "GSt", "likelihood_ratio_statistic", "cramers_v", "CrV",
        "cramer_v", "tschuprow_t", "TsT", "goodman_kruskal_tau", "GKT", "goodman_kruskal_lambda", "GKL", "frobenius",
        "Fro",
    ),
    "matching.assignment": (
        "matching_accuracy", "MaA", "clustering_accuracy", "hungarian_accuracy", "ACC", "classification_error", "CED",
        "misclassification_error", "transfer_distance", "TrD", "partition_distance", "greedy_matching", "GrM",
        "maximum_match_measure", "pair_sets", "PSI", "simplified_pair_sets", "SPSI", "normalized_pivoted_accuracy",
        "NPA", "normalized_clustering_accuracy", "NCA", "maximum_matching_ratio", "MMR",
    ),
    "matching.best": (
        "best_f", "BeF", "class_weighted_f", "clustering_f_measure", "macro_best_f", "MBF", "average_f1", "AF1", "nf1",
        "NF1", "nowak", "Now", "segmentation_covering", "SeC", "prediction_strength", "PrSt",
    ),
    "matching.purity": (
        "purity", "PuS", "inverse_purity", "IPu", "purity_f", "PuF", "purity_f1", "geometric_accuracy", "GeA",
        "van_dongen", "VD", "split_join", "normalized_van_dongen", "NVD", "split_join_true", "SJT", "split_join_pred",
        "SJP", "edit_distance", "EdD",
    ),
    "matching.refinement": (
        "cluster_precision", "ClP", "cluster_recall", "ClR", "cluster_f", "ClF", "merge_distance", "MeD",
        "basic_merge_distance", "talburt_wang", "TWI", "global_consistency_error", "GCE", "local_consistency_error",
        "LCE",
    ),
    "jci": (
        "jaccard_concentration", "JCI", "max_jaccard", "MJI", "mean_concentration", "MCI",
    ),
    "elements": (
        "b_cubed_precision", "B3P", "average_cluster_purity", "b_cubed_recall", "B3R", "average_speaker_purity",
        "b_cubed_f", "B3F", "b_cubed_macro_precision", "B3MP", "b_cubed_macro_recall", "B3MR", "b_cubed_macro_f",
        "B3MF", "b_cubed_elementwise_f", "B3EF", "pointwise_jaccard", "PJ", "pointwise_jaccard_index", "k_measure",
        "KM", "element_centric", "ECS", "element_centric_similarity",
    ),
    "coreference": (
        "muc_precision", "MUCP", "muc_recall", "MUCR", "muc_f", "MUCF", "ceaf_m_precision", "CEMP", "ceaf_m_recall",
        "CEMR", "ceaf_m_f", "CEMF", "ceaf_e_precision", "CEEP", "ceaf_e_recall", "CEER", "ceaf_e_f", "CEEF",
        "blanc_precision", "BLAP", "blanc_recall", "BLAR", "blanc_f", "BLAF", "blanc", "lea_precision", "LEAP",
        "lea_recall", "LEAR", "lea_f", "LEAF", "conll", "CoNLL", "conll_score",
    ),
    "diarization": (
        "diarization_error", "DER", "jaccard_error", "JER",
    ),
    "internal.scatter": (
        "within_sum_of_squares", "WSS", "trace_w", "inertia", "within_mean_square", "r_squared", "R2",
        "explained_variance", "ball_hall", "calinski_harabasz", "CH", "variance_ratio", "log_ss_ratio",
        "banfield_raftery", "det_ratio", "log_det_ratio", "ksq_detw", "marriott", "trace_wib", "scott_symons",
        "ratkowsky_lance", "sd_scatter",
    ),
    "internal.centroids": (
        "davies_bouldin", "DB", "xie_beni", "XB", "ray_turi", "pbm", "PBM", "wemmert_gancarski",
        "simplified_silhouette", "centroid_silhouette", "sd_distance",
    ),
    "internal.distances": (
        "silhouette", "silhouette_width", "dunn", "generalized_dunn", "GDI", "mcclain_rao", "pearson_gamma",
        "point_biserial", "c_index", "hubert_levin", "baker_hubert_gamma", "g_plus", "distance_tau",
    ),
    "internal.density": (
        "dbcv", "DBCV", "relative_validity",
    ),
    "covers.pairs": (
        "omega", "omega_index", "cover_pair_precision", "cover_pair_recall", "cover_pair_f",
    ),
    "covers.elements": (
        "extended_b_cubed_precision", "EB3P", "extended_b_cubed_recall", "EB3R", "extended_b_cubed_f", "EB3F",
    ),
    "covers.information": (
        "onmi", "ONMI", "onmi_lfk", "LFK", "nmi_lfk",
    ),
    "covers.clusters": (
        "average_jaccard",
    ),
    "trees.heights": (
        "cophenetic_correlation", "baker_gamma",
    ),
    "trees.cuts": (
        "fowlkes_mallows_bk", "Bk",
    ),
    "trees.shapes": (
        "robinson_foulds", "RF", "hierarchical_mutual_information", "HMI",
        "normalized_hierarchical_mutual_information", "NHMI", "entanglement",
    ),
    "trees.leaves": (
        "dendrogram_purity", "hierarchical_f", "larsen_aone_f", "dasgupta_cost",
    ),
    "soft.pairs": (
        "fuzzy_rand", "HR", "ndc", "degree_of_concordance", "adjusted_concordance", "ACI", "frobenius_rand", "FRI",
        "frobenius_adjusted_rand", "FARI",
    ),
    "soft.information": (
        "soft_mutual_information", "soft_nmi", "soft_vi",
    ),
    "soft.columns": (
        "membership_distance", "partition_coefficient", "PC", "modified_partition_coefficient", "MPC",
        "partition_entropy", "PE",
    ),
}
PANEL = (
    "jaccard", "pair_precision", "pair_recall", "dice", "adjusted_rand", "adjusted_mutual_information",
    "normalized_mutual_information", "homogeneity", "completeness", "v_measure", "variation_of_information",
    "vi_split", "vi_merge", "matching_accuracy", "purity", "inverse_purity", "cluster_precision", "cluster_recall",
    "jaccard_concentration", "b_cubed_precision", "b_cubed_recall", "b_cubed_f", "element_centric",
)
# end of generated
# fmt: on

HOMES = {name: home for home, names in NAMES.items() for name in names}
"""The module of each of their own names: in full, abbreviated, and synonyms."""
