"""The flows of points between the clusters of consecutive labelings of a sweep."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from clustermark.results.canvas import draw_on
from clustermark.results.data import Column
from clustermark.results.document import SUMMARY, Chart, Document, Grid, Head, Section
from clustermark.results.rows import Rows
from clustermark.results.values import label_text, threshold_text
from clustermark.sources.reading import read, roles_of
from clustermark.tables.tabulation import Crossing, number_clusters

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from matplotlib.axes import Axes

    from clustermark.results.canvas import Drawn
    from clustermark.results.data import Columns
    from clustermark.results.document import View
    from clustermark.tables.tabulation import Numbered


_SHOWN = 30
"""Maximal number of flows in documents; JSON, CSV and frames have all."""


class Flow(NamedTuple):
    """The points that a cluster of a labeling shares with a cluster of the next labeling."""

    threshold: float
    """Threshold of the labeling that the points come from."""
    cluster: Any
    next_threshold: float
    next_cluster: Any
    points: int
    share: float
    """Share of the points of the cluster that they come from."""
    next_share: float
    """Share of the points of the cluster that they go to; 1 if all its points come from one cluster."""


class Node(NamedTuple):
    """A cluster of a labeling."""

    threshold: float
    cluster: Any
    points: int


class Flows(Rows[Flow]):
    """The flows between consecutive labelings, the largest of each cluster first.

    A cluster that splits as the number of clusters grows has flows of next_share 1. A cluster whose points come from
    several clusters does not refine the previous labeling, a sign of too many clusters.

    >>> from clustermark import sweep
    >>> sweep(labelings={2: [0, 0, 0, 1, 1], 3: [0, 0, 2, 1, 1]}, X=[[0], [1], [3], [9], [10]]).flows()
    3 flows between 2 labelings
    from  to    points  share  of the next
    2: 0  3: 0       2  66.7%         100%
    2: 0  3: 2       1  33.3%         100%
    2: 1  3: 1       2   100%         100%
    """

    KIND = "flows"
    COLUMNS: ClassVar[Columns] = {
        "threshold": Column("threshold", doc="the labeling that the points come from"),
        "cluster": Column("label"),
        "next_threshold": Column("threshold"),
        "next_cluster": Column("label"),
        "points": Column("count"),
        "share": Column("share", doc="of the points of the cluster that they come from"),
        "next_share": Column("share", doc="of the points of the cluster that they go to"),
    }
    FACTS: ClassVar[Columns] = {"labelings": Column("count", doc="the number of labelings")}
    TITLE = "Flows"

    def __init__(self, labelings: Mapping[float, Any]) -> None:
        """Cross each labeling with the next, in the given order."""
        named = {f"{place}": labels for place, labels in enumerate(labelings.values())}
        records = read(roles_of(named, "labelings"), {"unmatched": "drop"})
        levels = [number_clusters(one, {}) for one in records.labels.values()]
        self.levels: list[float] = list(labelings)
        """Thresholds of the labelings, in the given order."""
        self.nodes = [
            Node(threshold, label, int(size))
            for threshold, (codes, labels) in zip(self.levels, levels, strict=True)
            for label, size in zip(labels, np.bincount(codes[codes >= 0], minlength=len(labels)), strict=True)
        ]
        """Clusters of all labelings."""
        pairs = pairwise(zip(self.levels, levels, strict=True))
        super().__init__(flow for (a, one), (b, two) in pairs for flow in _cross(a, one, b, two))

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the tree with matplotlib: a row for each labeling, a circle for each cluster, a line for each flow."""
        return draw_on(ax, self._size, self._draw)

    @property
    def _size(self) -> tuple[float, float]:
        return 7.2, 1.4 + 0.9 * len(self.levels)

    def _draw(self, ax: Axes) -> Drawn:
        from clustermark.evaluation.sweep_charts import draw_resolutions

        return draw_resolutions(ax, self)

    def facts(self) -> dict[str, Any]:
        """Return the number of labelings."""
        return {"labelings": len(self.levels)}

    @property
    def headline(self) -> str:
        """Numbers of flows and labelings."""
        return f"{len(self):,} flows between {len(self.levels):,} labelings"

    def grid(self) -> Grid:
        """Return the first flows, with the shares of both clusters."""
        heads = [
            Head("from"),
            Head("to"),
            Head("points", "count"),
            Head("share", "share"),
            Head("of the next", "share"),
        ]
        rows = [
            [
                f"{threshold_text(flow.threshold)}: {label_text(flow.cluster, 24)}",
                f"{threshold_text(flow.next_threshold)}: {label_text(flow.next_cluster, 24)}",
                *flow[4:],
            ]
            for flow in self[:_SHOWN]
        ]
        return Grid(heads, rows, self.TITLE, "No labelings share a point.", total=len(self))

    def document(self, view: View = SUMMARY) -> Document:
        """Return the document of text, notebook, Markdown, LaTeX and page."""
        document = super().document(view)
        tree = Section("tree", "Tree of resolutions", lambda: [Chart("resolutions", self._size, self._draw)])
        return replace(document, sections=[*document.sections, tree])


def _cross(threshold: float, one: Numbered, next_threshold: float, two: Numbered) -> Iterator[Flow]:
    crossing = Crossing.of(one.codes, two.codes)
    for at in np.lexsort((-crossing.n, crossing.rows)).tolist():
        n, a, b = (int(sizes[at]) for sizes in (crossing.n, crossing.a, crossing.b))
        cluster, next_cluster = one.labels[crossing.rows[at]], two.labels[crossing.columns[at]]
        yield Flow(threshold, cluster, next_threshold, next_cluster, n, n / a, n / b)
