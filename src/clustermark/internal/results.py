"""The scores of points and their clusters, and which clusters and points are badly placed."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cached_property
from math import isfinite
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clustermark.errors import InputError
from clustermark.registry import Index, parse
from clustermark.registry.facts import interval
from clustermark.report.captions import score_text, share_text
from clustermark.report.record import current_version
from clustermark.statistics.distances import PointSums
from clustermark.tables.columnar import Columnar, write_text
from clustermark.tables.noise import labels_like_noise
from clustermark.tables.notebook import html_table

if TYPE_CHECKING:
    from os import PathLike

    from numpy.typing import NDArray

    from clustermark.comparisons.geometry import Geometry
    from clustermark.internal.sample import SampledScore


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


class InternalEvaluation(Columnar, Mapping[str, float]):
    """The scores of points and their clusters. A mapping from the name of an index to its score; any name will do.

    >>> scores = evaluate_internal([[0, 0], [0, 1], [5, 5], [5, 6]], [0, 0, 1, 1])
    >>> scores["CH"], round(scores["silhouette"], 4)
    (100.0, 0.8586)
    """

    def __init__(
        self,
        geometry: Geometry,
        scores: Mapping[Index[...], float],
        refused: Mapping[str, str],
        sampled: Mapping[str, SampledScore],
    ) -> None:
        self.geometry = geometry
        """The points and their clusters."""
        self.refused = dict(refused)
        """Indices that belong to the choice and were left out, with the reason."""
        self.sampled = dict(sampled)
        """Scores that come from a sample of the points, with their intervals."""
        self._indices = {index.label: index for index in scores}
        self._scores = {index.label: score for index, score in scores.items()}

    def __getitem__(self, name: str | Index[...]) -> float:
        label = name if isinstance(name, str) and name in self._scores else read_index(name).label
        if label not in self._scores:
            reason = self.refused.get(label)
            raise KeyError(f"{label} was left out: {reason}" if reason else f"{label} was not evaluated")
        return self._scores[label]

    def __iter__(self) -> Iterator[str]:
        return iter(self._scores)

    def __len__(self) -> int:
        return len(self._scores)

    def __contains__(self, name: object) -> bool:
        try:
            self[name]  # type: ignore[index]
        except (KeyError, InputError):
            return False
        return True

    @property
    def indices(self) -> tuple[Index[...], ...]:
        """The indices that were scored."""
        return tuple(self._indices.values())

    @cached_property
    def silhouettes(self) -> NDArray[np.float64]:
        """The silhouette of each point that is used, in the order of the points."""
        return PointSums.of(self.geometry).widths

    @cached_property
    def clusters(self) -> tuple[ClusterRow, ...]:
        """The clusters, that with the lowest silhouette first."""
        sums, names = PointSums.of(self.geometry), self.geometry.names
        widths, k = self.silhouettes, self.geometry.k
        means = np.bincount(sums.codes, widths, k) / sums.sizes
        misplaced = np.bincount(sums.codes, widths < 0, k).astype(int)
        rows = [
            ClusterRow(
                names[c], int(sums.sizes[c]), float(means[c]), int(misplaced[c]),
                names[int(np.bincount(sums.neighbours[sums.codes == c]).argmax())],
            )
            for c in range(k)
        ]  # fmt: skip
        return tuple(sorted(rows, key=lambda row: row.silhouette))

    def to_dict(self) -> dict[str, float]:
        """The scores by name."""
        return dict(self._scores)

    def _export_columns(self) -> dict[str, list[Any]]:
        """One row an index."""
        indices = [self._indices[label] for label in self]
        return {
            "index": list(self),
            "title": [index.title for index in indices],
            "score": list(self._scores.values()),
            "low": [index.bounds[0] for index in indices],
            "high": [index.bounds[1] for index in indices],
            "higher_is_better": [index.higher_is_better for index in indices],
        }

    def to_document(self) -> dict[str, Any]:
        """What `to_json` writes."""
        geometry = self.geometry
        points = {
            "given": geometry.n_given, "used": geometry.n, "noise": geometry.n_noise,
            "dropped": geometry.n_given - geometry.n,
        }  # fmt: skip
        return {
            "scores": {name: score if isfinite(score) else str(score) for name, score in self.items()},
            "sampled": {name: score._asdict() for name, score in self.sampled.items()},
            "points": points,
            "features": geometry.n_features,
            "clusters": geometry.k,
            "metric": geometry.metric,
            "batches": not geometry.in_memory,
            "refused": self.refused,
            "version": current_version(),
        }

    def to_json(self, indent: int | None = None) -> str:
        """One JSON object: scores, points, clusters, metric, what was left out, version; infinite scores are texts."""
        return json.dumps(self.to_document(), indent=indent, ensure_ascii=False, allow_nan=False)

    @property
    def headline(self) -> str:
        """What was scored, in one line."""
        geometry = self.geometry
        left = geometry.n_given - geometry.n
        what = "distances" if geometry.n_features is None else f"{geometry.n_features:,} feature(s), {geometry.metric}"
        return f"{geometry.n:,} points in {geometry.k:,} clusters; {what}" + (f"; {left:,} left out" if left else "")

    @property
    def has_silhouettes(self) -> bool:
        """Whether the silhouettes of all points were measured for a score, so that showing them takes no more time."""
        return any(index.statistic is PointSums and name not in self.sampled for name, index in self._indices.items())

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
        first = next(iter(self.items()), None)
        said = "" if first is None else f": {self._indices[first[0]].title} {score_text(first[1])}"
        return f"{self.geometry.n:,} points in {self.geometry.k:,} clusters{said}."

    def describe_scores(self) -> list[tuple[str, str, str]]:
        """The name of each index, its score, and its range with the better end, as texts."""
        better = {True: "higher is better", False: "lower is better", None: ""}
        rows = []
        for label, score in self.items():
            index = self._indices[label]
            text = f"{score:.6f}" if abs(score) < 1e6 else f"{score:.6g}"
            rows.append((label, text, f"{interval(index.bounds)}, {better[index.higher_is_better]}"))
        return rows

    def notes(self) -> list[str]:
        """What to know of the scores: noise that counts as a cluster, samples, and what was left out."""
        geometry = self.geometry
        notes = [
            f"the label {name!r} looks like noise and counts as a cluster; noise={{{name!r}: 'drop'}} leaves it out"
            for name in labels_like_noise(geometry.names, geometry.k)
            if name not in geometry.noise
        ]
        notes += [] if geometry.in_memory else ["the points were read in batches, and only sums of them held"]
        notes += [
            f"{name} is estimated from {one.points:,} of {geometry.n:,} points, drawn from every cluster: "
            f"95 % interval [{one.low:.4f}, {one.high:.4f}]"
            for name, one in self.sampled.items()
        ]
        reasons: dict[str, list[str]] = {}
        for name, reason in self.refused.items():
            reasons.setdefault(reason, []).append(name)
        return notes + [f"left out: {', '.join(names)}: {reason}" for reason, names in reasons.items()]

    def __repr__(self) -> str:
        rows = [("index", "score", "range"), *self.describe_scores()]
        widths = [max(len(row[column]) for row in rows) for column in (0, 1)]
        lines = [f"{name.ljust(widths[0])}  {score.rjust(widths[1])}  {what}" for name, score, what in rows]
        return "\n".join([self.headline, *lines, *self.notes()])

    def to_html(self) -> str:
        """An HTML table of the scores, as a notebook shows it."""
        return html_table(self.headline, ["index", "score", "range"], self.describe_scores(), self.notes())

    def _repr_html_(self) -> str:
        return self.to_html()

    def report(self, title: str | None = None) -> str:
        """A page of HTML with the scores, the silhouette plot and the clusters; it loads nothing else."""
        from clustermark.report.page import points

        return points.html(self, title)

    def write_report(self, path: str | PathLike[str], title: str | None = None, *, overwrite: bool = False) -> None:
        """Write `report()` to a file: one page that can be sent, kept and printed."""
        write_text(self.report(title), path, overwrite=overwrite)

    def to_svg(self, height: int = 400) -> str:
        """The silhouette plot: a bar for each point, cluster by cluster, from the highest down; at most 2,000 bars."""
        from clustermark.internal.silhouette_plot import draw_silhouettes

        return draw_silhouettes(self, height)


def read_index(name: str | Index[...]) -> Index[...]:
    """An index, or what it is called."""
    return name if isinstance(name, Index) else parse(name)
