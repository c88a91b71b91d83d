"""Scores over thresholds: what a sweep returns, whatever it was made of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clustermark.errors import InputError, Mention
from clustermark.registry import index_of
from clustermark.report.text import quantity
from clustermark.report.thresholds import html, latex, sweep_document
from clustermark.results.files import write_text
from clustermark.results.frames import Columnar
from clustermark.results.json import json_text
from clustermark.results.text import align

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from os import PathLike

    from numpy.typing import NDArray

    from clustermark.evaluation.partitions import PartitionEvaluation
    from clustermark.evaluation.sweeps.answers import Answers
    from clustermark.registry import Index
    from clustermark.report.charts.thresholds import CurvePlots
    from clustermark.report.record import Record


class Choice(NamedTuple):
    """A threshold that was chosen, and why."""

    threshold: float
    """All pairs of at least this score, or at most this distance; inf, or -inf for distances, means no pair at all."""
    by: str
    """The index that chose it, or "cost"."""
    score: float
    scores: dict[str, float]
    """What the other indices of the sweep say there."""
    note: str = ""
    """What is to be known of the choice; empty where there is nothing."""

    def __repr__(self) -> str:
        note = f"\n{self.note}" if self.note else ""
        return f"threshold {self.threshold:.6g}: {self.by} {self.score:.6f}{note}"


class Curves(Columnar):
    """The scores of some indices at thresholds, from the strictest to the loosest."""

    has_steps = False
    """Whether a score holds until the next threshold; else nothing is known between two of them."""
    axis = "threshold"
    """What charts call the numbers that scores stand over."""

    def __init__(self, thresholds: Sequence[float], scores: Mapping[Index[...], NDArray[np.float64]]) -> None:
        """Hold the curves; `sweep` and `sweep_pairs` make them."""
        self._thresholds = list(thresholds)
        self._scores = dict(scores)

    @property
    def thresholds(self) -> list[float]:
        """The thresholds of the curves, from the strictest to the loosest."""
        return list(self._thresholds)

    @property
    def indices(self) -> tuple[Index[...], ...]:
        """The indices of the curves."""
        return tuple(self._scores)

    def curve(self, index: str | Index[...]) -> list[tuple[float, float]]:
        """The pairs (threshold, score) of an index."""
        return list(zip(self._thresholds, self._scores[self._find(index)].tolist(), strict=True))

    def best(self, index: str | Index[...]) -> Choice:
        """The threshold with the best score of an index; of several equal ones the strictest."""
        found = self._find(index)
        return self._choose(found, find_best(found, self._scores[found]))

    def at(self, threshold: float) -> PartitionEvaluation:
        """The evaluation of one threshold."""
        raise NotImplementedError

    def _find(self, index: str | Index[...]) -> Index[...]:
        found = index_of(index)
        if found not in self._scores:
            raise InputError(
                f"{found.label} is not among the indices of this sweep, {', '.join(i.label for i in self._scores)}; "
                "name it by ",
                Mention("indices"),
                " when you sweep",
            )
        return found

    def _choose(self, index: Index[...], place: int, note: str = "") -> Choice:
        scores = {one.label: float(column[place]) for one, column in self._scores.items()}
        return Choice(self._thresholds[place], index.label, scores[index.label], scores, note)

    def to_dict(self) -> dict[str, list[Any]]:
        """The columns: the thresholds, and the scores of each index."""
        return {"threshold": self.thresholds} | {one.label: column.tolist() for one, column in self._scores.items()}

    def to_json(self, indent: int | None = None) -> str:
        """The curves and the best thresholds as JSON, as `json_schema()` describes it."""
        return json_text(sweep_document(self), indent)

    def write_json(self, path: str | PathLike[str], *, overwrite: bool = False, indent: int | None = 2) -> None:
        """Write `to_json()` to a file."""
        write_text(self.to_json(indent) + "\n", path, overwrite=overwrite)

    def to_latex(self, digits: int = 4) -> str:
        """The best thresholds as a LaTeX tabular, for the package booktabs."""
        return latex(self, digits)

    def write_latex(self, path: str | PathLike[str], *, overwrite: bool = False, digits: int = 4) -> None:
        """Write `to_latex()` to a file."""
        write_text(self.to_latex(digits), path, overwrite=overwrite)

    def report(self, title: str | None = None, by: str | Index[...] | None = None) -> str:
        """A page of HTML that shows it all, and loads nothing else.

        by: the index whose best threshold is looked at more closely; by default `dice`, or the first index.
        """
        from clustermark.report.page import thresholds

        index = self.main_index if by is None else index_of(by)
        return thresholds.html(self, title, index, self._answers(index))

    def _answers(self, by: Index[...]) -> Answers | None:  # noqa: ARG002
        """What a page says of the best threshold beyond the curves: nothing, where labelings were given."""
        return None

    def write_report(
        self,
        path: str | PathLike[str],
        title: str | None = None,
        by: str | Index[...] | None = None,
        *,
        overwrite: bool = False,
    ) -> None:
        """Write `report()` to a file: one page that can be sent, kept and printed."""
        write_text(self.report(title, by), path, overwrite=overwrite)

    @property
    def main_index(self) -> Index[...]:
        """The pair F-measure, if it has a curve; else the first index that some threshold is best by."""
        able = [index for index in self._scores if index.facts.higher_is_better is not None]
        if not able:
            raise InputError(
                "none of the indices of this sweep says which threshold is best; name one by ", Mention("indices")
            )
        return next((index for index in able if index.name == "dice"), able[0])

    def _repr_html_(self) -> str:
        return html(self)

    @property
    def record(self) -> Record:
        """How many points there are, and the policies."""
        raise NotImplementedError

    def describe_data(self) -> dict[str, int]:
        """How much was swept, in numbers."""
        return {"thresholds": len(self._thresholds)}

    @property
    def headline(self) -> str:
        """What was swept, in one line."""
        return quantity(len(self._thresholds), "threshold")

    def bests(self) -> list[Choice]:
        """The best threshold by each index, but for those that are best where no pair counts: precisions.

        If all are such, they are given as they are.
        """
        chosen = [self.best(one) for one in self._scores if one.facts.higher_is_better is not None]
        return [choice for choice in chosen if not self.is_empty(choice.threshold)] or chosen

    def is_empty(self, threshold: float) -> bool:  # noqa: ARG002
        """Whether no pair counts at a threshold; labelings that were given have clusters at any, also at infinity."""
        return False

    @property
    def plot(self) -> CurvePlots:
        """Charts by matplotlib: `plot.curves()`, `.tradeoff()`, `.calibration()`."""
        from clustermark.report.charts.thresholds import CurvePlots

        return CurvePlots(self)

    def __repr__(self) -> str:
        lines = [(one.by, f"{one.threshold:.6g}", f"{one.score:.6f}") for one in self.bests()]
        return f"{self.headline}\n{align([('best', 'threshold', 'score'), *lines])}"


def find_best(index: Index[...], scores: NDArray[np.float64]) -> int:
    """The place of the best score, the first of equal ones."""
    higher = index.facts.higher_is_better
    if higher is None:
        raise InputError(f"{index.label}: neither high nor low scores are better, so no threshold is best")
    place = int(scores.argmax() if higher else scores.argmin())
    if scores[place] == scores[place]:
        return place
    known = scores if higher else -scores  # what is not known counts as the largest and as the smallest, so this is NaN
    return int(np.where(np.isnan(scores), -np.inf, known).argmax())
