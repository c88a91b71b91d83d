"""The verdict, a sentence on how good the agreement is and what goes wrong, and the advice that follows from it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from clustermark.diagnosis import ClusterTable
from clustermark.diagnosis.cluster_table import points_of
from clustermark.diagnosis.costs import NEARLY, Costs, count_nearly_exact, join_names, name_worst, say_name
from clustermark.evaluation.notices import describe_share
from clustermark.registry import find
from clustermark.results.values import quantity, share_text
from clustermark.statistics.pairs import PairCounts

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from clustermark.diagnosis.costs import Say
    from clustermark.diagnosis.members import PairKind
    from clustermark.diagnosis.record_differences import Cause, State
    from clustermark.evaluation.notices import Notice
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
    share, sentence = describe_share(table), _judge(table, nearly, interval, say)
    return f"Scored on {share}. On these: {sentence}" if share else sentence


def _judge(table: Contingency, nearly: float, interval: Interval | None, say: Say) -> str:
    if find("adjusted_rand").refusal(table):
        return _without_pairs(table)
    if table.are_identical():
        return _of_identical(table)
    found = _exact_clusters(table, nearly)
    return f"{_level(table, interval)}: {found}; {_problem(table)}{_worst(table, say)}."


def _worst(table: Contingency, say: Say) -> str:
    """Name the clusters in most wrong pairs if some are worse than others; empty with weights (no whole pairs)."""
    if table.weights is not None or _trivial(table):
        return ""
    costs = Costs.of(table)
    return f"; {name_worst(costs, say)}" if costs.worst and costs.clusters > len(costs.worst) else ""


def _of_identical(table: Contingency) -> str:
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
    text = "no predicted cluster is a true cluster exactly" if clusters.total else "no predicted cluster is scored"
    if exact:
        are = "is a true cluster" if exact == 1 else "are true clusters"
        text = f"{exact:,} of {quantity(clusters.total, 'predicted cluster')} {are} exactly"
    if table.one_sided:
        items = table.n_unmatched
        text += f"; {quantity(items, 'item')} {'occurs' if items == 1 else 'occur'} on one side only"
    noise = table.n_unscored
    if noise:
        text += f"; {quantity(noise, 'point')} {'is noise' if noise == 1 else 'are noise'}, left unscored"
    sentence = f"{_lead(table)}{text}."
    return sentence[0].upper() + sentence[1:]


def _lead(table: Contingency) -> str:
    precision, recall, best = (find(name) for name in ("b_cubed_precision", "b_cubed_recall", "jaccard_concentration"))
    if not precision.refusal(table):
        return f"B-cubed precision {_share(precision.of(table))} and recall {_share(recall.of(table))}: "
    if not best.refusal(table) and points_of(table, "pred"):
        return f"Jaccard-concentration {_share(best.of(table))}: "
    return ""


LOW = 0.5
"""If precision and recall of pairs are both below this, repairing single clusters is not worthwhile."""
FEW, MUCH = 3, 0.3
"""If at most this many clusters have this share of the wrong pairs, they are worth repairing one by one."""
ENOUGH = 0.01
"""A single cluster with a smaller share of the wrong pairs is not named."""
_CURES: dict[tuple[PairKind, State], str] = {
    ("false", "differs"): "let “{}” veto a join",
    ("false", "is alike"): "do not join by “{}” alone",
    ("missing", "differs"): "do not let “{}” alone keep records apart",
    ("missing", "is missing in one or both"): "do not let a missing “{}” keep records apart",
}
"""Recommended change of the method, by kind of wrong pair and state of the column that these have in common."""
RARE = 0.05
"""Largest share of right pairs in which a column may differ and still veto a join."""
ONE_SIDED = 2
"""Ratio of false to missing pairs (or the reverse) above which one kind of error is the main problem."""


class Situation(NamedTuple):
    """The data that the rules use."""

    table: Contingency
    notices: tuple[Notice, ...]
    has_pairs: bool
    """Whether pairs are counted on this table."""
    say: Say = say_name
    """Function that returns the name of a cluster."""
    causes: Sequence[Cause] = ()
    """Common causes of wrong pairs found in records, if any."""

    @property
    def costs(self) -> Costs:
        """Wrong pairs, and the clusters with most of them."""
        return Costs.of(self.table, FEW)

    @property
    def scores(self) -> tuple[float, float]:
        """Precision and recall of pairs."""
        return find("pair_precision").of(self.table), find("pair_recall").of(self.table)


def _noise(now: Situation) -> str:
    if any(notice.kind in ("noise", "noise_type") for notice in now.notices):
        return "Decide first what the label that looks like noise is: it counts as a cluster, and moves every score."
    return ""


def _few_matches(now: Situation) -> str:
    if any(notice.kind == "few_matches" for notice in now.notices):
        return "Check first that the two sources are joined by the right id: they share few."
    return ""


def _coverage(now: Situation) -> str:
    if now.table.n_given and now.table.n_used / now.table.n_given < LOW:
        return "Label more points first: more than half of them are left out, and the scores say nothing of those."
    return ""


def _identical(now: Situation) -> str:
    return "There is nothing to mend." if now.table.are_identical() else ""


def _no_pairs(now: Situation) -> str:
    return "" if now.has_pairs else "Look at the clusters in most wrong pairs, in the table of clusters."


def _one_cluster(now: Situation) -> str:
    if now.table.n_pred_clusters == 1:
        return "Let the method make more clusters: it made one."
    return ""


def _all_alone(now: Situation) -> str:
    if now.table.n_pred_clusters == now.table.n_used:
        return "Let the method join points: it gave each a cluster of its own."
    return ""


def _both_low(now: Situation) -> str:
    if max(now.scores) < LOW:
        return (
            "Change the method or its input before you mend single clusters: most of the pairs that it puts together "
            "are false, and most true pairs are missing."
        )
    return ""


def _few_cost_much(now: Situation) -> str:
    costs = now.costs
    if costs.share < MUCH or costs.clusters <= FEW:
        return ""
    acts = [(act, [now.say(one) for one in costs.worst if one.action == act]) for act in ("split", "join the parts of")]
    text = ", and ".join(f"{act} {join_names(names)}" for act, names in acts if names)
    return f"{text[0].upper()}{text[1:]} first: they cost {share_text(costs.share)} of the wrong pairs.{_cure(now)}"


def _merging(now: Situation) -> str:
    costs = now.costs
    if costs.false_pairs <= ONE_SIDED * costs.missing_pairs:
        return ""
    share = share_text(costs.false_pairs / costs.wrong)
    return (
        f"{_first(now, 'make the method stricter, so that it joins less')}: {share} of the wrong pairs are false, "
        f"together but apart in truth.{_cure(now)}"
    )


def _splitting(now: Situation) -> str:
    costs = now.costs
    if costs.missing_pairs <= ONE_SIDED * costs.false_pairs:
        return ""
    share = share_text(costs.missing_pairs / costs.wrong)
    return (
        f"{_first(now, 'make the method more generous, so that it joins more')}: {share} of the wrong pairs are "
        f"missing, apart but together in truth.{_cure(now)}"
    )


def _spread(now: Situation) -> str:
    return (
        f"{_first(now, 'work through the list of repairs', 'then')}: the errors are spread over {now.costs.clusters:,} "
        f"clusters, merged and split alike.{_cure(now)}"
    )


def _first(now: Situation, act: str, joined: str = "and") -> str:
    """Return what to do, after the repair of the cluster with most wrong pairs, if that mends enough of them."""
    worst = now.costs.worst[0]
    if worst.share < ENOUGH:
        return f"{act[0].upper()}{act[1:]}"
    first = f"{worst.action.capitalize()} {now.say(worst)} first ({share_text(worst.share)} of the wrong pairs)"
    return f"{first}, {joined} {act}"


def _cure(now: Situation) -> str:
    """Return how to change the method, by the causes of the more common kind of wrong pair."""
    kind = "false" if now.costs.false_pairs >= now.costs.missing_pairs else "missing"
    return "".join(f" {word_cause(one)}: {_word_cure(one)}." for one in now.causes if one.kind == kind)


def _word_cure(cause: Cause) -> str:
    if cause.kind == "false" and cause.state == "differs" and cause.right > RARE:
        often = f"in {share_text(cause.right)} of the pairs that are right"
        return f"give “{cause.column}” more weight, but no veto, since it differs {often} too"
    return _CURES[cause.kind, cause.state].format(cause.column)


RULES: tuple[Callable[[Situation], str], ...] = (
    _few_matches,
    _noise,
    _coverage,
    _identical,
    _no_pairs,
    _one_cluster,
    _all_alone,
    _both_low,
    _few_cost_much,
    _merging,
    _splitting,
    _spread,
)
"""Rules in order of priority; those on problems that invalidate the numbers come first."""


def word_cause(cause: Cause) -> str:
    """Describe a common cause of wrong pairs as the beginning of a sentence.

    >>> from clustermark.diagnosis.record_differences import Cause
    >>> word_cause(Cause("false", "city", "differs", "name", 3, 4, 0.0))
    'In 3 of the 4 false pairs on this page (75.0%) “name” is alike while “city” differs'
    """
    alike = f"“{cause.alike}” is alike while " if cause.alike else ""
    of_all = f"{quantity(cause.of, f'{cause.kind} pair')} on this page"
    pairs = f"{cause.pairs:,} of the {of_all} ({share_text(cause.pairs / cause.of)})"
    return f"In {pairs} {alike}“{cause.column}” {cause.state}"


def advise(
    table: Contingency, notices: tuple[Notice, ...] = (), say: Say = say_name, causes: Sequence[Cause] = ()
) -> str:
    """Return the next step by the first rule that applies; `say` returns the name of a cluster.

    causes: common causes of wrong pairs, as found in records by `find_causes`.
    """
    now = Situation(table, notices, not find("adjusted_rand").refusal(table), say, causes)
    return next(advice for rule in RULES if (advice := rule(now)))
