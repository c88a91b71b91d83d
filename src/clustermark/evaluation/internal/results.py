"""The scores of points and their clusters, and which clusters and points are badly placed."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clustermark.errors import InputError, UndefinedIndexError
from clustermark.registry import find
from clustermark.report.captions import score_text
from clustermark.report.score_list import ScoreList
from clustermark.results.files import write_text
from clustermark.results.values import share_text
from clustermark.statistics.density import Density, ReachTree
from clustermark.statistics.distances import PointSums
from clustermark.tables.noise import in_other_types, labels_like_noise

if TYPE_CHECKING:
    from collections.abc import Mapping
    from os import PathLike

    from numpy.typing import NDArray

    from clustermark.evaluation.internal.sample import SampledScore
    from clustermark.report.score_list import Found
    from clustermark.subjects.geometry import Geometry


class ClusterRow(NamedTuple):
    """One cluster by its points."""

    label: Any
    size: int
    silhouette: float
    """The mean silhouette of its points."""
    misplaced: int
    """How many of its points are closer to another cluster: their silhouette is negative."""
    neighbour: Any
    """The cluster that is nearest to most of its points."""


class InternalEvaluation(ScoreList):
    """The scores of points and their clusters. A mapping from the name of an index to its score; any name will do.

    >>> from clustermark import evaluate_internal
    >>> scores = evaluate_internal([[0, 0], [0, 1], [5, 5], [5, 6]], [0, 0, 1, 1])
    >>> scores["CH"], round(scores["silhouette"], 4)
    (100.0, 0.8586)
    """

    kind = "internal"

    def __init__(self, geometry: Geometry, found: Found, sampled: Mapping[str, SampledScore]) -> None:
        left = geometry.n_given - geometry.n
        what = "distances" if geometry.n_features is None else f"{geometry.n_features:,} feature(s), {geometry.metric}"
        headline = f"{geometry.n:,} points in {geometry.k:,} clusters; {what}"
        counts: dict[str, Any] = {
            "n_points": {"given": geometry.n_given, "used": geometry.n, "noise": geometry.n_noise, "dropped": left},
            "n_clusters": geometry.k,
            "n_features": geometry.n_features,
            "metric": geometry.metric,
            "batches": not geometry.in_memory,
            "sampled": {name: one._asdict() for name, one in sampled.items()},
        }
        super().__init__(headline + (f"; {left:,} left out" if left else ""), counts, found)
        counted = not self.indices or any(index.statistic not in (Density, ReachTree) for index in self.indices)
        self.notes = [*self.notes, *_find_notes(geometry, sampled, noise_counts=counted)]
        self.geometry = geometry
        """The points and their clusters."""
        self.sampled = dict(sampled)
        """Scores that come from a sample of the points, with their intervals."""

    @cached_property
    def silhouettes(self) -> NDArray[np.float64]:
        """The silhouette of each point that is used, in the order of the points."""
        index = find("silhouette")
        if reason := index.refusal(self.geometry):
            raise InputError(reason)
        if self.geometry.k < 2:
            raise UndefinedIndexError(f"{index.name} is undefined: {index.undefined_when}")
        return PointSums.of(self.geometry).widths

    @cached_property
    def clusters(self) -> tuple[ClusterRow, ...]:
        """The clusters, that with the lowest silhouette first."""
        widths, k = self.silhouettes, self.geometry.k
        sums, names = PointSums.of(self.geometry), self.geometry.names
        means = np.bincount(sums.codes, widths, k) / sums.sizes
        misplaced = np.bincount(sums.codes, widths < 0, k).astype(int)
        neighbours = _most_common(sums.codes, sums.neighbours)
        rows = [
            ClusterRow(names[c], int(sums.sizes[c]), float(means[c]), int(misplaced[c]), names[neighbours[c]])
            for c in range(k)
        ]
        return tuple(sorted(rows, key=lambda row: row.silhouette))

    @property
    def has_silhouettes(self) -> bool:
        """Whether the silhouettes of all points were measured for a score, so that showing them takes no more time."""
        return any(index.statistic is PointSums and index.label not in self.sampled for index in self.indices)

    @property
    def verdict(self) -> str:
        """What the scores say, in a sentence or two."""
        if self.has_silhouettes and self.geometry.k > 1:
            misplaced = int((self.silhouettes < 0).sum())
            return (
                f"The mean silhouette of {self.geometry.n:,} points in {self.geometry.k:,} clusters is "
                f"{score_text(float(self.silhouettes.mean()))}; {misplaced:,} of them "
                f"({share_text(misplaced / self.geometry.n)}) lie closer to another cluster than to their own."
            )
        said = "".join(f": {index.title} {score_text(self[index])}" for index in self.indices[:1])
        return f"{self.geometry.n:,} points in {self.geometry.k:,} clusters{said}."

    def report(self, title: str | None = None) -> str:
        """A page of HTML with the scores, the silhouette plot and the clusters; it loads nothing else."""
        from clustermark.report.page import points

        return points.html(self, title)

    def write_report(self, path: str | PathLike[str], title: str | None = None, *, overwrite: bool = False) -> None:
        """Write `report()` to a file: one page that can be sent, kept and printed."""
        write_text(self.report(title), path, overwrite=overwrite)

    def to_svg(self, height: int = 400) -> str:
        """The silhouette plot: a bar for each point, cluster by cluster, from the highest down; at most 2,000 bars."""
        from clustermark.evaluation.internal.silhouette_plot import draw_silhouettes

        return draw_silhouettes(self, height)


def _most_common(codes: NDArray[np.int32], neighbours: NDArray[np.int32]) -> list[int]:
    """For each code the neighbour that most of its points have, the first of equals."""
    pairs, times = np.unique(codes.astype(np.int64) << 32 | neighbours, return_counts=True)
    order = np.lexsort((-times, pairs >> 32))
    _, first = np.unique(pairs[order] >> 32, return_index=True)
    found: list[int] = (pairs[order][first] & 0xFFFFFFFF).tolist()
    return found


def _tell_unmet(geometry: Geometry) -> list[str]:
    """Labels named as noise that no point has, in whatever type it is written."""
    said = []
    for label in geometry.noise:
        others = in_other_types(label)
        if label in geometry.noise_sizes or any(other in geometry.noise_sizes for other in others):
            continue
        meant = next((other for other in others if other in geometry.names), None)
        if meant is None and any(other in geometry.noise for other in others) and isinstance(label, str):
            continue  # said of the number
        hint = "" if meant is None else f"; there is {meant!r}, a {'text' if isinstance(meant, str) else 'number'}"
        said.append(f"no point has the label {label!r}, which is named as noise{hint}")
    return said


def _find_notes(geometry: Geometry, sampled: Mapping[str, SampledScore], *, noise_counts: bool) -> list[str]:
    """What to know before the scores are believed: noise that counts as a cluster, batches, samples."""
    notes = [
        f"the label {name!r} looks like noise and counts as a cluster; the noise policy 'drop' leaves it out"
        for name in labels_like_noise(geometry.names, geometry.k)
        if noise_counts and name not in geometry.noise
    ]
    notes += _tell_unmet(geometry)
    notes += [] if geometry.in_memory else ["the points were read in batches, and only sums of them held"]
    return notes + [
        f"{name} is estimated from {one.points:,} of {geometry.n:,} points, drawn from every cluster: "
        f"95 % interval [{one.low:.4f}, {one.high:.4f}]"
        for name, one in sampled.items()
    ]
