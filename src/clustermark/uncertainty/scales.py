"""The scales on which intervals are symmetric, so that none leaves the range of its index."""

from __future__ import annotations

from math import atanh, exp, inf, log, tanh
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable


class Scale(NamedTuple):
    """A function of a score, its slope, and its inverse."""

    name: str
    forth: Callable[[float], float]
    slope: Callable[[float], float]
    back: Callable[[float], float]


_MOST = 700.0
"""Of more than this, exp is not a number."""
LOGIT = Scale(
    "logit", lambda x: log(x / (1 - x)), lambda x: 1 / (x * (1 - x)), lambda y: 1 / (1 + exp(-max(y, -_MOST)))
)
ATANH = Scale("atanh", atanh, lambda x: 1 / (1 - x * x), tanh)
LOG = Scale("log", log, lambda x: 1 / x, lambda y: exp(min(y, _MOST)))
PLAIN = Scale("none", lambda x: x, lambda _: 1.0, lambda y: y)


def scale_of(bounds: tuple[float, float], score: float) -> Scale:
    """The scale for a score of an index with these bounds.

    >>> scale_of((0.0, 1.0), 0.5).name, scale_of((-0.5, 1.0), 0.5).name, scale_of((0.0, inf), 0.5).name
    ('logit', 'atanh', 'log')
    """
    low, high = bounds
    if bounds == (0.0, 1.0) and 0 < score < 1:
        return LOGIT
    if bounds == (0.0, inf) and 0 < score < inf:
        return LOG
    within = -1 <= low < 0 or (low == -inf and score >= 0)  # no interval around a score that can fall below -1
    if within and high <= 1 and -1 < score < 1:
        return ATANH
    return PLAIN


def limits(score: float, error: float, z: float, bounds: tuple[float, float]) -> tuple[float, float]:
    """The score, z standard errors up and down on its scale, within the bounds."""
    scale = scale_of(bounds, score)
    middle, reach = scale.forth(score), z * error * scale.slope(score)
    low, high = scale.back(middle - reach), scale.back(middle + reach)
    return max(low, bounds[0]), min(high, bounds[1])


def limits_above(
    floor: float, score: float, error: float, z: float, bounds: tuple[float, float]
) -> tuple[float, float]:
    """The same for a score that is known to lie above a floor, from which its error grows as the score does.

    >>> limits_above(0.5, 0.75, 0.1, 2.0, (0.0, 1.0))[0] > 0.5
    True
    """
    if not bounds[0] < floor < score:  # nor where there is none, which is NaN
        return limits(score, error, z, bounds)
    low, high = limits(score - floor, error, z, (0.0, inf))
    return floor + low, min(floor + high, bounds[1])
