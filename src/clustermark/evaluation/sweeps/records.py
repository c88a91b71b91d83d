"""Records and the pairs of them, numbered; and the labels that the kernel reads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clustermark._kernel import encode_integers
from clustermark.errors import InputError, Mention
from clustermark.labels import Labeling
from clustermark.labels.names import Names
from clustermark.tables.policies import ALONE, DROPPED, Policies, fates_of
from clustermark.tables.sums import exact_sum

if TYPE_CHECKING:
    from numpy.typing import NDArray

MAX_POINTS = 2**31

NOT_COUNTED, PREDICTED_ONLY = -1, -2
"""Labels of the kernel for records without a true label."""


class Records(NamedTuple):
    """All records, those of the truth first, numbered; and the pairs of their numbers."""

    truth: Labeling
    """The true label of each record; ABSENT where it has none."""
    ids: Names | None
    """None where the number of a record is its id."""
    left: NDArray[np.int32]
    right: NDArray[np.int32]
    scores: NDArray[np.float64]
    counts: NDArray[np.int64] | None = None
    """How many points each record stands for; 1 for those without truth, which are refused or do not count."""
    weights: NDArray[np.float64] | None = None
    settings: dict[str, Any] = {}  # noqa: RUF012  (a field)
    """Where they came from."""

    def name(self, numbers: NDArray[Any]) -> list[Any]:
        """The ids of these records."""
        return numbers.tolist() if self.ids is None else [self.ids.to_list()[number] for number in numbers.tolist()]


def label_records(records: Records, policies: Policies) -> NDArray[np.int32]:
    """The labels that the kernel reads: numbers, fresh ones for singletons, negative ones for what does not count."""
    if _are_plain(records, policies):
        return records.truth.codes.astype(np.int32, copy=False)
    truth = records.truth
    numbers, first = encode_integers(truth.codes)
    names = Names(truth.values, truth.codes[first])
    if policies.missing == "error" and truth.n_missing:
        raise InputError(
            f"truth: {truth.n_missing:,} record(s) have no label, the first at position {truth.first_missing}; fill "
            "them in, or choose ",
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


def _are_plain(records: Records, policies: Policies) -> bool:
    """Whether every record has a label, numbered from 0, and no policy or count moves one."""
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


def _refuse_numbers_of_absent(records: Records) -> None:
    for name in ("counts", "weights"):
        if getattr(records, name) is not None:
            raise InputError(
                f"{name}: records of the pairs that the truth lacks have none; choose ", Mention("unmatched", "drop")
            )


def repeated_pairs(records: Records) -> NDArray[np.bool_]:
    """Which pairs come again with a better score, or with an equal one before; pairs of a record with itself too."""
    low = np.minimum(records.left, records.right).astype(np.int64)
    high = np.maximum(records.left, records.right).astype(np.int64)
    n = int(max(high.max(initial=0) + 1, 1))
    key = low * n + high
    order = np.lexsort((-records.scores, key))
    repeated = np.zeros(len(key), np.bool_)
    repeated[order[1:]] = key[order[1:]] == key[order[:-1]]
    return np.asarray(repeated | (low == high))


def first_names(records: Records, numbers: NDArray[Any]) -> Labeling:
    """A labeling by records: clusters are called like their first one."""
    return Labeling(numbers) if records.ids is None else Labeling(numbers, records.ids.to_list())


def ids_of(records: Records) -> list[Any]:
    """The ids of all records."""
    n = len(records.truth)
    return list(range(n)) if records.ids is None else records.ids.to_list()
