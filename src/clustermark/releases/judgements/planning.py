"""How many questions an interval of a wanted width takes."""

from __future__ import annotations

from math import inf, sqrt
from typing import TYPE_CHECKING

from clustermark.errors import InputError, Mention
from clustermark.releases.judgements.masses import SPREADS, allocate

if TYPE_CHECKING:
    from collections.abc import Mapping

    from clustermark.releases.judgements.masses import Kinds

_SURE = 1.959964
_LEAST, _MOST = 40, 10_000_000
_ALONE = 0.4
"""The spread of answers on one clustering whose precision is 0.8."""
_RESERVE = 1.15
"""A pilot's own errors are paid for by so many times as many questions."""


def half_width_of(kinds: Kinds, n: int, spreads: Mapping[str, float]) -> float:
    """Half the interval that n questions give, where answers on each kind spread so much."""
    weights, variance = kinds.weights, 0.0
    for kind, number in allocate(kinds.importance, n).items():
        if number < kinds.pairs[kind]:  # or all of them are asked
            variance += (weights[kind] * spreads[kind]) ** 2 / number
    return _SURE * sqrt(variance)


def plan_questions(kinds: Kinds, half_width: float, judged: Mapping[str, tuple[float, float]] | None = None) -> int:
    """The fewest questions whose interval is about so wide, at least 40.

    judged: of each kind how many judged pairs are different, and how many were judged, in a pilot; without one, more
        are asked for than it takes as a rule.
    """
    check_half_width(half_width)
    spreads = dict(SPREADS) if "split" in kinds.masses else {"kept": _ALONE}
    for kind, (different, number) in (judged or {}).items():
        share = (different + 0.5) / (number + 1)  # so that a few answers that agree do not promise too much
        spreads[kind] = sqrt(share * (1 - share))
    low, high = 0, _LEAST
    while half_width_of(kinds, high, spreads) > half_width:
        low, high = high, 2 * high
        if high > _MOST:
            raise InputError(
                Mention("half_width", half_width), f": this takes more than {_MOST:,} questions; ask for a wider one"
            )
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if half_width_of(kinds, middle, spreads) <= half_width else (middle, high)
    return max(_LEAST, round(high * (_RESERVE if judged else 1.0)))


def check_half_width(half_width: object) -> None:
    """Complain of what is no half width."""
    if not isinstance(half_width, int | float) or isinstance(half_width, bool) or not 0 < half_width < inf:
        raise InputError(
            Mention("half_width", half_width), " must be a number above 0, such as 0.01 for an interval of ± 1 point"
        )
