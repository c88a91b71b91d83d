"""The table of sources, computed where the data is stored."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from clustermark.engines.files import Reading
from clustermark.engines.pushdown import point_rows
from clustermark.engines.pushdown.bring import bring_points
from clustermark.engines.pushdown.gather import check_ids, fetch_cells, gather, most_cells_at_once, within_limit
from clustermark.engines.pushdown.ids import JoinColumn
from clustermark.engines.pushdown.table import ask_all, push_down
from clustermark.engines.spooled import name_streams
from clustermark.errors import InputError, Mention
from clustermark.options import PolicyOptions, WrittenLabel, declared_options
from clustermark.sources import columns, pair_lists, pair_parts
from clustermark.sources.columns import TRUTH_AND_PREDICTION, Columns, Words
from clustermark.sources.recognition import open_workspace, relation_of
from clustermark.tables.policies import Policies, read_policies

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from clustermark.engines.engine import Kind, Relation, Workspace
    from clustermark.engines.pushdown.gather import Gathered
    from clustermark.sources.columns import IdColumns
    from clustermark.tables.contingency import Contingency


class Request(NamedTuple):
    """The options of a caller for a comparison of sources."""

    columns: Columns
    pairs: str | None
    threshold: float | None
    policies: Policies
    reading: Reading
    push_down: bool | None
    max_cells: int
    options: Mapping[str, Any]
    """All options that were given, unchanged."""
    words: Words = TRUTH_AND_PREDICTION
    """The names of the two sides in messages."""


def read_request(options: Mapping[str, Any], words: Words = TRUTH_AND_PREDICTION) -> Request:
    """Check the options of a caller."""
    asked = {what: options.get(what) for what in Columns._fields if what != "on"}
    for what, column in asked.items():
        if column is not None and not isinstance(column, str):
            raise InputError(Mention(words.spell(what), column), ": with a source, this must be the name of a column")
    policies = {name: options[name] for name in PolicyOptions.__annotations__ if name in options}
    return Request(
        Columns(**asked, on=columns.read_id(options.get("on"))),
        options.get("pairs"),
        _read_threshold(options),
        read_policies(**policies),
        Reading.of(options.get("reading")),
        options.get("push_down"),
        options.get("max_cells", declared_options()["max_cells"].option.default),
        options,
        words,
    )


def _read_threshold(options: Mapping[str, Any]) -> float | None:
    threshold = options.get("threshold")
    if threshold is None:
        return None
    if options.get("pairs") is None:
        raise InputError(
            Mention("threshold", threshold),
            " is for a list of scored pairs; say by ",
            Mention("pairs"),
            " which side is one",
        )
    if isinstance(threshold, bool) or not isinstance(threshold, int | float | np.number) or threshold != threshold:
        raise InputError(Mention("threshold", threshold), " must be a number")
    return pair_lists.at_least(threshold)


def tabulate_sources(source: object, other: object, request: Request) -> Contingency:
    """Return the table of one source with two label columns, or of two sources joined by id."""
    with name_streams(source, other), open_workspace(source, other, request) as workspace:
        asked = _read(workspace, source, other, request)
        if (brought := _bring(workspace, asked, request)) is not None:
            return brought
        gathered = _group(workspace, asked)
        return _tabulate(gathered, request, stays=_stays(gathered, request))


def explain_sources(source: object, other: object, request: Request) -> str:
    """Return the statements that would run; only the columns of the sources are looked up.

    If it depends on the number of cells whether they stay in the engine, the statements of both ways are returned.
    """
    with name_streams(source, other), open_workspace(source, other, request, dry=True) as workspace:
        asked = _read(workspace, source, other, request)
        _bring(workspace, asked, request)
        gathered = _group(workspace, asked)
        either = request.push_down is None and not gathered.points.weighted
        for stays in (False, True) if either else (bool(request.push_down),):
            ask_all(_tabulate(gathered, request, stays=stays))
            if either and not stays:
                workspace.purposes[-1] += (
                    f", if they are at most {most_cells_at_once(workspace, gathered.points):,}; otherwise:"
                )
        return workspace.explain()


_Asked: TypeAlias = tuple[point_rows.PointRows, Policies, dict[str, Any]]
"""Points of sources, the policies for them, and the settings that a table shows."""


def _read(workspace: Workspace, source: object, other: object, request: Request) -> _Asked:
    selected, chosen, described = select_points(workspace, source, other, request)
    policies = read_written(request.policies, selected.true_kind, selected.pred_kind)
    settings = described | describe_reading(chosen, request) | {"engine": workspace.engine.name}
    return selected, policies, settings


def _bring(workspace: Workspace, asked: _Asked, request: Request) -> Contingency | None:
    """Return the table of fetched points; None if that is slower, or if the caller chose `push_down`."""
    if request.push_down:
        return None
    return bring_points(workspace, *asked, request.max_cells, request.options.get("threads"))


def _group(workspace: Workspace, asked: _Asked) -> Gathered:
    gathered = gather(workspace, *asked)
    # with unmatched items kept, no common item is a valid result, for example for mentions in coreference
    few = "" if gathered.policies.unmatched == "keep" else check_ids(gathered)
    return gathered._replace(settings={**gathered.settings, **({"few_matches": few} if few else {})})


def _tabulate(gathered: Gathered, request: Request, *, stays: bool) -> Contingency:
    if stays:
        # a limit set by the caller is strict
        bring = request.push_down is None and gathered.cells <= request.options.get("max_cells", inf)
        return push_down(gathered, request.max_cells, bring=bring)
    within_limit(gathered.cells, request.max_cells, "reading this source")
    return fetch_cells(gathered, request.options.get("threads"))


def labels_of_sources(source: object, other: object, request: Request, beside: Sequence[str] = ()) -> dict[str, Any]:
    """Return all points of the sources: true and pred, and counts and weights; by id, if ids are named.

    beside: more columns of one source by name, returned unchanged under "beside", with labels as lists.
    """
    with name_streams(source, other), open_workspace(source, other, request) as workspace:
        selected, chosen, _ = select_points(workspace, source, other, request)
        if beside:
            selected = point_rows.with_columns(selected, beside, workspace.dialect)
        elif other is None and chosen.on is not None:
            selected = point_rows.with_ids(selected, [true for true, _ in chosen.on], workspace)
        letters = {"true": "t", "pred": "p"}
        letters |= {"counts": "c"} if selected.counted else {}
        letters |= {"weights": "w"} if selected.weighted else {}
        ids = [one.name for one in selected.ids]
        more = [f"x{place}" for place in range(len(beside))]
        keys = [*letters.values(), *ids, *(["s"] if selected.joined else []), *more]
        columns = workspace.fetch(f"SELECT {', '.join(keys)} FROM ({selected.sql}) x")
        lists = {letter: np.asarray(column, object).tolist() for letter, column in columns.items()}
    if not ids:
        columns_beside = {"beside": dict(zip(beside, (lists[name] for name in more), strict=True))} if beside else {}
        return {what: lists[letter] for what, letter in letters.items()} | columns_beside
    lacks = {"true": point_rows.PRED_ONLY, "pred": point_rows.TRUE_ONLY}
    items = lists[ids[0]] if len(ids) == 1 else list(zip(*(lists[name] for name in ids), strict=True))
    if not selected.joined:
        _refuse_repeated(selected, items)
    sides = lists.get("s", [point_rows.BOTH] * len(items))
    return {
        what: {
            item: label
            for item, label, side in zip(items, lists[letter], sides, strict=True)
            if side != lacks.get(what)
        }
        for what, letter in letters.items()
    }


def _refuse_repeated(selected: point_rows.PointRows, items: list[Any]) -> None:
    """Raise an error if ids of one source are missing or occur twice, as in the join of two sources."""
    seen: set[Any] = set()
    for item in items:
        if item is None or item in seen:
            wrong = "a row has none" if item is None else f"{item!r} is there twice"
            names = ", ".join(repr(one.true.name) for one in selected.ids)
            raise InputError(f"{selected.sources['true'][0].called}: ids (column {names}) must be unique, and {wrong}")
        seen.add(item)


def select_points(
    workspace: Workspace, source: object, other: object, request: Request, *, again: bool = False
) -> tuple[point_rows.PointRows, Columns, dict[str, str]]:
    """Return the points to compare, the columns they come from, and the names of the sources in messages.

    again: whether points of one source are read more than once, as those of two sources always are.
    """
    truth = relation_of(workspace, source, request)
    if other is None:
        truth = make_rereadable(workspace, truth, "true") if again else truth
        if request.pairs is not None:
            raise InputError(Mention("pairs"), " compares a list of pairs with a second source; pass two sources")
        chosen = columns.of_one(truth, request.columns, request.words)
        return point_rows.from_one(truth, chosen, workspace.dialect), chosen, {"source": truth.called}
    truth = make_rereadable(workspace, truth, "true")  # first: a connection of DuckDB has one open stream at a time
    prediction = make_rereadable(workspace, relation_of(workspace, other, request), "pred")
    settings = {"truth": truth.called, "prediction": prediction.called}
    truth, prediction, asked, named = close_lists(workspace, truth, prediction, request)
    chosen = columns.of_two(truth, prediction, asked, request.words.columns)
    selected = point_rows.from_two(truth, prediction, chosen, workspace)
    return selected, chosen._replace(on=named) if named else chosen, settings


def select_records(
    workspace: Workspace, source: object, other: object, request: Request, by: str | None = None
) -> tuple[point_rows.PointRows, dict[str, Any]]:
    """Return the points to compare, with ids also if one source has both labels; and their origin.

    by: a column of slices, of the prediction if it has it.
    """
    selected, chosen, settings = select_points(workspace, source, other, request, again=True)
    if other is None:
        assert chosen.on is not None  # callers that draw records name them
        selected = point_rows.with_ids(selected, [true for true, _ in chosen.on], workspace)
    if by is not None:
        side = "pred" if by in selected.sources["pred"][0].kinds else "true"
        selected = point_rows.with_slices(selected, selected.sources[side][0], side, by, workspace.dialect)
    return selected, settings | describe_reading(chosen, request)


def describe_reading(chosen: Columns, request: Request) -> dict[str, Any]:
    """Return the columns, those that were guessed, and the side that is a list of pairs, which has no label column."""
    closed = {"true", "pred"} if request.pairs == "both" else {request.pairs}
    read = {what: column for what, column in chosen.settings().items() if what not in closed}
    asked = request.columns.settings()
    guessed = [what for what, column in read.items() if asked.get(what) != column]
    return read | _describe_pairs(request) | ({"guessed": guessed} if guessed else {})


def _describe_pairs(request: Request) -> dict[str, Any]:
    settings = {"pairs": request.pairs, "threshold": request.threshold}
    return {what: value for what, value in settings.items() if value is not None}


def _stays(gathered: Gathered, request: Request) -> bool:
    """Return whether the cells stay in the engine: if there are many of them, unless the caller decides."""
    if request.push_down is not None:
        return request.push_down
    most = most_cells_at_once(gathered.workspace, gathered.points)
    return gathered.cells > most and not gathered.points.weighted


def make_rereadable(workspace: Workspace, relation: Relation, side: str) -> Relation:
    """Return a relation that can be read again."""
    if not relation.once:
        return relation
    return relation._replace(sql=workspace.materialise(f"read_{side}", f"SELECT * FROM {relation.sql}"), once=False)


def close_lists(
    workspace: Workspace, truth: Relation, prediction: Relation, request: Request
) -> tuple[Relation, Relation, Columns, IdColumns | None]:
    """Close lists of pairs into relations of id and cluster; return these, their columns, and the id for messages."""
    asked = request.columns
    if request.pairs is None:
        return truth, prediction, asked, None
    plain = prediction if request.pairs == "true" else truth if request.pairs == "pred" else None
    on = asked.on
    if on is None and plain is not None:
        on = pair_parts.find_splink_keys(truth if request.pairs == "true" else prediction, plain)
    if on is None:
        shared = "id" if plain is None else _id_of(plain, asked.true if request.pairs == "pred" else asked.pred)
        on = ((shared, shared),)
    limits = {"true": request.threshold, "pred": request.threshold}
    if request.pairs == "both":
        limits = pair_lists.share_threshold(truth, prediction, request.threshold, len(on))
    most, known = max(workspace.limits.pairs, request.max_cells), None
    if len(on) != 1:
        return _close_parts(workspace, truth, prediction, request, on, limits, most)
    true, pred = on[0]
    if plain is not None:
        known = JoinColumn(plain, true if request.pairs == "pred" else pred)
        columns.require(plain, "on", known.name)
    if request.pairs in ("true", "both"):
        truth = pair_lists.close_pairs(workspace, truth, "true", true, limits["true"], known, most)
        asked = asked._replace(true=pair_lists.cluster_column(true))
        true = pair_lists.id_column(true, workspace.dialect)
    if request.pairs in ("pred", "both"):
        prediction = pair_lists.close_pairs(workspace, prediction, "pred", pred, limits["pred"], known, most)
        asked = asked._replace(pred=pair_lists.cluster_column(pred))
        pred = pair_lists.id_column(pred, workspace.dialect)
    return truth, prediction, asked._replace(on=((true, pred),)), on


def _close_parts(
    workspace: Workspace,
    truth: Relation,
    prediction: Relation,
    request: Request,
    on: IdColumns,
    limits: Mapping[str, float | None],
    most: int,
) -> tuple[Relation, Relation, Columns, IdColumns]:
    """Return the same as `close_lists` for ids of several parts."""
    asked, dialect = request.columns, workspace.dialect
    keys = {"true": [true for true, _ in on], "pred": [pred for _, pred in on]}
    sides = {"true": truth, "pred": prediction}
    for side, names in keys.items():
        if request.pairs in (side, "both"):
            sides[side] = pair_parts.close_pairs_of_parts(workspace, sides[side], side, names, limits[side], most)
            cluster: dict[str, Any] = {side: pair_parts.cluster_column_of(names)}
            asked = asked._replace(**cluster)
            keys[side] = [pair_lists.id_column(name, dialect) for name in names]
        else:
            for name in names:
                columns.require(sides[side], "on", name)
    joined = tuple(zip(keys["true"], keys["pred"], strict=True))
    return sides["true"], sides["pred"], asked._replace(on=joined), on


def _id_of(relation: Relation, cluster: str | None) -> str:
    free = [name for name in relation.kinds if name != cluster]
    if len(free) == 1 or (cluster is None and len(free) == 2):
        return free[0]
    raise InputError(
        f"{relation.called}: name the column with the ids by ",
        Mention("on"),
        f" (it has {columns.list_names(relation.kinds)})",
    )


def read_written(policies: Policies, true_kind: Kind, pred_kind: Kind) -> Policies:
    """Return the policies with noise labels typed on a command line converted to the types of the columns."""
    return policies._replace(
        noise_true={_as_held(label, true_kind): fate for label, fate in policies.noise_true.items()},
        noise_pred={_as_held(label, pred_kind): fate for label, fate in policies.noise_pred.items()},
    )


def _as_held(label: Any, kind: Kind) -> Any:
    if not isinstance(label, WrittenLabel):
        return label
    if kind in ("integer", "float"):
        try:
            return int(label) if kind == "integer" else float(label)
        except ValueError:
            pass
    return str(label)
