"""The scores of an index at many thresholds, with intervals that hold at all of them at once."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from clustermark.evaluation.best_threshold import (
    FEWEST_IN_ERROR,
    check_swept,
    component_sums,
    components_of_sweep,
    limits_within,
    scores_of_sweep,
)
from clustermark.registry.tracking import score_states
from clustermark.results.canvas import TRUE, Drawn, calm
from clustermark.results.data import Column
from clustermark.results.document import Cell, Chart, Grid, Head
from clustermark.results.rows import Rows
from clustermark.uncertainty.entries import add_all
from clustermark.uncertainty.limits import degrees_of, reach
from clustermark.uncertainty.simultaneous import correlate, critical_value, level_of
from clustermark.uncertainty.spread import moments

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from clustermark.evaluation.best_threshold import RecordComponents
    from clustermark.evaluation.pair_partitions import Partitions
    from clustermark.registry import Index
    from clustermark.results.data import Columns
    from clustermark.results.document import Body, Prose

_MOST_THRESHOLDS, _FEWEST_THRESHOLDS = 100, 20
_MOST_NUMBERS = 20_000_000
"""Number of scores without one component that are held at once."""


@dataclass(frozen=True, slots=True)
class BandPoint:
    """The score at a threshold, with its limits in the band; None if too few components are in error there."""

    threshold: float
    score: float
    low: float | None
    high: float | None
    standard_error: float
    n_in_error: int
    """Number of components with a false pair, or with a true pair that is lost."""


class ThresholdBand(Rows[BandPoint]):
    """The scores of an index at many thresholds; the intervals hold at all of them at once."""

    KIND = "threshold_band"
    TITLE = "Scores with a simultaneous band"
    FACTS: ClassVar[Columns] = {
        "by": Column("name"),
        "level": Column("share"),
        "simultaneous": Column("flag"),
        "critical_value": Column("number", doc="the number of standard errors; Student's t adds to it"),
        "n_components": Column("count"),
        "notes": Column("texts"),
    }
    COLUMNS: ClassVar[Columns] = {
        "threshold": Column("threshold"),
        "score": Column("score"),
        "low": Column("score", optional=True),
        "high": Column("score", optional=True),
        "standard_error": Column("error"),
        "n_in_error": Column("count", doc="components with a false pair, or with a true pair that is lost"),
    }

    def __init__(
        self, rows: Sequence[BandPoint], by: str, level: float, critical_value: float, n_components: int
    ) -> None:
        super().__init__(rows)
        self.by, self.level, self.critical_value, self.n_components = by, level, critical_value, n_components

    @property
    def notes(self) -> list[str]:
        """Why some thresholds have no interval."""
        lacking = sum(row.low is None for row in self)
        few = f"fewer than {FEWEST_IN_ERROR} components in error, or a score at its bound"
        return [f"no interval at {lacking} of {len(self)} thresholds: {few}"] if lacking else []

    def facts(self) -> dict[str, Any]:
        """Return the index, the level, and the critical value."""
        value = {"simultaneous": True, "critical_value": self.critical_value}
        return {"by": self.by, "level": self.level, **value, "n_components": self.n_components, "notes": self.notes}

    @property
    def headline(self) -> str:
        """The index, the level and the number of thresholds, in one line."""
        lead = f"{100 * self.level:g} % band of {self.by} over {self.n_components:,} components"
        return f"{lead}, at {len(self)} thresholds at once (critical value {self.critical_value:.3g})"

    def grid(self) -> Grid:
        """Return the scores with their limits."""
        heads = [Head("threshold", "threshold"), Head(self.by, "score"), Head("in error", "count", level="detail")]
        return Grid(
            heads, [[row.threshold, Cell(row.score, row.low, row.high), row.n_in_error] for row in self], self.TITLE
        )

    def remarks(self) -> Sequence[Prose]:
        """Return the notes."""
        return self.notes

    def _bodies(self) -> list[Body]:
        return [*super()._bodies(), Chart("band", (6.4, 3.4), self._draw)]

    def _draw(self, ax: Axes) -> Drawn:
        shown = [row for row in self if np.isfinite(row.threshold)]
        at = [row.threshold for row in shown]
        low, high = (
            (
                [np.nan if end is None else end for end in ends]
                for ends in zip(*((r.low, r.high) for r in shown), strict=True)
            )
            if shown
            else ([], [])
        )
        ax.fill_between(at, low, high, color=TRUE, alpha=0.2, linewidth=0)
        ax.plot(at, [row.score for row in shown], color=TRUE, linewidth=1.6)
        ax.set_xlabel("threshold")
        ax.set_ylabel(self.by, parse_math=False)
        calm(ax, grid="both")
        return Drawn(f"{self.by} at all thresholds", "The band holds at all thresholds at once.", {})


def make_band(sweep: Partitions, index: Index[...], level: float, lowest: float | None) -> ThresholdBand:
    """Return the scores of an index with a simultaneous band; for arguments see `PairSweep.band`."""
    check_swept(sweep, index, level)
    components = components_of_sweep(sweep, lowest)
    scores = scores_of_sweep(sweep, index)
    count = len(component_sums(sweep, components, components.place)["points"])
    several = max(min(_MOST_THRESHOLDS, _MOST_NUMBERS // count), _FEWEST_THRESHOLDS)
    places = np.unique(np.linspace(0, components.place, min(several, components.place + 1)).astype(np.int64))
    left = np.empty((count, len(places)))
    in_error = []
    for column, place in enumerate(places.tolist()):
        left[:, column], wrong = _without_each(sweep, index, components, place)
        in_error.append(wrong)
    known = np.array(in_error) >= FEWEST_IN_ERROR
    value = critical_value(correlate(left[:, known]), level)
    rows = []
    for column, place in enumerate(places.tolist()):
        variance = float(moments(left[:, column], np.ones(count, np.int64), float(left[:, column].max()))[0])
        error = sqrt(max(variance, 0.0))
        low = high = None
        if known[column] and error > 0:
            away = reach(level_of(value), degrees_of(left[:, column]))
            low, high = limits_within(index, float(scores[place]), error, away)
        threshold = float(sweep.thresholds(place))
        rows.append(BandPoint(threshold, float(scores[place]), low, high, error, in_error[column]))
    return ThresholdBand(rows, index.label, level, value, count)


def _without_each(
    sweep: Partitions, index: Index[...], components: RecordComponents, place: int
) -> tuple[NDArray[np.float64], int]:
    """Return the score of a partition without each component, and the number of components in error."""
    parts = component_sums(sweep, components, place)
    wrong = (parts["together_both"] < parts["together_true"]) | (parts["together_both"] < parts["together"])
    scores = score_states(index, {name: add_all(column) - column for name, column in parts.items()})
    assert scores is not None
    return scores, int(np.count_nonzero(wrong))
