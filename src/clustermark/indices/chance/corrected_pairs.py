"""Pair counts, corrected for what chance would give."""

from __future__ import annotations

from math import inf, isqrt, sqrt
from typing import TYPE_CHECKING

from clustermark.errors import InputError
from clustermark.indices.arithmetic import over_root, pair_margins
from clustermark.registry import index
from clustermark.statistics.chance import bell_ratio, stirling_ratio
from clustermark.statistics.pairs import ChancePairs, SquareSums
from clustermark.statistics.sizes import Sizes

if TYPE_CHECKING:
    from clustermark.registry.facts import OptionFacts

_MODELS: dict[str, OptionFacts] = {
    "num": {"bounds": (-inf, 1.0), "chance_model": "partitions into as many clusters"},
    "all": {"bounds": (-inf, 1.0), "chance_model": "all partitions", "metric": True},
    "num1": {"bounds": (-inf, 1.0), "chance_model": "predictions with as many clusters", "symmetric": False},
    "all1": {"bounds": (-inf, 1.0), "chance_model": "all predictions", "symmetric": False},
}
"""Random models beside permutations, and the facts that depend on them."""
UNCHANGING = (
    "no permutation changes it: a labeling is one cluster or consists of singletons, "
    "or one sets a single point apart and the other has clusters of equal size"
)


@index(
    ChancePairs,
    title="Adjusted Rand index",
    abbreviation="ARI",
    formula="2 * (yy * nn - yn * ny) / ((yy + yn) * (yn + nn) + (yy + ny) * (ny + nn))",
    reference="hubert1985",
    bounds=(-0.5, 1.0),
    weighted_bounds=(-1.0, 1.0),
    facts_by_option={"model": _MODELS},
    chance_model="permutation",
    undefined_when="both labelings are one cluster, or both consist of singletons",
    aliases=("adjusted_rand_index", "kappa_of_pairs"),
    peers={
        "permetrics": "ARS adjusted_rand_score",
        "scikit-learn": "adjusted_rand_score",
        "mclustcomp": "adjrand",
        "aricode": "ARI",
        "igraph": "adjusted_rand",
        "clusim": "adjrand_index",
        "CDlib": "adjusted_rand_index",
        "genieclust": "adjusted_rand_score",
        "er-evaluation": "adjusted_rand_score",
        "torchmetrics": "adjusted_rand_score",
        "cuML": "adjusted_rand_score",
        "ELKI": "adjustedRandIndex",
        "Clustering.jl": "randindex[1]",
        "clue": "cRand",
        "mclust": "adjustedRandIndex",
        "e1071": "crand",
        "clustering-metrics": "kappa",
    },
    weights="Cohen's kappa of the weighted pairs; its mean under permutation is then no longer exactly 0",
    panel=True,
)
def adjusted_rand(p: ChancePairs, *, model: str = "permutation") -> float:
    """The Rand index corrected for chance: 0 on average over random labelings, 1 at best.

    The symmetry below is that of the default: of the other models (Gates & Ahn 2017), those that keep the truth are not
    symmetric.

    model: the random model. "permutation": all labelings with the same cluster sizes; "num": all partitions into the
    same numbers of clusters; "all": all partitions; "num1" and "all1": the same with the truth kept as it is.

    >>> adjusted_rand([0, 0, 1, 1], [0, 0, 1, 2])
    0.5714285714285714
    >>> adjusted_rand([0, 0, 1, 1], [0, 0, 1, 2], model="all")
    0.625
    """
    if model == "permutation":
        return 2 * (p.yy * p.nn - p.yn * p.ny) / ((p.yy + p.yn) * (p.yn + p.nn) + (p.yy + p.ny) * (p.ny + p.nn))
    return _under_model(p, model)


def _under_model(p: ChancePairs, model: str) -> float:
    """Return (R - E) / (1 - E), where E is the mean Rand index of independent random partitions (Gates & Ahn 2017)."""
    if model not in _MODELS:
        raise InputError(f"model={model!r} is not known; choose 'permutation', 'num', 'all', 'num1' or 'all1'")
    if p.weighted:
        raise InputError(f"model={model!r} counts partitions of points, which have no weights; use model='permutation'")
    total = p.yy + p.yn + p.ny + p.nn
    true, pred = (
        bell_ratio(p.n) if model.startswith("all") else stirling_ratio(p.n, clusters)
        for clusters in (p.k_true, p.k_pred)
    )
    if model.endswith("1"):
        true = float((p.yy + p.yn) / total)
    # 1 - E directly, because 1 - E would cancel where a pair is rarely together
    expected_to_differ = true * (1 - pred) + pred * (1 - true)
    return (expected_to_differ - float((p.yn + p.ny) / total)) / expected_to_differ


