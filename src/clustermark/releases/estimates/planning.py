"""plan(): how many clusters or records must be labelled for an interval that is narrow enough."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, exp, inf, sqrt
from statistics import NormalDist
from typing import TYPE_CHECKING

from clustermark.errors import InputError, Mention
from clustermark.registry import index_of
from clustermark.releases.estimates.results import Estimates
from clustermark.uncertainty.refusals import FEWEST_GROUPS

if TYPE_CHECKING:
    from clustermark.registry import Index


@dataclass(frozen=True, repr=False)
class Plan:
    """How many clusters or records must be labelled in all, for an interval so narrow."""

    index: str
    half_width: float
    needed: int
    """By the spread that the pilot shows."""
    low: int
    """As few may do, since a pilot does not know its own spread well."""
    high: int
    """As many may be needed, for the same reason: plan for so many if you can draw only once."""
    unit: str
    pilot: int
    """So many of them the pilot has already, if it is part of the sample."""
    level: float

    def __repr__(self) -> str:
        unit = f"{self.unit}s"
        return (
            f"{self.index} ± {self.half_width:g} ({self.level:g} interval): label {self.needed:,} {unit} in all; "
            f"or {self.low:,} to {self.high:,},\nbecause a pilot of {self.pilot:,} does not know the spread better"
        )


def plan(pilot: Estimates, half_width: float = 0.02, index: str | Index[...] | None = None) -> Plan:
    """How many clusters (or records) must be labelled, for an interval of this half width.

    pilot: what `estimate` made of a first sample, drawn in the same way; the standard error of a small one is itself
        uncertain, and `low` and `high` say how much.
    half_width: half of what is to lie between the limits of the interval.
    index: the index that is to be so sure; by default the one that needs most.

    >>> from clustermark import estimate
    >>> truth = {record: record // 3 for record in range(0, 3000) if record // 3 % 7 == 0}
    >>> pilot = estimate(truth, {record: record // 5 for record in range(3000)}, ["pair_recall"], design="clusters")
    >>> plan(pilot, half_width=0.05)
    pair_recall ± 0.05 (0.95 interval): label 141 clusters in all; or 132 to 150,
    because a pilot of 143 does not know the spread better
    """
    if not isinstance(pilot, Estimates):
        raise InputError("pilot: pass what estimate() returned")
    if not isinstance(half_width, float | int) or isinstance(half_width, bool) or not 0 < half_width < inf:
        raise InputError(Mention("half_width", half_width), " must be a number above 0, such as 0.02")
    if index is not None:
        return _plan(pilot, index_of(index), float(half_width))
    sure = [index_of(name) for name, one in pilot.items() if one.low is not None]
    if not sure:
        raise InputError("pilot: none of its estimates has an interval; draw a larger one")
    return max((_plan(pilot, one, float(half_width)) for one in sure), key=lambda made: made.needed)


def _plan(pilot: Estimates, index: Index[...], half_width: float) -> Plan:
    if index.label not in pilot:
        raise InputError(f"index: {pilot.refused.get(index.label, f'{index.label} was not estimated in the pilot')}")
    found, drawn = pilot[index.label], pilot.sampling
    if found.low is None or found.standard_error is None:
        raise InputError(f"index: {index.label} has no interval in the pilot ({'; '.join(found.notes)})")
    z = NormalDist().inv_cdf((1 + found.level) / 2)
    doubt = exp(z * pilot.doubt(index.label))

    def units(times: float) -> int:
        """The fewest units whose interval is narrow enough: all of them leave no doubt, so there are such.

        times: by how much the spread may be larger than in the pilot.
        """
        few, many = 1, ceil(drawn.population)
        while few < many:
            middle = (few + many) // 2
            error = sqrt(times * pilot.variance_of(index.label, middle))
            low, high = pilot.limits_of(index, error, z) if error else (0.0, 0.0)
            few, many = (middle + 1, many) if high - low > 2 * half_width else (few, middle)
        return few

    needed, low, high = (max(units(times), FEWEST_GROUPS) for times in (1.0, 1 / doubt, doubt))
    return Plan(index.label, half_width, needed, low, high, drawn.unit, drawn.sampled, found.level)
