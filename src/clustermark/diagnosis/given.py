"""The labels that a table was made of, from which its points are told."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping


class GivenLabels(NamedTuple):
    """The labels that a table was made of, as they were given."""

    y_true: Any
    y_pred: Any
    counts: Any = None
    weights: Any = None
    first: int = 0
    """The number of the first point, where points have no ids."""

    @classmethod
    def of(cls, read: Mapping[str, Any], first: int = 0) -> GivenLabels:
        """Those that were read of sources."""
        return cls(read["true"], read["pred"], read.get("counts"), read.get("weights"), first)
