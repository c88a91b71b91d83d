"""Read the labelings of a comparison, by roles: labels, mappings by id, columns and files, in one order of points."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np

from clustermark.errors import InputError, Mention
from clustermark.labels import ABSENT, MISSING, Labeling, check_same_index, read_counts, read_labels, read_weights
from clustermark.labels.alignment import SHOWN, SomeIds, check_matches, take_places
from clustermark.labels.labeling import Names, with_values
from clustermark.labels.lists_and_arrays import read_objects
from clustermark.sources.wrapped import unwrap
from clustermark.tables.policies import (
    DROPPED,
    PLAIN,
    WHOSE,
    Policies,
    count_labels,
    fates_of,
    read_policies,
    warn_of_unmet_labels,
)
from clustermark.tables.sums import exact_sum
from clustermark.tables.tabulation import tabulate_codes

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from clustermark.sources.columns import IdColumns
    from clustermark.tables.cells import CellTable


class Role(NamedTuple):
    """One input of a comparison, with its name in messages."""

    called: str
    """The caller's name for it, such as "before" or "predictions['kmeans']"."""
    given: Any
    """Labels, a mapping from id to label, or a source of columns."""
    column: str | None = None
    """The column of the source."""
    option: str = "pred"
    """The option that names the column."""
    within: tuple[str, ...] = ()
    """Roles whose sources may contain the column: the first that has the column and the point provides the label."""
    adds_points: bool = True
    """False if this role is only looked up for the points of other roles, and may lack some of them."""


