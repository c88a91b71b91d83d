"""Distances made of entropies, test statistics of independence, and coefficients of association."""

from __future__ import annotations

from math import inf, log, sqrt
from typing import Literal, TypeAlias, get_args

from clustermark.errors import InputError
from clustermark.indices.arithmetic import check_value, in_units
from clustermark.registry import index
from clustermark.statistics.information import Entropies, Shares
from clustermark.statistics.sizes import Sizes

Variant: TypeAlias = Literal["joint", "relative", "truth", "log_n", "sum"]


@index(
    Entropies,
    title="Variation of information",
    abbreviation="VI",
    formula="2 * joint - true - pred",
    reference="meila2007",
    bounds=(0.0, inf),
    higher_is_better=False,
    metric=True,
    rational=False,
    peers={
        "mclustcomp": "vi(base=2)",
        "igraph": "vi",
        "clusim": "vi(base=2)",
        "CDlib": "variation_of_information(base=2)",
        "ClusterR": "variation_of_information(base=2)",
        "ELKI": "variationOfInformation",
        "Clustering.jl": "varinfo",
        "partitionComparison": "variationOfInformation",
        "clue": "VI",
        "mcclust": "vi.dist",
    },
    panel=True,
)
def variation_of_information(e: Entropies, *, base: float | None = None) -> float:
    """Uncertainty of each cluster of a point if the other is known: H(T|P) + H(P|T). A metric.

    At most ln N. In nats at igraph, ELKI, Clustering.jl, partitionComparison and clue; in bits (base=2) at mclustcomp,
    clusim, CDlib, ClusterR and scikit-image, which returns its two parts, `vi_split` and `vi_merge`.

    >>> variation_of_information([1, 2, 3, 4], [1, 1, 8, 8], base=2)
    1.0
    """
    return in_units(e.variation, base)


@index(
    Entropies,
    title="Split part of the variation of information",
    abbreviation="VIS",
    formula="joint - true",
    reference="nunez2013",
    bounds=(0.0, inf),
    higher_is_better=False,
    symmetric=False,
    rational=False,
    aliases=("oversegmentation",),
    peers={"scikit-image": "variation_of_information[0](base=2)"},
    panel=True,
)
def vi_split(e: Entropies, *, base: float | None = None) -> float:
    """Over-segmentation: H(P|T), 0 if no true cluster is split. In bits at scikit-image.

    >>> vi_split([0, 0, 1, 1], [0, 1, 2, 2], base=2)
    0.5
    """
    return in_units(e.pred_given_true, base)


@index(
    Entropies,
    title="Merge part of the variation of information",
    abbreviation="VIM",
    formula="joint - pred",
    reference="nunez2013",
    bounds=(0.0, inf),
    higher_is_better=False,
    symmetric=False,
    rational=False,
    aliases=("undersegmentation",),
    peers={"scikit-image": "variation_of_information[1](base=2)"},
    panel=True,
)
def vi_merge(e: Entropies, *, base: float | None = None) -> float:
    """Under-segmentation: H(T|P), 0 if no predicted cluster mixes true clusters. In bits at scikit-image.

    >>> vi_merge([0, 1, 2, 2], [0, 0, 1, 1], base=2)
    0.5
    """
    return in_units(e.true_given_pred, base)


