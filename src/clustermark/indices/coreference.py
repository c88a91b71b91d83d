"""Indices of coreference. Their two sides may have different items: `unmatched="keep"`."""

from __future__ import annotations

from clustermark.registry import index
from clustermark.statistics.coreference import CorefScores, Links
from clustermark.statistics.matching import MatchedEntities, MatchedPoints
from clustermark.statistics.sizes import Sizes


@index(
    Sizes,
    title="MUC precision",
    abbreviation="MUCP",
    formula="(n - cells) / (n_pred - k_pred)",
    reference="vilain1995",
    symmetric=False,
    one_sided=True,
    weights=None,
    undefined_when="the prediction consists of singletons, or has no items",
    peers={"coval": "muc_precision", "CoNLL": "muc_precision", "clustering-metrics": "muc_precision"},
)
def muc_precision(s: Sizes) -> float:
    """Share of the links within predicted clusters that the truth has; n items of a cluster have n - 1 links.

    >>> muc_precision([0, 0, 1, 1, 1], [0, 0, 0, 1, 1])
    0.6666666666666666
    """
    return (s.n - s.cells) / (s.n_pred - s.k_pred)


@index(
    Sizes,
    title="MUC recall",
    abbreviation="MUCR",
    formula="(n - cells) / (n_true - k_true)",
    reference="vilain1995",
    symmetric=False,
    one_sided=True,
    weights=None,
    undefined_when="the truth consists of singletons, or has no items",
    peers={"coval": "muc_recall", "CoNLL": "muc_recall", "clustering-metrics": "muc_recall"},
)
def muc_recall(s: Sizes) -> float:
    """Share of the links within true clusters that the prediction has; n items of a cluster have n - 1 links.

    >>> muc_recall([0, 0, 1, 1, 1], [0, 0, 0, 1, 1])
    0.6666666666666666
    """
    return (s.n - s.cells) / (s.n_true - s.k_true)


@index(
    Sizes,
    title="MUC F-measure",
    abbreviation="MUCF",
    formula="2 * (n - cells) / (n_true - k_true + n_pred - k_pred)",
    reference="vilain1995",
    one_sided=True,
    weights=None,
    undefined_when="both labelings consist of singletons",
    peers={"coval": "muc", "CoNLL": "muc"},
)
def muc_f(s: Sizes) -> float:
    """Harmonic mean of MUC precision and recall.

    Identical labelings of singletons, which have no link, score 1 here and 0 in the official scorer of CoNLL, which is
    ``muc_f.when_undefined(0)``.

    >>> muc_f([0, 0, 1, 1, 1], [0, 0, 0, 1, 1])
    0.6666666666666666
    """
    return 2 * (s.n - s.cells) / (s.n_true - s.k_true + s.n_pred - s.k_pred)


@index(
    MatchedPoints,
    title="CEAF precision, mention-based",
    abbreviation="CEMP",
    formula="total / n_pred",
    reference="luo2005",
    undefined_when="the prediction has no items",
    metric=True,
    one_sided=True,
    weights=None,
    rational=True,
    peers={"CoNLL": "ceafm_precision"},
)
def ceaf_m_precision(m: MatchedPoints) -> float:
    """Points in matched clusters, as a share of the predicted points.

    One-to-one matching of true and predicted clusters with the most points in common.
    With the same items on both sides precision and recall are equal, symmetric and a metric.

    >>> ceaf_m_precision([0, 0, 1, 1, 1], [0, 0, 0, 1, 1])
    0.8
    """
    return m.total / m.n_pred


@index(
    MatchedPoints,
    title="CEAF recall, mention-based",
    abbreviation="CEMR",
    formula="total / n_true",
    reference="luo2005",
    undefined_when="the truth has no items",
    metric=True,
    one_sided=True,
    weights=None,
    rational=True,
    peers={"CoNLL": "ceafm_recall"},
)
def ceaf_m_recall(m: MatchedPoints) -> float:
    """Points in matched clusters, as a share of the true points.

    One-to-one matching of true and predicted clusters with the most points in common.
    With the same items on both sides precision and recall are equal, symmetric and a metric.

    >>> ceaf_m_recall([0, 0, 1, 1, 1], [0, 0, 0, 1, 1])
    0.8
    """
    return m.total / m.n_true


