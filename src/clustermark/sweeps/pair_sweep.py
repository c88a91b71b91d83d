"""sweep_pairs(): scored pairs closed at every threshold in one pass, against the truth."""

from __future__ import annotations

import sys
from functools import cached_property
from math import inf
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clustermark import _kernel
from clustermark.errors import InputError
from clustermark.evaluation import evaluate_table
from clustermark.options import PolicyOptions, read_options
from clustermark.report.notices import WHOSE, tell_like_noise, warn_of_noise
from clustermark.report.score_sheet import index_of
from clustermark.sources.pair_lists import at_least
from clustermark.statistics.pairs import PairCounts
from clustermark.sweeps.accounts import Calibration, FalseMerge, FalseMerges, KnownPairs, RawPairs, count_losses
from clustermark.sweeps.across import count_across, sources_of
from clustermark.sweeps.curves import Choice, Curves, find_best
from clustermark.sweeps.scored_pairs import (
    MAX_PAIRS,
    PREDICTED_ONLY,
    Asked,
    Records,
    first_names,
    ids_of,
    label_records,
    read_records,
    repeated_pairs,
)
from clustermark.sweeps.states import (
    States,
    is_tracked,
    needs_expected,
    score_states,
    thin,
    tracked_indices,
    view_statistics,
)
from clustermark.tables.crosstab import tabulate_codes
from clustermark.tables.noise import LIKE_NOISE
from clustermark.tables.policies import Policies, read_policies

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from clustermark.evaluation import Evaluation
    from clustermark.labels.kinds import Labels
    from clustermark.options import MissingPolicy, Noise, UnmatchedPolicy
    from clustermark.registry import Index
    from clustermark.sources.kinds import Source
    from clustermark.sweeps.accounts import Losses
    from clustermark.sweeps.optimism import BestInterval
    from clustermark.tables.contingency import Contingency

STEP = 0.005
"""Between two thresholds of the curves no score of theirs moves by as much."""
MOST_STEPS = 3e8
"""So many steps may go into expected mutual information."""
MOST_TABLES = 200
"""At so many thresholds at most is an index scored that needs the whole table."""


class Origin(NamedTuple):
    """What a sweep was made of."""

    records: Records
    labels: NDArray[np.int32]
    """What the kernel read: -1 and -2 for records without a true label."""
    policies: Policies
    sign: int
    """-1 where scores are distances, and so the thresholds of the kernel are negative ones."""
    sources: NDArray[np.int32] | None
    """The source of each record, where only pairs across sources count."""

    def refusal(self, index: Index[...]) -> str:
        """Why an index has no meaning here; empty where it has one."""
        if self.sources is not None and index.statistic is not PairCounts:
            return f"link_only=True counts pairs across sources, and {index.label} is not made of counts of pairs alone"
        if self.one_sided and not index.one_sided:
            return f'{index.label} needs both labels of every record; choose unmatched="drop" or "singletons"'
        return ""

    @property
    def one_sided(self) -> bool:
        """Whether some records count on the side of the prediction only."""
        return bool((self.labels == PREDICTED_ONLY).any())


