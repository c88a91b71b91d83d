"""plan() and power(): how many units an interval or a decision needs, and how likely it is with a number of units."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, isfinite
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from clustermark.errors import InputError, Mention, require_positive, require_share, require_whole
from clustermark.releases.pilots import PilotRequest, read_pilots
from clustermark.results.canvas import TRUE, Drawn, calm, draw_on
from clustermark.results.data import Column, Table
from clustermark.results.document import SUMMARY, Chart, Document, Grid, Head, Section
from clustermark.results.result import Result
from clustermark.uncertainty.refusals import FEWEST_GROUPS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

    from clustermark.registry import Index
    from clustermark.releases.pilots import Pilot
    from clustermark.results.data import Columns
    from clustermark.results.document import View
    from clustermark.uncertainty.interval import PointGroups, Unit

_MOST = 1 << 50
"""No plan needs more units."""
_SHOWN = (0.5, 0.8, 0.9, 0.95)
_QUADRATURE = (np.arange(64) + 0.5) / 64
"""Probabilities at whose quantiles the unknown variance is tried."""


class Goal(NamedTuple):
    """The aim of a sample: a half width of the interval, or that an interval shows a difference."""

    half_width: float | None = None
    difference: float | None = None

    def check(self) -> Goal:
        """Return the goal with plain numbers, after a check; a half width of 0.02 if nothing is wanted."""
        given = {name: value for name, value in self._asdict().items() if value is not None}
        if len(given) > 1:
            raise InputError("plan for a ", Mention("half_width"), " or for a ", Mention("difference"), "; pass one")
        for name, value in (given or {"half_width": 0.02}).items():
            return Goal(**{name: require_positive(name, value, 0.02)})
        return self  # not reached

    @property
    def words(self) -> str:
        """The goal in a few words."""
        if self.half_width is not None:
            return f"for ± {self.half_width:g}"
        return f"to show a difference of {self.difference:g}"


class Assurance(NamedTuple):
    """The number of units that reaches a goal with a probability."""

    assurance: float
    units: int


@dataclass(frozen=True, repr=False)
class Plan(Result):
    """The number of units that reaches a half width of an interval, or shows a difference, with a probability."""

    KIND = "plan"
    FACTS: ClassVar[Columns] = {
        "index": Column("name"),
        "half_width": Column("error", optional=True, doc="the wanted half width of the interval"),
        "difference": Column("error", optional=True, doc="or the true difference that is to be shown"),
        "assurance": Column("share", doc="the probability of reaching that"),
        "needed": Column("count", doc="the number of units that has this probability"),
        "unit": Column("name", doc="what is sampled"),
        "pilot": Column("count", doc="the number of units of the pilot"),
        "level": Column("share", doc="the level of the interval"),
    }
    TABLES: ClassVar[dict[str, Columns]] = {
        "assurances": {"assurance": Column("share"), "units": Column("count")},
    }
    MAIN = "plan"

    index: str
    half_width: float | None
    difference: float | None
    assurance: float
    """The probability of reaching the goal, with the uncertain variance of the pilot taken into account."""
    needed: int
    unit: str
    pilot: int
    level: float
    assurances: tuple[Assurance, ...]
    """The number of units for other probabilities."""
    _read: Pilot

    def facts(self) -> dict[str, Any]:
        """Return the fields by name."""
        return {name: getattr(self, name) for name in self.FACTS}

    def tables(self) -> dict[str, Table]:
        """Return the fields as one row, and the number of units for each probability."""
        return {
            "plan": Table(self.FACTS, [self]),
            "assurances": Table(self.TABLES["assurances"], self.assurances),
        }

    @property
    def goal(self) -> Goal:
        """The aim of the sample."""
        return Goal(self.half_width, self.difference)

    def document(self, view: View = SUMMARY) -> Document:  # noqa: ARG002
        """Return the document of text, notebook, Markdown, LaTeX and page."""
        heads = [Head("probability", "share"), Head(f"{self.unit}s", "count")]
        return Document(
            title="Sample size",
            headline=f"{self.index}: {self.needed:,} {self.unit}s in all, {self.goal.words} with a probability of "
            f"{100 * self.assurance:g} %",
            verdict=f"By a pilot of {self.pilot:,} {self.unit}s; the probability knows how uncertain that is."
            if isfinite(self._read.degrees)
            else f"By a guess for {self.pilot:,} {self.unit}s, whose variance is taken as known.",
            sections=[
                Section(
                    "plan",
                    "Plan",
                    lambda: [
                        Grid(heads, [list(one) for one in self.assurances], "Plan"),
                        Chart("plan", (6.4, 3.0), self._draw, alone=True),
                    ],
                    level="summary",
                )
            ],
        )

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the probability by the number of units by matplotlib."""
        return draw_on(ax, (6.4, 3.0), self._draw)

    def _draw(self, ax: Axes) -> Drawn:
        most = max(self.assurances[-1].units * 1.15, self.assurances[0].units + 2)
        units = np.unique(np.linspace(max(FEWEST_GROUPS, self.assurances[0].units / 3), most, 60).round())
        ax.plot(units, [100 * probability(self._read, self.goal, number) for number in units], color=TRUE)
        ax.axhline(100 * self.assurance, linestyle=":", linewidth=0.8, color="0.5")
        ax.axvline(self.needed, linestyle=":", linewidth=0.8, color="0.5")
        ax.set_xlabel(f"{self.unit}s")
        ax.set_ylabel("probability, %")
        ax.set_ylim(0, 102)
        calm(ax)
        return Drawn(
            "Probability of reaching the goal", f"The probability {self.goal.words}, by the number of {self.unit}s.", {}
        )


