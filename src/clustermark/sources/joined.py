"""Labelings in several sources, joined by id: each source is read once, however many labelings it contains."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np

from clustermark.engines.pushdown import point_rows
from clustermark.engines.pushdown.gather import unmatched_ids_error
from clustermark.engines.pushdown.ids import IdColumn, JoinColumn, combine_kinds, match_columns
from clustermark.engines.spooled import name_streams
from clustermark.errors import InputError, Mention
from clustermark.labels import ABSENT, label_list
from clustermark.labels.alignment import take_places
from clustermark.labels.labeling import merge_names
from clustermark.labels.lists_and_arrays import read_objects
from clustermark.sources import columns
from clustermark.sources.by_id import NUMBERS, check_alike, join_names, labels_at, read_own_ids, refuse_strangers
from clustermark.sources.columns import Columns, describe_id, kind_of
from clustermark.sources.contingencies import hold_streams
from clustermark.sources.frames import open_frame, stay_in_memory
from clustermark.sources.reading import Records, shrink
from clustermark.sources.recognition import open_for, relation_of, share_engine
from clustermark.sources.request import close_lists, make_rereadable, read_request, read_written
from clustermark.sources.tabular import open_columns
from clustermark.tables.policies import PLAIN

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from clustermark.engines.engine import Kind, Relation, Workspace
    from clustermark.labels import Labeling
    from clustermark.labels.labeling import Names
    from clustermark.sources.by_id import Joined, RowsById
    from clustermark.sources.columns import HasColumns, IdColumns
    from clustermark.sources.reading import Role
    from clustermark.sources.request import Request
    from clustermark.sources.tabular import Tabular
    from clustermark.tables.policies import Policies


class _Side(NamedTuple):
    """A source, and the columns that are read from it."""

    source: HasColumns
    """A frame, or a relation of an engine."""
    on: tuple[str, ...]
    """Columns of ids."""
    labels: dict[str, str]
    """By role: the column of labels."""
    adds_points: bool = True
    """False if the source is only looked up for the points of the other sources."""


class _Fetched(NamedTuple):
    """Columns fetched from an engine."""

    called: str
    kinds: Mapping[str, Any]
    columns: dict[str, Any]

    def column(self, name: str) -> Any:
        """Return the column of this name."""
        return self.columns[name]


def read_joined(roles: Mapping[str, Role], options: Mapping[str, Any], beside: Sequence[str] = ()) -> Records:
    """Read roles that are columns of sources with a common id, or mappings from id to label.

    roles: the truth first; those in `beside` are other columns of its source.
    """
    chosen = {name: value for name, value in options.items() if name not in ("true", "pred")}
    sources = _distinct_sources(roles, chosen)
    request = read_request(chosen)
    if all(stay_in_memory(source, None, request) for source in sources.values()):
        return _read_frames(roles, sources, request, beside)
    called = {_key(role): role.called for role in reversed(list(_with_sources(roles).values()))}
    held, names = list(sources.values()), [called[key] for key in sources]
    if not share_engine(held, request, names):
        return _read_apart(roles, sources, request, beside)
    with name_streams(*held), open_for(held, request, names) as workspace:
        return _read_relations(workspace, roles, sources, request, beside)


def _with_sources(roles: Mapping[str, Role]) -> dict[str, Role]:
    """Return the roles with a separate source; a mapping may only be looked up."""
    return {
        name: role
        for name, role in roles.items()
        if role.adds_points or not (role.within or isinstance(role.given, Mapping))
    }


def _distinct_sources(roles: Mapping[str, Role], options: dict[str, Any]) -> dict[Any, Any]:
    """Return the sources by their keys; a source that can be read only once is written to a file."""
    found: dict[Any, Any] = {}
    format_of_streams = dict(options.get("reading") or {})
    for role in _with_sources(roles).values():
        if (key := _key(role)) not in found:
            reading = options | {"reading": dict(format_of_streams)} if format_of_streams else dict(options)
            held, _ = hold_streams(role.given, None, reading)
            found[key] = held
            if held is not role.given:
                options["reading"] = reading.get("reading", {})
    return found


def _key(role: Role) -> Any:
    return role.given if isinstance(role.given, str) else id(role.given)


def _read_frames(
    roles: Mapping[str, Role], sources: Mapping[Any, Any], request: Request, beside: Sequence[str]
) -> Records:
    frames = {}
    for name, role in _with_sources(roles).items():
        if _key(role) not in frames:
            frame = open_frame(sources[_key(role)], _noun(roles, name))
            assert frame is not None  # `stay_in_memory` ensures this
            if not len(frame.data):
                raise InputError(f"{frame.called}: holds no points; there is nothing to compare")
            frames[_key(role)] = frame
    sides, on = _choose(roles, frames, request, beside)
    return _align_in_memory(roles, sides, [side.source for side in sides], request, beside, on)


def _noun(roles: Mapping[str, Role], name: str) -> str:
    """Return the text after the class of a data frame of this role."""
    if roles[name].option == "true":
        return " of the truth"
    return " of the prediction" if roles[name].option == "pred" else f" passed as {roles[name].called}"


def _read_apart(
    roles: Mapping[str, Role], sources: Mapping[Any, Any], request: Request, beside: Sequence[str]
) -> Records:
    """Read sources that no single engine can read: a separate engine fetches the columns of each."""
    with ExitStack() as opened:
        tables = {
            _key(role): opened.enter_context(open_columns(sources[_key(role)], role.called, request.options))
            for role in _with_sources(roles).values()
        }
        sides, on = _choose(roles, tables, request, beside)
        rows = []
        for side, table in zip(sides, (cast("Tabular", side.source) for side in sides), strict=True):
            numbers = [column for column in _numbers(request).values() if column in table.kinds]
            names = list(dict.fromkeys([*side.on, *side.labels.values(), *numbers]))
            rows.append(_Fetched(table.called, table.kinds, dict(zip(names, table.read(names), strict=True))))
    return _align_in_memory(roles, sides, rows, request, beside, on)


def _align_in_memory(
    roles: Mapping[str, Role],
    sides: Sequence[_Side],
    rows: Sequence[Any],
    request: Request,
    beside: Sequence[str],
    on: IdColumns,
) -> Records:
    for other, side in zip(rows[1:], sides[1:], strict=True):
        check_alike(rows[0], other, tuple(zip(sides[0].on, side.on, strict=True)))
    return _align(roles, sides, rows, request, beside, on, None)


def _read_relations(
    workspace: Workspace,
    roles: Mapping[str, Role],
    sources: Mapping[Any, Any],
    request: Request,
    beside: Sequence[str],
) -> Records:
    workspace.purpose = "read each source once"
    relations = {key: relation_of(workspace, source, request) for key, source in sources.items()}
    if request.pairs is not None:
        relations = {key: make_rereadable(workspace, one, f"{n}") for n, (key, one) in enumerate(relations.items())}
        sides, on = _close(workspace, roles, relations, request, beside)
    else:
        sides, on = _choose(roles, relations, request, beside)
    kinds = _compare_ids(workspace, sides)
    rows = [_fetch(workspace, side, sides[0], kinds, request) for side in sides]
    labelled: dict[str, Kind] = {
        name: point_rows.label_kind(side.source.kinds[column]) for side in sides for name, column in side.labels.items()
    }
    return _align(roles, sides, rows, request, beside, on, labelled)


def _choose(
    roles: Mapping[str, Role], found: Mapping[Any, HasColumns], request: Request, beside: Sequence[str]
) -> tuple[list[_Side], IdColumns]:
    """Choose the columns of each source, the truth's first; return them, and the id as it is named in messages."""
    own = _with_sources(roles)
    first, *others = (name for name, role in own.items() if name not in beside and role.adds_points)
    truth = found[_key(roles[first])]
    sides: dict[Any, _Side] = {}
    chosen = Columns()
    for name in beside:
        columns.require(truth, roles[name].option, str(roles[name].column))
    for name in others:
        role = roles[name]
        asked = request.columns._replace(true=roles[first].column, pred=role.column)
        chosen = columns.of_two(truth, found[_key(role)], asked, (roles[first].option, role.option))
        mine, theirs = (tuple(pair[place] for pair in chosen.on or ()) for place in (0, 1))
        sides.setdefault(_key(roles[first]), _Side(truth, mine, {first: str(chosen.true)}))
        side = sides.setdefault(_key(role), _Side(found[_key(role)], theirs, {}))
        side.labels[name] = str(chosen.pred)
    for name in beside:
        sides[_key(roles[first])].labels[name] = str(roles[name].column)
    for name, role in roles.items():
        if not role.adds_points:
            _choose_looked_up(name, roles, found, sides, chosen.on or ())
    return list(sides.values()), chosen.on or ()


