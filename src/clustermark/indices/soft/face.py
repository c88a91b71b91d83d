"""How an index of soft clusterings is declared."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Unpack

from clustermark.registry import Index, declare

if TYPE_CHECKING:
    from collections.abc import Callable

    from clustermark.registry.declaration import Declaration
    from clustermark.statistics.statistic import Statistic


class SoftIndex(Index[...]):
    """An index of two soft clusterings, or of one: call it on memberships, or take `.of(comparison)`."""

    if TYPE_CHECKING:

        def __call__(self, U: Any, V: Any = ..., /, **options: Any) -> float:
            """The score of two soft clusterings of the same items, or of one."""
            ...


def of_memberships(
    statistic: type[Statistic[Any]], **facts: Unpack[Declaration]
) -> Callable[[Callable[..., float]], SoftIndex]:
    """Declare an index of soft clusterings; `clustermark.index` says what the facts mean."""
    return declare(SoftIndex, statistic, {"rational": False, **facts})
