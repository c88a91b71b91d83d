"""The points that lie outside the best match of their cluster, one by one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, overload

import numpy as np

from clustermark._kernel import LONE
from clustermark.diagnosis.cluster_table import how_many
from clustermark.diagnosis.members import beside_cells, spread_records
from clustermark.diagnosis.scored_points import (
    DROPPED_POINT,
    UNKNOWN_CLUSTER,
    cluster_numbers_of,
    ids_of,
    times_of,
    weights_of,
)
from clustermark.errors import InputError, Mention
from clustermark.labels import read_pair
from clustermark.labels.labeling import Names
from clustermark.results.data import Column, Table
from clustermark.results.document import Grid, Head
from clustermark.results.rows import Rows
from clustermark.tables.clusters import check_side, counts_of, names_of, other

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from clustermark.diagnosis.members import Member
    from clustermark.diagnosis.scored_points import ScoredLabels
    from clustermark.results.data import Columns
    from clustermark.results.document import Prose
    from clustermark.tables.cells import CellTable
    from clustermark.tables.contingency import Contingency, Side

_SHOWN_ROWS = 20


class PointRow(NamedTuple):
    """A point, its two labels, and the best match of its cluster, which differs from its label on the other side."""

    point: Any
    """Its position in the given labels; its id if they are mappings, or Series with an index."""
    true: Any
    pred: Any
    best_match: Any
    """None if that is a point with a cluster of its own."""


class PointRecord(NamedTuple):
    """A point with its record, and another point of its cluster that lies in the best match, if there is one."""

    member: Member
    other: Member | None


class PointTable(Rows[PointRow]):
    """Points outside the best match of their cluster, in the order in which they were given."""

    __slots__ = ("_columns", "_records", "note", "on", "side", "total")

    KIND = "point_list"
    TITLE = "Points outside the best match"
    ID_COLUMNS = ("point", "beside")
    FACTS: ClassVar[Columns] = {
        "side": Column("name", choices=("true", "pred")),
        "total": Column("count", doc="how many such points there are"),
        "note": Column("text"),
    }
    COLUMNS: ClassVar[Columns] = {
        "point": Column("label"),
        "true": Column("label"),
        "pred": Column("label"),
        "best_match": Column("label"),
        "record": Column("any", sometimes=True),
        "beside": Column("any", sometimes=True, doc="a point of the cluster that lies in the best match"),
    }

    def __init__(
        self,
        columns: Mapping[str, list[Any]],
        side: Side,
        total: int | None = None,
        records: Sequence[PointRecord] | None = None,
        note: str = "",
        on: object = None,
    ) -> None:
        """Make the table from the columns `point`, `true`, `pred`, `best_match`; `total` counts all such points.

        records: the record of each point, if requested.
        note: note on missing records. on: the columns of the ids of points, as the settings of the table have them.
        """
        check_side(side)
        self._columns = {name: columns[name] for name in PointRow._fields}
        self._records = records
        self.note, self.on = note, on
        self.side: Side = side
        self.total = len(self) if total is None else total

    @classmethod
    def of(
        cls,
        table: Contingency,
        given: ScoredLabels,
        side: Side,
        k: int | None = None,
        list_beside: Callable[[NDArray[np.int64]], list[Member]] | None = None,
    ) -> PointTable:
        """Return the first k points of a table that lie outside the best match of their cluster on this side.

        given: the labels that the table was made of; a row that stands for several points is listed once.
        list_beside: function that lists points with their records, if requested.
        """
        check_side(side)
        true, pred = read_pair(given.y_true, given.y_pred)
        memory = table.to_memory()
        numbers = {"true": cluster_numbers_of(memory, "true", true), "pred": cluster_numbers_of(memory, "pred", pred)}
        mine, theirs = numbers[side], numbers[other(side)]
        outside = _outside(memory, side, mine, theirs, given)
        chosen = outside[: how_many(k)]
        columns = {
            "point": ids_of(given, chosen),
            "true": Names(true.values, true.codes[chosen]).to_list(),
            "pred": Names(pred.values, pred.codes[chosen]).to_list(),
            "best_match": _best_labels(memory, side, mine[chosen]),
        }
        if list_beside is None:
            return cls(columns, side, len(outside), on=table.settings.get("on"))
        beside = _find_beside(memory, side, mine, theirs)[mine[chosen]]
        places, at = np.unique(np.concatenate([chosen, beside[beside >= 0]]), return_inverse=True)
        listed = list_beside(places)
        members = iter([listed[place] for place in at[len(chosen) :].tolist()])
        records = [
            PointRecord(listed[place], next(members) if there else None)
            for place, there in zip(at[: len(chosen)].tolist(), (beside >= 0).tolist(), strict=True)
        ]
        return cls(columns, side, len(outside), records, on=table.settings.get("on"))

    def __len__(self) -> int:
        return len(self._columns["point"])

    @overload
    def __getitem__(self, place: int) -> PointRow: ...
    @overload
    def __getitem__(self, place: slice) -> PointTable: ...
    def __getitem__(self, place: int | slice) -> PointRow | PointTable:
        if isinstance(place, slice):
            columns = {name: values[place] for name, values in self._columns.items()}
            records = None if self._records is None else self._records[place]
            return PointTable(columns, self.side, self.total, records, self.note, self.on)
        return PointRow(*(values[place] for values in self._columns.values()))

    def __iter__(self) -> Iterator[PointRow]:
        return map(PointRow._make, zip(*self._columns.values(), strict=True))

    @property
    def records(self) -> tuple[PointRecord, ...]:
        """Each point with its record, and a point beside it; if records were requested."""
        if self._records is None:
            raise InputError(
                "these points have no records; ask for them by ", Mention("records"), " or ", Mention("show")
            )
        return tuple(self._records)

    def to_dict(self) -> dict[str, list[Any]]:
        """Return the columns as lists of plain Python values; with records also their columns and the point beside."""
        columns: dict[str, list[Any]] = {name: list(values) for name, values in self._columns.items()}
        if self._records is None:
            return columns
        columns["beside"] = [None if one.other is None else one.other.point for one in self._records]
        mine = [one.member.record for one in self._records]
        theirs = [None if one.other is None else one.other.record for one in self._records]
        return columns | spread_records({"": mine, "beside_": theirs}, columns)

    def rows(self) -> list[dict[str, Any]]:
        """Return the rows as dicts."""
        rows = [row._asdict() for row in self]
        for row, (member, beside) in zip(rows, self._records or (), strict=False):
            row |= {"record": member.record, "beside": beside and beside._asdict()}
        return rows

    @property
    def has_records(self) -> bool:
        """Whether records were requested."""
        return self._records is not None

    @property
    def headline(self) -> str:
        """The number of such points, as text."""
        cluster = "predicted" if self.side == "pred" else "true"
        one = self.total == 1
        head = f"{self.total:,} point{' lies' if one else 's lie'} outside the best match of "
        return f"{head}{'its' if one else 'their'} {cluster} cluster"

    def facts(self) -> dict[str, Any]:
        """Return the side and the number of points."""
        return {"side": self.side, "total": self.total, "note": self.note}

    def tables(self) -> dict[str, Table]:
        """Return the one table, "rows"."""
        return {"rows": Table(self.COLUMNS, self.rows(), self.total)}

    def grid(self) -> Grid:
        """Return the first points, with their records if requested."""
        heads = [Head(name.replace("_", " "), "label") for name in PointRow._fields]
        rows: list[list[Any]] = [list(row) for row in self[:_SHOWN_ROWS]]
        if self._records is not None:
            names, *cells = beside_cells(self._records[:_SHOWN_ROWS])
            heads += [Head(name) for name in names]
            rows = [[*row, *more] for row, more in zip(rows, cells, strict=True)]
        return Grid(heads, rows, self.TITLE, total=self.total)

    def remarks(self) -> list[Prose]:
        """Return a hint on the other side, and the note on missing records."""
        hint = (
            ["side='true' lists the points that splits put elsewhere"] if self.side == "pred" and not self.total else []
        )
        return [*hint, *([self.note] if self.note else [])]


def _outside(
    table: CellTable, side: Side, mine: NDArray[np.int64], theirs: NDArray[np.int64], given: ScoredLabels
) -> NDArray[np.int64]:
    """Positions of the points outside the best match of their cluster."""
    times, weights = times_of(given, len(mine)), weights_of(given, len(mine))
    occurs = (mine != DROPPED_POINT) & (theirs != DROPPED_POINT) & (times > 0) & (weights > 0)
    if (occurs & ((mine == UNKNOWN_CLUSTER) | (theirs == UNKNOWN_CLUSTER))).any():
        place = int(np.flatnonzero(occurs & ((mine == UNKNOWN_CLUSTER) | (theirs == UNKNOWN_CLUSTER)))[0])
        raise InputError(f"points: the labels at position {place} are not in the table; pass its own labels")
    listed = occurs & (mine >= 0)
    unscored = table.unscored_columns
    if side == "pred" and unscored is not None:
        listed &= ~np.append(unscored, [False])[np.maximum(mine, LONE)]
    best = np.append(counts_of(table, side).best, np.int32(LONE))[np.maximum(mine, LONE)]
    outside = listed & ((theirs != best) | (best == LONE))
    outside[_lone_matches(np.flatnonzero(listed & (theirs == LONE) & (best == LONE)), mine, times, weights)] = False
    return np.flatnonzero(outside)


def _find_beside(table: CellTable, side: Side, mine: NDArray[np.int64], theirs: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return for each cluster the place of one of its points in its best match; -1 if there is none with a label."""
    best = counts_of(table, side).best
    labelled = np.flatnonzero((mine >= 0) & (theirs >= 0))
    within = labelled[theirs[labelled] == best[mine[labelled]]]
    clusters, first = np.unique(mine[within], return_index=True)
    found = np.full(len(best), -1)
    found[clusters] = within[first]
    return found


def _lone_matches(
    among: NDArray[np.int64], mine: NDArray[np.int64], times: NDArray[np.int64], weights: NDArray[np.float64]
) -> NDArray[np.int64]:
    """Return, for each cluster with a lone point as its best match, that point: the first of the heaviest."""
    order = among[np.lexsort((among, -weights[among], mine[among]))]
    matches: NDArray[np.int64] = order[np.unique(mine[order], return_index=True)[1]]
    return np.asarray(matches[times[matches] == 1])


def _best_labels(table: CellTable, side: Side, mine: NDArray[np.int64]) -> list[Any]:
    best = counts_of(table, side).best[mine]
    labels = iter(names_of(table, other(side)).take(best[best >= 0].astype(np.int64)).to_list())
    return [next(labels) if known else None for known in (best >= 0).tolist()]
