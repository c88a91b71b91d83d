"""Make intervals: their limits on a scale, and the number of standard errors to them."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from math import atanh, exp, inf, log, sqrt, tanh
from statistics import NormalDist
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clustermark.errors import InputError, UnsupportedTableError
from clustermark.registry import index_of
from clustermark.registry.adjustment import AdjustedIndex, check_permutable
from clustermark.statistics.units import NoClosedFormError
from clustermark.tables.contingency import Contingency
from clustermark.uncertainty.entries import add_all
from clustermark.uncertainty.interval import CrossedPoints, Interval, IntervalRequest, Intervals, no_interval
from clustermark.uncertainty.near_chance import ByJackknife, limits_near_chance
from clustermark.uncertainty.refusals import check_bootstrap, check_index, check_target, notes_of, refusal
from clustermark.uncertainty.samples import sample_of
from clustermark.uncertainty.simultaneous import correlate_scores, critical_value, level_of
from clustermark.uncertainty.spread import HALF_SAMPLES, Jackknife, bootstrap, half_sampling, moments

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from clustermark.registry import Index
    from clustermark.uncertainty.crossed_units import CrossedMaker
    from clustermark.uncertainty.interval import GroupedPoints, Method, Target, Unit
    from clustermark.uncertainty.samples import Sample
    from clustermark.uncertainty.spread import Spread


def degrees_of(left_out: Any, multiplicity: NDArray[np.int64] | None = None) -> float:
    """Return Satterthwaite's degrees of freedom of the jackknife's variance: how exactly the units estimate it.

    It is 2 / (Σd⁴ / (Σd²)² - 1/G) for the deviations d of G units: about G for units that are alike, and 2 where one
    unit makes the variance. It is at most G - 1, and infinite if no unit changes the score. This is the one place for
    degrees of freedom over components, groups and sampled clusters; `reach` has the limits that follow.

    left_out: the score, or the difference of two scores, without one unit of each class.
    multiplicity: the number of units of each class, by default 1.

    >>> degrees_of([0.1, 0.3, 0.2, 0.4, 0.25])
    4.0
    >>> round(degrees_of([0.1] * 99 + [0.9]), 2)
    2.06
    """
    values = np.asarray(left_out, np.float64)
    times = np.ones(len(values), np.int64) if multiplicity is None else multiplicity
    units = int(times.sum())
    if units < 2:
        return 0.0
    away = values - add_all(values * times) / units
    scale = float(np.abs(away[times > 0]).max())
    if not 1e-13 * float(np.abs(values).max()) < scale < inf:  # differences are due to rounding
        return inf
    squares = (away / scale) ** 2  # powers of tiny deviations would underflow
    second, fourth = add_all(squares * times), add_all(squares * squares * times)
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


class Scale(NamedTuple):
    """A function of a score, its slope, and its inverse."""

    name: str
    forth: Callable[[float], float]
    slope: Callable[[float], float]
    back: Callable[[float], float]


_MOST = 700.0
"""Arguments of exp are limited to this, so that it does not overflow."""
LOGIT = Scale(
    "logit", lambda x: log(x / (1 - x)), lambda x: 1 / (x * (1 - x)), lambda y: 1 / (1 + exp(-max(y, -_MOST)))
)
ATANH = Scale("atanh", atanh, lambda x: 1 / (1 - x * x), tanh)
LOG = Scale("log", log, lambda x: 1 / x, lambda y: exp(min(y, _MOST)))
PLAIN = Scale("none", lambda x: x, lambda _: 1.0, lambda y: y)


def scale_of(bounds: tuple[float, float], score: float) -> Scale:
    """Return the scale for a score of an index with these bounds.

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
    """Return the limits z standard errors below and above the score on its scale, within the bounds."""
    scale = scale_of(bounds, score)
    middle, reach = scale.forth(score), z * error * scale.slope(score)
    low, high = scale.back(middle - reach), scale.back(middle + reach)
    return max(low, bounds[0]), min(high, bounds[1])


def limits_above(
    floor: float, score: float, error: float, z: float, bounds: tuple[float, float]
) -> tuple[float, float]:
    """Return the same for a score known to exceed a floor, if its error grows with its distance from the floor.

    >>> limits_above(0.5, 0.75, 0.1, 2.0, (0.0, 1.0))[0] > 0.5
    True
    """
    if not bounds[0] < floor < score:  # a floor of NaN is unknown
        return limits(score, error, z, bounds)
    low, high = limits(score - floor, error, z, (0.0, inf))
    return floor + low, min(floor + high, bounds[1])


