"""Indices that compare agreement with disagreement: correlations, covariances and odds of pairs."""

from __future__ import annotations

from math import inf, sqrt

from clustermark.indices.arithmetic import over_root, pair_margins
from clustermark.registry import index
from clustermark.statistics.pairs import PairCounts, SquareSums


@index(
    PairCounts,
    title="Hamann index",
    abbreviation="HaS",
    formula="(yy + nn - yn - ny) / (yy + yn + ny + nn)",
    reference="hamann1961",
    bounds=(-1.0, 1.0),
    metric=True,
    undefined_when="there are fewer than two points",
    peers={
        "permetrics": "GAS gamma_score",
        "Clustering.jl": "randindex[4]",
        "partitionComparison": "hamann",
        "tclust": "HI",
    },
)
def hamann(p: PairCounts) -> float:
    """Agreements less disagreements, as a share of all pairs: 2 × Rand − 1.

    permetrics calls it gamma, Clustering.jl and tclust Hubert's index.

    >>> hamann([0, 0, 1, 1, 1], [0, 0, 0, 1, 1])
    0.2
    """
    return (p.yy + p.nn - p.yn - p.ny) / (p.yy + p.yn + p.ny + p.nn)


@index(
    PairCounts,
    title="Phi coefficient of pairs (Hubert's Γ)",
    abbreviation="PhS",
    formula="(yy * nn - yn * ny) / ((yy + yn) * (yy + ny) * (ny + nn) * (yn + nn)) ** 0.5",
    reference="yule1912",
    bounds=(-1.0, 1.0),
    chance_model="permutation",
    rational=False,
    undefined_when="in one of the labelings all pairs are together, or none is",
    weights="the correlation over weighted pairs; its mean under permutation is then no longer exactly 0",
    aliases=("hubert_gamma", "matthews_correlation", "matthews_corrcoef", "MCC"),
    peers={
        "permetrics": "HGS hubert_gamma_score PhS phi_score",
        "clusterCrit": "Hubert",
        "partitionComparison": "gammaStatistics",
        "clustering-metrics": "matthews_corr",
    },
)
def phi(p: PairCounts) -> float:
    """Correlation, over all pairs, of being together in truth and being together in prediction.

    It is Hubert's normalised Γ and Matthews' correlation of pairs; 0 on average under permutation.

    >>> phi([0, 0, 1, 1, 1], [0, 0, 0, 1, 1])
    0.16666666666666666
    """
    return over_root(p.yy * p.nn - p.yn * p.ny, pair_margins(p))


@index(
    PairCounts,
    title="Phi without its root",
    abbreviation="UPh",
    formula="(yy * nn - yn * ny) / ((yy + yn) * (yy + ny) * (ny + nn) * (yn + nn))",
    reference="albatineh2006",
    bounds=(-1.0, 1.0),
    chance_model="permutation",
    best_on_identity=False,
    undefined_when="in one of the labelings all pairs are together, or none is",
    weights=None,
    peers={"clusterCrit": "Phi", "partitionComparison": "pearson", "clusim": "pearson_correlation"},
)
def unrooted_phi(p: PairCounts) -> float:
    """The covariance of pairs over the product of four pair counts, as tables of indices print phi and Pearson.

    A tiny number that depends on the number of points; `phi` is the correlation.

    >>> unrooted_phi([0, 0, 1, 1, 1], [0, 0, 0, 1, 1])
    0.006944444444444444
    """
    return (p.yy * p.nn - p.yn * p.ny) / (pair_margins(p))


@index(
    PairCounts,
    title="Yule's Q (Goodman–Kruskal γ of pairs)",
    abbreviation="YuQ",
    formula="(yy * nn - yn * ny) / (yy * nn + yn * ny)",
    reference="yule1900",
    bounds=(-1.0, 1.0),
    undefined_when="both products of opposite pair counts are zero",
    aliases=("goodman_kruskal_gamma",),
    peers={"partitionComparison": "goodmanKruskal", "clustering-metrics": "yule_q"},
)
def yule_q(p: PairCounts) -> float:
    """Association of being together in truth and in prediction, from the odds ratio of pairs; 1 also off identity.

    >>> yule_q([0, 0, 1, 1, 1], [0, 0, 0, 1, 1])
    0.3333333333333333
    """
    return (p.yy * p.nn - p.yn * p.ny) / (p.yy * p.nn + p.yn * p.ny)


