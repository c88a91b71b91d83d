"""relabel(): new clusters keep the ids of the old ones that they continue."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, overload

import numpy as np

from clustermark import _kernel
from clustermark.errors import InputError, Mention
from clustermark.labels import Labeling, label_list, read_labels
from clustermark.labels.labeling import with_values
from clustermark.options import read_options, refuse_for_labels
from clustermark.releases.id_matching import keep_ids, order_of
from clustermark.releases.joining import join_sources
from clustermark.releases.reading import Asked
from clustermark.results.frames import Columnar
from clustermark.results.text import align
from clustermark.sources import columns
from clustermark.sources.columns import Columns
from clustermark.sources.contingencies import hold_streams
from clustermark.sources.reading import Role, read
from clustermark.sources.tabular import open_columns
from clustermark.tables.columnar import label_text

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from clustermark.labels.kinds import Labels
    from clustermark.sources.kinds import Source

_SHOWN = 20


class IdRow(NamedTuple):
    """What became of an id."""

    fate: str
    """kept (an old id goes on in a new cluster), born (a new cluster has a fresh id), or retired (an old id ended)."""
    id: Any
    cluster: Any
    """The label that the cluster has in `new`; None for a retired id."""
    records: int
    """Records of the new cluster; 0 for a retired id."""
    shared: int
    """Records that the new cluster shares with the old one."""
    records_before: int
    """Records of the old cluster; 0 for a fresh id."""


class Relabeled(Columnar, Sequence[IdRow]):
    """New clusters with lasting ids; made by `relabel`. A row for each id: kept, born, then retired, in sorted order.

    >>> from clustermark import relabel
    >>> found = relabel([5, 5, 5, 6, 7], like=[1, 1, 1, 2, 2])
    >>> found.labels
    [1, 1, 1, 2, 3]
    >>> found.kept, found.born, found.retired
    ([1, 2], [3], [])
    """

    __slots__ = ("_columns", "ids", "labels", "names")

    def __init__(
        self, labels: Any, columns: dict[str, list[Any]], ids: list[Any] | None, names: dict[str, Any]
    ) -> None:
        self.labels: Any = labels
        """The lasting id of each record of `new`, in its order; of a mapping by id. None where `new` has no label."""
        self._columns = columns
        self.ids = ids
        """The ids of the records, where they were joined by id."""
        self.names = names
        """The columns of a source that the ids of records and their clusters stood in."""

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
        """Old ids that go on."""
        return self._with("kept")

    @property
    def born(self) -> list[Any]:
        """Fresh ids, none of which any old cluster has."""
        return self._with("born")

    @property
    def retired(self) -> list[Any]:
        """Old ids that no new cluster has."""
        return self._with("retired")

    def to_dict(self) -> dict[str, list[Any]]:
        """The ids as columns: fate, id, cluster, records, shared, records_before."""
        return {name: list(column) for name, column in self._columns.items()}

    def rows(self) -> list[dict[str, Any]]:
        """The rows as dicts."""
        return [row._asdict() for row in self]

    def label_columns(self) -> dict[str, list[Any]]:
        """The lasting id of each record as columns: the ids of the records, if there are any, and the cluster."""
        labels = list(self.labels.values()) if isinstance(self.labels, Mapping) else list(self.labels)
        on, cluster = self.names.get("on", ["id"]), self.names.get("cluster", "cluster")
        ids = list(self.labels) if isinstance(self.labels, Mapping) else self.ids
        if ids is None:
            return {cluster: labels}
        parts = [ids] if len(on) == 1 else [list(part) for part in zip(*ids, strict=True)]
        return dict(zip(on, parts, strict=True)) | {cluster: labels}

    def __repr__(self) -> str:
        head = f"{len(self.kept):,} ids kept, {len(self.born):,} born, {len(self.retired):,} retired"
        moved = [row for row in self if row.fate == "kept" and row.shared < max(row.records, row.records_before)]
        changed = [row for row in self if row.fate != "kept"] + moved
        lines = [["id", "fate", "cluster", "records", "shared", "before"]]
        lines += [
            [label_text(row.id), row.fate, label_text(row.cluster), *(f"{number:,}" for number in row[3:])]
            for row in changed[:_SHOWN]
        ]
        left = len(changed) - _SHOWN
        more = [f"… and {left:,} more"] if left > 0 else []
        return "\n".join([head, *([align(lines), *more] if changed else [])])


class _Read(NamedTuple):
    """Both labelings over all records, those of `new` first and in its order."""

    new: Labeling
    old: Labeling
    n: int
    """Records of `new`."""
    ids: list[Any] | None
    names: dict[str, Any]


def relabel(
    new: Labels | Source,
    like: Labels | Source | None = None,
    *,
    on: str | Sequence[str] | Mapping[str, str] | None = None,
    new_column: str | None = None,
    old_column: str | None = None,
    noise: Iterable[Any] = (),
    **options: Any,
) -> Relabeled:
    """Give new clusters the ids of the old ones that they continue, so that ids last from one release to the next.

    Old and new clusters are matched one to one such that most records keep their id. Of matchings that keep as many,
    the one is taken whose clusters are closest (largest sum of Jaccard indices); then the sorted order of old ids and
    of new labels decides. So neither the order of the records nor that of the clusters matters. A cluster without a
    match gets a fresh id that no old cluster has: among whole numbers the next ones, in sorted order of the new labels;
    among texts its new label, with a number behind it where that is an old id already.

    new, like: two labelings of the same records, or mappings from id to label, which need not have the same ids; or
        two sources with a common id, named by `on`; or one source with both columns.
    on, new_column, old_column: the column of ids, and the columns of clusters of `new` and of `like`.
    noise: labels that name no cluster, such as -1: they stay what they are.
    options: how sources are read, as in `crosstab`.

    >>> relabel({"a": "x", "b": "x", "c": "y"}, like={"a": 7, "b": 7, "d": 8}).labels
    {'a': 7, 'b': 7, 'c': 9}
    """
    given = read_options(options)
    for name in given:
        if name in ("true", "pred", "pairs", "threshold", "counts", "weights", "missing", "unmatched"):
            raise InputError(Mention(name), " is no option of relabel; leave it out")
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
    noise: Iterable[Any],
) -> Relabeled:
    """The same for sources, whose columns may all be guessed."""
    read = _read_columns(new, like, given, new_column, old_column)
    labels, rows = _relabel(read, noise)
    return Relabeled(labels.tolist(), rows, read.ids, read.names)


def _read_labels(new: Any, like: Any) -> _Read:
    if like is None:
        raise InputError(
            "like is None; pass the old labels, or name columns of sources by ",
            Mention("on"),
            ", ",
            Mention("new_column"),
            " …",
        )
    labels = read({"new": Role("new", new), "like": Role("like", like)}, {"unmatched": "drop"}).labels
    return _Read(with_values(labels["new"]), with_values(labels["like"]), len(new), None, {})


def _read_columns(new: Any, like: Any, given: dict[str, Any], new_column: str | None, old_column: str | None) -> _Read:
    new, like = hold_streams(new, like, given)
    options = given | {"unmatched": "drop"}
    if like is None:
        with open_columns(new, "records", options) as source:
            chosen = columns.of_one(source, Columns(old_column, new_column, columns.read_id(given.get("on"))))
            found = source.read([str(chosen.true), str(chosen.pred), *(name for name, _ in chosen.on or ())])
            old, mine = (with_values(read_labels(column, source.said)) for column in found[:2])
            ids = [list(column) for column in found[2:]]
            listed = None if not ids else ids[0] if len(ids) == 1 else list(zip(*ids, strict=True))
            names = {"on": [name for name, _ in chosen.on or ()], "cluster": chosen.pred}
            return _Read(mine, old, len(mine), listed, names)
    asked = Asked(None, None, None, None, None, None, {})
    options |= {name: column for name, column in (("true", new_column), ("pred", old_column)) if column is not None}
    labelled, ids_of_all, settings = join_sources(new, like, asked, options)
    n = int(np.count_nonzero(labelled.before.codes != _kernel.ABSENT))
    names = {"on": [part.partition("=")[0] for part in settings["on"].split(", ")], "cluster": settings["true"]}
    return _Read(labelled.before, labelled.after, n, ids_of_all.take(np.arange(n)).to_list(), names)


def _relabel(read: _Read, noise: Iterable[Any]) -> tuple[NDArray[Any], dict[str, list[Any]]]:
    """The lasting id of each record of `new`, and what became of every id, as columns."""
    apart = set(noise)
    new, old = _Clusters.of(read.new, apart), _Clusters.of(read.old, apart)
    match, shared = keep_ids(new, old)
    kept = np.flatnonzero(match >= 0)
    kept = kept[np.argsort(old.ranks[match[kept]])]
    born = _in_order(np.flatnonzero(match < 0), new)
    ended = np.ones(len(old.labels), np.bool_)
    ended[match[kept]] = False
    retired = _in_order(np.flatnonzero(ended), old)
    going, nothing = np.concatenate([kept, born]), [0] * len(retired)
    fresh = _name_born(new.labels[born], old.labels, new.labels, apart)
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


def _spread(ids: NDArray[Any], of_record: NDArray[np.int32], given: Labeling) -> NDArray[Any]:
    """The id of each record's cluster; a record that is in none keeps what it has: noise, or no label."""
    if (of_record >= 0).all():
        return np.asarray(ids[of_record])
    labels = as_array([*ids.tolist(), None])[of_record]
    for place in np.flatnonzero(of_record < 0).tolist():
        labels[place] = label_list(given.values, given.codes[place : place + 1])[0]
    return np.asarray(labels)


