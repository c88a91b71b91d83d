"""The clusters with most wrong pairs, and the clusters of their points on the other side."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain, repeat
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from clustermark import _kernel
from clustermark.diagnosis.cluster_table import how_many
from clustermark.diagnosis.members import MEMBERS, RecordTable, list_pairs, list_records, member_bodies
from clustermark.diagnosis.scored_points import Fates, ids_of, times_of, weights_of
from clustermark.errors import count
from clustermark.labels import is_pandas_series, read_pair
from clustermark.labels.labeling import Names
from clustermark.results.data import Column, Table
from clustermark.results.document import Cell, Grid, Head, Name
from clustermark.results.rows import Rows
from clustermark.results.values import count_text, short_label
from clustermark.tables.clusters import (
    cells_facing,
    check_side,
    counts_of,
    listed_clusters,
    met_cells,
    names_of,
    other,
    ranks_of,
)
from clustermark.tables.parts import Worst, keep_worst
from clustermark.tables.policies import ALONE, KEPT

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

    from clustermark.diagnosis.members import Members
    from clustermark.diagnosis.scored_points import ScoredLabels
    from clustermark.results.data import Columns
    from clustermark.results.document import Body, Prose
    from clustermark.tables.cells import CellTable
    from clustermark.tables.clusters import Met
    from clustermark.tables.contingency import Contingency, Side
    from clustermark.tables.policies import Policies


_MOST_PARTS = 10


class Part(NamedTuple):
    """The points that a cluster shares with one cluster of the other side, which has the size `size`.

    `cluster` is None for a point that has a cluster of its own there, and for the cluster of missing labels.
    """

    cluster: Any
    overlap: float
    size: float
    lone: bool = False
    """Whether it is a point with a cluster of its own, such as noise or an unmatched point."""
    point: Any = None
    """The id of that point, if points have ids: labels are mappings or Series, or were joined by id."""


class ErrorRow(NamedTuple):
    """A cluster that loses pairs, and the clusters of the other side that contain its points, largest overlap first."""

    cluster: Any
    size: float
    pairs_lost: float
    counterparts: int
    parts: tuple[Part, ...]
    """At most ten; `counterparts - len(parts)` are left out."""
    members: Members | None = None
    """Some of its points with their records, if records were requested."""


PART: Columns = {
    "cluster": Column("label"),
    "overlap": Column("amount"),
    "size": Column("amount"),
    "lone": Column("flag", doc="whether it is a point with a cluster of its own"),
    "point": Column("label", doc="the id of that point"),
}


class ErrorList(Rows[ErrorRow]):
    """The clusters of one side that lose most pairs, worst first; clusters that lose none are left out.

    Ties are ordered by size, the largest first, then by label.

    >>> from clustermark import crosstab
    >>> ErrorList.of(crosstab(["a", "a", "b", "b", "c", "c"], [0, 0, 1, 1, 1, 2]), "pred")
    1 predicted cluster merges points that are apart in truth
    cluster  points  pairs lost  true clusters  parts
    1             3           2              2  b (2 of 2), c (1 of 2)
    """

    __slots__ = ("note", "on", "side", "total")

    KIND = "error_list"
    TITLE = "Worst errors"
    ID_COLUMNS = ("point",)
    FACTS: ClassVar[Columns] = {
        "side": Column("name", choices=("true", "pred")),
        "total": Column("count", doc="how many clusters lose pairs"),
        "note": Column("text"),
    }
    COLUMNS: ClassVar[Columns] = {
        "cluster": Column("label"),
        "size": Column("amount"),
        "pairs_lost": Column("amount"),
        "counterparts": Column("count"),
        "parts": Column("rows", rows=PART, doc="the largest parts"),
        "members": Column("record", rows=MEMBERS, sometimes=True, doc="points with records, if records were asked for"),
    }

    def __init__(
        self, rows: Iterable[ErrorRow], side: Side, total: int | None = None, note: str = "", on: object = None
    ) -> None:
        """Make the list from its rows; `total` is the number of clusters that lose pairs, of which these are the worst.

        note: note on missing records. on: the columns of the ids of points, as the settings of the table have them.
        """
        check_side(side)
        super().__init__(rows)
        self.note, self.on = note, on
        self.side: Side = side
        self.total = len(self._rows) if total is None else total

    @classmethod
    def of(cls, table: Contingency, side: Side, k: int | None = 10) -> ErrorList:
        """Return the k worst clusters of one side of a table, without predicted ones with the policy "unscored"."""
        check_side(side)
        wanted = how_many(k)
        part = keep_worst(table.part(Worst(side, wanted)), side, wanted)
        counts, worst = counts_of(part, side), rank_by_loss(part, side)[:k]
        parts = _parts(part, side, worst)
        numbers = (counts.sizes[worst], counts.lost_pairs(worst), counts.counterparts[worst])
        columns = (counts.labels.take(worst).to_list(), *(array.tolist() for array in numbers), parts)
        return cls(
            (ErrorRow(*row) for row in zip(*columns, strict=True)),
            side,
            table.census(side).losing,
            on=table.settings.get("on"),
        )

    def with_members(self, members: Mapping[tuple[Side, Any], Members], note: str) -> ErrorList:
        """Return the same list with the members of each cluster."""
        rows = (row._replace(members=members.get((self.side, row.cluster))) for row in self)
        return ErrorList(rows, self.side, self.total, note, self.on)

    @property
    def has_records(self) -> bool:
        """Whether records were requested and any was found."""
        return any(row.members is not None for row in self)

    @property
    def records(self) -> RecordTable:
        """The points of these clusters with their records, one row each; if records were requested."""
        return list_records([(row.cluster, row.members) for row in self], self.on)

    @property
    def pairs(self) -> RecordTable:
        """Pairs of points that these clusters lose, with their records, one row each; if records were requested."""
        return list_pairs([(row.cluster, row.members) for row in self], self.on)

    def facts(self) -> dict[str, Any]:
        """Return the side and the number of clusters that lose pairs."""
        return {"side": self.side, "total": self.total, "note": self.note}

    def tables(self) -> dict[str, Table]:
        """Return the one table, "rows"; without members if no records were requested."""
        rows = [{name: value for name, value in row._asdict().items() if value is not None or name != "members"}
                for row in self]  # fmt: skip
        return {"rows": Table(self.COLUMNS, rows, self.total)}

    def to_dict(self) -> dict[str, list[Any]]:
        """Return the columns, with one row per part: the numbers of the cluster repeat."""
        names = ("cluster", "size", "pairs_lost", "counterparts", "part", "overlap", "part_size", "lone", "point")
        lines = [(*row[:4], *part) for row in self for part in row.parts]
        return {name: [line[place] for line in lines] for place, name in enumerate(names)}

    @property
    def headline(self) -> str:
        """The number of clusters that lose pairs, and of those listed."""
        one = self.total == 1
        what = f"{count(self.total, 'predicted cluster' if self.side == 'pred' else 'true cluster')} "
        if self.side == "pred":
            what += f"merge{'s' if one else ''} points that are apart in truth"
        else:
            what += f"{'is' if one else 'are'} split in the prediction"
        listed = f" {len(self):,}" if len(self) > 1 else ""
        return what + (f"; the worst{listed}:" if len(self) < self.total else "")

    def grid(self) -> Grid:
        """Return the clusters and their parts."""
        most = self[0].pairs_lost if len(self) else 0
        across = "true clusters" if self.side == "pred" else "predicted clusters"
        heads = [
            Head("cluster", "label"),
            Head("points", "amount"),
            Head("pairs lost", "amount"),
            Head(across, "count"),
            Head("parts"),
        ]
        rows = [
            [
                Name(row.cluster, self.side),
                row.size,
                Cell(row.pairs_lost, bar=row.pairs_lost / most),
                row.counterparts,
                _list_parts(row),
            ]
            for row in self
        ]
        return Grid(heads, rows, "Worst merges" if self.side == "pred" else "Worst splits")

    def remarks(self) -> list[Prose]:
        """Return the note on missing records."""
        return [self.note] if self.note else []

    def _bodies(self) -> list[Body]:
        grid, *notes = super()._bodies()
        members = (member_bodies(short_label(row.cluster), row.members, self.side) for row in self)
        return [grid, *(body for bodies in members for body in bodies), *notes]


def _list_parts(row: ErrorRow, limit: int = 5) -> str:
    """Return the largest parts by name, and the number of others."""
    named = [part for part in row.parts if not part.lone][:limit]
    others = [part for part in row.parts if part not in named]
    n = row.counterparts - len(named)
    texts = [f"{short_label(part.cluster)} ({count_text(part.overlap)} of {count_text(part.size)})" for part in named]
    if n and n == sum(part.lone for part in others):
        texts.append(f"{n:,} alone{lone_ids(others)}")
    elif n and all(part.overlap == 1 for part in others):  # and so in all others, which are no larger
        texts.append(f"and {n:,} of one point each{lone_ids(others)}")
    elif n:
        texts.append(f"and {n:,} more")
    return ", ".join(texts)


def lone_ids(parts: Iterable[Part], limit: int = 3) -> str:
    """Return the ids of points that have a cluster of their own, in brackets; empty if they are unknown."""
    ids = [short_label(part.point) for part in parts if part.point is not None]
    return f" ({', '.join(ids[:limit])}{', …' if len(ids) > limit else ''})" if ids else ""


def rank_by_loss(table: CellTable, side: Side) -> NDArray[np.int64]:
    """Return positions of the clusters that lose pairs: most lost first, ties by size, then in sorted order."""
    counts, chosen = counts_of(table, side), listed_clusters(table, side)
    lost = counts.lost_pairs(chosen)
    losing = np.asarray(lost > 0, np.bool_)
    chosen, lost = chosen[losing], lost[losing]
    by_size = np.argsort(-counts.sizes[chosen], kind="stable")
    chosen, lost = chosen[by_size], lost[by_size]
    return np.asarray(chosen[np.argsort(-lost, kind="stable")])


def largest_parts(table: CellTable, side: Side, clusters: NDArray[np.int64]) -> Met:
    """Return the largest cells of each of these clusters, ties in sorted order, those without a label last."""
    cells = cells_facing(table, side)
    met = _of_columns(met_cells(cells), clusters, cells.n_columns)
    others = names_of(table, other(side))
    rank = np.append(ranks_of(others), np.int32(len(others)))[met.rows]
    order = np.lexsort((rank, -met.n, met.columns))
    columns = met.columns[order]
    return met.at(order[np.arange(len(order)) - np.searchsorted(columns, columns) < _MOST_PARTS])


def _parts(table: CellTable, side: Side, worst: NDArray[np.int64]) -> list[tuple[Part, ...]]:
    """Return the largest parts of each of these clusters."""
    met, others = largest_parts(table, side, worst), names_of(table, other(side))
    sizes = _kernel.margins(cells_facing(table, side))[0]
    labels = iter(others.take(met.rows[met.rows >= 0].astype(np.int64)).to_list())
    parts: dict[int, list[Part]] = {int(column): [] for column in worst}
    for row, column, times, n, _ in zip(*(array.tolist() for array in met), strict=True):
        part = Part(next(labels), n, sizes[row].item()) if row >= 0 else Part(None, n, n, lone=True)
        parts[column] += [part] * min(times, _MOST_PARTS)
    return [tuple(parts[int(column)][:_MOST_PARTS]) for column in worst]


def _of_columns(met: Met, columns: NDArray[np.int64], n_columns: int) -> Met:
    wanted = np.zeros(n_columns, np.bool_)
    wanted[columns] = True
    return met.at(wanted[met.columns])


def has_lone_parts(errors: ErrorList) -> bool:
    """Return whether a point with a cluster of its own is among the parts."""
    return any(part.lone for row in errors for part in row.parts)


def name_lone_parts(errors: ErrorList, policies: Policies, given: ScoredLabels) -> ErrorList:
    """Return the same errors with the ids of points that have a cluster of their own, if the given labels have ids."""
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
        points = points[Names.of(ids_of(given, points)).sorted_order()]  # an engine returns them in any order
        points = points[np.argsort(-weights[points], kind="stable")]  # parts come the heaviest first, too
        return chain.from_iterable(map(repeat, ids_of(given, points), times[points].tolist()))

    return ErrorList((_name_parts(row, ids_within(row)) for row in errors), errors.side, errors.total, on=errors.on)


def _name_parts(row: ErrorRow, ids: Iterator[Any]) -> ErrorRow:
    return row._replace(parts=tuple(part._replace(point=next(ids, None)) if part.lone else part for part in row.parts))