@index(
    PairCounts,
    title="Yule's Y",
    abbreviation="YuY",
    formula="((yy * nn) ** 0.5 - (yn * ny) ** 0.5) / ((yy * nn) ** 0.5 + (yn * ny) ** 0.5)",
    reference="yule1912",
    bounds=(-1.0, 1.0),
    rational=False,
    undefined_when="both products of opposite pair counts are zero",
    peers={"clustering-metrics": "yule_y"},
)
def yule_y(p: PairCounts) -> float:
    """Yule's coefficient of colligation of pairs: Q with roots of the products.

    >>> yule_y([0, 0, 1, 1, 1], [0, 0, 0, 1, 1])
    0.1715728752538099
    """
    agreeing, differing = p.yy * p.nn, p.yn * p.ny
    # the difference of the roots, times their sum: whole numbers that may be nearly equal cancel without loss
    return (agreeing - differing) / (agreeing + differing + 2 * sqrt(agreeing * differing))


@index(
    PairCounts,
    title="Informedness of pairs (Peirce)",
    abbreviation="Inf",
    formula="(yy * nn - yn * ny) / ((yy + yn) * (ny + nn))",
    reference="peirce1884",
    bounds=(-1.0, 1.0),
    symmetric=False,
    chance_model="permutation",
    undefined_when="the truth is one cluster, or consists of singletons",
    weights="over weighted pairs; its mean under permutation is then no longer exactly 0",
    aliases=("peirce", "youden_j"),
    peers={"partitionComparison": "peirce", "clustering-metrics": "informedness"},
)
def informedness(p: PairCounts) -> float:
    """Pair recall plus pair specificity minus 1: Youden's J of pairs.

    >>> informedness([0, 0, 1, 1, 1], [0, 0, 0, 1, 1])
    0.16666666666666666
    """
    return (p.yy * p.nn - p.yn * p.ny) / ((p.yy + p.yn) * (p.ny + p.nn))


@index(
    PairCounts,
    title="Markedness of pairs",
    abbreviation="Mrk",
    formula="(yy * nn - yn * ny) / ((yy + ny) * (yn + nn))",
    reference="powers2011",
    bounds=(-1.0, 1.0),
    symmetric=False,
    chance_model="permutation",
    undefined_when="the prediction is one cluster, or consists of singletons",
    weights="over weighted pairs; its mean under permutation is then no longer exactly 0",
    peers={"clustering-metrics": "markedness"},
)
def markedness(p: PairCounts) -> float:
    """Pair precision plus pair negative predictive value minus 1.

    >>> markedness([0, 0, 1, 1, 1], [0, 0, 0, 1, 1])
    0.16666666666666666
    """
    return (p.yy * p.nn - p.yn * p.ny) / ((p.yy + p.ny) * (p.yn + p.nn))


@index(
    PairCounts,
    title="Second Baulieu index",
    abbreviation="Ba2",
    formula="(yy * nn - yn * ny) / (yy + yn + ny + nn) ** 2",
    reference="baulieu1989",
    bounds=(-0.25, 0.25),
    chance_model="permutation",
    best_on_identity=False,
    undefined_when="there are fewer than two points",
    weights="over weighted pairs; its mean under permutation is then no longer exactly 0",
    aliases=("pair_covariance",),
    peers={"partitionComparison": "baulieu2", "clustering-metrics": "diseq_coeff"},
)
def baulieu2(p: PairCounts) -> float:
    """Covariance, over all pairs, of being together in truth and in prediction; its best value depends on the sizes.

    >>> baulieu2([0, 0, 1, 1, 1], [0, 0, 0, 1, 1])
    0.04
    """
    total = p.yy + p.yn + p.ny + p.nn
    return (p.yy * p.nn - p.yn * p.ny) / (total * total)


@index(
    PairCounts,
    title="Loevinger's H",
    abbreviation="LoH",
    formula="(yy * nn - yn * ny) / min((yy + yn) * (yn + nn), (yy + ny) * (ny + nn))",
    reference="loevinger1947",
    bounds=(-inf, 1.0),
    chance_model="permutation",
    undefined_when="in one of the labelings all pairs are together, or none is",
    weights="over weighted pairs; its mean under permutation is then no longer exactly 0",
    peers={"clustering-metrics": "loevinger_coeff"},
)
def loevinger(p: PairCounts) -> float:
    """The covariance of pairs over its largest value for these margins; Cole's coefficient where it is positive.

    >>> loevinger([0, 0, 0, 1, 1], [0, 0, 1, 1, 1])
    0.16666666666666666
    """
    largest = min((p.yy + p.yn) * (p.yn + p.nn), (p.yy + p.ny) * (p.ny + p.nn))
    return (p.yy * p.nn - p.yn * p.ny) / largest


