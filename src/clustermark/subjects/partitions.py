"""Two partitions of the same points: compared through their contingency."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from itertools import islice
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from clustermark.errors import Mention, UnsupportedTableError
from clustermark.options import LabelOptions, declared_options
from clustermark.subjects.subject import Subject
from clustermark.tables.contingency import Contingency
from clustermark.tables.tabulation import crosstab

if TYPE_CHECKING:
    from clustermark.statistics.statistic import Takes


_PROTOCOLS = ("__array__", "__dlpack__", "__arrow_c_array__", "__arrow_c_stream__")
"""Protocols of labels that cannot be iterated."""


def _is_one_label_a_point(labels: Any) -> bool:
    """Whether the first point has a label that can be one: not a set or list of labels."""
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
