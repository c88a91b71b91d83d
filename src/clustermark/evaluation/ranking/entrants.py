"""The truth and the predictions that are to be ranked: read once, and cut to the points that all of them have."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clustermark.errors import InputError, Mention
from clustermark.labels import ABSENT, MISSING, Labeling, read_counts, read_weights
from clustermark.labels.names import Names
from clustermark.labels.several import check_ids, name_labelings, read_several
from clustermark.tables.drawing import rank_labels
from clustermark.tables.policies import DROPPED, fates_of
from clustermark.tables.sums import exact_sum

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from clustermark.labels.several import Labelings
    from clustermark.tables.policies import Policies

TRUTH = "y_true"
"""What messages call the truth among the labelings."""


class Entrants(NamedTuple):
    """The truth, and every run of every method, over the points that all of them have."""

    truth: Labeling
    runs: tuple[Labeling, ...]
    methods: dict[str, tuple[int, ...]]
    """The places of each method's runs; one place for a method that was run once."""
    counts: NDArray[np.int64] | None
    weights: NDArray[np.float64] | None
    policies: Policies
    points: dict[str, int]
    """How many points were given, used, noise, dropped and unmatched."""
    lacking: dict[str, int]
    """How many points were left out for each labeling that has no label for them, or that calls them noise."""
    settings: dict[str, Any]
    """Where the labelings came from, if not from memory."""
    groups: NDArray[np.int64] | None = None
    """The number of each point's group, if groups of points were sampled."""

    @property
    def n_given(self) -> int:
        """Points given."""
        return self.points["given"]

    @property
    def n_used(self) -> int:
        """Points that are compared."""
        return self.points["used"]

    @property
    def several_runs(self) -> bool:
        """Whether a method was run more than once."""
        return any(len(places) > 1 for places in self.methods.values())


class Given(NamedTuple):
    """Labelings that were read, with how often each point counts."""

    read: dict[str, Labeling]
    """The truth, and each run by its name."""
    methods: dict[str, tuple[str, ...]]
    """The names of each method's runs."""
    counts: Any = None
    weights: Any = None
    settings: Mapping[str, Any] = {}
    groups: NDArray[np.int64] | None = None
    """The number of each point's group, if groups of points were sampled."""


def read_labels_given(
    y_true: Any, predictions: Any, counts: Any, weights: Any, policies: Policies, groups: Any = None
) -> Given:
    """Labels in memory: the truth, and predictions by name, each of which may be a list of runs.

    groups: the group of each point, in the order of the points or by id, if groups of points were sampled.
    """
    methods: dict[str, tuple[str, ...]] = {}
    several = read_several(_flatten(y_true, predictions, methods), "predictions", policies.unmatched, _call)
    if not methods:
        raise InputError("predictions: there is none; pass at least one by its name, such as {'kmeans': labels}")
    if policies.unmatched != "keep":
        for name in several.read:
            check_ids(several, TRUTH, name)
    numbers = several.by_place(counts, "counts"), several.by_place(weights, "weights")
    return Given(several.read, methods, *numbers, groups=None if groups is None else _read_groups(several, groups))


def _call(name: str) -> str:
    """What messages call a labeling."""
    return name if name == TRUTH else f"predictions[{name!r}]"


def _read_groups(several: Labelings, groups: Any) -> NDArray[np.int64]:
    """The number of each point's group, in the order of their labels: draws must not depend on that of the points."""
    from clustermark.diagnosis.point_groups import read_unit

    labels = read_unit(groups, several.ids, several.n)
    used, number = np.unique(labels.codes, return_inverse=True)
    return rank_labels(Names(labels.values, used))[number]


def _flatten(y_true: Any, predictions: Any, methods: dict[str, tuple[str, ...]]) -> Iterator[tuple[str, Any]]:
    """The truth, then the runs of all methods one after the other, by names of their own; notes who has which."""
    if isinstance(y_true, str | bytes):
        raise InputError("y_true is a single text; pass one label a point, or name the columns of a source by ",
                         Mention("true"), " and ", Mention("pred"))  # fmt: skip
    yield TRUTH, y_true
    for name, labels in name_labelings(predictions, "predictions"):
        if isinstance(labels, str | bytes):
            raise InputError(
                f"predictions[{name!r}] is a single text; pass one label a point, or join files by ", Mention("on")
            )
        if name == TRUTH or name in methods:
            raise InputError(f"predictions: {name!r} is taken; give each prediction a name of its own")
        runs = labels if are_runs(labels) else [labels]
        names = [f"{name}[{number}]" for number in range(len(runs))] if are_runs(labels) else [name]
        methods[name] = tuple(names)
        yield from zip(names, runs, strict=True)


