"""How an internal index is declared, and the few steps that many of them share."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, Any, TypeVar, Unpack

from clustermark.errors import InputError
from clustermark.registry import Index, declare

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from clustermark.labels.kinds import Labels
    from clustermark.registry.declaration import Declaration
    from clustermark.statistics.statistic import Statistic
    from clustermark.subjects.geometry import Geometry

S = TypeVar("S", bound="Statistic[Geometry]")

MOVED = ("shift", "rotation")
SCALED = (*MOVED, "scale")
ANY_FEATURES = (*SCALED, "scale of features")


class InternalIndex(Index[...]):
    """An index of points and their clusters: call it on X and labels, or take `.of(geometry)`."""

    if TYPE_CHECKING:

        def __call__(self, X: Any, labels: Labels, **options: Any) -> float:
            """The score of points and the cluster of each; options of `Geometry` may be given too."""
            ...

        def of(self, geometry: Geometry, /, **options: Any) -> float:
            """The score of a geometry."""
            ...


def internal(statistic: type[S], **facts: Unpack[Declaration]) -> Callable[[Callable[..., float]], InternalIndex]:
    """Declare an index of points and their clusters; `clustermark.index` says what the facts mean."""
    return declare(InternalIndex, statistic, {"rational": False, "best_on_identity": False, **facts})


def divide(a: float, b: float) -> float:
    """a / b, where 0/0 is undefined and any other number over 0 infinite."""
    if b != 0:
        return float(a / b)
    if a == 0:
        raise ZeroDivisionError
    return inf if a > 0 else -inf


def require_clusters(k: int, n: float = inf) -> None:
    """Refuse one cluster, and as many clusters as points where n is given: there the index is undefined."""
    if k < 2 or k >= n:
        raise ZeroDivisionError


def choose(name: str, value: object, choices: Sequence[object]) -> None:
    """Refuse what is not among the values of an option."""
    if value not in choices:
        raise InputError(f"{name}={value!r} is not known; choose {', '.join(map(repr, choices))}")
