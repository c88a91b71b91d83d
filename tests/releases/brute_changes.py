"""Changes of clusters by brute force: record by record, pair by pair, in fractions."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from typing import Any, NamedTuple


class Record(NamedTuple):
    id: Any
    before: Any
    after: Any
    weight: Fraction = Fraction(1)
    slice: Any = None
    truth: Any = None


def clusters(records, side):
    """Return the ids of each cluster, by its label."""
    found = defaultdict(set)
    for record in records:
        found[getattr(record, side)].add(record.id)
    return found


def impact(records, some=None):
    """Return split, merge, shrunk, grown, distance and affected, as means over some of the records."""
    some = records if some is None else some
    weight = {record.id: record.weight for record in records}
    before, after = clusters(records, "before"), clusters(records, "after")
    total = sum(record.weight for record in some)
    sums = dict.fromkeys(("split", "merge", "shrunk", "grown", "distance", "affected_share"), Fraction(0))
    affected = 0
    for record in some:
        mine, theirs = before[record.before], after[record.after]
        a, b, n, either = (sum(weight[i] for i in group) for group in (mine, theirs, mine & theirs, mine | theirs))
        w = record.weight
        sums["split"] += w * (1 - n / a)
        sums["merge"] += w * (1 - n / b)
        sums["distance"] += w * (1 - n / either)
        kept = w * (n - w) * abs(1 / b - 1 / a)
        sums["shrunk" if b < a else "grown"] += kept
        sums["affected_share"] += w * (mine != theirs)
        affected += mine != theirs
    return {name: value / total for name, value in sums.items()} | {"affected": affected}


def kinds(records, side):
    """Return the number of clusters of each kind on a side, and their records."""
    before, after = clusters(records, "before"), clusters(records, "after")
    mine, theirs = (before, after) if side == "before" else (after, before)
    inside, whole = ("merged", "split") if side == "before" else ("split", "merged")
    found = {kind: [0, 0] for kind in ("unchanged", "merged", "split", "regrouped")}
    for group in mine.values():
        met = [other for other in theirs.values() if other & group]
        if met == [group]:
            kind = "unchanged"
        elif len(met) == 1:
            kind = inside
        elif all(other <= group for other in met):
            kind = whole
        else:
            kind = "regrouped"
        found[kind][0] += 1
        found[kind][1] += len(group)
    return {kind: tuple(counts) for kind, counts in found.items()}


def events(records):
    """Return the connected components of clusters before and after: sets of ids, grown until nothing is added."""
    before, after = clusters(records, "before"), clusters(records, "after")
    left = {record.id for record in records}
    found = []
    while left:
        group = {left.pop()}
        while True:
            larger = group.union(*(c for c in (*before.values(), *after.values()) if c & group))
            if larger == group:
                break
            group = larger
        left -= group
        n_before = sum(1 for c in before.values() if c & group)
        n_after = sum(1 for c in after.values() if c & group)
        sizes = (n_before, n_after)
        kind = (
            "unchanged" if sizes == (1, 1) else "split" if sizes[0] == 1 else "merged" if sizes[1] == 1 else "regrouped"
        )
        found.append((kind, n_before, n_after, len(group)))
    return sorted(found)


def pairs(records):
    """Return the weights of pairs joined and parted: true gained, true lost, false lost, false gained."""
    found = dict.fromkeys(("true_gained", "true_lost", "false_lost", "false_gained"), Fraction(0))
    for place, one in enumerate(records):
        for other in records[:place]:
            was, is_now = one.before == other.before, one.after == other.after
            if was != is_now:
                what = "true" if one.truth == other.truth else "false"
                found[f"{what}_{'lost' if was else 'gained'}"] += one.weight * other.weight
    return found


def false_pairs(records, truth):
    """Return the weights of pairs of a record of this true cluster and one of another, together before and after."""
    pairs = [(one, other) for one in records for other in records if one.truth == truth != other.truth]
    return [
        sum(one.weight * other.weight for one, other in pairs if getattr(one, side) == getattr(other, side))
        for side in ("before", "after")
    ]


def true_clusters(records):
    """Return for each true cluster its fate, and the mean distances of its records from it before and after."""
    weight = {record.id: record.weight for record in records}
    found = {}
    for label, group in clusters(records, "truth").items():
        size = sum(weight[i] for i in group)
        far = []
        for side in ("before", "after"):
            there = clusters(records, side)
            mine = [r for r in records if r.id in group]
            total = Fraction(0)
            for record in mine:
                other = there[getattr(record, side)]
                shared = sum(weight[i] for i in other & group)
                total += record.weight * (1 - shared / sum(weight[i] for i in other | group))
            far.append(total / size)
        if far[0] == far[1]:
            fate = "same"
        elif 0 in far:
            fate = "mended" if far[1] == 0 else "broken"
        else:
            fate = "better" if far[1] < far[0] else "worse"
        found[label] = (fate, *far)
    return found
