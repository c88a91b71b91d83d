"""Variation of a score from sample to sample: the jackknife, half-samples, and the bootstrap."""

from __future__ import annotations

from contextlib import suppress
from functools import cache
from math import fsum, inf, isfinite, log2, nan, sqrt
from operator import mul
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clustermark import _kernel
from clustermark.errors import UnsupportedTableError
from clustermark.registry.array_scores import ArrayScores, use_of
from clustermark.statistics.pairs import PairCounts
from clustermark.statistics.units import NoClosedFormError
from clustermark.tables.contingency import Contingency
from clustermark.uncertainty.entries import add_all
from clustermark.uncertainty.points import IN_ENGINE
from clustermark.uncertainty.samples import ComponentSample, PointSample, ResampledComponents

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from clustermark.registry import Index
    from clustermark.statistics.units import Numbers
    from clustermark.uncertainty.samples import Sample, SharedPoints
    from clustermark.uncertainty.unequal_sampling import StratumVariance


_MOST_UNITS = 10**10
"""With more units, leaving out one changes a score by less than its rounding error."""
_ENOUGH_UNITS, _FEWEST_LEFT = 10**9, 1000
"""A table of this many points replaces a larger one if each cell keeps this many: shares are right to 0.05 % then."""
_STEPS, _MOST_STEPPED = 1000, 1 << 62
"""If some cell is smaller, derivatives follow from scores with a thousandth more and less of each cell."""
HALF_SAMPLES = 500
_MOST_HALVED = 1 << 42


class Spread(NamedTuple):
    """The standard error of a score, and its bias."""

    standard_error: float
    """Infinite if the score is not defined without some unit."""
    bias: float
    method: str
    n_units: int
    draws: int | None = None
    left_out: Numbers | None = None
    """The score without one unit of each class, if that was computed."""
    classes: NDArray[np.int32] | None = None
    """The class of each entry, if classes are sets of equal entries."""
    of_pairs: float = 0.0
    """The part of the variance that pairs of units add, which falls with the square of the number of units."""
    floor: float = nan
    """Lower bound of the score, if one is known."""
    strata: StratumVariance | None = None
    """The variance of each stratum, if units were drawn within strata or with unequal probabilities."""


def moments(values: Numbers, multiplicity: NDArray[np.int64], score: Any) -> tuple[Any, Any]:
    """Return variance and bias by the jackknife; `values` are the scores (doubles or fractions) without one unit."""
    weighted = (values - score) * multiplicity
    add = np.sum if weighted.dtype == object else add_all
    return _moments(add(weighted), add(weighted * (values - score)), int(multiplicity.sum()))


def _moments(total: Any, squares: Any, units: int) -> tuple[Any, Any]:
    """Return the same from the sums of departures from the score, and of their squares."""
    return (squares - total * total / units) * (units - 1) / units, total * (units - 1) / units


_GROWING = ((5000, 1000, 300), (700, 4000, 100), (20, 300, 9000))
"""A table for measuring how an index grows with the number of points."""
_BLOCK, _BLOCKS = ((11, 3, 1), (2, 9, 1), (1, 1, 19)), 64
"""The same for clusters: a small component, and a number of copies at which a power shows and a logarithm does not."""


@cache
def growth_of(index: Index[...], *, whole_clusters: bool = False) -> float:
    """Return the power of the number of units with which a score grows, in halves: 0 for most indices.

    It is 1 for numbers of points, and 2 for numbers of pairs.

    whole_clusters: whether more units are more clusters, as with components, and not more points of the same clusters.

    >>> from clustermark import chi_squared, jaccard, mirkin, transfer_distance
    >>> growth_of(jaccard), growth_of(transfer_distance), growth_of(mirkin), growth_of(chi_squared)
    (0.0, 1.0, 2.0, 1.0)
    >>> growth_of(mirkin, whole_clusters=True), growth_of(chi_squared, whole_clusters=True)
    (1.0, 2.0)
    """
    if all(map(isfinite, index.bounds)):
        return 0.0
    table, twice = (_grow(times, whole_clusters=whole_clusters) for times in (1, 2))
    score = index.of(table)
    return round(2 * log2(max(index.of(twice) / score, 1e-9))) / 2 if isfinite(score) and score else 0.0


def _grow(times: int, *, whole_clusters: bool) -> Contingency:
    """Return the table for measuring growth, `times` times as large."""
    if whole_clusters:
        return Contingency.from_matrix(np.kron(np.eye(_BLOCKS * times, dtype=np.int64), np.array(_BLOCK)))
    return Contingency.from_matrix(np.array(_GROWING) * times)


def _growth_in(sample: Sample | SharedPoints, index: Index[...]) -> float:
    return growth_of(index, whole_clusters=isinstance(sample, ComponentSample))


