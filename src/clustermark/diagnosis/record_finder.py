"""Where the records of points are found: by id, in the index of a frame, or in the order of the points."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from clustermark.diagnosis.members import Cluster, Member, MemberFinder, Members, RecordPair, pair_kind
from clustermark.diagnosis.record_columns import columns_beside, read_wanted
from clustermark.engines.files import is_path
from clustermark.errors import InputError, Mention
from clustermark.labels import is_pandas_series
from clustermark.labels.id_texts import id_texts
from clustermark.sources.records import find_source, read_by_id, read_by_index, read_in_order, read_show, take_rows
from clustermark.sources.tabular import pandas_kind
from clustermark.tables.columnar import label_text

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from numpy.typing import NDArray

    from clustermark.diagnosis.given import GivenLabels
    from clustermark.diagnosis.record_columns import Sources
    from clustermark.sources.records import Record
    from clustermark.tables.contingency import Contingency, Side


Key = TypeVar("Key")


class RecordFinder:
    """Finds points of clusters, and their records."""

    def __init__(
        self,
        table: Contingency,
        read_given: Callable[[], GivenLabels],
        sources: Sources | None,
        records: Any,
        show: str | Sequence[str] | None,
    ) -> None:
        """Say where records lie; without records, in columns of what was compared."""
        self._records, self._show, self._sources = records, read_show(show), sources
        self._options: Mapping[str, Any] = {} if sources is None else sources.named
        self._hidden = set() if sources is None else sources.taken
        self._beside: Mapping[str, Any] | None = None
        given = self._read_beside() if self._lies_beside() else read_given()
        self.members = MemberFinder(table.policies, given)
        self._has_record: dict[Any, bool] = {}

    def _lies_beside(self) -> bool:
        """Whether records are other columns of one source whose rows have no ids; an engine gives them in any order."""
        sources = self._sources
        if sources is None:
            if self._records is None:
                raise InputError(
                    Mention("show", self._show),
                    ": labels in memory have no other columns; say where these lie by ",
                    Mention("records"),
                )
            return False
        own = self._records is None or _is_same(self._records, sources.source)
        return sources.other is None and sources.options.get("on") is None and own

    def _read_beside(self) -> GivenLabels:
        assert self._sources is not None  # `_lies_beside` saw to it
        given, self._beside = columns_beside(self._sources, read_wanted(None, self._show, None, "show"))
        return given

    def find(self, places: NDArray[np.int64]) -> list[Record | None]:
        """The records of the points at these places; None for a point that has none."""
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
    def said(self) -> str:
        """What to call the records: the file they come from, or what else holds them."""
        records = self._records
        if records is None and self._sources is not None:
            records = self._sources.source if self._sources.other is None else None
        if records is None:
            return "the files that were compared"
        return str(records).replace("\\", "/").rpartition("/")[2] if is_path(records) else f"a {type(records).__name__}"

    @property
    def note(self) -> str:
        """How many points have no record; empty if all have one."""
        missing = [one for one, there in self._has_record.items() if not there]
        if not missing:
            return ""
        such = label_text(missing[0])
        return f"no record for {len(missing):,} of {len(self._has_record):,} points, such as {such}"

    def list_points(self, places: NDArray[np.int64]) -> list[Member]:
        """The points at these places, with their records."""
        return self.members.list_members(places, self.find(places))

    def list_clusters(self, wanted: Mapping[Side, Collection[Any]]) -> dict[tuple[Side, Any], Members]:
        """The points of clusters with their records, some of each, and some of their wrong pairs."""
        found: dict[tuple[Side, Any], tuple[Side, Cluster]] = {
            (side, label): (side, cluster)
            for side, labels in wanted.items()
            for label, cluster in self.members.find(side, labels).items()
        }
        return self.list_members(found)

    def list_members(self, clusters: Mapping[Key, tuple[Side, Cluster]]) -> dict[Key, Members]:
        """The same, of clusters that were found; the records of all of them are read at once."""
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
    """Whether two sources are the same object, or the name of the same file."""
    return one is other or (is_path(one) and is_path(other) and str(one) == str(other))


def _have_order(records: Any, index: Any) -> bool:
    """Whether records come in the order of points with this index: theirs is the same, or theirs just counts."""
    if pandas_kind(records) == "frame":
        return bool(records.index.equals(index))
    return type(index).__name__ == "RangeIndex" and (index.start, index.step) == (0, 1)
