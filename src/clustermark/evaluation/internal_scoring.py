"""evaluate_internal(): score a clustering by its points, in memory or in files, also by a sample of the points."""

from __future__ import annotations

from functools import partial
from inspect import signature
from math import inf, sqrt
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

import numpy as np

from clustermark import _kernel
from clustermark.errors import InputError, Mention, require_whole
from clustermark.evaluation.evaluation import NAME_IT, Scorer, score, share_of
from clustermark.evaluation.internal_evaluation import InternalEvaluation
from clustermark.evaluation.notices import tell_many_like_noise, warn_of_noise
from clustermark.evaluation.silhouette_strata import DrawnStratum, draw_strata, simplified_by_cluster
from clustermark.options import ONE_LABELING, refuse_options, without_options
from clustermark.sources.tabular import is_tabular, open_columns
from clustermark.statistics.distances import PointSums
from clustermark.statistics.scatter import find_places
from clustermark.subjects.features import EXACT, choose_columns, refuse_inexact, to_numbers
from clustermark.subjects.geometry import GEOMETRY, Geometry, make_geometry, measures_pairs
from clustermark.uncertainty.limits import reach

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from clustermark.registry import Index
    from clustermark.sources.tabular import Tabular


_LACKING: Final = {**ONE_LABELING, "unmatched": "each point has one label, in the same order; nothing is joined by id"}


@without_options(**_LACKING)
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
    """Score a clustering by its points, without a truth.

    X: a row of numbers for each point; or a file or data frame whose columns `labels` and `features` name.
    labels: the cluster of each point; or the name of a column.
    indices: names of internal indices, or "all"; by default a panel of them.
    features: names of columns or patterns such as "x*"; by default all columns except the labels.
    metric, noise, missing, weights, threads: as in `Geometry`; weights may name a column.
    sample: estimate the silhouette, with an interval, from about this number of points measured against all others,
        in proportion from each cluster and at least two of each; the `seed` determines the points. For more than 50,000
        points, other indices that measure all pairs of points are left out unless named.
    batch: read a file in batches of this number of points, and keep only sums; by default if it has more than 2^27
        numbers. Scores are the same to 1e-12; indices that measure all pairs of points are left out, except a `sample`.
    reading, engine, memory, temporary: how and by which engine a file is read, as in `evaluate`.
    progress: a function that is called repeatedly with the share that is done.

    >>> evaluate_internal([[0.0], [1.0], [3.0], [4.0], [10.0], [12.0]], [0, 0, 0, 1, 1, 1], ["silhouette", "dunn"])
    6 points in 2 clusters; 1 feature, metric euclidean
    index          score  range    better
    silhouette  0.430511  [-1, 1]  higher
    dunn        0.125000  [0, ∞)   higher
    """
    how: dict[str, Any] = {
        "metric": metric, "features": features, "noise": noise, "missing": missing, "weights": weights,
        "sample": sample, "seed": seed, "threads": threads, "batch": batch,
        "reading": reading, "engine": engine, "memory": memory, "temporary": temporary,
    }  # fmt: skip
    made = score_points(X, labels, indices, how, progress)
    warn_of_noise(tell_many_like_noise([made.like_noise], "noise", "the clustering"))
    return made


def bind_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return options of `evaluate_internal`, those that are not given with their defaults."""
    refuse_options(_LACKING, options)
    bound = signature(evaluate_internal).bind(None, None, **options)
    bound.apply_defaults()
    others = ("X", "labels", "indices", "progress")
    return {name: value for name, value in bound.arguments.items() if name not in others}


def score_points(
    X: Any,
    labels: Any,
    indices: Sequence[str | Index[...]] | str | None,
    how: Mapping[str, Any],
    progress: Callable[[float], None] | None = None,
) -> InternalEvaluation:
    """Return the evaluation of points, without a warning of noise; `how` has all options of `evaluate_internal`."""
    given = PointData(X, labels, how["weights"])
    points = read_points(given, how["features"], how["batch"], reading_of(how))
    options = {name: how[name] for name in ("metric", "noise", "missing", "threads")}
    if isinstance(points, PointData):
        geometry = make_geometry(points.X, points.labels, weights=points.weights, **options)
    else:
        geometry = Geometry.from_batches(points, **options)
    scorer = PointScorer(how["sample"], how["seed"])
    return InternalEvaluation.of(geometry, score(geometry, GEOMETRY, indices, progress, scorer), scorer.sampled)


def reading_of(how: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options that say how a source of columns is read, of those that were given."""
    names = ("reading", "engine", "memory", "temporary")
    return {name: how[name] for name in names if how[name] is not None}