class Jackknife:
    """Leave-one-out spreads of indices on one sample; shared sums are computed once."""

    most_tables = 2_000
    """Without a closed form, a table is made without one unit of each class if there are at most this many classes."""

    def __init__(self, sample: Sample, *, by_entry: bool = False) -> None:
        """Prepare the sums; by_entry: whether every entry must be a separate class."""
        self._sample = sample
        self._scores: ArrayScores | None = None
        alike = sample.alike if isinstance(sample, PointSample) and not by_entry else None
        self._alike = None if alike is None else (alike, ArrayScores(alike))

    def of(self, index: Index[...], score: float) -> Spread:
        """Return the spread of a score; raise `NoClosedFormError` if that would take too long."""
        sample = self._sample
        multiplicity = sample.multiplicity
        units = int(multiplicity.sum())
        if units < 2:
            return Spread(inf, nan, "jackknife", units)
        if units > _MOST_UNITS:
            return self._of_fewer(index, units)
        values, classes = None, None
        if self._alike is not None:
            with suppress(NoClosedFormError):
                values = self._alike[1].of(index)
                multiplicity, classes = self._alike[0].multiplicity, self._alike[0].classes
        if values is None:
            values = self._by_entry(index)
        if growth := _growth_in(sample, index):  # a score that grows with the number of units is scaled to all units
            values = values * (units / (units - 1)) ** growth
        total, squares, least, most = _kernel.departures(values, multiplicity, score)
        if not isfinite(most):
            return Spread(inf, nan, "jackknife", units, None, values, classes)
        scale = max(abs(score), abs(score + least), abs(score + most))
        if most - least <= 1e-13 * scale:  # within rounding error
            return Spread(0.0, 0.0, "jackknife", units, None, values, classes)
        variance, bias = _moments(total, squares, units)
        bias = float(bias) if abs(bias) > 4e-16 * units * scale else 0.0
        return Spread(sqrt(max(variance, 0.0)), bias, "jackknife", units, None, values, classes)

    def _by_entry(self, index: Index[...]) -> Numbers:
        """Return the score without one unit of each class of the sample."""
        sample = self._sample
        try:
            if self._scores is None:
                self._scores = ArrayScores(sample.units)
            return self._scores.of(index)
        except NoClosedFormError:
            if not sample.table.in_memory:
                raise UnsupportedTableError(f"{index.name} {IN_ENGINE}") from None
            if len(sample.multiplicity) > self.most_tables:
                raise
            return _recompute(sample, index)

    def _of_fewer(self, index: Index[...], units: int) -> Spread:
        """Return the spread of very many points, from a smaller table with the same shares."""
        counts, table = self._sample.multiplicity, self._sample.table
        fewer = np.rint(counts * (_ENOUGH_UNITS / units)).astype(np.int64)
        plain = isinstance(self._sample, PointSample) and table.in_memory and table.plain
        if plain and fewer.min() < _FEWEST_LEFT and len(counts) <= self.most_tables and units < _MOST_STEPPED:
            return _step(self._sample, index, units)
        if not plain or fewer.min() < _FEWEST_LEFT:
            raise NoClosedFormError("has more points than a score without one of them can tell")
        made = self._sample.take(fewer)
        spread = Jackknife(PointSample(made)).of(index, index.of(made))
        more = units / int(fewer.sum())
        grown = more ** growth_of(index)
        return Spread(spread.standard_error * grown / sqrt(more), spread.bias * grown / more, "jackknife", units)