@index(
    PairCounts,
    title="Maxwell–Pilliner index",
    abbreviation="MaP",
    formula="2 * (yy * nn - yn * ny) / ((yy + yn) * (ny + nn) + (yy + ny) * (yn + nn))",
    reference="maxwell1968",
    bounds=(-1.0, 1.0),
    chance_model="permutation",
    undefined_when="each labeling is one cluster or consists of singletons",
    weights="over weighted pairs; its mean under permutation is then no longer exactly 0",
    peers={"clustering-metrics": "mp_corr"},
)
def maxwell_pilliner(p: PairCounts) -> float:
    """The covariance of pairs over the mean of the two variances.

    >>> maxwell_pilliner([0, 0, 0, 1, 1], [0, 0, 1, 1, 2])
    0.1
    """
    return 2 * (p.yy * p.nn - p.yn * p.ny) / ((p.yy + p.yn) * (p.ny + p.nn) + (p.yy + p.ny) * (p.yn + p.nn))


@index(
    PairCounts,
    title="McNemar statistic of pairs",
    abbreviation="McN",
    formula="(yn - ny) / (yn + ny) ** 0.5",
    reference="mcnemar1947",
    bounds=(-inf, inf),
    higher_is_better=None,
    symmetric=False,
    best_on_identity=False,
    rational=False,
    undefined=0.0,
    undefined_when="the labelings agree on every pair",
    weights=None,
    peers={"clusterCrit": "McNemar", "permetrics": "MNS mc_nemar_score"},
)
def mcnemar(p: PairCounts) -> float:
    """Bias of the prediction: positive if it puts too few pairs together, negative if too many.

    0 is no bias, not agreement: it is a test statistic and not a similarity. The MNS of permetrics is another quantity;
    its name finds this index.

    >>> mcnemar([0, 0, 0, 1, 1], [0, 0, 1, 1, 2])
    1.0
    """
    return over_root(p.yn - p.ny, p.yn + p.ny)


@index(
    PairCounts,
    title="Tau score",
    abbreviation="TauS",
    formula="(yy + nn - yn - ny) / ((yy + yn + ny + nn) * (yn + ny + nn)) ** 0.5",
    reference="kendall1938",
    bounds=(-1.0, inf),
    best_on_identity=False,
    rational=False,
    undefined=1.0,
    undefined_when="there are fewer than two points, or all points are in one cluster on both sides",
    peers={"permetrics": "TauS tau_score"},
)
def tau(p: PairCounts) -> float:
    """Pairs on which the labelings agree minus those on which they differ, over a geometric mean of pair counts.

    It is not bounded by 1, although permetrics documents this bound: identical labelings can score more, depending on
    their cluster sizes. The bounded index is the correlation of pairs (Hubert's Γ, or phi).

    >>> tau([0, 0, 1, 1, 2, 2], [0, 0, 1, 1, 1, 2])
    0.6445033866354896
    >>> tau([0, 0, 1, 1], [0, 0, 1, 1])
    1.224744871391589
    """
    together_or_apart = p.yn + p.ny + p.nn
    return over_root(p.yy + p.nn - p.yn - p.ny, (p.yy + together_or_apart) * together_or_apart)


@index(
    SquareSums,
    title="RV coefficient",
    abbreviation="RV",
    formula="cells / (true * pred) ** 0.5",
    reference="robert1976",
    rational=False,
    peers={"partitionComparison": "rvCoefficient"},
)
def rv(p: SquareSums) -> float:
    """Cosine of the two labelings as matrices of points together, the diagonal included: Σn² / √(Σa² Σb²).

    >>> rv([0, 0, 1, 1, 1], [0, 0, 0, 1, 1])
    0.6923076923076923
    """
    return over_root(p.cells, p.true * p.pred)


@index(
    SquareSums,
    title="Katz–Powell index",
    abbreviation="KaP",
    formula="(n**2 * cells - true * pred) / (true * (n**2 - true) * pred * (n**2 - pred)) ** 0.5",
    reference="katz1953",
    bounds=(-1.0, 1.0),
    rational=False,
    undefined_when="one of the labelings is one cluster",
    peers={"clue": "KP"},
)
def katz_powell(p: SquareSums) -> float:
    """Correlation of the two labelings over all ordered pairs of points, each point with itself included.

    >>> katz_powell([0, 0, 1, 1, 1], [0, 0, 0, 1, 1])
    0.358974358974359
    """
    square = p.n * p.n
    margins = p.true * (square - p.true) * p.pred * (square - p.pred)
    return over_root(square * p.cells - p.true * p.pred, margins)
