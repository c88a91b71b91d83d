"""Limits of scores near chance, by inverting the distribution of what two labelings share there.

Near chance a score corrected for chance is a square, whose derivative vanishes, so the jackknife fails: with two
clusters its intervals are too narrow, with many too wide. The pairs together in both, and the mutual information, are
there about a multiple of a noncentral χ² variable, whose scale and degrees of freedom follow from the exact moments
over all permutations. Other indices of pairs also vary with the sizes of clusters, so there is no inversion for them:
with two clusters the variance over permutations is added to that of the jackknife.
"""

from __future__ import annotations

from math import isfinite, sqrt
from typing import TYPE_CHECKING, Any, NamedTuple

from clustermark.registry.adjustment import check_permutable, information_at, pairs_at
from clustermark.registry.array_scores import use_of
from clustermark.statistics.chance import pair_moments
from clustermark.statistics.information import Entropies, histogram

if TYPE_CHECKING:
    from collections.abc import Callable

    from clustermark.registry import Index
    from clustermark.tables.contingency import Contingency

NEAR = 6.0
"""Within this many standard deviations of chance, limits are made by inversion."""
_MOST_DEGREES = 10_000.0
"""With more degrees of freedom the distribution is nearly normal, and the jackknife holds."""
_FEW_DEGREES = 2.5
"""With fewer degrees of freedom, those of two clusters, the jackknife misses much of the variance."""
_IMPOSSIBLE = 1e-3
"""A score so low by chance is not near chance but below it."""


class _Shared(NamedTuple):
    """What two labelings share: pairs or information."""

    observed: float
    mean: float
    """Mean over all permutations."""
    deviation: float
    degrees: float
    """Degrees of freedom of the χ² variable that it is a multiple of, up to a shift."""
    at: Callable[[Any], Any]
    """The score as a function of it, for the cluster sizes of the table."""

    @property
    def scale(self) -> float:
        return self.deviation / sqrt(2 * self.degrees)

    @property
    def variable(self) -> float:
        """The value of the noncentral χ² variable."""
        return (self.observed - self.mean) / self.scale + self.degrees


def limits_near_chance(index: Index[...], table: Contingency, score: float, level: float) -> tuple[float, float] | None:
    """Return the limits of a score that is corrected for chance and close to it; None for any other score."""
    if index.facts.chance_model != "permutation" or not table.plain or table.weights is not None:
        return None
    shared = _find_shared(index, table)
    if shared is None or shared.variable <= 0 or shared.observed - shared.mean > NEAR * shared.deviation:
        return None
    if not 0 < shared.degrees <= _MOST_DEGREES:
        return None
    from scipy.special import chndtr, chndtrinc

    x, degrees = shared.variable, shared.degrees
    by_chance = float(chndtr(x, degrees, 0.0))
    if by_chance < _IMPOSSIBLE:
        return None

    def score_at(probability: float) -> float:
        """Return the score whose chance to be as low as observed is this."""
        more = 0.0 if by_chance < probability else float(chndtrinc(x, degrees, probability))
        return float(shared.at(shared.mean + shared.scale * more))

    ends = [score_at((1 + level) / 2), score_at((1 - level) / 2)]
    if not all(map(isfinite, ends)):
        return None
    return min(score, *ends), max(score, *ends)


def error_by_chance(index: Index[...], table: Contingency) -> float:
    """Return the standard error that the jackknife misses near chance, of indices of pairs that are not corrected."""
    if index.facts.chance_model == "permutation" or use_of(index).statistic is Entropies or not table.plain:
        return 0.0
    shared = None if table.weights is not None else _find_shared(index, table)
    if shared is None or shared.degrees >= _FEW_DEGREES:
        return 0.0
    if abs(shared.observed - shared.mean) > NEAR * shared.deviation:
        return 0.0
    ends = [float(shared.at(shared.mean + sign * shared.deviation)) for sign in (1, -1)]
    return abs(ends[0] - ends[1]) / 2 if all(map(isfinite, ends)) else 0.0


def _find_shared(index: Index[...], table: Contingency) -> _Shared | None:
    """Return what the labelings share, if the index is a function of it for given cluster sizes."""
    use = check_permutable(index, table)
    if use_of(index).statistic is Entropies:
        entropies = Entropies.of(table)
        if entropies.fixed or not entropies.variance or (at := information_at(index, use, table)) is None:
            return None
        degrees = 2 * entropies.expected**2 / entropies.variance
        return _Shared(entropies.mutual, entropies.expected, sqrt(entropies.variance), degrees, at)
    if (at := pairs_at(index, use, table)) is None:
        return None
    profile = table.profile
    moments = pair_moments(histogram(profile.true_sizes), histogram(profile.pred_sizes))
    if moments.variance <= 0 or moments.third <= 0:
        return None
    deviation = sqrt(moments.variance)
    n, cells, *_ = table.squares
    skewness = float(moments.third) / deviation**3
    return _Shared(float((cells - n) // 2), float(moments.mean), deviation, 8 / skewness**2, at)
