"""The mean of an index over all permutations of a labeling: exact where that is known, else over random tables."""

from __future__ import annotations

from fractions import Fraction
from itertools import islice, pairwise
from math import comb, isclose, isfinite, sqrt
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clustermark.comparisons.partitions import PARTITIONS
from clustermark.errors import UnsupportedTableError
from clustermark.registry.formulas import compute, names_in
from clustermark.statistics.chance import pair_moments
from clustermark.statistics.information import Entropies, histogram
from clustermark.statistics.pairs import ChancePairs, PairCounts, SquareSums
from clustermark.tables.contingency import Contingency
from clustermark.tables.drawing import RandomTables

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from clustermark.registry.definition import Index, Use

FEW_TABLES = 1_000
"""Up to so many tables of the same cluster sizes are all scored."""


class Expectation(NamedTuple):
    """The mean and the standard deviation of an index over all permutations."""

    mean: Any
    deviation: float
    error: float
    """Standard error of the mean; 0 where it is exact."""
    draws: int | None
    method: str


def check_permutable(index: Index[...], table: Contingency) -> Use:
    """How an index is computed from a table that can be permuted; refuse one that cannot."""
    use = next((use for use in index.uses if use.comparison is PARTITIONS), None)
    if use is None:
        raise UnsupportedTableError(f"{index.name} does not compare partitions, so there is no permutation of it")
    if not table.plain:
        raise UnsupportedTableError(
            f"{index.name} over permutations: points with weights, unscored noise or unmatched items cannot be permuted"
        )
    return use


def expect(index: Index[...], table: Contingency, draws: int, seed: int) -> Expectation:
    """The mean of an index over all permutations of one of the labelings of a table."""
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
    """An index of pairs as a function of the pairs together in both, for the cluster sizes of a table."""
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
    fields = {"cells", "true", "pred"} if statistic is SquareSums else {"yy", "yn", "ny", "nn"}
    if not names <= fields | constants.keys():
        return None
    return at if _holds(at, (table.squares.cells - n) // 2, index.of(table)) else None


def _holds(at: Callable[[Any], Any], place: Any, score: float) -> bool:
    """Whether the formula gives what the code gives, which nobody checks of an index of your own."""
    try:
        return isclose(float(at(place)), score, rel_tol=1e-6, abs_tol=1e-9)
    except ZeroDivisionError:
        return False


def information_at(index: Index[...], use: Use, table: Contingency) -> Callable[[Any], Any] | None:
    """An index of information as a function of the mutual information, for the cluster sizes of a table."""
    names = names_in(use.formula)
    if use.statistic is not Entropies or index.options or not names <= {"true", "pred", "joint", "expected", "n"}:
        return None
    e = Entropies.of(table)
    fixed = {"true": e.true, "pred": e.pred, "n": e.n} | ({"expected": e.expected} if "expected" in names else {})

    def at(mutual: Any) -> Any:
        return compute(use.formula, fixed | {"joint": e.true + e.pred - mutual})

    return at if _holds(at, e.mutual, index.of(table)) else None


def linear_expectation(index: Index[...], use: Use, table: Contingency) -> Expectation | None:
    """The exact mean of an index that grows by the same amount with each pair, or with each bit of information."""
    if (at := pairs_at(index, use, table)) is not None:
        profile = table.profile
        moments = pair_moments(histogram(profile.true_sizes), histogram(profile.pred_sizes))
        line = _line(at, [Fraction(moments.mean + step * (step + 1)) for step in range(7)])
        mean, variance = at(moments.mean) if line is not None else None, float(moments.variance)
    elif (at := information_at(index, use, table)) is not None:
        e = Entropies.of(table)
        line = _line(at, [e.expected * (1 + step * (step + 1) / 64) for step in range(7)])
        mean, spread = at(e.expected) if line is not None else None, e.variance
        variance = -1.0 if spread is None else spread
    else:
        return None
    if line is None or variance < 0:  # of information it can take too long
        return None
    return Expectation(mean, abs(line) * sqrt(variance), 0.0, None, "exact")


def _line(at: Callable[[Any], Any], places: list[Any]) -> float | None:
    """The slope of a function that is a straight line, None for any other.

    Formulas are ratios of short polynomials: one that agrees with a line in seven places is that line.
    """
    try:
        values = [at(place) for place in places]
        slopes = [(y - x) / (b - a) for (x, y), (a, b) in zip(pairwise(values), pairwise(places), strict=True)]
    except (ZeroDivisionError, TypeError, ValueError):
        return None
    if not all(isfinite(float(slope)) for slope in slopes):
        return None
    first = float(slopes[0])
    return first if all(abs(float(slope) - first) <= 1e-9 * max(abs(first), 1e-12) for slope in slopes) else None


def count_tables(table: Contingency, most: int) -> int | None:
    """How many tables have the cluster sizes of this one; None where they are more than `most`."""
    if table.n_true_clusters > 40 or table.n_pred_clusters > 40:
        return None
    number = sum(1 for _ in islice(_tables(table), most + 1))
    return number if number <= most else None


def _enumerate(index: Index[...], table: Contingency) -> Expectation:
    """The mean over all tables of these cluster sizes, each as likely as permutations make it."""
    mean, square, total = Fraction(0), 0.0, 0
    for rows, weight in _tables(table):
        one = Contingency.from_matrix([[*row] for row in rows])
        score: Any = index.exact(one) if index.rational and isfinite(index.of(one)) else index.of(one)
        mean, square, total = mean + weight * score, square + weight * float(score) ** 2, total + weight
    mean = mean / total
    variance = max(square / total - float(mean) ** 2, 0.0)
    return Expectation(mean, sqrt(variance), 0.0, None, "exact")


def _tables(table: Contingency) -> Iterator[tuple[tuple[tuple[int, ...], ...], int]]:
    """All tables of these cluster sizes, and how many permutations give each, but for a common factor."""
    rows, columns = (
        [row.size for row in side for _ in range(row.clusters)]
        for side in (table.profile.true_sizes, table.profile.pred_sizes)
    )

    def fill(place: int, left: tuple[int, ...]) -> Iterator[tuple[tuple[tuple[int, ...], ...], int]]:
        if place == len(rows):
            yield (), 1
            return
        for row, weight in _rows(rows[place], left):
            for rest, more in fill(place + 1, tuple(a - b for a, b in zip(left, row, strict=True))):
                yield (row, *rest), weight * more

    return fill(0, tuple(columns))


def _rows(size: int, left: tuple[int, ...]) -> Iterator[tuple[tuple[int, ...], int]]:
    """The ways to take so many points from columns, and how many choices of points each is."""
    if len(left) == 1:
        if size <= left[0]:
            yield (size,), comb(left[0], size)
        return
    for n in range(max(0, size - sum(left[1:])), min(size, left[0]) + 1):
        for rest, weight in _rows(size - n, left[1:]):
            yield (n, *rest), comb(left[0], n) * weight
