"""Methods over many data sets: which is better in general, and not on one of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from clustermark.errors import InputError
from clustermark.evaluation.ranking.comparison import Comparison
from clustermark.evaluation.ranking.differences import p_text
from clustermark.registry import index_of
from clustermark.results.frames import Columnar
from clustermark.results.text import align
from clustermark.tables.columnar import label_text
from clustermark.uncertainty.several_tests import holm

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from clustermark.registry import Index

_LEVEL = 0.05


def fewest_sets(methods: int) -> int:
    """So many data sets can show a difference between two of so many methods at all.

    >>> [fewest_sets(methods) for methods in (2, 3, 4, 5, 6)]
    [6, 7, 8, 9, 10]
    """
    pairs, sets = methods * (methods - 1) // 2, 1
    while 2.0 ** (1 - sets) * pairs > _LEVEL:
        sets += 1
    return sets


@dataclass(frozen=True)
class SetsDifference:
    """Two methods over all data sets, the better one first."""

    first: str
    second: str
    wins: int
    losses: int
    ties: int
    median: float
    """The median of the differences."""
    p_value: float
    """By Wilcoxon's signed-rank test, two-sided."""
    p_holm: float


class DataSetComparison(Columnar):
    """The scores of methods on many data sets, their mean ranks, and which differences hold up over data sets."""

    def __init__(self, index: Index[...], sets: list[str], scores: dict[str, NDArray[np.float64]]) -> None:
        self.index = index
        self.sets = tuple(sets)
        """The data sets."""
        self.scores = scores
        """Of each method, one for each data set."""

    @property
    def methods(self) -> tuple[str, ...]:
        """The methods, the best mean rank first."""
        return tuple(self.mean_ranks)

    @property
    def mean_ranks(self) -> dict[str, float]:
        """The mean rank of each method over data sets, 1 being best; equals share their ranks."""
        from scipy.stats import rankdata

        sign = -1 if self.index.facts.higher_is_better else 1
        ranks = rankdata(sign * np.array(list(self.scores.values())), axis=0).mean(axis=1)
        return dict(sorted(zip(self.scores, ranks.tolist(), strict=True), key=lambda item: item[1]))

    def differences(self) -> list[SetsDifference]:
        """Each two methods, tested by Wilcoxon's signed-rank test and adjusted by Holm for all pairs.

        Their result does not depend on which other methods there are, as that of tests on mean ranks does.
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
            rows.append((first, second, wins, losses, len(apart) - wins - losses, float(np.median(apart)), p))
        adjusted = holm([row[-1] for row in rows])
        return [SetsDifference(*row, p_holm=p or 0.0) for row, p in zip(rows, adjusted, strict=True)]

    def groups(self) -> list[tuple[str, ...]]:
        """The largest groups of neighbours by mean rank no two of which are shown to differ: bars of the diagram."""
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
        """The critical-difference diagram: mean ranks, and bars over methods that are not shown to differ."""
        from clustermark.evaluation.ranking.drawings import plot_ranks

        return plot_ranks(self, ax)

    def to_dict(self) -> dict[str, list[Any]]:
        """One row a data set: its name, and the score of each method."""
        return {"data_set": list(self.sets)} | {name: scores.tolist() for name, scores in self.scores.items()}

    def __repr__(self) -> str:
        head = f"{len(self.scores)} methods on {len(self.sets)} data sets by {self.index.label}"
        lines = [["method", "mean rank", "median score"]]
        lines += [
            [label_text(name), f"{rank:.3g}", f"{float(np.median(self.scores[name])):.4f}"]
            for name, rank in self.mean_ranks.items()
        ]
        if len(self.sets) < (needed := fewest_sets(len(self.scores))):
            return f"{head}\n{align(lines)}\ntoo few data sets to show any difference: {needed} are needed"
        tests = [["first", "second", "wins", "losses", "p (Holm)"]]
        tests += [
            [label_text(row.first), label_text(row.second), str(row.wins), str(row.losses), p_text(row.p_holm)]
            for row in self.differences()
        ]
        return f"{head}\n{align(lines)}\n{align(tests)}"


def compare_datasets(
    data_sets: Mapping[str, Comparison | Mapping[str, float]], index: str | Index[...] | None = None
) -> DataSetComparison:
    """Rank methods over many data sets: each a comparison by `compare`, or the score of each method by name.

    index: what was scored; by default the first index of the first comparison, or adjusted_rand. Methods are tested two
        at a time by Wilcoxon's signed-rank test, adjusted by Holm.

    >>> scores = {f"set {i}": {"a": 0.5 + i / 20, "b": 0.4 + i / 30} for i in range(8)}
    >>> compare_datasets(scores)
    2 methods on 8 data sets by adjusted_rand
    method  mean rank  median score
    a               1        0.6750
    b               2        0.5167
    first  second  wins  losses  p (Holm)
    a           b     8       0    0.0078
    """
    if not isinstance(data_sets, Mapping) or not data_sets:
        raise InputError("data_sets: pass a mapping from the name of each data set to its comparison")
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
    return DataSetComparison(chosen, list(rows), scores)


def _scores(name: Any, one: Any, index: Index[...]) -> dict[str, float]:
    if isinstance(one, Comparison):
        return {method: one.score(method, index) for method in one.methods}
    if isinstance(one, Mapping) and all(isinstance(score, int | float | np.number) for score in one.values()):
        _refuse_alike(one, f"data_sets[{name!r}]")
        return {str(method): float(score) for method, score in one.items()}
    raise InputError(f"data_sets[{name!r}] must be a comparison, or a mapping from method to score")


def _refuse_alike(names: Mapping[Any, Any], said: str) -> None:
    """Names become texts: 1 and '1' would be one."""
    texts = list(map(str, names))
    if twice := [text for text in texts if texts.count(text) > 1]:
        raise InputError(f"{said}: {twice[0]!r} is the name of two; give each a name of its own")
