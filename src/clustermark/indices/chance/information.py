"""Shared information, corrected for what chance would give."""

from __future__ import annotations

from math import fsum, inf, sqrt
from typing import Literal, TypeAlias, get_args

from clustermark.errors import InputError
from clustermark.indices.averages import Average, average_entropy, checked, in_units
from clustermark.indices.chance.pairs import UNCHANGING
from clustermark.registry.index import index
from clustermark.statistics.encodings import Encodings, Estimate
from clustermark.statistics.information import Entropies

FixedAverage: TypeAlias = Literal["arithmetic", "geometric", "min", "max"]


@index(
    Entropies,
    title="Adjusted mutual information",
    abbreviation="AMI",
    formula="(true + pred - joint - expected) / ((true + pred) / 2 - expected)",
    reference="vinh2010",
    bounds=(-inf, 1.0),
    chance_model="permutation",
    rational=False,
    undefined_when="both labelings are one cluster, or both consist of singletons; "
    "with the geometric mean, also where one of them is one cluster; with min, where one of them is either",
    weights=None,
    aliases=("adjusted_mutual_info",),
    peers={
        "scikit-learn": "adjusted_mutual_info_score",
        "torchmetrics": "adjusted_mutual_info_score",
        "aricode": "AMI(average='max')",
        "clusim": "adj_mi",
        "CDlib": "adjusted_mutual_information",
        "genieclust": "adjusted_mi_score",
        "ELKI": "adjustedArithmeticMI adjustedGeometricMI(average='geometric') adjustedMinMI(average='min') "
        "adjustedMaxMI(average='max') adjustedJointMI(average='joint')",
        "clustering-metrics": "adjusted_mutual_info(average='max')",
        "river": "AdjustedMutualInfo",
    },
    panel=True,
)
def adjusted_mutual_information(e: Entropies, *, average: Average = "arithmetic") -> float:
    """Mutual information beyond its mean over all permutations, as a share of what an average of entropies leaves.

    The average is "arithmetic" (scikit-learn, clusim, genieclust, torchmetrics), "geometric", "min", "max" (aricode,
    clustering-metrics), or "joint" for the joint entropy, with which the mean over permutations is not exactly 0.

    >>> adjusted_mutual_information([0, 0, 1, 1], [0, 0, 1, 2])
    0.571428571428571...
    """
    return (e.mutual - e.expected) / (average_entropy(e, average) - e.expected)


@index(
    Entropies,
    title="Standardized mutual information",
    may_sample=True,
    abbreviation="SMI",
    formula="(true + pred - joint - expected) / sqrt(variance)",
    reference="romano2014",
    bounds=(-inf, inf),
    chance_model="permutation",
    best_on_identity=False,
    rational=False,
    undefined_when=UNCHANGING,
    weights=None,
)
def standardized_mutual_information(e: Entropies, *, samples: int = 1000, seed: int = 0) -> float:
    """By how many standard deviations the mutual information exceeds its mean over all permutations.

    The mean is exact. So is the standard deviation where that takes seconds at most; for larger tables it comes from
    `samples` random permutations, with a relative standard error of about 1 / √(2 samples): 2% for 1000.

    >>> standardized_mutual_information([0, 0, 1, 1], [0, 0, 1, 1])
    1.414213562373095...
    """
    _whole(samples, "samples", 2)
    _whole(seed, "seed", 0)
    variance = e.variance
    if variance is None:
        variance = fsum((e.sample(samples, seed) - e.expected) ** 2) / samples
    return (e.mutual - e.expected) / sqrt(variance)


def _whole(value: object, name: str, least: int) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value < 2**63:
        raise InputError(f"{name}={value!r} must be a whole number, {least} or more")


@index(
    Encodings,
    title="Reduced mutual information",
    abbreviation="RMI",
    formula="(gain - tables) / n",
    reference="newman2020",
    bounds=(-inf, inf),
    best_on_identity=False,
    rational=False,
    peers={
        "clusim": "rmi(estimate='diaconis_efron',base=2)",
        "CDlib": "rmi(estimate='diaconis_efron',base=2)",
    },
)
def reduced_mutual_information(
    c: Encodings,
    *,
    normalized: bool = False,
    estimate: Estimate = "effective_columns",
    base: float | None = None,
) -> float:
    """What knowing one labeling saves in writing down the other, less the cost of writing down the table; per point.

    Unlike mutual information it can be negative, and many clusters do not raise it. How many tables have the given
    cluster sizes is known exactly where a side is one cluster or consists of singletons, and estimated elsewhere:
    "effective_columns" (Jerdee, Kirkley & Newman 2022) holds for small clusters too; "diaconis_efron" is that of the
    paper, clusim and CDlib, and is far off unless there are many more points than cells.
    normalized=True divides by the mean of its values of each labeling beside itself, so that identical partitions
    score 1; at 0/0 other partitions score 0. In bits (base=2) at clusim and CDlib.

    >>> reduced_mutual_information([0] * 8 + [1] * 8, [0] * 8 + [1] * 8, base=2)
    0.66...
    """
    checked(normalized, "normalized", (True, False))
    checked(estimate, "estimate", get_args(Estimate))
    if not normalized:
        return in_units(c.saved(estimate) / c.n, base)
    in_units(0.0, base)  # a ratio has no unit, but a wrong base is refused all the same
    own = c.saved_by_itself(estimate)
    if own == 0.0:  # one cluster or singletons on both sides
        return float(c.k_true == c.k_pred)
    return c.saved(estimate) / own


@index(
    Entropies,
    title="Relative normalized mutual information",
    abbreviation="RNMI",
    formula="2 * (true + pred - joint - expected) / (true + pred)",
    reference="zhang2015",
    bounds=(-1.0, 1.0),
    chance_model="permutation",
    best_on_identity=False,
    rational=False,
    undefined_when="both labelings are one cluster; with the geometric mean or min, one of them is",
    weights=None,
)
def relative_nmi(e: Entropies, *, average: FixedAverage = "arithmetic") -> float:
    """Normalized mutual information less its mean over all permutations.

    Identical partitions score less than 1, and the less the more clusters they have.

    >>> relative_nmi([0, 0, 1, 1], [0, 0, 1, 1])
    0.666666666666666...
    """
    checked(average, "average", get_args(FixedAverage))
    return (e.mutual - e.expected) / average_entropy(e, average)
