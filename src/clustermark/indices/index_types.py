"""Types of indices, one for each kind of comparison, and the decorators that declare an index of each type.

They differ only in their types, from which editors and type checkers infer the arguments of a call. A decorator takes
the facts that `clustermark.index` lists.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Concatenate, Generic, TypeAlias, TypeVar, Unpack, overload

from clustermark.registry import Index, declare
from clustermark.registry.declaration import PartitionIndex
from clustermark.registry.definition import P

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping
    from fractions import Fraction

    from clustermark.labels.conversion import Labels
    from clustermark.options import LabelOptions
    from clustermark.registry.declaration import Declaration
    from clustermark.statistics.statistic import Statistic
    from clustermark.subjects.cover_tables import Cover, CoverTable
    from clustermark.subjects.geometry import Geometry
    from clustermark.tables.contingency import Contingency

S = TypeVar("S", bound="Statistic[Contingency]")
OfCovers = TypeVar("OfCovers", bound="Statistic[CoverTable]")
OfPoints = TypeVar("OfPoints", bound="Statistic[Geometry]")

MOVED = ("shift", "rotation")
SCALED = (*MOVED, "scale")
ANY_FEATURES = (*SCALED, "scale of features")
"""Invariances of many indices of points."""

Clusters: TypeAlias = "Cover | Collection[set[Any]] | Collection[list[Any]] | Mapping[Any, set[Any] | list[Any]]"
"""Types that can only be a cover: sets and lists are no labels."""


class SharedIndex(PartitionIndex[P], Generic[P]):
    """An index of two partitions or of two covers: call it on either, or take `.of(table)`."""

    if TYPE_CHECKING:

        @overload
        def __call__(self, y_true: Labels, y_pred: Labels, *args: P.args, **options: P.kwargs) -> float: ...
        @overload
        def __call__(self, y_true: Labels, y_pred: Labels, **policies: Unpack[LabelOptions]) -> float: ...
        @overload
        def __call__(self, truth: Clusters, prediction: Any, **options: Any) -> float: ...
        @overload
        def __call__(self, truth: Any, prediction: Clusters, **options: Any) -> float: ...
        def __call__(self, *sides: Any, **options: Any) -> float:
            """Return the score of two labelings or covers, truth first; covers also take options of `CoverTable`."""
            ...

        def of(self, table: Contingency | CoverTable, /, *args: P.args, **options: P.kwargs) -> float:
            """Return the score of a table."""
            ...


def shared_index(
    statistic: type[S], **facts: Unpack[Declaration]
) -> Callable[[Callable[Concatenate[S, P], float]], SharedIndex[P]]:
    """Declare an index of two partitions; `.also` adds its computation for two covers."""
    return declare(SharedIndex, statistic, facts)


class CoverIndex(Index[...]):
    """An index of two covers: call it on what `Cover` reads, truth first, or take `.of(table)`."""

    if TYPE_CHECKING:

        def __call__(self, truth: Any, prediction: Any, **options: Any) -> float:
            """Return the score of two covers; options are items= and unmatched= of `CoverTable`."""
            ...

        def of(self, table: CoverTable, /, **options: Any) -> float:
            """Return the score of a table of two covers."""
            ...

        def exact(self, table: CoverTable, /, **options: Any) -> Fraction:
            """Return the score as an exact fraction."""
            ...


def cover_index(
    statistic: type[OfCovers], **facts: Unpack[Declaration]
) -> Callable[[Callable[..., float]], CoverIndex]:
    """Declare an index of covers."""
    return declare(CoverIndex, statistic, facts)


class InternalIndex(Index[...]):
    """An index of points and their clusters: call it on X and labels, or take `.of(geometry)`."""

    if TYPE_CHECKING:

        def __call__(self, X: Any, labels: Labels, **options: Any) -> float:
            """Return the score of points and the cluster of each; options of `Geometry` can be given."""
            ...

        def of(self, geometry: Geometry, /, **options: Any) -> float:
            """Return the score of a geometry."""
            ...


def point_index(
    statistic: type[OfPoints], **facts: Unpack[Declaration]
) -> Callable[[Callable[..., float]], InternalIndex]:
    """Declare an index of points and their clusters."""
    return declare(InternalIndex, statistic, {"rational": False, "best_on_identity": False, **facts})


def soft_index(
    statistic: type[Statistic[Any]], **facts: Unpack[Declaration]
) -> Callable[[Callable[..., float]], Index[...]]:
    """Declare an index of soft clusterings."""
    return declare(Index, statistic, {"rational": False, **facts})


def tree_index(
    statistic: type[Statistic[Any]], **facts: Unpack[Declaration]
) -> Callable[[Callable[..., float]], Index[...]]:
    """Declare an index of trees."""
    return declare(Index, statistic, {"rational": False, **facts})
