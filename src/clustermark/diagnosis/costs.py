"""The clusters that cost most wrong pairs, from which the texts of the verdict and the advice are made."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from clustermark.diagnosis import ErrorList
from clustermark.diagnosis.captions import cluster_name, clusters_clash
from clustermark.errors import InputError, Mention
from clustermark.results.values import share_text
from clustermark.statistics.pairs import PairCounts

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from clustermark.diagnosis import ErrorRow, Side
    from clustermark.tables.contingency import Contingency

    Say = Callable[["Costly"], str]

NEARLY = 0.9
"""A cluster that is not found exactly counts as found nearly exactly from this Jaccard index on."""


def check_nearly(nearly: float) -> None:
    """Refuse anything but a Jaccard index above one half, where a cluster has at most one counterpart."""
    if isinstance(nearly, bool) or not isinstance(nearly, int | float) or not 0.5 < nearly <= 1:
        raise InputError(Mention("nearly", nearly), " must be a Jaccard index above 0.5 and at most 1")


class Costly(NamedTuple):
    """A cluster that loses pairs: its name, its side and its share of all wrong pairs."""

    name: str
    side: Side
    share: float
    label: Any = None

    @property
    def action(self) -> str:
        """The action that corrects it."""
        return "split" if self.side == "pred" else "join the parts of"


class Costs(NamedTuple):
    """Number of wrong pairs, and the clusters that cost most of them, worst first."""

    false_pairs: float
    """Pairs together in the prediction only: merged."""
    missing_pairs: float
    """Pairs together in truth only: split."""
    worst: tuple[Costly, ...]
    clusters: int
    """Number of clusters of both sides that lose pairs."""

    @classmethod
    def of(cls, table: Contingency, k: int = 3) -> Costs:
        """Return the costs of a table of counted pairs, with the k worst clusters by name."""
        return table.once((cls, k), lambda table: _count(table, k))

    @property
    def wrong(self) -> float:
        """Number of wrong pairs."""
        return self.false_pairs + self.missing_pairs

    @property
    def share(self) -> float:
        """Share of the wrong pairs that the worst clusters cost together."""
        return min(1.0, sum(one.share for one in self.worst))


def _count(table: Contingency, k: int) -> Costs:
    pairs = PairCounts.of(table)
    merges, splits = ErrorList.of(table, "pred", k), ErrorList.of(table, "true", k)
    wrong = pairs.ny + pairs.yn
    clash = clusters_clash(_labels(splits, merges), _labels(merges, splits))
    sides: tuple[tuple[Side, Sequence[ErrorRow]], ...] = (("pred", merges), ("true", splits))
    worst = sorted(
        (
            Costly(cluster_name(row.cluster, side, clash, 40), side, row.pairs_lost / wrong, row.cluster)
            for side, rows in sides
            for row in rows
        ),
        key=lambda one: -one.share,
    )
    return Costs(pairs.ny, pairs.yn, tuple(worst[:k]), merges.total + splits.total)


def _labels(own: Sequence[ErrorRow], across: Sequence[ErrorRow]) -> list[Any]:
    """Return the clusters of one side that two lists name, in their rows or as parts."""
    parts = (part.cluster for row in across for part in row.parts if part.cluster is not None)
    return [*(row.cluster for row in own), *parts]


def count_nearly_exact(table: Contingency, nearly: float = NEARLY) -> int:
    """Count the true clusters that are not exact and have at least this Jaccard index with a predicted one."""
    if table.weights is not None or table.one_sided:
        return 0
    cells = table.sized_cells()
    n, a, b = (sizes.astype(float) for sizes in (cells.n, cells.a, cells.b))  # sums of integers could overflow
    exact = (cells.n == cells.a) & (cells.n == cells.b)
    return int(cells.times[(n / (a + b - n) >= nearly) & ~exact].sum())


def say_name(one: Costly) -> str:
    """Return the name of a cluster for plain text; a page uses a link instead."""
    return one.name


def name_worst(costs: Costs, say: Say = say_name) -> str:
    """List the clusters that cost most, named by `say`, with their share of the wrong pairs.

    >>> from clustermark import crosstab
    >>> name_worst(Costs.of(crosstab([0, 0, 1, 1, 2, 2], ["x", "x", "y", "y", "y", "z"])))
    'the worst are y, which merges, and 2, which is split (together 100% of the wrong pairs)'
    """
    told = []
    for side, words in (("pred", ("merges", "merge")), ("true", ("is split", "are split"))):
        names = [say(one) for one in costs.worst if one.side == side]
        if names:
            told.append(f"{join_names(names)}, which {words[len(names) > 1]}")
    one = len(costs.worst) == 1
    share = f"({'' if one else 'together '}{share_text(costs.share)} of the wrong pairs)"
    return f"the worst {'is' if one else 'are'} {', and '.join(told)} {share}"


def join_names(names: Sequence[str]) -> str:
    """Join names into an enumeration.

    >>> join_names(["a"]), join_names(["a", "b", "c"])
    ('a', 'a, b and c')
    """
    return " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else names[0]
