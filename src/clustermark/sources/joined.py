"""Labelings in several sources, joined by id: each source is read once, however many labelings it has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clustermark.engines.pushdown import points
from clustermark.engines.pushdown.gather import unmatched_ids_error
from clustermark.engines.pushdown.ids import IdColumn, JoinColumn, combine_kinds, match_columns
from clustermark.engines.spooled import name_streams
from clustermark.errors import InputError, Mention
from clustermark.labels import ABSENT, label_list, read_labels
from clustermark.labels.alignment import take_places
from clustermark.labels.labeling import with_values
from clustermark.sources import columns
from clustermark.sources.by_id import NUMBERS, check_alike, join_names, read_own_ids, refuse_strangers
from clustermark.sources.columns import Columns, describe_id, kind_of
from clustermark.sources.contingencies import hold_streams
from clustermark.sources.frames import open_frame, stay_in_memory
from clustermark.sources.reading import Records, shrink
from clustermark.sources.recognition import open_for, relation_of
from clustermark.sources.request import close_lists, make_rereadable, read_request, read_written
from clustermark.tables.policies import PLAIN

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from clustermark.engines.engine import Kind, Relation, Workspace
    from clustermark.sources.by_id import Joined, Rows
    from clustermark.sources.columns import HasColumns, IdColumns
    from clustermark.sources.reading import Role
    from clustermark.sources.request import Request
    from clustermark.tables.policies import Policies


class _Side(NamedTuple):
    """A source, and what is read of it."""

    source: HasColumns
    """A frame, or a relation of an engine."""
    on: tuple[str, ...]
    """Its columns of ids."""
    labels: dict[str, str]
    """The column of each of its roles."""


class _Fetched(NamedTuple):
    """Columns that an engine handed over."""

    said: str
    kinds: Mapping[str, Any]
    columns: dict[str, Any]

    def column(self, name: str) -> Any:
        """Return the column of this name."""
        return self.columns[name]


def read_joined(roles: Mapping[str, Role], options: Mapping[str, Any], beside: Sequence[str] = ()) -> Records:
    """Read roles that are columns of sources with a common id.

    roles: the truth first; those that are `beside` the labels are columns of its source.
    """
    chosen = {name: value for name, value in options.items() if name not in ("true", "pred")}
    sources = _distinct_sources(roles, chosen)
    request = read_request(chosen)
    if all(stay_in_memory(source, None, request) for source in sources.values()):
        return _read_frames(roles, sources, request, beside)
    called = {_key(role): role.called for role in reversed(list(roles.values()))}
    held = list(sources.values())
    with name_streams(*held), open_for(held, request, [called[key] for key in sources]) as workspace:
        return _read_relations(workspace, roles, sources, request, beside)


def _distinct_sources(roles: Mapping[str, Role], options: dict[str, Any]) -> dict[Any, Any]:
    """The sources by what tells them apart; one that can be read only once lies in a file."""
    found: dict[Any, Any] = {}
    format_of_streams = dict(options.get("reading") or {})
    for role in roles.values():
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
    first = next(iter(roles))
    frames = {}
    for name, role in roles.items():
        if _key(role) not in frames:
            frame = open_frame(sources[_key(role)], " of the truth" if name == first else " of the prediction")
            assert frame is not None  # `stay_in_memory` saw to it
            if not len(frame.data):
                raise InputError(f"{frame.said}: holds no points; there is nothing to compare")
            frames[_key(role)] = frame
    sides, on = _choose(roles, frames, request, beside)
    rows: list[Any] = [side.source for side in sides]
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
        name: points.label_kind(side.source.kinds[column]) for side in sides for name, column in side.labels.items()
    }
    return _align(roles, sides, rows, request, beside, on, labelled)


def _choose(
    roles: Mapping[str, Role], found: Mapping[Any, HasColumns], request: Request, beside: Sequence[str]
) -> tuple[list[_Side], IdColumns]:
    """The columns of each source, the truth's first; and the id as messages call it."""
    first, *others = (name for name in roles if name not in beside)
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
    return list(sides.values()), chosen.on or ()


def _close(
    workspace: Workspace,
    roles: Mapping[str, Role],
    relations: Mapping[Any, Relation],
    request: Request,
    beside: Sequence[str],
) -> tuple[list[_Side], IdColumns]:
    """The same where the truth, the predictions or both are lists of pairs, which are closed into clusters."""
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
    """As what the columns of ids are compared, so that equal ids meet in all sources."""
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
                f": beside {unlike.relation.said} the ids of the truth are of another type than beside the first "
                "source; give the ids of all sources one type",
            )
        kinds.append(kind)
    return kinds


