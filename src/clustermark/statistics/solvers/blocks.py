"""Work that is done in blocks, so that memory stays small and Ctrl-C is answered in between."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray


def cut_rows(work: NDArray[Any], limit: int) -> Iterator[tuple[int, int]]:
    """Where to cut rows of so much work each, so that no block has more than a limit; a row is never cut.

    >>> list(cut_rows(np.array([3, 3, 9, 1, 1]), 6))
    [(0, 2), (2, 3), (3, 5)]
    """
    done = np.cumsum(work)
    start = 0
    while start < len(done):
        before = int(done[start - 1]) if start else 0
        end = max(start + 1, int(np.searchsorted(done, before + limit, "right")))
        yield start, end
        start = end
