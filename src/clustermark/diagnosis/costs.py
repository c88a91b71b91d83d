"""Which clusters cost most: the numbers that the verdict and the advice are worded from."""

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
"""From this Jaccard index on, a cluster that is not found exactly is found nearly exactly."""


def check_nearly(nearly: float) -> None:
    """Refuse what is no Jaccard index above one half, from which on a cluster has one counterpart at most."""
    if isinstance(nearly, bool) or not isinstance(nearly, int | float) or not 0.5 < nearly <= 1:
        raise InputError(Mention("nearly", nearly), " must be a Jaccard index above 0.5 and at most 1")


class Costly(NamedTuple):
    """A cluster that loses pairs, what to call it, and its share of all wrong pairs."""

    name: str
    side: Side
    share: float
    label: Any = None

    @property
    def action(self) -> str:
        """What mends it."""
        return "split" if self.side == "pred" else "join the parts of"


class Costs(NamedTuple):
    """Wrong pairs in all, and the clusters that cost most of them, worst first."""

    false_pairs: float
    """Together in the prediction only: merged."""
    missing_pairs: float
    """Together in truth only: split."""
    worst: tuple[Costly, ...]
    clusters: int
    """How many clusters of both sides lose pairs."""

    @classmethod
    def of(cls, table: Contingency, k: int = 3) -> Costs:
        """The costs of a table whose pairs are counted; the k worst clusters are named."""
        return table.once((cls, k), lambda table: _count(table, k))

    @property
    def wrong(self) -> float:
        """All wrong pairs."""
        return self.false_pairs + self.missing_pairs

    @property
    def share(self) -> float:
        """Which share of the wrong pairs the worst clusters cost together."""
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
    """The clusters of one side that two lists name: in their rows, or as parts."""
    parts = (part.cluster for row in across for part in row.parts if part.cluster is not None)
    return [*(row.cluster for row in own), *parts]


def count_nearly_exact(table: Contingency, nearly: float = NEARLY) -> int:
    """True clusters that are not found exactly, and have at least this Jaccard index with a predicted one."""
    if table.weights is not None or table.one_sided:
        return 0
    cells = table.sized_cells()
    n, a, b = (sizes.astype(float) for sizes in (cells.n, cells.a, cells.b))  # sums of integers could overflow
    exact = (cells.n == cells.a) & (cells.n == cells.b)
    return int(cells.times[(n / (a + b - n) >= nearly) & ~exact].sum())


def say_name(one: Costly) -> str:
    """What a cluster is called in plain text; a page says it by a link."""
    return one.name


def name_worst(costs: Costs, say: Say = say_name) -> str:
    """The clusters that cost most, each called what `say` says, and how much they cost.

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
    """Names in a sentence.

    >>> join_names(["a"]), join_names(["a", "b", "c"])
    ('a', 'a, b and c')
    """
    return " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else names[0]
