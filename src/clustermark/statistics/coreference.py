"""Links between items, where the two sides may have different items."""

from __future__ import annotations

from math import fsum
from typing import TYPE_CHECKING, NamedTuple

from clustermark import _kernel
from clustermark._kernel import ABSENT
from clustermark.statistics.differences import sum_of_quotients
from clustermark.statistics.matching import MatchedEntities
from clustermark.statistics.sizes import Sizes
from clustermark.statistics.statistic import Takes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clustermark.tables.contingency import Contingency
    from clustermark.tables.sums import SizeRow


class Links(NamedTuple):
    """Pairs of items of each side that are together (a link) or apart, and pairs that are so on both sides."""

    n_true: int
    """Number of items of the truth, including those that the prediction lacks."""
    n_pred: int
    together_true: int
    """Pairs of items together in truth."""
    together_pred: int
    together: int
    """Pairs of items together on both sides."""
    apart_true: int
    apart_pred: int
    apart: int
    """Pairs of items of both sides that are apart on both."""
    resolved_true: float
    """Sum over true clusters of size times the share of their links that the prediction contains."""
    resolved_pred: float

    @classmethod
    def takes(cls) -> Takes:
        """Accept items of one side only."""
        return Takes(one_sided=True)

    @classmethod
    def of(cls, table: Contingency) -> Links:
        """Return the links of a table."""
        return table.once(cls, _links)


class CorefScores(NamedTuple):
    """The three F-measures that the CoNLL score averages."""

    muc: float
    b_cubed: float
    ceaf_e: float

    @classmethod
    def takes(cls) -> Takes:
        """Accept items of one side only."""
        return Takes(one_sided=True)

    @classmethod
    def of(cls, table: Contingency) -> CorefScores:
        """Return the three scores of a table."""
        sizes, matched = Sizes.of(table), MatchedEntities.of(table)
        links = sizes.n_true - sizes.k_true + sizes.n_pred - sizes.k_pred
        # without links, only identical sides score 1
        muc = 2 * (sizes.n - sizes.cells) / links if links else float(table.are_identical())
        shared = sizes.precision * sizes.n_true + sizes.recall * sizes.n_pred
        b_cubed = 2 * sizes.precision * sizes.recall / shared if shared else 0.0
        return cls(muc, b_cubed, 2 * matched.total / (matched.k_true + matched.k_pred))


def _links(table: Contingency) -> Links:
    profile = table.profile
    n_true, n_pred = (sum(row.size * row.clusters for row in rows) for rows in (profile.true_sizes, profile.pred_sizes))
    together_true, together_pred = (_pairs_within(rows) for rows in (profile.true_sizes, profile.pred_sizes))
    # clusters can be smaller among the items of both sides
    n, squares, true, pred = _common(table).squares() if table.one_sided else table.squares
    together = (squares - n) // 2
    singletons = table.joint().exact_singletons
    return Links(
        n_true,
        n_pred,
        together_true,
        together_pred,
        together,
        n_true * (n_true - 1) // 2 - together_true,
        n_pred * (n_pred - 1) // 2 - together_pred,
        n * (n - 1) // 2 - (true - n) // 2 - (pred - n) // 2 + together,
        _resolution(_links_by_size(table, true=True), singletons, n_true),
        _resolution(_links_by_size(table, true=False), singletons, n_pred),
    )


def _pairs_within(rows: Sequence[SizeRow]) -> int:
    return sum(row.size * (row.size - 1) // 2 * row.clusters for row in rows)


def _common(table: Contingency) -> _kernel.Cells:
    """Return the cells without the items of one side only."""
    cells = table.to_memory().kernel_cells
    both = (cells.rows != ABSENT) & (cells.columns != ABSENT)
    return _kernel.Cells(
        cells.rows[both], cells.columns[both], cells.counts[both], None, None, cells.n_rows, cells.n_columns
    )


def _resolution(links_by_size: dict[int, int], singletons: int, n: int) -> float:
    """Return Σ size × (Σ n(n-1)) / (size (size - 1)) over clusters of several items, plus 1 for each singleton."""
    quotients = [(links, size - 1) for size, links in sorted(links_by_size.items()) if links]
    if n >> 53:  # the sum of rounded quotients could exceed n
        return float(sum_of_quotients([*quotients, (singletons, 1)]))
    return fsum(links / others for links, others in quotients) + singletons


def _links_by_size(table: Contingency, *, true: bool) -> dict[int, int]:
    """Return Σ n(n-1) by cluster size of one side: the links that the other side contains, in both directions."""
    profile = table.profile
    if not table.one_sided:
        rows = profile.true_sizes if true else profile.pred_sizes
        return {row.size: row.squares - row.size * row.clusters for row in rows}
    cells = table.to_memory().kernel_cells
    own, other = (cells.rows, cells.columns) if true else (cells.columns, cells.rows)
    sizes = _kernel.margins(cells)[0 if true else 1].tolist()
    linked = (own >= 0) & (other >= 0) & (cells.counts > 1)
    by_size: dict[int, int] = {}
    for cluster, count in zip(own[linked].tolist(), cells.counts[linked].tolist(), strict=True):
        by_size[sizes[cluster]] = by_size.get(sizes[cluster], 0) + count * (count - 1)
    return by_size