def score_interval(
    table: Contingency,
    index: str | Index[...] | AdjustedIndex,
    *,
    level: float = 0.95,
    unit: Unit | GroupedPoints | CrossedPoints = "point",
    target: Target = "sample",
    method: Method = "jackknife",
    draws: int | None = None,
    seed: int | None = None,
) -> Interval:
    """Return the score of an index on a table with an interval around it; `Evaluation.interval` explains the options.

    >>> from clustermark import crosstab
    >>> score_interval(crosstab([0] * 6 + [1] * 6, [0] * 5 + [1] + [0] * 2 + [1] * 4), "rand")
    95 % interval by the jackknife over 12 points
    index                    score  standard error
    rand   0.5909 [0.2885, 1.0000]           0.157
    note: close to chance: read the test
    """
    request = IntervalRequest(level, unit, target, method, draws, seed)
    wanted = index if isinstance(index, AdjustedIndex) else index_of(index)
    found = make_intervals(table, [wanted], request, leave_out=False)
    return found[wanted.label]


def make_intervals(
    table: Contingency,
    indices: Iterable[Index[...] | AdjustedIndex],
    request: IntervalRequest,
    *,
    leave_out: bool = True,
    scores: Mapping[Index[...], float] = MappingProxyType({}),
) -> Intervals:
    """Return the intervals of indices; one that has none is left out with the reason, or is an error.

    scores: scores of the table that are known.
    """
    if not isinstance(table, Contingency):
        raise InputError("an interval is made of a table from crosstab(y_true, y_pred); labels go to evaluate")
    indices = list(indices)
    if isinstance(request.unit, CrossedPoints):
        from clustermark.uncertainty.crossed_units import CrossedMaker

        return _make_each(CrossedMaker(table, request, request.unit), indices, scores, leave_out=leave_out)
    maker = IntervalMaker(table, request)
    made = _make_each(maker, indices, scores, leave_out=leave_out)
    if not request.simultaneous:
        return made
    together = [index for index in indices if index.label in made and made[index.label].low is not None]
    value = critical_value(correlate_scores(maker.sample, together, request.seed or 0), request.level)
    wider = IntervalRequest(level_of(value), request.unit, request.target, request.method, request.draws, request.seed)
    again = _make_each(IntervalMaker(table, wider, maker.sample), indices, scores, leave_out=leave_out)
    marked = {
        label: replace(one, level=request.level, simultaneous=True, critical_value=value)
        for label, one in again.items()
    }
    return Intervals(marked, again.refused)


def _make_each(
    maker: IntervalMaker | CrossedMaker,
    indices: Iterable[Index[...] | AdjustedIndex],
    scores: Mapping[Index[...], float],
    *,
    leave_out: bool,
) -> Intervals:
    """Return the intervals of indices, each at the level of the request."""
    found, refused = dict[str, Interval](), dict[str, str]()
    for index in indices:
        try:
            known = None if isinstance(index, AdjustedIndex) else scores.get(index)
            found[index.label] = maker.make(index, known)
        except UnsupportedTableError as error:
            if not leave_out:
                raise
            refused[index.label] = str(error)
    return Intervals(found, refused)


def make_all_intervals(
    table: Contingency, scores: Mapping[Index[...], float], request: IntervalRequest
) -> dict[str, Interval]:
    """Return the intervals of all indices that were scored; for one that has none, a result with the reason."""
    found = make_intervals(table, scores, request, scores=scores)
    return {
        index.label: found[index.label]
        if index.label in found
        else no_interval(index, score, found.refused[index.label].removeprefix(f"{index.name} "), request)
        for index, score in scores.items()
    }


