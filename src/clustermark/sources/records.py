"""The records of points: columns of a source, values of a mapping, or a list in the order of the points."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from clustermark.errors import InputError, Mention
from clustermark.labels import is_missing
from clustermark.labels.alignment import id_text
from clustermark.labels.frame_columns import list_values
from clustermark.options import read_options
from clustermark.sources import columns
from clustermark.sources.tabular import is_tabular, open_columns

if TYPE_CHECKING:
    from collections.abc import Collection


Record: TypeAlias = dict[str, str | None]
"""The values of a record by column name, as texts; None for missing values."""


def read_show(show: str | Sequence[str] | None) -> list[str] | None:
    """Return the columns to be shown; None for all."""
    wanted = [show] if isinstance(show, str) else None if show is None else list(show)
    if wanted is not None and (not wanted or not all(isinstance(name, str) for name in wanted)):
        raise InputError(Mention("show", show), " must be the name of a column, or a list of such names")
    return None if wanted is None else list(dict.fromkeys(wanted))


def find_source(sources: Sequence[Any], show: Sequence[str], options: Mapping[str, Any]) -> Any:
    """Return the first of the sources that has these columns."""
    for source in sources:
        if is_tabular(source):
            with open_columns(source, "records", reading_options(options)) as table:
                if set(show) <= set(table.kinds):
                    return source
    raise InputError(
        Mention("show", list(show)),
        ": neither clustering has these columns; say where they lie by ",
        Mention("records"),
    )


def read_by_id(
    names: Collection[str],
    records: Any,
    show: Sequence[str] | None,
    options: Mapping[str, Any],
    hidden: Collection[Any] = (),
) -> dict[str, Record]:
    """Return the records of these ids, of a mapping or a source; ids without a record are omitted.

    names: the texts of the ids. show: the columns, by default all but those of the id and the hidden ones.
    options: those of the clusterings, which contain the name of the id and the options for reading files.
    """
    if isinstance(records, Mapping):
        chosen = [(text, record) for name, record in records.items() if (text := id_text(name)) in names]
        values = _read_values([record for _, record in chosen], show)
        return _index(zip((text for text, _ in chosen), values, strict=True))
    _require_tabular(records)
    with open_columns(records, "records", reading_options(options)) as table:
        ids = columns.find_id(table, columns.id_names(columns.read_id(options.get("on"))) or [["id"]])
        shown = columns.choose(table, "show", show, {*ids, *hidden})
        wanted = [*ids, *shown]
        read = table.read(wanted) if len(ids) > 1 else table.find(wanted, ids[0], names)
        lists = [list_values(column) for column in read]
    keys = lists[0] if len(ids) == 1 else list(zip(*lists[: len(ids)], strict=True))
    texts = map(id_text, keys)
    rows = zip(*lists[len(ids) :], strict=True) if shown else [()] * len(keys)
    return _index((text, _name_values(shown, row)) for text, row in zip(texts, rows, strict=True) if text in names)


def read_in_order(
    places: Sequence[int],
    n: int,
    records: Any,
    show: Sequence[str] | None,
    options: Mapping[str, Any],
    hidden: Collection[Any] = (),
) -> list[Record]:
    """Return the records at these places of n points without ids: of a list, or a source with one row per point."""
    if isinstance(records, Sequence) and not isinstance(records, str) and not is_tabular(records):
        _check_length(len(records), n)
        return _read_values([records[place] for place in places], show)
    _require_tabular(records)
    with open_columns(records, "records", reading_options(options)) as table:
        chosen = columns.choose(table, "show", show, hidden)
        read = table.read(chosen)
    for column in read[:1]:
        _check_length(len(column), n)
    return take_rows(dict(zip(chosen, read, strict=True)), places)


def take_rows(read: Mapping[str, Any], places: Sequence[int]) -> list[Record]:
    """Return the records at these places of columns in memory."""
    lists = [list_values(_take(column, places)) for column in read.values()]
    return [_name_values(read, row) for row in (zip(*lists, strict=True) if lists else [()] * len(places))]


def read_by_index(ids: Collection[str], records: Any, show: Sequence[str] | None) -> dict[str, Record]:
    """Return the records of these ids, of a pandas frame with the ids as its index."""
    texts = [id_text(name) for name in records.index.tolist()]
    places = [place for place, text in enumerate(texts) if text in ids]
    with open_columns(records, "records", {}) as table:
        chosen = columns.choose(table, "show", show)
        found = take_rows(dict(zip(chosen, table.read(chosen), strict=True)), places)
    return _index((texts[place], record) for place, record in zip(places, found, strict=True))


def _require_tabular(records: Any) -> None:
    if not is_tabular(records):
        raise InputError("records: pass a file, a frame, (connection, 'table'), or a mapping from id to values")


def _check_length(found: int, n: int) -> None:
    if found != n:
        raise InputError(
            f"records: there are {found:,} for {n:,} points, which have no ids; pass one record for each point, in the "
            "same order"
        )


def _index(found: Any) -> dict[str, Record]:
    """Return the records by id; raise an error if an id occurs twice."""
    known: dict[str, Record] = {}
    for text, record in found:
        if text in known:
            raise InputError(f"records: there are two for the id {text!r}; remove one, ids must be unique")
        known[text] = record
    return known


def reading_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options for reading a source of records: the options for columns apply to the clusterings."""
    given = read_options(options)
    return {name: given[name] for name in ("reading", "engine", "engine_options") if name in given}


def _read_values(records: Sequence[Any], show: Sequence[str] | None) -> list[Record]:
    """Return the values of records, each a mapping from column to value, or one value."""
    listed = [record if isinstance(record, Mapping) else {"record": record} for record in records]
    for name in show or ():
        if listed and not any(name in values for values in listed):
            known = columns.list_names(dict.fromkeys(str(key) for values in listed for key in values))
            raise InputError(Mention("show", name), f": no record has this value (they have {known})")
    return [
        {str(key): _read_value(values[key]) for key in (values if show is None else show) if key in values}
        for values in listed
    ]


def _name_values(names: Collection[str], values: Sequence[Any]) -> Record:
    return {name: _read_value(value) for name, value in zip(names, values, strict=True)}


def _read_value(value: Any) -> str | None:
    return None if is_missing(value) else id_text(value)


def _take(column: Any, places: Sequence[int]) -> Any:
    if hasattr(column, "iloc"):
        return column.iloc[list(places)]
    if hasattr(column, "gather"):  # polars
        return column.gather(list(places))
    if hasattr(column, "take"):
        return column.take(list(places))
    return [column[place] for place in places]
