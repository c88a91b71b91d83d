"""The result of sweep_pairs(): curves, best thresholds and evaluations of the partitions of scored pairs."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import cached_property, partial
from math import inf
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clustermark.diagnosis.scored_points import ScoredLabels
from clustermark.errors import InputError, Mention, require_whole
from clustermark.evaluation.curves import Choice, Curves
from clustermark.evaluation.pair_accounts import Calibration, FalseMerge, FalseMerges, RawPairs, count_losses
from clustermark.evaluation.pair_partitions import choose_places, find_best, ids_of
from clustermark.evaluation.partitions import PartitionEvaluation, tell_noise
from clustermark.evaluation.record import Record
from clustermark.labels import ABSENT, label_list
from clustermark.registry import index_of, read_indices
from clustermark.registry.tracking import needs_expected
from clustermark.results.frames import key_names
from clustermark.results.values import quantity
from clustermark.tables.contingency import Origin

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from clustermark.evaluation.best_threshold import BestInterval
    from clustermark.evaluation.pair_accounts import Losses
    from clustermark.evaluation.pair_partitions import Partitions
    from clustermark.evaluation.threshold_band import ThresholdBand
    from clustermark.registry import Index
    from clustermark.tables.contingency import Contingency


STEP = 0.005
"""Upper limit for the change of a score between two adjacent thresholds of the curves."""
MOST_TABLES = 200
"""Maximal number of thresholds at which an index that needs the whole table is scored."""


class _Scored(NamedTuple):
    """The scores of an index at some partitions."""

    places: NDArray[np.int64]
    scores: NDArray[np.float64]
    note: str = ""
    """Remark if these are not all partitions."""


class PairSweep(Curves):
    """Every partition that scored pairs form as the threshold decreases, with its scores against the truth.

    The curves contain a selection of thresholds, between which scores change by less than 0.005; `best` uses all.

    >>> from clustermark import sweep_pairs
    >>> truth = {"a": 1, "b": 1, "c": 1, "d": 2, "e": 2}
    >>> pairs = (["a", "b", "d", "c"], ["b", "c", "e", "d"], [0.9, 0.8, 0.7, 0.2])
    >>> found = sweep_pairs(truth, pairs)
    >>> found.best("b_cubed_f")
    threshold 0.7: b_cubed_f 1.000000
    >>> found.labels(0.75)
    {'a': 'a', 'b': 'a', 'c': 'a', 'd': 'd', 'e': 'e'}
    """

    has_steps = True

    def __init__(self, partitions: Partitions, indices: Sequence[Index[...]]) -> None:
        """Store the partitions; `sweep_pairs` makes them."""
        self.partitions = partitions
        able, self._kept = choose_places(indices, partitions.sums_for(indices), STEP)
        self._by_table: dict[Index[...], NDArray[np.float64]] = {}
        places, curves = self._kept, partitions.score_at(able, self._kept)
        if partitions.origin.records.weights is not None:
            self._score_tables(able)
            places, curves = self._sampled, {index: self._by_table[index] for index in able}
        self._places = places
        super().__init__(partitions.thresholds(places).tolist(), curves)

    @property
    def n_records(self) -> int:
        """Number of records of the truth and of the pairs."""
        return len(self.partitions.origin.labels)

    @property
    def n_pairs(self) -> int:
        """Number of scored pairs given."""
        return len(self.partitions.origin.records.scores)

    @property
    def n_partitions(self) -> int:
        """Number of distinct partitions, including the one without any pair."""
        return len(self.partitions)

    @property
    def n_self_pairs(self) -> int:
        """Number of pairs of a record with itself, which only declare the record."""
        records = self.partitions.origin.records
        return int(np.count_nonzero(records.left == records.right))

    @cached_property
    def n_repeated_pairs(self) -> int:
        """Number of repeated pairs; the best score of each pair counts."""
        return int(np.count_nonzero(self.partitions.repeated)) - self.n_self_pairs

    def curve(self, index: str | Index[...]) -> list[tuple[float, float]]:
        """Return the pairs (threshold, score) of any index; at most 200 if it needs the whole table."""
        found = index_of(index)
        if found in self._scores:
            return super().curve(found)
        scores = self.partitions.score_at([found], self._kept)
        places, values = (self._kept, scores[found]) if scores else self._known(found)[:2]
        return list(zip(self.partitions.thresholds(places).tolist(), values.tolist(), strict=True))

    def best(self, index: str | Index[...] | None = None, *, lowest: float | None = None) -> Choice:
        """Return the threshold with the best score of any index, by default the main one; of equals the strictest.

        An index that needs the whole table (with weights, every index) is scored at 200 thresholds at most; the note of
        the result says so.
        lowest: the loosest threshold that may be chosen.
        """
        found = self.main_index if index is None else index_of(index)
        places, scores, note = self._known(found) if lowest is not None else self._known_best(found)
        if lowest is not None:
            last = self.partitions.place(lowest)
            scores, places = scores[places <= last], places[places <= last]
        place = find_best(found, scores)
        return self._choice(found.label, int(places[place]), float(scores[place]), note)

    def cheapest(self, *, false_merge: float = 1.0, false_split: float = 1.0) -> Choice:
        """Return the threshold of least cost, given the cost of each false pair and of each lost true pair."""
        for name, cost in (("false_merge", false_merge), ("false_split", false_split)):
            if not isinstance(cost, int | float | np.number) or not 0 <= cost <= sys.float_info.max:
                raise InputError(f"{name}={cost!r} must be 0 or a positive number: what one such pair costs")
        self.partitions.origin.require_pairs()
        pairs = self.partitions.pairs
        cost = false_merge * pairs.ny + false_split * pairs.yn
        place = int(cost.argmin())
        return self._choice("cost", place, float(cost[place]))

    def reach(self, wanted: float, index: str | Index[...] = "pair_precision") -> Choice:
        """Return the threshold with most recall where precision is at least `wanted` (or any such pair of indices)."""
        if not isinstance(wanted, int | float | np.number) or wanted != wanted:
            raise InputError(f"wanted={wanted!r} must be a number: the least that the index may score")
        found = index_of(index)
        other = _counterpart(found)
        if other is None:
            raise InputError(
                f"{found.label} has no counterpart; choose pair_precision, pair_recall, b_cubed_precision, "
                "b_cubed_recall, or another precision or recall"
            )
        places, scores, note = self._known(found)
        enough = scores >= wanted
        if not enough.any():
            raise InputError(f"{found.label} is nowhere {wanted!r} or more; its best is {float(np.nanmax(scores))!r}")
        others = self._known(other).scores
        place = int(np.where(enough, others, -np.inf).argmax())
        crossings = int(np.count_nonzero(enough[1:] != enough[:-1]))
        most = f"{other.label} {others[place]:.6f}, the most where that holds"
        notes = [most, note, f"the curve crosses {wanted!r} {crossings} times" if crossings > 1 else ""]
        return self._choice(found.label, int(places[place]), float(scores[place]), "; ".join(filter(None, notes)))

    def interval(
        self,
        index: str | Index[...] = "dice",
        *,
        level: float = 0.95,
        lowest: float | None = None,
        groups: int = 20,
        seed: int = 0,
    ) -> BestInterval:
        """Estimate the score of the best threshold on other data, corrected for choosing it on these data.

        lowest: the loosest threshold that may be chosen; by default the loosest at which no component of the records
            contains more than a tenth of them. groups and seed: how components are divided into groups to choose the
            threshold on some and score it on others.
        """
        from clustermark.evaluation.best_threshold import estimate_best

        self._refuse_intervals()
        return estimate_best(self.partitions, index_of(index), level, lowest, groups, seed)

    def band(
        self, index: str | Index[...] = "dice", *, level: float = 0.95, lowest: float | None = None
    ) -> ThresholdBand:
        """Return the scores of an index at up to 100 thresholds, with intervals that hold at all of them at once.

        The intervals are over components of the records; that of `interval` is for the best threshold alone, and
        corrected for its choice.

        lowest: the loosest threshold, as in `interval`.
        """
        from clustermark.evaluation.threshold_band import make_band

        self._refuse_intervals()
        return make_band(self.partitions, index_of(index), level, lowest)

    def _refuse_intervals(self) -> None:
        if self.partitions.origin.sources is not None:
            raise InputError(
                Mention("link_only", True), " has no interval: components would have to be counted across sources too"
            )
        if self.partitions.origin.records.weights is not None:
            raise InputError(
                "weights are not counts, and say nothing of how much was drawn: no interval with ", Mention("weights")
            )

    def labels(self, threshold: float) -> Any:
        """Return clusters at a threshold, named by their first records: a mapping by id, or an array for positions."""
        clusters = self.partitions.clusters(self.partitions.place(threshold))
        records = self.partitions.origin.records
        if records.ids is None:
            return clusters
        ids = ids_of(records)
        return {ids[record]: ids[first] for record, first in enumerate(clusters.tolist())}

    def table(self, threshold: float) -> Contingency:
        """Return the table of the truth and the clusters at a threshold."""
        return self.partitions.table(self.partitions.place(threshold))

    def at(self, threshold: float, indices: Sequence[str | Index[...]] | str | None = None) -> PartitionEvaluation:
        """Return the evaluation of the clusters at a threshold; indices are chosen as in `evaluate`.

        It has the ids of the records, so that `points`, `merges(records=…)` and the others find them.
        """
        from clustermark.diagnosis.record_columns import Sources

        settings = self.partitions.origin.records.settings
        names = key_names(settings.get("on"))
        sources = Sources(None, None, {"on": names}, {}) if names else None
        table = self.partitions.table(self.partitions.place(threshold), Origin(settings, ()))
        given = partial(self._labels_at, threshold)
        return tell_noise(PartitionEvaluation.of_table(table, indices, given, settings=settings, sources=sources))

    def _labels_at(self, threshold: float) -> ScoredLabels:
        """Return the labels of all records, by their ids."""
        records, clusters = self.partitions.origin.records, self.labels(threshold)
        ids, codes = ids_of(records), records.truth.codes
        labels = zip(ids, label_list(records.truth.values, codes), codes.tolist(), strict=True)
        truth = {item: label for item, label, code in labels if code != ABSENT}
        counts, weights = (
            None if one is None else dict(zip(ids, one.tolist(), strict=True))
            for one in (records.counts, records.weights)
        )
        pred = clusters if isinstance(clusters, dict) else dict(enumerate(clusters.tolist()))
        return ScoredLabels(truth, pred, counts, weights)

    def scores(self, threshold: float, indices: Sequence[str | Index[...]] | None = None) -> dict[str, float]:
        """Return the scores at a threshold by the names of the indices; by default those of the curves.

        With link_only=True these count pairs across sources only, whereas `at` evaluates the whole table.
        """
        chosen = list(self._scores) if indices is None else read_indices(indices)
        return self._scores_at(self.partitions.place(threshold), chosen)

    @cached_property
    def raw(self) -> RawPairs:
        """Pairs without closure, at every threshold."""
        return RawPairs(self.partitions.known_pairs, self.partitions.true_pairs, self.partitions.origin.sign)

    def losses(self, threshold: float) -> Losses:
        """Count true pairs by how they are found or lost at a threshold, and false pairs by origin."""
        partitions = self.partitions
        pairs, place = partitions.known_pairs, partitions.place(threshold)
        together, both = (int(partitions.sums[name][place]) for name in ("together", "together_both"))
        inward = partitions.origin.sign * threshold
        found = count_losses(pairs, partitions.clusters(place), inward, (partitions.true_pairs, together, both))
        return found._replace(threshold=threshold)

    def false_merges(self, threshold: float | None = None, k: int = 10) -> FalseMerges:
        """Return the k scored pairs down to a threshold that put together most records that are apart in truth."""
        require_whole("k", k, 1)
        partitions = self.partitions
        partitions.origin.require_pairs()
        place = len(partitions) - 1 if threshold is None else partitions.place(threshold)
        merges = {name: column[: int(partitions.states.merges[place])] for name, column in partitions.merges.items()}
        wrong = merges["false_pairs"]
        order = np.argsort(-wrong, kind="stable")[:k]
        order = order[wrong[order] > 0]
        left, right = (partitions.origin.records.name(merges[side][order]) for side in ("left", "right"))
        columns = (partitions.origin.sign * merges["scores"][order], wrong[order], merges["true_pairs"][order])
        rows = zip(left, right, *(column.tolist() for column in columns), strict=True)
        on = partitions.origin.records.settings.get("on")
        return FalseMerges([FalseMerge(*row) for row in rows], int(wrong.sum()), on)

    def calibration(self, bins: int = 10) -> Calibration:
        """Compare the scores, as probabilities, with the share of true pairs in bins."""
        require_whole("bins", bins, 1)
        pairs = self.partitions.known_pairs
        if not len(pairs.scores):
            raise InputError("no scored pair has two records with a true label, so there is nothing to calibrate")
        if self.partitions.origin.sign < 0 or pairs.scores[0] > 1 or pairs.scores[-1] < 0:
            raise InputError("only probabilities, from 0 to 1, can be calibrated; these scores are none")
        return Calibration(pairs.scores, pairs.true, bins)

    def _known_best(self, index: Index[...]) -> _Scored:
        """Return the scores of an index at some partitions that include the best one."""
        has_best = index in self._scores and self.partitions.origin.records.weights is None
        if has_best and not needs_expected(index):  # an expected score may not be known at every partition
            return _Scored(self._kept, self._scores[index])
        return self._known(index)

    def _known(self, index: Index[...]) -> _Scored:
        """Return the scores of an index at the partitions where they are known."""
        scores = self.partitions.score(index)
        if scores is None:
            self._score_tables([index])
            note = f"the best of {len(self._sampled)} thresholds; {index.label} is not known at every one"
            return _Scored(self._sampled, self._by_table[index], note)
        late = int(np.count_nonzero(np.isnan(scores)))
        note = f"{index.label} takes too long at {late:,} partitions, which are left out" if late else ""
        return _Scored(np.arange(len(scores)), scores, note)

    @cached_property
    def _sampled(self) -> NDArray[np.int64]:
        """Partitions of the curves whose whole tables are scored."""
        spread = np.linspace(0, len(self._kept) - 1, min(MOST_TABLES, len(self._kept)))
        return self._kept[np.unique(spread.astype(np.int64))]

    def _score_tables(self, indices: Sequence[Index[...]]) -> None:
        """Score the tables of some partitions; each table is made once for all indices."""
        new = [index for index in indices if index not in self._by_table]
        if new:
            tables = map(self.partitions.table, self._sampled.tolist())
            rows = [[index.of(table) for index in new] for table in tables]
            self._by_table |= dict(zip(new, np.array(rows, np.float64).T, strict=True))

    def _choice(self, by: str, place: int, score: float, note: str = "") -> Choice:
        at = int(np.searchsorted(self._places, place))
        if at < len(self._places) and self._places[at] == place:  # always so for the best thresholds of the curves
            there = {index.label: float(scores[at]) for index, scores in self._scores.items()}
        else:
            there = self._scores_at(place, list(self._scores))
        return Choice(float(self.partitions.thresholds(place)), by, score, there, note)

    def _scores_at(self, place: int, indices: Sequence[Index[...]]) -> dict[str, float]:
        known = self.partitions.score_at(indices, np.array([place]))
        table = self.partitions.table(place) if len(known) < len(indices) else None
        return {index.label: float(known[index][0]) if index in known else index.of(table) for index in indices}

    @property
    def record(self) -> Record:
        """Counts of records, and the policies."""
        origin = self.partitions.origin
        asked: dict[str, Any] = dict(origin.records.settings)
        asked |= {"link_only": True} if origin.sources is not None else {}
        asked |= {"distance": True} if origin.sign < 0 else {}
        return Record.of(self.partitions.table(0), {}, asked, {})

    def report(
        self,
        title: str | None = None,
        by: str | Index[...] | None = None,
        *,
        precision: float | None = None,
        cost: tuple[float, float] | None = None,
        at: float | None = None,
        seed: int = 0,
    ) -> str:
        """Return a self-contained HTML page.

        by: the index whose best threshold is shown in detail; by default `dice`, or the first index.
        precision, cost, at: a wanted pair precision, the costs of a false pair and of a lost one, and a threshold; each
            is a row among the operating points.
        seed: of the interval.
        """
        from clustermark.evaluation.pair_accounts import OnPage, answer

        index = self.main_index if by is None else index_of(by)
        for name, value in (
            ("precision", precision),
            ("at", at),
        ):  # errors of the sweep itself become texts on the page
            if value is not None and (not isinstance(value, int | float | np.number) or value != value):
                raise InputError(Mention(name, value), " must be a number")
        if cost is not None and (not isinstance(cost, Sequence) or len(cost) != 2):
            raise InputError(Mention("cost", cost), " must be the costs of a false pair and of a lost one, as (1, 10)")
        return self._page(title, index, answer(self, index, OnPage(precision, cost, at, seed)))

    def describe_data(self) -> dict[str, int]:
        """Return the numbers of records, pairs and partitions."""
        counts = {"records": self.n_records, "pairs": self.n_pairs, "partitions": self.n_partitions}
        return counts | {"self_pairs": self.n_self_pairs, "repeated_pairs": self.n_repeated_pairs}

    def is_empty(self, threshold: float) -> bool:
        """Return whether no pair counts at a threshold."""
        states, sign = self.partitions.states, self.partitions.origin.sign
        return sign * threshold == inf and states.starts_apart

    @property
    def headline(self) -> str:
        """Description of what was swept, in one line."""
        own = f", {self.n_self_pairs:,} of a record with itself" if self.n_self_pairs else ""
        again = f", {quantity(self.n_repeated_pairs, 'pair')} given again" if self.n_repeated_pairs else ""
        swept = f"{quantity(self.n_pairs, 'scored pair')} of {quantity(self.n_records, 'record')}"
        return f"{swept}{own}{again}; {quantity(self.n_partitions, 'partition')}"


def _counterpart(index: Index[...]) -> Index[...] | None:
    """Return the recall of a precision, or the precision of a recall; None if there is none."""
    for one, two in (("precision", "recall"), ("recall", "precision"), ("inverse_purity", "purity")):
        if index.name.endswith(one):
            return index_of(index.name.removesuffix(one) + two)
    return None
