"""Tests against chance: random tables with the same cluster sizes, exact moments, and several tests at once."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from math import isfinite, sqrt
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeVar

import numpy as np

from clustermark.errors import InputError, UnsupportedTableError, require_whole
from clustermark.registry import index_of
from clustermark.registry.adjustment import check_permutable, information_at, linear_expectation, pairs_at
from clustermark.results.data import Column, Table
from clustermark.results.document import SUMMARY, Document, Grid, Head, Notes, Section
from clustermark.results.result import Result
from clustermark.statistics.chance import pair_moments, pearson_tail
from clustermark.statistics.information import Entropies, histogram
from clustermark.tables.contingency import Contingency
from clustermark.tables.drawn_tables import RandomTables
from clustermark.uncertainty.all_tables import (
    MOST_OF_TWO,
    MOST_TABLES,
    AllTables,
    find_all_tables,
    is_two_by_two,
    tail_of_two,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from clustermark.registry import Index
    from clustermark.results.data import Columns
    from clustermark.results.document import Body, View


DRAWS = 9_999
_FEWEST_DRAWS = 199
_FEWEST_ASKED = 10
_ENOUGH = 100
"""Drawing of large tables stops after this many that score at least as well (Besag & Clifford 1991).

With fewer, the size of the test would depend on the seed: for given cluster sizes the critical value is a quantile of
the same few tables for everybody.
"""
_WORK_OF_ALL = 10**8
"""If all draws cost less than this many points or cells, about 0.2 seconds, drawing does not stop early."""
_BATCH = 250
_WORK_OF_PAIRS, _WORK_OF_TABLES = 10**9, 2 * 10**8
"""Numbers of points or cells that are drawn in seconds; larger tables are drawn less often."""
_MOST_POINTS = 1 << 31


@dataclass(frozen=True, repr=False)
class ChanceTest(Result):
    """Probability that chance alone gives a score as good, for labelings with these cluster sizes."""

    KIND: ClassVar[str] = "chance_test"
    FACTS: ClassVar[Columns] = {}
    TABLES: ClassVar[dict[str, Columns]] = {
        "tests": {
            "index": Column("name"),
            "score": Column("score"),
            "p_value": Column("p"),
            "null_mean": Column("number", doc="the mean score of random tables"),
            "null_sd": Column("number"),
            "draws": Column("count"),
            "exceedances": Column("count", doc="random tables that score at least as well"),
            "approximate_p": Column("p", optional=True),
            "p_low": Column("p", optional=True, doc="the Monte Carlo error of p: 95 % limits of p by all tables"),
            "p_high": Column("p", optional=True),
            "method": Column("text"),
            "notes": Column("texts"),
            "seed": Column("number"),
        }
    }
    MAIN: ClassVar[str] = "tests"

    index: str
    score: float
    p_value: float
    null_mean: float
    """The mean of the score over all random tables if that is known, else over those drawn."""
    null_sd: float
    draws: int
    """Number of random tables from which the p-value is computed."""
    exceedances: int
    """Number of these that score at least as well."""
    approximate_p: float | None
    """p-value by a distribution with the exact first three moments (Pearson III), for indices of pairs; it can be
    smaller than a p-value of random tables."""
    method: str
    notes: tuple[str, ...] = ()
    seed: int = 0
    p_low: float | None = None
    """Lower 95 % limit of the p-value by all tables, if random ones were drawn."""
    p_high: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return all fields as plain values."""
        return asdict(self) | {"notes": list(self.notes)}

    def _export_columns(self) -> dict[str, list[Any]]:
        return {name: ["; ".join(value) if name == "notes" else value] for name, value in self.to_dict().items()}

    def facts(self) -> dict[str, Any]:
        """Return no facts: the test is a table."""
        return {}

    def tables(self) -> dict[str, Table]:
        """Return the test as a table of one row."""
        return {"tests": Table(self.TABLES["tests"], [self])}

    def document(self, view: View = SUMMARY) -> Document:  # noqa: ARG002
        """Return the document of text, notebook, Markdown, LaTeX and page."""
        title = f"Test of {self.index} against chance"
        how = f"{title} by {self.method}" + (f", {self.draws:,} drawn" if self.draws else "")
        return Document(title, how, [Section("test", title, self._bodies, level="summary")])

    def _bodies(self) -> list[Body]:
        heads = [
            Head("index", "name"),
            Head("score", "score"),
            Head("p", "p"),
            Head("mean by chance", "number"),
            Head("standard deviation", "number"),
        ]
        grid = Grid(heads, [[self.index, self.score, self.p_value, self.null_mean, self.null_sd]], "Chance")
        return [grid, *([Notes([f"note: {note}" for note in self.notes])] if self.notes else [])]