@dataclass(frozen=True, slots=True)
class Records:
    """Labelings of the same points, by their roles, in one order of the points."""

    labels: dict[str, Labeling]
    called: dict[str, str]
    """The name of each role in messages."""
    ids: Mapping[Any, int] | None = None
    """The position of each id, if points have ids."""
    counts: Any = None
    """The count of each point; None if each counts once."""
    weights: Any = None
    beside: dict[str, Any] = field(default_factory=dict)
    """Other data of the points, by role: columns, or mappings from id if points have ids."""
    policies: Policies = PLAIN
    """The policies, with labels of noise as the columns contain them."""
    settings: dict[str, Any] = field(default_factory=dict)
    """The origin of the labels, if not memory."""
    guessed: dict[str, str] = field(default_factory=dict)
    """The columns that were not named by the caller, by the words for their role."""
    sources: dict[str, str] = field(default_factory=dict)
    """The name of the source of each role in messages, if it is a column and sources were joined by id."""
    columns: dict[str, str] = field(default_factory=dict)
    """The column of each role, if sources were joined by id."""
    on: IdColumns = ()
    """The columns of ids in the first source and in the second, if sources were joined by id."""

    @property
    def n(self) -> int:
        """Number of points."""
        return len(next(iter(self.labels.values())))

    def check_ids(self, true: str, pred: str) -> None:
        """Raise an error if two labelings by id share no id, and warn if they share few."""
        if self.ids is None:
            return
        has = {role: self.labels[role].codes != ABSENT for role in (true, pred)}

        def show() -> tuple[SomeIds, SomeIds]:
            ids = list(self.ids or ())
            one, other = (
                SomeIds(self.called[role], [ids[place] for place in np.flatnonzero(has[role])[:SHOWN].tolist()])
                for role in (true, pred)
            )
            return one, other

        shared, in_true, in_pred = (int(side.sum()) for side in (has[true] & has[pred], has[true], has[pred]))
        check_matches(shared, in_true, in_pred, show, f" ({self.called[true]} and {self.called[pred]})")

    def table(self, true: str, pred: str, policies: Policies, threads: int | None = None) -> CellTable:
        """Return the table of two of the labelings, over the points that either of them has."""
        one, other, numbers = self.labels[true], self.labels[pred], (self.counts, self.weights)
        if policies.missing == "error":
            for role, labeling in ((true, one), (pred, other)):
                if labeling.n_missing:
                    raise missing_error(self.called[role], labeling)
        if self.ids is not None:
            self.check_ids(true, pred)
            occur = (one.codes != ABSENT) | (other.codes != ABSENT)
            if not occur.all():
                one, other = (Labeling(side.codes[occur], side.values) for side in (one, other))
                numbers = _only(numbers[0], occur), _only(numbers[1], occur)
        table = tabulate_codes(one, other, *numbers, policies, threads, may_be_empty=policies is not PLAIN)
        if not table.n_used:
            raise InputError(
                f"{self.called[true]} and {self.called[pred]} have no point in common: all {table.n_given:,} points "
                "were dropped, as noise, without a label, or with count or weight 0"
            )
        return table

    def without_points(self, policies: Policies, truth: str = "") -> list[str]:
        """Return the roles that have no point: all their points, or all that the truth keeps, are dropped.

        truth: the role of the truth, which is none of them; empty if there is no truth.
        """
        return [role for role in self.labels if role != truth and not self.count_kept(role, policies, truth)]

    def count_kept(self, role: str, policies: Policies, truth: str = "") -> int:
        """Return the number of points that the policies drop neither from a labeling nor from the truth, if any."""
        kept = self._are_kept(role, policies.noise_pred, policies)
        if truth:
            kept = kept & self._are_kept(truth, policies.noise_true, policies)
        return _count(kept, None if self.counts is None else read_counts(self.counts, self.n))

    @property
    def n_given(self) -> int:
        """Number of points, each as often as it counts."""
        return self.n if self.counts is None else exact_sum(read_counts(self.counts, self.n))

    def _are_kept(self, role: str, noise: Mapping[Any, str], policies: Policies) -> NDArray[np.bool_]:
        """Return a mask of the points that the policies do not drop from a labeling."""
        if policies is PLAIN:
            return np.ones(self.n, np.bool_)
        labeling = self.labels[role]
        return np.asarray((fates_by_code(labeling, noise, policies) != DROPPED)[labeling.codes])

    def common(self, policies: Policies, truth: str) -> Common:
        """Return the points that no labeling drops under the policies; `truth` is the role of the truth."""
        for role, labeling in self.labels.items():
            if labeling.n_missing and policies.missing == "error":
                raise missing_error(self.called[role], labeling)
        counts = None if self.counts is None else read_counts(self.counts, self.n)
        weights = None if self.weights is None else read_weights(self.weights, self.n)
        kept, noise, unmatched = np.ones(self.n, np.bool_), np.zeros(self.n, np.bool_), np.zeros(self.n, np.bool_)
        lacking: dict[str, int] = {}
        for role, labeling in self.labels.items():
            named = policies.noise_true if role == truth else policies.noise_pred
            out = ~self._are_kept(role, named, policies)
            if n_out := _count(out, counts):
                lacking[role] = n_out
                kept &= ~out
            if named and (is_noise := _names_by_code(labeling).among(named)).any():
                noise |= is_noise[labeling.codes]
            unmatched |= labeling.codes == ABSENT
        kept = kept if counts is None else kept & (counts > 0)
        n_given = self.n_given
        if not (n_used := _count(kept, counts)):
            lack = ", ".join(f"{self.called[role]} lacks {n:,}" for role, n in lacking.items())
            raise InputError(
                f"all {n_given:,} points were dropped: the labelings have no point in common ({lack}); leave out those "
                "that lack most, or keep their points by another policy"
            )
        points = {"given": n_given, "used": n_used, "noise": _count(noise, counts), "dropped": n_given - n_used}
        points["unmatched"] = _count(unmatched, counts)
        labels = self.labels
        if not kept.all():
            labels = {role: Labeling(side.codes[kept], side.values) for role, side in labels.items()}
            counts = None if counts is None else counts[kept]
            weights = None if weights is None else weights[kept]
        return Common(replace(self, labels=labels, counts=counts, weights=weights), kept, points, lacking)


class Common(NamedTuple):
    """The points that no labeling drops."""

    records: Records
    """These points only, but with the ids of all points."""
    kept: NDArray[np.bool_]
    """Mask of these points among all points."""
    points: dict[str, int]
    """Numbers of points that were given, used, noise, dropped and unmatched."""
    lacking: dict[str, int]
    """Number of points that each labeling drops, for labelings that drop any."""


