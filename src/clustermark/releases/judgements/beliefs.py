"""The posterior of a signed sum of proportions, each with Jeffreys' prior: how probable a gain or a loss is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

import numpy as np

from clustermark.results.values import EQUAL

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from clustermark.releases.judgements.proportions import Accuracy, Term, Unknown

DRAWS = 4_000
"""Number of draws of the posterior, with seed 0."""
_SEED = 0
_LEAST_SKILL = 0.05
_MOST_SURE = 1 - 2.0**-53


Settling: TypeAlias = Literal["drop", "lowest", "highest"]


class Belief(NamedTuple):
    """The probabilities that a change is above 0, and that it is below 0 by more than a margin."""

    better: float
    loss: float | None
    """None without a margin."""


def believe(
    parts: Sequence[Term],
    constant: float = 0.0,
    *,
    margin: float | None = None,
    unknown: Unknown = "bounds",
    accuracy: Accuracy | None = None,
) -> Belief:
    """Return how probable it is that constant + Σ weight × share of different pairs is above 0, or below -margin.

    A term without answers has its prior. With "bounds", the probability of a gain is that nearest to 1/2 which the
    unknown answers allow, and that of a loss the highest.

    >>> from clustermark.releases.judgements.proportions import AnswerTally, Term
    >>> found = believe([Term(0.2, AnswerTally(30, 10)), Term(-0.1, AnswerTally(5, 15))], margin=0.1)
    >>> found.better > 0.99, found.loss < 0.01
    (True, True)
    """
    ways: tuple[Settling, ...] = ("drop",)
    if unknown == "bounds" and any(part.tally.unknown for part in parts):
        ways = ("lowest", "highest")
    drawn = [draw_sums(parts, constant, unknown=way, accuracy=accuracy) for way in ways]
    return _cautious([_chance(sums) for sums in drawn], margin, lambda edge: _chance(edge - drawn[0]))


def _cautious(better: Sequence[float], margin: float | None, below: Callable[[float], float]) -> Belief:
    """Return the probability of a gain that is nearest to 1/2 among these and between them, and that of a loss."""
    return Belief(min(max(0.5, min(better)), max(better)), None if margin is None else below(-margin))


def draw_sums(
    parts: Sequence[Term], constant: float = 0.0, *, unknown: Settling = "drop", accuracy: Accuracy | None = None
) -> NDArray[np.float64]:
    """Return draws of constant + Σ weight × share of different pairs.

    unknown: unknown answers are left out, or counted as what makes the sum lowest or highest.
    """
    rng = np.random.default_rng(_SEED)
    sensitivity, specificity = _draw_accuracy(accuracy, rng)
    total = np.full(DRAWS, constant)
    for weight, given in parts:
        as_different = (weight < 0) == (unknown == "lowest")
        tally = given.settle("drop" if unknown == "drop" else "different" if as_different else "same")
        if tally.whole and accuracy is None and tally.n:
            total += weight * tally.different / tally.n
        else:
            # errors of judges are drawn anew for each pair, also where all pairs are drawn
            more = 1.0 if accuracy is not None else tally.factor
            share = rng.beta(more * tally.different + 0.5, more * tally.same + 0.5, DRAWS)
            if accuracy is not None and tally.n:
                skill = np.maximum(sensitivity + specificity - 1, _LEAST_SKILL)
                share = np.clip((share - 1 + sensitivity) / skill, 0.0, 1.0)
            total += weight * share
    return total


def _draw_accuracy(
    accuracy: Accuracy | None, rng: np.random.Generator
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return draws of sensitivity and specificity; constant if they are given, not measured."""
    if accuracy is None:
        return np.ones(DRAWS), np.ones(DRAWS)
    one, other = (
        rng.beta(rate * n + 0.5, (1 - rate) * n + 0.5, DRAWS) if n else np.full(DRAWS, rate)
        for rate, n in zip(accuracy[:2], accuracy.known, strict=True)
    )
    return one, other


def _chance(drawn: NDArray[np.float64]) -> float:
    """Return how often draws are above 0, never 0 or 1 if they vary, which they cannot show; zeros count half."""
    above = float((drawn > EQUAL).sum()) + float((np.abs(drawn) <= EQUAL).sum()) / 2
    varies = float(np.ptp(drawn)) > EQUAL
    return (above + 0.5) / (len(drawn) + 1) if varies else above / len(drawn)


def believe_mean(ends: Sequence[tuple[float, float]], n: int, margin: float | None) -> Belief:
    """Return the same for a mean of n records by Student's t; with an error of 0, for a number that is known.

    ends: the mean and its standard error, with unknown answers at what makes it lowest, and at what makes it highest.
    """
    from scipy.special import stdtr

    def over(distance: float, error: float) -> float:
        """Return the probability that a number which was observed above an edge by this distance lies above it."""
        if not error:
            return 0.5 if abs(distance) <= EQUAL else float(distance > 0)
        return min(float(stdtr(n - 1, distance / error)), _MOST_SURE)

    lowest, error = ends[0]
    return _cautious([over(*end) for end in ends], margin, lambda edge: over(edge - lowest, error))
