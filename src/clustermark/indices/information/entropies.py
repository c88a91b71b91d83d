"""What there is to learn of a point's cluster, in nats unless another base is asked for."""

from __future__ import annotations

from math import inf

from clustermark.indices.averages import in_units
from clustermark.registry import index
from clustermark.statistics.information import Entropies


@index(
    Entropies,
    title="Entropy of the truth",
    abbreviation="EnT",
    formula="true",
    reference="shannon1948",
    bounds=(0.0, inf),
    higher_is_better=None,
    symmetric=False,
    best_on_identity=False,
    rational=False,
    peers={"scikit-learn": "entropy", "ELKI": "entropyFirst"},
)
def entropy_true(e: Entropies, *, base: float | None = None) -> float:
    """How uncertain a point's true cluster is: 0 for one cluster, ln N for singletons.

    >>> entropy_true([0, 0, 1, 1], [0, 0, 0, 0], base=2)
    1.0
    """
    return in_units(e.true, base)


@index(
    Entropies,
    title="Entropy of the prediction",
    abbreviation="EnP",
    formula="pred",
    reference="shannon1948",
    bounds=(0.0, inf),
    higher_is_better=None,
    symmetric=False,
    best_on_identity=False,
    rational=False,
    peers={"ELKI": "entropySecond"},
)
def entropy_pred(e: Entropies, *, base: float | None = None) -> float:
    """How uncertain a point's predicted cluster is.

    >>> entropy_pred([0, 0, 0, 0], [0, 1, 2, 3], base=2)
    2.0
    """
    return in_units(e.pred, base)


@index(
    Entropies,
    title="Joint entropy",
    abbreviation="EnJ",
    formula="joint",
    reference="shannon1948",
    bounds=(0.0, inf),
    higher_is_better=None,
    best_on_identity=False,
    rational=False,
    peers={"mclustcomp": "jent(base=2)", "ELKI": "entropyJoint"},
)
def joint_entropy(e: Entropies, *, base: float | None = None) -> float:
    """How uncertain a point's cell is: its two clusters together. In bits at mclustcomp.

    >>> joint_entropy([0, 0, 1, 1], [0, 1, 0, 1], base=2)
    2.0
    """
    return in_units(e.joint, base)


@index(
    Entropies,
    title="Conditional entropy of the truth given the prediction",
    abbreviation="CET",
    formula="joint - pred",
    reference="shannon1948",
    bounds=(0.0, inf),
    higher_is_better=False,
    symmetric=False,
    rational=False,
    peers={"permetrics": "EnS(base=2) entropy_score(base=2)", "ELKI": "conditionalEntropyFirst"},
)
def conditional_entropy_true(e: Entropies, *, base: float | None = None) -> float:
    """What is left to learn of a point's true cluster once its predicted cluster is known: H(T|P).

    The "entropy" of a clustering in permetrics (in bits; it computes another number), and in ClusterR and CLUTO
    (divided by the logarithm of the number of true clusters; ClusterR conditions on the wrong side).
    0 also where the prediction only splits true clusters. The same number as `vi_merge`.

    >>> conditional_entropy_true([0, 0, 1, 1], [0, 0, 0, 0], base=2)
    1.0
    """
    return in_units(e.true_given_pred, base)


@index(
    Entropies,
    title="Conditional entropy of the prediction given the truth",
    abbreviation="CEP",
    formula="joint - true",
    reference="shannon1948",
    bounds=(0.0, inf),
    higher_is_better=False,
    symmetric=False,
    rational=False,
    peers={"ELKI": "conditionalEntropySecond"},
)
def conditional_entropy_pred(e: Entropies, *, base: float | None = None) -> float:
    """What is left to learn of a point's predicted cluster once its true cluster is known: H(P|T).

    0 also where the prediction only merges true clusters. The same number as `vi_split`.

    >>> conditional_entropy_pred([0, 0, 1, 1], [0, 1, 2, 3], base=2)
    1.0
    """
    return in_units(e.pred_given_true, base)


@index(
    Entropies,
    title="Mutual information",
    abbreviation="MI",
    formula="true + pred - joint",
    reference="shannon1948",
    bounds=(0.0, inf),
    best_on_identity=False,
    rational=False,
    aliases=("mutual_info",),
    peers={
        "permetrics": "MIS mutual_info_score",
        "scikit-learn": "mutual_info_score",
        "torchmetrics": "mutual_info_score",
        "cuML": "mutual_info_score",
        "mclustcomp": "mi(base=2)",
        "clusim": "mi(base=2)",
        "CDlib": "mi(base=2)",
        "genieclust": "mi_score",
        "ELKI": "mutualInformation",
        "Clustering.jl": "mutualinfo",
        "partitionComparison": "mutualInformation",
        "river": "MutualInfo",
    },
)
def mutual_information(e: Entropies, *, base: float | None = None) -> float:
    """What knowing one of a point's clusters tells of the other; at most the smaller entropy.

    More clusters give more of it, by chance alone: compare `adjusted_mutual_information`. In bits at mclustcomp,
    clusim and CDlib.

    >>> mutual_information([0, 0, 1, 1], [0, 0, 1, 1], base=2)
    1.0
    """
    return in_units(e.mutual, base)