@index(
    MatchedPoints,
    title="CEAF F-measure, mention-based",
    abbreviation="CEMF",
    formula="2 * total / (n_pred + n_true)",
    reference="luo2005",
    metric=True,
    one_sided=True,
    weights=None,
    rational=True,
    peers={"coval": "ceafm", "CoNLL": "ceafm"},
)
def ceaf_m_f(m: MatchedPoints) -> float:
    """Harmonic mean of its precision and recall.

    One-to-one matching of true and predicted clusters with the most points in common.

    >>> ceaf_m_f([0, 0, 1, 1, 1], [0, 0, 0, 1, 1])
    0.8
    """
    return 2 * m.total / (m.n_pred + m.n_true)


@index(
    MatchedEntities,
    title="CEAF precision, entity-based",
    abbreviation="CEEP",
    formula="total / k_pred",
    reference="luo2005",
    undefined_when="the prediction has no items",
    symmetric=False,
    one_sided=True,
    weights=None,
    rational=False,
    peers={"CoNLL": "ceafe_precision"},
)
def ceaf_e_precision(m: MatchedEntities) -> float:
    """Similarity 2n/(a+b) of matched clusters, as a share of the predicted clusters.

    One-to-one matching of true and predicted clusters with the largest sum of 2n/(a+b).

    >>> ceaf_e_precision([0, 0, 1, 1, 1], [0, 0, 0, 1, 1])
    0.8
    """
    return m.total / m.k_pred


@index(
    MatchedEntities,
    title="CEAF recall, entity-based",
    abbreviation="CEER",
    formula="total / k_true",
    reference="luo2005",
    undefined_when="the truth has no items",
    symmetric=False,
    one_sided=True,
    weights=None,
    rational=False,
    peers={"CoNLL": "ceafe_recall"},
)
def ceaf_e_recall(m: MatchedEntities) -> float:
    """Similarity 2n/(a+b) of matched clusters, as a share of the true clusters.

    One-to-one matching of true and predicted clusters with the largest sum of 2n/(a+b).

    >>> ceaf_e_recall([0, 0, 1, 1, 1], [0, 0, 0, 1, 1])
    0.8
    """
    return m.total / m.k_true


@index(
    MatchedEntities,
    title="CEAF F-measure, entity-based",
    abbreviation="CEEF",
    formula="2 * total / (k_pred + k_true)",
    reference="luo2005",
    one_sided=True,
    weights=None,
    rational=False,
    peers={"coval": "ceafe", "CoNLL": "ceafe"},
)
def ceaf_e_f(m: MatchedEntities) -> float:
    """Harmonic mean of its precision and recall.

    One-to-one matching of true and predicted clusters with the largest sum of 2n/(a+b).

    >>> ceaf_e_f([0, 0, 1, 1, 1], [0, 0, 0, 1, 1])
    0.8
    """
    return 2 * m.total / (m.k_pred + m.k_true)


@index(
    Links,
    title="BLANC precision",
    abbreviation="BLAP",
    formula="(together / max(together_pred, 1) + apart / max(apart_pred, 1)) / 2 if together_true and apart_true"
    " else together / max(together_pred, 1) if together_true else apart / max(apart_pred, 1)",
    reference="luo2014",
    symmetric=False,
    rational=True,
    undefined_when="the truth has fewer than two items",
    peers={"CoNLL": "blanc_precision"},
)
def blanc_precision(links: Links) -> float:
    """Shares of the pairs together in the prediction, and of those apart, that are the same in the truth.

    The mean over pairs that belong together and pairs that belong apart; if the truth has only one kind, only that one,
    as the CoNLL scorer has it.

    >>> blanc_precision([0, 0, 1, 1, 1], [0, 0, 0, 1, 1])
    0.5833333333333333
    """
    return _blanc(links, _share(links.together, links.together_pred), _share(links.apart, links.apart_pred))


@index(
    Links,
    title="BLANC recall",
    abbreviation="BLAR",
    formula="(together / max(together_true, 1) + apart / max(apart_true, 1)) / 2 if together_true and apart_true"
    " else together / max(together_true, 1) if together_true else apart / max(apart_true, 1)",
    reference="luo2014",
    symmetric=False,
    rational=True,
    undefined_when="the truth has fewer than two items",
    peers={"CoNLL": "blanc_recall"},
)
def blanc_recall(links: Links) -> float:
    """Shares of the pairs together in the truth, and of those apart, that are the same in the prediction.

    The mean over pairs that belong together and pairs that belong apart; if the truth has only one kind, only that one,
    as the CoNLL scorer has it.

    >>> blanc_recall([0, 0, 1, 1, 1], [0, 0, 0, 1, 1])
    0.5833333333333333
    """
    return _blanc(links, _share(links.together, links.together_true), _share(links.apart, links.apart_true))


