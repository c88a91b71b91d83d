"""Points with their groups, for intervals over groups of points."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from clustermark.diagnosis.given import GivenLabels
from clustermark.diagnosis.point_table import place_points
from clustermark.errors import InputError, Mention, UnsupportedTableError
from clustermark.labels import read_labels
from clustermark.sources.contingencies import labels_of
from clustermark.uncertainty.interval import GroupedPoints
from clustermark.uncertainty.points import IN_ENGINE

if TYPE_CHECKING:
    from collections.abc import Collection

    from clustermark.diagnosis.given import GivenOrigin
    from clustermark.diagnosis.record_columns import Sources
    from clustermark.labels import Labeling
    from clustermark.tables.contingency import Contingency


def _group_points(table: Contingency, given: GivenLabels, groups: Any) -> GroupedPoints:
    """The points of a table with their groups: a list of one for each point, or a mapping from id."""
    ids = None
    if isinstance(given.y_true, Mapping):
        ids = [*given.y_true, *(item for item in given.y_pred if item not in given.y_true)]
    placed = place_points(table, given)
    n_given = len(read_labels(given.y_true, "y_true")) if ids is None else len(ids)
    codes = read_unit(groups, ids, n_given).codes[placed.kept]
    return GroupedPoints(placed.true, placed.pred, codes.astype("int64"), placed.times)


def read_unit(groups: Any, ids: Collection[Any] | None, n: int) -> Labeling:
    """The group of each of n points; a mapping from id where they have ids."""
    if ids is not None:
        if not isinstance(groups, Mapping):
            raise InputError("unit: the labels are mappings from id to label, so pass the groups as a mapping from id")
        lacking = [item for item in ids if item not in groups]
        if lacking:
            raise InputError(f"unit: there is no group for {len(lacking)} id(s), the first is {lacking[0]!r}")
        groups = [groups[item] for item in ids]
    labels = read_labels(groups, "unit")
    if len(labels) != n:
        raise InputError(f"unit: there are {len(labels)} groups for {n} points; pass the group of each point")
    if labels.n_missing:
        raise InputError(f"unit: {labels.n_missing} point(s) have no group; give each point one")
    return labels


def read_groups(origin: GivenOrigin, unit: Any) -> GroupedPoints:
    """The points of an evaluation with their groups: one for each point, a mapping from id, or the name of a column."""
    if not origin.table.in_memory:
        raise UnsupportedTableError(f"groups of points: an interval over them {IN_ENGINE}")
    if not isinstance(unit, str):
        if origin.given is None:
            raise InputError("unit: groups of points need the points; use evaluate(y_true, y_pred)")
        return _group_points(origin.table, origin.read_labels(), unit)
    if origin.sources is None:
        raise InputError(
            Mention("unit", unit), " is unknown; choose 'point' or 'component', or pass the group of each point"
        )
    try:
        given, groups = _labels_beside(origin.sources, unit)
    except InputError as error:  # which speaks of the column as of one of labels
        said = (Mention("unit", *one.values) if isinstance(one, Mention) and one.name == "true" else one
                for one in error.args)  # fmt: skip
        raise InputError(*said) from error
    return _group_points(origin.table, origin.refuse_others(given), groups)


def _labels_beside(sources: Sources, column: str) -> tuple[GivenLabels, Any]:
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
