"""Which method does best on which true cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clustermark.diagnosis import ClusterTable
from clustermark.errors import InputError
from clustermark.results.frames import Columnar
from clustermark.results.text import align
from clustermark.tables.columnar import label_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from clustermark.evaluation.ranking.comparison import Comparison

_SHOWN = 20
MEASURES = ("jaccard", "precision", "recall")


class Tally(NamedTuple):
    """On how many true clusters the first of two methods does better, worse, or as well."""

    wins: int
    losses: int
    ties: int


class ByCluster(Columnar):
    """The true clusters, the largest first, with the score of each method's best match for them."""

    def __init__(
        self, clusters: Sequence[Any], sizes: Sequence[float], scores: dict[str, NDArray[np.float64]], measure: str
    ) -> None:
        self.clusters, self.sizes = tuple(clusters), tuple(sizes)
        self.scores, self.measure = scores, measure

    def __len__(self) -> int:
        return len(self.clusters)

    @property
    def winners(self) -> list[str | None]:
        """For each cluster the method that does best; None where several do."""
        names = list(self.scores)
        table = np.array(list(self.scores.values()))
        best = table.max(axis=0)
        alone = (table == best).sum(axis=0) == 1
        return [
            names[place] if single else None
            for place, single in zip(table.argmax(axis=0).tolist(), alone.tolist(), strict=True)
        ]

    def tally(self, first: str, second: str) -> Tally:
        """Wins and losses of the first method against the second."""
        for name in (first, second):
            if name not in self.scores:
                raise InputError(f"method: there is no {name!r}; there are {', '.join(self.scores)}")
        one, other = self.scores[first], self.scores[second]
        return Tally(int((one > other).sum()), int((one < other).sum()), int((one == other).sum()))

    def to_dict(self) -> dict[str, list[Any]]:
        """The columns: cluster, size, the score of each method, and the winner."""
        head = {"cluster": list(self.clusters), "size": list(self.sizes)}
        return head | {name: values.tolist() for name, values in self.scores.items()} | {"winner": self.winners}

    def __repr__(self) -> str:
        winners = self.winners
        won = [f"{label_text(name)} wins {winners.count(name):,}" for name in self.scores]
        head = f"{len(self):,} true clusters by {self.measure}: {', '.join(won)}, {winners.count(None):,} tied"
        lines = [["cluster", "size", *map(label_text, self.scores), "winner"]]
        for place in range(min(len(self), _SHOWN)):
            scores = [f"{values[place]:.4f}" for values in self.scores.values()]
            lines.append([label_text(self.clusters[place]), f"{self.sizes[place]:,}", *scores, winners[place] or "–"])
        more = [f"… and {len(self) - _SHOWN:,} more"] if len(self) > _SHOWN else []
        return "\n".join([head, align(lines), *more])


def score_clusters(comparison: Comparison, measure: str) -> ByCluster:
    """Score each labelled true cluster by its best match in each prediction; the mean over runs."""
    if measure not in MEASURES:
        raise InputError(f"measure={measure!r} is unknown; choose {' or '.join(map(repr, MEASURES))}")
    places: dict[Any, int] = {}
    sizes: list[float] = []
    scores: dict[str, NDArray[np.float64]] = {}
    for name, runs in comparison.entrants.methods.items():
        values = []
        for run in runs:
            table = ClusterTable.of(comparison.runs[run].table, "true")
            clusters, size = table.to_dict()["cluster"], table.column("size")
            if not places:
                order = np.argsort(-size, kind="stable").tolist()
                places = {clusters[place]: number for number, place in enumerate(order)}
                sizes = size[order].tolist()
            row = np.zeros(len(places))
            row[[places[cluster] for cluster in clusters]] = table.column(measure)
            values.append(row)
        scores[name] = np.mean(values, axis=0) if len(values) > 1 else values[0]
    return ByCluster(list(places), sizes, scores, measure)
