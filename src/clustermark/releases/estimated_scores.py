"""What `estimate` returns."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, exp, inf, sqrt
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clustermark.errors import InputError, Mention, spell
from clustermark.registry import index_of
from clustermark.report.estimates import html, latex
from clustermark.report.record import estimates_document
from clustermark.results.files import write_text
from clustermark.results.frames import Columnar
from clustermark.results.json import json_text
from clustermark.results.text import align
from clustermark.uncertainty.interval import Interval, Intervals
from clustermark.uncertainty.limits import FEWEST_GROUPS, limits_above

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from os import PathLike

    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from clustermark.registry import Index
    from clustermark.report.record import Record
    from clustermark.uncertainty.sampled_truth import Design
    from clustermark.uncertainty.spread import Spread


_FEW_RECORDS = 400
"""Of fewer, drawn one by one, 95 % intervals hold more often than that (see docs/sampled-truth.md)."""

_MOST_REACHED = 0.5
"""If a cluster is reached so often on average or more, its chance to be reached at all is far from that."""


class TruthSample(NamedTuple):
    """What was drawn, and of how much."""

    design: Design
    unit: str
    """What was drawn: a cluster, or a record."""
    sampled: int
    """How many of them."""
    population: float
    """Of how many; estimated, where nobody knows."""
    known: bool
    """Whether that is known."""
    labelled: int
    """How many records have a true label."""
    records: int
    """How many records the prediction has."""

    @property
    def unseen(self) -> float:
        """The share of the population that was not drawn: a sample of all has no error."""
        return self.unseen_of(self.sampled)

    def unseen_of(self, sampled: int) -> float:
        """The same for a sample of another size."""
        if self.design == "clusters_by_record" and not self.known:
            return 1.0
        return max(0.0, 1 - sampled / self.population)


class Estimates(Intervals, Columnar):
    """The estimated scores of indices by their names, each with its interval.

    `refused` says which indices cannot be estimated, and why.
    """

    def __init__(
        self,
        intervals: Mapping[str, Interval],
        refused: Mapping[str, str],
        sampling: TruthSample,
        record: Record,
        spreads: Mapping[str, Spread],
        multiplicity: NDArray[np.int64],
        largest: float,
    ) -> None:
        """largest: the size of the largest true cluster of the sample."""
        super().__init__(intervals, refused)
        self.sampling = sampling
        """What was drawn, and of how much."""
        self.record = record
        self._spreads, self._multiplicity, self._largest = dict(spreads), multiplicity, largest

    @property
    def notes(self) -> tuple[str, ...]:
        """What to know of all of them."""
        return tuple(self._notes(str))

    def _notes(self, mention: Callable[[Mention], str]) -> list[str]:
        drawn = self.sampling
        if drawn.design == "records":
            few = ["intervals from few records are somewhat wide"] if drawn.sampled < _FEW_RECORDS else []
            return [
                "of records drawn one by one few are pairs: as many labelled in whole clusters would tell more",
                *few,
            ]
        if drawn.known:
            return []
        if drawn.design == "clusters_by_record":
            said = "true clusters weigh one over their size, as if few of all records had been drawn; if many were, "
            notes = [spell([said, "say by ", Mention("population"), " how many records there are in all"], mention)]
            if drawn.sampled * self._largest > _MOST_REACHED * drawn.records:
                said = "if the prediction has all records, large clusters would be reached several times; give "
                notes.append(spell([said, Mention("population")], mention))
            return notes
        said = f"about {drawn.population:,.0f} true clusters in all, as the sample suggests; if you know it, "
        return [spell([said, "say it by ", Mention("population")], mention)]

    def variance_of(self, label: str, sampled: int) -> float:
        """The variance that an estimate would have from so many clusters or records, drawn in the same way."""
        spread, drawn = self._spreads[label], self.sampling
        smaller = drawn.sampled / sampled * drawn.unseen_of(sampled) / drawn.unseen
        return (spread.standard_error**2 - spread.of_pairs) * smaller + spread.of_pairs * smaller**2

    def limits_of(self, index: Index[...], error: float, z: float) -> tuple[float, float]:
        """The limits of an estimate as they are made, were this its standard error."""
        floor, score = self._spreads[index.label].floor, self[index.label].score
        return limits_above(floor, score, error, z, index.bounds)

    def doubt(self, label: str) -> float:
        """How uncertain the variance of an estimate is: the standard error of its logarithm."""
        values, times = np.asarray(self._spreads[label].left_out), self._multiplicity
        n = times.sum()
        away = values - (values * times).sum() / n
        second, fourth = ((away**power * times).sum() / n for power in (2, 4))
        return sqrt(max(fourth / second**2 - (n - 3) / (n - 1), 2 / (n - 1)) / n)

    def to_dict(self) -> dict[str, list[Any]]:
        """The columns `index`, `score`, `low`, `high`, `standard_error` and `notes`."""
        rows = list(self.values())
        columns: dict[str, list[Any]] = {
            name: [getattr(row, name) for row in rows] for name in ("index", "score", "low", "high", "standard_error")
        }
        return columns | {"notes": ["; ".join(row.notes) for row in rows]}

    def to_json(self, indent: int | None = None) -> str:
        """All of it as JSON; `json_schema()` says how."""
        return json_text(self.to_document(), indent)

    def to_document(self) -> dict[str, Any]:
        """What `to_json` writes."""
        said = self.sampling._asdict() | {"notes": list(self.notes)}
        return estimates_document(self.record, said, self, self.refused)

    def write_json(self, path: str | PathLike[str], *, overwrite: bool = False) -> None:
        """Write the JSON to a file."""
        write_text(self.to_json(indent=2) + "\n", path, overwrite=overwrite)

    def to_latex(self, digits: int | None = None) -> str:
        """A LaTeX tabular for the package booktabs: 0.67 ± 0.03, with as many digits as the interval warrants."""
        return latex(self, digits)

    def write_latex(self, path: str | PathLike[str], *, overwrite: bool = False, digits: int | None = None) -> None:
        """Write `to_latex()` to a file."""
        write_text(self.to_latex(digits), path, overwrite=overwrite)

    def plot(self, ax: Axes | None = None) -> Axes:
        """The scores with their intervals, by matplotlib."""
        from clustermark.report.charts.estimates import plot_estimates

        return plot_estimates(self, ax)

    def report(self, title: str | None = None) -> str:
        """A page of HTML that shows it all, and loads nothing else."""
        from clustermark.report.page import estimates

        return estimates.html(self, title)

    def write_report(self, path: str | PathLike[str], title: str | None = None, *, overwrite: bool = False) -> None:
        """Write `report()` to a file: one page that can be sent, kept and printed."""
        write_text(self.report(title), path, overwrite=overwrite)

    def _repr_html_(self) -> str:
        return html(self)

    @property
    def level(self) -> float:
        """The level of the intervals."""
        return float(self.record.settings["level"])

    @property
    def title(self) -> str:
        """What was drawn of what, in words."""
        drawn = self.sampling
        said = f"Estimated from {drawn.sampled:,} sampled {drawn.unit}s"
        if drawn.unit == "cluster":
            said += f" ({drawn.labelled:,} records)"
        return f"{said} of {drawn.records:,} records"

    def lines(self) -> list[list[str]]:
        """Index, score, interval and standard error of each, as texts."""
        rows = [["index", "score", "low", "high", "standard error"]]
        for row in self.values():
            numbers = (row.score, row.low, row.high, row.standard_error)
            rows.append([row.index, *("–" if number is None else f"{number:.4f}" for number in numbers)])
        return rows

    def remarks(self, mention: Callable[[Mention], str] = str) -> list[str]:
        """What to know of all estimates and of some, and what is refused, each in a line; `mention` spells options."""
        said: dict[str, list[str]] = {}
        for row in self.values():
            for note in row.notes:
                said.setdefault(note, []).append(row.index)
        remarks = [*self._notes(mention), *(f"{', '.join(names)}: {note}" for note, names in said.items())]
        reasons: dict[str, list[str]] = {}
        for name, reason in self.refused.items():
            reasons.setdefault(reason.removeprefix(f"{name} "), []).append(name)
        return remarks + [f"not estimated: {', '.join(names)} ({reason})" for reason, names in reasons.items()]

    def __repr__(self) -> str:
        return "\n".join([self.title, align(self.lines()), *self.remarks()])


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
