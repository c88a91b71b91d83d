"""compare(): predictions of the same points, ranked, with intervals and tests."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from itertools import combinations
from math import inf
from typing import TYPE_CHECKING, Any, ClassVar, Literal, get_args

import numpy as np

from clustermark.errors import ClustermarkWarning, InputError, require_progress, spell, warn_user
from clustermark.evaluation import comparison_document
from clustermark.evaluation.differences import (
    DIFFERENCE,
    Difference,
    Differences,
    DifferenceSpread,
    check_margin,
    combine,
    judge,
)
from clustermark.evaluation.leaderboard import STANDING, Leaderboard, Standing
from clustermark.evaluation.method_details import ByCluster, FoundPairs, find_pairs, score_clusters
from clustermark.evaluation.notices import Notice, tell_left_out, tell_like_noise, warn_of_noise
from clustermark.evaluation.paired_groups import ComponentUnits, GroupUnits, group_points
from clustermark.evaluation.paired_points import ENOUGH_APART, SEED, PointUnits, points_apart
from clustermark.evaluation.predictions import ScoredRun, read_predictions
from clustermark.evaluation.sampled_units import DesignEffects, choose_unit, effect_lines
from clustermark.options import read_options
from clustermark.registry import Index, index_of, read_indices
from clustermark.results.data import Column, Table, record_of
from clustermark.results.document import SUMMARY
from clustermark.results.result import Result
from clustermark.results.text import Writer
from clustermark.tables.policies import WHOSE
from clustermark.uncertainty.interval import IntervalRequest, Unit, are_crossed
from clustermark.uncertainty.limits import limits
from clustermark.uncertainty.refusals import FEWEST_GROUPS
from clustermark.uncertainty.samples import ONE_GROUPING
from clustermark.uncertainty.significance import holm, rank_limits

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from clustermark.evaluation.leaderboard import RankingPlots
    from clustermark.evaluation.paired_points import Contrast, PairedUnits, Runs
    from clustermark.evaluation.predictions import Predictions
    from clustermark.labels.conversion import Labels
    from clustermark.results.data import Columns
    from clustermark.results.document import Document, View
    from clustermark.sources.recognition import Source
    from clustermark.tables.contingency import Contingency
    from clustermark.tables.policies import Whose
    from clustermark.uncertainty.interval import PointGroups


class Comparison(Result):
    """Predictions ranked by one or more indices; made by `compare`. The first index determines the order.

    >>> from clustermark import compare
    >>> truth = [0] * 30 + [1] * 30
    >>> ranked = compare(truth, {"good": [0] * 28 + [1] * 32, "poor": [0, 1] * 30}, ["adjusted_rand"])
    >>> ranked.best()
    ['good']
    >>> ranked.differences()[0].p_value < 0.001
    True
    """

    KIND = "comparison"
    FACTS = comparison_document.FACTS
    TABLES: ClassVar[dict[str, Columns]] = {}
    MAIN = "leaderboard"
    _unit_note = ""

    def __init__(
        self,
        predictions: Predictions,
        indices: Sequence[Index[...]],
        request: IntervalRequest,
        threads: int | None = None,
        progress: Callable[[float], None] | None = None,
        *,
        leave_out: bool = False,
        are_records: bool = False,
    ) -> None:
        """Score every run.

        leave_out: whether indices without meaning on these tables are left out, and are no errors.
        are_records: whether points are records of entities, which matters if no unit was given.
        """
        self.predictions = predictions
        self.runs = [ScoredRun(predictions, labeling, threads) for labeling in predictions.runs]
        chosen = {index.label: index for index in indices}
        self.refused = _refusals(chosen, self.runs) if leave_out else {}
        """Default indices that have no meaning here, with the reason."""
        self.indices = tuple(index for label, index in chosen.items() if label not in self.refused)
        """Indices of the comparison; methods are ordered by the first."""
        if not self.indices:
            raise InputError(
                f"indices: name some; of the default none can be scored: {'; '.join(self.refused.values())}"
            )
        for index in self.indices:
            if index.facts.higher_is_better is None:
                raise InputError(f"indices: {index.label} is neither better nor worse when it is high; leave it out")
        if request.unit_by_data and predictions.groups is None:
            chosen_unit, self._unit_note = choose_unit(self.runs, are_records=are_records)
            request = IntervalRequest(request.level, chosen_unit)
        self.request = request
        for run in self.runs:
            over = (
                request
                if predictions.groups is None
                else IntervalRequest(request.level, group_points(predictions, run))
            )
            run.score(self.indices, over)
        self._units: PairedUnits = (
            GroupUnits(self.runs)
            if predictions.groups is not None
            else ComponentUnits(predictions, self.runs, threads)
            if request.unit == "component"
            else PointUnits(predictions, self.runs, self.indices, threads, progress)
        )
        self._contrasted: dict[str, dict[tuple[str, str], Difference]] = {}
        self._spreads: dict[tuple[str, str, str], tuple[Contrast, DifferenceSpread]] = {}
        self._few: dict[tuple[str, str], int | None] = {}
        self._threads = threads
        self._bounds = {index.label: index.bounds_on(self.runs[0].table) for index in self.indices}

    @property
    def methods(self) -> tuple[str, ...]:
        """Methods, in the given order."""
        return tuple(self.predictions.methods)

    @property
    def level(self) -> float:
        """Level of the intervals; differences are significant at 1 - level."""
        return self.request.level

    @property
    def unit(self) -> str:
        """Kind of units sampled: "point", "component" or "group"."""
        return self._units.name

    @cached_property
    def _effects(self) -> DesignEffects:
        return DesignEffects(self.predictions, self.runs, self.indices, self.unit, self._threads)

    def tell_unit(self, effects: Mapping[str, float | None]) -> list[str]:
        """Say why this unit was chosen if none was given, and the notable ones of these design effects of indices."""
        return [*([self._unit_note] if self._unit_note else []), *effect_lines(self.unit, effects)]

    @property
    def n_given(self) -> int:
        """Number of points given."""
        return self.predictions.n_given

    @property
    def n_used(self) -> int:
        """Number of points on which all methods were compared."""
        return self.predictions.n_used

    def table(self, method: str, run: int = 0) -> Contingency:
        """Return the table of one run of a method against the truth."""
        return self.runs[self.predictions.methods[self._known(method)][run]].table

    def tell_noise(self) -> list[list[Any]]:
        """Return messages, in parts, on labels that look like noise; those on the truth are repeated for each run."""
        texts = []
        for method, places in self.predictions.methods.items():
            whose: Whose = {**WHOSE, "pred": (f"the prediction {method}", "noise_pred")}
            texts += [parts for place in places for parts in tell_like_noise(self.runs[place].table, whose)]
        return texts

    @property
    def left_out(self) -> tuple[str, ...]:
        """Methods that were left out because all their points are dropped: noise, or without a label."""
        return self.predictions.left_out

    @property
    def notices(self) -> tuple[Notice, ...]:
        """Notices to read before trusting the ranking: labels that look like noise, and methods left out."""
        noise = (Notice("noise", text) for text in dict.fromkeys(map(spell, self.tell_noise())))
        return (*noise, *(Notice("left_out", text) for text in tell_left_out(self.left_out)))

    def _known(self, method: str) -> str:
        if method not in self.predictions.methods:
            raise InputError(f"method: there is no {method!r}; there are {', '.join(self.methods)}")
        return method

    def _index(self, index: str | Index[...] | None) -> Index[...]:
        if index is None:
            return self.indices[0]
        for known in self.indices:
            if known is index:
                return known
        wanted = index_of(index)
        for known in self.indices:
            if known.label == wanted.label:
                return known
        raise InputError(
            f"index: {wanted.label} was not compared; there are {', '.join(known.label for known in self.indices)}"
        )

    def score(self, method: str, index: str | Index[...] | None = None) -> float:
        """Return the score of a method; the mean over its runs."""
        label = self._index(index).label
        places = self.predictions.methods[self._known(method)]
        if len(places) == 1:
            return self.runs[places[0]].scores[label]
        return float(np.mean([self.runs[place].scores[label] for place in places]))

    def _sd(self, places: Runs, label: str) -> float:
        return float(np.std([self.runs[place].scores[label] for place in places], ddof=1)) if len(places) > 1 else 0.0

    def _order(self, index: Index[...]) -> list[str]:
        """Return the methods, the best first; equals in the given order."""
        sign = -1 if index.facts.higher_is_better else 1
        return sorted(self.methods, key=lambda method: sign * self.score(method, index))

    def best(self, index: str | Index[...] | None = None) -> list[str]:
        """Return the methods tied for first: those that are not shown to be worse than the top, by Holm's procedure."""
        return self.leaderboard(index).best

    def leaderboard(self, index: str | Index[...] | None = None) -> Leaderboard:
        """Return the methods by rank, with intervals of scores and of ranks; by default by the first index."""
        chosen = self._index(index)
        if chosen.label not in self._boards:
            self._boards[chosen.label] = self._rank(chosen)
        return self._boards[chosen.label]

    @cached_property
    def _boards(self) -> dict[str, Leaderboard]:
        return {}

    def _rank(self, index: Index[...]) -> Leaderboard:
        order = self._order(index)
        apart = {pair: self._is_shown(row) for pair, row in self._pairs(index).items()}
        ranks = rank_limits(order, apart)
        standings, scores = [], [self.score(method, index) for method in order]
        for method, score in zip(order, scores, strict=True):
            low, high, error, notes = self._interval(method, index)
            places = self.predictions.methods[method]
            standings.append(
                Standing(
                    1 + scores.index(score),
                    method,
                    score,
                    low,
                    high,
                    error,
                    *ranks[method],
                    not apart.get((order[0], method), False),
                    len(places),
                    self._sd(places, index.label) if len(places) > 1 else None,
                    notes,
                )
            )
        return Leaderboard(index, standings, self.level)

    def _is_shown(self, row: Difference) -> bool:
        return row.p_holm is not None and row.p_holm < 1 - self.level

    def _interval(
        self, method: str, index: Index[...]
    ) -> tuple[float | None, float | None, float | None, tuple[str, ...]]:
        """Return the interval of a method's score over units, and over seeds if it has several runs (see `combine`)."""
        places = self.predictions.methods[method]
        own = self.runs[places[0]].intervals[index.label]
        if len(places) == 1:
            return own.low, own.high, own.standard_error, own.notes
        found = self._units.mean(index, places)
        if found.variance is None:
            return None, None, None, found.notes
        spread = combine(found.variance, [(self._sd(places, index.label), len(places))], found.degrees)
        error = (spread.variance or 0.0) ** 0.5
        if self.unit != "point" and found.n_units < FEWEST_GROUPS:
            return None, None, error, (f"only {found.n_units} independent groups: no interval",)
        notes = tuple(dict.fromkeys(note for place in places for note in self.runs[place].intervals[index.label].notes))
        if not error:
            return None, None, 0.0, notes
        bounds = index.bounds_on(self.runs[places[0]].table)
        reach = spread.quantile((1 + self.level) / 2)
        return *limits(self.score(method, index), error, reach, bounds), error, notes

    def differences(self, index: str | Index[...] | None = None, margin: float | None = None) -> Differences:
        """Return the difference of each pair of methods, the better one first, with its interval and test.

        margin: the largest difference without practical importance. It adds the probability that the first of two
            methods is worse by more, and three tests: whether the second is shown to be worse by less (`non_inferior`),
            the two to differ by less (`equivalent`), the first to be better by more (`superior`).
        """
        chosen = self._index(index)
        rows = list(self._pairs(chosen).values())
        if margin is not None:
            check_margin(margin, chosen.facts.bounds)
            rows = [
                replace(
                    self._judge(chosen, row.first, row.second, margin),
                    p_holm=row.p_holm,
                    detectable=row.detectable,
                    design_effect=row.design_effect,
                )
                for row in rows
            ]
        return Differences(chosen, rows, self.level, margin)

    def _pairs(self, index: Index[...]) -> dict[tuple[str, str], Difference]:
        """Return the tests of all pairs in the order of ranks, adjusted for their number."""
        if index.label not in self._contrasted:
            order = self._order(index)
            rows = [self._judge(index, first, second) for first, second in combinations(order, 2)]
            adjusted = holm([row.p_value for row in rows])
            tests = sum(p is not None for p in adjusted)
            self._contrasted[index.label] = {
                (row.first, row.second): replace(
                    row,
                    p_holm=p,
                    detectable=self._detectable(index, row, tests),
                    design_effect=self._design_effect(index, row),
                )
                for row, p in zip(rows, adjusted, strict=True)
            }
        return self._contrasted[index.label]

    def _judge(self, index: Index[...], first: str, second: str, margin: float | None = None) -> Difference:
        one, other = (self.predictions.methods[method] for method in (first, second))
        contrast, spread = self._spread(index, first, second)
        single = len(one) == len(other) == 1
        if self.unit != "point" and single and contrast.variance is None and self._points_apart(first, second) == 0:
            contrast, spread = contrast._replace(variance=0.0, notes=()), DifferenceSpread(0.0, inf)
        notes = contrast.notes
        if self.unit == "point" and contrast.variance is not None and single:
            few = self._points_apart(first, second)
            if few is not None and few > 0:
                notes = (*notes, f"only {few} point{'' if few == 1 else 's'} placed differently (a test needs "
                         f"{ENOUGH_APART}): the test is too conservative",)  # fmt: skip
        scores = [self.score(method, index) for method in (first, second)]
        low, high = self._bounds[index.label]
        return judge(
            (first, second),
            0.0 if scores[0] == scores[1] else scores[0] - scores[1],  # both may be infinite
            spread,
            most=high - low,
            level=self.level,
            sign=1 if index.facts.higher_is_better else -1,
            margin=margin,
            unit=(self.unit, contrast.n_units),
            p_value=contrast.p_value,
            notes=notes,
            method=contrast.method,
            drawn=(contrast.draws, None if contrast.draws is None else SEED),
        )

    def _design_effect(self, index: Index[...], row: Difference) -> float | None:
        """Return the variance over components or groups by that over points; None if one of them is not known."""
        one, other = (self.predictions.methods[method] for method in (row.first, row.second))
        return self._effects.of(index, one, other, self._spread(index, row.first, row.second)[0])

    def _detectable(self, index: Index[...], row: Difference, tests: int) -> float | None:
        """Return the difference of two methods that such data can show; None if it is impossible or not known."""
        if row.low is None:
            return None
        found = self._spread(index, row.first, row.second)[1].detectable(self.level, tests, row.difference)
        low, high = self._bounds[index.label]
        return found if found <= high - low else None

    def _spread(self, index: Index[...], first: str, second: str) -> tuple[Contrast, DifferenceSpread]:
        """Return the variance of the difference of two methods over units, and over units and seeds of runs."""
        key = index.label, first, second
        if key not in self._spreads:
            places = [self.predictions.methods[method] for method in (first, second)]
            contrast = self._units.contrast(index, *places)
            seeds = [(self._sd(own, index.label), len(own)) for own in places]
            spread = (
                DifferenceSpread(None, 1.0)
                if contrast.variance is None
                else replace(combine(contrast.variance, seeds, contrast.degrees), growth=contrast.growth)
            )
            self._spreads[key] = contrast, spread
        return self._spreads[key]

    def spread_of(self, methods: Sequence[str], index: str | Index[...] | None = None) -> Contrast:
        """Return the variance of the score of one method, or of the difference of two, over units and seeds of runs."""
        wanted = self._index(index)
        places = [self.predictions.methods[self._known(method)] for method in methods]
        found = self._units.mean(wanted, places[0]) if len(places) == 1 else self._units.contrast(wanted, *places)
        if found.variance is None:
            return found
        degrees = self._units.degrees(wanted, *places) if isinstance(self._units, PointUnits) else found.degrees
        whole = combine(found.variance, [(self._sd(own, wanted.label), len(own)) for own in places], degrees)
        return found._replace(variance=whole.variance, degrees=whole.degrees)

    def _points_apart(self, first: str, second: str) -> int | None:
        """Count the points that two methods place differently; None if there are enough for a test."""
        if (first, second) not in self._few:
            one, other = (self.runs[self.predictions.methods[method][0]] for method in (first, second))
            self._few[first, second] = points_apart(self.predictions, one, other)
        return self._few[first, second]

    def facts(self) -> dict[str, Any]:
        """Return the facts of the JSON: settings, and the leaderboard and the differences of each index."""
        predictions = self.predictions
        policies = predictions.policies._asdict() | {"weighted": predictions.weights is not None}
        return {
            "points": predictions.points,
            "settings": predictions.settings | policies,
            "notices": [notice._asdict() for notice in self.notices],
            "verdict": self.verdict,
            "level": self.level,
            "unit": self.unit,
            "lacking": predictions.lacking,
            "methods": {
                name: [self.runs[place].table.n_pred_clusters for place in places]
                for name, places in predictions.methods.items()
            },
            "indices": {index.label: self._ranking(index) for index in self.indices},
            "refused": self.refused,
        }

    def _ranking(self, index: Index[...]) -> dict[str, Any]:
        board = self.leaderboard(index)
        return {
            "title": index.facts.title,
            "higher_is_better": index.facts.higher_is_better,
            "verdict": self.verdict_by(index),
            "best": board.best,
            "leaderboard": board,
            "differences": self.differences(index),
        }

    def tables(self) -> dict[str, Table]:
        """Return the leaderboards and the differences of all indices, each with a column for the index."""
        boards = {index.label: self.leaderboard(index) for index in self.indices}
        differences = {index.label: self.differences(index) for index in self.indices}
        return {
            "leaderboard": _joined(STANDING, boards),
            "differences": _joined(DIFFERENCE, differences),
        }

    def document(self, view: View = SUMMARY) -> Document:  # noqa: ARG002
        """Return the document of text, notebook, Markdown, LaTeX and page."""
        return comparison_document.document(self)

    def by_cluster(self, measure: Literal["jaccard", "precision", "recall"] = "jaccard") -> ByCluster:
        """Compare the methods on each true cluster by its best match, and count how often each method is best."""
        return score_clusters(self, measure)

    def found_pairs(self) -> FoundPairs:
        """Count the true pairs that each method finds, that only it finds, and that none finds."""
        return find_pairs(self)

    @property
    def verdict(self) -> str:
        """Statement on the best method by the first index and whether its lead is significant."""
        return self.verdict_by()

    def verdict_by(self, index: str | Index[...] | None = None) -> str:
        """Return the verdict by an index, by default the first."""
        return Writer().prose(comparison_document.verdict(self, self._index(index)))

    def methods_text(self) -> str:
        """Return a paragraph for the methods section of a paper, with its references."""
        return comparison_document.methods_text(self)

    @property
    def plot(self) -> RankingPlots:
        """Charts with matplotlib: `plot.leaderboard()`, `.differences()`."""
        from clustermark.evaluation.leaderboard import RankingPlots

        return RankingPlots(self)