def _count(which: NDArray[np.bool_], counts: NDArray[np.int64] | None) -> int:
    return int(which.sum()) if counts is None else exact_sum(counts[which])


def _names_by_code(labeling: Labeling) -> Names:
    """Return the name of each code; the last two are those of ABSENT and MISSING, which -2 and -1 index."""
    values = labeling.values
    return Names(values, np.append(np.arange(len(values)), [ABSENT, MISSING]))


def fates_by_code(labeling: Labeling, noise: Mapping[Any, str], policies: Policies) -> NDArray[np.int8]:
    """Return the fate of each label of a numbered labeling, by its code, which may be MISSING or ABSENT."""
    return fates_of(_names_by_code(labeling), dict(noise), policies)


def missing_error(called: str, labeling: Labeling) -> InputError:
    """Return the error for points without a label."""
    return InputError(
        f"{called} has {labeling.n_missing:,} missing label(s), the first at position {labeling.first_missing}; "
        "fill them in, or choose ",
        Mention("missing", "drop", "cluster", "singletons"),
    )


def read(
    roles: Mapping[str, Role] | Iterable[tuple[str, Role]], options: Mapping[str, Any], *, beside: Sequence[str] = ()
) -> Records:
    """Read the labelings of a comparison; every source is read once, however many roles it has.

    roles: by unique names, the truth first; an iterator of labels in memory is read one by one.
    options: those of the table: counts, weights, policies, and the joining and reading of sources.
    beside: roles of columns that are not labels, such as groups of points.

    >>> roles = {"true": Role("y_true", ["a", "a", "b"]), "pred": Role("y_pred", [7, 8, 8])}
    >>> records = read(roles, {})
    >>> {role: labeling.codes.tolist() for role, labeling in records.labels.items()}
    {'true': [0, 0, 1], 'pred': [0, 1, 1]}
    """
    records = _read_roles(roles, options, beside)
    _warn_of_unmet_noise(records)
    return records


def _read_roles(
    roles: Mapping[str, Role] | Iterable[tuple[str, Role]], options: Mapping[str, Any], beside: Sequence[str]
) -> Records:
    joined = not options.keys().isdisjoint(("on", "pairs"))
    if not joined and not isinstance(roles, Mapping):
        return read_memory(roles, options, policies_of(options))
    by_name = dict(cast("Mapping[str, Role]", roles))  # or pairs of the two, which `dict` takes too
    if not joined and all(role.column is None for role in by_name.values()):
        return read_memory(by_name.items(), options, policies_of(options))
    first, *others = (role.given for role in by_name.values())
    if joined or not all(one is first or (isinstance(one, str) and one == first) for one in others):
        from clustermark.sources.joined import read_joined

        return read_joined(by_name, options, beside)
    from clustermark.sources.several import read_columns

    return read_columns(by_name, options, beside)


def _warn_of_unmet_noise(records: Records) -> None:
    policies = records.policies
    if not (policies.noise_true or policies.noise_pred):
        return
    first, *others = records.labels.values()
    count: Any = {"true": partial(count_labels, [first]), "pred": partial(count_labels, others)}
    warn_of_unmet_labels(count, policies, {"true": WHOSE["true"], "pred": ("the predictions", "noise_pred")})


def _only(numbers: Any, chosen: NDArray[np.bool_]) -> Any:
    return None if numbers is None else np.asarray(numbers)[chosen]


def policies_of(options: Mapping[str, Any]) -> Policies:
    """Return the policies among the options of a table."""
    names = ("noise_true", "noise_pred", "missing", "unmatched", "noise")
    policies = read_policies(**{name: options[name] for name in names if options.get(name) is not None})
    return PLAIN if policies == PLAIN else policies


