"""Description of a kind of comparison, from which the registry makes and checks one without knowing the kind."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from clustermark.errors import InputError

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


class Subject(NamedTuple, Generic[C]):
    """A kind of comparison that statistics read: how one is made, and what all of this kind have in common.

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
    """The comparison and how to make it, in words: "a table from crosstab(y_true, y_pred)"."""
    are_identical: Callable[[C], bool] | None = None
    """Whether the two sides are the same; None where there are no two sides, as with points and their labels."""
    sides: str = "sides"
    """Name of the two sides: "partitions"."""
    refusal: Callable[[C, str, Takes], tuple[str | Mention, ...]] = _refuse_nothing
    """Parts of the error that refuses an index of this name and takes; empty if the index has a meaning."""
    is_weighted: Callable[[C], bool] = _are_not
    """Whether the points have real weights, which can widen the bounds of a score."""
    is_plain: Callable[[C], bool] = _are_not
    """Whether it is known at once that no index is refused; it need not be."""
    cost: Callable[[C, Takes], str] = _costs_little
    """Why an index takes long here, such as "it compares every two of 60,000 items"; empty where it does not."""
    options: tuple[str, ...] = ()
    """Options of `kind` and `make` that a call of an index may give beside its own, such as "metric"."""
    name: str = ""
    """Name of this kind in `catalogue`: "partitions"."""
    verb: str = ""
    """The function that scores several indices of this kind: "evaluate"."""
    left_out_for: type[InputError] = InputError
    """The error of an index that is left out of a panel; any other ends the evaluation."""


class Remembering:
    """A comparison that keeps its statistics, so that a second index costs little."""

    def __init__(self) -> None:
        self._made: dict[object, Any] = {}

    def once(self, key: object, make: Callable[[Self], T]) -> T:
        """Return the result of `make` for the comparison, which is computed once and kept under the key."""
        if key not in self._made:
            self._made[key] = make(self)
        made: T = self._made[key]
        return made
