"""Limits of scores near chance, by inverting the distribution of what two labelings share there.

Near chance a score corrected for chance is a square, whose derivative vanishes, so the jackknife fails: with two
clusters its intervals are too narrow, with many too wide. The pairs together in both, and the mutual information, are
there about a multiple of a noncentral χ² variable, whose scale and degrees of freedom follow from the exact moments
over all permutations. Other indices of pairs and of information also vary with the sizes of clusters: the jackknife
gives this part of their variance, and the distances of the limits add up as squares. Labelings can share less than by
chance, which no χ² variable does: where chance is not excluded, the limit beyond it is at least that of the jackknife.
"""

from __future__ import annotations

from math import hypot, inf, isfinite, sqrt
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, NamedTuple

from clustermark.registry import index_of
from clustermark.registry.adjustment import check_permutable, information_at, pairs_at
from clustermark.registry.array_scores import use_of
from clustermark.statistics.chance import pair_moments
from clustermark.statistics.information import Entropies, histogram

if TYPE_CHECKING:
    from collections.abc import Callable

    from clustermark.registry import Index
    from clustermark.statistics.chance import PairMoments
    from clustermark.tables.contingency import Contingency

CORRECTED = (-inf, 1.0)
"""The range of a score that `index.adjust()` corrects."""
NEAR = 6.0
"""Within this many standard deviations of chance, limits are made by inversion."""
_MOST_DEGREES = 10_000.0
"""With more degrees of freedom the distribution is nearly normal, and the jackknife holds."""
_FEW_DEGREES = 30.0
"""With fewer degrees of freedom, those of two to five clusters, the jackknife misses much of the variance."""
_IMPOSSIBLE = 1e-3
"""A score so low by chance is not near chance but below it."""
_NOTHING = 1e-9


class _Shared(NamedTuple):
    """The pairs or the information that two labelings share."""

    observed: float
    mean: float
    """Mean over all permutations."""
    deviation: float
    degrees: float
    """Degrees of freedom of the χ² variable that it is a multiple of, up to a shift."""
    at: Callable[[Any], Any]
    """The score as a function of it, for the cluster sizes of the table."""
    base: Index[...]
    """An index that hardly depends on the sizes of clusters near chance."""

    @property
    def scale(self) -> float:
        return self.deviation / sqrt(2 * self.degrees)

    @property
    def variable(self) -> float:
        """The value of the noncentral χ² variable."""
        return (self.observed - self.mean) / self.scale + self.degrees


class ByJackknife(NamedTuple):
    """Limits by the jackknife, and the part of a standard error that is not due to another index."""

    low: float
    high: float
    error_besides: Callable[[Index[...], float], float]
    """The standard error of the score less a multiple of another index."""


def limits_near_chance(
    index: Index[...],
    table: Contingency,
    score: float,
    level: float,
    known: ByJackknife,
    correct: Callable[[Any], Any] | None = None,
) -> tuple[float, float] | None:
    """Return the limits of a score close to chance; None for any other score, or where the jackknife holds.

    correct: corrects the scores of the index for chance, if `score` is such a score.
    """
    if not table.plain or table.weights is not None:
        return None
    shared = _find_shared(index, table)
    if shared is None or shared.variable <= 0 or abs(shared.observed - shared.mean) > NEAR * shared.deviation:
        return None
    corrected = index.facts.chance_model == "permutation" or correct is not None
    if correct is not None:
        shared = shared._replace(at=_compose(correct, shared.at))
    if not 0 < shared.degrees <= (_MOST_DEGREES if corrected else _FEW_DEGREES):
        return None
    if not corrected and shared.base == index_of("mutual_information") and abs(float(shared.at(0.0))) < _NOTHING:
        return None  # such as the V-measure, which is 0 where nothing is shared: the jackknife holds
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
    rises = float(shared.at(shared.mean + shared.deviation)) > float(shared.at(shared.mean))
    beyond = [by_chance < (1 + level) / 2, by_chance < (1 - level) / 2]  # no χ² variable is so small
    if not rises:
        ends, beyond = ends[::-1], beyond[::-1]
    low, high = min(score, ends[0]), max(score, ends[1])
    if not corrected:
        away = NormalDist().inv_cdf((1 + level) / 2) * known.error_besides(shared.base, _slope(shared, table))
        low, high = score - hypot(score - low, away), score + hypot(high - score, away)
    low, high = min(low, known.low) if beyond[0] else low, max(high, known.high) if beyond[1] else high
    # a few points can share no more than there is, but a χ² variable can
    least, most = index.facts.bounds if correct is None else CORRECTED
    return max(least, low), min(most, high)


def _compose(outer: Callable[[Any], Any], inner: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda value: outer(inner(value))


def _slope(shared: _Shared, table: Contingency) -> float:
    """Return by how much the score changes with its base."""
    base = _find_shared(shared.base, table)
    if base is None:
        return 0.0
    first, last = shared.mean, shared.mean + shared.deviation
    change, of_base = (float(one.at(last)) - float(one.at(first)) for one in (shared, base))
    return change / of_base if of_base else 0.0


def _find_shared(index: Index[...], table: Contingency) -> _Shared | None:
    """Return what the labelings share, if the index is a function of it for given cluster sizes."""
    use = check_permutable(index, table)
    if use_of(index).statistic is Entropies:
        entropies = Entropies.of(table)
        if entropies.fixed or abs(entropies.mutual - entropies.expected) > NEAR * sqrt(entropies.most_variance):
            return None  # the exact variance takes longer than all else
        if not entropies.variance or (at := information_at(index, use, table)) is None:
            return None
        degrees = 2 * entropies.expected**2 / entropies.variance
        return _Shared(
            entropies.mutual, entropies.expected, sqrt(entropies.variance), degrees, at, index_of("mutual_information")
        )
    if (at := pairs_at(index, use, table)) is None:
        return None
    moments = table.once("pairs by chance", _pair_moments)
    if moments.variance <= 0 or moments.third <= 0:
        return None
    deviation = sqrt(moments.variance)
    n, cells, *_ = table.squares
    skewness = float(moments.third) / deviation**3
    return _Shared(
        float((cells - n) // 2), float(moments.mean), deviation, 8 / skewness**2, at, index_of("adjusted_rand")
    )


def _pair_moments(table: Contingency) -> PairMoments:
    return pair_moments(histogram(table.profile.true_sizes), histogram(table.profile.pred_sizes))
