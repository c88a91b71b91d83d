"""Records of a comparison that stays in an engine: how many are alike, which a sample may hold, who is beside them.

A sample is drawn by numbers that md5 makes of ids. The engine passes over the records whose number is too large for any
sample; whoever draws makes the numbers again, so that a sample is the same on every engine, to the last bit.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from clustermark.engines.pushdown.gather import gather
from clustermark.engines.pushdown.points import BOTH
from clustermark.errors import InputError, Mention

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from clustermark.engines.engine import Workspace
    from clustermark.engines.pushdown.gather import Gathered
    from clustermark.engines.pushdown.points import Points
    from clustermark.tables.policies import Policies

_MASSES = {
    ("split", "b_cubed_precision"): "({double}(a - n) / a)",
    ("merge", "b_cubed_precision"): "({double}(b - n) / b)",
    ("shrunk", "b_cubed_precision"): "CASE WHEN b < a THEN {double}(n - 1) * (a - b) / a / b ELSE 0.0 END",
    ("grown", "b_cubed_precision"): "CASE WHEN b > a THEN {double}(n - 1) * (b - a) / a / b ELSE 0.0 END",
    ("kept", "b_cubed_precision"): "({double}(n - 1) / b)",
    ("split", "pair_precision"): "{double}(a - n)",
    ("merge", "pair_precision"): "{double}(b - n)",
    ("kept", "pair_precision"): "{double}(n - 1)",
    ("affected", ""): "CASE WHEN n < a OR n < b THEN 1.0 ELSE 0.0 END",
}
"""The mass of the pairs of a kind that a record is the first of; as `record_masses` has it, up to rounding."""
_HOLDS = {"split": "n < a", "merge": "n < b", "shrunk": "b < a AND n > 1", "grown": "b > a AND n > 1", "kept": "n > 1"}
_SURE = "0.999999"
_ROOM = 1.000001
"""Keys are compared with so much more than what is asked for, since engines may round in another way."""


class Sampling:
    """The records of points in an engine, by the sizes of their clusters."""

    def __init__(self, workspace: Workspace, points: Points, policies: Policies, max_rows: int) -> None:
        self.workspace, self.points = workspace, points
        self._max_rows = max_rows
        if points.joined:  # the join is made once
            workspace.purpose = "join the two sides"
            joined = workspace.materialise("joined", points.sql)
            points = points._replace(sql=f"SELECT * FROM {joined}")
        self._points = points
        self.gathered: Gathered = gather(workspace, points, policies)
        both = f"s = {BOTH} AND " if points.joined else ""
        self._cells = f"(SELECT t, p, n FROM {self.gathered.name} WHERE {both}t IS NOT NULL AND p IS NOT NULL)"
        workspace.purpose = "clusters of several cells"
        self._before, self._after = (
            workspace.materialise(
                f"several_{side}",
                f"SELECT {side}, COUNT(*) AS parts FROM {self._cells} c GROUP BY {side} HAVING COUNT(*) > 1",
            )
            for side in "tp"
        )
        workspace.purpose = "cells whose cluster gained or lost another, with the sizes of both clusters"
        touched = workspace.materialise("touched", self._meet(self._before, self._after, "parts", "OR"))
        sizes = [
            workspace.materialise(
                f"sizes_{side}",
                f"SELECT {side}, CAST(SUM(n) AS BIGINT) AS size FROM {touched} c WHERE {mark} > 1 GROUP BY {side}",
            )
            for side, mark in (("t", "a"), ("p", "b"))
        ]
        self._sizes = sizes[0], sizes[1]
        self._changed = workspace.materialise("changed", self._meet(*self._sizes, "size", "OR", touched))

    def _meet(self, before: str, after: str, column: str, which: str, cells: str = "") -> str:
        """Cells with what is known of clusters of several cells, as a and b; elsewhere it is the cell's own number.

        which: "OR" takes the cells of which either cluster is known, "" takes all.
        """
        condition = f" WHERE x.t IS NOT NULL {which} y.p IS NOT NULL" if which else ""
        own = "1" if column == "parts" else "c.n"
        known = ", ".join(f"COALESCE({side}.{column}, {own}) AS {name}" for side, name in (("x", "a"), ("y", "b")))
        return (
            f"SELECT c.t AS t, c.p AS p, c.n AS n, {known} FROM {cells or self._cells} c "
            f"LEFT JOIN {before} x ON c.t = x.t LEFT JOIN {after} y ON c.p = y.p{condition}"
        )

    def _sized(self, kinds: Iterable[str]) -> str:
        """The cells in which pairs of these kinds lie: all, if kept pairs are among them, else those that changed."""
        if "kept" not in kinds:
            return self._changed
        if not self.workspace.has("sized"):
            self.workspace.purpose = "all cells, with the sizes of both clusters"
            self.workspace.materialise("sized", self._meet(*self._sizes, "size", ""))
        return self.workspace.name("sized")

    @property
    def ids(self) -> list[str]:
        """What our statements call the columns of the id."""
        return [one.name for one in self.points.ids]

    @property
    def hashes_here(self) -> bool:
        """Whether the engine makes the numbers of ids that Python makes of their texts."""
        kinds = [one.kind for one in self.points.ids]
        return bool(self.workspace.dialect.hashed) and kinds in (["integer"], ["text"])

    def tally(self) -> dict[str, list[int]]:
        """How many cells have n records in a before cluster of a and an after cluster of b: n, a, b, times."""
        self.workspace.purpose = "how many cells are alike"
        fetch = self.workspace.fetch
        changed = fetch(f"SELECT n, a, b, CAST(COUNT(*) AS BIGINT) AS times FROM {self._changed} GROUP BY n, a, b")
        every = fetch(f"SELECT n, CAST(COUNT(*) AS BIGINT) AS times FROM {self._cells} c GROUP BY n")
        rest = Counter(dict(zip(map(int, every["n"]), map(int, every["times"]), strict=True)))
        found = {name: list(map(int, changed[name])) for name in ("n", "a", "b", "times")}
        for n, times in zip(found["n"], found["times"], strict=True):
            rest[n] -= times
        for n, times in rest.items():
            if times:
                for name, value in zip(found, (n, n, n, times), strict=True):
                    found[name].append(value)
        return found

    def count_clusters(self, cells: int) -> tuple[int, int]:
        """How many before and after clusters there are, given the number of cells."""
        self.workspace.purpose = "how many clusters there are"
        more = [
            int(self.workspace.row(f"SELECT CAST(COALESCE(SUM(parts - 1), 0) AS BIGINT) AS n FROM {name}", (0,))[0])
            for name in (self._before, self._after)
        ]
        return cells - more[0], cells - more[1]

    def rows_near(self, index: str, seed: int, per_mass: Mapping[str, float], most: float) -> Mapping[str, Any]:
        """Records whose key for a kind is at most so large: all that have such pairs, where the engine has no md5."""
        holds = " OR ".join(f"({_HOLDS.get(kind, 'n < a OR n < b')})" for kind in per_mass)
        cells = f"SELECT t, p, n, a, b{{}} FROM {self._sized(per_mass)} WHERE {holds}"
        if self.hashes_here and most < float("inf"):
            rows = self._keep_small(cells, index, seed, per_mass, most * _ROOM)
        else:
            rows = self._rows_of(f"({cells.format('')})")
        self.workspace.purpose = "records that the sample may hold"
        return self._bring(rows)

    def rows_holding(self, kind: str) -> Mapping[str, Any]:
        """All records that have pairs of a kind."""
        self.workspace.purpose = f"all records that have pairs of the kind {kind}"
        cells = f"(SELECT t, p, n, a, b FROM {self._sized([kind])} WHERE {_HOLDS[kind]})"
        return self._bring(self._rows_of(cells), drawn=True)

    def _bring(self, rows: str, *, drawn: bool = False) -> Mapping[str, Any]:
        """Rows come over, if they are not too many; the ids of those that may be drawn must be theirs alone."""
        with self.workspace.lend("rows", rows) as name:
            self._refuse_many(name)
            if drawn and not self._points.joined:
                self._check_ids(name)
            return self.workspace.fetch(f"SELECT * FROM {name}")

    def _keep_small(self, cells: str, index: str, seed: int, per_mass: Mapping[str, float], most: float) -> str:
        """Rows of cells whose number is small enough: the limit is made once a cell, and the number once a row."""
        dialect = self.workspace.dialect
        one = f"CAST(1 AS {dialect.double}) * "
        chances = [f"{rate!r} * {_MASSES[kind, index].format(double=one)}" for kind, rate in per_mass.items()]
        largest = f"GREATEST({', '.join(chances)})" if len(chances) > 1 else chances[0]
        chance = f"LEAST({largest}, {_SURE})"
        # a key is the odds of the number over the odds of the chance: it is at most `most` where the number is at most
        limit = f"{most!r} * k / (1 - k + {most!r} * k) * {2.0**52!r}"
        limited = f"SELECT t, p, n, a, b, {limit} AS o FROM ({cells.format(f', {chance} AS k')}) x"
        shown = f"CAST(q.{self.ids[0]} AS {dialect.text})"
        number = dialect.hashed.format(f"CONCAT({dialect.literal(f'{seed}:')}, {shown})")
        # as a difference it is no condition of the join, for which DuckDB would make the number of every row
        return f"{self._rows_of(f'({limited})')} WHERE {number} - z.o <= 0"

    def mates(self, before: list[Any], after: list[Any], kinds: Iterable[str]) -> Mapping[str, Any]:
        """All records of these before clusters and of these after clusters, in which pairs of some kinds lie."""
        tests = " OR ".join(
            f"z.{side} IN ({', '.join(map(self._literal, labels))})"
            for side, labels in (("t", before), ("p", after))
            if labels
        )
        cells = f"(SELECT t, p, n, a, b FROM {self._sized(kinds)} z WHERE {tests})"
        self.workspace.purpose = "records beside those that were drawn"
        return self._bring(self._rows_of(cells), drawn=True)

    def _rows_of(self, cells: str) -> str:
        return f"SELECT {self._columns('q', 'z')} FROM ({self._points.sql}) q JOIN {cells} z {_MEET}"

    def _check_ids(self, drawn: str) -> None:
        """Records must have ids that no other row has."""
        relation = self.points.sources["true"][0]
        lacks = " OR ".join(f"{name} IS NULL" for name in self.ids)
        equal = " AND ".join(f"q.{name} = m.{name}" for name in self.ids)
        found, without = self.workspace.row(
            f"SELECT CAST(COUNT(*) AS BIGINT) AS n, CAST(SUM(CASE WHEN {lacks} THEN 1 ELSE 0 END) AS BIGINT) AS none "
            f"FROM {drawn}",
            (0, 0),
        )
        if without:
            raise InputError(f"{relation.said}: records without an id were drawn; every row needs one")
        [meet] = self.workspace.row(
            f"SELECT CAST(COUNT(*) AS BIGINT) AS n FROM ({self._points.sql}) q JOIN {drawn} m ON {equal}", (0,)
        )
        if meet != found:
            raise InputError(f"{relation.said}: ids of records that were drawn are there twice; remove the duplicates")

    def _literal(self, label: Any) -> str:
        if isinstance(label, bool):
            return "TRUE" if label else "FALSE"
        return repr(label) if isinstance(label, float) else self.workspace.dialect.literal(label)

    def _columns(self, of_id: str, of_cell: str) -> str:
        names = [
            *(f"{of_id}.{name} AS {name}" for name in self.ids),
            *(f"{of_cell}.{name} AS {name}" for name in _CELL),
        ]
        return ", ".join(names)

    def _refuse_many(self, name: str) -> None:
        rows = int(self.workspace.row(f"SELECT CAST(COUNT(*) AS BIGINT) AS n FROM {name}", (0,))[0])
        if rows > self._max_rows:
            raise InputError(
                f"drawing pairs needs {rows:,} records in memory, and the limit is {self._max_rows:,}; allow more by ",
                Mention("max_cells"),
            )


_CELL = ("t", "p", "n", "a", "b")
_MEET = "ON q.t = z.t AND q.p = z.p"
