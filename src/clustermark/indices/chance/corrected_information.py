"""Shared information, corrected for what chance would give."""

from __future__ import annotations

from math import fsum, inf, sqrt
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

from clustermark.errors import InputError
from clustermark.indices.arithmetic import Average, average_entropy, check_value, in_units
from clustermark.indices.chance.corrected_pairs import UNCHANGING
from clustermark.registry import index
from clustermark.statistics.encodings import Code, Encodings, Estimate
from clustermark.statistics.information import Entropies

if TYPE_CHECKING:
    from collections.abc import Callable

FixedAverage: TypeAlias = Literal["arithmetic", "geometric", "min", "max"]
Encoding: TypeAlias = Literal["flat", "dirichlet_multinomial"]
Normalization: TypeAlias = Literal["mean", "truth", "prediction", "min", "max"]


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
    """Mutual information less its mean over all permutations, over an average of the entropies less that mean.

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
    """Mutual information less its mean over all permutations, in standard deviations.

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
    symmetric=False,
    best_on_identity=False,
    rational=False,
    peers={
        "clusim": "rmi(estimate='diaconis_efron',base=2)",
        "CDlib": "rmi(estimate='diaconis_efron',base=2)",
        "clustering-mi": "mutual_information(encoding='dirichlet_multinomial',base=2) "
        "normalized_mutual_information(normalized=True,normalization='truth',encoding='dirichlet_multinomial')",
    },
)
def reduced_mutual_information(
    c: Encodings,
    *,
    normalized: bool = False,
    normalization: Normalization = "mean",
    encoding: Encoding = "flat",
    estimate: Estimate = "effective_columns",
    base: float | None = None,
) -> float:
    """Length that knowing one labeling saves in encoding the other, less the length of the table; per point.

    Unlike mutual information it can be negative, and many clusters do not raise it.

    encoding="flat" encodes the table as one of all tables with its cluster sizes, and is symmetric. Their number is
    exact where a side is one cluster or consists of singletons, and estimated elsewhere: "effective_columns" (Jerdee,
    Kirkley & Newman 2022) holds for small clusters too; "diaconis_efron" is the estimate of the paper, clusim and
    CDlib, and is wrong unless there are many more points than cells. encoding="dirichlet_multinomial" (Jerdee, Kirkley
    & Newman 2024, arXiv:2405.05393) uses a Dirichlet-multinomial distribution with the concentration that gives the
    shortest code, which is shorter for similar labelings. The score is the length that the prediction saves in encoding
    the truth: it is not symmetric, and at most the length that the truth itself would save.

    normalized=True divides by the length that the truth itself would save (normalization="truth": Jerdee, Kirkley &
    Newman 2025, arXiv:2307.01282), by the same for the prediction ("prediction"), or the "mean", "min" or "max" of the
    savings in both directions by that of these two. Identical partitions score 1; at 0/0 other partitions score 0.
    In bits (base=2) at clusim, CDlib and clustering-mi. The last gives the sum over all points and tries
    concentrations from 0.0001 to 10000 only, which gives a slightly longer code.

    >>> reduced_mutual_information([0] * 8 + [1] * 8, [0] * 8 + [1] * 8, base=2)
    0.66...
    >>> truth, finer = [0] * 9 + [1] * 9 + [2] * 9, [i // 3 for i in range(27)]
    >>> reduced_mutual_information(
    ...     truth, finer, normalized=True, normalization="truth", encoding="dirichlet_multinomial"
    ... )
    0.75
    """
    check_value(normalized, "normalized", (True, False))
    code = _code(encoding, estimate)
    _check_normalization(normalization, normalized)
    if not normalized:
        return in_units(c.saving(code, "true") / c.n, base)
    in_units(0.0, base)  # a ratio has no unit, but a wrong base is still an error
    average = _AVERAGES[normalization]
    own = average(c.own_saving(code, "true"), c.own_saving(code, "pred"))
    if own == 0.0:  # the sides that are divided by are one cluster or consist of singletons
        return float(c.k_true == c.k_pred)
    return average(c.saving(code, "true"), c.saving(code, "pred")) / own


def _code(encoding: Encoding, estimate: Estimate) -> Code:
    check_value(encoding, "encoding", get_args(Encoding))
    check_value(estimate, "estimate", get_args(Estimate))
    if encoding == "flat":
        return estimate
    if estimate != "effective_columns":
        raise InputError(
            f"estimate {estimate!r} is for the encoding 'flat'; the encoding {encoding!r} counts no tables"
        )
    return encoding


def _check_normalization(normalization: Normalization, normalized: bool) -> None:
    check_value(normalization, "normalization", get_args(Normalization))
    if normalization != "mean" and not normalized:
        raise InputError(f"normalization={normalization!r} needs normalized=True")


# of the savings of truth and prediction; there is no geometric mean, as savings can be negative
_AVERAGES: dict[str, Callable[[float, float], float]] = {
    "mean": lambda true, pred: (true + pred) / 2,
    "truth": lambda true, _: true,
    "prediction": lambda _, pred: pred,
    "min": min,
    "max": max,
}


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
    check_value(average, "average", get_args(FixedAverage))
    return (e.mutual - e.expected) / average_entropy(e, average)
