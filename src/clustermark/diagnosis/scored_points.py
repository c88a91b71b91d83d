"""The data that was scored: labels and table, and the place of each point in the table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clustermark._kernel import ABSENT, LONE, encode_integers
from clustermark.errors import ClustermarkError, InputError
from clustermark.labels import is_pandas_series, read_counts, read_pair, read_weights
from clustermark.labels.labeling import Names, merge_names
from clustermark.tables.clusters import names_of
from clustermark.tables.policies import ALONE, KEPT, ONE_SIDED, fates_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from clustermark.diagnosis.error_list import ErrorList
    from clustermark.diagnosis.point_table import PointTable
    from clustermark.diagnosis.record_columns import RecordFinder, Sources, Wanted
    from clustermark.labels import Labeling
    from clustermark.tables.cells import CellTable
    from clustermark.tables.contingency import Contingency, Side
    from clustermark.tables.policies import Policies


_READ_AGAIN = 5_000_000
"""Most points for which a list of errors looks up the ids of points that have a cluster of their own."""


class ScoredLabels(NamedTuple):
    """The labels that a table was made of, as they were given."""

    y_true: Any
    y_pred: Any
    counts: Any = None
    weights: Any = None
    first: int = 0
    """The number of the first point, if points have no ids."""

    @classmethod
    def of(cls, read: Mapping[str, Any], first: int = 0) -> ScoredLabels:
        """Return the labels that were read from sources."""
        return cls(read["true"], read["pred"], read.get("counts"), read.get("weights"), first)


class ScoredData:
    """The data of an evaluation, with access to its points and their records."""

    def __init__(
        self,
        table: Contingency,
        given: ScoredLabels | Callable[[], ScoredLabels] | None = None,
        sources: Sources | None = None,
    ) -> None:
        self.table = table
        self.given = given
        """The labels of the table, or a function that reads them; None if they are not available."""
        self.sources = sources
        """The sources of the labels, if they have other columns too."""

    def read_labels(self) -> ScoredLabels:
        """Return the labels of the table; labels of a source are kept after the first reading."""
        if self.given is None:
            raise InputError(
                "points: this evaluation was made from a table, which has no points; pass the labels it was made of, "
                "points(y_true, y_pred), or use evaluate(y_true, y_pred)"
            )
        if not isinstance(self.given, ScoredLabels):
            self.given = self.refuse_others(self.given())
        return self.given

    def refuse_others(self, given: ScoredLabels) -> ScoredLabels:
        """Return labels that were read again, or raise if they are not those that were scored."""
        if not are_of(self.table, given):
            raise InputError(
                "the points are not those that were scored: the source has changed since; evaluate it again"
            )
        return given

    def find_records(
        self, records: Any, show: str | Sequence[str] | None, given: ScoredLabels | None = None
    ) -> RecordFinder | None:
        """Return a finder of records, or None if none were requested; `given` replaces the labels of the evaluation."""
        if records is None and show is None:
            return None
        from clustermark.diagnosis.record_columns import RecordFinder

        if given is not None:
            return RecordFinder(self.table, lambda: given, None, records, show)
        return RecordFinder(self.table, self.read_labels, self.sources, records, show)

    def read_columns(self, wanted: Wanted) -> tuple[ScoredLabels, dict[str, Any]]:
        """Return the labels of the points, and columns of their records in the same order."""
        from clustermark.diagnosis.record_columns import columns_beside, columns_of_points

        only_ids = self.sources is None or self.sources.source is None
        if self.sources is None or only_ids or wanted.records is not None or self.sources.other is not None:
            given = self.read_labels()
            return given, columns_of_points(given, self.sources, wanted)
        given, found = columns_beside(self.sources, wanted)
        return self.refuse_others(given), found

    def list_errors(self, side: Side, k: int | None, records: Any, show: str | Sequence[str] | None) -> ErrorList:
        """Return the worst clusters of one side, with their points if records were requested."""
        from clustermark.diagnosis.error_list import ErrorList

        finder = self.find_records(records, show)
        errors = self._name_parts(ErrorList.of(self.table, side, k))
        if finder is None:
            return errors
        members = finder.list_clusters({side: [row.cluster for row in errors]})
        return errors.with_members(members, finder.note)

    def _name_parts(self, errors: ErrorList) -> ErrorList:
        from clustermark.diagnosis.error_list import has_lone_parts, name_lone_parts

        joined = self.given is not None and "on" in self.table.settings
        known = isinstance(self.given, ScoredLabels) or joined
        if not known or self.table.n_given > _READ_AGAIN or not has_lone_parts(errors):
            return errors
        try:
            return name_lone_parts(errors, self.table.policies, self.read_labels())
        except ClustermarkError:  # a source that cannot be read twice: the list is correct without the ids
            return errors

    def list_points(
        self,
        y_true: Any,
        y_pred: Any,
        side: Side,
        k: int | None,
        records: Any,
        show: str | Sequence[str] | None,
    ) -> PointTable:
        """Return the points outside the best match of their cluster; y_true, y_pred: their labels, if not available."""
        from clustermark.diagnosis.point_table import PointTable

        if (y_true is None) != (y_pred is None):
            raise InputError("points: pass both y_true and y_pred, or neither")
        given = None if y_true is None else ScoredLabels(y_true, y_pred)
        finder = self.find_records(records, show, given)
        if finder is None:
            return PointTable.of(self.table, self.read_labels() if given is None else given, side, k)
        found = PointTable.of(self.table, finder.members.given, side, k, finder.list_points)
        found.note = finder.note
        return found


DROPPED_POINT = -3
"""In place of the number of a cluster: a policy leaves the point out of the table."""
UNKNOWN_CLUSTER = -4
"""In place of the number of a cluster: the table has no cluster with this label."""


class Fates(NamedTuple):
    """The treatment of the points of one side by the policies."""

    places: NDArray[np.int32]
    """For each point, the place of its label among `labels`."""
    labels: Names
    fates: NDArray[np.int8]
    """For each label, its treatment."""

    @classmethod
    def of(cls, labeling: Labeling, side: Side, policies: Policies) -> Fates:
        """Return the treatment of the labels of a side by the policies."""
        places, first = encode_integers(labeling.codes)
        labels = Names(labeling.values, labeling.codes[first])
        noise = policies.noise_true if side == "true" else policies.noise_pred
        return cls(places, labels, fates_of(labels, noise, policies))


class PlacedPoints(NamedTuple):
    """The points of a table, and their places in it."""

    kept: NDArray[np.int64]
    """Their positions among the given points."""
    true: NDArray[np.int64]
    """The number of each point's true cluster in the table, or LONE, or ABSENT."""
    pred: NDArray[np.int64]
    times: NDArray[np.int64]
    """Number of points of each row."""


