"""Records of points and their columns: from the points' source, from another by id, or from arrays in their order."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from clustermark.diagnosis.members import Cluster, Member, MemberFinder, Members, RecordPair, pair_kind
from clustermark.diagnosis.scored_points import ScoredLabels, ids_in_order
from clustermark.engines.files import is_path
from clustermark.errors import InputError, Mention
from clustermark.labels import is_pandas_series
from clustermark.labels.alignment import id_texts
from clustermark.labels.frame_columns import list_values
from clustermark.results.values import label_text
from clustermark.sources import columns as naming
from clustermark.sources.contingencies import labels_of
from clustermark.sources.tabular import (
    find_source,
    is_tabular,
    open_columns,
    pandas_kind,
    read_by_id,
    read_by_index,
    read_in_order,
    read_show,
    reading_options,
    take_rows,
)
from clustermark.sources.wrapped import unwrap

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from numpy.typing import NDArray

    from clustermark.sources.tabular import Record
    from clustermark.tables.contingency import Contingency, Side


class Sources(NamedTuple):
    """The sources of an evaluation that have columns."""

    source: Any
    """None if no source has more columns, but the ids have names."""
    other: Any
    options: Mapping[str, Any]
    settings: Mapping[str, Any]
    """The settings of the table, which contain the names of columns that were guessed."""
    first: int = 0
    """The number of the first row in messages."""

    @property
    def named(self) -> dict[str, Any]:
        """The options, with the names of columns that were guessed."""
        return {**self.options, **{what: self.settings[what] for what in self.settings.get("guessed", ())}}

    def read_labels(self) -> ScoredLabels:
        """Read the labels from the sources again."""
        return ScoredLabels.of(labels_of(self.source, self.other, **self.options), self.first)

    @property
    def reading(self) -> dict[str, Any]:
        """The options by which columns are read."""
        return reading_options(self.options)

    @property
    def taken(self) -> set[str]:
        """The columns that already have a meaning: labels, ids, counts, weights."""
        known = {str(self.settings[what]) for what in ("true", "pred", "counts", "weights") if what in self.settings}
        return known.union(*self.id_names)

    @property
    def id_names(self) -> list[list[str]]:
        """The possible names of the columns of ids."""
        return naming.id_names(naming.read_id(self.named.get("on")))


class Wanted(NamedTuple):
    """The records that a caller requests."""

    records: Any
    names: list[str] | None
    """None for all columns that have no other meaning."""
    on: str | None
    """The column of ids in the records."""
    word: str
    """The argument that names columns, for messages."""


def read_wanted(records: Any, names: str | Sequence[str] | None, on: str | None, word: str) -> Wanted:
    """Check a caller's request for records."""
    chosen = [names] if isinstance(names, str) else names
    if chosen is not None:
        if not isinstance(chosen, list | tuple) or not chosen or not all(isinstance(name, str) for name in chosen):
            raise InputError(f"{word}={names!r} must be the name of a column, or a list of names")
        if len(set(chosen)) < len(chosen):
            raise InputError(f"{word}={names!r} names a column twice; name each once")
        chosen = list(chosen)
    if on is not None and not isinstance(on, str):
        raise InputError(Mention("on", on), " must be the name of the column of ids in the records")
    return Wanted(records, chosen, on, word)


def columns_of_points(given: ScoredLabels, sources: Sources | None, wanted: Wanted) -> dict[str, Any]:
    """Return columns by name, with a value for each point in the order of the given labels.

    given: labels in memory. For the labels of one source with its columns, see `columns_beside`.
    """
    records = wanted.records
    if records is None:
        records = _find_source(sources, wanted)
    ids = ids_in_order(given)
    if ids is None:
        return _in_order(given, records, wanted)
    if isinstance(records, Mapping):
        return _of_mapping(ids, records, wanted)
    if not is_tabular(records):
        raise InputError("records: the points have ids, so pass a data frame, a file, or a mapping from id to record")
    return _by_id(ids, records, sources, wanted)


