"""The table whose cells stay in an engine, which fetches the cells only when a caller needs them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clustermark._kernel import Worth
from clustermark.engines.pushdown.bring import bring_cells
from clustermark.engines.pushdown.gather import fetch_cells, most_cells_at_once, within_limit
from clustermark.engines.pushdown.hold import hold
from clustermark.engines.pushdown.statements import PRED, TRUE
from clustermark.engines.pushdown.tally import TalliedCells
from clustermark.errors import InputError, Mention
from clustermark.tables.cells import CellTable
from clustermark.tables.contingency import Account, Contingency, Origin
from clustermark.tables.noise import look_for_noise
from clustermark.tables.parts import Census, Changed

if TYPE_CHECKING:
    from collections.abc import Callable, Collection
    from typing import Self

    from clustermark.engines.pushdown.gather import Gathered
    from clustermark.engines.pushdown.hold import Held
    from clustermark.engines.pushdown.statements import SideColumns
    from clustermark.tables import contingency
    from clustermark.tables.contingency import T
    from clustermark.tables.parts import EditableCells, OpenMatching, Selection
    from clustermark.tables.policies import Policies
    from clustermark.tables.sums import Best, CellTally, Joint, Overlaps, Profile


def push_down(gathered: Gathered, max_cells: int, *, bring: bool = False) -> EngineTable:
    """Return the table of gathered cells that stay in the engine.

    bring: whether the cells are also fetched, if memory allows.
    """
    policies = gathered.policies
    if gathered.points.weighted:
        raise InputError("a table with real weights cannot stay in an engine; choose ", Mention("push_down", False))
    brought = bring_cells(gathered) if bring else None
    gathered.workspace.keep()
    held = hold(gathered, brought)
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
    return EngineTable(held, account, max_cells, brought)


def _dropped(missing: int, unmatched: int, policies: Policies) -> int:
    return missing * (policies.missing == "drop") + unmatched * (policies.unmatched == "drop")


class EngineTable(Contingency):
    """A table whose cells are stored in an engine.

    Its profile and its tallies are computed there, or by the kernel if the cells were fetched too. Lists of clusters
    are computed there. The cells themselves are fetched when an index or a list needs them, up to `max_cells`; with
    items of one side only, everything beyond the profile needs them. `close` drops the tables in the engine; so does
    the end of the last reference to this table.
    """

    __slots__ = ("_brought", "_fetch_limit", "_held", "_max_cells", "workspace")

    def __init__(self, held: Held, account: Account, max_cells: int, brought: CellTable | None = None) -> None:
        gathered = held.gathered
        self.workspace = gathered.workspace
        origin = Origin(gathered.settings, self.workspace.statements)  # the list grows with every query
        super().__init__(account, origin, plain=not account.one_sided and not held.unscored)
        self._held = held
        self._max_cells = max_cells
        self._fetch_limit = min(max_cells, most_cells_at_once(self.workspace, gathered.points))
        self._brought = brought is not None
        if brought is not None:
            self.once(CellTable, lambda _: brought)

    def once(self, key: object, make: Callable[[Self], T]) -> T:
        """Return the stored result of `make`, which one thread runs: a statement that creates a table must run once."""
        with self.workspace.lock:
            return super().once(key, make)

    @property
    def in_memory(self) -> bool:
        """False, also after `to_memory`, which returns another table."""
        return False

    def to_memory(self) -> CellTable:
        """Return the cells as a table in memory, fetched on the first call."""
        return self.once(CellTable, EngineTable._fetch)

    def _fetch(self) -> CellTable:
        within_limit(self._held.gathered.cells, self._max_cells, "what was asked for")
        return fetch_cells(self._held.gathered)

    @property
    def _in_engine(self) -> TalliedCells:
        # created when needed: stored here, it would be a reference cycle, and the engine would drop its tables late
        return TalliedCells(self, self._held, self._max_cells, self._fetch_limit)

    def _sums(self) -> CellTable | TalliedCells:
        """Return the source of sums over all cells: the cells, if they were or must be fetched, otherwise tallies."""
        return self.to_memory() if self._brought or self.one_sided else self._in_engine

    def _lists(self) -> CellTable | TalliedCells:
        """Return the source of lists of clusters: the engine, unless there are items of one side only."""
        return self.to_memory() if self.one_sided else self._in_engine

    @property
    def profile(self) -> Profile:
        """The three small integer tables from which most indices are computed."""
        return self._held.profile

    @property
    def unscored(self) -> list[Any]:
        """Predicted labels with the noise policy "unscored"."""
        return list(self._held.unscored)

    @property
    def n_unscored(self) -> int:
        """Number of points with such a predicted label."""
        return sum(self._held.unscored.values())

    def count_labels(self, side: contingency.Side, labels: Collection[Any]) -> dict[Any, int]:
        """Return the number of points of the table with each of these labels."""
        if self._brought and not self.one_sided:
            return self.to_memory().count_labels(side, labels)
        return self._held.count_labels(TRUE if side == "true" else PRED, labels)

    def joint(self) -> Joint:
        """Return sums over all cells."""
        return self.once("joint", lambda table: table._sums().joint())

    def sized_cells(self) -> CellTally:
        """Return the tally of equal cells."""
        return self.to_memory().sized_cells() if self.one_sided else self._in_engine.tallies().cells

    def best(self) -> tuple[Best, Best]:
        """Return sums over the clusters of each side."""
        return self._sums().best()

    def overlaps(self) -> Overlaps:
        """Return sums over the scored predicted clusters."""
        return self._sums().overlaps()

    def part(self, which: Selection) -> CellTable:
        """Return the cells of a selection, from the engine where it can find them."""
        return (self._sums() if isinstance(which, Changed) else self._lists()).part(which)

    def matching(self, worth: Worth) -> OpenMatching:
        """Return the cells still to be matched."""
        return self._sums().matching(worth)

    def edits(self, n: int | None) -> EditableCells:
        """Return the cells of the edits that repair most wrong pairs."""
        return self._sums().edits(n)

    def census(self, side: contingency.Side) -> Census:
        """Return counts of the labelled clusters of one side; their kinds are counted on first access."""
        if self.one_sided:
            return self.to_memory().census(side)
        mine = TRUE if side == "true" else PRED
        clusters, losing = self.once(("losing clusters", side), lambda table: table._count_losing(mine))

        def count_kinds() -> dict[str, int]:
            inside, whole, mixed = self.once(("kinds", side), lambda table: table._count_kinds(mine))
            return {"exact": clusters - inside - whole - mixed, "inside": inside, "whole": whole, "mixed": mixed}

        return Census(clusters, losing, count_kinds)

    def _count_losing(self, side: SideColumns) -> tuple[int, ...]:
        self.workspace.purpose = "how many clusters lose pairs"
        sql = self._held.statements.losses(self._held.clusters(side), self._held.apart(side))
        return tuple(map(int, self.workspace.row(sql, (0, 0))))

    def _count_kinds(self, side: SideColumns) -> tuple[int, ...]:
        rest = self._in_engine.rest()
        self.workspace.purpose = "how many clusters are inside another, made of whole ones, or mixed"
        sql = self._held.statements.kinds(rest, side, self._held.apart(side))
        return tuple(map(int, self.workspace.row(sql, (0, 0, 0))))

    def close(self) -> None:
        """Drop the tables in the engine; only results computed before are available afterwards."""
        self.workspace.close()


def ask_all(table: Contingency) -> None:
    """Compute all statistics that indices need beside the profile, so that a dry run records every statement."""
    look_for_noise(table)
    table.joint()
    table.matching(Worth.POINTS)