def as_array(labels: list[Any]) -> NDArray[Any]:
    """Labels as an array: of integers if they are whole numbers that fit, else of the objects themselves.

    >>> as_array([2, 7]).dtype.kind, as_array([2, "7"]).dtype.kind, as_array([2**63]).dtype.kind
    ('i', 'O', 'O')
    """
    if set(map(type, labels)) <= {int} and all(
        -(2**63) <= label < 2**63 for label in (labels and (min(labels), max(labels)))
    ):
        return np.array(labels, np.int64)
    array = np.empty(len(labels), object)
    array[:] = labels
    return array


def _in_order(places: NDArray[np.int64], clusters: _Clusters) -> NDArray[np.int64]:
    return places[np.argsort(clusters.ranks[places])]


class _Clusters(NamedTuple):
    """The clusters of one labeling; noise and missing labels are none."""

    labels: NDArray[Any]
    sizes: NDArray[np.int64]
    """Records of each."""
    ranks: NDArray[np.int64]
    """The place of each in sorted order."""
    of_record: NDArray[np.int32]
    """The cluster of each record, or -1."""

    @classmethod
    def of(cls, labeling: Labeling, noise: set[Any]) -> _Clusters:
        codes = labeling.codes
        present = np.bincount(codes if codes.min(initial=0) >= 0 else codes[codes >= 0], minlength=1)
        used = np.flatnonzero(present)
        named = label_list(labeling.values, used)
        chosen = [label is not None and label not in noise for label in named]
        if not all(chosen):
            named, used = [label for label, yes in zip(named, chosen, strict=True) if yes], used[chosen]
        labels, sizes = as_array(named), present[used]
        place = np.full(len(present) + 2, -1, np.int32)  # of MISSING and ABSENT, too
        place[used] = np.arange(len(used))
        of_record = place[codes]
        ranks = np.empty(len(labels), np.int64)
        ranks[order_of(labels)] = np.arange(len(labels))
        return cls(labels, sizes, ranks, of_record)