Measured: TypeAlias = "tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int32]]"


class SampledScore(NamedTuple):
    """An estimate from a sample of the points, with a 95 % interval for the score of all points."""

    score: float
    low: float
    high: float
    points: int
    """Number of points drawn."""


class PointScorer(Scorer):
    """Scores of points; with a sample, the silhouette is estimated and other indices of pairs of points are left out.

    sample: the number of points to draw; None for exact scores.
    """

    def __init__(self, sample: int | None, seed: int) -> None:
        if sample is not None:
            require_whole("sample", sample, 2)
            require_whole("seed", seed, 0)
        self._sample, self._seed = sample, seed
        self.sampled: dict[str, SampledScore] = {}
        """Estimated scores, by the name of the index."""

    def _draws(self, index: Index[...], geometry: Geometry) -> bool:
        return self._sample is not None and index.name == "silhouette" and not geometry.is_linear

    def cost(self, index: Index[...], subject: Geometry) -> str:
        """Return why an index takes long, and what to do."""
        if self._draws(index, subject):
            return ""
        if self._sample is not None and (pairs := measures_pairs(subject, index.statistic.takes())):
            return f"{pairs}; {NAME_IT}"
        reason = super().cost(index, subject)
        return f"{reason}, or pass sample=" if reason and index.statistic is PointSums else reason

    def score(self, index: Index[...], subject: Geometry) -> float:
        """Return the score, or an estimate of it."""
        if not self._draws(index, subject):
            return super().score(index, subject)
        size, average = self._sample or 0, index.options.get("average", "points")

        def estimate() -> float:
            self.sampled[index.label] = drawn = sample_silhouette(subject, size, self._seed, average)
            return drawn.score

        return index.of_estimate(subject, estimate)

    def insists(self, index: Index[...], subject: Geometry) -> bool:
        """Return whether an index is the silhouette with a sample, which counts as requested."""
        return self._draws(index, subject)


def sample_silhouette(geometry: Geometry, size: int, seed: int, average: str = "points") -> SampledScore:
    """Return the mean silhouette of a stratified sample: from each cluster in proportion, at least two points.

    Points of a cluster are drawn from two strata by their simplified silhouettes, which are also the control: what the
    sample has more of them than all points is subtracted, times the slope of the regression.
    The silhouette of a drawn point is exact because it is measured against all points; only the mean is estimated.
    The draw does not depend on whether the points are in memory or in batches.
    """
    sizes, k = geometry.sizes, geometry.k
    if k < 2:
        raise ZeroDivisionError
    tell = geometry.progress
    try:
        geometry.progress = tell and share_of(tell, 0, 2)
        controls = simplified_by_cluster(geometry)
    finally:
        geometry.progress = tell
    strata = draw_strata(sizes, controls, int(size), int(seed))
    drawn = [np.concatenate([one.drawn for one in strata if one.cluster == cluster]) for cluster in range(k)]
    codes = np.repeat(np.arange(k, dtype=np.int32), [len(places) for places in drawn])
    try:
        geometry.progress = tell and share_of(tell, 1, 2)
        own, other, neighbours = _measure(geometry, drawn) if geometry.in_memory else _measure_parts(geometry, drawn)
    finally:
        geometry.progress = tell
    widths = PointSums(own / np.maximum(sizes[codes] - 1, 1), other, neighbours, codes, sizes).widths
    shares = sizes / geometry.n if average == "points" else np.full(k, 1 / k)
    return _estimate(strata, widths, controls, shares / sizes)


