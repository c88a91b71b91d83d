"""The policies for noise, missing labels and items that one side lacks; and labels that look like noise."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias, get_args

import numpy as np

from clustermark._kernel import ABSENT, LONE, encode_integers
from clustermark.errors import InputError, Mention, NoiseWarning, alternatives, warn_user
from clustermark.labels import is_missing
from clustermark.labels.labeling import Names
from clustermark.options import NoisePolicy, check_choice
from clustermark.results.values import label_text
from clustermark.tables.sums import exact_sum

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from numpy.typing import NDArray

    from clustermark.labels import Labeling
    from clustermark.tables.contingency import Contingency, Side


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
    choices = alternatives(list(map(repr, policies)))
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


Whose: TypeAlias = "Mapping[Side, tuple[str, str]]"
"""For each side of a table, its name in messages, and the option for its noise."""
WHOSE: Whose = {"true": ("the truth", "noise_true"), "pred": ("the prediction", "noise_pred")}

OF_LABELS: Whose = {"pred": ("", "noise")}
"""The same for the labels of one clustering."""

_WORDS: Final = ("noise", "outlier")
LIKE_NOISE: Final = (-1, "-1", "-1.0", "", *_WORDS, *map(str.capitalize, _WORDS), *map(str.upper, _WORDS))
"""Labels that algorithms and people use for points without a cluster; for example, DBSCAN uses -1."""

_OPPOSITES: Final = {-1: 1, "-1": "1", "-1.0": "1.0"}
"""A side with these two labels only has two classes, and no noise."""


class LikeNoise(NamedTuple):
    """Points with a label that looks like noise, for which no policy was given."""

    side: Side
    label: Any
    points: int


class UnmetNoise(NamedTuple):
    """A label named as noise that no point has."""

    sides: tuple[Side, ...]
    label: Any
    meant: Any = None
    """The same label of another type, if points have that."""
    points: int = 0


class NoiseDoubts(NamedTuple):
    """Doubts about the noise of a table, for messages."""

    like: tuple[LikeNoise, ...]
    unmet: tuple[UnmetNoise, ...]


def look_for_noise(table: Contingency) -> NoiseDoubts:
    """Return the doubts about the noise of a table; the labels in question are counted once per table."""
    return table.once(NoiseDoubts, _look)


def _look(table: Contingency) -> NoiseDoubts:
    counts: dict[Side, dict[Any, int]] = {side: _count(table, side) for side in _SIDES}
    unmet = _find_unmet({side: _named(table, side) for side in _SIDES}, counts)
    meant = {(side, one.meant) for one in unmet for side in one.sides}
    like = (find for side in _SIDES for find in _find_like_noise(table, side, counts[side]))
    return NoiseDoubts(tuple(find for find in like if (find.side, find.label) not in meant), tuple(unmet))


_SIDES: Final[tuple[Side, Side]] = ("true", "pred")


def _named(table: Contingency, side: Side) -> dict[Any, int]:
    """Return the labels named as noise on a side, with their numbers of points."""
    account = table.account
    return account.noise_true.points if side == "true" else account.noise_pred.points


def _count(table: Contingency, side: Side) -> dict[Any, int]:
    named = _named(table, side)
    unmet = [other for label, n in named.items() if not n for other in in_other_types(label)]
    asked = dict.fromkeys([*LIKE_NOISE, *_OPPOSITES.values(), *unmet])
    return table.count_labels(side, [label for label in asked if label not in named])


def _find_like_noise(table: Contingency, side: Side, counts: dict[Any, int]) -> list[LikeNoise]:
    found = labels_like_noise(counts, table.n_true_clusters if side == "true" else table.n_pred_clusters)
    return [LikeNoise(side, label, counts[label]) for label in found]


def labels_like_noise(labels: Collection[Any], clusters: int) -> list[Any]:
    """Return the labels that look like noise among those of `clusters` clusters.

    >>> labels_like_noise([0, -1], 2), labels_like_noise([1, -1], 2), labels_like_noise([1, -1], 3)
    ([-1], [], [-1])
    """
    return [one for one in LIKE_NOISE if one in labels and not (clusters == 2 and _OPPOSITES.get(one) in labels)]


def _find_unmet(named: dict[Side, dict[Any, int]], counts: dict[Side, dict[Any, int]]) -> list[UnmetNoise]:
    """Return the labels named as noise that no point has; one named for both sides need occur on only one."""
    unmet = []
    for label in dict.fromkeys(label for labels in named.values() for label in labels):
        sides: tuple[Side, ...] = tuple(side for side in named if label in named[side])
        if any(named[side][label] for side in sides):
            continue
        meant = [(other, n) for other in in_other_types(label) if (n := sum(counts[s].get(other, 0) for s in sides))]
        unmet.append(UnmetNoise(sides, label, *meant[0]) if meant else UnmetNoise(sides, label))
    return unmet


def warn_of_unmet_noise(table: Contingency, whose: Whose = WHOSE) -> None:
    """Warn of each label named as noise that occurs with another type only, such as "-1" where points have -1."""
    account = table.account
    if all(account.noise_true.points.values()) and all(account.noise_pred.points.values()):
        return  # an engine need not count the other types
    for found in look_for_noise(table).unmet:
        if found.points:
            warn_user(NoiseWarning(*tell_unmet_noise(found, table.policies, whose)))


def warn_of_unmet_labels(
    count: Mapping[Side, Callable[[Collection[Any]], Mapping[Any, int]]], policies: Policies, whose: Whose
) -> None:
    """Warn of each label named as noise that occurs with another type only, in labelings without a table.

    count: for each side, a function that returns the numbers of points with given labels.
    """
    noise: dict[Side, dict[Any, str]] = {"true": policies.noise_true, "pred": policies.noise_pred}
    named: dict[Side, dict[Any, int]] = {
        side: dict.fromkeys(noise[side], 0) | dict(count[side](noise[side])) for side in count
    }
    unmet = dict.fromkeys(label for labels in named.values() for label, n in labels.items() if not n)
    if not unmet:
        return
    others = [other for label in unmet for other in in_other_types(label)]
    counts: dict[Side, dict[Any, int]] = {
        side: dict(count[side]([one for one in others if one not in noise[side]])) for side in count
    }
    for found in _find_unmet(named, counts):
        if found.points:
            warn_user(NoiseWarning(*tell_unmet_noise(found, policies, whose)))


def count_labels(labelings: Sequence[Labeling], labels: Collection[Any]) -> dict[Any, int]:
    """Return the number of points of all labelings with each of the labels; labels without points are omitted."""
    counts: dict[Any, int] = {}
    for labeling in labelings if labels else ():
        codes, first = encode_integers(np.ascontiguousarray(labeling.codes))
        sizes = np.bincount(codes, minlength=len(first))
        for place, label in Names(labeling.values, np.asarray(labeling.codes)[first]).find(labels):
            counts[label] = counts.get(label, 0) + int(sizes[place])
    return counts


def count_like_noise(labeling: Labeling, named: Collection[Any] = ()) -> dict[Any, int]:
    """Return the number of points of each label that looks like noise, unless it is named as noise, in any type.

    >>> from clustermark.labels import read_labels
    >>> labeling = read_labels([0, 0, 1, -1, -1], "labels")
    >>> count_like_noise(labeling), count_like_noise(labeling, [-1]), count_like_noise(labeling, ["-1"])
    ({-1: 2}, {}, {})
    """
    counts = count_labels([labeling], [*LIKE_NOISE, *_OPPOSITES.values()])
    if not counts:
        return {}
    codes = np.unique(labeling.codes)
    clusters = len(codes) if labeling.values is None else int((codes >= 0).sum())
    known = {*named, *(other for label in named for other in in_other_types(label))}
    return {label: counts[label] for label in labels_like_noise(counts, clusters) if label not in known}


def tell_unmet_noise(found: UnmetNoise, policies: Policies, whose: Whose = WHOSE) -> list[Any]:
    """Return the parts of a message about a label named as noise that no point has."""
    noise: dict[str, dict[Any, str]] = {"true": policies.noise_true, "pred": policies.noise_pred}
    of = f" of {whose[found.sides[0]][0]}" if len(found.sides) == 1 and whose[found.sides[0]][0] else ""
    chosen = {side: noise[side][found.label] for side in found.sides}
    named = {whose[side][1]: chosen[side] for side in found.sides}
    if len(chosen) == 2 and len(set(chosen.values())) == 1:
        named = {"noise": chosen["true"]}
    options: list[Any] = []
    for option, policy in named.items():
        options += [", " if options else "", Mention(option, {found.label: policy})]
    meant = ""
    if found.points:
        kind, have = "text" if isinstance(found.meant, str) else "number", "has" if found.points == 1 else "have"
        meant = f"; {found.points:,} {have} the {kind} {quote_label(found.meant)}: did you mean that?"
    return [f"No point{of} has the label {quote_label(found.label)} (", *options, f"){meant or '.'}"]


def quote_label(label: Any) -> str:
    """Return a label in Python's notation, which distinguishes -1 and '-1'."""
    if not isinstance(label, str):
        return label_text(label)
    return f"'{label_text(label)}'" if label.strip() else repr(label)


def in_other_types(label: Any) -> list[Any]:
    """Return the label as text if it is a number, and as a number if it is text."""
    if not isinstance(label, str):
        return [str(label)]
    return [int(label)] if label.removeprefix("-").isdecimal() and label.isascii() else []
