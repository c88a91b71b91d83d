"""Which method does best on which true cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from clustermark.diagnosis import ClusterTable
from clustermark.errors import InputError, count
from clustermark.results.data import Column, Table
from clustermark.results.document import SUMMARY, Document, Name, Section
from clustermark.results.result import Result
from clustermark.results.rows import grid_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from clustermark.evaluation.ranking.comparison import Comparison
    from clustermark.results.data import Columns
    from clustermark.results.document import View

MEASURES = ("jaccard", "precision", "recall")


class Tally(NamedTuple):
    """On how many true clusters the first of two methods does better, worse, or as well."""

    wins: int
    losses: int
    ties: int


class ByCluster(Result):
    """The true clusters, the largest first, with the score of each method's best match for them."""

    KIND = "by_cluster"
    FACTS: ClassVar[Columns] = {"measure": Column("name", choices=MEASURES)}
    TABLES: ClassVar[dict[str, Columns]] = {
        "true_clusters": {
            "cluster": Column("label"),
            "size": Column("amount"),
            "scores": Column("scores", doc="the score of each method's best match"),
            "winner": Column("name", optional=True, doc="the method that does best; null where several do"),
        }
    }
    MAIN = "true_clusters"

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

    def facts(self) -> dict[str, Any]:
        """The measure."""
        return {"measure": self.measure}

    def tables(self) -> dict[str, Table]:
        """The clusters with the score of each method, and the winner."""
        names, columns = list(self.scores), (values.tolist() for values in self.scores.values())
        rows = [
            {"cluster": label, "size": size, "scores": dict(zip(names, own, strict=True)), "winner": winner}
            for label, size, winner, *own in zip(self.clusters, self.sizes, self.winners, *columns, strict=True)
        ]
        return {"true_clusters": Table(self.TABLES["true_clusters"], rows)}

    def document(self, view: View = SUMMARY) -> Document:  # noqa: ARG002
        """The document of text, notebook, Markdown, LaTeX and page."""
        winners = self.winners
        won = [part for name in self.scores for part in (Name(name), f" wins {winners.count(name):,}, ")]
        head = f"{count(len(self), 'true cluster')} by {self.measure}: "
        return Document(
            "True clusters",
            [head, *won, f"{winners.count(None):,} tied"],
            [Section("clusters", "True clusters", lambda: [grid_of(self.tables()["true_clusters"])], level="summary")],
        )


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
