"""Coefficients of association between true and predicted cluster, as for any two nominal variables."""

from __future__ import annotations

from math import inf, sqrt

from clustermark.registry import index
from clustermark.statistics.information import Entropies, Shares
from clustermark.statistics.sizes import Sizes


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
    """How far the cells are from those of independent labelings: Σ (n - ab/N)² / (ab/N).

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
    """Chi-squared as a share of its largest value for so many clusters, then the root; 1 for refinements too.

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
    """By how much the prediction lowers the error of guessing true clusters at random in proportion to their sizes.

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
    """By how much the prediction lowers the error of guessing the most frequent true cluster.

    >>> goodman_kruskal_lambda([0, 0, 0, 1, 1], [0, 0, 1, 1, 1])
    0.5
    """
    if s.k_true == 1:
        raise ZeroDivisionError
    # the largest true cluster is in the predicted clusters too; with weights it may seem larger by rounding
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
