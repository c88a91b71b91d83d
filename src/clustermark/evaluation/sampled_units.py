"""The unit that was sampled: its choice by the sizes of clusters, and the design effect that points would hide."""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING, NamedTuple

from clustermark.errors import UnsupportedTableError
from clustermark.evaluation.paired_groups import ComponentUnits
from clustermark.evaluation.paired_points import PointUnits
from clustermark.statistics.units import NoClosedFormError
from clustermark.uncertainty.refusals import FEWEST_GROUPS, MOST_IN_ONE, MOSTLY_SMALL, holds_small_clusters
from clustermark.uncertainty.samples import ComponentSample, PointSample
from clustermark.uncertainty.spread import Jackknife

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from clustermark.evaluation.paired_points import Contrast, Runs
    from clustermark.evaluation.predictions import Predictions, ScoredRun
    from clustermark.registry import Index
    from clustermark.tables.cells import CellTable
    from clustermark.uncertainty.interval import Unit

NOTABLE_EFFECT = 1.2
"""A design effect above this is printed: standard errors over points are a tenth too small."""


class ChosenUnit(NamedTuple):
    """The unit that the clusters ask for."""

    unit: Unit
    note: str
    """Why it was chosen; empty for points of large clusters."""


def choose_unit(runs: Sequence[ScoredRun], *, are_records: bool) -> ChosenUnit:
    """Return components where most clusters of some prediction are small, because there clusters were sampled.

    are_records: whether points are records of entities. Then they are no sample of points even where there are too few
        components for an interval.
    """
    if not any(holds_small_clusters(run.table) for run in runs):
        return ChosenUnit("point", "")
    if are_records or all(_has_components(run.table) for run in runs):
        note = f"{MOSTLY_SMALL}, so the unit is component; where points were sampled, choose the unit point"
        return ChosenUnit("component", note)
    few = f"{MOSTLY_SMALL}, but there are too few components, or one joins most of the data, so the unit is point"
    return ChosenUnit("point", f"{few}; where clusters were sampled, the intervals are too narrow")


def _has_components(table: CellTable) -> bool:
    """Return whether there is an interval over the components of a table."""
    if table.one_sided or table.unscored_columns is not None:
        return False
    sample = ComponentSample(table)
    return int(sample.multiplicity.sum()) >= FEWEST_GROUPS and sample.largest_share <= MOST_IN_ONE


def effect_lines(unit: str, effects: Mapping[str, float | None]) -> list[str]:
    """Say which design effects of indices are notable.

    >>> effect_lines("point", {"rand": 4.5, "jaccard": 1.1})[0][:70]
    'design effect (variance over components by that over points): rand 4.5'
    """
    lines = []
    if notable := {label: effect for label, effect in effects.items() if (effect or 0.0) > NOTABLE_EFFECT}:
        wider = f"{'component' if unit == 'point' else unit}s"
        each = ", ".join(f"{label} {effect:.1f}" for label, effect in notable.items())
        advice = "; where clusters were sampled, choose the unit component" if unit == "point" else ""
        lines.append(f"design effect (variance over {wider} by that over points): {each}{advice}")
    return lines


class DesignEffects:
    """Ratios of the variance of a difference over components or groups to that over points."""

    most_cells = 1 << 18
    """In larger tables a second variance would take too long."""

    def __init__(
        self,
        predictions: Predictions,
        runs: Sequence[ScoredRun],
        indices: Sequence[Index[...]],
        unit: str,
        threads: int | None,
    ) -> None:
        self._unit = unit
        self._units: ComponentUnits | PointUnits | None = None
        if predictions.weights is not None or any(len(run.table.kernel_cells.counts) > self.most_cells for run in runs):
            return
        if unit == "point":
            self._units = ComponentUnits(predictions, runs, threads)
        else:
            self._units = PointUnits(predictions, [_over_points(run, indices) for run in runs], indices, threads)

    def of(self, index: Index[...], first: Runs, second: Runs, found: Contrast) -> float | None:
        """Return the design effect of a difference, whose variance over the chosen unit was found."""
        if self._units is None or not found.variance or found.method == "half-sampling":
            return None
        other = self._units.vary(index, first, second)
        units = other.n_units if self._unit == "point" else found.n_units
        if not other.variance or units < FEWEST_GROUPS:
            return None
        return other.variance / found.variance if self._unit == "point" else found.variance / other.variance


def _over_points(run: ScoredRun, indices: Sequence[Index[...]]) -> ScoredRun:
    """Return a scored run with its spreads over points, where these have a closed form or few cells."""
    made = copy(run)
    made.spreads, made.refused = {}, {}
    try:
        jackknife = Jackknife(PointSample(run.table))
    except UnsupportedTableError as error:
        made.refused = {index.label: str(error) for index in indices}
        return made
    for index in indices:
        try:
            made.spreads[index.label] = jackknife.of(index, run.scores[index.label])
        except (NoClosedFormError, UnsupportedTableError) as error:
            made.refused[index.label] = str(error)
    return made