@index(
    SquareSums,
    title="Morey–Agresti index",
    abbreviation="MoA",
    formula="2 * (n**2 * cells - true * pred) / (n**2 * (true + pred) - 2 * true * pred)",
    reference="morey1984",
    bounds=(-1.0, 1.0),
    chance_model="multinomial, for many points",
    undefined_when="both labelings are one cluster",
    peers={"clues": "MA"},
)
def morey_agresti(p: SquareSums) -> float:
    """The Rand index corrected for chance as if points were drawn with replacement.

    Older than the adjusted Rand index, and biased: 0 on average only for many points.

    >>> morey_agresti([0, 0, 1, 1, 1], [0, 0, 0, 1, 1])
    0.358974358974359
    """
    chance = p.true * p.pred
    return 2 * (p.n * p.n * p.cells - chance) / (p.n * p.n * (p.true + p.pred) - 2 * chance)


@index(
    ChancePairs,
    title="Modified adjusted Rand index",
    abbreviation="MARI",
    formula="(yy - {e}) / (((yy + yn) + (yy + ny)) / 2 - {e})".replace(
        "{e}", "disjoint / (n * (n - 1) * (n - 2) * (n - 3) / 4) * (n * (n - 1) / 2)"
    ),
    reference="sundqvist2023",
    bounds=(-inf, 1.0),
    chance_model="multinomial, for raw=True",
    undefined_when="there are fewer than four points, both labelings are one cluster or both consist of singletons; "
    "with four points also where two of them are together in one labeling whenever the other two are in the other",
    peers={"aricode": "MARI"},
    weights=None,
)
def modified_adjusted_rand(p: ChancePairs, *, raw: bool = False) -> float:
    """The Rand index corrected for chance without bias when points are drawn at random.

    The expected agreement is estimated from pairs of pairs that share no point. raw=True gives the difference of
    the share of pairs together in both and its expectation, not normalised.

    >>> modified_adjusted_rand([0, 0, 1, 1, 1], [0, 0, 0, 1, 1])
    0.0
    """
    if not isinstance(raw, bool):
        raise InputError(f"raw={raw!r} must be True or False")
    n = p.n
    pairs, pairs_of_pairs = n * (n - 1) // 2, n * (n - 1) * (n - 2) * (n - 3) // 4
    if raw:
        return (p.yy * pairs_of_pairs - p.disjoint * pairs) / (pairs * pairs_of_pairs)
    expected = p.disjoint * pairs
    return 2 * (p.yy * pairs_of_pairs - expected) / ((2 * p.yy + p.yn + p.ny) * pairs_of_pairs - 2 * expected)


@index(
    ChancePairs,
    title="Adjusted Fowlkes–Mallows index",
    abbreviation="AFM",
    formula="(yy * nn - yn * ny) / ((yy + yn + ny + nn) * ((yy + yn) * (yy + ny)) ** 0.5 - (yy + yn) * (yy + ny))",
    reference="hubert1985",
    bounds=(-0.5, 1.0),
    weighted_bounds=(-1.0, 1.0),
    chance_model="permutation",
    rational=False,
    undefined_when="one labeling consists of singletons, or both are one cluster",
    peers={"genieclust": "adjusted_fm_score", "clustering-metrics": "adjusted_fowlkes_mallows"},
    weights="over weighted pairs; its mean under permutation is then no longer exactly 0",
)
def adjusted_fowlkes_mallows(p: ChancePairs) -> float:
    """The Fowlkes–Mallows index corrected for chance: 0 on average over permutations, 1 at best.

    >>> adjusted_fowlkes_mallows([0, 0, 1, 1], [0, 0, 1, 2])
    0.6167812573081513
    """
    total, product = p.yy + p.yn + p.ny + p.nn, (p.yy + p.yn) * (p.yy + p.ny)
    covariance = p.yy * p.nn - p.yn * p.ny
    if p.yn == p.ny:
        return covariance / ((p.yy + p.yn) * (p.ny + p.nn))
    root = isqrt(product) if isinstance(product, int) else sqrt(product)
    if root * root == product:
        return covariance / (total * root - product)
    # total · √product - product, written so that nothing cancels
    adjusted = covariance * (total * sqrt(product) + product) / (product * (total * total - product))
    return min(adjusted, 1.0)  # rounding can exceed 1 for nearly identical labelings