def _estimate(
    strata: list[DrawnStratum], widths: NDArray[np.float64], controls: list[NDArray[np.float64]] | None, weights: Any
) -> SampledScore:
    """Return the mean width with its interval; weights: the weight of a point of each cluster."""
    ends = np.cumsum([len(one.drawn) for one in strata])
    drawn = np.split(widths, ends[:-1])
    shares = np.array([weights[one.cluster] * len(one.places) for one in strata])
    own = [np.zeros(0) if controls is None else controls[one.cluster][one.drawn] for one in strata]
    slope = 0.0 if controls is None else _slope(drawn, own, shares)
    score = variance = doubt = 0.0
    for one, share, values, control in zip(strata, shares, drawn, own, strict=True):
        rest = values if controls is None else values - slope * control
        score += share * rest.mean()
        if controls is not None:
            score += share * slope * controls[one.cluster][one.places].mean()
        m = len(rest)
        if m > 1:
            part = share**2 * rest.var(ddof=1) / m * (1 - m / len(one.places))
            variance, doubt = variance + part, doubt + part**2 / (m - 1)
    half = reach(0.95, variance**2 / doubt if doubt else inf) * sqrt(variance)
    return SampledScore(float(score), max(float(score) - half, -1.0), min(float(score) + half, 1.0), len(widths))


def _slope(drawn: list[Any], own: list[Any], shares: NDArray[np.float64]) -> float:
    """Return the slope of widths on simplified silhouettes within strata, which makes the variance least."""
    together = squares = 0.0
    for share, values, control in zip(shares, drawn, own, strict=True):
        if (m := len(values)) > 1:
            away = control - control.mean()
            together += share**2 * float(away @ values) / (m * (m - 1))
            squares += share**2 * float(away @ away) / (m * (m - 1))
    return together / squares if squares > 1e-12 * float((shares**2).sum()) else 0.0


def _measure(geometry: Geometry, drawn: Sequence[NDArray[np.int64]]) -> Measured:
    """Return sums of distances to the own cluster, least mean distances to another cluster, and that cluster."""
    _, starts = geometry.by_cluster
    places = np.concatenate([start + own for start, own in zip(starts.tolist(), drawn, strict=False)])
    return _kernel.sum_distances(*geometry.pairs, geometry.threads, geometry.progress, places.astype(np.int64))


def _measure_parts(geometry: Geometry, drawn: Sequence[NDArray[np.int64]]) -> Measured:
    """Return the same for points in batches, which are read once to draw a sample and again to measure it."""
    n, k = sum(map(len, drawn)), geometry.k
    if n * k > (most := geometry.limits.sums):
        raise InputError(
            Mention("sample"),
            f": {n:,} points, two or more from each of {k:,} clusters, would need {n * k:,} sums, and the limit is "
            f"{most:,} where points come in batches; pass them at once, or ",
            Mention("metric", "sqeuclidean"),
        )
    tell = geometry.progress
    try:
        geometry.progress = tell and share_of(tell, 0, 2)
        points = _take(geometry, drawn)
        geometry.progress = tell and share_of(tell, 1, 2)
        sums = np.zeros((n, k))
        for part in geometry.parts():
            found = _kernel.sum_distances_from(points, part.X, geometry.metric, *part.by_cluster, geometry.threads)
            sums[:, find_places(geometry.names, part.names)] += found.reshape(n, -1)
    finally:
        geometry.progress = tell
    rows, codes = np.arange(n), np.repeat(np.arange(k), [len(places) for places in drawn])
    own = sums[rows, codes]
    sums /= geometry.sizes
    sums[rows, codes] = inf
    neighbours = sums.argmin(axis=1)
    return own, sums[rows, neighbours], neighbours.astype(np.int32)


def _take(geometry: Geometry, drawn: Sequence[NDArray[np.int64]]) -> NDArray[np.float64]:
    """Return the drawn points, ordered by cluster."""
    starts = np.cumsum([0, *map(len, drawn)])
    points = np.empty((int(starts[-1]), geometry.n_features or 0))
    seen = np.zeros(geometry.k, np.int64)
    for part in geometry.parts():
        order, begins = part.by_cluster
        for own, cluster in enumerate(find_places(geometry.names, part.names).tolist()):
            rows = order[begins[own] : begins[own + 1]]
            at = drawn[cluster] - seen[cluster]
            here = np.flatnonzero((at >= 0) & (at < len(rows)))
            points[starts[cluster] + here] = part.X[rows[at[here]]]
            seen[cluster] += len(rows)
    return points