def _step(sample: Sample, index: Index[...], units: int) -> Spread:
    """Return the spread of very many points, from scores with a little more and a little less of each cell.

    A small cell changes by a single point, as in the jackknife. A large cell changes by a share of its points, because
    a single point would change the score by less than its rounding error.
    """
    strict, growth = index.strict, growth_of(index)

    def score(place: int, more: int) -> float:
        chosen = sample.multiplicity.copy()
        chosen[place] += more
        return float(_score(strict, sample.take(chosen)) * (units / (units + more)) ** growth)

    whole, slopes, biases = score(0, 0), [], []
    counts = sample.multiplicity.tolist()
    for place, n in enumerate(counts):
        step = max(1, n // _STEPS)
        less, more = score(place, -step), score(place, step)
        slopes.append(whole - less if step == 1 else (more - less) / (2 * step))
        biases.append(n * (more - 2 * whole + less) / (2.0 * step * step))
    if not isfinite(sum(slopes)):
        return Spread(inf, nan, "jackknife", units)
    mean = fsum(map(mul, counts, slopes)) / units
    variance = fsum(n * (slope - mean) ** 2 for n, slope in zip(counts, slopes, strict=True))
    return Spread(sqrt(variance), fsum(biases), "jackknife", units)


def _recompute(sample: Sample, index: Index[...]) -> NDArray[np.float64]:
    """Return the score of the table without one unit, for each class."""
    scores = np.empty(len(sample.multiplicity))
    chosen = sample.multiplicity.copy()
    strict = index.strict
    for place in range(len(scores)):
        chosen[place] -= 1
        scores[place] = _score(strict, sample.take(chosen)) if chosen.any() else np.nan
        chosen[place] += 1
    return scores


def _score(strict: Index[...], table: Any) -> float:
    try:
        return strict.of(table)
    except ZeroDivisionError:
        return np.nan


def half_sample_scores(
    sample: Sample | SharedPoints, indices: Sequence[Index[...]], draws: int, seed: int
) -> NDArray[np.float64]:
    """Return the scores of half-samples, a row for each sample and a column for each index; NaN where undefined."""
    multiplicity = np.ascontiguousarray(sample.multiplicity, np.int64)
    if int(multiplicity.sum()) > _MOST_HALVED:
        raise UnsupportedTableError(f"half-samples are drawn of at most {_MOST_HALVED:,} points")
    strict = [index.strict for index in indices]
    scores = np.empty((draws, len(strict)))
    for number in range(draws):
        table = sample.take(_kernel.draw_half(multiplicity, seed, number))
        scores[number] = [_score(index, table) for index in strict]
    units = int(multiplicity.sum())
    scores *= [(units / (units // 2)) ** _growth_in(sample, index) for index in indices]
    return scores


def half_sampling(
    sample: Sample, indices: Sequence[Index[...]], scores: Sequence[float], draws: int, seed: int
) -> list[Spread]:
    """Return the spreads of indices by half-samples, without replacement.

    The standard deviation over halves is the standard error of the whole, and the mean difference of their scores from
    that of the whole is the bias of the whole.
    """
    units = int(sample.multiplicity.sum())
    if not sample.table.in_memory:
        raise UnsupportedTableError(f"half-sampling {IN_ENGINE}")
    if units < 4:
        few = f"only {units} {sample.unit}{'' if units == 1 else 's'}"
        raise UnsupportedTableError(f"{few}: too few to draw half of them")
    half = units // 2
    drawn = half_sample_scores(sample.sort(), indices, draws, seed)
    correction = sqrt(half / (units - half))
    spreads = []
    for column, score in zip(drawn.T, scores, strict=True):
        if not np.isfinite(column).all():
            spreads.append(Spread(np.inf, np.nan, "half-sampling", units, draws))
            continue
        error = float(column.std(ddof=1)) * correction if np.ptp(column) > 1e-13 * abs(score) else 0.0
        spreads.append(Spread(error, float(column.mean() - score), "half-sampling", units, draws))
    return spreads


BOOTSTRAPS = 999
_NORMAL = NormalDist()
_AT_ONCE = 1 << 23
"""Number of counts of components that are held at once."""


def bootstrap(
    sample: Sample, index: Index[...], score: float, spread: Spread, level: float, draws: int | None, seed: int
) -> tuple[float, float]:
    """Return the limits of an interval by the bootstrap, bias-corrected and accelerated (BCa; Efron 1987)."""
    if not sample.table.in_memory:
        raise UnsupportedTableError(f"the bootstrap {IN_ENGINE}")
    rng = np.random.default_rng(seed)
    draw = draw_points if sample.unit == "point" else draw_components
    scores = draw(sample.sort(), index, draws or BOOTSTRAPS, rng)
    if not np.isfinite(scores).all():
        raise UnsupportedTableError(f"{index.name} is not defined for some samples of the bootstrap; use the jackknife")
    return accelerate(scores, score, spread, sample.multiplicity, level)


def draw_points(sample: Sample, index: Index[...], draws: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """Return the scores of `draws` tables of points drawn with replacement, where copies of a point are no pair.

    Two copies are together on both sides for any labelings, so they count among the pairs together in both, and only
    there.
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
    """Return the expected number of pairs of copies of a point, if `drawn` of each cell's points were drawn."""
    return float((drawn * (drawn - 1.0) / 2 / counts).sum())


def _without_copies(pairs: Any, copies: float) -> Any:
    if isinstance(pairs, PairCounts):
        return pairs._replace(yy=pairs.yy - copies)
    pairs.yy = pairs.yy - copies
    return pairs


def draw_components(sample: Sample, index: Index[...], draws: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """Return the scores of `draws` tables of components drawn with replacement; copies are separate components."""
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
    """Return the quantiles of bootstrap scores, corrected for bias and for a spread that grows with the score."""
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
