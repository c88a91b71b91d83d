"""The partitions that scored pairs form at every threshold, with their sums; and the labels for the kernel."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clustermark import _kernel
from clustermark._kernel import encode_integers
from clustermark.errors import InputError, Mention
from clustermark.evaluation.pair_accounts import KnownPairs
from clustermark.labels import Labeling
from clustermark.labels.labeling import Names
from clustermark.registry.tracking import SweptPartitions, is_tracked, needs_expected, score_all, score_parts
from clustermark.sources.pair_lists import at_least
from clustermark.statistics.arrays import PairCountsArrays
from clustermark.statistics.information import Entropies
from clustermark.statistics.pairs import PairCounts
from clustermark.tables.contingency import IN_MEMORY, Origin
from clustermark.tables.policies import ALONE, DROPPED, Policies, fates_of
from clustermark.tables.sums import exact_sum
from clustermark.tables.tabulation import tabulate_codes

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from clustermark.registry import Index
    from clustermark.registry.tracking import Sums
    from clustermark.tables.contingency import Contingency


_WEAK = 1e-4
"""Below this share of n ln n, information has lost digits, as a difference of sums of about this size."""
_FEW = 20
"""Maximal number of tables that are made to score such partitions at once."""
_MOST_RECORDS = 1_000_000
"""Maximal number of records of these tables together, except for one table."""
MOST_STEPS = 3e8
"""Maximal number of steps for expected mutual information."""

Swept = tuple[dict[str, "NDArray[Any]"], dict[str, "NDArray[Any]"], dict[str, Any]]
"""Result of the kernel: partitions, merges, totals."""


@dataclass(frozen=True)
class SweptPairs:
    """The input of a sweep."""

    records: PairRecords
    labels: NDArray[np.int32]
    """Labels for the kernel; -1 and -2 for records without a true label."""
    policies: Policies
    sign: int
    """-1 if scores are distances, which the kernel gets with negative sign; else 1."""
    sources: NDArray[np.int32] | None
    """Source of each record, if only pairs across sources count."""

    def refusal(self, index: Index[...]) -> str:
        """Return why an index has no meaning here; empty if it has one."""
        if self.sources is not None and index.statistic is not PairCounts:
            return f"link_only=True counts pairs across sources, and {index.label} is not made of counts of pairs alone"
        if self.sources is not None and not is_tracked(index):
            return f"link_only=True counts pairs across sources, and {index.label} is known of whole tables only"
        if self.records.weights is not None and index.facts.weights is None:
            return f"{index.label} has no meaning with real weights; leave out weights=, or use counts="
        if self.one_sided and not index.one_sided:
            return f'{index.label} needs both labels of every record; choose unmatched="drop" or "singletons"'
        return ""

    @cached_property
    def one_sided(self) -> bool:
        """Whether some records count on the side of the prediction only."""
        return bool((self.labels == PREDICTED_ONLY).any())

    def close(self, expected_steps: float, progress: Callable[[float], None] | None = None) -> Swept:
        """Close the pairs by the kernel, from the best score down."""
        records = self.records
        pairs = (records.left, records.right, records.scores)
        return _kernel.sweep_pairs(self.labels, *pairs, expected_steps, progress, records.counts)

    @property
    def counts_single_pairs(self) -> bool:
        """Whether each pair of the list is one pair of records that counts."""
        return not self.one_sided and self.records.weights is None and self.records.counts is None

    def require_pairs(self) -> None:
        """Raise an error if pairs of records cannot be counted."""
        if self.one_sided:
            raise InputError(
                "pairs are not counted with unmatched records; choose ", Mention("unmatched", "drop", "singletons")
            )
        if self.records.weights is not None:
            raise InputError(
                "pairs of records are counted one by one, and weights are no counts; leave out ", Mention("weights")
            )

    def require_single_records(self) -> None:
        """Raise an error if a pair of the list is not one pair of records."""
        self.require_pairs()
        if self.records.counts is not None:
            raise InputError(
                "the pairs of the list are looked at one by one, each of two records; leave out ",
                Mention("counts"),
                ", which makes many of one",
            )


class Partitions:
    """All partitions that scored pairs form, with their scores."""

    def __init__(
        self, states: States, merges: Mapping[str, NDArray[Any]], origin: SweptPairs, *, expects: bool
    ) -> None:
        """Store the result of the kernel; expects: whether it includes expected mutual information."""
        self.states = states
        self.merges = merges
        self.origin = origin
        self._expects = expects
        self._scores: dict[Index[...], NDArray[np.float64]] = {}
        self._exact: dict[tuple[Index[...], int], float] = {}
        """Scores of tables, by index and partition."""

    def __len__(self) -> int:
        return len(self.states)

    def score(self, index: Index[...]) -> NDArray[np.float64] | None:
        """Return the score of every partition; None if the index needs whole tables."""
        if index not in self._scores:
            self._scores |= self.score_at([index], slice(None))
        return self._scores.get(index)

    def score_at(
        self, indices: Sequence[Index[...]], places: slice | NDArray[np.int64]
    ) -> dict[Index[...], NDArray[np.float64]]:
        """Return the scores of several indices at some partitions, without indices that need whole tables.

        Sums over records ignore weights, so with weights every index needs the tables.
        """
        if self.origin.records.weights is not None:
            return {}
        found = score_all(indices, {name: column[places] for name, column in self.sums_for(indices).items()})
        numbers = np.arange(len(self))[places]
        weak = {index: self._find_weak(index, numbers) for index in found if index.statistic is Entropies}
        self._score_tables({index: numbers[places].tolist() for index, places in weak.items()})
        for index, places in weak.items():
            found[index][places] = [self._exact[index, number] for number in numbers[places].tolist()]
        return found

    def _find_weak(self, index: Index[...], numbers: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return some places of scores of which the sums do not have the digits, or that they lack.

        The information of partitions that share nearly none with the truth is the difference of two sums that are
        nearly equal.
        """
        sums = {name: self.sums[name][numbers] for name in ("spread_true", "left_true", "points")}
        points = sums["points"]
        truth = points * np.log(points) - sums["spread_true"]
        weak = truth - sums["left_true"] < _WEAK * points * np.log(points)
        if needs_expected(index):
            weak |= np.isnan(self.sums["expected"][numbers])
        places = np.flatnonzero(weak & (truth > 0) & (self.sums["clusters"][numbers] > 1))
        few = min(_FEW, 1 + _MOST_RECORDS // len(self.origin.labels), len(places))
        return places[np.unique(np.linspace(0, len(places) - 1, few).astype(np.int64))]

    def _score_tables(self, numbers: Mapping[Index[...], Sequence[int]]) -> None:
        """Score tables of partitions by the indices that need them; the table of a partition is made once."""
        needed: dict[int, list[Index[...]]] = {}
        for index, own in numbers.items():
            for number in own:
                if (index, number) not in self._exact:
                    needed.setdefault(number, []).append(index)
        for number, indices in needed.items():
            table = self.table(number)
            self._exact |= {(index, number): index.of(table) for index in indices}

    def sums_for(self, indices: Sequence[Index[...]]) -> Sums:
        """Return the sums of the kernel for every partition, with all that these indices need."""
        for index in indices:
            if reason := self.origin.refusal(index):
                raise InputError(reason)
        if not self._expects and any(map(needs_expected, indices)):  # computed only when an index needs it
            self._expects = True
            self.sums["expected"] = self.origin.close(MOST_STEPS)[0]["expected"]
        return self.sums

    @property
    def sums(self) -> Sums:
        """Sums of the kernel for every partition."""
        return self.states.sums

    @cached_property
    def pairs(self) -> Any:
        """Counts of pairs at every partition."""
        return PairCountsArrays(SweptPartitions(self.sums))

    @property
    def true_pairs(self) -> int:
        """Number of pairs of records that are together in truth."""
        return int(self.sums["together_true"][0])

    @cached_property
    def repeated(self) -> NDArray[np.bool_]:
        """Mask of pairs that are repeated with a better score, or of a record with itself."""
        return repeated_pairs(self.origin.records)

    @cached_property
    def known_pairs(self) -> KnownPairs:
        """Pairs of the list whose records both have a true label."""
        self.origin.require_single_records()
        return KnownPairs.of(self.origin.records, self.origin.labels, self.repeated, self.origin.sources)

    def place(self, threshold: float) -> int:
        """Return the number of the partition at a threshold."""
        if not isinstance(threshold, int | float | np.number) or threshold != threshold:
            raise InputError(Mention("threshold", threshold), " must be a number")
        return self.states.place(at_least(self.origin.sign * threshold))

    def thresholds(self, places: Any = slice(None)) -> NDArray[np.float64]:
        """Return the thresholds of these partitions, with the sign of the given scores."""
        found: NDArray[np.float64] = self.origin.sign * self.states.thresholds[places]
        return found

    def clusters(self, place: int) -> NDArray[np.int64]:
        """Return the first record of the cluster of each record."""
        m = int(self.states.merges[place])
        left, right = (self.merges[side][:m].astype(np.int64) for side in ("left", "right"))
        codes, first = _kernel.encode_integers(_kernel.connect(left, right, len(self.origin.labels)))
        return np.asarray(first[codes], np.int64)

    def table(self, place: int, origin: Origin = IN_MEMORY) -> Contingency:
        """Return the table of the truth and the clusters of a partition."""
        records = self.origin.records
        pred = first_names(records, self.clusters(place))
        policies = self.origin.policies
        return tabulate_codes(records.truth, pred, records.counts, records.weights, policies, None, origin=origin)


MAX_POINTS = 2**31

NOT_COUNTED, PREDICTED_ONLY = -1, -2
"""Labels of the kernel for records without a true label."""


class PairRecords(NamedTuple):
    """All records, numbered, those of the truth first; and the scored pairs of their numbers."""

    truth: Labeling
    """True label of each record; ABSENT if it has none."""
    ids: Names | None
    """Ids of the records; None if the number of a record is its id."""
    left: NDArray[np.int32]
    right: NDArray[np.int32]
    scores: NDArray[np.float64]
    counts: NDArray[np.int64] | None = None
    """Number of points of each record; 1 for those without truth, which are refused or do not count."""
    weights: NDArray[np.float64] | None = None
    settings: dict[str, Any] = {}  # noqa: RUF012  (a field)
    """Sources of the truth and the pairs, and their columns."""

    def name(self, numbers: NDArray[Any]) -> list[Any]:
        """Return the ids of these records."""
        return numbers.tolist() if self.ids is None else [self.ids.to_list()[number] for number in numbers.tolist()]


def label_records(records: PairRecords, policies: Policies) -> NDArray[np.int32]:
    """Return the labels for the kernel: numbers, new ones for singletons, negative ones if records do not count."""
    if _are_plain(records, policies):
        return records.truth.codes.astype(np.int32, copy=False)
    truth = records.truth
    numbers, first = encode_integers(truth.codes)
    names = Names(truth.values, truth.codes[first])
    if policies.missing == "error" and truth.n_missing:
        raise InputError(
            f"{truth.n_missing:,} record(s) of the truth have no label, the first at position {truth.first_missing}; "
            "fill them in, or choose ",
            Mention("missing", "drop", "cluster", "singletons"),
        )
    absent = names.are_absent()
    if policies.unmatched == "error" and absent.any():
        unknown = numbers == int(absent.argmax())
        example = records.name(np.flatnonzero(unknown)[:1])[0]
        raise InputError(
            f"{np.count_nonzero(unknown):,} record(s) of the pairs are not in the truth, such as {example!r}; choose ",
            Mention("unmatched", "drop", "singletons", "keep"),
        )
    labels = np.asarray(numbers, np.int32)
    if records.counts is not None:
        _check_counts(records.counts)
        labels = np.where(records.counts == 0, NOT_COUNTED, labels).astype(np.int32)
    fates = fates_of(names, policies.noise_true, policies)
    if policies.unmatched in ("singletons", "keep") and absent.any():
        _refuse_numbers_of_absent(records)
    if not fates.any() and records.counts is None:
        return labels
    labels, fates = labels.copy(), np.where(labels == NOT_COUNTED, DROPPED, fates[numbers])
    alone = fates == ALONE
    labels[alone] = len(first) + np.arange(np.count_nonzero(alone), dtype=np.int32)
    labels[fates == DROPPED] = NOT_COUNTED
    labels[absent[numbers] & (fates > DROPPED)] = PREDICTED_ONLY
    counted = labels >= 0
    if not counted.any():
        raise InputError("all records were dropped by the policies: there is nothing to compare")
    labels[counted] = encode_integers(labels[counted])[0]
    return labels


def _are_plain(records: PairRecords, policies: Policies) -> bool:
    """Return whether every record has a label, numbered from 0, that no policy or count changes."""
    if policies.noise_true or records.counts is not None:
        return False
    codes, values = records.truth.codes, records.truth.values
    highest = int(codes.max(initial=0) if values is None else len(values) - 1)
    return int(codes.min(initial=0)) >= 0 and highest < len(codes)


def _check_counts(counts: NDArray[np.int64]) -> None:
    total = exact_sum(counts)
    if not total:
        raise InputError("counts: every count is zero, so there are no records to compare")
    if total >= MAX_POINTS:
        raise InputError(f"counts: {total:,} points are too many for a sweep, which counts fewer than {MAX_POINTS:,}")


def _refuse_numbers_of_absent(records: PairRecords) -> None:
    for name in ("counts", "weights"):
        if getattr(records, name) is not None:
            raise InputError(
                f"{name}: records of the pairs that the truth lacks have none; choose ", Mention("unmatched", "drop")
            )


def repeated_pairs(records: PairRecords) -> NDArray[np.bool_]:
    """Mark pairs repeated with a better score (or an equal one before), and pairs of a record with itself."""
    low = np.minimum(records.left, records.right).astype(np.int64)
    high = np.maximum(records.left, records.right).astype(np.int64)
    n = int(max(high.max(initial=0) + 1, 1))
    key = low * n + high
    order = np.lexsort((-records.scores, key))
    repeated = np.zeros(len(key), np.bool_)
    repeated[order[1:]] = key[order[1:]] == key[order[:-1]]
    return np.asarray(repeated | (low == high))


def first_names(records: PairRecords, numbers: NDArray[Any]) -> Labeling:
    """Return a labeling in which each cluster is named by its first record."""
    return Labeling(numbers) if records.ids is None else Labeling(numbers, records.ids.to_list())


def ids_of(records: PairRecords) -> list[Any]:
    """Return the ids of all records."""
    n = len(records.truth)
    return list(range(n)) if records.ids is None else records.ids.to_list()


class States(NamedTuple):
    """All partitions of a sweep, from no pair down to the lowest score."""

    thresholds: NDArray[np.float64]
    merges: NDArray[np.int64]
    """Number of merges that lead to each partition."""
    sums: Sums

    @classmethod
    def of(cls, columns: Mapping[str, NDArray[Any]], totals: Mapping[str, Any]) -> States:
        """Make the states from the result of the kernel."""
        top = columns["thresholds"][:2]
        if len(top) == 2 and top[0] == top[1]:  # pairs scored inf count at every threshold, so none joins nothing
            columns = {name: column[1:] for name, column in columns.items()}
        n = len(columns["thresholds"])
        sums = {name: column for name, column in columns.items() if name not in ("thresholds", "merges")}
        sums |= {name: np.broadcast_to(np.asarray(total), n) for name, total in totals.items()}
        return cls(columns["thresholds"], columns["merges"], sums)

    def __len__(self) -> int:
        return len(self.thresholds)

    @property
    def starts_apart(self) -> bool:
        """Whether no pair counts at the strictest threshold, infinity."""
        return not int(self.merges[0])

    def place(self, threshold: float) -> int:
        """Return the number of the partition at a threshold: the last one that needs no lower score."""
        return int(np.searchsorted(-self.thresholds, -threshold, side="right")) - 1


def choose_places(indices: Sequence[Index[...]], sums: Sums, step: float) -> tuple[list[Index[...]], NDArray[np.int64]]:
    """Return the indices that follow from these sums, and the partitions that their curves need.

    These are the first and the last partition, the best one by each index, and both neighbours wherever a score enters
    another interval of width `step`: scores between two of them differ by less than `step`.
    """
    n = len(sums["cells"])
    needed = np.zeros(n, np.bool_)
    needed[[0, -1]] = True
    able: list[Index[...]] = []
    bests: dict[Index[...], list[tuple[int, float]]] = {}
    for begin, scores in score_parts(indices, sums, overlap=1):
        able = list(scores)
        for index, part in scores.items():
            needed[begin : begin + len(part)] |= find_borders(part, step)
            if index.facts.higher_is_better is not None:
                best = find_best(index, part)
                bests.setdefault(index, []).append((begin + best, float(part[best])))
    for index in able:
        if index in bests:
            places, found = zip(*bests[index], strict=True)
            needed[places[find_best(index, np.array(found))]] = True
    return able, np.flatnonzero(needed)


def find_borders(scores: NDArray[np.float64], step: float) -> NDArray[np.bool_]:
    """Mark scores that lie in a different interval of width `step` than one of their neighbours."""
    intervals = _number_intervals(scores, step)
    borders = np.zeros(len(scores), np.bool_)
    crossed = intervals[1:] != intervals[:-1]
    borders[1:] |= crossed
    borders[:-1] |= crossed
    return borders


def _number_intervals(scores: NDArray[np.float64], step: float) -> NDArray[Any]:
    """Return the number of the interval of each score, as integers if they fit, for speed."""
    if scores.min() >= 0.0 and scores.max() <= 1e6:  # false if a score is NaN
        return (scores * (1 / step)).astype(np.int32)
    return np.floor(np.nan_to_num(scores, posinf=np.inf, neginf=-np.inf) / step)


def find_best(index: Index[...], scores: NDArray[np.float64]) -> int:
    """Return the position of the best score, the first of equals."""
    higher = index.facts.higher_is_better
    if higher is None:
        raise InputError(f"{index.label}: neither high nor low scores are better, so no threshold is best")
    place = int(scores.argmax() if higher else scores.argmin())
    if scores[place] == scores[place]:
        return place
    known = scores if higher else -scores  # argmax and argmin return the position of a NaN if there is one
    return int(np.where(np.isnan(scores), -np.inf, known).argmax())