def _relation(side: _Side) -> Relation:
    relation: Any = side.source
    return relation  # type: ignore[no-any-return]


def _fetch(workspace: Workspace, side: _Side, truth: _Side, kinds: Sequence[Kind], request: Request) -> _Fetched:
    """All columns of a source that are needed, in one statement."""
    relation, dialect = _relation(side), workspace.dialect
    parts, names = list[str](), list[str]()
    for place, (name, mine) in enumerate(zip(side.on, truth.on, strict=True)):
        column = JoinColumn(relation, name)
        compared = IdColumn("i", JoinColumn(_relation(truth), mine), column, kinds[place])
        parts.append(f"{compared.values(column, dialect)} AS c{len(parts)}")
        names.append(name)
    for name in dict.fromkeys(side.labels.values()):
        parts.append(f"{points.label(dialect, dialect.name(name), relation.kinds[name])} AS c{len(parts)}")
        names.append(name)
    for what, name in _numbers(request).items():
        if name in relation.kinds:
            parts.append(f"{points.number_of(dialect, relation, name, what)} AS c{len(parts)}")
            names.append(name)
    fetched = workspace.fetch(f"SELECT {', '.join(parts)} FROM {relation.sql}")
    read = {name: fetched[f"c{place}"] for place, name in enumerate(names)}
    if not len(next(iter(read.values()))):
        raise InputError(f"{relation.said}: holds no rows; there is nothing to compare")
    return _Fetched(relation.said, {name: relation.kinds[name] for name in read}, read)


def _numbers(request: Request) -> dict[str, str]:
    return {what: column for what in NUMBERS if (column := getattr(request.columns, what)) is not None}


def _align(
    roles: Mapping[str, Role],
    sides: Sequence[_Side],
    rows: Sequence[Rows],
    request: Request,
    beside: Sequence[str],
    on: IdColumns,
    kinds: Mapping[str, Kind] | None,
) -> Records:
    """Put all labelings in the order of the ids: those of the truth, then each further source's own."""
    joined = join_names(rows, [read_own_ids(row, side.on) for row, side in zip(rows, sides, strict=True)])
    _check_ids(joined, sides, request.policies)
    first = next(iter(roles))
    read = {
        name: take_places(with_values(read_labels(row.column(column), f"{row.said}: column {column!r}")), places)
        for side, row, places in zip(sides, rows, joined.places, strict=True)
        for name, column in side.labels.items()
    }
    ids = joined.ids.to_list()
    more = {}
    for name in beside:
        labeling = read.pop(name)
        has = np.flatnonzero(labeling.codes != ABSENT)
        known = label_list(labeling.values, labeling.codes[has])
        more[name] = dict(zip((ids[place] for place in has.tolist()), known, strict=True))
    kinds = kinds or {name: kind_of(labeling) for name, labeling in read.items()}
    said = {"on": describe_id(on)} if request.columns.on is not None else {}
    chosen = {name: column for side in sides for name, column in side.labels.items()}
    numbers = {what: joined.join_numbers(what, column) for what, column in _numbers(request).items()}
    closed = {"true": (first,), "pred": tuple(roles)[1:], "both": tuple(roles)}.get(request.pairs or "", ())
    return Records(
        {name: shrink(read[name]) for name in roles if name in read},
        {name: role.called for name, role in roles.items()},
        {item: place for place, item in enumerate(ids)},
        numbers.get("counts"),
        numbers.get("weights"),
        more,
        _written(request.policies, first, kinds),
        said | {name: request.options[name] for name in ("pairs", "threshold") if name in request.options},
        {name: chosen[name] for name in read if roles[name].column is None and name not in closed},
    )


def _check_ids(joined: Joined, sides: Sequence[_Side], policies: Policies) -> None:
    for other in range(1, len(sides)):
        if policies.unmatched != "keep":
            refuse_strangers(joined, other, tuple(zip(sides[0].on, sides[other].on, strict=True)))
        only = joined.n_apart(other)
        if policies.unmatched == "error" and any(only):
            raise unmatched_ids_error(joined.sides[0].said, only[0], joined.sides[other].said, only[1])


def _written(policies: Policies, first: str, kinds: Mapping[str, Kind]) -> Policies:
    """The policies, with labels of noise that were typed on a command line as the sources hold them."""
    stored = [read_written(policies, kinds[first], kind) for name, kind in kinds.items() if name != first]
    noise_pred = {label: fate for one in stored for label, fate in one.noise_pred.items()}
    made = policies._replace(noise_true=stored[0].noise_true, noise_pred=noise_pred)
    return PLAIN if made == PLAIN else made