def _choose_looked_up(
    name: str, roles: Mapping[str, Role], found: Mapping[Any, HasColumns], sides: dict[Any, _Side], on: IdColumns
) -> None:
    """Choose the column of a role that adds no points: in its own source, or in those of other roles."""
    role = roles[name]
    if role.within:
        keys = [_key(roles[other]) for other in role.within]
        having = [key for key in keys if role.column in found[key].kinds] or keys[:1]
        for key in having:
            columns.require(found[key], role.option, str(role.column))
            sides[key].labels[name] = str(role.column)
    elif not isinstance(role.given, Mapping):
        source = found[_key(role)]
        ids = [one if one in source.kinds or other not in source.kinds else other for one, other in on]
        for column in ids:
            columns.require(source, "on", column)
        column = columns.only(source, role.option, role.column, set(ids))
        sides.setdefault(_key(role), _Side(source, tuple(ids), {}, adds_points=False)).labels[name] = column


def _close(
    workspace: Workspace,
    roles: Mapping[str, Role],
    relations: Mapping[Any, Relation],
    request: Request,
    beside: Sequence[str],
) -> tuple[list[_Side], IdColumns]:
    """Return the same where the truth, the predictions or both are lists of pairs, which are closed into clusters."""
    first, *others = (name for name in roles if name not in beside)
    truth = relations[_key(roles[first])]
    sides: list[_Side] = []
    on: IdColumns = ()
    for name in others:
        asked = request._replace(columns=request.columns._replace(true=roles[first].column, pred=roles[name].column))
        one, other, wanted, named = close_lists(workspace, truth, relations[_key(roles[name])], asked)
        chosen = columns.of_two(one, other, wanted)
        mine, theirs = (tuple(pair[place] for pair in chosen.on or ()) for place in (0, 1))
        if not sides:
            sides.append(_Side(one, mine, {first: str(chosen.true)}))
            on = named or chosen.on or ()
        sides.append(_Side(other, theirs, {name: str(chosen.pred)}))
    for name in beside:
        columns.require(truth, roles[name].option, str(roles[name].column))
        sides[0].labels[name] = str(roles[name].column)
    return sides, on