def chance_test(table: Contingency, index: str | Index[...], *, draws: int | None = None, seed: int = 0) -> ChanceTest:
    """Test whether a score is better than chance, among all labelings with the same cluster sizes.

    draws: the number of random tables. By default all tables are enumerated if there are few, else 9,999 are drawn, and
        fewer of large tables, where drawing stops once 100 of them score at least as well. All indices of pairs have
        the same p-value.

    >>> from clustermark import crosstab
    >>> test = chance_test(crosstab([0] * 6 + [1] * 6, [0] * 5 + [1] + [0] * 2 + [1] * 4), "adjusted_rand")
    >>> round(test.p_value, 6), test.null_mean  # 8/33
    (0.242424, 0.0)
    """
    wanted = index_of(index)
    if not isinstance(table, Contingency):
        raise InputError("a test is made of a table from crosstab(y_true, y_pred); labels go to evaluate")
    for name, value, least in (("draws", draws, _FEWEST_ASKED), ("seed", seed, 0)):
        if value is not None:
            require_whole(name, value, least)
    use = check_permutable(wanted, table)
    if wanted.higher_is_better is None:
        raise UnsupportedTableError(f"{wanted.name} has no better and worse, so nothing to test")
    if _rises_with_pairs(wanted, table):
        return _test_pairs(wanted, table, draws, seed)
    if table.n_used > _MOST_POINTS:
        raise UnsupportedTableError(f"{wanted.name}: too many points to draw random tables; test an index of pairs")
    if use.statistic is Entropies:
        return _test_information(wanted, table, draws, seed)
    return _test_scores(wanted, table, draws, seed)