def read_memory(roles: Iterable[tuple[str, Role]], options: Mapping[str, Any], policies: Policies) -> Records:
    """Read labels in memory: all by position, or all by id."""
    read, by_id, called = dict[str, Labeling](), dict[str, Mapping[Any, Any]](), dict[str, str]()
    first: tuple[str, Any] | None = None
    for name, role in roles:
        called[name] = role.called
        if isinstance(role.given, Mapping):
            by_id[name] = role.given
            read[name] = read_objects(list(role.given.values()), f"{role.called}.values()")
            continue
        if isinstance(role.given, str):
            raise InputError(
                f"{role.called} is a single text; pass one label per point, or join files by ", Mention("on")
            )
        if first is None:
            first = role.called, role.given
        else:
            check_same_index(first[1], role.given, first[0], role.called)
        read[name] = shrink(read_labels(role.given, role.called))
    ids: dict[Any, int] | None = None
    if by_id:
        read, ids = _align(read, by_id, called, policies.unmatched)
    else:
        _refuse_unequal(read, called)
    numbers = {name: numbers_by_place(options.get(name), name, ids) for name in ("counts", "weights")}
    return Records(read, called, ids, **numbers, policies=policies)


def numbers_by_place(numbers: Any, name: str, ids: Mapping[Any, int] | None) -> Any:
    """Return counts or weights, one per point, in the order of the points."""
    if numbers is None or ids is None:
        return numbers
    if not isinstance(numbers, Mapping):
        raise InputError(f"{name}: the labels are mappings from id to label, so pass {name} as a mapping from id too")
    lacking = [item for item in ids if item not in numbers]
    if lacking:
        raise InputError(f"{name}: there is no number for {len(lacking)} id(s), the first is {lacking[0]!r}")
    return np.array([numbers[item] for item in ids])


def roles_of(labelings: object, name: str, call: Callable[[str], str] | None = None) -> Iterable[tuple[str, Role]]:
    """Name the role of each of several labelings; `call` returns the name of a labeling in messages."""
    seen: set[str] = set()
    for label, labels in name_labelings(labelings, name):
        if label in seen:
            raise InputError(f"{name}: two labelings have the name {label!r}; give each a name of its own")
        seen.add(label)
        yield label, Role(call(label) if call else f"{name}[{label!r}]", labels)
    if not seen:
        raise InputError(f"{name}: there is no labeling in it; pass at least one")


def name_labelings(labelings: Any, name: str) -> Iterable[tuple[str, Any]]:
    """Name each labeling of a mapping, of the columns of a frame, or of a sequence."""
    if isinstance(labelings, Mapping):
        return ((str(label), labels) for label, labels in labelings.items())
    if isinstance(labelings, str | bytes):
        raise InputError(
            f"{name} is a single {type(labelings).__name__}; pass labelings by their names, such as a dict, or name "
            "the columns of a file by ",
            Mention("pred"),
        )
    if _is_one_labeling(labelings):
        raise InputError(
            f"{name} is one labeling; pass labelings by their names, such as {{'kmeans': labels}}; evaluate(y_true, "
            "labels) scores a single one"
        )
    if getattr(labelings, "ndim", None) == 2 and not hasattr(labelings, "columns"):
        raise InputError(
            f"{name} is a table of {labelings.shape[0]} × {labelings.shape[1]} labels; pass list({name}) if each row "
            f"is a labeling, or list({name}.T) if each column is"
        )
    labelings, given = unwrap(labelings), labelings
    if labelings is not given and isinstance(labelings, tuple):
        raise InputError(
            f"{name} is a {type(given).__name__} of a database; name its columns by ",
            *(Mention("true"), " and ", Mention("pred"), ", and join it with another source by ", Mention("on")),
        )
    from clustermark.engines.adapters.arrow import as_table
    from clustermark.sources.recognition import becomes_arrow

    if becomes_arrow(labelings) and type(labelings).__module__.partition(".")[0] not in _FRAMES:
        labelings = as_table(labelings)
    library = type(labelings).__module__.partition(".")[0]
    if library in _FRAMES and library in sys.modules and hasattr(labelings, "columns"):
        names = labelings.column_names if library == "pyarrow" else list(labelings.columns)
        return ((str(label), labelings[label]) for label in _distinct(names, name))
    if not isinstance(labelings, Iterable):
        raise InputError(f"{name}: pass labelings by their names, such as a dict; got {type(labelings).__name__}")
    return (_name_one(place, one) for place, one in enumerate(labelings))


