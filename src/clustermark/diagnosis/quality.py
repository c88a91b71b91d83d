"""The quality of a clustering for the points of each group, such as those of clusters of one size."""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from clustermark import _kernel
from clustermark._kernel import LONE
from clustermark.diagnosis.overlap_map import size_histogram
from clustermark.errors import Mention, UnsupportedTableError, require_flag, require_share
from clustermark.results.data import Column
from clustermark.results.document import Cell, Grid, Head
from clustermark.results.rows import Rows
from clustermark.results.values import label_text
from clustermark.tables.clusters import check_side
from clustermark.uncertainty.limits import limits
from clustermark.uncertainty.refusals import FEWEST_GROUPS
from clustermark.uncertainty.samples import find_components
from clustermark.uncertainty.simultaneous import MOST_CORRELATED, critical_value, independent_value, level_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from clustermark.diagnosis.scored_points import PlacedPoints
    from clustermark.results.data import Columns
    from clustermark.results.document import Prose
    from clustermark.tables.cells import CellTable
    from clustermark.tables.contingency import Contingency, Side

_SHOWN_ROWS = 20
_SMALL = 1 << 62


class Quality(NamedTuple):
    """The quality of the clustering for the points of one group, measured against the whole clustering.

    The partners of a point are the other points of its cluster, of any group. With weights, a point counts by its
    weight, and two points by the product of theirs.
    """

    group: Any
    """A size, a value of the column, or a tuple of values of several columns; None if there is no value."""
    points: float
    clusters: int
    """Number of clusters with a point in the group: true ones, or those of the side whose sizes form the groups."""
    pair_precision: float | None
    """Share of the predicted partners of its points that are true partners; None without partners."""
    pair_recall: float | None
    """Share of the true partners of its points that are predicted partners; None without partners."""
    b_cubed_precision: float
    """Mean over its points of the share of their predicted cluster that is of their true cluster."""
    b_cubed_recall: float
    """Mean over its points of the share of their true cluster that is in their predicted cluster."""
    b_cubed_f: float
    """Harmonic mean of the two."""
    low: float | None
    """Lower end of the interval of `b_cubed_f` over connected components; None if it has none."""
    high: float | None
    share_of_points: float
    share_of_errors: float
    """Share of all wrong partners, which are predicted but not true or true but not predicted."""


class PointGroups(NamedTuple):
    """Points that agree in group, cell and component; the terms of sums over groups."""

    groups: NDArray[np.int64]
    mass: NDArray[Any]
    """Their number, or the sum of their weights."""
    squares: NDArray[Any]
    """The sum of the squares of their weights; their number without weights."""
    n: NDArray[Any]
    """The size of their cell; `a` and `b` are the sizes of their true and predicted clusters."""
    a: NDArray[Any]
    b: NDArray[Any]
    components: NDArray[np.int64] | None = None
    """None if they are unknown, which precludes intervals."""

    def exact(self) -> PointGroups:
        """Return the same with Python integers if a computer word could not hold the partners of all points."""
        if self.mass.dtype.kind == "f" or not len(self.mass):
            return self
        if float(self.mass.sum(dtype=float)) * max(float(self.a.max()), float(self.b.max())) < _SMALL:
            return self
        mass, squares, n, a, b = (array.astype(object) for array in self[1:6] if array is not None)
        return PointGroups(self.groups, mass, squares, n, a, b, self.components)


