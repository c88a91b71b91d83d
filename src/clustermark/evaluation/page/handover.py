"""CSV downloads of the repairs and of the records that they move."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from clustermark.diagnosis.members import RecordTable
from clustermark.errors import ClustermarkError
from clustermark.evaluation.page.elements import csv_bytes, joined, link_csv
from clustermark.results.html import Html, h

if TYPE_CHECKING:
    from clustermark.diagnosis.members import Member
    from clustermark.diagnosis.record_columns import RecordFinder
    from clustermark.diagnosis.repairs import Repairs


def offer_repairs(repairs: Repairs, finder: RecordFinder | None) -> Html:
    """Return links to the repairs as CSV and, if the page contains records, to the records that they move."""
    if not len(repairs):
        return Html()
    links = [link_csv("repairs", "Download the repairs as CSV", csv_bytes(list_repairs(repairs).to_dict()))]
    moved = None if finder is None else list_moved(repairs, finder)
    if moved is not None:
        text = f"Download the {len(moved):,} records that get another cluster as CSV"
        links.append(link_csv("records-to-move", text, csv_bytes(moved.to_dict())))
    return h("p", joined(" · ", links), class_="note download")


def list_repairs(repairs: Repairs) -> RecordTable:
    """Return the repairs in the wording of the page, each with its number."""
    columns: dict[str, list[Any]] = {
        "repair": list(range(1, len(repairs) + 1)),
        "to do": [one.sentence for one in repairs],
        "action": [one.sentence.partition(" ")[0] for one in repairs],
        "cluster": [one.cluster for one in repairs],
        "false pairs mended": [one.false_pairs for one in repairs],
        "missing pairs mended": [one.true_pairs for one in repairs],
        "records to move": [one.records for one in repairs],
        "share of wrong pairs mended after it": [one.mended for one in repairs],
    }
    scores = {f"{label} after it": [one.scores[label] for one in repairs] for label in repairs.before}
    return RecordTable(columns | scores)


def list_moved(
    repairs: Repairs, finder: RecordFinder, most_points: int = 1_000_000, most_moved: int = 20_000
) -> RecordTable | None:
    """Return the records that the repairs move, by id; None if there are no ids or too many records.

    most_points: with more points, rendering takes too long.
    """
    if finder.members.n > most_points or sum(one.records for one in repairs) > most_moved:
        return None
    try:
        mended = repairs.apply()
    except ClustermarkError:
        return None
    if not isinstance(mended, dict):
        return None
    before = finder.members.list_members(np.arange(finder.members.n), [None] * finder.members.n)
    by = _Movers(repairs)
    moved: list[tuple[Any, ...]] = [
        (one.point, one.pred, mended[one.point], by.name(one)) for one in before if mended[one.point] != one.pred
    ]
    names = ("record", "cluster", "new cluster", "repair")
    return RecordTable({name: [row[place] for row in moved] for place, name in enumerate(names)}, finder.on)


class _Movers:
    """The repairs that move a record out of its cluster or into another one."""

    def __init__(self, repairs: Repairs) -> None:
        numbered = [(one, place) for place, one in enumerate(repairs, 1)]
        self.splits = {one.cluster: place for one, place in numbered if one.side == "pred"}
        self.gathers = {one.cluster: place for one, place in numbered if one.side == "true"}

    def name(self, member: Member) -> str:
        """Return the numbers of the repairs that move a record; a split moves only records not moved before."""
        split, gather = self.splits.get(member.pred), self.gathers.get(member.true)
        if split is not None and gather is not None and gather < split:
            split = None
        return " and ".join(str(place) for place in (split, gather) if place is not None)
