"""The policies for noise, missing labels and items that one side lacks: rules on the entries of a table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, NamedTuple, get_args

import numpy as np

from clustermark._kernel import ABSENT, LONE
from clustermark.errors import InputError, Mention
from clustermark.labels import is_missing
from clustermark.options import NoisePolicy, check_choice
from clustermark.tables.sums import exact_sum

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from clustermark.labels.labeling import Names

KEPT: Final = 0
ALONE: Final = 1
DROPPED: Final = 2
ONE_SIDED: Final = 3
_FATES: Final = {"cluster": KEPT, "unscored": KEPT, "singletons": ALONE, "drop": DROPPED, "keep": ONE_SIDED}


_FOR_TRUTH: Final = tuple(policy for policy in get_args(NoisePolicy) if policy != "unscored")
"""The policies for noise that a truth can have."""


class Policies(NamedTuple):
    """The policies of one table for noise, missing labels and unmatched items."""

    noise_true: dict[Any, str]
    noise_pred: dict[Any, str]
    missing: str
    unmatched: str


class SideNoise(NamedTuple):
    """The points of one side that have a label named as noise."""

    points: dict[Any, int]
    """The number of points with each label, before any is dropped; 0 for a label without points."""
    alone: int
    """Number of these points with a cluster of their own in the table."""

    def merge(self, other: SideNoise) -> SideNoise:
        """Return the noise of two tables together, with the same policies."""
        points = {label: n + other.points.get(label, 0) for label, n in self.points.items()}
        return SideNoise(points, self.alone + other.alone)


NO_NOISE: Final = SideNoise({}, 0)


class Entries(NamedTuple):
    """Entries of a table before they are merged into cells: points, or cells of another table."""

    rows: NDArray[np.int32]
    columns: NDArray[np.int32]
    counts: NDArray[np.int64]
    weights: NDArray[np.float64] | None
    pairs: NDArray[np.float64] | None

    def select(self, keep: NDArray[np.bool_]) -> Entries:
        """Return only the entries where `keep` is true."""
        return Entries(*(None if column is None else column[keep] for column in self))  # type: ignore[arg-type]


def read_policies(
    noise_true: object = None,
    noise_pred: object = None,
    missing: object = "error",
    unmatched: object = "error",
    noise: object = None,
) -> Policies:
    """Check the policies of a table. `noise` applies to both sides; `noise_true` and `noise_pred` refine it."""
    check_choice("missing", missing)
    check_choice("unmatched", unmatched)
    both = _read_noise(noise, "noise", _FOR_TRUTH)
    return Policies(
        both | _read_noise(noise_true, "noise_true", _FOR_TRUTH),
        both | _read_noise(noise_pred, "noise_pred", get_args(NoisePolicy)),
        str(missing),
        str(unmatched),
    )


def read_common_policies(noise: object, missing: object, unmatched: object) -> Policies:
    """Return the common policies of many labelings, any of which may be the truth."""
    policies = read_policies(None, None, missing, unmatched, noise)
    return PLAIN if policies == PLAIN else policies


def spread_noise(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return options with `noise` written as `noise_true` and `noise_pred`, which refine it."""
    chosen = {name: value for name, value in options.items() if name != "noise"}
    if both := _read_noise(options.get("noise"), "noise", _FOR_TRUTH):
        for name, policies in (("noise_true", _FOR_TRUTH), ("noise_pred", get_args(NoisePolicy))):
            chosen[name] = both | _read_noise(options.get(name), name, policies)
    return chosen


def _read_noise(noise: object, name: str, policies: tuple[str, ...]) -> dict[Any, str]:
    if noise is None:
        return {}
    choices = ", ".join(map(repr, policies))
    if not isinstance(noise, Mapping):
        label = noise if isinstance(noise, str | int) and noise not in policies else -1
        raise InputError(
            Mention(name, noise),
            " does not say what to do with the noise; pass a mapping from label to policy, such as ",
            Mention(name, {label: policies[1]}),
            f", where the policy is one of {choices}",
        )
    for label, policy in noise.items():
        if policy not in policies:
            raise InputError(Mention(name, {label: policy}), f": {policy!r} is not a policy here; choose {choices}")
        if is_missing(label):
            raise InputError(
                Mention(name, {label: policy}), ": this label is missing, not noise; use ", Mention("missing")
            )
    return dict(noise)