def _joined(columns: Columns, by_index: Mapping[str, Sequence[Any]]) -> Table:
    """Return the rows of all indices in one table, the label of the index first."""
    rows = [{"index": label} | record_of(row, columns) for label, rows in by_index.items() for row in rows]
    return Table({"index": Column("name"), **columns}, rows)


def _refusals(indices: Mapping[str, Index[...]], runs: Sequence[ScoredRun]) -> dict[str, str]:
    """Return why indices have no meaning on the tables of some runs, by their names."""
    return {
        label: reason
        for label, index in indices.items()
        if (reason := next(filter(None, (index.refusal(run.table) for run in runs)), ""))
    }


PANEL = ("adjusted_rand", "adjusted_mutual_information", "b_cubed_f")
"""Default indices; the first determines the order of methods."""


def compare(
    y_true: Labels | Source,
    predictions: Mapping[str, Any] | Iterable[Any] | Source | None = None,
    indices: Sequence[str | Index[...]] | str | Index[...] | None = None,
    *,
    true: str | None = None,
    pred: str | Sequence[str] | Mapping[str, Any] | None = None,
    level: float = 0.95,
    unit: Unit | PointGroups | None = None,
    progress: Callable[[float], None] | None = None,
    **options: Any,
) -> Comparison:
    """Rank predictions of the same points, with intervals and tests of their differences.

    predictions: a mapping from name to labels, the columns of a data frame, or an iterable of labels or of pairs
        (name, labels), also a generator. A list of labelings instead of labels is a method that was run several
        times: {"kmeans": [labels, labels, …]}. Mappings from id to label are aligned by id.
    indices: names of indices, or indices; the first determines the order of methods.
    true, pred: if y_true is a source, as in `crosstab`, its columns: `compare("runs.parquet", true="label",
        pred=["kmeans", "ward"])`; a mapping such as {"kmeans": ["seed1", "seed2"]} names the runs of a method.
        Predictions of other sources are joined with the truth by id: `compare("truth.csv", {"kmeans": "one.csv",
        "ward": "other.csv"}, on="id")`, or one source with several columns; with pairs="pred" they are lists of pairs.
    level: the level of the intervals; a difference counts as shown if its p-value, adjusted by Holm for all pairs, is
        below 1 - level.
    unit: the units sampled: "point"; "component", connected components of overlapping clusters; or the group of each
        point, as a list, a mapping from id, or the name of a column: documents, patients, blocks. By default components
        if most clusters hold five points or fewer, because there clusters were sampled; else points.
    progress: a function that is called repeatedly with the share that is done.
    options: counts, weights, noise, noise_true, noise_pred (the same for all predictions), missing, unmatched, threads,
        and how a source is read, as in `crosstab`. A point that one prediction drops is dropped for all.

    >>> compare([0, 0, 0, 1, 1, 1] * 9, {"pairs": [0, 0, 1, 1, 2, 2] * 9, "all": [0] * 54}, ["rand"])
    2 methods, 54 points
    pairs is best by rand: 0.7170 against 0.4906 of all, a difference of 0.2264 [0.1386, 0.3143] that holds up (p < \
0.0001).
    method  rank                     rand  possible ranks
    pairs      1  0.7170 [0.6216, 0.7962]  1
    all        2  0.4906                   2
    95 % intervals over points
    all: the score is the same without any of 54 points: no interval
    """
    given = read_options(options)
    require_progress(progress)
    known: Any = unit if unit is None or (isinstance(unit, str) and unit in get_args(Unit)) else "point"
    groups = None if known is unit else unit
    if are_crossed(groups):
        raise InputError(f"unit: differences of methods are over one grouping; {ONE_GROUPING}")
    request = IntervalRequest(level, known)
    chosen = read_indices(PANEL if indices is None else indices)
    if not chosen:
        raise InputError("indices: there is none; name at least one, such as 'adjusted_rand'")
    predictions = read_predictions(y_true, predictions, true, pred, given, groups)
    comparison = Comparison(predictions, chosen, request, given.get("threads"), progress, leave_out=indices is None)
    warn_of_noise(comparison.tell_noise())
    for text in tell_left_out(comparison.left_out):
        warn_user(ClustermarkWarning(text))
    return comparison
