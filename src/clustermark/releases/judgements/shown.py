"""What judges see of records: some columns of a source, or what a mapping holds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clustermark.errors import InputError, Mention
from clustermark.sources.columns import read_id
from clustermark.sources.records import find_source, read_by_id, read_show, reading_options
from clustermark.sources.tabular import is_tabular, open_columns

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence


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
    wanted = read_show(show)
    for name in wanted or ():
        if name in hidden:
            raise InputError(
                Mention("show", name),
                ": this column holds clusters, and judges must not see which clustering joins a pair; leave it out",
            )
    if records is None:
        if wanted is None:
            return {}
        records = find_source(sources, wanted, options)
    found = read_by_id(names, records, wanted, options, hidden)
    if lacking := [name for name in names if name not in found]:
        raise InputError(
            f"records: there is none for {len(lacking):,} of {len(names):,} ids, such as {min(lacking)!r}; pass the "
            "records of all ids, or leave ",
            Mention("records"),
            " out",
        )
    return {name: {key: value or "" for key, value in record.items()} for name, record in found.items()}


def find_labels(sources: Sequence[Any], options: Mapping[str, Any], by: Any) -> set[str]:
    """The columns of clusters that nobody named: in each source the one that is left."""
    found: set[str] = set()
    taken = {name for pair in read_id(options.get("on")) or () for name in pair}
    taken |= {name for name in (options.get("weights"), by) if isinstance(name, str)}
    for source in sources:
        if is_tabular(source):
            with open_columns(source, "records", reading_options(options)) as table:
                left = [name for name in table.kinds if name not in taken]
            found |= set(left) if len(left) == 1 else set()
    return found
