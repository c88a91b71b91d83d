"""First results, or guesses, of the variance of a score or of a difference: the basis of a plan."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from clustermark.errors import InputError, Mention, require_positive
from clustermark.evaluation.comparison import Comparison
from clustermark.evaluation.partitions import PartitionEvaluation
from clustermark.registry import index_of
from clustermark.releases.estimated_scores import Estimates
from clustermark.releases.judgements.judging import Judgements
from clustermark.uncertainty.interval import IntervalRequest
from clustermark.uncertainty.limits import IntervalMaker, degrees_of, limits, reach

if TYPE_CHECKING:
    from collections.abc import Callable

    from clustermark.registry import Index
    from clustermark.uncertainty.interval import PointGroups, Unit
    from clustermark.uncertainty.spread import Spread


class Guess(NamedTuple):
    """A guess in place of a pilot: the standard error that a number of units has, as a paper or a table says it.

    >>> Guess(standard_error=0.02, units=400, unit="document").error_of(1600)
    0.01
    """

    standard_error: float
    """The standard error of the score, or of the difference of two."""
    units: int
    """The number of units with which it has that."""
    unit: str = "unit"
    """The sampled unit, such as "document"."""
    degrees: float = inf
    """The number of units that make the variance, if it was estimated from few; by default it counts as known."""

    def error_of(self, units: float) -> float:
        """Return the standard error with another number of units."""
        return float(self.standard_error * (self.units / units) ** 0.5)


class Pilot(NamedTuple):
    """An estimate and its variance, for any number of units."""

    name: str
    """The index, or the two methods that differ by it."""
    unit: str
    units: int
    """The number of units of the pilot."""
    level: float
    variance: Callable[[float], float]
    """The variance with a number of units."""
    limits: Callable[[float, float], tuple[float, float]]
    """The limits for a standard error, and a number of these."""
    degrees: float = inf
    """Degrees of freedom of the variance."""
    population: float = inf
    growth: float = 0.0
    """The variance with the units of the pilot grows by this for each unit by which the difference grows."""
    difference: float = 0.0
    """The observed difference."""

    def degrees_of(self, units: float) -> float:
        """Return the degrees of freedom with another number of units; also where the pilot's variance is known."""
        grown = self.degrees * units / self.units
        return grown if self.unit == "point" else min(grown, units - 1.0)

    def reach_of(self, units: float) -> float:
        """Return the number of standard errors to each limit; over points intervals do without Student's t."""
        return reach(self.level, inf if self.unit == "point" else self.degrees_of(units))


class ReadPilot(Protocol):
    """Reads a pilot of one kind."""

    def __call__(self, pilot: Any, asked: PilotRequest) -> list[Pilot]:
        """Return what can be planned by it."""
        ...


@dataclass(frozen=True)
class PilotRequest:
    """The quantity that is planned."""

    index: str | Index[...] | None = None
    methods: str | Sequence[str] | None = None
    unit: Unit | PointGroups | None = None
    level: float | None = None

    def refuse(self, *names: str) -> None:
        """Refuse options that a pilot of this kind determines."""
        for name in names:
            if (value := getattr(self, name)) is not None:
                raise InputError(Mention(name, value), ": the pilot says it; leave it out")


def read_pilots(pilot: Any, asked: PilotRequest) -> list[Pilot]:
    """Return what can be planned by a pilot: one index, or all that it has if none was named."""
    for kind, reader in _READERS.items():
        if isinstance(pilot, kind):
            return reader(pilot, asked)
    raise InputError(
        "pilot: pass the result of estimate(), evaluate(), compare() or judge(), or a Guess of the standard error"
    )


def _of_guess(guess: Guess, asked: PilotRequest) -> list[Pilot]:
    asked.refuse("index", "methods", "unit")
    require_positive("standard_error", guess.standard_error, 0.02)
    require_positive("units", guess.units, 400)
    if guess.degrees != inf:
        require_positive("degrees", guess.degrees, 20)
    if not isinstance(guess.unit, str) or not guess.unit:
        raise InputError(Mention("unit", guess.unit), " must be a word, such as 'document'")
    how = (lambda units: guess.error_of(units) ** 2, _around_zero)
    return [Pilot("guess", guess.unit, guess.units, _level_of(asked), *how, guess.degrees)]


def _level_of(asked: PilotRequest) -> float:
    return IntervalRequest(0.95 if asked.level is None else asked.level).level


def _around_zero(error: float, z: float) -> tuple[float, float]:
    return -z * error, z * error


