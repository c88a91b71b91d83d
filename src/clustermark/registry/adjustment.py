"""Indices corrected for chance: (score - mean) / (best - mean), with the mean over all permutations of a labeling.

The mean is exact where it is known, or where few tables have the cluster sizes; else it is that of random tables.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import chain, islice
from math import isclose, isfinite, perm, sqrt
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from clustermark.errors import InputError, UndefinedIndexError, UnsupportedTableError, require_whole
from clustermark.registry.formulas import compute, names_in
from clustermark.statistics.chance import pair_moments
from clustermark.statistics.information import Entropies, histogram
from clustermark.statistics.pairs import ChancePairs, PairCounts, SquareSums
from clustermark.subjects.subject import PARTITIONS
from clustermark.tables.contingency import Contingency
from clustermark.tables.drawn_tables import RandomTables
from clustermark.tables.tabulation import crosstab

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from clustermark.registry.definition import Index
    from clustermark.registry.facts import Use


DRAWS = 1_000


class AdjustedScore(float):
    """A corrected score, with the details of its correction."""

    score: float
    """Score of the index itself."""
    expected: float
    """The mean of the score over permutations."""
    standard_error: float
    """Standard error of the corrected score if the mean is that of random tables; 0 if it is exact."""
    exact: Fraction | None
    """The corrected score as a fraction, if score and mean are exact."""
    draws: int | None
    method: str
    """"exact" or "random tables"."""
    seed: int | None


class AdjustedIndex:
    """An index corrected for chance: call it on labels, or take `.of(table)`."""

    def __init__(self, index: Index[...], model: str, draws: int, seed: int) -> None:
        if model != "permutation":
            raise InputError(f"model={model!r} is not known; choose 'permutation'")
        require_whole("draws", draws, 20)
        require_whole("seed", seed, 0)
        if index.best is None or not isfinite(index.best):
            raise InputError(f"{index.name} has no best value, so it cannot be corrected for chance")
        self.index, self.model, self.draws, self.seed = index, model, draws, seed

    @property
    def label(self) -> str:
        """The expression that makes this index: that of the uncorrected index and `.adjust()`."""
        return f"{self.index.label}.adjust()"

    def __repr__(self) -> str:
        return f"<index {self.label}>"

    def __call__(self, y_true: Any, y_pred: Any) -> AdjustedScore:
        """Return the corrected score of two labelings."""
        return self.of(crosstab(y_true, y_pred))

    def of(self, table: Contingency) -> AdjustedScore:
        """Return the corrected score of a table."""
        check_permutable(self.index, table)
        best, score = self.index.best, self.index.of(table)
        expected = expect(self.index, table, self.draws, self.seed)
        if not isfinite(expected.mean):
            raise UndefinedIndexError(f"{self.label} is undefined: its mean over permutations is {expected.mean}")
        span = (best or 0.0) - float(expected.mean)
        if abs(span) < 1e-14:
            raise UndefinedIndexError(f"{self.label} is undefined: every permutation scores best")
        exact = self._exact(table, expected.mean)
        adjusted = AdjustedScore((score - float(expected.mean)) / span if exact is None else exact)
        adjusted.score, adjusted.expected = score, float(expected.mean)
        adjusted.standard_error = abs((best or 0.0) - score) / span**2 * expected.error
        adjusted.exact = exact
        adjusted.draws, adjusted.method = expected.draws, expected.method
        adjusted.seed = None if expected.draws is None else self.seed
        return adjusted

    def _exact(self, table: Contingency, mean: Any) -> Fraction | None:
        if not isinstance(mean, Fraction) or not self.index.rational:
            return None
        best = Fraction(self.index.best or 0)
        return (self.index.exact(table) - mean) / (best - mean)


FEW_TABLES = 1_000
"""If there are at most this many tables with the cluster sizes, all of them are scored."""


class Expectation(NamedTuple):
    """The mean and the standard deviation of an index over all permutations."""

    mean: Any
    deviation: float
    error: float
    """Standard error of the mean; 0 where it is exact."""
    draws: int | None
    method: str


def check_permutable(index: Index[...], table: Contingency) -> Use:
    """Return the computation of an index from a table; raise if its points cannot be permuted."""
    use = next((use for use in index.uses if use.comparison is PARTITIONS), None)
    if use is None:
        raise UnsupportedTableError(f"{index.name} does not compare partitions, so there is no permutation of it")
    if not table.plain:
        raise UnsupportedTableError(
            f"{index.name} over permutations: points with weights, unscored noise or unmatched items cannot be permuted"
        )
    return use


def expect(index: Index[...], table: Contingency, draws: int, seed: int) -> Expectation:
    """Return the mean of an index over all permutations of one of the labelings of a table."""
    use = check_permutable(index, table)
    known = linear_expectation(index, use, table)
    if known is None and count_tables(table, FEW_TABLES) is not None:
        known = _enumerate(index, table)
    if known is not None:
        return known
    tables = RandomTables(table, seed)
    scores = np.array([index.of(tables.draw(number)) for number in range(draws)])
    deviation = float(scores.std(ddof=1))
    return Expectation(float(scores.mean()), deviation, deviation / sqrt(draws), draws, "random tables")


def pairs_at(index: Index[...], use: Use, table: Contingency) -> Callable[[Any], Any] | None:
    """Return an index of pairs as a function of the pairs together in both, for the cluster sizes of a table."""
    statistic: Any = use.statistic
    if statistic not in (PairCounts, ChancePairs, SquareSums):
        return None
    options = (use.function.__kwdefaults__ or {}) | index.options
    n, _, true, pred = table.squares
    all_pairs, in_true, in_pred = n * (n - 1) // 2, (true - n) // 2, (pred - n) // 2
    names = names_in(use.formula)
    if not index.options.keys() <= names:
        return None

    def at(yy: Any) -> Any:
        fields = {"yy": yy, "yn": in_true - yy, "ny": in_pred - yy, "nn": all_pairs - in_true - in_pred + yy}
        if statistic is SquareSums:
            fields = {"cells": 2 * yy + n, "true": true + 0 * yy, "pred": pred + 0 * yy}
        return compute(use.formula, {name: fields[name] if name in fields else constants[name] for name in names})

    constants = {"n": n, "k_true": table.n_true_clusters, "k_pred": table.n_pred_clusters} | options
    if statistic is ChancePairs:  # fields that depend on cluster sizes only
        constants |= {name: getattr(ChancePairs.of(table), name) for name in names & {"variance", "own_variances"}}
    fields = {"cells", "true", "pred"} if statistic is SquareSums else {"yy", "yn", "ny", "nn"}
    if not names <= fields | constants.keys():
        return None
    return at if _holds(at, (table.squares.cells - n) // 2, index.of(table)) else None


def _holds(at: Callable[[Any], Any], place: Any, score: float) -> bool:
    """Return whether the formula gives the score of the code, which no test checks for indices of users."""
    try:
        with np.errstate(all="ignore"):
            return isclose(float(at(place)), score, rel_tol=1e-6, abs_tol=1e-9)
    except (ZeroDivisionError, TypeError, ValueError):
        return False


def information_at(index: Index[...], use: Use, table: Contingency) -> Callable[[Any], Any] | None:
    """Return an index of information as a function of the mutual information, for the cluster sizes of a table."""
    names, options = names_in(use.formula), (use.function.__kwdefaults__ or {}) | index.options
    fields = {"true", "pred", "n", "expected", "variance"}
    if use.statistic is not Entropies or not index.options.keys() <= names <= fields | {"joint"} | options.keys():
        return None
    e = Entropies.of(table)
    fixed = options | {name: getattr(e, name) for name in names & fields}
    if fixed.get("variance", 0.0) is None:  # it would take too long
        return None

    def at(mutual: Any) -> Any:
        return compute(use.formula, fixed | {"joint": e.true + e.pred - mutual})

    return at if _holds(at, e.mutual, index.of(table)) else None


def linear_expectation(index: Index[...], use: Use, table: Contingency) -> Expectation | None:
    """Return the exact mean of an index that is linear in the pairs together or the mutual information, else None."""
    if (at := pairs_at(index, use, table)) is not None:
        profile = table.profile
        moments = pair_moments(histogram(profile.true_sizes), histogram(profile.pred_sizes))
        n, _, true, pred = table.squares
        in_true, in_pred = (true - n) // 2, (pred - n) // 2
        fewest = max(0, in_true + in_pred - n * (n - 1) // 2)
        line = _line(at, Fraction(fewest), Fraction(min(in_true, in_pred)))
        mean, variance = at(moments.mean) if line is not None else None, float(moments.variance)
    elif (at := information_at(index, use, table)) is not None:
        e = Entropies.of(table)
        line = _line(at, 0.0, min(e.true, e.pred))
        mean, spread = at(e.expected) if line is not None else None, e.variance
        variance = -1.0 if spread is None else spread
    else:
        return None
    if line is None or variance < 0:  # the variance of information can take too long
        return None
    return Expectation(mean, abs(line) * sqrt(variance), 0.0, None, "exact")


def _line(at: Callable[[Any], Any], low: Any, high: Any) -> float | None:
    """Return the slope of a function that is linear between two places; None if it is not linear.

    Formulas are ratios of short polynomials: one that agrees with a line in seven places is that line. With fractions
    the comparison is exact, unless the formula has roots.
    """
    places = [low + (high - low) * step * (step + 1) / 57 for step in range(1, 8)]
    try:
        with np.errstate(all="ignore"):
            values = [at(place) for place in places]
            slope = (values[-1] - values[0]) / (places[-1] - places[0])
            line = [values[0] + slope * (place - places[0]) for place in places]
            exact = all(isinstance(value, int | Fraction) for value in values)
            near = 0 if exact else 1e-12 * max(abs(value) for value in values)
            straight = all(abs(value - on) <= near for value, on in zip(values, line, strict=True))
    except (ZeroDivisionError, TypeError, ValueError):  # a root of a negative number is complex
        return None
    return float(slope) if straight else None


def count_tables(table: Contingency, most: int) -> int | None:
    """Count the tables with the cluster sizes of this one; return None if there are more than `most`."""
    if table.n_true_clusters > 40 or table.n_pred_clusters > 40:
        return None
    number = sum(1 for _ in islice(_tables(table), most + 1))
    return number if number <= most else None


def _enumerate(index: Index[...], table: Contingency) -> Expectation:
    """Return the mean over all tables of these cluster sizes, weighted by their probabilities under permutation."""
    tables = list(_tables(table))
    weights = [_ways(rows, tables[0]) for rows in tables]
    total = sum(weights)
    shares = [weight / total for weight in weights]
    scores: list[Any] = []
    for rows in tables:
        one = Contingency.from_matrix([[*row] for row in rows])
        scores.append(index.exact(one) if index.rational and isfinite(index.of(one)) else index.of(one))
    mean = sum(share * score for share, score in zip(shares, scores, strict=True))
    square = sum(float(share) * float(score) ** 2 for share, score in zip(shares, scores, strict=True))
    variance = max(square - float(mean) ** 2, 0.0)
    return Expectation(mean, sqrt(variance), 0.0, None, "exact")


_Rows: TypeAlias = tuple[tuple[int, ...], ...]


def _ways(rows: _Rows, others: _Rows) -> Fraction:
    """Return the ratio of the numbers of permutations that give a table and another: a ratio of factorials of cells.

    Factorials are divided cell by cell, because they can have millions of digits.
    """
    above = below = 1
    for own, other in zip(chain(*rows), chain(*others), strict=True):
        above *= perm(other, max(other - own, 0))
        below *= perm(own, max(own - other, 0))
    return Fraction(above, below)


def _tables(table: Contingency) -> Iterator[_Rows]:
    """Return an iterator over all tables of these cluster sizes."""
    rows, columns = (
        [row.size for row in side for _ in range(row.clusters)]
        for side in (table.profile.true_sizes, table.profile.pred_sizes)
    )

    def fill(place: int, left: tuple[int, ...]) -> Iterator[_Rows]:
        if place == len(rows):
            yield ()
            return
        for row in _rows(rows[place], left):
            for rest in fill(place + 1, tuple(a - b for a, b in zip(left, row, strict=True))):
                yield (row, *rest)

    return fill(0, tuple(columns))


def _rows(size: int, left: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """Yield the ways to take this number of points from columns."""
    if len(left) == 1:
        if size <= left[0]:
            yield (size,)
        return
    for n in range(max(0, size - sum(left[1:])), min(size, left[0]) + 1):
        for rest in _rows(size - n, left[1:]):
            yield (n, *rest)
