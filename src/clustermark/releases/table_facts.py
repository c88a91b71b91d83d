"""The facts that results of a table share in JSON: its points, clusters, noise, notices and settings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clustermark.results.data import NOTICES, POINTS, SETTINGS, Column

if TYPE_CHECKING:
    from clustermark.evaluation.record import Record

TABLE_FACTS: dict[str, Column] = {
    "points": POINTS,
    "clusters": Column("any"),
    "noise": Column("any"),
    "notices": NOTICES,
    "settings": SETTINGS,
}


def table_facts(record: Record) -> dict[str, Any]:
    """Return the values of `TABLE_FACTS`."""
    return {
        "points": record.points,
        "clusters": record.clusters,
        "noise": record.noise,
        "notices": [notice._asdict() for notice in record.notices],
        "settings": record.settings,
    }
