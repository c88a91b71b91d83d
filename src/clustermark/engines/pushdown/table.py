"""A table whose cells stay in the engine: it tells sizes and tallies, and hands over the cells only when asked."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from clustermark.engines.pushdown import gather as gathering
from clustermark.engines.pushdown.excerpt import excerpt
from clustermark.engines.pushdown.free_labels import labels_of
from clustermark.engines.pushdown.statements import PRED, TRUE, Labels, Side, Statements, rewritten
from clustermark.errors import EngineError, InputError, Mention
from clustermark.tables.contingency import Contingency, Excerpt, Origin
from clustermark.tables.policies import PLAIN, Policies
from clustermark.tables.profile import Profile, SizeRow, Squares
from clustermark.tables.tallies import CellTally, ClusterTally, Tallies, Unsettled, whole_clusters

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from clustermark.engines.engine import Workspace
    from clustermark.engines.pushdown.gather import Gathered
    from clustermark.tables.tabulation import Tabulation

_WORD = 2**63
_TURNS = 12
"""So often, at most, an engine looks for matches that are certain."""
_NO_LINES: Mapping[Side, dict[str, Any]] = MappingProxyType({})


class PushedContingency(Contingency):
    """A table whose cells lie in an engine.

    Its profile and its tallies are made there. The cells themselves come over when an index or a list needs them,
    up to `max_cells`. `close` lets the engine forget them; so does the end of the last reference to the table.
    """

    __slots__ = (
        "_fetch_limit",
        "_fetched",
        "_free",
        "_gathered",
        "_max_cells",
        "_noise",
        "_policies",
        "_profile",
        "_statements",
        "_unscored",
        "_used",
        "workspace",
    )

    def __init__(self, workspace: Workspace, gathered: Gathered, policies: Policies, max_cells: int) -> None:
        self.workspace = workspace
        self._gathered = gathered
        self._policies = policies
        self._max_cells = max_cells
        self._fetch_limit = min(max_cells, gathering.fetched_at_once(gathered.points))
        self._views: dict[Any, Any] = {}
        self._origin = Origin({}, ())
        self._fetched: Tabulation | None = None
        points = gathered.points
        true = labels_of(workspace, gathered, TRUE, points.true_kind, policies.noise_true, policies.missing)
        pred = labels_of(workspace, gathered, PRED, points.pred_kind, policies.noise_pred, policies.missing)
        self._free = (true.missing_as, pred.missing_as)
        simple = not self._rewrites(true, pred)
        cells = gathered.name
        if not simple:
            sql = rewritten(workspace.dialect, gathered.name, true, pred, policies, joined=points.joined)
            cells = workspace.materialise("cells", sql)
        wide = gathered.given * gathered.largest >= _WORD
        if wide and not workspace.dialect.wide:
            raise InputError(
                f"the counts are too large for the integers of {workspace.engine.name}; choose ",
                Mention("push_down", False),
            )
        self._statements = Statements(
            workspace.dialect, cells, simple=simple, wide=wide, wide_sizes=gathered.given**2 >= _WORD
        )
        self._noise = self._count_noise(true, pred)
        for side in (TRUE, PRED):
            workspace.materialise(side.table, self._statements.clusters(side))
        self._unscored = self._find_unscored(pred)
        self._profile = self._read_profile()
        sides = (self._profile.true_sizes, self._profile.pred_sizes)
        self._used = sum(row.size * row.clusters for rows in sides for row in rows) - self._profile.n_points
        if not self._profile.true_sizes and not self._profile.pred_sizes:
            raise InputError(f"all {gathered.given} points were dropped by the policies: there is nothing to compare")
        self._plain = not self.one_sided and not self._unscored

    def _rewrites(self, true: Labels, pred: Labels) -> bool:
        """Whether any policy changes a cell."""
        gathered = self._gathered
        moves = ("singletons", "drop")
        dialect = self.workspace.dialect
        return bool(
            true.among(dialect, *moves)
            or pred.among(dialect, *moves)
            or gathered.missing_true
            or gathered.missing_pred
            or gathered.only_true
            or gathered.only_pred
        )

    def _count_noise(self, true: Labels, pred: Labels) -> int:
        """Points that have a label named as noise."""
        every = ("cluster", "singletons", "drop", "unscored")
        named = [noise for side in (true, pred) if (noise := side.among(self.workspace.dialect, *every))]
        if not named:
            return 0
        sql = f"SELECT CAST(COALESCE(SUM(n), 0) AS BIGINT) AS n FROM {self._gathered.name} WHERE {' OR '.join(named)}"
        return int(self.workspace.row(sql)[0])

    def _find_unscored(self, pred: Labels) -> list[Any]:
        among = pred.among(self.workspace.dialect, "unscored")
        if among is None:
            return []
        found = self.workspace.fetch(f"SELECT p FROM {self.workspace.name(PRED.table)} WHERE {among}")["p"]
        return list(np.asarray(found).tolist())

    def _read_profile(self) -> Profile:
        """The three tables of the profile, their checksums verified before anything is made of them."""
        statements, fetch = self._statements, self.workspace.fetch
        alone = (0, 0, 0, 0) if statements.simple else tuple(map(int, self.workspace.row(statements.alone())))
        hist = fetch(statements.cell_sizes())
        sides = []
        for side, (inside, outside) in ((TRUE, alone[:2]), (PRED, alone[2:])):
            columns = fetch(statements.cluster_sizes(side, self.workspace.name(side.table)))
            rows = [SizeRow(*map(int, row)) for row in zip(*columns.values(), strict=True)]
            sides.append(_with_alone(rows, inside, outside))
        profile = Profile(tuple(zip(_ints(hist["n"]), _ints(hist["times"]), strict=True)), *sides)
        try:
            return profile.verify()
        except InputError as error:
            raise EngineError(
                f"{self.workspace.engine.name} counted wrongly ({error}); a number has overflowed, or rows changed "
                "while they were read"
            ) from error

    @property
    def n_given(self) -> int:
        """Points given, dropped ones included."""
        return self._gathered.given

    @property
    def n_used(self) -> int:
        """Points in the table."""
        return self._used

    @property
    def n_noise(self) -> int:
        """Points with a label named as noise on either side, whatever its policy."""
        return self._noise

    @property
    def n_dropped(self) -> int:
        """Points left out."""
        return self._gathered.given - self._used

    @property
    def n_unmatched(self) -> int:
        """Items that occur on one side only, whatever the policy."""
        return self._gathered.only_true + self._gathered.only_pred

    @property
    def policies(self) -> Policies:
        """How the table treats noise, missing labels and unmatched items."""
        return self._policies

    @property
    def one_sided(self) -> bool:
        """Whether items that occur on one side only are kept in the table."""
        return self._policies.unmatched == "keep" and self.n_unmatched > 0

    @property
    def unscored(self) -> list[Any]:
        """Predicted labels with the noise policy "unscored"."""
        return list(self._unscored)

    @property
    def weights(self) -> None:
        """A table that stays in an engine has no weights."""
        return

    @property
    def n_cells(self) -> int:
        """Non-empty cells."""
        return self._profile.n_cells

    @property
    def n_true_clusters(self) -> int:
        """True clusters, points with a cluster of their own included."""
        return sum(row.clusters for row in self._profile.true_sizes)

    @property
    def n_pred_clusters(self) -> int:
        """Predicted clusters, points with a cluster of their own included."""
        return sum(row.clusters for row in self._profile.pred_sizes)

    @property
    def squares(self) -> Squares:
        """N and the sums of squares over cells, true and predicted clusters; exact integers."""
        return self._profile.squares

    @property
    def profile(self) -> Profile:
        """The three small integer tables from which most indices are made."""
        return self._profile

    @property
    def sql(self) -> str:
        """The statements that the engine ran for the table so far."""
        return ";\n".join(self.workspace.statements)

    @property
    def tallies(self) -> Tallies | None:
        """Cells and clusters that are alike, counted in the engine; not with items of one side only."""
        if self.one_sided:
            return None
        if Tallies not in self._views:
            self._views[Tallies] = self._count_alike()
        tallies: Tallies = self._views[Tallies]
        return tallies

    @property
    def rest(self) -> str:
        """The quoted name of the cells that are not a whole cluster on both sides."""
        with self.workspace.lock:
            if not self.workspace.has("rest"):
                sql = self._statements.rest(self.workspace.name(TRUE.table), self.workspace.name(PRED.table))
                self.workspace.materialise("rest", sql)
        return self.workspace.name("rest")

    def _count_alike(self) -> Tallies:
        fetch, statements = self.workspace.fetch, self._statements
        alike = fetch(statements.alike(self.rest))
        cells = CellTally(*(_whole_numbers(alike[name]) for name in CellTally._fields))
        whole = self._whole(cells)
        true, pred = (self._side_tally(side) + whole for side in (TRUE, PRED))
        sizes, times = whole.size, whole.times
        n, a, b = (np.concatenate([column, sizes]) for column in (cells.n, cells.a, cells.b))
        every = CellTally(n, a, b, np.concatenate([cells.times, times]))
        scored = pred + self._unscored_tally() if self._unscored else pred
        return Tallies(every, true, pred, scored)

    def _whole(self, rest: CellTally) -> ClusterTally:
        """The cells that are a cluster on both sides: those that are not in the rest."""
        left = dict(self._profile.cell_sizes)
        for n, times in zip(rest.n.tolist(), rest.times.tolist(), strict=True):
            left[n] -= times
        whole = {n: times for n, times in left.items() if times}
        sizes, counts = (np.array(list(numbers), np.int64) for numbers in (whole.keys(), whole.values()))
        return whole_clusters(sizes, counts, wide=self._statements.wide)

    def _side_tally(self, side: Side) -> ClusterTally:
        labelled = self._tally(self._statements.clusters_alike(self.rest, side))
        if self._statements.simple:
            return labelled
        alone = self.workspace.fetch(self._statements.alone_alike(self.rest, side))
        other = _whole_numbers(alone["other"])
        ones = np.ones(len(other), np.int64)
        squares = ones.astype(object) if self._statements.wide else ones
        jaccard, f = 1.0 / other.astype(np.float64), 2.0 / (1 + other).astype(np.float64)
        return labelled + ClusterTally(ones, squares, jaccard, f, jaccard, _whole_numbers(alone["times"]))

    def _tally(self, sql: str) -> ClusterTally:
        columns = self.workspace.fetch(sql)
        jaccard, f, larger = (np.asarray(columns[name], np.float64) for name in ("jaccard", "f", "larger"))
        return ClusterTally(
            _whole_numbers(columns["size"]),
            np.array(_ints(columns["squares"]), object)
            if self._statements.wide
            else _whole_numbers(columns["squares"]),
            jaccard,
            f,
            larger,
            _whole_numbers(columns["times"]),
        )

    def _unscored_tally(self) -> ClusterTally:
        """The unscored clusters, each counted -1 times."""
        among = self._labels_of(PRED).among(self.workspace.dialect, "unscored")
        if among is None:
            return whole_clusters(np.zeros(0, np.int64), np.zeros(0, np.int64), wide=self._statements.wide)
        in_rest = self._tally(self._statements.clusters_alike(self.rest, PRED, f" AND {among}"))
        preds = self.workspace.name(PRED.table)
        sizes = _ints(self.workspace.fetch(f"SELECT b AS size FROM {preds} WHERE {among}")["size"])
        left = sorted(sizes)
        for size, times in zip(in_rest.size.tolist(), in_rest.times.tolist(), strict=True):
            for _ in range(times):
                left.remove(size)
        whole = whole_clusters(np.array(left, np.int64), np.ones(len(left), np.int64), wide=self._statements.wide)
        both = in_rest + whole
        return both._replace(times=-both.times)

    def unsettled(self, worth: str) -> Unsettled | None:
        """The cells whose matching is in doubt; the engine matches what is certain where too many would come over."""
        if self.one_sided:
            return None
        alike = self.tallies.cells if self.tallies is not None else None
        assert alike is not None
        whole = (alike.n == alike.a) & (alike.n == alike.b)
        settled = CellTally(*(column[whole] for column in alike))
        return self._settle(worth, settled)

    def _settle(self, worth: str, settled: CellTally) -> Unsettled:
        workspace, statements = self.workspace, self._statements
        if worth == "rank" or self._count_rest() <= self._fetch_limit:
            return Unsettled(self._rest_in_memory(), settled)
        pool = workspace.materialise(f"pool_{worth}", statements.worths(self.rest, worth))
        for turn in range(_TURNS):
            certain = workspace.materialise(f"certain_{worth}_{turn}", statements.certain(pool))
            alike = workspace.fetch(
                f"SELECT n, a, b, CAST(COUNT(*) AS BIGINT) AS times FROM {certain} GROUP BY n, a, b"
            )
            found = CellTally(*(_whole_numbers(alike[name]) for name in CellTally._fields))
            if not len(found.n):
                break
            settled = settled + found
            pool = workspace.materialise(f"pool_{worth}_{turn}", statements.left(pool, certain))
            if self._count(pool) <= self._fetch_limit:
                break
        return Unsettled(self._excerpt_of(pool), settled)

    def _count_rest(self) -> int:
        if "rest" not in self._views:
            self._views["rest"] = self._count(self.rest)
        return int(self._views["rest"])

    def _rest_in_memory(self) -> Contingency:
        """The cells that are not a whole cluster on both sides; they come over once for all matchings."""
        if Unsettled not in self._views:
            self._views[Unsettled] = self._excerpt_of(self.rest)
        table: Contingency = self._views[Unsettled]
        return table

    def _count(self, name: str) -> int:
        return int(self.workspace.row(f"SELECT CAST(COUNT(*) AS BIGINT) AS n FROM {name}")[0])

    def _excerpt_of(self, name: str) -> Contingency:
        gathering.within_limit(self._count(name), self._max_cells, "matching clusters one to one")
        return excerpt(self.workspace.fetch(f"SELECT t, p, n, m, a, b FROM {name}"), self._free)

    def worst(self, side: str, k: int | None) -> Excerpt | None:
        """The k clusters of a side that lose most pairs; not with items of one side only."""
        if self.one_sided:
            return None
        mine = TRUE if side == "true" else PRED
        workspace, statements = self.workspace, self._statements
        clusters = workspace.name(mine.table)
        apart = self._labels_of(PRED).among(workspace.dialect, "unscored") if mine is PRED else None
        total, losing = map(int, workspace.row(statements.lose(clusters, apart)))
        kinds = workspace.fetch(statements.kinds(self.rest, mine, apart))
        found = {kind: int(count[0]) for kind, count in kinds.items()}
        verdicts = {"exact": total - sum(found.values()), **found}
        order = self._labels_of(mine).in_order(workspace.dialect)
        with workspace.passing("worst", statements.worst(mine, clusters, k, apart, order)) as chosen:
            cells = int(workspace.row(f"SELECT CAST(COALESCE(SUM(kk), 0) AS BIGINT) AS n FROM {chosen}")[0])
            gathering.within_limit(cells, self._max_cells, "the list of clusters")
            return Excerpt(self._excerpt({mine: chosen}), total, losing, verdicts)

    def largest(self, k: int) -> Contingency | None:
        """The cells between the k largest clusters of each side; not with items of one side only."""
        if self.one_sided:
            return None
        workspace, statements = self.workspace, self._statements
        true, pred = (
            statements.largest(side, workspace.name(side.table), k, self._labels_of(side).in_order(workspace.dialect))
            for side in (TRUE, PRED)
        )
        with workspace.passing("largest_t", true) as trues, workspace.passing("largest_p", pred) as preds:
            lines = {side: workspace.fetch(f"SELECT * FROM {name}") for side, name in ((TRUE, trues), (PRED, preds))}
            return self._excerpt({TRUE: trues, PRED: preds}, lines)

    def _excerpt(self, chosen: dict[Side, str], lines: Mapping[Side, dict[str, Any]] = _NO_LINES) -> Contingency:
        """The cells of chosen clusters; `lines` are clusters that are to be there even without a cell."""
        trues, preds = (self.workspace.name(side.table) for side in (TRUE, PRED))
        columns = self.workspace.fetch(self._statements.cells_of(chosen, trues, preds))
        for side, clusters in lines.items():
            n = len(clusters[side.label])
            without: dict[str, Any] = {
                "t": [None] * n,
                "p": [None] * n,
                "n": [0] * n,
                "m": [0] * n,
                "a": [1] * n,
                "b": [1] * n,
            } | clusters
            columns = {name: [*column, *without[name]] for name, column in columns.items()}
        return excerpt(columns, self._free)

    def _labels_of(self, side: Side) -> Labels:
        points = self._gathered.points
        if side is TRUE:
            return Labels(side, points.true_kind, self._policies.noise_true, self._free[0])
        return Labels(side, points.pred_kind, self._policies.noise_pred, self._free[1])

    @property
    def _tabulation(self) -> Tabulation:  # type: ignore[override]
        """The cells themselves, which come over now if they have not yet."""
        if self._fetched is None:
            gathering.within_limit(self._gathered.cells, self._max_cells, "what was asked for")
            self._fetched = gathering.fetched(self.workspace, self._gathered, self._policies)._tabulation
        return self._fetched

    def close(self) -> None:
        """Let the engine forget the table; what has not been asked for so far cannot be asked for any more."""
        self.workspace.close()


def _with_alone(rows: list[SizeRow], inside: int, outside: int) -> tuple[SizeRow, ...]:
    """The clusters by size, points with a cluster of their own included."""
    if not inside and not outside:
        return tuple(rows)
    alone = SizeRow(1, inside + outside, inside, inside, inside)
    if rows and rows[0].size == 1:
        first = SizeRow(1, *(mine + theirs for mine, theirs in zip(rows[0][1:], alone[1:], strict=True)))
        return (first, *rows[1:])
    return (alone, *rows)


def _whole_numbers(column: NDArray[Any] | list[Any]) -> NDArray[np.int64]:
    if isinstance(column, np.ndarray) and column.dtype.kind in "iu":
        return column.astype(np.int64, copy=False)
    return np.asarray(_ints(column), np.int64)


def _ints(column: NDArray[Any] | list[Any]) -> list[int]:
    return [int(number) for number in column]


def pushed(workspace: Workspace, gathered: Gathered, policies: Policies, max_cells: int) -> PushedContingency:
    """The table of gathered cells that stay where they are."""
    if gathered.points.weighted:
        raise InputError("a table with real weights cannot stay in an engine; choose ", Mention("push_down", False))
    return PushedContingency(workspace, gathered, PLAIN if policies == PLAIN else policies, max_cells)