def plan(
    pilot: Any,
    half_width: float | None = None,
    index: str | Index[...] | None = None,
    *,
    difference: float | None = None,
    assurance: float = 0.8,
    methods: str | Sequence[str] | None = None,
    unit: Unit | PointGroups | None = None,
    level: float | None = None,
) -> Plan:
    """Return how many units are needed for an interval of this half width, or to show a difference.

    pilot: a first result: of `estimate` (clusters or records to label), of `evaluate` or `compare` (points, components,
        groups), of `judge` (questions); or a `Guess` of the standard error. Its variance is uncertain if it is small.
    half_width: half the distance between the limits of the interval, 0.02 by default.
    difference: instead, a true difference from a fixed score, or between two methods; the interval is to exclude 0.
    assurance: the probability of reaching that. For a difference it is the power of the test. It is a mean over the
        variances that are likely by the pilot, so a small pilot makes the number larger.
    index: the index of the interval; by default that of the evaluation or comparison, or the estimate that needs most.
    methods: of a comparison: a method, for its score, or two, for their difference; by default the only two.
    unit: of an evaluation: "point", "component" or the group of each point, as in `evaluation.interval`.
    level: the level of the interval, for evaluations and guesses; other pilots have their own.

    >>> from clustermark import estimate
    >>> truth = {record: record // 3 for record in range(0, 3000) if record // 3 % 7 == 0}
    >>> pilot = estimate(truth, {record: record // 5 for record in range(3000)}, ["pair_recall"], design="clusters")
    >>> plan(pilot, half_width=0.05)
    pair_recall: 160 clusters in all, for ± 0.05 with a probability of 80 %
    By a pilot of 143 clusters; the probability knows how uncertain that is.
    probability  clusters
          50.0%       143
          80.0%       160
          90.0%       170
          95.0%       178
    """
    require_share("assurance", assurance, 0.8)
    goal = Goal(half_width, difference).check()
    pilots = read_pilots(pilot, PilotRequest(index, methods, unit, level))
    wanted = max(pilots, key=lambda one: _units_for(one, goal, assurance))
    rows = [Assurance(share, _units_for(wanted, goal, share)) for share in sorted({*_SHOWN, assurance})]
    needed = next(row.units for row in rows if row.assurance == assurance)
    return Plan(
        wanted.name,
        goal.half_width,
        goal.difference,
        assurance,
        needed,
        wanted.unit,
        wanted.units,
        wanted.level,
        tuple(rows),
        wanted,
    )


