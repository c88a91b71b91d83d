"""Division for the indices of this family."""

from __future__ import annotations


def share(part: float, whole: float) -> float:
    """The share of a part in its whole.

    Both are rounded sums where there are weights or quotients, so the part can seem the larger one by a last digit.
    """
    return min(part, whole) / whole
