"""Several tests at once: what still holds up when all of them are looked at."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Entrant = TypeVar("Entrant")


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """The p-values of several tests, adjusted so that any of them may be believed (Holm 1979); None is no test.

    >>> holm([0.01, 0.04, 0.03, None])
    [0.03, 0.06, 0.06, None]
    """
    made = sorted((p, place) for place, p in enumerate(p_values) if p is not None)
    adjusted: list[float | None] = [None] * len(p_values)
    least = 0.0
    for number, (p, place) in enumerate(made):
        least = max(least, min(1.0, (len(made) - number) * p))
        adjusted[place] = least
    return adjusted


def rank_limits(
    order: Sequence[Entrant], apart: Mapping[tuple[Entrant, Entrant], bool]
) -> dict[Entrant, tuple[int, int]]:
    """The best and the worst rank that each entrant may have, where `apart` says of which two a difference is shown.

    order: the entrants, the best first; `apart` has each pair in that order.

    >>> rank_limits("abc", {("a", "b"): False, ("a", "c"): True, ("b", "c"): False})
    {'a': (1, 2), 'b': (1, 3), 'c': (2, 3)}
    """
    ranks = {}
    for place, entrant in enumerate(order):
        better = sum(apart[other, entrant] for other in order[:place])
        worse = sum(apart[entrant, other] for other in order[place + 1 :])
        ranks[entrant] = (1 + better, len(order) - worse)
    return ranks