def _compare_ids(workspace: Workspace, sides: Sequence[_Side]) -> list[Kind]:
    """Return the kinds for the comparison of the columns of ids, for which equal ids are equal in all sources."""
    kinds: list[Kind] = []
    for place, name in enumerate(sides[0].on):
        true = JoinColumn(_relation(sides[0]), name)
        others = [JoinColumn(_relation(side), side.on[place]) for side in sides[1:]]
        found: list[Kind] = [match_columns(workspace, "i", true, other).kind for other in others] or [true.kind]
        kind = combine_kinds(found, [true, *others])
        if kind is None:
            unlike = next(other for other, one in zip(others, found, strict=True) if one != found[0])
            raise InputError(
                Mention("on"),
                f": the ids of the truth and of {unlike.relation.called} are compared as another type than those of "
                "the truth and the first source; give the ids of all sources one type",
            )
        kinds.append(kind)
    return kinds


def _relation(side: _Side) -> Relation:
    relation: Any = side.source
    return relation  # type: ignore[no-any-return]


def _fetch(workspace: Workspace, side: _Side, truth: _Side, kinds: Sequence[Kind], request: Request) -> _Fetched:
    """Return all needed columns of a source, in one statement."""
    relation, dialect = _relation(side), workspace.dialect
    parts, names = list[str](), list[str]()
    for place, (name, mine) in enumerate(zip(side.on, truth.on, strict=True)):
        column = JoinColumn(relation, name)
        compared = IdColumn("i", JoinColumn(_relation(truth), mine), column, kinds[place])
        parts.append(f"{compared.values(column, dialect)} AS c{len(parts)}")
        names.append(name)
    for name in dict.fromkeys(side.labels.values()):
        parts.append(f"{point_rows.label(dialect, dialect.name(name), relation.kinds[name])} AS c{len(parts)}")
        names.append(name)
    for what, name in _numbers(request).items():
        if name in relation.kinds:
            parts.append(f"{point_rows.number_of(dialect, relation, name, what)} AS c{len(parts)}")
            names.append(name)
    fetched = workspace.fetch(f"SELECT {', '.join(parts)} FROM {relation.sql}")
    read = {name: fetched[f"c{place}"] for place, name in enumerate(names)}
    if not len(next(iter(read.values()))):
        raise InputError(f"{relation.called}: holds no rows; there is nothing to compare")
    return _Fetched(relation.called, {name: relation.kinds[name] for name in read}, read)


def _numbers(request: Request) -> dict[str, str]:
    return {what: column for what in NUMBERS if (column := getattr(request.columns, what)) is not None}


