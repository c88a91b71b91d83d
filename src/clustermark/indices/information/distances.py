"""Distances between labelings, made of what is left to learn of one by someone who knows the other."""

from __future__ import annotations

from math import inf, log
from typing import Literal, TypeAlias, get_args

from clustermark.errors import InputError
from clustermark.indices.averages import check_value, in_units
from clustermark.registry import index
from clustermark.statistics.information import Entropies

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
    """What is left to learn of each of a point's clusters once the other is known, both ways added up. A metric.

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
    """What the prediction splits: H(P|T), 0 where no true cluster is cut. Over-segmentation, in bits at scikit-image.

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
    """What the prediction merges: H(T|P), 0 where no predicted cluster mixes. Under-segmentation, in bits there.

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
    """What is left to learn of a point's other cluster in the worse direction: the larger entropy minus what is shared.

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
