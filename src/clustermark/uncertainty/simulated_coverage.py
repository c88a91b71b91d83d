"""Simulations of how often intervals contain the score that they are about, in a world that draws samples."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from clustermark.errors import ClustermarkError
from clustermark.uncertainty.limits import IntervalMaker

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from clustermark.registry import Index
    from clustermark.registry.adjustment import AdjustedIndex
    from clustermark.uncertainty.interval import IntervalRequest
    from clustermark.uncertainty.samples import Sample
    from clustermark.uncertainty.simulated_samples import World

Ends: TypeAlias = "tuple[float, float | None, float | None]"
"""A score and its limits; None where there is no interval."""


class Simulated(NamedTuple):
    """The scores and limits of simulated samples: a row for each sample, and a column for each index."""

    scores: NDArray[np.float64]
    low: NDArray[np.float64]
    """NaN where there is no interval."""
    high: NDArray[np.float64]

    @property
    def made(self) -> NDArray[np.bool_]:
        """Whether there is an interval."""
        return ~np.isnan(self.low)

    def too_low(self, targets: NDArray[np.float64], error: Any = 0.0) -> NDArray[np.float64]:
        """Return the share of intervals that lie below the target, by index; NaN without any interval.

        error: how far a target may lie from its estimate, by index; such a distance is no miss.
        """
        return self._share(self.high < targets - error)

    def too_high(self, targets: NDArray[np.float64], error: Any = 0.0) -> NDArray[np.float64]:
        """Return the share of intervals that lie above the target."""
        return self._share(self.low > targets + error)

    def coverage(self, targets: NDArray[np.float64], error: Any = 0.0) -> NDArray[np.float64]:
        """Return the share of intervals that contain the target."""
        return self._share((self.low <= targets + error) & (targets - error <= self.high))

    def _share(self, held: NDArray[np.bool_]) -> NDArray[np.float64]:
        made = self.made.sum(axis=0)
        return np.where(made > 0, (held & self.made).sum(axis=0) / np.maximum(made, 1), np.nan)


def simulate(
    world: World,
    make: Callable[[Sample], Sequence[Ends]],
    draws: int,
    rng: np.random.Generator,
    progress: Callable[[float], None] | None = None,
) -> Simulated:
    """Draw samples of a world and return the scores and limits that `make` gives for each."""
    rows: list[list[tuple[float, float, float]]] = []
    for number in range(draws):
        if progress is not None:
            progress(number / draws)
        found = make(world(rng))
        rows.append([(score, *((np.nan, np.nan) if low is None or high is None else (low, high)))
                     for score, low, high in found])  # fmt: skip
    if progress is not None:
        progress(1.0)
    scores, low, high = np.moveaxis(np.array(rows, np.float64), 2, 0)
    return Simulated(scores, low, high)


def interval_ends(
    indices: Sequence[Index[...] | AdjustedIndex], request: IntervalRequest
) -> Callable[[Sample], list[Ends]]:
    """Return the function that makes the requested intervals of indices for a sample."""

    def make(sample: Sample) -> list[Ends]:
        maker = IntervalMaker(sample.table, request, sample)
        return [_ends(maker, index, sample) for index in indices]

    return make


def _ends(maker: IntervalMaker, index: Index[...] | AdjustedIndex, sample: Sample) -> Ends:
    score = _score(index, sample)
    try:
        found = maker.make(index, score)
    except ClustermarkError:
        return score, None, None
    return score, found.low, found.high


def monte_carlo_limits(hits: int, draws: int, level: float = 0.95) -> tuple[float, float]:
    """Return Clopper and Pearson's limits of a probability, from this many hits.

    >>> [round(end, 4) for end in monte_carlo_limits(950, 1000)]
    [0.9346, 0.9627]
    """
    from scipy.special import betaincinv

    tail = (1 - level) / 2
    low = float(betaincinv(hits, draws - hits + 1, tail)) if hits else 0.0
    return low, float(betaincinv(hits + 1, draws - hits, 1 - tail)) if hits < draws else 1.0


def known_mean(scores: NDArray[np.float64]) -> Any:
    """Return the mean of each column over the samples where the score is defined; NaN where it is infinite."""
    known = np.where(np.isnan(scores), 0.0, scores)
    with np.errstate(invalid="ignore"):
        means = known.sum(axis=0) / np.maximum((~np.isnan(scores)).sum(axis=0), 1)
    return np.where(np.abs(means) < inf, means, np.nan)


class Targets(NamedTuple):
    """The scores that simulated intervals are about, by index."""

    scores: Any
    error: Any
    """How far they may lie from these estimates: two standard errors of the simulation.

    It matters where limits lie together, as those at exactly 0 near chance.
    """


def mean_targets(
    world: World,
    indices: Sequence[Index[...] | AdjustedIndex],
    found: Simulated,
    rng: np.random.Generator,
    progress: Callable[[float], None] | None = None,
) -> Targets:
    """Return the mean scores of samples of a world: of those simulated, and of four times as many more."""

    def score(sample: Sample) -> list[Ends]:
        return [(_score(index, sample), None, None) for index in indices]

    more = simulate(world, score, _MORE_SCORES * len(found.scores), rng, progress)
    scores = np.concatenate([found.scores, more.scores])
    with np.errstate(invalid="ignore"):
        error = 2 * np.nanstd(scores, axis=0) / np.sqrt(len(scores))
    return Targets(known_mean(scores), np.where(np.isfinite(error), error, 0.0))


_MORE_SCORES = 4


def _score(index: Index[...] | AdjustedIndex, sample: Sample) -> float:
    try:
        return index.of(sample.table)
    except ClustermarkError:
        return np.nan
