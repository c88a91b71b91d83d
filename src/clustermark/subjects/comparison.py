"""What the registry must know of a kind of comparison, so that it need not know the kind itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Self

    from clustermark.errors import Mention
    from clustermark.statistics.statistic import Takes

C = TypeVar("C")
T = TypeVar("T")


def _refuse_nothing(_: object, __: str, ___: Takes) -> tuple[str | Mention, ...]:
    return ()


def _are_not(_: object) -> bool:
    return False


def _costs_little(_: object, __: Takes) -> str:
    return ""


class Comparison(NamedTuple, Generic[C]):
    """A kind of thing that statistics read: how it is made, and what is the same of all that are of its kind.

    A statistic names it in `takes()`; calls, signatures, help and refusals of its indices follow from it.
    """

    kind: type[C]
    """The class of what is made."""
    parameters: tuple[str, ...]
    """The names of what a caller passes, such as ("y_true", "y_pred")."""
    make: Callable[..., C]
    """Makes it from what a caller passes."""
    accepts: Callable[..., bool]
    """Whether what a caller passes is of this kind; asked only of an index that reads several kinds of comparison."""
    words: str
    """What is made and how one gets it: "a table from crosstab(y_true, y_pred)"."""
    are_identical: Callable[[C], bool] | None = None
    """Whether the two sides are the same; None where there are no two sides, as with points and their labels."""
    sides: str = "sides"
    """What the two sides are called: "partitions"."""
    refusal: Callable[[C, str, Takes], tuple[str | Mention, ...]] = _refuse_nothing
    """Why an index of this name, which takes only so much, has no meaning here, as the parts of an error; or none."""
    is_weighted: Callable[[C], bool] = _are_not
    """Whether the points have real weights, which can widen the bounds of a score."""
    is_plain: Callable[[C], bool] = _are_not
    """Whether it is known at once that no index is refused; it need not be."""
    cost: Callable[[C, Takes], str] = _costs_little
    """Why an index takes long here, such as "it compares every two of 60,000 items"; empty where it does not."""
    options: tuple[str, ...] = ()
    """Options of `kind` and `make` that a call of an index may give beside its own, such as "metric"."""
    name: str = ""
    """What `catalogue` calls indices of this kind: "partitions"."""
    verb: str = ""
    """The function that scores several indices of this kind: "evaluate"."""


class Remembering:
    """A comparison that keeps what was made of it, so that a second index costs next to nothing."""

    def __init__(self) -> None:
        self._made: dict[object, Any] = {}

    def once(self, key: object, make: Callable[[Self], T]) -> T:
        """What `make` makes of the comparison; it is asked once, and the answer kept under the key."""
        if key not in self._made:
            self._made[key] = make(self)
        made: T = self._made[key]
        return made
