"""The statements of the push-down, in SQL that all engines support, with integer results.

Column names are short because they are repeated in every statement:

=========  =============================================================================================
t, p       label in the truth and in the prediction; NULL where each point has a cluster of its own there
n, m       a row represents m cells of n points each
k          whether the points are in cells (CELL), or in the truth or the prediction only
s, w       which side has an item (`points`), and the weight of its points
a, b       size of the true and of the predicted cluster of a cell
sa, sb     sum of n² over the cells of that cluster; mx is the largest n, kk (ka, kb) the number of cells
g          gain of an edit: twice the wrong pairs that it repairs
xt, yp     t and p of a joined table, where NULL means that nothing was joined
rt, rp     rank of a cell in its row and column by worth w; nt, np the next best worth there
times      number of equal rows
=========  =============================================================================================
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from clustermark._kernel import Worth
from clustermark.engines.pushdown.point_rows import PRED_ONLY, TRUE_ONLY
from clustermark.tables.sums import MOVED_PARTS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from clustermark.engines.dialect import Dialect
    from clustermark.engines.engine import Kind
    from clustermark.tables.policies import Policies

CELL, WITHOUT_PRED, WITHOUT_TRUE = 1, 2, 3
_LARGEST = {"integer": 2**64, "float": 2**1023}
"""Larger values than any label of such a column; a larger literal would make engines compare inexactly."""

SHARES: dict[Worth, tuple[tuple[str, str], ...]] = {
    Worth.POINTS: (),
    Worth.F: (("2 * n", "(a + b)"),),
    Worth.OF_LARGER: (("n", "CASE WHEN a < b THEN b ELSE a END"),),
    Worth.JACCARD: (("n", "(a + b - n)"),),
    Worth.OF_TRUE: (("n", "a"),),
    Worth.PRODUCT: (("n", "a"), ("n", "b")),
    Worth.RANK: (),
}
"""The worth of a match as a product of quotients; empty if it is its points. The kernel computes the same."""


class SideColumns(NamedTuple):
    """Column names of one side in the statements."""

    label: str
    size: str
    squares: str
    table: str
    lacks: int
    """The value of s where this side lacks an item."""
    outside: int
    """The value of k where only this side has an item."""


TRUE = SideColumns("t", "a", "sa", "trues", PRED_ONLY, WITHOUT_PRED)
PRED = SideColumns("p", "b", "sb", "preds", TRUE_ONLY, WITHOUT_TRUE)


class LabelFacts(NamedTuple):
    """The labels of one side: their kind, the noise labels, and the label for the cluster of missing ones."""

    side: SideColumns
    kind: Kind
    noise: dict[Any, str]
    missing_as: Any

    def among(self, dialect: Dialect, *policies: str) -> str | None:
        """Return the condition that a label is noise, with one of these policies if given; None if no label is."""
        chosen = [label for label, policy in self.noise.items() if not policies or policy in policies]
        labels = [_literal(dialect, label, self.kind) for label in chosen]
        known = [label for label in labels if label is not None]
        return f"{self.side.label} IN ({', '.join(known)})" if known else None

    def in_order(self, dialect: Dialect) -> str:
        """Return an expression that sorts the labels; the cluster of missing ones comes last, as in memory."""
        label = self.side.label
        if self.missing_as is None:
            return label
        return f"CASE WHEN {label} = {_literal(dialect, self.missing_as, self.kind)} THEN 1 ELSE 0 END, {label}"


def _literal(dialect: Dialect, label: Any, kind: Kind) -> str | None:
    """Return the literal of a label; None for a label that no column of this kind contains."""
    if kind == "text":
        return dialect.literal(label) if isinstance(label, str) else None
    if kind == "boolean":
        return {True: "TRUE", False: "FALSE"}.get(label)
    if not isinstance(label, int | float) or not abs(label) < _LARGEST[kind] or label != int(label):
        return None
    if kind == "float":
        return f"{float(label)!r}E0" if "e" not in repr(float(label)) else repr(float(label))
    return dialect.literal(int(label))


class Statements:
    """The statements for one table of cells.

    simple: whether all m and k are 1, so that they can be omitted.
    wide: whether sums of squares over cells may exceed 2**63.
    wide_sizes: whether the squares of cluster sizes may, if those sums do not.
    """

    def __init__(self, dialect: Dialect, cells: str, *, simple: bool, wide: bool, wide_sizes: bool = False) -> None:
        self.dialect = dialect
        self.cells = cells
        self.simple = simple
        self.wide = wide
        self.wide_sizes = wide_sizes
        self._m = "1" if simple else "m"
        self._times_m = "" if simple else " * m"

    def _square(self, n: str, *, wide: bool = False) -> str:
        if not self.wide and not wide:
            return f"{n} * {n}"
        return f"CAST({n} AS {self.dialect.wide}) * CAST({n} AS {self.dialect.wide})"

    def _big(self, number: str) -> str:
        """Return a sum of squares in the type that it has within the engine."""
        return f"CAST({number} AS {self.dialect.wide if self.wide else 'BIGINT'})"

    def out(self, number: str) -> str:
        """Return a sum of squares as a result: digits if it may exceed 64 bits."""
        return f"CAST({number} AS {self.dialect.text})" if self.wide else number

    def _if_cell(self, number: str) -> str:
        return number if self.simple else f"CASE WHEN k = {CELL} THEN {number} ELSE 0 END"

    def clusters(self, side: SideColumns) -> str:
        """Return each labelled cluster of a side: its size, Σn², its largest cell, its number of cells."""
        label = side.label
        where = f"{label} IS NOT NULL" + ("" if self.simple else f" AND k IN ({CELL}, {side.outside})")
        squares = self._big(f"SUM({self._if_cell(self._square('n') + self._times_m)})")
        return (
            f"SELECT {label}, CAST(SUM(n{self._times_m}) AS BIGINT) AS {side.size}, {squares} AS {side.squares}, "
            f"CAST(MAX({self._if_cell('n')}) AS BIGINT) AS mx, "
            f"CAST(SUM({self._if_cell(self._m)}) AS BIGINT) AS kk FROM {self.cells} WHERE {where} GROUP BY {label}"
        )

    def cell_sizes(self) -> str:
        """Return the histogram of cell sizes."""
        where = "" if self.simple else f" WHERE k = {CELL}"
        return f"SELECT n, CAST(SUM({self._m}) AS BIGINT) AS times FROM {self.cells}{where} GROUP BY n ORDER BY n"

    def cluster_sizes(self, side: SideColumns, clusters: str) -> str:
        """Return the clusters of a side by size."""
        return (
            f"SELECT {side.size} AS size, CAST(COUNT(*) AS BIGINT) AS clusters, "
            f"{self.out(self._big(f'SUM({side.squares})'))} AS squares, CAST(SUM(mx) AS BIGINT) AS largest, "
            f"CAST(SUM(kk) AS BIGINT) AS cells FROM {clusters} GROUP BY {side.size} ORDER BY {side.size}"
        )

    def alone(self) -> str:
        """Count the points with a cluster of a single point on each side, in cells and outside of cells."""

        def total(condition: str, name: str) -> str:
            return f"CAST(COALESCE(SUM(CASE WHEN {condition} THEN m ELSE 0 END), 0) AS BIGINT) AS {name}"

        parts = [
            total(f"t IS NULL AND k = {CELL}", "true_in"),
            total(f"t IS NULL AND k = {WITHOUT_PRED}", "true_out"),
            total(f"p IS NULL AND k = {CELL}", "pred_in"),
            total(f"p IS NULL AND k = {WITHOUT_TRUE}", "pred_out"),
        ]
        return f"SELECT {', '.join(parts)} FROM {self.cells}"

    def rest(self, trues: str, preds: str) -> str:
        """Return the cells that are not a whole cluster on both sides, with the sizes and Σn² of both clusters.

        Only clusters of more than one cell are joined: the others have the size of their cell.
        """
        m = "" if self.simple else " AND c.k = 1"
        times = "CAST(1 AS BIGINT)" if self.simple else "c.m"
        own = self._big(self._square("c.n"))
        return (
            f"SELECT c.t AS t, c.p AS p, c.n AS n, {times} AS m, COALESCE(x.a, c.n) AS a, COALESCE(y.b, c.n) AS b, "
            f"COALESCE(x.sa, {own}) AS sa, COALESCE(y.sb, {own}) AS sb, "
            f"COALESCE(x.kk, 1) AS ka, COALESCE(y.kk, 1) AS kb FROM {self.cells} c "
            f"LEFT JOIN (SELECT t AS xt, a, sa, kk FROM {trues} WHERE a <> mx) x ON c.t = x.xt "
            f"LEFT JOIN (SELECT p AS yp, b, sb, kk FROM {preds} WHERE b <> mx) y ON c.p = y.yp "
            f"WHERE (x.xt IS NOT NULL OR y.yp IS NOT NULL){m}"
        )

    def alike(self, rest: str) -> str:
        """Count the cells of the rest with the same n, a and b."""
        return f"SELECT n, a, b, CAST(SUM(m) AS BIGINT) AS times FROM {rest} GROUP BY n, a, b ORDER BY n, a, b"

    def _quotient(self, part: str, whole: str) -> str:
        double = self.dialect.double
        return f"(CAST({part} AS {double}) / CAST({whole} AS {double}))"

    def _share(self, worth: Worth) -> str:
        return " * ".join(self._quotient(part, whole) for part, whole in SHARES[worth])

    def _best(self) -> str:
        """Return the largest Jaccard, F and n / max(a, b) of the cells of a cluster."""
        return (
            f"MAX({self._share(Worth.JACCARD)}) AS jaccard, MAX({self._share(Worth.F)}) AS f, "
            f"MAX({self._share(Worth.OF_LARGER)}) AS larger"
        )

    def clusters_alike(self, rest: str, side: SideColumns, where: str = "") -> str:
        """Count the clusters of the rest with the same size, Σn² and best cells."""
        one = (
            f"SELECT {side.label}, MAX({side.size}) AS size, MAX({side.squares}) AS squares, {self._best()} FROM {rest}"
        )
        return (
            f"SELECT size, {self.out('squares')} AS squares, jaccard, f, larger, CAST(COUNT(*) AS BIGINT) AS times "
            f"FROM ({one} WHERE {side.label} IS NOT NULL{where} GROUP BY {side.label}) x "
            "GROUP BY size, squares, jaccard, f, larger"
        )

    def alone_alike(self, rest: str, side: SideColumns) -> str:
        """Count the points of the rest with a cluster of one point on this side, by the size of the other cluster."""
        other = "b" if side is TRUE else "a"
        return (
            f"SELECT {other} AS other, CAST(SUM(m) AS BIGINT) AS times FROM {rest} "
            f"WHERE {side.label} IS NULL GROUP BY {other} ORDER BY {other}"
        )

    def _lost(self, side: SideColumns) -> str:
        """Return twice the number of pairs that a cluster loses."""
        if not self.wide_sizes or not self.dialect.wide:  # SQLite itself continues in floating-point numbers
            return f"{self._square(side.size)} - {side.squares}"
        return f"{self._square(side.size, wide=True)} - CAST({side.squares} AS {self.dialect.wide})"

    def losses(self, clusters: str, apart: str | None) -> str:
        """Count the clusters, and those that lose pairs; `apart` is the condition for clusters that are excluded."""
        return (
            "SELECT CAST(COUNT(*) AS BIGINT) AS clusters, "
            f"CAST(COALESCE(SUM(CASE WHEN kk > 1 THEN 1 ELSE 0 END), 0) AS BIGINT) AS losing "
            f"FROM {clusters}{_but(apart)}"
        )

    def worst(self, side: SideColumns, clusters: str, k: int | None, apart: str | None, order: str) -> str:
        """Return the clusters that lose most pairs, the largest first if equal, then by `order`."""
        limit = "" if k is None else f" LIMIT {int(k)}"
        return (
            f"SELECT {side.label}, kk FROM {clusters}{_but(apart)} "
            f"ORDER BY {self._lost(side)} DESC, {side.size} DESC, {order}{limit}"
        )

    def most_changed(self, rest: str, side: SideColumns, k: int, order: str) -> str:
        """Return the clusters of the rest that move most, as defined in `tables.sums.count_moves`, then by `order`."""
        share = self._quotient("a + b - 2 * n", "(a + b - n)")
        parts = f"CAST(FLOOR({share} * {MOVED_PARTS}) AS BIGINT)" if not self.wide else share
        moved = f"SUM({parts} * n * m)"
        return (
            f"SELECT {side.label}, CAST(COUNT(*) AS BIGINT) AS kk FROM {rest} WHERE {side.label} IS NOT NULL "
            f"GROUP BY {side.label} ORDER BY {moved} DESC, {order} LIMIT {int(k)}"
        )

    def largest(self, side: SideColumns, clusters: str, k: int, order: str) -> str:
        """Return the largest clusters; equal ones by `order`."""
        return f"SELECT {side.label}, {side.size} FROM {clusters} ORDER BY {side.size} DESC, {order} LIMIT {int(k)}"

    def cells_of(self, chosen: dict[SideColumns, str], trues: str, preds: str) -> str:
        """Return the cells of chosen clusters, with the sizes of both clusters."""
        m, cell = ("CAST(1 AS BIGINT)", "") if self.simple else ("c.m", f" WHERE c.k = {CELL}")
        joins = " ".join(
            f"JOIN {name} z{side.label} ON c.{side.label} = z{side.label}.{side.label}" for side, name in chosen.items()
        )
        return (
            f"SELECT c.t AS t, c.p AS p, c.n AS n, {m} AS m, COALESCE(x.a, 1) AS a, COALESCE(y.b, 1) AS b "
            f"FROM {self.cells} c {joins} LEFT JOIN {trues} x ON c.t = x.t LEFT JOIN {preds} y ON c.p = y.p{cell}"
        )

    def with_met(self, side: SideColumns, worst: str, across: SideColumns, worst_across: str) -> str:
        """Return the labels of the worst clusters of a side, and of the clusters that intersect the worst across."""
        cell = "" if self.simple else f" AND c.k = {CELL}"
        return (
            f"SELECT {side.label} FROM {worst} UNION SELECT c.{side.label} FROM {self.cells} c "
            f"JOIN {worst_across} z ON c.{across.label} = z.{across.label} WHERE c.{side.label} IS NOT NULL{cell}"
        )

    def gains_of_splits(self, preds: str) -> str:
        """Return the label of each predicted cluster that can be split, and twice the wrong pairs that this repairs."""
        return f"SELECT p, {self._lost(PRED)} AS g FROM {preds} WHERE kk > 1"

    def gains_of_gathers(self, rest: str) -> str:
        """Return the label of each true cluster that can be gathered, and twice the wrong pairs that this repairs.

        These are the pairs that it lacks, and the pairs of its points with other points of their predicted clusters.
        """
        big = f"CAST(%s AS {self.dialect.wide if self.wide_sizes else 'BIGINT'})"
        false = f"SUM(2 * {big % 'n'} * {big % '(b - n)'}{self._times_m})"
        return (
            f"SELECT t, {big % f'MAX({self._lost(TRUE)})'} + {big % false} AS g FROM {rest} "
            "WHERE t IS NOT NULL GROUP BY t"
        )

    def gains_of_lone(self, rest: str) -> str:
        """Return the same for points with a true cluster of a single point, equal within a predicted cluster."""
        return f"SELECT p, 2 * (MAX(b) - 1) AS g FROM {rest} WHERE t IS NULL AND p IS NOT NULL GROUP BY p"

    def first_edits(self, side: SideColumns, gains: str, n: int | None, order: str) -> str:
        """Return the n edits that repair most pairs; equal ones by `order`."""
        limit = "" if n is None else f" LIMIT {int(n)}"
        return f"SELECT {side.label}, g FROM {gains} ORDER BY g DESC, {order}{limit}"

    def kinds(self, rest: str, side: SideColumns, apart: str | None) -> str:
        """Count the clusters of the rest that lie inside one of the other side, are unions of such, or neither."""
        own, other = ("ka", "b") if side is TRUE else ("kb", "a")
        label = side.label
        one = (
            f"SELECT {label}, MAX({own}) AS kk, SUM(CASE WHEN n = {other} THEN m ELSE 0 END) AS whole FROM {rest} "
            f"WHERE {label} IS NOT NULL{f' AND NOT COALESCE({apart}, FALSE)' if apart else ''} GROUP BY {label}"
        )
        return (
            "SELECT CAST(COALESCE(SUM(CASE WHEN kk = 1 THEN 1 ELSE 0 END), 0) AS BIGINT) AS inside, "
            "CAST(COALESCE(SUM(CASE WHEN kk > 1 AND whole = kk THEN 1 ELSE 0 END), 0) AS BIGINT) AS whole, "
            "CAST(COALESCE(SUM(CASE WHEN kk > 1 AND whole <> kk THEN 1 ELSE 0 END), 0) AS BIGINT) AS mixed "
            f"FROM ({one}) x"
        )

    def worths(self, rest: str, worth: Worth) -> str:
        """Return the cells with the worth of a match of each, as integers."""
        fine = "1125899906842624.0E0"
        w = f"CAST(FLOOR({self._share(worth)} * {fine} + 0.5E0) AS BIGINT)" if SHARES[worth] else "n"
        return f"SELECT t, p, n, m, a, b, {w} AS w FROM {rest}"

    def certain(self, pool: str) -> str:
        """Return the cells with at least the worth of the next best cells of their row and of their column together."""

        def place(mine: str, other: str) -> tuple[str, str]:
            window = f"OVER (PARTITION BY {mine} ORDER BY w DESC, {other})"
            lone = f"CASE WHEN {mine} IS NULL THEN"
            return f"{lone} 1 ELSE ROW_NUMBER() {window} END", f"{lone} 0 ELSE COALESCE(LEAD(w) {window}, 0) END"

        (row, row_next), (column, column_next) = place("t", "p"), place("p", "t")
        ranked = (
            f"SELECT t, p, n, a, b, w, {row} AS rt, {row_next} AS nt, {column} AS rp, {column_next} AS np FROM {pool}"
        )
        return f"SELECT t, p, n, a, b FROM ({ranked}) x WHERE rt = 1 AND rp = 1 AND w >= nt + np"

    def free_cells(self, pool: str, certain: str) -> str:
        """Return the cells whose row and column are not matched yet."""
        return (
            f"SELECT c.t AS t, c.p AS p, c.n AS n, c.m AS m, c.a AS a, c.b AS b, c.w AS w FROM {pool} c "
            f"LEFT JOIN (SELECT t AS xt FROM {certain} WHERE t IS NOT NULL) x ON c.t = x.xt "
            f"LEFT JOIN (SELECT p AS yp FROM {certain} WHERE p IS NOT NULL) y ON c.p = y.yp "
            "WHERE x.xt IS NULL AND y.yp IS NULL"
        )


def _but(apart: str | None) -> str:
    return f" WHERE NOT COALESCE({apart}, FALSE)" if apart else ""


class _Fates(NamedTuple):
    """Conditions for the points of a side that are alone, dropped, outside the cells or without a label."""

    alone: str
    dropped: str
    outside: str
    missing: str


def _fates_of(dialect: Dialect, labels: LabelFacts, policies: Policies, *, joined: bool) -> _Fates:
    side = labels.side
    missing = f"({side.label} IS NULL" + (f" AND s <> {side.lacks})" if joined else ")")
    fates: dict[str, list[str]] = {"singletons": [], "drop": [], "keep": [], "cluster": []}
    for policy in ("singletons", "drop"):
        noise = labels.among(dialect, policy)
        fates[policy] += [noise] if noise else []
    fates.get(policies.missing, []).append(missing)
    if joined:
        fates.get(policies.unmatched, []).append(f"s = {side.lacks}")
    return _Fates(_any(fates["singletons"]), _any(fates["drop"]), _any(fates["keep"]), missing)


def apply_policies(
    dialect: Dialect, counted: str, true: LabelFacts, pred: LabelFacts, policies: Policies, *, joined: bool
) -> str:
    """Return the cells after all policies."""
    fates = [_fates_of(dialect, labels, policies, joined=joined) for labels in (true, pred)]
    keys = []
    for labels, fate in zip((true, pred), fates, strict=True):
        cases = [f"WHEN {fate.alone} OR {fate.outside} THEN NULL"]
        if labels.missing_as is not None:
            cases.append(f"WHEN {fate.missing} THEN {_literal(dialect, labels.missing_as, labels.kind)}")
        keys.append(f"CASE {' '.join(cases)} ELSE {labels.side.label} END AS {labels.side.label}")
    single = f"{fates[0].alone} OR {fates[1].alone}"
    return (
        f"SELECT {keys[0]}, {keys[1]}, CASE WHEN {single} THEN CAST(1 AS BIGINT) ELSE n END AS n, "
        f"CASE WHEN {single} THEN n ELSE CAST(1 AS BIGINT) END AS m, "
        f"CASE WHEN {fates[1].outside} THEN {WITHOUT_PRED} WHEN {fates[0].outside} THEN {WITHOUT_TRUE} ELSE {CELL} END "
        f"AS k FROM {counted} WHERE {_stays(fates)}"
    )


def _stays(fates: Iterable[_Fates]) -> str:
    return f"CASE WHEN {' OR '.join(fate.dropped for fate in fates)} THEN 1 ELSE 0 END = 0"


def count_noise(
    dialect: Dialect, counted: str, true: LabelFacts, pred: LabelFacts, policies: Policies, *, joined: bool
) -> str:
    """Count the points with noise on either side, with noise that is alone on each side, and with each noise label."""
    sides = (true, pred)
    stays = _stays([_fates_of(dialect, labels, policies, joined=joined) for labels in sides])
    noise = _any([among for labels in sides if (among := labels.among(dialect))])
    conditions = [noise]
    conditions += [
        f"{_any([among])} AND {stays}" if (among := labels.among(dialect, "singletons")) else "1 = 0"
        for labels in sides
    ]
    for labels in sides:
        conditions += [labels._replace(noise={label: ""}).among(dialect) or "1 = 0" for label in labels.noise]
    sums = (
        f"CAST(COALESCE(SUM(CASE WHEN {condition} THEN n ELSE 0 END), 0) AS BIGINT) AS n{place}"
        for place, condition in enumerate(conditions)
    )
    return f"SELECT {', '.join(sums)} FROM {counted} WHERE {noise}"


def _any(conditions: list[str]) -> str:
    return f"({' OR '.join(conditions)})" if conditions else "(1 = 0)"
