"""Points in space and the cluster of each, which internal indices read."""

from __future__ import annotations

from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from clustermark._kernel import encode_integers
from clustermark.errors import InputError, Mention
from clustermark.labels import check_same_index, label_list, read_labels, read_weights
from clustermark.subjects.features import (
    DENSE,
    ask_distances,
    is_sparse,
    read_distances,
    read_features,
    read_metric,
    to_directions,
)
from clustermark.subjects.subject import Remembering, Subject
from clustermark.tables.policies import OF_LABELS, count_labels, read_common_policies, warn_of_unmet_labels
from clustermark.tables.tabulation import how_many_threads

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Self

    from numpy.typing import NDArray

    from clustermark.labels.conversion import Labels
    from clustermark.labels.labeling import Labeling
    from clustermark.statistics.statistic import Takes

NOTHING = "labels: every point is noise or has no label, so there is nothing to score"


_MOST_WEIGHT: Final = 1e35
"""Largest total weight: scores multiply several sums of it."""


class GeometryLimits(NamedTuple):
    """Limits on the work and the memory that indices of points take."""

    points: int = 50_000
    """Indices that measure every two points are left out if there are more points, unless they are named."""
    asked: int = 10_000
    """Most points for which a function computes all distances, each pair once; they are kept."""
    sorted_pairs: int = 400_000_000
    """Most pairs whose distances are held and sorted; 8 bytes each."""
    extremes: int = 1 << 27
    """Most points times clusters for extremes; three numbers each."""
    products: int = 1 << 27
    """Products of features of clusters that are held while batches are read."""
    sums: int = 1 << 27
    """Most sums from sampled points to clusters where points come in batches."""
    block: int = 1 << 22
    """Numbers that are processed at once, or kept, where there is a table for each cluster."""
    centers: int = 1 << 16
    """Distances between centers in a block, which stays in the cache of the processor while features are added."""
    dense: int = DENSE
    """Numbers of a sparse matrix that are made dense at once; a larger one is read in batches."""
    held: int = 1 << 27
    """Numbers of a file that are read at once, 1 GiB; a larger file is read in batches."""
    batch: int = 1 << 23
    """Numbers of a batch of a file or of a sparse matrix."""