_FRAMES = ("pandas", "polars", "pyarrow")


def _is_one_labeling(labelings: Any) -> bool:
    """Return whether these are the labels of points, one number each, instead of labelings."""
    if getattr(labelings, "ndim", None) == 1 and hasattr(labelings, "dtype"):
        return not str(labelings.dtype).lower().startswith("object")
    first = labelings[0] if isinstance(labelings, list | tuple) and labelings else None
    return isinstance(first, int | float | np.number)


def _distinct(names: list[Any], name: str) -> list[Any]:
    if len(set(names)) < len(names):
        twice = next(label for label in names if names.count(label) > 1)
        raise InputError(f"{name}: two columns are called {twice!r}; give each a name of its own")
    return names


def _name_one(place: int, one: Any) -> tuple[str, Any]:
    """Return a pair (name, labels) unchanged, and labels without a name with their position."""
    if isinstance(one, tuple) and len(one) == 2 and isinstance(one[0], str) and not isinstance(one[1], str):
        return one
    return str(place), one


def shrink(labeling: Labeling) -> Labeling:
    """Number the labels, in the narrowest integers that hold the numbers: many labelings are stored at once."""
    labeling = _number_near(labeling) if labeling.values is None else labeling
    codes, values = labeling.codes, labeling.values
    narrow = np.min_scalar_type(-max(len(values), 2))
    return Labeling(codes.astype(narrow, copy=False), values)


def _number_near(labeling: Labeling) -> Labeling:
    """Number integer labels: in a small range by their distance from the lowest, which is fastest."""
    labels = labeling.codes.copy()  # the caller may write to its array between the two passes
    low, high = (int(labels.min()), int(labels.max())) if len(labels) else (0, -1)
    if high - low >= max(2 * len(labels), 1) or high >= 2**62 or low <= -(2**62):
        return with_values(labeling)
    narrow = np.min_scalar_type(-max(high - low + 1, 2))
    codes = labels.astype(narrow) if low == 0 else (labels.astype(np.int64) - low).astype(narrow)
    return Labeling(codes, np.arange(low, high + 1).astype(labels.dtype))


def _align(
    read: dict[str, Labeling], by_id: dict[str, Mapping[Any, Any]], called: dict[str, str], unmatched: str
) -> tuple[dict[str, Labeling], dict[Any, int]]:
    """Put all labelings in the order of the union of their ids, by appearance."""
    if len(by_id) < len(read):
        other = next(name for name in read if name not in by_id)
        raise InputError(
            f"{called[next(iter(by_id))]} is a mapping id -> label, but {called[other]} is not; pass mappings only to "
            "compare by id"
        )
    union: dict[Any, int] = {}
    for labels in by_id.values():
        for item in labels:
            union.setdefault(item, len(union))
    for name, labels in by_id.items():
        if unmatched == "error" and len(labels) < len(union):
            lacking = next(item for item in union if item not in labels)
            raise InputError(
                f"{called[name]} lacks {len(union) - len(labels)} of {len(union)} ids, {lacking!r} for one; "
                "make them agree, or choose ",
                Mention("unmatched", "drop", "singletons"),
            )
    taken = {name: take_places(read[name], _places(labels, union)) for name, labels in by_id.items()}
    return {name: shrink(labeling) for name, labeling in taken.items()}, union


def _places(labels: Mapping[Any, Any], union: dict[Any, int]) -> NDArray[np.intp]:
    places = np.full(len(union), -1, np.intp)
    places[[union[item] for item in labels]] = np.arange(len(labels))
    return places


def _refuse_unequal(read: dict[str, Labeling], called: dict[str, str]) -> None:
    (first, labeling), *others = read.items()
    for name, other in others:
        if len(other) != len(labeling):
            raise InputError(
                f"{called[first]} has {len(labeling)} labels and {called[name]} has {len(other)}; all need one label "
                "for each of the same points, in the same order (to compare by id, pass dicts id -> label)"
            )
    if not len(labeling):
        raise InputError(f"{called[first]} holds no points; pass at least one label")
