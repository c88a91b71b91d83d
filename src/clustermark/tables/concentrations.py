"""How concentrated the overlaps of clusters are, from integers alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def concentrations(
    squares: NDArray[Any], sizes: NDArray[Any], counterparts: NDArray[np.int64], n_others: int
) -> NDArray[np.float64]:
    """How concentrated the overlaps of each cluster are, with the bits of the kernel.

    With the exact integer D = R·Σn² - b², (r - u) / (1 - u) for r = √(Σn²) / b and u = √(1 / R) is
    D / (R·b²) / (r + u) / (1 - u), where nothing cancels.
    """
    scores = np.where(counterparts > 0, 1.0, 0.0)
    several = np.flatnonzero((counterparts > 1) & (n_others > 1))
    if not len(several):
        return scores
    squares, sizes = squares[several], sizes[several]
    excess = _excess(squares, sizes, n_others)
    b, R = sizes.astype(np.float64), float(n_others)
    u = np.sqrt(1.0 / R)
    r = np.sqrt(squares.astype(np.float64)) / b
    x = excess / b / b / R / (r + u) / (1.0 - u)
    scores[several] = np.minimum(1.0, np.sqrt(np.maximum(0.0, x)))
    return scores


def _excess(squares: NDArray[Any], sizes: NDArray[Any], n_others: int) -> NDArray[np.float64]:
    """R·Σn² - b², by Python's integers where a computer word could not hold it."""
    if squares.dtype.kind == "f":
        return np.asarray(n_others * squares - sizes * sizes)
    excess = np.empty(len(squares))
    large = squares >= (1 << 62) // n_others
    for which, kind in ((~large, np.int64), (large, object)):
        q, b = squares[which].astype(kind), sizes[which].astype(kind)
        excess[which] = n_others * q - b * b
    return excess