def _rises_with_pairs(index: Index[...], table: Contingency) -> bool:
    """Return whether an index improves with the pairs together in both labelings, for the cluster sizes of a table."""
    if (at := pairs_at(index, check_permutable(index, table), table)) is None:
        return False
    n, _, true, pred = table.squares
    fewest = max(0, (true + pred - n * (n + 1)) // 2)
    with np.errstate(all="ignore"):
        scores = np.asarray(at(np.linspace(float(fewest), float((min(true, pred) - n) // 2), 64)), np.float64)
    scores = scores[np.isfinite(scores)] * (1 if index.higher_is_better else -1)
    return bool((np.diff(scores) >= -1e-12 * np.abs(scores).max(initial=0.0)).all())


class _Count(NamedTuple):
    """Counts of random tables."""

    p_value: float
    draws: int
    exceedances: int
    values: NDArray[Any]
    """All values that were drawn, including those after the count ended."""
    limits: tuple[float, float]
    """95 % limits of the p-value by all tables."""


class _Plan(NamedTuple):
    """How many random tables are drawn."""

    most: int
    enough: int | None
    """Drawing stops after this many that score as well; None if all are drawn."""


def _count(draw: Callable[[int, int], NDArray[Any]], reached: Callable[[NDArray[Any]], Any], plan: _Plan) -> _Count:
    """Draw all tables: p = (count + 1) / (n + 1); or until enough values reach the observed one: p = enough / n."""
    values: list[NDArray[Any]] = []
    seen = 0
    hits = np.zeros(0, np.int64)
    while seen < plan.most and (plan.enough is None or len(hits) < plan.enough):
        batch = draw(seen, min(_BATCH * max(1, seen // _BATCH), plan.most - seen))
        hits = np.append(hits, seen + np.flatnonzero(reached(batch)))
        values.append(batch)
        seen += len(batch)
    drawn = np.concatenate(values)
    if plan.enough is not None and len(hits) >= plan.enough:
        n = int(hits[plan.enough - 1]) + 1
        limits = _monte_carlo_limits(plan.enough, n)[0], _monte_carlo_limits(plan.enough - 1, n - 1)[1]
        return _Count(plan.enough / n, n, plan.enough, drawn, limits)  # the last draw always reaches the value
    return _Count((len(hits) + 1) / (seen + 1), seen, len(hits), drawn, _monte_carlo_limits(len(hits), seen))


def _monte_carlo_limits(hits: int, draws: int) -> tuple[float, float]:
    """Return Clopper and Pearson's 95 % limits of a probability, from this many hits.

    After drawing until a given number of hits, the upper limit is that of one hit and one draw less.
    """
    from scipy.special import betaincinv

    low = float(betaincinv(hits, draws - hits + 1, 0.025)) if hits else 0.0
    return low, float(betaincinv(hits + 1, draws - hits, 0.975)) if hits < draws else 1.0


def _plan(table: Contingency, draws: int | None, work: int) -> _Plan:
    if draws is not None:
        return _Plan(draws, None)
    each = max(min(table.n_used, 32 * table.n_true_clusters * table.n_pred_clusters), 2_000)
    most = max(_FEWEST_DRAWS, min(DRAWS, work // each))
    return _Plan(most, None if DRAWS * each <= _WORK_OF_ALL * work // _WORK_OF_PAIRS else _ENOUGH)


def _test_pairs(index: Index[...], table: Contingency, draws: int | None, seed: int) -> ChanceTest:
    """Test by the pairs together in both labelings: for given cluster sizes every index of pairs rises with them."""
    profile = table.profile
    moments = pair_moments(histogram(profile.true_sizes), histogram(profile.pred_sizes))
    _refuse_unchanging(index, moments.variance)
    n, cells, *_ = table.squares
    together = (cells - n) // 2
    deviation = sqrt(moments.variance)
    tail = pearson_tail(float(together - moments.mean) / deviation, float(moments.third) / deviation**3)
    spread = _moments(index, table, np.array([float(moments.mean)]))
    if draws is None and is_two_by_two(table) and min(_smallest(table)) > MOST_OF_TWO:
        p = max(tail_of_two(table), 1e-300)  # a p-value is never 0
        return ChanceTest(index.label, index.of(table), p, *spread, 0, 0, tail, _TWO, _tiny(p), seed)
    if n > _MOST_POINTS:
        p = max(tail, 1e-300)
        note = ("too many points to draw random tables", *_tiny(p))
        return ChanceTest(index.label, index.of(table), p, *spread, 0, 0, p, "Pearson III alone", note, seed)
    if draws is None and (tables := find_all_tables(table, _most_tables(table))) is not None:
        p = float(tables.shares[tables.pairs >= together].sum())
        return _exact(index, table, p, _moments(index, table, tables.pairs, tables.shares), tail, tables)
    plan = _plan(table, draws, _WORK_OF_PAIRS)
    count = _count(RandomTables(table, seed).pairs, lambda pairs: pairs >= together, plan)
    return _result(index, table, count, _moments(index, table, count.values), tail, seed)


_TWO = "the normal limit of the hypergeometric distribution"


def _tiny(p: float) -> tuple[str, ...]:
    return () if p > 1e-300 else ("p is below 1e-300",)


def _smallest(table: Contingency) -> tuple[int, int]:
    """Return the size of the smallest cluster of each side."""
    profile = table.profile
    return min(row.size for row in profile.true_sizes), min(row.size for row in profile.pred_sizes)


def _most_tables(table: Contingency) -> int:
    return MOST_OF_TWO + 1 if is_two_by_two(table) else MOST_TABLES


def _exact(
    index: Index[...],
    table: Contingency,
    p_value: float,
    moments: tuple[float, float],
    tail: float | None,
    tables: AllTables,
) -> ChanceTest:
    """Return the result of a test by all tables."""
    method = f"enumeration of all {len(tables.cells):,} tables with the same cluster sizes"
    return ChanceTest(index.label, index.of(table), min(p_value, 1.0), *moments, 0, 0, tail, method)


def _test_information(index: Index[...], table: Contingency, draws: int | None, seed: int) -> ChanceTest:
    """Test by mutual information, with which every index of information rises or falls for given cluster sizes."""
    entropies = Entropies.of(table)
    _refuse_unchanging(index, not entropies.fixed)
    near = entropies.mutual - 1e-11 * (1 + entropies.mutual)  # ties that rounding hides
    if draws is None and (tables := find_all_tables(table, _most_tables(table))) is not None:
        shared = tables.information(entropies)
        p = float(tables.shares[shared >= near].sum())
        return _exact(index, table, p, _moments(index, table, shared, tables.shares), None, tables)
    plan = _plan(table, draws, _WORK_OF_PAIRS)
    count = _count(lambda first, samples: entropies.sample(samples, seed, first), lambda mutual: mutual >= near, plan)
    return _result(index, table, count, _moments(index, table, count.values), None, seed)


def _moments(
    index: Index[...], table: Contingency, values: NDArray[Any], shares: NDArray[np.float64] | None = None
) -> tuple[float, float]:
    """Return the mean and standard deviation of an index: exact, or from numbers of pairs or information.

    values: drawn numbers, or with `shares`, those of all tables.
    """
    use = check_permutable(index, table)
    if (known := linear_expectation(index, use, table)) is not None:
        return float(known.mean), known.deviation
    at = pairs_at(index, use, table) or information_at(index, use, table)
    if at is None or len(values) < 2:
        return float("nan"), float("nan")
    with np.errstate(all="ignore"):
        scores = np.asarray(at(values.astype(np.float64)), np.float64)
    return _mean_and_sd(scores, shares)


def _mean_and_sd(scores: NDArray[np.float64], shares: NDArray[np.float64] | None) -> tuple[float, float]:
    """Return the mean and standard deviation of the scores that are defined."""
    known = np.isfinite(scores)
    if shares is None:
        return float(scores[known].mean()), float(scores[known].std(ddof=1))
    weights = shares[known] / shares[known].sum()
    mean = float(weights @ scores[known])
    return mean, sqrt(max(float(weights @ (scores[known] - mean) ** 2), 0.0))


def _test_scores(index: Index[...], table: Contingency, draws: int | None, seed: int) -> ChanceTest:
    score = index.of(table)
    sign = 1 if index.higher_is_better else -1
    near = 1e-12 * max(1.0, abs(score)) if isfinite(score) else 0.0  # ties that rounding hides
    if draws is None and (tables := find_all_tables(table, DRAWS)) is not None:
        scores = np.array([index.of(Contingency.from_matrix(cells.reshape(tables.shape))) for cells in tables.cells])
        with np.errstate(invalid="ignore"):
            _refuse_unchanging(index, (np.abs(scores - score) > near).any())
        p = float(tables.shares[sign * scores >= sign * score - near].sum())
        return _exact(index, table, p, _mean_and_sd(scores, tables.shares), None, tables)
    random = RandomTables(table, seed)

    def draw(first: int, samples: int) -> NDArray[np.float64]:
        return np.array([index.of(random.draw(number)) for number in range(first, first + samples)])

    plan = _plan(table, draws, _WORK_OF_TABLES)
    count = _count(draw, lambda scores: sign * scores >= sign * score - near, plan)
    with np.errstate(invalid="ignore"):
        _refuse_unchanging(index, (np.abs(count.values - score) > near).any())
    return _result(index, table, count, _mean_and_sd(count.values, None), None, seed)


def _refuse_unchanging(index: Index[...], spread: Any) -> None:
    if not spread:
        raise UnsupportedTableError(f"{index.name}: no permutation changes it, so there is nothing to test")


def _result(
    index: Index[...],
    table: Contingency,
    count: _Count,
    moments: tuple[float, float],
    tail: float | None,
    seed: int,
) -> ChanceTest:
    notes = []
    if count.exceedances == 0:
        notes.append("no random table scored as well: the p-value is the smallest that this number of tables can give")
        if tail is not None:
            notes.append(f"Pearson III: p ≈ {tail:.2g}" if tail > 0 else "Pearson III: p below 1e-300")
    low, high = count.limits
    notes.append(f"Monte Carlo error: by all tables p lies between {low:.2g} and {high:.2g} (95 %)")
    method = "random tables with the same cluster sizes"
    p, draws, hits = count.p_value, count.draws, count.exceedances
    return ChanceTest(
        index.label, index.of(table), p, *moments, draws, hits, tail, method, tuple(notes), seed, *count.limits
    )


Method = TypeVar("Method")


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Return the p-values of several tests, adjusted for their number (Holm 1979); None stands for no test.

    >>> holm([0.01, 0.04, 0.03, None])
    [0.03, 0.06, 0.06, None]
    """
    made = sorted((p, place) for place, p in enumerate(p_values) if p is not None)
    adjusted: list[float | None] = [None] * len(p_values)
    least = 0.0
    for number, (p, place) in enumerate(made):
        least = max(least, min(1.0, (len(made) - number) * p))
        adjusted[place] = least
    return adjusted


def rank_limits(order: Sequence[Method], apart: Mapping[tuple[Method, Method], bool]) -> dict[Method, tuple[int, int]]:
    """Return the best and the worst rank that each method may have.

    order: the methods, the best first; apart: whether two methods differ, for each pair in that order.

    >>> rank_limits("abc", {("a", "b"): False, ("a", "c"): True, ("b", "c"): False})
    {'a': (1, 2), 'b': (1, 3), 'c': (2, 3)}
    """
    ranks = {}
    for place, method in enumerate(order):
        better = sum(apart[other, method] for other in order[:place])
        worse = sum(apart[method, other] for other in order[place + 1 :])
        ranks[method] = (1 + better, len(order) - worse)
    return ranks
