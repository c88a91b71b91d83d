"""Scores over thresholds: the common part of all sweeps."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from clustermark.errors import InputError, Mention
from clustermark.evaluation import sweep_document
from clustermark.evaluation.pair_partitions import find_best
from clustermark.registry import index_of
from clustermark.results.data import Column, Table
from clustermark.results.document import SUMMARY
from clustermark.results.files import write_text
from clustermark.results.json import document_of, json_text
from clustermark.results.page import page_of
from clustermark.results.result import Result
from clustermark.results.text import Writer
from clustermark.results.values import count_text, quantity, threshold_text
from clustermark.subjects.subject import PARTITIONS
from clustermark.tables.tabulation import crosstab

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from os import PathLike

    import numpy as np
    from numpy.typing import NDArray

    from clustermark.evaluation.notices import Notice
    from clustermark.evaluation.pair_accounts import Answers
    from clustermark.evaluation.record import Record
    from clustermark.evaluation.sweep_charts import CurvePlots
    from clustermark.registry import Index
    from clustermark.results.data import Columns
    from clustermark.results.document import Document, View


_COVERAGE = Column("share", doc="the share of the points that the labeling keeps; the others are dropped as noise")
_CARRIED = 1_000
"""Maximal number of thresholds of the curves in the data of a page; `to_json` has all of them."""


class Choice(NamedTuple):
    """A chosen threshold, with the criterion and the scores."""

    threshold: float
    """Smallest score (or largest distance) of pairs that count; inf, or -inf for distances, means no pair."""
    by: str
    """Index that chose the threshold, or "cost"."""
    score: float
    scores: dict[str, float]
    """Scores of the indices of the sweep at this threshold."""
    note: str = ""
    """Remark on the choice; empty if there is none."""

    def __repr__(self) -> str:
        note = f"\n{self.note}" if self.note else ""
        score = count_text(self.score) if self.by == "cost" else f"{self.score:.6f}"
        return f"threshold {threshold_text(self.threshold)}: {self.by} {score}{note}"


_TRUE = (0, 0, 0, 0, 1, 1, 2)
_FINER, _COARSER = (0, 0, 1, 2, 3, 4, 5), (0, 0, 0, 0, 0, 0, 1)


@cache
def weighs_both(index: Index[...]) -> bool:
    """Return whether an index of partitions is not best already where no pair is false, or where none is missing.

    >>> weighs_both(index_of("dice")), weighs_both(index_of("pair_recall"))
    (True, False)
    """
    if index.comparison is not PARTITIONS:
        return True
    best = index.of(crosstab(_TRUE, _TRUE))
    return best not in (index.of(crosstab(_TRUE, _FINER)), index.of(crosstab(_TRUE, _COARSER)))


class Curves(Result):
    """The scores of some indices at thresholds, from the strictest to the loosest."""

    KIND = "sweep"
    FACTS = sweep_document.FACTS
    TABLES: ClassVar[dict[str, Columns]] = {}
    MAIN = "curves"

    has_steps = False
    """Whether a score holds until the next threshold; else scores between thresholds are unknown."""
    axis = "threshold"
    """Name of the horizontal axis of charts."""

    def __init__(self, thresholds: Sequence[float], scores: Mapping[Index[...], NDArray[np.float64]]) -> None:
        """Store the curves; `sweep` and `sweep_pairs` make them."""
        self._thresholds = list(thresholds)
        self._scores = dict(scores)

    @property
    def thresholds(self) -> list[float]:
        """Thresholds of the curves, from the strictest to the loosest."""
        return list(self._thresholds)

    @property
    def indices(self) -> tuple[Index[...], ...]:
        """Indices of the curves."""
        return tuple(self._scores)

    def curve(self, index: str | Index[...]) -> list[tuple[float, float]]:
        """Return the pairs (threshold, score) of an index."""
        return list(zip(self._thresholds, self._scores[self._find(index)].tolist(), strict=True))

    def best(self, index: str | Index[...] | None = None) -> Choice:
        """Return the threshold with the best score of an index, by default the main one; of equals the strictest."""
        found = self.main_index if index is None else self._find(index)
        return self._choose(found, find_best(found, self._scores[found]))

    def at(self, threshold: float) -> Any:
        """Return the evaluation at a threshold."""
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

    def facts(self) -> dict[str, Any]:
        """Return the facts of the JSON: the best thresholds, and the curves."""
        return self._facts()

    def _facts(self, answers: Mapping[str, Any] | None = None, most: int | None = None) -> dict[str, Any]:
        """Return the facts, with further answers, and with at most `most` thresholds of the curves."""
        curves = self.to_dict()
        step = 1 if most is None else -(-len(curves["threshold"]) // most)
        facts: dict[str, Any] = {}
        if self.record is not None:
            subject = {} if self.record.subject == "partitions" else {"subject": self.record.subject}
            facts = {"points": self.points, "settings": self.settings} | subject
        best = {one.by: {"threshold": one.threshold, "score": one.score} for one in self.bests()}
        by = self._deciding()
        return {
            **facts,
            "notices": [notice._asdict() for notice in self.notices],
            "verdict": Writer().prose(sweep_document.verdict(self, by, None if by is None else self.best(by))),
            **self.describe_data(),
            "best": best,
            "curves": {name: column[::step] for name, column in curves.items()},
            **(answers or {}),
        }

    def to_json(self, indent: int | None = None, answers: Mapping[str, Any] | None = None) -> str:
        """Return one JSON object, as described by `json_schema()`; infinite numbers are strings.

        answers: further facts by their names in the schema, such as {"cheapest": sweep.cheapest()}.
        """
        return json_text(document_of(self, self._facts(answers)), indent)

    def tables(self) -> dict[str, Table]:
        """Return the curves: the thresholds, and the scores of each index."""
        labels = [one.label for one in self._scores]
        columns = (column.tolist() for column in self._scores.values())
        shares = self.shares
        rows = [
            {"threshold": threshold, "scores": dict(zip(labels, own, strict=True))}
            | ({} if shares is None else {"coverage": shares[place]})
            for place, (threshold, *own) in enumerate(zip(self._thresholds, *columns, strict=True))
        ]
        heads = {"threshold": Column("threshold")} | ({} if shares is None else {"coverage": _COVERAGE})
        return {"curves": Table({**heads, "scores": Column("scores")}, rows)}

    @property
    def shares(self) -> list[float] | None:
        """Share of the points that the labeling of each threshold keeps; None for scored pairs."""
        return None

    def to_dict(self) -> dict[str, list[Any]]:
        """Return the columns: the thresholds, the coverage of labelings, and the scores of each index."""
        shares = self.shares
        columns: dict[str, list[Any]] = {"threshold": self.thresholds}
        columns |= {} if shares is None else {"coverage": list(shares)}
        return columns | {one.label: column.tolist() for one, column in self._scores.items()}

    def document(self, view: View = SUMMARY) -> Document:  # noqa: ARG002
        """Return the document of text, notebook, Markdown and LaTeX; `report` adds sections on scored pairs."""
        return sweep_document.document(self, self._deciding())

    def _deciding(self) -> Index[...] | None:
        """Return the main index, or None if no index has a best threshold."""
        able = any(index.facts.higher_is_better is not None for index in self._scores)
        return self.main_index if able else None

    def report(self, title: str | None = None, by: str | Index[...] | None = None) -> str:
        """Return a self-contained HTML page.

        by: the index whose best threshold is shown in detail; by default `main_index`.
        """
        return self._page(title, self.main_index if by is None else index_of(by))

    def _page(self, title: str | None, by: Index[...], answers: Answers | None = None) -> str:
        """Return the page, with further results on the best threshold."""
        whole = document_of(self, self._facts({} if answers is None else answers.for_json(), _CARRIED))
        return page_of(whole, sweep_document.document(self, by, answers), title)

    def write_report(
        self,
        path: str | PathLike[str],
        title: str | None = None,
        by: str | Index[...] | None = None,
        *,
        overwrite: bool = False,
    ) -> None:
        """Write `report()` to a file."""
        write_text(self.report(title, by), path, overwrite=overwrite)

    @property
    def main_index(self) -> Index[...]:
        """Pair F-measure or the silhouette, if it has a curve; else the first index that has a best threshold."""
        able = [index for index in self._scores if index.facts.higher_is_better is not None]
        if not able:
            raise InputError(
                "none of the indices of this sweep says which threshold is best; name one by ", Mention("indices")
            )
        by_name = {index.name: index for index in able}
        return next((by_name[name] for name in ("dice", "silhouette") if name in by_name), able[0])

    @property
    def record(self) -> Record | None:
        """Record of points and policies of a sweep against a truth; None without a truth."""
        return None

    @property
    def points(self) -> dict[str, int]:
        """Numbers of points given, used, noise, dropped and unmatched; empty without a truth."""
        return self.record.points if self.record is not None else {}

    @property
    def settings(self) -> dict[str, Any]:
        """Policies, and the source of the data if it is known; empty without a truth."""
        return self.record.settings if self.record is not None else {}

    @property
    def notices(self) -> tuple[Notice, ...]:
        """Notices to read before trusting the scores."""
        return self.record.notices if self.record is not None else ()

    def describe_data(self) -> dict[str, int]:
        """Return the counts of the data."""
        return {"thresholds": len(self._thresholds)}

    @property
    def headline(self) -> str:
        """Description of what was swept, in one line."""
        return quantity(len(self._thresholds), "threshold")

    def bests(self) -> list[Choice]:
        """Return the best threshold by each index that weighs false pairs against missing ones.

        Precisions are best where no pair counts, recalls where all do, whatever the data. If all indices are such, all
        are returned.
        """
        able = [one for one in self._scores if one.facts.higher_is_better is not None]
        chosen = [self.best(one) for one in able if weighs_both(one)]
        return [one for one in chosen if not self.is_empty(one.threshold)] or chosen or list(map(self.best, able))

    def is_last(self, threshold: float) -> bool:  # noqa: ARG002
        """Return whether a labeling is the last one that was tried in a direction; always False for scored pairs."""
        return False

    def is_empty(self, threshold: float) -> bool:  # noqa: ARG002
        """Return whether no pair counts at a threshold; always False for labelings, also at infinity."""
        return False

    @property
    def plot(self) -> CurvePlots:
        """Charts with matplotlib: `plot.curves()`, `.tradeoff()`, `.calibration()`."""
        from clustermark.evaluation.sweep_charts import CurvePlots

        return CurvePlots(self)