def _name_born(born: NDArray[Any], old: NDArray[Any], new: NDArray[Any], noise: set[Any]) -> list[Any]:
    """Fresh ids for clusters without a match: none is an old id, kept or retired, or a label of noise."""
    if not len(born):
        return []
    like = old if len(old) else new
    kinds = {int} if like.dtype.kind == "i" else set(map(type, like.tolist()))
    if kinds == {int}:
        return _fresh_numbers(old, [label for label in noise if type(label) is int], len(born))
    if not kinds <= {int, str}:
        odd = next(label for label in like.tolist() if type(label) not in (int, str))
        raise InputError(
            f"like: the id {odd!r} is a {type(odd).__name__}, and fresh ids are made among whole numbers or texts; "
            "make the ids one of these"
        )
    taken = {str(label) for label in (*old.tolist(), *noise)}
    fresh = []
    for label in born.tolist():
        name, number = str(label), 2
        text = name
        while text in taken:
            text, number = f"{name}-{number}", number + 1
        taken.add(text)
        fresh.append(text)
    return fresh


def _fresh_numbers(old: NDArray[Any], noise: list[int], n: int) -> list[int]:
    """The next whole numbers; free ones from 0 on where the next ones would not fit 64 bits."""
    highest = int(old.max()) if len(old) else -1
    start = max(highest, *noise, -1) + 1
    if start + n <= 2**63 - 1:
        return list(range(start, start + n))
    taken, free, number = {*old.tolist(), *noise}, list[int](), 0
    while len(free) < n:
        free += [] if number in taken else [number]
        number += 1
    return free
