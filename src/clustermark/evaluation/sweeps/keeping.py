"""Which of the many partitions of a sweep its curves are made of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from clustermark.errors import InputError
from clustermark.registry.tracking import score_parts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from clustermark.registry import Index
    from clustermark.registry.tracking import Sums


def choose_places(indices: Sequence[Index[...]], sums: Sums, step: float) -> tuple[list[Index[...]], NDArray[np.int64]]:
    """The indices that these sums tell, and the places of the partitions that their curves need.

    Those are the first and the last, the best by each index, and all on either side of where a score enters another
    interval of this width: what is left out between two of them differs by less than `step`.
    """
    n = len(sums["cells"])
    needed = np.zeros(n, np.bool_)
    needed[[0, -1]] = True
    able: list[Index[...]] = []
    bests: dict[Index[...], list[tuple[int, float]]] = {}
    for begin, scores in score_parts(indices, sums, overlap=1):
        able = list(scores)
        for index, part in scores.items():
            needed[begin : begin + len(part)] |= find_borders(part, step)
            if index.facts.higher_is_better is not None:
                best = find_best(index, part)
                bests.setdefault(index, []).append((begin + best, float(part[best])))
    for index in able:
        if index in bests:
            places, found = zip(*bests[index], strict=True)
            needed[places[find_best(index, np.array(found))]] = True
    return able, np.flatnonzero(needed)


def find_borders(scores: NDArray[np.float64], step: float) -> NDArray[np.bool_]:
    """Whether a score lies in another interval of this width than one of its neighbours."""
    intervals = _number_intervals(scores, step)
    borders = np.zeros(len(scores), np.bool_)
    crossed = intervals[1:] != intervals[:-1]
    borders[1:] |= crossed
    borders[:-1] |= crossed
    return borders


def _number_intervals(scores: NDArray[np.float64], step: float) -> NDArray[Any]:
    """The number of the interval in which each score lies; whole numbers where they fit, for speed."""
    if scores.min() >= 0.0 and scores.max() <= 1e6:  # not where one is NaN
        return (scores * (1 / step)).astype(np.int32)
    return np.floor(np.nan_to_num(scores, posinf=np.inf, neginf=-np.inf) / step)


def find_best(index: Index[...], scores: NDArray[np.float64]) -> int:
    """The place of the best score, the first of equal ones."""
    higher = index.facts.higher_is_better
    if higher is None:
        raise InputError(f"{index.label}: neither high nor low scores are better, so no threshold is best")
    place = int(scores.argmax() if higher else scores.argmin())
    if scores[place] == scores[place]:
        return place
    known = scores if higher else -scores  # what is not known counts as the largest and as the smallest, so this is NaN
    return int(np.where(np.isnan(scores), -np.inf, known).argmax())