def _align(
    roles: Mapping[str, Role],
    sides: Sequence[_Side],
    rows: Sequence[RowsById],
    request: Request,
    beside: Sequence[str],
    on: IdColumns,
    kinds: Mapping[str, Kind] | None,
) -> Records:
    """Put all labelings in the order of the ids: those of the truth, then the additional ids of each further source."""
    names = [read_own_ids(row, side.on) for row, side in zip(rows, sides, strict=True)]
    adding = [place for place, side in enumerate(sides) if side.adds_points]
    joined = join_names([rows[place] for place in adding], [names[place] for place in adding])
    _check_ids(joined, [sides[place] for place in adding], request.policies)
    places = dict(zip(adding, joined.places, strict=True))
    parts: dict[str, dict[int, Labeling]] = {name: {} for name in roles}
    for number, (side, row) in enumerate(zip(sides, rows, strict=True)):
        at = places[number] if number in places else _look_up(joined.ids, names[number])
        for name, column in side.labels.items():
            parts[name][number] = labels_at(row, column, at)
    ids = joined.ids.to_list()
    read = {name: _join_parts(name, roles, found, sides, ids) for name, found in parts.items()}
    more = {}
    for name in beside:
        labeling = read.pop(name)
        has = np.flatnonzero(labeling.codes != ABSENT)
        known = label_list(labeling.values, labeling.codes[has])
        more[name] = dict(zip((ids[place] for place in has.tolist()), known, strict=True))
    kinds = kinds or {name: kind_of(labeling) for name, labeling in read.items()}
    settings = {"on": describe_id(on)} if request.columns.on is not None else {}
    chosen = {name: column for side in sides for name, column in side.labels.items()}
    numbers = {what: joined.join_numbers(what, column) for what, column in _numbers(request).items()}
    closed = {"true": (next(iter(roles)),), "pred": tuple(roles)[1:], "both": tuple(roles)}.get(request.pairs or "", ())
    adds: dict[str, Kind] = {name: kinds[name] for name in read if roles[name].adds_points}
    return Records(
        {name: shrink(read[name]) for name in roles if name in read},
        {name: role.called for name, role in roles.items()},
        {item: place for place, item in enumerate(ids)},
        numbers.get("counts"),
        numbers.get("weights"),
        more,
        _written(request.policies, next(iter(roles)), adds),
        settings | {name: request.options[name] for name in ("pairs", "threshold") if name in request.options},
        {name: chosen[name] for name in adds if roles[name].column is None and name not in closed},
        {name: row.called for side, row in zip(sides, rows, strict=True) for name in side.labels},
        chosen,
        on,
    )


def _look_up(ids: Names, others: Names) -> NDArray[np.int64]:
    """Return the row of each id among other ids; -1 where they lack it."""
    _, at = merge_names(ids, others)
    places = np.full(len(ids), -1)
    known = np.flatnonzero(at < len(ids))
    places[at[known]] = known
    return places


def _join_parts(
    name: str, roles: Mapping[str, Role], found: Mapping[int, Labeling], sides: Sequence[_Side], ids: list[Any]
) -> Labeling:
    """Return the labels of one role: a column, columns of several sources, or a mapping from id."""
    role = roles[name]
    if not found:
        labels = read_objects(list(role.given.values()), f"{role.called}.values()")
        place = {item: number for number, item in enumerate(role.given)}
        return take_places(labels, np.array([place.get(item, -1) for item in ids], np.intp))
    if len(found) == 1:
        return next(iter(found.values()))
    by_role = {one: number for number, side in enumerate(sides) for one in side.labels}
    first, *others = (found[by_role[one]] for one in role.within if by_role[one] in found)
    listed = label_list(first.values, first.codes)
    for other in others:
        lacks = (first.codes == ABSENT).tolist()
        more = label_list(other.values, other.codes)
        listed = [b if lack else a for a, b, lack in zip(listed, more, lacks, strict=True)]
    return read_objects(listed, str(role.column))


def _check_ids(joined: Joined, sides: Sequence[_Side], policies: Policies) -> None:
    for other in range(1, len(sides)):
        if policies.unmatched != "keep":
            refuse_strangers(joined, other, tuple(zip(sides[0].on, sides[other].on, strict=True)))
        only = joined.n_apart(other)
        if policies.unmatched == "error" and any(only):
            raise unmatched_ids_error(joined.sides[0].called, only[0], joined.sides[other].called, only[1])


def _written(policies: Policies, first: str, kinds: Mapping[str, Kind]) -> Policies:
    """Return the policies, with noise labels typed on a command line converted to the types in the sources."""
    stored = [read_written(policies, kinds[first], kind) for name, kind in kinds.items() if name != first]
    noise_pred = {label: fate for one in stored for label, fate in one.noise_pred.items()}
    made = policies._replace(noise_true=stored[0].noise_true, noise_pred=noise_pred)
    return PLAIN if made == PLAIN else made