class PairSweep(Curves):
    """Every partition that scored pairs give as the threshold falls, and its scores against the truth.

    The curves have the thresholds between which a score moves by 0.005; `best` knows all of them.

    >>> truth = {"a": 1, "b": 1, "c": 1, "d": 2, "e": 2}
    >>> pairs = (["a", "b", "d", "c"], ["b", "c", "e", "d"], [0.9, 0.8, 0.7, 0.2])
    >>> found = sweep_pairs(truth, pairs)
    >>> found.best("b_cubed_f")
    threshold 0.7: b_cubed_f 1.000000
    >>> found.labels(0.75)
    {'a': 'a', 'b': 'a', 'c': 'a', 'd': 'd', 'e': 'e'}
    """

    def __init__(self, states: States, merges: Mapping[str, NDArray[Any]], origin: Origin, indices: Any) -> None:
        """Hold the partitions; `sweep_pairs` makes them."""
        self._states = states
        self._merges = merges
        self._given = origin
        self._views = view_statistics(states.sums)
        self._all: dict[Index[...], NDArray[np.float64]] = {}
        self._expects = any(map(needs_expected, indices))
        chosen = [index for index in indices if self._score(index) is not None]
        kept = thin([self._all[index] for index in chosen], STEP)
        bests = [find_best(index, self._all[index]) for index in chosen if index.facts.higher_is_better is not None]
        self._kept = np.union1d(kept, np.array(bests, np.int64)).astype(np.int64)
        thresholds = origin.sign * states.thresholds[self._kept]
        super().__init__(thresholds.tolist(), {index: self._all[index][self._kept] for index in chosen})
        self._by_table: dict[Index[...], tuple[NDArray[np.int64], NDArray[np.float64]]] = {}

    def _score(self, index: Index[...]) -> NDArray[np.float64] | None:
        if index not in self._all:
            if reason := self._given.refusal(index):
                raise InputError(reason)
            if needs_expected(index):
                self._expect()
            scores = score_states(index, self._states.sums, self._views)
            if scores is None:
                return None
            self._all[index] = scores
        return self._all[index]

    def _expect(self) -> None:
        """Compute expected mutual information, which is left out until an index needs it."""
        if self._expects:
            return
        sums = self._states.sums
        self._expects = True
        records, labels = self._given.records, self._given.labels
        states, _, _ = _kernel.sweep_pairs(labels, records.left, records.right, records.scores, MOST_STEPS)
        sums["expected"] = states["expected"]
        self._views = view_statistics(sums)

    @property
    def n_records(self) -> int:
        """Records of the truth and of the pairs."""
        return len(self._given.labels)

    @property
    def n_pairs(self) -> int:
        """Scored pairs, as they were given."""
        return len(self._given.records.scores)

    @property
    def n_partitions(self) -> int:
        """Distinct partitions, the one without any pair included."""
        return len(self._states)

    @property
    def n_self_pairs(self) -> int:
        """Pairs of a record with itself, which say nothing but that it is there."""
        records = self._given.records
        return int(np.count_nonzero(records.left == records.right))

    @cached_property
    def n_repeated_pairs(self) -> int:
        """Pairs that were given again; of each, the best score counts."""
        return int(np.count_nonzero(self._repeated)) - self.n_self_pairs

    @cached_property
    def _repeated(self) -> NDArray[np.bool_]:
        return repeated_pairs(self._given.records)

    @cached_property
    def _known(self) -> KnownPairs:
        self._count_pairs()
        return KnownPairs.of(self._given.records, self._given.labels, self._repeated, self._given.sources)

    def _count_pairs(self) -> None:
        if self._given.one_sided:
            raise InputError('pairs are not counted with unmatched records; choose unmatched="drop" or "singletons"')

    def curve(self, index: str | Index[...]) -> list[tuple[float, float]]:
        """The pairs (threshold, score) of any index; one that needs the whole table has at most 200 of them."""
        found = index_of(index)
        if found in self._scores:
            return super().curve(found)
        scores = self._score(found)
        places = self._kept
        if scores is None:
            places, values = self._score_tables(found)
        else:
            values = scores[places]
        return list(zip(self._outward(self._states.thresholds[places]).tolist(), values.tolist(), strict=True))

    def best(self, index: str | Index[...], *, lowest: float | None = None) -> Choice:
        """The threshold with the best score of any index; of several equal ones the strictest.

        An index that needs the whole table is scored at 200 thresholds at most, which the note says.
        lowest: the loosest threshold that may be chosen.
        """
        found = index_of(index)
        scores, note = self._score(found), ""
        places = np.arange(len(self._states))
        if scores is None:
            places, scores = self._score_tables(found)
            note = f"the best of {len(places)} thresholds; {found.label} is not known at every one"
        elif np.isnan(scores).any():
            note = (
                f"{found.label} takes too long at {np.count_nonzero(np.isnan(scores)):,} partitions, which are left out"
            )
        if lowest is not None:
            last = self._place(lowest)
            scores, places = scores[places <= last], places[places <= last]
        place = find_best(found, scores)
        return self._choice(found, int(places[place]), float(scores[place]), note)

    def cheapest(self, *, false_merge: float = 1.0, false_split: float = 1.0) -> Choice:
        """The threshold at which mistakes cost least: so much for each false pair, so much for each true pair lost."""
        for name, cost in (("false_merge", false_merge), ("false_split", false_split)):
            if not isinstance(cost, int | float | np.number) or not 0 <= cost <= sys.float_info.max:
                raise InputError(f"{name}={cost!r} must be 0 or a positive number: what one such pair costs")
        self._count_pairs()
        pairs = self._views[PairCounts]
        cost = false_merge * pairs.ny + false_split * pairs.yn
        place = int(cost.argmin())
        threshold = float(self._outward(self._states.thresholds[[place]])[0])
        return Choice(threshold, "cost", float(cost[place]), self._scores_at(place))

    def reach(self, wanted: float, index: str | Index[...] = "pair_precision") -> Choice:
        """The most of the counterpart (recall for precision) where an index is at least as good as wanted."""
        if not isinstance(wanted, int | float | np.number) or wanted != wanted:
            raise InputError(f"wanted={wanted!r} must be a number: the least that the index may score")
        found = index_of(index)
        scores = self._score(found)
        other = self._counterpart(found)
        if scores is None or other is None:
            raise InputError(
                f"{found.label} has no counterpart that is known at every threshold; choose pair_precision, "
                "pair_recall, b_cubed_precision, b_cubed_recall, or another precision or recall"
            )
        enough = scores >= wanted
        if not enough.any():
            raise InputError(f"{found.label} is nowhere {wanted!r} or more; its best is {float(np.nanmax(scores)):.6g}")
        rest = np.where(enough, self._all[other], -np.inf)
        place = int(rest.argmax())
        crossings = int(np.count_nonzero(enough[1:] != enough[:-1]))
        note = f"the curve crosses {wanted:g} {crossings} times" if crossings > 1 else ""
        return self._choice(found, place, float(scores[place]), note)

    def _counterpart(self, index: Index[...]) -> Index[...] | None:
        for one, two in (("precision", "recall"), ("recall", "precision"), ("inverse_purity", "purity")):
            if index.name.endswith(one):
                other = index_of(index.name.removesuffix(one) + two)
                return other if self._score(other) is not None else None
        return None

    def interval(
        self,
        index: str | Index[...] = "dice",
        *,
        level: float = 0.95,
        lowest: float | None = None,
        groups: int = 20,
        seed: int = 0,
    ) -> BestInterval:
        """How good the best threshold is beyond these data: without the optimism of having chosen it on them.

        lowest: the loosest threshold that may be chosen; by default the loosest at which the records fall into
            components none of which holds a tenth of them. groups and seed: how components are dealt out to choose the
            threshold on some and to score it on others.
        """
        from clustermark.sweeps.optimism import estimate_best

        if self._given.sources is not None:
            raise InputError("link_only=True has no interval: components would have to be counted across sources too")
        return estimate_best(self, index_of(index), level, lowest, groups, seed)

    def labels(self, threshold: float) -> Any:
        """The clusters at a threshold, called like their first records: by id, or an array where ids are positions."""
        clusters = self._clusters(self._place(threshold))
        if self._given.records.ids is None:
            return clusters
        ids = ids_of(self._given.records)
        return {ids[record]: ids[first] for record, first in enumerate(clusters.tolist())}

    def table(self, threshold: float) -> Contingency:
        """The table of the truth and of the clusters at a threshold."""
        return self._table(self._place(threshold))

    def at(self, threshold: float, indices: Sequence[str | Index[...]] | str | None = None) -> Evaluation:
        """The evaluation of the clusters at a threshold; the indices are chosen as in `evaluate`."""
        return evaluate_table(self.table(threshold), indices)

    @cached_property
    def raw(self) -> RawPairs:
        """The pairs as they are, not closed, at every threshold."""
        return RawPairs(self._known, self._true_pairs, self._given.sign)

    def losses(self, threshold: float) -> Losses:
        """Where true pairs are lost at a threshold, and where false pairs come from."""
        place = self._place(threshold)
        sums = self._states.sums
        totals = (self._true_pairs, int(sums["together"][place]), int(sums["together_both"][place]))
        inward = self._given.sign * threshold
        found = count_losses(self._known, self._clusters(place), inward, totals)
        return found._replace(threshold=threshold)

    def false_merges(self, threshold: float | None = None, k: int = 10) -> FalseMerges:
        """The k scored pairs that put most records together that are apart in truth, down to a threshold."""
        if not isinstance(k, int) or k < 1:
            raise InputError(f"k={k!r} must be a positive whole number: how many pairs to show")
        self._count_pairs()
        place = len(self._states) - 1 if threshold is None else self._place(threshold)
        n = int(self._states.merges[place])
        wrong = self._merges["false_pairs"][:n]
        order = np.argsort(-wrong, kind="stable")[:k]
        order = order[wrong[order] > 0]
        left, right = (self._given.records.name(self._merges[side][order]) for side in ("left", "right"))
        columns = (self._outward(self._merges["scores"][order]), wrong[order], self._merges["true_pairs"][order])
        rows = zip(left, right, *(column.tolist() for column in columns), strict=True)
        return FalseMerges([FalseMerge(*row) for row in rows], int(wrong.sum()))

    def calibration(self, bins: int = 10) -> Calibration:
        """Whether the scores are probabilities that hold: by bins, how many of the pairs are true."""
        if not isinstance(bins, int) or bins < 1:
            raise InputError(f"bins={bins!r} must be a positive whole number")
        pairs = self._known
        if not len(pairs.scores):
            raise InputError("no scored pair has two records with a true label, so there is nothing to calibrate")
        if self._given.sign < 0 or pairs.scores[0] > 1 or pairs.scores[-1] < 0:
            raise InputError("only probabilities, from 0 to 1, can be calibrated; these scores are none")
        return Calibration(pairs.scores, pairs.true, bins)

    @property
    def _true_pairs(self) -> int:
        return int(self._states.sums["together_true"][0])

    def _place(self, threshold: float) -> int:
        if not isinstance(threshold, int | float | np.number) or threshold != threshold:
            raise InputError(f"threshold={threshold!r} must be a number")
        return self._states.place(at_least(self._given.sign * threshold))

    def _outward(self, thresholds: NDArray[np.float64]) -> NDArray[np.float64]:
        return self._given.sign * thresholds

    def _clusters(self, place: int) -> NDArray[np.int64]:
        """The first record of the cluster of each record."""
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import connected_components

        n, m = self.n_records, int(self._states.merges[place])
        ends = (self._merges["left"][:m], self._merges["right"][:m])
        numbers = connected_components(coo_array((np.ones(m, np.int8), ends), shape=(n, n)), directed=False)[1]
        codes, first = _kernel.encode_integers(numbers)
        return np.asarray(first[codes], np.int64)

    def _table(self, place: int) -> Contingency:
        origin = self._given
        pred = first_names(origin.records, self._clusters(place))
        return tabulate_codes(origin.records.truth, pred, None, None, origin.policies, None)

    def _score_tables(self, index: Index[...]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Some places, and the scores of their tables."""
        if index not in self._by_table:
            spread = np.linspace(0, len(self._kept) - 1, min(MOST_TABLES, len(self._kept)))
            places = self._kept[np.unique(spread.astype(np.int64))]
            scores = np.array([index.of(self._table(int(place))) for place in places], np.float64)
            self._by_table[index] = places, scores
        return self._by_table[index]

    def _scores_at(self, place: int) -> dict[str, float]:
        return {index.label: float(self._all[index][place]) for index in self._scores}

    def _choice(self, index: Index[...], place: int, score: float, note: str) -> Choice:
        threshold = float(self._outward(self._states.thresholds[[place]])[0])
        return Choice(threshold, index.label, score, self._scores_at(place), note)

    def _describe(self) -> dict[str, Any]:
        return {"records": self.n_records, "pairs": self.n_pairs, "partitions": self.n_partitions}

    @property
    def headline(self) -> str:
        """What was swept, in one line."""
        own = f", {self.n_self_pairs:,} of a record with itself" if self.n_self_pairs else ""
        return f"{self.n_pairs:,} scored pairs of {self.n_records:,} records{own}; {self.n_partitions:,} partitions"


def sweep_pairs(
    truth: Labels | Source,
    pairs: Any,
    *,
    score: str | None = None,
    left: str | None = None,
    right: str | None = None,
    on: str | Sequence[str] | None = None,
    true: str | None = None,
    distance: bool = False,
    link_only: bool = False,
    indices: Sequence[str | Index[...]] | None = None,
    noise_true: Noise | None = None,
    missing: MissingPolicy = "error",
    unmatched: UnmatchedPolicy = "error",
    reading: Mapping[str, Any] | None = None,
    engine: Any = None,
    max_pairs: int = MAX_PAIRS,
    progress: Callable[[float], None] | None = None,
) -> PairSweep:
    """Close scored pairs of records at every threshold, in one pass, and score each partition against the truth.

    At a threshold, whatever is connected by pairs of at least that score is one cluster; a record in no such pair is
    alone. Counts of pairs, clusters and purity are exact at every partition, the other scores within 1e-12; `at` gives
    the evaluation of a threshold, bit for bit.

    truth: a mapping or a pandas Series from id to label, a source of two columns (a file, a data frame,
        (connection, "table")), or labels alone, whose ids are their positions.
    pairs: a source with the columns of two ids and of the score, named by left, right and score, or as Splink names
        them (with source_dataset_l and source_dataset_r, ids have two parts), or the only three; a pandas Series or
        DataFrame with an index of pairs, as recordlinkage has them; or a tuple of three arrays.
    on, true: the columns of the truth with the ids (two for ids of two parts) and with the labels.
    distance: whether the scores are distances, so that low ones mean the same record.
    link_only: whether only pairs across sources count, because the truth says nothing of two records of one source; ids
        then have two parts, (source, id), and indices are those of pairs. `at` still evaluates all of a table.
    indices: of the curves; by default those of the panel that are known at every partition. `best` takes any index.
    noise_true, missing: as in `crosstab`. unmatched: what becomes of records of the pairs that the truth lacks:
        "drop" (they count nowhere, but pairs still join through them), "singletons" (each is a true cluster of its own)
        or "keep" (they add to the size of their predicted cluster only).
    reading, engine: how files are read, and by what. max_pairs: refuse more pairs than so many.
    progress: a function that is called, now and then, with the share that is done.

    Of a pair that comes twice the best score counts; a pair of a record with itself only names the record; a pair
    without a score is an error.
    """
    given = {"noise_true": noise_true, "missing": missing, "unmatched": unmatched}
    policies = read_policies(**read_options(given, PolicyOptions))
    sources = {name: value for name, value in (("reading", reading), ("engine", engine)) if value is not None}
    if not isinstance(max_pairs, int | np.integer):
        raise InputError(f"max_pairs={max_pairs!r} must be a whole number")
    records = read_records(truth, pairs, Asked(score, left, right, on, true, max_pairs), sources)
    if distance:
        records = records._replace(scores=-records.scores)
    labels = label_records(records, policies)
    sources_of_records = sources_of(records) if link_only else None
    origin = Origin(records, labels, policies, -1 if distance else 1, sources_of_records)
    chosen = _choose_indices(indices, origin)
    steps = MOST_STEPS if any(map(needs_expected, chosen)) else 0.0
    swept = _kernel.sweep_pairs(labels, records.left, records.right, records.scores, steps, progress)
    if sources_of_records is not None:
        swept = count_across(swept, records, labels, sources_of_records)
    states, merges, totals = swept
    found = PairSweep(States.of(states, totals), merges, origin, chosen)
    if not set(LIKE_NOISE).isdisjoint(np.asarray(records.truth.values, object).tolist()):  # else no table is needed
        warn_of_noise(tell_like_noise(found.table(inf), {"true": WHOSE["true"]}))
    return found


def _choose_indices(indices: Sequence[str | Index[...]] | None, origin: Origin) -> list[Index[...]]:
    """The indices of the curves; ours are those that have a meaning on these data."""
    if indices is None:
        return [index for index in tracked_indices() if index.facts.panel and not origin.refusal(index)]
    if isinstance(indices, str):
        indices = [indices]
    chosen = [index_of(index) for index in indices]
    for index in chosen:
        if not is_tracked(index):
            raise InputError(
                f"indices: {index.label} needs the whole table, so it has no curve over all thresholds; "
                f"best({index.name!r}) looks for the best of {MOST_TABLES}"
            )
        if reason := origin.refusal(index):
            raise InputError(f"indices: {reason}")
    return chosen