class IntervalMaker:
    """Makes intervals of one table and one kind."""

    def __init__(self, table: Contingency, request: IntervalRequest, sample: Sample | None = None) -> None:
        """Prepare the sums; sample: the units of the table, if they are known."""
        self._table, self._request = table, request
        self.sample = sample_of(table, request.unit) if sample is None else sample
        """The units of the table."""
        self._jackknife = Jackknife(self.sample, by_entry=request.method == "bootstrap")
        self.spreads: dict[str, Spread] = {}
        """The spread of each index whose interval was made."""

    def make(self, index: Index[...] | AdjustedIndex, score: float | None = None) -> Interval:
        """Return the interval of one index, whose score on the table may be known."""
        request, sample = self._request, self.sample
        if isinstance(index, AdjustedIndex):
            return self._make_adjusted(index)
        check_index(index, sample.unit)
        if request.target == "population":
            check_target(index, sample.unit)
        if request.method == "bootstrap":
            check_bootstrap(index, sample.unit)
        score = index.of(self._table) if score is None else score
        notes: list[str] = []
        spread = self.spreads[index.label] = self._spread(index, score, notes)
        if reason := refusal(index, score, sample, spread, request.target):
            return self._interval(index, score, spread, None, [reason, *notes])
        return self._interval(index, score, spread, self._limits(index, score, spread, notes), notes)

    def _make_adjusted(self, adjusted: AdjustedIndex) -> Interval:
        """Return the interval of a score that is corrected for chance."""
        from clustermark.uncertainty.adjusted_intervals import adjusted_interval, refuse_adjusted

        refuse_adjusted(adjusted, self._request)
        check_permutable(adjusted.index, self._table)

        def distance(left_out: NDArray[np.float64] | None) -> float:
            if self.sample.unit == "point" or left_out is None:
                return self._request.z
            return reach(self._request.level, degrees_of(left_out, self.sample.multiplicity))

        own = self.make(adjusted.index)
        return adjusted_interval(adjusted, self.sample, self._request, own, distance, limits)

    def _spread(self, index: Index[...], score: float, notes: list[str]) -> Spread:
        request = self._request
        if request.method != "half-sampling":
            try:
                return self._jackknife.of(index, score)
            except NoClosedFormError as reason:
                if request.method == "bootstrap":
                    raise UnsupportedTableError(f"{index.name} {reason}; use half-sampling") from None
                notes.append(f"by half-sampling, because {index.name} {reason}")
        draws, seed = request.draws or HALF_SAMPLES, request.seed or 0
        return half_sampling(self.sample, [index], [score], draws, seed)[0]

    def _limits(self, index: Index[...], score: float, spread: Spread, notes: list[str]) -> tuple[float, float]:
        request, bounds = self._request, index.bounds_on(self._table)
        notes += notes_of(self.sample, spread, request.target)
        if request.method == "bootstrap":
            return bootstrap(self.sample, index, score, spread, request.level, request.draws, request.seed or 0)
        if request.target == "population":
            middle, away = min(max(score - spread.bias, bounds[0]), bounds[1]), request.z * spread.standard_error
            low, high = middle - away, middle + away
        else:
            z = request.z
            if self.sample.unit != "point" and spread.left_out is not None:
                z = reach(request.level, degrees_of(spread.left_out, self.sample.multiplicity))
            low, high = limits(score, spread.standard_error, z, bounds)
        if self.sample.unit == "point":
            known = ByJackknife(low, high, partial(self._error_besides, spread))
            low, high = limits_near_chance(index, self._table, score, request.level, known) or (low, high)
        return max(low, bounds[0]), min(high, bounds[1])

    def _error_besides(self, spread: Spread, base: Index[...], times: float) -> float:
        """Return the standard error of a score less a multiple of another index; that of the score if unknown."""
        try:
            other = self._jackknife.of(base, base.of(self._table)).left_out
        except NoClosedFormError:
            other = None
        multiplicity = self.sample.multiplicity
        if spread.left_out is None or other is None or not len(spread.left_out) == len(other) == len(multiplicity):
            return spread.standard_error
        rest = spread.left_out - times * other
        return sqrt(max(float(moments(rest, multiplicity, float(rest[0]))[0]), 0.0))

    def _interval(
        self,
        index: Index[...],
        score: float,
        spread: Spread,
        ends: tuple[float, float] | None,
        notes: Sequence[str],
    ) -> Interval:
        request = self._request
        low, high = ends or (None, None)
        defined = spread.standard_error != float("inf")
        drawn = request.method == "bootstrap" or spread.draws is not None
        return Interval(
            index.label,
            score,
            low,
            high,
            spread.standard_error if defined else None,
            spread.bias if defined else None,
            request.level,
            "bootstrap" if request.method == "bootstrap" else spread.method,
            self.sample.unit,
            spread.n_units,
            request.target,
            tuple(notes),
            (request.draws or spread.draws) if drawn else None,
            (request.seed or 0) if drawn else None,
        )
