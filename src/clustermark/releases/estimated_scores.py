"""Estimated scores from a sample of the truth; and plan(): the sample size that an interval needs."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from math import ceil, exp, inf, sqrt
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from clustermark.errors import InputError, Mention
from clustermark.evaluation.record import table_facts
from clustermark.registry import index_of
from clustermark.releases import estimates_document
from clustermark.results.canvas import draw_on
from clustermark.results.data import Table
from clustermark.results.document import SUMMARY, Document, Grid, Head, Section
from clustermark.results.result import Result
from clustermark.results.text import Writer
from clustermark.uncertainty.interval import Interval, Intervals
from clustermark.uncertainty.limits import degrees_of, limits_above, reach
from clustermark.uncertainty.refusals import FEWEST_GROUPS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from clustermark.evaluation.record import Record
    from clustermark.registry import Index
    from clustermark.results.data import Columns
    from clustermark.results.document import Prose, View
    from clustermark.uncertainty.spread import Spread


_FEW_RECORDS = 400
"""With fewer single records, the coverage of 95% intervals is higher than that (see docs/sampled-truth.md)."""

_MOST_REACHED = 0.5
"""From this expected number of draws of a cluster, the probability of at least one draw is clearly smaller."""


class TruthSample(NamedTuple):
    """A sample of the truth and its population."""

    design: str
    """A `Design`; or "drawn_records" or "drawn_clusters" by `draw_sample`."""
    unit: str
    """The sampled unit: "cluster" or "record"."""
    sampled: int
    """The number of sampled units."""
    population: float
    """The number of units in the population; estimated if it is not known."""
    known: bool
    """Whether the size of the population is known."""
    labelled: int
    """The number of records with a true label."""
    records: int
    """The number of records of the prediction."""
    strata: int = 0
    """The number of strata; 0 if all units had the same probability."""
    balanced: bool = True
    """False if the probabilities of other records are not known, since this prediction is not that of the draw."""

    @property
    def unseen(self) -> float:
        """The share of the population that was not drawn."""
        return self.unseen_of(self.sampled)

    def unseen_of(self, sampled: int) -> float:
        """Return this share for a sample of another size."""
        if self.design == "clusters_by_record" and not self.known:
            return 1.0
        return max(0.0, 1 - sampled / self.population)


class Estimates(Intervals):
    """Estimated scores by index, each an `Interval`; `refused` has the reason for indices that cannot be estimated."""

    KIND = "estimates"
    FACTS = estimates_document.FACTS
    TABLES: ClassVar[dict[str, Columns]] = {}
    MAIN = "scores"

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
        """Hold the estimates; largest: the size of the largest true cluster of the sample."""
        Intervals.__init__(self, intervals, refused)
        self.sampling = sampling
        """The sample and its population."""
        self.record = record
        self._spreads, self._multiplicity, self._largest = dict(spreads), multiplicity, largest

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on all estimates."""
        return tuple(map(Writer().prose, self._notes()))

    def _notes(self) -> list[Prose]:
        drawn = self.sampling
        if not drawn.balanced:
            return ["the sizes of clusters differ from those of the sample's own prediction: valid, but less precise"]
        if drawn.strata:
            return []
        if drawn.design == "records":
            few = ["intervals from few records are somewhat wide"] if drawn.sampled < _FEW_RECORDS else []
            return ["few pairs of single records belong together: whole labelled clusters are more informative", *few]
        if drawn.known:
            return []
        if drawn.design == "clusters_by_record":
            notes: list[Prose] = [
                [
                    "true clusters are weighted by 1 / size, as if a small share of all records was drawn; if the "
                    "share was large, pass the number of all records as ",
                    Mention("population"),
                ]
            ]
            if drawn.sampled * self._largest > _MOST_REACHED * drawn.records:
                said = "if the prediction contains all records, large clusters would be drawn several times; pass "
                notes.append([said, Mention("population")])
            return notes
        said = f"about {drawn.population:,.0f} true clusters in all, as the sample suggests; "
        return [[said, "if you know the number, pass ", Mention("population")]]

    def remarks(self) -> list[Prose]:
        """Return the notes on all estimates and on some of them, and the refused indices."""
        said: dict[str, list[str]] = {}
        for row in self.values():
            for note in row.notes:
                said.setdefault(note, []).append(row.index)
        reasons: dict[str, list[str]] = {}
        for name, reason in self.refused.items():
            reasons.setdefault(reason.removeprefix(f"{name} "), []).append(name)
        return [
            *self._notes(),
            *(f"{', '.join(names)}: {note}" for note, names in said.items()),
            *(f"not estimated: {', '.join(names)} ({reason})" for reason, names in reasons.items()),
        ]

    def variance_of(self, label: str, sampled: int) -> float:
        """Return the variance of an estimate from this number of clusters or records, drawn in the same way."""
        spread, drawn = self._spreads[label], self.sampling
        if spread.strata is not None:
            return spread.strata.total_of(sampled / drawn.sampled)
        smaller = drawn.sampled / sampled * drawn.unseen_of(sampled) / drawn.unseen
        return (spread.standard_error**2 - spread.of_pairs) * smaller + spread.of_pairs * smaller**2

    def limits_of(self, index: Index[...], error: float, z: float) -> tuple[float, float]:
        """Return the limits of an estimate for this standard error."""
        floor, score = self._spreads[index.label].floor, self[index.label].score
        return limits_above(floor, score, error, z, index.bounds)

    def reach_of(self, label: str, sampled: int) -> float:
        """Return the number of standard errors to each limit of an estimate from this number of clusters or records."""
        degrees = degrees_in(self._spreads[label], self._multiplicity)
        return reach(self.level, degrees * sampled / self.sampling.sampled)

    def doubt(self, label: str) -> float:
        """Return the standard error of the logarithm of the variance of an estimate."""
        if self._spreads[label].strata is not None:
            return sqrt(2 / degrees_in(self._spreads[label], self._multiplicity))
        values, times = np.asarray(self._spreads[label].left_out), self._multiplicity
        n = times.sum()
        away = values - (values * times).sum() / n
        second, fourth = ((away**power * times).sum() / n for power in (2, 4))
        return sqrt(max(fourth / second**2 - (n - 3) / (n - 1), 2 / (n - 1)) / n)

    def facts(self) -> dict[str, Any]:
        """Return the facts of the JSON: the sample, and the interval of each index."""
        sampling = self.sampling._asdict() | {"notes": self.notes}
        return table_facts(self.record) | {
            "verdict": Writer("record").prose(estimates_document.verdict(self)),
            "sampling": sampling,
            "estimates": self,
            "refused": self.refused,
        }

    def tables(self) -> dict[str, Table]:
        """Return the scores, a row for each index."""
        return {"scores": Table(estimates_document.SCORES, list(self.values()))}

    def document(self, view: View = SUMMARY) -> Document:
        """Return the document of text, notebook, Markdown, LaTeX and page."""
        return estimates_document.document(self, view)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the scores with their intervals by matplotlib."""
        size = estimates_document.chart_size(self)
        return draw_on(ax, size, lambda ax: estimates_document.draw_estimates(ax, self))

    @property
    def level(self) -> float:
        """The level of the intervals."""
        return float(self.record.settings["level"])

    @property
    def title(self) -> str:
        """The sample and its population, in one line."""
        drawn = self.sampling
        if drawn.design.startswith("drawn"):
            strata = f" in {drawn.strata:,} strata" if drawn.strata > 1 else ""
            return (
                f"Estimated from {drawn.sampled:,} drawn {drawn.unit}s{strata} ({drawn.labelled:,} records of their "
                f"true clusters) of {drawn.records:,} records"
            )
        said = f"Estimated from {drawn.sampled:,} sampled {drawn.unit}s"
        if drawn.unit == "cluster":
            said += f" ({drawn.labelled:,} records)"
        return f"{said} of {drawn.records:,} records"


def degrees_in(spread: Spread, multiplicity: NDArray[np.int64]) -> float:
    """Return the degrees of freedom of the variance of an estimate, within strata if there are any."""
    return degrees_of(spread.left_out, multiplicity) if spread.strata is None else spread.strata.total_degrees


@dataclass(frozen=True, repr=False)
class Plan(Result):
    """The number of clusters or records to label for an interval of a given width."""

    KIND = "plan"
    FACTS = estimates_document.PLAN
    TABLES: ClassVar[dict[str, Columns]] = {}
    MAIN = "plan"

    index: str
    half_width: float
    needed: int
    """Number by the variance of the pilot."""
    low: int
    """The smallest number that may suffice, because the variance of the pilot is uncertain."""
    high: int
    """The largest number that may be needed; draw this many if you can draw only once."""
    unit: str
    pilot: int
    """Number of units of the pilot; they count if the pilot is part of the sample."""
    level: float

    def facts(self) -> dict[str, Any]:
        """Return the fields by name."""
        return asdict(self)

    def tables(self) -> dict[str, Table]:
        """Return the fields as one row."""
        return {"plan": Table(self.FACTS, [self])}

    def document(self, view: View = SUMMARY) -> Document:  # noqa: ARG002
        """Return the document of text, notebook, Markdown, LaTeX and page."""
        interval = f"{self.index} ± {self.half_width:g} ({self.level:g} interval)"
        doubt = f"{self.low:,} to {self.high:,} may be needed: the variance is estimated from a pilot of {self.pilot:,}"
        heads = [Head(name.replace("_", " "), column.kind) for name, column in self.FACTS.items()]
        return Document(
            title="Sample size",
            headline=f"{interval}: label {self.needed:,} {self.unit}s in all",
            verdict=doubt,
            sections=[
                Section("plan", "Plan", lambda: [Grid(heads, [list(asdict(self).values())], "Plan")], level="summary")
            ],
        )


def plan(pilot: Estimates, half_width: float = 0.02, index: str | Index[...] | None = None) -> Plan:
    """Return how many clusters (or records) must be labelled for an interval of this half width.

    pilot: the result of `estimate` for a first sample, drawn in the same way. Its standard error is uncertain if it is
        small; `low` and `high` show by how much.
    half_width: half the distance between the limits of the interval.
    index: the index of the interval; by default the one that needs most.

    >>> from clustermark import estimate
    >>> truth = {record: record // 3 for record in range(0, 3000) if record // 3 % 7 == 0}
    >>> pilot = estimate(truth, {record: record // 5 for record in range(3000)}, ["pair_recall"], design="clusters")
    >>> plan(pilot, half_width=0.05)
    pair_recall ± 0.05 (0.95 interval): label 143 clusters in all
    134 to 152 may be needed: the variance is estimated from a pilot of 143
    index        half width  needed  low  high  unit     pilot  level
    pair_recall       0.050     143  134   152  cluster    143  95.0%
    """
    if not isinstance(pilot, Estimates):
        raise InputError("pilot: pass the result of estimate()")
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
    doubt = exp(reach(found.level) * pilot.doubt(index.label))

    def units(times: float) -> int:
        """Return the smallest number of units whose interval is narrow enough.

        times: the assumed ratio of the variance to that of the pilot.
        """
        few, many = 1, ceil(drawn.population)
        while few < many:
            middle = (few + many) // 2
            error = sqrt(times * pilot.variance_of(index.label, middle))
            low, high = pilot.limits_of(index, error, pilot.reach_of(index.label, middle)) if error else (0.0, 0.0)
            few, many = (middle + 1, many) if high - low > 2 * half_width else (few, middle)
        return few

    needed, low, high = (max(units(times), FEWEST_GROUPS) for times in (1.0, 1 / doubt, doubt))
    return Plan(index.label, half_width, needed, low, high, drawn.unit, drawn.sampled, found.level)