@index(
    Links,
    title="BLANC F-measure",
    abbreviation="BLAF",
    formula="(2 * together / (together_true + together_pred) + 2 * apart / max(apart_true + apart_pred, 1)) / 2"
    " if together_true and apart_true else 2 * together / (together_true + together_pred) if together_true"
    " else 2 * apart / (apart_true + apart_pred)",
    reference="luo2014",
    symmetric=False,
    rational=True,
    undefined_when="the truth has fewer than two items",
    aliases=("blanc",),
    peers={"CoNLL": "blanc", "corefud-scorer": "blanc"},
)
def blanc_f(links: Links) -> float:
    """Mean of the F-measure of pairs together and the F-measure of pairs apart.

    The mean over pairs that belong together and pairs that belong apart; if the truth has only one kind, only that one,
    as the CoNLL scorer has it.

    >>> blanc_f([0, 0, 1, 1, 1], [0, 0, 0, 1, 1])
    0.5833333333333333
    """
    together = _share(2 * links.together, links.together_true + links.together_pred)
    return _blanc(links, together, _share(2 * links.apart, links.apart_true + links.apart_pred))


@index(
    Links,
    title="LEA precision",
    abbreviation="LEAP",
    formula="resolved_pred / n_pred",
    reference="moosavi2016",
    undefined_when="the prediction has no items",
    symmetric=False,
    rational=False,
    peers={"coval": "lea_precision", "corefud-scorer": "lea_precision"},
)
def lea_precision(links: Links) -> float:
    """Share of the links of each predicted cluster that the truth has, averaged with the clusters' sizes.

    A cluster of one item counts 1 where it is a cluster of one item on the other side too.

    >>> lea_precision([0, 0, 1, 1, 1], [0, 0, 0, 1, 1])
    0.6
    """
    return links.resolved_pred / links.n_pred


@index(
    Links,
    title="LEA recall",
    abbreviation="LEAR",
    formula="resolved_true / n_true",
    reference="moosavi2016",
    undefined_when="the truth has no items",
    symmetric=False,
    rational=False,
    peers={"coval": "lea_recall", "corefud-scorer": "lea_recall"},
)
def lea_recall(links: Links) -> float:
    """Share of the links of each true cluster that the prediction has, averaged with the clusters' sizes.

    >>> lea_recall([0, 0, 1, 1, 1], [0, 0, 0, 1, 1])
    0.6
    """
    return links.resolved_true / links.n_true


@index(
    Links,
    title="LEA F-measure",
    abbreviation="LEAF",
    formula="2 * resolved_pred * resolved_true / (resolved_pred * n_true + resolved_true * n_pred)",
    reference="moosavi2016",
    rational=False,
    undefined_when="no link and no singleton is the same on both sides",
    peers={"coval": "lea", "corefud-scorer": "lea"},
)
def lea_f(links: Links) -> float:
    """Harmonic mean of LEA precision and recall.

    >>> lea_f([0, 0, 1, 1, 1], [0, 0, 0, 1, 1])
    0.6
    """
    return (
        2
        * links.resolved_pred
        * links.resolved_true
        / (links.resolved_pred * links.n_true + links.resolved_true * links.n_pred)
    )


@index(
    CorefScores,
    title="CoNLL score",
    abbreviation="CoNLL",
    formula="(muc + b_cubed + ceaf_e) / 3",
    reference="pradhan2014",
    rational=False,
    aliases=("conll_score",),
    peers={"CoNLL": "conll", "coval": "conll"},
)
def conll(c: CorefScores) -> float:
    """Mean of three F-measures of coreference: MUC, B-cubed and entity-based CEAF.

    Identical labelings of singletons score 1 here and 2/3 in the official scorer of CoNLL, whose MUC is 0 for them.

    >>> conll([0, 0, 1, 1, 1], [0, 0, 0, 1, 1])
    0.7333333333333334
    """
    return (c.muc + c.b_cubed + c.ceaf_e) / 3


def _share(part: float, whole: float) -> float:
    """Return part / whole, and 0 for 0/0, as the scorers define it."""
    return part / whole if whole else whole


def _blanc(links: Links, together: float, apart: float) -> float:
    if links.together_true and links.apart_true:
        return (together + apart) / 2
    if not links.together_true and not links.apart_true:
        raise ZeroDivisionError("the truth has no pair of items")
    return together if links.together_true else apart
