"""Points with their groups, for intervals over groups of points."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from clustermark.diagnosis.given import GivenLabels
from clustermark.diagnosis.point_table import place_points
from clustermark.errors import InputError
from clustermark.labels import read_labels
from clustermark.sources.crosstab import labels_of
from clustermark.uncertainty.samples import GroupedPoints

if TYPE_CHECKING:
    from clustermark.diagnosis.record_columns import Sources
    from clustermark.tables.contingency import Contingency


def group_points(table: Contingency, given: GivenLabels, groups: Any) -> GroupedPoints:
    """The points of a table with their groups: a list of one for each point, or a mapping from id."""
    ids = None
    if isinstance(given.y_true, Mapping):
        ids = [*given.y_true, *(item for item in given.y_pred if item not in given.y_true)]
        if not isinstance(groups, Mapping):
            raise InputError("unit: the labels are mappings from id to label, so pass the groups as a mapping from id")
        lacking = [item for item in ids if item not in groups]
        if lacking:
            raise InputError(f"unit: there is no group for {len(lacking)} id(s), the first is {lacking[0]!r}")
        groups = [groups[item] for item in ids]
    labels = read_labels(groups, "unit")
    placed = place_points(table, given)
    n_given = len(read_labels(given.y_true, "y_true")) if ids is None else len(ids)
    if len(labels) != n_given:
        raise InputError(f"unit: there are {len(labels)} groups for {n_given} points; pass the group of each point")
    codes = labels.codes[placed.kept]
    if labels.n_missing:
        raise InputError(f"unit: {labels.n_missing} point(s) have no group; give each point one")
    return GroupedPoints(placed.true, placed.pred, codes.astype("int64"), placed.times)


def labels_beside(sources: Sources, column: str) -> tuple[GivenLabels, Any]:
    """The labels of sources, and another column of them: one group for each point, or of two sources by id."""
    source, other = sources.source, sources.other
    named: Any = sources.named
    if other is not None:
        beside = named | {"true": column}
        return GivenLabels.of(labels_of(source, other, **named)), labels_of(source, other, **beside)["true"]
    from clustermark.sources.several import read_several_columns

    chosen = [named.pop("true"), named.pop("pred")]
    named.pop("on", None)
    read = read_several_columns(source, None, chosen, named, column)
    true, pred = (read.labels[name] for name in chosen)
    return GivenLabels(true, pred, read.counts, read.weights), read.labels[column]