class Geometry(Remembering):
    """Points and the cluster of each; `index.of(geometry)` scores it. `from_batches` reads more than memory holds.

    X: a row of numbers for each point: an array, a data frame, a sparse matrix. float32 and float64 are not copied.
    labels: the cluster of each point, of any type.
    metric: "euclidean", "sqeuclidean", "manhattan", "cosine", "correlation", "precomputed" (X has the distances), or a
        function of two rows. Indices of centers and scatter are defined for Euclidean distances only.
    noise: the policy for the points of a label, such as {-1: "drop"}: drop, singletons or cluster.
    missing: the policy for points without a label: error, drop, cluster or singletons.
    weights: the weight of each point, for indices that accept weights.
    threads: the number of threads that the kernel may use; by default the value of the variable CLUSTERMARK_THREADS,
        else as many as make it faster. Scores do not depend on it.

    >>> geometry = Geometry([[0.0], [1.0], [3.0], [4.0], [10.0], [12.0]], [0, 0, 0, 1, 1, 1])
    >>> geometry
    <Geometry of 6 points, 1 feature, 2 clusters>
    """

    in_memory = True
    """Whether all points are in memory, so that every two of them can be measured."""
    progress: Callable[[float], None] | None = None
    """Function that is called with the share that is done, from time to time while every two points are measured."""
    limits: GeometryLimits = GeometryLimits()
    """Limits on work and memory; an index that needs more is refused, or left out unless it is named."""
    _may_be_empty = False

    def __init__(
        self,
        X: Any,
        labels: Labels,
        *,
        metric: str | Callable[[Any, Any], float] = "euclidean",
        noise: Mapping[Any, Any] | None = None,
        missing: str = "error",
        weights: Any = None,
        threads: int | None = None,
    ) -> None:
        self.metric = read_metric(metric)
        """The name of the metric; "callable" for a function."""
        check_same_index(X, labels, "X", "labels")
        check_same_index(X, weights, "X", "weights")
        rows = read_distances(X, "X") if self.metric == "precomputed" else read_features(X)
        side = read_labels(labels, "labels")
        refuse_lengths(len(rows), len(side))
        self.threads = how_many_threads(threads, len(rows) ** 2)
        """Number of threads that the kernel may use; with 0 it chooses the number."""
        self.n_given = len(rows)
        """Number of points that were passed."""
        weighted = None if weights is None else read_weights(weights, len(rows))
        self._settle(side, noise, missing)
        if not self.n and not self._may_be_empty:
            raise InputError(NOTHING)
        kept = self._kept
        if kept is not None:
            rows = rows[np.ix_(kept, kept)] if self.metric == "precomputed" else rows[kept]
            weighted = None if weighted is None else weighted[kept]
        self.weights: NDArray[np.float64] | None = None if weighted is None or (weighted == 1).all() else weighted
        """The weight of each point; None where all are 1."""
        if self.weights is not None:
            self._check_weights(float(abs(rows).max()))
        self.X: NDArray[Any] = rows
        """The points that are used, or the distances between them."""
        self._ask = metric if callable(metric) else None
        super().__init__()

    @classmethod
    def from_distances(cls, D: Any, labels: Labels, **options: Any) -> Self:
        """Return the geometry of a matrix of distances, one row and one column for each point.

        >>> Geometry.from_distances([[0, 1, 5], [1, 0, 4], [5, 4, 0]], [0, 0, 1])
        <Geometry of 3 points, their distances, 2 clusters>
        """
        return cls(D, labels, metric="precomputed", **options)

    @classmethod
    def from_batches(cls, batches: Any, **options: Any) -> Geometry:
        """Return the geometry of points in batches (X, labels) or (X, labels, weights), of which only sums are kept.

        batches: a list, anything else that can be iterated over more than once, or a function that returns a new
            iterator. Batches are read once for sums of squares, and again for distances to centers.
        options: metric, noise, missing and threads as in `Geometry`; no policy may be "singletons".
        Indices of scatter and centers are those of all points at once, to 1e-12; so is the silhouette with
        metric="sqeuclidean", "cosine" or "correlation". Indices that measure every two points are refused.

        >>> from clustermark import davies_bouldin
        >>> geometry = Geometry.from_batches([([[0], [1]], [0, 0]), ([[3], [4]], [0, 1]), ([[10], [12]], [1, 1])])
        >>> round(davies_bouldin.of(geometry), 12)
        0.575757575758
        """
        from clustermark.subjects.batches import Batches

        return Batches(batches, **options)

    def parts(self) -> Iterator[Geometry]:
        """Yield the points in parts that fit in memory: here all points at once."""
        yield self

    def _settle(self, side: Labeling, noise: Any, missing: object) -> None:
        """Set the codes of clusters, in order of first appearance so that no name changes a score; apply policies."""
        policies = read_common_policies(noise, missing, "error")
        if side.n_missing and policies.missing == "error":
            raise InputError(
                f"labels has {side.n_missing} missing label(s), the first at position {side.first_missing}; fill them "
                "in, or choose ",
                Mention("missing", "drop", "cluster", "singletons"),
            )
        codes, first = encode_integers(np.ascontiguousarray(side.codes))
        names = label_list(side.values, np.asarray(side.codes)[first])
        fates = [self._fate(name, policies.noise_true, policies.missing) for name in names]
        self.noise: dict[Any, str] = dict(policies.noise_true)
        """The labels named as noise, and the policy for their points."""
        sizes = np.bincount(codes, minlength=len(names))
        self.noise_sizes: dict[Any, int] = {
            name: int(size) for name, size in zip(names, sizes, strict=True) if name in policies.noise_true
        }
        """Number of points of each label named as noise, for labels that occur."""
        if not self._may_be_empty:  # a batch need not have all labels
            warn_of_unmet_labels({"pred": partial(count_labels, [side])}, policies, OF_LABELS)
        dropped = np.array([fate == "drop" for fate in fates])
        alone = np.array([fate == "singletons" for fate in fates])
        self._kept = None
        if dropped.any():
            self._kept = np.flatnonzero(~dropped[codes])
            codes = codes[self._kept]
        kept: Any = np.arange(len(names))
        if dropped.any() or alone.any():
            numbers = codes.astype(np.int64)
            lone = np.flatnonzero(alone[codes])
            numbers[lone] = len(names) + np.arange(len(lone))
            codes, seen = encode_integers(numbers)
            kept, sizes = numbers[seen], np.bincount(codes)
        self.codes: NDArray[np.int32] = codes
        """The number of each point's cluster, in order of first appearance."""
        self.names: list[Any] = [names[k] if k < len(names) else None for k in kept.tolist()]
        """The label of each cluster; None for a point that a policy made a singleton."""
        self.alone: NDArray[np.bool_] = kept >= len(names)
        """Whether each cluster is a point that a policy made a singleton."""
        self.sizes: NDArray[np.int64] = sizes.astype(np.int64)
        """Number of points of each cluster."""

    @staticmethod
    def _fate(name: Any, noise: Mapping[Any, str], missing: str) -> str:
        return missing if name is None else noise.get(name, "cluster")

    def _check_weights(self, largest: float) -> None:
        with np.errstate(over="ignore"):
            total = np.bincount(self.codes, self.weights)
            if not (whole := float(total.sum())) <= _MOST_WEIGHT or not np.isfinite(4 * whole * np.square(largest)):
                raise InputError(
                    f"weights: they add up to {whole:g}, and sums of squares overflow; rescale them all, for example "
                    "to a mean of 1"
                )
        if not total.all():
            name = self.names[int((total == 0).argmax())]
            raise InputError(f"weights: the points of cluster {name!r} have no weight; leave them out")

    @property
    def is_weighted(self) -> bool:
        """Whether points have weights other than 1."""
        return self.weights is not None

    @property
    def n_noise(self) -> int:
        """Number of points with a label named as noise."""
        return sum(self.noise_sizes.values())

    @property
    def n(self) -> int:
        """Number of points that are used."""
        return len(self.codes)

    @property
    def k(self) -> int:
        """Number of clusters."""
        return len(self.sizes)

    @property
    def n_features(self) -> int | None:
        """Number of features of a point; None if only distances are known."""
        return None if self.metric == "precomputed" else self.X.shape[1]

    @cached_property
    def by_cluster(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The points sorted by cluster, and where each cluster begins."""
        order = np.argsort(self.codes, kind="stable").astype(np.int64)
        return order, np.concatenate([[0], np.cumsum(self.sizes)]).astype(np.int64)

    @cached_property
    def measured(self) -> tuple[NDArray[Any], str]:
        """Data for the kernel: points with a metric of the kernel, or distances."""
        if self._ask is not None:
            return ask_distances(self.X, self._ask, self.limits.asked), "precomputed"
        if self.metric in ("cosine", "correlation"):
            return to_directions(self.X, self.metric), "sqeuclidean"
        return self.X, self.metric

    @property
    def is_linear(self) -> bool:
        """Whether mean distances to a cluster follow from its center, so that silhouettes need no pairs of points."""
        return self.metric in ("sqeuclidean", "cosine", "correlation")

    def squared(self) -> Geometry:
        """Return the same with points whose squared Euclidean distances are those of the metric, if it is linear."""
        X, _ = self.measured
        return self if X is self.X else Geometry(X, self.codes, threads=self.threads or None)

    @property
    def pairs(self) -> tuple[NDArray[Any], str, NDArray[np.int64], NDArray[np.int64]]:
        """Arguments of the kernel for all pairs of points."""
        return *self.measured, *self.by_cluster

    def without(self, left: NDArray[np.bool_]) -> Geometry:
        """Return the same without the points of some clusters; raise ZeroDivisionError if none are left.

        left: whether each cluster is left out.
        """
        if not left.any():
            return self
        if left.all():
            raise ZeroDivisionError
        kept = np.flatnonzero(~left[self.codes])
        X = self.X[np.ix_(kept, kept)] if self.metric == "precomputed" else self.X[kept]
        others = Geometry(
            X, self.codes[kept], metric=self._ask or self.metric, threads=self.threads or None,
            weights=None if self.weights is None else self.weights[kept],
        )  # fmt: skip
        others.progress = self.progress
        return others

    def __repr__(self) -> str:
        p = self.n_features
        what = "their distances" if p is None else f"{p:,} feature{'s' * (p != 1)}"
        return f"<Geometry of {self.n:,} point{'s' * (self.n != 1)}, {what}, {self.k:,} cluster{'s' * (self.k != 1)}>"


def refuse_lengths(points: int, labels: int) -> None:
    """Refuse labels if their number differs from that of the points."""
    if points != labels:
        raise InputError(f"X has {points:,} points and labels has {labels:,}; each point needs one label")


def make_geometry(
    X: Any,
    labels: Any,
    *,
    metric: str | Callable[[Any, Any], float] = "euclidean",
    noise: Mapping[Any, Any] | None = None,
    missing: str = "error",
    weights: Any = None,
    threads: int | None = None,
) -> Geometry:
    """Return the geometry of points and labels; a sparse matrix too large to be made dense is read in batches."""
    options: dict[str, Any] = {"metric": metric, "noise": noise, "missing": missing, "threads": threads}
    if is_sparse(X) and len(X.shape) == 2 and X.shape[0] * X.shape[1] > Geometry.limits.dense:
        from clustermark.subjects.batches import cut_sparse

        return cut_sparse(X, labels, weights, **options)
    return Geometry(X, labels, weights=weights, **options)


def _refusal(geometry: Geometry, name: str, takes: Takes) -> tuple[str | Mention, ...]:
    if takes.needs == "features" and geometry.metric not in ("euclidean", "sqeuclidean"):
        if geometry.metric == "precomputed":
            return (f"{name} needs the features of points, and only their distances are known",)
        return f"{name} is defined by Euclidean distances to centers; leave out ", Mention("metric", geometry.metric)
    if geometry.is_weighted and takes.weights is None:
        return f"{name} has no meaning with weights; leave out ", Mention("weights")
    return ()


def _cost(geometry: Geometry, takes: Takes) -> str:
    return measures_pairs(geometry, takes) if geometry.n > geometry.limits.points else ""


def measures_pairs(geometry: Geometry, takes: Takes) -> str:
    """Return a text that says that an index measures the distance of every two points; empty if it does not.

    It is empty for batches too, because statistics that need every two points refuse batches themselves.
    """
    quick = takes.needs == "features" or (takes.needs == "mean distances" and geometry.is_linear)
    if quick or not geometry.in_memory:
        return ""
    return f"it measures every two of {geometry.n:,} points"


def _is_matrix(X: Any, labels: Any) -> bool:
    return len(np.shape(X)) == 2 and len(np.shape(labels)) == 1


def _is_weighted(geometry: Geometry) -> bool:
    return geometry.is_weighted


GEOMETRY = Subject(
    Geometry,
    ("X", "labels"),
    make_geometry,
    _is_matrix,
    "a Geometry(X, labels)",
    refusal=_refusal,
    is_weighted=_is_weighted,
    cost=_cost,
    options=("metric", "noise", "missing", "weights", "threads"),
    name="points",
    verb="evaluate_internal",
)