def fates_of(names: Names, noise: dict[Any, str], policies: Policies) -> NDArray[np.int8]:
    """Return the fate of each cluster of one side, given its name."""
    fates = np.zeros(len(names), np.int8)
    for position in np.flatnonzero(names.among(noise)):
        fates[position] = _FATES[noise[names.to_list()[position]]]
    fates[names.are_missing()] = _FATES.get(policies.missing, KEPT)
    fates[names.are_absent()] = _FATES.get(policies.unmatched, KEPT)
    return fates


def makes_singletons(policies: Policies) -> bool:
    """Return whether any policy turns points into clusters of their own."""
    chosen = (*policies.noise_true.values(), *policies.noise_pred.values(), policies.missing, policies.unmatched)
    return "singletons" in chosen


def drops_unlabelled(names: Names, policies: Policies) -> NDArray[np.bool_]:
    """Return a mask of the names of points that are dropped because this side lacks them, or their label."""
    missing = names.are_missing() & (policies.missing == "drop")
    return np.asarray(missing | (names.are_absent() & (policies.unmatched == "drop")))


def rewrite(
    entries: Entries, row_fates: NDArray[np.int8], column_fates: NDArray[np.int8]
) -> tuple[Entries, NDArray[np.bool_]]:
    """Apply the fates of rows and columns to the entries; return these, and a mask of the entries to keep."""
    row_fate, column_fate = row_fates[entries.rows], column_fates[entries.columns]
    rows = _rename(entries.rows, row_fate)
    columns = _rename(entries.columns, column_fate)
    pairs = entries.pairs
    if pairs is not None:
        pairs = np.where((rows < 0) | (columns < 0), 0.0, pairs)
    stay = (row_fate != DROPPED) & (column_fate != DROPPED)
    return Entries(rows, columns, entries.counts, entries.weights, pairs), stay


def _rename(numbers: NDArray[np.int32], fate: NDArray[np.int8]) -> NDArray[np.int32]:
    renamed = np.where(fate == ALONE, np.int32(LONE), numbers)
    return np.where(fate == ONE_SIDED, np.int32(ABSENT), renamed).astype(np.int32, copy=False)


def tally_noise(
    names: Names, noise: dict[Any, str], numbers: NDArray[np.int32], counts: NDArray[np.int64], kept: NDArray[np.bool_]
) -> SideNoise:
    """Return the noise of one side, given the cluster and count of each entry, and a mask of the kept entries."""
    points, alone = dict.fromkeys(noise, 0), 0
    for place, label in names.find(noise):
        mine = numbers == place
        points[label] += exact_sum(counts[mine])
        if noise[label] == "singletons":
            alone += exact_sum(counts[mine & kept])
    return SideNoise(points, alone)


def in_order(entries: Entries) -> Entries:
    """Return the entries sorted, so that two sets of them can be compared."""
    keys = (entries.counts, entries.columns, entries.rows)
    order = np.lexsort(keys if entries.weights is None else (entries.weights, *keys))
    return Entries(*(None if column is None else column[order] for column in entries))  # type: ignore[arg-type]


def close_gaps(numbers: NDArray[np.int32], n: int) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Return the numbers without the gaps that dropped clusters left, and the old number of each new one.

    LONE and ABSENT stay as they are.
    """
    occurs = np.zeros(n, np.bool_)
    occurs[numbers[numbers >= 0]] = True
    old = np.flatnonzero(occurs)
    # two extra places at the end let the negative markers index themselves
    new = np.full(n + 2, LONE, np.int32)
    new[old] = np.arange(len(old), dtype=np.int32)
    new[ABSENT] = ABSENT
    return new[numbers], old


PLAIN: Final = read_policies()
"""No noise; missing labels and unmatched items are errors."""
AS_COUNTED: Final = Policies({}, {}, "singletons", "keep")
"""For an excerpt: missing labels are points with a cluster of their own; absent items are outside the excerpt."""