def columns_beside(sources: Sources, wanted: Wanted) -> tuple[ScoredLabels, dict[str, Any]]:
    """Read the labels of one source and columns beside them at once: rows without ids have no other order."""
    with open_columns(sources.source, "records", sources.reading) as table:
        names = naming.choose(table, wanted.word, wanted.names, sources.taken)
    read = labels_of(sources.source, None, beside=names, **sources.named)
    return ScoredLabels.of(read, sources.first), read.get("beside", {})


def _find_source(sources: Sources | None, wanted: Wanted) -> Any:
    """Return the source that has the columns: that of the truth, else that of the prediction."""
    if sources is None or sources.source is None:
        raise InputError(f"{wanted.word}: the labels have no columns beside them; pass ", Mention("records"))
    both = [one for one in (sources.source, sources.other) if one is not None]
    for one in both:
        with open_columns(one, "records", sources.reading) as table:
            if set(wanted.names or ()) <= set(table.kinds) and (wanted.names or set(table.kinds) - sources.taken):
                return one
    raise InputError(
        Mention(wanted.word, *(wanted.names or ())),
        ": neither source has these columns; say where they lie by ",
        Mention("records"),
    )


def _by_id(ids: list[Any], records: Any, sources: Sources | None, wanted: Wanted) -> dict[str, Any]:
    reading = {} if sources is None else sources.reading
    with open_columns(records, "records", reading) as table:
        known = [] if sources is None else sources.id_names
        keys = naming.find_id(table, [*known, ["id"]] if wanted.on is None else [[wanted.on]])
        names = naming.choose(table, wanted.word, wanted.names, {*keys, *(() if sources is None else sources.taken)})
        lists = [list_values(column) for column in table.read([*keys, *names])]
        called = table.called
    rows = lists[0] if len(keys) == 1 else list(zip(*lists[: len(keys)], strict=True))
    places = {item: place for place, item in enumerate(rows)}
    if len(places) < len(rows):
        raise InputError(f"records: {called}: ids must be unique, and {len(rows) - len(places):,} row(s) repeat one")
    _refuse_lacking(ids, places, rows)
    return {
        name: [column[places[item]] for item in ids] for name, column in zip(names, lists[len(keys) :], strict=True)
    }


def _refuse_lacking(ids: list[Any], known: Mapping[Any, Any], rows: Sequence[Any]) -> None:
    lacking = [item for item in ids if item not in known]
    if lacking:
        kinds = {type(one[0]).__name__ for one in (ids, rows) if one}
        hint = f" (ids are of types {' and '.join(sorted(kinds))})" if len(kinds) > 1 else ""
        raise InputError(
            f"records: there is none for {len(lacking):,} of {len(ids):,} ids, such as {lacking[0]!r}{hint}; pass the "
            "records of all ids"
        )


def _of_mapping(ids: list[Any], records: Mapping[Any, Any], wanted: Wanted) -> dict[str, Any]:
    """Return columns from a mapping of id to record; a record is a mapping of column to value, or the one value."""
    _refuse_lacking(ids, records, list(records)[:1])
    chosen = [records[item] for item in ids]
    if not any(isinstance(record, Mapping) for record in chosen):
        if wanted.names is None or len(wanted.names) != 1:
            raise InputError(
                "records: its values are no records; pass a mapping from id to a mapping from column to value"
            )
        return {wanted.names[0]: chosen}
    if not all(isinstance(record, Mapping) for record in chosen):
        raise InputError("records: some of its values are mappings from column to value, and some are not")
    names = wanted.names or list(dict.fromkeys(name for record in chosen for name in record))
    for name in names:
        if not any(name in record for record in chosen):
            raise InputError(
                f"{wanted.word}: no record has {name!r}; they have {naming.list_names(map(str, chosen[0]))}"
            )
    return {str(name): [record.get(name) for record in chosen] for name in names}


