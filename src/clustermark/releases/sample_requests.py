"""How a truth sample was drawn, as the arguments of estimate() say it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, get_args

from clustermark.errors import InputError, Mention, require_share
from clustermark.releases.drawn_units import units_by_cluster, units_by_record
from clustermark.uncertainty.sampled_truth import Design

if TYPE_CHECKING:
    from clustermark.releases.drawn_units import MakeUnits


class SampleRequest(NamedTuple):
    """How a truth sample was drawn."""

    design: Design | None
    population: int | Mapping[Any, int] | None = None
    level: float = 0.95
    drawn: Any = None
    probability: Mapping[Any, float] | str | None = None
    sampling_weights: Mapping[Any, float] | str | None = None
    strata: Mapping[Any, Any] | str | None = None

    def check(self) -> None:
        """Refuse designs and levels that do not exist, and options that exclude each other."""
        if self.drawn is None:
            _check(self.design, self.level)
        else:
            _check("records", self.level)
            if self.design is not None:
                raise InputError(Mention("design", self.design), ": ", Mention("drawn"), " says it; leave it out")
        unequal = {name: value for name in _UNEQUAL if (value := getattr(self, name)) is not None}
        for name in unequal:
            if self.design != "clusters":
                raise InputError(Mention(name), " is for ", Mention("design", "clusters"), _BY_RECORD)
        if isinstance(self.population, Mapping) and (self.strata is None or len(unequal) > 1):
            raise InputError(Mention("population"), ": a number for each stratum needs ", Mention("strata"), " alone")
        if self.population is not None and (
            self.drawn is not None or (unequal and not isinstance(self.population, Mapping))
        ):
            raise InputError(Mention("population"), ": the probabilities say it; leave it out")

    def units(self, truth: Any, options: Mapping[str, Any]) -> MakeUnits | None:
        """Return what makes units drawn with unequal probabilities; None if all have the same."""
        if self.drawn is not None:
            return units_by_record(self.drawn, truth, options)
        if not any(getattr(self, name) is not None for name in _UNEQUAL):
            return None
        named = {name: getattr(self, name) for name in _UNEQUAL}
        population = self.population if isinstance(self.population, Mapping) else None
        return units_by_cluster(truth, options, **named, population=population)


_UNEQUAL = ("probability", "sampling_weights", "strata")
_BY_RECORD = "; the probabilities of drawn records are those of drawn="


def _check(design: object, level: object) -> None:
    if not isinstance(design, str) or design not in get_args(Design):
        raise InputError(Mention("design", design), " is unknown; choose ", Mention("design", *get_args(Design)))
    require_share("level", level, 0.95)
