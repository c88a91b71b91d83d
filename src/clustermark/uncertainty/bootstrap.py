"""The bootstrap, for those who ask for it: of points without pairs of copies, or of components."""

from __future__ import annotations

from statistics import NormalDist
from typing import TYPE_CHECKING, Any

import numpy as np

from clustermark.errors import UnsupportedTableError
from clustermark.registry.array_scores import ArrayScores, use_of
from clustermark.statistics.pairs import PairCounts
from clustermark.statistics.units import NoClosedFormError
from clustermark.uncertainty.components import ResampledComponents
from clustermark.uncertainty.entries import add_all
from clustermark.uncertainty.points import IN_ENGINE
from clustermark.uncertainty.samples import ComponentSample

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from clustermark.registry import Index
    from clustermark.uncertainty.samples import Sample
    from clustermark.uncertainty.spread import Spread

BOOTSTRAPS = 999
_NORMAL = NormalDist()
_AT_ONCE = 1 << 23
"""So many counts of components are held at once."""


def bootstrap(
    sample: Sample, index: Index[...], score: float, spread: Spread, level: float, draws: int | None, seed: int
) -> tuple[float, float]:
    """The limits of an interval by the bootstrap, bias-corrected and accelerated (BCa; Efron 1987)."""
    if not sample.table.in_memory:
        raise UnsupportedTableError(f"the bootstrap {IN_ENGINE}")
    rng = np.random.default_rng(seed)
    draw = draw_points if sample.unit == "point" else draw_components
    scores = draw(sample.sort(), index, draws or BOOTSTRAPS, rng)
    if not np.isfinite(scores).all():
        raise UnsupportedTableError(f"{index.name} is not defined for some samples of the bootstrap; use the jackknife")
    return accelerate(scores, score, spread, sample.multiplicity, level)


def draw_points(sample: Sample, index: Index[...], draws: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """The scores of so many tables of points drawn with replacement, where copies of a point are no pair.

    Two copies are together on both sides whatever the labelings, so they count among the pairs together in both, and
    only there.
    """
    counts = np.asarray(sample.table.cells.counts)
    use, options = use_of(index), index.options
    n = int(counts.sum())
    shares = counts / n
    scores = np.empty(draws)
    for number in range(draws):
        drawn = rng.multinomial(n, shares)
        table = sample.take(drawn)
        made: Any = use.statistic.of(table)
        copies = pairs_of_copies(drawn, counts)
        try:
            scores[number] = use.function(_without_copies(made, copies), **options)
        except ZeroDivisionError:
            scores[number] = np.nan
    return scores


def pairs_of_copies(drawn: NDArray[np.int64], counts: NDArray[np.int64]) -> float:
    """How many pairs of copies of a point there are on average, where so many of each cell's points were drawn."""
    return float((drawn * (drawn - 1.0) / 2 / counts).sum())


def _without_copies(pairs: Any, copies: float) -> Any:
    if isinstance(pairs, PairCounts):
        return pairs._replace(yy=pairs.yy - copies)
    pairs.yy = pairs.yy - copies
    return pairs


def draw_components(sample: Sample, index: Index[...], draws: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """The scores of so many tables of components drawn with replacement; copies of one are components by themselves."""
    if not isinstance(sample, ComponentSample) or not sample.table.plain:
        raise UnsupportedTableError(
            "the bootstrap draws whole components of plain points; use the jackknife, or half-sampling"
        )
    multiplicity = sample.multiplicity
    units = int(multiplicity.sum())
    at_once = max(1, _AT_ONCE // len(multiplicity))
    scores = []
    for start in range(0, draws, at_once):
        drawn = rng.multinomial(units, multiplicity / units, size=min(at_once, draws - start))
        resampled = ArrayScores(ResampledComponents(sample.table.to_memory(), sample.groups, drawn))
        try:
            scores.append(resampled.of(index))
        except NoClosedFormError as reason:
            raise UnsupportedTableError(f"{index.name} {reason}; use half-sampling") from None
    return np.concatenate(scores)


def accelerate(
    scores: NDArray[np.float64], score: float, spread: Spread, multiplicity: NDArray[np.int64], level: float
) -> tuple[float, float]:
    """The quantiles of bootstrap scores that correct for their bias and for a spread that grows with the score."""
    below = float((scores < score).sum() + (scores == score).sum() / 2) / len(scores)
    below = min(max(below, 0.5 / len(scores)), 1 - 0.5 / len(scores))
    bias = _NORMAL.inv_cdf(below)
    acceleration = 0.0
    if spread.left_out is not None:
        influence = add_all(spread.left_out * multiplicity) / int(multiplicity.sum()) - spread.left_out
        squares = add_all(multiplicity * influence**2)
        acceleration = add_all(multiplicity * influence**3) / (6 * squares**1.5) if squares else 0.0
    ends = []
    for tail in ((1 - level) / 2, (1 + level) / 2):
        z = bias + _NORMAL.inv_cdf(tail)
        ends.append(float(np.quantile(scores, _NORMAL.cdf(bias + z / (1 - acceleration * z)))))
    return ends[0], ends[1]
