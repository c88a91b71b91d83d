"""Intervals of indices corrected for chance by `index.adjust()`: both the score and its mean by chance vary."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from math import hypot, inf, sqrt
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clustermark import _kernel
from clustermark.errors import ClustermarkError, UnsupportedTableError
from clustermark.registry.adjustment import FEW_TABLES, check_permutable, count_tables, linear_expectation
from clustermark.registry.array_scores import ArrayScores, options_of, use_of
from clustermark.registry.formulas import compute, names_in
from clustermark.statistics.information import Entropies
from clustermark.statistics.pairs import SquareSums
from clustermark.statistics.units import NoClosedFormError
from clustermark.tables.drawn_tables import RandomTables
from clustermark.uncertainty.near_chance import CORRECTED, ByJackknife, limits_near_chance
from clustermark.uncertainty.points import IN_ENGINE
from clustermark.uncertainty.spread import HALF_SAMPLES, moments

if TYPE_CHECKING:
    from collections.abc import Callable

    from clustermark.registry import Index
    from clustermark.registry.adjustment import AdjustedIndex, AdjustedScore
    from clustermark.statistics.units import Numbers
    from clustermark.tables.cells import CellTable
    from clustermark.uncertainty.interval import Interval, IntervalRequest
    from clustermark.uncertainty.samples import Sample

RANDOM_TABLES = 5
"""Number of random tables for the mean of each half-sample; the error that is left is subtracted from the variance."""
_FEW_CLASSES = 40
"""With at most this many classes of units, the mean over all tables is computed without one unit of each."""


class AdjustedSpread(NamedTuple):
    """The standard error of a corrected score."""

    standard_error: float
    bias: float
    method: str
    left_out: Numbers | None = None
    """The corrected score without one unit of each class, by the jackknife."""
    draws: int | None = None


def adjusted_interval(
    adjusted: AdjustedIndex,
    sample: Sample,
    request: IntervalRequest,
    own: Interval,
    reach: Callable[[Numbers | None], float],
    limits: Callable[[float, float, float, tuple[float, float]], tuple[float, float]],
) -> Interval:
    """Return the interval of a corrected score; there is none where the score itself has none.

    own: the interval of the score that is not corrected, on the same table.
    reach: the number of standard errors to a limit, from the scores without one unit.
    limits: makes limits on the scale of a score.
    """
    table = sample.table
    score = adjusted.of(table)
    spread = _spread(adjusted, sample, request, score)
    error = hypot(spread.standard_error, score.standard_error)
    seed = None if spread.draws is None else request.seed or 0
    made = replace(
        own,
        index=adjusted.label,
        score=float(score),
        low=None,
        high=None,
        standard_error=error if error < inf else None,
        bias=spread.bias if error < inf else None,
        method=spread.method,
        draws=spread.draws,
        seed=seed,
    )
    if own.low is None:
        return made
    if not 0 < error < inf:
        return replace(made, notes=(f"not defined in some samples of {sample.unit}s: no interval",))
    ends = limits(float(score), error, reach(spread.left_out), CORRECTED)
    if sample.unit == "point":
        span = (adjusted.index.best or 0.0) - score.expected
        known = ByJackknife(*ends, lambda *_: 0.0)
        near = partial(limits_near_chance, adjusted.index, table, float(score), request.level, known)
        ends = near(lambda raw: (raw - score.expected) / span) or ends
    return replace(made, low=ends[0], high=ends[1], notes=(*own.notes, *_notes(score, spread)))


def refuse_adjusted(adjusted: AdjustedIndex, request: IntervalRequest) -> None:
    """Refuse a target and a method that corrected scores do not have."""
    if request.target == "population":
        raise UnsupportedTableError(f"{adjusted.label} has no interval for the population; choose the target sample")
    if request.method == "bootstrap":
        raise UnsupportedTableError(f"{adjusted.label} is biased by copies; use the jackknife, or half-sampling")


def _notes(score: AdjustedScore, spread: AdjustedSpread) -> list[str]:
    notes = []
    if spread.method == "half-sampling":
        notes.append(f"the mean by chance is estimated again for each half, by {RANDOM_TABLES} random tables")
    if score.draws is not None:
        notes.append(f"includes the error of the mean by {score.draws:,} random tables ({score.standard_error:.2g})")
    return notes


def _spread(adjusted: AdjustedIndex, sample: Sample, request: IntervalRequest, score: AdjustedScore) -> AdjustedSpread:
    if request.method == "jackknife":
        values = _left_out(adjusted, sample)
        if values is not None:
            if not np.isfinite(values[sample.multiplicity > 0]).all():
                return AdjustedSpread(inf, 0.0, "jackknife", values)
            variance, bias = moments(values, sample.multiplicity, float(score))
            return AdjustedSpread(sqrt(max(variance, 0.0)), float(bias), "jackknife", values)
    return _half_sampling(adjusted, sample, request, float(score))


def _left_out(adjusted: AdjustedIndex, sample: Sample) -> Numbers | None:
    """Return the corrected score without one unit of each class; None if its mean by chance is not known exactly."""
    index, table = adjusted.index, sample.table
    use = check_permutable(index, table)
    if linear_expectation(index, use, table) is not None:
        try:
            scores = ArrayScores(sample.units)
            means = _expected_scores(index, scores)
            best = adjusted.index.best or 0.0
            with np.errstate(all="ignore"):
                return np.asarray((scores.of(index) - means) / (best - means), np.float64)
        except NoClosedFormError:  # a table is made without one unit of each class, if these are few
            pass
    elif count_tables(table, FEW_TABLES) is None or len(sample.multiplicity) > _FEW_CLASSES:
        return None
    return _recompute(adjusted, sample) if len(sample.multiplicity) <= _FEW_CLASSES else None


def _expected_scores(index: Index[...], scores: ArrayScores) -> Any:
    """Return the means of a linear index over permutations, for the tables without one unit.

    The mean of a linear index is the index at the mean number of pairs, or at the mean information.
    """
    use, made = use_of(index), scores.statistic(index)
    n = np.asarray(made.n, np.float64)
    if use.statistic is Entropies:
        mean = {"joint": made.true + made.pred - made.expected}
    elif use.statistic is SquareSums:
        mean = {"cells": 2 * _mean_pairs(n, (made.true - n) / 2, (made.pred - n) / 2) + n}
    else:
        true, pred = made.yy + made.yn, made.yy + made.ny
        yy = _mean_pairs(n, true, pred)
        mean = {"yy": yy, "yn": true - yy, "ny": pred - yy, "nn": n * (n - 1) / 2 - true - pred + yy}
    options = options_of(index, use)
    names = names_in(use.formula)
    with np.errstate(all="ignore"):
        fields = {name: options[name] if name in options else mean.get(name) for name in names}
        known = {name: getattr(made, name) if value is None else value for name, value in fields.items()}
        return compute(use.formula, known)


def _mean_pairs(n: Numbers, true: Numbers, pred: Numbers) -> Numbers:
    """Return the mean number of pairs together in both, over permutations."""
    with np.errstate(all="ignore"):
        return true * pred / (n * (n - 1) / 2)


def _score(adjusted: AdjustedIndex, table: CellTable) -> float:
    try:
        return float(adjusted.of(table))
    except (ZeroDivisionError, ClustermarkError):
        return np.nan


def _recompute(adjusted: AdjustedIndex, sample: Sample) -> Numbers:
    values = np.empty(len(sample.multiplicity))
    chosen = sample.multiplicity.copy()
    for place in range(len(values)):
        chosen[place] -= 1
        values[place] = _score(adjusted, sample.take(chosen)) if chosen.any() else np.nan
        chosen[place] += 1
    return values


def _half_sampling(adjusted: AdjustedIndex, sample: Sample, request: IntervalRequest, score: float) -> AdjustedSpread:
    """Return the spread by half-samples, each with its own mean by chance.

    The mean of each half is that of a few random tables. Their error adds to the variance over halves, so it is
    estimated and subtracted.
    """
    units = int(sample.multiplicity.sum())
    if not sample.table.in_memory:
        raise UnsupportedTableError(f"half-sampling {IN_ENGINE}")
    if units < 4:
        raise UnsupportedTableError(f"only {units} {sample.unit}s: too few to draw half of them")
    draws, seed, ordered = request.draws or HALF_SAMPLES, request.seed or 0, sample.sort()
    multiplicity = np.ascontiguousarray(ordered.multiplicity, np.int64)
    found = np.empty((draws, 2))
    for number in range(draws):
        half = ordered.take(_kernel.draw_half(multiplicity, seed, number))
        found[number] = _score_half(adjusted, half, seed, number)
    scores, noise = found.T
    if not np.isfinite(scores).all():
        return AdjustedSpread(inf, 0.0, "half-sampling", None, draws)
    variance = max(float(scores.var(ddof=1)) - float(noise.mean()), 0.0)
    correction = sqrt((units // 2) / (units - units // 2))
    return AdjustedSpread(sqrt(variance) * correction, float(scores.mean()) - score, "half-sampling", None, draws)


def _score_half(adjusted: AdjustedIndex, half: CellTable, seed: int, number: int) -> tuple[float, float]:
    """Return the corrected score of a half, and the variance of its error."""
    index, best = adjusted.index, adjusted.index.best or 0.0
    use = check_permutable(index, half)
    try:
        score = index.strict.of(half)
        if (known := linear_expectation(index, use, half)) is not None:
            mean, error = float(known.mean), 0.0
        else:
            tables = RandomTables(half, seed)
            by_chance = np.array(
                [index.of(tables.draw(RANDOM_TABLES * number + place)) for place in range(RANDOM_TABLES)]
            )
            mean, error = float(by_chance.mean()), float(by_chance.var(ddof=1)) / RANDOM_TABLES
        span = best - mean
        return (score - mean) / span, ((best - score) / span**2) ** 2 * error
    except ZeroDivisionError:
        return np.nan, np.nan
