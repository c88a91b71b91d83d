"""The repairs to hand on: a CSV of the list, and one of the records that get another cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from clustermark.diagnosis.record_tables import RecordTable
from clustermark.errors import ClustermarkError
from clustermark.report.page.elements import link_csv, table_csv

if TYPE_CHECKING:
    from clustermark.diagnosis.record_finder import RecordFinder
    from clustermark.repairs import Repairs

_MOST_POINTS = 1_000_000
"""Of more points, labels one by one would keep the reader of a page waiting."""
_MOST_MOVED = 20_000


def offer_repairs(repairs: Repairs, finder: RecordFinder | None) -> str:
    """Links to the repairs as CSV and, where the page holds records, to the records that they move."""
    if not len(repairs):
        return ""
    links = [link_csv("repairs", "Download the repairs as CSV", table_csv(repairs))]
    moved = None if finder is None else list_moved(repairs, finder)
    if moved is not None:
        said = f"Download the {len(moved):,} records that get another cluster as CSV"
        links.append(link_csv("records-to-move", said, table_csv(moved)))
    return f'<p class="note download">{" · ".join(links)}</p>'


def list_moved(repairs: Repairs, finder: RecordFinder) -> RecordTable | None:
    """The records that get another cluster by all these repairs, by id; None where ids lack or records are too many."""
    if finder.members.n > _MOST_POINTS or sum(one.records for one in repairs) > _MOST_MOVED:
        return None
    try:
        mended = repairs.apply()
    except ClustermarkError:
        return None
    if not isinstance(mended, dict):
        return None
    before = finder.members.list_members(np.arange(finder.members.n), [None] * finder.members.n)
    moved: list[tuple[Any, Any, Any]] = [
        (one.point, one.pred, mended[one.point]) for one in before if mended[one.point] != one.pred
    ]
    names = ("record", "cluster", "new_cluster")
    return RecordTable({name: [row[place] for row in moved] for place, name in enumerate(names)})
