"""Limits that hold at every look: confidence sequences, and tests that spend their error over planned looks.

The estimate after some looks is their mean, weighted by information: one over the squared standard error. With the
information V of all of them, V times the mean is a sum S. If there is no difference, it is a random walk with normal
steps, of variance V in all.
"""

from __future__ import annotations

from math import log
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

Spending: TypeAlias = Literal["obrien_fleming", "pocock"]
_NODES = 401
_EDGE = 8.0
"""Sums beyond this many standard deviations have no weight."""


def tune_mixture(information: float, alpha: float) -> float:
    """Return the parameter of `mixture_widths` with which they are narrowest, about, at this information."""
    return information / (-2 * log(alpha) + log(1 - 2 * log(alpha)))


def mixture_widths(information: NDArray[np.float64], rho: float, alpha: float) -> NDArray[np.float64]:
    """Return the half widths of a confidence sequence for a mean: intervals that all contain it with 1 - alpha.

    It is Robbins' normal mixture: the probability that |S| ever exceeds √((V + ρ)(log((V + ρ) / ρ) - 2 log α)) is at
    most α, by Ville's inequality for the mean of exp(λS - λ²V/2) over λ, which is normal with variance 1 / ρ.

    >>> mixture_widths(np.array([1.0, 100.0]), 10.0, 0.05).round(2).tolist()
    [8.18, 0.3]
    """
    whole = information + rho
    return np.sqrt(whole * (np.log(whole / rho) - 2 * log(alpha))) / information


def spend(kind: Spending, share: float, alpha: float) -> float:
    """Return how much of the error is spent when this share of the planned looks is done (Lan and DeMets).

    >>> round(spend("obrien_fleming", 0.2, 0.05), 7), round(spend("pocock", 0.2, 0.05), 4)
    (1.1e-06, 0.0148)
    """
    from scipy.special import ndtr, ndtri

    if kind == "obrien_fleming":
        return float(4 * (1 - ndtr(-ndtri(alpha / 4) / share**0.5)))
    return float(alpha * np.log(1 + (np.e - 1) * share))


def spending_bounds(information: Sequence[float], spent: Sequence[float]) -> list[float]:
    """Return for each look the number of standard errors that is exceeded at it, and not before, as often as planned.

    information: that of all looks so far, at each look. spent: the error that is spent until each look.

    The distribution of the sum at looks without an excess is carried from look to look on a grid (Armitage, McPherson
    and Rowe).

    >>> [round(one, 3) for one in spending_bounds([1, 2], [0.025, 0.05])]
    [2.241, 2.125]
    """
    from scipy.special import ndtr

    bounds, before = list[float](), 0.0
    grid, weights = np.zeros(1), np.ones(1)  # all paths begin at 0
    for place, now in enumerate(information):
        step = np.sqrt(now - before)
        wanted = spent[place] - (spent[place - 1] if place else 0.0)

        def exceed(
            bound: float, grid: NDArray[np.float64] = grid, weights: NDArray[np.float64] = weights, step: float = step
        ) -> float:
            return float((weights * (ndtr((grid - bound) / step) + ndtr((-bound - grid) / step))).sum())

        most = _EDGE * np.sqrt(now)
        bound = _solve(exceed, wanted, float(most)) if wanted > 0 else float(most)
        bounds.append(float(bound / np.sqrt(now)))
        left = np.linspace(-bound, bound, _NODES)
        away = (left[:, None] - grid[None, :]) / step
        density = (np.exp(-away * away / 2) / (step * np.sqrt(2 * np.pi)) @ weights) * _simpson(2 * bound)
        grid, weights, before = left, density, now
    return bounds


def _simpson(length: float) -> NDArray[np.float64]:
    """Return the weights of Simpson's rule on the nodes of an interval."""
    weights = np.full(_NODES, 2.0)
    weights[1::2] = 4.0
    weights[[0, -1]] = 1.0
    return weights * length / (_NODES - 1) / 3


def _solve(exceed: Callable[[float], float], wanted: float, most: float) -> float:
    few, many = 0.0, most
    for _ in range(60):
        middle = (few + many) / 2
        few, many = (middle, many) if exceed(middle) > wanted else (few, middle)
    return many
