"""Methods of a scored table for scores by group of points, and its points with columns of their records."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clustermark.errors import ClustermarkError, InputError, Mention, require_flag, require_share

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from clustermark.diagnosis.confusions import Confusions
    from clustermark.diagnosis.groupings import GroupColumn
    from clustermark.diagnosis.quality import GroupTable, PointGroups
    from clustermark.diagnosis.scored_points import ScoredData, ScoredLabels
    from clustermark.diagnosis.subgroups import Subgroups
    from clustermark.tables.contingency import Contingency, Side


class RecordPoints(NamedTuple):
    """The points of a table, each with its record."""

    entries: PointGroups
    """One entry for each row of points, in their order."""
    rows: NDArray[np.int64]
    """The number of the true cluster of each row; negative if it has no label."""
    times: NDArray[np.int64]
    """Number of points of each row."""
    columns: list[GroupColumn]


def read_record_points(table: Contingency, given: ScoredLabels, columns: Mapping[str, Any], bins: int) -> RecordPoints:
    """Return the points of a table with these columns."""
    from clustermark.diagnosis.groupings import read_column
    from clustermark.diagnosis.quality import entries_of_points
    from clustermark.diagnosis.scored_points import place_points, times_of, weights_of

    if not columns:
        raise InputError(
            "columns: the records have no column beside labels and ids; pass others by ", Mention("records")
        )
    memory = table.to_memory()
    placed = place_points(memory, given)
    n = len(next(iter(columns.values())))
    counted = np.zeros(n, np.int64)
    counted[placed.kept] = placed.times
    read = [read_column(name, column, counted, bins) for name, column in columns.items()]
    entries = entries_of_points(memory, placed, weights_of(given, n)[placed.kept])
    kept = [column._replace(codes=column.codes[placed.kept]) for column in read]
    return RecordPoints(entries, placed.true, times_of(given, n)[placed.kept], kept)


def measure_columns(points: RecordPoints, level: float, *, simultaneous: bool = False) -> GroupTable:
    """Measure the groups formed by the columns together."""
    from clustermark.diagnosis.groupings import group_by
    from clustermark.diagnosis.quality import GroupTable, interval_notes, joint_value, measure
    from clustermark.uncertainty.simultaneous import level_of

    grouping = group_by(points.columns)
    known = points.rows >= 0
    wide = int(points.rows.max(initial=0)) + 1
    pairs = np.unique(grouping.codes[known] * wide + points.rows[known])
    clusters = np.bincount(pairs // wide, minlength=len(grouping.groups))
    np.add.at(clusters, grouping.codes[~known], points.times[~known])
    entries = points.entries._replace(groups=grouping.codes)
    value = joint_value(entries, len(grouping.groups), level) if simultaneous else None
    rows = measure(entries, grouping.groups, clusters.tolist(), level if value is None else level_of(value))
    notes = [*grouping.notes, *interval_notes(rows, level, value)]
    if not grouping.ascends:
        rows.sort(key=lambda row: -row.share_of_errors)
        notes.insert(0, "most errors first; values count as they are written: two spellings are two groups")
    return GroupTable(rows, grouping.by, level, notes, value)


def _as_columns(records: Any) -> Any:
    """Convert a list of records, each a mapping, to columns; return anything else unchanged."""
    if not isinstance(records, list | tuple) or not all(isinstance(one, Mapping) for one in records):
        return records
    names = dict.fromkeys(name for one in records for name in one)
    return {name: [one.get(name) for one in records] for name in names}


class GroupScores(ABC):
    """Mixin with scores by group of points, for a class with a table and its points."""

    @property
    @abstractmethod
    def table(self) -> Contingency:
        """The table that was scored."""

    @property
    @abstractmethod
    def _known_origin(self) -> ScoredData:
        """Origin of the table, from which its points are read."""

    def confusions(self, k: int | None = 10) -> Confusions:
        """Return the k pairs of true clusters whose points are together most often in the prediction.

        >>> from clustermark import evaluate
        >>> evaluate(["a", "a", "b", "b"], [1, 1, 1, 2]).confusions()
        1 pair of true clusters is confused most, of 2 false pairs in all
        true cluster  and  false pairs  share  together in
        a             b              2   100%  1 (2 with 1)
        """
        from clustermark.diagnosis.confusions import Confusions

        return Confusions.of(self.table, k)

    def by_size(self, side: Side = "true", *, level: float = 0.95, simultaneous: bool = False) -> GroupTable:
        """Measure the clustering for points of small and of large clusters: sizes 1, 2, 3–4, 5–8, doubling.

        side: whether points are grouped by the size of their true or of their predicted cluster.
        level: confidence level of the intervals, over connected components.
        simultaneous: whether all intervals hold at once at this level.

        >>> from clustermark import evaluate
        >>> evaluate([0, 0, 1, 1, 2], [0, 0, 1, 2, 2]).by_size()[1].b_cubed_recall
        0.75
        """
        from clustermark.diagnosis.quality import measure_sizes

        return measure_sizes(self.table, side, level, simultaneous=simultaneous)

    def by(
        self,
        columns: str | Sequence[str],
        *,
        records: Any = None,
        on: str | None = None,
        bins: int = 5,
        level: float = 0.95,
        simultaneous: bool = False,
    ) -> GroupTable:
        """Measure the clustering for the points of each group, such as those of one city, or of one city and year.

        columns: columns of the records; several form groups together.
        records: where the columns are: a data frame or a mapping from column to array in the order of the points; if
            points have ids, a data frame, a file, (connection, "table"), or a mapping from id to record. By default the
            sources that were evaluated.
        on: the column of ids in the records; by default the one that joined the sources, or "id".
        bins: a column with more than 12 different numbers is divided into this many bins of about equally many points;
            0 for no bins.
        level: confidence level of the intervals, over connected components.
        simultaneous: whether all intervals hold at once at this level, so that groups can be compared.

        >>> from clustermark import evaluate
        >>> scores = evaluate([0, 0, 1, 1], [0, 0, 1, 2])
        >>> [(row.group, row.b_cubed_f) for row in scores.by("city", records={"city": ["Ulm", "Ulm", "Graz", "Graz"]})]
        [('Graz', 0.6666666666666666), ('Ulm', 1.0)]
        """
        level = require_share("level", level, 0.95)
        points = self._record_points("by", columns, records, on, bins)
        return measure_columns(points, level, simultaneous=require_flag("simultaneous", simultaneous))

    def subgroups(
        self,
        by: str | Sequence[str] | None = None,
        *,
        records: Any = None,
        on: str | None = None,
        bins: int = 5,
        k: int = 5,
        seed: int = 0,
        level: float = 0.95,
    ) -> Subgroups:
        """Find groups that suffer more than the rest on one half of the clusters; confirm them on the other half.

        by: the columns to use, alone and in pairs; by default all columns of the records.
        records, on, bins: as in `by`.
        k: at most this many groups are found and then tested.
        seed: of the random division into halves.
        level: if no group suffers more than the rest, at most 1 - level of such searches confirm a group.
        """
        from clustermark.diagnosis.subgroups import find_subgroups

        points = self._record_points("subgroups", by, records, on, bins)
        return find_subgroups(points, k, seed, require_share("level", level, 0.95))

    def _groups_by(
        self, by: str | Sequence[str | Sequence[str]], records: Any
    ) -> tuple[list[GroupTable], Subgroups | None]:
        """Return the quality by each of these columns and the subgroups by them; nothing if no column is named."""
        asked = [by] if isinstance(by, str) else list(by)
        if not asked:
            return [], None
        groups = [self.by(columns, records=records) for columns in asked]
        names = list(dict.fromkeys(name for table in groups for name in table.by))
        return groups, self.subgroups(names, records=records)

    def _confirmed_subgroups(
        self, records: Any, show: str | Sequence[str] | None, most_points: int = 200_000
    ) -> Subgroups | None:
        """Return the subgroups by these columns if any is confirmed; None for more points than this."""
        if self.table.n_given > most_points:
            return None
        try:
            found = self.subgroups(show, records=_as_columns(records))
        except ClustermarkError:  # such as records without columns: groups were not requested
            return None
        return found if found.confirmed else None

    def _record_points(
        self, what: str, columns: str | Sequence[str] | None, records: Any, on: str | None, bins: int
    ) -> RecordPoints:
        from clustermark.diagnosis.groupings import check_bins
        from clustermark.diagnosis.quality import refuse_other_tables
        from clustermark.diagnosis.record_columns import read_wanted

        refuse_other_tables(self.table, what)
        given, found = self._known_origin.read_columns(read_wanted(records, columns, on, "by"))
        return read_record_points(self.table, given, found, check_bins(bins))
