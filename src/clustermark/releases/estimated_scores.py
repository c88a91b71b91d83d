"""Estimated scores from a sample of the truth."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from clustermark.errors import Mention
from clustermark.evaluation.record import table_facts
from clustermark.releases import estimates_document
from clustermark.results.canvas import draw_on
from clustermark.results.data import Table
from clustermark.results.document import SUMMARY, Document
from clustermark.results.text import Writer
from clustermark.uncertainty.interval import Interval, Intervals
from clustermark.uncertainty.limits import degrees_of, limits_above

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
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

    def unseen_of(self, sampled: float) -> float:
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
                text = "if the prediction contains all records, large clusters would be drawn several times; pass "
                notes.append([text, Mention("population")])
            return notes
        text = f"about {drawn.population:,.0f} true clusters in all, as the sample suggests; "
        return [[text, "if you know the number, pass ", Mention("population")]]

    def remarks(self) -> list[Prose]:
        """Return the notes on all estimates and on some of them, and the refused indices."""
        noted: dict[str, list[str]] = {}
        for row in self.values():
            for note in row.notes:
                noted.setdefault(note, []).append(row.index)
        reasons: dict[str, list[str]] = {}
        for name, reason in self.refused.items():
            reasons.setdefault(reason.removeprefix(f"{name} "), []).append(name)
        return [
            *self._notes(),
            *(f"{', '.join(names)}: {note}" for note, names in noted.items()),
            *(f"not estimated: {', '.join(names)} ({reason})" for reason, names in reasons.items()),
        ]

    def variance_of(self, label: str, sampled: float) -> float:
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

    def degrees_of(self, label: str) -> float:
        """Return the degrees of freedom of the variance of an estimate."""
        return degrees_in(self._spreads[label], self._multiplicity)

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
        text = f"Estimated from {drawn.sampled:,} sampled {drawn.unit}s"
        if drawn.unit == "cluster":
            text += f" ({drawn.labelled:,} records)"
        return f"{text} of {drawn.records:,} records"


def degrees_in(spread: Spread, multiplicity: NDArray[np.int64]) -> float:
    """Return the degrees of freedom of the variance of an estimate, within strata if there are any."""
    return degrees_of(spread.left_out, multiplicity) if spread.strata is None else spread.strata.total_degrees
