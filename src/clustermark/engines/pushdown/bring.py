"""Fetch cells or points with integer labels without lookups or copies, in parts if there are many.

Points are fetched if they are not too many: the kernel counts them faster than an engine groups them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clustermark import _kernel
from clustermark.engines.engine import Sharing
from clustermark.errors import EngineError
from clustermark.labels import Labeling
from clustermark.tables.cells import CellTable
from clustermark.tables.contingency import Account, Origin
from clustermark.tables.policies import PLAIN
from clustermark.tables.tabulation import tabulate_codes

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from clustermark.engines.engine import Workspace
    from clustermark.engines.pushdown.gather import Gathered
    from clustermark.engines.pushdown.point_rows import PointRows
    from clustermark.tables.policies import Policies

_CELL, _CLUSTER = 16, 160
"""Bytes that a cell takes in the kernel, and maximum for all results about a cluster."""
_PART = 300_000_000
"""Maximum number of bytes of the cells of a part during the transfer."""
_POINT = 48
"""Bytes that a point takes during the transfer and in the kernel."""
_NEAR = 1 << 16
"""A range of labels up to this width, or twice the number of cells, is dense: no lookup is needed, as in the kernel."""


def bring_points(
    workspace: Workspace,
    points: PointRows,
    policies: Policies,
    settings: Mapping[str, Any],
    max_cells: int,
    threads: int | None,
) -> CellTable | None:
    """Return the table of fetched points; None if these are not integers, too few, too many, or lack labels."""
    if policies != PLAIN:
        return None
    sides = bring_columns(workspace, points, ["t", "p"], max_cells)
    if sides is None:
        return None
    origin = Origin(settings, tuple(workspace.statements))
    return tabulate_codes(Labeling(sides["t"]), Labeling(sides["p"]), None, None, PLAIN, threads, origin=origin)


def bring_columns(
    workspace: Workspace, points: PointRows, names: Sequence[str], most: int
) -> Mapping[str, NDArray[Any]] | None:
    """Return columns of all points, with t and p; None if they are not integers, too few, too many, or have NULL."""
    engine, relation = workspace.engine, points.sources["true"][0]
    if not _are_integers(points) or points.counted or points.joined or not relation.counted:
        return None
    if not isinstance(engine, Sharing) or (memory := engine.memory) is None:
        return None
    fewest = workspace.limits.fewest_points
    most = min(workspace.limits.most_points, most, memory // (_POINT * len(names)))
    workspace.purpose = f"fetch the points, which the kernel counts, if they are {fewest:,} to {most:,}; otherwise:"
    known = ", ".join(f"COUNT({name}) AS n_{name}" for name in names)
    rows, *there = map(
        int, workspace.row(f"SELECT COUNT(*) AS n, {known} FROM ({points.sql}) x", (0, *[0] * len(names)))
    )
    if not workspace.dry and (not fewest <= rows <= most or set(there) != {rows}):
        return None
    columns = workspace.fetch_integers(f"SELECT {', '.join(names)} FROM ({points.sql}) x", rows)
    if workspace.dry or not all(isinstance(column, np.ndarray) for column in columns.values()):
        return None
    return columns


def bring_cells(gathered: Gathered) -> CellTable | None:
    """Return the cells in memory; None if they take more than half of the engine's memory, which keeps the rest."""
    workspace, engine = gathered.workspace, gathered.workspace.engine
    if not _are_plain(gathered):
        return None
    if not isinstance(engine, Sharing) or (memory := engine.memory) is None:
        return None
    workspace.purpose = "fetch the cells too, which the kernel adds up, if they take no more than half of the memory"
    sql = f"SELECT MIN(t) AS a, MAX(t) AS b, MIN(p) AS c, MAX(p) AS d FROM {gathered.name}"
    bounds = Bounds(*map(int, workspace.row(sql, (0, 0, 0, 0))))
    needed = _CELL * gathered.cells + _CLUSTER * sum(bounds.widths)
    on_their_way = min(_PART, 72 * gathered.cells)
    if max(bounds.widths) > 1 << 32 or 2 * needed > memory or 4 * (needed + on_their_way) > 3 * memory:
        return None
    parts = workspace.fetch_parts(gathered.name, "t, p, n", gathered.cells)
    if workspace.dry:
        return None
    engine.leave_memory(needed + on_their_way)
    return _collect(parts, gathered, bounds, Origin(gathered.settings, tuple(workspace.statements)))


def collect_cells(columns: Mapping[str, Any], gathered: Gathered, origin: Origin) -> CellTable | None:
    """Return the table of fetched cells; None if their labels are not integers in a dense range."""
    sides = columns["t"], columns["p"]
    if not _are_plain(gathered) or not all(isinstance(side, np.ndarray) for side in sides):
        return None
    bounds = Bounds(*(int(bound) for side in sides for bound in (side.min(), side.max())))
    if max(bounds.widths) > max(_NEAR, 2 * gathered.cells):
        return None
    return _collect([columns], gathered, bounds, origin)


class Bounds(NamedTuple):
    """The smallest and the largest label of each side."""

    low_true: int
    high_true: int
    low_pred: int
    high_pred: int

    @property
    def widths(self) -> tuple[int, int]:
        """Number of possible labels on each side, within the bounds."""
        return self.high_true - self.low_true + 1, self.high_pred - self.low_pred + 1


def _are_plain(gathered: Gathered) -> bool:
    """Return whether a cell is two integers and a count: no policy moves a point, so each cell occurs once."""
    return gathered.policies == PLAIN and _are_integers(gathered.points)


def _are_integers(points: PointRows) -> bool:
    return not points.weighted and points.true_kind == points.pred_kind == "integer"


def _collect(parts: Iterable[Mapping[str, Any]], gathered: Gathered, bounds: Bounds, origin: Origin) -> CellTable:
    collector = _kernel.CellCollector(gathered.cells, *bounds)
    for part in parts:
        collector.add(part["t"], part["p"], part["n"])
    cells = collector.finish()
    table = CellTable(cells, None, None, Account(gathered.given), None, origin)
    if table.squares.n != gathered.given:
        raise EngineError("the number of points changed while the cells came over from the engine; run it again")
    return table
