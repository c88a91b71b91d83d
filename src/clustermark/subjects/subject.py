"""Kinds of comparison that indices read: their description, and the comparison of two partitions."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from itertools import islice
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from clustermark.errors import InputError, Mention, UnsupportedTableError
from clustermark.options import LabelOptions, declared_options
from clustermark.tables.contingency import Contingency
from clustermark.tables.tabulation import crosstab

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Self

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
    """Description of a kind of comparison that statistics read.

    A statistic names it in `takes()`; calls, signatures, help and refusals of its indices follow from it.
    """

    kind: type[C]
    """Class of the comparison."""
    parameters: tuple[str, ...]
    """Names of the inputs, such as ("y_true", "y_pred")."""
    make: Callable[..., C]
    """Function that makes the comparison from the inputs."""
    accepts: Callable[..., bool]
    """Function that returns whether inputs are of this kind; called only for an index of several kinds."""
    words: str
    """The comparison and how to make it, in words: "a table from crosstab(y_true, y_pred)"."""
    are_identical: Callable[[C], bool] | None = None
    """Function that returns whether the two sides are the same; None if there are no two sides, as with points."""
    sides: str = "sides"
    """Name of the two sides: "partitions"."""
    refusal: Callable[[C, str, Takes], tuple[str | Mention, ...]] = _refuse_nothing
    """Function that returns the parts of the error that refuses an index; empty if the index has a meaning."""
    is_weighted: Callable[[C], bool] = _are_not
    """Function that returns whether the points have real weights, which can widen the bounds of a score."""
    is_plain: Callable[[C], bool] = _are_not
    """Function that returns True only if no index is refused; a fast test that may return False in other cases."""
    cost: Callable[[C, Takes], str] = _costs_little
    """Function that returns why an index takes long, such as "it compares every two of 60,000 items"; empty if not."""
    options: tuple[str, ...] = ()
    """Options of `kind` and `make` that a call of an index accepts beside the index's own, such as "metric"."""
    name: str = ""
    """Name of this kind in `catalogue`: "partitions"."""
    verb: str = ""
    """The function that scores several indices of this kind: "evaluate"."""
    left_out_for: type[InputError] = InputError
    """Type of the errors for which an index is left out of a panel; any other error ends the evaluation."""


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


_PROTOCOLS = ("__array__", "__dlpack__", "__arrow_c_array__", "__arrow_c_stream__")
"""Protocols of labels that cannot be iterated."""


def _is_one_label_a_point(labels: Any) -> bool:
    """Return whether the first point has a single label: not a set or list of labels."""
    if (shape := getattr(labels, "shape", None)) is not None:  # an array, a Series, a tensor
        return len(shape) == 1
    values = labels.values() if isinstance(labels, Mapping) else labels
    try:
        return all(isinstance(label, Hashable) for label in islice(iter(values), 1))
    except TypeError:
        return any(hasattr(labels, protocol) for protocol in _PROTOCOLS)


def _are_labelings(y_true: Any, y_pred: Any) -> bool:
    return _is_one_label_a_point(y_true) and _is_one_label_a_point(y_pred)


def _refusal(table: Contingency, name: str, takes: Takes) -> tuple[str | Mention, ...]:
    if table.weights is not None and takes.weights is None:
        leave_out = (Mention("weights"), ", or use ", Mention("counts"), " for repeated points")
        return f"{name} has no meaning with real weights; leave out ", *leave_out
    if table.unscored and not takes.unscored:
        return (
            f'{name} cannot leave noise "unscored", which only the indices of best matches can; '
            'choose the policy "drop", "singletons" or "cluster"',
        )
    if table.one_sided and not takes.one_sided:
        return f"{name} needs both labels of every item; choose ", Mention("unmatched", "drop", "singletons")
    return ()


def _is_weighted(table: Contingency) -> bool:
    return table.weights is not None


PARTITIONS = Subject(
    Contingency,  # type: ignore[type-abstract]  # for isinstance, never to make one
    ("y_true", "y_pred"),
    crosstab,
    _are_labelings,
    "a table from crosstab(y_true, y_pred)",
    Contingency.are_identical,
    "partitions",
    _refusal,
    _is_weighted,
    attrgetter("plain"),
    options=tuple(declared_options(LabelOptions)),
    name="partitions",
    verb="evaluate",
    left_out_for=UnsupportedTableError,
)