def _in_order(given: ScoredLabels, records: Any, wanted: Wanted) -> dict[str, Any]:
    """Return columns in the order of the points, from a frame in memory or a mapping from name to array."""
    records = unwrap(records)
    if isinstance(records, Mapping):
        table: Any = {str(name): column for name, column in records.items()}
        names = wanted.names or list(table)
        for name in names:
            if name not in table:
                raise InputError(f"{wanted.word}: records have no {name!r}; they have {naming.list_names(table)}")
        found = {name: table[name] for name in names}
    elif hasattr(records, "columns") and hasattr(records, "__len__"):
        _check_index(given, records)
        with open_columns(records, "records", {}) as frame:
            names = naming.choose(frame, wanted.word, wanted.names)
            found = dict(zip(names, frame.read(names), strict=True))
    else:
        raise InputError(
            "records: the points have no ids, so pass a data frame or a mapping from column to array in their order; "
            "or compare labels by id: two mappings, or two sources joined by ",
            Mention("on"),
        )
    n = len(given.y_true)
    for name, column in found.items():
        if not hasattr(column, "__len__") or isinstance(column, str | bytes):
            raise InputError(f"records: column {name!r} is no array; pass a value for each point")
        if len(column) != n:
            raise InputError(f"records: column {name!r} has {len(column):,} values for {n:,} points")
    return found


def _check_index(given: ScoredLabels, records: Any) -> None:
    """Require that Series and a frame of pandas have the same index, since their orders could differ."""
    if pandas_kind(records) is None:
        return
    for name, labels in (("y_true", given.y_true), ("y_pred", given.y_pred)):
        if is_pandas_series(labels) and not labels.index.equals(records.index):
            raise InputError(
                f"records: its index is not that of {name}; bring it into that order by records.loc[{name}.index], or "
                "reset the index of both"
            )


Key = TypeVar("Key")