class GroupTable(Rows[Quality]):
    """The quality of each group. Sizes and binned numbers ascend; other groups come with most errors first."""

    __slots__ = ("by", "critical_value", "level", "notes")

    KIND = "group_table"
    TITLE = "Quality by group"
    FACTS: ClassVar[Columns] = {
        "by": Column("texts", doc="what the groups are made by"),
        "level": Column("share", doc="the level of the intervals"),
        "simultaneous": Column("flag", doc="whether all intervals hold at once at this level"),
        "critical_value": Column("number", optional=True, doc="the number of standard errors of such intervals"),
        "notes": Column("texts"),
    }
    COLUMNS: ClassVar[Columns] = {
        "group": Column("label", doc="a size or a value; of several columns an array of values"),
        "points": Column("amount"),
        "clusters": Column("count"),
        "pair_precision": Column("score", optional=True),
        "pair_recall": Column("score", optional=True),
        "b_cubed_precision": Column("score"),
        "b_cubed_recall": Column("score"),
        "b_cubed_f": Column("score"),
        "low": Column("score", optional=True),
        "high": Column("score", optional=True),
        "share_of_points": Column("share"),
        "share_of_errors": Column("share"),
    }

    def __init__(
        self,
        rows: Sequence[Quality],
        by: Sequence[str],
        level: float,
        notes: Sequence[str] = (),
        critical_value: float | None = None,
    ) -> None:
        super().__init__(rows)
        self.by = tuple(by)
        """The columns that form the groups, or "size of the true cluster"."""
        self.level = level
        """Confidence level of the intervals."""
        self.critical_value = critical_value
        """Number of standard errors of intervals that hold all at once; None if each holds for itself."""
        self.notes = tuple(notes)
        """Notes on the bins of numbers, and on missing intervals."""

    def to_dict(self) -> dict[str, list[Any]]:
        """Return the columns as lists of plain Python values; groups of several columns have a column for each."""
        names = list(self.by) if len(self.by) > 1 else ["group"]
        groups = [row.group if len(self.by) > 1 else (row.group,) for row in self._rows]
        found = {name: [group[place] for group in groups] for place, name in enumerate(names)}
        fields = Quality._fields[1:]
        # a column of the records may have the name of a column of the table, and comes first
        return found | {
            f"{name}_" if name in found else name: [row[place] for row in self._rows]
            for place, name in enumerate(fields, 1)
        }

    def facts(self) -> dict[str, Any]:
        """Return what the groups are made by, the level, and the notes."""
        together = {"simultaneous": self.critical_value is not None, "critical_value": self.critical_value}
        return {"by": list(self.by), "level": self.level, **together, "notes": list(self.notes)}

    @property
    def headline(self) -> str:
        """The kind of the groups and their number."""
        return f"Quality by {' and '.join(self.by)}: {len(self):,} group{'' if len(self) == 1 else 's'}"

    def grid(self) -> Grid:
        """Return the groups, each with the interval of its B-cubed F."""
        heads = [
            Head("group"),
            Head("points", "amount"),
            Head("clusters", "count"),
            Head("pair precision", "score"),
            Head("recall", "score"),
            Head("B³ F", "score"),
            Head("share of points", "share"),
            Head("share of errors", "share"),
        ]
        rows = [
            [
                group_text(row.group),
                row.points,
                row.clusters,
                *(Cell(score, bar=score) for score in (row.pair_precision, row.pair_recall)),
                Cell(row.b_cubed_f, row.low, row.high, bar=row.b_cubed_f),
                *(Cell(share, bar=share) for share in (row.share_of_points, row.share_of_errors)),
            ]
            for row in self
        ]
        return Grid(heads, rows, self.TITLE)

    def remarks(self) -> Sequence[Prose]:
        """Return the notes."""
        return self.notes


def group_text(group: Any) -> str:
    """Return the name of a group; for several columns, their values."""
    return ", ".join(map(label_text, group)) if isinstance(group, tuple) else label_text(group)


def share_or_dash(share: float | None) -> str:
    """Format a share with four digits; a dash if it is None."""
    return "–" if share is None else f"{share:.4f}"


def refuse_other_tables(table: Contingency, what: str) -> None:
    """Refuse tables on which the quality of a point is not defined."""
    if table.unscored:
        raise UnsupportedTableError(
            f'{what}: noise that is "unscored" has no result; choose singletons, drop or cluster by ',
            Mention("noise_pred"),
        )
    if table.one_sided:
        raise UnsupportedTableError(
            f"{what}: the partners of an unmatched item are not defined; choose ",
            Mention("unmatched", "drop", "singletons"),
        )


