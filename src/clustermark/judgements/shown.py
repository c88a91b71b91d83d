"""What judges see of records: some columns of a source, or what a mapping holds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from clustermark.errors import InputError, Mention
from clustermark.judgements.gathering import list_values
from clustermark.judgements.permanent import id_text
from clustermark.options import read_options
from clustermark.sources import columns
from clustermark.sources.columns import read_id
from clustermark.sources.tabular import is_tabular, open_columns

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence


def find_shown(
    names: Collection[str],
    records: Any,
    show: str | Sequence[str] | None,
    sources: Sequence[Any],
    options: Mapping[str, Any],
    hidden: Collection[Any] = (),
) -> dict[str, dict[str, str]]:
    """What is shown of each of these records, by its id; empty where nothing was asked for.

    hidden: the columns with the clusters, if they are known.
    """
    wanted = [show] if isinstance(show, str) else None if show is None else list(show)
    for name in wanted or ():
        if name in hidden:
            raise InputError(
                Mention("show", name),
                ": this column holds clusters, and judges must not see which clustering joins a pair; leave it out",
            )
    if records is None:
        if wanted is None:
            return {}
        records = next((one for one in sources if is_tabular(one) and _has(one, wanted, options)), None)
        if records is None:
            raise InputError(
                Mention("show", show),
                ": neither clustering has these columns; say where they lie by ",
                Mention("records"),
            )
    found = (
        _of_mapping(names, records, wanted)
        if isinstance(records, Mapping)
        else _of_source(names, records, wanted, options, hidden)
    )
    if lacking := [name for name in names if name not in found]:
        raise InputError(
            f"records: there is none for {len(lacking):,} of {len(names):,} ids, such as {min(lacking)!r}; pass the "
            "records of all ids, or leave records= out"
        )
    return found


def find_labels(sources: Sequence[Any], options: Mapping[str, Any], by: Any) -> set[str]:
    """The columns of clusters that nobody named: in each source the one that is left."""
    found: set[str] = set()
    taken = {name for pair in read_id(options.get("on")) or () for name in pair}
    taken |= {name for name in (options.get("weights"), by) if isinstance(name, str)}
    for source in sources:
        if is_tabular(source):
            with open_columns(source, "records", _reading(options)) as table:
                left = [name for name in table.kinds if name not in taken]
            found |= set(left) if len(left) == 1 else set()
    return found


def _has(source: Any, wanted: Sequence[str], options: Mapping[str, Any]) -> bool:
    with open_columns(source, "records", _reading(options)) as table:
        return set(wanted) <= set(table.kinds)


def _reading(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options by which a source of records is read: those of columns belong to the clusterings."""
    given = read_options(options)
    return {name: given[name] for name in ("reading", "engine", "engine_options") if name in given}


def _of_mapping(
    names: Collection[str], records: Mapping[Any, Any], wanted: Sequence[str] | None
) -> dict[str, dict[str, str]]:
    found = {}
    for name, record in records.items():
        text = id_text(name)
        if text in names:
            values = record if isinstance(record, Mapping) else {"record": record}
            found[text] = {key: _text(values[key]) for key in wanted or values if key in values}
    return found


def _of_source(
    names: Collection[str],
    source: Any,
    show: Sequence[str] | None,
    options: Mapping[str, Any],
    hidden: Collection[Any],
) -> dict[str, dict[str, str]]:
    if not is_tabular(source):
        raise InputError("records: pass a file, a frame, (connection, 'table'), or a mapping from id to values")
    asked = read_id(options.get("on"))
    with open_columns(source, "records", _reading(options)) as table:
        ids = _id_columns(table, asked)
        chosen = list(show) if show is not None else [name for name in table.kinds if name not in (*ids, *hidden)]
        for name in chosen:
            if name not in table.kinds:
                columns.require(table, "show", name)
        wanted = [*ids, *chosen]
        lists = [
            list_values(one) for one in (table.read(wanted) if len(ids) > 1 else table.find(wanted, ids[0], names))
        ]
    keys = lists[: len(ids)]
    found = {}
    for place in range(len(keys[0])):
        name = id_text(keys[0][place]) if len(keys) == 1 else id_text(tuple(key[place] for key in keys))
        if name in names:
            found[name] = {key: _text(column[place]) for key, column in zip(chosen, lists[len(ids) :], strict=True)}
    return found


def _id_columns(table: Any, asked: columns.IdColumns | None) -> list[str]:
    """The columns of the id: those by which the clusterings are joined, by either of their names."""
    for place in (0, 1):
        names = [pair[place] for pair in asked or ()]
        if names and set(names) <= set(table.kinds):
            return names
    if asked is None and "id" in table.kinds:
        return ["id"]
    raise InputError(
        f"records: {table.said} has no column of ids; name it by ",
        Mention("on"),
        f" (it has {columns.list_names(table.kinds)})",
    )


def _text(value: Any) -> str:
    return "" if value is None or value != value else id_text(value)
