"""Degrees of freedom of a variance over units, and the number of standard errors from a score to its limits."""

from __future__ import annotations

from math import inf
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def degrees_of(left_out: Any, multiplicity: NDArray[np.int64] | None = None) -> float:
    """Return Satterthwaite's degrees of freedom of the jackknife's variance: how well the units tell that variance.

    It is 2 / (Σd⁴ / (Σd²)² - 1/G) for the deviations d of G units: about G for units that are alike, and 2 where one
    unit makes the variance. It is at most G - 1, and infinite if no unit changes the score. This is the one place for
    degrees of freedom over components, groups and sampled clusters; `reach` has the limits that follow.

    left_out: the score, or the difference of two scores, without one unit of each class.
    multiplicity: the number of units of each class, by default 1.

    >>> degrees_of([0.1, 0.3, 0.2, 0.4, 0.25])
    4.0
    >>> round(degrees_of([0.1] * 99 + [0.9]), 2)
    2.04
    """
    values = np.asarray(left_out, np.float64)
    times = np.ones(len(values), np.int64) if multiplicity is None else multiplicity
    units = int(times.sum())
    if units < 2:
        return 0.0
    away = values - float((values * times).sum() / units)
    scale = float(np.abs(away[times > 0]).max())
    if not 1e-13 * float(np.abs(values).max()) < scale < inf:  # differences are due to rounding
        return inf
    squares = (away / scale) ** 2  # powers of tiny deviations would underflow
    second, fourth = float((squares * times).sum()), float((squares * squares * times).sum())
    known = fourth / second**2 - 1 / units
    return min(2 / known, units - 1.0) if known > 0 else units - 1.0


def reach(level: float, degrees: float = inf) -> float:
    """Return the number of standard errors from a score to each limit of an interval, by Student's t.

    >>> round(reach(0.95), 4), round(reach(0.95, 10.0), 4)
    (1.96, 2.2281)
    """
    if degrees == inf:
        return NormalDist().inv_cdf((1 + level) / 2)
    from scipy.special import stdtrit

    return float(stdtrit(degrees, (1 + level) / 2))
