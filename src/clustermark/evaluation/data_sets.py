"""compare_datasets(): methods compared over many data sets by signed-rank tests."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from clustermark.errors import InputError, count, require_positive
from clustermark.evaluation.comparison import Comparison
from clustermark.evaluation.leaderboard import diagram_size, draw_ranks
from clustermark.registry import index_of
from clustermark.results.canvas import draw_on
from clustermark.results.data import VERDICT, Column, Table
from clustermark.results.document import SUMMARY, Cell, Chart, Document, Grid, Head, Name, Notes, Section
from clustermark.results.result import Result
from clustermark.results.rows import grid_of
from clustermark.results.text import Writer
from clustermark.uncertainty.signed_ranks import MOST_PAIRED, shift_below, signed_rank_effect
from clustermark.uncertainty.significance import holm

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from clustermark.registry import Index
    from clustermark.results.data import Columns
    from clustermark.results.document import Body, Part, View


_LEVEL = 0.05
_LEAD = "Mean ranks over data sets, 1 being best; each two methods by Wilcoxon's signed-rank test, adjusted by Holm."


def fewest_sets(methods: int) -> int:
    """Return the smallest number of data sets that can show a difference between two of `methods` methods.

    >>> [fewest_sets(methods) for methods in (2, 3, 4, 5, 6)]
    [6, 7, 8, 9, 10]
    """
    pairs, sets = methods * (methods - 1) // 2, 1
    while 2.0 ** (1 - sets) * pairs > _LEVEL:
        sets += 1
    return sets


@dataclass(frozen=True)
class SetsDifference:
    """A comparison of two methods over all data sets, the better one first."""

    first: str
    second: str
    wins: int
    losses: int
    ties: int
    median: float
    """Median of the differences."""
    p_value: float
    """Two-sided p-value of Wilcoxon's signed-rank test."""
    p_holm: float
    estimate: float | None = None
    """Hodges and Lehmann's estimate of the difference; None for more than 2,000 data sets."""
    low: float | None = None
    """Lower limit of its 95 % interval by the signed-rank test, not adjusted for the number of pairs."""
    high: float | None = None
    p_better: float | None = None
    """Probability that the first is better, from the confidence distribution of the signed-rank test."""
    p_gain: float | None = None
    """With a region of equivalence: probability that the first is better by more than it."""
    p_rope: float | None = None
    """The same that the two differ by less."""
    p_loss: float | None = None
    """The same that the first is worse by more."""


DIFFERENCES: Columns = {
    "first": Column("name"),
    "second": Column("name"),
    "wins": Column("count", doc="data sets on which the first is better"),
    "losses": Column("count"),
    "ties": Column("count"),
    "median": Column("error", doc="the median of the differences"),
    "p_value": Column("p", doc="by Wilcoxon's signed-rank test"),
    "p_holm": Column("p", title="p (Holm)", doc="adjusted for the number of pairs of methods"),
    "estimate": Column("error", optional=True, doc="the first less the second, by Hodges and Lehmann"),
    "low": Column("error", optional=True, doc="of the 95 % interval by the signed-rank test"),
    "high": Column("error", optional=True),
    "p_better": Column("share", optional=True, doc="probability that the first is better"),
}
_ROPE: Columns = {
    name: Column("share", optional=True, sometimes=True, doc=f"probability that {meaning}; with a rope only")
    for name, meaning in (
        ("p_gain", "the first is better by more than the rope"),
        ("p_rope", "the two differ by less than the rope"),
        ("p_loss", "the first is worse by more than the rope"),
    )
}


