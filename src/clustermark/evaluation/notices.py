"""Notices on scores: labels that look like noise, noise labels that no point has, and points left out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from clustermark.errors import Mention, NoiseWarning, spell, warn_user
from clustermark.results.values import quantity, share_text
from clustermark.tables.policies import WHOSE, look_for_noise, quote_label, tell_unmet_noise

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from clustermark.tables.contingency import Contingency
    from clustermark.tables.policies import Whose


class Notice(NamedTuple):
    """A notice on the scores, in one sentence.

    Its kind is "noise" (a label looks like noise and counts as a cluster), "noise_type" (a label named as noise occurs
    with another type only, such as -1 for "-1"), "noise_absent" (no point has a label that was named as noise),
    "undefined" (scores of points that are 0/0), "few_matches" (two sources share few ids), "strangers" (the truth lacks
    points of the prediction, and they count as singletons), "left_out" (a labeling has no points that could be scored)
    or "coverage" (points were left out, so the scores do not cover them).
    """

    kind: str
    text: str

    def __str__(self) -> str:
        return self.text


def find_notices(table: Contingency, mention: Callable[[Mention], str] = str) -> tuple[Notice, ...]:
    """Return the notices on a table; `mention` spells the options in them, by default as in Python."""
    unmet = look_for_noise(table).unmet
    found: list[tuple[str, list[Any]]] = [
        *(("noise", parts) for parts in tell_like_noise(table)),
        *(("noise_type" if one.points else "noise_absent", tell_unmet_noise(one, table.policies)) for one in unmet),
        *(
            [("few_matches", [f"{few}; is the id the right one?"])]
            if (few := table.settings.get("few_matches"))
            else []
        ),
        *([("strangers", strangers)] if (strangers := _tell_strangers(table)) else []),
        *([("coverage", coverage)] if (coverage := _tell_coverage(table)) else []),
    ]
    return tuple(Notice(kind, spell(parts, mention)) for kind, parts in found)


def tell_like_noise(table: Contingency, whose: Whose = WHOSE) -> list[list[Any]]:
    """Return the parts of a message on each label that looks like noise and was not named as noise."""
    return [
        _tell_label(label, f"{quantity(n, 'point')} of {whose[side][0]} {'has' if n == 1 else 'have'}", whose[side][1])
        for side, label, n in look_for_noise(table).like
        if side in whose
    ]


def _tell_label(label: Any, points_have: str, option: str) -> list[Any]:
    return [
        f"{points_have} the label {quote_label(label)}, which looks like noise; it counts as one cluster. Choose ",
        *(Mention(option, {label: "singletons"}, {label: "drop"}), ", or ", Mention(option, {label: "cluster"})),
        " if it is one.",
    ]


def tell_many_like_noise(
    counts: Iterable[Mapping[Any, int]], option: str, one: str = "the labeling", many: str = "labelings"
) -> list[list[Any]]:
    """Return the parts of a message on each label that looks like noise in some of many labelings.

    counts: for each labeling, the number of points of each such label, as `count_like_noise` returns them.
    one, many: the name of the labeling if there is only one, and the noun for several.
    """
    by_label: dict[Any, list[int]] = {}
    every = list(counts)
    for own in every:
        for label, n in own.items():
            by_label.setdefault(label, []).append(n)
    parts = []
    for label, numbers in by_label.items():
        least, most = min(numbers), max(numbers)
        several = f"{least:,} points" if least == most else f"{least:,} to {most:,} points"
        whose = one if len(every) == 1 else f"{len(numbers):,} of the {len(every):,} {many}"
        points = f"{quantity(most, 'point') if len(numbers) == 1 else several} of {whose}"
        parts.append(_tell_label(label, f"{points} {'has' if most == 1 else 'have'}", option))
    return parts


def tell_cluster_like_noise(label: Any, n: int, whose: str, noun: str = "item") -> str:
    """Return a message on a label that looks like noise, where no option names noise: its points are to be left out."""
    have = f"{quantity(n, noun)} of {whose} {'has' if n == 1 else 'have'}"
    return (
        f"{have} the label {quote_label(label)}, which looks like noise; it counts as one cluster. Leave "
        f"{'it' if n == 1 else 'them'} out if it is none."
    )


EMPTY = "every point is noise or has no label, so there is nothing to score"
"""The reason to leave out a labeling whose points the policies drop."""


def tell_left_out(labelings: Iterable[str]) -> list[str]:
    """Return a message on each labeling that is left out because it has no points."""
    return [f"{name} is left out: {EMPTY}." for name in labelings]


def warn_of_noise(messages: Iterable[list[Any]]) -> None:
    """Warn of the messages of `tell_like_noise`, once per message if several tables have the same."""
    for parts in {spell(parts): parts for parts in messages}.values():
        warn_user(NoiseWarning(*parts))


def describe_share(table: Contingency) -> str:
    """Describe the share of the points that was scored; empty if the policies dropped none."""
    if not _reasons(table):
        return ""
    return f"{share_text(table.n_used / table.n_given)} of the points ({table.n_used:,} of {table.n_given:,})"


def _tell_strangers(table: Contingency) -> list[Any]:
    """Tell points that only the prediction has from those that only the truth has, where both become singletons."""
    account = table.account
    if not account.only_pred or table.policies.unmatched != "singletons":
        return []
    only_true = f"{account.only_true:,} of the truth {'is' if account.only_true == 1 else 'are'}"
    return [
        f"The truth lacks {quantity(account.only_pred, 'point')} of the prediction: each counts as a true cluster of "
        f"its own. {only_true} not in the prediction. If the truth should have all, look at their ids, or choose ",
        Mention("unmatched", "drop"),
        ".",
    ]


def _tell_coverage(table: Contingency) -> list[Any]:
    share = describe_share(table)
    if not share:
        return []
    parts: list[Any] = [f"Scored on {share}: {'; '.join(_reasons(table))}."]
    if table.account.n_without_true:
        parts += [" If the truth is a random sample, ", Mention("estimate()"), " gives the scores of all points."]
    return parts


def _reasons(table: Contingency) -> list[str]:
    """Return why points were dropped, and which scores are unknown as a result."""
    account, policies = table.account, table.policies
    reasons = []
    if n := account.n_without_true:
        reasons.append(f"the truth has no label for {n:,}, so precision on all points is unknown{_doubt(n, table)}")
    if n := account.n_without_pred:
        reasons.append(f"the prediction has no label for {n:,}, so recall on all points is unknown{_doubt(n, table)}")
    sides = ((account.noise_true, policies.noise_true), (account.noise_pred, policies.noise_pred))
    noise = sum(n for side, policy in sides for label, n in side.points.items() if policy[label] == "drop")
    return [*reasons, f"{noise:,} {'was' if noise == 1 else 'were'} dropped as noise"] if noise else reasons


_MANY = 0.05
"""Share of the points from which on their scores can differ much from those of the others."""


def _doubt(n: int, table: Contingency) -> str:
    """Return how far a score may be off that leaves n points out."""
    return ", and may be far lower" if n >= _MANY * table.n_given else ""
