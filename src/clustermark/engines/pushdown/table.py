"""The table whose cells stay in an engine: it returns tallies, and the cells only when a caller needs them."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np

from clustermark._kernel import Worth
from clustermark.engines.pushdown.bring import bring_cells
from clustermark.engines.pushdown.gather import fetch_cells, most_cells_at_once, within_limit
from clustermark.engines.pushdown.hold import hold
from clustermark.engines.pushdown.selections import fetch_edits, fetch_selection, table_of_cells
from clustermark.engines.pushdown.statements import PRED, TRUE, SideColumns
from clustermark.errors import InputError, Mention
from clustermark.tables.cells import CellTable
from clustermark.tables.contingency import Account, Contingency, Origin
from clustermark.tables.parts import Census, Changed, EditableCells, OpenMatching
from clustermark.tables.policies import look_for_noise
from clustermark.tables.sums import (
    CellTally,
    ClusterTally,
    Tallies,
    add_best,
    add_cells,
    add_overlaps,
    whole_clusters,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Collection
    from typing import Self

    from numpy.typing import NDArray

    from clustermark.engines.pushdown.gather import Gathered
    from clustermark.engines.pushdown.hold import Held
    from clustermark.tables import contingency
    from clustermark.tables.contingency import T
    from clustermark.tables.parts import Edits, Selection
    from clustermark.tables.policies import Policies
    from clustermark.tables.sums import Best, Joint, Overlaps, Profile


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


_ROUNDS = 12
"""Maximum number of rounds in which an engine determines certain matches."""
_MATCHING = "matching clusters one to one"


class TalliedCells:
    """Statistics of the cells in an engine, computed without fetching them.

    Tables are created in the engine when first needed, and stored under the table's lock by `once`.
    """

    def __init__(self, table: EngineTable, held: Held, max_cells: int, fetch_limit: int) -> None:
        self._table = table
        self.held = held
        self.max_cells = max_cells
        self._fetch_limit = fetch_limit

    def joint(self) -> Joint:
        """Return sums over all cells."""
        return add_cells(self.tallies().cells)

    def best(self) -> tuple[Best, Best]:
        """Return sums over the clusters of each side."""
        return add_best(self.tallies().true), add_best(self.tallies().pred)

    def overlaps(self) -> Overlaps:
        """Return sums over the scored predicted clusters."""
        return add_overlaps(self.tallies().scored, self._table.n_true_clusters)

    def part(self, which: Selection) -> CellTable:
        """Return the cells of a selection, in memory."""
        return fetch_selection(self, which)

    def edits(self, n: int | None) -> EditableCells:
        """Return the cells of the edits that repair most wrong pairs; all cells if the sums of pairs are too large."""
        if self.held.statements.wide_sizes and not self.held.workspace.dialect.wide:
            return EditableCells(self._table.to_memory(), {})
        return fetch_edits(self, self._table.once("gains", lambda _: self._count_gains()), n)

    def _count_gains(self) -> dict[Edits, str]:
        """Return tables or statements with all edits and the number of wrong pairs that each repairs."""
        held, statements, rest = self.held, self.held.statements, self.rest()
        held.workspace.purpose = "how many wrong pairs each repair corrects"
        gains: dict[Edits, str] = {
            "splits": f"({statements.gains_of_splits(held.clusters(PRED))}) x",
            "gathers": held.workspace.materialise("gains", statements.gains_of_gathers(rest)),
        }
        if not statements.simple:
            gains["lone"] = f"({statements.gains_of_lone(rest)}) x"
        return gains

    def tallies(self) -> Tallies:
        """Return the tallies of all cells and clusters."""
        return self._table.once(Tallies, lambda _: count_alike(self.held, self.rest()))

    def rest(self) -> str:
        """Return the quoted name of the cells that are not a whole cluster on both sides."""
        return self._table.once("rest", lambda _: self._make_rest())

    def _make_rest(self) -> str:
        held = self.held
        held.workspace.purpose = "the cells that are not a whole cluster on both sides, if an index needs best matches"
        trues, preds = map(held.clusters, (TRUE, PRED))
        return held.workspace.materialise("rest", held.statements.rest(trues, preds))

    def rest_in_memory(self, why: str = _MATCHING) -> CellTable:
        """Return the same cells in memory; they are fetched once for all callers, up to the limit."""
        return self._table.once("rest in memory", lambda _: self._fetch_cells(self.rest(), self._count_rest(), why))

    def _count_rest(self) -> int:
        return self._table.once("cells of the rest", lambda _: self._count(self.rest()))

    def _count(self, name: str) -> int:
        return int(self.held.workspace.row(f"SELECT CAST(COUNT(*) AS BIGINT) AS n FROM {name}", (0,))[0])

    def _fetch_cells(self, name: str, cells: int, why: str = _MATCHING) -> CellTable:
        within_limit(cells, self.max_cells, why)
        return table_of_cells(self.held.workspace.fetch(f"SELECT t, p, n, m, a, b FROM {name}"), self.held.labels)

    def matching(self, worth: Worth) -> OpenMatching:
        """Return the cells still to be matched; the engine matches certain ones if there are too many to fetch."""
        return self._table.once((OpenMatching, worth), lambda _: self._settle(worth))

    def _settle(self, worth: Worth) -> OpenMatching:
        alike = self.tallies().cells
        whole = (alike.n == alike.a) & (alike.n == alike.b)
        settled = CellTally(*(column[whole] for column in alike))
        workspace, statements = self.held.workspace, self.held.statements
        workspace.purpose = "what clusters are matched one to one, if an index needs it"
        if worth is Worth.RANK or self._count_rest() <= self._fetch_limit:
            return OpenMatching(self.rest_in_memory(), settled, all_cells=False)
        name = worth.name.lower()
        pool = workspace.materialise(f"pool_{name}", statements.worths(self.rest(), worth))
        left = self._count_rest()
        for turn in range(_ROUNDS):
            certain = workspace.materialise(f"certain_{name}_{turn}", statements.certain(pool))
            found = _fetch_tally(
                self.held, f"SELECT n, a, b, CAST(COUNT(*) AS BIGINT) AS times FROM {certain} GROUP BY n, a, b"
            )
            if not len(found.n):
                break
            settled = settled + found
            pool = workspace.materialise(f"pool_{name}_{turn}", statements.free_cells(pool, certain))
            left = self._count(pool)
            if left <= self._fetch_limit:
                break
        return OpenMatching(self._fetch_cells(pool, left), settled, all_cells=False)


def count_alike(held: Held, rest: str) -> Tallies:
    """Return the tallies of a table; `rest` names its cells that are not a whole cluster on both sides."""
    held.workspace.purpose = (
        "cells and clusters that are alike, counted: the Jaccard-Concentration Index, best matches, matchings"
    )
    cells = _fetch_tally(held, held.statements.alike(rest))
    # the cells that are a cluster on both sides, which are not in the rest
    whole = _whole(held, Counter(dict(held.profile.cell_sizes)), cells.n, cells.times)
    true, pred = (_side(held, rest, side) + whole for side in (TRUE, PRED))
    every = cells + CellTally(whole.size, whole.size, whole.size, whole.times)
    return Tallies(every, true, pred, pred + _unscored_clusters(held, rest) if held.unscored else pred)


def _fetch_tally(held: Held, sql: str) -> CellTally:
    """Return the cells that a statement counts, by n, a and b."""
    columns = held.workspace.fetch(sql)
    return CellTally(*(_whole_numbers(columns[name]) for name in CellTally._fields))


def _whole(held: Held, sizes: Counter[int], known: NDArray[np.int64], times: NDArray[np.int64]) -> ClusterTally:
    """Return clusters of these sizes without the known ones, each of which equals a cluster of the other side."""
    for size, count in zip(known.tolist(), times.tolist(), strict=True):
        sizes[size] -= count
    left = {size: count for size, count in sizes.items() if count}
    keys, counts = (np.array(list(numbers), np.int64) for numbers in (left.keys(), left.values()))
    return whole_clusters(keys, counts, wide=held.statements.wide)


def _side(held: Held, rest: str, side: SideColumns) -> ClusterTally:
    labelled = _clusters(held, held.statements.clusters_alike(rest, side))
    if held.statements.simple:
        return labelled
    alone = held.workspace.fetch(held.statements.alone_alike(rest, side))
    other = _whole_numbers(alone["other"])
    ones = np.ones(len(other), np.int64)
    squares = ones.astype(object) if held.statements.wide else ones
    jaccard, f = 1.0 / other.astype(np.float64), 2.0 / (1 + other).astype(np.float64)
    return labelled + ClusterTally(ones, squares, jaccard, f, jaccard, _whole_numbers(alone["times"]))


def _unscored_clusters(held: Held, rest: str) -> ClusterTally:
    """Return the unscored clusters, each counted -1 times."""
    in_rest = _clusters(held, held.statements.clusters_alike(rest, PRED, f" AND {held.apart(PRED)}"))
    both = in_rest + _whole(held, Counter(held.unscored.values()), in_rest.size, in_rest.times)
    return both._replace(times=-both.times)


def _clusters(held: Held, sql: str) -> ClusterTally:
    columns = held.workspace.fetch(sql)
    squares = columns["squares"]
    jaccard, f, larger = (np.asarray(columns[name], np.float64) for name in ("jaccard", "f", "larger"))
    return ClusterTally(
        _whole_numbers(columns["size"]),
        np.array(_ints(squares), object) if held.statements.wide else _whole_numbers(squares),
        jaccard,
        f,
        larger,
        _whole_numbers(columns["times"]),
    )


def _whole_numbers(column: NDArray[Any] | list[Any]) -> NDArray[np.int64]:
    if isinstance(column, np.ndarray) and column.dtype.kind in "iu":
        return column.astype(np.int64, copy=False)
    return np.asarray(_ints(column), np.int64)


def _ints(column: NDArray[Any] | list[Any]) -> list[int]:
    return [int(number) for number in column]
