"""Coefficients of association between being together in truth and being together in prediction."""

from __future__ import annotations

from math import inf, sqrt

from clustermark.indices.arithmetic import check_non_negative, exact, over_root, pair_margins
from clustermark.registry import index
from clustermark.statistics.pairs import PairCounts


@index(
    PairCounts,
    title="Pair specificity",
    abbreviation="PSp",
    formula="nn / (ny + nn)",
    reference="diagnostic",
    symmetric=False,
    undefined_when="the truth is one cluster, so no pair belongs apart",
    peers={"ClusterR": "specificity", "clevr": "specificity_pairs", "clustering-metrics": "TNR"},
)
def pair_specificity(p: PairCounts) -> float:
    """Of the pairs that belong apart, the share that the prediction keeps apart.

    >>> pair_specificity([0, 0, 1, 1, 1], [0, 0, 0, 1, 1])
    0.6666666666666666
    """
    return p.nn / (p.ny + p.nn)


@index(
    PairCounts,
    title="Pair negative predictive value",
    abbreviation="PNPV",
    formula="nn / (yn + nn)",
    reference="diagnostic",
    symmetric=False,
    undefined_when="the prediction is one cluster, so it keeps no pair apart",
    peers={"clustering-metrics": "NPV"},
)
def pair_npv(p: PairCounts) -> float:
    """Of the pairs that the prediction keeps apart, the share that belongs apart.

    >>> pair_npv([0, 0, 1, 1, 1], [0, 0, 0, 1, 1])
    0.6666666666666666
    """
    return p.nn / (p.yn + p.nn)


@index(
    PairCounts,
    title="Balanced pair accuracy",
    abbreviation="BPA",
    formula="(yy / (yy + yn) + nn / (ny + nn)) / 2",
    reference="diagnostic",
    symmetric=False,
    undefined_when="the truth is one cluster, or consists of singletons",
    peers={"clevr": "balanced_accuracy_pairs"},
)
def balanced_pair_accuracy(p: PairCounts) -> float:
    """Mean of pair recall and pair specificity.

    >>> balanced_pair_accuracy([0, 0, 1, 1, 1], [0, 0, 0, 1, 1])
    0.5833333333333334
    """
    together, apart = p.yy + p.yn, p.ny + p.nn
    return (p.yy * apart + p.nn * together) / (2 * together * apart)


@index(
    PairCounts,
    title="First Kulczynski index",
    abbreviation="Ku1",
    formula="yy / (yn + ny)",
    reference="kulczynski1927",
    bounds=(0.0, inf),
    undefined_when="both labelings consist of singletons",
    aliases=("southwood",),
    peers={"clusim": "southwood_index"},
)
def kulczynski1(p: PairCounts) -> float:
    """Pairs together in both labelings for each pair together in only one; infinite on identical partitions.

    >>> kulczynski1([0, 0, 1, 1, 1], [0, 0, 0, 1, 1])
    0.5
    """
    if p.yy and not p.yn + p.ny:
        return inf
    return p.yy / (p.yn + p.ny)


@index(
    PairCounts,
    title="Second Kulczynski index",
    abbreviation="KS",
    formula="(yy / (yy + yn) + yy / (yy + ny)) / 2",
    reference="kulczynski1927",
    undefined_when="one of the labelings consists of singletons",
    peers={"permetrics": "KS kulczynski_score", "clusterCrit": "Kulczynski", "partitionComparison": "kulczynski"},
)
def kulczynski2(p: PairCounts) -> float:
    """Arithmetic mean of pair precision and pair recall.

    >>> kulczynski2([0, 0, 1, 1, 1], [0, 0, 0, 1, 1])
    0.5
    """
    true, pred = p.yy + p.yn, p.yy + p.ny
    return p.yy * (true + pred) / (2 * true * pred)


@index(
    PairCounts,
    title="McConnaughey index",
    abbreviation="McC",
    formula="(yy**2 - yn * ny) / ((yy + yn) * (yy + ny))",
    reference="mcconnaughey1964",
    bounds=(-1.0, 1.0),
    undefined_when="one of the labelings consists of singletons",
    peers={"partitionComparison": "mcconnaughey"},
)
def mcconnaughey(p: PairCounts) -> float:
    """The second Kulczynski index moved to the range from -1 to 1.

    >>> mcconnaughey([0, 0, 1, 1, 1], [0, 0, 1, 2, 2])
    0.5
    """
    return (p.yy * p.yy - p.yn * p.ny) / ((p.yy + p.yn) * (p.yy + p.ny))


@index(
    PairCounts,
    title="Russell–Rao index",
    abbreviation="RRS",
    formula="yy / (yy + yn + ny + nn)",
    reference="russell1940",
    best_on_identity=False,
    undefined_when="there are fewer than two points",
    peers={"permetrics": "RRS russel_rao_score", "clusterCrit": "Russel_Rao", "partitionComparison": "russelRao"},
)
def russell_rao(p: PairCounts) -> float:
    """Share of all pairs that are together in both; on identical partitions it depends on their cluster sizes.

    >>> russell_rao([0, 0, 1, 1, 1], [0, 0, 0, 1, 1])
    0.2
    """
    return p.yy / (p.yy + p.yn + p.ny + p.nn)


