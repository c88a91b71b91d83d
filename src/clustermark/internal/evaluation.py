"""evaluate_internal(): how good a clustering is by its points, and which clusters and points are badly placed."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cached_property
from html import escape
from math import isfinite
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from clustermark.comparisons.geometry import GEOMETRY, Geometry
from clustermark.errors import InputError
from clustermark.internal.columns import Points, read_points
from clustermark.internal.sample import SampledScore, sample_silhouette
from clustermark.registry import Index, catalogue, parse
from clustermark.registry.facts import interval
from clustermark.statistics.distances import PointSums
from clustermark.tables.columnar import Columnar

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

MOST_POINTS: Final = 50_000
"""Beyond so many points, indices that measure every two of them are left out unless they are asked for by name."""


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
        label = name if isinstance(name, str) and name in self._scores else _read(name).label
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

    def to_json(self, indent: int | None = None) -> str:
        """One JSON object: scores, points, clusters, metric, what was left out, version; infinite scores are texts."""
        from clustermark import __version__

        geometry = self.geometry
        points = {
            "given": geometry.n_given, "used": geometry.n, "noise": geometry.n_noise,
            "dropped": geometry.n_given - geometry.n,
        }  # fmt: skip
        document = {
            "scores": {name: score if isfinite(score) else str(score) for name, score in self.items()},
            "sampled": {name: score._asdict() for name, score in self.sampled.items()},
            "points": points,
            "features": geometry.n_features,
            "clusters": geometry.k,
            "metric": geometry.metric,
            "refused": self.refused,
            "version": __version__,
        }
        return json.dumps(document, indent=indent, ensure_ascii=False, allow_nan=False)

    @property
    def headline(self) -> str:
        """What was scored, in one line."""
        geometry = self.geometry
        left = geometry.n_given - geometry.n
        what = "distances" if geometry.n_features is None else f"{geometry.n_features:,} feature(s), {geometry.metric}"
        return f"{geometry.n:,} points in {geometry.k:,} clusters; {what}" + (f"; {left:,} left out" if left else "")

    def _rows(self) -> list[tuple[str, str, str]]:
        better = {True: "higher is better", False: "lower is better", None: ""}
        rows = []
        for label, score in self.items():
            index = self._indices[label]
            text = f"{score:.6f}" if abs(score) < 1e6 else f"{score:.6g}"
            rows.append((label, text, f"{interval(index.bounds)}, {better[index.higher_is_better]}"))
        return rows

    def _notes(self) -> list[str]:
        notes = [] if self.geometry.in_memory else ["the points were read in batches, and only sums of them held"]
        notes += [
            f"{name} is estimated from {one.points:,} of {self.geometry.n:,} points, drawn from every cluster: "
            f"95 % interval [{one.low:.4f}, {one.high:.4f}]"
            for name, one in self.sampled.items()
        ]
        reasons: dict[str, list[str]] = {}
        for name, reason in self.refused.items():
            reasons.setdefault(reason, []).append(name)
        return notes + [f"left out: {', '.join(names)}: {reason}" for reason, names in reasons.items()]

    def __repr__(self) -> str:
        rows = [("index", "score", "range"), *self._rows()]
        widths = [max(len(row[column]) for row in rows) for column in (0, 1)]
        lines = [f"{name.ljust(widths[0])}  {score.rjust(widths[1])}  {what}" for name, score, what in rows]
        return "\n".join([self.headline, *lines, *self._notes()])

    def to_html(self) -> str:
        """An HTML table of the scores, as a notebook shows it."""
        cells = "".join(
            f"<tr><td><code>{escape(name)}</code></td><td style='text-align:right'>{score}</td><td>{what}</td></tr>"
            for name, score, what in self._rows()
        )
        notes = "".join(f"<p>{escape(note)}</p>" for note in self._notes())
        return f"<p>{escape(self.headline)}</p><table>{cells}</table>{notes}"

    def _repr_html_(self) -> str:
        return self.to_html()

    def to_svg(self, height: int = 400) -> str:
        """The silhouette plot: a bar for each point, cluster by cluster, from the highest down; at most 2,000 bars."""
        from clustermark.internal.silhouette_plot import draw_silhouettes

        return draw_silhouettes(self, height)


def _read(name: str | Index[...]) -> Index[...]:
    return name if isinstance(name, Index) else parse(name)


def evaluate_internal(
    X: Any,
    labels: Any,
    indices: Sequence[str | Index[...]] | str | None = None,
    *,
    metric: str | Callable[[Any, Any], float] = "euclidean",
    features: str | Sequence[str] | None = None,
    noise: Mapping[Any, Any] | None = None,
    missing: str = "error",
    weights: Any = None,
    sample: int | None = None,
    seed: int = 0,
    threads: int | None = None,
    batch: int | None = None,
    reading: Mapping[str, Any] | None = None,
    engine: str | None = None,
    memory: str | None = None,
    temporary: str | None = None,
) -> InternalEvaluation:
    """Score a clustering by its points alone: no truth is needed.

    X: a row of numbers for each point; or a file or data frame, of which `labels` and `features` name columns.
    labels: the cluster of each point; or the name of a column.
    indices: names of internal indices; "all"; or a panel of them if it is left out.
    features: names of columns or patterns such as "x*"; all columns but the labels if it is left out.
    metric, noise, missing, weights, threads: as in `Geometry`; weights may name a column.
    sample: measure so many points against all others for the silhouette, and say how sure it is; the same points for
        the same `seed`. Beyond 50,000 points other indices that measure every two points are left out unless named.
    batch: read a file so many points at a time, and hold sums only; by default if it has more than 2^27 numbers. Scores
        are the same to 1e-12, and what measures every two points is left out.
    reading, engine, memory, temporary: how and by whom a file is read, as in `evaluate`.

    >>> evaluate_internal([[0.0], [1.0], [3.0], [4.0], [10.0], [12.0]], [0, 0, 0, 1, 1, 1], ["silhouette", "dunn"])
    6 points in 2 clusters; 1 feature(s), euclidean
    index          score  range
    silhouette  0.430511  [-1, 1], higher is better
    dunn        0.125000  [0, ∞), higher is better
    """
    how = {"reading": reading, "engine": engine, "memory": memory, "temporary": temporary}
    asked = {name: value for name, value in how.items() if value is not None}
    points = read_points(Points(X, labels, weights), features, batch, asked)
    options: dict[str, Any] = {"metric": metric, "noise": noise, "missing": missing, "threads": threads}
    if isinstance(points, Points):
        geometry = Geometry(points.X, points.labels, weights=points.weights, **options)
    else:
        geometry = Geometry.from_batches(points, **options)
    chosen, named = _choose(indices)
    scores, refused, sampled = dict[Index[...], float](), dict[str, str](), dict[str, SampledScore]()
    for index in chosen:
        drawn = sample is not None and index.name == "silhouette" and not _is_quick(index, geometry)
        reason = index.refusal(geometry) or ("" if drawn else _too_much(index, geometry, sample))
        if reason and not named:
            refused[index.label] = reason
            continue
        try:
            if drawn and sample is not None and not reason:
                sampled[index.label] = sample_silhouette(geometry, sample, seed, index.options.get("average", "points"))
                scores[index] = sampled[index.label].score
            else:
                scores[index] = index.of(geometry)
        except InputError as error:
            if named or drawn:
                raise
            refused[index.label] = str(error)
        except ZeroDivisionError:
            scores[index] = index.undefined_score(identical=lambda: False)
    return InternalEvaluation(geometry, scores, refused, sampled)


def _choose(indices: Sequence[str | Index[...]] | str | None) -> tuple[list[Index[...]], bool]:
    """The indices, and whether they were named."""
    every = list(catalogue("points"))
    if indices is None:
        return [index for index in every if index.panel], False
    if indices == "all":
        return every, False
    wanted = [_read(name) for name in ([indices] if isinstance(indices, str) else indices)]
    for index in wanted:
        if all(use.comparison is not GEOMETRY for use in index.uses):
            raise InputError(f"{index.label} is no index of points; evaluate(y_true, y_pred) scores it")
    return wanted, True


def _is_quick(index: Index[...], geometry: Geometry) -> bool:
    if index.statistic is PointSums:
        return geometry.is_linear
    return index.statistic.takes().needs == "features"


def _too_much(index: Index[...], geometry: Geometry, sample: int | None) -> str:
    if _is_quick(index, geometry) or not geometry.in_memory or (geometry.n <= MOST_POINTS and sample is None):
        return ""  # the statistic itself refuses batches that it cannot take
    hint = "" if index.statistic is not PointSums else ", or pass sample="
    return f"it measures every two of {geometry.n:,} points; name it to have it computed{hint}"
