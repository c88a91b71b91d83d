"""What an evaluation was made of: the labels from which points are told, and where their records lie.

Every evaluation has these, and few are asked for points: what answers is imported then.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from clustermark.errors import ClustermarkError, InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from clustermark.diagnosis.error_list import ErrorList
    from clustermark.diagnosis.point_table import PointTable
    from clustermark.diagnosis.record_columns import Sources, Wanted
    from clustermark.diagnosis.record_finder import RecordFinder
    from clustermark.tables.contingency import Contingency, Side

_READ_AGAIN = 5_000_000
"""Up to so many points, a list of errors looks up the ids of points that have a cluster of their own."""


class GivenLabels(NamedTuple):
    """The labels that a table was made of, as they were given."""

    y_true: Any
    y_pred: Any
    counts: Any = None
    weights: Any = None
    first: int = 0
    """The number of the first point, where points have no ids."""

    @classmethod
    def of(cls, read: Mapping[str, Any], first: int = 0) -> GivenLabels:
        """Those that were read of sources."""
        return cls(read["true"], read["pred"], read.get("counts"), read.get("weights"), first)


class GivenOrigin:
    """What an evaluation was made of, which knows its points and their records."""

    def __init__(
        self,
        table: Contingency,
        given: GivenLabels | Callable[[], GivenLabels] | None = None,
        sources: Sources | None = None,
    ) -> None:
        self.table = table
        self.given = given
        """The labels that the table was made of, or what reads them; None where nobody has them."""
        self.sources = sources
        """Where the labels lie, if that has other columns too."""

    def read_labels(self) -> GivenLabels:
        """The labels that the table was made of; those of a source are kept once they are read."""
        if self.given is None:
            raise InputError(
                "points: this evaluation was made from a table, which has no points; pass the labels it was made of, "
                "points(y_true, y_pred), or use evaluate(y_true, y_pred)"
            )
        if not isinstance(self.given, GivenLabels):
            self.given = self.refuse_others(self.given())
        return self.given

    def refuse_others(self, given: GivenLabels) -> GivenLabels:
        """The labels of a source that was scored, read again; it may be another by now."""
        from clustermark.diagnosis.point_table import are_of

        if not are_of(self.table, given):
            raise InputError(
                "the points are not those that were scored: the source has changed since; evaluate it again"
            )
        return given

    def find_records(
        self, records: Any, show: str | Sequence[str] | None, given: GivenLabels | None = None
    ) -> RecordFinder | None:
        """What finds records, if any were asked for; given: the labels, if they are not those of the evaluation."""
        if records is None and show is None:
            return None
        from clustermark.diagnosis.record_finder import RecordFinder

        if given is not None:
            return RecordFinder(self.table, lambda: given, None, records, show)
        return RecordFinder(self.table, self.read_labels, self.sources, records, show)

    def read_columns(self, wanted: Wanted) -> tuple[GivenLabels, dict[str, Any]]:
        """The labels of the points, and columns of their records in the same order."""
        from clustermark.diagnosis.record_columns import columns_beside, columns_of_points

        if wanted.records is not None or self.sources is None or self.sources.other is not None:
            given = self.read_labels()
            return given, columns_of_points(given, self.sources, wanted)
        given, found = columns_beside(self.sources, wanted)
        return self.refuse_others(given), found

    def list_errors(self, side: Side, k: int | None, records: Any, show: str | Sequence[str] | None) -> ErrorList:
        """The worst clusters of one side, with their points if records were asked for."""
        from clustermark.diagnosis.error_list import ErrorList

        finder = self.find_records(records, show)
        errors = self._name_parts(ErrorList.of(self.table, side, k))
        if finder is None:
            return errors
        members = finder.list_clusters({side: [row.cluster for row in errors]})
        return errors.with_members(members, finder.note)

    def _name_parts(self, errors: ErrorList) -> ErrorList:
        from clustermark.diagnosis.lone_points import has_lone_parts, name_lone_parts

        joined = self.given is not None and "on" in self.table.settings
        known = isinstance(self.given, GivenLabels) or joined
        if not known or self.table.n_given > _READ_AGAIN or not has_lone_parts(errors):
            return errors
        try:
            return name_lone_parts(errors, self.table.policies, self.read_labels())
        except ClustermarkError:  # a source that cannot be read twice: the list is right without the ids
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
        """The points outside the best match of their cluster; y_true, y_pred: their labels, if nobody has them yet."""
        from clustermark.diagnosis.point_table import PointTable

        if (y_true is None) != (y_pred is None):
            raise InputError("points: pass both y_true and y_pred, or neither")
        given = None if y_true is None else GivenLabels(y_true, y_pred)
        finder = self.find_records(records, show, given)
        if finder is None:
            return PointTable.of(self.table, self.read_labels() if given is None else given, side, k)
        found = PointTable.of(self.table, finder.members.given, side, k, finder.list_points)
        found.note = finder.note
        return found
