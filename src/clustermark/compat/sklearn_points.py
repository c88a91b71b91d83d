"""The functions of scikit-learn that score clusters by the points, with every metric that its silhouettes take."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from clustermark.errors import InputError, Mention, require_whole
from clustermark.labels import label_list, read_labels
from clustermark.registry import find
from clustermark.statistics.distances import PointSums
from clustermark.subjects.features import METRICS, read_features
from clustermark.subjects.geometry import Geometry, GeometryLimits, refuse_lengths

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from clustermark.labels.conversion import Labels

_OPTIONS: Final = {"minkowski": ("p", "w"), "seuclidean": ("V",), "mahalanobis": ("VI",), "nan_euclidean": ()}
_NUMBERS: Final = ("braycurtis", "canberra", "chebyshev", "hamming", "mahalanobis", "minkowski", "seuclidean")
_FLAGS: Final = ("dice", "jaccard", "matching", "rogerstanimoto", "russellrao", "sokalsneath", "yule")
"""Metrics of rows of flags: a number other than 0 is a flag that is set."""
_KNOWN: Final = ("cityblock", "l1", "l2", *METRICS)
_ALL_AT_ONCE: Final = (*_NUMBERS, *_FLAGS, "haversine", "nan_euclidean")
"""Metrics that the kernel does not measure; all distances are computed first."""


def _geometry(X: Any, labels: Labels, metric: Any = "euclidean", **kwds: Any) -> Geometry:
    """Return the points; refuse numbers of clusters that scikit-learn refuses: 1, or as many as points."""
    _check_options(metric, kwds)
    if callable(metric):
        metric = partial(metric, **kwds)
    elif metric in _ALL_AT_ONCE:
        X, metric = _measure(X, metric, kwds), "precomputed"
    geometry = Geometry(X, labels, metric=metric)
    if not 1 < geometry.k < geometry.n:
        raise InputError(
            f"Number of labels is {geometry.k}. Valid values are 2 to n_samples - 1 (inclusive); "
            "clustermark.silhouette and similar indices have a value for every number of clusters"
        )
    return geometry


def silhouette_score(
    X: Any,
    labels: Labels,
    *,
    metric: Any = "euclidean",
    sample_size: int | None = None,
    random_state: Any = None,
    **kwds: Any,
) -> float:
    """Return the mean silhouette; see `clustermark.silhouette`.

    sample_size: number of points to draw with `random_state`, as in scikit-learn; rarely needed here.

    >>> silhouette_score([[0.0], [1.0], [10.0], [11.0]], [0, 0, 1, 1])
    0.899749373433584
    """
    if sample_size is not None:
        require_whole("sample_size", sample_size, 1)
        points = np.asarray(X) if metric == "nan_euclidean" else read_features(X)
        side = read_labels(labels, "labels")
        refuse_lengths(len(points), len(side))
        chosen = _read_random_state(random_state).permutation(len(points))[:sample_size]
        X = points[np.ix_(chosen, chosen)] if isinstance(metric, str) and metric == "precomputed" else points[chosen]
        labels = label_list(side.values, side.codes[chosen])
    return find("silhouette").of(_geometry(X, labels, metric, **kwds))


def _read_random_state(random_state: Any) -> Any:
    if hasattr(random_state, "permutation"):
        return random_state
    try:
        return np.random.RandomState(random_state)
    except (TypeError, ValueError) as error:
        raise InputError(f"random_state={random_state!r} is no seed; pass a whole number, or None") from error


def silhouette_samples(X: Any, labels: Labels, *, metric: Any = "euclidean", **kwds: Any) -> NDArray[np.float64]:
    """Return the silhouette of each point.

    >>> silhouette_samples([[0.0], [1.0], [10.0], [11.0]], [0, 0, 1, 1]).round(4).tolist()
    [0.9048, 0.8947, 0.8947, 0.9048]
    """
    return PointSums.of(_geometry(X, labels, metric, **kwds)).widths


def calinski_harabasz_score(X: Any, labels: Labels) -> float:
    """Return the Caliński–Harabasz index; see `clustermark.calinski_harabasz`."""
    return find("calinski_harabasz").of(_geometry(X, labels))


def davies_bouldin_score(X: Any, labels: Labels) -> float:
    """Return the Davies–Bouldin index; see `clustermark.davies_bouldin`."""
    return find("davies_bouldin").of(_geometry(X, labels))


def _check_options(metric: Any, options: dict[str, Any]) -> None:
    """Raise an error for a metric that is not known, or for options that it does not take."""
    if callable(metric):
        return
    if metric not in (*_KNOWN, *_ALL_AT_ONCE):
        names = ", ".join(map(repr, sorted((*_KNOWN, *_ALL_AT_ONCE))))
        raise InputError(Mention("metric", metric), f" is not known; choose {names}, or pass a function of two rows")
    taken = _OPTIONS.get(metric, ("w",) if metric in _NUMBERS else ())
    for name in options:
        if name not in taken:
            takes = f"it takes {' and '.join(taken)}" if taken else "it takes none"
            raise InputError(f"{name}=: is no option of the metric {metric!r}; {takes}")


def _measure(X: Any, metric: str, options: dict[str, Any]) -> NDArray[np.float64]:
    """Return the matrix of distances by one of these metrics."""
    from scipy.spatial import distance

    rows = np.asarray(X, np.float64) if metric == "nan_euclidean" else read_features(X).astype(np.float64)
    n = len(rows)
    most = GeometryLimits().asked
    if n > most:
        raise InputError(
            Mention("metric", metric),
            f": all distances of at most {most:,} points are computed, and X has {n:,}; draw some by sample_size",
        )
    if metric == "nan_euclidean":
        return _known_part(rows)
    if metric == "haversine":
        return _on_a_sphere(rows)
    data = rows != 0 if metric in _FLAGS else rows
    pdist: Any = distance.pdist  # its stubs know no names of metrics
    found: NDArray[np.float64] = distance.squareform(pdist(data, metric, **options))
    return found


def _known_part(X: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return Euclidean distances by the features that both points have, as if the others were like them."""
    if X.ndim != 2:
        raise InputError("X: pass a row of numbers for each point")
    known = (~np.isnan(X)).astype(np.float64)
    shared = known @ known.T
    if not shared.all():
        one, other = np.argwhere(shared == 0)[0].tolist()
        raise InputError(f"X: the rows {one} and {other} have no feature that both know, so they have no distance")
    squares = np.zeros_like(shared)
    for column, has in zip(np.nan_to_num(X).T, known.T, strict=True):
        squares += (column[:, None] - column) ** 2 * np.outer(has, has)
    distances: NDArray[np.float64] = np.sqrt(squares * (X.shape[1] / shared))
    return distances


def _on_a_sphere(X: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the angles between points given by latitude and longitude in radians."""
    if X.shape[1] != 2:
        raise InputError(
            Mention("metric", "haversine"), f" takes latitude and longitude, and X has {X.shape[1]} columns"
        )
    latitude, longitude = X.T
    half = np.sin((latitude[:, None] - latitude) / 2) ** 2
    half += np.cos(latitude)[:, None] * np.cos(latitude) * np.sin((longitude[:, None] - longitude) / 2) ** 2
    distances: NDArray[np.float64] = 2 * np.arcsin(np.sqrt(np.minimum(half, 1)))
    return distances