@index(
    ChancePairs,
    title="Adjusted Wallace precision",
    abbreviation="AWP",
    formula="(yy * nn - yn * ny) / ((yy + ny) * (ny + nn))",
    reference="severiano2011",
    bounds=(-inf, 1.0),
    symmetric=False,
    chance_model="permutation",
    undefined_when="the prediction consists of singletons, or the truth is one cluster",
    weights="over weighted pairs; its mean under permutation is then no longer exactly 0",
)
def adjusted_wallace_precision(p: ChancePairs) -> float:
    """Pair precision corrected for chance: 0 on average over permutations, 1 at best.

    >>> adjusted_wallace_precision([0, 0, 1, 1, 1], [0, 0, 0, 1, 1])
    0.16666666666666666
    """
    return (p.yy * p.nn - p.yn * p.ny) / ((p.yy + p.ny) * (p.ny + p.nn))


@index(
    ChancePairs,
    title="Adjusted Wallace recall",
    abbreviation="AWR",
    formula="(yy * nn - yn * ny) / ((yy + yn) * (yn + nn))",
    reference="severiano2011",
    bounds=(-inf, 1.0),
    symmetric=False,
    chance_model="permutation",
    undefined_when="the truth consists of singletons, or the prediction is one cluster",
    weights="over weighted pairs; its mean under permutation is then no longer exactly 0",
)
def adjusted_wallace_recall(p: ChancePairs) -> float:
    """Pair recall corrected for chance: 0 on average over permutations, 1 at best.

    The harmonic mean of the two adjusted Wallace indices is the adjusted Rand index.

    >>> adjusted_wallace_recall([0, 0, 1, 1, 1], [0, 0, 0, 1, 1])
    0.16666666666666666
    """
    return (p.yy * p.nn - p.yn * p.ny) / ((p.yy + p.yn) * (p.yn + p.nn))


@index(
    ChancePairs,
    title="Lerman index (standardised Rand index)",
    abbreviation="Ler",
    formula="(yy - (yy + yn) * (yy + ny) / (yy + yn + ny + nn)) / float(variance) ** 0.5",
    reference="lerman1988",
    bounds=(-inf, inf),
    chance_model="permutation",
    best_on_identity=False,
    rational=False,
    undefined_when=UNCHANGING,
    aliases=("standardized_rand", "lerman_index"),
    peers={"partitionComparison": "lermanIndex"},
    weights=None,
)
def lerman(p: ChancePairs) -> float:
    """Pairs together in both, in standard deviations from their mean over all permutations: a z-score.

    The Rand index is a linear function of that number for given cluster sizes, so this is the standardised Rand too.

    >>> lerman([0, 0, 0, 1, 1], [0, 0, 1, 1, 1])
    0.4364357804719847
    """
    total = p.yy + p.yn + p.ny + p.nn
    return over_root(p.yy * p.nn - p.yn * p.ny, p.variance * total * total)


@index(
    ChancePairs,
    title="Normalised Lerman index",
    abbreviation="NLe",
    formula="(yy * nn - yn * ny) / ((yy + yn) * (ny + nn) * (yy + ny) * (yn + nn)) ** 0.5"
    " * float(own_variances[0] * own_variances[1] / variance**2) ** 0.25",
    reference="lerman1988",
    bounds=(-inf, inf),
    chance_model="permutation",
    best_on_identity=False,
    rational=False,
    undefined_when=UNCHANGING,
    peers={"partitionComparison": "normalizedLermanIndex"},
    weights=None,
)
def normalized_lerman(p: ChancePairs) -> float:
    """The Lerman index over the geometric mean of the indices of each labeling with itself.

    Identical labelings score 1, but 1 is no bound: [0, 0, 0, 1, 1] and [0, 0, 0, 1, 2] score 1.166.

    >>> normalized_lerman([0, 0, 1, 1, 1], [0, 0, 1, 2, 2])
    0.6123724356957945
    """
    correlation = over_root(p.yy * p.nn - p.yn * p.ny, pair_margins(p))
    true, pred = p.own_variances
    return correlation * sqrt(sqrt(true * pred / p.variance**2))


@index(
    Sizes,
    title="Adjusted symmetric Gini index",
    abbreviation="AGi",
    formula="1 - (scattered_true / (n**2 - square_pred) + scattered_pred / (n**2 - square_true)) * n / 2",
    reference="elki",
    chance_model="multinomial, for many points",
    rational=False,
    undefined_when="one of the labelings is one cluster",
    peers={"ELKI": "adjustedSymmetricGini"},
    weights="shares are shares of weight",
)
def adjusted_gini(s: Sizes) -> float:
    """Improvement of the prediction of each labeling by the other over cluster sizes alone; mean of both directions.

    The sum of squared shares of the counterparts of each cluster, corrected by its value for random points.

    >>> adjusted_gini([0, 0, 1, 1, 1], [0, 0, 0, 1, 1])
    0.44444444444444...
    """
    if s.k_true == 1 or s.k_pred == 1:
        raise ZeroDivisionError
    return (s.explained_true + s.explained_pred) / 2
