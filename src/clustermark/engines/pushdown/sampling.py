"""Records of a comparison in an engine: numbers of similar records, candidates for a sample, and their mates.

A sample is drawn by numbers computed from ids by md5. The engine skips the records whose number is too large for any
sample; the caller recomputes the numbers, so that a sample is the same on every engine, to the last bit.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from clustermark.engines.pushdown.gather import gather
from clustermark.engines.pushdown.point_rows import BOTH
from clustermark.errors import InputError, Mention

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from clustermark.engines.engine import Workspace
    from clustermark.engines.pushdown.gather import Gathered
    from clustermark.engines.pushdown.point_rows import PointRows
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
"""The mass of the pairs of a kind whose first record is a given one; equal to `record_masses` up to rounding."""
_HOLDS = {
    "split": "n < a",
    "merge": "n < b",
    "shrunk": "b < a AND n > 1",
    "grown": "b > a AND n > 1",
    "kept": "n > 1",
    "affected": "n < a OR n < b",
}
PARTS = {"split": 0, "affected": 0, "merge": 1, "shrunk": 2, "grown": 2, "kept": 2}
"""The part of a record's digest that is its random number for a kind. No record has pairs of two kinds of one part."""
DIGITS = 10
"""Hexadecimal digits of each part."""
_SURE = "0.999999"
_KEPT = 20_000_000
"""Maximum number of records that are stored beside the points, so that these need not be read again."""
_ROOM = 1.000001
"""Factor by which keys may exceed the threshold, since engines may round differently."""


