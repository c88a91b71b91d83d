"""How an index of trees is declared."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Unpack

from clustermark.registry import Index, declare

if TYPE_CHECKING:
    from collections.abc import Callable

    from clustermark.registry.declaration import Declaration
    from clustermark.statistics.statistic import Statistic


class TreeIndex(Index[...]):
    """An index of a tree and something else: call it on both, or take `.of(comparison)`."""

    if TYPE_CHECKING:

        def __call__(self, tree: Any, other: Any, /, **options: Any) -> float:
            """The score of a tree and another tree, or what else the index compares it with."""
            ...


def of_trees(
    statistic: type[Statistic[Any]], **facts: Unpack[Declaration]
) -> Callable[[Callable[..., float]], TreeIndex]:
    """Declare an index of trees; `clustermark.index` says what the facts mean."""
    return declare(TreeIndex, statistic, {"rational": False, **facts})
