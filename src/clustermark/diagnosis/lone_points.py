"""Which points they are that have a cluster of their own: the parts of an error that no label names."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain, repeat
from typing import TYPE_CHECKING

import numpy as np

from clustermark.diagnosis.error_list import ErrorList
from clustermark.diagnosis.point_table import Fates, ids_of, times_of, weights_of
from clustermark.labels import is_pandas_series, read_pair
from clustermark.labels.names import Names
from clustermark.tables.clusters import other
from clustermark.tables.policies import ALONE, KEPT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from clustermark.diagnosis.error_list import ErrorRow
    from clustermark.diagnosis.given import GivenLabels
    from clustermark.tables.policies import Policies


def has_lone_parts(errors: ErrorList) -> bool:
    """Whether a point with a cluster of its own is among the parts."""
    return any(part.lone for row in errors for part in row.parts)


def name_lone_parts(errors: ErrorList, policies: Policies, given: GivenLabels) -> ErrorList:
    """The same errors, with the ids of points that have a cluster of their own, if the labels given have ids."""
    if not isinstance(given.y_true, Mapping) and not any(map(is_pandas_series, given[:2])):
        return errors
    true, pred = read_pair(given.y_true, given.y_pred)
    fates = {"true": Fates.of(true, "true", policies), "pred": Fates.of(pred, "pred", policies)}
    mine, theirs = fates[errors.side], fates[other(errors.side)]
    times, weights = times_of(given, len(true.codes)), weights_of(given, len(true.codes))
    lone = (theirs.fates == ALONE)[theirs.places] & (times > 0) & (weights > 0)
    places = {label: place for place, label in mine.labels.find([row.cluster for row in errors])}

    def ids_within(row: ErrorRow) -> Iterator[Any]:
        if row.cluster not in places or mine.fates[places[row.cluster]] != KEPT:
            return iter(())  # the cluster of the missing labels
        points = np.flatnonzero(lone & (mine.places == places[row.cluster]))
        points = points[Names.of(ids_of(given, points)).sorted_order()]  # an engine gives them in any order
        points = points[np.argsort(-weights[points], kind="stable")]  # parts come the heaviest first, too
        return chain.from_iterable(map(repeat, ids_of(given, points), times[points].tolist()))

    return ErrorList((_name_parts(row, ids_within(row)) for row in errors), errors.side, errors.total)


def _name_parts(row: ErrorRow, ids: Iterator[Any]) -> ErrorRow:
    return row._replace(parts=tuple(part._replace(point=next(ids, None)) if part.lone else part for part in row.parts))