_HOLDS: Final = ("features", "features")


class PointData(NamedTuple):
    """The data of a geometry in memory."""

    X: Any
    labels: Any
    weights: Any = None


Open: TypeAlias = "Callable[[], Iterator[tuple[Any, ...]]]"
"""Function that starts reading batches from the beginning, as `Geometry.from_batches` requires."""


def read_points(
    given: PointData, features: str | Sequence[str] | None, batch: int | None, reading: Mapping[str, Any]
) -> PointData | Open:
    """Return the given data or, if `labels` names a column, the columns of a source, at once or in batches."""
    X, labels, weights = given
    if batch is not None:
        require_whole("batch", batch, 1)
    if not isinstance(labels, str):
        for name, value in (("features", features), ("batch", batch), *reading.items()):
            if value is not None:
                raise InputError(Mention(name), " is for columns of a source, so ", Mention("labels"), " must name one")
        return given
    if not is_tabular(X):
        raise InputError(
            Mention("labels", labels), " names a column, and X has none; pass a file or a data frame, or the labels"
        )
    if hasattr(X, "obsm"):
        raise InputError(
            f"X is a table of points ({type(X).__name__}), whose coordinates are no columns; pass them and the labels, "
            f"such as adata.obsm['X_pca'] and adata.obs[{labels!r}]"
        )
    with open_columns(X, "points", reading) as table:
        names = list(table.kinds)
        extra = [weights] if isinstance(weights, str) else []
        for name, what in ((labels, "labels"), *((name, "weights") for name in extra)):
            if name not in names:
                raise InputError(
                    f"{table.called}: there is no column {name!r} with {what}; there are {', '.join(names)}"
                )
        wanted = choose_columns(names, features, [labels, *extra], table.called)
        decimals = {name for name in wanted if table.kinds[name] == "decimal"}
        make = partial(make_points, wanted, weights, table.called, decimals)
        asked = [*wanted, labels, *extra]
        if table.store is None and batch is not None:
            raise InputError(
                Mention("batch", batch), f" is for files, which DuckDB reads; {table.called} is read at once"
            )
        if table.store is None or fits(table, wanted, batch):
            return make(table.read(asked))
        if weights is not None and not extra:
            raise InputError("weights: points that come in batches have their weights in a column; name it")
        stored, parts = table.store(asked), 2 + len(extra)
        at_once = batch or max(Geometry.limits.batch // len(wanted), 1)
        return lambda: (make(columns, place * at_once)[:parts] for place, columns in enumerate(stored.read(at_once)))


def fits(table: Tabular, wanted: Sequence[str], batch: int | None) -> bool:
    """Return whether columns are read at once, because no batches were requested and they are not too large."""
    count = table.count_rows
    return batch is None and (count is None or count() * len(wanted) <= Geometry.limits.held)


def make_points(
    wanted: Sequence[str], weights: Any, called: str, decimals: set[str], columns: Sequence[Any], first_row: int = 0
) -> PointData:
    """Return the points of columns: the features, the labels and, if there is one more column, the weights."""
    numbers = [to_numbers(column, name, called, _HOLDS) for column, name in zip(columns, wanted, strict=False)]
    rest = list(columns[len(wanted) :])
    if not len(numbers[0]):
        raise InputError(f"{called}: there are no rows; at least one point is needed")
    for name, column in zip(wanted, numbers, strict=True):
        if name in decimals:  # converted to floats by the engine
            refuse_inexact(column, abs(column) >= EXACT, f"{called}: column {name!r}")
        if column.dtype.kind == "f" and (missing := np.isnan(column)).any():
            raise InputError(
                f"{called}: column {name!r} has no number in row {first_row + int(missing.argmax())}; fill it in, or "
                "leave the row out"
            )
    if len(rest) == 2:
        return PointData(np.column_stack(numbers), rest[0], to_numbers(rest[1], weights, called, _HOLDS))
    return PointData(np.column_stack(numbers), rest[0], weights)
