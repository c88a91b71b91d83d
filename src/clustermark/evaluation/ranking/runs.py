"""One run of a method against the truth: its table, its scores, and how these vary from sample to sample."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clustermark.errors import UnsupportedTableError
from clustermark.tables.tabulation import tabulate_codes
from clustermark.uncertainty.interval import IntervalMaker, no_interval

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clustermark.evaluation.ranking.entrants import Entrants
    from clustermark.labels import Labeling
    from clustermark.registry import Index
    from clustermark.uncertainty.interval import Interval, Request
    from clustermark.uncertainty.samples import Sample
    from clustermark.uncertainty.spread import Spread


class Run:
    """A prediction, scored."""

    def __init__(self, entrants: Entrants, labeling: Labeling, threads: int | None) -> None:
        self.labeling = labeling
        self.table = tabulate_codes(
            entrants.truth, labeling, entrants.counts, entrants.weights, entrants.policies, threads
        )
        self.scores: dict[str, float] = {}
        self.intervals: dict[str, Interval] = {}
        self.spreads: dict[str, Spread] = {}
        """How each score varies; none of an index that is refused."""
        self.refused: dict[str, str] = {}
        """Why there is none."""
        self.sample: Sample | None = None
        """The units of the table, where it has such."""

    def score(self, indices: Sequence[Index[...]], request: Request) -> None:
        """Score the table, with an interval around each score or the reason why there is none."""
        maker, reason = None, ""
        try:
            maker = IntervalMaker(self.table, request)
            self.sample = maker.sample
        except UnsupportedTableError as error:
            reason = str(error)
        for index in indices:
            value = self.scores[index.label] = index.of(self.table)
            try:
                if maker is None:
                    raise UnsupportedTableError(reason)
                self.intervals[index.label] = maker.make(index)
                self.spreads[index.label] = maker.spreads[index.label]
            except UnsupportedTableError as error:
                self.refused[index.label] = str(error).removeprefix(f"{index.name} ")
                self.intervals[index.label] = no_interval(index, value, self.refused[index.label], request)
