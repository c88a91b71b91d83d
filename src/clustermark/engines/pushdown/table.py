"""The table whose cells stay in an engine: it asks the engine, and hands over the cells only when asked."""

from __future__ import annotations

from contextlib import ExitStack
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from clustermark._kernel import Worth
from clustermark.engines.pushdown.bring import bring_cells
from clustermark.engines.pushdown.excerpt import excerpt, join_cells
from clustermark.engines.pushdown.gather import fetch_cells, most_cells_at_once, within_limit
from clustermark.engines.pushdown.hold import hold
from clustermark.engines.pushdown.mendable import bring_mendable
from clustermark.engines.pushdown.statements import PRED, TRUE, Side
from clustermark.engines.pushdown.tally import count_alike, tally_cells
from clustermark.errors import InputError, Mention
from clustermark.tables.cell_tally import CellTally, Unsettled
from clustermark.tables.cells import CellTable
from clustermark.tables.contingency import Account, Contingency, Origin
from clustermark.tables.excerpts import Excerpt, Mendable
from clustermark.tables.tallies import Tallies, add_best, add_cells, add_overlaps

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping
    from typing import Self

    from clustermark.engines.engine import Workspace
    from clustermark.engines.pushdown.gather import Gathered
    from clustermark.engines.pushdown.hold import Held
    from clustermark.tables.contingency import T
    from clustermark.tables.excerpts import Edits
    from clustermark.tables.policies import Policies
    from clustermark.tables.profile import Profile
    from clustermark.tables.tallies import Best, Joint, Overlaps

_TURNS = 12
"""So often, at most, an engine looks for matches that are certain."""
_MATCHING = "matching clusters one to one"
_NO_LINES: Mapping[Side, Mapping[str, Any]] = MappingProxyType({})


def push_down(
    workspace: Workspace,
    gathered: Gathered,
    policies: Policies,
    settings: Mapping[str, Any],
    max_cells: int,
    *,
    bring: bool = False,
) -> EngineTable:
    """The table of gathered cells that stay where they are.

    bring: whether they come over as well, if there is room for them.
    """
    if gathered.points.weighted:
        raise InputError("a table with real weights cannot stay in an engine; choose ", Mention("push_down", False))
    brought = bring_cells(workspace, gathered, policies, settings) if bring else None
    held = hold(workspace.keep(), gathered, policies, brought)
    unmatched = gathered.only_true + gathered.only_pred
    account = Account(
        gathered.given,
        gathered.given - held.n_used,
        held.noise.either,
        unmatched,
        one_sided=policies.unmatched == "keep" and unmatched > 0,
        policies=policies,
        noise_true=held.noise.true,
        noise_pred=held.noise.pred,
        n_without_true=_dropped(gathered.missing_true, gathered.only_pred, policies),
        n_without_pred=_dropped(gathered.missing_pred, gathered.only_true, policies),
        only_true=gathered.only_true,
        only_pred=gathered.only_pred,
    )
    fetch_limit = min(max_cells, most_cells_at_once(workspace, gathered.points))
    return EngineTable(held, account, settings, max_cells, fetch_limit, brought)


def _dropped(missing: int, unmatched: int, policies: Policies) -> int:
    return missing * (policies.missing == "drop") + unmatched * (policies.unmatched == "drop")


