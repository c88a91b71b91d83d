"""The verdict: a sentence on how good the agreement is and what goes wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clustermark.diagnosis import ClusterTable
from clustermark.diagnosis.cluster_table import points_of
from clustermark.diagnosis.costs import NEARLY, Costs, count_nearly_exact, name_worst, say_name
from clustermark.evaluation.advice import LOW
from clustermark.evaluation.notices import describe_share
from clustermark.registry import find
from clustermark.results.values import quantity
from clustermark.statistics.pairs import PairCounts

if TYPE_CHECKING:
    from clustermark.diagnosis.costs import Say
    from clustermark.tables.contingency import Contingency
    from clustermark.uncertainty.interval import Interval

_LEVELS = (
    (0.9, "Very good agreement"),
    (0.75, "Good agreement"),
    (0.5, "Moderate agreement"),
    (0.2, "Weak agreement"),
    (0.05, "Very weak agreement"),
    (1e-9, "Hardly any agreement beyond chance"),
)
"""Words for the adjusted Rand index by its smallest value; for orientation only, not a statistical test."""


def verdict(table: Contingency, nearly: float = NEARLY, interval: Interval | None = None, say: Say = say_name) -> str:
    """Return one sentence on a table, preceded by the share of the points that were scored if not all were.

    nearly: the smallest Jaccard index at which a cluster is found nearly exactly.
    interval: the interval of the adjusted Rand index, if requested.
    say: returns the name of a cluster.
    """
    share, said = describe_share(table), _judge(table, nearly, interval, say)
    return f"Scored on {share}. On these: {said}" if share else said


def _judge(table: Contingency, nearly: float, interval: Interval | None, say: Say) -> str:
    if find("adjusted_rand").refusal(table):
        return _without_pairs(table)
    if table.are_identical():
        return _identical(table)
    found = _exact_clusters(table, nearly)
    return f"{_level(table, interval)}: {found}; {_problem(table)}{_worst(table, say)}."


def _worst(table: Contingency, say: Say) -> str:
    """Name the clusters in most wrong pairs if some are worse than others; empty with weights (no whole pairs)."""
    if table.weights is not None or _trivial(table):
        return ""
    costs = Costs.of(table)
    return f"; {name_worst(costs, say)}" if costs.worst and costs.clusters > len(costs.worst) else ""


def _identical(table: Contingency) -> str:
    if table.n_used == 1:
        return "There is only one point, so there is nothing to disagree on."
    if table.n_true_clusters == table.n_used:
        return "The two clusterings are identical: every point has a cluster of its own, so no two are together."
    if table.n_true_clusters == 1:
        return "The two clusterings are identical: both put all points into one cluster."
    return f"The two clusterings are identical: all {table.n_true_clusters:,} true clusters are found exactly."


def _level(table: Contingency, interval: Interval | None) -> str:
    score = find("adjusted_rand").of(table)
    word = next((word for least, word in _LEVELS if score >= least), "No agreement beyond chance")
    weighted = ", weighted" if table.weights is not None else ""
    return f"{word} (adjusted Rand {_share(score)}{weighted}{_sureness(interval)})"


def _sureness(interval: Interval | None) -> str:
    if interval is None or interval.low is None or interval.high is None:
        return ""
    return f", {100 * interval.level:g}% interval {_share(interval.low)} to {_share(interval.high)}"


def _exact_clusters(table: Contingency, nearly: float) -> str:
    exact, close, total = table.joint().exact, count_nearly_exact(table, nearly), table.n_true_clusters
    more = f", {'and ' if exact else 'but '}{close:,} nearly (Jaccard ≥ {nearly:g})" if close else ""
    if not exact:
        return (
            "no true cluster is found exactly" if total > 1 else "the only true cluster is not found exactly"
        ) + more
    return f"{exact:,} of {quantity(total, 'true cluster')} {'is' if exact == 1 else 'are'} found exactly{more}"


def _problem(table: Contingency) -> str:
    """Describe the main problem: pairs that are together in the prediction only, or in the truth only."""
    trivial = _trivial(table)
    if trivial:
        return trivial
    pairs = PairCounts.of(table)
    precision, recall = find("pair_precision").of(table), find("pair_recall").of(table)
    scores = f"(pair precision {_share(precision)}, recall {_share(recall)})"
    if max(precision, recall) < LOW:
        return f"most pairs are wrong, merged and split {scores}"
    if table.n_cells == table.n_true_clusters:
        return f"the only problem is merging: predicted clusters put true ones together {scores}"
    if table.n_cells == table.n_pred_clusters:
        return f"the only problem is splitting: true clusters are broken up {scores}"
    if pairs.ny > 2 * pairs.yn:
        return f"the main problem is merging: predicted clusters mix true ones {scores}"
    if pairs.yn > 2 * pairs.ny:
        return f"the main problem is splitting: true clusters are broken up {scores}"
    return f"true clusters are broken up and mixed alike {scores}"


def _share(score: float) -> str:
    """Format a score with two digits, but as 1.00 and 0.00 only if it is exactly that."""
    if 0.995 <= score < 1:
        return ">0.99"
    return "<0.01" if 0 < score < 0.005 else f"{round(score, 2) + 0.0:.2f}"  # no -0.00


def _trivial(table: Contingency) -> str:
    sides = (("the prediction", table.n_pred_clusters), ("the truth", table.n_true_clusters))
    for side, clusters in sides:
        if clusters == 1:
            return f"{side} puts all points into one cluster"
        if clusters == table.n_used:
            return f"{side} gives every point a cluster of its own"
    return ""


def _without_pairs(table: Contingency) -> str:
    """Return the verdict on a table without counts of pairs: with unscored noise or items of one side only."""
    clusters = ClusterTable.of(table, "pred")
    exact = clusters.verdicts["exact"]
    said = "no predicted cluster is a true cluster exactly" if clusters.total else "no predicted cluster is scored"
    if exact:
        are = "is a true cluster" if exact == 1 else "are true clusters"
        said = f"{exact:,} of {quantity(clusters.total, 'predicted cluster')} {are} exactly"
    if table.one_sided:
        items = table.n_unmatched
        said += f"; {quantity(items, 'item')} {'occurs' if items == 1 else 'occur'} on one side only"
    noise = table.n_unscored
    if noise:
        said += f"; {quantity(noise, 'point')} {'is noise' if noise == 1 else 'are noise'}, left unscored"
    sentence = f"{_lead(table)}{said}."
    return sentence[0].upper() + sentence[1:]


def _lead(table: Contingency) -> str:
    precision, recall, best = (find(name) for name in ("b_cubed_precision", "b_cubed_recall", "jaccard_concentration"))
    if not precision.refusal(table):
        return f"B-cubed precision {_share(precision.of(table))} and recall {_share(recall.of(table))}: "
    if not best.refusal(table) and points_of(table, "pred"):
        return f"Jaccard-concentration {_share(best.of(table))}: "
    return ""