def are_runs(labels: object) -> bool:
    """Whether this is a list of labelings, one for each run, and no labeling."""
    return isinstance(labels, list | tuple) and len(labels) > 0 and all(map(_is_labeling, labels))


def _is_labeling(thing: object) -> bool:
    return isinstance(thing, list | Mapping) or (hasattr(thing, "__len__") and hasattr(thing, "__array__"))


def enter(given: Given, policies: Policies) -> Entrants:
    """Check what was read, and keep the points that no labeling lacks; policies may give them clusters of their own."""
    for name, labeling in given.read.items():
        if labeling.n_missing and policies.missing == "error":
            raise InputError(
                f"{_call(name)} has {labeling.n_missing:,} missing label(s), "
                f"the first at position {labeling.first_missing}; fill them in, or choose ",
                Mention("missing", "drop", "cluster", "singletons"),
            )
    n = len(given.read[TRUTH])
    counts = None if given.counts is None else read_counts(given.counts, n)
    weights = None if given.weights is None else read_weights(given.weights, n)
    kept, lacking = _common_points(given.read, policies, counts)
    fates = _count_fates(given.read, policies, counts)
    kept = kept if counts is None else kept & (counts > 0)
    read = given.read
    n_given = n if counts is None else exact_sum(counts)
    if not kept.all():
        read = {name: Labeling(labeling.codes[kept], labeling.values) for name, labeling in read.items()}
        counts = None if counts is None else counts[kept]
        weights = None if weights is None else weights[kept]
    groups = given.groups if given.groups is None or kept.all() else given.groups[kept]
    n_used = int(kept.sum()) if counts is None else exact_sum(counts)
    if not n_used:
        raise InputError(f"all {n_given:,} points were dropped: the labelings have no point in common")
    runs = [name for name in read if name != TRUTH]
    places = {method: tuple(map(runs.index, names)) for method, names in given.methods.items()}
    labelings = tuple(read[name] for name in runs)
    points = {"given": n_given, "used": n_used, "noise": fates["noise"], "dropped": n_given - n_used}
    points["unmatched"] = fates["unmatched"]
    settings = dict(given.settings)
    return Entrants(read[TRUTH], labelings, places, counts, weights, policies, points, lacking, settings, groups)


def _common_points(
    read: dict[str, Labeling], policies: Policies, counts: NDArray[np.int64] | None
) -> tuple[NDArray[np.bool_], dict[str, int]]:
    kept = np.ones(len(read[TRUTH]), np.bool_)
    lacking: dict[str, int] = {}
    for name, labeling in read.items():
        dropped = fates_by_code(labeling, policies, is_truth=name == TRUTH) == DROPPED
        if dropped.any() and (out := dropped[labeling.codes]).any():
            lacking[name] = int(out.sum()) if counts is None else exact_sum(counts[out])
            kept &= ~out
    return kept, lacking


def _count_fates(read: dict[str, Labeling], policies: Policies, counts: NDArray[np.int64] | None) -> dict[str, int]:
    """How many points a labeling calls noise, and how many a labeling lacks."""
    found = {}
    for fate in ("noise", "unmatched"):
        those = np.zeros(len(read[TRUTH]), np.bool_)
        for name, labeling in read.items():
            names = Names(labeling.values, np.append(np.arange(len(labeling.values)), [ABSENT, MISSING]))
            noise = policies.noise_true if name == TRUTH else policies.noise_pred
            among = names.among(noise) if fate == "noise" else names.are_absent()
            if fate == "unmatched" or among.any():
                those |= among[labeling.codes] if among[:-2].any() else labeling.codes == ABSENT
        found[fate] = int(those.sum()) if counts is None else exact_sum(counts[those])
    return found


def fates_by_code(labeling: Labeling, policies: Policies, *, is_truth: bool) -> NDArray[np.int8]:
    """What becomes of each label, by its code; those of MISSING and ABSENT are the last two, which -1 and -2 index."""
    codes = np.append(np.arange(len(labeling.values)), [ABSENT, MISSING])
    return fates_of(Names(labeling.values, codes), policies.noise_true if is_truth else policies.noise_pred, policies)
