"""Requests and samples that have no interval, and notes on intervals for readers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clustermark import statistics as made
from clustermark.errors import UnsupportedTableError
from clustermark.registry.array_scores import use_of
from clustermark.registry.formulas import names_in
from clustermark.statistics.pairs import ChancePairs
from clustermark.uncertainty.near_chance import NEAR
from clustermark.uncertainty.samples import ComponentSample
from clustermark.uncertainty.spread import growth_of
from clustermark.uncertainty.unseen_cells import UnseenCells

if TYPE_CHECKING:
    from clustermark.registry import Index
    from clustermark.tables.contingency import Contingency
    from clustermark.uncertainty.samples import Sample
    from clustermark.uncertainty.spread import Spread

FEWEST_GROUPS = 10
FEW_GROUPS = 30
MOST_IN_ONE = 0.5
"""The largest share of all points that one component or group may hold."""
ENOUGH_IN_ERROR = 30
"""With fewer components in error than this, and than half of all, intervals are too narrow."""
ENOUGH_POINTS = 5
"""Minimum number of points per possible cell for which the bias of information and B-cubed is known."""
PAIRS = (made.PairCounts, made.ChancePairs, made.SquareSums)
SIZED = (*PAIRS, made.Entropies)
"""Statistics that a few large clusters decide."""
_B_CUBED = {"precision", "recall", "n", "n_true", "n_pred", "beta"}
_SMALL_CLUSTER = 5
MOSTLY_SMALL = f"most clusters hold {_SMALL_CLUSTER} points or fewer"
_NOTED_NEAR = 3.0
"""Standard deviations of the pairs together in both, over all permutations."""


def check_index(index: Index[...], unit: str) -> None:
    """Refuse an index whose interval over points is known to fail."""
    use = use_of(index)
    names = names_in(use.formula)
    counts_cells = use.statistic is made.Sizes and "cells" in names
    if unit == "point" and (counts_cells or names & {"muc", "weakest_pairs"}):
        raise UnsupportedTableError(
            f"{index.name} depends on single cells; coverage not assured. Where clusters were sampled, "
            "choose the unit component"
        )


def check_target(index: Index[...], unit: str) -> None:
    """Refuse a target for which the correction of bias is known to fail."""
    use = use_of(index)
    names = names_in(use.formula)
    known = (
        use.statistic in PAIRS
        or (use.statistic is made.Entropies and not names & {"expected", "variance"})
        or _is_b_cubed(index)
    )
    if unit != "point" or not known:
        raise UnsupportedTableError(
            f"{index.name} has no interval for the population of all {unit}s: its bias cannot be "
            "corrected well enough. Over points it can be for indices of pairs, for B-cubed, and for information that "
            "is not corrected for chance; for others choose the target sample"
        )


def check_bootstrap(index: Index[...], unit: str) -> None:
    """Refuse the bootstrap if copies of points would count as agreement."""
    statistic = use_of(index).statistic
    if unit == "point" and statistic not in (made.PairCounts, made.ChancePairs):
        raise UnsupportedTableError(f"{index.name} is biased by copies of points; use the jackknife")


def refusal(
    index: Index[...], score: float, sample: Sample, spread: Spread, target: str, *, fewest: int = FEWEST_GROUPS
) -> str:
    """Return why a score has no interval; empty if it has one.

    fewest: the minimum number of groups.
    """
    n = spread.n_units
    unit = sample.unit
    if unit == "point" and n == 1:
        return "only one point: no interval"
    if sample.largest_share > MOST_IN_ONE:
        return f"one {unit} joins most of the data: no interval; choose other groups"
    if unit != "point" and n < fewest:
        return f"only {n} independent group{'' if n == 1 else 's'}: no interval"
    if spread.standard_error == float("inf"):
        return f"not defined when one {unit} is removed: no interval"
    if spread.standard_error > 0:
        if unit == "point":
            return _few_points(index, score, sample.table, spread, target)
        return _few_errors(sample) or _heavy_tail(index, sample)
    things = f"{n:,} {unit}s"
    if sample.table.are_identical():
        share = f" Fewer than {3 / n:.2g} of {unit}s are misplaced (95 %)." if unit == "point" else ""
        return f"No disagreement among {things}: no interval.{share}"
    if score == index.best:
        return f"no error of this kind among {things}: no interval"
    return f"the score is the same without any of {things}: no interval"


def _few_errors(sample: Sample) -> str:
    """Return why there is no interval over components or groups of whole clusters of which few contain all errors."""
    if not isinstance(sample, ComponentSample):
        return ""
    wrong, n = sample.n_in_error, int(sample.multiplicity.sum())
    if wrong >= ENOUGH_IN_ERROR or 2 * wrong >= n:
        return ""
    return f"only {wrong} of {n:,} {sample.unit}s are in error: no interval"


def _heavy_tail(index: Index[...], sample: Sample) -> str:
    """Return why there is no interval over components or groups of whole clusters whose sizes have a heavy tail."""
    if not isinstance(sample, ComponentSample) or use_of(index).statistic not in SIZED:
        return ""
    return sample.heavy_tail


def _few_points(index: Index[...], score: float, table: Contingency, spread: Spread, target: str) -> str:
    """Return why an interval over points is not reliable, if there are too few points for the possible cells."""
    statistic = use_of(index).statistic
    n, rows, columns = table.n_used, table.n_true_clusters, table.n_pred_clusters
    if target == "population" and statistic not in PAIRS and n < ENOUGH_POINTS * rows * columns:
        return (
            f"fewer than {ENOUGH_POINTS} points for each of {rows:,} × {columns:,} possible cells: no "
            "interval for the population of all points, because the bias is not known well enough; choose the target "
            "sample"
        )
    informed = statistic is made.Entropies and _near_chance(table, NEAR)
    if target == "population" and informed:
        return (
            "close to chance the bias of information is not known well enough: no interval for the population of all "
            "points; choose the target sample, or read the test"
        )
    if rows == columns == 2 and _is_b_cubed(index) and _near_chance(table, NEAR):
        return "two clusters that hardly agree: B-cubed is a square there, and has no interval; read the test"
    if not (statistic in PAIRS or informed) or not table.in_memory or not table.plain:
        return ""
    unseen = table.once("unseen cells", lambda table: UnseenCells(table.to_memory()))
    if unseen.shift(index, score, growth_of(index)) <= spread.standard_error:
        return ""
    return (
        "one point in a cell that is empty here would move the score by more than a standard error: errors that matter "
        "are too rare to be seen in this sample: no interval"
    )


def _is_b_cubed(index: Index[...]) -> bool:
    """Return whether an index is made of B-cubed precision and recall."""
    use = use_of(index)
    return use.statistic is made.Sizes and names_in(use.formula) <= _B_CUBED


def _near_chance(table: Contingency, deviations: float) -> bool:
    """Return whether the pairs together in both are so few standard deviations from their mean by chance."""
    if table.weights is not None or table.one_sided:
        return False
    pairs = ChancePairs.of(table)
    total = table.n_used * (table.n_used - 1) // 2
    if not total or not (variance := pairs.variance):
        return False
    beyond = int(pairs.yy) - int(pairs.yy + pairs.yn) * int(pairs.yy + pairs.ny) / total
    return bool(abs(beyond) < deviations * float(variance) ** 0.5)


def notes_of(sample: Sample, spread: Spread, target: str) -> list[str]:
    """Return the notes that readers of an interval need."""
    notes = []
    error, bias = spread.standard_error, spread.bias
    if target == "sample" and 0 < error < float("inf") and abs(bias) > error / 2:
        notes.append(
            "the bias exceeds half a standard error: the interval is for samples of this size, not for the population "
            "of all points"
        )
    if sample.unit != "point" and FEWEST_GROUPS <= spread.n_units < FEW_GROUPS:
        notes.append(f"only {spread.n_units} independent groups: the interval may be too narrow")
    if sample.unit == "point":
        notes += sample.table.once("notes on intervals", _table_notes)
    return notes


def _table_notes(table: Contingency) -> list[str]:
    notes = []
    if _near_chance(table, _NOTED_NEAR):
        notes.append("close to chance: read the test")
    if holds_small_clusters(table):
        notes.append(f"{MOSTLY_SMALL}: where clusters were sampled, choose the unit component")
    return notes


def holds_small_clusters(table: Contingency) -> bool:
    """Return whether most clusters of both sides are so small that clusters were probably sampled, not points."""
    if table.weights is not None:
        return False
    profile = table.profile
    return all(
        sum(row.clusters for row in rows if row.size <= _SMALL_CLUSTER) * 2 > sum(row.clusters for row in rows)
        for rows in (profile.true_sizes, profile.pred_sizes)
    )
