"""Changes in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clustermark.releases.changed_clusters import KINDS
from clustermark.report.captions import score_text
from clustermark.report.text import quantity
from clustermark.results.text import align
from clustermark.results.values import share_text
from clustermark.tables.columnar import label_text, short_text

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from clustermark.releases.against_truth import AgainstTruth
    from clustermark.releases.before_after import Changes
    from clustermark.releases.changed_clusters import Count

UNKNOWN = "Better or worse: pass a truth, or have pairs of records judged."
_LONE = 3
"""So many records that one side lacks are named in a line."""


def headline(changes: Changes) -> str:
    """How many records were compared, and how many of them are affected."""
    records = changes.records
    said = f"{quantity(records['both'], 'record')} in both"
    if records["compared"] != records["both"]:
        said += f", {records['compared']:,} compared"
    weighted = " by weight" if changes.weighted else ""
    return f"{said}; {share_text(changes.affected_share)} affected{weighted}; distance {score_text(changes.distance)}"


def rates(changes: Changes) -> str:
    """How many clusters there are, and the two rates."""
    table = changes.table
    return (
        f"{quantity(table.n_true_clusters, 'cluster')} before, {table.n_pred_clusters:,} after; "
        f"split rate {score_text(changes.split_rate)}, merge rate {score_text(changes.merge_rate)}"
    )


def events(changes: Changes) -> str:
    """What happened to clusters, with the records concerned."""
    counts = changes.event_counts
    if counts is None:
        before = changes.kinds["before"]
        return f"clusters before: {list_counts(before)}; events are not known: {changes.no_events}"
    changed = {kind: count for kind, count in counts.items() if kind != "unchanged"}
    return f"events: {list_counts(changed)}" if any(count.number for count in changed.values()) else "nothing changed"


def list_counts(counts: Mapping[str, Count]) -> str:
    """So many of each kind, with their records; those of which there are some, splits first."""
    order = sorted(counts, key=lambda kind: (kind not in KINDS, kind == "regrouped", kind != "split"))
    said: list[str] = []
    for kind in order:
        count = counts[kind]
        if count.number:
            what = "records" if not said else ""
            records = "" if count.records is None else f" ({count.records:,}{f' {what}' if what else ''})"
            said.append(f"{count.number:,} {kind}{records}")
    return ", ".join(said) or "none"


def unmatched(changes: Changes, show: Callable[[Any], str] = label_text) -> str:
    """Records of one side only, counted and named; empty where there is none. show: how an id is written."""
    records = changes.records
    said: list[str] = []
    for number, side, ids in (
        (records["before_only"], "before", changes.before_only),
        (records["after_only"], "after", changes.after_only),
    ):
        if number:
            what = "" if said else f" record{'' if number == 1 else 's'}"
            said.append(f"{number:,}{what} {side} only{_name(number, [show(item) for item in ids])}")
    if not said:
        return ""
    fate = changes.table.policies.unmatched
    how = "each a cluster of its own" if fate == "singletons" else "left out of the rates"
    return f"{'; '.join(said)}; {how}"


def _name(number: int, ids: Sequence[str]) -> str:
    return f": {', '.join(ids[:_LONE])}{' …' if number > _LONE else ''}" if ids else ""


def notes(changes: Changes) -> list[str]:
    """What is to be known beside: records of one side, and whether the change was right."""
    lone = unmatched(changes)
    return [*([lone] if lone else []), *([UNKNOWN] if changes.truth is None else verdict(changes.truth))]


def verdict(truth: AgainstTruth) -> list[str]:
    """What the truth says, in sentences."""
    fates = {fate: count for fate, count in truth.fates.items() if count.number and fate != "same"}
    pairs = truth.pairs
    return [
        f"true clusters: {list_counts(fates)}; on {quantity(truth.records, 'record')} with a true label",
        f"pairs: right {short_text(pairs.true_gained)} joined, {short_text(pairs.false_lost)} parted; "
        f"wrong {short_text(pairs.false_gained)} joined, {short_text(pairs.true_lost)} parted",
    ]


def score_lines(truth: AgainstTruth) -> list[list[str]]:
    """The scores before and after as a table of texts; first its head."""
    level = f"{100 * truth.comparison.level:g} % interval"
    lines = [["index", "before", "after", "difference", level, "verdict"]]
    for row in truth.scores:
        known = row.low is not None and row.high is not None
        interval = f"[{row.low:+.4f}, {row.high:+.4f}]" if known else "–"
        scores = [score_text(row.before), score_text(row.after), f"{row.difference:+.4f}"]
        lines.append([row.label, *scores, interval, row.verdict])
    return lines


def score_notes(truth: AgainstTruth) -> list[str]:
    """What is to be known of intervals, each note with the indices that it is about."""
    by_note: dict[str, list[str]] = {}
    for row in truth.scores:
        for note in row.notes:
            by_note.setdefault(note, []).append(row.label)
    every = len(truth.scores)
    return [f"{'all' if len(names) == every > 1 else ', '.join(names)}: {note}" for note, names in by_note.items()]


def summary(changes: Changes) -> list[str]:
    """The first lines of every form."""
    return [headline(changes), rates(changes), events(changes), *notes(changes)]


def plain_text(changes: Changes) -> str:
    """The changes as lines of text."""
    lines = summary(changes)
    if changes.truth is not None:
        lines += [align(score_lines(changes.truth)), *score_notes(changes.truth)]
    if changes.slices is not None:
        lines.append(repr(changes.slices))
    return "\n".join(lines)