class Sampling:
    """The records of points in an engine, by the sizes of their clusters."""

    def __init__(
        self, workspace: Workspace, points: PointRows, policies: Policies, max_rows: int, *, sliced: bool = False
    ) -> None:
        self.workspace, self.points, self.sliced = workspace, points, sliced
        self._max_rows = max_rows
        if points.joined:  # run the join once
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
        touched = workspace.materialise("touched", self._meet(self._before, self._after, "parts"))
        sizes = [
            workspace.materialise(
                f"sizes_{side}",
                f"SELECT {side}, CAST(SUM(n) AS BIGINT) AS size FROM {touched} c WHERE {mark} > 1 GROUP BY {side}",
            )
            for side, mark in (("t", "a"), ("p", "b"))
        ]
        self._sizes = sizes[0], sizes[1]
        self._changed = workspace.materialise("changed", self._meet(*self._sizes, "size", touched))

    def _meet(self, before: str, after: str, column: str, cells: str = "", *, every: bool = False) -> str:
        """Return the cells with a column of clusters of several cells, as a and b; a cluster of one cell is the cell.

        every: whether all cells are taken, and not only those in a cluster of several cells.
        """
        condition = "" if every else " WHERE x.t IS NOT NULL OR y.p IS NOT NULL"
        own = "1" if column == "parts" else "c.n"
        known = ", ".join(f"COALESCE({side}.{column}, {own}) AS {name}" for side, name in (("x", "a"), ("y", "b")))
        return (
            f"SELECT c.t AS t, c.p AS p, c.n AS n, {known} FROM {cells or self._cells} c "
            f"LEFT JOIN {before} x ON c.t = x.t LEFT JOIN {after} y ON c.p = y.p{condition}"
        )

    def _rows(self, kinds: Iterable[str]) -> str:
        """Return the records that can have pairs of these kinds, for a FROM clause: i, t, p, n, a and b.

        The records of changed cells are stored, unless they are very many. The kind "kept" needs all records.
        """
        workspace = self.workspace
        if "kept" in kinds:
            return f"({self._join(self._cells_of(kinds))})"
        if not workspace.has("records"):
            sql = f"SELECT CAST(COALESCE(SUM(n), 0) AS BIGINT) AS n FROM {self._changed}"
            if workspace.row(sql, (0,))[0] > _KEPT:
                return f"({self._join(self._changed)})"
            workspace.purpose = "the records of cells that changed"
            workspace.materialise("records", self._join(self._changed))
        return workspace.name("records")

    def _cells_of(self, kinds: Iterable[str]) -> str:
        """Return the cells that contain pairs of these kinds."""
        workspace = self.workspace
        if "kept" not in kinds:
            return self._changed
        if not workspace.has("sized"):
            workspace.purpose = "all cells, with the sizes of both clusters"
            workspace.materialise("sized", self._meet(*self._sizes, "size", every=True))
        return workspace.name("sized")

    def _join(self, cells: str) -> str:
        own = [*self.ids, *(["g"] if self.sliced else [])]
        names = [*(f"q.{name} AS {name}" for name in own), *(f"z.{name} AS {name}" for name in "tpnab")]
        return f"SELECT {', '.join(names)} FROM ({self._points.sql}) q JOIN {cells} z ON q.t = z.t AND q.p = z.p"

    @property
    def ids(self) -> list[str]:
        """Names of the columns of the id in statements."""
        return [one.name for one in self.points.ids]

    @property
    def hashes_here(self) -> bool:
        """Whether the engine can compute the numbers of ids that Python computes from their texts."""
        kinds = [one.kind for one in self.points.ids]
        return bool(self.workspace.dialect.hashed) and kinds in (["integer"], ["text"])

    def tally(self) -> dict[str, list[int]]:
        """Count the cells of n records in a before cluster of size a and an after cluster of size b: n, a, b, times."""
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
        """Return the numbers of before and after clusters, given the number of cells."""
        self.workspace.purpose = "how many clusters there are"
        more = [
            int(self.workspace.row(f"SELECT CAST(COALESCE(SUM(parts - 1), 0) AS BIGINT) AS n FROM {name}", (0,))[0])
            for name in (self._before, self._after)
        ]
        return cells - more[0], cells - more[1]

    def tally_slices(self, kinds: Iterable[str]) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
        """Count the alike records of each slice that can have pairs of these kinds, and all records of each slice."""
        rows, both = self._rows(kinds), f"s = {BOTH} AND " if self._points.joined else ""
        self.workspace.purpose = "how many records of each slice are alike"
        count = "CAST(COUNT(*) AS BIGINT) AS records"
        return (
            self.workspace.fetch(f"SELECT g, n, a, b, {count} FROM {rows} r GROUP BY g, n, a, b"),
            self.workspace.fetch(
                f"SELECT g, {count} FROM ({self._points.sql}) q WHERE {both}t IS NOT NULL AND p IS NOT NULL GROUP BY g"
            ),
        )

    def rows_near(self, index: str, seed: int, per_mass: Mapping[str, float], most: float) -> Mapping[str, Any]:
        """Return records whose key for a kind is at most `most`; all that have such pairs, if the engine has no md5."""
        holds = " OR ".join(f"({_HOLDS[kind]})" for kind in per_mass)
        small = self._is_small(index, seed, per_mass, most) if self.hashes_here and most < float("inf") else "n > 0"
        rows = f"SELECT * FROM {self._rows(per_mass)} r WHERE ({holds}) AND {small}"
        self.workspace.purpose = "records that the sample may hold"
        return self._bring(rows)

    def rows_holding(self, kind: str) -> Mapping[str, Any]:
        """Return all records that have pairs of a kind."""
        rows = f"SELECT * FROM {self._rows([kind])} r WHERE {_HOLDS[kind]}"
        self.workspace.purpose = f"all records that have pairs of the kind {kind}"
        return self._bring(rows, drawn=True)

    def _bring(self, rows: str, *, drawn: bool = False) -> Mapping[str, Any]:
        """Fetch rows, if they are not too many; raise an error if a record that may be drawn has no unique id."""
        with self.workspace.lend("rows", rows) as name:
            self._refuse_many(name)
            if drawn and not self._points.joined:
                self._check_ids(name)
            return self.workspace.fetch(f"SELECT * FROM {name}")

    def _is_small(self, index: str, seed: int, per_mass: Mapping[str, float], most: float) -> str:
        """Return the condition that a number of a record is small enough for a sample of its kind."""
        dialect = self.workspace.dialect
        digest = f"md5(CONCAT({dialect.literal(f'{seed}:')}, CAST({self.ids[0]} AS {dialect.text})))"
        tests = []
        for part in sorted({PARTS[kind] for kind in per_mass}):
            rates = {kind: rate for kind, rate in per_mass.items() if PARTS[kind] == part}
            bound = self._bound(index, rates, most)
            sql = f"SELECT MAX({bound}) AS o FROM {self._cells_of(per_mass)}"
            largest = int(float(self.workspace.row(sql, (1.0,))[0] or 0))
            digits = f"SUBSTR({digest}, {1 + DIGITS * part}, {DIGITS})"
            # a comparison of texts excludes most records; the exact one is a difference, which DuckDB does not move
            # into the join, where it would compute the number of every row
            few = f"{digits} < {dialect.literal(f'{largest + 1:0{DIGITS}x}')}"
            tests.append(f"({few} AND {dialect.hashed.format(digits)} - {bound} <= 0)")
        return f"({' OR '.join(tests)})"

    def _bound(self, index: str, rates: Mapping[str, float], most: float) -> str:
        """Return the largest number with which a record may be drawn for one of these kinds.

        A key is the odds of the number divided by the odds of the probability, which bounds the number.
        """
        double = self.workspace.dialect.double
        one = f"CAST(1 AS {double}) * "
        chances = [f"{rate!r} * {_MASSES[kind, index].format(double=one)}" for kind, rate in rates.items()]
        largest = f"GREATEST({', '.join(chances)})" if len(chances) > 1 else chances[0]
        chance = f"CAST(LEAST({largest}, {_SURE}) AS {double})"
        share = f"{chance} * {most * _ROOM!r}"
        return f"{share} * {16.0**DIGITS!r} / (1 - {chance} + {share})"

    def mates(self, before: list[Any], after: list[Any], kinds: Iterable[str]) -> Mapping[str, Any]:
        """Return all records of these before and after clusters in cells that contain pairs of some kinds."""
        tests = [
            f"{side} IN ({', '.join(map(self._literal, labels))})"
            for side, labels in (("t", before), ("p", after))
            if labels
        ]
        rows = f"SELECT * FROM {self._rows(kinds)} r WHERE {' OR '.join(tests)}"
        self.workspace.purpose = "records beside those that were drawn"
        return self._bring(rows, drawn=True)

    def _check_ids(self, drawn: str) -> None:
        """Raise an error if records have an id that is missing or not unique."""
        relation = self.points.sources["true"][0]
        lacks = " OR ".join(f"{name} IS NULL" for name in self.ids)
        equal = " AND ".join(f"q.{name} = m.{name}" for name in self.ids)
        found, without = self.workspace.row(
            f"SELECT CAST(COUNT(*) AS BIGINT) AS n, CAST(SUM(CASE WHEN {lacks} THEN 1 ELSE 0 END) AS BIGINT) AS none "
            f"FROM {drawn}",
            (0, 0),
        )
        if without:
            raise InputError(f"{relation.called}: records without an id were drawn; every row needs one")
        [meet] = self.workspace.row(
            f"SELECT CAST(COUNT(*) AS BIGINT) AS n FROM ({self._points.sql}) q JOIN {drawn} m ON {equal}", (0,)
        )
        if meet != found:
            raise InputError(
                f"{relation.called}: ids of records that were drawn are there twice; remove the duplicates"
            )

    def _literal(self, label: Any) -> str:
        if isinstance(label, bool):
            return "TRUE" if label else "FALSE"
        return repr(label) if isinstance(label, float) else self.workspace.dialect.literal(label)

    def _refuse_many(self, name: str) -> None:
        rows = int(self.workspace.row(f"SELECT CAST(COUNT(*) AS BIGINT) AS n FROM {name}", (0,))[0])
        if rows > self._max_rows:
            raise InputError(
                f"drawing pairs needs {rows:,} records in memory, and the limit is {self._max_rows:,}; allow more by ",
                Mention("max_cells"),
            )
