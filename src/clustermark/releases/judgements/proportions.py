"""Intervals for a signed sum of proportions with known weights, each estimated from a sample.

The method is MOVER (method of variance estimates recovery) with Jeffreys limits: each proportion has its own limits,
also near 0 or 1, and the squares of their distances from the estimate are added.
"""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import numpy as np

from clustermark.errors import InputError, Mention

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import ArrayLike, NDArray

Unknown: TypeAlias = Literal["bounds", "drop"]
_FARTHEST = 2.0**40
"""A ratio beyond this counts as infinite."""
_NOTHING = 1e-9
"""A sum of pairs below this is 0 up to rounding."""


class AnswerTally(NamedTuple):
    """Counts of answers on pairs of one kind. Certain pairs count by their mass, so counts may be fractions."""

    different: float = 0.0
    same: float = 0.0
    unknown: float = 0.0
    whole: bool = False
    """Whether these are all pairs of the kind, so that there is no sampling error."""
    of: float = inf
    """The number of pairs from which these were drawn without replacement; infinite if with replacement."""

    @property
    def n(self) -> float:
        """Number of pairs with an answer."""
        return self.different + self.same

    def settle(self, unknown: str) -> AnswerTally:
        """Return the tally with unknown answers left out ("drop"), or counted as "same" or "different"."""
        more = {"same": (0.0, self.unknown), "different": (self.unknown, 0.0)}.get(unknown, (0.0, 0.0))
        whole = self.whole and not (unknown == "drop" and self.unknown)  # if some are left out, these are not all pairs
        return AnswerTally(self.different + more[0], self.same + more[1], 0.0, whole, self.of)

    @property
    def factor(self) -> float:
        """Number of pairs drawn with replacement that contain as much information as one of these."""
        return 1.0 if self.whole or self.n < 1 else 1 / max(1 - self.n / self.of, 1e-9)


class Term(NamedTuple):
    """One term of a sum: a signed weight, and the answers that estimate its proportion."""

    weight: float
    tally: AnswerTally


