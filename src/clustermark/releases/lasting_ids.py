"""relabel(): give new clusters the ids of the old clusters that they continue."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, overload

import numpy as np

from clustermark import _kernel
from clustermark.errors import InputError, Mention
from clustermark.labels import Labeling, label_list, read_labels
from clustermark.labels.frame_columns import list_values
from clustermark.labels.labeling import with_values
from clustermark.options import read_options, refuse_for_labels
from clustermark.releases.id_matching import LabelClusters, as_array, keep_ids, name_fresh_ids
from clustermark.results.data import Column, Table
from clustermark.results.document import SUMMARY, Cell, Document, Grid, Head, KeyNumber, Section
from clustermark.results.result import Result
from clustermark.sources import columns
from clustermark.sources.columns import Columns, Words
from clustermark.sources.contingencies import hold_streams
from clustermark.sources.joined import read_joined
from clustermark.sources.reading import Role, read
from clustermark.sources.tabular import open_columns
from clustermark.tables.policies import OF_LABELS, count_labels, read_common_policies, warn_of_unmet_labels

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from clustermark.labels.conversion import Labels
    from clustermark.options import Noise
    from clustermark.results import data
    from clustermark.results.document import Body, View
    from clustermark.sources.recognition import Source

_SHOWN = 1000
"""A document lists this many ids at most."""
_WORDS = Words(("old_column", "new_column"), ("like", "new"), ("the old clusters", "the new ones"), ("noise", "noise"))
"""The names of the sides in messages; the old clusters are the first."""
FATES = ("kept", "born", "retired")
IDS: dict[str, Column] = {
    "fate": Column("text", choices=FATES),
    "id": Column("label"),
    "cluster": Column("label", optional=True, doc="the label of the new cluster; null for a retired id"),
    "records": Column("count", doc="records of the new cluster"),
    "shared": Column("count", doc="records that it shares with the old cluster"),
    "records_before": Column("count", doc="records of the old cluster"),
}


_NO_OPTIONS = {
    **dict.fromkeys(("true", "pred"), "the columns are named by new_column= and old_column="),
    **dict.fromkeys(("pairs", "threshold"), "ids belong to clusters, not to pairs; make clusters of the pairs first"),
    **dict.fromkeys(("counts", "weights"), "each record counts once; leave it out"),
    **dict.fromkeys(("noise_true", "noise_pred"), "noise is the same in both clusterings; choose noise="),
    "missing": "records without a label stay without one; leave it out",
    "unmatched": "records need not occur on both sides; leave it out",
}
"""Options of a table that `relabel` does not have, and why."""


class IdRow(NamedTuple):
    """The fate of one id."""

    fate: str
    """"kept" (a new cluster has this old id), "born" (a fresh id) or "retired" (no new cluster has this old id)."""
    id: Any
    cluster: Any
    """The label of the cluster in `new`; None for a retired id."""
    records: int
    """Records of the new cluster; 0 for a retired id."""
    shared: int
    """Records that the new cluster shares with the old one."""
    records_before: int
    """Records of the old cluster; 0 for a fresh id."""


class Relabeled(Result, Sequence[IdRow]):
    """New clusters with lasting ids, as returned by `relabel`: a row for each id, kept, born, then retired.

    >>> from clustermark import relabel
    >>> found = relabel([5, 5, 5, 6, 7], like=[1, 1, 1, 2, 2])
    >>> found.labels
    [1, 1, 1, 2, 3]
    >>> found.kept, found.born, found.retired
    ([1, 2], [3], [])
    """

    KIND = "relabeled"
    FACTS: ClassVar[data.Columns] = {fate: Column("count", doc=f"number of ids that are {fate}") for fate in FATES}
    TABLES: ClassVar[dict[str, data.Columns]] = {"ids": IDS}
    MAIN = "ids"

    __slots__ = ("_columns", "ids", "labels", "names")

    def __init__(
        self, labels: Any, columns: dict[str, list[Any]], ids: list[Any] | None, names: dict[str, Any]
    ) -> None:
        self.labels: Any = labels
        """The lasting id of each record of `new`, in its order; a mapping if `new` is one. None: no label."""
        self._columns = columns
        self.ids = ids
        """The ids of the records, if they were joined by id."""
        self.names = names
        """The columns of a source that held the ids and the clusters: "on" and "cluster"."""

    def __len__(self) -> int:
        return len(self._columns["id"])

    @overload
    def __getitem__(self, place: int) -> IdRow: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[IdRow]: ...
    def __getitem__(self, place: int | slice) -> IdRow | Sequence[IdRow]:
        if isinstance(place, slice):
            return [self[one] for one in range(len(self))[place]]
        return IdRow(*(column[place] for column in self._columns.values()))

    def __iter__(self) -> Iterator[IdRow]:
        return map(IdRow._make, zip(*self._columns.values(), strict=True))

    def _with(self, fate: str) -> list[Any]:
        return [one for one, what in zip(self._columns["id"], self._columns["fate"], strict=True) if what == fate]

    @property
    def kept(self) -> list[Any]:
        """Old ids that new clusters have."""
        return self._with("kept")

    @property
    def born(self) -> list[Any]:
        """Fresh ids, which no old cluster has."""
        return self._with("born")

    @property
    def retired(self) -> list[Any]:
        """Old ids that no new cluster has."""
        return self._with("retired")

    def rows(self) -> list[dict[str, Any]]:
        """Return the rows as dicts."""
        return [row._asdict() for row in self]

    def label_columns(self) -> dict[str, list[Any]]:
        """Return the lasting id of each record as columns: the ids of the records, if any, and the cluster."""
        from clustermark.diagnosis.members import ClusterLabels

        labels = list(self.labels.values()) if isinstance(self.labels, Mapping) else list(self.labels)
        ids = list(self.labels) if isinstance(self.labels, Mapping) else self.ids
        cluster = str(self.names.get("cluster", "cluster"))
        if ids is None:
            return {cluster: labels}
        return ClusterLabels.of(dict(zip(ids, labels, strict=True)), self.names.get("on", ()), cluster).to_dict()

    def facts(self) -> dict[str, Any]:
        """Return the number of ids that are kept, born and retired."""
        return {fate: self._columns["fate"].count(fate) for fate in FATES}

    def tables(self) -> dict[str, Table]:
        """Return the ids, a row for each."""
        return {"ids": Table(IDS, self)}

    def document(self, view: View = SUMMARY) -> Document:  # noqa: ARG002
        """Return the document of text, notebook, Markdown, LaTeX and page."""
        counts = self.facts()
        lead = "Ids of clusters that are new, ended, or gained or lost records."
        return Document(
            title="Ids of clusters",
            headline=f"{counts['kept']:,} ids kept, {counts['born']:,} born, {counts['retired']:,} retired",
            key_numbers=[KeyNumber(fate, number) for fate, number in counts.items()],
            noun="record",
            sections=[
                Section("changed", "Changed ids", self._list_changed, lead, "summary"),
                Section("ids", "All ids", lambda: self._list("All ids", self), "The fate of each id."),
            ],
        )

    def _list_changed(self) -> list[Body]:
        moved = [row for row in self if row.fate == "kept" and row.shared < max(row.records, row.records_before)]
        return self._list("Changed ids", [row for row in self if row.fate != "kept"] + moved)

    def _list(self, caption: str, rows: Sequence[IdRow]) -> list[Body]:
        heads = [Head("id", "label"), Head("fate"), Head("cluster", "label")]
        heads += [Head(name, "count") for name in ("records", "shared", "before")]
        shown = [
            [row.id, row.fate, Cell(row.cluster if row.fate != "retired" else "–"), *row[3:]] for row in rows[:_SHOWN]
        ]
        return [Grid(heads, shown, caption, total=len(rows))] if rows else []


class _BothLabelings(NamedTuple):
    """Both labelings over all records; the records of `new` come first, in its order."""

    new: Labeling
    old: Labeling
    n: int
    """Number of records of `new`."""
    ids: list[Any] | None
    names: dict[str, Any]


def relabel(
    new: Labels | Source,
    like: Labels | Source | None = None,
    *,
    on: str | Sequence[str] | Mapping[str, str] | None = None,
    new_column: str | None = None,
    old_column: str | None = None,
    noise: Noise | None = None,
    **options: Any,
) -> Relabeled:
    """Give new clusters the ids of the old ones that they continue, so that ids last from one release to the next.

    Old and new clusters are matched one to one such that most records keep their id. Among matchings that keep equally
    many records, the one with the closest clusters is chosen (largest sum of Jaccard indices), then the first in sorted
    order of old ids and of new labels; the order of records and clusters has no effect. A cluster without a match gets
    a fresh id that no old cluster has: the next integers, in sorted order of the new labels; or, among texts, its new
    label, with a number appended if that is an old id.

    new, like: two labelings of the same records, or mappings from id to label, which need not have the same ids; or
        two sources with a common id, named by `on`; or one source with both columns.
    on, new_column, old_column: the column of ids, and the columns of clusters of `new` and of `like`.
    noise: labels that name no cluster, such as {-1: "drop"}; they are left as they are.
    options: how sources are read, as in `crosstab`.

    >>> relabel({"a": "x", "b": "x", "c": "y"}, like={"a": 7, "b": 7, "d": 8}).labels
    {'a': 7, 'b': 7, 'c': 9}
    """
    given = read_options(options)
    for name in given:
        if name in _NO_OPTIONS:
            raise InputError(Mention(name, given[name]), f": {_NO_OPTIONS[name]}")
    if on is not None or new_column is not None or old_column is not None:
        named = given | ({} if on is None else {"on": on})
        return relabel_sources(new, like, named, new_column=new_column, old_column=old_column, noise=noise)
    refuse_for_labels(given)
    labels, rows = _relabel(_read_labels(new, like), noise)
    if isinstance(new, Mapping):
        return Relabeled(dict(zip(new, labels.tolist(), strict=True)), rows, None, {})
    if not isinstance(new, np.ndarray):
        return Relabeled(labels.tolist(), rows, None, {})
    if labels.dtype.kind == "O" and set(map(type, listed := labels.tolist())) == {str}:
        labels = np.array(listed)  # others stay what they are: 1 and "1" are two ids
    return Relabeled(labels, rows, None, {})


def relabel_sources(
    new: Any,
    like: Any,
    given: dict[str, Any],
    *,
    new_column: str | None,
    old_column: str | None,
    noise: Noise | None,
) -> Relabeled:
    """Relabel sources; columns that are not named are guessed."""
    read = _read_columns(new, like, given, new_column, old_column)
    labels, rows = _relabel(read, noise)
    return Relabeled(labels.tolist(), rows, read.ids, read.names)


def _read_labels(new: Any, like: Any) -> _BothLabelings:
    if like is None:
        raise InputError(
            "like is None; pass the old labels, or name columns of sources by ",
            Mention("on"),
            ", ",
            Mention("new_column"),
            " …",
        )
    labels = read({"new": Role("new", new), "like": Role("like", like)}, {"unmatched": "drop"}).labels
    return _BothLabelings(with_values(labels["new"]), with_values(labels["like"]), len(new), None, {})


def _read_columns(
    new: Any, like: Any, given: dict[str, Any], new_column: str | None, old_column: str | None
) -> _BothLabelings:
    new, like = hold_streams(new, like, given)
    options = given | {"unmatched": "drop"}
    if like is None:
        with open_columns(new, "records", options) as source:
            chosen = columns.of_one(source, Columns(old_column, new_column, columns.read_id(given.get("on"))), _WORDS)
            found = source.read([str(chosen.true), str(chosen.pred), *(name for name, _ in chosen.on or ())])
            old, mine = (with_values(read_labels(column, source.called)) for column in found[:2])
            ids = [list_values(column) for column in found[2:]]
            listed = None if not ids else ids[0] if len(ids) == 1 else list(zip(*ids, strict=True))
            names = {"on": [name for name, _ in chosen.on or ()], "cluster": chosen.pred}
            return _BothLabelings(mine, old, len(mine), listed, names)
    roles = {"new": Role("new", new, new_column, "new_column"), "like": Role("like", like, old_column, "old_column")}
    records = read_joined(roles, options)
    records.check_ids("new", "like")
    mine, old = (with_values(records.labels[name]) for name in roles)
    n = int(np.count_nonzero(mine.codes != _kernel.ABSENT))
    names = {"on": [name for name, _ in records.on], "cluster": records.columns["new"]}
    return _BothLabelings(mine, old, n, list(records.ids or ())[:n], names)


def _relabel(read: _BothLabelings, noise: Noise | None) -> tuple[NDArray[Any], dict[str, list[Any]]]:
    """Return the lasting id of each record of `new`, and the columns of `Relabeled`."""
    apart = _read_noise(read, noise)
    new, old = LabelClusters.of(read.new, apart), LabelClusters.of(read.old, apart)
    match, shared = keep_ids(new, old)
    kept = np.flatnonzero(match >= 0)
    kept = kept[np.argsort(old.ranks[match[kept]])]
    born = _in_order(np.flatnonzero(match < 0), new)
    ended = np.ones(len(old.labels), np.bool_)
    ended[match[kept]] = False
    retired = _in_order(np.flatnonzero(ended), old)
    going, nothing = np.concatenate([kept, born]), [0] * len(retired)
    fresh = name_fresh_ids(new.labels[born], old.labels, new.labels, apart)
    lasting = as_array([*old.labels[match[kept]].tolist(), *fresh])
    columns = {
        "fate": ["kept"] * len(kept) + ["born"] * len(born) + ["retired"] * len(retired),
        "id": lasting.tolist() + old.labels[retired].tolist(),
        "cluster": new.labels[going].tolist() + [None] * len(retired),
        "records": new.sizes[going].tolist() + nothing,
        "shared": shared[going].tolist() + nothing,
        "records_before": [*old.sizes[match[kept]].tolist(), *[0] * len(born), *old.sizes[retired].tolist()],
    }
    place = np.empty(len(going), np.int64)
    place[going] = np.arange(len(going))
    return _spread(lasting[place], new.of_record[: read.n], read.new), columns


def _read_noise(read: _BothLabelings, noise: Noise | None) -> set[Any]:
    """Return the labels that name no cluster; warn of those that records have with another type only."""
    policies = read_common_policies(noise, "drop", "drop")
    for label, policy in policies.noise_true.items():
        if policy == "singletons":
            raise InputError(Mention("noise", {label: policy}), ": noise has no ids that could last; choose 'drop'")
    warn_of_unmet_labels({"pred": partial(count_labels, [read.new, read.old])}, policies, OF_LABELS)
    return {label for label, policy in policies.noise_true.items() if policy == "drop"}


def _spread(ids: NDArray[Any], of_record: NDArray[np.int32], given: Labeling) -> NDArray[Any]:
    """Return the id of each record's cluster; records without a cluster keep their label of noise, or None."""
    if (of_record >= 0).all():
        return np.asarray(ids[of_record])
    labels = as_array([*ids.tolist(), None])[of_record]
    for place in np.flatnonzero(of_record < 0).tolist():
        labels[place] = label_list(given.values, given.codes[place : place + 1])[0]
    return np.asarray(labels)


def _in_order(places: NDArray[np.int64], clusters: LabelClusters) -> NDArray[np.int64]:
    return places[np.argsort(clusters.ranks[places])]
