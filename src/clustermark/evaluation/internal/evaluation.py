"""evaluate_internal(): how good a clustering is by its points alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clustermark.evaluation.internal.columns import Points, read_points
from clustermark.evaluation.internal.results import InternalEvaluation
from clustermark.evaluation.internal.sample import PointScorer
from clustermark.evaluation.scoring import score
from clustermark.options import ONE_LABELING, without_options
from clustermark.subjects.geometry import GEOMETRY, Geometry, make_geometry

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from clustermark.registry import Index


@without_options(**ONE_LABELING, unmatched="each point has one label, in the same order; nothing is joined by id")
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
    progress: Callable[[float], None] | None = None,
) -> InternalEvaluation:
    """Score a clustering by its points; no truth is needed.

    X: a row of numbers for each point; or a file or data frame, of which `labels` and `features` name columns.
    labels: the cluster of each point; or the name of a column.
    indices: names of internal indices; "all"; or a panel of them if it is left out.
    features: names of columns or patterns such as "x*"; all columns but the labels if it is left out.
    metric, noise, missing, weights, threads: as in `Geometry`; weights may name a column.
    sample: measure so many points against all others for the silhouette, and say how sure it is; the same points for
        the same `seed`. Beyond 50,000 points other indices that measure every two points are left out unless named.
    batch: read a file so many points at a time, and hold sums only; by default if it has more than 2^27 numbers. Scores
        are the same to 1e-12, and what measures every two points is left out; a `sample` is not.
    reading, engine, memory, temporary: how and by whom a file is read, as in `evaluate`.
    progress: a function that is called, now and then, with the share that is done.

    >>> evaluate_internal([[0.0], [1.0], [3.0], [4.0], [10.0], [12.0]], [0, 0, 0, 1, 1, 1], ["silhouette", "dunn"])
    6 points in 2 clusters; 1 feature, metric euclidean
    index          score  range
    silhouette  0.430511  [-1, 1], higher is better
    dunn        0.125000  [0, ∞), higher is better
    """
    how = {"reading": reading, "engine": engine, "memory": memory, "temporary": temporary}
    asked = {name: value for name, value in how.items() if value is not None}
    points = read_points(Points(X, labels, weights), features, batch, asked)
    options: dict[str, Any] = {"metric": metric, "noise": noise, "missing": missing, "threads": threads}
    if isinstance(points, Points):
        geometry = make_geometry(points.X, points.labels, weights=points.weights, **options)
    else:
        geometry = Geometry.from_batches(points, **options)
    scorer = PointScorer(sample, seed)
    return InternalEvaluation.of(geometry, score(geometry, GEOMETRY, indices, progress, scorer), scorer.sampled)