class Accuracy(NamedTuple):
    """How often judges are right; `known`: the numbers of pairs it was measured on, 0 if it is given."""

    sensitivity: float
    """Probability of "same" for pairs that are the same."""
    specificity: float
    """Probability of "different" for pairs that are different."""
    known: tuple[int, int] = (0, 0)

    @property
    def skill(self) -> float:
        """Youden's J: 1 for a judge who is always right, 0 for one who guesses."""
        return self.sensitivity + self.specificity - 1

    def correct(self, share: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the share of different pairs from the share of answers "different" (Rogan and Gladen)."""
        return np.clip((share - 1 + self.sensitivity) / self.skill, 0.0, 1.0)


class Span(NamedTuple):
    """An estimate and its limits."""

    value: float
    low: float
    high: float


def jeffreys(different: ArrayLike, n: ArrayLike, level: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return Jeffreys limits of proportions; 0 and 1 for n = 0.

    >>> [round(float(limit), 4) for limit in jeffreys(0, 88, 0.95)]
    [0.0, 0.0281]
    """
    from scipy.special import betaincinv

    x, n = np.asarray(different, np.float64), np.asarray(n, np.float64)
    tail = (1 - level) / 2
    low, high = (np.asarray(betaincinv(x + 0.5, n - x + 0.5, point)) for point in (tail, 1 - tail))
    return np.where(x <= 0, 0.0, low), np.where(x >= n, 1.0, high)


def mover(
    weights: ArrayLike, shares: ArrayLike, low: ArrayLike, high: ArrayLike, beside: tuple[ArrayLike, ArrayLike] = (0, 0)
) -> tuple[Any, Any]:
    """Return the limits of the sum of weights × shares, over the last axis; beside: further squares to add."""
    k, q, low, high = (np.asarray(one, np.float64) for one in (weights, shares, low, high))
    centre = (k * q).sum(-1)
    down, up = k * np.where(k > 0, q - low, q - high), k * np.where(k > 0, high - q, low - q)
    return centre - np.sqrt((down**2).sum(-1) + beside[0]), centre + np.sqrt((up**2).sum(-1) + beside[1])


def add_up(
    parts: Sequence[Term],
    level: float,
    constant: float = 0.0,
    unknown: Unknown = "bounds",
    accuracy: Accuracy | None = None,
) -> Span:
    """Return the estimate of constant + Σ weight × share of different pairs, and its limits.

    unknown: for each limit "bounds" counts unknown answers as the worse of both, "drop" leaves them out. The estimate
        always leaves them out.
    """
    value = _interval(parts, level, constant, accuracy, lambda _: "drop").value
    if unknown == "drop":
        settled = _interval(parts, level, constant, accuracy, lambda _: "drop")
        return Span(value, settled.low, settled.high)
    low = _interval(parts, level, constant, accuracy, lambda part: "same" if part.weight > 0 else "different").low
    high = _interval(parts, level, constant, accuracy, lambda part: "different" if part.weight > 0 else "same").high
    return Span(value, low, high)


def _interval(
    parts: Sequence[Term], level: float, constant: float, accuracy: Accuracy | None, settle: Callable[[Term], str]
) -> Span:
    weights = np.array([part.weight for part in parts], np.float64)
    tallies = [part.tally.settle(settle(part)) for part in parts]
    n = np.array([tally.n for tally in tallies], np.float64)
    x = np.array([tally.different for tally in tallies], np.float64)
    seen = n > 0
    shares = np.where(seen, x / np.maximum(n, 1e-300), 0.5)
    beside = (0.0, 0.0)
    # errors of judges are drawn anew for each pair, also where all pairs are drawn
    more = 1.0 if accuracy is not None else np.array([tally.factor for tally in tallies], np.float64)
    low, high = jeffreys(x * more, n * more, level)
    if accuracy is None:
        whole = np.array([tally.whole for tally in tallies], np.bool_) & seen
        low, high = np.where(whole, shares, low), np.where(whole, shares, high)
    else:
        shares, low, high = (np.where(seen, accuracy.correct(one), one) for one in (shares, low, high))
        beside = _doubt(accuracy, weights[seen], shares[seen], level)
    down, up = mover(weights[seen], shares[seen], low[seen], high[seen], beside)
    # terms without answers can all be at their worst at once, so their limits are added without squares
    unseen = weights[~seen]
    down, up = down + np.minimum(unseen, 0).sum(), up + np.maximum(unseen, 0).sum()
    return Span(constant + float((weights * shares).sum()), constant + float(down), constant + float(up))


def _doubt(
    accuracy: Accuracy, weights: NDArray[np.float64], shares: NDArray[np.float64], level: float
) -> tuple[float, float]:
    """Return the squares that a measured accuracy adds below and above."""
    down = up = 0.0
    slopes = float((weights * (1 - shares)).sum()), -float((weights * shares).sum())
    for slope, rate, n in zip(slopes, (accuracy.sensitivity, accuracy.specificity), accuracy.known, strict=True):
        if n:
            low, high = (float(limit) for limit in jeffreys(rate * n, n, level))
            below, above = (rate - low, high - rate) if slope > 0 else (high - rate, rate - low)
            down += (slope / accuracy.skill * below) ** 2
            up += (slope / accuracy.skill * above) ** 2
    return down, up


def solve(sum_at: Callable[[float], Span], most: float = _FARTHEST) -> Span:
    """Return the ratio at which a decreasing sum is 0, and the ratios at which its interval contains 0.

    If the sum is 0 at every ratio, the value is NaN and the limits are the widest possible.
    """
    if all(abs(sum_at(ratio).value) <= _NOTHING for ratio in (0.0, 1.0)):
        return Span(float("nan"), 0.0, most if most < _FARTHEST else float("inf"))
    return Span(
        _root(lambda ratio: sum_at(ratio).value, most),
        _root(lambda ratio: sum_at(ratio).low, most),
        _root(lambda ratio: sum_at(ratio).high, most),
    )


def _root(falling: Callable[[float], float], most: float) -> float:
    low, high = 0.0, 1.0
    if falling(low) <= 0:
        return 0.0
    while falling(high) > 0:
        if high >= most:
            return most if most < _FARTHEST else float("inf")
        low, high = high, min(2 * high, most)
    for _ in range(200):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        low, high = (middle, high) if falling(middle) > 0 else (low, middle)
    return high if falling(low) > 0 else low


def check_accuracy(accuracy: Accuracy, tallies: Sequence[AnswerTally]) -> None:
    """Refuse an accuracy that contradicts the answers."""
    for name in ("sensitivity", "specificity"):
        rate = getattr(accuracy, name)
        if not isinstance(rate, int | float) or not 0 <= rate <= 1:
            raise InputError(Mention(name, rate), " must be between 0 and 1, such as 0.95")
    if accuracy.skill <= 0.2:
        raise InputError(
            f"answers do not fit this accuracy: a judge with sensitivity {accuracy.sensitivity:g} and specificity "
            f"{accuracy.specificity:g} does little better than a coin; have the pairs judged by somebody else"
        )
    for tally in tallies:
        if not tally.n:
            continue
        share = tally.different / tally.n
        for edge, beyond in ((1 - accuracy.sensitivity, -1), (accuracy.specificity, 1)):
            error = float(np.sqrt(max(edge * (1 - edge), 1e-12) / tally.n))
            if (share - edge) * beyond > 3 * error + 1e-9:
                raise InputError(
                    f"answers do not fit this accuracy: {share:.0%} of {tally.n:.0f} pairs of one kind were called "
                    f"different, and with it there must be {'at most' if beyond > 0 else 'at least'} {edge:.0%}; "
                    "measure it again, or leave it out"
                )