def _of_estimates(pilot: Estimates, asked: PilotRequest) -> list[Pilot]:
    asked.refuse("methods", "unit", "level")
    if asked.index is not None:
        return [_of_estimate(pilot, index_of(asked.index))]
    sure = [index_of(name) for name, one in pilot.items() if one.low is not None]
    if not sure:
        raise InputError("pilot: none of its estimates has an interval; draw a larger one")
    return [_of_estimate(pilot, index) for index in sure]


def _of_estimate(pilot: Estimates, index: Index[...]) -> Pilot:
    if index.label not in pilot:
        raise InputError(f"index: {pilot.refused.get(index.label, f'{index.label} was not estimated in the pilot')}")
    found, drawn = pilot[index.label], pilot.sampling
    if found.low is None or found.standard_error is None:
        raise InputError(f"index: {index.label} has no interval in the pilot ({'; '.join(found.notes)})")
    return Pilot(
        index.label,
        drawn.unit,
        drawn.sampled,
        found.level,
        lambda units: pilot.variance_of(index.label, units),
        lambda error, z: pilot.limits_of(index, error, z),
        pilot.degrees_of(index.label),
        drawn.population,
    )


def _of_evaluation(pilot: PartitionEvaluation, asked: PilotRequest) -> list[Pilot]:
    asked.refuse("methods")
    unit: Any = "point" if asked.unit is None else asked.unit
    request = IntervalRequest(_level_of(asked), pilot._units(unit))
    maker = IntervalMaker(pilot.table, request)
    index = pilot.indices[0] if asked.index is None else index_of(asked.index)
    found = maker.make(index)
    if found.low is None or found.standard_error is None:
        raise InputError(f"index: {index.label} has no interval in the pilot ({'; '.join(found.notes)})")
    error, bounds, n = found.standard_error, index.bounds_on(pilot.table), found.n_units
    return [
        Pilot(
            index.label,
            found.unit,
            n,
            found.level,
            lambda units: error**2 * n / units,
            lambda error, z: limits(found.score, error, z, bounds),
            _degrees(maker.spreads[index.label], maker.sample.multiplicity, n),
        )
    ]


def _degrees(spread: Spread, multiplicity: Any, n: int) -> float:
    if spread.left_out is None:
        return float(n - 1)
    times = multiplicity
    if spread.classes is not None:  # several entries are a class
        times = np.bincount(spread.classes, multiplicity, len(spread.left_out)).astype(np.int64)
    return degrees_of(spread.left_out, times)


def _of_comparison(pilot: Comparison, asked: PilotRequest) -> list[Pilot]:
    asked.refuse("unit", "level")
    if not isinstance(asked.methods, str | Sequence | None):
        raise InputError(Mention("methods", asked.methods), " must be the name of a method, or a list of two names")
    wanted = [asked.methods] if isinstance(asked.methods, str) else list(asked.methods or pilot.methods)
    if len(wanted) > 2 or not wanted:
        raise InputError(Mention("methods", wanted), " must name one method for its score, or two for their difference")
    spread = pilot.spread_of(wanted, asked.index)
    if spread.variance is None or not spread.variance > 0:
        raise InputError(f"pilot: the variance of {' and '.join(wanted)} is not known ({'; '.join(spread.notes) or 0})")
    index = pilot.indices[0] if asked.index is None else index_of(asked.index)
    scores = [pilot.score(method, index.label) for method in wanted]
    variance, n = spread.variance, spread.n_units
    plain = limits if len(wanted) == 1 else None
    return [
        Pilot(
            f"{index.label} of {' - '.join(wanted)}",
            pilot.unit,
            n,
            pilot.level,
            lambda units: variance * n / units,
            _around_zero if plain is None else lambda error, z: plain(scores[0], error, z, index.bounds),
            spread.degrees,
            growth=spread.growth,
            difference=scores[0] - scores[-1],
        )
    ]


def _of_judgements(pilot: Judgements, asked: PilotRequest) -> list[Pilot]:
    asked.refuse("methods", "unit", "level")
    name = pilot.questions.design.index if asked.index is None else str(asked.index)
    found = pilot[name]
    if not found.known:
        raise InputError(f"index: {name} is not known from these answers")
    n = found.n
    error = (found.high - found.low) / 2 / reach(pilot.level)
    how = (lambda units: error**2 * n / units, _around_zero)
    return [Pilot(name, "question", n, pilot.level, *how, float(max(n - 1, 1)))]


_READERS: dict[type, Callable[[Any, PilotRequest], list[Pilot]]] = {
    Guess: _of_guess,
    Estimates: _of_estimates,
    PartitionEvaluation: _of_evaluation,
    Comparison: _of_comparison,
    Judgements: _of_judgements,
}
