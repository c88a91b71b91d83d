"""The recommended next step as one sentence: the first rule below that applies to the numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from clustermark.diagnosis.costs import Costs, join_names, say_name
from clustermark.registry import find
from clustermark.results.values import quantity, share_text

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from clustermark.diagnosis.costs import Say
    from clustermark.diagnosis.members import PairKind
    from clustermark.diagnosis.record_differences import Cause, State
    from clustermark.evaluation.notices import Notice
    from clustermark.tables.contingency import Contingency

LOW = 0.5
"""If precision and recall of pairs are both below this, repairing single clusters is not worthwhile."""
FEW, MUCH = 3, 0.3
"""If at most this many clusters have this share of the wrong pairs, they are worth repairing one by one."""
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
    said = ", and ".join(f"{act} {join_names(names)}" for act, names in acts if names)
    return f"{said[0].upper()}{said[1:]} first: they cost {share_text(costs.share)} of the wrong pairs.{_cure(now)}"


def _merging(now: Situation) -> str:
    costs = now.costs
    if costs.false_pairs <= ONE_SIDED * costs.missing_pairs:
        return ""
    share = share_text(costs.false_pairs / costs.wrong)
    return (
        f"{_first(now)}, and make the method stricter, so that it joins less: {share} of the wrong pairs are false, "
        f"together but apart in truth.{_cure(now)}"
    )


def _splitting(now: Situation) -> str:
    costs = now.costs
    if costs.missing_pairs <= ONE_SIDED * costs.false_pairs:
        return ""
    share = share_text(costs.missing_pairs / costs.wrong)
    return (
        f"{_first(now)}, and make the method more generous, so that it joins more: {share} of the wrong pairs are "
        f"missing, apart but together in truth.{_cure(now)}"
    )


def _spread(now: Situation) -> str:
    return (
        f"{_first(now)}, then work through the list of repairs: the errors are spread over {now.costs.clusters:,} "
        f"clusters, merged and split alike.{_cure(now)}"
    )


def _first(now: Situation) -> str:
    """Return the repair of the cluster with most wrong pairs."""
    worst = now.costs.worst[0]
    return f"{worst.action.capitalize()} {now.say(worst)} first ({share_text(worst.share)} of the wrong pairs)"


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
    'In 3 of 4 false pairs (75.0%) “name” is alike while “city” differs'
    """
    alike = f"“{cause.alike}” is alike while " if cause.alike else ""
    pairs = f"{cause.pairs:,} of {quantity(cause.of, f'{cause.kind} pair')} ({share_text(cause.pairs / cause.of)})"
    return f"In {pairs} {alike}“{cause.column}” {cause.state}"


def advise(
    table: Contingency, notices: tuple[Notice, ...] = (), say: Say = say_name, causes: Sequence[Cause] = ()
) -> str:
    """Return the next step by the first rule that applies; `say` returns the name of a cluster.

    causes: common causes of wrong pairs, as found in records by `find_causes`.
    """
    now = Situation(table, notices, not find("adjusted_rand").refusal(table), say, causes)
    return next(said for rule in RULES if (said := rule(now)))
