"""How an index of covers is declared."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar, Unpack

from clustermark.registry import Index, declare

if TYPE_CHECKING:
    from collections.abc import Callable
    from fractions import Fraction

    from clustermark.registry.declaration import Declaration
    from clustermark.statistics.statistic import Statistic
    from clustermark.subjects.covers import CoverTable

S = TypeVar("S", bound="Statistic[CoverTable]")


class CoverIndex(Index[...]):
    """An index of two covers: call it on what `Cover` reads, truth first, or take `.of(table)`."""

    if TYPE_CHECKING:

        def __call__(self, truth: Any, prediction: Any, **options: Any) -> float:
            """The score of two covers; items= and unmatched= of `CoverTable` may be given too."""
            ...

        def of(self, table: CoverTable, /, **options: Any) -> float:
            """The score of two covers that were read before."""
            ...

        def exact(self, table: CoverTable, /, **options: Any) -> Fraction:
            """The score as an exact fraction."""
            ...


def covers(statistic: type[S], **facts: Unpack[Declaration]) -> Callable[[Callable[..., float]], CoverIndex]:
    """Declare an index of covers; `clustermark.index` says what the facts mean."""
    return declare(CoverIndex, statistic, facts)
