"""How an index is declared that serves partitions and covers under one name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Concatenate, Generic, TypeAlias, TypeVar, Unpack, overload

from clustermark.registry import declare
from clustermark.registry.declaration import PartitionIndex
from clustermark.registry.definition import P

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from clustermark.labels.kinds import Labels
    from clustermark.options import LabelOptions
    from clustermark.registry.declaration import Declaration
    from clustermark.statistics.statistic import Statistic
    from clustermark.subjects.covers import Cover, CoverTable
    from clustermark.tables.contingency import Contingency

S = TypeVar("S", bound="Statistic[Contingency]")


Clusters: TypeAlias = "Cover | Collection[set[Any]] | Collection[list[Any]] | Mapping[Any, set[Any] | list[Any]]"
"""Types that can be a cover only: sets and lists are no labels."""


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
            """The score of two labelings or of two covers, truth first; covers take the options of `CoverTable` too."""
            ...

        def of(self, table: Contingency | CoverTable, /, *args: P.args, **options: P.kwargs) -> float:
            """The score of a table."""
            ...


def index_of_both(
    statistic: type[S], **facts: Unpack[Declaration]
) -> Callable[[Callable[Concatenate[S, P], float]], SharedIndex[P]]:
    """Declare an index of partitions that `also` serves covers; `clustermark.index` says what the facts mean."""
    return declare(SharedIndex, statistic, facts)
