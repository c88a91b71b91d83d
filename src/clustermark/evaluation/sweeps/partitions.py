"""Scored pairs, closed: every partition as the threshold falls, what the truth says of it, and how to have it back."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from clustermark import _kernel
from clustermark.errors import InputError, Mention
from clustermark.evaluation.sweeps.accounts import KnownPairs
from clustermark.evaluation.sweeps.records import PREDICTED_ONLY, Records, first_names, repeated_pairs
from clustermark.registry.tracking import SweptPartitions, is_tracked, needs_expected, score_all
from clustermark.sources.pair_lists import at_least
from clustermark.statistics.arrays import PairCountsArrays
from clustermark.statistics.pairs import PairCounts
from clustermark.tables.tabulation import tabulate_codes

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from clustermark.evaluation.sweeps.states import States
    from clustermark.registry import Index
    from clustermark.registry.tracking import Sums
    from clustermark.tables.contingency import Contingency
    from clustermark.tables.policies import Policies

MOST_STEPS = 3e8
"""So many steps may go into expected mutual information."""

Swept = tuple[dict[str, "NDArray[Any]"], dict[str, "NDArray[Any]"], dict[str, Any]]
"""What the kernel returns: partitions, merges, totals."""


@dataclass(frozen=True)
class Origin:
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
        """Have the kernel close the pairs from the best score down."""
        records = self.records
        pairs = (records.left, records.right, records.scores)
        return _kernel.sweep_pairs(self.labels, *pairs, expected_steps, progress, records.counts)

    @property
    def counts_single_pairs(self) -> bool:
        """Whether each pair of the list is one pair of records that counts."""
        return not self.one_sided and self.records.weights is None and self.records.counts is None

    def require_pairs(self) -> None:
        """Complain where pairs of records cannot be counted."""
        if self.one_sided:
            raise InputError(
                "pairs are not counted with unmatched records; choose ", Mention("unmatched", "drop", "singletons")
            )
        if self.records.weights is not None:
            raise InputError(
                "pairs of records are counted one by one, and weights are no counts; leave out ", Mention("weights")
            )

    def require_single_records(self) -> None:
        """Complain where a pair of the list is not one pair of records."""
        self.require_pairs()
        if self.records.counts is not None:
            raise InputError(
                "the pairs of the list are looked at one by one, each of two records; leave out ",
                Mention("counts"),
                ", which makes many of one",
            )


class Partitions:
    """Every partition that scored pairs give, and the scores of all of them."""

    def __init__(self, states: States, merges: Mapping[str, NDArray[Any]], origin: Origin, *, expects: bool) -> None:
        """Hold what the kernel made; expects: whether expected mutual information is among it."""
        self.states = states
        self.merges = merges
        self.origin = origin
        self._expects = expects
        self._scores: dict[Index[...], NDArray[np.float64]] = {}

    def __len__(self) -> int:
        return len(self.states)

    def score(self, index: Index[...]) -> NDArray[np.float64] | None:
        """The score of every partition; None where the index needs the whole table of each."""
        if index not in self._scores:
            self._scores |= self.score_at([index], slice(None))
        return self._scores.get(index)

    def score_at(
        self, indices: Sequence[Index[...]], places: slice | NDArray[np.int64]
    ) -> dict[Index[...], NDArray[np.float64]]:
        """The scores of several indices at some partitions; those that need whole tables are left out.

        Sums over records weigh each of them alike, so with weights every index needs the tables.
        """
        if self.origin.records.weights is not None:
            return {}
        return score_all(indices, {name: column[places] for name, column in self.sums_for(indices).items()})

    def sums_for(self, indices: Sequence[Index[...]]) -> Sums:
        """What the kernel added up for every partition, with all that these indices need."""
        for index in indices:
            if reason := self.origin.refusal(index):
                raise InputError(reason)
        if not self._expects and any(map(needs_expected, indices)):  # which is left out until an index needs it
            self._expects = True
            self.sums["expected"] = self.origin.close(MOST_STEPS)[0]["expected"]
        return self.sums

    @property
    def sums(self) -> Sums:
        """What the kernel added up for every partition."""
        return self.states.sums

    @cached_property
    def pairs(self) -> Any:
        """The counts of pairs at every partition."""
        return PairCountsArrays(SweptPartitions(self.sums))

    @property
    def true_pairs(self) -> int:
        """Pairs of records that are together in truth."""
        return int(self.sums["together_true"][0])

    @cached_property
    def repeated(self) -> NDArray[np.bool_]:
        """Which pairs of the list were given again with a better score; those of a record with itself too."""
        return repeated_pairs(self.origin.records)

    @cached_property
    def known_pairs(self) -> KnownPairs:
        """The pairs of the list whose records both have a true label."""
        self.origin.require_single_records()
        return KnownPairs.of(self.origin.records, self.origin.labels, self.repeated, self.origin.sources)

    def place(self, threshold: float) -> int:
        """The number of the partition at a threshold."""
        if not isinstance(threshold, int | float | np.number) or threshold != threshold:
            raise InputError(Mention("threshold", threshold), " must be a number")
        return self.states.place(at_least(self.origin.sign * threshold))

    def thresholds(self, places: Any = slice(None)) -> NDArray[np.float64]:
        """The thresholds of these partitions, as the caller knows them."""
        found: NDArray[np.float64] = self.origin.sign * self.states.thresholds[places]
        return found

    def clusters(self, place: int) -> NDArray[np.int64]:
        """The first record of the cluster of each record."""
        m = int(self.states.merges[place])
        left, right = (self.merges[side][:m].astype(np.int64) for side in ("left", "right"))
        codes, first = _kernel.encode_integers(_kernel.connect(left, right, len(self.origin.labels)))
        return np.asarray(first[codes], np.int64)

    def table(self, place: int) -> Contingency:
        """The table of the truth and of the clusters of a partition."""
        records = self.origin.records
        pred = first_names(records, self.clusters(place))
        return tabulate_codes(records.truth, pred, records.counts, records.weights, self.origin.policies, None)