def place_points(table: Contingency, given: ScoredLabels) -> PlacedPoints:
    """Return the places of points in the table that was made of them."""
    memory = table.to_memory()
    true, pred = read_pair(given.y_true, given.y_pred)
    rows, columns = cluster_numbers_of(memory, "true", true), cluster_numbers_of(memory, "pred", pred)
    times, weights = times_of(given, len(rows)), weights_of(given, len(rows))
    kept = np.flatnonzero((rows != DROPPED_POINT) & (columns != DROPPED_POINT) & (times > 0) & (weights > 0))
    return PlacedPoints(kept, rows[kept], columns[kept], times[kept])


def are_of(table: Contingency, given: ScoredLabels) -> bool:
    """Return whether a table consists of exactly these points."""
    placed, cells = place_points(table, given), table.to_memory().kernel_cells
    if (placed.true == UNKNOWN_CLUSTER).any() or (placed.pred == UNKNOWN_CLUSTER).any():
        return False
    mine, theirs = (
        _count(rows.astype(np.int64) * (cells.n_columns + 2) + columns, times)
        for rows, columns, times in (placed[1:], (cells.rows, cells.columns, cells.counts))
    )
    return all(map(np.array_equal, mine, theirs))


def _count(keys: NDArray[np.int64], times: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the distinct keys and the number of times that each occurs."""
    distinct, places = np.unique(keys, return_inverse=True)
    counts = np.zeros(len(distinct), np.int64)
    np.add.at(counts, places, times)
    return distinct, counts


def cluster_numbers_of(table: CellTable, side: Side, labeling: Labeling) -> NDArray[np.int64]:
    """Return the number of each point's cluster on one side, or LONE, ABSENT, DROPPED_POINT or UNKNOWN_CLUSTER."""
    place, labels, fates = Fates.of(labeling, side, table.policies)
    known = names_of(table, side)
    numbers = np.full(len(labels), DROPPED_POINT)
    kept = np.flatnonzero(fates == KEPT)
    places = merge_names(known, labels.take(kept))[1].astype(np.int64)
    numbers[kept] = np.where(places < len(known), places, UNKNOWN_CLUSTER)
    numbers[fates == ALONE] = LONE
    numbers[fates == ONE_SIDED] = ABSENT
    return np.asarray(numbers[place])


def times_of(given: ScoredLabels, n: int) -> NDArray[np.int64]:
    """Return the number of points of each row."""
    return np.ones(n, np.int64) if given.counts is None else read_counts(_in_order(given, given.counts), n)


def weights_of(given: ScoredLabels, n: int) -> NDArray[np.float64]:
    """Return the weight of each row."""
    return np.ones(n) if given.weights is None else read_weights(_in_order(given, given.weights), n)


def _in_order(given: ScoredLabels, numbers: Any) -> Any:
    return [numbers[item] for item in items_of(given)] if isinstance(given.y_true, Mapping) else numbers


def items_of(given: ScoredLabels) -> list[Any]:
    """Return the ids of two mappings in the order in which they are read."""
    return [*given.y_true, *(item for item in given.y_pred if item not in given.y_true)]


def ids_in_order(given: ScoredLabels) -> list[Any] | None:
    """Return the ids of all rows if labels are mappings; else None: rows are identified by position."""
    return items_of(given) if isinstance(given.y_true, Mapping) else None


def ids_of(given: ScoredLabels, chosen: NDArray[np.int64]) -> list[Any]:
    """Return the ids of the chosen rows, or their positions if they have none."""
    if isinstance(given.y_true, Mapping):
        items = items_of(given)
        return [items[place] for place in chosen.tolist()]
    for labels in (given.y_true, given.y_pred):
        if is_pandas_series(labels):
            return list(labels.index[chosen].tolist())
    return list((chosen + given.first).tolist())