@index(
    Entropies,
    title="Normalized variation of information",
    abbreviation="NVI",
    formula="(2 * joint - true - pred) / joint",
    reference="vinh2010",
    higher_is_better=False,
    metric=True,
    facts_by_option={
        "variant": {
            "relative": {"metric": False},
            "truth": {"bounds": (0.0, inf), "symmetric": False, "metric": False},
            "sum": {"metric": False},
        }
    },
    rational=False,
    undefined_when='both labelings are one cluster; with "relative", one of them is',
    peers={
        "aricode": "NVI",
        "ELKI": "normalizedVariationOfInformation entropyPowers(variant='sum')",
        "ClusterR": "nvi",
        "mclustcomp": "nvi(variant='relative')",
        "clue": "BA/E",
        "clustering-metrics": "vi_distance(variant='log_n')",
    },
)
def normalized_variation_of_information(e: Entropies, *, variant: Variant = "joint") -> float:
    """Variation of information over the joint entropy: 1 - NMI with average="joint". A metric.

    Other definitions go by the same name:
    "joint": VI / joint entropy (aricode, ELKI, ClusterR; clue's BA/E);
    "relative": mean of H(T|P) / H(T) and H(P|T) / H(P) (mclustcomp; 1 minus this is clusim's normalised vi);
    "truth": VI / H(T), or H(P) where the truth is one cluster (Reichart & Rappoport); not symmetric, without bound;
    "log_n": VI / ln N (Meilă; clustering-metrics), a metric for a given number of points;
    "sum": VI / (H(T) + H(P)), which is 1 - NMI (ELKI's entropyPowers).

    >>> normalized_variation_of_information([0, 0, 1, 1], [0, 1, 1, 1], variant="sum")
    0.656288981514549...
    """
    check_value(variant, "variant", get_args(Variant))
    if variant == "joint":
        return e.variation / (e.variation + e.mutual)  # this sum is not below its parts; the entropy of cells could be
    if variant == "relative":
        return (e.true_given_pred / e.true + e.pred_given_true / e.pred) / 2
    if variant == "truth":
        return e.variation / (e.true or e.pred)
    if variant == "log_n":
        if e.weighted:
            raise InputError("variant='log_n' divides by the logarithm of a number of points; weights have none")
        return min(e.variation / log(e.n), 1.0)  # singletons against one cluster come to ln N, give or take a rounding
    return e.variation / (e.true + e.pred)


@index(
    Entropies,
    title="Information distance",
    abbreviation="InD",
    formula="max(true, pred) - (true + pred - joint)",
    reference="kraskov2005",
    bounds=(0.0, inf),
    higher_is_better=False,
    metric=True,
    rational=False,
    peers={"aricode": "ID"},
)
def information_distance(e: Entropies, *, base: float | None = None) -> float:
    """The larger of the two conditional entropies: the larger entropy minus the mutual information.

    >>> information_distance([0, 0, 1, 1], [0, 0, 1, 2], base=2)
    0.5
    """
    return in_units(max(e.true_given_pred, e.pred_given_true), base)


@index(
    Entropies,
    title="Normalized information distance",
    abbreviation="NID",
    formula="1 - (true + pred - joint) / max(true, pred)",
    reference="vinh2010",
    higher_is_better=False,
    metric=True,
    rational=False,
    undefined_when="both labelings are one cluster",
    peers={"aricode": "NID", "ELKI": "normalizedInformationDistance"},
)
def normalized_information_distance(e: Entropies) -> float:
    """The information distance over the larger entropy: 1 - NMI with average="max". A metric.

    >>> normalized_information_distance([0, 0, 1, 1], [0, 0, 1, 2])
    0.33333333333333...
    """
    return max(e.true_given_pred, e.pred_given_true) / max(e.true, e.pred)


@index(
    Shares,
    title="Pearson's chi-squared",
    abbreviation="Chi2",
    formula="n * (shares - 1)",
    reference="pearson1900",
    bounds=(0.0, inf),
    best_on_identity=False,
    rational=False,
    weights=None,
    aliases=("chi2",),
    peers={"mclustcomp": "chisq", "aricode": "Chi2", "clustering-metrics": "chisq_score"},
)
def chi_squared(s: Shares) -> float:
    """Distance of the cells from those of independent labelings: Σ (n - ab/N)² / (ab/N).

    A test statistic: about (K-1)(L-1) for independent labelings of K and L clusters, N (K-1) for identical ones.

    >>> chi_squared([0, 0, 1, 1], [0, 0, 1, 1])
    4.0
    """
    return s.n * s.dependence