class DataSetComparison(Result):
    """The scores of methods on many data sets, their mean ranks, and tests of their differences."""

    KIND = "data_sets"
    FACTS: ClassVar[Columns] = {
        "index": Column("name"),
        "verdict": VERDICT,
        "rope": Column("number", optional=True, doc="differences up to this have no practical importance"),
    }
    TABLES: ClassVar[dict[str, Columns]] = {
        "scores": {"data_set": Column("name"), "scores": Column("scores", doc="the score of each method")},
        "methods": {"method": Column("name"), "mean_rank": Column("number"), "median_score": Column("score")},
        "differences": {**DIFFERENCES, **_ROPE},
    }
    MAIN = "scores"

    def __init__(
        self,
        index: Index[...],
        sets: list[str],
        scores: dict[str, NDArray[np.float64]],
        rope: float | None = None,
    ) -> None:
        self.index = index
        self.rope = rope
        """The region of practical equivalence: half its width; None without one."""
        self.sets = tuple(sets)
        """Names of the data sets."""
        self.scores = scores
        """Scores of each method, one for each data set."""

    @property
    def methods(self) -> tuple[str, ...]:
        """Methods by mean rank, the best first."""
        return tuple(self.mean_ranks)

    @property
    def mean_ranks(self) -> dict[str, float]:
        """Mean rank of each method over data sets; 1 is best, and ties share their ranks."""
        from scipy.stats import rankdata

        sign = -1 if self.index.facts.higher_is_better else 1
        ranks = rankdata(sign * np.array(list(self.scores.values())), axis=0).mean(axis=1)
        return dict(sorted(zip(self.scores, ranks.tolist(), strict=True), key=lambda item: item[1]))

    def differences(self) -> list[SetsDifference]:
        """Return each pair of methods, tested by Wilcoxon's signed-rank test and adjusted by Holm for all pairs.

        Unlike tests on mean ranks, the test of a pair does not depend on the other methods.
        """
        from scipy.stats import wilcoxon

        if len(self.sets) < (needed := fewest_sets(len(self.scores))):
            raise InputError(
                f"{len(self.sets)} data sets cannot show a difference between {len(self.scores)} methods at 5 %, "
                f"whatever the scores; {needed} can"
            )
        rows = []
        for first, second in combinations(self.methods, 2):
            apart = self.scores[first] - self.scores[second]
            better = apart if self.index.facts.higher_is_better else -apart
            tested: Any = wilcoxon(apart) if apart.any() else None
            p = 1.0 if tested is None else float(tested.pvalue)
            wins, losses = int((better > 0).sum()), int((better < 0).sum())
            counts = (wins, losses, len(apart) - wins - losses)
            effect = signed_rank_effect(apart) if len(apart) <= MOST_PAIRED else (None, None, None)
            row = SetsDifference(first, second, *counts, float(np.median(apart)), p, p, *effect)
            rows.append(replace(row, **self._judge(better)))
        adjusted = holm([row.p_value for row in rows])
        return [replace(row, p_holm=p or 0.0) for row, p in zip(rows, adjusted, strict=True)]

    def _judge(self, better: NDArray[np.float64]) -> dict[str, Any]:
        """Return the probability that the first of two is better, and with a rope those beyond it and within it."""
        found = {"p_better": 1 - shift_below(better, 0.0)}
        if self.rope is None:
            return found
        gain, loss = 1 - shift_below(better, self.rope), shift_below(better, -self.rope)
        return found | {"p_gain": gain, "p_rope": max(1 - gain - loss, 0.0), "p_loss": loss}

    def groups(self) -> list[tuple[str, ...]]:
        """Return the largest groups of methods adjacent by mean rank without a significant difference (bars)."""
        apart = {(row.first, row.second): row.p_holm < _LEVEL for row in self.differences()}
        names, found = self.methods, list[tuple[str, ...]]()
        for start in range(len(names)):
            stop = start + 1
            while stop < len(names) and not any(apart[name, names[stop]] for name in names[start:stop]):
                stop += 1
            if stop - start > 1 and not (found and found[-1][-1] == names[stop - 1]):
                found.append(names[start:stop])
        return found

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the critical-difference diagram: mean ranks, and bars over methods that are not shown to differ."""
        return draw_on(ax, diagram_size(self), lambda ax: draw_ranks(ax, self))

    def facts(self) -> dict[str, Any]:
        """Return the index, the verdict and the region of equivalence."""
        return {"index": self.index.label, "verdict": self.verdict, "rope": self.rope}

    @property
    def best(self) -> tuple[str, ...]:
        """The methods that are first by mean rank, or not shown to be worse than the first."""
        first, *others = self.methods
        if self._too_few:
            return self.methods
        worse = {row.second for row in self.differences() if row.first == first and row.p_holm < _LEVEL}
        return (first, *(name for name in others if name not in worse))

    @property
    def verdict(self) -> str:
        """Which method is best over the data sets, and whether that is shown."""
        return Writer().prose(self._verdict())

    def _verdict(self) -> list[Part]:
        first, *tied = self.best
        if self._too_few:
            needed = fewest_sets(len(self.scores))
            return [Name(first), f" has the best mean rank, but {needed} data sets are needed to show a difference."]
        if not tied:
            return [
                Name(first),
                f" is best: it has the best mean rank by {self.index.label}, and all others are worse.",
            ]
        parts: list[Part] = [Name(first), " has the best mean rank, but is not shown to be better than "]
        for place, name in enumerate(tied):
            parts += [*([] if not place else [" and " if place == len(tied) - 1 else ", "]), Name(name)]
        return [*parts, "."]

    def tables(self) -> dict[str, Table]:
        """Return the scores on each data set, the mean ranks, and the differences if there are enough data sets."""
        names, columns = list(self.scores), (scores.tolist() for scores in self.scores.values())
        rows: dict[str, Sequence[Any]] = {
            "scores": [
                {"data_set": name, "scores": dict(zip(names, own, strict=True))}
                for name, *own in zip(self.sets, *columns, strict=True)
            ],
            "methods": [
                {"method": name, "mean_rank": rank, "median_score": float(np.median(self.scores[name]))}
                for name, rank in self.mean_ranks.items()
            ],
            "differences": [] if self._too_few else self.differences(),
        }
        shown = self.TABLES if self.rope else self.TABLES | {"differences": DIFFERENCES}
        return {name: Table(columns, rows[name]) for name, columns in shown.items()}

    @property
    def _too_few(self) -> bool:
        return len(self.sets) < fewest_sets(len(self.scores))

    def document(self, view: View = SUMMARY) -> Document:  # noqa: ARG002
        """Return the document of text, notebook, Markdown, LaTeX and page."""
        methods, sets = count(len(self.scores), "method"), count(len(self.sets), "data set")
        return Document(
            "Methods over data sets",
            f"{methods} on {sets} by {self.index.label}",
            [
                Section("methods", "Methods", lambda: list(self._ranked()), _LEAD, level="summary"),
                Section("scores", "Scores", lambda: [grid_of(self.tables()["scores"], "Scores")]),
            ],
            verdict=self._verdict(),
        )

    def _ranked(self) -> Iterator[Body]:
        tables = self.tables()
        yield grid_of(tables["methods"], "Methods")
        if self._too_few:
            needed = fewest_sets(len(self.scores))
            yield Notes([f"too few data sets to show any difference: {needed} are needed"])
            return
        yield self._compared(self.differences())
        yield Notes(self._explain())
        yield Chart("ranks", diagram_size(self), lambda ax: draw_ranks(ax, self))

    def _compared(self, found: Sequence[SetsDifference]) -> Grid:
        """Return the differences, with the interval beside the estimate."""
        heads = [Head("first", "name"), Head("second", "name")]
        heads += [Head(name, "count", level="detail") for name in ("wins", "losses", "ties")]
        heads += [Head("median", "error", level="detail"), Head("estimate", "error"), Head("p value", "p")]
        heads += [Head("p (Holm)", "p"), Head("P(better)", "share")]
        rope = () if self.rope is None else ("p_gain", "p_rope", "p_loss")
        if self.rope is not None:
            texts = (f"P(gain > {self.rope:g})", f"P(within {self.rope:g})", f"P(loss > {self.rope:g})")
            heads += [Head(text, "share") for text in texts]
        rows = []
        for row in found:
            cells = [getattr(row, name) for name in ("first", "second", "wins", "losses", "ties", "median")]
            effect = None if row.estimate is None else Cell(row.estimate, row.low, row.high)
            cells += [effect, row.p_value, row.p_holm, row.p_better, *(getattr(row, name) for name in rope)]
            rows.append(cells)
        return Grid(heads, rows, "Differences")

    def _explain(self) -> list[str]:
        """Say which estimate, interval and probability the differences have."""
        return [
            "estimate: by Hodges and Lehmann, with its 95 % signed-rank interval, not adjusted for the number of pairs",
            "P(better): probability that the first is better, by the confidence distribution of the signed-rank test",
        ]


def compare_datasets(
    data_sets: Mapping[str, Comparison | Mapping[str, float]],
    index: str | Index[...] | None = None,
    *,
    rope: float | None = None,
) -> DataSetComparison:
    """Rank methods over many data sets, each given as a comparison by `compare` or as scores by method.

    data_sets: a mapping from the name of each data set; or a data frame of pandas with scores, a row for each data set
        and a column for each method.
    index: the index that was scored; by default the first one of the first comparison, or adjusted_rand. Pairs of
        methods are tested by Wilcoxon's signed-rank test, adjusted by Holm.
    rope: the region of practical equivalence: differences up to this do not matter, such as 0.01. It adds the
        probabilities that the first of two is better by more, that the two differ by less, or that it is worse by more.

    >>> scores = {f"set {i}": {"a": 0.5 + i / 20, "b": 0.4 + i / 30} for i in range(8)}
    >>> compare_datasets(scores)
    2 methods on 8 data sets by adjusted_rand
    a is best: it has the best mean rank by adjusted_rand, and all others are worse.
    method  mean rank  median score
    a               1         0.675
    b               2         0.517
    first  second  wins  losses  ties  median                 estimate  p value  p (Holm)  P(better)
    a      b          8       0     0   0.158  0.1583 [0.1167, 0.2000]   0.0078    0.0078      99.8%
    estimate: by Hodges and Lehmann, with its 95 % signed-rank interval, not adjusted for the number of pairs
    P(better): probability that the first is better, by the confidence distribution of the signed-rank test
    """
    if rope is not None:
        require_positive("rope", rope, 0.01)
    frame: Any = data_sets if hasattr(data_sets, "iterrows") else None
    if frame is not None:
        if frame.index.has_duplicates:
            raise InputError("data_sets: two rows have the same name; give each data set a name of its own")
        data_sets = frame.to_dict("index")
    if not isinstance(data_sets, Mapping) or not data_sets:
        raise InputError(
            "data_sets: pass a mapping from the name of each data set to its comparison, or to its scores by method, "
            "such as {'iris': {'kmeans': 0.7, 'ward': 0.6}}; or a data frame with a row for each data set"
        )
    chosen = None if index is None else index_of(index)
    if chosen is None:
        first = next(iter(data_sets.values()))
        chosen = first.indices[0] if isinstance(first, Comparison) else index_of("adjusted_rand")
    if chosen.facts.higher_is_better is None:
        raise InputError(f"index: {chosen.label} is neither better nor worse when it is high; choose another")
    _refuse_alike(data_sets, "data_sets")
    rows = {str(name): _scores(name, one, chosen) for name, one in data_sets.items()}
    methods = next(iter(rows.values()))
    for name, row in rows.items():
        if row.keys() != methods.keys():
            raise InputError(
                f"data_sets[{name!r}] has the methods {', '.join(row)}, and the first has {', '.join(methods)}; "
                "all need the same"
            )
    if len(methods) < 2:
        raise InputError("data_sets: there is one method only, and nothing to compare it with")
    scores = {method: np.array([row[method] for row in rows.values()], np.float64) for method in methods}
    if not all(np.isfinite(values).all() for values in scores.values()):
        raise InputError("data_sets: every method needs a finite score on every data set")
    return DataSetComparison(chosen, list(rows), scores, rope)


def _scores(name: Any, one: Any, index: Index[...]) -> dict[str, float]:
    if isinstance(one, Comparison):
        return {method: one.score(method, index) for method in one.methods}
    if isinstance(one, Mapping) and all(isinstance(score, int | float | np.number) for score in one.values()):
        _refuse_alike(one, f"data_sets[{name!r}]")
        return {str(method): float(score) for method, score in one.items()}
    raise InputError(f"data_sets[{name!r}] must be a comparison, or a mapping from method to score")


def _refuse_alike(names: Mapping[Any, Any], called: str) -> None:
    """Refuse names that are equal as texts, such as 1 and '1'."""
    texts = list(map(str, names))
    if twice := [text for text in texts if texts.count(text) > 1]:
        raise InputError(f"{called}: {twice[0]!r} is the name of two; give each a name of its own")