def measure_sizes(table: Contingency, side: Side, level: float, *, simultaneous: bool = False) -> GroupTable:
    """Measure the quality by the size (or weight) of the clusters of one side: 1, 2, 3–4, 5–8, doubling.

    Of cells in an engine, only a tally is fetched, and there are no intervals.
    """
    check_side(side)
    require_share("level", level, 0.95)
    require_flag("simultaneous", simultaneous)
    refuse_other_tables(table, "by_size")
    entries = _entries_in_memory(table.to_memory()) if table.in_memory else _entries_of_tally(table)
    known, places = np.unique(_doublings(entries.a if side == "true" else entries.b), return_inverse=True)
    sizes, times = map(np.array, zip(*size_histogram(table, side), strict=True))
    bins = _doublings(sizes)
    clusters = [int(times[bins == code].sum()) for code in known.tolist()]
    names = [_size_text(code, whole=table.weights is None) for code in known.tolist()]
    entries = entries._replace(groups=places.astype(np.int64))
    value = joint_value(entries, len(names), level) if simultaneous else None
    rows = measure(entries, names, clusters, level if value is None else level_of(value))
    notes = interval_notes(rows, level, value) if table.in_memory else ["no intervals: the cells lie in an engine"]
    by = f"size of the {'predicted' if side == 'pred' else 'true'} cluster"
    return GroupTable(rows, [by], level, notes, value)


def _doublings(sizes: NDArray[Any]) -> NDArray[np.int64]:
    """Return the exponents of the next powers of two, rounding up: 0 for 1, 1 for 2, 2 for 3 and 4, ….

    >>> _doublings(np.array([1, 2, 3, 4, 5, 2**62 + 1])).tolist(), _doublings(np.array([0.3, 1.5])).tolist()
    ([0, 1, 2, 2, 3, 63], [-1, 1])
    """
    if sizes.dtype.kind == "f":
        return np.searchsorted(2.0 ** np.arange(-150, 150), sizes) - 150
    return np.searchsorted(np.int64(1) << np.arange(63), sizes)


def _size_text(code: int, *, whole: bool) -> str:
    """Return the text of the sizes of a bin.

    >>> [_size_text(code, whole=True) for code in (0, 1, 2, 11)], _size_text(-1, whole=False)
    (['1', '2', '3–4', '1,025–2,048'], 'over 0.25 to 0.5')
    """
    if not whole:
        return f"over {2.0 ** (code - 1):.4g} to {2.0**code:.4g}"
    return f"{2**code:,}" if code < 2 else f"{2 ** (code - 1) + 1:,}–{2**code:,}"


def _entries_of_tally(table: Contingency) -> PointGroups:
    """Return points by their cells, which are counted by the engine."""
    tally = table.sized_cells()
    mass = tally.n * tally.times
    return PointGroups(np.zeros(len(mass), np.int64), mass, mass, tally.n, tally.a, tally.b).exact()


def _entries_in_memory(table: CellTable) -> PointGroups:
    """Return points by their cells."""
    cells, components = table.kernel_cells, find_components(table)
    lone = (cells.rows == LONE) | (cells.columns == LONE)
    mass = cells.counts if cells.weights is None else cells.weights
    own = np.where(lone, mass / cells.counts if cells.weights is not None else 1, mass)
    squares = mass
    if cells.weights is not None and cells.pairs is not None:
        squares = np.where(lone, mass * own, np.maximum(mass * mass - 2 * cells.pairs, 0.0))
    a, b = _sizes_at(table, cells.rows, cells.columns, own)
    found = PointGroups(np.zeros(len(mass), np.int64), mass, squares, own, a, b, components.of)
    return _one_by_one(found, components.multiplicity).exact()