@index(
    PairCounts,
    title="Rogers–Tanimoto index",
    abbreviation="RTS",
    formula="(yy + nn) / (yy + nn + 2 * (yn + ny))",
    reference="rogers1960",
    metric=True,
    undefined_when="there are fewer than two points",
    peers={
        "permetrics": "RTS rogers_tanimoto_score",
        "clusterCrit": "Rogers_Tanimoto",
        "clusim": "rogers_tanimoto_index",
        "partitionComparison": "rogersTanimoto",
    },
)
def rogers_tanimoto(p: PairCounts) -> float:
    """The Rand index with disagreements counted twice.

    >>> rogers_tanimoto([0, 0, 1, 1, 1], [0, 0, 0, 1, 1])
    0.42857142857142855
    """
    return (p.yy + p.nn) / (p.yy + p.nn + 2 * (p.yn + p.ny))


@index(
    PairCounts,
    title="Sokal–Sneath index A",
    abbreviation="SSA",
    formula="yy / (yy + 2 * (yn + ny))",
    reference="sokal1963",
    metric=True,
    undefined_when="no pair is together in either labeling",
    peers={
        "permetrics": "SS1S sokal_sneath1_score",
        "clusterCrit": "Sokal_Sneath1",
        "partitionComparison": "sokalSneath2",
        "SPSS": "SS2",
        "clustering-metrics": "sokal_sneath_coeff",
    },
)
def sokal_sneath_a(p: PairCounts) -> float:
    """The Jaccard index of pairs with disagreements counted twice.

    Number 1 in clusterCrit and permetrics, number 2 in partitionComparison and SPSS.

    >>> sokal_sneath_a([0, 0, 1, 1, 1], [0, 0, 0, 1, 1])
    0.2
    """
    return p.yy / (p.yy + 2 * (p.yn + p.ny))


@index(
    PairCounts,
    title="Sokal–Sneath index B",
    abbreviation="SSB",
    formula="2 * (yy + nn) / (2 * (yy + nn) + yn + ny)",
    reference="sokal1963",
    undefined_when="there are fewer than two points",
    aliases=("gower_legendre",),
    peers={
        "permetrics": "SS2S sokal_sneath2_score",
        "clusterCrit": "Sokal_Sneath2",
        "partitionComparison": "gowerLegendre",
        "SPSS": "SS1",
    },
)
def sokal_sneath_b(p: PairCounts) -> float:
    """The Rand index with agreements counted twice.

    Number 2 in clusterCrit and permetrics, number 1 in SPSS, Gower–Legendre in partitionComparison.

    >>> sokal_sneath_b([0, 0, 1, 1, 1], [0, 0, 0, 1, 1])
    0.75
    """
    return 2 * (p.yy + p.nn) / (2 * (p.yy + p.nn) + p.yn + p.ny)


@index(
    PairCounts,
    title="Sokal–Sneath index C",
    abbreviation="SSC",
    formula="(yy + nn) / (yn + ny)",
    reference="sokal1963",
    bounds=(0.0, inf),
    undefined_when="there are fewer than two points",
    peers={"SPSS": "SS3"},
)
def sokal_sneath_c(p: PairCounts) -> float:
    """Agreements for each disagreement; infinite on identical partitions. Number 3 in SPSS.

    >>> sokal_sneath_c([0, 0, 1, 1, 1], [0, 0, 0, 1, 1])
    1.5
    """
    if p.yy + p.nn and not p.yn + p.ny:
        return inf
    return (p.yy + p.nn) / (p.yn + p.ny)


@index(
    PairCounts,
    title="Sokal–Sneath index D",
    abbreviation="SSD",
    formula="(yy / (yy + yn) + yy / (yy + ny) + nn / (ny + nn) + nn / (yn + nn)) / 4",
    reference="sokal1963",
    undefined_when="in one of the labelings all pairs are together, or none is",
    peers={"partitionComparison": "sokalSneath1", "SPSS": "SS4"},
)
def sokal_sneath_d(p: PairCounts) -> float:
    """Mean of pair recall, pair precision, pair specificity and pair negative predictive value.

    Number 1 in partitionComparison, number 4 in SPSS.

    >>> sokal_sneath_d([0, 0, 1, 1, 1], [0, 0, 0, 1, 1])
    0.5833333333333334
    """
    true, pred, true_apart, pred_apart = p.yy + p.yn, p.yy + p.ny, p.ny + p.nn, p.yn + p.nn
    if not isinstance(p.yy, int):  # sums of weights are not exact, but their quotients are 1 where the labelings agree
        return (p.yy / true + p.yy / pred + p.nn / true_apart + p.nn / pred_apart) / 4
    together = p.yy * (true + pred) * true_apart * pred_apart
    apart = p.nn * (true_apart + pred_apart) * true * pred
    return (together + apart) / (4 * true * pred * true_apart * pred_apart)


