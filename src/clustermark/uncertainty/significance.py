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

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from clustermark.registry import Index
    from clustermark.results.data import Columns
    from clustermark.results.document import Body, View


DRAWS = 9_999
_FEWEST_DRAWS = 199
_ENOUGH = 10
"""Drawing stops after this many random tables that score at least as well (Besag & Clifford 1991)."""
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
    """Test whether a score is better than chance, by random tables with the same cluster sizes.

    draws: the most random tables, by default 9,999, and fewer for large tables. Drawing stops once ten of them score at
        least as well. All indices of pairs have the same p-value.

    >>> from clustermark import crosstab
    >>> test = chance_test(crosstab([0] * 6 + [1] * 6, [0] * 5 + [1] + [0] * 2 + [1] * 4), "adjusted_rand")
    >>> 0.1 < test.p_value < 0.5, test.null_mean
    (True, 0.0)
    """
    wanted = index_of(index)
    if not isinstance(table, Contingency):
        raise InputError("a test is made of a table from crosstab(y_true, y_pred); labels go to evaluate")
    for name, value, least in (("draws", draws, _ENOUGH), ("seed", seed, 0)):
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


def _count(draw: Callable[[int, int], NDArray[Any]], reached: Callable[[NDArray[Any]], Any], most: int) -> _Count:
    """Draw until ten values have reached the observed one: p = 10 / n then, else (count + 1) / (n + 1)."""
    values: list[NDArray[Any]] = []
    seen = 0
    hits = np.zeros(0, np.int64)
    while seen < most and len(hits) < _ENOUGH:
        batch = draw(seen, min(_BATCH * max(1, seen // _BATCH), most - seen))
        hits = np.append(hits, seen + np.flatnonzero(reached(batch)))
        values.append(batch)
        seen += len(batch)
    drawn = np.concatenate(values)
    if len(hits) >= _ENOUGH:
        n = int(hits[_ENOUGH - 1]) + 1
        return _Count(_ENOUGH / n, n, _ENOUGH, drawn)
    return _Count((len(hits) + 1) / (seen + 1), seen, len(hits), drawn)


def _most_draws(table: Contingency, draws: int | None, work: int) -> int:
    if draws is not None:
        return draws
    cells = 32 * table.n_true_clusters * table.n_pred_clusters
    return max(_FEWEST_DRAWS, min(DRAWS, work // max(min(table.n_used, cells), 2_000)))


def _test_pairs(index: Index[...], table: Contingency, draws: int | None, seed: int) -> ChanceTest:
    """Test by the pairs together in both labelings: for given cluster sizes every index of pairs rises with them."""
    profile = table.profile
    moments = pair_moments(histogram(profile.true_sizes), histogram(profile.pred_sizes))
    _refuse_unchanging(index, moments.variance)
    n, cells, *_ = table.squares
    together = (cells - n) // 2
    deviation = sqrt(moments.variance)
    tail = pearson_tail(float(together - moments.mean) / deviation, float(moments.third) / deviation**3)
    if n > _MOST_POINTS:
        note = ("too many points to draw random tables", *(() if tail > 0 else ("p is below 1e-300",)))
        tail = max(tail, 1e-300)  # a p-value is never 0
        spread = _moments(index, table, np.array([float(moments.mean)]))
        return ChanceTest(index.label, index.of(table), tail, *spread, 0, 0, tail, "Pearson III alone", note, seed)
    most = _most_draws(table, draws, _WORK_OF_PAIRS)
    count = _count(RandomTables(table, seed).pairs, lambda pairs: pairs >= together, most)
    return _result(index, table, count, _moments(index, table, count.values), tail, seed)


def _test_information(index: Index[...], table: Contingency, draws: int | None, seed: int) -> ChanceTest:
    """Test by mutual information, with which every index of information rises or falls for given cluster sizes."""
    entropies = Entropies.of(table)
    _refuse_unchanging(index, not entropies.fixed)
    near = entropies.mutual - 1e-11 * (1 + entropies.mutual)  # ties that rounding hides
    most = _most_draws(table, draws, _WORK_OF_PAIRS)
    count = _count(lambda first, samples: entropies.sample(samples, seed, first), lambda mutual: mutual >= near, most)
    return _result(index, table, count, _moments(index, table, count.values), None, seed)


def _moments(index: Index[...], table: Contingency, values: NDArray[Any]) -> tuple[float, float]:
    """Return the mean and standard deviation of an index: exact, or from drawn numbers of pairs or information."""
    use = check_permutable(index, table)
    if (known := linear_expectation(index, use, table)) is not None:
        return float(known.mean), known.deviation
    at = pairs_at(index, use, table) or information_at(index, use, table)
    if at is None or len(values) < 2:
        return float("nan"), float("nan")
    with np.errstate(all="ignore"):
        scores = np.asarray(at(values.astype(np.float64)), np.float64)
    scores = scores[np.isfinite(scores)]
    return float(scores.mean()), float(scores.std(ddof=1))


def _test_scores(index: Index[...], table: Contingency, draws: int | None, seed: int) -> ChanceTest:
    score = index.of(table)
    tables = RandomTables(table, seed)
    sign = 1 if index.higher_is_better else -1
    near = 1e-12 * max(1.0, abs(score)) if isfinite(score) else 0.0  # ties that rounding hides

    def draw(first: int, samples: int) -> NDArray[np.float64]:
        return np.array([index.of(tables.draw(number)) for number in range(first, first + samples)])

    most = _most_draws(table, draws, _WORK_OF_TABLES)
    count = _count(draw, lambda scores: sign * scores >= sign * score - near, most)
    with np.errstate(invalid="ignore"):
        _refuse_unchanging(index, (np.abs(count.values - score) > near).any())
    finite = count.values[np.isfinite(count.values)]
    return _result(index, table, count, (float(finite.mean()), float(finite.std(ddof=1))), None, seed)


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
    method = "random tables with the same cluster sizes"
    score = index.of(table)
    return ChanceTest(
        index.label, score, count.p_value, *moments, count.draws, count.exceedances, tail, method, tuple(notes), seed
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