class EngineTable(Contingency):
    """A table whose cells lie in an engine.

    Its profile and its tallies are made there, or by the kernel if the cells came over as well; lists of clusters are
    made there. The cells themselves come over when an index or a list needs them,
    up to `max_cells`; with items of one side only, whatever needs more than the profile needs them. `close` lets the
    engine forget the table; so does the end of the last reference to it.
    """

    __slots__ = ("_adds_up_here", "_fetch_limit", "_held", "_max_cells", "workspace")

    def __init__(
        self,
        held: Held,
        account: Account,
        settings: Mapping[str, Any],
        max_cells: int,
        fetch_limit: int,
        brought: CellTable | None = None,
    ) -> None:
        origin = Origin(settings, held.workspace.statements)  # the list grows with what is asked
        super().__init__(account, origin, plain=not account.one_sided and not held.unscored)
        self.workspace = held.workspace
        self._held = held
        self._max_cells = max_cells
        self._fetch_limit = fetch_limit
        self._adds_up_here = account.one_sided or brought is not None
        if brought is not None:
            self.once(CellTable, lambda _: brought)

    def once(self, key: object, make: Callable[[Self], T]) -> T:
        """What `make` makes of the table, for one thread at a time: statements that make a table must not run twice."""
        with self.workspace.lock:
            return super().once(key, make)

    @property
    def in_memory(self) -> bool:
        """Not before `to_memory` is asked for, and not for this table."""
        return False

    def to_memory(self) -> CellTable:
        """The cells themselves, which come over now if they have not yet."""
        return self.once(CellTable, EngineTable._fetch)

    def _fetch(self) -> CellTable:
        within_limit(self._held.gathered.cells, self._max_cells, "what was asked for")
        return fetch_cells(self.workspace, self._held.gathered, self.policies, self._origin.settings)

    @property
    def profile(self) -> Profile:
        """The three small integer tables from which most indices are made."""
        return self._held.profile

    @property
    def unscored(self) -> list[Any]:
        """Predicted labels with the noise policy "unscored"."""
        return list(self._held.unscored)

    @property
    def n_unscored(self) -> int:
        """Points that the prediction gives such a label."""
        return sum(self._held.unscored.values())

    def count_labels(self, side: str, labels: Collection[Any]) -> dict[Any, int]:
        """How many points of the table have which of these labels."""
        if self._adds_up_here and not self.one_sided:
            return self.to_memory().count_labels("true" if side == "true" else "pred", labels)
        return self._held.count_labels(TRUE if side == "true" else PRED, labels)

    def joint(self) -> Joint:
        """Sums over all cells, from the tally of those that are alike."""
        if self._adds_up_here:
            return self.to_memory().joint()
        return self.once("joint", lambda table: add_cells(table._tallies().cells))

    def sized_cells(self) -> CellTally:
        """The tally of the cells that are alike."""
        return self.to_memory().sized_cells() if self.one_sided else self._tallies().cells

    def best(self) -> tuple[Best, Best]:
        """Sums over the clusters of each side, from the tallies of those that are alike."""
        if self._adds_up_here:
            return self.to_memory().best()
        return add_best(self._tallies().true), add_best(self._tallies().pred)

    def overlaps(self) -> Overlaps:
        """The scored predicted clusters, from the tally of those that are alike."""
        if self._adds_up_here:
            return self.to_memory().overlaps()
        return add_overlaps(self._tallies().scored, self.n_true_clusters)

    def _tallies(self) -> Tallies:
        return self.once(Tallies, lambda table: count_alike(table._held, table._rest()))

    def _rest(self) -> str:
        """The quoted name of the cells that are not a whole cluster on both sides."""
        return self.once("rest", EngineTable._make_rest)

    def _make_rest(self) -> str:
        self.workspace.purpose = "the cells that are not a whole cluster on both sides, if an index needs best matches"
        trues, preds = map(self._held.clusters, (TRUE, PRED))
        return self.workspace.materialise("rest", self._held.statements.rest(trues, preds))

    def unsettled(self, worth: Worth) -> Unsettled:
        """The cells whose matching is in doubt; the engine matches what is certain where too many would come over."""
        if self._adds_up_here:
            return self.to_memory().unsettled(worth)
        return self.once((Unsettled, worth), lambda table: table._settle(worth))

    def _settle(self, worth: Worth) -> Unsettled:
        alike = self._tallies().cells
        whole = (alike.n == alike.a) & (alike.n == alike.b)
        settled = CellTally(*(column[whole] for column in alike))
        self.workspace.purpose = "what clusters are matched one to one, if an index needs it"
        if worth is Worth.RANK or self._count_rest() <= self._fetch_limit:
            return Unsettled(self._rest_in_memory(), settled, all_cells=False)
        workspace, statements = self.workspace, self._held.statements
        name = worth.name.lower()
        pool = workspace.materialise(f"pool_{name}", statements.worths(self._rest(), worth))
        left = self._count_rest()
        for turn in range(_TURNS):
            certain = workspace.materialise(f"certain_{name}_{turn}", statements.certain(pool))
            found = tally_cells(
                self._held, f"SELECT n, a, b, CAST(COUNT(*) AS BIGINT) AS times FROM {certain} GROUP BY n, a, b"
            )
            if not len(found.n):
                break
            settled = settled + found
            pool = workspace.materialise(f"pool_{name}_{turn}", statements.free_cells(pool, certain))
            left = self._count(pool)
            if left <= self._fetch_limit:
                break
        return Unsettled(self._fetch_pool(pool, left), settled, all_cells=False)

    def _count_rest(self) -> int:
        return self.once("cells of the rest", lambda table: table._count(table._rest()))

    def _rest_in_memory(self, why: str = _MATCHING) -> CellTable:
        """The cells that are not a whole cluster on both sides; they come over once for all who ask."""
        return self.once("rest in memory", lambda table: table._fetch_pool(table._rest(), table._count_rest(), why))

    def _count(self, name: str) -> int:
        return int(self.workspace.row(f"SELECT CAST(COUNT(*) AS BIGINT) AS n FROM {name}", (0,))[0])

    def _fetch_pool(self, name: str, cells: int, why: str = _MATCHING) -> CellTable:
        within_limit(cells, self._max_cells, why)
        return excerpt(self.workspace.fetch(f"SELECT t, p, n, m, a, b FROM {name}"), self._held.labels)

    def changed(self) -> CellTable:
        """The cells that are not a whole cluster on both sides; they come over once, up to the limit."""
        if self._adds_up_here:
            return self.to_memory()
        self.workspace.purpose = "the cells that are not a whole cluster on both sides come over"
        return self._rest_in_memory("finding out which changes hang together")

    def most_changed(self, side: str, k: int) -> CellTable:
        """The k clusters of a side that move most."""
        if self._adds_up_here:
            return self.to_memory()
        mine = TRUE if side == "true" else PRED
        workspace, statements = self.workspace, self._held.statements
        workspace.purpose = "the clusters that change most"
        order = self._held.labels[mine].in_order(workspace.dialect)
        with workspace.lend("moved", statements.most_changed(self._rest(), mine, k, order)) as chosen:
            sql = f"SELECT CAST(COALESCE(SUM(kk), 0) AS BIGINT) AS n FROM {chosen}"
            within_limit(int(workspace.row(sql, (0,))[0]), self._max_cells, "the list of clusters")
            return self._excerpt({mine: chosen})

    def worst(self, side: str, k: int | None) -> Excerpt:
        """The k clusters of a side that lose most pairs."""
        if self.one_sided:
            return self.to_memory().worst("true" if side == "true" else "pred", k)
        mine = TRUE if side == "true" else PRED
        workspace, statements = self.workspace, self._held.statements
        workspace.purpose = "the clusters that lose most pairs"
        clusters = self._held.clusters(mine)
        apart = self._held.apart if mine is PRED else None
        total, losing = map(int, workspace.row(statements.losses(clusters, apart), (0, 0)))
        inside, whole, mixed = map(int, workspace.row(statements.kinds(self._rest(), mine, apart), (0, 0, 0)))
        kinds = {"exact": total - inside - whole - mixed, "inside": inside, "whole": whole, "mixed": mixed}
        with workspace.lend("worst", self._worst_of(mine, k)) as chosen:
            sql = f"SELECT CAST(COALESCE(SUM(kk), 0) AS BIGINT) AS n FROM {chosen}"
            within_limit(int(workspace.row(sql, (0,))[0]), self._max_cells, "the list of clusters")
            return Excerpt(self._excerpt({mine: chosen}), total, losing, kinds)

    def largest(self, k: int) -> CellTable:
        """The cells between the k largest clusters of each side."""
        if self.one_sided:
            return self.to_memory()
        workspace, statements = self.workspace, self._held.statements
        workspace.purpose = "the cells between the largest clusters"
        true, pred = (
            statements.largest(side, self._held.clusters(side), k, labels.in_order(workspace.dialect))
            for side, labels in self._held.labels.items()
        )
        with workspace.lend("largest_t", true) as trues, workspace.lend("largest_p", pred) as preds:
            lines = {side: workspace.fetch(f"SELECT * FROM {name}") for side, name in ((TRUE, trues), (PRED, preds))}
            return self._excerpt({TRUE: trues, PRED: preds}, lines)

    def neighbourhood(self, k: int) -> CellTable:
        """All cells of the k clusters of each side that lose most pairs, and of those that they meet."""
        if self.one_sided:
            return self.to_memory()
        workspace, held, statements = self.workspace, self._held, self._held.statements
        workspace.purpose = "the clusters that lose most pairs, and those that they meet"
        with ExitStack() as lent:
            worst = {
                side: lent.enter_context(workspace.lend(f"worst_{side.label}", self._worst_of(side, k)))
                for side in (TRUE, PRED)
            }
            near = {
                side: lent.enter_context(
                    workspace.lend(f"near_{side.label}", statements.with_met(side, worst[side], across, worst[across]))
                )
                for side, across in ((TRUE, PRED), (PRED, TRUE))
            }
            trues, preds = map(held.clusters, (TRUE, PRED))
            for side, clusters in ((TRUE, trues), (PRED, preds)):
                join = f"FROM {near[side]} z JOIN {clusters} x ON x.{side.label} = z.{side.label}"
                cells = workspace.row(f"SELECT CAST(COALESCE(SUM(x.kk), 0) AS BIGINT) AS n {join}", (0,))[0]
                within_limit(int(cells), self._max_cells, "the map of the worst clusters")
            found = [workspace.fetch(statements.cells_of({side: name}, trues, preds)) for side, name in near.items()]
        return excerpt(join_cells(*found), held.labels)

    def mendable(self, n: int | None) -> Mendable:
        """The cells of the edits that mend most wrong pairs; all where the engine could not add up their pairs."""
        if self._adds_up_here or (self._held.statements.wide_sizes and not self.workspace.dialect.wide):
            return Mendable(self.to_memory(), {})
        return bring_mendable(self._held, self.once("gains", EngineTable._count_gains), n, self._max_cells)

    def _count_gains(self) -> dict[Edits, str]:
        """The names of tables, or statements, of all edits and the wrong pairs that each of them mends."""
        self.workspace.purpose = "how many wrong pairs each repair mends"
        statements, rest = self._held.statements, self._rest()
        gains: dict[Edits, str] = {
            "splits": f"({statements.gains_of_splits(self._held.clusters(PRED))}) x",
            "gathers": self.workspace.materialise("gains", statements.gains_of_gathers(rest)),
        }
        if not statements.simple:
            gains["lone"] = f"({statements.gains_of_lone(rest)}) x"
        return gains

    def _worst_of(self, side: Side, k: int | None) -> str:
        order = self._held.labels[side].in_order(self.workspace.dialect)
        apart = self._held.apart if side is PRED else None
        return self._held.statements.worst(side, self._held.clusters(side), k, apart, order)

    def _excerpt(self, chosen: dict[Side, str], lines: Mapping[Side, Mapping[str, Any]] = _NO_LINES) -> CellTable:
        """The cells of chosen clusters; `lines` are clusters that are to be there even without a cell."""
        trues, preds = map(self._held.clusters, (TRUE, PRED))
        columns = self.workspace.fetch(self._held.statements.cells_of(chosen, trues, preds))
        for side, clusters in lines.items():
            n = len(clusters[side.label])
            empty = {"t": None, "p": None, "n": 0, "m": 0, "a": 1, "b": 1}
            without = {name: [value] * n for name, value in empty.items()} | dict(clusters)
            columns = {name: [*column, *without[name]] for name, column in columns.items()}
        return excerpt(columns, self._held.labels)

    def close(self) -> None:
        """Let the engine forget the table; what has not been asked for so far cannot be asked for any more."""
        self.workspace.close()
