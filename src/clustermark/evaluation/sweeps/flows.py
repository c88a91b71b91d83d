"""How points flow from the clusters of one labeling to those of the next: the tree of resolutions."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clustermark.results.frames import Columnar
from clustermark.results.text import align
from clustermark.results.values import label_text, share_text
from clustermark.sources.reading import read, roles_of
from clustermark.tables.crossing import Crossing, number_clusters
from clustermark.tables.notebook import html_table

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from matplotlib.axes import Axes

    from clustermark.tables.crossing import Numbered

_SHOWN = 30
"""So many flows are shown as text."""


class Flow(NamedTuple):
    """The points that one cluster passes on to a cluster of the next labeling."""

    threshold: float
    """The labeling that the points come from."""
    cluster: Any
    next_threshold: float
    next_cluster: Any
    points: int
    share: float
    """Of the points of the cluster that they come from."""
    next_share: float
    """Of the points of the cluster that they go to: 1 where all its points come from one cluster."""


class Node(NamedTuple):
    """A cluster of a labeling."""

    threshold: float
    cluster: Any
    points: int


class Flows(Columnar):
    """The flows between labelings that follow each other, the largest of each cluster first.

    A cluster that splits as their number grows has flows of next_share 1; one whose points come from several clusters
    is no refinement of the labeling before, which is a sign of too many clusters.

    >>> from clustermark import sweep
    >>> sweep(labelings={2: [0, 0, 0, 1, 1], 3: [0, 0, 2, 1, 1]}, X=[[0], [1], [3], [9], [10]]).flows()
    3 flows between 2 labelings
    from    to  points  share  of the next
    2: 0  3: 0       2  66.7%         100%
    2: 0  3: 2       1  33.3%         100%
    2: 1  3: 1       2   100%         100%
    """

    def __init__(self, labelings: Mapping[float, Any]) -> None:
        """Cross the labelings, in the order in which they are given, each with the next."""
        named = {f"{place}": labels for place, labels in enumerate(labelings.values())}
        records = read(roles_of(named, "labelings"), {"unmatched": "drop"})
        levels = [number_clusters(one, {}) for one in records.labels.values()]
        self.levels: list[float] = list(labelings)
        """The labelings, by what they were given with."""
        self.nodes = [
            Node(threshold, label, int(size))
            for threshold, (codes, labels) in zip(self.levels, levels, strict=True)
            for label, size in zip(labels, np.bincount(codes[codes >= 0], minlength=len(labels)), strict=True)
        ]
        """The clusters of all labelings."""
        pairs = pairwise(zip(self.levels, levels, strict=True))
        self._flows = [flow for (a, one), (b, two) in pairs for flow in _cross(a, one, b, two)]

    def __len__(self) -> int:
        return len(self._flows)

    def __iter__(self) -> Iterator[Flow]:
        return iter(self._flows)

    def to_dict(self) -> dict[str, list[Any]]:
        """The columns, one row a flow."""
        columns = list(zip(*self._flows, strict=True)) or [()] * len(Flow._fields)
        return {name: list(values) for name, values in zip(Flow._fields, columns, strict=True)}

    def plot(self, ax: Axes | None = None) -> Axes:
        """The tree by matplotlib: a row a labeling, a circle a cluster, a line a flow."""
        from clustermark.evaluation.sweeps.resolutions import draw_resolutions
        from clustermark.results.canvas import draw_on

        return draw_on(ax, (7.2, 1.4 + 0.9 * len(self.levels)), lambda ax: draw_resolutions(ax, self))

    @property
    def headline(self) -> str:
        """How many there are."""
        return f"{len(self):,} flows between {len(self.levels):,} labelings"

    def _texts(self) -> list[list[str]]:
        return [
            [
                f"{flow.threshold:g}: {label_text(flow.cluster, 24)}",
                f"{flow.next_threshold:g}: {label_text(flow.next_cluster, 24)}",
                f"{flow.points:,}",
                share_text(flow.share),
                share_text(flow.next_share),
            ]
            for flow in self._flows[:_SHOWN]
        ]

    _HEADS = ("from", "to", "points", "share", "of the next")

    def _more(self) -> list[str]:
        return [f"{len(self) - _SHOWN:,} more flows"] if len(self) > _SHOWN else []

    def __repr__(self) -> str:
        return "\n".join([self.headline, align([self._HEADS, *self._texts()]), *self._more()])

    def _repr_html_(self) -> str:
        return html_table(self.headline, self._HEADS, self._texts(), self._more())


def _cross(threshold: float, one: Numbered, next_threshold: float, two: Numbered) -> Iterator[Flow]:
    crossing = Crossing.of(one.codes, two.codes)
    for at in np.lexsort((-crossing.n, crossing.rows)).tolist():
        n, a, b = (int(sizes[at]) for sizes in (crossing.n, crossing.a, crossing.b))
        cluster, next_cluster = one.labels[crossing.rows[at]], two.labels[crossing.columns[at]]
        yield Flow(threshold, cluster, next_threshold, next_cluster, n, n / a, n / b)
