"""Points in batches: they are read as often as statistics need them, and only sums are kept in memory."""

from __future__ import annotations

import sys
from collections import Counter
from functools import cached_property
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from clustermark.errors import InputError, Mention
from clustermark.labels import label_list, read_labels, read_weights
from clustermark.labels.conversion import read_sparse
from clustermark.subjects.features import is_sparse, read_metric, to_directions
from clustermark.subjects.geometry import NOTHING, Geometry, refuse_lengths
from clustermark.subjects.subject import Remembering
from clustermark.tables.policies import OF_LABELS, makes_singletons, read_common_policies, warn_of_unmet_labels
from clustermark.tables.tabulation import how_many_threads

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

_CHANGED = "batches: reading them again gave other points; they must be the same each time"


class _Batch(Geometry):
    """One batch, all of whose points may be noise."""

    _may_be_empty = True


def cut_sparse(X: Any, labels: Any, weights: Any = None, **options: Any) -> Geometry:
    """Return the geometry of a sparse matrix, of which a block of rows is made dense at a time."""
    n, p = X.shape
    side = read_labels(labels, "labels")
    refuse_lengths(n, len(side))
    counted = None if weights is None else read_weights(weights, n)
    rows, step = read_sparse(X, "X", copy=False), max(Geometry.limits.batch // p, 1)

    def cut() -> Iterator[tuple[Any, ...]]:
        for begin in range(0, n, step):
            place = slice(begin, begin + step)
            named = side.codes[place] if side.values is None else label_list(side.values, side.codes[place])
            dense = rows[place].toarray()
            yield (dense, named) if counted is None else (dense, named, counted[place])

    return Batches(cut, **options)


class _Tally:
    """Counts of a complete pass over the batches."""

    def __init__(self) -> None:
        self.given = 0
        self.noise, self.sizes = Counter[Any](), Counter[Any]()

    def add(self, part: Geometry) -> None:
        self.given += part.n_given
        self.noise.update(part.noise_sizes)
        self.sizes.update(dict(zip(part.names, part.sizes.tolist(), strict=True)))


class Batches(Geometry):
    """Points in batches; `Geometry.from_batches` explains their form."""

    in_memory = False

    def __init__(
        self,
        batches: Any,
        *,
        metric: str = "euclidean",
        noise: Mapping[Any, Any] | None = None,
        missing: str = "error",
        threads: int | None = None,
    ) -> None:
        if hasattr(batches, "__next__"):
            raise InputError(
                "batches can be iterated over only once, and they are read twice or more; pass a list, or a function "
                "that returns a new iterator"
            )
        if not callable(batches) and not hasattr(batches, "__iter__"):
            raise InputError(f"batches is a {type(batches).__name__}; pass a list of (X, labels), or a function")
        self.metric = read_metric(metric)
        if self.metric in ("precomputed", "callable"):
            raise InputError(Mention("metric", metric), " needs all points at once, and the points are in batches")
        policies = self._noise_policies = read_common_policies(noise, missing, "error")
        if makes_singletons(policies):
            raise InputError('batches: a policy "singletons" would make a cluster of a point each time it is read')
        self.threads = how_many_threads(threads, sys.maxsize)
        self.noise = dict(policies.noise_true)
        self._open: Any = batches if callable(batches) else lambda: batches
        self._policies: dict[str, Any] = {"noise": noise, "missing": missing}
        Remembering.__init__(self)
        self._counted: _Tally | None = None
        first = next(self._read(), None)
        if first is None:
            raise InputError("batches: they hold no points; there is nothing to score")
        self._weighted = len(first[1]) == 3
        self._features = int(self._make_part(*first).X.shape[1])

    def _read(self) -> Iterator[tuple[int, Sequence[Any]]]:
        """Yield the batches that are not empty, each with its number."""
        for number, batch in enumerate(_go_through(self._open)):
            if not isinstance(batch, tuple | list) or len(batch) not in (2, 3):
                raise InputError(f"batches: batch {number} must be a pair (X, labels), or a triple with weights")
            if not all(map(_is_empty, batch[:2])):
                yield number, batch

    def _make_part(self, number: int, batch: Sequence[Any]) -> Geometry:
        if (len(batch) == 3) != self._weighted:
            raise InputError(f"batches: batch {number} has weights and another has none; all or none must have them")
        try:
            part = _Batch(
                *batch[:2], weights=batch[2] if self._weighted else None, threads=self.threads or None, **self._policies
            )
            if part.weights is not None and not part.weights.all():
                raise InputError("weights: one is 0; leave its point out")
        except InputError as error:
            raise InputError(f"batch {number}: ", *error.args) from error
        return part

    def parts(self) -> Iterator[Geometry]:
        """Yield the points, batch by batch; a complete pass counts them."""
        tally, known = _Tally(), self._counted
        for number, batch in self._read():
            part = self._make_part(number, batch)
            if part.X.shape[1] != self._features:
                raise InputError(f"batch {number} has {part.X.shape[1]} features, and the first one {self._features}")
            tally.add(part)
            if known is not None and not known.sizes.keys() >= set(part.names):
                raise InputError(_CHANGED)
            if part.n:
                yield part
            if known is not None and self.progress is not None:
                self.progress(min(tally.given / known.given, 1.0))
        if not tally.sizes:
            raise InputError(NOTHING)
        if known is not None and (known.given, known.sizes) != (tally.given, tally.sizes):
            raise InputError(_CHANGED)
        if known is None:
            found = tally.sizes + tally.noise
            warn_of_unmet_labels(
                {"pred": lambda labels: {x: found[x] for x in labels}}, self._noise_policies, OF_LABELS
            )
        self._counted, self.names = tally, list(tally.sizes)
        self.sizes = np.array(list(tally.sizes.values()), np.int64)
        self.n_given, self.noise_sizes = tally.given, dict(tally.noise)

    def __getattr__(self, name: str) -> Any:
        """Return counts of a complete pass, which is made if there was none."""
        if name not in ("names", "sizes", "n_given", "noise_sizes"):
            raise AttributeError(f"points that come in batches have no {name!r}")
        for _ in self.parts():
            pass
        return self.__dict__[name]

    @property
    def is_weighted(self) -> bool:
        """Whether the batches have weights."""
        return self._weighted

    @property
    def n_features(self) -> int:
        """Number of features of a point."""
        return self._features

    @property
    def n(self) -> int:
        """Number of points that are used."""
        return int(self.sizes.sum())

    def squared(self) -> Geometry:
        """Return the same with points whose squared Euclidean distances are those of the metric, if it is linear."""
        if self.metric not in ("cosine", "correlation"):
            return self
        numbers: dict[Any, int] = {}

        def turn() -> Iterator[tuple[Any, Any]]:
            for part in self.parts():
                own = np.array([numbers.setdefault(name, len(numbers)) for name in part.names])
                yield to_directions(part.X, self.metric), own[part.codes]

        return Batches(turn, threads=self.threads or None)

    @cached_property
    def by_cluster(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Not available: a batch is not kept when the next one is read."""
        _refuse_pairs()

    @property
    def pairs(self) -> NoReturn:
        """Not available: a batch is not kept when the next one is read."""
        _refuse_pairs()

    def without(self, left: NDArray[np.bool_]) -> NoReturn:  # noqa: ARG002
        """Raise, because points that are not kept cannot be selected."""
        _refuse_pairs()


def _go_through(begin: Callable[[], Any]) -> Iterator[Any]:
    try:
        batches = begin()
        if not hasattr(batches, "__iter__"):
            raise InputError(f"batches: the function returns a {type(batches).__name__}; return or yield batches")
        yield from batches
    except ZeroDivisionError as error:  # otherwise the index would count as undefined
        raise InputError(f"batches: reading them divides by 0 ({error})") from error


def _is_empty(one: Any) -> bool:
    if is_sparse(one):
        return bool(one.shape[0] == 0)
    return hasattr(one, "__len__") and not len(one)


def _refuse_pairs() -> NoReturn:
    raise InputError(
        "this measures every two points, and the points are in batches, as a large sparse matrix is read; "
        "pass all points at once; for the silhouette pass ",
        Mention("metric", "sqeuclidean"),
        ", or estimate it by ",
        Mention("sample"),
        " (evaluate_internal)",
    )
