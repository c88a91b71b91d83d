"""The score of the best threshold on other data than those that it was chosen on.

The best of many scores is biased upwards by selection. The records form components that share neither a true cluster
nor a pair. Components are divided into groups, and each group is scored at the threshold that is best for the others.
The decrease of the score is its optimism."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from clustermark._kernel import connect, encode_integers
from clustermark._kernel import sweep_pairs as close_pairs
from clustermark.errors import InputError, require_share, require_whole
from clustermark.evaluation.pair_partitions import NOT_COUNTED, PREDICTED_ONLY, States, find_best
from clustermark.registry.array_scores import use_of
from clustermark.registry.tracking import needs_expected, score_states
from clustermark.results.data import Column, Table, record_of
from clustermark.results.document import SUMMARY, Cell, Document, Grid, Head, Notes, Section, Value
from clustermark.results.result import Result
from clustermark.results.values import threshold_text
from clustermark.uncertainty.entries import add_all, add_by, number_groups
from clustermark.uncertainty.limits import degrees_of, limits, reach
from clustermark.uncertainty.refusals import SIZED
from clustermark.uncertainty.spread import moments
from clustermark.uncertainty.tail_index import refuse_tail

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from clustermark.evaluation.pair_partitions import Partitions
    from clustermark.registry import Index
    from clustermark.registry.tracking import Sums
    from clustermark.results.data import Columns
    from clustermark.results.document import View


FEWEST_IN_ERROR = 30
FEW_IN_ERROR = 100
MOST_THRESHOLDS = 200_000
LARGEST, USUAL_LARGEST = 0.5, 0.1
"""Largest share of the records in one component; the second is the default if no true cluster is larger."""


BEST: Columns = {
    "threshold": Column("threshold"),
    "by": Column("name"),
    "score": Column("score"),
    "corrected": Column("score", doc="each group scored at the threshold that is best for the others"),
    "optimism": Column("error", doc="how much better the score is than the corrected one"),
    "low": Column("score", optional=True),
    "high": Column("score", optional=True),
    "standard_error": Column("error"),
    "level": Column("share"),
    "n_components": Column("count"),
    "n_in_error": Column("count", doc="components with a false pair, or with a true pair that is lost"),
    "lowest": Column("threshold", doc="the loosest threshold that could have been chosen"),
    "groups": Column("count"),
    "seed": Column("number"),
    "notes": Column("texts"),
}


@dataclass(frozen=True, repr=False)
class BestInterval(Result):
    """The best threshold, its score, and the score expected on other data of the same kind."""

    KIND: ClassVar[str] = "best_interval"
    FACTS: ClassVar[Columns] = BEST
    TABLES: ClassVar[dict[str, Columns]] = {}
    MAIN: ClassVar[str] = "interval"

    threshold: float
    by: str
    """Index that chose the threshold."""
    score: float
    """Score on the data that the threshold was chosen on."""
    corrected: float
    """Score with each group at the threshold that is best for the others."""
    optimism: float
    """Difference by which the score is better than the corrected one."""
    low: float | None
    """Lower limit for the corrected score; None if few components are in error, or sizes have a heavy tail."""
    high: float | None
    standard_error: float
    level: float
    n_components: int
    n_in_error: int
    """Number of components with a false pair, or with a true pair that is lost."""
    lowest: float
    """Loosest threshold that could have been chosen."""
    groups: int
    seed: int
    notes: tuple[str, ...]

    def facts(self) -> dict[str, Any]:
        """Return all fields."""
        return record_of(self, BEST)

    def tables(self) -> dict[str, Table]:
        """Return one row with all fields."""
        return {"interval": Table(BEST, [self])}

    def document(self, view: View = SUMMARY) -> Document:  # noqa: ARG002
        """Return the document of text, notebook, Markdown, LaTeX and page."""
        score = Value(self.score, fine=True)
        heads = [Head("index", "name"), Head("here", "score"), Head("optimism", "error")]
        heads.append(Head(f"without it, {100 * self.level:g} % interval", "score"))
        row = [self.by, self.score, self.optimism, Cell(self.corrected, self.low, self.high)]
        rests = f"{self.n_components:,} components, {self.n_in_error:,} of them in error; thresholds from "
        none = ["no interval"] if self.low is None else []
        notes = Notes([[rests, Value(self.lowest, "threshold"), " on"], *none, *self.notes])
        return Document(
            "The best threshold on other data",
            ["threshold ", Value(self.threshold, "threshold"), f": {self.by} ", score, " here"],
            [Section("interval", "Interval", lambda: [Grid(heads, [row], "Interval"), notes], level="summary")],
        )


class RecordComponents(NamedTuple):
    """Components of the records that share neither a true cluster nor a pair down to some threshold."""

    of: NDArray[np.int64]
    """Number of the component of each record."""
    place: int
    """Last partition at which the components are separate."""

    def largest_share(self, points: NDArray[np.float64]) -> float:
        """Return the share of the points in the largest component."""
        sizes = np.bincount(self.of, points)
        return float(sizes.max() / sizes.sum())


def estimate_best(
    sweep: Partitions, index: Index[...], level: float, lowest: float | None, groups: int, seed: int
) -> BestInterval:
    """Return the best threshold with its optimism and an interval; for arguments see `PairSweep.interval`."""
    check_swept(sweep, index, level)
    require_whole("groups", groups, 2)
    require_whole("seed", seed, 0)
    components = components_of_sweep(sweep, lowest)
    groups = min(groups, max(int(components.of.max()) + 1, 2))
    scores = scores_of_sweep(sweep, index)[: components.place + 1]
    best = find_best(index, scores)
    parts = component_sums(sweep, components, best)
    in_error = (parts["together_both"] < parts["together_true"]) | (parts["together_both"] < parts["together"])
    score = float(scores[best])
    corrected = _cross_fit(sweep, index, components, groups, seed)
    variance, degrees = _jackknife(index, parts)
    optimism = score - corrected if index.facts.higher_is_better else corrected - score
    error = sqrt(variance + optimism**2)
    n_in_error = int(np.count_nonzero(in_error))
    heavy = _heavy_tail(sweep, index, best)
    low = high = None
    if n_in_error >= FEWEST_IN_ERROR and not heavy:
        low, high = limits_within(index, corrected, error, reach(level, degrees))
    return BestInterval(
        threshold=float(sweep.thresholds(best)),
        by=index.label,
        score=score,
        corrected=corrected,
        optimism=optimism,
        low=low,
        high=high,
        standard_error=error,
        level=level,
        n_components=len(parts["points"]),
        n_in_error=n_in_error,
        lowest=float(sweep.thresholds(components.place)),
        groups=groups,
        seed=seed,
        notes=(*_notes(n_in_error, corrected, heavy, is_there=low is not None), *_note_looser(sweep, index, score)),
    )


def check_swept(sweep: Partitions, index: Index[...], level: float) -> None:
    """Refuse a level that is none, and an index that is no function of sums over components."""
    require_share("level", level, 0.95)
    if sweep.score(index) is None or needs_expected(index):
        raise InputError(
            f"{index.label} is not a function of sums over components, so the optimism of its best threshold is not "
            "known; choose a pair index, B-cubed, an entropy, or purity"
        )


def _heavy_tail(sweep: Partitions, index: Index[...], place: int) -> str:
    """Return why there is no interval of a partition whose components with the truth have sizes of a heavy tail."""
    if use_of(index).statistic not in SIZED:
        return ""
    sizes = np.bincount(join_components(sweep, place).of, _points(sweep)).astype(np.float64)
    sizes = sizes[sizes > 0]
    return refuse_tail(sizes, np.ones(len(sizes), np.int64), "component")


def _points(sweep: Partitions) -> NDArray[np.float64]:
    """Return the number of points of each record; 0 for records that do not count."""
    points = (sweep.origin.labels >= 0).astype(np.float64)  # one entry per record
    return points if sweep.origin.records.counts is None else points * sweep.origin.records.counts


def _notes(n_in_error: int, score: float, heavy: str, *, is_there: bool) -> tuple[str, ...]:
    if n_in_error < FEWEST_IN_ERROR:
        return (
            f"{n_in_error} components in error are too few to say how good the best threshold is; hold out records, "
            "and evaluate it on them",
        )
    if heavy:
        return (heavy,)
    if not is_there:
        return (f"the score stays {score:g} on records that did not choose the threshold: there is no interval",)
    if n_in_error < FEW_IN_ERROR:
        return (f"{n_in_error} components in error are few; the interval may be too narrow",)
    return ()


def _note_looser(sweep: Partitions, index: Index[...], score: float) -> tuple[str, ...]:
    scores = scores_of_sweep(sweep, index)
    best = find_best(index, scores)
    if scores[best] == score:
        return ()
    better = threshold_text(float(sweep.thresholds(best)))
    return (
        f"threshold {better} is better still ({scores[best]:.4f}), but was not allowed: "
        "there the records are too connected to estimate its score on other data",
    )


def scores_of_sweep(sweep: Partitions, index: Index[...]) -> NDArray[np.float64]:
    """Return the score at every partition."""
    scores = sweep.score(index)
    assert scores is not None  # checked by `check_swept`
    return scores


def components_of_sweep(sweep: Partitions, lowest: float | None) -> RecordComponents:
    """Return the components at the loosest threshold allowed; by default none may exceed a tenth of the records."""
    points = _points(sweep)
    if lowest is not None:
        asked = join_components(sweep, sweep.place(lowest))
        if (share := asked.largest_share(points)) > LARGEST:
            raise InputError(
                f"lowest={lowest!r}: one component of truth and pairs together holds {share:.0%} of the records, so "
                "there is nothing to compare it with; allow stricter thresholds only"
            )
        return asked
    first, last = 0, len(sweep.states)  # components only grow, so bisection finds the threshold
    found = join_components(sweep, first)
    share = found.largest_share(points)
    if share > LARGEST:
        raise InputError("one true cluster holds most records, so there is nothing to compare it with: no interval")
    limit = USUAL_LARGEST if share <= USUAL_LARGEST else LARGEST
    while last - first > 1:
        middle = (first + last) // 2
        tried = join_components(sweep, middle)
        if tried.largest_share(points) <= limit:
            first, found = middle, tried
        else:
            last = middle
    return found


def join_components(sweep: Partitions, place: int) -> RecordComponents:
    """Return the components of the true clusters and of the merges down to a partition."""
    labels = sweep.origin.labels
    n, m = len(labels), int(sweep.states.merges[place])
    known = np.flatnonzero(labels >= 0)
    codes, first = encode_integers(labels[known])
    left = np.concatenate([sweep.merges["left"][:m], known])
    right = np.concatenate([sweep.merges["right"][:m], known[first][codes]])
    return RecordComponents(connect(left, right, n), place)


def component_sums(sweep: Partitions, components: RecordComponents, place: int) -> Sums:
    """Return the contribution of each component with points to the sums of a partition."""
    labels, clusters, counts = sweep.origin.labels, sweep.clusters(place), sweep.origin.records.counts
    here = np.flatnonzero(labels != -1)
    number, _ = encode_integers(components.of[here])
    labels, clusters = labels[here].astype(np.int64), encode_integers(clusters[here])[0].astype(np.int64)
    points = np.ones(len(here)) if counts is None else counts[here].astype(np.float64)
    n = int(number.max()) + 1
    known = labels >= 0
    cell, first = encode_integers(labels[known] * (int(clusters.max()) + 1) + clusters[known])
    size = np.bincount(cell, points[known])
    a, b = np.bincount(labels[known], points[known]), np.bincount(clusters, points)
    true_of, pred_of = labels[known][first], clusters[known][first]
    of_cell, of_true, of_pred = number[known][first], _owner(labels[known], number[known]), _owner(clusters, number)
    best_true, best_pred = np.zeros(len(a)), np.zeros(len(b))
    np.maximum.at(best_true, true_of, size)
    np.maximum.at(best_pred, pred_of, size)

    def add(owner: NDArray[Any], values: NDArray[Any]) -> Any:
        return add_by(owner, values, n)

    spread_cells, spread_true = add(of_cell, _spread(size)), add(of_true, _spread(a))
    spread_pred = add(of_pred, _spread(b))
    return {
        "clusters": add(of_pred, b > 0),
        "cells": add(of_cell, np.ones(len(size))),
        "exact": add(of_cell, (size == a[true_of]) & (size == b[pred_of])),
        "together": add(of_pred, b * (b - 1) / 2),
        "together_both": add(of_cell, size * (size - 1) / 2),
        "best_pred": add(of_pred, best_pred),
        "best_true": add(of_true, best_true),
        "precision": add(of_cell, size * size / b[pred_of]),
        "recall": add(of_cell, size * size / a[true_of]),
        "spread_pred": spread_pred,
        "left_true": spread_pred - spread_cells,
        "left_pred": spread_true - spread_cells,
        "expected": np.full(n, np.nan),
        "points": add(number[known], points[known]),
        "predicted_points": add(number, points),
        "true_clusters": add(of_true, a > 0),
        "together_true": add(of_true, a * (a - 1) / 2),
        "spread_true": spread_true,
    }


def _owner(clusters: NDArray[Any], component: NDArray[Any]) -> NDArray[np.int64]:
    """Return the component of each cluster, by the number of the cluster."""
    owner = np.zeros(int(clusters.max()) + 1, np.int64)
    owner[clusters] = component
    return owner


def _spread(sizes: NDArray[Any]) -> NDArray[np.float64]:
    return np.where(sizes > 1, sizes * np.log(np.maximum(sizes, 1)), 0.0)


def _jackknife(index: Index[...], parts: Sums) -> tuple[float, float]:
    """Return the variance of the score by leaving out one component at a time, and its degrees of freedom."""
    without = {name: add_all(column) - column for name, column in parts.items()}
    scores = score_states(index, without)
    assert scores is not None
    variance = float(moments(scores, np.ones(len(scores), np.int64), float(scores.max()))[0])
    return max(variance, 0.0), degrees_of(scores)


def deal_components(sweep: Partitions, components: RecordComponents, groups: int, seed: int) -> NDArray[np.int64]:
    """Return a random group of equal size for each component, independent of the order of the records."""
    n, m = int(components.of.max()) + 1, int(sweep.states.merges[components.place])
    labels = sweep.origin.labels
    sizes = np.append(np.bincount(labels[labels >= 0]), [PREDICTED_ONLY, NOT_COUNTED])  # indexed by -2 and -1
    counts = sweep.origin.records.counts
    records = number_groups(components.of, n, sizes[labels], np.ones(len(labels)) if counts is None else counts)
    merges = number_groups(components.of[sweep.merges["left"][:m]], n, sweep.merges["scores"][:m])
    order = np.lexsort((merges, records))
    dealt = np.empty(n, np.int64)
    dealt[order] = np.random.default_rng(seed).permutation(n) % groups
    return dealt


def _cross_fit(sweep: Partitions, index: Index[...], components: RecordComponents, groups: int, seed: int) -> float:
    """Return the score of all groups, each at the threshold that is best for the others."""
    group = deal_components(sweep, components, groups, seed)[components.of]
    parts = [_sweep_part(sweep, group == number, components.place) for number in range(groups)]
    grid = _grid(sweep, components.place)
    places = [_places(part, grid) for part in parts]
    total: Sums = {}
    for part, place in zip(parts, places, strict=True):
        total = {name: total.get(name, 0) + column[place] for name, column in part.sums.items()}
    taken: dict[str, Any] = {}
    for part, place in zip(parts, places, strict=True):
        others = {name: total[name] - column[place] for name, column in part.sums.items()}
        scores = score_states(index, others)
        assert scores is not None
        chosen = place[find_best(index, scores)]
        taken = {name: taken.get(name, 0) + column[[chosen]] for name, column in part.sums.items()}
    crossed = score_states(index, taken)
    assert crossed is not None
    return float(crossed[0])


def _grid(sweep: Partitions, place: int) -> NDArray[np.float64]:
    """Return the thresholds of all partitions that may be chosen, or an even selection if there are very many."""
    step = max(1, -(-(place + 1) // MOST_THRESHOLDS))
    return sweep.states.thresholds[: place + 1 : step]


def _places(part: States, grid: NDArray[np.float64]) -> NDArray[np.int64]:
    return np.searchsorted(-part.thresholds, -grid, side="right") - 1


def _sweep_part(sweep: Partitions, chosen: NDArray[np.bool_], place: int) -> States:
    """Return the partitions of some of the records, by the merges between them."""
    records = np.flatnonzero(chosen)
    numbers = np.zeros(len(chosen), np.int32)
    numbers[records] = np.arange(len(records), dtype=np.int32)
    labels = sweep.origin.labels[records].copy()
    known = labels >= 0
    labels[known] = encode_integers(labels[known])[0]
    m = int(sweep.states.merges[place])
    ours = chosen[sweep.merges["left"][:m]]
    left, right, scores = (sweep.merges[name][:m][ours] for name in ("left", "right", "scores"))
    counts = sweep.origin.records.counts
    chosen_counts = None if counts is None else counts[records]
    pairs = (numbers[left], numbers[right], np.ascontiguousarray(scores))
    states, _, totals = close_pairs(labels, *pairs, 0.0, None, chosen_counts)
    return States.of(states, _as_sums(totals))


def _as_sums(totals: Mapping[str, Any]) -> Mapping[str, Any]:
    return {name: float(total) for name, total in totals.items()}


def limits_within(index: Index[...], score: float, error: float, z: float) -> tuple[float, float] | tuple[None, None]:
    """Return an interval around a score on the scale of its index; none if the score is at a bound."""
    bounds = index.facts.bounds
    if not bounds[0] < score < bounds[1]:
        return None, None
    return limits(score, error, z, bounds)