@index(
    PairCounts,
    title="Sokal–Sneath index E",
    abbreviation="SSE",
    formula="yy * nn / ((yy + yn) * (yy + ny) * (ny + nn) * (yn + nn)) ** 0.5",
    reference="sokal1963",
    rational=False,
    undefined_when="in one of the labelings all pairs are together, or none is",
    peers={"partitionComparison": "sokalSneath3", "SPSS": "SS5"},
)
def sokal_sneath_e(p: PairCounts) -> float:
    """Geometric mean of the four shares that index D averages, squared.

    Number 3 in partitionComparison, number 5 in SPSS.

    >>> sokal_sneath_e([0, 0, 1, 1, 1], [0, 0, 0, 1, 1])
    0.3333333333333333
    """
    return over_root(p.yy * p.nn, pair_margins(p))


@index(
    PairCounts,
    title="Overlap coefficient",
    abbreviation="SzS",
    formula="yy / min(yy + yn, yy + ny)",
    reference="simpson1943",
    undefined_when="one of the labelings consists of singletons",
    aliases=("szymkiewicz_simpson",),
    peers={"mclustcomp": "overlap", "clustering-metrics": "overlap_coeff"},
)
def overlap_coefficient(p: PairCounts) -> float:
    """Pairs together in both over the smaller number together in one; 1 also where one partition refines the other.

    >>> overlap_coefficient([0, 0, 0, 1], [0, 0, 1, 1])
    0.5
    """
    return p.yy / min(p.yy + p.yn, p.yy + p.ny)


@index(
    PairCounts,
    title="Braun-Blanquet index",
    abbreviation="BrB",
    formula="yy / max(yy + yn, yy + ny)",
    reference="braunblanquet1932",
    metric=None,
    undefined_when="no pair is together in either labeling",
)
def braun_blanquet(p: PairCounts) -> float:
    """Pairs together in both over the larger number together in one.

    >>> braun_blanquet([0, 0, 0, 1], [0, 0, 1, 1])
    0.3333333333333333
    """
    return p.yy / max(p.yy + p.yn, p.yy + p.ny)


@index(
    PairCounts,
    title="Tversky index",
    abbreviation="Tve",
    formula="yy / (yy + alpha * yn + beta * ny)",
    reference="tversky1977",
    symmetric=False,
    metric=None,
    undefined_when="no pair is together in either labeling",
)
def tversky(p: PairCounts, *, alpha: float = 1.0, beta: float = 1.0) -> float:
    """Pairs together in both against those together in truth only and in prediction only, weighted separately.

    With alpha = beta = 1 it is `jaccard`, with 1/2 `dice`; alpha = 1, beta = 0 is `pair_recall`.
    mclustcomp weighs the smaller and the larger of the two instead.

    >>> tversky([0, 0, 1, 1, 1], [0, 0, 0, 1, 1], alpha=0.5, beta=0.25)
    0.5714285714285714
    """
    for name, value in (("alpha", alpha), ("beta", beta)):
        check_non_negative(value, name)
    return p.yy / (p.yy + exact(alpha) * p.yn + exact(beta) * p.ny)


@index(
    PairCounts,
    title="Fager–McGowan index",
    abbreviation="FMG",
    formula="yy / ((yy + yn) * (yy + ny)) ** 0.5 - 1 / (2 * max(yy + yn, yy + ny) ** 0.5)",
    reference="fager1963",
    bounds=(-0.5, 1.0),
    best_on_identity=False,
    rational=False,
    undefined_when="one of the labelings consists of singletons",
    weights=None,
)
def fager_mcgowan(p: PairCounts) -> float:
    """The Fowlkes–Mallows index less a correction for few pairs, so below 1 on identical partitions.

    partitionComparison divides by the root of the pairs in truth instead of the larger number.

    >>> fager_mcgowan([0, 0, 1, 1, 1], [0, 0, 0, 1, 1])
    0.25
    """
    larger = max(p.yy + p.yn, p.yy + p.ny)
    return over_root(p.yy, (p.yy + p.yn) * (p.yy + p.ny)) - 1 / (2 * sqrt(larger))


@index(
    PairCounts,
    title="First Baulieu index",
    abbreviation="Ba1",
    formula="((yy + yn + ny + nn) ** 2 - (yy + yn + ny + nn) * (yn + ny) + (yn - ny) ** 2) / (yy + yn + ny + nn) ** 2",
    reference="baulieu1989",
    undefined_when="there are fewer than two points",
)
def baulieu1(p: PairCounts) -> float:
    """Share of agreements, raised where the disagreements lean to one side; 1 also off identity.

    partitionComparison adds the disagreements before squaring, where the definition subtracts them.

    >>> baulieu1([0, 0, 1, 1, 1], [0, 0, 0, 1, 1])
    0.6
    """
    total = p.yy + p.yn + p.ny + p.nn
    lean = p.yn - p.ny
    return (total * total - total * (p.yn + p.ny) + lean * lean) / (total * total)  # a power rounds differently
