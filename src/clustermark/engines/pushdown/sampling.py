"""Records of a comparison that stays in an engine: how many are alike, which a sample may hold, who is beside them.

A sample is drawn by numbers that md5 makes of ids. The engine passes over the records whose number is too large for any
sample; whoever draws makes the numbers again, so that a sample is the same on every engine, to the last bit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clustermark.engines.pushdown.gather import gather
from clustermark.engines.pushdown.points import BOTH
from clustermark.errors import InputError, Mention

if TYPE_CHECKING:
    from collections.abc import Mapping

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
        self._sized = self._size_cells()

    @property
    def ids(self) -> list[str]:
        """What our statements call the columns of the id."""
        return [one.name for one in self.points.ids]

    @property
    def hashes_here(self) -> bool:
        """Whether the engine makes the numbers of ids that Python makes of their texts."""
        [*kinds] = [one.kind for one in self.points.ids]
        return bool(self.workspace.dialect.hashed) and kinds in (["integer"], ["text"])

    def _size_cells(self) -> str:
        workspace = self.workspace
        workspace.purpose = "the sizes of both clusters of each cell"
        both = f"s = {BOTH} AND " if self._points.joined else ""
        cells = f"(SELECT t, p, n FROM {self.gathered.name} WHERE {both}t IS NOT NULL AND p IS NOT NULL)"
        return workspace.materialise(
            "sized",
            f"SELECT c.t AS t, c.p AS p, c.n AS n, x.a AS a, y.b AS b FROM {cells} c "
            f"JOIN (SELECT t, CAST(SUM(n) AS BIGINT) AS a FROM {cells} c GROUP BY t) x ON c.t = x.t "
            f"JOIN (SELECT p, CAST(SUM(n) AS BIGINT) AS b FROM {cells} c GROUP BY p) y ON c.p = y.p",
        )

    def tally(self) -> Mapping[str, Any]:
        """How many cells have n records in a before cluster of a and an after cluster of b: n, a, b, times."""
        self.workspace.purpose = "how many cells are alike"
        return self.workspace.fetch(
            f"SELECT n, a, b, CAST(COUNT(*) AS BIGINT) AS times FROM {self._sized} GROUP BY n, a, b"
        )

    def count_clusters(self) -> tuple[int, int]:
        """How many before and after clusters there are."""
        self.workspace.purpose = "how many clusters there are"
        counts = ", ".join(f"CAST(COUNT(DISTINCT {side}) AS BIGINT) AS {side}" for side in "tp")
        before, after = self.workspace.row(f"SELECT {counts} FROM {self._sized}", (1, 1))
        return int(before), int(after)

    def rows_near(self, index: str, seed: int, per_mass: Mapping[str, float], most: float) -> Mapping[str, Any]:
        """Records whose key for a kind is at most so large: all that have such pairs, where the engine has no md5."""
        holds = " OR ".join(f"({_HOLDS.get(kind, 'n < a OR n < b')})" for kind in per_mass)
        rows = f"SELECT {self._columns('q', 'z')} FROM ({self._points.sql}) q JOIN {self._cells_with(holds)} z {_MEET}"
        if self.hashes_here and most < float("inf"):
            rows = self._keep_small(rows, index, seed, per_mass, most * _ROOM)
        self.workspace.purpose = "records that the sample may hold"
        with self.workspace.lend("near", rows) as near:
            self._refuse_many(f"SELECT CAST(COUNT(*) AS BIGINT) AS n FROM {near}")
            return self.workspace.fetch(f"SELECT * FROM {near}")

    def rows_holding(self, kind: str) -> Mapping[str, Any]:
        """All records that have pairs of a kind."""
        return self.rows_near("", 0, {kind: 0.0}, float("inf"))

    def _keep_small(self, rows: str, index: str, seed: int, per_mass: Mapping[str, float], most: float) -> str:
        dialect = self.workspace.dialect
        shown = f"CAST({self.ids[0]} AS {dialect.text})"
        number = dialect.hashed.format(f"CONCAT({dialect.literal(f'{seed}:')}, {shown})")
        numbered = f"SELECT x.*, ({number} + 0.5) / {2.0**52!r} AS u FROM ({rows}) x"
        tests = []
        for kind, rate in per_mass.items():
            mass = _MASSES[kind, index].format(double=f"CAST(1 AS {dialect.double}) * ")
            chance = f"LEAST({rate!r} * {mass}, {_SURE})"
            tests.append(f"u * (1 - {chance}) <= {most!r} * (1 - u) * {chance}")
        return f"SELECT {self._columns('y', 'y')} FROM ({numbered}) y WHERE {' OR '.join(tests)}"

    def mates(self, before: list[Any], after: list[Any]) -> Mapping[str, Any]:
        """All records of these before clusters and of these after clusters."""
        tests = [
            f"{side} IN ({', '.join(map(self._literal, labels))})"
            for side, labels in (("t", before), ("p", after))
            if labels
        ]
        cells = self._cells_with(" OR ".join(tests))
        self.workspace.purpose = "records beside those that were drawn"
        self._refuse_many(f"SELECT CAST(COALESCE(SUM(n), 0) AS BIGINT) AS n FROM {cells} z")
        return self.workspace.fetch(
            f"SELECT {self._columns('q', 'z')} FROM ({self._points.sql}) q JOIN {cells} z {_MEET}"
        )

    def _cells_with(self, condition: str) -> str:
        return f"(SELECT t, p, n, a, b FROM {self._sized} WHERE {condition})"

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

    def _refuse_many(self, sql: str) -> None:
        within_rows(int(self.workspace.row(sql, (0,))[0]), self._max_rows)


_CELL = ("t", "p", "n", "a", "b")
_MEET = "ON q.t = z.t AND q.p = z.p"


def within_rows(rows: int, limit: int) -> None:
    """Refuse to bring over more records than a memory should hold."""
    if rows > limit:
        raise InputError(
            f"drawing pairs needs {rows:,} records in memory, and the limit is {limit:,}; allow more by ",
            Mention("max_cells"),
        )