class RecordFinder:
    """Finder of the points of clusters and their records."""

    def __init__(
        self,
        table: Contingency,
        read_given: Callable[[], ScoredLabels],
        sources: Sources | None,
        records: Any,
        show: str | Sequence[str] | None,
    ) -> None:
        """Set where the records are; without records, they are other columns of the compared sources."""
        self._records, self._show, self._sources = records, read_show(show), sources
        self._options: Mapping[str, Any] = {} if sources is None else sources.named
        self.on = table.settings.get("on")
        """The columns of the ids of points, if they have names."""
        self._hidden = set() if sources is None else sources.taken
        self._beside: Mapping[str, Any] | None = None
        given = self._read_beside() if self._lies_beside() else read_given()
        self._records = unwrap(records)
        self.members = MemberFinder(table.policies, given)
        self._has_record: dict[Any, bool] = {}

    def _lies_beside(self) -> bool:
        """Return whether records are columns of one source without ids; an engine returns its rows in any order."""
        sources = self._sources
        if sources is None or sources.source is None:
            if self._records is None:
                raise InputError(
                    Mention("show", self._show),
                    ": labels in memory have no other columns; say where these lie by ",
                    Mention("records"),
                )
            return False
        own = self._records is None or _is_same(self._records, sources.source)
        return sources.other is None and sources.options.get("on") is None and own

    def _read_beside(self) -> ScoredLabels:
        assert self._sources is not None  # ensured by `_lies_beside`
        given, self._beside = columns_beside(self._sources, read_wanted(None, self._show, None, "show"))
        return given

    def find(self, places: NDArray[np.int64]) -> list[Record | None]:
        """Return the records of the points at these places; None for a point without one."""
        records = self._records
        if self._beside is not None:
            return list(take_rows(self._beside, places.tolist()))
        if isinstance(self.members.given.y_true, Mapping) or isinstance(records, Mapping):
            return self._find_by_id(places)
        index = next((labels.index for labels in self.members.given[:2] if is_pandas_series(labels)), None)
        if index is not None and not isinstance(records, list | tuple) and not _have_order(records, index):
            return self._find_by_id(places, by_index=pandas_kind(records) == "frame" and "id" not in records.columns)
        if self._sources is not None:
            way_out = "records: the points have no ids by which to find them; name the column by "
            raise InputError(way_out, Mention("on"))
        return list(read_in_order(places.tolist(), self.members.n, records, self._show, self._options, self._hidden))

    def _find_by_id(self, places: NDArray[np.int64], *, by_index: bool = False) -> list[Record | None]:
        ids = self.members.ids(places)
        texts = id_texts(ids)
        if by_index:
            found = read_by_index(set(texts), self._records, self._show)
        else:
            records = self._records
            if records is None and self._sources is not None:
                sources = [self._sources.other, self._sources.source]
                records = find_source(sources, self._show or (), self._options)
            found = read_by_id(set(texts), records, self._show, self._options, self._hidden)
        if ids and not found:
            raise InputError(
                f"records: there is none for any of {len(set(texts)):,} ids, such as {texts[0]!r}; pass records with "
                "the ids of the points"
            )
        self._has_record |= {one: text in found for one, text in zip(ids, texts, strict=True)}
        return [found.get(text) for text in texts]

    @property
    def called(self) -> str:
        """The name of the records: that of their file, or of what else contains them."""
        records = self._records
        if records is None and self._sources is not None:
            records = self._sources.source if self._sources.other is None else None
        if records is None:
            return "the files that were compared"
        return str(records).replace("\\", "/").rpartition("/")[2] if is_path(records) else f"a {type(records).__name__}"

    @property
    def note(self) -> str:
        """A note on the number of points without a record; empty if all have one."""
        missing = [one for one, there in self._has_record.items() if not there]
        if not missing:
            return ""
        such = label_text(missing[0])
        return f"no record for {len(missing):,} of {len(self._has_record):,} points, such as {such}"

    def list_points(self, places: NDArray[np.int64]) -> list[Member]:
        """Return the points at these places, with their records."""
        return self.members.list_members(places, self.find(places))

    def list_clusters(self, wanted: Mapping[Side, Collection[Any]]) -> dict[tuple[Side, Any], Members]:
        """Return some points of each cluster with their records, and some of its wrong pairs."""
        found: dict[tuple[Side, Any], tuple[Side, Cluster]] = {
            (side, label): (side, cluster)
            for side, labels in wanted.items()
            for label, cluster in self.members.find(side, labels).items()
        }
        return self.list_members(found)

    def list_members(self, clusters: Mapping[Key, tuple[Side, Cluster]]) -> dict[Key, Members]:
        """Return the same for clusters that were found, reading all records at once."""
        chosen = {key: cluster.choose() for key, (_, cluster) in clusters.items()}
        places = [clusters[key][1].places[at] for key, at in chosen.items()]
        distinct = np.unique(np.concatenate([np.zeros(0, np.int64), *places]))
        listed = dict(zip(distinct.tolist(), self.list_points(distinct), strict=True))
        made = {}
        for key, (side, cluster) in clusters.items():
            shown = tuple(listed[place] for place in cluster.places[chosen[key]].tolist())
            kind = pair_kind(side)
            pairs = tuple(RecordPair(kind, shown[i], shown[j]) for i, j in cluster.pair_up(chosen[key]))
            parts = tuple(cluster.parts[chosen[key]].tolist())
            made[key] = Members(shown, parts, len(cluster.places), pairs, {kind: cluster.n_pairs})
        return made


def _is_same(one: Any, other: Any) -> bool:
    """Return whether two sources are the same object or the path of the same file."""
    return one is other or (is_path(one) and is_path(other) and str(one) == str(other))


def _have_order(records: Any, index: Any) -> bool:
    """Return whether records are in the order of points with this index: by the same index, or if it only counts."""
    if pandas_kind(records) == "frame":
        return bool(records.index.equals(index))
    return type(index).__name__ == "RangeIndex" and (index.start, index.step) == (0, 1)
