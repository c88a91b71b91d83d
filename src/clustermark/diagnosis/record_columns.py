"""Columns of the records that points are: of their own source, of another one by id, or arrays in their order."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from clustermark.diagnosis.given import GivenLabels
from clustermark.diagnosis.point_table import ids_in_order
from clustermark.errors import InputError, Mention
from clustermark.labels import is_pandas_series
from clustermark.labels.dataframes import list_values
from clustermark.sources import columns as naming
from clustermark.sources.contingencies import labels_of
from clustermark.sources.records import reading_options
from clustermark.sources.tabular import is_tabular, open_columns, pandas_kind

if TYPE_CHECKING:
    from collections.abc import Sequence


class Sources(NamedTuple):
    """What an evaluation was made of, if that has columns."""

    source: Any
    other: Any
    options: Mapping[str, Any]
    settings: Mapping[str, Any]
    """Those of the table, which has the names of columns that nobody named."""
    first: int = 0
    """The number of the first row, as messages count them."""

    @property
    def named(self) -> dict[str, Any]:
        """The options, with the names of columns that nobody named."""
        return {**self.options, **{what: self.settings[what] for what in self.settings.get("guessed", ())}}

    def read_labels(self) -> GivenLabels:
        """The labels, read of the sources once more."""
        return GivenLabels.of(labels_of(self.source, self.other, **self.options), self.first)

    @property
    def reading(self) -> dict[str, Any]:
        """The options by which columns are read."""
        return reading_options(self.options)

    @property
    def taken(self) -> set[str]:
        """The columns that have a meaning already: labels, ids, counts, weights."""
        known = {str(self.settings[what]) for what in ("true", "pred", "counts", "weights") if what in self.settings}
        return known.union(*self.id_names)

    @property
    def id_names(self) -> list[list[str]]:
        """What the columns of ids may be called."""
        return naming.id_names(naming.read_id(self.named.get("on")))


class Wanted(NamedTuple):
    """What a caller asks for."""

    records: Any
    names: list[str] | None
    """None for all columns that have no other meaning."""
    on: str | None
    """The column of ids in the records."""
    word: str
    """The argument that names columns, for messages."""


def read_wanted(records: Any, names: str | Sequence[str] | None, on: str | None, word: str) -> Wanted:
    """What a caller asks for, checked."""
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


def columns_of_points(given: GivenLabels, sources: Sources | None, wanted: Wanted) -> dict[str, Any]:
    """Columns by name, a value for each point, in the order in which the labels are given.

    given: labels in memory. Those of one source come with its columns, by `columns_beside`.
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


def columns_beside(sources: Sources, wanted: Wanted) -> tuple[GivenLabels, dict[str, Any]]:
    """The labels of one source, and columns beside them, read at once: rows without ids have no other order."""
    with open_columns(sources.source, "records", sources.reading) as table:
        names = naming.choose(table, wanted.word, wanted.names, sources.taken)
    read = labels_of(sources.source, None, beside=names, **sources.named)
    return GivenLabels.of(read, sources.first), read.get("beside", {})


def _find_source(sources: Sources | None, wanted: Wanted) -> Any:
    """The source that has the columns: the truth's, else the prediction's."""
    if sources is None:
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
        said = table.said
    rows = lists[0] if len(keys) == 1 else list(zip(*lists[: len(keys)], strict=True))
    places = {item: place for place, item in enumerate(rows)}
    if len(places) < len(rows):
        raise InputError(f"records: {said}: ids must be unique, and {len(rows) - len(places):,} row(s) repeat one")
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
    """A mapping from id to record, which is a mapping from column to value; or to the value of the one column."""
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


def _in_order(given: GivenLabels, records: Any, wanted: Wanted) -> dict[str, Any]:
    """Columns in the order of the points: a frame in memory, or a mapping from name to array."""
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


def _check_index(given: GivenLabels, records: Any) -> None:
    """Series and a frame of pandas must have the same index: their orders could differ."""
    if pandas_kind(records) is None:
        return
    for name, labels in (("y_true", given.y_true), ("y_pred", given.y_pred)):
        if is_pandas_series(labels) and not labels.index.equals(records.index):
            raise InputError(
                f"records: its index is not that of {name}; bring it into that order by records.loc[{name}.index], or "
                "reset the index of both"
            )