def power(
    pilot: Any,
    units: int,
    *,
    half_width: float | None = None,
    difference: float | None = None,
    index: str | Index[...] | None = None,
    methods: str | Sequence[str] | None = None,
    unit: Unit | PointGroups | None = None,
    level: float | None = None,
) -> float:
    """Return the probability with which a number of units reaches a half width, or shows a difference.

    The arguments are those of `plan`. If no index is named, all intervals of an estimate must be as narrow as that; the
    least of their probabilities is returned.

    >>> from clustermark import Guess
    >>> round(power(Guess(standard_error=0.02, units=400, unit="document"), 400, difference=0.05), 2)
    0.7
    """
    require_whole("units", units, 1)
    goal = Goal(half_width, difference).check()
    return min(probability(one, goal, units) for one in read_pilots(pilot, PilotRequest(index, methods, unit, level)))


def probability(pilot: Pilot, goal: Goal, units: float) -> float:
    """Return the probability that a sample of this number of units reaches the goal."""
    units = min(units, pilot.population)
    if units < 2:
        return 0.0  # one unit has no variance
    if goal.half_width is not None:
        return _narrow(pilot, goal.half_width, units)
    return _shown(pilot, float(goal.difference or 0.0), units)


def _narrow(pilot: Pilot, half_width: float, units: float) -> float:
    """Return the probability that the half width is at most the wanted one.

    The variance that a sample estimates, divided by the one that the pilot expects, follows Fisher's F distribution,
    with Satterthwaite's degrees of freedom of both.
    """
    from scipy.special import chdtr, fdtr

    degrees, expected = min(pilot.degrees_of(units), units - 1.0), pilot.variance(units)
    widest = _widest_error(pilot, half_width, pilot.reach_of(units))
    if expected <= 0 or widest == inf:
        return 1.0
    ratio = widest**2 / expected
    if isfinite(pilot.degrees):
        return float(fdtr(degrees, pilot.degrees, ratio))
    return float(chdtr(degrees, degrees * ratio))  # the pilot's variance is known


def _widest_error(pilot: Pilot, half_width: float, z: float) -> float:
    """Return the largest standard error whose interval is narrow enough; infinite if every one is."""

    def width(error: float) -> float:
        low, high = pilot.limits(error, z)
        return high - low

    few, many = 0.0, half_width / z
    while width(many) <= 2 * half_width:
        few, many = many, 2 * many
        if many > 1e9:
            return inf
    for _ in range(60):
        middle = (few + many) / 2
        few, many = (middle, many) if width(middle) <= 2 * half_width else (few, middle)
    return few


def _shown(pilot: Pilot, difference: float, units: float) -> float:
    """Return the probability that the interval of a difference excludes 0, on the side of the true difference.

    It is a mean over the variances that are likely by the pilot: its own, times degrees of freedom, divided by a
    quantile of their chi-squared distribution.
    """
    from scipy.special import chdtri, nctdtr, ndtr

    more = max(difference - abs(pilot.difference), 0.0) * pilot.growth * pilot.units / units
    expected = pilot.variance(units) + more
    if expected <= 0:
        return 1.0
    degrees = pilot.degrees_of(units)
    shares = chdtri(pilot.degrees, _QUADRATURE) / pilot.degrees if isfinite(pilot.degrees) else np.ones(1)
    away = difference * np.sqrt(shares / expected)
    z = pilot.reach_of(units)
    return float(np.mean(1 - nctdtr(degrees, away, z) if isfinite(degrees) else ndtr(away - z)))


def _units_for(pilot: Pilot, goal: Goal, assurance: float) -> int:
    """Return the smallest number of units that reaches the goal with this probability."""
    least = 1 if pilot.unit == "point" else FEWEST_GROUPS
    most = min(pilot.population, _MOST)
    few, many = least, least
    while probability(pilot, goal, many) < assurance:
        if many >= most:
            if most < _MOST:
                return round(most)  # all that there are
            raise InputError(f"no number of {pilot.unit}s is enough {goal.words} with a probability of {assurance:g}")
        few, many = many + 1, min(2 * many, int(np.ceil(most)))
    while few < many:
        middle = (few + many) // 2
        few, many = (few, middle) if probability(pilot, goal, middle) >= assurance else (middle + 1, many)
    return few