def _sizes_at(table: CellTable, rows: Any, columns: Any, own: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the sizes of true and predicted clusters; the cluster of a lone point has the size of the point."""
    sizes = (np.append(margin, margin.dtype.type(0)) for margin in _kernel.margins(table.kernel_cells))
    a, b = (np.where(places >= 0, side[places], own) for side, places in zip(sizes, (rows, columns), strict=True))
    return a, b


def entries_of_points(table: CellTable, placed: PlacedPoints, weights: NDArray[np.float64]) -> PointGroups:
    """Return points one by one, without groups; `weights` are used if the table has weights."""
    cells, components = table.kernel_cells, find_components(table)
    wide = cells.n_columns + 2
    keys = (cells.rows.astype(np.int64) + 2) * wide + cells.columns
    order = np.argsort(keys, kind="stable")
    entry = order[np.searchsorted(keys[order], (placed.true + 2) * wide + placed.pred)]
    times = placed.times
    own = np.ones(len(times), np.int64) if cells.weights is None else weights
    whole = cells.counts if cells.weights is None else cells.weights
    lone = (placed.true == LONE) | (placed.pred == LONE)
    mass = times * own
    a, b = _sizes_at(table, placed.true, placed.pred, own)
    n = np.where(lone, own, whole[entry])
    found = PointGroups(np.zeros(len(times), np.int64), mass, mass * own, n, a, b, components.of[entry])
    return _one_by_one(found, components.multiplicity).exact()


def _one_by_one(entries: PointGroups, multiplicity: NDArray[np.int64]) -> PointGroups:
    """Make each entry of points that are alone on both sides a component.

    Such points have no errors. Several in one entry count as one component, which makes intervals a little wider.
    """
    several = multiplicity > 1
    if entries.components is None or not several.any():
        return entries
    alone = np.flatnonzero(several[entries.components])
    components = entries.components.copy()
    components[alone] = len(multiplicity) + np.arange(len(alone))
    return entries._replace(components=components)


def measure(entries: PointGroups, names: Sequence[Any], clusters: Sequence[int], level: float) -> list[Quality]:
    """Measure the quality of each group, in order of their numbers."""
    k = len(names)

    def add(values: NDArray[Any]) -> list[Any]:
        sums = np.zeros(k, values.dtype)
        np.add.at(sums, entries.groups, values)
        return list(sums.tolist())

    mass, squares, n, a, b = entries[1:6]
    hits, predicted, true = (add(mass * size - squares) for size in (n, b, a))
    if mass.dtype.kind == "f":  # a sum of weights may fall short of a part of it in its last bits
        hits, predicted, true = ([max(0.0, one) for one in sums] for sums in (hits, predicted, true))
    points = add(mass)
    shares = [(mass * n / size).astype(np.float64) for size in (b, a)]
    precisions, recalls = ([one / m for one, m in zip(add(share), points, strict=True)] for share in shares)
    wrong = [max(0, p + t - 2 * h) for h, p, t in zip(hits, predicted, true, strict=True)]
    spans = _intervals(entries, shares, (precisions, recalls, points), level)
    in_all, errors = sum(points), sum(wrong)
    return [
        Quality(
            names[g], points[g], clusters[g],
            hits[g] / predicted[g] if predicted[g] else None,
            hits[g] / true[g] if true[g] else None,
            precisions[g], recalls[g], _harmonic(precisions[g], recalls[g]), *spans[g],
            points[g] / in_all, wrong[g] / errors if errors else 0.0,
        )
        for g in range(k)
    ]  # fmt: skip


def _harmonic(precision: float, recall: float) -> float:
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


class _Parts(NamedTuple):
    """The parts of components in the errors of the B-cubed F of groups, by the delta method."""

    groups: NDArray[np.int64]
    """The group of each part."""
    components: NDArray[np.int64]
    parts: NDArray[Any]
    counts: NDArray[np.int64]
    """Number of components of each group."""
    squares: NDArray[Any]
    """Σ of the squares of the parts of each group."""
    enough: NDArray[np.bool_]
    """Whether a group has an interval."""


def joint_value(entries: PointGroups, groups: int, level: float) -> float | None:
    """Return the number of standard errors of intervals of groups that all hold at once; None without components.

    Groups that share components vary together; others are independent.
    """
    if entries.components is None or not groups:
        return None
    mass, _, n, a, b = entries[1:6]
    shares = [(mass * n / size).astype(np.float64) for size in (b, a)]
    points = np.bincount(entries.groups, np.asarray(mass, np.float64), groups)
    precisions, recalls = (np.bincount(entries.groups, share, groups) / points for share in shares)
    parts = _parts(entries, shares, (precisions, recalls, points))
    chosen = np.flatnonzero(parts.enough)
    if len(chosen) > MOST_CORRELATED:
        return independent_value(len(chosen), level)
    from scipy.sparse import csr_array

    place = np.full(groups, -1)
    place[chosen] = np.arange(len(chosen))
    known = place[parts.groups] >= 0
    at, of = place[parts.groups[known]], parts.groups[known]
    scaled = parts.parts[known] / np.sqrt(parts.squares[of])
    _, components = np.unique(parts.components[known], return_inverse=True)
    wide = int(components.max(initial=-1)) + 1
    matrix = csr_array((scaled, (at, components)), shape=(len(chosen), wide))
    return critical_value((matrix @ matrix.T).toarray(), level)


def _intervals(
    entries: PointGroups, shares: Sequence[NDArray[np.float64]], means: tuple[Any, Any, Any], level: float
) -> list[tuple[float | None, float | None]]:
    """Return the interval of each group's B-cubed F by the delta method over components; none if they are too few."""
    from scipy.special import stdtrit

    precisions, recalls, points = (np.array(one, np.float64) for one in means)
    found: list[tuple[float | None, float | None]] = [(None, None)] * len(points)
    if entries.components is None or not len(points):
        return found
    parts = _parts(entries, shares, (precisions, recalls, points))
    for group in np.flatnonzero(parts.enough).tolist():
        m = int(parts.counts[group])
        error = sqrt(parts.squares[group] * m / (m - 1))
        score = _harmonic(float(precisions[group]), float(recalls[group]))
        found[group] = limits(score, error, float(stdtrit(m - 1, (1 + level) / 2)), (0.0, 1.0))
    return found


def _parts(entries: PointGroups, shares: Sequence[NDArray[np.float64]], means: tuple[Any, Any, Any]) -> _Parts:
    """Return the part of each component of each group in the error of its B-cubed F."""
    precisions, recalls, points = means
    assert entries.components is not None
    wide = int(entries.components.max()) + 1
    units, place = np.unique(entries.groups * wide + entries.components, return_inverse=True)
    of = units // wide
    sums = [np.bincount(place, np.asarray(one, np.float64)) for one in (shares[0], shares[1], entries.mass)]
    both = np.maximum(precisions + recalls, 1e-300)
    slopes = 2 * recalls**2 / both**2 / points, 2 * precisions**2 / both**2 / points
    parts = slopes[0][of] * (sums[0] - precisions[of] * sums[2]) + slopes[1][of] * (sums[1] - recalls[of] * sums[2])
    counts, squares = np.bincount(of, minlength=len(points)), np.bincount(of, parts**2, len(points))
    largest = np.zeros(len(points))
    np.maximum.at(largest, of, sums[2])
    enough = (counts >= FEWEST_GROUPS) & (2 * largest <= points) & (squares > 1e-30)
    return _Parts(of, units % wide, parts, counts, squares, enough)


def interval_notes(rows: Sequence[Quality], level: float, value: float | None = None) -> list[str]:
    """Return a note on the kind of the intervals, or on the reason why there are none."""
    if all(row.low is None for row in rows):
        return [
            f"no intervals: they need {FEWEST_GROUPS} connected components in a group, none with most of its points, "
            "and at least one error"
        ]
    text = f"{level:g} intervals of B³ F over connected components, which are independent of each other"
    return [text if value is None else f"{text}; all at once (critical value {value:.3g})"]
