"""Distances between partitions, counted in pairs."""

from __future__ import annotations

from math import atan2, inf, pi, sqrt

from clustermark.indices.arithmetic import over_root, pair_margins
from clustermark.registry import index
from clustermark.statistics.pairs import PairCounts


@index(
    PairCounts,
    title="Rand distance",
    abbreviation="RaD",
    formula="(yn + ny) / (yy + yn + ny + nn)",
    reference="mirkin1996",
    higher_is_better=False,
    metric=True,
    undefined_when="there are fewer than two points",
    peers={
        "permetrics": "GPS gplus_score",
        "Clustering.jl": "randindex[3]",
        "tclust": "MI",
        "NetworKit": "NodeStructuralRandMeasure",
    },
)
def rand_distance(p: PairCounts) -> float:
    """Share of all pairs on which the labelings differ: 1 − Rand.

    permetrics calls it G plus, Clustering.jl and tclust Mirkin's index.

    >>> rand_distance([0, 0, 1, 1, 1], [0, 0, 0, 1, 1])
    0.4
    """
    return (p.yn + p.ny) / (p.yy + p.yn + p.ny + p.nn)


@index(
    PairCounts,
    title="Mirkin distance",
    abbreviation="Mir",
    formula="2 * (yn + ny)",
    reference="mirkin1996",
    bounds=(0.0, inf),
    higher_is_better=False,
    metric=True,
    peers={
        "mclustcomp": "mirkin",
        "ELKI": "mirkin",
        "ClusterR": "mirkin_metric",
        "partitionComparison": "mirkinMetric",
    },
)
def mirkin(p: PairCounts) -> float:
    """Ordered pairs on which the labelings differ: Σa² + Σb² − 2Σn².

    >>> mirkin([0, 0, 1, 1, 1], [0, 0, 0, 1, 1])
    8.0
    """
    return 2 * (p.yn + p.ny)


@index(
    PairCounts,
    title="Minkowski measure",
    abbreviation="Mkw",
    formula="((yn + ny) / (yy + yn)) ** 0.5",
    reference="jiang2004",
    bounds=(0.0, inf),
    higher_is_better=False,
    symmetric=False,
    rational=False,
    undefined_when="the truth consists of singletons",
    peers={"partitionComparison": "minkowskiMeasure"},
)
def minkowski(p: PairCounts) -> float:
    """Root of the differing pairs for each pair together in truth.

    >>> minkowski([0, 0, 1, 1, 1], [0, 0, 0, 1, 1])
    1.0
    """
    return sqrt((p.yn + p.ny) / (p.yy + p.yn))


@index(
    PairCounts,
    title="Partition difference",
    abbreviation="PD",
    formula="nn",
    reference="li2004",
    bounds=(0.0, inf),
    higher_is_better=None,
    best_on_identity=False,
    peers={"mclustcomp": "pd"},
)
def partition_difference(p: PairCounts) -> float:
    """Pairs apart in both labelings; a count without a best value, kept for users of other tools.

    >>> partition_difference([0, 0, 1, 1, 1], [0, 0, 0, 1, 1])
    4.0
    """
    return p.nn


@index(
    PairCounts,
    title="Correlation distance",
    abbreviation="CoD",
    formula="arccos((yy * nn - yn * ny) / ((yy + yn) * (yy + ny) * (ny + nn) * (yn + nn)) ** 0.5) / pi",
    reference="gosgens2021",
    higher_is_better=False,
    metric=True,
    rational=False,
    undefined_unless_identical=0.5,
    undefined_when="in one of the labelings all pairs are together, or none is",
    weights="the angle over weighted pairs",
)
def correlation_distance(p: PairCounts) -> float:
    """The angle between the two labelings as vectors of pairs, in half turns: arccos(phi) / π. A metric.

    >>> correlation_distance([0, 0, 1, 1, 1], [0, 0, 0, 1, 1])
    0.4466996209618863
    """
    # 1 - phi² as a sum of products, of which none is negative: near identity arccos would lose half of the digits
    agreeing, differing = p.yy * p.nn, p.yn * p.ny
    mixed, crossed = p.yy * p.ny + p.yn * p.nn, p.yy * p.yn + p.ny * p.nn
    sine = 4 * agreeing * differing + (agreeing + differing) * (mixed + crossed) + mixed * crossed
    margins = pair_margins(p)
    return atan2(sqrt(sine / margins), over_root(agreeing - differing, margins)) / pi
