"""Scores over thresholds: what a sweep returns, whatever it was made of."""

from __future__ import annotations

import json
from math import isfinite
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clustermark import __version__
from clustermark.errors import InputError
from clustermark.report.score_sheet import index_of
from clustermark.tables.columnar import Columnar, align

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from clustermark.evaluation import Evaluation
    from clustermark.registry import Index
    from clustermark.sweeps.plots import CurvePlots


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

    def at(self, threshold: float) -> Evaluation:
        """The evaluation of one threshold."""
        raise NotImplementedError

    def _find(self, index: str | Index[...]) -> Index[...]:
        found = index_of(index)
        if found not in self._scores:
            raise InputError(
                f"{found.label} is not among the indices of this sweep, {', '.join(i.label for i in self._scores)}; "
                "name it by indices= when you sweep"
            )
        return found

    def _choose(self, index: Index[...], place: int, note: str = "") -> Choice:
        scores = {one.label: float(column[place]) for one, column in self._scores.items()}
        return Choice(self._thresholds[place], index.label, scores[index.label], scores, note)

    def to_dict(self) -> dict[str, list[Any]]:
        """The columns: the thresholds, and the scores of each index."""
        return {"threshold": self.thresholds} | {one.label: column.tolist() for one, column in self._scores.items()}

    def to_json(self, *, indent: int | None = None) -> str:
        """The curves and the best thresholds as JSON; infinite numbers are texts, missing ones null."""
        return json.dumps(self.to_record(), indent=indent, allow_nan=False)

    def to_record(self) -> dict[str, Any]:
        """What `to_json` writes."""
        best = {one.by: {"threshold": one.threshold, "score": one.score} for one in self.bests()}
        what = {"kind": "sweep", "version": __version__}
        record: dict[str, Any] = spell_numbers({**what, **self._describe(), "best": best, "curves": self.to_dict()})
        return record

    def _describe(self) -> dict[str, Any]:
        """What is said of the data in JSON."""
        return {"thresholds": len(self._thresholds)}

    @property
    def headline(self) -> str:
        """What was swept, in one line."""
        return f"{len(self._thresholds):,} thresholds"

    def bests(self) -> list[Choice]:
        """The best threshold by each index, but for those that are best where nothing is predicted: precisions.

        If all are such, they are given as they are.
        """
        chosen = [self.best(one) for one in self._scores if one.facts.higher_is_better is not None]
        return [choice for choice in chosen if isfinite(choice.threshold)] or chosen

    @property
    def plot(self) -> CurvePlots:
        """Charts by matplotlib: `plot.curves()`, `plot.tradeoff()`."""
        from clustermark.sweeps.plots import CurvePlots

        return CurvePlots(self)

    def __repr__(self) -> str:
        lines = [(one.by, f"{one.threshold:.6g}", f"{one.score:.6f}") for one in self.bests()]
        return f"{self.headline}\n{align([('best', 'threshold', 'score'), *lines])}"


def find_best(index: Index[...], scores: NDArray[np.float64]) -> int:
    """The place of the best score, the first of equal ones."""
    higher = index.facts.higher_is_better
    if higher is None:
        raise InputError(f"{index.label}: neither high nor low scores are better, so no threshold is best")
    unknown = np.isnan(scores)
    known = scores if higher else -scores
    return int((np.where(unknown, -np.inf, known) if unknown.any() else known).argmax())


def spell_numbers(value: Any) -> Any:
    """The same with infinite numbers as texts and NaN as None, which JSON can hold."""
    if isinstance(value, dict):
        return {name: spell_numbers(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [spell_numbers(one) for one in value]
    if not isinstance(value, float) or isfinite(value):
        return value
    return None if value != value else str(value)
