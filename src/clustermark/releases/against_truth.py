"""A change compared with the truth: scores before and after, and true clusters mended or broken."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clustermark import _kernel
from clustermark._kernel import LONE
from clustermark.errors import InputError
from clustermark.evaluation.comparison import Comparison
from clustermark.evaluation.differences import check_margin
from clustermark.evaluation.predictions import TRUTH, ScoredRun, classes_of_points, cluster_numbers, keep_common_points
from clustermark.registry import index_of
from clustermark.releases.change_lists import FATES, KindCount, PairChanges, ScoreChange, TrueCluster, TrueClusters
from clustermark.releases.impact import ChangedCells, changed_cells, distances_of, sum_of
from clustermark.results.values import decimals_apart
from clustermark.sources.reading import Records
from clustermark.statistics.pairs import PairCounts
from clustermark.tables.sums import exact_sum
from clustermark.tables.tabulation import tabulate_codes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from clustermark.evaluation.differences import Difference
    from clustermark.evaluation.predictions import Predictions
    from clustermark.registry import Index
    from clustermark.releases.release_records import RecordLabels
    from clustermark.tables.cells import CellTable
    from clustermark.tables.policies import Policies
    from clustermark.uncertainty.interval import IntervalRequest

PANEL = ("b_cubed_precision", "b_cubed_recall", "b_cubed_f", "adjusted_rand")
"""The default indices."""
_MANY = 1 << 32
"""From this number of records, numbers of pairs may exceed 64 bits."""
_NEAR = 2.0**-40
"""Sums of distances that differ by less than this for each record are compared as fractions."""


class GateAnswer(NamedTuple):
    """Whether a statement on a change is shown, and a sentence that says so with its numbers."""

    shown: bool
    sentence: str


class AgainstTruth:
    """Comparison of a change with the truth, on the records whose true label is known."""

    def __init__(
        self,
        labelled: RecordLabels,
        policies: Policies,
        indices: Sequence[Index[...]],
        request: IntervalRequest,
        threads: int | None,
        *,
        leave_out: bool,
        margin: float | None = None,
    ) -> None:
        if margin is not None:  # an index without a bound may have a margin above 1
            check_margin(margin, max((index.facts.bounds for index in indices), key=lambda bounds: bounds[1]))
        self.margin = margin
        """The largest difference without practical importance; None without one."""
        truth = labelled.truth
        known = np.zeros(0, np.bool_) if truth is None else np.asarray(truth.codes >= 0)
        if not known.any():
            raise InputError("truth: no record has a true label; are its ids those of before and after?")
        some = labelled.take(known)
        assert some.truth is not None
        read = {TRUTH: some.truth, "before": some.before, "after": some.after}
        called = {TRUTH: "truth", "before": "before", "after": "after"}
        records = Records(read, called, counts=some.counts, weights=some.weights)
        self._predictions: Predictions = keep_common_points(
            records, {name: (name,) for name in ("before", "after")}, policies
        )
        self._indices, self._request, self._threads, self._leave_out = indices, request, threads, leave_out

    @cached_property
    def comparison(self) -> Comparison:
        """The two clusterings as predictions, as `compare` returns them."""
        return Comparison(
            *(self._predictions, self._indices, self._request, self._threads),
            leave_out=self._leave_out,
            are_records=True,
        )

    @property
    def records(self) -> int:
        """Number of records with a true label in both clusterings."""
        return self._predictions.n_used

    @cached_property
    def scores(self) -> tuple[ScoreChange, ...]:
        """Each index before and after, with the paired interval of the difference."""
        return tuple(self._score(index, self._margin_of(index)) for index in self.comparison.indices)

    def _margin_of(self, index: Index[...]) -> float | None:
        """Return the margin, or None for an index whose scores cannot differ by as much."""
        return None if self.margin is not None and self.margin >= 1 == index.facts.bounds[1] else self.margin

    def _row(self, index: Index[...], margin: float | None) -> Difference:
        """Return the difference of after less before."""
        row = self.comparison.differences(index, margin)[0]
        return row if row.first == "after" else row.reverse(self.comparison.level)

    def _score(self, index: Index[...], margin: float | None) -> ScoreChange:
        row = self._row(index, margin)
        before, after = (self.comparison.score(name, index) for name in ("before", "after"))
        low, high = row.low, row.high
        up = bool(index.facts.higher_is_better)
        verdict = "same" if before == after else "not shown"
        if low is not None and high is not None and (low > 0 or high < 0):
            verdict = "better" if (low > 0) == up else "worse"
        difference = 0.0 if before == after else after - before  # two infinite scores have no difference
        shown = None if row.p_loss is None else self._at_margin(row)
        return ScoreChange(
            *(index.label, before, after, difference, low, high, row.p_value, verdict, row.notes, row.design_effect),
            *(row.p_better, row.p_loss, row.p_equivalent, row.p_superior, shown),
        )

    def _at_margin(self, row: Difference) -> str:
        """Return the strongest statement on the clustering after that is shown with the margin."""
        if row.superior:
            return "better by more"
        if row.reverse(self.comparison.level).superior:
            return "worse by more"
        return "equivalent" if row.equivalent else "not worse" if self._is_low(row.p_loss) else "not shown"

    def _is_low(self, p: float | None) -> bool:
        return p is not None and p < (1 - self.comparison.level) / 2

    def not_worse(self, index: str | Index[...], margin: float) -> GateAnswer:
        """Test whether `after` is not worse than `before` by `margin` or more, with the variance at this loss."""
        chosen = self._find(index)
        check_margin(margin, chosen.facts.bounds)
        row = self._row(chosen, margin)
        unsure = f"that it is not worse by {margin:g}"
        if (early := self._without_interval(chosen, row, unsure, differs=False)) is not None:
            return early
        least, (worst, best) = self._measured(chosen, row, [-margin])
        if self._is_low(row.p_loss):
            return GateAnswer(True, f"{least}, so it is not worse by {margin:g}")
        also = self._at_variance(row.p_loss, worst > -margin)
        return GateAnswer(
            False, f"{least}, so it {'is' if best <= -margin else 'may be'} worse by {margin:g} or more{also}"
        )

    def better(self, index: str | Index[...], margin: float = 0.0) -> GateAnswer:
        """Test whether `after` is better than `before`, by more than `margin`."""
        chosen = self._find(index)
        if margin != 0:
            check_margin(margin, chosen.facts.bounds)
        row = self._row(chosen, margin or None)
        by = f" by more than {margin:g}" if margin else ""
        if (early := self._without_interval(chosen, row, f"that it is better{by}", differs=True)) is not None:
            return early
        least, (worst, best) = self._measured(chosen, row, [margin])
        shown = worst > 0 if not margin else self._is_low(row.p_superior)
        if shown:
            return GateAnswer(True, f"{least}, so it is better{by}")
        also = self._at_variance(row.p_superior, worst > margin)
        return GateAnswer(False, f"{least}, so it {'is not' if best <= margin else 'may not be'} better{by}{also}")

    def equivalent(self, index: str | Index[...], margin: float) -> GateAnswer:
        """Test whether `after` and `before` differ by less than `margin`, whichever is better (two one-sided tests)."""
        chosen = self._find(index)
        check_margin(margin, chosen.facts.bounds)
        row = self._row(chosen, margin)
        unsure = f"that they differ by less than {margin:g}"
        if (early := self._without_interval(chosen, row, unsure, differs=False)) is not None:
            return early
        least, (worst, best) = self._measured(chosen, row, [-margin, margin])
        if row.equivalent:
            return GateAnswer(True, f"{least}, so they differ by less than {margin:g}")
        outside = worst >= margin or best <= -margin
        also = self._at_variance(row.p_equivalent, worst > -margin and best < margin)
        return GateAnswer(False, f"{least}, so they {'' if outside else 'may '}differ by {margin:g} or more{also}")

    def _without_interval(self, index: Index[...], row: Difference, unsure: str, *, differs: bool) -> GateAnswer | None:
        """Return the answer where there is no interval: nothing differs, or nothing is shown."""
        if row.low is not None:
            return None
        scores = self._scores_of(index)
        if row.standard_error == 0 == row.difference:  # the scores of all units are equal
            return GateAnswer(not differs, f"{scores}: nothing differs")
        why = "; ".join(row.notes) or "no interval can be given"
        return GateAnswer(False, f"{scores}, and {unsure} is not shown: {why}")

    def _scores_of(self, index: Index[...]) -> str:
        after, before = (self.comparison.score(name, index) for name in ("after", "before"))
        return f"{index.label} is {after:.4f} after and {before:.4f} before"

    def _measured(self, index: Index[...], row: Difference, edges: Sequence[float]) -> tuple[str, tuple[float, float]]:
        """Return a sentence with the scores and the interval, and the least and largest gain of after.

        edges: gains on whose right sides the limits are rounded.
        """
        assert row.low is not None  # checked by `_without_interval`
        assert row.high is not None
        up = bool(index.facts.higher_is_better)
        digits = decimals_apart([row.low, row.high], [0.0, *(edge if up else -edge for edge in edges)])
        value, low, high = (f"{number:+.{digits}f}" for number in (row.difference, row.low, row.high))
        gains = (row.low, row.high) if up else (-row.high, -row.low)
        return f"{self._scores_of(index)}; the difference is {value} [{low}, {high}]", gains

    def _at_variance(self, p: float | None, excluded: bool) -> str:
        """Explain a test that does not show what the interval seems to show: the variance is larger at the margin."""
        return f" (p = {p:.3f}, as a difference of the margin varies more)" if excluded and p is not None else ""

    def _find(self, index: str | Index[...]) -> Index[...]:
        wanted, known = index_of(index), {one.label: one for one in self.comparison.indices}
        if wanted.label not in known:
            raise InputError(f"index: {wanted.label} was not compared; there are {', '.join(known)}")
        return known[wanted.label]

    @cached_property
    def _tables(self) -> tuple[CellTable, CellTable]:
        before, after = (ScoredRun(self._predictions, run, self._threads).table for run in self._predictions.runs)
        return before, after

    @cached_property
    def _clusters(self) -> _TrueClusters:
        return _TrueClusters(self._tables, self._predictions)

    @cached_property
    def fates(self) -> dict[str, KindCount]:
        """The number of true clusters that are mended, better, worse, broken or the same, and of their records."""
        return self._clusters.count()

    def clusters(self, k: int | None = 10) -> TrueClusters:
        """Return the k true clusters whose distance from the clustering changed most."""
        return self._clusters.first(k)

    @cached_property
    def pairs(self) -> PairChanges:
        """Pairs of records that the change joins or parts, rightly or wrongly."""
        predictions = self._predictions
        before, after = predictions.runs
        both = tabulate_codes(
            before,
            after,
            predictions.counts,
            predictions.weights,
            predictions.policies._replace(noise_true=predictions.policies.noise_pred),
            self._threads,
        )
        gained, lost = self._clusters.gained, self._clusters.lost
        if both.weights is None:
            pairs = PairCounts.of(both)
            right, wrong = int(gained.sum()), int(lost.sum())
            return PairChanges(right, wrong, pairs.yn - wrong, pairs.ny - right)
        _, only_before, only_after, _ = _kernel.pair_weights(both.kernel_cells)
        joined, parted = float(gained.sum()), float(lost.sum())
        return PairChanges(joined, parted, max(only_before - parted, 0.0), max(only_after - joined, 0.0))


class _TrueClusters:
    """Distances from the clusterings before and after, and pairs, of all labelled true clusters."""

    def __init__(self, tables: tuple[CellTable, CellTable], predictions: Predictions) -> None:
        self._names = tables[0].true_names
        n = len(self._names)
        # both tables have the same true clusters, in different orders
        place_in_first = _same_rows(*tables)
        self._cells = [changed_cells(table) for table in tables]
        self._rows = [self._cells[0].rows, np.append(place_in_first, LONE)[self._cells[1].rows]]
        cells = tables[0].kernel_cells
        self.sizes = np.asarray(_kernel.margins(cells)[0])
        self.records = sum_of(cells.counts[cells.rows >= 0], cells.rows[cells.rows >= 0], n)
        self._away = [
            np.bincount(rows[rows >= 0], distances_of(cells)[rows >= 0], minlength=n)
            for rows, cells in zip(self._rows, self._cells, strict=True)
        ]
        joined = [_pairs_by_row(table, n) for table in tables]
        both = _pairs_in_both(tables, predictions, n)
        self.gained, self.lost = joined[1][_inverse(place_in_first)] - both, joined[0] - both
        self.false = [_false_pairs(rows, cells, n) for rows, cells in zip(self._rows, self._cells, strict=True)]
        self.fates = self._judge(n)

    def _judge(self, n: int) -> NDArray[np.int64]:
        wrong = []
        for rows in self._rows:
            touched = np.zeros(n, np.bool_)
            touched[rows[rows >= 0]] = True
            wrong.append(touched)
        nearer = self._away[0] - self._away[1]
        nearer[np.abs(nearer) <= _NEAR * self.sizes] = 0.0
        for place in np.flatnonzero(
            (np.abs(self._away[0] - self._away[1]) <= _NEAR * self.sizes) & wrong[0] & wrong[1]
        ):
            nearer[place] = self._compare_exactly(int(place))
        fates = np.where(nearer > 0, 1, np.where(nearer < 0, 2, 4))
        fates[wrong[0] & ~wrong[1]] = 0
        fates[~wrong[0] & wrong[1]] = 3
        return fates

    def _compare_exactly(self, place: int) -> int:
        """Return 1 if a true cluster is nearer after than before, -1 if it is farther, else 0."""
        before, after = (
            sorted(
                zip(
                    *(column[rows == place].tolist() for column in (cells.part, cells.n, cells.a, cells.b)), strict=True
                )
            )
            for rows, cells in zip(self._rows, self._cells, strict=True)
        )
        if before == after or isinstance(before[0][0], float):
            return 0
        from fractions import Fraction

        far = [sum(Fraction(part * (a + b - 2 * n), a + b - n) for part, n, a, b in side) for side in (before, after)]
        return (far[0] > far[1]) - (far[0] < far[1])

    def count(self) -> dict[str, KindCount]:
        """Count the clusters of each fate, and their records."""
        found = {}
        for place, fate in enumerate(FATES):
            mine = self.fates == place
            found[fate] = KindCount(int(np.count_nonzero(mine)), int(self.records[mine].sum()))
        return found

    def first(self, k: int | None) -> TrueClusters:
        """Return the k clusters whose distance changed most."""
        concerned = np.flatnonzero(self.fates != FATES.index("same"))
        concerned = concerned[self._names.take(concerned).sorted_order()]
        far = np.abs(self._away[0] - self._away[1])[concerned]
        chosen = concerned[np.argsort(-np.round(far, 9), kind="stable")][:k]
        sizes = self.sizes[chosen]
        columns = (
            self._names.take(chosen).to_list(),
            [FATES[fate] for fate in self.fates[chosen].tolist()],
            sizes.tolist(),
            *((away[chosen] / sizes).tolist() for away in self._away),
            self.gained[chosen].tolist(),
            self.lost[chosen].tolist(),
            *(false[chosen].tolist() for false in self.false),
        )
        return TrueClusters([TrueCluster._make(row) for row in zip(*columns, strict=True)], len(concerned))


def _same_rows(first: CellTable, second: CellTable) -> NDArray[np.int32]:
    """Return for each row of the second table the row of the first with the same true cluster."""
    mine, theirs = first.true_names.codes, second.true_names.codes
    order = np.argsort(mine)
    return order[np.searchsorted(mine[order], theirs)].astype(np.int32)


def _inverse(places: NDArray[np.int32]) -> NDArray[np.int64]:
    found = np.empty(len(places), np.int64)
    found[places] = np.arange(len(places))
    return found


def _pairs_by_row(table: CellTable, n: int) -> NDArray[Any]:
    """Count the pairs of records of each true cluster that are together."""
    cells = table.kernel_cells
    whole = (cells.rows >= 0) & (cells.columns >= 0)
    return sum_of(_count_pairs(cells)[whole], cells.rows[whole], n)


def _false_pairs(rows: NDArray[np.int32], cells: ChangedCells, n: int) -> NDArray[Any]:
    """Count the pairs of a record of each true cluster with a record of another that are together."""
    inside = (rows >= 0) & (cells.columns >= 0)
    mine, all_of_cluster = cells.n[inside], cells.b[inside]
    if mine.dtype.kind != "f" and exact_sum(mine) >= _MANY:
        mine, all_of_cluster = mine.astype(object), all_of_cluster.astype(object)
    return sum_of(np.asarray(mine * (all_of_cluster - mine)), rows[inside], n)


def _count_pairs(cells: _kernel.Cells) -> NDArray[Any]:
    """Count the pairs of records within each cell; Python integers if 64 bits might not suffice."""
    if cells.pairs is not None:
        return cells.pairs
    counts: NDArray[Any] = cells.counts
    if exact_sum(cells.counts) >= _MANY:
        counts = counts.astype(object)
    return np.asarray(counts * (counts - 1) // 2)


def _pairs_in_both(tables: tuple[CellTable, CellTable], predictions: Predictions, n: int) -> NDArray[Any]:
    """Count the pairs of records of each true cluster that are together both before and after."""
    first = tables[0].kernel_cells
    places = np.arange(len(first.counts), dtype=np.int32)
    entry = classes_of_points(tables[0], predictions.truth, predictions.runs[0], places, None)
    after = cluster_numbers(tables[1], predictions.runs[1], is_truth=False)[predictions.runs[1].codes]
    together = (first.rows[entry] >= 0) & (first.columns[entry] >= 0) & (after >= 0)
    counts = None if predictions.counts is None else predictions.counts[together]
    weights = None if predictions.weights is None else predictions.weights[together]
    if not together.any():
        return np.zeros(n, np.int64 if weights is None else np.float64)
    cells = _kernel.crosstab(np.ascontiguousarray(entry[together]), after[together], counts, weights, 0)
    return sum_of(_count_pairs(cells), first.rows[cells.row_values[cells.rows]], n)