@index(
    Entropies,
    title="G statistic",
    abbreviation="GSt",
    formula="2 * n * (true + pred - joint)",
    reference="wilks1938",
    bounds=(0.0, inf),
    best_on_identity=False,
    rational=False,
    weights=None,
    aliases=("likelihood_ratio_statistic",),
    peers={"clustering-metrics": "g_score"},
)
def g_statistic(e: Entropies) -> float:
    """The likelihood ratio statistic against independent labelings: 2 N times the mutual information, in nats.

    >>> g_statistic([0, 0, 1, 1], [0, 0, 1, 1])
    5.545177444479562
    """
    return 2 * e.n * e.mutual


@index(
    Shares,
    title="Cramér's V",
    abbreviation="CrV",
    formula="sqrt((shares - 1) / (min(k_true, k_pred) - 1))",
    reference="cramer1946",
    rational=False,
    undefined_when="one of the labelings is one cluster",
    aliases=("cramer_v",),
)
def cramers_v(s: Shares) -> float:
    """Root of chi-squared as a share of its largest value for these numbers of clusters; 1 for refinements too.

    >>> cramers_v([0, 0, 0, 1], [0, 0, 1, 1])
    0.5773502691896257
    """
    return sqrt(s.dependence / (min(s.k_true, s.k_pred) - 1))


@index(
    Shares,
    title="Tschuprow's T",
    abbreviation="TsT",
    formula="sqrt((shares - 1) / sqrt((k_true - 1.0) * (k_pred - 1)))",
    reference="tschuprow1939",
    rational=False,
    undefined_when="one of the labelings is one cluster",
)
def tschuprow_t(s: Shares) -> float:
    """Cramér's V with the geometric mean of both numbers of clusters less 1: 1 on identical partitions only.

    >>> tschuprow_t([0, 0, 0, 1], [0, 0, 1, 1])
    0.5773502691896257
    """
    return sqrt(s.dependence / sqrt((s.k_true - 1) * (s.k_pred - 1)))


@index(
    Sizes,
    title="Goodman and Kruskal's tau",
    abbreviation="GKT",
    formula="1 - n * scattered_pred / (n**2 - square_true)",
    reference="goodman1954",
    symmetric=False,
    rational=False,
    undefined_when="the truth is one cluster",
    peers={"dscore": "goodman_kruskal_tau"},
)
def goodman_kruskal_tau(s: Sizes) -> float:
    """Reduction, by the prediction, of the error of guessing true clusters at random in proportion to their sizes.

    >>> goodman_kruskal_tau([0, 0, 0, 1], [0, 0, 1, 1])
    0.33333333333333337
    """
    if s.k_true == 1:
        raise ZeroDivisionError
    return s.explained_true


@index(
    Sizes,
    title="Goodman and Kruskal's lambda",
    abbreviation="GKL",
    formula="(best_pred - largest_true) / (n - largest_true)",
    reference="goodman1954",
    symmetric=False,
    undefined_when="the truth is one cluster",
)
def goodman_kruskal_lambda(s: Sizes) -> float:
    """Reduction, by the prediction, of the error of guessing the most frequent true cluster.

    >>> goodman_kruskal_lambda([0, 0, 0, 1, 1], [0, 0, 1, 1, 1])
    0.5
    """
    if s.k_true == 1:
        raise ZeroDivisionError
    # the largest true cluster is at most best_pred, except for the rounding of weights
    return max(s.best_pred - s.largest_true, 0) / (s.n - s.largest_true)


@index(
    Shares,
    title="Frobenius distance",
    abbreviation="Fro",
    formula="k_true + k_pred - 2 * shares",
    reference="lajugie2014",
    bounds=(0.0, inf),
    higher_is_better=False,
    metric=None,
    rational=False,
    peers={"aricode": "Frobenius"},
)
def frobenius(s: Shares) -> float:
    """Squared distance between the projections onto the clusters of truth and of prediction; its root is a metric.

    >>> frobenius([0, 0, 1, 1], [0, 0, 1, 2])
    1.0
    """
    return s.apartness
