"""Read the records from which pairs are drawn, from one clustering or two."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from clustermark._kernel import LONE
from clustermark.diagnosis.scored_points import ScoredLabels, ids_of, place_points
from clustermark.errors import InputError, Mention
from clustermark.evaluation.record import Record
from clustermark.labels.alignment import id_text, id_texts
from clustermark.labels.conversion import is_pandas_series
from clustermark.labels.frame_columns import list_values
from clustermark.options import names_columns, read_options
from clustermark.releases.judgements.population import MemoryPopulation
from clustermark.sources import columns
from clustermark.sources.by_id import read_ids
from clustermark.sources.columns import read_id
from clustermark.sources.contingencies import crosstab, hold_streams
from clustermark.sources.frames import labels_of_frames, stay_in_memory
from clustermark.sources.request import labels_of_sources, read_request
from clustermark.sources.tabular import find_source, is_tabular, open_columns, read_by_id, read_show, reading_options
from clustermark.tables.policies import spread_noise

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from clustermark.releases.judgements.population import Population
    from clustermark.sources.request import Request


_SIDES = {"true": "old", "pred": "new"}
NO_SLICE = "(none)"
"""Name of the slice of records without a slice."""
_IN_ENGINE = ("error", "drop")


@contextmanager
def open_population(before: Any, after: Any, by: Any, options: Mapping[str, Any]) -> Iterator[tuple[Population, bool]]:
    """Open the records of two clusterings, or of one; yield them and whether it is one."""
    try:
        with _open(before, after, by, options) as opened:
            yield opened
    except InputError as error:  # errors of tables call the sides truth and prediction
        error.args = tuple(map(_rename, error.args))
        raise


def _rename(part: Any) -> Any:
    """Translate a part of a message to the words of questions."""
    if isinstance(part, Mention):
        return Mention(_SIDES.get(part.name, part.name), *part.values)
    return part.replace("y_true", "before").replace("y_pred", "after") if isinstance(part, str) else part


@contextmanager
def _open(before: Any, after: Any, by: Any, options: Mapping[str, Any]) -> Iterator[tuple[Population, bool]]:
    given = {"unmatched": "drop"} | spread_noise(read_options(options))
    _refuse(given)
    if not (names_columns(given) or is_tabular(before)):
        yield _of_labels(before, after, given, by), after is None
        return
    before, after = hold_streams(before, after, given)
    request = read_request(given)
    alone = after is None and not (request.columns.true and request.columns.pred)
    if by is not None and not isinstance(by, str):
        raise InputError("by: with a source, this must be the name of a column")
    if alone:
        request = _name_one(before, request, by)
    if not stay_in_memory(before, after, request) and _fits_engine(request) and _has_texts(before, after, by, request):
        from clustermark.releases.judgements.engine_population import open_engine

        with open_engine(before, after, request, by) as population:
            yield population, alone
        return
    labels, slices = _read(before, after, by, request)
    policies = {name: given[name] for name in ("noise_true", "noise_pred", "missing", "unmatched") if name in given}
    found = _of_labels(labels["true"], labels["pred"], policies | {"weights": labels.get("weights")}, slices)
    settings = found.record.settings | {"on": columns.describe_id(request.columns.on or ())}
    found.record = found.record._replace(settings=settings)
    yield found, alone


def _refuse(given: Mapping[str, Any]) -> None:
    """Refuse options that have no meaning for pairs of records."""
    if given.get("counts") is not None:
        raise InputError(
            Mention("counts"), ": a row that stands for several records names none of them; use ", Mention("weights")
        )
    if given["unmatched"] == "keep":
        raise InputError(
            Mention("unmatched", "keep"),
            ": pairs need both clusterings; choose ",
            Mention("unmatched", "drop", "singletons"),
        )
    if "unscored" in (given.get("noise_pred") or {}).values():
        raise InputError(
            Mention("noise_pred", given["noise_pred"]), ": choose 'drop', 'singletons' or 'cluster' instead"
        )


def _fits_engine(request: Request) -> bool:
    """Return whether records can stay in an engine: no policy moves them, and they have no weights."""
    policies = request.policies
    moved = policies.noise_true or policies.noise_pred
    plain = policies.missing in _IN_ENGINE and policies.unmatched in _IN_ENGINE and not moved
    return plain and request.columns.weights is None


def _has_texts(before: Any, after: Any, by: str | None, request: Request) -> bool:
    """Return whether slices, if any, are of a type whose texts are the same from engines and Python."""
    if by is None:
        return True
    for source in (after, before):
        if source is not None:
            with open_columns(source, "records", request.options) as table:
                if by in table.kinds:
                    return table.kinds[by] in ("text", "integer")
    return False


def _of_labels(before: Any, after: Any, options: Mapping[str, Any], by: Any) -> MemoryPopulation:
    weights = options.get("weights")
    after = before if after is None else after
    ids: Sequence[Any] | NDArray[np.int64]
    table = crosstab(before, after, **{name: value for name, value in options.items() if value is not None})
    given = ScoredLabels(before, after, None, weights)
    placed = place_points(table, given)
    if isinstance(before, Mapping) or is_pandas_series(before) or is_pandas_series(after):
        ids = ids_of(given, placed.kept)
        _refuse_repeated(ids)
    else:
        ids = placed.kept
    chosen = None
    if weights is not None:
        chosen = np.asarray([weights[name] for name in ids] if isinstance(weights, Mapping) else weights, np.float64)
        chosen = chosen if isinstance(weights, Mapping) else chosen[placed.kept]
    slices = None if by is None else _slices(by, ids, placed.kept, len(before))
    record = Record.of(table, {}, {}, {})
    return MemoryPopulation(record, ids, _number(placed.true), _number(placed.pred), chosen, slices)


def _refuse_repeated(ids: Sequence[Any]) -> None:
    """Refuse ids that are repeated, as in the index of a Series, or have the same text, as 1 and '1'."""
    if len(set(ids)) < len(ids):
        twice = Counter(ids).most_common(1)[0][0]
        raise InputError(f"ids: they must be unique, and {twice!r} occurs twice; remove the duplicates")
    if len({type(one) for one in ids}) > 1:
        id_texts(ids)


def _number(clusters: NDArray[np.int64]) -> NDArray[np.int64]:
    """Number the clusters of records; a record alone in its cluster gets a new number."""
    lone = clusters == LONE
    numbers = clusters.astype(np.int64)
    numbers[lone] = int(clusters.max(initial=0)) + 1 + np.arange(int(lone.sum()))
    return numbers


def _slices(by: Any, ids: Iterable[Any], kept: NDArray[np.int64], n: int) -> list[str]:
    if isinstance(by, Mapping):
        lacking = [name for name in ids if name not in by]
        if lacking:
            raise InputError(f"by: there is no slice for {len(lacking):,} record(s), such as {id_text(lacking[0])!r}")
        values = [by[name] for name in ids]
    else:
        listed = by.tolist() if hasattr(by, "tolist") else list(by)
        if len(listed) != n:
            raise InputError(f"by: there are {len(listed):,} slices for {n:,} records; pass one for each")
        values = [listed[place] for place in kept.tolist()]
    return [NO_SLICE if value is None or value != value else id_text(value) for value in values]


def _name_one(source: Any, request: Request, by: str | None) -> Request:
    """Return the request for one clustering, whose column is used for both sides."""
    column = request.columns.pred or request.columns.true
    with open_columns(source, "clustering", request.options) as table:
        if column is None:
            taken = {true for true, _ in request.columns.on or ()} | {request.columns.weights, by}
            free = [name for name in table.kinds if name not in taken]
            if len(free) != 1:
                raise InputError(
                    f"{table.called}: name the column with the clusters by ",
                    Mention("pred"),
                    ", and that with the ids by ",
                    Mention("on"),
                    f" (it has {columns.list_names(table.kinds)})",
                )
            column = free[0]
    chosen = request.columns._replace(true=column, pred=column)
    return request._replace(columns=chosen, options={**request.options, "true": column, "pred": column})


def _read(before: Any, after: Any, by: str | None, request: Request) -> tuple[dict[str, Any], Any]:
    """Return the labels of all records by their ids, and their slices."""
    slices = None
    if after is not None:
        read = labels_of_frames if stay_in_memory(before, after, request) else labels_of_sources
        labels = read(before, after, request)
        if by is not None:
            slices = _read_slices(before, after, by, request)
        return labels, slices
    chosen = request.columns
    if chosen.on is None:
        raise no_ids_error()
    wanted = [*(true for true, _ in chosen.on), chosen.true, chosen.pred, chosen.weights, by]
    with open_columns(before, "records", request.options) as table:
        for what, name in (("true", chosen.true), ("pred", chosen.pred), ("weights", chosen.weights), ("by", by)):
            if name is not None:
                columns.require(table, what, name)
        for name, _ in chosen.on:
            columns.require(table, "on", name)
        read_columns = dict(zip(filter(None, wanted), table.read([name for name in wanted if name]), strict=True))
        ids = join_ids([read_columns[name] for name, _ in chosen.on], table.called)
    labels = {}
    for what, name in (("true", chosen.true), ("pred", chosen.pred), ("weights", chosen.weights), ("by", by)):
        if name is not None:
            labels[what] = dict(zip(ids, list_values(read_columns[name]), strict=True))
    return labels, labels.pop("by", None)


def no_ids_error() -> InputError:
    """Return the error for a source without ids of records."""
    return InputError("pairs are shown by the ids of their records; name the column of ids by ", Mention("on"))


def join_ids(parts: Sequence[Any], said: str) -> list[Any]:
    """Return unique ids as Python objects, tuples if they consist of several columns; refuse missing ones."""
    lists = []
    for part in parts:
        read = read_ids(part, said)
        lists.append(list_values(part) if read.values is None else [read.values[code] for code in read.codes.tolist()])
    ids = lists[0] if len(lists) == 1 else list(zip(*lists, strict=True))
    ids = [one.item() if isinstance(one, np.generic) else one for one in ids]
    _refuse_repeated(ids)
    return ids


def _read_slices(before: Any, after: Any, by: str, request: Request) -> dict[Any, Any]:
    """Return the slice of each record, from the source that has the column, first the clustering after."""
    for source, place in ((after, 1), (before, 0)):
        with open_columns(source, "records", request.options) as table:
            if by not in table.kinds:
                continue
            on = request.columns.on
            if on is None:
                raise InputError("by: name the column of ids by ", Mention("on"), " too")
            names = [pair[place] for pair in on]
            *parts, slices = table.read([*names, by])
            return dict(zip(join_ids(parts, table.called), list_values(slices), strict=True))
    raise InputError("by: neither source has a column ", repr(by))


def find_shown(
    names: Collection[str],
    records: Any,
    show: str | Sequence[str] | None,
    sources: Sequence[Any],
    options: Mapping[str, Any],
    hidden: Collection[Any] = (),
) -> dict[str, dict[str, str]]:
    """Return the values to show of each of these records, by id; empty if none are requested.

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
    """Return the columns of clusters that are not named: in each source, the only one left."""
    found: set[str] = set()
    taken = {name for pair in read_id(options.get("on")) or () for name in pair}
    taken |= {name for name in (options.get("weights"), by) if isinstance(name, str)}
    for source in sources:
        if is_tabular(source):
            with open_columns(source, "records", reading_options(options)) as table:
                left = [name for name in table.kinds if name not in taken]
            found |= set(left) if len(left) == 1 else set()
    return found
