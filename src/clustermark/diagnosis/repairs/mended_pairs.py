"""The points that repairs are about, with their records, and the pairs that each mends after those before it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clustermark.diagnosis.members import MOST_PAIRS, Cluster, Members, PairKind, RecordPair

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from clustermark.diagnosis.record_finder import RecordFinder
    from clustermark.diagnosis.repairs.repair_list import Repair
    from clustermark.tables.contingency import Side


def list_members(repairs: Sequence[Repair], finder: RecordFinder) -> tuple[Repair, ...]:
    """The repairs with the members of their clusters; one of a lone record, which no label names, has none."""
    found: dict[Any, tuple[Side, Cluster]] = {}
    clusters: Mapping[Side, Mapping[Any, Cluster]] = {
        side: finder.members.find(side, [one.cluster for one in repairs if one.side == side])
        for side in ("true", "pred")
    }
    gathered: list[Any] = []
    for place, one in enumerate(repairs):
        if one.cluster in clusters[one.side]:
            cluster = clusters[one.side][one.cluster]
            if one.side == "pred":
                cluster = finder.members.leave_out(cluster, "pred", gathered)
            found[place] = one.side, cluster
        gathered += [one.cluster] if one.side == "true" else []
    listed = finder.list_members(found)
    listed |= _list_neighbours(repairs, listed, finder)
    return tuple(_with_members(repairs, place, listed) for place in range(len(repairs)))


def _list_neighbours(
    repairs: Sequence[Repair], listed: Mapping[Any, Members], finder: RecordFinder
) -> dict[Any, Members]:
    """The predicted clusters from which gathers take records that were wrongly beside others, each under its label."""
    labels = {
        member.pred
        for place, one in enumerate(repairs)
        if one.side == "true" and one.false_pairs and place in listed
        for member in listed[place].shown
    }
    return {("pred", label): members for (_, label), members in finder.list_clusters({"pred": labels}).items()}


def _with_members(repairs: Sequence[Repair], place: int, listed: Mapping[Any, Members]) -> Repair:
    one = repairs[place]
    if place not in listed:
        return one
    members = listed[place]
    missing, false = list(members.pairs), list(_false_pairs(repairs, place, listed))
    if one.side == "pred":
        missing, false = [], missing
    room = MOST_PAIRS - min(len(false), MOST_PAIRS // 2)
    pairs = [*missing[:room], *false][:MOST_PAIRS]
    counts: dict[PairKind, float] = {"missing": one.true_pairs, "false": one.false_pairs}
    return one._replace(members=members._replace(pairs=tuple(pairs), n_pairs=counts))


def _false_pairs(repairs: Sequence[Repair], place: int, listed: Mapping[Any, Members]) -> Iterator[RecordPair]:
    """Pairs of a record that a gather takes out and of one that stays, and that no repair before has parted."""
    one, before = repairs[place], repairs[:place]
    if one.side == "pred" or not one.false_pairs:
        return
    split = {earlier.cluster for earlier in before if earlier.side == "pred"}
    gathered = {earlier.cluster for earlier in before if earlier.side == "true"} | {one.cluster}
    for member in listed[place].shown:
        if member.pred not in split:
            beside = listed.get(("pred", member.pred))
            for other in () if beside is None else beside.shown:
                if other.true not in gathered:
                    yield RecordPair("false", member, other)
