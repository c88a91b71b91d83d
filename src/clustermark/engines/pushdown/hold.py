"""The step from gathered cells to the cells of a table in an engine: policies, cluster counts and the profile."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clustermark.engines.engine import own_name
from clustermark.engines.pushdown.statements import (
    PRED,
    TRUE,
    LabelFacts,
    SideColumns,
    Statements,
    apply_policies,
    count_noise,
)
from clustermark.errors import EngineError, InputError, Mention
from clustermark.tables.policies import SideNoise
from clustermark.tables.sums import Profile, SizeRow

if TYPE_CHECKING:
    from collections.abc import Collection

    from clustermark.engines.engine import Kind, Workspace
    from clustermark.engines.pushdown.gather import Gathered
    from clustermark.tables.cells import CellTable

_WORD = 2**63


class NoiseCounts(NamedTuple):
    """Numbers of points with a label named as noise: on either side, and on each side."""

    either: int
    true: SideNoise
    pred: SideNoise


class Held(NamedTuple):
    """Cells that an engine stores after all policies were applied, with the facts known about them."""

    gathered: Gathered
    statements: Statements
    labels: dict[SideColumns, LabelFacts]
    profile: Profile
    noise: NoiseCounts
    unscored: dict[Any, int]
    """The size of each predicted cluster that is noise with the policy "unscored"."""

    @property
    def workspace(self) -> Workspace:
        """The workspace that stores the cells."""
        return self.gathered.workspace

    def clusters(self, side: SideColumns) -> str:
        """Return the quoted name of the clusters of a side, which are counted on the first call."""
        with self.workspace.lock:
            if not self.workspace.has(side.table):
                _count_clusters(self.workspace, self.statements, side)
        return self.workspace.name(side.table)

    def apart(self, side: SideColumns) -> str | None:
        """Return a condition that a label of this side is unscored; None if no label is."""
        return self.labels[PRED].among(self.workspace.dialect, "unscored") if side is PRED else None

    def count_labels(self, side: SideColumns, labels: Collection[Any]) -> dict[Any, int]:
        """Return the number of points with each of these labels."""
        return _sizes_of(self.workspace, self.labels[side]._replace(noise=dict.fromkeys(labels, "asked")), "asked")

    @property
    def n_used(self) -> int:
        """Number of points that remain under the policies."""
        sides = (self.profile.true_sizes, self.profile.pred_sizes)
        return sum(row.size * row.clusters for rows in sides for row in rows) - self.profile.n_points


def hold(gathered: Gathered, brought: CellTable | None = None) -> Held:
    """Apply the policies in the engine, and read the profile: from the engine, or of the fetched cells."""
    workspace, points, policies = gathered.workspace, gathered.points, gathered.policies
    workspace.purpose = "apply the policies"
    labels = {
        TRUE: _labels_of(gathered, TRUE, points.true_kind, policies.noise_true),
        PRED: _labels_of(gathered, PRED, points.pred_kind, policies.noise_pred),
    }
    simple = not _rewrites(gathered, labels)
    cells = gathered.name
    if not simple:
        sql = apply_policies(workspace.dialect, cells, labels[TRUE], labels[PRED], policies, joined=points.joined)
        cells = workspace.materialise("cells", sql)
    wide = gathered.given * gathered.largest >= _WORD
    if wide and not workspace.dialect.wide:
        raise InputError(
            f"the counts are too large for the integers of {workspace.engine.name}; choose ",
            Mention("push_down", False),
        )
    statements = Statements(workspace.dialect, cells, simple=simple, wide=wide, wide_sizes=gathered.given**2 >= _WORD)
    noise = _count_noise(gathered, labels)
    if brought is not None:
        return Held(gathered, statements, labels, brought.profile, noise, {})
    for side in (TRUE, PRED):
        _count_clusters(workspace, statements, side)
    unscored = _sizes_of(workspace, labels[PRED], "unscored")
    profile = _read_profile(workspace, statements)
    if not profile.true_sizes and not profile.pred_sizes:
        raise InputError(f"all {gathered.given} points were dropped by the policies: there is nothing to compare")
    return Held(gathered, statements, labels, profile, noise, unscored)


def _labels_of(gathered: Gathered, side: SideColumns, kind: Kind, noise: dict[Any, str]) -> LabelFacts:
    """Return the labels of a side, with a free label for the cluster of missing labels if the policy makes one."""
    lacking = gathered.missing_true if side is TRUE else gathered.missing_pred
    if gathered.policies.missing != "cluster" or not lacking:
        return LabelFacts(side, kind, noise, None)
    return LabelFacts(side, kind, noise, _free_label(gathered, side, kind, noise))


def _free_label(gathered: Gathered, side: SideColumns, kind: Kind, noise: dict[Any, str]) -> Any:
    """Return a label that no point has, for the cluster of missing labels."""
    if kind == "text":
        return f"missing {gathered.workspace.name('label')[1:-1]}"
    if kind == "boolean":
        raise InputError(
            Mention("missing", "cluster"),
            ": in an engine, a column of truth values cannot hold a third cluster; choose ",
            Mention("push_down", False),
            ", or make it a column of text",
        )
    low, high = gathered.workspace.row(
        f"SELECT MIN({side.label}) AS low, MAX({side.label}) AS high FROM {gathered.name}", (0, 0)
    )
    # a noise label that no point has is not free either
    low, high = (1, 0) if low is None else (int(low), int(high))
    if kind == "float":
        least, most = -(2**53), 2**53
    else:  # the column may be unsigned, and must be able to store the label
        least, most = -_WORD if low < 0 else 0, _WORD - 1 if high < _WORD else 2 * _WORD - 1
    below = range(min(low, most + 1) - 1, max(least, low - 2 - len(noise)) - 1, -1)
    above = range(max(high, least - 1) + 1, min(most, high + 2 + len(noise)) + 1)
    for label in (*below, *above):
        if label not in noise:
            return label
    raise InputError(
        Mention("missing", "cluster"), ": this column has no free label; choose ", Mention("push_down", False)
    )


def _count_clusters(workspace: Workspace, statements: Statements, side: SideColumns) -> None:
    workspace.purpose = "the clusters of each side: size, sum of squares, largest cell, number of cells"
    workspace.materialise(side.table, statements.clusters(side))


def _rewrites(gathered: Gathered, labels: dict[SideColumns, LabelFacts]) -> bool:
    """Return whether any policy changes a cell."""
    moves = any(side.among(gathered.workspace.dialect, "singletons", "drop") for side in labels.values())
    lacking = gathered.missing_true or gathered.missing_pred or gathered.only_true or gathered.only_pred
    return bool(moves or lacking)


def _count_noise(gathered: Gathered, labels: dict[SideColumns, LabelFacts]) -> NoiseCounts:
    """Count the points with a label named as noise, in one pass over the cells."""
    workspace = gathered.workspace
    sides = (labels[TRUE], labels[PRED])
    counts = (0,) * (3 + sum(len(side.noise) for side in sides))
    if any(side.among(workspace.dialect) for side in sides):
        workspace.purpose = "count the noise"
        sql = count_noise(workspace.dialect, gathered.name, *sides, gathered.policies, joined=gathered.points.joined)
        counts = tuple(map(int, workspace.row(sql, (1,) * len(counts))))
    either, alone_true, alone_pred, *rest = counts
    points = iter(rest)
    true, pred = ({label: next(points) for label in side.noise} for side in sides)
    return NoiseCounts(either, SideNoise(true, alone_true), SideNoise(pred, alone_pred))


def _sizes_of(workspace: Workspace, labels: LabelFacts, policy: str) -> dict[Any, int]:
    """Return the number of points of each label with this policy."""
    among, side = labels.among(workspace.dialect, policy), labels.side
    if among is None:
        return {}
    workspace.purpose = f"find labels of noise{', which is left unscored' if policy == 'unscored' else ''}"
    sql = f"SELECT {side.label}, {side.size} FROM {workspace.name(side.table)} WHERE {among}"
    found = workspace.fetch(sql, {side.label: [own_name("noise")], side.size: [1]})
    sizes = zip(np.asarray(found[side.label]).tolist(), map(int, found[side.size]), strict=True)
    return {label: n for label, n in sizes if labels.missing_as is None or label != labels.missing_as}


def _read_profile(workspace: Workspace, statements: Statements) -> Profile:
    """Return the three tables of the profile, after their checksums were verified."""
    workspace.purpose = "the profile: pairs, information, purity, B-cubed and most other indices are computed from it"
    alone = (0, 0, 0, 0)
    if not statements.simple:
        alone = tuple(map(int, workspace.row(statements.alone(), alone)))  # type: ignore[assignment]
    sizes = workspace.fetch(statements.cell_sizes(), {"n": [1], "times": [1]})
    one_cluster = {column: [1] for column in SizeRow._fields}
    sides = []
    for side, (inside, outside) in ((TRUE, alone[:2]), (PRED, alone[2:])):
        columns = workspace.fetch(statements.cluster_sizes(side, workspace.name(side.table)), one_cluster)
        rows = [SizeRow(*map(int, row)) for row in zip(*columns.values(), strict=True)]
        sides.append(_with_alone(rows, inside, outside))
    profile = Profile(tuple(zip(map(int, sizes["n"]), map(int, sizes["times"]), strict=True)), *sides)
    try:
        return profile.verify()
    except InputError as error:
        raise EngineError(
            f"{workspace.engine.name} counted wrongly ({error}); a number has overflowed, or rows changed "
            "while they were read"
        ) from error


def _with_alone(rows: list[SizeRow], inside: int, outside: int) -> tuple[SizeRow, ...]:
    """Return the clusters by size, with the clusters of a single point included."""
    if not inside and not outside:
        return tuple(rows)
    alone = SizeRow(1, inside + outside, inside, inside, inside)
    if rows and rows[0].size == 1:
        first = SizeRow(1, *(mine + theirs for mine, theirs in zip(rows[0][1:], alone[1:], strict=True)))
        return (first, *rows[1:])
    return (alone, *rows)
