"""How an index of trees is declared."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Unpack

from clustermark.registry import Index, declare

if TYPE_CHECKING:
    from collections.abc import Callable

    from clustermark.registry.declaration import Declaration
    from clustermark.statistics.statistic import Statistic


def of_trees(
    statistic: type[Statistic[Any]], **facts: Unpack[Declaration]
) -> Callable[[Callable[..., float]], Index[...]]:
    """Declare an index of trees; `clustermark.index` says what the facts mean."""
    return declare(Index, statistic, {"rational": False, **facts})
