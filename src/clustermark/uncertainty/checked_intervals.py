"""The check of an interval on the user's own table: how often it would hold in samples like this one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from clustermark.errors import UnsupportedTableError, require_whole
from clustermark.registry.adjustment import AdjustedIndex
from clustermark.results.canvas import Dot, Drawn, draw_dots
from clustermark.results.data import Column
from clustermark.results.document import SUMMARY, Cell, Chart, Document, Grid, Head
from clustermark.results.rows import Rows
from clustermark.results.values import share_text
from clustermark.uncertainty.interval import GroupedPoints
from clustermark.uncertainty.limits import IntervalMaker
from clustermark.uncertainty.simulated_coverage import (
    Targets,
    interval_ends,
    mean_targets,
    monte_carlo_limits,
    simulate,
)
from clustermark.uncertainty.simulated_samples import PointWorld, resample
from clustermark.uncertainty.spread import BOOTSTRAPS, HALF_SAMPLES, growth_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from matplotlib.axes import Axes

    from clustermark.registry import Index
    from clustermark.results.data import Columns
    from clustermark.results.document import Body, Prose, View
    from clustermark.tables.contingency import Contingency
    from clustermark.uncertainty.interval import Interval, IntervalRequest
    from clustermark.uncertainty.samples import Sample
    from clustermark.uncertainty.simulated_coverage import Simulated

_FEWEST_DRAWS = 50
_MOST_DRAWS, _FEWER_DRAWS = 1_000, 200
_WORK = 20_000
"""Number of intervals of small tables that take some seconds; more of them are drawn less often."""
_CELLS_AT_ONCE = 1_000
"""Number of cells whose intervals cost about as much as the rest of the work."""
_ENOUGH_MADE = 50
"""With intervals in fewer samples the coverage is not judged."""
_ALL_POINTS = 10**9
"""Number of points of the table that stands for the population."""


@dataclass(frozen=True, slots=True)
class CheckedInterval:
    """The interval of an index, and what such intervals do in samples like the given one."""

    index: str
    score: float
    low: float | None
    """Lower limit of the interval of the given table; None if it has none."""
    high: float | None
    verdict: str
    holds: bool | None
    """Whether the interval holds about as often as promised; None if that is not known."""
    coverage: float | None
    """Share of the simulated intervals that contain the target; None if there is none."""
    coverage_low: float | None
    """95 % limits of the coverage by all samples (the Monte Carlo error)."""
    coverage_high: float | None
    refused: float
    """Share of the simulated samples without an interval."""
    mean_width: float | None
    too_low: float | None
    """Share of the simulated intervals that lie below the target."""
    too_high: float | None
    """Share of the simulated intervals that lie above the target."""
    target_score: float | None
    """The score that the simulated intervals are about."""


class CoverageCheck(Rows[CheckedInterval]):
    """How often intervals of a table would hold, by samples drawn from the table itself."""

    KIND = "coverage_check"
    TITLE = "Coverage check"
    FACTS: ClassVar[Columns] = {
        "verdict": Column("text"),
        "level": Column("share"),
        "unit": Column("name"),
        "n_units": Column("count"),
        "target": Column("name"),
        "method": Column("name"),
        "draws": Column("count", doc="the number of simulated samples"),
        "seed": Column("number"),
        "unseen": Column("share", doc="the share of the simulated points that lie in cells empty in the table"),
        "refused": Column("text", within=("map",), doc="indices without an interval, and why"),
        "notes": Column("texts"),
    }
    COLUMNS: ClassVar[Columns] = {
        "index": Column("name"),
        "score": Column("score"),
        "low": Column("score", optional=True),
        "high": Column("score", optional=True),
        "verdict": Column("text"),
        "holds": Column("flag", optional=True, doc="null if that is not known"),
        "coverage": Column("share", optional=True, doc="the share of simulated intervals that contain the target"),
        "coverage_low": Column("share", optional=True, doc="95 % limits of the coverage by all samples"),
        "coverage_high": Column("share", optional=True),
        "refused": Column("share", doc="the share of simulated samples without an interval"),
        "mean_width": Column("number", optional=True),
        "too_low": Column("share", optional=True, doc="the share of simulated intervals that lie below the target"),
        "too_high": Column("share", optional=True, doc="the share of simulated intervals that lie above the target"),
        "target_score": Column("score", optional=True, doc="the score that the simulated intervals are about"),
    }

    def __init__(
        self,
        rows: Sequence[CheckedInterval],
        settings: Mapping[str, Any],
        n_units: int,
        refused: Mapping[str, str],
        unseen: float,
    ) -> None:
        super().__init__(rows)
        self.settings = dict(settings)
        """The options of the intervals and of the simulation."""
        self.n_units = n_units
        self.unseen = unseen
        """Share of the simulated points that lie in cells that are empty in the table."""
        self.refused = dict(refused)
        """Indices that never have such an interval, with the reason."""

    def __getitem__(self, place: Any) -> Any:
        """Return the row of an index by its name, or rows by their place."""
        if not isinstance(place, str):
            return super().__getitem__(place)
        from clustermark.registry import index_of

        labels = [row.index for row in self]
        label = place if place in labels else index_of(place).label
        if label not in labels:
            raise KeyError(self.refused.get(label, f"{label} was not checked"))
        return self[labels.index(label)]

    @property
    def verdict(self) -> str:
        """Which intervals hold, in a sentence."""
        if not self:
            return "There is no interval to check."
        failing = [f"{row.index} covers about {_percent(row.coverage)}" for row in self if row.holds is False]
        unsure = sum(row.holds is None for row in self)
        if failing:
            return f"Do not rely on {len(failing)} of {len(self)}: {', '.join(failing)}."
        if unsure:
            some = (
                "Not known"
                if len(self) == unsure
                else f"{len(self) - unsure} of {len(self)} hold; the rest is not known"
            )
            return f"{some}: see each."
        return "It holds." if len(self) == 1 else f"All {len(self)} hold."

    @property
    def notes(self) -> list[str]:
        """Limits of the check, and indices without an interval."""
        unit = self.settings["unit"]
        text = f"samples are drawn from the {unit}s of this table: {unit}s of a kind that it lacks do not occur in them"
        if unit == "point":
            text = "samples are drawn from the cells of this table"
            text += f", and {share_text(self.unseen)} of their points from its empty cells" if self.unseen else ""
        return [text, *(f"no interval: {name}: {reason}" for name, reason in self.refused.items())]

    def facts(self) -> dict[str, Any]:
        """Return the verdict, the options, and the notes."""
        asked = {name: self.settings[name] for name in ("level", "unit", "target", "method", "draws", "seed")}
        found = {"n_units": self.n_units, "unseen": self.unseen, "refused": self.refused, "notes": self.notes}
        return {"verdict": self.verdict, **asked, **found}

    @property
    def headline(self) -> str:
        """The simulated samples, in one line."""
        asked = self.settings
        about = "" if asked["target"] == "sample" else f" for the population of all {asked['unit']}s"
        kind = f"{100 * asked['level']:.6g} % intervals by the {asked['method']}{about}"
        samples = f"{asked['draws']:,} simulated samples of {self.n_units:,} {asked['unit']}s"
        return f"{kind} in {samples} (seed {asked['seed']})"

    def grid(self) -> Grid:
        """Return the intervals, each with its coverage and verdict."""
        heads = [
            Head("index", "name"),
            Head("score", "score"),
            Head("covers", "share"),
            Head("refused", "share"),
            Head("mean width", "error", level="detail"),
            Head("too low", "share", level="detail"),
            Head("too high", "share", level="detail"),
            Head("verdict"),
        ]
        rows = [
            [
                row.index,
                Cell(row.score, row.low, row.high),
                row.coverage,
                row.refused,
                row.mean_width,
                row.too_low,
                row.too_high,
                row.verdict,
            ]
            for row in self
        ]
        return Grid(heads, rows, self.TITLE)

    def remarks(self) -> Sequence[Prose]:
        """Return the notes."""
        return [f"note: {note}" for note in self.notes]

    def document(self, view: View = SUMMARY) -> Document:
        """Return the document of text, notebook, Markdown, LaTeX and page."""
        from dataclasses import replace

        return replace(super().document(view), verdict=self.verdict)

    def _bodies(self) -> list[Body]:
        known = [row for row in self if row.coverage is not None]
        chart = [Chart("coverage", (6.4, 1.2 + 0.3 * len(known)), self._draw)] if known else []
        return [*super()._bodies(), *chart]

    def _draw(self, ax: Axes) -> Drawn:
        level = self.settings["level"]
        dots = [
            Dot(row.index, row.coverage, row.coverage_low, row.coverage_high, row.holds is not False, row.verdict)
            for row in self
            if row.coverage is not None
        ]
        hover = draw_dots(ax, dots, "coverage", about="share of intervals that contain the target")
        ax.axvline(level, color="#5b6572", linewidth=0.8, linestyle="--")
        note = "The promise is the dashed line; lines are the error of the simulation. What does not hold is grey."
        return Drawn("How often these intervals hold", note, hover)


def check_coverage(
    table: Contingency,
    indices: Sequence[Index[...] | AdjustedIndex],
    request: IntervalRequest,
    draws: int | None = None,
    seed: int = 0,
    progress: Callable[[float], None] | None = None,
) -> CoverageCheck:
    """Simulate the intervals of a table in samples drawn from it; `IntervalMethods.coverage_check` has the options."""
    if draws is not None:
        require_whole("draws", draws, _FEWEST_DRAWS)
    require_whole("seed", seed, 0)
    maker = IntervalMaker(table, request)
    given: dict[Index[...] | AdjustedIndex, Interval] = {}
    refused: dict[str, str] = {}
    for index in indices:
        try:
            given[index] = maker.make(index)
        except UnsupportedTableError as error:
            if len(indices) == 1:
                raise
            refused[index.label] = str(error)
    sample, chosen = maker.sample, list(given)
    world = resample(sample)
    draws = _choose_draws(sample, len(chosen), request) if draws is None else draws
    settings = request.settings | {"unit": sample.unit, "draws": draws, "seed": seed}
    rows: list[CheckedInterval] = []
    if chosen:
        rng, tell = np.random.default_rng(seed), _steps(progress)
        found = simulate(world, interval_ends(chosen, request), draws, rng, tell[0])
        if request.target == "sample" or not isinstance(world, PointWorld):
            targets = mean_targets(world, chosen, found, rng, tell[1])
        else:
            plain = [index for index in chosen if not isinstance(index, AdjustedIndex)]  # all, for this target
            targets = Targets(_score_population(world, sample.table.n_used, plain), 0.0)
            if progress is not None:
                progress(1.0)
        rows = _rows(found, list(given.values()), targets, request)
    unseen = world.unseen if isinstance(world, PointWorld) else 0.0
    return CoverageCheck(rows, settings, int(sample.multiplicity.sum()), refused, unseen)


def _choose_draws(sample: Sample, indices: int, request: IntervalRequest) -> int:
    """Return the number of samples that takes some seconds, between 200 and 1,000."""
    each = 1 + len(sample.multiplicity) / _CELLS_AT_ONCE
    if isinstance(request.unit, GroupedPoints) and not hasattr(sample, "groups"):
        each = float(len(sample.multiplicity))  # a table is made without each group
    if request.method != "jackknife":
        each *= HALF_SAMPLES if request.method == "half-sampling" else BOOTSTRAPS / 10
    return int(min(max(_WORK / (each * max(indices, 1)), _FEWER_DRAWS), _MOST_DRAWS))


def _steps(progress: Callable[[float], None] | None) -> tuple[Callable[[float], None] | None, ...]:
    """Return functions that report the share of the first and of the second step as that of both."""
    if progress is None:
        return None, None
    return lambda share: progress(_FIRST * share), lambda share: progress(_FIRST + (1 - _FIRST) * share)


_FIRST = 0.75
"""Share of the work that makes intervals; the rest scores more samples."""


def _score_population(world: PointWorld, points: int, indices: Sequence[Index[...]]) -> Any:
    """Return the scores of the population of a simulation: its shares, with many more points than the table.

    A score of the table itself would be another one: its pairs have no pair of a point with itself.
    """
    population = world.population(_ALL_POINTS)
    times = population.n_used / points
    return np.array([index.of(population) / times ** growth_of(index) for index in indices])


def _rows(
    found: Simulated, given: Sequence[Interval], about: Targets, request: IntervalRequest
) -> list[CheckedInterval]:
    draws, targets = len(found.scores), about.scores
    covered, too_low, too_high = (of(*about) for of in (found.coverage, found.too_low, found.too_high))
    rows = []
    for place, one in enumerate(given):
        made = int(found.made[:, place].sum())
        known = made > 0 and bool(np.isfinite(targets[place]))
        share = float(covered[place]) if known else None
        low, high = (None, None) if share is None else monte_carlo_limits(round(share * made), made)
        holds, verdict = judge_coverage(request.level, share, (low, high), made, draws)
        if one.low is None:
            verdict = f"no interval here; in samples that have one it {verdict}"
        width = (found.high - found.low)[found.made[:, place], place]
        rows.append(
            CheckedInterval(
                one.index,
                one.score,
                one.low,
                one.high,
                verdict,
                holds,
                share,
                low,
                high,
                1 - made / draws,
                float(width.mean()) if known else None,
                float(too_low[place]) if known else None,
                float(too_high[place]) if known else None,
                float(targets[place]) if np.isfinite(targets[place]) else None,
            )
        )
    return rows


def tolerance(level: float) -> float:
    """Return how far the coverage of an interval that holds may lie below its level.

    >>> tolerance(0.95), round(tolerance(0.99), 3)
    (0.02, 0.004)
    """
    return min(0.02, 0.4 * (1 - level))


def judge_coverage(
    level: float, share: float | None, limits: tuple[float | None, float | None], made: int, draws: int
) -> tuple[bool | None, str]:
    """Return whether an interval holds as often as promised, and the words for it."""
    low, high = limits
    if share is None or low is None or high is None or made < _ENOUGH_MADE:
        return None, f"is made in only {made:,} of {draws:,} samples: too few to tell"
    slack = tolerance(level)
    if high < level - slack:
        return False, f"covers about {_percent(share)}: do not rely on it"
    if share < level - slack:
        return None, f"covers about {_percent(share)}: perhaps too short; draw more samples"
    return True, "holds" if low <= level + slack else f"holds; wider than needed, it covers about {_percent(share)}"


def _percent(share: float | None) -> str:
    return "–" if share is None else share_text(share).replace("%", " %")
